//! Every header of C11, preprocessed by every compiler of the machine, is read.

#![expect(clippy::disallowed_methods, reason = "a test starts the command that it tests")]
#![expect(clippy::print_stdout, reason = "it says which compilers there are")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The 29 headers of C11 7.1.2.
const HEADERS: [&str; 29] = [
    "assert",
    "complex",
    "ctype",
    "errno",
    "fenv",
    "float",
    "inttypes",
    "iso646",
    "limits",
    "locale",
    "math",
    "setjmp",
    "signal",
    "stdalign",
    "stdarg",
    "stdatomic",
    "stdbool",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "stdnoreturn",
    "string",
    "tgmath",
    "threads",
    "time",
    "uchar",
    "wchar",
    "wctype",
];

const STANDARDS: [&str; 4] = ["c99", "c11", "c17", "c23"];

/// The headers that cannot be had from a family of compilers.
const WITHOUT: &[(&str, &[&str])] = &[
    // It has neither of them, and refuses the last.
    ("tcc", &["iso646", "stdatomic", "tgmath"]),
    // Its functions are overloaded.
    ("clang", &["tgmath"]),
];

/// The compilers of a family: under its own name, which must be there, and with versions.
fn compilers(family: &str) -> Vec<String> {
    let path = std::env::var_os("PATH").expect("there is a PATH");
    let exists = |name: &str| std::env::split_paths(&path).any(|dir| dir.join(name).exists());
    assert!(exists(family), "{family} must be installed: apt-get install {family}");
    let versions = (5..40).map(|version| format!("{family}-{version}"));
    std::iter::once(family.to_owned()).chain(versions.filter(|name| exists(name))).collect()
}

fn check(compiler: &str, standard: &str, headers: &[&str]) -> Output {
    let lines: String = headers.iter().map(|name| format!("#include <{name}.h>\n")).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_farrier"));
    command.args(["check", "--cc", compiler, "--std", standard, "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it can be started");
    let mut stdin = child.stdin.take().expect("it is a pipe");
    let text = lines + "int main(void) { return 0; }\n";
    stdin.write_all(text.as_bytes()).expect("it reads the text");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn headers_are_read(family: &str) {
    let without = WITHOUT.iter().find(|(name, _)| *name == family).map_or(&[][..], |row| row.1);
    let mut headers = HEADERS.to_vec();
    headers.retain(|name| !without.contains(name));
    let all = compilers(family);
    println!("headers of {}", all.join(", "));
    for compiler in &all {
        for standard in STANDARDS {
            let output = check(compiler, standard, &headers);
            assert!(output.status.success(), "{compiler} -std={standard}: {output:?}");
        }
        for header in &headers {
            let output = check(compiler, "c11", &[header]);
            assert!(output.status.success(), "{compiler} <{header}.h>: {output:?}");
        }
    }
}

#[test]
fn headers_of_gcc() {
    headers_are_read("gcc");
}

#[test]
fn headers_of_clang() {
    headers_are_read("clang");
}

#[test]
fn headers_of_tcc() {
    headers_are_read("tcc");
}
