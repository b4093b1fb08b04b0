//! What makes a program interesting.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use farrier_harness::triage::{Culprit, Evidence, Lab, find_culprit, is_guilty, message};
use farrier_harness::{
    Bench, Certificate, Conviction, Ending, Executed, Expectation, Extent, Family, FindingKind,
    Judgement, Limits, Outcome, Sandbox, Scratch, Subject, TrialBounds, default_runner, judge,
};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, SourceText, Target};
use farrier_machine::{Options, certify};

use crate::finding::Finding;
use crate::host::sandbox;

/// How much a script may write before it is stopped.
const SCRIPT_BYTES: usize = 64 << 20;

/// How long a compiled candidate may run, unless it is long. One that needs more is refused,
/// which is never wrong, and many candidates for wrong code do not end.
const RUN_TIME: Duration = Duration::from_secs(1);

/// It may run so many times as long as another took to be compiled and run, but not less
/// than this.
const RUN_LONGER: u64 = 3;
const LEAST_RUN_TIME: Duration = Duration::from_millis(100);

/// How many operations of the machine a compiled program does at least in a millisecond, on a
/// busy machine and without optimisation.
const STEPS_PER_MILLISECOND: u64 = 2_000;

/// How long a compiler that does not end is watched, unless the program is long or others took
/// longer and ended; the result has all of the time again.
const COMPILER_TIME: Duration = Duration::from_secs(1);

/// How many bytes a compiler reads at least in a second, on a busy machine.
const BYTES_PER_SECOND: u64 = 20_000;

/// How many times longer than any that ended a compiler must take to be one that does not.
const LONGER: u32 = 5;

/// How many times longer everything may take once too little time has misled us.
const MORE_PATIENCE: u32 = 8;

/// How long the culprit is looked for before a reduction.
const CULPRIT_TIME: Duration = Duration::from_secs(30);

/// What a test says of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// It shows what is to be kept: this, if a compiler was asked.
    Interesting(Option<Outcome>),
    Boring,
    /// The compiler is wrong, but in another way: that is another bug.
    Slip(Slipped),
}

/// How another bug shows itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Slipped {
    pub(crate) conviction: Conviction,
    /// What tells it from others of its kind: what the compiler says, or that something else
    /// is guilty.
    pub(crate) mark: String,
    /// What happens.
    pub(crate) outcome: Outcome,
}

impl Slipped {
    /// Whether it is the same bug, as far as can be seen.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.conviction.kind(), &self.mark) == (other.conviction.kind(), &other.mark)
    }
}

impl Answer {
    /// Whether it shows what is to be kept.
    pub(crate) fn is_interesting(&self) -> bool {
        matches!(self, Self::Interesting(_))
    }
}

/// How long things take.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// The longest that the compiler took for a candidate and ended, in milliseconds.
    longest: AtomicU64,
    /// How long the last candidate took that was compiled and ran to its end, in
    /// milliseconds; 0 if there was none.
    last: AtomicU64,
    /// By how many times more all limits are larger.
    patience: AtomicU32,
}

/// A test.
#[derive(Debug)]
pub(crate) enum Test {
    /// A program of the user, run where the file is.
    Script { script: PathBuf, name: String, timeout: Duration },
    /// A compiler that is wrong.
    Subject {
        subject: Box<Subject>,
        flags: Vec<String>,
        sandbox: Box<Sandbox>,
        bounds: Box<TrialBounds>,
        /// In which way it is wrong, once that is known: another class is another bug.
        kind: OnceLock<FindingKind>,
        /// What the compiler says, once that is known: another message is another bug.
        message: OnceLock<Option<String>>,
        /// What is guilty, if that is known: without it a candidate must be right.
        culprit: Option<Culprit>,
        /// Whether any way to be wrong will do.
        any: bool,
        /// Many cuts do not change the code: then it is not run again.
        executed: Executed,
        /// Directories for candidates, to be used again: each has a launcher that stays.
        places: Mutex<Vec<Scratch>>,
        pace: Pace,
    },
}

impl Test {
    /// A test by a script.
    pub(crate) fn script(script: &Path, file: &Path, timeout: u64) -> anyhow::Result<Self> {
        let found = fs::metadata(script)
            .with_context(|| format!("cannot read the test `{}`", script.display()))?;
        if !found.is_file() || found.permissions().mode() & 0o111 == 0 {
            bail!("the test `{0}` cannot be executed: chmod +x {0}", script.display());
        }
        let script = script.canonicalize().context("cannot find the test")?;
        let name = file.file_name().context("name a C file")?.to_string_lossy().into_owned();
        Ok(Self::Script { script, name, timeout: Duration::from_secs(timeout) })
    }

    /// A test by a compiler.
    pub(crate) fn subject(
        command: &str,
        target: &'static Target,
        timeout: u64,
        any: bool,
    ) -> anyhow::Result<Self> {
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
            extensions: true,
            recognised: "--subject".into(),
            aliases: Vec::new(),
        };
        let mut bounds = TrialBounds::default();
        bounds.compiler.streams.time = Duration::from_secs(timeout);
        Ok(Self::Subject {
            subject: Box::new(subject),
            flags: own,
            sandbox: Box::new(sandbox()?),
            bounds: Box::new(bounds),
            kind: OnceLock::new(),
            message: OnceLock::new(),
            culprit: None,
            any,
            executed: Executed::default(),
            places: Mutex::default(),
            pace: Pace::default(),
        })
    }

    /// A test by the compiler of a finding, with its flags.
    pub(crate) fn finding(finding: &Finding, sandbox: &Sandbox, any: bool) -> Self {
        Self::Subject {
            subject: Box::new(finding.subject.subject()),
            flags: finding.flags.clone(),
            sandbox: Box::new(sandbox.clone()),
            bounds: Box::default(),
            kind: OnceLock::from(finding.kind()),
            message: OnceLock::new(),
            culprit: None,
            any,
            executed: Executed::default(),
            places: Mutex::default(),
            pace: Pace::default(),
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
        match self.run(text.as_bytes(), expectation)? {
            Answer::Interesting(_) => {}
            Answer::Boring | Answer::Slip(_) => return Ok(None),
        }
        let Self::Subject { subject, flags, sandbox, kind, culprit, any: false, .. } = self else {
            return Ok(None);
        };
        let Some(kind) = kind.get().copied().filter(|kind| kind.is_wrong_code()) else {
            return Ok(None);
        };
        let sources = [SourceText::new("program.c", text)];
        let evidence = Evidence { subject, sources: &sources, expectation, kind };
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
        *culprit = held.then_some(found);
        Ok(culprit.as_ref().and_then(Culprit::name).map(str::to_owned))
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
        let Self::Subject { subject, flags, sandbox, kind, places, .. } = self else {
            return Ok(None);
        };
        let Some(kind) = kind.get().copied() else { return Ok(None) };
        let stop = AtomicBool::new(false);
        let evidence = Evidence { subject, sources, expectation, kind };
        let lab = Lab::within(evidence, sandbox, take_place(places)?, None, &stop)
            .in_haste(bounds.compiler.streams.time, bounds.program.streams.time);
        let guilty = is_guilty(&lab, flags, culprit);
        give_back(places, lab.into_scratch());
        Ok(guilty)
    }

    /// Whether a slip happens every time and is not the bug that is reduced in another guise:
    /// one wrong pass gives wrong outputs, wrong exit statuses and crashes.
    pub(crate) fn is_new(
        &self,
        text: &str,
        expectation: &Expectation,
        slipped: &Slipped,
    ) -> anyhow::Result<bool> {
        let again = self.run(text.as_bytes(), expectation)?;
        if !matches!(again, Answer::Slip(second) if second.is_like(slipped)) {
            return Ok(false);
        }
        let Self::Subject { culprit: Some(culprit), bounds, .. } = self else { return Ok(true) };
        let sources = [SourceText::new("program.c", text)];
        Ok(!slipped.conviction.kind().is_wrong_code()
            || self.still_guilty(culprit, &sources, expectation, bounds)? == Some(false))
    }

    /// Whether the compiler lets a program that does nothing exit with something else than
    /// 0, as those do that know only C90: then every program whose `main` returns nothing
    /// shows the same, and none shows what is looked for.
    pub(crate) fn forgets_main(&self) -> anyhow::Result<bool> {
        let Self::Subject { subject, flags, sandbox, bounds, places, .. } = self else {
            return Ok(false);
        };
        let sources = [SourceText::new("program.c", "int main(void) {}\n")];
        let options = farrier_front::Options {
            target: subject.target.unwrap_or(&X86_64_LINUX),
            dialect: Dialect::default(),
            permissive: false,
        };
        let nothing = farrier_front::parse(&sources, &options).ok();
        let Some(Ok(nothing)) = nothing.map(|program| certify(program, &Options::default())) else {
            return Ok(false);
        };
        let scratch = take_place(places)?;
        let bench = Bench { bounds: **bounds, ..Bench::new(sandbox, scratch.path()) };
        let outcome = bench.try_out(subject, flags, &sources).outcome;
        give_back(places, scratch);
        let judgement = judge(subject, &Expectation::certified(&nothing), &outcome);
        Ok(judgement.kind() == Some(FindingKind::WrongExit))
    }

    /// Whether it is known that wrong code is looked for.
    pub(crate) fn is_about_code(&self) -> bool {
        matches!(self, Self::Subject { kind, .. } if kind.get().is_some_and(|it| it.is_wrong_code()))
    }

    /// Whether it is a program of the user.
    pub(crate) fn is_script(&self) -> bool {
        matches!(self, Self::Script { .. })
    }

    /// Gives candidates more time from now on; whether that changes anything.
    pub(crate) fn be_patient(&self) -> bool {
        match self {
            Self::Script { .. } => false,
            Self::Subject { pace, .. } => {
                pace.patience.swap(MORE_PATIENCE, Ordering::Relaxed) != MORE_PATIENCE
            }
        }
    }

    /// Tests a text. An error says that testing is not possible at all.
    pub(crate) fn run(&self, text: &[u8], expectation: &Expectation) -> anyhow::Result<Answer> {
        self.run_for(text, expectation, false)
    }

    /// Tests a text with all of the time that there was when the failure was found.
    pub(crate) fn run_fully(
        &self,
        text: &[u8],
        expectation: &Expectation,
    ) -> anyhow::Result<Answer> {
        self.run_for(text, expectation, true)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the script of the user runs as they would run it"
    )]
    fn run_for(
        &self,
        text: &[u8],
        expectation: &Expectation,
        full: bool,
    ) -> anyhow::Result<Answer> {
        match self {
            Self::Script { script, name, timeout } => {
                let scratch = Scratch::new(&std::env::temp_dir())?;
                fs::write(scratch.path().join(name), text).context("cannot write a candidate")?;
                let limits = Limits {
                    time: *timeout,
                    stdout_bytes: SCRIPT_BYTES,
                    stderr_bytes: SCRIPT_BYTES,
                };
                let mut command = Command::new(script);
                command.current_dir(scratch.path());
                let finished = farrier_harness::run(&mut command, b"", &limits)?;
                Ok(match finished.ending {
                    Ending::Exited(status) if status.success() => Answer::Interesting(None),
                    _ => Answer::Boring,
                })
            }
            Self::Subject {
                subject,
                flags,
                sandbox,
                bounds,
                kind,
                message: wanted,
                culprit,
                any,
                executed,
                places,
                pace,
            } => {
                let bounds = match full {
                    true => **bounds,
                    false => {
                        shorter(bounds, kind.get(), expectation.certificate(), text.len(), pace)
                    }
                };
                let text = String::from_utf8_lossy(text).into_owned();
                let source = SourceText::new("program.c", text);
                let scratch = take_place(places)?;
                let sources = &[source];
                // What is wrong with a compiler shows before anything is linked.
                let of_compiler = |kind: &FindingKind| !kind.is_wrong_code() && !any;
                let extent = match kind.get().is_some_and(of_compiler) {
                    true => Extent::Compile,
                    false => Extent::Run,
                };
                let executed = (!full).then_some(executed);
                let bench = Bench { sandbox, bounds, scratch: scratch.path(), extent, executed };
                let started = Instant::now();
                let trial = bench.try_out(subject, flags, sources);
                match trial.outcome {
                    Outcome::Compiled => pace.ended(started.elapsed()),
                    Outcome::Ran { .. } if !trial.reused => pace.ran(started.elapsed()),
                    _ => {}
                }
                let outcome = trial.outcome;
                give_back(places, scratch);
                let judgement = judge(subject, expectation, &outcome);
                match judgement {
                    Judgement::Finding(conviction) => {
                        let said = message(&outcome);
                        let found = conviction.kind();
                        let same = may_become(*kind.get_or_init(|| found), found)
                            && *wanted.get_or_init(|| said.clone()) == said;
                        let interesting = || Answer::Interesting(Some(outcome.clone()));
                        let slip = |mark| {
                            let (conviction, outcome) = (conviction.clone(), outcome.clone());
                            Answer::Slip(Slipped { conviction, mark, outcome })
                        };
                        if *any {
                            return Ok(interesting());
                        } else if !same {
                            return Ok(slip(said.unwrap_or_default()));
                        }
                        let Some(culprit) = culprit else { return Ok(interesting()) };
                        let guilty = self.still_guilty(culprit, sources, expectation, &bounds)?;
                        Ok(match guilty {
                            Some(true) => interesting(),
                            Some(false) => slip(OTHER_CULPRIT.to_owned()),
                            None => Answer::Boring,
                        })
                    }
                    Judgement::Infrastructure(what) => {
                        bail!("the program cannot be tested: {what}")
                    }
                    _ => Ok(Answer::Boring),
                }
            }
        }
    }
}

/// Whether a program that fails in one way may become one that fails in another. All wrong code
/// is one class, and what writes or returns a wrong number is understood best: a crash or an
/// endless loop may become that, but not the other way round.
fn may_become(kind: FindingKind, other: FindingKind) -> bool {
    kind == other || kind.is_wrong_code() && other <= kind.max(FindingKind::WrongExit)
}

/// By what a bug with another culprit is known.
const OTHER_CULPRIT: &str = "something else is guilty";

/// A directory for a candidate.
fn take_place(places: &Mutex<Vec<Scratch>>) -> anyhow::Result<Scratch> {
    let used = places.lock().unwrap_or_else(PoisonError::into_inner).pop();
    match used {
        Some(used) => {
            used.clear()?;
            Ok(used)
        }
        None => Ok(Scratch::new(&std::env::temp_dir())?),
    }
}

fn give_back(places: &Mutex<Vec<Scratch>>, scratch: Scratch) {
    places.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
}

impl Pace {
    /// The compiler ended after this time.
    fn ended(&self, time: Duration) {
        self.longest.fetch_max(milliseconds(time), Ordering::Relaxed);
    }

    /// A candidate was compiled and ran in this time.
    fn ran(&self, time: Duration) {
        self.last.store(milliseconds(time).max(1), Ordering::Relaxed);
    }

    /// How long a compiled candidate may run that does little. To be compiled takes most of
    /// the time of those that end.
    fn run_time(&self, kind: Option<&FindingKind>) -> Duration {
        match self.last.load(Ordering::Relaxed) {
            last if last > 0 && kind != Some(&FindingKind::RunHang) => {
                Duration::from_millis(last.saturating_mul(RUN_LONGER))
                    .clamp(LEAST_RUN_TIME, RUN_TIME)
            }
            _ => RUN_TIME,
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The time that a candidate of so many bytes gets.
fn shorter(
    bounds: &TrialBounds,
    kind: Option<&FindingKind>,
    certificate: Option<&Certificate>,
    bytes: usize,
    pace: &Pace,
) -> TrialBounds {
    let mut bounds = *bounds;
    let patience = pace.patience.load(Ordering::Relaxed).max(1);
    let steps = certificate.map_or(0, |certificate| certificate.behavior().steps);
    let run = pace.run_time(kind) + Duration::from_millis(steps / STEPS_PER_MILLISECOND);
    let time = &mut bounds.program.streams.time;
    *time = (*time).min(run * patience);
    if kind == Some(&FindingKind::CompilerHang) {
        let longest = Duration::from_millis(pace.longest.load(Ordering::Relaxed));
        let read = COMPILER_TIME + Duration::from_millis(bytes as u64 * 1000 / BYTES_PER_SECOND);
        let time = &mut bounds.compiler.streams.time;
        *time = (*time).min(read.max(longest * LONGER) * patience);
    }
    bounds
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
            (RunCrash, &[WrongOutput, WrongExit, RunCrash]),
            (RunHang, &[WrongOutput, WrongExit, RunCrash, RunHang]),
            (CompilerCrash, &[CompilerCrash]),
            (CompilerHang, &[CompilerHang]),
            (ValidProgramRejected, &[ValidProgramRejected]),
        ] {
            let may = FindingKind::ALL.into_iter().filter(|other| may_become(kind, *other));
            assert_eq!(may.collect::<Vec<_>>(), allowed, "{kind}");
        }
    }

    #[test]
    fn a_candidate_runs_a_few_times_as_long_as_the_one_before() {
        let pace = Pace::default();
        let time = |kind, pace: &Pace| {
            let bounds = shorter(&TrialBounds::default(), Some(&kind), None, 100, pace);
            bounds.program.streams.time.as_millis()
        };
        assert_eq!(time(FindingKind::WrongExit, &pace), 1000);
        pace.ran(Duration::from_millis(60));
        assert_eq!(time(FindingKind::WrongExit, &pace), 180);
        assert_eq!(time(FindingKind::RunHang, &pace), 1000);
        pace.ran(Duration::from_millis(5));
        assert_eq!(time(FindingKind::WrongOutput, &pace), 100);
        pace.ran(Duration::from_secs(20));
        assert_eq!(time(FindingKind::RunCrash, &pace), 1000);
    }

    #[test]
    fn a_hang_is_seen_after_a_few_times_what_others_took() {
        let pace = Pace::default();
        let time = |bytes, pace: &Pace| {
            let kind = Some(&FindingKind::CompilerHang);
            let bounds = shorter(&TrialBounds::default(), kind, None, bytes, pace);
            bounds.compiler.streams.time.as_millis()
        };
        assert_eq!(time(100, &pace), 1005);
        assert_eq!(time(80_000, &pace), 5000);
        pace.ended(Duration::from_millis(400));
        pace.ended(Duration::from_millis(100));
        assert_eq!(time(100, &pace), 2000);
        pace.patience.store(MORE_PATIENCE, Ordering::Relaxed);
        assert_eq!(time(100, &pace), 16_000);
        assert_eq!(time(800_000, &pace), TrialBounds::default().compiler.streams.time.as_millis());
        let other = Some(&FindingKind::CompilerCrash);
        let bounds = shorter(&TrialBounds::default(), other, None, 100, &pace);
        assert_eq!(bounds.compiler, TrialBounds::default().compiler);
    }
}
