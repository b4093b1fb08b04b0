//! `farrier hunt`: tests compilers until it is told to stop.

mod coverage;
mod joined;
mod progress;
mod selection;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;
use farrier_harness::{Scratch, Subject, TrialBounds};
use farrier_synth::Config;
use farrier_synth::features::Feature;
use farrier_synth::parameters::Parameter;

use self::coverage::Coverage;
use self::joined::{Joining, Member};
use self::progress::Progress;
use self::selection::Selection;
use super::configuration::{self, FileSettings};
use crate::cli::{DIRECTORY, HuntArguments, Keep, PlaceArguments};
use crate::finding::{Claim, Earlier, HuntSettings, Mode, Spending, Store};
use crate::host::{draw_seed, sandbox, watch_signals};
use crate::hunt::{Corpus, End, Hunt, HuntEvent, HuntLimits, OwnFlags, Queue, Tested};
use crate::naming::Request;
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
    let directory = &directory(arguments);
    let mut joining = Joining::find(arguments)?;
    let claim = Claim::new(directory)?;
    let base = std::env::temp_dir();
    // What a hunt that was killed has left.
    let _ = Scratch::sweep(&base);
    let mut sandbox = sandbox()?;
    // Where there are other machines, they may have what is not here.
    let mut missing = joining.as_ref().map(|_| Vec::new());
    let mut select = || {
        let settings = match &joining {
            Some(joining) => joining.settings(arguments, file.as_ref(), given.as_ref())?,
            None => settings_of(claim.earlier(), arguments, file.as_ref(), given.as_ref())?,
        };
        talk.note("looking for compilers");
        let selection = selection::select(&settings, &sandbox, &base, talk, &mut missing)?;
        refuse_useless(&settings, &selection.tested)?;
        Ok((settings, selection))
    };
    let (mut settings, Selection { mut tested, known: all }) = match select() {
        Ok(selected) => selected,
        // What cannot be tested leaves nothing behind, so that the user can correct it.
        Err(error) => return claim.give_back(error),
    };
    let mut store = match &mut joining {
        Some(joining) => {
            let given = (file.as_ref(), given.as_ref());
            let (store, agreed) = joining.open(claim, &settings, arguments, given, &mut tested)?;
            settings = agreed;
            joining.mention(&missing.unwrap_or_default(), talk)?;
            store
        }
        None => Store::open(claim, &settings)?,
    };
    if joining.is_none() {
        joined::refuse_alone(&store, directory)?;
    }
    let mut corpus = same_corpus(&settings)?;
    if let Some(corpus) = &mut corpus {
        corpus.remember_in(directory);
    }
    let coverage = Coverage::new(arguments, &mut sandbox)?;
    add_flags(&mut tested, &settings, &store)?;
    talk.note(&opening(&settings, &tested, directory));
    let (bounds, limits) = (bounds(arguments), limits(arguments));
    let keep_all = arguments.keep == Keep::All;
    let hunt = Hunt::new(settings, corpus, tested.clone(), sandbox.clone(), bounds, keep_all);
    let end = hunt.end(&limits);
    let (queue, member) = match joining {
        Some(joining) => {
            let queue = Arc::new(Queue::of_others());
            let member = joining.start(&store, &queue, &tested, limits.jobs, end)?;
            (queue, Some(member))
        }
        None => (Arc::new(Queue::new(store.done()?, end)), None),
    };
    let mut background = (!arguments.no_triage)
        .then(|| Background::new(directory, &base, sandbox.clone(), arguments.triage_share, all));
    if let (Some(background), Some(member)) = (&mut background, &member) {
        background.share(member.sharing());
    }
    let progress = Progress::new(&store, sandbox, arguments.json)?;
    let mut running =
        Running { arguments, interrupted, background, coverage, member, progress, failure: None };
    if !open_findings(&store)?.is_empty() {
        running.wake_triage();
    }
    let ended = running.hunt(&hunt, &mut store, &queue, &limits, &base)?;
    running.finish(&hunt, &store, ended, talk)
}

/// A hunt on its way.
struct Running<'a> {
    arguments: &'a HuntArguments,
    interrupted: Arc<AtomicBool>,
    background: Option<Background>,
    coverage: Option<Coverage<'a>>,
    member: Option<Member>,
    progress: Progress,
    /// Why it cannot go on.
    failure: Option<anyhow::Error>,
}

impl Running<'_> {
    /// There may be something to analyse.
    fn wake_triage(&mut self) {
        if let Some(background) = &mut self.background {
            keep(&mut self.failure, background.wake());
        }
    }

    /// Hunts until something ends it.
    fn hunt(
        &mut self,
        hunt: &Hunt,
        store: &mut Store,
        queue: &Queue,
        limits: &HuntLimits,
        base: &Path,
    ) -> anyhow::Result<End> {
        let started = Instant::now();
        hunt.run(store, queue, limits, base, |event| {
            match event {
                Some(HuntEvent::Failed(error)) => {
                    self.failure.get_or_insert(error);
                }
                Some(event) => {
                    if matches!(event, HuntEvent::Finding { .. }) {
                        self.wake_triage();
                    }
                    if let Some(member) = &self.member {
                        member.note(&event);
                    }
                    let is_done = matches!(event, HuntEvent::Done { .. });
                    self.progress.note(event);
                    if let (true, Some(coverage)) = (is_done, &mut self.coverage) {
                        keep(&mut self.failure, coverage.note(self.progress.programs()));
                    }
                }
                None => {}
            }
            let news = self.background.iter().flat_map(Background::news);
            news.for_each(|news| self.progress.learn(&news));
            let connected = self
                .member
                .as_mut()
                .is_none_or(|member| member.listen(&mut self.progress, &mut self.background));
            let interrupted = self.interrupted.load(Ordering::Relaxed);
            self.progress.show(interrupted);
            let late = self.arguments.time.is_some_and(|time| started.elapsed() >= time);
            !late
                && !self.progress.is_hopeless(hunt)
                && !interrupted
                && connected
                && self.failure.is_none()
        })
    }

    /// Analyses what is left to analyse, leaves, and says what came of it.
    fn finish(
        mut self,
        hunt: &Hunt,
        store: &Store,
        ended: End,
        talk: Talk,
    ) -> anyhow::Result<Status> {
        let (arguments, full) = (self.arguments, ended == End::Full);
        if let (Some(coverage), None) = (&mut self.coverage, &self.failure) {
            keep(&mut self.failure, coverage.measure(self.progress.programs()));
        }
        if let Some(background) = self.background.take() {
            // Where only the programs were counted there is time for what they showed.
            let to_the_end = arguments.time.is_none() && self.failure.is_none() && !full;
            let result = background.finish(to_the_end, |news| {
                news.iter().for_each(|news| self.progress.learn(news));
                !self.interrupted.load(Ordering::Relaxed)
            });
            keep(&mut self.failure, result);
        }
        if let Some(member) = self.member.take() {
            keep(&mut self.failure, member.leave());
        }
        self.progress.end();
        let summary = match arguments.json {
            true => self.progress.document(store)?,
            false => self.progress.summary(store, store.directory(), hunt)?,
        };
        output::write(None, summary.as_bytes())?;
        if let Some(error) = self.failure {
            return Err(error);
        }
        if full {
            talk.note(&format!(
                "`{}` holds more than --disk allows: allow more, or begin in another --dir",
                store.directory().display()
            ));
        }
        let found = !store.findings()?.is_empty();
        if !found && let Some(why) = self.progress.nothing_tested(store, hunt)? {
            bail!(why);
        }
        Ok(status(found, full))
    }
}

/// The directory of the hunt: one of this machine in a hunt of several is named after the hunt.
fn directory(arguments: &HuntArguments) -> PathBuf {
    let PlaceArguments { dir, join } = &arguments.place;
    match (dir, &join.hunt_name) {
        (Some(directory), _) => directory.clone(),
        (None, Some(name)) => PathBuf::from(format!("farrier-{name}")),
        (None, None) => PathBuf::from(DIRECTORY),
    }
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

/// Programs from elsewhere of which none can be used are a mistake of the user, such as a missing
/// -I, even where generated programs are tested beside them.
fn refuse_useless(settings: &HuntSettings, tested: &[Tested]) -> anyhow::Result<()> {
    let subjects: Vec<&Subject> = tested.iter().map(|one| &one.subject).collect();
    match same_corpus(settings)? {
        Some(corpus) if !corpus.is_of_use(&subjects) => bail!(corpus.useless()),
        _ => Ok(()),
    }
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
        Some(given) if given != stored => match &arguments.place.join.hunt_name {
            Some(name) => bail!(
                "the hunt `{name}` began with {option} {stored}: leave the option out to join it, \
                 or choose another --name"
            ),
            None => bail!(
                "the hunt in `{}` began with {option} {stored}: leave the option out to go on, \
                 or choose another --dir",
                directory(arguments).display()
            ),
        },
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
    let file = |path: &Path| path.display().to_string();
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
    same("-I", given, list(&settings.headers))?;
    if arguments.place.join.hunt_name.is_some() {
        // Every machine tests what it has.
        return Ok(());
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
    let given = arguments.subjects.as_deref().map(absolute);
    let stored = settings.subjects.as_deref().map_or("left out".to_owned(), file);
    same("--subjects", given.as_deref().map(file), stored)
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
