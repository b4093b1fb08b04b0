//! Code that never runs and that the compiler must not believe: it would be undefined, and it
//! shares its operands with what runs beside it.
//!
//! A row of [`MENU`] makes one statement or one value that is hostile. One or a few of them
//! stand in a [`SHELLS`] that never lets them run, or in a value that is never chosen.

mod menu;
mod near;
mod shells;

use farrier_lang::{Stmt, StmtId};

use super::{Enricher, Spot};
use menu::{MENU, Made};
use near::Near;
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
    let near = Near::of(enricher.program, spot, enricher.weights);
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
        let weights = self.enricher.weights;
        let rate = |dish: &menu::Dish| match dish.needs.iter().all(|need| weights.has(*need)) {
            true => dish.weight,
            false => 0,
        };
        let rates: Vec<u32> = MENU.iter().map(rate).collect();
        (0..TRIES).find_map(|_| {
            let index = self.enricher.choices.weighted(&rates)?;
            (MENU[index].make)(self)
        })
    }

    fn block(&mut self, stmts: &[StmtId]) -> StmtId {
        self.enricher.program.stmts.push(Stmt::Block(stmts.iter().copied().collect()))
    }
}
