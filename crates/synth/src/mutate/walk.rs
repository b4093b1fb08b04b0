//! A walk from mutant to mutant, as far away from the program as it can go.
//!
//! Athena's walk by Metropolis and Hastings. A state is a program, and a proposal is a round
//! of mutations. The density of a state grows with its distance from the original: how many of
//! its blocks and edges the original does not have, and the reverse, less what it has grown.
//! A proposal is accepted with a probability of `min(1, exp(SIGMA * gain) * ratio)`. The ratio
//! is that of the probabilities to propose the way back and the way there: a deletion draws one
//! of the statements that never ran, an insertion one of the places beside them, and what is
//! inserted is drawn in the same way everywhere.
//! A proposal that is refused leaves no trace, so the rounds of the lineage are the recipe.

use farrier_lang::edit::{self, Edit};
use farrier_lang::shape::{form_of_expr, form_of_stmt};
use farrier_lang::{Entity, ExprId, ExprKind, Item, Program, Stmt, StmtId, TypeId, integer_type};
use farrier_machine::Certified;

use super::stage::Stage;
use super::{Lineage, Mutant, Mutation, Refusal, Settings};
use crate::Choices;

/// The weight of the blocks in a distance.
const ALPHA: f64 = 1.0;

/// The weight of the edges between them.
const BETA: f64 = 1.0;

/// The weight of the growth, in sizes of the original.
const GAMMA: f64 = 0.3;

/// How much the density depends on the distance.
const SIGMA: f64 = 40.0;

/// Beyond it an exponential is as good as zero or infinite.
const FARTHEST: f64 = 100.0;

/// The part of a seed that decides what is accepted.
const PART: u64 = 0x7761_6c6b;

/// Walks from the program of the last round: makes proposals, and gives the last one that was
/// accepted. Every accepted one is a round of the lineage. With settings that ask
/// for one edit, a proposal is one row: a round of deletions or one of insertions.
pub(super) fn walk(
    lineage: &mut Lineage,
    seed: u64,
    donors: &[Certified],
    settings: &Settings,
) -> Result<Mutant, Refusal> {
    let mut choices = Choices::new(Choices::derive_seed(seed, PART));
    let origin = Shape::of(&lineage.original);
    let mut here = Shape::of(&lineage.tree);
    let live = here.stmts - lineage.dead_stmts()?.min(here.stmts);
    let mut found = Err(Refusal::NoPlace);
    for number in 0..u64::from(settings.walk) {
        let seed = Choices::derive_seed(seed, number);
        let drawn = lineage.draw(seed, donors, settings)?;
        let there = Shape::of(&applied(&lineage.tree, &drawn));
        let gain = distance(&origin, &there) - distance(&origin, &here);
        let ways = |shape: &Shape| (shape.stmts.saturating_sub(live) + 1) as f64;
        let chance = choices.below(1 << 53) as f64 / (1_u64 << 53) as f64;
        if chance < exp((SIGMA * gain).clamp(-FARTHEST, FARTHEST)) * ways(&here) / ways(&there)
            && let Ok(mutant) = lineage.prove(seed, &drawn, settings)
        {
            here = Shape::of(&lineage.tree);
            found = Ok(mutant);
        }
    }
    found
}

impl Lineage {
    /// How many statements of the program of the last round never ran, blocks aside.
    pub fn dead_stmts(&self) -> Result<usize, Refusal> {
        let stage = Stage::new(&self.tree, &self.options, &[], &mut Choices::new(0))?;
        let stmts = stage.dead_stmts().into_iter();
        Ok(stmts.filter(|stmt| !matches!(self.tree[*stmt], Stmt::Block(_))).count())
    }
}

/// The program with all mutations that do not conflict with an earlier one.
fn applied(tree: &Program, drawn: &[Mutation]) -> Program {
    let mut tree = tree.clone();
    let mut edits: Vec<&Edit> = drawn.iter().map(|mutation| &mutation.edit).collect();
    loop {
        match edit::apply_some(&mut tree, &edits, &|_| true) {
            Ok(_) => return tree,
            Err(conflict) => _ = edits.remove(conflict.second),
        }
    }
}

/// How far a state is from the original.
fn distance(origin: &Shape, state: &Shape) -> f64 {
    let growth = (state.stmts as f64 - origin.stmts as f64) / origin.stmts.max(1) as f64;
    ALPHA * difference(&origin.blocks, &state.blocks)
        + BETA * difference(&origin.edges, &state.edges)
        - GAMMA * growth
}

/// The part of two sorted lists that is not in both.
fn difference(one: &[u64], other: &[u64]) -> f64 {
    let (mut left, mut right, mut common) = (0, 0, 0);
    while left < one.len() && right < other.len() {
        match one[left].cmp(&other[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                (left, right, common) = (left + 1, right + 1, common + 1);
            }
        }
    }
    let all = one.len() + other.len() - common;
    (all - common) as f64 / all.max(1) as f64
}

/// The exponential of a number. Only sums, products and quotients are used, which are the same
/// on every machine.
fn exp(number: f64) -> f64 {
    const HALVINGS: u32 = 10;
    let small = number / f64::from(1 << HALVINGS);
    let mut sum = 1.0;
    for divisor in (1..=8).rev() {
        sum = 1.0 + small * sum / f64::from(divisor);
    }
    for _ in 0..HALVINGS {
        sum *= sum;
    }
    sum
}

/// What a walk sees of a program: its blocks without names and numbers, and which of them
/// stand after or inside which.
#[derive(Default)]
struct Shape {
    blocks: Vec<u64>,
    edges: Vec<u64>,
    stmts: usize,
}

impl Shape {
    fn of(program: &Program) -> Self {
        let mut shape = Self::default();
        for item in &program.items {
            if let Item::Define(Entity::Function(function)) = *item
                && let Some(body) = program[function].body
            {
                shape.stmt(program, body, 0);
            }
        }
        shape.blocks.sort_unstable();
        shape.edges.sort_unstable();
        shape
    }

    /// Adds a statement that control comes to from a block; the block that it leaves.
    fn stmt(&mut self, program: &Program, id: StmtId, from: u64) -> u64 {
        if let Stmt::Block(stmts) = &program[id] {
            return self.run(program, stmts, from);
        }
        self.stmts += 1;
        let mut block = form_of_stmt(&program[id]);
        program[id].for_each_expr(|expr| mix_expr(program, expr, &mut block));
        self.block(block, from);
        program[id].for_each_child(|child| {
            let last = self.stmt(program, child, block);
            self.edges.push(mixed(last, block));
        });
        block
    }

    /// Adds the statements of a block: those without structure make one block of the graph.
    fn run(&mut self, program: &Program, stmts: &[StmtId], mut from: u64) -> u64 {
        let mut straight = None;
        for &id in stmts {
            match program[id] {
                Stmt::Expr(_) | Stmt::Declare(_) | Stmt::Empty => {
                    self.stmts += 1;
                    let block = straight.get_or_insert(0);
                    *block = mixed(*block, form_of_stmt(&program[id]));
                    program[id].for_each_expr(|expr| mix_expr(program, expr, block));
                }
                _ => {
                    if let Some(block) = straight.take() {
                        self.block(block, from);
                        from = block;
                    }
                    from = self.stmt(program, id, from);
                }
            }
        }
        if let Some(block) = straight {
            self.block(block, from);
            from = block;
        }
        from
    }

    fn block(&mut self, block: u64, from: u64) {
        self.blocks.push(block);
        self.edges.push(mixed(from, block));
    }
}

/// Mixes the form of an expression into the number of its block.
fn mix_expr(program: &Program, expr: ExprId, block: &mut u64) {
    let kind = &program[expr].kind;
    let operator = match kind {
        ExprKind::Unary(op, _) => *op as u64,
        ExprKind::Binary(op, ..) | ExprKind::CompoundAssign { op, .. } => *op as u64,
        ExprKind::Logical(op, ..) => *op as u64,
        _ => 0,
    };
    let ty = class(program, program.type_of(expr));
    *block = mixed(*block, form_of_expr(kind) << 16 | operator << 9 | ty);
    kind.for_each_operand(|operand| mix_expr(program, operand, block));
}

/// A number for the type of a value that does not depend on what else the program has.
fn class(program: &Program, ty: TypeId) -> u64 {
    match integer_type(program, ty) {
        Some(integer) => u64::from(integer.bits) << 1 | u64::from(integer.signed),
        None => u64::from(program.is_arithmetic(ty)),
    }
}

/// Two numbers as one.
fn mixed(one: u64, other: u64) -> u64 {
    Choices::derive_seed(one, other)
}

#[cfg(test)]
mod tests {
    use super::super::tests::generated;
    use super::super::{Settings, Strategy};
    use super::*;
    use farrier_machine::Options;

    #[test]
    fn the_exponential_is_one() {
        for number in [-90.0, -20.0, -3.5, -1.0, -0.001, 0.0, 0.5, 3.0] {
            let (ours, theirs) = (exp(number), f64::exp(number));
            assert!((ours - theirs).abs() <= theirs * 1e-9, "{number}: {ours} {theirs}");
        }
    }

    #[test]
    fn a_difference_is_the_part_that_is_not_common() {
        assert!(difference(&[1, 2, 3], &[1, 2, 3]) == 0.0);
        assert!(difference(&[1, 2, 2], &[1, 2, 4]) == 0.5);
        assert!(difference(&[], &[]) == 0.0);
        assert!(difference(&[1], &[]) == 1.0);
    }

    #[test]
    fn a_walk_leads_away_from_the_program_and_can_be_replayed() {
        let with = vec![Strategy::Orion, Strategy::Athena];
        let settings = Settings { with, edits: (1, 1), walk: 8, ..Settings::default() };
        let (options, donors) = (Options::default(), [generated(100)]);
        let (mut accepted, mut refused) = (0, 0);
        for seed in 0..12 {
            let original = generated(seed);
            let mut lineage = Lineage::new(&original, &options);
            let Ok(mutant) = lineage.grow(seed, &donors, &settings) else { continue };
            assert_eq!(mutant.certified.behavior().output, original.behavior().output);
            let origin = Shape::of(original.program());
            assert!(distance(&origin, &Shape::of(&lineage.tree)) > 0.0);
            accepted += lineage.rounds().len();
            refused += 8 - lineage.rounds().len();
            let rounds: Vec<(u64, Vec<usize>)> = lineage
                .rounds()
                .iter()
                .map(|round| (round.seed, round.mutations.iter().map(|one| one.index).collect()))
                .collect();
            let again = Lineage::replay(&original, &rounds, &donors, &settings, &options)
                .and_then(|lineage| lineage.keeping(&|_, _| true));
            assert_eq!(again.expect("the same is drawn again").text, mutant.text);
        }
        assert!(accepted > 4 && refused > 0, "{accepted} {refused}");
    }
}
