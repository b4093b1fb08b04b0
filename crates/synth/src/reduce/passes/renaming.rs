//! Short names for everything.

use farrier_lang::edit::{Change, Edit, Fresh};
use farrier_lang::{Entity, Function, Item, Label, Object, Stmt};

use crate::scene::Scene;

/// Gives everything that the program defines the shortest names, in the order of the
/// text: each kind of entity is one edit, so that all or some of them can change.
pub(super) fn names(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Fresh::new(program);
    let mut edits = Vec::new();
    let mut fresh = ShortNames { next: 0 };
    // What the program only declares keeps its name, and nothing else may have it.
    let mut taken: Vec<&str> = vec!["main", "do", "if"];
    for item in &program.items {
        let Item::Declare(entity) = item else { continue };
        let defined = program.items.contains(&Item::Define(*entity));
        match entity {
            Entity::Function(id) if !defined => taken.push(program.text(program[*id].name)),
            Entity::Object(id) if !defined => {
                taken.extend(program[*id].name.map(|n| program.text(n)))
            }
            _ => {}
        }
    }
    let mut objects = scene.objects();
    for function in scene.functions() {
        objects.extend(program[function].parameters.iter().copied());
    }
    for id in objects {
        let from = program[id].clone();
        let Some(old) = from.name else { continue };
        let new = fresh.name(&taken);
        if program.text(old) != new {
            let name = Some(draft.program.names.intern(&new));
            let to = Object { name, ..from.clone() };
            edits.push(draft.edit(vec![Change::Object {
                id,
                from: Box::new(from),
                to: Box::new(to),
            }]));
        }
    }
    for id in scene.functions().filter(|id| !scene.is_main(*id)) {
        let from = program[id].clone();
        let new = fresh.name(&taken);
        if program.text(from.name) != new {
            let name = draft.program.names.intern(&new);
            let to = Function { name, ..from.clone() };
            edits.push(draft.edit(vec![Change::Function {
                id,
                from: Box::new(from),
                to: Box::new(to),
            }]));
        }
    }
    for item in &program.items {
        let Item::Define(Entity::Record(id)) = *item else { continue };
        let from = program[id].clone();
        let mut to = from.clone();
        if from.tag.is_some() {
            to.tag = Some(draft.program.names.intern(&fresh.name(&taken)));
        }
        let mut members = ShortNames { next: 0 };
        for field in to.fields.iter_mut().flatten() {
            if field.name.is_some() {
                field.name = Some(draft.program.names.intern(&members.name(&taken)));
            }
        }
        if to != from {
            edits.push(draft.edit(vec![Change::Record {
                id,
                from: Box::new(from),
                to: Box::new(to),
            }]));
        }
    }
    for stmt in scene.stmts() {
        let Stmt::Label(id, _) = program[stmt] else { continue };
        let from = program[id].clone();
        let new = fresh.name(&taken);
        if program.text(from.name) != new {
            let name = draft.program.names.intern(&new);
            let to = Label { name, ..from.clone() };
            edits.push(draft.edit(vec![Change::Label {
                id,
                from: Box::new(from),
                to: Box::new(to),
            }]));
        }
    }
    edits
}

/// Names in the order `a`, `b`, ..., `z`, `aa`.
struct ShortNames {
    next: usize,
}

impl ShortNames {
    fn name(&mut self, taken: &[&str]) -> String {
        loop {
            let mut number = self.next;
            self.next += 1;
            let mut letters = Vec::new();
            loop {
                letters.insert(0, char::from(b'a' + (number % 26) as u8));
                match (number / 26).checked_sub(1) {
                    Some(rest) => number = rest,
                    None => break,
                }
            }
            let name: String = letters.into_iter().collect();
            if !taken.contains(&name.as_str()) {
                return name;
            }
        }
    }
}
