//! Access paths: how lvalues reach what they access, and which of them stored each byte.
//!
//! `p->a.b[i]` says more than the type of an element of `b`: a record with the member `a`
//! is where `p` points (C11 6.5.2.3p4). Compilers rely on that, so the rules of `aliasing`
//! are about paths and not about types alone. A plain lvalue such as `*p` has no steps.
//!
//! Memory without a declared type, and unions, remember how each byte was stored, as a
//! *code*: a path, and which byte of the value it is. A byte of which nothing is known has
//! code 0. Memory that is never written costs nothing, because the system gives pages of
//! zeros only when they are touched.

use std::rc::Rc;

use farrier_lang::layout::Layouts;
use farrier_lang::{Program, RecordId, RecordKind, Type, TypeId};
use rustc_hash::FxHashMap;

use crate::aliasing::{is_exempt, size_of};
use crate::memory::{Location, Memory, Origin};

/// From a record to a member of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Step {
    pub(crate) record: RecordId,
    pub(crate) field: u32,
    /// How many bytes into the member the next step begins, if that is known before the
    /// program runs; it is not for an element of an array by a variable index.
    pub(crate) element: Option<u64>,
}

/// How an lvalue reaches what it accesses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Path {
    /// From the record that a pointer points to, or has as an element.
    pub(crate) steps: Vec<Step>,
    /// The type of the lvalue. Of a member of a union or a bit-field, it is the type of
    /// the outermost union, or of the record: what shares bytes is accessed as one.
    pub(crate) ty: TypeId,
    /// Whether the access is to something inside of `ty`.
    pub(crate) within: bool,
}

impl Path {
    pub(crate) fn plain(ty: TypeId) -> Self {
        Self { steps: Vec::new(), ty: ty.unqualified(), within: false }
    }
}

/// The number of a path.
pub(crate) type PathId = u32;

/// The path of what may access everything: characters, and types marked `may_alias`.
pub(crate) const ANY: PathId = 0;

/// Neighbouring codes: those of the bytes of a value.
#[derive(Clone, Copy, Debug)]
struct Codes {
    first: u32,
    of: Stored,
    /// The first code of a copy of the value, which has lost its path.
    plain: u32,
}

/// What a byte with a code is a part of.
#[derive(Clone, Copy, Debug)]
enum Stored {
    Path(PathId),
    /// An object of this declared type, from which it was copied.
    Copied(TypeId),
}

/// All paths of a program, and their codes.
#[derive(Debug)]
pub(crate) struct Paths {
    all: Vec<Path>,
    ids: FxHashMap<Path, PathId>,
    /// The first code of each path.
    first: Vec<u32>,
    /// In ascending order.
    codes: Vec<Codes>,
    next: u32,
    copied: FxHashMap<(TypeId, u64), u32>,
    images: FxHashMap<PathId, Rc<[u32]>>,
}

impl Default for Paths {
    fn default() -> Self {
        let any = Path::plain(farrier_lang::Types::CHAR);
        let (all, ids) = (vec![any], FxHashMap::default());
        let (codes, copied, images) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        Self { all, ids, first: vec![0], codes, next: 1, copied, images }
    }
}

impl Paths {
    pub(crate) fn get(&self, path: PathId) -> &Path {
        &self.all[path as usize]
    }

    /// The number of a path.
    pub(crate) fn number(
        &mut self,
        program: &Program,
        layouts: &mut Layouts,
        path: Path,
    ) -> PathId {
        if is_exempt(program, path.ty) {
            return ANY;
        }
        if let Some(id) = self.ids.get(&path) {
            return *id;
        }
        let plain = Path { steps: Vec::new(), ..path };
        let twin = (!path.steps.is_empty()).then(|| self.number(program, layouts, plain));
        let id = self.all.len() as PathId;
        let size = match program.resolve(path.ty) {
            _ if path.within => 1,
            // The parts of these have codes, see `image`.
            Type::Record(_) | Type::Array { .. } | Type::Vector { .. } | Type::Complex(_) => 0,
            _ => size_of(program, layouts, path.ty),
        };
        let first = self.make_codes(size, Stored::Path(id), twin);
        self.all.push(path.clone());
        self.first.push(first);
        self.ids.insert(path, id);
        id
    }

    /// Makes codes for the bytes of a value; none if there are no more numbers.
    fn make_codes(&mut self, size: u64, of: Stored, twin: Option<PathId>) -> u32 {
        let first = self.next;
        let end = u32::try_from(size).ok().and_then(|size| first.checked_add(size));
        let Some(end) = end else { return 0 };
        let plain = twin.map_or(first, |twin| self.first[twin as usize]);
        if size > 0 {
            self.codes.push(Codes { first, of, plain });
        }
        self.next = end;
        first
    }

    fn codes(&self, code: u32) -> Codes {
        let after = self.codes.partition_point(|codes| codes.first <= code);
        self.codes[after - 1]
    }

    /// What a code is after its byte was copied.
    fn plain(&self, code: u32) -> u32 {
        if code == 0 {
            return 0;
        }
        let codes = self.codes(code);
        codes.plain + (code - codes.first)
    }

    /// The path of a code, and which byte it is. Nothing, if the byte may be anything.
    pub(crate) fn decoded(
        &mut self,
        program: &Program,
        layouts: &mut Layouts,
        code: u32,
    ) -> Option<(PathId, u32)> {
        if code == 0 {
            return None;
        }
        let codes = self.codes(code);
        let offset = code - codes.first;
        let mut ty = match codes.of {
            Stored::Path(path) => return Some((path, offset)),
            Stored::Copied(ty) => ty,
        };
        while let Type::Array { element, .. } = *program.resolve(ty) {
            ty = element;
        }
        let path = self.number(program, layouts, Path::plain(ty));
        let image = self.image(program, layouts, path);
        let part = self.plain(*image.get(offset as usize % image.len().max(1))?);
        if part == 0 {
            return None;
        }
        let codes = self.codes(part);
        match codes.of {
            Stored::Path(path) => Some((path, part - codes.first)),
            Stored::Copied(_) => None,
        }
    }

    /// The codes of the bytes of what is accessed through a path.
    pub(crate) fn image(
        &mut self,
        program: &Program,
        layouts: &mut Layouts,
        path: PathId,
    ) -> Rc<[u32]> {
        if let Some(known) = self.images.get(&path) {
            return Rc::clone(known);
        }
        let whole = self.get(path).clone();
        let size = size_of(program, layouts, whole.ty) as usize;
        let mut image = vec![0; if path == ANY { 0 } else { size }];
        if path != ANY {
            self.draw(program, layouts, &whole, &mut image);
        }
        let image: Rc<[u32]> = image.into();
        self.images.insert(path, Rc::clone(&image));
        image
    }

    /// Writes the codes of a value. Padding and characters may be anything.
    fn draw(&mut self, program: &Program, layouts: &mut Layouts, path: &Path, image: &mut [u32]) {
        let inside = |ty: TypeId| {
            let mut steps = path.steps.clone();
            if let Some(last) = steps.last_mut() {
                last.element = None;
            }
            Path { steps, ty: ty.unqualified(), within: false }
        };
        match *program.resolve(path.ty) {
            _ if path.within => {
                let id = self.number(program, layouts, path.clone());
                image.fill(self.first[id as usize]);
            }
            Type::Array { element, .. } | Type::Vector { element, .. } | Type::Complex(element) => {
                let size = size_of(program, layouts, element) as usize;
                if size == 0 || image.len() < size {
                    return;
                }
                let (first, others) = image.split_at_mut(size);
                self.draw(program, layouts, &inside(element), first);
                for other in others.chunks_exact_mut(size) {
                    other.copy_from_slice(first);
                }
            }
            Type::Record(record) if program[record].kind == RecordKind::Union => {
                self.draw(program, layouts, &Path { within: true, ..path.clone() }, image);
            }
            Type::Record(record) => {
                let Ok(layout) = layouts.record(program, record) else { return };
                let fields = program[record].fields.as_deref().unwrap_or_default();
                for (index, (field, place)) in fields.iter().zip(&layout.fields).enumerate() {
                    let (part, start, end) = match place.bits {
                        Some(bits) => {
                            let end = (bits.offset + u64::from(bits.width)).div_ceil(8);
                            (Path { within: true, ..path.clone() }, bits.offset / 8, end)
                        }
                        None => {
                            let mut steps = path.steps.clone();
                            steps.push(Step { record, field: index as u32, element: Some(0) });
                            let ty = field.ty.unqualified();
                            let size = size_of(program, layouts, ty);
                            let part = Path { steps, ty, within: false };
                            (part, place.offset, place.offset + size)
                        }
                    };
                    if let Some(image) = image.get_mut(start as usize..end as usize) {
                        self.draw(program, layouts, &part, image);
                    }
                }
            }
            _ => {
                let id = self.number(program, layouts, path.clone());
                for (code, byte) in (self.first[id as usize]..).zip(image) {
                    *byte = if id == ANY { 0 } else { code };
                }
            }
        }
    }
}

impl Memory {
    /// Whether it is known how these bytes were stored, through this path.
    #[inline]
    pub(crate) fn is_stored_through(&self, at: Location, size: u64, path: PathId) -> bool {
        let first = self.paths.first[path as usize];
        let step = u32::from(!self.paths.get(path).within);
        self.stored(at, size)
            .iter()
            .enumerate()
            .all(|(byte, code)| *code == first + step * byte as u32)
    }

    /// How these bytes were stored; empty if nothing is known of this memory.
    pub(crate) fn stored(&self, at: Location, size: u64) -> &[u32] {
        let stored = &self.slots[at.slot as usize].stored;
        stored.get(at.offset as usize..(at.offset + size) as usize).unwrap_or_default()
    }

    /// The place where it is kept how these bytes were stored.
    fn stored_mut(&mut self, at: Location, size: u64) -> &mut [u32] {
        self.keep_stored(at.slot);
        let stored = &mut self.slots[at.slot as usize].stored;
        &mut stored[at.offset as usize..(at.offset + size) as usize]
    }

    /// Notes that a scalar was stored through a path, C11 6.5p6.
    #[cold]
    pub(crate) fn note_stored(&mut self, at: Location, size: u64, path: PathId) {
        let first = self.paths.first[path as usize];
        let step = u32::from(!self.paths.get(path).within);
        for (byte, code) in self.stored_mut(at, size).iter_mut().enumerate() {
            *code = first + step * byte as u32;
        }
    }

    /// Notes that bytes were stored so.
    pub(crate) fn note_image(&mut self, at: Location, image: &[u32]) {
        self.stored_mut(at, image.len() as u64).copy_from_slice(image);
    }

    /// Copying takes types along, C11 6.5p6, but not paths: which of the objects around it
    /// was copied is not known.
    pub(crate) fn copy_stored(&mut self, to: Location, from: Location, size: u64) {
        let source = &self.slots[from.slot as usize];
        let untyped = matches!(self.slots[to.slot as usize].origin, Origin::Heap | Origin::Alloca);
        if let (Some(ty), true) = (source.declared, untyped) {
            let whole = source.size;
            let paths = &mut self.paths;
            let first = match paths.copied.get(&(ty, whole)) {
                Some(first) => *first,
                None => {
                    let first = paths.make_codes(whole, Stored::Copied(ty), None);
                    paths.copied.insert((ty, whole), first);
                    first
                }
            };
            let start = first + from.offset as u32;
            for (byte, code) in self.stored_mut(to, size).iter_mut().enumerate() {
                *code = if first == 0 { 0 } else { start + byte as u32 };
            }
        } else if !source.stored.is_empty() && untyped {
            let codes = self.stored(from, size);
            let codes: Vec<u32> = codes.iter().map(|code| self.paths.plain(*code)).collect();
            self.note_image(to, &codes);
        } else if !self.slots[to.slot as usize].stored.is_empty() {
            self.stored_mut(to, size).fill(0);
        }
    }
}
