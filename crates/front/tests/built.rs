//! What is built of values that were converted implicitly somewhere else: the text says it too.

use farrier_front::{Options, parse};
use farrier_lang::build::{Builder, Built};
use farrier_lang::layout::Layouts;
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::shape::difference;
use farrier_lang::{
    BinaryOp, Dialect, ExprId, IntKind, LogicalOp, Program, SourceText, Stmt, Types, UnaryOp,
    target,
};

fn read(text: &str) -> Program {
    let options =
        Options { target: &target::X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let program = parse(&[SourceText::new("built.c", text)], &options);
    program.unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message))
}

/// Builds something of the value that a function returns, which has been converted to its type,
/// and returns that instead. The text must read back as what was built.
#[track_caller]
fn expect(text: &str, build: impl Fn(&mut Builder<'_>, ExprId) -> Built, returned: &str) {
    let mut program = read(text);
    let find = |stmt: &Stmt| if let Stmt::Return(value) = stmt { *value } else { None };
    let (at, value) = program
        .stmts
        .iter()
        .find_map(|(id, stmt)| Some((id, find(stmt)?)))
        .expect("it returns something");
    let result = program.type_of(value);
    let mut layouts = Layouts::default();
    let mut builder = Builder { program: &mut program, layouts: &mut layouts, permissive: false };
    let built = build(&mut builder, value).unwrap_or_else(|error| panic!("{}", error.message));
    let built = builder.convert(built, result);
    program.stmts[at] = Stmt::Return(Some(built));
    let printed = print(&program, &PrintOptions::default());
    assert!(printed.contains(&format!("return {returned};")), "{printed}");
    assert_eq!(difference(&read(&printed), &program), None, "{printed}");
}

fn with_zero(builder: &mut Builder<'_>, op: BinaryOp, value: ExprId) -> Built {
    let zero = builder.int(IntKind::Int, 0);
    builder.binary(op, value, zero)
}

#[test]
fn a_conversion_that_the_operator_does_not_make_is_a_cast() {
    let double = "double f(unsigned __int128 a) { return a; }";
    expect(double, |b, value| with_zero(b, BinaryOp::NotEqual, value), "(double)a != 0");
    expect(double, |b, value| b.unary(UnaryOp::Minus, value), "-(double)a");
    expect(double, |b, value| b.unary(UnaryOp::Not, value), "!(double)a");
    expect(double, |b, value| b.cast(value, Types::INT), "(int)(double)a");
    let narrow = "signed char f(unsigned a) { return a; }";
    expect(narrow, |b, value| with_zero(b, BinaryOp::BitOr, value), "(signed char)a | 0");
    expect(narrow, |b, value| with_zero(b, BinaryOp::Shr, value), "(signed char)a >> 0");
    let and_zero = |b: &mut Builder<'_>, value| {
        let zero = b.int(IntKind::Int, 0);
        b.logical(LogicalOp::And, value, zero)
    };
    expect(narrow, and_zero, "(signed char)a && 0");
}

#[test]
fn a_conversion_that_the_operator_makes_stays_implicit() {
    let long = "long f(int a, long b) { return a; }";
    expect(long, |b, value| with_zero(b, BinaryOp::Add, value), "(long)a + 0");
    let with_long = |b: &mut Builder<'_>, value| {
        let other = b.int(IntKind::Long, 3);
        b.binary(BinaryOp::Add, value, other)
    };
    expect(long, with_long, "a + 3L");
    let promoted = "int f(short a) { return a; }";
    expect(promoted, |b, value| b.unary(UnaryOp::BitNot, value), "~a");
    expect(promoted, |b, value| with_zero(b, BinaryOp::Shl, value), "a << 0");
}
