//! Predicates that were true at every visit of a place.

use farrier_lang::{BinaryOp, ExprId, StmtId, Types, integer_type};
use farrier_machine::{Observed, Tuples};

use super::told::read;
use crate::Choices;
use crate::mutate::stage::Stage;

/// So many predicates are tried at a place before a row gives up.
const TRIES: usize = 8;

/// How far a constant may be from the values that were seen: up to two to the power of this.
const FAR: u64 = 12;

/// A place before a statement of a block, and what was true there.
pub(super) struct Place {
    pub(super) block: StmtId,
    pub(super) before: StmtId,
    pub(super) holds: ExprId,
}

/// A place that is reached, with a predicate.
pub(super) fn at_some_point(stage: &mut Stage<'_>, choices: &mut Choices) -> Option<Place> {
    let points = stage.live_points();
    for _ in 0..TRIES {
        let index = choices.pick_any(&points)?;
        if let Some(holds) = predicate(stage, index, choices) {
            let point = &stage.points[index];
            return Some(Place { block: point.block, before: point.stmt, holds });
        }
        stage.discard();
    }
    None
}

/// What a predicate is about.
enum Claim {
    /// An object and a constant.
    Constant(usize, BinaryOp, i128),
    /// Some bits of an object.
    Bits(usize, i128, i128),
    /// Two objects of the same type.
    Pair(usize, BinaryOp, usize),
    /// A pointer is not null.
    NotNull(usize),
    /// A floating value is no NaN, or not below a bound.
    Ordered(usize),
}

fn predicate(stage: &mut Stage<'_>, index: usize, choices: &mut Choices) -> Option<ExprId> {
    let point = &stage.points[index];
    let watched = point.watched.clone();
    let tuples = stage.visits(point)?;
    if tuples.count != point.visits {
        return None;
    }
    let column = choices.index(watched.len().max(1));
    watched.get(column)?;
    let claim = claim(stage, &watched, tuples, column, choices)?;
    let object = |stage: &mut Stage<'_>, column: usize| read(stage, watched[column]);
    match claim {
        Claim::Constant(column, op, value) => {
            let left = object(stage, column);
            let ty = stage.fresh.program[watched[column]].ty.unqualified();
            let right = stage.fresh.program.integer(value, ty)?;
            stage.builder().binary(op, left, right).ok()
        }
        Claim::Bits(column, mask, value) => {
            let left = object(stage, column);
            let ty = stage.fresh.program[watched[column]].ty.unqualified();
            let mask = stage.fresh.program.integer(mask, ty)?;
            let value = stage.fresh.program.integer(value, ty)?;
            let bits = stage.builder().binary(BinaryOp::BitAnd, left, mask).ok()?;
            stage.builder().binary(BinaryOp::Equal, bits, value).ok()
        }
        Claim::Pair(left, op, right) => {
            let (left, right) = (object(stage, left), object(stage, right));
            stage.builder().binary(op, left, right).ok()
        }
        Claim::NotNull(column) => {
            let left = object(stage, column);
            let zero = stage.fresh.program.integer(0, Types::INT)?;
            stage.builder().binary(BinaryOp::NotEqual, left, zero).ok()
        }
        Claim::Ordered(column) => {
            let (left, right) = (object(stage, column), object(stage, column));
            stage.builder().binary(BinaryOp::Equal, left, right).ok()
        }
    }
}

fn claim(
    stage: &Stage<'_>,
    watched: &[farrier_lang::ObjectId],
    tuples: &Tuples,
    column: usize,
    choices: &mut Choices,
) -> Option<Claim> {
    let program = stage.scene.program;
    let ty = program[watched[column]].ty.unqualified();
    let seen: Vec<Observed> = tuples.few.iter().map(|tuple| tuple[column]).collect();
    let Some((low, high)) = tuples.ranges[column] else {
        let all = |of: fn(&Observed) -> bool| !tuples.more && seen.iter().all(of);
        if all(|value| *value == Observed::Address) && program.pointee(ty).is_some() {
            return Some(Claim::NotNull(column));
        }
        let number = |value: &Observed| matches!(value, Observed::Float(it) if !it.is_nan());
        return all(number).then_some(Claim::Ordered(column));
    };
    let integer = integer_type(program, ty).filter(|ty| ty.bits <= 64)?;
    let fits = |value: i128| integer.contains(value).then_some(value);
    let most = 1 << choices.below(FAR);
    let far = i128::from(choices.below(most));
    match choices.below(5) {
        0 => Some(Claim::Constant(column, BinaryOp::GreaterEqual, fits(low - far)?)),
        1 => Some(Claim::Constant(column, BinaryOp::LessEqual, fits(high + far)?)),
        2 if low == high => Some(Claim::Constant(column, BinaryOp::Equal, low)),
        2 => {
            let value = low + far % (high - low);
            let absent = !tuples.more && !seen.contains(&Observed::Integer(value));
            let value = if absent { value } else { fits(high + 1 + far)? };
            Some(Claim::Constant(column, BinaryOp::NotEqual, value))
        }
        3 if !tuples.more => bits(column, &seen, choices),
        _ if !tuples.more => pair(stage, watched, tuples, column, choices),
        _ => None,
    }
}

/// Low bits that were always the same.
fn bits(column: usize, seen: &[Observed], choices: &mut Choices) -> Option<Claim> {
    let numbers = seen.iter().map(|value| match value {
        Observed::Integer(number) => Some(*number),
        _ => None,
    });
    let numbers: Vec<i128> = numbers.collect::<Option<_>>()?;
    let first = *numbers.first()?;
    let changed = numbers.iter().fold(0, |bits, number| bits | (number ^ first));
    let mask = !changed & ((1 << (1 + choices.below(15))) - 1);
    (mask != 0).then_some(Claim::Bits(column, mask, first & mask))
}

/// A relation between two objects of one type that each visit had.
fn pair(
    stage: &Stage<'_>,
    watched: &[farrier_lang::ObjectId],
    tuples: &Tuples,
    column: usize,
    choices: &mut Choices,
) -> Option<Claim> {
    let program = stage.scene.program;
    let ty = |column: usize| program[watched[column]].ty.unqualified();
    let others: Vec<usize> = (0..watched.len())
        .filter(|other| *other != column && ty(*other) == ty(column))
        .filter(|other| tuples.ranges[*other].is_some())
        .collect();
    let other = choices.pick_any(&others)?;
    let always = |holds: fn(i128, i128) -> bool| {
        tuples.few.iter().all(|tuple| match (tuple[column], tuple[other]) {
            (Observed::Integer(left), Observed::Integer(right)) => holds(left, right),
            _ => false,
        })
    };
    let mut ops = [
        (BinaryOp::Less, always(|left, right| left < right)),
        (BinaryOp::LessEqual, always(|left, right| left <= right)),
        (BinaryOp::Equal, always(|left, right| left == right)),
        (BinaryOp::NotEqual, always(|left, right| left != right)),
        (BinaryOp::GreaterEqual, always(|left, right| left >= right)),
        (BinaryOp::Greater, always(|left, right| left > right)),
    ];
    choices.shuffle(&mut ops);
    let (op, _) = ops.into_iter().find(|(_, holds)| *holds)?;
    Some(Claim::Pair(column, op, other))
}
