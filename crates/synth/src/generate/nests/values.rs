//! The values of statements in nests. They are small by type: the numbers in arrays of a type
//! never leave a known range, and an operand that could make an operator overflow is made
//! smaller first. So no operator needs a guard, and signed ones stay plain.

use farrier_lang::{
    BinaryOp, ExprId, ExprKind, IntKind, LogicalOp, ObjectId, TypeId, Types, UnaryOp, integer_type,
};

use crate::features::Feature;
use crate::generate::draft::Draft;
use crate::generate::production::{Production, Rate, anywhere, draw, form};

/// In percent: comparisons that are two, and selections that are the lesser or the greater of
/// two.
const DOUBLE_COMPARISONS: u32 = 25;
const EXTREMES: u32 = 40;

/// How many numbers of unsigned types are cast to the signed type before they are used, in
/// percent.
const MADE_SIGNED: u32 = 85;

/// The bits of the numbers in arrays of types of more than 16 and more than 32 bits. Narrower
/// types may have any number.
const INT_BITS: u32 = 13;
const LONG_BITS: u32 = 31;

/// Numbers that are close below powers of two, which a remainder is taken by.
const MODULI: [(u32, u64); 5] = [(7, 101), (9, 509), (10, 1009), (12, 4093), (15, 32_749)];

/// The values of nests, which nest as deep as the site says.
#[rustfmt::skip]
static VALUES_OF_NESTS: &[Production<u32, ExprId>] = &[
    form(Rate::Always(36), anywhere, |draft, _| draft.nest_element()),
    form(Rate::Always(3), anywhere, |draft, _| draft.nest_old_sum()),
    form(Rate::Always(8), anywhere, |draft, _| draft.nest_counter()),
    form(Rate::Always(8), anywhere, |draft, _| draft.nest_invariant()),
    form(Rate::Always(6), anywhere, |draft, _| Some(draft.nest_constant())),
    form(Rate::Of(Feature::Arithmetic), nests, |draft, depth| draft.nest_operation(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub], depth)),
    form(Rate::Of(Feature::Multiplication), nests, |draft, depth| draft.nest_operation(&[BinaryOp::Mul], depth)),
    form(Rate::Part(Feature::Bitwise, 35), nests, |draft, depth| draft.nest_operation(&[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor], depth)),
    form(Rate::Part(Feature::Division, 50), nests, |draft, depth| draft.nest_by_constant(&[BinaryOp::Div, BinaryOp::Rem], depth)),
    form(Rate::Part(Feature::Shift, 50), nests, |draft, depth| draft.nest_by_constant(&[BinaryOp::Shl, BinaryOp::Shr, BinaryOp::Shr], depth)),
    form(Rate::Part(Feature::Comparison, 30), nests, |draft, depth| draft.nest_comparison(depth)),
    form(Rate::Of(Feature::Ternary), nests_and_compares, |draft, depth| draft.nest_selection(depth)),
    form(Rate::Part(Feature::Cast, 70), nests, |draft, depth| draft.nest_cast(depth)),
    form(Rate::Part(Feature::Unary, 50), nests, |draft, depth| draft.nest_unary(depth)),
];

fn nests(_: &Draft<'_>, depth: u32) -> bool {
    depth > 0
}

fn nests_and_compares(draft: &Draft<'_>, depth: u32) -> bool {
    depth > 0 && draft.has(Feature::Comparison)
}

/// The bits of a number and its sign.
fn bits_of((low, high): (i128, i128)) -> u32 {
    let bits = |value: i128| 128 - if value < 0 { !value } else { value }.leading_zeros();
    bits(low).max(bits(high))
}

impl Draft<'_> {
    pub(super) fn nest_counter(&mut self) -> Option<ExprId> {
        let heads: Vec<ObjectId> = self.scope.nest.heads.iter().map(|head| head.counter).collect();
        let counter = self.choices.pick_any(&heads)?;
        let value = self.load(counter);
        Some(self.made_signed(value))
    }

    pub(super) fn nest_invariant(&mut self) -> Option<ExprId> {
        let invariants = self.scope.nest.invariants.clone();
        let object = self.choices.pick_any(&invariants)?;
        let value = self.load(object);
        Some(self.made_signed(value))
    }

    pub(super) fn nest_constant(&mut self) -> ExprId {
        let value = self.choices.range(-9, 40);
        self.literal(value.into())
    }

    /// A value for a statement of a nest.
    pub(super) fn nest_value(&mut self, depth: u32) -> Option<ExprId> {
        let value = draw(self, VALUES_OF_NESTS, depth).unwrap_or_else(|| self.nest_constant());
        Some(self.made_signed(value))
    }

    pub(super) fn nest_operation(&mut self, ops: &[BinaryOp], depth: u32) -> Option<ExprId> {
        let (left, right) = (self.nest_value(depth - 1)?, self.nest_value(depth - 1)?);
        let op = self.choices.pick(ops);
        Some(self.nest_operate(op, left, right))
    }

    pub(super) fn nest_by_constant(&mut self, ops: &[BinaryOp], depth: u32) -> Option<ExprId> {
        let value = self.nest_value(depth - 1)?;
        let op = self.choices.pick(ops);
        let most = if op == BinaryOp::Rem { 97 } else { 7 };
        let constant = self.choices.range(1, most) as u64 + u64::from(op == BinaryOp::Rem);
        let constant = self.builder().int(IntKind::Int, constant);
        Some(self.nest_operate(op, value, constant))
    }

    pub(super) fn nest_comparison(&mut self, depth: u32) -> Option<ExprId> {
        let (left, right) = (self.nest_value(depth / 2)?, self.nest_value(0)?);
        let op = self.choices.pick(&BinaryOp::COMPARISONS);
        let first = self.binary(op, left, right);
        if depth < 2 || !self.has(Feature::Logical) || !self.choices.chance(DOUBLE_COMPARISONS) {
            return Some(first);
        }
        let second = self.nest_comparison(0)?;
        let op = self.choices.pick(&[LogicalOp::And, LogicalOp::Or]);
        Some(self.logical(op, first, second))
    }

    pub(super) fn nest_selection(&mut self, depth: u32) -> Option<ExprId> {
        if self.choices.chance(EXTREMES) {
            let (left, right) = (self.nest_value(depth - 1)?, self.nest_value(0)?);
            return Some(self.nest_extreme_of(left, right));
        }
        let condition = self.nest_comparison(depth - 1)?;
        let (then, otherwise) = (self.nest_value(depth - 1)?, self.nest_value(0)?);
        Some(self.select(condition, then, otherwise))
    }

    /// The lesser or the greater of two.
    pub(super) fn nest_extreme_of(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let (then, otherwise) = (self.copy(left), self.copy(right));
        let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater]);
        let condition = self.binary(op, left, right);
        self.select(condition, then, otherwise)
    }

    fn nest_cast(&mut self, depth: u32) -> Option<ExprId> {
        let value = self.nest_value(depth - 1)?;
        let kinds = [
            IntKind::SChar,
            IntKind::UChar,
            IntKind::Short,
            IntKind::Short,
            IntKind::UShort,
            IntKind::Long,
        ];
        let kind = self.choices.pick(&kinds);
        if !self.has_kind(kind) {
            return Some(value);
        }
        Some(self.cast(value, Types::int(kind)))
    }

    fn nest_unary(&mut self, depth: u32) -> Option<ExprId> {
        let value = self.nest_value(depth - 1)?;
        let op = self.choices.pick(&[UnaryOp::Minus, UnaryOp::BitNot, UnaryOp::Not]);
        let width = self.width_of(self.program.type_of(value));
        let value = if op == UnaryOp::Minus { self.shrink(value, width - 2) } else { value };
        Some(self.unary(op, value))
    }

    /// The bits of the type that a number has in an expression.
    fn width_of(&self, ty: TypeId) -> u32 {
        let int = self.config.target.int_bits(IntKind::Int);
        integer_type(&self.program, ty).map_or(int, |integer| integer.bits.max(int))
    }

    /// A number as one of a signed type, mostly: unsigned arithmetic is another thing.
    pub(super) fn made_signed(&mut self, value: ExprId) -> ExprId {
        let ty = self.program.type_of(value);
        let Some(integer) = integer_type(&self.program, ty) else { return value };
        let int = self.config.target.int_bits(IntKind::Int);
        if integer.signed || integer.bits < int || !self.has(Feature::Cast) {
            return value;
        }
        let kind = if integer.bits > int { IntKind::Long } else { IntKind::Int };
        if !self.has_kind(kind) || !self.choices.chance(MADE_SIGNED) {
            return value;
        }
        self.cast(value, Types::int(kind))
    }

    /// `left op right`, where operands that could make it overflow are made smaller first.
    pub(super) fn nest_operate(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let (first, second) = (self.program.type_of(left), self.program.type_of(right));
        let width = self.width_of(first).max(self.width_of(second));
        let (left, right) = match op {
            BinaryOp::Add | BinaryOp::Sub => {
                (self.shrink(left, width - 2), self.shrink(right, width - 2))
            }
            BinaryOp::Mul => {
                let (a, b) = (bits_of(self.span(left)), bits_of(self.span(right)));
                match a + b < width - 1 {
                    true => (left, right),
                    false => (self.shrink(left, width / 2 - 1), self.shrink(right, width / 2 - 1)),
                }
            }
            BinaryOp::Shl => {
                let count = self.span(right).1 as u32;
                let left = self.nonnegative(left, self.width_of(first) - 2 - count);
                (left, right)
            }
            _ => (left, right),
        };
        // A constant divisor or count is in range, and what is unsigned or small does not
        // overflow. A program without any way to make a number smaller keeps its guard.
        let expr = self.binary(op, left, right);
        if self.fits(expr) { expr } else { self.guarded(expr) }
    }

    /// Whether an operator cannot fail for the numbers that occur.
    fn fits(&self, expr: ExprId) -> bool {
        let ExprKind::Binary(op, left, right) = self.program[expr].kind else { return false };
        let ty = self.program.type_of(expr);
        let Some((least, most)) = self.type_bounds(ty) else { return false };
        let (a, b) = (self.span(left), self.span(right));
        match op {
            BinaryOp::Div | BinaryOp::Rem => b.0 > 0,
            BinaryOp::Shl | BinaryOp::Shr if b.0 < 0 || b.1 >= i128::from(bits_of((0, most))) => {
                false
            }
            BinaryOp::Shr => true,
            BinaryOp::Shl => a.0 >= 0 && a.1 << b.1 <= most,
            _ => {
                let (low, high) = corners(op, a, b);
                least >= 0 || low >= least && high <= most
            }
        }
    }

    /// The number, or one of at most so many bits that is made of it.
    pub(super) fn shrink(&mut self, value: ExprId, bits: u32) -> ExprId {
        if bits_of(self.span(value)) <= bits {
            return value;
        }
        let (masks, rests, casts) = (
            if self.has(Feature::Bitwise) { 40 } else { 0 },
            if self.has(Feature::Division) && bits >= MODULI[0].0 { 20 } else { 0 },
            if self.has(Feature::Cast) && bits >= 7 { 25 } else { 0 },
        );
        let extra = bits_of(self.span(value)) - bits;
        let shifts = if self.has(Feature::Shift) && extra <= 4 { 25 } else { 0 };
        match self.choices.weighted(&[masks, rests, casts, shifts]) {
            Some(0) => self.nonnegative(value, bits),
            Some(1) => {
                let fitting: Vec<u64> =
                    MODULI.iter().filter(|it| it.0 <= bits).map(|it| it.1).collect();
                let modulus = self.choices.pick(&fitting);
                let modulus = self.builder().int(IntKind::Int, modulus);
                self.binary(BinaryOp::Rem, value, modulus)
            }
            Some(2) => {
                let kinds = [IntKind::SChar, IntKind::UChar, IntKind::Short, IntKind::Int];
                let fits = |draft: &Self, kind: IntKind| {
                    let span = draft.type_bounds(Types::int(kind)).expect("of an integer");
                    draft.has_kind(kind) && bits_of(span) <= bits
                };
                let kinds: Vec<IntKind> =
                    kinds.into_iter().filter(|kind| fits(self, *kind)).collect();
                match kinds.last() {
                    Some(kind) => self.cast(value, Types::int(*kind)),
                    None => self.nonnegative(value, bits),
                }
            }
            Some(_) => {
                let count = self.builder().int(IntKind::Int, extra.into());
                self.binary(BinaryOp::Shr, value, count)
            }
            None => self.small_constant(1 << bits.min(8)),
        }
    }

    /// The number, or its last bits.
    fn nonnegative(&mut self, value: ExprId, bits: u32) -> ExprId {
        let span = self.span(value);
        if span.0 >= 0 && bits_of(span) <= bits {
            return value;
        }
        if !self.has(Feature::Bitwise) {
            return self.small_constant(1 << bits.min(8));
        }
        let mask = self.builder().int(IntKind::Int, (1 << bits.min(15)) - 1);
        self.binary(BinaryOp::BitAnd, value, mask)
    }

    /// The place gets the value, made as small as the type asks for.
    pub(super) fn nest_store(&mut self, place: ExprId, value: ExprId) -> ExprId {
        let value = self.as_small(value, self.program.type_of(place));
        self.assign(place, value)
    }

    /// The value as one of a type, as small as nests keep those.
    pub(super) fn as_small(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        let width = integer_type(&self.program, ty).map_or(0, |integer| integer.bits);
        // What is narrow takes any number.
        let value = if width > 16 { self.shrink(value, bits_of(self.small(ty))) } else { value };
        self.adapt(value, ty)
    }

    /// Between which numbers those of this type are kept.
    fn small(&self, ty: TypeId) -> (i128, i128) {
        let Some(integer) = integer_type(&self.program, ty) else { return (i128::MIN, i128::MAX) };
        let bits = match integer.bits {
            0..=16 => return self.type_bounds(ty).expect("of an integer"),
            17..=32 => INT_BITS,
            _ => LONG_BITS,
        };
        let most = (1 << bits) - 1;
        if integer.signed { (-most, most) } else { (0, most) }
    }

    /// Between which numbers an expression of a nest lies.
    pub(super) fn span(&self, expr: ExprId) -> (i128, i128) {
        let node = &self.program[expr];
        let ty = || self.type_bounds(node.ty).unwrap_or((i64::MIN.into(), i64::MAX.into()));
        let within = |(low, high): (i128, i128)| {
            let (least, most) = ty();
            if low >= least && high <= most { (low, high) } else { (least, most) }
        };
        match node.kind {
            ExprKind::Int(value) => (value.into(), value.into()),
            ExprKind::Load(place) => self.span_of_place(place),
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => within(self.span(operand)),
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Logical(..) => (0, 1),
            ExprKind::Unary(op, operand) => {
                let (low, high) = self.span(operand);
                within(match op {
                    UnaryOp::Minus => (-high, -low),
                    UnaryOp::BitNot => (!high, !low),
                    _ => (low, high),
                })
            }
            ExprKind::Conditional { then: Some(then), otherwise, .. } => {
                let (a, b) = (self.span(then), self.span(otherwise));
                (a.0.min(b.0), a.1.max(b.1))
            }
            ExprKind::Binary(op, ..) if op.is_comparison() => (0, 1),
            ExprKind::Binary(op, left, right) => {
                within(corners(op, self.span(left), self.span(right)))
            }
            _ => ty(),
        }
    }

    fn is_sum(&self, base: ExprId) -> bool {
        let ExprKind::Decay(array) = self.program[base].kind else { return false };
        let ExprKind::Object(object) = self.program[array].kind else { return false };
        self.stock.sum_arrays.iter().any(|array| array.object == object)
    }

    fn span_of_place(&self, place: ExprId) -> (i128, i128) {
        let ty = self.program.type_of(place);
        let object = match self.program[place].kind {
            ExprKind::Object(object) => object,
            // Sums may be large.
            ExprKind::Index(base, _) if self.is_sum(base) => {
                return self.type_bounds(ty).unwrap_or((i64::MIN.into(), i64::MAX.into()));
            }
            _ => return self.small(ty),
        };
        let nest = &self.scope.nest;
        if nest.accumulators.iter().any(|accumulator| accumulator.object == object) {
            return self.type_bounds(ty).unwrap_or((i64::MIN.into(), i64::MAX.into()));
        }
        match nest.heads.iter().find(|head| head.counter == object) {
            Some(head) => (head.low, head.high),
            None => self.small(ty),
        }
    }
}

/// Between which numbers the result of an operator lies.
fn corners(op: BinaryOp, a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    let of = |work: fn(i128, i128) -> i128| {
        let all = [work(a.0, b.0), work(a.0, b.1), work(a.1, b.0), work(a.1, b.1)];
        (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
    };
    let most = a.0.abs().max(a.1.abs());
    match op {
        BinaryOp::Add => of(|a, b| a.saturating_add(b)),
        BinaryOp::Sub => of(|a, b| a.saturating_sub(b)),
        BinaryOp::Mul => of(|a, b| a.saturating_mul(b)),
        BinaryOp::Shl => of(|a, b| a.saturating_mul(1 << b.clamp(0, 62))),
        BinaryOp::Shr => of(|a, b| a >> b.clamp(0, 126)),
        BinaryOp::Div if b.0 > 0 => of(|a, b| a / b),
        BinaryOp::Div => (-most, most),
        BinaryOp::Rem => {
            let rest = b.0.abs().max(b.1.abs()) - 1;
            (if a.0 < 0 { -rest.min(most) } else { 0 }, rest.min(most))
        }
        BinaryOp::BitAnd if a.0 >= 0 && b.0 >= 0 => (0, a.1.min(b.1)),
        BinaryOp::BitAnd if a.0 >= 0 => (0, a.1),
        BinaryOp::BitAnd if b.0 >= 0 => (0, b.1),
        _ => {
            let bits = bits_of(a).max(bits_of(b)).min(126);
            let low = if a.0 < 0 || b.0 < 0 { -(1 << bits) } else { 0 };
            (low, (1 << bits) - 1)
        }
    }
}
