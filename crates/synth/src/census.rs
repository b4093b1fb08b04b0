//! What is in a program: how often each feature occurs, and how often in code that runs.
//!
//! The count looks at the program alone, not at how it was drafted, so it is a proof
//! that a feature is there and not merely that it was meant to be.

mod edges;
mod expressions;
mod hostile;
mod nests;

use farrier_lang::hint::{HintForm, HintKind};
use farrier_lang::print::GuardStyle;
use farrier_lang::{
    ArrayLength, BinaryOp, Entity, ExprId, ExprKind, FunctionId, InitPlace, IntKind, Item, LabelId,
    Linkage, ObjectId, Program, Stmt, StmtId, Storage, Type, UnaryOp, integer_type,
};
use farrier_machine::{Profile, Values};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

use crate::bank::is_bank_name;
use crate::features::Feature;
use crate::generate::{PROBE, is_driver, is_knot, kind_feature, names_a_result, names_a_wrap};
use crate::hostile::UNSET;

pub use edges::Edges;
use expressions::EXPRESSIONS;
pub use nests::Arithmetic;

/// The arrays of loop nests are at least so long.
const NEST_LENGTH: u64 = 30;

/// How often something occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// In the text.
    pub total: u64,
    /// In code that runs.
    pub executed: u64,
}

/// The counts of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Census {
    features: Vec<Count>,
    /// Statements.
    pub statements: Count,
    /// Expressions.
    pub expressions: Count,
    /// Expressions that run and always have the same value, constants apart.
    pub constant: u64,
    /// Operations in code that does not run and that would be undefined for values that
    /// such code could have: divisions, shifts, signed arithmetic, indices.
    pub wild: u64,
    /// Signed sums and products that run and come within two of a limit of their type.
    pub borders: u64,
    /// The operators of each assignment, initialiser and result that has some, the driver apart.
    pub operators: Vec<u64>,
    /// Functions.
    pub functions: Count,
    /// Calls of functions of the bank in the conditions and steps of loops.
    pub header_calls: Count,
    /// The arithmetic of loop nests.
    pub nests: Arithmetic,
    /// What only relaxed drafting makes, the driver apart.
    pub edges: Edges,
    /// Blocks that run.
    pub blocks: u64,
    /// Blocks that run and hold hostile code, outside of the blocks in them that run too. What
    /// wraps are made of is not counted, and neither is a block with a single statement.
    pub hostile_blocks: u64,
}

impl Census {
    /// How often a feature occurs.
    pub fn feature(&self, feature: Feature) -> Count {
        self.features[feature as usize]
    }
}

/// How often a border function multiplies with one constant at least, and how many variables.
const SHARED: (u32, usize) = (5, 3);

/// How near to a limit of its type a result is at a border.
const NEAR: i128 = 2;

/// Counts what is in a program that ran with this profile and is printed in this style.
pub fn census(program: &Program, profile: &Profile, style: GuardStyle) -> Census {
    let mut counter = Counter {
        program,
        profile,
        style,
        census: Census {
            features: vec![Count::default(); Feature::COUNT],
            statements: Count::default(),
            expressions: Count::default(),
            constant: 0,
            wild: 0,
            borders: 0,
            operators: Vec::new(),
            functions: Count::default(),
            header_calls: Count::default(),
            nests: Arithmetic::default(),
            edges: Edges::default(),
            blocks: 0,
            hostile_blocks: 0,
        },
        function: None,
        bodies: Vec::new(),
        labels: FxHashSet::default(),
        counters: FxHashSet::default(),
        seen: FxHashMap::default(),
        driver: false,
        main: false,
        bank: functions_of_the_bank(program),
        top: FxHashSet::default(),
        graph: false,
        factors: FxHashMap::default(),
        conditional: false,
        in_switch: false,
        beside: false,
        hostile: false,
        guarded: None,
    };
    for item in &program.items {
        match *item {
            Item::Define(Entity::Object(object)) => counter.object(object, true),
            Item::Define(Entity::Function(function)) => counter.function(function),
            _ => {}
        }
    }
    counter.census.edges = edges::edges(program, profile, &counter.bodies);
    counter.census
}

fn functions_of_the_bank(program: &Program) -> FxHashSet<FunctionId> {
    let functions = program.items.iter().filter_map(|item| match *item {
        Item::Define(Entity::Function(id)) => Some(id),
        _ => None,
    });
    functions.filter(|id| is_bank_name(program.text(program[*id].name))).collect()
}

struct Counter<'a> {
    program: &'a Program,
    profile: &'a Profile,
    style: GuardStyle,
    census: Census,
    function: Option<FunctionId>,
    /// The bodies of the functions that were drawn.
    bodies: Vec<StmtId>,
    /// The labels that have been passed.
    labels: FxHashSet<LabelId>,
    /// The counters of the loops around.
    counters: FxHashSet<ObjectId>,
    /// The expressions of the function, by their shape.
    seen: FxHashMap<u64, u32>,
    /// Whether this is `main` or a function that only its checks call.
    driver: bool,
    main: bool,
    /// The functions of the bank, which are not drawn either.
    bank: FxHashSet<FunctionId>,
    /// The labels that stand side by side in the function.
    top: FxHashSet<LabelId>,
    /// Whether a jump leads forwards to one of them.
    graph: bool,
    /// The constants that the function multiplies with: how often, and which variables.
    factors: FxHashMap<u64, (u32, FxHashSet<ObjectId>)>,
    /// Whether the statement is the branch of an `if`.
    conditional: bool,
    in_switch: bool,
    /// Whether the condition, the switch or the loop around the statement runs.
    beside: bool,
    /// Whether there was hostile code in the block so far.
    hostile: bool,
    /// What a guard is about: it is not undefined.
    guarded: Option<ExprId>,
}

impl Counter<'_> {
    /// Counts a feature, unless it is the business of the driver, which is not drawn.
    fn add(&mut self, feature: Feature, executed: bool) {
        if !self.driver {
            self.count(feature, executed);
        }
    }

    fn count(&mut self, feature: Feature, executed: bool) {
        let count = &mut self.census.features[feature as usize];
        count.total += 1;
        count.executed += u64::from(executed);
    }

    fn function(&mut self, id: FunctionId) {
        let Some(body) = self.program[id].body else { return };
        self.function = Some(id);
        self.labels.clear();
        self.seen.clear();
        let runs = self.profile.stmt(body) > 0;
        self.census.functions.total += 1;
        self.census.functions.executed += u64::from(runs);
        let function = &self.program[id];
        self.main = self.program.is_main(id);
        self.driver =
            self.main || is_driver(self.program.text(function.name)) || self.bank.contains(&id);
        if self.main && !function.parameters.is_empty() {
            self.count(Feature::HiddenArgument, runs);
        }
        if function.specifiers.inline {
            self.add(Feature::Inline, runs);
        }
        if !function.attributes.is_empty() {
            self.add(Feature::Attribute, runs);
        }
        if is_knot(self.program.text(function.name)) {
            self.add(Feature::Knot, runs);
        }
        if self.is_helper(id) {
            self.add(Feature::Helper, runs);
        }
        if !self.driver {
            let found = nests::arithmetic(self.program, self.profile, body);
            self.census.nests.total += found.total;
            self.census.nests.plain += found.plain;
            self.bodies.push(body);
        }
        self.top = self.labels_of(body);
        self.graph = false;
        self.factors.clear();
        self.stmt(body);
        if self.graph {
            self.add(Feature::Graph, runs);
            if self.factors.values().any(|(times, of)| *times >= SHARED.0 && of.len() >= SHARED.1) {
                self.add(Feature::Border, runs);
            }
        }
    }

    /// The labels of the statements of a block. In structured code no jump leads forwards
    /// to one that stands in the body of a function itself.
    fn labels_of(&self, body: StmtId) -> FxHashSet<LabelId> {
        let Stmt::Block(statements) = &self.program[body] else { return FxHashSet::default() };
        let label = |id: &StmtId| match self.program[*id] {
            Stmt::Label(label, _) => Some(label),
            _ => None,
        };
        statements.iter().filter_map(label).collect()
    }

    /// A function of two integers that does nothing but return, perhaps after a test.
    fn is_helper(&self, id: FunctionId) -> bool {
        let function = &self.program[id];
        let integers = function.parameters.len() == 2
            && function
                .parameters
                .iter()
                .all(|object| self.program.is_integer(self.program[*object].ty));
        let Some(Stmt::Block(statements)) = function.body.map(|body| &self.program[body]) else {
            return false;
        };
        let returns = |id: StmtId| matches!(self.program[id], Stmt::Return(_));
        integers
            && statements.iter().all(|id| match self.program[*id] {
                Stmt::If { then, otherwise: None, .. } => returns(then),
                _ => returns(*id),
            })
    }

    /// Whether this is an array that loop passes do not take for tiny.
    fn is_long_array(&self, base: ExprId) -> bool {
        let ExprKind::Decay(array) = self.program[base].kind else { return false };
        matches!(
            *self.program.resolve(self.program.type_of(array)),
            Type::Array { length: ArrayLength::Fixed(NEST_LENGTH..), .. }
        )
    }

    fn calls(&self, expr: ExprId) -> bool {
        let kind = &self.program[expr].kind;
        let mut found = matches!(kind, ExprKind::Call(..));
        kind.for_each_operand(|operand| found = found || self.calls(operand));
        found
    }

    /// Whether an expression names the counter of a loop around it.
    fn names_counter(&self, expr: ExprId) -> bool {
        let mut found = match self.program[expr].kind {
            ExprKind::Object(object) => self.counters.contains(&object),
            _ => false,
        };
        let operands = &self.program[expr].kind;
        operands.for_each_operand(|operand| found = found || self.names_counter(operand));
        found
    }

    /// Counts code that does not run, and only for that is not undefined.
    fn hostile(&mut self, executed: bool) {
        self.hostile = true;
        self.add(Feature::Hostile, executed);
    }

    fn block(&mut self, statements: &[StmtId], runs: bool) {
        if std::mem::take(&mut self.in_switch) {
            self.fallthrough(statements);
        }
        self.neighbours(statements);
        let before = std::mem::take(&mut self.hostile);
        for inner in statements {
            self.stmt(*inner);
        }
        if runs && !self.driver && !self.is_shell(statements) {
            self.census.blocks += 1;
            self.census.hostile_blocks += u64::from(self.hostile);
            self.hostile = false;
        }
        self.hostile |= before;
    }

    fn declared(&mut self, object: ObjectId, runs: bool, beside: bool) {
        let name = self.program[object].name.map(|name| self.program.text(name));
        if name.is_some_and(names_a_wrap) {
            self.add(Feature::NeutralWrap, runs);
        }
        if name.is_some_and(|name| name.starts_with(UNSET)) {
            self.hostile(beside);
        }
        self.object(object, runs);
    }

    /// Whether a block is a part of a neutral wrap, or holds a single statement: what is in it
    /// belongs to the block around it.
    fn is_shell(&self, statements: &[StmtId]) -> bool {
        let names_wrap = |object: ObjectId| {
            let name = self.program[object].name;
            name.is_some_and(|name| names_a_wrap(self.program.text(name)))
        };
        let is_part = |stmt: &StmtId| match self.program[*stmt] {
            Stmt::Declare(object) => names_wrap(object),
            Stmt::Expr(expr) => match self.program[expr].kind {
                ExprKind::Step(_, place) => match self.program[place].kind {
                    ExprKind::Object(object) => names_wrap(object),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        };
        statements.len() < 2 || statements.iter().any(is_part)
    }

    /// Whether the branch of an `if` says that a probe failed.
    fn is_probe(&self, then: StmtId) -> bool {
        let Stmt::Expr(expr) = self.program[then] else { return false };
        let ExprKind::Assign(place, _) = self.program[expr].kind else { return false };
        let ExprKind::Object(object) = self.program[place].kind else { return false };
        self.program[object].name.is_some_and(|name| self.program.text(name) == PROBE)
    }

    fn stmt(&mut self, id: StmtId) {
        let runs = self.profile.stmt(id) > 0;
        self.census.statements.total += 1;
        self.census.statements.executed += u64::from(runs);
        let conditional = std::mem::take(&mut self.conditional);
        let beside = self.beside;
        let node = self.program[id].clone();
        if let Stmt::If { .. }
        | Stmt::While { .. }
        | Stmt::DoWhile { .. }
        | Stmt::For { .. }
        | Stmt::Switch { .. } = node
        {
            self.beside = runs;
        }
        match node {
            Stmt::Expr(expr) => self.full_expression(expr, runs),
            Stmt::Block(statements) => self.block(&statements, runs),
            Stmt::Declare(object) => self.declared(object, runs, beside),
            Stmt::If { condition, then, otherwise } => {
                self.add(Feature::If, runs);
                self.expr(condition, runs);
                if self.copies_record(then) {
                    self.add(Feature::RecordSelect, runs);
                }
                if self.is_probe(then) {
                    self.add(Feature::Probe, runs);
                }
                self.conditional = true;
                self.stmt(then);
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise);
                }
            }
            Stmt::While { condition, body } => {
                self.add(Feature::While, runs);
                self.header(condition, runs);
                self.stmt(body);
            }
            Stmt::DoWhile { body, condition } => {
                self.add(Feature::Do, runs);
                self.stmt(body);
                self.header(condition, runs);
            }
            Stmt::For { init, condition, step, body } => {
                if condition.is_none() && !runs {
                    self.hostile(beside);
                }
                self.for_loop(&init, condition, step, body, runs)
            }
            Stmt::Hinted { hints, body } => {
                for hint in &hints {
                    let feature = match hint.kind {
                        HintKind::Ivdep | HintKind::AssumeSafety => Feature::Ivdep,
                        _ => match hint.kind.row().form {
                            HintForm::Omp | HintForm::Clause => Feature::OmpSimd,
                            HintForm::Gcc | HintForm::Clang => Feature::LoopHint,
                        },
                    };
                    self.add(feature, runs);
                }
                self.stmt(body);
            }
            Stmt::Switch { value, body } => {
                self.add(Feature::Switch, runs);
                self.expr(value, runs);
                self.in_switch = true;
                self.stmt(body);
            }
            Stmt::Case { body, .. } | Stmt::Default(body) => self.stmt(body),
            Stmt::Label(label, body) => {
                self.labels.insert(label);
                self.stmt(body);
            }
            Stmt::Goto(label) => {
                let backward = self.labels.contains(&label);
                self.graph |= !backward && self.top.contains(&label);
                self.add(if backward { Feature::BackwardGoto } else { Feature::Goto }, runs);
            }
            Stmt::Asm(_) => self.add(Feature::Barrier, runs),
            Stmt::Break if conditional => self.add(Feature::Break, runs),
            Stmt::Continue => self.add(Feature::Continue, runs),
            Stmt::Return(value) => {
                if conditional {
                    self.add(Feature::Return, runs);
                }
                if let Some(value) = value {
                    self.full_expression(value, runs);
                }
            }
            _ => {}
        }
        self.beside = beside;
    }

    /// What an expression assigns, or the function returns.
    fn full_expression(&mut self, expr: ExprId, runs: bool) {
        if self.assigns_result(expr) {
            self.add(Feature::Straight, runs);
        }
        self.count_operators(expr);
        self.expr(expr, runs);
    }

    fn count_operators(&mut self, expr: ExprId) {
        if self.driver {
            return;
        }
        let mut operators = 0;
        let mut rest = vec![expr];
        while let Some(expr) = rest.pop() {
            let kind = &self.program[expr].kind;
            let is_operator = matches!(
                kind,
                ExprKind::Unary(..)
                    | ExprKind::Binary(..)
                    | ExprKind::Logical(..)
                    | ExprKind::Conditional { .. }
                    | ExprKind::Comma(..)
                    | ExprKind::Cast(_)
            );
            operators += u64::from(is_operator);
            kind.for_each_operand(|operand| rest.push(operand));
        }
        self.census.operators.extend((operators > 0).then_some(operators));
    }

    /// Whether an expression assigns what straight code assigns once.
    fn assigns_result(&self, expr: ExprId) -> bool {
        let ExprKind::Assign(place, _) = self.program[expr].kind else { return false };
        let ExprKind::Object(object) = self.program[place].kind else { return false };
        let name = self.program[object].name;
        name.is_some_and(|name| names_a_result(self.program.text(name)))
    }

    /// The condition or the step of a loop.
    fn header(&mut self, expr: ExprId, runs: bool) {
        let before = self.census.feature(Feature::KnownCall);
        self.expr(expr, runs);
        let after = self.census.feature(Feature::KnownCall);
        self.census.header_calls.total += after.total - before.total;
        self.census.header_calls.executed += after.executed - before.executed;
    }

    /// Whether a statement is nothing but the copy of a record.
    fn copies_record(&self, id: StmtId) -> bool {
        let Stmt::Expr(expr) = self.program[id] else { return false };
        matches!(self.program[expr].kind, ExprKind::Assign(..)) && self.is_record(expr)
    }

    /// The constant index into a long array that a statement assigns to, with the array.
    fn assigned_element(&self, id: StmtId) -> Option<(ObjectId, u64)> {
        let Stmt::Expr(expr) = self.program[id] else { return None };
        let ExprKind::Assign(place, _) = self.program[expr].kind else { return None };
        let ExprKind::Index(base, index) = self.program[place].kind else { return None };
        let ExprKind::Int(index) = self.program[index].kind else { return None };
        let mut root = base;
        loop {
            root = match self.program[root].kind {
                ExprKind::Decay(inner) | ExprKind::Index(inner, _) => inner,
                ExprKind::Object(object) => {
                    return self.is_long_array(base).then_some((object, index));
                }
                _ => return None,
            };
        }
    }

    /// Like statements on neighbours, at least three.
    fn neighbours(&mut self, statements: &[StmtId]) {
        for three in statements.windows(3) {
            let [first, second, third] = [0, 1, 2].map(|at| self.assigned_element(three[at]));
            let next = |(object, index): (ObjectId, u64)| (object, index + 1);
            if first.is_some() && first.map(next) == second && second.map(next) == third {
                self.add(Feature::Neighbours, self.profile.stmt(three[0]) > 0);
            }
        }
    }

    /// Cases that run into the next.
    fn fallthrough(&mut self, statements: &[StmtId]) {
        for pair in statements.windows(2) {
            let label =
                |id: StmtId| matches!(self.program[id], Stmt::Case { .. } | Stmt::Default(_));
            let jumps = |id: StmtId| match self.program[id] {
                Stmt::Case { body, .. } | Stmt::Default(body) => {
                    matches!(self.program[body], Stmt::Goto(_))
                }
                _ => false,
            };
            if label(pair[0]) && label(pair[1]) && !jumps(pair[0]) {
                self.add(Feature::SwitchFallthrough, self.profile.stmt(pair[1]) > 0);
            }
        }
    }

    fn for_loop(
        &mut self,
        init: &[StmtId],
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        runs: bool,
    ) {
        self.add(Feature::For, runs);
        for statement in init {
            self.stmt(*statement);
        }
        let mut counter = None;
        if let Some(condition) = condition {
            self.header(condition, runs);
            if let ExprKind::Binary(_, left, right) = self.program[condition].kind {
                counter = self.objects(left).first().copied();
                // A loop without a step is hostile code, and calls of known value stand anywhere.
                if step.is_some() && !self.objects(right).is_empty() && !self.calls(right) {
                    self.add(Feature::VariableBound, runs);
                }
            }
        }
        if let Some(step) = step {
            self.header(step, self.is_evaluated(step));
        }
        let new = counter.is_some_and(|counter| self.counters.insert(counter));
        self.stmt(body);
        if let Some(counter) = counter
            && new
        {
            self.counters.remove(&counter);
            if self.indexed_by(body, counter) {
                self.add(Feature::ArrayLoop, runs);
            }
        }
    }

    /// The objects that an expression names.
    fn objects(&self, expr: ExprId) -> Vec<ObjectId> {
        let mut found = Vec::new();
        self.find_objects(expr, &mut found);
        found
    }

    fn find_objects(&self, expr: ExprId, out: &mut Vec<ObjectId>) {
        let kind = &self.program[expr].kind;
        // What is added to an expression is not a part of its shape.
        if self.calls_bank(expr) {
            return;
        }
        if let ExprKind::Object(object) = kind {
            out.push(*object);
        }
        kind.for_each_operand(|operand| self.find_objects(operand, out));
    }

    /// Whether a statement holds `array[counter]`.
    fn indexed_by(&self, stmt: StmtId, counter: ObjectId) -> bool {
        let mut found = false;
        let node = &self.program[stmt];
        node.for_each_child(|inner| found = found || self.indexed_by(inner, counter));
        node.for_each_expr(|expr| found = found || self.expr_indexed_by(expr, counter));
        found
    }

    fn expr_indexed_by(&self, expr: ExprId, counter: ObjectId) -> bool {
        let kind = &self.program[expr].kind;
        let mut found = self.is_element(expr, counter);
        kind.for_each_operand(|operand| found = found || self.expr_indexed_by(operand, counter));
        found
    }

    fn object(&mut self, id: ObjectId, runs: bool) {
        let object = &self.program[id];
        if object.align.is_some() {
            self.add(Feature::Aligned, runs);
        }
        if object.linkage == Linkage::None {
            if object.storage == Storage::Static {
                self.add(Feature::StaticLocal, runs);
            }
            let vector = matches!(self.program.resolve(object.ty), Type::Vector { .. });
            if !self.program.is_scalar(object.ty) && !vector {
                self.add(Feature::LocalRecord, runs);
            }
        }
        if let Some(init) = object.init {
            // A static initialiser is not executed, but it takes effect.
            let fixed = object.storage == Storage::Static;
            self.count_operators(init);
            self.initialiser(init, runs, fixed);
        }
    }

    fn initialiser(&mut self, init: ExprId, runs: bool, fixed: bool) {
        match &self.program[init].kind {
            ExprKind::InitList(items) => {
                let named = self.named_fields(init);
                let gap = items.iter().enumerate().any(|(position, item)| match item.place {
                    InitPlace::Field(field) => named.get(position) != Some(&field),
                    InitPlace::Elements { first, .. } => first != position as u64,
                });
                if gap {
                    self.add(Feature::DesignatedInit, runs);
                }
                for item in items.iter() {
                    self.initialiser(item.value, runs, fixed);
                }
            }
            ExprKind::String(_) => self.add(Feature::StringLiteral, runs),
            ExprKind::Convert(operand)
                if matches!(self.program[*operand].kind, ExprKind::Int(0))
                    && self.program.pointee(self.program.type_of(init)).is_some() =>
            {
                self.add(Feature::NullPointer, runs);
            }
            _ if fixed => {}
            _ => self.expr(init, runs),
        }
    }

    /// The members of a record that an initialiser can name.
    fn named_fields(&self, init: ExprId) -> Vec<u32> {
        let Type::Record(id) = *self.program.resolve(self.program.type_of(init)) else {
            return Vec::new();
        };
        let fields = self.program[id].fields.as_deref().unwrap_or(&[]).iter();
        (0..).zip(fields).filter(|(_, field)| field.name.is_some()).map(|(at, _)| at).collect()
    }

    /// An expression that is evaluated, or not.
    fn expr(&mut self, id: ExprId, runs: bool) {
        let seen = self.profile.expr(id);
        self.census.expressions.total += 1;
        self.census.expressions.executed += u64::from(runs);
        let one_value = seen.values.as_ref().is_some_and(Values::is_single);
        if runs && one_value && seen.count > 1 {
            self.census.constant += 1;
        }
        if !runs && self.is_wild(id) {
            self.census.wild += 1;
        }
        let guarded = std::mem::take(&mut self.guarded) == Some(id);
        if !runs && !guarded && hostile::is_hostile(self.program, id) {
            self.hostile(self.beside);
            if hostile::is_end(self.program, id) {
                self.add(Feature::HostileBuiltin, self.beside);
            }
        }
        if let ExprKind::Guard { operand, .. } = self.program[id].kind {
            self.guarded = Some(operand);
        }
        if runs && self.is_at_border(id) {
            self.census.borders += 1;
        }
        self.note_factor(id);
        let mut found = Vec::new();
        if let ExprKind::Load(_) | ExprKind::Assign(..) | ExprKind::Cast(_) = self.program[id].kind
            && !self.is_floating_lane(id)
        {
            let ty = self.program.resolve(self.program.type_of(id));
            found.extend(number_feature(ty));
            found.extend(matches!(ty, Type::Float(_)).then_some(Feature::Floating));
        }
        found.extend(EXPRESSIONS.iter().filter(|(_, test)| test(self, id)).map(|row| row.0));
        for feature in found {
            self.add(feature, runs);
        }
        if self.main && self.sets_input(id) {
            self.count(Feature::HiddenInput, runs);
        }
        if self.repeats(id) {
            self.add(Feature::CommonSubexpression, runs);
        }
        if let ExprKind::CompoundLiteral(init) = self.program[id].kind {
            self.initialiser(init, runs, false);
            return;
        }
        let sometimes = match self.program[id].kind {
            ExprKind::Logical(_, _, right) => [Some(right), None],
            ExprKind::Conditional { then, otherwise, .. } => [then, Some(otherwise)],
            _ => [None, None],
        };
        let mut operands = Vec::new();
        self.program[id].kind.for_each_operand(|operand| operands.push(operand));
        for operand in operands {
            let runs = match sometimes.contains(&Some(operand)) {
                true => self.is_evaluated(operand),
                false => runs,
            };
            self.expr(operand, runs);
        }
    }

    /// Whether an expression was evaluated. What has no value has no profile of its
    /// own, but something in it has.
    fn is_evaluated(&self, id: ExprId) -> bool {
        let mut any = self.profile.expr(id).count > 0;
        self.program[id].kind.for_each_operand(|operand| any = any || self.is_evaluated(operand));
        any
    }

    /// Whether a signed sum or product came close to a limit of its type.
    fn is_at_border(&self, id: ExprId) -> bool {
        let ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, left, right) =
            self.program[id].kind
        else {
            return false;
        };
        let constant = |side| self.objects(side).is_empty();
        let integer = integer_type(self.program, self.program.type_of(id));
        let (Some(integer), Some(seen)) = (integer, self.profile.expr(id).integers()) else {
            return false;
        };
        integer.signed
            && !(constant(left) && constant(right))
            && (seen.low <= integer.min() + NEAR || seen.high >= integer.max() as i128 - NEAR)
    }

    /// Notes what a product multiplies with a constant.
    fn note_factor(&mut self, id: ExprId) {
        let ExprKind::Binary(BinaryOp::Mul, left, right) = self.program[id].kind else { return };
        for (constant, other) in [(left, right), (right, left)] {
            let shape = self.objects(constant).is_empty().then(|| self.shape(constant).0);
            let objects = self.objects(other);
            if let Some(shape) = shape.filter(|_| !objects.is_empty()) {
                let (times, of) = self.factors.entry(shape).or_default();
                *times += 1;
                of.extend(objects);
            }
        }
    }

    /// Whether an operation is undefined for some operands.
    fn is_wild(&self, id: ExprId) -> bool {
        let signed = integer_type(self.program, self.program.type_of(id))
            .is_some_and(|integer| integer.signed);
        match self.program[id].kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
            | ExprKind::Unary(UnaryOp::Minus, _) => signed,
            ExprKind::Binary(op, ..) => {
                op.is_shift() || matches!(op, BinaryOp::Div | BinaryOp::Rem)
            }
            ExprKind::Index(_, index) => !matches!(self.program[index].kind, ExprKind::Int(_)),
            ExprKind::Deref(_) => true,
            _ => false,
        }
    }

    /// Whether the function had an expression of this shape before, six nodes or more.
    fn repeats(&mut self, id: ExprId) -> bool {
        let (hash, nodes) = self.shape(id);
        if nodes < 6 || !matches!(self.program[id].kind, ExprKind::Binary(..)) {
            return false;
        }
        let times = self.seen.entry(hash).or_insert(0);
        *times += 1;
        *times > 1
    }

    fn shape(&self, id: ExprId) -> (u64, u32) {
        let mut hasher = FxHasher::default();
        let expr = &self.program[id];
        // What is not written does not count.
        let silent = matches!(
            expr.kind,
            ExprKind::Load(_) | ExprKind::Convert(_) | ExprKind::Decay(_) | ExprKind::Guard { .. }
        );
        let mut nodes = u32::from(!silent);
        std::mem::discriminant(&expr.kind).hash(&mut hasher);
        match &expr.kind {
            ExprKind::Int(value) => value.hash(&mut hasher),
            ExprKind::Object(object) => object.hash(&mut hasher),
            ExprKind::EnumConstant(constant) => constant.hash(&mut hasher),
            ExprKind::Function(function) => function.hash(&mut hasher),
            ExprKind::Float(number) => number.hash(&mut hasher),
            ExprKind::String(text) => text.hash(&mut hasher),
            ExprKind::Builtin(builtin, _) => builtin.name().hash(&mut hasher),
            ExprKind::Binary(op, ..) => op.hash(&mut hasher),
            ExprKind::Unary(op, _) => op.hash(&mut hasher),
            ExprKind::Member(_, field) => field.hash(&mut hasher),
            _ => {}
        }
        expr.kind.for_each_operand(|operand| {
            let (inner, count) = self.shape(operand);
            inner.hash(&mut hasher);
            nodes += count;
        });
        (hasher.finish(), nodes)
    }
}

/// The feature that a type of numbers is.
pub(crate) fn number_feature(ty: &Type) -> Option<Feature> {
    Some(match ty {
        Type::Enum(_) => Feature::Enum,
        Type::BitInt { .. } => Feature::BitInt,
        Type::Float(kind) => return kind_feature(*kind),
        Type::Int(kind) => match kind {
            IntKind::Bool => Feature::Bool,
            IntKind::Char | IntKind::SChar | IntKind::UChar => Feature::Char,
            IntKind::Short | IntKind::UShort => Feature::Short,
            IntKind::Int | IntKind::UInt => Feature::Int,
            IntKind::Long | IntKind::ULong => Feature::Long,
            IntKind::LongLong | IntKind::ULongLong => Feature::LongLong,
            IntKind::Int128 | IntKind::UInt128 => Feature::Int128,
        },
        _ => return None,
    })
}
