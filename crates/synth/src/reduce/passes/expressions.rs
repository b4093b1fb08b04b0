//! Passes on expressions.

use std::collections::BTreeSet;

use farrier_lang::edit::{Change, Edit, Fresh};
use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{
    ArrayLength, Expr, ExprId, ExprKind, InitItem, IntKind, ObjectId, Program, Stmt, StringLiteral,
    Type, TypeId, Types, copy, integer_type,
};

use crate::scene::{Scene, adapted, plain, push, root, zero};

/// The expressions that are values and can be replaced by any other of their type.
fn values<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = ExprId> + use<'a> {
    scene.exprs().filter(|id| {
        let node = &scene.program[*id];
        let value = !scene.program.is_lvalue(*id)
            && !matches!(scene.program.resolve(node.ty), Type::Function(_) | Type::Array { .. });
        let callee = scene.parent(*id).is_some_and(
            |parent| matches!(scene.program[parent].kind, ExprKind::Call(callee, _) if callee == *id),
        );
        value && !callee && !matches!(node.kind, ExprKind::InitList(_))
    })
}

fn replace(draft: &mut Fresh, at: ExprId, with: ExprId) -> Edit {
    draft.edit(vec![Change::ReplaceExpr { at, with }])
}

/// Replaces all expressions that always had one value and have no effect, in one edit: that
/// changes nothing that the program does. Arguments stay, since what is printed is one.
pub(super) fn all_known(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut changes = Vec::new();
    // Those around an expression come before it.
    let mut arguments = BTreeSet::new();
    for at in scene.exprs() {
        let Some(parent) = scene.parent(at) else { continue };
        let call = matches!(scene.program[parent].kind, ExprKind::Call(..));
        if call || arguments.contains(&parent) {
            arguments.insert(at);
        }
    }
    for at in values(scene) {
        let plain = !scene.program.is_literal(at) && !scene.program.has_effect(at);
        let kept = !plain || arguments.contains(&at);
        if kept {
            continue;
        }
        if let Some(with) = scene.known_constant(&mut draft, at) {
            changes.push(Change::ReplaceExpr { at, with });
        }
    }
    if changes.is_empty() { Vec::new() } else { vec![draft.edit(changes)] }
}

/// Replaces expressions that always had one value by it.
pub(super) fn known(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = [Vec::new(), Vec::new()];
    for at in values(scene) {
        if scene.program.is_literal(at) {
            continue;
        }
        if let Some(with) = scene.known_constant(&mut draft, at) {
            let edit = replace(&mut draft, at, with);
            edits[usize::from(scene.program.has_effect(at))].push(edit);
        } else {
            draft.discard();
        }
    }
    // Those without effects first: all of them together change nothing.
    edits.concat()
}

/// Replaces expressions by zero.
pub(super) fn zeros(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for at in values(scene) {
        let node = &scene.program[at];
        let written = match node.kind {
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => &scene.program[operand].kind,
            ref kind => kind,
        };
        if matches!(written, ExprKind::Int(0)) || scene.whole_statement(at).is_some() {
            continue;
        }
        match zero(&mut draft, node.ty) {
            Some(with) => edits.push(replace(&mut draft, at, with)),
            None => draft.discard(),
        }
    }
    edits
}

/// Replaces expressions by one.
pub(super) fn ones(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for at in values(scene) {
        let Expr { kind, ty } = &scene.program[at];
        let small = matches!(kind, ExprKind::Int(0 | 1) | ExprKind::Convert(_));
        if small || scene.whole_statement(at).is_some() || !scene.program.is_arithmetic(*ty) {
            continue;
        }
        let one = push(&mut draft, ExprKind::Int(1), Types::INT);
        match adapted(&mut draft, one, ty.unqualified()) {
            Some(with) => edits.push(replace(&mut draft, at, with)),
            None => draft.discard(),
        }
    }
    edits
}

/// Replaces expressions by zero with a cast, where a zero alone would be an `int`.
pub(super) fn typed_zeros(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for at in values(scene) {
        let Expr { kind, ty } = &scene.program[at];
        let ty = ty.unqualified();
        // What is converted is an expression of its own.
        let written = matches!(
            kind,
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Convert(_) | ExprKind::Cast(_)
        );
        if written || ty == Types::INT || !scene.program.is_arithmetic(ty) {
            continue;
        }
        let zero = push(&mut draft, ExprKind::Int(0), Types::INT);
        let with = push(&mut draft, ExprKind::Cast(zero), ty);
        edits.push(replace(&mut draft, at, with));
    }
    edits
}

/// Replaces operations by one of their operands.
fn operand(scene: &Scene<'_>, index: usize) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for at in values(scene) {
        let node = &scene.program[at];
        let mut operands = Vec::new();
        match &node.kind {
            ExprKind::Load(_) | ExprKind::Decay(_) | ExprKind::Convert(_) => {}
            ExprKind::Call(_, arguments) => operands.extend(arguments),
            ExprKind::StatementExpr(block) => {
                // Its value, as if nothing came before.
                if let Stmt::Block(stmts) = &scene.program[*block]
                    && let Some(Stmt::Expr(value)) = stmts.last().map(|last| &scene.program[*last])
                {
                    operands.push(*value);
                }
            }
            kind => kind.for_each_operand(|operand| operands.push(operand)),
        }
        let Some(&operand) = operands.get(index) else { continue };
        let ty = match scene.whole_statement(at) {
            // The value is not used, so it may have any type.
            Some(_) => scene.program.type_of(plain(scene.program, operand)).unqualified(),
            None => node.ty,
        };
        match adapted(&mut draft, operand, ty) {
            Some(with) => edits.push(replace(&mut draft, at, with)),
            None => draft.discard(),
        }
    }
    edits
}

/// Replaces operations by their first operand.
pub(super) fn first(scene: &Scene<'_>) -> Vec<Edit> {
    operand(scene, 0)
}

/// Replaces operations by their second operand.
pub(super) fn second(scene: &Scene<'_>) -> Vec<Edit> {
    operand(scene, 1)
}

/// Replaces operations by their third operand.
pub(super) fn third(scene: &Scene<'_>) -> Vec<Edit> {
    operand(scene, 2)
}

/// Halves constants, by value and by number of bits, takes a part of them away, and makes them
/// `int`; makes floating ones shorter. To find the smallest that will do, one by one, takes too long.
pub(super) fn halves(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for at in values(scene) {
        let ty = scene.program.type_of(at);
        if let ExprKind::Float(id) = scene.program[at].kind {
            for value in shorter(scene.program, ty, scene.program[id]) {
                let forms =
                    [as_integer, |draft: &mut Fresh, value, ty| draft.program.floating(value, ty)];
                for form in forms {
                    match form(&mut draft, value, ty) {
                        Some(with) => edits.push(replace(&mut draft, at, with)),
                        None => draft.discard(),
                    }
                }
            }
        }
        let ExprKind::Int(value) = scene.program[at].kind else { continue };
        let bits = 64 - value.leading_zeros();
        let part = if value <= 16 { value.min(1) } else { value / 8 };
        let mut smaller = [value >> (bits / 2), value / 2, value - value / 4, value - part]
            .map(i128::from)
            .to_vec();
        smaller.dedup();
        if ty != Types::INT {
            smaller.insert(0, i128::from(value));
        }
        for value in smaller {
            match draft.program.integer(value, ty) {
                Some(with) => edits.push(replace(&mut draft, at, with)),
                None => draft.discard(),
            }
        }
    }
    edits
}

/// Values in the place of a floating constant: itself, fewer binary digits, a smaller power of two,
/// fewer decimal digits.
fn shorter(program: &Program, ty: TypeId, bits: u128) -> Vec<FloatValue> {
    let Type::Float(kind) = *program.resolve(ty) else { return Vec::new() };
    let Some((_, format)) = program.target.float_scalar(kind) else { return Vec::new() };
    let value = FloatValue { format, bits };
    let Some((odd, exponent)) = value.odd() else { return Vec::new() };
    let digits = 128 - odd.leading_zeros();
    let scaled =
        |fewer: u32, exponent| FloatValue::scaled(format, odd >> fewer, exponent + fewer as i32);
    let mut values = vec![value, scaled(0, 0), scaled(0, exponent / 2)];
    values.extend([digits - 1, digits / 2, 1].map(|fewer| scaled(fewer, exponent)));
    values.extend(fewer_decimals(value));
    values
}

/// An `int` of the same value, converted.
fn as_integer(draft: &mut Fresh, value: FloatValue, ty: TypeId) -> Option<ExprId> {
    let number = value.to_integer(integer_type(&draft.program, Types::INT)?)?;
    let constant = draft.program.literal(number, IntKind::Int)?;
    Some(push(draft, ExprKind::Convert(constant), ty.unqualified()))
}

/// A number rounded to half of its decimal digits, and to one fewer.
fn fewer_decimals(value: FloatValue) -> Vec<FloatValue> {
    let Some(decimal) = value.decimal() else { return Vec::new() };
    let Ok(number) = decimal.parse::<f64>() else { return Vec::new() };
    let digits = format!("{number:e}").bytes().take_while(|byte| *byte != b'e').count();
    let rounded = |digits: usize| {
        let text = format!("{number:.digits$e}");
        let bits = match value.format {
            FloatFormat::Single => text.parse::<f32>().ok()?.to_bits().into(),
            FloatFormat::Double => text.parse::<f64>().ok()?.to_bits().into(),
            _ => return None,
        };
        Some(FloatValue { bits, ..value })
    };
    [digits / 4, digits / 2, digits.saturating_sub(3)].into_iter().filter_map(rounded).collect()
}

/// Takes items out of initialiser lists: half of them, or one.
pub(super) fn lists(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for at in scene.exprs() {
        let Expr { kind: ExprKind::InitList(items), ty } = &scene.program[at] else { continue };
        let half = items.len() / 2;
        let mut kept: Vec<Box<[InitItem]>> = vec![items[..half].into(), items[half..].into()];
        if items.len() > 2 {
            kept.extend((0..items.len()).map(|out| {
                let rest = items.iter().enumerate().filter(|(index, _)| *index != out);
                rest.map(|(_, item)| item.clone()).collect()
            }));
        }
        for kept in kept.into_iter().filter(|kept| kept.len() < items.len()) {
            let with = push(&mut draft, ExprKind::InitList(kept.into()), *ty);
            edits.push(replace(&mut draft, at, with));
        }
    }
    edits
}

/// Shortens string literals that decay: to nothing, to either half, by one character.
pub(super) fn strings(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for at in scene.exprs() {
        let ExprKind::String(string) = scene.program[at].kind else { continue };
        let decays = scene
            .parent(at)
            .is_some_and(|parent| matches!(scene.program[parent].kind, ExprKind::Decay(_)));
        let literal = &scene.program[string];
        let length = literal.units.len();
        if !decays || length == 0 {
            continue;
        }
        let Type::Array { element, .. } = *scene.program.resolve(scene.program.type_of(at)) else {
            continue;
        };
        for part in [0..0, 0..length / 2, length / 2..length, 0..length - 1, 1..length] {
            if part.len() == length {
                continue;
            }
            let units: Box<[u32]> = literal.units[part].into();
            let fixed = ArrayLength::Fixed(units.len() as u64 + 1);
            let ty = draft.program.types.array_of(element, fixed);
            let shorter = StringLiteral { encoding: literal.encoding, units };
            let shorter = draft.program.strings.push(shorter);
            let with = push(&mut draft, ExprKind::String(shorter), ty);
            edits.push(replace(&mut draft, at, with));
        }
    }
    edits
}

/// Reads the part of an object that is assigned to, in the place of another part: of a
/// union, what was written instead of what lies over it.
pub(super) fn parts(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Fresh::new(program);
    let written: Vec<(ObjectId, ExprId)> = scene
        .exprs()
        .filter_map(|id| match program[id].kind {
            ExprKind::Assign(target, _)
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::Step(_, target) => Some((root(program, target)?, target)),
            _ => None,
        })
        .collect();
    let mut edits = Vec::new();
    for at in scene.exprs() {
        let ExprKind::Load(place) = program[at].kind else { continue };
        let Some(object) = root(program, place) else { continue };
        let target = written.iter().find(|(other, target)| {
            *other == object && program[*target].kind != program[place].kind
        });
        let Some(&(_, target)) = target else { continue };
        let ty = program.type_of(target).unqualified();
        let place = copy::expr(&mut draft.program, target);
        let read = push(&mut draft, ExprKind::Load(place), ty);
        match adapted(&mut draft, read, program.type_of(at)) {
            Some(with) => edits.push(draft.edit(vec![Change::ReplaceExpr { at, with }])),
            None => draft.discard(),
        }
    }
    edits
}

/// Replaces what is read from a compound literal by the first value in it that is computed.
pub(super) fn literals(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Fresh::new(program);
    let mut edits = Vec::new();
    for at in scene.exprs() {
        let ExprKind::Load(mut place) = program[at].kind else { continue };
        let literal = loop {
            place = match program[place].kind {
                ExprKind::CompoundLiteral(init) => break Some(init),
                ExprKind::Member(of, _) | ExprKind::Index(of, _) | ExprKind::Decay(of) => of,
                _ => break None,
            };
        };
        let Some(value) = literal.and_then(|init| computed(program, init)) else { continue };
        match adapted(&mut draft, value, program.type_of(at)) {
            Some(with) => edits.push(draft.edit(vec![Change::ReplaceExpr { at, with }])),
            None => draft.discard(),
        }
    }
    edits
}

/// The first value of an initialiser that is not a constant.
fn computed(program: &Program, init: ExprId) -> Option<ExprId> {
    match &program[init].kind {
        ExprKind::InitList(items) => items.iter().find_map(|item| computed(program, item.value)),
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::String(_) => None,
        _ => Some(init),
    }
}
