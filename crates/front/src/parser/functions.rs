//! Declarations and definitions of functions.

use std::mem::take;

use farrier_lang::attributes::Bearer;
use farrier_lang::wrapper::WRAPPER_PREFIX;
use farrier_lang::{
    Attribute, Entity, Function, FunctionId, FunctionSpecifiers, FunctionType, Linkage, ObjectId,
    Span, Stmt, StmtId, StringId, Symbol, Type, TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::attributes::Attributes;
use super::declarators::{Declarator, Parameters};
use super::specifiers::{Specifiers, StorageClass};
use super::{FunctionContext, Parse, Parser};
use crate::scope::Meaning;
use crate::token::TokenKind;

/// What the declarations of a function in one unit say about `inline`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InlineState {
    /// One has `inline`.
    inline: bool,
    /// One at file scope lacks `inline` or has `extern`.
    external: bool,
    /// The unit has a definition.
    defined: bool,
}

impl Parser<'_> {
    pub(super) fn function_declaration(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
        attributes: Attributes,
        asm_name: Option<StringId>,
    ) -> Parse<()> {
        self.no_promised_function(specifiers)?;
        let id = self.declare_function(specifiers, declarator, attributes, asm_name)?;
        let ty = self.program[id].ty;
        self.entities.declare(Entity::Function(id), Some(ty));
        Ok(())
    }

    fn declare_function(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
        attributes: Attributes,
        asm_name: Option<StringId>,
    ) -> Parse<FunctionId> {
        let (name, span) = declarator.name.expect("the caller checked the name");
        let file = self.scopes.is_file();
        let allowed = match specifiers.storage {
            _ if specifiers.thread || specifiers.alignas.is_some() => false,
            StorageClass::None | StorageClass::Extern => true,
            // C11 6.7.1p7.
            StorageClass::Static => file,
            StorageClass::Auto => !file,
            StorageClass::Register | StorageClass::Typedef => false,
        };
        if !allowed {
            return Err(
                self.constraint(specifiers.span, "a function cannot have this storage class")
            );
        }
        self.no_local_type(declarator.ty, span)?;
        let linkage = self.linkage_of(specifiers, name, true);
        if let Some(meaning) = self.scopes.lookup_here(name)
            && !matches!(meaning, Meaning::Function(_))
        {
            return Err(self.redeclared(name, span, None));
        }
        let ty = declarator.ty;
        let mut attributes = attributes;
        if let Some(align) = attributes.align {
            // What a function is aligned to says nothing about its type.
            let name = self.program.names.intern("aligned");
            let arguments = Some(align.to_string().into());
            attributes.others.push(Attribute { name, arguments });
        }
        let noreturn = specifiers.noreturn || attributes.noreturn;
        let attributes = self.keep_attributes(&mut attributes, Bearer::Function, span)?;
        let weak = self.is_among("weak", &attributes);
        let id = match self.linked(name, linkage, asm_name, ty) {
            Some(Entity::Function(id)) => {
                let merged = self.merge_types(name, span, Entity::Function(id), ty)?;
                if self.program[id].linkage != linkage {
                    let with = if linkage == Linkage::Internal { "without" } else { "with" };
                    let text = self.name_text(name);
                    let error = self
                        .constraint(span, format!("`{text}` was declared {with} `static` before"));
                    return Err(self.with_entity(error, Entity::Function(id)));
                }
                let known = &mut self.program[id];
                known.ty = merged;
                known.specifiers.noreturn |= noreturn;
                known.asm_name = known.asm_name.or(asm_name);
                if !attributes.is_empty() {
                    let late = self.late_attributes.entry(Entity::Function(id)).or_default();
                    late.extend(attributes);
                }
                self.unit_names.insert(name, Entity::Function(id));
                id
            }
            Some(other) => return Err(self.redeclared(name, span, Some(other))),
            None => {
                let id = self.program.functions.push(Function {
                    name,
                    ty,
                    linkage,
                    specifiers: FunctionSpecifiers { noreturn, ..FunctionSpecifiers::default() },
                    parameters: Box::default(),
                    body: None,
                    old_style: false,
                    asm_name,
                    attributes,
                });
                self.enter_linked(name, Entity::Function(id), linkage);
                id
            }
        };
        if weak {
            self.unit_weak.insert(id);
        }
        self.note_inline(id, specifiers);
        self.bind_linked(name, Entity::Function(id), span);
        Ok(id)
    }

    /// C11 6.7.4p7: a definition is an inline definition, which is not external, only if
    /// every file-scope declaration of its unit has `inline` and none has `extern`.
    fn note_inline(&mut self, id: FunctionId, specifiers: &Specifiers) {
        let here = self.unit_inlines.entry(id).or_default();
        here.inline |= specifiers.inline;
        here.external |= self.scopes.is_file()
            && (!specifiers.inline || specifiers.storage == StorageClass::Extern);
        let external = here.inline && here.external;
        let function = &mut self.program[id];
        function.specifiers.inline |= specifiers.inline;
        function.specifiers.extern_inline |= external && function.linkage == Linkage::External;
    }

    /// A call of a function that was not declared: C89 takes it to return `int`, and
    /// compilers know the types of library functions.
    pub(super) fn implicit_function(&mut self, name: Symbol, span: Span) -> Parse<FunctionId> {
        let text = self.name_text(name).to_owned();
        let known = farrier_lang::builtins::Builtin::by_library_name(&text).and_then(|builtin| {
            builtin.function_type(&mut self.program.types, self.program.target)
        });
        let ty = self.program.types.function(known.unwrap_or(FunctionType {
            result: Types::INT,
            parameters: Box::default(),
            variadic: false,
            prototyped: false,
        }));
        let id = match self.linked(name, Linkage::External, None, ty) {
            Some(Entity::Function(id)) => id,
            Some(other) => return Err(self.redeclared(name, span, Some(other))),
            None => {
                let id = self.program.functions.push(Function {
                    name,
                    ty,
                    linkage: Linkage::External,
                    specifiers: FunctionSpecifiers::default(),
                    parameters: Box::default(),
                    body: None,
                    old_style: false,
                    asm_name: None,
                    attributes: Box::default(),
                });
                self.enter_linked(name, Entity::Function(id), Linkage::External);
                id
            }
        };
        let implicit = InlineState { inline: false, external: true, defined: false };
        self.unit_inlines.entry(id).or_insert(implicit);
        let ty = self.program[id].ty;
        self.entities.declare(Entity::Function(id), Some(ty));
        Ok(id)
    }

    pub(super) fn function_definition(
        &mut self,
        specifiers: &Specifiers,
        mut declarator: Declarator,
        attributes: Attributes,
        asm_name: Option<StringId>,
    ) -> Parse<()> {
        let (name, span) = declarator.name.expect("the caller checked the name");
        if self.name_text(name).starts_with(WRAPPER_PREFIX) {
            // Calls of it are guards, and the printer writes it again.
            return self.skip_body();
        }
        let Some(mut list) = declarator.parameters.take() else {
            return Err(Self::with_help(
                self.constraint(span, "the definition of a function has a list of parameters"),
                "write the parameters here instead of using a typedef",
            ));
        };
        let old_style = self.is_old_style(&mut list)?;
        let gnu_inline = specifiers.inline && self.is_among("gnu_inline", &attributes.others);
        let id = self.declare_function(specifiers, &declarator, attributes, asm_name)?;
        let here = self.unit_inlines.entry(id).or_default();
        here.defined = true;
        let inline_here = !here.external;
        let earlier = self.program[id].body.is_some();
        let before = if earlier { self.definitions.get(&id).copied() } else { None };
        let again = self.unit_bodies.contains(&id);
        // An inline definition does not forbid an external one elsewhere: that stays. So does
        // one that is not weak.
        let weak = self.unit_weak.contains(&id);
        let weak_before = self.weak_definitions.contains(&id);
        let linked = earlier && !again && weak != weak_before;
        let replaces = earlier && self.inline_definitions.remove(&id)
            || earlier && again && !gnu_inline && self.gnu_inlines.remove(&id)
            || linked && weak_before;
        let yields = earlier && !replaces && !again && (inline_here || linked);
        if earlier && !(replaces || yields) {
            let error =
                self.constraint(span, format!("`{}` is defined twice", self.name_text(name)));
            return Err(self.with_entity(error, Entity::Function(id)));
        }
        let result = self.complete_result(declarator.ty, span)?;
        if let Some(star) = list.star {
            return Err(self.constraint(star, "`[*]` has no place in a definition"));
        }
        if self.program[id].asm_name.is_some() {
            // A definition cannot carry an assembler name: a declaration before it does.
            let ty = self.program[id].ty;
            self.entities.declare(Entity::Function(id), Some(ty));
        }
        let (parameters, body) = self.parameters_and_body(name, result, list, span)?;
        let text = self.since(span);
        if !linked && before.is_some_and(|before| !self.same_words(before, text)) {
            // Which of the two is called is not specified, C11 6.7.4p7.
            let message = "an inline definition that differs from the external one";
            return Err(self.unsupported(span, message));
        }
        self.definitions.entry(id).or_insert(text);
        if yields {
            return Ok(());
        }
        self.definitions.insert(id, text);
        if weak {
            self.weak_definitions.insert(id);
        } else {
            self.weak_definitions.remove(&id);
        }
        if gnu_inline {
            self.gnu_inlines.insert(id);
        }
        self.unit_bodies.insert(id);
        self.defined_at.insert(Entity::Function(id), span);
        let function = &mut self.program[id];
        function.parameters = parameters;
        function.old_style = old_style;
        function.body = Some(body);
        function.specifiers.extern_inline |=
            function.specifiers.inline && !inline_here && function.linkage == Linkage::External;
        self.entities.define(Entity::Function(id));
        Ok(())
    }

    /// Whether a function is defined in the old style; if so, reads the types of its parameters.
    pub(super) fn is_old_style(&mut self, list: &mut Parameters) -> Parse<bool> {
        let old_style = !list.prototyped && self.program.dialect < farrier_lang::Dialect::C23;
        if !list.names.is_empty() || old_style {
            self.old_style_parameters(list)?;
        }
        Ok(old_style)
    }

    /// The parameters and the body of a function.
    pub(super) fn parameters_and_body(
        &mut self,
        name: Symbol,
        result: TypeId,
        list: Box<Parameters>,
        span: Span,
    ) -> Parse<(Box<[ObjectId]>, StmtId)> {
        let mut outside = self.function.take().map(Box::new);
        self.function = Some(FunctionContext {
            name,
            result,
            name_object: None,
            pretty: None,
            locals: outside.as_mut().map_or_else(Vec::new, |outside| take(&mut outside.locals)),
            outside,
            label_names: FxHashMap::default(),
            local_labels: FxHashSet::default(),
            labels: FxHashMap::default(),
            switches: Vec::new(),
            variable: Vec::new(),
            variable_here: None,
            gotos: Vec::new(),
            breakable: 0,
            loops: 0,
        });
        self.scopes.enter();
        self.enter_parameters(&list, span)?;
        let entry = self.entry_statements(&list, span)?;
        let body = self.function_body(entry)?;
        self.declare_name_object(body, span)?;
        self.scopes.leave();
        self.no_pending_records(span)?;
        self.finish_labels()?;
        let context = self.function.take().expect("the function is not left");
        self.function =
            context.outside.map(|outside| FunctionContext { locals: context.locals, ..*outside });
        Ok((list.objects.into(), body))
    }

    /// The type that a function that is defined returns.
    pub(super) fn complete_result(&mut self, function: TypeId, span: Span) -> Parse<TypeId> {
        let Type::Function(ty) = self.program.resolve(function) else {
            unreachable!("the caller saw a function type")
        };
        let result = ty.result.unqualified();
        let incomplete = self.layouts.size_of(&self.program, result).is_err();
        if incomplete && self.program.resolve(result) != &Type::Void {
            let words = self.type_text(result);
            let message = format!("`{words}` cannot be returned: it is incomplete");
            return Err(self.constraint(span, message));
        }
        Ok(result)
    }

    pub(super) fn is_among(&self, name: &str, attributes: &[Attribute]) -> bool {
        attributes.iter().any(|attribute| self.program.text(attribute.name) == name)
    }

    /// Whether two pieces of text have the same words.
    fn same_words(&self, left: Span, right: Span) -> bool {
        let words = |span| {
            let text = self.program.sources.excerpt(span).unwrap_or_default();
            text.split_whitespace()
        };
        words(left).eq(words(right))
    }

    /// The lengths of array parameters that do something become the first statements.
    fn entry_statements(&mut self, list: &Parameters, span: Span) -> Parse<Vec<StmtId>> {
        let mixed = list.objects.iter().any(|object| {
            let target = self.program.pointee(self.program[*object].ty);
            target.is_some_and(|target| self.program.is_variable_array(target))
        });
        if mixed && !list.lengths.is_empty() {
            // They would be computed after the lengths inside the parameter types.
            return Err(self.unsupported(
                span,
                "lengths with side effects and arrays of arrays in one parameter list are not \
                 supported",
            ));
        }
        let lengths = list.lengths.iter();
        Ok(lengths
            .map(|length| self.statement_node(self.expr_span(*length), Stmt::Expr(*length)))
            .collect())
    }

    /// Puts the object that `__func__` is before everything else in the body.
    fn declare_name_object(&mut self, body: StmtId, span: Span) -> Parse<()> {
        let context = self.function.as_ref().expect("a body is in a function");
        if let Some(pretty) = context.pretty {
            let message = "`__PRETTY_FUNCTION__` is a text that each compiler chooses";
            return Err(Self::with_help(self.unsupported(pretty, message), "write `__func__`"));
        }
        let Some(object) = context.name_object else { return Ok(()) };
        let declaration = self.statement_node(span, Stmt::Declare(object));
        let Stmt::Block(statements) = &mut self.program[body] else {
            unreachable!("a body is a block")
        };
        statements.insert(0, declaration);
        Ok(())
    }

    /// Passes over `{ ... }`.
    fn skip_body(&mut self) -> Parse<()> {
        let open = self.expect(TokenKind::LeftBrace)?;
        let mut level = 1_u32;
        while level > 0 {
            match self.advance().kind {
                TokenKind::LeftBrace => level += 1,
                TokenKind::RightBrace => level -= 1,
                TokenKind::End => {
                    return Err(self.constraint(open.span, "this brace is never closed"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn enter_parameters(&mut self, list: &Parameters, span: Span) -> Parse<()> {
        for (symbol, tag) in &list.tags {
            self.scopes.declare_tag(*symbol, *tag, span);
        }
        for (symbol, constant) in &list.constants {
            self.scopes.declare(*symbol, *constant, span);
        }
        for (object, span) in list.objects.iter().copied().zip(list.spans.iter().copied()) {
            self.check_complete(object, span)?;
            let Some(name) = self.program[object].name else { continue };
            let unique = self.unhidden(name);
            self.program[object].name = Some(unique);
            self.scopes.declare(name, Meaning::Object(object), span);
            if let Some(function) = &mut self.function {
                function.locals.push(object);
            }
        }
        Ok(())
    }

    /// At the end of a unit: what its functions are is settled.
    pub(super) fn end_unit_functions(&mut self) -> Parse<()> {
        self.unit_weak.clear();
        let inlines = std::mem::take(&mut self.unit_inlines);
        self.check_inline_defined(&inlines)?;
        for id in std::mem::take(&mut self.unit_bodies) {
            let here = inlines[&id];
            let external = self.program[id].linkage == Linkage::External;
            if external && here.inline && !here.external {
                self.inline_definitions.insert(id);
            }
        }
        Ok(())
    }

    /// An inline function with external linkage is defined in each unit that declares it so,
    /// C11 6.7.4p7.
    fn check_inline_defined(&self, inlines: &FxHashMap<FunctionId, InlineState>) -> Parse<()> {
        let missing = inlines.keys().copied().filter(|id| {
            let here = inlines[id];
            let external = self.program[*id].linkage == Linkage::External;
            here.inline && !here.defined && external && !self.options.permissive
        });
        let Some(id) = missing.min() else { return Ok(()) };
        let span = self.declared_at.get(&Entity::Function(id)).copied().unwrap_or_default();
        let name = self.name_text(self.program[id].name);
        let message = format!("`{name}` is declared `inline` and not defined in this file");
        Err(Self::with_help(self.constraint(span, message), "define it, or leave out `inline`"))
    }
}
