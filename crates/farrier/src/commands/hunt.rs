//! `farrier hunt`: tests compilers until it is told to stop.

mod progress;
mod selection;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;
use farrier_harness::{Scratch, Subject, TrialBounds};
use farrier_synth::Preset;

use self::progress::Progress;
use crate::cli::{HuntArguments, Keep};
use crate::finding::{HuntSettings, Mode, Store};
use crate::host::{draw_seed, sandbox, watch_signals};
use crate::hunt::{Corpus, End, Hunt, HuntEvent, HuntLimits, OwnFlags, Tested};
use crate::terminal::Talk;
use crate::triage::{Background, open_findings};
use crate::{Status, output};

/// How long programs are by default.
const DEFAULT_SIZE: usize = 40_000;

/// As many compilers are named at the start.
const MOST_NAMES: usize = 6;

/// Runs the command.
pub(crate) fn run(arguments: &HuntArguments, talk: Talk) -> anyhow::Result<Status> {
    let interrupted = watch_signals()?;
    // First of all, so that a wrong name leaves nothing behind.
    let given = arguments.corpus.as_deref().map(Corpus::read).transpose()?;
    let (mut store, settings) = Store::open(&arguments.dir, || begin(arguments, given.as_ref()))?;
    agree(arguments, &settings)?;
    let corpus = same_corpus(given, &settings)?;
    let base = std::env::temp_dir();
    // What a hunt that was killed has left.
    let _ = Scratch::sweep(&base);
    let sandbox = sandbox()?;
    talk.note("looking for compilers");
    let subjects = selection::select(&settings, &sandbox, &base, talk)?;
    let all = settings.subject.is_empty().then(|| subjects.clone());
    let tested = with_flags(subjects, &settings, &store)?;
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
    let mut progress = Progress::new(&store, sandbox)?;
    let mut failure = None;
    let ended = hunt.run(&mut store, &limits, &base, |event| {
        match event {
            Some(HuntEvent::Failed(error)) => {
                failure.get_or_insert(error);
            }
            Some(event) => {
                if let (HuntEvent::Finding { .. }, Some(background)) = (&event, &mut background)
                    && let Err(error) = background.wake()
                {
                    failure.get_or_insert(error);
                }
                progress.note(event);
            }
            None => {}
        }
        for line in background.iter().flat_map(Background::news) {
            progress.say(&line);
        }
        progress.show(interrupted.load(Ordering::Relaxed));
        let late = arguments.time.is_some_and(|time| started.elapsed() >= time);
        !late && !interrupted.load(Ordering::Relaxed) && failure.is_none()
    })?;
    let full = ended == End::Full;
    if let Some(background) = background {
        // Where only the programs were counted there is time for what they showed.
        let to_the_end = arguments.time.is_none() && failure.is_none() && !full;
        let result = background.finish(to_the_end, |line| {
            if let Some(line) = line {
                progress.say(&line);
            }
            !interrupted.load(Ordering::Relaxed)
        });
        if let Err(error) = result {
            failure.get_or_insert(error);
        }
    }
    progress.end();
    output::write(None, progress.summary(&store, &arguments.dir)?.as_bytes())?;
    if let Some(error) = failure {
        return Err(error);
    }
    if full {
        talk.note(&format!(
            "`{}` holds more than --disk allows: allow more, or begin in another --dir",
            arguments.dir.display()
        ));
    }
    let found = !store.findings()?.is_empty();
    Ok(match (found, full) {
        (true, _) => Status::Found,
        (false, true) => Status::GaveUp,
        (false, false) => Status::Fine,
    })
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

/// The settings of a new hunt.
fn begin(arguments: &HuntArguments, corpus: Option<&Corpus>) -> HuntSettings {
    HuntSettings {
        seed: arguments.seed.unwrap_or_else(draw_seed),
        preset: arguments.preset.clone().unwrap_or_else(|| Preset::default().name().to_owned()),
        size: arguments.size.map_or(DEFAULT_SIZE, |size| size as usize),
        mode: arguments.mode.unwrap_or_default().mode(),
        flag_sets: arguments.flag_sets.unwrap_or(1),
        subject: arguments.subject.clone(),
        subjects: arguments.subjects.as_deref().map(absolute),
        corpus: arguments.corpus.as_deref().map(absolute).zip(corpus.map(Corpus::hash)),
    }
}

/// The corpus of a hunt, which must be what it was when the hunt began: the numbers of its
/// programs are places in it.
fn same_corpus(given: Option<Corpus>, settings: &HuntSettings) -> anyhow::Result<Option<Corpus>> {
    let Some((path, hash)) = &settings.corpus else { return Ok(None) };
    let corpus = given.map_or_else(|| Corpus::read(path), Ok)?;
    if corpus.hash() != *hash {
        bail!(
            "the corpus `{}` has changed since the hunt began: begin in another --dir",
            path.display()
        );
    }
    Ok(Some(corpus))
}

/// Whether the options are those with which the hunt began, as far as there are any.
fn agree(arguments: &HuntArguments, settings: &HuntSettings) -> anyhow::Result<()> {
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
    same("--preset", arguments.preset.clone(), settings.preset.clone())?;
    same("--size", arguments.size.map(|size| size.to_string()), settings.size.to_string())?;
    let mode = |mode: Mode| mode.name().to_owned();
    same("--mode", arguments.mode.map(|name| mode(name.mode())), mode(settings.mode))?;
    let sets = |number: u32| number.to_string();
    same("--flag-sets", arguments.flag_sets.map(sets), sets(settings.flag_sets))?;
    let subjects = |list: &[String]| match list {
        [] => "for all compilers".to_owned(),
        list => format!("{list:?}"),
    };
    let given = (!arguments.subject.is_empty()).then(|| subjects(&arguments.subject));
    same("--subject", given, subjects(&settings.subject))?;
    let file = |path: &Path| path.display().to_string();
    let given = arguments.subjects.as_deref().map(absolute);
    let stored = settings.subjects.as_deref().map_or("left out".to_owned(), file);
    same("--subjects", given.as_deref().map(file), stored)?;
    let given = arguments.corpus.as_deref().map(absolute);
    let stored = settings.corpus.as_ref().map_or("left out".to_owned(), |(path, _)| file(path));
    same("--corpus", given.as_deref().map(file), stored)
}

fn absolute(path: &Path) -> std::path::PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Adds what the hunt knows about the flags of compilers.
fn with_flags(
    subjects: Vec<Subject>,
    settings: &HuntSettings,
    store: &Store,
) -> anyhow::Result<Vec<Tested>> {
    let mut tested = Vec::new();
    for subject in subjects {
        let flags = if settings.flag_sets == 0 {
            None
        } else {
            let known = store.catalogue(&Tested::key(&subject))?;
            Some(Arc::new(OwnFlags::new(known)))
        };
        tested.push(Tested { subject, flags });
    }
    Ok(tested)
}

/// What there is to say at the start.
fn opening(settings: &HuntSettings, tested: &[Tested], directory: &Path) -> String {
    let names: Vec<&str> = tested.iter().map(|one| one.subject.name.as_str()).collect();
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
