//! Initialisers of objects that live as long as the program are constant, C11 6.7.9p4.
//!
//! What compilers accept is wider than C11 6.6 and differs among them. This check is on
//! the side of the program: it refuses what needs the program to run (reading a variable,
//! calling a function, storing something, the address of a local), and leaves the fine
//! print, such as which arithmetic on addresses a linker can do, to the compiler.

use farrier_lang::constant::integer_constant;
use farrier_lang::{ExprId, ExprKind, ObjectId, Qualifiers, Storage, Type};

use super::{Parse, Parser};

impl Parser<'_> {
    /// Checks the initialiser of an object, if it must be constant.
    pub(super) fn check_static_initialiser(&mut self, id: ObjectId) -> Parse<()> {
        let object = &self.program[id];
        let (Storage::Static | Storage::Thread, Some(init)) = (object.storage, object.init) else {
            return Ok(());
        };
        match self.not_constant(init) {
            None => Ok(()),
            Some(culprit) => {
                let mut error = self.constraint(
                    self.expr_span(culprit),
                    "the initialiser of an object that always exists is a constant",
                );
                error.label = "this is known only when the program runs".to_owned();
                Err(Self::with_help(error, "assign the value where the program begins"))
            }
        }
    }

    /// The first part of a value that needs the program to run.
    fn not_constant(&mut self, expr: ExprId) -> Option<ExprId> {
        match self.program[expr].kind.clone() {
            ExprKind::Decay(operand) | ExprKind::AddressOf(operand) => self.not_static(operand),
            ExprKind::Load(operand) => self.not_readable(operand).then_some(expr),
            ExprKind::Logical(op, left, right) => {
                let decided = match integer_constant(&self.program, &mut self.layouts, left) {
                    Ok(value) => (value != 0) == (op == farrier_lang::LogicalOp::Or),
                    Err(_) => false,
                };
                let left = self.not_constant(left);
                if decided { left } else { left.or_else(|| self.not_constant(right)) }
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                match integer_constant(&self.program, &mut self.layouts, condition) {
                    Ok(0) => self.not_constant(otherwise),
                    Ok(_) => self.not_constant(then),
                    Err(_) => {
                        let mut parts = [condition, then, otherwise].into_iter();
                        parts.find_map(|part| self.not_constant(part))
                    }
                }
            }
            // Compilers compute many of them.
            ExprKind::Builtin(..) => None,
            // Not evaluated.
            ExprKind::SizeofExpr(_) | ExprKind::AlignofExpr(..) => None,
            ExprKind::Assign(..)
            | ExprKind::CompoundAssign { .. }
            | ExprKind::Step(..)
            | ExprKind::Call(..)
            | ExprKind::StatementExpr(_)
            | ExprKind::VaArg(_) => Some(expr),
            kind => {
                let mut operands = Vec::new();
                kind.for_each_operand(|operand| operands.push(operand));
                operands.into_iter().find_map(|operand| self.not_constant(operand))
            }
        }
    }

    /// The first part of an lvalue because of which its address is not known before the
    /// program runs.
    fn not_static(&mut self, lvalue: ExprId) -> Option<ExprId> {
        match self.program[lvalue].kind {
            ExprKind::Object(object) => {
                (self.program[object].storage != Storage::Static).then_some(lvalue)
            }
            ExprKind::String(_) | ExprKind::Function(_) => None,
            // In a function, it lives only as long as its block.
            ExprKind::CompoundLiteral(_) if self.function.is_some() => Some(lvalue),
            ExprKind::CompoundLiteral(init) => self.not_constant(init),
            ExprKind::Deref(pointer) => self.not_constant(pointer),
            ExprKind::Member(whole, _) | ExprKind::Unary(_, whole) => self.not_static(whole),
            ExprKind::Index(base, index) => {
                let vector =
                    matches!(self.program.resolve(self.program.type_of(base)), Type::Vector { .. });
                let base = if vector { self.not_static(base) } else { self.not_constant(base) };
                base.or_else(|| self.not_constant(index))
            }
            _ => Some(lvalue),
        }
    }

    /// Whether a compiler cannot know what an lvalue holds. GCC reads constants, and takes
    /// a compound literal for its initialiser.
    fn not_readable(&mut self, lvalue: ExprId) -> bool {
        if let ExprKind::CompoundLiteral(init) = self.program[lvalue].kind {
            return self.not_constant(init).is_some();
        }
        let qualifiers = self.program.type_of(lvalue).qualifiers();
        let constant =
            qualifiers.contains(Qualifiers::CONST) && !qualifiers.contains(Qualifiers::VOLATILE);
        !constant && !self.is_inside_string(lvalue)
    }

    /// `"abc"[1]`
    fn is_inside_string(&self, lvalue: ExprId) -> bool {
        match self.program[lvalue].kind {
            ExprKind::String(_) => true,
            ExprKind::Index(operand, _)
            | ExprKind::Decay(operand)
            | ExprKind::Deref(operand)
            | ExprKind::Binary(_, operand, _) => self.is_inside_string(operand),
            _ => false,
        }
    }
}
