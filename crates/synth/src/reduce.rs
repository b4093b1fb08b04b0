//! Makes a program smaller while it stays interesting.
//!
//! Passes ([`PASSES`]) only describe edits; one engine tries them, many at once, and
//! halves what fails. A candidate must be well formed, smaller in the order of programs,
//! and, unless that is switched off, defined in the machine, before the [`Judge`] is
//! asked about it: so a miscompilation never turns into undefined behaviour. See
//! `docs/design/reduce.md`.

mod finish;
mod passes;
mod returns;
mod search;
mod text;

#[cfg(test)]
mod tests;

use std::hash::{BuildHasher, BuildHasherDefault, Hash};
use std::sync::Arc;

use farrier_lang::edit::{Edit, apply};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::{Program, shape, well_formed};
use farrier_machine::{Behavior, Certified, Options as Machine, Verdict, certify, run};
use rustc_hash::{FxHashSet, FxHasher};

use crate::scene::Scene;
pub use finish::{returned_by_main, self_checking};
use passes::sweep;
pub use passes::{PASSES, Pass};
use returns::forgets_a_result;
pub use search::Workers;
use search::{Counts, Crew, Known, Permits, Stale, Tried};
pub use text::{Cut, ReducedText, TEXT_PASSES, TextPass, reduce_text, token_count, tokens};

/// Reads the text of a program anew; `None` if the front end refuses it.
pub type Reread<'a> = &'a (dyn Fn(&Program) -> Option<Program> + Sync);

/// How to reduce.
pub struct Options<'a> {
    /// What each run of the machine may cost.
    pub machine: Machine,
    /// Whether a candidate must be defined.
    pub check_undefined: bool,
    /// How much is done at once.
    pub workers: Workers,
    /// If given, what is compared, run and judged is the program as its text reads, so
    /// that nobody has to trust the printer.
    pub reread: Option<Reread<'a>>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        let (machine, workers) = (Machine::default(), Workers::default());
        Self { machine, check_undefined: true, workers, reread: None }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("machine", &self.machine)
            .field("check_undefined", &self.check_undefined)
            .field("workers", &self.workers)
            .field("reread", &self.reread.is_some())
            .finish()
    }
}

/// A program that may take the place of the one that is reduced.
#[derive(Clone, Debug)]
pub enum Candidate {
    /// Its behaviour is known.
    Certified(Box<Certified>),
    /// Nobody asked whether it is defined.
    Plain(Box<Program>),
}

impl Candidate {
    /// The program.
    pub fn program(&self) -> &Program {
        match self {
            Self::Certified(certified) => certified.program(),
            Self::Plain(program) => program,
        }
    }

    /// What it must do, if that is known.
    pub fn behavior(&self) -> Option<&Behavior> {
        match self {
            Self::Certified(certified) => Some(certified.behavior()),
            Self::Plain(_) => None,
        }
    }
}

/// How far the reduction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// The pass that runs.
    pub pass: &'static str,
    /// The size at the start, in the nodes of [`shape::size`].
    pub before: usize,
    /// The size now.
    pub size: usize,
    /// How many candidates the judge was asked about.
    pub judged: usize,
    /// How many it found interesting, and became the best so far.
    pub accepted: usize,
    /// How many candidates were ill formed, not smaller, or known.
    pub refused: usize,
    /// How many of these were ill formed: edits that exclude each other, or no C.
    pub ill_formed: usize,
    /// How many candidates the machine did not find defined.
    pub undefined: usize,
}

/// What somebody says of a candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opinion {
    /// It shows what is to be kept, in these words where there are any.
    Interesting(String),
    /// It does not.
    Boring,
    /// It cannot be said, and nothing more shall be tried.
    Stop,
}

/// Who says what is interesting, to several at once.
pub trait Judge<C: ?Sized>: Sync {
    /// What it says of a candidate.
    fn judge(&self, candidate: &C) -> Opinion;
}

impl<C: ?Sized, F: Fn(&C) -> bool + Sync> Judge<C> for F {
    fn judge(&self, candidate: &C) -> Opinion {
        if self(candidate) { Opinion::Interesting(String::new()) } else { Opinion::Boring }
    }
}

/// What happens in a reduction.
#[derive(Debug)]
pub enum Step<'a, C: ?Sized> {
    /// There is a new best.
    Best(&'a C, &'a Progress),
    /// Something was tried.
    Tried(&'a Progress),
}

/// Who is told what happens, and says whether to go on.
pub type Watch<'a, C> = dyn FnMut(Step<'_, C>) -> bool + 'a;

/// Why nothing could be reduced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hopeless {
    /// The front end does not read the text of the program.
    Unreadable,
    /// The machine does not find the program defined.
    Undefined(Box<Verdict>),
    /// The judge does not find it interesting.
    Boring,
    /// The judge found it interesting, and then not.
    Flaky,
    /// The judge stopped before there was anything.
    Stopped,
}

/// A reduced program.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The smallest interesting program that was found.
    pub best: Candidate,
    /// What it took.
    pub progress: Progress,
    /// What the judge said of it.
    pub words: String,
    /// Whether it is complete: nobody stopped it.
    pub complete: bool,
}

/// Reduces a program until no pass makes it smaller. What comes of it does not depend on how
/// many candidates are tried at once.
pub fn reduce(
    program: &Program,
    judge: &dyn Judge<Candidate>,
    watch: &mut Watch<'_, Candidate>,
    options: &Options<'_>,
) -> Result<Reduced, Hopeless> {
    let text = match options.reread {
        Some(reread) => reread(program).ok_or(Hopeless::Unreadable)?,
        None => program.clone(),
    };
    let first = if options.check_undefined {
        let certified = certify(text, &options.machine).map_err(Hopeless::Undefined)?;
        Candidate::Certified(Box::new(certified))
    } else {
        Candidate::Plain(Box::new(text))
    };
    let words = asked_twice(judge, &first)?;
    let size = shape::size(first.program());
    let shared = Shared {
        options,
        judge,
        keeps_results: options.check_undefined && !forgets_a_result(first.program()),
        known: Known::default(),
        computing: Permits::new(options.workers.processors),
        testing: Permits::new(options.workers.tests),
        counts: Counts::default(),
    };
    std::thread::scope(|scope| {
        let mut engine = Engine {
            shared: &shared,
            crew: Crew { scope, workers: options.workers },
            watch,
            least_steps: steps_of(&first),
            best: Arc::new(first),
            words,
            progress: Progress { before: size, size, ..Progress::default() },
            sweep: false,
            failed: FxHashSet::default(),
            thorough: false,
        };
        let complete = engine.rounds().is_some();
        let Engine { best, words, progress, .. } = engine;
        let best = Arc::try_unwrap(best).unwrap_or_else(|best| (*best).clone());
        Ok(Reduced { best, progress: shared.counts.added_to(progress), words, complete })
    })
}

/// What a judge says of what must be interesting, every time.
fn asked_twice<C: ?Sized>(judge: &dyn Judge<C>, first: &C) -> Result<String, Hopeless> {
    let mut words = String::new();
    for failure in [Hopeless::Boring, Hopeless::Flaky] {
        words = match judge.judge(first) {
            Opinion::Interesting(words) => words,
            Opinion::Boring => return Err(failure),
            Opinion::Stop => return Err(Hopeless::Stopped),
        };
    }
    Ok(words)
}

/// What all who try candidates have in common.
struct Shared<'a> {
    options: &'a Options<'a>,
    judge: &'a dyn Judge<Candidate>,
    /// Whether every function that has a result must return one, as all of the program do.
    keeps_results: bool,
    /// The hashes of all programs that were refused.
    known: Known<u64>,
    /// To make and run candidates takes a processor each.
    computing: Permits,
    testing: Permits,
    counts: Counts,
}

/// The program that edits are applied to, and the best so far, which its text is. In the
/// middle of a pass the tree may say more than the text does, such as a conversion that the
/// text cannot express.
struct Standing {
    tree: Program,
    best: Arc<Candidate>,
    /// The lines of the best so far, unless there are many.
    lines: Option<Vec<u64>>,
    /// What a run of a candidate may cost.
    machine: Machine,
}

impl Standing {
    fn new(tree: Program, best: Arc<Candidate>, size: usize, machine: Machine) -> Self {
        let lines = (size <= MOST_COMPARED).then(|| lines_of(best.program()));
        Self { tree, best, lines, machine }
    }

    /// What a candidate changes: the same number in another program that has these lines.
    fn change(&self, candidate: &Program) -> Option<u64> {
        let before = self.lines.as_ref()?;
        let after = lines_of(candidate);
        let start = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
        let rest = before[start..].iter().rev().zip(after[start..].iter().rev());
        let end = rest.take_while(|(one, other)| one == other).count();
        let changed = (&before[start..before.len() - end], &after[start..after.len() - end]);
        Some(number_of(&changed))
    }
}

/// Only where a program of at most so many nodes was changed is remembered.
const MOST_COMPARED: usize = 4000;

/// A coarse pass cuts its edits into so many chunks, and no further.
const CHUNKS: usize = 8;

fn lines_of(program: &Program) -> Vec<u64> {
    let text = print(program, &PrintOptions::default());
    text.lines().map(|line| number_of(line.trim_start())).collect()
}

/// A candidate that is interesting.
struct Found {
    tree: Program,
    candidate: Candidate,
    words: String,
}

struct Engine<'a, 'scope, 'env> {
    shared: &'env Shared<'env>,
    crew: Crew<'scope, 'env>,
    watch: &'a mut Watch<'a, Candidate>,
    best: Arc<Candidate>,
    words: String,
    progress: Progress,
    /// The fewest operations of the machine that an interesting program took.
    least_steps: u64,
    /// Whether what nothing uses may go: then it goes at once with what used it.
    sweep: bool,
    /// The changes that failed in some program.
    failed: FxHashSet<u64>,
    /// Whether these are tried again.
    thorough: bool,
}

impl Engine<'_, '_, '_> {
    /// Runs all passes until none finds anything; `None` if somebody stops it. What failed
    /// once most likely fails again after other changes, so it is tried again only when
    /// nothing else is left.
    fn rounds(&mut self) -> Option<()> {
        loop {
            let accepted = self.progress.accepted;
            let (last, passes) = PASSES.split_last().expect("there are passes");
            for pass in passes {
                // What one edit makes possible, the next round of the same pass finds;
                // the others have something to do before.
                self.pass(pass)?;
            }
            let fruitless = self.progress.accepted == accepted;
            if fruitless && self.thorough {
                // With other names everything would be tried again.
                return self.pass(last);
            }
            self.thorough = fruitless;
        }
    }

    fn pass(&mut self, pass: &Pass) -> Option<()> {
        let shared = self.shared;
        self.progress.pass = pass.name;
        let accepted = self.progress.accepted;
        let tree = self.best.program().clone();
        let machine =
            Machine { profile: Some(farrier_machine::Watch::everything()), ..self.machine() };
        let profile = (pass.needs_profile && shared.options.check_undefined)
            .then(|| run(&tree, &machine).profile)
            .flatten();
        let edits = (pass.edits)(&Scene::new(&tree, profile));
        let count = edits.len();
        let chunk = if pass.coarse { count.div_ceil(CHUNKS).max(1) } else { 1 };
        let standing =
            Standing::new(tree, Arc::clone(&self.best), self.progress.size, self.machine());
        let standing = Arc::new(standing);
        let sweep = pass.sweeps && self.sweep;
        // What fails from now on must not count before the pass ends: who is first must not
        // matter.
        let failed = if self.thorough { FxHashSet::default() } else { self.failed.clone() };
        let attempt = move |standing: &Standing, part: search::Part, stale: &Stale| {
            let edits = &edits[part.start * chunk..count.min(part.end * chunk)];
            shared.attempt(standing, &Attempt { edits, sweep, failed: &failed }, stale)
        };
        let crew = self.crew;
        crew.search(count.div_ceil(chunk), standing, attempt, &mut |found| self.settle(found))?;
        if pass.name == "unused" {
            self.sweep = count == 0 || self.progress.accepted > accepted;
        }
        Some(())
    }

    /// What a run of a candidate may cost. A smaller program has no business running much
    /// longer than any before it: a loop with half the step is smaller, too, and takes twice
    /// as many rounds.
    fn machine(&self) -> Machine {
        let mut machine = self.shared.options.machine.clone();
        let steps = self.least_steps.saturating_mul(4).saturating_add(100_000);
        machine.steps = machine.steps.min(steps);
        machine
    }

    fn settle(&mut self, found: Result<Found, Option<u64>>) -> Option<Option<Arc<Standing>>> {
        let Found { tree, candidate, words } = match found {
            Ok(found) => found,
            Err(change) => {
                self.failed.extend(change);
                let progress = self.shared.counts.added_to(self.progress);
                return (self.watch)(Step::Tried(&progress)).then_some(None);
            }
        };
        self.progress.accepted += 1;
        self.progress.size = shape::size(candidate.program());
        self.words = words;
        self.best = Arc::new(candidate);
        self.least_steps = self.least_steps.min(steps_of(&self.best));
        let progress = self.shared.counts.added_to(self.progress);
        let go_on = (self.watch)(Step::Best(&self.best, &progress));
        let standing =
            Standing::new(tree, Arc::clone(&self.best), self.progress.size, self.machine());
        go_on.then(|| Some(Arc::new(standing)))
    }
}

/// How many operations the machine executed; all there are if it was not asked.
fn steps_of(candidate: &Candidate) -> u64 {
    candidate.behavior().map_or(u64::MAX, |behavior| behavior.steps)
}

impl Shared<'_> {
    /// Tries some edits.
    fn attempt(&self, standing: &Standing, attempt: &Attempt<'_>, stale: &Stale) -> Tried<Found> {
        let made = self.computing.with(|| self.candidate(standing, attempt, stale));
        let Made { tree, candidate, hash, change } = match made {
            Ok(made) => made,
            Err(change) => return Tried::Bad(change),
        };
        self.testing.with(|| {
            if stale.is_set() {
                return Tried::Bad(None);
            }
            self.counts.judged();
            match self.judge.judge(&candidate) {
                Opinion::Interesting(words) => Tried::Good(Found { tree, candidate, words }),
                Opinion::Boring => {
                    self.known.insert(hash);
                    Tried::Bad(change)
                }
                Opinion::Stop => Tried::Stop,
            }
        })
    }

    /// The program after some edits, if it is fit to be judged; otherwise what it changes, if
    /// that must not be tried again soon.
    fn candidate(
        &self,
        standing: &Standing,
        attempt: &Attempt<'_>,
        stale: &Stale,
    ) -> Result<Made, Option<u64>> {
        if stale.is_set() {
            return Err(None);
        }
        let mut tree = standing.tree.clone();
        let mut fits = apply(&mut tree, attempt.edits).is_ok();
        if fits
            && attempt.sweep
            && let Some(unused) = sweep(&tree)
        {
            fits = apply(&mut tree, &[unused]).is_ok();
        }
        fits = fits && well_formed::check(&tree).is_empty();
        let text = match self.options.reread {
            _ if !fits => None,
            Some(reread) => reread(&tree),
            None => Some(tree.clone()),
        };
        if text.is_none() {
            self.counts.ill_formed();
        }
        let text = text.filter(|text| {
            !(self.keeps_results && forgets_a_result(text)) && text < standing.best.program()
        });
        let hash = text.as_ref().map(number_of).filter(|hash| !self.known.contains(hash));
        let (Some(text), Some(hash)) = (text, hash) else {
            self.counts.refused();
            return Err(None);
        };
        let change = standing.change(&text);
        if change.is_some_and(|change| attempt.failed.contains(&change)) {
            self.counts.refused();
            return Err(None);
        }
        if !self.options.check_undefined {
            return Ok(Made { tree, candidate: Candidate::Plain(Box::new(text)), hash, change });
        }
        match certify(text, &standing.machine) {
            Ok(certified) => {
                let candidate = Candidate::Certified(Box::new(certified));
                Ok(Made { tree, candidate, hash, change })
            }
            Err(_) => {
                self.known.insert(hash);
                self.counts.undefined();
                Err(change)
            }
        }
    }
}

/// Some edits, and how to try them.
struct Attempt<'a> {
    edits: &'a [Edit],
    /// Whether what nothing uses any more goes as well.
    sweep: bool,
    /// Changes that are not tried.
    failed: &'a FxHashSet<u64>,
}

/// A candidate that is fit to be judged.
struct Made {
    tree: Program,
    candidate: Candidate,
    hash: u64,
    change: Option<u64>,
}

fn number_of(value: &(impl Hash + ?Sized)) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(value)
}
