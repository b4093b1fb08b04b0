//! The options that a test of GCC asks for in its comments.

/// The options in the DejaGnu directives of a C file that hold for gcc on x86-64 Linux.
///
/// Directives that ask for something the target may lack (`dg-require-effective-target`,
/// `dg-skip-if`) need no attention: x86-64 Linux lacks none of it, and a program that gcc
/// cannot compile here is left out anyway.
pub(super) fn options(source: &str) -> Vec<String> {
    let mut options = Vec::new();
    for line in source.lines() {
        for directive in ["dg-options", "dg-additional-options"] {
            let Some((_, rest)) = line.split_once(&format!("{{ {directive} ")) else { continue };
            let Some((_, rest)) = rest.split_once('"') else { continue };
            let Some((words, selector)) = rest.split_once('"') else { continue };
            if applies(selector) {
                options.extend(words.split_whitespace().map(str::to_owned));
            }
        }
    }
    options
}

/// Whether a test is run on x86-64 Linux, or only compiled; without a directive it is as the
/// script of its directory says.
pub(super) fn is_run(source: &str, by_default: bool) -> bool {
    let directive =
        source.lines().find_map(|line| line.split_once("{ dg-do ").map(|(_, does)| does));
    match directive.and_then(|does| does.split_once(char::is_whitespace)) {
        Some((what, selector)) => what == "run" && applies(selector),
        None => by_default,
    }
}

/// Whether the selector after the options, if there is one, chooses x86-64 Linux.
fn applies(selector: &str) -> bool {
    let Some((_, target)) = selector.split_once("target ") else { return true };
    target.contains("x86_64-*-*") && !target.contains("ia32") || target.starts_with("fpic")
}

/// The options in the Tcl file that may stand beside an old test. Those files choose by
/// target inside braces; what stands outside holds everywhere.
pub(super) fn tcl_options(script: &str) -> Vec<String> {
    script
        .lines()
        .filter_map(|line| {
            line.strip_prefix("lappend additional_flags ")
                .or_else(|| line.strip_prefix("set additional_flags "))
        })
        .flat_map(|words| words.split_whitespace().map(|word| word.trim_matches('"').to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{is_run, options, tcl_options};

    #[test]
    fn options_are_read_where_they_apply() {
        let one = |line: &str| options(line).join(" ");
        assert_eq!(one("/* { dg-options \"-fwrapv -O2\" } */"), "-fwrapv -O2");
        assert_eq!(one("/* { dg-options { \"-fwrapv\" } } */"), "-fwrapv");
        let here = "/* { dg-options \"-mpc64\"  { target { i?86-*-* x86_64-*-* } } } */";
        assert_eq!(one(here), "-mpc64");
        let narrow =
            "/* { dg-options \"-mtune=i686\" { target { { i?86-*-* x86_64-*-* } && ia32 } } } */";
        assert_eq!(one(narrow), "");
        assert_eq!(one("/* { dg-additional-options \"-x\" { target hppa*-*-hpux* } } */"), "");
        assert_eq!(one("/* { dg-require-effective-target int32plus } */"), "");
    }

    #[test]
    fn some_tests_are_run() {
        assert!(is_run("/* { dg-do run } */", false));
        assert!(!is_run("/* { dg-do compile } */", true));
        assert!(!is_run("/* { dg-do run { target powerpc*-*-* } } */", false));
        assert!(is_run("/* { dg-do run { target { i?86-*-* x86_64-*-* } } } */", false));
        assert!(is_run("int main;", true) && !is_run("int main;", false));
    }

    #[test]
    fn options_of_tcl_files_are_read_outside_braces() {
        let script = "if { x } {\n    lappend additional_flags \"-no\"\n}\n\
                      lappend additional_flags \"-fno-ivopts\" \"-fno-gcse\"\nreturn 0\n";
        assert_eq!(tcl_options(script), ["-fno-ivopts", "-fno-gcse"]);
    }
}
