//! Small functions made of idioms, and loops that call them for many inputs.
//!
//! ```c
//! static const short g7[9] = {0, -1, 32767, ...};
//! static int f3(short p1) {
//!   int l1 = p1 + 5;
//!   if (p1 == 32767)
//!     return l1;
//!   return l1 < 9 || p1 - 1 > 3;
//! }
//! for (int l2 = 0; l2 < 9; l2++)
//!   g8[l2] = f3(g7[l2]);
//! ```
//!
//! The inputs are chosen such that the function is defined for them, so that its guards
//! never fire and it stays as the table has it.

use farrier_lang::constant::{NotConstant, evaluate_where};
use farrier_lang::{
    ArithmeticFault, ArrayLength, BinaryOp, Entity, ExprId, ExprKind, FunctionId, InitItem,
    InitPlace, IntKind, IntegerType, Item, Linkage, LogicalOp, ObjectId, Qualifiers, Stmt, StmtId,
    Storage, Type, TypeId, Types, integer_type,
};

use super::template::{Node, Template, VALUES};
use super::{Filling, Hole};
use crate::features::Feature;
use crate::generate::draft::{Callee, Draft, Name, Role};

/// The number of inputs, and how often an input is drawn anew that is not defined.
const INPUTS: (i64, i64) = (8, 24);
const TRIES: u32 = 6;

/// The operations that must be left for the functions and their inputs, the operations and
/// nodes of one function, and the operations of a round.
const LOOP_OPERATIONS: u64 = 1600;
const FUNCTION_BUDGET: (u64, usize) = (200, 200);
const ROUND_COST: u64 = 14;

/// In percent: how many functions are not inlined where that can be said, how many have
/// parameters of the same type, how many results are of another type, and how many tables
/// are constant where objects may be.
const NOT_INLINED: u32 = 35;
const SAME_TYPES: u32 = 65;
const OTHER_RESULTS: u32 = 40;
const CONSTANT_TABLES: u32 = 40;

/// In percent: how many functions compute a part of their idiom earlier, how many of these
/// variables have another type, how many have a test before the idiom, how many tests are
/// idioms, and how many idioms are written with statements where they can be.
const PARTS: u32 = 50;
const OTHER_PARTS: u32 = 20;
const TESTS: u32 = 50;
const IDIOM_TESTS: u32 = 50;
const STATEMENTS: u32 = 60;

/// In percent: how many selects return their arms, and how many of the others assign one arm
/// before the test where they can.
const RETURNED_ARMS: u32 = 50;
const ASSIGNED_FIRST: u32 = 50;

/// The weights of what follows a test: a return, an assignment to the part, a use of it.
const ACTIONS: [u32; 3] = [3, 3, 2];

/// How many inputs come from the constants of the function, in percent.
const CONSTANT_INPUTS: u32 = 45;

/// How many loops sum up what they compute where they can, in percent; the others keep it.
const SUMS: u32 = 40;

/// The factor of sums.
const FACTOR: u64 = 31;

/// A function as long as it is drafted.
struct Small {
    filling: Filling,
    result: TypeId,
    /// The variable that holds a part of the idiom.
    part: Option<ObjectId>,
}

/// How a trial of a statement ended.
enum End {
    Next,
    Returned,
}

/// The values of the variables of a trial.
type Values = Vec<(ObjectId, i128)>;

impl Draft<'_> {
    /// Whether a function with its inputs may stand here.
    pub(in crate::generate) fn can_tabulate(&self) -> bool {
        let needs = [Feature::Array, Feature::For, Feature::ArrayLoop, Feature::Call, Feature::Int];
        self.has_room()
            && self.writes_statics
            && self.spare() > LOOP_OPERATIONS
            && self.can_count()
            && needs.into_iter().all(|feature| self.has(feature))
    }

    /// A loop that calls a new function for a table of inputs.
    pub(in crate::generate) fn idiom_loop(&mut self) -> Option<Vec<StmtId>> {
        let (target, constants) = self.idiom_function()?;
        let inputs = self.inputs_of(target.function, &constants);
        let length = inputs.len() as u64;
        if length * (target.cost + ROUND_COST) > self.spare() {
            return None;
        }
        let kind = self.counter_kind(i128::from(length) + 1)?;
        let mark = self.scope.enter();
        let counter = self.counter(kind, Some(length));
        let mut arguments = Vec::new();
        for (position, ty) in target.ty.parameters.iter().enumerate() {
            let column: Vec<i128> = inputs.iter().map(|row| row[position]).collect();
            let table = self.table(*ty, &column);
            arguments.push(self.entry(table, counter));
        }
        let designator = self.function_expr(target.function);
        let call = self.call_of(designator, arguments);
        let assign = self.kept_result(call, counter, length);
        let statement = self.stmt(Stmt::Expr(assign));
        self.charge(length * (target.cost + ROUND_COST));
        let zero = self.builder().int(IntKind::Int, 0);
        let init = self.declared(counter, zero);
        let bound = self.literal(i128::from(length));
        let counted = self.counted(counter, init, bound, statement);
        self.scope.leave(mark);
        Some(vec![counted])
    }

    /// `table[counter]`
    fn entry(&mut self, table: ObjectId, counter: ObjectId) -> ExprId {
        let base = self.object_expr(table);
        let index = self.load(counter);
        let place = self.element(base, index);
        self.builder().value(place)
    }

    /// What keeps a result: `sum = sum * 31 + call`, or `results[counter] = call`.
    fn kept_result(&mut self, call: ExprId, counter: ObjectId, length: u64) -> ExprId {
        let ty = self.program.type_of(call);
        let sums = [Feature::Arithmetic, Feature::Multiplication, Feature::Long];
        if sums.into_iter().all(|feature| self.has(feature)) && self.choices.chance(SUMS) {
            let sum = self.global_of_type(Types::int(IntKind::ULong)).object;
            let factor = self.builder().int(IntKind::Int, FACTOR);
            let old = self.load(sum);
            let scaled = self.binary(BinaryOp::Mul, old, factor);
            let value = self.operate(BinaryOp::Add, scaled, call);
            let place = self.object_expr(sum);
            return self.assign(place, value);
        }
        let array = self.program.types.array_of(ty.unqualified(), ArrayLength::Fixed(length));
        let results = self.global_of_type(array).object;
        // Every element is written.
        self.program[results].init = None;
        let base = self.object_expr(results);
        let index = self.load(counter);
        let place = self.element(base, index);
        self.assign(place, call)
    }

    /// A table of inputs: an object of its own, which nothing else changes.
    fn table(&mut self, ty: TypeId, column: &[i128]) -> ObjectId {
        let constant = self.has(Feature::Const) && self.choices.chance(CONSTANT_TABLES);
        let qualifiers = if constant { Qualifiers::CONST } else { Qualifiers::NONE };
        let element = self.program.types.qualified(ty, qualifiers);
        let length = ArrayLength::Fixed(column.len() as u64);
        let array = self.program.types.array_of(element, length);
        let linkage = self.linkage();
        let object = self.object(Name::Global, array, linkage, Storage::Static);
        let mut items = Vec::new();
        for (index, value) in (0..).zip(column) {
            let value = self.literal(*value);
            let value = self.adapt(value, ty);
            items
                .push(InitItem { place: InitPlace::Elements { first: index, last: index }, value });
        }
        let list = self.builder().node(ExprKind::InitList(items.into()), array.unqualified());
        self.program[object].init = Some(list);
        self.program.items.push(Item::Define(Entity::Object(object)));
        object
    }

    /// A new function, and the constants that occur in it.
    fn idiom_function(&mut self) -> Option<(Callee, Vec<i128>)> {
        let kind = self.int_kind();
        let mut filling = self.filling(kind);
        let template = self.idiom(filling.integer.bits, kind != IntKind::Bool)?;
        let mut types = Vec::new();
        let used: Vec<usize> = (0..VALUES.len())
            .filter(|index| *index == 0 || template.node.any(&|node| is_value(node, *index)))
            .collect();
        // A function of two integers is a helper, whatever it was drawn for.
        if used.len() == 2 && !self.has(Feature::Helper) {
            return None;
        }
        for index in &used {
            let same = *index == 0 || self.choices.chance(SAME_TYPES);
            let other = self.int_kind();
            let other = if template.writes && other == IntKind::Bool { kind } else { other };
            types.push(Types::int(if same { kind } else { other }));
        }
        let result =
            if self.choices.chance(OTHER_RESULTS) { self.int_type() } else { Types::int(kind) };
        let linkage = self.linkage();
        let function = self.new_function(result, types, linkage);
        let parameters = self.program[function].parameters.clone();
        for (index, parameter) in used.iter().zip(&parameters) {
            filling.values[*index] = Some(Hole::Variable(*parameter));
        }
        let scope = self.scope_of(function, |_, _, _| (false, false));
        let mut constants = Vec::new();
        self.define_function(function, Role::Idiom, scope, FUNCTION_BUDGET, |draft| {
            let mut small = Small { filling, result, part: None };
            let body = draft.idiom_body(template, &mut small);
            constants.extend(small.filling.constants.iter().copied().flatten());
            body
        });
        if linkage == Linkage::Internal && self.wants(Feature::Inline) {
            self.program[function].specifiers.inline = true;
        } else if self.has(Feature::Attribute) && self.choices.chance(NOT_INLINED) {
            let attribute = self.attribute("noinline");
            self.program[function].attributes = [attribute].into();
        }
        // Nothing else calls it.
        Some((self.stock.callees.pop()?, constants))
    }

    /// Perhaps a part of the idiom, perhaps a test, then the idiom.
    fn idiom_body(&mut self, template: &'static Template, small: &mut Small) -> StmtId {
        let mut statements = Vec::new();
        if !template.fragile && self.choices.chance(PARTS) {
            statements.extend(self.idiom_part(&template.node, small));
        }
        let tests = [Feature::If, Feature::Return, Feature::Comparison];
        if tests.into_iter().all(|feature| self.has(feature)) && self.choices.chance(TESTS) {
            statements.push(self.idiom_test(small));
        }
        self.idiom_statements(&template.node, small, &mut statements);
        self.block_of(statements)
    }

    /// `int part = ...;` for a part of the idiom.
    fn idiom_part(&mut self, node: &'static Node, small: &mut Small) -> Option<StmtId> {
        let mut parts = Vec::new();
        movable_parts(node, true, &mut parts);
        let part = self.choices.pick_any(&parts)?;
        let value = self.filled(part, &mut small.filling);
        let own = self.program.type_of(value).unqualified();
        // A constant may have a type that the program has not.
        let absent = matches!(*self.program.resolve(own), Type::Int(kind) if !self.has_kind(kind));
        let other = absent || self.choices.chance(OTHER_PARTS);
        let ty = if other { self.int_type() } else { own };
        let object = self.local(ty);
        let value = self.adapt(value, ty);
        self.charge_expr(value);
        self.program[object].init = Some(value);
        small.filling.moved = Some((part, object));
        small.part = Some(object);
        Some(self.stmt(Stmt::Declare(object)))
    }

    fn local(&mut self, ty: TypeId) -> ObjectId {
        self.object(Name::Local, ty, Linkage::None, Storage::Automatic)
    }

    /// `if (test) return part;`, `if (test) part = ...;` or `if (test) global = part;`
    fn idiom_test(&mut self, small: &mut Small) -> StmtId {
        let condition = self.idiom_condition(small);
        self.charge_expr(condition);
        let action = self.choices.weighted(&ACTIONS);
        let statement = match (action, small.part) {
            (Some(1), Some(part)) => {
                let place = self.object_expr(part);
                let value = self.other_idiom(small).unwrap_or_else(|| self.load(part));
                let assign = self.assign(place, value);
                self.expr_stmt(assign)
            }
            (Some(2), Some(part)) => {
                let ty = self.program[part].ty;
                let global = self.global_of_type(ty);
                let place = self.object_expr(global.object);
                let value = self.load(part);
                let assign = self.assign(place, value);
                self.expr_stmt(assign)
            }
            (_, part) => {
                let Some(Hole::Variable(first)) = small.filling.values[0] else {
                    unreachable!("functions are filled with variables")
                };
                let value = self.load(part.unwrap_or(first));
                self.idiom_return(value, small)
            }
        };
        self.if_of(condition, statement)
    }

    /// A test before the idiom: of its first value, or an idiom of its own.
    fn idiom_condition(&mut self, small: &mut Small) -> ExprId {
        if self.choices.chance(IDIOM_TESTS)
            && let Some(condition) = self.other_idiom(small)
        {
            return condition;
        }
        let ops = [BinaryOp::Less, BinaryOp::Greater, BinaryOp::Equal, BinaryOp::NotEqual];
        let op = self.choices.pick(&ops);
        let left = self.filled_value(0, &small.filling);
        let integer =
            IntegerType { bits: small.filling.integer.bits.min(64), ..small.filling.integer };
        let limit = self.border_constant(integer, &small.filling);
        let limit = self.literal(limit);
        self.binary(op, left, limit)
    }

    /// Another idiom on the same values, if the one that is drawn needs no others.
    fn other_idiom(&mut self, small: &mut Small) -> Option<ExprId> {
        let template = self.idiom(small.filling.integer.bits, false)?;
        let values = small.filling.values;
        let needs = (0..VALUES.len()).filter(|index| values[*index].is_none());
        let lacks = needs.into_iter().any(|index| template.node.any(&|node| is_value(node, index)));
        (!lacks).then(|| self.filled(&template.node, &mut small.filling))
    }

    fn idiom_return(&mut self, value: ExprId, small: &Small) -> StmtId {
        let value = self.adapt(value, small.result);
        self.charge_expr(value);
        self.stmt(Stmt::Return(Some(value)))
    }

    /// The idiom as the result of the function: as an expression, or with `if`. Such
    /// tests stay as they are, because an arm may be defined only after its test.
    fn idiom_statements(&mut self, node: &'static Node, small: &mut Small, out: &mut Vec<StmtId>) {
        let written = [Feature::If, Feature::Return].into_iter().all(|feature| self.has(feature))
            && self.choices.chance(STATEMENTS);
        match node {
            Node::Select(parts) if written => {
                let condition = self.filled(&parts[0], &mut small.filling);
                self.charge_expr(condition);
                if self.choices.chance(RETURNED_ARMS) {
                    let then = self.filled(&parts[1], &mut small.filling);
                    let then = self.idiom_return(then, small);
                    out.push(self.fixed_if(condition, then));
                    self.idiom_statements(&parts[2], small, out);
                } else {
                    self.assigned_select(condition, parts, small, out);
                }
            }
            Node::Logical(ops, parts) if written => {
                let op = self.choices.pick(ops);
                let [left, right] =
                    [0, 1].map(|part| self.filled(&parts[part], &mut small.filling));
                self.charge_expr(left);
                self.charge_expr(right);
                let [one, other] = [1, 0].map(|value| self.builder().int(IntKind::Int, value));
                let [yes, no] = [one, other].map(|value| self.idiom_return(value, small));
                if op == LogicalOp::And {
                    let inner = self.fixed_if(right, yes);
                    out.push(self.fixed_if(left, inner));
                } else {
                    let again = self.builder().int(IntKind::Int, 1);
                    let first = self.idiom_return(again, small);
                    out.push(self.fixed_if(left, first));
                    out.push(self.fixed_if(right, yes));
                }
                out.push(no);
            }
            _ => {
                let value = self.filled(node, &mut small.filling);
                out.push(self.idiom_return(value, small));
            }
        }
    }

    /// `T l = b; if (condition) l = a; return l;`, or the same with `else`.
    fn assigned_select(
        &mut self,
        condition: ExprId,
        parts: &'static [Node; 3],
        small: &mut Small,
        out: &mut Vec<StmtId>,
    ) {
        let object = self.local(small.result);
        out.push(self.stmt(Stmt::Declare(object)));
        let [then, other] = [1, 2].map(|part| self.filled(&parts[part], &mut small.filling));
        let first = parts[2].moves() && self.choices.chance(ASSIGNED_FIRST);
        let otherwise = if first {
            let other = self.adapt(other, small.result);
            self.charge_expr(other);
            self.program[object].init = Some(other);
            None
        } else {
            let place = self.object_expr(object);
            let assign = self.assign(place, other);
            Some(self.expr_stmt(assign))
        };
        let place = self.object_expr(object);
        let assign = self.assign(place, then);
        let then = self.expr_stmt(assign);
        let test = self.stmt(Stmt::If { condition, then, otherwise });
        self.fixed.insert(test);
        out.push(test);
        let value = self.load(object);
        out.push(self.idiom_return(value, small));
    }

    /// The inputs of a function: for each call, one for each parameter.
    fn inputs_of(&mut self, function: FunctionId, constants: &[i128]) -> Vec<Vec<i128>> {
        let parameters = self.program[function].parameters.clone();
        let body = self.program[function].body.expect("it is defined");
        let types: Vec<IntegerType> = parameters
            .iter()
            .map(|parameter| integer_type(&self.program, self.program[*parameter].ty))
            .map(|ty| ty.expect("parameters are integers"))
            .collect();
        let mut inputs = Vec::new();
        for _ in 0..self.choices.range(INPUTS.0, INPUTS.1) {
            for _ in 0..TRIES {
                let row: Vec<i128> = types.iter().map(|ty| self.input(*ty, constants)).collect();
                let mut values: Values = parameters.iter().copied().zip(row.clone()).collect();
                if self.trial(body, &mut values).is_ok() {
                    inputs.push(row);
                    break;
                }
            }
        }
        if inputs.is_empty() {
            // Defined for nothing: guards decide.
            inputs.push(vec![0; types.len()]);
        }
        inputs
    }

    /// An input at a border of its type, or where a constant of the function matters.
    fn input(&mut self, ty: IntegerType, constants: &[i128]) -> i128 {
        let near = i128::from(self.choices.range(-1, 1));
        let value = if !constants.is_empty() && self.choices.chance(CONSTANT_INPUTS) {
            let [first, second] = [0, 1].map(|_| self.choices.pick(constants));
            self.choices.pick(&[first, first, -first, !first, first - second, first + second])
        } else {
            let power = 1 << self.choices.below(u64::from(ty.bits.min(64)));
            self.choices.pick(&[0, 0, 1, ty.max() as i128, ty.min(), power, -power, power / 3])
        };
        let value = ty.wrap(value.wrapping_add(near));
        value.clamp(-(1 << 63), (1 << 64) - 1)
    }

    /// Runs a statement of a small function with these values. What is not known counts as
    /// defined: the machine has the last word.
    fn trial(&mut self, stmt: StmtId, values: &mut Values) -> Result<End, ArithmeticFault> {
        match self.program[stmt].clone() {
            Stmt::Block(statements) => {
                for inner in statements {
                    if let End::Returned = self.trial(inner, values)? {
                        return Ok(End::Returned);
                    }
                }
            }
            Stmt::Declare(object) => {
                if let Some(init) = self.program[object].init {
                    self.trial_write(object, init, values)?;
                }
            }
            Stmt::Expr(expr) => {
                if let ExprKind::Assign(place, value) = self.program[expr].kind
                    && let ExprKind::Object(object) = self.program[place].kind
                {
                    self.trial_write(object, value, values)?;
                }
            }
            Stmt::If { condition, then, otherwise } => {
                match (self.trial_value(condition, values)?, otherwise) {
                    // Unknown: what follows is not tried.
                    (None, _) => return Ok(End::Returned),
                    (Some(0), None) => {}
                    (Some(0), Some(otherwise)) => return self.trial(otherwise, values),
                    (Some(_), _) => return self.trial(then, values),
                }
            }
            Stmt::Return(value) => {
                if let Some(value) = value {
                    self.trial_value(value, values)?;
                }
                return Ok(End::Returned);
            }
            _ => {}
        }
        Ok(End::Next)
    }

    fn trial_write(
        &mut self,
        object: ObjectId,
        value: ExprId,
        values: &mut Values,
    ) -> Result<(), ArithmeticFault> {
        let value = self.trial_value(value, values)?;
        values.retain(|(other, _)| *other != object);
        values.extend(value.map(|value| (object, value)));
        Ok(())
    }

    /// The value of an expression, if it is known.
    fn trial_value(
        &mut self,
        expr: ExprId,
        values: &Values,
    ) -> Result<Option<i128>, ArithmeticFault> {
        let program = &self.program;
        let known = |place: ExprId| match program[place].kind {
            ExprKind::Object(object) => {
                values.iter().find(|(other, _)| *other == object).map(|it| it.1)
            }
            _ => None,
        };
        match evaluate_where(program, &mut self.layouts, expr, &known) {
            Ok(value) => Ok(Some(value)),
            Err(NotConstant::Arithmetic(fault)) => Err(fault),
            Err(_) => Ok(None),
        }
    }
}

fn is_value(node: &Node, index: usize) -> bool {
    matches!(node, Node::Value(it) | Node::Overflow(_, _, it) if *it == index)
}

/// The parts that can be computed before the rest.
fn movable_parts(node: &'static Node, whole: bool, out: &mut Vec<&'static Node>) {
    if !whole && !node.is_leaf() && node.moves() {
        out.push(node);
    }
    node.for_each_child(|child| movable_parts(child, false, out));
}
