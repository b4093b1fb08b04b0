//! What only the linker would see: names that are used and not defined, C11 6.9p5, and
//! definitions that take the place of the library's, 7.1.3p2.

use std::borrow::Cow;

use farrier_lang::builtins::Builtin;
use farrier_lang::{
    Attribute, Entity, ExprId, ExprKind, FunctionId, Item, Linkage, ObjectId, Program, Stmt,
    StmtId, StringId, Symbol,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::kinds::Cause;
use crate::library::Library;
use crate::library::names::is_reserved;
use crate::lower::calls::{unknown_function, unknown_object};
use crate::lower::promises::{find_attribute, has_attribute, is_alias};
use crate::lower::{Lowered, is_constant};
use crate::verdict::{At, Stop};

/// Checks a program that has run to its end: what is wrong with it, and where.
pub(crate) fn check(program: &Program, lowered: &Lowered<'_>) -> Result<(), (At, Box<Stop>)> {
    check_definitions(program)?;
    let mut functions = program.functions.ids();
    let wrong = |id| is_missing(program, id) || is_forbidden(program, id);
    if functions.any(|id| lowered.is_named(id) && wrong(id))
        || program.objects.ids().any(|id| is_absent(program, lowered, id))
    {
        check_uses(program, lowered)?;
    }
    Ok(())
}

/// C11 7.1.3p2: a definition under a name of the library.
fn check_definitions(program: &Program) -> Result<(), (At, Box<Stop>)> {
    let mut sections = FxHashMap::default();
    for item in &program.items {
        let Item::Define(entity) = *item else { continue };
        let (name, at) = match entity {
            Entity::Function(id) => {
                let function = &program[id];
                let at = function.body.map_or(At::Nowhere, At::Stmt);
                check_section(program, &function.attributes, None, &mut sections, at)?;
                if function.linkage != Linkage::External || function.specifiers.inline {
                    continue;
                }
                (link_name(program, Some(function.name), function.asm_name), at)
            }
            Entity::Object(id) => {
                let object = &program[id];
                let at = object.init.map_or(At::Nowhere, At::Expr);
                let constant = is_constant(program, object.ty);
                check_section(program, &object.attributes, Some(constant), &mut sections, at)?;
                if object.linkage != Linkage::External {
                    continue;
                }
                (link_name(program, object.name, object.asm_name), at)
            }
            _ => continue,
        };
        if is_reserved(&name) {
            let message = format!(
                "the name `{name}` belongs to the library, which may use what is defined here in \
                 the place of its own"
            );
            return Err((at, Box::new(Stop::Unspecified(Cause::Compiler, message))));
        }
    }
    Ok(())
}

/// A section has functions, constant objects or others; compilers refuse two of these. `kind`
/// says whether an object is constant; a function has none.
fn check_section<'a>(
    program: &'a Program,
    attributes: &'a [Attribute],
    kind: Option<bool>,
    sections: &mut FxHashMap<&'a str, Option<bool>>,
    at: At,
) -> Result<(), (At, Box<Stop>)> {
    let section = find_attribute(program, attributes, "section");
    let Some(name) = section.and_then(|section| section.arguments.as_deref()) else {
        return Ok(());
    };
    if *sections.entry(name).or_insert(kind) == kind {
        return Ok(());
    }
    let feature = format!("the section {name} for things of different kinds");
    Err((at, Box::new(Stop::Unsupported(feature))))
}

/// What the linker calls something: its assembler name, if it has one.
fn link_name(program: &Program, name: Option<Symbol>, asm_name: Option<StringId>) -> Cow<'_, str> {
    match (asm_name, name) {
        (Some(label), _) => {
            let units = program[label].units.iter();
            units.filter_map(|unit| char::from_u32(*unit)).collect()
        }
        (None, Some(name)) => program.text(name).into(),
        (None, None) => "".into(),
    }
}

/// C11 6.9p5: what is used, even where it never runs, has to be defined.
fn check_uses(program: &Program, lowered: &Lowered<'_>) -> Result<(), (At, Box<Stop>)> {
    let mut walk = Walk { program, lowered, seen: FxHashSet::default(), found: None };
    for item in &program.items {
        match *item {
            Item::Define(Entity::Function(id)) if !program[id].specifiers.inline => {
                walk.function(id);
            }
            Item::Define(Entity::Object(id)) => walk.object(id),
            _ => {}
        }
    }
    match walk.found {
        Some((at, stop)) => Err((at, Box::new(stop))),
        None => Ok(()),
    }
}

/// A walk through all that a compiler may keep.
struct Walk<'a> {
    program: &'a Program,
    lowered: &'a Lowered<'a>,
    seen: FxHashSet<FunctionId>,
    found: Option<(At, Stop)>,
}

impl Walk<'_> {
    fn function(&mut self, id: FunctionId) {
        if let Some(body) = self.program[id].body
            && self.seen.insert(id)
        {
            self.statement(body);
        }
    }

    fn object(&mut self, id: ObjectId) {
        if let Some(init) = self.program[id].init {
            self.expression(init);
        }
    }

    fn statement(&mut self, stmt: StmtId) {
        let node = &self.program[stmt];
        if let Stmt::Declare(object) = node {
            self.object(*object);
        }
        node.for_each_expr(|expr| self.expression(expr));
        node.for_each_child(|child| self.statement(child));
    }

    fn expression(&mut self, expr: ExprId) {
        let kind = &self.program[expr].kind;
        match *kind {
            ExprKind::Function(id) => {
                if is_missing(self.program, id) {
                    let function = &self.program[id];
                    let name = self.program.text(function.name);
                    let stop = match function.body {
                        Some(_) => Stop::Unspecified(
                            Cause::Compiler,
                            format!(
                                "`{name}` has an inline definition only: calls need not use it"
                            ),
                        ),
                        None => Stop::Unsupported(unknown_function(name)),
                    };
                    self.found.get_or_insert((At::Expr(expr), stop));
                }
                if is_forbidden(self.program, id) {
                    let name = self.program.text(self.program[id].name);
                    let stop = Stop::Unsupported(format!("`{name}`, which an attribute forbids"));
                    self.found.get_or_insert((At::Expr(expr), stop));
                }
                self.function(id);
            }
            ExprKind::Object(id) if is_absent(self.program, self.lowered, id) => {
                let name = self.program[id].name.map_or("", |name| self.program.text(name));
                let stop = Stop::Unsupported(unknown_object(name));
                self.found.get_or_insert((At::Expr(expr), stop));
            }
            ExprKind::SizeofExpr(_) | ExprKind::AlignofExpr(..) => return,
            ExprKind::StatementExpr(block) => self.statement(block),
            _ => {}
        }
        kind.for_each_operand(|operand| self.expression(operand));
    }
}

/// Whether a function is defined neither by the program nor by the library. An inline
/// definition is none for the linker, unless it is certainly inlined.
fn is_missing(program: &Program, id: FunctionId) -> bool {
    let function = &program[id];
    let has = |name| has_attribute(program, &function.attributes, name);
    let specifiers = function.specifiers;
    let inline = specifiers.inline && specifiers.extern_inline == has("gnu_inline");
    let here = function.body.is_some() && (!inline || has("always_inline"));
    let name = program.text(function.name);
    function.linkage == Linkage::External
        && !here
        && !has("weak")
        && !is_alias(program, id)
        && Library::by_name(name).is_none()
        && Builtin::by_library_name(name).is_none()
        && !is_reserved(name)
}

/// Whether compilers may refuse a program that calls a function.
fn is_forbidden(program: &Program, id: FunctionId) -> bool {
    let has = |name| has_attribute(program, &program[id].attributes, name);
    has("error") || has("unavailable") || has("diagnose_if")
}

/// Whether an object is defined neither by the program nor by the library.
fn is_absent(program: &Program, lowered: &Lowered<'_>, id: ObjectId) -> bool {
    let object = &program[id];
    let has = |attribute| has_attribute(program, &object.attributes, attribute);
    object.linkage == Linkage::External
        && !lowered.has_static(id)
        && !has("weak")
        && !has("alias")
        && !object.name.is_some_and(|name| is_reserved(program.text(name)))
}
