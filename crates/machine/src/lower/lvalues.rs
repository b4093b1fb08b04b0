//! Lvalues: where an object is.

use farrier_lang::{
    ArrayLength, ExprId, ExprKind, InitPlace, Linkage, Object, ObjectId, Qualifiers, RecordId,
    RecordKind, Storage, Type, TypeId, UnaryOp,
};

use super::variable::Size;
use super::{Home, Lowerer};
use crate::aliasing::is_exempt;
use crate::code::{Access, Element, Op, Reg};
use crate::kinds::UbKind;
use crate::memory::{Location, Origin};
use crate::paths::{ANY, Path, Step};
use crate::value::Scalar;
use crate::verdict::{At, Checked};

/// Where an lvalue is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lvalue {
    Register(Reg),
    Static {
        slot: u32,
        offset: u32,
    },
    Local {
        local: u32,
        offset: u32,
    },
    /// In what a pointer points to, under these rules.
    Pointer(Reg, Rules),
    /// A bit-field in the object that a pointer points to.
    Bits {
        pointer: Reg,
        field: u32,
    },
}

/// What an access through a pointer must respect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The alignment that the pointer must have.
    align: u32,
    /// Whether a type on the way is marked `may_alias`.
    may_alias: bool,
}

impl Rules {
    pub(super) fn aligned(align: u32) -> Self {
        Self { align, may_alias: false }
    }
}

impl Lvalue {
    pub(super) fn pointer(pointer: Reg, align: u32) -> Self {
        Self::Pointer(pointer, Rules::aligned(align))
    }
}

impl Lowerer<'_> {
    /// The place of an lvalue; `accessed` says whether it is about to be read or written.
    pub(super) fn place(&mut self, expr: ExprId, accessed: bool) -> Checked<Lvalue> {
        let outer = std::mem::replace(&mut self.at, At::Expr(expr));
        let place = self.place_inner(expr, accessed);
        self.at = outer;
        place
    }

    fn place_inner(&mut self, expr: ExprId, accessed: bool) -> Checked<Lvalue> {
        let node = &self.program[expr];
        Ok(match &node.kind {
            ExprKind::Object(object) if is_in_register(&self.program[*object]) => {
                let name = super::object_name(self.program, *object);
                let feature = format!("the variable `{name}` in a register of its own");
                Lvalue::pointer(self.unsupported(feature), 1)
            }
            ExprKind::Object(object) => match self.homes.get(object) {
                Some(Home::Register(reg)) => Lvalue::Register(*reg),
                Some(Home::Memory(local)) => Lvalue::Local { local: *local, offset: 0 },
                None => match self.statics.get(*object) {
                    Some(slot) => Lvalue::Static { slot, offset: 0 },
                    None => match self.outer_place(*object) {
                        Some(place) => place,
                        None => self.unknown_object(*object),
                    },
                },
            },
            ExprKind::String(_) => {
                let slot = self.string(expr)?;
                Lvalue::Static { slot, offset: 0 }
            }
            ExprKind::CompoundLiteral(init) => self.compound_literal(expr, *init)?,
            ExprKind::Deref(pointer) => {
                let align = self.layouts.align_of(self.program, node.ty).unwrap_or(1);
                let mut reg = self.value(*pointer)?;
                if self.collecting && self.is_aggregate(node.ty) {
                    let dst = self.temporary();
                    self.emit(Op::Copy { dst, src: reg });
                    reg = dst;
                }
                Lvalue::pointer(reg, align)
            }
            ExprKind::Index(base, index) => self.indexed(*base, *index, accessed)?,
            ExprKind::Member(base, index) => self.member(*base, *index, accessed)?,
            ExprKind::Unary(op @ (UnaryOp::Real | UnaryOp::Imag), operand) => {
                let of = self.program.type_of(*operand);
                match (self.parts(of), op) {
                    (Some(parts), UnaryOp::Imag) => {
                        let place = self.place(*operand, accessed)?;
                        let size = self.size_of(parts.element).unwrap_or(0);
                        self.shifted(place, size)?
                    }
                    (None, UnaryOp::Imag) => {
                        // The imaginary part of a real object is zero, and is nowhere.
                        let local = self.temporary_memory(expr, of.unqualified());
                        self.emit(Op::Enter { local });
                        let place = Lvalue::Local { local, offset: 0 };
                        let pointer = self.address(place);
                        let size = self.code.locals[local as usize].size as u32;
                        self.emit(Op::Zero { pointer, size });
                        place
                    }
                    _ => self.place(*operand, accessed)?,
                }
            }
            // A value of aggregate type is a pointer to it.
            _ => {
                let value = self.value(expr)?;
                if self.has_array(node.ty) {
                    self.temporary_object(expr, node.ty, value)
                } else {
                    Lvalue::pointer(value, 1)
                }
            }
        })
    }

    fn unknown_object(&mut self, object: ObjectId) -> Lvalue {
        let name = super::object_name(self.program, object);
        let why = match super::is_reserved(self.program, &self.program[object]) {
            true => "which C reserves for the library",
            false => "which none of the files defines",
        };
        Lvalue::pointer(self.unsupported(format!("the object `{name}`, {why}")), 1)
    }

    /// Whether a structure has a member of array type, C11 6.2.4p8.
    fn has_array(&self, ty: TypeId) -> bool {
        let Type::Record(record) = *self.program.resolve(ty) else { return false };
        let mut fields = self.program[record].fields.iter().flatten();
        fields.any(|field| {
            matches!(self.program.resolve(field.ty), Type::Array { .. }) || self.has_array(field.ty)
        })
    }

    /// A structure that is a value and has an array is an object, which must not be
    /// modified and lives until the end of the full expression.
    fn temporary_object(&mut self, expr: ExprId, ty: TypeId, value: Reg) -> Lvalue {
        let Some(size) = self.size_of(ty).and_then(|size| u32::try_from(size).ok()) else {
            return Lvalue::pointer(value, 1);
        };
        let local = self.temporary_memory(expr, ty.unqualified());
        self.emit(Op::Enter { local });
        let to = self.temporary();
        self.emit(Op::LocalAddress { dst: to, local, offset: 0 });
        self.emit(Op::CopyBytes { to, from: value, size });
        self.emit(Op::Freeze { local });
        self.temporaries.push(local);
        // Through its address, so that stores look whether they may.
        Lvalue::pointer(to, 1)
    }

    fn member(&mut self, base: ExprId, index: u32, accessed: bool) -> Checked<Lvalue> {
        let Type::Record(record) = *self.program.resolve(self.program.type_of(base)) else {
            unreachable!("well-formed: members are in records")
        };
        if self.program.type_of(base).qualifiers().contains(Qualifiers::ATOMIC) {
            if accessed {
                let message = "a member of an atomic structure is accessed";
                self.undefined(UbKind::AtomicMember, message);
            } else {
                self.unsupported("the address of a member of an atomic structure");
            }
        }
        let place = self.place(base, accessed)?;
        let Ok(layout) = self.layouts.record(self.program, record) else {
            return Ok(Lvalue::pointer(self.unsupported("a record of variable size"), 1));
        };
        let field = layout.fields[index as usize];
        self.note_record(base, index, place);
        let size = if accessed { self.least_size(record) } else { 0 };
        match field.bits {
            None => Ok(match self.shifted_in(place, field.offset, size)? {
                Lvalue::Pointer(reg, rules) => {
                    // A member of a packed record need not be aligned.
                    let align = rules.align.min(field.align);
                    let may_alias = rules.may_alias || self.program[record].may_alias;
                    Lvalue::Pointer(reg, Rules { align, may_alias })
                }
                other => other,
            }),
            Some(bits) => {
                let fields = self.program[record].fields.as_deref().unwrap_or_default();
                let ty = fields[index as usize].ty;
                let lvalue = match self.at {
                    At::Expr(member) => Some(member),
                    _ => None,
                };
                self.bit_field(place, bits, ty, lvalue)
            }
        }
    }

    /// The bytes that must be there where a record is accessed: all but an array at its end,
    /// for which programs allocate as much as they need, and what follows it.
    fn least_size(&mut self, record: RecordId) -> u64 {
        if let Some(known) = self.least_sizes.get(&record) {
            return *known;
        }
        let Ok(layout) = self.layouts.record(self.program, record) else { return 0 };
        let fields = self.program[record].fields.as_deref().unwrap_or_default();
        let mut least = 0;
        for (field, place) in fields.iter().zip(layout.fields.iter()) {
            let size = match *self.program.resolve(field.ty) {
                _ if field.bits.is_some() => 0,
                Type::Array { .. } => 0,
                Type::Record(inner) => self.least_size(inner),
                _ => self.size_of(field.ty).unwrap_or(0),
            };
            least = least.max(place.offset + size);
        }
        self.least_sizes.insert(record, least);
        least
    }

    /// A place some bytes further inside its object.
    pub(super) fn shifted(&mut self, place: Lvalue, offset: u64) -> Checked<Lvalue> {
        self.shifted_in(place, offset, 0)
    }

    /// The same, in a record of which so many bytes must be there.
    fn shifted_in(&mut self, place: Lvalue, offset: u64, size: u64) -> Checked<Lvalue> {
        let size = u32::try_from(offset.max(size)).unwrap_or(u32::MAX);
        let Ok(delta) = u32::try_from(offset) else {
            return Ok(Lvalue::pointer(self.unsupported("an object beyond 4 GiB"), 1));
        };
        Ok(match place {
            Lvalue::Static { slot, offset } => Lvalue::Static { slot, offset: offset + delta },
            Lvalue::Local { local, offset } => Lvalue::Local { local, offset: offset + delta },
            Lvalue::Pointer(pointer, rules) => {
                let dst = self.temporary();
                self.emit(Op::Member { dst, pointer, offset: delta, size });
                // What is so many bytes further is aligned to their greatest power of two.
                let align = rules.align.min(1 << delta.trailing_zeros().min(31));
                Lvalue::Pointer(dst, Rules { align, ..rules })
            }
            Lvalue::Register(_) | Lvalue::Bits { .. } => {
                unreachable!("records are in memory and contain no records in bit-fields")
            }
        })
    }

    fn indexed(&mut self, base: ExprId, index: ExprId, accessed: bool) -> Checked<Lvalue> {
        if let Type::Vector { element, lanes } = *self.program.resolve(self.program.type_of(base)) {
            let size = self.size_of(element).unwrap_or(0);
            let recording = self.begin_order(&[&[base], &[index]]);
            let place = self.place(base, accessed)?;
            if let Some(lane) = self.small_constant(index).filter(|lane| *lane < lanes.into()) {
                return self.shifted(place, lane * size);
            }
            let pointer = self.address(place);
            self.next_operand(recording);
            let index_reg = self.value(index)?;
            self.end_order(recording);
            let signed = match self.scalar(self.program.type_of(index)) {
                Some(Scalar::Int { signed, .. }) => signed,
                Some(Scalar::Bool) => false,
                _ => return Ok(Lvalue::pointer(self.unsupported("an index of this type"), 1)),
            };
            let bound = Some(u64::from(lanes));
            let element = Element { size, bound, accessed, negative: false, signed };
            let reg = self.move_pointer(pointer, index_reg, Size::Fixed(size), element);
            return Ok(Lvalue::pointer(reg, 1));
        }
        let pointee = self.program.pointee(self.program.type_of(base));
        let pointee = pointee.expect("well-formed: an indexed value is a pointer");
        // A constant index into a known array needs no check when the program runs.
        if let ExprKind::Decay(array) = self.program[base].kind
            && let Some((position, size)) = self.known_element(array, index)
        {
            let place = self.place(array, accessed || self.is_row(array))?;
            return self.shifted(place, position * size);
        }
        let reg = self.moved(base, index, false, accessed)?;
        let align = self.layouts.align_of(self.program, pointee).unwrap_or(1);
        // An element of a known array is where the array is, which may be packed.
        let known = matches!(self.program[base].kind, ExprKind::Decay(_));
        let may_alias = known && self.is_exempt(base);
        Ok(Lvalue::Pointer(reg, Rules { align: if known { 1 } else { align }, may_alias }))
    }

    /// The position of an element of a known array, and its size.
    pub(super) fn known_element(&mut self, array: ExprId, index: ExprId) -> Option<(u64, u64)> {
        let Type::Array { length: ArrayLength::Fixed(length), element } =
            *self.program.resolve(self.program.type_of(array))
        else {
            return None;
        };
        let position = self.small_constant(index).filter(|position| *position < length)?;
        Some((position, self.size_of(element)?))
    }

    /// Whether an array is an element of another, which must be there if it decays: C11
    /// 6.5.6p8 allows no `*` on the end of an array.
    pub(super) fn is_row(&self, array: ExprId) -> bool {
        matches!(self.program[array].kind, ExprKind::Index(..))
    }

    /// Whether an lvalue, or an array that decays, is a part of a record that may alias.
    fn is_exempt(&self, expr: ExprId) -> bool {
        match self.program[expr].kind {
            ExprKind::Member(base, _) => {
                let record = self.program.resolve(self.program.type_of(base));
                matches!(record, Type::Record(record) if self.program[*record].may_alias)
                    || self.is_exempt(base)
            }
            ExprKind::Decay(array) | ExprKind::Index(array, _) => self.is_exempt(array),
            _ => false,
        }
    }

    fn small_constant(&self, expr: ExprId) -> Option<u64> {
        match self.program[expr].kind {
            ExprKind::Int(value) => Some(value),
            ExprKind::Convert(operand) => self.small_constant(operand),
            _ => None,
        }
    }

    /// `base + index`, or `base - index`.
    pub(super) fn moved(
        &mut self,
        base: ExprId,
        index: ExprId,
        negative: bool,
        accessed: bool,
    ) -> Checked<Reg> {
        let pointee = self.program.pointee(self.program.type_of(base));
        let pointee = pointee.expect("well-formed: a moved value is a pointer");
        let bound = self.bound(base).filter(|_| !negative);
        self.indexed = (accessed && bound.is_some()).then_some(base);
        let (pointer, index_reg) = self.pair(base, index)?;
        let size = self.size(pointee)?;
        let signed = match self.scalar(self.program.type_of(index)) {
            Some(Scalar::Int { signed, .. }) => signed,
            Some(Scalar::Bool) => false,
            _ => return Ok(self.unsupported("an index of this type")),
        };
        let element = Element { size: 0, bound, accessed, negative, signed };
        if let Some(length) = self.variable_bound(base)?.filter(|_| !negative) {
            let element = self.element(element);
            self.emit(Op::CheckIndex { index: index_reg, length, element });
        }
        Ok(self.move_pointer(pointer, index_reg, size, element))
    }

    pub(super) fn element(&mut self, element: Element) -> u32 {
        self.code.elements.push(element);
        self.code.elements.len() as u32 - 1
    }

    /// The length of the array that decays to this pointer. An array of length zero
    /// or one at the end of a record may be larger than it says.
    fn bound(&mut self, base: ExprId) -> Option<u64> {
        let ExprKind::Decay(array) = self.program[base].kind else { return None };
        let Type::Array { length: ArrayLength::Fixed(length), .. } =
            *self.program.resolve(self.program.type_of(array))
        else {
            return None;
        };
        if self.is_flexible(array) { None } else { Some(length) }
    }

    /// The address of a place as a pointer.
    pub(super) fn address(&mut self, place: Lvalue) -> Reg {
        match place {
            Lvalue::Pointer(reg, _) => reg,
            Lvalue::Static { slot, offset } => {
                let dst = self.temporary();
                self.emit(Op::StaticAddress { dst, slot, offset });
                dst
            }
            Lvalue::Local { local, offset } => {
                let dst = self.temporary();
                self.emit(Op::LocalAddress { dst, local, offset });
                dst
            }
            Lvalue::Register(_) | Lvalue::Bits { .. } => {
                unreachable!("well-formed: locals in registers and bit-fields have no address")
            }
        }
    }

    /// Reads a scalar from a place.
    pub(super) fn load(&mut self, place: Lvalue, ty: TypeId, want: Option<Reg>) -> Reg {
        let Some(scalar) = self.scalar(ty) else {
            return self.unsupported(format!(
                "values of type `{}`",
                farrier_lang::print::type_text(self.program, ty)
            ));
        };
        if let Lvalue::Register(src) = place {
            let assured = self.assured.contains(src);
            if !assured {
                self.emit(Op::CheckInitialised { src });
            }
            self.touch(src, false);
            if let Some(local) = self.restrict_marker(src, ty) {
                let dst = want.unwrap_or_else(|| self.temporary());
                self.emit(Op::RestrictLoad { dst, src, local });
                return dst;
            }
            let apart = self.collecting && !assured;
            return match want.or_else(|| apart.then(|| self.temporary())) {
                Some(dst) => {
                    self.emit(Op::Copy { dst, src });
                    dst
                }
                None => src,
            };
        }
        let restricted = self.restricted_static(place, ty);
        if ty.qualifiers().contains(Qualifiers::RESTRICT) && restricted.is_none() {
            return self.unsupported(
                "a restricted pointer that is a member, an element, static in a function, or read \
                 through its address",
            );
        }
        let dst = want.unwrap_or_else(|| self.temporary());
        let volatile = ty.qualifiers().contains(Qualifiers::VOLATILE);
        let place = if volatile && !matches!(place, Lvalue::Bits { .. }) {
            Lvalue::pointer(self.address(place), 1)
        } else {
            place
        };
        match place {
            Lvalue::Static { slot, offset } => {
                self.emit(Op::LoadStatic { ty: scalar, dst, slot, offset });
            }
            Lvalue::Local { local, offset } => {
                self.emit(Op::LoadLocal { ty: scalar, dst, local, offset });
            }
            Lvalue::Pointer(pointer, rules) => {
                let access = self.access(ty, rules);
                self.emit(Op::Load { ty: scalar, dst, pointer, access });
            }
            Lvalue::Bits { pointer, field } => {
                self.emit(Op::LoadBits { dst, pointer, field });
            }
            Lvalue::Register(_) => unreachable!("handled above"),
        }
        if volatile {
            self.trace(place, scalar, dst, false);
        }
        if let Some(slot) = restricted {
            self.emit(Op::RestrictLoadStatic { dst, slot });
        }
        dst
    }

    /// Writes a scalar to a place.
    pub(super) fn store(&mut self, place: Lvalue, ty: TypeId, src: Reg) {
        let Some(scalar) = self.scalar(ty) else {
            self.unsupported(format!(
                "values of type `{}`",
                farrier_lang::print::type_text(self.program, ty)
            ));
            return;
        };
        let volatile = ty.qualifiers().contains(Qualifiers::VOLATILE);
        let place = if volatile && !matches!(place, Lvalue::Bits { .. } | Lvalue::Register(_)) {
            Lvalue::pointer(self.address(place), 1)
        } else {
            place
        };
        match place {
            Lvalue::Register(dst) => {
                if dst != src {
                    self.emit(Op::Copy { dst, src });
                }
                self.assigned_restricted(dst, ty);
                self.touch(dst, true);
            }
            Lvalue::Static { slot, .. }
                if matches!(self.memory.slots[slot as usize].origin, Origin::String(_)) =>
            {
                self.undefined(UbKind::WriteToString, "a string literal is modified");
            }
            Lvalue::Static { slot, offset } => {
                self.emit(Op::StoreStatic { ty: scalar, src, slot, offset });
                if let Some(slot) = self.restricted_static(place, ty) {
                    self.emit(Op::RestrictAssignStatic { src, slot });
                }
            }
            Lvalue::Local { local, offset } => {
                self.emit(Op::StoreLocal { ty: scalar, src, local, offset });
            }
            Lvalue::Pointer(pointer, rules) => {
                let access = self.access(ty, rules);
                self.emit(Op::Store { ty: scalar, src, pointer, access });
            }
            Lvalue::Bits { pointer, field } => {
                self.emit(Op::StoreBits { src, pointer, field });
            }
        }
        if volatile {
            self.trace(place, scalar, src, true);
        }
    }

    pub(super) fn access(&mut self, ty: TypeId, rules: Rules) -> u32 {
        match self.accessed() {
            Some(lvalue) => self.access_to(lvalue, ty, rules),
            None => self.add_access(Path::plain(ty), ty, rules),
        }
    }

    /// The lvalue that the expression that is lowered reads or writes.
    fn accessed(&self) -> Option<ExprId> {
        let At::Expr(expr) = self.at else { return None };
        match self.program[expr].kind {
            ExprKind::Load(lvalue)
            | ExprKind::Assign(lvalue, _)
            | ExprKind::CompoundAssign { target: lvalue, .. }
            | ExprKind::Step(_, lvalue) => Some(lvalue),
            _ => None,
        }
    }

    /// The slot of the restricted pointer at file scope that is read or written.
    fn restricted_static(&self, place: Lvalue, ty: TypeId) -> Option<u32> {
        let ExprKind::Object(object) = self.program[self.accessed()?].kind else { return None };
        match place {
            Lvalue::Static { slot, .. } if self.program[object].linkage != Linkage::None => {
                ty.qualifiers().contains(Qualifiers::RESTRICT).then_some(slot)
            }
            _ => None,
        }
    }

    /// An access to what an lvalue designates.
    pub(super) fn access_to(&mut self, lvalue: ExprId, ty: TypeId, rules: Rules) -> u32 {
        let path = self.path_of(lvalue, ty);
        self.add_access(path, ty, rules)
    }

    fn add_access(&mut self, path: Path, ty: TypeId, rules: Rules) -> u32 {
        let volatile = ty.qualifiers().contains(Qualifiers::VOLATILE);
        let ty = ty.unqualified();
        let path = if rules.may_alias || is_exempt(self.program, ty) {
            ANY
        } else {
            self.memory.paths.number(self.program, self.layouts, path)
        };
        self.code.accesses.push(Access { ty, align: rules.align, volatile, path });
        self.code.accesses.len() as u32 - 1
    }

    /// How an lvalue of type `ty` reaches what it accesses.
    fn path_of(&mut self, lvalue: ExprId, ty: TypeId) -> Path {
        let mut path = Path::plain(ty);
        // Where the next step begins in its member, if it is known.
        let mut element = Some(0);
        let mut place = lvalue;
        loop {
            place = match self.program[place].kind {
                ExprKind::Member(base, field) => {
                    let of = self.program.type_of(base);
                    let Type::Record(record) = *self.program.resolve(of) else { return path };
                    let fields = self.program[record].fields.as_deref().unwrap_or_default();
                    let bits = fields[field as usize].bits.is_some();
                    if bits || self.program[record].kind == RecordKind::Union {
                        path = Path { within: true, ..Path::plain(of) };
                    } else {
                        path.steps.insert(0, Step { record, field, element });
                    }
                    element = Some(0);
                    base
                }
                ExprKind::Index(base, index) => {
                    let size = self.size_of(self.program.type_of(place));
                    let position = self.small_constant(index);
                    let bytes = position.zip(size).and_then(|(a, b)| a.checked_mul(b));
                    element = element.zip(bytes).and_then(|(a, b)| a.checked_add(b));
                    match self.program[base].kind {
                        ExprKind::Decay(array) => array,
                        _ if self.program.pointee(self.program.type_of(base)).is_none() => base,
                        _ => return path,
                    }
                }
                ExprKind::Unary(_, operand) => {
                    element = None;
                    operand
                }
                ExprKind::Deref(pointer) => match self.program[pointer].kind {
                    ExprKind::Decay(array) => array,
                    _ => return path,
                },
                // What has a name is what it says; only unions are shared.
                _ if path.within => return path,
                _ => return Path::plain(ty),
            }
        }
    }

    /// An access to bytes that belong to a temporary, or were checked as a whole.
    pub(super) fn unchecked_access(&mut self) -> u32 {
        let ty = farrier_lang::Types::CHAR;
        self.code.accesses.push(Access { ty, align: 1, volatile: true, path: ANY });
        self.code.accesses.len() as u32 - 1
    }

    /// An aggregate at this place is read or written as a whole.
    /// Gives the access if it is through a pointer.
    pub(super) fn check_object(&mut self, place: Lvalue, ty: TypeId) -> Option<u32> {
        if let Lvalue::Pointer(pointer, rules) = place
            && let Some(size) = self.size_of(ty).and_then(|size| u32::try_from(size).ok())
            && *self.program.resolve(ty) != Type::VaList
        {
            let access = self.access(ty, rules);
            self.emit(Op::CheckObject { pointer, access, size });
            return Some(access);
        }
        None
    }

    fn trace(&mut self, place: Lvalue, ty: Scalar, value: Reg, write: bool) {
        if let Lvalue::Pointer(pointer, _) | Lvalue::Bits { pointer, .. } = place {
            self.emit(Op::TraceVolatile { ty, pointer, value, write });
        }
    }

    /// The slot of a string literal, made when it is first met.
    fn string(&mut self, expr: ExprId) -> Checked<u32> {
        if let Some(slot) = self.literals.get(&expr) {
            return Ok(*slot);
        }
        let ExprKind::String(id) = self.program[expr].kind else {
            unreachable!("called for strings")
        };
        let ty = self.program.type_of(expr);
        let Type::Array { element, .. } = *self.program.resolve(ty) else {
            unreachable!("well-formed: a string is an array")
        };
        let unit = self.size_of(element).unwrap_or(1);
        let units = &self.program[id].units;
        let size = (units.len() as u64 + 1) * unit;
        let slot = self.memory.allocate(Origin::String(expr), size, unit as u32, Some(ty))?;
        self.memory.fill(Location::new(slot, 0), size, 0)?;
        for (index, value) in units.iter().enumerate() {
            let at = Location::new(slot, index as u64 * unit);
            self.memory.write(at, unit as u32, u128::from(*value), 0)?;
        }
        self.literals.insert(expr, slot);
        Ok(slot)
    }

    /// A compound literal: static at file scope, otherwise an object of the block.
    fn compound_literal(&mut self, expr: ExprId, init: ExprId) -> Checked<Lvalue> {
        let ty = self.program.type_of(expr);
        self.evaluate_lengths(ty)?;
        if self.starting {
            let size = self.size_of(ty).unwrap_or(0);
            let align = self.layouts.align_of(self.program, ty).unwrap_or(1);
            self.memory.learn_padding(self.program, self.layouts, ty);
            let slot = self.memory.allocate(Origin::Temporary(expr), size, align, Some(ty))?;
            self.memory.fill(Location::new(slot, 0), size, 0)?;
            let place = Lvalue::Static { slot, offset: 0 };
            self.initialise(place, ty, init, true)?;
            return Ok(place);
        }
        let local = self.temporary_memory(expr, ty);
        self.code.locals[local as usize].constant = super::is_constant(self.program, ty);
        self.emit(Op::EnterLiteral { local, aggregate: self.is_aggregate(ty) });
        let place = Lvalue::Local { local, offset: 0 };
        self.initialise(place, ty, init, false)?;
        self.freeze(local);
        Ok(place)
    }

    /// The place of a member or element that an initialiser names.
    pub(super) fn part(
        &mut self,
        whole: Lvalue,
        ty: TypeId,
        place: InitPlace,
    ) -> Checked<(Lvalue, TypeId)> {
        match (place, self.program.resolve(ty)) {
            (InitPlace::Field(index), &Type::Record(record)) => {
                let fields = self.program[record].fields.as_deref().unwrap_or_default();
                let field_type = fields[index as usize].ty;
                let Ok(layout) = self.layouts.record(self.program, record) else {
                    return Ok((
                        Lvalue::pointer(self.unsupported("a record of variable size"), 1),
                        field_type,
                    ));
                };
                let field = layout.fields[index as usize];
                let Some(bits) = field.bits else {
                    return Ok((self.shifted(whole, field.offset)?, field_type));
                };
                Ok((self.bit_field(whole, bits, field_type, None)?, field_type))
            }
            (
                InitPlace::Elements { first, .. },
                &(Type::Array { element, .. } | Type::Vector { element, .. }),
            ) => {
                let size = self.size_of(element).unwrap_or(0);
                Ok((self.shifted(whole, first * size)?, element))
            }
            _ => {
                let place = Lvalue::pointer(self.unsupported("this initialiser"), 1);
                Ok((place, ty))
            }
        }
    }
}

/// GNU C: whether a variable is kept in a register that it names. Others use that register, too.
fn is_in_register(object: &Object) -> bool {
    object.storage == Storage::Register && object.asm_name.is_some()
}
