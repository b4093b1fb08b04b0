//! Other operators, constants and conditions.

use farrier_lang::edit::{Change, Holder};
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, IntKind, LogicalOp, Program, StepOp, Stmt, StmtId, Type, TypeId,
    UnaryOp, integer_type,
};

use super::super::stage::Stage;
use super::flow::{Range, binary, object_survives, seen, survives};
use super::{Drawn, any_expr, any_stmt, is_dead};
use crate::Choices;
use crate::scene::{plain, root};

/// Operators on numbers that stand for each other.
const ARITHMETIC: &[BinaryOp] = {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
    &[Add, Sub, Mul, BitAnd, BitOr, BitXor, Shl, Shr, Div, Rem]
};

/// Those that floating values have, too.
const FLOATING: &[BinaryOp] = &[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul];

/// Comparisons that stand for each other.
const COMPARISONS: &[BinaryOp] = {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    &[Less, Greater, LessEqual, GreaterEqual, Equal, NotEqual]
};

/// How many constants are tried in one place.
const CONSTANTS: u32 = 6;

/// How often code that never runs is changed, in percent.
const DEAD: u32 = 15;

/// How often the bound of a loop moves out, in percent, where that might be defined.
const WIDER: u32 = 25;

/// An operator that can stand for another.
fn other_operator(op: BinaryOp, floating: bool, choices: &mut Choices) -> BinaryOp {
    let all = match (op.is_comparison(), floating) {
        (true, _) => COMPARISONS,
        (false, true) => FLOATING,
        (false, false) => ARITHMETIC,
    };
    choices.pick(all)
}

/// Another operator between two numbers.
pub(super) fn operator(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = any_expr(stage, choices)?;
    let program = stage.scene.program;
    let ExprKind::Binary(old, left, right) = program[at].kind else { return None };
    let of = program.type_of(left);
    let floating = matches!(program.resolve(of), Type::Float(_));
    let numbers = floating || program.is_integer(of) && program.is_integer(program.type_of(right));
    let op = other_operator(old, floating, choices);
    if !numbers || op == old || is_in_loop_condition(stage, at) {
        return None;
    }
    if is_dead(stage, at) {
        return choices.chance(DEAD).then(|| rebuilt(stage, at, op, left, right)).flatten();
    }
    let result = match (floating, op.is_comparison()) {
        (true, false) => return rebuilt(stage, at, op, left, right),
        (true, true) => Range::TRUTH,
        _ => binary(integer_type(program, of)?, op, seen(stage, left)?, seen(stage, right)?)?,
    };
    survives(stage, at, result).then(|| rebuilt(stage, at, op, left, right)).flatten()
}

/// The change that puts another operator between two operands.
fn rebuilt(stage: &mut Stage<'_>, at: ExprId, op: BinaryOp, left: ExprId, right: ExprId) -> Drawn {
    let program = stage.scene.program;
    let (left, right) = (plain(program, left), plain(program, right));
    let with = stage.builder().binary(op, left, right).ok()?;
    Some(vec![Change::ReplaceExpr { at, with: of_type(stage, with, program.type_of(at))? }])
}

/// A value as one of type `ty`, by a cast where it has another type.
pub(super) fn of_type(stage: &mut Stage<'_>, value: ExprId, ty: TypeId) -> Option<ExprId> {
    if stage.fresh.program.type_of(value) == ty {
        return Some(value);
    }
    stage.builder().cast(value, ty).ok()
}

/// `&&` becomes `||`, and the other way round.
pub(super) fn logical(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = any_expr(stage, choices)?;
    let program = stage.scene.program;
    let ExprKind::Logical(old, left, right) = program[at].kind else { return None };
    let (op, guarded) = match old {
        LogicalOp::And => (LogicalOp::Or, seen(stage, left).is_some_and(|it| it.contains(0))),
        LogicalOp::Or => (LogicalOp::And, seen(stage, left) != Some(Range::only(0))),
    };
    let safe = !guarded || is_total(program, right);
    let defined = is_dead(stage, at) || safe && survives(stage, at, Range::TRUTH);
    if !defined || is_in_loop_condition(stage, at) {
        return None;
    }
    let with = stage.builder().logical(op, left, right).ok()?;
    Some(vec![Change::ReplaceExpr { at, with }])
}

/// Whether an expression has a value whatever its operands are.
fn is_total(program: &Program, expr: ExprId) -> bool {
    let mut total = match program[expr].kind {
        ExprKind::Binary(op, ..) => op.is_comparison() || FLAT.contains(&op),
        ref kind => !kind.acts() && !matches!(kind, ExprKind::Index(..) | ExprKind::Deref(_)),
    };
    program[expr].kind.for_each_operand(|operand| total = total && is_total(program, operand));
    total
}

/// Operators that are defined for all operands.
const FLAT: &[BinaryOp] = &[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor];

/// Another operator in a compound assignment; `++` and `--` for each other.
pub(super) fn assignment(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = any_expr(stage, choices)?;
    let program = stage.scene.program;
    if is_loop_step(stage, at) {
        return None;
    }
    let (target, values, with) = match program[at].kind {
        ExprKind::CompoundAssign { op: old, target, value, computation } => {
            let of = integer_type(program, computation)?;
            let op = other_operator(old, false, choices);
            if op == old {
                return None;
            }
            let current = super::flow::values_of(stage, root(program, target)?)?;
            let values = binary(of, op, current, seen(stage, value)?)?;
            let value = plain(program, value);
            (target, values, stage.builder().compound_assign(op, target, value).ok()?)
        }
        ExprKind::Step(old, target) => {
            let ty = integer_type(program, program.type_of(target))?;
            let values = seen(stage, at)?.widened(2);
            let op = other_step(old, choices);
            if !values.is_in(ty) {
                return None;
            }
            (target, values, stage.builder().step(op, target).ok()?)
        }
        _ => return None,
    };
    let object = root(program, target)?;
    let survives = survives(stage, at, values) && object_survives(stage, object, values);
    survives.then(|| vec![Change::ReplaceExpr { at, with }])
}

fn other_step(old: StepOp, choices: &mut Choices) -> StepOp {
    use StepOp::{PostDecrement, PostIncrement, PreDecrement, PreIncrement};
    let all = [PreIncrement, PreDecrement, PostIncrement, PostDecrement];
    let others: Vec<StepOp> = all.into_iter().filter(|op| *op != old).collect();
    choices.pick(&others)
}

/// Another constant: a border of its type, a power of two or beside one, another one of
/// the program, or the next.
pub(super) fn constant(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = any_expr(stage, choices)?;
    let program = stage.scene.program;
    let ExprKind::Int(old) = program[at].kind else { return None };
    let Type::Int(kind) = *program.resolve(program.type_of(at)) else { return None };
    if !is_changeable(stage, at) || is_in_loop_condition(stage, at) {
        return None;
    }
    // The border of the type that it becomes is of more interest than its own.
    let wanted =
        stage.scene.parent(at).filter(|it| matches!(program[*it].kind, ExprKind::Convert(_)));
    let wanted = integer_type(program, program.type_of(wanted.unwrap_or(at)))?;
    let dead = is_dead(stage, at);
    for _ in 0..CONSTANTS {
        let new = other_constant(stage, old.into(), wanted, choices);
        if new == i128::from(old) || dead && !choices.chance(DEAD) {
            continue;
        }
        if dead || survives(stage, at, Range::only(new)) {
            let with = stage.fresh.program.literal(new, kind);
            let Some(with) = with.or_else(|| wider(stage, new, kind)) else { continue };
            let with = of_type(stage, with, program.type_of(at))?;
            return Some(vec![Change::ReplaceExpr { at, with }]);
        }
    }
    None
}

/// A constant that the type itself has not, as one that has it.
fn wider(stage: &mut Stage<'_>, value: i128, kind: IntKind) -> Option<ExprId> {
    let kinds = [kind.to_unsigned(), IntKind::LongLong, IntKind::ULongLong];
    kinds.into_iter().find_map(|kind| stage.fresh.program.literal(value, kind))
}

fn other_constant(
    stage: &Stage<'_>,
    old: i128,
    ty: farrier_lang::IntegerType,
    choices: &mut Choices,
) -> i128 {
    let high = i128::try_from(ty.max()).unwrap_or(i128::MAX);
    let near =
        |choices: &mut Choices, value: i128| value.saturating_add(choices.range(-1, 1).into());
    let value = match choices.below(6) {
        0 => near(choices, ty.min()),
        1 => near(choices, high),
        2 => {
            let bits = choices.below(ty.bits.min(63).into());
            near(choices, 1_i128 << bits)
        }
        3 => old + i128::from(choices.pick(&[-1, 1])),
        4 => (0..20).find_map(|_| another(stage, choices)).unwrap_or(old),
        _ => i128::from(choices.range(-3, 3)),
    };
    if ty.contains(value) { value } else { old }
}

/// The value of a constant somewhere in the program.
fn another(stage: &Stage<'_>, choices: &mut Choices) -> Option<i128> {
    match stage.scene.program[any_expr(stage, choices)?].kind {
        ExprKind::Int(value) => Some(value.into()),
        _ => None,
    }
}

/// Whether a constant can be another without making the program ill-formed.
fn is_changeable(stage: &Stage<'_>, expr: ExprId) -> bool {
    let program = stage.scene.program;
    match stage.scene.holder_of_expr(expr) {
        Some(Holder::Expr(parent)) => match program[parent].kind {
            ExprKind::Builtin(..) | ExprKind::Offsetof(..) => false,
            _ => is_changeable(stage, parent),
        },
        Some(Holder::Stmt(stmt)) => !matches!(program[stmt], Stmt::Case { .. }),
        Some(Holder::Object(_)) => true,
        _ => false,
    }
}

/// The two sides of a branch change places.
pub(super) fn negation(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = match stage.scene.program[any_stmt(stage, choices)?] {
        Stmt::If { condition, .. } => condition,
        _ => return None,
    };
    if !is_dead(stage, at) && !survives(stage, at, negated(stage, at)) {
        return None;
    }
    let with = stage.builder().unary(UnaryOp::Not, at).ok()?;
    Some(vec![Change::ReplaceExpr { at, with }])
}

/// The truth values of a condition that is negated, as values that it does not have yet.
fn negated(stage: &Stage<'_>, condition: ExprId) -> Range {
    match seen(stage, condition) {
        Some(Range { low: 0, high: 0 }) => Range::only(1),
        Some(range) if !range.contains(0) => Range::only(0),
        _ => Range { low: -1, high: 1 },
    }
}

/// The constant in the condition of a loop becomes another, or the step of its counter.
pub(super) fn bound(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let stmt = any_stmt(stage, choices)?;
    let program = stage.scene.program;
    let (condition, step) = match program[stmt] {
        Stmt::For { condition, step, .. } => (condition?, step),
        Stmt::While { condition, .. } | Stmt::DoWhile { condition, .. } => (condition, None),
        _ => return None,
    };
    if let Some(step) = step
        && choices.chance(50)
    {
        return stride(stage, step, choices);
    }
    let ExprKind::Binary(op, left, right) = program[condition].kind else { return None };
    let (counter, at) = (plain(program, left), plain(program, right));
    let (ExprKind::Int(old), Some(values)) = (&program[at].kind, seen(stage, counter)) else {
        return None;
    };
    let Type::Int(kind) = *program.resolve(program.type_of(at)) else { return None };
    let old = i128::from(*old);
    let out = i128::from(choices.range(1, 3));
    let wider = choices.chance(WIDER) && !indexes(stage, stmt);
    let new = match op {
        BinaryOp::Less | BinaryOp::LessEqual if wider => old + out,
        BinaryOp::Less | BinaryOp::LessEqual => inside(values.low, old, choices)?,
        BinaryOp::Greater | BinaryOp::GreaterEqual if wider => old - out,
        BinaryOp::Greater | BinaryOp::GreaterEqual => inside(values.high, old, choices)?,
        _ => return None,
    };
    let with = stage.fresh.program.literal(new, kind)?;
    Some(vec![Change::ReplaceExpr { at, with }])
}

/// A number between two, not the second.
fn inside(one: i128, other: i128, choices: &mut Choices) -> Option<i128> {
    let (low, high) = if one < other { (one, other - 1) } else { (other + 1, one) };
    let (low, high) = (i64::try_from(low).ok()?, i64::try_from(high).ok()?);
    (low <= high).then(|| choices.range(low, high).into())
}

/// Whether a statement has a subscript or a pointer that is followed.
fn indexes(stage: &Stage<'_>, stmt: StmtId) -> bool {
    let program = stage.scene.program;
    let mut exprs = stage.scene.exprs();
    exprs.any(|expr| {
        matches!(program[expr].kind, ExprKind::Index(..) | ExprKind::Deref(_))
            && stage.scene.statement_of(expr).is_some_and(|it| stage.scene.is_inside(it, stmt))
    })
}

/// The step of a counter becomes larger.
fn stride(stage: &mut Stage<'_>, at: ExprId, choices: &mut Choices) -> Drawn {
    let program = stage.scene.program;
    let (op, target, old) = match program[at].kind {
        ExprKind::Step(StepOp::PreIncrement | StepOp::PostIncrement, target) => {
            (BinaryOp::Add, target, 1)
        }
        ExprKind::Step(_, target) => (BinaryOp::Sub, target, 1),
        ExprKind::CompoundAssign {
            op: op @ (BinaryOp::Add | BinaryOp::Sub),
            target,
            value,
            ..
        } => {
            let ExprKind::Int(old) = program[plain(program, value)].kind else { return None };
            (op, target, i128::from(old))
        }
        _ => return None,
    };
    let ty = integer_type(program, program.type_of(target))?;
    let by = old + i128::from(choices.range(1, 4));
    if !seen(stage, at)?.widened(by).is_in(ty) {
        return None;
    }
    let by = stage.fresh.program.literal(by, IntKind::Int)?;
    let with = stage.builder().compound_assign(op, target, by).ok()?;
    Some(vec![Change::ReplaceExpr { at, with }])
}

/// Whether an expression is the step of a loop.
fn is_loop_step(stage: &Stage<'_>, expr: ExprId) -> bool {
    match stage.scene.holder_of_expr(expr) {
        Some(Holder::Stmt(stmt)) => {
            matches!(stage.scene.program[stmt], Stmt::For { step, .. } if step == Some(expr))
        }
        Some(Holder::Expr(parent)) => {
            matches!(stage.scene.program[parent].kind, ExprKind::Comma(..))
                && is_loop_step(stage, parent)
        }
        _ => false,
    }
}

/// Whether an expression is a part of the condition of a loop.
fn is_in_loop_condition(stage: &Stage<'_>, expr: ExprId) -> bool {
    match stage.scene.holder_of_expr(expr) {
        Some(Holder::Expr(parent)) => is_in_loop_condition(stage, parent),
        Some(Holder::Stmt(stmt)) => matches!(
            stage.scene.program[stmt],
            Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. }
        ),
        _ => false,
    }
}
