//! The pass that leaves nothing of a program but single operations, with the operands that they
//! had. Where an operation is wrong by itself, most of the work is done with that.

use std::collections::{BTreeMap, BTreeSet};

use farrier_lang::constant::{Constant, evaluate};
use farrier_lang::edit::{Change, Edit, Fresh};
use farrier_lang::float::FloatValue;
use farrier_lang::layout::Layouts;
use farrier_lang::{
    BinaryOp, Entity, ExprId, ExprKind, IntKind, Item, Linkage, Object, ObjectId, Stmt, StmtId,
    Storage, Type, TypeId, Types, UnaryOp,
};
use farrier_machine::{Floats, Integers};

use crate::scene::{Scene, push};

/// How many operations a program may have. What does not fit comes in another.
const MOST_OPERATIONS: usize = 400;

/// How many values of one operand are tried.
const MOST_VALUES: usize = 3;

/// Replaces the program by operations on constants, or on objects of which a compiler does
/// not know that they are constant.
pub(super) fn operations(scene: &Scene<'_>) -> Vec<Edit> {
    let operations = evaluated(scene);
    let mut edits = replaced(scene, &operations, false);
    edits.extend(replaced(scene, &operations, true));
    edits
}

/// What is done, and the operands.
type Operation = (Operator, Vec<Operand>);

/// A number: its type, and the integer or the bits of the floating value.
type Operand = (TypeId, i128);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Unary(UnaryOp),
    Binary(BinaryOp),
    /// To or from a floating type.
    Conversion(TypeId),
}

/// The edits that leave only these operations. Whether a value is right decides the exit status.
fn replaced(scene: &Scene<'_>, operations: &[Operation], objects: bool) -> Vec<Edit> {
    let Some(main) = scene.main() else {
        return Vec::new();
    };
    let Some(body) = scene.program[main].body else { return Vec::new() };
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for some in operations.chunks(MOST_OPERATIONS) {
        let mut changes: Vec<Change> = scene
            .program
            .items
            .iter()
            .filter(|item| item.entity() != Some(Entity::Function(main)))
            .map(|item| Change::RemoveItem(*item))
            .collect();
        let mut known = BTreeMap::new();
        let mut stmts = Vec::new();
        for operation in some {
            let objects = objects.then_some(&mut known);
            let Some((value, right)) = check(&mut draft, operation, objects) else { continue };
            stmts.push(returned(&mut draft, value, right));
        }
        if stmts.is_empty() {
            draft.discard();
            continue;
        }
        for object in known.into_values() {
            let item = Item::Define(Entity::Object(object));
            let before = Some(Item::Define(Entity::Function(main)));
            changes.push(Change::InsertItem { item, before });
        }
        let zero = push(&mut draft, ExprKind::Int(0), Types::INT);
        stmts.push(draft.program.stmts.push(Stmt::Return(Some(zero))));
        let with = draft.program.stmts.push(Stmt::Block(stmts.into()));
        changes.push(Change::ReplaceStmt { at: body, with });
        edits.push(draft.edit(changes));
    }
    edits
}

/// The operations that were evaluated, each with operands that it may have had.
fn evaluated(scene: &Scene<'_>) -> Vec<Operation> {
    let program = scene.program;
    let Some(profile) = &scene.profile else { return Vec::new() };
    let floating = |id: ExprId| matches!(program.resolve(program.type_of(id)), Type::Float(_));
    let seen = |id: ExprId| {
        let ty = program.type_of(id).unqualified();
        let values = match *program.resolve(ty) {
            Type::Int(kind) if kind.rank() >= IntKind::Int.rank() => {
                some_of(profile.expr(id).integers()?)
            }
            Type::Float(_) => some_floats(profile.expr(id).floats()?),
            _ => return None,
        };
        Some((ty, values))
    };
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for at in scene.exprs() {
        let (operator, operands) = match program[at].kind {
            ExprKind::Binary(op, left, right) => match (seen(left), seen(right)) {
                (Some(left), Some(right)) => (Operator::Binary(op), vec![left, right]),
                _ => continue,
            },
            ExprKind::Unary(op, operand) => match seen(operand) {
                Some(operand) => (Operator::Unary(op), vec![operand]),
                _ => continue,
            },
            ExprKind::Cast(operand) | ExprKind::Convert(operand)
                if floating(at) || floating(operand) =>
            {
                let to = program.type_of(at).unqualified();
                match seen(operand) {
                    Some(operand) => (Operator::Conversion(to), vec![operand]),
                    _ => continue,
                }
            }
            _ => continue,
        };
        let mut choices: Vec<Vec<Operand>> = vec![Vec::new()];
        for (ty, values) in operands {
            choices = choices
                .iter()
                .flat_map(|chosen| {
                    let with = |value: &i128| [&chosen[..], &[(ty, *value)]].concat();
                    values.iter().map(with).collect::<Vec<_>>()
                })
                .collect();
        }
        for operands in choices {
            let operation = (operator, operands);
            if known.insert(operation.clone()) {
                found.push(operation);
            }
        }
    }
    found
}

fn some_of(values: &Integers) -> Vec<i128> {
    match values.few() {
        Some(few) => few.iter().copied().take(MOST_VALUES).collect(),
        None => vec![values.low, values.high],
    }
}

fn some_floats(values: &Floats) -> Vec<i128> {
    let number = |value: &FloatValue| value.bits as i128;
    match (values.few(), values.range) {
        (Some(few), _) => few.iter().take(MOST_VALUES).map(number).collect(),
        (None, Some((low, high))) => vec![number(&low), number(&high)],
        (None, None) => Vec::new(),
    }
}

/// A constant with a value, if it can be written.
fn literal(draft: &mut Fresh, (ty, value): Operand) -> Option<ExprId> {
    match *draft.program.resolve(ty) {
        Type::Int(kind) => draft.program.literal(value, kind),
        Type::Float(kind) => {
            let (_, format) = draft.program.target.float_scalar(kind)?;
            draft.program.floating(FloatValue { format, bits: value as u128 }, ty)
        }
        _ => None,
    }
}

/// An operation and its value, unless it is undefined or a number cannot be written. With
/// `objects`, the operands are read from objects.
fn check(
    draft: &mut Fresh,
    (operator, operands): &Operation,
    mut objects: Option<&mut BTreeMap<Operand, ObjectId>>,
) -> Option<(ExprId, ExprId)> {
    let mut written = Vec::new();
    for operand in operands {
        written.push(literal(draft, *operand)?);
    }
    let node = |draft: &mut Fresh, operands: &[ExprId]| {
        let first = draft.program.type_of(operands[0]);
        match *operator {
            Operator::Unary(UnaryOp::Not) => {
                push(draft, ExprKind::Unary(UnaryOp::Not, operands[0]), Types::INT)
            }
            Operator::Unary(op) => push(draft, ExprKind::Unary(op, operands[0]), first),
            Operator::Conversion(to) => push(draft, ExprKind::Cast(operands[0]), to),
            Operator::Binary(op) => {
                let ty = if op.is_comparison() { Types::INT } else { first };
                push(draft, ExprKind::Binary(op, operands[0], operands[1]), ty)
            }
        }
    };
    let mut operation = node(draft, &written);
    let ty = draft.program.type_of(operation);
    let right = match evaluate(&draft.program, &mut Layouts::default(), operation) {
        Ok(Constant::Integer { value, .. }) => literal(draft, (ty, value))?,
        Ok(Constant::Float(value)) => literal(draft, (ty, value.bits as i128))?,
        _ => return None,
    };
    if let Some(objects) = &mut objects {
        let mut read = Vec::new();
        for (operand, init) in operands.iter().zip(written) {
            let ty = operand.0;
            let object = match objects.get(operand) {
                Some(object) => *object,
                None => {
                    let object = global(draft, ty, init, objects.len());
                    objects.insert(*operand, object);
                    object
                }
            };
            let place = push(draft, ExprKind::Object(object), ty);
            read.push(push(draft, ExprKind::Load(place), ty));
        }
        operation = node(draft, &read);
    }
    Some((operation, right))
}

/// `if (value != right) return 1;`
fn returned(draft: &mut Fresh, value: ExprId, right: ExprId) -> StmtId {
    let differs = ExprKind::Binary(BinaryOp::NotEqual, value, right);
    let condition = push(draft, differs, Types::INT);
    let one = push(draft, ExprKind::Int(1), Types::INT);
    let then = draft.program.stmts.push(Stmt::Return(Some(one)));
    draft.program.stmts.push(Stmt::If { condition, then, otherwise: None })
}

fn global(draft: &mut Fresh, ty: TypeId, init: ExprId, number: usize) -> ObjectId {
    let name = draft.program.names.intern(&format!("operand{number}"));
    draft.program.objects.push(Object {
        linkage: Linkage::External,
        storage: Storage::Static,
        init: Some(init),
        ..Object::local(name, ty)
    })
}
