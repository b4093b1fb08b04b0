//! Programs built by hand, printed, compared with the text they should be, and
//! given to the compilers of this machine.

#[path = "print_support/build.rs"]
mod build;

use build::Build;
use farrier_lang::print::{PrintOptions, print, type_text};
use farrier_lang::*;

/// Prints, compares, and compiles with gcc and clang.
#[track_caller]
fn expect(build: &Build, text: &str) {
    let printed = print(&build.program, &PrintOptions::default());
    assert_eq!(printed, text);
    build::compile(&printed, build.program.dialect);
}

/// The statements of `body` inside `void f(void)`.
#[track_caller]
fn expect_body(mut build: Build, body: Vec<StmtId>, text: &str) {
    build.function("f", Types::VOID, &[], body);
    let printed = print(&build.program, &PrintOptions::default());
    let start = printed.find("void f(void)\n{\n").expect("the function is printed");
    let inside = &printed[start + "void f(void)\n{\n".len()..];
    let inside = inside.strip_suffix("}\n").expect("the function ends the text");
    let unindented: String = inside
        .lines()
        .map(|line| line.strip_prefix("    ").unwrap_or(line).to_owned() + "\n")
        .collect();
    assert_eq!(unindented, text);
    build::compile(&printed, build.program.dialect);
}

#[test]
fn declarators_grow_inside_out() {
    let mut build = Build::new(Dialect::C17);
    let types = &mut build.program.types;
    let constant = types.qualified(Types::INT, Qualifiers::CONST);
    let pointer = types.pointer_to(constant);
    let pointers = types.array_of(pointer, ArrayLength::Fixed(3));
    let array = types.array_of(Types::INT, ArrayLength::Fixed(4));
    let grid = types.array_of(array, ArrayLength::Unknown);
    let to_array = types.pointer_to(array);
    let function = types.function(FunctionType {
        result: to_array,
        parameters: [Types::CHAR, pointer].into(),
        variadic: true,
        prototyped: true,
    });
    let to_function = types.pointer_to(function);
    let table = types.array_of(to_function, ArrayLength::Fixed(2));
    let fixed = types.qualified(to_function, Qualifiers::CONST | Qualifiers::VOLATILE);
    let empty = types.function(FunctionType {
        result: Types::VOID,
        parameters: [].into(),
        variadic: false,
        prototyped: true,
    });
    let old = types.function(FunctionType {
        result: Types::VOID,
        parameters: [].into(),
        variadic: false,
        prototyped: false,
    });
    let to_empty = types.pointer_to(empty);
    let to_old = types.pointer_to(old);
    let restricted = types.qualified(pointer, Qualifiers::RESTRICT);
    let doubly = types.pointer_to(restricted);
    let vector = types.vector_of(Types::INT, 4);
    let to_vector = types.pointer_to(vector);
    let complex = types.complex_of(Types::int(IntKind::UShort));
    for (ty, text) in [
        (constant, "const int"),
        (pointers, "const int *[3]"),
        (grid, "int[][4]"),
        (to_array, "int (*)[4]"),
        (table, "int (*(*[2])(char, const int *, ...))[4]"),
        (fixed, "int (*(*const volatile)(char, const int *, ...))[4]"),
        (to_empty, "void (*)(void)"),
        (to_old, "void (*)()"),
        (doubly, "const int *restrict *"),
        (to_vector, "__attribute__((vector_size(16))) int *"),
        (complex, "_Complex unsigned short"),
    ] {
        assert_eq!(type_text(&build.program, ty), text);
    }
    build.object("table", table, None);
    build.object("v", to_vector, None);
    expect(
        &build,
        "int (*(*table[2])(char, const int *, ...))[4];\n\
         __attribute__((vector_size(16))) int *v;\n",
    );
}

#[test]
fn integer_constants_have_the_suffix_of_their_type() {
    let mut build = Build::new(Dialect::C17);
    for (name, kind, value) in [
        ("a", IntKind::Int, 2147483647),
        ("b", IntKind::UInt, 4294967295),
        ("c", IntKind::Long, 1),
        ("d", IntKind::ULong, u64::MAX),
        ("e", IntKind::LongLong, 5),
        ("f", IntKind::ULongLong, 5),
        ("g", IntKind::Short, 7),
        ("h", IntKind::UInt128, u64::MAX),
    ] {
        let ty = Types::int(kind);
        let value = build.expr(ExprKind::Int(value), ty);
        build.object(name, ty, Some(value));
    }
    expect(
        &build,
        "int a = 2147483647;\nunsigned int b = 4294967295U;\nlong c = 1L;\n\
         unsigned long d = 18446744073709551615UL;\nlong long e = 5LL;\n\
         unsigned long long f = 5ULL;\nshort g = (short)7;\n\
         unsigned __int128 h = (unsigned __int128)18446744073709551615ULL;\n",
    );
}

#[test]
fn floating_constants_read_back_bit_for_bit() {
    let mut build = Build::new(Dialect::C17);
    let x87 = |value: u128, exponent: u128| exponent << 64 | value;
    for (index, (kind, bits)) in [
        (FloatKind::Double, u128::from(0.1f64.to_bits())),
        (FloatKind::Double, u128::from(1e300f64.to_bits())),
        (FloatKind::Double, 1),
        (FloatKind::Double, u128::from(f64::MAX.to_bits())),
        (FloatKind::Float, u128::from(0.1f32.to_bits())),
        (FloatKind::Float, 1),
        (FloatKind::Float, 0),
        (FloatKind::Float16, 0x3e00),
        (FloatKind::LongDouble, x87(1 << 63, 0x3fff)),
        (FloatKind::LongDouble, x87(0xcccc_cccc_cccc_cccd, 0x3ffb)),
        (FloatKind::LongDouble, x87(1, 0)),
        (FloatKind::Float128, 1),
        (FloatKind::Float128, 0x3fff << 112 | 1),
        (FloatKind::Double, u128::from(f64::INFINITY.to_bits())),
        (FloatKind::Float, u128::from(f32::NAN.to_bits())),
    ]
    .into_iter()
    .enumerate()
    {
        let ty = Types::float(kind);
        let id = build.program.floats.push(bits);
        let value = build.expr(ExprKind::Float(id), ty);
        build.object(&format!("x{index}"), ty, Some(value));
    }
    expect(
        &build,
        "double x0 = 0.1;\ndouble x1 = 1e300;\ndouble x2 = 5e-324;\n\
         double x3 = 1.7976931348623157e308;\nfloat x4 = 0.1f;\nfloat x5 = 1e-45f;\n\
         float x6 = 0.0f;\n_Float16 x7 = 1.5f16;\nlong double x8 = 1.0L;\n\
         long double x9 = 0xcccccccccccccccdp-67L;\nlong double x10 = 0x1p-16445L;\n\
         _Float128 x11 = 0x1p-16494f128;\n\
         _Float128 x12 = 0x10000000000000000000000000001p-112f128;\n\
         double x13 = __builtin_inf();\nfloat x14 = __builtin_nanf(\"\");\n",
    );
}

#[test]
fn strings_escape_what_would_glue_or_change() {
    let mut build = Build::new(Dialect::C17);
    let cases: [(Encoding, IntKind, &[u32]); 4] = [
        (Encoding::Plain, IntKind::Char, &[b'a' as u32, 0, b'7' as u32, b'?' as u32, b'?' as u32]),
        (
            Encoding::Plain,
            IntKind::Char,
            &[0xff, b'1' as u32, b'"' as u32, b'\\' as u32, b'\n' as u32],
        ),
        (Encoding::Wide, IntKind::Int, &[0x1ff, b'1' as u32, 0x12345, b'1' as u32]),
        (Encoding::Utf16, IntKind::UShort, &[0xffff]),
    ];
    for (index, (encoding, kind, units)) in cases.into_iter().enumerate() {
        let length = ArrayLength::Fixed(units.len() as u64 + 1);
        let ty = build.program.types.array_of(Types::int(kind), length);
        let id = build.program.strings.push(StringLiteral { encoding, units: units.into() });
        let value = build.expr(ExprKind::String(id), ty);
        build.object(&format!("s{index}"), ty, Some(value));
    }
    expect(
        &build,
        "char s0[6] = \"a\\0007?\\?\";\nchar s1[6] = \"\\3771\\\"\\\\\\n\";\n\
         int s2[5] = L\"\\7771\\x12345\" L\"1\";\nunsigned short s3[2] = u\"\\xffff\";\n",
    );
}

#[test]
fn operators_keep_apart_and_bind_as_built() {
    let mut build = Build::new(Dialect::C17);
    let x = build.object("x", Types::INT, None);
    let y = build.object("y", Types::INT, None);
    let int = Types::INT;
    let mut body = Vec::new();
    {
        let b = &mut build;
        let (lx, ly) = (b.load(x), b.load(y));
        let target = b.lvalue(x);
        let minus = b.expr(ExprKind::Unary(UnaryOp::Minus, lx), int);
        let twice = b.expr(ExprKind::Unary(UnaryOp::Minus, minus), int);
        let down = b.expr(ExprKind::Step(StepOp::PreDecrement, target), int);
        let minus_down = b.expr(ExprKind::Unary(UnaryOp::Minus, down), int);
        let up = b.expr(ExprKind::Step(StepOp::PostIncrement, target), int);
        let minus_up = b.expr(ExprKind::Unary(UnaryOp::Minus, up), int);
        let difference = b.expr(ExprKind::Binary(BinaryOp::Sub, lx, ly), int);
        let nested = b.expr(ExprKind::Binary(BinaryOp::Sub, lx, difference), int);
        let product = b.expr(ExprKind::Binary(BinaryOp::Mul, difference, ly), int);
        let sum = b.expr(ExprKind::Binary(BinaryOp::Add, product, twice), int);
        let comma = b.expr(ExprKind::Comma(lx, ly), int);
        let assign = b.expr(ExprKind::Assign(target, comma), int);
        let chained = b.expr(ExprKind::Assign(target, assign), int);
        let elvis =
            b.expr(ExprKind::Conditional { condition: lx, then: None, otherwise: assign }, int);
        let choose = b.expr(
            ExprKind::Conditional { condition: elvis, then: Some(comma), otherwise: elvis },
            int,
        );
        let cast = b.expr(ExprKind::Cast(minus), Types::CHAR);
        let cast_sum = b.expr(ExprKind::Cast(sum), Types::CHAR);
        let size = b.expr(ExprKind::SizeofExpr(cast), Types::int(IntKind::ULong));
        let logical = b.expr(ExprKind::Logical(LogicalOp::Or, lx, ly), int);
        let both = b.expr(ExprKind::Logical(LogicalOp::And, logical, ly), int);
        let shift = b.expr(
            ExprKind::CompoundAssign { op: BinaryOp::Shl, target, value: comma, computation: int },
            int,
        );
        for value in [
            twice, minus_down, minus_up, nested, sum, chained, choose, cast, cast_sum, size, both,
            shift, comma,
        ] {
            body.push(b.program.stmts.push(Stmt::Expr(value)));
        }
    }
    expect_body(
        build,
        body,
        "- -x;\n- --x;\n-x++;\nx - (x - y);\n(x - y) * y + - -x;\nx = x = (x, y);\n\
         (x ?: (x = (x, y))) ? (x, y) : x ?: (x = (x, y));\n(char)-x;\n\
         (char)((x - y) * y + - -x);\nsizeof((char)-x);\n(x || y) && y;\nx <<= (x, y);\nx, y;\n",
    );
}

#[test]
fn statements_nest() {
    let mut build = Build::new(Dialect::C17);
    let x = build.object("x", Types::INT, None);
    let condition = build.load(x);
    let stmts = &mut build.program.stmts;
    let empty = stmts.push(Stmt::Empty);
    let leave = stmts.push(Stmt::Break);
    let block = stmts.push(Stmt::Block([empty].into()));
    let open = stmts.push(Stmt::If { condition, then: empty, otherwise: None });
    let dangling = stmts.push(Stmt::If { condition, then: open, otherwise: Some(empty) });
    let chain = stmts.push(Stmt::If { condition, then: block, otherwise: Some(dangling) });
    let again = stmts.push(Stmt::DoWhile { body: empty, condition });
    let looped = stmts.push(Stmt::DoWhile { body: block, condition });
    let forever =
        stmts.push(Stmt::For { init: [].into(), condition: None, step: None, body: leave });
    let one = build.int(1);
    let nine = build.int(9);
    let stmts = &mut build.program.stmts;
    let inner = stmts.push(Stmt::Case { first: one, last: None, body: again });
    let case = stmts.push(Stmt::Case { first: nine, last: Some(nine), body: inner });
    let default = stmts.push(Stmt::Default(empty));
    let cases = stmts.push(Stmt::Block([case, leave, default].into()));
    let switch = stmts.push(Stmt::Switch { value: condition, body: cases });
    let back = stmts.push(Stmt::Return(None));
    expect_body(
        build,
        vec![chain, looped, forever, switch, back],
        "if (x) {\n    ;\n} else if (x) {\n    if (x)\n        ;\n} else\n    ;\n\
         do {\n    ;\n} while (x);\n\
         for (;;)\n    break;\n\
         switch (x) {\ncase 9 ... 9:\ncase 1:\n    do\n        ;\n    while (x);\n    break;\ndefault:\n    ;\n}\n\
         return;\n",
    );
}

#[test]
fn local_labels_are_declared_around_every_mention() {
    let mut build = Build::new(Dialect::C17);
    let name = build.program.names.intern("again");
    let label = build.program.labels.push(Label { name, local: true });
    let stmts = &mut build.program.stmts;
    let jump = stmts.push(Stmt::Goto(label));
    let empty = stmts.push(Stmt::Empty);
    let here = stmts.push(Stmt::Label(label, empty));
    let inner = stmts.push(Stmt::Block([here].into()));
    let outer = stmts.push(Stmt::Block([jump, inner].into()));
    expect_body(
        build,
        vec![outer],
        "{\n    __label__ again;\n    goto again;\n    {\n    again:\n        ;\n    }\n}\n",
    );
}
