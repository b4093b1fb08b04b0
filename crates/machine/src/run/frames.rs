//! The frames of calls, and the life of the objects in them.

use farrier_lang::FunctionId;

use super::{DEAD, Frame, Machine};
use crate::memory::Origin;
use crate::value::Value;
use crate::verdict::{At, Checked, Limit, Stop};

/// Dead variable arrays up to this size are used again.
const KEPT_BYTES: u64 = 1 << 14;

impl Machine<'_> {
    pub(super) fn push_frame(&mut self, function: Option<FunctionId>, base: usize) -> Checked {
        if self.frames.len() >= self.options.depth {
            return Err(Box::new(Stop::Exhausted(Limit::Depth(self.options.depth))));
        }
        let code = self.code(function);
        let (registers, locals) = (code.registers as usize, code.locals.len());
        if self.registers.len() < base + registers {
            self.registers.resize((base + registers).next_power_of_two(), Value::default());
        }
        self.serial += 1;
        self.frames.push(Frame {
            function,
            position: 0,
            base,
            locals: self.locals.len(),
            serial: self.serial,
            open: self.memory.order.open(),
            attached: None,
        });
        self.memory.order.set_depth(self.frames.len());
        if locals > 0 {
            self.locals.resize(self.locals.len() + locals, DEAD);
        }
        Ok(())
    }

    /// Ends the innermost call: its locals die.
    pub(super) fn pop_frame(&mut self) {
        let frame = self.frames.pop().expect("a frame is active");
        for index in frame.locals..self.locals.len() {
            let slot = self.locals[index];
            if slot != DEAD {
                self.retire(frame.function, (index - frame.locals) as u32, slot);
            }
        }
        self.locals.truncate(frame.locals);
        if let Some(attached) = frame.attached {
            for slot in attached.owned {
                self.memory.kill(slot);
                self.memory.release(slot);
            }
            if attached.jumps {
                self.forget_dead_jumps();
            }
        }
        self.memory.order.unwind(frame.open);
        self.memory.order.set_depth(self.frames.len());
        if self.memory.order.is_active() {
            self.memory.order.end_promises(self.frames.len());
            self.memory.order.compact();
        }
    }

    pub(super) fn retire(&mut self, function: Option<FunctionId>, local: u32, slot: u32) {
        self.memory.kill(slot);
        let local = &self.code(function).locals[local as usize];
        match local.object {
            Some(_) if local.variable => {
                // Small ones are kept for the next of the same size.
                let key = (self.memory.slots[slot as usize].size, local.align);
                if key.0 <= KEPT_BYTES {
                    self.size_pools.entry(key).or_default().push(slot);
                } else {
                    self.memory.release(slot);
                }
            }
            Some(object) => self.pools.entry(object).or_default().push(slot),
            None => {
                let key = (local.size, local.align);
                self.size_pools.entry(key).or_default().push(slot);
            }
        }
    }

    pub(super) fn enter(
        &mut self,
        function: Option<FunctionId>,
        base: usize,
        local: u32,
    ) -> Checked {
        let index = base + local as usize;
        if self.locals[index] != DEAD {
            let slot = self.locals[index];
            self.retire(function, local, slot);
        }
        let local = self.code(function).locals[local as usize];
        let origin = match (local.object, local.at) {
            (Some(object), _) => Origin::Object(object),
            (None, At::Expr(expr)) => Origin::Temporary(expr),
            (None, _) => Origin::Heap,
        };
        let pool = match local.object {
            Some(object) => self.pools.get_mut(&object),
            None => self.size_pools.get_mut(&(local.size, local.align)),
        };
        let slot = match pool.and_then(Vec::pop) {
            Some(slot) => {
                self.memory.revive(slot);
                let revived = &mut self.memory.slots[slot as usize];
                revived.origin = origin;
                self.memory.declare(slot, local.ty)?;
                slot
            }
            None => self.memory.allocate(origin, local.size, local.align, Some(local.ty))?,
        };
        self.memory.slots[slot as usize].constant = false;
        self.locals[index] = slot;
        Ok(())
    }

    pub(super) fn leave(&mut self, function: Option<FunctionId>, base: usize, local: u32) {
        let index = base + local as usize;
        let slot = std::mem::replace(&mut self.locals[index], DEAD);
        if slot != DEAD {
            self.retire(function, local, slot);
            if self.code(function).locals[local as usize].variable {
                self.end_alloca_after(slot);
            }
        }
    }
}
