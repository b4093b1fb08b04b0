//! Functions of `<math.h>` whose results IEEE 754 or C defines to the last bit.
//!
//! An operand for which a result would be open is never drafted: a NaN whose sign is copied, two
//! zeros of which one is the smaller, what has no exponent.

use farrier_lang::{BinaryOp, ExprId, FloatKind, IntKind, TypeId, Types};
use farrier_machine::Tier;

use super::is_suffix;
use crate::features::Feature;
use crate::generate::draft::{Draft, Mode};
use crate::generate::values::{Site, Want};

/// How many exponents are constants in percent, and between which numbers they are.
const CONSTANT_EXPONENTS: u32 = 70;
const EXPONENTS: (i64, i64) = (-160, 160);

/// What the operands of a function are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operands {
    /// So many numbers.
    Any(usize),
    /// A number, and one that is neither a NaN nor zero.
    AnyAndNumber,
    /// A number and an exponent.
    AnyAndExponent,
    /// A finite number, and where the exponent goes.
    Split,
}

/// A function, with its names for `float`, `double` and `long double`.
type Row = ([&'static str; 3], Operands);

macro_rules! functions {
    ($($name:literal $operands:expr;)*) => {
        &[$(([concat!($name, "f"), $name, concat!($name, "l")], $operands)),*]
    };
}

/// The functions.
static FUNCTIONS: &[Row] = functions! {
    "sqrt" Operands::Any(1);
    "fma" Operands::Any(3);
    "floor" Operands::Any(1);
    "ceil" Operands::Any(1);
    "trunc" Operands::Any(1);
    "rint" Operands::Any(1);
    "nearbyint" Operands::Any(1);
    "round" Operands::Any(1);
    "fabs" Operands::Any(1);
    "fmod" Operands::Any(2);
    "fdim" Operands::Any(2);
    "copysign" Operands::AnyAndNumber;
    "fmin" Operands::AnyAndNumber;
    "fmax" Operands::AnyAndNumber;
    "ldexp" Operands::AnyAndExponent;
    "scalbn" Operands::AnyAndExponent;
    "frexp" Operands::Split;
};

/// Comparisons that raise no exception, as builtins: what they answer is what operators do.
const COMPARISONS: [&str; 6] = [
    "__builtin_isgreater",
    "__builtin_isgreaterequal",
    "__builtin_isless",
    "__builtin_islessequal",
    "__builtin_islessgreater",
    "__builtin_isunordered",
];

/// Whether one of the functions has this name.
pub(crate) fn is_math_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|(names, _)| name.strip_prefix(names[1]).is_some_and(is_suffix))
        || COMPARISONS.contains(&name)
}

/// Whether calls of functions may be drafted: only where operations may round.
pub(in crate::generate) fn calls_mathematics(draft: &Draft<'_>) -> bool {
    draft.tier == Some(Tier::Rounded)
}

/// The same for comparisons.
pub(in crate::generate) fn compares_quietly(draft: &Draft<'_>) -> bool {
    calls_mathematics(draft) && draft.has(Feature::LibraryBuiltin)
}

impl Draft<'_> {
    /// A call of one of the functions, for one of the three types that have them.
    pub(in crate::generate) fn math_function(&mut self, mode: Mode, depth: u32) -> Option<ExprId> {
        let kinds = [FloatKind::Float, FloatKind::Double, FloatKind::LongDouble];
        let ty = self.float_type();
        let index = kinds.iter().position(|kind| Types::float(*kind) == ty)?;
        let (names, operands) = FUNCTIONS[self.choices.index(FUNCTIONS.len())];
        let below = Site::new(mode.min(Mode::Reading), depth);
        let arguments = match operands {
            Operands::Any(1) => vec![self.value(Want::Exactly(ty), Site::new(mode, depth))],
            Operands::Any(count) => {
                (0..count).map(|_| self.value(Want::Exactly(ty), below)).collect()
            }
            Operands::AnyAndNumber => {
                vec![self.value(Want::Exactly(ty), below), self.nonzero(ty, below)]
            }
            Operands::AnyAndExponent => {
                let exponent = self.exponent(below);
                vec![self.value(Want::Exactly(ty), below), exponent]
            }
            Operands::Split => {
                let target = self.exponent_target(mode)?;
                let finite = self.value(Want::Integer, Site::new(Mode::Quiet, depth));
                vec![self.adapt(finite, ty), target]
            }
        };
        Some(self.library(names[index], arguments))
    }

    /// A number that is neither a NaN nor zero.
    fn nonzero(&mut self, ty: TypeId, site: Site) -> ExprId {
        let one = self.builder().int(IntKind::Int, 1);
        let integer = match self.has(Feature::Bitwise) {
            true => {
                let value = self.value(Want::Integer, site);
                self.operate(BinaryOp::BitOr, value, one)
            }
            false => one,
        };
        self.adapt(integer, ty)
    }

    /// An exponent: mostly one that few numbers are too large or too small for.
    fn exponent(&mut self, site: Site) -> ExprId {
        if self.choices.chance(CONSTANT_EXPONENTS) {
            let exponent = self.choices.range(EXPONENTS.0, EXPONENTS.1);
            return self.literal(exponent.into());
        }
        self.value(Want::Exactly(Types::INT), site)
    }

    /// The address of an `int` that nothing else looks at meanwhile.
    fn exponent_target(&mut self, mode: Mode) -> Option<ExprId> {
        if mode != Mode::Free {
            return None;
        }
        let target = self.variable(|draft, variable, ty| {
            !variable.private && draft.may_write(variable) && ty == Types::INT
        });
        let place = self.object_expr(target?.object);
        Some(self.address(place))
    }

    /// A comparison that raises no exception.
    pub(in crate::generate) fn quiet_comparison(&mut self, mode: Mode, depth: u32) -> ExprId {
        let name = self.choices.pick(&COMPARISONS);
        let (left, right) = self.split(mode);
        let left = self.value(Want::Floating, Site::new(left, depth));
        let right = self.value(Want::Floating, Site::new(right, depth));
        self.builtin(name, vec![left, right])
    }
}
