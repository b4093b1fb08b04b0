//! Values of vector types: a table of their forms.

use farrier_lang::builtins::Builtin;
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, InitItem, InitPlace, IntKind, Lanes, TypeId, Types, UnaryOp,
};

use super::{Home, Lane, Range, VectorType};
use crate::features::Feature;
use crate::generate::draft::{Draft, Mode};
use crate::generate::production::{Production, Rate, anywhere, draw, form};
use crate::generate::values::{Site, Want};

/// In percent: operands that are one number for all lanes, of these the constants, and leaves
/// that are constants.
const BROADCASTS: u32 = 30;
const CONSTANT_NUMBERS: u32 = 60;
const CONSTANT_LEAVES: u32 = 15;

/// The highest constant that is written without a cast: every lane holds it.
const MOST_PLAIN: i128 = 127;

/// In percent: ways to keep a signed operation from overflowing, and to make lanes smaller.
const UNSIGNED_WAYS: u32 = 40;
const SHIFTED_WAYS: u32 = 35;

/// In percent: counts of shifts that are one number, and divisors that are.
const SINGLE_COUNTS: u32 = 55;
const SINGLE_DIVISORS: u32 = 60;

/// The most lanes of a vector that is written as a list of elements.
const MOST_LISTED: u32 = 16;

/// The most bits after the point of floating lanes.
const MOST_FRACTION: u32 = 8;

/// How many globals of vectors there are at most.
pub(super) const MOST_GLOBALS: usize = 20;

/// The highest number that a lane has before it becomes a floating one.
const CONVERTED: i128 = 1023;

/// The most bytes of a vector that is converted.
const MOST_BYTES: u64 = 64;

/// A value, or one number for all lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector {
    pub(super) expr: ExprId,
    pub(super) range: Range,
    /// Whether it is a number.
    single: bool,
}

/// What a form is asked for: the type, and how deep operands may nest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    of: VectorType,
    depth: u32,
}

/// The forms of vectors.
#[rustfmt::skip]
static VALUES: &[Production<Wanted, Vector>] = &[
    form(Rate::Of(Feature::Arithmetic), anywhere, |draft, wanted| draft.vector_sum(wanted)),
    form(Rate::Of(Feature::Multiplication), anywhere, |draft, wanted| draft.vector_product(wanted)),
    form(Rate::Of(Feature::Division), anywhere, |draft, wanted| draft.vector_quotient(wanted)),
    form(Rate::Part(Feature::Bitwise, 60), integers, |draft, wanted| draft.vector_bitwise(wanted)),
    form(Rate::Of(Feature::Shift), integers, |draft, wanted| draft.vector_shift(wanted)),
    form(Rate::Of(Feature::Unary), anywhere, |draft, wanted| draft.vector_unary(wanted)),
    form(Rate::Of(Feature::VectorCompare), compares, |draft, wanted| Some(draft.vector_truth(wanted))),
    form(Rate::Part(Feature::VectorCompare, 70), selects, |draft, wanted| Some(draft.vector_choice(wanted))),
    form(Rate::Of(Feature::VectorShuffle), anywhere, |draft, wanted| Some(draft.vector_shuffle(wanted))),
    form(Rate::Of(Feature::VectorConvert), anywhere, |draft, wanted| draft.vector_conversion(wanted)),
    form(Rate::Of(Feature::VectorCast), integers, |draft, wanted| draft.vector_cast(wanted)),
    form(Rate::Of(Feature::VectorElement), lists, |draft, wanted| draft.vector_elements(wanted)),
    form(Rate::Of(Feature::VectorParameter), anywhere, |draft, wanted| draft.vector_call(wanted.of)),
    form(Rate::Of(Feature::ExtVector), swizzles, |draft, wanted| draft.vector_swizzle(wanted)),
    form(Rate::Part(Feature::ExtVector, 50), selects, |draft, wanted| Some(draft.vector_select(wanted))),
];

fn integers(_: &Draft<'_>, wanted: Wanted) -> bool {
    !wanted.of.is_floating()
}

fn compares(draft: &Draft<'_>, wanted: Wanted) -> bool {
    integers(draft, wanted) && draft.has(Feature::Comparison)
}

fn selects(draft: &Draft<'_>, _: Wanted) -> bool {
    draft.has(Feature::Comparison)
}

fn swizzles(_: &Draft<'_>, wanted: Wanted) -> bool {
    (2..=Lanes::MOST).contains(&wanted.of.count)
}

fn lists(draft: &Draft<'_>, wanted: Wanted) -> bool {
    draft.has(Feature::CompoundLiteral) && wanted.of.count <= MOST_LISTED
}

/// The results of an operator for lanes of two ranges, where it is monotonic in both.
fn corners(a: Range, b: Range, op: impl Fn(i128, i128) -> i128) -> Range {
    let all = [op(a.low, b.low), op(a.low, b.high), op(a.high, b.low), op(a.high, b.high)];
    let low = all.into_iter().min().unwrap_or(0);
    Range::of(low, all.into_iter().max().unwrap_or(0))
}

/// The smallest range of a number of bits that holds both.
fn hull(a: Range, b: Range) -> Range {
    let both = a.join(b);
    let mut high = 1;
    while high - 1 < both.high || -high > both.low {
        high *= 2;
    }
    Range::of(if both.low < 0 { -high } else { 0 }, high - 1)
}

impl Draft<'_> {
    /// A value that only reads, for lanes of any kind.
    pub(super) fn vector_value(&mut self, of: VectorType, depth: u32) -> Vector {
        if depth == 0 {
            return self.vector_leaf(of);
        }
        let made = draw(self, VALUES, Wanted { of, depth: depth - 1 });
        made.unwrap_or_else(|| self.vector_leaf(of))
    }

    /// The same with lanes in a range.
    pub(super) fn vector_within(&mut self, of: VectorType, range: Range, depth: u32) -> ExprId {
        let value = self.vector_value(of, depth);
        if let Some(fitting) = self.vector_reduced(of, value, range) {
            return fitting.expr;
        }
        match self.vector_home(|home| home.reads(of) && range.contains(home.range)) {
            Some(home) => self.vector_read(home).expr,
            None => self.vector_constant(of, range),
        }
    }

    fn vector_read(&mut self, home: Home) -> Vector {
        let place = self.vector_place(home);
        let expr = self.builder().value(place);
        Vector { expr, range: home.range, single: false }
    }

    fn vector_leaf(&mut self, of: VectorType) -> Vector {
        let constant = self.choices.chance(CONSTANT_LEAVES) && self.has(Feature::CompoundLiteral);
        let home = if constant { None } else { self.vector_home(|home| home.reads(of)) };
        match home.or_else(|| if constant { None } else { self.new_vector_home(of) }) {
            Some(home) => self.vector_read(home),
            None => {
                let range = self.home_range(of);
                let expr = self.vector_constant(of, range);
                Vector { expr, range, single: false }
            }
        }
    }

    /// A new global to read, unless there are many.
    fn new_vector_home(&mut self, of: VectorType) -> Option<Home> {
        let room = self.stock.vectors.len() < MOST_GLOBALS;
        room.then(|| self.vector_global(of)).filter(Home::readable)
    }

    /// A constant; where there are no compound literals, a new object.
    fn vector_constant(&mut self, of: VectorType, range: Range) -> ExprId {
        let list = self.vector_list(of, range);
        if self.has(Feature::CompoundLiteral) {
            let literal = self.builder().node(ExprKind::CompoundLiteral(list), of.ty);
            return self.builder().value(literal);
        }
        let object = self.bare_global(of.ty);
        self.program[object].init = Some(list);
        self.load(object)
    }

    /// One number for all lanes, in the small range of the type.
    fn vector_number(&mut self, of: VectorType) -> Vector {
        let small = of.small();
        if of.is_floating() || self.choices.chance(CONSTANT_NUMBERS) {
            let number = self.lane_number(of, small);
            let range = Range { low: number, high: number, fraction: small.fraction };
            let expr = match of.lane {
                Lane::Integer { .. } if (0..=MOST_PLAIN).contains(&number) => {
                    self.builder().int(IntKind::Int, number as u64)
                }
                Lane::Integer { .. } => {
                    let literal = self.literal(number);
                    self.cast(literal, of.element)
                }
                Lane::Floating { .. } => self.lane_constant(of, small, number),
            };
            return Vector { expr, range, single: true };
        }
        let mode = Mode::Reading;
        let value = self.value(Want::Integer, Site::new(mode, 1));
        let mask = small.high.min(MOST_PLAIN);
        let mask_expr = self.builder().int(IntKind::Int, mask as u64);
        let masked = self.binary(BinaryOp::BitAnd, value, mask_expr);
        let expr = self.cast(masked, of.element);
        Vector { expr, range: Range::of(0, mask), single: true }
    }

    /// An operand: a vector, or one number for all lanes.
    fn vector_operand(&mut self, wanted: Wanted) -> Vector {
        match self.choices.chance(BROADCASTS) {
            true => self.vector_number(wanted.of),
            false => self.vector_value(wanted.of, wanted.depth),
        }
    }

    fn vector_binary(&mut self, op: BinaryOp, a: Vector, b: Vector, range: Range) -> Vector {
        let expr = self.binary(op, a.expr, b.expr);
        Vector { expr, range, single: false }
    }

    /// The value with a small constant on its right side.
    fn with_number(&mut self, op: BinaryOp, a: Vector, of: VectorType, number: i128) -> ExprId {
        let literal = if number <= MOST_PLAIN {
            self.builder().int(IntKind::Int, number as u64)
        } else {
            let literal = self.literal(number);
            self.cast(literal, of.element)
        };
        self.binary(op, a.expr, literal)
    }

    /// The value as it is or made smaller, so that its lanes are in a range with zero in it.
    fn vector_reduced(&mut self, of: VectorType, value: Vector, to: Range) -> Option<Vector> {
        if to.contains(value.range) {
            return Some(value);
        }
        if of.is_floating() {
            return self.vector_truncated(of, value, to);
        }
        let shift = (1..128u32).find(|count| {
            to.contains(Range::of(value.range.low >> count, value.range.high >> count))
        });
        if let Some(count) = shift.filter(|_| self.has(Feature::Shift))
            && u64::from(count) < of.size * 8
            && self.choices.chance(SHIFTED_WAYS)
        {
            let expr = self.with_number(BinaryOp::Shr, value, of, count.into());
            let range = Range::of(value.range.low >> count, value.range.high >> count);
            return Some(Vector { expr, range, single: false });
        }
        let mask = (1i128 << (127 - (to.high + 1).leading_zeros())) - 1;
        let expr = self.with_number(BinaryOp::BitAnd, value, of, mask);
        Some(Vector { expr, range: Range::of(0, mask), single: false })
    }

    /// Floating lanes made smaller: through integers, under a mask.
    fn vector_truncated(&mut self, of: VectorType, value: Vector, to: Range) -> Option<Vector> {
        if !self.has(Feature::VectorConvert) {
            return None;
        }
        let twin = self.integer_twin(of, true);
        let whole = self.converted_vector(value, of, twin)?;
        let limit = Range::of(0, to.high >> to.fraction);
        let masked = self.vector_reduced(twin, whole, limit)?;
        self.converted_vector(masked, twin, of).filter(|made| to.contains(made.range))
    }

    /// `__builtin_convertvector`, where every lane has a value in the other type.
    fn converted_vector(
        &mut self,
        value: Vector,
        from: VectorType,
        to: VectorType,
    ) -> Option<Vector> {
        let Range { low, high, fraction } = value.range;
        let cut =
            Range::of((low >> fraction).min(0), (high >> fraction) + i128::from(fraction > 0));
        let range = match (from.is_floating(), to.is_floating()) {
            (true, true) if to.whole().high >= high.max(-low) => value.range,
            (false, true) if to.whole().contains(value.range) => value.range,
            (true, false) if to.whole().contains(cut) => cut,
            (false, false) if to.whole().contains(value.range) => value.range,
            // What does not fit wraps around.
            (false, false) => to.whole(),
            _ => return None,
        };
        let builtin = Builtin::by_name("__builtin_convertvector").expect("the table has it");
        let expr = self.builder().node(ExprKind::Builtin(builtin, [value.expr].into()), to.ty);
        Some(Vector { expr, range, single: false })
    }

    fn vector_sum(&mut self, wanted: Wanted) -> Option<Vector> {
        let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Sub]);
        self.vector_arithmetic(op, wanted)
    }

    fn vector_product(&mut self, wanted: Wanted) -> Option<Vector> {
        self.vector_arithmetic(BinaryOp::Mul, wanted)
    }

    /// `+`, `-` and `*`
    fn vector_arithmetic(&mut self, op: BinaryOp, wanted: Wanted) -> Option<Vector> {
        let of = wanted.of;
        let mut a = self.vector_value(of, wanted.depth);
        let mut b = self.vector_operand(wanted);
        if b.single && self.choices.chance(BROADCASTS) {
            (a, b) = (b, a);
        }
        if of.is_floating() {
            return Some(self.vector_exact(op, a, b, of));
        }
        let range = |a: Vector, b: Vector| match op {
            BinaryOp::Add => corners(a.range, b.range, |a, b| a + b),
            BinaryOp::Sub => corners(a.range, b.range, |a, b| a - b),
            _ => corners(a.range, b.range, |a, b| a.saturating_mul(b)),
        };
        let fits = of.whole().contains(range(a, b));
        if matches!(of.lane, Lane::Integer { signed: false, .. }) {
            let range = if fits { range(a, b) } else { of.whole() };
            return Some(self.vector_binary(op, a, b, range));
        }
        if !fits && self.choices.chance(UNSIGNED_WAYS) {
            let twin = self.integer_twin(of, false);
            let [a, b] = [a, b].map(|side| {
                let ty = if side.single { twin.element } else { twin.ty };
                Vector { expr: self.cast(side.expr, ty), ..side }
            });
            let made = self.vector_binary(op, a, b, of.whole());
            return Some(Vector { expr: self.cast(made.expr, of.ty), ..made });
        }
        if !fits {
            a = self.vector_reduced(of, a, of.small())?;
            b = self.vector_reduced(of, b, of.small())?;
        }
        Some(self.vector_binary(op, a, b, range(a, b)))
    }

    /// The same for floating lanes, if it is exact; otherwise one of the operands.
    fn vector_exact(&mut self, op: BinaryOp, a: Vector, b: Vector, of: VectorType) -> Vector {
        let range = if op == BinaryOp::Mul {
            let fraction = a.range.fraction + b.range.fraction;
            Range { fraction, ..corners(a.range, b.range, |a, b| a * b) }
        } else {
            let fraction = a.range.fraction.max(b.range.fraction);
            let (left, right) = (a.range.with_fraction(fraction), b.range.with_fraction(fraction));
            let sum = |a, b| if op == BinaryOp::Add { a + b } else { a - b };
            Range { fraction, ..corners(left, right, sum) }
        };
        let limit = of.whole().high;
        if range.fraction > MOST_FRACTION || range.high > limit || -range.low > limit {
            return if a.single { b } else { a };
        }
        self.vector_binary(op, a, b, range)
    }

    /// `/` and `%` by what is not zero; of floating lanes by a power of two.
    fn vector_quotient(&mut self, wanted: Wanted) -> Option<Vector> {
        let of = wanted.of;
        let a = self.vector_value(of, wanted.depth);
        if of.is_floating() {
            let power = self.choices.range(1, 3) as u32;
            let fraction = a.range.fraction + power;
            if fraction > MOST_FRACTION {
                return Some(a);
            }
            let unit = Range::of(1, 1);
            let divisor = self.lane_constant(of, unit, 1 << power);
            let expr = self.binary(BinaryOp::Div, a.expr, divisor);
            return Some(Vector { expr, range: Range { fraction, ..a.range }, single: false });
        }
        let op = self.choices.pick(&[BinaryOp::Div, BinaryOp::Rem]);
        let most = of.small().high;
        let (divisor, most) = if self.choices.chance(SINGLE_DIVISORS) {
            let number = i128::from(self.choices.range(1, most.min(MOST_PLAIN) as i64));
            (self.builder().int(IntKind::Int, number as u64), number)
        } else {
            let other = self.vector_value(of, wanted.depth);
            let other = self.vector_reduced(of, other, Range::of(0, most))?;
            (self.with_number(BinaryOp::BitOr, other, of, 1), most | 1)
        };
        let Range { low, high, .. } = a.range;
        let range = match op {
            BinaryOp::Rem => Range::of(low.max(1 - most).min(0), high.min(most - 1).max(0)),
            _ => Range::of(low.min(0), high.max(0)),
        };
        let expr = self.binary(op, a.expr, divisor);
        Some(Vector { expr, range, single: false })
    }

    fn vector_bitwise(&mut self, wanted: Wanted) -> Option<Vector> {
        let op = self.choices.pick(&[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor]);
        let a = self.vector_value(wanted.of, wanted.depth);
        let b = self.vector_operand(wanted);
        let range = match op {
            BinaryOp::BitAnd if b.range.low >= 0 => Range::of(0, b.range.high),
            BinaryOp::BitAnd if a.range.low >= 0 => Range::of(0, a.range.high),
            _ => hull(a.range, b.range),
        };
        Some(self.vector_binary(op, a, b, range))
    }

    /// Shifts by one number, or lane by lane.
    fn vector_shift(&mut self, wanted: Wanted) -> Option<Vector> {
        let of = wanted.of;
        let bits = of.size as u32 * 8;
        let op = self.choices.pick(&[BinaryOp::Shl, BinaryOp::Shr]);
        let mut a = self.vector_value(of, wanted.depth);
        let whole = of.whole();
        // A signed lane that is shifted to the left keeps half of its bits.
        let limit = if op == BinaryOp::Shl && whole.low < 0 { bits / 2 } else { bits };
        let (count, least, most) = if self.choices.chance(SINGLE_COUNTS) {
            let count = self.choices.below(limit.into()) as u32;
            (self.builder().int(IntKind::Int, count.into()), count, count)
        } else {
            let most = self.choices.pick(&[1, 3, limit - 1]);
            let other = self.vector_value(of, wanted.depth);
            (self.with_number(BinaryOp::BitAnd, other, of, most.into()), 0, most)
        };
        let range = if op == BinaryOp::Shr {
            Range::of(
                a.range.low >> if a.range.low < 0 { least } else { most },
                a.range.high >> if a.range.high < 0 { most } else { least },
            )
        } else {
            if whole.low < 0 {
                // A lane with a sign is neither negative nor too large for the shift.
                let room = Range::of(0, whole.high >> most);
                let fits = room.contains(a.range);
                let mask = (1i128 << (127 - (room.high + 1).leading_zeros())) - 1;
                if !fits {
                    let expr = self.with_number(BinaryOp::BitAnd, a, of, mask);
                    a = Vector { expr, range: Range::of(0, mask), single: false };
                }
            }
            let shifted = Range::of(a.range.low << least, a.range.high << most);
            if whole.contains(shifted) { shifted } else { whole }
        };
        let expr = self.binary(op, a.expr, count);
        Some(Vector { expr, range, single: false })
    }

    fn vector_unary(&mut self, wanted: Wanted) -> Option<Vector> {
        let of = wanted.of;
        let mut a = self.vector_value(of, wanted.depth);
        let whole = of.whole();
        let minus = of.is_floating() || self.choices.chance(50);
        let (op, range) = match (minus, of.lane) {
            (false, Lane::Integer { signed: true, .. }) => {
                (UnaryOp::BitNot, Range::of(!a.range.high, !a.range.low))
            }
            (false, _) => {
                (UnaryOp::BitNot, Range::of(whole.high - a.range.high, whole.high - a.range.low))
            }
            (true, Lane::Integer { signed: false, .. }) => (UnaryOp::Minus, whole),
            (true, _) => {
                if !of.is_floating() {
                    a = self.vector_reduced(of, a, Range::of(-whole.high, whole.high))?;
                }
                (UnaryOp::Minus, Range { low: -a.range.high, high: -a.range.low, ..a.range })
            }
        };
        let expr = self.unary(op, a.expr);
        Some(Vector { expr, range, single: false })
    }

    /// A comparison: all bits of a lane, or none. What type that has is not the same for all
    /// compilers, so it is always cast.
    fn vector_truth(&mut self, wanted: Wanted) -> Vector {
        let of = wanted.of;
        let truth = self.vector_comparison(wanted);
        let signed = of.whole().low < 0;
        let range = if signed { Range::of(-1, 0) } else { of.whole() };
        Vector { expr: self.cast(truth, of.ty), range, single: false }
    }

    /// A comparison of lanes that are as wide and as many.
    fn vector_comparison(&mut self, wanted: Wanted) -> ExprId {
        let of = wanted.of;
        let like = |ty: VectorType| ty.count == of.count && ty.size == of.size;
        let compared = self.vector_type_like(like).unwrap_or(of);
        let wanted = Wanted { of: compared, ..wanted };
        let a = self.vector_value(compared, wanted.depth);
        let b = self.vector_operand(wanted);
        let op = self.choices.pick(&BinaryOp::COMPARISONS);
        self.binary(op, a.expr, b.expr)
    }

    /// `(a & mask) | (b & ~mask)`, or the same with `^`: no C compiler has `?:` of vectors.
    fn vector_choice(&mut self, wanted: Wanted) -> Vector {
        let of = wanted.of;
        let floating = of.is_floating();
        let signed = of.whole().low < 0;
        let bits = if floating { self.integer_twin(of, signed) } else { of };
        let mask = self.vector_truth(Wanted { of: bits, depth: wanted.depth.min(1) }).expr;
        let sides = [(); 2].map(|()| self.vector_value(of, wanted.depth));
        let range = sides[0].range.join(sides[1].range);
        let [a, b] = sides.map(|side| match floating {
            true => self.cast(side.expr, bits.ty),
            false => side.expr,
        });
        let chosen = if self.has(Feature::Unary) && self.choices.chance(60) {
            let again = self.vector_repeated(mask);
            let others = self.unary(UnaryOp::BitNot, again);
            let a = self.binary(BinaryOp::BitAnd, a, mask);
            let b = self.binary(BinaryOp::BitAnd, b, others);
            let op = self.choices.pick(&[BinaryOp::BitOr, BinaryOp::BitXor]);
            self.binary(op, a, b)
        } else {
            let again = self.vector_repeated(b);
            let difference = self.binary(BinaryOp::BitXor, a, b);
            let masked = self.binary(BinaryOp::BitAnd, difference, mask);
            self.binary(BinaryOp::BitXor, again, masked)
        };
        let expr = if floating { self.cast(chosen, of.ty) } else { chosen };
        Vector { expr, range, single: false }
    }

    /// A copy of an expression, with what its calls cost.
    fn vector_repeated(&mut self, expr: ExprId) -> ExprId {
        self.charge_vector_calls(expr);
        self.copy(expr)
    }

    fn vector_shuffle(&mut self, wanted: Wanted) -> Vector {
        let of = wanted.of;
        let like = |ty: VectorType| ty.element == of.element;
        let source = self.vector_type_like(like).unwrap_or(of);
        let a = self.vector_value(source, wanted.depth);
        let b = self.vector_value(source, wanted.depth);
        let mut arguments = vec![a.expr, b.expr];
        for _ in 0..of.count {
            let lane = self.choices.below(2 * u64::from(source.count));
            arguments.push(self.builder().int(IntKind::Int, lane));
        }
        let builtin = Builtin::by_name("__builtin_shufflevector").expect("the table has it");
        let plain = self.program.types.vector_of(of.element, of.count);
        let mut expr = self.builder().node(ExprKind::Builtin(builtin, arguments.into()), plain);
        if plain != of.ty {
            expr = self.cast(expr, of.ty);
        }
        Vector { expr, range: a.range.join(b.range), single: false }
    }

    /// `v.s3120`: some lanes of a vector, in any order.
    fn vector_swizzle(&mut self, wanted: Wanted) -> Option<Vector> {
        let of = wanted.of;
        let like = |ty: VectorType| ty.element == of.element && ty.count > 1;
        let source = self.vector_type_like(like).unwrap_or(of);
        let value = self.vector_value(source, wanted.depth);
        let named = source.count.min(Lanes::MOST);
        let lanes: Vec<u32> =
            (0..of.count).map(|_| self.choices.below(named.into()) as u32).collect();
        let taken = self.builder().swizzle(value.expr, &lanes).ok()?;
        Some(Vector { expr: self.cast(taken, of.ty), range: value.range, single: false })
    }

    /// `a < b ? c : d`, lane by lane.
    fn vector_select(&mut self, wanted: Wanted) -> Vector {
        let of = wanted.of;
        let truth = self.vector_comparison(Wanted { depth: wanted.depth.min(1), ..wanted });
        let [a, b] = [(); 2].map(|()| self.vector_value(of, wanted.depth));
        let [then, otherwise] = [a, b].map(|side| self.same_type(side.expr, of.ty));
        let made = self.builder().conditional(truth, Some(then), otherwise);
        let expr = made.expect("the lanes are as wide and as many");
        Vector { expr, range: a.range.join(b.range), single: false }
    }

    /// A value whose type is the typedef, not only what it stands for.
    fn same_type(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        if self.program.type_of(value) == ty { value } else { self.cast(value, ty) }
    }

    /// A vector of as many lanes, each converted.
    fn vector_conversion(&mut self, wanted: Wanted) -> Option<Vector> {
        let of = wanted.of;
        let like = |ty: VectorType| ty.count == of.count && ty != of;
        let from = match self.vector_type_like(like) {
            Some(from) => from,
            None => {
                let kind = self.int_kind();
                let size = self.config.target.int_bits(kind) / 8;
                let bytes = u64::from(size) * u64::from(of.count);
                if matches!(kind, IntKind::Bool | IntKind::Int128 | IntKind::UInt128)
                    || !(2..=MOST_BYTES).contains(&bytes)
                {
                    return None;
                }
                self.vector_of(Types::int(kind), of.count)
            }
        };
        let mut value = self.vector_value(from, wanted.depth);
        if of.is_floating() && !from.is_floating() {
            let small = Range::of(from.whole().low.max(-CONVERTED), CONVERTED);
            value = self.vector_reduced(from, value, small)?;
        }
        let made = self.converted_vector(value, from, of)?;
        let limit = of.whole().high;
        let exact = made.range.high <= limit && -made.range.low <= limit;
        (!of.is_floating() || exact).then_some(made)
    }

    /// The bytes of a vector as lanes of another type.
    fn vector_cast(&mut self, wanted: Wanted) -> Option<Vector> {
        let of = wanted.of;
        let known = self.vector_type_like(|ty| ty.bytes() == of.bytes() && ty != of);
        let from = match known {
            Some(from) => from,
            None => {
                let size = |draft: &Self, kind| u64::from(draft.config.target.int_bits(kind)) / 8;
                let kind = self.kind_like(|draft, kind| {
                    !matches!(kind, IntKind::Bool | IntKind::Int128)
                        && size(draft, kind) <= of.bytes()
                })?;
                let count = of.bytes() / size(self, kind);
                self.vector_of(Types::int(kind), count as u32)
            }
        };
        let value = self.vector_value(from, wanted.depth);
        Some(Vector { expr: self.cast(value.expr, of.ty), range: of.whole(), single: false })
    }

    /// `(type){ a[2], b[0], 7, a[1] }`
    fn vector_elements(&mut self, wanted: Wanted) -> Option<Vector> {
        let of = wanted.of;
        let mut range = Range::of(0, 0);
        let mut items = Vec::new();
        for index in 0..u64::from(of.count) {
            let like = |home: &Home| home.readable() && home.of.element == of.element;
            let home = self.vector_home(like).filter(|_| !self.choices.chance(BROADCASTS));
            let value = match home {
                Some(home) => {
                    range = range.join(home.range);
                    let lane = self.vector_lane(home);
                    self.builder().value(lane)
                }
                None => {
                    range = range.join(of.small());
                    let number = self.lane_number(of, of.small());
                    self.lane_constant(of, of.small(), number)
                }
            };
            items
                .push(InitItem { place: InitPlace::Elements { first: index, last: index }, value });
        }
        let list = self.builder().node(ExprKind::InitList(items.into()), of.ty);
        let literal = self.builder().node(ExprKind::CompoundLiteral(list), of.ty);
        Some(Vector { expr: self.builder().value(literal), range, single: false })
    }

    /// The lvalue of a lane.
    pub(super) fn vector_lane(&mut self, home: Home) -> ExprId {
        let place = self.vector_place(home);
        let index = self.index_below(home.of.count.into(), Mode::Reading);
        self.element(place, index)
    }

    pub(super) fn vector_called(expr: ExprId, range: Range) -> Vector {
        Vector { expr, range, single: false }
    }
}

impl Home {
    /// Whether an expression may read it.
    pub(super) fn readable(&self) -> bool {
        !self.volatile
    }

    /// Whether an expression may read a vector of a type from it.
    fn reads(&self, of: VectorType) -> bool {
        self.readable() && self.of == of
    }
}
