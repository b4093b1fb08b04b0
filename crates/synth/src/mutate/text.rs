//! Changes of lines and tokens, after which nothing is known of a program but that it is still
//! C, since it is read again after every change. Such programs are for compilers that crash.

use std::ops::Range;

use farrier_lang::SourceText;
use farrier_lang::tokens::tokens;

use crate::Choices;
use crate::generate::names_a_value;

/// The name of this mutator in recipes.
pub const NAME: &str = "text";

/// The part of the seed of a program that decides its changes.
const PART: u64 = 0x6d75_7461_6e74;

/// At most so many changes are kept.
const MOST_CHANGES: u64 = 6;

/// So many are tried for each that is to be kept.
const ATTEMPTS: u64 = 4;

/// Tokens that may stand in each other's place.
const ALIKE: &[&[&str]] = &[
    &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"],
    &["<", ">", "<=", ">=", "==", "!=", "&&", "||"],
    &["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="],
    &["++", "--"],
    &["!", "~", "-", "+"],
    &["char", "short", "int", "long", "float", "double", "_Bool", "signed", "unsigned"],
    &["const", "volatile", "restrict"],
    &["break", "continue"],
    &["static", "extern", "inline"],
];

/// Numbers at which compilers have special cases.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "31",
    "32",
    "33",
    "63",
    "64",
    "65",
    "127",
    "128",
    "255",
    "256",
    "32767",
    "32768",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615u",
    "-1",
    "1.5",
    "1e308",
    "0x1p-1074",
];

/// Lines of a file that became others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextChange {
    file: usize,
    /// Where the lines are after all changes before.
    line: usize,
    old: Vec<String>,
    new: Vec<String>,
}

/// One way to change a text; `None` where the draw fits nothing.
type Draw = fn(&str, &mut Choices) -> Option<String>;

/// The ways, and how often each is drawn.
const WAYS: &[(u64, Draw)] = &[(1, lines), (2, name), (2, number), (3, alike)];

/// All changes that a seed draws for a program, each made after those before it. There are
/// none if no change leaves what `is_c` accepts.
pub fn changes(
    sources: &[SourceText],
    seed: u64,
    is_c: &dyn Fn(&[SourceText]) -> bool,
) -> Vec<TextChange> {
    let mut choices = Choices::new(Choices::derive_seed(seed, PART));
    let mut sources = sources.to_vec();
    let mut changes = Vec::new();
    let wanted = 1 + choices.below(MOST_CHANGES);
    for _ in 0..wanted * ATTEMPTS {
        let index = choices.index(sources.len());
        let Some(text) = changed(&sources[index].text, &mut choices) else { continue };
        let old = std::mem::replace(&mut sources[index].text, text.into());
        if is_c(&sources) {
            changes.push(TextChange::between(index, &old, &sources[index].text));
        } else {
            sources[index].text = old;
        }
        if changes.len() as u64 == wanted {
            break;
        }
    }
    changes
}

/// A program with those of its changes that are kept; `None` if one of them needs one that is
/// not.
pub fn apply(
    sources: &[SourceText],
    changes: &[TextChange],
    kept: impl Fn(usize) -> bool,
) -> Option<Vec<SourceText>> {
    let mut files: Vec<Vec<String>> = sources.iter().map(|source| lines_of(&source.text)).collect();
    for (number, change) in changes.iter().enumerate().filter(|(at, _)| kept(*at)) {
        let mut line = change.line;
        let missing = (0..number).rev().filter(|earlier| !kept(*earlier));
        for earlier in missing.map(|earlier| &changes[earlier]) {
            if earlier.file == change.file && earlier.line < line {
                line = (line + earlier.old.len()).checked_sub(earlier.new.len())?;
            }
        }
        let file = &mut files[change.file];
        let place = line..line + change.old.len();
        if file.get(place.clone())? != change.old {
            return None;
        }
        file.splice(place, change.new.iter().cloned());
    }
    let named = sources.iter().zip(files);
    Some(named.map(|(one, lines)| SourceText::new(one.name.clone(), lines.concat())).collect())
}

impl TextChange {
    fn between(file: usize, old: &str, new: &str) -> Self {
        let (mut old, mut new) = (lines_of(old), lines_of(new));
        let line = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let (a, b) = (&old[line..], &new[line..]);
        let after = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        old.truncate(old.len() - after);
        new.truncate(new.len() - after);
        Self { file, line, old: old.split_off(line), new: new.split_off(line) }
    }
}

/// The lines of a text, with their ends.
fn lines_of(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

/// One change; `None` where the draw fits nothing.
fn changed(text: &str, choices: &mut Choices) -> Option<String> {
    let mut drawn = choices.below(WAYS.iter().map(|(weight, _)| weight).sum());
    let way = WAYS.iter().find(|(weight, _)| {
        let found = drawn < *weight;
        drawn = drawn.saturating_sub(*weight);
        found
    });
    way.and_then(|(_, draw)| draw(text, choices))
}

/// A line is deleted, doubled or moved.
fn lines(text: &str, choices: &mut Choices) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let whole = |line: &&str| line.starts_with(' ') && line.ends_with(';');
    let places: Vec<usize> = (0..lines.len()).filter(|at| whole(&lines[*at])).collect();
    if places.is_empty() {
        return None;
    }
    let at = choices.pick(&places);
    let line = lines[at];
    match choices.below(3) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(choices.pick(&places), line),
        _ => {
            lines.remove(at);
            lines.insert(choices.pick(&places).min(lines.len()), line);
        }
    }
    Some(lines.join("\n") + "\n")
}

/// A name becomes another one of the program.
fn name(text: &str, choices: &mut Choices) -> Option<String> {
    let names: Vec<Range<usize>> =
        tokens(text).into_iter().filter(|token| names_a_value(&text[token.clone()])).collect();
    if names.is_empty() {
        return None;
    }
    let place = names[choices.index(names.len())].clone();
    let other = &text[names[choices.index(names.len())].clone()];
    replaced(text, place, other)
}

/// A number becomes another one. Sizes of arrays stay: a huge one proves nothing.
fn number(text: &str, choices: &mut Choices) -> Option<String> {
    let tokens = tokens(text);
    let numbers: Vec<Range<usize>> = tokens
        .iter()
        .enumerate()
        .filter(|(index, token)| {
            text.as_bytes()[token.start].is_ascii_digit()
                && (*index == 0 || &text[tokens[index - 1].clone()] != "[")
        })
        .map(|(_, token)| token.clone())
        .collect();
    if numbers.is_empty() {
        return None;
    }
    replaced(text, numbers[choices.index(numbers.len())].clone(), choices.pick(NUMBERS))
}

/// A token becomes one that may stand in its place.
fn alike(text: &str, choices: &mut Choices) -> Option<String> {
    let class = choices.pick(ALIKE);
    let places: Vec<Range<usize>> =
        tokens(text).into_iter().filter(|token| class.contains(&&text[token.clone()])).collect();
    if places.is_empty() {
        return None;
    }
    replaced(text, places[choices.index(places.len())].clone(), choices.pick(class))
}

/// The text with other words in a place; `None` if they were there before.
fn replaced(text: &str, place: Range<usize>, words: &str) -> Option<String> {
    if &text[place.clone()] == words {
        return None;
    }
    let mut changed = text.to_owned();
    changed.replace_range(place, words);
    Some(changed)
}

#[cfg(test)]
mod tests {
    use farrier_front::Options;
    use farrier_lang::target::X86_64_LINUX;

    use super::*;
    use crate::{Config, generate};

    fn is_c(sources: &[SourceText]) -> bool {
        let dialect = Config::default().dialect;
        farrier_front::parse(
            sources,
            &Options { target: &X86_64_LINUX, dialect, permissive: false },
        )
        .is_ok()
    }

    #[test]
    fn a_seed_decides_and_the_result_is_c() {
        let config = Config { size: 3_000, ..Config::default() };
        let mut changed = 0;
        for seed in 0..10 {
            let sources = generate(seed, &config).expect("it can be made").files;
            let changes = changes(&sources, seed, &is_c);
            assert_eq!(changes, super::changes(&sources, seed, &is_c));
            assert_eq!(apply(&sources, &changes, |_| false), Some(sources.clone()));
            let mutant = apply(&sources, &changes, |_| true).expect("all changes fit each other");
            assert!(is_c(&mutant));
            assert!(mutant == sources || !changes.is_empty());
            // Most changes have nothing to do with each other.
            let alone = |one: &usize| apply(&sources, &changes, |at| at == *one).is_some();
            let alone = (0..changes.len()).filter(alone).count();
            changed += usize::from(alone > 0);
        }
        assert!(changed >= 8, "{changed}");
    }

    #[test]
    fn changes_can_be_left_out() {
        let source = |text: &str| vec![SourceText::new("a.c", text)];
        let texts = ["a\nb\nc\nd\n", "a\nb\nb\nc\nd\n", "a\nb\nb\nc\nx\n", "b\nb\nc\nx\n"];
        let mut changes: Vec<TextChange> =
            texts.windows(2).map(|two| TextChange::between(0, two[0], two[1])).collect();
        changes.push(TextChange::between(0, texts[3], "b\nb\nc\ny\n"));
        let with = |kept: &[usize]| apply(&source(texts[0]), &changes, |at| kept.contains(&at));
        assert_eq!(with(&[0, 1, 2, 3]), Some(source("b\nb\nc\ny\n")));
        assert_eq!(with(&[]), Some(source(texts[0])));
        assert_eq!(with(&[1]), Some(source("a\nb\nc\nx\n")));
        assert_eq!(with(&[1, 2]), Some(source("b\nc\nx\n")));
        assert_eq!(with(&[1, 2, 3]), Some(source("b\nc\ny\n")));
        // There is no x that could become y.
        assert_eq!(with(&[0, 3]), None);
    }
}
