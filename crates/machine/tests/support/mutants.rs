//! Programs of the corpora with a few tokens changed: for the tests of robustness and
//! for the fuzz target, which differ in who chooses.

#[path = "agreement.rs"]
mod agreement;

use std::fs;
use std::path::{Path, PathBuf};

use farrier_front::parse;
use farrier_lang::{Dialect, Program, SourceText, target};
use farrier_machine::{Options, Watch, collect, run};

/// The source of the choices: a number below the bound.
pub(crate) type Choose<'a> = &'a mut dyn FnMut(usize) -> usize;

/// The texts of the corpora that need no preprocessor, with their paths, in order.
pub(crate) fn programs() -> Vec<(PathBuf, String)> {
    // Two crates use this, in different places of the repository.
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = root.ancestors().find(|path| path.join("crates/machine").is_dir());
    let own = root.expect("we are in the repository").join("crates/machine/tests");
    let mut paths = Vec::new();
    programs_below(&own, &mut paths);
    programs_below(&own.join("../../front/tests/accepted"), &mut paths);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a text");
        (!text.lines().any(|line| line.starts_with('#'))).then_some((path, text))
    };
    paths.into_iter().filter_map(read).collect()
}

/// The C files below a directory, in the order of their names.
fn programs_below(directory: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(directory).expect("the corpus is there");
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            programs_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
}

/// What a mutant may cost: little, so that many can run.
pub(crate) fn small() -> Options {
    Options { steps: 20_000, memory: 1 << 20, depth: 200, ..Options::default() }
}

/// Reads and runs a mutant: any verdict will do, as long as there is one. A collecting run
/// agrees with it.
/// Whether it was a program at all.
pub(crate) fn check(text: &str, choose: Choose<'_>) -> bool {
    let options = farrier_front::Options {
        target: target::TARGETS[choose(target::TARGETS.len())],
        dialect: Dialect::ALL[choose(Dialect::ALL.len())],
        permissive: true,
    };
    let input = SourceText::new("mutant.c", text);
    let Ok(program) = parse(&[input], &options) else { return false };
    check_program(&program, choose);
    true
}

fn check_program(program: &Program, choose: Choose<'_>) {
    let options = Options {
        profile: (choose(2) == 1).then(Watch::everything),
        strict_aliasing: choose(4) != 0,
        input: b"12 ab\n\n".to_vec(),
        ..small()
    };
    let strict = run(program, &options);
    let more = Options { steps: 2 * options.steps, ..options };
    let disagreement = agreement::disagreement(&strict, &collect(program, &more));
    assert_eq!(disagreement, None);
}

/// Words, numbers and single characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// What a token can become, whatever it was.
const EDGES: [&str; 20] = [
    "0",
    "1",
    "-1",
    "31",
    "32",
    "2147483647",
    "(-2147483647 - 1)",
    "9223372036854775807",
    "18446744073709551615u",
    "1.5",
    "1e300",
    "\"s\"",
    "unsigned",
    "char",
    "_Bool",
    "__int128",
    "long double",
    "volatile",
    "*",
    "&",
];

/// Changes a few tokens: deleted, doubled, exchanged with another, or replaced by
/// another of the same text or by a value at an edge.
pub(crate) fn mutate(text: &str, choose: Choose<'_>) -> String {
    let mut tokens = tokens(text);
    for _ in 0..=choose(4) {
        let solid: Vec<usize> =
            (0..tokens.len()).filter(|index| !tokens[*index].trim().is_empty()).collect();
        if solid.is_empty() {
            break;
        }
        let at = solid[choose(solid.len())];
        match choose(7) {
            0 => tokens[at] = "",
            1 => tokens.insert(at, tokens[at]),
            2 => tokens[at] = EDGES[choose(EDGES.len())],
            3 => tokens.swap(at, solid[choose(solid.len())]),
            _ => {
                // Words for words and signs for signs: more is accepted.
                let is_word = |token: &str| token.starts_with(|c: char| c.is_alphanumeric());
                let same: Vec<usize> = solid
                    .iter()
                    .copied()
                    .filter(|other| is_word(tokens[*other]) == is_word(tokens[at]))
                    .collect();
                tokens[at] = tokens[same[choose(same.len())]];
            }
        }
    }
    tokens.concat()
}
