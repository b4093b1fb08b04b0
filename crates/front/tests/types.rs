//! The types of expressions, compared with what compilers say on all targets.
//!
//! The front end types each expression; a compiler then checks, in one file for each
//! target, that `_Generic` chooses exactly that type.

#![expect(clippy::disallowed_methods, reason = "types are compared with those of a compiler")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use farrier_front::{Options, parse};
use farrier_lang::print::type_text;
use farrier_lang::{Dialect, Entity, Item, Program, SourceText, Stmt, Target};

/// An object of each arithmetic type, by name, and the other things that expressions use.
const PRELUDE: &str = "
_Bool b; char c; signed char sc; unsigned char uc; short s; unsigned short us; int i;
unsigned u; long l; unsigned long ul; long long ll; unsigned long long ull;
float f; double d; long double ld; const volatile int cvi; const char cc;
enum signed_one { MINUS = -1, ONE = 1 }; enum signed_one se;
enum unsigned_one { BIG = 0xffff }; enum unsigned_one ue;
struct bits { unsigned u3 : 3; int i5 : 5; unsigned char uc8 : 8; _Bool b1 : 1; signed char c2 : 2;
    unsigned u15 : 15; unsigned u16 : 16; enum signed_one e3 : 3; } bf;
struct record { int a; const int b; int array[3]; struct record *next; } r, *rp;
const struct record cr;
int *ip; const int *cip; volatile int *vip; void *vp; const void *cvp; char *cp; int **ipp;
int array[3]; int matrix[2][3]; const int carray[3]; int (*pa)[3]; int fn(int); int (*fp)(int);
void vfn(void); long lfn(void); struct record rfn(void); int *pfn(void);
";

/// What only targets with wide integers have.
const WIDE_PRELUDE: &str =
    "__int128 w; unsigned __int128 uw; struct { int i32 : 32; unsigned u32 : 32;
    unsigned u31 : 31; } bw;\n";

const ARITHMETIC: &[&str] = &[
    "b", "c", "sc", "uc", "s", "us", "i", "u", "l", "ul", "ll", "ull", "f", "d", "ld", "cvi", "se",
    "ue", "ONE", "BIG", "bf.u3", "bf.i5", "bf.uc8", "bf.b1", "bf.c2", "bf.u15", "bf.u16", "bf.e3",
];

/// How many of [`ARITHMETIC`] are not integers, and where they begin.
const FLOATING: std::ops::Range<usize> = 12..15;

const OTHERS: &[&str] = &[
    // Objects, and what becomes of arrays, functions and qualifiers.
    "array",
    "matrix",
    "carray",
    "*matrix",
    "matrix[1]",
    "&array",
    "&matrix",
    "&array[1]",
    "*pa",
    "fn",
    "&fn",
    "*fn",
    "**fp",
    "fp",
    "cvi",
    "&cvi",
    "*cip",
    "*vip",
    "cip",
    "ipp",
    "*ipp",
    "&ip",
    "\"text\"",
    "&\"text\"",
    "L\"wide\"",
    "u\"16\"",
    "U\"32\"",
    "u8\"8\"",
    "*\"text\"",
    // Members.
    "r",
    "r.a",
    "r.b",
    "r.array",
    "&r.b",
    "cr.a",
    "&cr.a",
    "cr.array",
    "&cr.array",
    "rp->next",
    "*rp",
    "rp->next->array[1]",
    "&rp->array",
    "&rp->a",
    "rfn()",
    "rfn().a",
    "rfn().array",
    "&cr",
    "cr.next",
    // Pointers.
    "ip + 1",
    "1 + ip",
    "ip - 1",
    "ip - ip",
    "array + 1",
    "array - ip",
    "cip - ip",
    "&array[1] - array",
    "ip[0]",
    "0[ip]",
    "ip++",
    "--ip",
    "ip += 1",
    "ip == 0",
    "ip < ip",
    "!ip",
    "ip && ip",
    "*pa + 1",
    "pa + 1",
    "matrix + 1",
    "*(matrix + 1)",
    "cip[0]",
    "(long)ip",
    "(int *)0",
    "(const int)1",
    // Conditionals with pointers.
    "i ? ip : 0",
    "i ? 0 : ip",
    "i ? ip : (void *)0",
    "i ? ip : vp",
    "i ? vp : ip",
    "i ? ip : cip",
    "i ? cip : ip",
    "i ? vip : cip",
    "i ? cip : vp",
    "i ? cvp : ip",
    "i ? array : 0",
    "i ? array : ip",
    "i ? array : carray",
    "i ? fn : 0",
    "i ? fn : fp",
    "i ? \"a\" : 0",
    "i ? \"a\" : cp",
    "i ? r : r",
    "i ? (void *)0 : ip",
    "i ? 0L : ip",
    "i ? ip : 1 - 1",
    "i ? &cvi : ip",
    "i ? cr : r",
    "i ?: l",
    "uc ?: uc",
    "ip ?: 0",
    "i ? 1 : 2L",
    "i ? 'a' : 'b'",
    "i ? c : c",
    "i ? f : i",
    "i ? b : b",
    // Calls, commas and assignments.
    "fn(1)",
    "fp(1)",
    "(*fp)(1)",
    "lfn()",
    "pfn()",
    "*pfn()",
    "(i, l)",
    "(l, c)",
    "(i, array)",
    "(i, cvi)",
    "c = 1",
    "c += 1L",
    "c <<= 1L",
    "f = 1",
    "ip = 0",
    "s = l",
    "b = 5",
    "ld /= 2",
    "uc++",
    "++uc",
    "se = ONE",
    "se++",
    "ue += 1",
    "i = l, s",
    // Unevaluated operands.
    "sizeof i",
    "sizeof(long)",
    "sizeof array",
    "sizeof(int[7])",
    "_Alignof(int)",
    "__alignof__(i)",
    "__builtin_offsetof(struct record, b)",
    "sizeof(i) * 2",
    "-sizeof(char)",
    "sizeof 1 - 2",
    // Casts and literals.
    "(char)1",
    "(_Bool)2",
    "(short)1 + (short)1",
    "(float)1",
    "(enum signed_one)1",
    "(struct record){ 1 }",
    "(int[]){ 1, 2 }",
    "(char)1 + (char)1",
    "&(int){ 1 }",
    "(const char[]){ \"a\" }",
    "(void *)0",
    "(unsigned char)1 << 31L",
    "1.0",
    "1.0f",
    "1.0L",
    "1.",
    ".5",
    "1e3",
    "0x1p3",
    "0x1p3f",
    "1e3L",
    "5e-1F",
    "'a'",
    "'ab'",
    "'\\xff'",
    "L'a'",
    "u'a'",
    "U'a'",
    "1.0f + 1",
    "1.0f * 1.0",
    "1.0L - 1ull",
    "__builtin_constant_p(1)",
    "__builtin_expect(i, 1)",
    "__builtin_clz(1)",
    "__builtin_fabs(f)",
    "__builtin_fabsf(1)",
    "__builtin_strlen(cp)",
    "__builtin_memcpy(ip, ip, 1)",
    "__builtin_bswap32(1)",
    "__builtin_add_overflow(1, 2, ip)",
    "__builtin_popcountll(1)",
    "__builtin_inf()",
    "__builtin_abs(1)",
    "({ c; })",
    "({ array; })",
    "({ 1L; })",
    "({ cvi; })",
    "_Generic(1, int: 2L)",
    "_Generic(1, int: array)",
    "__builtin_choose_expr(1, c, 2L)",
    "__extension__ c",
    "__real__ d",
    "__imag__ f",
];

/// Constants of type `long double`.
const LONG: [&str; 3] = ["1.0L", "1e3L", "1.0L - 1ull"];

fn expressions(target: &Target) -> Vec<String> {
    let mut arithmetic = ARITHMETIC.to_vec();
    if target.int128.is_some() {
        arithmetic.extend(["w", "uw", "bw.i32", "bw.u32", "bw.u31"]);
    }
    let is_integer = |index: usize| !FLOATING.contains(&index);
    // Where the machine does not compute with the type, the front end refuses its constants.
    let is_known = |text: &&&str| target.long_double.1.is_some() || !LONG.contains(text);
    let mut all: Vec<String> = OTHERS.iter().filter(is_known).map(|&text| text.into()).collect();
    for (index, one) in arithmetic.iter().enumerate() {
        all.extend(["+", "-", "!"].map(|op| format!("{op}{one}")));
        if is_integer(index) {
            all.push(format!("~{one}"));
        }
        all.push(format!("{one} + 1"));
        all.push(format!("1u * {one}"));
        for (other_index, other) in arithmetic.iter().enumerate() {
            all.push(format!("{one} + {other}"));
            all.push(format!("i ? {one} : {other}"));
            // The rules are the same for all operators, so each pair gets one more of them.
            let integers = is_integer(index) && is_integer(other_index);
            let operators: &[&str] = if integers {
                &["<<", ">>", "%", "&", "^", "|", "-", "*", "/", "==", "<", ">=", "&&", "||", "!="]
            } else {
                &["-", "*", "/", "==", "<", ">=", "&&", "||", "!="]
            };
            let operator = operators[(index * 7 + other_index) % operators.len()];
            all.push(format!("{one} {operator} {other}"));
            if !one.contains('.') && !one.contains("cvi") && one.to_lowercase() == *one {
                let assignments: &[&str] =
                    if integers { &["=", "+=", "<<=", "&=", "%="] } else { &["=", "+=", "/="] };
                let assignment = assignments[(index + other_index) % assignments.len()];
                all.push(format!("{one} {assignment} {other}"));
            }
        }
    }
    // Constants around every border of a type, in every notation.
    for bits in [7, 8, 15, 16, 31, 32, 63, 64] {
        let border = 1_u128 << bits;
        for value in [border - 1, border] {
            let Ok(value) = u64::try_from(value) else { continue };
            for suffix in ["", "u", "l", "ul", "ll", "ull", "U", "L", "LU", "LL", "ULL", "llu"] {
                all.push(format!("{value:#x}{suffix}"));
                all.push(format!("0{value:o}{suffix}"));
                // Beyond the widest signed type, compilers choose a decimal's type as they like.
                if i64::try_from(value).is_ok() || suffix.to_lowercase().contains('u') {
                    all.push(format!("{value}{suffix}"));
                }
            }
        }
    }
    all
}

/// The type of the value of each expression.
fn types(prelude: &str, expressions: &[String], target: &'static Target) -> Vec<String> {
    let mut text = format!("{prelude}void test(void) {{\n");
    for expression in expressions {
        writeln!(text, "{expression};").expect("a string takes all");
    }
    text.push_str("}\n");
    let options = Options { target, dialect: Dialect::C17, permissive: false };
    let input = SourceText::new("test.c", text);
    let program = parse(&[input], &options).unwrap_or_else(|failure| {
        let place = failure.sources.place(failure.diagnostic.span).expect("a place");
        panic!("{}: {}: {}", target.name, failure.diagnostic.message, place.text)
    });
    body(&program)
        .iter()
        .map(|statement| match program[*statement] {
            Stmt::Expr(value) => type_text(&program, program.type_of(value)),
            ref other => panic!("{other:?} is not an expression"),
        })
        .collect()
}

/// The statements of the last function.
fn body(program: &Program) -> &[farrier_lang::StmtId] {
    let last = program.items.iter().rev().find_map(|item| match item {
        Item::Define(Entity::Function(id)) => program[*id].body,
        _ => None,
    });
    match &program[last.expect("a function")] {
        Stmt::Block(statements) => statements,
        _ => panic!("a body is a block"),
    }
}

/// Checks all expressions with a compiler.
fn check(target: &'static Target) {
    let wide = target.int128.is_some();
    let prelude = if wide { [PRELUDE, WIDE_PRELUDE].concat() } else { PRELUDE.to_owned() };
    let expressions = expressions(target);
    assert!(expressions.len() > 2000, "there are {} expressions", expressions.len());
    let types = types(&prelude, &expressions, target);
    assert_eq!(types.len(), expressions.len());
    let mut text = format!("{prelude}void test(void) {{\n");
    for (expression, ty) in expressions.iter().zip(&types) {
        let words = format!("{expression} is not {ty}").replace('\\', "/").replace('"', "'");
        writeln!(
            text,
            "_Static_assert(_Generic(({expression}), {ty}: 1, default: 0), \"{words}\");"
        )
        .expect("a string takes all");
    }
    text.push_str("}\n");
    let toolchain = target.toolchain;
    let mut child = Command::new(toolchain.compiler)
        .args(toolchain.flags)
        // avr-gcc 5 does not know C17.
        .args(["-std=gnu11", "-w", "-fsyntax-only", "-xc", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{error}: install {}", toolchain.packages));
    let mut stdin = child.stdin.take().expect("a pipe");
    // The compiler may have much to say before it has read all: another thread writes.
    let writer = std::thread::Builder::new().spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the compiler ends");
    writer.expect("a thread").join().expect("no panic").expect("the compiler reads its input");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = stderr.lines().filter(|line| line.contains("error")).collect();
    assert!(output.status.success(), "{}:\n{}", target.name, errors.join("\n"));
}

/// `FARRIER_TARGET` names another target than those that are always tested.
#[test]
fn types_are_those_of_gcc() {
    let name = std::env::var("FARRIER_TARGET").ok();
    let targets = Target::to_test(name.as_deref());
    assert!(!targets.is_empty(), "there is no target {name:?}");
    for target in targets {
        check(target);
    }
}
