//! Calls of builtins, and guards.

use farrier_lang::builtins::{Builtin, GenericRule, Prototype};
use farrier_lang::wrapper::{Wrapper, WrapperOperation, WrapperType};
use farrier_lang::{
    ExprId, ExprKind, Fallback, GuardCheck, IntKind, Span, Type, TypeId, Types, UnaryOp,
};

use super::{Parse, Parser};
use crate::token::TokenKind;

impl Parser<'_> {
    /// A call of a builtin, at its opening parenthesis.
    pub(super) fn builtin_call(&mut self, builtin: Builtin, from: Span) -> Parse<ExprId> {
        self.expect(TokenKind::LeftParen)?;
        let arguments = self.arguments()?;
        let span = self.since(from);
        match builtin.row().prototype {
            Prototype::Fixed(_) => self.fixed_builtin(builtin, arguments, span),
            Prototype::Generic(rule) => self.generic_builtin(builtin, rule, arguments, span),
        }
    }

    fn fixed_builtin(
        &mut self,
        builtin: Builtin,
        mut arguments: Vec<ExprId>,
        span: Span,
    ) -> Parse<ExprId> {
        let ty = builtin
            .function_type(&mut self.program.types, self.program.target)
            .expect("a fixed prototype has a type");
        let count = ty.parameters.len();
        if arguments.len() < count || arguments.len() > count && !ty.variadic {
            return Err(self.wrong_count(builtin, span));
        }
        for (position, argument) in arguments.iter_mut().enumerate() {
            let expr = *argument;
            let place = self.expr_span(expr);
            *argument = match ty.parameters.get(position) {
                Some(parameter) => {
                    self.build(place, |builder| builder.convert_assigned(expr, *parameter))?
                }
                None => self.make(place, |builder| {
                    let value = builder.value(expr);
                    builder.promote_argument(value)
                })?,
            };
        }
        self.node(span, ExprKind::Builtin(builtin, arguments.into()), ty.result.unqualified())
    }

    fn wrong_count(&self, builtin: Builtin, span: Span) -> Box<crate::Diagnostic> {
        self.constraint(span, format!("wrong number of arguments for `{}`", builtin.name()))
    }

    /// How many arguments a rule takes, at least and at most.
    fn argument_range(rule: GenericRule) -> (usize, usize) {
        match rule {
            GenericRule::AnyToInt | GenericRule::AnyToVoid => (1, 1),
            GenericRule::SpeculationSafe => (1, 2),
            GenericRule::FloatsToInt => (1, 2),
            GenericRule::FpClassify => (6, 6),
            GenericRule::Overflow | GenericRule::OverflowTest => (3, 3),
            GenericRule::Complex => (2, 2),
            GenericRule::Shuffle => (2, 3),
            GenericRule::ShuffleVector => (3, usize::MAX),
            GenericRule::ConvertVector => (1, 1),
            GenericRule::VaStart => (1, usize::MAX),
            GenericRule::VaEnd => (1, 1),
            GenericRule::VaCopy => (2, 2),
            GenericRule::SyncFetch | GenericRule::SyncVoid => (1, usize::MAX),
            GenericRule::SyncBool => (3, usize::MAX),
            GenericRule::AtomicFetch => (2, 3),
            GenericRule::AtomicStore => (3, 3),
            GenericRule::AtomicPointers => (3, 4),
            GenericRule::AtomicCompareExchangeN | GenericRule::AtomicCompareExchange => (6, 6),
        }
    }

    fn generic_builtin(
        &mut self,
        builtin: Builtin,
        rule: GenericRule,
        mut arguments: Vec<ExprId>,
        span: Span,
    ) -> Parse<ExprId> {
        let (least, most) = Self::argument_range(rule);
        if arguments.len() < least || arguments.len() > most {
            return Err(self.wrong_count(builtin, span));
        }
        // A va_list is designated, not read: it may be an array.
        let designates =
            matches!(rule, GenericRule::VaStart | GenericRule::VaEnd | GenericRule::VaCopy);
        for (position, argument) in arguments.iter_mut().enumerate() {
            if !designates || rule == GenericRule::VaStart && position > 0 {
                *argument = self.value(*argument)?;
            }
        }
        let lists = match rule {
            GenericRule::VaStart | GenericRule::VaEnd => 1,
            GenericRule::VaCopy => 2,
            _ => 0,
        };
        for &list in &arguments[..lists] {
            self.check_va_list(list)?;
        }
        let int = Types::INT;
        let boolean = Types::int(IntKind::Bool);
        let ty = match rule {
            GenericRule::AnyToInt | GenericRule::FloatsToInt => int,
            GenericRule::FpClassify => {
                for argument in &mut arguments[..5] {
                    *argument = self.build(span, |b| b.convert_assigned(*argument, int))?;
                }
                int
            }
            GenericRule::Overflow => {
                let pointee = self.pointee_of(arguments[2]);
                let integers =
                    self.is_integer_expr(arguments[0]) && self.is_integer_expr(arguments[1]);
                if !integers || !pointee.is_some_and(|ty| self.program.is_integer(ty)) {
                    return Err(self.wrong_type(builtin, span));
                }
                boolean
            }
            GenericRule::OverflowTest => {
                if !arguments.iter().all(|argument| self.is_integer_expr(*argument)) {
                    return Err(self.wrong_type(builtin, span));
                }
                boolean
            }
            GenericRule::Complex => {
                let ty = self.program.type_of(arguments[0]);
                if !matches!(self.program.resolve(ty), Type::Float(_)) {
                    return Err(self.wrong_type(builtin, span));
                }
                self.program.types.complex_of(ty)
            }
            GenericRule::Shuffle | GenericRule::SpeculationSafe => {
                self.program.type_of(arguments[0])
            }
            GenericRule::ShuffleVector => {
                let Type::Vector { element, .. } =
                    *self.program.resolve(self.program.type_of(arguments[0]))
                else {
                    return Err(self.wrong_type(builtin, span));
                };
                self.program.types.vector_of(element, arguments.len() as u32 - 2)
            }
            GenericRule::ConvertVector => return Err(self.wrong_type(builtin, span)),
            GenericRule::VaStart
            | GenericRule::VaEnd
            | GenericRule::VaCopy
            | GenericRule::AnyToVoid
            | GenericRule::AtomicPointers => Types::VOID,
            GenericRule::SyncFetch
            | GenericRule::SyncBool
            | GenericRule::SyncVoid
            | GenericRule::AtomicFetch
            | GenericRule::AtomicStore => {
                self.atomic_operation(builtin, rule, &mut arguments, span)?
            }
            GenericRule::AtomicCompareExchangeN => {
                let Some(pointee) = self.pointee_of(arguments[0]) else {
                    return Err(self.wrong_type(builtin, span));
                };
                arguments[2] = self.build(span, |b| b.convert_assigned(arguments[2], pointee))?;
                boolean
            }
            GenericRule::AtomicCompareExchange => boolean,
        };
        self.node(span, ExprKind::Builtin(builtin, arguments.into()), ty.unqualified())
    }

    fn wrong_type(&self, builtin: Builtin, span: Span) -> Box<crate::Diagnostic> {
        self.constraint(span, format!("wrong types of arguments for `{}`", builtin.name()))
    }

    /// What `va_arg` and its relatives work on is an object of their type.
    pub(super) fn check_va_list(&self, list: ExprId) -> Parse<()> {
        let ty = self.program.type_of(list);
        if *self.program.resolve(ty) == Type::VaList && self.program.is_lvalue(list) {
            return Ok(());
        }
        Err(self.constraint(
            self.expr_span(list),
            format!("a `va_list` object is needed here, this has type `{}`", self.type_text(ty)),
        ))
    }

    fn is_integer_expr(&self, expr: ExprId) -> bool {
        self.program.is_integer(self.program.type_of(expr))
    }

    fn pointee_of(&self, expr: ExprId) -> Option<TypeId> {
        self.program.pointee(self.program.type_of(expr))
    }

    /// Operations on the target of a pointer: values are converted to its type.
    fn atomic_operation(
        &mut self,
        builtin: Builtin,
        rule: GenericRule,
        arguments: &mut [ExprId],
        span: Span,
    ) -> Parse<TypeId> {
        let Some(pointee) = self.pointee_of(arguments[0]) else {
            return Err(self.wrong_type(builtin, span));
        };
        let pointee = pointee.unqualified();
        let values = match rule {
            GenericRule::SyncFetch | GenericRule::SyncVoid => 1,
            GenericRule::SyncBool => 2,
            // All but the memory order, which comes last.
            _ => arguments.len() - 2,
        };
        for argument in arguments.iter_mut().skip(1).take(values) {
            *argument = self.build(span, |b| b.convert_assigned(*argument, pointee))?;
        }
        Ok(match rule {
            GenericRule::SyncBool => Types::int(IntKind::Bool),
            GenericRule::SyncVoid | GenericRule::AtomicStore => Types::VOID,
            _ => pointee,
        })
    }

    /// `__builtin_convertvector(vector, type)`, after the keyword.
    pub(super) fn convert_vector(&mut self, from: Span) -> Parse<ExprId> {
        self.expect(TokenKind::LeftParen)?;
        let vector = self.assignment_expression()?;
        let vector = self.value(vector)?;
        self.expect(TokenKind::Comma)?;
        let ty = self.type_name()?;
        self.expect(TokenKind::RightParen)?;
        let span = self.since(from);
        let builtin = Builtin::by_name("__builtin_convertvector").expect("it is in the table");
        let lanes = |ty: &Type| match ty {
            Type::Vector { lanes, .. } => Some(*lanes),
            _ => None,
        };
        let source = lanes(self.program.resolve(self.program.type_of(vector)));
        if source.is_none() || source != lanes(self.program.resolve(ty)) {
            return Err(self.wrong_type(builtin, span));
        }
        self.node(span, ExprKind::Builtin(builtin, [vector].into()), ty.unqualified())
    }

    /// A call of a guard wrapper, which the printer wrote for a guard, at its
    /// opening parenthesis: the guard again.
    pub(super) fn guard(&mut self, wrapper: Wrapper, from: Span) -> Parse<ExprId> {
        self.expect(TokenKind::LeftParen)?;
        let mut arguments = self.arguments()?;
        let span = self.since(from);
        let fallback = if wrapper.or { arguments.pop() } else { None };
        let operation =
            !matches!(wrapper.operation, WrapperOperation::Index(_) | WrapperOperation::Pointer);
        if !wrapper.or && !operation {
            // Without an operation there is no first operand to fall back to.
            return Err(Self::with_help(
                self.constraint(from, "this guard needs a value to fall back to"),
                "add `_or` to its name, and the value as the last argument",
            ));
        }
        let operand = self.guarded_operand(wrapper.operation, &arguments, span)?;
        let ty = self.program.type_of(operand);
        let check = match wrapper.operation {
            WrapperOperation::Index(_) => {
                let bound = match self.program[arguments[1]].kind {
                    ExprKind::Int(bound) => u16::try_from(bound).ok(),
                    _ => None,
                };
                match bound {
                    Some(bound) => GuardCheck::Index { bound },
                    None => {
                        let message = "the bound of an index is a constant of 16 bits";
                        return Err(self.constraint(span, message));
                    }
                }
            }
            WrapperOperation::Pointer => GuardCheck::Pointer,
            _ if wrapper.exact => GuardCheck::Exact,
            _ => GuardCheck::Operation,
        };
        let fallback = match fallback {
            Some(value) => Fallback::Value(self.build(span, |b| b.convert_assigned(value, ty))?),
            None => Fallback::FirstOperand,
        };
        self.node(span, ExprKind::Guard { check, operand, fallback }, ty)
    }

    fn guarded_operand(
        &mut self,
        operation: WrapperOperation,
        arguments: &[ExprId],
        span: Span,
    ) -> Parse<ExprId> {
        match (operation, arguments) {
            (WrapperOperation::Minus(_), &[value]) => {
                self.build(span, |b| b.unary(UnaryOp::Minus, value))
            }
            (WrapperOperation::Binary(op, _) | WrapperOperation::Shift(op, ..), &[left, right]) => {
                self.build(span, |b| b.binary(op, left, right))
            }
            (WrapperOperation::Convert { to, .. }, &[value]) => {
                let to = self.wrapper_type(to);
                let value = self.value(value)?;
                self.node(span, ExprKind::Convert(value), to)
            }
            (WrapperOperation::Cast { to, .. }, &[value]) => {
                let to = self.wrapper_type(to);
                self.build(span, |b| b.cast(value, to))
            }
            (WrapperOperation::Index(_), &[value, _]) | (WrapperOperation::Pointer, &[value]) => {
                self.value(value)
            }
            _ => Err(self.constraint(span, "wrong number of arguments for a guard")),
        }
    }

    fn wrapper_type(&mut self, ty: WrapperType) -> TypeId {
        match ty {
            WrapperType::Int(kind) => Types::int(kind),
            WrapperType::Float(kind) => Types::float(kind),
            WrapperType::BitInt { signed, width } => {
                self.program.types.intern(Type::BitInt { signed, width })
            }
        }
    }
}
