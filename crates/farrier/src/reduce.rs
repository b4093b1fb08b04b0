//! Reducing, as the command, the hunt and reports do it: who asks the compilers, and what
//! becomes of a finding. docs/design/reduce.md explains the passes and the engine.

mod interest;

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::bail;
use farrier_harness::triage::{Culprit, minimise};
use farrier_harness::{Certificate, Expectation, Outcome, Recipe, Sandbox, case_name};
use farrier_lang::print::guards::WRAPPER_PREFIX;
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, Program, SourceText};
use farrier_machine::{Ending, Options as Machine, Verdict, certify};
use farrier_synth::reduce::{
    self, Candidate, Hopeless, Judge, Opinion, Options, Progress, Reduced, ReducedText, Workers,
    reduce, reduce_text, returned_by_main, self_checking, token_count,
};

use crate::finding::{Basis, Finding, Reduction};
use crate::hunt::prepare;
use interest::Slipped;
pub(crate) use interest::{Answer, Test};

/// How many operations of the machine a candidate may take, unless something else is said.
pub(crate) const STEPS: u64 = 100_000_000;

/// The name of the file of a reduced program.
pub(crate) const PROGRAM: &str = "program.c";

/// How many bugs beside the one that is reduced are kept of one reduction.
const MOST_SLIPS: usize = 4;

/// How many candidates of one reduction are looked at for other bugs.
const MOST_LOOKS: usize = 20;

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
    slipped: Slipped,
    text: String,
    /// What the program must do, if that is known.
    expectation: Expectation,
}

impl fmt::Display for Slip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Slipped { conviction, mark, .. } = &self.slipped;
        let kind = conviction.kind();
        if mark.is_empty() { write!(f, "{kind}") } else { write!(f, "{kind}, {mark}") }
    }
}

/// What a reduction came to.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) result: Result<Reduced, Hopeless>,
    pub(crate) slips: Vec<Slip>,
    /// What happens with the result, if a compiler was asked.
    pub(crate) outcome: Option<Outcome>,
}

/// By what compilers are judged with a candidate.
fn expectation_of(candidate: &Candidate) -> Expectation {
    match candidate {
        Candidate::Certified(certified) => Expectation::certified(certified),
        Candidate::Plain(_) => Expectation::Nothing,
    }
}

/// The text of a program.
pub(crate) fn text_of(program: &Program) -> String {
    print(program, &PrintOptions::default())
}

/// Reduces a program as long as a test finds it interesting. `read` reads the text of a
/// candidate. An error says that testing is not possible at all.
pub(crate) fn run(
    program: &Program,
    read: &(dyn Fn(&str) -> Option<Program> + Sync),
    test: &Test,
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> anyhow::Result<Session> {
    let reread = |program: &Program| read(&text_of(program));
    let options = Options {
        machine: Machine { steps: settings.steps, ..Machine::default() },
        check_undefined: settings.check_undefined,
        workers: workers(settings),
        reread: Some(&reread),
    };
    let must_return =
        settings.check_undefined && returned_by_main(program).is_some() && test.forgets_main()?;
    loop {
        let asker = Asker::new(test, must_return);
        let mut teller = Teller { asker: &asker, watch: &mut *watch, most_tokens: None };
        let mut result = reduce(program, &asker, &mut |step| teller.tell(step), &options);
        if let Ok(reduced) = &mut result {
            spell_out_guards(reduced, read, &mut teller, &options);
            check_itself(reduced, read, &mut teller, &options);
        }
        let Asker { trouble, slips, .. } = asker;
        if let Some(trouble) = inside(trouble) {
            return Err(trouble);
        }
        let sure = match &result {
            Ok(reduced) => {
                let text = text_of(reduced.best.program());
                match test.run_fully(text.as_bytes(), &expectation_of(&reduced.best))? {
                    Answer::Interesting(outcome) => Some(outcome),
                    // It is the program that was there before.
                    _ => (reduced.progress.accepted == 0).then_some(None),
                }
            }
            Err(_) => Some(None),
        };
        if let Some(outcome) = sure {
            return Ok(Session { result, slips: inside(slips), outcome });
        }
        // Slow was taken for endless.
        if !test.be_patient() {
            bail!(UNRELIABLE);
        }
    }
}

/// Where the small program computes its exit status, lets it exit with 0 if that is right: so
/// the suites of compilers want it, and a person sees at once what is wrong. This makes the
/// program a bit larger, so it is done at the end, if the compiler is still wrong then.
fn check_itself(
    reduced: &mut Reduced,
    read: &dyn Fn(&str) -> Option<Program>,
    teller: &mut Teller<'_, '_>,
    options: &Options<'_>,
) {
    let test = teller.asker.test;
    let status = match reduced.best.behavior().map(|behavior| behavior.ending) {
        Some(Ending::Exit(status)) if status != 0 => status,
        _ => return,
    };
    if !reduced.complete || !test.is_about_code() {
        return;
    }
    let Some(text) = self_checking(reduced.best.program(), status).map(|it| text_of(&it)) else {
        return;
    };
    let Some(Ok(certified)) = read(&text).map(|program| certify(program, &options.machine)) else {
        return;
    };
    if certified.behavior().ending != Ending::Exit(0) {
        return;
    }
    // What keeps the test from saying anything was heard before.
    let expectation = Expectation::certified(&certified);
    if let Ok(Answer::Interesting(_)) = test.run(text.as_bytes(), &expectation) {
        reduced.best = Candidate::Certified(Box::new(certified));
        reduced.progress.judged += 1;
        teller.most_tokens = None;
        teller.tell(reduce::Step::Best(&reduced.best, &reduced.progress));
    }
}

/// Lets a test hold on to what is guilty of the failure of a program, if that matters; returns
/// its name. `suspect` is who seems to be guilty.
pub(crate) fn hold(
    program: &Program,
    test: &mut Test,
    suspect: Option<&Culprit>,
    settings: &Settings,
) -> anyhow::Result<Option<String>> {
    if test.is_script() || settings.any_failure || !settings.check_undefined {
        return Ok(None);
    }
    let machine = Machine { steps: settings.steps, ..Machine::default() };
    // What is undefined is refused later, with the reason.
    let Ok(certified) = certify(program.clone(), &machine) else { return Ok(None) };
    test.hold(&text_of(program), &Expectation::certified(&certified), suspect)
}

/// What is said if a result fails only for want of time, or not every time.
const UNRELIABLE: &str =
    "the small program does not fail when it gets more time, or not every time";

/// A guard is a call of a function that the text brings along, and so is what may be wrong
/// inside of it. If guards are left, their functions become a part of the program and are
/// reduced with it; what has fewer tokens in the end is the result.
fn spell_out_guards(
    reduced: &mut Reduced,
    read: &dyn Fn(&str) -> Option<Program>,
    teller: &mut Teller<'_, '_>,
    options: &Options<'_>,
) {
    let text = text_of(reduced.best.program());
    if !reduced.complete || !text.contains(WRAPPER_PREFIX) {
        return;
    }
    let Some(program) = read(&text.replace(WRAPPER_PREFIX, "guard_")) else { return };
    teller.most_tokens = Some(token_count(&text));
    let asker = teller.asker;
    let other = reduce(&program, asker, &mut |step| teller.tell(step), options);
    if let Ok(other) = other
        && token_count(&text_of(other.best.program())) < token_count(&text)
    {
        let mut progress = other.progress;
        progress.before = reduced.progress.before;
        progress.judged += reduced.progress.judged;
        progress.accepted += reduced.progress.accepted;
        progress.refused += reduced.progress.refused;
        progress.ill_formed += reduced.progress.ill_formed;
        progress.undefined += reduced.progress.undefined;
        *reduced = Reduced { progress, ..other };
    }
}

/// Reduces a text of which nothing is known, as long as a test finds it interesting.
pub(crate) fn run_text(
    text: &str,
    test: &Test,
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> anyhow::Result<Result<ReducedText, Hopeless>> {
    let asker = Asker::new(test, false);
    let mut tell = |step: reduce::Step<'_, str>| match step {
        reduce::Step::Best(text, progress) => asker.tell(watch, Step::Best { text, progress }),
        reduce::Step::Tried(progress) => asker.tell(watch, Step::Tried(progress)),
    };
    let result = reduce_text(text, &asker, &mut tell, workers(settings));
    if let Some(trouble) = inside(asker.trouble) {
        return Err(trouble);
    }
    if let Ok(reduced) = &result
        && reduced.progress.accepted > 0
    {
        // It has all of the time that the original had.
        let nothing = &Expectation::Nothing;
        if !test.run_fully(reduced.best.as_bytes(), nothing)?.is_interesting() {
            bail!(UNRELIABLE);
        }
    }
    Ok(result)
}

/// Asks the test about candidates, several at once.
struct Asker<'a> {
    test: &'a Test,
    /// What keeps us from going on.
    trouble: Mutex<Option<anyhow::Error>>,
    slips: Mutex<Vec<Slip>>,
    /// How often somebody looked whether a candidate shows another bug.
    looks: AtomicUsize,
    /// Whether `main` must end by returning something.
    must_return: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn inside<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Asker<'a> {
    fn new(test: &'a Test, must_return: bool) -> Self {
        Self {
            must_return,
            test,
            trouble: Mutex::default(),
            slips: Mutex::default(),
            looks: AtomicUsize::new(0),
        }
    }

    /// What an answer means for a reduction.
    fn opinion(&self, answer: anyhow::Result<Answer>, slip: impl FnOnce(Slipped)) -> Opinion {
        match answer {
            Ok(Answer::Interesting(_)) => Opinion::Interesting(String::new()),
            Ok(Answer::Boring) => Opinion::Boring,
            Ok(Answer::Slip(slipped)) => {
                slip(slipped);
                Opinion::Boring
            }
            Err(error) => {
                lock(&self.trouble).get_or_insert(error);
                Opinion::Stop
            }
        }
    }

    /// Tells what happens; whether to go on.
    fn tell(&self, watch: &mut Watch<'_>, step: Step<'_>) -> bool {
        match watch(step) {
            Ok(go_on) => go_on && lock(&self.trouble).is_none(),
            Err(error) => {
                *lock(&self.trouble) = Some(error);
                false
            }
        }
    }

    /// Keeps a candidate that shows another bug, if that happens every time.
    fn keep_slip(&self, candidate: &Candidate, slipped: Slipped) {
        let full = |slips: &[Slip]| {
            slips.len() >= MOST_SLIPS || slips.iter().any(|slip| slip.slipped.is_like(&slipped))
        };
        if full(&lock(&self.slips)) || self.looks.fetch_add(1, Ordering::Relaxed) >= MOST_LOOKS {
            return;
        }
        let text = text_of(candidate.program());
        // Nobody is told if that is not possible: the candidate is not needed.
        let expectation = expectation_of(candidate);
        let is_new = self.test.is_new(&text, &expectation, &slipped).unwrap_or(false);
        let mut slips = lock(&self.slips);
        if is_new && !full(&slips) {
            slips.push(Slip { slipped, text, expectation });
        }
    }
}

impl Judge<Candidate> for Asker<'_> {
    fn judge(&self, candidate: &Candidate) -> Opinion {
        if self.must_return
            && self.test.is_about_code()
            && returned_by_main(candidate.program()).is_none()
        {
            return Opinion::Boring;
        }
        let text = text_of(candidate.program());
        let answer = self.test.run(text.as_bytes(), &expectation_of(candidate));
        self.opinion(answer, |slipped| self.keep_slip(candidate, slipped))
    }
}

impl Judge<str> for Asker<'_> {
    fn judge(&self, text: &str) -> Opinion {
        self.opinion(self.test.run(text.as_bytes(), &Expectation::Nothing), |_| {})
    }
}

/// Tells what happens with programs.
struct Teller<'a, 'b> {
    asker: &'a Asker<'a>,
    watch: &'a mut Watch<'b>,
    /// Where there is a better one already, the number of its tokens: what has more is
    /// nobody's best.
    most_tokens: Option<usize>,
}

impl Teller<'_, '_> {
    fn tell(&mut self, step: reduce::Step<'_, Candidate>) -> bool {
        let progress = match step {
            reduce::Step::Best(best, progress) => {
                let text = text_of(best.program());
                if self.most_tokens.is_none_or(|most| token_count(&text) < most) {
                    return self.asker.tell(self.watch, Step::Best { text: &text, progress });
                }
                progress
            }
            reduce::Step::Tried(progress) => progress,
        };
        self.asker.tell(self.watch, Step::Tried(progress))
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
                Verdict::Unspecified(found) => {
                    format!("does not have exactly one meaning: {}", found.message)
                }
                Verdict::Unsupported(found) => {
                    format!("uses a feature that the machine does not model: {}", found.feature)
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
            "there is nothing to keep: {what} is not interesting as Farrier prints it"
        ),
        Hopeless::Flaky => {
            anyhow::anyhow!("the test is not reliable: it said yes and then no to the same program")
        }
        Hopeless::Stopped => anyhow::anyhow!("interrupted before anything was found"),
    }
}

/// Reduces the program of a finding, of one file or several, to one small file with which the
/// same compiler, with the same flags, is wrong in the same way, by the fault of the same
/// culprit; `suspect` is who seems to be guilty. If the program is a generated one with changes,
/// those that are not needed are undone before anything else. Nothing is stored; `watch` says whether to go
/// on, and what was reached until it does not is the result.
pub(crate) fn reduce_finding(
    finding: &Finding,
    sources: &[SourceText],
    suspect: Option<&Culprit>,
    sandbox: &Sandbox,
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> anyhow::Result<Reduction> {
    let started = Instant::now();
    let mut test = Test::finding(finding, sandbox, settings.any_failure);
    let mut notes = Vec::new();
    let mut settings = match finding.basis {
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
    let join = |sources: &[SourceText]| farrier_front::parse(sources, &options);
    let mut program = match join(sources) {
        Ok(program) => program,
        Err(failure) => bail!("the program cannot be read: {}", failure.diagnostic.message),
    };
    let is_original = case_name(sources) == finding.case;
    if is_original {
        // The machine must still say what was stored.
        finding.expectation(sources)?;
    }
    let Recipe { mutations, .. } = &finding.recipe;
    if is_original
        && !mutations.is_empty()
        && let Some((fewer, kept)) =
            undo(&finding.recipe, sources, &|sources| join(sources).ok(), &test, watch)?
    {
        program = fewer;
        notes.push(match (mutations.len() - kept, kept) {
            (undone, 0) => {
                // It is the generated program, which is defined and stays so.
                settings.check_undefined = true;
                format!("all {undone} changes undone: the program is defined")
            }
            (undone, _) => format!("{undone} of {} changes undone", mutations.len()),
        });
    }
    let read = |text: &str| farrier_front::parse(&[SourceText::new(PROGRAM, text)], &options).ok();
    if finding.basis == Basis::Machine
        && let Some(held) = hold(&program, &mut test, suspect, &settings)?
    {
        notes.push(format!("the culprit was held: {held}"));
    }
    let session = run(&program, &read, &test, &settings, watch)?;
    let reduced = session.result.map_err(|hopeless| {
        explain(&hopeless, &format!("the program of finding {}", finding.name))
    })?;
    let text = text_of(reduced.best.program());
    let expected = expectation_of(&reduced.best).certificate().map(Certificate::expected);
    let slips = session.slips.into_iter().map(|slip| slip_finding(finding, slip)).collect();
    let bytes =
        |sources: &[SourceText]| sources.iter().map(|source| source.text.len() as u64).sum();
    let reduced_sources = vec![SourceText::new(PROGRAM, text)];
    Ok(Reduction {
        finding: finding.name.clone(),
        bytes_before: bytes(sources),
        bytes_after: bytes(&reduced_sources),
        sources: reduced_sources,
        expected,
        outcome: session.outcome.map(Outcome::shortened),
        tests: reduced.progress.judged as u64,
        undefined: reduced.progress.undefined as u64,
        seconds: started.elapsed().as_secs_f64(),
        complete: reduced.complete,
        notes,
        slips,
    })
}

/// Follows a recipe with as few of its mutations as possible while the program stays
/// interesting; also returns how many are kept. `None` if all are needed, if the recipe does not
/// make this program any more, or if somebody stops it.
fn undo(
    recipe: &Recipe,
    sources: &[SourceText],
    join: &dyn Fn(&[SourceText]) -> Option<Program>,
    test: &Test,
    watch: &mut Watch<'_>,
) -> anyhow::Result<Option<(Program, usize)>> {
    let Ok(mut prepared) = prepare(recipe) else { return Ok(None) };
    if prepared.follow(recipe).as_deref() != Some(sources) {
        return Ok(None);
    }
    let mut progress = Progress { pass: "changes", ..Progress::default() };
    let mut ask = |positions: &[usize]| -> anyhow::Result<Option<bool>> {
        let sources = prepared.follow(&recipe.keeping(positions));
        let Some(program) = sources.and_then(|sources| join(&sources)) else {
            return Ok(Some(false));
        };
        progress.judged += 1;
        let answer = test.run(text_of(&program).as_bytes(), &Expectation::Nothing)?;
        Ok(watch(Step::Tried(&progress))?.then(|| answer.is_interesting()))
    };
    // What the compiler says with all changes is what must stay.
    let all: Vec<usize> = (0..recipe.mutations.len()).collect();
    if ask(&all)? != Some(true) {
        return Ok(None);
    }
    let mut end = Ok(Some(true));
    let kept = minimise(all, |positions| {
        if matches!(end, Ok(Some(_))) {
            end = ask(positions);
        }
        matches!(end, Ok(Some(true)))
    });
    if end?.is_none() || kept.len() == recipe.mutations.len() {
        return Ok(None);
    }
    let fewer = prepared.follow(&recipe.keeping(&kept)).and_then(|sources| join(&sources));
    Ok(fewer.map(|program| (program, kept.len())))
}

/// The finding that a slip is: its program descends from that of another.
fn slip_finding(origin: &Finding, slip: Slip) -> (Finding, Vec<SourceText>) {
    let Slip { slipped: Slipped { conviction, outcome, .. }, text, expectation } = slip;
    let sources = vec![SourceText::new(PROGRAM, text)];
    (origin.slip(&conviction, &expectation, &outcome, &sources), sources)
}

fn workers(settings: &Settings) -> Workers {
    Workers { tests: settings.jobs, processors: jobs() }
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
