//! `docs/reference/dresses.md`: the ways in which C++ says what C says.

use std::fmt::Write;

use farrier_synth::dress::{C_ONLY, DRESSES};

use super::NOTICE;

const INTRODUCTION: &str = "\
A program of `farrier gen --language c++` wears most of these, drawn by its seed; `--dress` names the ones to wear.
The share is how many of the places a dress takes where it could stand.
Code for a device, which `--language cuda` writes, wears only those that are marked.
[dress.md](../design/dress.md) explains how it works.

";

/// The page.
pub(super) fn page() -> String {
    let mut page = format!("# Dresses\n\n{NOTICE}\n{INTRODUCTION}");
    page.push_str("| dress | since | share | device | what it is |\n|---|---|---|---|---|\n");
    for row in DRESSES {
        writeln!(
            page,
            "| `{}` | {} | {} % | {} | {} |",
            row.name,
            row.since.name(),
            row.share,
            if row.on_device { "yes" } else { "" },
            row.about
        )
        .expect("a string grows");
    }
    page.push_str("\n## Features that C++ programs do not have\n\n| feature | why |\n|---|---|\n");
    for (feature, why) in C_ONLY {
        writeln!(page, "| `{}` | {why} |", feature.row().name).expect("a string grows");
    }
    page
}
