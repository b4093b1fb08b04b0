//! Talk: everything that goes to standard error.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use farrier_front::{Diagnostic, Failure};
use farrier_lang::{Place, Sources, Span};
use serde::Serialize;

use crate::load;

/// A longer mark is cut to this many bytes.
const MAX_MARK: usize = 80;

/// What is left of a line after its mark. More than the width of the screen: the
/// renderer cuts lines to that, and shows by dots that it did.
const AFTER_MARK: usize = 400;

/// If more bytes of the line stand before the mark, only the place is shown: the
/// renderer looks at all of them.
const MAX_BEFORE_MARK: usize = 1 << 20;

/// A longer line that the user wrote is not compared with what the preprocessor left of it.
const MAX_OWN_LINE: usize = 1 << 20;

/// A longer message is cut.
const MAX_MESSAGE: usize = 1000;

/// A longer name is cut, so that the words around it are still seen.
const MAX_NAME: usize = 60;

/// What is quoted, such as a type, is cut to this many bytes.
const MAX_QUOTE: usize = 300;

/// What another program said is cut to this many bytes.
const MAX_FOREIGN: usize = 16 << 10;

/// A bigger file is not searched for the line that the user wrote.
const MAX_OWN_FILE: u64 = 64 << 20;

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// The way to talk to the user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Talk {
    colored: bool,
}

impl Talk {
    /// Talks on standard error.
    pub(crate) fn to_stderr(color: Color) -> Self {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let colored = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => io::stderr().is_terminal() && !is_set("NO_COLOR"),
        };
        Self { colored }
    }

    /// Says why a command failed.
    pub(crate) fn error(self, error: &anyhow::Error) {
        let known = error.downcast_ref::<load::Error>();
        let text = match known {
            Some(load::Error::Refused(failure)) => self.render_failure(failure, own_line),
            _ => {
                let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
                let help = known.and_then(load::Error::help);
                self.render_message(&causes.join(": "), help.as_deref())
            }
        };
        say(&text);
    }

    /// Shows something that was found in a program.
    pub(crate) fn finding(self, failure: &Failure) {
        say(&self.render_failure(failure, own_line));
    }

    /// Says something about a run that is no error of anybody.
    pub(crate) fn note(self, message: &str) {
        let title = Level::NOTE.primary_title(brief(message));
        say(&self.renderer().render(&[Group::with_title(title)]));
    }

    /// Says something that happened during a run.
    pub(crate) fn trace(self, line: &str) {
        say(&tame(line, MAX_MESSAGE));
    }

    /// Shows how far a long work is, if anybody looks.
    pub(crate) fn progress(self, total: u32) -> Progress {
        Progress { total, visible: io::stderr().is_terminal(), shown: false }
    }

    /// Says that Farrier itself is wrong, and how to make it happen again.
    pub(crate) fn bug(self, arguments: impl Iterator<Item = OsString>) {
        let help = "please report it, with the message above, the input and this command:";
        say(&self.render_message("internal error: this is a bug in Farrier", Some(help)));
        say(&format!("   {}", tame(&replay(arguments), usize::MAX)));
    }

    /// Passes on what another program said.
    pub(crate) fn pass_on(self, messages: &str) {
        let messages = messages.trim_end();
        if !messages.is_empty() {
            say(&tame(messages, MAX_FOREIGN));
        }
    }

    fn render_message(self, message: &str, help: Option<&str>) -> String {
        let title = Level::ERROR.primary_title(brief(message));
        let group =
            Group::with_title(title).elements(help.map(|help| Level::HELP.message(brief(help))));
        self.renderer().render(&[group])
    }

    fn render_failure(
        self,
        failure: &Failure,
        own_line: impl Fn(&Place<'_>) -> Option<String>,
    ) -> String {
        let Diagnostic { message, span, label, notes, help, .. } = &failure.diagnostic;
        let title = Level::ERROR.primary_title(brief(message));
        let mut elements: Vec<Element<'_>> = Vec::new();
        let mut expanded = false;
        let places = std::iter::once((*span, label, AnnotationKind::Primary))
            .chain(notes.iter().map(|note| (note.span, &note.label, AnnotationKind::Context)));
        for (span, label, kind) in places {
            match Mark::find(&failure.sources, span, &own_line) {
                Some(mark) => {
                    expanded |= mark.expanded;
                    elements.push(mark.element(kind, label));
                }
                // A note without a place still has something to say.
                None if kind == AnnotationKind::Context => {
                    elements.push(Level::NOTE.message(brief(label)).into());
                }
                None => {}
            }
        }
        if expanded {
            let note = "the line is shown as the preprocessor left it";
            elements.push(Level::NOTE.message(note).into());
        }
        elements.extend(help.as_deref().map(|help| Level::HELP.message(brief(help)).into()));
        self.renderer().render(&[Group::with_title(title).elements(elements)])
    }

    fn renderer(self) -> Renderer {
        if self.colored { Renderer::styled() } else { Renderer::plain() }
    }
}

/// How far a long work is: a line on a terminal that is written over again and again.
#[derive(Debug)]
pub(crate) struct Progress {
    total: u32,
    visible: bool,
    shown: bool,
}

impl Progress {
    /// Shows how much is done.
    pub(crate) fn show(&mut self, done: u32) {
        if self.visible {
            // If nobody listens, nothing can be done about it.
            let _ = write!(io::stderr().lock(), "\r{done} of {}", self.total);
            self.shown = true;
        }
    }

    /// Makes room for something else.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// A place as the user knows it, in lines and characters from one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Location {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Behind the last character.
    pub(crate) end_column: usize,
    /// The marked text.
    pub(crate) text: String,
}

/// Where a span is in the files of the user.
pub(crate) fn locate(sources: &Sources, span: Span) -> Option<Location> {
    let Mark { file, line, column, text, range, .. } = Mark::find(sources, span, own_line)?;
    let text = text[range].to_owned();
    let end_column = column + text.chars().count();
    Some(Location { file, line, column, end_column, text })
}

/// Writes to standard error. If nobody listens, nothing can be done about it.
fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A place of a diagnostic, ready to be shown.
#[derive(PartialEq, Eq, Debug)]
struct Mark {
    file: String,
    line: usize,
    /// In characters, from one.
    column: usize,
    /// The line, cut somewhere after the mark.
    text: String,
    /// The marked bytes of `text`.
    range: Range<usize>,
    /// Whether the user wrote this line in other words.
    expanded: bool,
}

impl Mark {
    fn find(
        sources: &Sources,
        span: Span,
        own_line: impl Fn(&Place<'_>) -> Option<String>,
    ) -> Option<Self> {
        let place = sources.place(span)?;
        let line = place.text.trim_end_matches('\r');
        let start = (place.column as usize - 1).min(line.len());
        let length = sources.excerpt(span).map_or(0, str::len);
        // A mark that goes on in the next line ends with the text of this one.
        let end = line.trim_end().len().min(start + length).max(start);
        let parsed = (Cow::Borrowed(line), start..end);
        // Most often both are the same.
        let own = own_line(&place).filter(|own| own.len() <= MAX_OWN_LINE && own != line);
        let expanded = own.as_ref().is_some_and(|own| !same_words(own, line));
        let translated = own.and_then(|own| {
            let range = translate(line, start..end, &own)?;
            Some((Cow::Owned(own), range))
        });
        let expanded = expanded && translated.is_none();
        let (text, range) = translated.unwrap_or(parsed);
        let column = text[..range.start].chars().count() + 1;
        let (text, range) = cut_after(&text, range);
        Some(Self {
            file: tame(place.file, MAX_MESSAGE),
            line: place.line as usize,
            column,
            text: text.to_owned(),
            range,
            expanded,
        })
    }

    fn element(self, kind: AnnotationKind, label: &str) -> Element<'_> {
        if self.range.start > MAX_BEFORE_MARK {
            return Origin::path(self.file).line(self.line).char_column(self.column).into();
        }
        let label = Some(label).filter(|label| !label.is_empty());
        let annotation = kind.span(self.range).label(label.map(brief));
        Snippet::source(self.text)
            .path(self.file)
            .line_start(self.line)
            .annotation(annotation)
            .into()
    }
}

/// The line of the user's own file, if that can be read.
fn own_line(place: &Place<'_>) -> Option<String> {
    let metadata = fs::metadata(place.file).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_OWN_FILE {
        return None;
    }
    let bytes = fs::read(place.file).ok()?;
    let line = bytes.split(|&byte| byte == b'\n').nth((place.line as usize).checked_sub(1)?)?;
    Some(String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned())
}

/// Finds the marked part of a preprocessed line in the line that the user wrote.
/// It must occur as often in both, or macros make it uncertain which one is meant.
fn translate(parsed: &str, range: Range<usize>, own: &str) -> Option<Range<usize>> {
    let word = parsed.get(range.clone()).filter(|word| !word.is_empty())?;
    let in_parsed = occurrences(parsed, word);
    let in_own = occurrences(&without_comments(own), word);
    let index = in_parsed.iter().position(|&start| start == range.start)?;
    let start = (in_parsed.len() == in_own.len()).then(|| in_own[index])?;
    Some(start..start + word.len())
}

/// A line of C with spaces in the place of comments, whatever stands in the lines around it.
fn without_comments(line: &str) -> String {
    let mut code = line.as_bytes().to_vec();
    let mut at = 0;
    while at < code.len() {
        let comment = match &code[at..] {
            [quote @ (b'"' | b'\''), ..] => {
                at = end_of_literal(&code, at, *quote);
                continue;
            }
            [b'/', b'/', ..] => at..code.len(),
            [b'/', b'*', rest @ ..] => {
                let length = rest.windows(2).position(|pair| pair == b"*/");
                at..length.map_or(code.len(), |length| at + length + 4)
            }
            // The end of a comment that began in an earlier line.
            [b'*', b'/', rest @ ..] if rest.first() != Some(&b'*') => 0..at + 2,
            _ => at..at,
        };
        at = comment.end.max(at + 1);
        code[comment].fill(b' ');
    }
    String::from_utf8(code).expect("comments begin and end at characters")
}

/// Where a string or character constant ends that starts at `start`.
fn end_of_literal(code: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < code.len() && code[at] != quote {
        at += if code[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(code.len())
}

/// Where `word` stands in `line` and is not a part of a longer name.
fn occurrences(line: &str, word: &str) -> Vec<usize> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .map(|(start, _)| start)
        .filter(|&start| {
            let (before, after) = (&line[..start], &line[start + word.len()..]);
            let joined =
                |left: &str, right: &str| left.ends_with(is_name) && right.starts_with(is_name);
            !joined(before, word) && !joined(word, after)
        })
        .collect()
}

fn same_words(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// Cuts a long mark, and what follows it in a long line. What stands before it
/// stays, because the column is counted in it.
fn cut_after(line: &str, range: Range<usize>) -> (&str, Range<usize>) {
    let mark_end = line.floor_char_boundary(range.end.min(range.start + MAX_MARK));
    let end = line.floor_char_boundary(mark_end + AFTER_MARK);
    (&line[..end], range.start..mark_end)
}

/// A text of foreign origin, cut if it is long and without what could command a terminal.
fn tame(text: &str, limit: usize) -> String {
    let commands = |c: char| {
        let turns_text = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns_text || c.is_control() && c != '\n' && c != '\t'
    };
    let end = text.floor_char_boundary(limit);
    let dots = if end < text.len() { "..." } else { "" };
    text[..end].replace(commands, "\u{fffd}") + dots
}

/// A message that quotes a program: without what is long in it, and tame.
fn brief(message: &str) -> String {
    let mut short = String::new();
    for (number, part) in message.split('`').enumerate() {
        if number > 0 {
            short.push('`');
        }
        // Every second part is between quotes.
        let part = shorten_names(part);
        let limit = if number % 2 == 1 { MAX_QUOTE } else { part.len() };
        let end = part.floor_char_boundary(limit);
        short.push_str(&part[..end]);
        if end < part.len() {
            short.push_str("...");
        }
    }
    tame(&short, MAX_MESSAGE)
}

/// Cuts every name and number that is too long for a message.
fn shorten_names(text: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut short = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name.len() > MAX_NAME {
            short.push_str(&name[..name.floor_char_boundary(MAX_NAME)]);
            short.push_str("...");
        } else {
            short.push_str(name);
        }
        let next = after.find(is_name).unwrap_or(after.len());
        short.push_str(&after[..next]);
        rest = &after[next..];
    }
    short
}

/// A word as a shell takes it.
pub(crate) fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,./:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The command line that was given, for a POSIX shell.
pub(crate) fn replay(arguments: impl Iterator<Item = OsString>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    let quoted: Vec<String> = arguments
        .map(|argument| {
            let argument = argument.to_string_lossy();
            if !argument.is_empty() && argument.chars().all(plain) {
                argument.into_owned()
            } else {
                format!("'{}'", argument.replace('\'', r"'\''"))
            }
        })
        .collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    use farrier_front::{Note, Reason};
    use farrier_lang::SourceText;
    use farrier_lang::source::LineMarker;

    use super::*;

    const PLAIN: Talk = Talk { colored: false };

    /// A failure at the `occurrence`-th `word` of a text that starts at line 7 of `a.c`.
    fn failure(text: &str, word: &str, occurrence: usize) -> Failure {
        let mut sources = Sources::default();
        let start = sources.next_start();
        let marker = LineMarker { offset: start, file: "a.c".into(), line: 7 };
        sources.push(SourceText::new("a.i", text), vec![marker]);
        let at = text.match_indices(word).nth(occurrence).expect("the word is there").0 as u32;
        let span = Span { start: start + at, end: start + at + word.len() as u32 };
        let diagnostic = Diagnostic {
            reason: Reason::Constraint,
            message: "wrong".into(),
            span,
            label: "here".into(),
            notes: Vec::new(),
            help: None,
        };
        Failure { sources, diagnostic }
    }

    fn mark(failure: &Failure, own: Option<&str>) -> Mark {
        let own = own.map(str::to_owned);
        Mark::find(&failure.sources, failure.diagnostic.span, |_| own.clone()).expect("a place")
    }

    #[test]
    fn a_diagnostic_shows_all_it_knows() {
        let mut failure = failure("int x;\nint y;\nlong x;\n", "long x", 0);
        let start = failure.sources.next_start();
        failure.sources.push(SourceText::new("b.i", "f"), Vec::new());
        failure.diagnostic.notes = vec![
            Note { span: Span { start: 5, end: 6 }, label: "first declared here".into() },
            Note { span: Span { start, end: start + 1 }, label: "used here".into() },
            Note { span: Span { start: 9999, end: 9999 }, label: "and nowhere else".into() },
        ];
        failure.diagnostic.help = Some("rename one of them".into());
        let expected = "\
error: wrong
 --> a.c:9:1
  |
9 | long x;
  | ^^^^^^ here
  |
 ::: a.c:7:5
  |
7 | int x;
  |     - first declared here
  |
 ::: b.i:1:1
  |
1 | f
  | - used here
  |
  = note: and nowhere else
  = help: rename one of them";
        assert_eq!(PLAIN.render_failure(&failure, |_| None), expected);
    }

    #[test]
    fn the_line_that_the_user_wrote_is_preferred() {
        let failure = failure("  f (1 +  max, x);", "x", 1);
        let found = mark(&failure, Some("f(ONE + max, x); /* two */"));
        assert_eq!(found.text, "f(ONE + max, x); /* two */");
        assert_eq!((found.range, found.column, found.expanded), (13..14, 14, false));
    }

    #[test]
    fn an_uncertain_place_is_shown_in_the_preprocessed_line() {
        let failure = failure("f(x, x);", "x", 1);
        let found = mark(&failure, Some("f(x, MACRO);"));
        assert_eq!((&*found.text, found.range, found.expanded), ("f(x, x);", 5..6, true));
        let rendered = PLAIN.render_failure(&failure, |_| Some("f(x, MACRO);".into()));
        assert!(rendered.ends_with("= note: the line is shown as the preprocessor left it"));
    }

    #[test]
    fn a_comment_is_not_code() {
        let expanded = failure("return y + x;", "y", 0);
        assert!(mark(&expanded, Some("return MACRO x; /* y */")).expanded);
        let plain = failure("return y;", "y", 0);
        assert_eq!(mark(&plain, Some("return /* y */ y; // y")).range, 15..16);
    }

    #[test]
    fn comments_are_told_from_what_looks_like_them() {
        for (line, words) in [
            ("a /* b */ c // d", "a c"),
            ("a /* b", "a"),
            ("b */ a", "a"),
            ("b é */ a */ c", "c"),
            (r#""//" '"' a // "b""#, r#""//" '"' a"#),
            (r#""\"/*" a"#, r#""\"/*" a"#),
            ("a */**/ b", "a * b"),
            ("a / b * c", "a / b * c"),
            ("\"open /* a", "\"open /* a"),
            ("/*/ a */ b", "b"),
        ] {
            let code = without_comments(line);
            assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), words, "{line}");
            assert_eq!(code.len(), line.len(), "{line}");
        }
    }

    #[test]
    fn a_part_of_a_name_is_not_the_name() {
        assert_eq!(occurrences("x + max + x1 + x", "x"), [0, 15]);
        assert_eq!(occurrences("a+++b", "+"), [1, 2, 3]);
    }

    #[test]
    fn a_mark_over_several_lines_ends_with_the_first() {
        let found = mark(&failure("f(1,  \n  2);", "f(1,  \n  2)", 0), None);
        assert_eq!((&*found.text, found.range), ("f(1,  ", 0..4));
    }

    #[test]
    fn long_lines_are_cut_but_keep_their_column() {
        let text = format!("{}bad{}", "é ".repeat(1 << 17), " x".repeat(1 << 17));
        let failure = failure(&text, "bad", 0);
        let rendered = PLAIN.render_failure(&failure, |_| None);
        assert!(rendered.len() < 500, "{} bytes", rendered.len());
        assert!(rendered.contains(&format!("--> a.c:7:{}", (2 << 17) + 1)), "{rendered}");
        assert!(rendered.contains("7 | ..."), "{rendered}");
        let marked = mark(&failure, None);
        assert_eq!(&marked.text[marked.range], "bad");
    }

    #[test]
    fn nothing_that_is_quoted_can_command_the_terminal() {
        let escape = "\x1b[31m\x07\u{202e}\r";
        let mut failure = failure(&format!("int {escape}x{escape};"), "x", 0);
        failure.diagnostic.message.push_str(escape);
        failure.diagnostic.label.push_str(escape);
        failure.diagnostic.help = Some(escape.into());
        let rendered = PLAIN.render_failure(&failure, |_| None);
        assert!(!rendered.contains(|c: char| c.is_control() && c != '\n'), "{rendered:?}");
        assert!(!rendered.contains('\u{202e}'), "{rendered:?}");
    }

    #[test]
    fn a_long_mark_and_a_long_message_are_cut() {
        let mut failure = failure(&"x".repeat(1 << 20), &"x".repeat(1 << 20), 0);
        failure.diagnostic.message = "y".repeat(1 << 20);
        failure.diagnostic.label = "z".repeat(1 << 20);
        assert!(PLAIN.render_failure(&failure, |_| None).len() < 10_000);
    }

    #[test]
    fn what_is_quoted_does_not_hide_what_is_wrong() {
        let name = "x".repeat(1 << 20);
        let shown = brief(&format!("`{name}` is not declared"));
        assert_eq!(shown, format!("`{}...` is not declared", "x".repeat(MAX_NAME)));
        let stars = "*".repeat(1000);
        let shown = brief(&format!("a value of type `int {stars}` cannot become `int`"));
        assert!(shown.ends_with("*...` cannot become `int`"), "{shown}");
        let short = "argument 1: a value of type `struct s` cannot become `char *`";
        assert_eq!(brief(short), short);
    }

    #[test]
    fn the_end_of_the_text_can_be_marked() {
        let mut failure = failure("int x", "x", 0);
        failure.diagnostic.span = Span { start: 6, end: 6 };
        let expected = "\
error: wrong
 --> a.c:7:6
  |
7 | int x
  |      ^ here";
        assert_eq!(PLAIN.render_failure(&failure, |_| None), expected);
    }

    #[test]
    fn a_replay_can_be_pasted() {
        let arguments = ["farrier", "fmt", "it's.c", "-D", "A B", ""].map(OsString::from);
        assert_eq!(replay(arguments.into_iter()), r"farrier fmt 'it'\''s.c' -D 'A B' ''");
    }

    #[test]
    fn foreign_messages_cannot_command_the_terminal() {
        assert_eq!(tame("a\x1b[31m\tb\n", 9), "a\u{fffd}[31m\tb\n");
    }
}
