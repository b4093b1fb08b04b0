//! `farrier hunt`: tests compilers until it is told to stop.

mod coverage;
mod progress;
mod selection;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;
use farrier_harness::{Scratch, TrialBounds};
use farrier_synth::Config;
use farrier_synth::features::Feature;
use farrier_synth::parameters::Parameter;

use self::coverage::Coverage;
use self::progress::Progress;
use self::selection::Selection;
use super::configuration::{self, FileSettings};
use super::naming::Request;
use crate::cli::{HuntArguments, Keep};
use crate::finding::{Claim, Earlier, HuntSettings, Mode, Spending, Store};
use crate::host::{draw_seed, sandbox, watch_signals};
use crate::hunt::{Corpus, End, Hunt, HuntEvent, HuntLimits, OwnFlags, Tested};
use crate::terminal::{Talk, quote};
use crate::triage::{Background, open_findings};
use crate::{Status, output};

/// As many compilers are named at the start.
const MOST_NAMES: usize = 6;

/// Runs the command.
pub(crate) fn run(arguments: &HuntArguments, talk: Talk) -> anyhow::Result<Status> {
    let interrupted = watch_signals()?;
    // First of all, so that a wrong name leaves nothing behind.
    let given = arguments.corpus.as_deref().map(Corpus::read).transpose()?;
    arguments.generator.as_deref().map(Corpus::of_generator).transpose()?;
    let file =
        arguments.config.as_deref().map(|path| configuration::load(path, &Config::default()));
    let file = file.transpose()?;
    let claim = Claim::new(&arguments.dir)?;
    let base = std::env::temp_dir();
    // What a hunt that was killed has left.
    let _ = Scratch::sweep(&base);
    let mut sandbox = sandbox()?;
    let select = || {
        let settings = settings_of(claim.earlier(), arguments, file.as_ref(), given.as_ref())?;
        talk.note("looking for compilers");
        let selection = selection::select(&settings, &sandbox, &base, talk)?;
        Ok((settings, selection))
    };
    let (settings, Selection { mut tested, known: all }) = match select() {
        Ok(selected) => selected,
        // What cannot be tested leaves nothing behind, so that the user can correct it.
        Err(error) => return claim.give_back(error),
    };
    let mut store = Store::open(claim, &settings)?;
    let mut corpus = same_corpus(&settings)?;
    if let Some(corpus) = &mut corpus {
        corpus.remember_in(&arguments.dir);
    }
    let mut coverage = Coverage::new(arguments, &mut sandbox)?;
    add_flags(&mut tested, &settings, &store)?;
    talk.note(&opening(&settings, &tested, &arguments.dir));
    let mut background = (!arguments.no_triage).then(|| {
        Background::new(&arguments.dir, &base, sandbox.clone(), arguments.triage_share, all)
    });
    if let Some(background) = &mut background
        && !open_findings(&store)?.is_empty()
    {
        background.wake()?;
    }
    let (bounds, limits) = (bounds(arguments), limits(arguments));
    let keep_all = arguments.keep == Keep::All;
    let hunt = Hunt::new(settings, corpus, tested, sandbox.clone(), bounds, keep_all);
    let started = Instant::now();
    let mut progress = Progress::new(&store, sandbox, arguments.json)?;
    let mut failure = None;
    let ended = hunt.run(&mut store, &limits, &base, |event| {
        match event {
            Some(HuntEvent::Failed(error)) => {
                failure.get_or_insert(error);
            }
            Some(event) => {
                if let (HuntEvent::Finding { .. }, Some(background)) = (&event, &mut background) {
                    keep(&mut failure, background.wake());
                }
                let is_done = matches!(event, HuntEvent::Done { .. });
                progress.note(event);
                if let (true, Some(coverage)) = (is_done, &mut coverage) {
                    keep(&mut failure, coverage.note(progress.programs()));
                }
            }
            None => {}
        }
        background.iter().flat_map(Background::news).for_each(|news| progress.learn(&news));
        progress.show(interrupted.load(Ordering::Relaxed));
        let late = arguments.time.is_some_and(|time| started.elapsed() >= time);
        !late
            && !progress.is_hopeless(&hunt)
            && !interrupted.load(Ordering::Relaxed)
            && failure.is_none()
    })?;
    let full = ended == End::Full;
    if let (Some(coverage), None) = (&mut coverage, &failure) {
        keep(&mut failure, coverage.measure(progress.programs()));
    }
    if let Some(background) = background {
        // Where only the programs were counted there is time for what they showed.
        let to_the_end = arguments.time.is_none() && failure.is_none() && !full;
        let result = background.finish(to_the_end, |news| {
            news.iter().for_each(|news| progress.learn(news));
            !interrupted.load(Ordering::Relaxed)
        });
        keep(&mut failure, result);
    }
    progress.end();
    let summary = match arguments.json {
        true => progress.document(&store)?,
        false => progress.summary(&store, &arguments.dir, &hunt)?,
    };
    output::write(None, summary.as_bytes())?;
    if let Some(error) = failure {
        return Err(error);
    }
    if full {
        let directory = arguments.dir.display();
        talk.note(&format!(
            "`{directory}` holds more than --disk allows: allow more, or begin in another --dir"
        ));
    }
    let found = !store.findings()?.is_empty();
    if !found && let Some(why) = progress.nothing_tested(&store, &hunt)? {
        bail!(why);
    }
    Ok(status(found, full))
}

/// Keeps the first failure.
fn keep(failure: &mut Option<anyhow::Error>, result: anyhow::Result<()>) {
    if let Err(error) = result {
        failure.get_or_insert(error);
    }
}

/// What the exit status says of the end of a hunt.
fn status(found: bool, full: bool) -> Status {
    match (found, full) {
        (true, _) => Status::Found,
        (false, true) => Status::GaveUp,
        (false, false) => Status::Fine,
    }
}

/// What a compiler and a compiled program may take.
fn bounds(arguments: &HuntArguments) -> TrialBounds {
    let mut bounds = TrialBounds::default();
    bounds.compiler.cpu = arguments.compiler_time;
    bounds.compiler.streams.time = arguments.compiler_time;
    bounds
}

fn limits(arguments: &HuntArguments) -> HuntLimits {
    HuntLimits {
        jobs: match arguments.jobs {
            Some(jobs) => usize::from(jobs),
            None => thread::available_parallelism().map_or(1, usize::from),
        },
        programs: arguments.programs,
        disk: arguments.disk,
    }
}

/// The settings with which a hunt continues, or begins. A hunt that has tested nothing may begin
/// anew with others.
fn settings_of(
    earlier: &Earlier,
    arguments: &HuntArguments,
    file: Option<&FileSettings>,
    corpus: Option<&Corpus>,
) -> anyhow::Result<HuntSettings> {
    match earlier {
        Earlier::Hunt(settings) => {
            agree(arguments, file, settings)?;
            Ok((**settings).clone())
        }
        Earlier::Begun(settings) if agree(arguments, file, settings).is_ok() => {
            Ok((**settings).clone())
        }
        Earlier::Nothing | Earlier::Begun(_) => begin(arguments, file, corpus),
    }
}

/// What is written in the store of a `--subject`.
fn absolute_subjects(subjects: &[String]) -> anyhow::Result<Vec<String>> {
    subjects.iter().map(|text| Ok(Request::parse(text)?.absolute().text())).collect()
}

/// The settings of a new hunt.
fn begin(
    arguments: &HuntArguments,
    file: Option<&FileSettings>,
    corpus: Option<&Corpus>,
) -> anyhow::Result<HuntSettings> {
    let mut spending = file.map_or_else(Spending::default, |file| file.spending.clone());
    if let Some(share) = arguments.mutate {
        spending.set_mutate(share);
    }
    let mut settings = HuntSettings {
        seed: arguments.seed.unwrap_or_else(draw_seed),
        preset: arguments.preset.clone(),
        size: arguments.size.map(|size| size as usize),
        mode: arguments.mode.unwrap_or_default().mode(),
        standard: standard(arguments),
        steps: arguments.steps,
        discharge: discharge(arguments),
        all_versions: arguments.all_versions,
        spending,
        features: wanted_features(arguments, file)?,
        parameters: file.map(parameters).unwrap_or_default(),
        subject: absolute_subjects(&arguments.subject)?,
        subjects: arguments.subjects.as_deref().map(absolute),
        corpus: arguments.corpus.as_deref().map(absolute).zip(corpus.map(Corpus::hash)),
        generator: arguments.generator.as_deref().map(absolute_command),
        headers: arguments.include_dirs.iter().map(|path| absolute(path)).collect(),
    };
    // Every file has one turn, and voters are needed.
    settings.all_versions |= settings.has_only_corpus();
    Ok(settings)
}

fn standard(arguments: &HuntArguments) -> Option<String> {
    arguments.standard.map(|standard| standard.dialect().name().to_owned())
}

fn discharge(arguments: &HuntArguments) -> Option<String> {
    arguments.discharge.map(|name| name.discharge().name().to_owned())
}

fn features(file: &FileSettings) -> BTreeMap<String, u32> {
    let name = |(feature, weight): &(Feature, u32)| (feature.row().name.to_owned(), *weight);
    file.features.iter().map(name).collect()
}

/// The weights of features that the user asks for: those of the file, then those of the option.
fn wanted_features(
    arguments: &HuntArguments,
    file: Option<&FileSettings>,
) -> anyhow::Result<BTreeMap<String, u32>> {
    let mut wanted = file.map(features).unwrap_or_default();
    let usual = Config::default().weights;
    for word in &arguments.made_of.features {
        let (feature, on) = configuration::switched(word)?;
        let name = feature.row().name.to_owned();
        match (on, usual.has(feature)) {
            (false, _) => drop(wanted.insert(name, 0)),
            (true, true) => drop(wanted.remove(&name)),
            (true, false) => drop(wanted.insert(name, feature.when_asked_for())),
        }
    }
    Ok(wanted)
}

fn parameters(file: &FileSettings) -> BTreeMap<String, u32> {
    let name = |(parameter, value): &(Parameter, u32)| (parameter.row().name.to_owned(), *value);
    file.parameters.iter().map(name).collect()
}

/// The corpus of a hunt, which must be what it was when the hunt began: the numbers of its
/// programs are places in it.
fn same_corpus(settings: &HuntSettings) -> anyhow::Result<Option<Corpus>> {
    let corpus = Corpus::of_settings(settings)?;
    if let (Some((path, hash)), Some(corpus)) = (&settings.corpus, &corpus)
        && corpus.hash() != *hash
    {
        bail!(
            "the corpus `{}` has changed since the hunt began: begin in another --dir",
            path.display()
        );
    }
    Ok(corpus)
}

/// A command of the shell that does the same in any directory: if it begins with the path of a
/// file that is here, with its whole path.
fn absolute_command(command: &str) -> String {
    let (program, rest) = command.split_once(' ').unwrap_or((command, ""));
    match program.contains('/') && Path::new(program).is_file() {
        true => format!("{} {rest}", quote(&absolute(Path::new(program)).display().to_string())),
        false => command.to_owned(),
    }
}

/// Whether the options are those with which the hunt began, as far as there are any.
fn agree(
    arguments: &HuntArguments,
    file: Option<&FileSettings>,
    settings: &HuntSettings,
) -> anyhow::Result<()> {
    let same = |option: &str, given: Option<String>, stored: String| match given {
        Some(given) if given != stored => bail!(
            "the hunt in `{}` began with {option} {stored}: leave the option out to go on, or \
             choose another --dir",
            arguments.dir.display()
        ),
        _ => Ok(()),
    };
    let text = |number: u64| number.to_string();
    same("--seed", arguments.seed.map(text), text(settings.seed))?;
    let by_lot = || "by lot".to_owned();
    let stored = settings.preset.clone().unwrap_or_else(by_lot);
    same("--preset", arguments.preset.clone(), stored)?;
    let stored = settings.size.map_or_else(by_lot, |size| size.to_string());
    same("--size", arguments.size.map(|size| size.to_string()), stored)?;
    let usual = |stored: &Option<String>| stored.clone().unwrap_or_else(|| "left out".to_owned());
    same("--std", standard(arguments), usual(&settings.standard))?;
    same("--steps", arguments.steps.map(text), usual(&settings.steps.map(text)))?;
    same("--discharge", discharge(arguments), usual(&settings.discharge))?;
    let mode = |mode: Mode| mode.name().to_owned();
    same("--mode", arguments.mode.map(|name| mode(name.mode())), mode(settings.mode))?;
    let stored = settings.spending.mutate();
    same("--mutate", arguments.mutate.map(|share| share.to_string()), stored.to_string())?;
    if let Some(file) = file {
        let mut spending = file.spending.clone();
        if arguments.mutate.is_some() {
            spending.set_mutate(stored);
        }
        if (&spending, &parameters(file)) != (&settings.spending, &settings.parameters) {
            same("--config", Some(String::new()), "with other values".to_owned())?;
        }
    }
    if (file.is_some() || !arguments.made_of.features.is_empty())
        && wanted_features(arguments, file)? != settings.features
    {
        same("--features or --config", Some(String::new()), "with other values".to_owned())?;
    }
    if arguments.all_versions && !settings.all_versions {
        same("--all-versions", Some(String::new()), "left out".to_owned())?;
    }
    let subjects = |list: &[String]| match list {
        [] => "left out".to_owned(),
        list => format!("{list:?}"),
    };
    let list = absolute_subjects(&arguments.subject)?;
    let given = (!list.is_empty()).then(|| subjects(&list));
    same("--subject", given, subjects(&absolute_subjects(&settings.subject)?))?;
    let file = |path: &Path| path.display().to_string();
    let given = arguments.subjects.as_deref().map(absolute);
    let stored = settings.subjects.as_deref().map_or("left out".to_owned(), file);
    same("--subjects", given.as_deref().map(file), stored)?;
    let given = arguments.corpus.as_deref().map(absolute);
    let stored = settings.corpus.as_ref().map_or("left out".to_owned(), |(path, _)| file(path));
    same("--corpus", given.as_deref().map(file), stored)?;
    let given = arguments.generator.as_deref().map(absolute_command);
    same("--generator", given, usual(&settings.generator))?;
    let list = |paths: &[PathBuf]| match paths {
        [] => "left out".to_owned(),
        paths => paths.iter().map(|path| file(path)).collect::<Vec<_>>().join(" -I "),
    };
    let given: Vec<PathBuf> = arguments.include_dirs.iter().map(|path| absolute(path)).collect();
    let given = (!given.is_empty()).then(|| list(&given));
    same("-I", given, list(&settings.headers))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Adds what the hunt knows about the flags of compilers.
fn add_flags(tested: &mut [Tested], settings: &HuntSettings, store: &Store) -> anyhow::Result<()> {
    let varied = |one: &&mut Tested| one.levels.iter().any(|level| level.varied);
    for one in tested.iter_mut().filter(|_| settings.spending.has_flags()).filter(varied) {
        let known = store.catalogue(&Tested::key(&one.subject))?;
        one.flags = Some(Arc::new(OwnFlags::new(known)));
    }
    Ok(())
}

/// What there is to say at the start.
fn opening(settings: &HuntSettings, tested: &[Tested], directory: &Path) -> String {
    let name = |one: &Tested| {
        let exact: Vec<&str> =
            one.levels.iter().filter(|level| !level.varied).map(|level| &*level.flags).collect();
        match exact.as_slice() {
            [] => one.subject.name.clone(),
            levels => format!("{} {}", one.subject.name, levels.join(" and ")),
        }
    };
    let names: Vec<String> = tested.iter().map(name).collect();
    let names = match names.as_slice() {
        few if few.len() <= MOST_NAMES => few.join(", "),
        many => format!("{} compilers (`farrier subjects` lists them)", many.len()),
    };
    format!(
        "hunting for bugs in {names} with seed {}, in `{}`; Ctrl-C stops",
        settings.seed,
        directory.display()
    )
}

/// Time for people.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}
