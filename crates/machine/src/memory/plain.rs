//! What most accesses are: nothing is recorded, and there is nothing about the bytes but their
//! values.

use super::{Memory, Origin, Slot, provenance_of};
use crate::value::{Scalar, Value, wrap};

/// The slot of an object that is alive, if a pointer has its provenance without a view.
#[inline(always)]
pub(crate) fn alive(slots: &[Slot], provenance: u64) -> Option<usize> {
    let index = (provenance as u32).wrapping_sub(1) as usize;
    let slot = slots.get(index)?;
    (slot.alive && u64::from(slot.generation) == provenance >> 32).then_some(index)
}

impl Memory {
    /// Whether accesses are not to be reported, and the first byte of a number is its lowest.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        !(self.is_watched() | self.big_endian)
    }

    /// The same where accesses are to be reported for the rounds of loops, and for nothing else.
    #[inline(always)]
    pub(crate) fn is_plain_but_for_rounds(&self) -> bool {
        !self.big_endian && self.is_watched_by_rounds_alone()
    }
}

impl Slot {
    /// A pointer to a byte of this slot, which has this number.
    #[inline(always)]
    pub(crate) fn pointer(&self, number: u32, offset: u32) -> Value {
        let high = provenance_of(number as usize, self.generation);
        Value { low: self.address + u64::from(offset), high }
    }

    /// Where in the object an address is.
    #[inline(always)]
    pub(crate) fn offset_of(&self, address: u64) -> u64 {
        address.wrapping_sub(self.address)
    }

    /// An address, if a pointer into the object may have it.
    #[inline(always)]
    pub(crate) fn reaches(&self, address: u64) -> Option<u64> {
        (self.offset_of(address) <= self.size).then_some(address)
    }

    /// Whether an access may be at an address in the object that must have an alignment.
    #[inline(always)]
    pub(crate) fn is_aligned(&self, address: u64, align: u32) -> bool {
        address & u64::from(align - 1) == 0 && self.align >= align
    }

    /// Whether all of the object may be written.
    #[inline(always)]
    pub(crate) fn is_writable(&self) -> bool {
        !self.constant && !matches!(self.origin, Origin::String(_))
    }

    /// A number in the bytes; `None` if there is more to it, or if it is no number of the usual
    /// sizes: then the machine is to be asked.
    #[inline(always)]
    pub(crate) fn load(&self, ty: Scalar, offset: u64) -> Option<u64> {
        let (signed, bits) = match ty {
            Scalar::Int { signed, bits } => (signed, bits),
            Scalar::Single => (false, 32),
            Scalar::Double => (false, 64),
            Scalar::Bool => return self.plain(offset, 8).filter(|byte| *byte <= 1),
            _ => return None,
        };
        Some(wrap(self.plain(offset, bits)?, signed, bits))
    }

    /// The integer of so many bits, if its bytes have values and nothing else.
    #[inline(always)]
    pub(super) fn plain(&self, offset: u64, bits: u8) -> Option<u64> {
        if !self.provenance.is_empty() {
            return None;
        }
        let bytes = self.data.get(offset as usize..)?;
        let value = match bits {
            8 => u64::from(*bytes.first()?),
            16 => u64::from(u16::from_le_bytes(*bytes.first_chunk()?)),
            32 => u64::from(u32::from_le_bytes(*bytes.first_chunk()?)),
            64 => u64::from_le_bytes(*bytes.first_chunk()?),
            _ => return None,
        };
        (self.missing == 0 || self.has_values(offset, u64::from(bits / 8))).then_some(value)
    }

    /// Writes a number; `None` if there is more to it: then nothing was written, and the machine
    /// is to be asked.
    #[inline(always)]
    pub(crate) fn store(&mut self, ty: Scalar, offset: u64, value: Value) -> Option<()> {
        let bits = match ty {
            Scalar::Int { bits, .. } => bits,
            Scalar::Bool => 8,
            Scalar::Single => 32,
            Scalar::Double => 64,
            _ => return None,
        };
        if value.high == 0 { self.set_plain(offset, bits, value.low) } else { None }
    }

    /// The same for an integer of so many bits.
    #[inline(always)]
    pub(super) fn set_plain(&mut self, offset: u64, bits: u8, value: u64) -> Option<()> {
        if self.padding != 0 || !self.provenance.is_empty() || !self.stored.is_empty() {
            return None;
        }
        let bytes = self.data.get_mut(offset as usize..)?;
        match bits {
            8 => bytes.first_mut().map(|byte| *byte = value as u8),
            16 => bytes.first_chunk_mut().map(|bytes| *bytes = (value as u16).to_le_bytes()),
            32 => bytes.first_chunk_mut().map(|bytes| *bytes = (value as u32).to_le_bytes()),
            64 => bytes.first_chunk_mut().map(|bytes| *bytes = value.to_le_bytes()),
            _ => None,
        }?;
        if self.missing != 0 {
            self.initialise(offset, u64::from(bits / 8));
        }
        Some(())
    }
}
