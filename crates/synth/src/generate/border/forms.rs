//! The forms of border functions: linear sums, tests of them, and code that never runs.

use farrier_lang::{BinaryOp, IntKind, LogicalOp};

use super::code::{Step, Term};
use super::plan::Plan;

/// In percent: tests of a variable alone, tests against a term instead of a constant, tests
/// by one unsigned comparison, tests of two conditions.
const SINGLE_TESTS: u32 = 40;
const TERM_TESTS: u32 = 25;
const RANGE_TESTS: u32 = 15;
const DOUBLE_TESTS: u32 = 20;

/// How often a test is drawn before a plain one is taken.
const TRIES: u32 = 6;

/// The most statements of code that never runs.
const WILD_STEPS: i64 = 3;

/// A form of sums: its weight, and what makes it.
type Form = (u32, fn(&mut Plan<'_>) -> Option<Term>);

/// The sums without their constants. Those over one pair and one coefficient are equal in
/// pairs, so that a compiler can make one from the other.
static SUMS: [Form; 9] = [
    (14, |plan| plan.two_products(false)),
    (10, |plan| plan.two_products(true)),
    (8, |plan| plan.product_of_two(BinaryOp::Add)),
    (6, |plan| plan.product_of_two(BinaryOp::Sub)),
    (14, |plan| plan.product_and_variable()),
    (8, |plan| {
        let operand = Term::Variable(plan.operand());
        let coefficient = plan.coefficient();
        plan.product(operand, coefficient)
    }),
    (6, |plan| {
        let (left, right) = plan.pair();
        let op = plan.choices.pick(&[BinaryOp::Add, BinaryOp::Sub]);
        Some(Term::binary(op, Term::Variable(left), Term::Variable(right)))
    }),
    (8, |plan| {
        let first = plan.two_products(false)?;
        let operand = Term::Variable(plan.operand());
        let coefficient = plan.coefficient();
        let third = plan.product(operand, coefficient)?;
        let op = plan.choices.pick(&[BinaryOp::Add, BinaryOp::Sub]);
        Some(Term::binary(op, first, third))
    }),
    (4, |plan| Some(Term::Variable(plan.operand()))),
];

impl Plan<'_> {
    /// A sum that is defined in all rounds, of a few tries.
    pub(super) fn sum(&mut self) -> Option<Term> {
        let term = self.any_sum()?;
        self.range(&term).is_some().then_some(term)
    }

    fn any_sum(&mut self) -> Option<Term> {
        let weights = SUMS.map(|(weight, _)| weight);
        let row = self.choices.weighted(&weights).unwrap_or(0);
        (SUMS[row].1)(self)
    }

    /// `c1 * y + c2 * z`, or with the same coefficient.
    fn two_products(&mut self, same: bool) -> Option<Term> {
        let (left, right) = self.pair();
        let first = self.coefficient();
        let second = if same { first } else { self.coefficient() };
        let left = self.product(Term::Variable(left), first)?;
        let right = self.product(Term::Variable(right), second)?;
        let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Sub]);
        Some(Term::binary(op, left, right))
    }

    /// `(y + z) * c`
    fn product_of_two(&mut self, op: BinaryOp) -> Option<Term> {
        let (left, right) = self.pair();
        let both = Term::binary(op, Term::Variable(left), Term::Variable(right));
        let coefficient = self.coefficient();
        self.product(both, coefficient)
    }

    /// `z + c * y`, in both orders.
    fn product_and_variable(&mut self) -> Option<Term> {
        let (left, right) = self.pair();
        let coefficient = self.coefficient();
        let product = self.product(Term::Variable(left), coefficient)?;
        let variable = Term::Variable(right);
        let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Sub]);
        Some(match self.choices.chance(50) {
            true => Term::binary(op, product, variable),
            false => Term::binary(op, variable, product),
        })
    }

    /// A test that has this outcome in all rounds.
    pub(super) fn test(&mut self, truth: bool) -> Term {
        let test = self.drawn_test(truth);
        self.read(&test);
        test
    }

    fn drawn_test(&mut self, truth: bool) -> Term {
        if self.allowed.logical && self.choices.chance(DOUBLE_TESTS) {
            let (first, second) = (self.single_test(truth), self.choices.chance(50));
            let op = if truth { LogicalOp::And } else { LogicalOp::Or };
            if second {
                let second = self.single_test(truth);
                return Term::logical(op, first, second);
            }
            // The first decides, so the second is wild.
            let op = if truth { LogicalOp::Or } else { LogicalOp::And };
            return Term::logical(op, first, self.wild_test());
        }
        self.single_test(truth)
    }

    fn single_test(&mut self, truth: bool) -> Term {
        for _ in 0..TRIES {
            let term = match self.choices.chance(SINGLE_TESTS) {
                true => Some(Term::Variable(self.operand())),
                false => self.sum(),
            };
            let Some(term) = term else { continue };
            let Some(test) = self.test_of(term, truth) else { continue };
            let outcome = i128::from(truth);
            if self.range(&test).is_some_and(|(_, low, high)| (low, high) == (outcome, outcome)) {
                return test;
            }
        }
        let operand = Term::Variable(self.operand());
        let op = if truth { BinaryOp::Equal } else { BinaryOp::NotEqual };
        Term::binary(op, operand.clone(), operand)
    }

    /// A test of a term whose other side is one step beside the value, or the value.
    fn test_of(&mut self, term: Term, truth: bool) -> Option<Term> {
        let (kind, low, high) = self.range(&term)?;
        let kind = self.integers.promoted(kind);
        let has_unsigned =
            || self.counter_kinds.iter().any(|other| other.to_unsigned() == kind.to_unsigned());
        if self.allowed.casts && has_unsigned() && self.choices.chance(RANGE_TESTS) {
            return self.range_test(term, kind, (low, high), truth);
        }
        let rows = [
            (BinaryOp::Greater, BinaryOp::LessEqual, low - 1),
            (BinaryOp::GreaterEqual, BinaryOp::Less, low),
            (BinaryOp::Less, BinaryOp::GreaterEqual, high + 1),
            (BinaryOp::LessEqual, BinaryOp::Greater, high),
            (BinaryOp::NotEqual, BinaryOp::Equal, low - 1),
            (BinaryOp::NotEqual, BinaryOp::Equal, high + 1),
            (BinaryOp::Equal, BinaryOp::NotEqual, low),
        ];
        let (holds, fails, bound) = self.choices.pick(&rows);
        let other = match self.choices.chance(TERM_TESTS) {
            true => self.known(bound, kind, 0)?,
            false => self.constant(bound, kind)?,
        };
        Some(Term::binary(if truth { holds } else { fails }, term, other))
    }

    /// `(unsigned)term - low <= width`
    fn range_test(
        &mut self,
        term: Term,
        kind: IntKind,
        (low, high): (i128, i128),
        truth: bool,
    ) -> Option<Term> {
        let near = i128::from(self.choices.range(0, 1));
        let (first, last) = match (truth, self.choices.chance(50)) {
            (true, _) => (low - near, high + near),
            (false, true) => (high + 1, high + 1 + self.coefficient().abs()),
            (false, false) => (low - 1 - self.coefficient().abs(), low - 1),
        };
        let first_term = self.constant(first, kind)?;
        let unsigned = kind.to_unsigned();
        let width = self.constant(last - first, unsigned)?;
        let moved = Term::binary(BinaryOp::Sub, Term::Cast(unsigned, Box::new(term)), first_term);
        Some(Term::binary(BinaryOp::LessEqual, moved, width))
    }

    /// A test that is true in some rounds of a loop and false in others.
    pub(super) fn changing_test(&mut self) -> Option<Term> {
        let term = self.sum()?;
        let (kind, low, high) = self.range(&term)?;
        if low == high {
            return None;
        }
        let share = i128::from(self.choices.range(0, 3));
        let bound = [low, high - 1, low + (high - low) / 2, high][share as usize];
        let op = if bound == high { BinaryOp::Equal } else { BinaryOp::Greater };
        let bound = self.constant(bound, self.integers.promoted(kind))?;
        Some(Term::binary(op, term, bound))
    }

    /// A sum of any values, where it is never computed.
    pub(super) fn wild_sum(&mut self) -> Term {
        let (left, right) = self.pair();
        let (first, second) = (self.coefficient(), self.coefficient());
        let [first, second] = [first, second].map(|value| Term::Constant(IntKind::Int, value));
        let (left, right) = (Term::Variable(left), Term::Variable(right));
        let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Sub]);
        let sum = match self.choices.below(4) {
            0 => {
                let left = Term::binary(BinaryOp::Mul, left, first);
                Term::binary(op, left, Term::binary(BinaryOp::Mul, right, second))
            }
            1 => Term::binary(BinaryOp::Mul, Term::binary(op, left, right), first),
            2 => Term::binary(op, left, Term::binary(BinaryOp::Mul, right, second)),
            _ => Term::binary(BinaryOp::Mul, left, first),
        };
        let known = self.choices.pick_any(&self.constants).unwrap_or(1);
        match self.integers.constant(known) {
            Some(kind) if self.choices.chance(70) => {
                Term::binary(op, sum, Term::Constant(kind, known))
            }
            _ => sum,
        }
    }

    /// A value that would often be undefined.
    fn wild_value(&mut self) -> Term {
        let sum = self.wild_sum();
        let other = Term::Variable(self.operand());
        match self.choices.below(6) {
            // The divisor is zero here, or it may be.
            0 if self.allowed.divisions => {
                let op = self.choices.pick(&[BinaryOp::Div, BinaryOp::Rem]);
                let value = self.range(&other).map_or(0, |(_, low, _)| low);
                match self.integers.constant(value) {
                    Some(kind) => {
                        let zero = Term::binary(BinaryOp::Sub, other, Term::Constant(kind, value));
                        Term::binary(op, sum, zero)
                    }
                    None => Term::binary(op, sum, other),
                }
            }
            1 if self.allowed.divisions => {
                let op = self.choices.pick(&[BinaryOp::Div, BinaryOp::Rem]);
                Term::binary(op, sum, other)
            }
            2 if self.allowed.shifts => {
                let op = self.choices.pick(&[BinaryOp::Shl, BinaryOp::Shr]);
                Term::binary(op, other, sum)
            }
            _ => sum,
        }
    }

    pub(super) fn wild_test(&mut self) -> Term {
        let sum = self.wild_sum();
        let known = self.choices.pick_any(&self.constants).unwrap_or(0);
        let kind = self.integers.constant(known).unwrap_or(IntKind::LongLong);
        let known = self.integers.of(kind).wrap(known);
        let ops = [BinaryOp::Less, BinaryOp::GreaterEqual, BinaryOp::Equal, BinaryOp::NotEqual];
        let op = self.choices.pick(&ops);
        Term::binary(op, sum, Term::Constant(kind, known))
    }

    /// Statements that never run.
    pub(super) fn wild_steps(&mut self) -> Vec<Step> {
        let count = self.choices.range(1, WILD_STEPS);
        (0..count)
            .map(|_| {
                let target = self.choices.index(self.kinds.len());
                Step::Assign(target, self.wild_value())
            })
            .collect()
    }
}
