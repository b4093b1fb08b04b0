//! Functions drawn as control-flow graphs: labelled blocks and jumps between them,
//! filled afterwards. Regions may be irreducible, and jumps lead into loops and out
//! of them.
//!
//! A jump backwards burns fuel, and jumps forwards end, so a call executes each block
//! at most once more than there is fuel.

use farrier_lang::{IntKind, LabelId, ObjectId, Stmt, StmtId};

use super::draft::Draft;
use super::production::{Production, Rate, anywhere, draw, form};
use super::scope::Variable;
use super::values::Want;
use crate::features::Feature;
use crate::parameters::Parameter;
use crate::relax::Relaxation;

/// How many variables a graph begins with.
const DECLARATIONS: (i64, i64) = (2, 6);

/// The operations for each jump backwards, and the most such jumps.
const JUMP_OPERATIONS: u64 = 400;
const MOST_FUEL: u64 = 24;

/// How often fuel may be asked for after it was used up.
const FUEL_ROOM: i128 = 20_000;

/// The least blocks of a graph, and the nodes of one.
const FEWEST_BLOCKS: usize = 3;
const BLOCK_NODES: usize = 60;

/// How many blocks begin a loop into which others may jump, in percent, the operations that
/// must be left for it, and its most rounds.
const LOOPS: u32 = 25;
const LOOP_OPERATIONS: u64 = 200;
const MOST_TRIPS: u64 = 3;
const TRIP_COST: u64 = 12;

/// The most statements of a block, and how many of them hold blocks, in percent.
const MOST_STATEMENTS: i64 = 3;
const NESTED: u32 = 15;

/// What the value of a `switch` that jumps is masked with; its cases are numbers up to that.
const SWITCH_MASK: u64 = 3;
const MOST_CASES: usize = 3;

/// A block of the graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    label: LabelId,
    /// Whether something jumps to it; a label that nothing uses is not printed.
    used: bool,
}

/// The graph of a function: its blocks, and what jumps backwards burn.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    fuel: Option<ObjectId>,
}

/// How a block at a position ends; first that it runs into the next one.
#[rustfmt::skip]
static TERMINATORS: &[Production<usize, Vec<StmtId>>] = &[
    form(Rate::Always(20), anywhere, |_, _| None),
    form(Rate::Part(Feature::Goto, 600), anywhere, |draft, position| draft.jump_sometimes(position)),
    form(Rate::Part(Feature::Goto, 400), anywhere, |draft, position| draft.jump_either_way(position)),
    form(Rate::Part(Feature::Switch, 140), anywhere, |draft, position| draft.jump_by_switch(position)),
    form(Rate::Of(Feature::Return), anywhere, |draft, _| Some(vec![draft.early_return()])),
    form(Rate::Part(Feature::BackwardGoto, 1200), has_fuel, |draft, position| draft.jump_back(position)),
];

fn has_fuel(draft: &Draft<'_>, _: usize) -> bool {
    draft.scope.graph.fuel.is_some()
}

impl Draft<'_> {
    /// Whether the jumps of a graph can be written.
    pub(super) fn can_jump(&self) -> bool {
        self.has(Feature::Goto) && self.has(Feature::If)
    }

    /// The body of a function, as a graph.
    pub(super) fn graph_body(&mut self) -> StmtId {
        // Declarations come first: no jump passes one.
        let mut statements: Vec<StmtId> = (0..self.choices.range(DECLARATIONS.0, DECLARATIONS.1))
            .map(|_| self.declaration())
            .collect();
        let affordable = (self.spare() / JUMP_OPERATIONS).clamp(1, MOST_FUEL);
        let fuel = 1 + self.choices.below(affordable);
        self.scope.graph.fuel = self.fuel_object(fuel, &mut statements);
        let room = self.budget.size_limit.saturating_sub(self.grown()) / BLOCK_NODES;
        let most = (self.parameter(Parameter::GraphBlocks) as usize).min(room.max(FEWEST_BLOCKS));
        let count =
            FEWEST_BLOCKS + self.choices.index((most + 1).saturating_sub(FEWEST_BLOCKS).max(1));
        self.scope.graph.nodes =
            (0..count).map(|_| Node { label: self.label(), used: false }).collect();
        let blocks = self.repeated(fuel + 1, |draft| draft.graph_blocks(count, &mut statements));
        for (position, block) in blocks {
            self.labelled(position, block, &mut statements);
        }
        self.land_all(&mut statements);
        statements.push(self.return_statement());
        self.block_of(statements)
    }

    /// What jumps backwards burn, where there can be some. It is asked again after it was
    /// used up, so it is signed.
    fn fuel_object(&mut self, fuel: u64, declarations: &mut Vec<StmtId>) -> Option<ObjectId> {
        let features = [Feature::BackwardGoto, Feature::Increment, Feature::Comparison];
        if !features.into_iter().all(|feature| self.has(feature)) {
            return None;
        }
        // It goes down by one for each block that asks.
        let kind = self.fuel_kind(i128::from(fuel) + FUEL_ROOM)?;
        let object = self.counter(kind, None);
        let value = self.literal(i128::from(fuel));
        declarations.push(self.declared(object, value));
        Some(object)
    }

    /// The blocks, each with its position.
    fn graph_blocks(
        &mut self,
        count: usize,
        declarations: &mut Vec<StmtId>,
    ) -> Vec<(usize, Vec<StmtId>)> {
        let mut blocks = Vec::new();
        let mut position = 0;
        while position < count {
            let first = position;
            let counts = self.has(Feature::For) && self.can_count();
            let inside = position + 1 < count && counts && self.spare() > LOOP_OPERATIONS;
            position += 1;
            let looped = match inside && self.choices.chance(LOOPS) {
                true => self.loop_with_entry(position, declarations),
                false => None,
            };
            blocks.push((
                first,
                match looped {
                    // The next node is inside the loop.
                    Some(block) => {
                        position += 1;
                        block
                    }
                    None => self.terminated(first),
                },
            ));
        }
        blocks
    }

    /// The statements of a block after its label.
    fn labelled(&mut self, position: usize, block: Vec<StmtId>, out: &mut Vec<StmtId>) {
        let node = self.scope.graph.nodes[position];
        let mut block = block.into_iter().peekable();
        if node.used {
            // A label cannot stand before a declaration.
            let is_declared = |first: &StmtId| matches!(self.program[*first], Stmt::Declare(_));
            let labelled = block.next_if(|first| !is_declared(first));
            let labelled = labelled.unwrap_or_else(|| self.stmt(Stmt::Empty));
            out.push(self.stmt(Stmt::Label(node.label, labelled)));
        }
        out.extend(block);
    }

    /// A few statements without declarations of their own.
    fn straight(&mut self) -> Vec<StmtId> {
        let mut block = Vec::new();
        for _ in 0..self.choices.range(0, MOST_STATEMENTS) {
            if self.relaxes(Relaxation::Jump) {
                self.open_statement(&mut block);
                continue;
            }
            let mark = self.scope.enter();
            let before = block.len();
            let nesting = u32::from(self.choices.chance(NESTED));
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

    /// A statement whose declarations are visible in all blocks after it, so that jumps pass them.
    fn open_statement(&mut self, block: &mut Vec<StmtId>) {
        let (mark, first) = (self.scope.enter(), block.len());
        let visible = self.scope.visible.len();
        self.statement(0, block);
        let declared: Vec<Variable> = self.scope.visible[visible..]
            .iter()
            .filter(|variable| {
                let declares = Stmt::Declare(variable.object);
                block[first..].iter().any(|stmt| self.program[*stmt] == declares)
            })
            .copied()
            .collect();
        self.scope.leave(mark);
        self.scope.visible.extend(declared);
    }

    /// The same with an end.
    fn terminated(&mut self, position: usize) -> Vec<StmtId> {
        let mut block = self.straight();
        block.extend(draw(self, TERMINATORS, position).unwrap_or_default());
        block
    }

    /// A jump to a block after `position`; the end of the graph has none.
    fn forward(&mut self, position: usize) -> Option<Stmt> {
        let rest = self.scope.graph.nodes.len() - position - 1;
        if rest == 0 {
            return None;
        }
        // Near ones more often.
        let distance = 1 + self.choices.index(rest).min(self.choices.index(rest));
        Some(self.jump_to(position + distance))
    }

    fn jump_to(&mut self, position: usize) -> Stmt {
        let node = &mut self.scope.graph.nodes[position];
        node.used = true;
        Stmt::Goto(node.label)
    }

    fn jump_sometimes(&mut self, position: usize) -> Option<Vec<StmtId>> {
        let jump = self.forward(position)?;
        Some(vec![self.conditional(jump)])
    }

    fn jump_either_way(&mut self, position: usize) -> Option<Vec<StmtId>> {
        let (first, second) = (self.forward(position)?, self.forward(position)?);
        let condition = self.condition();
        let then = self.stmt(first);
        let otherwise = Some(self.stmt(second));
        Some(vec![self.stmt(Stmt::If { condition, then, otherwise })])
    }

    fn jump_by_switch(&mut self, position: usize) -> Option<Vec<StmtId>> {
        let value = self.full_value(Want::Integer);
        let value = self.switch_value(value, Some(SWITCH_MASK));
        let ty = self.program.type_of(value);
        let mut labels = [0, 1, 2, 3];
        self.choices.shuffle(&mut labels);
        let mut body = Vec::new();
        for label in &labels[..self.choices.index(MOST_CASES) + 1] {
            let jump = self.forward(position)?;
            let jump = self.stmt(jump);
            body.push(self.case(*label, ty, jump));
        }
        let body = self.block_of(body);
        Some(vec![self.stmt(Stmt::Switch { value, body })])
    }

    fn jump_back(&mut self, position: usize) -> Option<Vec<StmtId>> {
        let fuel = self.scope.graph.fuel?;
        let target = self.choices.index(position + 1);
        let jump = self.jump_to(target);
        let condition = self.burn(fuel, true);
        let jump = self.stmt(jump);
        Some(vec![self.fixed_if(condition, jump)])
    }

    /// A loop with the block at `position` inside, into which others may jump.
    fn loop_with_entry(
        &mut self,
        position: usize,
        declarations: &mut Vec<StmtId>,
    ) -> Option<Vec<StmtId>> {
        let trips = 1 + self.choices.below(MOST_TRIPS);
        let kind = self.counter_kind(i128::from(MOST_TRIPS) + 1)?;
        let counter = self.counter(kind, None);
        let zero = self.builder().int(IntKind::Int, 0);
        declarations.push(self.declared(counter, zero));
        let mark = self.scope.enter();
        let (mut body, inner) =
            self.repeated(trips + 1, |draft| (draft.straight(), draft.terminated(position)));
        self.scope.leave(mark);
        self.scope.graph.nodes[position].used = true;
        self.labelled(position, inner, &mut body);
        let body = self.block_of(body);
        self.charge(TRIP_COST * (trips + 1));
        // It stands before the loop, so no jump of the loop leads here.
        let waiting = self.scope.jumps.suspend();
        let mut block = self.straight();
        self.scope.jumps.resume(waiting);
        let place = self.object_expr(counter);
        let zero = self.builder().int(IntKind::Int, 0);
        let init = self.assign(place, zero);
        let init = self.stmt(Stmt::Expr(init));
        let bound = self.builder().int(IntKind::Int, trips);
        block.push(self.counted(counter, init, bound, body));
        Some(block)
    }
}
