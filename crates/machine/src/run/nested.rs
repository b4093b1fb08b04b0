//! Functions inside functions, an extension of GNU C: a call of one knows the call of the
//! function around it.

use farrier_lang::{FunctionId, Id};

use super::{DEAD, Machine};
use crate::kinds::UbKind;
use crate::memory::Origin;
use crate::value::Value;
use crate::verdict::{Checked, undefined, unsupported};

impl Machine<'_> {
    #[inline]
    pub(super) fn is_nested(&self, function: FunctionId) -> bool {
        self.lowered.codes[function.index()].nested
    }

    /// Links the call that has just begun to the call of the function around it: the one that
    /// the pointer was made in, or that the caller is inside.
    #[cold]
    pub(super) fn link(&mut self, callee: FunctionId, pointer: Option<Value>) -> Checked {
        let inner = self.frames.len() - 1;
        let outer = match pointer.and_then(|pointer| self.memory.slot_of(pointer.high)) {
            Some((slot, _)) => self.nested_calls.get(&slot).copied(),
            None => self.call_around(callee, inner - 1),
        };
        let Some(outer) = outer else { return unsupported("this call of a nested function") };
        self.frames[inner].attached().outer = outer;
        Ok(())
    }

    /// The call of the function around `inner` that a call is inside, or is itself.
    fn call_around(&self, inner: FunctionId, from: usize) -> Option<usize> {
        let around = self.lowered.parent(inner)?;
        let mut call = from;
        while self.frames[call].function != Some(around) {
            call = self.frames[call].attached.as_ref()?.outer;
        }
        Some(call)
    }

    /// The call that is so many functions outside the one that runs now.
    fn call_outside(&self, levels: u32) -> usize {
        let mut call = self.frames.len() - 1;
        for _ in 0..levels {
            call = self.frames[call].attached.as_ref().map_or(call, |attached| attached.outer);
        }
        call
    }

    /// A pointer to a function inside another. It is good while the call around it is active,
    /// and all that are made in that call are equal.
    pub(super) fn nested_address(&mut self, function: FunctionId) -> Checked<Value> {
        let Some(call) = self.call_around(function, self.frames.len() - 1) else {
            return unsupported("the address of this nested function");
        };
        let attached = self.frames[call].attached();
        let known = attached.nested.iter().find(|(id, _)| *id == function);
        let slot = match known {
            Some((_, slot)) => *slot,
            None => {
                let slot = self.memory.allocate(Origin::Function(function), 0, 16, None)?;
                let attached = self.frames[call].attached();
                attached.nested.push((function, slot));
                attached.owned.push(slot);
                self.nested_calls.insert(slot, call);
                slot
            }
        };
        Ok(self.memory.pointer_to(slot))
    }

    /// A pointer to a local of a function around the one that runs.
    pub(super) fn outer_address(&self, local: u32, levels: u32) -> Checked<Value> {
        let call = self.call_outside(levels);
        let slot = self.locals[self.frames[call].locals + local as usize];
        if slot == DEAD {
            return undefined(UbKind::Dangling, "the block of this object has ended");
        }
        Ok(self.memory.pointer_to(slot))
    }

    /// Jumps to a label of a function around the one that runs: the calls inside end.
    #[cold]
    pub(super) fn jump_out(&mut self, label: u32, levels: u32) -> Checked {
        let call = self.call_outside(levels);
        if call + 1 < self.bottom {
            return unsupported("a jump out of a function that the library called");
        }
        if self.memory.order.promised_depth() > call + 1 {
            self.memory.order.check_effect("does not return")?;
        }
        while self.frames.len() > call + 1 {
            self.pop_frame();
        }
        let frame = self.frames.last().expect("the call of the label");
        let (function, locals) = (frame.function, frame.locals);
        self.memory.order.unwind(frame.open);
        let code = self.code(function).clone();
        let Some(landing) = code.landings.get(&label) else {
            return unsupported("a label of another function");
        };
        for (index, local) in code.locals.iter().enumerate() {
            let alive = self.locals[locals + index] != DEAD;
            let before = landing.locals.contains(&(index as u32));
            let stays = landing.blocks.contains(&local.block) && (before || !local.variable);
            if alive && !stays {
                self.leave(function, locals, index as u32);
            } else if !alive && before && local.variable {
                return undefined(
                    UbKind::GotoIntoVla,
                    "this jump enters the scope of a variable-length array",
                );
            } else if !alive && before && local.object.is_some() {
                self.enter(function, locals, index as u32)?;
            }
        }
        self.frames.last_mut().expect("the call of the label").position = landing.position;
        Ok(())
    }
}
