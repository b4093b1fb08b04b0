//! `docs/reference/features.md`: what generated programs consist of.

use std::fmt::Write;

use farrier_synth::Preset;
use farrier_synth::features::{Category, FEATURES};
use farrier_synth::parameters::PARAMETERS;
use farrier_synth::relax::RELAXATIONS;
use farrier_synth::{Config, features::FeatureRow};

const CATEGORIES: [(Category, &str); 6] = [
    (Category::Types, "Types"),
    (Category::Objects, "Objects"),
    (Category::Expressions, "Expressions"),
    (Category::Statements, "Statements"),
    (Category::Functions, "Functions"),
    (Category::Shapes, "Shapes"),
];

const FEATURES_TEXT: &str = "\
A number says how often a feature is drawn. \
Most are weights: they count among the features that could stand in the same place. \
A number with `%` is a share: the feature is drawn in so many of a hundred cases, as `bit-field` among the members of records. \
With 0 a feature does not occur in what is drawn. \
The checks in `main` and the operations that replace guards are not drawn. \
After what it is, there is a number for each `--preset`. \
Each program draws which of its features it has at all, so that a rare one is not always in the company of all others.

GNU marks extensions of GNU C, which compilers that do not know them never get. \
The last columns say which other generators have the feature: Csmith 2.3, YARPGen v1, YARPGen v2 and Orange 3 and 4.
";

const CONFIG_TEXT: &str = "\
`farrier gen --config FILE` and `farrier hunt --config FILE` read TOML with these tables, and each may be left out:

```toml
[features]
switch = 30        # a weight, from 0 to 1000
bit-field = 50     # a share, from 0 to 100
goto = 0           # off

[parameters]
loop-trips = 4     # a value from its range below

[spending]         # of a hunt; `farrier hunt --help` has the names
flags = 50
```

The preset comes first, then the file, then `--features`.
A name that does not exist, a number out of range, or a feature that the target or the standard lacks is an error with the line of the file.
";

const PARAMETERS_TEXT: &str = "\
Every program draws a value for each of these from its range, so that programs differ in kind and not only in detail.
";

const RELAXATIONS_TEXT: &str = "\
Rules that drafts of `--preset edge` break, and drafts of any preset with `--relax NAME=SHARE`. \
A program draws half of them, each with a share of the places up to its bound. \
[relax.md](../design/relax.md) says how the faults are repaired.
";

/// The page.
pub(super) fn page() -> String {
    let mut page = format!("# Features of generated programs\n\n{}\n", super::NOTICE);
    page.push_str(FEATURES_TEXT);
    let presets = Preset::ALL.map(|preset| {
        let mut config = Config::default();
        preset.apply(&mut config);
        config
    });
    for (category, title) in CATEGORIES {
        write!(page, "\n## {title}\n\n").expect("a string grows");
        let names = Preset::ALL.map(Preset::name).join(" | ");
        let rule = "---|".repeat(7 + Preset::ALL.len());
        writeln!(
            page,
            "| feature | what | {names} | GNU | Csmith | YARPGen v1 | YARPGen v2 | Orange |\n|{rule}"
        )
        .expect("a string grows");
        for row in FEATURES.iter().filter(|row| row.category == category) {
            line(&mut page, row, &presets);
        }
    }
    write!(page, "\n## Parameters\n\n{PARAMETERS_TEXT}\n").expect("a string grows");
    page.push_str("| parameter | from | to | what |\n|---|---|---|---|\n");
    for row in PARAMETERS {
        writeln!(page, "| `{}` | {} | {} | {} |", row.name, row.low, row.high, cell(row.about))
            .expect("a string grows");
    }
    write!(page, "\n## Relaxations\n\n{RELAXATIONS_TEXT}\n").expect("a string grows");
    page.push_str(
        "| rule | bound | bound if only compiled | what drafting allows |\n|---|---|---|---|\n",
    );
    for row in RELAXATIONS {
        let (bound, crash) = (row.wrong_code, row.crash);
        writeln!(page, "| `{}` | {bound} % | {crash} % | {} |", row.name, cell(row.about))
            .expect("a string grows");
    }
    write!(page, "\n## Configuration files\n\n{CONFIG_TEXT}").expect("a string grows");
    page
}

fn line(page: &mut String, row: &FeatureRow, presets: &[Config]) {
    write!(page, "| `{}` | {} |", row.name, cell(row.about)).expect("a string grows");
    for config in presets {
        write!(page, " {} |", config.weights.get(row.feature)).expect("a string grows");
    }
    let peers = row.peers;
    for has in [row.gnu, peers.csmith, peers.yarpgen1, peers.yarpgen2, peers.orange] {
        page.push_str(if has { " yes |" } else { " |" });
    }
    page.push('\n');
}

/// A text as it may stand in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_and_parameter_has_its_line() {
        let page = page();
        let names = FEATURES.iter().map(|row| row.name);
        let names = names.chain(RELAXATIONS.iter().map(|row| row.name));
        for name in names.chain(PARAMETERS.iter().map(|row| row.name)) {
            assert_eq!(page.matches(&format!("\n| `{name}` |")).count(), 1, "{name}");
        }
    }
}
