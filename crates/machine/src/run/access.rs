//! Reading and writing memory: scalars, bit-fields and whole aggregates.

use farrier_lang::{ExprKind, FunctionId, IntegerType, Qualifiers, Type, TypeId};

use super::Machine;
use crate::aliasing::{self, AccessAnswer, Agreement, Allowed, Context};
use crate::code::{Access, BitField, Code};
use crate::kinds::{Cause, UbKind};
use crate::memory::{Location, Origin};
use crate::paths::{ANY, PathId};
use crate::underspecified;
use crate::value::{Scalar, Value, wrap};
use crate::verdict::{Checked, undefined, unspecified, unsupported};

impl BitField {
    /// The bits of the number in memory that it has.
    pub(super) fn mask(self) -> u128 {
        u128::MAX >> (128 - self.width) << self.offset
    }

    /// The value that the lowest bits are.
    pub(super) fn cut(self, bits: u128) -> Value {
        let class = IntegerType { signed: self.signed, bits: self.width };
        let number = class.wrap(bits as i128);
        if self.wide { Value::wide(number as u128) } else { Value::int(number as i64) }
    }
}

impl Machine<'_> {
    #[inline]
    pub(crate) fn load_scalar(&self, at: Location, ty: Scalar) -> Checked<Value> {
        if let Scalar::Int { signed, bits } = ty
            && let Some(low) = self.memory.read_plain(at, bits)
        {
            return Ok(Value { low: wrap(low, signed, bits), high: 0 });
        }
        self.load_any(at, ty)
    }

    /// The same for every type, and for bytes of which not all is known.
    #[inline(never)]
    fn load_any(&self, at: Location, ty: Scalar) -> Checked<Value> {
        let size = ty.value_bytes(self.program);
        let read = match ty.padding_bits(self.program) {
            0 => self.memory.read(at, size),
            padding => self.memory.read_beside_padding(at, size, padding),
        };
        let (bits, provenance) = match read {
            Ok(read) => read,
            // A byte without a value can be copied: it may be padding.
            Err(_)
                if matches!(ty, Scalar::Int { bits: 8, .. }) && self.memory.is_missing(at, 1) =>
            {
                let byte = self.memory.raw_bytes(at.slot)[at.offset as usize];
                return Ok(underspecified::partly(byte, self.memory.valued_bits(at)));
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
            // Memory need not hold all the bits to which a number is extended: on i386,
            // `_BitInt(65)` has twelve bytes.
            Scalar::Wide { signed, bits: width } => {
                let class = IntegerType { signed, bits: width.into() };
                Value::wide(class.wrap(bits as i128) as u128)
            }
            Scalar::Float(_) | Scalar::Single | Scalar::Double => Value::wide(bits),
        })
    }

    #[inline]
    pub(crate) fn store_scalar(&mut self, at: Location, ty: Scalar, value: Value) -> Checked {
        if let Scalar::Int { bits, .. } = ty
            && value.high == 0
            && self.memory.write_plain(at, bits, value.low)
        {
            return Ok(());
        }
        self.store_any(at, ty, value)
    }

    #[inline(never)]
    fn store_any(&mut self, at: Location, ty: Scalar, value: Value) -> Checked {
        let size = ty.value_bytes(self.program);
        match ty {
            Scalar::Int { .. } | Scalar::Pointer | Scalar::Single | Scalar::Double => {
                self.memory.write(at, size, u128::from(value.low), value.high)
            }
            Scalar::Float(_) => {
                let mark = if underspecified::is_nan(value.high) { value.high } else { 0 };
                self.memory.write(at, size, value.bits(), mark)?;
                for padding in size..ty.size(self.program) {
                    self.memory.forget_byte(at.plus(padding.into()));
                }
                Ok(())
            }
            _ => self.memory.write(at, size, value.bits(), 0),
        }?;
        match ty.padding_bits(self.program) {
            0 => {}
            padding => self.memory.forget_padding_bits(at, size, padding),
        }
        Ok(())
    }

    /// Checks an access through a pointer: bounds, lifetime, alignment, type. Also says
    /// whether a store must be noted.
    #[inline]
    pub(super) fn locate<const STORE: bool>(
        &mut self,
        pointer: Value,
        ty: Scalar,
        code: &Code,
        access: u32,
    ) -> Checked<(Location, bool)> {
        let (access, allowed) = (code.accesses[access as usize], &code.allowed[access as usize]);
        let size = u64::from(ty.size(self.program));
        let at = self.memory.locate(pointer, size, access.align)?;
        let declared = self.memory.slots[at.slot as usize].declared;
        if let Some(declared) = declared
            && allowed.get().includes(declared, at.offset)
        {
            return Ok((at, false));
        }
        let noted = self.check_type(at, access)?;
        if let Some(declared) = declared.filter(|_| !noted) {
            // Most operations run once.
            allowed.set(if allowed.get().is_about(declared) {
                let (layouts, paths) = (&mut self.layouts, &mut self.memory.paths);
                let context = Context { program: self.program, layouts, paths };
                let Access { path, volatile, .. } = access;
                self.aliasing.allowed_like(context, declared, at.offset, path, volatile)
            } else {
                Allowed::nothing_of(declared)
            });
        }
        if !STORE && noted && !self.memory.is_stored_through(at, size, access.path) {
            self.check_stored(at, size, access)?;
        }
        Ok((at, noted))
    }

    /// Checks a read of memory without a declared type, or of a union: what was stored
    /// there last must fit, as far as it is known.
    #[cold]
    fn check_stored(&mut self, at: Location, size: u64, access: Access) -> Checked {
        let Machine { program, layouts, memory, .. } = self;
        let read = memory.paths.image(program, layouts, access.path);
        for position in 0..size {
            let stored = memory.stored(at, size).get(position as usize).copied().unwrap_or(0);
            // The image of a member of a union is that of the union.
            let read = read.get(position as usize).copied().unwrap_or(0);
            if stored == read || stored == 0 || read == 0 {
                continue;
            }
            let context = Context { program, layouts, paths: &mut memory.paths };
            match self.aliasing.agreement(context, stored, read) {
                Agreement::Agrees => {}
                Agreement::CommonUnion => {
                    return unspecified(
                        Cause::Compiler,
                        "members of two structures of a union are accessed, but not through the \
                         union: C11 6.5.2.3p6 seems to allow it, and compilers do not",
                    );
                }
                Agreement::Disagrees => return self.wrong_store(stored, access),
            }
        }
        Ok(())
    }

    fn wrong_store(&mut self, stored: u32, access: Access) -> Checked {
        let Machine { program, layouts, memory, .. } = self;
        let stored = memory.paths.decoded(program, layouts, stored);
        let stored = stored.map_or_else(String::new, |(path, offset)| {
            let part = if offset == 0 { "" } else { " part of a" };
            format!("{part} {}", self.path_text(path))
        });
        undefined(
            UbKind::EffectiveType,
            format!(
                "memory that got its value as a{stored} is read as {}",
                self.path_text(access.path)
            ),
        )
    }

    /// What an lvalue with this path is, in words.
    fn path_text(&self, path: PathId) -> String {
        let path = self.memory.paths.get(path);
        let mut text = String::new();
        if path.within {
            text.push_str("part of ");
        }
        text.push_str(&format!("`{}`", farrier_lang::print::type_text(self.program, path.ty)));
        if let Some(step) = path.steps.first() {
            let is_record = |ty: &TypeId| *self.program.resolve(*ty) == Type::Record(step.record);
            if let Some(record) = self.program.types.ids().find(is_record) {
                let record = farrier_lang::print::type_text(self.program, record);
                text.push_str(&format!(" in `{record}`"));
            }
        }
        text
    }

    /// Checks the type of an access, and says whether it also depends on what was stored.
    #[inline]
    pub(super) fn check_type(&mut self, at: Location, access: Access) -> Checked<bool> {
        let slot = &self.memory.slots[at.slot as usize];
        let Some(declared) = slot.declared else {
            let untyped = matches!(slot.origin, Origin::Heap | Origin::Alloca);
            return Ok(untyped && access.path != ANY && self.options.strict_aliasing);
        };
        let (layouts, paths) = (&mut self.layouts, &mut self.memory.paths);
        let context = Context { program: self.program, layouts, paths };
        match self.aliasing.allows(context, declared, at.offset, access.path, access.volatile) {
            AccessAnswer::Allowed => Ok(false),
            AccessAnswer::InUnion => Ok(true),
            answer => self.wrong_access(declared, at.offset, access, answer),
        }
    }

    #[cold]
    fn wrong_access(
        &self,
        declared: TypeId,
        offset: u64,
        access: Access,
        answer: AccessAnswer,
    ) -> Checked<bool> {
        if answer == AccessAnswer::NotVolatile {
            return self.not_volatile();
        }
        undefined(
            UbKind::EffectiveType,
            format!(
                "an object of type `{}` is accessed at offset {offset} as {}",
                farrier_lang::print::type_text(self.program, declared),
                self.path_text(access.path)
            ),
        )
    }

    #[cold]
    fn not_volatile<T>(&self) -> Checked<T> {
        undefined(
            UbKind::VolatileAccess,
            "a volatile object is accessed through an lvalue that is not volatile",
        )
    }

    /// Whether an object of this type is volatile as a whole.
    fn is_volatile(&self, mut ty: TypeId) -> bool {
        while let Type::Array { element, .. } = *self.program.resolve(ty) {
            ty = element;
        }
        ty.qualifiers().contains(Qualifiers::VOLATILE)
    }

    /// Checks that an aggregate can be accessed as a whole.
    pub(super) fn check_object(&mut self, pointer: Value, access: Access, size: u32) -> Checked {
        let at = self.memory.locate(pointer, u64::from(size), access.align)?;
        let declared = self.memory.slots[at.slot as usize].declared;
        if !access.volatile && declared.is_some_and(|ty| self.is_volatile(ty)) {
            return self.not_volatile();
        }
        // That of a volatile aggregate is left to its members.
        let access = Access { volatile: true, ..access };
        if size > 0 && self.check_type(at, access)? {
            self.check_stored(at, u64::from(size), access)?;
        }
        Ok(())
    }

    /// Notes that an aggregate was stored as a whole.
    pub(super) fn note_object(&mut self, pointer: Value, access: Access) -> Checked {
        let (program, layouts) = (self.program, &mut self.layouts);
        let image = self.memory.paths.image(program, layouts, access.path);
        let at = self.memory.locate(pointer, image.len() as u64, 1)?;
        if !image.is_empty() && self.check_type(at, Access { volatile: true, ..access })? {
            self.memory.note_image(at, &image);
        }
        Ok(())
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

    /// The same for all of some bytes.
    pub(crate) fn check_writable_area(&mut self, at: Location, size: u64) -> Checked {
        self.check_writable(at)?;
        let slot = &self.memory.slots[at.slot as usize];
        if !slot.constant || slot.origin == Origin::Heap {
            return Ok(());
        }
        for byte in 0..size {
            self.check_writable(at.plus(byte))?;
            let declared = self.memory.slots[at.slot as usize].declared;
            let offset = at.offset + byte;
            if let Some(declared) = declared
                && aliasing::has_const_bits(self.program, &mut self.layouts, declared, offset)
            {
                return undefined(UbKind::WriteToConst, "a const bit-field is modified");
            }
        }
        Ok(())
    }

    pub(super) fn load_bits(
        &mut self,
        function: Option<FunctionId>,
        field: u32,
        pointer: Value,
    ) -> Checked<Value> {
        let field = self.code(function).fields[field as usize];
        let bytes = (field.offset + field.width).div_ceil(8);
        let at = self.memory.locate(pointer, u64::from(bytes), 1)?;
        if self.memory.restrict.is_active() {
            self.memory.record_bit_field(at, u64::from(bytes), false)?;
        }
        let at = at.unrecorded();
        if bytes > 16 {
            return unsupported("a bit-field in 17 bytes");
        }
        if let Some(access) = field.access {
            let access = self.code(function).accesses[access as usize];
            let size = u64::from(bytes);
            if self.check_type(at, access)? && !self.memory.is_stored_through(at, size, access.path)
            {
                self.check_stored(at, size, access)?;
            }
        }
        let recording = self.memory.record_bits(at, self.first_bit(&field), field.width, false)?;
        let (bits, provenance) = self.memory.read_bits(at, bytes, field.mask())?;
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
        let at = self.memory.locate(pointer, u64::from(bytes), 1)?;
        if self.memory.restrict.is_active() {
            self.memory.record_bit_field(at, u64::from(bytes), true)?;
        }
        if self.memory.rounds.is_active() {
            return unsupported("bit-fields that a loop with a promise assigns");
        }
        let at = at.unrecorded();
        self.check_writable(at)?;
        if bytes > 16 {
            return unsupported("a bit-field in 17 bytes");
        }
        let access = field.access.map(|access| self.code(function).accesses[access as usize]);
        let noted = match access {
            Some(access) => self.check_type(at, access)?,
            None => false,
        };
        if value.high != 0 && !field.wide {
            return underspecified::tainted(value, "a part of an address is stored in a bit-field");
        }
        let recording = self.memory.record_bits(at, self.first_bit(&field), field.width, true)?;
        let bits = if field.wide { value.bits() } else { u128::from(value.low) };
        self.memory.write_bits(at, bytes, field.mask(), bits << field.offset)?;
        self.memory.order.resume(recording);
        if let (Some(access), true) = (access, noted) {
            self.memory.note_stored(at, u64::from(bytes), access.path);
        }
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
