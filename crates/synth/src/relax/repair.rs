//! Repairs: edits that take the faults out of a relaxed draft and leave it as wild as it can be.
//!
//! A fault is repaired where it happened. Half of the repairs *bury* it: the faulty code stays,
//! under a condition that is false at every visit, beside live code with the same operands.

mod places;
#[cfg(test)]
mod tests;

use farrier_lang::build::Builder;
use farrier_lang::edit::{self, Anchor, Change, Edit, Fresh, Holder, TreeNode};
use farrier_lang::layout::Layouts;
use farrier_lang::{
    BinaryOp, Entity, ExprId, ExprKind, Fallback, FunctionId, GuardCheck, IntKind, Item, Object,
    ObjectId, Program, Qualifiers, Stmt, StmtId, Storage, Type, TypeId, Types, copy,
};
use farrier_machine::{At, Cause, Fault, Rule, UbKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{RelaxTally, Relaxed};
use crate::Choices;
use crate::scene::{Scene, root};

/// How often faults are named and repaired, at most.
pub(crate) const ROUNDS: u32 = 4;

/// The base of the names of temporaries.
const TEMPORARY: &str = "early_1";

/// How far a condition that is never true misses a value, at most.
const MISSES: i64 = 60;

/// The highest number that an object without a value gets.
const ASSIGNED: u64 = 40;

/// A way to repair a fault.
struct RepairRow {
    name: &'static str,
    weight: u32,
    /// Whether the fault cannot come back: all rounds but the first have nothing else.
    sure: bool,
    /// Whether faulty code stays, where it does not run.
    buries: bool,
    suits: fn(Rule) -> bool,
    make: fn(&mut Mender<'_>, &Site<'_>) -> Option<Vec<Change>>,
}

/// How many ways there are.
pub(crate) const COUNT: usize = REPAIRS.len();

/// Every repair; after the first round those come first that keep the most.
#[rustfmt::skip]
static REPAIRS: &[RepairRow] = &[
    RepairRow { name: "initialise", weight: 12, sure: true, buries: false, suits: lacks_value, make: initialise },
    RepairRow { name: "assign", weight: 12, sure: false, buries: false, suits: lacks_value, make: assign },
    RepairRow { name: "retarget", weight: 12, sure: true, buries: false, suits: is_dangling, make: retarget },
    RepairRow { name: "reassign", weight: 12, sure: false, buries: false, suits: is_dangling, make: reassign },
    RepairRow { name: "guard", weight: 12, sure: true, buries: false, suits: leaves_bounds, make: guard_again },
    RepairRow { name: "hoist", weight: 36, sure: false, buries: false, suits: is_conflict, make: hoist },
    RepairRow { name: "bury-beside", weight: 30, sure: true, buries: true, suits: leaves_bounds, make: bury_beside },
    RepairRow { name: "bury", weight: 12, sure: true, buries: true, suits: |_| true, make: bury },
    RepairRow { name: "remove-jumps", weight: 1, sure: true, buries: false, suits: lacks_value, make: remove_jumps },
    RepairRow { name: "replace", weight: 1, sure: true, buries: false, suits: |_| true, make: replace },
];

/// The rows of guards, and of what is buried beside what runs.
const GUARD: usize = 4;
const BESIDE: usize = 6;

/// The names of all repairs, in the order of [`RelaxTally::repairs`].
pub fn names() -> impl Iterator<Item = &'static str> {
    REPAIRS.iter().map(|row| row.name)
}

fn lacks_value(rule: Rule) -> bool {
    matches!(rule, Rule::Undefined(UbKind::Uninitialised) | Rule::Unspecified(Cause::Indeterminate))
}

fn is_dangling(rule: Rule) -> bool {
    rule == Rule::Undefined(UbKind::Dangling)
}

fn leaves_bounds(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::Undefined(
            UbKind::NullDereference
                | UbKind::InvalidPointer
                | UbKind::OutOfBounds
                | UbKind::PointerArithmetic
        )
    )
}

fn is_conflict(rule: Rule) -> bool {
    matches!(rule, Rule::Undefined(UbKind::Unsequenced) | Rule::Unspecified(Cause::Order))
}

/// A fault with where it is.
struct Site<'a> {
    fault: &'a Fault,
    /// The expression that is at fault; `None` if the whole statement is.
    expr: Option<ExprId>,
    stmt: StmtId,
}

/// What a draft tells those who repair it.
pub(crate) struct Known<'a> {
    pub(crate) relaxed: &'a Relaxed,
    /// The hidden inputs with their values.
    pub(crate) inputs: &'a [(ObjectId, i128)],
}

/// Describes repairs of a program.
struct Mender<'a> {
    scene: Scene<'a>,
    fresh: Fresh,
    layouts: Layouts,
    choices: &'a mut Choices,
    known: &'a Known<'a>,
    /// Objects that have been seen to.
    settled: FxHashSet<ObjectId>,
    /// The steps to objects that have got guards.
    guards: FxHashSet<ExprId>,
    /// The globals that a pointer to a type may point to, each with its position among the items,
    /// and the positions of functions, as far as they were asked for.
    globals: FxHashMap<TypeId, (Vec<usize>, Vec<ObjectId>)>,
    positions: FxHashMap<FunctionId, usize>,
    /// How many temporaries there are.
    temporaries: u32,
}

/// Repairs the faults of a draft, once for each statement; if it has to be sure, only so that they
/// cannot come back.
pub(crate) fn repair(
    program: &mut Program,
    faults: &[Fault],
    known: &Known<'_>,
    sure: bool,
    choices: &mut Choices,
    tally: &mut RelaxTally,
) {
    let mut mender = Mender {
        scene: Scene::new(program, None),
        fresh: Fresh::new(program),
        layouts: Layouts::default(),
        choices,
        known,
        settled: FxHashSet::default(),
        guards: FxHashSet::default(),
        globals: FxHashMap::default(),
        positions: FxHashMap::default(),
        temporaries: 0,
    };
    let (mut rows, mut edits): (Vec<(usize, Rule)>, Vec<Edit>) = (Vec::new(), Vec::new());
    let mut touched = FxHashSet::default();
    let wild = faults.iter().find(|fault| leaves_bounds(fault.rule));
    if let Some(fault) = wild.filter(|_| sure) {
        let changes = mender.guard_everything(faults);
        rows.push((GUARD, fault.rule));
        edits.push(mender.fresh.edit(changes));
    }
    for fault in faults {
        let Some(site) = mender.site(fault) else { continue };
        let settled = fault.object.is_some_and(|object| mender.settled.contains(&object))
            || leaves_bounds(fault.rule) && mender.has_guard(&site);
        if settled || touched.contains(&site.stmt) {
            continue;
        }
        if let Some((row, changes)) = mender.draw(&site, sure) {
            touched.insert(site.stmt);
            rows.push((row, fault.rule));
            edits.push(mender.fresh.edit(changes));
        }
    }
    let links = mender.scene.links;
    while let Err(conflict) = edit::apply_linked(program, &links, &edits) {
        // A repair that another one is in the way of waits for the next round.
        rows.remove(conflict.second);
        edits.remove(conflict.second);
    }
    for (row, rule) in rows {
        tally.repairs[row] += 1;
        if REPAIRS[row].buries {
            *tally.buried.entry(rule).or_default() += 1;
        }
        if row == BESIDE {
            *tally.beside.entry(rule).or_default() += 1;
        }
    }
}

impl Mender<'_> {
    fn site<'f>(&self, fault: &'f Fault) -> Option<Site<'f>> {
        let (expr, stmt) = match fault.at {
            At::Expr(expr) => (Some(expr), self.scene.statement_of(expr)?),
            At::Stmt(stmt) => (None, stmt),
            At::Nowhere => return None,
        };
        Some(Site { fault, expr, stmt })
    }

    /// Draws a repair: the row, and the changes.
    fn draw(&mut self, site: &Site<'_>, sure: bool) -> Option<(usize, Vec<Change>)> {
        let suits = |row: &RepairRow| (row.suits)(site.fault.rule) && (row.sure || !sure);
        let weight = |row: &RepairRow| if suits(row) { row.weight } else { 0 };
        let mut weights: Vec<u32> = REPAIRS.iter().map(weight).collect();
        loop {
            let row = match sure {
                true => weights.iter().position(|weight| *weight > 0)?,
                false => self.choices.weighted(&weights)?,
            };
            if let Some(changes) = (REPAIRS[row].make)(self, site) {
                return Some((row, changes));
            }
            self.fresh.discard();
            weights[row] = 0;
        }
    }

    fn builder(&mut self) -> Builder<'_> {
        Builder { program: &mut self.fresh.program, layouts: &mut self.layouts, permissive: false }
    }

    fn push(&mut self, stmt: Stmt) -> StmtId {
        self.fresh.program.stmts.push(stmt)
    }

    fn load(&mut self, object: ObjectId) -> ExprId {
        let ty = self.fresh.program[object].ty;
        let place = self.builder().node(ExprKind::Object(object), ty);
        self.builder().value(place)
    }

    /// `object = value;`
    fn assignment(&mut self, object: ObjectId, value: ExprId) -> Option<StmtId> {
        let ty = self.fresh.program[object].ty;
        let place = self.builder().node(ExprKind::Object(object), ty);
        let assign = self.builder().assign(place, value).ok()?;
        Some(self.push(Stmt::Expr(assign)))
    }

    /// A condition that is false whenever a test runs, by the value of a hidden input.
    fn never(&mut self) -> Option<ExprId> {
        let (input, value) = self.choices.pick_any(self.known.inputs)?;
        let miss = i128::from(self.choices.range(1, MISSES));
        let (op, constant) = match self.choices.below(6) {
            0 => (BinaryOp::Equal, value + miss),
            1 => (BinaryOp::Equal, value - miss),
            2 => (BinaryOp::Greater, value + miss - 1),
            3 => (BinaryOp::Less, value - miss + 1),
            4 => (BinaryOp::NotEqual, value),
            _ => (BinaryOp::LessEqual, value - miss),
        };
        let input = self.load(input);
        let constant = self.fresh.program.literal(constant, IntKind::Int)?;
        self.builder().binary(op, input, constant).ok()
    }

    /// The block that a statement is in, and the statement of that block that it is a part of;
    /// `None` if a jump could come in between, or a loop, whose counter has no name outside.
    fn block_of(&self, stmt: StmtId) -> Option<(StmtId, StmtId)> {
        let mut inner = stmt;
        for outer in self.scene.around(stmt) {
            match self.scene.program[outer] {
                Stmt::Block(_) if outer != stmt => return Some((outer, inner)),
                Stmt::Label(..) | Stmt::Case { .. } | Stmt::Default(_) => return None,
                ref around if around.is_loop() && outer != stmt => return None,
                _ => inner = outer,
            }
        }
        None
    }

    /// The change that puts a statement before another.
    fn before(&self, stmt: StmtId, new: StmtId) -> Option<Change> {
        let (block, inner) = self.block_of(stmt)?;
        Some(Change::InsertStmts { block, anchor: Anchor::Before(inner), stmts: [new].into() })
    }

    /// Whether an object can be named before the statement of a fault.
    fn is_visible(&self, object: ObjectId, site: &Site<'_>) -> bool {
        let (scene, stmt) = (&self.scene, site.stmt);
        let declare = scene.stmts().find(|other| scene.program[*other] == Stmt::Declare(object));
        let Some(declare) = declare else {
            let global = scene.program[object].storage == Storage::Static;
            let parameter =
                |function: FunctionId| scene.program[function].parameters.contains(&object);
            return global || site.fault.function.is_some_and(parameter);
        };
        let block = scene.around(declare).nth(1);
        let around = |block: StmtId| {
            matches!(scene.program[block], Stmt::Block(_)) && scene.is_inside(stmt, block)
        };
        declare != stmt && block.is_some_and(around)
    }

    /// The address of a global of this type that a function can name.
    fn address(&mut self, target: TypeId, function: FunctionId) -> Option<ExprId> {
        let program = self.scene.program;
        let position = *self.positions.entry(function).or_insert_with(|| {
            let function = Item::Define(Entity::Function(function));
            let position = program.items.iter().position(|item| *item == function);
            position.unwrap_or(program.items.len())
        });
        let inputs = self.known.inputs;
        let fits = |object: ObjectId| {
            let ty = program[object].ty;
            ty.unqualified() == target.unqualified()
                && target.qualifiers().contains(ty.qualifiers())
                // Nothing may change an input.
                && inputs.iter().all(|(input, _)| *input != object)
        };
        let (positions, objects) = self.globals.entry(target).or_insert_with(|| {
            let objects =
                program.items.iter().enumerate().filter_map(|(position, item)| match item {
                    Item::Define(Entity::Object(object)) if fits(*object) => {
                        Some((position, *object))
                    }
                    _ => None,
                });
            objects.unzip()
        });
        let before = positions.partition_point(|other| *other < position);
        let object = self.choices.pick_any(&objects[..before])?;
        let ty = program[object].ty;
        let place = self.builder().node(ExprKind::Object(object), ty);
        self.builder().address_of(place).ok()
    }
}

/// The initialiser comes back.
fn initialise(mender: &mut Mender<'_>, site: &Site<'_>) -> Option<Vec<Change>> {
    let id = site.fault.object?;
    let (_, init) = mender.known.relaxed.dropped.iter().find(|(object, _)| *object == id)?;
    let from = &mender.scene.program[id];
    if from.init.is_some() {
        return None;
    }
    let init = copy::expr(&mut mender.fresh.program, *init);
    mender.settled.insert(id);
    let to = Object { init: Some(init), ..from.clone() };
    Some(vec![Change::Object { id, from: Box::new(from.clone()), to: Box::new(to) }])
}

/// The object gets a value before the statement.
fn assign(mender: &mut Mender<'_>, site: &Site<'_>) -> Option<Vec<Change>> {
    let object = site.fault.object?;
    let ty = mender.scene.program[object].ty;
    if mender.scene.program[object].storage != Storage::Automatic
        || !mender.is_visible(object, site)
    {
        return None;
    }
    let value = match *mender.scene.program.resolve(ty) {
        Type::Pointer(target) => mender.address(target, site.fault.function?)?,
        _ if mender.scene.program.is_arithmetic(ty) => {
            let number = mender.choices.below(ASSIGNED);
            mender.builder().int(IntKind::Int, number)
        }
        _ => return None,
    };
    let new = mender.assignment(object, value)?;
    let change = mender.before(site.stmt, new)?;
    mender.settled.insert(object);
    Some(vec![change])
}

/// What held the address of an object that ended holds that of a global.
fn retarget(mender: &mut Mender<'_>, site: &Site<'_>) -> Option<Vec<Change>> {
    let object = site.fault.object?;
    let mut changes = Vec::new();
    for at in &mender.known.relaxed.addresses {
        let program = mender.scene.program;
        let ExprKind::AddressOf(place) = program[*at].kind else { continue };
        if root(program, place) != Some(object) || mender.scene.holder_of_expr(*at).is_none() {
            continue;
        }
        // The address may be taken in another function than the fault is in, which sees fewer
        // globals.
        let scene = &mender.scene;
        let stmt = scene.statement_of(*at)?;
        let holds = |function: &FunctionId| {
            program[*function].body.is_some_and(|body| stmt == body || scene.is_inside(stmt, body))
        };
        let function = scene.functions().find(holds)?;
        let with = mender.address(program.type_of(place), function)?;
        changes.push(Change::ReplaceExpr { at: *at, with });
    }
    mender.settled.insert(object);
    (!changes.is_empty()).then_some(changes)
}

/// The pointer gets another target before the statement.
fn reassign(mender: &mut Mender<'_>, site: &Site<'_>) -> Option<Vec<Change>> {
    let program = mender.scene.program;
    let pointer = places::chain(program, site.expr?).into_iter().find_map(|expr| {
        let ExprKind::Load(place) = program[expr].kind else { return None };
        let ExprKind::Object(object) = program[place].kind else { return None };
        program.pointee(program[object].ty).map(|target| (object, target))
    });
    let (pointer, target) = pointer?;
    let is_const = program[pointer].ty.qualifiers().contains(Qualifiers::CONST);
    if is_const || !mender.is_visible(pointer, site) {
        return None;
    }
    let address = mender.address(target, site.fault.function?)?;
    let new = mender.assignment(pointer, address)?;
    Some(vec![mender.before(site.stmt, new)?])
}

/// The subscripts and pointers on the way to an object get guards.
fn guard_again(mender: &mut Mender<'_>, site: &Site<'_>) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    for expr in places::chain(mender.scene.program, site.expr?) {
        changes.extend(mender.guarded(expr, site.fault.function?));
    }
    (!changes.is_empty()).then_some(changes)
}

impl Mender<'_> {
    /// Guards for all subscripts and pointers: those that are not needed are dropped later.
    /// Only sums that are at fault lose what is added to them.
    fn guard_everything(&mut self, faults: &[Fault]) -> Vec<Change> {
        let program = self.scene.program;
        let mut wrong = FxHashSet::default();
        for fault in faults.iter().filter(|fault| leaves_bounds(fault.rule)) {
            if let At::Expr(expr) = fault.at {
                wrong.extend(places::chain(program, expr));
            }
        }
        let mut changes = Vec::new();
        let mut function = None;
        for node in self.scene.nodes.clone() {
            match node {
                TreeNode::Stmt(stmt) => {
                    if let Some(Holder::Function(holder)) = self.scene.holder_of_stmt(stmt) {
                        function = Some(holder);
                    }
                }
                TreeNode::Expr(expr) => {
                    let sum = matches!(program[expr].kind, ExprKind::Binary(..));
                    let Some(function) = function.filter(|_| !sum || wrong.contains(&expr)) else {
                        continue;
                    };
                    if let Some(change) = self.guarded(expr, function) {
                        self.guards.insert(expr);
                        changes.push(change);
                    }
                }
            }
        }
        changes
    }

    /// Whether an access that is at fault has got a guard.
    fn has_guard(&self, site: &Site<'_>) -> bool {
        let chain = site.expr.map(|expr| places::chain(self.scene.program, expr));
        chain.is_some_and(|chain| chain.iter().any(|expr| self.guards.contains(expr)))
    }

    /// A guard for the subscript or the pointer of one step to an object.
    fn guarded(&mut self, expr: ExprId, function: FunctionId) -> Option<Change> {
        let program = self.scene.program;
        let step = places::step(program, expr)?;
        let (at, check) = match step {
            places::Step::Element { index, length } => {
                (index, GuardCheck::Index { bound: u16::try_from(length).ok()? })
            }
            places::Step::Moved { sum, pointer } => {
                return Some(Change::ReplaceExpr { at: sum, with: pointer });
            }
            places::Step::Pointer(pointer) => (pointer, GuardCheck::Pointer),
        };
        let ty = program.type_of(at);
        let fallback = match check {
            GuardCheck::Index { bound } => {
                let index = self.choices.below(bound.into());
                self.fresh.program.integer(index.into(), ty)?
            }
            _ => {
                let address = self.address(program.pointee(ty)?, function)?;
                self.builder().convert(address, ty)
            }
        };
        let operand = at;
        let kind = ExprKind::Guard { check, operand, fallback: Fallback::Value(fallback) };
        let with = self.builder().node(kind, ty);
        Some(Change::ReplaceExpr { at, with })
    }

    /// The number that is at fault, or that a fault is a part of.
    fn number(&self, site: &Site<'_>) -> Option<ExprId> {
        let program = self.scene.program;
        let mut expr = site.expr?;
        loop {
            let parent = self.scene.parent(expr);
            let guarded = parent.is_some_and(|parent| {
                matches!(program[parent].kind, ExprKind::Guard { check, .. }
                    if matches!(check, GuardCheck::Operation | GuardCheck::Exact))
            });
            let is_value = !program.is_lvalue(expr) && program.is_arithmetic(program.type_of(expr));
            if is_value && !guarded && !matches!(program[expr].kind, ExprKind::InitList(_)) {
                // No other value of the type of a bit-field is promoted as that is.
                let promoted = parent.filter(|parent| {
                    matches!(program[*parent].kind, ExprKind::Convert(_))
                        && program.type_of(*parent) == Types::INT
                        && program.bit_field_width(expr).is_some()
                });
                return Some(promoted.unwrap_or(expr));
            }
            expr = parent?;
        }
    }

    /// The whole expression that a node is a part of.
    fn full(&self, expr: ExprId) -> ExprId {
        std::iter::successors(Some(expr), |inner| self.scene.parent(*inner)).last().unwrap_or(expr)
    }
}

/// A part of an expression with effects is evaluated before its statement.
fn hoist(mender: &mut Mender<'_>, site: &Site<'_>) -> Option<Vec<Change>> {
    let program = mender.scene.program;
    let once = match program[site.stmt] {
        Stmt::Expr(_) | Stmt::If { .. } | Stmt::Switch { .. } | Stmt::Return(_) => true,
        Stmt::Declare(object) => program[object].storage == Storage::Automatic,
        _ => false,
    };
    if !once {
        return None;
    }
    let whole = mender.full(site.expr?);
    let parts = places::early(program, whole);
    let at = mender.choices.pick_any(&parts)?;
    let ty = program.type_of(at);
    mender.temporaries += 1;
    let base = format!("{}{}", TEMPORARY.trim_end_matches('1'), mender.temporaries);
    let name = mender.fresh.program.names.fresh(&base);
    let init = copy::expr(&mut mender.fresh.program, at);
    let object = Object { init: Some(init), ..Object::local(name, ty) };
    let object = mender.fresh.program.objects.push(object);
    let declare = mender.push(Stmt::Declare(object));
    let with = mender.load(object);
    Some(vec![mender.before(site.stmt, declare)?, Change::ReplaceExpr { at, with }])
}

/// The faulty code stays under a condition that is false, and a guarded copy runs beside it.
fn bury_beside(mender: &mut Mender<'_>, site: &Site<'_>) -> Option<Vec<Change>> {
    if !matches!(mender.scene.program[site.stmt], Stmt::Expr(_)) {
        return None;
    }
    let mut changes = guard_again(mender, site)?;
    let condition = mender.never()?;
    let then = copy::stmt(&mut mender.fresh.program, site.stmt);
    let buried = mender.push(Stmt::If { condition, then, otherwise: None });
    let (block, inner) = mender.block_of(site.stmt)?;
    let anchor = match mender.choices.chance(50) {
        true => Anchor::Before(inner),
        false => Anchor::After(inner),
    };
    changes.push(Change::InsertStmts { block, anchor, stmts: [buried].into() });
    Some(changes)
}

/// The faulty code stays under a condition that is false.
fn bury(mender: &mut Mender<'_>, site: &Site<'_>) -> Option<Vec<Change>> {
    let program = mender.scene.program;
    let in_loop_head = matches!(program[site.stmt], Stmt::For { .. })
        || matches!(mender.scene.around(site.stmt).nth(1), Some(outer)
            if matches!(&program[outer], Stmt::For { init, .. } if init.contains(&site.stmt)));
    let condition = mender.never()?;
    match program[site.stmt] {
        Stmt::Expr(_) if !in_loop_head => {
            let buried = Stmt::If { condition, then: site.stmt, otherwise: None };
            let buried = mender.push(buried);
            // Elsewhere an `else` could follow that belongs to another `if`.
            let with = mender.push(Stmt::Block([buried].into_iter().collect()));
            Some(vec![Change::ReplaceStmt { at: site.stmt, with }])
        }
        // What ends a loop goes as a whole, so that the loop ends.
        Stmt::If { condition: head, .. }
        | Stmt::While { condition: head, .. }
        | Stmt::DoWhile { condition: head, .. }
        | Stmt::For { condition: Some(head), .. }
            if mender.full(site.expr?) == head =>
        {
            mender.bury_value(head, condition)
        }
        _ if in_loop_head => None,
        _ => {
            let value = mender.number(site)?;
            mender.bury_value(value, condition)
        }
    }
}

impl Mender<'_> {
    /// `never ? value : 0`
    fn bury_value(&mut self, at: ExprId, never: ExprId) -> Option<Vec<Change>> {
        let ty = self.scene.program.type_of(at);
        let zero = self.builder().int(IntKind::Int, 0);
        let chosen = self.builder().conditional(never, Some(at), zero).ok()?;
        let with = match self.fresh.program.type_of(chosen) == ty {
            true => chosen,
            false => self.builder().cast(chosen, ty).ok()?,
        };
        Some(vec![Change::ReplaceExpr { at, with }])
    }
}

/// The relaxed jumps of the function go.
fn remove_jumps(mender: &mut Mender<'_>, site: &Site<'_>) -> Option<Vec<Change>> {
    let scene = &mender.scene;
    let outermost = |stmt: StmtId| scene.around(stmt).last();
    let body = outermost(site.stmt);
    let jumps = mender.known.relaxed.jumps.iter().copied();
    let own =
        jumps.filter(|jump| scene.holder_of_stmt(*jump).is_some() && outermost(*jump) == body);
    let changes: Vec<Change> = own.map(Change::RemoveStmt).collect();
    (!changes.is_empty()).then_some(changes)
}

/// The number that is at fault becomes zero.
fn replace(mender: &mut Mender<'_>, site: &Site<'_>) -> Option<Vec<Change>> {
    if matches!(mender.scene.program[site.stmt], Stmt::For { .. }) {
        return None;
    }
    let at = mender.number(site)?;
    let zero = mender.builder().int(IntKind::Int, 0);
    // With a cast, so that the text says which type it has.
    let ty = mender.scene.program.type_of(at);
    let with = mender.builder().cast(zero, ty).ok()?;
    Some(vec![Change::ReplaceExpr { at, with }])
}
