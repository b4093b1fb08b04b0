//! Types and nodes in words, for messages. The words are not C: see `print` for that.

use std::fmt::Debug;

use crate::arena::{ExprId, StmtId};
use crate::program::{Entity, Program, RecordKind};
use crate::types::{ArrayLength, FunctionType, Qualifiers, Type, TypeId};

/// A type in words, such as `pointer to const int`.
pub fn type_in_words(program: &Program, ty: TypeId) -> String {
    let names = [
        (Qualifiers::CONST, "const "),
        (Qualifiers::VOLATILE, "volatile "),
        (Qualifiers::RESTRICT, "restrict "),
        (Qualifiers::ATOMIC, "_Atomic "),
    ];
    let mut words = String::new();
    for (qualifier, name) in names {
        if ty.qualifiers().contains(qualifier) {
            words.push_str(name);
        }
    }
    words + &unqualified_in_words(program, ty)
}

fn unqualified_in_words(program: &Program, ty: TypeId) -> String {
    let inner = |ty| type_in_words(program, ty);
    match program.types.get(ty) {
        Type::Void => "void".into(),
        Type::Int(kind) => format!("{kind:?}").to_lowercase(),
        Type::BitInt { signed, width } => {
            format!("{}_BitInt({width})", if *signed { "" } else { "unsigned " })
        }
        Type::Float(kind) => format!("{kind:?}").to_lowercase(),
        Type::Complex(element) => format!("complex {}", inner(*element)),
        Type::Enum(id) => format!("enum {}", program.text(program[*id].tag)),
        Type::Pointer(pointee) => format!("pointer to {}", inner(*pointee)),
        Type::Array { element, length } => match length {
            ArrayLength::Fixed(length) => format!("array of {length} {}", inner(*element)),
            ArrayLength::Unknown => format!("array of unknown length of {}", inner(*element)),
            ArrayLength::Variable(_) => format!("array of variable length of {}", inner(*element)),
            ArrayLength::Star => format!("array of any length of {}", inner(*element)),
        },
        Type::Vector { element, lanes } => format!("vector of {lanes} {}", inner(*element)),
        Type::Function(function) => function_in_words(program, function),
        Type::Record(id) => entity_in_words(program, Entity::Record(*id)),
        Type::Typedef(id) => program.text(program[*id].name).into(),
        Type::VaList => "__builtin_va_list".into(),
        Type::NullPointer => "nullptr_t".into(),
    }
}

fn function_in_words(program: &Program, function: &FunctionType) -> String {
    let mut parameters: Vec<String> =
        function.parameters.iter().map(|&ty| type_in_words(program, ty)).collect();
    if function.variadic {
        parameters.push("...".into());
    }
    let list = if function.prototyped { parameters.join(", ") } else { "unknown".into() };
    format!("function ({list}) returning {}", type_in_words(program, function.result))
}

/// What a file-scope entity is called: `function main`, `struct s`.
pub fn entity_in_words(program: &Program, entity: Entity) -> String {
    match entity {
        Entity::Record(id) => {
            let kind = match program[id].kind {
                RecordKind::Struct => "struct",
                RecordKind::Union => "union",
            };
            match program[id].tag {
                Some(tag) => format!("{kind} {}", program.text(tag)),
                None => format!("anonymous {kind} {id:?}"),
            }
        }
        Entity::Enum(id) => format!("enum {}", program.text(program[id].tag)),
        Entity::Typedef(id) => format!("typedef {}", program.text(program[id].name)),
        Entity::Object(id) => match program[id].name {
            Some(name) => format!("object {}", program.text(name)),
            None => format!("unnamed object {id:?}"),
        },
        Entity::Function(id) => format!("function {}", program.text(program[id].name)),
    }
}

/// An expression in words: its form and its type.
pub fn expr_in_words(program: &Program, expr: ExprId) -> String {
    let node = &program[expr];
    format!("{} of type {}", first_word(&node.kind), type_in_words(program, node.ty))
}

/// The form of a statement.
pub fn stmt_in_words(program: &Program, stmt: StmtId) -> String {
    format!("statement {}", first_word(&program[stmt]))
}

/// The variant of an enum value, with its first operator if it has one.
fn first_word(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    let end =
        text.find(|c: char| !(c.is_alphanumeric() || c == '(' || c == '_')).unwrap_or(text.len());
    let word = text[..end].trim_end_matches('(');
    match word.split_once('(') {
        // Ids say nothing to a reader; an operator or a constant does.
        Some((form, argument)) if argument.ends_with("Id") => form.into(),
        Some((form, argument)) => format!("{form} {argument}"),
        None => word.into(),
    }
}
