//! The places that a report shows: lines that the user wrote, with marks.

use std::borrow::Cow;
use std::fs;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Origin, Snippet};
use farrier_lang::{Place, Sources, Span};
use serde::Serialize;

use super::{MAX_MESSAGE, brief, tame};

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

/// A bigger file is not searched for the line that the user wrote.
const MAX_OWN_FILE: u64 = 64 << 20;

/// A place as the user knows it, in lines and characters from one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Location {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// After the last character.
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

/// A place of a diagnostic, ready to be shown.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Mark {
    file: String,
    line: usize,
    /// In characters, from one.
    column: usize,
    /// The line, cut somewhere after the mark.
    pub(super) text: String,
    /// The marked bytes of `text`.
    pub(super) range: Range<usize>,
    /// Whether the user wrote this line in other words.
    pub(super) expanded: bool,
}

impl Mark {
    pub(super) fn find(
        sources: &Sources,
        span: Span,
        own_line: impl Fn(&Place<'_>) -> Option<String>,
    ) -> Option<Self> {
        let place = sources.place(span)?;
        let line = place.text.trim_end_matches('\r');
        let start = (place.column as usize - 1).min(line.len());
        let length = sources.excerpt(span).map_or(0, str::len);
        // A mark that continues in the next line ends with the text of this one.
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

    pub(super) fn element(self, kind: AnnotationKind, label: &str) -> Element<'_> {
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
pub(super) fn own_line(place: &Place<'_>) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::super::tests::{mark, wrong};
    use super::*;

    #[test]
    fn the_line_that_the_user_wrote_is_preferred() {
        let line = wrong("  f (1 +  max, x);", "x", 1);
        let found = mark(&line, Some("f(ONE + max, x); /* two */"));
        assert_eq!(found.text, "f(ONE + max, x); /* two */");
        assert_eq!((found.range, found.column, found.expanded), (13..14, 14, false));
    }

    #[test]
    fn a_comment_is_not_code() {
        let expanded = wrong("return y + x;", "y", 0);
        assert!(mark(&expanded, Some("return MACRO x; /* y */")).expanded);
        let plain = wrong("return y;", "y", 0);
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
        let found = mark(&wrong("f(1,  \n  2);", "f(1,  \n  2)", 0), None);
        assert_eq!((&*found.text, found.range), ("f(1,  ", 0..4));
    }
}
