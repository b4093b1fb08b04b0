//! Makes a program smaller while it stays interesting.
//!
//! Passes ([`PASSES`]) only describe edits; one engine tries them, many at once, and
//! halves what fails. A candidate must be well formed, smaller in the order of programs,
//! and, unless that is switched off, defined in the machine, before the [`Judge`] is
//! asked about it: so a miscompilation never turns into undefined behaviour. See
//! `docs/design/reduce.md`.

mod entities;
mod expressions;
mod guards;
mod nodes;
mod passes;
mod renaming;
mod statements;
mod text;
mod types;

#[cfg(test)]
mod tests;

use std::hash::{BuildHasher, BuildHasherDefault};

use farrier_lang::edit::{Edit, apply};
use farrier_lang::{Program, shape, well_formed};
use farrier_machine::{Behavior, Certified, Options as Machine, Verdict, certify, run};
use rustc_hash::{FxHashSet, FxHasher};

use nodes::Scene;
pub use passes::{PASSES, Pass};
pub use text::{
    Cut, ReducedText, TEXT_PASSES, TextJudge, TextPass, reduce_text, token_count, tokens,
};

/// Reads the text of a program anew; `None` if the front end refuses it.
pub type Reread<'a> = &'a dyn Fn(&Program) -> Option<Program>;

/// How to reduce.
pub struct Options<'a> {
    /// What each run of the machine may cost.
    pub machine: Machine,
    /// Whether a candidate must be defined.
    pub check_undefined: bool,
    /// How many candidates the judge gets at once.
    pub width: usize,
    /// If given, what is compared, run and judged is the program as its text reads, so
    /// that nobody has to trust the printer.
    pub reread: Option<Reread<'a>>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { machine: Machine::default(), check_undefined: true, width: 1, reread: None }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("machine", &self.machine)
            .field("check_undefined", &self.check_undefined)
            .field("width", &self.width)
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
    /// How many candidates the machine did not find defined.
    pub undefined: usize,
}

/// Who says what is interesting.
pub trait Judge {
    /// Which of the candidates are still interesting; `None` to stop the reduction.
    fn judge(&mut self, candidates: &[Candidate]) -> Option<Vec<bool>>;

    /// A candidate became the best so far.
    fn accept(&mut self, _best: &Candidate, _progress: &Progress) {}

    /// Something was tried; whether to go on.
    fn tick(&mut self, _progress: &Progress) -> bool {
        true
    }
}

impl<F: FnMut(&Candidate) -> bool> Judge for F {
    fn judge(&mut self, candidates: &[Candidate]) -> Option<Vec<bool>> {
        Some(candidates.iter().map(self).collect())
    }
}

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
    /// Whether it is complete: the judge did not stop it.
    pub complete: bool,
}

/// Reduces a program until no pass makes it smaller.
pub fn reduce(
    program: &Program,
    judge: &mut dyn Judge,
    options: &Options<'_>,
) -> Result<Reduced, Hopeless> {
    let text = match options.reread {
        Some(reread) => reread(program).ok_or(Hopeless::Unreadable)?,
        None => program.clone(),
    };
    let mut machine = options.machine.clone();
    let first = if options.check_undefined {
        let certified = certify(text, &machine).map_err(Hopeless::Undefined)?;
        // A smaller program has no business running much longer.
        let steps = certified.behavior().steps.saturating_mul(4).saturating_add(100_000);
        machine.steps = machine.steps.min(steps);
        Candidate::Certified(Box::new(certified))
    } else {
        Candidate::Plain(Box::new(text))
    };
    match judge.judge(std::slice::from_ref(&first)).ok_or(Hopeless::Stopped)?[..] {
        [true] => {}
        _ => return Err(Hopeless::Boring),
    }
    match judge.judge(std::slice::from_ref(&first)).ok_or(Hopeless::Stopped)?[..] {
        [true] => {}
        _ => return Err(Hopeless::Flaky),
    }
    let size = shape::size(first.program());
    let mut engine = Engine {
        options,
        machine,
        judge,
        tree: first.program().clone(),
        best: first,
        known: FxHashSet::default(),
        progress: Progress { before: size, size, ..Progress::default() },
    };
    let complete = engine.rounds().is_some();
    Ok(Reduced { best: engine.best, progress: engine.progress, complete })
}

struct Engine<'a> {
    options: &'a Options<'a>,
    machine: Machine,
    judge: &'a mut dyn Judge,
    best: Candidate,
    /// The program that edits are applied to. In the middle of a pass it may say more
    /// than its text does, such as a conversion that the text cannot express.
    tree: Program,
    /// The hashes of all programs that were refused, so that nothing is tried twice.
    known: FxHashSet<u64>,
    progress: Progress,
}

/// The part of the list of edits that is tried at once.
type Part = std::ops::Range<usize>;

impl Engine<'_> {
    /// Runs all passes until none finds anything; `None` if the judge stops.
    fn rounds(&mut self) -> Option<()> {
        loop {
            let accepted = self.progress.accepted;
            for pass in PASSES {
                self.progress.pass = pass.name;
                // What one edit makes possible, the next round of the same pass finds;
                // the others have something to do before.
                self.pass(pass)?;
            }
            if self.progress.accepted == accepted {
                return Some(());
            }
        }
    }

    fn pass(&mut self, pass: &Pass) -> Option<()> {
        self.tree = self.best.program().clone();
        let profile = (pass.needs_profile && self.options.check_undefined)
            .then(|| run(&self.tree, &Machine { profile: true, ..self.machine.clone() }).profile)
            .flatten();
        let edits = (pass.edits)(&Scene::new(&self.tree, profile));
        // The last is tried first. Halves are pushed so that the front comes first.
        let mut parts: Vec<Part> = Vec::new();
        if !edits.is_empty() {
            parts.push(0..edits.len());
        }
        while !parts.is_empty() {
            let mut tried = Vec::new();
            let mut candidates = Vec::new();
            while tried.len() < self.options.width.max(1) {
                let Some(part) = parts.pop() else { break };
                match self.candidate(&edits[part.clone()]) {
                    Some((tree, candidate, hash)) => {
                        tried.push((part, tree, hash));
                        candidates.push(candidate);
                    }
                    None => split(&mut parts, part),
                }
            }
            if !self.judge.tick(&self.progress) {
                return None;
            }
            if candidates.is_empty() {
                continue;
            }
            let verdicts = self.judge.judge(&candidates)?;
            self.progress.judged += candidates.len();
            let mut taken = false;
            let mut again = Vec::new();
            for (((part, tree, hash), candidate), good) in
                tried.into_iter().zip(candidates).zip(verdicts)
            {
                match (good, taken) {
                    (true, false) => {
                        taken = true;
                        self.accept(tree, candidate);
                    }
                    // It was good for the program as it was.
                    (true, true) => again.push(part),
                    (false, _) => {
                        self.known.insert(hash);
                        split(&mut again, part);
                    }
                }
            }
            // Those that came first were popped first, and so shall their halves be.
            parts.extend(again.into_iter().rev());
        }
        Some(())
    }

    fn accept(&mut self, tree: Program, candidate: Candidate) {
        self.progress.accepted += 1;
        self.progress.size = shape::size(candidate.program());
        self.judge.accept(&candidate, &self.progress);
        self.tree = tree;
        self.best = candidate;
    }

    /// The program after some edits, if it is fit to be judged.
    fn candidate(&mut self, edits: &[Edit]) -> Option<(Program, Candidate, u64)> {
        let mut tree = self.tree.clone();
        let fits = apply(&mut tree, edits).is_ok() && well_formed::check(&tree).is_empty();
        let text = match self.options.reread {
            _ if !fits => None,
            Some(reread) => reread(&tree),
            None => Some(tree.clone()),
        };
        let text = text.filter(|text| text < self.best.program());
        let hash = text.as_ref().map(hash_of).filter(|hash| !self.known.contains(hash));
        let (Some(text), Some(hash)) = (text, hash) else {
            self.progress.refused += 1;
            return None;
        };
        if !self.options.check_undefined {
            return Some((tree, Candidate::Plain(Box::new(text)), hash));
        }
        match certify(text, &self.machine) {
            Ok(certified) => Some((tree, Candidate::Certified(Box::new(certified)), hash)),
            Err(_) => {
                self.known.insert(hash);
                self.progress.undefined += 1;
                None
            }
        }
    }
}

/// Pushes the halves of a part so that the first is popped first.
fn split(parts: &mut Vec<Part>, part: Part) {
    if part.len() > 1 {
        let middle = part.start + part.len() / 2;
        parts.push(middle..part.end);
        parts.push(part.start..middle);
    }
}

fn hash_of(program: &Program) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(program)
}
