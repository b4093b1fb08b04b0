//! Several translation units become one program that does what their link does.

#![expect(clippy::disallowed_methods, reason = "the judge of what a link does is a compiler")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use farrier_front::{Failure, Options, parse};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, Program, SourceText, well_formed};

fn read(units: &[&str], permissive: bool) -> Result<Program, Box<Failure>> {
    let inputs: Vec<SourceText> = units
        .iter()
        .enumerate()
        .map(|(index, text)| SourceText::new(format!("unit{index}.c"), *text))
        .collect();
    let options = Options { target: &X86_64_LINUX, dialect: Dialect::C17, permissive };
    parse(&inputs, &options)
}

/// Compiles and runs; the exit status.
fn run(directory: &Path, name: &str, sources: &[PathBuf]) -> i32 {
    let executable = directory.join(name);
    let compiled = Command::new("gcc")
        .args(["-std=gnu17", "-w", "-m64", "-o"])
        .arg(&executable)
        .args(sources)
        .output()
        .expect("gcc is installed");
    let complaint = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(compiled.status.success(), "{name} does not compile: {complaint}");
    let status = Command::new(&executable).status().expect("what was just linked runs");
    status.code().expect("no case ends by a signal")
}

/// The program of `units` prints as one text, which reads back as the same program and
/// ends with the status with which the linked units end.
fn check(name: &str, units: &[&str]) -> Program {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("units").join(name);
    fs::create_dir_all(&directory).unwrap();
    let mut sources = Vec::new();
    for (index, text) in units.iter().enumerate() {
        let path = directory.join(format!("unit{index}.c"));
        fs::write(&path, text).unwrap();
        sources.push(path);
    }
    let program = match read(units, false) {
        Ok(program) => program,
        Err(failure) => panic!("{name} is refused: {}", failure.diagnostic.message),
    };
    let violations = well_formed::check(&program);
    assert!(violations.is_empty(), "{name}: {violations:?}");
    let text = print(&program, &PrintOptions::default());
    let again = match read(&[&text], false) {
        Ok(again) => again,
        Err(failure) => panic!("{name}: {} in\n{text}", failure.diagnostic.message),
    };
    assert!(again == program, "{name} does not read back as it is:\n{text}");
    let printed = directory.join("printed.c");
    fs::write(&printed, &text).unwrap();
    let expected = run(&directory, "linked", &sources);
    assert_ne!(expected, 0, "{name} would end the same way if nothing worked");
    assert_eq!(run(&directory, "printed", &[printed]), expected, "{name} prints as\n{text}");
    program
}

#[test]
fn statics_of_one_name_are_two() {
    check(
        "statics",
        &[
            "static int count = 3; static int next(void) { return ++count; }
             int other(void);
             int main(void) { return next() * 10 + other(); }",
            "static int count = 7; static int next(void) { return count -= 2; }
             int other(void) { next(); return next(); }",
        ],
    );
    // An external name that comes later takes the name from the static.
    check(
        "static_gives_way",
        &[
            "static int value = 4; int other(void); int main(void) { return value * 10 + other(); }",
            "int value = 2; int other(void) { int local = value; return local; }",
        ],
    );
}

#[test]
fn tentative_definitions_are_one_object() {
    check(
        "tentative",
        &[
            "int x; int x; extern int x; int *other(void);
             int main(void) { x = 5; return *other() + (other() == &x); }",
            "extern int x; int *other(void) { return &x; }",
        ],
    );
    check(
        "tentative_then_defined",
        &[
            "int x; int get(void) { return x; } int x = 9; int other(void);
             int main(void) { return other(); }",
            "extern int x; int get(void); int other(void) { return get() + x; }",
        ],
    );
}

#[test]
fn arrays_are_completed_elsewhere() {
    check(
        "completed",
        &[
            "extern int table[]; int length(void);
             int main(void) { int sum = 0; for (int i = 0; i < length(); i++) sum += table[i];
               return sum; }",
            "int table[] = {1, 2, 3, 4};
             int length(void) { return sizeof table / sizeof *table; }",
        ],
    );
    check(
        "completed_before",
        &[
            "int table[3] = {5, 6, 7}; int other(void); int main(void) { return other(); }",
            "extern int table[]; int other(void) { return table[2]; }",
        ],
    );
}

#[test]
fn types_of_a_header_are_shared() {
    let header = "struct pair { int a; char b; struct pair *next; };
        typedef struct { int x, y; } point;
        typedef union { int whole; char bytes[4]; } word;
        enum color { RED = 3, GREEN };
        enum { LIMIT = 20 };
        int other(struct pair *, point, word, enum color);
        ";
    let main = format!(
        "{header} int main(void) {{
             struct pair p = {{1, 2, 0}}; point q = {{4, 8}}; word w = {{16}};
             return other(&p, q, w, GREEN) + LIMIT; }}"
    );
    let other = format!(
        "{header} int other(struct pair *p, point q, word w, enum color c) {{
             return p->a + p->b + q.x + q.y + w.whole + (c == GREEN) + LIMIT + RED; }}"
    );
    let program = check("shared_types", &[&main, &other]);
    assert_eq!(program.records.iter().filter(|record| record.1.tag.is_some()).count(), 3);
}

#[test]
fn local_types_of_one_name_are_two() {
    check(
        "local_types",
        &[
            "int other(void);
             int main(void) { struct s { char c[3]; }; enum { SIZE = sizeof(struct s) };
               return SIZE * 10 + other(); }",
            "int other(void) { struct s { char c[5]; }; enum { SIZE = sizeof(struct s) };
               return SIZE; }",
        ],
    );
    check(
        "local_constants",
        &[
            "enum { SIZE = 3, NEXT }; int other(void); int main(void) { return NEXT * 10 + other(); }",
            "enum { SIZE = 5, NEXT }; int other(void) { return NEXT; }",
        ],
    );
}

#[test]
fn inline_functions() {
    // An inline definition in both units, one of which makes it external.
    let header =
        "inline int twice(int x) { return x + x; } static inline int one(void) { return 1; }\n";
    let main = format!(
        "{header} extern inline int twice(int); int other(void);
         int main(void) {{ return twice(4) + other() + one(); }}"
    );
    let other = format!("{header} int other(void) {{ return twice(10) + one(); }}");
    check("inline_first", &[&main, &other]);
    check("inline_last", &[&other, &main]);
    // The external definition is not inline at all.
    check(
        "inline_and_not",
        &[
            "inline int f(void) { return 6; } int other(void); int main(void) { return other() + f(); }",
            "int f(void) { return 6; } int other(void) { return f(); }",
        ],
    );
    // A declaration without `inline` after the definition makes it external too.
    check(
        "inline_made_external",
        &[
            "inline int f(void) { return 11; } int f(void); int other(void);
             int main(void) { return other(); }",
            "int f(void); int other(void) { return f() + 1; }",
        ],
    );
}

#[test]
fn assembler_names_decide_what_is_linked() {
    check(
        "asm_names",
        &[
            "int f(void) __asm__(\"g\"); int h(void);
             int main(void) { return f() * 10 + h(); }",
            "int g(void) { return 3; } int f(void) { return 4; } int h(void) { return f(); }",
        ],
    );
}

#[test]
fn the_name_of_a_function_is_what_its_unit_says() {
    check(
        "function_name",
        &[
            "static int f(void) { return __func__[0] == 'f' && __func__[1] == 0; } int g(void);
             int main(void) { return f() * 10 + g(); }",
            "static int f(void) { return __func__[0] == 'f' && __func__[1] == 0; }
             int g(void) { return f(); }",
        ],
    );
}

#[test]
fn contradictions_are_errors() {
    for (first, second, words) in [
        ("int f(void) { return 1; }", "int f(void) { return 2; }", "defined twice"),
        ("int x = 1;", "int x = 2;", "initialised twice"),
        ("int x;", "int x;", "defined in another file too"),
        ("int x;", "extern long x;", "declared with type"),
        ("int f(int x);", "int f(char *x) { return 0; }", "declared with type"),
        ("int f;", "int f(void) { return 0; }", "something else"),
        ("struct s { int a; };", "struct s { long a; };", "defined differently"),
        ("enum e { A = 1 };", "enum e { A = 2 };", "defined differently"),
    ] {
        let failure = read(&[first, second], false).expect_err(second);
        let message = &failure.diagnostic.message;
        assert!(message.contains(words), "`{first}` and `{second}`: {message}");
        let place = failure.sources.place(failure.diagnostic.span).unwrap();
        assert_eq!(place.file, "unit1.c", "`{second}` is to blame");
    }
}

/// GCC and Clang mark the text of system headers by a 3.
#[test]
fn what_nothing_uses_of_a_system_header_is_stepped_over() {
    let header = "# 1 \"/usr/include/h.h\" 1 3 4\n\
        typedef int used_type; typedef int unused_type;\n\
        typedef struct tagged { int m; } unused_record;\n\
        extern used_type used(int x, unsigned long) __asm__(\"u\") __attribute__((nothrow));\n\
        extern int unused(const char *restrict, ...) __attribute__((format(printf, 1, 2)));\n\
        extern char *const unused_object, *both_unused;\n\
        extern int unused_array[3];\n\
        extern struct first *unused_of_tag(void);\n\
        extern void (*unused_handler(int, void (*)(int)))(int);\n\
        extern int unknown(frobnicated);\n\
        # 2 \"test.c\" 2\n";
    let user = "extern int mine(void); int f(struct first *p) { return used(1, 2ul); }\n";
    let printed = |text: &str| match read(&[text], false) {
        Ok(program) => print(&program, &PrintOptions::default()),
        Err(failure) => panic!("{}", failure.diagnostic.message),
    };
    let all = format!("{header}{user}");
    let text = printed(&all);
    for kept in ["used(int", "tagged", "both_unused", "mine(void)", "unused_of_tag", "handler"] {
        assert!(text.contains(kept), "{kept} is not in\n{text}");
    }
    for gone in ["unused(", "unused_type", "unused_array", "frobnicated"] {
        assert!(!text.contains(gone), "{gone} is in\n{text}");
    }
    // The same text in a file of the user is all there.
    let own = all.replace(" 1 3 4\n", " 1\n").replace("extern int unknown(frobnicated);", "");
    assert!(printed(&own).contains("unused("));
}
