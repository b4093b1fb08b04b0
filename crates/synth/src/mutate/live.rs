//! Hermes: adds code that never runs, or that runs and changes nothing, among code that runs.
//!
//! What is added hangs on [predicates](predicate) that are true or false at every visit of a
//! place. They are drawn from the values that objects had *together* at each visit.

mod block;
mod expression;
mod known;
mod predicate;
#[cfg(test)]
mod tests;
mod undone;

use farrier_lang::build::Builder;
use farrier_lang::edit::{Anchor, Change, Holder};
use farrier_lang::layout::Layouts;
use farrier_lang::{
    Entity, ExprId, FunctionId, IntKind, Item, Linkage, Object, ObjectId, Program, Stmt, StmtId,
    Storage, Types,
};
use rustc_hash::FxHashMap;

use super::place::Place;
use super::stage::{Point, Stage};
use super::{Row, Strategy};
use crate::Choices;
use known::Known;

pub(super) const ROWS: &[Row] = &[
    Row { strategy: Strategy::Hermes, name: "never", weight: 10, draw: never },
    Row { strategy: Strategy::Hermes, name: "always", weight: 10, draw: always },
    Row { strategy: Strategy::Hermes, name: "undone", weight: 10, draw: undone::draw },
];

/// How many drafts may use a new object that other files could change, in percent.
const HIDDEN: u32 = 50;

/// How often a hidden object is drawn, in relation to others.
const HIDDEN_WEIGHT: u32 = 8;

/// How many blocks that never run stand under an `if` and a `while`, in percent; the others
/// are the bodies of a `for`.
const UNDER_IF: u32 = 60;
const UNDER_WHILE: u32 = 80;

/// How many guards have an `else`, in percent.
const OTHERWISE: u32 = 40;

/// The types of hidden objects.
const HIDDEN_KINDS: [IntKind; 6] =
    [IntKind::Int, IntKind::Int, IntKind::UInt, IntKind::Long, IntKind::UChar, IntKind::Short];

/// New code for a place, while it is drawn.
struct Draft<'a> {
    program: &'a mut Program,
    layouts: &'a mut Layouts,
    choices: &'a mut Choices,
    /// What is known of the values there. Code that is drafted may change them.
    known: Known,
    /// The columns that new code reads, by lvalue.
    loads: FxHashMap<ExprId, usize>,
    function: FunctionId,
    /// A new object that other files could change, and its column.
    hidden: Option<(ObjectId, usize)>,
}

impl Draft<'_> {
    /// Begins code for a point.
    fn at<'a>(
        stage: &'a mut Stage<'_>,
        index: usize,
        choices: &'a mut Choices,
    ) -> Option<Draft<'a>> {
        let point = &stage.points[index];
        let tuples = stage.visits(point)?;
        let known = Known::at(stage.scene.program, point, tuples);
        let function = point.function;
        let (program, layouts) = (&mut stage.fresh.program, &mut stage.layouts);
        let loads = FxHashMap::default();
        let mut draft = Draft { program, layouts, choices, known, loads, function, hidden: None };
        if draft.choices.chance(HIDDEN) || draft.known.columns.is_empty() {
            draft.hide()?;
        }
        Some(draft)
    }

    fn builder(&mut self) -> Builder<'_> {
        Builder { program: self.program, layouts: self.layouts, permissive: false }
    }

    /// Adds a global variable whose value only this program knows.
    fn hide(&mut self) -> Option<()> {
        let ty = Types::int(self.choices.pick(&HIDDEN_KINDS));
        let value = i128::from(self.choices.below(100));
        let init = self.program.integer(value, ty)?;
        let name = self.program.names.fresh("h_1");
        let object = self.program.objects.push(Object {
            linkage: Linkage::External,
            storage: Storage::Static,
            init: Some(init),
            ..Object::local(name, ty)
        });
        let place = Place::of(self.program, object);
        let rows = self.known.rows.as_ref().map(|rows| vec![value; rows.len()]);
        let column = self.known.add(self.program, place, rows, (value, value), HIDDEN_WEIGHT)?;
        self.hidden = Some((object, column));
        Some(())
    }

    /// The code is done: what it needs at file scope becomes a part of the program.
    fn finish(self) {
        if let Some((object, column)) = self.hidden
            && self.loads.values().any(|used| *used == column)
        {
            self.program.items.insert(0, Item::Define(Entity::Object(object)));
        }
    }

    fn push(&mut self, stmt: Stmt) -> StmtId {
        self.program.stmts.push(stmt)
    }

    fn block(&mut self, stmts: Vec<StmtId>) -> StmtId {
        self.push(Stmt::Block(stmts.into_iter().collect()))
    }

    /// `lvalue = value;`
    fn assignment(&mut self, lvalue: ExprId, value: ExprId) -> Option<StmtId> {
        let assign = self.builder().assign(lvalue, value).ok()?;
        Some(self.push(Stmt::Expr(assign)))
    }
}

/// A place where code that runs can be inserted, in a function that returns once, and where
/// nothing has been drawn yet.
fn live_point(stage: &Stage<'_>, choices: &mut Choices) -> Option<usize> {
    let mut points = stage.live_points();
    points.retain(|index| !stage.taken.contains(index));
    let index = choices.pick_any(&points)?;
    (!stage.returns_twice(stage.points[index].function)).then_some(index)
}

/// A condition that is true at every visit of a place that runs, with the point.
pub(super) fn true_somewhere(
    stage: &mut Stage<'_>,
    choices: &mut Choices,
) -> Option<(usize, ExprId)> {
    let index = live_point(stage, choices)?;
    let mut draft = Draft::at(stage, index, choices)?;
    let holds = draft.predicate(true)?;
    draft.finish();
    Some((index, holds))
}

/// Before a point.
pub(super) fn before(point: &Point, stmt: StmtId) -> Change {
    let (block, anchor) = (point.block, Anchor::Before(point.stmt));
    Change::InsertStmts { block, anchor, stmts: [stmt].into() }
}

/// `if (false) { ... }`, or a loop without rounds: a block that never runs. What is in it may
/// be undefined.
fn never(stage: &mut Stage<'_>, choices: &mut Choices) {
    let Some(point) = live_point(stage, choices) else { return };
    let Some((body, mut changes)) = block::draw(stage, point, choices) else { return };
    let Some(mut draft) = Draft::at(stage, point, choices) else { return };
    let Some(condition) = draft.predicate(false) else { return };
    let stmt = match draft.choices.below(100) as u32 {
        form if form < UNDER_IF => Stmt::If { condition, then: body, otherwise: None },
        form if form < UNDER_WHILE => Stmt::While { condition, body },
        _ => Stmt::For { init: [].into(), condition: Some(condition), step: None, body },
    };
    let stmt = draft.push(stmt);
    draft.finish();
    changes.push(before(&stage.points[point], stmt));
    stage.taken.push(point);
    stage.push(changes);
}

/// `if (true) statement`, around a statement that runs; sometimes with an `else`.
fn always(stage: &mut Stage<'_>, choices: &mut Choices) {
    let Some(point) = live_point(stage, choices) else { return };
    let Point { stmt, block, .. } = stage.points[point];
    let program = stage.scene.program;
    let fixed = matches!(
        program[stmt],
        Stmt::Declare(_)
            | Stmt::DefineRecord(_)
            | Stmt::DefineFunction(_)
            | Stmt::Label(..)
            | Stmt::Case { .. }
            | Stmt::Default(_)
            | Stmt::Fallthrough
    );
    // The last statement of a statement expression is its value.
    let is_value = matches!(stage.scene.holder_of_stmt(block), Some(Holder::Expr(_)))
        && matches!(&program[block], Stmt::Block(inner) if inner.last() == Some(&stmt));
    if fixed || is_value {
        return;
    }
    let dead = match choices.chance(OTHERWISE) {
        true => block::draw(stage, point, choices),
        false => None,
    };
    let (otherwise, mut changes) = dead.map_or((None, Vec::new()), |(dead, it)| (Some(dead), it));
    let Some(mut draft) = Draft::at(stage, point, choices) else { return };
    let swap = otherwise.is_some() && draft.choices.chance(50);
    let Some(condition) = draft.predicate(!swap) else { return };
    // A branch that is an `if` itself could take the `else`.
    let live = draft.block(vec![stmt]);
    let (then, otherwise) = match otherwise {
        Some(dead) if swap => (dead, Some(live)),
        otherwise => (live, otherwise),
    };
    let with = draft.push(Stmt::If { condition, then, otherwise });
    draft.finish();
    changes.push(Change::ReplaceStmt { at: stmt, with });
    stage.taken.push(point);
    stage.push(changes);
}

/// Whether a statement is inside an expression, other parts of which may read what it writes.
fn is_in_expression(stage: &Stage<'_>, stmt: StmtId) -> bool {
    let mut stmt = stmt;
    loop {
        match stage.scene.holder_of_stmt(stmt) {
            Some(Holder::Stmt(outer)) => stmt = outer,
            Some(Holder::Expr(_)) => return true,
            _ => return false,
        }
    }
}
