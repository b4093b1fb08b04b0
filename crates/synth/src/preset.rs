//! Kinds of programs that have a name: what they are made of.

use crate::discharge::Discharge;
use crate::features::Feature::{self, *};
use crate::features::{FEATURES, Weights};
use crate::generate::{Check, Config};
use crate::parameters::Parameter;
use crate::relax::Purpose;

/// A kind of programs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Preset {
    /// Everything there is.
    #[default]
    Default,
    /// What Csmith makes: no `switch`, `while` or casts.
    Csmith,
    /// What YARPGen makes: functions without loops and calls, whose every value is known.
    Yarpgen,
    /// Loop nests that the loop passes of compilers transform.
    Loops,
    /// Vectors in every function.
    Vectors,
    /// What Orange makes: straight code of single assignments, each of many operators.
    Orange,
    /// What CsmithEdge makes: rules are broken where the run allows it.
    Edge,
    /// Small, dense functions out of a grammar.
    Knots,
}

/// A row of the table.
struct PresetRow {
    name: &'static str,
    /// What they are.
    about: &'static str,
    /// The percentage of the programs of a hunt that are of this kind; the rest is default.
    share: u32,
    /// How many bytes such a program of a hunt has at least: a knot and its checks take some two
    /// thousand.
    least: u32,
    /// How many operations of the machine programs execute, at most.
    steps: u64,
    /// What becomes of guards.
    discharge: Discharge,
    /// What programs check.
    check: Check,
    /// The features that programs may have; all of them where there is no list.
    features: Option<&'static [Feature]>,
    /// Those that are drawn more often or more rarely than by default. No program goes without
    /// them by lot.
    weights: &'static [(Feature, u32)],
    /// The parameters that are not drawn.
    fixed: &'static [(Parameter, u32)],
    /// What relaxations are drawn for.
    relax: Option<Purpose>,
}

/// The operations of most programs.
const STEPS: u64 = 200_000;

/// Every preset, in the order of the enumeration.
const PRESETS: [PresetRow; 8] = [
    PresetRow {
        name: "default",
        about: "Every feature",
        share: 0,
        least: 0,
        steps: STEPS,
        discharge: Discharge::Mixed,
        check: Check::Checksum,
        features: None,
        weights: &[],
        fixed: &[],
        relax: None,
    },
    PresetRow {
        name: "csmith",
        about: "Programs like those of Csmith: guards stay as wrappers",
        share: 3,
        least: 0,
        steps: STEPS,
        discharge: Discharge::Keep,
        check: Check::Checksum,
        features: Some(CSMITH),
        weights: &[(Pointer, 30), (Goto, 8)],
        fixed: &[],
        relax: None,
    },
    PresetRow {
        name: "yarpgen",
        about: "Programs like those of YARPGen: long expressions without loops, calls and wrappers",
        share: 3,
        least: 0,
        steps: STEPS,
        discharge: Discharge::Flip,
        check: Check::Checksum,
        features: Some(YARPGEN),
        weights: &[],
        // Deep expressions, in straight lines.
        fixed: &[(Parameter::ExpressionDepth, 6), (Parameter::EffectShare, 0)],
        relax: None,
    },
    PresetRow {
        name: "loops",
        about: "Loop nests over arrays that fit, for the loop passes of compilers",
        share: 12,
        least: 0,
        // A nest needs 20,000 and more.
        steps: 5 * STEPS,
        discharge: Discharge::Mixed,
        check: Check::Checksum,
        features: None,
        weights: LOOPS,
        // What is added between the statements of a loop keeps the passes away.
        fixed: &[(Parameter::EnrichedShare, 6), (Parameter::HostileBlocks, 0)],
        relax: None,
    },
    PresetRow {
        name: "vectors",
        about: "GNU vectors in every function",
        share: 6,
        least: 0,
        steps: STEPS,
        discharge: Discharge::Mixed,
        check: Check::Checksum,
        features: None,
        weights: &[(Vector, 900), (Arithmetic, 30), (Bitwise, 28), (Cast, 10)],
        fixed: &[],
        relax: None,
    },
    PresetRow {
        name: "orange",
        about: "Programs like those of Orange: single assignments of up to 10,000 operators",
        share: 4,
        least: 0,
        // Every operation runs once, whatever the size.
        steps: 50 * STEPS,
        discharge: Discharge::Flip,
        // So that the variable that is wrong is named.
        check: Check::Asserts,
        features: Some(ORANGE),
        weights: &[(Straight, 100), (HiddenInput, 100), (Floating, 60)],
        // All values are in variables, which a compiler does not fold.
        fixed: &[
            (Parameter::ConstantShare, 0),
            (Parameter::ConstantSubtrees, 0),
            (Parameter::InitialisedShare, 100),
            (Parameter::Globals, 4),
        ],
        relax: None,
    },
    PresetRow {
        name: "edge",
        about: "Programs like those of CsmithEdge: rules are broken where the run allows it",
        share: 6,
        least: 0,
        steps: STEPS,
        // Wrappers stay where they are needed, and no value changes after the repairs.
        discharge: Discharge::Drop,
        check: Check::Checksum,
        features: None,
        weights: EDGE,
        fixed: &[
            (Parameter::EffectShare, 60),
            (Parameter::EnrichedShare, 15),
            (Parameter::HostileBlocks, 0),
        ],
        relax: Some(Purpose::WrongCode),
    },
    PresetRow {
        name: "knots",
        about: "Small, dense functions out of a grammar, of which only those stay that are defined",
        share: 55,
        least: 5_000,
        steps: STEPS,
        discharge: Discharge::Mixed,
        check: Check::Checksum,
        features: None,
        weights: &[(Knot, 97), (HiddenInput, 100)],
        // What is added between their statements hides them from the passes that they are for.
        fixed: &[(Parameter::EnrichedShare, 0), (Parameter::Globals, 2)],
        relax: None,
    },
];

#[rustfmt::skip]
const CSMITH: &[Feature] = &[
    Char, Short, Int, Long, LongLong, Struct, Union, NestedRecord, BitField, Packed, Array,
    MultiArray, Pointer, PointerToPointer, NullPointer, Const, Volatile, LocalRecord, Aligned,
    Arithmetic, Multiplication, Division, Shift, Bitwise, Comparison, Logical, Unary, Comma,
    AssignExpression, CompoundAssign, Increment, BitBuiltin, ByteSwap, If, For, ArrayLoop,
    Goto, BackwardGoto, Break, Continue, Return, RecordCopy, Call, RecordParameter,
    RecordResult, PointerParameter, Inline, Attribute, HiddenInput, MacroWrapper,
];

/// What nests are made of, as often as by default apart from nests themselves.
#[rustfmt::skip]
const LOOPS: &[(Feature, u32)] = &[
    (Nest, 85), (For, 10), (Array, 24), (MultiArray, 35), (ArrayLoop, 10), (Arithmetic, 30),
    (Multiplication, 12), (Comparison, 16), (CompoundAssign, 14), (Increment, 8), (Int, 24),
    (If, 22), (HiddenInput, 100), (VariableBound, 35),
];

/// What rules are broken with, and less of the shapes that have few places to break one.
#[rustfmt::skip]
const EDGE: &[(Feature, u32)] = &[
    (HiddenInput, 100), (Pointer, 40), (PointerToPointer, 30), (NullPointer, 20), (Array, 24),
    (If, 22), (Goto, 10), (Graph, 30), (AssignExpression, 12), (Increment, 16), (Call, 14),
    (PointerParameter, 40), (Nest, 6), (UnionView, 6), (MemoryFunction, 4), (ByteAccess, 4),
    (RecordLoop, 3), (Idiom, 6), (IdiomFunction, 3),
];

#[rustfmt::skip]
const ORANGE: &[Feature] = &[
    Bool, Char, Short, Int, Long, LongLong, Int128, Float, Double, LongDouble, Const, Volatile,
    StaticLocal, Arithmetic, Multiplication, Division, Shift, Bitwise, Comparison, Logical, Unary,
    Ternary, Cast, Floating, Straight, HiddenInput, HiddenArgument,
];

#[rustfmt::skip]
const YARPGEN: &[Feature] = &[
    Bool, Char, Short, Int, Long, LongLong, Struct, NestedRecord, BitField, Array, MultiArray,
    Pointer, Const, Volatile, Arithmetic, Multiplication, Division, Shift, Bitwise, Comparison,
    Logical, Unary, Ternary, Cast, CommonSubexpression, If, HiddenInput,
];

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 8] = [
        Self::Default,
        Self::Csmith,
        Self::Yarpgen,
        Self::Loops,
        Self::Vectors,
        Self::Orange,
        Self::Edge,
        Self::Knots,
    ];

    const fn row(self) -> &'static PresetRow {
        &PRESETS[self as usize]
    }

    /// The name in options.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// What programs of this kind are.
    pub const fn about(self) -> &'static str {
        self.row().about
    }

    /// The percentage of the programs of a hunt that are of this kind; the rest is default.
    pub const fn share(self) -> u32 {
        self.row().share
    }

    /// How many bytes a program of this kind has at least in a hunt.
    pub const fn least(self) -> u32 {
        self.row().least
    }

    /// The preset with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Whether no program of this kind goes without a feature by lot.
    pub fn needs(self, feature: Feature) -> bool {
        // Knots have everything.
        self.row().weights.iter().any(|(own, _)| [feature, Knot].contains(own))
    }

    /// Sets the weights, the parameters, the check and the operations that belong to the preset.
    pub fn apply(self, config: &mut Config) {
        let PresetRow { steps, discharge, check, features, weights, fixed, relax, .. } = self.row();
        config.steps = *steps;
        config.discharge = *discharge;
        config.check = *check;
        config.weights = Weights::default();
        let off = |feature| features.is_some_and(|features| !features.contains(&feature));
        for row in FEATURES.iter().filter(|row| off(row.feature)) {
            config.weights.set(row.feature, 0);
        }
        for (feature, weight) in *weights {
            config.weights.set(*feature, *weight);
            config.asked.push(*feature);
        }
        config.fixed.extend_from_slice(fixed);
        config.relax.purpose = *relax;
    }
}
