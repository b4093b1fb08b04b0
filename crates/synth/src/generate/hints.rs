//! Hints: pragmas before the loops of a program that is otherwise complete.
//!
//! Hints that promise nothing go to any loop. Of the loops that shall get a promise, the
//! machine is asked in a run whether their rounds depend on each other, and only those of
//! which it is true get it.

use farrier_lang::hint::{self, Hint, HintForm, HintKind};
use farrier_lang::{
    BinaryOp, Expr, ExprId, ExprKind, Id, ObjectId, Program, Stmt, StmtId, Storage, Type, TypeId,
    integer_type,
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

/// The numbers of `safelen` and `simdlen`.
const LANES: &[u32] = &[2, 4, 8, 16];

/// A `for` that shall get a promise if it is true.
pub(super) struct Candidate {
    stmt: StmtId,
    simd: bool,
    /// The objects that it reduces to, with their clauses.
    reductions: Vec<(ObjectId, HintKind)>,
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
        let simd = counted.exact && choices.below(u64::from(ivdep + simd)) < u64::from(simd);
        if !simd && ivdep == 0 {
            continue;
        }
        let clause = |object: &ObjectId| {
            let local = program[*object].storage;
            let fits = simd
                && matches!(local, Storage::Automatic | Storage::Register)
                && !addressed[object.index()];
            Some((*object, clause(program, stmt, *object).filter(|_| fits)?))
        };
        let reductions: Vec<_> = counted.assigned.iter().filter_map(clause).collect();
        watch.loops.insert(stmt, reductions.iter().map(|(object, _)| *object).collect());
        found.push(Candidate { stmt, simd, reductions });
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
        if counted.is_err() || !candidate.reductions.iter().all(still) {
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
    for &(object, kind) in &candidate.reductions {
        let ty = program[object].ty;
        let object = program.exprs.push(Expr { kind: ExprKind::Object(object), ty });
        hints.push(Hint { object: Some(object), ..Hint::bare(kind) });
    }
    hints
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
