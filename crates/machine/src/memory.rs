//! Memory: allocations of bytes that know whether they are initialised and
//! whether they are a part of a pointer.
//!
//! A pointer is an address and a provenance: the slot of its allocation and the
//! generation of that slot. A slot is used again after its allocation dies, with
//! the next generation, so that memory is bounded by what is alive at once and a
//! dangling pointer is still told from a good one.

mod images;
mod plain;
mod pointers;
mod records;
mod values;

use std::cell::RefCell;
use std::rc::Rc;

use farrier_lang::{ExprId, FunctionId, ObjectId, Target, TypeId};

pub(crate) use self::images::MemoryImage;
pub(crate) use self::plain::alive;
use self::records::Changes;
use self::values::Words;
use crate::kinds::Cause;
use crate::library::Stream;
use crate::order::Order;
use crate::padding::Padding;
use crate::paths::Paths;
use crate::restrict::Restrict;
use crate::rounds::Rounds;
use crate::underspecified;
use crate::value::Value;
use crate::verdict::{At, Checked, Limit, Stop, unspecified};
use crate::views::Views;

/// What an allocation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A declared object.
    Object(ObjectId),
    /// A string literal.
    String(ExprId),
    /// A temporary or compound literal.
    Temporary(ExprId),
    /// Memory from malloc and its kin.
    Heap,
    /// Memory from alloca, which dies with its call.
    Alloca,
    /// A table of the library.
    Library,
    /// A stream of the library, which the program cannot look into.
    Stream(Stream),
    /// A function, which has an address and no bytes.
    Function(FunctionId),
}

/// One allocation, or the memory of one that is dead.
#[derive(Debug)]
pub(crate) struct Slot {
    generation: u32,
    alive: bool,
    pub(crate) origin: Origin,
    pub(crate) constant: bool,
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// What its address is a multiple of on every machine; here it may be of more.
    pub(crate) align: u32,
    /// When it was allocated, on a clock that only allocations move.
    born: u64,
    /// Of memory from malloc: where it was allocated, and where it was freed.
    pub(crate) allocated_at: At,
    pub(crate) freed_at: At,
    /// The declared type; `None` for memory from malloc.
    pub(crate) declared: Option<TypeId>,
    data: Vec<u8>,
    /// The number of the padding of its declared type; zero if there is none.
    padding: u32,
    /// Whether some byte of the padding may have a value.
    padding_valued: bool,
    /// The element whose padding lost its value last, if none has got one since.
    blurred: u64,
    /// One bit a byte; meaningful only while `missing` is not zero.
    initialised: Words,
    /// How many bytes are not initialised.
    missing: u64,
    /// Of each byte that is not initialised, the bits that have a value; empty if none has.
    partial: Vec<u8>,
    /// The provenance of each byte that is a part of a pointer; empty if no byte is.
    provenance: Vec<u64>,
    /// In memory without a declared type and in unions: how each byte was stored, see
    /// `paths`; empty if nothing is known of any.
    pub(crate) stored: Vec<u32>,
}

/// What a slot costs beside its bytes: itself, and two small allocations.
const SLOT_COST: u64 = 256;
/// What a byte costs of which is known how it was stored.
const STORED_COST: u64 = 4;

/// All memory of a run.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) slots: Vec<Slot>,
    next_address: u64,
    address_limit: u64,
    in_use: u64,
    limit: u64,
    clock: u64,
    /// Whether the first byte of a number is its highest.
    big_endian: bool,
    /// How lvalues reach what they access.
    pub(crate) paths: Paths,
    /// The padding of types, by number from one on; and the number by type.
    paddings: Vec<Rc<Padding>>,
    padding_of_type: Vec<Option<u32>>,
    /// Dead slots of memory from malloc, to be used again.
    free: Vec<u32>,
    /// Whether there are such locals.
    changes_watched: bool,
    /// When the bytes of locals were written that `longjmp` must know of.
    changes: RefCell<Changes>,
    /// The record of accesses, where the order of evaluation could matter.
    pub(crate) order: Order,
    pub(crate) restrict: Restrict,
    pub(crate) views: Views,
    /// The loops of which something is promised.
    pub(crate) rounds: Rounds,
}

/// A place in memory that may be accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location {
    pub(crate) slot: u32,
    /// The view through which it was reached, see `restrict`; 0 if there is none.
    pub(crate) view: u32,
    pub(crate) offset: u64,
}

impl Location {
    /// A place in a slot that no pointer leads to.
    pub(crate) fn new(slot: u32, offset: u64) -> Self {
        Self { slot, view: 0, offset }
    }

    /// The same, some bytes further.
    pub(crate) fn plus(self, bytes: u64) -> Self {
        Self { offset: self.offset + bytes, ..self }
    }

    /// The same, for an access that says nothing about `restrict`.
    pub(crate) fn unrecorded(self) -> Self {
        Self { view: crate::restrict::UNRECORDED, ..self }
    }
}

fn provenance_of(slot: usize, generation: u32) -> u64 {
    u64::from(generation) << 32 | (slot as u64 + 1)
}

/// The lowest `size` bytes of a number in the other order.
#[cold]
fn reversed(value: u128, size: usize) -> u128 {
    if size == 0 { value } else { value.swap_bytes() >> (128 - 8 * size) }
}

impl Memory {
    pub(crate) fn new(target: &Target, limit: u64) -> Self {
        let bits = target.pointer.size * 8;
        Self {
            slots: Vec::new(),
            next_address: 0x100,
            // Addresses stay positive as signed numbers of the width of a pointer.
            address_limit: 1 << (bits - 1).min(47),
            in_use: 0,
            limit,
            clock: 0,
            big_endian: target.big_endian,
            paths: Paths::default(),
            paddings: Vec::new(),
            padding_of_type: Vec::new(),
            free: Vec::new(),
            changes_watched: false,
            changes: RefCell::default(),
            order: Order::default(),
            restrict: Restrict::default(),
            views: Views::default(),
            rounds: Rounds::default(),
        }
    }

    /// Counts bytes that the machine keeps for the program.
    pub(crate) fn charge(&mut self, size: u64) -> Checked {
        self.in_use += size;
        if self.in_use > self.limit {
            return Err(Box::new(Stop::Exhausted(Limit::Memory(self.limit))));
        }
        Ok(())
    }

    /// Makes room for how the bytes of an allocation are stored. The next allocation sees
    /// whether that was too much.
    pub(crate) fn keep_stored(&mut self, slot: u32) {
        let slot = &mut self.slots[slot as usize];
        if slot.stored.is_empty() {
            slot.stored = vec![0; slot.size as usize];
            self.in_use += STORED_COST * slot.size;
        }
    }

    /// The size of a variable array: at most half of the address space, as for every object.
    pub(crate) fn variable_size(&self, length: u64, element: u64) -> Checked<Value> {
        match length.checked_mul(element) {
            Some(size) if size < self.address_limit => Ok(Value { low: size, high: 0 }),
            _ => Err(Box::new(Stop::Exhausted(Limit::Memory(self.address_limit)))),
        }
    }

    /// Makes an allocation whose bytes are not initialised.
    pub(crate) fn allocate(
        &mut self,
        origin: Origin,
        size: u64,
        align: u32,
        declared: Option<TypeId>,
    ) -> Checked<u32> {
        self.charge(size + SLOT_COST)?;
        let align = align.max(1);
        if origin == Origin::Heap
            && let Some(index) = self.reuse(size, align)
        {
            return Ok(index);
        }
        let address = self.next_address.next_multiple_of(u64::from(align));
        // A gap keeps the end of one object apart from the start of the next.
        let end = address + size + 1;
        self.next_address = end;
        if end > self.address_limit {
            return Err(Box::new(Stop::Exhausted(Limit::Memory(self.address_limit))));
        }
        let bytes = size as usize;
        self.clock += 1;
        self.slots.push(Slot {
            align,
            born: self.clock,
            allocated_at: At::Nowhere,
            freed_at: At::Nowhere,
            generation: 1,
            alive: true,
            origin,
            constant: false,
            address,
            size,
            declared,
            data: vec![0; bytes],
            initialised: Words::new(bytes),
            padding: 0,
            padding_valued: false,
            blurred: u64::MAX,
            missing: size,
            partial: Vec::new(),
            provenance: Vec::new(),
            stored: Vec::new(),
        });
        let index = (self.slots.len() - 1) as u32;
        if let Some(ty) = declared {
            self.declare(index, ty)?;
        }
        Ok(index)
    }

    /// Memory from malloc in the slot of what was freed, at the same address if there is
    /// room.
    fn reuse(&mut self, size: u64, align: u32) -> Option<u32> {
        if self.slots[*self.free.last()? as usize].size < size
            && self.next_address + size + u64::from(align) >= self.address_limit
        {
            return None;
        }
        let index = self.free.pop()?;
        let slot = &mut self.slots[index as usize];
        if slot.size < size || slot.align < align {
            slot.address = self.next_address.next_multiple_of(u64::from(align));
            self.next_address = slot.address + size + 1;
        }
        let bytes = size as usize;
        self.clock += 1;
        *slot = Slot {
            align,
            born: self.clock,
            allocated_at: At::Nowhere,
            freed_at: At::Nowhere,
            generation: slot.generation,
            alive: true,
            origin: Origin::Heap,
            constant: false,
            address: slot.address,
            size,
            declared: None,
            data: vec![0; bytes],
            initialised: Words::new(bytes),
            padding: 0,
            padding_valued: false,
            blurred: u64::MAX,
            missing: size,
            partial: Vec::new(),
            provenance: Vec::new(),
            stored: Vec::new(),
        };
        Some(index)
    }

    /// Brings a dead slot to life again: same place, same size, nothing initialised.
    pub(crate) fn revive(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        debug_assert!(!slot.alive, "a slot is revived when it is dead");
        slot.alive = true;
        self.clock += 1;
        slot.born = self.clock;
        self.forget(index);
    }

    /// Makes the bytes of an allocation uninitialised again.
    pub(crate) fn forget(&mut self, slot: u32) {
        let slot = &mut self.slots[slot as usize];
        slot.missing = slot.size;
        slot.initialised.fill(0);
        slot.partial.clear();
        slot.padding_valued = false;
        slot.provenance.clear();
        self.in_use -= STORED_COST * slot.stored.len() as u64;
        slot.stored.clear();
    }

    /// The bytes of an allocation, whether they have values or not.
    pub(crate) fn raw_bytes(&self, slot: u32) -> &[u8] {
        &self.slots[slot as usize].data
    }

    /// How many bytes are charged to the program.
    pub(crate) fn in_use(&self) -> u64 {
        self.in_use
    }

    /// Ends the lifetime of an allocation.
    pub(crate) fn kill(&mut self, slot: u32) {
        let slot = &mut self.slots[slot as usize];
        slot.alive = false;
        slot.generation = slot.generation.wrapping_add(1);
    }

    /// Gives the bytes of a dead allocation back. A slot of memory from malloc is used
    /// again: a pointer to what it was before has another generation.
    pub(crate) fn release(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        self.in_use -= slot.size;
        if slot.origin == Origin::Heap {
            self.in_use -= SLOT_COST;
            self.free.push(index);
        }
        self.in_use -= STORED_COST * slot.stored.len() as u64;
        slot.stored = Vec::new();
        slot.data = Vec::new();
        slot.initialised = Words::new(0);
        slot.partial = Vec::new();
        slot.provenance = Vec::new();
    }

    /// Reads an integer of the bits that a byte, or two, four or eight have; `None` if there
    /// is more to it: then [`Self::read`] is to be asked.
    #[inline]
    pub(crate) fn read_plain(&self, at: Location, bits: u8) -> Option<u64> {
        if !self.is_plain() {
            return None;
        }
        self.slots[at.slot as usize].plain(at.offset, bits)
    }

    /// Writes such an integer; false if there is more to it: then nothing was written, and
    /// [`Self::write`] is to be asked.
    #[inline]
    pub(crate) fn write_plain(&mut self, at: Location, bits: u8, value: u64) -> bool {
        self.is_plain() && self.slots[at.slot as usize].set_plain(at.offset, bits, value).is_some()
    }

    /// Reads up to 16 bytes as a number in the byte order of the target; the provenance if
    /// the bytes are those of one pointer.
    #[inline]
    pub(crate) fn read(&self, at: Location, size: u32) -> Checked<(u128, u64)> {
        let slot = &self.slots[at.slot as usize];
        if self.is_watched() {
            self.record(at, u64::from(size), false)?;
        }
        if slot.missing != 0 && !slot.has_values(at.offset, u64::from(size)) {
            self.check_initialised(at, u64::from(size))?;
        }
        self.read_raw(at, size)
    }

    /// The same for bytes that need not have values.
    #[inline]
    fn read_raw(&self, at: Location, size: u32) -> Checked<(u128, u64)> {
        let slot = &self.slots[at.slot as usize];
        let (from, size) = (at.offset as usize, size as usize);
        let bytes = &slot.data[from..from + size];
        let value = match *bytes {
            [a] => u128::from(a),
            [a, b] => u128::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u128::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u128::from(u64::from_le_bytes([a, b, c, d, e, f, g, h])),
            _ => bytes.iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte)),
        };
        let value = if self.big_endian { reversed(value, size) } else { value };
        if slot.provenance.is_empty() {
            return Ok((value, 0));
        }
        Ok((value, self.read_provenance(slot, from, size)?))
    }

    /// The provenance of bytes: that of all, none, or a mixture, which has no meaning.
    fn read_provenance(&self, slot: &Slot, from: usize, size: usize) -> Checked<u64> {
        let all = &slot.provenance[from..from + size];
        let first = all[0];
        if all.iter().all(|one| *one == first) {
            return Ok(first);
        }
        if let Some(mark) = all.iter().copied().find(|one| underspecified::is_mark(*one)) {
            if let Some(whole) = underspecified::whole_mark(all) {
                return Ok(whole);
            }
            return underspecified::tainted(Value { low: 0, high: mark }, "");
        }
        unspecified(Cause::Address, "these bytes are parts of different pointers")
    }

    /// Writes the low `size` bytes of a number; with a provenance, they are a pointer's.
    #[inline]
    pub(crate) fn write(
        &mut self,
        at: Location,
        size: u32,
        value: u128,
        provenance: u64,
    ) -> Checked {
        if self.is_watched() {
            self.record(at, u64::from(size), true)?;
        }
        let slot = &mut self.slots[at.slot as usize];
        let (from, size) = (at.offset as usize, size as usize);
        let value = if self.big_endian { reversed(value, size) } else { value };
        // Most sizes have moves of their own, which a copy of so many bytes has not.
        match &mut slot.data[from..from + size] {
            [byte] => *byte = value as u8,
            [a, b] => [*a, *b] = (value as u16).to_le_bytes(),
            [a, b, c, d] => [*a, *b, *c, *d] = (value as u32).to_le_bytes(),
            [a, b, c, d, e, f, g, h] => {
                [*a, *b, *c, *d, *e, *f, *g, *h] = (value as u64).to_le_bytes();
            }
            bytes => bytes.copy_from_slice(&value.to_le_bytes()[..size]),
        }
        if slot.missing != 0 {
            slot.initialise(at.offset, size as u64);
        }
        if provenance != 0 || !slot.provenance.is_empty() {
            if let Some(bits) = underspecified::valued_bits(provenance) {
                for byte in at.offset..at.offset + size as u64 {
                    slot.set_valued_bits(byte, bits);
                }
                return Ok(());
            }
            if slot.provenance.is_empty() {
                slot.provenance = vec![0; slot.data.len()];
            }
            slot.provenance[from..from + size].fill(provenance);
            if underspecified::is_mark(provenance) {
                for position in 0..size {
                    slot.provenance[from + position] =
                        underspecified::byte_mark(provenance, size, position);
                }
            }
        }
        if !slot.stored.is_empty() {
            slot.stored[from..from + size].fill(0);
        }
        if slot.padding != 0 && (slot.padding_valued || size == 1) {
            self.stored_beside_padding(at, size as u64);
        }
        Ok(())
    }

    /// Sets bytes to zero, or any other value.
    pub(crate) fn fill(&mut self, at: Location, size: u64, byte: u8) -> Checked {
        if self.is_watched() {
            self.record(at, size, true)?;
        }
        let slot = &mut self.slots[at.slot as usize];
        let range = at.offset as usize..(at.offset + size) as usize;
        slot.data[range.clone()].fill(byte);
        if slot.missing != 0 {
            slot.initialise(at.offset, size);
        }
        (slot.padding_valued, slot.blurred) = (true, u64::MAX);
        if !slot.provenance.is_empty() {
            slot.provenance[range.clone()].fill(0);
        }
        if !slot.stored.is_empty() {
            slot.stored[range].fill(0);
        }
        Ok(())
    }

    /// Copies bytes as they are: uninitialised ones stay so, parts of pointers too.
    pub(crate) fn copy(&mut self, to: Location, from: Location, size: u64) -> Checked {
        if self.is_watched() {
            self.record(from, size, false)?;
            self.record(to, size, true)?;
        }
        let length = size as usize;
        let (source, destination) = (from.offset as usize, to.offset as usize);
        let slot = &self.slots[from.slot as usize];
        let bytes = slot.data[source..source + length].to_vec();
        let provenance = if slot.provenance.is_empty() {
            None
        } else {
            Some(slot.provenance[source..source + length].to_vec())
        };
        let partly = |byte| (byte - from.offset, slot.valued_bits(byte));
        let missing: Vec<(u64, u8)> = slot.missing_bytes(from.offset, size).map(partly).collect();
        let slot = &mut self.slots[to.slot as usize];
        slot.data[destination..destination + length].copy_from_slice(&bytes);
        if slot.missing != 0 {
            slot.initialise(to.offset, size);
        }
        for (byte, bits) in missing {
            slot.set_valued_bits(to.offset + byte, bits);
        }
        (slot.padding_valued, slot.blurred) = (true, u64::MAX);
        match provenance {
            Some(provenance) => {
                if slot.provenance.is_empty() {
                    slot.provenance = vec![0; slot.data.len()];
                }
                slot.provenance[destination..destination + length].copy_from_slice(&provenance);
            }
            None if !slot.provenance.is_empty() => {
                slot.provenance[destination..destination + length].fill(0);
            }
            None => {}
        }
        self.copy_stored(to, from, size);
        Ok(())
    }
}

impl Slot {
    /// Whether some byte is a part of a pointer.
    pub(crate) fn holds_pointers(&self) -> bool {
        self.provenance.iter().any(|provenance| *provenance != 0)
    }

    /// Whether it is there, and some byte is a part of a pointer of such a provenance.
    pub(crate) fn points(&self, to: impl Fn(&u64) -> bool) -> bool {
        self.alive && self.provenance.iter().any(to)
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.alive
    }

    /// The provenances of its bytes.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = u64> {
        self.provenance.iter().copied().filter(|provenance| *provenance != 0)
    }

    /// When it was allocated, on a clock that only allocations move.
    pub(crate) fn born(&self) -> u64 {
        self.born
    }
}
