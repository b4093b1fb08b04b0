//! Proving mutants: what is printed is read again and run, and what cannot be proved is left out.

use farrier_front::Options as Reading;
use farrier_lang::edit::{self, Edit};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::{FunctionId, Program, SourceText, well_formed};
use farrier_machine::{Behavior, Options, certify};

use super::{Mutant, Mutation, Settings};
use crate::scene::{calls_itself, must_inline};

/// How many programs are tried for one mutant at most.
const TRIES: u32 = 24;

/// A mutant may execute so many times the operations of the program before.
const MORE_STEPS: u64 = 4;

/// And so many more, so that short programs can grow.
const EXTRA_STEPS: u64 = 200_000;

/// What the file of a mutant is called.
const FILE: &str = "mutant.c";

/// A mutant may have so many bytes more than its growth says, so that short programs can grow.
const EXTRA_BYTES: usize = 2_000;

/// The mutations of a round that were proved together, and their program.
pub(super) struct Proved {
    pub(super) tree: Program,
    pub(super) mutations: Vec<Mutation>,
    pub(super) mutant: Mutant,
}

/// A search for the mutations that can be proved together.
struct Search<'a> {
    tree: &'a Program,
    behavior: &'a Behavior,
    drawn: &'a [Mutation],
    options: Options,
    most_bytes: usize,
    tries: u32,
}

/// What has been proved so far: which of the drawn mutations, with their program.
#[derive(Default)]
struct Found {
    kept: Vec<usize>,
    proved: Option<(Program, Mutant)>,
}

/// Proves as many of the drawn mutations as it can. One that fails is found by halving.
pub(super) fn prove(
    tree: &Program,
    behavior: &Behavior,
    drawn: &[Mutation],
    settings: &Settings,
    options: &Options,
) -> Option<Proved> {
    let length = print(tree, &PrintOptions::default()).len();
    let steps = behavior.steps.saturating_mul(MORE_STEPS).saturating_add(EXTRA_STEPS);
    let mut search = Search {
        tree,
        behavior,
        drawn,
        options: Options { steps: steps.min(options.steps), ..options.clone() },
        most_bytes: length + length * settings.growth as usize / 100 + EXTRA_BYTES,
        tries: 0,
    };
    let candidates = search.without_conflicts();
    let Found { kept, proved } = search.extend(Found::default(), search.short(&candidates));
    let (tree, mutant) = proved?;
    let mutations = kept.iter().map(|index| drawn[*index].clone()).collect();
    Some(Proved { tree, mutations, mutant })
}

impl Search<'_> {
    /// The drawn mutations, without those that conflict with one before them.
    fn without_conflicts(&self) -> Vec<usize> {
        let mut kept: Vec<usize> = (0..self.drawn.len()).collect();
        let mut tree = self.tree.clone();
        while let Err(conflict) = apply(&mut tree, self.drawn, &kept) {
            kept.remove(conflict.second);
        }
        kept
    }

    /// As many of the first of these mutations as a mutant may grow by; all of them if that is
    /// none. Printing takes a tenth of the time of a proof.
    fn short<'c>(&self, candidates: &'c [usize]) -> &'c [usize] {
        let fits = |count: &usize| self.fits(&candidates[..*count]);
        if fits(&candidates.len()) {
            return candidates;
        }
        let (mut few, mut many) = (0, candidates.len());
        while many - few > 1 {
            let middle = (few + many) / 2;
            if fits(&middle) { few = middle } else { many = middle }
        }
        if few == 0 { candidates } else { &candidates[..few] }
    }

    /// Whether the program with these mutations is not too long. One that cannot be printed is
    /// none that is refused for its length.
    fn fits(&self, kept: &[usize]) -> bool {
        let mut tree = self.tree.clone();
        apply(&mut tree, self.drawn, kept).is_err()
            || !well_formed::check(&tree).is_empty()
            || print(&tree, &PrintOptions::default()).len() <= self.most_bytes
    }

    /// Adds as many of these mutations as can be proved.
    fn extend(&mut self, found: Found, more: &[usize]) -> Found {
        if more.is_empty() || self.tries == TRIES {
            return found;
        }
        let kept = [found.kept.as_slice(), more].concat();
        if let Some(proved) = self.attempt(&kept) {
            return Found { kept, proved: Some(proved) };
        }
        if more.len() == 1 {
            return found;
        }
        let (first, second) = more.split_at(more.len() / 2);
        let found = self.extend(found, first);
        self.extend(found, second)
    }

    /// The program with these mutations, if it has a proof.
    fn attempt(&mut self, kept: &[usize]) -> Option<(Program, Mutant)> {
        self.tries += 1;
        let mut tree = self.tree.clone();
        apply(&mut tree, self.drawn, kept).ok()?;
        if cannot_inline(&tree) > cannot_inline(self.tree) {
            return None;
        }
        let mutant = certified(&tree, self.most_bytes, &self.options)?;
        let found = mutant.certified.behavior();
        let equivalent = kept.iter().all(|index| self.drawn[*index].row.strategy.row().equivalent);
        (!equivalent || is_same(found, self.behavior)).then_some((tree, mutant))
    }
}

fn apply(
    tree: &mut Program,
    drawn: &[Mutation],
    kept: &[usize],
) -> Result<edit::Applied, edit::Conflict> {
    let edits: Vec<&Edit> = kept.iter().map(|index| &drawn[*index].edit).collect();
    edit::apply_some(tree, &edits, &|_| true)
}

/// How many functions have to be inlined and call themselves, which compilers refuse. One mutation
/// may demand the inlining, another make the call.
fn cannot_inline(program: &Program) -> usize {
    let refused =
        |function: &FunctionId| must_inline(program, *function) && calls_itself(program, *function);
    program.functions.ids().filter(refused).count()
}

/// Whether two programs do the same. What they cost is not a part of it.
fn is_same(one: &Behavior, other: &Behavior) -> bool {
    Behavior { steps: 0, ..one.clone() } == Behavior { steps: 0, ..other.clone() }
}

/// What the text of a tree means, if it has at most so many bytes and the machine can prove it.
pub(super) fn certified(tree: &Program, most_bytes: usize, options: &Options) -> Option<Mutant> {
    if !well_formed::check(tree).is_empty() {
        return None;
    }
    let text = print(tree, &PrintOptions::default());
    if text.len() > most_bytes {
        return None;
    }
    let reading = Reading { target: tree.target, dialect: tree.dialect, permissive: false };
    let program = farrier_front::parse(&[SourceText::new(FILE, &*text)], &reading).ok()?;
    let certified = certify(program, options).ok()?;
    Some(Mutant { certified, text })
}
