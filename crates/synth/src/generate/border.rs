//! Functions of linear forms over few coefficients, whose results lie at the borders of their
//! types.
//!
//! A call of such a function passes inputs, and the values of inputs are known. So drafting
//! knows every value on the path that the function takes: signed arithmetic needs no guard
//! there, and constants are chosen such that results lie one step inside their type, and
//! tests one step beside a value. A compiler that computes a form in another way may overflow
//! where the program does not. Blocks beside the path hold the same forms over the same
//! variables without such care.

mod code;
mod flow;
mod forms;
mod plan;
mod write;

use farrier_lang::{BinaryOp, ExprId, FunctionId, IntKind, Linkage, ObjectId, StmtId, Types};

use super::draft::{Draft, Name};
use crate::features::Feature;
use crate::parameters::Parameter;
use code::{Integers, Step, Term};
use plan::{Allowed, Plan};

/// The features without which there is no such function. Its sums occur again and again.
const NEEDED: [Feature; 9] = [
    Feature::CommonSubexpression,
    Feature::Call,
    Feature::Graph,
    Feature::Goto,
    Feature::BackwardGoto,
    Feature::If,
    Feature::Comparison,
    Feature::Arithmetic,
    Feature::Multiplication,
];

/// The operations that must be left for a call.
const CALL_OPERATIONS: u64 = 400;

/// How many calls are of a function that exists, in percent, and among how many of the last.
const OLD_FUNCTIONS: u32 = 30;
const LAST_FUNCTIONS: usize = 4;

/// The nodes of a block, and the fewest blocks.
const BLOCK_NODES: usize = 80;
const FEWEST_BLOCKS: u32 = 6;

/// The fewest variables and coefficients; the most parameters.
const FEWEST_VARIABLES: u32 = 4;
const FEWEST_COEFFICIENTS: u32 = 2;
const MOST_PARAMETERS: usize = 6;

/// The kinds of variables of a function, with their weights.
const KINDS: [(u32, IntKind); 9] = [
    (56, IntKind::Int),
    (12, IntKind::Long),
    (8, IntKind::LongLong),
    (8, IntKind::Short),
    (4, IntKind::SChar),
    (5, IntKind::UChar),
    (3, IntKind::UShort),
    (4, IntKind::UInt),
    (2, IntKind::ULong),
];

/// In percent: variables of another kind than most, those that are global, those that are
/// rarely assigned.
const OTHER_KINDS: u32 = 22;
const GLOBALS: u32 = 15;
const SOURCES: u32 = 35;

/// How many variables are rarely assigned in any case.
const FEWEST_SOURCES: usize = 2;

/// The weights of coefficients of one digit, of a few, of many; the ranges of the first two,
/// and how many are negative, in percent.
const COEFFICIENTS: [u32; 3] = [5, 3, 2];
const SMALL_COEFFICIENTS: (i64, i64) = (2, 9);
const MIDDLE_COEFFICIENTS: (i64, i64) = (10, 300);
const LARGE_COEFFICIENTS: (i64, i64) = (1_000, 70_000);
const NEGATIVE_COEFFICIENTS: u32 = 35;

/// The weights of first values: a border, the largest that a coefficient can multiply, a
/// small number, any.
const FIRST_VALUES: [u32; 4] = [20, 35, 25, 20];

/// How many operations of the machine there are for one of a plan, at most.
const OPERATIONS: u64 = 4;

/// A border function, which is only called with these arguments.
#[derive(Clone, Debug)]
pub(super) struct Border {
    function: FunctionId,
    arguments: Vec<i128>,
    /// The most operations of a call.
    cost: u64,
    /// Where its result goes.
    sink: ObjectId,
}

/// Whether a call of a border function can stand here.
pub(super) fn can_call(draft: &Draft<'_>, _: u32) -> bool {
    NEEDED.into_iter().all(|feature| draft.has(feature))
        && draft.writes_statics
        && !draft.stock.inputs.is_empty()
        && draft.spare() > CALL_OPERATIONS
}

/// What a function is made of, before it is written.
struct Drawn {
    kinds: Vec<IntKind>,
    /// The first values of the parameters; the other variables have terms.
    arguments: Vec<i128>,
    firsts: Vec<Term>,
    blocks: Vec<code::Block>,
    result: Term,
    cost: u64,
}

impl Draft<'_> {
    /// `global = function(arguments);`, with a new function or one that exists.
    pub(super) fn border_call(&mut self) -> Option<StmtId> {
        let spare = self.spare();
        let all = self.stock.borders.len();
        let old: Vec<usize> = (all.saturating_sub(LAST_FUNCTIONS)..all)
            .filter(|index| self.stock.borders[*index].cost < spare)
            .collect();
        // One stands beside the function that calls it, so it takes no room there.
        let room = self.size.limit.saturating_sub(self.grown()) / BLOCK_NODES;
        let reuse = !old.is_empty() && self.choices.chance(OLD_FUNCTIONS);
        let index = match reuse || room < FEWEST_BLOCKS as usize {
            true => self.choices.pick_any(&old)?,
            false => self.border_function(room)?,
        };
        let Border { function, arguments, cost, sink } = self.stock.borders[index].clone();
        // A function that costs too much stays without a call here.
        if cost > spare {
            return None;
        }
        self.charge(cost);
        let arguments = arguments.into_iter().map(|value| self.hidden_argument(value)).collect();
        let designator = self.function_expr(function);
        let call = self.call_of(designator, arguments);
        let place = self.object_expr(sink);
        let assign = self.assign(place, call);
        Some(self.expr_stmt(assign))
    }

    /// `input + constant`, which has this value.
    fn hidden_argument(&mut self, value: i128) -> ExprId {
        let integers = Integers(self.config.target);
        // What only an unsigned type holds is converted.
        let value = integers.of(IntKind::LongLong).wrap(value);
        let (input, known) = self.choices.pick(&self.stock.inputs);
        let difference = value - known;
        let wide = integers.constant(value).max(integers.constant(difference));
        let Some(kind) = wide.filter(|_| integers.constant(difference).is_some()) else {
            return self.literal(value);
        };
        let load = self.load(input.object);
        let minus = difference < 0 && integers.of(kind).contains(-difference);
        let (op, magnitude) =
            if minus { (BinaryOp::Sub, -difference) } else { (BinaryOp::Add, difference) };
        let constant = self.program.literal(magnitude, kind).expect("the kind holds it");
        self.binary(op, load, constant)
    }

    /// Drafts a function, with room for so many blocks.
    fn border_function(&mut self, room: usize) -> Option<usize> {
        let kinds: Vec<IntKind> = self.border_kinds()?;
        let blocks = self.up_to(FEWEST_BLOCKS, Parameter::BorderBlocks) as usize;
        let drawn = self.drawn_border(kinds, blocks.min(room))?;
        let parameters = drawn.arguments.len();
        let types = drawn.kinds[..parameters].iter().map(|kind| Types::int(*kind)).collect();
        let result = Types::int(drawn.kinds[0]);
        let linkage = self.linkage();
        let function = self.new_function(result, types, linkage);
        self.decorate(function, true);
        let sink = self.global_of_type(result).object;
        let mut objects: Vec<ObjectId> = self.program[function].parameters.to_vec();
        for kind in &drawn.kinds[parameters..] {
            let ty = Types::int(*kind);
            let global = objects.len() < parameters + drawn.firsts.len();
            objects.push(match global && self.choices.chance(GLOBALS) {
                true => self.global_of_type(ty).object,
                false => {
                    self.object(Name::Local, ty, Linkage::None, farrier_lang::Storage::Automatic)
                }
            });
        }
        let cost = drawn.cost * OPERATIONS;
        let arguments = drawn.arguments.clone();
        self.write_border(function, &drawn, &objects);
        self.stock.borders.push(Border { function, arguments, cost, sink });
        Some(self.stock.borders.len() - 1)
    }

    /// The kinds of the variables, mostly one.
    fn border_kinds(&mut self) -> Option<Vec<IntKind>> {
        let weights = KINDS.map(|(weight, kind)| if self.has_kind(kind) { weight } else { 0 });
        let main = KINDS[self.choices.weighted(&weights)?].1;
        let count = self.up_to(FEWEST_VARIABLES, Parameter::BorderVariables);
        let mut kinds = vec![main];
        for _ in 1..count {
            let other = self.choices.chance(OTHER_KINDS);
            let other = if other { self.choices.weighted(&weights) } else { None };
            kinds.push(other.map_or(main, |index| KINDS[index].1));
        }
        Some(kinds)
    }

    fn border_coefficients(&mut self) -> Vec<i128> {
        let most = Integers(self.config.target).limits(IntKind::Int).1;
        let count = self.up_to(FEWEST_COEFFICIENTS, Parameter::BorderCoefficients);
        (0..count)
            .map(|_| {
                let (low, high) = match self.choices.weighted(&COEFFICIENTS) {
                    Some(0) => SMALL_COEFFICIENTS,
                    Some(1) => MIDDLE_COEFFICIENTS,
                    _ => LARGE_COEFFICIENTS,
                };
                let value = i128::from(self.choices.range(low, high)).min(most);
                if self.choices.chance(NEGATIVE_COEFFICIENTS) { -value } else { value }
            })
            .collect()
    }

    /// Draws the code of a function and runs it while doing so.
    fn drawn_border(&mut self, kinds: Vec<IntKind>, blocks: usize) -> Option<Drawn> {
        let steps = self.has(Feature::Increment) || self.has(Feature::CompoundAssign);
        let allowed = Allowed {
            for_loops: self.has(Feature::For) && steps,
            switches: self.has(Feature::Switch),
            divisions: self.has(Feature::Division),
            shifts: self.has(Feature::Shift),
            logical: self.has(Feature::Logical),
            casts: self.has(Feature::Cast),
            hidden_bounds: self.has(Feature::VariableBound),
        };
        let coefficients = self.border_coefficients();
        let counters: Vec<IntKind> =
            KINDS.iter().map(|row| row.1).filter(|kind| self.has_kind(*kind)).collect();
        let count = kinds.len();
        let parameters = 2 + self.choices.index(count.min(MOST_PARAMETERS) - 1);
        let target = self.config.target;
        let mut plan = Plan::new(self.choices, target, allowed, coefficients, counters);
        let mut arguments = Vec::new();
        for kind in &kinds[..parameters] {
            let value = first_value(&mut plan, *kind);
            arguments.push(value);
            plan.variable(*kind, value);
        }
        for number in 0..count {
            if number < FEWEST_SOURCES || plan.choices.chance(SOURCES) {
                plan.sources |= 1 << number;
            }
        }
        let mut firsts = Vec::new();
        for kind in &kinds[parameters..] {
            let term = plan.assigned_value(*kind, 0);
            let number = plan.variable(*kind, 0);
            let mut steps = Vec::new();
            plan.assign_to(number, term, &mut steps);
            if let Some(Step::Assign(_, term)) = steps.pop() {
                firsts.push(term);
            }
        }
        plan.graph(blocks);
        let result = plan.assigned_value(kinds[0], 0);
        plan.read(&result);
        let Plan { kinds, blocks, cost, .. } = plan;
        Some(Drawn { kinds, arguments, firsts, blocks, result, cost })
    }
}

/// What a parameter is.
fn first_value(plan: &mut Plan<'_>, kind: IntKind) -> i128 {
    let (least, most) = plan.integers.limits(kind);
    let near = i128::from(plan.choices.range(0, 1));
    let low = plan.choices.chance(40);
    let value = match plan.choices.weighted(&FIRST_VALUES) {
        Some(0) => {
            if low {
                least + near
            } else {
                most - near
            }
        }
        Some(1) => {
            let (_, most) = plan.integers.limits(plan.integers.promoted(kind));
            let room = most / plan.coefficient().abs() - near;
            if low { -room } else { room }
        }
        Some(2) => i128::from(plan.choices.range(-3, 9)),
        _ => i128::from(plan.choices.range(-1_000_000, 1_000_000)),
    };
    plan.integers.of(kind).wrap(value)
}
