//! Functions inside functions, an extension of GNU C.

use farrier_lang::{Entity, Function, FunctionSpecifiers, Linkage, Span, Stmt, StmtId, StringId};

use farrier_lang::attributes::Bearer;

use super::attributes::Attributes;
use super::declarators::Declarator;
use super::specifiers::{Specifiers, StorageClass};
use super::{Parse, Parser};
use crate::scope::Meaning;

/// Attributes that give a function a place in the whole program, which one inside another
/// cannot have.
const OF_FILE_SCOPE: &[&str] = &["alias", "constructor", "destructor", "ifunc", "weak"];

impl Parser<'_> {
    /// The definition of a function in a block.
    pub(super) fn nested_function(
        &mut self,
        specifiers: &Specifiers,
        mut declarator: Declarator,
        mut attributes: Attributes,
        asm_name: Option<StringId>,
        block: &mut Vec<StmtId>,
    ) -> Parse<()> {
        let (name, span) = declarator.name.expect("the caller checked the name");
        self.check_nested(specifiers, asm_name, span)?;
        let Some(mut list) = declarator.parameters.take() else {
            let message = "the definition of a function has a list of parameters";
            return Err(self.constraint(span, message));
        };
        let old_style = self.is_old_style(&mut list)?;
        if let Some(meaning) = self.scopes.lookup_here(name) {
            if matches!(meaning, Meaning::Function(_)) {
                let message = "a function inside another that is declared before it is defined";
                return Err(self.unsupported(span, message));
            }
            return Err(self.redeclared(name, span, None));
        }
        let noreturn = specifiers.noreturn || attributes.noreturn;
        let attributes = self.keep_attributes(&mut attributes, Bearer::Function, span)?;
        if let Some(refused) = OF_FILE_SCOPE.iter().find(|name| self.is_among(name, &attributes)) {
            let message = format!("the attribute `{refused}` of a function inside another");
            return Err(self.unsupported(span, message));
        }
        let result = self.complete_result(declarator.ty, span)?;
        let hoisted = self.hoisted_name(name);
        let id = self.program.functions.push(Function {
            linkage: Linkage::None,
            specifiers: FunctionSpecifiers {
                noreturn,
                inline: specifiers.inline,
                extern_inline: false,
            },
            old_style,
            attributes,
            ..Function::declared(hoisted, declarator.ty)
        });
        self.name_of_nested(hoisted, Entity::Function(id));
        self.scopes.declare(name, Meaning::Function(id), span);
        let (parameters, body) = self.parameters_and_body(name, result, list, span)?;
        self.program[id].parameters = parameters;
        self.program[id].body = Some(body);
        block.push(self.statement_node(self.since(span), Stmt::DefineFunction(id)));
        Ok(())
    }

    fn check_nested(
        &self,
        specifiers: &Specifiers,
        asm_name: Option<StringId>,
        span: Span,
    ) -> Parse<()> {
        let plain = matches!(specifiers.storage, StorageClass::None | StorageClass::Auto);
        if !plain || specifiers.thread || specifiers.alignas.is_some() {
            let message = "a function inside another cannot have this storage class";
            return Err(self.constraint(specifiers.span, message));
        }
        if asm_name.is_some() {
            return Err(self.unsupported(span, "an assembler name of a function inside another"));
        }
        Ok(())
    }

    /// `auto int f(void);` promises a function inside this one.
    pub(super) fn no_promised_function(&self, specifiers: &Specifiers) -> Parse<()> {
        if specifiers.storage == StorageClass::Auto && !self.scopes.is_file() {
            let message = "a function inside another that is declared before it is defined";
            return Err(self.unsupported(specifiers.span, message));
        }
        Ok(())
    }
}
