//! Which bytes and bits of a type belong to none of its members.

use farrier_lang::layout::Layouts;
use farrier_lang::{ArrayLength, Program, RecordKind, Type, TypeId};

use crate::value::Scalar;

/// Structures of more bytes are not searched for padding, because each byte is looked at.
const MOST_BYTES: u64 = 1 << 24;

/// A structure may have padding, but has more than [`MOST_BYTES`].
#[derive(Debug)]
pub(crate) struct TooLarge;

/// The padding of an object.
#[derive(Debug)]
pub(crate) struct Padding {
    /// The size of the elements, if it is an array; otherwise that of the object.
    pub(crate) stride: u64,
    /// Whether it is an array.
    pub(crate) repeats: bool,
    /// The bytes of one element with padding, in order, and the bits that are none.
    pub(crate) bytes: Vec<(u64, u8)>,
}

impl Padding {
    /// The padding of a type, if it has any.
    pub(crate) fn of(
        program: &Program,
        layouts: &mut Layouts,
        ty: TypeId,
    ) -> Result<Option<Self>, TooLarge> {
        let mut element = ty;
        let mut repeats = false;
        while let Type::Array { element: inner, .. } = *program.resolve(element) {
            (element, repeats) = (inner, true);
        }
        if !matches!(program.resolve(element), Type::Record(_)) {
            return Ok(None);
        }
        let stride = layouts.size_of(program, element).unwrap_or(0);
        if stride == 0 || stride > MOST_BYTES && is_full(program, layouts, element) {
            return Ok(None);
        }
        if stride > MOST_BYTES {
            return Err(TooLarge);
        }
        let mut used = vec![0; stride as usize];
        cover(program, layouts, element, &mut used);
        let bytes: Vec<(u64, u8)> = (0..).zip(used).filter(|(_, used)| *used != u8::MAX).collect();
        Ok((!bytes.is_empty()).then_some(Self { stride, repeats, bytes }))
    }

    /// Whether a byte of an element has padding.
    pub(crate) fn has(&self, offset: u64) -> bool {
        self.bytes.binary_search_by_key(&offset, |(byte, _)| *byte).is_ok()
    }
}

/// Whether a type certainly has no padding: the members of a structure fill it, and a member
/// of a union does.
fn is_full(program: &Program, layouts: &mut Layouts, ty: TypeId) -> bool {
    let size = layouts.size_of(program, ty).unwrap_or(0);
    match *program.resolve(ty) {
        Type::Record(record) => {
            let fields = program[record].fields.as_deref().unwrap_or_default();
            let sizes: Vec<u64> = fields
                .iter()
                .filter_map(|field| {
                    let full = field.bits.is_none() && is_full(program, layouts, field.ty);
                    full.then(|| layouts.size_of(program, field.ty).unwrap_or(0))
                })
                .collect();
            match program[record].kind {
                RecordKind::Struct => sizes.iter().sum::<u64>() == size,
                RecordKind::Union => sizes.contains(&size),
            }
        }
        Type::Array { element, .. } | Type::Complex(element) => is_full(program, layouts, element),
        _ => Scalar::of(program, ty).is_some_and(|ty| u64::from(ty.value_bytes(program)) == size),
    }
}

/// Whether a member is an array that may be larger than it says, so that it may reach into
/// what would be padding.
fn is_open(ty: &Type) -> bool {
    matches!(ty, Type::Array { length: ArrayLength::Fixed(0 | 1) | ArrayLength::Unknown, .. })
}

/// Notes the bits that a value of this type uses.
fn cover(program: &Program, layouts: &mut Layouts, ty: TypeId, used: &mut [u8]) {
    let size = layouts.size_of(program, ty).unwrap_or(0).min(used.len() as u64) as usize;
    let used = &mut used[..size];
    match *program.resolve(ty) {
        Type::Record(record) => {
            let Ok(layout) = layouts.record(program, record) else { return used.fill(u8::MAX) };
            let fields = program[record].fields.as_deref().unwrap_or_default();
            for (field, place) in fields.iter().zip(&layout.fields) {
                match place.bits {
                    None => {
                        let start = (place.offset as usize).min(used.len());
                        if is_open(program.resolve(field.ty)) {
                            used[start..].fill(u8::MAX);
                        }
                        cover(program, layouts, field.ty, &mut used[start..]);
                    }
                    Some(_) if field.name.is_none() => {}
                    Some(bits) => {
                        for bit in bits.offset..bits.offset + u64::from(bits.width) {
                            let big_endian = program.target.big_endian;
                            let place = if big_endian { 7 - bit % 8 } else { bit % 8 };
                            used[bit as usize / 8] |= 1 << place;
                        }
                    }
                }
            }
        }
        Type::Array { element, length: ArrayLength::Fixed(_) } | Type::Complex(element) => {
            let size = layouts.size_of(program, element).unwrap_or(0) as usize;
            if size > 0 {
                for part in used.chunks_mut(size) {
                    cover(program, layouts, element, part);
                }
            }
        }
        _ => {
            let bytes = Scalar::of(program, ty).map(|ty| ty.value_bytes(program) as usize);
            used[..bytes.unwrap_or(size).min(size)].fill(u8::MAX);
        }
    }
}
