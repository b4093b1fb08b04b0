//! Attributes: `__attribute__((...))` and `[[...]]`.

use farrier_lang::attributes::{self as table, Bearer, Treatment};
use farrier_lang::builtins::Builtin;
use farrier_lang::constant::integer_constant;
use farrier_lang::{
    Attribute, Entity, ExprId, ExprKind, FloatKind, IntKind, Lanes, Span, Stmt, StmtId, Type,
    TypeId, Types, UnaryOp,
};

use rustc_hash::FxHashSet;

use super::{Parse, Parser};
use crate::token::TokenKind;

/// What attributes say: what has a meaning of its own here, and the rest as text.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    pub(super) align: Option<u32>,
    pub(super) packed: bool,
    pub(super) may_alias: bool,
    pub(super) noreturn: bool,
    pub(super) fallthrough: bool,
    /// The expressions that are promised to be true.
    pub(super) assumptions: Vec<ExprId>,
    pub(super) vector_size: Option<(u64, Span)>,
    /// The lanes of `ext_vector_type`.
    pub(super) lanes: Option<(u64, Span)>,
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
        self.assumptions.extend(other.assumptions);
        self.vector_size = other.vector_size.or(self.vector_size.take());
        self.lanes = other.lanes.or(self.lanes.take());
        self.mode = other.mode.or(self.mode.take());
        if self.others.is_empty() {
            self.others = other.others;
        } else {
            self.others.extend(other.others);
        }
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
            self.attribute(attributes, gnu)?;
        }
    }

    /// The name of an attribute, without underscores around it, if the table has it.
    /// In `[[...]]`, names that are not of the standard have the prefix of a compiler.
    fn attribute_row(&mut self, gnu: bool) -> Parse<(&'static table::AttributeRow, Span)> {
        fn bare(name: &str) -> &str {
            let inside = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
            inside.filter(|name| !name.is_empty()).unwrap_or(name)
        }
        let token = self.advance();
        if token.symbol.is_none() {
            return Err(self.constraint(token.span, "expected the name of an attribute"));
        }
        let mut name = bare(self.token_text(token.span));
        let mut prefix = None;
        if self.eat(TokenKind::ColonColon) {
            prefix = Some(name);
            let token = self.advance();
            name = bare(self.token_text(token.span));
        }
        let span = self.since(token.span);
        let belongs = match prefix {
            None => gnu || table::is_standard(name),
            Some(prefix) => matches!(prefix, "gnu" | "clang" | "_Clang"),
        };
        let row = table::attribute(name).filter(|_| belongs);
        match row {
            Some(row) if row.treatment != Treatment::Refused => Ok((row, span)),
            Some(_) => {
                Err(self.unsupported(span, format!("the attribute `{name}` is not supported")))
            }
            None => Err(self.unsupported(span, format!("the attribute `{name}` is not known"))),
        }
    }

    fn attribute(&mut self, attributes: &mut Attributes, gnu: bool) -> Parse<()> {
        let (row, span) = self.attribute_row(gnu)?;
        match row.name {
            "packed" => attributes.packed = true,
            "may_alias" => attributes.may_alias = true,
            "noreturn" | "_Noreturn" => attributes.noreturn = true,
            "fallthrough" => attributes.fallthrough = true,
            "assume" => self.assumption(attributes, span)?,
            "aligned" => {
                let from = self.peek_span(1);
                let align = match self.optional_constant()? {
                    Some(value) => self.alignment(value, self.before_parenthesis(from))?,
                    None => Some(self.program.target.biggest_align),
                };
                attributes.align = attributes.align.max(align);
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
            "ext_vector_type" => {
                let from = self.peek_span(1);
                let value = self.optional_constant()?;
                let span = if value.is_some() { self.before_parenthesis(from) } else { span };
                let most = u64::from(Lanes::MOST) * 4;
                let lanes = value.and_then(|value| u64::try_from(value).ok());
                match lanes.filter(|lanes| lanes.is_power_of_two() && *lanes <= most) {
                    Some(lanes) => attributes.lanes = Some((lanes, span)),
                    None => {
                        let text = "only a power of two up to 64 is supported as a number of lanes";
                        return Err(self.unsupported(span, text));
                    }
                }
            }
            "mode" => {
                self.expect(TokenKind::LeftParen)?;
                let mode = self.advance();
                self.expect(TokenKind::RightParen)?;
                attributes.mode = Some((self.token_text(mode.span).to_owned(), mode.span));
            }
            _ => self.other_attribute(attributes, row, span)?,
        }
        Ok(())
    }

    /// An attribute that is kept as text, or left out.
    fn other_attribute(
        &mut self,
        attributes: &mut Attributes,
        row: &table::AttributeRow,
        span: Span,
    ) -> Parse<()> {
        let arguments = match self.peek() {
            TokenKind::LeftParen => Some(self.balanced_text()?),
            _ => None,
        };
        let name = row.name;
        if matches!(name, "optimize" | "target")
            && !table::options_are_harmless(name, arguments.as_deref().unwrap_or_default())
        {
            let message = format!("these options of the attribute `{name}` are not supported");
            return Err(self.unsupported(self.since(span), message));
        }
        if name == "section" && arguments.as_deref().is_some_and(|name| name.starts_with("\".")) {
            let message = "a section whose name begins with a period is not supported";
            return Err(self.unsupported(self.since(span), message));
        }
        // `malloc(free)` names the function that takes the memory back, for warnings alone. The
        // attributes of all declarations are printed at the first, where that function may not
        // be declared yet.
        let left_out =
            row.treatment == Treatment::LeftOut || name == "malloc" && arguments.is_some();
        if !left_out {
            let name = self.program.names.intern(name);
            let arguments = arguments.map(Into::into);
            attributes.others.push(Attribute { name, arguments });
        }
        Ok(())
    }

    /// `assume(expression)`, which is not evaluated; with a string it is for OpenMP.
    fn assumption(&mut self, attributes: &mut Attributes, span: Span) -> Parse<()> {
        if matches!(self.peek_at(1), TokenKind::String) {
            self.balanced_text()?;
            return Ok(());
        }
        self.expect(TokenKind::LeftParen)?;
        if self.function.is_none() {
            return Err(self.constraint(span, "an assumption is a statement"));
        }
        let expr = self.conditional_expression()?;
        let condition = self.build(span, |builder| builder.condition(expr))?;
        self.expect(TokenKind::RightParen)?;
        if self.has_effect(condition) {
            let message = "an assumption with a side effect is not supported";
            return Err(self.unsupported(self.since(span), message));
        }
        attributes.assumptions.push(condition);
        Ok(())
    }

    /// The statements that test what is assumed.
    pub(super) fn assumptions(&mut self, conditions: Vec<ExprId>, from: Span) -> Parse<StmtId> {
        let span = self.since(from);
        let unreachable = Builtin::by_name("__builtin_unreachable").expect("it is in the table");
        let mut tests = Vec::new();
        for condition in conditions {
            let call = ExprKind::Builtin(unreachable, Default::default());
            let call = self.node(span, call, Types::VOID)?;
            let then = self.statement_node(span, Stmt::Expr(call));
            let condition = self.build(span, |builder| builder.unary(UnaryOp::Not, condition))?;
            let test = Stmt::If { condition, then, otherwise: None };
            tests.push(self.statement_node(span, test));
        }
        Ok(match tests.as_slice() {
            [test] => *test,
            _ => self.statement_node(span, Stmt::Block(tests.into())),
        })
    }

    /// The attributes that something keeps, each once, if all of them can belong to it.
    pub(super) fn keep_attributes(
        &mut self,
        attributes: &mut Attributes,
        bearer: Bearer,
        span: Span,
    ) -> Parse<Box<[Attribute]>> {
        if !attributes.assumptions.is_empty() {
            return Err(self.unsupported(span, "the attribute `assume` belongs to a statement `;`"));
        }
        if attributes.may_alias && bearer != Bearer::Type {
            let message = "the attribute `may_alias` is supported for typedefs, structs and unions";
            return Err(self.unsupported(span, message));
        }
        let others = std::mem::take(&mut attributes.others);
        for attribute in &others {
            let name = self.program.text(attribute.name);
            let fits =
                |row: &table::AttributeRow| row.treatment == Treatment::Kept || row.allows(bearer);
            if !table::attribute(name).is_some_and(fits) {
                let message =
                    format!("the attribute `{name}` is not supported for {}s", bearer.name());
                return Err(self.unsupported(span, message));
            }
        }
        Ok(distinct(others))
    }

    /// The attributes of an object or a member. Only a pointer to a function may be
    /// `noreturn`, which it keeps as text.
    pub(super) fn keep_typed_attributes(
        &mut self,
        attributes: &mut Attributes,
        ty: TypeId,
        bearer: Bearer,
        span: Span,
    ) -> Parse<Box<[Attribute]>> {
        if std::mem::take(&mut attributes.noreturn) {
            let target = self.program.pointee(ty);
            let function =
                target.is_some_and(|ty| matches!(self.program.resolve(ty), Type::Function(_)));
            if !function {
                let message = "the attribute `noreturn` of this is not supported";
                return Err(self.unsupported(span, message));
            }
            let name = self.program.names.intern("noreturn");
            attributes.others.push(Attribute { name, arguments: None });
        }
        self.keep_attributes(attributes, bearer, span)
    }

    /// Attributes of a type that is not declared: nothing keeps what they say about it.
    pub(super) fn no_meaning_of_type(&self, attributes: &Attributes, span: Span) -> Parse<()> {
        let name = match attributes {
            Attributes { align: Some(_), .. } => "aligned",
            Attributes { may_alias: true, .. } => "may_alias",
            Attributes { mode: Some(_), .. } => "mode",
            Attributes { packed: true, .. } => "packed",
            _ => return self.no_meaning(attributes, span),
        };
        Err(self.unsupported(span, format!("the attribute `{name}` is not supported here")))
    }

    /// Attributes of a type in `[[...]]`: compilers disagree about those of an object there.
    pub(super) fn attributes_of_type(&mut self) -> Parse<Attributes> {
        let span = self.span();
        let mut attributes = Attributes::default();
        self.attribute_list(&mut attributes)?;
        self.no_meaning_of_type(&attributes, span)?;
        Ok(attributes)
    }

    /// Attributes at a place where nothing keeps them must not mean anything.
    pub(super) fn no_meaning(&self, attributes: &Attributes, span: Span) -> Parse<()> {
        let means = |attribute: &&Attribute| {
            let row = table::attribute(self.program.text(attribute.name));
            row.is_none_or(|row| row.treatment != Treatment::Kept)
        };
        let name = match attributes.others.iter().find(means) {
            Some(attribute) => self.program.text(attribute.name),
            None if attributes.noreturn => "noreturn",
            None if !attributes.assumptions.is_empty() => "assume",
            None => return Ok(()),
        };
        Err(self.unsupported(span, format!("the attribute `{name}` is not supported here")))
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

    /// Applies the attributes of specifiers to what they name. `vector_size` is about the type
    /// at the bottom; a `mode` alone is about what is declared.
    pub(super) fn attributed_base(
        &mut self,
        ty: TypeId,
        attributes: &mut Attributes,
    ) -> Parse<TypeId> {
        if attributes.vector_size.is_none() {
            return Ok(ty);
        }
        self.attributed_type(ty, attributes)
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

    /// The vector of `ext_vector_type`, in the typedef of a number.
    pub(super) fn extended_vector(&mut self, ty: TypeId, lanes: u64, span: Span) -> Parse<TypeId> {
        let number = matches!(self.program.types.get(ty), Type::Int(_) | Type::Float(_));
        if !number || ty.unqualified() == Types::int(IntKind::Bool) {
            let text = format!("there are no vectors of `{}`", self.type_text(ty));
            return Err(self.constraint(span, text));
        }
        let size = self.layouts.size_of(&self.program, ty).unwrap_or(0) * lanes;
        self.vector_type(ty, size, span)
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
            Type::Float(_) | Type::Complex(_) => false,
            _ => {
                let message = format!("the mode `{mode}` of this type is not supported");
                return Err(self.unsupported(span, message));
            }
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
