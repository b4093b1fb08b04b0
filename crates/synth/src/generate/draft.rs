//! A program that grows: its variables, scopes and budgets.

use farrier_lang::build::Builder;
use farrier_lang::layout::Layouts;
use farrier_lang::{
    Attribute, EnumId, ExprId, ExprKind, FloatKind, FunctionId, FunctionType, Linkage, Object,
    ObjectId, Program, Stmt, StmtId, Storage, Symbol, TypeId, Types, copy,
};

use farrier_machine::Tier;
use rustc_hash::FxHashSet;

use super::Config;
use super::aggregates::View;
use super::border::Border;
use super::budget::{Budget, Size};
use super::bytes::Passer;
use super::complex::{ComplexFunction, ComplexHome};
use super::floats::Caps;
use super::idioms;
use super::names::NAMES;
pub(super) use super::names::Name;
use super::nests::{NestArray, NestHelper, NestLengths, NestRecords};
use super::scope::{DraftScope, Variable};
use super::strings::Buffer;
use super::values::{ExpressionRates, expression_rates};
use super::vectors::{Home, VectorFunction, VectorType};
use crate::Choices;
use crate::features::{Feature, Share, Weights};
use crate::parameters::{Parameter, Parameters, Policies};
use crate::relax::{Relaxation, Relaxed};

/// How many globals a function sees: enough for variety, and few enough that choosing
/// one takes the same time in a large program.
const WINDOW: usize = 24;

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

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub(super) function: FunctionId,
    pub(super) ty: FunctionType,
    pub(super) type_id: TypeId,
    /// The most operations that a call executes.
    pub(super) cost: u64,
    pub(super) role: Role,
}

/// What a function is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// `main` calls it, once.
    Test,
    /// Generated code calls it.
    Ordinary,
    /// Generated code calls it, and it calls itself as deep as its first parameter says.
    Recursive,
    /// It computes its result from its arguments alone.
    Helper,
    /// It computes idioms, and is called for many inputs at once.
    Idiom,
    /// Loop nests call it, with small numbers.
    Nest,
    /// It consists of loop nests over arrays that it gets.
    Kernel,
    /// `main` calls it once, with a one that compilers do not know.
    Knot,
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

/// Which operators a subtree prefers (YARPGen 3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Context {
    Mixed,
    Additive,
    Bitwise,
    Logical,
    Multiplicative,
    Shift,
    BitwiseShift,
    AdditiveMultiplicative,
}

impl Context {
    /// Every context, in the order of the enumeration.
    pub(super) const ALL: [Self; 8] = [
        Self::Mixed,
        Self::Additive,
        Self::Bitwise,
        Self::Logical,
        Self::Multiplicative,
        Self::Shift,
        Self::BitwiseShift,
        Self::AdditiveMultiplicative,
    ];
}

/// Which leaves a subtree has (YARPGen 3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaves {
    /// As the parameter says.
    Any,
    /// Half of them are constants.
    Half,
    /// All of them are.
    Constant,
}

/// The full expression that is being drafted.
#[derive(Debug)]
pub(super) struct Expression {
    /// The private locals that it reads.
    pub(super) used: Vec<ObjectId>,
    /// Those that it writes.
    pub(super) written: Vec<ObjectId>,
    pub(super) context: Context,
    pub(super) leaves: Leaves,
    /// Whether an index is being drafted: indices do not nest, or they would not end.
    pub(super) indexing: bool,
}

impl Expression {
    pub(super) fn new(context: Context) -> Self {
        Self {
            used: Vec::new(),
            written: Vec::new(),
            context,
            leaves: Leaves::Any,
            indexing: false,
        }
    }
}

/// What the program has, for drafting to use again.
#[derive(Debug, Default)]
pub(super) struct Stock {
    pub(super) globals: Vec<Variable>,
    pub(super) callees: Vec<Callee>,
    pub(super) indirects: Vec<Indirect>,
    pub(super) records: Vec<RecordInfo>,
    pub(super) enums: Vec<EnumId>,
    /// Inputs: integers that are set before the tests run, and what sets them.
    pub(super) inputs: Vec<(Variable, i128)>,
    /// How often each policy was followed.
    pub(super) policies: Policies,
    /// Arrays that loop nests go over.
    pub(super) nest_arrays: Vec<NestArray>,
    /// Arrays of floating numbers that loop nests go over.
    pub(super) float_arrays: Vec<NestArray>,
    /// Arrays that only sums of nests go into.
    pub(super) sum_arrays: Vec<NestArray>,
    /// Arrays of bytes, and arrays of records with like members, for loops.
    pub(super) byte_arrays: Vec<NestArray>,
    pub(super) nest_records: Vec<NestRecords>,
    /// Functions that nothing is added to.
    pub(super) plain: Vec<FunctionId>,
    /// Functions that nests call.
    pub(super) nest_helpers: Vec<NestHelper>,
    /// The rows that statements of nests came from, each with its last statement.
    pub(super) shapes: Vec<(&'static str, StmtId)>,
    /// Types of vectors, the globals that hold them, and the functions of them.
    pub(super) vector_types: Vec<VectorType>,
    pub(super) vectors: Vec<Home>,
    pub(super) vector_functions: Vec<VectorFunction>,
    /// The globals that hold complex numbers, and the functions of them.
    pub(super) complex: Vec<ComplexHome>,
    pub(super) complex_functions: Vec<ComplexFunction>,
    /// How long they are.
    pub(super) nest_lengths: NestLengths,
    /// Arrays of subscripts, each with the number that all of them are below.
    pub(super) nest_indices: Vec<(NestArray, u64)>,
    /// How many functions consist of nests.
    pub(super) outlines: u64,
    /// Globals that only their own statements name, but that are checked as others are.
    pub(super) own: Vec<Variable>,
    /// The types of views, which nothing else uses.
    pub(super) view_types: Vec<TypeId>,
    /// The functions that get a view and return it.
    pub(super) passers: Vec<Passer>,
    /// The functions of the library that are declared.
    pub(super) library: Vec<(&'static str, FunctionId)>,
    /// Functions that are called with known arguments alone.
    pub(super) borders: Vec<Border>,
    /// The constants of late.
    pub(super) constants: Vec<i128>,
}

impl Stock {
    /// The globals whose values are checked in the end.
    pub(super) fn checked(&self) -> Vec<Variable> {
        self.globals.iter().chain(&self.own).copied().collect()
    }
}

/// A program that grows.
pub(super) struct Draft<'a> {
    pub(super) choices: &'a mut Choices,
    pub(super) config: &'a Config,
    pub(super) weights: Weights,
    pub(super) parameters: Parameters,
    pub(super) program: Program,
    pub(super) layouts: Layouts,
    pub(super) stock: Stock,
    pub(super) scope: DraftScope,
    pub(super) budget: Budget,
    pub(super) expression: Expression,
    /// The views of the block that is being drafted.
    pub(super) views: Vec<View>,
    /// The strings of that block.
    pub(super) buffers: Vec<Buffer>,
    /// The conditions on which the end of a loop or of a recursion depends.
    pub(super) fixed: FxHashSet<StmtId>,
    /// How often each form of expression is chosen.
    pub(super) expression_rates: Box<ExpressionRates>,
    /// The idioms that the program can have.
    pub(super) idioms: Vec<usize>,
    /// The functions that give the bits of floating numbers, as far as there are some.
    pub(super) bits: Vec<(FloatKind, FunctionId)>,
    /// The seed of the skeletons of loop nests.
    pub(super) skeletons: u64,
    /// What its floating arithmetic is like; `None` if it has none.
    pub(super) tier: Option<Tier>,
    /// What its floating numbers keep in tier free.
    pub(super) caps: Caps,
    /// The rules that it breaks.
    pub(super) relaxed: Relaxed,
    /// Whether objects that live as long as the program may be assigned.
    pub(super) writes_statics: bool,
    /// How many functions are being drafted at once.
    pub(super) nesting: u32,
    pub(super) size: Size,
    numbers: [u32; NAMES.len()],
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
            expression_rates: expression_rates(&weights),
            idioms: idioms::possible(&weights),
            weights,
            parameters,
            program: Program::new(config.target, config.dialect),
            layouts: Layouts::default(),
            stock: Stock::default(),
            scope: DraftScope::new(Types::VOID),
            budget: Budget::new(0, 0),
            expression: Expression::new(Context::Mixed),
            views: Vec::new(),
            buffers: Vec::new(),
            fixed: FxHashSet::default(),
            bits: Vec::new(),
            skeletons: 0,
            tier: None,
            caps: Caps::default(),
            relaxed: Relaxed::default(),
            writes_statics: true,
            nesting: 0,
            size: Size::default(),
            numbers: [0; NAMES.len()],
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

    /// Decides whether a rule is broken here.
    pub(super) fn relaxes(&mut self, relaxation: Relaxation) -> bool {
        self.relaxed.decide(relaxation, self.choices)
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
        loop {
            let number = &mut self.numbers[name as usize];
            *number += 1;
            let text = format!("{}{number}", name.prefix());
            // A program that was there before may have such a name.
            if self.program.names.find(&text).is_none() {
                return self.program.names.intern(&text);
            }
        }
    }

    /// Begins a full expression: nothing is read or written yet.
    pub(super) fn begin_expression(&mut self) {
        self.expression.used.clear();
        self.expression.written.clear();
    }

    /// The mode of a full expression.
    pub(super) fn draw_mode(&mut self) -> Mode {
        if self.chance(Parameter::EffectShare) { Mode::Free } else { Mode::Reading }
    }

    /// Some of the globals, for a function.
    pub(super) fn window(&mut self) -> Vec<Variable> {
        let Stock { globals, inputs, .. } = &self.stock;
        let all = globals.len() + inputs.len();
        let global = |index: usize| match globals.get(index) {
            Some(global) => *global,
            None => inputs[index - globals.len()].0,
        };
        let mut window: Vec<Variable> = if all <= WINDOW {
            (0..all).map(global).collect()
        } else {
            (0..WINDOW).map(|_| global(self.choices.index(all))).collect()
        };
        window.retain(|variable| !self.holds_vectors(self.program[variable.object].ty));
        window
    }

    /// Drafts what stands in a function of its own, and gives back what was spent on it.
    pub(super) fn within<T>(
        &mut self,
        mut scope: DraftScope,
        mut budget: Budget,
        work: impl FnOnce(&mut Self) -> T,
    ) -> (T, Budget) {
        let mut expression = Expression::new(Context::Mixed);
        let mut swap = |draft: &mut Self| {
            std::mem::swap(&mut draft.scope, &mut scope);
            std::mem::swap(&mut draft.budget, &mut budget);
            std::mem::swap(&mut draft.expression, &mut expression);
        };
        swap(self);
        self.nesting += 1;
        let made = work(self);
        self.nesting -= 1;
        swap(self);
        (made, budget)
    }

    pub(super) fn object(
        &mut self,
        name: Name,
        ty: TypeId,
        linkage: Linkage,
        storage: Storage,
    ) -> ObjectId {
        let name = self.name(name);
        let object = Object { linkage, storage, ..Object::local(name, ty) };
        self.program.objects.push(object)
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

    /// The designator of a function.
    pub(super) fn function_expr(&mut self, function: FunctionId) -> ExprId {
        let ty = self.program[function].ty;
        self.builder().node(ExprKind::Function(function), ty)
    }

    /// The value of an object.
    pub(super) fn load(&mut self, object: ObjectId) -> ExprId {
        let expr = self.object_expr(object);
        self.builder().value(expr)
    }

    /// A copy of an expression, which a tree may hold in a second place.
    pub(super) fn copy(&mut self, expr: ExprId) -> ExprId {
        copy::expr(&mut self.program, expr)
    }
}
