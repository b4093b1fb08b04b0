//! Records that are copied under conditions and in loops.

use farrier_lang::{ArrayLength, BinaryOp, ExprId, ObjectId, Stmt, StmtId, Type, TypeId};

use super::draft::{Draft, Mode};
use super::places::Purpose;
use super::production::{Production, Rate, anywhere, draw, form};
use super::scope::Variable;
use super::values::{Site, Want};
use crate::features::Feature;

/// How many copies by a condition are statements, in percent; the others are expressions.
const BY_STATEMENT: u32 = 50;

/// The elements of a new array of records.
const ELEMENTS: (i64, i64) = (2, 6);

/// The operations that must be left for a loop over records, for each byte of the array.
const OPERATIONS_FOR_BYTE: u64 = 12;

/// In percent: loops over records that stand in another loop, and its most rounds.
const NESTED_LOOPS: u32 = 30;
const OUTER_ROUNDS: u64 = 4;

/// How many loops over records write a member too, in percent.
const MEMBER_WRITES: u32 = 50;

/// An array of records whose elements a loop moves.
#[derive(Clone, Copy, Debug)]
struct Elements {
    array: ObjectId,
    record: TypeId,
    length: u64,
    counter: ObjectId,
}

/// What one round does with the elements; the counter runs to one less than there are.
#[rustfmt::skip]
static MOVES: &[Production<Elements, Vec<StmtId>>] = &[
    form(Rate::Always(3), anywhere, |draft, all| Some(vec![draft.shift_down(all)])),
    form(Rate::Always(3), anywhere, |draft, all| Some(vec![draft.shift_up(all)])),
    form(Rate::Always(3), anywhere, |draft, all| Some(draft.exchange(all, Swap::Ends))),
    form(Rate::Always(2), anywhere, |draft, all| Some(draft.exchange(all, Swap::Neighbours))),
    form(Rate::Part(Feature::If, 15), anywhere, |draft, all| draft.sort(all)),
    form(Rate::Part(Feature::RecordSelect, 50), branches, |draft, all| draft.shift_sometimes(all)),
];

/// Which elements are exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Swap {
    Neighbours,
    Ends,
}

fn branches(draft: &Draft<'_>, _: Elements) -> bool {
    draft.has(Feature::If)
}

/// Whether a loop over records can be written.
pub(super) fn moves_records(draft: &Draft<'_>, nesting: u32) -> bool {
    const NEEDS: [Feature; 6] = [
        Feature::For,
        Feature::ArrayLoop,
        Feature::Array,
        Feature::Arithmetic,
        Feature::RecordCopy,
        Feature::LocalRecord,
    ];
    nesting > 0 && draft.has_all(&NEEDS) && draft.has_room() && draft.can_count()
}

impl Draft<'_> {
    /// A record becomes one of two others.
    pub(super) fn record_select(&mut self) -> Option<StmtId> {
        let ways = [Feature::If, Feature::Ternary].map(|feature| self.has(feature));
        if ways == [false, false] || !self.has(Feature::RecordCopy) {
            return None;
        }
        let info = self.assignable_record()?;
        let target = self.record_place(info.ty, Purpose::Write)?;
        self.charge(2 * info.bytes);
        if ways[0] && (!ways[1] || self.choices.chance(BY_STATEMENT)) {
            let condition = self.condition();
            let again = self.copy(target);
            let [then, otherwise] = [target, again].map(|place| {
                self.begin_expression();
                let value = self.record_value(info.ty, Mode::Reading);
                let expr = self.builder().assign(place, value).expect("both are of one type");
                self.expr_stmt(expr)
            });
            return Some(self.stmt(Stmt::If { condition, then, otherwise: Some(otherwise) }));
        }
        let condition = self.value(Want::Number, Site::new(Mode::Reading, 2));
        let then = self.record_value(info.ty, Mode::Reading);
        let otherwise = self.record_value(info.ty, Mode::Reading);
        let value = self.select(condition, then, otherwise);
        let expr = self.builder().assign(target, value).ok()?;
        Some(self.expr_stmt(expr))
    }

    /// A loop that moves the elements of an array of records.
    pub(super) fn record_loop(&mut self, nesting: u32) -> Option<Vec<StmtId>> {
        let (array, record, length) = self.array_of_records()?;
        let outer = nesting > 0 && self.choices.chance(NESTED_LOOPS);
        let bytes = self.record_info(record)?.bytes * length;
        if bytes * OPERATIONS_FOR_BYTE * if outer { OUTER_ROUNDS } else { 1 } > self.spare() {
            return None;
        }
        let round = |draft: &mut Self| {
            draft.rounds(length - 1, |draft, counter| {
                let all = Elements { array: array.object, record, length, counter };
                draft.charge(2 * bytes / length);
                let mut statements = draw(draft, MOVES, all).unwrap_or_default();
                if draft.choices.chance(MEMBER_WRITES) {
                    statements.extend(draft.write_element(all));
                }
                statements
            })
        };
        if !outer {
            return Some(vec![round(self)?]);
        }
        let trips = 1 + self.choices.below(OUTER_ROUNDS);
        let nest = self.rounds(trips, |draft, _| {
            let mut statements: Vec<StmtId> = round(draft).into_iter().collect();
            draft.statement(nesting - 1, &mut statements);
            statements
        });
        Some(vec![nest?])
    }

    /// An array of records that can be assigned; a new one if there is none.
    fn array_of_records(&mut self) -> Option<(Variable, TypeId, u64)> {
        let elements = |draft: &Self, ty: TypeId| match *draft.program.resolve(ty) {
            Type::Array { element, length: ArrayLength::Fixed(length) } => {
                let info = draft.record_info(element)?;
                let plain = element.qualifiers().is_empty() && ty.qualifiers().is_empty();
                (plain && info.assignable && length > 1).then_some((element, length))
            }
            _ => None,
        };
        let found = self.variable(|draft, variable, ty| {
            draft.may_write(variable) && elements(draft, ty).is_some()
        });
        if let Some(array) = found {
            let (record, length) = elements(self, self.program[array.object].ty)?;
            return Some((array, record, length));
        }
        if !self.writes_statics {
            return None;
        }
        let record = self.assignable_record()?.ty;
        let length = self.choices.range(ELEMENTS.0, ELEMENTS.1) as u64;
        let ty = self.program.types.array_of(record, ArrayLength::Fixed(length));
        Some((self.global_of_type(ty), record, length))
    }

    /// `array[counter + more]`
    fn element_after(&mut self, all: Elements, more: u64) -> ExprId {
        let array = self.object_expr(all.array);
        let mut index = self.load(all.counter);
        if more > 0 {
            let more = self.int(more);
            index = self.binary(BinaryOp::Add, index, more);
        }
        self.element(array, index)
    }

    /// `array[length - less - counter]`
    fn element_before(&mut self, all: Elements, less: u64) -> ExprId {
        let array = self.object_expr(all.array);
        let last = self.int(all.length - less);
        let counter = self.load(all.counter);
        let index = self.binary(BinaryOp::Sub, last, counter);
        self.element(array, index)
    }

    fn move_element(&mut self, to: ExprId, from: ExprId) -> StmtId {
        let value = self.builder().value(from);
        self.set(to, value)
    }

    /// `array[i] = array[i + 1];`
    fn shift_down(&mut self, all: Elements) -> StmtId {
        let (to, from) = (self.element_after(all, 0), self.element_after(all, 1));
        self.move_element(to, from)
    }

    /// The same from the end.
    fn shift_up(&mut self, all: Elements) -> StmtId {
        let (to, from) = (self.element_before(all, 1), self.element_before(all, 2));
        self.move_element(to, from)
    }

    /// Two elements change places.
    fn exchange(&mut self, all: Elements, swap: Swap) -> Vec<StmtId> {
        let second = |draft: &mut Self| match swap {
            Swap::Neighbours => draft.element_after(all, 1),
            Swap::Ends => draft.element_before(all, 1),
        };
        let first = self.element_after(all, 0);
        let value = self.builder().value(first);
        let (kept, declaration) = self.local_with(all.record, value);
        let (to, from) = (self.element_after(all, 0), second(self));
        let forth = self.move_element(to, from);
        let (to, from) = (second(self), self.object_expr(kept));
        let back = self.move_element(to, from);
        vec![declaration, forth, back]
    }

    /// Neighbours change places if a member of theirs is in the wrong order.
    fn sort(&mut self, all: Elements) -> Option<Vec<StmtId>> {
        let member = self.number_member(all.record)?;
        let (first, second) = (self.element_after(all, 0), self.element_after(all, 1));
        let [left, right] = [first, second].map(|element| {
            let place = self.builder().member(element, member);
            self.builder().value(place)
        });
        let op = self.choices.pick(&[BinaryOp::Greater, BinaryOp::Less, BinaryOp::NotEqual]);
        let condition = self.binary(op, left, right);
        self.charge_expr(condition);
        let then = self.exchange(all, Swap::Neighbours);
        let then = self.block_of(then);
        Some(vec![self.if_of(condition, then)])
    }

    /// An element becomes its neighbour, or another record.
    fn shift_sometimes(&mut self, all: Elements) -> Option<Vec<StmtId>> {
        let condition = self.condition();
        let then = self.shift_down(all);
        self.begin_expression();
        let value = self.record_value(all.record, Mode::Reading);
        let place = self.element_after(all, 0);
        let otherwise = Some(self.set(place, value));
        Some(vec![self.stmt(Stmt::If { condition, then, otherwise })])
    }

    /// A member of a record that is a number and may be assigned.
    fn number_member(&mut self, record: TypeId) -> Option<u32> {
        let Type::Record(id) = *self.program.resolve(record) else { return None };
        let numbers: Vec<u32> = self
            .members(id)
            .filter(|(_, field)| self.class_of(field.ty).is_some())
            .map(|(index, _)| index)
            .collect();
        self.choices.pick_any(&numbers)
    }

    /// `array[i + 1].member = value;`
    fn write_element(&mut self, all: Elements) -> Option<StmtId> {
        let member = self.number_member(all.record)?;
        let more = self.choices.below(2);
        let element = self.element_after(all, more);
        let place = self.builder().member(element, member);
        self.begin_expression();
        let ty = self.program.type_of(place);
        let value = self.reading(ty);
        Some(self.set(place, value))
    }
}
