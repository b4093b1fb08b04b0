//! Tier *exact*: no operation rounds. Each that might has a guard, which is discharged when the
//! values of its operands are known.

use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, Fallback, FloatKind, GuardCheck, IntKind, Type, TypeId, Types,
    UnaryOp,
};

use crate::generate::draft::Draft;

/// The weights of constants: zeros, quarters, integers, short fractions of any size.
const CONSTANTS: [u32; 4] = [1, 4, 3, 3];

/// The largest of the small constants, in quarters.
const QUARTERS: i64 = 40;

/// The largest number before it is scaled. Every format has all integers up to here.
const LARGEST: i64 = 2047;

/// The least and the greatest power of two of a fraction.
const SCALES: (i64, i64) = (-24, 24);

/// The share of conversions to integers that may drop a fraction.
const TRUNCATED: u32 = 50;

/// The kinds of floating numbers, the one with the highest rank first.
const RANKS: [FloatKind; 4] =
    [FloatKind::Float128, FloatKind::LongDouble, FloatKind::Double, FloatKind::Float];

impl Draft<'_> {
    /// `left op right` with a guard, and one on each conversion of an operand.
    pub(super) fn operate_exact(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let common = self.common_float(left, right);
        let left = self.adapt(left, common);
        let right = self.adapt(right, common);
        let expr = self.binary(op, left, right);
        if op.is_comparison() { expr } else { self.exact(expr, Fallback::FirstOperand) }
    }

    /// A conversion with a guard, unless every value that the operand may have is exact. A
    /// constant becomes one of the other type.
    pub(super) fn converted_exact(&mut self, conversion: ExprId) -> ExprId {
        let (ExprKind::Convert(operand) | ExprKind::Cast(operand)) = self.program[conversion].kind
        else {
            return conversion;
        };
        let ty = self.program.type_of(conversion);
        let Some(to) = self.format_of(ty) else {
            // `_Bool` takes any number.
            if ty.unqualified() == Types::int(IntKind::Bool) {
                return conversion;
            }
            return match self.choices.chance(TRUNCATED) {
                true => self.guarded(conversion),
                false => self.exact(conversion, Fallback::FirstOperand),
            };
        };
        match self.format_of(self.program.type_of(operand)) {
            Some(from) => {
                // A format has all values of those before it.
                if to >= from {
                    return conversion;
                }
                if let Some(value) = self.floating_literal(operand, from) {
                    let (converted, exact) = value.convert(to);
                    let literal = self.program.floating(converted, ty);
                    return if exact { conversion } else { literal.unwrap_or(conversion) };
                }
            }
            None => {
                let fits = |value: i128| value.unsigned_abs() >> to.digits() == 0;
                if self.bounds(operand).is_some_and(|(low, high)| fits(low) && fits(high)) {
                    return conversion;
                }
            }
        }
        // Without another value it would be the rounded one.
        let other = self.short_constant(ty);
        self.exact(conversion, Fallback::Value(other))
    }

    /// A zero, an integer or a short fraction.
    pub(super) fn exact_constant(&mut self) -> ExprId {
        let ty = self.float_type();
        self.short_constant(ty)
    }

    /// A short fraction in a type, whose decimal is exact.
    fn short_constant(&mut self, ty: TypeId) -> ExprId {
        let format = self.format_of(ty).expect("the type is floating");
        let (number, mut scale) = match self.choices.weighted(&CONSTANTS) {
            Some(0) => (self.choices.pick(&[0.0, -0.0]), 0),
            Some(1) => (self.choices.range(-QUARTERS, QUARTERS) as f64, -2),
            Some(2) => (self.choices.range(-LARGEST, LARGEST) as f64, 0),
            _ => {
                let scale = self.choices.range(SCALES.0, SCALES.1);
                (self.choices.range(-LARGEST, LARGEST) as f64, scale)
            }
        };
        let value = loop {
            let bits = u128::from((number * power_of_two(scale)).to_bits());
            let (value, exact) = FloatValue { format: FloatFormat::Double, bits }.convert(format);
            if scale == 0 || exact && value.is_exact_constant() {
                break value;
            }
            scale /= 2;
        };
        self.program.floating(value, ty).expect("short fractions are finite in every format")
    }

    /// A guard on an operation that must be exact.
    fn exact(&mut self, operand: ExprId, fallback: Fallback) -> ExprId {
        let ty = self.program.type_of(operand);
        let kind = ExprKind::Guard { check: GuardCheck::Exact, operand, fallback };
        self.builder().node(kind, ty)
    }

    /// The type in which an operator computes, if one of its operands is floating.
    fn common_float(&self, left: ExprId, right: ExprId) -> TypeId {
        let kind = |side| match *self.program.resolve(self.program.type_of(side)) {
            Type::Float(kind) => Some(kind),
            _ => None,
        };
        let kinds = [kind(left), kind(right)];
        let has = |kind: &FloatKind| kinds.contains(&Some(*kind));
        Types::float(RANKS.into_iter().find(has).unwrap_or(FloatKind::Float16))
    }

    /// The format of a floating type.
    fn format_of(&self, ty: TypeId) -> Option<FloatFormat> {
        match *self.program.resolve(ty) {
            Type::Float(kind) => Some(self.program.target.float_scalar(kind)?.1),
            _ => None,
        }
    }

    /// The value of a floating constant, perhaps with a sign.
    fn floating_literal(&self, expr: ExprId, format: FloatFormat) -> Option<FloatValue> {
        match self.program[expr].kind {
            ExprKind::Float(id) => Some(FloatValue { format, bits: self.program.floats[id] }),
            ExprKind::Unary(UnaryOp::Minus, operand) => {
                Some(self.floating_literal(operand, format)?.negate())
            }
            _ => None,
        }
    }
}

/// `2^scale`, for a scale that is small.
fn power_of_two(scale: i64) -> f64 {
    f64::from_bits(((1023 + scale) as u64) << 52)
}
