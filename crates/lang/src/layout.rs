//! Sizes, alignments and member offsets.
//!
//! The rules are those of GCC (`stor-layout.cc`), which are the System V ABI where
//! that says anything. A test compares them with the compilers themselves.

mod record;

use std::fmt;
use std::sync::Arc;

use crate::arena::{Id, ObjectId, RecordId};
use crate::program::Program;
use crate::target::Scalar;
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
    /// bit-field, of which C does not let anybody ask.
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
}

/// The layouts of the records of one program, each computed once.
///
/// The memo belongs to whoever asks, and is good for one program for as long as no
/// completed record changes.
#[derive(Clone, Debug, Default)]
pub struct Layouts {
    records: Vec<Memo>,
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
    pub fn size_of(&mut self, program: &Program, ty: TypeId) -> Result<u64, NoLayout> {
        Ok(self.form(program, ty)?.size)
    }

    /// `_Alignof (ty)`
    pub fn align_of(&mut self, program: &Program, ty: TypeId) -> Result<u32, NoLayout> {
        let form = self.alignment_form(program, ty)?;
        if form.chosen {
            return Ok(form.align);
        }
        Ok(field_align(program, ty, form.align.min(program.target.biggest_align)))
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
        let target = program.target;
        match *program.types.get(ty) {
            Type::Void => Err(NoLayout::Void),
            Type::Function(_) => Err(NoLayout::Function),
            Type::Int(_)
            | Type::BitInt { .. }
            | Type::Float(_)
            | Type::Enum(_)
            | Type::Pointer(_)
            | Type::NullPointer
            | Type::VaList => Ok(scalar(program, ty)?.into()),
            Type::Complex(element) => {
                let part = Form::from(scalar(program, element)?);
                Ok(Form { size: part.size * 2, ..part })
            }
            Type::Array { element, length } => {
                let length = match length {
                    ArrayLength::Fixed(length) => length,
                    ArrayLength::Unknown => return Err(NoLayout::Incomplete),
                    ArrayLength::Variable(_) | ArrayLength::Star => return Err(NoLayout::Variable),
                };
                let element = self.form(program, element)?;
                Ok(Form { size: checked(program, element.size.checked_mul(length))?, ..element })
            }
            Type::Vector { element, lanes } => {
                let element = scalar(program, element)?;
                let size = checked(program, u64::from(element.size).checked_mul(lanes.into()))?;
                let align = u32::try_from(size)
                    .ok()
                    .and_then(u32::checked_next_power_of_two)
                    .ok_or(NoLayout::TooLarge)?;
                Ok(Form { size, align, chosen: false })
            }
            Type::Record(id) => Ok(self.record(program, id)?.form),
            Type::Typedef(id) => {
                let typedef = &program[id];
                let base = self.form(program, typedef.base)?;
                Ok(match typedef.align {
                    Some(align) => Form { align, chosen: true, ..base },
                    None => base,
                })
            }
        }
        .inspect(|form| debug_assert!(form.align.is_power_of_two(), "{} {form:?}", target.name))
    }

    /// Alignment of a type, which arrays of unknown or variable length have too.
    /// The size means nothing.
    fn alignment_form(&mut self, program: &Program, ty: TypeId) -> Result<Form, NoLayout> {
        match *program.types.get(ty) {
            Type::Array { element, .. } => self.alignment_form(program, element),
            Type::Typedef(id) => match program[id].align {
                Some(align) => Ok(Form { size: 0, align, chosen: true }),
                None => self.alignment_form(program, program[id].base),
            },
            _ => self.form(program, ty),
        }
    }
}

impl From<Scalar> for Form {
    fn from(scalar: Scalar) -> Self {
        Self { size: scalar.size.into(), align: scalar.preferred, chosen: false }
    }
}

/// A size that an object of the target can have: at most half of the address space,
/// so that the difference of two pointers into it fits.
fn checked(program: &Program, size: Option<u64>) -> Result<u64, NoLayout> {
    let limit = u64::MAX >> (65 - program.target.pointer.size * 8);
    size.filter(|size| *size <= limit).ok_or(NoLayout::TooLarge)
}

/// Size and alignment of an integer, real, pointer or `va_list` type.
fn scalar(program: &Program, ty: TypeId) -> Result<Scalar, NoLayout> {
    let target = program.target;
    match *program.resolve(ty) {
        Type::Int(kind) => target.int_scalar(kind),
        Type::Enum(id) => {
            let declared = &program[id];
            if declared.constants.is_none() && !declared.fixed {
                return Err(NoLayout::Incomplete);
            }
            target.int_scalar(declared.underlying)
        }
        Type::BitInt { width, .. } => target.bit_int_scalar(width),
        Type::Float(kind) => target.float_scalar(kind).map(|(scalar, _)| scalar),
        Type::Pointer(_) | Type::NullPointer => Some(target.pointer),
        Type::VaList => Some(target.va_list),
        _ => None,
    }
    .ok_or(NoLayout::Missing)
}

/// The alignment of a member of type `ty`, whose own alignment is `align` and was
/// not chosen by an attribute: i386 lowers that of 64-bit scalars.
fn field_align(program: &Program, ty: TypeId, align: u32) -> u32 {
    let mut element = ty;
    while let Type::Array { element: inner, .. } = *program.resolve(element) {
        element = inner;
    }
    let scalar = match *program.resolve(element) {
        Type::Complex(part) => scalar(program, part),
        // Without vector registers an integer vector of eight bytes is a `long long`.
        Type::Vector { element: lane, lanes } => {
            let long_long = program.target.long_long;
            match (program.resolve(lane), scalar(program, lane)) {
                (Type::Int(_), Ok(lane)) if lane.size * lanes == long_long.size => Ok(long_long),
                _ => return align,
            }
        }
        _ => scalar(program, element),
    };
    let Ok(scalar) = scalar else { return align };
    // Lock-free access needs the full alignment.
    if scalar.align == scalar.preferred || element.qualifiers().contains(Qualifiers::ATOMIC) {
        return align;
    }
    align.min(scalar.align)
}
