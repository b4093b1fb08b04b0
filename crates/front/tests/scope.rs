//! What is visible at the statements of programs.

#[path = "support/random.rs"]
mod random;

use farrier_front::{Options, parse};
use farrier_lang::scope::{self, Scope, ScopePoint};
use farrier_lang::{
    ArrayLength, Dialect, Entity, ExprId, ExprKind, FunctionId, Item, Program, SourceText, Stmt,
    StmtId, Type, TypeId, target,
};

fn program(text: &str) -> Program {
    let options =
        Options { target: &target::X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let parsed = parse(&[SourceText::new("scope.c", text)], &options);
    parsed.unwrap_or_else(|failure| panic!("{}\n{text}", failure.diagnostic.message))
}

fn functions(program: &Program) -> Vec<FunctionId> {
    let functions = program.items.iter().filter_map(|item| match item {
        Item::Define(Entity::Function(id)) => Some(*id),
        _ => None,
    });
    functions.collect()
}

/// A scope in one line: objects with lifetime and depth, and a question mark where control
/// may come past the declaration; functions; labels; types, with a dot while incomplete.
fn line(program: &Program, scope: &Scope) -> String {
    let mut words = Vec::new();
    for visible in &scope.objects {
        let name = program[visible.object].name.map_or("_", |name| program.text(name));
        let lifetime = format!("{:?}", visible.lifetime).to_lowercase();
        let certain = if visible.certain { "" } else { "?" };
        words.push(format!("{name}:{}{}{certain}", &lifetime[..1], visible.depth));
    }
    for function in &scope.functions {
        words.push(format!("{}()", program.text(program[*function].name)));
    }
    words.extend(scope.labels.iter().map(|id| format!("{}:", program.text(program[*id].name))));
    for known in &scope.types {
        let name = match known.entity {
            Entity::Record(id) => program[id].tag.map_or("_", |tag| program.text(tag)),
            Entity::Enum(id) => program.text(program[id].tag),
            Entity::Typedef(id) => program.text(program[id].name),
            Entity::Object(_) | Entity::Function(_) => panic!("no type"),
        };
        words.push(format!("<{name}{}>", if known.complete { "" } else { "." }));
    }
    words.join(" ")
}

/// Whether a statement is `here();`
fn is_here(program: &Program, stmt: StmtId) -> bool {
    let Stmt::Expr(call) = program[stmt] else { return false };
    let ExprKind::Call(callee, _) = program[call].kind else { return false };
    let ExprKind::Decay(callee) = program[callee].kind else { return false };
    let ExprKind::Function(id) = program[callee].kind else { return false };
    program.text(program[id].name) == "here"
}

/// The scope before `here();` in a text that declares it first.
fn here(text: &str) -> String {
    let program = program(&format!("void here(void); {text}"));
    let mut found = Vec::new();
    for function in functions(&program) {
        scope::walk(&program, function, &mut |stmt, point, scope| {
            if point == ScopePoint::Before && is_here(&program, stmt) {
                found.push(line(&program, scope));
                assert_eq!(scope::at(&program, function, stmt, point).as_ref(), Some(scope));
            }
        });
    }
    assert_eq!(found.len(), 1, "{text}");
    found.remove(0).replace("here() ", "")
}

#[test]
fn rows() {
    for (text, expected) in [
        ("int a; void f(int p) { int x; here(); int y; } int b;", "a:s0 p:p1 x:a1 f()"),
        ("void f(void) { static int s; { int x; } { int y; here(); } }", "s:s1 y:a2 f()"),
        ("void f(void) { for (int i = 0; i < 3; i++) { int x; here(); } }", "i:a2 x:a3 f()"),
        ("void f(void) { if (1) { int x; } else here(); }", "f()"),
        ("void f(void) { int x = ({ int y = 1; here(); y; }); }", "x:a1 y:a2 f()"),
        // Only what is declared inside the switch can be passed by its cases.
        (
            "void f(int p) { int x; switch (p) { int y; case 1: here(); } }",
            "p:p1 x:a1 y:a2? f()",
        ),
        ("void f(int p) { goto l; int x; l: here(); }", "p:p1 x:a1? f() l:"),
        ("void f(int p) { l:; int x; here(); goto l; }", "p:p1 x:a1 f() l:"),
        // A round of the loop may begin with a jump into its middle.
        ("void f(int p) { goto l; int x; while (p) { here(); l: p--; } }", "p:p1 x:a1? f() l:"),
        (
            "void f(int p) { switch (p) { int x; do { here(); case 2: p--; } while (p); } }",
            "p:p1 x:a2? f()",
        ),
        // No jump leads into a statement expression, nor can one see its labels.
        (
            "void f(int p) { int x; p = ({ int y; m: here(); p; }); n: if (p) goto n; }",
            "p:p1 x:a1 y:a2? f() n: m:",
        ),
        (
            "struct s; enum e { A } e; struct t { struct s *p; }; void f(void) { struct u { int a; };
             here(); } struct s { int a; };",
            "e:s0 f() <s.> <e> <t> <u>",
        ),
        ("_Thread_local int t; void g(void) { } void f(void) { here(); }", "t:t0 g() f()"),
    ] {
        assert_eq!(here(text), expected, "{text}");
    }
}

#[test]
fn every_point_has_its_scope() {
    let text = "void f(void) { int x; { int y; } for (int i = 0; i; ) { } }";
    let program = program(text);
    let function = functions(&program)[0];
    let mut lines = Vec::new();
    scope::walk(&program, function, &mut |stmt, point, scope| {
        if matches!(program[stmt], Stmt::Block(_) | Stmt::For { .. }) {
            lines.push(format!("{point:?} {}", line(&program, scope)));
        }
    });
    let expected = [
        "Before f()",
        "Inside f()",
        "Before x:a1 f()",
        "Inside x:a1 f()",
        "End x:a1 y:a2 f()",
        "After x:a1 f()",
        "Before x:a1 f()",
        "Inside x:a1 i:a2 f()",
        "Before x:a1 i:a2 f()",
        "Inside x:a1 i:a2 f()",
        "End x:a1 i:a2 f()",
        "After x:a1 i:a2 f()",
        "After x:a1 f()",
        "End x:a1 f()",
        "After f()",
    ];
    assert_eq!(lines, expected);
    let other = program.functions.ids().nth(1);
    assert!(other.is_none());
    let body = program[function].body.expect("it is defined");
    assert_eq!(
        scope::at(&program, function, body, ScopePoint::After).map(|s| s.objects.len()),
        Some(0)
    );
}

/// Panics if an expression, the statements in it apart, uses something that is not visible.
fn assert_visible(program: &Program, scope: &Scope, id: ExprId) {
    let kind = &program[id].kind;
    match *kind {
        ExprKind::Object(object) => assert!(scope.object(object).is_some(), "{object:?}"),
        ExprKind::Function(id) => assert!(scope.functions.contains(&id), "{id:?}"),
        ExprKind::LabelAddress(label) => assert!(scope.labels.contains(&label), "{label:?}"),
        _ => {}
    }
    assert_type_visible(program, scope, program.type_of(id));
    kind.for_each_operand(|operand| assert_visible(program, scope, operand));
}

fn assert_type_visible(program: &Program, scope: &Scope, ty: TypeId) {
    let entity = match program.types.get(ty) {
        Type::Record(id) if program[*id].tag.is_some() => Entity::Record(*id),
        Type::Enum(id) => Entity::Enum(*id),
        Type::Typedef(id) => Entity::Typedef(*id),
        Type::Pointer(inner) | Type::Vector { element: inner, .. } => {
            return assert_type_visible(program, scope, *inner);
        }
        Type::Array { element, length } => {
            if let ArrayLength::Variable(length) = length {
                assert_visible(program, scope, *length);
            }
            return assert_type_visible(program, scope, *element);
        }
        _ => return,
    };
    let known = scope.types.iter().any(|known| known.entity == entity);
    assert!(known, "{entity:?}");
}

#[test]
fn everything_that_a_statement_uses_is_in_its_scope() {
    let texts = [
        "int f(int n, int m[n][n]) { int v[n + 1]; v[0] = n; goto l; l: return m[0][0] + v[0]; }",
        "int f(int n) { void *p = &&out; if (n) goto *p; n = ({ __label__ in; in: n + 1; });
         for (struct { int i; } s = {0}; s.i < n; s.i++) n--; out: return n; }",
    ];
    let mut uses = 0;
    let random = (0..100).map(|seed| random::program(&target::X86_64_LINUX, Dialect::C17, seed));
    for program in random.chain(texts.map(program)) {
        for function in functions(&program) {
            scope::walk(&program, function, &mut |stmt, point, scope| {
                let own = match program[stmt] {
                    Stmt::For { .. } => ScopePoint::Inside,
                    Stmt::Declare(_) => ScopePoint::After,
                    _ => ScopePoint::Before,
                };
                if point != own {
                    return;
                }
                uses += 1;
                program[stmt].for_each_expr(|expr| assert_visible(&program, scope, expr));
                match program[stmt] {
                    Stmt::Declare(object) => {
                        assert_type_visible(&program, scope, program[object].ty);
                        let init = program[object].init;
                        init.iter().for_each(|init| assert_visible(&program, scope, *init));
                    }
                    Stmt::Goto(label) => assert!(scope.labels.contains(&label), "{label:?}"),
                    _ => {}
                }
            });
        }
    }
    assert!(uses > 1000, "only {uses} statements: too few to mean anything");
}
