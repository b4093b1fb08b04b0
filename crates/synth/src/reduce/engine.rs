//! The engine: it tries the changes that passes describe, on programs and on texts.

use std::hash::{BuildHasher, BuildHasherDefault, Hash};
use std::sync::Arc;

use farrier_lang::edit::{Edit, apply};
use farrier_lang::{Program, well_formed};
use farrier_machine::{Options as Machine, Watch, certify, run};
use rustc_hash::{FxHashSet, FxHasher};

use super::passes::{Changes, Cut, Pass, Sweep, Turn, cut, measure, sweep, token_count};
use super::returns::{forgets_a_result, returned_by_main};
use super::search::{Counts, Crew, Known, Part, Permits, Stale, Stopped, Tried};
use super::{
    Candidate, Form, Hopeless, Interest, Judge, Listener, Options, Progress, Reduced, Step, text_of,
};
use crate::scene::Scene;

/// Only where a candidate of at most this size was changed is remembered.
const MOST_COMPARED: usize = 4000;

/// A coarse pass cuts its changes into so many chunks, and no further.
const CHUNKS: usize = 8;

/// What a reduction begins with.
#[derive(Clone, Copy, Default)]
pub(super) struct Start {
    /// What it took so far.
    pub(super) progress: Progress,
    /// Where there is a better result already, the number of its tokens: only a candidate with
    /// fewer is announced as the best.
    pub(super) most_tokens: Option<usize>,
}

/// Runs passes on what must be interesting until none makes it smaller.
pub(super) fn descend<T: Send, E: Send>(
    first: Candidate,
    passes: &[Pass],
    start: Start,
    judge: &Judge<'_, T, E>,
    listener: &mut Listener<'_, E>,
    options: &Options<'_>,
) -> Result<Reduced<T>, Hopeless<E>> {
    let ask = |failure| match judge(&first).map_err(Hopeless::Trouble)? {
        Interest::Interesting(seen) => Ok(seen),
        Interest::Boring => Err(failure),
    };
    ask(Hopeless::Boring)?;
    let seen = ask(Hopeless::Flaky)?;
    let size = first.size();
    let before = if start.progress.before == 0 { size } else { start.progress.before };
    let forgets = first.program().is_some_and(forgets_a_result);
    let shared = Shared {
        options,
        judge,
        keeps_results: options.check_undefined && !forgets,
        known: Known::default(),
        computing: Permits::new(options.workers.processors),
        testing: Permits::new(options.workers.tests),
        counts: Counts::starting_from(start.progress),
    };
    std::thread::scope(|scope| {
        let mut engine = Engine {
            shared: &shared,
            crew: Crew { scope, workers: options.workers },
            listener,
            least_steps: steps_of(&first),
            best: Arc::new(first),
            seen,
            progress: Progress { before, size, ..start.progress },
            most_tokens: start.most_tokens,
            sweep: false,
            failed: FxHashSet::default(),
            thorough: false,
        };
        let complete = match engine.rounds(passes) {
            Ok(()) => true,
            Err(Stopped::Enough) => false,
            Err(Stopped::Trouble(trouble)) => return Err(Hopeless::Trouble(trouble)),
        };
        let Engine { best, seen, progress, .. } = engine;
        let best = Arc::try_unwrap(best).unwrap_or_else(|best| (*best).clone());
        Ok(Reduced { best, progress: shared.counts.added_to(progress), seen, complete })
    })
}

/// What all who try candidates have in common.
struct Shared<'a, T, E> {
    options: &'a Options<'a>,
    judge: &'a Judge<'a, T, E>,
    /// Whether every function that has a result must return one, as all of the program do.
    keeps_results: bool,
    /// The hashes of everything that was refused.
    known: Known<u64>,
    /// To make and run candidates takes a processor each.
    computing: Permits,
    testing: Permits,
    counts: Counts,
}

/// What changes are applied to, and the best so far, which its text is. In the middle of a pass
/// the ground may say more than the text does: a tree may have a conversion that the text
/// cannot express.
struct Standing<G> {
    ground: G,
    best: Arc<Candidate>,
    /// The lines of the best so far, unless there are many.
    lines: Option<Vec<u64>>,
    /// What a run of a candidate may cost.
    machine: Machine,
}

impl<G> Standing<G> {
    /// What a candidate changes: the same number in another program that has these lines.
    fn change(&self, candidate: &str) -> Option<u64> {
        let before = self.lines.as_ref()?;
        let after = lines_of(candidate);
        let start = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
        let rest = before[start..].iter().rev().zip(after[start..].iter().rev());
        let end = rest.take_while(|(one, other)| one == other).count();
        let changed = (&before[start..before.len() - end], &after[start..after.len() - end]);
        Some(number_of(&changed))
    }
}

fn lines_of(text: &str) -> Vec<u64> {
    text.lines().map(|line| number_of(line.trim_start())).collect()
}

fn number_of(value: &(impl Hash + ?Sized)) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(value)
}

/// What a candidate says, before anything else is known of it.
#[derive(Hash)]
enum Content {
    Program(Box<Program>),
    Text(String),
}

impl Content {
    /// Whether it comes before the best so far in the order of programs, or of texts.
    fn is_smaller_than(&self, best: &Candidate) -> bool {
        match self {
            Self::Program(program) => best.program().is_some_and(|best| **program < *best),
            Self::Text(text) => measure(text) < measure(best.text()),
        }
    }
}

/// Why some changes give no candidate.
enum Refusal {
    /// They exclude each other, or what they give is not C.
    IllFormed,
    /// It is not wanted.
    Unwanted,
}

/// The ground after some changes, and what it says.
type Changed<G> = Result<(G, Content), Refusal>;

/// Some changes, and how to try them.
struct Attempt<'a, M> {
    make: &'a M,
    part: Part,
    /// Changes that are not tried.
    failed: &'a FxHashSet<u64>,
}

/// A candidate that is fit to be judged.
struct Made<G> {
    ground: G,
    candidate: Candidate,
    hash: u64,
    change: Option<u64>,
}

/// A candidate that is interesting.
struct Found<G, T> {
    ground: G,
    candidate: Candidate,
    seen: T,
}

impl<T, E> Shared<'_, T, E> {
    /// Tries some changes.
    fn attempt<G, M: Fn(&G, Part) -> Changed<G>>(
        &self,
        standing: &Standing<G>,
        attempt: &Attempt<'_, M>,
        stale: &Stale,
    ) -> Tried<Found<G, T>, E> {
        let made = self.computing.with(|| self.candidate(standing, attempt, stale));
        let Made { ground, candidate, hash, change } = match made {
            Ok(made) => made,
            Err(change) => return Tried::Bad(change),
        };
        self.testing.with(|| {
            if stale.is_set() {
                return Tried::Bad(None);
            }
            self.counts.judged();
            match (self.judge)(&candidate) {
                Ok(Interest::Interesting(seen)) => Tried::Good(Found { ground, candidate, seen }),
                Ok(Interest::Boring) => {
                    self.known.insert(hash);
                    Tried::Bad(change)
                }
                Err(trouble) => Tried::Trouble(trouble),
            }
        })
    }

    /// What some changes give, if it is fit to be judged; otherwise what it changes, if that
    /// must not be tried again soon.
    fn candidate<G, M: Fn(&G, Part) -> Changed<G>>(
        &self,
        standing: &Standing<G>,
        attempt: &Attempt<'_, M>,
        stale: &Stale,
    ) -> Result<Made<G>, Option<u64>> {
        if stale.is_set() {
            return Err(None);
        }
        let made = (attempt.make)(&standing.ground, attempt.part.clone());
        if let Err(Refusal::IllFormed) = made {
            self.counts.ill_formed();
        }
        let smaller = made.ok().filter(|(_, content)| content.is_smaller_than(&standing.best));
        let hash = smaller.as_ref().map(|(_, content)| number_of(content));
        let (Some((ground, content)), Some(hash)) =
            (smaller, hash.filter(|hash| !self.known.contains(hash)))
        else {
            self.counts.refused();
            return Err(None);
        };
        let text = match &content {
            Content::Program(program) => text_of(program),
            Content::Text(text) => text.clone(),
        };
        let change = standing.change(&text);
        if change.is_some_and(|change| attempt.failed.contains(&change)) {
            self.counts.refused();
            return Err(None);
        }
        let form = match content {
            Content::Text(_) => Form::Text,
            Content::Program(program) if !self.options.check_undefined => Form::Program(program),
            Content::Program(program) => match certify(*program, &standing.machine) {
                Ok(certified) => Form::Certified(Box::new(certified)),
                Err(_) => {
                    self.known.insert(hash);
                    self.counts.undefined();
                    return Err(change);
                }
            },
        };
        Ok(Made { ground, candidate: Candidate { text, form }, hash, change })
    }

    /// A program after some edits.
    fn edited(&self, tree: &Program, edits: &[Edit], sweeps: bool) -> Changed<Program> {
        let mut tree = tree.clone();
        apply(&mut tree, edits).map_err(|_| Refusal::IllFormed)?;
        if let Some(unused) = sweeps.then(|| sweep(&tree)).flatten() {
            apply(&mut tree, &[unused]).map_err(|_| Refusal::IllFormed)?;
        }
        if !well_formed::check(&tree).is_empty() {
            return Err(Refusal::IllFormed);
        }
        let read = (self.options.read)(&text_of(&tree)).ok_or(Refusal::IllFormed)?;
        let forgets = self.keeps_results && forgets_a_result(&read)
            || self.options.main_returns && returned_by_main(&read).is_none();
        match forgets {
            true => Err(Refusal::Unwanted),
            false => Ok((tree, Content::Program(Box::new(read)))),
        }
    }
}

struct Engine<'a, 'scope, 'env, T, E> {
    shared: &'env Shared<'env, T, E>,
    crew: Crew<'scope, 'env>,
    listener: &'a mut Listener<'a, E>,
    best: Arc<Candidate>,
    seen: T,
    progress: Progress,
    most_tokens: Option<usize>,
    /// The fewest operations of the machine that an interesting program took.
    least_steps: u64,
    /// Whether what nothing uses may go: then it goes at once with what used it.
    sweep: bool,
    /// The changes that failed in some program.
    failed: FxHashSet<u64>,
    /// Whether these are tried again.
    thorough: bool,
}

impl<'scope, T: Send + 'scope, E: Send + 'scope> Engine<'_, 'scope, '_, T, E> {
    /// Runs all passes until none finds anything. What failed once most likely fails again
    /// after other changes, so it is tried again only when nothing else is left.
    fn rounds(&mut self, passes: &[Pass]) -> Result<(), Stopped<E>> {
        let of = |turn: Turn| passes.iter().filter(move |pass| pass.turn == turn);
        loop {
            let accepted = self.progress.accepted;
            for pass in of(Turn::EachRound) {
                // What one edit makes possible, the next round of the same pass finds;
                // the others have something to do before.
                self.pass(pass)?;
            }
            let fruitless = self.progress.accepted == accepted;
            if fruitless && self.thorough {
                break;
            }
            self.thorough = fruitless;
        }
        for pass in of(Turn::Last) {
            self.pass(pass)?;
        }
        Ok(())
    }

    fn pass(&mut self, pass: &Pass) -> Result<(), Stopped<E>> {
        self.progress.pass = pass.name;
        match pass.changes {
            Changes::Edits(describe) => self.edit(pass, describe),
            Changes::Cuts(describe) => {
                let text = self.best.text().to_owned();
                let cuts = describe(&text);
                self.search(pass, cuts.len(), vec![false; cuts.len()], move |taken, part| {
                    cut_out(&text, &cuts, taken, part)
                })
            }
        }
    }

    /// Runs a pass on programs.
    fn edit(
        &mut self,
        pass: &Pass,
        describe: fn(&Scene<'_>) -> Vec<Edit>,
    ) -> Result<(), Stopped<E>> {
        let shared = self.shared;
        let Some(tree) = self.best.program().cloned() else { return Ok(()) };
        let accepted = self.progress.accepted;
        let machine = Machine { profile: Some(Watch::everything()), ..self.machine() };
        let profile = (pass.needs_profile && shared.options.check_undefined)
            .then(|| run(&tree, &machine).profile)
            .flatten();
        let edits = describe(&Scene::new(&tree, profile));
        let count = edits.len();
        let sweeps = pass.sweep == Sweep::Along && self.sweep;
        self.search(pass, count, tree, move |tree, part| {
            shared.edited(tree, &edits[part], sweeps)
        })?;
        if pass.sweep == Sweep::Decides {
            self.sweep = count == 0 || self.progress.accepted > accepted;
        }
        Ok(())
    }

    /// Goes through the `count` changes of a pass; `make` makes some of them.
    fn search<G, M>(
        &mut self,
        pass: &Pass,
        count: usize,
        ground: G,
        make: M,
    ) -> Result<(), Stopped<E>>
    where
        G: Send + Sync + 'scope,
        M: Fn(&G, Part) -> Changed<G> + Send + Sync + 'scope,
    {
        let shared = self.shared;
        let chunk = if pass.coarse { count.div_ceil(CHUNKS).max(1) } else { 1 };
        // What fails from now on must not count before the pass ends: who is first must not
        // matter.
        let failed = if self.thorough { FxHashSet::default() } else { self.failed.clone() };
        let attempt = move |standing: &Standing<G>, part: Part, stale: &Stale| {
            let part = part.start * chunk..count.min(part.end * chunk);
            shared.attempt(standing, &Attempt { make: &make, part, failed: &failed }, stale)
        };
        let (crew, first) = (self.crew, self.standing(ground));
        crew.search(count.div_ceil(chunk), first, attempt, &mut |found| self.settle(found))
    }

    fn standing<G>(&self, ground: G) -> Arc<Standing<G>> {
        let best = Arc::clone(&self.best);
        let lines = (self.progress.size <= MOST_COMPARED).then(|| lines_of(best.text()));
        Arc::new(Standing { ground, best, lines, machine: self.machine() })
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

    fn settle<G>(
        &mut self,
        found: Result<Found<G, T>, Option<u64>>,
    ) -> Result<Option<Arc<Standing<G>>>, Stopped<E>> {
        let ground = match found {
            Ok(Found { ground, candidate, seen }) => {
                self.progress.accepted += 1;
                self.progress.size = candidate.size();
                self.least_steps = self.least_steps.min(steps_of(&candidate));
                self.seen = seen;
                self.best = Arc::new(candidate);
                Some(ground)
            }
            Err(change) => {
                self.failed.extend(change);
                None
            }
        };
        let progress = &self.shared.counts.added_to(self.progress);
        let text = self.best.text();
        let is_best =
            ground.is_some() && self.most_tokens.is_none_or(|most| token_count(text) < most);
        let step = if is_best { Step::Best { text, progress } } else { Step::Tried(progress) };
        match (self.listener)(step) {
            Ok(true) => Ok(ground.map(|ground| self.standing(ground))),
            Ok(false) => Err(Stopped::Enough),
            Err(trouble) => Err(Stopped::Trouble(trouble)),
        }
    }
}

/// A text after the cuts that were taken before, and some more.
fn cut_out(text: &str, cuts: &[Cut], taken: &[bool], part: Part) -> Changed<Vec<bool>> {
    let mut taken = taken.to_vec();
    taken[part].fill(true);
    let text = cut(text, cuts, |index| taken[index]);
    match text.trim().is_empty() {
        true => Err(Refusal::Unwanted),
        false => Ok((taken, Content::Text(text))),
    }
}

/// How many operations the machine executed; all there are if it was not asked.
fn steps_of(candidate: &Candidate) -> u64 {
    candidate.behavior().map_or(u64::MAX, |behavior| behavior.steps)
}
