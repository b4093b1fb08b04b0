//! What the front end accepts and what it refuses, and that what it accepts reads back.

use farrier_front::{Failure, Options, Reason, parse};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, MAX_DEPTH, Program, STACK_BYTES, SourceText, shape, well_formed};

fn read(text: &str, dialect: Dialect, permissive: bool) -> Result<Program, Box<Failure>> {
    let input = SourceText::new("test.c", text);
    parse(&[input], &Options { target: &X86_64_LINUX, dialect, permissive })
}

/// The print of a text that is accepted and reads back as the same program.
fn printed(text: &str, dialect: Dialect, permissive: bool) -> String {
    let program = match read(text, dialect, permissive) {
        Ok(program) => program,
        Err(failure) => panic!("`{text}` is refused: {}", failure.diagnostic.message),
    };
    let violations = well_formed::check(&program);
    assert!(violations.is_empty(), "`{text}`: {violations:?}");
    let out = print(&program, &PrintOptions::default());
    match read(&out, dialect, permissive) {
        Ok(again) => assert_eq!(shape::difference(&program, &again), None, "{out}"),
        Err(failure) => panic!("{} in\n{out}", failure.diagnostic.message),
    }
    out
}

fn accepted(text: &str) -> String {
    printed(text, Dialect::C17, false)
}

/// The message and reason of a refusal.
fn refused(text: &str) -> (Reason, String) {
    match read(text, Dialect::C17, false) {
        Ok(_) => panic!("`{text}` is accepted"),
        Err(failure) => (failure.diagnostic.reason, failure.diagnostic.message.clone()),
    }
}

/// GCC 12 accepts each of these.
#[test]
fn constant_initialisers() {
    for text in [
        "static const int a = 5; static int b = a;",
        "static char c = \"abc\"[0];",
        "int y; static long x = (long)&y + 4;",
        "int y[4]; static long x = &y[3] - &y[1];",
        "int y; static int x = &y ? 1 : 2;",
        "int f(void); static int x = 0 && f();",
        "int f(void); static int x = 1 || f();",
        "int f(void); static int x = 1 ? 2 : f();",
        "int y; static int x = sizeof(y++);",
        "struct S { int a; }; void f(void) { static struct S s = (struct S){1}; }",
        "int *p = (int[]){1, 2};",
        "int f(void); int (*p)(void) = *f;",
        "int a[3]; int *p = &*(a + 1);",
        "struct S { int a, b[3]; } s; int *p = &s.b[1];",
        "double d = 1.0 / 3 + 2;",
        "int x = __builtin_strlen(\"abc\");",
        "void f(void) { static void *p = &&here; here: ; }",
    ] {
        accepted(text);
    }
}

/// GCC 12 refuses each of these.
#[test]
fn initialisers_that_need_the_program_to_run() {
    for text in [
        "int y; int x = y;",
        "int f(void); int x = f();",
        "int f(void); static int x = 1 && f();",
        "void f(int y) { static int *p = &y; }",
        "void f(void) { static int *p = (int[]){1, 2}; }",
        "__thread int y; static int *p = &y;",
        "int *p; int *q = &p[1];",
        "struct S { int *p; } s; int *q = &*s.p;",
        "volatile const int v = 1; int x = v;",
        "int a[2]; struct { int x, y; } s = {1, a[0]};",
    ] {
        let (reason, message) = refused(text);
        assert_eq!(reason, Reason::Constraint);
        assert!(message.contains("is a constant"), "`{text}`: {message}");
    }
}

#[test]
fn tags_of_parameters_are_visible_in_the_body() {
    let text = "int f(struct s { int a; } *p, enum { ONE = 1 } e) \
                { struct s copy = *p; return copy.a + ONE; }";
    accepted(text);
    // They are not visible after it.
    refused("int f(struct s { int a; } *p) { return 0; } struct s x;");
}

#[test]
fn null_pointers_of_c23() {
    let text = "int *p = nullptr; int f(void *q) { return q == nullptr; } \
                void g(void) { f(nullptr); typeof(nullptr) n = nullptr; p = n; }";
    let out = printed(text, Dialect::C23, false);
    assert!(out.contains("int *p = nullptr;"), "{out}");
}

#[test]
fn records_of_variable_length() {
    let out = accepted(
        "unsigned long f(int n) { typedef int row[n]; \
           struct s { char c; row r[n]; struct { row *p; } q; } x; \
           union u { struct s *p; int i; }; n++; union u y = {&x}; \
           return sizeof(struct s) + sizeof(row) + sizeof *y.p; }",
    );
    assert!(out.contains("    struct s {\n        char c;\n        int r[n]["), "{out}");
    for text in [
        "void f(int n) { struct s; struct s *p; struct s { int a[n]; }; }",
        "void f(int n) { for (struct { int a[n]; } s; ; ) ; }",
        "void f(int n) { struct s { int a[n]; }; void g(struct s *); }",
        "unsigned long f(int n) { return sizeof(struct { int a[n]; }); }",
    ] {
        assert_eq!(refused(text).0, Reason::Unsupported, "{text}");
    }
    refused("int n; struct s { int a[n]; };");
    refused("void f(int n) { struct s { int a[n]; } x = {{1}}; }");
}

/// GCC and Clang put different texts there; only `assert` may have it, which prints it where
/// nobody looks.
#[test]
fn the_pretty_name_of_a_function() {
    for text in [
        "int puts(const char *); void f(void) { puts(__PRETTY_FUNCTION__); }",
        "int f(void) { return sizeof __PRETTY_FUNCTION__; }",
    ] {
        assert_eq!(refused(text).0, Reason::Unsupported, "{text}");
    }
    accepted(
        "void __assert_fail(const char *, const char *, unsigned, const char *); \
         void f(void) { __assert_fail(\"\", __func__, 1, __extension__ __PRETTY_FUNCTION__); }",
    );
}

/// C11 6.7.9p19: an initialiser that is overridden need not be evaluated.
#[test]
fn overridden_initialisers_have_no_effects() {
    let function = "int f(int); union u { int a, b; }; struct s { int a[2]; };";
    for list in [
        "int x[2] = {[0] = f(1), [0] = f(2)};",
        "int x[2] = {[1] = f(1), [0] = 3, 4};",
        "union u x = {.a = f(1), .b = 2};",
        "struct s x = {.a[0] = f(1), .a = {2}};",
    ] {
        let text = format!("{function} void g(void) {{ {list} }}");
        assert_eq!(refused(&text).0, Reason::Unsupported, "{text}");
    }
    accepted(&format!("{function} void g(void) {{ int x[2] = {{[0] = 1, [0] = f(2)}}; }}"));
}

/// Each use of a typedef has lengths of its own, computed where the typedef is.
#[test]
fn typedefs_of_variable_length() {
    accepted(
        "unsigned long f(int n) { typedef int row[n]; typedef row two[2]; typedef row three[3]; \
           row a, b; int (*p)[n] = (row *)&a; n = 1; two c; three d; \
           return sizeof(row) + sizeof(row) + sizeof(two) + sizeof *p + sizeof(row *); }",
    );
}

#[test]
fn lengths_of_parameters_happen_on_entry() {
    let out = accepted("int f(int i, int a[i++]) { return i; }");
    assert!(out.contains("{\n    i++;\n    return i;\n}"), "{out}");
    let out = accepted("int f(int i, int a[i]) { return i; }");
    assert!(!out.contains("    i;\n"), "{out}");
}

#[test]
fn strings_in_arrays() {
    let out = accepted("struct s { char w[8]; } p[2] = {\"ab\", \"cd\"}; char t[2][3] = {\"ab\"};");
    assert!(out.contains("{{\"ab\"}, {\"cd\"}}"), "{out}");
    let text = "char a[3] = \"abcd\";";
    assert_eq!(refused(text).0, Reason::Constraint);
    assert_eq!(printed(text, Dialect::C17, true), "char a[3] = \"abc\";\n");
}

#[test]
fn attributes_that_matter_are_kept() {
    for (text, kept) in [
        ("struct __attribute__((may_alias)) s { int a; };", "__attribute__((may_alias))"),
        ("void f(void) __attribute__((aligned(64))); void f(void) {}", "aligned(64)"),
        ("void *f(void) __attribute__((malloc));", "malloc"),
    ] {
        let out = accepted(text);
        assert!(out.contains(kept), "`{text}` prints as\n{out}");
    }
    let out = accepted("void g(void *); void *f(void) __attribute__((malloc(g, 1)));");
    assert!(!out.contains("malloc"), "{out}");
}

#[test]
fn attributes_are_never_ignored() {
    for (text, message) in [
        ("__attribute__((frobnicate)) int x;", "`frobnicate` is not known"),
        ("[[vendor::frobnicate(1)]] int x;", "`frobnicate` is not known"),
        ("int *__attribute__((frobnicate)) x;", "`frobnicate` is not known"),
        ("int __attribute__((may_alias)) *p;", "`may_alias` is supported for typedefs"),
        ("int f(float *p) { return *(int __attribute__((may_alias)) *)p; }", "`may_alias`"),
        ("int x = sizeof(int __attribute__((mode(QI))));", "`mode` is not supported here"),
        ("int x = _Alignof(int __attribute__((aligned(64))));", "`aligned` is not supported here"),
        ("int *__attribute__((mode(DI))) p;", "the mode `DI` of this type"),
        ("int __attribute__((mode(QI))) f(void);", "the mode `QI` of this type"),
        ("int * [[gnu::aligned(64)]] p;", "`aligned` is not supported here"),
        ("int [[gnu::aligned(64)]] x;", "`aligned` is not supported here"),
        ("void f(void) { __attribute__((cold)) f(); }", "only `[[...]]` may stand"),
        ("int f(void); int g(void) { [[clang::musttail]] return f(); }", "`musttail`"),
        ("__attribute__((section(\".init_array\"))) void *p;", "begins with a period"),
        ("__attribute__((target(\"avx2\"))) void f(void);", "these options"),
        ("int x __attribute__((unavailable));", "`unavailable` is not supported for objects"),
        ("int x; extern int y asm(\"x\");", "a second name for an object"),
        ("#pragma frobnicate\n", "`#pragma frobnicate` is not known"),
        ("struct s { char c;\n#pragma pack(1)\nint i; };", "inside a struct or union"),
    ] {
        let (reason, refusal) = refused(text);
        assert_eq!(reason, Reason::Unsupported, "`{text}`");
        assert!(refusal.contains(message), "`{text}`: {refusal}");
    }
    for text in [
        "typedef int loose __attribute__((may_alias)); loose *p;",
        "typedef int byte __attribute__((mode(QI))); byte *p; int x __attribute__((mode(DI)));",
        "typedef int v __attribute__((mode(QI), vector_size(16))); v x;",
        "[[gnu::aligned(64)]] int x; int y [[gnu::aligned(64)]]; int z[3] [[gnu::aligned(64)]];",
        "int f(x) int x __attribute__((mode(QI))); { return x; }",
        "void f(void) { [[gnu::cold]] f(); __attribute__((unused)); }",
        "__attribute__((section(\"mine\"), target(\"no-avx\"))) void f(void) {}",
        "void f(void) __attribute__((error(\"no\")));",
        "#pragma pack(1)\nstruct s { char c; int i; };\n#pragma pack()\n",
    ] {
        accepted(text);
    }
}

#[test]
fn register_variables_with_a_register() {
    let out = accepted("register long x asm(\"rbx\"); long f(void) { return x; }");
    assert!(out.starts_with("register long x __asm__(\"rbx\");\n"), "{out}");
    accepted("long f(void) { register long x asm(\"rax\") = 1; return x; }");
    refused("register long x;");
}

/// As <sys/socket.h> does.
#[test]
fn transparent_unions_take_their_members() {
    let out = accepted(
        "typedef union { int *i; float *f; } any __attribute__((__transparent_union__)); \
         int g(any); int h(float *p) { any a = {0}; return g(p) + g(a); }",
    );
    assert!(out.contains("g((union any){.f = p}) + g(a)"), "{out}");
    refused(
        "typedef union { int *i; float *f; } any; int g(any); int h(float *p) { return g(p); }",
    );
}

/// As <pthread.h> does.
#[test]
fn one_function_with_two_names_and_types() {
    let out = accepted("struct a; struct b; int f(struct a *); int g(struct b *) asm(\"f\");");
    assert!(out.contains("int g(struct b *) __asm__(\"f\");"), "{out}");
    refused("struct a; struct b; int f(struct a *); int f(struct b *);");
}

/// C11 6.7.4p7.
#[test]
fn inline_definitions() {
    for (text, start) in [
        ("inline int f(void) { return 1; }", "inline int f(void)\n"),
        ("inline int f(void); inline int f(void) { return 1; }", "inline int f(void);\n"),
        ("extern inline int f(void) { return 1; }", "extern inline int f(void)\n"),
        ("int f(void); inline int f(void) { return 1; }", "extern inline int f(void);\n"),
        ("inline int f(void) { return 1; } int f(void);", "extern inline int f(void)\n"),
        (
            "static inline int f(void); static int f(void) { return 1; }",
            "static inline int f(void);\n",
        ),
        ("static int f(void); inline int f(void) { return 1; }", "static inline int f(void);\n"),
    ] {
        let out = accepted(text);
        assert!(out.starts_with(start), "`{text}` prints as\n{out}");
    }
}

/// C11 6.4.2.2.
#[test]
fn the_name_of_a_function_is_a_constant_object() {
    let out = accepted(
        "const char *f(void) { static const char *p = __func__; \
           _Static_assert(sizeof __func__ == 2, \"\"); \
           return _Generic(__func__, const char *: __FUNCTION__, char *: p); }",
    );
    assert_eq!(out.matches("= \"f\";").count(), 1, "{out}");
    refused("void f(void) { __func__[0] = 'g'; }");
}

/// What stands beside the refusals of whole aggregates, lengths and lists.
#[test]
fn near_misses_of_refusals() {
    for text in [
        "struct s { int a, b[2]; } x; void f(void) { struct s y = x, z = (struct s){1}; }",
        "void f(void) { int a[] = (int[]){1, 2}; char b[] = \"b\"; }",
        "typedef int v __attribute__((vector_size(8))); v x; void f(void) { v y = x; }",
        "void f(int n) { static int (*p)[4]; int a[n]; extern int b[4]; }",
        "int f(__builtin_va_list *p) { return __builtin_va_arg(*p, int); }",
        "struct s { int a; struct { const int *b; } c; } x, y; void f(void) { x = y; }",
        "void f(int *p) { asm(\"\" : \"=r\"(*p), \"=m\"(p[1])); }",
        "int x = _Generic(1, int: 1, const int: 2, unsigned: 3, default: 4);",
    ] {
        accepted(text);
    }
}

/// C23 6.7.1: what a named constant may be.
#[test]
fn constexpr_objects() {
    for text in [
        "constexpr int a;",
        "extern constexpr int a = 1;",
        "constexpr volatile int a = 1;",
        "constexpr unsigned char a = 256;",
        "constexpr int a = 1.5;",
        "int x; constexpr int a = x;",
        "int x; constexpr int *a = &x;",
        "enum e : unsigned char { a = 256 };",
        "auto a;",
    ] {
        let failure = read(text, Dialect::C23, false).expect_err(text);
        assert_eq!(failure.diagnostic.reason, Reason::Constraint, "{text}");
    }
    let out =
        printed("constexpr int a = 3; int b = a, c[a]; const int *p = &a;", Dialect::C23, false);
    assert!(out.contains("c[3]") && out.contains("&a"), "{out}");
}

/// gcc and clang refuse each of these, whatever their options.
#[test]
fn constraints_of_declarations() {
    for text in [
        // 6.4.3, 6.4.4.4
        "char *s = \"\\u0041\";",
        "int x = '\\x1ff';",
        "int x = '\\777';",
        // 6.5.1.1
        "int x = _Generic(1, int(void): 2, default: 3);",
        "struct S; int x = _Generic(1, struct S: 2, default: 3);",
        "void f(int n) { _Generic(1, int[n]: 2, default: 3); }",
        // 6.5.2.2, 6.9.1
        "struct S; struct S f(void); void g(void) { f(); }",
        "struct S f(void) {}",
        // 6.2.2p7: with internal linkage, and with external
        "static int x; void f(void) { int x; { extern int x; } }",
        "static int g(void); void f(void) { int g; { int g(void); } }",
        // 6.7.3p9, 6.7.4p7, 6.9.2p3
        "typedef int F(void); const F f;",
        "inline int f(void); int g(void) { return f(); }",
        "static int a[];",
        // 6.5.3.2
        "int *f(void) { register int x; return &x; }",
        "struct S { int a; }; int *f(void) { register struct S s; return &s.a; }",
        // 6.7
        "void f(int n) { typedef int T[n]; typedef int T[n]; }",
        // 6.7.1
        "auto int x;",
        "void f(void) { static int g(void); }",
        "void f(void) { _Thread_local int x; }",
        "_Thread_local int f(void);",
        "_Thread_local int x; int x;",
        "int x; extern _Thread_local int x;",
        "int f(a) static int a; { return a; }",
        // 6.7.2, 6.7.2.4, 6.7.3
        "_Complex _Bool z;",
        "_Atomic(int[2]) x;",
        "_Atomic(int(void)) *x;",
        "_Atomic(const int) x;",
        "typedef int A[2]; _Atomic A x;",
        "restrict int x;",
        "int (*restrict p)(void);",
        "int restrict *p;",
        // 6.7.4
        "typedef inline int T(void);",
        "int f(inline int x);",
        // 6.7.5
        "typedef _Alignas(8) int T;",
        "struct S { _Alignas(8) int a : 3; };",
        "int f(_Alignas(8) int x);",
        "_Alignas(8) int f(void);",
        "void f(void) { register _Alignas(8) int x; }",
        "_Alignas(1) int x;",
        // 6.7.6.2, 6.7.6.3
        "int a[static 2];",
        "int a[const 2];",
        "int f(int a[2][static 2]);",
        "int f(int a[*]) { return 0; }",
        "int f(int, void);",
        "int f(const void);",
        "int f(void, ...);",
        "int f(...);",
        // 6.8.4.2, 6.8.5, 6.8.6.1
        "void f(int x, int n) { switch (x) { int a[n]; case 1:; } }",
        "void f(int x, int n) { switch (x) { int (*a)[n]; default:; } }",
        "void f(void) { for (static int i = 0;;); }",
        "void f(void) { for (extern int i;;); }",
        "void f(void) { for (int g(void);;); }",
        "void f(int n) { goto a; int x[n]; a:; }",
        "void f(int n) { goto a; { int x[n]; a:; } }",
        "void f(int n) { { int x[n]; } goto a; { int x[n]; a:; } }",
    ] {
        let (reason, message) = refused(text);
        assert!(matches!(reason, Reason::Constraint | Reason::Syntax), "{text}: {message}");
    }
    for text in [
        "static int x; void f(void) { extern int x; { extern int x; } }",
        "static int g(void) { return 1; } void f(void) { int g(void); }",
        "inline int f(void); inline int f(void) { return 1; } static inline int g(void);",
        // Not C, but compilers say nothing.
        "static struct S s; struct S { int a; };",
        "static int a[]; int f(void) { return a[1]; } static int a[] = {1, 2};",
        "extern int a[]; static int b[2]; int c[]; struct S s; struct S { int a; };",
        "int f(int *restrict a, int b[static 2], int c[const 3], int d[*], int e[restrict]);",
        "typedef int *A[2]; A restrict a;",
        "struct S { _Alignas(16) int a; }; _Alignas(0) int x; _Alignas(16) int y;",
        "void f(int n) { int x[n]; goto a; { a:; } }",
        "void f(int n) { { int x[n]; goto a; } a:; for (int y[n];;) goto a; }",
        "void f(int n) { int x[n]; switch (n) { case 1:; { int y[n]; } case 2:; } }",
        "static _Thread_local int x; extern _Thread_local int x; void f(void) { static _Thread_local int y; }",
        "_Atomic(int *) p; _Atomic int *const q; int f(void); int g(register int x);",
        "char *s = \"\\u0040\\u00e9\\xff\"; int x = '\\377';",
    ] {
        accepted(text);
    }
}

/// J.2: declarations of one object that ask for different alignments, C11 6.7.5p7.
#[test]
fn alignments_of_one_object_agree() {
    for text in [
        "extern _Alignas(16) int x; int x;",
        "extern _Alignas(16) int x; _Alignas(8) int x;",
        "int x; extern _Alignas(16) int x;",
        "_Alignas(16) int x; extern _Alignas(8) int x;",
    ] {
        assert_eq!(refused(text).0, Reason::Constraint, "{text}");
    }
    for text in [
        "extern _Alignas(16) int x; _Alignas(16) int x = 1;",
        "_Alignas(16) int x; extern int x;",
        "extern _Alignas(16) int x; extern int x;",
        "extern int x __attribute__((aligned(16))); int x;",
    ] {
        accepted(text);
    }
    let unit = |text: &str| SourceText::new("unit.c", text);
    let units = [unit("int x;"), unit("extern _Alignas(16) int x;")];
    let failure = parse(&units, &Options::new(&X86_64_LINUX)).expect_err("two files");
    assert_eq!(failure.diagnostic.reason, Reason::Constraint);
}

/// J.2: `__func__` is a keyword here, so no program declares it.
#[test]
fn the_name_of_a_function_is_not_declared() {
    for text in ["int __func__;", "void f(void) { static const char __func__[] = \"x\"; }"] {
        assert_eq!(refused(text).0, Reason::Syntax, "{text}");
    }
}

/// gcc's preprocessor writes characters beyond ASCII as universal character names.
#[test]
fn names_beyond_ascii() {
    let out = accepted("int \\u00e9, \\U000000e8b, c\\u0661; int f(void) { return é + èb; }");
    assert!(out.contains("int é"), "{out}");
    for text in ["int a×b;", "int \\u00d7;", "int \\u0300a;", "int \\u00;"] {
        assert_eq!(refused(text).0, Reason::Syntax, "{text}");
    }
}

/// Chains nest no deeper as text, and are read up to `MAX_DEPTH`.
#[test]
fn chains_are_long() {
    type Chain = fn(u32) -> String;
    let chains: [(&str, Chain); 5] = [
        ("+", |links| format!("int f(int x) {{ return x{}; }}", "+x".repeat(links as usize))),
        (",", |links| format!("void f(int x) {{ x{}; }}", ",x".repeat(links as usize))),
        ("else if", |links| {
            format!("void f(int x) {{ {} ; }}", "if (x) ; else ".repeat(links as usize))
        }),
        ("case", |links| {
            let cases: String = (0..links).map(|case| format!("case {case}: ")).collect();
            format!("void f(int x) {{ switch (x) {{ {cases} }} }}")
        }),
        ("label", |links| {
            let labels: String = (0..links).map(|label| format!("l{label}: ")).collect();
            format!("void f(void) {{ {labels} ; }}")
        }),
    ];
    let check = move || {
        for (name, chain) in chains {
            let long = read(&chain(MAX_DEPTH / 2), Dialect::C17, false);
            assert!(long.is_ok(), "{name}: {:?}", long.err().map(|failure| failure.diagnostic));
            let endless = read(&chain(MAX_DEPTH + 10), Dialect::C17, false).expect_err(name);
            assert_eq!(endless.diagnostic.reason, Reason::Limit, "{name}");
            accepted(&chain(5000));
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(check);
    thread.expect("a thread").join().expect("no chain overflows the stack");
}

#[test]
fn pointers_to_incompatible_types_have_no_difference() {
    for text in [
        "long f(signed char *a, char *b) { return a - b; }",
        "long f(int *a, unsigned *b) { return a - b; }",
    ] {
        let (_, message) = refused(text);
        assert!(message.contains("`-` cannot be applied"), "{message}");
    }
    accepted("long f(const int *a, int *b) { return a - b; }");
}

/// Clang refuses a list for an atomic record, and takes a compound literal.
#[test]
fn atomic_records_are_initialised_by_compound_literals() {
    let text = "struct s { int a; }; _Atomic struct s f = {0}; \
                struct t { _Atomic struct s s[2]; } t = {{{1}, {2}}};";
    let out = accepted(text);
    assert!(out.contains("_Atomic struct s f = (struct s){0};"), "{out}");
    assert!(out.contains("{{(struct s){1}, (struct s){2}}}"), "{out}");
}
