//! Expressions with operators, C11 6.5.

use farrier_lang::{
    AlignofForm, BinaryOp, ExprId, ExprKind, GuardCheck, LogicalOp, OffsetStep, StepOp, Storage,
    Type, TypeId, UnaryOp,
};

use super::{Parse, Parser};
use crate::token::TokenKind;

/// What stands between two operands.
#[derive(Clone, Copy)]
enum Infix {
    Binary(BinaryOp),
    Logical(LogicalOp),
}

/// The operator that a token is, and how tightly it binds.
fn infix(kind: TokenKind) -> Option<(u8, Infix)> {
    use TokenKind::*;
    Some(match kind {
        OrOr => (1, Infix::Logical(LogicalOp::Or)),
        AndAnd => (2, Infix::Logical(LogicalOp::And)),
        Pipe => (3, Infix::Binary(BinaryOp::BitOr)),
        Caret => (4, Infix::Binary(BinaryOp::BitXor)),
        Ampersand => (5, Infix::Binary(BinaryOp::BitAnd)),
        EqualEqual => (6, Infix::Binary(BinaryOp::Equal)),
        BangEqual => (6, Infix::Binary(BinaryOp::NotEqual)),
        Less => (7, Infix::Binary(BinaryOp::Less)),
        Greater => (7, Infix::Binary(BinaryOp::Greater)),
        LessEqual => (7, Infix::Binary(BinaryOp::LessEqual)),
        GreaterEqual => (7, Infix::Binary(BinaryOp::GreaterEqual)),
        ShiftLeft => (8, Infix::Binary(BinaryOp::Shl)),
        ShiftRight => (8, Infix::Binary(BinaryOp::Shr)),
        Plus => (9, Infix::Binary(BinaryOp::Add)),
        Minus => (9, Infix::Binary(BinaryOp::Sub)),
        Star => (10, Infix::Binary(BinaryOp::Mul)),
        Slash => (10, Infix::Binary(BinaryOp::Div)),
        Percent => (10, Infix::Binary(BinaryOp::Rem)),
        _ => return None,
    })
}

/// The operator of a compound assignment.
fn compound(kind: TokenKind) -> Option<BinaryOp> {
    use TokenKind::*;
    Some(match kind {
        PlusEqual => BinaryOp::Add,
        MinusEqual => BinaryOp::Sub,
        StarEqual => BinaryOp::Mul,
        SlashEqual => BinaryOp::Div,
        PercentEqual => BinaryOp::Rem,
        AmpersandEqual => BinaryOp::BitAnd,
        PipeEqual => BinaryOp::BitOr,
        CaretEqual => BinaryOp::BitXor,
        ShiftLeftEqual => BinaryOp::Shl,
        ShiftRightEqual => BinaryOp::Shr,
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression, commas included, C11 6.5.17. The result may be an lvalue.
    pub(super) fn expression(&mut self) -> Parse<ExprId> {
        let from = self.span();
        let mut left = self.assignment_expression()?;
        while self.eat(TokenKind::Comma) {
            let right = self.assignment_expression()?;
            let span = self.since(from);
            left = self.make(span, |builder| builder.comma(left, right))?;
        }
        Ok(left)
    }

    /// C11 6.5.16.
    pub(super) fn assignment_expression(&mut self) -> Parse<ExprId> {
        if self.at_lone_operand() {
            return self.primary_expression();
        }
        self.nest()?;
        let from = self.span();
        let left = self.conditional_expression()?;
        let result = if self.eat(TokenKind::Equal) {
            let right = self.assignment_expression()?;
            let span = self.since(from);
            self.build(span, |builder| builder.assign(left, right))?
        } else if let Some(op) = compound(self.peek()) {
            self.advance();
            let right = self.assignment_expression()?;
            let span = self.since(from);
            // Both operands get their places before building, which takes nodes back.
            self.build(span, |builder| builder.compound_assign(op, left, right))?
        } else {
            left
        };
        self.unnest();
        Ok(result)
    }

    /// Whether a name or a number follows that is the whole expression, as most arguments
    /// and initialisers are. Asking all levels of operators in vain takes longer.
    fn at_lone_operand(&self) -> bool {
        use TokenKind::{Comma, Identifier, Number, RightBrace, RightParen, Semicolon};
        matches!(self.peek(), Identifier | Number)
            && matches!(self.peek_at(1), Comma | RightBrace | RightParen | Semicolon)
    }

    /// C11 6.5.15, and the GNU form without a middle operand.
    pub(super) fn conditional_expression(&mut self) -> Parse<ExprId> {
        let from = self.span();
        let condition = self.binary_expression(1)?;
        if !self.eat(TokenKind::Question) {
            return Ok(condition);
        }
        self.nest()?;
        let then = if self.peek() == TokenKind::Colon { None } else { Some(self.expression()?) };
        self.expect(TokenKind::Colon)?;
        let otherwise = self.conditional_expression()?;
        self.unnest();
        let span = self.since(from);
        self.build(span, |builder| builder.conditional(condition, then, otherwise))
    }

    /// Operators with two operands, by precedence climbing, C11 6.5.5 to 6.5.14.
    fn binary_expression(&mut self, level: u8) -> Parse<ExprId> {
        let from = self.span();
        let mut left = self.cast_expression()?;
        while let Some((binds, operator)) = infix(self.peek()) {
            if binds < level {
                break;
            }
            self.advance();
            let right = self.binary_expression(binds + 1)?;
            let span = self.since(from);
            left = match operator {
                Infix::Binary(op) => self.build(span, |builder| builder.binary(op, left, right))?,
                Infix::Logical(op) => {
                    self.build(span, |builder| builder.logical(op, left, right))?
                }
            };
        }
        Ok(left)
    }

    /// `(type)operand` and compound literals, C11 6.5.4 and 6.5.2.5.
    pub(super) fn cast_expression(&mut self) -> Parse<ExprId> {
        if self.peek() != TokenKind::LeftParen || !self.at_type_name(1) {
            return self.unary_expression();
        }
        self.nest()?;
        let from = self.span();
        let ty = self.parenthesised_type()?;
        self.name_records(None);
        let result = if self.peek() == TokenKind::LeftBrace {
            let literal = self.compound_literal(ty, from)?;
            self.postfix_operators(literal, from)?
        } else {
            let operand = self.cast_expression()?;
            let span = self.since(from);
            // The wrapper of a pointer guard returns `void *`: the cast belongs to it.
            let guard = matches!(
                self.program[operand].kind,
                ExprKind::Guard { check: GuardCheck::Pointer, .. }
            );
            if guard && self.program.type_of(operand) == ty {
                operand
            } else {
                self.build(span, |builder| builder.cast(operand, ty))?
            }
        };
        self.unnest();
        Ok(result)
    }

    fn compound_literal(&mut self, ty: TypeId, from: farrier_lang::Span) -> Parse<ExprId> {
        if self.has_variable_size(ty) {
            return Err(self.constraint(from, "a compound literal cannot have variable length"));
        }
        let (ty, init) = self.braced_initialiser(ty)?;
        self.node(self.since(from), ExprKind::CompoundLiteral(init), ty)
    }

    /// C11 6.5.3.
    fn unary_expression(&mut self) -> Parse<ExprId> {
        use TokenKind::*;
        let token = self.token();
        let from = token.span;
        match token.kind {
            PlusPlus | MinusMinus | Ampersand | AndAnd | Star | Plus | Minus | Tilde | Bang
            | Real | Imag | Extension | Sizeof | Alignof | AlignofGnu => {}
            _ => return self.postfix_expression(),
        }
        self.nest()?;
        self.advance();
        let result = match token.kind {
            PlusPlus | MinusMinus => {
                let op = if token.kind == PlusPlus {
                    StepOp::PreIncrement
                } else {
                    StepOp::PreDecrement
                };
                let operand = self.unary_expression()?;
                let span = self.since(from);
                self.build(span, |builder| builder.step(op, operand))?
            }
            Ampersand => {
                let operand = self.cast_expression()?;
                let span = self.since(from);
                if self.is_in_register(operand) {
                    return Err(self.constraint(span, "what is in a register has no address"));
                }
                self.build(span, |builder| builder.any_address_of(operand))?
            }
            AndAnd => {
                let (name, span) = self.expect_name()?;
                let label = self.use_label(name, span)?;
                let ty = self.program.types.pointer_to(farrier_lang::Types::VOID);
                self.node(self.since(from), ExprKind::LabelAddress(label), ty)?
            }
            Star => {
                let operand = self.cast_expression()?;
                let span = self.since(from);
                self.build(span, |builder| builder.deref(operand))?
            }
            Extension => self.cast_expression()?,
            Sizeof => self.sizeof(from)?,
            Alignof => self.alignof(from, AlignofForm::Standard)?,
            AlignofGnu => self.alignof(from, AlignofForm::Preferred)?,
            kind => {
                let op = match kind {
                    Plus => UnaryOp::Plus,
                    Minus => UnaryOp::Minus,
                    Tilde => UnaryOp::BitNot,
                    Bang => UnaryOp::Not,
                    Real => UnaryOp::Real,
                    _ => UnaryOp::Imag,
                };
                let operand = self.cast_expression()?;
                let span = self.since(from);
                self.build(span, |builder| builder.unary(op, operand))?
            }
        };
        self.unnest();
        Ok(result)
    }

    /// After `sizeof`: a type in parentheses, or an expression that is not evaluated.
    fn sizeof(&mut self, from: farrier_lang::Span) -> Parse<ExprId> {
        let size = self.size_type();
        let (kind, ty) = match self.type_or_expression()? {
            Err(ty) => (ExprKind::SizeofType(ty), ty),
            Ok(expr) => {
                if self.is_bit_field(expr) {
                    return Err(
                        self.constraint(self.since(from), "a bit-field has no size in bytes")
                    );
                }
                (ExprKind::SizeofExpr(expr), self.program.type_of(expr))
            }
        };
        let span = self.since(from);
        self.builder().check_sizeof(ty).map_err(|error| self.type_error(span, error))?;
        self.node(span, kind, size)
    }

    fn is_in_register(&self, lvalue: ExprId) -> bool {
        match self.program[lvalue].kind {
            ExprKind::Object(id) => self.program[id].storage == Storage::Register,
            ExprKind::Member(whole, _) => self.is_in_register(whole),
            _ => false,
        }
    }

    fn is_bit_field(&self, expr: ExprId) -> bool {
        match self.program[expr].kind {
            ExprKind::Member(base, index) => {
                let ty = self.program.resolve(self.program.type_of(base));
                let Type::Record(record) = ty else { return false };
                let fields = self.program[*record].fields.as_deref().unwrap_or_default();
                fields[index as usize].bits.is_some()
            }
            _ => false,
        }
    }

    fn alignof(&mut self, from: farrier_lang::Span, form: AlignofForm) -> Parse<ExprId> {
        let size = self.size_type();
        let (kind, ty) = match self.type_or_expression()? {
            Err(ty) => (ExprKind::AlignofType(form, ty), ty),
            Ok(expr) => (ExprKind::AlignofExpr(form, expr), self.program.type_of(expr)),
        };
        let span = self.since(from);
        self.builder().check_sizeof(ty).map_err(|error| self.type_error(span, error))?;
        self.node(span, kind, size)
    }

    /// A type in parentheses (`Err`), or a unary expression (`Ok`), which may be a
    /// compound literal that begins like a type.
    fn type_or_expression(&mut self) -> Parse<Result<ExprId, TypeId>> {
        self.unevaluated += 1;
        let result = if self.peek() == TokenKind::LeftParen && self.at_type_name(1) {
            let from = self.span();
            let ty = self.parenthesised_type()?;
            self.name_records(None);
            if self.peek() == TokenKind::LeftBrace {
                let literal = self.compound_literal(ty, from)?;
                Ok(self.postfix_operators(literal, from)?)
            } else {
                Err(ty)
            }
        } else {
            Ok(self.unary_expression()?)
        };
        self.unevaluated -= 1;
        Ok(result)
    }

    fn postfix_expression(&mut self) -> Parse<ExprId> {
        let from = self.span();
        let primary = self.primary_expression()?;
        self.postfix_operators(primary, from)
    }

    /// C11 6.5.2.
    fn postfix_operators(&mut self, primary: ExprId, from: farrier_lang::Span) -> Parse<ExprId> {
        let mut expr = primary;
        loop {
            match self.peek() {
                TokenKind::LeftBracket => {
                    self.advance();
                    let index = self.expression()?;
                    self.expect(TokenKind::RightBracket)?;
                    let span = self.since(from);
                    expr = self.build(span, |builder| builder.index(expr, index))?;
                }
                TokenKind::LeftParen => {
                    self.advance();
                    let pretty = self.function.as_ref().and_then(|function| function.pretty);
                    let arguments = self.arguments()?;
                    let span = self.since(from);
                    if self.is_failed_assertion(expr)
                        && let Some(function) = &mut self.function
                    {
                        function.pretty = pretty;
                    }
                    expr = self.build(span, |builder| builder.call(expr, arguments))?;
                }
                TokenKind::Dot => {
                    self.advance();
                    expr = self.member_access(expr, from)?;
                }
                TokenKind::Arrow => {
                    self.advance();
                    let span = self.since(from);
                    expr = self.build(span, |builder| builder.deref(expr))?;
                    expr = self.member_access(expr, from)?;
                }
                TokenKind::PlusPlus => {
                    self.advance();
                    let span = self.since(from);
                    expr = self.build(span, |b| b.step(StepOp::PostIncrement, expr))?;
                }
                TokenKind::MinusMinus => {
                    self.advance();
                    let span = self.since(from);
                    expr = self.build(span, |b| b.step(StepOp::PostDecrement, expr))?;
                }
                _ => return Ok(expr),
            }
        }
    }

    /// Arguments of a call, after the opening parenthesis.
    /// Whether an expression names the function that `assert` calls, which prints the name of
    /// a function where nobody looks.
    fn is_failed_assertion(&self, callee: ExprId) -> bool {
        match self.program[callee].kind {
            ExprKind::Function(id) => self.program.text(self.program[id].name) == "__assert_fail",
            _ => false,
        }
    }

    pub(super) fn arguments(&mut self) -> Parse<Vec<ExprId>> {
        let mut arguments = Vec::new();
        if self.eat(TokenKind::RightParen) {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.assignment_expression()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightParen)?;
        Ok(arguments)
    }

    fn member_access(&mut self, base: ExprId, from: farrier_lang::Span) -> Parse<ExprId> {
        let (name, span) = self.expect_name()?;
        let ty = self.program.type_of(base);
        let record = match *self.program.resolve(ty) {
            Type::Record(record) => record,
            Type::Vector { lanes, .. } if self.program.is_extended_value(base) => {
                let lanes = named_lanes(self.program.text(name), lanes);
                let Some(lanes) = lanes else {
                    let text = format!("`{}` has no such lanes", self.type_text(ty));
                    return Err(self.constraint(span, text));
                };
                let span = self.since(from);
                return self.build(span, |builder| builder.swizzle(base, &lanes));
            }
            _ => {
                let pointer = self.program.pointee(ty).is_some();
                let error =
                    self.constraint(span, format!("`{}` has no members", self.type_text(ty)));
                return Err(if pointer { Self::with_help(error, "write `->`") } else { error });
            }
        };
        if self.program[record].fields.is_none() {
            return Err(self.constraint(
                span,
                format!("the members of `{}` are not known here", self.type_text(ty)),
            ));
        }
        let Some(path) = self.find_member(record, name) else {
            return Err(self.constraint(
                span,
                format!("`{}` has no member `{}`", self.type_text(ty), self.name_text(name)),
            ));
        };
        let span = self.since(from);
        let mut expr = base;
        for index in path {
            expr = self.make(span, |builder| builder.member(expr, index))?;
        }
        Ok(expr)
    }

    /// `__builtin_offsetof(type, path)`, after the keyword.
    pub(super) fn offsetof(&mut self, from: farrier_lang::Span) -> Parse<ExprId> {
        self.expect(TokenKind::LeftParen)?;
        let ty = self.type_name()?;
        self.expect(TokenKind::Comma)?;
        let mut path = Vec::new();
        let mut at = ty;
        let mut first = true;
        loop {
            match self.peek() {
                TokenKind::LeftBracket if !first => {
                    self.advance();
                    let index = self.expression()?;
                    let index = self.value(index)?;
                    self.expect(TokenKind::RightBracket)?;
                    let Type::Array { element, .. } = *self.program.resolve(at) else {
                        return Err(self.constraint(
                            self.since(from),
                            format!("`{}` has no elements", self.type_text(at)),
                        ));
                    };
                    path.push(OffsetStep::Index(index));
                    at = element;
                }
                kind if first || kind == TokenKind::Dot => {
                    if !first {
                        self.advance();
                    }
                    let (name, span) = self.expect_name()?;
                    let members = match *self.program.resolve(at) {
                        Type::Record(record) => self.find_member(record, name),
                        _ => None,
                    };
                    let Some(members) = members else {
                        return Err(self.constraint(
                            span,
                            format!(
                                "`{}` has no member `{}`",
                                self.type_text(at),
                                self.name_text(name)
                            ),
                        ));
                    };
                    for index in members {
                        let Type::Record(record) = *self.program.resolve(at) else {
                            unreachable!("members are in records")
                        };
                        let fields = self.program[record].fields.as_deref();
                        at = fields.expect("the member was found")[index as usize].ty;
                        path.push(OffsetStep::Field(index));
                    }
                }
                _ => break,
            }
            first = false;
        }
        self.expect(TokenKind::RightParen)?;
        let size = self.size_type();
        self.node(self.since(from), ExprKind::Offsetof(ty, path.into()), size)
    }
}

/// The lanes of `.xyzw`, `.rgba`, `.s0f`, `.lo`, `.hi`, `.even` and `.odd` in a vector of so many.
fn named_lanes(name: &str, count: u32) -> Option<Vec<u32>> {
    let half = count / 2;
    let lanes: Vec<u32> = match name {
        "lo" => (0..half).collect(),
        "hi" => (half..count).collect(),
        "even" => (0..half).map(|lane| 2 * lane).collect(),
        "odd" => (0..half).map(|lane| 2 * lane + 1).collect(),
        _ => {
            let letters =
                |set: &'static str| move |letter: char| set.find(letter).map(|at| at as u32);
            let numbered = name.strip_prefix(['s', 'S']).filter(|digits| !digits.is_empty());
            let named = |set| name.chars().map(letters(set)).collect::<Option<Vec<u32>>>();
            match numbered {
                Some(digits) => digits.chars().map(|digit| digit.to_digit(16)).collect(),
                None => named("xyzw").or_else(|| named("rgba")),
            }?
        }
    };
    (!lanes.is_empty() && lanes.iter().all(|lane| *lane < count)).then_some(lanes)
}
