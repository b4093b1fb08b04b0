//! Configuration files: what `farrier gen` and `farrier hunt` are asked for beyond their options.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use anyhow::bail;
use farrier_lang::source::LineMarker;
use farrier_lang::{SourceText, Sources, Span};
use farrier_synth::Config;
use farrier_synth::features::{FEATURES, Feature};
use farrier_synth::parameters::{PARAMETERS, Parameter};
use toml::de::{DeTable, DeValue};

use super::load::{self, Refused};
use crate::finding::{EXPENSES, Spending};
use crate::spelling;
use crate::terminal::Report;

/// What a configuration file says.
#[derive(PartialEq, Eq, Debug, Default)]
pub(super) struct FileSettings {
    pub(super) features: Vec<(Feature, u32)>,
    pub(super) parameters: Vec<(Parameter, u32)>,
    /// What a hunt spends its time on.
    pub(super) spending: Spending,
}

/// How a program differs from others of its preset: what is said of it in its head.
impl fmt::Display for FileSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (feature, weight) in &self.features {
            write!(f, "{separator}features.{} = {weight}", feature.row().name)?;
            separator = ", ";
        }
        for (parameter, value) in &self.parameters {
            let name = PARAMETERS[*parameter as usize].name;
            write!(f, "{separator}parameters.{name} = {value}")?;
            separator = ", ";
        }
        if separator.is_empty() { f.write_str("nothing") } else { Ok(()) }
    }
}

/// What to say of a name that does not exist.
pub(super) fn unknown<'a>(
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    match spelling::closest(name, names) {
        Some(meant) => format!("`{name}` is not a {what}: did you mean `{meant}`?"),
        None => format!("`{name}` is not a {what}: {otherwise}"),
    }
}

/// What is wrong with a configuration file, and where.
#[derive(PartialEq, Eq, Debug)]
struct Trouble {
    message: String,
    range: Range<usize>,
}

impl Trouble {
    fn new(message: impl Into<String>, range: Range<usize>) -> Self {
        Self { message: message.into(), range }
    }

    /// The same for the user.
    fn at(self, path: &Path, text: &str) -> Box<Refused> {
        let name: std::sync::Arc<str> = path.to_string_lossy().into();
        let mut sources = Sources::default();
        let start = sources.next_start();
        let marker = LineMarker { offset: start, file: name.clone(), line: 1 };
        sources.push(SourceText::new(name, text), vec![marker]);
        let offset = |at: usize| start + at.min(text.len()) as u32;
        let span = Span { start: offset(self.range.start), end: offset(self.range.end) };
        let help = "`farrier gen --list-features` lists features and parameters, `farrier hunt --help` the shares of [spending]".to_owned();
        let marks = vec![(span, String::new())];
        let report = Report { message: self.message, marks, help: Some(help) };
        Box::new(Refused { report, sources })
    }
}

/// Reads a configuration file. What `config` cannot have is refused.
pub(super) fn load(path: &Path, config: &Config) -> Result<FileSettings, load::Error> {
    let text = load::text(path)?;
    read(&text, config).map_err(|trouble| load::Error::Refused(trouble.at(path, &text)))
}

fn read(text: &str, config: &Config) -> Result<FileSettings, Trouble> {
    let document = DeTable::parse(text).map_err(|error| {
        Trouble::new(error.message().to_owned(), error.span().unwrap_or_default())
    })?;
    let mut settings = FileSettings::default();
    for (key, value) in document.get_ref() {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(match key.get_ref().as_ref() {
                name if TABLES.contains(&name) => Trouble::new("expected a table", value.span()),
                name => Trouble::new(unknown_table(name), key.span()),
            });
        };
        for (name, value) in table {
            let number = |low, high| number(value.get_ref(), low, high, value.span());
            match key.get_ref().as_ref() {
                "features" => {
                    let Some(feature) = Feature::by_name(name.get_ref()) else {
                        let names = FEATURES.iter().map(|row| row.name);
                        let message = unknown("feature", name.get_ref(), names, "it has no row");
                        return Err(Trouble::new(message, name.span()));
                    };
                    let weight = number(0, feature.row().frequency.most())?;
                    if weight > 0
                        && let Some(reason) = feature.missing(config.target, config.dialect)
                    {
                        let message = format!("`{}` is not available: {reason}", name.get_ref());
                        return Err(Trouble::new(message, name.span()));
                    }
                    settings.features.push((feature, weight));
                }
                "parameters" => {
                    let Some(parameter) = Parameter::by_name(name.get_ref()) else {
                        let names = PARAMETERS.iter().map(|row| row.name);
                        let message = unknown("parameter", name.get_ref(), names, "it has no row");
                        return Err(Trouble::new(message, name.span()));
                    };
                    let row = &PARAMETERS[parameter as usize];
                    settings.parameters.push((parameter, number(row.low, row.high)?));
                }
                "spending" => {
                    let Some(row) = EXPENSES.iter().find(|row| row.name == name.get_ref()) else {
                        let names = EXPENSES.iter().map(|row| row.name);
                        let message = unknown("share", name.get_ref(), names, "it has no row");
                        return Err(Trouble::new(message, name.span()));
                    };
                    settings.spending.set(row, number(row.least, row.most)?);
                }
                other => return Err(Trouble::new(unknown_table(other), key.span())),
            }
        }
    }
    Ok(settings)
}

/// The tables that a file may have.
const TABLES: [&str; 3] = ["features", "parameters", "spending"];

fn unknown_table(name: &str) -> String {
    let otherwise = "use [features], [parameters] or [spending]";
    unknown("table", name, TABLES.into_iter(), otherwise)
}

/// A number from `low` to `high`.
fn number(value: &DeValue<'_>, low: u32, high: u32, range: Range<usize>) -> Result<u32, Trouble> {
    let number = match value {
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).ok(),
        _ => None,
    };
    match number.and_then(|number| u32::try_from(number).ok()) {
        Some(number) if (low..=high).contains(&number) => Ok(number),
        _ => Err(Trouble::new(format!("expected a whole number from {low} to {high}"), range)),
    }
}

/// The feature that a word such as `+switch` or `-goto` names, and whether it is on.
pub(super) fn switched(word: &str) -> anyhow::Result<(Feature, bool)> {
    let (on, name) = match word.as_bytes().first() {
        Some(b'+') => (true, &word[1..]),
        Some(b'-') => (false, &word[1..]),
        _ => {
            bail!("`{word}` says neither on nor off: write `+{word}` or `-{word}` with --features")
        }
    };
    let Some(feature) = Feature::by_name(name) else {
        let names = FEATURES.iter().map(|row| row.name);
        bail!("{}", unknown("feature", name, names, "`farrier gen --list-features` lists them"));
    };
    Ok((feature, on))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> (String, String) {
        let trouble = read(text, &Config::default()).expect_err("it is wrong");
        (trouble.message, text[trouble.range].to_owned())
    }

    #[test]
    fn a_file_is_read() {
        let text = "[features]\nswitch = 30 # more\ngoto = 0x0\n\n[parameters]\nloop-trips = 4\n";
        let settings = read(text, &Config::default()).expect("it is right");
        assert_eq!(settings.features, [(Feature::Goto, 0), (Feature::Switch, 30)]);
        assert_eq!(settings.parameters, [(Parameter::LoopTrips, 4)]);
        assert_eq!(
            settings.to_string(),
            "features.goto = 0, features.switch = 30, parameters.loop-trips = 4"
        );
        assert_eq!(read("", &Config::default()), Ok(FileSettings::default()));
        let settings = read("[spending]\nflags = 0\nO2 = 7\n", &Config::default());
        let spending = settings.expect("it is right").spending;
        assert_ne!(spending, Spending::default());
        assert!(!spending.has_flags());
    }

    #[test]
    fn what_is_wrong_is_marked() {
        for (text, words, mark) in [
            ("[features]\nswich = 3\n", "did you mean `switch`?", "swich"),
            ("[features]\nswitch = -3\n", "from 0 to 1000", "-3"),
            ("[features]\nswitch = \"3\"\n", "from 0 to 1000", "\"3\""),
            ("[features]\nswitch = 1.5\n", "from 0 to 1000", "1.5"),
            (
                "[features]\nswitch = 99999999999999999999\n",
                "from 0 to 1000",
                "99999999999999999999",
            ),
            ("[parameters]\nloop-trips = 1\n", "from 2 to 16", "1"),
            ("[parameters]\nswitch = 1\n", "is not a parameter", "switch"),
            ("[feature]\nswitch = 1\n", "did you mean `features`?", "feature"),
            ("[spending]\nflag = 1\n", "did you mean `flags`?", "flag"),
            ("[spending]\nflags = 91\n", "from 0 to 90", "91"),
            ("features = 1\n", "expected a table", "1"),
            ("seed = 1\n", "is not a table", "seed"),
        ] {
            let (message, marked) = message(text);
            assert!(message.contains(words), "{text}: {message}");
            assert_eq!(marked, mark, "{text}");
        }
    }
}
