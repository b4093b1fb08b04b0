//! What a hunt spends its time on: a table of shares, from which every program draws its plan.
//!
//! All draws follow from the seed of the program. Each has a stream of its own, so that one share
//! can change without changing what another one gives.

use std::collections::BTreeMap;

use farrier_harness::{Catalogue, FlagPolicy, choose};
use farrier_machine::Tier;
use farrier_synth::features::FEATURES;
use farrier_synth::{Choices, Preset};
use serde::{Deserialize, Serialize};

use Expense::*;

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expense {
    O0,
    O1,
    O2,
    O3,
    Os,
    Flags,
    FloatingFlags,
    Emulated,
    OtherMachine,
    PlainCompiler,
    CplusplusCompiler,
    BeyondOthers,
    Corpus,
    Generator,
    Csmith,
    Yarpgen,
    Loops,
    Vectors,
    Orange,
    Edge,
    Knots,
    Variations,
    Swarm,
    SwarmOff,
    Mutate,
    Mutants,
    CorpusMutants,
    SmallestSize,
    LargestSize,
}

/// What there is to say of a share.
#[derive(Debug)]
pub(crate) struct ExpenseRow {
    share: Expense,
    /// Its name in configuration files.
    pub(crate) name: &'static str,
    /// What it is by default.
    pub(crate) default: u32,
    pub(crate) least: u32,
    pub(crate) most: u32,
    /// What it is.
    pub(crate) about: &'static str,
}

const fn row(
    share: Expense,
    name: &'static str,
    default: u32,
    most: u32,
    about: &'static str,
) -> ExpenseRow {
    ExpenseRow { share, name, default, least: 0, most, about }
}

/// The share of a preset, which has its name.
const fn preset(share: Expense, preset: Preset) -> ExpenseRow {
    let about = "percent of programs with the preset of this name, without --preset";
    row(share, preset.name(), preset.share(), 100, about)
}

const fn size(share: Expense, name: &'static str, default: u32, about: &'static str) -> ExpenseRow {
    ExpenseRow { share, name, default, least: 1_000, most: 16_000_000, about }
}

/// Every share, in the order of the enumeration.
#[rustfmt::skip]
pub(crate) static EXPENSES: &[ExpenseRow] = &[
    row(O0, "O0", 3, 100, "percent of programs that a compiler gets at -O0"),
    row(O1, "O1", 40, 100, "the same at -O1"),
    row(O2, "O2", 25, 100, "the same at -O2"),
    row(O3, "O3", 100, 100, "the same at -O3"),
    row(Os, "Os", 20, 100, "the same at -Os"),
    row(Flags, "flags", 33, 90, "percent of trials with random flags in addition to the level"),
    row(FloatingFlags, "floating-flags", 60, 100, "percent of those that change floating arithmetic as far as the tier of the program allows, such as -ffast-math, if it has any"),
    row(Emulated, "emulated", 10, 100, "percent of programs that are also made for one of the emulated machines"),
    row(OtherMachine, "other-machine", 25, 100, "percent for another machine that this one can run, such as i386"),
    row(PlainCompiler, "plain-compiler", 10, 100, "percent for compilers that do not promise GNU C, such as tcc"),
    row(CplusplusCompiler, "cplusplus", 35, 100, "percent of programs that compilers for C++ get, in dresses"),
    row(BeyondOthers, "beyond-others", 20, 100, "percent of programs that are also made with features that only some of the compilers for this machine have, for these alone"),
    row(Corpus, "corpus", 50, 100, "percent of programs that are drawn from --corpus; 100: only these, each file once, with everything"),
    row(Generator, "generator", 100, 100, "percent of programs that --generator makes; the rest are Farrier's own"),
    preset(Csmith, Preset::Csmith),
    preset(Yarpgen, Preset::Yarpgen),
    preset(Loops, Preset::Loops),
    preset(Vectors, Preset::Vectors),
    preset(Orange, Preset::Orange),
    preset(Edge, Preset::Edge),
    preset(Knots, Preset::Knots),
    row(Variations, "variations", 25, 100, "percent of programs that are of a family of four with the same features and skeletons of loop nests"),
    row(Swarm, "swarm", 25, 100, "percent of programs in which some features are off by lot"),
    row(SwarmOff, "swarm-off", 30, 100, "percent of the features that are off in those"),
    row(Mutate, "mutate", 40, 100, "percent of programs that are also mutated, without --mutate"),
    row(Mutants, "mutants", 3, 100, "how many mutants such a program has, each made from the one before"),
    row(CorpusMutants, "corpus-mutants", 8, 100, "the same for a program of --corpus"),
    size(SmallestSize, "smallest-size", 2_000, "the size of the smallest program in bytes, without --size"),
    size(LargestSize, "largest-size", 40_000, "the size of the largest one; each doubling between them is as likely as the next"),
];

/// How many shares there are.
const COUNT: usize = LargestSize as usize + 1;

/// The streams of a program.
const SHAPE: u64 = u64::MAX;
const MACHINES: u64 = u64::MAX - 1;
const FILE: u64 = u64::MAX - 2;
const MUTATION: u64 = u64::MAX - 4;
const FAMILY: u64 = u64::MAX - 5;

/// What is drawn in any case.
pub(crate) const ALWAYS: Chance = Chance { part: 1, whole: 1 };

/// How likely something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Chance {
    part: u32,
    whole: u32,
}

impl Chance {
    fn percent(part: u32) -> Self {
        Self { part, whole: 100 }
    }

    /// The chance of one of so many that have it together.
    pub(crate) fn among(self, count: usize) -> Self {
        Self { whole: self.whole * count.max(1) as u32, ..self }
    }

    fn draw(self, choices: &mut Choices) -> bool {
        choices.below(u64::from(self.whole)) < u64::from(self.part)
    }

    fn is_less_than(self, other: Self) -> bool {
        u64::from(self.part) * u64::from(other.whole)
            < u64::from(other.part) * u64::from(self.whole)
    }
}

/// A value for every share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, u32>", into = "BTreeMap<String, u32>")]
pub(crate) struct Spending([u32; COUNT]);

impl Default for Spending {
    fn default() -> Self {
        Self(std::array::from_fn(|index| EXPENSES[index].default))
    }
}

impl From<BTreeMap<String, u32>> for Spending {
    /// What has no name there is as it is by default.
    fn from(named: BTreeMap<String, u32>) -> Self {
        let value = |row: &ExpenseRow| named.get(row.name).copied().unwrap_or(row.default);
        Self(std::array::from_fn(|index| value(&EXPENSES[index])))
    }
}

impl From<Spending> for BTreeMap<String, u32> {
    fn from(spending: Spending) -> Self {
        EXPENSES.iter().map(|row| (row.name.to_owned(), spending.get(row.share))).collect()
    }
}

/// What the program of a number is like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) preset: Preset,
    pub(crate) size: usize,
    /// Features that are off.
    pub(crate) off: Vec<&'static str>,
}

impl Spending {
    /// A value.
    fn get(&self, share: Expense) -> u32 {
        self.0[share as usize]
    }

    /// Changes a value.
    pub(crate) fn set(&mut self, row: &ExpenseRow, value: u32) {
        self.0[row.share as usize] = value;
    }

    /// Whether no trial gets random flags.
    pub(crate) fn has_flags(&self) -> bool {
        self.get(Flags) > 0
    }

    fn chance(&self, share: Expense) -> Chance {
        Chance::percent(self.get(share))
    }

    /// How likely a level is; those without a row were asked for.
    fn level(&self, level: &str) -> Chance {
        let name = level.split_whitespace().find_map(|word| word.strip_prefix('-'));
        let row = EXPENSES[..=Os as usize].iter().find(|row| Some(row.name) == name);
        row.map_or(ALWAYS, |row| self.chance(row.share))
    }

    /// How likely it is that a program is made for compilers like this one.
    pub(crate) fn machine(&self, kind: MachineKind) -> Chance {
        match kind {
            MachineKind::Own => ALWAYS,
            MachineKind::Other => self.chance(OtherMachine),
            MachineKind::Emulated => self.chance(Emulated),
            MachineKind::PlainCompiler => self.chance(PlainCompiler),
            MachineKind::Cplusplus => self.chance(CplusplusCompiler),
            MachineKind::Beyond => self.chance(BeyondOthers),
        }
    }

    /// The percentage of programs that are mutated.
    pub(crate) fn mutate(&self) -> u32 {
        self.get(Mutate)
    }

    /// Changes that percentage.
    pub(crate) fn set_mutate(&mut self, percent: u32) {
        self.set(&EXPENSES[Mutate as usize], percent);
    }

    /// From which seed how many mutants are made of the program of a seed, which may be one of a
    /// corpus; `None` if it is not its turn.
    pub(crate) fn mutants(&self, seed: u64, is_foreign: bool) -> Option<(u64, u32)> {
        let mut choices = Choices::new(Choices::derive_seed(seed, MUTATION));
        let count = self.get(if is_foreign { CorpusMutants } else { Mutants });
        choices.chance(self.get(Mutate)).then(|| (choices.bits(), count))
    }

    /// Whether no program is generated where there is a corpus.
    pub(crate) fn has_only_corpus(&self) -> bool {
        self.get(Corpus) == 100
    }

    /// Whether all programs come from the generator, where there is one.
    pub(crate) fn has_only_generator(&self) -> bool {
        self.get(Generator) == 100
    }

    /// The seed that a generator gets for the program of a seed; `None` if the program is ours.
    pub(crate) fn generator_seed(&self, seed: u64, seeds: u64) -> Option<u64> {
        let mut choices = Choices::new(Choices::derive_seed(seed, FILE));
        choices.chance(self.get(Generator)).then(|| choices.below(seeds))
    }

    /// Which of so many files of a corpus is the program of a seed; `None` if it is generated.
    pub(crate) fn file(&self, seed: u64, files: u64) -> Option<u64> {
        let mut choices = Choices::new(Choices::derive_seed(seed, FILE));
        choices.chance(self.get(Corpus)).then(|| choices.below(files))
    }

    /// What the program of a seed is like.
    pub(crate) fn shape(&self, seed: u64) -> Shape {
        let mut choices = Choices::new(Choices::derive_seed(seed, SHAPE));
        let share = |preset: Preset| {
            let row = EXPENSES.iter().find(|row| row.name == preset.name());
            row.map_or(0, |row| self.get(row.share))
        };
        let mut weights = Preset::ALL.map(share);
        let others: u32 = weights.iter().sum();
        weights[Preset::Default as usize] = 100_u32.saturating_sub(others);
        let preset = choices.weighted(&weights).map_or(Preset::Default, |index| Preset::ALL[index]);
        let largest = self.get(LargestSize);
        let sizes = sizes(self.get(SmallestSize).max(preset.least().min(largest)), largest);
        let size = choices.pick(&sizes);
        let mut off = Vec::new();
        if choices.chance(self.get(Swarm)) {
            let share = self.get(SwarmOff);
            let drawn = FEATURES.iter().filter(|_| choices.chance(share));
            off.extend(drawn.filter(|row| !preset.needs(row.feature)).map(|row| row.name));
        }
        Shape { preset, size, off }
    }

    /// Whether the program of a seed is the first of a family.
    pub(crate) fn is_family(&self, seed: u64) -> bool {
        let mut choices = Choices::new(Choices::derive_seed(seed, FAMILY));
        self.chance(Variations).draw(&mut choices)
    }

    /// Which of several kinds of machines the program of a seed is made for: at least one.
    pub(crate) fn machines(&self, seed: u64, chances: &[Chance]) -> Vec<usize> {
        let mut choices = Choices::new(Choices::derive_seed(seed, MACHINES));
        some(chances, &mut choices)
    }

    /// The flags that a compiler gets for the program of a seed: some of its levels, and some of
    /// them with flags of its own. The name is a part of it, so that compilers do not all get the
    /// same. What is drawn is allowed for floating arithmetic of this tier; the levels may not be.
    pub(crate) fn trials(
        &self,
        seed: u64,
        name: &str,
        levels: &[Level],
        catalogue: Option<&Catalogue>,
        floating: Option<Tier>,
    ) -> Vec<Vec<String>> {
        let hash = blake3::hash(name.as_bytes());
        let (head, _) = hash.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
        let mut choices = Choices::new(Choices::derive_seed(seed, u64::from_le_bytes(*head)));
        let chance = |level: &Level| if level.always { ALWAYS } else { self.level(&level.flags) };
        let chances: Vec<Chance> = levels.iter().map(chance).collect();
        let words = |index: usize| levels[index].flags.split_whitespace().map(str::to_owned);
        let drawn = some(&chances, &mut choices);
        let mut trials: Vec<Vec<String>> =
            drawn.iter().map(|index| words(*index).collect()).collect();
        let Some(catalogue) = catalogue else { return trials };
        // So many beside each plain trial are this share of all.
        let policy = FlagPolicy { floating: self.get(FloatingFlags), ..FlagPolicy::default() };
        let (flags, plain) = (self.get(Flags), 100 - self.get(Flags).min(99));
        let varied: Vec<usize> =
            drawn.iter().copied().filter(|index| levels[*index].varied).collect();
        for _ in &varied {
            let rest = Chance { part: flags % plain, whole: plain };
            for _ in 0..flags / plain + u32::from(rest.draw(&mut choices)) {
                let level = words(choices.pick(&varied));
                let own = choose(catalogue, &policy, floating, choices.bits());
                trials.push(level.chain(own).collect());
            }
        }
        trials
    }
}

/// A level of optimisation, with other flags if there are any.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Level {
    pub(crate) flags: String,
    /// Whether every program is compiled with it.
    pub(crate) always: bool,
    /// Whether random flags may be added to it.
    pub(crate) varied: bool,
}

/// The machine that compilers make programs for, by what it costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MachineKind {
    /// The one that we are on.
    Own,
    /// Another one that it can run.
    Other,
    /// One that is emulated.
    Emulated,
    /// Any that it can run, but the compilers do not promise GNU C.
    PlainCompiler,
    /// Any that it can run, and the compilers get C++.
    Cplusplus,
    /// The one that we are on, and the programs have what only some of its compilers know.
    Beyond,
}

/// The indices of those that are drawn; if none is, the likeliest.
fn some(chances: &[Chance], choices: &mut Choices) -> Vec<usize> {
    let mut drawn: Vec<usize> =
        (0..chances.len()).filter(|index| chances[*index].draw(choices)).collect();
    if drawn.is_empty() {
        let likeliest = (0..chances.len()).reduce(|best, index| {
            if chances[best].is_less_than(chances[index]) { index } else { best }
        });
        drawn.extend(likeliest);
    }
    drawn
}

/// Sizes of which each is a twentieth larger than the one before.
fn sizes(smallest: u32, largest: u32) -> Vec<usize> {
    let next = |size: &u32| Some(size + size / 20);
    let sizes = std::iter::successors(Some(smallest), next);
    sizes.take_while(|size| *size <= largest.max(smallest)).map(|size| size as usize).collect()
}

#[cfg(test)]
mod tests {
    use farrier_harness::{Choice, refusal};

    use super::*;

    /// How many of this many programs are meant.
    const MANY: u64 = 4_000;

    fn percent(is_meant: impl Fn(u64) -> bool) -> u64 {
        100 * (0..MANY).filter(|seed| is_meant(*seed)).count() as u64 / MANY
    }

    fn levels(names: &[&str]) -> Vec<Level> {
        let level = |name: &&str| Level { flags: (*name).to_owned(), always: false, varied: true };
        names.iter().map(level).collect()
    }

    #[test]
    fn rows_stand_in_the_order_of_the_enumeration() {
        assert_eq!(EXPENSES.len(), COUNT);
        for (index, row) in EXPENSES.iter().enumerate() {
            assert_eq!(row.share as usize, index, "{}", row.name);
            assert!((row.least..=row.most).contains(&row.default), "{}", row.name);
        }
    }

    #[test]
    fn what_is_stored_is_read_and_what_is_missing_is_usual() {
        let mut spending = Spending::default();
        spending.set(&EXPENSES[Flags as usize], 7);
        let text = serde_json::to_string(&spending).expect("it is data");
        let read: Spending = serde_json::from_str(&text).expect("it is data");
        assert_eq!(read, spending);
        let read: Spending = serde_json::from_str("{\"flags\": 7}").expect("it is data");
        assert_eq!(read, spending);
    }

    #[test]
    fn levels_come_by_their_shares() {
        let spending = Spending::default();
        let levels = levels(&["-O0", "-O1", "-O2", "-O3", "-Os"]);
        for (index, level) in levels.iter().enumerate() {
            let has = |seed| {
                spending
                    .trials(seed, "gcc", &levels, None, None)
                    .contains(&vec![level.flags.clone()])
            };
            let (found, share) = (percent(has), u64::from(EXPENSES[index].default));
            assert!(found.abs_diff(share) <= 3, "{}: {found}", level.flags);
        }
    }

    #[test]
    fn a_compiler_with_one_level_and_one_that_was_asked_for_always_have_it() {
        let spending = Spending::default();
        let mut asked = levels(&["-O3", "-O0"]);
        asked[1].always = true;
        for seed in 0..100 {
            assert_eq!(spending.trials(seed, "tcc", &levels(&["-O0"]), None, None), [["-O0"]]);
            assert_eq!(spending.trials(seed, "gcc", &asked, None, None), [["-O3"], ["-O0"]]);
            let odd = spending.trials(seed, "gcc", &levels(&["-Og", "-O0 -flto"]), None, None);
            assert_eq!(odd[0], ["-Og"]);
        }
    }

    #[test]
    fn a_third_of_the_trials_has_flags() {
        let on = Choice { name: "a".to_owned(), forms: vec![vec!["-fa".to_owned()]] };
        let catalogue = Catalogue { optimisations: vec![on], ..Catalogue::default() };
        for share in [33, 0, 80] {
            let mut spending = Spending::default();
            spending.set(&EXPENSES[Flags as usize], share);
            let trials: Vec<Vec<String>> = (0..MANY)
                .flat_map(|seed| {
                    spending.trials(seed, "gcc", &levels(&["-O1", "-O3"]), Some(&catalogue), None)
                })
                .collect();
            let with = trials.iter().filter(|flags| flags.len() > 1).count();
            let found = 100 * with / trials.len();
            assert!(found.abs_diff(share as usize) <= 3, "{share}: {found}");
        }
    }

    /// Whatever the seed, the compiler and the level: what is drawn is allowed.
    #[test]
    fn no_trial_draws_a_flag_that_the_tier_does_not_allow() {
        let form = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let forms: Vec<Vec<String>> = [
            &["-ffast-math"][..],
            &["-Ofast"],
            &["-fno-signed-zeros", "-fassociative-math"],
            &["-ffp-contract=fast", "-mfma"],
            &["-mfpmath=387"],
            &["-frounding-math"],
        ]
        .map(form)
        .to_vec();
        let choice = |(index, form): (usize, &Vec<String>)| Choice {
            name: index.to_string(),
            forms: vec![form.clone()],
        };
        let floating = forms.iter().enumerate().map(choice).collect();
        let catalogue = Catalogue { floating, ..Catalogue::default() };
        let spending = Spending::default();
        let levels = levels(&["-O0", "-O1", "-O2", "-O3", "-Os"]);
        let count = |tier: Option<Tier>, strict: Tier| {
            let trials = (0..MANY / 4).flat_map(|seed| {
                let name = if seed % 2 == 0 { "gcc" } else { "clang" };
                spending.trials(seed, name, &levels, Some(&catalogue), tier)
            });
            let wrong =
                |flags: &Vec<String>| refusal(flags.iter().map(String::as_str), strict).is_some();
            trials.filter(wrong).count()
        };
        for tier in Tier::ALL {
            assert_eq!(count(Some(tier), tier), 0, "{}", tier.name());
        }
        assert_eq!(count(None, Tier::Rounded), 0);
        assert!(count(Some(Tier::Free), Tier::Exact) > 100);
        assert!(count(Some(Tier::Exact), Tier::Rounded) > 100);
    }

    #[test]
    fn sizes_are_as_often_below_their_middle_as_above() {
        let spending = Spending::default();
        let middle = |preset: Preset, size| {
            let shapes = (0..MANY).map(|seed| spending.shape(seed));
            let (small, large): (Vec<_>, Vec<_>) =
                shapes.filter(|shape| shape.preset == preset).partition(|shape| shape.size < size);
            100 * small.len() / (small.len() + large.len())
        };
        assert!(middle(Preset::Default, 8_944).abs_diff(50) <= 4);
        // Smaller ones have no room for a knot.
        assert_eq!(middle(Preset::Knots, 5_000), 0);
        assert!(middle(Preset::Knots, 14_142).abs_diff(50) <= 4);
        let sizes = (0..MANY).map(|seed| spending.shape(seed).size);
        let (least, most) = (sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(0));
        assert!((2_000..2_200).contains(&least) && (37_000..=40_000).contains(&most));
        assert_eq!(super::sizes(9_000, 2_000), [9_000]);
    }

    #[test]
    fn presets_and_features_come_by_their_shares() {
        let spending = Spending::default();
        for preset in Preset::ALL.into_iter().filter(|preset| *preset != Preset::Default) {
            let found = percent(|seed| spending.shape(seed).preset == preset);
            let share = u64::from(preset.share());
            assert!(share > 0 && found.abs_diff(share) <= 2, "{}: {found}", preset.name());
        }
        let swarm = percent(|seed| !spending.shape(seed).off.is_empty());
        // Knots need every feature, so that none of theirs is off.
        let expected = 25 * (100 - u64::from(Preset::Knots.share())) / 100;
        assert!(swarm.abs_diff(expected) <= 2, "{swarm}");
    }

    #[test]
    fn mutants_come_by_their_share() {
        let spending = Spending::default();
        let mutated = percent(|seed| spending.mutants(seed, false).is_some());
        assert!(mutated.abs_diff(40) <= 3, "{mutated}");
        let count = |foreign| (0..9).find_map(|seed| Some(spending.mutants(seed, foreign)?.1));
        assert_eq!((count(false), count(true)), (Some(3), Some(8)));
    }

    #[test]
    fn files_of_a_corpus_have_their_share_and_all_have_a_chance() {
        let spending = Spending::default();
        let files: Vec<u64> = (0..MANY).filter_map(|seed| spending.file(seed, 20)).collect();
        let share = 100 * files.len() as u64 / MANY;
        assert!(share.abs_diff(50) <= 3, "{share}");
        for file in 0..20 {
            let count = files.iter().filter(|drawn| **drawn == file).count();
            assert!(count.abs_diff(files.len() / 20) < 50, "{file}: {count}");
        }
    }

    #[test]
    fn emulated_machines_have_their_share_together() {
        let spending = Spending::default();
        let emulated = spending.machine(MachineKind::Emulated).among(5);
        let chances = [ALWAYS, emulated, emulated, emulated, emulated, emulated];
        let count: usize = (0..MANY).map(|seed| spending.machines(seed, &chances).len() - 1).sum();
        let percent = 100 * count as u64 / MANY;
        assert!(percent.abs_diff(10) <= 2, "{percent}");
        // Where there is nothing else it always has its turn.
        assert_eq!(spending.machines(1, &[emulated]), [0]);
    }
}
