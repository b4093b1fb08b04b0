//! `farrier compare`: several hunts side by side.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;

use crate::cli::CompareArguments;
use crate::finding::Store;
use crate::report::chart::duration;
use crate::report::comparison::{Curve, svg};
use crate::{Status, output};

/// The table of bugs over time has so many rows.
const ROWS: u32 = 10;

/// Runs the command. Hunts may go on meanwhile.
pub(crate) fn run(arguments: &CompareArguments) -> anyhow::Result<Status> {
    let mut curves = Vec::new();
    for directory in &arguments.dirs {
        let store = Store::open_to_read(directory)?;
        curves.push(Curve::of(directory.display().to_string(), &store)?);
    }
    if let Some(path) = &arguments.svg {
        output::write(Some(path), svg(&curves).as_bytes())?;
    }
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&json!({ "hunts": curves }))? + "\n",
        false => table(&curves),
    };
    output::write(None, text.as_bytes())?;
    Ok(Status::Fine)
}

fn time(seconds: f64) -> String {
    duration(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

/// Rows of cells, each column as wide as it must be and flush right, but for a last one of words.
fn aligned(rows: &[Vec<String>], words: bool) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let is_words = column + 1 == columns && words;
            let _ = match is_words {
                true => write!(line, "{cell}"),
                false => write!(line, "{cell:>width$}  "),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn table(curves: &[Curve]) -> String {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let mut rows: Vec<Vec<String>> =
        vec![words(&["programs", "trials", "time", "findings", "bugs", "not triaged", "hunt"])];
    for curve in curves {
        let end = curve.end();
        let numbers = [end.programs, end.trials].map(|number| number.to_string());
        let found = [end.findings, end.bugs].map(|number| number.to_string());
        let rest = [curve.not_triaged.to_string(), curve.directory.clone()];
        rows.push([&numbers[..], &[time(end.seconds)], &found, &rest].concat());
    }
    let mut text = aligned(&rows, true);
    let names: Vec<String> = curves.iter().map(|curve| curve.directory.clone()).collect();
    let longest = curves.iter().map(|curve| curve.end().seconds).fold(0.0, f64::max);
    if longest > 0.0 {
        text += "\nbugs after so much processor time of compilers and programs\n";
        let mut rows = vec![[&["time".to_owned()], &names[..]].concat()];
        for row in 1..=ROWS {
            let seconds = longest * f64::from(row) / f64::from(ROWS);
            let bugs = |curve: &Curve| match curve.at(seconds) {
                Some(point) => point.bugs.to_string(),
                None => "-".to_owned(),
            };
            rows.push([vec![time(seconds)], curves.iter().map(bugs).collect()].concat());
        }
        text += &aligned(&rows, false);
    }
    let causes: BTreeSet<&String> = curves.iter().flat_map(|curve| curve.bugs.keys()).collect();
    if !causes.is_empty() {
        text += "\nwhen each bug was seen first\n";
        let mut rows = vec![[&names[..], &["cause".to_owned()]].concat()];
        for cause in causes {
            let first =
                |curve: &Curve| curve.bugs.get(cause).map_or("-".to_owned(), |first| time(*first));
            rows.push([curves.iter().map(first).collect(), vec![cause.clone()]].concat());
        }
        text += &aligned(&rows, true);
    }
    text
}
