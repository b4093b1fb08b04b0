//! From findings to causes: what `farrier triage` and a hunt do with what was found.
//!
//! docs/design/triage.md explains what is done with which finding, and in which order.

mod allowance;
mod background;
pub(crate) mod divergence;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use farrier_harness::triage::{
    Accusation, Area, Class, Culprit, Lab, Signature, ask_around, doubt, find_area, find_culprit,
    find_engine, is_guilty, read_crash, signature, smallest_flags, try_versions,
};
use farrier_harness::{
    Expectation, FindingKind, Outcome, Sandbox, Scratch, Subject, make_names_unique, underlying,
};
use farrier_lang::shape::pattern;
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{SourceText, Target};

pub(crate) use self::allowance::Allowance;
pub(crate) use self::background::{Background, News, Sharing};
use crate::finding::{Analysis, Basis, Finding, HuntSettings, Store};
use crate::host::{DEFAULT_FILE, find, listed};
use crate::join::Claims;
use crate::naming::{Naming, Request};
use crate::reduce::{self, Surroundings, reduce_finding, summon, takes_a_vote};

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Whether programs are reduced.
    pub(crate) reduce: bool,
    /// How many findings of one signature are reduced and analysed.
    pub(crate) each: usize,
    /// The time for one finding.
    pub(crate) time: Duration,
    /// How many candidates of a reduction are tried at once.
    pub(crate) jobs: usize,
}

/// While nothing is known but the level of optimisation, more findings are analysed: what seems
/// to be one bug may be several.
const MORE_OF_THE_VAGUE: usize = 4;

/// The part of the time that the reduction gets.
const REDUCTION_SHARE: f64 = 0.6;

/// A cause that this machine alone analyses, until this is dropped. Before triage, the findings of
/// one kind in one compiler count as one cause.
pub(crate) struct Claimed {
    claims: Claims,
    key: String,
}

impl Claimed {
    /// Claims the cause of a finding; `None` if another machine has it, or the server is gone.
    pub(crate) fn new(claims: &Claims, finding: &Finding) -> Option<Self> {
        let cause = format!("{} {}", finding.kind(), finding.subject.name);
        let key = blake3::hash(cause.as_bytes()).to_hex()[..20].to_owned();
        claims.claim(&key).then(|| Self { claims: claims.clone(), key })
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        self.claims.release(&self.key);
    }
}

/// Analyses findings.
pub(crate) struct Triage {
    store: Store,
    sandbox: Sandbox,
    base: PathBuf,
    effort: Effort,
    allowance: Arc<Allowance>,
    stop: Arc<AtomicBool>,
    /// The compilers of this machine, once they are needed.
    subjects: Option<Vec<Subject>>,
}

/// What became of a finding.
#[derive(Debug)]
pub(crate) enum Done {
    /// All is known that can be.
    Analysed(Box<Analysis>),
    /// There are enough of its kind; only its signature is known.
    OneMore(Box<Analysis>),
    /// It is asked to stop.
    Stopped,
    /// It cannot be analysed, and why.
    Impossible(String),
}

impl Triage {
    /// Prepares to analyse the findings in a store, as far as the allowance allows.
    pub(crate) fn new(
        store: Store,
        sandbox: Sandbox,
        base: &Path,
        effort: Effort,
        allowance: Arc<Allowance>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        Self { store, sandbox, base: base.to_owned(), effort, allowance, stop, subjects: None }
    }

    /// These are all the compilers of this machine; they need not be searched.
    pub(crate) fn know(&mut self, subjects: Vec<Subject>) {
        self.subjects = Some(subjects);
    }

    /// The store.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Finds out all that can be found out about a finding, and stores it. `tell` hears what
    /// is being done.
    pub(crate) fn look_into(
        &mut self,
        finding: &Finding,
        tell: &mut dyn FnMut(&str),
    ) -> anyhow::Result<Done> {
        self.allowance.wait(&self.stop);
        let started = Instant::now();
        let kind = finding.kind();
        let subject = finding.subject.clone();
        tell("trying it again");
        let sources = self.store.case(&finding.case)?;
        let known = finding.expectation(&sources);
        let expectation = match known.and_then(|known| self.settle(finding, &sources, known, tell))
        {
            Ok(expectation) => expectation,
            Err(why) => return Ok(Done::Impossible(why.to_string())),
        };
        let evidence =
            Accusation { subject: &subject, sources: &sources, expectation: &expectation, kind };
        let first = {
            let early = started + self.effort.time.mul_f64(1.0 - REDUCTION_SHARE);
            match self.recognise(evidence, &finding.flags, early)? {
                Some(facts) => Ok(facts),
                None => self.examine(evidence, &finding.flags, early, &Program::Given, tell)?,
            }
        };
        let first = match first {
            Ok(first) => first,
            Err(_) if self.is_stopped() => return Ok(Done::Stopped),
            Err(why) => return Ok(Done::Impossible(why)),
        };
        let mut analysis = self.document(finding, &first, started);
        if self.has_enough(&analysis)? {
            analysis.signature = self.usual_signature(&analysis)?;
            self.store.set_analysis(&analysis)?;
            return Ok(Done::OneMore(Box::new(analysis)));
        }
        let waited = self.allowance.waited();
        let reduced = if self.effort.reduce {
            let until = started + self.effort.time.mul_f64(REDUCTION_SHARE);
            tell("reducing");
            self.reduce(finding, &first.culprit, until, tell).unwrap_or_else(|error| {
                analysis.gaps.push(format!("it was not reduced: {error:#}"));
                None
            })
        } else {
            None
        };
        if self.is_stopped() {
            return Ok(Done::Stopped);
        }
        // Time in which nothing was to be done is not a part of the effort.
        let waited = self.allowance.waited() - waited;
        let deadline = started + self.effort.time + waited;
        self.find_subjects(tell)?;
        let reduced = reduced.as_ref().map(|(case, sources, expectation)| {
            (case, Accusation { subject: &subject, sources, expectation, kind })
        });
        let mut evidence = evidence;
        let mut facts = first;
        if reduced.is_none() && is_known_by_message(kind) {
            let again = self.examine(evidence, &finding.flags, deadline, &Program::Final, tell)?;
            facts = again.unwrap_or(facts);
        }
        if let Some((case, small)) = reduced {
            let program = Program::Reduced(shape(small.sources, subject.target));
            match self.examine(small, &finding.flags, deadline, &program, tell)? {
                Ok(again) => {
                    evidence = small;
                    analysis.case = case.clone();
                    analysis.reduced = true;
                    facts = again;
                }
                Err(why) => {
                    analysis.gaps.push(format!("the reduced program does not show it: {why}"))
                }
            }
        }
        self.fill(&mut analysis, &facts, evidence, finding, deadline, tell)?;
        if self.is_stopped() {
            return Ok(Done::Stopped);
        }
        analysis.seconds = started.elapsed().saturating_sub(waited).as_secs_f64();
        self.store.set_analysis(&analysis)?;
        Ok(Done::Analysed(Box::new(analysis)))
    }

    /// What is expected of a program once the compilers of the machine have voted about it, if
    /// they have to.
    fn settle(
        &mut self,
        finding: &Finding,
        sources: &[SourceText],
        known: Expectation,
        tell: &mut dyn FnMut(&str),
    ) -> anyhow::Result<Expectation> {
        if !matches!(known, Expectation::Agreement { .. }) {
            return Ok(known);
        }
        self.find_subjects(tell)?;
        let subjects = self.subjects.as_deref().unwrap_or_default();
        Ok(summon(finding, sources, subjects, &self.sandbox, false)?.1)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The bug of which there are enough, if this finding is one more: it fails with the fewest
    /// flags of that one and not without its culprit. That takes a few compilations.
    fn recognise(
        &self,
        evidence: Accusation<'_>,
        flags: &[String],
        deadline: Instant,
    ) -> anyhow::Result<Option<Facts>> {
        if is_known_by_message(evidence.kind) {
            return Ok(None);
        }
        let mut lab = Lab::new(evidence, &self.sandbox, &self.base, Some(deadline), &self.stop)?;
        let class = Class::of(evidence.kind);
        let mut asked: Vec<Signature> = Vec::new();
        for known in self.store.analyses()?.into_values() {
            let family = self.store.finding(&known.finding)?.subject.family;
            if family != evidence.subject.family
                || (known.first_signature.class != class || known.versions.is_empty())
                || (known.culprit.is_everywhere() || asked.contains(&known.first_signature))
                || !self.has_enough(&Analysis { finding: String::new(), ..known.clone() })?
            {
                continue;
            }
            asked.push(known.first_signature.clone());
            if lab.fails(&known.flags) == Some(true)
                && is_guilty(&lab, &known.flags, &known.culprit) == Some(true)
                && let Ok(outcome) = lab.observe(flags)
            {
                let Analysis { culprit, area, first_signature: signature, .. } = known;
                let flags = flags.to_vec();
                return Ok(Some(Facts { flags, outcome, culprit, area, signature, shape: None }));
            }
        }
        Ok(None)
    }

    /// What is guilty of a finding, and by what it is recognised. The error inside says why
    /// the finding is not there.
    fn examine(
        &self,
        evidence: Accusation<'_>,
        flags: &[String],
        deadline: Instant,
        program: &Program,
        tell: &mut dyn FnMut(&str),
    ) -> anyhow::Result<Result<Facts, String>> {
        let mut lab = Lab::new(evidence, &self.sandbox, &self.base, Some(deadline), &self.stop)?;
        let outcome = match lab.observe(flags) {
            Ok(outcome) => outcome,
            Err(why) => return Ok(Err(why)),
        };
        let (flags, culprit, area, outcome) =
            if *program == Program::Given && is_known_by_message(evidence.kind) {
                let why = "it was not looked for: there are enough findings like this".to_owned();
                (flags.to_vec(), Culprit::Unknown { why }, Area::Unknown, outcome)
            } else {
                tell("looking for the smallest flags");
                let flags = smallest_flags(&lab, flags);
                tell("looking for the guilty pass");
                let subjects = self.subjects.as_deref().unwrap_or_default();
                let culprit = find_engine(&lab, &flags, subjects)
                    .unwrap_or_else(|| find_culprit(&lab, &flags, &outcome));
                // With fewer flags the output may be another one.
                let outcome = lab.observe(&flags).unwrap_or(outcome);
                let area = find_area(&lab, &flags, &outcome, &culprit);
                (flags, culprit, area, outcome)
            };
        let shape = match program {
            Program::Reduced(shape) => shape.clone(),
            Program::Given | Program::Final => None,
        };
        let family = evidence.subject.family;
        let kind = lab.kind_of(&outcome);
        let signature = signature(kind, family, &outcome, &culprit, &flags, shape.as_deref());
        Ok(Ok(Facts { flags, outcome, culprit, area, signature, shape }))
    }

    /// What is known so far, as a document.
    fn document(&self, finding: &Finding, facts: &Facts, started: Instant) -> Analysis {
        Analysis {
            finding: finding.name.clone(),
            made_by: env!("CARGO_PKG_VERSION").to_owned(),
            case: finding.case.clone(),
            reduced: false,
            signature: facts.signature.clone(),
            first_signature: facts.signature.clone(),
            shape: None,
            flags: facts.flags.clone(),
            outcome: facts.outcome.clone().shortened(),
            versions: Vec::new(),
            culprit: facts.culprit.clone(),
            area: facts.area,
            opinions: Vec::new(),
            doubt: None,
            crash: facts.crash(),
            compiler: String::new(),
            divergence: None,
            gaps: Vec::new(),
            seconds: started.elapsed().as_secs_f64(),
        }
    }

    /// Adds what others say to a document, and brings it up to the newest facts.
    fn fill(
        &self,
        analysis: &mut Analysis,
        facts: &Facts,
        evidence: Accusation<'_>,
        finding: &Finding,
        deadline: Instant,
        tell: &mut dyn FnMut(&str),
    ) -> anyhow::Result<()> {
        let subjects = self.subjects.as_deref().unwrap_or_default();
        let lab = Lab::new(evidence, &self.sandbox, &self.base, Some(deadline), &self.stop)?;
        analysis.signature = facts.signature.clone();
        analysis.shape = facts.shape.clone();
        analysis.flags = facts.flags.clone();
        analysis.outcome = facts.outcome.clone().shortened();
        analysis.culprit = facts.culprit.clone();
        analysis.area = facts.area;
        analysis.crash = facts.crash();
        tell("trying other versions");
        analysis.versions = try_versions(&lab, &facts.flags, subjects);
        tell("asking sanitizers and other compilers");
        analysis.opinions = ask_around(&lab, &facts.flags, subjects);
        analysis.doubt = doubt(evidence.kind, evidence.subject, &analysis.opinions, subjects);
        let is_proved = evidence.expectation.certificate().is_some();
        if finding.basis == Basis::Vote && evidence.kind.is_wrong_code() && !is_proved {
            analysis.doubt.get_or_insert_with(|| {
                "it was judged by a vote of compilers: the program may be undefined".to_owned()
            });
        }
        if let ([source], true) = (evidence.sources, evidence.kind.is_wrong_code()) {
            tell("looking for where it goes wrong");
            let scratch = Scratch::new(&self.base)?;
            analysis.divergence = divergence::find_in(
                &source.text,
                evidence.subject,
                &facts.flags,
                &self.sandbox,
                &scratch,
                Some(deadline),
            );
        }
        analysis.compiler = lab.question(&["-v"]).unwrap_or_else(|error| error.to_string());
        if lab.is_over() {
            analysis.gaps.push("there was not enough time for everything".to_owned());
        }
        Ok(())
    }

    /// Whether enough findings like this one were analysed.
    fn has_enough(&self, analysis: &Analysis) -> anyhow::Result<bool> {
        let by_message = matches!(analysis.signature.class, Class::Crash | Class::Rejects);
        let vague = matches!(analysis.culprit, Culprit::Unknown { .. }) && !by_message;
        let most = self.effort.each * if vague { MORE_OF_THE_VAGUE } else { 1 };
        let alike = self.store.analyses()?.into_values().filter(|other| {
            other.finding != analysis.finding
                && other.first_signature == analysis.first_signature
                && !other.versions.is_empty()
        });
        Ok(alike.count() >= most)
    }

    /// The signature that findings like this one have come to, most of the time.
    fn usual_signature(&self, analysis: &Analysis) -> anyhow::Result<Signature> {
        let mut counts: BTreeMap<Signature, usize> = BTreeMap::new();
        for other in self.store.analyses()?.into_values() {
            if other.first_signature == analysis.first_signature && !other.versions.is_empty() {
                *counts.entry(other.signature).or_default() += 1;
            }
        }
        let usual = counts.into_iter().max_by_key(|(_, count)| *count);
        Ok(usual.map_or_else(|| analysis.signature.clone(), |(signature, _)| signature))
    }

    /// The program of a finding in small, and what it does; `None` if there is none. What
    /// was reduced to the end before is not reduced again, and what was not continues.
    fn reduce(
        &mut self,
        finding: &Finding,
        suspect: &Culprit,
        until: Instant,
        tell: &mut dyn FnMut(&str),
    ) -> anyhow::Result<Option<(String, Vec<SourceText>, Expectation)>> {
        let earlier = self.store.reduction(&finding.name)?;
        if !earlier.as_ref().is_some_and(|earlier| earlier.complete) {
            let case = earlier.as_ref().map_or(&finding.case, |earlier| &earlier.case);
            let sources = self.store.case(case)?;
            let settings =
                reduce::Settings { jobs: self.effort.jobs, ..reduce::Settings::default() };
            let (stop, allowance) = (Arc::clone(&self.stop), Arc::clone(&self.allowance));
            let before = allowance.waited();
            let mut go_on = |_: reduce::Step<'_>| {
                allowance.wait(&stop);
                let until = until + (allowance.waited() - before);
                Ok(!stop.load(Ordering::Relaxed) && Instant::now() < until)
            };
            if takes_a_vote(finding) {
                self.find_subjects(tell)?;
            }
            let around = Surroundings {
                hunt: &self.store.settings()?,
                suspect: Some(suspect),
                subjects: self.subjects.as_deref().unwrap_or_default(),
                sandbox: &self.sandbox,
            };
            let mut reduced = reduce_finding(finding, &sources, &around, &settings, &mut go_on)?;
            if let Some(earlier) = &earlier {
                reduced.reduction.continue_from(earlier);
            }
            self.store.add_reduction(&reduced)?;
        }
        let Some(stored) = self.store.reduction(&finding.name)? else { return Ok(None) };
        let sources = self.store.case(&stored.case)?;
        let known = finding.expectation_of(&sources, stored.expected.as_ref())?;
        let expectation = self.settle(finding, &sources, known, tell)?;
        Ok(Some((stored.case, sources, expectation)))
    }

    /// Looks for the compilers of this machine, once.
    fn find_subjects(&mut self, tell: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
        if self.subjects.is_some() {
            return Ok(());
        }
        tell("looking for other compilers");
        self.subjects = Some(known_subjects(&self.store.settings()?, &self.sandbox, &self.base)?);
        Ok(())
    }
}

/// The compilers of this machine: those in the search path, and those that a hunt lists in a file
/// or names by a path. What is gone by now is left out.
pub(crate) fn known_subjects(
    hunt: &HuntSettings,
    sandbox: &Sandbox,
    base: &Path,
) -> anyhow::Result<Vec<Subject>> {
    let default = PathBuf::from(DEFAULT_FILE);
    let file = hunt.subjects.clone().or_else(|| default.exists().then_some(default));
    let mut subjects = find(sandbox, base)?.subjects;
    if let Some(file) = file {
        subjects.extend(listed(&file, sandbox, base).unwrap_or_default());
    }
    let named = hunt.subject.iter().filter_map(|text| Request::parse(text).ok());
    let mut naming = Naming::new(Vec::new(), sandbox, base);
    let elsewhere = named.filter(Request::is_path).filter_map(|named| naming.find(&named).ok());
    subjects.extend(elsewhere);
    make_names_unique(&mut subjects);
    Ok(subjects)
}

/// Which program of a finding is looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Program {
    /// The one of the hunt, for a first signature.
    Given,
    /// The same, where there is no smaller one.
    Final,
    /// The reduced one, with its shape.
    Reduced(Option<String>),
}

/// Whether what the compiler writes says which bug it is.
fn is_known_by_message(kind: FindingKind) -> bool {
    matches!(kind, FindingKind::CompilerCrash | FindingKind::ValidProgramRejected)
}

/// What is known of one program.
struct Facts {
    flags: Vec<String>,
    outcome: Outcome,
    culprit: Culprit,
    area: Area,
    signature: Signature,
    shape: Option<String>,
}

impl Facts {
    fn crash(&self) -> Option<farrier_harness::triage::Crash> {
        match &self.outcome {
            Outcome::CompilerCrash { signal, text } => Some(read_crash(text, *signal).crash),
            _ => None,
        }
    }
}

/// The pattern of a program, short; `None` if the front end cannot read it.
fn shape(sources: &[SourceText], target: Option<&'static Target>) -> Option<String> {
    let options = farrier_front::Options::new(target.unwrap_or(&X86_64_LINUX));
    let program = farrier_front::parse(&underlying(sources), &options).ok()?;
    let mut hasher = blake3::Hasher::new();
    for word in pattern(&program) {
        hasher.update(&word.to_le_bytes());
    }
    Some(hasher.finalize().to_hex()[..8].to_owned())
}

/// The findings that were not analysed yet, in the order in which they were stored.
pub(crate) fn open_findings(store: &Store) -> anyhow::Result<Vec<Finding>> {
    let mut open = Vec::new();
    for finding in store.findings()? {
        if store.analysis(&finding.name)?.is_none() {
            open.push(finding);
        }
    }
    open.sort_by(|a, b| (&a.seen, a.program, &a.name).cmp(&(&b.seen, b.program, &b.name)));
    Ok(open)
}
