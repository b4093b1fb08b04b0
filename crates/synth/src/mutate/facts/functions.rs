//! Facts in the declarations of functions: what they promise, and hints.

use std::collections::BTreeSet;

use farrier_lang::edit::{Change, TreeNode};
use farrier_lang::{
    Attribute, ExprId, ExprKind, Function, FunctionId, FunctionType, Linkage, ObjectId, Program,
    Qualifiers, Stmt, StmtId, Storage, Type, TypeId,
};
use farrier_machine::Observed;

use crate::Choices;
use crate::mutate::stage::Stage;
use crate::scene::{Scene, calls_itself, inside, is_library, plain, root};

/// So many functions are tried before a row gives up.
const TRIES: usize = 6;

/// How many functions whose results may be null promise that they are not, in percent.
const UNKNOWN_RESULT: u32 = 15;

/// What `optimize` may name.
const LEVELS: [&str; 6] =
    ["\"O0\"", "\"O1\"", "\"O2\"", "\"O3\"", "\"Os\"", "\"no-tree-vectorize\""];

/// An attribute that promises something, and its arguments for a function of which it seems
/// to hold.
pub(super) struct Promise {
    name: &'static str,
    holds: fn(&mut Stage<'_>, FunctionId, &mut Choices) -> Option<Option<String>>,
}

/// An attribute that promises nothing.
pub(super) struct Hint {
    name: &'static str,
    /// Attributes that compilers do not want beside it.
    against: &'static [&'static str],
    fits: fn(&Stage<'_>, FunctionId) -> bool,
    arguments: &'static [&'static str],
}

pub(super) const NONNULL: Promise = Promise { name: "nonnull", holds: nonnull };
pub(super) const RETURNS_NONNULL: Promise =
    Promise { name: "returns_nonnull", holds: pointer_is_set };
pub(super) const ASSUME_ALIGNED: Promise =
    Promise { name: "assume_aligned", holds: result_aligned };
pub(super) const PURE: Promise = Promise { name: "pure", holds: has_no_effect };
pub(super) const CONST: Promise = Promise { name: "const", holds: reads_nothing };
pub(super) const MALLOC: Promise = Promise { name: "malloc", holds: allocates };
pub(super) const ALLOC_SIZE: Promise = Promise { name: "alloc_size", holds: allocates_size };

const INLINING: &[&str] = &["noinline", "noipa", "optnone", "optimize", "target", "always_inline"];

const fn hint(name: &'static str, against: &'static [&'static str]) -> Hint {
    Hint { name, against, fits: |_, _| true, arguments: &[] }
}

pub(super) const HOT: Hint = hint("hot", &["cold"]);
pub(super) const COLD: Hint = hint("cold", &["hot"]);
pub(super) const FLATTEN: Hint = hint("flatten", &["optnone"]);
pub(super) const NOIPA: Hint = hint("noipa", &["always_inline"]);
pub(super) const NOINLINE: Hint = hint("noinline", &["always_inline"]);
pub(super) const NOCLONE: Hint = hint("noclone", &[]);
pub(super) const LEAF: Hint = hint("leaf", &[]);
pub(super) const OPTIMIZE: Hint =
    Hint { arguments: &LEVELS, ..hint("optimize", &["always_inline"]) };
pub(super) const ALWAYS_INLINE: Hint = Hint { fits: can_inline, ..hint("always_inline", INLINING) };

/// A parameter of a function that is defined.
#[derive(Clone, Copy)]
pub(super) struct Parameter {
    pub(super) function: FunctionId,
    pub(super) object: ObjectId,
}

/// The parameters that have a name, of functions that may change.
pub(super) fn parameters(scene: &Scene<'_>) -> Vec<Parameter> {
    let program = scene.program;
    let of = |function: FunctionId| {
        let parameters = program[function].parameters.iter();
        let named = parameters.copied().filter(|object| program[*object].name.is_some());
        named.map(move |object| Parameter { function, object }).collect::<Vec<_>>()
    };
    candidates(scene).into_iter().flat_map(of).collect()
}

/// The functions whose declarations may change.
fn candidates(scene: &Scene<'_>) -> Vec<FunctionId> {
    let fits =
        |function: &FunctionId| !scene.is_main(*function) && !scene.program[*function].old_style;
    scene.functions().filter(fits).collect()
}

/// Gives a promise to a function of which it seems to hold.
pub(super) fn promise(stage: &mut Stage<'_>, choices: &mut Choices, promise: &Promise) {
    let functions = candidates(&stage.scene);
    for _ in 0..TRIES {
        let Some(function) = choices.pick_any(&functions) else { return };
        if has(stage.scene.program, function, promise.name) {
            continue;
        }
        if let Some(arguments) = (promise.holds)(stage, function, choices) {
            return attach(stage, function, promise.name, arguments);
        }
    }
}

/// Gives a hint to a function.
pub(super) fn suggest(stage: &mut Stage<'_>, choices: &mut Choices, hint: &Hint) {
    let program = stage.scene.program;
    let mut functions = candidates(&stage.scene);
    functions.retain(|function| {
        let clash = hint.against.iter().any(|other| has(program, *function, other));
        !clash && !has(program, *function, hint.name) && (hint.fits)(stage, *function)
    });
    let Some(function) = choices.pick_any(&functions) else { return };
    let arguments = choices.pick_any(hint.arguments).map(str::to_owned);
    attach(stage, function, hint.name, arguments);
}

/// A function that was called and never returned, or never called, is `noreturn`.
pub(super) fn noreturn(stage: &mut Stage<'_>, choices: &mut Choices) {
    let program = stage.scene.program;
    let mut functions = candidates(&stage.scene);
    functions.retain(|id| !program[*id].specifiers.noreturn && !returned(stage, *id));
    let Some(function) = choices.pick_any(&functions) else { return };
    let from = program[function].clone();
    let mut to = from.clone();
    to.specifiers.noreturn = true;
    change(stage, function, from, to);
}

fn attach(stage: &mut Stage<'_>, id: FunctionId, name: &str, arguments: Option<String>) {
    let from = stage.scene.program[id].clone();
    let name = stage.fresh.program.names.intern(name);
    let attribute = Attribute { name, arguments: arguments.map(Into::into) };
    let mut to = from.clone();
    to.attributes = [from.attributes.as_ref(), &[attribute]].concat().into();
    change(stage, id, from, to);
}

fn change(stage: &mut Stage<'_>, id: FunctionId, from: Function, to: Function) {
    stage.push(vec![Change::Function { id, from: Box::new(from), to: Box::new(to) }]);
}

fn has(program: &Program, function: FunctionId, name: &str) -> bool {
    program[function].attributes.iter().any(|attribute| program.text(attribute.name) == name)
}

/// Whether a function was ever called.
fn ran(stage: &Stage<'_>, function: FunctionId) -> bool {
    stage.scene.program[function].body.is_some_and(|body| stage.count(body) > 0)
}

/// Whether a call of a function ever returned, as far as one can see.
fn returned(stage: &Stage<'_>, function: FunctionId) -> bool {
    let scene = &stage.scene;
    if !ran(stage, function) {
        return false;
    }
    scene.uses(&ExprKind::Function(function)).into_iter().any(|use_of| {
        let call = scene.parent(use_of).and_then(|decay| scene.parent(decay));
        let profile = scene.profile.as_ref();
        let direct = call.filter(|it| matches!(scene.program[*it].kind, ExprKind::Call(..)));
        direct.is_none_or(|call| profile.is_none_or(|profile| profile.expr(call).count > 0))
    })
}

fn function_type(program: &Program, function: FunctionId) -> Option<&FunctionType> {
    match program.resolve(program[function].ty) {
        Type::Function(ty) => Some(ty),
        _ => None,
    }
}

/// The result of a function, if it is a pointer.
fn pointer_result(program: &Program, function: FunctionId) -> Option<TypeId> {
    let result = function_type(program, function)?.result;
    program.pointee(result).map(|_| result)
}

/// Whether a parameter was not null whenever its function was called, as far as one can see:
/// the values at the first statement.
pub(super) fn never_null(stage: &Stage<'_>, parameter: Parameter) -> bool {
    if !ran(stage, parameter.function) {
        return true;
    }
    let Some(body) = stage.scene.program[parameter.function].body else { return false };
    let Stmt::Block(stmts) = &stage.scene.program[body] else { return false };
    let Some(point) = stage.points.iter().find(|point| Some(&point.stmt) == stmts.first()) else {
        return false;
    };
    let column = point.watched.iter().position(|object| *object == parameter.object);
    let tuples = stage.visits(point);
    column.zip(tuples).is_some_and(|(column, tuples)| {
        !tuples.more && tuples.few.iter().all(|tuple| tuple[column] == Observed::Address)
    })
}

/// The numbers of the pointers among the parameters that are never null.
fn nonnull(stage: &mut Stage<'_>, function: FunctionId, _: &mut Choices) -> Option<Option<String>> {
    let program = stage.scene.program;
    let parameters = program[function].parameters.iter().enumerate();
    let numbers: Vec<String> = parameters
        .filter(|(_, object)| program.pointee(program[**object].ty).is_some())
        .filter(|(_, object)| never_null(stage, Parameter { function, object: **object }))
        .map(|(index, _)| (index + 1).to_string())
        .collect();
    (!numbers.is_empty()).then(|| Some(numbers.join(", ")))
}

/// The statements of a function that return a value and ran.
fn results(stage: &Stage<'_>, function: FunctionId) -> Vec<ExprId> {
    let nodes = inside(stage.scene.program, function);
    let value = |node: &TreeNode| match *node {
        TreeNode::Stmt(stmt) if stage.count(stmt) > 0 => match stage.scene.program[stmt] {
            Stmt::Return(value) => value,
            _ => None,
        },
        _ => None,
    };
    nodes.iter().filter_map(value).collect()
}

/// Whether a pointer cannot be null by the way it is written.
fn is_set(program: &Program, value: ExprId) -> bool {
    match program[plain(program, value)].kind {
        ExprKind::AddressOf(_) | ExprKind::Decay(_) => true,
        ExprKind::Cast(inner) => is_set(program, inner),
        ExprKind::Binary(_, left, _) => is_set(program, left),
        ExprKind::Conditional { then: Some(then), otherwise, .. } => {
            is_set(program, then) && is_set(program, otherwise)
        }
        _ => false,
    }
}

fn pointer_is_set(
    stage: &mut Stage<'_>,
    function: FunctionId,
    choices: &mut Choices,
) -> Option<Option<String>> {
    pointer_result(stage.scene.program, function)?;
    let set = |value: &ExprId| is_set(stage.scene.program, *value);
    let known = !ran(stage, function) || results(stage, function).iter().all(set);
    (known || choices.chance(UNKNOWN_RESULT)).then_some(None)
}

fn result_aligned(
    stage: &mut Stage<'_>,
    function: FunctionId,
    choices: &mut Choices,
) -> Option<Option<String>> {
    let program = stage.scene.program;
    let pointee = program.pointee(pointer_result(program, function)?)?;
    let align = stage.layouts.align_of(program, pointee).ok()?;
    let more = if ran(stage, function) { 0 } else { choices.below(4) };
    Some(Some((align << more).to_string()))
}

/// `pure`: the function seems to do nothing but compute a value.
fn has_no_effect(
    stage: &mut Stage<'_>,
    function: FunctionId,
    _: &mut Choices,
) -> Option<Option<String>> {
    let silent = !ran(stage, function) || is_silent(stage.scene.program, function, false);
    (has_value(stage.scene.program, function) && silent).then_some(None)
}

/// The same, and it reads nothing but its parameters and what is constant.
fn reads_nothing(
    stage: &mut Stage<'_>,
    function: FunctionId,
    _: &mut Choices,
) -> Option<Option<String>> {
    let silent = !ran(stage, function) || is_silent(stage.scene.program, function, true);
    (has_value(stage.scene.program, function) && silent).then_some(None)
}

fn has_value(program: &Program, function: FunctionId) -> bool {
    function_type(program, function)
        .is_some_and(|ty| !matches!(program.resolve(ty.result), Type::Void))
}

/// Whether a function, with all that it calls, writes only to its own objects; and, if it
/// shall be blind, reads only those.
fn is_silent(program: &Program, function: FunctionId, blind: bool) -> bool {
    let mut known = BTreeSet::from([function]);
    let mut waiting = vec![function];
    while let Some(function) = waiting.pop() {
        let own: BTreeSet<ObjectId> = own_objects(program, function);
        let is_own = |place: ExprId| root(program, place).is_some_and(|it| own.contains(&it));
        let is_fixed = |place: ExprId| {
            root(program, place)
                .is_some_and(|it| program[it].ty.qualifiers().contains(Qualifiers::CONST))
        };
        for node in inside(program, function) {
            let expr = match node {
                TreeNode::Stmt(stmt) => match program[stmt] {
                    Stmt::Asm(_) | Stmt::DefineFunction(_) => return false,
                    _ => continue,
                },
                TreeNode::Expr(expr) => expr,
            };
            let volatile = program.type_of(expr).qualifiers().contains(Qualifiers::VOLATILE);
            let fits = match &program[expr].kind {
                ExprKind::Assign(target, _)
                | ExprKind::Step(_, target)
                | ExprKind::CompoundAssign { target, .. } => is_own(*target),
                ExprKind::Load(place) => !blind || is_own(*place) || is_fixed(*place),
                ExprKind::Call(callee, _) => match called(program, *callee) {
                    Some(callee) => {
                        if known.insert(callee) {
                            waiting.push(callee);
                        }
                        true
                    }
                    None => false,
                },
                _ => true,
            };
            if volatile || !fits {
                return false;
            }
        }
    }
    true
}

/// The function with a body that an expression names, if it is called directly.
fn called(program: &Program, callee: ExprId) -> Option<FunctionId> {
    let ExprKind::Decay(inner) = program[callee].kind else { return None };
    let ExprKind::Function(function) = program[inner].kind else { return None };
    program[function].body.map(|_| function)
}

/// The parameters and automatic objects of a function.
fn own_objects(program: &Program, function: FunctionId) -> BTreeSet<ObjectId> {
    let mut own: BTreeSet<ObjectId> = program[function].parameters.iter().copied().collect();
    own.extend(inside(program, function).iter().filter_map(|node| match *node {
        TreeNode::Stmt(stmt) => match program[stmt] {
            Stmt::Declare(object)
                if !matches!(program[object].storage, Storage::Static | Storage::Thread) =>
            {
                Some(object)
            }
            _ => None,
        },
        TreeNode::Expr(_) => None,
    }));
    own
}

/// Whether a function returns what it got from an allocation, or was never called.
fn allocates(
    stage: &mut Stage<'_>,
    function: FunctionId,
    _: &mut Choices,
) -> Option<Option<String>> {
    let program = stage.scene.program;
    pointer_result(program, function)?;
    let calls_library = |node: &TreeNode| match *node {
        TreeNode::Expr(expr) => match program[expr].kind {
            ExprKind::Call(callee, _) => is_library(program, callee) && pointer(program, expr),
            ExprKind::Builtin(..) => pointer(program, expr),
            _ => false,
        },
        TreeNode::Stmt(_) => false,
    };
    let new = !ran(stage, function) || inside(program, function).iter().any(calls_library);
    new.then_some(None)
}

fn pointer(program: &Program, expr: ExprId) -> bool {
    program.pointee(program.type_of(expr)).is_some()
}

fn allocates_size(
    stage: &mut Stage<'_>,
    function: FunctionId,
    choices: &mut Choices,
) -> Option<Option<String>> {
    allocates(stage, function, choices)?;
    let program = stage.scene.program;
    let parameters = program[function].parameters.iter().enumerate();
    let numbers: Vec<usize> = parameters
        .filter(|(_, object)| program.is_integer(program[**object].ty))
        .map(|(index, _)| index + 1)
        .collect();
    choices.pick_any(&numbers).map(|number| Some(number.to_string()))
}

/// Whether compilers can put the body of a function where it is called. With `-fPIC` another
/// file may define one with external linkage anew.
fn can_inline(stage: &Stage<'_>, function: FunctionId) -> bool {
    let program = stage.scene.program;
    let own = program[function].linkage == Linkage::Internal;
    let variadic = function_type(program, function).is_none_or(|ty| ty.variadic);
    let fits = |node: TreeNode| match node {
        TreeNode::Stmt(stmt) => fits_inline(program, stmt),
        TreeNode::Expr(expr) => match program[expr].kind {
            ExprKind::LabelAddress(_) | ExprKind::VaArg(_) | ExprKind::Builtin(..) => false,
            ExprKind::Call(callee, _) => {
                !is_library(program, callee) || !may_return_twice(program, callee)
            }
            _ => true,
        },
    };
    own && !variadic
        && !calls_itself(program, function)
        && inside(program, function).into_iter().all(fits)
}

fn fits_inline(program: &Program, stmt: StmtId) -> bool {
    match program[stmt] {
        Stmt::GotoComputed(_) | Stmt::Asm(_) | Stmt::DefineFunction(_) | Stmt::DefineRecord(_) => {
            false
        }
        Stmt::Declare(object) => !program.is_variable_array(program[object].ty),
        _ => true,
    }
}

fn may_return_twice(program: &Program, callee: ExprId) -> bool {
    let ExprKind::Decay(inner) = program[callee].kind else { return true };
    let ExprKind::Function(function) = program[inner].kind else { return true };
    let name = program.text(program[function].name);
    name.contains("setjmp") || name.contains("alloca")
}
