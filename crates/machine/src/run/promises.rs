//! Promises to the compiler, while a program runs.

use farrier_lang::{FunctionId, Type};

use super::Machine;
use crate::code::Promise;
use crate::kinds::{Cause, UbKind};
use crate::lower::promises::{find_attribute, numbers};
use crate::memory::Origin;
use crate::value::{Scalar, Value};
use crate::verdict::{Checked, Stop, undefined, unspecified, unsupported};

fn is_null(value: Value) -> bool {
    value.low == 0 && value.high == 0
}

impl Machine<'_> {
    /// Checks a promise about an argument or the result of the function that runs now.
    pub(super) fn check_promise(
        &mut self,
        function: Option<FunctionId>,
        base: usize,
        promise: u32,
        value: Value,
    ) -> Checked {
        let reg = |reg: u32| self.registers[base + reg as usize];
        match self.code(function).promises[promise as usize] {
            Promise::Argument(number) if is_null(value) => undefined(
                UbKind::BrokenPromise,
                format!("argument {number} is null, and the function is `nonnull`"),
            ),
            Promise::Argument(_) => Ok(()),
            Promise::Arguments => self.check_more_arguments(),
            Promise::Bytes(bytes) => {
                if !is_null(value) && self.memory.locate(value, bytes, 1).is_ok() {
                    return Ok(());
                }
                let message = format!("`static` promises {bytes} bytes, which are not there");
                undefined(UbKind::BrokenPromise, message)
            }
            Promise::Result if is_null(value) => undefined(
                UbKind::BrokenPromise,
                "a function that is `returns_nonnull` returns null",
            ),
            Promise::Result => Ok(()),
            Promise::New { since } => self.check_new(value, reg(since).low),
            Promise::Size { count, size } => {
                let size = size.map_or(1, |size| reg(size).low);
                self.check_promised_size(value, reg(count).low.checked_mul(size))
            }
            Promise::Aligned { align, offset } => {
                self.check_aligned(value, reg(align).low, u64::from(offset))
            }
        }
    }

    /// The functions with the attribute `constructor` or `destructor`, the lowest priority
    /// first. The order of two with the same priority is that of the linker.
    pub(super) fn run_by_itself(&mut self, name: &str) -> Checked<Vec<FunctionId>> {
        let mut found = Vec::new();
        for (id, function) in self.program.functions.iter() {
            let Some(attribute) = find_attribute(self.program, &function.attributes, name) else {
                continue;
            };
            let priority = match numbers(attribute).as_deref() {
                Some([]) => u32::from(u16::MAX),
                Some([priority]) => *priority,
                _ => return unsupported(format!("this priority of a `{name}`")),
            };
            if function.body.is_none() || !function.parameters.is_empty() {
                return unsupported(format!("a `{name}` without a body or with parameters"));
            }
            found.push((priority, id));
        }
        found.sort_unstable();
        if let Some(pair) = found.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            // The second is the place to show.
            self.make_ready(pair[1].1)?;
            self.push_frame(Some(pair[1].1), 0)?;
            let message = format!("two functions with `{name}` have the same priority");
            return unspecified(Cause::Compiler, message);
        }
        Ok(found.into_iter().map(|(_, id)| id).collect())
    }

    /// The arguments that have no parameter.
    fn check_more_arguments(&self) -> Checked {
        let frame = self.frames.last().expect("a frame is active");
        let null = frame.extra().iter().any(|(value, ty)| {
            is_null(*value) && Scalar::of(self.program, *ty) == Some(Scalar::Pointer)
        });
        if null {
            let message = "an argument is null, and the function is `nonnull`";
            return undefined(UbKind::BrokenPromise, message);
        }
        Ok(())
    }

    /// `malloc`: the result is memory that was not there when the function was called, no
    /// pointer is in it, and no other pointer leads to it.
    fn check_new(&self, value: Value, since: u64) -> Checked {
        if is_null(value) {
            return Ok(());
        }
        let at = self.memory.locate(value, 0, 1)?;
        let slot = &self.memory.slots[at.slot as usize];
        if slot.born() < since {
            // Memory that is given out in pieces is new in a way that is not tracked.
            let pieces = slot.declared.is_none_or(|ty| match *self.program.resolve(ty) {
                Type::Array { element, .. } => crate::aliasing::is_character(self.program, element),
                _ => false,
            });
            if pieces {
                return unsupported("a `malloc` function that returns a piece of older memory");
            }
            let message = "a function that is `malloc` returns an object that was there before";
            return undefined(UbKind::BrokenPromise, message);
        }
        if slot.holds_pointers() {
            let message = "a function that is `malloc` returns memory with a pointer in it";
            return undefined(UbKind::BrokenPromise, message);
        }
        self.check_unknown(at.slot, since)
    }

    /// No pointer to a slot is anywhere but in the objects of calls that began at a time or
    /// later, which are about to end.
    fn check_unknown(&self, slot: u32, since: u64) -> Checked {
        let memory = &self.memory;
        let leads = |provenance: &u64| {
            *provenance != 0 && memory.slot_of(*provenance) == Some((slot, true))
        };
        for other in memory.slots.iter().filter(|other| other.points(leads)) {
            if other.born() < since {
                let message = "a function that is `malloc` returns memory that another pointer, \
                               which is there after the call, leads to";
                return undefined(UbKind::BrokenPromise, message);
            }
            if matches!(other.origin, Origin::Heap) {
                return unsupported("a `malloc` function whose new memory points to its result");
            }
        }
        Ok(())
    }

    /// `alloc_size`: the result has so many bytes.
    fn check_promised_size(&self, value: Value, bytes: Option<u64>) -> Checked {
        if is_null(value) {
            return Ok(());
        }
        match bytes {
            Some(bytes) if self.memory.locate(value, bytes, 1).is_ok() => {
                if self.memory.locate(value, bytes + 1, 1).is_ok() {
                    return unsupported(
                        "an `alloc_size` function that returns more memory than that",
                    );
                }
                Ok(())
            }
            _ => undefined(
                UbKind::BrokenPromise,
                "a function that is `alloc_size` returns less memory than that",
            ),
        }
    }

    /// The pointer, less the offset, is a multiple of the alignment.
    pub(crate) fn check_aligned(&self, value: Value, align: u64, offset: u64) -> Checked {
        let Some(align) = u32::try_from(align).ok().filter(|align| align.is_power_of_two()) else {
            return unsupported("an alignment that is no power of two");
        };
        let start = Value { low: value.low.wrapping_sub(offset), ..value };
        if is_null(value) || is_null(start) {
            return Ok(());
        }
        match self.memory.locate(start, 0, align) {
            Ok(_) => Ok(()),
            Err(stop) => match *stop {
                Stop::Undefined(UbKind::Misaligned, _) => {
                    let message = format!("a pointer is not aligned to {align}, as is promised");
                    undefined(UbKind::BrokenPromise, message)
                }
                _ => Err(stop),
            },
        }
    }
}
