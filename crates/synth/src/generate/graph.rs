//! Functions drawn as control-flow graphs: labelled blocks and jumps between them,
//! filled afterwards. Regions may be irreducible, and jumps lead into loops and out
//! of them.
//!
//! A jump backwards burns fuel, and jumps forwards end, so a call executes each block
//! at most once more than there is fuel.

use farrier_lang::*;

use super::draft::{Draft, Mode, Name};
use super::scope::Variable;
use super::values::{Site, Want};
use crate::parameters::Parameter;

/// A block of the graph.
#[derive(Clone, Copy, Debug)]
struct Node {
    label: LabelId,
    /// Whether something jumps to it; a label that nothing uses is not printed.
    used: bool,
}

impl Draft<'_> {
    /// The body of a function, as a graph.
    pub(super) fn graph_body(&mut self) -> StmtId {
        let mut statements = Vec::new();
        // Declarations come first: no jump passes one.
        for _ in 0..self.choices.range(2, 6) {
            statements.push(self.declaration());
        }
        let affordable = (self.spare() / 400).clamp(1, 24);
        let fuel = 1 + self.choices.below(affordable);
        let fuel_object = self.private_local(IntKind::Int, i128::from(fuel), &mut statements);
        let room = self.budget.size_limit.saturating_sub(self.grown()) / 60;
        let most = (self.parameter(Parameter::GraphBlocks) as usize).min(room.max(3));
        let count = 3 + self.choices.index(most.saturating_sub(2).max(1));
        let mut nodes: Vec<Node> = (0..count)
            .map(|_| {
                let name = self.name(Name::Label);
                Node { label: self.program.labels.push(Label { name, local: false }), used: false }
            })
            .collect();
        let rounds = self.budget.rounds;
        self.budget.rounds = rounds * (fuel + 1);
        let mut blocks: Vec<(usize, Vec<StmtId>)> = Vec::new();
        let mut position = 0;
        while position < count {
            let first = position;
            let block = if position + 1 < count && self.spare() > 200 && self.choices.chance(25) {
                // The next node is inside of the loop.
                position += 2;
                self.loop_with_entry(first, &mut nodes, fuel_object, &mut statements)
            } else {
                position += 1;
                let mut block = self.straight();
                self.terminator(first, &mut nodes, fuel_object, &mut block);
                block
            };
            blocks.push((first, block));
        }
        self.budget.rounds = rounds;
        for (index, block) in blocks {
            self.labelled(nodes[index], block, &mut statements);
        }
        statements.push(self.return_statement());
        self.block_of(statements)
    }

    /// The statements of a block behind its label.
    fn labelled(&mut self, node: Node, block: Vec<StmtId>, out: &mut Vec<StmtId>) {
        let mut block = block.into_iter();
        if node.used {
            let first = match block.next() {
                Some(first) => first,
                None => self.stmt(Stmt::Empty),
            };
            out.push(self.stmt(Stmt::Label(node.label, first)));
        }
        out.extend(block);
    }

    /// A private integer of the function, with its first value.
    fn private_local(&mut self, kind: IntKind, value: i128, out: &mut Vec<StmtId>) -> ObjectId {
        let ty = Types::int(kind);
        let object = self.object(Name::Local, ty, Linkage::None, Storage::Automatic);
        let value = self.literal(value);
        self.program[object].init = Some(self.builder().convert(value, ty));
        let depth = self.scope.depth;
        self.scope.visible.push(Variable::counter(object, depth, None));
        out.push(self.stmt(Stmt::Declare(object)));
        object
    }

    /// A few statements without declarations of their own.
    fn straight(&mut self) -> Vec<StmtId> {
        let mut block = Vec::new();
        for _ in 0..self.choices.range(0, 3) {
            let mark = self.scope.enter();
            let before = block.len();
            let nesting = u32::from(self.choices.chance(15));
            self.statement(nesting, &mut block);
            self.scope.leave(mark);
            let declares = block[before..]
                .iter()
                .any(|statement| matches!(self.program[*statement], Stmt::Declare(_)));
            if declares {
                let inner = block.split_off(before);
                block.push(self.block_of(inner));
            }
        }
        block
    }

    /// A block to jump to, behind `position`; the end of the graph has none.
    fn forward(&mut self, position: usize, nodes: &mut [Node]) -> Option<LabelId> {
        let rest = nodes.len() - position - 1;
        if rest == 0 {
            return None;
        }
        // Near ones more often.
        let distance = 1 + self.choices.index(rest).min(self.choices.index(rest));
        let node = &mut nodes[position + distance];
        node.used = true;
        Some(node.label)
    }

    /// `fuel-- > 0`
    fn burn_fuel(&mut self, fuel: ObjectId) -> ExprId {
        let place = self.object_expr(fuel);
        let step = self.step(StepOp::PostDecrement, place);
        let zero = self.builder().int(IntKind::Int, 0);
        self.binary(BinaryOp::Greater, step, zero)
    }

    /// How a block ends.
    fn terminator(
        &mut self,
        position: usize,
        nodes: &mut [Node],
        fuel: ObjectId,
        out: &mut Vec<StmtId>,
    ) {
        match self.choices.below(12) {
            // It runs into the next one.
            0 | 1 => {}
            2..=4 => {
                if let Some(label) = self.forward(position, nodes) {
                    let condition = self.condition();
                    let jump = self.stmt(Stmt::Goto(label));
                    out.push(self.if_of(condition, jump));
                }
            }
            5 | 6 => {
                let (Some(first), Some(second)) =
                    (self.forward(position, nodes), self.forward(position, nodes))
                else {
                    return;
                };
                let condition = self.condition();
                let then = self.stmt(Stmt::Goto(first));
                let otherwise = Some(self.stmt(Stmt::Goto(second)));
                out.push(self.stmt(Stmt::If { condition, then, otherwise }));
            }
            7 => {
                let value = self.full_value(Want::Integer);
                self.charge_expr(value);
                let mask = self.builder().int(IntKind::Int, 3);
                let value = self.binary(BinaryOp::BitAnd, value, mask);
                let value = self.builder().promote(value);
                let ty = self.program.type_of(value);
                let mut body = Vec::new();
                let mut labels = [0, 1, 2, 3];
                self.choices.shuffle(&mut labels);
                for label in &labels[..self.choices.index(3) + 1] {
                    let Some(target) = self.forward(position, nodes) else { break };
                    let first = self.builder().int(IntKind::Int, *label);
                    let first = self.builder().convert(first, ty);
                    let jump = self.stmt(Stmt::Goto(target));
                    body.push(self.stmt(Stmt::Case { first, last: None, body: jump }));
                }
                if body.is_empty() {
                    return;
                }
                let body = self.block_of(body);
                out.push(self.stmt(Stmt::Switch { value, body }));
            }
            8 if self.choices.chance(30) => {
                let condition = self.condition();
                let result = self.return_statement();
                out.push(self.if_of(condition, result));
            }
            _ => {
                let target = self.choices.index(position + 1);
                nodes[target].used = true;
                let label = nodes[target].label;
                let burn = self.burn_fuel(fuel);
                self.begin_expression();
                self.expression.written.push(fuel);
                let condition = match self.choices.below(3) {
                    0 => burn,
                    1 => {
                        let other = self.value(Want::Number, Site::new(Mode::Reading, 2));
                        self.logical(LogicalOp::And, burn, other)
                    }
                    _ => {
                        let other = self.value(Want::Number, Site::new(Mode::Reading, 2));
                        self.logical(LogicalOp::And, other, burn)
                    }
                };
                self.charge_expr(condition);
                let jump = self.stmt(Stmt::Goto(label));
                out.push(self.fixed_if(condition, jump));
            }
        }
    }

    /// A loop with a labelled block inside, into which others may jump.
    fn loop_with_entry(
        &mut self,
        position: usize,
        nodes: &mut [Node],
        fuel: ObjectId,
        declarations: &mut Vec<StmtId>,
    ) -> Vec<StmtId> {
        let trips = 1 + self.choices.below(3);
        let counter = self.private_local(IntKind::Int, 0, declarations);
        let rounds = self.budget.rounds;
        self.budget.rounds = rounds * (trips + 1);
        let mut body = self.straight();
        let mut inner = self.straight();
        self.terminator(position + 1, nodes, fuel, &mut inner);
        nodes[position + 1].used = true;
        let node = nodes[position + 1];
        self.labelled(node, inner, &mut body);
        self.budget.rounds = rounds;
        let body = self.block_of(body);
        let zero = self.builder().int(IntKind::Int, 0);
        let place = self.object_expr(counter);
        let init = self.assign(place, zero);
        let left = self.load(counter);
        let right = self.builder().int(IntKind::Int, trips);
        let condition = self.binary(BinaryOp::Less, left, right);
        let place = self.object_expr(counter);
        let step = self.step(StepOp::PostIncrement, place);
        self.charge(12 * (trips + 1));
        let mut block = self.straight();
        let init = self.stmt(Stmt::Expr(init));
        block.push(self.stmt(Stmt::For {
            init: [init].into(),
            condition: Some(condition),
            step: Some(step),
            body,
        }));
        block
    }
}
