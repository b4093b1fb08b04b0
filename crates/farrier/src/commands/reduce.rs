//! `farrier reduce`: makes a program smaller while it stays interesting.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use farrier_harness::{Expectation, Scratch};
use farrier_lang::{Program, SourceText};
use farrier_synth::reduce::{Interest, Progress};
use serde_json::json;

use crate::cli::{ProgramArguments, ReduceArguments};
use crate::commands::join::HuntPlace;
use crate::commands::load;
use crate::finding::{ReducedCase, Store};
use crate::host::{sandbox, watch_signals};
use crate::reduce::{
    self, Expecting, LostInPrint, PROGRAM, Settings, Step, Surroundings, Test, reduce_finding,
    takes_a_vote,
};
use crate::terminal::{self, Talk};
use crate::triage::{Claimed, known_subjects};
use crate::{Status, output};

/// How often the line of progress on a terminal is written.
const TERMINAL_INTERVAL: Duration = Duration::from_millis(200);

/// How often a line of progress is written elsewhere.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// What every reduction of files works with.
struct Task<'a> {
    arguments: &'a ReduceArguments,
    settings: Settings,
    /// Whether the user wants an end.
    stop: Arc<AtomicBool>,
    talk: Talk,
}

/// Runs the command.
pub(crate) fn run(arguments: &ReduceArguments, talk: Talk) -> anyhow::Result<Status> {
    let settings = Settings {
        jobs: arguments.jobs.map_or_else(reduce::jobs, usize::from),
        steps: arguments.steps,
        check_undefined: !arguments.no_ub_check,
        any_failure: arguments.any_failure,
    };
    // What a reduction that was killed has left behind; that there may be nothing is fine.
    let _ = Scratch::sweep(&std::env::temp_dir());
    let (test, files) = match (&arguments.subject, &arguments.paths[..]) {
        (Some(command), files @ [_]) => {
            (Test::subject(command, arguments.target, arguments.timeout, &settings)?, files)
        }
        (Some(_), _) => bail!("with --subject there is no TEST: name the C file alone"),
        (None, [file]) if file.exists() || file.extension().is_some() => {
            bail!("name a test before the C file, or a compiler with --subject")
        }
        (None, [finding]) => return of_finding(arguments, finding, &settings, talk),
        (None, [test, files @ ..]) => (Test::script(test, files, arguments.timeout)?, files),
        (None, []) => bail!("name a test and a C file, or a finding"),
    };
    let task = Task { arguments, settings, stop: watch_signals()?, talk };
    match files {
        [file] => of_file(&task, file, test),
        files => of_files(&task, files, test),
    }
}

/// Reduces a file in its place.
fn of_file(task: &Task<'_>, file: &Path, mut test: Test) -> anyhow::Result<Status> {
    let Task { arguments, settings, stop, talk } = task;
    let before = fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let program = match is_cpp(file) {
        true => Err("C++".to_owned()),
        false => match load::program(&program_arguments(arguments, file), *talk) {
            Ok(program) => Ok(program),
            Err(load::Error::Refused(refused)) => Err(refused.report.message.clone()),
            Err(load::Error::Preprocess(error)) => Err(error.to_string()),
            Err(error) => return Err(error.into()),
        },
    };
    refuse_bad_tests(&test, file, &before)?;
    let program = match program {
        Ok(program) => program,
        Err(why) => {
            talk.note(&format!(
                "Farrier cannot read `{}` ({why}): it is reduced as a text, by the test alone; \
                 it is not checked for undefined behaviour",
                file.display(),
            ));
            let nothing = |_: &str| Some(Expectation::Nothing);
            return of_text(task, file, &before, &nothing, &test);
        }
    };
    let expecting = |text: &str| expected_of_text(arguments, file, text, settings);
    if arguments.text {
        return of_text(task, file, &before, &expecting, &test);
    }
    let read = |text: &str| parse(arguments, text);
    if let Some(held) = reduce::hold(&program, &mut test, None, settings)? {
        talk.note(&format!("the culprit is {held}: candidates must be right without it"));
    }
    let mut line = Line::new(before.len() as u64);
    let mut passes = arguments.stats.then(Passes::default);
    let what = format!("`{}`", file.display());
    let reduced = reduce::run(&what, &program, &read, &test, settings, &mut |step| {
        line.tell(&step);
        passes.iter_mut().for_each(|passes| passes.count(&step));
        if let Step::Best { text, .. } = step {
            save(arguments, file, &before, text)?;
        }
        Ok(!stop.load(Ordering::Relaxed))
    });
    line.end();
    if let Some(passes) = passes {
        // A failure to report cannot be reported.
        let _ = io::stderr().write_all(passes.table().as_bytes());
    }
    if let Err(error) = &reduced
        && error.is::<LostInPrint>()
        && let Some(expectation) = expecting(&String::from_utf8_lossy(&before))
    {
        if test.ask(&before, &expectation)? == Interest::Boring {
            let why = test.explain(&before, &expectation)?;
            bail!("there is nothing to keep: {what} is not interesting: {why}");
        }
        talk.note(&format!(
            "{what} is not interesting as Farrier prints it: it is reduced as a text"
        ));
        return of_text(task, file, &before, &expecting, &test);
    }
    let reduced = reduced?;
    restore(file, &before, &line, reduced.complete)?;
    talk.note(&line.summary(reduced.complete, &reduced.progress));
    line.print(arguments, file, reduced.complete, &reduced.progress)?;
    for slip in test.into_slips() {
        talk.note(&format!("another bug was found on the way and not followed: {slip}"));
    }
    Ok(if reduced.complete { Status::Fine } else { Status::GaveUp })
}

/// What is expected of a text that may need its headers. A script decides alone about a text that
/// is not C; a compiler cannot be judged by one.
fn expected_of_text(
    arguments: &ReduceArguments,
    file: &Path,
    text: &str,
    settings: &Settings,
) -> Option<Expectation> {
    if !settings.check_undefined {
        return Some(Expectation::Nothing);
    }
    let directory = file.parent().unwrap_or(Path::new("."));
    match load::read_quietly(text, &program_arguments(arguments, file), directory) {
        Some(program) => reduce::expectation_of_read(program, settings),
        None => arguments.subject.is_none().then_some(Expectation::Nothing),
    }
}

/// Reduces several files in turn, until none becomes smaller.
fn of_files(task: &Task<'_>, files: &[PathBuf], mut test: Test) -> anyhow::Result<Status> {
    let name = |file: &PathBuf| -> anyhow::Result<String> {
        Ok(file.file_name().context("name a file")?.to_string_lossy().into_owned())
    };
    let names: Vec<String> = files.iter().map(name).collect::<Result<_, _>>()?;
    let read = |file: &PathBuf| {
        fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))
    };
    task.talk.note("several files are reduced as texts, by the test alone");
    let nothing = |_: &str| Some(Expectation::Nothing);
    loop {
        let mut is_smaller = false;
        for (file, own) in files.iter().zip(&names) {
            let before = read(file)?;
            let others = files.iter().zip(&names).filter(|(other, _)| *other != file);
            let others: Vec<(String, Vec<u8>)> = others
                .map(|(other, name)| Ok((name.clone(), read(other)?)))
                .collect::<anyhow::Result<_>>()?;
            test.accompany(own, others);
            refuse_bad_tests(&test, file, &before)?;
            let status = of_text(task, file, &before, &nothing, &test)?;
            if status != Status::Fine {
                return Ok(status);
            }
            is_smaller |= read(file)? != before;
        }
        if !is_smaller {
            return Ok(Status::Fine);
        }
    }
}

/// Whether a file is C++ by its name, as compilers see it.
fn is_cpp(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    matches!(
        extension,
        Some(
            "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" | "hh" | "hpp" | "hxx" | "h++"
        )
    )
}

/// Reduces a file as a text.
fn of_text(
    task: &Task<'_>,
    file: &Path,
    before: &[u8],
    expecting: &Expecting<'_>,
    test: &Test,
) -> anyhow::Result<Status> {
    let Task { arguments, settings, stop, talk } = task;
    let text = std::str::from_utf8(before)
        .with_context(|| format!("`{}` is not UTF-8", file.display()))?;
    let mut line = Line::new(before.len() as u64);
    let what = format!("`{}`", file.display());
    let reduced = reduce::run_text(&what, text, expecting, test, settings, &mut |step| {
        line.tell(&step);
        if let Step::Best { text, .. } = step {
            save(arguments, file, before, text)?;
        }
        Ok(!stop.load(Ordering::Relaxed))
    });
    line.end();
    let reduced = reduced?;
    restore(file, before, &line, reduced.complete)?;
    talk.note(&line.summary(reduced.complete, &reduced.progress));
    line.print(arguments, file, reduced.complete, &reduced.progress)?;
    Ok(if reduced.complete { Status::Fine } else { Status::GaveUp })
}

/// Reduces the program of a finding, and stores what it comes to.
fn of_finding(
    arguments: &ReduceArguments,
    name: &Path,
    settings: &Settings,
    talk: Talk,
) -> anyhow::Result<Status> {
    let place = HuntPlace::find(&arguments.place)?;
    let mut store = Store::open_to_add(&place.directory)?;
    let finding = store.finding(&name.to_string_lossy())?;
    let claims = place.claims();
    let claimed = claims.as_ref().map(|claims| Claimed::new(claims, &finding));
    if matches!(claimed, Some(None)) {
        bail!("another machine analyses findings like {}: try again later", finding.name);
    }
    // One that was stopped continues from where it was.
    let earlier = store.reduction(&finding.name)?.filter(|_| !arguments.again);
    let mut sources =
        store.case(earlier.as_ref().map_or(&finding.case, |earlier| &earlier.case))?;
    let unfinished = store.unfinished_path(&finding.name)?;
    if let Ok(text) = fs::read_to_string(&unfinished)
        && !arguments.again
    {
        sources = vec![SourceText::new(PROGRAM, text)];
    }
    let stop = watch_signals()?;
    let bytes_of = |sources: &[SourceText]| sources.iter().map(|one| one.text.len() as u64).sum();
    let mut line = Line::new(bytes_of(&store.case(&finding.case)?));
    line.bytes = bytes_of(&sources);
    let sandbox = sandbox()?;
    let mut listener = |step: Step<'_>| {
        line.tell(&step);
        if let Step::Best { text, .. } = step {
            output::write(Some(&unfinished), text.as_bytes())?;
        }
        Ok(!stop.load(Ordering::Relaxed))
    };
    let hunt = store.settings()?;
    let subjects = match takes_a_vote(&finding) {
        true => known_subjects(&hunt, &sandbox, &std::env::temp_dir())?,
        false => Vec::new(),
    };
    let around =
        Surroundings { hunt: &hunt, suspect: None, subjects: &subjects, sandbox: &sandbox };
    let reduced = reduce_finding(&finding, &sources, &around, settings, &mut listener);
    line.end();
    let mut reduced = reduced?;
    if let Some(earlier) = &earlier {
        reduced.reduction.continue_from(earlier);
    }
    reduced.reduction.bytes_before = line.before;
    store.add_reduction(&reduced)?;
    let ReducedCase { reduction, sources, slips } = reduced;
    line.bytes = reduction.bytes_after;
    let progress = Progress {
        judged: usize::try_from(reduction.tests).unwrap_or(usize::MAX),
        undefined: usize::try_from(reduction.undefined).unwrap_or(usize::MAX),
        ..Progress::default()
    };
    // If it stays, the next reduction begins with it.
    let _ = fs::remove_file(&unfinished);
    talk.note(&line.summary(reduction.complete, &progress));
    for note in &reduction.notes {
        talk.note(note);
    }
    for (slip, _) in &slips {
        talk.note(&format!("another bug was found on the way: {} {}", slip.name, slip.kind()));
    }
    let path = store.case_path(&reduction.case).join(&*sources[0].name);
    match arguments.json {
        true => line.print(arguments, &path, reduction.complete, &progress)?,
        false => output::write(None, format!("{}\n", path.display()).as_bytes())?,
    }
    drop(claimed);
    place.finish()?;
    Ok(if reduction.complete { Status::Fine } else { Status::GaveUp })
}

/// The arguments with which a program is loaded.
fn program_arguments(arguments: &ReduceArguments, file: &Path) -> ProgramArguments {
    ProgramArguments {
        files: vec![file.to_owned()],
        standard: arguments.standard,
        target: arguments.target,
        include_dirs: arguments.include_dirs.clone(),
        defines: arguments.defines.clone(),
        undefines: Vec::new(),
        include: Vec::new(),
        cc: arguments.cc.clone(),
        preprocessed: false,
        permissive: arguments.permissive,
    }
}

/// A program as its text reads. Printed programs need no preprocessor.
fn parse(arguments: &ReduceArguments, text: &str) -> Option<Program> {
    let input = SourceText::new("candidate.c", text);
    let options = farrier_front::Options {
        target: arguments.target,
        dialect: arguments.standard.dialect(),
        permissive: arguments.permissive,
    };
    farrier_front::parse(&[input], &options).ok()
}

/// A script must accept the file as it is, and must not accept everything.
fn refuse_bad_tests(test: &Test, file: &Path, before: &[u8]) -> anyhow::Result<()> {
    if !test.is_script() {
        return Ok(());
    }
    if test.ask(before, &Expectation::Nothing)? == Interest::Boring {
        bail!(
            "the test does not accept `{}` as it is: it must exit with 0, in a directory with \
             nothing but the files to reduce; {}",
            file.display(),
            test.explain(before, &Expectation::Nothing)?
        );
    }
    if !test.has_others() && test.ask(b"", &Expectation::Nothing)? != Interest::Boring {
        bail!("the test accepts an empty file, so there is nothing to keep");
    }
    Ok(())
}

/// Keeps the best so far, and the original beside it.
fn save(arguments: &ReduceArguments, file: &Path, before: &[u8], text: &str) -> anyhow::Result<()> {
    let original = original_path(file);
    if !original.exists() && !arguments.tidy {
        output::write(Some(&original), before)?;
    }
    output::write(Some(file), text.as_bytes())
}

/// Puts the original back if a reduction was interrupted before anything was smaller.
fn restore(file: &Path, before: &[u8], line: &Line, complete: bool) -> anyhow::Result<()> {
    if !complete && line.bytes > line.before {
        output::write(Some(file), before)?;
    }
    Ok(())
}

/// Where the original is kept.
fn original_path(file: &Path) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".orig");
    name.into()
}

/// What became of the candidates, for each time that a pass ran.
struct Passes {
    /// How it was when the pass began, and when it ended; the time it took.
    rows: Vec<(Progress, Progress, Duration)>,
    bytes: Vec<usize>,
    counted: Instant,
}

impl Default for Passes {
    fn default() -> Self {
        Self { rows: Vec::new(), bytes: Vec::new(), counted: Instant::now() }
    }
}

impl Passes {
    fn count(&mut self, step: &Step<'_>) {
        let (Step::Best { progress, .. } | Step::Tried(progress)) = *step;
        let before = self.rows.last().map_or_else(Progress::default, |(_, last, _)| *last);
        // With fewer than before, another reduction has begun.
        let before = if before.judged > progress.judged { Progress::default() } else { before };
        if before.pass != progress.pass {
            self.rows.push((before, before, Duration::ZERO));
            self.bytes.push(self.bytes.last().copied().unwrap_or(0));
        }
        if let Some((_, last, time)) = self.rows.last_mut() {
            *last = *progress;
            *time += self.counted.elapsed();
        }
        if let (Step::Best { text, .. }, Some(bytes)) = (step, self.bytes.last_mut()) {
            *bytes = text.len();
        }
        self.counted = Instant::now();
    }

    fn table(&self) -> String {
        let mut table = format!(
            "{:<16} {:>10} {:>11} {:>9} {:>6} {:>11} {:>7} {:>7}\n",
            "pass", "ill-formed", "not smaller", "undefined", "tested", "interesting", "s", "bytes"
        );
        for ((before, after, time), bytes) in self.rows.iter().zip(&self.bytes) {
            let ill_formed = after.ill_formed - before.ill_formed;
            table.push_str(&format!(
                "{:<16} {:>10} {:>11} {:>9} {:>6} {:>11} {:>7.2} {:>7}\n",
                after.pass,
                ill_formed,
                after.refused - before.refused - ill_formed,
                after.undefined - before.undefined,
                after.judged - before.judged,
                after.accepted - before.accepted,
                time.as_secs_f64(),
                bytes,
            ));
        }
        table
    }
}

/// What the user sees while it runs.
struct Line {
    line: terminal::Line,
    started: Instant,
    before: u64,
    /// The size of the best so far.
    bytes: u64,
}

impl Line {
    fn new(before: u64) -> Self {
        let line = terminal::Line::new(TERMINAL_INTERVAL, Some(LINE_INTERVAL));
        Self { line, started: Instant::now(), before, bytes: before }
    }

    fn tell(&mut self, step: &Step<'_>) {
        let (Step::Best { progress, .. } | Step::Tried(progress)) = step;
        if let Step::Best { text, .. } = step {
            self.bytes = text.len() as u64;
        }
        let (bytes, percent) = (self.bytes, self.percent());
        let seconds = self.started.elapsed().as_secs_f64();
        self.line.show(|| {
            format!(
                "{bytes} bytes ({percent}), {} tests, {} undefined, {seconds:.0} s, {}",
                progress.judged, progress.undefined, progress.pass
            )
        });
    }

    fn end(&mut self) {
        self.line.clear();
    }

    fn percent(&self) -> String {
        format!("{:+.1} %", (self.bytes as f64 / self.before.max(1) as f64 - 1.0) * 100.0)
    }

    /// Prints the same as data, if that is wanted.
    fn print(
        &self,
        arguments: &ReduceArguments,
        file: &Path,
        complete: bool,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        if !arguments.json {
            return Ok(());
        }
        let document = json!({
            "file": file,
            "bytes_before": self.before,
            "bytes_after": self.bytes.min(self.before),
            "tests": progress.judged,
            "undefined": progress.undefined,
            "seconds": self.started.elapsed().as_secs_f64(),
            "complete": complete,
        });
        let text = serde_json::to_string_pretty(&document)? + "\n";
        output::write(None, text.as_bytes())
    }

    fn summary(&self, complete: bool, progress: &Progress) -> String {
        if self.bytes > self.before && !complete {
            return format!(
                "interrupted: it is not smaller than {} bytes yet, after {} tests in {:.1} s",
                self.before,
                progress.judged,
                self.started.elapsed().as_secs_f64()
            );
        }
        format!(
            "{} from {} to {} bytes ({}) with {} tests, {} undefined candidates left out, \
             in {:.1} s",
            if complete { "reduced" } else { "interrupted: reduced" },
            self.before,
            self.bytes,
            self.percent(),
            progress.judged,
            progress.undefined,
            self.started.elapsed().as_secs_f64()
        )
    }
}
