//! Whole programs from a seed: drafted, run, discharged and certified.

mod aggregates;
mod border;
mod budget;
mod bytes;
mod casts;
mod complex;
mod constants;
mod contests;
mod draft;
mod enrich;
mod finish;
mod floats;
mod functions;
mod graph;
mod hints;
mod idioms;
mod inside;
mod jumps;
mod knots;
mod loops;
mod mend;
mod names;
mod nests;
mod objects;
mod operators;
mod orange;
mod places;
mod production;
mod records;
mod revive;
mod scope;
mod sketch;
mod split;
mod statements;
mod strings;
mod types;
mod values;
mod vectors;
mod view_types;

use farrier_lang::print::{GuardStyle, PrintOptions};
use farrier_lang::target::{Target, X86_64_LINUX};
use farrier_lang::{Dialect, ExprId, FunctionId, ObjectId, Program, SourceText, StmtId};
use farrier_machine::{Certified, Options, Tier, Verdict, Watch, run, try_certify};
use rustc_hash::FxHashSet;

use crate::Choices;
use crate::census::{Census, census};
use crate::discharge::{self, Discharge, Known, Tally, discharge_from, profile_of};
use crate::features::{FEATURES, Feature, Weights};
use crate::parameters::{Parameter, Parameters, Policies};
use crate::relax::{Purpose, RelaxTally, Relaxation, Relaxed, Relaxing, Shares};
use budget::{ASSERTION_BYTES, EXPRESSION_BYTES, FRAME_BYTES, Size};
pub use budget::{Budget, HEAD_BYTES};
use budget::{NEAR, NEAR_ENOUGH, SPARE_BYTES, SPARE_PERCENT};
use draft::{Draft, Role};
use finish::Assertion;
pub(crate) use finish::is_driver;
pub(crate) use floats::{is_math_function, kind_feature};
pub(crate) use idioms::is_idiom;
pub use inside::draft_at;
pub(crate) use knots::is_knot;
use mend::Draftsman;
pub(crate) use names::{PROBE, names_a_result, names_a_value, names_a_wrap};
pub use scope::DraftScope;

/// How often a program is run before it is given up.
const MOST_RUNS: u32 = 24;

/// How often a program is drafted anew before one of another size is taken.
const MOST_DRAFTS: u32 = 400;

/// Of how many drafts that are only compiled the one of the best size is taken.
const WILD_DRAFTS: u32 = 2;

/// How many drafts have the same features, parameters and skeletons, and what their seeds are
/// derived with.
const ATTEMPTS_OF_SKELETON: u32 = 16;
const SHARED_STREAM: u64 = u64::MAX - 1;

/// How many pointers are null where they may be dereferenced without a guard, in percent.
const RELAXED_NULLS: u32 = 40;

/// What is added to a program may execute one of so many of the operations that it may.
const ENRICHING: u64 = 4;

/// What a program checks before it ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Check {
    /// It prints a checksum of all globals.
    #[default]
    Checksum,
    /// It compares each global with its known value and names the first that differs.
    Asserts,
    /// Nothing.
    None,
}

/// What programs to make.
#[derive(Clone, Debug)]
pub struct Config {
    /// The machine they are for.
    pub target: &'static Target,
    /// The language they are written in.
    pub dialect: Dialect,
    /// How large they are, in bytes of text.
    pub size: usize,
    /// How many operations of the machine they execute, at most.
    pub steps: u64,
    /// What they check.
    pub check: Check,
    /// What becomes of their guards.
    pub discharge: Discharge,
    /// What the floating arithmetic of those is like that have some; `None` if that is drawn.
    pub tier: Option<Tier>,
    /// Into how many files beside the driver their functions go; zero for one file.
    pub split: u32,
    /// How often each feature occurs.
    pub weights: Weights,
    /// The parameters that are not drawn.
    pub fixed: Vec<(Parameter, u32)>,
    /// Which of the programs of a seed: all of them have the same features, parameters and
    /// skeletons of loop nests, and differ in the rest.
    pub variation: u64,
    /// Whether each program draws which features it has at all.
    pub swarm: bool,
    /// Features that were asked for, so that they are not drawn off.
    pub asked: Vec<Feature>,
    /// Which rules of drafting they break.
    pub relax: Relaxing,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            target: &X86_64_LINUX,
            dialect: Dialect::default(),
            size: 80_000,
            steps: 200_000,
            check: Check::default(),
            discharge: Discharge::Mixed,
            tier: None,
            split: 0,
            weights: Weights::default(),
            fixed: Vec::new(),
            variation: 0,
            swarm: true,
            asked: Vec::new(),
            relax: Relaxing::default(),
        }
    }
}

/// A program that was made.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The program and what it does.
    pub certified: Certified,
    /// Its text: one file, or the tests and after them the driver.
    pub files: Vec<SourceText>,
    /// How its guards are printed.
    pub style: GuardStyle,
    /// What its floating arithmetic is like, if it was drafted with some.
    pub tier: Option<Tier>,
    /// What became of its guards.
    pub tally: Tally,
    /// The features it could have.
    pub weights: Weights,
    /// The parameters it was drawn with.
    pub parameters: Parameters,
    /// How often each policy was followed.
    pub policies: Policies,
    /// The forms of statements that its loop nests were drafted from, each with its last
    /// statement.
    pub shapes: Vec<(&'static str, StmtId)>,
    /// What became of the rules that it breaks.
    pub relaxed: RelaxTally,
    /// Why the drafts before it were refused.
    pub refused: Vec<Refusal>,
}

impl Generated {
    /// What is in the program, from one more run.
    pub fn census(&self) -> Census {
        let program = self.certified.program();
        let watch = Some(Watch::everything());
        let ran = run(program, &Options { profile: watch, ..Options::default() });
        census(program, &ran.profile.expect("it was asked for"), self.style)
    }

    /// The bytes of all files.
    pub fn size(&self) -> usize {
        self.files.iter().map(|file| file.text.len()).sum()
    }
}

/// Why a draft was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The machine did not find it defined. If it breaks rules on purpose, its text can still be
    /// compiled.
    Verdict {
        /// What the machine found.
        verdict: Box<Verdict>,
        /// Its text, without guards, if it breaks rules.
        relaxed: Option<Vec<SourceText>>,
    },
    /// Its text has this many bytes.
    Size(usize),
}

/// The program of a seed. Fails only if every draft was refused.
pub fn generate(seed: u64, config: &Config) -> Result<Generated, Vec<Refusal>> {
    let mut refused = Vec::new();
    let mut aim = Aim { size: config.size, added: usize::MAX };
    let is_near = |bytes: usize, percent| {
        let spare = SPARE_BYTES.min(config.size * SPARE_PERCENT / 100);
        bytes.abs_diff(config.size) + spare <= config.size * percent / 100
    };
    // The draft of the best size that was not run: its number and what it aimed at.
    let mut nearest_draft: Option<(usize, u32, Aim)> = None;
    let mut nearest: Option<Complete> = None;
    let mut runs = 0;
    for attempt in 0..MOST_DRAFTS {
        let streams = Streams::new(seed, attempt, config.variation);
        let (drafted, mut choices) = draft(config, aim, streams);
        let (expected, added) = (drafted.expected, drafted.added);
        let mut bytes = expected;
        if is_near(expected, NEAR) {
            let breaks = !drafted.relaxed.shares.is_strict();
            // The last run is saved where the size is wrong.
            let made = match complete(drafted, config, &mut choices) {
                Ok(complete) if is_near(complete.size(), NEAR_ENOUGH) => {
                    complete.certify(config).map(Ok)
                }
                other => other.map(Err),
            };
            match made {
                Ok(Ok(made)) => {
                    bytes = made.size();
                    if is_near(bytes, NEAR_ENOUGH) {
                        return Ok(Generated { refused, ..made });
                    }
                    refused.push(Refusal::Size(bytes));
                }
                Ok(Err(complete)) => {
                    bytes = complete.size();
                    let distance = |complete: &Complete| complete.size().abs_diff(config.size);
                    if nearest.as_ref().is_none_or(|old| distance(&complete) < distance(old)) {
                        nearest = Some(complete);
                    }
                    refused.push(Refusal::Size(bytes));
                }
                Err(verdict) => {
                    // The values of asserts are not known.
                    let compiles = breaks && config.check != Check::Asserts;
                    let relaxed = compiles.then(|| {
                        let streams = Streams::new(seed, attempt, config.variation);
                        bare_files(&draft(config, aim, streams).0.program, config)
                    });
                    refused.push(Refusal::Verdict { verdict, relaxed });
                }
            }
            runs += 1;
            if runs == MOST_RUNS {
                break;
            }
        } else {
            refused.push(Refusal::Size(expected));
            let distance = expected.abs_diff(config.size);
            if nearest_draft.is_none_or(|(old, ..)| distance < old) {
                nearest_draft = Some((distance, attempt, aim));
            }
        }
        if bytes < expected && added > 0 {
            // There was not enough room for the code that was to be added.
            aim.added = added.saturating_sub(expected - bytes);
        } else {
            // The next draft aims higher or lower by half of what this one missed: how much of
            // it was chance is not known.
            let size = (2 * aim.size + config.size).saturating_sub(bytes) / 2;
            aim.size = size.max(config.size / 8);
        }
    }
    if nearest.is_none()
        && let Some((_, attempt, aim)) = nearest_draft
    {
        let streams = Streams::new(seed, attempt, config.variation);
        let (drafted, mut choices) = draft(config, aim, streams);
        match complete(drafted, config, &mut choices) {
            Ok(complete) => nearest = Some(complete),
            Err(verdict) => refused.push(Refusal::Verdict { verdict, relaxed: None }),
        }
    }
    match nearest.map(|nearest| nearest.certify(config)) {
        Some(Ok(nearest)) => return Ok(Generated { refused, ..nearest }),
        Some(Err(verdict)) => refused.push(Refusal::Verdict { verdict, relaxed: None }),
        None => {}
    }
    Err(refused)
}

/// The files of a draft of a seed that breaks rules wherever it can. It has no meaning and is only
/// to be compiled, so it is not run.
pub fn wild(seed: u64, config: &Config) -> Vec<SourceText> {
    let relax = Relaxing { purpose: Some(Purpose::Crash), ..config.relax.clone() };
    let config = &Config { relax, check: Check::Checksum, ..config.clone() };
    let aim = Aim { size: config.size, added: usize::MAX };
    let draft = |attempt| draft(config, aim, Streams::new(seed, attempt, 0)).0;
    let distance = |drafted: &Drafted| drafted.expected.abs_diff(config.size);
    let nearest = (0..WILD_DRAFTS).map(draft).min_by_key(distance);
    bare_files(&nearest.expect("there is a draft").program, config)
}

/// The files of a program whose guards are left out.
fn bare_files(program: &Program, config: &Config) -> Vec<SourceText> {
    split::files(
        program,
        config.split,
        &PrintOptions { guards: GuardStyle::Bare, ..PrintOptions::default() },
    )
}

/// What a draft aims at.
#[derive(Clone, Copy)]
struct Aim {
    /// The bytes of the program.
    size: usize,
    /// The most of them that are added when its run is known.
    added: usize,
}

/// The randomness of one draft.
struct Streams {
    /// What all variations of a program draw: features and parameters.
    shared: Choices,
    /// The seed of the skeletons of its loop nests.
    skeletons: u64,
    /// All the rest.
    own: Choices,
}

impl Streams {
    fn new(seed: u64, attempt: u32, variation: u64) -> Self {
        // A variation may need more attempts than another until its size is right.
        let part = u64::from(attempt / ATTEMPTS_OF_SKELETON);
        let shared = Choices::derive_seed(Choices::derive_seed(seed, part), SHARED_STREAM);
        let own = Choices::derive_seed(seed, u64::from(attempt));
        let own = if variation == 0 { own } else { Choices::derive_seed(own, variation) };
        let skeletons = Choices::derive_seed(shared, SHARED_STREAM);
        Self { shared: Choices::new(shared), skeletons, own: Choices::new(own) }
    }
}

/// What a program may be mostly made of, and how often it has that then.
const FOCI: [(Feature, u32); 16] = [
    (Feature::IdiomFunction, 60),
    (Feature::Idiom, 60),
    (Feature::Hostile, 250),
    (Feature::KnownCall, 250),
    (Feature::NeutralWrap, 150),
    (Feature::Probe, 100),
    (Feature::Nest, 80),
    (Feature::Graph, 80),
    (Feature::Border, 60),
    (Feature::UnionView, 80),
    (Feature::MemoryFunction, 60),
    (Feature::StringFunction, 60),
    (Feature::ByteAccess, 50),
    (Feature::RecordLoop, 50),
    (Feature::RecordSelect, 50),
    (Feature::Vector, 60),
];

/// How many programs follow no policies, in percent: each policy makes some forms rare.
const WITHOUT_POLICIES: u32 = 10;

/// How many of these a program has, at most.
const MOST_FOCI: u64 = 3;

/// Which features a program has at all, and which of them make most of it.
fn swarm(config: &Config, policies: bool, choices: &mut Choices) -> Weights {
    let mut weights = config.weights.clone();
    // Hardly a knot goes without all features that some programs go without.
    let all = weights.has(Feature::Knot);
    for row in FEATURES {
        let feature = row.feature;
        let impossible = feature.missing(config.target, config.dialect).is_some();
        let off = config.swarm && weights.has(feature) && choices.chance(12) && !all;
        if impossible || off && !config.asked.contains(&feature) {
            weights.set(feature, 0);
        }
    }
    if !policies && !config.asked.contains(&Feature::CommonSubexpression) {
        weights.set(Feature::CommonSubexpression, 0);
    }
    if config.swarm && policies {
        for _ in 0..choices.below(MOST_FOCI + 1) {
            let (feature, often) = choices.pick(&FOCI);
            if weights.has(feature) && weights.get(feature).number() < often {
                weights.set(feature, often);
            }
        }
    }
    weights
}

/// Whether wrappers are functions, macros, or a mixture of both.
fn style(weights: &Weights, parameters: &Parameters, choices: &mut Choices) -> GuardStyle {
    if !choices.chance(weights.share(Feature::MacroWrapper).0) {
        return GuardStyle::Wrappers;
    }
    let percent = parameters.get(Parameter::MacroShare).min(100) as u8;
    GuardStyle::Macros { percent, salt: choices.below(u64::MAX) }
}

/// A program that is complete, before the machine says what it does.
struct Complete {
    program: Program,
    files: Vec<SourceText>,
    /// The loops that promise something.
    promised: Vec<StmtId>,
    style: GuardStyle,
    /// What its floating arithmetic was drafted for.
    tier: Option<Tier>,
    tally: Tally,
    weights: Weights,
    parameters: Parameters,
    policies: Policies,
    shapes: Vec<(&'static str, StmtId)>,
    relaxed: RelaxTally,
}

impl Complete {
    /// The bytes of all files.
    fn size(&self) -> usize {
        self.files.iter().map(|file| file.text.len()).sum()
    }

    /// Has the machine say what the program does. It goes without the promises that it breaks.
    fn certify(self, config: &Config) -> Result<Generated, Box<Verdict>> {
        let Self { program, mut files, promised, style, tier, tally, .. } = self;
        let Self { weights, parameters, policies, shapes, relaxed, .. } = self;
        let strict = strict_options(config);
        let with_tier = matches!(tier, Some(Tier::Free | Tier::Exact));
        let certified = match try_certify(program, &strict, with_tier) {
            Err(refused) if !promised.is_empty() => {
                let mut program = refused.0;
                hints::remove(&mut program, &promised);
                files = print_files(&program, config, style);
                try_certify(program, &strict, with_tier)
            }
            certified => certified,
        };
        let certified = certified.map_err(|refused| Box::new(refused.1))?;
        // What it is by proof, and not what it was drafted for; the last tier promises nothing.
        let tier = tier.map(|drafted| match drafted {
            Tier::Rounded => Tier::Rounded,
            Tier::Free | Tier::Exact => certified.tier(),
        });
        Ok(Generated {
            certified,
            files,
            style,
            tier,
            tally,
            weights,
            parameters,
            policies,
            shapes,
            relaxed,
            refused: Vec::new(),
        })
    }
}

/// The files of a program.
fn print_files(program: &Program, config: &Config, style: GuardStyle) -> Vec<SourceText> {
    split::files(program, config.split, &PrintOptions::guards(style))
}

/// How the machine runs a program that is complete.
fn strict_options(config: &Config) -> Options {
    Options { steps: config.steps, ..Options::default() }
}

/// Makes plain C of the guards of a draft, and adds code that leaves its run as it is.
fn complete(
    drafted: Drafted,
    config: &Config,
    choices: &mut Choices,
) -> Result<Complete, Box<Verdict>> {
    let Drafted { mut program, style, weights, parameters, kept, assertions, fixed, .. } = drafted;
    let Drafted { mut added, helpers, inputs, policies, shapes, tier, relaxed, .. } = drafted;
    // What keeps a profile counts as operations too.
    let options = Options { steps: config.steps.saturating_mul(4), ..strict_options(config) };
    let not = weights.has(Feature::Unary);
    let mut mended = RelaxTally::default();
    let ask = |program: &Program, choices: &mut Choices| {
        Questions::new(program, &helpers, (&weights, &parameters), added, &assertions, choices)
    };
    let (known, questions) = if relaxed.shares.is_strict() {
        let questions = ask(&program, choices);
        let guards = discharge::open_guards(&program, &kept);
        let mut watch = discharge::watch(&program, &guards, config.discharge, &questions.also);
        revive::watch(&program, &mut watch, &fixed, not, choices);
        let profile = profile_of(&program, watch, &options)?;
        revive::revive(&mut program, &profile);
        (Known::Now(profile), Some(questions))
    } else {
        let draftsman = Draftsman { relaxed: &relaxed, inputs: &inputs, fixed: &fixed, not };
        let mut questions = None;
        let mut watch = |program: &Program, choices: &mut Choices| {
            let asked = questions.insert(ask(program, choices));
            let guards = discharge::open_guards(program, &kept);
            discharge::watch(program, &guards, config.discharge, &asked.also)
        };
        let (tally, profile) = mend::mend(&mut program, &draftsman, &options, &mut watch, choices);
        mended = tally;
        (profile.map_or(Known::Nothing, Known::Now), questions)
    };
    let questions = match (&known, questions) {
        (Known::Now(_), Some(questions)) => questions,
        _ => ask(&program, choices),
    };
    let Questions { spots, candidates, also } = questions;
    let (tally, mut profile) =
        discharge_from(&mut program, config.discharge, (&kept, &also), known, &options, choices)?;
    let asked = !(spots.is_empty() && candidates.is_empty() && assertions.is_empty());
    if profile.is_none() && asked {
        profile = Some(profile_of(&program, also, &options)?);
    }
    if added > 0 && (config.discharge == Discharge::Drop || !relaxed.shares.is_strict()) {
        // What repairs add, and which guards stay, was not known before.
        let files = split::files(
            &program,
            config.split,
            &PrintOptions { guards: style, ..PrintOptions::default() },
        );
        let bytes: usize = files.iter().map(|file| file.text.len()).sum();
        added = config.size.saturating_sub(bytes);
    }
    if let Some(profile) = profile.as_ref().filter(|_| !spots.is_empty()) {
        let most = (added, config.steps / ENRICHING);
        let inputs = &inputs[..];
        let known = enrich::Known { profile, inputs, weights: &weights, parameters: &parameters };
        enrich::enrich(&mut program, &spots, &known, most, choices);
        if config.split > 0 {
            enrich::share(&mut program);
        }
    }
    if let Some(profile) = profile.as_ref().filter(|_| !assertions.is_empty()) {
        finish::fill_in(&mut program, &assertions, profile);
    }
    let promised = hints::add(&mut program, &candidates, profile.as_ref(), &weights, choices);
    let files = print_files(&program, config, style);
    Ok(Complete {
        program,
        files,
        promised,
        style,
        tier,
        tally,
        weights,
        parameters,
        policies,
        shapes,
        relaxed: mended,
    })
}

/// What is asked of the last run of discharge: what comes after it leaves all values as they are.
struct Questions {
    spots: Vec<enrich::Spot>,
    candidates: Vec<hints::Candidate>,
    also: Watch,
}

impl Questions {
    fn new(
        program: &Program,
        helpers: &[FunctionId],
        drawn: (&Weights, &Parameters),
        added: usize,
        assertions: &[Assertion],
        choices: &mut Choices,
    ) -> Self {
        let mut also = Watch::default();
        let spots = match added {
            0 => Vec::new(),
            bytes => enrich::survey(program, helpers, drawn, bytes, &mut also, choices),
        };
        let candidates = hints::survey(program, drawn.0, &mut also, choices);
        assertions.iter().for_each(|assertion| also.expressions.insert(assertion.actual));
        Self { spots, candidates, also }
    }
}

/// A program before its guards are discharged.
struct Drafted {
    program: Program,
    /// How its guards will be printed.
    style: GuardStyle,
    /// The features it could have.
    weights: Weights,
    /// The parameters it was drawn with.
    parameters: Parameters,
    policies: Policies,
    tier: Option<Tier>,
    shapes: Vec<(&'static str, StmtId)>,
    /// The rules that it breaks.
    relaxed: Relaxed,
    /// The guards that stay, in the order of the arena.
    kept: Vec<ExprId>,
    assertions: Vec<Assertion>,
    /// The conditions that must stay as they are.
    fixed: FxHashSet<StmtId>,
    /// How many bytes of code shall be added when its run is known.
    added: usize,
    /// Functions that stay as they are: helpers, those that set inputs, and most loop nests.
    helpers: Vec<FunctionId>,
    /// The hidden inputs with their values.
    inputs: Vec<(ObjectId, i128)>,
    /// How many bytes its text will have.
    expected: usize,
}

/// What the floating arithmetic of a program is like, if it has some.
fn draw_tier(config: &Config, weights: &mut Weights, choices: &mut Choices) -> Option<Tier> {
    let floating = choices.chance(weights.share(Feature::Floating).0);
    let drawn = choices.pick(&Tier::ALL);
    let tier = match (config.tier.unwrap_or(drawn), config.discharge) {
        // Guards that ask for exact results cannot stay.
        (Tier::Exact, Discharge::Keep | Discharge::Drop) => Tier::Rounded,
        (tier, _) => tier,
    };
    if !floating || !floats::possible(weights, tier, config.target) {
        return None;
    }
    if tier == Tier::Free {
        // Their lanes are checked by their bytes.
        weights.set(Feature::VectorFloat, 0);
    }
    Some(tier)
}

/// A draft, and the randomness that is left for the rest of its way.
fn draft(config: &Config, Aim { size, added }: Aim, streams: Streams) -> (Drafted, Choices) {
    let Streams { mut shared, skeletons, mut own } = streams;
    let policies = !config.swarm || !shared.chance(WITHOUT_POLICIES);
    let mut weights = swarm(config, policies, &mut shared);
    let parameters = Parameters::draw(&mut shared, &config.fixed, policies);
    let style = style(&weights, &parameters, &mut shared);
    let tier = draw_tier(config, &mut weights, &mut shared);
    let shares = Shares::draw(&config.relax, &mut shared);
    if shares.get(Relaxation::Null) > 0 && weights.has(Feature::NullPointer) {
        weights.set(Feature::NullPointer, RELAXED_NULLS);
    }
    let mut draft = Draft::new(config, weights, parameters, &mut own);
    draft.relaxed = Relaxed::new(shares);
    draft.skeletons = skeletons;
    draft.tier = tier;
    if tier == Some(Tier::Free) {
        draft.caps = floats::Caps::draw(draft.choices);
    }
    draft.program.exprs.reserve(size / EXPRESSION_BYTES);
    draft.add_inputs();
    let share = draft.parameter(Parameter::EnrichedShare) as usize;
    let added = added.min(size * share.min(enrich::most_share(&draft.weights)) / 100);
    let size = size - added;
    // Globals and their checks get a part of the size and of the operations.
    let most = 1 + draft.parameter(Parameter::Globals) as usize * size.min(200_000) / 10_000;
    for _ in 0..most {
        let checks = draft.checks();
        if checks.operations > config.steps / 4 || checks.bytes > size / 6 {
            break;
        }
        draft.global();
    }
    let typical = draft.parameter(Parameter::FunctionBytes) as usize;
    let mut tests = Vec::new();
    let mut spent = 0;
    loop {
        let bytes = draft.measure();
        let checks = draft.checks();
        let rest = size.saturating_sub(FRAME_BYTES + checks.bytes + bytes);
        if !tests.is_empty() && rest * 40 <= size {
            break;
        }
        let steps = (config.steps / 2).saturating_sub(checks.operations + spent);
        // As many operations for each byte as there are left.
        let share = rest.min(2 * typical).min(1000.max(size / 4));
        let allowance = (steps * share as u64 / rest.max(1) as u64).max(200);
        let nodes = draft.nodes_in(share);
        draft.size.limit = draft.grown() + draft.nodes_in(rest);
        let knot = match draft.wants(Feature::Knot) {
            true => draft.knot(steps, rest),
            false => None,
        };
        let test = knot.unwrap_or_else(|| draft.function(Role::Test, allowance, nodes));
        // When the operations are used up, the rest of the text is code that never runs.
        let cost = draft.stock.callees[test].cost;
        let runs = cost <= steps;
        if runs {
            spent += cost;
        }
        tests.push((test, runs));
    }
    let assertions = draft.finish(&tests);
    let mut expected = draft.measure();
    if config.check == Check::Asserts {
        expected += assertions.len() * ASSERTION_BYTES;
    }
    let Draft { program, weights, parameters, stock, size, fixed, relaxed, .. } = draft;
    let Size { kept, .. } = size;
    if config.split > 0 {
        // What several files declare is not counted otherwise.
        let files = split::files(&program, config.split, &PrintOptions::guards(style));
        expected = files.iter().map(|file| file.text.len()).sum();
    }
    expected += added;
    let grow = stock.callees.iter();
    let grow =
        grow.filter(|callee| !matches!(callee.role, Role::Helper | Role::Nest | Role::Kernel));
    let grow: FxHashSet<FunctionId> = grow.map(|callee| callee.function).collect();
    let stays = |function: &FunctionId| !grow.contains(function) || stock.plain.contains(function);
    let helpers = program.functions.ids().filter(stays).collect();
    let inputs = stock.inputs.iter().map(|(input, value)| (input.object, *value)).collect();
    let drafted = Drafted {
        program,
        style,
        weights,
        parameters,
        policies: Policies { off: !policies, ..stock.policies },
        tier,
        shapes: stock.shapes,
        relaxed,
        kept,
        assertions,
        fixed,
        added,
        helpers,
        inputs,
        expected,
    };
    (drafted, own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variations_share_features_and_skeletons() {
        let drawn = |variation, attempt| {
            let mut streams = Streams::new(7, attempt, variation);
            (streams.skeletons, streams.shared.bits(), streams.own.bits())
        };
        let (skeletons, shared, own) = drawn(0, 0);
        for variation in 1..4 {
            for attempt in 0..ATTEMPTS_OF_SKELETON {
                let other = drawn(variation, attempt);
                assert_eq!((other.0, other.1), (skeletons, shared), "{variation}, {attempt}");
                assert_ne!(other.2, own, "{variation}, {attempt}");
            }
        }
        assert_ne!(drawn(1, ATTEMPTS_OF_SKELETON).0, skeletons);
    }
}
