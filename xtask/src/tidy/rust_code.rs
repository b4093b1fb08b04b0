//! Rules on Rust files.

use super::Problem;
use crate::repository::File;

pub(super) fn check_module_documentation(files: &[File], problems: &mut Vec<Problem>) {
    for file in files.iter().filter(|file| file.has_extension(&["rs"])) {
        // A fuzz target begins with what switches the usual `main` off.
        let first = file.lines().map(|(_, line)| line).find(|line| !line.starts_with("#!["));
        if !first.is_some_and(|line| line.starts_with("//! ")) {
            problems.push(Problem::new(&file.path, 1, "must begin with a `//!` comment"));
        }
    }
}

/// What must not occur in code, and why. Comments and literals are not code.
const BANNED: &[(&str, &str)] = &[
    ("todo!", "finish it or leave it out"),
    ("unimplemented!", "return an error that says what is not supported"),
    ("dbg!", "left over from debugging"),
    ("#[ignore", "a test runs or does not exist"),
    ("#[should_panic", "catch the panic and look at its message"),
    ("#![allow(", "use expect with a reason, where it is needed"),
];

pub(super) fn check_banned(files: &[File], problems: &mut Vec<Problem>) {
    for file in files.iter().filter(|file| file.has_extension(&["rs"])) {
        let code = code_only(file.text.as_deref().unwrap_or_default());
        for (line, text) in (1..).zip(code.split('\n')) {
            for (word, remedy) in BANNED {
                if text.match_indices(word).any(|(at, _)| !continues_word(&text[..at])) {
                    problems.push(Problem::new(&file.path, line, format!("`{word}`: {remedy}")));
                }
            }
        }
    }
}

pub(super) fn check_unwrap(files: &[File], problems: &mut Vec<Problem>) {
    for file in files.iter().filter(|file| file.has_extension(&["rs"])) {
        if !file.path.split('/').any(|part| part == "src") || file.name() == "tests.rs" {
            continue;
        }
        let code = code_only(file.text.as_deref().unwrap_or_default());
        // The tests of a module stand at its end.
        let lines = (1..).zip(code.split('\n')).take_while(|(_, line)| *line != "#[cfg(test)]");
        for (line, _) in lines.filter(|(_, text)| text.contains(".unwrap()")) {
            let message = "write expect(\"the invariant\") or return the error";
            problems.push(Problem::new(&file.path, line, message));
        }
    }
}

fn continues_word(before: &str) -> bool {
    before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// The text with comments and the insides of literals blanked, line by line.
fn code_only(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => find(bytes, at, b"\n"),
            b'/' if bytes[at..].starts_with(b"/*") => end_of_block_comment(bytes, at),
            b'"' => end_of_string(bytes, at),
            b'r' if !continues_word(&text[..at]) || text[..at].ends_with('b') => {
                end_of_raw_string(bytes, at)
            }
            b'\'' => end_of_char(text, at),
            _ => at,
        };
        for byte in &mut code[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
        // The next character may begin inside a longer one.
        while !text.is_char_boundary(at.min(text.len())) {
            at += 1;
        }
    }
    String::from_utf8(code).expect("whole characters were blanked")
}

/// The place of `needle` at or after `from`, or the end.
fn find(bytes: &[u8], from: usize, needle: &[u8]) -> usize {
    bytes[from..].windows(needle.len()).position(|w| w == needle).map_or(bytes.len(), |n| from + n)
}

fn end_of_block_comment(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0;
    let mut at = start;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of `r"..."` or `r#"..."#`; `start` itself if none begins there.
fn end_of_raw_string(bytes: &[u8], start: usize) -> usize {
    let hashes = bytes[start + 1..].iter().take_while(|byte| **byte == b'#').count();
    let open = start + 1 + hashes;
    if bytes.get(open) != Some(&b'"') {
        return start;
    }
    let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    (find(bytes, open + 1, &close) + close.len()).min(bytes.len())
}

/// The end of `'c'`; `start` itself for a lifetime.
fn end_of_char(text: &str, start: usize) -> usize {
    let mut characters = text[start + 1..].char_indices();
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), Some((escaped, character))) => {
            let after = start + 1 + escaped + character.len_utf8();
            (find(text.as_bytes(), after, b"'") + 1).min(text.len())
        }
        (Some(_), Some((quote, '\''))) => start + 1 + quote + 1,
        _ => start,
    }
}

#[cfg(test)]
mod tests {
    use super::code_only;
    use crate::tidy::tests::complaints;

    #[test]
    fn comments_and_literals_are_not_code() {
        let blanked = |text: &str| {
            let code = code_only(text);
            assert_eq!(code.len(), text.len(), "{text}");
            code.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(blanked("a // b\nc"), "a c");
        assert_eq!(blanked("a /* b /* c */ d */ e"), "a e");
        assert_eq!(blanked(r#"a "b \" c" d"#), "a d");
        assert_eq!(blanked("a r#\"b \" c\"# d"), "a d");
        assert_eq!(blanked(r"a '\'' b 'c' d"), "a b d");
        assert_eq!(blanked("a<'b> 'é' c"), "a<'b> c");
        assert_eq!(blanked("for\"x\""), "for");
        assert_eq!(blanked("\"open"), "");
    }

    #[test]
    fn banned_words_are_found_in_code_only() {
        let rule = "nothing unfinished or skipped";
        assert_eq!(complaints(rule, "a.rs", "fn f() {\n    todo!()\n}"), [2]);
        assert_eq!(complaints(rule, "a.rs", "#[ignore = \"slow\"]"), [1]);
        assert!(complaints(rule, "a.rs", "// todo!\nmy_todo!(); \"dbg!\"").is_empty());
        assert!(complaints(rule, "a.c", "todo!").is_empty());
    }

    #[test]
    fn unwrap_is_found_outside_tests() {
        let text = "fn f() {\n    g().unwrap();\n}\n#[cfg(test)]\nmod tests { f().unwrap() }\n";
        assert_eq!(complaints("no unwrap", "crates/a/src/b.rs", text), [2]);
        assert!(complaints("no unwrap", "crates/a/tests/b.rs", text).is_empty());
    }

    #[test]
    fn a_file_without_documentation_is_found() {
        let rule = "module documentation";
        assert_eq!(complaints(rule, "a.rs", "use b;"), [1]);
        assert!(complaints(rule, "a.rs", "//! What it is.\nuse b;").is_empty());
        assert!(complaints(rule, "a.rs", "#![no_main]\n//! What it is.\n").is_empty());
    }
}
