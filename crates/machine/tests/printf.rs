//! `printf` of the machine against that of the C library, format by format.

#![expect(clippy::disallowed_methods, reason = "the C library is asked by running a program")]

use std::fmt::Write;
use std::process::Command;

use farrier_front::parse;
use farrier_lang::{Dialect, STACK_BYTES, SourceText, target};
use farrier_machine::{Options, Verdict, run};

const FLAGS: &[&str] = &["", "-", "+", " ", "#", "0", "+0", "-#", " 0", "#0", "-+"];
const SIZES: &[&str] = &["", "1", "12", ".0", ".3", "10.4", "25.20", "3.1"];

/// A group of rows: conversions, and values they take.
struct Group {
    conversions: &'static [&'static str],
    values: &'static [&'static str],
}

const GROUPS: &[Group] = &[
    Group {
        conversions: &["d", "i", "u", "x", "X", "o", "hhd", "hu", "hhx"],
        values: &["0", "1", "-1", "2147483647", "(-2147483647-1)", "300", "-129"],
    },
    Group {
        conversions: &["ld", "llu", "jx", "zd", "to"],
        values: &["0L", "-1L", "9223372036854775807L", "1234567890123L"],
    },
    Group { conversions: &["c"], values: &["'a'", "65 + 256"] },
    Group { conversions: &["s"], values: &["\"\"", "\"text\"", "\"a longer text\""] },
    Group {
        conversions: &["f", "F", "e", "E", "g", "G", "a", "A"],
        values: &[
            "0.0",
            "-0.0",
            "1.0",
            "0.5",
            "1.5",
            "2.5",
            "0.1",
            "-123.456",
            "1e10",
            "1e100",
            "1e-5",
            "1e-4",
            "123456.5",
            "999999.5",
            "9.9995",
            "5e-324",
            "1.7976931348623157e308",
            "1.0 / 3",
            "__builtin_inf()",
            "-__builtin_inf()",
            "100000.0",
            "1000000.0",
            "0.00012345",
        ],
    },
    Group {
        conversions: &["Lf", "Le", "LG", "La"],
        values: &[
            "0.0L",
            "-1.0L",
            "0.1L",
            "1.0L / 3",
            "1e4000L",
            "1e-1000L",
            "2.5L",
            "3.5L",
            "12345678901234567890.5L",
            "__builtin_infl()",
            "255.9375L",
        ],
    },
];

/// Whether C gives the flags and the size a meaning for this conversion.
fn has_meaning(flags: &str, size: &str, conversion: &str) -> bool {
    let text = matches!(conversion, "c" | "s");
    let plain = conversion.ends_with(['d', 'i', 'u']);
    !(flags.contains('#') && (text || plain)
        || flags.contains('0') && text
        || size.contains('.') && conversion == "c")
}

#[test]
fn formats_agree_with_the_library() {
    let mut source = String::from("int printf(const char *, ...);\nint main(void) {\n");
    let mut rows = Vec::new();
    for group in GROUPS {
        for conversion in group.conversions {
            for flags in FLAGS {
                for size in SIZES.iter().filter(|size| has_meaning(flags, size, conversion)) {
                    for value in group.values {
                        // glibc 2.36 forgets the zeros of 1.00000e+06.
                        if flags.contains('#') && *conversion != "f" && *value == "999999.5" {
                            continue;
                        }
                        let row = format!("printf(\"[%{flags}{size}{conversion}]\\n\", {value});");
                        writeln!(source, "  {row}").expect("a string grows");
                        rows.push(row);
                    }
                }
            }
        }
    }
    source.push_str("  return 0;\n}\n");
    let expected = library_output(&source);
    let found = machine_output(source);
    let expected: Vec<&str> = expected.lines().collect();
    let found: Vec<&str> = found.lines().collect();
    assert!(rows.len() > 10_000, "only {} rows", rows.len());
    assert_eq!(found.len(), rows.len());
    let mut wrong = String::new();
    for ((row, expected), found) in rows.iter().zip(expected).zip(found) {
        if expected != found {
            writeln!(wrong, "{row} gives {found}, not {expected}").expect("a string grows");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn library_output(source: &str) -> String {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (file, program) = (directory.join("printf-rows.c"), directory.join("printf-rows"));
    std::fs::write(&file, source).expect("a file");
    let status = Command::new("gcc").args(["-w", "-O0", "-o"]).arg(&program).arg(&file).status();
    assert!(status.expect("gcc is installed").success());
    let output = Command::new(&program).output().expect("the program runs");
    String::from_utf8(output.stdout).expect("ASCII")
}

fn machine_output(source: String) -> String {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let work = thread.spawn(move || {
        let options = farrier_front::Options {
            target: &target::X86_64_LINUX,
            dialect: Dialect::C17,
            permissive: false,
        };
        let input = SourceText::new("rows.c", source);
        let program = parse(&[input], &options).expect("the rows are C");
        match run(&program, &Options::default()).verdict {
            Verdict::Defined(behavior) => String::from_utf8(behavior.output).expect("ASCII"),
            other => panic!("{other:?}"),
        }
    });
    work.expect("a thread").join().expect("no panic")
}
