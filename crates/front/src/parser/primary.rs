//! Names, constants, strings, parentheses and what begins with a keyword.

use farrier_lang::build::compatible;
use farrier_lang::builtins::Builtin;
use farrier_lang::wrapper::parse_guard_name;
use farrier_lang::{
    ArrayLength, Dialect, Encoding, ExprId, ExprKind, IntKind, Object, Qualifiers, Span, Storage,
    StringId, StringLiteral, Symbol, Type, TypeId, Types,
};
use rustc_hash::FxHashMap;

use super::{Parse, Parser};
use crate::diagnostic::Reason;
use crate::literal::{self, Number};
use crate::scope::Meaning;
use crate::token::TokenKind;

impl Parser<'_> {
    /// C11 6.5.1.
    pub(super) fn primary_expression(&mut self) -> Parse<ExprId> {
        let token = self.token();
        let from = token.span;
        match token.kind {
            TokenKind::Identifier => {
                self.advance();
                self.name(token.symbol.expect("an identifier has a name"), from)
            }
            TokenKind::Number => {
                self.advance();
                self.number(from)
            }
            TokenKind::Character => {
                self.advance();
                self.character(from)
            }
            TokenKind::String => {
                let id = self.string_literal()?;
                self.string_node(id, self.since(from))
            }
            TokenKind::LeftParen => {
                self.advance();
                self.nest()?;
                let inner = if self.peek() == TokenKind::LeftBrace {
                    self.statement_expression(from)?
                } else {
                    self.expression()?
                };
                self.unnest();
                self.expect(TokenKind::RightParen)?;
                Ok(inner)
            }
            TokenKind::True | TokenKind::False => {
                self.advance();
                let value = u64::from(token.kind == TokenKind::True);
                // In C23 the type is bool, which has no constants but these: a cast.
                let constant = self.node(from, ExprKind::Int(value), Types::INT)?;
                self.node(from, ExprKind::Cast(constant), Types::int(IntKind::Bool))
            }
            TokenKind::Nullptr => {
                self.advance();
                let ty = self.program.types.intern(Type::NullPointer);
                self.node(from, ExprKind::Int(0), ty)
            }
            TokenKind::FunctionName => {
                self.advance();
                let pretty = self.token_text(from) == "__PRETTY_FUNCTION__";
                let name = match &mut self.function {
                    Some(function) => {
                        // GCC and Clang put different texts there.
                        function.pretty = function.pretty.or(pretty.then_some(from));
                        function.name
                    }
                    None => return Err(self.constraint(from, "there is no function here")),
                };
                self.function_name(name, from)
            }
            TokenKind::Generic => {
                self.advance();
                self.generic_selection(from)
            }
            TokenKind::Offsetof => {
                self.advance();
                self.offsetof(from)
            }
            TokenKind::VaArg => {
                self.advance();
                self.expect(TokenKind::LeftParen)?;
                let list = self.assignment_expression()?;
                self.expect(TokenKind::Comma)?;
                let ty = self.type_name()?;
                self.expect(TokenKind::RightParen)?;
                self.check_va_list(list)?;
                self.node(self.since(from), ExprKind::VaArg(list), ty.unqualified())
            }
            TokenKind::TypesCompatible => {
                self.advance();
                self.expect(TokenKind::LeftParen)?;
                let left = self.type_name()?;
                self.expect(TokenKind::Comma)?;
                let right = self.type_name()?;
                self.expect(TokenKind::RightParen)?;
                let same = compatible(&self.program, left.unqualified(), right.unqualified());
                self.node(self.since(from), ExprKind::Int(u64::from(same)), Types::INT)
            }
            TokenKind::ChooseExpr => {
                self.advance();
                self.expect(TokenKind::LeftParen)?;
                let (chosen, _) = self.constant_value()?;
                self.expect(TokenKind::Comma)?;
                let left = self.assignment_expression()?;
                self.expect(TokenKind::Comma)?;
                let right = self.assignment_expression()?;
                self.expect(TokenKind::RightParen)?;
                Ok(if chosen != 0 { left } else { right })
            }
            TokenKind::ConvertVector => {
                self.advance();
                self.convert_vector(from)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// `__func__` is an object of the function, C11 6.4.2.2, declared where it begins.
    fn function_name(&mut self, name: Symbol, span: Span) -> Parse<ExprId> {
        let known = self.function.as_ref().and_then(|function| function.name_object);
        let object = match known {
            Some(object) => object,
            None => {
                let text = self.name_text(name).to_owned();
                let units = text.bytes().map(u32::from).collect();
                let literal = StringLiteral { encoding: Encoding::Plain, units };
                let string = self.program.strings.push(literal);
                let init = self.string_node(string, span)?;
                let ty = self.program.type_of(init);
                let ty = self.program.types.qualified(ty, Qualifiers::CONST);
                let hidden = self.fresh_name(&format!("{text}_name"));
                let object = self.program.objects.push(Object {
                    storage: Storage::Static,
                    init: Some(init),
                    ..Object::local(hidden, ty)
                });
                let function = self.function.as_mut().expect("the caller saw the function");
                function.name_object = Some(object);
                object
            }
        };
        let ty = self.program[object].ty;
        self.node(span, ExprKind::Object(object), ty)
    }

    fn name(&mut self, symbol: Symbol, span: Span) -> Parse<ExprId> {
        match self.scopes.lookup(symbol) {
            Some(Meaning::Object(id)) => {
                let ty = self.program[id].ty;
                if let Some(constant) = self.constants.get(&id).copied()
                    && !self.is_named_object()
                {
                    return self.named_constant(constant, ty, span);
                }
                self.node(span, ExprKind::Object(id), ty)
            }
            Some(Meaning::Function(id)) => {
                let ty = self.program[id].ty;
                self.node(span, ExprKind::Function(id), ty)
            }
            Some(Meaning::EnumConstant(id)) => {
                let ty = self.program[id].ty;
                self.node(span, ExprKind::EnumConstant(id), ty)
            }
            Some(Meaning::Typedef(_)) => Err(self
                .constraint(span, format!("`{}` is a type, not a value", self.name_text(symbol)))),
            None => self.unknown_name(symbol, span),
        }
    }

    /// Whether the name before is the operand of `&` or `typeof`, which want the object.
    fn is_named_object(&self) -> bool {
        let before = |steps: usize| self.at.checked_sub(steps).map(|at| self.tokens[at].kind);
        match before(2) {
            Some(TokenKind::Ampersand) => !matches!(
                before(3),
                Some(
                    TokenKind::Identifier
                        | TokenKind::Number
                        | TokenKind::RightParen
                        | TokenKind::RightBracket
                )
            ),
            Some(TokenKind::LeftParen) => before(3) == Some(TokenKind::Typeof),
            _ => false,
        }
    }

    /// A name that is not declared: a builtin, an implicit function, or a mistake.
    fn unknown_name(&mut self, symbol: Symbol, span: Span) -> Parse<ExprId> {
        let text = self.name_text(symbol);
        let called = self.peek() == TokenKind::LeftParen;
        if called && let Some(wrapper) = parse_guard_name(text) {
            return self.guard(wrapper, span);
        }
        if let Some(builtin) = Builtin::by_name(text) {
            if called {
                return self.builtin_call(builtin, span);
            }
            return Err(self.constraint(span, format!("`{text}` can only be called")));
        }
        if called && text.starts_with("__builtin_") {
            return Err(self.unsupported(span, format!("`{text}` is not supported")));
        }
        if called && self.options.permissive {
            let id = self.implicit_function(symbol, span)?;
            let ty = self.program[id].ty;
            return self.node(span, ExprKind::Function(id), ty);
        }
        let error = self.constraint(span, format!("`{text}` is not declared"));
        if let Some(header) = Self::header_of(text) {
            return Err(Self::with_help(error, &format!("include <{header}>")));
        }
        Err(if called {
            Self::with_help(
                error,
                "declare the function, or allow implicit declarations with --permissive",
            )
        } else {
            error
        })
    }

    fn literal_error(&self, span: Span, message: String) -> Box<crate::Diagnostic> {
        let reason =
            if message.contains("not supported") { Reason::Unsupported } else { Reason::Syntax };
        self.error(span, reason, message)
    }

    fn number(&mut self, span: Span) -> Parse<ExprId> {
        let number = literal::number(self.token_text(span), self.program.target)
            .map_err(|message| self.literal_error(span, message))?;
        let (kind, ty, imaginary) = match number {
            Number::Int { value, kind, imaginary } => {
                (ExprKind::Int(value), Types::int(kind), imaginary)
            }
            Number::BitInt { value, signed, width } => {
                let ty = self.program.types.intern(Type::BitInt { signed, width });
                (ExprKind::Int(value), ty, false)
            }
            Number::Float { bits, kind, imaginary } => {
                let id = self.program.floats.push(bits);
                (ExprKind::Float(id), Types::float(kind), imaginary)
            }
        };
        let constant = self.node(span, kind, ty)?;
        if !imaginary {
            return Ok(constant);
        }
        let complex = self.program.types.complex_of(ty);
        self.node(span, ExprKind::Imaginary(constant), complex)
    }

    /// A character constant, C11 6.4.4.4; its value as an `int` may be negative.
    fn character(&mut self, span: Span) -> Parse<ExprId> {
        let target = self.program.target;
        let (encoding, body) = literal::split_prefix(self.token_text(span));
        let bits = literal::unit_bits(encoding, target);
        let mut units = Vec::new();
        literal::decode(body, encoding, bits, &mut units)
            .map_err(|message| self.literal_error(span, message))?;
        if units.is_empty() {
            return Err(self.error(span, Reason::Syntax, "a character constant needs a character"));
        }
        if encoding != Encoding::Plain {
            let [unit] = units[..] else {
                return Err(self.error(span, Reason::Syntax, "one character is expected here"));
            };
            let kind = literal::unit_kind(encoding, target, Dialect::C11);
            let signed = target.int_signed(kind);
            let negative = signed && unit >> (bits - 1) & 1 == 1;
            let value = if negative { i128::from(unit) - (1 << bits) } else { i128::from(unit) };
            let kind = if kind == IntKind::Char { IntKind::UChar } else { kind };
            let constant = self.int_constant(value, span)?;
            let ty = Types::int(kind);
            return if ty == Types::INT {
                Ok(constant)
            } else {
                self.node(span, ExprKind::Cast(constant), ty)
            };
        }
        // Several characters: each one byte of the result, as GCC has it.
        let int_bits = target.int_bits(IntKind::Int);
        let value = match units[..] {
            [unit] if target.char_signed && unit >= 0x80 => i128::from(unit) - 0x100,
            [unit] => i128::from(unit),
            _ => {
                let all = units.iter().fold(0_u64, |all, unit| all << 8 | u64::from(*unit & 0xff));
                let value = i128::from(all & ((1 << int_bits) - 1));
                if value >> (int_bits - 1) & 1 == 1 { value - (1 << int_bits) } else { value }
            }
        };
        self.int_constant(value, span)
    }

    /// An `int` constant that may be negative, which C has only as an expression.
    fn int_constant(&mut self, value: i128, span: Span) -> Parse<ExprId> {
        let magnitude = u64::try_from(value.unsigned_abs()).expect("the value of a character");
        let limit = 1_u64 << (self.program.target.int_bits(IntKind::Int) - 1);
        if value >= 0 {
            let kind = if magnitude < limit { IntKind::Int } else { IntKind::UInt };
            return self.node(span, ExprKind::Int(magnitude), Types::int(kind));
        }
        // The most negative int is written as `-MAX - 1`.
        let lowest = magnitude == limit;
        let shown = if lowest { magnitude - 1 } else { magnitude };
        let constant = self.node(span, ExprKind::Int(shown), Types::INT)?;
        let negative =
            self.node(span, ExprKind::Unary(farrier_lang::UnaryOp::Minus, constant), Types::INT)?;
        if !lowest {
            return Ok(negative);
        }
        let one = self.node(span, ExprKind::Int(1), Types::INT)?;
        let sub = ExprKind::Binary(farrier_lang::BinaryOp::Sub, negative, one);
        self.node(span, sub, Types::INT)
    }

    /// The encoding of the string literals that follow: that of the one with a prefix.
    pub(super) fn string_encoding(&self) -> Encoding {
        let mut ahead = 0;
        while self.peek_at(ahead) == TokenKind::LeftParen {
            ahead += 1;
        }
        while self.peek_at(ahead) == TokenKind::String {
            let text = self.token_text(self.tokens[self.at + ahead].span);
            let (encoding, _) = literal::split_prefix(text);
            if encoding != Encoding::Plain {
                return encoding;
            }
            ahead += 1;
        }
        Encoding::Plain
    }

    /// Adjacent string literals as one, C11 6.4.5p5.
    pub(super) fn string_literal(&mut self) -> Parse<StringId> {
        if self.peek() != TokenKind::String {
            return Err(self.unexpected("a string"));
        }
        let encoding = self.string_encoding();
        let bits = literal::unit_bits(encoding, self.program.target);
        let mut units = Vec::new();
        while self.peek() == TokenKind::String {
            let span = self.advance().span;
            let (own, body) = literal::split_prefix(self.token_text(span));
            if own != Encoding::Plain && own != encoding {
                return Err(self.constraint(span, "strings with different prefixes stand together"));
            }
            literal::decode(body, encoding, bits, &mut units)
                .map_err(|message| self.literal_error(span, message))?;
        }
        Ok(self.program.strings.push(StringLiteral { encoding, units: units.into() }))
    }

    fn string_node(&mut self, id: StringId, span: Span) -> Parse<ExprId> {
        let literal = &self.program[id];
        let length = literal.units.len() as u64 + 1;
        let (target, dialect) = (self.program.target, self.program.dialect);
        let kind = literal::unit_kind(literal.encoding, target, dialect);
        let ty = self.program.types.array_of(Types::int(kind), ArrayLength::Fixed(length));
        self.node(span, ExprKind::String(id), ty)
    }

    /// `_Generic(value, type: expression, ...)`, C11 6.5.1.1: only the chosen expression stays.
    fn generic_selection(&mut self, from: Span) -> Parse<ExprId> {
        self.expect(TokenKind::LeftParen)?;
        self.unevaluated += 1;
        let control = if self.at_type_name(0) {
            self.type_name()?
        } else {
            let expr = self.assignment_expression()?;
            let value = self.value(expr)?;
            self.program.type_of(value)
        };
        self.unevaluated -= 1;
        let mut chosen = None;
        let mut default = None;
        let mut places: FxHashMap<TypeId, Span> = FxHashMap::default();
        while self.eat(TokenKind::Comma) {
            let start = self.span();
            let ty: Option<TypeId> =
                if self.eat(TokenKind::Default) { None } else { Some(self.type_name()?) };
            let place = self.since(start);
            if let Some(ty) = ty
                && (matches!(self.program.resolve(ty), Type::Void | Type::Function(_))
                    || self.layouts.size_of(&self.program, ty).is_err())
            {
                let words = self.type_text(ty);
                let message = format!("`_Generic` cannot choose `{words}`: it is no complete type");
                return Err(self.constraint(place, message));
            }
            self.expect(TokenKind::Colon)?;
            let expr = self.assignment_expression()?;
            // No two choices have compatible types. Those that are the same and those that
            // could be chosen are compared, not each with each.
            let before = match ty {
                None => default.replace((expr, place)).map(|(_, before)| before),
                Some(ty) if compatible(&self.program, ty, control) => {
                    chosen.replace((expr, place)).map(|(_, before)| before)
                }
                Some(ty) => places.insert(ty, place),
            };
            if let Some(before) = before {
                let words = match ty {
                    None => "default".to_owned(),
                    Some(ty) => self.type_text(ty),
                };
                let error = self
                    .constraint(place, format!("`_Generic` has a choice for `{words}` already"));
                return Err(Self::with_note(error, Some(before), "it is here"));
            }
        }
        self.expect(TokenKind::RightParen)?;
        chosen.or(default).map(|(expr, _)| expr).ok_or_else(|| {
            self.constraint(
                self.since(from),
                format!("`_Generic` has no choice for `{}`", self.type_text(control)),
            )
        })
    }
}
