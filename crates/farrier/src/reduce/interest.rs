//! What makes a program interesting.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use farrier_harness::triage::{Accusation, Culprit, Jury, Lab, find_culprit, is_guilty, message};
use farrier_harness::{
    Bench, Conviction, Executed, Expectation, Extent, Family, FindingKind, Finished, Judgement,
    Limits, Outcome, Outfit, ProcessEnding, Runner, Sandbox, Scratch, Subject, TrialBounds,
    adapted, default_runner, judge,
};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Program, SourceText, Target};
use farrier_machine::{Options as Machine, Verdict, certify};
use farrier_synth::reduce::{Candidate, Interest};

use super::pace::Pace;
use super::slips::{Slip, Slips};
use super::{PROGRAM, Settings};
use crate::finding::{Finding, voted};
use crate::host::sandbox;
use crate::hunt::dressed;

/// How much a script may write before it is stopped.
const SCRIPT_BYTES: usize = 64 << 20;

/// So many lines of a test are shown.
const LAST_LINES: usize = 10;

/// How long the culprit is looked for before a reduction.
const CULPRIT_TIME: Duration = Duration::from_secs(30);

/// By what a bug with another culprit is known.
const OTHER_CULPRIT: &str = "something else is guilty";

/// What a test says, and what was seen if a compiler was asked.
type Answer = Interest<Option<Seen>>;

/// What a compiler does with a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    pub(crate) outcome: Outcome,
    /// By what it was judged.
    pub(crate) expectation: Expectation,
}

/// Who says whether a program is interesting.
#[derive(Debug)]
pub(crate) enum Test {
    /// A program of the user.
    Script(Script),
    /// A compiler that is wrong.
    Subject(Box<Accused>),
}

/// A program of the user, run where the file is.
#[derive(Debug)]
pub(crate) struct Script {
    /// The command; files in it have their whole paths.
    command: Vec<OsString>,
    /// The name of the file that it looks at.
    name: String,
    /// Other files that are there.
    others: Vec<(String, Vec<u8>)>,
    timeout: Duration,
}

/// A compiler that is wrong.
#[derive(Debug)]
pub(crate) struct Accused {
    subject: Subject,
    flags: Vec<String>,
    sandbox: Sandbox,
    bounds: TrialBounds,
    /// In which way it is wrong, once that is known: another class is another bug.
    kind: OnceLock<FindingKind>,
    /// What the compiler says, once that is known: another message is another bug.
    message: OnceLock<Option<String>>,
    /// The signal by which the program ends, once that is known: another one is another symptom.
    signal: OnceLock<Option<i32>>,
    /// What is guilty, if that is known: without it a candidate must be right.
    culprit: Option<Culprit>,
    /// Whether any way to be wrong will do.
    any: bool,
    /// What candidates wear, if the compiler gets C++.
    outfit: Option<Outfit>,
    /// Who says what a candidate does that the machine cannot judge.
    judges: Option<Judges>,
    /// Many cuts do not change the code: then it is not run again.
    executed: Executed,
    /// Whether there was an answer about any candidate.
    answered: AtomicBool,
    /// Directories for candidates, to be used again: each has a launcher that stays.
    places: Mutex<Vec<Scratch>>,
    pace: Pace,
    slips: Slips,
}

/// Who says what a candidate does, where it is judged by a vote of compilers.
#[derive(Debug)]
struct Judges {
    jury: Jury,
    /// With what the machine runs it: one that it finds undefined is of no use. `None` if that
    /// does not matter.
    machine: Option<Machine>,
    /// Whether it may take longer than that, as the first one does.
    may_be_long: bool,
}

/// How a compiler is wrong about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CompilerFault {
    pub(crate) conviction: Conviction,
    /// What tells it from others of its kind: what the compiler says, or that something else
    /// is guilty.
    pub(crate) mark: String,
    /// What happens.
    pub(crate) outcome: Outcome,
    /// By what it was judged.
    pub(crate) expectation: Expectation,
    /// Whether it is the bug that is reduced; if not, it is another one.
    pub(crate) is_same: bool,
}

impl CompilerFault {
    /// Whether it is the same bug as another, as far as can be seen.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let mark = |failure: &Self| (failure.conviction.kind(), failure.is_same);
        mark(self) == mark(other) && self.mark == other.mark
    }
}

/// How much time a program gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Time {
    /// A few times as much as those before it took.
    Short,
    /// All that there was when the failure was found.
    Full,
}

impl Test {
    /// A test by a script, which may have arguments, of these files.
    pub(crate) fn script(script: &Path, files: &[PathBuf], timeout: u64) -> anyhow::Result<Self> {
        let first = files.first().and_then(|file| file.file_name());
        let name = first.context("name a C file")?.to_string_lossy().into_owned();
        let command = script_command(script, files)?;
        let timeout = Duration::from_secs(timeout);
        Ok(Self::Script(Script { command, name, others: Vec::new(), timeout }))
    }

    /// A test by a compiler.
    ///
    /// Its flags must leave the language as it is, unless candidates may be undefined.
    pub(crate) fn subject(
        command: &str,
        target: &'static Target,
        timeout: u64,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        let any = settings.any_failure;
        let mut command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        // It will run elsewhere.
        if let Some(program) = command.first_mut()
            && program.contains('/')
        {
            let path = Path::new(program).canonicalize();
            let path = path.with_context(|| format!("cannot find `{program}`"))?;
            *program = path.to_string_lossy().into_owned();
        }
        // Without the flags that make it keep to C, a compiler would be accused of fused
        // operations. A wrapper of another name has to pass its own.
        let name = command.first().and_then(|program| program.rsplit('/').next()).unwrap_or("");
        let family = match name {
            name if name.contains("clang") => Family::Clang,
            name if name == "cc" || name.contains("gcc") => Family::Gcc,
            "pcc" => Family::Pcc,
            "tcc" => Family::Tcc,
            _ => Family::Other,
        };
        let mut flags = family.flags();
        if family == Family::Other {
            flags.push("-w".into());
        }
        // What is guilty is looked for among flags, so they must be known as such.
        let own = match family {
            Family::Other => Vec::new(),
            _ => command.split_off(1),
        };
        let words: Vec<String> = command.iter().chain(&own).cloned().collect();
        let runner = default_runner(target);
        let subject = Subject {
            name: "subject".into(),
            command,
            family,
            version: String::new(),
            banner: String::new(),
            triple: target.name.into(),
            target: Some(target),
            flags,
            libraries: vec!["-lm".into()],
            levels: Vec::new(),
            runner,
            // Who names a compiler takes a refusal for a fault.
            runtime: None,
            network: false,
            silent: false,
            extensions: true,
            recognised: "--subject".into(),
            aliases: Vec::new(),
        };
        let mut bounds = TrialBounds::default();
        bounds.compiler.streams.time = Duration::from_secs(timeout);
        let sandbox = sandbox()?;
        if settings.check_undefined && family != Family::Other {
            let adapted = adapted(&subject, &own, &sandbox, &std::env::temp_dir())?;
            match adapted.as_ref().map(|adapted| adapted.target) {
                Ok(Some(made)) if made != target => {
                    bail!("with these flags it compiles for {0}: add --target {0}", made.name)
                }
                Ok(_) => {}
                Err(why) => bail!("`{}` cannot judge programs: {why}", words.join(" ")),
            }
        }
        let accused = Accused { bounds, any, ..Accused::new(subject, own, sandbox) };
        Ok(Self::Subject(Box::new(accused)))
    }

    /// A test by the compiler of a finding, with its flags.
    pub(crate) fn finding(finding: &Finding, sandbox: &Sandbox, any: bool) -> Self {
        let (subject, flags) = (finding.subject.clone(), finding.flags.clone());
        let kind = OnceLock::from(finding.kind());
        let message = OnceLock::from(message(&finding.outcome));
        let signal = OnceLock::from(signal(&finding.outcome));
        let new = Accused::new(subject, flags, sandbox.clone());
        let outfit = finding.recipe.outfit.clone();
        Self::Subject(Box::new(Accused { kind, message, signal, any, outfit, ..new }))
    }

    /// What candidates wear, if the compiler gets C++.
    pub(crate) fn outfit(&self) -> Option<&Outfit> {
        match self {
            Self::Script(_) => None,
            Self::Subject(accused) => accused.outfit.as_ref(),
        }
    }

    /// Lets candidates wear something else.
    pub(crate) fn wear(&mut self, outfit: Outfit) {
        if let Self::Subject(accused) = self {
            accused.outfit = Some(outfit);
        }
    }

    /// The files of a program in its text, as the compiler gets them.
    pub(crate) fn files(&self, text: &str) -> Vec<SourceText> {
        match self {
            Self::Script(_) => vec![SourceText::new(PROGRAM, text)],
            Self::Subject(accused) => accused.sources(text),
        }
    }

    /// What it says of a candidate. What shows another bug is kept.
    pub(crate) fn judge(&self, candidate: &Candidate) -> anyhow::Result<Answer> {
        let text = candidate.text();
        let Some(expectation) = self.expected(candidate) else { return Ok(Interest::Boring) };
        let Self::Subject(accused) = self else { return self.ask(text.as_bytes(), &expectation) };
        let failure = accused.failure(text, &expectation, Time::Short)?;
        if let Some(failure) = failure.as_ref().filter(|failure| !failure.is_same)
            && candidate.program().is_some()
            && accused.outfit.is_none()
        {
            let slip = || Slip::new(failure.clone(), text);
            // That it cannot be looked at does no harm: the candidate is not needed.
            let is_new = || accused.is_new(text, &expectation, failure).unwrap_or(false);
            accused.slips.keep(failure, is_new, slip);
        }
        Ok(interest(failure))
    }

    /// What is expected of a candidate; `None` if it is of no use.
    pub(crate) fn expected(&self, candidate: &Candidate) -> Option<Expectation> {
        match candidate.certified() {
            Some(certified) => Some(Expectation::certified(certified)),
            None if self.is_by_vote() => self.expected_by_vote(candidate.program().cloned()),
            None => Some(Expectation::Nothing),
        }
    }

    /// What is expected of a text that was read as a program, or that cannot be read, where
    /// compilers vote; `None` if it is of no use.
    pub(crate) fn expected_by_vote(&self, program: Option<Program>) -> Option<Expectation> {
        match (program, self.judges()) {
            (Some(program), Some(Judges { machine: Some(machine), may_be_long, .. })) => {
                voted(program, machine, *may_be_long).ok()
            }
            _ => Some(Expectation::agreement("the machine was not asked".to_owned())),
        }
    }

    /// Lets compilers vote about every candidate of a program that the machine cannot judge. With a
    /// machine, undefined candidates are of no use, nor those that take too long, unless the
    /// program does.
    pub(crate) fn appoint(
        &mut self,
        jury: Jury,
        machine: Option<Machine>,
        program: Option<&Program>,
    ) {
        let Self::Subject(accused) = self else { return };
        let runs = machine.as_ref().zip(program.cloned());
        let is_long = |(machine, program)| {
            certify(program, machine)
                .is_err_and(|verdict| matches!(*verdict, Verdict::Exhausted(_)))
        };
        let may_be_long = runs.is_some_and(is_long);
        accused.judges = Some(Judges { jury, machine, may_be_long });
    }

    /// Whether compilers vote about candidates.
    pub(crate) fn is_by_vote(&self) -> bool {
        self.judges().is_some()
    }

    /// Which compilers vote about candidates, in words.
    pub(crate) fn jury(&self) -> Option<String> {
        self.judges().map(|judges| judges.jury.describe())
    }

    fn judges(&self) -> Option<&Judges> {
        match self {
            Self::Script(_) => None,
            Self::Subject(accused) => accused.judges.as_ref(),
        }
    }

    /// What it says of a text.
    pub(crate) fn ask(&self, text: &[u8], expectation: &Expectation) -> anyhow::Result<Answer> {
        match self {
            Self::Script(script) => script.ask(text),
            Self::Subject(accused) => {
                let text = String::from_utf8_lossy(text);
                Ok(interest(accused.failure(&text, expectation, Time::Short)?))
            }
        }
    }

    /// What it says of a result, with all of the time that there was when the failure was found.
    pub(crate) fn confirm(&self, text: &str, expectation: &Expectation) -> anyhow::Result<Answer> {
        match self {
            Self::Script(script) => script.ask(text.as_bytes()),
            Self::Subject(accused) => {
                Ok(interest(accused.failure(text, expectation, Time::Full)?))
            }
        }
    }

    /// Why a text is not interesting: how a script ends on it, and what it says, or what the
    /// compiler does with it.
    pub(crate) fn explain(&self, text: &[u8], expectation: &Expectation) -> anyhow::Result<String> {
        match self {
            Self::Script(script) => script.explain(text),
            Self::Subject(accused) => accused.explain(&String::from_utf8_lossy(text), expectation),
        }
    }

    /// Whether a script looks at other files, too.
    pub(crate) fn has_others(&self) -> bool {
        matches!(self, Self::Script(script) if !script.others.is_empty())
    }

    /// Gives a script other files beside the one that is reduced.
    pub(crate) fn accompany(&mut self, name: &str, others: Vec<(String, Vec<u8>)>) {
        if let Self::Script(script) = self {
            script.name = name.to_owned();
            script.others = others;
        }
    }

    /// Finds out what is guilty of the failure of a program, and holds on to it: from now on
    /// a candidate must be right without it. `suspect` is who was guilty of a program like
    /// this one. Returns who is; `None` if that is not known or does not matter.
    pub(crate) fn hold(
        &mut self,
        text: &str,
        expectation: &Expectation,
        suspect: Option<&Culprit>,
    ) -> anyhow::Result<Option<String>> {
        match self {
            Self::Script(_) => Ok(None),
            Self::Subject(accused) => accused.hold(text, expectation, suspect),
        }
    }

    /// Whether the compiler lets a program that does nothing exit with something else than
    /// 0, as those do that know only C90: then every program whose `main` returns nothing
    /// shows the same, and none shows what is looked for.
    pub(crate) fn forgets_main(&self) -> anyhow::Result<bool> {
        match self {
            Self::Script(_) => Ok(false),
            Self::Subject(accused) => accused.forgets_main(),
        }
    }

    /// Whether it is known that wrong code is looked for.
    pub(crate) fn is_about_code(&self) -> bool {
        match self {
            Self::Script(_) => false,
            Self::Subject(accused) => accused.kind.get().is_some_and(|kind| kind.is_wrong_code()),
        }
    }

    /// Whether it is a program of the user.
    pub(crate) fn is_script(&self) -> bool {
        matches!(self, Self::Script(_))
    }

    /// Gives candidates more time from now on; whether that changes anything.
    pub(crate) fn be_patient(&self) -> bool {
        match self {
            Self::Script(_) => false,
            Self::Subject(accused) => accused.pace.be_patient(),
        }
    }

    /// The other bugs that were met.
    pub(crate) fn into_slips(self) -> Vec<Slip> {
        match self {
            Self::Script(_) => Vec::new(),
            Self::Subject(accused) => accused.slips.into_kept(),
        }
    }
}

/// What a failure means for a reduction.
fn interest(failure: Option<CompilerFault>) -> Answer {
    match failure {
        Some(CompilerFault { is_same: true, outcome, expectation, .. }) => {
            Interest::Interesting(Some(Seen { outcome, expectation }))
        }
        _ => Interest::Boring,
    }
}

impl Script {
    fn ask(&self, text: &[u8]) -> anyhow::Result<Answer> {
        Ok(match self.run(text)?.ending {
            ProcessEnding::Exited(status) if status.success() => Interest::Interesting(None),
            _ => Interest::Boring,
        })
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the script of the user runs as they would run it"
    )]
    fn run(&self, text: &[u8]) -> anyhow::Result<Finished> {
        let scratch = Scratch::new(&std::env::temp_dir())?;
        let files = self.others.iter().map(|(name, bytes)| (name, &bytes[..]));
        for (name, bytes) in files.chain([(&self.name, text)]) {
            fs::write(scratch.path().join(name), bytes).context("cannot write a candidate")?;
        }
        let limits =
            Limits { time: self.timeout, stdout_bytes: SCRIPT_BYTES, stderr_bytes: SCRIPT_BYTES };
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).current_dir(scratch.path());
        Ok(farrier_harness::run(&mut command, b"", &limits)?)
    }

    /// How it ends on a text, and the last lines that it writes.
    fn explain(&self, text: &[u8]) -> anyhow::Result<String> {
        let finished = self.run(text)?;
        let how = match finished.ending {
            ProcessEnding::Exited(status) => format!("it ends with {status}"),
            ProcessEnding::TimedOut | ProcessEnding::Starved(_) => {
                format!(
                    "it does not end within {} s: --timeout allows more",
                    self.timeout.as_secs()
                )
            }
            _ => "it was stopped".to_owned(),
        };
        let said = [finished.stdout, finished.stderr].concat();
        let said = String::from_utf8_lossy(&said).trim_end().to_owned();
        let lines: Vec<&str> = said.lines().collect();
        let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
        Ok(if last.is_empty() { how } else { format!("{how}, with\n  {}", last.join("\n  ")) })
    }
}

/// The command of a test: an executable file, or words of which the first is one.
fn script_command(script: &Path, files: &[PathBuf]) -> anyhow::Result<Vec<OsString>> {
    let is_executable = |path: &Path| {
        fs::metadata(path)
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    let text = script.to_string_lossy();
    if script.is_file() {
        if let (false, [file]) = (is_executable(script), files)
            && is_executable(file)
        {
            bail!(
                "the test comes before the file: did you mean `farrier reduce {} {}`?",
                file.display(),
                script.display()
            );
        }
        if !is_executable(script) {
            bail!("the test `{0}` cannot be executed: chmod +x {0}", script.display());
        }
        return Ok(vec![script.canonicalize().context("cannot find the test")?.into()]);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() < 2 {
        bail!("cannot read the test `{}`: there is no such file", script.display());
    }
    // It runs elsewhere, so files get their whole paths, but those that are reduced are there.
    let is_reduced = |word: &str| files.iter().any(|file| file == Path::new(word));
    let whole = |(index, word): (usize, &str)| match Path::new(word).canonicalize() {
        _ if is_reduced(word) => Path::new(word).file_name().unwrap_or_default().to_owned(),
        // The first word is looked for in the search path, unless it is a path itself.
        Ok(path) if word.contains('/') || index > 0 && path.is_file() => path.into(),
        _ => OsString::from(word),
    };
    Ok(words.into_iter().enumerate().map(whole).collect())
}

impl Accused {
    fn new(subject: Subject, flags: Vec<String>, sandbox: Sandbox) -> Self {
        Self {
            subject,
            flags,
            sandbox,
            bounds: TrialBounds::default(),
            kind: OnceLock::new(),
            message: OnceLock::new(),
            signal: OnceLock::new(),
            culprit: None,
            any: false,
            outfit: None,
            judges: None,
            executed: Executed::default(),
            answered: AtomicBool::new(false),
            places: Mutex::default(),
            pace: Pace::default(),
            slips: Slips::default(),
        }
    }

    /// The compiler, and its flags.
    pub(super) fn parties(&self) -> (&Subject, &[String]) {
        (&self.subject, &self.flags)
    }

    /// The files of a program in its text, as the compiler gets them: with the C++ that is made
    /// of it, if it gets that.
    fn sources(&self, text: &str) -> Vec<SourceText> {
        let plain = vec![SourceText::new(PROGRAM, text)];
        let Some(outfit) = &self.outfit else { return plain };
        let options = farrier_front::Options::new(self.subject.target.unwrap_or(&X86_64_LINUX));
        dressed(&plain, &options, outfit).unwrap_or(plain)
    }

    /// What the compiler does with a text about which it is not wrong.
    fn explain(&self, text: &str, expectation: &Expectation) -> anyhow::Result<String> {
        let outcome = self.outcome(&self.sources(text), &self.bounds, Time::Full, expectation)?;
        let words = outcome.describe();
        let name = [&self.subject.command[..], &self.flags].concat().join(" ");
        Ok(match judge(&self.subject, expectation, &outcome) {
            Judgement::Agrees => format!("`{name}` is right about it: {words}"),
            Judgement::Inconclusive(why) => format!("`{name}` cannot be judged: {why}"),
            _ => format!("`{name}`: {words}"),
        })
    }

    /// How the compiler is wrong about a text, if it is.
    fn failure(
        &self,
        text: &str,
        expectation: &Expectation,
        time: Time,
    ) -> anyhow::Result<Option<CompilerFault>> {
        let bounds = match time {
            Time::Full => self.bounds,
            Time::Short => {
                let certificate = expectation.certificate();
                self.pace.shorter(&self.bounds, self.kind.get(), certificate, text.len())
            }
        };
        let sources = self.sources(text);
        // A candidate of another tier than the flags need is not tried.
        let for_kind = self.kind.get().map_or(expectation, |kind| expectation.for_kind(*kind));
        let mut outcome = self.outcome(&sources, &bounds, time, for_kind)?;
        let has_failed = |outcome: &Outcome| matches!(outcome, Outcome::Infrastructure { .. });
        let is_first = !self.answered.load(Ordering::Relaxed);
        // The machine may be busy, and all depends on the first answer.
        if has_failed(&outcome) && time == Time::Short && is_first {
            outcome = self.outcome(&sources, &self.bounds, Time::Full, for_kind)?;
        }
        self.answered.fetch_or(!has_failed(&outcome), Ordering::Relaxed);
        let voted = match &self.judges {
            Some(judges) => self.settled(judges, &sources, for_kind, &outcome, &bounds)?,
            None => None,
        };
        let known = voted.as_ref().unwrap_or(expectation);
        let expectation = voted.as_ref().unwrap_or(for_kind);
        match judge(&self.subject, expectation, &outcome) {
            Judgement::Finding(conviction) => {
                let failure = self.told_apart(conviction, outcome, known.clone());
                if !failure.is_same || self.any {
                    return Ok(Some(CompilerFault { is_same: self.any, ..failure }));
                }
                let Some(culprit) = &self.culprit else { return Ok(Some(failure)) };
                let guilty = self.still_guilty(culprit, &sources, expectation, &bounds)?;
                Ok(guilty.map(|guilty| match guilty {
                    true => failure,
                    false => {
                        CompilerFault { mark: OTHER_CULPRIT.to_owned(), is_same: false, ..failure }
                    }
                }))
            }
            // Some programs take the driver of a GPU down with them, and the next ones run again.
            Judgement::Infrastructure(_)
                if self.kind.get().is_some() && matches!(self.subject.runner, Runner::Gpu(_)) =>
            {
                Ok(None)
            }
            // One that got no processor is not needed.
            Judgement::Infrastructure(_)
                if time == Time::Short && self.answered.load(Ordering::Relaxed) =>
            {
                Ok(None)
            }
            Judgement::Infrastructure(what) => bail!("the program cannot be tested: {what}"),
            Judgement::Agrees | Judgement::Inconclusive(_) => Ok(None),
        }
    }

    /// What is known of a program that the machine cannot judge once compilers have voted about it:
    /// nothing, if they say nothing against the accused one.
    fn settled(
        &self,
        judges: &Judges,
        sources: &[SourceText],
        expectation: &Expectation,
        outcome: &Outcome,
        bounds: &TrialBounds,
    ) -> anyhow::Result<Option<Expectation>> {
        let is_unknown = matches!(expectation, Expectation::Agreement { .. });
        // All other outcomes mean the same whatever the program does.
        if !is_unknown || !matches!(outcome, Outcome::Ran { .. } | Outcome::RunCrash { .. }) {
            return Ok(None);
        }
        let kind = self.kind.get().copied().unwrap_or(FindingKind::WrongOutput);
        let stop = AtomicBool::new(false);
        let evidence = Accusation { subject: &self.subject, sources, expectation, kind };
        let lab = Lab::within(evidence, &self.sandbox, self.take_place()?, None, &stop)
            .in_haste(bounds.compiler.streams.time, bounds.program.streams.time);
        let verdict = judges.jury.verdict(&lab, outcome);
        self.give_back(lab.into_scratch());
        Ok(Some(match verdict {
            Ok(majority) => Expectation::Agreement {
                why: "the machine cannot judge it".to_owned(),
                majority: Some(majority),
            },
            Err(why) => Expectation::agreement(why),
        }))
    }

    /// What the compiler does with a program.
    fn outcome(
        &self,
        sources: &[SourceText],
        bounds: &TrialBounds,
        time: Time,
        expectation: &Expectation,
    ) -> anyhow::Result<Outcome> {
        // What is wrong with a compiler shows before anything is linked.
        let of_compiler = |kind: &FindingKind| !kind.is_wrong_code() && !self.any;
        let extent = match self.kind.get().is_some_and(of_compiler) {
            true => Extent::Compile,
            false => Extent::Run,
        };
        let executed = (time == Time::Short).then_some(&self.executed);
        let scratch = self.take_place()?;
        let (sandbox, path) = (&self.sandbox, scratch.path());
        let bench = Bench { sandbox, bounds: *bounds, scratch: path, extent, executed };
        let started = Instant::now();
        let trial = bench.try_out(&self.subject, &self.flags, sources, expectation);
        match trial.outcome {
            Outcome::Compiled => self.pace.ended(started.elapsed()),
            Outcome::Ran { .. } if !trial.reused => self.pace.ran(started.elapsed()),
            _ => {}
        }
        self.give_back(scratch);
        Ok(trial.outcome)
    }

    /// A failure, and whether it is the one that is looked for as far as its kind and the
    /// message of the compiler say. The first decides what is looked for.
    fn told_apart(
        &self,
        conviction: Conviction,
        outcome: Outcome,
        expectation: Expectation,
    ) -> CompilerFault {
        let said = message(&outcome);
        let kind = conviction.kind();
        let is_same = may_become(*self.kind.get_or_init(|| kind), kind)
            && *self.message.get_or_init(|| said.clone()) == said
            && *self.signal.get_or_init(|| signal(&outcome)) == signal(&outcome);
        let mark = said.unwrap_or_default();
        CompilerFault { conviction, mark, outcome, expectation, is_same }
    }

    fn hold(
        &mut self,
        text: &str,
        expectation: &Expectation,
        suspect: Option<&Culprit>,
    ) -> anyhow::Result<Option<String>> {
        let failure = self.failure(text, expectation, Time::Short)?;
        let Some(failure) = failure.filter(|failure| failure.is_same) else { return Ok(None) };
        let expectation = &failure.expectation;
        let Self { subject, flags, sandbox, .. } = &*self;
        let kind = self.kind.get().copied().filter(|kind| kind.is_wrong_code());
        let (Some(kind), false) = (kind, self.any) else { return Ok(None) };
        let sources = self.sources(text);
        let evidence = Accusation { subject, sources: &sources, expectation, kind };
        let stop = AtomicBool::new(false);
        let deadline = Instant::now() + CULPRIT_TIME;
        let base = std::env::temp_dir();
        let mut lab = Lab::new(evidence, sandbox, &base, Some(deadline), &stop)?;
        let Ok(outcome) = lab.observe(flags) else { return Ok(None) };
        let without_level = [&flags[..], &["-O0".to_owned()]].concat();
        let found = match suspect {
            Some(Culprit::Unknown { .. }) => return Ok(None),
            // Then there is nothing to switch off.
            _ if lab.fails(&without_level) == Some(true) => return Ok(None),
            Some(suspect) if is_guilty(&lab, flags, suspect) == Some(true) => suspect.clone(),
            _ => find_culprit(&lab, flags, &outcome),
        };
        let held = is_guilty(&lab, flags, &found) == Some(true);
        drop(lab);
        self.culprit = held.then_some(found);
        Ok(self.culprit.as_ref().and_then(Culprit::name).map(str::to_owned))
    }

    /// Whether the culprit that is held is guilty of what a program shows; `None` if that
    /// cannot be said.
    fn still_guilty(
        &self,
        culprit: &Culprit,
        sources: &[SourceText],
        expectation: &Expectation,
        bounds: &TrialBounds,
    ) -> anyhow::Result<Option<bool>> {
        let Some(kind) = self.kind.get().copied() else { return Ok(None) };
        let stop = AtomicBool::new(false);
        let evidence = Accusation { subject: &self.subject, sources, expectation, kind };
        let lab = Lab::within(evidence, &self.sandbox, self.take_place()?, None, &stop)
            .in_haste(bounds.compiler.streams.time, bounds.program.streams.time);
        let guilty = is_guilty(&lab, &self.flags, culprit);
        self.give_back(lab.into_scratch());
        Ok(guilty)
    }

    /// Whether another failure happens every time and is not the bug that is reduced in another
    /// guise: one wrong pass gives wrong outputs, wrong exit statuses and crashes.
    fn is_new(
        &self,
        text: &str,
        expectation: &Expectation,
        failure: &CompilerFault,
    ) -> anyhow::Result<bool> {
        let again = self.failure(text, expectation, Time::Short)?;
        let Some(again) = again.filter(|again| again.is_like(failure)) else { return Ok(false) };
        let Some(culprit) = &self.culprit else { return Ok(true) };
        let sources = self.sources(text);
        Ok(!failure.conviction.kind().is_wrong_code()
            || self.still_guilty(culprit, &sources, &again.expectation, &self.bounds)?
                == Some(false))
    }

    fn forgets_main(&self) -> anyhow::Result<bool> {
        let sources = [SourceText::new(PROGRAM, "int main(void) {}\n")];
        let options = farrier_front::Options::new(self.subject.target.unwrap_or(&X86_64_LINUX));
        let nothing = farrier_front::parse(&sources, &options).ok();
        let Some(Ok(nothing)) = nothing.map(|program| certify(program, &Machine::default())) else {
            return Ok(false);
        };
        let scratch = self.take_place()?;
        let bench = Bench { bounds: self.bounds, ..Bench::new(&self.sandbox, scratch.path()) };
        let expectation = Expectation::certified(&nothing);
        let outcome = bench.try_out(&self.subject, &self.flags, &sources, &expectation).outcome;
        self.give_back(scratch);
        let judgement = judge(&self.subject, &expectation, &outcome);
        Ok(judgement.kind() == Some(FindingKind::WrongExit))
    }

    /// A directory for a candidate.
    fn take_place(&self) -> anyhow::Result<Scratch> {
        let used = self.places.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match used {
            Some(used) => {
                used.clear()?;
                Ok(used)
            }
            None => Ok(Scratch::new(&std::env::temp_dir())?),
        }
    }

    fn give_back(&self, scratch: Scratch) {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }
}

/// The signal by which a compiled program ends.
fn signal(outcome: &Outcome) -> Option<i32> {
    match outcome {
        Outcome::RunCrash { signal, .. } => *signal,
        _ => None,
    }
}

/// Whether a program that fails in one way may become one that fails in another. A wrong number is
/// wrong wherever it is seen, and an endless loop costs all of its time at every try, so that it
/// may become one. A crash stays a crash.
fn may_become(kind: FindingKind, other: FindingKind) -> bool {
    use FindingKind::{RunHang, WrongExit, WrongOutput};
    kind == other
        || matches!(kind, WrongOutput | WrongExit | RunHang)
            && matches!(other, WrongOutput | WrongExit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_code_may_only_become_clearer() {
        use FindingKind::{
            CompilerCrash, CompilerHang, RunCrash, RunHang, ValidProgramRejected, WrongExit,
            WrongOutput,
        };
        for (kind, allowed) in [
            (WrongOutput, &[WrongOutput, WrongExit][..]),
            (WrongExit, &[WrongOutput, WrongExit]),
            (RunCrash, &[RunCrash]),
            (RunHang, &[WrongOutput, WrongExit, RunHang]),
            (CompilerCrash, &[CompilerCrash]),
            (CompilerHang, &[CompilerHang]),
            (ValidProgramRejected, &[ValidProgramRejected]),
        ] {
            let may = FindingKind::ALL.into_iter().filter(|other| may_become(kind, *other));
            assert_eq!(may.collect::<Vec<_>>(), allowed, "{kind}");
        }
    }
}
