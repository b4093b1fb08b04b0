//! Talk: everything that goes to standard error.

mod place;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer};
use farrier_lang::{Place, Sources, Span};

pub(crate) use self::place::{Location, locate};
use self::place::{Mark, own_line};

/// A longer message is cut.
const MAX_MESSAGE: usize = 1000;

/// A longer name is cut, so that the words around it are still seen.
const MAX_NAME: usize = 60;

/// What is quoted, such as a type, is cut to this many bytes.
const MAX_QUOTE: usize = 300;

/// What another program said is cut to this many bytes.
const MAX_FOREIGN: usize = 16 << 10;

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

/// What is wrong with a text, for people.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Report {
    /// What.
    pub(crate) message: String,
    /// Where, the place that matters first, each with what there is to say about it.
    pub(crate) marks: Vec<(Span, String)>,
    /// What to do about it.
    pub(crate) help: Option<String>,
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
    pub(crate) fn error(self, error: &anyhow::Error, help: Option<&str>) {
        let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
        say(&self.render_message(&causes.join(": "), help));
    }

    /// Shows what is wrong with a text.
    pub(crate) fn report(self, report: &Report, sources: &Sources) {
        say(&self.render_report(report, sources, own_line));
    }

    /// Says something about a run that is not an error.
    pub(crate) fn note(self, message: &str) {
        let title = Level::NOTE.primary_title(brief(message));
        say(&self.renderer().render(&[Group::with_title(title)]));
    }

    /// Says something that happened during a run.
    pub(crate) fn trace(self, line: &str) {
        say(&tame(line, MAX_MESSAGE));
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

    fn render_report(
        self,
        report: &Report,
        sources: &Sources,
        own_line: impl Fn(&Place<'_>) -> Option<String>,
    ) -> String {
        let Report { message, marks, help } = report;
        let title = Level::ERROR.primary_title(brief(message));
        let mut elements: Vec<Element<'_>> = Vec::new();
        let mut expanded = false;
        let kinds = std::iter::once(AnnotationKind::Primary)
            .chain(std::iter::repeat(AnnotationKind::Context));
        for ((span, label), kind) in marks.iter().zip(kinds) {
            match Mark::find(sources, *span, &own_line) {
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

/// A line that says how far a long work is. On a terminal it is written over again and again.
#[derive(Debug)]
pub(crate) struct Line {
    live: bool,
    /// How often it is written; never if there is nothing.
    interval: Option<Duration>,
    written: Instant,
    shown: bool,
}

impl Line {
    /// Nothing is shown yet. It is written so often on a terminal, and elsewhere, if at all.
    pub(crate) fn new(live_interval: Duration, plain_interval: Option<Duration>) -> Self {
        let live = io::stderr().is_terminal();
        let interval = if live { Some(live_interval) } else { plain_interval };
        Self { live, interval, written: Instant::now(), shown: false }
    }

    /// Whether it is time to write the line.
    pub(crate) fn is_due(&self) -> bool {
        self.interval.is_some_and(|interval| self.written.elapsed() >= interval)
    }

    /// Writes the line if it is time to.
    pub(crate) fn show(&mut self, text: impl FnOnce() -> String) {
        if !self.is_due() {
            return;
        }
        self.written = Instant::now();
        if !self.live {
            return say(&text());
        }
        // The other streams may lead elsewhere.
        let size = terminal_size::terminal_size_of(io::stderr());
        let width = size.map_or(80, |(width, _)| width.0);
        let cut: String = text().chars().take(usize::from(width).saturating_sub(1)).collect();
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "\r\x1b[K{cut}").and_then(|()| stderr.flush());
        self.shown = true;
    }

    /// Makes room for something else.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\x1b[K").and_then(|()| stderr.flush());
        }
    }

    /// Says something else.
    pub(crate) fn say(&mut self, text: &str) {
        self.clear();
        say(text);
    }
}

/// Writes to standard error. If that fails, nothing can be done about it.
fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
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
    let quoted: Vec<String> =
        arguments.map(|argument| quote(&argument.to_string_lossy())).collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    use farrier_lang::SourceText;
    use farrier_lang::source::LineMarker;

    use super::*;

    const PLAIN: Talk = Talk { colored: false };

    /// What is wrong at the `occurrence`-th `word` of a text that starts at line 7 of `a.c`.
    pub(super) fn wrong(text: &str, word: &str, occurrence: usize) -> (Report, Sources) {
        let mut sources = Sources::default();
        let start = sources.next_start();
        let marker = LineMarker { offset: start, file: "a.c".into(), line: 7 };
        sources.push(SourceText::new("a.i", text), vec![marker]);
        let at = text.match_indices(word).nth(occurrence).expect("the word is there").0 as u32;
        let span = Span { start: start + at, end: start + at + word.len() as u32 };
        let marks = vec![(span, "here".to_owned())];
        (Report { message: "wrong".into(), marks, help: None }, sources)
    }

    pub(super) fn mark((report, sources): &(Report, Sources), own: Option<&str>) -> Mark {
        let own = own.map(str::to_owned);
        Mark::find(sources, report.marks[0].0, |_| own.clone()).expect("a place")
    }

    fn rendered((report, sources): &(Report, Sources)) -> String {
        PLAIN.render_report(report, sources, |_| None)
    }

    #[test]
    fn a_report_shows_all_it_knows() {
        let mut wrong = wrong("int x;\nint y;\nlong x;\n", "long x", 0);
        let start = wrong.1.next_start();
        wrong.1.push(SourceText::new("b.i", "f"), Vec::new());
        wrong.0.marks.extend([
            (Span { start: 5, end: 6 }, "first declared here".to_owned()),
            (Span { start, end: start + 1 }, "used here".to_owned()),
            (Span { start: 9999, end: 9999 }, "and nowhere else".to_owned()),
        ]);
        wrong.0.help = Some("rename one of them".into());
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
        assert_eq!(rendered(&wrong), expected);
    }

    #[test]
    fn an_uncertain_place_is_shown_in_the_preprocessed_line() {
        let wrong = wrong("f(x, x);", "x", 1);
        let found = mark(&wrong, Some("f(x, MACRO);"));
        assert_eq!((&*found.text, found.range, found.expanded), ("f(x, x);", 5..6, true));
        let rendered = PLAIN.render_report(&wrong.0, &wrong.1, |_| Some("f(x, MACRO);".into()));
        assert!(rendered.ends_with("= note: the line is shown as the preprocessor left it"));
    }

    #[test]
    fn long_lines_are_cut_but_keep_their_column() {
        let text = format!("{}bad{}", "é ".repeat(1 << 17), " x".repeat(1 << 17));
        let wrong = wrong(&text, "bad", 0);
        let rendered = rendered(&wrong);
        assert!(rendered.len() < 500, "{} bytes", rendered.len());
        assert!(rendered.contains(&format!("--> a.c:7:{}", (2 << 17) + 1)), "{rendered}");
        assert!(rendered.contains("7 | ..."), "{rendered}");
        let marked = mark(&wrong, None);
        assert_eq!(&marked.text[marked.range], "bad");
    }

    #[test]
    fn nothing_that_is_quoted_can_command_the_terminal() {
        let escape = "\x1b[31m\x07\u{202e}\r";
        let mut wrong = wrong(&format!("int {escape}x{escape};"), "x", 0);
        wrong.0.message.push_str(escape);
        wrong.0.marks[0].1.push_str(escape);
        wrong.0.help = Some(escape.into());
        let rendered = rendered(&wrong);
        assert!(!rendered.contains(|c: char| c.is_control() && c != '\n'), "{rendered:?}");
        assert!(!rendered.contains('\u{202e}'), "{rendered:?}");
    }

    #[test]
    fn a_long_mark_and_a_long_message_are_cut() {
        let mut wrong = wrong(&"x".repeat(1 << 20), &"x".repeat(1 << 20), 0);
        wrong.0.message = "y".repeat(1 << 20);
        wrong.0.marks[0].1 = "z".repeat(1 << 20);
        assert!(rendered(&wrong).len() < 10_000);
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
        let mut wrong = wrong("int x", "x", 0);
        wrong.0.marks[0].0 = Span { start: 6, end: 6 };
        let expected = "\
error: wrong
 --> a.c:7:6
  |
7 | int x
  |      ^ here";
        assert_eq!(rendered(&wrong), expected);
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
