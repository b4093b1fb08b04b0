//! What is in a program: how often each feature occurs, and how often in code that runs.
//!
//! The count looks at the program alone, not at how it was drafted, so it is a proof
//! that a feature is there and not merely that it was meant to be.

use farrier_lang::print::GuardStyle;
use farrier_lang::print::guards::wrapper_of;
use farrier_lang::*;
use farrier_machine::{Profile, Values};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

use crate::features::Feature;

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
    /// Functions.
    pub functions: Count,
}

impl Census {
    /// How often a feature occurs.
    pub fn feature(&self, feature: Feature) -> Count {
        self.features[feature as usize]
    }
}

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
            functions: Count::default(),
        },
        function: None,
        labels: FxHashSet::default(),
        counters: FxHashSet::default(),
        seen: FxHashMap::default(),
        loops: 0,
        conditional: false,
        in_switch: false,
    };
    for item in &program.items {
        match *item {
            Item::Define(Entity::Object(object)) => counter.object(object, true),
            Item::Define(Entity::Function(function)) => counter.function(function),
            _ => {}
        }
    }
    counter.census
}

struct Counter<'a> {
    program: &'a Program,
    profile: &'a Profile,
    style: GuardStyle,
    census: Census,
    function: Option<FunctionId>,
    /// The labels that have been passed.
    labels: FxHashSet<LabelId>,
    /// The counters of the loops around.
    counters: FxHashSet<ObjectId>,
    /// The expressions of the function, by their shape.
    seen: FxHashMap<u64, u32>,
    loops: u32,
    /// Whether the statement is the branch of an `if`.
    conditional: bool,
    in_switch: bool,
}

impl Counter<'_> {
    fn add(&mut self, feature: Feature, executed: bool) {
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
        if self.program.text(function.name) == "main" && !function.parameters.is_empty() {
            self.add(Feature::HiddenArgument, runs);
        }
        if self.is_graph(body) {
            self.add(Feature::Graph, runs);
        }
        if self.is_helper(id) {
            self.add(Feature::Helper, runs);
        }
        self.stmt(body);
    }

    /// Three labelled blocks or more side by side.
    fn is_graph(&self, body: StmtId) -> bool {
        let Stmt::Block(statements) = &self.program[body] else { return false };
        let labelled =
            statements.iter().filter(|id| matches!(self.program[**id], Stmt::Label(..))).count();
        labelled >= 3
    }

    /// A function of integers that ends within two statements.
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
        integers
            && statements.len() <= 2
            && statements.last().is_some_and(|id| matches!(self.program[*id], Stmt::Return(_)))
    }

    fn stmt(&mut self, id: StmtId) {
        let runs = self.profile.stmt(id) > 0;
        self.census.statements.total += 1;
        self.census.statements.executed += u64::from(runs);
        let conditional = std::mem::take(&mut self.conditional);
        match self.program[id].clone() {
            Stmt::Expr(expr) => self.expr(expr, runs),
            Stmt::Block(statements) => {
                if std::mem::take(&mut self.in_switch) {
                    self.fallthrough(&statements);
                }
                for inner in statements {
                    self.stmt(inner);
                }
            }
            Stmt::Declare(object) => self.object(object, runs),
            Stmt::If { condition, then, otherwise } => {
                self.add(Feature::If, runs);
                self.expr(condition, runs);
                self.conditional = true;
                self.stmt(then);
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise);
                }
            }
            Stmt::While { condition, body } => {
                self.add(Feature::While, runs);
                self.expr(condition, runs);
                self.body(body);
            }
            Stmt::DoWhile { body, condition } => {
                self.add(Feature::Do, runs);
                self.body(body);
                self.expr(condition, runs);
            }
            Stmt::For { init, condition, step, body } => {
                self.for_loop(&init, condition, step, body, runs)
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
                self.add(if backward { Feature::BackwardGoto } else { Feature::Goto }, runs);
            }
            Stmt::Break if conditional => self.add(Feature::Break, runs),
            Stmt::Continue => self.add(Feature::Continue, runs),
            Stmt::Return(value) => {
                if conditional {
                    self.add(Feature::Return, runs);
                }
                if let Some(value) = value {
                    self.expr(value, runs);
                }
            }
            _ => {}
        }
    }

    /// Cases that run into the next.
    fn fallthrough(&mut self, statements: &[StmtId]) {
        for pair in statements.windows(2) {
            let label =
                |id: StmtId| matches!(self.program[id], Stmt::Case { .. } | Stmt::Default(_));
            if label(pair[0]) && label(pair[1]) {
                self.add(Feature::SwitchFallthrough, self.profile.stmt(pair[1]) > 0);
            }
        }
    }

    fn body(&mut self, body: StmtId) {
        self.loops += 1;
        self.stmt(body);
        self.loops -= 1;
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
            self.expr(condition, runs);
            if let ExprKind::Binary(_, left, right) = self.program[condition].kind {
                counter = self.objects(left).first().copied();
                if !self.objects(right).is_empty() {
                    self.add(Feature::VariableBound, runs);
                }
            }
        }
        if let Some(step) = step {
            self.expr(step, self.is_evaluated(step));
        }
        let new = counter.is_some_and(|counter| self.counters.insert(counter));
        self.body(body);
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
        if let ExprKind::Index(_, index) = kind
            && self.objects(*index).contains(&counter)
        {
            return true;
        }
        let mut found = false;
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
            if !self.program.is_scalar(object.ty) {
                self.add(Feature::LocalRecord, runs);
            }
        }
        if let Some(init) = object.init {
            // A static initialiser is not executed, but it takes effect.
            let fixed = object.storage == Storage::Static;
            self.initialiser(init, runs, fixed);
        }
    }

    fn initialiser(&mut self, init: ExprId, runs: bool, fixed: bool) {
        match &self.program[init].kind {
            ExprKind::InitList(items) => {
                let gap = (0..).zip(items.iter()).any(|(index, item)| match item.place {
                    InitPlace::Field(field) => field != index,
                    InitPlace::Elements { first, .. } => first != u64::from(index),
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
        for feature in self.features_of(id) {
            self.add(feature, runs);
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

    /// Whether the function had an expression of this shape before, four nodes or more.
    fn repeats(&mut self, id: ExprId) -> bool {
        let (hash, nodes) = self.shape(id);
        if nodes < 4 || !matches!(self.program[id].kind, ExprKind::Binary(..)) {
            return false;
        }
        let times = self.seen.entry(hash).or_insert(0);
        *times += 1;
        *times > 1
    }

    fn shape(&self, id: ExprId) -> (u64, u32) {
        let mut hasher = FxHasher::default();
        let expr = &self.program[id];
        let mut nodes = 1;
        std::mem::discriminant(&expr.kind).hash(&mut hasher);
        match &expr.kind {
            ExprKind::Int(value) => value.hash(&mut hasher),
            ExprKind::Object(object) => object.hash(&mut hasher),
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

    fn features_of(&self, id: ExprId) -> Vec<Feature> {
        use Feature as F;
        let program = self.program;
        let Expr { kind, ty } = &program[id];
        let mut found = Vec::new();
        match kind {
            ExprKind::Load(_) | ExprKind::Assign(..) | ExprKind::Cast(_) => {
                found.extend(number_feature(program.resolve(*ty)));
            }
            _ => {}
        }
        if program.is_lvalue(id) {
            if ty.qualifiers().contains(Qualifiers::VOLATILE) {
                found.push(F::Volatile);
            }
            if ty.qualifiers().contains(Qualifiers::CONST) {
                found.push(F::Const);
            }
        }
        if wrapper_of(program, &program[id]).is_some_and(|wrapper| wrapper.is_macro(self.style)) {
            found.push(F::MacroWrapper);
        }
        match kind {
            ExprKind::EnumConstant(_) => found.push(F::Enum),
            ExprKind::Member(base, index) => {
                if let Type::Record(record) = *program.resolve(program.type_of(*base)) {
                    let record = &program[record];
                    found.push(match record.kind {
                        RecordKind::Struct => F::Struct,
                        RecordKind::Union => F::Union,
                    });
                    if record.packed {
                        found.push(F::Packed);
                    }
                    let field = record.fields.as_deref().map(|fields| &fields[*index as usize]);
                    if field.is_some_and(|field| field.bits.is_some()) {
                        found.push(F::BitField);
                    }
                }
                if matches!(program[*base].kind, ExprKind::Member(..)) {
                    found.push(F::NestedRecord);
                }
            }
            ExprKind::Index(base, _) => {
                found.push(F::Array);
                if let ExprKind::Decay(inner) = program[*base].kind
                    && matches!(program[inner].kind, ExprKind::Index(..))
                {
                    found.push(F::MultiArray);
                }
            }
            ExprKind::Deref(pointer) => {
                found.push(F::Pointer);
                let target = program.pointee(program.type_of(*pointer));
                if target.is_some_and(|target| program.pointee(target).is_some()) {
                    found.push(F::PointerToPointer);
                }
            }
            ExprKind::Convert(operand)
                if program.pointee(*ty).is_some()
                    && matches!(program[*operand].kind, ExprKind::Int(0)) =>
            {
                found.push(F::NullPointer);
            }
            ExprKind::CompoundLiteral(_) => found.push(F::CompoundLiteral),
            ExprKind::String(_) => found.push(F::StringLiteral),
            ExprKind::Binary(op, ..) => found.push(match op {
                BinaryOp::Add | BinaryOp::Sub => F::Arithmetic,
                BinaryOp::Mul => F::Multiplication,
                BinaryOp::Div | BinaryOp::Rem => F::Division,
                BinaryOp::Shl | BinaryOp::Shr => F::Shift,
                BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => F::Bitwise,
                _ => F::Comparison,
            }),
            ExprKind::Logical(..) => found.push(F::Logical),
            ExprKind::Unary(..) => found.push(F::Unary),
            ExprKind::Conditional { .. } => found.push(if program.pointee(*ty).is_some() {
                F::PointerSelect
            } else {
                F::Ternary
            }),
            ExprKind::Comma(..) => found.push(F::Comma),
            ExprKind::Cast(_) => found.push(F::Cast),
            ExprKind::Assign(_, value) => {
                if matches!(program.resolve(*ty), Type::Record(_)) {
                    found.push(F::RecordCopy);
                }
                if self.is_effect(*value) {
                    found.push(F::AssignExpression);
                }
            }
            ExprKind::CompoundAssign { value, .. } => {
                found.push(F::CompoundAssign);
                let element = self.loops > 0 && self.reads_element(*value);
                if element {
                    found.push(F::Reduction);
                }
            }
            ExprKind::Step(..) => found.push(F::Increment),
            ExprKind::Builtin(builtin, _) => {
                let name = builtin.name();
                found.push(if name.contains("overflow") {
                    F::OverflowBuiltin
                } else if name.contains("bswap") {
                    F::ByteSwap
                } else {
                    F::BitBuiltin
                });
            }
            ExprKind::Call(callee, arguments) => {
                self.call_features(*callee, arguments, *ty, &mut found)
            }
            _ => {}
        }
        if let ExprKind::Binary(_, left, right) | ExprKind::Logical(_, left, right) = kind {
            let assigns = |expr: &ExprId| matches!(program[*expr].kind, ExprKind::Assign(..));
            if [left, right].into_iter().any(|side| self.through_conversions(*side, assigns)) {
                found.push(F::AssignExpression);
            }
        }
        found
    }

    fn call_features(
        &self,
        callee: ExprId,
        arguments: &[ExprId],
        ty: TypeId,
        found: &mut Vec<Feature>,
    ) {
        use Feature as F;
        let program = self.program;
        match program[callee].kind {
            ExprKind::Decay(inner) => {
                if let ExprKind::Function(function) = program[inner].kind {
                    let target = &program[function];
                    if target.body.is_none() {
                        return;
                    }
                    found.push(F::Call);
                    if target.specifiers.inline {
                        found.push(F::Inline);
                    }
                    if !target.attributes.is_empty() {
                        found.push(F::Attribute);
                    }
                    if Some(function) == self.function {
                        found.push(F::Recursion);
                    }
                    let main = self
                        .function
                        .is_some_and(|function| program.text(program[function].name) == "main");
                    if main
                        && target
                            .attributes
                            .iter()
                            .any(|attribute| program.text(attribute.name) == "noinline")
                    {
                        found.push(F::HiddenInput);
                    }
                }
            }
            ExprKind::Load(place) => found.push(match program[place].kind {
                ExprKind::Index(..) => F::FunctionTable,
                _ => F::FunctionPointer,
            }),
            _ => {}
        }
        if matches!(program.resolve(ty), Type::Record(_)) {
            found.push(F::RecordResult);
        }
        for argument in arguments {
            let ty = program.type_of(*argument);
            match program.resolve(ty) {
                Type::Record(_) => found.push(F::RecordParameter),
                Type::Pointer(_) => found.push(F::PointerParameter),
                _ => {}
            }
        }
    }

    fn through_conversions(&self, expr: ExprId, test: impl Fn(&ExprId) -> bool) -> bool {
        match self.program[expr].kind {
            ExprKind::Convert(inner) | ExprKind::Cast(inner) => {
                self.through_conversions(inner, test)
            }
            _ => test(&expr),
        }
    }

    fn is_effect(&self, expr: ExprId) -> bool {
        self.through_conversions(expr, |expr| {
            matches!(self.program[*expr].kind, ExprKind::Assign(..))
        })
    }

    fn reads_element(&self, expr: ExprId) -> bool {
        self.through_conversions(expr, |expr| match self.program[*expr].kind {
            ExprKind::Load(place) => matches!(self.program[place].kind, ExprKind::Index(..)),
            _ => false,
        })
    }
}

/// The feature that an integer type is.
fn number_feature(ty: &Type) -> Option<Feature> {
    Some(match ty {
        Type::Enum(_) => Feature::Enum,
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
