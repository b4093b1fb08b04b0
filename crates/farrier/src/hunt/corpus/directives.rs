//! What a test of GCC says about itself in its comments, in the language of DejaGnu.

/// The beginnings of options that do not change what a C program means.
const HARMLESS: &[&str] = &["-O", "-W", "-w", "-g", "-pedantic", "-fdump-", "-fno-diagnostics"];

/// Whether compilers may be judged by each other with this program: it is meant to be run, and by
/// no other rules than those of C. Most files have no directive, and nothing speaks against them.
///
/// What the machine certifies needs no such question: it is right by the strictest rules.
pub(super) fn may_vote(source: &str) -> bool {
    directives(source).all(|(name, rest)| match name {
        "dg-do" => rest.starts_with("run"),
        "dg-options" | "dg-additional-options" => {
            let harmless = |word: &str| HARMLESS.iter().any(|known| word.starts_with(known));
            rest.split(['"', '{', '}', ' ']).filter(|word| word.starts_with('-')).all(harmless)
        }
        "dg-error" | "dg-shouldfail" => false,
        _ => true,
    })
}

/// Whether compilers are meant to refuse it.
pub(super) fn is_wrong(source: &str) -> bool {
    directives(source).any(|(name, _)| name == "dg-error")
}

/// The directives of a source: their names, and the rest of the line.
fn directives(source: &str) -> impl Iterator<Item = (&str, &str)> {
    source.lines().filter_map(|line| {
        let (_, directive) = line.split_once("{ dg-")?;
        let (name, rest) = directive.split_once(char::is_whitespace)?;
        let whole = line.len() - directive.len() - "dg-".len();
        Some((&line[whole..whole + "dg-".len() + name.len()], rest.trim_start()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_for_other_rules_has_no_vote() {
        for right in [
            "int main(void) { return 0; }",
            "/* { dg-do run } */",
            "/* { dg-do run { target int32plus } } */\n/* { dg-options \"-O2 -Wall -g\" } */",
            "/* { dg-require-effective-target int32plus } */",
        ] {
            assert!(may_vote(right), "{right}");
        }
        for wrong in [
            "/* { dg-do compile } */",
            "/* { dg-options \"-O2 -fwrapv\" } */",
            "/* { dg-options { \"-fno-strict-aliasing\" } } */",
            "/* { dg-do run } */\n// { dg-additional-options \"-std=gnu89\" }",
            "x = ; /* { dg-error \"expected\" } */",
        ] {
            assert!(!may_vote(wrong), "{wrong}");
        }
        assert!(is_wrong("x = ; /* { dg-error \"expected\" } */") && !is_wrong("int x;"));
    }
}
