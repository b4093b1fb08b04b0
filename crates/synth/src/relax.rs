//! Relaxation: rules of drafting that a program may break, after CsmithEdge.
//!
//! A draft that breaks rules is run by the machine, which names every fault, and the faults are
//! repaired. What is left is as wild as a program with one meaning can be. A program
//! that is only compiled needs no meaning, and is not repaired.

pub(crate) mod repair;

use std::collections::BTreeMap;

use farrier_lang::{ExprId, ObjectId, StmtId};
use farrier_machine::Rule;

use crate::Choices;
pub use repair::names as repair_names;

/// A rule of drafting that a program may break.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the table says what each is")]
pub enum Relaxation {
    Null,
    Lifetime,
    Initialiser,
    Jump,
    Bounds,
    Parameter,
    Order,
}

/// A row of the table.
#[derive(Debug)]
pub struct RelaxationRow {
    /// The relaxation.
    pub relaxation: Relaxation,
    /// Its name in options.
    pub name: &'static str,
    /// The highest share of places in programs that get a meaning, in percent.
    pub wrong_code: u32,
    /// The highest share of places in programs that are only compiled.
    pub crash: u32,
    /// What drafting allows.
    pub about: &'static str,
}

const fn row(
    relaxation: Relaxation,
    name: &'static str,
    (wrong_code, crash): (u32, u32),
    about: &'static str,
) -> RelaxationRow {
    RelaxationRow { relaxation, name, wrong_code, crash, about }
}

/// Every relaxation, in the order of the enumeration. The bounds are those of CsmithEdge, table 1,
/// with three exceptions: the machine names every object without a value and every subscript that
/// is out of bounds, so that more of them are repaired, and it decides conflicts, which no tool of
/// CsmithEdge could.
#[rustfmt::skip]
pub static RELAXATIONS: &[RelaxationRow] = &[
    row(Relaxation::Null, "null", (100, 100), "pointers that may be null are dereferenced without a guard, and more of them are null"),
    row(Relaxation::Lifetime, "lifetime", (100, 100), "pointers get addresses of objects that end before they do"),
    row(Relaxation::Initialiser, "initialiser", (60, 100), "local variables have no initialiser"),
    row(Relaxation::Jump, "jump", (100, 100), "jumps pass initialisers and enter blocks"),
    row(Relaxation::Bounds, "bounds", (50, 100), "subscripts and pointer arithmetic have no guard"),
    row(Relaxation::Parameter, "parameter", (50, 100), "the addresses of parameters are passed on"),
    row(Relaxation::Order, "order", (80, 100), "both operands of an operator may read and write anything"),
];

/// How many relaxations there are.
const COUNT: usize = RELAXATIONS.len();

/// How many relaxations a relaxed program has, in percent.
const DRAWN: u32 = 50;

impl Relaxation {
    /// What the table says.
    pub fn row(self) -> &'static RelaxationRow {
        &RELAXATIONS[self as usize]
    }

    /// The relaxation with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        RELAXATIONS.iter().find(|row| row.name == name).map(|row| row.relaxation)
    }
}

/// What relaxed programs are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// They must have one meaning.
    WrongCode,
    /// They are only compiled.
    Crash,
}

/// Which rules programs may break.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Relaxing {
    /// What relaxations are drawn for; none are drawn if there is no purpose.
    pub purpose: Option<Purpose>,
    /// Those that are not drawn, with their shares in percent.
    pub fixed: Vec<(Relaxation, u32)>,
}

/// How often a program breaks each rule, in percent of the places where it could.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shares([u32; COUNT]);

impl Shares {
    /// Draws which rules a program breaks, and how often.
    pub(crate) fn draw(relaxing: &Relaxing, choices: &mut Choices) -> Self {
        let mut shares = [0; COUNT];
        if let Some(purpose) = relaxing.purpose {
            for (share, row) in shares.iter_mut().zip(RELAXATIONS) {
                let most = match purpose {
                    Purpose::WrongCode => row.wrong_code,
                    Purpose::Crash => row.crash,
                };
                let drawn = choices.range(1, most.into()) as u32;
                *share = if choices.chance(DRAWN) { drawn } else { 0 };
            }
        }
        for (relaxation, share) in &relaxing.fixed {
            shares[*relaxation as usize] = *share;
        }
        Self(shares)
    }

    /// That of one.
    pub fn get(&self, relaxation: Relaxation) -> u32 {
        self.0[relaxation as usize]
    }

    /// Whether the program follows all rules.
    pub fn is_strict(&self) -> bool {
        self.0 == [0; COUNT]
    }
}

/// How often the rules were broken in drafting, and what there is to take that back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relaxed {
    pub(crate) shares: Shares,
    pub(crate) counts: [u64; COUNT],
    /// Locals without an initialiser, each with the one that it would have.
    pub(crate) dropped: Vec<(ObjectId, ExprId)>,
    /// The addresses of objects that end too early.
    pub(crate) addresses: Vec<ExprId>,
    /// The statements that jump.
    pub(crate) jumps: Vec<StmtId>,
}

impl Relaxed {
    pub(crate) fn new(shares: Shares) -> Self {
        Self { shares, ..Self::default() }
    }

    /// Decides whether a rule is broken here.
    pub(crate) fn decide(&mut self, relaxation: Relaxation, choices: &mut Choices) -> bool {
        let share = self.shares.get(relaxation);
        let broken = share > 0 && choices.chance(share);
        self.counts[relaxation as usize] += u64::from(broken);
        broken
    }
}

/// What became of the rules that a program breaks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RelaxTally {
    /// How often each rule could be broken, in percent.
    pub shares: Shares,
    /// How often drafting broke it.
    pub relaxed: [u64; COUNT],
    /// The faults that the machine named, over all rounds, by the rule that was broken.
    pub faults: BTreeMap<Rule, u64>,
    /// The faults that are still there, in code that does not run.
    pub buried: BTreeMap<Rule, u64>,
    /// Those of them that have a copy beside them which runs.
    pub beside: BTreeMap<Rule, u64>,
    /// How often each repair was made, in the order of its table.
    pub repairs: [u64; repair::COUNT],
    /// How many rounds of repairs there were.
    pub rounds: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enumeration() {
        for (index, row) in RELAXATIONS.iter().enumerate() {
            assert_eq!(row.relaxation as usize, index);
            assert_eq!(Relaxation::by_name(row.name), Some(row.relaxation));
        }
    }

    #[test]
    fn half_of_the_relaxations_are_drawn_within_their_bounds() {
        let relaxing = Relaxing { purpose: Some(Purpose::WrongCode), fixed: Vec::new() };
        let mut drawn = [0; COUNT];
        for seed in 0..400 {
            let shares = Shares::draw(&relaxing, &mut Choices::new(seed));
            for (count, row) in drawn.iter_mut().zip(RELAXATIONS) {
                assert!(shares.get(row.relaxation) <= row.wrong_code);
                *count += u32::from(shares.get(row.relaxation) > 0);
            }
        }
        assert!(drawn.iter().all(|count| (140..260).contains(count)), "{drawn:?}");
    }

    #[test]
    fn what_is_fixed_is_not_drawn() {
        let fixed = vec![(Relaxation::Order, 7), (Relaxation::Null, 0)];
        let shares = Shares::draw(&Relaxing { purpose: None, fixed }, &mut Choices::new(1));
        assert_eq!(shares.get(Relaxation::Order), 7);
        assert!(RELAXATIONS.iter().map(|row| shares.get(row.relaxation)).sum::<u32>() == 7);
        assert!(Shares::draw(&Relaxing::default(), &mut Choices::new(1)).is_strict());
    }
}
