//! Code that never runs and that the compiler must not believe: it would be undefined, and it
//! shares its operands with what runs beside it.
//!
//! One or a few statements of the [menu](crate::hostile) stand in a [`SHELLS`] that never lets
//! them run, or a value of it is never chosen.

mod shells;

use farrier_lang::{ExprId, ObjectId, Stmt, StmtId};

use super::{Enricher, Spot};
use crate::hostile::{Kitchen, Made, Near};
use shells::SHELLS;

/// The operations of the condition that keeps it from running.
const CONDITION_OPERATIONS: u64 = 12;

/// How many dead blocks get one more statement, in percent, again and again.
const MORE: u32 = 40;
const MOST: usize = 4;

/// How often another row is tried where one cannot be had.
const TRIES: u32 = 6;

/// How many values stand in live expressions, in percent; the others are assigned.
const IN_VALUES: u32 = 40;

/// What is made at one spot.
struct Hostile<'a, 'b> {
    enricher: &'a mut Enricher<'b>,
    spot: &'a Spot,
    near: Near,
}

/// Adds hostile code at a spot.
pub(super) fn add(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<()> {
    let visible = |object: ObjectId| spot.near.contains(&object) || spot.objects.contains(&object);
    let place = (spot.block, spot.stmt);
    let near = Near::of(enricher.program, place, &visible, enricher.weights);
    Hostile { enricher, spot, near }.add()
}

impl Hostile<'_, '_> {
    fn add(&mut self) -> Option<()> {
        let mut made = self.draw()?;
        if let Made::Value(value) = made {
            if self.enricher.choices.chance(IN_VALUES) && self.choose_never(value).is_some() {
                return Some(());
            }
            made = Made::Stmt(self.used(value)?);
        }
        let mut stmts: Vec<StmtId> = Vec::new();
        loop {
            let end = matches!(made, Made::End(_));
            stmts.push(match made {
                Made::Stmt(stmt) | Made::End(stmt) => stmt,
                Made::Value(value) => self.used(value)?,
            });
            if end || stmts.len() == MOST || !self.enricher.choices.chance(MORE) {
                break;
            }
            let Some(next) = self.draw() else { break };
            made = next;
        }
        let body = match stmts[..] {
            [one] if !matches!(self.enricher.program[one], Stmt::Declare(_)) => one,
            _ => self.block(&stmts),
        };
        let enricher = &mut *self.enricher;
        let rates: Vec<u32> = SHELLS.iter().map(|shell| shell.rate(enricher)).collect();
        (0..TRIES).find_map(|_| {
            let index = self.enricher.choices.weighted(&rates)?;
            (SHELLS[index].put)(self, body)
        })
    }

    /// One row of the menu that can be had here.
    fn draw(&mut self) -> Option<Made> {
        let mut kitchen = self.kitchen();
        let made = kitchen.draw();
        for label in kitchen.labels {
            let Stmt::Block(inner) = &mut self.enricher.program[label.block] else { continue };
            inner.insert(label.at, label.labelled);
        }
        made
    }

    /// A statement that uses a value.
    fn used(&mut self, value: ExprId) -> Option<StmtId> {
        self.kitchen().statement_of(Made::Value(value))
    }

    fn kitchen(&mut self) -> Kitchen<'_> {
        let enricher = &mut *self.enricher;
        Kitchen {
            program: enricher.program,
            layouts: &mut enricher.layouts,
            choices: enricher.choices,
            weights: enricher.weights,
            objects: &self.spot.objects,
            function: self.spot.function,
            near: &mut self.near,
            labels: Vec::new(),
        }
    }

    fn block(&mut self, stmts: &[StmtId]) -> StmtId {
        self.enricher.program.stmts.push(Stmt::Block(stmts.iter().copied().collect()))
    }
}
