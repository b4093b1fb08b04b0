//! Where the order of evaluation can matter at all.
//!
//! For every expression with operands in no particular order, this decides whether
//! their effects could meet: if not, nothing is recorded when the program runs.
//! The answer may be wrong only in one direction: recording where it is not needed.

use std::ops::Range;

use farrier_lang::{
    ArrayLength, AsmId, ExprId, ExprKind, FunctionId, Id, IntKind, Linkage, Object, ObjectId,
    Program, Qualifiers, Stmt, StmtId, Storage, Type, TypeId, Types, UnaryOp,
};
use rustc_hash::FxHashSet;

use super::nested::is_nested;
use super::promises::{alias_target, is_alias, runs_by_itself};
use super::{Home, Lowerer, variable};
use crate::code::{Op, Reg};
use crate::library::Library;
use crate::verdict::Checked;

/// A set of objects, one bit for each.
#[derive(Clone, Debug, Default)]
struct Objects {
    words: Vec<u64>,
}

impl Objects {
    fn insert(&mut self, object: ObjectId) {
        let (word, bit) = (object.index() / 64, object.index() % 64);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << bit;
    }

    fn contains(&self, object: ObjectId) -> bool {
        let (word, bit) = (object.index() / 64, object.index() % 64);
        self.words.get(word).is_some_and(|word| word >> bit & 1 != 0)
    }

    /// Adds the objects of another set; says whether any is new.
    fn add(&mut self, other: &Self) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut changed = false;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            changed |= other & !*word != 0;
            *word |= other;
        }
        changed
    }

    /// The objects that are in both sets, in order.
    fn common(&self, other: &Self) -> impl Iterator<Item = ObjectId> {
        let both = self.words.iter().zip(&other.words).map(|(left, right)| left & right);
        both.enumerate().filter(|(_, word)| *word != 0).flat_map(|(index, word)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 != 0);
            bits.map(move |bit| ObjectId::from_index(index * 64 + bit))
        })
    }

    fn meets(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(left, right)| left & right != 0)
    }
}

/// What evaluating something may read and write.
#[derive(Clone, Debug, Default)]
struct Effects {
    /// Objects that are named.
    reads: Objects,
    writes: Objects,
    /// Whatever a pointer points to.
    reads_pointers: bool,
    writes_pointers: bool,
    /// The output.
    prints: bool,
    /// Whether there is anything but reads.
    changes: bool,
}

impl Effects {
    /// Adds other effects; says whether any is new.
    fn add(&mut self, other: &Self) -> bool {
        let flags = |effects: &Self| {
            (effects.reads_pointers, effects.writes_pointers, effects.prints, effects.changes)
        };
        let before = flags(self);
        self.reads_pointers |= other.reads_pointers;
        self.writes_pointers |= other.writes_pointers;
        self.prints |= other.prints;
        self.changes |= other.changes;
        let reads = self.reads.add(&other.reads);
        let writes = self.writes.add(&other.writes);
        reads || writes || flags(self) != before
    }

    /// Adds what is done other than by calls.
    fn act(&mut self, action: Action) {
        self.changes |= action.changes();
        match action {
            Action::Read(Some(object)) => self.reads.insert(object),
            Action::Read(None) => self.reads_pointers = true,
            Action::Write(Some(object)) => self.writes.insert(object),
            Action::Write(None) => self.writes_pointers = true,
            Action::Print => self.prints = true,
            Action::Call(_) => {}
        }
    }
}

/// One thing that an expression may do.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// Reads an object, or whatever a pointer points to.
    Read(Option<ObjectId>),
    Write(Option<ObjectId>),
    Print,
    /// Calls a function that has a body, or whatever a pointer points to.
    Call(Option<FunctionId>),
}

impl Action {
    /// Whether it is more than a read; calls are not looked into.
    fn changes(self) -> bool {
        matches!(self, Self::Write(_) | Self::Print)
    }
}

/// What can bring control into the middle of something.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    /// There are labels.
    label: bool,
    /// There are labels, cases, or assembly, of which nothing is known.
    entered: bool,
    /// There is a call of `setjmp`.
    returns_twice: bool,
    /// There are loops with hints.
    hinted: bool,
    /// There are statements in expressions.
    nested: bool,
}

/// What is known about the whole program.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// Whether there are restricted pointers.
    pub(super) restricts: bool,
    /// What all expressions do, in the order of the text: what an expression and its
    /// operands do stands together.
    actions: Vec<Action>,
    /// A range of actions that was found to have no side effect: of a long chain, all links.
    quiet: Range<usize>,
    /// By expression: where its actions begin, and one more than where they end; zero
    /// if they are not known yet.
    ranges: Vec<(u32, u32)>,
    /// What calling each function may do to things outside it.
    functions: Vec<Effects>,
    /// What calling through a pointer may do.
    indirect: Effects,
    /// Objects that a pointer may point to.
    pointed: Objects,
    /// Objects whose address is taken: they have to be in memory.
    addressed: Objects,
    /// Where the control of each function goes, and of the statements met of late.
    flows: Vec<Flow>,
    flow: Flow,
    /// Whether `setjmp` is named: then a call may return twice.
    returns_twice: bool,
    /// The calls of `setjmp` that stand where C11 7.13.1.1p4 allows it.
    standing: FxHashSet<ExprId>,
    /// Whether a function is inside another. Then any local may be used by one that is not its
    /// own.
    pub(super) has_nested: bool,
    /// Functions that something names, and `main`: no other is ever called.
    named: Vec<bool>,
    /// Whether there are bit-fields wider than `int`, and arrays of variable length.
    pub(super) wide_fields: bool,
    pub(super) variable_lengths: bool,
    /// Whether memory can be without a declared type.
    pub(super) allocates: bool,
}

/// Finds out what every function may do.
pub(crate) fn analyse(program: &Program) -> Analysis {
    let restricted = |object: &Object| object.ty.qualifiers().contains(Qualifiers::RESTRICT);
    let mut analysis = Analysis {
        restricts: program.objects.iter().any(|(_, object)| restricted(object)),
        actions: Vec::with_capacity(program.exprs.len() / 2),
        quiet: 0..0,
        ranges: vec![(0, 0); program.exprs.len()],
        functions: vec![Effects::default(); program.functions.len()],
        indirect: Effects::default(),
        pointed: Objects::default(),
        addressed: Objects::default(),
        flows: vec![Flow::default(); program.functions.len()],
        flow: Flow::default(),
        returns_twice: false,
        standing: FxHashSet::default(),
        has_nested: program.functions.ids().any(|id| is_nested(program, id)),
        named: vec![false; program.functions.len()],
        wide_fields: has_wide_fields(program),
        variable_lengths: has_variable_lengths(program),
        allocates: false,
    };
    for id in program.functions.ids() {
        analysis.named[id.index()] |= program.is_main(id) || runs_by_itself(program, id);
        if let Some(target) = alias_target(program, id) {
            analysis.named[target.index()] = true;
        }
    }
    // Names are looked at once for a function, not for each expression.
    let mut called = vec![false; program.functions.len()];
    let mut last_builtin = None;
    for expr in program.exprs.values() {
        match expr.kind {
            ExprKind::AddressOf(operand) | ExprKind::Decay(operand) => {
                if let (ExprKind::AddressOf(_), ExprKind::Object(object)) =
                    (&expr.kind, &program[operand].kind)
                {
                    analysis.addressed.insert(*object);
                }
                if let Some(object) = base_object(program, operand) {
                    analysis.pointed.insert(object);
                }
            }
            ExprKind::Function(id) => {
                analysis.named[id.index()] = true;
                called[id.index()] = true;
            }
            ExprKind::Builtin(builtin, _) if last_builtin != Some(builtin) => {
                last_builtin = Some(builtin);
                analysis.returns_twice |= returns_twice(builtin.name());
                analysis.allocates |= allocates(builtin.name());
            }
            _ => {}
        }
    }
    for (id, function) in program.functions.iter() {
        if called[id.index()] && function.body.is_none() {
            let name = program.text(function.name);
            analysis.returns_twice |= returns_twice(name);
            analysis.allocates |= allocates(name);
        }
    }
    let mut callers = Vec::new();
    for (id, function) in program.functions.iter() {
        let Some(body) = function.body.filter(|_| analysis.named[id.index()]) else { continue };
        let start = analysis.actions.len();
        for parameter in &function.parameters {
            analysis.record_lengths(program, program[*parameter].ty);
        }
        analysis.record_statement(program, body);
        analysis.flows[id.index()] = std::mem::take(&mut analysis.flow);
        let mut effects = Effects::default();
        let mut callees = Vec::new();
        for &action in &analysis.actions[start..] {
            match action {
                Action::Call(callee) => callees.push(callee),
                Action::Read(Some(object)) | Action::Write(Some(object))
                    if !analysis.has_nested && !is_outside(program, object) => {}
                action => effects.act(action),
            }
        }
        callees.sort_unstable();
        callees.dedup();
        analysis.indirect.add(&effects);
        analysis.functions[id.index()] = effects;
        callers.push((id, callees));
    }
    // Until nothing changes: effects only grow.
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (id, callees) in &callers {
            let mut effects = std::mem::take(&mut analysis.functions[id.index()]);
            for callee in callees {
                changed |= effects.add(analysis.callee(*callee));
            }
            analysis.indirect.add(&effects);
            analysis.functions[id.index()] = effects;
        }
    }
    analysis
}

/// Whether a function of the library is a form of `setjmp`.
fn returns_twice(name: &str) -> bool {
    matches!(Library::by_name(name), Some(Library::Setjmp | Library::SetjmpFunction))
}

/// Whether a function may give memory without a declared type to the program.
fn allocates(name: &str) -> bool {
    name.contains("alloc") || name.contains("memalign")
}

/// Whether an object is there before and after a call.
fn is_outside(program: &Program, object: ObjectId) -> bool {
    let object = &program[object];
    object.linkage != Linkage::None || matches!(object.storage, Storage::Static | Storage::Thread)
}

/// Whether a bit-field is wider than `int`: compilers disagree about its type.
fn has_wide_fields(program: &Program) -> bool {
    let int = program.target.int_bits(IntKind::Int);
    program.records.iter().any(|(_, record)| {
        let mut fields = record.fields.iter().flatten();
        fields.any(|field| field.bits.is_some_and(|bits| bits > int))
    })
}

fn has_variable_lengths(program: &Program) -> bool {
    program.types.ids().any(|ty| {
        matches!(program.types.get(ty), Type::Array { length: ArrayLength::Variable(_), .. })
    })
}

impl Analysis {
    /// Whether a function can be called at all.
    pub(super) fn is_named(&self, function: FunctionId) -> bool {
        self.named[function.index()]
    }

    /// Whether the address of an object is taken.
    pub(super) fn is_addressed(&self, object: ObjectId) -> bool {
        self.has_nested || self.addressed.contains(object)
    }

    /// Whether a function has loops with hints.
    pub(super) fn has_hints(&self, function: FunctionId) -> bool {
        self.flows[function.index()].hinted
    }

    /// Whether a function has statements in expressions that are evaluated.
    pub(super) fn has_nested_statements(&self, function: FunctionId) -> bool {
        self.flows[function.index()].nested
    }

    /// Whether a function has labels.
    pub(super) fn has_label(&self, function: FunctionId) -> bool {
        self.flows[function.index()].label
    }

    /// Whether a function calls `setjmp`.
    pub(super) fn calls_setjmp(&self, function: FunctionId) -> bool {
        self.flows[function.index()].returns_twice
    }

    /// Whether a call of `setjmp` stands where it may.
    pub(super) fn is_standing(&self, call: ExprId) -> bool {
        self.standing.contains(&call)
    }

    /// Whether what comes first in the text of a function, outside branches, is also
    /// done before what comes later, and done once and for all.
    pub(super) fn runs_in_order(&self, function: FunctionId) -> bool {
        !self.flows[function.index()].entered && !self.returns_twice
    }

    fn callee(&self, callee: Option<FunctionId>) -> &Effects {
        callee.map_or(&self.indirect, |id| &self.functions[id.index()])
    }

    /// Notes what a statement may do.
    fn record_statement(&mut self, program: &Program, body: StmtId) {
        let mut stmts = vec![body];
        while let Some(stmt) = stmts.pop() {
            let node = &program[stmt];
            node.for_each_child(|child| stmts.push(child));
            node.for_each_expr(|expr| self.record(program, expr));
            if self.returns_twice {
                self.record_standing(program, node);
            }
            match node {
                Stmt::Declare(object) => {
                    self.record_lengths(program, program[*object].ty);
                    program[*object].init.iter().for_each(|i| self.record(program, *i))
                }
                Stmt::Asm(asm) => {
                    self.flow.entered = true;
                    self.record_assembly(program, *asm);
                }
                Stmt::Label(..) => {
                    self.flow = Flow { label: true, entered: true, ..self.flow };
                }
                Stmt::Case { .. } | Stmt::Default(_) => self.flow.entered = true,
                Stmt::Hinted { .. } => self.flow.hinted = true,
                _ => {}
            }
        }
    }

    /// Notes a call of `setjmp` that is the whole of a statement or of its controlling
    /// expression, negated or compared with a constant.
    fn record_standing(&mut self, program: &Program, node: &Stmt) {
        let expr = match *node {
            Stmt::Expr(expr) => match program[expr].kind {
                ExprKind::Cast(operand) if program.type_of(expr) == Types::VOID => operand,
                _ => expr,
            },
            Stmt::If { condition, .. }
            | Stmt::While { condition, .. }
            | Stmt::DoWhile { condition, .. }
            | Stmt::For { condition: Some(condition), .. }
            | Stmt::Switch { value: condition, .. } => match program[condition].kind {
                ExprKind::Unary(UnaryOp::Not, operand) => operand,
                ExprKind::Binary(op, left, right) if op.is_comparison() => {
                    if program.is_fixed(left) { right } else { left }
                }
                _ => condition,
            },
            _ => return,
        };
        self.standing.insert(expr);
    }

    fn record_assembly(&mut self, program: &Program, asm: AsmId) {
        let asm = &program[asm];
        for operand in asm.outputs.iter().chain(&asm.inputs) {
            self.record(program, operand.value);
        }
        for output in &asm.outputs {
            let object = base_object(program, output.value);
            self.actions.extend([Action::Write(object), Action::Read(object)]);
        }
    }

    /// Notes what an expression may do.
    fn record(&mut self, program: &Program, expr: ExprId) {
        let start = self.actions.len() as u32;
        let kind = &program[expr].kind;
        match kind {
            ExprKind::Load(operand) => {
                self.actions.push(Action::Read(base_object(program, *operand)));
            }
            ExprKind::VaArg(list) => self.record_list(program, *list),
            ExprKind::Assign(target, _) => {
                self.actions.push(Action::Write(base_object(program, *target)));
            }
            ExprKind::CompoundAssign { target, .. } | ExprKind::Step(_, target) => {
                let object = base_object(program, *target);
                self.actions.extend([Action::Write(object), Action::Read(object)]);
            }
            ExprKind::Call(function, _) => match called(program, *function) {
                Some(id) if program[id].body.is_none() => {
                    let name = program.text(program[id].name);
                    self.flow.returns_twice |= self.returns_twice && returns_twice(name);
                    self.record_library(name);
                }
                callee => self.actions.push(Action::Call(callee)),
            },
            ExprKind::Builtin(builtin, lists) if builtin.name().starts_with("__builtin_va_") => {
                lists.iter().for_each(|list| self.record_list(program, *list));
            }
            ExprKind::Builtin(builtin, _) => {
                self.flow.returns_twice |= self.returns_twice && returns_twice(builtin.name());
                self.record_library(builtin.name());
            }
            ExprKind::StatementExpr(block) => {
                self.flow.nested = true;
                self.record_statement(program, *block);
            }
            ExprKind::SizeofType(ty) => self.record_lengths(program, *ty),
            ExprKind::Cast(_) | ExprKind::CompoundLiteral(_) => {
                self.record_lengths(program, program.type_of(expr));
            }
            _ => {}
        }
        match kind {
            // What is not evaluated does nothing.
            ExprKind::SizeofExpr(operand)
                if !program.is_variable_array(program.type_of(*operand)) => {}
            ExprKind::AlignofExpr(..) => {}
            _ => kind.for_each_operand(|operand| {
                // Half of all expressions are leaves, which do nothing: `range` knows.
                if !is_leaf(&program[operand].kind) {
                    self.record(program, operand);
                }
            }),
        }
        self.ranges[expr.index()] = (start, self.actions.len() as u32 + 1);
    }

    /// Notes that a `va_list` is used, which changes it.
    fn record_list(&mut self, program: &Program, list: ExprId) {
        let object = base_object(program, list);
        self.actions.extend([Action::Write(object), Action::Read(object)]);
    }

    /// Notes what the lengths in a type may do, where it is evaluated.
    fn record_lengths(&mut self, program: &Program, ty: TypeId) {
        if self.variable_lengths {
            for length in variable::lengths_of(program, ty) {
                self.record(program, length);
            }
        }
    }

    fn record_library(&mut self, name: &str) {
        // Calls of unknown functions stop the machine.
        let Some(library) = Library::by_name(name).filter(|library| !library.is_pure()) else {
            return;
        };
        self.actions.push(Action::Read(None));
        if library.writes_memory() {
            self.actions.push(Action::Write(None));
        }
        if library.prints() {
            self.actions.push(Action::Print);
        }
    }

    /// Which actions are those of an expression.
    fn range(&mut self, program: &Program, expr: ExprId) -> Range<usize> {
        // Lengths of arrays stand in types, not in statements, and leaves have no entry.
        if self.ranges[expr.index()].1 == 0 {
            self.record(program, expr);
        }
        let (start, end) = self.ranges[expr.index()];
        start as usize..end as usize - 1
    }

    /// A quick test: nothing can meet where nothing has a side effect.
    fn changes_something(&mut self, program: &Program, expr: ExprId) -> bool {
        let range = self.range(program, expr);
        if self.quiet.start <= range.start && range.end <= self.quiet.end {
            return false;
        }
        let changes = self.actions[range.clone()].iter().any(|action| match action {
            Action::Call(callee) => self.callee(*callee).changes,
            action => action.changes(),
        });
        if !changes && range.len() > self.quiet.len().min(64) {
            self.quiet = range;
        }
        changes
    }

    /// Whether evaluating an expression touches anything.
    fn acts(&mut self, program: &Program, expr: ExprId) -> bool {
        !self.range(program, expr).is_empty()
    }

    /// What evaluating all these may do.
    fn effects(&mut self, program: &Program, operands: &[ExprId]) -> Effects {
        let mut effects = Effects::default();
        for operand in operands {
            let range = self.range(program, *operand);
            for &action in &self.actions[range] {
                match action {
                    Action::Call(callee) => {
                        effects.add(self.callee(callee));
                    }
                    action => effects.act(action),
                }
            }
        }
        effects
    }
}

fn is_leaf(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Int(_) | ExprKind::Object(_) | ExprKind::Function(_))
}

/// The object that an lvalue is a part of, if it is not behind a pointer.
pub(crate) fn base_object(program: &Program, expr: ExprId) -> Option<ObjectId> {
    match program[expr].kind {
        ExprKind::Object(object) => Some(object),
        ExprKind::Member(base, _) => base_object(program, base),
        ExprKind::Index(base, _) => match program[base].kind {
            ExprKind::Decay(array) => base_object(program, array),
            // A lane of a vector, which may itself be an lvalue; a pointer is none.
            _ => base_object(program, base),
        },
        ExprKind::Unary(_, operand) => base_object(program, operand),
        _ => None,
    }
}

fn called(program: &Program, function: ExprId) -> Option<FunctionId> {
    match program[function].kind {
        ExprKind::Decay(designator) => match program[designator].kind {
            ExprKind::Function(id) if is_alias(program, id) => None,
            ExprKind::Function(id) => Some(id),
            _ => None,
        },
        _ => None,
    }
}

impl Lowerer<'_> {
    /// Begins to record the operands of an expression, if their order could matter.
    /// Each of `operands` is one operand; they have no order among each other.
    pub(super) fn begin_order(&mut self, operands: &[&[ExprId]]) -> bool {
        if self.starting || operands.len() < 2 {
            return false;
        }
        let mut exprs = operands.iter().copied().flatten();
        if !exprs.any(|expr| self.analysis.changes_something(self.program, *expr)) {
            return false;
        }
        self.begin_if_met(operands, Effects::default())
    }

    /// The same for the items of a list that initialises an object, which is one more
    /// operand: it is written.
    pub(super) fn begin_initialisation(
        &mut self,
        operands: &[&[ExprId]],
        object: Option<ObjectId>,
    ) -> bool {
        let Some(object) = object else { return self.begin_order(operands) };
        let mut exprs = operands.iter().copied().flatten();
        if self.starting || !exprs.any(|expr| self.analysis.acts(self.program, *expr)) {
            return false;
        }
        let mut whole = Effects::default();
        whole.act(Action::Write(Some(object)));
        self.begin_if_met(operands, whole)
    }

    /// Begins to record if the effects of two operands could meet, or the other effects.
    fn begin_if_met(&mut self, operands: &[&[ExprId]], mut before: Effects) -> bool {
        let mut watched = Vec::new();
        let mut dynamic = false;
        for operand in operands {
            let effects = self.analysis.effects(self.program, operand);
            dynamic |= self.meet(&before, &effects, &mut watched);
            dynamic |= self.meet(&effects, &before, &mut watched);
            before.add(&effects);
        }
        if !dynamic && watched.is_empty() {
            return false;
        }
        watched.sort_unstable();
        watched.dedup();
        self.watch(watched);
        true
    }

    /// The next operand begins.
    pub(super) fn next_operand(&mut self, recording: bool) {
        if recording {
            let level = self.level();
            self.emit(Op::OrderNext { level });
        }
    }

    /// All operands are evaluated.
    pub(super) fn end_order(&mut self, recording: bool) {
        if recording {
            let level = self.level();
            self.emit(Op::OrderEndOperands { level });
            self.end_record();
        }
    }

    /// The side effects of what came before in this operand are complete.
    pub(super) fn sequence_point(&mut self) {
        if !self.watched.is_empty() {
            let level = self.level();
            self.emit(Op::OrderClose { level });
        }
    }

    /// Opens a record that watches the locals in these registers.
    fn watch(&mut self, watched: Vec<Reg>) {
        self.watched.push(watched);
        let level = self.level();
        self.emit(Op::OrderBegin { level });
    }

    fn end_record(&mut self) {
        let level = self.level();
        self.emit(Op::OrderEnd { level });
        self.watched.pop();
    }

    /// How many records are open in this function around the innermost.
    fn level(&self) -> u32 {
        self.watched.len() as u32 - 1
    }

    /// Evaluates two operands that have no order.
    pub(super) fn pair(&mut self, left: ExprId, right: ExprId) -> Checked<(Reg, Reg)> {
        let recording = self.begin_order(&[&[left], &[right]]);
        let left = self.value(left)?;
        self.next_operand(recording);
        let right = self.value(right)?;
        self.end_order(recording);
        Ok((left, right))
    }

    /// Evaluates operands that have no order.
    pub(super) fn unordered(&mut self, operands: &[ExprId]) -> Checked<Vec<Reg>> {
        let sections: Vec<&[ExprId]> = operands.chunks(1).collect();
        let recording = self.begin_order(&sections);
        let mut values = Vec::new();
        for (index, operand) in operands.iter().enumerate() {
            if index > 0 {
                self.next_operand(recording);
            }
            values.push(self.value(*operand)?);
        }
        self.end_order(recording);
        Ok(values)
    }

    /// Begins to record an assignment, if its store could meet a side effect of its
    /// operands that is not complete, or if the operands could meet.
    pub(super) fn begin_assignment(&mut self, target: ExprId, value: ExprId, reads: bool) -> bool {
        if self.starting {
            return false;
        }
        // The target itself is not read, but what leads to it is.
        let program = self.program;
        let mut changes = self.analysis.changes_something(program, value);
        program[target].kind.for_each_operand(|operand| {
            changes = changes || self.analysis.changes_something(program, operand);
        });
        if !changes {
            return false;
        }
        let mut operands = Vec::new();
        program[target].kind.for_each_operand(|operand| operands.push(operand));
        operands.push(value);
        let mut left = self.analysis.effects(self.program, &operands[..operands.len() - 1]);
        let object = base_object(self.program, target);
        if reads {
            left.act(Action::Read(object));
        }
        let right = self.analysis.effects(self.program, &[value]);
        let mut watched = Vec::new();
        let mut recording = self.has_pending(target, &operands);
        if recording {
            watched.extend(object.and_then(|object| self.register(object)));
        }
        recording |= self.meet(&left, &right, &mut watched);
        recording |= self.meet(&right, &left, &mut watched);
        if !recording && watched.is_empty() {
            return false;
        }
        self.watch(watched);
        true
    }

    /// Both operands of an assignment are evaluated.
    pub(super) fn end_assignment_operands(&mut self, recording: bool) {
        if recording {
            let level = self.level();
            self.emit(Op::OrderEndOperands { level });
        }
    }

    /// The store is done.
    pub(super) fn end_assignment(&mut self, recording: bool) {
        if recording {
            let level = self.level();
            self.emit(Op::OrderCheckStore { level });
            self.end_record();
        }
    }

    /// Whether evaluating these does more than to compute values.
    pub(super) fn have_effects(&mut self, exprs: &[ExprId]) -> bool {
        exprs.iter().any(|expr| self.analysis.changes_something(self.program, *expr))
    }

    /// Lowers something whose accesses are no operands.
    pub(super) fn unrecorded(&mut self, lower: impl FnOnce(&mut Self)) {
        let recording = !self.watched.is_empty();
        if recording {
            self.emit(Op::OrderPause);
        }
        lower(self);
        if recording {
            self.emit(Op::OrderResume);
        }
    }

    /// Notes an access of a local in a register, if it is watched.
    pub(super) fn touch(&mut self, reg: Reg, write: bool) {
        if self.watched.iter().any(|watched| watched.contains(&reg)) {
            self.emit(Op::OrderTouch { reg, write });
        }
    }

    /// Notes that bytes are read or written which no operation accesses here: those of an
    /// aggregate that is a value, which are copied later.
    pub(super) fn touch_bytes(&mut self, pointer: Reg, ty: TypeId, write: bool) {
        if !self.watched.is_empty()
            && let Some(size @ 1..) = self.size_of(ty).and_then(|size| u32::try_from(size).ok())
        {
            self.emit(Op::OrderTouchBytes { pointer, size, write });
        }
    }

    fn register(&self, object: ObjectId) -> Option<Reg> {
        match self.homes.get(&object) {
            Some(Home::Register(reg)) => Some(*reg),
            _ => None,
        }
    }

    /// Whether what `left` writes could be what `right` reads or writes. Locals in
    /// registers that both touch go to `watched`.
    fn meet(&self, left: &Effects, right: &Effects, watched: &mut Vec<Reg>) -> bool {
        if !left.changes {
            return false;
        }
        let mut dynamic = left.prints && right.prints;
        for uses in [&right.reads, &right.writes] {
            for object in left.writes.common(uses) {
                match self.register(object) {
                    Some(reg) => watched.push(reg),
                    None => dynamic = true,
                }
            }
        }
        let pointed = |objects: &Objects| objects.meets(&self.analysis.pointed);
        let right_pointers = right.reads_pointers || right.writes_pointers;
        dynamic
            || left.writes_pointers
                && (right_pointers || pointed(&right.reads) || pointed(&right.writes))
            || right_pointers && pointed(&left.writes)
    }

    /// Whether an assignment could meet an incomplete side effect of its operands:
    /// `i = i++`, `*p = (*q)++`.
    pub(super) fn has_pending(&self, target: ExprId, operands: &[ExprId]) -> bool {
        let mut pending = Effects::default();
        for operand in operands {
            pending_writes(self.program, *operand, &mut pending);
        }
        if !pending.changes {
            return false;
        }
        match base_object(self.program, target) {
            Some(object) => {
                pending.writes.contains(object)
                    || pending.writes_pointers && self.analysis.pointed.contains(object)
            }
            None => pending.writes_pointers || pending.writes.meets(&self.analysis.pointed),
        }
    }
}

/// Adds the writes of an expression that no sequence point completes in it.
fn pending_writes(program: &Program, expr: ExprId, pending: &mut Effects) {
    match &program[expr].kind {
        ExprKind::Assign(target, value) => {
            pending.act(Action::Write(base_object(program, *target)));
            pending_writes(program, *target, pending);
            pending_writes(program, *value, pending);
        }
        ExprKind::CompoundAssign { target, value, .. } => {
            pending.act(Action::Write(base_object(program, *target)));
            pending_writes(program, *target, pending);
            pending_writes(program, *value, pending);
        }
        ExprKind::Step(_, target) => {
            pending.act(Action::Write(base_object(program, *target)));
            pending_writes(program, *target, pending);
        }
        ExprKind::Comma(_, right) | ExprKind::Logical(_, _, right) => {
            pending_writes(program, *right, pending);
        }
        ExprKind::Conditional { then, otherwise, .. } => {
            then.iter().for_each(|then| pending_writes(program, *then, pending));
            pending_writes(program, *otherwise, pending);
        }
        // A call completes the side effects of its arguments.
        ExprKind::Call(..) | ExprKind::StatementExpr(_) => {}
        ExprKind::SizeofExpr(_) | ExprKind::AlignofExpr(..) => {}
        other => other.for_each_operand(|operand| pending_writes(program, operand, pending)),
    }
}
