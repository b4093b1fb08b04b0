//! Statements in another order, twice, and new ones that mix values.

use farrier_lang::edit::{Anchor, Change};
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, ObjectId, Program, Qualifiers, Stmt, StmtId, copy, integer_type,
};
use rustc_hash::FxHashSet;

use super::super::stage::Stage;
use super::flow::{binary, object_survives, values_of};
use super::{Drawn, any_stmt, in_block, is_plain_expression};
use crate::Choices;
use crate::scene::root;

/// Operators that mix one value into another.
const MIXING: &[BinaryOp] = &[BinaryOp::BitXor, BinaryOp::Add, BinaryOp::Sub, BinaryOp::BitOr];

/// What statements do with objects.
#[derive(Default)]
struct Touched {
    named: FxHashSet<ObjectId>,
    written: FxHashSet<ObjectId>,
    /// Whether it calls something, or writes through a pointer.
    anything: bool,
}

impl Touched {
    fn add(&mut self, program: &Program, expr: ExprId) {
        match program[expr].kind {
            ExprKind::Object(object) => {
                self.named.insert(object);
                self.anything |= program[object].ty.qualifiers().contains(Qualifiers::VOLATILE);
            }
            ExprKind::Assign(target, _)
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::Step(_, target) => match root(program, target) {
                Some(object) => _ = self.written.insert(object),
                None => self.anything = true,
            },
            ExprKind::Deref(_) => self.anything = true,
            ref kind => self.anything |= kind.acts(),
        }
        program[expr].kind.for_each_operand(|operand| self.add(program, operand));
    }

    fn meets(&self, other: &Self) -> bool {
        self.anything && other.anything
            || self.written.iter().any(|object| other.named.contains(object))
            || other.written.iter().any(|object| self.named.contains(object))
    }
}

/// Two statements that do not depend on each other change places.
pub(super) fn swap(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let first = any_stmt(stage, choices)?;
    let program = stage.scene.program;
    let (block, at) = in_block(stage, first)?;
    let Stmt::Block(stmts) = &program[block] else { return None };
    let second = *stmts.get(at + 1)?;
    let (Stmt::Expr(one), Stmt::Expr(other)) = (&program[first], &program[second]) else {
        return None;
    };
    let (mut left, mut right) = (Touched::default(), Touched::default());
    left.add(program, *one);
    right.add(program, *other);
    if left.meets(&right) || at + 2 == stmts.len() && stage.is_value_block(block) {
        return None;
    }
    Some(vec![
        Change::RemoveStmt(first),
        Change::InsertStmts { block, anchor: Anchor::After(second), stmts: [first].into() },
    ])
}

/// A statement runs twice.
pub(super) fn duplicate(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let stmt = any_stmt(stage, choices)?;
    let (block, _) = in_block(stage, stmt)?;
    let expr = is_plain_expression(stage, stmt)?;
    let program = stage.scene.program;
    let fits = match program[expr].kind {
        ExprKind::Assign(..) | ExprKind::Call(..) => true,
        ExprKind::CompoundAssign { op, target, value, computation } => {
            let object = root(program, target)?;
            let (now, right) = (values_of(stage, object)?, super::flow::seen(stage, value)?);
            let ty = integer_type(program, computation)?;
            let again = binary(ty, op, now, right).and_then(|it| binary(ty, op, it, right));
            again.is_some_and(|again| object_survives(stage, object, again))
        }
        _ => false,
    };
    if !fits || stage.is_value_block(block) {
        return None;
    }
    let again = copy::stmt(&mut stage.fresh.program, stmt);
    let stmts = [again].into();
    Some(vec![Change::InsertStmts { block, anchor: Anchor::After(stmt), stmts }])
}

/// A value is mixed into another one, so that it can be seen if it is wrong.
pub(super) fn mix(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let point = choices.pick_any(&stage.live_points())?;
    let (block, stmt) = (stage.points[point].block, stage.points[point].stmt);
    let watched = stage.points[point].watched.clone();
    let ranges = stage.visits(&stage.points[point])?.ranges.clone();
    let program = stage.scene.program;
    let known = |at: usize| {
        let (low, high) = ranges.get(at).copied().flatten()?;
        integer_type(program, program[watched[at]].ty)?;
        Some(super::flow::Range { low, high })
    };
    let both: Vec<usize> = (0..watched.len()).filter(|at| known(*at).is_some()).collect();
    let (to, from) = (choices.pick_any(&both)?, choices.pick_any(&both)?);
    let (target, source) = (watched[to], watched[from]);
    let op = choices.pick(MIXING);
    let ty = integer_type(program, program[target].ty)?;
    let values = binary(ty, op, known(to)?, known(from)?)?;
    let constant = program[target].ty.qualifiers().contains(Qualifiers::CONST);
    let case = matches!(program[stmt], Stmt::Case { .. } | Stmt::Default(_));
    if target == source || constant || case || !object_survives(stage, target, values) {
        return None;
    }
    let stmt_of = mixing(stage, op, target, source)?;
    let (anchor, stmts) = (Anchor::Before(stmt), [stmt_of].into());
    Some(vec![Change::InsertStmts { block, anchor, stmts }])
}

fn mixing(
    stage: &mut Stage<'_>,
    op: BinaryOp,
    target: ObjectId,
    source: ObjectId,
) -> Option<StmtId> {
    let target = stage.object(target);
    let source = stage.object(source);
    let mixed = stage.builder().compound_assign(op, target, source).ok()?;
    Some(stage.fresh.program.stmts.push(Stmt::Expr(mixed)))
}
