//! What memory holds at one time, to find that a program is in the same state twice.

use super::{Memory, Slot};

/// What memory holds at one time: the slots that are alive, with their bytes, which of
/// them have values, and their provenance.
#[derive(Debug)]
pub(crate) struct MemoryImage {
    slots: Vec<Option<SlotImage>>,
}

#[derive(PartialEq, Eq, Debug)]
struct SlotImage {
    data: Vec<u8>,
    missing: u64,
    initialised: Vec<u64>,
    partial: Vec<u8>,
    provenance: Vec<u64>,
}

impl Memory {
    /// A provenance without the number of lives that its slot has had: two that are
    /// alike in two states mean the same in both.
    pub(crate) fn timeless(&self, provenance: u64) -> u64 {
        match self.slot_of(provenance) {
            Some((slot, alive)) => (u64::from(alive) << 32) | (u64::from(slot) + 1),
            None => provenance,
        }
    }

    /// All that is in memory now.
    pub(crate) fn image(&self) -> MemoryImage {
        let slots = self.slots.iter().map(|slot| slot.alive.then(|| self.slot_image(slot)));
        MemoryImage { slots: slots.collect() }
    }

    /// Whether memory holds the same as when the image was made.
    pub(crate) fn is(&self, image: &MemoryImage) -> bool {
        self.slots.len() == image.slots.len()
            && self.slots.iter().zip(&image.slots).all(|(slot, image)| match image {
                None => !slot.alive,
                Some(image) => {
                    slot.alive && slot.data == image.data && self.slot_image(slot) == *image
                }
            })
    }

    fn slot_image(&self, slot: &Slot) -> SlotImage {
        SlotImage {
            data: slot.data.clone(),
            missing: slot.missing,
            // The mask means nothing while no byte is missing.
            initialised: if slot.missing == 0 { Vec::new() } else { slot.initialised.to_vec() },
            partial: if slot.missing == 0 { Vec::new() } else { slot.partial.clone() },
            provenance: slot.provenance.iter().map(|one| self.timeless(*one)).collect(),
        }
    }
}
