//! Graft: calls functions of other programs.
//!
//! A function of another program comes along with everything that it needs. It is called at
//! places that run, with arguments that it had in its own program, or that lie between those.
//! They are made from values of this program, so that the compiler does not know them. The
//! results and the globals that came along are printed at the end of `main`.

mod arguments;
mod donor;
#[cfg(test)]
mod tests;

use farrier_lang::copy::EntityMap;
use farrier_lang::edit::{Anchor, Change};
use farrier_lang::{
    Attribute, BinaryOp, Entity, ExprId, ExprKind, FunctionId, IntKind, Item, Linkage, ObjectId,
    Program, Qualifiers, Stmt, StmtId, Storage, Type, TypeId, Types, import,
};

use super::expose::{can_change, endings, function_around, is_exit};
use super::stage::Stage;
use super::tally::{Tally, call, load, main_item, object};
use super::{Row, Strategy};
use crate::Choices;
use donor::Candidate;
pub(super) use donor::Donor;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const ROWS: &[Row] = &[
    Row { strategy: Strategy::Graft, name: "graft", weight: 6, draw: function },
    Row { strategy: Strategy::Graft, name: "twins", weight: 2, draw: twins },
    Row { strategy: Strategy::Graft, name: "merge", weight: 2, draw: merge },
];

/// At how many places a function is called, at most.
const MOST_SITES: i64 = 4;

/// How many operations the calls at one place may take, as far as the other program tells.
const MOST_STEPS: u64 = 20_000;

/// How much longer than this program a graft may be, in expressions.
const MORE_EXPRESSIONS: usize = 1_500;

/// How often the result of a call changes a variable of the program, in percent.
const INTO_VARIABLE: u32 = 10;

/// What results are multiplied by before the next is added.
const FACTOR: u64 = 31;

/// How often a merged program runs without a check that it is the first time, where it could
/// run twice.
const UNGUARDED: u32 = 20;

/// How a function is defined: weights of `static`, `static` and not inlined, `static inline`,
/// and with external linkage.
const FLAVOURS: [u32; 4] = [3, 3, 2, 2];

/// A graft while it is made.
struct Graft<'a> {
    from: &'a Program,
    map: EntityMap,
    /// The item of this program before which everything is declared.
    before: Item,
    /// What adds up the integers of calls.
    sum: Option<ObjectId>,
}

/// A place where a call will stand.
struct Site {
    block: StmtId,
    stmt: StmtId,
    /// The index of the point.
    point: usize,
}

/// One function, called at several places.
fn function(stage: &mut Stage<'_>, choices: &mut Choices) {
    if let Some(changes) = calls(stage, choices, 1) {
        stage.push(changes);
    }
}

/// One function under two names.
fn twins(stage: &mut Stage<'_>, choices: &mut Choices) {
    if let Some(changes) = calls(stage, choices, 2) {
        stage.push(changes);
    }
}

/// A whole program, whose `main` becomes a function.
fn merge(stage: &mut Stage<'_>, choices: &mut Choices) {
    if let Some(changes) = merged(stage, choices) {
        stage.push(changes);
    }
}

fn calls(stage: &mut Stage<'_>, choices: &mut Choices, copies: usize) -> Option<Vec<Change>> {
    let donor = donor::draw(stage, choices)?;
    if donor.functions.is_empty() {
        return None;
    }
    let candidate = &donor.functions[choices.index(donor.functions.len())];
    let cost = donor.steps / candidate.count.max(1);
    let wanted = choices.range(copies as i64, MOST_SITES) as usize;
    let sites = sites(stage, choices, cost, wanted)?;
    let mut graft = Graft::new(stage, donor.program, &sites)?;
    let mut functions = Vec::new();
    for _ in 0..copies {
        // The second has parameters and variables of its own, and shares everything else.
        graft.map.functions.remove(&candidate.function);
        graft.map.types.clear();
        functions.push(graft.import(stage, candidate.function, choices)?);
    }
    let mut changes = Vec::new();
    for (index, site) in sites.iter().enumerate() {
        let special = copies > 1 && index % copies == 1;
        let arguments = graft.arguments(stage, choices, candidate, site, special)?;
        let function = functions[index % copies];
        let call = call(&mut stage.builder(), function, arguments)?;
        let stmt = graft.used(stage, choices, call, site)?;
        changes.push(site.insert(vec![stmt]));
    }
    graft.show(stage, &mut changes)?;
    Some(changes)
}

fn merged(stage: &mut Stage<'_>, choices: &mut Choices) -> Option<Vec<Change>> {
    let donor = donor::draw(stage, choices)?;
    let sites = sites(stage, choices, donor.steps, 1)?;
    let site = &sites[0];
    let mut graft = Graft::new(stage, donor.program, &sites)?;
    let main = graft.import(stage, donor.main, choices)?;
    graft.finish_main(stage, main)?;
    let mut arguments = Vec::new();
    for (index, parameter) in donor.program[donor.main].parameters.iter().enumerate() {
        let parameter = graft.map.objects[parameter];
        arguments.push(graft.argument_of_main(stage, index, parameter)?);
    }
    let call = call(&mut stage.builder(), main, arguments)?;
    let stmt = graft.used(stage, choices, call, site)?;
    let once = stage.points[site.point].visits > 1 && !choices.chance(UNGUARDED);
    let stmt = if once || choices.chance(50) { graft.once(stage, choices, stmt)? } else { stmt };
    let mut changes = vec![site.insert(vec![stmt])];
    graft.show(stage, &mut changes)?;
    Some(changes)
}

/// Draws places for calls that take so many operations each.
fn sites(stage: &Stage<'_>, choices: &mut Choices, cost: u64, wanted: usize) -> Option<Vec<Site>> {
    let mut points = stage.live_points();
    points.retain(|point| stage.points[*point].visits.saturating_mul(cost) <= MOST_STEPS);
    let unordered = unordered(stage);
    let ordered = |point: &usize| !unordered.contains(&stage.points[*point].function);
    if points.iter().any(ordered) {
        points.retain(ordered);
    }
    choices.shuffle(&mut points);
    points.truncate(wanted);
    let site = |point: usize| {
        let at = &stage.points[point];
        Site { block: at.block, stmt: at.stmt, point }
    };
    (!points.is_empty()).then(|| points.into_iter().map(site).collect())
}

/// The functions that may be called beside another call in one statement, and all that they
/// call: the order of what they do can be open.
fn unordered(stage: &Stage<'_>) -> FxHashSet<FunctionId> {
    let (scene, program) = (&stage.scene, stage.scene.program);
    let mut beside: FxHashMap<StmtId, Vec<FunctionId>> = FxHashMap::default();
    let mut inside: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
    for (function, _) in program.functions.iter() {
        for &named in stage.uses(Entity::Function(function)) {
            let Some(stmt) = scene.statement_of(named) else { continue };
            beside.entry(stmt).or_default().push(function);
            if let Some(caller) = function_around(scene, stmt) {
                inside.entry(caller).or_default().push(function);
            }
        }
    }
    let several = |functions: &Vec<FunctionId>| functions.len() > 1;
    let mut waiting: Vec<FunctionId> = program
        .functions
        .ids()
        .filter(|id| beside.values().any(|called| several(called) && called.contains(id)))
        .collect();
    let mut found = FxHashSet::default();
    while let Some(function) = waiting.pop() {
        if found.insert(function) {
            waiting.extend(inside.get(&function).into_iter().flatten());
        }
    }
    found
}

impl Site {
    fn insert(&self, stmts: Vec<StmtId>) -> Change {
        let anchor = Anchor::Before(self.stmt);
        Change::InsertStmts { block: self.block, anchor, stmts: stmts.into() }
    }
}

impl<'a> Graft<'a> {
    /// For calls at some places: what comes along is declared before the first of them.
    fn new(stage: &Stage<'_>, from: &'a Program, sites: &[Site]) -> Option<Self> {
        let defined =
            |site: &Site| Item::Define(Entity::Function(stage.points[site.point].function));
        let mut items: Vec<Item> = sites.iter().map(defined).collect();
        // The code that shows what came along stands before `main`.
        items.push(main_item(stage.scene.program));
        let before = *stage.scene.program.items.iter().find(|item| items.contains(item))?;
        Some(Self { from, map: EntityMap::default(), before, sum: None })
    }

    /// Where in the list of items the next one is inserted.
    fn position(&self, stage: &Stage<'_>) -> Option<usize> {
        stage.fresh.program.items.iter().position(|item| *item == self.before)
    }

    /// Brings a function.
    fn import(
        &mut self,
        stage: &mut Stage<'_>,
        id: FunctionId,
        choices: &mut Choices,
    ) -> Option<FunctionId> {
        let at = self.position(stage)?;
        let most = 2 * stage.scene.program.exprs.len() + MORE_EXPRESSIONS;
        let program = &mut stage.fresh.program;
        let function = import::function(program, self.from, id, at, &mut self.map).ok()?;
        let plain = program[function].attributes.is_empty();
        let changed = &mut program[function];
        // An inline definition alone is no definition for other callers.
        let (linkage, inline, kept_apart) = match choices.weighted(&FLAVOURS)? {
            0 => (Linkage::Internal, changed.specifiers.inline, false),
            1 if plain => (Linkage::Internal, false, true),
            2 => (Linkage::Internal, true, false),
            // What another file could replace cannot be `always_inline`.
            _ if changed.specifiers.inline || !plain => {
                (Linkage::Internal, changed.specifiers.inline, false)
            }
            _ => (Linkage::External, false, false),
        };
        changed.linkage = linkage;
        changed.specifiers.inline = inline;
        if kept_apart {
            let name = program.names.intern("noinline");
            program[function].attributes = [Attribute { name, arguments: None }].into();
        }
        (program.exprs.len() <= most).then_some(function)
    }

    /// A new static object that is zero at first.
    fn global(&self, stage: &mut Stage<'_>, name: &str, ty: TypeId) -> Option<ObjectId> {
        let object = object(stage, name, ty, Storage::Static);
        let at = self.position(stage)?;
        stage.fresh.program.items.insert(at, Item::Define(Entity::Object(object)));
        Some(object)
    }

    /// The statement that makes a call and uses its result.
    fn used(
        &mut self,
        stage: &mut Stage<'_>,
        choices: &mut Choices,
        call: ExprId,
        site: &Site,
    ) -> Option<StmtId> {
        let program = &stage.fresh.program;
        let ty = program.type_of(call).unqualified();
        let expr = match program.resolve(ty) {
            Type::Void => call,
            _ if program.is_integer(ty) => {
                let variable = variable(stage, choices, site);
                match variable.filter(|_| choices.chance(INTO_VARIABLE)) {
                    Some(variable) => changed(stage, variable, call)?,
                    None => self.summed(stage, call)?,
                }
            }
            Type::Pointer(_) => {
                let mut builder = stage.builder();
                let zero = builder.int(IntKind::Int, 0);
                let null = builder.cast(zero, ty).ok()?;
                let found = builder.binary(BinaryOp::NotEqual, call, null).ok()?;
                self.summed(stage, found)?
            }
            _ => {
                let result = self.global(stage, "result", ty)?;
                let mut builder = stage.builder();
                let place = builder.node(ExprKind::Object(result), ty);
                builder.assign(place, call).ok()?
            }
        };
        Some(stage.fresh.program.stmts.push(Stmt::Expr(expr)))
    }

    /// `sum = sum * 31 + value`
    fn summed(&mut self, stage: &mut Stage<'_>, value: ExprId) -> Option<ExprId> {
        let wide = Types::int(IntKind::ULongLong);
        let sum = match self.sum {
            Some(sum) => sum,
            None => self.global(stage, "grafted", wide)?,
        };
        self.sum = Some(sum);
        let mut builder = stage.builder();
        let old = load(&mut builder, sum);
        let factor = builder.int(IntKind::ULongLong, FACTOR);
        let old = builder.binary(BinaryOp::Mul, old, factor).ok()?;
        let value = builder.cast(value, wide).ok()?;
        let new = builder.binary(BinaryOp::Add, old, value).ok()?;
        let place = builder.node(ExprKind::Object(sum), wide);
        builder.assign(place, new).ok()
    }

    /// Prints at the end of `main` what came along and can have changed.
    fn show(&mut self, stage: &mut Stage<'_>, changes: &mut Vec<Change>) -> Option<()> {
        let mut tally = Tally::new(stage)?;
        let (old, program) = (&stage.scene.program.items, &stage.fresh.program);
        let brought = program.items.iter().filter(|item| !old.contains(item));
        let objects: Vec<ObjectId> = brought
            .filter_map(|item| match *item {
                Item::Define(Entity::Object(id)) if can_change(program, id) => Some(id),
                _ => None,
            })
            .collect();
        tally.unions = false;
        let mut stmts = Vec::new();
        for object in objects {
            let ty = stage.fresh.program[object].ty;
            let place = stage.builder().node(ExprKind::Object(object), ty);
            stmts.extend(tally.fold(stage, place));
        }
        if stmts.is_empty() {
            return Some(());
        }
        let shows = tally.reporter(stage, "show_graft", stmts)?;
        for (block, anchor) in endings(stage) {
            let call = call(&mut stage.builder(), shows, Vec::new())?;
            let stmts = [stage.fresh.program.stmts.push(Stmt::Expr(call))].into();
            changes.push(Change::InsertStmts { block, anchor, stmts });
        }
        Some(())
    }

    /// Lets a function that was `main` always return a value: `exit` becomes `return`, and it
    /// returns zero at its end.
    fn finish_main(&mut self, stage: &mut Stage<'_>, main: FunctionId) -> Option<()> {
        let program = &mut stage.fresh.program;
        let body = program[main].body?;
        let mut waiting = vec![body];
        while let Some(stmt) = waiting.pop() {
            program[stmt].for_each_child(|child| waiting.push(child));
            if let Stmt::Expr(value) = program[stmt]
                && is_exit(program, value)
                && let ExprKind::Call(_, arguments) = &program[value].kind
                && let &[status] = &arguments[..]
                && program.type_of(status) == Types::INT
            {
                program[stmt] = Stmt::Return(Some(status));
            }
        }
        let zero = stage.builder().int(IntKind::Int, 0);
        let end = stage.fresh.program.stmts.push(Stmt::Return(Some(zero)));
        let Stmt::Block(stmts) = &mut stage.fresh.program[body] else { return None };
        stmts.push(end);
        Some(())
    }

    /// What a program that is run without arguments has as parameters of `main`.
    fn argument_of_main(
        &mut self,
        stage: &mut Stage<'_>,
        index: usize,
        parameter: ObjectId,
    ) -> Option<ExprId> {
        if index == 0 {
            return Some(stage.builder().int(IntKind::Int, 1));
        }
        let program = &mut stage.fresh.program;
        let string = program.pointee(program[parameter].ty)?;
        let ty = program.types.array_of(string, farrier_lang::ArrayLength::Fixed(2));
        let strings = self.global(stage, "arguments", ty)?;
        let mut builder = stage.builder();
        let place = builder.node(ExprKind::Object(strings), ty);
        Some(builder.value(place))
    }

    /// The statement, in a branch or a loop that runs once.
    fn once(
        &mut self,
        stage: &mut Stage<'_>,
        choices: &mut Choices,
        stmt: StmtId,
    ) -> Option<StmtId> {
        let count = self.global(stage, "once", Types::INT)?;
        let mut builder = stage.builder();
        let value = load(&mut builder, count);
        let zero = builder.int(IntKind::Int, 0);
        let condition = builder.binary(BinaryOp::Equal, value, zero).ok()?;
        let place = builder.node(ExprKind::Object(count), Types::INT);
        let one = builder.int(IntKind::Int, 1);
        let set = builder.assign(place, one).ok()?;
        let stmts = &mut stage.fresh.program.stmts;
        let set = stmts.push(Stmt::Expr(set));
        let body = stmts.push(Stmt::Block([set, stmt].into_iter().collect()));
        let guarded = match choices.chance(50) {
            true => Stmt::While { condition, body },
            false => Stmt::If { condition, then: body, otherwise: None },
        };
        Some(stmts.push(guarded))
    }
}

/// An unsigned variable whose value is known at a place, and may be changed there.
fn variable(stage: &Stage<'_>, choices: &mut Choices, site: &Site) -> Option<ObjectId> {
    let program = stage.scene.program;
    let fits = |id: &&ObjectId| {
        let ty = program[**id].ty;
        let unsigned = match program.integer_class(ty) {
            Some(Type::Int(kind)) => kind != IntKind::Bool && !program.target.int_signed(kind),
            _ => false,
        };
        unsigned && !ty.qualifiers().intersects(Qualifiers::CONST | Qualifiers::ATOMIC)
    };
    let fitting: Vec<ObjectId> =
        stage.points[site.point].watched.iter().filter(fits).copied().collect();
    choices.pick_any(&fitting)
}

/// `variable ^= value`
fn changed(stage: &mut Stage<'_>, variable: ObjectId, value: ExprId) -> Option<ExprId> {
    let mut builder = stage.builder();
    let ty = builder.program[variable].ty;
    let place = builder.node(ExprKind::Object(variable), ty);
    builder.compound_assign(BinaryOp::BitXor, place, value).ok()
}
