//! Initialisers of objects that live as long as the program are constant, C11 6.7.9p4.
//!
//! What compilers accept is wider than C11 6.6 and differs among them. This check is on
//! the side of the program: it refuses what needs the program to run (reading a variable,
//! calling a function, storing something, the address of a local), and leaves the fine
//! print, such as which arithmetic on addresses a linker can do, to the compiler.

use farrier_lang::constant::{Constant, evaluate, integer_constant};
use farrier_lang::{
    ExprId, ExprKind, IntKind, ObjectId, Qualifiers, Span, Storage, Type, TypeId, Types, UnaryOp,
};

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

    /// Checks the initialiser of a `constexpr` object, C23 6.7.1. One with an arithmetic type
    /// is a named constant: a use of its value is that constant.
    pub(super) fn name_constant(&mut self, id: ObjectId) -> Parse<()> {
        let ty = self.program[id].ty;
        let init = self.program[id].init.expect("the caller has parsed it");
        let span = self.expr_span(init);
        if !self.program.is_arithmetic(ty) {
            let null = self.program.pointee(ty).is_none() || self.is_null(init);
            return match self.not_constant(init) {
                None if null => Ok(()),
                _ => Err(self.constraint(span, "the initialiser of `constexpr` is a constant")),
            };
        }
        let constant = evaluate(&self.program, &mut self.layouts, init);
        let given = match self.program[init].kind {
            ExprKind::Convert(operand) => evaluate(&self.program, &mut self.layouts, operand),
            _ => constant,
        };
        let (Ok(constant), Ok(given)) = (constant, given) else {
            if self.not_constant(init).is_none() {
                let message = "a `constexpr` object made from parts of others is not supported";
                return Err(self.unsupported(span, message));
            }
            return Err(self.constraint(span, "the initialiser of `constexpr` is a constant"));
        };
        if let (Constant::Integer { value, .. }, Constant::Integer { value: given, .. }) =
            (constant, given)
            && value != given
        {
            let ty = self.type_text(ty);
            return Err(self.constraint(span, format!("`{ty}` cannot hold the value {given}")));
        }
        if let (Constant::Integer { .. }, Constant::Float(_)) = (constant, given) {
            return Err(self.constraint(span, "an integer `constexpr` is given as an integer"));
        }
        self.constants.insert(id, constant);
        Ok(())
    }

    fn is_null(&mut self, init: ExprId) -> bool {
        let operand = match self.program[init].kind {
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => operand,
            _ => init,
        };
        self.program.resolve(self.program.type_of(operand)) == &Type::NullPointer
            || integer_constant(&self.program, &mut self.layouts, operand) == Ok(0)
    }

    /// The value of a named constant of type `ty`.
    pub(super) fn named_constant(
        &mut self,
        constant: Constant,
        ty: TypeId,
        span: Span,
    ) -> Parse<ExprId> {
        let ty = ty.unqualified();
        let literal = match constant {
            Constant::Float(value) => {
                let id = self.program.floats.push(value.bits);
                return self.node(span, ExprKind::Float(id), ty);
            }
            Constant::Integer { value, .. } => u64::try_from(value.unsigned_abs())
                .map(|magnitude| (magnitude, value < 0))
                .map_err(|_| self.unsupported(span, "this constant has too many bits")),
            Constant::Address(_) => Err(self.unsupported(span, "this constant is an address")),
        };
        let (magnitude, negative) = literal?;
        let longest = Types::int(IntKind::ULongLong);
        let mut value = self.node(span, ExprKind::Int(magnitude), longest)?;
        if negative {
            value = self.node(span, ExprKind::Unary(UnaryOp::Minus, value), longest)?;
        }
        self.node(span, ExprKind::Cast(value), ty)
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
