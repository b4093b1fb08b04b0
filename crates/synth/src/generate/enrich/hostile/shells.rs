//! What keeps hostile code from running.

use farrier_lang::{ExprId, ExprKind, IntKind, LogicalOp, Program, Stmt, StmtId, Storage, Type};

use super::{CONDITION_OPERATIONS, Hostile};
use crate::features::Feature;
use crate::generate::enrich::Enricher;

/// A statement around a body that never runs.
pub(super) struct Shell {
    weight: u32,
    needs: &'static [Feature],
    /// Puts the body there; `None` if it cannot stand here.
    pub(super) put: fn(&mut Hostile<'_, '_>, StmtId) -> Option<()>,
}

const fn shell(
    weight: u32,
    needs: &'static [Feature],
    put: fn(&mut Hostile<'_, '_>, StmtId) -> Option<()>,
) -> Shell {
    Shell { weight, needs, put }
}

/// Every shell.
#[rustfmt::skip]
pub(super) static SHELLS: &[Shell] = &[
    shell(24, &[Feature::If], branch),
    shell(8, &[Feature::If, Feature::Unary], other_branch),
    shell(6, &[Feature::Switch], case_that_never_comes),
    shell(4, &[Feature::While], |it, body| loop_without_rounds(it, body, true)),
    shell(4, &[Feature::For], |it, body| loop_without_rounds(it, body, false)),
    shell(12, &[], where_nothing_runs),
];

impl Shell {
    /// How often it is drawn.
    pub(super) fn rate(&self, enricher: &Enricher<'_>) -> u32 {
        match self.needs.iter().all(|need| enricher.weights.has(*need)) {
            true => self.weight,
            false => 0,
        }
    }
}

/// `if (never) body`
fn branch(hostile: &mut Hostile<'_, '_>, body: StmtId) -> Option<()> {
    let condition = hostile.enricher.never(hostile.spot)?;
    let stmt = Stmt::If { condition, then: body, otherwise: None };
    let stmt = hostile.enricher.program.stmts.push(stmt);
    hostile.enricher.insert(hostile.spot, &[stmt], CONDITION_OPERATIONS)
}

/// `if (!never) statement else body`, or the same the other way around.
fn other_branch(hostile: &mut Hostile<'_, '_>, body: StmtId) -> Option<()> {
    let spot = hostile.spot;
    let program = &*hostile.enricher.program;
    let movable = matches!(
        program[spot.stmt],
        Stmt::Expr(_) | Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. }
    );
    if !movable {
        return None;
    }
    let never = hostile.enricher.never(spot)?;
    // A branch that is an `if` itself could take the `else`.
    let live = hostile.block(&[spot.stmt]);
    let (condition, then, otherwise) = match hostile.enricher.choices.chance(50) {
        true => (never, body, live),
        false => {
            let always = hostile.enricher.builder().unary(farrier_lang::UnaryOp::Not, never);
            (always.ok()?, live, body)
        }
    };
    let then = match hostile.enricher.program[then] {
        Stmt::Block(_) => then,
        _ => hostile.block(&[then]),
    };
    let stmt = Stmt::If { condition, then, otherwise: Some(otherwise) };
    let stmt = hostile.enricher.program.stmts.push(stmt);
    hostile.enricher.charge(spot, CONDITION_OPERATIONS)?;
    hostile.enricher.replace(spot, stmt)
}

/// `switch (x) { case 17: body }`, where it is never that.
fn case_that_never_comes(hostile: &mut Hostile<'_, '_>, body: StmtId) -> Option<()> {
    let enricher = &mut *hostile.enricher;
    let known = enricher.ranges(hostile.spot);
    let (object, integer, (low, high)) = enricher.choices.pick_any(&known)?;
    let distance = 1 + enricher.choices.below(9) as i128;
    let case = enricher.choices.pick(&[low.checked_sub(distance)?, high.checked_add(distance)?]);
    if !integer.contains(case) || integer.bits > 64 {
        return None;
    }
    let value = enricher.load(object);
    let value = enricher.builder().promote(value);
    let ty = enricher.program.type_of(value);
    let case = enricher.program.integer(case, ty)?;
    let case = Stmt::Case { first: case, last: None, body };
    let case = enricher.program.stmts.push(case);
    let body = hostile.block(&[case]);
    let stmt = hostile.enricher.program.stmts.push(Stmt::Switch { value, body });
    hostile.enricher.insert(hostile.spot, &[stmt], CONDITION_OPERATIONS)
}

/// `while (never) body`
fn loop_without_rounds(hostile: &mut Hostile<'_, '_>, body: StmtId, plain: bool) -> Option<()> {
    let condition = hostile.enricher.never(hostile.spot)?;
    let stmt = match plain {
        true => Stmt::While { condition, body },
        false => Stmt::For { init: [].into(), condition: Some(condition), step: None, body },
    };
    let stmt = hostile.enricher.program.stmts.push(stmt);
    hostile.enricher.insert(hostile.spot, &[stmt], CONDITION_OPERATIONS)
}

/// The body alone, in code that never runs.
fn where_nothing_runs(hostile: &mut Hostile<'_, '_>, body: StmtId) -> Option<()> {
    match hostile.enricher.visits(hostile.spot) {
        0 => hostile.enricher.insert(hostile.spot, &[body], 0),
        _ => None,
    }
}

impl Hostile<'_, '_> {
    /// Puts a value that is hostile into an expression that runs, where it is never chosen:
    /// `never ? value : expression` or `condition || never && value`.
    pub(super) fn choose_never(&mut self, value: ExprId) -> Option<()> {
        let program = &*self.enricher.program;
        let root = root_of(program, self.spot.stmt)?;
        let mut found = Vec::new();
        candidates(program, root, true, &mut found);
        let condition = matches!(program[self.spot.stmt], Stmt::If { .. });
        let has = |feature| self.enricher.weights.has(feature);
        let logical = condition && has(Feature::Logical);
        if !logical && (found.is_empty() || !has(Feature::Ternary)) {
            return None;
        }
        let never = self.enricher.never(self.spot)?;
        let logical = logical
            && (found.is_empty() || !has(Feature::Ternary) || self.enricher.choices.chance(40));
        let place = if logical { root } else { self.enricher.choices.pick(&found) };
        let expr = self.enricher.program[place].clone();
        let old = self.enricher.program.exprs.push(expr.clone());
        let new = match logical {
            true => {
                let mut builder = self.enricher.builder();
                let dead = builder.logical(LogicalOp::And, never, value).ok()?;
                builder.logical(LogicalOp::Or, old, dead).ok()?
            }
            false => {
                let mut builder = self.enricher.builder();
                let value = builder.value(value);
                let new = builder.conditional(never, Some(value), old).ok()?;
                if builder.program.type_of(new) != expr.ty {
                    return None;
                }
                new
            }
        };
        self.enricher.charge(self.spot, CONDITION_OPERATIONS)?;
        let text = farrier_lang::print::print_expr(self.enricher.program, new).len();
        let before = farrier_lang::print::print_expr(self.enricher.program, old).len();
        self.enricher.spend(text - before.min(text));
        self.enricher.program[place] = self.enricher.program[new].clone();
        Some(())
    }
}

/// The value that a statement computes before it does anything, and once.
fn root_of(program: &Program, stmt: StmtId) -> Option<ExprId> {
    let root = match program[stmt] {
        Stmt::Expr(expr) => match program[expr].kind {
            ExprKind::Assign(target, value) | ExprKind::CompoundAssign { target, value, .. }
                if !program.has_effect(target) =>
            {
                value
            }
            _ => return None,
        },
        Stmt::If { condition, .. } => condition,
        Stmt::Switch { value, .. } => value,
        Stmt::Return(value) => value?,
        Stmt::Declare(object) if program[object].storage == Storage::Automatic => {
            program[object].init?
        }
        _ => return None,
    };
    let scalar = program.is_scalar(program.type_of(root));
    (scalar && !program.has_effect(root)).then_some(root)
}

/// Expressions that can become a choice of their type: an operator or a variable of a type
/// that promotions leave as it is, and not what a guard is about.
fn candidates(program: &Program, id: ExprId, free: bool, found: &mut Vec<ExprId>) {
    let expr = &program[id];
    let fits = match expr.kind {
        ExprKind::Binary(..) => true,
        ExprKind::Load(place) => matches!(program[place].kind, ExprKind::Object(_)),
        _ => false,
    };
    let wide = matches!(*program.resolve(expr.ty), Type::Int(kind)
        if kind.rank() >= IntKind::Int.rank() && kind.rank() <= IntKind::LongLong.rank());
    if free && fits && wide && !program.is_fixed(id) {
        found.push(id);
    }
    let guard = matches!(expr.kind, ExprKind::Guard { .. });
    expr.kind.for_each_operand(|operand| candidates(program, operand, !guard, found));
}
