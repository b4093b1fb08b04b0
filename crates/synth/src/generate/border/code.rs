//! The code of a border function before it is written: terms whose values are known.

use farrier_lang::target::Target;
use farrier_lang::{BinaryOp, IntKind, IntegerType, LogicalOp};

/// An expression over the variables of a function, by their numbers.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Constant(IntKind, i128),
    Variable(usize),
    Binary(BinaryOp, Box<Term>, Box<Term>),
    Logical(LogicalOp, Box<Term>, Box<Term>),
    Cast(IntKind, Box<Term>),
}

impl Term {
    pub(super) fn binary(op: BinaryOp, left: Self, right: Self) -> Self {
        Self::Binary(op, Box::new(left), Box::new(right))
    }

    pub(super) fn logical(op: LogicalOp, left: Self, right: Self) -> Self {
        Self::Logical(op, Box::new(left), Box::new(right))
    }

    /// The variables that it reads, one bit each.
    pub(super) fn reads(&self) -> u64 {
        match self {
            Self::Constant(..) => 0,
            Self::Variable(number) => 1 << number,
            Self::Binary(_, left, right) | Self::Logical(_, left, right) => {
                left.reads() | right.reads()
            }
            Self::Cast(_, operand) => operand.reads(),
        }
    }

    pub(super) fn nodes(&self) -> u64 {
        match self {
            Self::Constant(..) | Self::Variable(_) => 1,
            Self::Binary(_, left, right) | Self::Logical(_, left, right) => {
                1 + left.nodes() + right.nodes()
            }
            Self::Cast(_, operand) => 1 + operand.nodes(),
        }
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Assign(usize, Term),
    If(Term, Vec<Step>),
    /// `for (counter = first; condition; counter = next) body`
    For {
        counter: usize,
        first: Term,
        condition: Term,
        next: Term,
        body: Vec<Step>,
    },
}

/// How a block ends, and which blocks follow.
#[derive(Clone, Debug)]
pub(super) enum End {
    Jump(usize),
    Branch { condition: Term, then: usize, otherwise: usize },
    Switch { value: Term, cases: Vec<(i128, usize)>, otherwise: usize },
}

/// A block of the graph.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) steps: Vec<Step>,
    pub(super) end: End,
}

/// The types of integers on a target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Integers(pub(super) &'static Target);

impl Integers {
    pub(super) fn of(self, kind: IntKind) -> IntegerType {
        IntegerType { signed: self.0.int_signed(kind), bits: self.0.int_bits(kind) }
    }

    /// The limits of a kind of at most 64 bits.
    pub(super) fn limits(self, kind: IntKind) -> (i128, i128) {
        let integer = self.of(kind);
        (integer.min(), integer.max() as i128)
    }

    /// C11 6.3.1.1p2
    pub(super) fn promoted(self, kind: IntKind) -> IntKind {
        if kind >= IntKind::Int {
            return kind;
        }
        let ((least, most), int) = (self.limits(kind), self.of(IntKind::Int));
        if int.contains(least) && int.contains(most) { IntKind::Int } else { IntKind::UInt }
    }

    /// The usual arithmetic conversions, C11 6.3.1.8p1.
    pub(super) fn common(self, left: IntKind, right: IntKind) -> IntKind {
        let (low, high) = {
            let (left, right) = (self.promoted(left), self.promoted(right));
            (left.min(right), left.max(right))
        };
        // The kinds stand in the order of their ranks, each signed one before its unsigned.
        let holds = self.of(high).contains(self.limits(low).1);
        let signs_differ = self.of(low).signed != self.of(high).signed;
        if signs_differ && self.of(high).signed && !holds { high.to_unsigned() } else { high }
    }

    /// The narrowest kind that a signed constant with this value can have.
    pub(super) fn constant(self, value: i128) -> Option<IntKind> {
        let kinds = [IntKind::Int, IntKind::Long, IntKind::LongLong];
        kinds.into_iter().find(|kind| self.of(*kind).contains(value))
    }

    /// The kind and the value of a term without shifts, for these kinds and values of the
    /// variables; nothing where it is undefined.
    pub(super) fn value(
        self,
        term: &Term,
        kinds: &[IntKind],
        values: &impl Fn(usize) -> i128,
    ) -> Option<(IntKind, i128)> {
        match term {
            Term::Constant(kind, value) => Some((*kind, *value)),
            Term::Variable(number) => Some((kinds[*number], values(*number))),
            Term::Cast(kind, operand) => {
                let (_, value) = self.value(operand, kinds, values)?;
                Some((*kind, self.of(*kind).wrap(value)))
            }
            Term::Logical(op, left, right) => {
                let left = self.value(left, kinds, values)?.1 != 0;
                let decides = left == (*op == LogicalOp::Or);
                let truth = if decides { left } else { self.value(right, kinds, values)?.1 != 0 };
                Some((IntKind::Int, i128::from(truth)))
            }
            Term::Binary(op, left, right) => {
                let (left_kind, left) = self.value(left, kinds, values)?;
                let (right_kind, right) = self.value(right, kinds, values)?;
                let kind = self.common(left_kind, right_kind);
                let integer = self.of(kind);
                let result = integer.binary(*op, integer.wrap(left), integer.wrap(right)).ok()?;
                Some((if op.is_comparison() { IntKind::Int } else { kind }, result))
            }
        }
    }
}
