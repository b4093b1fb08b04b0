//! Every repair takes its fault out, and the program keeps its form.

use farrier_lang::{Dialect, LogicalOp, SourceText, Storage, target, well_formed};
use farrier_machine::{Options, Verdict, collect, run};

use super::*;
use crate::relax::RelaxTally;

/// Programs with faults. `hidden` is an input with the value 7, and `dropped` an initialiser that
/// was left out, of the local `late`.
const FAULTY: [&str; 10] = [
    "int f(void) { int late; int x = 3; x += late; return x; }",
    "int f(void) { int late; if (late) g = 1; return g; }",
    "int f(void) { int *p = 0; *p = 4; g = *p + 1; return g; }",
    "int f(void) { int a[4] = {1}; int i = 5; a[i] = 2; g = a[i - 1] + a[9]; return a[0]; }",
    "int f(void) { int *p = &g; g = *(p + 5000); return g; }",
    "int f(void) { int *p = &g; { int inner = 3; p = &inner; } *p = 2; return g; }",
    "int f(void) { int i = 1; g = i++ + i; return g; }",
    "int f(void) { int *p = &g, *q = &g; g = (*p)++ ^ *q; return g; }",
    "int f(void) { int x = 1; if (g) goto in; { int late = 2; in: x = late; } return x; }",
    "int f(void) { int a[4] = {1}; for (int i = 0; i < 6; i++) a[i] = 3 - i; return a[0]; }",
];

fn parse(function: &str) -> Program {
    let text = format!(
        "int hidden = 7; int h; int g = 1;\n{function}\nint main(void) {{ return f() & 0; }}\n"
    );
    let options = farrier_front::Options {
        target: &target::X86_64_LINUX,
        dialect: Dialect::C17,
        permissive: false,
    };
    farrier_front::parse(&[SourceText::new("test.c", text)], &options).expect("it parses")
}

fn object(program: &Program, name: &str) -> Option<ObjectId> {
    let named = |object: &ObjectId| {
        program[*object].name.is_some_and(|symbol| program.text(symbol) == name)
    };
    program.objects.ids().find(named)
}

/// What relaxed drafting would have noted of a program.
fn noted(program: &mut Program) -> Relaxed {
    let mut relaxed = Relaxed::default();
    if let Some(late) = object(program, "late")
        && program[late].init.is_none()
    {
        let init = program.integer(11, program[late].ty).expect("it is an int");
        relaxed.dropped.push((late, init));
    }
    let inner = object(program, "inner");
    for (id, expr) in program.exprs.iter() {
        if let ExprKind::AddressOf(place) = expr.kind
            && inner.is_some()
            && root(program, place) == inner
        {
            relaxed.addresses.push(id);
        }
    }
    for (id, stmt) in program.stmts.iter() {
        if let Stmt::If { then, .. } = stmt
            && matches!(program[*then], Stmt::Goto(_))
        {
            relaxed.jumps.push(id);
        }
    }
    relaxed
}

#[test]
fn three_rounds_repair_every_kind_of_fault_in_every_way() {
    let mut tally = RelaxTally::default();
    for function in FAULTY {
        for seed in 0..40 {
            let mut program = parse(function);
            let relaxed = noted(&mut program);
            let hidden = object(&program, "hidden").expect("it is there");
            assert_eq!(program[hidden].storage, Storage::Static);
            let known = Known { relaxed: &relaxed, inputs: &[(hidden, 7)] };
            let mut choices = Choices::new(seed);
            for round in 0..ROUNDS {
                let faults = collect(&program, &Options::default()).faults;
                assert!(round > 0 || !faults.is_empty(), "{function}");
                repair(&mut program, &faults, &known, round > 0, &mut choices, &mut tally);
            }
            let violations = well_formed::check(&program);
            assert!(violations.is_empty(), "{function}, seed {seed}: {:?}", violations.first());
            let verdict = run(&program, &Options::default()).verdict;
            assert!(matches!(verdict, Verdict::Defined(_)), "{function}, seed {seed}: {verdict:?}");
        }
    }
    for (row, count) in REPAIRS.iter().zip(tally.repairs) {
        assert!(count > 0, "{} never happens", row.name);
    }
    assert_eq!((REPAIRS[GUARD].name, REPAIRS[BESIDE].name), ("guard", "bury-beside"));
}

/// Makes the conditions true that buried code depends on.
fn unbury(program: &mut Program) {
    let hidden = object(program, "hidden").expect("it is there");
    let ids: Vec<ExprId> = program.exprs.ids().collect();
    for id in ids {
        if let ExprKind::Binary(_, left, right) = program[id].kind
            && let ExprKind::Load(place) = program[left].kind
            && root(program, place) == Some(hidden)
        {
            program[id].kind = ExprKind::Logical(LogicalOp::Or, left, right);
        }
    }
}

#[test]
fn what_is_buried_is_still_wrong() {
    let mut buried = 0;
    for (function, kind) in [
        (FAULTY[2], UbKind::NullDereference),
        (FAULTY[3], UbKind::OutOfBounds),
        (FAULTY[6], UbKind::Unsequenced),
    ] {
        for seed in 0..20 {
            let mut program = parse(function);
            let relaxed = noted(&mut program);
            let hidden = object(&program, "hidden").expect("it is there");
            let known = Known { relaxed: &relaxed, inputs: &[(hidden, 7)] };
            let faults = collect(&program, &Options::default()).faults;
            let mut tally = RelaxTally::default();
            repair(&mut program, &faults, &known, false, &mut Choices::new(seed), &mut tally);
            if tally.buried.is_empty() {
                continue;
            }
            buried += 1;
            unbury(&mut program);
            let again = collect(&program, &Options::default()).faults;
            assert!(
                again.iter().any(|fault| fault.rule == Rule::Undefined(kind)),
                "{function}, seed {seed}: {again:?}"
            );
        }
    }
    assert!(buried > 15, "{buried}");
}
