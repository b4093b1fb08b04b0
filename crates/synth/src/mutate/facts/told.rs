//! Facts in statements and expressions: what is never reached, which values there are, which
//! way is likely.

use farrier_lang::builtins::Builtin;
use farrier_lang::constant::integer_constant;
use farrier_lang::edit::{Anchor, Change};
use farrier_lang::float::FloatValue;
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, FloatKind, Function, FunctionId, FunctionSpecifiers, FunctionType,
    IntKind, Item, Linkage, Object, ObjectId, Stmt, StmtId, Type, TypeId, Types, UnaryOp,
    integer_type,
};
use farrier_lang::{Entity, Program};

use crate::Choices;
use crate::mutate::live;
use crate::mutate::stage::Stage;

/// So many expressions or statements are tried before a row gives up.
const TRIES: usize = 12;

/// How many conditions are expected to be what they are not, in percent.
const WRONG: u32 = 25;

/// How many conditions get no probability, in percent.
const NO_PROBABILITY: u32 = 50;

/// How many integers get `!!` before they are expected, in percent.
const NEGATED_TWICE: u32 = 50;

/// How many pointers are assumed to be aligned to twice the alignment of their type, in percent.
const ALIGNED_TWICE: u32 = 10;

/// How many bounds of a range are further away than they must be, in percent.
const SLACK: u32 = 30;

/// How far such a bound may be: up to two to the power of this.
const FAR: u64 = 16;

/// `__builtin_unreachable();` where nothing is ever reached.
pub(super) fn in_dead_code(stage: &mut Stage<'_>, choices: &mut Choices) {
    let Some(index) = choices.pick_any(&stage.dead_points()) else { return };
    let (block, before) = (stage.points[index].block, stage.points[index].stmt);
    let Some(stmt) = unreachable(stage) else { return };
    stage.push(vec![insertion(block, Anchor::Before(before), vec![stmt])]);
}

/// A branch or the body of a loop that never ran becomes `__builtin_unreachable();`.
pub(super) fn for_dead_branch(stage: &mut Stage<'_>, choices: &mut Choices) {
    let dead = stage.dead_stmts();
    for _ in 0..TRIES {
        let Some(at) = choices.pick_any(&dead) else { return };
        if is_branch(stage, at) && !has_label(stage.scene.program, at) {
            let Some(with) = unreachable(stage) else { return };
            stage.push(vec![Change::ReplaceStmt { at, with }]);
            return;
        }
    }
}

/// `default: __builtin_unreachable();` of a switch whose value is always that of a case.
pub(super) fn for_default(stage: &mut Stage<'_>, choices: &mut Choices) {
    let program = stage.scene.program;
    let switches: Vec<StmtId> = stage
        .scene
        .stmts()
        .filter(|stmt| matches!(program[*stmt], Stmt::Switch { .. }))
        .filter(|stmt| is_exhaustive(stage, *stmt))
        .collect();
    let Some(switch) = choices.pick_any(&switches) else { return };
    let Stmt::Switch { body, .. } = program[switch] else { return };
    let Some(stmt) = unreachable(stage) else { return };
    let stmts = &mut stage.fresh.program.stmts;
    let new = vec![stmts.push(Stmt::Break), stmts.push(Stmt::Default(stmt))];
    stage.push(vec![insertion(body, Anchor::End, new)]);
}

/// `if (!(p)) __builtin_unreachable();` for what was true at every visit.
pub(super) fn behind_predicate(stage: &mut Stage<'_>, choices: &mut Choices) {
    let Some((index, holds)) = live::true_somewhere(stage, choices) else { return };
    let Some(then) = unreachable(stage) else { return };
    let Ok(condition) = stage.builder().unary(UnaryOp::Not, holds) else { return };
    let test = Stmt::If { condition, then, otherwise: None };
    let test = stage.fresh.program.stmts.push(test);
    let change = live::before(&stage.points[index], test);
    stage.push(vec![change]);
}

/// The same in a function of its own, which every compiler knows: `assume(p);`.
pub(super) fn assumed(stage: &mut Stage<'_>, choices: &mut Choices) {
    let Some((index, holds)) = live::true_somewhere(stage, choices) else { return };
    let Some(function) = assume_function(stage) else { return };
    let mut builder = stage.builder();
    let ty = builder.program[function].ty;
    let designator = builder.node(ExprKind::Function(function), ty);
    let Ok(call) = builder.call(designator, vec![holds]) else { return };
    let stmt = stage.fresh.program.stmts.push(Stmt::Expr(call));
    let change = live::before(&stage.points[index], stmt);
    stage.push(vec![change]);
}

/// `static inline void assume(_Bool holds) { if (!holds) __builtin_unreachable(); }`, before
/// all other items.
fn assume_function(stage: &mut Stage<'_>) -> Option<FunctionId> {
    let then = unreachable(stage)?;
    let program = &mut stage.fresh.program;
    let truth = Types::int(IntKind::Bool);
    let name = program.names.fresh("holds");
    let holds = program.objects.push(Object::local(name, truth));
    let condition = read(stage, holds);
    let condition = stage.builder().unary(UnaryOp::Not, condition).ok()?;
    let program = &mut stage.fresh.program;
    let test = program.stmts.push(Stmt::If { condition, then, otherwise: None });
    let body = program.stmts.push(Stmt::Block([test].into_iter().collect()));
    let ty = program.types.function(FunctionType {
        result: Types::VOID,
        parameters: [truth].into(),
        variadic: false,
        prototyped: true,
    });
    let name = program.names.fresh("assume");
    let function = program.functions.push(Function {
        linkage: Linkage::Internal,
        specifiers: FunctionSpecifiers { inline: true, ..FunctionSpecifiers::default() },
        parameters: [holds].into(),
        body: Some(body),
        ..Function::declared(name, ty)
    });
    program.items.insert(0, Item::Define(Entity::Function(function)));
    Some(function)
}

/// `({ T v; v = e; if (v < low || v > high) __builtin_unreachable(); v; })` for an expression
/// whose values were all in a range.
pub(super) fn of_value(stage: &mut Stage<'_>, choices: &mut Choices) {
    let exprs: Vec<ExprId> = stage.scene.exprs().collect();
    for _ in 0..TRIES {
        let Some(at) = choices.pick_any(&exprs) else { return };
        let Some((low, high)) = range_of(stage, at) else { continue };
        let ty = stage.scene.program.type_of(at);
        let (low, high) = (slack(stage, choices, low, ty, -1), slack(stage, choices, high, ty, 1));
        if let Some(with) = checked_value(stage, at, low, high) {
            stage.push(vec![Change::ReplaceExpr { at, with }]);
            return;
        }
        stage.discard();
    }
}

/// A bound of a range, or a number beyond it that the type can have.
fn slack(stage: &Stage<'_>, choices: &mut Choices, bound: i128, ty: TypeId, sign: i128) -> i128 {
    if !choices.chance(SLACK) {
        return bound;
    }
    let most = 1 << choices.below(FAR);
    let further = bound + sign * i128::from(choices.below(most));
    let fits = integer_type(stage.scene.program, ty).is_some_and(|ty| ty.contains(further));
    if fits { further } else { bound }
}

/// The range of the values of an integer expression that is worth a test.
fn range_of(stage: &Stage<'_>, at: ExprId) -> Option<(i128, i128)> {
    let program = stage.scene.program;
    let ty = integer_type(program, program.type_of(at)).filter(|ty| ty.bits <= 64)?;
    let is_part = |expr: ExprId| match program[expr].kind {
        ExprKind::Load(place) => matches!(program[place].kind, ExprKind::Member(..)),
        _ => false,
    };
    // What is read from a bit-field is promoted in its own way.
    if program.is_fixed(at) || program.is_lvalue(at) || is_part(at) {
        return None;
    }
    let values = stage.scene.profile.as_ref()?.expr(at).integers()?;
    let known = (values.low, values.high);
    (known.0 > ty.min() || i128::try_from(ty.max()).is_ok_and(|max| known.1 < max)).then_some(known)
}

fn checked_value(stage: &mut Stage<'_>, at: ExprId, low: i128, high: i128) -> Option<ExprId> {
    let ty = stage.scene.program.type_of(at).unqualified();
    let name = stage.fresh.program.names.fresh("value");
    let object = stage.fresh.program.objects.push(Object::local(name, ty));
    let target = read(stage, object);
    let given = stage.builder().node(ExprKind::Assign(target, at), ty);
    let below = compared(stage, object, BinaryOp::Less, low)?;
    let above = compared(stage, object, BinaryOp::Greater, high)?;
    let condition = stage.builder().logical(farrier_lang::LogicalOp::Or, below, above).ok()?;
    let then = unreachable(stage)?;
    let value = read(stage, object);
    let value = stage.builder().value(value);
    let stmts = &mut stage.fresh.program.stmts;
    let inner = [
        stmts.push(Stmt::Declare(object)),
        stmts.push(Stmt::Expr(given)),
        stmts.push(Stmt::If { condition, then, otherwise: None }),
        stmts.push(Stmt::Expr(value)),
    ];
    let block = stmts.push(Stmt::Block(inner.into_iter().collect()));
    Some(stage.builder().node(ExprKind::StatementExpr(block), ty))
}

fn compared(stage: &mut Stage<'_>, object: ObjectId, op: BinaryOp, with: i128) -> Option<ExprId> {
    let left = read(stage, object);
    let ty = stage.fresh.program[object].ty;
    let right = stage.fresh.program.integer(with, ty)?;
    stage.builder().binary(op, left, right).ok()
}

/// `__builtin_expect` or `__builtin_expect_with_probability` around a condition.
pub(super) fn expected(stage: &mut Stage<'_>, choices: &mut Choices) {
    let program = stage.scene.program;
    let mut conditions = Vec::new();
    for stmt in stage.scene.stmts() {
        match program[stmt] {
            Stmt::If { condition, .. }
            | Stmt::While { condition, .. }
            | Stmt::DoWhile { condition, .. }
            | Stmt::For { condition: Some(condition), .. } => conditions.push(condition),
            _ => {}
        }
    }
    let operands = stage.scene.exprs().filter_map(|expr| match program[expr].kind {
        ExprKind::Conditional { condition, then: Some(_), .. } => Some(condition),
        _ => None,
    });
    conditions.extend(operands);
    let Some(at) = choices.pick_any(&conditions) else { return };
    // A constant that guards code is there for the compiler to see.
    if program.is_fixed(at) {
        return;
    }
    if let Some(with) = expectation(stage, choices, at) {
        stage.push(vec![Change::ReplaceExpr { at, with }]);
    }
}

fn expectation(stage: &mut Stage<'_>, choices: &mut Choices, at: ExprId) -> Option<ExprId> {
    let program = stage.scene.program;
    let integer = integer_type(program, program.type_of(at)).is_some_and(|ty| ty.bits <= 64);
    let known = stage.scene.known_value(at);
    let plain = integer && !choices.chance(NEGATED_TWICE);
    let long = Types::int(IntKind::Long);
    let value = if plain {
        at
    } else {
        let not = stage.builder().unary(UnaryOp::Not, at).ok()?;
        stage.builder().unary(UnaryOp::Not, not).ok()?
    };
    let truth = known.map_or_else(|| i128::from(choices.below(2)), |value| i128::from(value != 0));
    let likely = if choices.chance(WRONG) { 1 - truth } else { truth };
    let value = stage.builder().convert(value, long);
    let likely = stage.fresh.program.integer(likely, long)?;
    if choices.chance(NO_PROBABILITY) {
        return builtin(stage, "__builtin_expect", vec![value, likely]);
    }
    // A literal: gcc with -frounding-math takes a quotient for no constant.
    let double = Types::float(FloatKind::Double);
    let (_, format) = program.target.float_scalar(FloatKind::Double)?;
    let probability = FloatValue::scaled(format, choices.below(129).into(), -7);
    let probability = stage.fresh.program.floating(probability, double)?;
    builtin(stage, "__builtin_expect_with_probability", vec![value, likely, probability])
}

/// `(T *)__builtin_assume_aligned(p, n)` around a pointer that is read.
pub(super) fn aligned_pointer(stage: &mut Stage<'_>, choices: &mut Choices) {
    let program = stage.scene.program;
    let profile = stage.scene.profile.as_ref();
    let pointers: Vec<ExprId> = stage
        .scene
        .exprs()
        .filter(|expr| matches!(program[*expr].kind, ExprKind::Load(_)))
        .filter(|expr| program.pointee(program.type_of(*expr)).is_some())
        .filter(|expr| profile.is_some_and(|profile| profile.expr(*expr).count > 0))
        .collect();
    let Some(at) = choices.pick_any(&pointers) else { return };
    let ty = program.type_of(at);
    let Some(pointee) = program.pointee(ty) else { return };
    let Ok(align) = stage.layouts.align_of(program, pointee) else { return };
    let align = if choices.chance(ALIGNED_TWICE) { align * 2 } else { align };
    let with = (|| {
        let size = stage.fresh.program.integer(align.into(), Types::INT)?;
        let long = Types::int(stage.fresh.program.target.size_type);
        let size = stage.builder().convert(size, long);
        let unqualified = stage.fresh.program.types.pointer_to(Types::VOID);
        let any = stage.builder().cast(at, unqualified).ok()?;
        let call = builtin(stage, "__builtin_assume_aligned", vec![any, size])?;
        stage.builder().cast(call, ty).ok()
    })();
    if let Some(with) = with {
        stage.push(vec![Change::ReplaceExpr { at, with }]);
    }
}

/// A call of a builtin whose arguments have the types of its parameters.
fn builtin(stage: &mut Stage<'_>, name: &str, arguments: Vec<ExprId>) -> Option<ExprId> {
    let builtin = Builtin::by_name(name)?;
    let program = &mut stage.fresh.program;
    let target = program.target;
    let ty = builtin.function_type(&mut program.types, target)?;
    let mut builder = stage.builder();
    let mut converted = Vec::new();
    for (index, argument) in arguments.into_iter().enumerate() {
        converted.push(match ty.parameters.get(index) {
            Some(parameter) => builder.convert_assigned(argument, *parameter).ok()?,
            None => argument,
        });
    }
    let kind = ExprKind::Builtin(builtin, converted.into_iter().collect());
    Some(builder.node(kind, ty.result.unqualified()))
}

/// A new `__builtin_unreachable();`
fn unreachable(stage: &mut Stage<'_>) -> Option<StmtId> {
    let call = builtin(stage, "__builtin_unreachable", Vec::new())?;
    Some(stage.fresh.program.stmts.push(Stmt::Expr(call)))
}

/// A new use of an object.
pub(super) fn read(stage: &mut Stage<'_>, object: ObjectId) -> ExprId {
    let ty = stage.fresh.program[object].ty;
    stage.builder().node(ExprKind::Object(object), ty)
}

fn insertion(block: StmtId, anchor: Anchor, stmts: Vec<StmtId>) -> Change {
    Change::InsertStmts { block, anchor, stmts: stmts.into() }
}

/// Whether a statement is a branch of an `if` or the body of a loop.
fn is_branch(stage: &Stage<'_>, stmt: StmtId) -> bool {
    use farrier_lang::edit::Holder;
    let Some(Holder::Stmt(holder)) = stage.scene.holder_of_stmt(stmt) else { return false };
    match stage.scene.program[holder] {
        Stmt::If { .. } | Stmt::While { .. } => true,
        Stmt::For { body, .. } => body == stmt,
        _ => false,
    }
}

/// Whether something outside may jump into a statement.
fn has_label(program: &Program, stmt: StmtId) -> bool {
    let mut found = matches!(program[stmt], Stmt::Label(..) | Stmt::Case { .. } | Stmt::Default(_));
    program[stmt].for_each_child(|child| found = found || has_label(program, child));
    found
}

/// Whether a switch has no default, and every value that it had is that of a case.
fn is_exhaustive(stage: &Stage<'_>, switch: StmtId) -> bool {
    let program = stage.scene.program;
    let Stmt::Switch { value, body } = program[switch] else { return false };
    if !matches!(program[body], Stmt::Block(_)) {
        return false;
    }
    let Some(cases) = cases(program, body) else { return false };
    let profile = stage.scene.profile.as_ref();
    let seen = profile.and_then(|profile| profile.expr(value).integers());
    let Some(few) = seen.and_then(|seen| seen.few()) else { return false };
    few.iter().all(|seen| cases.iter().any(|(first, last)| (*first..=*last).contains(seen)))
}

/// The values of the cases of a switch; `None` if it has a default, or one is not known.
fn cases(program: &Program, stmt: StmtId) -> Option<Vec<(i128, i128)>> {
    let mut layouts = farrier_lang::layout::Layouts::default();
    let mut found = Vec::new();
    let mut waiting = vec![stmt];
    while let Some(stmt) = waiting.pop() {
        match program[stmt] {
            Stmt::Switch { .. } => continue,
            Stmt::Default(_) => return None,
            Stmt::Case { first, last, .. } => {
                let mut value = |expr| integer_constant(program, &mut layouts, expr).ok();
                let first = value(first)?;
                found.push((first, last.map_or(Some(first), value)?));
            }
            _ => {}
        }
        program[stmt].for_each_child(|child| waiting.push(child));
    }
    Some(found)
}

/// Whether a type is a pointer to an object.
pub(super) fn is_data_pointer(program: &Program, ty: TypeId) -> bool {
    let pointee = program.pointee(ty);
    pointee.is_some_and(|pointee| !matches!(program.resolve(pointee), Type::Function(_)))
}
