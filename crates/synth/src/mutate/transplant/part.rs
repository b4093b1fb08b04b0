//! A statement of a program with what it names.

use std::collections::{BTreeMap, BTreeSet};

use farrier_lang::builtins::{GenericRule, Prototype};
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, FunctionId, LabelId, ObjectId, Program, Stmt, StmtId, Storage,
};

/// The most nodes that a statement may have.
const MOST_NODES: usize = 400;

/// Builtins that mean something only in the function that they are in.
const BOUND: &[&str] = &[
    "__builtin_va_arg_pack",
    "__builtin_va_arg_pack_len",
    "__builtin_apply_args",
    "__builtin_apply",
    "__builtin_return",
    "__builtin_saveregs",
    "__builtin_next_arg",
    "__builtin_stack_restore",
    "__builtin_setjmp",
    "__builtin_longjmp",
    "__builtin_unwind_init",
];

/// How a statement uses an object that it does not declare.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Uses {
    /// It writes to it.
    pub(super) written: bool,
    /// It writes to it by an operator that is for integers only.
    pub(super) integral: bool,
    /// It does more than read it and write to it: it takes its address, or names a part of it.
    pub(super) other: bool,
    /// An initialiser that must be constant names it.
    pub(super) constant: bool,
}

/// A statement, with what it names and does not declare.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) root: Option<StmtId>,
    pub(super) objects: BTreeMap<ObjectId, Uses>,
    pub(super) functions: BTreeSet<FunctionId>,
    /// The labels that it jumps to and does not define.
    pub(super) labels: BTreeSet<LabelId>,
    /// `break` statements that leave it.
    pub(super) breaks: Vec<StmtId>,
    /// `continue` statements that leave it.
    pub(super) continues: Vec<StmtId>,
    /// `return` statements.
    pub(super) returns: Vec<StmtId>,
    declared: BTreeSet<ObjectId>,
    defined: BTreeSet<LabelId>,
    nodes: usize,
    /// It has something that cannot stand elsewhere.
    bound: bool,
    /// It has assembly, which may define names and so cannot be copied.
    asm: bool,
}

/// What is around a node of the statement.
#[derive(Clone, Copy, Default)]
struct Around {
    /// A loop.
    loops: bool,
    /// A switch.
    switches: bool,
    /// An initialiser that must be constant.
    constant: bool,
}

/// Whether an expression calls something.
pub(super) fn has_call(program: &Program, expr: ExprId) -> bool {
    let kind = &program[expr].kind;
    let mut found = matches!(kind, ExprKind::Call(..) | ExprKind::Builtin(..));
    kind.for_each_operand(|operand| found = found || has_call(program, operand));
    found
}

/// How many nodes a function has, with all that it calls; `None` if they are more than `most`.
pub(super) fn size(program: &Program, function: FunctionId, most: usize) -> Option<usize> {
    let mut part = Part::default();
    let (mut known, mut waiting) = (BTreeSet::from([function]), vec![function]);
    while let Some(function) = waiting.pop() {
        if let Some(body) = program[function].body {
            part.stmt(program, body, Around::default());
        }
        if part.nodes > most || part.asm {
            return None;
        }
        waiting.extend(part.functions.iter().filter(|function| known.insert(**function)));
    }
    Some(part.nodes)
}

impl Part {
    /// A statement with what it names; `None` if it is too large, or bound to its function.
    pub(super) fn of(program: &Program, stmt: StmtId) -> Option<Self> {
        let mut part = Self { root: Some(stmt), ..Self::default() };
        part.stmt(program, stmt, Around::default());
        part.objects.retain(|object, _| !part.declared.contains(object));
        part.labels.retain(|label| !part.defined.contains(label));
        (part.nodes <= MOST_NODES && !part.bound && !part.asm).then_some(part)
    }

    fn stmt(&mut self, program: &Program, id: StmtId, around: Around) {
        self.nodes += 1;
        if self.nodes > MOST_NODES && self.root.is_some() {
            return;
        }
        let mut inside = around;
        match program[id] {
            Stmt::Break if !around.loops && !around.switches => self.breaks.push(id),
            Stmt::Continue if !around.loops => self.continues.push(id),
            Stmt::Return(_) => self.returns.push(id),
            Stmt::Goto(label) => _ = self.labels.insert(label),
            Stmt::Label(label, _) => _ = self.defined.insert(label),
            Stmt::Case { .. } | Stmt::Default(_) | Stmt::Fallthrough if !around.switches => {
                self.bound = true;
            }
            Stmt::DefineFunction(_) | Stmt::DefineRecord(_) => self.bound = true,
            Stmt::Asm(_) => self.asm = true,
            Stmt::Declare(object) => {
                self.declared.insert(object);
                let constant = program[object].storage == Storage::Static;
                if let Some(init) = program[object].init {
                    self.expr(program, init, Around { constant, ..around });
                }
            }
            Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. } => inside.loops = true,
            Stmt::Switch { .. } => inside.switches = true,
            _ => {}
        }
        program[id].for_each_expr(|expr| self.expr(program, expr, around));
        program[id].for_each_child(|child| self.stmt(program, child, inside));
    }

    fn expr(&mut self, program: &Program, id: ExprId, around: Around) {
        self.nodes += 1;
        let kind = &program[id].kind;
        match kind {
            ExprKind::Object(object) => {
                let uses = self.objects.entry(*object).or_default();
                uses.other = true;
                uses.constant |= around.constant;
            }
            ExprKind::Function(function) => _ = self.functions.insert(*function),
            ExprKind::LabelAddress(_) | ExprKind::VaArg(_) => self.bound = true,
            ExprKind::Builtin(builtin, _) => {
                use GenericRule::{VaCopy, VaEnd, VaStart};
                let row = builtin.row();
                let rule = matches!(row.prototype, Prototype::Generic(VaCopy | VaEnd | VaStart));
                self.bound |= rule || BOUND.contains(&builtin.name());
            }
            ExprKind::StatementExpr(block) => {
                let before = (self.breaks.len(), self.continues.len());
                let inside = Around { loops: false, switches: false, ..around };
                self.stmt(program, *block, inside);
                // A jump out of the value of an expression is not for every place.
                self.bound |= before != (self.breaks.len(), self.continues.len());
            }
            _ => {}
        }
        let place = match *kind {
            ExprKind::Load(place) | ExprKind::Assign(place, _) | ExprKind::Step(_, place) => {
                Some(place)
            }
            ExprKind::CompoundAssign { target, .. } => Some(target),
            _ => None,
        };
        kind.for_each_operand(|operand| match (place, &program[operand].kind) {
            (Some(place), ExprKind::Object(object)) if place == operand => {
                self.nodes += 1;
                let uses = self.objects.entry(*object).or_default();
                uses.written |= !matches!(kind, ExprKind::Load(_));
                uses.integral |=
                    matches!(kind, ExprKind::CompoundAssign { op, .. } if !is_real(*op));
                uses.constant |= around.constant;
            }
            _ => self.expr(program, operand, around),
        });
    }
}

/// Whether an operator is also for floating numbers.
fn is_real(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Add | BinaryOp::Sub)
}
