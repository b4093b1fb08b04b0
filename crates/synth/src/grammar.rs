//! A grammar in a text file, and the texts that it makes.

use std::collections::BTreeMap;

use crate::Choices;

/// How deep rules nest. Below that the shortest alternative is taken.
const MOST_DEPTH: u32 = 20;

/// Rules by name, each with its alternatives.
pub struct Grammar<'a> {
    rules: BTreeMap<&'a str, Vec<Alternative<'a>>>,
}

type Alternative<'a> = Vec<Part<'a>>;

/// Chooses one of so many alternatives of a rule.
type Pick<'a> = dyn FnMut(&str, usize) -> usize + 'a;

/// A piece of an alternative.
enum Part<'a> {
    Text(&'a str),
    /// `<rule>`
    Rule(&'a str),
    /// `<NAME=rule>`: what is drawn gets a name.
    Named(&'a str, &'a str),
    /// `<NAME>`: what was drawn, once more.
    Again(&'a str),
    /// `$`: the number of the alternative among all that were drawn.
    Number,
}

/// A text that grows.
#[derive(Default)]
struct Growing<'a> {
    text: String,
    names: BTreeMap<&'a str, String>,
    /// How many alternatives were drawn.
    drawn: u32,
    depth: u32,
}

impl<'a> Grammar<'a> {
    /// Reads a grammar: lines that begin with `#` are comments, `name:` begins a rule, `-` an
    /// alternative, and two blanks go on with it.
    pub fn read(text: &'a str) -> Self {
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
    pub fn themes(&self, start: &str) -> Vec<&'a str> {
        let first = |alternative: &Alternative<'a>| match alternative[..] {
            [Part::Rule(rule)] => rule,
            _ => panic!("an alternative of {start} is one rule"),
        };
        self.rules[start].iter().map(first).collect()
    }

    /// Every alternative, by its rule and its number.
    #[cfg(test)]
    pub(crate) fn alternatives(&self) -> impl Iterator<Item = (&'a str, usize)> {
        self.rules.iter().flat_map(|(rule, all)| (0..all.len()).map(move |number| (*rule, number)))
    }

    /// What has to be repaired: rules that are named and missing, and rules that nothing from
    /// `start` on names.
    pub fn faults(&self, start: &'a str) -> Vec<String> {
        let mut used = vec![start];
        let mut faults = Vec::new();
        let mut next = 0;
        while let Some(name) = used.get(next).copied() {
            next += 1;
            let Some(rule) = self.rules.get(name) else {
                faults.push(format!("there is no rule {name}"));
                continue;
            };
            for part in rule.iter().flatten() {
                if let Part::Rule(name) | Part::Named(_, name) = part
                    && !used.contains(name)
                {
                    used.push(name);
                }
            }
        }
        let unused = self.rules.keys().filter(|name| !used.contains(name));
        faults.extend(unused.map(|name| format!("nothing uses {name}")));
        faults
    }

    /// A text that is drawn from `start`.
    pub fn text(&self, start: &str, choices: &mut Choices) -> String {
        self.picked(start, &mut |_, count| choices.index(count))
    }

    /// A text from `start`, in which `pick` chooses one of so many alternatives of a rule.
    pub(crate) fn picked(&self, start: &str, pick: &mut Pick<'_>) -> String {
        let mut growing = Growing::default();
        self.expand(start, pick, &mut growing);
        growing.text
    }

    fn expand(&self, rule: &str, pick: &mut Pick<'_>, growing: &mut Growing<'a>) {
        let alternatives = &self.rules[rule];
        let shortest = || alternatives.iter().min_by_key(|parts| parts.len());
        let alternative = match growing.depth < MOST_DEPTH {
            true => &alternatives[pick(rule, alternatives.len())],
            false => shortest().expect("a rule has alternatives"),
        };
        growing.drawn += 1;
        growing.depth += 1;
        let number = growing.drawn;
        for part in alternative {
            match part {
                Part::Text(more) => growing.text.push_str(more),
                Part::Rule(rule) => self.expand(rule, pick, growing),
                Part::Named(name, rule) => {
                    let start = growing.text.len();
                    self.expand(rule, pick, growing);
                    growing.names.insert(name, growing.text[start..].to_owned());
                }
                Part::Again(name) => growing.text.push_str(&growing.names[name]),
                Part::Number => growing.text.push_str(&number.to_string()),
            }
        }
        growing.depth -= 1;
    }
}

/// The pieces of one line. An angle bracket that begins no reference is text.
fn parts(line: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut text, mut from) = (0, 0);
    while let Some(found) = line[from..].find(['<', '$']) {
        let open = from + found;
        from = open + 1;
        let (part, end) = match line[from..].find('>') {
            _ if line[open..].starts_with('$') => (Part::Number, from),
            Some(length) => match reference(&line[from..from + length]) {
                Some(part) => (part, from + length + 1),
                None => continue,
            },
            None => continue,
        };
        parts.push(Part::Text(&line[text..open]));
        parts.push(part);
        text = end;
        from = end;
    }
    parts.push(Part::Text(&line[text..]));
    parts.retain(|part| !matches!(part, Part::Text("")));
    parts
}

/// What stands between angle brackets, if it refers to something.
fn reference(text: &str) -> Option<Part<'_>> {
    let is_rule = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit())
    };
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
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
            (0..20).map(|seed| grammar.text("case", &mut Choices::new(seed))).collect();
        let expected = ["int a < b;\nint <>", "long a < b;\nlong <>"];
        assert_eq!(texts.into_iter().collect::<Vec<_>>(), expected);
        assert!(grammar.faults("case").is_empty());
        assert_eq!(grammar.faults("type"), ["nothing uses c", "nothing uses case"]);
    }

    #[test]
    fn an_alternative_has_a_number_of_its_own() {
        let grammar = Grammar::read("case:\n- <jump> <jump>\njump:\n- goto l$; l$:\n");
        let text = grammar.text("case", &mut Choices::new(1));
        assert_eq!(text, "goto l2; l2: goto l3; l3:");
    }

    #[test]
    fn a_rule_in_itself_comes_to_an_end() {
        let grammar = Grammar::read("e:\n- (<e> + <e>)\n- (<e> - <e>)\n- x\n- y\n");
        let text = grammar.text("e", &mut Choices::new(1));
        assert!(text.len() < 10_000_000);
        assert_eq!(Grammar::read("e:\n- <f>\n").faults("e"), ["there is no rule f"]);
    }
}
