//! `farrier bisect`: the first build of a compiler with which a finding happens.

use std::path::{Path, PathBuf};

use anyhow::bail;
use farrier_harness::Judgement;
use serde::Serialize;

use super::findings::print_json;
use super::join::HuntPlace;
use super::replay::replay;
use crate::cli::BisectArguments;
use crate::finding::Store;
use crate::host::sandbox;
use crate::naming::{Naming, Request};
use crate::terminal::Talk;
use crate::{Status, output};

/// What was found.
#[derive(Serialize)]
struct Bisected {
    /// The newest build that works before it.
    last_good: PathBuf,
    first_bad: PathBuf,
}

/// Runs the command.
pub(crate) fn run(arguments: &BisectArguments, talk: Talk) -> anyhow::Result<Status> {
    let place = HuntPlace::find(&arguments.hunt.place)?;
    let store = Store::open_to_read(&place.directory)?;
    let finding = store.finding(&arguments.name)?;
    let mut builds: Vec<PathBuf> =
        arguments.compilers.iter().flat_map(|pattern| matches(pattern)).collect();
    builds.sort_by_cached_key(|path| natural(&path.to_string_lossy()));
    builds.dedup();
    if builds.len() < 2 {
        bail!("--compilers names {} files: at least two builds are needed", builds.len());
    }
    let (sandbox, base) = (sandbox()?, std::env::temp_dir());
    // Whether it happens; `None` if that cannot be told.
    let fails = |build: &Path| -> anyhow::Result<Option<bool>> {
        let path = std::path::absolute(build)?;
        let request = Request::parse(&path.to_string_lossy())?;
        let subject = match Naming::new(Vec::new(), &sandbox, &base).find(&request) {
            Ok(subject) => subject,
            Err(error) => {
                talk.note(&format!("{}: passed over: {error:#}", build.display()));
                return Ok(None);
            }
        };
        let tried = replay(&store, &finding, &subject, &finding.flags, &sandbox, &base)?;
        let answer = match tried.judgement {
            _ if tried.reproduced => Some(true),
            Judgement::Agrees => Some(false),
            _ => None,
        };
        let words = match answer {
            Some(true) => "fails",
            Some(false) => "works",
            None => "cannot tell",
        };
        talk.note(&format!("{}: {words}", build.display()));
        Ok(answer)
    };
    let (good, bad) = search(&builds, fails)?;
    let found = Bisected { last_good: builds[good].clone(), first_bad: builds[bad].clone() };
    if arguments.hunt.json {
        print_json(&found)?;
    } else {
        let text = format!(
            "first bad build: {}\nlast good build: {}\n",
            found.first_bad.display(),
            found.last_good.display()
        );
        output::write(None, text.as_bytes())?;
    }
    Ok(Status::Found)
}

/// The last build that works and the first after it that fails. Those that cannot tell are passed
/// over.
fn search(
    builds: &[PathBuf],
    mut fails: impl FnMut(&Path) -> anyhow::Result<Option<bool>>,
) -> anyhow::Result<(usize, usize)> {
    let (mut good, mut bad) = (0, builds.len() - 1);
    if fails(&builds[bad])? != Some(true) {
        bail!("it does not happen with the newest build, `{}`", builds[bad].display());
    }
    if fails(&builds[good])? != Some(false) {
        bail!("the oldest build, `{}`, does not work: name an older one", builds[good].display());
    }
    // The builds between them that may tell.
    let mut open: Vec<usize> = (good + 1..bad).collect();
    while !open.is_empty() {
        let middle = open.len() / 2;
        let build = open[middle];
        match fails(&builds[build])? {
            Some(true) => {
                bad = build;
                open.truncate(middle);
            }
            Some(false) => {
                good = build;
                open.drain(..=middle);
            }
            None => drop(open.remove(middle)),
        }
    }
    Ok((good, bad))
}

/// The files whose paths fit a pattern, in which `*` and `?` stand for parts of a name.
fn matches(pattern: &str) -> Vec<PathBuf> {
    let start = if pattern.starts_with('/') { "/" } else { "" };
    let mut found = vec![PathBuf::from(start)];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        found = found.iter().flat_map(|path| step(path, part)).collect();
    }
    found.retain(|path| path.is_file());
    found
}

/// The entries of a directory that fit a part of a pattern.
fn step(directory: &Path, part: &str) -> Vec<PathBuf> {
    if !part.contains(['*', '?']) {
        return vec![directory.join(part)];
    }
    let place = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let fitting = names.filter(|name| fits(name.as_bytes(), part.as_bytes()));
    fitting.map(|name| directory.join(name)).collect()
}

fn fits(name: &[u8], pattern: &[u8]) -> bool {
    match (name, pattern) {
        ([], []) => true,
        (_, [b'*', rest @ ..]) => (0..=name.len()).any(|length| fits(&name[length..], rest)),
        ([_, name @ ..], [b'?', pattern @ ..]) => fits(name, pattern),
        ([letter, name @ ..], [wanted, pattern @ ..]) => letter == wanted && fits(name, pattern),
        _ => false,
    }
}

/// A key by which numbers in texts are compared as numbers.
fn natural(text: &str) -> Vec<(u64, String)> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let words = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(words);
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let (number, after) = after.split_at(digits);
        parts.push((0, word.to_owned()));
        parts.push((number.parse().unwrap_or(u64::MAX), String::new()));
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bad_build_is_found_whatever_cannot_tell() {
        let builds: Vec<PathBuf> = (0..20).map(|number| format!("r{number}").into()).collect();
        for first in 1..20 {
            let answer = |build: &Path| {
                let number = builds.iter().position(|one| one == build).expect("it is one");
                Ok((number % 3 != 1 || number == 19).then_some(number >= first))
            };
            let (good, bad) = search(&builds, answer).expect("the ends are right");
            assert!(good < first && bad >= first, "{first}: {good} {bad}");
            assert!((good + 1..bad).all(|number| number % 3 == 1), "{first}: {good} {bad}");
        }
        let none = search(&builds, |_| Ok(Some(false))).expect_err("nothing fails");
        assert!(none.to_string().contains("newest build"), "{none}");
    }

    #[test]
    fn patterns_and_numbers() {
        assert!(fits(b"r1200", b"r*") && fits(b"gcc-1", b"*-?") && !fits(b"gcc", b"g?"));
        let mut paths = ["r10/gcc", "r9/gcc", "r100/gcc"];
        paths.sort_by_key(|path| natural(path));
        assert_eq!(paths, ["r9/gcc", "r10/gcc", "r100/gcc"]);
    }
}
