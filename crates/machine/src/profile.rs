//! What a run saw: how often each node was evaluated, and with which values.

use std::collections::BTreeMap;

use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{Arena, ExprId, Id, Program, StmtId};

use crate::code::Op;
use crate::value::{Scalar, Value};

/// How many different values of an expression are kept, and of the operands of a guard.
const FEW: usize = 8;

/// The profile of a run, by node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    exprs: Vec<ExprProfile>,
    stmts: Vec<u64>,
    /// By number, so that they come in order.
    counted_exprs: Vec<ExprId>,
    counted_stmts: Vec<StmtId>,
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
    /// An empty profile of a program with these operations.
    pub(crate) fn new<'a>(program: &Program, ops: impl Iterator<Item = &'a Op>) -> Self {
        let (mut exprs, mut stmts) = (Vec::new(), Vec::new());
        for op in ops {
            match *op {
                Op::SeeValue { expr, .. } => exprs.push(expr),
                Op::SeeStmt { stmt } => stmts.push(stmt),
                _ => {}
            }
        }
        // What is lowered twice, such as a compound literal, is still one node.
        for ids in [&mut exprs, &mut stmts] {
            ids.sort_unstable();
            ids.dedup();
        }
        Self {
            exprs: vec![ExprProfile::default(); program.exprs.len()],
            stmts: vec![0; program.stmts.len()],
            counted_exprs: exprs.iter().map(|id| ExprId::from_index(*id as usize)).collect(),
            counted_stmts: stmts.iter().map(|id| StmtId::from_index(*id as usize)).collect(),
            firings: BTreeMap::new(),
        }
    }

    /// The expressions that are counted when they are evaluated, in the order of the
    /// arena. Those that are never values by themselves are not, such as lvalues.
    pub fn counted_exprs(&self) -> &[ExprId] {
        &self.counted_exprs
    }

    /// The statements of all functions, in the order of the arena.
    pub fn counted_stmts(&self) -> &[StmtId] {
        &self.counted_stmts
    }

    /// The operands with which a guard fired; `None` if it never did.
    pub fn firings(&self, guard: ExprId) -> Option<&Firings> {
        self.firings.get(&(guard.index() as u32))
    }

    /// What was seen of an expression: of one that did not exist yet, nothing.
    pub fn expr(&self, id: ExprId) -> &ExprProfile {
        static NOTHING: ExprProfile = ExprProfile { count: 0, values: None, fired: 0 };
        self.exprs.get(id.index()).unwrap_or(&NOTHING)
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
            None => seen.values = Some(Values::from(number)),
        }
    }

    pub(crate) fn fire(&mut self, guard: u32, operands: &[Operand]) {
        self.exprs[guard as usize].fired += 1;
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
