//! Statements that become functions, loops that become recursion, and calls that become
//! statements.

use farrier_lang::edit::{Change, Holder};
use farrier_lang::{
    Attribute, Entity, ExprId, ExprKind, Function, FunctionId, FunctionType, Item, Linkage, Object,
    ObjectId, Program, Qualifiers, Stmt, StmtId, Storage, Type, Types, copy,
};
use rustc_hash::FxHashMap;

use super::super::stage::Stage;
use super::trees::{Contents, Exits, block, copy_with, expression};
use super::{Drawn, any_stmt, in_block};
use crate::Choices;
use crate::scene::plain;

/// How many statements become one function, at most.
const RUN: u64 = 4;

/// How many objects a new function gets, at most.
const MOST_PARAMETERS: usize = 8;

/// How often an object that is only read is handed over as a value, in percent.
const BY_VALUE: u32 = 50;

/// A function that is being made of statements.
struct Outlined {
    id: FunctionId,
    /// What stands for each object inside: its parameter, and whether that is a pointer.
    parameters: Vec<(ObjectId, ObjectId, bool)>,
}

/// Some statements become a function of their own.
pub(super) fn outline(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let first = any_stmt(stage, choices)?;
    let program = stage.scene.program;
    let (around, at) = in_block(stage, first)?;
    let Stmt::Block(all) = &program[around] else { return None };
    let end = (at + 1 + choices.below(RUN) as usize).min(all.len());
    let run = &all[at..end];
    let free_of_exits = run.iter().all(|stmt| !Exits::of(program, *stmt).any());
    let declares = run.iter().any(|stmt| matches!(program[*stmt], Stmt::Declare(_)));
    if declares || !free_of_exits || end == all.len() && stage.is_value_block(around) {
        return None;
    }
    let new = begin(stage, run, choices)?;
    let mut stmts = Vec::new();
    for stmt in run {
        stmts.push(moved(stage, &new, *stmt));
    }
    finish(stage, &new, stmts, first, choices)?;
    let with = call_stmt(stage, &new)?;
    let mut changes = vec![Change::ReplaceStmt { at: first, with }];
    changes.extend(run[1..].iter().copied().map(Change::RemoveStmt));
    Some(changes)
}

/// A loop becomes a function that calls itself.
pub(super) fn recursion(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = any_stmt(stage, choices)?;
    let program = stage.scene.program;
    let (init, condition, step, body) = match &program[at] {
        Stmt::For { init, condition, step, body } => (init.to_vec(), (*condition)?, *step, *body),
        Stmt::While { condition, body } => (Vec::new(), *condition, None, *body),
        _ => return None,
    };
    let held = matches!(stage.scene.holder_of_stmt(at), Some(Holder::Stmt(_)));
    if !held || Exits::of(program, body).any() || stage.count(body) > MOST_ROUNDS {
        return None;
    }
    // The loop without its beginning is what the function does.
    let test = expression(stage, condition);
    let mut parts = vec![test, body];
    parts.extend(step.map(|step| expression(stage, step)));
    let new = begin(stage, &parts, choices)?;
    let parts: Vec<StmtId> = parts.iter().map(|part| moved(stage, &new, *part)).collect();
    let Stmt::Expr(condition) = stage.fresh.program[parts[0]] else { return None };
    let mut then = parts[1..].to_vec();
    then.push(again(stage, &new)?);
    let then = block(stage, then);
    let test = Stmt::If { condition, then, otherwise: None };
    let test = stage.fresh.program.stmts.push(test);
    finish(stage, &new, vec![test], at, choices)?;
    let call = call_stmt(stage, &new)?;
    let with = block(stage, init.into_iter().chain([call]).collect());
    Some(vec![Change::ReplaceStmt { at, with }])
}

/// A loop of more rounds does not become recursion.
const MOST_ROUNDS: u64 = 200;

/// Begins a function: it has a parameter for each local object that the statements name.
fn begin(stage: &mut Stage<'_>, stmts: &[StmtId], choices: &mut Choices) -> Option<Outlined> {
    let contents = Contents::of(&stage.fresh.program, stmts);
    let program = &stage.fresh.program;
    if contents.is_bound(program) || contents.exprs.is_empty() {
        return None;
    }
    let local = |id: &ObjectId| program[*id].linkage == Linkage::None;
    let objects: Vec<ObjectId> = contents.free(program).into_iter().filter(local).collect();
    if objects.len() > MOST_PARAMETERS || objects.iter().any(|it| !can_be_pointed_to(program, *it))
    {
        return None;
    }
    let mut parameters = Vec::new();
    for object in objects {
        let program = &mut stage.fresh.program;
        let ty = program[object].ty;
        let by_value = program.is_scalar(ty)
            && !ty.qualifiers().contains(Qualifiers::VOLATILE)
            && is_only_read(program, &contents, object)
            && choices.chance(BY_VALUE);
        let ty = if by_value { ty } else { program.types.pointer_to(ty) };
        let name = program.names.fresh("p");
        parameters.push((object, program.objects.push(Object::local(name, ty)), !by_value));
    }
    let program = &mut stage.fresh.program;
    let of = parameters.iter().map(|(_, parameter, _)| program[*parameter].ty.unqualified());
    let ty = FunctionType {
        result: Types::VOID,
        parameters: of.collect(),
        variadic: false,
        prototyped: true,
    };
    let (name, ty) = (program.names.fresh("part"), program.types.function(ty));
    let mut function = Function::declared(name, ty);
    function.parameters = parameters.iter().map(|(_, parameter, _)| *parameter).collect();
    let id = program.functions.push(function);
    Some(Outlined { id, parameters })
}

fn can_be_pointed_to(program: &Program, object: ObjectId) -> bool {
    let object = &program[object];
    let special = matches!(program.resolve(object.ty), Type::VaList)
        || program.is_variable_array(object.ty)
        || object.ty.qualifiers().intersects(Qualifiers::RESTRICT | Qualifiers::ATOMIC);
    object.storage != Storage::Register && object.asm_name.is_none() && !special
}

fn is_only_read(program: &Program, contents: &Contents, object: ObjectId) -> bool {
    let is_read = |expr: &&ExprId| {
        matches!(program[**expr].kind, ExprKind::Load(place)
            if program[place].kind == ExprKind::Object(object))
    };
    let is_named = |expr: &&ExprId| program[**expr].kind == ExprKind::Object(object);
    contents.exprs.iter().filter(is_read).count() == contents.exprs.iter().filter(is_named).count()
}

/// A copy of a statement in which parameters stand for the objects of the caller.
fn moved(stage: &mut Stage<'_>, new: &Outlined, stmt: StmtId) -> StmtId {
    copy_with(stage, stmt, &mut |stage, object| {
        let (_, parameter, pointer) = *new.parameters.iter().find(|(it, ..)| *it == object)?;
        if !pointer {
            return Some(ExprKind::Object(parameter));
        }
        let place = stage.object(parameter);
        Some(ExprKind::Deref(stage.builder().value(place)))
    })
}

/// Gives the function its body, and puts it before the function that `at` is in.
fn finish(
    stage: &mut Stage<'_>,
    new: &Outlined,
    stmts: Vec<StmtId>,
    at: StmtId,
    choices: &mut Choices,
) -> Option<()> {
    let outermost = stage.scene.around(at).last()?;
    let Some(Holder::Function(caller)) = stage.scene.holder_of_stmt(outermost) else { return None };
    let body = block(stage, stmts);
    let program = &mut stage.fresh.program;
    let place =
        program.items.iter().position(|it| *it == Item::Define(Entity::Function(caller)))?;
    program.items.insert(place, Item::Define(Entity::Function(new.id)));
    let noinline = Attribute { name: program.names.intern("noinline"), arguments: None };
    let function = &mut program[new.id];
    function.body = Some(body);
    match choices.below(3) {
        0 => {}
        1 => function.linkage = Linkage::Internal,
        _ => function.attributes = [noinline].into(),
    }
    Some(())
}

/// The call of the function with the objects of the caller.
fn call_stmt(stage: &mut Stage<'_>, new: &Outlined) -> Option<StmtId> {
    let mut arguments = Vec::new();
    for (object, _, pointer) in &new.parameters {
        let place = stage.object(*object);
        let mut builder = stage.builder();
        let argument =
            if *pointer { builder.address_of(place).ok()? } else { builder.value(place) };
        arguments.push(argument);
    }
    call(stage, new, arguments)
}

/// The call of the function with its own parameters.
fn again(stage: &mut Stage<'_>, new: &Outlined) -> Option<StmtId> {
    let mut arguments = Vec::new();
    for (_, parameter, _) in &new.parameters {
        let place = stage.object(*parameter);
        arguments.push(stage.builder().value(place));
    }
    call(stage, new, arguments)
}

fn call(stage: &mut Stage<'_>, new: &Outlined, arguments: Vec<ExprId>) -> Option<StmtId> {
    let ty = stage.fresh.program[new.id].ty;
    let mut builder = stage.builder();
    let designator = builder.node(ExprKind::Function(new.id), ty);
    let call = builder.call(designator, arguments).ok()?;
    Some(expression(stage, call))
}

/// The body of a function stands where it was called.
pub(super) fn inline(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = any_stmt(stage, choices)?;
    let program = stage.scene.program;
    let Stmt::Expr(whole) = program[at] else { return None };
    let (target, value) = match program[whole].kind {
        ExprKind::Assign(target, value) => (Some(target), plain(program, value)),
        _ => (None, whole),
    };
    let ExprKind::Call(callee, arguments) = &program[value].kind else { return None };
    let ExprKind::Decay(designator) = program[*callee].kind else { return None };
    let ExprKind::Function(function) = program[designator].kind else { return None };
    let (around, _) = in_block(stage, at)?;
    let body = program[function].body?;
    let Stmt::Block(stmts) = &program[body] else { return None };
    let (returned, stmts) = match stmts.split_last() {
        Some((last, before)) => match program[*last] {
            Stmt::Return(value) => (value, before),
            _ => (None, &stmts[..]),
        },
        None => (None, &stmts[..]),
    };
    let contents = Contents::of(program, stmts);
    let parameters = &program[function].parameters;
    let odd = target.is_some_and(|target| returned.is_none() || program.has_effect(target))
        || contents.stmts.iter().any(|stmt| matches!(program[*stmt], Stmt::Return(_)))
        || arguments.len() != parameters.len()
        || stage.is_value_block(around)
        || program.is_main(function);
    if odd {
        return None;
    }
    let mut locals: FxHashMap<ObjectId, ObjectId> = FxHashMap::default();
    let mut new = Vec::new();
    for (parameter, argument) in parameters.iter().zip(arguments) {
        let mut object = program[*parameter].clone();
        object.name = Some(stage.fresh.program.names.fresh("p"));
        object.init = Some(*argument);
        let object = stage.fresh.program.objects.push(object);
        new.push(stage.fresh.program.stmts.push(Stmt::Declare(object)));
        locals.insert(*parameter, object);
    }
    // What is returned may name what the body declares, so that both are copied as one.
    let mut inside: Vec<StmtId> = stmts.to_vec();
    inside.extend(returned.map(|value| expression(stage, value)));
    let inside = block(stage, inside);
    let stand_in = |object: &ObjectId| locals.get(object).map(|it| ExprKind::Object(*it));
    let copied = copy_with(stage, inside, &mut |_, object| stand_in(&object));
    let Stmt::Block(mut stmts) = stage.fresh.program[copied].clone() else { return None };
    if let (Some(target), Some(last)) = (target, stmts.last().copied()) {
        let Stmt::Expr(value) = stage.fresh.program[last] else { return None };
        let value = plain(&stage.fresh.program, value);
        let target = copy::expr(&mut stage.fresh.program, target);
        let assignment = stage.builder().assign(target, value).ok()?;
        let len = stmts.len();
        stmts[len - 1] = expression(stage, assignment);
    }
    new.extend(stmts.iter().copied());
    let with = block(stage, new);
    Some(vec![Change::ReplaceStmt { at, with }])
}
