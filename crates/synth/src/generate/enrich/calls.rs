//! Calls whose value is known: a constant becomes `f(x + 3) - 12`, and any other integer `e`
//! becomes `e + (f(x) - 7)`, where `f` is a function of the bank and `x` has one value at
//! every visit. Only at run time do the constants cancel.

use std::collections::BTreeMap;

use farrier_lang::constant::integer_constant;
use farrier_lang::copy::EntityMap;
use farrier_lang::{
    BinaryOp, Entity, Expr, ExprId, ExprKind, FunctionId, GuardCheck, IntKind, IntegerType, Item,
    Linkage, ObjectId, Program, Stmt, StmtId, Storage, Type, Types, import, integer_type,
};
use farrier_machine::{Callable, Watch};
use rustc_hash::FxHashSet;

use super::{Enricher, Spot};
use crate::bank;
use crate::census::number_feature;
use crate::features::Feature;
use crate::parameters::Parameter;
use crate::scene::root;

/// How many places of a statement get a call, at most.
const MOST_PLACES: u64 = 3;

/// How many of the statements without a place that is preferred get a call, in percent.
const ORDINARY: u32 = 40;

/// How often a place is drawn: where compilers transform the most, and elsewhere.
const PREFERRED: u32 = 6;
const OTHERWISE: u32 = 1;

/// How many arguments are calls themselves, while they may nest deeper, in percent.
const NESTED: u32 = 30;

/// How many arguments are constants where variables could stand, in percent.
const CONSTANT_ARGUMENT: u32 = 15;

/// About how many bytes a call adds to the text, its function apart.
const CALL_BYTES: usize = 30;

/// The operations around a call.
const CALL_OPERATIONS: u64 = 12;

/// What is known about calls in a program that grows.
#[derive(Default)]
pub(super) struct Calls {
    /// The functions of the bank that the program has: which file, which row.
    used: Vec<(usize, usize)>,
    /// Those that were called to know a value.
    ready: BTreeMap<(usize, usize), Callable<'static>>,
    /// The function that came last.
    last: Option<FunctionId>,
    /// What was brought along of each file.
    maps: BTreeMap<usize, EntityMap>,
    /// The objects whose address is taken somewhere.
    addressed: Option<FxHashSet<ObjectId>>,
}

/// A call that shall be made.
struct Plan {
    kind: usize,
    row: usize,
    arguments: Vec<Argument>,
    value: i128,
    operations: u64,
}

/// An argument: something of a known value, and what is added to it.
struct Argument {
    source: Source,
    offset: i128,
}

enum Source {
    Object(ObjectId),
    Call(Box<Plan>),
    Constant,
}

/// An integer in the statement of a spot.
#[derive(Clone, Copy)]
struct Place {
    expr: ExprId,
    weight: u32,
}

/// A statement whose expressions are evaluated as soon as it begins, or a loop.
pub(super) fn can_stand(program: &Program, spot: &Spot) -> bool {
    match &program[spot.stmt] {
        Stmt::Expr(_) | Stmt::If { .. } | Stmt::Switch { .. } => true,
        Stmt::Return(value) => value.is_some(),
        Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. } => {
            // Past the beginning of the loop, an object may have other values.
            !is_entered_elsewhere(program, spot.stmt, false)
        }
        _ => false,
    }
}

/// Asks how often the body of a loop begins, because its header is evaluated as often.
pub(super) fn watch(program: &Program, spot: &Spot, watch: &mut Watch) {
    if let Some(body) = body(program, spot.stmt) {
        watch.statements.insert(body);
    }
}

fn body(program: &Program, stmt: StmtId) -> Option<StmtId> {
    match program[stmt] {
        Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::DoWhile { body, .. } => {
            Some(body)
        }
        _ => None,
    }
}

/// Whether something may jump to a place inside a statement. Cases of a `switch` that is
/// inside too are no such places.
fn is_entered_elsewhere(program: &Program, stmt: StmtId, in_switch: bool) -> bool {
    let mut entered = match program[stmt] {
        Stmt::Label(..) => true,
        Stmt::Case { .. } | Stmt::Default(_) => !in_switch,
        _ => false,
    };
    let in_switch = in_switch || matches!(program[stmt], Stmt::Switch { .. });
    program[stmt].for_each_child(|child| {
        entered = entered || is_entered_elsewhere(program, child, in_switch);
    });
    entered
}

/// Puts calls into the statement of a spot.
pub(super) fn add(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<()> {
    let (mut places, in_loop) = places(enricher.program, spot.stmt);
    places.retain(|place| enricher.can_change(place.expr));
    let preferred = places.iter().any(|place| place.weight == PREFERRED);
    if !preferred && !enricher.choices.chance(ORDINARY) {
        return None;
    }
    let sources = sources(enricher, spot, in_loop);
    let inside = body(enricher.program, spot.stmt).map_or(0, |body| enricher.profile.stmt(body));
    let visits = enricher.visits(spot) + inside;
    let wanted = 1 + enricher.choices.below(MOST_PLACES);
    let mut added = None;
    for _ in 0..wanted {
        let weights: Vec<u32> = places.iter().map(|place| place.weight).collect();
        let Some(index) = enricher.choices.weighted(&weights) else { break };
        let place = places.swap_remove(index);
        let depth = enricher.parameters.get(Parameter::KnownCallDepth);
        let Some(plan) = enricher.plan(&sources, depth) else { continue };
        let (bytes, operations) =
            (enricher.bytes_of(&plan), plan.operations.saturating_mul(visits));
        if bytes > enricher.bytes || operations > enricher.operations {
            continue;
        }
        if enricher.put_call(place.expr, &plan).is_some() {
            enricher.spend(bytes);
            enricher.operations -= operations;
            added = Some(());
        }
    }
    added
}

/// The integers of a statement that can get a call, and whether they are evaluated again and
/// again after the statement began.
fn places(program: &Program, stmt: StmtId) -> (Vec<Place>, bool) {
    let mut found = Vec::new();
    let mut header = |expr: ExprId| match program[expr].kind {
        // A bound, rather than what it bounds together with it.
        ExprKind::Binary(op, ..) if op.is_comparison() => {}
        _ => found.push(Place { expr, weight: PREFERRED }),
    };
    match &program[stmt] {
        Stmt::If { condition, .. }
        | Stmt::While { condition, .. }
        | Stmt::DoWhile { condition, .. } => header(*condition),
        Stmt::Switch { value, .. } => header(*value),
        Stmt::For { condition, .. } => condition.iter().copied().for_each(header),
        Stmt::Return(Some(value)) => found.push(Place { expr: *value, weight: OTHERWISE }),
        _ => {}
    }
    let in_loop = body(program, stmt).is_some();
    program[stmt].for_each_expr(|expr| operands(program, expr, in_loop, &mut found));
    if let Stmt::For { init, .. } = &program[stmt] {
        for stmt in init {
            if let Stmt::Expr(expr) = program[*stmt] {
                operands(program, expr, true, &mut found);
            }
        }
    }
    (found, in_loop)
}

/// The places below an expression.
fn operands(program: &Program, expr: ExprId, in_loop: bool, found: &mut Vec<Place>) {
    let mut add = |expr: ExprId, preferred: bool| {
        let weight = if preferred { PREFERRED } else { OTHERWISE };
        found.push(Place { expr, weight });
    };
    let is_pointer = |expr: ExprId| program.pointee(program.type_of(expr)).is_some();
    match &program[expr].kind {
        // A builtin may ask whether its argument is a constant.
        ExprKind::Builtin(..)
        | ExprKind::SizeofExpr(_)
        | ExprKind::AlignofExpr(..)
        | ExprKind::Offsetof(..)
        | ExprKind::StatementExpr(_)
        | ExprKind::InitList(_) => return,
        ExprKind::Index(_, index) => match program[*index].kind {
            ExprKind::Guard { check: GuardCheck::Index { .. }, operand, .. } => add(operand, true),
            _ => add(*index, true),
        },
        ExprKind::Binary(op, left, right) if !is_pointer(*left) && !is_pointer(*right) => {
            add(*left, op.is_comparison());
            add(*right, op.is_comparison() || op.is_shift());
        }
        ExprKind::CompoundAssign { value, .. } | ExprKind::Assign(_, value) => {
            add(*value, in_loop);
        }
        ExprKind::Conditional { condition, .. } => add(*condition, true),
        ExprKind::Call(_, arguments) => {
            arguments.iter().for_each(|argument| add(*argument, false));
        }
        _ => {}
    }
    program[expr].kind.for_each_operand(|operand| operands(program, operand, in_loop, found));
}

/// Whether an expression is a call of a function that the program does not define, or of a builtin
/// that compares.
fn is_library_call(program: &Program, expr: ExprId) -> bool {
    match program[expr].kind {
        ExprKind::Convert(operand) | ExprKind::Cast(operand) | ExprKind::Decay(operand) => {
            is_library_call(program, operand)
        }
        ExprKind::Call(function, _) => is_library_call(program, function),
        ExprKind::Function(function) => program[function].body.is_none(),
        ExprKind::Builtin(builtin, _) => builtin.name().ends_with("cmp"),
        _ => false,
    }
}

/// Whether constants of a type can be written.
fn has_constants(kind: IntKind) -> bool {
    !matches!(kind, IntKind::Int128 | IntKind::UInt128)
}

/// What a statement does to objects before it is through with its expressions.
#[derive(Default)]
struct Writes {
    objects: FxHashSet<ObjectId>,
    through_pointers: bool,
    calls: bool,
}

impl Writes {
    fn of(program: &Program, stmt: StmtId, in_loop: bool) -> Self {
        let mut writes = Self::default();
        writes.stmt(program, stmt, in_loop);
        writes
    }

    fn stmt(&mut self, program: &Program, stmt: StmtId, inside: bool) {
        program[stmt].for_each_expr(|expr| self.expr(program, expr));
        match &program[stmt] {
            Stmt::Declare(object) => {
                program[*object].init.iter().for_each(|init| self.expr(program, *init));
            }
            Stmt::Asm(_) => self.calls = true,
            _ => {}
        }
        if inside {
            program[stmt].for_each_child(|child| self.stmt(program, child, inside));
        }
    }

    fn expr(&mut self, program: &Program, expr: ExprId) {
        let kind = &program[expr].kind;
        match kind {
            ExprKind::Assign(target, _)
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::Step(_, target) => match root(program, *target) {
                Some(object) => _ = self.objects.insert(object),
                None => self.through_pointers = true,
            },
            ExprKind::Call(..)
            | ExprKind::Builtin(..)
            | ExprKind::StatementExpr(_)
            | ExprKind::VaArg(_) => self.calls = true,
            _ => {}
        }
        kind.for_each_operand(|operand| self.expr(program, operand));
    }
}

/// The objects that have one value whenever the expressions of a spot are evaluated.
fn sources(enricher: &mut Enricher<'_>, spot: &Spot, in_loop: bool) -> Vec<(ObjectId, i128)> {
    let writes = Writes::of(enricher.program, spot.stmt, in_loop);
    let never = enricher.visits(spot) == 0;
    let known = enricher.known(spot);
    let program = &*enricher.program;
    let addressed = enricher.calls.addressed.get_or_insert_with(|| {
        let places = program.exprs.values().filter_map(|expr| match expr.kind {
            ExprKind::AddressOf(place) => root(program, place),
            _ => None,
        });
        places.collect()
    });
    let mut sources = enricher.inputs.to_vec();
    for (object, values) in known {
        let mut different = values.clone();
        different.dedup();
        let value = match different[..] {
            [value] => value,
            // A place that is never reached can have any.
            [] if never => 0,
            _ => continue,
        };
        let outside = program[object].storage != Storage::Automatic;
        let reached = addressed.contains(&object);
        let changed = writes.objects.contains(&object)
            || writes.calls && (outside || reached)
            || writes.through_pointers && reached;
        if !changed && !sources.iter().any(|(other, _)| *other == object) {
            // Those that are near are more likely than inputs.
            sources.extend([(object, value); 2]);
        }
    }
    sources.retain(|(object, _)| match *program.resolve(program[*object].ty) {
        Type::Int(kind) => has_constants(kind),
        _ => false,
    });
    sources
}

impl Enricher<'_> {
    /// Whether it is an integer that can be converted to its type, and to what that is
    /// promoted to, by casts. Of a result of the library only the sign may be specified, so
    /// that nothing can be added to it.
    fn can_change(&self, expr: ExprId) -> bool {
        if is_library_call(self.program, expr) {
            return false;
        }
        let Type::Int(kind) = *self.program.resolve(self.program.type_of(expr)) else {
            return false;
        };
        let kinds = [kind, promoted(self.program, kind)];
        has_constants(kind)
            && kinds
                .into_iter()
                .filter_map(|kind| number_feature(&Type::Int(kind)))
                .all(|feature| self.weights.has(feature))
    }

    /// A call of a function that the program has already, or of another.
    fn plan(&mut self, sources: &[(ObjectId, i128)], depth: u32) -> Option<Plan> {
        if sources.is_empty() {
            return None;
        }
        let reused = self.choices.chance(self.parameters.get(Parameter::KnownCallReuse));
        let (kind, row) = match self.choices.pick_any(&self.calls.used).filter(|_| reused) {
            Some(used) => used,
            None => {
                let kind = self.choices.index(bank::KINDS);
                let rows = bank::bank(kind, self.program.target).rows.len();
                (kind, self.choices.index(rows))
            }
        };
        let bank = bank::bank(kind, self.program.target);
        let (mut arguments, mut values) = (Vec::new(), Vec::new());
        let mut operations = 0;
        let mut parameters = bank.rows[row].parameters.iter().peekable();
        while let Some(parameter) = parameters.next() {
            // One of them at least is not a constant.
            let mut constants = arguments.iter().map(|argument: &Argument| &argument.source);
            let varies = constants.any(|source| !matches!(source, Source::Constant));
            let constant = varies || parameters.peek().is_some();
            let (argument, value) = self.plan_argument(*parameter, sources, depth, constant)?;
            if let Source::Call(plan) = &argument.source {
                operations += plan.operations;
            }
            arguments.push(argument);
            values.push(value);
        }
        let ready = &mut self.calls.ready;
        let callable = ready.entry((kind, row)).or_insert_with(|| bank.rows[row].callable());
        let (value, steps) = bank::call(callable, &values);
        operations += steps + CALL_OPERATIONS;
        Some(Plan { kind, row, arguments, value, operations })
    }

    /// An argument for a parameter, which may be a constant or not, and the value that the
    /// parameter gets.
    fn plan_argument(
        &mut self,
        parameter: IntKind,
        sources: &[(ObjectId, i128)],
        depth: u32,
        constant: bool,
    ) -> Option<(Argument, i128)> {
        let to = integer_type(self.program, Types::int(parameter))?;
        let wanted = self.draw_value(to);
        let (source, kind, value) = if depth > 1 && self.choices.chance(NESTED) {
            let plan = self.plan(sources, depth - 1)?;
            let bank = bank::bank(plan.kind, self.program.target);
            let (kind, value) = (bank.rows[plan.row].result, plan.value);
            (Source::Call(Box::new(plan)), kind, value)
        } else if constant && self.choices.chance(CONSTANT_ARGUMENT) {
            let argument = Argument { source: Source::Constant, offset: wanted };
            return Some((argument, wanted));
        } else {
            let (object, value) = self.choices.pick(sources);
            let Type::Int(kind) = *self.program.resolve(self.program[object].ty) else {
                return None;
            };
            (Source::Object(object), kind, value)
        };
        // It is computed in the type that the source is promoted to.
        let promoted = Types::int(promoted(self.program, kind));
        let ty = integer_type(self.program, promoted)?;
        let offset = match self.choices.below(3) {
            0 => 0,
            1 => wanted - value,
            _ => self.choices.range(-9, 9).into(),
        };
        let fits = ty.contains(value + offset) && ty.contains(offset.abs());
        let offset = if fits { offset } else { 0 };
        let sum = value + offset;
        let value = if parameter == IntKind::Bool { i128::from(sum != 0) } else { to.wrap(sum) };
        Some((Argument { source, offset }, value))
    }

    /// A value of a type: near zero, at a border, or any.
    fn draw_value(&mut self, ty: IntegerType) -> i128 {
        let high = ty.max() as i128;
        let value = match self.choices.below(8) {
            0 => high - i128::from(self.choices.below(2)),
            1 => ty.min(),
            2 => self.choices.bits().into(),
            3 | 4 => self.choices.range(-300, 3000).into(),
            _ => self.choices.range(0, 40).into(),
        };
        ty.wrap(value)
    }

    /// About how many bytes a call adds.
    fn bytes_of(&self, plan: &Plan) -> usize {
        let bank = bank::bank(plan.kind, self.program.target);
        let used = self.calls.used.contains(&(plan.kind, plan.row));
        let function = if used { 0 } else { bank.rows[plan.row].bytes };
        let nested = plan.arguments.iter().map(|argument| match &argument.source {
            Source::Call(plan) => self.bytes_of(plan),
            _ => 0,
        });
        CALL_BYTES + function + nested.sum::<usize>()
    }

    /// The function of a call in this program.
    fn bank_function(&mut self, kind: usize, row: usize) -> Option<FunctionId> {
        let bank = bank::bank(kind, self.program.target);
        let map = self.calls.maps.entry(kind).or_default();
        let id = bank.rows[row].function;
        if let Some(known) = map.functions.get(&id) {
            return Some(*known);
        }
        // After those that came before, because they may share a record.
        let last = self.calls.last.map(|last| Item::Define(Entity::Function(last)));
        let last = last.and_then(|last| self.program.items.iter().position(|item| *item == last));
        let at = last.map_or(0, |last| last + 1);
        let function = import::function(self.program, &bank.program, id, at, map).ok()?;
        self.calls.used.push((kind, row));
        self.calls.last = Some(function);
        Some(function)
    }

    fn call(&mut self, plan: &Plan) -> Option<ExprId> {
        let function = self.bank_function(plan.kind, plan.row)?;
        let mut arguments = Vec::new();
        for argument in &plan.arguments {
            arguments.push(self.argument(argument)?);
        }
        let ty = self.program[function].ty;
        let designator = self.builder().node(ExprKind::Function(function), ty);
        self.builder().call(designator, arguments).ok()
    }

    fn argument(&mut self, Argument { source, offset }: &Argument) -> Option<ExprId> {
        let value = match source {
            Source::Object(object) => self.load(*object),
            Source::Call(plan) => self.call(plan)?,
            Source::Constant => return self.constant(*offset),
        };
        self.plus(value, *offset)
    }

    /// `value + offset`, in the type of the value after promotion.
    fn plus(&mut self, value: ExprId, offset: i128) -> Option<ExprId> {
        if offset == 0 {
            return Some(value);
        }
        let kind = self.promoted_kind(value)?;
        let constant = self.program.literal(offset.abs(), kind)?;
        let op = if offset < 0 { BinaryOp::Sub } else { BinaryOp::Add };
        self.builder().binary(op, value, constant).ok()
    }

    /// The type that an integer is promoted to.
    fn promoted_kind(&self, expr: ExprId) -> Option<IntKind> {
        match *self.program.resolve(self.program.type_of(expr)) {
            Type::Int(kind) => Some(promoted(self.program, kind)),
            _ => None,
        }
    }

    /// Puts a call into the place of an integer, whose value stays as it is.
    fn put_call(&mut self, place: ExprId, plan: &Plan) -> Option<()> {
        let ty = self.program.type_of(place);
        let constant = match self.program.is_literal(place) {
            true => integer_constant(self.program, &mut self.layouts, place).ok(),
            false => None,
        };
        let call = self.call(plan)?;
        let changed = match constant {
            Some(constant) => self.instead_of(constant, call, plan.value, place)?,
            None => self.beside(place, call, plan.value)?,
        };
        let changed = match self.program.type_of(changed) == ty {
            true => changed,
            false => self.builder().cast(changed, ty).ok()?,
        };
        self.program[place] = self.program[changed].clone();
        Some(())
    }

    /// An expression that is `wanted`, from a call that is `value`.
    fn instead_of(
        &mut self,
        wanted: i128,
        call: ExprId,
        value: i128,
        place: ExprId,
    ) -> Option<ExprId> {
        let kind = self.promoted_kind(call)?;
        let ty = integer_type(self.program, Types::int(kind))?;
        let plain = wanted >= 0 && value >= 0 && self.weights.has(Feature::Bitwise);
        let op = match self.choices.below(4) {
            0 => BinaryOp::Sub,
            1 if plain => BinaryOp::BitXor,
            _ => BinaryOp::Add,
        };
        let constant = match op {
            BinaryOp::Sub => wanted + value,
            BinaryOp::BitXor => wanted ^ value,
            _ => wanted - value,
        };
        let constant = if ty.signed { constant } else { ty.wrap(constant) };
        if ty.contains(wanted) && ty.contains(constant) && ty.contains(constant.abs()) {
            if op == BinaryOp::Add {
                return self.plus(call, constant);
            }
            let constant = self.program.literal(constant, kind)?;
            let (left, right) =
                if op == BinaryOp::Sub { (constant, call) } else { (call, constant) };
            return self.builder().binary(op, left, right).ok();
        }
        // Without a sign nothing overflows, and the bits are the same.
        let kind = self.promoted_kind(place)?.to_unsigned();
        let unsigned = Types::int(kind);
        let ty = integer_type(self.program, unsigned)?;
        let call = self.builder().cast(call, unsigned).ok()?;
        let constant = ty.wrap(wanted - value);
        let constant = self.program.literal(constant, kind)?;
        self.builder().binary(BinaryOp::Add, call, constant).ok()
    }

    /// What stands in a place, together with a call that is `value`.
    fn beside(&mut self, place: ExprId, call: ExprId, value: i128) -> Option<ExprId> {
        let kind = self.promoted_kind(call)?;
        let constant = self.program.literal(value, kind)?;
        let op = match self.weights.has(Feature::Bitwise) {
            true => self.choices.pick(&[BinaryOp::Sub, BinaryOp::Sub, BinaryOp::BitXor]),
            false => BinaryOp::Sub,
        };
        let zero = match value {
            0 => call,
            _ => self.builder().binary(op, call, constant).ok()?,
        };
        let own = Types::int(self.promoted_kind(place)?);
        let zero = match self.program.type_of(zero) {
            // Narrower ones are promoted.
            ty if ty == own || self.promoted_kind(zero) == Some(IntKind::Int) => zero,
            _ => self.builder().cast(zero, own).ok()?,
        };
        let mut old = self.program[place].clone();
        // In its new place another conversion would be implied.
        if let ExprKind::Convert(operand) = old.kind {
            old.kind = ExprKind::Cast(operand);
        }
        let old: ExprId = self.program.exprs.push(Expr { ..old });
        let op = match self.weights.has(Feature::Bitwise) {
            true => self.choices.pick(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::BitXor]),
            false => BinaryOp::Add,
        };
        self.builder().binary(op, old, zero).ok()
    }
}

/// What a type is promoted to.
fn promoted(program: &Program, kind: IntKind) -> IntKind {
    let target = program.target;
    if kind.rank() >= IntKind::Int.rank() {
        kind
    } else if target.int_bits(kind) < target.int_bits(IntKind::Int) || target.int_signed(kind) {
        IntKind::Int
    } else {
        IntKind::UInt
    }
}

/// Makes the functions of the bank visible to all files of a program.
pub(in crate::generate) fn share(program: &mut Program) {
    let functions: Vec<FunctionId> = program
        .items
        .iter()
        .filter_map(|item| match *item {
            Item::Define(Entity::Function(id)) => Some(id),
            _ => None,
        })
        .collect();
    for id in functions {
        if bank::is_bank_name(program.text(program[id].name)) {
            program[id].linkage = Linkage::External;
        }
    }
}
