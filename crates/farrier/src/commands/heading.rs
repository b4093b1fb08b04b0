//! The comment at the head of a program that Farrier writes.

use farrier_machine::{Certified, Ending};

use crate::terminal::replay;

/// As many lines of the output are shown.
const MOST_LINES: usize = 40;

/// A line of the comment: a name and a value.
pub(crate) type Row = (&'static str, String);

/// How to make the program again.
pub(crate) fn origin(command: &[String]) -> Vec<Row> {
    vec![
        ("made by", format!("Farrier {}", env!("CARGO_PKG_VERSION"))),
        ("command", replay(command.iter().map(Into::into))),
    ]
}

/// What the program does.
pub(crate) fn behavior(certified: &Certified) -> Vec<Row> {
    let behavior = certified.behavior();
    let mut rows = Vec::new();
    if reads_arguments(certified) {
        rows.push(("arguments", "none".to_owned()));
    }
    let output = String::from_utf8_lossy(&behavior.output);
    if output.is_empty() {
        rows.push(("output", "none".to_owned()));
    }
    let lines = output.lines().take(MOST_LINES);
    rows.extend(lines.map(|line| ("output", line.to_owned())));
    let more = output.lines().count().saturating_sub(MOST_LINES);
    if more > 0 {
        rows.push(("output", format!("and {more} more lines")));
    }
    let exit = match behavior.ending {
        Ending::Exit(status) => (status & 0xff).to_string(),
        Ending::Abort => "none: it aborts".to_owned(),
    };
    rows.push(("exit status", exit));
    rows.push(("operations", behavior.steps.to_string()));
    rows
}

/// Whether what the program does depends on how it is called.
fn reads_arguments(certified: &Certified) -> bool {
    let program = certified.program();
    program.main().is_some_and(|main| !program[main].parameters.is_empty())
}

/// The comment.
pub(crate) fn comment(rows: &[Row]) -> String {
    let line = |(name, value): &Row| format!(" * {name}: {}\n", tame(value));
    format!("/*\n{} */\n", rows.iter().map(line).collect::<String>())
}

/// What a comment may hold: in a shell, the two quotes between the signs are nothing.
fn tame(text: &str) -> String {
    let plain = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    let text: String = text.chars().map(plain).collect();
    text.replace("*/", "*''/").replace("/*", "/''*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_stays_in_the_comment() {
        assert_eq!(tame("--config x/*/y*/z"), "--config x/''*''/y*''/z");
        assert_eq!(tame("a\u{7}b"), "a\\u{7}b");
    }
}
