//! Reducing, as the command, the hunt and reports do it: who asks the compilers, and what
//! becomes of a finding. docs/design/reduce.md explains the passes and the engine.

mod test;

use std::time::Instant;

use anyhow::bail;
use farrier_front::Input;
use farrier_harness::{FindingKind, Sandbox, Source};
use farrier_lang::print::guards::WRAPPER_PREFIX;
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, Program};
use farrier_machine::{Behavior, Ending, Options as Machine, Verdict};
use farrier_synth::reduce::{
    Candidate, Hopeless, Judge, Options, Progress, Reduced, ReducedText, TextJudge, reduce,
    reduce_text, token_count,
};

use crate::store::{Basis, Finding, case_hash};
pub(crate) use test::{Answer, Test};

/// How many operations of the machine a candidate may take, unless something else is said.
pub(crate) const STEPS: u64 = 100_000_000;

/// The name of the file of a reduced program.
pub(crate) const PROGRAM: &str = "program.c";

/// How many bugs beside the one that is reduced are kept of one reduction.
const MOST_SLIPS: usize = 3;

/// How to reduce.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// How many candidates are tried at once.
    pub(crate) jobs: usize,
    /// What a run of the machine may cost.
    pub(crate) steps: u64,
    /// Whether a candidate must be defined.
    pub(crate) check_undefined: bool,
    /// Whether another kind of failure will do as well.
    pub(crate) any_failure: bool,
}

/// What happens in a reduction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    /// There is a new best.
    Best {
        /// Its text.
        text: &'a str,
        /// How far the reduction is.
        progress: &'a Progress,
    },
    /// Something was tried.
    Tried(&'a Progress),
}

/// Who is told what happens, and says whether to go on.
pub(crate) type Watch<'a> = dyn FnMut(Step<'_>) -> anyhow::Result<bool> + 'a;

/// Another bug that was met on the way.
#[derive(Clone, Debug)]
pub(crate) struct Slip {
    pub(crate) kind: FindingKind,
    pub(crate) text: String,
    pub(crate) expected: Behavior,
    pub(crate) actual: String,
}

/// What a reduction came to.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) result: Result<Reduced, Hopeless>,
    /// What happens with the best, in words where there are any.
    pub(crate) actual: String,
    pub(crate) slips: Vec<Slip>,
}

/// The text of a program.
pub(crate) fn text_of(program: &Program) -> String {
    print(program, &PrintOptions::default())
}

/// Reduces a program as long as a test finds it interesting. `read` reads the text of a
/// candidate. An error says that testing is not possible at all.
pub(crate) fn run(
    program: &Program,
    read: &dyn Fn(&str) -> Option<Program>,
    test: &Test,
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> anyhow::Result<Session> {
    let reread = |program: &Program| read(&text_of(program));
    let options = Options {
        machine: Machine { steps: settings.steps, ..Machine::default() },
        check_undefined: settings.check_undefined,
        width: settings.jobs,
        reread: Some(&reread),
    };
    let mut asker = Asker::new(test, watch);
    let mut result = reduce(program, &mut asker, &options);
    if let Ok(reduced) = &mut result {
        spell_out_guards(reduced, read, &mut asker, &options);
    }
    if let Some(trouble) = asker.trouble.take() {
        return Err(trouble);
    }
    let Asker { best, slips, .. } = asker;
    if let Ok(reduced) = &result
        && reduced.progress.accepted > 0
    {
        let text = text_of(reduced.best.program());
        confirm(test, &text, reduced.best.behavior())?;
    }
    Ok(Session { result, actual: best, slips })
}

/// The result has all of the time that the original had.
fn confirm(test: &Test, text: &str, expected: Option<&Behavior>) -> anyhow::Result<()> {
    if !test.run_fully(text.as_bytes(), expected)?.is_interesting() {
        bail!("the small program does not fail when it gets more time, or not every time");
    }
    Ok(())
}

/// A guard is a call of a function that the text brings along, and so is what may be wrong
/// inside of it. If guards are left, their functions become a part of the program and are
/// reduced with it; what has fewer tokens in the end is the result.
fn spell_out_guards(
    reduced: &mut Reduced,
    read: &dyn Fn(&str) -> Option<Program>,
    asker: &mut Asker<'_, '_>,
    options: &Options<'_>,
) {
    let text = text_of(reduced.best.program());
    if !reduced.complete || !text.contains(WRAPPER_PREFIX) {
        return;
    }
    let Some(program) = read(&text.replace(WRAPPER_PREFIX, "guard_")) else { return };
    let actual = asker.best.clone();
    asker.most_tokens = Some(token_count(&text));
    let other = reduce(&program, asker, options);
    asker.most_tokens = None;
    match other {
        Ok(other) if token_count(&text_of(other.best.program())) < token_count(&text) => {
            let mut progress = other.progress;
            progress.before = reduced.progress.before;
            progress.judged += reduced.progress.judged;
            progress.accepted += reduced.progress.accepted;
            progress.refused += reduced.progress.refused;
            progress.undefined += reduced.progress.undefined;
            *reduced = Reduced { progress, ..other };
        }
        _ => asker.best = actual,
    }
}

/// Reduces a text of which nothing is known, as long as a test finds it interesting.
pub(crate) fn run_text(
    text: &str,
    test: &Test,
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> anyhow::Result<Result<ReducedText, Hopeless>> {
    let mut asker = Asker::new(test, watch);
    let result = reduce_text(text, &mut asker, settings.jobs);
    if let Some(trouble) = asker.trouble.take() {
        return Err(trouble);
    }
    if let Ok(reduced) = &result
        && reduced.progress.accepted > 0
    {
        confirm(test, &reduced.best, None)?;
    }
    Ok(result)
}

/// Asks the test about candidates, several at once.
struct Asker<'a, 'b> {
    test: &'a Test,
    watch: &'a mut Watch<'b>,
    /// What keeps us from going on.
    trouble: Option<anyhow::Error>,
    /// What happens with the best.
    best: String,
    /// What happens with the candidates of the last question that were interesting.
    last: Vec<String>,
    slips: Vec<Slip>,
    /// Where there is a better one already, the number of its tokens: what has more is
    /// nobody's best.
    most_tokens: Option<usize>,
}

impl<'a, 'b> Asker<'a, 'b> {
    fn new(test: &'a Test, watch: &'a mut Watch<'b>) -> Self {
        let (best, last) = (String::new(), Vec::new());
        Self { test, watch, trouble: None, best, last, slips: Vec::new(), most_tokens: None }
    }

    /// Runs the test on each candidate, at once.
    fn ask<C: Sync>(
        &self,
        candidates: &[C],
        ask: impl Fn(&C) -> anyhow::Result<Answer> + Sync,
    ) -> Vec<anyhow::Result<Answer>> {
        if let [one] = candidates {
            return vec![ask(one)];
        }
        let ask = &ask;
        std::thread::scope(|scope| {
            let threads: Vec<_> = candidates
                .iter()
                .map(|candidate| {
                    std::thread::Builder::new()
                        .stack_size(farrier_lang::STACK_BYTES)
                        .spawn_scoped(scope, move || ask(candidate))
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| match thread.map(|thread| thread.join()) {
                    Ok(Ok(answer)) => answer,
                    Ok(Err(_)) => Err(anyhow::anyhow!("a test panicked")),
                    Err(error) => Err(anyhow::Error::new(error).context("no more threads")),
                })
                .collect()
        })
    }

    fn watch(&mut self, step: Step<'_>) -> bool {
        match (self.watch)(step) {
            Ok(go_on) => go_on && self.trouble.is_none(),
            Err(error) => {
                self.trouble = Some(error);
                false
            }
        }
    }

    /// Keeps a candidate that shows another bug, if that happens every time.
    fn keep_slip(&mut self, candidate: &Candidate, kind: FindingKind, actual: String) {
        let known = self.slips.iter().any(|slip| slip.kind == kind);
        let Some(expected) = candidate.behavior() else { return };
        if known || self.slips.len() >= MOST_SLIPS {
            return;
        }
        let text = text_of(candidate.program());
        let again = self.test.run(text.as_bytes(), Some(expected));
        if matches!(again, Ok(Answer::Slip(second, _)) if second == kind) {
            self.slips.push(Slip { kind, text, expected: expected.clone(), actual });
        }
    }
}

impl Judge for Asker<'_, '_> {
    fn judge(&mut self, candidates: &[Candidate]) -> Option<Vec<bool>> {
        self.last.clear();
        let mut verdicts = Vec::new();
        let test = self.test;
        let ask = |candidate: &Candidate| {
            test.run(text_of(candidate.program()).as_bytes(), candidate.behavior())
        };
        for (answer, candidate) in self.ask(candidates, ask).into_iter().zip(candidates) {
            match answer {
                Ok(Answer::Interesting(actual)) => {
                    verdicts.push(true);
                    self.last.push(actual);
                }
                Ok(Answer::Boring) => verdicts.push(false),
                Ok(Answer::Slip(kind, actual)) => {
                    verdicts.push(false);
                    self.keep_slip(candidate, kind, actual);
                }
                Err(error) => {
                    self.trouble = Some(error);
                    return None;
                }
            }
        }
        if self.best.is_empty() {
            self.best = self.last.first().cloned().unwrap_or_default();
        }
        Some(verdicts)
    }

    fn accept(&mut self, best: &Candidate, progress: &Progress) {
        // The engine takes the first that is interesting.
        self.best = self.last.first().cloned().unwrap_or_default();
        let text = text_of(best.program());
        if self.most_tokens.is_none_or(|most| token_count(&text) < most) {
            self.watch(Step::Best { text: &text, progress });
        }
    }

    fn tick(&mut self, progress: &Progress) -> bool {
        self.watch(Step::Tried(progress))
    }
}

impl TextJudge for Asker<'_, '_> {
    fn judge(&mut self, texts: &[String]) -> Option<Vec<bool>> {
        let test = self.test;
        let answers = self.ask(texts, |text: &String| test.run(text.as_bytes(), None));
        let mut verdicts = Vec::new();
        for answer in answers {
            match answer {
                Ok(answer) => verdicts.push(answer.is_interesting()),
                Err(error) => {
                    self.trouble = Some(error);
                    return None;
                }
            }
        }
        Some(verdicts)
    }

    fn accept(&mut self, text: &str, progress: &Progress) {
        self.watch(Step::Best { text, progress });
    }

    fn tick(&mut self, progress: &Progress) -> bool {
        self.watch(Step::Tried(progress))
    }
}

/// Why nothing can be reduced; `what` is the program.
pub(crate) fn explain(hopeless: &Hopeless, what: &str) -> anyhow::Error {
    match hopeless {
        Hopeless::Unreadable => {
            anyhow::anyhow!("{what} cannot be printed and read again: this is a bug in Farrier")
        }
        Hopeless::Undefined(verdict) => {
            let why = match &**verdict {
                Verdict::Undefined(ub) => {
                    format!("is undefined ({}): {}", ub.kind.name(), ub.message)
                }
                Verdict::Unspecified(found) => format!("has no one meaning: {}", found.message),
                Verdict::Unsupported(found) => {
                    format!("uses what the machine does not model: {}", found.feature)
                }
                Verdict::Exhausted(_) => "takes too long in the machine; see --steps".to_owned(),
                Verdict::Defined(_) => "is defined".to_owned(),
            };
            anyhow::anyhow!(
                "{what} {why}; `farrier check` shows where, \
                 --no-ub-check reduces it all the same"
            )
        }
        Hopeless::Boring => anyhow::anyhow!(
            "there is nothing to keep: the test does not fail on {what} as Farrier prints it"
        ),
        Hopeless::Flaky => {
            anyhow::anyhow!("the test is not reliable: it said yes and then no to the same program")
        }
        Hopeless::Stopped => anyhow::anyhow!("interrupted before anything was found"),
    }
}

/// A finding with a small program.
#[derive(Clone, Debug)]
pub(crate) struct Reduction {
    /// The name of the finding.
    pub(crate) finding: String,
    /// The program, in one file.
    pub(crate) sources: Vec<Source>,
    /// What it must do; where that was not asked, what the original must do.
    pub(crate) expected: Behavior,
    /// What happens instead, for people.
    pub(crate) actual: String,
    pub(crate) bytes_before: u64,
    pub(crate) bytes_after: u64,
    /// How often the compiler was asked.
    pub(crate) tests: u64,
    /// How many candidates were not defined and did not get that far.
    pub(crate) undefined: u64,
    pub(crate) seconds: f64,
    /// Whether nothing smaller can be found.
    pub(crate) complete: bool,
    /// Other bugs that were met, each with its program.
    pub(crate) slips: Vec<(Finding, Vec<Source>)>,
}

impl Reduction {
    /// The hash of the program, by which it is stored.
    pub(crate) fn case(&self) -> String {
        case_hash(&self.sources)
    }
}

/// Reduces the program of a finding, of one file or several, to one small file with which the
/// same compiler, with the same flags, is wrong in the same way. Nothing is stored; `watch`
/// says whether to go on, and what was reached until it does not is the result.
pub(crate) fn reduce_finding(
    finding: &Finding,
    sources: &[Source],
    sandbox: &Sandbox,
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> anyhow::Result<Reduction> {
    let started = Instant::now();
    let test = Test::finding(finding, sandbox, settings.any_failure)?;
    let settings = match finding.basis {
        Basis::Machine => *settings,
        // Nothing is known of the program, so there is nothing to preserve.
        Basis::Compiler => Settings { check_undefined: false, ..*settings },
        Basis::Vote => bail!(
            "{} was judged by a vote of compilers: it is not known what the program does, so \
             reduce it with a script of your own",
            finding.name
        ),
    };
    let target = finding.subject.subject().target.unwrap_or(&X86_64_LINUX);
    let options = farrier_front::Options { target, dialect: Dialect::default(), permissive: false };
    let input = |name: &str, text: &str| Input { name: name.into(), text: text.into() };
    let inputs: Vec<Input> =
        sources.iter().map(|source| input(&source.name, &source.text)).collect();
    let program = match farrier_front::parse(&inputs, &options) {
        Ok(program) => program,
        Err(failure) => bail!("the program cannot be read: {}", failure.diagnostic.message),
    };
    let read = |text: &str| farrier_front::parse(&[input(PROGRAM, text)], &options).ok();
    let session = run(&program, &read, &test, &settings, watch)?;
    let reduced = session.result.map_err(|hopeless| {
        explain(&hopeless, &format!("the program of finding {}", finding.name))
    })?;
    let text = text_of(reduced.best.program());
    let expected = reduced.best.behavior().cloned().unwrap_or_else(|| finding.expected());
    let slips = session.slips.into_iter().map(|slip| slip_finding(finding, slip)).collect();
    let bytes = |sources: &[Source]| sources.iter().map(|source| source.text.len() as u64).sum();
    let reduced_sources = vec![Source { name: PROGRAM.to_owned(), text }];
    Ok(Reduction {
        finding: finding.name.clone(),
        bytes_before: bytes(sources),
        bytes_after: bytes(&reduced_sources),
        sources: reduced_sources,
        expected,
        actual: session.actual,
        tests: reduced.progress.judged as u64,
        undefined: reduced.progress.undefined as u64,
        seconds: started.elapsed().as_secs_f64(),
        complete: reduced.complete,
        slips,
    })
}

/// The finding that a slip is: its program descends from that of another.
fn slip_finding(origin: &Finding, slip: Slip) -> (Finding, Vec<Source>) {
    let sources = vec![Source { name: PROGRAM.to_owned(), text: slip.text }];
    let case = case_hash(&sources);
    let identity = format!("{} {} {:?} {case}", slip.kind, origin.subject.name, origin.flags);
    let finding = Finding {
        name: blake3::hash(identity.as_bytes()).to_hex()[..10].to_owned(),
        kind: slip.kind.name().to_owned(),
        case,
        expected_output: slip.expected.output.clone(),
        expected_status: match slip.expected.ending {
            Ending::Exit(status) => Some(status),
            Ending::Abort => None,
        },
        steps: slip.expected.steps,
        actual: slip.actual,
        seen: String::new(),
        ..origin.clone()
    };
    (finding, sources)
}

/// Brings `settings` in line with the machine: as many at once as there are processors.
pub(crate) fn jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Default for Settings {
    fn default() -> Self {
        Self { jobs: jobs(), steps: STEPS, check_undefined: true, any_failure: false }
    }
}
