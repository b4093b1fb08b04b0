//! Initialisation of objects.

use farrier_lang::{
    ArrayLength, ExprId, ExprKind, InitItem, InitPlace, ObjectId, RecordKind, Type, TypeId,
};

use super::Lowerer;
use super::lvalues::Lvalue;
use crate::code::Op;
use crate::verdict::{At, Checked};

impl Lowerer<'_> {
    pub(super) fn static_initialiser(&mut self, object: ObjectId) -> Checked {
        let init = self.program[object].init.expect("the caller checked");
        let slot = self.statics.get(object).expect("the caller made room for it");
        self.at = At::Expr(init);
        let place = Lvalue::Static { slot, offset: 0 };
        self.initialise(place, self.program[object].ty, init, true)?;
        self.next = 0;
        Ok(())
    }

    /// Initialises a place; `zeroed` says that its bytes are zero already.
    pub(super) fn initialise(
        &mut self,
        place: Lvalue,
        ty: TypeId,
        init: ExprId,
        zeroed: bool,
    ) -> Checked {
        if !self.has_room(place, ty, init) {
            self.unsupported("initialising a flexible array member in this place");
            return Ok(());
        }
        let mark = self.next;
        match &self.program[init].kind {
            ExprKind::InitList(items) => {
                if !zeroed {
                    self.clear(place, ty, items.iter().map(|item| item.place))?;
                }
                let whole = self.initialising.take();
                let recording = self.begin_items(items, whole);
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.next_operand(recording);
                    }
                    self.item(place, ty, item.place, item.value, zeroed)?;
                }
                if recording && whole.is_some() {
                    self.next_operand(recording);
                    let pointer = self.address(place);
                    self.touch_bytes(pointer, ty, true);
                }
                self.end_order(recording);
            }
            ExprKind::String(id) if self.is_aggregate(ty) => {
                let units = self.program[*id].units.clone();
                self.string_bytes(place, ty, &units)?;
            }
            _ if self.is_aggregate(ty) => {
                let from = self.value(init)?;
                let to = self.address(place);
                self.unrecorded(|lowerer| lowerer.copy_object(to, from, ty));
            }
            _ => {
                let want = match place {
                    Lvalue::Register(reg) => Some(reg),
                    _ => None,
                };
                let src = match want {
                    None => self.value_for(place, init)?,
                    want => self.value_to(init, want)?,
                };
                if want.is_none() {
                    // The first value of a const object is no modification, and that of
                    // a volatile one no access.
                    self.unrecorded(|lowerer| lowerer.store(place, ty.unqualified(), src));
                }
            }
        }
        self.next = mark;
        Ok(())
    }

    /// The items of a list are evaluated one after the other, in an unspecified
    /// order, C11 6.7.9p23, and so are the parts of the object that they initialise.
    /// Records them if it could matter; `whole` is an object that has a name.
    fn begin_items(&mut self, items: &[InitItem], whole: Option<ObjectId>) -> bool {
        if self.starting {
            return false;
        }
        let values: Vec<ExprId> = items.iter().map(|item| item.value).collect();
        let operands: Vec<&[ExprId]> = values.chunks(1).collect();
        let recording = self.begin_initialisation(&operands, whole);
        if recording
            && let Some(begin) = self.code.ops.last_mut()
            && let Op::OrderBegin { level } = *begin
        {
            *begin = Op::OrderBeginIndeterminate { level };
        }
        recording
    }

    fn item(
        &mut self,
        place: Lvalue,
        ty: TypeId,
        at: InitPlace,
        value: ExprId,
        zeroed: bool,
    ) -> Checked {
        let (first, last) = match at {
            InitPlace::Elements { first, last } => (first, last),
            InitPlace::Field(_) => (0, 0),
        };
        let (part, part_type) = self.part(place, ty, at)?;
        self.initialise(part, part_type, value, zeroed)?;
        // A range gets copies of its first element, whose value is computed once.
        for index in first + 1..=last {
            let Some(size) = self.size_of(part_type) else { break };
            let mark = self.next;
            let from = self.address(part);
            let next = InitPlace::Elements { first: index, last: index };
            let (copy, _) = self.part(place, ty, next)?;
            let to = self.address(copy);
            self.unrecorded(|lowerer| {
                lowerer.emit(Op::CopyBytes { to, from, size: size as u32 });
            });
            self.next = mark;
        }
        Ok(())
    }

    /// Sets to zero what an initialiser list leaves out. Padding keeps having no value
    /// where that can be done member by member.
    fn clear(
        &mut self,
        place: Lvalue,
        ty: TypeId,
        given: impl Iterator<Item = InitPlace>,
    ) -> Checked {
        let given: Vec<InitPlace> = given.collect();
        match *self.program.resolve(ty) {
            Type::Record(record) => {
                let kind = self.program[record].kind;
                let fields = self.program[record].fields.as_deref().unwrap_or_default();
                if kind == RecordKind::Union && !given.is_empty() {
                    return Ok(());
                }
                let bit_fields = fields.iter().any(|field| field.bits.is_some());
                if bit_fields {
                    // Bit-fields share bytes: clear them all.
                    self.zero(place, ty);
                    return Ok(());
                }
                for (index, field) in fields.iter().enumerate() {
                    let at = InitPlace::Field(index as u32);
                    let flexible = matches!(
                        self.program.resolve(field.ty),
                        Type::Array { length: ArrayLength::Unknown, .. }
                    );
                    if given.contains(&at) || flexible {
                        continue;
                    }
                    let (part, part_type) = self.part(place, ty, at)?;
                    self.clear_whole(part, part_type)?;
                    if kind == RecordKind::Union {
                        break;
                    }
                }
                Ok(())
            }
            Type::Array { length: ArrayLength::Fixed(length), .. } => {
                let covered = given.iter().map(|place| match place {
                    InitPlace::Elements { first, last } => last - first + 1,
                    InitPlace::Field(_) => 0,
                });
                if covered.sum::<u64>() < length {
                    self.zero(place, ty);
                }
                Ok(())
            }
            _ => {
                self.zero(place, ty);
                Ok(())
            }
        }
    }

    fn clear_whole(&mut self, place: Lvalue, ty: TypeId) -> Checked {
        match self.program.resolve(ty) {
            Type::Record(_) => self.clear(place, ty, std::iter::empty()),
            _ => {
                self.zero(place, ty);
                Ok(())
            }
        }
    }

    fn zero(&mut self, place: Lvalue, ty: TypeId) {
        let Some(size) = self.size_of(ty) else { return };
        if size == 0 {
            return;
        }
        let mark = self.next;
        let pointer = self.address(place);
        self.unrecorded(|lowerer| {
            lowerer.emit(Op::Zero { pointer, size: size as u32 });
        });
        self.next = mark;
    }

    /// A string that initialises an array: its units, then zeros.
    fn string_bytes(&mut self, place: Lvalue, ty: TypeId, units: &[u32]) -> Checked {
        let Type::Array { element, length } = *self.program.resolve(ty) else {
            unreachable!("strings initialise arrays")
        };
        self.zero(place, ty);
        let unit = self.size_of(element).unwrap_or(1);
        let scalar = self.scalar(element).expect("well-formed: the elements are integers");
        let limit = match length {
            ArrayLength::Fixed(length) => length as usize,
            _ => units.len(),
        };
        for (index, value) in units.iter().take(limit).enumerate() {
            let mark = self.next;
            let src = self.constant(crate::value::Value { low: u64::from(*value), high: 0 }, None);
            let at = match place {
                Lvalue::Static { slot, offset } => {
                    Lvalue::Static { slot, offset: offset + (index as u64 * unit) as u32 }
                }
                Lvalue::Local { local, offset } => {
                    Lvalue::Local { local, offset: offset + (index as u64 * unit) as u32 }
                }
                other => {
                    let dst = self.temporary();
                    let pointer = self.address(other);
                    let offset = (index as u64 * unit) as u32;
                    self.emit(Op::Member { dst, pointer, offset, size: offset });
                    Lvalue::pointer(dst, 1)
                }
            };
            let _ = scalar;
            self.unrecorded(|lowerer| lowerer.store(at, element.unqualified(), src));
            self.next = mark;
        }
        Ok(())
    }

    /// Whether the initialiser of a flexible array member fits its object: only static
    /// objects are made larger, and only for the member of the object itself.
    fn has_room(&mut self, place: Lvalue, ty: TypeId, init: ExprId) -> bool {
        let flexible =
            matches!(self.program.resolve(ty), Type::Array { length: ArrayLength::Unknown, .. });
        if !flexible {
            return true;
        }
        let Lvalue::Static { slot, offset } = place else { return false };
        let size = self.size_of(self.program.type_of(init)).unwrap_or(u64::MAX);
        u64::from(offset).saturating_add(size) <= self.memory.slots[slot as usize].size
    }
}
