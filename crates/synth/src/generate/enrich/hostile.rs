//! Code that never runs and that the compiler must not believe: it would be undefined, and it
//! shares its operands with what runs beside it.

use farrier_lang::{BinaryOp, Stmt, integer_type};

use super::{Enricher, Spot};

/// The operations of the condition that keeps it from running.
const CONDITION_OPERATIONS: u64 = 8;

/// Adds `if (never) x /= 0;`.
pub(super) fn add(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<()> {
    let condition = enricher.never(spot)?;
    let integers = spot.objects.iter().copied();
    let mut target = integers.filter(|object| {
        let ty = enricher.program[*object].ty;
        integer_type(enricher.program, ty).is_some() && ty.qualifiers().is_empty()
    });
    let object = target.next_back()?;
    let (place, zero) = (enricher.place(object), enricher.constant(0)?);
    let value = enricher.builder().compound_assign(BinaryOp::Div, place, zero).ok()?;
    let then = enricher.program.stmts.push(Stmt::Expr(value));
    let stmt = enricher.program.stmts.push(Stmt::If { condition, then, otherwise: None });
    enricher.insert(spot, &[stmt], CONDITION_OPERATIONS)
}
