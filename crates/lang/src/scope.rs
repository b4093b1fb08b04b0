//! What is visible at a statement: objects with their lifetimes, functions, labels, types.
//!
//! A scope is the answer to a question about any program, wherever it comes from: it is
//! found by reading the text from the top, as a compiler does. [`walk`] meets all statements
//! of a function in one pass; [`at`] is for a single question.

use rustc_hash::FxHashSet;

use crate::arena::{AsmId, ExprId, FunctionId, Id, LabelId, ObjectId, StmtId};
use crate::edit::TreeNode;
use crate::edit::links::{Holder, for_each_child};
use crate::expr::ExprKind;
use crate::program::{Entity, Item, Program, Storage};
use crate::stmt::Stmt;
use crate::types::{ArrayLength, Type, TypeId};

/// How long an object that is visible lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lifetime {
    /// As long as the program runs.
    Static,
    /// As long as its thread runs.
    Thread,
    /// As long as its function runs, which gets its value from outside.
    Parameter,
    /// As long as its block runs.
    Automatic,
}

/// An object that is visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visible {
    /// The object.
    pub object: ObjectId,
    /// How long it lives.
    pub lifetime: Lifetime,
    /// How many blocks are around its declaration: none at file scope, one for parameters and
    /// in the outermost block of a function. `for` and the bodies of loops, branches and
    /// switches count as blocks.
    pub depth: u32,
    /// Whether control cannot come here past its declaration. Where that is not plain,
    /// because something may jump to a place after the declaration, it is false.
    pub certain: bool,
}

/// A type that is visible: a record, an enumeration or a typedef.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VisibleType {
    /// The type.
    pub entity: Entity,
    /// Whether its members or constants are known here.
    pub complete: bool,
}

/// What is visible at one place of a program. All lists are in the order of the declarations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scope {
    /// The objects.
    pub objects: Vec<Visible>,
    /// The functions, also the one around it.
    pub functions: Vec<FunctionId>,
    /// The labels that a `goto` here may name; a statement expression hides its own from
    /// the outside.
    pub labels: Vec<LabelId>,
    /// The types that have a name.
    pub types: Vec<VisibleType>,
    /// By object: one more than where it stands in the list of objects last; zero if it is not
    /// visible.
    places: Vec<u32>,
    /// What `places` said before each object of the list was declared.
    hidden: Vec<u32>,
}

/// A place at a statement where another could stand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScopePoint {
    /// Before it.
    Before,
    /// In it, before its parts: at the start of a block, and in a `for` after its
    /// declarations, where its condition is.
    Inside,
    /// In a block, after all of its statements.
    End,
    /// After it.
    After,
}

impl Scope {
    /// What is visible at file scope before the item with this index.
    pub fn of_file(program: &Program, before: usize) -> Self {
        let mut scope = Self::default();
        let mut known = FxHashSet::default();
        for item in &program.items[..before] {
            scope.add_item(program, item, &mut known);
        }
        scope
    }

    /// Adds what an item declares; `known` has all that was declared before.
    fn add_item(&mut self, program: &Program, item: &Item, known: &mut FxHashSet<Entity>) {
        let Some(entity) = item.entity() else { return };
        let first = known.insert(entity);
        match entity {
            Entity::Object(id) if first => self.add_object(program, id, 0),
            Entity::Function(id) if first => self.functions.push(id),
            Entity::Object(_) | Entity::Function(_) => {}
            Entity::Record(_) | Entity::Enum(_) | Entity::Typedef(_) => {
                let complete = matches!(item, Item::Define(_));
                if first {
                    self.types.push(VisibleType { entity, complete });
                } else if complete {
                    let mut types = self.types.iter_mut();
                    let known = types.find(|known| known.entity == entity);
                    known.expect("it was declared").complete = true;
                }
            }
        }
    }

    /// What is known of an object, if it is visible.
    pub fn object(&self, id: ObjectId) -> Option<&Visible> {
        let place = *self.places.get(id.index())?;
        self.objects.get(place.checked_sub(1)? as usize)
    }

    fn push(&mut self, visible: Visible) {
        let index = visible.object.index();
        if self.places.len() <= index {
            self.places.resize(index + 1, 0);
        }
        self.objects.push(visible);
        let place = u32::try_from(self.objects.len()).expect("fewer than 2^32 objects");
        self.hidden.push(std::mem::replace(&mut self.places[index], place));
    }

    /// Forgets all objects but the first.
    fn truncate(&mut self, objects: usize) {
        while self.objects.len() > objects {
            if let (Some(visible), Some(place)) = (self.objects.pop(), self.hidden.pop()) {
                self.places[visible.object.index()] = place;
            }
        }
    }

    fn add_object(&mut self, program: &Program, object: ObjectId, depth: u32) {
        let lifetime = match program[object].storage {
            Storage::Static => Lifetime::Static,
            Storage::Thread => Lifetime::Thread,
            Storage::Automatic | Storage::Register => Lifetime::Automatic,
        };
        self.push(Visible { object, lifetime, depth, certain: true });
    }
}

/// The scope at a statement of a function; `None` if the statement is not in the function,
/// or has no such position.
pub fn at(
    program: &Program,
    function: FunctionId,
    stmt: StmtId,
    position: ScopePoint,
) -> Option<Scope> {
    let mut found = None;
    walk(program, function, &mut |here, at, scope| {
        if (here, at) == (stmt, position) {
            found = Some(scope.clone());
        }
    });
    found
}

/// Calls `visit` with the scope at every position of a function, in the order of the text.
/// Statements inside statement expressions are among them, those of functions inside the
/// function are not.
pub fn walk(
    program: &Program,
    function: FunctionId,
    visit: &mut dyn FnMut(StmtId, ScopePoint, &Scope),
) {
    let define = Item::Define(Entity::Function(function));
    let position = program.items.iter().position(|item| *item == define);
    let Some(position) = position else { return };
    walk_body(program, function, Scope::of_file(program, position + 1), visit);
}

/// The same for all functions that are `wanted`, which takes less time than one after the other.
pub fn walk_all(
    program: &Program,
    wanted: &dyn Fn(FunctionId) -> bool,
    visit: &mut dyn FnMut(FunctionId, StmtId, ScopePoint, &Scope),
) {
    let mut scope = Scope::default();
    let mut known = FxHashSet::default();
    for item in &program.items {
        scope.add_item(program, item, &mut known);
        if let Item::Define(Entity::Function(function)) = *item
            && wanted(function)
        {
            scope = walk_body(program, function, scope, &mut |stmt, point, scope| {
                visit(function, stmt, point, scope);
            });
        }
    }
}

/// Walks over a function in this scope, which comes back as it was.
fn walk_body(
    program: &Program,
    function: FunctionId,
    mut scope: Scope,
    visit: &mut dyn FnMut(StmtId, ScopePoint, &Scope),
) -> Scope {
    let Some(body) = program[function].body else { return scope };
    scope.labels = labels(program, body);
    let first = scope.objects.len();
    let mut walker =
        Walker { program, scope, visit, depth: 1, first_jumped: first, first_cased: usize::MAX };
    for &parameter in &program[function].parameters {
        let lifetime = Lifetime::Parameter;
        walker.scope.push(Visible { object: parameter, lifetime, depth: 1, certain: true });
        walker.first_jumped += 1;
        walker.ty(program[parameter].ty);
    }
    // C makes the parameters and the outermost block one scope.
    walker.depth = 0;
    walker.stmt(body);
    let mut scope = walker.scope;
    scope.truncate(first);
    scope.labels.clear();
    scope
}

/// The labels that a `goto` may name at a statement and below it: not those inside the
/// statement expressions there.
pub fn labels(program: &Program, root: StmtId) -> Vec<LabelId> {
    let mut labels = Vec::new();
    add_labels(program, root, &mut labels);
    labels
}

fn add_labels(program: &Program, stmt: StmtId, labels: &mut Vec<LabelId>) {
    if let Stmt::Label(label, _) = program[stmt] {
        labels.push(label);
    }
    program[stmt].for_each_child(|child| add_labels(program, child, labels));
}

/// All labels that are defined below a statement, also in statement expressions. Those of a
/// function inside are its own.
pub fn all_labels(program: &Program, root: StmtId) -> Vec<LabelId> {
    let mut labels = Vec::new();
    let mut waiting = vec![TreeNode::Stmt(root)];
    while let Some(node) = waiting.pop() {
        if let TreeNode::Stmt(id) = node
            && let Stmt::Label(label, _) = program[id]
        {
            labels.push(label);
        }
        let first = waiting.len();
        for_each_child(program, node, &mut |child, holder| {
            if !matches!(holder, Holder::Function(_)) {
                waiting.push(child);
            }
        });
        waiting[first..].reverse();
    }
    labels
}

struct Walker<'a> {
    program: &'a Program,
    scope: Scope,
    visit: &'a mut dyn FnMut(StmtId, ScopePoint, &Scope),
    /// How many blocks are around the statement.
    depth: u32,
    /// The first object that a `goto` may jump over: the first of the function, or of the
    /// statement expression, into which nothing can jump.
    first_jumped: usize,
    /// The first object that a `case` may jump over: the first inside the innermost switch.
    first_cased: usize,
}

impl Walker<'_> {
    fn stmt(&mut self, id: StmtId) {
        let program = self.program;
        self.report(id, ScopePoint::Before);
        program[id].for_each_expr(|expr| match program[id] {
            // These see what the loop declares.
            Stmt::For { .. } => {}
            _ => self.expr(expr),
        });
        match &program[id] {
            Stmt::Block(stmts) => self.block(id, stmts),
            Stmt::Declare(object) => self.declare(*object),
            Stmt::DefineRecord(record) => {
                let entity = Entity::Record(*record);
                self.scope.types.push(VisibleType { entity, complete: true });
            }
            Stmt::If { then, otherwise, .. } => {
                self.body(*then);
                otherwise.iter().for_each(|otherwise| self.body(*otherwise));
            }
            Stmt::While { body, .. } | Stmt::DoWhile { body, .. } => {
                self.enter_loop(*body);
                self.body(*body);
            }
            Stmt::For { init, condition, step, body } => {
                let outer = self.enter();
                init.iter().for_each(|stmt| self.stmt(*stmt));
                self.enter_loop(*body);
                self.report(id, ScopePoint::Inside);
                condition.iter().chain(step).for_each(|expr| self.expr(*expr));
                self.body(*body);
                self.leave(outer);
            }
            Stmt::Switch { body, .. } => {
                let outer = std::mem::replace(&mut self.first_cased, self.scope.objects.len());
                self.body(*body);
                self.first_cased = outer;
            }
            Stmt::Case { body, .. } | Stmt::Default(body) => {
                self.jumped_over(self.first_cased);
                self.stmt(*body);
            }
            Stmt::Label(_, body) => {
                self.jumped_over(self.first_jumped);
                self.stmt(*body);
            }
            Stmt::Asm(asm) => self.asm(*asm),
            Stmt::Hinted { body, .. } => self.stmt(*body),
            _ => {}
        }
        self.report(id, ScopePoint::After);
    }

    fn report(&mut self, id: StmtId, position: ScopePoint) {
        (self.visit)(id, position, &self.scope);
    }

    fn block(&mut self, id: StmtId, stmts: &[StmtId]) {
        let outer = self.enter();
        self.report(id, ScopePoint::Inside);
        stmts.iter().for_each(|stmt| self.stmt(*stmt));
        self.report(id, ScopePoint::End);
        self.leave(outer);
    }

    /// A branch or the body of a loop or switch: a scope of its own (C11 6.8.4p3, 6.8.5p5).
    fn body(&mut self, id: StmtId) {
        if matches!(self.program[id], Stmt::Block(_)) {
            return self.stmt(id);
        }
        let outer = self.enter();
        self.stmt(id);
        self.leave(outer);
    }

    fn enter(&mut self) -> (usize, usize) {
        self.depth += 1;
        (self.scope.objects.len(), self.scope.types.len())
    }

    fn leave(&mut self, (objects, types): (usize, usize)) {
        self.depth -= 1;
        self.scope.truncate(objects);
        self.scope.types.truncate(types);
    }

    fn declare(&mut self, object: ObjectId) {
        let program = self.program;
        self.ty(program[object].ty);
        self.scope.add_object(program, object, self.depth);
        program[object].init.iter().for_each(|init| self.expr(*init));
    }

    /// Something may jump to this place and pass the declarations of the objects from
    /// `first` on.
    fn jumped_over(&mut self, first: usize) {
        for visible in self.scope.objects.iter_mut().skip(first) {
            visible.certain &= visible.lifetime != Lifetime::Automatic;
        }
    }

    /// What is jumped over in one round of a loop is so in the next from its start.
    fn enter_loop(&mut self, body: StmtId) {
        let (label, case) = targets(self.program, body);
        if label {
            self.jumped_over(self.first_jumped);
        }
        if case {
            self.jumped_over(self.first_cased);
        }
    }

    fn expr(&mut self, id: ExprId) {
        let program = self.program;
        if let ExprKind::StatementExpr(block) = program[id].kind {
            let labels = self.scope.labels.len();
            self.scope.labels.extend(self::labels(program, block));
            let here = self.scope.objects.len();
            let jumped = std::mem::replace(&mut self.first_jumped, here);
            let cased = std::mem::replace(&mut self.first_cased, usize::MAX);
            self.stmt(block);
            (self.first_jumped, self.first_cased) = (jumped, cased);
            self.scope.labels.truncate(labels);
        }
        program[id].kind.for_each_operand(|operand| self.expr(operand));
    }

    fn asm(&mut self, id: AsmId) {
        let asm = &self.program[id];
        asm.outputs.iter().chain(&asm.inputs).for_each(|operand| self.expr(operand.value));
    }

    /// The lengths of variable arrays are expressions of the declaration.
    fn ty(&mut self, ty: TypeId) {
        if let Type::Array { element, length } = *self.program.resolve(ty) {
            if let ArrayLength::Variable(length) = length {
                self.expr(length);
            }
            self.ty(element);
        }
    }
}

/// Whether there is a label below a statement, and a `case` of a switch around it.
fn targets(program: &Program, stmt: StmtId) -> (bool, bool) {
    let here = &program[stmt];
    let mut label = matches!(here, Stmt::Label(..));
    let mut case = matches!(here, Stmt::Case { .. } | Stmt::Default(_));
    here.for_each_child(|child| {
        let (inner_label, inner_case) = targets(program, child);
        label |= inner_label;
        case |= inner_case && !matches!(here, Stmt::Switch { .. });
    });
    (label, case)
}
