//! Programs of the generator: every compiler must do what the machine says.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::builder::PossibleValuesParser;
use farrier_harness::{
    Bench, Executed, Expectation, Judgement, Outcome as Trial, Sandbox, Subject, judge,
    parse_subjects, refusal,
};
use farrier_lang::target::{I386_LINUX, TARGETS, Toolchain, X86_64_LINUX};
use farrier_lang::{Dialect, Rarity, Target, shape};
use farrier_machine::{Behavior, Certified, Tier, Verdict};
use farrier_synth::features::Feature;
use farrier_synth::{Config, Generated, Preset, generate};

use super::difference;
use crate::corpus::process::{complaint, run as run_process, succeeded};
use crate::corpus::tree::guarded;
use crate::corpus::{Case, case_directory, check_all, write};

/// Which programs.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The first seed
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// The last seed
    #[arg(long, default_value_t = 100)]
    to: u64,
    /// The kind of programs [default: one after the other]
    #[arg(long, value_parser = PossibleValuesParser::new(Preset::ALL.map(Preset::name)))]
    preset: Option<String>,
    /// How long they are, in bytes
    #[arg(long, default_value_t = 20_000)]
    size: usize,
    /// The machine; programs for other machines than x86-64 and i386 are emulated
    #[arg(long, default_value = "x86_64-linux", value_parser = PossibleValuesParser::new(TARGETS.map(|target| target.name)))]
    target: String,
    /// Into how many files beside the driver the functions go
    #[arg(long, default_value_t = 0)]
    split: u32,
    /// c99, c11, c17 or c23
    #[arg(long = "std", default_value = "c17")]
    standard: String,
    /// Programs with floating arithmetic that is drafted for this tier; each is also compiled with
    /// the flags that the tier it is proved to have allows
    #[arg(long, value_parser = PossibleValuesParser::new(Tier::ALL.map(Tier::name)))]
    tier: Option<String>,
    /// A feature that is off by default, in all programs; may be repeated
    #[arg(long, value_name = "NAME")]
    feature: Vec<String>,
    /// c, or c++: then every program is dressed, in one version of C++ after the other
    #[arg(long, default_value = "c", value_parser = PossibleValuesParser::new(["c", "c++"]))]
    language: String,
}

/// How many times as often as usual programs have a feature that was asked for, so that a few
/// programs show it.
const OFTEN: u32 = 10;

pub(super) const COMPILE_LIMIT: Duration = Duration::from_secs(120);
pub(super) const RUN_LIMIT: Duration = Duration::from_secs(30);

/// A way to compile a program.
pub(super) struct Way {
    pub(super) name: &'static str,
    pub(super) compiler: &'static str,
    pub(super) flags: &'static [&'static str],
}

pub(super) const fn way(
    name: &'static str,
    compiler: &'static str,
    flags: &'static [&'static str],
) -> Way {
    Way { name, compiler, flags }
}

const LEVELS: &[Way] = &[
    way("gcc -O0", "gcc", &["-O0"]),
    way("gcc -O1", "gcc", &["-O1"]),
    way("gcc -O2", "gcc", &["-O2"]),
    way("gcc -O3", "gcc", &["-O3"]),
    way("clang -O0", "clang", &["-O0"]),
    way("clang -O1", "clang", &["-O1"]),
    way("clang -O2", "clang", &["-O2"]),
    way("clang -O3", "clang", &["-O3"]),
    // Otherwise they pass over `omp simd`.
    way("gcc -O3 -fopenmp-simd", "gcc", &["-O3", "-fopenmp-simd"]),
    way("clang -O3 -fopenmp-simd", "clang", &["-O3", "-fopenmp-simd"]),
    way("gcc -O3 for x86-64-v2", "gcc", &["-O3", V2]),
    way("clang -O3 for x86-64-v2", "clang", &["-O3", V2]),
    // Without that, gcc rounds a product and a sum once.
    way("gcc -O3 for x86-64-v3", "gcc", &["-O3", "-ffp-contract=off", V3]),
    way("clang -O3 for x86-64-v3", "clang", &["-O3", "-ffp-contract=off", V3]),
];

/// For programs with what the compilers of Debian do not know, beside those.
const NEWER_CLANG: &[Way] = &[
    way("clang-22 -O0", "clang-22", &["-O0"]),
    way("clang-22 -O1", "clang-22", &["-O1"]),
    way("clang-22 -O2", "clang-22", &["-O2"]),
    way("clang-22 -O3", "clang-22", &["-O3"]),
    way("clang-22 -O3 for x86-64-v3", "clang-22", &["-O3", "-ffp-contract=off", V3]),
];

/// Flags that change floating arithmetic: for programs whose tier allows them.
/// Not `-fexcess-precision=standard`: with it gcc refuses valid programs ([r](docs/trophies.md)).
const FLOATING: &[Way] = &[
    way("gcc -O3 -ffast-math", "gcc", &["-O3", "-ffast-math"]),
    way("clang -O3 -ffast-math", "clang", &["-O3", "-ffast-math"]),
    way("gcc -Ofast", "gcc", &["-Ofast"]),
    way("clang -Ofast", "clang", &["-Ofast"]),
    way("gcc -Ofast for x86-64-v3", "gcc", &["-Ofast", V3]),
    way("clang -Ofast for x86-64-v3", "clang", &["-Ofast", V3]),
    way("gcc -O2 -fassociative-math", "gcc", ASSOCIATIVE),
    way("clang -O2 -fassociative-math", "clang", ASSOCIATIVE),
    way("gcc -O3 -freciprocal-math", "gcc", &["-O3", "-freciprocal-math", "-ffinite-math-only"]),
    // Clang has no x87 code where there are vectors.
    way("gcc -Ofast -mfpmath=387", "gcc", &["-Ofast", X87]),
    way("gcc -O3 with contraction", "gcc", &["-O3", "-ffp-contract=fast", "-mfma"]),
    way("clang -O3 with contraction", "clang", &["-O3", "-ffp-contract=fast", "-mfma"]),
    way("gcc -O0 -mfpmath=387", "gcc", &["-O0", X87]),
    way("gcc -O2 -mfpmath=387", "gcc", &["-O2", X87]),
    way("gcc -O2 -ffloat-store -mfpmath=387", "gcc", &["-O2", "-ffloat-store", X87]),
];

const ASSOCIATIVE: &[&str] =
    &["-O2", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"];
const X87: &str = "-mfpmath=387";

/// The same for machines that are emulated.
const FOREIGN_FLOATING: [&[&str]; 3] =
    [&["-O3", "-ffast-math"], &["-Ofast"], &["-O3", "-ffp-contract=fast"]];

/// Later levels of x86-64: the vectors of SSE 4.2, and those of AVX2.
const V2: &str = "-march=x86-64-v2";
const V3: &str = "-march=x86-64-v3";

/// What the processor of this machine has, as Linux names it.
static PROCESSOR: LazyLock<String> =
    LazyLock::new(|| std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default());

/// Whether this machine runs what a way to compile makes of a program for a target.
fn runs_here(way: &Way, target: &Target) -> bool {
    let needed: &[&str] = match way.flags.last() {
        Some(&V2) => &["sse4_2", "popcnt"],
        Some(&V3) => &["avx2", "bmi2", "fma", "movbe"],
        Some(&"-mfma") => &["fma"],
        _ => return true,
    };
    let has = |name: &&str| PROCESSOR.split_whitespace().any(|word| word == *name);
    target.name == X86_64_LINUX.name && needed.iter().all(has)
}

/// The flag of the sanitizer for memory.
const MEMORY: &str = "-fsanitize=memory";

/// What a sanitizer reports ends the program, so that it differs from what is expected.
const SANITIZERS: &[Way] = &[
    way(
        "the sanitizers of clang for addresses and undefined behaviour",
        "clang",
        &["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    ),
    way("the sanitizer of clang for memory", "clang", &["-g", "-O1", MEMORY]),
    way(
        "the sanitizers of gcc for addresses and undefined behaviour",
        "gcc",
        &["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    ),
];

/// Not the one for memory: it takes the padding of a `_BitInt` that a function returns for a value.
const NEWER_SANITIZERS: &[Way] = &[way(
    "the sanitizers of clang-22 for addresses and undefined behaviour",
    "clang-22",
    &["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
)];

/// What the linker says where code that never runs has an index, such as 2147483645, that
/// the compiler adds to an address although the model of code is a small one.
const TOO_FAR: &str = "relocation truncated to fit";

/// What clang 13 to 16 take for undefined though it is not evaluated, clang 19 does not.
/// One of these is asked again, if there is one.
const LATER_CLANGS: [&str; 2] = ["clang-22", "clang-19"];

/// The targets that clang 14 has no code for, or whose libraries it does not find.
const NO_CLANG: [&str; 11] = [
    "powerpc-linux",
    "m68k-linux",
    "alpha-linux",
    "hppa-linux",
    "sh4-linux",
    "x86_64-windows",
    "i386-windows",
    "arm-none",
    "riscv32-none",
    "riscv64-none",
    "avr",
];

/// The compilers for a target whose programs are emulated, as a list of subjects.
fn listed(target: &Target) -> String {
    let Toolchain { triple, compiler, flags, .. } = target.toolchain;
    let subject = |name: &str, family: &str, command: &str| {
        let flags = match target.name {
            "avr" => "-mmcu=atmega1284p".to_owned(),
            _ => flags.join(" "),
        };
        format!(
            "[[subject]]\nname = \"{name}\"\nfamily = \"{family}\"\ncommand = \"{command}\"\n\
             target = \"{}\"\nflags = \"{flags}\"\n",
            target.name
        )
    };
    let mut text = subject(compiler, "gcc", compiler);
    if !NO_CLANG.contains(&target.name) {
        text += &subject(&format!("clang-{triple}"), "clang", &format!("clang --target={triple}"));
    }
    text
}

/// What all programs have in common.
pub(super) struct Plan {
    pub(super) target: &'static Target,
    pub(super) dialect: Dialect,
    pub(super) size: usize,
    pub(super) split: u32,
    /// What the floating arithmetic of all programs is drafted for.
    pub(super) tier: Option<Tier>,
    /// Features that they have although they are off by default.
    pub(super) features: Vec<Feature>,
    /// The compilers for a machine that is emulated, and what confines them.
    pub(super) foreign: Option<(Vec<Subject>, Sandbox)>,
}

/// What compilers make of a program that the machine has certified.
#[derive(Default)]
pub(super) struct Opinions {
    /// Everything that is wrong, with the way in which it was compiled.
    pub(super) troubles: Vec<(&'static Way, String)>,
    /// What only seems to be wrong, and why.
    pub(super) false_alarms: Vec<String>,
}

/// What became of a seed.
struct Outcome {
    /// Everything that is wrong.
    troubles: Vec<String>,
    /// What only seems to be wrong, and why.
    false_alarms: Vec<String>,
    /// Whether there was a program at all.
    made: bool,
    /// The tier that it is proved to have, if it has floating numbers.
    floating: Option<Tier>,
}

/// Runs the command for the first programs of a target.
pub(super) fn run_for(target: &str, count: u64, size: usize) -> Result<bool> {
    run(&Arguments {
        from: 1,
        to: count,
        preset: None,
        size,
        target: target.to_owned(),
        split: 0,
        standard: "c17".to_owned(),
        tier: None,
        feature: Vec::new(),
        language: "c".to_owned(),
    })
}

/// Runs the command; true if nothing is wrong.
pub(super) fn run(arguments: &Arguments) -> Result<bool> {
    let target = TARGETS.into_iter().find(|target| target.name == arguments.target);
    let target = target.context("there is no such target")?;
    let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.name() == arguments.standard);
    let dialect = dialect.context("there is no such standard")?;
    let only = match &arguments.preset {
        Some(name) => Some(Preset::by_name(name).context("there is no such preset")?),
        None => None,
    };
    if arguments.language == "c++" {
        ensure!(target == &X86_64_LINUX, "dressed programs are checked on x86-64 only");
        let seeds: Vec<u64> = (arguments.from..=arguments.to).collect();
        return super::dressed::run(&seeds, arguments.size, only);
    }
    let native = target == &X86_64_LINUX || target == &I386_LINUX;
    let foreign = if native { None } else { Some(foreign(target)?) };
    if let Some(small) = target.environment.small {
        let text = "programs for this target have at most this many bytes";
        ensure!(arguments.size <= small.size, "{text}: {}", small.size);
    }
    let tier = arguments.tier.as_deref().and_then(Tier::by_name);
    let (size, split) = (arguments.size, arguments.split);
    let named = |name: &String| {
        Feature::by_name(name).with_context(|| format!("there is no feature `{name}`"))
    };
    let features = arguments.feature.iter().map(named).collect::<Result<Vec<_>>>()?;
    let plan = Plan { target, dialect, size, split, tier, features, foreign };
    let seeds: Vec<u64> = (arguments.from..=arguments.to).collect();
    // One after the other, so that a few seeds show them all.
    let preset = |seed: u64| only.unwrap_or(Preset::ALL[seed as usize % Preset::ALL.len()]);
    let cases: Vec<Case> = seeds.iter().map(|seed| case(*seed, preset(*seed), &plan)).collect();
    let outcomes = check_all(&cases, |case| {
        let seed = case.name.trim_start_matches("seed ").parse()?;
        check(case, seed, preset(seed), &plan)
    })?;
    let mut wrong = 0;
    for ((seed, case), outcome) in seeds.iter().zip(&cases).zip(&outcomes) {
        for trouble in &outcome.troubles {
            println!("{} ({}): {trouble}", case.name, preset(*seed).name());
        }
        for alarm in &outcome.false_alarms {
            println!("{} ({}): a false alarm: {alarm}", case.name, preset(*seed).name());
        }
        if !outcome.troubles.is_empty() {
            wrong += 1;
            println!(
                "    files: {}\n    to repeat: cargo xtask check gen --from {seed} --to {seed} \
                 --preset {} --size {} --target {} --std {} --split {}{}{}",
                case.directory.display(),
                preset(*seed).name(),
                plan.size,
                plan.target.name,
                plan.dialect.name(),
                plan.split,
                plan.tier.map_or_else(String::new, |tier| format!(" --tier {}", tier.name())),
                plan.features.iter().fold(String::new(), |text, feature| {
                    text + " --feature " + feature.row().name
                }),
            );
        }
    }
    let made = outcomes.iter().filter(|outcome| outcome.made).count();
    println!(
        "{} seeds: {made} programs, {} of them behave as the machine says everywhere, {} of these \
         but for a false alarm of a sanitizer; {wrong} seeds with troubles",
        seeds.len(),
        outcomes.iter().filter(|outcome| outcome.made && outcome.troubles.is_empty()).count(),
        outcomes.iter().filter(|outcome| !outcome.false_alarms.is_empty()).count(),
    );
    let tiers = Tier::ALL.map(|tier| {
        let count = outcomes.iter().filter(|outcome| outcome.floating == Some(tier)).count();
        format!("{count} {}", tier.name())
    });
    println!("programs with floating arithmetic, by the tier that is proved: {}", tiers.join(", "));
    Ok(wrong == 0)
}

/// What compiles programs for a target and runs them.
fn foreign(target: &'static Target) -> Result<(Vec<Subject>, Sandbox)> {
    let subjects = parse_subjects(Path::new("foreign subjects"), &listed(target))?;
    Ok((subjects, Sandbox::new(std::env::current_exe()?)?))
}

fn case(seed: u64, preset: Preset, plan: &Plan) -> Case {
    let tier = plan.tier.map_or("", Tier::name);
    let kind = format!("gen-{}-{}-{}{tier}", plan.target.name, preset.name(), plan.split);
    let directory = case_directory(&kind, &seed.to_string());
    Case {
        name: format!("seed {seed}"),
        sources: Vec::new(),
        flags: Vec::new(),
        dialect: plan.dialect,
        permissive: false,
        directory,
    }
}

fn config(preset: Preset, plan: &Plan) -> Config {
    let mut config = Config {
        target: plan.target,
        dialect: plan.dialect,
        size: plan.size,
        split: plan.split,
        tier: plan.tier,
        ..Config::default()
    };
    preset.apply(&mut config);
    if plan.tier.is_some() {
        config.weights.set(Feature::Floating, 100);
    }
    for feature in &plan.features {
        let often = OFTEN * feature.when_asked_for();
        config.weights.set(*feature, often.min(feature.row().frequency.most()));
        config.asked.push(*feature);
    }
    if let Some(small) = plan.target.environment.small {
        config.steps = small.steps;
    }
    config
}

/// Checks one seed, whose files go away if nothing is wrong with it.
fn check(case: &Case, seed: u64, preset: Preset, plan: &Plan) -> Result<Outcome> {
    std::fs::create_dir_all(&case.directory)
        .with_context(|| format!("cannot create {}", case.directory.display()))?;
    let mut troubles = Vec::new();
    let mut false_alarms = Vec::new();
    let config = config(preset, plan);
    let made = make(seed, &config, &mut troubles);
    if let Some(made) = &made {
        let mut sources = Vec::new();
        for file in &made.files {
            sources.push(case.directory.join(&*file.name));
            write(&sources[sources.len() - 1], file.text.as_bytes())?;
        }
        troubles.extend(round_trip(made, plan));
        if let Some((subjects, sandbox)) = &plan.foreign {
            for subject in subjects {
                troubles.extend(try_foreign(subject, sandbox, made, case, plan)?);
            }
        } else {
            let opinions = try_all(&sources, &made.certified, case, plan)?;
            troubles.extend(opinions.troubles.into_iter().map(|(_, trouble)| trouble));
            false_alarms.extend(opinions.false_alarms);
        }
    }
    let mut strict = config;
    strict.weights.without_extensions();
    if let Some(made) = make(seed, &strict, &mut troubles) {
        let mut sources = Vec::new();
        for file in &made.files {
            sources.push(case.directory.join(format!("strict-{}", file.name)));
            write(&sources[sources.len() - 1], file.text.as_bytes())?;
        }
        let native = || vec![vec!["gcc".to_owned()], vec!["clang".to_owned()]];
        let compilers = plan.foreign.as_ref().map_or_else(native, |(subjects, _)| {
            subjects.iter().map(|subject| subject.command.clone()).collect()
        });
        for compiler in &compilers {
            let mut command = Command::new(&compiler[0]);
            command
                .args(&compiler[1..])
                .args(["-w", "-pedantic-errors", "-fsyntax-only"])
                .args(width(plan));
            command.arg(format!("-std={}", dialect_flag(plan, "c"))).args(&sources);
            let finished = run_process(&mut command, &case.directory, COMPILE_LIMIT)?;
            if !succeeded(&finished) {
                let message = complaint(&finished);
                troubles.push(format!("{} -pedantic-errors: {message}", compiler.join(" ")));
            }
        }
    }
    if troubles.is_empty() {
        std::fs::remove_dir_all(&case.directory)?;
    }
    let floating = made.as_ref().and_then(|made| tier_of(&made.certified));
    Ok(Outcome { troubles, false_alarms, made: made.is_some(), floating })
}

/// The tier of a program, if it has floating numbers.
fn tier_of(certified: &Certified) -> Option<Tier> {
    certified.has_floats().then(|| certified.tier())
}

fn make(seed: u64, config: &Config, troubles: &mut Vec<String>) -> Option<Generated> {
    match guarded(|| generate(seed, config)) {
        Ok(Ok(made)) => Some(made),
        Ok(Err(refused)) => {
            let last = refused.last().map(|reason| format!("{reason:?}")).unwrap_or_default();
            troubles.push(format!("every draft is refused, the last one: {last}"));
            None
        }
        Err(panic) => {
            troubles.push(format!("PANIC: {panic}"));
            None
        }
    }
}

/// The front end must read what was printed: as the same program, or, from several files,
/// one that does the same.
fn round_trip(made: &Generated, plan: &Plan) -> Option<String> {
    let options =
        farrier_front::Options { target: plan.target, dialect: plan.dialect, permissive: false };
    let program = match guarded(|| farrier_front::parse(&made.files, &options)) {
        Ok(Ok(program)) => program,
        Ok(Err(failure)) => return Some(format!("refused: {}", failure.diagnostic.message)),
        Err(panic) => return Some(format!("PANIC of the front end: {panic}")),
    };
    if made.files.len() == 1 {
        return shape::difference(&program, made.certified.program())
            .map(|difference| format!("another program is read: {difference}"));
    }
    let ran = farrier_machine::run(&program, &farrier_machine::Options::default());
    match ran.verdict {
        Verdict::Defined(behavior)
            if behavior.output == made.certified.behavior().output
                && behavior.ending == made.certified.behavior().ending =>
        {
            None
        }
        verdict => Some(format!("the files together do something else: {verdict:?}")),
    }
}

/// Compiles at every level, with the flags that the tier allows and with every sanitizer, and runs.
pub(super) fn try_all(
    sources: &[PathBuf],
    certified: &Certified,
    case: &Case,
    plan: &Plan,
) -> Result<Opinions> {
    let behavior = certified.behavior();
    let mut opinions = Opinions::default();
    let tier = tier_of(certified);
    let is_allowed = |way: &&'static Way| {
        tier.is_some_and(|tier| refusal(way.flags.iter().copied(), tier).is_none())
    };
    let rarity = certified.program().rarity();
    let newer: &[Way] = if rarity.is_some() { NEWER_CLANG } else { &[] };
    let ways = LEVELS.iter().chain(newer).chain(FLOATING.iter().filter(is_allowed));
    let knows = |way: &&Way| match rarity {
        None => true,
        Some(Rarity::ExtendedVectors) => way.compiler != "gcc",
        Some(Rarity::BitInt) => way.compiler == "clang-22",
    };
    for way in ways.filter(knows).filter(|way| runs_here(way, plan.target)) {
        let trouble = try_way(way, sources, behavior, case, plan)?;
        opinions.troubles.extend(trouble.map(|trouble| (way, trouble)));
    }
    let mut alarms = Vec::new();
    let newer = if rarity.is_some() { NEWER_SANITIZERS } else { &[] };
    for way in SANITIZERS.iter().chain(newer).filter(knows) {
        // There is no sanitizer of memory for 32 bits.
        if plan.target.name != I386_LINUX.name || way.flags.last() != Some(&MEMORY) {
            let alarm = try_way(way, sources, behavior, case, plan)?;
            alarms.extend(alarm.map(|alarm| (way, alarm)));
        }
    }
    let alone = alarms.len() == 1;
    for (way, alarm) in alarms {
        if alone && is_false_alarm(way, &alarm, sources, behavior, case, plan)? {
            opinions.false_alarms.push(alarm);
        } else {
            opinions.troubles.push((way, alarm));
        }
    }
    Ok(opinions)
}

/// Compiles in one way and runs.
pub(super) fn try_way(
    way: &Way,
    sources: &[PathBuf],
    behavior: &Behavior,
    case: &Case,
    plan: &Plan,
) -> Result<Option<String>> {
    let executable = case.directory.join("test");
    let mut command = Command::new(way.compiler);
    command.args(["-w", "-Wno-error=parentheses"]).args(width(plan)).args(way.flags);
    command.arg(format!("-std={}", dialect_flag(plan, "gnu")));
    command.args(sources).arg("-o").arg(&executable).arg("-lm");
    let mut compiled = run_process(&mut command, &case.directory, COMPILE_LIMIT)?;
    if String::from_utf8_lossy(&compiled.stderr).contains(TOO_FAR) {
        compiled = run_process(command.arg("-mcmodel=large"), &case.directory, COMPILE_LIMIT)?;
    }
    if !succeeded(&compiled) {
        return Ok(Some(format!("{}: {}", way.name, complaint(&compiled))));
    }
    let mut program = Command::new(&executable);
    // Nothing is allocated, and where processes cannot be traced the search for leaks fails.
    program.env("ASAN_OPTIONS", "detect_leaks=0");
    let finished = run_process(&mut program, &case.directory, RUN_LIMIT)?;
    Ok(difference(behavior, finished.ending, &finished.stdout, way.name).map(|difference| {
        let said = String::from_utf8_lossy(&finished.stderr);
        let line = said.lines().find(|line| line.contains("rror")).unwrap_or_default();
        format!("{difference} {line}").trim_end().to_owned()
    }))
}

/// Whether it is the sanitizer for undefined behaviour of an old clang that is wrong: no
/// other sanitizer reports anything, and that of a later clang does not either.
fn is_false_alarm(
    way: &Way,
    alarm: &str,
    sources: &[PathBuf],
    behavior: &Behavior,
    case: &Case,
    plan: &Plan,
) -> Result<bool> {
    if way.compiler != "clang" || !alarm.contains("runtime error: ") {
        return Ok(false);
    }
    let version = |compiler: &str| Command::new(compiler).arg("--version").output();
    let Some(later) = LATER_CLANGS.into_iter().find(|clang| version(clang).is_ok()) else {
        return Ok(false);
    };
    let again = Way { name: "a later clang", compiler: later, flags: way.flags };
    Ok(try_way(&again, sources, behavior, case, plan)?.is_none())
}

/// Compiles for another machine at every level, and runs in its emulator.
fn try_foreign(
    subject: &Subject,
    sandbox: &Sandbox,
    made: &Generated,
    case: &Case,
    plan: &Plan,
) -> Result<Vec<String>> {
    let mut troubles = Vec::new();
    let executed = Executed::default();
    let plain = subject.levels.iter().map(|level| vec![level.clone()]);
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let floating = FOREIGN_FLOATING.iter().filter(|_| tier_of(&made.certified).is_some());
    for mut flags in plain.chain(floating.map(|form| words(form))) {
        let level = flags.join(" ");
        let scratch = case.directory.join(format!("{}{level}", subject.family.name()));
        std::fs::create_dir_all(&scratch)
            .with_context(|| format!("cannot create {}", scratch.display()))?;
        flags.push(format!("-std={}", dialect_flag(plan, "gnu")));
        let bench = Bench { executed: Some(&executed), ..Bench::new(sandbox, &scratch) };
        let expectation = Expectation::certified(&made.certified);
        let trial = bench.try_out(subject, &flags, &made.files, &expectation);
        match judge(subject, &expectation, &trial.outcome) {
            Judgement::Agrees => {}
            // Its tier does not allow the flags.
            _ if matches!(trial.outcome, Trial::Unfit { .. }) => {}
            other => {
                troubles.push(format!("{} {level}: {other:?}: {:?}", subject.name, trial.outcome))
            }
        }
    }
    Ok(troubles)
}

fn width(plan: &Plan) -> &'static [&'static str] {
    match plan.target.name {
        name if name == I386_LINUX.name => &["-m32", "-msse2", "-mfpmath=sse"],
        name if name == X86_64_LINUX.name => &["-m64"],
        // Otherwise gcc refuses valid programs there ([r](docs/trophies.md)).
        _ if plan.target.excess_precision => &["-fexcess-precision=fast"],
        _ => &[],
    }
}

/// The standard as gcc 12 and clang 14 call it.
fn dialect_flag(plan: &Plan, flavour: &str) -> String {
    let name = match plan.dialect {
        Dialect::C23 => "c2x",
        other => other.name(),
    };
    name.replacen('c', flavour, 1)
}
