//! Functions that take and return vectors. They write nothing but their own locals, so that
//! calls of them may stand anywhere in an expression.

use farrier_lang::{Entity, ExprId, ExprKind, FunctionId, Item, Qualifiers, Stmt, TypeId};

use super::values::Vector;
use super::{Home, Path, Range, VectorType};
use crate::features::Feature;
use crate::generate::budget::Budget;
use crate::generate::draft::{Draft, Mode};
use crate::generate::scope::{DraftScope, Variable};
use crate::generate::values::{Site, Want};

/// How many vector functions a program has, how many calls are of a new one while it may have
/// more, in percent, and how deep drafting of them nests.
const MOST_FUNCTIONS: usize = 12;
const NEW_FUNCTIONS: u32 = 40;
const MOST_NESTING: u32 = 4;

/// The least operations for a call, and the operations and nodes of a new function.
const CALL_OPERATIONS: u64 = 600;
const FUNCTION_BUDGET: (u64, usize) = (1_500, 90);

/// The operations of a call itself.
const CALL_COST: u64 = 20;

/// How many parameters there are, and in percent those that are numbers or pointers.
const PARAMETERS: (i64, i64) = (1, 4);
const NUMBERS: u32 = 20;
const POINTERS: u32 = 20;

/// How many statements come before the result, and how deep values nest.
const STATEMENTS: (i64, i64) = (0, 3);
const RESULT_DEPTH: u32 = 2;
const ARGUMENT_DEPTH: u32 = 1;

/// What an argument must be.
#[derive(Clone, Copy, Debug)]
enum Parameter {
    Vector(VectorType, Range),
    /// The address of a vector.
    Pointer(VectorType),
    Number(TypeId),
}

/// A function of vectors.
#[derive(Clone, Debug)]
pub(in crate::generate) struct VectorFunction {
    function: FunctionId,
    parameters: Vec<Parameter>,
    result: VectorType,
    range: Range,
    cost: u64,
}

impl Draft<'_> {
    /// A call with a result of this type.
    pub(super) fn vector_call(&mut self, of: VectorType) -> Option<Vector> {
        let spare = self.spare();
        if spare < CALL_OPERATIONS {
            return None;
        }
        let functions = &self.stock.vector_functions;
        let known: Vec<usize> = (0..functions.len())
            .filter(|index| functions[*index].result == of && functions[*index].cost < spare / 2)
            .collect();
        let more = functions.len() < MOST_FUNCTIONS && self.nesting < MOST_NESTING;
        let index = match self.choices.pick_any(&known) {
            Some(index) if !more || !self.choices.chance(NEW_FUNCTIONS) => index,
            _ if more && self.has_room() => self.vector_function(of, spare / 2),
            other => other?,
        };
        let callee = self.stock.vector_functions[index].clone();
        if callee.cost > spare {
            return None;
        }
        let mut arguments = Vec::new();
        for parameter in callee.parameters {
            arguments.push(self.vector_argument(parameter)?);
        }
        self.charge(callee.cost);
        let designator = self.function_expr(callee.function);
        let expr = self.call_of(designator, arguments);
        Some(Self::vector_called(expr, callee.range))
    }

    fn vector_argument(&mut self, parameter: Parameter) -> Option<ExprId> {
        match parameter {
            Parameter::Vector(of, range) => Some(self.vector_within(of, range, ARGUMENT_DEPTH)),
            Parameter::Number(ty) => {
                let site = Site::new(Mode::Reading, ARGUMENT_DEPTH);
                Some(self.value(Want::Exactly(ty), site))
            }
            Parameter::Pointer(of) => {
                let home = self.vector_home(|home| home.readable() && home.of == of)?;
                let place = self.vector_place(home);
                let address = self.address(place);
                let ty = self.pointer_to_constant(of);
                Some(self.adapt(address, ty))
            }
        }
    }

    fn pointer_to_constant(&mut self, of: VectorType) -> TypeId {
        let target = match self.has(Feature::Const) {
            true => self.program.types.qualified(of.ty, Qualifiers::CONST),
            false => of.ty,
        };
        self.program.types.pointer_to(target)
    }

    /// Drafts a function with a result of this type; where it stands among those of the stock.
    fn vector_function(&mut self, of: VectorType, allowance: u64) -> usize {
        let mut parameters = Vec::new();
        for position in 0..self.choices.range(PARAMETERS.0, PARAMETERS.1) {
            let ty = if position == 0 { of } else { self.vector_type() };
            let pointers = self.has(Feature::Pointer) && self.has(Feature::PointerParameter);
            parameters.push(if position > 0 && self.choices.chance(NUMBERS) {
                Parameter::Number(self.int_type())
            } else if pointers && self.choices.chance(POINTERS) {
                Parameter::Pointer(ty)
            } else {
                Parameter::Vector(ty, self.home_range(ty))
            });
        }
        let types = parameters.iter().map(|parameter| match *parameter {
            Parameter::Vector(of, _) => of.ty,
            Parameter::Pointer(of) => self.pointer_to_constant(of),
            Parameter::Number(ty) => ty,
        });
        let types: Vec<TypeId> = types.collect();
        let linkage = self.linkage();
        let function = self.new_function(of.ty, types, linkage);
        self.decorate(function, true);
        let objects = self.program[function].parameters.clone();
        let mut scope = DraftScope::new(of.ty);
        scope.pure = true;
        scope.globals = self.window();
        for (object, parameter) in objects.into_iter().zip(&parameters) {
            let (of, range, path) = match *parameter {
                Parameter::Vector(of, range) => (of, range, Path::Whole),
                Parameter::Pointer(of) => (of, of.pointed(), Path::Target),
                Parameter::Number(_) => {
                    scope.visible.push(Variable::counter(object, scope.depth, None));
                    continue;
                }
            };
            let writable = path == Path::Whole;
            let (volatile, global, view) = (false, false, None);
            scope.vectors.push(Home { object, path, of, range, writable, volatile, global, view });
        }
        let range = self.home_range(of);
        let nodes = self.grown() + FUNCTION_BUDGET.1;
        let budget = Budget::new(FUNCTION_BUDGET.0.min(allowance), nodes);
        let (body, spent) = self.within(scope, budget, |draft| {
            let mut statements = Vec::new();
            for _ in 0..draft.choices.range(STATEMENTS.0, STATEMENTS.1) {
                statements.extend(draft.vector_statement(1));
            }
            draft.begin_expression();
            let value = draft.vector_within(of, range, RESULT_DEPTH);
            draft.charge_expr(value);
            statements.push(draft.stmt(Stmt::Return(Some(value))));
            draft.block_of(statements)
        });
        self.program[function].body = Some(body);
        self.program.items.push(Item::Define(Entity::Function(function)));
        let cost = spent.cost + CALL_COST;
        let made = VectorFunction { function, parameters, result: of, range, cost };
        self.stock.vector_functions.push(made);
        self.stock.vector_functions.len() - 1
    }

    /// Counts what the calls in an expression cost that is there twice.
    pub(super) fn charge_vector_calls(&mut self, expr: ExprId) {
        let mut calls = Vec::new();
        self.functions_in(expr, &mut calls);
        for function in calls {
            let mut found = self.stock.vector_functions.iter();
            let cost = found.find(|row| row.function == function).map_or(0, |row| row.cost);
            self.charge(cost);
        }
    }

    fn functions_in(&self, expr: ExprId, out: &mut Vec<FunctionId>) {
        if let ExprKind::Function(function) = self.program[expr].kind {
            out.push(function);
        }
        self.program[expr].kind.for_each_operand(|operand| self.functions_in(operand, out));
    }
}

impl VectorType {
    /// What lanes of an object can be that only its address is known of.
    fn pointed(self) -> Range {
        if self.is_floating() { self.small() } else { self.whole() }
    }
}
