//! Tier *free*: bounded numbers in floating types, which every order of operations gets right.
//!
//! Every object of a format has one cap, and every value that is stored keeps it. An operation is
//! drafted only where its mass fits in its format. Otherwise it becomes another one, or its larger
//! operand is folded: made an integer, cut down, and made a floating number again.

use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, FloatKind, IntKind, ObjectId, Type, TypeId, Types, integer_type,
};
use rustc_hash::FxHashMap;

use super::mass::Mass;
use crate::Choices;
use crate::features::Feature;
use crate::generate::draft::Draft;

/// The caps of narrow formats and of wide ones, as powers of two, and how many digits after the
/// point the numbers of a program have.
const NARROW_CAPS: (i64, i64) = (4, 7);
const WIDE_CAPS: (i64, i64) = (5, 14);
const FRACTIONS: [u32; 4] = [0, 0, 1, 2];

/// The digits from which a format is a wide one.
const WIDE_DIGITS: u32 = 53;

/// The binary logarithms of divisors.
const DIVISORS: (i64, i64) = (1, 3);

/// How many products that are too large become sums, in percent; in others an operand is folded.
const SUMS_OF_PRODUCTS: u32 = 75;

/// How many constants are whole, and how many of those are the largest ones, in percent.
const WHOLE_CONSTANTS: u32 = 70;
const LARGE_CONSTANTS: u32 = 15;

/// The largest of the small constants.
const SMALL_CONSTANTS: i64 = 5;

/// How many numbers are folded by a mask; the others are remainders, in percent.
const MASKS: u32 = 60;

/// How often an operand is folded before one of them is the result.
const FOLDS: u32 = 3;

/// What the floating numbers of a program keep.
#[derive(Debug, Default)]
pub(in crate::generate) struct Caps {
    narrow: u32,
    wide: u32,
    fraction: u32,
    /// The objects that keep other caps: no pointer points to them.
    objects: FxHashMap<ObjectId, Mass>,
    /// The masses of operations that were drafted.
    masses: FxHashMap<ExprId, Mass>,
}

impl Caps {
    pub(in crate::generate) fn draw(choices: &mut Choices) -> Self {
        let narrow = choices.range(NARROW_CAPS.0, NARROW_CAPS.1) as u32;
        let wide = choices.range(WIDE_CAPS.0, WIDE_CAPS.1) as u32;
        let fraction = choices.pick(&FRACTIONS);
        Self { narrow, wide: wide.max(narrow), fraction, ..Self::default() }
    }

    /// The cap of the objects of a format.
    fn of(&self, digits: u32) -> Mass {
        let binary = if digits < WIDE_DIGITS { self.narrow } else { self.wide };
        Mass { most: 1 << binary, fraction: self.fraction }
    }
}

/// The digits of a format.
fn digits(format: FloatFormat) -> u32 {
    match format {
        FloatFormat::Half => 11,
        FloatFormat::Single => 24,
        FloatFormat::Double => 53,
        FloatFormat::X87 => 64,
        FloatFormat::Quad => 113,
    }
}

impl Draft<'_> {
    /// The format of a floating type.
    fn format(&self, ty: TypeId) -> Option<FloatFormat> {
        let Type::Float(kind) = *self.program.resolve(ty) else { return None };
        Some(self.program.target.float_scalar(kind)?.1)
    }

    /// The digits of a floating type; none of others.
    pub(in crate::generate) fn digits(&self, ty: TypeId) -> u32 {
        self.format(ty).map_or(0, digits)
    }

    /// What an object of a type holds in tier free.
    pub(in crate::generate) fn cap(&self, ty: TypeId) -> Mass {
        self.caps.of(self.digits(ty))
    }

    /// What an object holds of which a place is a part, or is known not to be.
    pub(in crate::generate) fn cap_of(&self, place: ExprId) -> Mass {
        let known = self.root_of(place).and_then(|object| self.caps.objects.get(&object));
        known.copied().unwrap_or_else(|| self.cap(self.program.type_of(place)))
    }

    /// The object of which a place is a part, unless a pointer leads there.
    fn root_of(&self, place: ExprId) -> Option<ObjectId> {
        match self.program[place].kind {
            ExprKind::Object(object) => Some(object),
            ExprKind::Index(base, _) | ExprKind::Decay(base) | ExprKind::Member(base, _) => {
                self.root_of(base)
            }
            _ => None,
        }
    }

    /// Lets an object that no pointer points to keep a cap of its own.
    pub(in crate::generate) fn set_cap(&mut self, object: ObjectId, cap: Mass) {
        self.caps.objects.insert(object, cap);
    }

    /// A number of which the mass is known better than a look at it says.
    pub(in crate::generate) fn set_mass(&mut self, expr: ExprId, mass: Mass) {
        self.caps.masses.insert(expr, mass);
    }

    /// The mass of a number: of an integer what it becomes when it is converted.
    pub(in crate::generate) fn mass(&self, expr: ExprId) -> Mass {
        if let Some(mass) = self.caps.masses.get(&expr) {
            return *mass;
        }
        let node = &self.program[expr];
        if integer_type(&self.program, node.ty).is_some() {
            let bounds = self
                .bounds(expr)
                .map(|(low, high)| Mass::integer(low.unsigned_abs().max(high.unsigned_abs())));
            return bounds.unwrap_or(Mass::UNBOUNDED);
        }
        match node.kind {
            ExprKind::Float(id) => match self.format(node.ty) {
                Some(format) => {
                    Mass::constant(FloatValue { format, bits: self.program.floats[id] })
                }
                None => Mass::UNBOUNDED,
            },
            ExprKind::Convert(operand)
            | ExprKind::Cast(operand)
            | ExprKind::Unary(_, operand)
            | ExprKind::Comma(_, operand) => self.mass(operand),
            ExprKind::Binary(op, left, right) => self.mass_of(op, left, right),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.mass(then.unwrap_or(condition)).either(self.mass(otherwise))
            }
            // What an object holds, and what a function returns.
            ExprKind::Load(place)
            | ExprKind::Assign(place, _)
            | ExprKind::CompoundAssign { target: place, .. }
            | ExprKind::Step(_, place) => self.cap_of(place),
            ExprKind::Call(..) => self.cap(node.ty),
            _ => Mass::UNBOUNDED,
        }
    }

    /// The mass of an operation; a comparison is a difference.
    fn mass_of(&self, op: BinaryOp, left: ExprId, right: ExprId) -> Mass {
        let (left, right) = (self.mass(left), self.mass(right));
        match op {
            BinaryOp::Mul => left.product(right),
            BinaryOp::Div => left.quotient(right),
            _ => left.sum(right),
        }
    }

    /// `left op right` with a mass that fits.
    pub(super) fn operate_free(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let digits =
            [left, right].map(|side| self.digits(self.program.type_of(side))).into_iter().max();
        let digits = digits.unwrap_or(0);
        let mut sides = [left, right].map(|side| self.small_integer(side, digits));
        if op == BinaryOp::Div {
            sides[1] = self.divisor(right);
        }
        let mut op = op;
        for _ in 0..FOLDS {
            let mass = self.mass_of(op, sides[0], sides[1]);
            if mass.fits(digits) {
                let made = self.binary(op, sides[0], sides[1]);
                if !op.is_comparison() {
                    self.caps.masses.insert(made, mass);
                }
                return made;
            }
            let product = matches!(op, BinaryOp::Mul | BinaryOp::Div);
            if product && self.choices.chance(SUMS_OF_PRODUCTS) {
                op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Sub]);
                continue;
            }
            let [left, right] = sides.map(|side| self.mass(side));
            let larger = usize::from(left.most < right.most);
            sides[larger] = self.smaller(sides[larger]);
        }
        let one = self.choices.pick(&sides);
        if op.is_comparison() { self.truth(one) } else { one }
    }

    /// `value != 0`, of one that has a mass.
    fn truth(&mut self, value: ExprId) -> ExprId {
        let zero = self.builder().int(IntKind::Int, 0);
        self.binary(BinaryOp::NotEqual, value, zero)
    }

    /// A value for which a conversion to a type is right, and which an object holds that keeps
    /// this cap.
    pub(super) fn convertible_free(
        &mut self,
        value: ExprId,
        ty: TypeId,
        cap: Option<Mass>,
    ) -> ExprId {
        let from = self.program.type_of(value);
        match (self.format(from), self.format(ty)) {
            (None, None) => value,
            (None, Some(_)) => self.small_integer(value, self.digits(ty)),
            (Some(_), Some(_)) => {
                let mass = self.mass(value);
                let held = cap.is_none_or(|cap| mass.is_within(cap));
                let right = held && mass.fits(self.digits(ty));
                if right { value } else { self.folded_to(value, ty) }
            }
            (Some(_), None) => self.integral(value, ty),
        }
    }

    /// An integer that a floating object holds; what is none stays as it is.
    fn small_integer(&mut self, value: ExprId, digits: u32) -> ExprId {
        if integer_type(&self.program, self.program.type_of(value)).is_none() {
            return value;
        }
        let most = self.caps.of(digits).most;
        if self.mass(value).most <= most { value } else { self.cut(value, most) }
    }

    /// An integer cut down to a magnitude that a power of two is.
    fn cut(&mut self, value: ExprId, most: u128) -> ExprId {
        let masks = self.has(Feature::Bitwise);
        let remainders = self.has(Feature::Division);
        let most = most.min(1 << 14) as i64;
        if masks && (!remainders || self.choices.chance(MASKS)) {
            let mask = self.builder().int(IntKind::Int, most as u64 - 1);
            return self.binary(BinaryOp::BitAnd, value, mask);
        }
        if remainders {
            let divisor = self.choices.range(2, most) as u64;
            let divisor = self.builder().int(IntKind::Int, divisor);
            return self.binary(BinaryOp::Rem, value, divisor);
        }
        if self.has(Feature::Comparison) { self.truth(value) } else { self.small_constant(8) }
    }

    /// A floating number made smaller, of the same type.
    fn smaller(&mut self, value: ExprId) -> ExprId {
        self.folded_to(value, self.program.type_of(value))
    }

    /// A floating number as one of a type, which an object of that type holds:
    /// `(double)((long long)value & 255)`.
    pub(in crate::generate) fn folded_to(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        let ty = ty.unqualified();
        let cut = match self.wide_integer(value) {
            Some(kind) => {
                let integer = self.builder().cast(value, Types::int(kind)).expect("a number");
                self.cut(integer, self.cap(ty).most)
            }
            None if self.has(Feature::Comparison) => self.truth(value),
            None => self.small_constant(8),
        };
        match self.has(Feature::Cast) {
            true => self.builder().cast(cut, ty).expect("a number"),
            // An integer beside a floating number may have any type.
            false if self.format(ty).is_none() => cut,
            // An operator with two integers would be one of integers.
            false => {
                let zero = self.float_literal(0, 0, ty);
                self.binary(BinaryOp::Add, cut, zero)
            }
        }
    }

    /// A signed kind of integers that holds a floating value, for a cast.
    fn wide_integer(&mut self, value: ExprId) -> Option<IntKind> {
        if !self.has(Feature::Cast) {
            return None;
        }
        let most = self.mass(value).most;
        let mut kinds = vec![IntKind::Int, IntKind::Long, IntKind::LongLong];
        kinds.retain(|kind| self.has_kind(*kind) && self.holds(Types::int(*kind), most));
        self.choices.pick_any(&kinds)
    }

    /// Whether an integer type holds all numbers up to a magnitude, with both signs.
    fn holds(&self, ty: TypeId, most: u128) -> bool {
        integer_type(&self.program, ty).is_some_and(|of| of.signed && of.max() >= most)
    }

    /// A floating value that an integer type holds, or an integer made of it.
    fn integral(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        let Some(integer) = integer_type(&self.program, ty) else { return value };
        if integer.bits == 1 || self.holds(ty, self.mass(value).most) {
            return value;
        }
        match self.wide_integer(value) {
            Some(kind) => self.builder().cast(value, Types::int(kind)).expect("a number"),
            None if self.has(Feature::Comparison) => self.truth(value),
            None => self.small_constant(8),
        }
    }

    /// A power of two, of the type of an operand if it is floating.
    fn divisor(&mut self, like: ExprId) -> ExprId {
        let ty = self.program.type_of(like);
        let binary = self.choices.range(DIVISORS.0, DIVISORS.1);
        let sign = self.choices.pick(&[1, 1, 1, -1]);
        let ty = if self.format(ty).is_some() { ty } else { Types::float(FloatKind::Double) };
        self.float_literal(sign << binary, 0, ty)
    }

    /// A floating value as an integer, with all its digits.
    pub(in crate::generate) fn free_word(&mut self, value: ExprId) -> ExprId {
        let ty = self.program.type_of(value).unqualified();
        let value = match self.mass(value).fraction {
            0 => value,
            fraction => {
                let factor = self.float_literal(1 << fraction, 0, ty);
                self.binary(BinaryOp::Mul, value, factor)
            }
        };
        self.builder().cast(value, Types::int(IntKind::LongLong)).expect("a number")
    }

    /// A small number: an integer, or a multiple of the smallest that objects hold.
    pub(super) fn free_constant(&mut self) -> ExprId {
        let ty = self.float_type();
        let whole = self.caps.fraction == 0 || self.choices.chance(WHOLE_CONSTANTS);
        let most = match self.choices.chance(LARGE_CONSTANTS) {
            true => 1 << self.caps.narrow,
            false => SMALL_CONSTANTS,
        };
        let fraction = if whole { 0 } else { self.caps.fraction };
        let value = self.choices.range(-most, most);
        self.float_literal(value, fraction, ty)
    }

    /// The constant `value` by two to the power of `fraction`.
    pub(in crate::generate) fn float_literal(
        &mut self,
        value: i64,
        fraction: u32,
        ty: TypeId,
    ) -> ExprId {
        let format = self.format(ty).expect("a floating type");
        let number = value as f64 / f64::from(1 << fraction);
        let double = FloatValue { format: FloatFormat::Double, bits: number.to_bits().into() };
        let (value, _) = double.convert(format);
        self.program.floating(value, ty).expect("it is finite")
    }
}
