//! Loops in another form: peeled, split, unrolled, reversed, with `goto`.

use farrier_lang::edit::{Change, Holder};
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, IntKind, Label, LogicalOp, ObjectId, Program, StepOp, Stmt, StmtId,
    UnaryOp, copy, integer_type,
};

use super::super::stage::Stage;
use super::flow::seen;
use super::trees::{Exits, block, expression};
use super::{Drawn, any_stmt};
use crate::Choices;
use crate::scene::plain;

/// A loop that tests before each round.
struct Loop {
    at: StmtId,
    init: Vec<StmtId>,
    condition: Option<ExprId>,
    step: Option<ExprId>,
    body: StmtId,
    exits: Exits,
}

/// Any loop that ran, or now and then one that did not.
fn any_loop(stage: &Stage<'_>, choices: &mut Choices) -> Option<Loop> {
    let at = any_stmt(stage, choices)?;
    let program = stage.scene.program;
    let (init, condition, step, body) = match &program[at] {
        Stmt::For { init, condition, step, body } => (init.to_vec(), *condition, *step, *body),
        Stmt::While { condition, body } => (Vec::new(), Some(*condition), None, *body),
        _ => return None,
    };
    let exits = Exits::of(program, body);
    let held = matches!(stage.scene.holder_of_stmt(at), Some(Holder::Stmt(_)));
    (held && !exits.cases).then_some(Loop { at, init, condition, step, body, exits })
}

impl Loop {
    /// The statement that takes the place of the loop, after what came before its first round.
    fn replaced(&self, stage: &mut Stage<'_>, stmts: Vec<StmtId>) -> Drawn {
        let with = block(stage, self.init.iter().copied().chain(stmts).collect());
        Some(vec![Change::ReplaceStmt { at: self.at, with }])
    }

    /// A copy of the body, and of the step after it.
    fn round(&self, stage: &mut Stage<'_>) -> Vec<StmtId> {
        let mut stmts = vec![copy::stmt(&mut stage.fresh.program, self.body)];
        stmts.extend(self.copied_step(stage));
        stmts
    }

    fn copied_step(&self, stage: &mut Stage<'_>) -> Option<StmtId> {
        let step = copy::expr(&mut stage.fresh.program, self.step?);
        Some(expression(stage, step))
    }

    fn copied_condition(&self, stage: &mut Stage<'_>) -> ExprId {
        match self.condition {
            Some(condition) => copy::expr(&mut stage.fresh.program, condition),
            None => stage.builder().int(IntKind::Int, 1),
        }
    }
}

/// A loop without anything before its first round.
fn bare(
    stage: &mut Stage<'_>,
    condition: Option<ExprId>,
    step: Option<ExprId>,
    body: StmtId,
) -> StmtId {
    stage.fresh.program.stmts.push(Stmt::For { init: [].into(), condition, step, body })
}

fn branch(stage: &mut Stage<'_>, condition: ExprId, then: StmtId) -> StmtId {
    stage.fresh.program.stmts.push(Stmt::If { condition, then, otherwise: None })
}

/// The first round stands before the loop.
pub(super) fn peel(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let of = any_loop(stage, choices)?;
    if of.exits.any() {
        return None;
    }
    let round = of.round(stage);
    let (condition, round) = (of.copied_condition(stage), block(stage, round));
    let first = branch(stage, condition, round);
    let rest = bare(stage, of.condition, of.step, of.body);
    of.replaced(stage, vec![first, rest])
}

/// Two rounds in one.
pub(super) fn unroll(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let of = any_loop(stage, choices)?;
    if of.exits.continues {
        return None;
    }
    let condition = of.copied_condition(stage);
    let leave = stage.fresh.program.stmts.push(Stmt::Break);
    let not = stage.builder().unary(UnaryOp::Not, condition).ok()?;
    let mut stmts = vec![of.body];
    stmts.extend(of.copied_step(stage));
    stmts.push(branch(stage, not, leave));
    stmts.push(copy::stmt(&mut stage.fresh.program, of.body));
    let body = block(stage, stmts);
    let rest = bare(stage, of.condition, of.step, body);
    of.replaced(stage, vec![rest])
}

/// The loop ends early, and another one goes on.
pub(super) fn split(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let of = any_loop(stage, choices)?;
    let condition = of.condition?;
    let counter = counter(stage.scene.program, condition)?;
    let at = inside(stage, counter.read, choices)?;
    if of.exits.breaks {
        return None;
    }
    let round = copy::stmt(&mut stage.fresh.program, of.body);
    let again = of.copied_condition(stage);
    let step = of.step.map(|step| copy::expr(&mut stage.fresh.program, step));
    let next = bare(stage, Some(again), step, round);
    let read = stage.object(counter.object);
    let at =
        stage.fresh.program.integer(at, stage.fresh.program[counter.object].ty.unqualified())?;
    let at = plain(&stage.fresh.program, at);
    let before = stage.builder().binary(BinaryOp::NotEqual, read, at).ok()?;
    let both = stage.builder().logical(LogicalOp::And, condition, before).ok()?;
    let first = bare(stage, Some(both), of.step, of.body);
    of.replaced(stage, vec![first, next])
}

/// The counter of a loop, as its condition compares it.
struct Counter {
    object: ObjectId,
    read: ExprId,
    limit: ExprId,
    op: BinaryOp,
}

fn counter(program: &Program, condition: ExprId) -> Option<Counter> {
    let ExprKind::Binary(op, left, limit) = program[condition].kind else { return None };
    let read = plain(program, left);
    let ExprKind::Load(place) = program[read].kind else { return None };
    let ExprKind::Object(object) = program[place].kind else { return None };
    integer_type(program, program[object].ty)?;
    Some(Counter { object, read, limit, op })
}

/// A value that an expression had, neither the lowest nor the highest.
fn inside(stage: &Stage<'_>, expr: ExprId, choices: &mut Choices) -> Option<i128> {
    let values = seen(stage, expr)?;
    let low = i64::try_from(values.low).ok()?.checked_add(1)?;
    let high = i64::try_from(values.high).ok()?.checked_sub(1)?;
    (low <= high).then(|| choices.range(low, high).into())
}

/// A loop that counts up by ones counts down.
pub(super) fn reverse(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let of = any_loop(stage, choices)?;
    let program = stage.scene.program;
    let counter = counter(program, of.condition?)?;
    let [init] = of.init[..] else { return None };
    let Stmt::Declare(object) = program[init] else { return None };
    let first = plain(program, program[object].init?);
    let (ExprKind::Int(low), ExprKind::Int(high)) =
        (&program[first].kind, &program[plain(program, counter.limit)].kind)
    else {
        return None;
    };
    let (low, high) = (i128::from(*low), i128::from(*high));
    let last = match counter.op {
        BinaryOp::Less => high - 1,
        BinaryOp::LessEqual => high,
        _ => return None,
    };
    let ty = integer_type(program, program[object].ty)?;
    let step = of.step?;
    let up = matches!(
        program[step].kind,
        ExprKind::Step(StepOp::PreIncrement | StepOp::PostIncrement, target)
            if program[target].kind == ExprKind::Object(object)
    );
    if !up || object != counter.object || last < low || !ty.contains(low - 1) {
        return None;
    }
    let start = stage.fresh.program.integer(last, program.type_of(first))?;
    let (read, target) = (stage.object(object), stage.object(object));
    let limit = stage.fresh.program.literal(low, IntKind::Int)?;
    let down = stage.builder().binary(BinaryOp::GreaterEqual, read, limit).ok()?;
    let back = stage.builder().step(StepOp::PreDecrement, target).ok()?;
    Some(vec![
        Change::ReplaceExpr { at: first, with: start },
        Change::ReplaceExpr { at: of.condition?, with: down },
        Change::ReplaceExpr { at: step, with: back },
    ])
}

/// A loop with `goto`.
pub(super) fn jump(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let of = any_loop(stage, choices)?;
    if of.exits.any() {
        return None;
    }
    let name = stage.fresh.program.names.fresh("again");
    let label = stage.fresh.program.labels.push(Label { name, local: false });
    let mut stmts = vec![of.body];
    if let Some(step) = of.step {
        stmts.push(expression(stage, step));
    }
    stmts.push(stage.fresh.program.stmts.push(Stmt::Goto(label)));
    let then = block(stage, stmts);
    let test = match of.condition {
        Some(condition) => branch(stage, condition, then),
        None => then,
    };
    let labelled = stage.fresh.program.stmts.push(Stmt::Label(label, test));
    of.replaced(stage, vec![labelled])
}

/// A `for` becomes a `while`, a `while` becomes a `for` or a `do`, and a `do` a `while`.
pub(super) fn form(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = any_stmt(stage, choices)?;
    let program = stage.scene.program;
    let held = matches!(stage.scene.holder_of_stmt(at), Some(Holder::Stmt(_)));
    let with = match program[at].clone() {
        Stmt::While { condition, body } if choices.chance(50) => {
            Stmt::For { init: [].into(), condition: Some(condition), step: None, body }
        }
        Stmt::While { condition, body } => {
            let first = copy::expr(&mut stage.fresh.program, condition);
            let then = stage.fresh.program.stmts.push(Stmt::DoWhile { body, condition });
            Stmt::If { condition: first, then, otherwise: None }
        }
        Stmt::DoWhile { body, condition } if !Exits::of(program, body).any() => {
            let first = copy::stmt(&mut stage.fresh.program, body);
            let rest = stage.fresh.program.stmts.push(Stmt::While { condition, body });
            Stmt::Block([first, rest].into())
        }
        Stmt::For { init, condition, step, body } if !Exits::of(program, body).continues => {
            let condition = match condition {
                Some(condition) => condition,
                None => stage.builder().int(IntKind::Int, 1),
            };
            let mut stmts = vec![body];
            if let Some(step) = step {
                stmts.push(expression(stage, step));
            }
            let body = block(stage, stmts);
            let rest = stage.fresh.program.stmts.push(Stmt::While { condition, body });
            Stmt::Block(init.iter().copied().chain([rest]).collect())
        }
        _ => return None,
    };
    let with = stage.fresh.program.stmts.push(with);
    held.then(|| vec![Change::ReplaceStmt { at, with }])
}
