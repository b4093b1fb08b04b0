//! The builtins that GCC folds in constant expressions.

use super::{Constant, Evaluator, NotConstant};
use crate::arena::ExprId;
use crate::builtins::Builtin;
use crate::expr::{Expr, ExprKind};
use crate::float::FloatValue;
use crate::integer::{ArithmeticFault, IntegerType};
use crate::layout::NoLayout;
use crate::program::Program;
use crate::types::{Type, TypeId};

/// What is done with the bits of an argument; `None` where it is undefined.
type BitFunction = fn(u128, IntegerType) -> Option<u32>;

/// The functions on bits. Each has variants whose names end in one of [`VARIANTS`].
const BIT_FUNCTIONS: [(&str, BitFunction); 6] = [
    ("clz", |bits, ty| (bits != 0).then(|| bits.leading_zeros() - (128 - ty.bits))),
    ("ctz", |bits, _| (bits != 0).then(|| bits.trailing_zeros())),
    ("ffs", |bits, _| Some(if bits == 0 { 0 } else { bits.trailing_zeros() + 1 })),
    ("parity", |bits, _| Some(bits.count_ones() % 2)),
    ("popcount", |bits, _| Some(bits.count_ones())),
    // How many bits after the sign bit are copies of it.
    ("clrsb", |bits, ty| {
        let shifted = (bits << (128 - ty.bits)) as i128;
        let copies = (shifted ^ (shifted >> 127)).leading_zeros();
        Some(copies.min(ty.bits) - 1)
    }),
];

/// The endings of the names of bit functions, for wider arguments.
const VARIANTS: [&str; 4] = ["", "l", "ll", "imax"];

/// Whether an expression computes with floating numbers: a compiler that must not change what is
/// rounded or what overflows leaves that to the run.
pub fn has_floating_operation(program: &Program, expr: ExprId) -> bool {
    let Expr { kind, ty } = &program[expr];
    let mut found = matches!(kind, ExprKind::Binary(..))
        && matches!(program.resolve(*ty), Type::Float(_) | Type::Complex(_));
    kind.for_each_operand(|operand| found = found || has_floating_operation(program, operand));
    found
}

impl Evaluator<'_> {
    /// The value of a call of a builtin.
    pub(super) fn builtin(
        &mut self,
        called: Builtin,
        arguments: &[ExprId],
        result: TypeId,
    ) -> Result<Constant, NotConstant> {
        let name = called.name().strip_prefix("__builtin_").ok_or(NotConstant::Call)?;
        match (name, arguments) {
            ("constant_p", [argument]) => {
                if has_floating_operation(self.program, *argument) {
                    return Err(NotConstant::Call);
                }
                let constant = self.is_literal(*argument) || self.value(*argument).is_ok();
                return self.integer(result, constant.into());
            }
            ("expect" | "expect_with_probability", [value, ..]) => return self.value(*value),
            ("inf" | "inff" | "infl" | "huge_val" | "huge_valf" | "huge_vall", []) => {
                let Type::Float(kind) = *self.program.resolve(result) else {
                    return Err(NotConstant::Type);
                };
                let (_, format) =
                    self.program.target.float_scalar(kind).ok_or(NoLayout::Missing)?;
                return Ok(Constant::Float(FloatValue::infinity(format)));
            }
            _ => {}
        }
        let [argument] = arguments else { return Err(NotConstant::Call) };
        if let Some(width) = name.strip_prefix("bswap") {
            let width: u32 = width.parse().map_err(|_| NotConstant::Call)?;
            let (bits, _) = self.bits(*argument)?;
            return self.integer(result, (bits.swap_bytes() >> (128 - width)) as i128);
        }
        let (_, function) = BIT_FUNCTIONS
            .into_iter()
            .find(|(base, _)| {
                name.strip_prefix(base).is_some_and(|variant| VARIANTS.contains(&variant))
            })
            .ok_or(NotConstant::Call)?;
        let (bits, ty) = self.bits(*argument)?;
        let value = function(bits, ty).ok_or(ArithmeticFault::BuiltinArgument)?;
        self.integer(result, value.into())
    }

    /// Whether an argument is a string literal, which GCC says is constant.
    fn is_literal(&self, argument: ExprId) -> bool {
        let ExprKind::Decay(place) = self.program[argument].kind else { return false };
        matches!(self.program[place].kind, ExprKind::String(_))
    }

    /// The bits of an integer, without those that its type does not have.
    fn bits(&mut self, argument: ExprId) -> Result<(u128, IntegerType), NotConstant> {
        match self.value(argument)? {
            Constant::Integer { ty, value } => {
                let unused = 128 - ty.bits;
                Ok(((value as u128) << unused >> unused, ty))
            }
            _ => Err(NotConstant::Type),
        }
    }
}
