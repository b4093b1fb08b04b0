//! What only relaxed drafting makes: jumps over initialisers, and operands that would be in
//! conflict if their addresses were others.

use farrier_lang::{
    Entity, ExprId, ExprKind, FunctionId, Item, LabelId, ObjectId, Program, Stmt, StmtId, Storage,
    TypeId,
};
use farrier_machine::Profile;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bank::is_bank_name;
use crate::scene::{plain, root};

/// How often these occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Edges {
    /// Jumps into the scope of an object that skip its declaration with an initialiser, and whose
    /// condition is asked.
    pub jumps: u64,
    /// Operators that run, of which one operand writes what the other might read or write, if
    /// pointers or subscripts had other values.
    pub conflicts: u64,
}

/// The edges of functions with these bodies.
pub(super) fn edges(program: &Program, profile: &Profile, bodies: &[StmtId]) -> Edges {
    let (labels, gotos) = (FxHashMap::default(), Vec::new());
    let mut jumps = Jumps { program, profile, declared: Vec::new(), labels, gotos };
    let (shared, writers) = (shared(program, bodies), writers(program));
    let mut conflicts = Conflicts { program, shared, writers, found: 0 };
    for body in bodies {
        jumps.stmt(*body, true);
        conflicts.stmt(profile, *body);
    }
    Edges { jumps: jumps.over(), conflicts: conflicts.found }
}

/// The jumps and labels of a function, each with the initialised objects that are declared before
/// it in the blocks around.
struct Jumps<'a> {
    program: &'a Program,
    profile: &'a Profile,
    declared: Vec<ObjectId>,
    labels: FxHashMap<LabelId, Vec<ObjectId>>,
    gotos: Vec<(LabelId, Vec<ObjectId>)>,
}

impl Jumps<'_> {
    /// `reached`: whether the statement around this one runs.
    fn stmt(&mut self, id: StmtId, reached: bool) {
        match self.program[id] {
            Stmt::Declare(object) if self.program[object].init.is_some() => {
                self.declared.push(object);
            }
            Stmt::Label(label, _) => drop(self.labels.insert(label, self.declared.clone())),
            Stmt::Goto(label) if reached => self.gotos.push((label, self.declared.clone())),
            _ => {}
        }
        let before = self.declared.len();
        let runs = self.profile.stmt(id) > 0;
        self.program[id].for_each_child(|child| self.stmt(child, runs));
        if matches!(self.program[id], Stmt::Block(_) | Stmt::For { .. }) {
            self.declared.truncate(before);
        }
    }

    fn over(&self) -> u64 {
        let skips = |(label, from): &&(LabelId, Vec<ObjectId>)| {
            let to = self.labels.get(label);
            to.is_some_and(|to| to.iter().any(|object| !from.contains(object)))
        };
        self.gotos.iter().filter(skips).count() as u64
    }
}

/// The objects that these functions assign, and that code could reach in another way than by their
/// name, or from another function.
fn shared(program: &Program, bodies: &[StmtId]) -> FxHashSet<ObjectId> {
    let mut reached = FxHashSet::default();
    let mut written = FxHashSet::default();
    for body in bodies {
        for_each_expr(program, *body, &mut |expr| match program[expr].kind {
            ExprKind::AddressOf(place) => reached.extend(root(program, place)),
            ExprKind::Assign(place, _)
            | ExprKind::CompoundAssign { target: place, .. }
            | ExprKind::Step(_, place) => written.extend(root(program, place)),
            _ => {}
        });
    }
    let static_object = |object: &ObjectId| program[*object].storage == Storage::Static;
    reached.extend(written.into_iter().filter(static_object));
    reached
}

/// Calls `visit` with every expression in a statement.
fn for_each_expr(program: &Program, stmt: StmtId, visit: &mut impl FnMut(ExprId)) {
    fn inside(program: &Program, expr: ExprId, visit: &mut impl FnMut(ExprId)) {
        visit(expr);
        program[expr].kind.for_each_operand(|operand| inside(program, operand, visit));
    }
    program[stmt].for_each_expr(|expr| inside(program, expr, visit));
    if let Stmt::Declare(object) = program[stmt]
        && let Some(init) = program[object].init
    {
        inside(program, init, visit);
    }
    program[stmt].for_each_child(|child| for_each_expr(program, child, visit));
}

/// The functions that may write what others can see.
fn writers(program: &Program) -> FxHashSet<FunctionId> {
    let bodies = program.items.iter().filter_map(|item| match item {
        Item::Define(Entity::Function(id)) => Some((*id, Effects::of(program, *id))),
        _ => None,
    });
    let bodies: Vec<(FunctionId, Effects)> = bodies.collect();
    let mut writers: FxHashSet<FunctionId> = FxHashSet::default();
    loop {
        let writes = |(id, effects): &&(FunctionId, Effects)| {
            let calls = || effects.calls.iter().any(|callee| writers.contains(callee));
            !writers.contains(id) && (effects.writes || calls())
        };
        let more: Vec<FunctionId> = bodies.iter().filter(writes).map(|(id, _)| *id).collect();
        if more.is_empty() {
            return writers;
        }
        writers.extend(more);
    }
}

/// What a function does by itself.
#[derive(Default)]
struct Effects {
    writes: bool,
    calls: Vec<FunctionId>,
}

impl Effects {
    fn of(program: &Program, function: FunctionId) -> Self {
        let mut effects = Self::default();
        let Some(body) = program[function].body else { return effects };
        if is_bank_name(program.text(program[function].name)) {
            // What it writes is its own, though it may do so through pointers.
            return effects;
        }
        let local = |place| {
            root(program, place).is_some_and(|object| program[object].storage != Storage::Static)
        };
        for_each_expr(program, body, &mut |expr| match program[expr].kind {
            ExprKind::Assign(place, _)
            | ExprKind::CompoundAssign { target: place, .. }
            | ExprKind::Step(_, place) => effects.writes |= !local(place),
            ExprKind::Call(callee, _) => match callee_of(program, callee) {
                Some(callee) if program[callee].body.is_some() => effects.calls.push(callee),
                _ => effects.writes = true,
            },
            _ => {}
        });
        effects
    }
}

/// The function that is called, if it is named.
fn callee_of(program: &Program, callee: ExprId) -> Option<FunctionId> {
    match program[callee].kind {
        ExprKind::Decay(inner) => callee_of(program, inner),
        ExprKind::Function(function) => Some(function),
        _ => None,
    }
}

/// An access: the object if it is named, and the type.
#[derive(Clone, Copy)]
struct Access {
    object: Option<ObjectId>,
    /// Whether the text tells which part of the object it is: all of it, or a certain element.
    certain: bool,
    ty: TypeId,
}

/// What an operand does.
#[derive(Default)]
struct Does {
    reads: Vec<Access>,
    writes: Vec<Access>,
    calls: bool,
}

struct Conflicts<'a> {
    program: &'a Program,
    shared: FxHashSet<ObjectId>,
    writers: FxHashSet<FunctionId>,
    found: u64,
}

impl Conflicts<'_> {
    fn stmt(&mut self, profile: &Profile, id: StmtId) {
        if profile.stmt(id) == 0 {
            return;
        }
        let stmt = &self.program[id];
        stmt.for_each_expr(|expr| drop(self.expr(profile, expr)));
        if let Stmt::Declare(object) = *stmt
            && let Some(init) = self.program[object].init
        {
            self.expr(profile, init);
        }
        stmt.for_each_child(|child| self.stmt(profile, child));
    }

    fn access(&self, place: ExprId) -> Access {
        let certain = self.is_certain(place);
        let ty = self.program.type_of(place).unqualified();
        Access { object: root(self.program, place), certain, ty }
    }

    fn is_certain(&self, place: ExprId) -> bool {
        match self.program[place].kind {
            ExprKind::Object(_) => true,
            ExprKind::Member(of, _) | ExprKind::Decay(of) => self.is_certain(of),
            ExprKind::Index(of, index) => {
                let constant =
                    matches!(self.program[plain(self.program, index)].kind, ExprKind::Int(_));
                constant && self.is_certain(of)
            }
            _ => false,
        }
    }

    fn expr(&mut self, profile: &Profile, id: ExprId) -> Does {
        let kind = &self.program[id].kind;
        let mut operands = Vec::new();
        kind.for_each_operand(|operand| operands.push(operand));
        let mut parts: Vec<Does> =
            operands.into_iter().map(|operand| self.expr(profile, operand)).collect();
        let sequenced = matches!(
            kind,
            ExprKind::Logical(..)
                | ExprKind::Comma(..)
                | ExprKind::Conditional { .. }
                | ExprKind::Guard { .. }
        );
        let mut own = Does::default();
        match *kind {
            ExprKind::Load(place) => own.reads.push(self.access(place)),
            ExprKind::Assign(place, _)
            | ExprKind::CompoundAssign { target: place, .. }
            | ExprKind::Step(_, place) => own.writes.push(self.access(place)),
            ExprKind::Call(callee, _) => {
                let callee = callee_of(self.program, callee);
                own.calls = callee.is_none_or(|callee| self.writers.contains(&callee));
            }
            _ => {}
        }
        if !sequenced && profile.expr(id).count > 0 {
            let operands = parts.iter().enumerate().any(|(index, one)| {
                parts
                    .iter()
                    .skip(index + 1)
                    .any(|other| self.meet(one, other) || self.meet(other, one))
            });
            // The assignment comes after calls in its operands, but not after their assignments.
            let writes = Does { writes: own.writes.clone(), ..Does::default() };
            let assigned = parts.iter().any(|part| {
                let inner = Does { writes: part.writes.clone(), ..Does::default() };
                self.meet(&writes, &inner)
            });
            self.found += u64::from(operands || assigned);
        }
        for part in &mut parts {
            own.reads.append(&mut part.reads);
            own.writes.append(&mut part.writes);
            own.calls |= part.calls;
        }
        own
    }

    /// Whether what one operand writes might be what the other accesses.
    fn meet(&self, one: &Does, other: &Does) -> bool {
        let mut accesses = other.reads.iter().chain(&other.writes);
        if one.calls {
            return accesses.any(|access| self.is_shared(access));
        }
        accesses.any(|access| one.writes.iter().any(|write| self.may_be_one(write, access)))
    }

    fn is_shared(&self, access: &Access) -> bool {
        access.object.is_none_or(|object| self.shared.contains(&object))
    }

    fn may_be_one(&self, one: &Access, other: &Access) -> bool {
        one.ty == other.ty
            && match (one.object, other.object) {
                (Some(first), Some(second)) => first == second && !(one.certain && other.certain),
                _ => self.is_shared(one) && self.is_shared(other),
            }
    }
}
