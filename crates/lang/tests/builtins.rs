//! The table of builtins against what compilers say their builtins are.
//!
//! Needs `gcc` (12 or newer), `avr-gcc` and `clang`; fails without them.
#![expect(clippy::disallowed_methods, reason = "the table is compared with real compilers")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use farrier_lang::builtins::{Builtin, Prototype};
use farrier_lang::target::{AVR, I386_LINUX, X86_64_LINUX};
use farrier_lang::{FloatKind, FunctionType, IntKind, Qualifiers, Target, Type, TypeId, Types};

/// Builtins that gcc 12 does not have: from clang, or from later versions.
const NOT_IN_GCC_12: &[&str] = &[
    "addc",
    "assume",
    "bitreverse",
    "c23_va_start",
    "clrsbg",
    "clzg",
    "ctzg",
    "debugtrap",
    "ffsg",
    "iseqsig",
    "issignaling",
    "issubnormal",
    "iszero",
    "parityg",
    "popcountg",
    "rotateleft",
    "rotateright",
    "subc",
    "unpredictable",
];

/// Keywords of gcc rather than functions: they have no type to compare with.
const KEYWORDS: &[&str] = &["complex", "convertvector", "shuffle", "shufflevector"];

fn is_listed(builtin: Builtin, list: &[&str]) -> bool {
    let Some(name) = builtin.name().strip_prefix("__builtin_") else { return false };
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    list.iter().any(|&listed| {
        listed == name
            || listed == stem
            // addcb, addcs, addcl, addcll
            || (matches!(listed, "addc" | "subc") && name.starts_with(listed))
    })
}

fn c_type(types: &Types, ty: TypeId) -> String {
    let qualifiers: String = [(Qualifiers::CONST, "const "), (Qualifiers::VOLATILE, "volatile ")]
        .into_iter()
        .filter(|(qualifier, _)| ty.qualifiers().contains(*qualifier))
        .map(|(_, text)| text)
        .collect();
    let plain = match types.get(ty) {
        Type::Void => "void".into(),
        Type::Int(kind) => c_int(*kind).into(),
        Type::Float(kind) => c_float(*kind).into(),
        Type::Complex(part) => format!("_Complex {}", c_type(types, *part)),
        Type::Pointer(to) => match types.get(*to) {
            Type::Function(_) => "__typeof__(void (*)())".into(),
            _ => format!("{} *", c_type(types, *to)),
        },
        Type::VaList => "__builtin_va_list".into(),
        other => panic!("no builtin has {other:?} in its type"),
    };
    qualifiers + &plain
}

fn c_int(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Bool => "_Bool",
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UInt128 => "unsigned __int128",
    }
}

fn c_float(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Float16 => "_Float16",
        FloatKind::Float => "float",
        FloatKind::Double => "double",
        FloatKind::LongDouble => "long double",
        FloatKind::Float32 => "_Float32",
        FloatKind::Float64 => "_Float64",
        FloatKind::Float128 => "_Float128",
        FloatKind::Float32x => "_Float32x",
        FloatKind::Float64x => "_Float64x",
    }
}

/// `result name(parameters)`
fn c_declaration(types: &Types, function: &FunctionType, name: &str) -> String {
    let mut parameters: Vec<String> =
        function.parameters.iter().map(|&parameter| c_type(types, parameter)).collect();
    if function.variadic {
        parameters.push("...".into());
    }
    if parameters.is_empty() && function.prototyped {
        parameters.push("void".into());
    }
    format!("{} {name}({})", c_type(types, function.result), parameters.join(", "))
}

/// What `compiler` has to say about `source`, and whether it accepts it.
fn compile(compiler: &str, arguments: &[&str], source: &str) -> (bool, String) {
    let mut child = Command::new(compiler)
        .args(arguments)
        .args(["-std=gnu11", "-fsyntax-only", "-x", "c", "-"])
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("this test needs {compiler}: {error}"));
    let mut stdin = child.stdin.take().unwrap();
    // From a thread, so that neither side waits for the other with a full pipe.
    let source = source.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(source.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

const CHECK: &str = "#define CHECK(builtin, type) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(builtin), __typeof__(type)), #builtin);\n";

/// Lets `compiler` compare the type of each chosen builtin with ours.
fn check_types(
    compiler: &str,
    arguments: &[&str],
    target: &Target,
    chosen: impl Fn(Builtin) -> bool,
) -> usize {
    let mut types = Types::default();
    let mut source = CHECK.to_owned();
    let mut count = 0;
    for builtin in Builtin::all().filter(|&builtin| chosen(builtin)) {
        if let Some(function) = builtin.function_type(&mut types, target) {
            // A declaration of its own keeps function pointers and `...` simple.
            let declaration = c_declaration(&types, &function, &format!("expected_{count}"));
            let name = builtin.name();
            writeln!(source, "{declaration};\nCHECK({name}, expected_{count})").unwrap();
            count += 1;
        }
    }
    let (accepted, messages) = compile(compiler, arguments, &source);
    assert!(accepted, "{compiler} {arguments:?} disagrees with the table:\n{messages}");
    count
}

#[test]
fn gcc_agrees_on_x86_64() {
    let chosen = |builtin| !is_listed(builtin, NOT_IN_GCC_12);
    assert!(check_types("gcc", &["-m64"], &X86_64_LINUX, chosen) > 600);
}

#[test]
fn gcc_agrees_on_i386() {
    let chosen = |builtin| !is_listed(builtin, NOT_IN_GCC_12);
    assert!(check_types("gcc", &["-m32"], &I386_LINUX, chosen) > 600);
}

/// Builtins of x86: the first part of the name.
const ONLY_X86: [&str; 7] = ["cpu_", "fabsq", "copysignq", "huge_valq", "infq", "nanq", "nansq"];

#[test]
fn gcc_agrees_on_other_machines() {
    let only_x86 = |builtin: Builtin| {
        let name = builtin.name().trim_start_matches("__builtin_");
        ONLY_X86.iter().any(|start| name.starts_with(start))
    };
    let name = std::env::var("FARRIER_TARGET").ok();
    for target in Target::to_test(name.as_deref()) {
        // Windows keeps what belongs to a thread elsewhere.
        let no_pointer = target.toolchain.emulator == ["wine"];
        let missing = |builtin: Builtin| no_pointer && builtin.name().ends_with("thread_pointer");
        let chosen =
            |builtin| !is_listed(builtin, NOT_IN_GCC_12) && !only_x86(builtin) && !missing(builtin);
        // The others have tests of their own.
        if !target.toolchain.emulator.is_empty() {
            let (compiler, flags) = (target.toolchain.compiler, target.toolchain.flags);
            assert!(check_types(compiler, flags, target, chosen) > 600, "{}", target.name);
        }
    }
}

/// An avr-gcc may be much older than gcc, so only what was always there.
#[test]
fn gcc_agrees_on_avr() {
    let names = [
        "bswap16",
        "bswap32",
        "bswap64",
        "clz",
        "clzl",
        "clzll",
        "imaxabs",
        "memcpy",
        "strlen",
        "malloc",
        "expect",
        "object_size",
        "printf",
        "vprintf",
        "sadd_overflow",
        "strftime",
    ];
    let chosen = |builtin: Builtin| names.iter().any(|name| builtin.name()[10..] == **name);
    assert_eq!(check_types("avr-gcc", &[], &AVR, chosen), names.len());
}

/// The check must be able to fail.
#[test]
fn gcc_refuses_a_wrong_type() {
    let source = format!("{CHECK}int wrong(int);\nCHECK(__builtin_clz, wrong)");
    let (accepted, messages) = compile("gcc", &[], &source);
    assert!(!accepted && messages.contains("__builtin_clz"), "{messages}");
}

#[test]
fn gcc_has_the_generic_builtins() {
    let mut source = String::new();
    for builtin in Builtin::all() {
        if let Prototype::Generic(_) = builtin.row().prototype
            && !is_listed(builtin, NOT_IN_GCC_12)
            && !is_listed(builtin, KEYWORDS)
        {
            writeln!(source, "extern __typeof__({0}) *pointer_{0};", builtin.name()).unwrap();
        }
    }
    let (accepted, messages) = compile("gcc", &[], &source);
    assert!(accepted, "{messages}");
}

/// Each library name is one that gcc knows: it warns when it is declared with a wrong
/// type, and does not when it is declared with ours.
#[test]
fn gcc_knows_the_library_names() {
    let arguments = ["-Wbuiltin-declaration-mismatch"];
    let mut types = Types::default();
    let mut right = String::new();
    // Too big for a register: gcc forgives types that it passes in the same way.
    let mut wrong = "struct wrong { char member[40]; };\n".to_owned();
    for builtin in Builtin::all() {
        let Some(library) = builtin.row().library else { continue };
        let function = builtin.function_type(&mut types, &X86_64_LINUX).expect("is fixed");
        writeln!(right, "{};", c_declaration(&types, &function, library)).unwrap();
        writeln!(wrong, "struct wrong {library}(struct wrong);").unwrap();
    }
    let (accepted, messages) = compile("gcc", &arguments, &right);
    assert!(accepted && messages.is_empty(), "{messages}");
    let (_, messages) = compile("gcc", &arguments, &wrong);
    for builtin in Builtin::all() {
        let Some(library) = builtin.row().library else { continue };
        let warning = format!("conflicting types for built-in function '{library}'");
        assert!(messages.contains(&warning), "gcc does not know {library}");
    }
}

/// clang lets no one look at the type of a builtin, but it types a call.
#[test]
fn clang_agrees_on_its_own_builtins() {
    let mut types = Types::default();
    let mut source = CHECK.to_owned();
    let mut count = 0;
    let names = ["addc", "assume", "bitreverse", "debugtrap", "rotateleft", "rotateright", "subc"];
    for builtin in Builtin::all().filter(|&builtin| is_listed(builtin, &names)) {
        let function = builtin.function_type(&mut types, &X86_64_LINUX).expect("is fixed");
        let arguments: Vec<String> = function
            .parameters
            .iter()
            .map(|&parameter| format!("({})0", c_type(&types, parameter)))
            .collect();
        let call = format!("{}({})", builtin.name(), arguments.join(", "));
        let result = c_type(&types, function.result);
        writeln!(source, "CHECK(({call}), {result})").unwrap();
        count += 1;
    }
    assert_eq!(count, 24);
    let (accepted, messages) = compile("clang", &["-Werror"], &source);
    assert!(accepted, "{messages}");
}
