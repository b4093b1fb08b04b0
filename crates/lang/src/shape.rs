//! Equality, order and size of programs.
//!
//! One walk from the items turns a program into a stream of words that says
//! everything the program is and nothing about how it is stored: entities, types,
//! names and labels are numbered where the walk first meets them, so ids, arena
//! order, spans and unreachable nodes leave no trace. Two programs are equal
//! exactly when their streams are. The contents of entities wait in a queue rather
//! than being walked where they are met, so recursive types and long chains of
//! calls need no stack.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;

use crate::arena::{AsmId, EnumConstantId, ExprId, LabelId, StmtId, StringId, Symbol};
use crate::describe::{entity_in_words, expr_in_words, stmt_in_words, type_in_words};
use crate::expr::{ExprKind, Fallback, GuardCheck, InitPlace, OffsetStep};
use crate::float::FloatValue;
use crate::program::{AsmOperand, Attribute, Entity, Item, Program};
use crate::stmt::Stmt;
use crate::types::{ArrayLength, Qualifiers, Type, TypeId};

/// How big a program is: the first thing the reducer's order looks at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Measure {
    /// The reachable nodes that show in the text. Implicit conversions do not
    /// count: a change of type that needs one more of them is no growth.
    nodes: usize,
    /// The bits of literals, the letters of names and the implicit conversions.
    details: u64,
}

/// The number of reachable nodes of a program that show in its text: expressions
/// except implicit conversions, statements, items, entities with their members,
/// attributes, and types.
pub fn size(program: &Program) -> usize {
    walk(program, None).measure.nodes
}

/// What programs have in common that differ only in constants and names: one word after the
/// other, the same on every machine. Two programs with the same pattern most likely show the
/// same bug.
pub fn pattern(program: &Program) -> Vec<u64> {
    walk_details(program, None, Details::Ignored).words
}

/// Where two programs first differ, in words; `None` if they are equal.
pub fn difference(left: &Program, right: &Program) -> Option<String> {
    let left = walk(left, Some(Vec::new()));
    let right = walk(right, Some(Vec::new()));
    let common = left.words.iter().zip(&right.words).take_while(|(l, r)| l == r).count();
    if common == left.words.len() && common == right.words.len() {
        return None;
    }
    Some(format!("left: {}\nright: {}", left.place(common), right.place(common)))
}

impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        walk(self, None).words == walk(other, None).words
    }
}

impl Eq for Program {}

impl PartialOrd for Program {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The reducer's order: the program with fewer visible nodes is smaller, then the
/// one with smaller literals and shorter names; what is left is arbitrary but fixed.
impl Ord for Program {
    fn cmp(&self, other: &Self) -> Ordering {
        let (left, right) = (walk(self, None), walk(other, None));
        left.measure.cmp(&right.measure).then_with(|| left.words.cmp(&right.words))
    }
}

impl Hash for Program {
    fn hash<H: Hasher>(&self, state: &mut H) {
        walk(self, None).words.hash(state);
    }
}

/// What the walk has just begun, for [`difference`].
#[derive(Clone, Copy)]
enum Note {
    Item(usize),
    Content(Content),
    Type(TypeId),
    Expr(ExprId),
    Stmt(StmtId),
}

/// Something whose content is emitted once, after it was first met.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Content {
    Entity(Entity),
    EnumConstant(EnumConstantId),
}

/// Whether the values of constants, the letters of names and strings, and the lengths of
/// arrays count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Details {
    Counted,
    Ignored,
}

struct Walk<'a> {
    program: &'a Program,
    details: Details,
    words: Vec<u64>,
    measure: Measure,
    contents: FxHashMap<Content, u64>,
    waiting: VecDeque<Content>,
    types: FxHashMap<TypeId, u64>,
    names: FxHashMap<Symbol, u64>,
    labels: FxHashMap<LabelId, u64>,
    notes: Option<Vec<(usize, Note)>>,
}

fn walk(program: &Program, notes: Option<Vec<(usize, Note)>>) -> Walk<'_> {
    walk_details(program, notes, Details::Counted)
}

fn walk_details(
    program: &Program,
    notes: Option<Vec<(usize, Note)>>,
    details: Details,
) -> Walk<'_> {
    let mut walk = Walk {
        program,
        details,
        words: Vec::new(),
        measure: Measure { nodes: 0, details: 0 },
        contents: FxHashMap::default(),
        waiting: VecDeque::new(),
        types: FxHashMap::default(),
        names: FxHashMap::default(),
        labels: FxHashMap::default(),
        notes,
    };
    walk.text(program.target.name);
    walk.word(program.dialect as u64);
    walk.word(program.items.len() as u64);
    for (index, item) in program.items.iter().enumerate() {
        walk.begin(Note::Item(index));
        match *item {
            Item::Declare(entity) => {
                walk.word(0);
                walk.entity(entity);
            }
            Item::Define(entity) => {
                walk.word(1);
                walk.entity(entity);
            }
            Item::Asm(asm) => {
                walk.word(2);
                walk.asm(asm);
            }
            Item::DeclareAs(entity, ty) => {
                walk.word(3);
                walk.entity(entity);
                walk.ty(ty);
            }
        }
    }
    while let Some(content) = walk.waiting.pop_front() {
        walk.begin(Note::Content(content));
        walk.content(content);
    }
    walk
}

/// How much there is to a floating constant: its digits, binary or decimal. It is a little more
/// than there is to an integer of the same value with an implicit conversion.
fn float_details(program: &Program, ty: TypeId, bits: u128) -> u64 {
    const LEAST: u64 = 2;
    const BITS_OF_A_LETTER: usize = 4;
    let &Type::Float(kind) = program.resolve(ty) else { return LEAST };
    let Some((_, format)) = program.target.float_scalar(kind) else { return LEAST };
    let value = FloatValue { format, bits };
    let Some((odd, exponent)) = value.odd() else { return LEAST };
    let binary = (128 - odd.leading_zeros() + exponent.unsigned_abs()) as usize;
    let decimal = value.decimal().map_or(usize::MAX, |text| text.len() * BITS_OF_A_LETTER);
    LEAST + binary.min(decimal) as u64
}

/// The number that says which form an expression has. A new form gets a new number.
pub fn form_of_expr(kind: &ExprKind) -> u64 {
    match kind {
        ExprKind::Int(_) => 0,
        ExprKind::Float(_) => 1,
        ExprKind::Imaginary(_) => 2,
        ExprKind::String(_) => 3,
        ExprKind::Object(_) => 4,
        ExprKind::Function(_) => 5,
        ExprKind::EnumConstant(_) => 6,
        ExprKind::LabelAddress(_) => 7,
        ExprKind::CompoundLiteral(_) => 8,
        ExprKind::InitList(_) => 9,
        ExprKind::Unary(..) => 10,
        ExprKind::AddressOf(_) => 11,
        ExprKind::Deref(_) => 12,
        ExprKind::Step(..) => 13,
        ExprKind::Binary(..) => 14,
        ExprKind::Logical(..) => 15,
        ExprKind::Comma(..) => 16,
        ExprKind::Assign(..) => 17,
        ExprKind::CompoundAssign { .. } => 18,
        ExprKind::Conditional { .. } => 19,
        ExprKind::Load(_) => 20,
        ExprKind::Decay(_) => 21,
        ExprKind::Convert(_) => 22,
        ExprKind::Cast(_) => 23,
        ExprKind::Call(..) => 24,
        ExprKind::Builtin(..) => 25,
        ExprKind::Member(..) => 26,
        ExprKind::Index(..) => 27,
        ExprKind::SizeofType(_) => 28,
        ExprKind::SizeofExpr(_) => 29,
        ExprKind::AlignofType(..) => 30,
        ExprKind::AlignofExpr(..) => 31,
        ExprKind::Offsetof(..) => 32,
        ExprKind::VaArg(_) => 33,
        ExprKind::StatementExpr(_) => 34,
        ExprKind::Guard { .. } => 35,
        ExprKind::Swizzle(..) => 36,
    }
}

/// The number that says which form a statement has.
pub fn form_of_stmt(stmt: &Stmt) -> u64 {
    match stmt {
        Stmt::Empty => 0,
        Stmt::Expr(_) => 1,
        Stmt::Block(_) => 2,
        Stmt::Declare(_) => 3,
        Stmt::If { .. } => 4,
        Stmt::While { .. } => 5,
        Stmt::DoWhile { .. } => 6,
        Stmt::For { .. } => 7,
        Stmt::Switch { .. } => 8,
        Stmt::Case { .. } => 9,
        Stmt::Default(_) => 10,
        Stmt::Label(..) => 11,
        Stmt::Goto(_) => 12,
        Stmt::GotoComputed(_) => 13,
        Stmt::Break => 14,
        Stmt::Continue => 15,
        Stmt::Return(_) => 16,
        Stmt::Asm(_) => 17,
        Stmt::Fallthrough => 18,
        Stmt::DefineRecord(_) => 19,
        Stmt::DefineFunction(_) => 20,
        Stmt::Hinted { .. } => 21,
    }
}

impl Walk<'_> {
    fn word(&mut self, word: u64) {
        self.words.push(word);
    }

    fn wide(&mut self, value: u128) {
        self.word((value >> 64) as u64);
        self.word(value as u64);
    }

    fn flag(&mut self, flag: bool) {
        self.word(u64::from(flag));
    }

    /// An optional number: absent, or one more word.
    fn optional(&mut self, value: Option<impl Into<u64>>) {
        self.flag(value.is_some());
        if let Some(value) = value {
            self.word(value.into());
        }
    }

    /// Notes what comes next, and counts it.
    fn begin(&mut self, note: Note) {
        self.measure.nodes += 1;
        self.note(note);
    }

    fn note(&mut self, note: Note) {
        let at = self.words.len();
        if let Some(notes) = &mut self.notes {
            notes.push((at, note));
        }
    }

    fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        for chunk in text.as_bytes().chunks(8) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            // Big endian, so that the order of words is the order of texts.
            self.word(u64::from_be_bytes(bytes));
        }
    }

    fn name(&mut self, symbol: Symbol) {
        let text = self.program.text(symbol);
        self.measure.details += text.len() as u64;
        let next = self.names.len() as u64;
        let number = *self.names.entry(symbol).or_insert(next);
        self.word(number);
        if number == next && self.details == Details::Counted {
            self.text(text);
        }
    }

    fn optional_name(&mut self, symbol: Option<Symbol>) {
        self.flag(symbol.is_some());
        if let Some(symbol) = symbol {
            self.name(symbol);
        }
    }

    fn label(&mut self, label: LabelId) {
        let next = self.labels.len() as u64;
        let number = *self.labels.entry(label).or_insert(next);
        self.word(number);
        if number == next {
            let label = &self.program[label];
            self.name(label.name);
            self.flag(label.local);
        }
    }

    fn string(&mut self, string: StringId) {
        let string = &self.program[string];
        self.measure.details += string.units.len() as u64;
        self.word(string.encoding as u64);
        if self.details == Details::Ignored {
            return;
        }
        self.word(string.units.len() as u64);
        self.words.extend(string.units.iter().map(|&unit| u64::from(unit)));
    }

    fn optional_string(&mut self, string: Option<StringId>) {
        self.flag(string.is_some());
        if let Some(string) = string {
            self.string(string);
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        self.word(attributes.len() as u64);
        for attribute in attributes {
            self.measure.nodes += 1;
            self.name(attribute.name);
            self.flag(attribute.arguments.is_some());
            if let Some(arguments) = &attribute.arguments {
                self.text(arguments);
            }
        }
    }

    fn refer(&mut self, content: Content) {
        let next = self.contents.len() as u64;
        let number = *self.contents.entry(content).or_insert(next);
        self.word(number);
        if number == next {
            self.waiting.push_back(content);
        }
    }

    fn entity(&mut self, entity: Entity) {
        self.word(match entity {
            Entity::Record(_) => 0,
            Entity::Enum(_) => 1,
            Entity::Typedef(_) => 2,
            Entity::Object(_) => 3,
            Entity::Function(_) => 4,
        });
        self.refer(Content::Entity(entity));
    }

    fn content(&mut self, content: Content) {
        let program = self.program;
        match content {
            Content::Entity(Entity::Record(id)) => {
                let record = &program[id];
                self.word(record.kind as u64);
                self.optional_name(record.tag);
                self.flag(record.packed);
                self.optional(record.pack);
                self.optional(record.align);
                self.flag(record.may_alias);
                self.attributes(&record.attributes);
                self.optional(record.fields.as_ref().map(|fields| fields.len() as u64));
                for field in record.fields.iter().flatten() {
                    self.measure.nodes += 1;
                    self.optional_name(field.name);
                    self.ty(field.ty);
                    self.optional(field.bits);
                    self.flag(field.packed);
                    self.optional(field.align);
                    self.attributes(&field.attributes);
                }
            }
            Content::Entity(Entity::Enum(id)) => {
                let definition = &program[id];
                self.name(definition.tag);
                self.word(definition.underlying as u64);
                self.flag(definition.fixed);
                self.flag(definition.packed);
                self.optional(definition.constants.as_ref().map(|all| all.len() as u64));
                for &constant in definition.constants.iter().flatten() {
                    self.refer(Content::EnumConstant(constant));
                }
            }
            Content::EnumConstant(id) => {
                let constant = &program[id];
                self.name(constant.name);
                self.entity(Entity::Enum(constant.parent));
                // Flipping the sign bit makes the order of words that of values.
                if self.details == Details::Counted {
                    self.wide((constant.value as u128) ^ (1 << 127));
                }
                self.measure.details += u64::from(bits(constant.value.unsigned_abs()));
                self.ty(constant.ty);
            }
            Content::Entity(Entity::Typedef(id)) => {
                let typedef = &program[id];
                self.name(typedef.name);
                self.ty(typedef.base);
                self.optional(typedef.align);
                self.flag(typedef.may_alias);
                self.flag(typedef.extended);
                self.attributes(&typedef.attributes);
            }
            Content::Entity(Entity::Object(id)) => {
                let object = &program[id];
                self.optional_name(object.name);
                self.ty(object.ty);
                self.word(object.linkage as u64);
                self.word(object.storage as u64);
                self.optional(object.align);
                self.optional_string(object.asm_name);
                self.attributes(&object.attributes);
                self.optional_expr(object.init);
            }
            Content::Entity(Entity::Function(id)) => {
                let function = &program[id];
                self.name(function.name);
                self.ty(function.ty);
                self.word(function.linkage as u64);
                self.flag(function.specifiers.inline);
                self.flag(function.specifiers.noreturn);
                self.flag(function.specifiers.extern_inline);
                self.flag(function.old_style);
                self.optional_string(function.asm_name);
                self.attributes(&function.attributes);
                self.word(function.parameters.len() as u64);
                for &parameter in &function.parameters {
                    self.entity(Entity::Object(parameter));
                }
                self.flag(function.body.is_some());
                if let Some(body) = function.body {
                    self.stmt(body);
                }
            }
        }
    }

    fn ty(&mut self, ty: TypeId) {
        let next = self.types.len() as u64;
        let number = *self.types.entry(ty).or_insert(next);
        self.word(number);
        if number != next {
            return;
        }
        let qualifiers =
            [Qualifiers::CONST, Qualifiers::VOLATILE, Qualifiers::RESTRICT, Qualifiers::ATOMIC];
        for qualifier in qualifiers {
            let present = ty.qualifiers().contains(qualifier);
            self.measure.nodes += usize::from(present);
            self.flag(present);
        }
        if !ty.qualifiers().is_empty() {
            return self.ty(ty.unqualified());
        }
        self.begin(Note::Type(ty));
        match self.program.types.get(ty) {
            Type::Void => self.word(0),
            Type::Int(kind) => self.words.extend([1, *kind as u64]),
            Type::BitInt { signed, width } => {
                self.words.extend([2, u64::from(*signed), u64::from(*width)]);
            }
            Type::Float(kind) => self.words.extend([3, *kind as u64]),
            Type::Complex(element) => {
                self.word(4);
                self.ty(*element);
            }
            Type::Enum(id) => {
                self.word(5);
                self.entity(Entity::Enum(*id));
            }
            Type::Pointer(pointee) => {
                self.word(6);
                self.ty(*pointee);
            }
            Type::Array { element, length } => {
                self.word(7);
                match length {
                    ArrayLength::Fixed(_) if self.details == Details::Ignored => self.word(0),
                    ArrayLength::Fixed(length) => self.words.extend([0, *length]),
                    ArrayLength::Unknown => self.word(1),
                    ArrayLength::Variable(length) => {
                        self.word(2);
                        self.expr(*length);
                    }
                    ArrayLength::Star => self.word(3),
                }
                self.ty(*element);
            }
            Type::Vector { element, lanes } => {
                self.words.extend([8, u64::from(*lanes)]);
                self.ty(*element);
            }
            Type::Function(function) => {
                self.words.extend([
                    9,
                    u64::from(function.variadic),
                    u64::from(function.prototyped),
                ]);
                self.ty(function.result);
                self.word(function.parameters.len() as u64);
                for &parameter in &function.parameters {
                    self.ty(parameter);
                }
            }
            Type::Record(id) => {
                self.word(10);
                self.entity(Entity::Record(*id));
            }
            Type::Typedef(id) => {
                self.word(11);
                self.entity(Entity::Typedef(*id));
            }
            Type::VaList => self.word(12),
            Type::NullPointer => self.word(13),
        }
    }

    fn optional_expr(&mut self, expr: Option<ExprId>) {
        self.flag(expr.is_some());
        if let Some(expr) = expr {
            self.expr(expr);
        }
    }

    fn expr(&mut self, id: ExprId) {
        let program = self.program;
        let node = &program[id];
        if matches!(node.kind, ExprKind::Load(_) | ExprKind::Decay(_) | ExprKind::Convert(_)) {
            self.measure.details += 1;
            self.note(Note::Expr(id));
        } else {
            self.begin(Note::Expr(id));
        }
        self.word(form_of_expr(&node.kind));
        self.ty(node.ty);
        // A type met for the first time has notes of its own; what follows is ours again.
        self.note(Note::Expr(id));
        // First what is not an operand, then the operands, which `for_each_operand` gives.
        match &node.kind {
            ExprKind::Int(value) => {
                self.measure.details += u64::from(bits(u128::from(*value)));
                if self.details == Details::Counted {
                    self.word(*value);
                }
            }
            ExprKind::Float(id) => {
                self.measure.details += float_details(program, node.ty, program[*id]);
                if self.details == Details::Counted {
                    self.wide(program[*id]);
                }
            }
            ExprKind::String(id) => self.string(*id),
            ExprKind::Object(id) => self.entity(Entity::Object(*id)),
            ExprKind::Function(id) => self.entity(Entity::Function(*id)),
            ExprKind::EnumConstant(id) => self.refer(Content::EnumConstant(*id)),
            ExprKind::LabelAddress(id) => self.label(*id),
            ExprKind::InitList(items) => {
                self.word(items.len() as u64);
                for item in items {
                    match item.place {
                        InitPlace::Field(field) => self.words.extend([0, u64::from(field)]),
                        InitPlace::Elements { first, last } => self.words.extend([1, first, last]),
                    }
                }
            }
            ExprKind::Unary(op, _) => self.word(*op as u64),
            ExprKind::Step(op, _) => self.word(*op as u64),
            ExprKind::Binary(op, ..) => self.word(*op as u64),
            ExprKind::Logical(op, ..) => self.word(*op as u64),
            ExprKind::CompoundAssign { op, computation, .. } => {
                self.word(*op as u64);
                self.ty(*computation);
            }
            ExprKind::Conditional { then, .. } => self.flag(then.is_some()),
            ExprKind::Call(_, arguments) => self.word(arguments.len() as u64),
            ExprKind::Builtin(builtin, arguments) => {
                self.text(builtin.name());
                self.word(arguments.len() as u64);
            }
            ExprKind::Member(_, field) => self.word(u64::from(*field)),
            ExprKind::Swizzle(_, lanes) => self.word(lanes.0),
            ExprKind::SizeofType(ty) => self.ty(*ty),
            ExprKind::AlignofType(form, ty) => {
                self.word(*form as u64);
                self.ty(*ty);
            }
            ExprKind::AlignofExpr(form, _) => self.word(*form as u64),
            ExprKind::Offsetof(ty, path) => {
                self.ty(*ty);
                self.word(path.len() as u64);
                for step in path {
                    match step {
                        OffsetStep::Field(field) => self.words.extend([0, u64::from(*field)]),
                        OffsetStep::Index(_) => self.word(1),
                    }
                }
            }
            ExprKind::StatementExpr(block) => self.stmt(*block),
            ExprKind::Guard { check, fallback, .. } => {
                match check {
                    GuardCheck::Operation => self.word(0),
                    GuardCheck::Exact => self.word(1),
                    GuardCheck::Index { bound } => self.words.extend([2, u64::from(*bound)]),
                    GuardCheck::Pointer => self.word(3),
                }
                self.flag(matches!(fallback, Fallback::Value(_)));
            }
            ExprKind::Imaginary(_)
            | ExprKind::CompoundLiteral(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Deref(_)
            | ExprKind::Comma(..)
            | ExprKind::Assign(..)
            | ExprKind::Load(_)
            | ExprKind::Decay(_)
            | ExprKind::Convert(_)
            | ExprKind::Cast(_)
            | ExprKind::Index(..)
            | ExprKind::SizeofExpr(_)
            | ExprKind::VaArg(_) => {}
        }
        node.kind.for_each_operand(|operand| self.expr(operand));
    }

    fn stmt(&mut self, id: StmtId) {
        let node = &self.program[id];
        self.begin(Note::Stmt(id));
        self.word(form_of_stmt(node));
        match node {
            Stmt::Block(statements) => self.word(statements.len() as u64),
            Stmt::Declare(object) => self.entity(Entity::Object(*object)),
            Stmt::DefineRecord(record) => self.entity(Entity::Record(*record)),
            Stmt::DefineFunction(function) => self.entity(Entity::Function(*function)),
            Stmt::If { otherwise, .. } => self.flag(otherwise.is_some()),
            Stmt::For { init, condition, step, .. } => {
                self.word(init.len() as u64);
                self.flag(condition.is_some());
                self.flag(step.is_some());
            }
            Stmt::Case { last, .. } => self.flag(last.is_some()),
            Stmt::Label(label, _) | Stmt::Goto(label) => self.label(*label),
            Stmt::Return(value) => self.flag(value.is_some()),
            Stmt::Asm(asm) => self.asm(*asm),
            Stmt::Hinted { hints, .. } => {
                self.word(hints.len() as u64);
                self.measure.nodes += hints.len();
                for hint in hints {
                    self.words.extend([hint.kind as u64, hint.number.into()]);
                }
            }
            Stmt::Empty
            | Stmt::Expr(_)
            | Stmt::While { .. }
            | Stmt::DoWhile { .. }
            | Stmt::Switch { .. }
            | Stmt::Default(_)
            | Stmt::GotoComputed(_)
            | Stmt::Break
            | Stmt::Continue
            | Stmt::Fallthrough => {}
        }
        node.for_each_expr(|expr| self.expr(expr));
        node.for_each_child(|child| self.stmt(child));
    }

    fn asm(&mut self, id: AsmId) {
        let asm = &self.program[id];
        self.flag(asm.volatile);
        self.flag(asm.inline);
        self.flag(asm.extended);
        self.string(asm.template);
        self.asm_operands(&asm.outputs);
        self.asm_operands(&asm.inputs);
        self.word(asm.clobbers.len() as u64);
        asm.clobbers.iter().for_each(|&clobber| self.string(clobber));
        self.word(asm.labels.len() as u64);
        asm.labels.iter().for_each(|&label| self.label(label));
    }

    fn asm_operands(&mut self, operands: &[AsmOperand]) {
        self.word(operands.len() as u64);
        for operand in operands {
            self.optional_name(operand.name);
            self.string(operand.constraint);
            self.expr(operand.value);
        }
    }

    /// What the walk was at when it emitted the word at `position`.
    fn place(&self, position: usize) -> String {
        let notes = self.notes.as_deref().expect("only walks with notes are asked");
        let until = notes.partition_point(|(at, _)| *at <= position);
        let inside = notes[..until].iter().rev().find_map(|(_, note)| match note {
            Note::Content(content) => Some(*content),
            _ => None,
        });
        let inside = match inside {
            None => "the list of items".into(),
            Some(Content::Entity(entity)) => entity_in_words(self.program, entity),
            Some(Content::EnumConstant(id)) => {
                format!("enumeration constant {}", self.program.text(self.program[id].name))
            }
        };
        let at = match notes[..until].last() {
            None => "its start".into(),
            Some((_, Note::Item(index))) => format!("item {index}"),
            Some((_, Note::Content(_))) => "its declaration".into(),
            Some((_, Note::Type(ty))) => format!("type {}", type_in_words(self.program, *ty)),
            Some((_, Note::Expr(expr))) => expr_in_words(self.program, *expr),
            Some((_, Note::Stmt(stmt))) => stmt_in_words(self.program, *stmt),
        };
        let beyond = self
            .words
            .get(position)
            .map_or(" (it ends here)".into(), |word| format!(" (word {word})"));
        format!("in {inside}: {at}{beyond}")
    }
}

/// How many bits a number needs.
fn bits(value: u128) -> u32 {
    128 - value.leading_zeros()
}
