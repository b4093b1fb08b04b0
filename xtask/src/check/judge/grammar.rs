//! A grammar in a text file, and the texts that it makes.

use std::collections::BTreeMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Rules by name, each with its alternatives.
pub(super) struct Grammar<'a> {
    rules: BTreeMap<&'a str, Vec<Alternative<'a>>>,
}

type Alternative<'a> = Vec<Part<'a>>;

/// A piece of an alternative.
enum Part<'a> {
    Text(&'a str),
    /// `<rule>`
    Rule(&'a str),
    /// `<NAME=rule>`: what is drawn gets a name.
    Named(&'a str, &'a str),
    /// `<NAME>`: what was drawn, once more.
    Again(&'a str),
}

impl<'a> Grammar<'a> {
    /// Reads a grammar: lines that begin with `#` are comments, `name:` begins a rule, `-` an
    /// alternative, and two blanks go on with it.
    pub(super) fn read(text: &'a str) -> Self {
        let mut rules: BTreeMap<&str, Vec<Alternative<'_>>> = BTreeMap::new();
        let mut name = "";
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let alternatives = rules.entry(name).or_default();
            if let Some(more) = line.strip_prefix("  ") {
                let last = alternatives.last_mut().expect("an alternative goes on");
                last.push(Part::Text("\n"));
                last.extend(parts(more));
            } else if let Some(text) = line.strip_prefix('-') {
                alternatives.push(parts(text.strip_prefix(' ').unwrap_or(text)));
            } else {
                name = line.strip_suffix(':').expect("a rule ends with a colon");
            }
        }
        rules.remove("");
        Self { rules }
    }

    /// The rules that the alternatives of `start` name first, in order.
    pub(super) fn themes(&self, start: &str) -> Vec<&'a str> {
        let first = |alternative: &Alternative<'a>| match alternative[..] {
            [Part::Rule(rule)] => rule,
            _ => panic!("an alternative of {start} is one rule"),
        };
        self.rules[start].iter().map(first).collect()
    }

    /// The text that `seed` makes of `start`.
    pub(super) fn text(&self, start: &str, seed: u64) -> String {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut text, mut names) = (String::new(), BTreeMap::new());
        self.expand(start, &mut random, &mut names, &mut text);
        text
    }

    fn expand(
        &self,
        rule: &str,
        random: &mut Xoshiro256PlusPlus,
        names: &mut BTreeMap<&'a str, String>,
        text: &mut String,
    ) {
        let alternatives = &self.rules[rule];
        let drawn = random.next_u64() % alternatives.len() as u64;
        for part in &alternatives[drawn as usize] {
            match part {
                Part::Text(more) => text.push_str(more),
                Part::Rule(rule) => self.expand(rule, random, names, text),
                Part::Named(name, rule) => {
                    let start = text.len();
                    self.expand(rule, random, names, text);
                    names.insert(name, text[start..].to_owned());
                }
                Part::Again(name) => text.push_str(&names[name]),
            }
        }
    }
}

/// The pieces of one line. An angle bracket that begins no reference is text.
fn parts(line: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut text, mut from) = (0, 0);
    while let Some(found) = line[from..].find('<') {
        let open = from + found;
        from = open + 1;
        let Some(length) = line[from..].find('>') else { break };
        let Some(part) = reference(&line[from..from + length]) else { continue };
        parts.push(Part::Text(&line[text..open]));
        parts.push(part);
        from += length + 1;
        text = from;
    }
    parts.push(Part::Text(&line[text..]));
    parts.retain(|part| !matches!(part, Part::Text("")));
    parts
}

/// What stands between angle brackets, if it refers to something.
fn reference(text: &str) -> Option<Part<'_>> {
    let is_rule = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let is_name =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_uppercase());
    match text.split_once('=') {
        Some((name, rule)) if is_name(name) && is_rule(rule) => Some(Part::Named(name, rule)),
        None if is_rule(text) => Some(Part::Rule(text)),
        None if is_name(text) => Some(Part::Again(text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_repeat_what_was_drawn() {
        let grammar = Grammar::read(
            "# none\ncase:\n- <T=type> a < b;\n  <T> <<c>>\ntype:\n- int\n- long\nc:\n-\n",
        );
        let texts: std::collections::BTreeSet<String> =
            (0..20).map(|seed| grammar.text("case", seed)).collect();
        let expected = ["int a < b;\nint <>", "long a < b;\nlong <>"];
        assert_eq!(texts.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_corners_use_every_rule_and_name_none_that_is_missing() {
        let grammar = Grammar::read(super::super::CORNERS);
        let mut used = std::collections::BTreeSet::from(["case"]);
        for part in grammar.rules.values().flatten().flatten() {
            if let Part::Rule(rule) | Part::Named(_, rule) = part {
                assert!(grammar.rules.contains_key(rule), "there is no rule {rule}");
                used.insert(rule);
            }
        }
        for rule in grammar.rules.keys() {
            assert!(used.contains(rule), "nothing uses {rule}");
        }
        assert!(grammar.themes("case").len() > 20);
    }
}
