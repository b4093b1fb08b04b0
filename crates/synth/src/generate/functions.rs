//! Functions, which are drafted when a call of them is, and calls.

use farrier_lang::{
    ArrayLength, BinaryOp, Entity, ExprId, ExprKind, Function, FunctionId, FunctionSpecifiers,
    FunctionType, InitItem, InitPlace, IntKind, Item, Linkage, Stmt, StmtId, Storage, Type, TypeId,
    Types,
};

use farrier_machine::Tier;

use super::budget::Budget;
use super::draft::{Callee, Draft, Indirect, Mode, Name, Role};
use super::production::{Production, Rate, anywhere, draw, form};
use super::scope::{DraftScope, Recursion, Variable};
use super::values::{Class, Site, Want};
use crate::features::Feature;
use crate::parameters::Parameter;
use crate::relax::Relaxation;

/// How deep the drafting of functions nests: a call in a function that is drafted for
/// a call in a function and so on.
const MOST_NESTING: u32 = 6;

/// The most operations and nodes of a helper: too little for another helper, so that
/// helpers do not nest for ever.
const HELPER_BUDGET: (u64, usize) = (100, 60);

/// The most operations and nodes of a function that stands beside another in a table.
const VARIANT_BUDGET: (u64, usize) = (200, 60);

/// The operations of a call itself.
const CALL_COST: u64 = 10;

/// How deep a function that calls itself goes.
const MOST_RECURSION: u64 = 6;

/// How many statements a function begins with that declare variables.
const DECLARATIONS: (i64, i64) = (1, 4);

/// The most statements in the body of a function, and the operations that must be left for
/// more of them.
const MOST_STATEMENTS: usize = 200;
const STATEMENT_OPERATIONS: u64 = 30;

/// How deep arguments nest, and in how many calls one of them is free, in percent.
const ARGUMENT_DEPTH: u32 = 2;
const FREE_ARGUMENTS: u32 = 30;

/// In percent: how many calls are of a new function, in tests and in what these call; how
/// many of a new pointer or table; how many of a new helper.
const NEW_CALLEES: (u32, u32) = (40, 15);
const NEW_INDIRECTS: u32 = 25;
const NEW_HELPERS: u32 = 15;

/// The operations that must be left for a new function, and by how much they are divided.
const FUNCTION_OPERATIONS: u64 = 400;
const ALLOWANCE_PARTS: (i64, i64) = (3, 8);

/// How much smaller a function is that is drafted for a call, and the least nodes of one.
const CALLEE_PART: usize = 3;
const FEWEST_NODES: usize = 40;

/// Of how many functions, pointers and helpers drafted last one is called, so that the
/// search takes the same time in a large program.
const LAST_CALLEES: usize = 32;
const LAST_INDIRECTS: usize = 8;
const LAST_HELPERS: usize = 48;

/// The most functions that are added to a table.
const MOST_VARIANTS: i64 = 3;

/// How many helpers begin with a test, in percent.
const TESTS: u32 = 70;

/// Attributes of functions.
const ATTRIBUTES: [&str; 9] = [
    "noinline",
    "noinline",
    "noclone",
    "noipa",
    "noipa",
    "hot",
    "cold",
    "flatten",
    "always_inline",
];

/// How many functions of loop nests stay as they were drafted, in percent: what is added to the
/// others keeps loop passes away.
const PLAIN_NESTS: u32 = 75;

/// The types of results, mostly numbers.
static RESULTS: &[Production<(), TypeId>] = &[
    form(Rate::Always(70), anywhere, |draft, ()| Some(draft.number_type())),
    form(Rate::Always(8), anywhere, |_, ()| Some(Types::VOID)),
    form(Rate::Of(Feature::RecordResult), anywhere, |draft, ()| {
        draft.assignable_record().map(|info| info.ty)
    }),
    form(Rate::Part(Feature::Pointer, 33), anywhere, |draft, ()| Some(draft.pointer_type())),
];

/// The types of parameters.
static PARAMETERS: &[Production<(), TypeId>] = &[
    form(Rate::Always(60), anywhere, |draft, ()| Some(draft.number_type())),
    form(Rate::Of(Feature::RecordParameter), anywhere, |draft, ()| {
        draft.assignable_record().map(|info| info.ty)
    }),
    form(Rate::Of(Feature::PointerParameter), has_pointers, |draft, ()| Some(draft.pointer_type())),
];

/// Calls with a result of a class, in a mode.
static CALLS: &[Production<(Class, Mode), ExprId>] = &[
    form(Rate::Of(Feature::Call), anywhere, |draft, (class, mode)| {
        let callee = draft.callee(Some(class))?;
        Some(draft.call(callee, mode))
    }),
    form(Rate::Of(Feature::FunctionPointer), anywhere, |draft, (class, mode)| {
        draft.indirect_call(class, mode, false)
    }),
    form(Rate::Of(Feature::FunctionTable), has_arrays, |draft, (class, mode)| {
        draft.indirect_call(class, mode, true)
    }),
];

/// The operators of helpers; a shift to the right is the most common one.
static HELPERS: &[Production<(), BinaryOp>] = &[
    form(Rate::Of(Feature::Shift), anywhere, |_, ()| Some(BinaryOp::Shl)),
    form(Rate::Part(Feature::Shift, 200), anywhere, |_, ()| Some(BinaryOp::Shr)),
    form(Rate::Of(Feature::Multiplication), anywhere, |_, ()| Some(BinaryOp::Mul)),
    form(Rate::Part(Feature::Bitwise, 60), anywhere, |_, ()| Some(BinaryOp::BitXor)),
];

fn has_pointers(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Pointer)
}

fn has_arrays(draft: &Draft<'_>, _: (Class, Mode)) -> bool {
    draft.has(Feature::Array)
}

impl Draft<'_> {
    pub(super) fn new_function(
        &mut self,
        result: TypeId,
        types: Vec<TypeId>,
        linkage: Linkage,
    ) -> FunctionId {
        let ty = self.program.types.function(FunctionType {
            result,
            parameters: types.iter().map(|ty| ty.unqualified()).collect(),
            variadic: false,
            prototyped: true,
        });
        let parameters = types
            .into_iter()
            .map(|ty| self.object(Name::Parameter, ty, Linkage::None, Storage::Automatic))
            .collect();
        let name = self.name(Name::Function);
        self.program.functions.push(Function {
            name,
            ty,
            linkage,
            specifiers: FunctionSpecifiers::default(),
            parameters,
            body: None,
            old_style: false,
            asm_name: None,
            attributes: [].into(),
        })
    }

    /// `inline` and attributes.
    pub(super) fn decorate(&mut self, function: FunctionId, always: bool) {
        let internal = self.program[function].linkage == Linkage::Internal;
        if internal && self.wants(Feature::Inline) {
            self.program[function].specifiers.inline = true;
        }
        if self.wants(Feature::Attribute) {
            let name = match self.choices.pick(&ATTRIBUTES) {
                // Only what is inline and does not call itself can always be.
                "always_inline" if !always || !self.program[function].specifiers.inline => {
                    "noinline"
                }
                other => other,
            };
            // A clone of a function that is inlined is none.
            let names = if name == "noclone" { &["noinline", "noclone"][..] } else { &[name] };
            let attributes = names.iter().map(|name| self.attribute(name)).collect();
            self.program[function].attributes = attributes;
        }
    }

    /// The type of the parameter that says how deep a function calls itself, if it does.
    fn recursion_type(&mut self) -> Option<TypeId> {
        let features = [Feature::If, Feature::Return, Feature::Comparison, Feature::Arithmetic];
        if !features.into_iter().all(|feature| self.has(feature)) || !self.wants(Feature::Recursion)
        {
            return None;
        }
        self.fuel_kind(i128::from(MOST_RECURSION)).map(Types::int)
    }

    /// Drafts a function, and everything that it calls.
    pub(super) fn function(&mut self, role: Role, allowance: u64, size: usize) -> usize {
        let counter = if role == Role::Ordinary { self.recursion_type() } else { None };
        let recursive = counter.is_some();
        let role = if recursive { Role::Recursive } else { role };
        let result = draw(self, RESULTS, ()).unwrap_or(Types::VOID);
        let mut types: Vec<TypeId> = counter.into_iter().collect();
        for _ in 0..self.choices.below(u64::from(self.parameter(Parameter::ParameterCount)) + 1) {
            types.push(draw(self, PARAMETERS, ()).unwrap_or_else(|| self.number_type()));
        }
        let linkage = self.linkage();
        let function = self.new_function(result, types, linkage);
        self.decorate(function, !recursive);
        let allowance = if recursive { allowance / (MOST_RECURSION + 1) } else { allowance };
        let globals = self.window();
        let context = self.draw_context();
        let mut scope = self.scope_of(function, |draft, position, ty| {
            let counter = recursive && position == 0;
            let simple = draft.program.is_scalar(ty);
            let private = simple && draft.chance(Parameter::PrivateShare);
            let passed = private && !counter && draft.relaxes(Relaxation::Parameter);
            (counter || private && !passed, !counter)
        });
        scope.globals = globals;
        if recursive {
            let counter = scope.visible[0].object;
            scope.recursion = Some(Recursion { function, counter });
        }
        let mut plain = false;
        let index = self.define_function(function, role, scope, (allowance, size), |draft| {
            draft.expression.context = context;
            if role == Role::Test && draft.wants(Feature::Straight) {
                return draft.straight_body();
            }
            if !recursive && draft.can_nest() && draft.wants(Feature::Nest) {
                plain = draft.choices.chance(PLAIN_NESTS);
                return draft.nest_body();
            }
            let graph = !recursive && draft.can_jump() && draft.wants(Feature::Graph);
            if graph { draft.graph_body() } else { draft.structured_body(recursive) }
        });
        self.stock.plain.extend(plain.then_some(function));
        index
    }

    /// A scope with the parameters of a function: of each whether it is private, and
    /// whether it may be assigned.
    pub(super) fn scope_of(
        &mut self,
        function: FunctionId,
        mut kind: impl FnMut(&mut Self, usize, TypeId) -> (bool, bool),
    ) -> DraftScope {
        let ty = self.program[function].ty;
        let mut scope = DraftScope::new(self.function_type(ty).result);
        for (position, object) in self.program[function].parameters.clone().into_iter().enumerate()
        {
            let ty = self.program[object].ty;
            let (private, writable) = kind(self, position, ty);
            let depth = scope.depth;
            scope.visible.push(Variable { object, depth, private, writable, below: None });
        }
        scope
    }

    pub(super) fn function_type(&self, ty: TypeId) -> FunctionType {
        match self.program.types.get(ty) {
            Type::Function(ty) => FunctionType::clone(ty),
            _ => unreachable!("functions have function types"),
        }
    }

    /// Drafts the body of a function, within so many operations and nodes, and adds it to
    /// those that can be called.
    pub(super) fn define_function(
        &mut self,
        function: FunctionId,
        role: Role,
        scope: DraftScope,
        (allowance, nodes): (u64, usize),
        body: impl FnOnce(&mut Self) -> StmtId,
    ) -> usize {
        let budget = Budget::new(allowance, self.grown() + nodes);
        let (body, spent) = self.within(scope, budget, body);
        self.program[function].body = Some(body);
        self.program.items.push(Item::Define(Entity::Function(function)));
        let times = if role == Role::Recursive { MOST_RECURSION + 1 } else { 1 };
        let type_id = self.program[function].ty;
        let ty = self.function_type(type_id);
        let cost = (spent.cost + CALL_COST) * times;
        self.stock.callees.push(Callee { function, ty, type_id, cost, role });
        self.stock.callees.len() - 1
    }

    /// Blocks in blocks.
    fn structured_body(&mut self, recursive: bool) -> StmtId {
        let mut statements = Vec::new();
        let nesting = self.up_to(1, Parameter::BlockDepth);
        if recursive {
            // The way out comes first.
            let counter = self.scope.recursion.expect("it is recursive").counter;
            let left = self.load(counter);
            let zero = self.builder().int(IntKind::Int, 0);
            let condition = self.binary(BinaryOp::LessEqual, left, zero);
            self.charge_expr(condition);
            let result = self.return_statement();
            statements.push(self.fixed_if(condition, result));
        }
        statements.extend(self.fill(nesting));
        if self.scope.recursion.is_some() {
            let call = self.self_call();
            statements.push(call);
        }
        self.land_all(&mut statements);
        statements.push(self.return_statement());
        self.block_of(statements)
    }

    /// Statements until the room or the operations are used up, first some declarations.
    pub(super) fn fill(&mut self, nesting: u32) -> Vec<StmtId> {
        let mut statements: Vec<StmtId> = (0..self.choices.range(DECLARATIONS.0, DECLARATIONS.1))
            .map(|_| self.declaration())
            .collect();
        while self.has_room()
            && self.spare() > STATEMENT_OPERATIONS
            && statements.len() <= MOST_STATEMENTS
        {
            statements.extend(self.few_statements(nesting));
        }
        statements
    }

    /// The call by which a function calls itself.
    pub(super) fn self_call(&mut self) -> StmtId {
        let Recursion { function, counter } =
            self.scope.recursion.take().expect("the function is recursive");
        self.begin_expression();
        let left = self.load(counter);
        let one = self.builder().int(IntKind::Int, 1);
        // The counter is between one and its first value here.
        let depth = self.binary(BinaryOp::Sub, left, one);
        let ty = self.program[function].ty;
        let function_type = self.function_type(ty);
        let mut arguments = vec![depth];
        for parameter in &function_type.parameters[1..] {
            arguments.push(self.argument(*parameter, Mode::Reading));
        }
        let designator = self.builder().node(ExprKind::Function(function), ty);
        let call = self.call_of(designator, arguments);
        if let Some(class) = self.class_of(function_type.result)
            && let Some(place) = self.private_place(class)
        {
            let expr = self.assign(place, call);
            return self.expr_stmt(expr);
        }
        self.expr_stmt(call)
    }

    /// A private number that may be assigned.
    fn private_place(&mut self, class: Class) -> Option<ExprId> {
        let target = self.variable(|draft, variable, ty| {
            variable.private && variable.writable && draft.class_of(ty) == Some(class)
        })?;
        Some(self.object_expr(target.object))
    }

    /// An argument for a parameter of this type.
    pub(super) fn argument(&mut self, ty: TypeId, mode: Mode) -> ExprId {
        // The callee ends before anything of ours does.
        self.value(Want::Exactly(ty), Site { reach: u32::MAX, ..Site::new(mode, ARGUMENT_DEPTH) })
    }

    /// The arguments of a call.
    fn arguments(&mut self, ty: &FunctionType, mode: Mode) -> Vec<ExprId> {
        let count = ty.parameters.len();
        // Arguments are not sequenced: one is free and the others quiet, or all read.
        let free = (mode == Mode::Free && count > 0 && self.choices.chance(FREE_ARGUMENTS))
            .then(|| self.choices.index(count));
        let beside = if free.is_some() && self.relaxes(Relaxation::Order) {
            Mode::Free
        } else {
            Mode::Quiet
        };
        ty.parameters
            .iter()
            .enumerate()
            .map(|(position, parameter)| {
                let mode = match free {
                    Some(free) if free == position => Mode::Free,
                    Some(_) => beside,
                    None => Mode::Reading,
                };
                self.argument(*parameter, mode)
            })
            .collect()
    }

    /// A function to call here, with a result of this class: one that exists, or a new one.
    fn callee(&mut self, class: Option<Class>) -> Option<usize> {
        let wanted = |draft: &Self, callee: usize| {
            class.is_none() || draft.class_of(draft.stock.callees[callee].ty.result) == class
        };
        let spare = self.spare();
        let new = self.nesting < MOST_NESTING
            && self.has_room()
            && spare > FUNCTION_OPERATIONS
            && self.choices.chance(if self.nesting == 1 { NEW_CALLEES.0 } else { NEW_CALLEES.1 });
        if new {
            let allowance = spare / self.choices.range(ALLOWANCE_PARTS.0, ALLOWANCE_PARTS.1) as u64;
            let rest = self.budget.size_limit - self.grown();
            let typical = self.parameter(Parameter::FunctionBytes) as usize / CALLEE_PART;
            let size = (rest / 2).min(typical).max(FEWEST_NODES);
            let index = self.function(Role::Ordinary, allowance, size);
            if wanted(self, index) && self.stock.callees[index].cost <= spare {
                return Some(index);
            }
        }
        let first = self.stock.callees.len().saturating_sub(LAST_CALLEES);
        let affordable: Vec<usize> = (first..self.stock.callees.len())
            .filter(|index| {
                let callee = &self.stock.callees[*index];
                matches!(callee.role, Role::Ordinary | Role::Recursive)
                    && callee.cost <= spare
                    && wanted(self, *index)
            })
            .collect();
        self.choices.pick_any(&affordable)
    }

    /// The arguments of a call of `callee`; the first of a function that calls itself
    /// says how deep.
    fn call(&mut self, callee: usize, mode: Mode) -> ExprId {
        let target = self.stock.callees[callee].clone();
        let expr = self.builder().node(ExprKind::Function(target.function), target.type_id);
        self.call_through(expr, &target, mode)
    }

    fn call_through(&mut self, designator: ExprId, target: &Callee, mode: Mode) -> ExprId {
        let mut arguments = self.arguments(&target.ty, mode);
        if target.role == Role::Recursive {
            let depth = self.choices.below(MOST_RECURSION);
            arguments[0] = self.builder().int(IntKind::Int, depth);
        }
        self.charge(target.cost);
        self.call_of(designator, arguments)
    }

    /// A call whose result is a record of this type.
    pub(super) fn record_call(&mut self, ty: TypeId) -> Option<ExprId> {
        if !self.has(Feature::Call) {
            return None;
        }
        let (spare, first) = (self.spare(), self.stock.callees.len().saturating_sub(LAST_CALLEES));
        let found: Vec<usize> = (first..self.stock.callees.len())
            .filter(|index| {
                let Callee { role, cost, ty: function, .. } = &self.stock.callees[*index];
                *role == Role::Ordinary && *cost <= spare && function.result == ty
            })
            .collect();
        let callee = self.choices.pick_any(&found)?;
        Some(self.call(callee, Mode::Free))
    }

    /// A call whose result is a number.
    pub(super) fn call_value(&mut self, class: Class, mode: Mode) -> Option<ExprId> {
        draw(self, CALLS, (class, mode))
    }

    /// A call as a statement.
    pub(super) fn call_statement(&mut self) -> Option<StmtId> {
        let callee = self.callee(None)?;
        let call = self.call(callee, Mode::Free);
        let ty = self.program.type_of(call);
        // The member of a record that is returned.
        if let Type::Record(id) = *self.program.resolve(ty) {
            let number =
                self.members(id).find_map(|(index, field)| Some((index, self.class_of(field.ty)?)));
            if let Some((index, class)) = number
                && let Some(place) = self.private_place(class)
            {
                let member = self.builder().member(call, index);
                let expr = self.assign(place, member);
                return Some(self.expr_stmt(expr));
            }
        }
        Some(self.expr_stmt(call))
    }

    /// A call through a pointer or a table.
    fn indirect_call(&mut self, class: Class, mode: Mode, table: bool) -> Option<ExprId> {
        let spare = self.spare();
        let start = self.stock.indirects.len().saturating_sub(LAST_INDIRECTS);
        let usable: Vec<usize> = (start..self.stock.indirects.len())
            .filter(|index| {
                let Indirect { targets, table: is_table, .. } = &self.stock.indirects[*index];
                *is_table == table
                    && self.class_of(self.stock.callees[targets[0]].ty.result) == Some(class)
                    && targets.iter().all(|target| self.stock.callees[*target].cost <= spare)
            })
            .collect();
        let index = if usable.is_empty() || self.choices.chance(NEW_INDIRECTS) {
            self.new_indirect(class, table)?
        } else {
            self.choices.pick(&usable)
        };
        let indirect = self.stock.indirects[index].clone();
        let costly =
            indirect.targets.iter().copied().max_by_key(|target| self.stock.callees[*target].cost);
        let target = self.stock.callees[costly?].clone();
        if target.cost > spare {
            return None;
        }
        let place = self.object_expr(indirect.object);
        let designator = if table {
            // The choice of the function is not sequenced with the arguments.
            let index = self.index_below(indirect.targets.len() as u64, Mode::Quiet);
            self.element(place, index)
        } else {
            place
        };
        let designator = self.builder().value(designator);
        // The pointer never changes, so reading it beside a free argument is quiet.
        Some(self.call_through(designator, &target, mode))
    }

    /// Whether a function gets or returns floating numbers.
    fn takes_floats(&self, callee: usize) -> bool {
        let FunctionType { result, parameters, .. } = &self.stock.callees[callee].ty;
        let mut numbers = parameters.iter().chain([result]);
        numbers.any(|ty| self.class_of(*ty) == Some(Class::Floating))
    }

    /// A new pointer to a function, or table of functions, with a number as result.
    fn new_indirect(&mut self, class: Class, table: bool) -> Option<usize> {
        let first = self.callee(Some(class))?;
        if self.stock.callees[first].role == Role::Recursive {
            return None;
        }
        // The proof of tier free has to know which function gets and returns which numbers.
        if self.tier == Some(Tier::Free) && self.takes_floats(first) {
            return None;
        }
        let ty = self.stock.callees[first].type_id;
        let mut targets = vec![first];
        if table {
            // Wrappers of one type: small functions that differ in what they do.
            let start = self.stock.callees.len().saturating_sub(LAST_CALLEES);
            targets.extend((start..self.stock.callees.len()).filter(|index| {
                let callee = &self.stock.callees[*index];
                *index != first
                    && callee.type_id == ty
                    && matches!(callee.role, Role::Ordinary | Role::Helper)
            }));
            for _ in 0..self.choices.range(1, MOST_VARIANTS) {
                targets.push(self.variant(first));
            }
        }
        let pointer = self.program.types.pointer_to(ty);
        let linkage = self.linkage();
        let object_type = if table {
            let length = ArrayLength::Fixed(targets.len() as u64);
            self.program.types.array_of(pointer, length)
        } else {
            pointer
        };
        let object = self.object(Name::Global, object_type, linkage, Storage::Static);
        let mut values = Vec::new();
        for target in &targets {
            let function = self.stock.callees[*target].function;
            let designator = self.builder().node(ExprKind::Function(function), ty);
            values.push(self.builder().value(designator));
        }
        let init = if table {
            let items = (0..)
                .zip(values)
                .map(|(index, value)| InitItem {
                    place: InitPlace::Elements { first: index, last: index },
                    value,
                })
                .collect();
            self.builder().node(ExprKind::InitList(items), object_type)
        } else {
            values[0]
        };
        self.program[object].init = Some(init);
        self.program.items.push(Item::Define(Entity::Object(object)));
        self.stock.indirects.push(Indirect { object, targets, table });
        Some(self.stock.indirects.len() - 1)
    }

    /// A small function of the same type as another.
    fn variant(&mut self, of: usize) -> usize {
        let ty = self.stock.callees[of].ty.clone();
        let linkage = self.linkage();
        let function = self.new_function(ty.result, ty.parameters.to_vec(), linkage);
        let globals = self.window();
        let mut scope = self.scope_of(function, |_, _, _| (true, true));
        scope.globals = globals;
        self.define_function(function, Role::Ordinary, scope, VARIANT_BUDGET, |draft| {
            let first = draft.simple_statement();
            let last = draft.return_statement();
            draft.block_of(vec![first, last])
        })
    }

    /// A call of a small function that depends on its arguments alone.
    pub(super) fn helper_call(&mut self, depth: u32, mode: Mode) -> Option<ExprId> {
        if self.spare() <= HELPER_BUDGET.0 {
            return None;
        }
        let start = self.stock.callees.len().saturating_sub(LAST_HELPERS);
        let helpers: Vec<usize> = (start..self.stock.callees.len())
            .filter(|index| self.stock.callees[*index].role == Role::Helper)
            .collect();
        let index = if helpers.is_empty() || self.choices.chance(NEW_HELPERS) && self.has_room() {
            self.helper()?
        } else {
            self.choices.pick(&helpers)
        };
        let target = self.stock.callees[index].clone();
        if target.cost > self.spare() {
            return None;
        }
        let modes = self.split(mode);
        let mut arguments = Vec::new();
        for (position, parameter) in target.ty.parameters.iter().enumerate() {
            let mode = if position == 0 { modes.0 } else { modes.1 };
            arguments.push(self.value(Want::Exactly(*parameter), Site::new(mode, depth.min(2))));
        }
        self.charge(target.cost);
        let designator = self.builder().node(ExprKind::Function(target.function), target.type_id);
        Some(self.call_of(designator, arguments))
    }

    /// A function with a range test and a shift, as libraries are full of.
    fn helper(&mut self) -> Option<usize> {
        let op = draw(self, HELPERS, ())?;
        let result = self.int_type();
        let types = vec![self.int_type(), self.int_type()];
        let linkage = if self.config.split == 0 { Linkage::Internal } else { Linkage::External };
        let function = self.new_function(result, types, linkage);
        let scope = self.scope_of(function, |_, _, _| (true, false));
        let parameters = self.program[function].parameters.clone();
        let helper = self.define_function(function, Role::Helper, scope, HELPER_BUDGET, |draft| {
            let mut statements = Vec::new();
            let features = [Feature::If, Feature::Return, Feature::Comparison];
            if features.into_iter().all(|feature| draft.has(feature)) && draft.choices.chance(TESTS)
            {
                let left = draft.load(parameters[0]);
                let limit = draft.constant(Class::Integer);
                let op = draft.choices.pick(&[BinaryOp::Less, BinaryOp::Greater, BinaryOp::Equal]);
                let condition = draft.operate(op, left, limit);
                draft.charge_expr(condition);
                let value = draft.value(Want::Exactly(result), Site::new(Mode::Quiet, 1));
                draft.charge_expr(value);
                let early = draft.stmt(Stmt::Return(Some(value)));
                statements.push(draft.if_of(condition, early));
            }
            let left = draft.load(parameters[0]);
            let right = draft.load(parameters[1]);
            let value = draft.operate(op, left, right);
            let value = draft.adapt(value, result);
            draft.charge_expr(value);
            statements.push(draft.stmt(Stmt::Return(Some(value))));
            draft.block_of(statements)
        });
        if linkage == Linkage::Internal && self.wants(Feature::Inline) {
            self.program[function].specifiers.inline = true;
        }
        Some(helper)
    }
}
