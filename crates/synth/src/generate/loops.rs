//! Loops. Each has a counter that nothing else changes, so each ends.

use farrier_lang::*;

use super::draft::{Draft, Mode, Name};
use super::places::Purpose;
use super::scope::Variable;
use super::values::{Site, Want};
use crate::features::Feature;
use crate::parameters::Parameter;

impl Draft<'_> {
    /// How often a loop may run, within the operations that are left.
    fn trips(&mut self) -> u64 {
        let most = u64::from(self.parameter(Parameter::LoopTrips));
        let affordable = (self.spare() / 60).clamp(1, most);
        match self.choices.below(12) {
            // Loops that never run, and loops that run once.
            0 => 0,
            1 => 1,
            _ => 1 + self.choices.below(affordable),
        }
    }

    /// A new private variable that only its loop changes.
    fn counter(&mut self, kind: IntKind, below: Option<u64>) -> ObjectId {
        let object = self.object(Name::Local, Types::int(kind), Linkage::None, Storage::Automatic);
        let depth = self.scope.depth;
        let counter = Variable::counter(object, depth, below);
        self.scope.visible.push(counter);
        object
    }

    /// A type for a counter that reaches `limit`, narrow ones included.
    fn counter_kind(&mut self, limit: i128) -> IntKind {
        for _ in 0..8 {
            let kind = self.int_kind();
            let ty = Types::int(kind);
            let fits = self.type_bounds(ty).is_some_and(|(_, most)| limit < most);
            if fits && !matches!(kind, IntKind::Bool | IntKind::Int128 | IntKind::UInt128) {
                return kind;
            }
        }
        IntKind::Int
    }

    /// The value `number`, as a constant or from an input that the optimiser cannot see.
    fn hidden(&mut self, number: i128) -> ExprId {
        if !self.stock.inputs.is_empty() && self.wants(Feature::VariableBound) {
            let (input, value) = self.choices.pick(&self.stock.inputs);
            let difference = number - value;
            // Inputs fit in an int with room to spare, so this cannot overflow.
            let load = self.load(input.object);
            let op = if difference < 0 { BinaryOp::Sub } else { BinaryOp::Add };
            let constant = self.builder().int(IntKind::Int, difference.unsigned_abs() as u64);
            return self.binary(op, load, constant);
        }
        self.literal(number)
    }

    fn assign_counter(&mut self, counter: ObjectId, value: ExprId) -> ExprId {
        let place = self.object_expr(counter);
        self.assign(place, value)
    }

    /// The body of a loop that runs `trips` times.
    fn body(&mut self, nesting: u32, trips: u64) -> StmtId {
        self.scope.loops += 1;
        self.scope.breakable += 1;
        let body = self.repeated(trips, |draft| draft.block(nesting));
        self.scope.loops -= 1;
        self.scope.breakable -= 1;
        body
    }

    /// `for (counter = first; counter < last; counter += step)`, upwards or downwards.
    pub(super) fn for_loop(&mut self, nesting: u32, out: &mut Vec<StmtId>) -> StmtId {
        let trips = self.trips();
        let step = if self.choices.chance(60) { 1 } else { self.choices.range(1, 7) };
        let step = i128::from(step);
        let first = match self.choices.below(3) {
            0 => i128::from(self.choices.range(0, 40)),
            _ => 0,
        };
        let last = first + step * i128::from(trips);
        let upwards = self.choices.chance(70);
        let kind = self.counter_kind(last + step);
        let below = (upwards && last <= 64).then_some((last - step + 1).max(1) as u64);
        let mark = self.scope.enter();
        let declared_here = self.choices.chance(60);
        if !declared_here {
            // Its scope is the block around the loop.
            self.scope.depth -= 1;
        }
        let counter = self.counter(kind, below);
        let (from, to) = if upwards { (first, last) } else { (last, first) };
        let from = self.hidden(from);
        let from = self.builder().convert(from, Types::int(kind));
        let init = if declared_here {
            self.program[counter].init = Some(from);
            vec![self.stmt(Stmt::Declare(counter))]
        } else {
            self.program[counter].init = {
                let zero = self.builder().int(IntKind::Int, 0);
                Some(self.builder().convert(zero, Types::int(kind)))
            };
            out.push(self.stmt(Stmt::Declare(counter)));
            let assign = self.assign_counter(counter, from);
            vec![self.stmt(Stmt::Expr(assign))]
        };
        let left = self.load(counter);
        let right = self.hidden(to);
        let exact = self.choices.chance(15) && step == 1;
        let op = match (exact, upwards) {
            (true, _) => BinaryOp::NotEqual,
            (false, true) => BinaryOp::Less,
            (false, false) => BinaryOp::Greater,
        };
        // In the type of the counter, so that no conversion changes the bound.
        let right = self.cast(right, Types::int(kind));
        let condition = self.binary(op, left, right);
        let place = self.object_expr(counter);
        let advance = if step == 1 {
            let op = match (upwards, self.choices.chance(50)) {
                (true, true) => StepOp::PostIncrement,
                (true, false) => StepOp::PreIncrement,
                (false, true) => StepOp::PostDecrement,
                (false, false) => StepOp::PreDecrement,
            };
            self.step(op, place)
        } else {
            let op = if upwards { BinaryOp::Add } else { BinaryOp::Sub };
            let amount = self.hidden(step);
            self.compound_assign(op, place, amount)
        };
        self.charge(12 * (trips + 1));
        let body = self.body(nesting, trips);
        if !declared_here {
            self.scope.depth += 1;
        }
        self.scope.leave(mark);
        self.stmt(Stmt::For {
            init: init.into(),
            condition: Some(condition),
            step: Some(advance),
            body,
        })
    }

    /// A counter that is declared before a loop, with its first value.
    fn fuel(&mut self, trips: u64, out: &mut Vec<StmtId>) -> (ObjectId, IntKind) {
        let kind = self.counter_kind(trips as i128 + 2);
        let counter = self.counter(kind, None);
        let value = self.hidden(i128::from(trips));
        let value = self.builder().convert(value, Types::int(kind));
        self.program[counter].init = Some(value);
        self.charge(4);
        out.push(self.stmt(Stmt::Declare(counter)));
        (counter, kind)
    }

    /// `counter > 0` with the counter going down, as one expression without effects on
    /// anything else: `counter-- > 0`.
    fn burn(&mut self, counter: ObjectId) -> ExprId {
        let place = self.object_expr(counter);
        let step = self.step(StepOp::PostDecrement, place);
        let zero = self.builder().int(IntKind::Int, 0);
        let op = self.choices.pick(&[BinaryOp::Greater, BinaryOp::NotEqual]);
        self.binary(op, step, zero)
    }

    /// `counter-- > 0 && condition`
    fn burning_condition(&mut self, counter: ObjectId) -> ExprId {
        let burn = self.burn(counter);
        if self.choices.chance(50) {
            return burn;
        }
        self.begin_expression();
        self.expression.written.push(counter);
        let other = self.value(Want::Number, Site::new(Mode::Reading, 2));
        self.charge_expr(other);
        self.logical(LogicalOp::And, burn, other)
    }

    pub(super) fn while_loop(&mut self, nesting: u32, out: &mut Vec<StmtId>) -> StmtId {
        let trips = self.trips();
        let (counter, _) = self.fuel(trips, out);
        let rounds = self.budget.rounds;
        self.budget.rounds = rounds.saturating_mul(trips + 1);
        let condition = self.burning_condition(counter);
        self.charge(8);
        self.budget.rounds = rounds;
        let body = self.body(nesting, trips);
        self.stmt(Stmt::While { condition, body })
    }

    pub(super) fn do_loop(&mut self, nesting: u32, out: &mut Vec<StmtId>) -> StmtId {
        let trips = self.trips();
        let (counter, _) = self.fuel(trips, out);
        let rounds = self.budget.rounds;
        self.budget.rounds = rounds.saturating_mul(trips + 1);
        let condition = self.burning_condition(counter);
        self.charge(8);
        self.budget.rounds = rounds;
        let body = self.body(nesting, trips + 1);
        self.stmt(Stmt::DoWhile { body, condition })
    }

    /// `label: ...; if (fuel-- > 0) goto label;`
    pub(super) fn backward_goto(&mut self, nesting: u32, out: &mut Vec<StmtId>) -> StmtId {
        let trips = self.trips();
        let (counter, _) = self.fuel(trips, out);
        let name = self.name(Name::Label);
        let label = self.program.labels.push(Label { name, local: false });
        // No loop surrounds it, as far as `break` and `continue` are concerned.
        let rounds = self.budget.rounds;
        self.budget.rounds = rounds.saturating_mul(trips + 1);
        let body = self.block(nesting);
        let condition = self.burning_condition(counter);
        self.charge(8);
        self.budget.rounds = rounds;
        out.push(self.stmt(Stmt::Label(label, body)));
        let jump = self.stmt(Stmt::Goto(label));
        self.fixed_if(condition, jump)
    }

    /// Loops over a whole array: one for each dimension, with an assignment to each
    /// element, or a reduction over them.
    pub(super) fn array_loop(&mut self, nesting: u32) -> Option<StmtId> {
        let arrays: Vec<Variable> = self
            .scope
            .variables()
            .filter(|variable| {
                let ty = self.program[variable.object].ty;
                matches!(self.program.resolve(ty), Type::Array { .. })
                    && self.element_count(ty) <= self.spare() / 40
            })
            .copied()
            .collect();
        if arrays.is_empty() {
            return None;
        }
        let array = self.choices.pick(&arrays);
        let mut lengths = Vec::new();
        let mut ty = self.program[array.object].ty;
        while let Type::Array { element, length: ArrayLength::Fixed(length) } =
            *self.program.resolve(ty)
        {
            lengths.push(length);
            ty = element;
        }
        let mark = self.scope.enter();
        // One index for several dimensions, where they are alike.
        let diagonal =
            lengths.iter().all(|length| *length == lengths[0]) && self.choices.chance(20);
        let loops = if diagonal { 1 } else { lengths.len() };
        let rounds = self.budget.rounds;
        let mut counters = Vec::new();
        for length in &lengths[..loops] {
            let kind = self.counter_kind(i128::from(*length) + 1);
            counters.push((self.counter(kind, Some(*length)), kind, *length));
            self.budget.rounds = self.budget.rounds.saturating_mul(*length);
        }
        self.charge(14);
        self.scope.loops += 1;
        self.scope.breakable += 1;
        let mut statements = Vec::new();
        let number = self.class_of(ty).is_some();
        if number && self.wants(Feature::Reduction) {
            if let Some(statement) = self.reduction(array, &counters, lengths.len()) {
                statements.push(statement);
            }
        } else if number && array.writable && !self.is_const(ty) {
            self.begin_expression();
            let place = self.array_element(array.object, &counters, lengths.len());
            let value = self.value(Want::Exactly(ty), Site::new(Mode::Reading, 3));
            let expr = self.assign(place, value);
            statements.push(self.expr_stmt(expr));
        }
        if nesting > 0 && self.choices.chance(50) || statements.is_empty() {
            let mark = self.scope.enter();
            for _ in 0..self.choices.range(1, 3) {
                self.statement(nesting.saturating_sub(1), &mut statements);
            }
            self.scope.leave(mark);
        }
        self.scope.loops -= 1;
        self.scope.breakable -= 1;
        let mut body = self.block_of(statements);
        for (counter, kind, length) in counters.into_iter().rev() {
            let zero = self.builder().int(IntKind::Int, 0);
            self.program[counter].init = Some(self.builder().convert(zero, Types::int(kind)));
            let init = self.stmt(Stmt::Declare(counter));
            let left = self.load(counter);
            let right = self.hidden(i128::from(length));
            let condition = self.binary(BinaryOp::Less, left, right);
            let place = self.object_expr(counter);
            let op = self.choices.pick(&[StepOp::PostIncrement, StepOp::PreIncrement]);
            let step = self.step(op, place);
            body = self.stmt(Stmt::For {
                init: [init].into(),
                condition: Some(condition),
                step: Some(step),
                body,
            });
        }
        self.budget.rounds = rounds;
        self.scope.leave(mark);
        Some(body)
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
        counters: &[(ObjectId, IntKind, u64)],
        dimensions: usize,
    ) -> ExprId {
        let mut place = self.object_expr(array);
        for dimension in 0..dimensions {
            let (counter, ..) = counters[dimension.min(counters.len() - 1)];
            let index = self.load(counter);
            place = self.element(place, index);
        }
        place
    }

    /// `accumulator ^= array[i]`
    fn reduction(
        &mut self,
        array: Variable,
        counters: &[(ObjectId, IntKind, u64)],
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
