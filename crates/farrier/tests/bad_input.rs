//! Input that is broken, huge or deep: a clear error with exit status 2 or, where the
//! text is valid, success; in time and memory that stay in proportion.
//!
//! Each run has limits on its memory and on its processor time, set by the shell that
//! starts it: what else the machine does plays no part. A panic or an overflow of the
//! stack is a failure of the test.

#![expect(clippy::disallowed_methods, reason = "a test of the command starts the command")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How deep the deep inputs are.
const DEEP: usize = 100_000;

/// How many things the long inputs have, and how many bytes the big ones.
const LONG: usize = 20_000;
const BIG: usize = 2 << 20;

/// How many seconds of the processor a run may take. A build without optimisation needs
/// less than half of it for each input; what is quadratic in the long ones needs more.
const SECONDS: u64 = 3;

/// The same for files of 50 megabytes.
const SECONDS_FOR_HUGE: u64 = 60;

/// The address space of a run, in KiB.
const MEMORY: u64 = 4 << 20;

/// What is expected of an input.
#[derive(Clone, Copy)]
enum Expected {
    /// It is a program.
    Accepted,
    /// It is refused, and the message contains this.
    Refused(&'static str),
    /// It is one or the other, but nothing worse.
    Either,
}
use Expected::{Accepted, Either, Refused};

/// Calls `farrier fmt` on a file, with limits. What is wrong with the outcome.
fn check(path: &Path, arguments: &[&str], seconds: u64, expected: Expected) -> Result<(), String> {
    let limits = format!("ulimit -v {MEMORY}; ulimit -t {seconds}; exec \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &limits, "sh"])
        .args([env!("CARGO_BIN_EXE_farrier"), "fmt"])
        .args(arguments)
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .expect("farrier can be started");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let shown: String = stderr.chars().take(1000).collect();
    let fits = match (expected, output.status.code()) {
        (Accepted | Either, Some(0)) => stderr.is_empty(),
        (Refused(words), Some(2)) => stderr.contains(words),
        (Either, Some(2)) => true,
        (_, _) => false,
    };
    let refusal = stderr.is_empty()
        || stderr.starts_with("error: ")
            && !stderr.contains("internal error")
            && stderr.len() < 10_000;
    if fits && refusal { Ok(()) } else { Err(format!("{}\n{shown}", output.status)) }
}

/// Checks texts as preprocessed files, and fails with all that is wrong.
fn check_all<'a, T: AsRef<[u8]>>(
    directory: &Path,
    seconds: u64,
    cases: impl IntoIterator<Item = (&'a str, T, Expected)>,
) {
    let mut report = String::new();
    for (name, text, expected) in cases {
        let path = directory.join(format!("{name}.i"));
        fs::write(&path, text).expect("written");
        if let Err(trouble) = check(&path, &["--permissive"], seconds, expected) {
            write!(report, "\n{name}: {trouble}").expect("a string takes all");
        }
        fs::remove_file(&path).expect("removed");
    }
    assert!(report.is_empty(), "{report}");
}

/// An empty directory for the test called `name`.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad-input").join(name);
    if path.exists() {
        fs::remove_dir_all(&path).expect("the old directory can be removed");
    }
    fs::create_dir_all(&path).expect("a directory can be made");
    path
}

const NESTS: Expected = Refused("the program nests more than 1000 levels deep here");

#[test]
fn what_nests_deep_is_refused() {
    let directory = directory("deep");
    let around = |before: &str, inside: &str, after: &str| {
        [&before.repeat(DEEP), inside, &after.repeat(DEEP)].concat()
    };
    let inside_function = |text: String| format!("int x; void f(int *p) {{ {text} }}\n");
    let cases = [
        ("parentheses", format!("int x = {};", around("(", "1", ")"))),
        ("subscripts", inside_function(format!("{};", around("p[", "0", "]")))),
        ("calls", format!("int g(int); {}", inside_function(around("g(", "0", ")") + ";"))),
        ("blocks", inside_function(around("{", "", "}"))),
        ("statement-expressions", inside_function(around("({ ", "0;", " });") + ";")),
        ("pointers", format!("int {}x;", "*".repeat(DEEP))),
        ("declarator-parentheses", format!("int {};", around("(", "x", ")"))),
        ("declarator-pointers", format!("int {};", around("(*", "x", ")"))),
        ("declarator-arrays", format!("int x{};", "[1]".repeat(DEEP))),
        ("declarator-functions", format!("int {};", around("(*", "x", ")(void)"))),
        ("parameters", format!("int f{};", around("(int (*)", "", ")"))),
        ("casts", format!("int x = {}1;", "(int)".repeat(DEEP))),
        ("minus", format!("int x = {}1;", "- ".repeat(DEEP))),
        ("not", format!("int x = {}1;", "!".repeat(DEEP))),
        ("dereference", inside_function(format!("{}p;", "*".repeat(DEEP)))),
        ("sizeof", format!("int x = {}1;", "sizeof ".repeat(DEEP))),
        ("extension", format!("int x = {}1;", "__extension__ ".repeat(DEEP))),
        ("if", inside_function("if (x) ".repeat(DEEP) + ";")),
        ("while", inside_function("while (x) ".repeat(DEEP) + ";")),
        ("for", inside_function("for (;;) ".repeat(DEEP) + ";")),
        ("do", inside_function(around("do ", ";", " while (x);"))),
        ("switch", inside_function("switch (x) ".repeat(DEEP) + ";")),
        ("initialiser", format!("int x = {};", around("{", "1", "}"))),
        ("initialiser-of-arrays", format!("int x[] = {};", around("{", "1", "}"))),
        ("compound-literals", format!("int x = {};", around("(int){", "1", "}"))),
        ("structs", around("struct { ", "int x;", " }; ")),
        ("structs-named", around("struct { ", "int x;", " } a; ")),
        ("unions", around("union { ", "int x;", " }; ")),
        ("conditional", format!("int x = {}1;", "1 ? 1 : ".repeat(DEEP))),
        ("conditional-middle", format!("int x = {};", around("1 ? ", "1", " : 1"))),
        ("assignments", inside_function("x = ".repeat(DEEP) + "1;")),
        ("typeof", around("typeof(", "int", ")") + " x;"),
        ("atomic", around("_Atomic(", "int", ")") + " x;"),
        ("alignas", around("_Alignas(sizeof(struct { ", "int y;", " })) int x;")),
        ("generic", format!("int x = {};", around("_Generic(0, default: ", "1", ")"))),
        ("enums", around("enum { A = sizeof(", "int", ") } x;")),
    ];
    check_all(&directory, SECONDS, cases.map(|(name, text)| (name, text, NESTS)));
}

#[test]
fn what_is_deep_but_breaks_other_rules_is_refused() {
    let directory = directory("deep-wrong");
    let cases = [
        ("open-parentheses", format!("int x = {}", "(".repeat(DEEP))),
        ("open-brackets", format!("int x{}", "[".repeat(DEEP))),
        ("open-braces", format!("int x = {}", "{".repeat(DEEP))),
        ("open-blocks", format!("void f(void) {}", "{".repeat(DEEP))),
        ("braces-alone", "{".repeat(DEEP)),
        ("parentheses-alone", "(".repeat(DEEP)),
        ("brackets-alone", "[".repeat(DEEP)),
        ("closing-braces", "}".repeat(DEEP)),
        ("attributes", format!("int x {}", "__attribute__((".repeat(DEEP))),
        ("attribute-parentheses", format!("int x __attribute__((a{}", "(".repeat(DEEP))),
        ("standard-attributes", "[[".repeat(DEEP)),
        ("structs", "struct {".repeat(DEEP)),
        ("asm", format!("void f(void) {{ asm{}", "(".repeat(DEEP))),
        ("designators", format!("int x[] = {{ {} = 1 }};", "[0]".repeat(DEEP))),
        ("members", format!("struct s {{ int a; }} s; int x = s{};", ".a".repeat(DEEP))),
        (
            "arrows",
            format!("struct s {{ struct s *a; }} *s; void *f() {{ s{}; }}", "->a".repeat(DEEP)),
        ),
    ];
    check_all(&directory, SECONDS, cases.map(|(name, text)| (name, text, Refused("error"))));
}

#[test]
fn what_is_long_is_read_or_refused_in_proportion() {
    let directory = directory("long");
    let numbered = |each: fn(usize) -> String| (0..LONG).map(each).collect::<String>();
    let cases = [
        ("sum", format!("int a; int f(void) {{ return a{}; }}", "+a".repeat(LONG)), Either),
        ("products", format!("int a; int f(void) {{ return a{}; }}", "*a-a".repeat(LONG)), Either),
        ("else-if", format!("void f(int a) {{ {}; }}", "if (a) ; else ".repeat(LONG)), Either),
        ("commas", format!("int a; void f(void) {{ a{}; }}", ",a".repeat(LONG)), Either),
        (
            "conjunction",
            format!("int a; int f(void) {{ return a{}; }}", "&&a".repeat(LONG)),
            Either,
        ),
        (
            "postfix",
            format!("int a; void f(int *p) {{ p{}; }}", "[0]".repeat(LONG)),
            Refused("error"),
        ),
        (
            "cases",
            format!(
                "void f(int a) {{ switch (a) {{ {} ; }} }}",
                numbered(|n| format!("case {n}: "))
            ),
            Either,
        ),
        (
            "cases-with-statements",
            format!(
                "void f(int a) {{ switch (a) {{ {} }} }}",
                numbered(|n| format!("case {n}: a++; "))
            ),
            Accepted,
        ),
        ("labels", format!("void f(void) {{ {} ; }}", numbered(|n| format!("l{n}: "))), Either),
        (
            "labels-with-gotos",
            format!("void f(void) {{ {} }}", numbered(|n| format!("l{n}: goto l{n};\n"))),
            Accepted,
        ),
        (
            "typedefs",
            format!(
                "typedef int *t0; {} t20000 x;",
                numbered(|n| format!("typedef t{n} *t{};\n", n + 1))
            ),
            NESTS,
        ),
        (
            "typedefs-of-functions",
            format!(
                "typedef int t0(void); {}",
                numbered(|n| format!("typedef void t{}(t{n} *);\n", n + 1))
            ),
            NESTS,
        ),
        (
            "structs-in-structs",
            format!(
                "struct s0 {{ int a; }}; {}",
                numbered(|n| format!("struct s{} {{ struct s{n} a; }};\n", n + 1))
            ),
            Either,
        ),
        ("strings", format!("char s[] = {};", "\"ab\" ".repeat(LONG)), Accepted),
        ("string", format!("char s[] = \"{}\";", "a".repeat(BIG)), Accepted),
        ("string-wide", format!("int s[] = L\"{}\";", "a".repeat(1 << 20)), Accepted),
        ("name", format!("int {};", "a".repeat(BIG)), Accepted),
        ("name-undeclared", format!("int x = {};", "a".repeat(BIG)), Refused("error")),
        ("number", format!("int x = {};", "1".repeat(BIG)), Refused("error")),
        ("fraction", format!("double x = 1.{};", "3".repeat(1 << 20)), Either),
        ("exponent", format!("double x = 1e{};", "9".repeat(1 << 20)), Either),
        ("hexadecimal-fraction", format!("double x = 0x1.{}p0;", "3".repeat(1 << 20)), Either),
        ("character", format!("int x = '{}';", "a".repeat(1 << 20)), Either),
        ("comment", format!("/*{}*/ int x;", "*".repeat(BIG)), Accepted),
        ("open-comments", "/* ".repeat(BIG / 3), Refused("this comment has no end")),
        ("spaces", format!("{}int x;", " \n".repeat(BIG / 2)), Accepted),
        ("markers", "# 1 \"a.c\"\n# 1 \"b.c\"\n".repeat(LONG) + "int x;", Accepted),
        ("packs", "#pragma pack(push, 1)\n".repeat(LONG) + "int x;", Accepted),
        ("parameters", format!("void f({} int z);", numbered(|n| format!("int a{n}, "))), Accepted),
        ("arguments", format!("int g(); void f(void) {{ g({}1); }}", "1,".repeat(LONG)), Accepted),
        ("members", format!("struct s {{ {} }};", numbered(|n| format!("int a{n};\n"))), Accepted),
        (
            "anonymous-members",
            format!("struct s {{ {} }};", numbered(|n| format!("struct {{ int a{n}; }};\n"))),
            Accepted,
        ),
        (
            "bit-fields",
            format!("struct s {{ {} }};", numbered(|n| format!("int a{n} : 3;\n"))),
            Accepted,
        ),
        ("constants", format!("enum e {{ {} }};", numbered(|n| format!("a{n},\n"))), Accepted),
        ("objects", numbered(|n| format!("int a{n} = {n};\n")), Accepted),
        ("declarators", format!("int {}z;", numbered(|n| format!("a{n}, "))), Accepted),
        ("functions", numbered(|n| format!("int f{n}(void) {{ return {n}; }}\n")), Accepted),
        ("redeclarations", "extern int x[];\n".repeat(LONG), Accepted),
        ("elements", format!("int x[] = {{ {} }};", "1,".repeat(LONG)), Accepted),
        (
            "designated-elements",
            format!("int x[] = {{ {} }};", numbered(|n| format!("[{}] = 1,", (n * 7919) % LONG))),
            Accepted,
        ),
        (
            "designated-backwards",
            format!("int x[] = {{ {} }};", numbered(|n| format!("[{}] = 1,", LONG - n))),
            Accepted,
        ),
        (
            "overlapping-ranges",
            format!("int x[] = {{ {} }};", numbered(|n| format!("[{n} ... {}] = 1,", n + 10))),
            Accepted,
        ),
        (
            "nested-ranges",
            format!("int x[] = {{ {} }};", numbered(|n| format!("[{n} ... {LONG}] = 1,"))),
            Accepted,
        ),
        (
            "cut-range",
            format!(
                "int x[] = {{ [0 ... 999999] = 5, {} }};",
                numbered(|n| format!("[{}] = 1,", (n * 7919) % LONG))
            ),
            Accepted,
        ),
        (
            "copied-ranges",
            format!(
                "int x[][10000] = {{ [0 ... 999999] = {{ {} }}, {} }};",
                "1,".repeat(10_000),
                numbered(|n| format!("[{n}][0] = 1,"))
            ),
            Refused("too often"),
        ),
        ("huge-range", "int x[] = { [0 ... 0xffffffff] = 1, [7] = 2 };".to_owned(), Accepted),
        ("huge-element", "int x[] = { [0xffffffffffff] = 1 };".to_owned(), Either),
        ("statements", format!("int a; void f(void) {{ {} }}", "a++;\n".repeat(LONG)), Accepted),
        ("shadows", format!("void f(void) {{ {} }}", "{ int a; }\n".repeat(LONG)), Accepted),
        ("qualifiers", format!("{} int x;", "const ".repeat(LONG)), Accepted),
        ("attributes", format!("int x {};", "__attribute__((unused))".repeat(LONG)), Accepted),
        (
            "different-attributes",
            format!("int x {};", numbered(|n| format!("__attribute__((deprecated(\"a{n}\")))"))),
            Accepted,
        ),
        (
            "attributes-of-redeclarations",
            numbered(|n| format!("extern int x __attribute__((deprecated(\"a{n}\")));\n")),
            Accepted,
        ),
        ("semicolons", ";".repeat(LONG), Either),
        ("assertions", "_Static_assert(1, \"\");\n".repeat(LONG), Accepted),
        (
            "local-structs",
            format!("void f(void) {{ {} }}", "{ struct s { int a; } x; }\n".repeat(LONG / 10)),
            Accepted,
        ),
        (
            "choices",
            format!(
                "int x = _Generic(1, {} default: 1);",
                numbered(|n| format!("int (*)[{}]: 1,", n + 1))
            ),
            Accepted,
        ),
    ];
    check_all(&directory, SECONDS, cases);
}

#[test]
fn a_file_of_50_megabytes_is_read() {
    let directory = directory("huge");
    let mut text = String::with_capacity(51 << 20);
    let mut number = 0;
    while text.len() < 50 << 20 {
        text.push_str(&format!(
            "static unsigned long f{number}(unsigned long a, int b) {{\n  \
             unsigned long c = a * {number}ul + (unsigned long)b;\n  \
             for (int i = 0; i < 10; i++) {{ c ^= (c << 3) + a; if (c & 1) c += 7; }}\n  \
             return c + sizeof(int) /* {:2000} */;\n}}\n",
            ""
        ));
        number += 1;
    }
    check_all(
        &directory,
        SECONDS_FOR_HUGE,
        [
            ("program", text, Accepted),
            (
                "one-line",
                "/* z z */ ".repeat(1 << 20) + "int y = z;",
                Refused("`z` is not declared"),
            ),
            ("zeros", "\0".repeat(50 << 20), Refused("is not a text")),
            ("letters", "x".repeat(10 << 20), Refused("error")),
            ("stray", "@\n".repeat(5 << 20), Refused("is not part of C")),
            ("open-parentheses", "(\n".repeat(5 << 20), Refused("error")),
        ],
    );
}

#[test]
fn every_prefix_of_a_program_is_read_or_refused() {
    let directory = directory("prefix");
    let text = "# 1 \"a.c\"\n#pragma pack(1)\nstruct s { int a : 3, b[2]; };\n\
        enum e { A = 'x', B };\nint f(int n, ...) {\n  char c = L'\\x41', *s = u8\"a\\n\" \"b\";\n  \
        struct s v[] = { [0 ... 1].b[1] = 1, { .a = 2 } };\n  \
        for (int i = 0; i < n; i += 0x1p3) { l: switch (i) { case 1 ... 3: goto *&&l; default:; } }\n  \
        return n ?: ({ 2; }) + _Generic(1.5e3f, float: sizeof(struct s)) /* c */ ; // end\n}\n";
    let prefixes = (0..text.len()).map(|end| ("text", &text[..end], Either));
    check_all(&directory, SECONDS, prefixes.chain([("text", text, Accepted)]));
}

#[test]
fn bytes_that_are_not_c_are_refused() {
    let directory = directory("bytes");
    let cases = [
        ("invalid", &b"int x; \xff\xfe"[..], "is not UTF-8"),
        ("cut-off", b"int x; /* \xe2\x82 */", "is not UTF-8"),
        ("surrogate", b"char *s = \"\xed\xa0\x80\";", "is not UTF-8"),
        ("zero", b"int x;\0int y;", "is not a text"),
        ("elf", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", "is not a text"),
        ("gzip", b"\x1f\x8b\x08\0\0\0\0\0", "is not a text"),
        ("control", b"int x = \x01;", "is not part of C"),
        ("escape", b"int x = \x1b[31m;", "is not part of C"),
        ("prose", b"Dear Sir, this is not a program.", "error"),
        ("rust", b"fn main() { println!(\"hello\"); }", "error"),
        ("python", b"def f(x):\n    return x\n", "error"),
        ("empty", b"", "is empty"),
    ];
    check_all(&directory, SECONDS, cases.map(|(name, bytes, words)| (name, bytes, Refused(words))));
}

#[test]
fn what_is_not_a_file_is_refused() {
    let directory = directory("files");
    for (path, words) in
        [(directory.join("missing.c"), "No such file"), (directory.clone(), "is a directory")]
    {
        for arguments in [&[][..], &["--preprocessed"]] {
            assert_eq!(check(&path, arguments, SECONDS, Refused(words)), Ok(()));
        }
    }
}
