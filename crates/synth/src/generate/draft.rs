//! A program that grows: its variables, scopes and budgets.

use std::collections::BTreeMap;

use farrier_lang::build::Builder;
use farrier_lang::layout::Layouts;
use farrier_lang::print::guards::{
    Wrapper, WrapperOperation, guard_name, wrapper_definition, wrapper_of,
};
use farrier_lang::print::{GuardStyle, PrintOptions, print};
use farrier_lang::*;

use rustc_hash::FxHashSet;

use super::Config;
use super::finish::Checks;
use crate::Choices;
use crate::discharge::Discharge;
use crate::features::{Feature, Share, Weights};
use crate::parameters::{Parameter, Parameters};

/// How many globals a function sees: enough for variety, and few enough that choosing
/// one takes the same time in a large program.
const WINDOW: usize = 24;

/// About how much longer the text becomes for a guard that does not stay: most are
/// dropped, and a few get a constant.
const DISCHARGED_BYTES: usize = 1;

/// What an expression may do, so that no two unsequenced parts of one conflict.
///
/// Of two operands that are not sequenced, either both only read, or one is free and
/// the other is quiet: it touches nothing that the free one could change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Mode {
    /// Reads private locals and what never changes.
    Quiet,
    /// Reads everything but volatile objects.
    Reading,
    /// Reads, writes, calls.
    Free,
}

/// A variable as drafting sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) object: ObjectId,
    /// How many scopes surround it: 0 for what lives as long as the program, 2 for
    /// parameters. A pointer holds only addresses of objects that live at least as long.
    pub(super) depth: u32,
    /// Its address is never taken, so nobody else can change it.
    pub(super) private: bool,
    /// It may be assigned. What may not never changes once tests run.
    pub(super) writable: bool,
    /// It is an index below this number wherever it is visible.
    pub(super) below: Option<u64>,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub(super) function: FunctionId,
    pub(super) ty: FunctionType,
    pub(super) type_id: TypeId,
    /// The most operations that a call executes.
    pub(super) cost: u64,
    /// It computes its result from its arguments alone.
    pub(super) pure: bool,
    /// It is called by generated code, rather than by `main` alone.
    pub(super) open: bool,
    /// Its first parameter says how deep it calls itself.
    pub(super) recursive: bool,
}

/// Something that calls go through: a pointer to a function, or a table of them.
#[derive(Clone, Debug)]
pub(super) struct Indirect {
    pub(super) object: ObjectId,
    /// Indices into the list of callees, all of one type.
    pub(super) targets: Vec<usize>,
    pub(super) table: bool,
}

/// A record that was drafted.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordInfo {
    pub(super) ty: TypeId,
    /// Whether it may be assigned as a whole.
    pub(super) assignable: bool,
    /// Whether the address of a member may be taken.
    pub(super) addressable: bool,
    /// Whether it may be a member of a record whose bytes matter.
    pub(super) bytes: u64,
}

/// A label at the end of a block, for jumps out of what the block holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndLabel {
    pub(super) label: LabelId,
    pub(super) used: bool,
}

/// The function that is being drafted.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) result: TypeId,
    pub(super) visible: Vec<Variable>,
    pub(super) globals: Vec<Variable>,
    /// How many scopes surround the current place.
    pub(super) depth: u32,
    /// How often the current place runs in one call, at most.
    pub(super) rounds: u64,
    /// The operations of one call so far, at most.
    pub(super) cost: u64,
    /// What `cost` may become.
    pub(super) allowance: u64,
    /// What `Draft::grown` may become.
    pub(super) size_limit: usize,
    pub(super) loops: u32,
    pub(super) breakable: u32,
    pub(super) labels: Vec<EndLabel>,
    /// The private locals that the current full expression reads.
    pub(super) used: Vec<ObjectId>,
    /// Those that it writes.
    pub(super) written: Vec<ObjectId>,
    /// Expressions that may occur again: values of private variables and constants.
    pub(super) common: Vec<ExprId>,
    pub(super) context: Context,
    /// Whether an index is being drafted: indices do not nest, or they would not end.
    pub(super) indexing: bool,
    /// Of a function that calls itself: the call that is still to be placed.
    pub(super) recursion: Option<Recursion>,
}

/// How a function calls itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recursion {
    pub(super) function: FunctionId,
    /// The parameter that says how deep.
    pub(super) counter: ObjectId,
}

/// Which operators a subtree prefers (YARPGen 3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Context {
    Mixed,
    Additive,
    Bitwise,
    Logical,
    Multiplicative,
    Shift,
}

/// A program that grows.
pub(super) struct Draft<'a> {
    pub(super) choices: &'a mut Choices,
    pub(super) config: &'a Config,
    pub(super) weights: Weights,
    pub(super) parameters: Parameters,
    pub(super) program: Program,
    pub(super) layouts: Layouts,
    pub(super) globals: Vec<Variable>,
    pub(super) callees: Vec<Callee>,
    pub(super) indirects: Vec<Indirect>,
    pub(super) records: Vec<RecordInfo>,
    pub(super) enums: Vec<EnumId>,
    /// Inputs: integers that are set before the tests run, and what sets them.
    pub(super) inputs: Vec<(Variable, i128)>,
    /// The constants of late.
    pub(super) constants: Vec<i128>,
    pub(super) frame: Frame,
    /// The conditions on which the end of a loop or of a recursion depends.
    pub(super) fixed: FxHashSet<StmtId>,
    /// How many functions are being drafted at once.
    pub(super) nesting: u32,
    /// How many items have been measured, how many nodes there were then, and the
    /// bytes of their text.
    measured: (usize, usize, usize),
    /// How many globals have been counted, and what their checks cost.
    pub(super) checks: (usize, Checks),
    /// How many expressions have been searched for guards, and of those that stay the
    /// wrappers that they need, each with the bytes of a call.
    searched: usize,
    wrappers: BTreeMap<Wrapper, usize>,
    /// The guards that stay, whatever they do, in the order of the arena.
    pub(super) kept: Vec<ExprId>,
    numbers: [u32; Name::COUNT],
}

/// What kinds of names there are; each counts on its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    Global,
    Local,
    Parameter,
    Function,
    Record,
    Field,
    Label,
    Enum,
    Constant,
}

impl Name {
    const COUNT: usize = Self::Constant as usize + 1;

    fn prefix(self) -> &'static str {
        match self {
            Self::Global => "g",
            Self::Local => "l",
            Self::Parameter => "p",
            Self::Function => "f",
            Self::Record => "R",
            Self::Field => "m",
            Self::Label => "L",
            Self::Enum => "E",
            Self::Constant => "C",
        }
    }
}

impl Frame {
    /// A function without anything yet.
    pub(super) fn new(result: TypeId, allowance: u64, size_limit: usize) -> Self {
        Self {
            result,
            visible: Vec::new(),
            globals: Vec::new(),
            depth: 2,
            rounds: 1,
            cost: 0,
            allowance,
            size_limit,
            loops: 0,
            breakable: 0,
            labels: Vec::new(),
            used: Vec::new(),
            written: Vec::new(),
            common: Vec::new(),
            context: Context::Mixed,
            indexing: false,
            recursion: None,
        }
    }
}

/// What a scope has to put back when it ends.
pub(super) struct Mark {
    visible: usize,
    common: usize,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        config: &'a Config,
        weights: Weights,
        parameters: Parameters,
        choices: &'a mut Choices,
    ) -> Self {
        Self {
            choices,
            config,
            weights,
            parameters,
            program: Program::new(config.target, config.dialect),
            layouts: Layouts::default(),
            globals: Vec::new(),
            callees: Vec::new(),
            indirects: Vec::new(),
            records: Vec::new(),
            enums: Vec::new(),
            inputs: Vec::new(),
            constants: Vec::new(),
            frame: Frame::new(Types::VOID, 0, 0),
            fixed: FxHashSet::default(),
            nesting: 0,
            measured: (0, 0, 0),
            checks: (0, Checks::default()),
            searched: 0,
            wrappers: BTreeMap::new(),
            kept: Vec::new(),
            numbers: [0; Name::COUNT],
        }
    }

    pub(super) fn builder(&mut self) -> Builder<'_> {
        Builder { program: &mut self.program, layouts: &mut self.layouts, permissive: false }
    }

    pub(super) fn has(&self, feature: Feature) -> bool {
        self.weights.has(feature)
    }

    /// The weight of a feature that competes with others.
    pub(super) fn weight(&self, feature: Feature) -> u32 {
        self.weights.weight(feature).0
    }

    /// Decides whether a feature that has a share is drawn here.
    pub(super) fn wants(&mut self, feature: Feature) -> bool {
        let Share(percent) = self.weights.share(feature);
        percent > 0 && self.choices.chance(percent)
    }

    pub(super) fn parameter(&self, parameter: Parameter) -> u32 {
        self.parameters.get(parameter)
    }

    /// Decides with a parameter as a percentage.
    pub(super) fn chance(&mut self, parameter: Parameter) -> bool {
        let percent = self.parameter(parameter);
        self.choices.chance(percent)
    }

    /// A number from `low` to a parameter.
    pub(super) fn up_to(&mut self, low: u32, parameter: Parameter) -> u32 {
        let high = self.parameter(parameter).max(low);
        self.choices.range(i64::from(low), i64::from(high)) as u32
    }

    pub(super) fn name(&mut self, name: Name) -> Symbol {
        let number = &mut self.numbers[name as usize];
        *number += 1;
        let text = format!("{}{number}", name.prefix());
        self.program.names.intern(&text)
    }

    /// How much was drafted, in nodes.
    pub(super) fn grown(&self) -> usize {
        self.program.exprs.len() + 3 * self.program.stmts.len()
    }

    /// The bytes of the text so far.
    pub(super) fn measure(&mut self) -> usize {
        let (items, _, bytes) = self.measured;
        let new = self.program.items.split_off(items);
        let old = std::mem::replace(&mut self.program.items, new);
        let mut more = print(&self.program, &PrintOptions { guards: GuardStyle::Bare }).len();
        let new = std::mem::replace(&mut self.program.items, old);
        self.program.items.extend(new);
        more += self.choose_kept();
        self.measured = (self.program.items.len(), self.grown(), bytes + more);
        bytes + more
    }

    /// Chooses which of the guards drafted since the last time stay; the bytes that they
    /// and the others add to the text. It is chosen while drafting, because wrappers are
    /// so long that the size would be missed otherwise.
    pub(super) fn choose_kept(&mut self) -> usize {
        let share = match self.config.discharge {
            Discharge::Keep => 100,
            Discharge::Mixed => self.parameter(Parameter::KeptGuards),
            Discharge::Drop | Discharge::Flip => 0,
        };
        let mut bytes = 0;
        for index in self.searched..self.program.exprs.len() {
            let id = ExprId::from_index(index);
            let expr = &self.program[id];
            if !matches!(expr.kind, ExprKind::Guard { .. }) {
                continue;
            }
            let wrapper = wrapper_of(&self.program, expr);
            let Some(wrapper) = wrapper.filter(|_| self.choices.chance(share)) else {
                bytes += DISCHARGED_BYTES;
                continue;
            };
            self.kept.push(id);
            bytes += *self.wrappers.entry(wrapper).or_insert_with(|| {
                bytes += wrapper_definition(self.config.target, wrapper).len();
                let arguments = match wrapper.operation {
                    WrapperOperation::Index(_) => 6,
                    WrapperOperation::Pointer => 16,
                    _ => 0,
                };
                guard_name(wrapper).len() + arguments
            });
        }
        self.searched = self.program.exprs.len();
        bytes
    }

    /// About how many nodes make a text of `bytes`.
    pub(super) fn nodes_in(&self, bytes: usize) -> usize {
        let (_, nodes, measured) = self.measured;
        // At first there is nothing but globals to go by.
        if nodes < 500 { bytes / 3 } else { bytes * nodes / measured.max(1) }
    }

    pub(super) fn has_room(&self) -> bool {
        self.grown() < self.frame.size_limit
    }

    /// The operations that may still run here each time, at most.
    pub(super) fn spare(&self) -> u64 {
        self.frame.allowance.saturating_sub(self.frame.cost) / self.frame.rounds.max(1)
    }

    /// Counts operations that run here each time.
    pub(super) fn charge(&mut self, operations: u64) {
        let all = operations.saturating_mul(self.frame.rounds);
        self.frame.cost = self.frame.cost.saturating_add(all);
    }

    /// Counts the operations of a full expression.
    pub(super) fn charge_expr(&mut self, expr: ExprId) {
        let nodes = self.tree_size(expr);
        self.charge(nodes);
    }

    fn tree_size(&self, expr: ExprId) -> u64 {
        let mut nodes = 1;
        self.program[expr].kind.for_each_operand(|operand| nodes += self.tree_size(operand));
        nodes
    }

    /// Begins a full expression: nothing is read or written yet.
    pub(super) fn begin_expression(&mut self) {
        self.frame.used.clear();
        self.frame.written.clear();
    }

    /// The mode of a full expression.
    pub(super) fn draw_mode(&mut self) -> Mode {
        if self.chance(Parameter::EffectShare) { Mode::Free } else { Mode::Reading }
    }

    pub(super) fn enter(&mut self) -> Mark {
        self.frame.depth += 1;
        Mark { visible: self.frame.visible.len(), common: self.frame.common.len() }
    }

    pub(super) fn leave(&mut self, mark: Mark) {
        self.frame.depth -= 1;
        self.frame.visible.truncate(mark.visible);
        self.frame.common.truncate(mark.common);
    }

    /// Some of the globals, for a function.
    pub(super) fn window(&mut self) -> Vec<Variable> {
        let inputs: Vec<Variable> = self.inputs.iter().map(|(input, _)| *input).collect();
        if self.globals.len() + inputs.len() <= WINDOW {
            return self.globals.iter().copied().chain(inputs).collect();
        }
        (0..WINDOW)
            .map(|_| {
                let index = self.choices.index(self.globals.len() + inputs.len());
                match self.globals.get(index) {
                    Some(global) => *global,
                    None => inputs[index - self.globals.len()],
                }
            })
            .collect()
    }

    pub(super) fn object(
        &mut self,
        name: Name,
        ty: TypeId,
        linkage: Linkage,
        storage: Storage,
    ) -> ObjectId {
        let name = Some(self.name(name));
        self.program.objects.push(Object {
            name,
            ty,
            linkage,
            storage,
            init: None,
            align: None,
            asm_name: None,
            attributes: [].into(),
        })
    }

    pub(super) fn stmt(&mut self, stmt: Stmt) -> StmtId {
        self.program.stmts.push(stmt)
    }

    pub(super) fn block_of(&mut self, statements: Vec<StmtId>) -> StmtId {
        self.stmt(Stmt::Block(statements.into()))
    }

    pub(super) fn expr_stmt(&mut self, expr: ExprId) -> StmtId {
        self.charge_expr(expr);
        self.stmt(Stmt::Expr(expr))
    }

    pub(super) fn attribute(&mut self, name: &str) -> Attribute {
        Attribute { name: self.program.names.intern(name), arguments: None }
    }

    /// The lvalue of an object.
    pub(super) fn object_expr(&mut self, object: ObjectId) -> ExprId {
        let ty = self.program[object].ty;
        self.builder().node(ExprKind::Object(object), ty)
    }

    /// The value of an object.
    pub(super) fn load(&mut self, object: ObjectId) -> ExprId {
        let expr = self.object_expr(object);
        self.builder().value(expr)
    }

    /// A copy of an expression, which a tree may hold in a second place.
    pub(super) fn copy(&mut self, expr: ExprId) -> ExprId {
        let Expr { kind, ty } = self.program[expr].clone();
        let kind = match kind {
            ExprKind::Unary(op, operand) => ExprKind::Unary(op, self.copy(operand)),
            ExprKind::Binary(op, left, right) => {
                ExprKind::Binary(op, self.copy(left), self.copy(right))
            }
            ExprKind::Logical(op, left, right) => {
                ExprKind::Logical(op, self.copy(left), self.copy(right))
            }
            ExprKind::Conditional { condition, then, otherwise } => ExprKind::Conditional {
                condition: self.copy(condition),
                then: then.map(|then| self.copy(then)),
                otherwise: self.copy(otherwise),
            },
            ExprKind::Load(operand) => ExprKind::Load(self.copy(operand)),
            ExprKind::Decay(operand) => ExprKind::Decay(self.copy(operand)),
            ExprKind::Convert(operand) => ExprKind::Convert(self.copy(operand)),
            ExprKind::Cast(operand) => ExprKind::Cast(self.copy(operand)),
            ExprKind::Member(operand, field) => ExprKind::Member(self.copy(operand), field),
            ExprKind::Index(base, index) => ExprKind::Index(self.copy(base), self.copy(index)),
            ExprKind::Deref(operand) => ExprKind::Deref(self.copy(operand)),
            ExprKind::AddressOf(operand) => ExprKind::AddressOf(self.copy(operand)),
            ExprKind::Comma(left, right) => ExprKind::Comma(self.copy(left), self.copy(right)),
            ExprKind::Builtin(builtin, arguments) => ExprKind::Builtin(
                builtin,
                arguments.iter().map(|argument| self.copy(*argument)).collect(),
            ),
            ExprKind::Guard { check, operand, fallback } => ExprKind::Guard {
                check,
                operand: self.copy(operand),
                fallback: match fallback {
                    Fallback::FirstOperand => Fallback::FirstOperand,
                    Fallback::Value(value) => Fallback::Value(self.copy(value)),
                },
            },
            ExprKind::Int(_)
            | ExprKind::Object(_)
            | ExprKind::EnumConstant(_)
            | ExprKind::Function(_) => kind,
            other => unreachable!("only expressions without effects are copied: {other:?}"),
        };
        self.program.exprs.push(Expr { kind, ty })
    }
}
