//! `setjmp` and `longjmp`, C11 7.13.

use farrier_lang::{Qualifiers, TypeId};

use rustc_hash::FxHashSet;

use super::{DEAD, Machine};
use crate::aliasing;
use crate::code::{CallResult, Position, Reg};
use crate::kinds::UbKind;
use crate::memory::Location;
use crate::value::Value;
use crate::verdict::{Checked, undefined, unsupported};

/// The bytes of the number of a call of `setjmp`.
const NUMBER_BYTES: u32 = 8;

/// A call of `setjmp`: where it was, and what the locals of its function were then.
#[derive(Debug)]
pub(super) struct Jump {
    /// The serial number of the frame.
    frame: u64,
    position: Position,
    result: Option<Reg>,
    registers: Vec<Value>,
    /// The slots of the locals in memory.
    locals: Vec<u32>,
    /// When it was, on the clock of changes.
    time: u64,
}

impl Machine<'_> {
    /// The buffer that is given to `setjmp` and `longjmp`: it holds the number of the
    /// call, so that a copy of it is as good.
    fn buffer(&self, arguments: &[(Value, TypeId)]) -> Checked<Location> {
        let pointer = crate::library::argument(arguments, 0)?;
        self.memory.locate(pointer, NUMBER_BYTES.into(), 1)
    }

    /// Forgets the calls whose functions have returned.
    pub(super) fn forget_dead_jumps(&mut self) {
        let frames: FxHashSet<u64> = self.frames.iter().map(|frame| frame.serial).collect();
        self.jumps.retain(|_, jump| frames.contains(&jump.frame));
        if self.jumps.is_empty() {
            self.memory.forget_changes();
        }
    }

    pub(super) fn set_jump(
        &mut self,
        arguments: &[(Value, TypeId)],
        result: CallResult,
    ) -> Checked<Value> {
        let buffer = self.buffer(arguments)?;
        self.check_writable(buffer)?;
        if self.jumps.len() >= self.jumps_checked_at {
            self.forget_dead_jumps();
            self.jumps_checked_at = (2 * self.jumps.len()).max(64);
        }
        let frame = self.frames.last().expect("a frame is active");
        if self.memory.order.open() > frame.open {
            return unsupported("setjmp inside an expression whose order matters");
        }
        let code = self.code(frame.function);
        let registers = self.registers[frame.base..frame.base + code.registers as usize].to_vec();
        let locals = self.locals[frame.locals..].to_vec();
        let time = self.memory.watch_changes(locals.iter().copied().filter(|slot| *slot != DEAD));
        let jump = Jump {
            frame: frame.serial,
            position: frame.position,
            result: match result {
                CallResult::Register(reg) => Some(reg),
                _ => None,
            },
            registers,
            locals,
            time,
        };
        self.frames.last_mut().expect("a frame is active").attached().jumps = true;
        self.serial += 1;
        self.jumps.insert(self.serial, jump);
        self.memory.write(buffer, NUMBER_BYTES, self.serial.into(), 0)?;
        Ok(Value::int(0))
    }

    /// Goes back to a call of `setjmp`. What was written since then among the locals of
    /// its function has no value any more (7.13.2.1p3), unless it is volatile.
    pub(super) fn long_jump(&mut self, arguments: &[(Value, TypeId)]) -> Checked {
        let buffer = self.buffer(arguments)?;
        let value = crate::library::argument(arguments, 1)?.low as i32;
        if self.memory.is_missing(buffer, NUMBER_BYTES.into()) {
            return undefined(UbKind::DeadJump, "setjmp was not called with this buffer");
        }
        let (number, _) = self.memory.read(buffer, NUMBER_BYTES)?;
        let Some(jump) = self.jumps.remove(&(number as u64)) else {
            return undefined(
                UbKind::DeadJump,
                "setjmp was not called with this buffer, or its function has returned",
            );
        };
        let Some(index) = self.frames.iter().rposition(|frame| frame.serial == jump.frame) else {
            return undefined(UbKind::DeadJump, "the function that called setjmp has returned");
        };
        if index + 1 < self.bottom {
            return unsupported("longjmp out of a function that the library called");
        }
        if self.memory.order.promised_depth() > index + 1 {
            self.memory.order.check_effect("does not return")?;
        }
        while self.frames.len() > index + 1 {
            self.pop_frame();
        }
        let frame = self.frames.last_mut().expect("the frame of setjmp");
        frame.position = jump.position + 1;
        let (function, base, locals, open) = (frame.function, frame.base, frame.locals, frame.open);
        self.memory.order.unwind(open);
        for (offset, old) in jump.registers.iter().enumerate() {
            let register = &mut self.registers[base + offset];
            if *register != *old {
                *register = Value::UNINITIALISED;
            }
        }
        for (index, slot) in jump.locals.iter().enumerate() {
            let now = self.locals[locals + index];
            let local = self.code(function).locals[index];
            match *slot {
                DEAD => self.leave(function, locals, index as u32),
                _ if now == DEAD && local.variable => {
                    return unsupported("longjmp into the block of a variable-length array");
                }
                _ if now == DEAD => self.enter(function, locals, index as u32)?,
                slot if now == slot => self.forget_changed(slot, local.ty, jump.time),
                _ => {}
            }
        }
        if let Some(result) = jump.result {
            self.registers[base + result as usize] =
                Value::int(if value == 0 { 1 } else { value.into() });
        }
        self.jumps.insert(number as u64, jump);
        Ok(())
    }

    /// The bytes of a local that were written since then have no value any more.
    fn forget_changed(&mut self, slot: u32, ty: TypeId, time: u64) {
        for byte in self.memory.changed_since(slot, time) {
            let layouts = &mut self.layouts;
            let volatile = Qualifiers::VOLATILE;
            if !aliasing::qualified_at(self.program, layouts, ty, byte, volatile) {
                self.memory.forget_byte(Location::new(slot, byte));
            }
        }
    }
}
