//! C types, interned: two types are the same exactly when their ids are equal.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

use rustc_hash::FxHashMap;

use crate::arena::{EnumId, ExprId, RecordId, TypedefId};

/// A set of type qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Qualifiers(u8);

impl Qualifiers {
    /// No qualifier.
    pub const NONE: Self = Self(0);
    /// `const`
    pub const CONST: Self = Self(1);
    /// `volatile`
    pub const VOLATILE: Self = Self(2);
    /// `restrict`
    pub const RESTRICT: Self = Self(4);
    /// `_Atomic`. Formally a type of its own; on i386 its members keep their full alignment.
    pub const ATOMIC: Self = Self(8);

    /// Whether every qualifier of `other` is in `self`.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether `self` and `other` have a qualifier in common.
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The qualifiers of `self` that are not in `other`.
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitOr for Qualifiers {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Qualifiers {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Qualifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (Self::CONST, "const"),
            (Self::VOLATILE, "volatile"),
            (Self::RESTRICT, "restrict"),
            (Self::ATOMIC, "_Atomic"),
        ];
        f.debug_set()
            .entries(names.iter().filter(|(q, _)| self.contains(*q)).map(|(_, name)| name))
            .finish()
    }
}

const QUALIFIER_BITS: u32 = 4;

/// A type together with its outermost qualifiers.
///
/// Qualifiers live in the id itself, so adding and removing them needs no table.
/// An array has no qualifiers of its own: they belong to its elements
/// (C11 6.7.3p9), and [`Types::qualified`] puts them there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(u32);

impl TypeId {
    fn from_index(index: usize) -> Self {
        let index = u32::try_from(index).expect("fewer than 2^28 types");
        assert!(index < 1 << (32 - QUALIFIER_BITS), "fewer than 2^28 types");
        Self(index << QUALIFIER_BITS)
    }

    /// Where the type stands among all of the program, its qualifiers aside.
    pub fn index(self) -> usize {
        (self.0 >> QUALIFIER_BITS) as usize
    }

    /// The outermost qualifiers. Of an array type, always none: ask its element.
    pub fn qualifiers(self) -> Qualifiers {
        Qualifiers((self.0 & ((1 << QUALIFIER_BITS) - 1)) as u8)
    }

    /// The same type without its outermost qualifiers.
    pub fn unqualified(self) -> Self {
        Self(self.0 & !((1 << QUALIFIER_BITS) - 1))
    }

    pub(crate) fn with(self, qualifiers: Qualifiers) -> Self {
        Self(self.0 | u32::from(qualifiers.0))
    }
}

impl fmt::Debug for TypeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TypeId#{}", self.index())?;
        if self.qualifiers().is_empty() { Ok(()) } else { write!(f, "{:?}", self.qualifiers()) }
    }
}

/// The integer types that have a keyword. `char` is a type of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each variant is the C type of the same name")]
pub enum IntKind {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

impl IntKind {
    /// Every integer kind, in the order of declaration.
    pub const ALL: [Self; 14] = [
        Self::Bool,
        Self::Char,
        Self::SChar,
        Self::UChar,
        Self::Short,
        Self::UShort,
        Self::Int,
        Self::UInt,
        Self::Long,
        Self::ULong,
        Self::LongLong,
        Self::ULongLong,
        Self::Int128,
        Self::UInt128,
    ];

    /// Conversion rank, C11 6.3.1.1p1, as a number that only means something in comparisons.
    pub fn rank(self) -> u32 {
        match self {
            Self::Bool => 0,
            Self::Char | Self::SChar | Self::UChar => 1,
            Self::Short | Self::UShort => 2,
            Self::Int | Self::UInt => 3,
            Self::Long | Self::ULong => 4,
            Self::LongLong | Self::ULongLong => 5,
            Self::Int128 | Self::UInt128 => 6,
        }
    }

    /// The unsigned type of the same width; of `char`, `unsigned char`.
    pub fn to_unsigned(self) -> Self {
        match self {
            Self::Bool => Self::Bool,
            Self::Char | Self::SChar | Self::UChar => Self::UChar,
            Self::Short | Self::UShort => Self::UShort,
            Self::Int | Self::UInt => Self::UInt,
            Self::Long | Self::ULong => Self::ULong,
            Self::LongLong | Self::ULongLong => Self::ULongLong,
            Self::Int128 | Self::UInt128 => Self::UInt128,
        }
    }

    /// The signed type of the same width; of `_Bool` and `char`, `signed char`.
    pub fn to_signed(self) -> Self {
        match self {
            Self::Bool | Self::Char | Self::SChar | Self::UChar => Self::SChar,
            Self::Short | Self::UShort => Self::Short,
            Self::Int | Self::UInt => Self::Int,
            Self::Long | Self::ULong => Self::Long,
            Self::LongLong | Self::ULongLong => Self::LongLong,
            Self::Int128 | Self::UInt128 => Self::Int128,
        }
    }
}

/// The floating types. `_Float64` and `double` are distinct types with one format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each variant is the C type of the same name")]
pub enum FloatKind {
    Float16,
    Float,
    Double,
    LongDouble,
    Float32,
    Float64,
    Float128,
    Float32x,
    Float64x,
}

impl FloatKind {
    /// Every floating kind, in the order of declaration.
    pub const ALL: [Self; 9] = [
        Self::Float16,
        Self::Float,
        Self::Double,
        Self::LongDouble,
        Self::Float32,
        Self::Float64,
        Self::Float128,
        Self::Float32x,
        Self::Float64x,
    ];
}

/// The length of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLength {
    /// A constant.
    Fixed(u64),
    /// `[]`: an incomplete type, or a flexible array member.
    Unknown,
    /// A variable-length array. The expression is evaluated when the declaration
    /// that holds it is reached; every such type has an expression of its own.
    Variable(ExprId),
    /// `[*]`, in a prototype.
    Star,
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    /// The type of the result.
    pub result: TypeId,
    /// The parameter types after adjustment (arrays and functions to pointers), unqualified.
    pub parameters: Box<[TypeId]>,
    /// Whether the list ends in `...`.
    pub variadic: bool,
    /// False for `f()` before C23: nothing is known about the parameters.
    pub prototyped: bool,
}

/// What a type is, its own qualifiers apart.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`
    Void,
    /// An integer type with a keyword.
    Int(IntKind),
    /// `_BitInt(width)` or `unsigned _BitInt(width)`.
    BitInt {
        /// Whether it has a sign bit.
        signed: bool,
        /// Width in bits, sign included.
        width: u32,
    },
    /// A real floating type.
    Float(FloatKind),
    /// `_Complex` of a floating type, or, in GNU C, of an integer type.
    Complex(TypeId),
    /// An enumeration.
    Enum(EnumId),
    /// A pointer.
    Pointer(TypeId),
    /// An array.
    Array {
        /// The type of an element; the qualifiers of the array are here.
        element: TypeId,
        /// The number of elements.
        length: ArrayLength,
    },
    /// A GNU vector.
    Vector {
        /// The type of a lane.
        element: TypeId,
        /// The number of lanes.
        lanes: u32,
    },
    /// A function.
    Function(Box<FunctionType>),
    /// A struct or a union.
    Record(RecordId),
    /// A typedef that changes alignment or aliasing. All other typedefs are
    /// replaced by what they stand for.
    Typedef(TypedefId),
    /// `__builtin_va_list`, which each target defines in its own way.
    VaList,
    /// `nullptr_t` of C23.
    NullPointer,
}

/// The table of types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    all: Vec<Type>,
    /// How deep each type nests; a record counts as one, whatever it contains.
    heights: Vec<u32>,
    ids: FxHashMap<Type, TypeId>,
}

impl Default for Types {
    fn default() -> Self {
        let mut types = Self { all: Vec::new(), heights: Vec::new(), ids: FxHashMap::default() };
        assert_eq!(types.intern(Type::Void), Types::VOID);
        for kind in IntKind::ALL {
            assert_eq!(types.intern(Type::Int(kind)), Types::int(kind));
        }
        for kind in FloatKind::ALL {
            assert_eq!(types.intern(Type::Float(kind)), Types::float(kind));
        }
        types
    }
}

impl Types {
    /// `void`
    pub const VOID: TypeId = TypeId(0);
    /// `int`
    pub const INT: TypeId = Self::int(IntKind::Int);
    /// `char`
    pub const CHAR: TypeId = Self::int(IntKind::Char);
    /// `double`
    pub const DOUBLE: TypeId = Self::float(FloatKind::Double);

    /// The id of an integer type, the same in every program.
    pub const fn int(kind: IntKind) -> TypeId {
        TypeId((kind as u32 + 1) << QUALIFIER_BITS)
    }

    /// The id of a floating type, the same in every program.
    pub const fn float(kind: FloatKind) -> TypeId {
        TypeId((kind as u32 + 1 + IntKind::ALL.len() as u32) << QUALIFIER_BITS)
    }

    /// The id of `ty`.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = TypeId::from_index(self.all.len());
        let height = match &ty {
            Type::Pointer(inner) | Type::Complex(inner) => self.height(*inner),
            Type::Array { element, .. } | Type::Vector { element, .. } => self.height(*element),
            Type::Function(function) => {
                let parts = function.parameters.iter().chain([&function.result]);
                parts.map(|part| self.height(*part)).max().unwrap_or(0)
            }
            _ => 0,
        };
        self.heights.push(height + 1);
        self.all.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// How deep `id` nests pointers, arrays and functions. A typedef with attributes
    /// and a record count as one.
    pub fn height(&self, id: TypeId) -> u32 {
        self.heights[id.index()]
    }

    /// What `id` is. A [`Type::Typedef`] is not looked through: see `Program::resolve`.
    #[inline]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.all[id.index()]
    }

    /// How many different types there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Never: `void` is always there.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Every type, unqualified, oldest first.
    pub fn ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.all.len()).map(TypeId::from_index)
    }

    /// `ty *`
    pub fn pointer_to(&mut self, ty: TypeId) -> TypeId {
        self.intern(Type::Pointer(ty))
    }

    /// `element[length]`
    pub fn array_of(&mut self, element: TypeId, length: ArrayLength) -> TypeId {
        self.intern(Type::Array { element, length })
    }

    /// A vector of `lanes` elements.
    pub fn vector_of(&mut self, element: TypeId, lanes: u32) -> TypeId {
        self.intern(Type::Vector { element: element.unqualified(), lanes })
    }

    /// `_Complex element`
    pub fn complex_of(&mut self, element: TypeId) -> TypeId {
        self.intern(Type::Complex(element.unqualified()))
    }

    /// A function type.
    pub fn function(&mut self, function: FunctionType) -> TypeId {
        self.intern(Type::Function(Box::new(function)))
    }

    /// `ty` with `qualifiers` added; of an array, with its elements qualified.
    pub fn qualified(&mut self, ty: TypeId, qualifiers: Qualifiers) -> TypeId {
        if qualifiers.is_empty() {
            return ty;
        }
        match *self.get(ty) {
            Type::Array { element, length } => {
                let element = self.qualified(element, qualifiers);
                self.array_of(element, length)
            }
            _ => ty.with(qualifiers),
        }
    }
}
