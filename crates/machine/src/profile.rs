//! What a run saw: how often each node was evaluated, and with which values.

use farrier_lang::{Arena, ExprId, Id, Program, StmtId};

use crate::value::{Scalar, Value};

/// How many different values of an expression are kept.
const FEW: usize = 8;

/// The profile of a run, by node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    exprs: Vec<ExprProfile>,
    stmts: Vec<u64>,
}

/// What was seen of one expression.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExprProfile {
    /// How often it was evaluated.
    pub count: u64,
    /// The integers it had as values; `None` if it never had one.
    pub values: Option<Values>,
    /// Of a guard: how often its check failed.
    pub fired: u64,
}

/// A set of integers, in bounded memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    /// The lowest.
    pub low: i128,
    /// The highest.
    pub high: i128,
    /// The different ones, in the order in which they came, if they are few.
    pub few: Option<Vec<i128>>,
}

impl Profile {
    pub(crate) fn new(program: &Program) -> Self {
        Self {
            exprs: vec![ExprProfile::default(); program.exprs.len()],
            stmts: vec![0; program.stmts.len()],
        }
    }

    /// What was seen of an expression.
    pub fn expr(&self, id: ExprId) -> &ExprProfile {
        &self.exprs[id.index()]
    }

    /// How often a statement was begun.
    pub fn stmt(&self, id: StmtId) -> u64 {
        self.stmts[id.index()]
    }

    /// All expressions that were evaluated, in the order of the arena.
    pub fn evaluated<'a, T>(
        &'a self,
        arena: &'a Arena<ExprId, T>,
    ) -> impl Iterator<Item = (ExprId, &'a ExprProfile)> {
        arena.ids().map(|id| (id, self.expr(id))).filter(|(_, seen)| seen.count > 0)
    }

    pub(crate) fn count_stmt(&mut self, stmt: u32) {
        self.stmts[stmt as usize] += 1;
    }

    #[inline]
    pub(crate) fn see(&mut self, expr: u32, ty: Option<Scalar>, value: Value) {
        let seen = &mut self.exprs[expr as usize];
        seen.count += 1;
        let number = match ty {
            // The number of an address means nothing.
            Some(Scalar::Int { .. }) if value.high != 0 => return,
            Some(Scalar::Int { signed: true, .. }) => i128::from(value.low as i64),
            Some(Scalar::Int { .. } | Scalar::Bool) => i128::from(value.low),
            Some(Scalar::Wide { .. }) => value.bits() as i128,
            _ => return,
        };
        match &mut seen.values {
            Some(values) => values.add(number),
            None => {
                let few = Some(vec![number]);
                seen.values = Some(Values { low: number, high: number, few });
            }
        }
    }

    pub(crate) fn fire(&mut self, guard: u32) {
        self.exprs[guard as usize].fired += 1;
    }
}

impl Values {
    #[inline]
    fn add(&mut self, number: i128) {
        // The same value again is the common case.
        if let Some(few) = &mut self.few {
            if few.contains(&number) {
                return;
            }
            if few.len() < FEW {
                few.push(number);
            } else {
                self.few = None;
            }
        }
        self.low = self.low.min(number);
        self.high = self.high.max(number);
    }
}
