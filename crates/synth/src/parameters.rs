//! The numbers that shape a program, drawn anew for each program.
//!
//! YARPGen calls this parameter shuffling: programs that are all drawn from the same
//! distributions look alike, so the distributions themselves are random.

use crate::Choices;
use Parameter::*;

/// A number that shapes a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the table says what each is")]
pub enum Parameter {
    ExpressionDepth,
    ExpressionOperators,
    LeafShare,
    ConstantShare,
    NamedConstantShare,
    SmallConstants,
    LimitConstants,
    BlockConstants,
    EndBitConstants,
    ReusedConstants,
    ContextChange,
    AdditiveContext,
    BitwiseContext,
    LogicalContext,
    MultiplicativeContext,
    ShiftContext,
    BitwiseShiftContext,
    AdditiveMultiplicativeContext,
    MixedContext,
    ConstantSubtrees,
    UnsignedShare,
    FloatingShare,
    GlobalShare,
    Globals,
    PrivateShare,
    BlockLength,
    BlockDepth,
    ElseShare,
    LoopTrips,
    ArrayLength,
    Fields,
    ParameterCount,
    EffectShare,
    StaticShare,
    GraphBlocks,
    BorderBlocks,
    BorderVariables,
    BorderCoefficients,
    FunctionBytes,
    InitialisedShare,
    KeptGuards,
    MacroShare,
    EnrichedShare,
    HostileBlocks,
    WrapDepth,
    KnownCallDepth,
    KnownCallReuse,
}

/// A row of the table.
#[derive(Debug)]
pub struct ParameterRow {
    /// The parameter.
    pub parameter: Parameter,
    /// Its name in configuration files.
    pub name: &'static str,
    /// The lowest value that is drawn.
    pub low: u32,
    /// The highest.
    pub high: u32,
    /// Whether one of every magnitude is drawn as often as one of every other.
    pub by_magnitude: bool,
    /// What it is.
    pub about: &'static str,
}

const fn row(
    parameter: Parameter,
    name: &'static str,
    low: u32,
    high: u32,
    about: &'static str,
) -> ParameterRow {
    ParameterRow { parameter, name, low, high, by_magnitude: false, about }
}

const fn by_magnitude(row: ParameterRow) -> ParameterRow {
    ParameterRow { by_magnitude: true, ..row }
}

/// Every parameter, in the order of the enumeration.
#[rustfmt::skip]
pub static PARAMETERS: &[ParameterRow] = &[
    row(ExpressionDepth, "expression-depth", 2, 6, "how deep expressions nest"),
    by_magnitude(row(ExpressionOperators, "expression-operators", 1, 10_000, "the most operators of a long expression: in straight code of each, elsewhere of a few and never above 2000")),
    row(LeafShare, "leaf-share", 10, 45, "percent of operands that are leaves before that depth"),
    row(ConstantShare, "constant-share", 10, 60, "percent of leaves that are constants"),
    row(NamedConstantShare, "named-constant-share", 0, 30, "percent of constants that are enumeration constants, where there are some"),
    row(SmallConstants, "small-constants", 5, 60, "weight of constants near zero"),
    row(LimitConstants, "limit-constants", 5, 40, "weight of constants near the limits of a type"),
    row(BlockConstants, "block-constants", 0, 30, "weight of constants that are a block of bits"),
    row(EndBitConstants, "end-bit-constants", 0, 30, "weight of constants with bits at the ends"),
    row(ReusedConstants, "reused-constants", 0, 50, "weight of constants that occurred before, also negated or complemented"),
    row(ContextChange, "context-change", 2, 30, "percent of subtrees that draw a new context"),
    row(AdditiveContext, "additive-context", 0, 30, "weight of subtrees of additions"),
    row(BitwiseContext, "bitwise-context", 0, 40, "weight of subtrees of bit operations"),
    row(LogicalContext, "logical-context", 0, 20, "weight of subtrees of truth values"),
    row(MultiplicativeContext, "multiplicative-context", 0, 20, "weight of subtrees of multiplications and divisions"),
    row(ShiftContext, "shift-context", 0, 20, "weight of subtrees of shifts"),
    row(BitwiseShiftContext, "bitwise-shift-context", 0, 20, "weight of subtrees of bit operations and shifts"),
    row(AdditiveMultiplicativeContext, "additive-multiplicative-context", 0, 20, "weight of subtrees of additions, multiplications and divisions"),
    row(MixedContext, "mixed-context", 20, 100, "weight of subtrees of everything"),
    row(ConstantSubtrees, "constant-subtrees", 5, 15, "percent of subtrees whose leaves are constants, half of them or all"),
    row(UnsignedShare, "unsigned-share", 20, 75, "percent of integer types that are unsigned"),
    row(FloatingShare, "floating-share", 10, 80, "weight of floating types beside 100 for integers, in programs that have them"),
    row(GlobalShare, "global-share", 20, 75, "percent of variables in expressions that are global"),
    row(Globals, "globals", 4, 20, "global variables to begin with, for each ten kilobytes"),
    row(PrivateShare, "private-share", 30, 80, "percent of locals whose address is never taken"),
    row(BlockLength, "block-length", 2, 7, "statements in a block"),
    row(BlockDepth, "block-depth", 2, 5, "how deep blocks nest"),
    row(ElseShare, "else-share", 20, 70, "percent of conditions with an `else`"),
    row(LoopTrips, "loop-trips", 2, 16, "the most rounds of a loop"),
    row(ArrayLength, "array-length", 2, 16, "the most elements of an array in one dimension"),
    row(Fields, "fields", 2, 8, "the most members of a record"),
    row(ParameterCount, "parameter-count", 1, 6, "the most parameters of a function"),
    row(EffectShare, "effect-share", 15, 60, "percent of expressions that may have side effects"),
    row(StaticShare, "static-share", 10, 90, "percent of globals and functions that are `static`"),
    row(GraphBlocks, "graph-blocks", 6, 30, "the most blocks of a function drawn as a graph"),
    row(BorderBlocks, "border-blocks", 8, 18, "the most blocks of a border function"),
    row(BorderVariables, "border-variables", 5, 12, "the most variables of a border function"),
    row(BorderCoefficients, "border-coefficients", 2, 4, "the most coefficients of a border function"),
    row(FunctionBytes, "function-bytes", 900, 5000, "the size of a function in bytes"),
    row(InitialisedShare, "initialised-share", 40, 95, "percent of globals that have an initialiser"),
    row(KeptGuards, "kept-guards", 0, 30, "percent of guards that stay as wrappers, with `--discharge mixed`"),
    row(MacroShare, "macro-share", 1, 198, "percent of wrappers that are macros, where some are; all from 100 on"),
    row(EnrichedShare, "enriched-share", 15, 60, "percent of the text that is added when the values of the rest are known"),
    row(HostileBlocks, "hostile-blocks", 50, 100, "percent of blocks that get hostile code before anything else is added"),
    row(WrapDepth, "wrap-depth", 1, 5, "the most neutral wraps around one statement"),
    row(KnownCallDepth, "known-call-depth", 1, 3, "how deep calls of known value nest in their arguments"),
    row(KnownCallReuse, "known-call-reuse", 30, 95, "percent of calls of known value that call a function the program has already"),
];

impl Parameter {
    /// How many there are.
    pub const COUNT: usize = KnownCallReuse as usize + 1;

    /// Its row.
    pub fn row(self) -> &'static ParameterRow {
        &PARAMETERS[self as usize]
    }

    /// The parameter with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        PARAMETERS.iter().find(|row| row.name == name).map(|row| row.parameter)
    }
}

/// What programs without policies have: every form and every constant is as likely as its
/// weight says, wherever it stands.
const WITHOUT_POLICIES: &[(Parameter, u32)] = &[
    (ContextChange, 0),
    (AdditiveContext, 0),
    (BitwiseContext, 0),
    (LogicalContext, 0),
    (MultiplicativeContext, 0),
    (ShiftContext, 0),
    (BitwiseShiftContext, 0),
    (AdditiveMultiplicativeContext, 0),
    (MixedContext, 1),
    (ConstantSubtrees, 0),
    (SmallConstants, 1),
    (LimitConstants, 1),
    (BlockConstants, 1),
    (EndBitConstants, 1),
    (ReusedConstants, 0),
];

/// The names of contexts, in their order.
pub const CONTEXT_NAMES: [&str; 8] = [
    "mixed",
    "additive",
    "bitwise",
    "logical",
    "multiplicative",
    "shift",
    "bitwise-shift",
    "additive-multiplicative",
];

/// How often each policy was followed in a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Policies {
    /// Whether the program goes without them.
    pub off: bool,
    /// The expressions that were drawn in each context.
    pub contexts: [u64; CONTEXT_NAMES.len()],
    /// The subtrees whose leaves are all constants.
    pub constant: u64,
    /// Those of which half are.
    pub half_constant: u64,
}

/// A value for every parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters([u32; Parameter::COUNT]);

impl Parameters {
    /// A value for each from its range, or the one that is `fixed`; without `policies`, the ones
    /// that follow none.
    pub fn draw(choices: &mut Choices, fixed: &[(Parameter, u32)], policies: bool) -> Self {
        let mut values: [u32; Parameter::COUNT] = std::array::from_fn(|index| {
            let row = &PARAMETERS[index];
            match row.by_magnitude {
                true => choices.magnitude(row.low, row.high),
                false => choices.range(i64::from(row.low), i64::from(row.high)) as u32,
            }
        });
        let neutral = if policies { &[] } else { WITHOUT_POLICIES };
        for (parameter, value) in neutral.iter().chain(fixed) {
            values[*parameter as usize] = *value;
        }
        Self(values)
    }

    /// The value of one.
    pub fn get(&self, parameter: Parameter) -> u32 {
        self.0[parameter as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enumeration() {
        assert_eq!(PARAMETERS.len(), Parameter::COUNT);
        for (index, row) in PARAMETERS.iter().enumerate() {
            assert_eq!(row.parameter as usize, index, "{}", row.name);
            assert_eq!(Parameter::by_name(row.name), Some(row.parameter));
            assert!(row.low <= row.high, "{}", row.name);
        }
    }

    #[test]
    fn yarpgen_shuffles_no_more_parameters_than_this() {
        const { assert!(Parameter::COUNT >= 23) };
    }
}
