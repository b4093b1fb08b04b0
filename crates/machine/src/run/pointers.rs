//! Pointer arithmetic and comparison, C11 6.5.6, 6.5.8 and 6.5.9.

use farrier_lang::BinaryOp;

use super::{LABEL, Machine};
use crate::aliasing;
use crate::arithmetic;
use crate::code::Element;
use crate::kinds::{Cause, UbKind};
use crate::memory::Origin;
use crate::underspecified;
use crate::value::{Scalar, Value};
use crate::verdict::{Checked, undefined, unspecified, unsupported};

/// An index must be inside its array; one past the end if nothing is accessed there.
#[inline(always)]
pub(super) fn check_index(index: Value, bound: u64, element: Element) -> Checked {
    let steps = index.low as i64;
    if steps >= 0 && (steps as u64) < bound.saturating_add(u64::from(!element.accessed)) {
        return Ok(());
    }
    undefined(
        if element.accessed { UbKind::OutOfBounds } else { UbKind::PointerArithmetic },
        format!("index {steps} of an array of {bound}"),
    )
}

impl Element {
    /// How many bytes further an index leads, if there is nothing special about it.
    #[inline(always)]
    pub(super) fn usual_distance(&self, index: Value) -> Option<i64> {
        let steps = index.low as i64;
        let inside = match self.bound {
            Some(bound) => {
                steps >= 0 && index.low < bound.saturating_add(u64::from(!self.accessed))
            }
            None => steps >= 0 || self.signed,
        };
        if index.high != 0 || !inside {
            return None;
        }
        let steps = if self.negative { steps.checked_neg()? } else { steps };
        steps.checked_mul(self.size as i64)
    }
}

impl Machine<'_> {
    #[inline(always)]
    pub(super) fn element(&self, pointer: Value, index: Value, element: Element) -> Checked<Value> {
        if index.high != 0 {
            return underspecified::tainted(index, "an index that depends on an address");
        }
        let too_large = |index: String| {
            undefined(
                UbKind::PointerArithmetic,
                format!("an index of {index} is beyond every object"),
            )
        };
        if !element.signed && index.low > i64::MAX as u64 {
            return too_large(index.low.to_string());
        }
        let steps = index.low as i64;
        if let Some(bound) = element.bound {
            check_index(index, bound, element)?;
        }
        let steps = if element.negative { steps.checked_neg() } else { Some(steps) };
        let Some(delta) = steps.and_then(|steps| steps.checked_mul(element.size as i64)) else {
            return too_large(index.low.to_string());
        };
        if pointer.high == 0 && pointer.low == 0 && delta == 0 {
            // GNU C and C++ allow null + 0; C does not, but no compiler cares.
            return undefined(UbKind::PointerArithmetic, "arithmetic on a null pointer");
        }
        self.memory.offset(pointer, delta)
    }

    /// Why there is no member at an offset of what a pointer points to, or not the first
    /// `size` bytes of its record.
    #[cold]
    pub(super) fn no_member(&self, pointer: Value, offset: u32, size: u32) -> Checked<Value> {
        if pointer == Value::default() {
            return undefined(UbKind::NullDereference, "a member of what a null pointer points to");
        }
        if self.memory.is_dangling(pointer) {
            return undefined(UbKind::Dangling, "a member of an object that is gone");
        }
        self.memory.offset(pointer, i64::from(offset))?;
        self.memory.check_no_stream(pointer)?;
        undefined(
            UbKind::OutOfBounds,
            format!("a member of a structure of at least {size} bytes, which are not all there"),
        )
    }

    pub(super) fn difference(&mut self, left: Value, right: Value, size: u64) -> Checked<Value> {
        let apart = self.memory.are_apart(left, right);
        let (left, right) = self.memory.compared(left, right);
        if left.high == LABEL || right.high == LABEL {
            return unsupported("differences of labels");
        }
        if left.high != right.high || left.high == 0 {
            return undefined(
                UbKind::PointerSubtraction,
                "these pointers do not point into the same object",
            );
        }
        let Some((index, true)) = self.memory.slot_of(left.high) else {
            return undefined(UbKind::Dangling, "these pointers point to an object that is gone");
        };
        let bytes = left.low.wrapping_sub(right.low) as i64;
        let slot = &self.memory.slots[index as usize];
        let offset = |pointer: Value| pointer.low.wrapping_sub(slot.address);
        let (low, high) = (offset(left).min(offset(right)), offset(left).max(offset(right)));
        // A distance in bytes may be that of two members.
        if let Some(declared) = slot.declared.filter(|_| size > 1)
            && aliasing::separated(self.program, &mut self.layouts, declared, low, high)
        {
            return undefined(
                UbKind::PointerSubtraction,
                "these pointers point into different members of a structure",
            );
        }
        if apart {
            return undefined(
                UbKind::PointerSubtraction,
                "these pointers were made for different members or rows",
            );
        }
        if size == 0 {
            return undefined(UbKind::DivisionByZero, "the elements have no size");
        }
        if bytes % size as i64 != 0 {
            return undefined(
                UbKind::PointerSubtraction,
                format!("a distance of {bytes} bytes, which is no multiple of {size}"),
            );
        }
        Ok(Value::int(bytes / size as i64))
    }

    pub(super) fn compare_pointers(
        &self,
        op: BinaryOp,
        left: Value,
        right: Value,
    ) -> Checked<Value> {
        let truth = |value: bool| Ok(Value { low: u64::from(value), high: 0 });
        let (left, right) = self.memory.compared(left, right);
        for pointer in [left, right] {
            if self.memory.is_dangling(pointer) {
                return undefined(
                    UbKind::Dangling,
                    "a pointer to an object that is gone is compared",
                );
            }
        }
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            let equal = left.low == right.low && left.high == right.high;
            if !equal && left.high != right.high {
                self.check_edges(left, right)?;
                self.check_literals(left, right)?;
                self.check_nested(left, right)?;
            }
            return truth(equal == (op == BinaryOp::Equal));
        }
        if left.high != right.high {
            return undefined(
                UbKind::PointerComparison,
                "these pointers do not point into the same object",
            );
        }
        truth(match op {
            BinaryOp::Less => left.low < right.low,
            BinaryOp::Greater => left.low > right.low,
            BinaryOp::LessEqual => left.low <= right.low,
            _ => left.low >= right.low,
        })
    }

    /// A function inside another that uses nothing of it may have one address for all calls.
    fn check_nested(&self, left: Value, right: Value) -> Checked {
        let function = |pointer: Value| {
            let (index, _) = self.memory.slot_of(pointer.high)?;
            match self.memory.slots[index as usize].origin {
                Origin::Function(id) => Some(id),
                _ => None,
            }
        };
        match function(left) {
            Some(id) if function(right) == Some(id) => unspecified(
                Cause::Compiler,
                "whether pointers to one function inside another, made in two calls, are equal",
            ),
            _ => Ok(()),
        }
    }

    /// Literals whose bytes agree may or may not be one object, C11 6.4.5p7 and 6.5.2.5p7;
    /// one may also be the end of another.
    fn check_literals(&self, left: Value, right: Value) -> Checked {
        let literal = |pointer: Value| {
            let (index, _) = self.memory.slot_of(pointer.high)?;
            let slot = &self.memory.slots[index as usize];
            let shared = match slot.origin {
                Origin::String(_) => true,
                Origin::Temporary(_) => slot.constant,
                _ => false,
            };
            let offset = pointer.low.wrapping_sub(slot.address) as usize;
            shared.then(|| self.memory.raw_bytes(index).split_at(offset))
        };
        let (Some((left_before, left_after)), Some((right_before, right_after))) =
            (literal(left), literal(right))
        else {
            return Ok(());
        };
        let mut before = left_before.iter().rev().zip(right_before.iter().rev());
        let mut after = left_after.iter().zip(right_after);
        if before.all(|(left, right)| left == right) && after.all(|(left, right)| left == right) {
            return unspecified(
                Cause::Compiler,
                "two literals that have the same bytes may be one object or two",
            );
        }
        Ok(())
    }

    /// A pointer one past the end of an object may or may not equal one to the start
    /// of another, C11 6.5.9p6.
    pub(super) fn check_edges(&self, left: Value, right: Value) -> Checked {
        let edge = |pointer: Value| {
            let (slot, _) = self.memory.slot_of(pointer.high)?;
            let slot = &self.memory.slots[slot as usize];
            if matches!(slot.origin, Origin::Function(_)) {
                return None;
            }
            let offset = pointer.low.wrapping_sub(slot.address);
            Some((offset == 0, offset == slot.size))
        };
        if let (Some((left_start, left_end)), Some((right_start, right_end))) =
            (edge(left), edge(right))
            && (left_end && right_start || right_end && left_start)
        {
            return unspecified(
                Cause::Address,
                "the end of one object is compared with the start of another",
            );
        }
        Ok(())
    }

    /// An operation on numbers; of an address, some bits are known.
    #[inline]
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        ty: Scalar,
        left: Value,
        right: Value,
    ) -> Checked<Value> {
        if (left.high | right.high) != 0
            && matches!((op, ty), (BinaryOp::BitAnd | BinaryOp::Rem, Scalar::Int { .. }))
            && let Some(value) = self.aligned_bits(op, ty, left, right)
        {
            return Ok(value);
        }
        arithmetic::binary(op, ty, left, right)
    }

    /// `address & mask` and `address % size`: the bits below the alignment of a declared object
    /// do not depend on where it is.
    #[cold]
    fn aligned_bits(
        &mut self,
        op: BinaryOp,
        ty: Scalar,
        left: Value,
        right: Value,
    ) -> Option<Value> {
        let Scalar::Int { signed, bits } = ty else { return None };
        let (address, number) = match (op, left.high, right.high) {
            (_, _, 0) => (left, right.low),
            (BinaryOp::BitAnd, 0, _) => (right, left.low),
            _ => return None,
        };
        if underspecified::is_mark(address.high) {
            return None;
        }
        let (slot, true) = self.memory.slot_of(address.high)? else { return None };
        let slot = &self.memory.slots[slot as usize];
        let Origin::Object(object) = slot.origin else { return None };
        let declared = &self.program[object];
        // Where the target prefers more than the type needs, a parameter may have less.
        let align = match declared.align {
            Some(align) => align,
            None => self.layouts.align_of(self.program, declared.ty).ok()?,
        };
        let low_bits = u64::from(align.min(slot.align)) - 1;
        let above = u64::MAX >> (64 - u32::from(bits)) & !low_bits;
        match op {
            BinaryOp::BitAnd if number & above == 0 => {
                Some(Value { low: address.low & number, high: 0 })
            }
            BinaryOp::BitAnd if !number & above == 0 => {
                Some(Value { low: address.low & number, high: address.high })
            }
            // The sign of an address as a signed number is open, and with it that of the rest.
            BinaryOp::Rem if !signed && number.is_power_of_two() && (number - 1) & above == 0 => {
                Some(Value { low: address.low & (number - 1), high: 0 })
            }
            _ => None,
        }
    }
}
