//! Relaxed order: two operands of which one writes what the other might be about. Only the values
//! of pointers and subscripts tell whether they are in conflict.

use farrier_lang::{BinaryOp, ExprId, StmtId, Type, TypeId};

use super::draft::{Draft, Mode};
use super::places::Purpose;
use super::scope::Variable;
use super::values::{Site, Want};
use crate::relax::Relaxation;

/// How many expressions that may have effects are such a pair, in percent of those that may break
/// the rules of order.
const CONTESTS: u32 = 60;

/// After how many statements one with a pair is tried, in percent.
const STATEMENTS: u32 = 40;

/// How many pairs begin at the same array, and in how many both operands write, in percent.
const SAME_ROOT: u32 = 60;
const BOTH_WRITE: u32 = 25;

/// How often another place of the type is looked for.
const TRIES: u32 = 4;

/// How deep the value nests that is assigned.
const VALUE_DEPTH: u32 = 1;

/// The operators between the two; none of them can fail.
const OPERATORS: [BinaryOp; 6] = [
    BinaryOp::BitXor,
    BinaryOp::BitOr,
    BinaryOp::BitAnd,
    BinaryOp::Less,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
];

impl Draft<'_> {
    /// A statement with such a pair, if the rules of order are broken here.
    pub(super) fn contest_statement(&mut self, out: &mut Vec<StmtId>) {
        if self.relaxed.shares.get(Relaxation::Order) == 0 || !self.choices.chance(STATEMENTS) {
            return;
        }
        self.begin_expression();
        let Some(contest) = self.contest() else { return };
        let Some(place) = self.place(Want::Integer, Purpose::Write, Mode::Quiet) else { return };
        let assign = self.assign(place, contest);
        out.push(self.expr_stmt(assign));
    }

    /// `a[i]++ ^ a[j]` and the like, if the rules of order are broken here.
    pub(super) fn contest(&mut self) -> Option<ExprId> {
        if self.relaxed.shares.get(Relaxation::Order) == 0
            || !self.choices.chance(CONTESTS)
            || !self.relaxes(Relaxation::Order)
        {
            return None;
        }
        let root = self.variable(|draft, variable, ty| draft.is_contested(variable, ty))?;
        let written = self.descend(root, Want::Integer, Purpose::Write, Mode::Reading)?;
        let other = self.rival(root, self.program.type_of(written))?;
        let first = self.effect_on(written)?;
        let second = match self.choices.chance(BOTH_WRITE) {
            true => self.effect_on(other)?,
            false => self.builder().value(other),
        };
        let op = self.choices.pick(&OPERATORS);
        let (left, right) = match self.choices.chance(50) {
            true => (first, second),
            false => (second, first),
        };
        Some(self.binary(op, left, right))
    }

    /// Whether the text does not tell which object a place is that begins with a variable.
    fn is_contested(&self, variable: &Variable, ty: TypeId) -> bool {
        let open = matches!(self.program.resolve(ty), Type::Array { .. } | Type::Pointer(_));
        open && self.leads_to_write(variable)
    }

    /// A place of this type that may be the same as one that begins with `root`.
    fn rival(&mut self, root: Variable, ty: TypeId) -> Option<ExprId> {
        let pointer = self.program.pointee(self.program[root.object].ty).is_some();
        (0..TRIES).find_map(|_| {
            // One pointer points to one object.
            let place = match !pointer && self.choices.chance(SAME_ROOT) {
                true => self.descend(root, Want::Exactly(ty), Purpose::Write, Mode::Reading),
                false => self.place(Want::Exactly(ty), Purpose::Write, Mode::Reading),
            };
            place.filter(|place| self.program.type_of(*place) == ty)
        })
    }

    /// An expression that writes a place.
    fn effect_on(&mut self, place: ExprId) -> Option<ExprId> {
        let ty = self.program.type_of(place);
        if self.steps_safely(ty) && self.choices.chance(50) {
            return Some(self.any_step(place));
        }
        let value = self.value(Want::Integer, Site::new(Mode::Reading, VALUE_DEPTH));
        match self.choices.chance(50) {
            true => Some(self.assign(place, value)),
            false => self.compound_assignment(place, value),
        }
    }
}
