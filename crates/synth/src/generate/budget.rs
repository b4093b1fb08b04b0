//! What drafting may spend: bytes of text, operations and rounds.

use std::collections::BTreeMap;
use std::ops::Range;

use farrier_lang::print::{GuardStyle, PrintOptions, print_items, wrapper_definition};
use farrier_lang::wrapper::{Wrapper, WrapperOperation, guard_name, wrapper_of};
use farrier_lang::{ArrayLength, ExprId, ExprKind, Id, ObjectId, RecordKind, Type, TypeId};

use super::Check;
use super::draft::Draft;
use super::finish::MANY;
use crate::discharge::Discharge;
use crate::parameters::Parameter;

/// How far the size of a program may be from the one that was asked for, in percent.
pub(super) const NEAR_ENOUGH: usize = 10;

/// How much less far the size that is expected of a draft may be, in percent.
pub(super) const NEAR: usize = 9;

/// So many bytes less, because the comment at the head of a program may have another length than
/// expected, but at most one byte of fifty.
pub(super) const SPARE_BYTES: usize = 100;
pub(super) const SPARE_PERCENT: usize = 2;

/// About how long the comment at the head of a file is.
pub const HEAD_BYTES: usize = 160;

/// How much of the text is for what stands outside functions and their globals: the
/// checksum, `main` and the header.
pub(super) const FRAME_BYTES: usize = 420;

/// About how much longer an assertion is with its value than without.
pub(super) const ASSERTION_BYTES: usize = 80;

/// About how much longer the text becomes for a guard that does not stay: most are
/// dropped, and a few get a constant.
const DISCHARGED_BYTES: usize = 1;

/// About how much text there is for an expression of the arena.
pub(super) const EXPRESSION_BYTES: usize = 5;

/// Below so many nodes their number says nothing of the bytes for each.
const FEW_NODES: usize = 500;

/// The bytes for a node of the first function, when there are only globals to go by.
const FIRST_NODE_BYTES: usize = 3;

/// What a statement counts for in nodes; an expression is one.
const STATEMENT_NODES: usize = 3;

/// About how many bytes the checksum of one number takes, and how many more if it is a
/// floating one, in a loop, or a member.
const MIX_BYTES: usize = 18;
const BITS_BYTES: usize = 6;
const LOOP_BYTES: usize = 50;
const MEMBER_BYTES: usize = 4;

/// How many more if there are many of them in a loop.
const FOLD_BYTES: usize = 50;

/// The operations of the checksum of one number.
const MIX_OPERATIONS: u64 = 40;

/// About how many guards fire in a draft and stay if the others are dropped, in percent.
const FIRING: u32 = 12;

/// About how many bytes the comparison of one number with its value takes, and the operations.
const COMPARISON_BYTES: usize = 100;
const COMPARISON_OPERATIONS: u64 = 8;

/// The operations of the machine for each lane of a vector that an expression makes.
const LANE_OPERATIONS: u64 = 5;

/// What the checks of `main` cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Checks {
    pub(super) bytes: usize,
    pub(super) operations: u64,
}

/// What may be spent on one function, or on one place in it.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// How often the current place runs in one call, at most.
    pub(super) rounds: u64,
    /// The operations of one call so far, at most.
    pub(super) cost: u64,
    /// What `cost` may become.
    pub(super) allowance: u64,
    /// How many nodes the program may come to have.
    pub(super) size_limit: usize,
}

impl Budget {
    /// A budget for a point that runs `rounds` times, of so many operations each time and so
    /// many nodes.
    pub fn inside(operations: u64, rounds: u64, nodes: usize) -> Self {
        let rounds = rounds.max(1);
        let allowance = operations.saturating_mul(rounds);
        Self { rounds, cost: 0, allowance, size_limit: nodes }
    }

    pub(super) fn new(allowance: u64, size_limit: usize) -> Self {
        Self { rounds: 1, cost: 0, allowance, size_limit }
    }
}

/// How long the text of a draft is, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Size {
    /// How many items have been measured, how many nodes there were then, and the
    /// bytes of their text.
    measured: (usize, usize, usize),
    /// How many globals of either kind have been counted, and what their checks cost.
    checked: (usize, usize),
    checks: Checks,
    /// How many expressions have been searched for guards, and of those that stay the
    /// wrappers that they need, each with the bytes of a call.
    searched: usize,
    wrappers: BTreeMap<Wrapper, usize>,
    /// Where no guard stays: ranges of expressions, in order.
    pub(super) bare: Vec<Range<usize>>,
    /// How many nodes the whole program may come to have.
    pub(super) limit: usize,
    /// The guards that stay, whatever they do, in the order of the arena.
    pub(super) kept: Vec<ExprId>,
}

impl Draft<'_> {
    /// How much was drafted, in nodes.
    pub(super) fn grown(&self) -> usize {
        self.program.exprs.len() + STATEMENT_NODES * self.program.stmts.len()
    }

    /// The bytes of the text so far.
    pub(super) fn measure(&mut self) -> usize {
        let (items, _, bytes) = self.size.measured;
        let options = PrintOptions::guards(GuardStyle::Bare);
        let mut more = print_items(&self.program, &self.program.items[items..], &options).len();
        more += self.choose_kept();
        self.size.measured = (self.program.items.len(), self.grown(), bytes + more);
        bytes + more
    }

    /// Chooses which of the guards drafted since the last time stay; the bytes that they
    /// and the others add to the text. It is chosen while drafting, because wrappers are
    /// so long that the size would be missed otherwise.
    fn choose_kept(&mut self) -> usize {
        let share = match self.config.discharge {
            Discharge::Keep => 100,
            Discharge::Mixed => self.parameter(Parameter::KeptGuards),
            Discharge::Drop => FIRING,
            Discharge::Flip => 0,
        };
        let mut bytes = 0;
        for index in self.size.searched..self.program.exprs.len() {
            let id = ExprId::from_index(index);
            let expr = &self.program[id];
            if !matches!(expr.kind, ExprKind::Guard { .. }) {
                continue;
            }
            let wrapper = wrapper_of(&self.program, expr);
            let bare = self.size.bare.iter().any(|range| range.contains(&index));
            let Some(wrapper) = wrapper.filter(|_| !bare && self.choices.chance(share)) else {
                bytes += DISCHARGED_BYTES;
                continue;
            };
            if self.config.discharge != Discharge::Drop {
                self.size.kept.push(id);
            }
            bytes += *self.size.wrappers.entry(wrapper).or_insert_with(|| {
                bytes += wrapper_definition(self.config.target, wrapper).len();
                let arguments = match wrapper.operation {
                    WrapperOperation::Index(_) => 6,
                    WrapperOperation::Pointer => 16,
                    _ => 0,
                };
                guard_name(wrapper).len() + arguments
            });
        }
        self.size.searched = self.program.exprs.len();
        self.size.bare.clear();
        bytes
    }

    /// About what the checks of the globals so far will cost.
    pub(super) fn checks(&mut self) -> Checks {
        let (globals, own) = self.size.checked;
        let new: Vec<ObjectId> = self.stock.globals[globals.min(self.stock.globals.len())..]
            .iter()
            .chain(&self.stock.own[own..])
            .map(|global| global.object)
            .collect();
        self.size.checked = (self.stock.globals.len(), self.stock.own.len());
        for object in new {
            let (leaves, elements) = self.leaves(self.program[object].ty, 1);
            let total = &mut self.size.checks;
            match self.config.check {
                Check::Checksum => {
                    total.bytes += leaves;
                    total.operations += MIX_OPERATIONS * elements;
                }
                Check::Asserts => {
                    total.bytes += COMPARISON_BYTES * elements as usize;
                    total.operations += COMPARISON_OPERATIONS * elements;
                }
                Check::None => {}
            }
        }
        self.size.checks
    }

    /// The bytes of the checksum of a type, and its numbers, in loops of so many rounds.
    fn leaves(&self, ty: TypeId, rounds: u64) -> (usize, u64) {
        let one = MIX_BYTES + if rounds >= MANY { FOLD_BYTES } else { 0 };
        match *self.program.resolve(ty) {
            Type::Int(_) | Type::BitInt { .. } | Type::Enum(_) => (one, 1),
            Type::Float(_) => (one + BITS_BYTES, 1),
            Type::Array { element, length: ArrayLength::Fixed(length) } => {
                let (bytes, elements) = self.leaves(element, rounds.saturating_mul(length));
                (bytes + LOOP_BYTES, elements * length)
            }
            Type::Complex(part) => {
                let (bytes, numbers) = self.leaves(part, rounds);
                (2 * bytes, 2 * numbers)
            }
            Type::Vector { element, lanes } => {
                let (bytes, elements) = self.leaves(element, rounds.saturating_mul(lanes.into()));
                (bytes + LOOP_BYTES, elements * u64::from(lanes))
            }
            Type::Record(id) => {
                let union = self.program[id].kind == RecordKind::Union;
                let members = self.members(id).take(if union { 1 } else { usize::MAX });
                members.fold((0, 0), |(bytes, elements), (_, field)| {
                    let (more, inner) = self.leaves(field.ty, rounds);
                    (bytes + more + MEMBER_BYTES, elements + inner)
                })
            }
            _ => (0, 0),
        }
    }

    /// About how many nodes make a text of `bytes`.
    pub(super) fn nodes_in(&self, bytes: usize) -> usize {
        let (_, nodes, measured) = self.size.measured;
        if nodes < FEW_NODES { bytes / FIRST_NODE_BYTES } else { bytes * nodes / measured.max(1) }
    }

    pub(super) fn has_room(&self) -> bool {
        self.grown() < self.budget.size_limit
    }

    /// The operations that may still run here each time, at most.
    pub(super) fn spare(&self) -> u64 {
        self.budget.allowance.saturating_sub(self.budget.cost) / self.budget.rounds.max(1)
    }

    /// Counts operations that run here each time.
    pub(super) fn charge(&mut self, operations: u64) {
        let all = operations.saturating_mul(self.budget.rounds);
        self.budget.cost = self.budget.cost.saturating_add(all);
    }

    /// Counts the operations of a full expression.
    pub(super) fn charge_expr(&mut self, expr: ExprId) {
        let nodes = self.tree_size(expr);
        self.charge(nodes);
    }

    fn tree_size(&self, expr: ExprId) -> u64 {
        let mut nodes = match *self.program.resolve(self.program.type_of(expr)) {
            Type::Vector { lanes, .. } => LANE_OPERATIONS * u64::from(lanes),
            _ => 1,
        };
        self.program[expr].kind.for_each_operand(|operand| nodes += self.tree_size(operand));
        nodes
    }

    /// Drafts what runs `times` in each run of what is around it.
    pub(super) fn repeated<T>(&mut self, times: u64, work: impl FnOnce(&mut Self) -> T) -> T {
        let rounds = self.budget.rounds;
        self.budget.rounds = rounds.saturating_mul(times.max(1));
        self.scope.jumps.enter_loop();
        let made = work(self);
        self.scope.jumps.leave_loop();
        self.budget.rounds = rounds;
        made
    }
}
