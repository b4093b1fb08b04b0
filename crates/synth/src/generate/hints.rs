//! Hints: pragmas before the loops of a program that is otherwise complete.
//!
//! Hints that promise nothing go to any loop. Of the loops that shall get a promise, the
//! machine is asked in a run whether their rounds depend on each other, and only those of
//! which it is true get it.

use std::collections::BTreeSet;

use farrier_lang::hint::{self, Hint, HintForm, HintKind};
use farrier_lang::layout::Layouts;
use farrier_lang::{
    BinaryOp, Entity, Expr, ExprId, ExprKind, Id, Item, ObjectId, Program, Stmt, StmtId, Storage,
    Type, TypeId, integer_type,
};
use farrier_machine::{Profile, Watch};

use crate::Choices;
use crate::features::{Feature, Weights};

/// The hints that promise nothing: how often each is drawn, and the numbers in it.
#[rustfmt::skip]
const HARMLESS: &[(HintKind, u32, &[u32])] = &[
    (HintKind::Unroll, 30, &[1, 2, 3, 4, 5, 8, 16]),
    (HintKind::VectorizeEnable, 10, &[]),
    (HintKind::VectorizeDisable, 4, &[]),
    (HintKind::VectorizeWidth, 12, &[1, 2, 4, 8, 16, 32]),
    (HintKind::PredicateEnable, 10, &[]),
    (HintKind::PredicateDisable, 2, &[]),
    (HintKind::InterleaveEnable, 5, &[]),
    (HintKind::InterleaveDisable, 3, &[]),
    (HintKind::InterleaveCount, 8, &[1, 2, 4, 8]),
    (HintKind::UnrollEnable, 6, &[]),
    (HintKind::UnrollDisable, 3, &[]),
    (HintKind::UnrollFull, 4, &[]),
    (HintKind::UnrollCount, 8, &[2, 3, 4, 8]),
    (HintKind::DistributeEnable, 10, &[]),
    (HintKind::DistributeDisable, 1, &[]),
];

/// How often a loop with a hint gets another one, in percent.
const ANOTHER: u32 = 35;

/// How many loops with a promise that clang may have too get its form as well.
const FOR_CLANG: u32 = 60;

/// How many `omp simd` loops have a `safelen` that they need not have, and a `simdlen`.
const SAFELEN: u32 = 20;
const SIMDLEN: u32 = 25;

/// In percent: `omp simd` loops with `order(concurrent)`, with an `if`, and with a clause about an
/// array that they access; of these those about its alignment.
const CONCURRENT: u32 = 15;
const IFS: u32 = 10;
const ARRAYS: u32 = 30;
const ALIGNED: u32 = 70;

/// The numbers of `safelen` and `simdlen`.
const LANES: &[u32] = &[2, 4, 8, 16];

/// A `for` that shall get a promise if it is true.
pub(super) struct Candidate {
    stmt: StmtId,
    simd: bool,
    /// The objects that it reduces to, with their clauses.
    reductions: Vec<(ObjectId, HintKind)>,
    /// The objects to which each round adds a constant.
    linear: Vec<(ObjectId, u32)>,
    /// All objects that it assigns by name, and that its body does not declare.
    assigned: Vec<ObjectId>,
}

impl Candidate {
    /// The objects that its clauses except from the promise.
    fn excepted(&self) -> impl Iterator<Item = ObjectId> {
        let reductions = self.reductions.iter().map(|row| row.0);
        reductions.chain(self.linear.iter().map(|row| row.0))
    }
}

/// Draws the loops that shall get promises, and asks what their rounds do.
pub(super) fn survey(
    program: &Program,
    weights: &Weights,
    watch: &mut Watch,
    choices: &mut Choices,
) -> Vec<Candidate> {
    let (ivdep, simd) = (weights.share(Feature::Ivdep).0, weights.share(Feature::OmpSimd).0);
    if ivdep + simd == 0 {
        return Vec::new();
    }
    let addressed = addressed(program);
    let mut found = Vec::new();
    for (stmt, node) in program.stmts.iter() {
        if !matches!(node, Stmt::For { .. })
            || !choices.chance(ivdep + simd)
            || assigns_bit_field(program, stmt)
        {
            continue;
        }
        let Ok(counted) = hint::counted(program, stmt, |object| addressed[object.index()]) else {
            continue;
        };
        let can = counted.exact && simd > 0;
        let is_local = |object: &&ObjectId| {
            let local = program[**object].storage;
            can && matches!(local, Storage::Automatic | Storage::Register)
                && !addressed[object.index()]
        };
        let locals = || counted.assigned.iter().filter(is_local).copied();
        let reductions: Vec<_> =
            locals().filter_map(|it| Some((it, clause(program, stmt, it)?))).collect();
        let is_free = |object: &ObjectId| reductions.iter().all(|(other, _)| other != object);
        let linear: Vec<_> = locals()
            .filter(is_free)
            .filter_map(|it| Some((it, hint::linear(program, stmt, it)?)))
            .collect();
        // Only clauses can make something of a loop with sums.
        let drawn = choices.below(u64::from(ivdep + simd)) < u64::from(simd);
        let simd = can && (drawn || !reductions.is_empty() || !linear.is_empty());
        if !simd && ivdep == 0 {
            continue;
        }
        let assigned = counted.assigned;
        found.push(Candidate { stmt, simd, reductions, linear, assigned });
    }
    // A sum of an inner loop is carried through the outer one. To see that, the machine would keep
    // it in memory, and then the inner loop carries it too.
    let excepted: BTreeSet<ObjectId> = found.iter().flat_map(Candidate::excepted).collect();
    found.retain(|candidate| {
        let own: Vec<ObjectId> = candidate.excepted().collect();
        candidate.assigned.iter().all(|it| own.contains(it) || !excepted.contains(it))
    });
    for candidate in &found {
        watch.loops.insert(candidate.stmt, candidate.excepted().collect());
    }
    found
}

/// Whether a bit-field is assigned in a statement: the machine does not judge promises about that.
fn assigns_bit_field(program: &Program, stmt: StmtId) -> bool {
    fn in_expr(program: &Program, expr: ExprId) -> bool {
        let kind = &program[expr].kind;
        let mut found = match *kind {
            ExprKind::Assign(place, _)
            | ExprKind::CompoundAssign { target: place, .. }
            | ExprKind::Step(_, place) => program.is_bit_field(place),
            _ => false,
        };
        kind.for_each_operand(|operand| found = found || in_expr(program, operand));
        found
    }
    let mut found = match program[stmt] {
        Stmt::Declare(object) => has_bit_field(program, program[object].ty),
        _ => false,
    };
    program[stmt].for_each_expr(|expr| found = found || in_expr(program, expr));
    program[stmt].for_each_child(|child| found = found || assigns_bit_field(program, child));
    found
}

/// Whether an object of a type has bit-fields, which its initialiser assigns.
fn has_bit_field(program: &Program, ty: TypeId) -> bool {
    match *program.resolve(ty) {
        Type::Array { element, .. } => has_bit_field(program, element),
        Type::Record(record) => {
            let mut fields = program[record].fields.iter().flatten();
            fields.any(|field| field.bits.is_some() || has_bit_field(program, field.ty))
        }
        _ => false,
    }
}

/// The objects whose address is taken.
fn addressed(program: &Program) -> Vec<bool> {
    let mut addressed = vec![false; program.objects.len()];
    for expr in program.exprs.values() {
        if let ExprKind::AddressOf(operand) = expr.kind
            && let ExprKind::Object(object) = program[operand].kind
        {
            addressed[object.index()] = true;
        }
    }
    addressed
}

/// The clause for an object that a loop reduces to, if the machine can judge it.
fn clause(program: &Program, at: StmtId, object: ObjectId) -> Option<HintKind> {
    let (op, computation) = hint::reduction(program, at, object)?;
    let ty = program[object].ty;
    let signed = integer_type(program, ty)?.signed;
    let own = ty.unqualified() == computation.unqualified();
    match op {
        BinaryOp::BitAnd => Some(HintKind::ReductionAnd),
        BinaryOp::BitOr => Some(HintKind::ReductionOr),
        BinaryOp::BitXor => Some(HintKind::ReductionXor),
        BinaryOp::Add if own => Some(HintKind::ReductionAdd),
        BinaryOp::Mul if own && !signed => Some(HintKind::ReductionMultiply),
        _ => None,
    }
}

/// Adds hints to a program: promises that the profile of a run bears out, and others. Answers
/// the loops with promises.
pub(super) fn add(
    program: &mut Program,
    candidates: &[Candidate],
    profile: Option<&Profile>,
    weights: &Weights,
    choices: &mut Choices,
) -> Vec<StmtId> {
    let addressed = if candidates.is_empty() { Vec::new() } else { addressed(program) };
    let mut promised = Vec::new();
    for candidate in candidates {
        let at = candidate.stmt;
        let Some(seen) = profile.and_then(|profile| profile.rounds(at)) else { continue };
        // Whatever was added to the program may have made another loop of it.
        let counted = hint::counted(program, at, |object| {
            addressed.get(object.index()).copied().unwrap_or(true)
        });
        let still =
            |(object, kind): &(ObjectId, HintKind)| clause(program, at, *object) == Some(*kind);
        let still_linear =
            |(object, step): &(ObjectId, u32)| hint::linear(program, at, *object) == Some(*step);
        if counted.is_err()
            || !candidate.reductions.iter().all(still)
            || !candidate.linear.iter().all(still_linear)
        {
            continue;
        }
        let hints = match (candidate.simd, seen.carried) {
            (false, None) => {
                let hints = independent(choices);
                match weights.has(Feature::LoopHint) && choices.chance(ANOTHER) {
                    true => more(program, at, hints, choices),
                    false => hints,
                }
            }
            (true, carried) if carried.is_none_or(|distance| distance > 2) => {
                simd(program, candidate, carried, choices)
            }
            _ => continue,
        };
        wrap(program, at, hints);
        promised.push(at);
    }
    let share = weights.share(Feature::LoopHint).0;
    let mut free: Vec<bool> = program.stmts.values().map(Stmt::is_loop).collect();
    for stmt in program.stmts.values() {
        if let Stmt::Hinted { body, .. } = stmt {
            free[body.index()] = false;
        }
    }
    for (index, free) in free.into_iter().enumerate() {
        if free && choices.chance(share) {
            let at = StmtId::from_index(index);
            let hints = more(program, at, Vec::new(), choices);
            wrap(program, at, hints);
        }
    }
    promised
}

/// Takes the promises away again.
pub(super) fn remove(program: &mut Program, promised: &[StmtId]) {
    for at in promised {
        if let Stmt::Hinted { body, .. } = program[*at] {
            program[*at] = program[body].clone();
        }
    }
}

/// Puts hints before a loop, which moves into a statement of its own. None may change the order of
/// floating arithmetic.
fn wrap(program: &mut Program, at: StmtId, mut hints: Vec<Hint>) {
    let has_floats = || program.exprs.values().any(|expr| program.is_float_like(expr.ty));
    let regroups = hints.iter().any(|hint| hint.kind.regroups());
    if regroups && program.may_have_floats(at) && has_floats() {
        hints.retain(|hint| !hint.kind.regroups() && hint.kind.row().form != HintForm::Clause);
    }
    if program.hint_fault(&hints, at).is_none() {
        let body = program.stmts.push(program[at].clone());
        program[at] = Stmt::Hinted { hints: hints.into(), body };
    }
}

/// The promise that rounds do not depend on each other, for gcc, clang or both.
fn independent(choices: &mut Choices) -> Vec<Hint> {
    let mut hints = vec![Hint::bare(HintKind::Ivdep)];
    if choices.chance(FOR_CLANG) {
        hints.push(Hint::bare(HintKind::AssumeSafety));
    }
    hints
}

fn simd(
    program: &mut Program,
    candidate: &Candidate,
    carried: Option<u32>,
    choices: &mut Choices,
) -> Vec<Hint> {
    let mut hints = vec![Hint::bare(HintKind::Simd)];
    let safelen = match carried {
        Some(distance) => Some(distance - 1),
        None if choices.chance(SAFELEN) => Some(choices.pick(LANES)),
        None => None,
    };
    hints.extend(safelen.map(|number| Hint::counted(HintKind::Safelen, number)));
    if choices.chance(SIMDLEN) {
        let number = choices.pick(LANES).min(safelen.unwrap_or(u32::MAX));
        hints.push(Hint::counted(HintKind::Simdlen, number));
    }
    if carried.is_none() && choices.chance(CONCURRENT) {
        hints.push(Hint::bare(HintKind::Concurrent));
    }
    if choices.chance(IFS) {
        hints.push(Hint::bare(choices.pick(&[HintKind::If, HintKind::IfNot])));
    }
    let mut named: Vec<(ObjectId, HintKind, u32)> = Vec::new();
    named.extend(candidate.reductions.iter().map(|&(object, kind)| (object, kind, 0)));
    named.extend(candidate.linear.iter().map(|&(object, step)| (object, HintKind::Linear, step)));
    if choices.chance(ARRAYS)
        && let Some(array) = choices.pick_any(&arrays_in(program, candidate.stmt))
    {
        let align = Layouts::default().align_of(program, program[array].ty).unwrap_or(1);
        named.push(match choices.chance(ALIGNED) {
            true => (array, HintKind::Aligned, align),
            false => (array, HintKind::Nontemporal, 0),
        });
    }
    for (object, kind, number) in named {
        let ty = program[object].ty;
        let object = program.exprs.push(Expr { kind: ExprKind::Object(object), ty });
        hints.push(Hint { kind, number, object: Some(object) });
    }
    hints
}

/// The global arrays that a statement names, in the order of their items.
fn arrays_in(program: &Program, at: StmtId) -> Vec<ObjectId> {
    let is_array =
        |object: &ObjectId| matches!(program.resolve(program[*object].ty), Type::Array { .. });
    let globals = program.items.iter().filter_map(|item| match *item {
        Item::Define(Entity::Object(object)) => Some(object),
        _ => None,
    });
    let mut arrays: Vec<ObjectId> = globals.filter(is_array).collect();
    let mut used = vec![false; program.objects.len()];
    let mut waiting = vec![at];
    while let Some(stmt) = waiting.pop() {
        program[stmt].for_each_expr(|expr| mark_named(program, expr, &mut used));
        program[stmt].for_each_child(|child| waiting.push(child));
    }
    arrays.retain(|object| used[object.index()]);
    arrays
}

fn mark_named(program: &Program, expr: ExprId, used: &mut [bool]) {
    if let ExprKind::Object(object) = program[expr].kind {
        used[object.index()] = true;
    }
    program[expr].kind.for_each_operand(|operand| mark_named(program, operand, used));
}

/// Adds one hint or several that promise nothing.
fn more(program: &Program, at: StmtId, mut hints: Vec<Hint>, choices: &mut Choices) -> Vec<Hint> {
    let weights: Vec<u32> = HARMLESS.iter().map(|(_, weight, _)| *weight).collect();
    loop {
        let index = choices.weighted(&weights).expect("there are rows");
        let (kind, _, numbers) = HARMLESS[index];
        hints.push(Hint::counted(kind, choices.pick_any(numbers).unwrap_or(0)));
        if program.hint_fault(&hints, at).is_some() {
            hints.pop();
        }
        if !choices.chance(ANOTHER) {
            return hints;
        }
    }
}
