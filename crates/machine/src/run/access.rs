//! Reading and writing memory: scalars, bit-fields and whole aggregates.

use farrier_lang::{ExprKind, FunctionId, IntegerType, Qualifiers};

use super::Machine;
use crate::aliasing;
use crate::code::{Access, BitField};
use crate::kinds::UbKind;
use crate::memory::{Location, Origin};
use crate::underspecified;
use crate::value::{Scalar, Value, wrap};
use crate::verdict::{Checked, undefined, unsupported};

impl BitField {
    /// The value that the lowest bits are.
    pub(super) fn cut(self, bits: u128) -> Value {
        let class = IntegerType { signed: self.signed, bits: self.width };
        let number = class.wrap(bits as i128);
        if self.wide { Value::wide(number as u128) } else { Value::int(number as i64) }
    }
}

impl Machine<'_> {
    pub(crate) fn load_scalar(&self, at: Location, ty: Scalar) -> Checked<Value> {
        let (bits, provenance) = match self.memory.read(at, ty.value_bytes(self.program)) {
            Ok(read) => read,
            // A byte without a value can be copied: it may be padding.
            Err(_)
                if matches!(ty, Scalar::Int { bits: 8, .. }) && self.memory.is_missing(at, 1) =>
            {
                return Ok(Value::UNINITIALISED);
            }
            Err(stop) => return Err(stop),
        };
        Ok(match ty {
            Scalar::Int { signed, bits: width } => {
                let value = Value { low: wrap(bits as u64, signed, width), high: provenance };
                // Bytes of a pointer may be copied one by one; all of them are an integer.
                if provenance != 0 && width > 8 { self.memory.revealed(value) } else { value }
            }
            Scalar::Bool => {
                if bits > 1 {
                    return undefined(UbKind::InvalidBool, format!("this _Bool holds {bits}"));
                }
                Value { low: bits as u64, high: 0 }
            }
            Scalar::Pointer => Value { low: bits as u64, high: provenance },
            Scalar::Single | Scalar::Double | Scalar::Float(_)
                if underspecified::is_nan(provenance) =>
            {
                Value { low: bits as u64, high: provenance }
            }
            _ if provenance != 0 => {
                let value = Value { low: 0, high: provenance };
                return underspecified::tainted(
                    value,
                    "the bytes of a pointer are read as a number",
                );
            }
            _ => Value::wide(bits),
        })
    }

    pub(crate) fn store_scalar(&mut self, at: Location, ty: Scalar, value: Value) -> Checked {
        let size = ty.value_bytes(self.program);
        match ty {
            Scalar::Int { .. } | Scalar::Pointer | Scalar::Single | Scalar::Double => {
                self.memory.write(at, size, u128::from(value.low), value.high)
            }
            Scalar::Float(_) if underspecified::is_nan(value.high) => {
                self.memory.write(at, size, value.bits(), value.high)
            }
            _ => self.memory.write(at, size, value.bits(), 0),
        }
    }

    /// Checks an access through a pointer: bounds, lifetime, alignment, type.
    pub(super) fn locate<const STORE: bool>(
        &mut self,
        pointer: Value,
        ty: Scalar,
        access: Access,
    ) -> Checked<Location> {
        let size = u64::from(ty.size(self.program));
        let at = self.memory.locate(pointer, size, access.align)?;
        if self.options.strict_aliasing {
            self.check_type(at, access)?;
            if !STORE && self.memory.slots[at.slot as usize].declared.is_none() {
                self.check_stored(at, size, access)?;
            }
        }
        Ok(at)
    }

    /// A store gives memory without a declared type its effective type, C11 6.5p6, unless
    /// it is that of a character, or of a member of a union.
    pub(super) fn note_stored(&mut self, at: Location, ty: Scalar, access: Access) {
        let exempt = access.in_union || aliasing::is_exempt(self.program, access.ty);
        if self.options.strict_aliasing && !exempt {
            self.memory.note_stored(at, u64::from(ty.size(self.program)), access.ty);
        }
    }

    /// Checks a read of memory without a declared type: what was stored there last must
    /// have a type that fits. Where that is not known of each byte, everything fits.
    #[cold]
    fn check_stored(&mut self, at: Location, size: u64, access: Access) -> Checked {
        let Some(stored) = self.memory.stored(at, size) else { return Ok(()) };
        let (program, layouts) = (self.program, &mut self.layouts);
        let (ty, offset) = (stored.ty, u64::from(stored.offset));
        let is_pointer = |ty| program.pointee(ty).is_some();
        // What was copied from characters has any type; so has one pointer for another.
        if access.in_union
            || aliasing::holds(program, layouts, ty, offset, &|ty| {
                aliasing::is_character(program, ty)
            })
            || is_pointer(access.ty) && aliasing::holds(program, layouts, ty, offset, &is_pointer)
        {
            return Ok(());
        }
        match self.aliasing.allows(program, layouts, ty, offset, access.ty, true) {
            aliasing::AccessAnswer::Allowed | aliasing::AccessAnswer::NotVolatile => Ok(()),
            aliasing::AccessAnswer::WrongType => undefined(
                UbKind::EffectiveType,
                format!(
                    "memory that got its value as a{} `{}` is read as `{}`",
                    if offset == 0 { "" } else { " part of a" },
                    farrier_lang::print::type_text(self.program, ty),
                    farrier_lang::print::type_text(self.program, access.ty)
                ),
            ),
        }
    }

    pub(super) fn check_type(&mut self, at: Location, access: Access) -> Checked {
        let slot = &self.memory.slots[at.slot as usize];
        let Some(declared) = slot.declared else { return Ok(()) };
        let Access { ty, volatile, .. } = access;
        let (program, layouts) = (self.program, &mut self.layouts);
        match self.aliasing.allows(program, layouts, declared, at.offset, ty, volatile) {
            aliasing::AccessAnswer::Allowed => return Ok(()),
            aliasing::AccessAnswer::NotVolatile => {
                return undefined(
                    UbKind::VolatileAccess,
                    "a volatile object is accessed through an lvalue that is not volatile",
                );
            }
            aliasing::AccessAnswer::WrongType => {}
        }
        undefined(
            UbKind::EffectiveType,
            format!(
                "an object of type `{}` is accessed at offset {} as `{}`",
                farrier_lang::print::type_text(self.program, declared),
                at.offset,
                farrier_lang::print::type_text(self.program, ty)
            ),
        )
    }

    /// Checks that an aggregate can be accessed as a whole.
    pub(super) fn check_object(&mut self, pointer: Value, access: Access, size: u32) -> Checked {
        let at = self.memory.locate(pointer, u64::from(size), access.align)?;
        // That of a volatile aggregate is left to its members.
        let access = Access { volatile: true, ..access };
        if self.options.strict_aliasing && size > 0 { self.check_type(at, access) } else { Ok(()) }
    }

    pub(crate) fn check_writable(&mut self, at: Location) -> Checked {
        let slot = &self.memory.slots[at.slot as usize];
        match slot.origin {
            Origin::String(_) => undefined(UbKind::WriteToString, "a string literal is modified"),
            Origin::Temporary(expr)
                if slot.constant
                    && !matches!(self.program[expr].kind, ExprKind::CompoundLiteral(_)) =>
            {
                undefined(UbKind::WriteToTemporary, "a structure that is a value is modified")
            }
            _ if slot.constant => {
                let declared = slot.declared.expect("only declared objects are const");
                let layouts = &mut self.layouts;
                let (offset, constant) = (at.offset, Qualifiers::CONST);
                if aliasing::qualified_at(self.program, layouts, declared, offset, constant) {
                    return undefined(UbKind::WriteToConst, "a const object is modified");
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn load_bits(
        &mut self,
        function: Option<FunctionId>,
        field: u32,
        pointer: Value,
    ) -> Checked<Value> {
        let field = self.code(function).fields[field as usize];
        let bytes = (field.offset + field.width).div_ceil(8);
        // Bit-fields share their bytes, so that of one says nothing about the others.
        let at = self.memory.locate(pointer, u64::from(bytes), 1)?.unrecorded();
        if bytes > 16 {
            return unsupported("a bit-field in 17 bytes");
        }
        let recording = self.memory.record_bits(at, self.first_bit(&field), field.width, false);
        let (bits, provenance) = self.memory.read(at, bytes)?;
        self.memory.order.resume(recording);
        if provenance != 0 {
            let value = Value { low: 0, high: provenance };
            return underspecified::tainted(
                value,
                "the bytes of a pointer are read as a bit-field",
            );
        }
        let value = bits >> field.offset;
        Ok(field.cut(value))
    }

    pub(super) fn store_bits(
        &mut self,
        function: Option<FunctionId>,
        field: u32,
        pointer: Value,
        value: Value,
    ) -> Checked {
        let field = self.code(function).fields[field as usize];
        let bytes = (field.offset + field.width).div_ceil(8);
        // Bit-fields share their bytes, so that of one says nothing about the others.
        let at = self.memory.locate(pointer, u64::from(bytes), 1)?.unrecorded();
        self.check_writable(at)?;
        if bytes > 16 {
            return unsupported("a bit-field in 17 bytes");
        }
        if value.high != 0 && !field.wide {
            return underspecified::tainted(value, "a part of an address is stored in a bit-field");
        }
        let recording = self.memory.record_bits(at, self.first_bit(&field), field.width, true);
        // Neighbours in the same bytes keep their bits. Bits that never had a value
        // become zero: that direction misses reads of bit-fields without a value.
        let old = if self.memory.is_missing(at, u64::from(bytes)) {
            let mut old = 0;
            for index in 0..bytes {
                let byte = at.plus(u64::from(index));
                if !self.memory.is_missing(byte, 1) {
                    let big_endian = self.program.target.big_endian;
                    let place = if big_endian { bytes - 1 - index } else { index };
                    old |= self.memory.read(byte, 1)?.0 << (8 * place);
                }
            }
            old
        } else {
            self.memory.read(at, bytes)?.0
        };
        let mask = u128::MAX >> (128 - field.width) << field.offset;
        let bits = if field.wide { value.bits() } else { u128::from(value.low) };
        let new = old & !mask | bits << field.offset & mask;
        self.memory.write(at, bytes, new, 0)?;
        self.memory.order.resume(recording);
        Ok(())
    }

    /// Where a bit-field begins, in bits from the first of its bytes.
    fn first_bit(&self, field: &BitField) -> u32 {
        if self.program.target.big_endian {
            let end = field.offset + field.width;
            end.next_multiple_of(8) - end
        } else {
            field.offset
        }
    }

    pub(super) fn copy_bytes(&mut self, to: Value, from: Value, size: u64) -> Checked {
        if size == 0 {
            return Ok(());
        }
        let source = self.memory.locate(from, size, 1)?;
        let destination = self.memory.locate(to, size, 1)?;
        if source.slot == destination.slot && source.offset != destination.offset {
            let distance = source.offset.abs_diff(destination.offset);
            if distance < size {
                return undefined(
                    UbKind::OverlappingAssignment,
                    format!("the two objects overlap in {} bytes", size - distance),
                );
            }
        }
        self.check_writable(destination)?;
        self.memory.copy(destination, source, size)?;
        Ok(())
    }
}
