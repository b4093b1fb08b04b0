//! A text in pieces: tokens, comments and white space, without loss.
//!
//! This is for texts of which nothing is known but that they look like C, or C++. Any text
//! has pieces: a quote that is not closed ends with its line, a comment with the text. The
//! front end has a lexer of its own, which knows keywords and values and refuses the rest.

use std::ops::Range;

/// What a piece of a text is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PieceClass {
    /// White space.
    Space,
    /// A comment.
    Comment,
    /// A directive of the preprocessor with the lines that continue it, the last newline apart.
    Directive,
    /// A string or character constant, its prefix apart.
    Quoted,
    /// A number; a sign in its exponent ends it.
    Number,
    /// A name or keyword.
    Word,
    /// Anything else: an operator, a bracket, a stray character.
    Operator,
}

/// A piece of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What it is.
    pub class: PieceClass,
    /// Where it is, in bytes.
    pub range: Range<usize>,
}

/// Operators of more than one character, longest first.
const OPERATORS: &[&str] = &[
    "...", "<<=", ">>=", "->*", "<=>", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::", "##", ".*",
];

/// The pieces of a text, in order; together they are the text.
pub fn pieces(text: &str) -> impl Iterator<Item = Piece> + '_ {
    let mut at = 0;
    let mut line_start = true;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let (class, length) = piece(rest, line_start)?;
        let range = at..at + length;
        at = range.end;
        line_start = match class {
            PieceClass::Space => line_start || rest[..length].contains('\n'),
            PieceClass::Comment => line_start,
            _ => false,
        };
        Some(Piece { class, range })
    })
}

/// Where the tokens of a text are: its pieces without white space and comments.
pub fn tokens(text: &str) -> Vec<Range<usize>> {
    let kept = |piece: &Piece| !matches!(piece.class, PieceClass::Space | PieceClass::Comment);
    pieces(text).filter(kept).map(|piece| piece.range).collect()
}

/// Whether a byte can be part of a name.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The class and the length of the first piece.
fn piece(text: &str, line_start: bool) -> Option<(PieceClass, usize)> {
    let first = *text.as_bytes().first()?;
    let while_ =
        |test: fn(u8) -> bool| text.bytes().position(|byte| !test(byte)).unwrap_or(text.len());
    Some(match first {
        byte if byte.is_ascii_whitespace() => {
            (PieceClass::Space, while_(|byte| byte.is_ascii_whitespace()))
        }
        b'/' if text.starts_with("//") => {
            (PieceClass::Comment, text.find('\n').unwrap_or(text.len()))
        }
        b'/' if text.starts_with("/*") => {
            let end = text[2..].find("*/").map_or(text.len(), |end| end + 4);
            (PieceClass::Comment, end)
        }
        b'#' if line_start => (PieceClass::Directive, directive_length(text)),
        quote @ (b'"' | b'\'') => (PieceClass::Quoted, quoted_length(text.as_bytes(), quote)),
        byte if byte.is_ascii_digit() => {
            let part = |byte: u8| byte.is_ascii_alphanumeric() || b"._'".contains(&byte);
            (PieceClass::Number, while_(part))
        }
        byte if is_word(byte) => (PieceClass::Word, while_(is_word)),
        _ => {
            let operator = OPERATORS.iter().find(|operator| text.starts_with(**operator));
            (PieceClass::Operator, operator.map_or(1, |operator| operator.len()))
        }
    })
}

/// A directive with the lines that continue it.
fn directive_length(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
            break;
        }
    }
    length - usize::from(text[..length].ends_with('\n'))
}

fn quoted_length(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_has_tokens() {
        let words = |text: &'static str| -> Vec<&str> {
            let whole: String = pieces(text).map(|piece| &text[piece.range]).collect();
            assert_eq!(whole, text, "nothing is lost");
            tokens(text).into_iter().map(|token| &text[token]).collect()
        };
        let text = "#define a \\\n b\nx>>=1; // end\n/* c */ \"s\\\"\" 'c' 0x1p+3 ::y \"open\nz";
        let wanted = [
            "#define a \\\n b",
            "x",
            ">>=",
            "1",
            ";",
            "\"s\\\"\"",
            "'c'",
            "0x1p",
            "+",
            "3",
            "::",
            "y",
            "\"open",
            "z",
        ];
        assert_eq!(words(text), wanted);
        assert_eq!(words("/* never closed"), Vec::<&str>::new());
        assert_eq!(words("é=1"), ["é", "=", "1"]);
        assert_eq!(words("/* a */ #b\nc # d \"\\"), ["#b", "c", "#", "d", "\"\\"]);
    }
}
