//! Declarators: pointers, arrays and functions around a name.

use farrier_lang::attributes::Bearer;
use farrier_lang::{
    ArrayLength, Attribute, ExprId, ExprKind, FunctionType, Linkage, MAX_NESTING, Object, ObjectId,
    Qualifiers, Span, Storage, Symbol, Type, TypeId, Types,
};

use super::attributes::Attributes;
use super::specifiers::StorageClass;
use super::{Parse, Parser};
use crate::scope::{Meaning, Tag};
use crate::token::TokenKind;

/// One step from the base type towards the declared name.
#[derive(Debug)]
enum Part {
    Pointer(Qualifiers),
    Array {
        length: ArrayLength,
        qualifiers: Qualifiers,
        /// It has `static` or a qualifier.
        marked: bool,
        /// It has `static`.
        promised: bool,
        span: Span,
    },
    /// In a box: all other parts are small.
    Function(Box<Parameters>, Span),
}

/// The parameters of a function declarator.
#[derive(Clone, Debug, Default)]
pub(super) struct Parameters {
    pub(super) objects: Vec<ObjectId>,
    /// The names of an old-style definition, whose declarations follow.
    pub(super) names: Vec<(Symbol, Span)>,
    pub(super) variadic: bool,
    pub(super) prototyped: bool,
    /// Where each parameter is.
    pub(super) spans: Vec<Span>,
    /// The tags and enumeration constants declared in the list, which the body sees.
    pub(super) tags: Vec<(Symbol, Tag)>,
    pub(super) constants: Vec<(Symbol, Meaning)>,
    /// The lengths of parameters that are arrays, where computing them does something:
    /// that happens on entry to the function, though the parameters are pointers.
    pub(super) lengths: Vec<ExprId>,
    /// A parameter with the length `[*]`.
    pub(super) star: Option<Span>,
}

/// A declarator applied to its base type.
#[derive(Debug)]
pub(super) struct Declarator {
    pub(super) name: Option<(Symbol, Span)>,
    pub(super) ty: TypeId,
    /// The parameters, if the name itself is a function.
    pub(super) parameters: Option<Box<Parameters>>,
    pub(super) attributes: Attributes,
    /// The qualifiers inside the outermost `[]`, which a parameter's pointer gets.
    pub(super) bracket_qualifiers: Qualifiers,
    /// The outermost `[]`, if it has `static` or a qualifier.
    pub(super) marked_brackets: Option<Span>,
    /// The length after `static` in the outermost `[]`.
    pub(super) promised: Option<u64>,
    pub(super) span: Span,
}

impl Parser<'_> {
    /// A type name, C11 6.7.7.
    pub(super) fn type_name(&mut self) -> Parse<TypeId> {
        // `typeof(typeof(...))` has no expressions that would count.
        self.nest()?;
        let mut specifiers = self.specifiers()?;
        if specifiers.storage != StorageClass::None {
            return Err(self.constraint(specifiers.span, "a storage class has no place here"));
        }
        self.check_bare(&specifiers, "a type name")?;
        let base = self.attributed_base(specifiers.ty, &mut specifiers.attributes)?;
        let mut declarator = self.declarator(base)?;
        if let Some((_, span)) = declarator.name {
            return Err(self.constraint(span, "a name has no place here"));
        }
        self.check_brackets(&declarator)?;
        let ty = self.attributed_base(declarator.ty, &mut declarator.attributes)?;
        self.no_meaning_of_type(&specifiers.attributes, specifiers.span)?;
        self.no_meaning_of_type(&declarator.attributes, declarator.span)?;
        let ty = self.own_lengths(ty, declarator.span)?;
        self.unnest();
        Ok(ty)
    }

    /// A declarator, abstract or not, C11 6.7.6.
    pub(super) fn declarator(&mut self, base: TypeId) -> Parse<Declarator> {
        let from = self.span();
        let mut parts = Vec::new();
        let mut attributes = Attributes::default();
        let name = self.declarator_parts(&mut parts, &mut attributes)?;
        let mut ty = base;
        let mut parameters = None;
        let mut bracket_qualifiers = Qualifiers::NONE;
        let mut marked_brackets = None;
        let mut promised = None;
        for part in parts {
            parameters = None;
            bracket_qualifiers = Qualifiers::NONE;
            promised = None;
            if let Some(span) = marked_brackets.take() {
                return Err(self.marked_brackets(span));
            }
            ty = match part {
                Part::Pointer(qualifiers) => {
                    let pointer = self.program.types.pointer_to(ty);
                    self.check_qualifiers(pointer, qualifiers, from)?;
                    self.program.types.qualified(pointer, qualifiers)
                }
                Part::Array { length, qualifiers, marked, promised: by_static, span } => {
                    bracket_qualifiers = qualifiers;
                    marked_brackets = marked.then_some(span);
                    promised = match length {
                        ArrayLength::Fixed(length) if by_static => Some(length),
                        _ => None,
                    };
                    self.array_type(ty, length, span)?
                }
                Part::Function(list, span) => {
                    let function = self.function_type(ty, &list, span)?;
                    parameters = Some(list);
                    function
                }
            };
            if self.program.types.height(ty) > MAX_NESTING {
                return Err(self.too_deep(self.since(from), MAX_NESTING));
            }
        }
        let span = self.since(from);
        Ok(Declarator {
            name,
            ty,
            parameters,
            attributes,
            bracket_qualifiers,
            marked_brackets,
            promised,
            span,
        })
    }

    /// Collects the parts of a declarator in the order in which they apply to the base.
    fn declarator_parts(
        &mut self,
        parts: &mut Vec<Part>,
        attributes: &mut Attributes,
    ) -> Parse<Option<(Symbol, Span)>> {
        self.nest()?;
        self.more_attributes(attributes)?;
        while self.eat(TokenKind::Star) {
            let qualifiers = self.qualifiers(attributes)?;
            parts.push(Part::Pointer(qualifiers));
            if parts.len() > MAX_NESTING as usize {
                return Err(self.too_deep(self.span(), MAX_NESTING));
            }
        }
        let mut inner = Vec::new();
        let name = match self.peek() {
            TokenKind::Identifier => Some(self.expect_name()?),
            TokenKind::LeftParen if self.is_inner_declarator() => {
                self.advance();
                let name = self.declarator_parts(&mut inner, attributes)?;
                self.expect(TokenKind::RightParen)?;
                name
            }
            _ => None,
        };
        let mut suffixes = Vec::new();
        loop {
            match self.peek() {
                TokenKind::LeftBracket if !self.at_attribute() => {
                    let suffix = self.array_suffix()?;
                    suffixes.push(suffix);
                }
                TokenKind::LeftParen => {
                    let span = self.span();
                    let parameters = self.parameters()?;
                    suffixes.push(Part::Function(Box::new(parameters), self.since(span)));
                }
                _ => break,
            }
            if suffixes.len() > MAX_NESTING as usize {
                return Err(self.too_deep(self.span(), MAX_NESTING));
            }
        }
        parts.extend(suffixes.into_iter().rev());
        parts.append(&mut inner);
        self.unnest();
        Ok(name)
    }

    /// After `(` in a declarator: another declarator, or the parameters of an
    /// abstract function declarator?
    fn is_inner_declarator(&self) -> bool {
        match self.peek_at(1) {
            TokenKind::Star | TokenKind::LeftParen | TokenKind::LeftBracket => true,
            TokenKind::Attribute => true,
            TokenKind::Identifier => !self.at_type_name(1),
            _ => false,
        }
    }

    /// The qualifiers of a pointer.
    fn qualifiers(&mut self, attributes: &mut Attributes) -> Parse<Qualifiers> {
        let mut qualifiers = Qualifiers::NONE;
        loop {
            match self.peek() {
                TokenKind::Const => qualifiers |= Qualifiers::CONST,
                TokenKind::Volatile => qualifiers |= Qualifiers::VOLATILE,
                TokenKind::Restrict => qualifiers |= Qualifiers::RESTRICT,
                TokenKind::Atomic => qualifiers |= Qualifiers::ATOMIC,
                TokenKind::LeftBracket if self.at_attribute() => {
                    attributes.merge(self.attributes_of_type()?);
                    continue;
                }
                _ if self.at_attribute() => {
                    self.more_attributes(attributes)?;
                    continue;
                }
                _ => return Ok(qualifiers),
            }
            self.advance();
        }
    }

    fn array_suffix(&mut self) -> Parse<Part> {
        let from = self.span();
        self.expect(TokenKind::LeftBracket)?;
        let mut qualifiers = Qualifiers::NONE;
        let mut marked = false;
        let mut promised = false;
        loop {
            match self.peek() {
                TokenKind::Const => qualifiers |= Qualifiers::CONST,
                TokenKind::Volatile => qualifiers |= Qualifiers::VOLATILE,
                TokenKind::Restrict => qualifiers |= Qualifiers::RESTRICT,
                TokenKind::Static => promised = true,
                _ => break,
            }
            marked = true;
            self.advance();
        }
        let length = match self.peek() {
            TokenKind::RightBracket => ArrayLength::Unknown,
            TokenKind::Star if self.peek_at(1) == TokenKind::RightBracket => {
                self.advance();
                ArrayLength::Star
            }
            _ => self.array_length()?,
        };
        self.expect(TokenKind::RightBracket)?;
        let span = self.since(from);
        if promised && !matches!(length, ArrayLength::Fixed(_)) {
            let message = "`static` with a length that is not constant is not supported";
            return Err(self.unsupported(span, message));
        }
        Ok(Part::Array { length, qualifiers, marked, promised, span })
    }

    fn array_length(&mut self) -> Parse<ArrayLength> {
        let from = self.span();
        let expr = self.assignment_expression()?;
        let expr = self.value(expr)?;
        let span = self.since(from);
        if !self.program.is_integer(self.program.type_of(expr)) {
            return Err(self.constraint(
                span,
                format!(
                    "the length of an array is an integer, this has type `{}`",
                    self.type_text(self.program.type_of(expr))
                ),
            ));
        }
        match farrier_lang::constant::integer_constant(&self.program, &mut self.layouts, expr) {
            Ok(length) => match u64::try_from(length) {
                Ok(length) => Ok(ArrayLength::Fixed(length)),
                Err(_) => {
                    Err(self.constraint(span, format!("an array cannot have {length} elements")))
                }
            },
            Err(_) if self.scopes.is_file() => {
                Err(self.constraint(span, "the length of an array at file scope is a constant"))
            }
            Err(_) => Ok(ArrayLength::Variable(expr)),
        }
    }

    fn array_type(&mut self, element: TypeId, length: ArrayLength, span: Span) -> Parse<TypeId> {
        let complete = match self.program.resolve(element) {
            Type::Void | Type::Function(_) => false,
            Type::Array { length: ArrayLength::Unknown, .. } => false,
            Type::Record(record) => self.program[*record].fields.is_some(),
            _ => true,
        };
        if !complete {
            let words = self.type_text(element);
            let incomplete =
                matches!(self.program.resolve(element), Type::Record(_) | Type::Array { .. });
            let reason = if incomplete { ": the size of an element is not known" } else { "" };
            return Err(self.constraint(span, format!("there are no arrays of `{words}`{reason}")));
        }
        let array = self.program.types.array_of(element, length);
        if let ArrayLength::Fixed(_) = length
            && let Err(farrier_lang::layout::NoLayout::TooLarge) =
                self.layouts.size_of(&self.program, array)
        {
            return Err(self.constraint(span, "this array is too large"));
        }
        Ok(array)
    }

    fn function_type(&mut self, result: TypeId, list: &Parameters, span: Span) -> Parse<TypeId> {
        if matches!(self.program.resolve(result), Type::Function(_) | Type::Array { .. }) {
            return Err(self.constraint(
                span,
                format!("a function cannot return `{}`", self.type_text(result)),
            ));
        }
        let types: Vec<TypeId> = list.objects.iter().map(|id| self.program[*id].ty).collect();
        let parameters = types
            .into_iter()
            .map(|ty| self.parameter_type_in_prototype(ty).unqualified())
            .collect();
        Ok(self.program.types.function(FunctionType {
            result,
            parameters,
            variadic: list.variadic,
            prototyped: list.prototyped,
        }))
    }

    /// In the type of a function, lengths that are known only at run time are `[*]`.
    fn parameter_type_in_prototype(&mut self, ty: TypeId) -> TypeId {
        match *self.program.types.get(ty) {
            Type::Pointer(target) => {
                let starred = self.parameter_type_in_prototype(target);
                if starred == target {
                    return ty;
                }
                let pointer = self.program.types.pointer_to(starred);
                self.program.types.qualified(pointer, ty.qualifiers())
            }
            Type::Array { element, length } => {
                let element = self.parameter_type_in_prototype(element);
                let length = match length {
                    ArrayLength::Variable(_) => ArrayLength::Star,
                    other => other,
                };
                self.program.types.array_of(element, length)
            }
            _ => ty,
        }
    }

    /// A parameter list, C11 6.7.6.3.
    fn parameters(&mut self) -> Parse<Parameters> {
        self.expect(TokenKind::LeftParen)?;
        let mut list = Parameters { prototyped: true, ..Parameters::default() };
        if self.eat(TokenKind::RightParen) {
            list.prototyped = self.program.dialect >= farrier_lang::Dialect::C23;
            return Ok(list);
        }
        if self.peek() == TokenKind::Void && self.peek_at(1) == TokenKind::RightParen {
            self.advance();
            self.advance();
            return Ok(list);
        }
        if self.peek() == TokenKind::Identifier && !self.at_type_name(0) {
            self.check_names_only()?;
            list.prototyped = false;
            loop {
                let name = self.expect_name()?;
                list.names.push(name);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::RightParen)?;
            return Ok(list);
        }
        self.nest()?;
        self.scopes.enter();
        loop {
            if self.peek() == TokenKind::Ellipsis {
                if list.objects.is_empty() && self.program.dialect < farrier_lang::Dialect::C23 {
                    let message = "a parameter is needed before `...`";
                    return Err(self.constraint(self.span(), message));
                }
                self.advance();
                list.variadic = true;
                break;
            }
            let from = self.span();
            let parameter = self.parameter(&mut list)?;
            // `(void)` through a typedef.
            if parameter.is_none() {
                if list.objects.is_empty() && self.peek() == TokenKind::RightParen {
                    break;
                }
                let place = self.since(from);
                return Err(self.constraint(place, "`void` stands alone in a list of parameters"));
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        list.tags = self.scopes.tags_here();
        list.constants = self.scopes.constants_here();
        self.scopes.leave();
        self.unnest();
        self.expect(TokenKind::RightParen)?;
        Ok(list)
    }

    /// At a name in a parameter list that is no type: the list of an old definition has
    /// names alone.
    fn check_names_only(&self) -> Parse<()> {
        if !matches!(self.peek_at(1), TokenKind::Comma | TokenKind::RightParen) {
            return Err(self.unknown_type());
        }
        if self.program.dialect >= farrier_lang::Dialect::C23 {
            return Err(Self::with_help(
                self.constraint(self.span(), "C23 has no lists of parameters without types"),
                "write the types inside the parentheses, or choose an older --std",
            ));
        }
        Ok(())
    }

    fn parameter(&mut self, list: &mut Parameters) -> Parse<Option<ObjectId>> {
        let mut specifiers = self.specifiers()?;
        let base = self.attributed_base(specifiers.ty, &mut specifiers.attributes)?;
        let storage = match specifiers.storage {
            StorageClass::None => Storage::Automatic,
            StorageClass::Register => Storage::Register,
            _ => {
                return Err(
                    self.constraint(specifiers.span, "a parameter can only be declared `register`")
                );
            }
        };
        self.check_bare(&specifiers, "a parameter")?;
        let mut declarator = self.declarator(base)?;
        self.more_attributes(&mut declarator.attributes)?;
        declarator.attributes.merge(specifiers.attributes);
        let ty = self.attributed_type(declarator.ty, &mut declarator.attributes)?;
        if self.program.resolve(ty) == &Type::Void && declarator.name.is_none() {
            if !ty.qualifiers().is_empty() || storage == Storage::Register {
                return Err(self.constraint(specifiers.span, "`void` stands here without more"));
            }
            return Ok(None);
        }
        if self.has_star(ty) {
            list.star.get_or_insert(declarator.span);
        }
        self.keep_length(list, ty);
        let ty = self.adjust_parameter(ty);
        let ty = self.own_lengths(ty, declarator.span)?;
        let ty = self.program.types.qualified(ty, declarator.bracket_qualifiers);
        let attributes = &mut declarator.attributes;
        let kept = self.keep_typed_attributes(attributes, ty, Bearer::Object, declarator.span)?;
        let attributes = self.with_promise(kept, declarator.promised);
        let object = self.program.objects.push(Object {
            name: declarator.name.map(|(name, _)| name),
            ty,
            linkage: Linkage::None,
            storage,
            init: None,
            align: declarator.attributes.align,
            asm_name: None,
            attributes,
        });
        if let Some((name, span)) = declarator.name {
            self.check_not_builtin(name, span)?;
            if self.scopes.lookup_here(name).is_some() {
                let error = self.constraint(
                    span,
                    format!("two parameters are called `{}`", self.name_text(name)),
                );
                return Err(Self::with_note(error, self.scopes.place(name), "the first is here"));
            }
            self.scopes.declare(name, Meaning::Object(object), span);
        }
        list.objects.push(object);
        list.spans.push(declarator.span);
        Ok(Some(object))
    }

    /// `static` in the brackets of a parameter is an attribute of its pointer.
    fn with_promise(&mut self, kept: Box<[Attribute]>, length: Option<u64>) -> Box<[Attribute]> {
        let Some(length) = length else { return kept };
        let name = self.program.names.intern("static");
        let mut all = kept.into_vec();
        all.push(Attribute { name, arguments: Some(length.to_string().into()) });
        all.into()
    }

    /// Remembers the length that [`adjust_parameter`](Self::adjust_parameter) drops.
    fn keep_length(&self, list: &mut Parameters, ty: TypeId) {
        if let Type::Array { length: ArrayLength::Variable(length), .. } = *self.program.resolve(ty)
            && self.has_effect(length)
        {
            list.lengths.push(length);
        }
    }

    /// Whether evaluating `expr` may do more than compute a value.
    pub(super) fn has_effect(&self, expr: ExprId) -> bool {
        let kind = &self.program[expr].kind;
        let own = match kind {
            ExprKind::Load(operand) => {
                self.program.type_of(*operand).qualifiers().contains(Qualifiers::VOLATILE)
            }
            kind => kind.acts(),
        };
        let mut found = own;
        kind.for_each_operand(|operand| found |= self.has_effect(operand));
        found
    }

    /// Arrays and functions become pointers, C11 6.7.6.3p7 and p8.
    pub(super) fn adjust_parameter(&mut self, ty: TypeId) -> TypeId {
        match *self.program.resolve(ty) {
            Type::Array { element, .. } => self.program.types.pointer_to(element),
            Type::Function(_) => self.program.types.pointer_to(ty),
            _ => ty,
        }
    }

    /// Gives the parameters of an old-style definition their types.
    pub(super) fn old_style_parameters(&mut self, list: &mut Parameters) -> Parse<()> {
        let mut declared: Vec<Option<ObjectId>> = vec![None; list.names.len()];
        while self.peek() != TokenKind::LeftBrace {
            let mut specifiers = self.specifiers()?;
            let base = self.attributed_base(specifiers.ty, &mut specifiers.attributes)?;
            loop {
                let mut declarator = self.declarator(base)?;
                let mut attributes = self.attributes()?;
                attributes.merge(std::mem::take(&mut declarator.attributes));
                attributes.merge(specifiers.attributes.clone());
                declarator.ty = self.attributed_type(declarator.ty, &mut attributes)?;
                let Some((name, span)) = declarator.name else {
                    return Err(self.unexpected("the name of a parameter"));
                };
                let Some(position) = list.names.iter().position(|(other, _)| *other == name) else {
                    return Err(self.constraint(
                        span,
                        format!("`{}` is not a parameter of this function", self.name_text(name)),
                    ));
                };
                self.keep_length(list, declarator.ty);
                let ty = self.adjust_parameter(declarator.ty);
                let ty = self.own_lengths(ty, declarator.span)?;
                self.check_bare(&specifiers, "a parameter")?;
                let storage = match specifiers.storage {
                    StorageClass::None => Storage::Automatic,
                    StorageClass::Register => Storage::Register,
                    _ => {
                        let message = "a parameter can only be declared `register`";
                        return Err(self.constraint(specifiers.span, message));
                    }
                };
                let align = attributes.align;
                let attributes =
                    self.keep_typed_attributes(&mut attributes, ty, Bearer::Object, span)?;
                let mut object = self.parameter_object(name, ty, storage);
                object.align = align;
                object.attributes = attributes;
                declared[position] = Some(self.program.objects.push(object));
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::Semicolon)?;
        }
        for ((name, span), object) in list.names.clone().into_iter().zip(declared) {
            let object = match object {
                Some(object) => object,
                None if self.options.permissive => {
                    let object = self.parameter_object(name, Types::INT, Storage::Automatic);
                    self.program.objects.push(object)
                }
                None => {
                    return Err(Self::with_help(
                        self.constraint(
                            span,
                            format!("the parameter `{}` has no type", self.name_text(name)),
                        ),
                        "declare it, or allow implicit `int` with --permissive",
                    ));
                }
            };
            list.objects.push(object);
            list.spans.push(span);
        }
        Ok(())
    }

    fn parameter_object(&self, name: Symbol, ty: TypeId, storage: Storage) -> Object {
        Object { storage, ..Object::local(name, ty) }
    }
}
