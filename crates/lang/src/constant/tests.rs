//! Rows of expressions with their values, as gcc folds them on x86-64.

use super::*;
use crate::builtins::Builtin;
use crate::expr::{Expr, Fallback, GuardCheck};
use crate::program::{
    Attribute, Dialect, Field, Function, Linkage, Object, Program, Record, RecordKind, Storage,
    StringLiteral,
};
use crate::target::{AVR, I386_LINUX, Target, X86_64_LINUX};
use crate::types::{ArrayLength, FloatKind, FunctionType, Types};

const CHAR: TypeId = Types::CHAR;
const INT: TypeId = Types::INT;
const UNSIGNED: TypeId = Types::int(IntKind::UInt);
const LONG: TypeId = Types::int(IntKind::Long);
const SIZE: TypeId = Types::int(IntKind::ULong);
const BOOL: TypeId = Types::int(IntKind::Bool);
const WIDE: TypeId = Types::int(IntKind::Int128);
const UNSIGNED_WIDE: TypeId = Types::int(IntKind::UInt128);
const DOUBLE: TypeId = Types::DOUBLE;

/// A program with `int object;` and `struct s { char a; int b[4]; char c : 3; }`.
struct Fixture {
    program: Program,
    object: ExprId,
    record: TypeId,
    record_pointer: TypeId,
    char_pointer: TypeId,
    int_pointer: TypeId,
}

type Build = fn(&mut Fixture) -> ExprId;

impl Fixture {
    fn new(target: &'static Target) -> Self {
        let mut program = Program::new(target, Dialect::C17);
        let name = program.names.intern("object");
        let object = program.objects.push(Object {
            linkage: Linkage::External,
            storage: Storage::Static,
            align: Some(32),
            ..Object::local(name, INT)
        });
        let object = program.exprs.push(Expr { kind: ExprKind::Object(object), ty: INT });
        let array = program.types.array_of(INT, ArrayLength::Fixed(4));
        let field = |ty, bits| Field {
            name: Some(name),
            ty,
            bits,
            packed: false,
            align: None,
            attributes: [].into(),
        };
        let record = program.records.push(Record {
            kind: RecordKind::Struct,
            tag: Some(name),
            fields: Some([field(CHAR, None), field(array, None), field(CHAR, Some(3))].into()),
            packed: false,
            pack: None,
            align: None,
            may_alias: false,
            attributes: [].into(),
        });
        let record = program.types.intern(Type::Record(record));
        let record_pointer = program.types.pointer_to(record);
        let char_pointer = program.types.pointer_to(CHAR);
        let int_pointer = program.types.pointer_to(INT);
        Self { program, object, record, record_pointer, char_pointer, int_pointer }
    }

    fn push(&mut self, ty: TypeId, kind: ExprKind) -> ExprId {
        self.program.exprs.push(Expr { kind, ty })
    }

    fn int(&mut self, ty: TypeId, value: u64) -> ExprId {
        self.push(ty, ExprKind::Int(value))
    }

    fn double(&mut self, value: f64) -> ExprId {
        let bits = self.program.floats.push(value.to_bits().into());
        self.push(DOUBLE, ExprKind::Float(bits))
    }

    fn cast(&mut self, ty: TypeId, operand: ExprId) -> ExprId {
        self.push(ty, ExprKind::Cast(operand))
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId) -> ExprId {
        let ty = self.program.type_of(operand);
        self.push(ty, ExprKind::Unary(op, operand))
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let ty = if op.is_comparison() { INT } else { self.program.type_of(left) };
        self.push(ty, ExprKind::Binary(op, left, right))
    }

    /// `left op right` of two constants of one type.
    fn ints(&mut self, op: BinaryOp, ty: TypeId, left: u64, right: u64) -> ExprId {
        let (left, right) = (self.int(ty, left), self.int(ty, right));
        self.binary(op, left, right)
    }

    fn load(&mut self) -> ExprId {
        self.push(INT, ExprKind::Load(self.object))
    }

    fn logical(&mut self, op: LogicalOp, left: ExprId, right: ExprId) -> ExprId {
        self.push(INT, ExprKind::Logical(op, left, right))
    }

    fn builtin(&mut self, name: &str, ty: TypeId, arguments: &[ExprId]) -> ExprId {
        let builtin = Builtin::by_name(name).expect("the table has it");
        self.push(ty, ExprKind::Builtin(builtin, arguments.into()))
    }

    /// `(int *)address`
    fn pointer(&mut self, address: u64) -> ExprId {
        let address = self.int(LONG, address);
        self.cast(self.int_pointer, address)
    }

    /// `left op right` of two pointers.
    fn pointers(&mut self, op: BinaryOp, left: u64, right: u64) -> ExprId {
        let (left, right) = (self.pointer(left), self.pointer(right));
        let ty = if op == BinaryOp::Sub { LONG } else { INT };
        self.push(ty, ExprKind::Binary(op, left, right))
    }

    /// `((struct s *)0)->b[index]`
    fn element(&mut self, index: u64) -> ExprId {
        let null = self.int(INT, 0);
        let null = self.cast(self.record_pointer, null);
        let record = self.push(self.record, ExprKind::Deref(null));
        let array = self.program.types.array_of(INT, ArrayLength::Fixed(4));
        let member = self.push(array, ExprKind::Member(record, 1));
        let decayed = self.push(self.int_pointer, ExprKind::Decay(member));
        let index = self.int(INT, index);
        self.push(INT, ExprKind::Index(decayed, index))
    }
}

/// The value on a target.
fn fold(target: &'static Target, build: Build) -> Result<i128, NotConstant> {
    let mut fixture = Fixture::new(target);
    let expr = build(&mut fixture);
    integer_constant(&fixture.program, &mut Layouts::default(), expr)
}

#[track_caller]
fn check(rows: &[(&str, Build, Result<i128, NotConstant>)]) {
    for (text, build, expected) in rows {
        assert_eq!(fold(&X86_64_LINUX, *build), *expected, "{text}");
    }
}

#[test]
fn integers() {
    use ArithmeticFault::{DivisionByZero, Overflow, ShiftAmount};
    let fault = |fault| Err(NotConstant::Arithmetic(fault));
    check(&[
        ("7", |f| f.int(INT, 7), Ok(7)),
        ("3 + 4", |f| f.ints(BinaryOp::Add, INT, 3, 4), Ok(7)),
        ("INT_MAX + 1", |f| f.ints(BinaryOp::Add, INT, 0x7fff_ffff, 1), fault(Overflow)),
        ("0u - 1u", |f| f.ints(BinaryOp::Sub, UNSIGNED, 0, 1), Ok(0xffff_ffff)),
        ("1 / 0", |f| f.ints(BinaryOp::Div, INT, 1, 0), fault(DivisionByZero)),
        ("1 << 32", |f| f.ints(BinaryOp::Shl, INT, 1, 32), fault(ShiftAmount)),
        ("1 << 31, as GCC has it", |f| f.ints(BinaryOp::Shl, INT, 1, 31), Ok(-1 << 31)),
        ("2 > 1", |f| f.ints(BinaryOp::Greater, LONG, 2, 1), Ok(1)),
        ("0u", |f| f.int(UNSIGNED, 0), Ok(0)),
        (
            "~0",
            |f| {
                let zero = f.int(INT, 0);
                f.unary(UnaryOp::BitNot, zero)
            },
            Ok(-1),
        ),
        (
            "(_Bool)2",
            |f| {
                let two = f.int(INT, 2);
                f.cast(BOOL, two)
            },
            Ok(1),
        ),
        (
            "(char)200",
            |f| {
                let value = f.int(INT, 200);
                f.cast(CHAR, value)
            },
            Ok(-56),
        ),
        (
            "(__int128)1 << 100",
            |f| {
                let one = f.int(INT, 1);
                let one = f.cast(WIDE, one);
                let amount = f.int(INT, 100);
                f.binary(BinaryOp::Shl, one, amount)
            },
            Ok(1 << 100),
        ),
        (
            "(unsigned __int128)-1",
            |f| {
                let one = f.int(INT, 1);
                let minus = f.unary(UnaryOp::Minus, one);
                f.cast(UNSIGNED_WIDE, minus)
            },
            Err(NotConstant::TooWide),
        ),
    ]);
}

#[test]
fn only_what_is_evaluated_must_be_constant() {
    check(&[
        ("object", |f| f.load(), Err(NotConstant::Object)),
        (
            "0 && object",
            |f| {
                let (left, right) = (f.int(INT, 0), f.load());
                f.logical(LogicalOp::And, left, right)
            },
            Ok(0),
        ),
        (
            "5 || object",
            |f| {
                let (left, right) = (f.int(INT, 5), f.load());
                f.logical(LogicalOp::Or, left, right)
            },
            Ok(1),
        ),
        (
            "0 || 3",
            |f| {
                let (left, right) = (f.int(INT, 0), f.int(INT, 3));
                f.logical(LogicalOp::Or, left, right)
            },
            Ok(1),
        ),
        (
            "1 && object",
            |f| {
                let (left, right) = (f.int(INT, 1), f.load());
                f.logical(LogicalOp::And, left, right)
            },
            Err(NotConstant::Object),
        ),
        (
            "1 ? 2 : 1 / 0",
            |f| {
                let condition = f.int(INT, 1);
                let then = Some(f.int(INT, 2));
                let otherwise = f.ints(BinaryOp::Div, INT, 1, 0);
                f.push(INT, ExprKind::Conditional { condition, then, otherwise })
            },
            Ok(2),
        ),
        (
            "0 ? 1 / 0 : 2",
            |f| {
                let condition = f.int(INT, 0);
                let then = Some(f.ints(BinaryOp::Div, INT, 1, 0));
                let otherwise = f.int(INT, 2);
                f.push(INT, ExprKind::Conditional { condition, then, otherwise })
            },
            Ok(2),
        ),
        (
            "3 ?: object",
            |f| {
                let condition = f.int(INT, 3);
                let otherwise = f.load();
                f.push(INT, ExprKind::Conditional { condition, then: None, otherwise })
            },
            Ok(3),
        ),
        (
            "1, 2",
            |f| {
                let (left, right) = (f.int(INT, 1), f.int(INT, 2));
                f.push(INT, ExprKind::Comma(left, right))
            },
            Err(NotConstant::Comma),
        ),
        (
            "object = 1",
            |f| {
                let one = f.int(INT, 1);
                f.push(INT, ExprKind::Assign(f.object, one))
            },
            Err(NotConstant::SideEffect),
        ),
        (
            "(long)&object",
            |f| {
                let address = f.push(f.int_pointer, ExprKind::AddressOf(f.object));
                f.cast(LONG, address)
            },
            Err(NotConstant::Address),
        ),
    ]);
}

/// `(((1 ?: 0) ?: 0) ?: 0)`: a condition that is also the value is evaluated once.
#[test]
fn nested_conditions_take_linear_time() {
    let mut fixture = Fixture::new(&X86_64_LINUX);
    let mut condition = fixture.int(INT, 1);
    for _ in 0..100 {
        let otherwise = fixture.load();
        let kind = ExprKind::Conditional { condition, then: None, otherwise };
        condition = fixture.push(INT, kind);
    }
    let folded = integer_constant(&fixture.program, &mut Layouts::default(), condition);
    assert_eq!(folded, Ok(1));
}

#[test]
fn floating_values() {
    check(&[
        ("1.5", |f| f.double(1.5), Err(NotConstant::Type)),
        (
            "(int)-1.9",
            |f| {
                let value = f.double(1.9);
                let value = f.unary(UnaryOp::Minus, value);
                f.cast(INT, value)
            },
            Ok(-1),
        ),
        (
            "(int)1e10",
            |f| {
                let value = f.double(1e10);
                f.cast(INT, value)
            },
            Err(NotConstant::FloatRange),
        ),
        (
            "(_Bool)0.5",
            |f| {
                let value = f.double(0.5);
                f.cast(BOOL, value)
            },
            Ok(1),
        ),
        (
            "0.1 + 0.2 > 0.3",
            |f| {
                let (left, right, limit) = (f.double(0.1), f.double(0.2), f.double(0.3));
                let sum = f.binary(BinaryOp::Add, left, right);
                f.binary(BinaryOp::Greater, sum, limit)
            },
            Ok(1),
        ),
        (
            "(int)(float)16777217",
            |f| {
                let value = f.int(INT, 16_777_217);
                let value = f.cast(Types::float(FloatKind::Float), value);
                f.cast(INT, value)
            },
            Ok(16_777_216),
        ),
    ]);
}

#[test]
fn operators_with_one_operand() {
    for (op, of_zero, of_five) in [
        (UnaryOp::Plus, Ok(0), Ok(5)),
        (UnaryOp::Minus, Ok(0), Ok(-5)),
        (UnaryOp::BitNot, Ok(-1), Ok(-6)),
        (UnaryOp::Not, Ok(1), Ok(0)),
        (UnaryOp::Real, Ok(0), Ok(5)),
        (UnaryOp::Imag, Ok(0), Ok(0)),
    ] {
        for (operand, expected) in [(0, of_zero), (5, of_five)] {
            let mut fixture = Fixture::new(&X86_64_LINUX);
            let number = fixture.int(INT, operand);
            let expr = fixture.unary(op, number);
            let folded = integer_constant(&fixture.program, &mut Layouts::default(), expr);
            assert_eq!(folded, expected, "{op:?} {operand}");
            // The same of a floating value; the complement has none.
            let number = fixture.double(operand as f64);
            let expr = fixture.unary(op, number);
            let expr = fixture.cast(INT, expr);
            let folded = integer_constant(&fixture.program, &mut Layouts::default(), expr);
            match op {
                UnaryOp::BitNot | UnaryOp::Not => assert_eq!(folded, Err(NotConstant::Type)),
                _ => assert_eq!(folded, expected, "{op:?} {operand}.0"),
            }
        }
    }
}

#[test]
fn arithmetic_of_pointers() {
    check(&[
        ("(int *)16 - (int *)8", |f| f.pointers(BinaryOp::Sub, 16, 8), Ok(2)),
        ("(int *)8 - (int *)16", |f| f.pointers(BinaryOp::Sub, 8, 16), Ok(-2)),
        ("(int *)8 < (int *)16", |f| f.pointers(BinaryOp::Less, 8, 16), Ok(1)),
        ("(int *)16 < (int *)8", |f| f.pointers(BinaryOp::Less, 16, 8), Ok(0)),
        ("addresses have no sign", |f| f.pointers(BinaryOp::Greater, u64::MAX - 3, 8), Ok(1)),
        ("(int *)8 & (int *)8", |f| f.pointers(BinaryOp::BitAnd, 8, 8), Err(NotConstant::Type)),
        (
            "(long)((int *)8 + 3)",
            |f| {
                let (base, step) = (f.pointer(8), f.int(LONG, 3));
                let pointer = f.binary(BinaryOp::Add, base, step);
                f.cast(LONG, pointer)
            },
            Ok(20),
        ),
        (
            "(long)(3 + (int *)8)",
            |f| {
                let (step, base) = (f.int(LONG, 3), f.pointer(8));
                let pointer = f.push(f.int_pointer, ExprKind::Binary(BinaryOp::Add, step, base));
                f.cast(LONG, pointer)
            },
            Ok(20),
        ),
        (
            "3 - (int *)8",
            |f| {
                let (step, base) = (f.int(LONG, 3), f.pointer(8));
                let pointer = f.push(f.int_pointer, ExprKind::Binary(BinaryOp::Sub, step, base));
                f.cast(LONG, pointer)
            },
            Err(NotConstant::Type),
        ),
        (
            "(int *)8 * 3",
            |f| {
                let (base, step) = (f.pointer(8), f.int(LONG, 3));
                let pointer = f.binary(BinaryOp::Mul, base, step);
                f.cast(LONG, pointer)
            },
            Err(NotConstant::Type),
        ),
        (
            "(_Bool)(int *)0",
            |f| {
                let null = f.pointer(0);
                f.cast(BOOL, null)
            },
            Ok(0),
        ),
        (
            "(_Bool)(int *)8",
            |f| {
                let pointer = f.pointer(8);
                f.cast(BOOL, pointer)
            },
            Ok(1),
        ),
    ]);
}

#[test]
fn alignment_of_operands() {
    check(&[
        (
            "__alignof__ ((struct s *)0)->b, packed",
            |f| {
                let Type::Record(id) = *f.program.resolve(f.record) else { panic!("a record") };
                f.program.records[id].packed = true;
                let null = f.int(INT, 0);
                let null = f.cast(f.record_pointer, null);
                let record = f.push(f.record, ExprKind::Deref(null));
                let array = f.program.types.array_of(INT, ArrayLength::Fixed(4));
                let member = f.push(array, ExprKind::Member(record, 1));
                f.push(SIZE, ExprKind::AlignofExpr(AlignofForm::Preferred, member))
            },
            Ok(1),
        ),
        (
            "__alignof__ *(char *)(int *)8",
            |f| {
                let pointer = f.pointer(8);
                let pointer = f.cast(f.char_pointer, pointer);
                let object = f.push(CHAR, ExprKind::Deref(pointer));
                f.push(SIZE, ExprKind::AlignofExpr(AlignofForm::Preferred, object))
            },
            Ok(4),
        ),
        (
            "__alignof__ function, __attribute__((aligned(64)))",
            |f| {
                let name = f.program.names.intern("aligned");
                let ty = FunctionType {
                    result: INT,
                    parameters: [].into(),
                    variadic: false,
                    prototyped: true,
                };
                let ty = f.program.types.intern(Type::Function(Box::new(ty)));
                let named = f.program.names.intern("function");
                let aligned = [Attribute { name, arguments: Some("64".into()) }].into();
                let function = Function { attributes: aligned, ..Function::declared(named, ty) };
                let function = f.program.functions.push(function);
                let function = f.push(ty, ExprKind::Function(function));
                f.push(SIZE, ExprKind::AlignofExpr(AlignofForm::Preferred, function))
            },
            Ok(64),
        ),
    ]);
}

#[test]
fn reasons_are_told_apart() {
    let mut reasons = vec![
        NotConstant::FloatRange,
        NotConstant::Layout(NoLayout::Incomplete),
        NotConstant::Object,
        NotConstant::Address,
        NotConstant::Call,
        NotConstant::SideEffect,
        NotConstant::Comma,
        NotConstant::Type,
        NotConstant::TooWide,
    ];
    use ArithmeticFault::{BuiltinArgument, DivisionByZero, Overflow, ShiftAmount, ShiftOverflow};
    for fault in [Overflow, DivisionByZero, ShiftAmount, ShiftOverflow, BuiltinArgument] {
        assert_eq!(NotConstant::Arithmetic(fault).to_string(), fault.to_string());
        reasons.push(NotConstant::Arithmetic(fault));
    }
    let mut words: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    words.sort();
    words.dedup();
    assert_eq!(words.len(), reasons.len(), "{words:?}");
    assert!(words.iter().all(|words| !words.is_empty()), "{words:?}");
}

#[test]
fn layouts_and_addresses() {
    check(&[
        ("sizeof (struct s)", |f| f.push(SIZE, ExprKind::SizeofType(f.record)), Ok(24)),
        ("sizeof object", |f| f.push(SIZE, ExprKind::SizeofExpr(f.object)), Ok(4)),
        ("sizeof (void)", |f| f.push(SIZE, ExprKind::SizeofType(Types::VOID)), Ok(1)),
        (
            "sizeof (int[object])",
            |f| {
                let length = ArrayLength::Variable(f.object);
                let array = f.program.types.array_of(INT, length);
                f.push(SIZE, ExprKind::SizeofType(array))
            },
            Err(NotConstant::Layout(NoLayout::Variable)),
        ),
        (
            "_Alignof (struct s)",
            |f| f.push(SIZE, ExprKind::AlignofType(AlignofForm::Standard, f.record)),
            Ok(4),
        ),
        (
            "__alignof__ object",
            |f| f.push(SIZE, ExprKind::AlignofExpr(AlignofForm::Preferred, f.object)),
            Ok(32),
        ),
        (
            "offsetof (struct s, b[2])",
            |f| {
                let index = f.int(INT, 2);
                let path = [OffsetStep::Field(1), OffsetStep::Index(index)];
                f.push(SIZE, ExprKind::Offsetof(f.record, path.into()))
            },
            Ok(12),
        ),
        (
            "offsetof (struct s, c), a bit-field",
            |f| f.push(SIZE, ExprKind::Offsetof(f.record, [OffsetStep::Field(2)].into())),
            Err(NotConstant::Type),
        ),
        (
            "(size_t)&((struct s *)0)->b[2]",
            |f| {
                let element = f.element(2);
                let address = f.push(f.int_pointer, ExprKind::AddressOf(element));
                f.cast(SIZE, address)
            },
            Ok(12),
        ),
        (
            "(int *)&((struct s *)0)->b[3] - (int *)0",
            |f| {
                let element = f.element(3);
                let address = f.push(f.int_pointer, ExprKind::AddressOf(element));
                let zero = f.int(INT, 0);
                let null = f.cast(f.int_pointer, zero);
                f.push(LONG, ExprKind::Binary(BinaryOp::Sub, address, null))
            },
            Ok(4),
        ),
        (
            "(long)((int *)8 - 3)",
            |f| {
                let (base, step) = (f.int(INT, 8), f.int(LONG, 3));
                let base = f.cast(f.int_pointer, base);
                let pointer = f.binary(BinaryOp::Sub, base, step);
                f.cast(LONG, pointer)
            },
            Ok(-4),
        ),
        (
            "(char *)1",
            |f| {
                let one = f.int(INT, 1);
                f.cast(f.char_pointer, one)
            },
            Err(NotConstant::Address),
        ),
    ]);
}

#[test]
fn builtins() {
    check(&[
        (
            "__builtin_constant_p (object)",
            |f| {
                let object = f.load();
                f.builtin("__builtin_constant_p", INT, &[object])
            },
            Ok(0),
        ),
        (
            "__builtin_constant_p (1.5)",
            |f| {
                let value = f.double(1.5);
                f.builtin("__builtin_constant_p", INT, &[value])
            },
            Ok(1),
        ),
        (
            "__builtin_constant_p (\"\")",
            |f| {
                let literal =
                    StringLiteral { encoding: crate::program::Encoding::Plain, units: [].into() };
                let id = f.program.strings.push(literal);
                let array = f.program.types.array_of(CHAR, ArrayLength::Fixed(1));
                let literal = f.push(array, ExprKind::String(id));
                let pointer = f.push(f.char_pointer, ExprKind::Decay(literal));
                f.builtin("__builtin_constant_p", INT, &[pointer])
            },
            Ok(1),
        ),
        (
            "__builtin_expect (3, 1)",
            |f| {
                let (value, expected) = (f.int(LONG, 3), f.int(LONG, 1));
                f.builtin("__builtin_expect", LONG, &[value, expected])
            },
            Ok(3),
        ),
        (
            "__builtin_abort ()",
            |f| f.builtin("__builtin_abort", Types::VOID, &[]),
            Err(NotConstant::Call),
        ),
    ]);
    let undefined = Err(NotConstant::Arithmetic(ArithmeticFault::BuiltinArgument));
    for (name, ty, argument, expected) in [
        ("__builtin_clz", UNSIGNED, 1, Ok(31)),
        ("__builtin_clz", UNSIGNED, 0, undefined),
        ("__builtin_clzl", SIZE, 1, Ok(63)),
        ("__builtin_ctz", UNSIGNED, 8, Ok(3)),
        ("__builtin_ctzll", SIZE, 0, undefined),
        ("__builtin_ffs", INT, 0, Ok(0)),
        ("__builtin_ffs", INT, 8, Ok(4)),
        ("__builtin_parity", UNSIGNED, 7, Ok(1)),
        ("__builtin_popcountl", SIZE, u64::MAX, Ok(64)),
        ("__builtin_clrsb", INT, 0, Ok(31)),
        ("__builtin_clrsb", INT, 1, Ok(30)),
        ("__builtin_clrsb", INT, 0xffff_fffe, Ok(30)),
        ("__builtin_bswap16", Types::int(IntKind::UShort), 0x1234, Ok(0x3412)),
        ("__builtin_bswap32", UNSIGNED, 0x1234_5678, Ok(0x7856_3412)),
    ] {
        let mut fixture = Fixture::new(&X86_64_LINUX);
        let constant = fixture.int(ty, argument);
        let result = if name.contains("bswap") { ty } else { INT };
        let call = fixture.builtin(name, result, &[constant]);
        let folded = integer_constant(&fixture.program, &mut Layouts::default(), call);
        assert_eq!(folded, expected, "{name} ({argument})");
    }
}

#[test]
fn targets_differ() {
    let shift: Build = |f| f.ints(BinaryOp::Shl, INT, 1, 20);
    assert_eq!(fold(&I386_LINUX, shift), Ok(1 << 20));
    assert_eq!(fold(&AVR, shift), Err(NotConstant::Arithmetic(ArithmeticFault::ShiftAmount)));
    // (long long)(char *)0x80000000u: a cast from a pointer extends its sign.
    let extended: Build = |f| {
        let value = f.int(UNSIGNED, 0x8000_0000);
        let pointer = f.cast(f.char_pointer, value);
        f.cast(Types::int(IntKind::LongLong), pointer)
    };
    assert_eq!(fold(&I386_LINUX, extended), Ok(-0x8000_0000));
    assert_eq!(fold(&X86_64_LINUX, extended), Ok(0x8000_0000));
}

#[test]
fn objects_with_known_values() {
    let mut fixture = Fixture::new(&X86_64_LINUX);
    let object = fixture.object;
    let load = fixture.push(INT, ExprKind::Load(fixture.object));
    let one = fixture.int(INT, 1);
    let sum = fixture.push(INT, ExprKind::Binary(BinaryOp::Add, load, one));
    let shift = fixture.push(INT, ExprKind::Binary(BinaryOp::Shl, one, load));
    let check = GuardCheck::Operation;
    let fallback = Fallback::FirstOperand;
    let guard = fixture.push(INT, ExprKind::Guard { check, operand: sum, fallback });
    let program = &fixture.program;
    let at = |expr, value| {
        let known = |other| (other == object).then_some(value);
        evaluate_where(program, &mut Layouts::default(), expr, &known)
    };
    let fault = |fault| Err(NotConstant::Arithmetic(fault));
    assert_eq!(at(guard, 41), Ok(42));
    assert_eq!(at(guard, i32::MAX.into()), fault(ArithmeticFault::Overflow));
    assert_eq!(at(shift, 30), Ok(1 << 30));
    assert_eq!(at(shift, 31), fault(ArithmeticFault::ShiftOverflow));
    let nothing = evaluate_where(program, &mut Layouts::default(), sum, &|_| None);
    assert_eq!(nothing, Err(NotConstant::Object));
}
