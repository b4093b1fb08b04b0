//! C text in colours.

use farrier_lang::tokens::{Piece, PieceClass, pieces};

/// A line of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CodeLine {
    /// Whether it is the line where the compiled program goes wrong.
    pub(crate) wrong: bool,
    pub(crate) tokens: Vec<CodeToken>,
}

/// A piece of a line, with the class that gives it its colour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CodeToken {
    pub(crate) class: &'static str,
    pub(crate) text: String,
}

const KEYWORDS: &[&str] = &[
    "_Bool",
    "_Complex",
    "__attribute__",
    "__int128",
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
];

/// The lines of a program, of which one may be where it goes wrong.
pub(crate) fn lines(text: &str, wrong: Option<u32>) -> Vec<CodeLine> {
    let mut lines: Vec<CodeLine> = (1..)
        .zip(text.lines())
        .map(|(number, _)| CodeLine { wrong: wrong == Some(number), tokens: Vec::new() })
        .collect();
    let mut number = 0;
    for Piece { class, range } in pieces(text) {
        let class = class_of(class, &text[range.clone()]);
        for (index, part) in text[range].split('\n').enumerate() {
            number += usize::from(index > 0);
            let Some(line) = lines.get_mut(number).filter(|_| !part.is_empty()) else { continue };
            match line.tokens.last_mut() {
                Some(last) if last.class == class => last.text.push_str(part),
                _ => line.tokens.push(CodeToken { class, text: part.to_owned() }),
            }
        }
    }
    lines
}

/// The class that gives a piece its colour.
fn class_of(class: PieceClass, text: &str) -> &'static str {
    match class {
        PieceClass::Comment => "c",
        PieceClass::Quoted => "s",
        PieceClass::Number => "n",
        PieceClass::Word if KEYWORDS.contains(&text) => "k",
        PieceClass::Word | PieceClass::Space | PieceClass::Directive | PieceClass::Operator => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_their_classes_and_nothing_is_lost() {
        let text = "int x = 0x1fUL; // </script>\nchar *s = \"a\\\"b\"; /* one\ntwo */ return 'c';";
        let lines = lines(text, Some(2));
        let whole: Vec<String> = lines
            .iter()
            .map(|line| line.tokens.iter().map(|token| token.text.as_str()).collect())
            .collect();
        assert_eq!(whole.join("\n"), text);
        let of = |class: &str| -> Vec<&str> {
            let all = lines.iter().flat_map(|line| &line.tokens);
            all.filter(|token| token.class == class).map(|token| token.text.as_str()).collect()
        };
        assert_eq!(of("k"), ["int", "char", "return"]);
        assert_eq!(of("n"), ["0x1fUL"]);
        assert_eq!(of("s"), ["\"a\\\"b\"", "'c'"]);
        assert_eq!(of("c"), ["// </script>", "/* one", "two */"]);
        assert_eq!(lines.iter().map(|line| line.wrong).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn words_are_in_order() {
        assert!(KEYWORDS.is_sorted());
    }
}
