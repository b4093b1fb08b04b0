//! Sizes, alignments and member offsets.
//!
//! The rules are those of GCC (`stor-layout.cc`), which are the System V ABI where
//! that says anything. A test compares them with the compilers themselves.
//!
//! One thing is left out: where a processor needs aligned numbers, a record of a single complex
//! number of sixteen bytes may keep a chosen alignment that GCC forgets, which shows in records
//! that have a vector wider than any register beside it.
//!
//! Clang differs where the ABI is silent: bit-fields whose type is an over-aligned or
//! under-aligned typedef, `aligned` on a bit-field under `#pragma pack`, `_Alignof` of vectors wider than a register, `__alignof__`
//! of member expressions, and on i386 integer vectors of eight bytes as members (where
//! GCC changes its mind with `-mmmx` too).

mod record;

use std::fmt;
use std::sync::Arc;

use crate::arena::{Id, ObjectId, RecordId};
use crate::program::Program;
use crate::target::{FloatFormat, ScalarLayout, Target};
use crate::types::{ArrayLength, Qualifiers, Type, TypeId};

/// Why a type has no size or alignment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NoLayout {
    /// `void`: GNU C takes its size and alignment to be one.
    Void,
    /// A function: GNU C takes its size and alignment to be one.
    Function,
    /// An incomplete type, or a record that contains itself.
    Incomplete,
    /// The size of a variable-length array is not known before it is declared.
    Variable,
    /// Larger than any object of the target can be.
    TooLarge,
    /// The target lacks the type.
    Missing,
}

impl fmt::Display for NoLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Void => "void has no size",
            Self::Function => "a function has no size",
            Self::Incomplete => "the type is incomplete",
            Self::Variable => "the size of a variable-length array is not constant",
            Self::TooLarge => "the type is larger than the address space allows",
            Self::Missing => "the target does not have this type",
        })
    }
}

impl std::error::Error for NoLayout {}

/// The layout of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordLayout {
    /// `sizeof`
    pub size: u64,
    /// `_Alignof`
    pub align: u32,
    /// One for each member of the record, in order.
    pub fields: Box<[FieldLayout]>,
    form: Form,
}

/// Where a member is in its record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldLayout {
    /// The byte at which it starts; of a bit-field, the byte that holds its first bit.
    pub offset: u64,
    /// The alignment that the layout gave it: `__alignof__ record.member`. One for a
    /// bit-field, which C does not let a program ask for.
    pub align: u32,
    /// The bits of a bit-field.
    pub bits: Option<BitRange>,
}

/// The bits that a bit-field occupies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitRange {
    /// The first bit, counted from the start of the record in the order of the
    /// target: on a little-endian one, bit `n` is bit `n % 8`, the lowest being 0,
    /// of byte `n / 8`.
    pub offset: u64,
    /// How many there are.
    pub width: u32,
}

/// What layout needs to know of any type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Form {
    size: u64,
    /// The alignment that `__alignof__` tells, from which that of members follows.
    align: u32,
    /// Whether an attribute chose the alignment; the target then does not lower it for members.
    chosen: bool,
    /// How GCC would hold a value of the type.
    mode: Mode,
    /// Whether the target may lower the alignment of members of this type, or of arrays of it.
    lowered: bool,
}

/// What matters of GCC's machine modes. On i386 they decide whether the alignment of a
/// member is lowered, even for records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// An integer, a `double`, or a complex number made of two of them.
    Lowered,
    /// Any other number, or a vector.
    Kept,
    /// Nothing but bytes: `BLKmode`.
    Block,
}

/// The layouts of the types of one program, each computed once.
///
/// The memo belongs to the caller, and is good for one program for as long as no
/// completed record changes.
#[derive(Clone, Debug, Default)]
pub struct Layouts {
    records: Vec<Memo>,
    /// By type, without its qualifiers: the forms of those that have one.
    forms: Vec<Option<Form>>,
}

#[derive(Clone, Debug, Default)]
enum Memo {
    #[default]
    Unknown,
    /// Being computed: a record that is met again contains itself.
    Open,
    Known(Arc<RecordLayout>),
}

impl Layouts {
    /// `sizeof (ty)`
    #[inline]
    pub fn size_of(&mut self, program: &Program, ty: TypeId) -> Result<u64, NoLayout> {
        // No qualifier changes a size.
        match self.forms.get(ty.index()) {
            Some(Some(known)) => Ok(known.size),
            _ => Ok(self.form(program, ty)?.size),
        }
    }

    /// `_Alignof (ty)`
    pub fn align_of(&mut self, program: &Program, ty: TypeId) -> Result<u32, NoLayout> {
        let form = self.alignment_form(program, ty)?;
        if form.chosen {
            return Ok(form.align);
        }
        Ok(form.field_align(program.target, form.align.min(program.target.biggest_align)))
    }

    /// `__alignof__ (ty)`: the alignment of a variable of this type.
    pub fn preferred_align_of(&mut self, program: &Program, ty: TypeId) -> Result<u32, NoLayout> {
        Ok(self.alignment_form(program, ty)?.align)
    }

    /// The alignment of an object, with what its declaration asks for.
    pub fn object_align(&mut self, program: &Program, object: ObjectId) -> Result<u32, NoLayout> {
        let object = &program[object];
        match object.align {
            // An attribute may ask for less than the type would.
            Some(align) => Ok(align),
            None => self.preferred_align_of(program, object.ty),
        }
    }

    /// The layout of a struct or union.
    pub fn record(
        &mut self,
        program: &Program,
        record: RecordId,
    ) -> Result<Arc<RecordLayout>, NoLayout> {
        let index = record.index();
        if self.records.len() <= index {
            self.records.resize_with(index + 1, Memo::default);
        }
        match &self.records[index] {
            Memo::Known(layout) => return Ok(Arc::clone(layout)),
            Memo::Open => return Err(NoLayout::Incomplete),
            Memo::Unknown => {}
        }
        self.records[index] = Memo::Open;
        match record::place(self, program, &program[record]) {
            Ok(layout) => {
                let layout = Arc::new(layout);
                self.records[index] = Memo::Known(Arc::clone(&layout));
                Ok(layout)
            }
            // Nothing is remembered: an incomplete record may be completed later.
            Err(reason) => {
                self.records[index] = Memo::Unknown;
                Err(reason)
            }
        }
    }

    /// Size and alignment of a complete type.
    fn form(&mut self, program: &Program, ty: TypeId) -> Result<Form, NoLayout> {
        let index = ty.index();
        let form = match self.forms.get(index) {
            Some(Some(known)) => *known,
            _ => {
                let form = self.new_form(program, ty)?;
                self.forms.resize(self.forms.len().max(index + 1), None);
                self.forms[index] = Some(form);
                form
            }
        };
        Ok(form.with_qualifiers(ty.qualifiers()))
    }

    fn new_form(&mut self, program: &Program, ty: TypeId) -> Result<Form, NoLayout> {
        Ok(match *program.types.get(ty) {
            Type::Void => return Err(NoLayout::Void),
            Type::Function(_) => return Err(NoLayout::Function),
            Type::Int(_)
            | Type::BitInt { .. }
            | Type::Float(_)
            | Type::Enum(_)
            | Type::Pointer(_)
            | Type::NullPointer
            | Type::VaList => scalar(program, ty)?,
            Type::Complex(element) => {
                let part = scalar(program, element)?;
                Form { size: part.size * 2, ..part }
            }
            Type::Array { element, length } => {
                let length = match length {
                    ArrayLength::Fixed(length) => length,
                    ArrayLength::Unknown => return Err(NoLayout::Incomplete),
                    ArrayLength::Variable(_) | ArrayLength::Star => return Err(NoLayout::Variable),
                };
                let element = self.form(program, element)?;
                let size = checked(program, element.size.checked_mul(length))?;
                let mode = match element.mode {
                    mode if mode == Mode::Block || size == element.size => mode,
                    _ => integer_mode(program, size),
                };
                record::settle(program, Form { size, mode, ..element })
            }
            Type::Vector { element, lanes } => {
                let lane = scalar(program, element)?;
                let size = checked(program, lane.size.checked_mul(lanes.into()))?;
                let align = u32::try_from(size)
                    .ok()
                    .and_then(u32::checked_next_power_of_two)
                    .ok_or(NoLayout::TooLarge)?;
                let align = program.target.vector_align.map_or(align, |most| align.min(most));
                // GCC for i386 has no vector registers unless told so.
                let mode = match program.resolve(element) {
                    Type::Float(_) => Mode::Block,
                    _ => integer_mode(program, size),
                };
                Form { size, align, chosen: false, mode, lowered: mode == Mode::Lowered }
            }
            Type::Record(id) => self.record(program, id)?.form,
            Type::Typedef(id) => {
                let typedef = &program[id];
                let base = self.form(program, typedef.base)?;
                match typedef.align {
                    Some(align) => Form { align, chosen: true, ..base },
                    None => base,
                }
            }
        })
    }

    /// Alignment of a type, which arrays of unknown or variable length have too.
    /// The size means nothing.
    fn alignment_form(&mut self, program: &Program, ty: TypeId) -> Result<Form, NoLayout> {
        let form = match *program.types.get(ty) {
            Type::Array { element, .. } => self.alignment_form(program, element)?,
            Type::Typedef(id) => {
                let base = self.alignment_form(program, program[id].base)?;
                match program[id].align {
                    Some(align) => Form { align, chosen: true, ..base },
                    None => base,
                }
            }
            _ => return self.form(program, ty),
        };
        Ok(form.with_qualifiers(ty.qualifiers()))
    }
}

impl Form {
    /// What qualifiers change: lock-free access needs the full alignment.
    fn with_qualifiers(self, qualifiers: Qualifiers) -> Self {
        Self { lowered: self.lowered && !qualifiers.contains(Qualifiers::ATOMIC), ..self }
    }

    /// The alignment of a member of this type, whose own alignment is `align` and was
    /// not chosen by an attribute: i386 lowers that of 64-bit numbers.
    fn field_align(self, target: &Target, align: u32) -> u32 {
        let ScalarLayout { align: lowered, preferred, .. } = target.long_long;
        if self.lowered && lowered < preferred { align.min(lowered) } else { align }
    }
}

/// The mode of so many bytes if they can be an integer.
fn integer_mode(program: &Program, size: u64) -> Mode {
    let target = program.target;
    let widest = target.int128.unwrap_or(target.long_long).size.into();
    if size.is_power_of_two() && size <= widest { Mode::Lowered } else { Mode::Block }
}

/// A size that an object of the target can have: at most half of the address space,
/// so that the difference of two pointers into it fits.
fn checked(program: &Program, size: Option<u64>) -> Result<u64, NoLayout> {
    let limit = u64::MAX >> (65 - program.target.pointer.size * 8);
    size.filter(|size| *size <= limit).ok_or(NoLayout::TooLarge)
}

/// Size and alignment of an integer, real, pointer or `va_list` type.
fn scalar(program: &Program, ty: TypeId) -> Result<Form, NoLayout> {
    let target = program.target;
    let mut mode = Mode::Lowered;
    let scalar = match *program.resolve(ty) {
        Type::Int(kind) => target.int_scalar(kind),
        Type::Enum(id) => {
            let declared = &program[id];
            if declared.constants.is_none() && !declared.fixed {
                return Err(NoLayout::Incomplete);
            }
            target.int_scalar(declared.underlying)
        }
        Type::BitInt { width, .. } => target.bit_int_scalar(width),
        Type::Float(kind) => {
            let format = target.float_scalar(kind).map(|(_, format)| format);
            if format != Some(FloatFormat::Double) {
                mode = Mode::Kept;
            }
            target.float_layout(kind)
        }
        Type::Pointer(_) | Type::NullPointer => Some(target.pointer),
        Type::VaList => Some(target.va_list),
        _ => None,
    }
    .ok_or(NoLayout::Missing)?;
    Ok(Form {
        size: scalar.size.into(),
        align: scalar.preferred,
        chosen: false,
        mode,
        lowered: mode == Mode::Lowered,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::ExprId;
    use crate::program::{Dialect, Field, Record, RecordKind};
    use crate::target::{AARCH64_LINUX, AVR, I386_LINUX, X86_64_LINUX};
    use crate::types::{FunctionType, IntKind, Types};

    fn field(ty: TypeId, bits: Option<u32>) -> Field {
        Field { name: None, ty, bits, packed: false, align: None, attributes: [].into() }
    }

    fn add_struct(program: &mut Program, fields: Option<Box<[Field]>>) -> RecordId {
        program.records.push(Record {
            kind: RecordKind::Struct,
            tag: None,
            fields,
            packed: false,
            pack: None,
            align: None,
            may_alias: false,
            attributes: [].into(),
        })
    }

    #[test]
    fn types_without_a_layout() {
        let mut program = Program::new(&X86_64_LINUX, Dialect::C17);
        let types = &mut program.types;
        let function = types.function(FunctionType {
            result: Types::VOID,
            parameters: [].into(),
            variadic: false,
            prototyped: true,
        });
        let unknown = types.array_of(Types::INT, ArrayLength::Unknown);
        let variable = types.array_of(Types::INT, ArrayLength::Variable(ExprId::from_index(0)));
        let huge = types.array_of(Types::INT, ArrayLength::Fixed(1 << 62));
        let larger = types.array_of(huge, ArrayLength::Fixed(u64::MAX));
        let mut layouts = Layouts::default();
        for (ty, reason) in [
            (Types::VOID, NoLayout::Void),
            (function, NoLayout::Function),
            (unknown, NoLayout::Incomplete),
            (variable, NoLayout::Variable),
            (huge, NoLayout::TooLarge),
            (larger, NoLayout::TooLarge),
        ] {
            assert_eq!(layouts.size_of(&program, ty), Err(reason));
        }
        assert_eq!(layouts.align_of(&program, unknown), Ok(4));
        assert_eq!(layouts.align_of(&program, variable), Ok(4));
        let half = program.types.array_of(Types::CHAR, ArrayLength::Fixed(i64::MAX as u64));
        assert_eq!(layouts.size_of(&program, half), Ok(i64::MAX as u64));
        let both = add_struct(&mut program, Some([field(half, None), field(half, None)].into()));
        assert_eq!(layouts.record(&program, both), Err(NoLayout::TooLarge));
        let avr = Program::new(&AVR, Dialect::C17);
        let wide = Types::int(IntKind::Int128);
        assert_eq!(layouts.size_of(&avr, wide), Err(NoLayout::Missing));
    }

    /// The front end asks while a record is still incomplete, and again when it is not.
    #[test]
    fn a_record_can_be_completed() {
        let mut program = Program::new(&X86_64_LINUX, Dialect::C17);
        let mut layouts = Layouts::default();
        let id = add_struct(&mut program, None);
        assert_eq!(layouts.record(&program, id), Err(NoLayout::Incomplete));
        let itself = program.types.intern(Type::Record(id));
        program[id].fields = Some([field(itself, None)].into());
        assert_eq!(layouts.record(&program, id), Err(NoLayout::Incomplete));
        program[id].fields = Some([field(Types::INT, Some(3)), field(Types::CHAR, None)].into());
        let layout = layouts.record(&program, id).expect("complete");
        // An unnamed bit-field does not align the record.
        assert_eq!((layout.size, layout.align), (2, 1));
        assert_eq!(layout.fields[0].bits, Some(BitRange { offset: 0, width: 3 }));
        assert_eq!(layout.fields[1].offset, 1);
    }

    /// No compiler here has `_BitInt`: the psABIs say this.
    #[test]
    fn bit_precise_integers() {
        for (target, width, size, align) in [
            (&X86_64_LINUX, 1, 1, 1),
            (&X86_64_LINUX, 9, 2, 2),
            (&X86_64_LINUX, 64, 8, 8),
            (&X86_64_LINUX, 65, 16, 8),
            (&X86_64_LINUX, 129, 24, 8),
            (&I386_LINUX, 33, 8, 4),
            (&I386_LINUX, 65, 12, 4),
            (&AARCH64_LINUX, 64, 8, 8),
            (&AARCH64_LINUX, 65, 16, 16),
            (&AARCH64_LINUX, 129, 32, 16),
        ] {
            let mut program = Program::new(target, Dialect::C23);
            let ty = program.types.intern(Type::BitInt { signed: true, width });
            let mut layouts = Layouts::default();
            assert_eq!(layouts.size_of(&program, ty), Ok(size), "{} {width}", target.name);
            assert_eq!(layouts.align_of(&program, ty), Ok(align), "{} {width}", target.name);
        }
    }
}
