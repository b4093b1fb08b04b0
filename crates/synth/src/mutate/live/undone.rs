//! Blocks that run, and whose effects are undone: other values go where the program will look,
//! an output that never happens keeps them alive, and the old values come back.

use farrier_lang::builtins::Builtin;
use farrier_lang::{
    Attribute, BinaryOp, Entity, ExprId, ExprKind, Function, FunctionType, Item, Linkage, Object,
    ObjectId, StepOp, Stmt, StmtId, TypeId, Types,
};

use super::expression::value;
use super::known::Known;
use super::{Draft, before, block, is_in_expression, live_point};
use crate::Choices;
use crate::mutate::place::Place;
use crate::mutate::stage::Stage;

/// How many variables change at most.
const MOST_VARIABLES: usize = 3;

/// How many statements change them, at least and at most.
const STATEMENTS: (i64, i64) = (1, 4);

/// How many blocks that never run print; the others are hostile, in percent.
const PRINT: u32 = 60;

/// How many outputs that never happen stand in a loop without rounds, in percent.
const IN_LOOP: u32 = 40;

/// How often a loop runs at most.
const MOST_ROUNDS: u64 = 7;

/// How many new functions must not be inlined, in percent.
const NOINLINE: u32 = 60;

/// How many parameters a new function has at most.
const MOST_PARAMETERS: u64 = 3;

/// How often a saved value is drawn, in relation to others.
const SAVED_WEIGHT: u32 = 2;

/// A way to change a variable.
struct Deed {
    weight: u32,
    draw: fn(&mut Draft<'_>, usize) -> Option<StmtId>,
}

/// Every way.
const DEEDS: &[Deed] = &[
    Deed { weight: 10, draw: assign },
    Deed { weight: 4, draw: count },
    Deed { weight: 4, draw: call },
];

/// A variable with the object that keeps its value.
struct Saved {
    column: usize,
    object: ObjectId,
}

/// Draws a block and puts it before a point.
pub(super) fn draw(stage: &mut Stage<'_>, choices: &mut Choices) {
    let Some(point) = live_point(stage, choices) else { return };
    if is_in_expression(stage, stage.points[point].block) {
        return;
    }
    let dead = match choices.chance(PRINT) {
        true => None,
        false => block::draw(stage, point, choices),
    };
    let (dead, mut changes) = dead.map_or((None, Vec::new()), |(dead, it)| (Some(dead), it));
    let Some(mut draft) = Draft::at(stage, point, choices) else { return };
    let Some(stmt) = undone(&mut draft, dead) else { return };
    draft.finish();
    changes.push(before(&stage.points[point], stmt));
    stage.taken.push(point);
    stage.push(changes);
}

/// `{ T b = e; if (true) { b = v; v = e; if (false) print(v); } v = b; }`
pub(super) fn undone(draft: &mut Draft<'_>, dead: Option<StmtId>) -> Option<StmtId> {
    let saved = variables(draft)?;
    let mut outer = Vec::new();
    for one in &saved {
        let ty = draft.program[one.object].ty;
        let init = draft.assigned(ty, false)?;
        draft.program[one.object].init = Some(init);
        outer.push(draft.push(Stmt::Declare(one.object)));
    }
    let condition = draft.predicate(true)?;
    let mut inner = Vec::new();
    for one in &saved {
        let place = Place::of(draft.program, one.object);
        let (target, value) = (place.lvalue(&mut draft.builder())?, draft.load(one.column)?);
        inner.push(draft.assignment(target, value)?);
        let (values, range) = (draft.known.values(one.column), draft.column(one.column).range);
        draft.known.add(draft.program, place, values, range, SAVED_WEIGHT)?;
    }
    let weights: Vec<u32> = DEEDS.iter().map(|deed| deed.weight).collect();
    for _ in 0..draft.choices.range(STATEMENTS.0, STATEMENTS.1) {
        let column = saved[draft.choices.index(saved.len())].column;
        let deed = draft.choices.weighted(&weights)?;
        inner.push((DEEDS[deed].draw)(draft, column)?);
    }
    inner.push(alive(draft, &saved, dead)?);
    let then = draft.block(inner);
    outer.push(draft.push(Stmt::If { condition, then, otherwise: None }));
    for one in &saved {
        let target = draft.lvalue(one.column)?;
        let kept = Place::of(draft.program, one.object).lvalue(&mut draft.builder())?;
        let kept = draft.builder().value(kept);
        outer.push(draft.assignment(target, kept)?);
    }
    Some(draft.block(outer))
}

/// Draws variables that change, each with a new object of its type.
fn variables(draft: &mut Draft<'_>) -> Option<Vec<Saved>> {
    let columns = draft.known.columns.iter();
    let mut columns: Vec<usize> =
        columns.enumerate().filter(|(_, it)| it.writable).map(|(index, _)| index).collect();
    draft.choices.shuffle(&mut columns);
    columns.truncate(1 + draft.choices.index(MOST_VARIABLES));
    let saved = columns.into_iter().map(|column| {
        let name = draft.program.names.fresh("b_1");
        let ty = draft.column(column).place.ty.unqualified();
        let object = draft.program.objects.push(Object::local(name, ty));
        Saved { column, object }
    });
    let saved: Vec<Saved> = saved.collect();
    (!saved.is_empty()).then_some(saved)
}

/// `if (false) print(v);`, or a loop, or something hostile.
fn alive(draft: &mut Draft<'_>, saved: &[Saved], dead: Option<StmtId>) -> Option<StmtId> {
    let then = match dead {
        Some(dead) => dead,
        None => {
            let column = saved[draft.choices.index(saved.len())].column;
            print(draft, column)?
        }
    };
    let condition = draft.predicate(false)?;
    Some(match draft.choices.chance(IN_LOOP) {
        true => draft.push(Stmt::While { condition, body: then }),
        false => draft.push(Stmt::If { condition, then, otherwise: None }),
    })
}

/// `__builtin_printf("%d\n", v);`
fn print(draft: &mut Draft<'_>, column: usize) -> Option<StmtId> {
    let text = draft.program.string("%d\n");
    let value = draft.load(column)?;
    let mut builder = draft.builder();
    let text = builder.value(text);
    let int = builder.cast(value, Types::INT).ok()?;
    let printf = Builtin::by_name("__builtin_printf").expect("the table has it");
    let ty = printf.function_type(&mut builder.program.types, builder.program.target)?;
    let text = builder.convert_assigned(text, ty.parameters[0]).ok()?;
    let call =
        builder.node(ExprKind::Builtin(printf, [text, int].into_iter().collect()), Types::INT);
    Some(draft.push(Stmt::Expr(call)))
}

/// `v = e;`
fn assign(draft: &mut Draft<'_>, column: usize) -> Option<StmtId> {
    let ty = draft.column(column).place.ty;
    let new = draft.assigned(ty, false)?;
    set(draft, column, new)
}

/// The variable gets a value of its type.
fn set(draft: &mut Draft<'_>, column: usize, new: ExprId) -> Option<StmtId> {
    let values = draft.values(new);
    let target = draft.lvalue(column)?;
    let stmt = draft.assignment(target, new)?;
    draft.known.set(column, values);
    Some(stmt)
}

/// `for (int i = 0; i < bound; i++) v = e;`
fn count(draft: &mut Draft<'_>, column: usize) -> Option<StmtId> {
    let (bound, rounds) = bound(draft)?;
    let zero = draft.constant(0)?;
    let name = draft.program.names.fresh("i_1");
    let counter = draft.program.objects.push(Object::local(name, Types::INT));
    draft.program[counter].init = Some(zero);
    let declare = draft.push(Stmt::Declare(counter));
    let place = Place::of(draft.program, counter);
    let rows = draft.known.rows.as_ref().map(|rows| vec![0; rows.len()]);
    let most = (0, MOST_ROUNDS as i128);
    let number = draft.known.add(draft.program, place.clone(), rows, most, SAVED_WEIGHT)?;
    let now = draft.load(number)?;
    let condition = draft.builder().binary(BinaryOp::Less, now, bound).ok()?;
    let lvalue = place.lvalue(&mut draft.builder())?;
    let step = draft.builder().step(StepOp::PostIncrement, lvalue).ok()?;
    let ty = draft.column(column).place.ty;
    let new = draft.assigned(ty, true)?;
    let target = draft.lvalue(column)?;
    let body = draft.assignment(target, new)?;
    run_rounds(draft, (column, number), new, rounds);
    // Nothing names the counter behind the loop.
    draft.known.pop();
    let (condition, step) = (Some(condition), Some(step));
    Some(draft.push(Stmt::For { init: [declare].into_iter().collect(), condition, step, body }))
}

/// A number of rounds that is the same or not at every visit, and what it is by rows.
fn bound(draft: &mut Draft<'_>) -> Option<(ExprId, Option<Vec<i128>>)> {
    let rounds = 1 + draft.choices.below(MOST_ROUNDS);
    if draft.choices.chance(30) {
        let rows = draft.known.rows.as_ref().map(|rows| vec![rounds.into(); rows.len()]);
        return Some((draft.constant(rounds.into())?, rows));
    }
    let column = draft.pick()?;
    let (value, mask) = (draft.load(column)?, draft.constant(MOST_ROUNDS.into())?);
    let masked = draft.builder().binary(BinaryOp::BitAnd, value, mask).ok()?;
    let bound = draft.builder().cast(masked, Types::INT).ok()?;
    let rows = draft.values(bound);
    Some((bound, rows))
}

/// Executes the rounds of a loop for each row.
fn run_rounds(
    draft: &mut Draft<'_>,
    (column, number): (usize, usize),
    new: ExprId,
    rounds: Option<Vec<i128>>,
) {
    let Draft { program, layouts, loads, known, .. } = draft;
    let Known { rows, .. } = known;
    let mut values = rows.as_ref().map(|_| Vec::new());
    for (row, rounds) in rows.iter_mut().flatten().zip(rounds.into_iter().flatten()) {
        for round in 0..rounds {
            row[number] = round;
            if let Ok(value) = value(program, layouts, loads, new, row) {
                row[column] = value;
            }
        }
        values.iter_mut().for_each(|values| values.push(row[column]));
    }
    draft.known.set(column, values);
}

/// `v = f(x, y);`, where `f` is new.
fn call(draft: &mut Draft<'_>, column: usize) -> Option<StmtId> {
    let mut inside = Known::default();
    inside.rows = draft.known.rows.as_ref().map(|rows| vec![Vec::new(); rows.len()]);
    let (mut arguments, mut parameters, mut types) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..1 + draft.choices.below(MOST_PARAMETERS) {
        let from = draft.pick()?;
        let (range, ty) = (draft.column(from).range, draft.column(from).place.ty.unqualified());
        let values = draft.known.values(from);
        arguments.push(draft.load(from)?);
        let name = draft.program.names.fresh("p_1");
        let parameter = draft.program.objects.push(Object::local(name, ty));
        let place = Place::of(draft.program, parameter);
        inside.add(draft.program, place, values, range, 1)?;
        parameters.push(parameter);
        types.push(ty);
    }
    let result = draft.column(column).place.ty.unqualified();
    let outside = std::mem::replace(&mut draft.known, inside);
    let loads = std::mem::take(&mut draft.loads);
    let value = draft.assigned(result, false);
    let values = value.and_then(|value| draft.values(value));
    (draft.known, draft.loads) = (outside, loads);
    let function = function(draft, result, types, parameters, value?);
    let ty = draft.program[function].ty;
    let designator = draft.builder().node(ExprKind::Function(function), ty);
    let call = draft.builder().call(designator, arguments).ok()?;
    let target = draft.lvalue(column)?;
    let stmt = draft.assignment(target, call)?;
    draft.known.set(column, values);
    Some(stmt)
}

/// `static T f(T x, T y) { return e; }`, before the function around the place.
fn function(
    draft: &mut Draft<'_>,
    result: TypeId,
    types: Vec<TypeId>,
    parameters: Vec<ObjectId>,
    value: ExprId,
) -> farrier_lang::FunctionId {
    let leave = draft.push(Stmt::Return(Some(value)));
    let body = Some(draft.block(vec![leave]));
    let noinline = draft.choices.chance(NOINLINE);
    let program = &mut *draft.program;
    let ty = FunctionType { result, parameters: types.into(), variadic: false, prototyped: true };
    let ty = program.types.function(ty);
    let name = program.names.fresh("f_1");
    let noinline =
        noinline.then(|| Attribute { name: program.names.intern("noinline"), arguments: None });
    let function = program.functions.push(Function {
        linkage: Linkage::Internal,
        parameters: parameters.into(),
        body,
        attributes: noinline.into_iter().collect(),
        ..Function::declared(name, ty)
    });
    let here = Item::Define(Entity::Function(draft.function));
    let at = program.items.iter().position(|item| *item == here).unwrap_or(0);
    program.items.insert(at, Item::Define(Entity::Function(function)));
    function
}
