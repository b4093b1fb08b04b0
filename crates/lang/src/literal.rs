//! Constants as expressions: a value and a type in, a tree out.

use crate::arena::ExprId;
use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::float::FloatValue;
use crate::integer::integer_type;
use crate::program::{Encoding, Program, StringLiteral};
use crate::types::{ArrayLength, IntKind, Type, TypeId, Types};

impl Program {
    /// A constant expression whose own type is `kind`; `None` if that type does not hold
    /// the value or has no constants, as those narrower than `int` and `__int128` have none.
    ///
    /// C has no negative constants, so that a minus stands before the magnitude, and the
    /// lowest number, whose magnitude is too large, is one less than the next.
    pub fn literal(&mut self, value: i128, kind: IntKind) -> Option<ExprId> {
        let ty = Types::int(kind);
        if !has_constants(kind) || !integer_type(self, ty)?.contains(value) {
            return None;
        }
        let magnitude = u64::try_from(value.unsigned_abs()).ok()?;
        let highest = self.target.int_bits(kind) - 1;
        if value < 0 && magnitude >> highest != 0 {
            let next = self.literal(value + 1, kind)?;
            let one = self.literal(1, IntKind::Int)?;
            let one = self.converted(one, ty);
            return Some(self.expr(ExprKind::Binary(BinaryOp::Sub, next, one), ty));
        }
        let constant = self.expr(ExprKind::Int(magnitude), ty);
        Some(match value {
            0.. => constant,
            _ => self.expr(ExprKind::Unary(UnaryOp::Minus, constant), ty),
        })
    }

    /// A constant expression of the integer type `ty`: an `int` where that is wide enough,
    /// converted to `ty`. `None` if it needs more than 64 bits.
    pub fn integer(&mut self, value: i128, ty: TypeId) -> Option<ExprId> {
        let wide = match self.integer_class(ty)? {
            Type::Int(kind) if has_constants(kind) => kind,
            _ => IntKind::LongLong,
        };
        let mut kinds = [IntKind::Int, wide, IntKind::ULongLong].into_iter();
        let constant = kinds.find_map(|kind| self.literal(value, kind))?;
        Some(self.converted(constant, ty))
    }

    /// A constant expression of the floating type `ty`; `None` if the value has another
    /// format, or no constant is like it: those are finite.
    pub fn floating(&mut self, value: FloatValue, ty: TypeId) -> Option<ExprId> {
        let ty = ty.unqualified();
        let Type::Float(kind) = *self.resolve(ty) else { return None };
        if self.target.float_scalar(kind)?.1 != value.format || !value.is_finite() {
            return None;
        }
        let negative = value.is_negative();
        let magnitude = if negative { value.negate() } else { value };
        let bits = self.floats.push(magnitude.bits);
        let constant = self.expr(ExprKind::Float(bits), ty);
        Some(if negative {
            self.expr(ExprKind::Unary(UnaryOp::Minus, constant), ty)
        } else {
            constant
        })
    }

    /// A string literal without a prefix: an lvalue of array type.
    pub fn string(&mut self, text: &str) -> ExprId {
        let units: Box<[u32]> = text.bytes().map(u32::from).collect();
        let length = ArrayLength::Fixed(units.len() as u64 + 1);
        let ty = self.types.array_of(Types::CHAR, length);
        let string = self.strings.push(StringLiteral { encoding: Encoding::Plain, units });
        self.expr(ExprKind::String(string), ty)
    }

    fn expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.exprs.push(Expr { kind, ty })
    }

    fn converted(&mut self, expr: ExprId, ty: TypeId) -> ExprId {
        let ty = ty.unqualified();
        if self.type_of(expr) == ty { expr } else { self.expr(ExprKind::Convert(expr), ty) }
    }
}

/// Whether there are constants of this type, with a suffix or without.
fn has_constants(kind: IntKind) -> bool {
    (IntKind::Int.rank()..=IntKind::LongLong.rank()).contains(&kind.rank())
}

#[cfg(test)]
mod tests {
    use crate::print::print_expr;
    use crate::program::{Dialect, Program};
    use crate::target::{AVR, Target, X86_64_LINUX};
    use crate::types::{IntKind, Types};

    fn literal(target: &'static Target, value: i128, kind: IntKind) -> Option<String> {
        let mut program = Program::new(target, Dialect::C17);
        let expr = program.literal(value, kind)?;
        assert_eq!(program.type_of(expr), Types::int(kind));
        Some(print_expr(&program, expr))
    }

    #[test]
    fn a_literal_has_the_type_that_is_asked_for() {
        let rows = [
            (&X86_64_LINUX, 0, IntKind::Int, Some("0")),
            (&X86_64_LINUX, 5, IntKind::ULong, Some("5UL")),
            (&X86_64_LINUX, -5, IntKind::Long, Some("-5L")),
            (&X86_64_LINUX, -5, IntKind::UInt, None),
            (&X86_64_LINUX, 1 << 31, IntKind::Int, None),
            (&X86_64_LINUX, -1 << 31, IntKind::Int, Some("-2147483647 - 1")),
            (&X86_64_LINUX, -1 << 63, IntKind::LongLong, Some("-9223372036854775807LL - 1")),
            (&X86_64_LINUX, (1 << 64) - 1, IntKind::ULongLong, Some("18446744073709551615ULL")),
            (&X86_64_LINUX, 1, IntKind::Short, None),
            (&AVR, -0x8000, IntKind::Int, Some("-32767 - 1")),
            (&AVR, 0x8000, IntKind::Int, None),
        ];
        for (target, value, kind, expected) in rows {
            assert_eq!(literal(target, value, kind).as_deref(), expected, "{value} {kind:?}");
        }
    }

    #[test]
    fn an_integer_is_written_as_int_where_that_is_wide_enough() {
        let rows = [
            (IntKind::Char, -3, Some("-3")),
            (IntKind::ULong, 7, Some("7")),
            (IntKind::ULong, 1 << 40, Some("1099511627776UL")),
            (IntKind::Int128, 1 << 40, Some("1099511627776LL")),
            (IntKind::Int128, u64::MAX.into(), Some("18446744073709551615ULL")),
            (IntKind::Int128, 1 << 64, None),
        ];
        for (kind, value, expected) in rows {
            let mut program = Program::new(&X86_64_LINUX, Dialect::C17);
            let expr = program.integer(value, Types::int(kind));
            assert!(expr.is_none_or(|expr| program.type_of(expr) == Types::int(kind)));
            let text = expr.map(|expr| print_expr(&program, expr));
            assert_eq!(text.as_deref(), expected, "{value} {kind:?}");
        }
    }
}
