//! Which locals in registers certainly have a value.

use crate::code::Reg;

/// The locals in registers that have a value wherever what is lowered next runs: those that
/// were given one before, in a statement that is not inside a branch.
#[derive(Debug, Default)]
pub(super) struct Assured {
    /// Whether control comes to a statement only by way of those before it.
    pub(super) possible: bool,
    /// By register.
    registers: Vec<bool>,
    /// In the order in which they came.
    trail: Vec<Reg>,
}

impl Assured {
    pub(super) fn contains(&self, reg: Reg) -> bool {
        self.registers.get(reg as usize).copied().unwrap_or(false)
    }

    pub(super) fn insert(&mut self, reg: Reg) {
        let index = reg as usize;
        if self.possible && !self.contains(reg) {
            self.registers.resize(self.registers.len().max(index + 1), false);
            self.registers[index] = true;
            self.trail.push(reg);
        }
    }

    /// The register is that of another local now.
    pub(super) fn remove(&mut self, reg: Reg) {
        if let Some(known) = self.registers.get_mut(reg as usize) {
            *known = false;
        }
    }

    /// Where a branch begins: what it assures holds only inside it.
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    pub(super) fn back_to(&mut self, mark: usize) {
        for reg in self.trail.drain(mark..) {
            self.registers[reg as usize] = false;
        }
    }
}
