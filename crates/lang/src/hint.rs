//! What a program says to the optimiser about a loop: the pragmas before it.

mod counted;

use crate::arena::{ExprId, ObjectId, StmtId};
use crate::expr::{BinaryOp, ExprKind};
use crate::program::Program;
use crate::stmt::Stmt;
use crate::types::{Type, TypeId};

pub use counted::{CountedLoop, counted, linear, mentions, reduction};

/// One hint: a line of its own, or a clause of the `omp simd` before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// Which row of [`HINTS`].
    pub kind: HintKind,
    /// The number in it; 0 in a row without one.
    pub number: u32,
    /// The object that it names, as an lvalue.
    pub object: Option<ExprId>,
}

impl Hint {
    /// A hint without arguments.
    pub fn bare(kind: HintKind) -> Self {
        Self { kind, number: 0, object: None }
    }

    /// A hint with a number.
    pub fn counted(kind: HintKind, number: u32) -> Self {
        Self { kind, number, object: None }
    }
}

/// Which compiler a hint is for, and so how it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HintForm {
    /// `#pragma GCC ...`; clang reads `unroll` too.
    Gcc,
    /// `#pragma clang loop ...`
    Clang,
    /// `#pragma omp simd`
    Omp,
    /// A clause of `omp simd`.
    Clause,
}

/// What stands in a hint besides its words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HintArgument {
    /// Nothing.
    None,
    /// A positive number, or for `GCC unroll` any.
    Number,
    /// An object.
    Object,
    /// An object, and a number after a colon.
    ObjectAndNumber,
}

/// A hint that Farrier knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HintRow {
    /// Which one.
    pub kind: HintKind,
    /// How it is written.
    pub form: HintForm,
    /// The words before the argument and after it.
    pub words: (&'static str, &'static str),
    /// The argument.
    pub argument: HintArgument,
    /// Two hints of one group exclude each other: some compiler refuses them together.
    pub group: u8,
    /// Whether a false one makes the program undefined.
    pub promise: bool,
}

macro_rules! hints {
    ($($kind:ident, $form:ident, $before:literal, $argument:ident, $after:literal, $group:literal, $promise:literal, $text:literal;)*) => {
        /// The hints that Farrier knows.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum HintKind {
            $(#[doc = $text] $kind,)*
        }

        /// Every hint, in the order of [`HintKind`].
        pub const HINTS: &[HintRow] = &[
            $(HintRow {
                kind: HintKind::$kind,
                form: HintForm::$form,
                words: ($before, $after),
                argument: HintArgument::$argument,
                group: $group,
                promise: $promise,
            },)*
        ];
    };
}

hints! {
    Ivdep, Gcc, "ivdep", None, "", 1, true, "No round depends on another one.";
    Unroll, Gcc, "unroll ", Number, "", 2, false, "How many copies of the body to make.";
    VectorizeEnable, Clang, "vectorize(enable)", None, "", 3, false, "Vectorise if it can be proved right.";
    VectorizeDisable, Clang, "vectorize(disable)", None, "", 3, false, "Do not vectorise.";
    AssumeSafety, Clang, "vectorize(assume_safety)", None, "", 3, true, "No round depends on another one.";
    VectorizeWidth, Clang, "vectorize_width(", Number, ")", 4, false, "How many rounds at once.";
    PredicateEnable, Clang, "vectorize_predicate(enable)", None, "", 5, false, "No rest of rounds, but masks.";
    PredicateDisable, Clang, "vectorize_predicate(disable)", None, "", 5, false, "No masks.";
    InterleaveEnable, Clang, "interleave(enable)", None, "", 6, false, "Several vectors at once.";
    InterleaveDisable, Clang, "interleave(disable)", None, "", 6, false, "One vector at once.";
    InterleaveCount, Clang, "interleave_count(", Number, ")", 7, false, "How many vectors at once.";
    UnrollEnable, Clang, "unroll(enable)", None, "", 2, false, "Unroll, entirely or in part.";
    UnrollDisable, Clang, "unroll(disable)", None, "", 2, false, "Do not unroll.";
    UnrollFull, Clang, "unroll(full)", None, "", 2, false, "Unroll entirely.";
    UnrollCount, Clang, "unroll_count(", Number, ")", 2, false, "How many copies of the body to make.";
    DistributeEnable, Clang, "distribute(enable)", None, "", 8, false, "Make several loops of it.";
    DistributeDisable, Clang, "distribute(disable)", None, "", 8, false, "Make no several loops of it.";
    Simd, Omp, "simd", None, "", 9, true, "Several rounds may run at once.";
    Safelen, Clause, "safelen(", Number, ")", 10, false, "How far apart rounds that run at once may be.";
    Simdlen, Clause, "simdlen(", Number, ")", 11, false, "How many rounds at once.";
    ReductionAdd, Clause, "reduction(+:", Object, ")", 0, false, "The object is a sum.";
    ReductionMultiply, Clause, "reduction(*:", Object, ")", 0, false, "The object is a product.";
    ReductionAnd, Clause, "reduction(&:", Object, ")", 0, false, "The object is a conjunction of bits.";
    ReductionOr, Clause, "reduction(|:", Object, ")", 0, false, "The object is a disjunction of bits.";
    ReductionXor, Clause, "reduction(^:", Object, ")", 0, false, "The object is a sum of bits without carry.";
    Private, Clause, "private(", Object, ")", 0, false, "Each round has such an object of its own.";
    LastPrivate, Clause, "lastprivate(", Object, ")", 0, false, "The same, and the last round's value stays.";
    Concurrent, Clause, "order(concurrent)", None, "", 12, false, "Rounds may run in any order, and all at once.";
    If, Clause, "if(simd:1)", None, "", 13, false, "Several rounds at once.";
    IfNot, Clause, "if(simd:0)", None, "", 13, false, "One round after the other.";
    Nontemporal, Clause, "nontemporal(", Object, ")", 0, false, "The object is not used again soon.";
    Aligned, Clause, "aligned(", ObjectAndNumber, ")", 0, false, "The array lies at a multiple of so many bytes.";
    Linear, Clause, "linear(", ObjectAndNumber, ")", 0, false, "Each round adds so much to the object.";
}

impl HintKind {
    /// Its row.
    pub fn row(self) -> &'static HintRow {
        &HINTS[self as usize]
    }

    /// Whether clang, told so, also sums up floating numbers in another order.
    pub fn regroups(self) -> bool {
        matches!(
            self,
            Self::VectorizeEnable
                | Self::AssumeSafety
                | Self::VectorizeWidth
                | Self::PredicateEnable
                | Self::InterleaveEnable
                | Self::Simd
        )
    }

    /// The operator of a reduction.
    pub fn reduces_by(self) -> Option<BinaryOp> {
        match self {
            Self::ReductionAdd => Some(BinaryOp::Add),
            Self::ReductionMultiply => Some(BinaryOp::Mul),
            Self::ReductionAnd => Some(BinaryOp::BitAnd),
            Self::ReductionOr => Some(BinaryOp::BitOr),
            Self::ReductionXor => Some(BinaryOp::BitXor),
            _ => None,
        }
    }
}

/// Pairs that clang refuses together, besides those of one group.
const CONFLICTS: &[(HintKind, HintKind)] = &[
    (HintKind::VectorizeDisable, HintKind::VectorizeWidth),
    (HintKind::InterleaveDisable, HintKind::InterleaveCount),
];

/// The largest number of `GCC unroll`.
const MOST_COPIES: u32 = 65534;

/// The largest number of other hints.
const MOST: u32 = 1 << 16;

impl Program {
    /// What is wrong with the hints of a loop, if anything is: compilers would refuse them.
    pub fn hint_fault(&self, hints: &[Hint], body: StmtId) -> Option<&'static str> {
        if !self[body].is_loop() || hints.is_empty() {
            return Some("hints without a loop, or a loop with an empty list of hints");
        }
        let simd = hints[0].kind == HintKind::Simd;
        if simd && !matches!(self[body], Stmt::For { .. }) {
            return Some("only a `for` can be an `omp simd` loop");
        }
        for (at, hint) in hints.iter().enumerate() {
            let row = hint.kind.row();
            let fits = match row.argument {
                HintArgument::None => hint.number == 0 && hint.object.is_none(),
                HintArgument::Number if hint.kind == HintKind::Unroll => {
                    hint.number <= MOST_COPIES && hint.object.is_none()
                }
                HintArgument::Number => (1..=MOST).contains(&hint.number) && hint.object.is_none(),
                HintArgument::Object => hint.number == 0 && self.hinted_object(hint).is_some(),
                HintArgument::ObjectAndNumber => self.numbered_object(hint),
            };
            if !fits {
                return Some("a hint with an argument that does not fit");
            }
            let endless = matches!(self[body], Stmt::For { condition: None, .. });
            if endless && row.form == HintForm::Gcc {
                return Some("a hint for gcc on a `for` without a condition");
            }
            if (row.form == HintForm::Clause) != (simd && at > 0) {
                return Some("`omp simd` has clauses, and stands before no other hint");
            }
            let object = self.hinted_object(hint);
            let excludes = |other: &Hint| {
                let group = row.group != 0 && other.kind.row().group == row.group;
                let pair = CONFLICTS.contains(&(hint.kind, other.kind))
                    || CONFLICTS.contains(&(other.kind, hint.kind));
                group || pair || object.is_some() && self.hinted_object(other) == object
            };
            if hints[..at].iter().any(excludes) {
                return Some("two hints that exclude each other");
            }
        }
        let number = |kind| hints.iter().find(|hint| hint.kind == kind).map(|hint| hint.number);
        match (number(HintKind::Simdlen), number(HintKind::Safelen)) {
            (Some(lanes), Some(safe)) if lanes > safe => Some("a `simdlen` above the `safelen`"),
            _ => None,
        }
    }

    /// Whether a statement may compute with floating numbers: itself, or in what it calls.
    pub fn may_have_floats(&self, stmt: StmtId) -> bool {
        let mut stmts = vec![stmt];
        let mut exprs = Vec::new();
        while let Some(stmt) = stmts.pop() {
            self[stmt].for_each_child(|child| stmts.push(child));
            self[stmt].for_each_expr(|expr| exprs.push(expr));
            if let Stmt::Declare(object) = self[stmt] {
                exprs.extend(self[object].init);
            }
            while let Some(expr) = exprs.pop() {
                if matches!(self[expr].kind, ExprKind::Call(..))
                    || self.is_float_like(self[expr].ty)
                {
                    return true;
                }
                self[expr].kind.for_each_operand(|operand| exprs.push(operand));
                if let ExprKind::StatementExpr(block) = self[expr].kind {
                    stmts.push(block);
                }
            }
        }
        false
    }

    /// Whether a hint may let clang sum up floating numbers in another order.
    pub fn may_be_regrouped(&self) -> bool {
        self.stmts.values().any(|stmt| match stmt {
            Stmt::Hinted { hints, body } => {
                hints.iter().any(|hint| hint.kind.regroups()) && self.may_have_floats(*body)
            }
            _ => false,
        })
    }

    /// Whether a type has floating numbers: it is one, or a complex one, or a vector of them.
    pub fn is_float_like(&self, ty: TypeId) -> bool {
        match *self.resolve(ty) {
            Type::Float(_) | Type::Complex(_) => true,
            Type::Vector { element, .. } => matches!(self.resolve(element), Type::Float(_)),
            _ => false,
        }
    }

    /// Whether the object of a hint is one for its number.
    fn numbered_object(&self, hint: &Hint) -> bool {
        let Some(object) = self.hinted_object(hint) else { return false };
        let ty = self[object].ty;
        let fits = match hint.kind {
            HintKind::Aligned => {
                hint.number.is_power_of_two()
                    && matches!(self.resolve(ty), Type::Array { .. } | Type::Pointer(_))
            }
            _ => self.is_integer(ty),
        };
        fits && (1..=MOST).contains(&hint.number)
    }

    /// The object that a hint names.
    pub fn hinted_object(&self, hint: &Hint) -> Option<ObjectId> {
        match self[hint.object?].kind {
            ExprKind::Object(object) => Some(object),
            _ => None,
        }
    }
}
