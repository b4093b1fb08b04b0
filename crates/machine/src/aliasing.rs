//! Effective types, C11 6.5p6 and p7: through which lvalues an object may be accessed.

use farrier_lang::layout::Layouts;
use farrier_lang::{ArrayLength, IntKind, Program, Qualifiers, RecordId, RecordKind, Type, TypeId};
use rustc_hash::FxHashMap;

use crate::paths::{ANY, Path, PathId, Paths, Step};

/// Whether an object may be accessed in some way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccessAnswer {
    Allowed,
    /// The declared type allows it, but it is in a union: it depends on what was stored.
    InUnion,
    WrongType,
    /// The object is volatile, the lvalue is not.
    NotVolatile,
}

/// Whether a byte that was stored through one path may be read through another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Agreement {
    Agrees,
    /// The same member of two records that are members of one union: C11 6.5.2.3p6 can be
    /// read as if it allowed it, and compilers do not.
    CommonUnion,
    Disagrees,
}

/// A question that was asked about an access: the declared type, the offset, the path, and
/// whether the lvalue is volatile.
type Question = (TypeId, u64, PathId, bool);

/// A question with its answer.
type Recent = Option<(Question, AccessAnswer)>;

/// How many answers are kept where they are found without a search.
const RECENT: usize = 64;

/// Of so many elements of arrays in arrays it is asked at most whether they are alike.
const MOST_ALIKE: usize = 16;

/// What was found out about accesses.
#[derive(Debug)]
pub(crate) struct Aliasing {
    strict: bool,
    /// Whether a declared type may be accessed at an offset through a path.
    known: FxHashMap<Question, AccessAnswer>,
    /// The answers given last, by a part of the question.
    recent: Box<[Recent; RECENT]>,
    /// By type: the array that it is, or one of no bytes; once known.
    arrays: Vec<Option<Elements>>,
    /// By the codes of two bytes.
    agreements: FxHashMap<(u32, u32), Agreement>,
}

/// The elements of an array.
#[derive(Clone, Copy, Debug)]
struct Elements {
    /// The size of one, and of all.
    size: u64,
    whole: u64,
    /// One less than the size, if that is a power of two: a division takes long.
    mask: Option<u64>,
}

impl Elements {
    /// Where in its element a byte of the array is.
    #[inline]
    fn inside(self, offset: u64) -> u64 {
        match self.mask {
            Some(mask) => offset & mask,
            None => offset % self.size,
        }
    }
}

/// What an operation was allowed to access last, and all that it may access then: the same byte
/// of other elements of an array.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Allowed {
    declared: Option<TypeId>,
    first: u64,
    bytes: u64,
    mask: u64,
    inside: u64,
}

impl Allowed {
    /// No access of an object of this type.
    pub(crate) fn nothing_of(declared: TypeId) -> Self {
        Self { declared: Some(declared), ..Self::default() }
    }

    /// Whether it is about objects of this type.
    pub(crate) fn is_about(&self, declared: TypeId) -> bool {
        self.declared == Some(declared)
    }

    /// Whether this access is one of them.
    #[inline]
    pub(crate) fn includes(&self, declared: TypeId, offset: u64) -> bool {
        self.declared == Some(declared)
            && offset.wrapping_sub(self.first) < self.bytes
            && offset & self.mask == self.inside
    }
}

/// What answers are about.
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layouts: &'a mut Layouts,
    pub(crate) paths: &'a mut Paths,
}

impl Aliasing {
    pub(crate) fn new(strict: bool) -> Self {
        let (known, agreements) = (FxHashMap::default(), FxHashMap::default());
        let recent = Box::new([Recent::default(); RECENT]);
        Self { strict, known, recent, arrays: Vec::new(), agreements }
    }

    #[inline]
    pub(crate) fn allows(
        &mut self,
        context: Context,
        declared: TypeId,
        offset: u64,
        path: PathId,
        volatile: bool,
    ) -> AccessAnswer {
        let elements = match self.arrays.get(declared.index()) {
            Some(Some(elements)) => *elements,
            _ => self.learn_array(context.program, context.layouts, declared),
        };
        // As in `first_alike`: most elements of arrays are never asked about.
        let alike = offset >= elements.size && offset < elements.whole;
        let offset = if alike { elements.size + elements.inside(offset) } else { offset };
        let key = (declared, offset, path, volatile);
        let place = (declared.index() ^ offset as usize ^ path as usize) % RECENT;
        if let Some((last, answer)) = self.recent[place]
            && last == key
        {
            return answer;
        }
        let answer = match self.known.get(&key) {
            Some(known) => *known,
            None => self.find_out(context, key),
        };
        self.recent[place] = Some((key, answer));
        answer
    }

    #[cold]
    fn learn_array(
        &mut self,
        program: &Program,
        layouts: &mut Layouts,
        declared: TypeId,
    ) -> Elements {
        let (size, whole) = array_sizes(program, layouts, declared).unwrap_or_default();
        let mask = size.is_power_of_two().then(|| size - 1);
        let elements = Elements { size, whole, mask };
        let index = declared.index();
        if self.arrays.len() <= index {
            self.arrays.resize(index + 1, None);
        }
        self.arrays[index] = Some(elements);
        elements
    }

    #[cold]
    fn find_out(&mut self, context: Context, key: Question) -> AccessAnswer {
        let (declared, offset, path, volatile) = key;
        let Context { program, layouts, paths } = context;
        let alike = first_alike(program, layouts, declared, offset);
        if alike != offset {
            let context = Context { program, layouts, paths };
            let answer = self.allows(context, declared, alike, path, volatile);
            self.known.insert(key, answer);
            return answer;
        }
        let free = !self.strict || path == ANY;
        let answer = if !free && !permits(program, layouts, declared, offset, paths.get(path)) {
            AccessAnswer::WrongType
        } else if !volatile
            && qualified_at(program, layouts, declared, offset, Qualifiers::VOLATILE)
        {
            AccessAnswer::NotVolatile
        } else if !free
            && around(program, layouts, declared, offset, &mut |_, ty, _| is_union(program, ty))
        {
            AccessAnswer::InUnion
        } else {
            AccessAnswer::Allowed
        };
        self.known.insert(key, answer);
        answer
    }

    /// All accesses of an object of this type that are allowed because one is at this offset: of
    /// an array, or one of arrays, the same byte of all elements.
    #[cold]
    pub(crate) fn allowed_like(
        &mut self,
        context: Context,
        declared: TypeId,
        offset: u64,
        path: PathId,
        volatile: bool,
    ) -> Allowed {
        let Context { program, layouts, paths } = context;
        let one = Allowed { declared: Some(declared), first: offset, bytes: 1, mask: 0, inside: 0 };
        let Some((mut size, all)) = array_sizes(program, layouts, declared) else { return one };
        // Of each array the first element, and one of the others, which are alike.
        let (mut elements, mut ty) = (vec![0], declared);
        while let Type::Array { element, .. } = *program.resolve(ty) {
            let Some((inner, whole)) = array_sizes(program, layouts, ty) else { return one };
            size = inner;
            if size < whole {
                if elements.len() == MOST_ALIKE {
                    return one;
                }
                elements.extend_from_within(..);
                let half = elements.len() / 2;
                elements[half..].iter_mut().for_each(|first| *first += size);
            }
            ty = element;
        }
        let mask = size.wrapping_sub(1);
        if !size.is_power_of_two() || offset >= all {
            return one;
        }
        let inside = offset & mask;
        let allowed = elements.iter().all(|first| {
            let context = Context { program, layouts, paths };
            let answer = self.allows(context, declared, first + inside, path, volatile);
            answer == AccessAnswer::Allowed
        });
        if allowed { Allowed { first: 0, bytes: all, mask, inside, ..one } } else { one }
    }

    /// Whether a byte that was stored in one way may be read in another.
    #[cold]
    pub(crate) fn agreement(&mut self, context: Context, stored: u32, read: u32) -> Agreement {
        if let Some(known) = self.agreements.get(&(stored, read)) {
            return *known;
        }
        let Context { program, layouts, paths } = context;
        let stored_part = paths.decoded(program, layouts, stored);
        let answer = match (stored_part, paths.decoded(program, layouts, read)) {
            (Some((a, from)), Some((b, to))) => {
                let (a, b) = (paths.get(a), paths.get(b));
                let same_part =
                    a.within || b.within || from == to && same_stored(program, a.ty, b.ty);
                if same_part && agree(program, a, b) {
                    Agreement::Agrees
                } else if same_part && in_one_union(program, a, b) {
                    Agreement::CommonUnion
                } else {
                    Agreement::Disagrees
                }
            }
            _ => Agreement::Agrees,
        };
        self.agreements.insert((stored, read), answer);
        answer
    }
}

/// The first offset of a type for which all answers are those for `offset`: the elements of an
/// array are alike, but for the first, where the array begins too.
fn first_alike(program: &Program, layouts: &mut Layouts, ty: TypeId, offset: u64) -> u64 {
    let Type::Array { element, .. } = *program.resolve(ty) else { return offset };
    match array_sizes(program, layouts, ty) {
        Some((size, whole)) if offset < whole => {
            let inner = first_alike(program, layouts, element, offset % size);
            if offset < size { inner } else { size + inner }
        }
        _ => offset,
    }
}

/// The sizes of an element and of the whole of an array whose elements have bytes.
fn array_sizes(program: &Program, layouts: &mut Layouts, ty: TypeId) -> Option<(u64, u64)> {
    let Type::Array { element, length: ArrayLength::Fixed(length) } = *program.resolve(ty) else {
        return None;
    };
    let size = layouts.size_of(program, element).ok().filter(|size| *size > 0)?;
    Some((size, length.saturating_mul(size)))
}

/// Whether two paths may lead to the same byte: one continues the other, or one ends in a
/// union or record that the other is a part of.
fn agree(program: &Program, a: &Path, b: &Path) -> bool {
    match (a.within, b.within) {
        (false, false) => continues(&a.steps, &b.steps),
        (true, _) if includes(program, a, b) => true,
        (_, true) => includes(program, b, a),
        _ => false,
    }
}

/// Whether the shorter of two lists of steps is the end of the other.
fn continues(a: &[Step], b: &[Step]) -> bool {
    a.iter().rev().zip(b.iter().rev()).all(|(a, b)| {
        let elements = a.element.is_none() || b.element.is_none() || a.element == b.element;
        a.record == b.record && a.field == b.field && elements
    })
}

/// Whether a path that ends within a record may lead to the same byte as one that goes
/// through the record, or begins in it.
fn includes(program: &Program, outer: &Path, inner: &Path) -> bool {
    let through = |(index, step): (usize, &Step)| {
        record_of(program, outer.ty) == Some(step.record)
            && continues(&outer.steps, &inner.steps[..index])
    };
    let base = base_of(program, inner);
    inner.steps.iter().enumerate().any(through)
        || inner.within
            && record_of(program, outer.ty) == record_of(program, inner.ty)
            && continues(&outer.steps, &inner.steps)
        || has_part(program, outer.ty, &mut |ty| match base {
            Some(_) => record_of(program, ty) == base,
            None => is_character(program, ty) || same_stored(program, ty, inner.ty),
        })
}

/// The record that a path begins in.
fn base_of(program: &Program, path: &Path) -> Option<RecordId> {
    match path.steps.first() {
        Some(step) => Some(step.record),
        None => record_of(program, path.ty),
    }
}

/// Whether some union has both records in which the paths begin as members.
fn in_one_union(program: &Program, a: &Path, b: &Path) -> bool {
    let (Some(a), Some(b)) = (base_of(program, a), base_of(program, b)) else { return false };
    program.records.iter().any(|(_, record)| {
        let has = |member| {
            let mut fields = record.fields.iter().flatten();
            fields.any(|field| record_of(program, field.ty) == Some(member))
        };
        record.kind == RecordKind::Union && has(a) && has(b)
    })
}

fn record_of(program: &Program, ty: TypeId) -> Option<RecordId> {
    match *program.resolve(ty) {
        Type::Record(record) => Some(record),
        _ => None,
    }
}

fn is_union(program: &Program, ty: TypeId) -> bool {
    record_of(program, ty).is_some_and(|record| program[record].kind == RecordKind::Union)
}

/// Whether a type has a part of some kind, at any depth.
fn has_part(program: &Program, ty: TypeId, test: &mut dyn FnMut(TypeId) -> bool) -> bool {
    test(ty)
        || match *program.resolve(ty) {
            Type::Array { element, .. } | Type::Vector { element, .. } | Type::Complex(element) => {
                has_part(program, element, test)
            }
            Type::Record(record) => {
                let mut fields = program[record].fields.iter().flatten();
                fields.any(|field| has_part(program, field.ty, test))
            }
            _ => false,
        }
}

/// Types through which a stored value may be read. Compilers tell pointers apart by what
/// they point to in the end, and let those to void stand for all.
fn same_stored(program: &Program, a: TypeId, b: TypeId) -> bool {
    let pointers = program.pointee(a).is_some() && program.pointee(b).is_some();
    same(program, a, b) || pointers && (leads_to_void(program, a) || leads_to_void(program, b))
}

fn leads_to_void(program: &Program, ty: TypeId) -> bool {
    match *program.resolve(ty) {
        Type::Void => true,
        Type::Pointer(to) | Type::Array { element: to, .. } => leads_to_void(program, to),
        _ => false,
    }
}

/// The size of a type; 0 if it has none before the program runs.
pub(crate) fn size_of(program: &Program, layouts: &mut Layouts, ty: TypeId) -> u64 {
    layouts.size_of(program, ty).unwrap_or(0)
}

/// Whether two places of an object are in different members of a structure. The end of
/// one may be the start of the next.
pub(crate) fn separated(
    program: &Program,
    layouts: &mut Layouts,
    ty: TypeId,
    low: u64,
    high: u64,
) -> bool {
    match *program.resolve(ty) {
        Type::Array { element, .. } => match layouts.size_of(program, element) {
            Ok(size) if size > 0 && high <= (low / size + 1) * size => {
                let start = low / size * size;
                separated(program, layouts, element, low - start, high - start)
            }
            _ => false,
        },
        Type::Record(record) if program[record].kind == RecordKind::Struct => {
            let Ok(layout) = layouts.record(program, record) else { return false };
            if low == high || low == 0 && high == layout.size {
                return false;
            }
            let fields = program[record].fields.as_deref().unwrap_or_default();
            let places: Vec<u64> = layout.fields.iter().map(|field| field.offset).collect();
            fields.iter().zip(places).all(|(field, start)| {
                // A flexible member has no size, and the object may go on.
                let Ok(size) = layouts.size_of(program, field.ty) else { return low < start };
                low < start
                    || high > start + size
                    || separated(program, layouts, field.ty, low - start, high - start)
            })
        }
        _ => false,
    }
}

/// Whether a byte of an object has bits of a const bit-field.
pub(crate) fn has_const_bits(
    program: &Program,
    layouts: &mut Layouts,
    ty: TypeId,
    offset: u64,
) -> bool {
    match *program.resolve(ty) {
        Type::Array { element, .. } => match layouts.size_of(program, element) {
            Ok(size) if size > 0 => has_const_bits(program, layouts, element, offset % size),
            _ => false,
        },
        Type::Record(record) if program[record].kind == RecordKind::Struct => {
            let Ok(layout) = layouts.record(program, record) else { return false };
            let fields = program[record].fields.as_deref().unwrap_or_default();
            fields.iter().zip(&layout.fields).any(|(field, place)| match place.bits {
                Some(bits) => {
                    let (first, end) = (bits.offset, bits.offset + u64::from(bits.width));
                    let inside = offset * 8 < end && first < offset * 8 + 8;
                    inside && field.ty.qualifiers().contains(Qualifiers::CONST)
                }
                None => {
                    let size = layouts.size_of(program, field.ty).unwrap_or(0);
                    (place.offset..place.offset + size).contains(&offset)
                        && has_const_bits(program, layouts, field.ty, offset - place.offset)
                }
            })
        }
        _ => false,
    }
}

/// Whether the part of an object at `offset` is qualified, by itself or with the
/// whole. In a union, it is if all members there are.
pub(crate) fn qualified_at(
    program: &Program,
    layouts: &mut Layouts,
    ty: TypeId,
    offset: u64,
    qualifiers: Qualifiers,
) -> bool {
    if ty.qualifiers().contains(qualifiers) {
        return true;
    }
    match *program.resolve(ty) {
        Type::Array { element, .. } => match layouts.size_of(program, element) {
            Ok(size) if size > 0 => {
                qualified_at(program, layouts, element, offset % size, qualifiers)
            }
            _ => qualified_at(program, layouts, element, offset, qualifiers),
        },
        Type::Record(record) => {
            let Ok(layout) = layouts.record(program, record) else { return false };
            let fields = program[record].fields.as_deref().unwrap_or_default();
            let is_union = program[record].kind == RecordKind::Union;
            let mut found = false;
            for (field, place) in fields.iter().zip(&layout.fields) {
                if let Some(bits) = place.bits {
                    // Those of a structure share their bytes, so that one says nothing.
                    let plain = field.name.is_some() && !field.ty.qualifiers().contains(qualifiers);
                    let end = (bits.offset + u64::from(bits.width)).div_ceil(8);
                    if is_union && plain && (bits.offset / 8..end).contains(&offset) {
                        return false;
                    }
                    continue;
                }
                let size = layouts.size_of(program, field.ty).unwrap_or(0);
                if place.offset <= offset && offset - place.offset < size {
                    let inner = offset - place.offset;
                    if !qualified_at(program, layouts, field.ty, inner, qualifiers) {
                        return false;
                    }
                    found = true;
                }
            }
            found
        }
        _ => false,
    }
}

/// Whether an object of this declared type may be accessed at `offset` through a path:
/// what the path begins in must be there, and lead to the offset.
fn permits(
    program: &Program,
    layouts: &mut Layouts,
    declared: TypeId,
    offset: u64,
    path: &Path,
) -> bool {
    around(program, layouts, declared, offset, &mut |layouts, ty, inner| match path.steps.first() {
        Some(step) => {
            record_of(program, ty) == Some(step.record) && leads(program, layouts, path, inner)
        }
        None => (path.within || inner == 0) && same(program, ty, path.ty),
    }) || path.steps.is_empty()
        && !path.within
        && wraps(program, layouts, declared, offset, path.ty)
}

/// Whether a path leads to an offset of the record that it begins in.
fn leads(program: &Program, layouts: &mut Layouts, path: &Path, offset: u64) -> bool {
    let mut left = Some(offset);
    for (index, step) in path.steps.iter().enumerate() {
        let Ok(layout) = layouts.record(program, step.record) else { return true };
        left = left.and_then(|left| left.checked_sub(layout.fields[step.field as usize].offset));
        left = match (step.element, path.steps.get(index + 1)) {
            (Some(element), _) => left.and_then(|left| left.checked_sub(element)),
            (None, Some(next)) => {
                let size = layouts.record(program, next.record).map_or(0, |layout| layout.size);
                left.map(|left| left % size.max(1))
            }
            (None, None) => left.map(|left| left % size_of(program, layouts, path.ty).max(1)),
        };
    }
    left.is_some_and(|left| left == 0 || path.within && left < size_of(program, layouts, path.ty))
}

/// C11 6.5p7: an aggregate may be what accesses objects that are no part of one, if it has
/// members for them.
fn wraps(
    program: &Program,
    layouts: &mut Layouts,
    declared: TypeId,
    offset: u64,
    access: TypeId,
) -> bool {
    let mut inner = declared;
    while let Type::Array { element, .. } = *program.resolve(inner) {
        inner = element;
    }
    let plain = record_of(program, inner).is_none();
    match *program.resolve(access) {
        Type::Record(record) => {
            let Ok(layout) = layouts.record(program, record) else { return true };
            let fields = program[record].fields.as_deref().unwrap_or_default();
            let mut fit = fields.iter().zip(&layout.fields).map(|(field, place)| {
                let path = Path::plain(field.ty);
                is_character(program, field.ty)
                    || permits(program, layouts, declared, offset + place.offset, &path)
            });
            let union = program[record].kind == RecordKind::Union;
            fields.is_empty()
                || plain && if union { fit.any(|fits| fits) } else { fit.all(|fits| fits) }
        }
        Type::Array { element, .. } | Type::Complex(element) | Type::Vector { element, .. } => {
            let path = Path::plain(element);
            is_character(program, element) || permits(program, layouts, declared, offset, &path)
        }
        _ => false,
    }
}

/// Whether any type may access what this one stores, and this one everything.
pub(crate) fn is_exempt(program: &Program, ty: TypeId) -> bool {
    is_character(program, ty)
        || may_alias(program, ty)
        || record_of(program, ty).is_some_and(|record| program[record].may_alias)
}

/// A character type may access everything.
pub(crate) fn is_character(program: &Program, ty: TypeId) -> bool {
    matches!(program.resolve(ty), Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar))
}

fn may_alias(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Typedef(id) => program[*id].may_alias || may_alias(program, program[*id].base),
        _ => false,
    }
}

/// Whether some part of a type that is at `offset`, or around it, passes a test, which gets
/// its type and the offset in it.
fn around(
    program: &Program,
    layouts: &mut Layouts,
    ty: TypeId,
    offset: u64,
    test: &mut dyn FnMut(&mut Layouts, TypeId, u64) -> bool,
) -> bool {
    if test(layouts, ty, offset) {
        return true;
    }
    match *program.resolve(ty) {
        // The rows of a variable array have no size here; only their elements matter.
        Type::Array { element, .. } if program.is_variable_array(element) => {
            around(program, layouts, element, offset, test)
        }
        Type::Array { element, length } => {
            let size = size_of(program, layouts, element);
            let inside = match length {
                ArrayLength::Fixed(length) => offset < length.saturating_mul(size),
                _ => true,
            };
            // Rows of a larger array may be accessed as the smaller arrays they contain.
            size > 0 && inside && around(program, layouts, element, offset % size, test)
        }
        Type::Vector { element, .. } | Type::Complex(element) => {
            let size = size_of(program, layouts, element);
            size > 0 && around(program, layouts, element, offset % size, test)
        }
        Type::Record(record) => {
            let Ok(layout) = layouts.record(program, record) else { return false };
            let fields = program[record].fields.as_deref().unwrap_or_default();
            fields.iter().zip(&layout.fields).any(|(field, place)| {
                let flexible = matches!(
                    program.resolve(field.ty),
                    Type::Array { length: ArrayLength::Unknown | ArrayLength::Fixed(0), .. }
                );
                let size = if flexible { u64::MAX } else { size_of(program, layouts, field.ty) };
                let inside = place.offset <= offset && offset - place.offset < size;
                inside && around(program, layouts, field.ty, offset - place.offset, test)
            })
        }
        _ => false,
    }
}

/// Compatible types, and the signed or unsigned type that corresponds to one.
fn same(program: &Program, declared: TypeId, access: TypeId) -> bool {
    let (declared, access) = (declared.unqualified(), access.unqualified());
    if farrier_lang::build::compatible(program, declared, access) {
        return true;
    }
    match (program.integer_class(declared), program.integer_class(access)) {
        (Some(Type::Int(a)), Some(Type::Int(b))) => a.to_unsigned() == b.to_unsigned(),
        // Qualifiers below a pointer do not change what may alias in any compiler.
        _ => match (program.pointee(declared), program.pointee(access)) {
            (Some(a), Some(b)) => same(program, a, b),
            _ => false,
        },
    }
}
