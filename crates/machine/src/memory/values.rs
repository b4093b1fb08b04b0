//! Which bytes of a slot have a value. Bit-fields share bytes, so of a byte without a
//! value some bits may have one.

use std::ops::{Deref, DerefMut};

use farrier_lang::layout::Layouts;
use farrier_lang::{Program, TypeId};

use super::{Location, Memory, Slot};
use crate::kinds::UbKind;
use crate::padding::{Padding, TooLarge};
use crate::verdict::{Checked, undefined, unsupported};

/// The number of the padding of a structure in which it is not searched for.
const TOO_LARGE: u32 = u32::MAX;

#[cold]
fn too_large() -> Checked {
    unsupported("a structure of more than 16 MiB that may have padding")
}

/// A bit for each byte of an allocation. Most have no more than a word of them, which needs no
/// allocation of its own.
#[derive(Debug)]
pub(super) enum Words {
    One([u64; 1]),
    Many(Vec<u64>),
}

impl Words {
    /// So many bits, which are zero.
    pub(super) fn new(bits: usize) -> Self {
        match bits {
            ..=64 => Self::One([0]),
            _ => Self::Many(vec![0; bits.div_ceil(64)]),
        }
    }
}

impl Deref for Words {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match self {
            Self::One(word) => word,
            Self::Many(words) => words,
        }
    }
}

impl DerefMut for Words {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        match self {
            Self::One(word) => word,
            Self::Many(words) => words,
        }
    }
}

impl Slot {
    pub(super) fn initialise(&mut self, offset: u64, size: u64) {
        let mut at = offset;
        let end = offset + size;
        while at < end {
            let word = (at / 64) as usize;
            let first = at % 64;
            let count = (64 - first).min(end - at);
            let mask = if count == 64 { u64::MAX } else { ((1 << count) - 1) << first };
            self.missing -= u64::from((mask & !self.initialised[word]).count_ones());
            self.initialised[word] |= mask;
            at += count;
        }
    }

    /// Whether all of these bytes have values; the answer may be no where it would take long.
    #[inline]
    pub(super) fn has_values(&self, offset: u64, size: u64) -> bool {
        let (word, first) = ((offset / 64) as usize, offset % 64);
        let mask = u64::MAX >> (64 - size.clamp(1, 64)) << first;
        first + size <= 64 && self.initialised[word] & mask == mask
    }

    /// Which bits of a byte have a value.
    pub(super) fn valued_bits(&self, byte: u64) -> u8 {
        let whole =
            self.missing == 0 || self.initialised[byte as usize / 64] >> (byte % 64) & 1 == 1;
        match self.partial.get(byte as usize) {
            _ if whole => u8::MAX,
            Some(bits) => *bits,
            None => 0,
        }
    }

    /// From now on these bits of a byte have a value, and no others.
    pub(super) fn set_valued_bits(&mut self, byte: u64, bits: u8) {
        if bits == u8::MAX {
            if self.missing != 0 {
                self.initialise(byte, 1);
            }
            return;
        }
        // While nothing is missing the mask is not kept: it is all ones.
        if self.missing == 0 {
            self.initialised.fill(u64::MAX);
        }
        let mask = 1 << (byte % 64);
        let word = &mut self.initialised[byte as usize / 64];
        if *word & mask != 0 {
            *word &= !mask;
            self.missing += 1;
        }
        if bits != 0 && self.partial.is_empty() {
            self.partial = vec![0; self.data.len()];
        }
        if let Some(partial) = self.partial.get_mut(byte as usize) {
            *partial = bits;
        }
    }

    /// The bytes among these that have no value, or only in some of their bits.
    pub(super) fn missing_bytes(&self, offset: u64, size: u64) -> impl Iterator<Item = u64> + '_ {
        let end = if self.missing == 0 { offset } else { offset + size };
        let words = offset / 64..end.div_ceil(64).max(offset / 64);
        words.flat_map(move |word| {
            let start = word * 64;
            let mut left = !self.initialised[word as usize];
            if start < offset {
                left &= u64::MAX << (offset - start);
            }
            if start + 64 > end {
                left &= u64::MAX >> (start + 64 - end);
            }
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < 64).then(|| start + u64::from(bit))
            })
        })
    }
}

impl Memory {
    #[cold]
    pub(super) fn check_initialised(&self, at: Location, size: u64) -> Checked {
        match self.slots[at.slot as usize].missing_bytes(at.offset, size).next() {
            None => Ok(()),
            Some(byte) => undefined(
                UbKind::Uninitialised,
                if size == 1 || byte == at.offset {
                    "this object has no value yet".to_owned()
                } else {
                    format!("byte {} of this object has no value yet", byte - at.offset)
                },
            ),
        }
    }

    /// Whether any of these bytes is not initialised.
    pub(crate) fn is_missing(&self, at: Location, size: u64) -> bool {
        self.slots[at.slot as usize].missing_bytes(at.offset, size).next().is_some()
    }

    /// Which bits of a byte have a value.
    pub(crate) fn valued_bits(&self, at: Location) -> u8 {
        self.slots[at.slot as usize].valued_bits(at.offset)
    }

    /// Makes one byte uninitialised again.
    pub(crate) fn forget_byte(&mut self, at: Location) {
        self.slots[at.slot as usize].set_valued_bits(at.offset, 0);
    }

    /// The part of a mask over the bytes from `at` on that is about one of them.
    fn byte_of_mask(&self, mask: u128, bytes: u32, index: u32) -> u8 {
        let place = if self.big_endian { bytes - 1 - index } else { index };
        (mask >> (8 * place)) as u8
    }

    /// Reads bytes of which only the bits of the mask are needed.
    pub(crate) fn read_bits(&self, at: Location, bytes: u32, mask: u128) -> Checked<(u128, u64)> {
        if self.slots[at.slot as usize].missing != 0 {
            for index in 0..bytes {
                let needed = self.byte_of_mask(mask, bytes, index);
                if needed & !self.valued_bits(at.plus(index.into())) != 0 {
                    return undefined(UbKind::Uninitialised, "this bit-field has no value yet");
                }
            }
        }
        self.read_raw(at, bytes)
    }

    /// Reads a number of which the highest bits need no value.
    pub(crate) fn read_beside_padding(
        &self,
        at: Location,
        bytes: u32,
        padding: u32,
    ) -> Checked<(u128, u64)> {
        if self.is_watched() {
            self.record(at, u64::from(bytes), false)?;
        }
        for index in 0..bytes {
            let needed = self.byte_of_mask(u128::MAX >> (128 - 8 * bytes + padding), bytes, index);
            if needed & !self.valued_bits(at.plus(index.into())) != 0 {
                return undefined(UbKind::Uninitialised, "this object has no value yet");
            }
        }
        self.read_raw(at, bytes)
    }

    /// The highest bits of a number have no value.
    pub(crate) fn forget_padding_bits(&mut self, at: Location, bytes: u32, padding: u32) {
        for index in 0..bytes {
            let bits = self.byte_of_mask(u128::MAX >> (128 - 8 * bytes + padding), bytes, index);
            self.slots[at.slot as usize].set_valued_bits(at.offset + u64::from(index), bits);
        }
    }

    /// Writes the bits of the mask; the others of these bytes stay as they are.
    pub(crate) fn write_bits(
        &mut self,
        at: Location,
        bytes: u32,
        mask: u128,
        value: u128,
    ) -> Checked {
        let old = self.read_raw(at, bytes).map_or(0, |(old, _)| old);
        let missing = self.slots[at.slot as usize].missing != 0;
        let valued: Vec<u8> = if missing {
            (0..bytes).map(|index| self.valued_bits(at.plus(index.into()))).collect()
        } else {
            Vec::new()
        };
        self.write(at, bytes, old & !mask | value & mask, 0)?;
        for (index, valued) in valued.into_iter().enumerate() {
            let bits = valued | self.byte_of_mask(mask, bytes, index as u32);
            let byte = at.offset + index as u64;
            self.slots[at.slot as usize].set_valued_bits(byte, bits);
        }
        Ok(())
    }

    /// The number of the padding of a type; zero if it has none, [`TOO_LARGE`] if it is not
    /// searched for.
    pub(crate) fn learn_padding(
        &mut self,
        program: &Program,
        layouts: &mut Layouts,
        ty: TypeId,
    ) -> u32 {
        let index = ty.index();
        if self.padding_of_type.len() <= index {
            self.padding_of_type.resize(index + 1, None);
        }
        if let Some(known) = self.padding_of_type[index] {
            return known;
        }
        let number = match Padding::of(program, layouts, ty) {
            Ok(Some(padding)) => {
                self.paddings.push(padding.into());
                self.paddings.len() as u32
            }
            Ok(None) => 0,
            Err(TooLarge) => TOO_LARGE,
        };
        self.padding_of_type[index] = Some(number);
        number
    }

    /// The number of the padding of what an allocation is declared as.
    pub(crate) fn padding(&self, slot: u32) -> u32 {
        self.slots[slot as usize].padding
    }

    /// Notes what an allocation is declared as.
    pub(crate) fn declare(&mut self, slot: u32, ty: TypeId) -> Checked {
        let padding = self.padding_of_type.get(ty.index()).copied().flatten().unwrap_or(0);
        let slot = &mut self.slots[slot as usize];
        slot.declared = Some(ty);
        slot.padding = padding;
        if padding == TOO_LARGE { too_large() } else { Ok(()) }
    }

    /// The padding of an object has no value any more, C11 6.2.6.1p6.
    pub(crate) fn blur_padding(&mut self, at: Location, padding: u32) -> Checked {
        match padding {
            0 => Ok(()),
            TOO_LARGE => too_large(),
            _ => {
                self.blur(at, padding);
                Ok(())
            }
        }
    }

    fn blur(&mut self, at: Location, padding: u32) {
        let padding = &self.paddings[padding as usize - 1];
        let slot = &mut self.slots[at.slot as usize];
        for (offset, used) in &padding.bytes {
            let byte = at.offset + offset;
            if byte < slot.size {
                let valued = slot.valued_bits(byte);
                if valued & !used != 0 {
                    slot.set_valued_bits(byte, valued & used);
                }
            }
        }
        if padding.stride >= slot.size {
            slot.padding_valued = false;
        }
    }

    /// A store into an object that has padding, which may have got a value: from now on
    /// it has none, unless the store is one of characters into the padding itself.
    #[cold]
    pub(super) fn stored_beside_padding(&mut self, at: Location, size: u64) {
        let slot = &mut self.slots[at.slot as usize];
        let number = slot.padding;
        let padding = &self.paddings[number as usize - 1];
        let start = at.offset / padding.stride * padding.stride;
        if size == 1 && padding.has(at.offset - start) {
            (slot.padding_valued, slot.blurred) = (true, u64::MAX);
        } else if slot.padding_valued && slot.blurred != start && (start == 0 || padding.repeats) {
            slot.blurred = start;
            self.blur(Location { offset: start, ..at }, number);
        }
    }
}
