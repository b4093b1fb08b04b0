//! Orion: deletes what never runs.

use std::collections::{BTreeMap, BTreeSet};

use farrier_lang::constant::integer_constant;
use farrier_lang::edit::{Change, Holder};
use farrier_lang::{
    Entity, ExprId, ExprKind, Item, ObjectId, Qualifiers, Stmt, StmtId, Type, Types, UnaryOp,
};

use super::stage::Stage;
use super::{Row, Strategy};
use crate::Choices;
use crate::scene::{push, zero};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row { strategy: Strategy::Orion, name: "delete", weight: 10, draw: delete },
    Row { strategy: Strategy::Orion, name: "cut", weight: 4, draw: cut },
    Row { strategy: Strategy::Orion, name: "forget", weight: 3, draw: forget },
    Row { strategy: Strategy::Orion, name: "unlabel", weight: 3, draw: unlabel },
    Row { strategy: Strategy::Orion, name: "hollow", weight: 2, draw: hollow },
];

/// The most that each probability of a row can be, in percent.
const MOST: u64 = 60;

/// A dead operand becomes a constant, and does not vanish with its operator.
const CONSTANT: u32 = 50;

/// A function that is never called returns a zero, and is not empty.
const RETURNS: u32 = 50;

/// Attributes that name another thing by its text.
const NAMING: &[&str] = &["alias", "weakref", "ifunc", "cleanup"];

/// Deletes by two probabilities that are drawn anew: one for statements that have others in
/// them, and one for the rest. It goes over the whole program, so that once is enough.
fn delete(stage: &mut Stage<'_>, choices: &mut Choices) {
    if stage.has_drawn() {
        return;
    }
    let (parents, leaves) = (choices.below(MOST) as u32, choices.below(MOST) as u32);
    for stmt in stage.dead_stmts() {
        let mut is_parent = false;
        stage.scene.program[stmt].for_each_child(|_| is_parent = true);
        if choices.chance(if is_parent { parents } else { leaves })
            && let Some(changes) = stage.removal(stmt)
        {
            stage.push(changes);
        }
    }
}

/// Cuts operands that were never evaluated out of expressions that were.
fn cut(stage: &mut Stage<'_>, choices: &mut Choices) {
    if stage.has_drawn() {
        return;
    }
    let share = choices.below(MOST) as u32;
    let exprs: Vec<ExprId> = stage.scene.exprs().collect();
    for whole in exprs {
        let (dead, rest) = match stage.scene.program[whole].kind {
            ExprKind::Logical(_, left, right) if evaluated(stage, left) => (right, left),
            ExprKind::Conditional { condition, then: Some(then), otherwise }
                if evaluated(stage, condition) =>
            {
                if evaluated(stage, then) {
                    (otherwise, then)
                } else {
                    (then, otherwise)
                }
            }
            _ => continue,
        };
        if evaluated(stage, dead) || !evaluated(stage, rest) || !choices.chance(share) {
            continue;
        }
        let (kind, ty) = (&stage.scene.program[whole].kind, stage.scene.program.type_of(whole));
        let (at, with) = match *kind {
            _ if choices.chance(CONSTANT) => {
                (dead, zero(&mut stage.fresh, stage.scene.program.type_of(dead)))
            }
            ExprKind::Conditional { condition, .. } => {
                (whole, Some(push(&mut stage.fresh, ExprKind::Comma(condition, rest), ty)))
            }
            _ => {
                let not = ExprKind::Unary(UnaryOp::Not, rest);
                let not = push(&mut stage.fresh, not, Types::INT);
                let not = ExprKind::Unary(UnaryOp::Not, not);
                (whole, Some(push(&mut stage.fresh, not, Types::INT)))
            }
        };
        match with {
            Some(with) => stage.push(vec![Change::ReplaceExpr { at, with }]),
            None => stage.discard(),
        }
    }
}

fn evaluated(stage: &Stage<'_>, expr: ExprId) -> bool {
    stage.scene.profile.as_ref().is_some_and(|profile| profile.expr(expr).count > 0)
}

/// Forgets objects that only code that never runs uses: the declaration goes with its uses.
fn forget(stage: &mut Stage<'_>, choices: &mut Choices) {
    if stage.has_drawn() {
        return;
    }
    let share = choices.below(MOST) as u32;
    let mut uses: BTreeMap<ObjectId, Vec<ExprId>> = BTreeMap::new();
    for expr in stage.scene.exprs() {
        if let ExprKind::Object(object) = stage.scene.program[expr].kind {
            uses.entry(object).or_default().push(expr);
        }
    }
    let mut declarations: BTreeMap<ObjectId, Vec<Change>> = BTreeMap::new();
    for stmt in stage.scene.stmts() {
        if let Stmt::Declare(object) = stage.scene.program[stmt]
            && is_plain_declaration(stage, stmt, object)
        {
            declarations.entry(object).or_default().push(Change::RemoveStmt(stmt));
        }
    }
    let by_text = names_by_text(stage);
    for item in stage.scene.program.items.iter().filter(|_| !by_text) {
        if let Some(Entity::Object(object)) = item.entity() {
            declarations.entry(object).or_default().push(Change::RemoveItem(*item));
        }
    }
    for (object, mut changes) in declarations {
        let uses = uses.get(&object).map_or(&[][..], Vec::as_slice);
        if choices.chance(share)
            && let Some(dead) = dead_uses(stage, uses)
        {
            changes.extend(dead);
            stage.push(changes);
        }
    }
}

/// Whether a declaration in a block does nothing that can be seen, so that it may vanish.
fn is_plain_declaration(stage: &Stage<'_>, stmt: StmtId, object: ObjectId) -> bool {
    let (program, object) = (stage.scene.program, &stage.scene.program[object]);
    let Some(Holder::Stmt(holder)) = stage.scene.holder_of_stmt(stmt) else { return false };
    matches!(program[holder], Stmt::Block(_))
        && !program.is_variable_array(object.ty)
        && !object.ty.qualifiers().contains(Qualifiers::VOLATILE)
        && object.attributes.is_empty()
        && (stage.count(stmt) == 0 || object.init.is_none_or(|init| !program.has_effect(init)))
}

/// Whether the program has something that names an object without an expression.
fn names_by_text(stage: &Stage<'_>) -> bool {
    let program = stage.scene.program;
    let objects = program.objects.iter().map(|(_, object)| &object.attributes);
    let functions = program.functions.iter().map(|(_, function)| &function.attributes);
    let mut attributes = objects.chain(functions).flatten();
    attributes.any(|attribute| NAMING.contains(&program.text(attribute.name)))
        || program.items.iter().any(|item| matches!(item, Item::Asm(_)))
}

/// The changes that take out the statements with these uses, if none of them ever ran.
fn dead_uses(stage: &Stage<'_>, uses: &[ExprId]) -> Option<Vec<Change>> {
    let profile = stage.scene.profile.as_ref()?;
    let mut removed = BTreeSet::new();
    let mut changes = Vec::new();
    for use_ in uses {
        let stmt = stage.scene.statement_of(*use_)?;
        if profile.ran(stage.scene.program, stmt) {
            return None;
        }
        if removed.insert(stmt) {
            changes.extend(stage.removal(stmt)?);
        }
    }
    Some(changes)
}

/// Takes away labels of switches to which no value ever led.
fn unlabel(stage: &mut Stage<'_>, choices: &mut Choices) {
    if stage.has_drawn() {
        return;
    }
    let share = choices.below(MOST) as u32;
    let stmts: Vec<StmtId> = stage.scene.stmts().collect();
    for switch in stmts {
        for (at, body) in labels_never_taken(stage, switch).unwrap_or_default() {
            if choices.chance(share) {
                stage.push(vec![Change::ReplaceStmt { at, with: body }]);
            }
        }
    }
}

/// The labels of a switch to which no value led, each with its body. `None` if it is no
/// switch that ran, or had many values.
fn labels_never_taken(stage: &mut Stage<'_>, switch: StmtId) -> Option<Vec<(StmtId, StmtId)>> {
    let program = stage.scene.program;
    let Stmt::Switch { value, body } = program[switch] else { return None };
    let values = stage.scene.profile.as_ref()?.expr(value).integers()?.few()?;
    let mut constant = |expr| integer_constant(program, &mut stage.layouts, expr).ok();
    let (mut never, mut taken, mut default) = (Vec::new(), BTreeSet::<i128>::new(), None);
    let mut waiting = vec![body];
    while let Some(stmt) = waiting.pop() {
        match program[stmt] {
            Stmt::Switch { .. } => continue,
            Stmt::Case { first, last, body } => {
                let (low, high) = (constant(first)?, constant(last.unwrap_or(first))?);
                let before = taken.len();
                taken.extend(values.iter().filter(|value| (low..=high).contains(*value)));
                if taken.len() == before {
                    never.push((stmt, body));
                }
            }
            Stmt::Default(body) => default = Some((stmt, body)),
            _ => {}
        }
        program[stmt].for_each_child(|child| waiting.push(child));
    }
    never.extend(default.filter(|_| taken.len() == values.len()));
    Some(never)
}

/// Empties functions that are never called.
fn hollow(stage: &mut Stage<'_>, choices: &mut Choices) {
    if stage.has_drawn() {
        return;
    }
    let share = choices.below(MOST) as u32;
    let program = stage.scene.program;
    let functions: Vec<_> = stage.scene.functions().collect();
    for function in functions {
        let (Some(body), Type::Function(ty)) =
            (program[function].body, program.resolve(program[function].ty))
        else {
            continue;
        };
        let ran = stage.scene.profile.as_ref().is_none_or(|profile| profile.ran(program, body));
        if ran || !choices.chance(share) {
            continue;
        }
        let void = matches!(program.resolve(ty.result), Type::Void);
        let value = (!void && choices.chance(RETURNS)).then(|| zero(&mut stage.fresh, ty.result));
        let returns = value.flatten().map(|value| Stmt::Return(Some(value)));
        let stmts = &mut stage.fresh.program.stmts;
        let inside = returns.map(|stmt| stmts.push(stmt)).into_iter().collect();
        let with = stmts.push(Stmt::Block(inside));
        stage.push(vec![Change::ReplaceStmt { at: body, with }]);
    }
}
