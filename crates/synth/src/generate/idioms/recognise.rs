//! Idioms in a program that exists, however they got there.

use std::sync::LazyLock;

use farrier_lang::{ExprId, ExprKind, Program, UnaryOp};

use super::TEMPLATES;
use super::template::{Node, VALUES};

/// The operators that an expression must have to be no idiom by chance.
const FEWEST_OPERATORS: usize = 4;

/// The rows that have them.
static LONG: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let long = |row: &usize| TEMPLATES[*row].node.operators() >= FEWEST_OPERATORS;
    (0..TEMPLATES.len()).filter(long).collect()
});

/// Whether an expression is an idiom that is not there by chance.
pub(crate) fn is_idiom(program: &Program, expr: ExprId) -> bool {
    let operates = matches!(
        program[expr].kind,
        ExprKind::Binary(..)
            | ExprKind::Logical(..)
            | ExprKind::Unary(..)
            | ExprKind::Conditional { .. }
    );
    operates && LONG.iter().any(|row| recognised(program, expr, *row))
}

/// Whether an expression is an instance of a row of the table.
pub(super) fn recognised(program: &Program, expr: ExprId, row: usize) -> bool {
    matches(program, &TEMPLATES[row].node, expr, &mut [None; VALUES.len()])
}

/// The expression without what is not written in an idiom.
fn bare(program: &Program, expr: ExprId) -> ExprId {
    match program[expr].kind {
        ExprKind::Convert(inner) | ExprKind::Guard { operand: inner, .. } => bare(program, inner),
        _ => expr,
    }
}

/// Whether it is a constant: a number, perhaps with a sign, or the lowest of a type.
fn is_constant(program: &Program, expr: ExprId) -> bool {
    match program[bare(program, expr)].kind {
        ExprKind::Int(_) | ExprKind::EnumConstant(_) => true,
        ExprKind::Unary(UnaryOp::Minus, inner) => is_constant(program, inner),
        ExprKind::Binary(_, left, right) => {
            is_constant(program, left) && is_constant(program, right)
        }
        _ => false,
    }
}

/// Whether two expressions are written alike.
fn alike(program: &Program, left: ExprId, right: ExprId) -> bool {
    let (left, right) = (bare(program, left), bare(program, right));
    let (one, other) = (&program[left].kind, &program[right].kind);
    let same = match (one, other) {
        (ExprKind::Int(one), ExprKind::Int(other)) => one == other,
        (ExprKind::Object(one), ExprKind::Object(other)) => one == other,
        (ExprKind::Binary(one, ..), ExprKind::Binary(other, ..)) => one == other,
        (ExprKind::Unary(one, _), ExprKind::Unary(other, _)) => one == other,
        (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
    };
    let operands = |kind: &ExprKind| {
        let mut found = Vec::new();
        kind.for_each_operand(|operand| found.push(operand));
        found
    };
    let (one, other) = (operands(one), operands(other));
    same && one.len() == other.len()
        && one.into_iter().zip(other).all(|(one, other)| alike(program, one, other))
}

/// Whether an expression is this part of an idiom, with these values so far.
fn matches(
    program: &Program,
    node: &Node,
    expr: ExprId,
    values: &mut [Option<ExprId>; VALUES.len()],
) -> bool {
    let expr = bare(program, expr);
    let mut all = |parts: &[Node], operands: &[ExprId]| {
        parts.iter().zip(operands).all(|(node, expr)| matches(program, node, *expr, values))
    };
    match (node, &program[expr].kind) {
        (Node::Value(index), kind) => {
            // A value may be seen without its sign.
            let expr = match kind {
                ExprKind::Cast(inner) if *index == 0 => bare(program, *inner),
                _ => expr,
            };
            *values[*index].get_or_insert(expr) == expr
                || values[*index].is_some_and(|old| alike(program, old, expr))
        }
        (node, ExprKind::Cast(inner)) if !matches!(node, Node::Cast(..)) && !node.is_leaf() => {
            matches(program, node, *inner, values)
        }
        (Node::Cast(_, node), ExprKind::Cast(inner)) => matches(program, node, *inner, values),
        (Node::Unary(op, node), ExprKind::Unary(other, inner)) => {
            op == other && matches(program, node, *inner, values)
        }
        (Node::Binary(ops, parts), ExprKind::Binary(op, left, right)) => {
            ops.contains(op) && all(&parts[..], &[*left, *right])
        }
        (Node::Logical(ops, parts), ExprKind::Logical(op, left, right)) => {
            ops.contains(op) && all(&parts[..], &[*left, *right])
        }
        (Node::Select(parts), ExprKind::Conditional { condition, then: Some(then), otherwise }) => {
            all(&parts[..], &[*condition, *then, *otherwise])
        }
        (Node::Bits(name, node), ExprKind::Builtin(builtin, arguments)) => {
            builtin.name().contains(name) && matches(program, node, arguments[0], values)
        }
        (Node::Overflow(name, parts, _), ExprKind::Builtin(builtin, arguments)) => {
            builtin.name().contains(name) && all(&parts[..], arguments)
        }
        (node, _) => node.is_leaf() && is_constant(program, expr),
    }
}
