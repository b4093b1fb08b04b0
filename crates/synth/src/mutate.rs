//! Changes programs that are there.
//!
//! A mutator draws changes from a seed and describes them. Making a program from those that
//! are kept is another step, so that a recipe can leave out any of them: to replay a program,
//! to undo a change and to find the one that matters are the same operation.
//!
//! [`text`] changes texts, and nothing is known of the result. All other mutators change trees.
//! They are rows of a table: each looks at a stage, which is a program with
//! what a run of it saw, and describes edits. A [`Lineage`] is a program with its rounds of
//! mutations. The edits of a round are drawn from the program of the round before, so changes
//! pile up. A mutant is printed, read again and certified; what cannot be proved is left out.

mod drift;
mod expose;
mod facts;
mod graft;
mod live;
mod place;
mod proof;
mod prune;
mod stage;
mod tally;
#[cfg(test)]
mod tests;
pub mod text;
mod transplant;
mod walk;

use farrier_lang::edit::{self, Edit};
use farrier_lang::{Program, Stmt};
use farrier_machine::{Behavior, Certified, Options};

use crate::Choices;
use stage::Stage;

/// A school of mutation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Strategy {
    /// Deletes statements that never run.
    Orion,
    /// Inserts statements where nothing ever runs.
    Athena,
    /// Adds code that never runs, or that runs and changes nothing, among code that runs.
    Hermes,
    /// Tells the compiler what the machine saw to be true.
    Facts,
    /// Changes what the program does: the machine knows the new output.
    Drift,
    /// Calls functions of other programs.
    Graft,
}

/// A strategy with what users see of it.
#[derive(Debug)]
pub struct StrategyRow {
    /// The strategy.
    pub strategy: Strategy,
    /// Its name on the command line and in recipes.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Whether its mutants do what the program did.
    pub equivalent: bool,
    /// How often it is drawn, in relation to the others.
    pub weight: u32,
}

/// Every strategy.
#[rustfmt::skip]
pub static STRATEGIES: &[StrategyRow] = &[
    StrategyRow { strategy: Strategy::Orion, name: "orion", about: "delete statements that never run", equivalent: true, weight: 10 },
    StrategyRow { strategy: Strategy::Athena, name: "athena", about: "insert statements where nothing ever runs", equivalent: true, weight: 15 },
    StrategyRow { strategy: Strategy::Hermes, name: "hermes", about: "add code that never runs, or runs and changes nothing", equivalent: true, weight: 30 },
    StrategyRow { strategy: Strategy::Facts, name: "facts", about: "tell the compiler what is true", equivalent: true, weight: 15 },
    StrategyRow { strategy: Strategy::Drift, name: "drift", about: "change what the program does", equivalent: false, weight: 20 },
    StrategyRow { strategy: Strategy::Graft, name: "graft", about: "call functions of other programs", equivalent: false, weight: 10 },
];

impl Strategy {
    /// Its row.
    pub fn row(self) -> &'static StrategyRow {
        let row = STRATEGIES.iter().find(|row| row.strategy == self);
        row.expect("every strategy has a row")
    }

    /// The strategy of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        STRATEGIES.iter().find(|row| row.name == name).map(|row| row.strategy)
    }
}

/// One kind of mutation.
#[derive(Debug)]
pub(crate) struct Row {
    /// The strategy that it belongs to.
    strategy: Strategy,
    /// Its name in recipes; no other row has it.
    name: &'static str,
    /// How often it is drawn, in relation to the other rows of its strategy.
    weight: u32,
    /// Draws mutations and gives them to [`Stage::push`]: one, or many if the row is about
    /// the whole program, or none if it finds no place.
    draw: fn(&mut Stage<'_>, &mut Choices),
}

/// Every kind of mutation.
fn rows() -> impl Iterator<Item = &'static Row> {
    [prune::ROWS, transplant::ROWS, live::ROWS, facts::ROWS, drift::ROWS, graft::ROWS]
        .into_iter()
        .flatten()
}

/// What mutants are like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The strategies that are drawn from.
    pub with: Vec<Strategy>,
    /// How many mutations a round draws, at least and at most. Those that one row draws together,
    /// such as all deletions of Orion, count as one.
    pub edits: (u32, u32),
    /// By how much a mutant may be longer than the program of the round before, in percent.
    pub growth: u32,
    /// How many rounds a walk proposes for a mutant, of which it takes those that lead away
    /// from the program. Zero is no walk: a mutant is one round.
    pub walk: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            with: STRATEGIES.iter().map(|row| row.strategy).collect(),
            edits: (1, 40),
            growth: 100,
            walk: 0,
        }
    }
}

/// Why there is no mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The program is too long a run for its values to be looked at.
    TooLong,
    /// No mutation found a place.
    NoPlace,
    /// None of the mutations could be proved.
    NoProof,
}

/// A mutation that is a part of a round.
#[derive(Clone, Debug)]
pub struct Mutation {
    row: &'static Row,
    /// Which of the mutations that the round drew it is.
    pub index: usize,
    edit: Edit,
}

impl Mutation {
    /// The name of its row.
    pub fn name(&self) -> &'static str {
        self.row.name
    }

    /// The strategy that it belongs to.
    pub fn strategy(&self) -> Strategy {
        self.row.strategy
    }
}

/// The mutations that were drawn from one seed and proved.
#[derive(Clone, Debug)]
pub struct Round {
    /// The seed.
    pub seed: u64,
    /// The mutations, in the order in which they were drawn.
    pub mutations: Vec<Mutation>,
    /// How many statements the program had afterwards, whether they can be reached or not.
    stmts: usize,
}

/// A mutant: its proof, and its text.
#[derive(Debug)]
pub struct Mutant {
    /// The program that the text means.
    pub certified: Certified,
    /// The text.
    pub text: String,
}

/// What became of the mutations of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// The strategy of the row.
    pub strategy: Strategy,
    /// The name of the row.
    pub name: &'static str,
    /// How many were drawn.
    pub drawn: usize,
    /// How many of them are a part of a mutant. The others conflict, or have no proof.
    pub proved: usize,
}

/// A program and its rounds of mutations.
#[derive(Debug)]
pub struct Lineage {
    original: Program,
    /// The program with all rounds. Nodes keep their ids from round to round.
    tree: Program,
    /// What the program of the last round does.
    behavior: Behavior,
    rounds: Vec<Round>,
    /// One for each row.
    counts: Vec<Count>,
    /// Whether blocks that never run are marked.
    markers: bool,
    options: Options,
}

impl Lineage {
    /// Begins with a program. `options` are those that it was certified with.
    pub fn new(original: &Certified, options: &Options) -> Self {
        let program = original.program().clone();
        let (tree, behavior) = (program.clone(), original.behavior().clone());
        let options = Options { profile: None, ..options.clone() };
        let count =
            |row: &Row| Count { strategy: row.strategy, name: row.name, drawn: 0, proved: 0 };
        let counts = rows().map(count).collect();
        Self {
            original: program,
            tree,
            behavior,
            rounds: Vec::new(),
            counts,
            markers: false,
            options,
        }
    }

    /// Every block that Hermes adds and that never runs gets a call of a function that is
    /// nowhere defined, `marker_1` and so on: what a compiler makes of it shows whether the
    /// block survived.
    pub fn with_markers(self) -> Self {
        Self { markers: true, ..self }
    }

    /// What became of all mutations that [`Self::grow`] drew, by rows.
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// The rounds so far.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// One more round, or several of a walk, drawn from a seed: the program, which is the seed
    /// of the next round.
    pub fn grow(
        &mut self,
        seed: u64,
        donors: &[Certified],
        settings: &Settings,
    ) -> Result<Mutant, Refusal> {
        if settings.walk > 0 {
            return walk::walk(self, seed, donors, settings);
        }
        let drawn = self.draw(seed, donors, settings)?;
        self.prove(seed, &drawn, settings)
    }

    /// One more round of what was drawn from a seed.
    fn prove(
        &mut self,
        seed: u64,
        drawn: &[Mutation],
        settings: &Settings,
    ) -> Result<Mutant, Refusal> {
        if drawn.is_empty() {
            return Err(Refusal::NoPlace);
        }
        self.count(drawn, |count| &mut count.drawn);
        let proved = proof::prove(&self.tree, &self.behavior, drawn, settings, &self.options);
        let proved = proved.ok_or(Refusal::NoProof)?;
        self.count(&proved.mutations, |count| &mut count.proved);
        Ok(self.accept(seed, proved))
    }

    /// A round that lets a program that prints nothing print a checksum of its values. It has
    /// a seed of its own, by which [`replay`](Self::replay) makes it again.
    ///
    /// `None` if the program prints something, or nothing of it can be shown.
    pub fn expose(&mut self) -> Option<Mutant> {
        if !self.behavior.output.is_empty() {
            return None;
        }
        let settings = Settings { growth: EXPOSING_GROWTH, ..Settings::default() };
        for level in 0..expose::LEVELS.len() as u64 {
            let seed = expose::SEED + level;
            let drawn = self.draw(seed, &[], &settings).ok()?;
            let proved = proof::prove(&self.tree, &self.behavior, &drawn, &settings, &self.options);
            if let Some(proved) = proved
                && expose::only_shows(&self.behavior, proved.mutant.certified.behavior())
            {
                return Some(self.accept(seed, proved));
            }
        }
        None
    }

    fn accept(&mut self, seed: u64, proved: proof::Proved) -> Mutant {
        let proof::Proved { tree, mutations, mutant } = proved;
        self.behavior = mutant.certified.behavior().clone();
        self.rounds.push(Round { seed, mutations, stmts: tree.stmts.len() });
        self.tree = tree;
        mutant
    }

    fn count(&mut self, mutations: &[Mutation], number: fn(&mut Count) -> &mut usize) {
        for mutation in mutations {
            let same = |count: &&mut Count| count.name == mutation.name();
            let count = self.counts.iter_mut().find(same).expect("every row has one");
            *number(count) += 1;
        }
    }

    /// Draws the rounds of a recipe again: for each its seed, and which of the drawn mutations
    /// were proved. `None` if this version draws others.
    pub fn replay(
        original: &Certified,
        rounds: &[(u64, Vec<usize>)],
        donors: &[Certified],
        settings: &Settings,
        options: &Options,
    ) -> Option<Self> {
        let mut lineage = Self::new(original, options);
        for (seed, indices) in rounds {
            let mut mutations = lineage.draw(*seed, donors, settings).ok()?;
            mutations.retain(|mutation| indices.contains(&mutation.index));
            if mutations.len() != indices.len() {
                return None;
            }
            let edits: Vec<&Edit> = mutations.iter().map(|mutation| &mutation.edit).collect();
            edit::apply_some(&mut lineage.tree, &edits, &|_| true).ok()?;
            let stmts = lineage.tree.stmts.len();
            lineage.rounds.push(Round { seed: *seed, mutations, stmts });
        }
        Some(lineage)
    }

    /// The program with some of the mutations, by round and position in the round; `None` if
    /// they need others, or their program has no proof.
    pub fn keeping(&self, kept: &dyn Fn(usize, usize) -> bool) -> Option<Mutant> {
        let mut tree = self.original.clone();
        for (number, round) in self.rounds.iter().enumerate() {
            let edits: Vec<&Edit> = round.mutations.iter().map(|one| &one.edit).collect();
            edit::apply_some(&mut tree, &edits, &|at| kept(number, at)).ok()?;
            // What a removal leaves in place of a statement is a node, too.
            tree.stmts.fill(round.stmts, Stmt::Empty);
        }
        proof::certified(&tree, usize::MAX, &self.options)
    }

    /// All mutations that a seed draws for the program of the last round.
    fn draw(
        &self,
        seed: u64,
        donors: &[Certified],
        settings: &Settings,
    ) -> Result<Vec<Mutation>, Refusal> {
        let mut choices = Choices::new(Choices::derive_seed(seed, PART));
        let mut stage = Stage::new(&self.tree, &self.options, donors, &mut choices)?;
        stage.markers = self.markers;
        if let Some(row) = expose::level(seed) {
            stage.draw(row, &mut choices);
            return Ok(stage.into_drawn());
        }
        let rows: Vec<&Row> = rows().collect();
        let weights: Vec<u32> = rows.iter().map(|row| rate(row, &rows, settings)).collect();
        let (fewest, most) = settings.edits;
        let wanted = choices.range(fewest.into(), most.into()) as usize;
        // A row about the whole program counts once: otherwise its many mutations would leave no
        // room for those of others.
        let mut successes = 0;
        for _ in 0..wanted * ATTEMPTS {
            let Some(index) = choices.weighted(&weights) else { break };
            let before = stage.drawn();
            stage.draw(rows[index], &mut choices);
            successes += usize::from(stage.drawn() > before);
            if successes == wanted {
                break;
            }
        }
        Ok(stage.into_drawn())
    }
}

/// The part of a seed that decides what is drawn.
const PART: u64 = 0x6d75_7461_7465;

/// By how much a program may grow that gets a checksum of its values, in percent.
const EXPOSING_GROWTH: u32 = 400;

/// So many draws are tried for each mutation that is wanted.
const ATTEMPTS: usize = 4;

/// What the weights of rows and strategies are multiplied by, so that their quotients are
/// numbers.
const SCALE: u32 = 1_000;

/// How often a row is drawn: its share of the weight of its strategy.
fn rate(row: &Row, rows: &[&Row], settings: &Settings) -> u32 {
    if !settings.with.contains(&row.strategy) {
        return 0;
    }
    let of_strategy = rows.iter().filter(|other| other.strategy == row.strategy);
    let all: u32 = of_strategy.map(|other| other.weight).sum();
    row.strategy.row().weight * SCALE * row.weight / all
}
