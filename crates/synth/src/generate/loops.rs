//! Loops. Each has a counter that nothing else changes, so each ends.

use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, IntKind, Linkage, LogicalOp, ObjectId, Qualifiers, StepOp, Stmt,
    StmtId, Storage, Type, TypeId, Types,
};

use super::draft::{Draft, Mode, Name};
use super::places::Purpose;
use super::scope::Variable;
use super::values::{Site, Want};
use crate::features::Feature;
use crate::parameters::Parameter;

/// The weights of loops that never run, that run once, and that run any number of times.
const TRIPS: [u32; 3] = [1, 1, 10];

/// The operations that a round of a loop should be able to have.
const ROUND_OPERATIONS: u64 = 60;

/// The operations that an element of an array costs in a loop over all of them.
const ELEMENT_OPERATIONS: u64 = 40;

/// The operations of the control of a round, and of a counter before a loop.
const FOR_COST: u64 = 12;
const ARRAY_LOOP_COST: u64 = 14;
const BURN_COST: u64 = 8;
const FUEL_COST: u64 = 4;

/// Of `for` loops, in percent: those that step by one, go upwards, declare their counter,
/// and compare it with `!=`; and how far the others step.
const SINGLE_STEPS: u32 = 60;
const UPWARDS: u32 = 70;
const DECLARED_HERE: u32 = 60;
const EXACT_BOUNDS: u32 = 15;
const STEPS: (i64, i64) = (1, 7);

/// How many `for` loops do not begin at zero, in percent, and where they begin.
const LATER_STARTS: u32 = 33;
const STARTS: (i64, i64) = (0, 40);

/// The most elements of an array into which the counter of a `for` loop is an index.
const INDEXED: i128 = 64;

/// How many loops end by a condition of their own too, in percent.
const CONDITIONS: u32 = 50;

/// How many loops compare their fuel with `!=` where that ends them, and how many of those
/// with another condition ask for fuel first, in percent.
const EXACT_BURNS: u32 = 50;
const BURNS_FIRST: u32 = 50;

/// How many loops over arrays whose dimensions are alike have one counter for all.
const DIAGONALS: u32 = 20;

/// How many loops over arrays do something else as well, in percent, and the most
/// statements of it.
const MORE_STATEMENTS: u32 = 50;
const MOST_STATEMENTS: i64 = 3;

impl Draft<'_> {
    /// How often a loop may run, within the operations that are left.
    fn trips(&mut self) -> u64 {
        let most = u64::from(self.parameter(Parameter::LoopTrips));
        let affordable = (self.spare() / ROUND_OPERATIONS).clamp(1, most);
        match self.choices.weighted(&TRIPS) {
            Some(0) => 0,
            Some(1) => 1,
            _ => 1 + self.choices.below(affordable),
        }
    }

    /// Whether the control of a `for` loop can be written.
    pub(super) fn can_count(&self) -> bool {
        let steps = self.has(Feature::Increment) || self.has(Feature::CompoundAssign);
        steps && self.has(Feature::Comparison)
    }

    /// A new private variable that only its loop changes.
    pub(super) fn counter(&mut self, kind: IntKind, below: Option<u64>) -> ObjectId {
        let object = self.object(Name::Local, Types::int(kind), Linkage::None, Storage::Automatic);
        let counter = Variable::counter(object, self.scope.depth, below);
        self.scope.visible.push(counter);
        object
    }

    /// The same with its first value, as a declaration.
    pub(super) fn declared(&mut self, counter: ObjectId, value: ExprId) -> StmtId {
        let ty = self.program[counter].ty;
        self.program[counter].init = Some(self.builder().convert(value, ty));
        self.stmt(Stmt::Declare(counter))
    }

    /// The value `number`, as a constant or from an input that the optimiser cannot see.
    pub(super) fn hidden(&mut self, number: i128) -> ExprId {
        let wanted = self.wants(Feature::VariableBound);
        let hidden = if wanted { self.input_as(number) } else { None };
        hidden.unwrap_or_else(|| self.literal(number))
    }

    /// The value `number` from an input that the optimiser cannot see, if there is one.
    pub(super) fn input_as(&mut self, number: i128) -> Option<ExprId> {
        if !self.has(Feature::Arithmetic) {
            return None;
        }
        let (input, value) = self.choices.pick_any(&self.stock.inputs)?;
        let difference = number - value;
        // Inputs fit in an int with room to spare, so this cannot overflow.
        let load = self.load(input.object);
        let op = if difference < 0 { BinaryOp::Sub } else { BinaryOp::Add };
        let constant = self.builder().int(IntKind::Int, difference.unsigned_abs() as u64);
        Some(self.binary(op, load, constant))
    }

    /// The body of a loop that runs `trips` times.
    fn body<T>(&mut self, trips: u64, work: impl FnOnce(&mut Self) -> T) -> T {
        self.scope.loops += 1;
        self.scope.breakable += 1;
        let body = self.repeated(trips, work);
        self.scope.loops -= 1;
        self.scope.breakable -= 1;
        body
    }

    /// `counter += step` or `counter -= step`
    fn advance(&mut self, counter: ObjectId, step: i128, upwards: bool) -> ExprId {
        let place = self.object_expr(counter);
        if step == 1 && self.has(Feature::Increment) {
            let ops = match upwards {
                true => [StepOp::PostIncrement, StepOp::PreIncrement],
                false => [StepOp::PostDecrement, StepOp::PreDecrement],
            };
            let op = self.choices.pick(&ops);
            return self.step(op, place);
        }
        let op = if upwards { BinaryOp::Add } else { BinaryOp::Sub };
        let amount = self.hidden(step);
        self.compound_assign(op, place, amount)
    }

    /// `for (init; counter < bound; counter++) body`
    pub(super) fn counted(
        &mut self,
        counter: ObjectId,
        init: StmtId,
        bound: ExprId,
        body: StmtId,
    ) -> StmtId {
        let left = self.load(counter);
        let condition = Some(self.binary(BinaryOp::Less, left, bound));
        let step = Some(self.advance(counter, 1, true));
        self.stmt(Stmt::For { init: [init].into(), condition, step, body })
    }

    /// `for (counter = first; counter < last; counter += step)`, upwards or downwards.
    pub(super) fn for_loop(&mut self, nesting: u32) -> Option<Vec<StmtId>> {
        let trips = self.trips();
        let single = self.choices.chance(SINGLE_STEPS) || !self.has(Feature::CompoundAssign);
        let step = if single { 1 } else { i128::from(self.choices.range(STEPS.0, STEPS.1)) };
        let later = self.choices.chance(LATER_STARTS);
        let first = if later { i128::from(self.choices.range(STARTS.0, STARTS.1)) } else { 0 };
        let last = first + step * i128::from(trips);
        let upwards = self.choices.chance(UPWARDS);
        let kind = self.counter_kind(last + step)?;
        let index = upwards && last <= INDEXED && self.has(Feature::ArrayLoop);
        let mut out = Vec::new();
        let mark = self.scope.enter();
        let declared_here = self.choices.chance(DECLARED_HERE);
        if !declared_here {
            // Its scope is the block around the loop.
            self.scope.depth -= 1;
        }
        let counter = self.counter(kind, index.then_some((last - step + 1).max(1) as u64));
        let (from, to) = if upwards { (first, last) } else { (last, first) };
        let from = self.hidden(from);
        let init = if declared_here {
            self.declared(counter, from)
        } else {
            let zero = self.builder().int(IntKind::Int, 0);
            out.push(self.declared(counter, zero));
            let place = self.object_expr(counter);
            let assign = self.assign(place, from);
            self.stmt(Stmt::Expr(assign))
        };
        let left = self.load(counter);
        let right = self.hidden(to);
        let op = match (step == 1 && self.choices.chance(EXACT_BOUNDS), upwards) {
            (true, _) => BinaryOp::NotEqual,
            (false, true) => BinaryOp::Less,
            (false, false) => BinaryOp::Greater,
        };
        let right =
            if self.has(Feature::Cast) { self.cast(right, Types::int(kind)) } else { right };
        let condition = Some(self.binary(op, left, right));
        let advance = Some(self.advance(counter, step, upwards));
        self.charge(FOR_COST * (trips + 1));
        let body = self.body(trips, |draft| draft.block(nesting));
        if !declared_here {
            self.scope.depth += 1;
        }
        self.scope.leave(mark);
        out.push(self.stmt(Stmt::For { init: [init].into(), condition, step: advance, body }));
        Some(out)
    }

    /// A counter that is declared before a loop, with its first value.
    fn fuel(&mut self, trips: u64) -> Option<(ObjectId, StmtId)> {
        let kind = self.counter_kind(i128::from(trips) + 2)?;
        let counter = self.counter(kind, None);
        let value = self.hidden(i128::from(trips));
        self.charge(FUEL_COST);
        Some((counter, self.declared(counter, value)))
    }

    /// `counter-- > 0`, and perhaps a condition after it. A counter that is asked again after
    /// it was used up needs `strict`.
    pub(super) fn burn(&mut self, counter: ObjectId, strict: bool) -> ExprId {
        let place = self.object_expr(counter);
        let mut burn = self.step(StepOp::PostDecrement, place);
        if self.has(Feature::Comparison) {
            let exact = !strict && self.choices.chance(EXACT_BURNS);
            let op = if exact { BinaryOp::NotEqual } else { BinaryOp::Greater };
            let zero = self.builder().int(IntKind::Int, 0);
            burn = self.binary(op, burn, zero);
        }
        self.charge(BURN_COST);
        if !self.has(Feature::Logical) || !self.choices.chance(CONDITIONS) {
            return burn;
        }
        self.begin_expression();
        self.expression.written.push(counter);
        let other = self.value(Want::Number, Site::new(Mode::Reading, 2));
        self.charge_expr(other);
        let (left, right) =
            if self.choices.chance(BURNS_FIRST) { (burn, other) } else { (other, burn) };
        self.logical(LogicalOp::And, left, right)
    }

    /// `while (fuel-- > 0) ...`, or `do ... while (fuel-- > 0);`, whose body runs once more.
    pub(super) fn fuel_loop(&mut self, nesting: u32, at_end: bool) -> Option<Vec<StmtId>> {
        let trips = self.trips();
        let (counter, declaration) = self.fuel(trips)?;
        let condition = self.repeated(trips + 1, |draft| draft.burn(counter, false));
        let body = self.body(trips + u64::from(at_end), |draft| draft.block(nesting));
        let stmt = if at_end {
            Stmt::DoWhile { body, condition }
        } else {
            Stmt::While { condition, body }
        };
        Some(vec![declaration, self.stmt(stmt)])
    }

    /// `label: ...; if (fuel-- > 0) goto label;`
    pub(super) fn backward_goto(&mut self, nesting: u32) -> Option<Vec<StmtId>> {
        let trips = self.trips();
        let (counter, declaration) = self.fuel(trips)?;
        let label = self.label();
        // No loop surrounds it, as far as `break` and `continue` are concerned.
        let (body, condition) =
            self.repeated(trips + 1, |draft| (draft.block(nesting), draft.burn(counter, false)));
        let target = self.stmt(Stmt::Label(label, body));
        let jump = self.stmt(Stmt::Goto(label));
        Some(vec![declaration, target, self.fixed_if(condition, jump)])
    }

    /// Loops over a whole array: one for each dimension, with an assignment to each
    /// element, or a reduction over them.
    pub(super) fn array_loop(&mut self, nesting: u32) -> Option<StmtId> {
        let array = self.variable(|draft, _, ty| {
            matches!(draft.program.resolve(ty), Type::Array { .. })
                && draft.element_count(ty) <= draft.spare() / ELEMENT_OPERATIONS
        })?;
        let mut lengths = Vec::new();
        let mut ty = self.program[array.object].ty;
        while let Type::Array { element, length: ArrayLength::Fixed(length) } =
            *self.program.resolve(ty)
        {
            lengths.push(length);
            ty = element;
        }
        // One index for several dimensions, where they are alike.
        let alike = lengths.iter().all(|length| *length == lengths[0]);
        let loops = if alike && self.choices.chance(DIAGONALS) { 1 } else { lengths.len() };
        let kind = self.counter_kind(i128::from(*lengths.iter().max()?) + 1)?;
        let mark = self.scope.enter();
        let counters: Vec<ObjectId> =
            lengths[..loops].iter().map(|length| self.counter(kind, Some(*length))).collect();
        let dimensions = lengths.len();
        lengths.truncate(loops);
        let rounds = lengths.iter().product();
        let mut body = self.body(rounds, |draft| {
            draft.charge(ARRAY_LOOP_COST);
            draft.array_statements(array, (ty, dimensions), &counters, nesting)
        });
        for (counter, length) in counters.into_iter().zip(lengths).rev() {
            let zero = self.builder().int(IntKind::Int, 0);
            let init = self.declared(counter, zero);
            let bound = self.hidden(i128::from(length));
            body = self.counted(counter, init, bound, body);
        }
        self.scope.leave(mark);
        Some(body)
    }

    /// What is done with each element of an array.
    fn array_statements(
        &mut self,
        array: Variable,
        (ty, dimensions): (TypeId, usize),
        counters: &[ObjectId],
        nesting: u32,
    ) -> StmtId {
        let mut statements = Vec::new();
        let number = self.class_of(ty).is_some();
        if number && self.has(Feature::CompoundAssign) && self.wants(Feature::Reduction) {
            statements.extend(self.reduction(array, counters, dimensions));
        } else if number && self.may_write(&array) && !self.is_const(ty) {
            self.begin_expression();
            let place = self.array_element(array.object, counters, dimensions);
            let value = self.value(Want::Exactly(ty), Site::new(Mode::Reading, 3));
            let expr = self.assign(place, value);
            statements.push(self.expr_stmt(expr));
        }
        if nesting > 0 && self.choices.chance(MORE_STATEMENTS) || statements.is_empty() {
            let mark = self.scope.enter();
            for _ in 0..self.choices.range(1, MOST_STATEMENTS) {
                self.statement(nesting.saturating_sub(1), &mut statements);
            }
            self.scope.leave(mark);
        }
        self.block_of(statements)
    }

    fn element_count(&self, ty: TypeId) -> u64 {
        match *self.program.resolve(ty) {
            Type::Array { element, length: ArrayLength::Fixed(length) } => {
                length.saturating_mul(self.element_count(element))
            }
            _ => 1,
        }
    }

    /// `array[i][j]`, or `array[i][i]` if there are fewer counters than dimensions.
    fn array_element(
        &mut self,
        array: ObjectId,
        counters: &[ObjectId],
        dimensions: usize,
    ) -> ExprId {
        let mut place = self.object_expr(array);
        for dimension in 0..dimensions {
            let counter = counters[dimension.min(counters.len() - 1)];
            let index = self.load(counter);
            place = self.element(place, index);
        }
        place
    }

    /// `accumulator ^= array[i]`
    fn reduction(
        &mut self,
        array: Variable,
        counters: &[ObjectId],
        dimensions: usize,
    ) -> Option<StmtId> {
        self.begin_expression();
        let element = self.array_element(array.object, counters, dimensions);
        let ty = self.program.type_of(element);
        let class = self.class_of(ty)?;
        let place = self.place(class.into(), Purpose::Write, Mode::Quiet)?;
        if self.program.type_of(place).qualifiers().contains(Qualifiers::VOLATILE) {
            return None;
        }
        if ty.qualifiers().contains(Qualifiers::VOLATILE) {
            return None;
        }
        let value = self.builder().value(element);
        let expr = self.compound_assignment(place, value)?;
        Some(self.expr_stmt(expr))
    }
}
