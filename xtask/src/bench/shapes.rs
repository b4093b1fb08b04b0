//! Which passes of gcc and clang fire on generated programs, by preset and beside Csmith.

mod passes;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use farrier_synth::Preset;

use self::passes::{BEFORE, PASSES, Pass, Said};
use super::HEADERS;
use super::generated::measure;
use super::pond::newest_clang;
use crate::corpus::work_through;
use crate::{dist, repository};

/// How many times as often as before passes with a goal must fire in all.
const MULTIPLE: u64 = 5;
/// How many counters of gcc there must be for the mixture of a hunt.
const COUNTERS: usize = 160;

/// The sizes of the programs of that mixture, in bytes.
const MIXED_SIZES: [u64; 5] = [2_500, 5_000, 10_000, 20_000, 40_000];

/// The percentage of the arithmetic in nests that must be plain and signed.
const PLAIN_SHARE: u64 = 80;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct ShapeArguments {
    /// How many programs of each kind
    #[arg(long, default_value_t = 100)]
    count: u32,
    /// How long they are, in bytes
    #[arg(long, default_value_t = 20_000)]
    size: u64,
    /// Only this preset, beside Csmith [default: default, loops and all that came after it]
    #[arg(long)]
    preset: Option<String>,
    /// Leave Csmith out
    #[arg(long)]
    no_csmith: bool,
    /// The processor time in which counters are met, in seconds; zero leaves them out
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The command to measure [default: that of cargo xtask dist]
    #[arg(long, value_name = "FILE")]
    farrier: Option<PathBuf>,
}

/// What makes programs.
#[derive(Clone, Copy)]
enum Maker {
    Farrier(Preset),
    /// The presets of a hunt, by their shares.
    Mixture,
    Csmith,
}

impl Maker {
    fn name(self) -> &'static str {
        match self {
            Self::Farrier(preset) => preset.name(),
            Self::Mixture => "the mixture of a hunt",
            Self::Csmith => "Csmith",
        }
    }
}

/// Where the programs of one maker are, and how they are made.
struct Workshop<'a> {
    farrier: &'a Path,
    directory: PathBuf,
    maker: Maker,
    size: u64,
}

/// How many programs a pass fired in, and how often in all.
#[derive(Clone, Copy, Default)]
struct Fired {
    programs: u64,
    times: u64,
}

pub(super) fn run(arguments: &ShapeArguments) -> Result<bool> {
    let farrier = arguments.farrier.clone().map_or_else(dist::build, Ok)?;
    let clang = newest_clang()?;
    let root = repository::root().join("target/bench/shapes");
    let _ = std::fs::remove_dir_all(&root);
    let mut makers = match &arguments.preset {
        Some(name) => {
            vec![Maker::Farrier(Preset::by_name(name).context("there is no such preset")?)]
        }
        None => Preset::ALL.into_iter().filter(is_shown).map(Maker::Farrier).collect(),
    };
    if !arguments.no_csmith {
        makers.push(Maker::Csmith);
    }
    let (mut columns, mut shops) = (Vec::new(), Vec::new());
    for maker in &makers {
        let size = arguments.size;
        let directory = root.join(maker.name());
        let shop = Workshop { farrier: &farrier, directory, maker: *maker, size };
        columns.push(shop.column(arguments.count, &clang)?);
        shops.push(shop);
    }
    print!("{}", table(&makers, &columns, &clang));
    let mut good = true;
    for (maker, column) in makers.iter().zip(&columns) {
        if matches!(maker, Maker::Farrier(Preset::Loops)) {
            good &= judge(column, arguments.count);
        }
    }
    for shop in &shops {
        let Maker::Farrier(preset) = shop.maker else { continue };
        let share = shop.plain_share(arguments.count)?;
        let goal = if preset == Preset::Loops { PLAIN_SHARE } else { 0 };
        println!(
            "arithmetic in nests that is plain and signed, {}: {share} %, goal {goal}",
            preset.name()
        );
        good &= share >= goal;
    }
    if arguments.seconds > 0 {
        for maker in [Maker::Mixture, Maker::Csmith] {
            let directory = root.join("counters");
            let shop = Workshop { farrier: &farrier, directory, maker, size: arguments.size };
            let found = shop.counters(Duration::from_secs(arguments.seconds))?;
            let goal = if matches!(maker, Maker::Mixture) { COUNTERS } else { 0 };
            let name = maker.name();
            println!(
                "counters of gcc -O3 in {} s, {name}: {found}, goal {goal}",
                arguments.seconds
            );
            good &= found >= goal;
        }
    }
    Ok(good)
}

/// Whether the table has a column for a preset: not for those in the manner of others.
fn is_shown(preset: &Preset) -> bool {
    !matches!(preset, Preset::Csmith | Preset::Yarpgen)
}

/// One line for each pass, one column for each maker.
fn table(makers: &[Maker], columns: &[Vec<Fired>], clang: &str) -> String {
    let names: Vec<&str> = makers.iter().map(|maker| maker.name()).collect();
    let mut page = format!(
        "\n| pass | goal | {} |\n|---|---|{}\n",
        names.join(" | "),
        "---|".repeat(makers.len())
    );
    for (index, pass) in PASSES.iter().enumerate() {
        let compiler = if pass.is_gcc() { "gcc" } else { clang };
        let goal = if pass.goal > 0 { pass.goal.to_string() } else { String::new() };
        let _ = write!(page, "| {compiler}: {} | {goal} |", pass.name);
        for column in columns {
            let Fired { programs, times } = column[index];
            let _ = write!(page, " {programs} ({times}) |");
        }
        page.push('\n');
    }
    page + "\n"
}

/// Whether the goals of preset loops are reached; says which are not.
fn judge(column: &[Fired], count: u32) -> bool {
    let mut good = true;
    for (pass, fired) in PASSES.iter().zip(column) {
        let percent = fired.programs * 100 / u64::from(count.max(1));
        if percent < pass.goal {
            println!("short of its goal: {}, {percent} of {} in 100", pass.name, pass.goal);
            good = false;
        }
    }
    let with_goal = |(pass, _): &(&Pass, &Fired)| pass.goal > 0;
    let times: u64 = PASSES.iter().zip(column).filter(with_goal).map(|row| row.1.times).sum();
    let rate = times * 100 / u64::from(count.max(1));
    println!(
        "passes with a goal fire {rate} times in 100 programs of preset loops; {BEFORE} in those of \
         preset default when nests were first drawn; goal {}",
        MULTIPLE * BEFORE
    );
    good && rate >= MULTIPLE * BEFORE
}

impl Workshop<'_> {
    /// The command that makes the program of a seed.
    fn command(&self, seed: u64) -> Command {
        let seed_text = seed.to_string();
        let (preset, size) = match self.maker {
            Maker::Farrier(preset) => (preset, self.size),
            Maker::Mixture => (mixed(seed), MIXED_SIZES[seed as usize % MIXED_SIZES.len()]),
            Maker::Csmith => {
                let mut command = Command::new("csmith");
                // It leaves a file platform.info where it runs.
                command.args(["--seed", &seed_text]).current_dir(&self.directory);
                return command;
            }
        };
        let mut command = Command::new(self.farrier);
        command.args(["gen", "--seed", &seed_text, "--size", &size.to_string()]);
        command.args(["--preset", preset.name()]);
        command
    }

    /// A file for the program of a seed.
    fn path(&self, seed: u64, extension: &str) -> PathBuf {
        self.directory.join(format!("{seed}.{extension}"))
    }

    /// Makes the program of a seed; the time that took.
    fn make(&self, seed: u64) -> Result<Duration> {
        let file = std::fs::File::create(self.path(seed, "c"))?;
        Ok(measure(self.command(seed).stdout(file))?.time)
    }

    /// How often each pass fired.
    fn column(&self, count: u32, clang: &str) -> Result<Vec<Fired>> {
        std::fs::create_dir_all(&self.directory)?;
        let seeds: Vec<u64> = (1..=u64::from(count)).collect();
        let said = work_through(&seeds, |seed| {
            self.make(*seed)?;
            self.compile(*seed, clang)
        })?;
        let fired = |pass: &Pass| {
            let times: Vec<u64> = said.iter().map(|said| pass.times(said)).collect();
            let programs = times.iter().filter(|times| **times > 0).count() as u64;
            Fired { programs, times: times.iter().sum() }
        };
        Ok(PASSES.iter().map(fired).collect())
    }

    /// What both compilers say of a program.
    fn compile(&self, seed: u64, clang: &str) -> Result<Said> {
        let source = self.path(seed, "c");
        let dump = |name: &str| self.path(seed, name);
        let mut gcc = gcc(&source);
        for (option, name) in [
            ("-fopt-info-optimized", "remarks"),
            ("-fdump-tree-pcom-details", "pcom"),
            ("-fdump-tree-ifcvt", "ifcvt"),
        ] {
            gcc.arg(format!("{option}={}", dump(name).display()));
        }
        measure(&mut gcc)?;
        let mut command = Command::new(clang);
        command.args([
            "-O3",
            "-c",
            "-Wno-everything",
            "-Rpass=.*",
            "-I",
            HEADERS,
            "-o",
            "/dev/null",
        ]);
        let output = command.arg(&source).output()?;
        ensure!(output.status.success(), "{clang} fails on {}", source.display());
        // A file without anything to say may be missing.
        let read = |name| std::fs::read(dump(name)).unwrap_or_default();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let said = Said {
            gcc: text(read("remarks")),
            commoning: text(read("pcom")),
            conversion: text(read("ifcvt")),
            clang: text(output.stderr),
        };
        for name in ["remarks", "pcom", "ifcvt"] {
            let _ = std::fs::remove_file(dump(name));
        }
        Ok(said)
    }

    /// The percentage of the arithmetic in nests that is plain and signed, as `--explain` says.
    fn plain_share(&self, count: u32) -> Result<u64> {
        let (mut total, mut plain) = (0, 0);
        for seed in 1..=u64::from(count) {
            let output = self.command(seed).arg("--explain").output()?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let counts = said.lines().find_map(arithmetic).context("nothing is said of nests")?;
            total += counts.0;
            plain += counts.1;
        }
        Ok(plain * 100 / total.max(1))
    }

    /// How many different counters programs move before the time is spent.
    fn counters(&self, time: Duration) -> Result<usize> {
        std::fs::create_dir_all(&self.directory)?;
        let mut found = BTreeSet::new();
        let mut spent = Duration::ZERO;
        for seed in 1.. {
            spent += self.make(seed)?;
            let dump = self.path(seed, "statistics");
            let mut gcc = gcc(&self.path(seed, "c"));
            gcc.arg(format!("-fdump-statistics-stats={}", dump.display()));
            spent += measure(&mut gcc)?.time;
            found.extend(std::fs::read_to_string(dump)?.lines().filter_map(counter));
            if spent >= time {
                break;
            }
        }
        Ok(found.len())
    }
}

/// `gcc -O3` on a file, without what it would write.
fn gcc(source: &Path) -> Command {
    let mut gcc = Command::new("gcc");
    gcc.args(["-O3", "-c", "-w", "-I", HEADERS, "-o", "/dev/null"]).arg(source);
    gcc
}

/// The preset of a program of a hunt.
fn mixed(seed: u64) -> Preset {
    let mut rest = seed * 37 % 100;
    for preset in Preset::ALL {
        match rest.checked_sub(u64::from(preset.share())) {
            Some(less) => rest = less,
            None => return preset,
        }
    }
    Preset::Default
}

/// The numbers of a line such as `nests  9 operations of arithmetic run, 7 of them plain and signed`.
fn arithmetic(line: &str) -> Option<(u64, u64)> {
    let (total, rest) = line.trim().strip_prefix("nests ")?.split_once(" operations")?;
    let plain = rest.split_once(", ")?.1.split_once(' ')?.0;
    Some((total.trim().parse().ok()?, plain.parse().ok()?))
}

/// The pass and the counter of a line such as `179 vect "Vectorized loops" 3`. What is counted
/// by its value, such as `"RPO iterations == 10"`, is no counter.
fn counter(line: &str) -> Option<String> {
    let (_, rest) = line.trim_start().split_once(' ')?;
    let (name, _) = rest.rsplit_once(' ')?;
    (name.ends_with('"') && !name.contains(" == ")).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_read() {
        let line = "  nests   9 operations of arithmetic run, 7 of them plain and signed";
        assert_eq!(arithmetic(line), Some((9, 7)));
        assert_eq!(arithmetic("  nests  3, of which 2 run"), None);
    }

    #[test]
    fn counters_have_a_pass_and_a_name() {
        let line = "177 vect \"Vectorized loops\" 3";
        assert_eq!(counter(line).as_deref(), Some("vect \"Vectorized loops\""));
        assert_eq!(counter("177 vect \"RPO iterations == 10\" 3"), None);
        assert_eq!(counter("something else"), None);
    }

    #[test]
    fn the_mixture_has_the_shares_of_a_hunt() {
        for preset in Preset::ALL.into_iter().filter(|preset| *preset != Preset::Default) {
            let count = (1..=100).filter(|seed| mixed(*seed) == preset).count();
            assert_eq!(count, preset.share() as usize, "{}", preset.name());
        }
    }
}
