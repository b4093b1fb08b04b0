//! Attributes: `__attribute__((...))` and `[[...]]`.

use farrier_lang::constant::integer_constant;
use farrier_lang::{Attribute, Entity, ExprId, FloatKind, IntKind, Span, Type, TypeId, Types};

use rustc_hash::FxHashSet;

use super::{Parse, Parser};
use crate::token::TokenKind;

/// What attributes say: what Farrier understands, and the rest as text.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    pub(super) align: Option<u32>,
    pub(super) packed: bool,
    pub(super) may_alias: bool,
    pub(super) noreturn: bool,
    pub(super) fallthrough: bool,
    pub(super) vector_size: Option<(u64, Span)>,
    pub(super) mode: Option<(String, Span)>,
    pub(super) others: Vec<Attribute>,
}

impl Attributes {
    pub(super) fn merge(&mut self, other: Self) {
        self.align = self.align.max(other.align);
        self.packed |= other.packed;
        self.may_alias |= other.may_alias;
        self.noreturn |= other.noreturn;
        self.fallthrough |= other.fallthrough;
        self.vector_size = other.vector_size.or(self.vector_size.take());
        self.mode = other.mode.or(self.mode.take());
        if self.others.is_empty() {
            self.others = other.others;
        } else {
            self.others.extend(other.others);
        }
    }

    /// The attributes that are kept, each once.
    pub(super) fn take_others(&mut self) -> Box<[Attribute]> {
        distinct(std::mem::take(&mut self.others))
    }
}

/// Each attribute once, in the order of their first mention.
fn distinct(mut attributes: Vec<Attribute>) -> Box<[Attribute]> {
    // The usual three or four are compared sooner than hashed.
    if attributes.len() < 8 {
        for index in (1..attributes.len()).rev() {
            if attributes[..index].contains(&attributes[index]) {
                attributes.remove(index);
            }
        }
    } else {
        let mut seen = FxHashSet::default();
        attributes.retain(|attribute| seen.insert(attribute.clone()));
    }
    attributes.into()
}

/// When an attribute is left out of the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forget {
    Always,
    /// Only if it has arguments.
    WithArguments,
}

/// Attributes that say nothing about meaning, layout or code: warnings and hints to tools.
const FORGOTTEN: &[(&str, Forget)] = &[
    ("maybe_unused", Forget::Always),
    ("nodiscard", Forget::Always),
    ("deprecated", Forget::Always),
    ("likely", Forget::Always),
    ("unlikely", Forget::Always),
    // `malloc(free)` names the function that takes the memory back, for warnings alone. The
    // attributes of all declarations are printed at the first, where that function may not
    // be declared yet. `malloc` without arguments matters to optimisation and is kept.
    ("malloc", Forget::WithArguments),
];

impl Parser<'_> {
    /// Gives every entity the attributes of its later declarations.
    pub(super) fn finish_attributes(&mut self) {
        for (entity, late) in std::mem::take(&mut self.late_attributes) {
            let attributes = match entity {
                Entity::Object(id) => &mut self.program[id].attributes,
                Entity::Function(id) => &mut self.program[id].attributes,
                _ => unreachable!("only objects and functions are declared again"),
            };
            let mut all = std::mem::take(attributes).into_vec();
            all.extend(late);
            *attributes = distinct(all);
        }
    }

    pub(super) fn at_attribute(&self) -> bool {
        match self.peek() {
            TokenKind::Attribute => true,
            TokenKind::LeftBracket => self.peek_at(1) == TokenKind::LeftBracket,
            _ => false,
        }
    }

    /// Any number of attributes.
    pub(super) fn attributes(&mut self) -> Parse<Attributes> {
        let mut attributes = Attributes::default();
        self.more_attributes(&mut attributes)?;
        Ok(attributes)
    }

    /// Attributes added to those that are already there.
    pub(super) fn more_attributes(&mut self, attributes: &mut Attributes) -> Parse<()> {
        while self.at_attribute() {
            self.attribute_list(attributes)?;
        }
        Ok(())
    }

    fn attribute_list(&mut self, attributes: &mut Attributes) -> Parse<()> {
        let gnu = self.advance().kind == TokenKind::Attribute;
        let (open, close) = if gnu {
            (TokenKind::LeftParen, TokenKind::RightParen)
        } else {
            (TokenKind::LeftBracket, TokenKind::RightBracket)
        };
        self.expect(open)?;
        if gnu {
            self.expect(open)?;
        }
        loop {
            while self.eat(TokenKind::Comma) {}
            if self.eat(close) {
                self.expect(close)?;
                return Ok(());
            }
            self.attribute(attributes)?;
        }
    }

    fn attribute(&mut self, attributes: &mut Attributes) -> Parse<()> {
        let token = self.advance();
        if token.symbol.is_none() {
            return Err(self.constraint(token.span, "expected the name of an attribute"));
        }
        let mut name = self.token_text(token.span);
        if self.eat(TokenKind::ColonColon) {
            let token = self.advance();
            name = self.token_text(token.span);
        }
        let name = name
            .strip_prefix("__")
            .and_then(|name| name.strip_suffix("__"))
            .filter(|name| !name.is_empty())
            .unwrap_or(name);
        let span = token.span;
        match name {
            "packed" => attributes.packed = true,
            "may_alias" => attributes.may_alias = true,
            "noreturn" => attributes.noreturn = true,
            "fallthrough" => attributes.fallthrough = true,
            "aligned" | "warn_if_not_aligned" => {
                let from = self.peek_span(1);
                let value = self.optional_constant()?;
                if name == "aligned" {
                    let biggest = self.program.target.biggest_align;
                    let align = match value {
                        Some(value) => self.alignment(value, self.before_parenthesis(from))?,
                        None => Some(biggest),
                    };
                    attributes.align = attributes.align.max(align);
                }
            }
            "vector_size" => {
                let from = self.peek_span(1);
                let value = self.optional_constant()?;
                let span = if value.is_some() { self.before_parenthesis(from) } else { span };
                match value.map(u64::try_from) {
                    Some(Ok(size)) if size > 0 => attributes.vector_size = Some((size, span)),
                    _ => {
                        return Err(self.constraint(span, "`vector_size` needs a size in bytes"));
                    }
                }
            }
            "mode" => {
                self.expect(TokenKind::LeftParen)?;
                let mode = self.advance();
                self.expect(TokenKind::RightParen)?;
                attributes.mode = Some((self.token_text(mode.span).to_owned(), mode.span));
            }
            _ if self.is_forgotten(name) => {
                if self.peek() == TokenKind::LeftParen {
                    self.balanced_text()?;
                }
            }
            _ => {
                let arguments = if self.peek() == TokenKind::LeftParen {
                    Some(self.balanced_text()?.into())
                } else {
                    None
                };
                let name = self.program.names.intern(name);
                attributes.others.push(Attribute { name, arguments });
            }
        }
        Ok(())
    }

    /// Whether the attribute `name`, whose arguments would come next, is left out.
    fn is_forgotten(&self, name: &str) -> bool {
        let arguments = self.peek() == TokenKind::LeftParen;
        FORGOTTEN.iter().any(|(row, when)| *row == name && (*when == Forget::Always || arguments))
    }

    /// The value of `(constant)`, or `None` without parentheses.
    fn optional_constant(&mut self) -> Parse<Option<i128>> {
        if !self.eat(TokenKind::LeftParen) {
            return Ok(None);
        }
        let (value, _) = self.constant_value()?;
        self.expect(TokenKind::RightParen)?;
        Ok(Some(value))
    }

    /// The text from `from` to the token before the parenthesis that was just closed.
    fn before_parenthesis(&self, from: Span) -> Span {
        from.to(self.tokens[self.at.saturating_sub(2)].span)
    }

    /// Checks an alignment; zero asks for nothing.
    pub(super) fn alignment(&self, value: i128, span: Span) -> Parse<Option<u32>> {
        match u32::try_from(value) {
            Ok(0) => Ok(None),
            Ok(align) if align.is_power_of_two() && align <= 1 << 28 => Ok(Some(align)),
            _ => {
                Err(self
                    .constraint(span, format!("{value} is not an alignment: use a power of two")))
            }
        }
    }

    /// The text between balanced parentheses, one space between tokens.
    fn balanced_text(&mut self) -> Parse<String> {
        let open = self.span();
        self.expect(TokenKind::LeftParen)?;
        let mut text = String::new();
        let mut level = 0_u32;
        loop {
            let token = self.advance();
            match token.kind {
                TokenKind::End => {
                    return Err(self.constraint(open, "this parenthesis is never closed"));
                }
                TokenKind::LeftParen => level += 1,
                TokenKind::RightParen if level == 0 => return Ok(text),
                TokenKind::RightParen => level -= 1,
                _ => {}
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(self.token_text(token.span));
        }
    }

    /// Applies the attributes that change a type.
    pub(super) fn attributed_type(
        &mut self,
        ty: TypeId,
        attributes: &mut Attributes,
    ) -> Parse<TypeId> {
        let mut ty = ty;
        if let Some((mode, span)) = attributes.mode.take() {
            ty = self.mode_type(ty, &mode, span)?;
        }
        if let Some((size, span)) = attributes.vector_size.take() {
            ty = self.vector_type(ty, size, span)?;
        }
        Ok(ty)
    }

    /// `vector_size` applies to the type at the bottom of pointers, arrays and functions.
    fn vector_type(&mut self, ty: TypeId, size: u64, span: Span) -> Parse<TypeId> {
        let qualifiers = ty.qualifiers();
        let vector = match self.program.types.get(ty).clone() {
            Type::Pointer(target) => {
                let target = self.vector_type(target, size, span)?;
                self.program.types.pointer_to(target)
            }
            Type::Array { element, length } => {
                let element = self.vector_type(element, size, span)?;
                self.program.types.array_of(element, length)
            }
            Type::Function(mut function) => {
                function.result = self.vector_type(function.result, size, span)?;
                self.program.types.function(*function)
            }
            Type::Int(_) | Type::Float(_) | Type::Enum(_) | Type::Typedef(_) => {
                let element = self.layouts.size_of(&self.program, ty).unwrap_or(0);
                let lanes = size.checked_div(element).filter(|lanes| {
                    lanes.is_power_of_two() && size.is_multiple_of(element) && *lanes <= 1 << 20
                });
                let Some(lanes) = lanes else {
                    return Err(self.constraint(
                        span,
                        format!("a vector of {size} bytes cannot hold `{}`", self.type_text(ty)),
                    ));
                };
                self.program.types.vector_of(ty, lanes as u32)
            }
            _ => {
                return Err(self.constraint(
                    span,
                    format!("there are no vectors of `{}`", self.type_text(ty)),
                ));
            }
        };
        Ok(self.program.types.qualified(vector, qualifiers))
    }

    /// `mode(DI)` and the like: another width for the same kind of type.
    fn mode_type(&mut self, ty: TypeId, mode: &str, span: Span) -> Parse<TypeId> {
        let target = self.program.target;
        let mode = mode.trim_matches('_');
        let unsigned = match self.program.resolve(ty) {
            Type::Int(kind) => !target.int_signed(*kind),
            Type::Enum(id) => !target.int_signed(self.program[*id].underlying),
            _ => false,
        };
        let pointer_bits = target.pointer.size * 8;
        let bits = match mode {
            "QI" | "byte" => Some(8),
            "HI" => Some(16),
            "SI" => Some(32),
            "DI" => Some(64),
            "TI" => Some(128),
            "word" | "pointer" | "unwind_word" | "libgcc_cmp_return" | "libgcc_shift_count" => {
                Some(pointer_bits)
            }
            _ => None,
        };
        let float = match mode {
            "SF" => Some(FloatKind::Float),
            "DF" => Some(FloatKind::Double),
            "XF" => Some(FloatKind::LongDouble),
            "TF" => Some(FloatKind::Float128),
            "HF" => Some(FloatKind::Float16),
            _ => None,
        };
        let complex = match mode {
            "SC" => Some(FloatKind::Float),
            "DC" => Some(FloatKind::Double),
            "XC" => Some(FloatKind::LongDouble),
            _ => None,
        };
        let plain = if let Some(bits) = bits {
            let kinds = [
                IntKind::SChar,
                IntKind::Short,
                IntKind::Int,
                IntKind::Long,
                IntKind::LongLong,
                IntKind::Int128,
            ];
            // The first kind of the width in GCC's own order, where int comes first.
            let order = [2, 0, 1, 3, 4, 5];
            order
                .into_iter()
                .map(|index| kinds[index])
                .find(|kind| target.int_scalar(*kind).is_some_and(|scalar| scalar.size * 8 == bits))
                .map(|kind| Types::int(if unsigned { kind.to_unsigned() } else { kind }))
        } else if let Some(kind) = float {
            Some(Types::float(kind))
        } else {
            complex.map(|kind| self.program.types.complex_of(Types::float(kind)))
        };
        match plain {
            Some(plain) => Ok(self.program.types.qualified(plain, ty.qualifiers())),
            None => Err(self.unsupported(span, format!("the mode `{mode}` is not supported"))),
        }
    }

    /// An integer constant expression and its node.
    pub(super) fn constant_value(&mut self) -> Parse<(i128, ExprId)> {
        let from = self.span();
        let expr = self.conditional_expression()?;
        let expr = self.value(expr)?;
        let span = self.since(from);
        if !self.program.is_integer(self.program.type_of(expr)) {
            return Err(self.constraint(
                span,
                format!(
                    "an integer constant is needed here, this has type `{}`",
                    self.type_text(self.program.type_of(expr))
                ),
            ));
        }
        match integer_constant(&self.program, &mut self.layouts, expr) {
            Ok(value) => Ok((value, expr)),
            Err(reason) => {
                let mut error = self.constraint(span, "this is not an integer constant");
                error.label = reason.to_string();
                Err(error)
            }
        }
    }
}
