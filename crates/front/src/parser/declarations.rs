//! Declarations of objects and typedefs, at file and at block scope.

use farrier_lang::attributes::Bearer;
use farrier_lang::builtins::Builtin;
use farrier_lang::{
    ArrayLength, Entity, ExprKind, Linkage, Object, ObjectId, Span, Stmt, StmtId, Storage,
    StringId, Symbol, Type, TypeId, Typedef, Types,
};

use super::attributes::Attributes;
use super::declarators::Declarator;
use super::specifiers::{Specifiers, StorageClass};
use super::{Parse, Parser};
use crate::scope::Meaning;
use crate::token::TokenKind;

/// The types that programs most often forget to include, with their headers.
const HEADERS: &[(&str, &[&str])] = &[
    ("stddef.h", &["size_t", "ptrdiff_t", "wchar_t", "max_align_t"]),
    (
        "stdint.h",
        &[
            "int8_t",
            "int16_t",
            "int32_t",
            "int64_t",
            "uint8_t",
            "uint16_t",
            "uint32_t",
            "uint64_t",
            "intptr_t",
            "uintptr_t",
            "intmax_t",
            "uintmax_t",
        ],
    ),
    ("stdbool.h", &["bool"]),
    ("stdio.h", &["FILE"]),
    ("stdarg.h", &["va_list"]),
    ("sys/types.h", &["ssize_t", "off_t"]),
];

impl Parser<'_> {
    /// A declaration or definition at file scope, C11 6.9.
    pub(super) fn external_declaration(&mut self) -> Parse<()> {
        while self.eat(TokenKind::Extension) {}
        match self.peek() {
            TokenKind::Semicolon => {
                self.advance();
                return Ok(());
            }
            TokenKind::Asm => {
                let asm = self.assembly()?;
                self.expect(TokenKind::Semicolon)?;
                self.entities.asm(asm);
                return Ok(());
            }
            TokenKind::StaticAssert => return self.static_assert(),
            _ => {}
        }
        let implicit = self.options.permissive
            && self.peek() == TokenKind::Identifier
            && matches!(
                self.peek_at(1),
                TokenKind::LeftParen
                    | TokenKind::Equal
                    | TokenKind::Semicolon
                    | TokenKind::Comma
                    | TokenKind::LeftBracket
            );
        let pointer = self.options.permissive && self.peek() == TokenKind::Star;
        if !(self.at_declaration() || self.at_attribute() || implicit || pointer) {
            return Err(self.not_a_declaration());
        }
        self.declaration(None)
    }

    fn not_a_declaration(&self) -> Box<crate::Diagnostic> {
        let token = self.token();
        if token.kind == TokenKind::Identifier {
            return self.unknown_type();
        }
        self.unexpected("a declaration")
    }

    /// The error at a name that stands where a type must, and is none.
    pub(super) fn unknown_type(&self) -> Box<crate::Diagnostic> {
        let span = self.span();
        let name = self.token_text(span);
        let symbol = self.token().symbol;
        let declared = symbol.is_some_and(|symbol| self.scopes.lookup(symbol).is_some());
        let header = Self::header_of(name);
        // `x = 1;` may have been meant to declare `x` with no type at all.
        let untyped = header.is_none() && !self.at_unknown_type();
        let message = if declared || untyped {
            format!("`{name}` is not the name of a type")
        } else {
            format!("`{name}` is not declared")
        };
        let help = match header {
            Some(header) => format!("include <{header}>"),
            None if untyped => "declare the type, or allow implicit `int` with --permissive".into(),
            None => "declare the type before it is used".into(),
        };
        Self::with_help(self.constraint(span, message), &help)
    }

    /// The header that declares a well-known type.
    pub(super) fn header_of(name: &str) -> Option<&'static str> {
        HEADERS.iter().find(|(_, names)| names.contains(&name)).map(|(header, _)| *header)
    }

    /// Whether a name that is not declared is followed by what only a declaration has, such
    /// as another name.
    pub(super) fn at_unknown_type(&self) -> bool {
        let Some(symbol) = self.token().symbol else { return false };
        if self.peek() != TokenKind::Identifier || self.scopes.lookup(symbol).is_some() {
            return false;
        }
        match self.peek_at(1) {
            TokenKind::Identifier => true,
            TokenKind::Star => {
                let mut ahead = 2;
                while self.peek_at(ahead) == TokenKind::Star {
                    ahead += 1;
                }
                let fresh = match self.tokens.get(self.at + ahead) {
                    Some(token) if token.kind == TokenKind::Identifier => {
                        token.symbol.is_some_and(|name| self.scopes.lookup(name).is_none())
                    }
                    _ => false,
                };
                let ends = matches!(
                    self.peek_at(ahead + 1),
                    TokenKind::Semicolon
                        | TokenKind::Equal
                        | TokenKind::Comma
                        | TokenKind::LeftBracket
                );
                fresh && ends
            }
            _ => false,
        }
    }

    /// A declaration; in a block, the statements it becomes are added to `block`.
    pub(super) fn declaration(&mut self, mut block: Option<&mut Vec<StmtId>>) -> Parse<()> {
        if self.peek() == TokenKind::StaticAssert {
            return self.static_assert();
        }
        let specifiers = self.specifiers()?;
        if self.peek() == TokenKind::Semicolon {
            // Only the tags matter. A struct without tag and without object means nothing,
            // but its definition may hold constants, so it is kept.
            self.name_records(None);
            self.flush_records(block, specifiers.span);
            self.advance();
            return Ok(());
        }
        let mut first = true;
        loop {
            let mut shared = specifiers.clone();
            if !first {
                // Attributes may also stand between the comma and a declarator.
                self.more_attributes(&mut shared.attributes)?;
            }
            let base = self.attributed_base(shared.ty, &mut shared.attributes)?;
            let mut declarator = self.declarator(base)?;
            let Some((name, name_span)) = declarator.name else {
                return Err(self.unexpected("a name"));
            };
            self.check_not_builtin(name, name_span)?;
            let is_typedef = specifiers.storage == StorageClass::Typedef;
            self.name_records(is_typedef.then_some(name));
            self.flush_records(block.as_deref_mut(), specifiers.span);
            let asm_name = self.asm_name()?;
            self.more_attributes(&mut declarator.attributes)?;
            let mut attributes = shared.attributes;
            attributes.merge(std::mem::take(&mut declarator.attributes));
            declarator.ty = self.attributed_type(declarator.ty, &mut attributes)?;
            let function = matches!(self.program.resolve(declarator.ty), Type::Function(_));
            self.check_brackets(&declarator)?;
            if is_typedef {
                self.check_bare(&specifiers, "a typedef")?;
                let pending = block.as_deref_mut();
                self.typedef(name, name_span, declarator.ty, attributes, pending)?;
            } else if function {
                let defines = first
                    && (self.peek() == TokenKind::LeftBrace
                        || declarator
                            .parameters
                            .as_ref()
                            .is_some_and(|list| !list.names.is_empty())
                        || declarator.parameters.as_ref().is_some_and(|list| !list.prototyped)
                            && self.at_declaration());
                if defines {
                    if let Some(block) = block {
                        return self.nested_function(
                            &specifiers,
                            declarator,
                            attributes,
                            asm_name,
                            block,
                        );
                    }
                    return self.function_definition(&specifiers, declarator, attributes, asm_name);
                }
                self.function_declaration(&specifiers, &declarator, attributes, asm_name)?;
            } else {
                self.object_declaration(
                    &specifiers,
                    &declarator,
                    attributes,
                    asm_name,
                    block.as_deref_mut(),
                )?;
            }
            if (is_typedef || function) && self.peek() == TokenKind::Equal {
                let what = if is_typedef { "typedef" } else { "function" };
                return Err(self.constraint(self.span(), format!("a {what} cannot be initialised")));
            }
            first = false;
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::Semicolon)?;
        Ok(())
    }

    /// A builtin has a meaning that a declaration cannot change, and calls of it before the
    /// declaration mean the builtin.
    pub(super) fn check_not_builtin(&self, name: Symbol, span: Span) -> Parse<()> {
        let text = self.name_text(name);
        if Builtin::by_name(text).is_none() {
            return Ok(());
        }
        Err(Self::with_help(
            self.unsupported(span, format!("`{text}` is built in, declaring it is not supported")),
            "leave out the declaration: compilers know it",
        ))
    }

    /// `asm("name")` after a declarator.
    fn asm_name(&mut self) -> Parse<Option<StringId>> {
        if !self.eat(TokenKind::Asm) {
            return Ok(None);
        }
        self.expect(TokenKind::LeftParen)?;
        let name = self.string_literal()?;
        self.expect(TokenKind::RightParen)?;
        Ok(Some(name))
    }

    /// `_Static_assert(constant, "message");`: checked, then forgotten.
    pub(super) fn static_assert(&mut self) -> Parse<()> {
        let from = self.span();
        self.advance();
        self.expect(TokenKind::LeftParen)?;
        let (value, _) = self.constant_value()?;
        let message = if self.eat(TokenKind::Comma) { Some(self.string_literal()?) } else { None };
        self.expect(TokenKind::RightParen)?;
        if value == 0 {
            let words = message.map_or(String::new(), |id| {
                let units = self.program[id].units.iter();
                units.map(|unit| char::from_u32(*unit).unwrap_or('?')).collect()
            });
            return Err(
                self.constraint(self.since(from), format!("static assertion failed: {words}"))
            );
        }
        if self.peek() != TokenKind::RightBrace {
            self.expect(TokenKind::Semicolon)?;
        }
        Ok(())
    }

    fn typedef(
        &mut self,
        name: Symbol,
        span: Span,
        ty: TypeId,
        mut attributes: Attributes,
        block: Option<&mut Vec<StmtId>>,
    ) -> Parse<()> {
        let mut ty = ty;
        if self.program.is_variable_array(ty) {
            let Some(block) = block else {
                return Err(self.constraint(span, "a type of variable length is at block scope"));
            };
            if self.scopes.lookup_here(name).is_some() {
                return Err(self.redeclared(name, span, None));
            }
            ty = self.fix_lengths(ty, name, span, block)?;
            self.note_variable(ty);
        }
        self.make_transparent(ty, &mut attributes);
        self.no_meaning(&attributes, span)?;
        let lanes = attributes.lanes.take();
        if let Some((lanes, at)) = lanes {
            ty = self.extended_vector(ty, lanes, at)?;
        }
        if attributes.align.is_some() || attributes.may_alias || lanes.is_some() {
            self.no_local_type(ty, span)?;
            let unique = self.hoisted_name(name);
            let kept = self.keep_attributes(&mut attributes, Bearer::Type, span)?;
            let id = self.program.typedefs.push(Typedef {
                name: unique,
                base: ty,
                align: attributes.align,
                may_alias: attributes.may_alias,
                extended: lanes.is_some(),
                attributes: kept,
            });
            ty = self.program.types.intern(Type::Typedef(id));
            self.entities.define(Entity::Typedef(id));
        }
        if let Some(Meaning::Typedef(old)) = self.scopes.lookup_here(name) {
            let same = old == ty || farrier_lang::build::compatible(&self.program, old, ty);
            if !same && !self.same_attributed(old, ty) {
                let error = self.constraint(
                    span,
                    format!(
                        "`{}` is the type `{}` already, and cannot be `{}` too",
                        self.name_text(name),
                        self.type_text(old),
                        self.type_text(ty)
                    ),
                );
                return Err(Self::with_note(
                    error,
                    self.scopes.place(name),
                    "declared here before",
                ));
            }
            return Ok(());
        }
        if self.scopes.lookup_here(name).is_some() {
            return Err(self.redeclared(name, span, None));
        }
        self.scopes.declare(name, Meaning::Typedef(ty), span);
        Ok(())
    }

    /// `transparent_union` of a typedef belongs to the union, which has no other name for it.
    fn make_transparent(&mut self, ty: TypeId, attributes: &mut Attributes) {
        let Type::Record(record) = *self.program.resolve(ty) else { return };
        let name = self.program.names.find("transparent_union");
        let others = &mut attributes.others;
        let Some(at) = others.iter().position(|attribute| Some(attribute.name) == name) else {
            return;
        };
        let attribute = &others.remove(at);
        let record = &mut self.program[record];
        if !record.attributes.contains(attribute) {
            let mut all = std::mem::take(&mut record.attributes).into_vec();
            all.push(attribute.clone());
            record.attributes = all.into();
        }
    }

    fn same_attributed(&self, old: TypeId, new: TypeId) -> bool {
        match (self.program.types.get(old), self.program.types.get(new)) {
            (Type::Typedef(a), Type::Typedef(b)) => {
                let (a, b) = (&self.program[*a], &self.program[*b]);
                (a.base, a.align, a.may_alias, a.extended)
                    == (b.base, b.align, b.may_alias, b.extended)
            }
            _ => false,
        }
    }

    /// The error at a name that is declared already: in the same scope or, if it is `other`,
    /// at file scope or in another file.
    pub(super) fn redeclared(
        &self,
        name: Symbol,
        span: Span,
        other: Option<Entity>,
    ) -> Box<crate::Diagnostic> {
        let text = self.name_text(name);
        let error = self.constraint(span, format!("`{text}` is already something else here"));
        match other {
            Some(entity) => self.with_entity(error, entity),
            None => Self::with_note(error, self.scopes.place(name), "declared here before"),
        }
    }

    /// The lengths in a type that a typedef names are computed once, where the
    /// typedef is: each becomes a hidden constant object.
    fn fix_lengths(
        &mut self,
        ty: TypeId,
        name: Symbol,
        span: Span,
        block: &mut Vec<StmtId>,
    ) -> Parse<TypeId> {
        match *self.program.types.get(ty) {
            Type::Array { element, length } => {
                let length = match length {
                    // Only a typedef leaves a bare object here: this length is fixed already.
                    ArrayLength::Variable(expr)
                        if matches!(self.program[expr].kind, ExprKind::Object(_)) =>
                    {
                        length
                    }
                    ArrayLength::Variable(expr) => {
                        let size = Types::int(self.program.target.size_type);
                        let init = self.build(span, |b| b.convert_assigned(expr, size))?;
                        let base = format!("{}_length", self.name_text(name));
                        let hidden = self.fresh_name(&base);
                        let object = self
                            .program
                            .objects
                            .push(Object { init: Some(init), ..Object::local(hidden, size) });
                        block.push(self.statement_node(span, Stmt::Declare(object)));
                        ArrayLength::Variable(self.node(span, ExprKind::Object(object), size)?)
                    }
                    other => other,
                };
                let element = self.fix_lengths(element, name, span, block)?;
                Ok(self.program.types.array_of(element, length))
            }
            Type::Pointer(target) => {
                let target = self.fix_lengths(target, name, span, block)?;
                let pointer = self.program.types.pointer_to(target);
                Ok(self.program.types.qualified(pointer, ty.qualifiers()))
            }
            _ => Ok(ty),
        }
    }

    /// A use of a type with fixed lengths: every use has length expressions of its own.
    pub(super) fn own_lengths(&mut self, ty: TypeId, span: Span) -> Parse<TypeId> {
        match *self.program.types.get(ty) {
            Type::Array { element, length } => {
                let length = match length {
                    ArrayLength::Variable(expr) => match self.program[expr].kind {
                        // Only a typedef leaves a bare object here.
                        ExprKind::Object(object) => {
                            let size = self.program.type_of(expr);
                            let object = self.node(span, ExprKind::Object(object), size)?;
                            ArrayLength::Variable(self.value(object)?)
                        }
                        _ => length,
                    },
                    other => other,
                };
                let element = self.own_lengths(element, span)?;
                Ok(self.program.types.array_of(element, length))
            }
            Type::Pointer(target) => {
                let own = self.own_lengths(target, span)?;
                if own == target {
                    return Ok(ty);
                }
                let pointer = self.program.types.pointer_to(own);
                Ok(self.program.types.qualified(pointer, ty.qualifiers()))
            }
            _ => Ok(ty),
        }
    }

    pub(super) fn linkage_of(
        &self,
        specifiers: &Specifiers,
        name: Symbol,
        function: bool,
    ) -> Linkage {
        let file = self.scopes.is_file();
        match specifiers.storage {
            StorageClass::Static if file => Linkage::Internal,
            // C23 6.2.2p3.
            StorageClass::None | StorageClass::Register if file && specifiers.constexpr => {
                Linkage::Internal
            }
            // A global register variable: the linker never sees it.
            StorageClass::Register if file => Linkage::Internal,
            StorageClass::Extern => self.inherited_linkage(name),
            _ if function => self.inherited_linkage(name),
            _ if file => Linkage::External,
            _ => Linkage::None,
        }
    }

    /// `extern` keeps the linkage of a visible earlier declaration, C11 6.2.2p4.
    fn inherited_linkage(&self, name: Symbol) -> Linkage {
        let hidden = match self.scopes.lookup(name) {
            Some(Meaning::Object(id)) => self.program[id].linkage == Linkage::None,
            Some(Meaning::EnumConstant(_) | Meaning::Typedef(_)) => true,
            Some(Meaning::Function(_)) | None => false,
        };
        if hidden {
            return Linkage::External;
        }
        match self.file_meaning(name) {
            Some(Entity::Object(id)) => self.program[id].linkage,
            Some(Entity::Function(id)) => self.program[id].linkage,
            _ => Linkage::External,
        }
    }

    fn object_declaration(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
        mut attributes: Attributes,
        asm_name: Option<StringId>,
        block: Option<&mut Vec<StmtId>>,
    ) -> Parse<()> {
        let (name, span) = declarator.name.expect("the caller checked the name");
        if specifiers.inline || specifiers.noreturn {
            return Err(
                self.constraint(specifiers.span, "only a function can be `inline` or `_Noreturn`")
            );
        }
        self.check_object_storage(specifiers)?;
        self.check_alignas(specifiers, declarator.ty)?;
        let linkage = self.linkage_of(specifiers, name, false);
        let storage = match specifiers.storage {
            _ if specifiers.thread => Storage::Thread,
            StorageClass::Static | StorageClass::Extern => Storage::Static,
            StorageClass::Register if self.scopes.is_file() && asm_name.is_none() => {
                return Err(Self::with_help(
                    self.constraint(span, "a register variable at file scope needs a register"),
                    "name the register with asm(\"...\"), or leave out `register`",
                ));
            }
            StorageClass::Register => Storage::Register,
            _ if self.scopes.is_file() => Storage::Static,
            _ => Storage::Automatic,
        };
        if self.program.resolve(declarator.ty) == &Type::Void
            && specifiers.storage != StorageClass::Extern
            && !specifiers.inferred
        {
            return Err(self
                .constraint(span, format!("`{}` cannot have type `void`", self.name_text(name))));
        }
        let ty = self.own_lengths(declarator.ty, span)?;
        let has_init = self.peek() == TokenKind::Equal;
        if !has_init && (specifiers.constexpr || specifiers.inferred) {
            return Err(self.constraint(span, "this declaration needs an initialiser"));
        }
        if matches!(storage, Storage::Static | Storage::Thread) && self.has_variable_size(ty) {
            let name = self.name_text(name);
            return Err(Self::with_help(
                self.constraint(
                    span,
                    format!("`{name}` always exists, so it cannot have variable length"),
                ),
                "give it a constant length, or leave out the storage class",
            ));
        }
        if has_init && specifiers.storage == StorageClass::Extern && !self.scopes.is_file() {
            let name = self.name_text(name);
            return Err(Self::with_help(
                self.constraint(
                    span,
                    format!("`{name}` is `extern` in a block, so it cannot be initialised here"),
                ),
                "initialise it where it is defined, at file scope",
            ));
        }
        let object = Object {
            name: Some(name),
            ty,
            linkage,
            storage,
            init: None,
            align: attributes.align,
            asm_name,
            attributes: self.keep_typed_attributes(&mut attributes, ty, Bearer::Object, span)?,
        };
        if linkage == Linkage::None {
            let block = block.expect("objects without linkage are in blocks");
            return self.local_object(object, name, span, specifiers, block);
        }
        self.no_local_type(object.ty, span)?;
        let id = self.linked_object(object, name, span, specifiers, has_init)?;
        if has_init {
            self.advance();
            self.initialise(id, specifiers)?;
            self.entities.define(Entity::Object(id));
        }
        Ok(())
    }

    /// What is known outside a block cannot mention a type that is not.
    pub(super) fn no_local_type(&self, ty: TypeId, span: Span) -> Parse<()> {
        if self.is_local_type(ty) {
            return Err(self.unsupported(
                span,
                "this declaration in a block cannot mention a type of variable length",
            ));
        }
        Ok(())
    }

    /// An object of block scope without linkage.
    fn local_object(
        &mut self,
        mut object: Object,
        name: Symbol,
        span: Span,
        specifiers: &Specifiers,
        block: &mut Vec<StmtId>,
    ) -> Parse<()> {
        let inferred = specifiers.inferred;
        if let Some(meaning) = self.scopes.lookup_here(name) {
            let mut error = self.redeclared(name, span, None);
            if let Meaning::Object(_) = meaning {
                error.message = format!("`{}` is declared twice", self.name_text(name));
            }
            return Err(error);
        }
        object.name = Some(self.unhidden(name));
        let id = self.program.objects.push(object);
        if !inferred {
            self.scopes.declare(name, Meaning::Object(id), span);
        }
        if let Some(function) = &mut self.function {
            function.locals.push(id);
        }
        if self.eat(TokenKind::Equal) {
            self.initialise(id, specifiers)?;
        }
        if inferred {
            self.scopes.declare(name, Meaning::Object(id), span);
        }
        self.check_complete(id, span)?;
        self.note_variable(self.program[id].ty);
        let span = self.since(span);
        block.push(self.statement_node(span, Stmt::Declare(id)));
        Ok(())
    }

    pub(super) fn check_complete(&mut self, id: ObjectId, span: Span) -> Parse<()> {
        use farrier_lang::layout::NoLayout;
        let ty = self.program[id].ty;
        match self.layouts.size_of(&self.program, ty) {
            Ok(_) | Err(NoLayout::Variable) => Ok(()),
            Err(reason) => Err(self.constraint(
                span,
                format!("an object cannot have type `{}`: {reason}", self.type_text(ty)),
            )),
        }
    }

    /// An object with linkage: a new one, or a further declaration of a known one.
    fn linked_object(
        &mut self,
        object: Object,
        name: Symbol,
        span: Span,
        specifiers: &Specifiers,
        has_init: bool,
    ) -> Parse<ObjectId> {
        let file = self.scopes.is_file();
        if let Some(meaning) = self.scopes.lookup_here(name)
            && !matches!(meaning, Meaning::Object(id) if self.program[id].linkage != Linkage::None)
        {
            return Err(self.redeclared(name, span, None));
        }
        let asm_name = object.asm_name.filter(|_| object.storage != Storage::Register);
        let id = match self.linked(name, object.linkage, asm_name, object.ty) {
            Some(Entity::Object(id)) => {
                if self.file_meaning(name).is_none() && self.is_known_here(Entity::Object(id)) {
                    let message = "a second name for an object of this file is not supported";
                    let error = self.unsupported(span, message);
                    return Err(self.with_entity(error, Entity::Object(id)));
                }
                let merged = self.merge_types(name, span, Entity::Object(id), object.ty)?;
                if self.program[id].linkage != object.linkage {
                    let error = self.constraint(
                        span,
                        format!("`{}` is declared both static and not", self.name_text(name)),
                    );
                    return Err(self.with_entity(error, Entity::Object(id)));
                }
                if has_init && self.program[id].init.is_some() {
                    let error = self.constraint(
                        span,
                        format!("`{}` is initialised twice", self.name_text(name)),
                    );
                    return Err(self.with_entity(error, Entity::Object(id)));
                }
                self.check_thread(id, (name, span), object.storage)?;
                let known = &mut self.program[id];
                known.ty = merged;
                known.align = known.align.max(object.align);
                known.asm_name = known.asm_name.or(object.asm_name);
                if !object.attributes.is_empty() {
                    let late = self.late_attributes.entry(Entity::Object(id)).or_default();
                    late.extend(object.attributes);
                }
                self.unit_names.insert(name, Entity::Object(id));
                id
            }
            Some(other) => return Err(self.redeclared(name, span, Some(other))),
            None => {
                let linkage = object.linkage;
                let id = self.program.objects.push(object);
                self.enter_linked(name, Entity::Object(id), linkage);
                id
            }
        };
        self.bind_linked(name, Entity::Object(id), span);
        let ty = self.program[id].ty;
        let declares_only = !has_init && (specifiers.storage == StorageClass::Extern || !file);
        self.check_redeclared(id, (name, span), specifiers, !declares_only)?;
        if declares_only {
            self.entities.declare(Entity::Object(id), Some(ty));
            return Ok(id);
        }
        if self.defined_before.contains(&id) {
            let error = self.constraint(
                span,
                format!("`{}` is defined in another file too", self.name_text(name)),
            );
            return Err(self.with_entity(error, Entity::Object(id)));
        }
        if has_init {
            self.defined_at.insert(Entity::Object(id), span);
        } else {
            self.defined_at.entry(Entity::Object(id)).or_insert(span);
        }
        self.unit_definitions.push((id, span));
        if !has_init {
            self.entities.define_tentatively(Entity::Object(id), ty);
        }
        Ok(id)
    }

    /// The initialiser of an object, after `=`.
    fn initialise(&mut self, id: ObjectId, specifiers: &Specifiers) -> Parse<()> {
        if specifiers.inferred {
            let from = self.span();
            let expr = self.assignment_expression()?;
            let value = self.value(expr)?;
            let ty = self.program.type_of(value);
            if ty == Types::VOID {
                return Err(self.constraint(self.since(from), "this has no value"));
            }
            let qualifiers = self.program[id].ty.qualifiers();
            self.program[id].ty = self.program.types.qualified(ty, qualifiers);
            self.program[id].init = Some(value);
        } else {
            let (ty, init) = self.initialiser(self.program[id].ty)?;
            self.program[id].ty = ty;
            self.program[id].init = Some(init);
        }
        if specifiers.constexpr {
            self.name_constant(id)?;
        }
        self.check_static_initialiser(id)
    }

    /// At the end of a unit: a tentative array of unknown length gets one element,
    /// C11 6.9.2p5, if it is external, and other units may not define these objects again.
    pub(super) fn end_unit_objects(&mut self) -> Parse<()> {
        for (id, span) in std::mem::take(&mut self.unit_definitions) {
            if let Type::Array { element, length: ArrayLength::Unknown } =
                *self.program.types.get(self.program[id].ty)
                && self.program[id].linkage == Linkage::External
            {
                self.program[id].ty = self.program.types.array_of(element, ArrayLength::Fixed(1));
            }
            self.check_complete(id, span)?;
            self.defined_before.insert(id);
        }
        Ok(())
    }

    /// The type `size_t`.
    pub(super) fn size_type(&self) -> TypeId {
        Types::int(self.program.target.size_type)
    }
}
