//! A program while mutations of it are drawn.

use std::collections::BTreeMap;
use std::rc::Rc;

use farrier_lang::build::Builder;
use farrier_lang::edit::{Change, Edit, Fresh, Holder, TreeNode};
use farrier_lang::layout::Layouts;
use farrier_lang::scope::{self, Scope, ScopePoint, Visible};
use farrier_lang::{
    Entity, ExprId, ExprKind, FunctionId, Item, ObjectId, Program, Qualifiers, Stmt, StmtId, Symbol,
};
use farrier_machine::{
    Certified, Chosen, Observed, Options, Part, Tuples, Verdict, Watch, Watchpoint, run,
};
use rustc_hash::FxHashMap;

use super::graft::Donor;
use super::place::{self, Place};
use super::{Mutation, Refusal, Row};
use crate::Choices;
use crate::scene::{Jumps, Scene};

/// At how many places the values of objects are watched.
const POINTS: usize = 256;

/// How many objects are watched at a place: first those that its statement names.
const OBJECTS: usize = 16;

/// How many members and elements are watched at a place.
const PARTS: usize = 6;

/// How many different tuples of values are kept for a place, and how many bytes those of all
/// places take at most.
const MOST_TUPLES: usize = 32;
const MOST_BYTES: usize = 4 << 20;

/// A place that is reached more often gets no new code that runs.
const MOST_VISITS: u64 = 10_000;

/// How many expressions of a statement are searched for the objects that it names.
const SEARCHED: usize = 60;

/// A program, what a run of it saw, and the mutations that have been drawn so far.
pub(super) struct Stage<'a> {
    /// The program with the profile of its run: all statements and expressions are counted.
    pub(super) scene: Scene<'a>,
    /// Where the new nodes of a mutation are built. Items that are added to its program
    /// become a part of the mutation by themselves.
    pub(super) fresh: Fresh,
    pub(super) layouts: Layouts,
    /// Places where code can be inserted, in the order of the text.
    pub(super) points: Vec<Point>,
    /// Other programs, of which mutations can take parts.
    pub(super) donors: &'a [Certified],
    /// Every reachable statement, those around others first.
    pub(super) stmts: Vec<StmtId>,
    uses: FxHashMap<Entity, Vec<ExprId>>,
    /// What graft knows about the donors that it has taken something of, by position.
    pub(super) known_donors: BTreeMap<usize, Option<Rc<Donor<'a>>>>,
    /// What the program was certified with.
    pub(super) options: Options,
    jumps: Jumps,
    /// The functions and objects of the library that mutations of this round declare.
    declared: Vec<Symbol>,
    /// Whether blocks that never run get a call that marks them, for measurements.
    pub(super) markers: bool,
    /// Points at which something has been drawn: one more there would conflict.
    pub(super) taken: Vec<usize>,
    /// Functions that may return more than once from a call in them.
    returning_twice: Vec<FunctionId>,
    /// The row that draws.
    row: Option<&'static Row>,
    drawn: Vec<Mutation>,
}

/// A place before a statement of a block.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) function: FunctionId,
    pub(super) block: StmtId,
    pub(super) stmt: StmtId,
    /// The objects that are visible before the statement, in the order of their declarations.
    pub(super) visible: Vec<Visible>,
    /// The scalar objects whose values were watched, in the order of the tuples: first those that
    /// the statement names. None is volatile, and each has certainly been declared.
    pub(super) watched: Vec<ObjectId>,
    /// Members and elements that were watched too: their values come after those of the
    /// objects. None is volatile or `const`.
    pub(super) parts: Vec<Place>,
    /// How often the statement began.
    pub(super) visits: u64,
}

impl<'a> Stage<'a> {
    /// Runs a program, whose behaviour is known, to see its values at places that are drawn.
    pub(super) fn new(
        program: &'a Program,
        options: &Options,
        donors: &'a [Certified],
        choices: &mut Choices,
    ) -> Result<Self, Refusal> {
        let mut points = survey(program, choices);
        let watch = Watch {
            expressions: Chosen::All,
            statements: Chosen::All,
            guards: Chosen::None,
            points: points.iter().map(|point| point.watchpoint(points.len())).collect(),
            ..Watch::default()
        };
        let watching = Options { profile: Some(watch), ..options.clone() };
        let seen = run(program, &watching);
        let (Verdict::Defined(_), Some(profile)) = (seen.verdict, seen.profile) else {
            return Err(Refusal::TooLong);
        };
        for point in &mut points {
            point.visits = profile.stmt(point.stmt);
        }
        let scene = Scene::new(program, Some(profile));
        let jumps = Jumps::of(&scene);
        let returning_twice = returning_twice(&scene);
        Ok(Self {
            stmts: scene.stmts().collect(),
            uses: uses(&scene),
            markers: false,
            taken: Vec::new(),
            returning_twice,
            scene,
            fresh: Fresh::new(program),
            layouts: Layouts::default(),
            points,
            donors,
            known_donors: BTreeMap::new(),
            options: options.clone(),
            jumps,
            declared: Vec::new(),
            row: None,
            drawn: Vec::new(),
        })
    }

    /// Lets a row draw.
    pub(super) fn draw(&mut self, row: &'static Row, choices: &mut Choices) {
        self.row = Some(row);
        (row.draw)(self, choices);
        self.discard();
    }

    /// How many mutations have been drawn.
    pub(super) fn drawn(&self) -> usize {
        self.drawn.len()
    }

    /// Whether the row that draws has drawn something before.
    pub(super) fn has_drawn(&self) -> bool {
        let row = self.row.expect("a row is drawing");
        self.drawn.iter().any(|mutation| mutation.row.name == row.name)
    }

    /// All that have been drawn.
    pub(super) fn into_drawn(self) -> Vec<Mutation> {
        self.drawn
    }

    /// A mutation is done: these changes, with all nodes and items that were added since the
    /// one before. It is dropped if it declares a thing of the library that one before has
    /// declared, because each must be able to stand without the other.
    pub(super) fn push(&mut self, mut changes: Vec<Change>) {
        let mut declared = self.new_declarations();
        if declared.iter().any(|name| self.declared.contains(name)) {
            return self.discard();
        }
        self.declared.append(&mut declared);
        let old = &self.scene.program.items;
        let mut after = None;
        let mut inserted = Vec::new();
        for item in self.fresh.program.items.iter().rev() {
            if old.contains(item) {
                after = Some(*item);
            } else {
                inserted.push(Change::InsertItem { item: *item, before: after });
            }
        }
        inserted.reverse();
        inserted.append(&mut changes);
        self.fresh.program.items.clone_from(old);
        let edit = self.fresh.edit(inserted);
        // Records that are added next have the ids of those that were cut.
        self.layouts = Layouts::default();
        self.push_edit(edit);
    }

    /// A mutation is done: an edit that was cut from `fresh` already.
    pub(super) fn push_edit(&mut self, edit: Edit) {
        let row = self.row.expect("a row is drawing");
        self.drawn.push(Mutation { row, index: self.drawn.len(), edit });
    }

    /// The names of what was declared and not defined since the last mutation.
    fn new_declarations(&self) -> Vec<Symbol> {
        let program = &self.fresh.program;
        let old = &self.scene.program.items;
        let items = program.items.iter().filter(|item| !old.contains(item));
        let name = |item: &Item| match *item {
            Item::Declare(Entity::Function(id)) => {
                program[id].body.is_none().then_some(program[id].name)
            }
            Item::Declare(Entity::Object(id)) => program[id].name,
            _ => None,
        };
        items.filter_map(name).collect()
    }

    /// Forgets the nodes and items that were added since the last mutation.
    pub(super) fn discard(&mut self) {
        self.fresh.program.items.clone_from(&self.scene.program.items);
        self.fresh.discard();
        self.layouts = Layouts::default();
    }

    /// Makes new nodes.
    pub(super) fn builder(&mut self) -> Builder<'_> {
        let program = &mut self.fresh.program;
        Builder { program, layouts: &mut self.layouts, permissive: false }
    }

    /// The places where an object or a function is named, in the order of the tree.
    pub(super) fn uses(&self, entity: Entity) -> &[ExprId] {
        self.uses.get(&entity).map_or(&[], Vec::as_slice)
    }

    /// A new lvalue: an object.
    pub(super) fn object(&mut self, object: ObjectId) -> ExprId {
        let ty = self.fresh.program[object].ty;
        self.builder().node(ExprKind::Object(object), ty)
    }

    /// Whether the last statement of a block is the value of an expression.
    pub(super) fn is_value_block(&self, block: StmtId) -> bool {
        matches!(self.scene.holder_of_stmt(block), Some(Holder::Expr(_)))
    }

    /// How often a statement began.
    pub(super) fn count(&self, stmt: StmtId) -> u64 {
        self.scene.profile.as_ref().map_or(0, |profile| profile.stmt(stmt))
    }

    /// The statements that never ran, in the order of the tree, outermost first.
    pub(super) fn dead_stmts(&self) -> Vec<StmtId> {
        let Some(profile) = &self.scene.profile else { return Vec::new() };
        let dead = |stmt: &StmtId| !profile.ran(self.scene.program, *stmt);
        self.scene.stmts().filter(dead).collect()
    }

    /// The places where code that runs can be inserted: those that were reached, and not too
    /// often. Positions in `points`.
    pub(super) fn live_points(&self) -> Vec<usize> {
        let live = |point: &Point| (1..=MOST_VISITS).contains(&point.visits);
        (0..self.points.len()).filter(|index| live(&self.points[*index])).collect()
    }

    /// Whether a function names `setjmp`: then its locals must not change at other places.
    pub(super) fn returns_twice(&self, function: FunctionId) -> bool {
        self.returning_twice.contains(&function)
    }

    /// The places that were never reached. Positions in `points`.
    pub(super) fn dead_points(&self) -> Vec<usize> {
        (0..self.points.len()).filter(|index| self.points[*index].visits == 0).collect()
    }

    /// The values that the watched objects of a place had together at its visits, as far as
    /// they are kept; `None` if it was never reached.
    pub(super) fn visits(&self, point: &Point) -> Option<&Tuples> {
        self.scene.profile.as_ref()?.visits(point.stmt)
    }

    /// The changes that take out a statement that never ran, with the jumps into it; `None`
    /// if something else needs it.
    pub(super) fn removal(&self, stmt: StmtId) -> Option<Vec<Change>> {
        let program = self.scene.program;
        let mut inner = stmt;
        let needed = loop {
            match program[inner] {
                Stmt::Label(_, body) | Stmt::Case { body, .. } | Stmt::Default(body) => {
                    inner = body;
                }
                Stmt::Declare(_) | Stmt::DefineRecord(_) => break true,
                _ => break false,
            }
        };
        let body = matches!(self.scene.holder_of_stmt(stmt), Some(Holder::Function(_)));
        if needed || body {
            return None;
        }
        Some(self.jumps.removal(&self.scene, stmt).changes().to_vec())
    }
}

impl Point {
    /// What is watched here, where there are so many places.
    fn watchpoint(&self, places: usize) -> (StmtId, Watchpoint) {
        let columns = (self.watched.len() + self.parts.len()).max(1);
        let most = MOST_BYTES / (places * columns * size_of::<Observed>());
        let most = most.min(MOST_TUPLES);
        let part =
            |place: &Place| Part { object: place.object, offset: place.offset, ty: place.ty };
        let parts = self.parts.iter().map(part).collect();
        let objects = self.watched.clone();
        (self.stmt, Watchpoint { objects, parts, most, related: MOST_VISITS })
    }
}

/// Where each object and function is named.
fn uses(scene: &Scene<'_>) -> FxHashMap<Entity, Vec<ExprId>> {
    let mut uses: FxHashMap<Entity, Vec<ExprId>> = FxHashMap::default();
    for expr in scene.exprs() {
        let entity = match scene.program[expr].kind {
            ExprKind::Object(object) => Entity::Object(object),
            ExprKind::Function(function) => Entity::Function(function),
            _ => continue,
        };
        uses.entry(entity).or_default().push(expr);
    }
    uses
}

/// The functions that name `setjmp` or one like it.
fn returning_twice(scene: &Scene<'_>) -> Vec<FunctionId> {
    let program = scene.program;
    let found = scene.exprs().filter(|expr| match program[*expr].kind {
        ExprKind::Function(function) => program.text(program[function].name).contains("setjmp"),
        ExprKind::Builtin(builtin, _) => builtin.name().contains("setjmp"),
        _ => false,
    });
    let functions = found.filter_map(|expr| {
        let mut node = TreeNode::Expr(expr);
        loop {
            node = match scene.links.holder(node)? {
                Holder::Expr(outer) => TreeNode::Expr(outer),
                Holder::Stmt(outer) => TreeNode::Stmt(outer),
                Holder::Object(object) => {
                    let mut stmts = scene.stmts();
                    TreeNode::Stmt(stmts.find(|it| program[*it] == Stmt::Declare(object))?)
                }
                Holder::Function(function) => return Some(function),
                Holder::Asm(_) | Holder::Type(_) => return None,
            };
        }
    });
    functions.collect()
}

/// Draws places all over a program.
fn survey(program: &Program, choices: &mut Choices) -> Vec<Point> {
    let blocks = blocks(program);
    let mut places: Vec<StmtId> = blocks.keys().copied().collect();
    places.sort_unstable();
    choices.shuffle(&mut places);
    places.truncate(POINTS);
    places.sort_unstable();
    let mut points = Vec::new();
    let mut layouts = Layouts::default();
    for function in program.functions.ids() {
        scope::walk(program, function, &mut |stmt, at, scope| {
            if at == ScopePoint::Before && places.binary_search(&stmt).is_ok() {
                let named = named(program, stmt);
                let watched = watched(program, &named, scope, choices);
                let parts = parts(program, &mut layouts, &named, scope, choices);
                let visible = scope.objects.clone();
                let block = blocks[&stmt];
                points.push(Point { function, block, stmt, visible, watched, parts, visits: 0 });
            }
        });
    }
    points
}

/// The statements of blocks before which others can stand, with their blocks.
fn blocks(program: &Program) -> FxHashMap<StmtId, StmtId> {
    let mut blocks = FxHashMap::default();
    for (id, stmt) in program.stmts.iter() {
        if let Stmt::Block(inner) = stmt {
            blocks.extend(inner.iter().map(|stmt| (*stmt, id)));
        }
    }
    blocks
}

/// Objects that a statement names.
fn named(program: &Program, stmt: StmtId) -> Vec<ObjectId> {
    let mut found = Vec::new();
    let mut waiting: Vec<ExprId> = Vec::new();
    let mut inside = vec![stmt];
    while let Some(stmt) = inside.pop() {
        program[stmt].for_each_expr(|expr| waiting.push(expr));
        if waiting.len() < OBJECTS {
            program[stmt].for_each_child(|child| inside.push(child));
        }
    }
    for _ in 0..SEARCHED {
        let Some(expr) = waiting.pop() else { break };
        if let ExprKind::Object(object) = program[expr].kind
            && !found.contains(&object)
        {
            found.push(object);
        }
        program[expr].kind.for_each_operand(|operand| waiting.push(operand));
    }
    found
}

/// Scalar objects that can be read before a statement: those that it names, and some others.
fn watched(
    program: &Program,
    named: &[ObjectId],
    scope: &Scope,
    choices: &mut Choices,
) -> Vec<ObjectId> {
    let fits = |visible: &Visible| {
        let ty = program[visible.object].ty;
        visible.certain
            && program.is_scalar(ty)
            && !ty.qualifiers().contains(Qualifiers::VOLATILE)
            && program[visible.object].name.is_some()
    };
    let known = |object: &ObjectId| scope.object(*object).is_some_and(fits);
    let mut found: Vec<ObjectId> = named.iter().copied().filter(known).collect();
    let mut others: Vec<ObjectId> =
        scope.objects.iter().filter(|visible| fits(visible)).map(|it| it.object).collect();
    others.retain(|object| !found.contains(object));
    choices.shuffle(&mut others);
    found.extend(others);
    found.truncate(OBJECTS);
    found
}

/// Members and elements of objects that can be read before a statement: of those that it
/// names, and of some others.
fn parts(
    program: &Program,
    layouts: &mut Layouts,
    named: &[ObjectId],
    scope: &Scope,
    choices: &mut Choices,
) -> Vec<Place> {
    let fits =
        |visible: &&Visible| visible.certain && !program.is_scalar(program[visible.object].ty);
    let near = named.iter().filter_map(|object| scope.object(*object)).filter(fits);
    let near: Vec<ObjectId> = near.map(|visible| visible.object).collect();
    let all: Vec<ObjectId> = scope.objects.iter().filter(fits).map(|it| it.object).collect();
    let mut parts: Vec<Place> = Vec::new();
    for index in 0..PARTS {
        let from = if 2 * index < PARTS && !near.is_empty() { &near } else { &all };
        let Some(object) = choices.pick_any(from) else { break };
        if let Some(part) = place::draw(program, layouts, object, choices)
            && !parts.contains(&part)
        {
            parts.push(part);
        }
    }
    parts
}
