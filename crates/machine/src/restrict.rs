//! `restrict`, C11 6.7.3.1.
//!
//! While the block of a restricted pointer runs, an object that is accessed through it
//! and modified, by any means, must be accessed through it alone. "Through it" means
//! that the address is based on the pointer: it was computed from its value.
//!
//! A value that is read from a restricted pointer gets a provenance of its own, a view (see
//! `views`): it says which pointer it was read from, and what the provenance was before.
//! Whatever copies a pointer copies that too.
//!
//! For each restricted pointer whose block runs, a flag for each byte says how the byte
//! was accessed since the declaration of the pointer. Where that is not clear, the program
//! is not supported: once the value of a pointer has reached a comparison or an integer,
//! another pointer may be based on it without having been copied from it; and bit-fields
//! share bytes.

use std::cell::{Cell, RefCell};

use farrier_lang::ObjectId;
use rustc_hash::FxHashMap;

use crate::kinds::UbKind;
use crate::memory::{Location, Memory, Origin};
use crate::value::Value;
use crate::verdict::{Checked, undefined, unsupported};
use crate::views::{view_of, viewed};

/// How a byte was accessed: through the pointer, in another way, by a write.
const BASED: u8 = 1;
const OTHER: u8 = 2;
const WRITTEN: u8 = 4;
/// It was accessed as a part of a bit-field, which may not be the only one in it.
const BITS: u8 = 8;
/// It was accessed through another restricted pointer that still has its first value, so
/// that a comparison cannot have made it based on this one.
const APART: u8 = 16;

/// Limits on what is tracked. Beyond them the program is not supported.
const MOST_POINTERS: usize = 4096;
const MOST_BYTES: usize = 1 << 30;

/// The view of an access that is not recorded.
pub(crate) const UNRECORDED: u32 = u32::MAX;

/// A restricted pointer whose block runs.
#[derive(Debug)]
struct Restricted {
    marker: u64,
    /// When its block began: the number of its call, and that of the block in it.
    block: (u64, u32),
    /// Whether it was compared with a pointer of another basis, or became an integer.
    unclear: bool,
    /// Whether it was assigned another value than its first.
    assigned: bool,
    /// Flags for each byte, by slot and the time of its birth.
    touched: FxHashMap<(u32, u64), Vec<u8>>,
}

/// What is known of all restricted pointers.
#[derive(Debug, Default)]
pub(crate) struct Restrict {
    active: Cell<bool>,
    pointers: RefCell<Vec<Restricted>>,
    /// The bytes of all flags.
    bytes: Cell<usize>,
    /// The marker of the pointer that was violated.
    violated: Cell<u64>,
}

impl Restrict {
    /// Whether accesses must be recorded.
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        self.active.get()
    }
}

fn too_much<T>(what: &str) -> Checked<T> {
    unsupported(format!("more {what} than the machine can watch"))
}

impl Memory {
    /// A restricted pointer gets its first value.
    pub(crate) fn begin_restricted(&mut self, marker: u32, block: (u64, u32)) -> Checked {
        let marker = self.pointer_to(marker).high;
        self.forget_ended();
        let restrict = &mut self.restrict;
        let pointers = restrict.pointers.get_mut();
        if pointers.is_empty() {
            self.views.forget_restricted();
        }
        if pointers.len() >= MOST_POINTERS {
            return too_much("restricted pointers at once");
        }
        restrict.active.set(true);
        let touched = FxHashMap::default();
        pointers.push(Restricted { marker, block, unclear: false, assigned: false, touched });
        Ok(())
    }

    /// Forgets the pointers whose blocks have ended.
    fn forget_ended(&self) {
        let mut pointers = self.restrict.pointers.borrow_mut();
        let bytes = &self.restrict.bytes;
        pointers.retain(|pointer| {
            let runs = matches!(self.slot_of(pointer.marker), Some((_, true)));
            if !runs {
                let gone: usize = pointer.touched.values().map(Vec::len).sum();
                bytes.set(bytes.get() - gone);
            }
            runs
        });
        self.restrict.active.set(!pointers.is_empty());
    }

    /// A value that is read from a restricted pointer.
    pub(crate) fn read_restricted(&mut self, marker: u32, value: Value) -> Checked<Value> {
        let marker = self.pointer_to(marker).high;
        let tracked =
            self.restrict.pointers.borrow().iter().any(|pointer| pointer.marker == marker);
        // A null pointer, a label and a value that is missing are based on nothing.
        let plain = self.views.plain(value.high);
        let object = plain != 0 && (plain as u32 as usize) <= self.slots.len();
        if !tracked || !object || self.views.is_based(value.high, marker) {
            return Ok(value);
        }
        Ok(Value { low: value.low, high: self.views.restricted(marker, value.high)? })
    }

    /// A restricted pointer gets another value than its first.
    pub(crate) fn note_assigned(&mut self, marker: u32) {
        let marker = self.pointer_to(marker).high;
        let mut pointers = self.restrict.pointers.get_mut().iter_mut();
        if let Some(own) = pointers.find(|pointer| pointer.marker == marker) {
            own.assigned = true;
        }
    }

    /// A restricted pointer gets a value, which must not be based on another one of the
    /// same or an inner block.
    pub(crate) fn assign_restricted(&self, marker: u32, value: Value) -> Checked {
        let marker = self.pointer_to(marker).high;
        self.forget_ended();
        let restrict = &self.restrict;
        let pointers = restrict.pointers.borrow();
        let Some(own) = pointers.iter().find(|pointer| pointer.marker == marker) else {
            return Ok(());
        };
        let other = pointers.iter().find(|other| {
            other.marker != marker
                && other.block >= own.block
                && self.views.is_based(value.high, other.marker)
        });
        match other {
            None => Ok(()),
            Some(other) => {
                restrict.violated.set(other.marker);
                undefined(
                    UbKind::RestrictAssignment,
                    "this value is based on another restricted pointer, whose block did not \
                     begin before that of the one it is assigned to",
                )
            }
        }
    }

    /// From here on it is not clear what is based on the pointers that only one of the
    /// two values is based on: the two are compared, or one is an integer.
    fn reveal(&self, left: u64, right: u64) {
        let restrict = &self.restrict;
        for pointer in restrict.pointers.borrow_mut().iter_mut() {
            let marker = pointer.marker;
            pointer.unclear |=
                self.views.is_based(left, marker) != self.views.is_based(right, marker);
        }
    }

    /// A pointer that becomes an integer, as a pointer to its object.
    pub(crate) fn revealed(&self, value: Value) -> Value {
        self.reveal(value.high, 0);
        Value { high: self.views.plain(value.high), ..value }
    }

    /// Two pointers that are about to be compared or subtracted, as pointers to objects.
    pub(crate) fn compared(&self, left: Value, right: Value) -> (Value, Value) {
        if view_of(left.high) == 0 && view_of(right.high) == 0 {
            return (left, right);
        }
        if left.high != 0 && right.high != 0 {
            self.reveal(left.high, right.high);
        }
        let plain = |value: Value| Value { high: self.views.plain(value.high), ..value };
        (plain(left), plain(right))
    }

    /// The restricted pointer whose rule is broken.
    pub(crate) fn violated(&self) -> Option<ObjectId> {
        let (slot, _) = self.slot_of(self.restrict.violated.get())?;
        match self.slots[slot as usize].origin {
            Origin::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Records an access for all restricted pointers whose blocks run.
    pub(crate) fn record_restricted(&self, at: Location, size: u64, write: bool) -> Checked {
        if at.view == UNRECORDED { Ok(()) } else { self.record_flags(at, size, write, 0) }
    }

    /// Records an access to a bit-field in these bytes.
    #[cold]
    pub(crate) fn record_bit_field(&self, at: Location, size: u64, write: bool) -> Checked {
        self.record_flags(at, size, write, BITS)
    }

    fn record_flags(&self, at: Location, size: u64, write: bool, bits: u8) -> Checked {
        if size == 0 {
            return Ok(());
        }
        self.forget_ended();
        let restrict = &self.restrict;
        let slot = &self.slots[at.slot as usize];
        let mut pointers = restrict.pointers.borrow_mut();
        let through = self.views.last_marker(viewed(at.view));
        let apart = |pointer: &Restricted| Some(pointer.marker) == through && !pointer.assigned;
        let apart = if pointers.iter().any(apart) { OTHER | APART } else { OTHER };
        for pointer in pointers.iter_mut() {
            let based = self.views.is_based(viewed(at.view), pointer.marker);
            let flags = pointer.touched.entry((at.slot, slot.born())).or_insert_with(|| {
                restrict.bytes.set(restrict.bytes.get() + slot.size as usize);
                vec![0; slot.size as usize]
            });
            let flag = if based { BASED } else { apart } | if write { WRITTEN } else { 0 } | bits;
            let all = BASED | OTHER | WRITTEN;
            for byte in &mut flags[at.offset as usize..(at.offset + size) as usize] {
                *byte |= flag;
                if *byte & all == all {
                    restrict.violated.set(pointer.marker);
                    let unclear = pointer.unclear && *byte & APART == 0;
                    return violation(unclear, *byte & BITS != 0, based, write);
                }
            }
        }
        if restrict.bytes.get() > MOST_BYTES {
            return too_much("bytes that restricted pointers may point to");
        }
        Ok(())
    }
}

/// An object is accessed through a restricted pointer and in another way, and modified.
fn violation(unclear: bool, bits: bool, based: bool, write: bool) -> Checked {
    if unclear {
        return unsupported("a restricted pointer that was compared or converted to an integer");
    }
    if bits {
        return unsupported("bit-fields in bytes that a restricted pointer promises");
    }
    let verb = if write { "written" } else { "read" };
    undefined(
        UbKind::Restrict,
        if based {
            format!(
                "this object is {verb} through a restricted pointer, was accessed in another way \
                 since the pointer was declared, and is modified"
            )
        } else {
            format!(
                "this object is {verb} here, was accessed through a restricted pointer whose \
                 block still runs, and is modified"
            )
        },
    )
}
