//! Pointers into memory: what they point to, and where they may be moved.

use super::{Location, Memory, Origin, provenance_of};
use crate::kinds::{Cause, UbKind};
use crate::value::Value;
use crate::verdict::{Checked, undefined, unspecified, unsupported};
use crate::views::view_of;

impl Memory {
    /// A pointer to the start of an allocation that is alive.
    pub(crate) fn pointer_to(&self, slot: u32) -> Value {
        let index = slot as usize;
        let slot = &self.slots[index];
        Value { low: slot.address, high: provenance_of(index, slot.generation) }
    }

    /// The slot that a provenance names, and whether it is still that allocation.
    pub(crate) fn slot_of(&self, provenance: u64) -> Option<(u32, bool)> {
        let provenance = match provenance as u32 {
            0 => self.views.plain(provenance),
            _ => provenance,
        };
        let index = (provenance & u64::from(u32::MAX)).checked_sub(1)? as u32;
        let slot = self.slots.get(index as usize)?;
        Some((index, u64::from(slot.generation) == provenance >> 32 && slot.alive))
    }

    /// Whether a pointer points to an object that is gone: then it has no value, C11 6.2.4p2.
    #[inline]
    pub(crate) fn is_dangling(&self, pointer: Value) -> bool {
        let index = (pointer.high as u32).wrapping_sub(1);
        match self.slots.get(index as usize) {
            Some(slot) if slot.alive && u64::from(slot.generation) == pointer.high >> 32 => false,
            _ => matches!(self.slot_of(pointer.high), Some((_, false))),
        }
    }

    /// Whether a provenance is of the last allocation in its slot, which is dead.
    pub(crate) fn is_last_life(&self, provenance: u64) -> bool {
        match self.slot_of(provenance) {
            Some((slot, false)) => {
                let slot = &self.slots[slot as usize];
                let life = (self.views.plain(provenance) >> 32) as u32;
                !slot.alive && slot.generation == life.wrapping_add(1)
            }
            _ => false,
        }
    }

    /// Says in words what a slot is, for messages; filled in by the caller's names.
    fn check_alive(&self, pointer: Value) -> Checked<u32> {
        match self.slot_of(pointer.high) {
            Some((slot, true)) => Ok(slot),
            Some((_, false)) => {
                undefined(UbKind::Dangling, "the object that this pointer points to is gone")
            }
            None if pointer.low == 0 => undefined(UbKind::NullDereference, "this pointer is null"),
            None => undefined(
                UbKind::InvalidPointer,
                format!("this pointer ({:#x}) does not point to an object", pointer.low),
            ),
        }
    }

    /// Checks that `size` bytes can be accessed through `pointer`.
    #[inline]
    pub(crate) fn locate(&self, pointer: Value, size: u64, align: u32) -> Checked<Location> {
        let index = (pointer.high as u32).wrapping_sub(1);
        if let Some(slot) = self.slots.get(index as usize)
            && slot.alive
            && u64::from(slot.generation) == pointer.high >> 32
        {
            let offset = pointer.low.wrapping_sub(slot.address);
            if offset.checked_add(size).is_some_and(|end| end <= slot.size)
                && pointer.low & u64::from(align - 1) == 0
                && slot.align >= align
            {
                return Ok(Location::new(index, offset));
            }
        }
        self.locate_failed(pointer, size, align)
    }

    #[cold]
    fn locate_failed(&self, pointer: Value, size: u64, align: u32) -> Checked<Location> {
        if view_of(pointer.high) != 0 {
            return self.locate_view(pointer, size, align);
        }
        let index = self.check_alive(pointer)?;
        let slot = &self.slots[index as usize];
        if let Origin::Function(_) = slot.origin {
            return undefined(UbKind::InvalidPointer, "a function has no bytes to access");
        }
        self.check_no_stream(pointer)?;
        let offset = pointer.low.wrapping_sub(slot.address) as i64;
        if offset < 0 || offset as u64 + size > slot.size {
            return undefined(
                UbKind::OutOfBounds,
                format!(
                    "an access of {size} byte{} at offset {offset} of an object of {} byte{}",
                    if size == 1 { "" } else { "s" },
                    slot.size,
                    if slot.size == 1 { "" } else { "s" },
                ),
            );
        }
        if slot.align < align {
            return unspecified(
                Cause::Address,
                format!(
                    "an access that must be aligned to {align}, in an object aligned to {}: \
                     it is right in some places of memory and wrong in others",
                    slot.align
                ),
            );
        }
        undefined(
            UbKind::Misaligned,
            format!("an access at offset {offset} of an object, which is not aligned to {align}"),
        )
    }

    /// C11 6.3.2.3p7: a pointer becomes one to a type of this alignment. Clang relies on it
    /// even where nothing of that type is accessed.
    pub(crate) fn check_aligned(&self, pointer: Value, align: u32) -> Checked {
        let Some((index, true)) = self.slot_of(pointer.high) else { return Ok(()) };
        let slot = &self.slots[index as usize];
        if slot.align < align {
            return unspecified(
                Cause::Address,
                format!(
                    "a pointer becomes one to a type that must be aligned to {align}, in an object \
                     aligned to {}: it is right in some places of memory and wrong in others",
                    slot.align
                ),
            );
        }
        if pointer.low & u64::from(align - 1) == 0 {
            return Ok(());
        }
        let offset = pointer.low.wrapping_sub(slot.address);
        undefined(
            UbKind::Misaligned,
            format!(
                "a pointer at offset {offset} of an object becomes one to a type that must be \
                 aligned to {align}"
            ),
        )
    }

    /// Moves a pointer by `delta` bytes, inside its object or one past its end.
    #[inline]
    pub(crate) fn offset(&self, pointer: Value, delta: i64) -> Checked<Value> {
        let index = (pointer.high as u32).wrapping_sub(1);
        if let Some(slot) = self.slots.get(index as usize)
            && slot.alive
            && u64::from(slot.generation) == pointer.high >> 32
        {
            let moved = pointer.low.wrapping_add(delta as u64);
            if moved.wrapping_sub(slot.address) <= slot.size {
                return Ok(Value { low: moved, high: pointer.high });
            }
        }
        self.offset_failed(pointer, delta)
    }

    #[cold]
    fn offset_failed(&self, pointer: Value, delta: i64) -> Checked<Value> {
        if delta == 0 && pointer.low == 0 && pointer.high == 0 {
            return undefined(UbKind::PointerArithmetic, "arithmetic on a null pointer");
        }
        if view_of(pointer.high) != 0 {
            return self.offset_view(pointer, delta);
        }
        match self.slot_of(pointer.high) {
            Some((index, true)) => {
                let slot = &self.slots[index as usize];
                self.check_no_stream(pointer)?;
                let offset = pointer.low.wrapping_sub(slot.address) as i64;
                undefined(
                    UbKind::PointerArithmetic,
                    format!(
                        "a pointer at offset {offset} of an object of {} bytes is moved by {delta} bytes",
                        slot.size
                    ),
                )
            }
            Some((_, false)) => {
                undefined(UbKind::Dangling, "arithmetic on a pointer to an object that is gone")
            }
            None if pointer.low == 0 => {
                undefined(UbKind::PointerArithmetic, "arithmetic on a null pointer")
            }
            None => undefined(
                UbKind::PointerArithmetic,
                "arithmetic on a pointer that points to no object",
            ),
        }
    }

    /// Some headers look into streams, by macros; what they see there is for the library alone.
    #[cold]
    pub(crate) fn check_no_stream(&self, pointer: Value) -> Checked {
        match self.slot_of(pointer.high) {
            Some((index, _)) if matches!(self.slots[index as usize].origin, Origin::Stream(_)) => {
                unsupported("a look into a stream of the library")
            }
            _ => Ok(()),
        }
    }
}
