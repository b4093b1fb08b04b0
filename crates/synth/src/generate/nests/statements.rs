//! The statements of nests: one row for each form, which a loop pass looks for.

use farrier_lang::{BinaryOp, ExprId, IntKind, Stmt, StmtId, integer_type};

use super::NestArray;
use super::floats::FloatUse;
use super::sums::Use;
use crate::features::Feature;
use crate::generate::draft::Draft;
use crate::generate::production::{Production, Rate, anywhere, draw, form};

/// The most statements of the body of a nest, and how deep values nest.
const STATEMENTS: i64 = 3;
const DEEPEST: u32 = 3;

/// In percent: choices with an `else`, and copies that are not of a constant.
const ELSES: u32 = 30;
const COPIES: u32 = 70;

/// How far a stencil reaches to each side at most, and its factors.
const STENCIL: i64 = 3;
const FACTORS: (i64, i64) = (-3, 5);

/// In percent: stencils into their own array, terms with a factor, and sums that are divided.
const IN_PLACE: u32 = 25;
const WEIGHTED: u32 = 40;
const AVERAGES: u32 = 40;

/// Of recurrences, in percent: those whose next value is read in the next round.
const READ_NEXT: u32 = 50;

/// In percent: invariant conditions on two numbers, and exits that look for a number that the
/// array hardly has.
const TWO_INVARIANTS: u32 = 40;
const FAR_EXITS: u32 = 50;

/// What invariants never are: they are small.
const NEVER: i64 = 99;

/// A form of statements, with its name.
pub(super) type Row = Production<(), (&'static str, Vec<StmtId>)>;

/// A row that has a name.
macro_rules! named {
    ($name:literal, $rate:expr, $gate:expr, $method:ident) => {
        form($rate, $gate, |draft: &mut Draft<'_>, ()| Some(($name, draft.$method()?)))
    };
}
pub(super) use named;

/// The statements of nests.
#[rustfmt::skip]
static STATEMENTS_OF_NESTS: &[Row] = &[
    named!("assignment", Rate::Always(30), anywhere, nest_assignment),
    named!("stencil", Rate::Always(20), anywhere, nest_stencil),
    named!("recurrence", Rate::Always(9), anywhere, nest_recurrence),
    named!("distribution", Rate::Always(7), anywhere, nest_distribution),
    named!("sum", Rate::Always(10), sums, nest_sum),
    named!("wide-sum", Rate::Always(12), sums, nest_wide_sum),
    named!("conditional-sum", Rate::Part(Feature::If, 45), conditional_sums, nest_conditional_sum),
    named!("product", Rate::Part(Feature::Multiplication, 30), products, nest_product),
    named!("bits", Rate::Part(Feature::Bitwise, 20), bits, nest_bits),
    named!("extreme", Rate::Part(Feature::If, 45), extremes, nest_extreme),
    named!("last-match", Rate::Part(Feature::If, 25), extremes, nest_last_match),
    named!("bit-test", Rate::Part(Feature::Shift, 40), tests_bits, nest_bit_test),
    named!("array-sum", Rate::Always(12), reduces, nest_array_sum),
    named!("carried", Rate::Always(6), carries, nest_carried),
    named!("induction", Rate::Always(9), inducts, nest_induction),
    named!("choice", Rate::Part(Feature::If, 60), compares, nest_choice),
    named!("division-choice", Rate::Part(Feature::If, 30), divides_by_choice, nest_division_choice),
    named!("invariant-choice", Rate::Part(Feature::If, 50), compares, nest_invariant_choice),
    named!("counter-choice", Rate::Part(Feature::If, 45), compares, nest_counter_choice),
    named!("switch", Rate::Part(Feature::Switch, 80), switches, nest_switch),
    named!("exit", Rate::Part(Feature::Break, 40), leaves, nest_exit),
    named!("skip", Rate::Part(Feature::Continue, 30), leaves, nest_skip),
    named!("copy", Rate::Always(8), anywhere, nest_copy),
    named!("group", Rate::Of(Feature::Neighbours), anywhere, nest_group),
    named!("records", Rate::Of(Feature::Struct), has_records, nest_record_statement),
    named!("call", Rate::Of(Feature::Helper), calls, nest_call),
    named!("float-assignment", Rate::Always(16), has_floats, nest_float_assignment),
    named!("float-stencil", Rate::Always(14), has_floats, nest_float_stencil),
    named!("float-sum", Rate::Always(30), sums_floats, nest_float_sum),
    named!("float-product", Rate::Of(Feature::Multiplication), sums_floats, nest_float_product),
    named!("float-conditional-sum", Rate::Always(14), conditional_float_sums, nest_float_conditional_sum),
    named!("float-extreme", Rate::Always(14), float_extremes, nest_float_extreme),
    named!("never", Rate::Part(Feature::Hostile, 8), compares_if, nest_never),
];

fn compares(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Comparison)
}

fn compares_if(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Comparison) && draft.has(Feature::If)
}

fn reduces(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Reduction)
}

fn sums(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Reduction) && draft.has_free_accumulator(Use::Sum)
}

fn conditional_sums(draft: &Draft<'_>, (): ()) -> bool {
    sums(draft, ()) && compares(draft, ())
}

fn products(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Reduction) && draft.has_free_accumulator(Use::Product)
}

fn bits(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Reduction) && draft.has_free_accumulator(Use::Bits)
}

fn extremes(draft: &Draft<'_>, (): ()) -> bool {
    draft.has_free_accumulator(Use::Extreme) && draft.has(Feature::Comparison)
}

fn tests_bits(draft: &Draft<'_>, (): ()) -> bool {
    sums(draft, ()) && compares_if(draft, ()) && draft.has(Feature::Bitwise)
}

fn carries(draft: &Draft<'_>, (): ()) -> bool {
    draft.has_free_accumulator(Use::Carried)
}

fn inducts(draft: &Draft<'_>, (): ()) -> bool {
    draft.has_free_accumulator(Use::Induction)
}

fn divides_by_choice(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Division) && draft.has(Feature::Comparison)
}

fn leaves(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::If) && draft.has(Feature::Comparison)
}

fn switches(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Bitwise)
}

fn has_records(draft: &Draft<'_>, (): ()) -> bool {
    draft.has_records()
}

fn has_floats(draft: &Draft<'_>, (): ()) -> bool {
    draft.has_nest_floats()
}

fn sums_floats(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Reduction) && draft.has_float_sum(FloatUse::Sum)
}

fn conditional_float_sums(draft: &Draft<'_>, (): ()) -> bool {
    sums_floats(draft, ()) && compares_if(draft, ())
}

fn float_extremes(draft: &Draft<'_>, (): ()) -> bool {
    draft.has_float_sum(FloatUse::Extreme) && compares_if(draft, ())
}

fn calls(draft: &Draft<'_>, (): ()) -> bool {
    draft.can_call_nest_helper()
}

impl Draft<'_> {
    pub(super) fn nest_statements(&mut self, out: &mut Vec<StmtId>) {
        for _ in 0..self.choices.range(1, STATEMENTS) {
            self.begin_expression();
            let made = draw(self, STATEMENTS_OF_NESTS, ());
            self.keep_shape(made, out);
        }
    }

    /// Adds what a row made, or an assignment, and remembers the name of the row.
    pub(super) fn keep_shape(
        &mut self,
        made: Option<(&'static str, Vec<StmtId>)>,
        out: &mut Vec<StmtId>,
    ) {
        match made {
            Some((name, statements)) => {
                self.stock.shapes.extend(statements.last().map(|last| (name, *last)));
                out.extend(statements);
            }
            None => out.extend(self.nest_assignment().unwrap_or_default()),
        }
    }

    /// `a[i] = ...`
    pub(super) fn nest_assignment(&mut self) -> Option<Vec<StmtId>> {
        let place = self.nest_place()?;
        let depth = self.choices.range(1, DEEPEST.into()) as u32;
        let value = self.nest_value(depth)?;
        let assign = self.nest_store(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// An element whose last subscript is the innermost counter and an offset, if there is one.
    pub(super) fn place_at(&mut self, array: &NestArray, offset: i128) -> Option<ExprId> {
        let heads = self.scope.nest.heads.clone();
        let (low, high) = self.offsets(array)?;
        if offset < low || offset > high {
            return None;
        }
        let mut place = self.object_expr(array.object);
        let dimensions = array.lengths.len();
        for (position, length) in array.lengths.iter().enumerate() {
            let outer = dimensions - 1 - position;
            let head = heads.len().checked_sub(outer + 1).map(|at| heads[at]);
            let last = i128::from(*length) - 1;
            let index = match head {
                Some(head) if outer == 0 => {
                    let counter = self.load(head.counter);
                    self.plus(counter, offset)
                }
                Some(head) if head.low >= 0 && head.high <= last => self.load(head.counter),
                _ => self.small_constant(*length),
            };
            place = self.element(place, index);
        }
        Some(place)
    }

    /// Which offsets from the innermost counter an array has.
    pub(super) fn offsets(&self, array: &NestArray) -> Option<(i128, i128)> {
        let head = self.scope.nest.heads.last()?;
        let last = i128::from(*array.lengths.last()?) - 1;
        (head.low >= 0 && head.high <= last).then_some((-head.low, last - head.high))
    }

    /// `b[i] = (a[i - 1] + 2 * a[i] + a[i + 1]) / 4;`
    pub(super) fn nest_stencil(&mut self) -> Option<Vec<StmtId>> {
        let from = self.nest_array();
        let to = if self.choices.chance(IN_PLACE) { from.clone() } else { self.nest_array() };
        let (low, high) = self.offsets(&from)?;
        let (low, high) = ((-low).min(STENCIL.into()), high.min(STENCIL.into()));
        let (left, right) = (self.choices.range(0, low as i64), self.choices.range(0, high as i64));
        let mut sum: Option<ExprId> = None;
        for offset in -left..=right {
            let place = self.place_at(&from, offset.into())?;
            let mut term = self.builder().value(place);
            term = self.made_signed(term);
            if self.has(Feature::Multiplication) && self.choices.chance(WEIGHTED) {
                let factor = self.choices.range(FACTORS.0, FACTORS.1);
                let factor = self.literal(factor.into());
                term = self.nest_operate(BinaryOp::Mul, factor, term);
            }
            let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub]);
            sum = Some(match sum {
                Some(sum) => self.nest_operate(op, sum, term),
                None => term,
            });
        }
        let mut value = sum?;
        if self.choices.chance(AVERAGES) {
            let ops: Vec<BinaryOp> =
                [(Feature::Shift, BinaryOp::Shr), (Feature::Division, BinaryOp::Div)]
                    .into_iter()
                    .filter(|row| self.has(row.0))
                    .map(|row| row.1)
                    .collect();
            if let Some(op) = self.choices.pick_any(&ops) {
                let count = self.choices.range(1, 5) as u64;
                let count = self.builder().int(IntKind::Int, count);
                value = self.nest_operate(op, value, count);
            }
        }
        let place = match self.place_at(&to, 0) {
            Some(place) => place,
            None => self.nest_place()?,
        };
        let assign = self.nest_store(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// `a[i] = a[i - 1] + ...;`, or `a[i + 1] = ...; b[i] = a[i] ...;`: a store that the next
    /// round reads.
    pub(super) fn nest_recurrence(&mut self) -> Option<Vec<StmtId>> {
        let array = self.nest_array();
        let (low, high) = self.offsets(&array)?;
        let distance = i128::from(self.choices.range(1, 2));
        let other = self.nest_value(1)?;
        if high >= distance && self.choices.chance(READ_NEXT) {
            let next = self.place_at(&array, distance)?;
            let first = self.nest_store(next, other);
            let first = self.expr_stmt(first);
            let old = self.place_at(&array, 0)?;
            let old = self.builder().value(old);
            let more = self.nest_value(1)?;
            let value = self.nest_operate(BinaryOp::Add, old, more);
            let place = self.nest_place()?;
            let second = self.nest_store(place, value);
            return Some(vec![first, self.expr_stmt(second)]);
        }
        if -low < distance {
            return None;
        }
        let old = self.place_at(&array, -distance)?;
        let old = self.builder().value(old);
        let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Sub]);
        let value = self.nest_operate(op, old, other);
        let place = self.place_at(&array, 0)?;
        let assign = self.nest_store(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// A sequential store and a parallel one: `d[i] = d[i - 1] * e; a[i] = b[i] + c;`
    pub(super) fn nest_distribution(&mut self) -> Option<Vec<StmtId>> {
        let mut statements = self.nest_recurrence()?;
        let (to, from) = (self.nest_array(), self.nest_array());
        let place = self.place_at(&to, 0)?;
        let source = self.place_at(&from, 0)?;
        let source = self.builder().value(source);
        let other = self.nest_value(0)?;
        let value = self.nest_operate(BinaryOp::Add, source, other);
        let assign = self.nest_store(place, value);
        statements.push(self.expr_stmt(assign));
        Some(statements)
    }

    /// `if (...) a[i] = ...; else b[i] = ...;`
    pub(super) fn nest_choice(&mut self) -> Option<Vec<StmtId>> {
        let condition = self.nest_comparison(1)?;
        self.nest_choice_on(condition)
    }

    fn nest_choice_on(&mut self, condition: ExprId) -> Option<Vec<StmtId>> {
        self.charge_expr(condition);
        let then = self.nest_assignment()?;
        let otherwise = match self.choices.chance(ELSES) {
            true => Some(self.nest_assignment()?),
            false => None,
        };
        Some(vec![self.choice_of(condition, then, otherwise)])
    }

    /// `if (b[i] > 0) a[i] = c[i] / b[i];`
    pub(super) fn nest_division_choice(&mut self) -> Option<Vec<StmtId>> {
        let divisor = self.nest_element()?;
        let again = self.copy(divisor);
        let zero = self.builder().int(IntKind::Int, 0);
        let op = self.choices.pick(&[BinaryOp::Greater, BinaryOp::Greater, BinaryOp::NotEqual]);
        let condition = self.binary(op, divisor, zero);
        let value = self.nest_value(1)?;
        let value = self.shrink(value, self.config.target.int_bits(IntKind::Int) - 2);
        let op = self.choices.pick(&[BinaryOp::Div, BinaryOp::Div, BinaryOp::Rem]);
        let value = self.binary(op, value, again);
        let place = self.nest_place()?;
        let assign = self.nest_store(place, value);
        self.charge_expr(condition);
        let then = self.expr_stmt(assign);
        Some(vec![self.fixed_if(condition, then)])
    }

    /// `if (k < 3) ...`: a condition that no round changes.
    pub(super) fn nest_invariant_choice(&mut self) -> Option<Vec<StmtId>> {
        let left = self.nest_invariant()?;
        let right = match self.choices.chance(TWO_INVARIANTS) {
            true => self.nest_invariant()?,
            false => self.nest_constant(),
        };
        let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater, BinaryOp::NotEqual]);
        let condition = self.binary(op, left, right);
        self.nest_choice_on(condition)
    }

    /// `if (i < 20) ...`: a condition on the counter alone.
    pub(super) fn nest_counter_choice(&mut self) -> Option<Vec<StmtId>> {
        let head = *self.scope.nest.heads.last()?;
        let counter = self.load(head.counter);
        let limit = self.choices.range(head.low as i64, head.high as i64);
        let limit = self.hidden(limit.into());
        let ops = [
            BinaryOp::Less,
            BinaryOp::Less,
            BinaryOp::Greater,
            BinaryOp::LessEqual,
            BinaryOp::GreaterEqual,
            BinaryOp::Equal,
        ];
        let op = self.choices.pick(&ops);
        let condition = self.binary(op, counter, limit);
        self.nest_choice_on(condition)
    }

    /// `switch (a[i] & 3) { case 0: b[i] = ...; break; ... }`
    pub(super) fn nest_switch(&mut self) -> Option<Vec<StmtId>> {
        let value = self.nest_value(1)?;
        let value = self.switch_value(value, Some(3));
        let ty = self.program.type_of(value);
        let place = self.nest_place()?;
        let mut body = Vec::new();
        for label in 0..self.choices.range(2, 3) {
            let (place, value) = (self.copy(place), self.nest_value(1)?);
            let assign = self.nest_store(place, value);
            let stmt = self.expr_stmt(assign);
            body.push(self.case(label.into(), ty, stmt));
            body.push(self.stmt(Stmt::Break));
        }
        let value_of_others = self.nest_value(0)?;
        let assign = self.nest_store(place, value_of_others);
        let stmt = self.expr_stmt(assign);
        body.push(self.stmt(Stmt::Default(stmt)));
        body.push(self.stmt(Stmt::Break));
        let body = self.block_of(body);
        Some(vec![self.stmt(Stmt::Switch { value, body })])
    }

    /// `if (a[i] == k) break;`
    pub(super) fn nest_exit(&mut self) -> Option<Vec<StmtId>> {
        let left = self.nest_element()?;
        let right = match self.choices.chance(FAR_EXITS) {
            true => {
                let far = self.choices.range(60, 120);
                self.literal(far.into())
            }
            false => self.nest_constant(),
        };
        let condition = self.binary(BinaryOp::Equal, left, right);
        self.charge_expr(condition);
        let then = self.stmt(Stmt::Break);
        Some(vec![self.fixed_if(condition, then)])
    }

    /// `if (...) continue;`
    pub(super) fn nest_skip(&mut self) -> Option<Vec<StmtId>> {
        let condition = self.nest_comparison(0)?;
        self.charge_expr(condition);
        let then = self.stmt(Stmt::Continue);
        Some(vec![self.if_of(condition, then)])
    }

    /// `a[i] = b[i];` or `a[i] = 0;`
    pub(super) fn nest_copy(&mut self) -> Option<Vec<StmtId>> {
        let place = self.nest_place()?;
        let value = match self.choices.chance(COPIES) {
            true => self.nest_element()?,
            false => self.nest_constant(),
        };
        let assign = self.nest_store(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// `if (k > 99) a[i] = b[i] / 0;`: code that never runs, and would be undefined.
    pub(super) fn nest_never(&mut self) -> Option<Vec<StmtId>> {
        let left = self.nest_invariant()?;
        let limit = self.choices.range(NEVER, 2 * NEVER);
        let limit = self.builder().int(IntKind::Int, limit as u64);
        // A small negative number is a large one in an unsigned type.
        let signed = integer_type(&self.program, self.program.type_of(left))?.signed;
        let op = if signed { BinaryOp::Greater } else { BinaryOp::Equal };
        let condition = self.binary(op, left, limit);
        self.charge_expr(condition);
        let (place, value) = (self.nest_place()?, self.nest_element()?);
        let wild = |draft: &Self| {
            let rows = [
                (Feature::Division, BinaryOp::Div),
                (Feature::Shift, BinaryOp::Shl),
                (Feature::Multiplication, BinaryOp::Mul),
            ];
            rows.into_iter().filter(|row| draft.has(row.0)).map(|row| row.1).collect::<Vec<_>>()
        };
        let op = self.choices.pick_any(&wild(self))?;
        let other = match op {
            BinaryOp::Div => {
                let (one, two) = (self.nest_invariant()?, self.nest_counter()?);
                self.binary(BinaryOp::Sub, one, two)
            }
            BinaryOp::Shl => self.nest_invariant()?,
            _ => self.literal(i128::from(i32::MAX)),
        };
        let value = self.binary(op, value, other);
        let assign = self.assign(place, value);
        let then = self.expr_stmt(assign);
        Some(vec![self.fixed_if(condition, then)])
    }
}
