//! What a run saw: how often each node was evaluated, and with which values.

use std::collections::BTreeMap;

use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{Arena, ExprId, Id, Program, StmtId};

use crate::code::Op;
use crate::lower::lower_all;
use crate::value::{Scalar, Value};

/// How many different values of an expression are kept, and of the operands of a guard.
const FEW: usize = 8;

/// The profile of a run, by node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    /// By expression: one more than where `seen` has it, or zero. Most are never seen,
    /// and what is kept of one takes much room.
    places: Vec<u32>,
    seen: Vec<ExprProfile>,
    stmts: Vec<u64>,
    firings: BTreeMap<u32, Firings>,
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
    /// The different ones, if they are more than one and still few: most expressions
    /// only ever have one value, and that needs no list.
    list: Vec<i128>,
    /// Whether there were more than are kept.
    many: bool,
}

/// The operands with which a guard fired, in bounded memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Firings {
    /// The different ones, in the order in which they came.
    pub few: Vec<Vec<Operand>>,
    /// Whether there were more than are kept.
    pub more: bool,
}

/// An operand of a guard that fired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// An integer.
    Integer(i128),
    /// A floating value, rounded to the bits of a `double`.
    Double(u64),
    /// A pointer or a number that depends on an address.
    Address,
    /// A null pointer.
    Null,
}

impl Operand {
    pub(crate) fn of(ty: Scalar, value: Value) -> Self {
        match ty {
            Scalar::Pointer if (value.low, value.high) == (0, 0) => Self::Null,
            Scalar::Pointer => Self::Address,
            Scalar::Int { .. } if value.high != 0 => Self::Address,
            Scalar::Int { signed: true, .. } => Self::Integer(i128::from(value.low as i64)),
            Scalar::Int { .. } | Scalar::Bool => Self::Integer(i128::from(value.low)),
            Scalar::Wide { .. } => Self::Integer(value.bits() as i128),
            Scalar::Single => Self::Double(f64::from(f32::from_bits(value.low as u32)).to_bits()),
            Scalar::Double => Self::Double(value.low),
            Scalar::Float(format) => {
                let (double, _) =
                    FloatValue { format, bits: value.bits() }.convert(FloatFormat::Double);
                Self::Double(double.bits as u64)
            }
        }
    }
}

impl Profile {
    /// An empty profile.
    pub(crate) fn new(program: &Program) -> Self {
        Self {
            places: vec![0; program.exprs.len()],
            seen: Vec::new(),
            stmts: vec![0; program.stmts.len()],
            firings: BTreeMap::new(),
        }
    }

    /// The operands with which a guard fired; `None` if it never did.
    pub fn firings(&self, guard: ExprId) -> Option<&Firings> {
        self.firings.get(&(guard.index() as u32))
    }

    /// What was seen of an expression: of one that did not exist yet, nothing.
    pub fn expr(&self, id: ExprId) -> &ExprProfile {
        static NOTHING: ExprProfile = ExprProfile { count: 0, values: None, fired: 0 };
        match self.places.get(id.index()) {
            None | Some(0) => &NOTHING,
            Some(place) => &self.seen[*place as usize - 1],
        }
    }

    /// How often a statement was begun; jumps into its middle do not count.
    pub fn stmt(&self, id: StmtId) -> u64 {
        self.stmts[id.index()]
    }

    /// Whether a statement or anything in it was begun: the body of a switch is entered
    /// in its middle.
    pub fn ran(&self, program: &Program, id: StmtId) -> bool {
        let mut ran = self.stmt(id) > 0;
        program[id].for_each_child(|child| ran = ran || self.ran(program, child));
        ran
    }

    /// All expressions that were evaluated, in the order of the arena.
    pub fn evaluated<'a, T>(
        &'a self,
        arena: &'a Arena<ExprId, T>,
    ) -> impl Iterator<Item = (ExprId, &'a ExprProfile)> {
        arena.ids().map(|id| (id, self.expr(id))).filter(|(_, seen)| seen.count > 0)
    }

    #[inline]
    fn entry(&mut self, expr: u32) -> &mut ExprProfile {
        let place = &mut self.places[expr as usize];
        if *place == 0 {
            self.seen.push(ExprProfile::default());
            *place = self.seen.len() as u32;
        }
        &mut self.seen[*place as usize - 1]
    }

    pub(crate) fn count_stmt(&mut self, stmt: u32) {
        self.stmts[stmt as usize] += 1;
    }

    #[inline]
    pub(crate) fn see(&mut self, expr: u32, ty: Option<Scalar>, value: Value) {
        let seen = self.entry(expr);
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
            None => seen.values = Some(Values::from(number)),
        }
    }

    pub(crate) fn fire(&mut self, guard: u32, operands: &[Operand]) {
        self.entry(guard).fired += 1;
        let firings = self.firings.entry(guard).or_default();
        if firings.more || firings.few.iter().any(|known| known == operands) {
            return;
        }
        if firings.few.len() < FEW {
            firings.few.push(operands.to_vec());
        } else {
            firings.more = true;
        }
    }
}

/// The nodes that a profile counts when they are evaluated, each in the order of the
/// arena: statements of all functions that can be called, and expressions that are values
/// by themselves, which lvalues, for one, are not.
pub fn counted(program: &Program) -> (Vec<ExprId>, Vec<StmtId>) {
    let (mut exprs, mut stmts) = (Vec::new(), Vec::new());
    for code in lower_all(program) {
        for op in &code.ops {
            match *op {
                Op::SeeValue { expr, .. } => exprs.push(ExprId::from_index(expr as usize)),
                Op::SeeStmt { stmt } => stmts.push(StmtId::from_index(stmt as usize)),
                _ => {}
            }
        }
    }
    // What is lowered twice, such as a compound literal, is still one node.
    exprs.sort_unstable();
    exprs.dedup();
    stmts.sort_unstable();
    stmts.dedup();
    (exprs, stmts)
}

impl From<i128> for Values {
    fn from(number: i128) -> Self {
        Self { low: number, high: number, list: Vec::new(), many: false }
    }
}

impl Values {
    /// The different ones, in the order in which they came, if they are few.
    pub fn few(&self) -> Option<&[i128]> {
        match (self.many, self.list.is_empty()) {
            (true, _) => None,
            (false, true) => Some(std::slice::from_ref(&self.low)),
            (false, false) => Some(&self.list),
        }
    }

    #[inline]
    fn add(&mut self, number: i128) {
        if self.many {
            // Nothing but the ends is kept.
        } else if self.list.is_empty() {
            // The same value again is the common case.
            if number == self.low {
                return;
            }
            self.list = vec![self.low, number];
        } else if self.list.contains(&number) {
            return;
        } else if self.list.len() < FEW {
            self.list.push(number);
        } else {
            self.many = true;
            self.list = Vec::new();
        }
        self.low = self.low.min(number);
        self.high = self.high.max(number);
    }
}
