//! Where the order of evaluation can matter at all.
//!
//! For every expression with operands in no particular order, this decides whether
//! their effects could meet: if not, nothing is recorded when the program runs.
//! The answer may be wrong only in one direction: recording where it is not needed.

use farrier_lang::{
    ExprId, ExprKind, FunctionId, Id, Linkage, Object, ObjectId, Program, Qualifiers, Stmt, StmtId,
    Storage,
};
use rustc_hash::FxHashSet;

use super::{Home, Lowerer};
use crate::code::{Op, Reg};
use crate::library::Library;
use crate::verdict::Step;

/// What evaluating something may read and write.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Effects {
    /// Objects that are named.
    reads: FxHashSet<ObjectId>,
    writes: FxHashSet<ObjectId>,
    /// Whatever a pointer points to.
    reads_pointers: bool,
    writes_pointers: bool,
    /// The output.
    prints: bool,
}

impl Effects {
    fn add(&mut self, other: &Self) {
        self.reads.extend(other.reads.iter().copied());
        self.writes.extend(other.writes.iter().copied());
        self.reads_pointers |= other.reads_pointers;
        self.writes_pointers |= other.writes_pointers;
        self.prints |= other.prints;
    }

    fn changes_something(&self) -> bool {
        !self.writes.is_empty() || self.writes_pointers || self.prints
    }
}

/// What is known about the whole program.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    /// Whether there are restricted pointers.
    pub(super) restricts: bool,
    /// What calling each function may do to things outside of it.
    functions: Vec<Effects>,
    /// Objects that a pointer may point to.
    pointed: FxHashSet<ObjectId>,
    /// What calling through a pointer may do.
    indirect: Effects,
}

/// Finds out what every function may do.
pub(crate) fn analyse(program: &Program) -> Analysis {
    let restricted = |object: &Object| object.ty.qualifiers().contains(Qualifiers::RESTRICT);
    let mut analysis = Analysis {
        restricts: program.objects.iter().any(|(_, object)| restricted(object)),
        functions: vec![Effects::default(); program.functions.len()],
        ..Analysis::default()
    };
    for (_, expr) in program.exprs.iter() {
        match expr.kind {
            ExprKind::AddressOf(operand) | ExprKind::Decay(operand) => {
                if let Some(object) = base_object(program, operand) {
                    analysis.pointed.insert(object);
                }
            }
            _ => {}
        }
    }
    let bodies: Vec<(FunctionId, StmtId)> =
        program.functions.iter().filter_map(|(id, f)| Some((id, f.body?))).collect();
    // Until nothing changes: effects only grow.
    loop {
        let mut changed = false;
        for (id, body) in &bodies {
            let mut effects = statement_effects(program, &analysis, *body);
            let outside = |object: &ObjectId| {
                let object = &program[*object];
                object.linkage != Linkage::None
                    || matches!(object.storage, Storage::Static | Storage::Thread)
            };
            effects.reads.retain(outside);
            effects.writes.retain(outside);
            if analysis.functions[id.index()] != effects {
                analysis.indirect.add(&effects);
                analysis.functions[id.index()] = effects;
                changed = true;
            }
        }
        if !changed {
            return analysis;
        }
    }
}

/// The object that an lvalue is a part of, if it is not behind a pointer.
fn base_object(program: &Program, expr: ExprId) -> Option<ObjectId> {
    match program[expr].kind {
        ExprKind::Object(object) => Some(object),
        ExprKind::Member(base, _) => base_object(program, base),
        ExprKind::Index(base, _) => match program[base].kind {
            ExprKind::Decay(array) => base_object(program, array),
            _ => None,
        },
        ExprKind::Unary(_, operand) => base_object(program, operand),
        _ => None,
    }
}

fn statement_effects(program: &Program, analysis: &Analysis, body: StmtId) -> Effects {
    let mut effects = Effects::default();
    let mut stmts = vec![body];
    while let Some(stmt) = stmts.pop() {
        let node = &program[stmt];
        node.for_each_child(|child| stmts.push(child));
        node.for_each_expr(|expr| expr_effects(program, analysis, expr, &mut effects));
        match node {
            Stmt::Declare(object) => {
                if let Some(init) = program[*object].init {
                    expr_effects(program, analysis, init, &mut effects);
                }
            }
            Stmt::Asm(_) => {
                effects.reads_pointers = true;
                effects.writes_pointers = true;
            }
            _ => {}
        }
    }
    effects
}

/// Adds what evaluating an expression may do.
fn expr_effects(program: &Program, analysis: &Analysis, expr: ExprId, effects: &mut Effects) {
    let kind = &program[expr].kind;
    match kind {
        ExprKind::SizeofExpr(_) | ExprKind::AlignofExpr(..) | ExprKind::SizeofType(_) => return,
        ExprKind::Load(operand) | ExprKind::VaArg(operand) => {
            match base_object(program, *operand) {
                Some(object) => {
                    effects.reads.insert(object);
                }
                None => effects.reads_pointers = true,
            }
        }
        ExprKind::Assign(target, _) => write(program, *target, effects),
        ExprKind::CompoundAssign { target, .. } | ExprKind::Step(_, target) => {
            write(program, *target, effects);
            match base_object(program, *target) {
                Some(object) => {
                    effects.reads.insert(object);
                }
                None => effects.reads_pointers = true,
            }
        }
        ExprKind::Call(function, _) => match called(program, *function) {
            Some(id) if program[id].body.is_some() => {
                effects.add(&analysis.functions[id.index()]);
            }
            Some(id) => library_effects(program.text(program[id].name), effects),
            None => effects.add(&analysis.indirect),
        },
        ExprKind::Builtin(builtin, _) => library_effects(builtin.name(), effects),
        ExprKind::StatementExpr(block) => {
            effects.add(&statement_effects(program, analysis, *block));
        }
        _ => {}
    }
    kind.for_each_operand(|operand| expr_effects(program, analysis, operand, effects));
}

fn write(program: &Program, target: ExprId, effects: &mut Effects) {
    match base_object(program, target) {
        Some(object) => {
            effects.writes.insert(object);
        }
        None => effects.writes_pointers = true,
    }
}

fn called(program: &Program, function: ExprId) -> Option<FunctionId> {
    match program[function].kind {
        ExprKind::Decay(designator) => match program[designator].kind {
            ExprKind::Function(id) => Some(id),
            _ => None,
        },
        _ => None,
    }
}

fn library_effects(name: &str, effects: &mut Effects) {
    match Library::by_name(name) {
        Some(library) if library.is_pure() => {}
        Some(library) => {
            effects.reads_pointers = true;
            effects.writes_pointers |= library.writes_memory();
            effects.prints |= library.prints();
        }
        // Calls of unknown functions stop the machine.
        None => {}
    }
}

impl Lowerer<'_> {
    /// Begins to record the operands of an expression, if their order could matter.
    /// Each of `operands` is one operand; they have no order among each other.
    pub(super) fn begin_order(&mut self, operands: &[&[ExprId]]) -> bool {
        if self.starting || operands.len() < 2 || !self.has_effects(operands) {
            return false;
        }
        let all: Vec<Effects> = operands.iter().map(|operand| self.effects_of(operand)).collect();
        let mut watched = FxHashSet::default();
        let mut dynamic = false;
        for (index, left) in all.iter().enumerate() {
            for right in &all[index + 1..] {
                dynamic |= self.meet(left, right, &mut watched);
                dynamic |= self.meet(right, left, &mut watched);
            }
        }
        if !dynamic && watched.is_empty() {
            return false;
        }
        self.watch(watched);
        true
    }

    /// The next operand begins.
    pub(super) fn next_operand(&mut self, recording: bool) {
        if recording {
            let level = self.level();
            self.emit(Op::OrderNext { level });
        }
    }

    /// All operands are evaluated.
    pub(super) fn end_order(&mut self, recording: bool) {
        if recording {
            let level = self.level();
            self.emit(Op::OrderEndOperands { level });
            self.end_record();
        }
    }

    /// The side effects of what came before in this operand are complete.
    pub(super) fn sequence_point(&mut self) {
        if !self.watched.is_empty() {
            let level = self.level();
            self.emit(Op::OrderClose { level });
        }
    }

    /// Opens a record that watches these locals in registers.
    fn watch(&mut self, watched: FxHashSet<ObjectId>) {
        self.watched.push(watched);
        let level = self.level();
        self.emit(Op::OrderBegin { level });
    }

    fn end_record(&mut self) {
        let level = self.level();
        self.emit(Op::OrderEnd { level });
        self.watched.pop();
    }

    /// How many records are open in this function around the innermost.
    fn level(&self) -> u32 {
        self.watched.len() as u32 - 1
    }

    /// Evaluates two operands that have no order.
    pub(super) fn pair(&mut self, left: ExprId, right: ExprId) -> Step<(Reg, Reg)> {
        let recording = self.begin_order(&[&[left], &[right]]);
        let left = self.value(left)?;
        self.next_operand(recording);
        let right = self.value(right)?;
        self.end_order(recording);
        Ok((left, right))
    }

    /// Begins to record an assignment, if its store could meet a side effect of its
    /// operands that is not complete, or if the operands could meet.
    pub(super) fn begin_assignment(&mut self, target: ExprId, value: ExprId, reads: bool) -> bool {
        if self.starting {
            return false;
        }
        // The target itself is not read, but what leads to it is.
        let mut place = Vec::new();
        self.program[target].kind.for_each_operand(|operand| place.push(operand));
        let mut left = self.effects_of(&place);
        if reads {
            match base_object(self.program, target) {
                Some(object) => {
                    left.reads.insert(object);
                }
                None => left.reads_pointers = true,
            }
        }
        place.push(value);
        if !self.has_effects(&[&place]) {
            return false;
        }
        let right = self.effects_of(&[value]);
        let mut watched = FxHashSet::default();
        let mut recording = self.has_pending(target, &place);
        if recording {
            watched.extend(base_object(self.program, target));
        }
        recording |= self.meet(&left, &right, &mut watched);
        recording |= self.meet(&right, &left, &mut watched);
        if !recording && watched.is_empty() {
            return false;
        }
        self.watch(watched);
        true
    }

    /// Both operands of an assignment are evaluated.
    pub(super) fn end_assignment_operands(&mut self, recording: bool) {
        if recording {
            let level = self.level();
            self.emit(Op::OrderEndOperands { level });
        }
    }

    /// The store is done.
    pub(super) fn end_assignment(&mut self, recording: bool) {
        if recording {
            let level = self.level();
            self.emit(Op::OrderCheckStore { level });
            self.end_record();
        }
    }

    /// Notes an access of a local in a register, if somebody watches it.
    pub(super) fn touch(&mut self, reg: Reg, write: bool) {
        let watched = self.watched.iter().any(|objects| {
            objects.iter().any(
                |object| matches!(self.homes.get(object), Some(Home::Register(home)) if *home == reg),
            )
        });
        if watched {
            self.emit(Op::OrderTouch { reg, write });
        }
    }

    /// A quick test: nothing can meet where nothing has a side effect.
    fn has_effects(&self, operands: &[&[ExprId]]) -> bool {
        let mut work: Vec<ExprId> =
            operands.iter().flat_map(|operand| operand.iter()).copied().collect();
        while let Some(expr) = work.pop() {
            let kind = &self.program[expr].kind;
            let effect = match kind {
                ExprKind::Assign(..)
                | ExprKind::CompoundAssign { .. }
                | ExprKind::Step(..)
                | ExprKind::StatementExpr(_)
                | ExprKind::VaArg(_) => true,
                ExprKind::Call(function, _) => match called(self.program, *function) {
                    Some(id) if self.program[id].body.is_some() => {
                        self.analysis.functions[id.index()].changes_something()
                    }
                    _ => true,
                },
                ExprKind::Builtin(..) => true,
                ExprKind::SizeofExpr(_) | ExprKind::AlignofExpr(..) => continue,
                _ => false,
            };
            if effect {
                return true;
            }
            kind.for_each_operand(|operand| work.push(operand));
        }
        false
    }

    fn effects_of(&self, operand: &[ExprId]) -> Effects {
        let mut effects = Effects::default();
        for expr in operand {
            expr_effects(self.program, self.analysis, *expr, &mut effects);
        }
        effects
    }

    /// Whether what `left` writes could be what `right` reads or writes. Locals in
    /// registers that both touch go to `watched`.
    fn meet(&self, left: &Effects, right: &Effects, watched: &mut FxHashSet<ObjectId>) -> bool {
        let mut dynamic = left.prints && right.prints;
        let uses =
            |object: &ObjectId| right.reads.contains(object) || right.writes.contains(object);
        for object in left.writes.iter().filter(|object| uses(object)) {
            if matches!(self.homes.get(object), Some(Home::Register(_))) {
                watched.insert(*object);
            } else {
                dynamic = true;
            }
        }
        let pointed = |objects: &FxHashSet<ObjectId>| {
            objects.iter().any(|object| self.analysis.pointed.contains(object))
        };
        let right_pointers = right.reads_pointers || right.writes_pointers;
        dynamic
            || left.writes_pointers
                && (right_pointers || pointed(&right.reads) || pointed(&right.writes))
            || right_pointers && pointed(&left.writes)
    }

    /// Whether an assignment could meet an incomplete side effect of its operands:
    /// `i = i++`, `*p = (*q)++`.
    pub(super) fn has_pending(&self, target: ExprId, operands: &[ExprId]) -> bool {
        let mut pending = Effects::default();
        for operand in operands {
            pending_writes(self.program, *operand, &mut pending);
        }
        if !pending.changes_something() {
            return false;
        }
        match base_object(self.program, target) {
            Some(object) => {
                pending.writes.contains(&object)
                    || pending.writes_pointers && self.analysis.pointed.contains(&object)
            }
            None => {
                pending.writes_pointers
                    || pending.writes.iter().any(|object| self.analysis.pointed.contains(object))
            }
        }
    }
}

/// Adds the writes of an expression that no sequence point completes in it.
fn pending_writes(program: &Program, expr: ExprId, pending: &mut Effects) {
    match &program[expr].kind {
        ExprKind::Assign(target, value) => {
            write(program, *target, pending);
            pending_writes(program, *target, pending);
            pending_writes(program, *value, pending);
        }
        ExprKind::CompoundAssign { target, value, .. } => {
            write(program, *target, pending);
            pending_writes(program, *target, pending);
            pending_writes(program, *value, pending);
        }
        ExprKind::Step(_, target) => {
            write(program, *target, pending);
            pending_writes(program, *target, pending);
        }
        ExprKind::Comma(_, right) | ExprKind::Logical(_, _, right) => {
            pending_writes(program, *right, pending);
        }
        ExprKind::Conditional { then, otherwise, .. } => {
            then.iter().for_each(|then| pending_writes(program, *then, pending));
            pending_writes(program, *otherwise, pending);
        }
        // A call completes the side effects of its arguments.
        ExprKind::Call(..) | ExprKind::StatementExpr(_) => {}
        ExprKind::SizeofExpr(_) | ExprKind::AlignofExpr(..) => {}
        other => other.for_each_operand(|operand| pending_writes(program, operand, pending)),
    }
}
