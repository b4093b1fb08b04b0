//! Views: provenances that say more of a pointer than which object it points to.
//!
//! A *restricted* view says that the value was read from a restricted pointer, see
//! `restrict`. A *part* says that the pointer was made for a member or a row, which it must
//! not leave (C11 6.5.6p8): `&s.m + 2` is wrong, whatever comes after `m`.
//!
//! A view stands on another provenance, which may be a view too. It has no slot, so that the
//! quick paths of `Memory` do not know it, and a program without views pays nothing.

use rustc_hash::FxHashMap;

use crate::kinds::{Cause, UbKind};
use crate::memory::{Location, Memory};
use crate::value::Value;
use crate::verdict::{Checked, undefined, unspecified, unsupported};

/// The most views of one run. Beyond them the program is not supported.
const MOST_VIEWS: usize = 1 << 23;
/// What a view costs, with its entry in the table.
const VIEW_COST: u64 = 96;

#[derive(Clone, Copy, Debug)]
enum View {
    /// The provenance of the marker of a restricted pointer.
    Restricted { under: u64, marker: u64 },
    /// The addresses of a member or a row.
    Part { under: u64, start: u64, end: u64 },
}

impl View {
    fn under(self) -> u64 {
        match self {
            Self::Restricted { under, .. } | Self::Part { under, .. } => under,
        }
    }
}

/// All views of a run.
#[derive(Debug, Default)]
pub(crate) struct Views {
    views: Vec<View>,
    restricted: FxHashMap<(u64, u64), u32>,
    parts: FxHashMap<(u64, u64, u64), u32>,
}

/// The provenance of a view.
pub(crate) fn viewed(view: u32) -> u64 {
    u64::from(view) << 32
}

/// The number of the view that a provenance is; 0 if it is none.
pub(crate) fn view_of(provenance: u64) -> u32 {
    if provenance as u32 == 0 { (provenance >> 32) as u32 } else { 0 }
}

impl Views {
    fn get(&self, provenance: u64) -> Option<View> {
        self.views.get((view_of(provenance) as usize).checked_sub(1)?).copied()
    }

    /// The provenance of an object, without views.
    pub(crate) fn plain(&self, mut provenance: u64) -> u64 {
        while let Some(view) = self.get(provenance) {
            provenance = view.under();
        }
        provenance
    }

    /// Whether a provenance is based on the restricted pointer with this marker.
    pub(crate) fn is_based(&self, mut provenance: u64, wanted: u64) -> bool {
        while let Some(view) = self.get(provenance) {
            if matches!(view, View::Restricted { marker, .. } if marker == wanted) {
                return true;
            }
            provenance = view.under();
        }
        false
    }

    /// The marker of the restricted pointer that a value was read from last.
    pub(crate) fn last_marker(&self, mut provenance: u64) -> Option<u64> {
        loop {
            match self.get(provenance)? {
                View::Restricted { marker, .. } => return Some(marker),
                View::Part { under, .. } => provenance = under,
            }
        }
    }

    /// The member or row that a pointer was made for.
    fn part(&self, mut provenance: u64) -> Option<(u64, u64)> {
        loop {
            match self.get(provenance)? {
                View::Part { start, end, .. } => return Some((start, end)),
                View::Restricted { under, .. } => provenance = under,
            }
        }
    }

    /// A provenance without the part that was chosen last.
    fn without_part(&self, mut provenance: u64) -> u64 {
        while let Some(View::Part { under, .. }) = self.get(provenance) {
            provenance = under;
        }
        provenance
    }

    fn push(&mut self, view: View) -> Checked {
        self.views.push(view);
        if self.views.len() >= MOST_VIEWS {
            return unsupported("more values of restricted pointers than the machine can watch");
        }
        Ok(())
    }

    /// No restricted pointer is alive that has views.
    pub(crate) fn forget_restricted(&mut self) {
        self.restricted.clear();
    }

    /// The view of a value that is read from the restricted pointer with this marker.
    pub(crate) fn restricted(&mut self, marker: u64, under: u64) -> Checked<u64> {
        let next = self.views.len() as u32 + 1;
        let view = *self.restricted.entry((marker, under)).or_insert(next);
        if view == next {
            self.push(View::Restricted { under, marker })?;
        }
        Ok(viewed(view))
    }
}

impl Memory {
    /// The pointer to a member or row of `size` bytes, or to a place `back` bytes behind the
    /// start of it.
    pub(crate) fn narrow(&mut self, pointer: Value, back: u64, size: u64) -> Checked<Value> {
        let under = self.views.without_part(pointer.high);
        let Some((slot, true)) = self.slot_of(under) else { return Ok(pointer) };
        let slot = &self.slots[slot as usize];
        let start = pointer.low.wrapping_sub(back);
        if start == slot.address && size >= slot.size {
            return Ok(Value { high: under, ..pointer });
        }
        let end = start + size;
        let next = self.views.views.len() as u32 + 1;
        let view = *self.views.parts.entry((under, start, end)).or_insert(next);
        if view == next {
            self.views.push(View::Part { under, start, end })?;
            self.charge(VIEW_COST)?;
        }
        Ok(Value { high: viewed(view), ..pointer })
    }

    /// The pointer as one to the whole object; the part stays if it is made of elements of
    /// this size.
    pub(crate) fn widen(&self, pointer: Value, element: u64) -> Value {
        if view_of(pointer.high) == 0 {
            return pointer;
        }
        match self.views.part(pointer.high) {
            Some((start, end)) if element != 0 && (end - start).is_multiple_of(element) => pointer,
            _ => Value { high: self.views.without_part(pointer.high), ..pointer },
        }
    }

    /// An access through a pointer that is a view.
    pub(crate) fn locate_view(&self, pointer: Value, size: u64, align: u32) -> Checked<Location> {
        let plain = Value { high: self.views.plain(pointer.high), ..pointer };
        let at = self.locate(plain, size, align)?;
        if let Some((start, end)) = self.views.part(pointer.high)
            && (pointer.low < start || pointer.low + size > end)
        {
            let offset = pointer.low.wrapping_sub(start) as i64;
            return undefined(
                UbKind::OutOfBounds,
                format!(
                    "an access of {size} byte{} at offset {offset} of a member or row of {} \
                     byte{}, through a pointer that was made for it",
                    plural(size),
                    end - start,
                    plural(end - start),
                ),
            );
        }
        Ok(Location { view: view_of(pointer.high), ..at })
    }

    /// An area of bytes that a function of the library copies, sets or compares.
    pub(crate) fn locate_area(&self, pointer: Value, size: u64) -> Checked<Location> {
        let whole = Value { high: self.views.without_part(pointer.high), ..pointer };
        let at = self.locate(whole, size, 1)?;
        if view_of(pointer.high) == 0 || self.locate(pointer, size, 1).is_ok() {
            return Ok(at);
        }
        unspecified(
            Cause::Compiler,
            format!(
                "{size} bytes from a member or row on, which is smaller: whether the object that \
                 C11 7.24.1p1 means is the member or all that is around it",
            ),
        )
    }

    /// Moves a pointer that is a view.
    pub(crate) fn offset_view(&self, pointer: Value, delta: i64) -> Checked<Value> {
        let plain = Value { high: self.views.plain(pointer.high), ..pointer };
        let moved = self.offset(plain, delta)?;
        if let Some((start, end)) = self.views.part(pointer.high)
            && (moved.low < start || moved.low > end)
        {
            let offset = pointer.low.wrapping_sub(start) as i64;
            return undefined(
                UbKind::PointerArithmetic,
                format!(
                    "a pointer at offset {offset} of a member or row of {} byte{} is moved by \
                     {delta} bytes",
                    end - start,
                    plural(end - start),
                ),
            );
        }
        Ok(Value { high: pointer.high, ..moved })
    }

    /// Whether two pointers were made for members or rows of which neither is in the other.
    pub(crate) fn are_apart(&self, left: Value, right: Value) -> bool {
        match (self.views.part(left.high), self.views.part(right.high)) {
            (Some(left), Some(right)) => {
                !(left.0 <= right.0 && right.1 <= left.1 || right.0 <= left.0 && left.1 <= right.1)
            }
            _ => false,
        }
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
