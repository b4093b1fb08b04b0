//! Promises about loops: which loops are tracked when they run, and what must be in memory
//! for that.

use std::collections::BTreeMap;

use farrier_lang::hint::{self, Hint, HintKind};
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, FunctionId, ObjectId, Program, Stmt, StmtId, Storage, Type,
};

use super::{Home, Lowerer};
use crate::code::{Op, Reg};
use crate::rounds::RoundsRow;
use crate::value::Scalar;

/// What is emitted for a loop that is tracked.
#[derive(Clone, Debug)]
pub(super) struct Tracked {
    row: RoundsRow,
    /// The objects that each round has for its own, and whether the last value stays.
    private: Vec<(ObjectId, bool)>,
    /// The objects of reductions, and whether their sums may overflow.
    sums: Vec<(ObjectId, bool)>,
}

/// By loop: how it is tracked, or why it cannot be judged.
pub(super) type TrackedLoops = BTreeMap<StmtId, Result<Tracked, &'static str>>;

impl Lowerer<'_> {
    /// Finds the loops of a function that are tracked. Objects that they assign are in memory,
    /// where accesses are seen.
    pub(super) fn find_tracked(&mut self, function: FunctionId, body: StmtId) {
        if !self.analysis.has_hints(function) && self.watch.loops.is_empty() {
            return;
        }
        let program = self.program;
        let nested = self.analysis.has_nested_statements(function);
        let mut waiting = vec![body];
        while let Some(stmt) = waiting.pop() {
            if nested {
                for_each_expr_within(program, stmt, &mut |expr| {
                    if let ExprKind::StatementExpr(block) = program[expr].kind {
                        waiting.push(block);
                    }
                });
            }
            program[stmt].for_each_child(|child| waiting.push(child));
            let (at, hints, judged): (StmtId, &[Hint], bool) = match &program[stmt] {
                Stmt::Hinted { hints, body } => {
                    (*body, hints, hints.iter().any(|hint| hint.kind.row().promise))
                }
                _ => (stmt, &[], false),
            };
            if !judged && !self.watch.loops.contains_key(&at) || self.tracked.contains_key(&at) {
                continue;
            }
            let tracked = self.tracked_loop(at, hints, judged);
            if judged || tracked.is_ok() {
                self.tracked.insert(at, tracked);
            }
        }
        let Self { tracked, in_memory, .. } = self;
        for tracked in tracked.values_mut() {
            let named = |tracked: &Tracked| {
                let private = tracked.private.iter().map(|(object, _)| object);
                let sums = tracked.sums.iter().map(|(object, _)| object);
                private.chain(sums).any(|object| in_memory.contains(object))
            };
            if tracked.as_ref().is_ok_and(named) {
                *tracked = Err("a clause about an object that another such loop assigns");
            }
        }
    }

    fn tracked_loop(
        &mut self,
        at: StmtId,
        hints: &[Hint],
        judged: bool,
    ) -> Result<Tracked, &'static str> {
        let program = self.program;
        let analysis = &*self.analysis;
        let counted = hint::counted(program, at, |object| analysis.is_addressed(object))?;
        let simd = hints.iter().any(|hint| hint.kind == HintKind::Simd);
        if simd && !counted.exact {
            return Err(
                "an `omp simd` loop whose counter is declared before it, or not compared in its \
                 own type",
            );
        }
        let safelen = hints.iter().find(|hint| hint.kind == HintKind::Safelen);
        // Any order is more than a distance allows.
        let concurrent = hints.iter().any(|hint| hint.kind == HintKind::Concurrent);
        let reach = safelen.filter(|_| !concurrent).map_or(u32::MAX, |hint| hint.number);
        let row = RoundsRow { statement: at, reach, judged };
        let mut tracked = Tracked { row, private: Vec::new(), sums: Vec::new() };
        let mut named = Vec::new();
        for hint in hints {
            let Some(object) = program.hinted_object(hint) else { continue };
            match hint.kind {
                HintKind::Nontemporal => continue,
                HintKind::Aligned if self.is_aligned(object, hint.number) => continue,
                HintKind::Aligned => return Err("an alignment that is not that of an array"),
                _ => {}
            }
            let storage = program[object].storage;
            let automatic = matches!(storage, Storage::Automatic | Storage::Register);
            let scalar = self.scalar(program[object].ty);
            let Some(scalar) = scalar.filter(|scalar| {
                automatic && object != counted.counter && self.fits_register(object, *scalar)
            }) else {
                return Err("a clause about an object that is no simple local");
            };
            named.push(object);
            match hint.kind.reduces_by() {
                None if hint.kind == HintKind::Linear => {
                    if hint::linear(program, at, object) != Some(hint.number) {
                        return Err("a linear object that not every round changes by as much");
                    }
                    tracked.sums.push((object, false));
                }
                None => tracked.private.push((object, hint.kind == HintKind::LastPrivate)),
                Some(op) => {
                    tracked.sums.push((object, is_sum(program, at, object, op, scalar)?));
                }
            }
        }
        if let Stmt::For { condition: Some(condition), .. } = program[at]
            && named.iter().any(|object| hint::mentions(program, condition, *object) > 0)
        {
            return Err("a clause about an object that the condition of the loop reads");
        }
        if !judged {
            named.extend(&self.watch.loops[&at]);
        }
        self.in_memory.extend(counted.assigned.iter().filter(|object| !named.contains(object)));
        Ok(tracked)
    }

    /// Whether an array lies at a multiple of so many bytes, whatever a run does.
    fn is_aligned(&mut self, object: ObjectId, bytes: u32) -> bool {
        let declared = &self.program[object];
        let array = matches!(self.program.resolve(declared.ty), Type::Array { .. });
        let own = self.layouts.align_of(self.program, declared.ty).unwrap_or(1);
        array && declared.align.unwrap_or(1).max(own) >= bytes
    }

    /// Whatever is tracked begins, before the first round. Answers whether it is.
    pub(super) fn begin_rounds(&mut self, at: StmtId) -> Option<Tracked> {
        match self.tracked.get(&at)?.clone() {
            Ok(tracked) => {
                self.code.rounds.push(tracked.row);
                let row = self.code.rounds.len() as u32 - 1;
                self.emit(Op::RoundsBegin { row });
                self.forget_private(&tracked, true);
                Some(tracked)
            }
            Err(_) => None,
        }
    }

    /// A loop with a promise that cannot be judged is not run.
    pub(super) fn refuse_untracked(&mut self, at: StmtId) {
        if let Some(Err(reason)) = self.tracked.get(&at) {
            self.unsupported(*reason);
        }
    }

    /// Another round, before the condition.
    pub(super) fn next_round(&mut self, tracked: &Tracked) {
        self.emit(Op::RoundsNext);
        self.see_sums(tracked);
    }

    /// The condition holds: what is private has no value yet.
    pub(super) fn forget_private(&mut self, tracked: &Tracked, all: bool) {
        for &(object, last) in &tracked.private {
            if let (Some(dst), true) = (self.register_of(object), all || !last) {
                self.emit(Op::Forget { dst });
                self.assured.remove(dst);
            }
        }
    }

    /// The loop has ended.
    pub(super) fn end_rounds(&mut self, tracked: &Tracked) {
        self.forget_private(tracked, false);
        self.emit(Op::RoundsEnd);
    }

    fn see_sums(&mut self, tracked: &Tracked) {
        let signed = tracked.sums.iter().filter(|(_, signed)| *signed);
        for (which, (object, _)) in (0..).zip(signed) {
            let scalar = self.scalar(self.program[*object].ty);
            if let (Some(src), Some(Scalar::Int { bits, .. })) = (self.register_of(*object), scalar)
            {
                self.emit(Op::RoundsSum { src, which, bits });
            }
        }
    }

    fn register_of(&self, object: ObjectId) -> Option<Reg> {
        match self.homes.get(&object) {
            Some(Home::Register(reg)) => Some(*reg),
            _ => None,
        }
    }
}

/// Whether rounds may reduce to this object in any order, and whether its sums must be watched
/// for that.
fn is_sum(
    program: &Program,
    at: StmtId,
    object: ObjectId,
    by: BinaryOp,
    scalar: Scalar,
) -> Result<bool, &'static str> {
    let Some((op, computation)) = hint::reduction(program, at, object).filter(|(op, _)| *op == by)
    else {
        return Err("a reduction that is not one assignment in each round");
    };
    let Scalar::Int { signed, .. } = scalar else {
        return Err("a reduction of a type that has no exact sums");
    };
    let own = program[object].ty.unqualified() == computation.unqualified();
    let bitwise = matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
    match (bitwise, own, signed, op) {
        (true, ..) | (_, true, false, _) => Ok(false),
        (_, true, true, BinaryOp::Add) => Ok(true),
        _ => Err("a reduction that may overflow in another order"),
    }
}

/// Calls `visit` with the expressions of a statement, and those inside them.
fn for_each_expr_within(program: &Program, stmt: StmtId, visit: &mut impl FnMut(ExprId)) {
    let mut waiting = Vec::new();
    program[stmt].for_each_expr(|expr| waiting.push(expr));
    if let Stmt::Declare(object) = program[stmt] {
        waiting.extend(program[object].init);
    }
    while let Some(expr) = waiting.pop() {
        visit(expr);
        program[expr].kind.for_each_operand(|operand| waiting.push(operand));
    }
}
