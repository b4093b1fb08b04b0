//! Source texts and positions in them.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A stretch of source text, as offsets into all texts of a program laid end to end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Whether it stands for no text: a node that was not written by anyone.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// From the start of `self` to the end of `other`.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end.max(self.start) }
    }
}

/// A line of preprocessed text that says where the text after it came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineMarker {
    /// The offset of the first byte of the next line.
    pub offset: u32,
    /// The file of that line.
    pub file: Arc<str>,
    /// The number of that line in its file.
    pub line: u32,
}

/// One text of a program and its name: what is parsed, printed, compiled and kept.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SourceText {
    /// What the user calls it. A file that is given to a compiler has no directory here.
    pub name: Arc<str>,
    /// What it says. Where it is parsed, it has been preprocessed; line markers are honoured.
    pub text: Text,
}

impl SourceText {
    /// A text with its name. A `String` and a [`Text`] are taken as they are, not copied.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Text>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// One text that was parsed, and where its spans are.
#[derive(Clone, Debug)]
struct Parsed {
    source: SourceText,
    /// The offset of its first byte.
    start: u32,
    /// Its line markers, in order.
    markers: Vec<LineMarker>,
}

/// A place that a person can find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place<'a> {
    /// The file, as line markers name it.
    pub file: &'a str,
    /// The line in that file, from one.
    pub line: u32,
    /// The column in bytes, from one.
    pub column: u32,
    /// The text of the line as it was parsed.
    pub text: &'a str,
}

/// A text that is shared, and was not copied to become so.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Text(Arc<String>);

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Arc::new(text))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// All texts of a program.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    all: Vec<Parsed>,
}

impl Sources {
    /// The offset at which the next text will start.
    pub fn next_start(&self) -> u32 {
        // The gap of one keeps the end of one text apart from the start of the next.
        self.all.last().map_or(1, |last| last.start + last.source.text.len() as u32 + 1)
    }

    /// Adds a text; `markers` hold offsets of the whole, as spans do.
    pub fn push(&mut self, source: SourceText, markers: Vec<LineMarker>) {
        let start = self.next_start();
        self.all.push(Parsed { source, start, markers });
    }

    /// The text that holds `offset`.
    fn parsed(&self, offset: u32) -> Option<&Parsed> {
        let after = self.all.partition_point(|source| source.start <= offset);
        let parsed = &self.all[after.checked_sub(1)?];
        (offset - parsed.start <= parsed.source.text.len() as u32).then_some(parsed)
    }

    /// The words that `span` covers.
    pub fn excerpt(&self, span: Span) -> Option<&str> {
        let Parsed { source, start, .. } = self.parsed(span.start)?;
        source.text.get((span.start - start) as usize..(span.end - start) as usize)
    }

    /// The place of the first byte of `span`, in the user's own file.
    pub fn place(&self, span: Span) -> Option<Place<'_>> {
        let Parsed { source, start, markers } = self.parsed(span.start)?;
        let at = (span.start - start) as usize;
        let line_start = source.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = source.text[at..].find('\n').map_or(source.text.len(), |n| at + n);
        let after = markers.partition_point(|marker| marker.offset <= span.start);
        let (file, first_line, from) = match after.checked_sub(1) {
            Some(index) => {
                let marker = &markers[index];
                (&*marker.file, marker.line, (marker.offset - start) as usize)
            }
            None => (&*source.name, 1, 0),
        };
        let newlines = source.text[from.min(line_start)..line_start].matches('\n').count() as u32;
        Some(Place {
            file,
            line: first_line + newlines,
            column: (at - line_start) as u32 + 1,
            text: &source.text[line_start..line_end],
        })
    }
}
