//! Constraints on what specifiers and qualifiers may stand with, C11 6.7.1 to 6.7.6.

use farrier_lang::{ArrayLength, ObjectId, Qualifiers, Span, Storage, Symbol, Type, TypeId};

use super::declarators::Declarator;
use super::specifiers::{Specifiers, StorageClass};
use super::{Parse, Parser};

/// What the declarations of an object with linkage say about its alignment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Alignment {
    /// What `_Alignas` asks for.
    asked: Option<(u32, Span)>,
    /// A definition has `_Alignas`, or lacks it.
    defined_with: bool,
    defined_without: bool,
}

impl Parser<'_> {
    /// What declares neither an object nor a function has none of their specifiers.
    pub(super) fn check_bare(&self, specifiers: &Specifiers, what: &str) -> Parse<()> {
        let function = specifiers.inline || specifiers.noreturn;
        let wrong = match () {
            () if function => "`inline` or `_Noreturn`",
            () if specifiers.alignas.is_some() && what != "a member" => "`_Alignas`",
            () if specifiers.thread => "`_Thread_local`",
            () if specifiers.constexpr => "`constexpr`",
            () => return Ok(()),
        };
        Err(self.constraint(specifiers.span, format!("{what} cannot be declared {wrong}")))
    }

    /// `restrict` is for pointers to objects, `_Atomic` for neither arrays nor functions,
    /// C11 6.7.3p2 and p3.
    pub(super) fn check_qualifiers(
        &self,
        ty: TypeId,
        qualifiers: Qualifiers,
        span: Span,
    ) -> Parse<()> {
        let resolved = self.program.resolve(ty);
        if !qualifiers.is_empty() && matches!(resolved, Type::Function(_)) {
            return Err(self.constraint(span, "a function type has no qualifiers"));
        }
        let wrong = if qualifiers.contains(Qualifiers::RESTRICT) {
            let mut element = resolved;
            while let Type::Array { element: inner, .. } = element {
                element = self.program.resolve(*inner);
            }
            match element {
                Type::Pointer(target) => {
                    matches!(self.program.resolve(*target), Type::Function(_))
                }
                _ => true,
            }
        } else {
            qualifiers.contains(Qualifiers::ATOMIC) && matches!(resolved, Type::Array { .. })
        };
        if !wrong {
            return Ok(());
        }
        let word = if qualifiers.contains(Qualifiers::RESTRICT) { "restrict" } else { "_Atomic" };
        let ty = self.type_text(ty);
        Err(self.constraint(span, format!("`{ty}` cannot be qualified `{word}`")))
    }

    /// `_Atomic(type)`, C11 6.7.2.4p3.
    pub(super) fn check_atomic(&self, ty: TypeId, span: Span) -> Parse<()> {
        self.check_qualifiers(ty, Qualifiers::ATOMIC, span)?;
        if ty.qualifiers().is_empty() {
            return Ok(());
        }
        Err(self.constraint(span, "the type in `_Atomic()` cannot be qualified"))
    }

    /// `static` and qualifiers inside `[]` are for parameters, C11 6.7.6.2p1.
    pub(super) fn check_brackets(&self, declarator: &Declarator) -> Parse<()> {
        match declarator.marked_brackets {
            None => Ok(()),
            Some(span) => Err(self.marked_brackets(span)),
        }
    }

    pub(super) fn marked_brackets(&self, span: Span) -> Box<crate::Diagnostic> {
        let message = "`static` and qualifiers stand in the outermost `[]` of a parameter only";
        self.constraint(span, message)
    }

    /// Whether a type has a length `[*]`, which only a prototype may have, C11 6.7.6.2p4.
    pub(super) fn has_star(&self, ty: TypeId) -> bool {
        match *self.program.types.get(ty) {
            Type::Array { length: ArrayLength::Star, .. } => true,
            Type::Array { element: inner, .. } | Type::Pointer(inner) => self.has_star(inner),
            _ => false,
        }
    }

    /// The storage of an object with `_Thread_local` or at file scope, C11 6.7.1p3 and 6.9p2.
    pub(super) fn check_object_storage(&self, specifiers: &Specifiers) -> Parse<()> {
        let file = self.scopes.is_file();
        let storage = specifiers.storage;
        if storage == StorageClass::Auto && file {
            return Err(self.constraint(specifiers.span, "`auto` has no place at file scope"));
        }
        let lasting = matches!(storage, StorageClass::Static | StorageClass::Extern);
        if specifiers.thread && !(lasting || file && storage == StorageClass::None) {
            return Err(self.constraint(
                specifiers.span,
                "in a block, `_Thread_local` stands with `static` or `extern`",
            ));
        }
        if storage == StorageClass::Register && specifiers.alignas.is_some() {
            return Err(self.constraint(specifiers.span, "a register has no `_Alignas`"));
        }
        Ok(())
    }

    /// `_Alignas` cannot weaken what a type needs, C11 6.7.5p5.
    pub(super) fn check_alignas(&mut self, specifiers: &Specifiers, ty: TypeId) -> Parse<()> {
        let Some((align, span)) = specifiers.alignas else { return Ok(()) };
        match self.layouts.align_of(&self.program, ty) {
            Ok(natural) if align < natural => {
                let ty = self.type_text(ty);
                Err(self.constraint(span, format!("`{ty}` is aligned to {natural} at least")))
            }
            _ => Ok(()),
        }
    }

    /// All declarations of an object agree on `_Alignas`, in all files, C11 6.7.5p7, and on
    /// `_Thread_local`, C11 6.7.1p3.
    pub(super) fn check_redeclared(
        &mut self,
        id: ObjectId,
        name: (Symbol, Span),
        specifiers: &Specifiers,
        defines: bool,
    ) -> Parse<()> {
        let (name, span) = name;
        let known = self.alignments.entry(id).or_default();
        let before = known.asked;
        let agrees = match (specifiers.alignas, before) {
            (Some((new, _)), Some((old, _))) => new == old,
            (Some(_), None) => !known.defined_without,
            (None, Some(_)) => !defines || known.defined_with,
            (None, None) => true,
        };
        known.asked = before.or(specifiers.alignas);
        known.defined_with |= defines && specifiers.alignas.is_some();
        known.defined_without |= defines && specifiers.alignas.is_none() && !known.defined_with;
        if !agrees {
            let text = self.name_text(name);
            let message = format!("declarations of `{text}` have different alignments");
            let place = before.map(|(_, place)| place);
            return Err(Self::with_note(
                self.constraint(span, message),
                place,
                "the other is here",
            ));
        }
        Ok(())
    }

    pub(super) fn check_thread(
        &self,
        id: ObjectId,
        name: (Symbol, Span),
        storage: Storage,
    ) -> Parse<()> {
        let thread = |storage| storage == Storage::Thread;
        if thread(self.program[id].storage) == thread(storage) {
            return Ok(());
        }
        let text = self.name_text(name.0);
        let message = format!("`{text}` is declared both with and without `_Thread_local`");
        Err(self.with_entity(self.constraint(name.1, message), farrier_lang::Entity::Object(id)))
    }
}
