//! Everything that there is to say about one finding.

use farrier_harness::triage::{Area, Class, Crash, Culprit, Opinion, Says, Tried, read_crash};
use farrier_harness::{
    Bench, Bounds, Expectation, Expected, Family, FindingKind, Judgement, Outcome, Role, Sandbox,
    Scratch, Subject, is_dressed, judge, underlying,
};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{SourceText, Target};
use farrier_machine::{Certified, Options as Machine};

use super::proof::{Operation, prove};
use super::text::{cut, visible, visible_bytes};
use crate::finding::{Analysis, Basis, Divergence, Finding, Store};
use crate::triage::divergence;

/// What is shown of a text that a compiler or a program wrote.
const MOST_TEXT: usize = 20_000;

/// What the machine may do with a program again: more than it did in the hunt.
const STEPS: u64 = 1_000_000_000;

/// A finding, tried again, with what triage and reduction know about it.
#[derive(Debug)]
pub(crate) struct Evidence {
    pub(crate) finding: Finding,
    pub(crate) kind: FindingKind,
    pub(crate) subject: Subject,
    /// What triage knows; `None` if it was not asked.
    pub(crate) analysis: Option<Analysis>,
    /// The one file that shows it.
    pub(crate) source: String,
    /// Whether that is smaller than what the hunt found.
    pub(crate) reduced: bool,
    /// What the reduction said, such as which mutations matter.
    pub(crate) notes: Vec<String>,
    /// Whether Farrier made the program that the hunt found; if not, it was in a corpus.
    pub(crate) generated: bool,
    /// The flags with which it happens, without those that the subject always gets.
    pub(crate) flags: Vec<String>,
    /// What the machine says about the program.
    pub(crate) verdict: String,
    /// Whether it says that the program is defined.
    pub(crate) defined: bool,
    /// What the program must do, if that is known.
    pub(crate) expected: Option<Expected>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) more_operations: usize,
    /// What happens instead.
    pub(crate) actual: Actual,
    /// What the compiler says to `-v`.
    pub(crate) compiler: String,
    /// How the compiler crashed.
    pub(crate) crash: Option<Crash>,
    pub(crate) divergence: Option<Divergence>,
    /// Why this should not be reported as it is.
    pub(crate) doubts: Vec<String>,
    /// What could not be found out.
    pub(crate) gaps: Vec<String>,
}

/// What happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Actual {
    /// In words: how it ends.
    pub(crate) ending: String,
    /// What the compiled program writes.
    pub(crate) output: Vec<u8>,
    /// Everything as one text.
    pub(crate) text: String,
}

/// Gathers everything, and tries the finding once more.
pub(crate) fn gather(
    store: &Store,
    finding: Finding,
    analysis: Option<Analysis>,
    sandbox: &Sandbox,
    scratch: &Scratch,
) -> anyhow::Result<Evidence> {
    let mut kind = finding.kind();
    let subject = finding.subject.clone();
    let target = subject.target.unwrap_or(&X86_64_LINUX);
    let (case, reduced) = program_of(store, &finding, analysis.as_ref())?;
    let sources = store.case(&case)?;
    let source = one_file(&underlying(&sources), target);
    let flags = match &analysis {
        Some(analysis) => analysis.flags.clone(),
        None => finding.flags.clone(),
    };
    let machine = Machine { steps: STEPS, ..Machine::default() };
    let mut doubts = known_doubts(store, analysis.as_ref())?;
    let mut gaps = analysis.as_ref().map_or_else(Vec::new, |analysis| analysis.gaps.clone());
    let proof = divergence::parse(&source, target).map(|program| prove(program, &machine));
    let (verdict, certified, operations, more_operations) = match proof {
        Some(proof) => (proof.verdict, proof.certified, proof.operations, proof.more),
        None => ("Farrier's front end does not read the program".to_owned(), None, Vec::new(), 0),
    };
    let expectation = match (&certified, finding.basis) {
        (_, Basis::Compiler) => Expectation::Nothing,
        (Some(certified), _) => Expectation::certified(certified),
        (None, _) => Expectation::agreement(verdict.clone()),
    };
    let (told, seen) = known(store, &finding, analysis.as_ref(), &case)?;
    // Where compilers voted, what the others did then.
    let expected = match &expectation {
        Expectation::Agreement { .. } => told,
        Expectation::Certified(_) | Expectation::Nothing => expectation.expected(),
    };
    if finding.basis == Basis::Vote && certified.is_none() && analysis.is_none() {
        doubts.push("compilers were judged by a vote among them, not by the machine".to_owned());
    }
    if certified.is_none() && (kind.is_wrong_code() || kind == FindingKind::ValidProgramRejected) {
        doubts.push(format!("the program is not proved to be well defined: {verdict}"));
    }
    let bench = Bench::new(sandbox, scratch.path());
    let is_dressed = sources.iter().any(|source| is_dressed(&source.name));
    let source = if is_dressed { dressed_text(&sources) } else { source };
    let reproducer = [SourceText::new(reproducer_name(&subject), source.clone())];
    let expectation = expectation.for_kind(kind);
    let trial = bench.try_out(&subject, &flags, &reproducer, expectation);
    let judgement = judge(&subject, expectation, &trial.outcome);
    let again = seen_again(judgement, kind, &trial.outcome, &seen, &mut gaps);
    // In a smaller program a crash may have become a wrong number.
    kind = again.unwrap_or(kind);
    if again.is_none() {
        doubts.push(
            "it does not happen on this machine any more: the compiler may have changed".to_owned(),
        );
    }
    let fuses = kind.is_wrong_code() && certified.as_ref().is_none_or(Certified::has_floats);
    // Without the flags, a compiler may fuse what the machine does not.
    let plain = plain(&subject).filter(|_| !fuses).and_then(|plain| {
        scratch.clear().ok()?;
        let outcome = bench.try_out(&plain, &flags, &reproducer, expectation).outcome;
        is_same(&outcome, &trial.outcome).then_some((plain, outcome))
    });
    let (accused, outcome) = plain.unwrap_or_else(|| (subject.clone(), trial.outcome));
    let actual = match (&outcome, &analysis) {
        (Outcome::Infrastructure { .. }, Some(analysis)) => Actual::of(&analysis.outcome),
        (Outcome::Infrastructure { .. }, None) => Actual::of(&finding.outcome),
        (outcome, _) => Actual::of(outcome),
    };
    let compiler = match analysis.as_ref().map(|analysis| analysis.compiler.trim()) {
        Some(text) if !text.is_empty() => visible(text),
        _ => introduction(&subject, sandbox, scratch)
            .unwrap_or_else(|| visible(&finding.subject.banner)),
    };
    // One of another program names other lines.
    let same_program = analysis.as_ref().filter(|analysis| analysis.case == case);
    let divergence = match (&certified, same_program.and_then(|it| it.divergence.clone())) {
        (_, Some(known)) => Some(known),
        (Some(certified), None) if kind.is_wrong_code() && again.is_some() && !is_dressed => {
            Some(divergence::find(certified, &subject, &flags, &machine, sandbox, scratch, None))
        }
        _ => None,
    };
    let triaged = analysis.as_ref().map(|analysis| (analysis, same_program.is_some()));
    not_asked(&finding.name, kind, triaged, &mut doubts, &mut gaps);
    let crash = crash_of(&outcome, analysis.as_ref());
    Ok(Evidence {
        kind,
        subject: accused,
        analysis,
        source,
        reduced,
        notes: notes_of(store, &finding)?,
        generated: !finding.recipe.is_foreign(),
        flags,
        verdict,
        defined: certified.is_some(),
        expected,
        operations,
        more_operations,
        actual,
        compiler: cut(&compiler, MOST_TEXT),
        crash,
        divergence,
        doubts,
        gaps,
        finding,
    })
}

/// What a program of a finding should do and what was seen instead, as far as it is stored.
fn known(
    store: &Store,
    finding: &Finding,
    analysis: Option<&Analysis>,
    case: &str,
) -> anyhow::Result<(Option<Expected>, Outcome)> {
    let reduction = store.reduction(&finding.name)?.filter(|reduction| reduction.case == *case);
    let (expected, seen) = match reduction {
        Some(reduction) => (reduction.expected, reduction.outcome),
        None => (finding.expected.clone(), Some(finding.outcome.clone())),
    };
    // With fewer flags something else may happen.
    let analysed = analysis.filter(|analysis| analysis.case == *case);
    let analysed = analysed.map(|analysis| analysis.outcome.clone());
    Ok((expected, analysed.or(seen).unwrap_or_else(|| finding.outcome.clone())))
}

/// What triage doubts, and whether the cause is in a tracker already.
fn known_doubts(store: &Store, analysis: Option<&Analysis>) -> anyhow::Result<Vec<String>> {
    let Some(analysis) = analysis else { return Ok(Vec::new()) };
    let known = store.known()?.remove(&analysis.signature.line());
    let known = known.map(|known| format!("it is known as {}", visible(&known)));
    Ok(analysis.doubt.as_deref().map(visible).into_iter().chain(known).collect())
}

/// The kind that was seen again, if one of the same class was. What says nothing counts as seen,
/// and is a gap.
fn seen_again(
    judgement: Judgement,
    kind: FindingKind,
    outcome: &Outcome,
    seen: &Outcome,
    gaps: &mut Vec<String>,
) -> Option<FindingKind> {
    match judgement {
        Judgement::Finding(conviction) => {
            Some(conviction.kind()).filter(|found| Class::of(*found) == Class::of(kind))
        }
        // What a vote has found can only be compared with what was seen then.
        Judgement::Inconclusive(_) if outcome.is_same(seen) => Some(kind),
        Judgement::Infrastructure(what) => {
            gaps.push(format!("it was not tried again: {what}"));
            Some(kind)
        }
        Judgement::Inconclusive(why) => {
            gaps.push(format!("trying it again did not say anything: {why}"));
            Some(kind)
        }
        Judgement::Agrees => None,
    }
}

/// What is not known yet. Triage is given with whether it is about the program of the report.
fn not_asked(
    name: &str,
    kind: FindingKind,
    triaged: Option<(&Analysis, bool)>,
    doubts: &mut Vec<String>,
    gaps: &mut Vec<String>,
) {
    if triaged.is_none() {
        gaps.push(format!(
            "it was not triaged: other versions, smaller flags, the guilty pass and a second \
             opinion are missing; `farrier triage {name}` asks for them"
        ));
    }
    if !kind.is_wrong_code() {
        return;
    }
    match triaged {
        Some((analysis, _)) if analysis.opinions.is_empty() => {
            doubts.push("no sanitizer and no other compiler was asked yet".to_owned());
        }
        None => doubts.push("no sanitizer and no other compiler was asked yet".to_owned()),
        Some((_, false)) => doubts.push(format!(
            "versions, flags and second opinions are about the program before it was reduced; \
             `farrier triage --again {name}` asks about this one"
        )),
        Some((_, true)) => {}
    }
}

/// The compiler without the flags and libraries that it always gets: if the same happens with it,
/// who reads the report has less to type and to wonder about.
fn plain(subject: &Subject) -> Option<Subject> {
    let mut plain = subject.clone();
    let always = subject.family.flags();
    plain.flags.retain(|flag| !always.contains(flag));
    plain.libraries.clear();
    (plain != *subject).then_some(plain)
}

/// Whether two trials show the same. A crash is known by its message: what is written around it
/// has addresses and warnings.
fn is_same(one: &Outcome, other: &Outcome) -> bool {
    let crash = |outcome: &Outcome| match outcome {
        Outcome::CompilerCrash { signal, text } => Some(read_crash(text, *signal).signature),
        _ => None,
    };
    one == other || crash(one).is_some_and(|signature| crash(other) == Some(signature))
}

/// The program that a finding is shown by: the smallest that is known.
fn program_of(
    store: &Store,
    finding: &Finding,
    analysis: Option<&Analysis>,
) -> anyhow::Result<(String, bool)> {
    let analysed = analysis.filter(|analysis| analysis.reduced);
    // A program that was reduced further since may need flags that the analysis found needless.
    let same_flags = analysed.is_none_or(|analysis| analysis.flags == finding.flags);
    Ok(match (store.reduction(&finding.name)?, analysed) {
        (Some(reduction), _) if same_flags => (reduction.case, true),
        (_, Some(analysis)) => (analysis.case.clone(), true),
        (Some(reduction), None) => (reduction.case, true),
        (None, None) => (finding.case.clone(), false),
    })
}

/// What was said when a finding was reduced.
fn notes_of(store: &Store, finding: &Finding) -> anyhow::Result<Vec<String>> {
    let reduction = store.reduction(&finding.name)?;
    Ok(reduction.map_or_else(Vec::new, |reduction| reduction.notes))
}

/// The C++ that a compiler gets: what is proved is the C underneath.
fn dressed_text(sources: &[SourceText]) -> String {
    let dressed = sources.iter().filter(|source| is_dressed(&source.name));
    dressed.map(|source| &*source.text).collect()
}

/// The name of the file of a report that a compiler gets.
pub(crate) fn reproducer_name(subject: &Subject) -> &'static str {
    match subject.extension() {
        "cu" => "reproducer.cu",
        "cpp" => "reproducer.cpp",
        _ => "reproducer.c",
    }
}

/// One file that is the whole program. It includes nothing: Farrier's programs never do.
fn one_file(sources: &[SourceText], target: &'static Target) -> String {
    if let [only] = sources {
        return only.text.to_string();
    }
    let options = farrier_front::Options::new(target);
    match farrier_front::parse(sources, &options) {
        Ok(program) => print(&program, &PrintOptions::default()),
        Err(_) => sources.iter().map(|source| &*source.text).collect(),
    }
}

impl Actual {
    /// An outcome as it is shown.
    pub(crate) fn of(outcome: &Outcome) -> Self {
        Self {
            ending: visible(&outcome.ending()),
            output: outcome.output().to_vec(),
            text: cut(&visible(&outcome.describe()), MOST_TEXT),
        }
    }
}

/// What a compiler says about itself.
fn introduction(subject: &Subject, sandbox: &Sandbox, scratch: &Scratch) -> Option<String> {
    scratch.clear().ok()?;
    let words: Vec<std::ffi::OsString> =
        subject.command.iter().map(Into::into).chain(["-v".into()]).collect();
    let finished = sandbox.run(Role::Tool, &words, b"", scratch.path(), &Bounds::TOOL).ok()?;
    let text = [finished.stdout, finished.stderr].concat();
    let text = visible_bytes(&text).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

fn crash_of(outcome: &Outcome, analysis: Option<&Analysis>) -> Option<Crash> {
    let shown = |crash: &Crash| Crash {
        summary: visible(&crash.summary),
        frames: crash.frames.iter().map(|frame| visible(frame)).collect(),
        text: cut(&visible(&crash.text), MOST_TEXT),
    };
    if let Some(crash) = analysis.and_then(|analysis| analysis.crash.as_ref()) {
        return Some(shown(crash));
    }
    let (Outcome::CompilerCrash { text, .. } | Outcome::CompileError { text }) = outcome else {
        return None;
    };
    let telling = ["internal compiler error", "Assertion", "UNREACHABLE", "fatal error", "error:"];
    let line = telling.iter().find_map(|word| text.lines().find(|line| line.contains(word)));
    let summary = line.or_else(|| text.lines().next()).unwrap_or_default().trim().to_owned();
    Some(shown(&Crash { summary, frames: Vec::new(), text: text.clone() }))
}

impl Evidence {
    /// How the right run ends, in words.
    pub(crate) fn expected_ending(&self) -> String {
        self.expected.as_ref().map_or_else(String::new, Expected::ending)
    }

    /// What it writes.
    pub(crate) fn expected_output(&self) -> &[u8] {
        self.expected.as_ref().map_or(&[], |expected| &expected.output)
    }

    /// Its exit status; `None` if the program is to abort, or nothing is known.
    pub(crate) fn expected_status(&self) -> Option<i32> {
        self.expected.as_ref()?.status.map(|status| status & 0xff)
    }

    /// The level of optimisation, if one is given.
    pub(crate) fn level(&self) -> &str {
        self.flags.iter().rev().find(|flag| flag.starts_with("-O")).map_or("", String::as_str)
    }

    pub(crate) fn culprit(&self) -> Option<&Culprit> {
        self.analysis.as_ref().map(|it| &it.culprit).filter(|it| it.name().is_some())
    }

    pub(crate) fn area(&self) -> Area {
        self.analysis.as_ref().map_or(Area::Unknown, |analysis| analysis.area)
    }

    pub(crate) fn versions(&self) -> &[Tried] {
        self.analysis.as_ref().map_or(&[], |analysis| &analysis.versions)
    }

    pub(crate) fn opinions(&self) -> &[Opinion] {
        self.analysis.as_ref().map_or(&[], |analysis| &analysis.opinions)
    }

    pub(crate) fn is_clang(&self) -> bool {
        matches!(self.subject.family, Family::Clang | Family::Zig)
    }

    /// The last version that works before the first that fails, if it is a regression.
    pub(crate) fn regression(&self) -> Option<(&Tried, &Tried)> {
        self.analysis.as_ref()?.regression()
    }
}

/// What others say, in words: those who disagree first, all who agree in one sentence.
pub(crate) fn opinions_in_words(opinions: &[Opinion]) -> Vec<String> {
    let who = |opinion: &Opinion| {
        visible(&format!("{} {}", opinion.by, opinion.flags.join(" "))).trim().to_owned()
    };
    let mut sentences = Vec::new();
    let mut agree = Vec::new();
    for opinion in opinions {
        let what = match &opinion.says {
            Says::Agrees => {
                agree.push(who(opinion));
                continue;
            }
            Says::Complains { text } => format!("COMPLAINS: {}", visible(text)),
            Says::Differs { actual } => {
                format!("DIFFERS: {}", visible(actual).lines().next().unwrap_or_default())
            }
            Says::KnownFalseAlarm { text, why } => {
                format!(
                    "complains, but that is known to be wrong ({}): {}",
                    visible(why),
                    visible(text)
                )
            }
            Says::CannotTell { why } => format!("cannot tell: {}", visible(why)),
        };
        sentences.push(format!("{}: {what}", who(opinion)));
    }
    if !agree.is_empty() {
        sentences.push(format!(
            "The same output and exit status, and no complaint: {}.",
            agree.join("; ")
        ));
    }
    sentences
}

/// What a culprit is, in words.
pub(crate) fn culprit_in_words(culprit: &Culprit) -> String {
    match culprit {
        Culprit::LlvmPass { number, name, on } => format!(
            "the pass {name} on {on}: it happens with -mllvm -opt-bisect-limit={number} and not \
             with {}",
            number.saturating_sub(1)
        ),
        Culprit::GccCounter { name, number } => format!(
            "transformation {number} of the debug counter {name}: it happens with \
             -fdbg-cnt={name}:1-{number} and not with one less"
        ),
        Culprit::Flag { flag } => format!("it does not happen with {flag}"),
        Culprit::GccPass { flag, name } => {
            format!("the pass {name}: it does not happen with {flag}")
        }
        Culprit::Engine { name, works, .. } => {
            format!("the engine of {name}: what the compiler made is right with that of {works}")
        }
        Culprit::Unknown { why } => format!("not found: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_crash_has_other_addresses_each_time() {
        let crash = |place: &str, address: &str| Outcome::CompilerCrash {
            signal: None,
            text: format!(
                "a.c:1:1: internal compiler error: in expand_case, at {place}\n{address} execute"
            ),
        };
        assert!(is_same(&crash("stmt.cc:1", "0x12"), &crash("stmt.cc:1", "0x34")));
        assert!(!is_same(&crash("stmt.cc:1", "0x12"), &crash("expr.cc:1", "0x12")));
        let ran = |status| Outcome::Ran { status, output: Vec::new() };
        assert!(is_same(&ran(1), &ran(1)) && !is_same(&ran(1), &ran(2)));
    }

    #[test]
    fn floating_point_needs_its_flags() {
        let has_floats = |text: &str| {
            let program = divergence::parse(text, &X86_64_LINUX).expect("it is C");
            prove(program, &Machine::default()).certified.expect("it is defined").has_floats()
        };
        assert!(!has_floats(
            "int printf(const char *, ...); struct s { long a; } x; int *p; \
             int main(void) { printf(\"%ld\", x.a); return p == 0; }"
        ));
        assert!(has_floats("int main(void) { return 1.5f; }"));
        assert!(has_floats("double x; int main(void) { return x > 1; }"));
        assert!(has_floats(
            "typedef float v __attribute__((vector_size(16))); v x; \
             int main(void) { x += x; }"
        ));
    }
}
