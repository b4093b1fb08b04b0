//! Whether a sanitizer of gcc sees an undefined behaviour too.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::corpus::Case;
use crate::corpus::process::{run, succeeded};
use crate::corpus::tree::compile;

/// Sanitized programs are several times slower.
const RUN_LIMIT: Duration = Duration::from_secs(60);

/// Whether the sanitizers for addresses and undefined behaviour report `line` of `file`.
pub(super) fn confirm(case: &Case, file: &str, line: u32) -> Result<bool> {
    let executable = case.directory.join("sanitized");
    let mut case = case.clone();
    case.flags.extend(["-g", "-O1", "-fno-omit-frame-pointer"].map(str::to_owned));
    let compiled = compile(&case, "-fsanitize=undefined,address", &case.sources, &executable)?;
    if !succeeded(&compiled) {
        return Ok(false);
    }
    let finished = run(&mut Command::new(&executable), &case.directory, RUN_LIMIT)?;
    Ok(reports(&String::from_utf8_lossy(&finished.stderr), file, line))
}

/// Whether a message or the top of a stack in `text` names the line.
fn reports(text: &str, file: &str, line: u32) -> bool {
    let place = format!("{file}:{line}");
    text.lines().filter(|text| text.contains("runtime error:") || text.contains(" #0 ")).any(
        |text| {
            text.match_indices(&place).any(|(at, _)| {
                let rest = &text[at + place.len()..];
                !rest.starts_with(|next: char| next.is_ascii_digit())
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::reports;

    #[test]
    fn the_line_must_be_the_same() {
        let message = "/tmp/a.c:12:5: runtime error: signed integer overflow";
        assert!(reports(message, "a.c", 12));
        assert!(!reports(message, "a.c", 1));
        assert!(!reports(message, "b.c", 12));
        assert!(reports("    #0 0x1 in main /tmp/a.c:3", "a.c", 3));
        assert!(!reports("    #1 0x1 in main /tmp/a.c:3", "a.c", 3));
    }
}
