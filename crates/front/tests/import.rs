//! Parts of one program in another, and copies inside one.

#[path = "support/random.rs"]
mod random;

use std::thread;

use farrier_front::{Options, parse};
use farrier_lang::copy::{self, EntityMap};
use farrier_lang::import::{self, ImportError};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::{
    Dialect, Entity, FunctionId, Item, Program, STACK_BYTES, SourceText, Stmt, StmtId, Target,
    shape, target, well_formed,
};

fn read(target: &'static Target, dialect: Dialect, text: &str) -> Result<Program, String> {
    let options = Options { target, dialect, permissive: false };
    let parsed = parse(&[SourceText::new("import.c", text)], &options);
    parsed.map_err(|failure| format!("{}\n{text}", failure.diagnostic.message))
}

fn program(text: &str) -> Program {
    read(&target::X86_64_LINUX, Dialect::C17, text).unwrap_or_else(|trouble| panic!("{trouble}"))
}

/// The text of a program that is well formed and reads back as itself.
fn checked(program: &Program) -> String {
    let text = print(program, &PrintOptions::default());
    if let Some(violation) = well_formed::check(program).first() {
        panic!("{violation}\n{text}");
    }
    let again = read(program.target, program.dialect, &text);
    let again = again.unwrap_or_else(|trouble| panic!("{trouble}"));
    assert_eq!(shape::difference(program, &again), None, "{text}");
    text
}

fn function(program: &Program, name: &str) -> FunctionId {
    let mut functions = program.functions.iter();
    let found = functions.find(|(_, function)| program.text(function.name) == name);
    found.unwrap_or_else(|| panic!("no function {name}")).0
}

/// The statements of the body of a function.
fn body(program: &Program, function: FunctionId) -> Vec<StmtId> {
    let body = program[function].body.expect("it is defined");
    let Stmt::Block(stmts) = &program[body] else { panic!("a body is a block") };
    stmts.to_vec()
}

const HOST: &str = "int printf(const char *, ...); struct s { int a; }; struct s x; int f;
    int main(void) { printf(\"%d\\n\", x.a + f); return 0; }";

/// Brings `f` of a text into the host, at its end, and returns the text of all.
fn imported(text: &str) -> String {
    let (mut to, from) = (program(HOST), program(text));
    let at = to.items.len();
    let id = function(&from, "f");
    let id = import::function(&mut to, &from, id, at, &mut EntityMap::default());
    let name = to.text(to[id.expect("it can be imported")].name).to_owned();
    let all = checked(&to);
    assert!(all.contains(&format!(" {name}(")), "{all}");
    assert!(all.starts_with(&print(&program(HOST), &PrintOptions::default())), "{all}");
    all
}

#[test]
fn a_function_brings_along_what_it_refers_to() {
    let text = imported(
        "int printf(const char *, ...); struct s { struct s *next; enum e { A, B = 3 } e; };
         static int count = 2; static int g(struct s *p) { return p->next ? g(p->next) : B; }
         int unused; int f(struct s *x) { static int n; count += n++; printf(\"!\"); return g(x); }",
    );
    assert!(text.contains("struct s_1"), "{text}");
    assert!(text.contains("int f_1(struct s_1 *x_1)"), "{text}");
    assert!(!text.contains("unused"), "{text}");
    assert_eq!(text.matches("int printf").count(), 1, "{text}");
}

#[test]
fn rows_of_functions_can_be_imported() {
    for text in [
        "int f(int n, int m[n][n]) { int v[n + 1]; v[0] = sizeof v; return m[0][0] + v[0]; }",
        "int f(int n) { goto end; again: n--; end: if (n) goto again; return n; }",
        "int f(int n) { void *p = &&out; if (n) goto *p; n = ({ __label__ in; in: n + 1; });
         out: return n; }",
        "int f(int main) { struct t { int x[2]; } a = {{1, 2}}; return a.x[1]; }",
        "typedef int aligned __attribute__((aligned(16))); aligned a; int f(void) { return a; }",
        "double d = 0.5; char *s = \"a\\0b\"; int f(void) { return d + s[1] + L\"x\"[0]; }",
        "int h(); int f(void) { return h(1); } int h(int x) { return x; }",
        "int f(int x) { asm volatile (\"\" : \"+r\" (x)); switch (x) { case 1 ... 3: return 2; }
         for (int i = 0, x_1 = 1; i < x; i++) x -= x_1; return x; }",
        "void *malloc(unsigned long); int f(void) { int *p = malloc(4); return p && *p; }",
        "extern int environ; struct open; int f(struct open *p) { return p != 0 && environ; }",
    ] {
        imported(text);
    }
}

#[test]
fn what_stands_in_the_map_is_not_brought_along() {
    let mut to = program("int a; int main(void) { int b = 1; b += a; return b; }");
    let from = program("int x; int f(int y) { if (y) { int b = x; y += b; } return y; }");
    let main = function(&to, "main");
    let id = body(&from, function(&from, "f"))[0];
    let mut map = EntityMap::default();
    let before = print(&to, &PrintOptions::default());
    let free = from[function(&from, "f")].parameters[0];
    let refused = import::stmt(&mut to, &from, id, 1, &mut map);
    assert_eq!(refused, Err(ImportError::Object(free)));
    assert_eq!(checked(&to), before);
    let Item::Define(Entity::Object(a)) = to.items[0] else { panic!("a comes first") };
    let Item::Define(Entity::Object(x)) = from.items[0] else { panic!("x comes first") };
    let Stmt::Declare(b) = to[body(&to, main)[0]] else { panic!("b comes first") };
    map.objects.insert(x, a);
    map.objects.insert(free, b);
    let stmt = import::stmt(&mut to, &from, id, 1, &mut map).expect("it can be imported");
    let mut stmts = body(&to, main);
    stmts.insert(1, stmt);
    let block = to[main].body.expect("it is defined");
    to[block] = Stmt::Block(stmts.into());
    let text = checked(&to);
    // The import that was refused has used up a name.
    assert!(text.contains("int b_2 = a;"), "{text}");
    assert!(text.contains("b += b_2;"), "{text}");
    assert_eq!(to.items.len(), 2);
}

#[test]
fn an_import_that_cannot_be_is_refused() {
    let from = program("int puts(const char *); int f(void) { return puts(\"\"); }");
    let f = function(&from, "f");
    let map = &mut EntityMap::default();
    let puts = Entity::Function(function(&from, "puts"));
    for other in ["int puts(int);", "int puts;", "int g(void) { int puts = 1; return puts; }"] {
        let mut to = program(other);
        let refused = import::function(&mut to, &from, f, 1, map);
        assert_eq!(refused, Err(ImportError::Name(puts)), "{other}");
    }
    let mut to = program("int puts(const char *);");
    assert_eq!(import::function(&mut to, &from, f, 0, map), Err(ImportError::Name(puts)));
    let mut to = Program::new(&target::I386_LINUX, Dialect::C17);
    assert_eq!(import::function(&mut to, &from, f, 0, map), Err(ImportError::Target));
    let from = program("int f(int n) { if (n) goto end; n++; end: return n; }");
    let jump = body(&from, function(&from, "f"))[0];
    let mut map = EntityMap::default();
    let n = from[function(&from, "f")].parameters[0];
    let mut to = program("int a;");
    let Item::Define(Entity::Object(a)) = to.items[0] else { panic!("a comes first") };
    map.objects.insert(n, a);
    let refused = import::stmt(&mut to, &from, jump, 1, &mut map);
    assert!(matches!(refused, Err(ImportError::Label(_))), "{refused:?}");
}

fn with_stack(test: fn()) {
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(test);
    thread.expect("a thread can be started").join().unwrap();
}

fn defined(program: &Program) -> Vec<FunctionId> {
    let functions = program.items.iter().filter_map(|item| match item {
        Item::Define(Entity::Function(id)) => Some(*id),
        _ => None,
    });
    functions.collect()
}

#[test]
fn functions_of_random_programs_can_be_imported() {
    with_stack(|| {
        for seed in 0..40 {
            let mut to = random::program(&target::X86_64_LINUX, Dialect::C17, seed);
            let from = random::program(&target::X86_64_LINUX, Dialect::C17, seed + 1);
            let mut map = EntityMap::default();
            for id in defined(&from) {
                let at = to.items.len();
                let found = import::function(&mut to, &from, id, at, &mut map);
                found.unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
            }
            checked(&to);
        }
    });
}

/// Statements that may stand twice: nothing else needs the copy, and it needs no switch.
fn may_stand_twice(stmt: &Stmt) -> bool {
    !matches!(stmt, Stmt::Declare(_) | Stmt::DefineRecord(_) | Stmt::Case { .. } | Stmt::Default(_))
}

#[test]
fn statements_can_stand_twice() {
    with_stack(|| {
        let text = "int f(int n) { for (int i = 0; i < n; i++) { struct t { int x[2]; } *p = 0;
            int v[n]; v[0] = sizeof v; int (*q)[n] = &v; n += sizeof(char[n]) + (*(char (*)[n])q)[0];
            n -= ({ __label__ l; l: sizeof *p; }); goto out; out:; }
            return n; }";
        let programs =
            (0..40).map(|seed| random::program(&target::X86_64_LINUX, Dialect::C17, seed));
        for mut program in programs.chain([program(text)]) {
            for id in defined(&program) {
                let mut twice = Vec::new();
                for stmt in body(&program, id) {
                    twice.push(stmt);
                    if may_stand_twice(&program[stmt]) {
                        twice.push(copy::stmt(&mut program, stmt));
                    }
                }
                let block = program[id].body.expect("it is defined");
                program[block] = Stmt::Block(twice.into());
            }
            checked(&program);
        }
    });
}
