//! The functions that the machine itself provides: a part of the C library, and builtins.

mod approximate;
mod atomics;
mod bits;
mod characters;
mod decimal;
mod ending;
mod environment;
mod errno;
mod exactness;
mod files;
mod floats;
mod format;
mod mathematics;
pub(crate) mod names;
mod numbers;
mod output;
mod scan;
mod sorting;
mod strings;
mod table;
mod tokens;

use farrier_lang::{IntegerType, Type, TypeId, integer_type};

pub(crate) use self::ending::Handlers;
pub(crate) use self::environment::{GlibcRandom, Remembered};
pub(crate) use self::files::{Files, Stream};
pub(crate) use self::table::Library;
use self::table::Room;
pub use self::table::{Provided, provided};
use crate::kinds::{Cause, UbKind};
use crate::memory::{Location, Origin};
use crate::run::Machine;
use crate::value::Value;
use crate::verdict::{Checked, Ending, Limit, Stop, undefined, unspecified, unsupported};

/// Arguments with their types.
pub(crate) type Arguments<'a> = &'a [(Value, TypeId)];

impl Machine<'_> {
    /// Calls a library function.
    pub(crate) fn library(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
        result: TypeId,
    ) -> Checked<Value> {
        if self.memory.order.is_promised() {
            match function.room() {
                Room::Heap | Room::Files | Room::Environment | Room::Scan | Room::Tokens => {
                    return unsupported("this in a `const` or `pure` function");
                }
                Room::Ending => self.memory.order.check_effect("ends the program")?,
                Room::Input => self.memory.order.check_effect("reads input")?,
                Room::Output => self.memory.order.check_effect("writes output")?,
                _ => {}
            }
        }
        let value = self.provided(function, arguments, result)?;
        self.note_exactness(function, arguments, result, value);
        Ok(value)
    }

    fn provided(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
        result: TypeId,
    ) -> Checked<Value> {
        match function.room() {
            Room::Approximate => self.approximate_function(function, arguments, result),
            Room::Atomics => self.atomic_function(function, arguments),
            Room::Bits => self.bit_function(function, arguments, result),
            Room::Characters => self.character_function(function, arguments),
            Room::CharacterTables => self.character_table(function),
            Room::Compilers => self.compiler_function(function, arguments),
            Room::Ending => self.ending_function(function, arguments),
            Room::Environment => self.environment_function(function, arguments),
            Room::Files => self.file_function(function, arguments),
            Room::Heap => self.heap_function(function, arguments),
            Room::Input => self.input_function(function, arguments),
            Room::Jumps => unsupported("setjmp or longjmp through a pointer"),
            Room::Mathematics => self.math_function(function, arguments, result),
            Room::Numbers => self.number_function(function, arguments, result),
            Room::Output => self.output_function(function, arguments),
            Room::PrintToMemory => self.print_to_memory(function, arguments),
            Room::Scan => self.scan_function(function, arguments),
            Room::Sorting if function == Library::Qsort => self.sort(arguments),
            Room::Sorting => self.search(arguments),
            Room::Strings => self.string_function(function, arguments),
            Room::Tokens => self.token_function(function, arguments),
        }
    }

    /// What tells the compiler something, or asks it.
    fn compiler_function(&self, function: Library, arguments: Arguments<'_>) -> Checked<Value> {
        use Library::*;
        match function {
            Unreachable => undefined(UbKind::Unreachable, "__builtin_unreachable is reached"),
            Assume => match argument(arguments, 0)?.low {
                0 => undefined(UbKind::BrokenPromise, "the assumption is false"),
                _ => Ok(Value::default()),
            },
            ConstantUnknown => unspecified(
                Cause::Compiler,
                "whether this is a constant depends on what the compiler finds out",
            ),
            Prefetch | Fence => Ok(Value::default()),
            AssumeAligned => {
                let offset = arguments.get(2).map_or(0, |(value, _)| value.low);
                let pointer = argument(arguments, 0)?;
                self.check_aligned(pointer, argument(arguments, 1)?.low, offset)?;
                Ok(pointer)
            }
            _ => argument(arguments, 0),
        }
    }

    /// What `__builtin_classify_type` says, from typeclass.h of GCC.
    fn heap_function(&mut self, function: Library, arguments: Arguments<'_>) -> Checked<Value> {
        use Library::*;
        let first = argument(arguments, 0)?;
        match function {
            Malloc => self.allocate_heap(first.low, 16, false),
            Calloc => match first.low.checked_mul(argument(arguments, 1)?.low) {
                Some(bytes) => self.allocate_heap(bytes, 16, true),
                None => Ok(Value::default()),
            },
            Realloc => self.reallocate(first, argument(arguments, 1)?.low),
            AlignedAlloc => match first.low {
                align if align.is_power_of_two() && align <= 1 << 20 => {
                    self.allocate_heap(argument(arguments, 1)?.low, align as u32, false)
                }
                align => unsupported(format!("an alignment of {align}")),
            },
            PosixMemalign => {
                const INVALID_ARGUMENT: i64 = 22;
                let align = argument(arguments, 1)?.low;
                let size = self.program.target.pointer.size;
                if !align.is_power_of_two() || align < u64::from(size) || align > 1 << 20 {
                    return Ok(Value::int(INVALID_ARGUMENT));
                }
                let pointer =
                    self.allocate_heap(argument(arguments, 2)?.low, align as u32, false)?;
                let at = self.memory.locate(first, u64::from(size), size)?;
                self.check_writable(at)?;
                self.memory.write(at, size, pointer.low.into(), pointer.high)?;
                Ok(Value::int(0))
            }
            Free => self.free(first),
            _ => {
                let align = match arguments.get(1) {
                    Some((bits, _)) if function == AllocaWithAlign => (bits.low / 8) as u32,
                    _ => 16,
                };
                let pointer = self.allocate(Origin::Alloca, first.low, align, false)?;
                let (slot, _) = self.memory.slot_of(pointer.high).expect("it is alive");
                self.dies_with_frame(slot);
                Ok(pointer)
            }
        }
    }

    /// Aborts, as the checked functions do, if so many bytes do not fit.
    fn check_size(&mut self, needed: u64, size: u64) -> Checked {
        let unknown = u64::MAX >> (64 - 8 * self.program.target.pointer.size);
        if size != unknown && needed > size {
            self.end_at_once()?;
            return Err(Box::new(Stop::End(Ending::Abort)));
        }
        Ok(())
    }

    fn write_bytes(&mut self, to: Value, bytes: &[u8]) -> Checked {
        let at = self.memory.locate(to, bytes.len() as u64, 1)?;
        self.check_writable_area(at, bytes.len() as u64)?;
        for (index, byte) in bytes.iter().enumerate() {
            let at = at.plus(index as u64);
            self.memory.write(at, 1, u128::from(*byte), 0)?;
        }
        Ok(())
    }

    fn allocate_heap(&mut self, size: u64, align: u32, zeroed: bool) -> Checked<Value> {
        let pointer = self.allocate(Origin::Heap, size, align, zeroed)?;
        if let Some((slot, _)) = self.memory.slot_of(pointer.high) {
            self.memory.slots[slot as usize].allocated_at = self.at();
        }
        Ok(pointer)
    }

    /// Ends the life of memory from malloc.
    fn release_heap(&mut self, slot: u32) {
        self.memory.slots[slot as usize].freed_at = self.at();
        self.memory.kill(slot);
        self.memory.release(slot);
    }

    fn allocate(&mut self, origin: Origin, size: u64, align: u32, zeroed: bool) -> Checked<Value> {
        if size > self.heap_limit {
            // A request that no machine grants.
            return Err(Box::new(Stop::Exhausted(Limit::Memory(self.heap_limit))));
        }
        let slot = self.memory.allocate(origin, size, align, None)?;
        if zeroed {
            self.memory.fill(Location::new(slot, 0), size, 0)?;
        }
        Ok(self.memory.pointer_to(slot))
    }

    /// The slot of a pointer that can be freed.
    fn heap_slot(&self, pointer: Value) -> Checked<u32> {
        match self.memory.slot_of(pointer.high) {
            Some((slot, alive)) => {
                let data = &self.memory.slots[slot as usize];
                if data.origin != Origin::Heap {
                    return undefined(UbKind::BadFree, "this memory is not from malloc");
                }
                if !alive {
                    return undefined(UbKind::BadFree, "this memory is freed already");
                }
                if data.address != pointer.low {
                    return undefined(UbKind::BadFree, "this is not the start of the memory");
                }
                Ok(slot)
            }
            None => undefined(UbKind::BadFree, "this pointer is not from malloc"),
        }
    }

    fn free(&mut self, pointer: Value) -> Checked<Value> {
        if pointer.low == 0 && pointer.high == 0 {
            return Ok(Value::default());
        }
        let slot = self.heap_slot(pointer)?;
        self.release_heap(slot);
        Ok(Value::default())
    }

    fn reallocate(&mut self, pointer: Value, size: u64) -> Checked<Value> {
        if size == 0 {
            return unsupported("realloc to no bytes, which may free the memory or not");
        }
        let new = self.allocate_heap(size, 16, false)?;
        if pointer.low == 0 && pointer.high == 0 {
            return Ok(new);
        }
        let slot = self.heap_slot(pointer)?;
        let keep = self.memory.slots[slot as usize].size.min(size);
        if keep > 0 {
            let from = self.memory.locate(pointer, keep, 1)?;
            let to = self.memory.locate(new, keep, 1)?;
            self.memory.copy(to.unrecorded(), from.unrecorded(), keep)?;
        }
        self.release_heap(slot);
        Ok(new)
    }

    fn integer_class(&self, ty: TypeId) -> IntegerType {
        integer_type(self.program, ty).unwrap_or(IntegerType { signed: true, bits: 32 })
    }

    /// Whether a type is a pointer, for `%p` and `%s`.
    pub(crate) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.program.resolve(ty), Type::Pointer(_))
    }
}

fn missing() -> Box<Stop> {
    Box::new(Stop::Undefined(UbKind::CallArguments, "an argument is missing".to_owned()))
}

/// An argument, which the program may have left out.
pub(crate) fn argument(arguments: Arguments<'_>, index: usize) -> Checked<Value> {
    arguments.get(index).map(|(value, _)| *value).ok_or_else(missing)
}
