//! Where C++ differs from C.
//!
//! A program of C means the same in C++ when these differences are spelled out. All others are
//! single words, which stand where C has its own.
//!
//! | C | C++ |
//! |---|---|
//! | conversions to enumerations and between pointers are implicit | they are casts |
//! | constants of enumerations are integers | they are cast to integers |
//! | `++` and `op=` change `_Bool` and enumerations | assignments do |
//! | string literals are arrays of `char` | of `const char`, so pointers to them are cast |
//! | initialisers name places and may narrow | they are complete, in order, and cast |
//! | a jump may pass over an initialiser | the initialiser becomes an assignment |
//! | an object without initialiser may be `const` | it gets an empty one |
//! | a `static` object may be declared twice | it gets external linkage |
//! | records may be `volatile` | their members are not |
//! | operands may be of two enumerations, or of one and a floating number | one of them is cast |
//! | a subscript may be a comma expression | it stands in parentheses |

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::expressions::{CAST, Precedence, next_field};
use super::{Language, Printer};
use crate::arena::{ExprId, LabelId, ObjectId, StmtId};
use crate::expr::{AlignofForm, Expr, ExprKind, InitItem, InitPlace, LogicalOp, StepOp, UnaryOp};
use crate::program::{Entity, Field, Item, Linkage, Object, RecordKind, Storage};
use crate::stmt::Stmt;
use crate::types::{ArrayLength, IntKind, Qualifiers, Type, TypeId};

impl<'a> Printer<'a> {
    pub(super) fn is_cplusplus(&self) -> bool {
        self.options.language != Language::C
    }

    /// `_Alignof` is no keyword of C99, but gcc and clang know it there, and the
    /// spelling of C99 asks the other question.
    pub(super) fn alignof(&self, form: AlignofForm) -> &'static str {
        match form {
            AlignofForm::Standard if self.is_cplusplus() => "alignof",
            AlignofForm::Standard => "_Alignof",
            AlignofForm::Preferred => "__alignof__",
        }
    }

    /// Whether an implicit conversion is written as a cast.
    pub(super) fn is_written_cast(&self, expr: &Expr) -> bool {
        if !self.is_cplusplus() {
            return false;
        }
        let program = self.program;
        match expr.kind {
            ExprKind::Decay(operand) => matches!(program[operand].kind, ExprKind::String(_)),
            ExprKind::Convert(operand) => {
                let from = program.type_of(operand);
                match (program.resolve(from), program.resolve(expr.ty)) {
                    (Type::Enum(from), Type::Enum(to)) => from != to,
                    (_, Type::Enum(_)) => true,
                    (Type::Pointer(from), Type::Pointer(to)) => !self.is_widening(*from, *to),
                    (Type::Int(_), Type::Pointer(_)) => !self.is_zero(operand),
                    // g++ up to version 12 looks through a cast to the type of the lanes.
                    (Type::Int(_), Type::Vector { .. }) => self.is_compound(operand),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Whether C++ converts a pointer to `from` to one to `to` by itself.
    fn is_widening(&self, from: TypeId, to: TypeId) -> bool {
        let program = self.program;
        let adds = to.qualifiers().contains(from.qualifiers());
        let to_void = matches!(program.resolve(to), Type::Void)
            && !matches!(program.resolve(from), Type::Function(_));
        adds && (to_void || from.unqualified() == to.unqualified())
    }

    fn is_zero(&self, expr: ExprId) -> bool {
        matches!(self.explicit(expr).1.kind, ExprKind::Int(0))
    }

    /// Whether an expression is neither a name nor a number.
    fn is_compound(&self, expr: ExprId) -> bool {
        let (_, expr) = self.explicit(expr);
        match expr.kind {
            ExprKind::Cast(operand) => self.is_compound(operand),
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Object(_) => false,
            _ => true,
        }
    }

    /// A conversion as a cast.
    pub(super) fn written_cast(&mut self, operand: ExprId, ty: TypeId) {
        if matches!(self.program.resolve(ty), Type::Vector { .. }) {
            // Two brackets in a row would begin an attribute.
            self.text("([&]() -> ");
            self.declare(self.program.type_of(operand).unqualified(), None);
            self.text(" { return ");
            self.expr(operand, 0);
            return self.text("; }())");
        }
        self.type_in_parentheses(ty.unqualified());
        self.expr(operand, CAST);
    }

    /// An operand of an operator, beside the other one. C++20 deprecates those of two enumerations.
    pub(super) fn operand(&mut self, id: ExprId, other: ExprId, precedence: Precedence) {
        let program = self.program;
        let written = |id| program.resolve(self.explicit(id).1.ty);
        let mixed = self.is_cplusplus()
            && match (written(id), written(other)) {
                (Type::Enum(one), Type::Enum(two)) => one != two,
                (Type::Enum(_), Type::Float(_)) => true,
                _ => false,
            };
        if !mixed {
            return self.expr(id, precedence);
        }
        self.type_in_parentheses(program.type_of(id).unqualified());
        self.expr(id, CAST);
    }

    /// Whether an expression has another form in C++, which stands in parentheses.
    pub(super) fn is_changed(&self, expr: &Expr) -> bool {
        self.is_cplusplus()
            && match expr.kind {
                ExprKind::EnumConstant(_) => true,
                ExprKind::Step(_, target) | ExprKind::CompoundAssign { target, .. } => {
                    match self.program.resolve(self.program.type_of(target)) {
                        Type::Enum(_) => true,
                        Type::Int(IntKind::Bool) => matches!(expr.kind, ExprKind::Step(..)),
                        _ => false,
                    }
                }
                _ => false,
            }
    }

    /// Writes an expression in its other form; false if it has none.
    pub(super) fn changed(&mut self, expr: &Expr) -> bool {
        if !self.is_changed(expr) {
            return false;
        }
        let program = self.program;
        match &expr.kind {
            ExprKind::EnumConstant(id) => {
                self.byte(b'(');
                self.type_in_parentheses(expr.ty);
                self.symbol(program[*id].name);
                self.byte(b')');
            }
            ExprKind::Step(_, target) | ExprKind::CompoundAssign { target, .. } => {
                self.change(expr, *target);
            }
            _ => unreachable!("`is_changed` knows no other expressions"),
        }
        true
    }

    /// A change of an object, as an assignment. A place whose evaluation has effects is bound to
    /// a reference first; a bit-field cannot be, so its record is.
    fn change(&mut self, expr: &Expr, target: ExprId) {
        let program = self.program;
        if !program.has_effect(target) {
            return self.assignment(expr, |printer| printer.expr(target, CAST));
        }
        let (bound, member) = match program[target].kind {
            ExprKind::Member(base, field) => match self.fields(program.type_of(base)) {
                Some((_, fields)) if fields[field as usize].bits.is_some() => {
                    (base, fields[field as usize].name)
                }
                _ => (target, None),
            },
            _ => (target, None),
        };
        self.text("([&](");
        self.declare(program.type_of(bound), None);
        self.text(" &farrier_place) { return ");
        self.assignment(expr, |printer| {
            printer.text("farrier_place");
            if let Some(member) = member {
                printer.byte(b'.');
                printer.symbol(member);
            }
        });
        self.text("; }(");
        self.expr(bound, CAST);
        self.text("))");
    }

    /// A change of a place that `place` writes, as often as it is needed.
    fn assignment(&mut self, expr: &Expr, mut place: impl FnMut(&mut Self)) {
        let ty = expr.ty.unqualified();
        match &expr.kind {
            ExprKind::CompoundAssign { op, value, .. } => {
                self.byte(b'(');
                place(self);
                self.text(" = ");
                self.type_in_parentheses(ty);
                self.byte(b'(');
                place(self);
                self.text(" ");
                self.text(op.text());
                self.byte(b' ');
                self.expr(*value, CAST);
                self.text("))");
            }
            ExprKind::Step(op, _) if matches!(self.program.resolve(ty), Type::Enum(_)) => {
                let (forth, back) = match op {
                    StepOp::PreIncrement | StepOp::PostIncrement => (" + 1", " - 1)"),
                    StepOp::PreDecrement | StepOp::PostDecrement => (" - 1", " + 1)"),
                };
                let is_after = matches!(op, StepOp::PostIncrement | StepOp::PostDecrement);
                self.byte(b'(');
                if is_after {
                    self.type_in_parentheses(ty);
                    self.text("((");
                }
                place(self);
                self.text(" = ");
                self.type_in_parentheses(ty);
                self.byte(b'(');
                place(self);
                self.text(forth);
                self.text("))");
                if is_after {
                    self.text(back);
                    self.byte(b')');
                }
            }
            ExprKind::Step(op, _) => {
                let pieces = match op {
                    StepOp::PreIncrement => ["(", " = true)", "", ""],
                    StepOp::PreDecrement => ["(", " = !", ")", ""],
                    StepOp::PostIncrement => ["(", " ? true : !(", " = true))", ""],
                    StepOp::PostDecrement => ["(!(", " = !", "))", ""],
                };
                let places = if *op == StepOp::PreIncrement { 1 } else { 2 };
                for (at, piece) in pieces.iter().enumerate() {
                    self.text(piece);
                    if at < places {
                        place(self);
                    }
                }
            }
            _ => unreachable!("only changes are assignments"),
        }
    }

    /// Whether an expression is an `int` in C and a `bool` in C++.
    pub(super) fn is_truth_value(&self, expr: ExprId) -> bool {
        self.is_cplusplus()
            && match &self.explicit(expr).1.kind {
                ExprKind::Binary(op, ..) => op.is_comparison(),
                ExprKind::Logical(LogicalOp::And | LogicalOp::Or, ..)
                | ExprKind::Unary(UnaryOp::Not, _) => true,
                _ => false,
            }
    }

    /// The value of a `case`.
    pub(super) fn case_value(&mut self, value: ExprId) {
        if self.is_cplusplus() { self.narrowed(value) } else { self.constant_expr(value) }
    }

    /// A value where C++ lets no conversion lose anything.
    fn narrowed(&mut self, value: ExprId) {
        let program = self.program;
        if self.tiny(value) {
            return;
        }
        let ty = program.type_of(value);
        let (_, written) = self.explicit(value);
        let is_number = |ty| {
            let found = program.resolve(ty);
            matches!(found, Type::Int(_) | Type::Float(_) | Type::BitInt { .. } | Type::Enum(_))
        };
        // What a wrapper computes has its type already, but a bare guard has not.
        let differs = written.ty.unqualified() != ty.unqualified()
            || matches!(written.kind, ExprKind::Guard { .. });
        if is_number(ty) && is_number(written.ty) && differs {
            self.written_cast(value, ty);
        } else {
            self.assignment_expr(value);
        }
    }

    /// An initialiser list without designators: places that are left out are empty.
    pub(super) fn complete_list(&mut self, items: &[InitItem], ty: TypeId) {
        self.byte(b'{');
        let record = self.fields(ty);
        let mut next = Some(0);
        let mut first = true;
        let mut comma = |printer: &mut Self| {
            if !std::mem::take(&mut first) {
                printer.text(", ");
            }
        };
        for item in items {
            match (item.place, record) {
                (InitPlace::Elements { first, last }, _) => {
                    for _ in next.unwrap_or(first)..first {
                        comma(self);
                        self.text("{}");
                    }
                    for _ in first..=last {
                        comma(self);
                        self.item(item.value);
                    }
                    next = last.checked_add(1);
                }
                (InitPlace::Field(index), Some((kind, fields))) => {
                    let index = index as usize;
                    let mut at = next_field(fields, 0);
                    if kind == RecordKind::Struct {
                        at = next.and_then(|next| next_field(fields, next as usize));
                        while at.is_some_and(|at| at < index as u64) {
                            comma(self);
                            self.text("{}");
                            at = at.and_then(|at| next_field(fields, at as usize + 1));
                        }
                    }
                    comma(self);
                    if at != Some(index as u64)
                        && let Some(name) = fields[index].name
                    {
                        // Another member of a union.
                        self.byte(b'.');
                        self.symbol(name);
                        self.text(" = ");
                    }
                    self.item(item.value);
                    next = Some(index as u64 + 1);
                }
                (InitPlace::Field(_), None) => unreachable!("only a record has members"),
            }
        }
        self.byte(b'}');
    }

    /// One value of a list.
    fn item(&mut self, value: ExprId) {
        match self.program[value].kind {
            ExprKind::InitList(_) | ExprKind::String(_) => {
                self.object_value(self.program.type_of(value), value);
            }
            _ => self.narrowed(value),
        }
    }

    /// The initialiser of an object.
    pub(super) fn object_initialiser(&mut self, object: &Object, init: ExprId) {
        if self.is_cplusplus() {
            self.object_value(object.ty, init);
        } else {
            self.initialiser(init);
        }
    }

    /// An initialiser of a type. A string that fills its array leaves no room for a zero.
    fn object_value(&mut self, ty: TypeId, init: ExprId) {
        let program = self.program;
        if self.tiny(init) {
            return;
        }
        if let (&ExprKind::String(id), &Type::Array { length: ArrayLength::Fixed(length), .. }) =
            (&program[init].kind, program.resolve(ty))
        {
            let units = &program[id].units;
            if units.len() as u64 >= length {
                self.byte(b'{');
                self.separated(units.iter().take(length as usize), |printer, unit| {
                    printer.text("(char)");
                    printer.number(u64::from(*unit));
                });
                return self.byte(b'}');
            }
        }
        self.initialiser(init);
    }

    /// Whether an object is constant, or a part of it, and has no initialiser.
    pub(super) fn needs_initialiser(&self, object: &Object) -> bool {
        self.is_cplusplus() && self.has_constant(object.ty)
    }

    fn has_constant(&self, ty: TypeId) -> bool {
        if ty.qualifiers().contains(Qualifiers::CONST) {
            return true;
        }
        match *self.program.resolve(ty) {
            Type::Array { element, .. } => self.has_constant(element),
            Type::Record(_) => self
                .fields(ty)
                .is_some_and(|(_, fields)| fields.iter().any(|field| self.has_constant(field.ty))),
            _ => false,
        }
    }

    /// Finds the objects of `items` that C++ does not let a program write as C does.
    pub(super) fn prepare_cplusplus(&mut self, items: &[Item]) {
        if !self.is_cplusplus() {
            return;
        }
        let program = self.program;
        for item in items {
            match *item {
                Item::Declare(Entity::Object(id)) | Item::DeclareAs(Entity::Object(id), _)
                    if program[id].linkage == Linkage::Internal =>
                {
                    self.forward.insert(id);
                }
                Item::Define(Entity::Function(id)) => {
                    let mut jumps = Jumps::new(program);
                    program[id].body.iter().for_each(|body| jumps.stmt(*body));
                    jumps.passed_over(&mut self.bypassed);
                }
                _ => {}
            }
        }
    }

    /// The declaration of an object without its initialiser, and an assignment.
    pub(super) fn separate_initialiser(&mut self, id: ObjectId) {
        let program = self.program;
        let object = &program[id];
        let (Some(init), Some(name)) = (object.init, object.name) else { return };
        self.declare_assignable(object);
        self.assign_parts(program.text(name), object.ty, Some(init));
    }

    /// The declaration of an object that is assigned to although it may be constant, or its
    /// elements.
    fn declare_assignable(&mut self, object: &Object) {
        let mut element = object.ty;
        while let Type::Array { element: inner, .. } = *self.program.resolve(element) {
            element = inner;
        }
        // What is constant of a pointer stands behind its target.
        self.without_const =
            element != object.ty && !matches!(self.program.resolve(element), Type::Pointer(_));
        self.declare(object.ty.unqualified(), object.name);
        self.without_const = false;
    }

    /// Whether a jump passes over what the first clause of a loop declares.
    pub(super) fn is_declared_apart(&self, stmt: StmtId) -> bool {
        let passed = |id: &StmtId| match &self.program[*id] {
            Stmt::Declare(object) => self.bypassed.contains(object),
            _ => false,
        };
        matches!(&self.program[stmt], Stmt::For { init, .. } if init.iter().any(passed))
    }

    /// Declares the objects of the first clause of a loop in a block around it, if a jump passes
    /// over them; whether it has begun a block.
    pub(super) fn declare_apart(&mut self, init: &[StmtId]) -> bool {
        let program = self.program;
        let mut begun = false;
        for id in init {
            if let Stmt::Declare(object) = program[*id]
                && self.bypassed.contains(&object)
            {
                self.text(if begun { "" } else { "{ " });
                begun = true;
                self.declare_assignable(&program[object]);
                self.text("; ");
            }
        }
        begun
    }

    /// The first assignment to such an object.
    pub(super) fn assign_first(&mut self, object: ObjectId) {
        let program = self.program;
        if let Some(init) = program[object].init {
            self.object_name(object);
            self.text(" = ");
            self.assignment_expr(init);
        }
    }

    /// Assignments of all parts of an initialiser to the place with this text, each after a
    /// semicolon.
    fn assign_parts(&mut self, place: &str, ty: TypeId, value: Option<ExprId>) {
        let program = self.program;
        let list = value.and_then(|value| match &program[value].kind {
            ExprKind::InitList(items) => Some(&items[..]),
            _ => None,
        });
        match (program.resolve(ty), list) {
            (&Type::Array { element, length: ArrayLength::Fixed(length) }, _)
                if value.is_none() || list.is_some() =>
            {
                for at in 0..length {
                    let holds = |item: &&InitItem| match item.place {
                        InitPlace::Elements { first, last } => (first..=last).contains(&at),
                        InitPlace::Field(_) => false,
                    };
                    let item = list.unwrap_or_default().iter().find(holds);
                    let value = item.map(|item| item.value);
                    self.assign_parts(&format!("{place}[{at}]"), element, value);
                }
            }
            (Type::Array { .. }, _) => {
                self.text(";\n");
                self.margin(0);
                self.text(if self.is_cuda() { "memcpy(" } else { "__builtin_memcpy(" });
                self.text(place);
                self.text(", ");
                self.initialiser(value.expect("only a string is left"));
                self.text(", sizeof(");
                self.text(place);
                self.text("))");
            }
            _ => {
                self.text(";\n");
                self.margin(0);
                self.text(place);
                self.text(" = ");
                match value {
                    Some(value) if list.is_some() => {
                        self.type_name(ty);
                        self.initialiser(value);
                    }
                    Some(value) => self.assignment_expr(value),
                    None => {
                        self.type_in_parentheses(ty.unqualified());
                        self.text("{}");
                    }
                }
            }
        }
    }
}

impl Printer<'_> {
    /// A member. Where an object with constant members is assigned as a whole, because a jump
    /// passes over its initialiser, members are not constant.
    pub(super) fn member_declaration(&mut self, field: &Field) {
        let is_constant = |object: &ObjectId| self.has_constant(self.program[*object].ty);
        if !self.bypassed.iter().any(is_constant) {
            return self.declare(field.ty, field.name);
        }
        let mut innermost = field.ty;
        while let Type::Array { element, .. } = *self.program.types.get(innermost) {
            innermost = element;
        }
        let is_pointer = matches!(self.program.types.get(innermost), Type::Pointer(_));
        self.without_const = !is_pointer;
        let ty = if is_pointer { field.ty.unqualified() } else { field.ty };
        self.declare(ty, field.name);
        self.without_const = false;
    }

    /// A type before a list in braces, where `struct` may not stand.
    fn type_name(&mut self, ty: TypeId) {
        match self.program.resolve(ty) {
            Type::Record(id) if let Some(tag) = self.program[*id].tag => self.symbol(tag),
            _ => self.declare(ty.unqualified(), None),
        }
    }
}

/// The jumps of a function and the scopes of its objects, all as positions in the text.
struct Jumps<'a> {
    program: &'a crate::program::Program,
    /// The position after the last statement that was seen.
    at: usize,
    /// Objects with an initialiser: where their scopes begin and end.
    scopes: Vec<(ObjectId, usize, usize)>,
    /// From where a jump starts, and to which label; `None` for any label with an address.
    starts: Vec<(usize, Option<LabelId>)>,
    labels: BTreeMap<LabelId, usize>,
    /// From where a `switch` jumps, and to where.
    cases: Vec<(usize, usize)>,
    /// The `switch` statements around the current statement.
    switches: Vec<usize>,
}

impl<'a> Jumps<'a> {
    fn new(program: &'a crate::program::Program) -> Self {
        Self {
            program,
            at: 0,
            scopes: Vec::new(),
            starts: Vec::new(),
            labels: BTreeMap::new(),
            cases: Vec::new(),
            switches: Vec::new(),
        }
    }

    fn stmt(&mut self, id: StmtId) {
        self.at += 1;
        let first = self.scopes.len();
        let stmt = &self.program[id];
        match stmt {
            Stmt::Declare(object) => {
                let Object { init, storage, .. } = &self.program[*object];
                if init.is_some() && !matches!(storage, Storage::Static | Storage::Thread) {
                    self.scopes.push((*object, self.at, usize::MAX));
                }
            }
            Stmt::Goto(label) => self.starts.push((self.at, Some(*label))),
            Stmt::GotoComputed(_) => self.starts.push((self.at, None)),
            Stmt::Label(label, _) => {
                self.labels.insert(*label, self.at);
            }
            Stmt::Case { .. } | Stmt::Default(_) => {
                if let Some(&start) = self.switches.last() {
                    self.cases.push((start, self.at));
                }
            }
            _ => {}
        }
        let is_switch = matches!(stmt, Stmt::Switch { .. });
        if is_switch {
            self.switches.push(self.at);
        }
        stmt.for_each_child(|child| self.stmt(child));
        if is_switch {
            self.switches.pop();
        }
        if matches!(stmt, Stmt::Block(_) | Stmt::For { .. } | Stmt::Switch { .. }) {
            self.at += 1;
            for scope in &mut self.scopes[first..] {
                scope.2 = scope.2.min(self.at);
            }
        }
    }

    /// Adds the objects into whose scope a jump leads from outside.
    fn passed_over(&self, passed: &mut FxHashSet<ObjectId>) {
        let mut jumps = self.cases.clone();
        for (start, label) in &self.starts {
            match label {
                Some(label) => jumps.extend(self.labels.get(label).map(|end| (*start, *end))),
                None => jumps.extend(self.labels.values().map(|end| (*start, *end))),
            }
        }
        for &(object, begin, end) in &self.scopes {
            let inside = |at: usize| (begin..end).contains(&at);
            if jumps.iter().any(|&(from, to)| inside(to) && !inside(from)) {
                passed.insert(object);
            }
        }
    }
}
