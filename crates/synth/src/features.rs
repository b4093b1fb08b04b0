//! What a generated program may contain: a table, one row for each feature.
//!
//! A weight says how often a feature is chosen among those that could stand in the
//! same place; with weight zero it does not occur.

use farrier_lang::target::{AVR, Target};
use farrier_lang::{Dialect, IntKind};

use Feature::*;
use Group::*;

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
    CommonSubexpression,
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
    Call,
    RecordParameter,
    RecordResult,
    PointerParameter,
    Recursion,
    FunctionPointer,
    FunctionTable,
    Inline,
    Attribute,
    Helper,
    Graph,
    VariableBound,
    Reduction,
    PointerSelect,
    HiddenInput,
    HiddenArgument,
    MacroWrapper,
}

/// Where a feature stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Group {
    Types,
    Objects,
    Expressions,
    Statements,
    Functions,
    Shapes,
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
    pub group: Group,
    /// Its weight by default, among those of its place.
    pub weight: u32,
    /// Whether it needs an extension that `-pedantic-errors` refuses.
    pub gnu: bool,
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
    group: Group,
    weight: u32,
    letters: &str,
    about: &'static str,
) -> FeatureRow {
    FeatureRow { feature, name, group, weight, gnu: false, peers: peers(letters), about }
}

const fn gnu(row: FeatureRow) -> FeatureRow {
    FeatureRow { gnu: true, ..row }
}

/// Every feature, in the order of the enumeration.
#[rustfmt::skip]
pub static FEATURES: &[FeatureRow] = &[
    row(Bool, "bool", Types, 12, "12", "`_Bool`"),
    row(Char, "char", Types, 30, "c12o", "plain, signed and unsigned `char`"),
    row(Short, "short", Types, 26, "c12o", "`short` and `unsigned short`"),
    row(Int, "int", Types, 24, "c12o", "`int` and `unsigned int`"),
    row(Long, "long", Types, 14, "c1o", "`long` and `unsigned long`"),
    row(LongLong, "long-long", Types, 12, "c12o", "`long long` and `unsigned long long`"),
    gnu(row(Int128, "int128", Types, 3, "c", "`__int128` and `unsigned __int128`")),
    row(Enum, "enum", Types, 5, "", "enumerations and their constants"),
    row(Struct, "struct", Types, 14, "c1o", "structures"),
    row(Union, "union", Types, 6, "co", "unions whose members share all their bytes"),
    row(NestedRecord, "nested-record", Types, 45, "c1o", "records as members of records"),
    row(BitField, "bit-field", Types, 30, "c1", "bit-fields"),
    row(Packed, "packed", Types, 20, "c", "packed structures"),
    row(Array, "array", Types, 24, "c12o", "arrays"),
    row(MultiArray, "multi-array", Types, 35, "c12o", "arrays of arrays"),
    row(Pointer, "pointer", Types, 16, "c1", "pointers"),
    row(PointerToPointer, "pointer-to-pointer", Types, 25, "c", "pointers to pointers"),
    row(NullPointer, "null-pointer", Objects, 8, "c", "pointers that are null at first"),
    row(Const, "const", Objects, 10, "c12o", "objects and targets of pointers that are `const`"),
    row(Volatile, "volatile", Objects, 8, "c1o", "objects, members and targets that are `volatile`"),
    row(StaticLocal, "static-local", Objects, 12, "", "`static` objects in functions"),
    row(LocalRecord, "local-record", Objects, 14, "co", "local records and arrays"),
    row(DesignatedInit, "designated-init", Objects, 25, "", "initialisers that name their places and leave others out"),
    row(CompoundLiteral, "compound-literal", Objects, 6, "", "compound literals"),
    row(StringLiteral, "string-literal", Objects, 6, "", "string literals"),
    row(Aligned, "aligned", Objects, 6, "c2", "`aligned` objects"),
    row(Arithmetic, "arithmetic", Expressions, 30, "c12o", "`+` and `-`"),
    row(Multiplication, "multiplication", Expressions, 12, "c12o", "`*`"),
    row(Division, "division", Expressions, 12, "c12o", "`/` and `%`"),
    row(Shift, "shift", Expressions, 16, "c12o", "`<<` and `>>`"),
    row(Bitwise, "bitwise", Expressions, 28, "c12o", "`&`, `|`, `^` and `~`"),
    row(Comparison, "comparison", Expressions, 16, "c12o", "comparisons"),
    row(Logical, "logical", Expressions, 10, "c12o", "`&&`, `||` and `!`"),
    row(Unary, "unary", Expressions, 12, "c12o", "unary `-`, `+`, `~` and `!`"),
    row(Ternary, "ternary", Expressions, 8, "12", "`?:`"),
    row(Comma, "comma", Expressions, 4, "c", "the comma operator"),
    row(Cast, "cast", Expressions, 10, "12o", "casts between integer types"),
    row(AssignExpression, "assign-expression", Expressions, 10, "c", "assignments inside expressions"),
    row(CompoundAssign, "compound-assign", Expressions, 14, "c", "`op=`"),
    row(Increment, "increment", Expressions, 8, "c", "`++` and `--`, before and behind"),
    row(BitBuiltin, "bit-builtin", Expressions, 8, "c", "popcount, parity, clz, ctz, ffs and clrsb"),
    row(OverflowBuiltin, "overflow-builtin", Expressions, 5, "", "addition, subtraction and multiplication that tell of overflow"),
    row(ByteSwap, "byte-swap", Expressions, 4, "c", "byte swaps of 16, 32 and 64 bits"),
    row(CommonSubexpression, "common-subexpression", Expressions, 8, "12", "an expression that occurred before"),
    row(If, "if", Statements, 22, "c12o", "`if` and `else`"),
    row(For, "for", Statements, 10, "c2o", "`for` loops"),
    row(ArrayLoop, "array-loop", Statements, 10, "c2", "loops over whole arrays"),
    row(While, "while", Statements, 5, "o", "`while` loops"),
    row(Do, "do", Statements, 5, "", "`do` loops"),
    row(Switch, "switch", Statements, 7, "o", "`switch`, dense and sparse, cases in any order"),
    row(SwitchFallthrough, "switch-fallthrough", Statements, 40, "", "cases that run into the next"),
    row(Goto, "goto", Statements, 5, "c", "forward `goto` out of blocks"),
    row(BackwardGoto, "backward-goto", Statements, 4, "c", "loops made of `goto`"),
    row(Break, "break", Statements, 9, "co", "`break` out of loops"),
    row(Continue, "continue", Statements, 9, "c", "`continue`"),
    row(Return, "return", Statements, 3, "c", "`return` in the middle"),
    row(RecordCopy, "record-copy", Statements, 6, "c", "assignment of whole records"),
    row(Call, "call", Functions, 12, "co", "calls of generated functions"),
    row(RecordParameter, "record-parameter", Functions, 12, "co", "records passed by value"),
    row(RecordResult, "record-result", Functions, 12, "c", "records returned by value"),
    row(PointerParameter, "pointer-parameter", Functions, 25, "c", "pointers as parameters, also to locals of the caller"),
    row(Recursion, "recursion", Functions, 16, "", "functions that call themselves, to a bounded depth"),
    row(FunctionPointer, "function-pointer", Functions, 10, "", "calls through pointers to functions"),
    row(FunctionTable, "function-table", Functions, 8, "", "calls through tables of functions"),
    row(Inline, "inline", Functions, 20, "c", "`inline` functions"),
    row(Attribute, "attribute", Functions, 15, "c", "attributes of functions: noinline, always_inline, hot, cold and others"),
    row(Helper, "helper", Shapes, 10, "", "small functions with a range test and a shift, called from conditions"),
    row(Graph, "graph", Shapes, 25, "", "functions drawn as control-flow graphs of labelled blocks"),
    row(VariableBound, "variable-bound", Shapes, 35, "2", "loop bounds and steps in variables with odd values"),
    row(Reduction, "reduction", Shapes, 35, "2", "loops that sum, multiply or xor arrays up"),
    row(PointerSelect, "pointer-select", Shapes, 15, "", "pointers chosen by a condition"),
    row(HiddenInput, "hidden-input", Shapes, 100, "12", "inputs whose values the optimiser cannot see"),
    row(HiddenArgument, "hidden-argument", Shapes, 35, "", "inputs made from `argc` and `argv` of a program that is run without arguments"),
    gnu(row(MacroWrapper, "macro-wrapper", Shapes, 50, "c", "wrappers that are macros; the weight is the percentage of programs that have some")),
];

impl Feature {
    /// How many there are.
    pub const COUNT: usize = MacroWrapper as usize + 1;

    /// Its row.
    pub fn row(self) -> &'static FeatureRow {
        &FEATURES[self as usize]
    }

    /// The feature with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        FEATURES.iter().find(|row| row.name == name).map(|row| row.feature)
    }

    /// Why a program for this target in this dialect cannot have it.
    pub fn missing(self, target: &Target, _dialect: Dialect) -> Option<&'static str> {
        match self {
            Int128 if target.int_scalar(IntKind::Int128).is_none() => {
                Some("the target has no `__int128`")
            }
            HiddenArgument if target.name == AVR.name => Some("`main` has no arguments there"),
            _ => None,
        }
    }
}

/// The weight of every feature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights([u32; Feature::COUNT]);

impl Default for Weights {
    fn default() -> Self {
        Self(std::array::from_fn(|index| FEATURES[index].weight))
    }
}

impl Weights {
    /// The weight of a feature.
    pub fn get(&self, feature: Feature) -> u32 {
        self.0[feature as usize]
    }

    /// Whether the feature occurs at all.
    pub fn has(&self, feature: Feature) -> bool {
        self.get(feature) > 0
    }

    /// Changes a weight.
    pub fn set(&mut self, feature: Feature, weight: u32) {
        self.0[feature as usize] = weight;
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
}
