//! What hunts of one length find in the compilers of this machine, by what programs are made of.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use farrier_synth::Preset;
use farrier_synth::features::{Category, FEATURES};
use rusqlite::{Connection, OpenFlags};

use crate::{dist, repository};

/// How often the time is read.
const PACE: Duration = Duration::from_secs(1);

/// What triage may take for a finding after the hunt.
const TRIAGE_TIME: &str = "3m";

/// What to measure.
pub(super) struct Plan<'a> {
    /// The processor time of compilers and compiled programs in each hunt.
    pub(super) time: Duration,
    pub(super) jobs: Option<u16>,
    pub(super) seed: u64,
    /// Only the configurations with this in their name.
    pub(super) only: Option<&'a str>,
    pub(super) farrier: Option<PathBuf>,
}

/// A way to hunt.
struct Configuration {
    name: String,
    options: Vec<&'static str>,
    /// The file for `--config`.
    file: String,
}

/// The ways that are not about one feature: a name, options and shares.
const WAYS: &[(&str, &[&str], &str)] = &[
    ("default", &[], ""),
    ("without random flags", &[], "[spending]\nflags = 0\n"),
    ("without relaxed programs", &[], "[spending]\nedge = 0\n"),
    ("without features by lot", &[], "[spending]\nswarm = 0\n"),
    ("programs of 40 KB", &["--size", "40k"], ""),
];

/// All ways: those above, each preset, and one without each shape that programs may have.
fn configurations() -> Vec<Configuration> {
    let ways = WAYS.iter().map(|(name, options, file)| Configuration {
        name: (*name).to_owned(),
        options: options.to_vec(),
        file: (*file).to_owned(),
    });
    let presets = Preset::ALL.into_iter().filter(|preset| *preset != Preset::Default);
    let presets = presets.map(|preset| Configuration {
        name: format!("preset {}", preset.name()),
        options: vec!["--preset", preset.name()],
        file: String::new(),
    });
    let shapes = FEATURES.iter().filter(|row| row.category == Category::Shapes);
    let without = shapes.map(|row| Configuration {
        name: format!("without {}", row.name),
        options: Vec::new(),
        file: format!("[features]\n{} = 0\n", row.name),
    });
    ways.chain(presets).chain(without).collect()
}

/// What one hunt came to.
#[derive(Debug, Default, PartialEq)]
struct Yield {
    programs: u64,
    trials: u64,
    /// The processor time of compilers and programs, in seconds.
    seconds: f64,
    /// Each cause: its signature, and after how many seconds it was met.
    causes: Vec<(String, f64)>,
    /// Findings of which no cause is known, or about which tools disagree.
    unclear: u64,
}

impl Yield {
    /// The causes of a class in a compiler, and when the first was met, in minutes.
    fn cell(&self, class: &str, compiler: &str) -> String {
        let beginning = format!("{class}: {compiler} ");
        let met = self.causes.iter().filter(|(cause, _)| cause.starts_with(&beginning));
        let times: Vec<f64> = met.map(|(_, seconds)| *seconds).collect();
        match times.iter().copied().reduce(f64::min) {
            Some(first) => format!("{} (first after {:.1} min)", times.len(), first / 60.0),
            None => "0".to_owned(),
        }
    }
}

pub(super) fn run(plan: &Plan<'_>) -> Result<bool> {
    let mut rows = configurations();
    rows.retain(|row| plan.only.is_none_or(|text| row.name.contains(text)));
    ensure!(!rows.is_empty(), "no configuration has that in its name");
    let farrier = plan.farrier.clone().map_or_else(dist::build, Ok)?;
    let clang = newest_clang()?;
    let directory = repository::root().join("target/bench/yield");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory)?;
    let mut page = format!(
        "| configuration | programs | trials | processor time | wrong code, gcc | wrong code, \
         {clang} | crashes, gcc | crashes, {clang} | unclear |\n|---|---|---|---|---|---|---|---|---|\n"
    );
    let mut causes = String::new();
    for row in &rows {
        let hunt = directory.join(row.name.replace(' ', "-"));
        let found = measure(&farrier, &hunt, &clang, row, plan)?;
        let cells: Vec<String> = [("wrong-code", "gcc"), ("wrong-code", "clang")]
            .into_iter()
            .chain([("crash", "gcc"), ("crash", "clang")])
            .map(|(class, compiler)| found.cell(class, compiler))
            .collect();
        let line = format!(
            "| {} | {} | {} | {:.0} min | {} | {} |\n",
            row.name,
            found.programs,
            found.trials,
            found.seconds / 60.0,
            cells.join(" | "),
            found.unclear
        );
        print!("{line}");
        page += &line;
        for (cause, seconds) in &found.causes {
            writeln!(causes, "- {}: `{cause}` after {:.1} min", row.name, seconds / 60.0)?;
        }
    }
    println!("\n{page}\n{causes}\nthe hunts are in {}", directory.display());
    Ok(true)
}

/// The clang with the highest number in the search path.
pub(super) fn newest_clang() -> Result<String> {
    let path = std::env::var_os("PATH").context("there is no search path")?;
    let entries = std::env::split_paths(&path).filter_map(|path| fs::read_dir(path).ok()).flatten();
    let number = |name: &str| name.strip_prefix("clang-")?.parse::<u32>().ok();
    entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some((number(&name)?, name)))
        .max()
        .map(|(_, name)| name)
        .context("there is no clang-NUMBER: see packages.txt")
}

/// Hunts until the time is spent, and triages what was found.
fn measure(
    farrier: &Path,
    directory: &Path,
    clang: &str,
    row: &Configuration,
    plan: &Plan<'_>,
) -> Result<Yield> {
    let config = directory.with_extension("toml");
    fs::write(&config, format!("# {}\n{}", row.name, row.file))?;
    let mut command = Command::new(farrier);
    command.args([
        "hunt",
        "--seed",
        &plan.seed.to_string(),
        "--subject",
        "gcc",
        "--subject",
        clang,
    ]);
    command.args(&row.options).arg("--config").arg(&config).arg("--dir").arg(directory);
    command.args(plan.jobs.iter().flat_map(|jobs| ["--jobs".to_owned(), jobs.to_string()]));
    let log = directory.with_extension("log");
    let output = fs::File::create(&log)?;
    let mut child = command
        .stdout(output.try_clone()?)
        .stderr(output)
        .spawn()
        .with_context(|| format!("{} cannot be started", farrier.display()))?;
    let ended = watch(&mut child, directory, plan.time);
    if ended.is_err() {
        // What is wrong is said below; the hunt must not go on alone.
        let _ = child.kill();
    }
    let status = child.wait()?;
    ended?;
    let said = || fs::read_to_string(&log).unwrap_or_default();
    ensure!(matches!(status.code(), Some(0 | 1)), "the hunt `{}` fails: {}", row.name, said());
    let triage = Command::new(farrier)
        .args(["triage", "--each", "1", "--time", TRIAGE_TIME, "--dir"])
        .arg(directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    ensure!(matches!(triage.code(), Some(0 | 1)), "triage of `{}` fails", row.name);
    read(&Connection::open_with_flags(database(directory), OpenFlags::SQLITE_OPEN_READ_ONLY)?)
}

fn database(directory: &Path) -> PathBuf {
    directory.join("hunt.db")
}

/// Asks a hunt to stop when its compilers have had their time.
fn watch(child: &mut Child, directory: &Path, time: Duration) -> Result<()> {
    while child.try_wait()?.is_none() {
        std::thread::sleep(PACE);
        // At first there is no database.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let Ok(hunt) = Connection::open_with_flags(database(directory), flags) else { continue };
        hunt.busy_timeout(Duration::from_secs(10))?;
        if seconds(&hunt, None).is_ok_and(|spent| spent >= time.as_secs_f64()) {
            let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
            ensure!(asked.success(), "the hunt cannot be stopped");
            child.wait()?;
        }
    }
    Ok(())
}

/// The processor time of compilers and programs, up to a program.
fn seconds(hunt: &Connection, program: Option<i64>) -> rusqlite::Result<f64> {
    let query = "SELECT total(compiler_seconds + program_seconds) FROM programs WHERE number <= ?1";
    hunt.query_row(query, [program.unwrap_or(i64::MAX)], |row| row.get(0))
}

/// What a hunt has come to. A cause is known if triage has a signature and no doubt.
fn read(hunt: &Connection) -> Result<Yield> {
    let query = "SELECT count(*), coalesce(sum(trials), 0) FROM programs";
    let (programs, trials): (i64, i64) =
        hunt.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let query = "SELECT signature, min(program) FROM analyses JOIN findings ON name = finding \
                 WHERE json_extract(document, '$.doubt') IS NULL GROUP BY signature ORDER BY 2, 1";
    let mut causes = Vec::new();
    for cause in hunt.prepare(query)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))? {
        let (signature, program): (String, i64) = cause?;
        causes.push((signature, seconds(hunt, Some(program))?));
    }
    let query = "SELECT count(*) FROM findings LEFT JOIN analyses ON name = finding \
                 WHERE document IS NULL OR json_extract(document, '$.doubt') IS NOT NULL";
    let unclear: i64 = hunt.query_row(query, [], |row| row.get(0))?;
    Ok(Yield {
        programs: programs.try_into()?,
        trials: trials.try_into()?,
        seconds: seconds(hunt, None)?,
        causes,
        unclear: unclear.try_into()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_has_its_row() {
        let rows = configurations();
        assert_eq!(rows.iter().filter(|row| row.name == "default").count(), 1);
        let graph = rows.iter().find(|row| row.name == "without graph").expect("it is a shape");
        assert_eq!(graph.file, "[features]\ngraph = 0\n");
        for row in &rows {
            assert_eq!(rows.iter().filter(|other| other.name == row.name).count(), 1);
        }
    }

    #[test]
    fn causes_are_counted_once_with_the_time_of_the_first() {
        let hunt = Connection::open_in_memory().expect("there is memory");
        let rows = r#"
            CREATE TABLE programs (number INTEGER, trials INTEGER, compiler_seconds REAL,
                program_seconds REAL);
            CREATE TABLE findings (name TEXT, program INTEGER);
            CREATE TABLE analyses (finding TEXT, signature TEXT, document TEXT);
            INSERT INTO programs VALUES (0, 4, 50, 10), (1, 4, 50, 10), (2, 4, 50, 10);
            INSERT INTO findings VALUES ('a', 2), ('b', 1), ('c', 0), ('d', 0);
            INSERT INTO analyses VALUES ('a', 'wrong-code: gcc x', '{"doubt": null}'),
                ('b', 'wrong-code: gcc x', '{"doubt": null}'),
                ('c', 'wrong-code: gcc y', '{"doubt": "clang disagrees"}');
        "#;
        hunt.execute_batch(rows).expect("they are right");
        let found = read(&hunt).expect("it can be read");
        let causes = vec![("wrong-code: gcc x".to_owned(), 120.0)];
        let expected = Yield { programs: 3, trials: 12, seconds: 180.0, causes, unclear: 2 };
        assert_eq!(found, expected);
        assert_eq!(found.cell("wrong-code", "gcc"), "1 (first after 2.0 min)");
        assert_eq!(found.cell("crash", "gcc"), "0");
    }
}
