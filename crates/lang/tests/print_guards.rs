//! The wrappers that guards print as: their names read back, and compiled they
//! fail exactly when the operation would be undefined.

#![expect(clippy::disallowed_methods, reason = "the print is given to real compilers and run")]

#[path = "print_support/build.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod build;

use std::process::Command;

use build::Build;
use farrier_lang::print::{GuardStyle, PrintOptions, print};
use farrier_lang::wrapper::{
    WRAPPER_PREFIX, Wrapper, WrapperOperation, WrapperType, guard_name, parse_guard_name,
    wrapper_of,
};
use farrier_lang::*;

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

fn all_types() -> Vec<WrapperType> {
    let integers = IntKind::ALL.into_iter().map(WrapperType::Int);
    let floats = FloatKind::ALL.into_iter().map(WrapperType::Float);
    let bit_ints = [true, false].map(|signed| WrapperType::BitInt { signed, width: 37 });
    integers.chain(floats).chain(bit_ints).collect()
}

#[test]
fn every_name_reads_back_and_is_unique() {
    let mut operations = vec![WrapperOperation::Pointer];
    for ty in all_types() {
        operations.extend([WrapperOperation::Minus(ty), WrapperOperation::Index(ty)]);
        for op in OPERATORS {
            if !op.is_shift() {
                operations.push(WrapperOperation::Binary(op, ty));
            }
        }
        for other in all_types() {
            operations.extend([
                WrapperOperation::Shift(BinaryOp::Shl, ty, other),
                WrapperOperation::Shift(BinaryOp::Shr, ty, other),
                WrapperOperation::Convert { from: ty, to: other },
                WrapperOperation::Cast { from: ty, to: other },
            ]);
        }
    }
    let mut names = std::collections::BTreeSet::new();
    for operation in operations {
        let checks = matches!(operation, WrapperOperation::Index(_) | WrapperOperation::Pointer);
        for exact in [false, true] {
            if exact && checks {
                continue;
            }
            for or in [false, true] {
                let wrapper = Wrapper { operation, exact, or };
                let name = guard_name(wrapper);
                assert_eq!(parse_guard_name(&name), Some(wrapper), "{name}");
                assert!(name.starts_with(WRAPPER_PREFIX));
                assert!(names.insert(name));
            }
        }
    }
}

#[test]
fn other_names_are_no_guards() {
    for name in [
        "add_int",
        "__farrier_",
        "__farrier_add",
        "__farrier_add_int_int",
        "__farrier_shl_int",
        "__farrier_add_real",
        "__farrier_exact_index_int",
        "__farrier_neg_bitint07",
        "__farrier_or",
        "__farrier_product_double",
        "__farrier_odd_double",
    ] {
        assert_eq!(parse_guard_name(name), None, "{name}");
    }
}

/// Adds `result name(operands) { return guard; }` for a guard on `operation`.
fn guarded(
    build: &mut Build,
    name: &str,
    check: GuardCheck,
    result: TypeId,
    operands: &[TypeId],
    operation: impl FnOnce(&[ExprId]) -> ExprKind,
    or: bool,
) {
    let mut parameters: Vec<ObjectId> = operands
        .iter()
        .enumerate()
        .map(|(index, &ty)| build.hidden_object(["a", "b"][index], ty))
        .collect();
    let values: Vec<ExprId> = parameters.iter().map(|&object| build.load(object)).collect();
    let operand = build.expr(operation(&values), result);
    let fallback = if or {
        let object = build.hidden_object("c", result);
        parameters.push(object);
        Fallback::Value(build.load(object))
    } else {
        Fallback::FirstOperand
    };
    let kind = ExprKind::Guard { check, operand, fallback };
    let guard = Expr { kind, ty: result };
    assert!(wrapper_of(&build.program, &guard).is_some(), "{name} has a wrapper");
    let value = build.program.exprs.push(guard);
    let back = build.program.stmts.push(Stmt::Return(Some(value)));
    build.function(name, result, &parameters, vec![back]);
}

/// Compiles `text` with a compiler and its sanitizer, and runs it.
#[track_caller]
fn run(name: &str, text: &str) {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = directory.join(format!("{name}.c"));
    std::fs::write(&source, text).expect("the directory for tests is writable");
    for (compiler, flags) in [
        ("gcc", &["-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"][..]),
        ("gcc", &["-O2"]),
        ("clang", &["-O2"]),
    ] {
        let program = directory.join(format!("{name}-{compiler}-{}", flags.len()));
        let output = Command::new(compiler)
            .args(["-w", "-std=gnu17", "-o"])
            .arg(&program)
            .args(flags)
            .arg(&source)
            .arg("-lm")
            .output()
            .expect("the compiler is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let output = Command::new(&program).output().expect("the program starts");
        assert!(
            output.status.success(),
            "{compiler} {flags:?}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one program, with a line for each wrapper")]
fn integer_wrappers_fail_exactly_where_c_is_undefined() {
    let mut build = Build::new(Dialect::C17);
    let kinds = [
        ("schar", IntKind::SChar, "signed char"),
        ("int", IntKind::Int, "int"),
        ("uint", IntKind::UInt, "unsigned int"),
        ("llong", IntKind::LongLong, "long long"),
        ("ullong", IntKind::ULongLong, "unsigned long long"),
    ];
    let operators = [
        ("add", BinaryOp::Add),
        ("sub", BinaryOp::Sub),
        ("mul", BinaryOp::Mul),
        ("div", BinaryOp::Div),
        ("rem", BinaryOp::Rem),
        ("shl", BinaryOp::Shl),
        ("shr", BinaryOp::Shr),
    ];
    let mut calls = String::new();
    for (short, kind, text) in kinds {
        let ty = Types::int(kind);
        for (name, op) in operators {
            let function = format!("test_{name}_{short}");
            let operation = |v: &[ExprId]| ExprKind::Binary(op, v[0], v[1]);
            guarded(&mut build, &function, GuardCheck::Operation, ty, &[ty, ty], operation, true);
            calls += &format!("    TEST({text}, {function}, {name});\n");
        }
        let function = format!("test_neg_{short}");
        let operation = |v: &[ExprId]| ExprKind::Unary(UnaryOp::Minus, v[0]);
        guarded(&mut build, &function, GuardCheck::Operation, ty, &[ty], operation, true);
        calls += &format!(
            "    for (int i = 0; i < COUNT; i++) {{\n        {text} a = values[i];\n        \
             check(\"{function}\", {function}(a, 42), defined(neg, a, 0, MIN({text}), MAX({text}), BITS({text})), a, 0, (wide)({text})({text})0);\n    }}\n"
        );
    }
    // The reference computes in 128 bits, where nothing overflows.
    let harness = format!(
        r#"
typedef __int128 wide;
int printf(const char *, ...);
enum operation {{ add, sub, mul, div, rem, shl, shr, neg }};
#define BITS(t) ((int)sizeof(t) * 8)
#define SIGNED(t) ((t)-1 < 1)
#define MAX(t) (SIGNED(t) ? ((wide)1 << (BITS(t) - 1)) - 1 : ((wide)1 << BITS(t)) - 1)
#define MIN(t) (SIGNED(t) ? -((wide)1 << (BITS(t) - 1)) : 0)
static int failed;
struct answer {{ int ok; wide value; }};
static struct answer defined(enum operation op, wide a, wide b, wide min, wide max, int bits)
{{
    wide r = 0;
    int wraps = min == 0;
    switch (op) {{
    case add: r = a + b; break;
    case sub: r = a - b; break;
    case neg: r = -a; break;
    case mul:
        if (wraps) {{ r = (unsigned __int128)a * (unsigned __int128)b; break; }}
        r = a * b; break;
    case div: if (b == 0) return (struct answer){{0}}; r = a / b; break;
    case rem: if (b == 0) return (struct answer){{0}};
        if (a / b > max) return (struct answer){{0}};
        r = a % b; break;
    case shl: case shr:
        if (b < 0 || b >= bits) return (struct answer){{0}};
        if (op == shr) r = a >> b;
        else if (wraps) r = (unsigned __int128)a << b;
        else {{ if (a < 0) return (struct answer){{0}}; r = a << b; }}
    }}
    if (wraps) r &= max;
    return (struct answer){{ r >= min && r <= max, r }};
}}
static void check(const char *name, wide got, struct answer expected, wide a, wide b, wide zero)
{{
    if (got != (expected.ok ? expected.value : 42)) {{
        printf("%s(%lld, %lld) gives %lld\n", name, (long long)a, (long long)b, (long long)got);
        failed = 1;
    }}
}}
static long long values[2000];
static int COUNT;
#define TEST(t, f, op) \
    for (int i = 0; i < COUNT; i++) for (int j = 0; j < COUNT; j++) {{ \
        t a = values[i], b = values[j]; \
        check(#f, f(a, b, 42), defined(op, a, b, MIN(t), MAX(t), BITS(t)), a, b, 0); \
    }}
int main(void)
{{
    for (int i = -130; i <= 130; i++) values[COUNT++] = i;
    for (int bit = 6; bit < 64; bit++)
        for (int d = -1; d <= 1; d++) {{
            values[COUNT++] = (1ULL << bit) + d;
            values[COUNT++] = -(1ULL << bit) + d;
        }}
{calls}    return failed;
}}
"#
    );
    let macros = GuardStyle::Macros { percent: 100, salt: 0 };
    for (name, guards) in
        [("integer_wrappers", GuardStyle::Wrappers), ("integer_wrappers_macros", macros)]
    {
        let text = print(&build.program, &PrintOptions::guards(guards));
        assert_eq!(text.contains("#define __farrier_add_int_or(x, y, z) ({"), guards == macros);
        assert_eq!(text.contains("static int __farrier_add_int_or("), guards != macros);
        run(name, &(text + &harness));
    }
}

/// Every wrapper that can be, for every target, as text that its compiler accepts.
#[test]
fn every_wrapper_compiles_for_every_target() {
    for target in farrier_lang::target::TARGETS {
        let mut build = Build::new(Dialect::C99);
        build.program.target = target;
        let kinds: Vec<IntKind> =
            IntKind::ALL.into_iter().filter(|&kind| target.int_scalar(kind).is_some()).collect();
        // avr-gcc reads _Float32 and its kin, but has no use for them here.
        let floats: Vec<FloatKind> = FloatKind::ALL
            .into_iter()
            .filter(|&kind| target.float_scalar(kind).is_some())
            .filter(|&kind| target.name != "avr" || kind as u32 <= FloatKind::LongDouble as u32)
            .collect();
        let mut number = 0;
        let mut add = |check, result, operands: &[TypeId], kind: &dyn Fn(&[ExprId]) -> ExprKind| {
            number += 1;
            guarded(&mut build, &format!("f{number}"), check, result, operands, kind, true);
        };
        for &kind in &kinds {
            let ty = Types::int(kind);
            for op in OPERATORS {
                let result = if op.is_comparison() { Types::INT } else { ty };
                add(GuardCheck::Operation, result, &[ty, ty], &|v| {
                    ExprKind::Binary(op, v[0], v[1])
                });
            }
            add(GuardCheck::Operation, ty, &[ty], &|v| ExprKind::Unary(UnaryOp::Minus, v[0]));
            add(GuardCheck::Index { bound: 7 }, ty, &[ty], &|v| ExprKind::Cast(v[0]));
            for &float in &floats {
                let float = Types::float(float);
                add(GuardCheck::Operation, ty, &[float], &|v| ExprKind::Cast(v[0]));
                add(GuardCheck::Exact, ty, &[float], &|v| ExprKind::Convert(v[0]));
                add(GuardCheck::Exact, float, &[ty], &|v| ExprKind::Cast(v[0]));
            }
        }
        for &float in &floats {
            let ty = Types::float(float);
            let mut operators = vec![BinaryOp::Add, BinaryOp::Sub];
            let quad =
                target.float_scalar(float).is_some_and(|(_, it)| it == target::FloatFormat::Quad);
            if !quad || target.int128.is_some() {
                operators.extend([BinaryOp::Mul, BinaryOp::Div]);
            }
            for op in operators {
                add(GuardCheck::Exact, ty, &[ty, ty], &|v| ExprKind::Binary(op, v[0], v[1]));
            }
            add(GuardCheck::Exact, ty, &[ty], &|v| ExprKind::Unary(UnaryOp::Minus, v[0]));
            for &other in &floats {
                let other = Types::float(other);
                add(GuardCheck::Exact, ty, &[other], &|v| ExprKind::Convert(v[0]));
            }
        }
        let text = print(&build.program, &PrintOptions::default());
        let (compiler, flags) = match target.name {
            "avr" => ("avr-gcc", &["-Os"][..]),
            // Theirs has other flags; the text is as that for AVR.
            "z80" | "stm8" | "mcs51" => continue,
            // Without SSE2, _Float16 does not exist.
            "i386-linux" => ("gcc", &["-m32", "-msse2"][..]),
            _ => ("gcc", &["-m64"][..]),
        };
        build::compile_with(Command::new(compiler).args(flags), &text, Dialect::C99);
    }
}

#[test]
fn conversions_fail_exactly_out_of_range() {
    let mut build = Build::new(Dialect::C17);
    let mut calls = String::new();
    let floats = [
        ("float", FloatKind::Float),
        ("double", FloatKind::Double),
        ("long double", FloatKind::LongDouble),
    ];
    let integers = [
        ("signed char", IntKind::SChar),
        ("unsigned char", IntKind::UChar),
        ("int", IntKind::Int),
        ("unsigned int", IntKind::UInt),
        ("long", IntKind::Long),
        ("unsigned long", IntKind::ULong),
    ];
    for (from_text, from) in floats {
        for (to_text, to) in integers {
            let name = format!("test_{from_text}_{to_text}").replace(' ', "");
            let (from, to) = (Types::float(from), Types::int(to));
            let operation = |v: &[ExprId]| ExprKind::Cast(v[0]);
            guarded(&mut build, &name, GuardCheck::Operation, to, &[from], operation, true);
            calls += &format!("    TEST({from_text}, {to_text}, {name});\n");
            let exact = format!("back_{name}");
            let operation = |v: &[ExprId]| ExprKind::Convert(v[0]);
            guarded(&mut build, &exact, GuardCheck::Exact, from, &[to], operation, true);
            calls += &format!("    BACK({from_text}, {to_text}, {exact});\n");
        }
    }
    let harness = format!(
        r#"
int printf(const char *, ...);
long double truncl(long double);
static int failed, COUNT;
static long double values[2000];
#define BITS(t) ((int)sizeof(t) * 8)
#define SIGNED(t) ((t)-1 < 1)
#define TEST(f, t, g) \
    for (int i = 0; i < COUNT; i++) {{ \
        f a = values[i]; \
        __float128 whole = a - a != 0 ? (__float128)a : truncl(a); \
        __float128 max = SIGNED(t) ? ((__int128)1 << (BITS(t) - 1)) - 1 : ((__int128)1 << BITS(t)) - 1; \
        __float128 min = SIGNED(t) ? -max - 1 : 0; \
        int ok = whole >= min && whole <= max; \
        t got = g(a, 42); \
        if (got != (ok ? (t)whole : 42)) {{ printf(#g " of %Lg is %lld\n", (long double)a, (long long)got); failed = 1; }} \
    }}
#define BACK(f, t, g) \
    for (int i = 0; i < COUNT; i++) {{ \
        __int128 wide = values[i] - values[i] != 0 || values[i] > 0x1p100L || values[i] < -0x1p100L ? 0 : (__int128)values[i]; \
        t a = wide; \
        f r = a; \
        int ok = (__float128)r == (__float128)a; \
        if (g(a, -42) != (ok ? r : -42)) {{ printf(#g " of %lld is wrong\n", (long long)a); failed = 1; }} \
    }}
int main(void)
{{
    for (int i = -1200; i <= 1200; i += 3) values[COUNT++] = i / 4.0L;
    for (int bit = 6; bit < 66; bit++)
        for (int d = -2; d <= 2; d++) {{
            long double p = (long double)(1ULL << (bit / 2)) * (1ULL << (bit - bit / 2));
            values[COUNT++] = p + d / 2.0L;
            values[COUNT++] = -p + d / 2.0L;
        }}
    values[COUNT++] = __builtin_infl();
    values[COUNT++] = -__builtin_infl();
    values[COUNT++] = __builtin_nanl("");
    values[COUNT++] = -0.0L;
{calls}    return failed;
}}
"#
    );
    let text = print(&build.program, &PrintOptions::default()) + &harness;
    run("conversion_wrappers", &text);
}

#[test]
fn exact_wrappers_notice_every_rounding() {
    let mut build = Build::new(Dialect::C17);
    let mut calls = String::new();
    let floats = [
        ("float", FloatKind::Float),
        ("double", FloatKind::Double),
        ("long double", FloatKind::LongDouble),
    ];
    let operators = [
        ("add", "+", BinaryOp::Add),
        ("sub", "-", BinaryOp::Sub),
        ("mul", "*", BinaryOp::Mul),
        ("div", "/", BinaryOp::Div),
    ];
    for (text, kind) in floats {
        let ty = Types::float(kind);
        for (name, op_text, op) in operators {
            let function = format!("test_{name}_{}", text.replace(' ', ""));
            let operation = |v: &[ExprId]| ExprKind::Binary(op, v[0], v[1]);
            guarded(&mut build, &function, GuardCheck::Exact, ty, &[ty, ty], operation, true);
            calls += &format!("    TEST({text}, {op_text}, {function});\n");
        }
    }
    // The reference asks the processor: the inexact, overflow and other flags.
    let harness = format!(
        r#"
int printf(const char *, ...);
int feclearexcept(int);
int fetestexcept(int);
static int failed, COUNT;
static long double values[500];
#define TEST(t, op, f) \
    for (int i = 0; i < COUNT; i++) for (int j = 0; j < COUNT; j++) {{ \
        volatile t a = values[i], b = values[j]; \
        feclearexcept(0x3d); \
        volatile t r = a op b; \
        int ok = !fetestexcept(0x3d); \
        t got = f(a, b, 42); \
        if (ok && r != r ? got == got : got != (ok ? r : 42)) {{ printf(#f "(%La, %La) is %La\n", (long double)a, (long double)b, (long double)got); failed = 1; }} \
    }}
int main(void)
{{
    for (int i = -20; i <= 20; i++) values[COUNT++] = i / 8.0L;
    for (int i = 0; i < 66; i += 3) {{
        values[COUNT++] = (long double)((1ULL << (i % 64)) + 1);
        values[COUNT++] = 1 / (long double)((1ULL << (i % 64)) + 1);
        values[COUNT++] = 1 / (long double)(1ULL << (i % 64));
    }}
    for (int i = 1; i < 30; i++) values[COUNT++] = 0.1L * i * i;
    for (int e = -1080; e < 1030; e += 40) values[COUNT++] = 3 * __builtin_ldexpl(1, e);
    for (int e = -150; e < 130; e += 10) values[COUNT++] = 5 * __builtin_ldexpl(1, e);
    values[COUNT++] = 0x1p-1074L;
    values[COUNT++] = 0x1p-149L;
    values[COUNT++] = 0x1p-16445L;
    values[COUNT++] = 0x1.fffffep127L;
    values[COUNT++] = 0x1.fffffffffffffp1023L;
    values[COUNT++] = __builtin_infl();
    values[COUNT++] = __builtin_nanl("");
{calls}    return failed;
}}
"#
    );
    let text = print(&build.program, &PrintOptions::default()) + &harness;
    run("exact_wrappers", &text);
}

#[test]
fn index_and_pointer_guards_print_and_run() {
    let mut build = Build::new(Dialect::C17);
    let pointer = build.program.types.qualified(Types::INT, Qualifiers::CONST);
    let pointer = build.program.types.pointer_to(pointer);
    let index = GuardCheck::Index { bound: 10 };
    // The operand of these guards is the value itself; `+` stands in for any integer expression.
    let plus = |v: &[ExprId]| ExprKind::Unary(UnaryOp::Plus, v[0]);
    guarded(&mut build, "at", index, Types::INT, &[Types::INT], plus, true);
    let same = |v: &[ExprId]| ExprKind::Cast(v[0]);
    guarded(&mut build, "to", GuardCheck::Pointer, pointer, &[pointer], same, true);
    let text = print(&build.program, &PrintOptions::default());
    assert!(text.contains("return __farrier_index_int_or(+a, 10, c);"), "{text}");
    assert!(
        text.contains("return (const int *)__farrier_pointer_or((const int *)a, c);"),
        "{text}"
    );
    let bare = print(&build.program, &PrintOptions::guards(GuardStyle::Bare));
    assert!(bare.contains("return +a;") && !bare.contains("__farrier"), "{bare}");
    let macros = GuardStyle::Macros { percent: 100, salt: 0 };
    let macros = print(&build.program, &PrintOptions::guards(macros));
    assert!(macros.contains("#define __farrier_pointer_or("), "{macros}");
    let main = "int main(void) { int x; return !(at(0, 3) == 0 && at(9, 3) == 9 && at(10, 3) == 3 \
                && at(-1, 3) == 3 && to(0, &x) == &x && to(&x, 0) == &x); }\n";
    run("index_wrappers", &(text + main));
    run("index_wrappers_macros", &(macros + main));
}
