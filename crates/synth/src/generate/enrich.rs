//! Enriching: what is added to a program whose run is known, and leaves that run as it was.
//!
//! Before guards are discharged, [`survey`] draws spots all over the program, each with a row of
//! [`ENRICHMENTS`], and asks for what the row wants to know. The last run of discharge tells
//! it. Then [`enrich`] adds the code of one row after the other, until the bytes that were
//! set aside for it are spent. What is added may be anything that leaves the values of the
//! program as they were at every visit: so what the run told stays true, however much is
//! added, and one run is enough for all rows.

mod barriers;
mod calls;
mod hostile;
mod never;
mod probes;
mod wraps;

use farrier_lang::build::Builder;
use farrier_lang::layout::Layouts;
use farrier_lang::scope::{self, Scope, ScopePoint};
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, FunctionId, Id, Object, ObjectId, Program, Qualifiers, Stmt,
    StmtId, Symbol, TypeId, integer_type, print,
};
use farrier_machine::{Observed, Profile, Tuples, Watch, Watchpoint};

use super::is_driver;
use super::names::Name;
use crate::Choices;
use crate::features::{Feature, Weights};
use crate::hostile::{beside, for_each_value};
use crate::parameters::{Parameter, Parameters};
use calls::Calls;
pub(super) use calls::share;

/// About how many bytes one spot adds, to begin with: more spots are drawn than are needed.
const SPOT_BYTES: usize = 40;

/// How many times as often as another statement a loop is drawn as a spot.
const LOOP_SPOTS: u64 = 4;

/// How often spots of hostile code get more of it while there is room.
const AGAIN: usize = 4;

/// The most that is added to a program without hostile code, in percent.
const WITHOUT_HOSTILE: usize = 26;

/// By how many bytes the statements of a block are indented.
const MARGIN: usize = 4;

/// How many bytes too many are better than a statement that is not wrapped.
const SLACK: usize = 60;

/// How many objects of a spot its statement names, and how many others are visible there.
const NEAR_OBJECTS: usize = 6;
const OTHER_OBJECTS: usize = 2;

/// How many expressions of a statement are searched for its objects.
const SEARCHED: usize = 60;

/// How many different tuples of values are kept for a spot.
const MOST_VISITS: usize = 8;

/// A kind of code that can be added.
pub(super) struct Enrichment {
    /// It is drawn by the weight of this feature, in relation to the other rows.
    feature: Feature,
    /// What it is made of: without one of these it does not occur.
    needs: &'static [Feature],
    /// Whether it can stand at a spot.
    gate: fn(&Program, &Spot) -> bool,
    /// Asks for what it wants to know, apart from the values of the objects of the spot.
    watch: fn(&Program, &Spot, &mut Watch),
    /// Adds it; `None` if it cannot, and then nothing has been changed.
    add: fn(&mut Enricher<'_>, &Spot) -> Option<()>,
}

/// Every kind.
#[rustfmt::skip]
static ENRICHMENTS: &[Enrichment] = &[
    Enrichment { feature: Feature::Hostile, needs: &[], gate: |_, _| true, watch: |_, _, _| {}, add: hostile::add },
    Enrichment { feature: Feature::KnownCall, needs: &[Feature::Arithmetic, Feature::Cast], gate: calls::can_stand, watch: calls::watch, add: calls::add },
    Enrichment { feature: Feature::Barrier, needs: &[], gate: |_, _| true, watch: |_, _, _| {}, add: barriers::add },
    Enrichment { feature: Feature::Probe, needs: &[Feature::If, Feature::Comparison, Feature::Logical, Feature::Int], gate: |_, _| true, watch: |_, _, _| {}, add: probes::add },
    Enrichment { feature: Feature::NeutralWrap, needs: &[], gate: wraps::can_stand, watch: |_, _, _| {}, add: wraps::add },
];

/// The row of hostile code, of which half of the blocks get some first.
const HOSTILE: usize = 0;

/// A place where code can be added: before a statement of a block.
pub(super) struct Spot {
    row: &'static Enrichment,
    /// Whether it gets its code before all others, so that its block has some hostile code.
    first: bool,
    pub(super) block: StmtId,
    pub(super) stmt: StmtId,
    /// How many bytes stand before each of its lines.
    margin: usize,
    /// Objects that are visible before the statement: those that it names first.
    pub(super) objects: Vec<ObjectId>,
    /// Objects that statements beside it name too, and that are visible before it; only where
    /// there may be hostile code, which copies what stands there.
    pub(super) near: Vec<ObjectId>,
    pub(super) function: FunctionId,
}

/// How often each row is drawn.
fn rates(weights: &Weights) -> Vec<u32> {
    let rate = |row: &Enrichment| match row.needs.iter().all(|need| weights.has(*need)) {
        true => weights.weight(row.feature).0,
        false => 0,
    };
    ENRICHMENTS.iter().map(rate).collect()
}

/// How much of a program can be added, in percent: without hostile code there is not room for
/// more.
pub(super) fn most_share(weights: &Weights) -> usize {
    let rates = rates(weights);
    match rates.iter().all(|rate| *rate == 0) {
        true => 0,
        false if rates[HOSTILE] == 0 => WITHOUT_HOSTILE,
        false => 100,
    }
}

/// Draws spots for `bytes` of code, and asks for what has to be known of them. `helpers` get
/// none: what makes them what they are is that they are small.
pub(super) fn survey(
    program: &Program,
    helpers: &[FunctionId],
    known: (&Weights, &Parameters),
    bytes: usize,
    watch: &mut Watch,
    choices: &mut Choices,
) -> Vec<Spot> {
    let (weights, parameters) = known;
    let rates = rates(weights);
    let hostile_blocks = match rates[HOSTILE] {
        0 => 0,
        _ => parameters.get(Parameter::HostileBlocks),
    };
    let wanted = bytes.div_ceil(SPOT_BYTES) as u64;
    let mut blocks: Vec<Option<StmtId>> = vec![None; program.stmts.len()];
    let mut hostile: Vec<bool> = vec![false; program.stmts.len()];
    let mut places = 0;
    for (id, stmt) in program.stmts.iter() {
        if let Stmt::Block(inner) = stmt {
            inner.iter().for_each(|stmt| blocks[stmt.index()] = Some(id));
            places += inner.len() as u64;
            if !inner.is_empty() && choices.chance(hostile_blocks) {
                hostile[choices.pick(inner).index()] = true;
            }
        }
    }
    for expr in program.exprs.values() {
        // The last statement of such a block is its value.
        if let ExprKind::StatementExpr(block) = expr.kind
            && let Stmt::Block(inner) = &program[block]
            && let Some(last) = inner.last()
        {
            blocks[last.index()] = None;
        }
    }
    let mut spots = Vec::new();
    let mut search = Search::default();
    let mut margin = 0;
    let has_spots = |function: FunctionId| {
        let driver = program.is_main(function) || is_driver(program.text(program[function].name));
        !driver && !helpers.contains(&function)
    };
    scope::walk_all(program, &has_spots, &mut |function, stmt, point, scope| {
        match (&program[stmt], point) {
            (Stmt::Block(_), ScopePoint::Before) => margin += MARGIN,
            (Stmt::Block(_), ScopePoint::After) => margin -= MARGIN,
            _ => {}
        }
        let block = blocks[stmt.index()].filter(|_| point == ScopePoint::Before);
        let is_loop =
            matches!(program[stmt], Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. });
        let wanted = if is_loop { LOOP_SPOTS * wanted } else { wanted };
        let first = hostile[stmt.index()];
        let Some(block) = block.filter(|_| first || choices.below(places) < wanted) else { return };
        let index = if first { Some(HOSTILE) } else { choices.weighted(&rates) };
        let Some(index) = index else { return };
        let row = &ENRICHMENTS[index];
        let objects = objects_near(program, stmt, scope, &mut search, choices);
        let near = match row.feature {
            Feature::Hostile | Feature::NeutralWrap => {
                named_beside(program, (block, stmt), scope, &mut search)
            }
            _ => Vec::new(),
        };
        let spot = Spot { row, first, block, stmt, margin, objects, near, function };
        if (row.gate)(program, &spot) {
            (row.watch)(program, &spot, watch);
            let objects = spot.objects.clone();
            let point = Watchpoint { objects, most: MOST_VISITS, ..Watchpoint::default() };
            watch.points.insert(stmt, point);
            spots.push(spot);
        }
    });
    // If there are more than fit, it is not the end of the program that goes without.
    choices.shuffle(&mut spots);
    spots.sort_by_key(|spot| !spot.first);
    spots
}

/// What waits while statements are searched; used again for each of them.
#[derive(Default)]
struct Search {
    exprs: Vec<ExprId>,
    stmts: Vec<StmtId>,
}

/// Objects that a statement or one beside it names, and that are visible before it.
fn named_beside(
    program: &Program,
    (block, stmt): (StmtId, StmtId),
    scope: &Scope,
    search: &mut Search,
) -> Vec<ObjectId> {
    let mut found = Vec::new();
    let Search { exprs: waiting, stmts: inside } = search;
    waiting.clear();
    inside.clear();
    inside.extend(beside(program, block, stmt));
    inside.reverse();
    while let Some(stmt) = inside.pop().filter(|_| waiting.len() < SEARCHED) {
        for_each_value(program, stmt, |expr| waiting.push(expr));
        program[stmt].for_each_child(|child| inside.insert(0, child));
    }
    waiting.reverse();
    for _ in 0..2 * SEARCHED {
        let Some(expr) = waiting.pop() else { break };
        if let ExprKind::Object(object) = program[expr].kind
            && !found.contains(&object)
            && scope.object(object).is_some()
        {
            found.push(object);
        }
        program[expr].kind.for_each_operand(|operand| waiting.push(operand));
    }
    found
}

/// Objects that can be named before a statement: those that it names, and some others.
fn objects_near(
    program: &Program,
    stmt: StmtId,
    scope: &Scope,
    search: &mut Search,
    choices: &mut Choices,
) -> Vec<ObjectId> {
    let mut found = Vec::with_capacity(NEAR_OBJECTS + OTHER_OBJECTS);
    let Search { exprs: waiting, stmts: inside } = search;
    waiting.clear();
    inside.clear();
    inside.push(stmt);
    while let Some(stmt) = inside.pop() {
        program[stmt].for_each_expr(|expr| waiting.push(expr));
        if waiting.len() < NEAR_OBJECTS {
            program[stmt].for_each_child(|child| inside.push(child));
        }
    }
    for _ in 0..SEARCHED {
        let Some(expr) = waiting.pop() else { break };
        if let ExprKind::Object(object) = program[expr].kind
            && !found.contains(&object)
            && found.len() < NEAR_OBJECTS
            && scope.object(object).is_some()
        {
            found.push(object);
        }
        program[expr].kind.for_each_operand(|operand| waiting.push(operand));
    }
    for _ in 0..OTHER_OBJECTS {
        let other = scope.objects[choices.index(scope.objects.len())].object;
        if !found.contains(&other) {
            found.push(other);
        }
    }
    found.retain(|object| !program[*object].ty.qualifiers().contains(Qualifiers::VOLATILE));
    found
}

/// A program while code is added to it.
pub(super) struct Enricher<'a> {
    pub(super) program: &'a mut Program,
    /// The run that stays as it was.
    pub(super) profile: &'a Profile,
    /// The inputs with their values, which nothing changes.
    pub(super) inputs: &'a [(ObjectId, i128)],
    pub(super) weights: &'a Weights,
    pub(super) parameters: &'a Parameters,
    pub(super) choices: &'a mut Choices,
    layouts: Layouts,
    /// The operations that what is added may still execute.
    pub(super) operations: u64,
    /// The bytes that may still be added.
    bytes: usize,
    calls: Calls,
    /// How many names it has made.
    names: u32,
    /// What says which probe failed.
    probe: Option<ObjectId>,
}

/// What is known of a program when code is added to it.
pub(super) struct Known<'a> {
    pub(super) profile: &'a Profile,
    pub(super) inputs: &'a [(ObjectId, i128)],
    pub(super) weights: &'a Weights,
    pub(super) parameters: &'a Parameters,
}

/// Adds code at the spots, until `bytes` have been added, which executes at most `operations`.
pub(super) fn enrich(
    program: &mut Program,
    spots: &[Spot],
    known: &Known<'_>,
    (bytes, operations): (usize, u64),
    choices: &mut Choices,
) {
    let Known { profile, inputs, weights, parameters } = *known;
    let mut enricher = Enricher {
        program,
        profile,
        inputs,
        weights,
        parameters,
        choices,
        layouts: Layouts::default(),
        operations,
        bytes,
        calls: Calls::default(),
        names: 0,
        probe: None,
    };
    // What is left over is for hostile code, which can stand anywhere more than once.
    let again = spots.iter().filter(|spot| spot.row.feature == Feature::Hostile);
    let again = std::iter::repeat_n(again, AGAIN).flatten();
    for spot in spots.iter().chain(again) {
        if enricher.bytes == 0 {
            break;
        }
        (spot.row.add)(&mut enricher, spot);
    }
}

impl Enricher<'_> {
    pub(super) fn builder(&mut self) -> Builder<'_> {
        Builder { program: self.program, layouts: &mut self.layouts, permissive: false }
    }

    /// The lvalue of an object.
    pub(super) fn place(&mut self, object: ObjectId) -> ExprId {
        let ty = self.program[object].ty;
        self.builder().node(ExprKind::Object(object), ty)
    }

    /// The value of an object.
    pub(super) fn load(&mut self, object: ObjectId) -> ExprId {
        let place = self.place(object);
        self.builder().value(place)
    }

    /// How often the statement of a spot began.
    pub(super) fn visits(&self, spot: &Spot) -> u64 {
        self.profile.visits(spot.stmt).map_or(0, |visits| visits.count)
    }

    /// All values that an object of a spot had when its statement began; `None` if they were
    /// many, or it had none at some time. Empty if the statement never began.
    pub(super) fn values(&self, spot: &Spot, object: ObjectId) -> Option<Vec<i128>> {
        let none = Tuples::default();
        let visits = self.profile.visits(spot.stmt).unwrap_or(&none);
        let index = spot.objects.iter().position(|known| *known == object)?;
        if visits.more {
            return None;
        }
        let integer = |tuple: &[Observed]| match tuple[index] {
            Observed::Integer(value) => Some(value),
            _ => None,
        };
        visits.few.iter().map(|tuple| integer(tuple)).collect()
    }

    /// The objects of a spot that are integers, with all values that they had there. A
    /// spot that was never reached has none to tell.
    pub(super) fn known(&self, spot: &Spot) -> Vec<(ObjectId, Vec<i128>)> {
        let known = spot.objects.iter().filter_map(|object| {
            integer_type(self.program, self.program[*object].ty)?;
            Some((*object, self.values(spot, *object)?))
        });
        known.collect()
    }

    /// Whether all of these features may occur.
    pub(super) fn has(&self, features: &[Feature]) -> bool {
        features.iter().all(|feature| self.weights.has(*feature))
    }

    /// A new name.
    fn name(&mut self, kind: Name) -> Symbol {
        self.names += 1;
        self.program.names.intern(&format!("{}{}", kind.prefix(), self.names))
    }

    /// A new variable of a block, with its declaration.
    pub(super) fn variable(
        &mut self,
        kind: Name,
        ty: TypeId,
        init: ExprId,
    ) -> Option<(ObjectId, StmtId)> {
        let init = self.builder().convert_assigned(init, ty).ok()?;
        let object = Object { init: Some(init), ..Object::local(self.name(kind), ty) };
        let object = self.program.objects.push(object);
        Some((object, self.program.stmts.push(Stmt::Declare(object))))
    }

    /// An expression that has a small value at every visit of a spot, as far as the text does
    /// not tell. At a spot that was never reached, it may have any.
    pub(super) fn hidden(&mut self, spot: &Spot, wanted: i128) -> Option<ExprId> {
        let mut sources = self.inputs.to_vec();
        for (object, values) in self.known(spot) {
            let bits = integer_type(self.program, self.program[object].ty)?.bits;
            match values[..] {
                [] => sources.push((object, wanted + 1)),
                [value] if bits <= 64 => sources.push((object, value)),
                _ => {}
            }
        }
        let (object, value) = self.choices.pick_any(&sources)?;
        let difference = value.checked_sub(wanted)?;
        let mut forms = Vec::new();
        if self.weights.has(Feature::Arithmetic) {
            let op = if difference < 0 { BinaryOp::Add } else { BinaryOp::Sub };
            forms.push((op, difference.checked_abs()?));
        }
        if self.weights.has(Feature::Bitwise) && value >= 0 {
            forms.push((BinaryOp::BitXor, value ^ wanted));
        }
        if self.weights.has(Feature::Comparison) && (0..2).contains(&wanted) {
            let op = if wanted == 1 { BinaryOp::Equal } else { BinaryOp::NotEqual };
            forms.push((op, value));
        }
        let (op, constant) = self.choices.pick_any(&forms)?;
        let (value, constant) = (self.load(object), self.constant(constant)?);
        self.builder().binary(op, value, constant).ok()
    }

    /// A constant of the first type that holds it; `None` if it needs more than 64 bits.
    pub(super) fn constant(&mut self, value: i128) -> Option<ExprId> {
        crate::hostile::constant(self.program, value)
    }

    /// Spends operations at each visit of a spot; `None` if there are not as many.
    pub(super) fn charge(&mut self, spot: &Spot, operations: u64) -> Option<()> {
        let operations = operations.saturating_mul(self.visits(spot));
        self.operations = self.operations.checked_sub(operations)?;
        Some(())
    }

    /// How many bytes a statement takes at a spot.
    pub(super) fn length_at(&self, spot: &Spot, stmt: StmtId) -> usize {
        let text = print::print_stmt(self.program, stmt);
        text.len() + spot.margin * text.bytes().filter(|byte| *byte == b'\n').count()
    }

    /// Puts a statement where that of a spot stands, if there is room for it.
    pub(super) fn replace(&mut self, spot: &Spot, new: StmtId) -> Option<()> {
        let old = self.length_at(spot, spot.stmt);
        let bytes = self.length_at(spot, new).saturating_sub(old);
        if bytes > self.bytes + SLACK {
            return None;
        }
        let Stmt::Block(inner) = &mut self.program[spot.block] else { return None };
        let position = inner.iter().position(|stmt| *stmt == spot.stmt)?;
        inner[position] = new;
        self.spend(bytes);
        Some(())
    }

    /// Adds statements before that of a spot, which execute `operations` at each visit at most.
    pub(super) fn insert(&mut self, spot: &Spot, stmts: &[StmtId], operations: u64) -> Option<()> {
        self.charge(spot, operations)?;
        let Stmt::Block(inner) = &self.program[spot.block] else { return None };
        let position = inner.iter().position(|stmt| *stmt == spot.stmt)?;
        for stmt in stmts {
            self.spend(self.length_at(spot, *stmt));
        }
        let Stmt::Block(inner) = &mut self.program[spot.block] else { return None };
        for (offset, stmt) in stmts.iter().enumerate() {
            inner.insert(position + offset, *stmt);
        }
        Some(())
    }

    /// Counts bytes that were added.
    pub(super) fn spend(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}
