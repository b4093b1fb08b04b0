//! Passes on texts of which nothing is known but that they consist of tokens: programs that
//! the front end refuses, such as C++. The order is that of tokens, then of bytes.

use std::ops::Range;

use farrier_lang::tokens::{is_word, tokens};
use rustc_hash::FxHashSet;

use super::{Changes, Pass, pass};

/// Something that may go from a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// What goes.
    pub range: Range<usize>,
    /// What comes in its place.
    pub with: String,
}

const fn cuts(name: &'static str, what: &'static str, cuts: fn(&str) -> Vec<Cut>) -> Pass {
    pass(name, what, Changes::Cuts(cuts))
}

/// Every pass on texts, in the order in which they run.
pub const TEXT_PASSES: &[Pass] = &[
    cuts("text-lines", "remove lines", lines),
    cuts("text-outer", "remove declarations and definitions", outer),
    cuts("text-inner", "remove statements and members", inner),
    cuts("text-bodies", "empty what is in brackets", bodies),
    cuts("text-brackets", "remove brackets but not what is in them", brackets),
    cuts("text-lists", "remove what stands between commas", lists),
    cuts("text-words-8", "remove eight tokens", |text| words(text, 8)),
    cuts("text-words-4", "remove four tokens", |text| words(text, 4)),
    cuts("text-words-2", "remove two tokens", |text| words(text, 2)),
    cuts("text-words", "remove tokens", |text| words(text, 1)),
    cuts("text-numbers", "make numbers zero", numbers),
    cuts("text-strings", "make strings empty", strings),
    cuts("text-comments", "remove comments and white space", blanks),
    cuts("text-names", "give names one letter", names),
];

/// What orders texts: tokens, then bytes, then something fixed.
pub(in crate::reduce) fn measure(text: &str) -> (usize, usize, &str) {
    (token_count(text), text.len(), text)
}

/// The text after the chosen cuts; one inside another goes with it.
pub(in crate::reduce) fn cut(text: &str, cuts: &[Cut], chosen: impl Fn(usize) -> bool) -> String {
    let mut order: Vec<&Cut> =
        cuts.iter().enumerate().filter(|(index, _)| chosen(*index)).map(|(_, cut)| cut).collect();
    order.sort_by_key(|cut| (cut.range.start, usize::MAX - cut.range.end));
    let mut result = String::with_capacity(text.len());
    let mut end = 0;
    for cut in order {
        if cut.range.start < end {
            continue;
        }
        result.push_str(&text[end..cut.range.start]);
        result.push_str(&cut.with);
        end = cut.range.end;
    }
    result.push_str(&text[end..]);
    result
}

fn removal(range: Range<usize>) -> Cut {
    Cut { range, with: String::new() }
}

/// How many tokens a text has.
pub fn token_count(text: &str) -> usize {
    tokens(text).len()
}

fn lines(text: &str) -> Vec<Cut> {
    let mut at = 0;
    let mut cuts = Vec::new();
    for line in text.split_inclusive('\n') {
        cuts.push(removal(at..at + line.len()));
        at += line.len();
    }
    cuts
}

/// Pairs of brackets, as places in the list of tokens: opening, closing, and how deep.
fn pairs(text: &str, tokens: &[Range<usize>]) -> Vec<(usize, usize, usize)> {
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut pairs = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match &text[token.clone()] {
            bracket @ ("(" | "[" | "{") => open.push((index, bracket)),
            closing @ (")" | "]" | "}") => {
                let opening = match closing {
                    ")" => "(",
                    "]" => "[",
                    _ => "{",
                };
                // What does not match is left out, with all that it holds.
                while let Some((start, bracket)) = open.pop() {
                    if bracket == opening {
                        pairs.push((start, index, open.len()));
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The pieces that end in `;` or in a closing brace, at a depth of braces that `wanted` says.
fn pieces(text: &str, wanted: impl Fn(usize) -> bool) -> Vec<Cut> {
    let tokens = tokens(text);
    let mut cuts = Vec::new();
    let mut starts = vec![None];
    let mut parentheses = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        let word = &text[token.clone()];
        if word == "}" && starts.len() > 1 {
            starts.pop();
        } else if let Some(innermost) = starts.last_mut() {
            innermost.get_or_insert(token.start);
        }
        let ends = match word {
            "(" | "[" => {
                parentheses += 1;
                false
            }
            ")" | "]" => {
                parentheses = parentheses.saturating_sub(1);
                false
            }
            "{" => {
                starts.push(None);
                false
            }
            "}" => {
                // What follows may belong to it.
                let next = tokens.get(index + 1).map(|next| &text[next.clone()]);
                !matches!(next, Some(";" | "while" | "else"))
            }
            ";" => parentheses == 0,
            _ => word.starts_with('#'),
        };
        let depth = starts.len() - 1;
        let begin = starts.last_mut().filter(|_| ends).and_then(Option::take);
        if let Some(begin) = begin.filter(|_| wanted(depth)) {
            cuts.push(removal(begin..token.end));
        }
    }
    cuts
}

fn outer(text: &str) -> Vec<Cut> {
    pieces(text, |depth| depth == 0)
}

fn inner(text: &str) -> Vec<Cut> {
    pieces(text, |depth| depth > 0)
}

/// What is in brackets goes, or the brackets too, for a `;` where they were braces.
fn bodies(text: &str) -> Vec<Cut> {
    let tokens = tokens(text);
    let mut cuts = Vec::new();
    for (open, close, _) in pairs(text, &tokens) {
        cuts.push(removal(tokens[open].start..tokens[close].end));
        if close > open + 1 {
            cuts.push(removal(tokens[open].end..tokens[close].start));
        }
        if &text[tokens[open].clone()] == "{" && close > open + 1 {
            cuts.push(Cut { range: tokens[open].start..tokens[close].end, with: ";".into() });
        }
    }
    cuts
}

fn brackets(text: &str) -> Vec<Cut> {
    let tokens = tokens(text);
    let mut cuts = Vec::new();
    for (open, close, _) in pairs(text, &tokens) {
        // Both at once: what is between them stays.
        let kept = &text[tokens[open].end..tokens[close].start];
        let with = format!(" {} ", kept.trim());
        cuts.push(Cut { range: tokens[open].start..tokens[close].end, with });
    }
    cuts
}

/// What stands between commas, with one of them.
fn lists(text: &str) -> Vec<Cut> {
    let tokens = tokens(text);
    let word = |index: usize| &text[tokens[index].clone()];
    let mut cuts = Vec::new();
    for (open, close, _) in pairs(text, &tokens) {
        let mut depth = 0_usize;
        let mut start = open + 1;
        let mut commas = Vec::new();
        for index in open + 1..close {
            match word(index) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                "," if depth == 0 => commas.push(index),
                _ => {}
            }
        }
        for &comma in &commas {
            cuts.push(removal(tokens[start].start..tokens[comma].end));
            start = comma + 1;
        }
        if let Some(&last) = commas.last() {
            cuts.push(removal(tokens[last].start..tokens[close].start));
        }
    }
    cuts
}

fn words(text: &str, count: usize) -> Vec<Cut> {
    let tokens = tokens(text);
    let whole = tokens.chunks(count).map(|chunk| {
        let (first, last) = (&chunk[0], &chunk[chunk.len() - 1]);
        // A blank keeps what is left apart.
        Cut { range: first.start..last.end, with: " ".into() }
    });
    whole.collect()
}

fn replaced(text: &str, with: &str, wanted: impl Fn(&str) -> bool) -> Vec<Cut> {
    let cut = |range: Range<usize>| Cut { range, with: with.to_owned() };
    tokens(text)
        .into_iter()
        .filter(|token| &text[token.clone()] != with && wanted(&text[token.clone()]))
        .map(cut)
        .collect()
}

fn numbers(text: &str) -> Vec<Cut> {
    replaced(text, "0", |word| word.starts_with(|c: char| c.is_ascii_digit()))
}

fn strings(text: &str) -> Vec<Cut> {
    replaced(text, "\"\"", |word| word.starts_with('"'))
}

/// Between two tokens one blank is enough, and often none is needed.
fn blanks(text: &str) -> Vec<Cut> {
    let tokens = tokens(text);
    let mut cuts = Vec::new();
    let mut end = 0;
    let mut before = "";
    for token in &tokens {
        let word = &text[token.clone()];
        let line = word.starts_with('#') || before.starts_with('#');
        let apart = before.ends_with(|c: char| c.is_ascii() && is_word(c as u8))
            && word.starts_with(|c: char| c.is_ascii() && is_word(c as u8));
        let with = match (line, apart || !before.is_empty() && !line) {
            (true, _) if end > 0 => "\n",
            (false, true) => " ",
            _ => "",
        };
        if &text[end..token.start] != with {
            cuts.push(Cut { range: end..token.start, with: with.to_owned() });
        }
        (end, before) = (token.end, word);
    }
    if &text[end..] != "\n" && end < text.len() {
        cuts.push(Cut { range: end..text.len(), with: "\n".into() });
    }
    cuts
}

/// Words that the languages have for themselves, and names that others know.
const RESERVED: &[&str] = &["main", "printf", "int", "void", "char", "return", "if", "for"];

fn names(text: &str) -> Vec<Cut> {
    let tokens = tokens(text);
    let mut known: Vec<&str> = Vec::new();
    let mut cuts = Vec::new();
    let taken: FxHashSet<&str> = tokens.iter().map(|token| &text[token.clone()]).collect();
    let mut free = ('a'..='z').map(String::from).filter(|name| !taken.contains(name.as_str()));
    for token in &tokens {
        let word = &text[token.clone()];
        let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if word.len() < 2 || !is_name || RESERVED.contains(&word) || known.contains(&word) {
            continue;
        }
        known.push(word);
        let Some(new) = free.next() else { break };
        // All of its places at once, as one cut of the text between the first and the last.
        let places: Vec<&Range<usize>> =
            tokens.iter().filter(|other| &text[(*other).clone()] == word).collect();
        let (first, last) = (places[0].start, places[places.len() - 1].end);
        let mut with = String::new();
        let mut end = first;
        for place in places {
            with.push_str(&text[end..place.start]);
            with.push_str(&new);
            end = place.end;
        }
        cuts.push(Cut { range: first..last, with });
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pass, a text, and what one of its cuts makes of it.
    const PAIRS: &[(&str, &str, &str)] = &[
        ("text-lines", "a\nb\nc\n", "a\nc\n"),
        ("text-outer", "int a; class b { int c; };", "int a; "),
        ("text-inner", "void f() { g(); h(); }", "void f() {  h(); }"),
        ("text-inner", "void f() { if (a) { b(); } c(); }", "void f() {  c(); }"),
        ("text-bodies", "f(a, b);", "f();"),
        ("text-bodies", "void f() { a; }", "void f() ;"),
        ("text-brackets", "if ((a)) b;", "if ( a ) b;"),
        ("text-lists", "f(a, b(c, d), e)", "f(a,  e)"),
        ("text-words-8", "a b c d e f g h i", "  i"),
        ("text-words-4", "a b c d e", "  e"),
        ("text-words-2", "a b c", "  c"),
        ("text-words", "a + b", "  + b"),
        ("text-numbers", "a + 12", "a + 0"),
        ("text-strings", "f(\"long\")", "f(\"\")"),
        ("text-comments", "a /* b */ + c", "a + c"),
        ("text-names", "foo(foo, x)", "a(a, x)"),
    ];

    #[test]
    fn every_pass_does_what_it_says() {
        for pass in TEXT_PASSES {
            let pairs: Vec<_> = PAIRS.iter().filter(|(name, ..)| *name == pass.name).collect();
            assert!(!pairs.is_empty(), "{} is not tested", pass.name);
            for (name, before, after) in pairs {
                let Changes::Cuts(describe) = pass.changes else { panic!("{name}") };
                let cuts = describe(before);
                let results: Vec<String> = (0..cuts.len())
                    .map(|index| cut(before, &cuts, |other| other == index))
                    .collect();
                assert!(results.iter().any(|text| text == after), "{name}: {results:?}");
                assert!(measure(after) < measure(before), "{name}");
            }
        }
    }
}
