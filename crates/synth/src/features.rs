//! What a generated program may contain: a table, one row for each feature.
//!
//! A feature has a [`Weight`] where it competes with others for a place, or a [`Share`]
//! where it is decided for itself. With zero it does not occur.

use std::fmt;

use farrier_lang::target::{FloatFormat, I386_LINUX, Target};
use farrier_lang::{Dialect, IntKind};

use Category::*;
use Feature::*;

/// Something that a program may contain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the table says what each is")]
pub enum Feature {
    Bool,
    Char,
    Short,
    Int,
    Long,
    LongLong,
    Int128,
    Float,
    Double,
    LongDouble,
    Float16,
    Float128,
    Enum,
    Struct,
    Union,
    NestedRecord,
    BitField,
    Packed,
    Array,
    MultiArray,
    Pointer,
    PointerToPointer,
    NullPointer,
    Const,
    Volatile,
    StaticLocal,
    LocalRecord,
    Heap,
    Alloca,
    DesignatedInit,
    CompoundLiteral,
    StringLiteral,
    Aligned,
    Arithmetic,
    Multiplication,
    Division,
    Shift,
    Bitwise,
    Comparison,
    Logical,
    Unary,
    Ternary,
    Comma,
    Cast,
    AssignExpression,
    CompoundAssign,
    Increment,
    BitBuiltin,
    OverflowBuiltin,
    ByteSwap,
    Expect,
    ConstantTest,
    CommonSubexpression,
    MathFunction,
    Idiom,
    If,
    For,
    ArrayLoop,
    While,
    Do,
    Switch,
    SwitchFallthrough,
    Goto,
    BackwardGoto,
    Break,
    Continue,
    Return,
    RecordCopy,
    RecordSelect,
    RecordLoop,
    Neighbours,
    UnionView,
    MemoryFunction,
    StringFunction,
    ByteAccess,
    PointerCast,
    Call,
    RecordParameter,
    RecordResult,
    PointerParameter,
    Recursion,
    FunctionPointer,
    FunctionTable,
    Inline,
    Attribute,
    LibraryBuiltin,
    RecordChain,
    Helper,
    IdiomFunction,
    Graph,
    Border,
    VariableBound,
    Reduction,
    PointerSelect,
    Floating,
    Straight,
    HiddenInput,
    HiddenArgument,
    MacroWrapper,
    NeutralWrap,
    Barrier,
    Probe,
    Hostile,
    Nest,
    KnownCall,
    HostileBuiltin,
    LoopHint,
    Ivdep,
    OmpSimd,
    Vector,
    VectorFloat,
    VectorCompare,
    VectorShuffle,
    VectorConvert,
    VectorCast,
    VectorElement,
    VectorArray,
    VectorRecord,
    VectorParameter,
    ExtVector,
    Complex,
    BitInt,
    Knot,
}

/// Where a feature stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Category {
    Types,
    Objects,
    Expressions,
    Statements,
    Functions,
    Shapes,
}

/// How often something is drawn, in relation to the others that could stand in its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Weight(pub u32);

/// In how many cases of a hundred something is drawn where it could stand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Share(pub u32);

/// How often a feature is drawn. With zero it does not occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frequency {
    /// Of several productions that compete for a place.
    Weight(Weight),
    /// Of a decision of its own.
    Share(Share),
}

impl Frequency {
    /// The number alone.
    pub fn number(self) -> u32 {
        match self {
            Self::Weight(Weight(number)) | Self::Share(Share(number)) => number,
        }
    }

    /// The highest number that makes sense.
    pub fn most(self) -> u32 {
        match self {
            Self::Weight(_) => 1000,
            Self::Share(_) => 100,
        }
    }

    /// The same kind of frequency with another number.
    fn with(self, number: u32) -> Self {
        match self {
            Self::Weight(_) => Self::Weight(Weight(number)),
            Self::Share(_) => Self::Share(Share(number)),
        }
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Weight(Weight(number)) => f.pad(&number.to_string()),
            Self::Share(Share(number)) => f.pad(&format!("{number}%")),
        }
    }
}

/// Which other generators have a feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peers {
    /// Csmith 2.3.
    pub csmith: bool,
    /// YARPGen, version 1.
    pub yarpgen1: bool,
    /// YARPGen, version 2.
    pub yarpgen2: bool,
    /// Orange 3 and 4.
    pub orange: bool,
}

/// A row of the table.
#[derive(Debug)]
pub struct FeatureRow {
    /// The feature.
    pub feature: Feature,
    /// Its name in options.
    pub name: &'static str,
    /// Where it stands.
    pub category: Category,
    /// How often it is drawn by default.
    pub frequency: Frequency,
    /// Whether it is an extension of GNU C, which other compilers need not have.
    pub gnu: bool,
    /// Why a program for a target in a dialect cannot have it.
    pub missing: fn(&Target, Dialect) -> Option<&'static str>,
    /// Who else has it.
    pub peers: Peers,
    /// What it is.
    pub about: &'static str,
}

/// The peers, one letter each: `c`smith, YARPGen `1`, YARPGen `2`, `o`range.
const fn peers(letters: &str) -> Peers {
    let bytes = letters.as_bytes();
    let mut peers = Peers { csmith: false, yarpgen1: false, yarpgen2: false, orange: false };
    let mut index = 0;
    while index < bytes.len() {
        match bytes[index] {
            b'c' => peers.csmith = true,
            b'1' => peers.yarpgen1 = true,
            b'2' => peers.yarpgen2 = true,
            b'o' => peers.orange = true,
            _ => panic!("a letter for each peer"),
        }
        index += 1;
    }
    peers
}

const fn row(
    feature: Feature,
    name: &'static str,
    category: Category,
    frequency: Frequency,
    letters: &str,
    about: &'static str,
) -> FeatureRow {
    let peers = peers(letters);
    FeatureRow {
        feature,
        name,
        category,
        frequency,
        gnu: false,
        missing: |_, _| None,
        peers,
        about,
    }
}

const fn weight(number: u32) -> Frequency {
    Frequency::Weight(Weight(number))
}

const fn share(percent: u32) -> Frequency {
    Frequency::Share(Share(percent))
}

const fn gnu(row: FeatureRow) -> FeatureRow {
    FeatureRow { gnu: true, ..row }
}

const fn lacking(
    row: FeatureRow,
    missing: fn(&Target, Dialect) -> Option<&'static str>,
) -> FeatureRow {
    FeatureRow { missing, ..row }
}

fn no_int128(target: &Target, _: Dialect) -> Option<&'static str> {
    target.int_scalar(IntKind::Int128).is_none().then_some("the target has no `__int128`")
}

fn no_bit_int(target: &Target, _: Dialect) -> Option<&'static str> {
    target.bit_int_unit.is_none().then_some("the target has no `_BitInt`")
}

/// How often what is off by default is drawn where it is asked for.
const OFF_BY_DEFAULT: u32 = 20;

fn no_double(target: &Target, _: Dialect) -> Option<&'static str> {
    let short = target.double.1 != FloatFormat::Double;
    short.then_some("a `double` has fewer than 64 bits there")
}

fn no_long_double(target: &Target, _: Dialect) -> Option<&'static str> {
    let unknown = target.long_double.1.is_none();
    unknown.then_some("the machine does not compute with the `long double` of the target")
}

fn no_float16(target: &Target, _: Dialect) -> Option<&'static str> {
    target.float16.is_none().then_some("the target has no `_Float16`")
}

fn no_float128(target: &Target, _: Dialect) -> Option<&'static str> {
    target.float128.is_none().then_some("the target has no `_Float128`")
}

fn no_arguments(target: &Target, _: Dialect) -> Option<&'static str> {
    (!target.environment.arguments_to_main).then_some("`main` has no arguments there")
}

fn no_heap(target: &Target, _: Dialect) -> Option<&'static str> {
    target.environment.small.is_some().then_some("the target has little memory")
}

fn no_vectors(target: &Target, _: Dialect) -> Option<&'static str> {
    target.environment.small.is_some().then_some("the target is too small for many lanes")
}

fn no_complex(target: &Target, dialect: Dialect) -> Option<&'static str> {
    no_vectors(target, dialect).or_else(|| no_double(target, dialect))
}

fn no_vector_parameters(target: &Target, _: Dialect) -> Option<&'static str> {
    let shared = std::ptr::eq(target, &I386_LINUX);
    shared.then_some("vectors of eight bytes are passed in registers of floating numbers there")
}

/// Every feature, in the order of the enumeration.
#[rustfmt::skip]
pub static FEATURES: &[FeatureRow] = &[
    row(Bool, "bool", Types, weight(12), "12", "`_Bool`"),
    row(Char, "char", Types, weight(30), "c12o", "plain, signed and unsigned `char`"),
    row(Short, "short", Types, weight(26), "c12o", "`short` and `unsigned short`"),
    row(Int, "int", Types, weight(24), "c12o", "`int` and `unsigned int`"),
    row(Long, "long", Types, weight(14), "c1o", "`long` and `unsigned long`"),
    row(LongLong, "long-long", Types, weight(12), "c12o", "`long long` and `unsigned long long`"),
    lacking(gnu(row(Int128, "int128", Types, weight(3), "c", "`__int128` and `unsigned __int128`")), no_int128),
    row(Float, "float", Types, weight(30), "o", "`float`"),
    lacking(row(Double, "double", Types, weight(50), "o", "`double`"), no_double),
    lacking(row(LongDouble, "long-double", Types, weight(15), "o", "`long double`"), no_long_double),
    lacking(gnu(row(Float16, "float16", Types, weight(0), "", "`_Float16`, in tiers in which nothing rounds")), no_float16),
    lacking(gnu(row(Float128, "float128", Types, weight(0), "", "`_Float128`, which clang has not")), no_float128),
    row(Enum, "enum", Types, weight(5), "", "enumerations and their constants"),
    row(Struct, "struct", Types, weight(14), "c1o", "structures"),
    row(Union, "union", Types, weight(6), "co", "unions whose members share all their bytes"),
    row(NestedRecord, "nested-record", Types, weight(9), "c1o", "records as members of records"),
    row(BitField, "bit-field", Types, share(30), "c1", "bit-fields"),
    gnu(row(Packed, "packed", Types, share(20), "c", "packed structures")),
    row(Array, "array", Types, weight(24), "c12o", "arrays"),
    row(MultiArray, "multi-array", Types, share(35), "c12o", "arrays of arrays"),
    row(Pointer, "pointer", Types, weight(16), "c1", "pointers"),
    row(PointerToPointer, "pointer-to-pointer", Types, weight(8), "c", "pointers to pointers"),
    row(NullPointer, "null-pointer", Objects, share(8), "c", "pointers that are null at first"),
    row(Const, "const", Objects, share(10), "c12o", "objects and targets of pointers that are `const`"),
    row(Volatile, "volatile", Objects, share(8), "c1o", "objects, members and targets that are `volatile`"),
    row(StaticLocal, "static-local", Objects, share(12), "", "`static` objects in functions"),
    row(LocalRecord, "local-record", Objects, weight(14), "co", "local records and arrays"),
    lacking(row(Heap, "heap", Objects, share(20), "", "strings in memory from `malloc`, which the block frees"), no_heap),
    lacking(gnu(row(Alloca, "alloca", Objects, share(10), "", "strings in memory from `alloca`")), no_heap),
    row(DesignatedInit, "designated-init", Objects, share(25), "", "initialisers that name their places and leave others out"),
    row(CompoundLiteral, "compound-literal", Objects, weight(6), "", "compound literals"),
    row(StringLiteral, "string-literal", Objects, weight(6), "", "string literals"),
    gnu(row(Aligned, "aligned", Objects, share(6), "c2", "`aligned` objects")),
    row(Arithmetic, "arithmetic", Expressions, weight(30), "c12o", "`+` and `-`"),
    row(Multiplication, "multiplication", Expressions, weight(12), "c12o", "`*`"),
    row(Division, "division", Expressions, weight(12), "c12o", "`/` and `%`"),
    row(Shift, "shift", Expressions, weight(16), "c12o", "`<<` and `>>`"),
    row(Bitwise, "bitwise", Expressions, weight(28), "c12o", "`&`, `|` and `^`"),
    row(Comparison, "comparison", Expressions, weight(16), "c12o", "comparisons"),
    row(Logical, "logical", Expressions, weight(10), "c12o", "`&&` and `||`"),
    row(Unary, "unary", Expressions, weight(12), "c12o", "unary `-`, `+`, `~` and `!`"),
    row(Ternary, "ternary", Expressions, weight(8), "12", "`?:`"),
    row(Comma, "comma", Expressions, weight(4), "c", "the comma operator"),
    row(Cast, "cast", Expressions, weight(10), "12o", "casts between integer types"),
    row(AssignExpression, "assign-expression", Expressions, weight(10), "c", "assignments inside expressions"),
    row(CompoundAssign, "compound-assign", Expressions, weight(14), "c", "`op=`"),
    row(Increment, "increment", Expressions, weight(8), "c", "`++` and `--`, before and after"),
    gnu(row(BitBuiltin, "bit-builtin", Expressions, weight(8), "c", "popcount, parity, clz, ctz, ffs and clrsb")),
    gnu(row(OverflowBuiltin, "overflow-builtin", Expressions, weight(5), "", "addition, subtraction and multiplication that tell of overflow")),
    gnu(row(ByteSwap, "byte-swap", Expressions, weight(4), "c", "byte swaps of 16, 32 and 64 bits")),
    gnu(row(Expect, "expect", Expressions, weight(4), "", "`__builtin_expect`, whether it is right or not")),
    gnu(row(ConstantTest, "constant-test", Expressions, weight(2), "", "`__builtin_constant_p` of constants")),
    row(CommonSubexpression, "common-subexpression", Expressions, weight(8), "12", "an expression that occurred before"),
    row(MathFunction, "math-function", Expressions, weight(14), "", "functions of `<math.h>` with exact results, such as `sqrt` and `fma`, and comparisons that raise no exception"),
    row(Idiom, "idiom", Expressions, weight(16), "", "expressions that pattern matchers look for, from a table: range tests, clamps, rotates, masks and others"),
    row(If, "if", Statements, weight(22), "c12o", "`if` and `else`"),
    row(For, "for", Statements, weight(10), "c2o", "`for` loops"),
    row(ArrayLoop, "array-loop", Statements, weight(10), "c2", "loops over whole arrays"),
    row(While, "while", Statements, weight(5), "o", "`while` loops"),
    row(Do, "do", Statements, weight(5), "", "`do` loops"),
    row(Switch, "switch", Statements, weight(7), "o", "`switch`, dense and sparse, cases in any order"),
    row(SwitchFallthrough, "switch-fallthrough", Statements, share(40), "", "cases that run into the next"),
    row(Goto, "goto", Statements, weight(5), "c", "forward `goto` out of blocks"),
    row(BackwardGoto, "backward-goto", Statements, weight(4), "c", "loops made of `goto`"),
    row(Break, "break", Statements, weight(9), "co", "`break` out of loops"),
    row(Continue, "continue", Statements, weight(9), "c", "`continue`"),
    row(Return, "return", Statements, weight(3), "c", "`return` in the middle"),
    row(RecordCopy, "record-copy", Statements, weight(6), "c", "assignment of whole records"),
    row(RecordSelect, "record-select", Statements, weight(9), "", "records copied from one of two others, by `if` or `?:`"),
    row(RecordLoop, "record-loop", Statements, weight(9), "", "arrays of records that loops shift, turn, reverse and sort"),
    row(Neighbours, "neighbours", Statements, weight(8), "", "like statements on neighbours, which vectorisers of straight lines look for: permuted, one operator apart, sums of products"),
    row(UnionView, "union-view", Statements, weight(30), "", "unions of structures with holes, read through each member that has a value"),
    row(MemoryFunction, "memory-function", Statements, weight(14), "", "`memcpy`, `memmove`, `memset`, `memcmp` and `memchr`, of lengths from zero on, also hidden ones"),
    row(StringFunction, "string-function", Statements, weight(12), "", "strings in arrays: copied, appended, cut, printed, measured, compared and searched by the functions of the library"),
    row(ByteAccess, "byte-access", Statements, weight(12), "", "bytes of objects of any type, read and written through pointers to `unsigned char`"),
    row(PointerCast, "pointer-cast", Statements, weight(10), "", "casts of pointers between types that may access the same object"),
    row(Call, "call", Functions, weight(18), "co", "calls of generated functions"),
    row(RecordParameter, "record-parameter", Functions, weight(12), "co", "records passed by value"),
    row(RecordResult, "record-result", Functions, weight(12), "c", "records returned by value"),
    row(PointerParameter, "pointer-parameter", Functions, weight(25), "c", "pointers as parameters, also to locals of the caller"),
    row(Recursion, "recursion", Functions, share(16), "", "functions that call themselves, to a bounded depth"),
    row(FunctionPointer, "function-pointer", Functions, weight(40), "", "calls through pointers to functions"),
    row(FunctionTable, "function-table", Functions, weight(20), "", "calls through tables of functions"),
    row(Inline, "inline", Functions, share(20), "c", "`inline` functions"),
    gnu(row(Attribute, "attribute", Functions, share(15), "c", "attributes of functions: noinline, always_inline, hot, cold and others")),
    gnu(row(LibraryBuiltin, "library-builtin", Functions, share(40), "", "functions of the library called as `__builtin_` ones")),
    row(RecordChain, "record-chain", Functions, share(40), "", "records that are the result of a call and the argument of another"),
    row(Helper, "helper", Shapes, weight(10), "", "small functions with a range test and a shift, called from conditions"),
    row(IdiomFunction, "idiom-function", Shapes, weight(11), "", "small functions made of idioms, called for a table of inputs at borders"),
    row(Graph, "graph", Shapes, share(25), "", "functions drawn as control-flow graphs of labelled blocks"),
    row(Border, "border", Shapes, weight(4), "", "functions of linear forms over few coefficients, whose results lie at the borders of their types"),
    row(VariableBound, "variable-bound", Shapes, share(35), "2", "loop bounds and steps in variables with odd values"),
    row(Reduction, "reduction", Shapes, share(35), "2", "loops that sum, multiply or xor arrays up"),
    row(PointerSelect, "pointer-select", Shapes, share(15), "", "pointers chosen by a condition"),
    row(Floating, "floating", Shapes, share(30), "o", "programs with floating numbers, in one of three tiers"),
    row(Straight, "straight", Shapes, share(4), "o", "functions of single assignments: long expressions of inputs and earlier results, with every qualifier"),
    row(HiddenInput, "hidden-input", Shapes, share(100), "12", "programs with inputs whose values the optimiser cannot see"),
    lacking(row(HiddenArgument, "hidden-argument", Shapes, share(35), "", "programs that make inputs from `argc` and `argv`, and are run without arguments"), no_arguments),
    gnu(row(MacroWrapper, "macro-wrapper", Shapes, share(67), "c", "programs in which some wrappers are macros")),
    row(NeutralWrap, "neutral-wrap", Shapes, weight(40), "", "statements in loops, branches and switches that run them once by a hidden value"),
    gnu(row(Barrier, "barrier", Shapes, weight(15), "", "inline assembly that does nothing to a variable")),
    row(Probe, "probe", Shapes, weight(20), "", "comparisons of variables with their known values, so that a wrong one is seen at once"),
    row(Hostile, "hostile", Shapes, weight(80), "", "code that never runs, would be undefined, and shares operands with code beside it"),
    row(Nest, "nest", Shapes, share(20), "2", "loop nests over arrays made to fit, with stencils, reductions and like statements on neighbours"),
    row(KnownCall, "known-call", Shapes, weight(80), "", "calls of functions of the bank, whose value cancels only at run time, in headers of loops, subscripts, conditions and elsewhere"),
    gnu(row(HostileBuiltin, "hostile-builtin", Shapes, weight(10), "", "in such code, `__builtin_unreachable`, calls that do not return, and copies of too many bytes")),
    row(LoopHint, "loop-hint", Shapes, share(12), "2", "pragmas before loops that promise nothing: `GCC unroll`, `clang loop`"),
    row(Ivdep, "ivdep", Shapes, share(30), "", "loops whose rounds are independent, with `GCC ivdep` and `clang loop vectorize(assume_safety)`"),
    row(OmpSimd, "omp-simd", Shapes, share(45), "2", "loops whose rounds are independent or far apart, with `omp simd` and its clauses"),
    lacking(gnu(row(Vector, "vector", Statements, weight(5), "", "GNU vectors of 2 to 64 bytes: `+ - * / % & | ^ ~ << >>`, lane by lane and with one number for all")), no_vectors),
    lacking(gnu(row(VectorFloat, "vector-float", Types, share(30), "", "vectors of `float` and `double`, with exact results")), no_double),
    gnu(row(VectorCompare, "vector-compare", Expressions, weight(18), "", "comparisons of vectors, and selections by masks")),
    gnu(row(VectorShuffle, "vector-shuffle", Expressions, weight(12), "", "`__builtin_shufflevector`, which GCC has since version 12")),
    gnu(row(VectorConvert, "vector-convert", Expressions, weight(12), "", "`__builtin_convertvector`")),
    gnu(row(VectorCast, "vector-cast", Expressions, weight(8), "", "bytes of a vector as lanes of another type")),
    gnu(row(VectorElement, "vector-element", Expressions, weight(14), "", "lanes of vectors, read and written, with constant and variable subscripts")),
    gnu(row(VectorArray, "vector-array", Objects, share(60), "", "arrays of vectors, and loops over them")),
    gnu(row(VectorRecord, "vector-record", Objects, share(50), "", "vectors in structures, and in unions with arrays")),
    lacking(gnu(row(VectorParameter, "vector-parameter", Functions, weight(12), "", "functions that take and return vectors")), no_vector_parameters),
    gnu(row(ExtVector, "ext-vector", Expressions, weight(0), "", "vectors of `ext_vector_type`, with swizzles and `?:` by lanes, which GCC has not")),
    lacking(gnu(row(Complex, "complex", Statements, weight(0), "", "`_Complex` of `float`, `double` and `long double`, with exact sums and products, parts, conjugates, casts and comparisons")), no_complex),
    lacking(gnu(row(BitInt, "bit-int", Types, share(0), "", "`_BitInt` of any width up to 128 bits, which clang has since version 15 and GCC since version 14")), no_bit_int),
    gnu(row(Knot, "knot", Shapes, share(0), "", "small functions out of a grammar, in which all pieces work on the same objects; each was run alone first")),
];

impl Feature {
    /// How many there are.
    pub const COUNT: usize = Self::Knot as usize + 1;

    /// Its row.
    pub fn row(self) -> &'static FeatureRow {
        &FEATURES[self as usize]
    }

    /// The feature with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        FEATURES.iter().find(|row| row.name == name).map(|row| row.feature)
    }

    /// How often it is drawn where it is asked for and is off otherwise.
    pub fn when_asked_for(self) -> u32 {
        match self.row().frequency.number() {
            0 => OFF_BY_DEFAULT,
            number => number,
        }
    }

    /// Why a program for this target in this dialect cannot have it.
    pub fn missing(self, target: &Target, dialect: Dialect) -> Option<&'static str> {
        let row = self.row();
        let lacks = !target.environment.has(row.name);
        let why = lacks.then_some("compilers for the target do not promise it");
        why.or_else(|| (row.missing)(target, dialect))
    }
}

/// How often every feature is drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights([u32; Feature::COUNT]);

impl Default for Weights {
    fn default() -> Self {
        Self(std::array::from_fn(|index| FEATURES[index].frequency.number()))
    }
}

impl Weights {
    /// How often a feature is drawn.
    pub fn get(&self, feature: Feature) -> Frequency {
        feature.row().frequency.with(self.0[feature as usize])
    }

    /// The weight of a feature that competes with others.
    pub fn weight(&self, feature: Feature) -> Weight {
        match self.get(feature) {
            Frequency::Weight(weight) => weight,
            Frequency::Share(_) => panic!("{feature:?} is a share"),
        }
    }

    /// The share of a feature that is decided for itself.
    pub fn share(&self, feature: Feature) -> Share {
        match self.get(feature) {
            Frequency::Share(share) => share,
            Frequency::Weight(_) => panic!("{feature:?} is a weight"),
        }
    }

    /// Whether the feature occurs at all.
    pub fn has(&self, feature: Feature) -> bool {
        self.0[feature as usize] > 0
    }

    /// Whether a program may have extensions of GNU C.
    pub fn has_extensions(&self) -> bool {
        FEATURES.iter().any(|row| row.gnu && self.has(row.feature))
    }

    /// Changes how often a feature is drawn.
    pub fn set(&mut self, feature: Feature, number: u32) {
        self.0[feature as usize] = number.min(feature.row().frequency.most());
    }

    /// Switches every extension of GNU C off.
    pub fn without_extensions(&mut self) {
        for row in FEATURES.iter().filter(|row| row.gnu) {
            self.set(row.feature, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enumeration() {
        assert_eq!(FEATURES.len(), Feature::COUNT);
        for (index, row) in FEATURES.iter().enumerate() {
            assert_eq!(row.feature as usize, index, "{}", row.name);
            assert_eq!(Feature::by_name(row.name), Some(row.feature));
        }
    }

    #[test]
    fn what_a_target_lacks_are_features() {
        for target in farrier_lang::target::TARGETS {
            for name in target.environment.lacks {
                let feature = Feature::by_name(name).expect("a feature");
                assert!(feature.missing(target, Dialect::C17).is_some(), "{name}");
            }
        }
    }
}
