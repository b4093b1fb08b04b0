//! Conditions that are false at every visit of a spot, in ways that the text does not tell.

use farrier_lang::{BinaryOp, ExprId, ExprKind, IntegerType, LogicalOp, ObjectId, integer_type};
use farrier_machine::Observed;

use super::{Enricher, Spot};
use crate::features::Feature;

/// A form of a condition.
struct Form {
    weight: u32,
    needs: &'static [Feature],
    make: fn(&mut Enricher<'_>, &Spot) -> Option<ExprId>,
}

const fn form(
    weight: u32,
    needs: &'static [Feature],
    make: fn(&mut Enricher<'_>, &Spot) -> Option<ExprId>,
) -> Form {
    Form { weight, needs, make }
}

/// Every form.
#[rustfmt::skip]
static FORMS: &[Form] = &[
    form(6, &[Feature::Comparison], beyond),
    form(4, &[Feature::Comparison], between),
    form(5, &[Feature::Bitwise], unset_bits),
    form(3, &[Feature::Bitwise, Feature::Comparison], set_bits),
    form(5, &[Feature::Comparison], two_variables),
    form(4, &[Feature::Comparison, Feature::Arithmetic], |it, spot| combined(it, spot, &[BinaryOp::Add, BinaryOp::Sub])),
    form(3, &[Feature::Comparison, Feature::Multiplication], |it, spot| combined(it, spot, &[BinaryOp::Mul])),
    form(3, &[Feature::Comparison, Feature::Bitwise], |it, spot| combined(it, spot, &[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor])),
    form(4, &[Feature::Comparison, Feature::Logical], chain),
];

/// How often another form is tried where one cannot be had.
const TRIES: u32 = 4;

/// How far beyond all values the constants of comparisons lie, at most.
const BEYOND: u64 = 3;

impl Enricher<'_> {
    /// A condition that is false at every visit of a spot, as far as the text does not tell.
    /// At a spot that was never reached, it may be any.
    pub(super) fn never(&mut self, spot: &Spot) -> Option<ExprId> {
        let weight = |form: &Form| match form.needs.iter().all(|need| self.weights.has(*need)) {
            true => form.weight,
            false => 0,
        };
        let weights: Vec<u32> = FORMS.iter().map(weight).collect();
        (0..TRIES).find_map(|_| {
            let index = self.choices.weighted(&weights)?;
            (FORMS[index].make)(self, spot)
        })
    }

    /// The integers of a spot with the lowest and the highest value that each had there.
    pub(super) fn ranges(&self, spot: &Spot) -> Vec<(ObjectId, IntegerType, (i128, i128))> {
        let visits = self.profile.visits(spot.stmt);
        let known = spot.objects.iter().enumerate().filter_map(|(index, object)| {
            let integer = integer_type(self.program, self.program[*object].ty)?;
            // Those without a sign are not in their order there.
            let orderly = integer.signed || integer.bits < 128;
            let range = match visits {
                Some(visits) => visits.ranges[index]?,
                None => (0, 0),
            };
            orderly.then_some((*object, integer, range))
        });
        known.collect()
    }

    /// Two integers of a spot with all the values that they had together.
    fn pairs(&mut self, spot: &Spot) -> Option<([ObjectId; 2], Vec<[i128; 2]>)> {
        let known = self.ranges(spot);
        let first = self.choices.pick_any(&known)?.0;
        let second = self.choices.pick_any(&known)?.0;
        let place = |object| spot.objects.iter().position(|it| *it == object);
        let (at, and) = (place(first)?, place(second)?);
        let Some(visits) = self.profile.visits(spot.stmt) else {
            return Some(([first, second], Vec::new()));
        };
        let pair = |tuple: &[Observed]| match (tuple[at], tuple[and]) {
            (Observed::Integer(left), Observed::Integer(right)) => Some([left, right]),
            _ => None,
        };
        let pairs = visits.few.iter().map(|tuple| pair(tuple)).collect::<Option<_>>()?;
        (first != second && !visits.more).then_some(([first, second], pairs))
    }

    /// A comparison with a number that the type of the value has, so that it is one of numbers.
    fn compare(&mut self, op: BinaryOp, value: ExprId, constant: i128) -> Option<ExprId> {
        let constant = self.constant(constant)?;
        self.builder().binary(op, value, constant).ok()
    }

    /// A comparison of a value that is between these with something beyond them.
    fn compare_beyond(
        &mut self,
        value: ExprId,
        integer: IntegerType,
        (low, high): (i128, i128),
    ) -> Option<ExprId> {
        let above = high.checked_add(1 + self.choices.below(BEYOND) as i128)?;
        let below = low.checked_sub(1 + self.choices.below(BEYOND) as i128)?;
        let (op, constant) = match self.choices.below(6) {
            0 => (BinaryOp::Greater, high),
            1 => (BinaryOp::Less, low),
            2 => (BinaryOp::Equal, above),
            3 => (BinaryOp::Equal, below),
            4 => (BinaryOp::GreaterEqual, above),
            _ => (BinaryOp::LessEqual, below),
        };
        if !integer.contains(constant) {
            return None;
        }
        self.compare(op, value, constant)
    }
}

/// `x > 17`
fn beyond(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<ExprId> {
    let known = enricher.ranges(spot);
    let (object, integer, range) = enricher.choices.pick_any(&known)?;
    let value = enricher.load(object);
    enricher.compare_beyond(value, integer, range)
}

/// `x == 3`, where it is lower or higher at every visit.
fn between(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<ExprId> {
    let known = enricher.ranges(spot);
    let (object, integer, (low, high)) = enricher.choices.pick_any(&known)?;
    let values = enricher.values(spot, object)?;
    let room = u64::try_from(high - low).ok()?.checked_add(BEYOND)?;
    let constant = low + enricher.choices.below(room) as i128;
    if values.contains(&constant) || !integer.contains(constant) {
        return None;
    }
    let value = enricher.load(object);
    enricher.compare(BinaryOp::Equal, value, constant)
}

/// One or two of the bits that are set.
fn some_bits(enricher: &mut Enricher<'_>, bits: u64) -> Option<i128> {
    let ones: Vec<u32> = (0..64).filter(|bit| bits >> bit & 1 == 1).collect();
    let first = enricher.choices.pick_any(&ones)?;
    let second = enricher.choices.pick_any(&ones)?;
    Some(1 << first | 1 << second)
}

/// The integers of a spot with all values, as bits of their type.
fn bits_of(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<(ObjectId, u64, Vec<u64>)> {
    let known = enricher.ranges(spot);
    let (object, integer, _) = enricher.choices.pick_any(&known)?;
    let values = enricher.values(spot, object)?;
    let mask = u64::MAX.checked_shr(64_u32.checked_sub(integer.bits)?)?;
    Some((object, mask, values.iter().map(|value| *value as u64 & mask).collect()))
}

/// `x & 24`, where these bits are never set.
fn unset_bits(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<ExprId> {
    let (object, mask, values) = bits_of(enricher, spot)?;
    let unset = mask & !values.iter().fold(0, |all, value| all | value);
    let bits = some_bits(enricher, unset)?;
    let (value, bits) = (enricher.load(object), enricher.constant(bits)?);
    enricher.builder().binary(BinaryOp::BitAnd, value, bits).ok()
}

/// `(x & 24) == 0`, where these bits are always set.
fn set_bits(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<ExprId> {
    let (object, mask, values) = bits_of(enricher, spot)?;
    let set = values.iter().fold(mask, |all, value| all & value);
    let bits = some_bits(enricher, set)?;
    let (value, bits) = (enricher.load(object), enricher.constant(bits)?);
    let masked = enricher.builder().binary(BinaryOp::BitAnd, value, bits).ok()?;
    enricher.compare(BinaryOp::Equal, masked, 0)
}

/// `x == y`
fn two_variables(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<ExprId> {
    let ([first, second], pairs) = enricher.pairs(spot)?;
    let op = enricher.choices.pick(&[
        BinaryOp::Equal,
        BinaryOp::Equal,
        BinaryOp::Less,
        BinaryOp::Greater,
        BinaryOp::LessEqual,
        BinaryOp::GreaterEqual,
    ]);
    let (left, right) = (enricher.load(first), enricher.load(second));
    let condition = enricher.builder().binary(op, left, right).ok()?;
    let ExprKind::Binary(_, left, _) = enricher.program[condition].kind else { return None };
    let common = integer_type(enricher.program, enricher.program.type_of(left))?;
    let holds = |[left, right]: &[i128; 2]| {
        common.binary(op, common.wrap(*left), common.wrap(*right)) != Ok(0)
    };
    (!pairs.iter().any(holds)).then_some(condition)
}

/// `x + y == 17`
fn combined(enricher: &mut Enricher<'_>, spot: &Spot, ops: &[BinaryOp]) -> Option<ExprId> {
    let ([first, second], pairs) = enricher.pairs(spot)?;
    let op = enricher.choices.pick(ops);
    let (left, right) = (enricher.load(first), enricher.load(second));
    let value = enricher.builder().binary(op, left, right).ok()?;
    let integer = integer_type(enricher.program, enricher.program.type_of(value))?;
    if integer.bits > 64 {
        return None;
    }
    let result =
        |pair: &[i128; 2]| integer.binary(op, integer.wrap(pair[0]), integer.wrap(pair[1])).ok();
    let results: Vec<i128> = pairs.iter().map(result).collect::<Option<_>>()?;
    let range = results.iter().min().copied().zip(results.iter().max().copied());
    enricher.compare_beyond(value, integer, range.unwrap_or((0, 0)))
}

/// `x < 9 && y == 5`, where the second is false, or the first.
fn chain(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<ExprId> {
    let known = enricher.ranges(spot);
    let (object, integer, (low, high)) = enricher.choices.pick_any(&known)?;
    let constant = enricher.choices.pick(&[low, high]);
    let ops = [BinaryOp::NotEqual, BinaryOp::LessEqual, BinaryOp::GreaterEqual, BinaryOp::Equal];
    let op = enricher.choices.pick(&ops);
    if !integer.contains(constant) {
        return None;
    }
    let value = enricher.load(object);
    let other = enricher.compare(op, value, constant)?;
    let (object, integer, range) = enricher.choices.pick_any(&known)?;
    let value = enricher.load(object);
    let never = enricher.compare_beyond(value, integer, range)?;
    let (left, right) = match enricher.choices.chance(50) {
        true => (other, never),
        false => (never, other),
    };
    enricher.builder().logical(LogicalOp::And, left, right).ok()
}
