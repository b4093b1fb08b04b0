//! Regression tests in the forms of GCC and of LLVM.

use farrier_harness::FindingKind;

use super::evidence::Evidence;
use super::text::quote_all;

/// A test for the suite of GCC, for DejaGnu.
pub(crate) fn dejagnu(evidence: &Evidence) -> String {
    let run = evidence.kind.is_wrong_code();
    let target = match evidence.finding.subject.target.map(|target| target.name) {
        Some("x86_64-linux") => " { target { { i?86-*-* x86_64-*-* } && lp64 } }",
        Some("i386-linux") => " { target { { i?86-*-* x86_64-*-* } && ia32 } }",
        Some("aarch64-linux") => " { target { aarch64*-*-* && lp64 } }",
        Some("s390x-linux") => " { target { s390*-*-* && lp64 } }",
        Some("riscv64-linux") => " { target riscv64*-*-* }",
        Some("arm-linux") => " { target arm*-*-* }",
        Some("powerpc-linux") => " { target { powerpc-*-* && ilp32 } }",
        Some("powerpc64-linux") => " { target { powerpc64-*-* && lp64 } }",
        Some("powerpc64le-linux") => " { target powerpc64le-*-* }",
        Some("mips-linux") => " { target { mips-*-* && ilp32 } }",
        Some("mips64el-linux") => " { target { mips64el*-*-* && lp64 } }",
        Some("sparc64-linux") => " { target { sparc*-*-* && lp64 } }",
        Some("m68k-linux") => " { target m68k-*-* }",
        Some("alpha-linux") => " { target alpha*-*-* }",
        Some("hppa-linux") => " { target { hppa*-*-* && ilp32 } }",
        Some("sh4-linux") => " { target sh4*-*-* }",
        Some("x86_64-windows") => " { target x86_64-*-mingw* }",
        Some("i386-windows") => " { target i?86-*-mingw* }",
        Some("avr") => " { target avr-*-* }",
        _ => "",
    };
    let mut text = format!("/* {{ dg-do {}{target} }} */\n", if run { "run" } else { "compile" });
    let mut flags: Vec<&str> =
        evidence.subject.flags.iter().chain(&evidence.flags).map(String::as_str).collect();
    // A warning that the test does not announce is a failure.
    if !flags.contains(&"-w") {
        flags.insert(0, "-w");
    }
    text += &format!("/* {{ dg-options \"{}\" }} */\n", flags.join(" ").replace('"', "\\\""));
    if evidence.kind == FindingKind::CompilerHang {
        text += "/* { dg-timeout 30 } */\n";
    }
    if run {
        match evidence.expected_status() {
            Some(0) => {}
            Some(status) => {
                text += &format!("/* {{ dg-shouldfail \"exit status {status} is right\" }} */\n");
                text += "/* The suite does not tell it from others that are not 0. */\n";
            }
            None => text += "/* { dg-shouldfail \"it aborts\" } */\n",
        }
        if !evidence.expected_output().is_empty() {
            let output = String::from_utf8_lossy(evidence.expected_output());
            text += &format!("/* {{ dg-output \"^{}$\" }} */\n", tcl_pattern(&output));
        }
    }
    text.push('\n');
    text + &evidence.source
}

/// A pattern of Tcl, inside quotes, that matches a text and nothing else.
fn tcl_pattern(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        match c {
            '\n' => pattern.push_str("(\\n|\\r\\n|\\r)"),
            c if c.is_ascii_alphanumeric() || " =,:;_-@%&/<>'".contains(c) => pattern.push(c),
            // A class of one character needs no second backslash anywhere.
            '[' | ']' | '^' | '\\' | '"' | '$' | '{' | '}' => pattern.push('.'),
            c if c.is_ascii_graphic() => {
                pattern.push_str("\\[");
                pattern.push(c);
                pattern.push_str("\\]");
            }
            _ => pattern.push('.'),
        }
    }
    pattern
}

/// A test for the suite of LLVM, for lit.
pub(crate) fn lit(evidence: &Evidence) -> String {
    let flags: Vec<String> =
        evidence.subject.flags.iter().chain(&evidence.flags).cloned().collect();
    let flags = quote_all(&flags);
    let triple = match &evidence.subject.triple {
        triple if triple.is_empty() => String::new(),
        triple => format!(" --target={triple}"),
    };
    if !evidence.kind.is_wrong_code() {
        return format!("// RUN: %clang{triple} {flags} -c %s -o %t.o\n\n{}", evidence.source);
    }
    let libraries: String =
        evidence.subject.libraries.iter().map(|library| format!(" {library}")).collect();
    let not = match evidence.expected_status() {
        Some(0) => "",
        Some(_) => "not ",
        None => "not --crash ",
    };
    let output = String::from_utf8_lossy(evidence.expected_output());
    let lines: Vec<&str> = output.lines().collect();
    let check = match lines.is_empty() {
        true => "count 0".to_owned(),
        false => "FileCheck --match-full-lines --strict-whitespace %s".to_owned(),
    };
    let mut text = format!(
        "// REQUIRES: native\n\
         // RUN: %clang{triple} {flags} %s -o %t{libraries}\n\
         // RUN: {not}%t > %t.out\n\
         // RUN: cat %t.out | {check}\n\n{}\n",
        evidence.source.trim_end()
    );
    for (index, line) in lines.iter().enumerate() {
        text += match (index, line.is_empty()) {
            (0, true) => "//CHECK-EMPTY:",
            (0, false) => "//CHECK:",
            (_, true) => "//CHECK-EMPTY:",
            (_, false) => "//CHECK-NEXT:",
        };
        // What FileCheck would take for a pattern or a variable.
        text += &line.replace("{{", "{{[{][{]}}").replace("[[", "{{[[][[]}}");
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_only_its_text() {
        assert_eq!(tcl_pattern("checksum = 1f\n"), "checksum = 1f(\\n|\\r\\n|\\r)");
        assert_eq!(tcl_pattern("a.b*(c)"), "a\\[.\\]b\\[*\\]\\[(\\]c\\[)\\]");
        assert_eq!(tcl_pattern("[x]$"), ".x..");
    }
}
