//! Border functions as statements and expressions of a program.

use farrier_lang::{
    BinaryOp, Entity, ExprId, FunctionId, IntKind, Item, LabelId, Linkage, ObjectId, StepOp, Stmt,
    StmtId, Types,
};

use super::code::{Block, End, Step, Term};
use super::{Draft, Drawn};
use crate::features::Feature;

/// How many assignments that can be are `op=`, in percent.
const COMPOUND: u32 = 60;

/// How many jumps after a test are its `else`, in percent.
const ELSES: u32 = 50;

/// What the memory of results is multiplied with before a variable is added.
const FACTOR: u64 = 31;

/// How many variables have a memory of their own.
const MOST_MEMORIES: usize = 4;

impl Draft<'_> {
    /// Gives a function its body.
    pub(super) fn write_border(
        &mut self,
        function: FunctionId,
        drawn: &Drawn,
        objects: &[ObjectId],
    ) {
        let parameters = drawn.arguments.len();
        let mut statements = Vec::new();
        let mut firsts = drawn.firsts.iter();
        for object in &objects[parameters..] {
            // Counters have no first value.
            let first = firsts.next().map(|term| self.border_term(term, objects));
            let local = self.program[*object].linkage == Linkage::None;
            match (local, first) {
                (true, Some(first)) => statements.push(self.declared(*object, first)),
                (true, None) => statements.push(self.stmt(Stmt::Declare(*object))),
                (false, Some(first)) => {
                    let place = self.object_expr(*object);
                    let assign = self.assign(place, first);
                    statements.push(self.stmt(Stmt::Expr(assign)));
                }
                (false, None) => {}
            }
        }
        self.write_blocks(&drawn.blocks, objects, &mut statements);
        let set = parameters + drawn.firsts.len();
        self.write_memories(&objects[..set], &mut statements);
        let value = self.border_term(&drawn.result, objects);
        let value = self.adapt(value, Types::int(drawn.kinds[0]));
        statements.push(self.stmt(Stmt::Return(Some(value))));
        let body = self.block_of(statements);
        self.program[function].body = Some(body);
        self.program.items.push(Item::Define(Entity::Function(function)));
    }

    /// `memory = memory * 31 + (unsigned)variable` for every variable; without casts, a global
    /// for some of them.
    fn write_memories(&mut self, objects: &[ObjectId], statements: &mut Vec<StmtId>) {
        if !self.has(Feature::Cast) {
            for object in &objects[objects.len().saturating_sub(MOST_MEMORIES)..] {
                let memory = self.global_of_type(self.program[*object].ty).object;
                let (place, value) = (self.object_expr(memory), self.load(*object));
                let assign = self.assign(place, value);
                statements.push(self.stmt(Stmt::Expr(assign)));
            }
            return;
        }
        let kinds = [IntKind::UInt, IntKind::ULong, IntKind::UShort, IntKind::UChar];
        let kinds: Vec<IntKind> = kinds.into_iter().filter(|kind| self.has_kind(*kind)).collect();
        let Some(kind) = self.choices.pick_any(&kinds) else { return };
        let ty = Types::int(kind);
        let memory = self.global_of_type(ty).object;
        for object in objects {
            let old = self.load(memory);
            let factor = self.builder().int(IntKind::Int, FACTOR);
            let old = self.binary(BinaryOp::Mul, old, factor);
            let value = self.load(*object);
            // A narrow memory is promoted, so that only what fits it is added.
            let value = self.cast(value, ty);
            let sum = self.binary(BinaryOp::Add, old, value);
            let place = self.object_expr(memory);
            let assign = self.assign(place, sum);
            statements.push(self.stmt(Stmt::Expr(assign)));
        }
    }

    fn write_blocks(
        &mut self,
        blocks: &[Block],
        objects: &[ObjectId],
        statements: &mut Vec<StmtId>,
    ) {
        let labels: Vec<LabelId> = (0..=blocks.len()).map(|_| self.label()).collect();
        let mut used = vec![false; labels.len()];
        let mut written = Vec::new();
        for (position, block) in blocks.iter().enumerate() {
            let mut inner = self.write_steps(&block.steps, objects);
            let mut jump = |draft: &mut Self, to: usize| {
                used[to] = true;
                draft.stmt(Stmt::Goto(labels[to]))
            };
            self.write_end(&block.end, position + 1, objects, &mut jump, &mut inner);
            written.push(inner);
        }
        written.push(Vec::new());
        for (position, inner) in written.into_iter().enumerate() {
            let mut inner = inner.into_iter();
            if used[position] {
                let first = inner.next().unwrap_or_else(|| self.stmt(Stmt::Empty));
                statements.push(self.stmt(Stmt::Label(labels[position], first)));
            }
            statements.extend(inner);
        }
    }

    /// The jumps at the end of a block, after which the block `next` stands.
    fn write_end(
        &mut self,
        end: &End,
        next: usize,
        objects: &[ObjectId],
        jump: &mut dyn FnMut(&mut Self, usize) -> StmtId,
        out: &mut Vec<StmtId>,
    ) {
        match end {
            End::Jump(to) if *to == next => {}
            End::Jump(to) => out.push(jump(self, *to)),
            End::Branch { condition, then, otherwise } => {
                let condition = self.border_term(condition, objects);
                let then = jump(self, *then);
                let other = (*otherwise != next).then(|| jump(self, *otherwise));
                let inside = self.choices.chance(ELSES);
                let otherwise = other.filter(|_| inside);
                let test = self.stmt(Stmt::If { condition, then, otherwise });
                self.fixed.insert(test);
                out.push(test);
                out.extend(other.filter(|_| !inside));
            }
            End::Switch { value, cases, otherwise } => {
                let value = self.border_term(value, objects);
                let value = self.builder().promote(value);
                let ty = self.program.type_of(value);
                let mut body = Vec::new();
                for (label, to) in cases {
                    let to = jump(self, *to);
                    body.push(self.case(*label, ty, to));
                }
                if *otherwise != next {
                    let to = jump(self, *otherwise);
                    body.push(self.stmt(Stmt::Default(to)));
                }
                let body = self.block_of(body);
                out.push(self.stmt(Stmt::Switch { value, body }));
            }
        }
    }

    fn write_steps(&mut self, steps: &[Step], objects: &[ObjectId]) -> Vec<StmtId> {
        steps.iter().map(|step| self.write_step(step, objects)).collect()
    }

    fn write_step(&mut self, step: &Step, objects: &[ObjectId]) -> StmtId {
        match step {
            Step::Assign(number, term) => {
                let assign = self.border_assign(*number, term, objects);
                self.stmt(Stmt::Expr(assign))
            }
            Step::If(condition, body) => {
                let condition = self.border_term(condition, objects);
                let body = self.write_steps(body, objects);
                let body = self.block_of(body);
                self.fixed_if(condition, body)
            }
            Step::For { counter, first, condition, next, body } => {
                let place = self.object_expr(objects[*counter]);
                let first = self.border_term(first, objects);
                let init = self.assign(place, first);
                let init = self.stmt(Stmt::Expr(init));
                let condition = Some(self.border_term(condition, objects));
                let step = Some(self.border_assign(*counter, next, objects));
                let body = self.write_steps(body, objects);
                let body = self.block_of(body);
                self.stmt(Stmt::For { init: [init].into(), condition, step, body })
            }
        }
    }

    /// `variable = term`, also as `op=` and `++`.
    fn border_assign(&mut self, number: usize, term: &Term, objects: &[ObjectId]) -> ExprId {
        let place = self.object_expr(objects[number]);
        if let Term::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) = term
            && matches!(**left, Term::Variable(left) if left == number)
        {
            let one = matches!(**right, Term::Constant(_, 1));
            if one && self.has(Feature::Increment) && self.choices.chance(COMPOUND) {
                let step = match op {
                    BinaryOp::Add => StepOp::PostIncrement,
                    _ => StepOp::PreDecrement,
                };
                return self.step(step, place);
            }
            if self.has(Feature::CompoundAssign) && self.choices.chance(COMPOUND) {
                let value = self.border_term(right, objects);
                return self.compound_assign(*op, place, value);
            }
        }
        let value = self.border_term(term, objects);
        self.assign(place, value)
    }

    fn border_term(&mut self, term: &Term, objects: &[ObjectId]) -> ExprId {
        match term {
            Term::Constant(kind, value) => {
                self.program.literal(*value, *kind).expect("the kind holds the value")
            }
            Term::Variable(number) => self.load(objects[*number]),
            Term::Binary(op, left, right) => {
                let left = self.border_term(left, objects);
                let right = self.border_term(right, objects);
                self.binary(*op, left, right)
            }
            Term::Logical(op, left, right) => {
                let left = self.border_term(left, objects);
                let right = self.border_term(right, objects);
                self.logical(*op, left, right)
            }
            Term::Cast(kind, operand) => {
                let operand = self.border_term(operand, objects);
                self.cast(operand, Types::int(*kind))
            }
        }
    }
}
