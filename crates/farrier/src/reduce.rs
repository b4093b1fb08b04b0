//! Reducing, as the command, the hunt and reports do it: who asks the compilers, and what
//! becomes of a finding. docs/design/reduce.md explains the passes and the engine.

mod dresses;
mod interest;
mod pace;
mod slips;
mod vote;

use std::time::Instant;

use anyhow::{anyhow, bail};
use farrier_harness::triage::{Culprit, minimise};
use farrier_harness::{Expectation, Recipe, Sandbox, Subject, case_name, underlying};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Program, SourceText};
use farrier_machine::{Options as Machine, Verdict, certify};
pub(crate) use farrier_synth::reduce::Step;
use farrier_synth::reduce::{
    self, Candidate, Hopeless, Interest, Options, Progress, Workers, reduce, reduce_text,
    returned_by_main,
};

use crate::finding::{Basis, Finding, HuntSettings, ReducedCase, Reduction, machine_options};
use crate::hunt::{Corpus, Prepared, prepare};
use dresses::{in_c, undress};
pub(crate) use interest::{Seen, Test};
pub(crate) use vote::{summon, takes_a_vote};

/// What a reduction came to, and what happens with the result if a compiler was asked.
pub(crate) type Reduced = reduce::Reduced<Option<Seen>>;

/// Who is told what happens, and says whether to go on.
pub(crate) type Listener<'a> = reduce::Listener<'a, anyhow::Error>;

/// How many operations of the machine a candidate may take, unless something else is said.
pub(crate) const STEPS: u64 = 100_000_000;

/// The same where compilers vote, and the machine only looks for what is undefined.
const STEPS_OF_A_VOTE: u64 = 10_000_000;

/// The name of the file of a reduced program.
pub(crate) const PROGRAM: &str = "program.c";

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

/// The text of a program.
pub(crate) fn text_of(program: &Program) -> String {
    print(program, &PrintOptions::default())
}

/// Reduces a program as long as a test finds it interesting; messages call it `what`. `read`
/// reads the text of a candidate.
pub(crate) fn run(
    what: &str,
    program: &Program,
    read: &(dyn Fn(&str) -> Option<Program> + Sync),
    test: &Test,
    settings: &Settings,
    listener: &mut Listener<'_>,
) -> anyhow::Result<Reduced> {
    let wrong_code = settings.check_undefined && test.is_about_code();
    let main_returns = (wrong_code || test.is_by_vote())
        && returned_by_main(program).is_some()
        && test.forgets_main()?;
    let options = Options {
        machine: Machine { steps: settings.steps, ..Machine::default() },
        check_undefined: settings.check_undefined,
        wrong_code,
        main_returns,
        workers: workers(settings),
        read,
    };
    loop {
        let reduced = reduce(program, &|candidate| test.judge(candidate), listener, &options);
        let reduced = reduced.map_err(|hopeless| explain(hopeless, what))?;
        let expectation = test.expected(&reduced.best).unwrap_or(Expectation::Nothing);
        if let Some(reduced) = confirmed(reduced, &expectation, test)? {
            return Ok(reduced);
        }
        // Slow was taken for endless.
        if !test.be_patient() {
            bail!(UNRELIABLE);
        }
    }
}

/// Reduces a program about which compilers vote until the machine can judge it. From there on it is
/// reduced as all others are.
fn run_by_vote(
    what: &str,
    program: &Program,
    read: &(dyn Fn(&str) -> Option<Program> + Sync),
    test: &Test,
    settings: &Settings,
    listener: &mut Listener<'_>,
) -> anyhow::Result<Reduced> {
    let is_proved = |text: &str| {
        let expectation = read(text).and_then(|program| test.expected_by_vote(Some(program)));
        expectation.is_some_and(|expectation| expectation.certificate().is_some())
    };
    let proved = Settings { check_undefined: true, ..*settings };
    if is_proved(&text_of(program)) {
        return run(what, program, read, test, &proved, listener);
    }
    let mut has_proof = false;
    let voted = run(what, program, read, test, settings, &mut |step| {
        has_proof = matches!(step, Step::Best { text, .. } if is_proved(text));
        Ok(listener(step)? && !has_proof)
    })?;
    let small = read(voted.best.text()).filter(|_| has_proof);
    let Some(small) = small else { return Ok(voted) };
    let mut reduced = run(what, &small, read, test, &proved, listener)?;
    reduced.progress.judged += voted.progress.judged;
    reduced.progress.undefined += voted.progress.undefined;
    Ok(reduced)
}

/// What is expected of a text; `None` if it must not be the result.
pub(crate) type Expecting<'a> = dyn Fn(&str) -> Option<Expectation> + Sync + 'a;

/// Reduces a text as long as a test finds it interesting.
pub(crate) fn run_text(
    what: &str,
    text: &str,
    expecting: &Expecting<'_>,
    test: &Test,
    settings: &Settings,
    listener: &mut Listener<'_>,
) -> anyhow::Result<Reduced> {
    let judge = |candidate: &Candidate| match expecting(candidate.text()) {
        Some(expectation) => test.ask(candidate.text().as_bytes(), &expectation),
        None => Ok(Interest::Boring),
    };
    let reduced = reduce_text(text, &judge, listener, workers(settings));
    let reduced = reduced.map_err(|hopeless| match hopeless {
        Hopeless::Boring => anyhow!("there is nothing to keep: {what} is not interesting"),
        other => explain(other, what),
    })?;
    let expectation = expecting(reduced.best.text()).unwrap_or(Expectation::Nothing);
    confirmed(reduced, &expectation, test)?.ok_or_else(|| anyhow!(UNRELIABLE))
}

/// What a text that was read must do, as far as the machine can say; `None` if it is undefined.
pub(crate) fn expectation_of_read(program: Program, settings: &Settings) -> Option<Expectation> {
    if !settings.check_undefined {
        return Some(Expectation::Nothing);
    }
    let machine = Machine { steps: settings.steps, ..Machine::default() };
    certify(program, &machine).ok().map(|certified| Expectation::certified(&certified))
}

/// A result that is interesting with all of the time that the original had, and what happens
/// then; `None` if it is not.
fn confirmed(
    mut reduced: Reduced,
    expectation: &Expectation,
    test: &Test,
) -> anyhow::Result<Option<Reduced>> {
    if reduced.progress.accepted > 0 {
        match test.confirm(reduced.best.text(), expectation)? {
            Interest::Interesting(seen) => reduced.seen = seen,
            Interest::Boring => return Ok(None),
        }
    }
    Ok(Some(reduced))
}

/// Lets a test hold on to what is guilty of the failure of a program, if that matters; returns
/// its name. `suspect` is who seems to be guilty.
pub(crate) fn hold(
    program: &Program,
    test: &mut Test,
    suspect: Option<&Culprit>,
    settings: &Settings,
) -> anyhow::Result<Option<String>> {
    if test.is_script() || !settings.check_undefined {
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

/// A program that is not interesting as Farrier prints it; its own text may be.
#[derive(Debug, thiserror::Error)]
#[error("there is nothing to keep: {0} is not interesting as Farrier prints it")]
pub(crate) struct LostInPrint(String);

/// Why nothing can be reduced; `what` is the program.
fn explain(hopeless: Hopeless<anyhow::Error>, what: &str) -> anyhow::Error {
    match hopeless {
        Hopeless::Unreadable => {
            anyhow!("{what} cannot be printed and read again: this is a bug in Farrier")
        }
        Hopeless::Undefined(verdict) => {
            let why = match &*verdict {
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
            anyhow!(
                "{what} {why}; `farrier check` shows where, \
                 --no-ub-check reduces it all the same"
            )
        }
        Hopeless::Boring => anyhow::Error::new(LostInPrint(what.to_owned())),
        Hopeless::Flaky => {
            anyhow!("the test is not reliable: it said yes and then no to the same program")
        }
        Hopeless::Trouble(trouble) => trouble,
    }
}

/// What is around a finding that is reduced.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// How its hunt makes programs.
    pub(crate) hunt: &'a HuntSettings,
    /// Who seems to be guilty.
    pub(crate) suspect: Option<&'a Culprit>,
    /// The compilers of this machine, if they may be asked for a vote.
    pub(crate) subjects: &'a [Subject],
    pub(crate) sandbox: &'a Sandbox,
}

/// Reduces the program of a finding, of one file or several, to one small file with which the
/// same compiler, with the same flags, is wrong in the same way, by the fault of the same
/// culprit. If the program is a generated one with changes, those that are not needed are undone
/// before anything else. Nothing is stored; `listener` says whether to go on, and the best so far
/// is the result.
pub(crate) fn reduce_finding(
    finding: &Finding,
    sources: &[SourceText],
    around: &Surroundings<'_>,
    settings: &Settings,
    listener: &mut Listener<'_>,
) -> anyhow::Result<ReducedCase> {
    let started = Instant::now();
    let Surroundings { hunt, suspect, sandbox, .. } = *around;
    let mut test = Test::finding(finding, sandbox, settings.any_failure);
    let mut notes = Vec::new();
    let is_original = case_name(sources) == finding.case;
    if is_original {
        // The machine must still say what was stored.
        finding.expectation(sources)?;
    }
    let given = *settings;
    let mut settings = match finding.basis {
        Basis::Machine => given,
        // The machine does not know the program, so there is nothing that it could preserve.
        Basis::Compiler | Basis::Vote => Settings { check_undefined: false, ..given },
    };
    let target = finding.subject.target.unwrap_or(&X86_64_LINUX);
    let options = farrier_front::Options::new(target);
    let join = |sources: &[SourceText]| farrier_front::parse(&underlying(sources), &options);
    let mut program = match (join(sources), sources) {
        (Ok(program), _) => Some(program),
        (Err(failure), [_]) if finding.basis != Basis::Machine => {
            let why = failure.diagnostic.message;
            notes.push(format!("reduced as a text: Farrier cannot read it ({why})"));
            None
        }
        (Err(failure), _) => bail!("the program cannot be read: {}", failure.diagnostic.message),
    };
    let voted = appoint(finding, sources, around, program.as_ref(), &given, &mut test)?;
    notes.extend(test.jury());
    if let Some(program) = &program
        && let Some(note) = undress(program, &mut test, &settings, listener)?
    {
        notes.push(note);
    }
    let readable = |sources: &[SourceText]| join(sources).ok();
    if is_original
        && let Some(prepared) = prepared(finding, hunt)
        && let Some((fewer, needed)) =
            undo(prepared, &finding.recipe, sources, &readable, &test, listener)?
    {
        program = Some(fewer);
        notes.push(in_words(&needed));
        // A program without changes is defined and stays so.
        settings.check_undefined |= needed.kept() == 0 && !needed.is_foreign();
    }
    let held = match (&program, &voted, finding.basis) {
        (Some(program), None, Basis::Machine) => hold(program, &mut test, suspect, &settings)?,
        (Some(program), Some(voted), _) => test.hold(&text_of(program), voted, suspect)?,
        (None, Some(voted), _) => test.hold(&sources[0].text, voted, suspect)?,
        (_, None, _) => None,
    };
    if let Some(held) = held {
        notes.push(format!("the culprit was held: {held}"));
    }
    let read = |text: &str| farrier_front::parse(&[SourceText::new(PROGRAM, text)], &options).ok();
    let what = format!("the program of finding {}", finding.name);
    // Of a text that could be read, all that becomes of it must be.
    let expecting = |text: &str| match (read(text), &program) {
        (None, Some(_)) => None,
        (read, _) if test.is_by_vote() => test.expected_by_vote(read),
        (Some(read), _) => expectation_of_read(read, &settings),
        (None, None) => Some(Expectation::Nothing),
    };
    let reduced = match (&program, sources) {
        (Some(program), _) if test.is_by_vote() => {
            run_by_vote(&what, program, &read, &test, &settings, listener)
        }
        (Some(program), _) => run(&what, program, &read, &test, &settings, listener),
        (None, _) => Err(LostInPrint(what.clone()).into()),
    };
    let reduced = match (reduced, sources) {
        (Err(error), [only]) if error.is::<LostInPrint>() => {
            if program.is_some() {
                notes.push("reduced as a text: it does not happen as Farrier prints it".to_owned());
            }
            run_text(&what, &only.text, &expecting, &test, &settings, listener)?
        }
        (reduced, _) => reduced?,
    };
    let Seen { outcome, expectation } =
        reduced.seen.expect("a compiler was asked, since the test is one");
    let small = test.files(reduced.best.text());
    if let Some(note) = in_c(&test, reduced.best.text(), &expectation, sandbox)? {
        notes.push(note);
    }
    let slips = test.into_slips().into_iter().map(|slip| slip.into_finding(finding)).collect();
    let bytes =
        |sources: &[SourceText]| sources.iter().map(|source| source.text.len() as u64).sum();
    let reduction = Reduction {
        finding: finding.name.clone(),
        case: case_name(&small),
        expected: expectation.expected(),
        outcome: Some(outcome.shortened()),
        bytes_before: bytes(sources),
        bytes_after: bytes(&small),
        tests: reduced.progress.judged as u64,
        undefined: reduced.progress.undefined as u64,
        seconds: started.elapsed().as_secs_f64(),
        complete: reduced.complete,
        notes,
    };
    Ok(ReducedCase { reduction, sources: small, slips })
}

/// Lets compilers vote from now on about what the program of a finding becomes, if they have to.
/// Returns what they say about the program, which may be unreadable.
fn appoint(
    finding: &Finding,
    sources: &[SourceText],
    around: &Surroundings<'_>,
    program: Option<&Program>,
    settings: &Settings,
    test: &mut Test,
) -> anyhow::Result<Option<Expectation>> {
    if !takes_a_vote(finding) {
        return Ok(None);
    }
    let Surroundings { subjects, sandbox, .. } = *around;
    let strict = settings.check_undefined;
    let (jury, voted) = summon(finding, sources, subjects, sandbox, strict)?;
    let steps = settings.steps.min(STEPS_OF_A_VOTE);
    test.appoint(jury, strict.then(|| Machine { steps, ..machine_options() }), program);
    Ok(Some(voted))
}

/// Which mutations of a recipe matter.
fn in_words(recipe: &Recipe) -> String {
    let all = recipe.mutations.len();
    match recipe.kept() {
        0 => format!("all {all} mutations undone: the program is as it was before them"),
        kept => format!("{kept} of {all} mutations matter: {}", recipe.kinds()),
    }
}

/// What makes the program of a finding again, if it has mutations.
fn prepared(finding: &Finding, hunt: &HuntSettings) -> Option<Prepared> {
    let recipe = &finding.recipe;
    let corpus = Corpus::of_settings(hunt).ok().flatten();
    let elsewhere = corpus.as_ref().map(|corpus| (corpus, &finding.subject));
    (!recipe.mutations.is_empty()).then(|| prepare(recipe, elsewhere).ok())?
}

/// Follows a recipe with as few of its mutations as possible while the program stays
/// interesting; also returns the recipe with those that are kept. `None` if the recipe does not
/// make this program any more, or if it is stopped.
fn undo(
    mut prepared: Prepared,
    recipe: &Recipe,
    sources: &[SourceText],
    join: &dyn Fn(&[SourceText]) -> Option<Program>,
    test: &Test,
    listener: &mut Listener<'_>,
) -> anyhow::Result<Option<(Program, Recipe)>> {
    if prepared.follow(recipe).map(|case| case.sources).as_deref() != Some(sources) {
        return Ok(None);
    }
    let mut progress = Progress { pass: "mutations", ..Progress::default() };
    let mut ask = |positions: &[usize]| -> anyhow::Result<Option<bool>> {
        let Some(case) = prepared.follow(&recipe.keeping(positions)) else {
            return Ok(Some(false));
        };
        let Some(program) = join(&case.sources) else { return Ok(Some(false)) };
        progress.judged += 1;
        // What is known of the original does not matter where it is not known of its mutants.
        let expectation = match recipe.drawing {
            Some(_) => case.expectation,
            None => Expectation::Nothing,
        };
        let interest = test.ask(text_of(&program).as_bytes(), &expectation)?;
        Ok(listener(Step::Tried(&progress))?.then_some(interest != Interest::Boring))
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
    if end?.is_none() {
        return Ok(None);
    }
    let needed = recipe.keeping(&kept);
    let fewer = prepared.follow(&needed).and_then(|case| join(&case.sources));
    Ok(fewer.map(|program| (program, needed)))
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
