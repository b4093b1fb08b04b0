//! Typed arenas: append-only vectors indexed by small ids.
//!
//! An id stays valid for as long as its program lives: nothing is ever removed
//! from an arena, a deleted node is merely no longer reachable.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};

/// An index into one arena.
pub trait Id: Copy {
    /// Wraps a position in the arena.
    fn from_index(index: usize) -> Self;
    /// The position in the arena.
    fn index(self) -> usize;
}

/// Declares the id types, which cannot be confused with each other. Each is the position
/// plus one, so that an `Option` of it is not larger.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(NonZeroU32);

        impl Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                let next = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
                Self(next.expect("an arena holds fewer than 2^32 nodes"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}#{}", stringify!($name), self.index())
            }
        }
    )*};
}

ids! {
    /// An expression, or an initialiser list.
    ExprId;
    /// A statement.
    StmtId;
    /// A variable, a parameter or any other declared object.
    ObjectId;
    /// A function.
    FunctionId;
    /// A struct or union.
    RecordId;
    /// An enumeration.
    EnumId;
    /// One constant of an enumeration.
    EnumConstantId;
    /// A typedef that carries an alignment or an aliasing attribute.
    TypedefId;
    /// A label of a function.
    LabelId;
    /// The bytes of a string literal.
    StringId;
    /// The bits of a floating constant.
    FloatId;
    /// An `asm` statement or declaration.
    AsmId;
    /// An interned name.
    Symbol;
}

/// An append-only vector indexed by `I`.
#[derive(Clone)]
pub struct Arena<I, T> {
    values: Vec<T>,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T> Arena<I, T> {
    /// Adds a value and returns its id.
    #[inline]
    pub fn push(&mut self, value: T) -> I {
        let id = self.next_id();
        self.values.push(value);
        id
    }

    /// Makes room for this many more values.
    pub fn reserve(&mut self, count: usize) {
        self.values.reserve(count);
    }

    /// The id that the next [`push`](Self::push) will return.
    pub fn next_id(&self) -> I {
        I::from_index(self.values.len())
    }

    /// How many values there are, reachable or not.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether nothing was ever pushed.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All values with their ids, oldest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (I, &T)> {
        self.values.iter().enumerate().map(|(index, value)| (I::from_index(index), value))
    }

    /// All values, oldest first.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &T> {
        self.values.iter()
    }

    /// All ids, oldest first.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = I> + use<I, T> {
        (0..self.values.len()).map(I::from_index)
    }

    /// Adds copies of a value until there are this many.
    pub fn fill(&mut self, length: usize, value: T)
    where
        T: Clone,
    {
        if length > self.values.len() {
            self.values.resize(length, value);
        }
    }

    /// Forgets everything from `length` on; for builders that undo an attempt.
    pub fn truncate(&mut self, length: usize) {
        self.values.truncate(length);
    }
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self { values: Vec::new(), id: PhantomData }
    }
}

impl<I: Id, T> Index<I> for Arena<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.values[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Arena<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.values[id.index()]
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for Arena<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.values).finish()
    }
}
