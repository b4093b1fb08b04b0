//! Random programs, built through the model rather than from text.

use farrier_lang::build::{Builder, Built};
use farrier_lang::hint::{HINTS, Hint, HintArgument, HintForm, HintKind};
use farrier_lang::layout::Layouts;
use farrier_lang::{
    AlignofForm, ArrayLength, BinaryOp, Dialect, Entity, Enum, EnumConstant, EnumConstantId,
    EnumId, Expr, ExprId, ExprKind, Fallback, Field, FloatKind, Function, FunctionId,
    FunctionSpecifiers, FunctionType, GuardCheck, InitItem, InitPlace, IntKind, Item, Label,
    LabelId, Linkage, LogicalOp, Object, ObjectId, Program, Qualifiers, Record, RecordId,
    RecordKind, StepOp, Stmt, StmtId, Storage, Symbol, Target, Type, TypeId, Types, UnaryOp,
};

/// xorshift64*: small, and the same everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

const OPERATORS: [BinaryOp; 16] = [
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::Less,
    BinaryOp::Greater,
    BinaryOp::LessEqual,
    BinaryOp::GreaterEqual,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::BitAnd,
    BinaryOp::BitXor,
    BinaryOp::BitOr,
];

/// What a function body may refer to.
struct Body {
    labels: Vec<LabelId>,
    result: TypeId,
    /// How many loops and how many switches surround the statement.
    loops: usize,
    breakables: usize,
}

struct Draft {
    program: Program,
    layouts: Layouts,
    random: Random,
    /// How many names have been given out.
    names: usize,
    /// The objects that are visible.
    visible: Vec<ObjectId>,
    functions: Vec<FunctionId>,
    records: Vec<RecordId>,
    enums: Vec<EnumId>,
}

/// The program of a seed.
pub(crate) fn program(target: &'static Target, dialect: Dialect, seed: u64) -> Program {
    let mut draft = Draft {
        program: Program::new(target, dialect),
        layouts: Layouts::default(),
        random: Random::new(seed),
        names: 0,
        visible: Vec::new(),
        functions: Vec::new(),
        records: Vec::new(),
        enums: Vec::new(),
    };
    for _ in 0..draft.random.below(3) {
        draft.enumeration();
    }
    for _ in 0..draft.random.below(4) {
        draft.record();
    }
    for _ in 0..2 + draft.random.below(5) {
        draft.global();
    }
    for _ in 0..1 + draft.random.below(4) {
        draft.function();
    }
    draft.program
}

impl Draft {
    fn builder(&mut self) -> Builder<'_> {
        Builder { program: &mut self.program, layouts: &mut self.layouts, permissive: false }
    }

    fn name(&mut self, prefix: &str) -> Symbol {
        self.names += 1;
        self.program.names.intern(&format!("{prefix}{}", self.names))
    }

    fn int_kind(&mut self) -> IntKind {
        let kind = self.random.pick(&IntKind::ALL);
        if self.program.target.int_scalar(kind).is_some() { kind } else { IntKind::Int }
    }

    /// The type of a number.
    fn arithmetic_type(&mut self) -> TypeId {
        match self.random.below(8) {
            0 => Types::DOUBLE,
            1 => Types::float(self.random.pick(&[FloatKind::Float, FloatKind::LongDouble])),
            2 if !self.enums.is_empty() => {
                let id = self.random.pick(&self.enums.clone());
                self.program.types.intern(Type::Enum(id))
            }
            3 if self.random.one_in(3) => self.program.types.complex_of(Types::DOUBLE),
            _ => Types::int(self.int_kind()),
        }
    }

    /// Any type that an object can have.
    fn object_type(&mut self, depth: usize) -> TypeId {
        let ty = match self.random.below(if depth == 0 { 4 } else { 10 }) {
            4 | 5 => {
                let target = self.object_type(depth - 1);
                self.program.types.pointer_to(target)
            }
            6 => {
                let element = self.object_type(depth - 1);
                let length = 1 + self.random.below(4) as u64;
                self.program.types.array_of(element, ArrayLength::Fixed(length))
            }
            7 | 8 if !self.records.is_empty() => {
                let id = self.random.pick(&self.records.clone());
                self.program.types.intern(Type::Record(id))
            }
            9 if self.random.one_in(2) => self.program.types.vector_of(Types::INT, 4),
            9 => {
                let result = self.arithmetic_type();
                let parameter = self.arithmetic_type();
                let function = self.program.types.function(FunctionType {
                    result,
                    parameters: [parameter].into(),
                    variadic: self.random.one_in(4),
                    prototyped: true,
                });
                self.program.types.pointer_to(function)
            }
            _ => self.arithmetic_type(),
        };
        let qualifiers = match self.random.below(12) {
            0 => Qualifiers::CONST,
            1 => Qualifiers::VOLATILE,
            _ => Qualifiers::NONE,
        };
        self.program.types.qualified(ty, qualifiers)
    }

    fn enumeration(&mut self) {
        let tag = self.name("e");
        let constants = 1 + self.random.below(4);
        let id = self.program.enums.push(Enum {
            tag,
            constants: None,
            underlying: IntKind::UInt,
            fixed: false,
            packed: false,
        });
        let constants: Box<[EnumConstantId]> = (0..constants)
            .map(|value| {
                let name = self.name("E");
                self.program.enum_constants.push(EnumConstant {
                    name,
                    parent: id,
                    value: value as i128 * 3,
                    ty: Types::INT,
                })
            })
            .collect();
        self.program[id].constants = Some(constants);
        self.program.items.push(Item::Define(Entity::Enum(id)));
        self.enums.push(id);
    }

    fn field(&mut self, ty: TypeId, bits: Option<u32>, named: bool) -> Field {
        let name = named.then(|| self.name("m"));
        Field { name, ty, bits, packed: false, align: None, attributes: [].into() }
    }

    fn fields(&mut self, depth: usize) -> Box<[Field]> {
        let count = 1 + self.random.below(4);
        (0..count)
            .map(|_| match self.random.below(6) {
                0 => {
                    let kind = self.random.pick(&[IntKind::Int, IntKind::UInt, IntKind::UChar]);
                    let width = 1 + self.random.below(8) as u32;
                    let named = !self.random.one_in(4);
                    self.field(Types::int(kind), Some(width), named)
                }
                1 if depth > 0 => {
                    let fields = self.fields(depth - 1);
                    let kind = self.random.pick(&[RecordKind::Struct, RecordKind::Union]);
                    let inner = self.program.records.push(Record {
                        kind,
                        tag: None,
                        fields: Some(fields),
                        packed: false,
                        may_alias: false,
                        pack: None,
                        align: None,
                        attributes: [].into(),
                    });
                    let ty = self.program.types.intern(Type::Record(inner));
                    self.field(ty, None, false)
                }
                _ => {
                    let ty = self.object_type(2);
                    self.field(ty, None, true)
                }
            })
            .collect()
    }

    fn record(&mut self) {
        let tag = Some(self.name("s"));
        let fields = Some(self.fields(2));
        let id = self.program.records.push(Record {
            kind: self.random.pick(&[RecordKind::Struct, RecordKind::Struct, RecordKind::Union]),
            tag,
            fields,
            packed: self.random.one_in(6),
            may_alias: false,
            pack: None,
            align: self.random.one_in(6).then_some(8),
            attributes: [].into(),
        });
        self.program.items.push(Item::Define(Entity::Record(id)));
        self.records.push(id);
    }

    fn object(&mut self, ty: TypeId, linkage: Linkage, storage: Storage) -> ObjectId {
        let name = Some(self.name("x"));
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

    fn global(&mut self) {
        let ty = self.object_type(3);
        let linkage = self.random.pick(&[Linkage::External, Linkage::Internal]);
        let id = self.object(ty, linkage, Storage::Static);
        if self.random.one_in(2) {
            self.program[id].init = Some(self.initialiser(ty, true));
        }
        self.program.items.push(Item::Define(Entity::Object(id)));
        self.visible.push(id);
    }

    /// An initialiser for an object of type `ty`, from constants if it must be `constant`.
    fn initialiser(&mut self, ty: TypeId, constant: bool) -> ExprId {
        let (places, is_record): (Vec<(u64, TypeId)>, bool) = match *self.program.resolve(ty) {
            Type::Array { element, length: ArrayLength::Fixed(length) } => {
                ((0..length).map(|index| (index, element)).collect(), false)
            }
            Type::Vector { element, lanes } => {
                ((0..u64::from(lanes)).map(|index| (index, element)).collect(), false)
            }
            Type::Record(id) => {
                let fields = self.program[id].fields.as_deref().expect("complete");
                let named = |field: &Field| field.name.is_some() || field.bits.is_none();
                let places = (0..).zip(fields).filter(|(_, field)| named(field));
                let mut places: Vec<_> = places.map(|(index, field)| (index, field.ty)).collect();
                if self.program[id].kind == RecordKind::Union && !places.is_empty() {
                    let chosen = self.random.below(places.len());
                    places = vec![places[chosen]];
                }
                (places, true)
            }
            _ => return self.scalar_initialiser(ty, constant),
        };
        let mut items = Vec::new();
        for (index, part) in places {
            if self.random.one_in(4) {
                continue;
            }
            let place = if is_record {
                InitPlace::Field(index as u32)
            } else {
                InitPlace::Elements { first: index, last: index }
            };
            let value = self.initialiser(part, constant);
            // C cannot name an anonymous member, only what is in it.
            let anonymous = matches!(self.program.resolve(part), Type::Record(id)
                if self.program[*id].tag.is_none());
            let empty =
                matches!(&self.program[value].kind, ExprKind::InitList(list) if list.is_empty());
            if anonymous && empty {
                continue;
            }
            items.push(InitItem { place, value });
        }
        self.builder().node(ExprKind::InitList(items.into()), ty.unqualified())
    }

    fn scalar_initialiser(&mut self, ty: TypeId, constant: bool) -> ExprId {
        let value = if constant || self.program.pointee(ty).is_some() {
            let value = self.random.below(100) as u64;
            let value = if self.program.is_arithmetic(ty) { value } else { 0 };
            self.builder().int(IntKind::Int, value)
        } else {
            // No deeper: an initialiser may stand in an expression.
            self.value(0)
        };
        if let Ok(converted) = self.builder().convert_assigned(value, ty) {
            return converted;
        }
        let zero = self.builder().int(IntKind::Int, 0);
        self.builder().convert_assigned(zero, ty).expect("zero becomes any scalar")
    }

    fn function(&mut self) {
        let mark = self.visible.len();
        let result = if self.random.one_in(4) { Types::VOID } else { self.arithmetic_type() };
        let parameters: Vec<ObjectId> = (0..self.random.below(4))
            .map(|_| {
                let mut ty = self.object_type(2);
                if matches!(self.program.resolve(ty), Type::Array { .. }) {
                    ty = Types::INT;
                }
                self.object(ty, Linkage::None, Storage::Automatic)
            })
            .collect();
        let types = parameters.iter().map(|id| self.program[*id].ty.unqualified()).collect();
        let ty = self.program.types.function(FunctionType {
            result,
            parameters: types,
            variadic: !parameters.is_empty() && self.random.one_in(6),
            prototyped: true,
        });
        let name = self.name("f");
        let id = self.program.functions.push(Function {
            name,
            ty,
            linkage: self.random.pick(&[Linkage::External, Linkage::Internal]),
            specifiers: FunctionSpecifiers::default(),
            parameters: parameters.clone().into(),
            body: None,
            old_style: false,
            asm_name: None,
            attributes: [].into(),
        });
        self.functions.push(id);
        self.visible.extend(parameters);
        let labels: Vec<LabelId> = (0..self.random.below(3))
            .map(|_| {
                let name = self.name("l");
                self.program.labels.push(Label { name, local: false })
            })
            .collect();
        let mut body = Body { labels: labels.clone(), result, loops: 0, breakables: 0 };
        let mut statements = Vec::new();
        for _ in 0..1 + self.random.below(6) {
            statements.push(self.statement(&mut body, 3));
        }
        for label in labels {
            let inner = self.statement_inside(&mut body, 1);
            statements.push(self.program.stmts.push(Stmt::Label(label, inner)));
        }
        self.program[id].body = Some(self.program.stmts.push(Stmt::Block(statements.into())));
        self.program.items.push(Item::Define(Entity::Function(id)));
        self.visible.truncate(mark);
    }

    /// A statement that may be a declaration.
    fn statement(&mut self, body: &mut Body, depth: usize) -> StmtId {
        if !self.random.one_in(4) {
            return self.statement_inside(body, depth);
        }
        let ty = self.object_type(2);
        let storage = self.random.pick(&[Storage::Automatic, Storage::Automatic, Storage::Static]);
        let id = self.object(ty, Linkage::None, storage);
        self.program[id].init =
            self.random.one_in(2).then(|| self.initialiser(ty, storage == Storage::Static));
        self.visible.push(id);
        self.program.stmts.push(Stmt::Declare(id))
    }

    fn block(&mut self, body: &mut Body, depth: usize) -> StmtId {
        let mark = self.visible.len();
        let count = self.random.below(4);
        let statements = (0..count).map(|_| self.statement(body, depth)).collect();
        self.visible.truncate(mark);
        self.program.stmts.push(Stmt::Block(statements))
    }

    fn loop_body(&mut self, body: &mut Body, depth: usize) -> StmtId {
        body.loops += 1;
        body.breakables += 1;
        let inner = self.statement_inside(body, depth);
        body.loops -= 1;
        body.breakables -= 1;
        inner
    }

    /// A statement that is no declaration.
    fn statement_inside(&mut self, body: &mut Body, depth: usize) -> StmtId {
        let choices = if depth == 0 { 6 } else { 14 };
        let statement = match self.random.below(choices) {
            0 => Stmt::Empty,
            1 if body.breakables > 0 => Stmt::Break,
            2 if body.loops > 0 => Stmt::Continue,
            3 if !body.labels.is_empty() => Stmt::Goto(self.random.pick(&body.labels.clone())),
            4 if self.random.one_in(3) => {
                let value = (body.result != Types::VOID).then(|| {
                    let value = self.value(2);
                    let result = body.result;
                    match self.builder().convert_assigned(value, result) {
                        Ok(value) => value,
                        Err(_) => self.scalar_initialiser(result, true),
                    }
                });
                Stmt::Return(value)
            }
            6 => return self.block(body, depth - 1),
            7 | 8 => {
                let condition = self.condition();
                // A block: otherwise an `else` could belong to the `if` inside.
                let then = self.block(body, depth - 1);
                let otherwise =
                    self.random.one_in(2).then(|| self.statement_inside(body, depth - 1));
                Stmt::If { condition, then, otherwise }
            }
            9 => {
                let condition = self.condition();
                Stmt::While { condition, body: self.loop_body(body, depth - 1) }
            }
            10 => {
                let body = self.loop_body(body, depth - 1);
                Stmt::DoWhile { body, condition: self.condition() }
            }
            11 => self.for_loop(body, depth),
            12 => self.switch(body, depth),
            _ => Stmt::Expr(self.value(3)),
        };
        let is_loop = statement.is_loop();
        let id = self.program.stmts.push(statement);
        if is_loop && self.random.one_in(3) { self.hinted(id) } else { id }
    }

    /// A loop with one to three random hints, if they fit.
    fn hinted(&mut self, body: StmtId) -> StmtId {
        let mut hints = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let row = HINTS[self.random.below(HINTS.len())];
            let mut hint = Hint::bare(row.kind);
            match row.argument {
                HintArgument::None => {}
                HintArgument::Number => hint.number = 1 + self.random.below(16) as u32,
                HintArgument::Object | HintArgument::ObjectAndNumber => {
                    if row.argument == HintArgument::ObjectAndNumber {
                        hint.number = 1 << self.random.below(5);
                    }
                    if self.visible.is_empty() {
                        continue;
                    }
                    let object = self.random.pick(&self.visible.clone());
                    let ty = self.program[object].ty;
                    let kind = ExprKind::Object(object);
                    hint.object = Some(self.program.exprs.push(Expr { kind, ty }));
                }
            }
            if row.form == HintForm::Clause && hints.is_empty() {
                hints.push(Hint::bare(HintKind::Simd));
            }
            hints.push(hint);
        }
        match self.program.hint_fault(&hints, body) {
            None => self.program.stmts.push(Stmt::Hinted { hints: hints.into(), body }),
            Some(_) => body,
        }
    }

    fn for_loop(&mut self, body: &mut Body, depth: usize) -> Stmt {
        let mark = self.visible.len();
        let mut init = Vec::new();
        if self.random.one_in(2) {
            let kind = self.int_kind();
            let id = self.object(Types::int(kind), Linkage::None, Storage::Automatic);
            self.program[id].init = Some(self.scalar_initialiser(Types::int(kind), true));
            self.visible.push(id);
            init.push(self.program.stmts.push(Stmt::Declare(id)));
        } else if self.random.one_in(2) {
            let value = self.value(2);
            init.push(self.program.stmts.push(Stmt::Expr(value)));
        }
        let condition = self.random.one_in(2).then(|| self.condition());
        let step = self.random.one_in(2).then(|| self.value(2));
        let inner = self.loop_body(body, depth - 1);
        self.visible.truncate(mark);
        Stmt::For { init: init.into(), condition, step, body: inner }
    }

    fn switch(&mut self, body: &mut Body, depth: usize) -> Stmt {
        let value = self.integer(2);
        let value = self.builder().promote(value);
        let ty = self.program.type_of(value);
        body.breakables += 1;
        let mut statements = Vec::new();
        for number in 0..self.random.below(4) as u64 {
            let first = self.builder().int(IntKind::Int, number * 10);
            let first = self.builder().convert(first, ty);
            let last = self.random.one_in(3).then(|| {
                let last = self.builder().int(IntKind::Int, number * 10 + 5);
                self.builder().convert(last, ty)
            });
            let inner = self.statement_inside(body, depth - 1);
            statements.push(self.program.stmts.push(Stmt::Case { first, last, body: inner }));
        }
        if self.random.one_in(2) {
            let inner = self.statement_inside(body, depth - 1);
            statements.push(self.program.stmts.push(Stmt::Default(inner)));
        }
        body.breakables -= 1;
        let body = self.program.stmts.push(Stmt::Block(statements.into()));
        Stmt::Switch { value, body }
    }

    /// A value that is a number or a pointer.
    fn condition(&mut self) -> ExprId {
        let value = self.value(2);
        match self.builder().condition(value) {
            Ok(value) => value,
            Err(_) => self.integer(1),
        }
    }

    /// A value of an integer type.
    fn integer(&mut self, depth: usize) -> ExprId {
        let value = self.value(depth);
        if self.program.is_integer(self.program.type_of(value)) { value } else { self.constant() }
    }

    fn constant(&mut self) -> ExprId {
        let kinds = [
            IntKind::Int,
            IntKind::UInt,
            IntKind::Long,
            IntKind::ULong,
            IntKind::LongLong,
            IntKind::ULongLong,
        ];
        let kind = self.random.pick(&kinds);
        let target = self.program.target;
        let bits = target.int_bits(kind) - u32::from(target.int_signed(kind));
        let value = match self.random.below(4) {
            0 => u64::MAX >> (64 - bits),
            1 => 1 << (bits - 1),
            _ => self.random.below(300) as u64,
        };
        self.builder().int(kind, value)
    }

    /// An object, or a part of one.
    fn lvalue(&mut self, depth: usize) -> Option<ExprId> {
        if self.visible.is_empty() {
            return None;
        }
        let object = self.random.pick(&self.visible.clone());
        let ty = self.program[object].ty;
        let mut expr = self.builder().node(ExprKind::Object(object), ty);
        for _ in 0..depth {
            let ty = self.program.type_of(expr);
            expr = match *self.program.resolve(ty) {
                Type::Record(id) => {
                    let fields = self.program[id].fields.as_deref().expect("complete");
                    let field = self.random.below(fields.len());
                    if fields[field].name.is_none() && fields[field].bits.is_some() {
                        break;
                    }
                    self.builder().member(expr, field as u32)
                }
                Type::Array { .. } | Type::Vector { .. } => {
                    let index = self.index();
                    self.builder().index(expr, index).ok()?
                }
                Type::Pointer(target)
                    if !matches!(self.program.resolve(target), Type::Function(_) | Type::Void) =>
                {
                    let pointer = self.builder().value(expr);
                    let ty = self.program.type_of(pointer);
                    let pointer = if self.random.one_in(3) {
                        self.guard(GuardCheck::Pointer, pointer, ty)
                    } else {
                        pointer
                    };
                    self.builder().deref(pointer).ok()?
                }
                _ => break,
            };
        }
        // A part without a name can only be reached through, not used.
        let unnamed = |program: &Program, expr: ExprId| match program[expr].kind {
            ExprKind::Member(base, index) => match program.resolve(program.type_of(base)) {
                Type::Record(id) => {
                    program[*id].fields.as_deref().expect("complete")[index as usize].name.is_none()
                }
                _ => false,
            },
            _ => false,
        };
        (!unnamed(&self.program, expr)).then_some(expr)
    }

    fn index(&mut self) -> ExprId {
        // Often a constant, or indices in indices would have no end.
        let index = if self.random.one_in(3) { self.integer(0) } else { self.constant() };
        if !self.random.one_in(2) {
            return index;
        }
        let ty = self.program.type_of(index);
        self.guard(GuardCheck::Index { bound: 4 }, index, ty)
    }

    fn guard(&mut self, check: GuardCheck, operand: ExprId, ty: TypeId) -> ExprId {
        let number = self.program.is_arithmetic(ty);
        // A constant has no operand to fall back on.
        let mut operands = 0;
        self.program[operand].kind.for_each_operand(|_| operands += 1);
        let operation = matches!(check, GuardCheck::Operation | GuardCheck::Exact);
        let fallback = if !operation || number && (operands == 0 || self.random.one_in(2)) {
            let value = self.builder().int(IntKind::Int, u64::from(number));
            Fallback::Value(self.builder().convert(value, ty))
        } else {
            Fallback::FirstOperand
        };
        self.builder().node(ExprKind::Guard { check, operand, fallback }, ty)
    }

    /// Any value; never of an array or function type.
    fn value(&mut self, depth: usize) -> ExprId {
        if depth == 0 {
            if self.random.one_in(2)
                && let Some(lvalue) = self.lvalue(2)
            {
                return self.builder().value(lvalue);
            }
            return self.constant();
        }
        match self.operation(depth - 1) {
            Some(Ok(expr)) => self.builder().value(expr),
            _ => self.constant(),
        }
    }

    /// An expression with operands, if one comes to mind and the rules allow it.
    fn operation(&mut self, depth: usize) -> Option<Built> {
        Some(match self.random.below(16) {
            0..=3 => {
                let op = self.random.pick(&OPERATORS);
                let (left, right) = (self.value(depth), self.value(depth));
                let built = self.builder().binary(op, left, right);
                match built {
                    Ok(expr) if self.guardable(expr) && self.random.one_in(2) => {
                        let ty = self.program.type_of(expr);
                        Ok(self.guard(GuardCheck::Operation, expr, ty))
                    }
                    other => other,
                }
            }
            4 => {
                let ops = [UnaryOp::Plus, UnaryOp::Minus, UnaryOp::BitNot, UnaryOp::Not];
                let (op, value) = (self.random.pick(&ops), self.value(depth));
                self.builder().unary(op, value)
            }
            5 => {
                let (target, value) = (self.lvalue(2)?, self.value(depth));
                self.builder().assign(target, value)
            }
            6 => {
                let op = self.random.pick(&OPERATORS);
                if op.is_comparison() {
                    return None;
                }
                let (target, value) = (self.lvalue(2)?, self.value(depth));
                self.builder().compound_assign(op, target, value)
            }
            7 => {
                let ops = [
                    StepOp::PreIncrement,
                    StepOp::PreDecrement,
                    StepOp::PostIncrement,
                    StepOp::PostDecrement,
                ];
                let (op, target) = (self.random.pick(&ops), self.lvalue(2)?);
                self.builder().step(op, target)
            }
            8 => {
                let (condition, otherwise) = (self.value(depth), self.value(depth));
                let then = (!self.random.one_in(3)).then(|| self.value(depth));
                self.builder().conditional(condition, then, otherwise)
            }
            9 => {
                let op = self.random.pick(&[LogicalOp::And, LogicalOp::Or]);
                let (left, right) = (self.value(depth), self.value(depth));
                self.builder().logical(op, left, right)
            }
            10 => {
                let (left, right) = (self.value(depth), self.value(depth));
                Ok(self.builder().comma(left, right))
            }
            11 => {
                let (value, ty) = (self.value(depth), self.object_type(1));
                self.builder().cast(value, ty)
            }
            12 => self.call(depth)?,
            13 => {
                let lvalue = self.lvalue(2)?;
                self.builder().address_of(lvalue)
            }
            14 => self.query()?,
            _ => {
                let ty = self.object_type(2).unqualified();
                let init = self.initialiser(ty, false);
                Ok(self.builder().node(ExprKind::CompoundLiteral(init), ty))
            }
        })
    }

    /// Whether a wrapper exists for the operation.
    fn guardable(&self, expr: ExprId) -> bool {
        let ExprKind::Binary(_, left, right) = self.program[expr].kind else { return false };
        let integer =
            |id: ExprId| matches!(self.program.resolve(self.program.type_of(id)), Type::Int(_));
        integer(left) && integer(right)
    }

    fn call(&mut self, depth: usize) -> Option<Built> {
        if self.functions.is_empty() {
            return None;
        }
        let id = self.random.pick(&self.functions.clone());
        let ty = self.program[id].ty;
        let Type::Function(function) = self.program.types.get(ty).clone() else { return None };
        let mut arguments = Vec::new();
        for parameter in &function.parameters {
            let value = self.value(depth);
            if self.builder().convert_assigned(value, *parameter).is_ok() {
                arguments.push(value);
            } else if self.program.is_scalar(*parameter) {
                arguments.push(self.scalar_initialiser(*parameter, true));
            } else {
                return None;
            }
        }
        let designator = self.builder().node(ExprKind::Function(id), ty);
        Some(self.builder().call(designator, arguments))
    }

    /// `sizeof` and the like.
    fn query(&mut self) -> Option<Built> {
        let size = Types::int(self.program.target.size_type);
        let kind = match self.random.below(4) {
            0 => ExprKind::SizeofType(self.object_type(2)),
            1 => ExprKind::AlignofType(AlignofForm::Standard, self.object_type(2)),
            2 => {
                let value = self.value(1);
                // The operand is not converted, and bit-fields have no size.
                match self.program[value].kind {
                    ExprKind::Load(operand) | ExprKind::Decay(operand) => {
                        if let ExprKind::Member(..) = self.program[operand].kind {
                            return None;
                        }
                        ExprKind::SizeofExpr(operand)
                    }
                    _ => ExprKind::SizeofExpr(value),
                }
            }
            _ => {
                let constants: Vec<EnumConstantId> = self.program.enum_constants.ids().collect();
                if constants.is_empty() {
                    return None;
                }
                let constant = self.random.pick(&constants);
                return Some(Ok(self.builder().node(ExprKind::EnumConstant(constant), Types::INT)));
            }
        };
        Some(Ok(self.builder().node(kind, size)))
    }
}
