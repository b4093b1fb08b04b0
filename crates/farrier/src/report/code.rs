//! C text in colours.

/// A line of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CodeLine {
    /// Whether it is the line where the compiled program goes wrong.
    pub(crate) wrong: bool,
    pub(crate) tokens: Vec<Token>,
}

/// A piece of a line, with the class that gives it its colour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
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
    let mut comment = false;
    text.lines()
        .zip(1_u32..)
        .map(|(line, number)| CodeLine {
            wrong: wrong == Some(number),
            tokens: tokens(line, &mut comment),
        })
        .collect()
}

/// The pieces of a line. `comment` says whether it is inside of one.
fn tokens(line: &str, comment: &mut bool) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (class, length) = if *comment {
            match rest.find("*/") {
                Some(end) => {
                    *comment = false;
                    ("c", end + 2)
                }
                None => ("c", rest.len()),
            }
        } else {
            token(rest, comment)
        };
        let (text, after) = rest.split_at(length);
        match tokens.last_mut() {
            Some(last) if last.class == class => last.text.push_str(text),
            _ => tokens.push(Token { class, text: text.to_owned() }),
        }
        rest = after;
    }
    tokens
}

/// The class and the length of the next piece.
fn token(rest: &str, comment: &mut bool) -> (&'static str, usize) {
    let first = rest.chars().next().expect("something is left");
    let while_ = |test: fn(char) -> bool| rest.find(|c| !test(c)).unwrap_or(rest.len());
    match first {
        '/' if rest.starts_with("//") => ("c", rest.len()),
        '/' if rest.starts_with("/*") => match rest[2..].find("*/") {
            Some(end) => ("c", end + 4),
            None => {
                *comment = true;
                ("c", rest.len())
            }
        },
        '"' | '\'' => {
            let mut escaped = false;
            for (at, c) in rest.char_indices().skip(1) {
                match c {
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    c if c == first => return ("s", at + 1),
                    _ => {}
                }
            }
            ("s", rest.len())
        }
        '0'..='9' => ("n", while_(|c| c.is_ascii_alphanumeric() || c == '.')),
        c if c.is_ascii_alphabetic() || c == '_' => {
            let length = while_(|c| c.is_ascii_alphanumeric() || c == '_');
            (if KEYWORDS.contains(&&rest[..length]) { "k" } else { "" }, length)
        }
        c => ("", c.len_utf8()),
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
