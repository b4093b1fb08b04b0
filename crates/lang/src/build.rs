//! Typed expressions from their operands: the typing rules of C.
//!
//! The front end and the generator make their expressions here, so that every implicit
//! conversion is inserted by one set of rules. A function takes operands as a program would
//! write them (lvalues included), converts them, and returns the typed node. The reducer
//! puts nodes together whose operands are converted already, and checks the result by
//! reading its text again.

mod assignment;
mod compatible;
mod operators;

pub(crate) use assignment::has_const_part;
pub use compatible::{compatible, composite};

use crate::arena::ExprId;
use crate::constant::integer_constant;
use crate::expr::{Expr, ExprKind};
use crate::layout::Layouts;
use crate::print::type_text;
use crate::program::Program;
use crate::types::{FloatKind, IntKind, Type, TypeId, Types};

/// Why an expression has no type: a constraint of the language that it breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeError {
    /// What is wrong, without a full stop.
    pub message: String,
    /// What to do about it, if there is something to say.
    pub help: Option<&'static str>,
    /// The operand that is to blame, if it is one of several.
    pub culprit: Option<ExprId>,
}

impl TypeError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, culprit: None }
    }

    fn with_help(message: impl Into<String>, help: &'static str) -> Self {
        Self { message: message.into(), help: Some(help), culprit: None }
    }
}

/// The outcome of building an expression.
pub type Built = Result<ExprId, TypeError>;

/// The words that advise permissive mode, where it would help.
pub const PERMISSIVE_HELP: &str = "write a cast, or allow it with --permissive as old compilers do";

/// What building needs: the program that grows, and what is known about it.
#[derive(Debug)]
pub struct Builder<'a> {
    /// The program that gets the nodes.
    pub program: &'a mut Program,
    /// The layouts computed so far.
    pub layouts: &'a mut Layouts,
    /// Convert between pointers and integers, and between unrelated pointers,
    /// without a cast, as compilers do with a warning.
    pub permissive: bool,
}

impl Builder<'_> {
    /// Adds a node.
    pub fn node(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.program.exprs.push(Expr { kind, ty })
    }

    /// What the type of `expr` is, looking through typedefs.
    pub fn resolved(&self, expr: ExprId) -> &Type {
        self.program.resolve(self.program.type_of(expr))
    }

    /// The type of `expr` in words.
    fn words(&self, expr: ExprId) -> String {
        type_text(self.program, self.program.type_of(expr))
    }

    /// An integer constant of type `kind`.
    pub fn int(&mut self, kind: IntKind, value: u64) -> ExprId {
        self.node(ExprKind::Int(value), Types::int(kind))
    }

    /// C11 6.3.2.1: an lvalue is read, an array or a function becomes a pointer.
    pub fn value(&mut self, expr: ExprId) -> ExprId {
        let ty = self.program.type_of(expr);
        match self.program.resolve(ty) {
            Type::Array { element, .. } => {
                let element = *element;
                let pointer = self.program.types.pointer_to(element);
                self.node(ExprKind::Decay(expr), pointer)
            }
            Type::Function(_) => {
                let pointer = self.program.types.pointer_to(ty);
                self.node(ExprKind::Decay(expr), pointer)
            }
            _ if self.program.is_lvalue(expr) => self.node(ExprKind::Load(expr), ty.unqualified()),
            _ => expr,
        }
    }

    /// Converts a value to `ty`; nothing is added if it has that type already.
    /// Whether the conversion is allowed is the caller's business.
    pub fn convert(&mut self, expr: ExprId, ty: TypeId) -> ExprId {
        let ty = ty.unqualified();
        if self.program.type_of(expr) == ty { expr } else { self.node(ExprKind::Convert(expr), ty) }
    }

    /// The type of `expr` after the integer promotions, C11 6.3.1.1p2; `None` if it
    /// is not an integer.
    pub(super) fn promoted_type(&self, expr: ExprId) -> Option<TypeId> {
        let target = self.program.target;
        let ty = self.program.type_of(expr).unqualified();
        let class = self.program.integer_class(ty)?;
        let Type::Int(kind) = class else { return Some(ty) };
        let int_bits = target.int_bits(IntKind::Int);
        if let Some(width) = self.program.bit_field_width(expr)
            && width <= int_bits
        {
            let signed = target.int_signed(kind);
            return Some(if width < int_bits || signed {
                Types::INT
            } else {
                Types::int(IntKind::UInt)
            });
        }
        if kind.rank() >= IntKind::Int.rank() {
            return Some(Types::int(kind));
        }
        let fits = target.int_bits(kind) < int_bits || target.int_signed(kind);
        Some(if fits { Types::INT } else { Types::int(IntKind::UInt) })
    }

    /// The integer promotions; other values stay as they are.
    pub fn promote(&mut self, expr: ExprId) -> ExprId {
        match self.promoted_type(expr) {
            Some(ty) => self.convert(expr, ty),
            None => expr,
        }
    }

    /// The default argument promotions, C11 6.5.2.2p6.
    pub fn promote_argument(&mut self, expr: ExprId) -> ExprId {
        match *self.resolved(expr) {
            Type::Float(FloatKind::Float) => self.convert(expr, Types::DOUBLE),
            _ => self.promote(expr),
        }
    }

    /// The common type of the usual arithmetic conversions, C11 6.3.1.8, of two
    /// arithmetic values; `None` if one is not arithmetic.
    pub(super) fn common_type(&mut self, left: ExprId, right: ExprId) -> Option<TypeId> {
        let left_complex = self.complex_element(left);
        let right_complex = self.complex_element(right);
        let left_real = match left_complex {
            Some(element) => element,
            None => self.promoted_real(left)?,
        };
        let right_real = match right_complex {
            Some(element) => element,
            None => self.promoted_real(right)?,
        };
        let real = self.common_real(left_real, right_real)?;
        if left_complex.is_some() || right_complex.is_some() {
            Some(self.program.types.complex_of(real))
        } else {
            Some(real)
        }
    }

    fn complex_element(&self, expr: ExprId) -> Option<TypeId> {
        match self.resolved(expr) {
            Type::Complex(element) => Some(*element),
            _ => None,
        }
    }

    fn promoted_real(&self, expr: ExprId) -> Option<TypeId> {
        match self.resolved(expr) {
            Type::Float(kind) => Some(Types::float(*kind)),
            _ => self.promoted_type(expr),
        }
    }

    fn common_real(&self, left: TypeId, right: TypeId) -> Option<TypeId> {
        if left == right {
            return Some(left);
        }
        let target = self.program.target;
        Some(match (self.program.resolve(left), self.program.resolve(right)) {
            (Type::Float(a), Type::Float(b)) => {
                if float_rank(target, *a) >= float_rank(target, *b) { left } else { right }
            }
            (Type::Float(_), _) => left,
            (_, Type::Float(_)) => right,
            _ => {
                let (a, b) =
                    (self.program.integer_class(left)?, self.program.integer_class(right)?);
                let rank = |ty: &Type| match *ty {
                    // A bit-precise type ranks below a standard type of its width.
                    Type::BitInt { width, .. } => (width, 0),
                    Type::Int(kind) => (target.int_bits(kind), 1 + kind.rank()),
                    _ => unreachable!("integer_class returns integer types"),
                };
                let signed = |ty: &Type| match *ty {
                    Type::BitInt { signed, .. } => signed,
                    Type::Int(kind) => target.int_signed(kind),
                    _ => unreachable!("integer_class returns integer types"),
                };
                let unsigned = |ty: &Type, id: TypeId| match *ty {
                    Type::Int(kind) => Types::int(kind.to_unsigned()),
                    _ => id,
                };
                match (signed(&a), signed(&b)) {
                    (true, true) | (false, false) => {
                        if rank(&a) >= rank(&b) {
                            left
                        } else {
                            right
                        }
                    }
                    (a_signed, _) => {
                        let ((s, s_id), (u, u_id)) = if a_signed {
                            ((&a, left), (&b, right))
                        } else {
                            ((&b, right), (&a, left))
                        };
                        if rank(u) >= rank(s) {
                            u_id
                        } else if rank(s).0 > rank(u).0 {
                            s_id
                        } else {
                            unsigned(s, s_id)
                        }
                    }
                }
            }
        })
    }

    /// The usual arithmetic conversions of two arithmetic values. A real operand of
    /// a complex operation stays real (C11 6.3.1.8p1). Returns the operands and the
    /// common type; `None` if one is not arithmetic.
    fn usual_conversions(
        &mut self,
        left: ExprId,
        right: ExprId,
    ) -> Option<(ExprId, ExprId, TypeId)> {
        let common = self.common_type(left, right)?;
        let real = match self.program.resolve(common) {
            Type::Complex(element) => *element,
            _ => common,
        };
        let mut side = |expr: ExprId| {
            let ty = if self.complex_element(expr).is_some() { common } else { real };
            self.convert(expr, ty)
        };
        let (left, right) = (side(left), side(right));
        Some((left, right, common))
    }

    /// A value as a condition: any scalar, compared with zero where it is used.
    pub fn condition(&mut self, expr: ExprId) -> Built {
        let value = self.value(expr);
        if self.program.is_scalar(self.program.type_of(value)) {
            Ok(value)
        } else {
            Err(TypeError::new(format!(
                "a condition must be a number or a pointer, this has type `{}`",
                self.words(value)
            )))
        }
    }

    /// Whether `expr` is a null pointer constant, C11 6.3.2.3p3.
    pub fn is_null_constant(&mut self, expr: ExprId) -> bool {
        let ty = self.program.type_of(expr);
        match &self.program[expr].kind {
            ExprKind::Int(value) => *value == 0,
            ExprKind::Cast(operand) if self.program.pointee(ty) == Some(Types::VOID) => {
                let operand = *operand;
                self.program.is_integer(self.program.type_of(operand))
                    && self.is_null_constant(operand)
            }
            _ if matches!(self.program.resolve(ty), Type::NullPointer) => true,
            _ if self.program.is_integer(ty) => {
                integer_constant(self.program, self.layouts, expr) == Ok(0)
            }
            _ => false,
        }
    }
}

/// An order on floating types: precision, then the exact interchange types before the others.
fn float_rank(target: &crate::target::Target, kind: FloatKind) -> (u32, u32) {
    use crate::target::FloatFormat;
    let precision = match target.float_scalar(kind).map(|(_, format)| format) {
        Some(FloatFormat::Half) => 11,
        Some(FloatFormat::Single) => 24,
        Some(FloatFormat::Double) => 53,
        Some(FloatFormat::X87) => 64,
        Some(FloatFormat::Quad) | None => 113,
    };
    let preference = match kind {
        FloatKind::Float => 0,
        FloatKind::Double => 1,
        FloatKind::LongDouble => 2,
        FloatKind::Float32x | FloatKind::Float64x => 3,
        FloatKind::Float16 | FloatKind::Float32 | FloatKind::Float64 | FloatKind::Float128 => 4,
    };
    (precision, preference)
}
