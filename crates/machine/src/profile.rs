//! What a run saw of what it was asked to watch.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{Arena, ExprId, Id, Program, StmtId};

use crate::code::Op;
use crate::lower::lower_all;
use crate::value::{Scalar, Value};
use crate::watch::{Chosen, Watch};

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
    firings: BTreeMap<ExprId, Tuples>,
    visits: BTreeMap<StmtId, Tuples>,
    loops: BTreeMap<StmtId, LoopProfile>,
    inexact: bool,
    /// By statement; empty if none may be turned around.
    turns: Vec<Turn>,
}

/// What became of an `if` that may be turned around.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Turn {
    /// It was not met.
    #[default]
    Open,
    /// It stays as it is.
    Stays,
    /// Its condition counts as negated.
    Turned,
}

/// What was seen of a loop whose rounds were watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LoopProfile {
    /// The most rounds that it had.
    pub rounds: u32,
    /// The least distance of two rounds of which one wrote what the other accessed.
    pub carried: Option<u32>,
}

/// What was seen of one expression.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExprProfile {
    /// How often it was evaluated.
    pub count: u64,
    /// The numbers it had as values; `None` if it never had one.
    pub values: Option<Values>,
}

impl ExprProfile {
    /// The integers it had as values; `None` if it never had one.
    pub fn integers(&self) -> Option<&Integers> {
        match &self.values {
            Some(Values::Integers(integers)) => Some(integers),
            _ => None,
        }
    }

    /// The floating values it had; `None` if it never had one.
    pub fn floats(&self) -> Option<&Floats> {
        match &self.values {
            Some(Values::Floats(floats)) => Some(floats),
            _ => None,
        }
    }
}

/// The numbers that an expression had as values, all of its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// Integers.
    Integers(Integers),
    /// Floating values.
    Floats(Box<Floats>),
}

/// A set of integers, in bounded memory. Those of 128 bits without a sign are kept as if
/// they had one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Integers {
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

/// A set of floating values of one format, in bounded memory. Two are the same if their
/// bits are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Floats {
    /// The lowest and the highest number, where the negative zero is below the positive
    /// one; `None` if there was no number.
    pub range: Option<(FloatValue, FloatValue)>,
    /// Whether there was one that is not a number.
    pub nan: bool,
    list: Vec<FloatValue>,
    many: bool,
}

/// What came together: the operands with which a guard fired, or the values that objects
/// had when a statement began. In bounded memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tuples {
    /// How often any came.
    pub count: u64,
    /// The different ones, in the order in which they came.
    pub few: Vec<Box<[Observed]>>,
    /// Whether there were more than are kept.
    pub more: bool,
    /// The lowest and the highest integer at each place; `None` if something else came there.
    pub ranges: Vec<Option<(i128, i128)>>,
    /// What held for all of them, if there were more than are kept and it was asked for.
    pub relations: Option<Box<Relations>>,
}

/// What held whenever integers came together. Where something else came, nothing is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Relations {
    /// For each place the bits that were set in all integers, and those that were set in any.
    pub bits: Vec<(i128, i128)>,
    /// Which orders occurred, for each pair of the first few places.
    orders: [[u8; RELATED]; RELATED],
}

/// How many places are compared with each other.
const RELATED: usize = 8;

impl Relations {
    /// Whether an integer and another were ever in this order; `None` if that is not known.
    pub fn occurred(&self, left: usize, right: usize, order: Ordering) -> Option<bool> {
        let known = left < right && right < RELATED;
        known.then(|| self.orders[left][right] & bit(order) != 0)
    }

    #[inline]
    fn add(&mut self, tuple: &[Observed]) {
        let integer = |value: &Observed| match *value {
            Observed::Integer(number) => number,
            _ => 0,
        };
        self.bits.resize(tuple.len(), (-1, 0));
        for (bits, value) in self.bits.iter_mut().zip(tuple) {
            let number = integer(value);
            *bits = (bits.0 & number, bits.1 | number);
        }
        let mut first = [0; RELATED];
        first.iter_mut().zip(tuple).for_each(|(slot, value)| *slot = integer(value));
        for left in 0..RELATED.min(tuple.len()) {
            for right in left + 1..RELATED.min(tuple.len()) {
                self.orders[left][right] |= bit(first[left].cmp(&first[right]));
            }
        }
    }
}

/// One value of a program, as far as it means something outside the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observed {
    /// An integer; one of 128 bits without a sign is kept as if it had one.
    Integer(i128),
    /// A floating value.
    Float(FloatValue),
    /// A pointer or a number that depends on an address, or one that the library leaves
    /// open.
    Address,
    /// A null pointer.
    Null,
    /// There is no value: the object does not exist here, was never given one, or is no
    /// scalar.
    Nothing,
}

impl Observed {
    #[inline]
    pub(crate) fn of(ty: Scalar, value: Value) -> Self {
        let float = |format, bits| Self::Float(FloatValue { format, bits });
        match ty {
            Scalar::Pointer if (value.low, value.high) == (0, 0) => Self::Null,
            Scalar::Pointer => Self::Address,
            Scalar::Int { .. } if value.high != 0 => Self::Address,
            Scalar::Int { signed: true, .. } => Self::Integer(i128::from(value.low as i64)),
            Scalar::Int { .. } | Scalar::Bool => Self::Integer(i128::from(value.low)),
            Scalar::Wide { .. } => Self::Integer(value.bits() as i128),
            Scalar::Single => float(FloatFormat::Single, value.low.into()),
            Scalar::Double => float(FloatFormat::Double, value.low.into()),
            Scalar::Float(format) => float(format, value.bits()),
        }
    }
}

impl Profile {
    /// An empty profile, with room for what is watched.
    pub(crate) fn new(program: &Program, watch: &Watch) -> Self {
        let room = |none: bool, length| if none { 0 } else { length };
        let no_exprs = matches!(watch.expressions, Chosen::None);
        let no_stmts = matches!(watch.statements, Chosen::None);
        Self {
            // Half of what may be watched runs, and more room than that is not touched.
            seen: Vec::with_capacity(room(no_exprs, program.exprs.len() / 2)),
            places: vec![0; room(no_exprs, program.exprs.len())],
            stmts: vec![0; room(no_stmts, program.stmts.len())],
            turns: vec![Turn::Open; room(watch.turns.is_empty(), program.stmts.len())],
            ..Self::default()
        }
    }

    /// The operands with which a guard fired; `None` if it never did.
    pub fn firings(&self, guard: ExprId) -> Option<&Tuples> {
        self.firings.get(&guard)
    }

    /// How often the check of a guard failed.
    pub fn fired(&self, guard: ExprId) -> u64 {
        self.firings(guard).map_or(0, |firings| firings.count)
    }

    /// The values that the objects of a watchpoint had together, in their order; `None` if
    /// its statement never began.
    pub fn visits(&self, stmt: StmtId) -> Option<&Tuples> {
        self.visits.get(&stmt)
    }

    /// What was seen of a loop whose rounds were watched; `None` if it never ran, or if the
    /// machine cannot say what its rounds are.
    pub fn rounds(&self, stmt: StmtId) -> Option<LoopProfile> {
        self.loops.get(&stmt).copied()
    }

    /// Whether no floating operation rounded, overflowed or was invalid, and no value was
    /// infinite or not a number. It is known if exactness was watched.
    pub fn is_exact(&self) -> bool {
        !self.inexact
    }

    pub(crate) fn note_inexact(&mut self) {
        self.inexact = true;
    }

    /// What was seen of all loops whose rounds were watched.
    pub(crate) fn set_rounds(&mut self, loops: BTreeMap<StmtId, LoopProfile>) {
        self.loops = loops;
    }

    /// What was seen of an expression: of one that did not exist yet, nothing.
    pub fn expr(&self, id: ExprId) -> &ExprProfile {
        static NOTHING: ExprProfile = ExprProfile { count: 0, values: None };
        match self.places.get(id.index()) {
            None | Some(0) => &NOTHING,
            Some(place) => &self.seen[*place as usize - 1],
        }
    }

    /// How often a statement was begun; jumps into its middle do not count.
    pub fn stmt(&self, id: StmtId) -> u64 {
        self.stmts.get(id.index()).copied().unwrap_or(0)
    }

    /// Whether the condition of an `if` counted as negated.
    pub fn turned(&self, stmt: StmtId) -> bool {
        self.turns.get(stmt.index()) == Some(&Turn::Turned)
    }

    /// Whether an `if` that is met is turned around; `turns` says whether it is if this is the
    /// first time.
    #[inline]
    pub(crate) fn turn(&mut self, stmt: u32, turns: bool) -> bool {
        let turn = &mut self.turns[stmt as usize];
        if *turn == Turn::Open {
            *turn = if turns { Turn::Turned } else { Turn::Stays };
        }
        *turn == Turn::Turned
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
        let Some(ty) = ty else { return };
        match (Observed::of(ty, value), &mut seen.values) {
            (Observed::Integer(number), Some(Values::Integers(values))) => values.add(number),
            (Observed::Integer(number), values) => {
                *values = Some(Values::Integers(Integers::from(number)));
            }
            (Observed::Float(number), Some(Values::Floats(values))) => values.add(number),
            (Observed::Float(number), values) => {
                let mut floats = Box::<Floats>::default();
                floats.add(number);
                *values = Some(Values::Floats(floats));
            }
            // The number of an address means nothing.
            (Observed::Address | Observed::Null | Observed::Nothing, _) => {}
        }
    }

    pub(crate) fn fire(&mut self, guard: ExprId, operands: &[Observed]) {
        self.firings.entry(guard).or_default().add(operands, (FEW, 0));
    }

    /// Keeps so many tuples, and for so many visits what held for all.
    pub(crate) fn visit(&mut self, stmt: StmtId, values: &[Observed], kept: (usize, u64)) {
        self.visits.entry(stmt).or_default().add(values, kept);
    }
}

impl Tuples {
    fn add(&mut self, tuple: &[Observed], (most, related): (usize, u64)) {
        self.count += 1;
        let ranges = tuple.iter().map(|value| match *value {
            Observed::Integer(number) => Some((number, number)),
            _ => None,
        });
        if self.ranges.is_empty() {
            self.ranges = ranges.collect();
        } else {
            for (range, new) in self.ranges.iter_mut().zip(ranges) {
                *range = range.zip(new).map(|(old, new)| (old.0.min(new.0), old.1.max(new.1)));
            }
        }
        if self.more {
            match &mut self.relations {
                Some(relations) if self.count <= related => relations.add(tuple),
                relations => *relations = None,
            }
        } else if self.few.iter().any(|known| **known == *tuple) {
            // Most visits find what another found.
        } else if self.few.len() < most {
            self.few.push(tuple.into());
        } else {
            self.more = true;
            self.relations = (self.count <= related).then(|| {
                let mut relations = Box::<Relations>::default();
                self.few.iter().for_each(|known| relations.add(known));
                relations.add(tuple);
                relations
            });
        }
    }
}

/// An order as a bit of a set.
fn bit(order: Ordering) -> u8 {
    match order {
        Ordering::Less => 1,
        Ordering::Equal => 2,
        Ordering::Greater => 4,
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

impl From<i128> for Integers {
    fn from(number: i128) -> Self {
        Self { low: number, high: number, list: Vec::new(), many: false }
    }
}

impl Values {
    /// Whether there was only one.
    pub fn is_single(&self) -> bool {
        match self {
            Self::Integers(integers) => integers.low == integers.high,
            Self::Floats(floats) => floats.few().is_some_and(|few| few.len() == 1),
        }
    }
}

impl Floats {
    /// The different ones, in the order in which they came, if they are few.
    pub fn few(&self) -> Option<&[FloatValue]> {
        (!self.many).then_some(&self.list)
    }

    fn add(&mut self, number: FloatValue) {
        if self.list.contains(&number) {
            return;
        }
        if self.list.len() < FEW && !self.many {
            self.list.push(number);
        } else {
            self.many = true;
            self.list = Vec::new();
        }
        if number.is_nan() {
            self.nan = true;
            return;
        }
        let (low, high) = self.range.unwrap_or((number, number));
        let low = if is_below(number, low) { number } else { low };
        let high = if is_below(high, number) { number } else { high };
        self.range = Some((low, high));
    }
}

/// Whether a number is below another. Two that are equal differ in the sign of zero.
fn is_below(left: FloatValue, right: FloatValue) -> bool {
    match left.compare(right) {
        Some(Ordering::Equal) => left.bits > right.bits,
        order => order == Some(Ordering::Less),
    }
}

impl Integers {
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
