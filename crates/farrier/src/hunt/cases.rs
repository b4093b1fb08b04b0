//! The programs of a hunt: generated, edited at random, or from elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use farrier_harness::{
    Configuration, Expectation, Family, Origin, Recipe, Runner, Subject, TestCase, VOTERS,
};
use farrier_lang::Target;
use farrier_synth::Choices;
use farrier_synth::dress::Cplusplus;
use farrier_synth::features::Feature;

use super::Tested;
use super::corpus::Corpus;
use super::outfit;
use super::recipe::{Prepared, prepare};
use crate::finding::{ALWAYS, Chance, HuntSettings, MachineKind, Mode, Numbered, Tally};

/// In a hunt for everything, of so many numbers one has an edited program as well, and one a draft
/// that breaks rules.
const COMPILED_EVERY: u64 = 8;
const EDITED: u64 = 3;
const DRAFTED: u64 = 7;

/// So many numbers, one after the other, may have programs with the same skeletons.
const FAMILY: u64 = 4;

/// How large the programs are at most of which mutations take parts, in bytes.
const DONOR_SIZE: usize = 8_000;

/// Subjects that get the same programs.
#[derive(Clone, Debug)]
pub(super) struct Cohort {
    target: &'static Target,
    /// Whether they know the extensions of GNU C; `None` where that makes no difference.
    extensions: Option<bool>,
    /// Whether they compile C++.
    cplusplus: bool,
    /// The features that some of them are too old for.
    absent: Vec<&'static str>,
    /// Features that some of them do not have, whoever asks for them.
    unknown: Vec<&'static str>,
    /// Features that are off by default, and that all of them have.
    present: Vec<&'static str>,
    /// The latest version of C++ that all of them know.
    standard: Cplusplus,
    /// If not empty, it has only the compilers that know one of these features, which the others
    /// for the same target do not: programs of their own, beside those for all.
    beyond: Vec<&'static str>,
    /// How likely it is that they get a program.
    pub(super) chance: Chance,
}

/// The first two numbers of a version.
type Release = (u32, u32);

/// The versions of C++ that a family has since a version only.
const STANDARDS: [(Family, Release, Cplusplus); 6] = [
    (Family::Gcc, (8, 0), Cplusplus::Cpp14),
    (Family::Gcc, (11, 0), Cplusplus::Cpp17),
    (Family::Clang, (6, 0), Cplusplus::Cpp14),
    (Family::Clang, (13, 0), Cplusplus::Cpp17),
    (Family::Nvcc, (12, 0), Cplusplus::Cpp17),
    (Family::Nvcc, (13, 3), Cplusplus::Cpp20),
];

/// The extensions of GNU C that a family has since a version only.
const SINCE: [(Family, Release, &str); 1] = [(Family::Gcc, (12, 0), "vector-shuffle")];

/// The features that some compilers have, since a version of their family. They are off by
/// default, and on where all compilers have them.
const SOME: [(&str, Family, Release); 3] = [
    ("ext-vector", Family::Clang, (0, 0)),
    ("bit-int", Family::Clang, (15, 0)),
    ("bit-int", Family::Gcc, (14, 0)),
];

/// Whether a compiler is older than a version of its family.
fn is_before(subject: &Subject, family: Family, first: Release) -> bool {
    let mut numbers = subject.version.split('.').map(str::parse::<u32>);
    let Some(Ok(major)) = numbers.next() else { return false };
    let minor = numbers.next().and_then(Result::ok).unwrap_or(0);
    subject.family == family && (major, minor) < first
}

/// Whether a compiler has a feature that only some have.
fn knows(subject: &Subject, feature: &str) -> bool {
    SOME.iter().any(|(name, family, first)| {
        *name == feature && subject.family == *family && !is_before(subject, *family, *first)
    })
}

impl Cohort {
    /// The cohorts of all these subjects.
    pub(super) fn all(settings: &HuntSettings, tested: &[Tested]) -> Vec<Self> {
        let kinds: &[Option<bool>] = match settings.is_all_foreign() {
            // Programs from elsewhere are what they are.
            true => &[None],
            false => &[Some(true), Some(false)],
        };
        let mut cohorts = Vec::new();
        let mut targets = farrier_lang::target::TARGETS.to_vec();
        for target in tested.iter().filter_map(|one| one.subject.target) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        for target in targets {
            for (extensions, cplusplus) in
                kinds.iter().flat_map(|kind| [(kind, false), (kind, true)])
            {
                if cplusplus && settings.is_all_foreign() {
                    // Programs from elsewhere are C.
                    continue;
                }
                let mut cohort = Self {
                    target,
                    extensions: *extensions,
                    cplusplus,
                    standard: Cplusplus::Cpp23,
                    absent: Vec::new(),
                    unknown: Vec::new(),
                    present: Vec::new(),
                    beyond: Vec::new(),
                    chance: ALWAYS,
                };
                let subjects = tested.iter().map(|one| &one.subject);
                let own: Vec<&Subject> = subjects.filter(|one| cohort.has(one)).collect();
                for (family, first, feature) in SINCE {
                    if own.iter().any(|subject| is_before(subject, family, first)) {
                        cohort.absent.push(feature);
                    }
                }
                cohort.settle(&own);
                for (family, first, standard) in STANDARDS {
                    if own.iter().any(|subject| is_before(subject, family, first)) {
                        cohort.standard = cohort.standard.min(standard);
                    }
                }
                if !own.is_empty() {
                    cohorts.push(cohort);
                }
            }
        }
        let beyond: Vec<Self> =
            cohorts.iter().filter_map(|cohort| cohort.beyond(settings, tested)).collect();
        cohorts.extend(beyond);
        let kinds: Vec<Option<MachineKind>> =
            cohorts.iter().map(|cohort| cohort.kind(settings, tested)).collect();
        let emulated = Some(MachineKind::Emulated);
        let count = kinds.iter().filter(|kind| **kind == emulated).count();
        for (cohort, kind) in cohorts.iter_mut().zip(kinds) {
            let Some(known) = kind else { continue };
            let together = settings.spending.machine(known);
            cohort.chance = if kind == emulated { together.among(count) } else { together };
        }
        cohorts
    }

    /// Which of the features that only some compilers have all of these have, and which not.
    fn settle(&mut self, own: &[&Subject]) {
        let mut features: Vec<&str> = SOME.iter().map(|(feature, ..)| *feature).collect();
        features.dedup();
        (self.present, self.unknown) = features
            .into_iter()
            .partition(|feature| own.iter().all(|subject| knows(subject, feature)));
    }

    /// A cohort of the compilers of this one that know more features than all together.
    fn beyond(&self, settings: &HuntSettings, tested: &[Tested]) -> Option<Self> {
        if self.cplusplus
            || self.extensions == Some(false)
            || settings.has_only_corpus()
            || !self.target.name.starts_with(std::env::consts::ARCH)
        {
            return None;
        }
        let wanted = |feature: &&&str| settings.features.get(**feature) != Some(&0);
        let wanted = self.unknown.iter().filter(wanted).copied().collect();
        let mut beyond = Self { beyond: wanted, ..self.clone() };
        if beyond.beyond.is_empty() {
            return None;
        }
        let subjects = tested.iter().map(|one| &one.subject);
        let own: Vec<&Subject> = subjects.filter(|one| beyond.has(one)).collect();
        beyond.settle(&own);
        (!own.is_empty()).then_some(beyond)
    }

    /// What its programs cost; `None` if it gets every program all the same, because it was asked
    /// for, or because every file of a corpus has one turn.
    fn kind(&self, settings: &HuntSettings, tested: &[Tested]) -> Option<MachineKind> {
        if !self.beyond.is_empty() {
            return Some(MachineKind::Beyond);
        }
        let own = || tested.iter().filter(|one| self.has(&one.subject));
        if settings.has_only_corpus() || own().any(|one| one.asked) {
            return None;
        }
        Some(if self.cplusplus {
            MachineKind::Cplusplus
        } else if own().all(|one| one.subject.runner != Runner::Direct) {
            MachineKind::Emulated
        } else if self.extensions == Some(false) {
            MachineKind::PlainCompiler
        } else if self.target.name.starts_with(std::env::consts::ARCH) {
            MachineKind::Own
        } else {
            MachineKind::Other
        })
    }

    /// Whether a subject belongs to it.
    pub(super) fn has(&self, subject: &Subject) -> bool {
        subject.target.is_some_and(|target| target.name == self.target.name)
            && self.extensions.is_none_or(|extensions| extensions == subject.extensions)
            && self.cplusplus == subject.is_cplusplus()
            && (self.beyond.is_empty() || self.beyond.iter().any(|feature| knows(subject, feature)))
    }
}

/// Where programs come from.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) settings: HuntSettings,
    pub(super) corpus: Option<Corpus>,
}

impl Programs {
    /// The seed of a number.
    pub(super) fn seed(&self, number: u64) -> u64 {
        Choices::derive_seed(self.settings.seed, number)
    }

    /// Where the generated program of a number comes from: its own seed, or that of the first of
    /// its family, of which it is a variation.
    fn origin(&self, number: u64, cohort: &Cohort) -> Origin {
        let (own, place) = (self.seed(number), number % FAMILY);
        let first = self.seed(number - place);
        let (seed, variation) = match self.settings.spending.is_family(first) {
            true => (first, place),
            false => (own, 0),
        };
        let configuration = Configuration { variation, ..self.configuration(seed, cohort) };
        Origin::Generated { configuration, seed }
    }

    /// What the generated program of a seed is like. What is asked for is not drawn.
    fn configuration(&self, seed: u64, cohort: &Cohort) -> Configuration {
        let HuntSettings { preset, size, steps, discharge, spending, features, parameters, .. } =
            &self.settings;
        let shape = spending.shape(seed);
        let mut weights: BTreeMap<String, u32> =
            shape.off.iter().chain(&cohort.absent).map(|name| ((*name).to_owned(), 0)).collect();
        for name in &cohort.present {
            let often = Feature::by_name(name).map_or(0, Feature::when_asked_for);
            weights.insert((*name).to_owned(), often);
        }
        weights.extend(features.clone());
        for name in cohort.unknown.iter().filter(|name| features.contains_key(**name)) {
            weights.insert((*name).to_owned(), 0);
        }
        Configuration {
            preset: preset.clone().unwrap_or_else(|| shape.preset.name().to_owned()),
            size: size.unwrap_or(shape.size),
            target: cohort.target.name.to_owned(),
            variation: 0,
            extensions: cohort.extensions.unwrap_or(true),
            steps: *steps,
            discharge: discharge.clone(),
            features: weights,
            parameters: parameters.clone(),
        }
    }

    /// The corpus and the place in it of the program of a number; `None` if it is our own.
    ///
    /// Where there is nothing else, every file has its turn, one after the other.
    fn file(&self, number: u64, seed: u64) -> Option<(&Corpus, u64)> {
        let corpus = self.corpus.as_ref()?;
        let HuntSettings { spending, .. } = &self.settings;
        let file = if corpus.is_generator() {
            spending.generator_seed(seed, corpus.count())
        } else if self.settings.has_only_corpus() {
            Some(number)
        } else {
            spending.file(seed, corpus.count())
        };
        Some((corpus, file?))
    }

    /// The programs of a number for a cohort. What could not be made is counted.
    pub(super) fn of(
        &self,
        number: u64,
        cohort: &Cohort,
        subjects: &[&Subject],
        tally: &mut Tally,
    ) -> Vec<Numbered> {
        let seed = self.seed(number);
        // Programs from elsewhere are C.
        let file = if cohort.cplusplus { None } else { self.file(number, seed) };
        let own: Vec<&Subject> =
            subjects.iter().copied().filter(|subject| cohort.has(subject)).collect();
        let made = catch_unwind(AssertUnwindSafe(|| match file {
            None => self.generated(number, seed, cohort, preprocessor(&own), tally),
            Some((corpus, file)) => {
                self.foreign(corpus, file, seed, cohort, &own, tally).unwrap_or_default()
            }
        }));
        let Ok(parts) = made else {
            tally.panicked += 1;
            return Vec::new();
        };
        if parts.is_empty() {
            *if file.is_some() { &mut tally.skipped } else { &mut tally.refused } += 1;
        }
        let numbered = |case: TestCase| Numbered { name: case.name(), case, number, seed };
        // Two drafts may come to the same text, and a part of a number is known by its name.
        let mut names = BTreeSet::new();
        let is_new = |one: &Numbered| names.insert(one.name.clone());
        parts.into_iter().map(numbered).filter(is_new).collect()
    }

    /// The program of a seed, and where it is their turn an edited one and mutants.
    fn generated(
        &self,
        number: u64,
        seed: u64,
        cohort: &Cohort,
        subject: Option<&Subject>,
        tally: &mut Tally,
    ) -> Vec<TestCase> {
        let mut recipe = Recipe::new(self.origin(number, cohort));
        if cohort.cplusplus {
            recipe.outfit = Some(outfit::draw(seed, cohort.standard, cohort.target));
            let made = prepare(&recipe, None).ok().and_then(|mut made| made.follow(&recipe));
            return made.into_iter().collect();
        }
        if self.settings.mode == Mode::Crash {
            return self.compiled_only(number, seed, cohort).into_iter().collect();
        }
        let Ok(mut prepared) = prepare(&recipe, None) else { return Vec::new() };
        let mut cases = Vec::new();
        if self.settings.mode == Mode::Both {
            cases = prepared.take_left_over();
            match number % COMPILED_EVERY {
                EDITED => cases.extend(prepared.edited(seed)),
                DRAFTED => cases.extend(self.compiled_only(number, seed, cohort)),
                _ => {}
            }
        }
        let mutants = self.mutants(&mut prepared, seed, cohort, subject);
        tally.mutants += mutants.len() as u64;
        cases.insert(0, prepared.original);
        cases.extend(mutants);
        cases
    }

    /// A program that is only compiled, for which no machine runs: a draft that breaks rules, and
    /// in every other number of a hunt for crashes its text edited at random.
    fn compiled_only(&self, number: u64, seed: u64, cohort: &Cohort) -> Option<TestCase> {
        let configuration = self.configuration(seed, cohort);
        let origin = Origin::Drafted { configuration, seed, refused: None };
        let prepared = prepare(&Recipe::new(origin), None).ok()?;
        let edits = self.settings.mode == Mode::Crash && number % 2 == 1;
        let edited = if edits { prepared.edited(seed) } else { None };
        Some(edited.unwrap_or(prepared.original))
    }

    /// The mutants of the program of a seed, if it is their turn. They take parts of another
    /// program that is generated, and of one from elsewhere if there are such. They are in GNU C,
    /// and a small machine has no room for them.
    fn mutants(
        &self,
        prepared: &mut Prepared,
        seed: u64,
        cohort: &Cohort,
        subject: Option<&Subject>,
    ) -> Vec<TestCase> {
        let is_foreign = prepared.original.recipe.is_foreign();
        let turn = self.settings.spending.mutants(seed, is_foreign);
        let can = cohort.extensions != Some(false) && cohort.target.environment.small.is_none();
        let Some((from, count)) = turn.filter(|_| can) else { return Vec::new() };
        let mut configuration = self.configuration(seed, cohort);
        configuration.size = configuration.size.min(DONOR_SIZE);
        let generated = Origin::Generated { configuration, seed: seed.wrapping_add(1) };
        let elsewhere = self.corpus.as_ref().zip(subject);
        let foreign = elsewhere
            .and_then(|(corpus, subject)| corpus.certified(seed, cohort.target, subject))
            .map(|foreign| foreign.origin);
        let donors: Vec<Origin> = [generated].into_iter().chain(foreign).collect();
        prepared.mutants(from, count, &donors, elsewhere)
    }

    /// A program from elsewhere, and where it is their turn mutants; `None` if it is of no use to
    /// this hunt.
    fn foreign(
        &self,
        corpus: &Corpus,
        file: u64,
        seed: u64,
        cohort: &Cohort,
        subjects: &[&Subject],
        tally: &mut Tally,
    ) -> Option<Vec<TestCase>> {
        let subject = preprocessor(subjects)?;
        let mut case = corpus.case(file, cohort.target, subject)?;
        // Too few cannot vote. Where a part of the library is missing, a program may fail without
        // a bug, and no other compiler can vote.
        let votes = matches!(case.expectation, Expectation::Agreement { .. });
        if votes && subjects.len() < VOTERS || !cohort.target.environment.whole_library {
            case.expectation = Expectation::Nothing;
        }
        let is_judged = case.expectation != Expectation::Nothing;
        if !is_judged && self.settings.mode == Mode::WrongCode {
            return None;
        }
        let has_turn = self.settings.spending.mutants(seed, true).is_some();
        let mut cases = vec![case];
        if has_turn && cases[0].expectation.certificate().is_some() {
            let mut prepared = prepare(&cases[0].recipe, Some((corpus, subject))).ok()?;
            cases.extend(self.mutants(&mut prepared, seed, cohort, Some(subject)));
            tally.mutants += cases.len() as u64 - 1;
        }
        Some(cases)
    }
}

/// Who preprocesses programs from elsewhere: gcc or clang if one is tested, because others know
/// fewer versions of the language.
pub(super) fn preprocessor<'s>(subjects: &[&'s Subject]) -> Option<&'s Subject> {
    let other = |subject: &&&Subject| !matches!(subject.family, Family::Gcc | Family::Clang);
    subjects.iter().min_by_key(other).copied()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use farrier_harness::parse_subjects;

    use super::*;

    /// How often programs for these compilers have a feature in each cohort, if the user asks for
    /// clang's vectors so often.
    fn often(compilers: &[&str], feature: &str, asked: Option<u32>) -> Vec<Option<u32>> {
        let subject = |compiler: &&str| {
            let (family, version) = compiler.split_once('-').expect("a family and a version");
            format!(
                "[[subject]]\nname = \"{compiler}\"\nfamily = \"{family}\"\ncommand = \"{family}\"\n\
                 target = \"x86_64-linux\"\nversion = \"{version}\"\n"
            )
        };
        let text: String = compilers.iter().map(subject).collect();
        let subjects = parse_subjects(Path::new("test"), &text).expect("it is a list of subjects");
        let test = |subject| Tested { subject, levels: Vec::new(), asked: true, flags: None };
        let tested: Vec<Tested> = subjects.into_iter().map(test).collect();
        let features = asked.map(|often| ("ext-vector".to_owned(), often)).into_iter().collect();
        let settings = HuntSettings { features, ..HuntSettings::default() };
        let cohorts = Cohort::all(&settings, &tested);
        let programs = Programs { settings, corpus: None };
        let often = |cohort| programs.configuration(1, cohort).features.get(feature).copied();
        cohorts.iter().map(often).collect()
    }

    #[test]
    fn what_some_compilers_have_is_for_these_alone() {
        const ON: Option<u32> = Some(20);
        let vectors = |compilers: &[&str], asked| often(compilers, "ext-vector", asked);
        assert_eq!(vectors(&["clang-22.1.8"], None), [ON]);
        assert_eq!(vectors(&["clang-22.1.8"], Some(0)), [Some(0)]);
        // Beside programs for both, clang gets programs of its own.
        let both = &["clang-22.1.8", "gcc-12.2.0"];
        assert_eq!(vectors(both, None), [None, ON]);
        assert_eq!(vectors(both, Some(9)), [Some(0), Some(9)]);

        let bit_int = |compilers: &[&str]| often(compilers, "bit-int", None);
        assert_eq!(bit_int(both), [None, ON]);
        assert_eq!(bit_int(&["clang-22.1.8", "gcc-14.2.0"]), [ON, ON]);
        assert_eq!(bit_int(&["clang-13.0.1", "gcc-12.2.0"]), [None, None]);
        assert_eq!(bit_int(&["gcc-12.2.0"]), [None]);
    }

    #[test]
    fn nothing_is_made_for_some_that_the_user_does_not_want() {
        let (feature, both) = ("bit-int", ["clang-13.0.1", "gcc-12.2.0"]);
        assert_eq!(often(&both, feature, Some(0)), [None]);
    }
}
