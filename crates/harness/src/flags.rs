//! Random sets of a compiler's own optimisation flags.
//!
//! Which flags there are is asked of the compiler; which sets are drawn depends on a
//! number alone, given the same [`Catalogue`].

mod excluded;
mod floating;
mod x86;

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use farrier_lang::target::{I386_LINUX, I386_WINDOWS, X86_64_LINUX, X86_64_WINDOWS};
use farrier_machine::Tier;
use serde::{Deserialize, Serialize};

use crate::scratch::file_error;
use crate::subject::{Family, Runner, Subject};
use crate::{Bounds, Error, ProcessEnding, Role, Sandbox, Scratch};
pub(crate) use excluded::{is_excluded, reason_to_refuse};
pub use floating::refusal;

/// The flags of one subject: a value that can be stored, so that a compiler is asked once.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Catalogue {
    /// Optimisations.
    pub optimisations: Vec<Choice>,
    /// Forms with which many bugs were found: they are drawn as often as all others together.
    #[serde(default)]
    pub favourites: Vec<Choice>,
    /// Parameters of optimisations.
    pub parameters: Vec<Choice>,
    /// Processors that this machine can run programs for.
    pub processors: Vec<Choice>,
    /// Ways of making code that can be moved.
    pub positions: Vec<Choice>,
    /// Ways of optimising while linking.
    pub linking: Vec<Choice>,
    /// Flags of floating arithmetic; the tier of a program says which it may meet.
    #[serde(default)]
    pub floating: Vec<Choice>,
    /// What the compiler was offered and refused.
    pub refused: Vec<String>,
}

/// A flag with the forms that it can have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// The name.
    pub name: String,
    /// Each form is one or more words of the command line.
    pub forms: Vec<Vec<String>>,
}

impl Choice {
    fn new<'a>(name: &str, forms: impl IntoIterator<Item = &'a [&'a str]>) -> Self {
        let words = |form: &[&str]| form.iter().map(|word| (*word).to_owned()).collect();
        Self { name: name.to_owned(), forms: forms.into_iter().map(words).collect() }
    }

    /// The forms that a program of a tier may meet, if there are any.
    fn allowed(&self, tier: Tier) -> Option<Self> {
        let is_allowed =
            |form: &&Vec<String>| refusal(form.iter().map(String::as_str), tier).is_none();
        let forms: Vec<Vec<String>> = self.forms.iter().filter(is_allowed).cloned().collect();
        (!forms.is_empty()).then(|| Self { name: self.name.clone(), forms })
    }

    /// `-fname` and `-fno-name`.
    fn toggle(name: &str) -> Self {
        let (on, off) = (format!("-f{name}"), format!("-fno-{name}"));
        Self::new(name, [&[on.as_str()][..], &[off.as_str()]])
    }
}

/// How many flags a set has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FlagPolicy {
    /// At most so many optimisations.
    pub optimisations: u32,
    /// At most so many in every other set: most bugs need one or two.
    pub few: u32,
    /// At most so many parameters.
    pub parameters: u32,
    /// One set in so many names a processor; zero is never.
    pub processor_every: u32,
    /// One set in so many is for code that can be moved; zero is never.
    pub position_every: u32,
    /// One set in so many optimises while linking; zero is never.
    pub linking_every: u32,
    /// The percentage of sets that change floating arithmetic, where a program has it.
    pub floating: u32,
    /// At most so many flags of floating arithmetic.
    pub floating_most: u32,
}

impl Default for FlagPolicy {
    fn default() -> Self {
        Self {
            optimisations: 12,
            few: 2,
            parameters: 4,
            processor_every: 4,
            position_every: 4,
            linking_every: 8,
            floating: 60,
            floating_most: 2,
        }
    }
}

/// Draws a set of flags by a number, for a program with floating arithmetic of a tier, or without
/// any. The same number gives the same set.
pub fn choose(
    catalogue: &Catalogue,
    policy: &FlagPolicy,
    floating: Option<Tier>,
    number: u64,
) -> Vec<String> {
    let mut stream = Stream(number);
    let allowed: Vec<Choice> = match floating {
        Some(tier) => catalogue.floating.iter().filter_map(|one| one.allowed(tier)).collect(),
        None => Vec::new(),
    };
    let mut drawn: Vec<(&str, &Vec<String>)> = Vec::new();
    let most = match stream.below(2) {
        0 => policy.few,
        _ => policy.optimisations,
    };
    for _ in 0..stream.below(u64::from(most)) + 1 {
        let lists = [&catalogue.favourites, &catalogue.optimisations];
        let list = lists[usize::from(catalogue.favourites.is_empty() || stream.below(2) == 0)];
        stream.draw(list, &mut drawn);
    }
    for _ in 0..stream.below(u64::from(policy.parameters) + 1) {
        stream.draw(&catalogue.parameters, &mut drawn);
    }
    for (choices, every) in [
        (&catalogue.processors, policy.processor_every),
        (&catalogue.positions, policy.position_every),
        (&catalogue.linking, policy.linking_every),
    ] {
        if every > 0 && stream.below(u64::from(every)) == 0 {
            stream.draw(choices, &mut drawn);
        }
    }
    if !allowed.is_empty() && stream.below(100) < u64::from(policy.floating) {
        for _ in 0..stream.below(u64::from(policy.floating_most)) + 1 {
            stream.draw(&allowed, &mut drawn);
        }
    }
    // Some that are not about floating arithmetic change it all the same.
    let fits = |form: &Vec<String>| {
        floating.is_none_or(|tier| refusal(form.iter().map(String::as_str), tier).is_none())
    };
    drawn.retain(|(_, form)| fits(form));
    drawn.into_iter().flat_map(|(_, form)| form).cloned().collect()
}

/// Numbers from a number: SplitMix64.
struct Stream(u64);

impl Stream {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not zero; the bias is too small to matter here.
    fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.next()) * u128::from(bound);
        u64::try_from(wide >> 64).expect("it is below a bound of 64 bits")
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        let length = list.len() as u64;
        (length > 0).then(|| &list[usize::try_from(self.below(length)).expect("an index")])
    }

    /// Adds a form of one of these, unless one of that name is there.
    fn draw<'a>(&mut self, list: &'a [Choice], drawn: &mut Vec<(&'a str, &'a Vec<String>)>) {
        let Some(choice) = self.pick(list) else { return };
        let Some(form) = self.pick(&choice.forms) else { return };
        if drawn.iter().all(|(name, _)| *name != choice.name) {
            drawn.push((&choice.name, form));
        }
    }
}

/// Asks a subject for its flags, and tries which of them it takes.
pub fn read_catalogue(
    subject: &Subject,
    sandbox: &Sandbox,
    base: &Path,
) -> Result<Catalogue, Error> {
    let scratch = Scratch::new(base)?;
    let compiler = Questioner { subject, sandbox, place: scratch.path() };
    let mut catalogue = match subject.family {
        Family::Gcc => Catalogue {
            optimisations: parse_optimisers(&compiler.ask(&["--help=optimizers"])?)
                .into_iter()
                .chain(choices_of(GCC_FORMS))
                .collect(),
            parameters: parse_parameters(&compiler.ask(&["-Q", "-O2", "--help=params"])?),
            ..Catalogue::default()
        },
        Family::Clang | Family::Zig => {
            Catalogue { optimisations: clang_choices(), ..Catalogue::default() }
        }
        Family::Sdcc => {
            let single = |flag: &&str| Choice::new(flag, [&[*flag][..]]);
            Catalogue {
                optimisations: SDCC_FLAGS.iter().map(single).collect(),
                ..Catalogue::default()
            }
        }
        Family::Nvcc => cuda_catalogue(&compiler.ask(&["--list-gpu-code"])?),
        Family::Tcc | Family::Pcc | Family::Rucc | Family::Other => Catalogue::default(),
    };
    catalogue.favourites.extend(favourites(subject));
    if !matches!(subject.family, Family::Tcc | Family::Pcc | Family::Sdcc | Family::Nvcc) {
        catalogue.positions = vec![
            Choice::new("position-independent", [&["-fPIC"][..], &["-fpic"], &["-fPIE", "-pie"]]),
            Choice::new("position-dependent", [&["-fno-pie", "-no-pie"][..]]),
        ];
    }
    // The linker of MinGW-w64 knows what GCC writes for itself, not what clang does.
    let links = match subject.runner {
        Runner::Simavr => false,
        Runner::Wine(_) => subject.family == Family::Gcc,
        _ => matches!(subject.family, Family::Gcc | Family::Clang),
    };
    if links {
        catalogue.linking = vec![Choice::new("lto", [&["-flto"][..]])];
    }
    if matches!(subject.family, Family::Gcc | Family::Clang | Family::Zig) {
        catalogue.floating = choices_of(floating::FORMS).collect();
    }
    // Wine runs a program on this processor, too.
    let here = matches!(subject.runner, Runner::Direct | Runner::Wine(_));
    let wide = [Some(&X86_64_LINUX), Some(&X86_64_WINDOWS)].contains(&subject.target);
    let narrow = [Some(&I386_LINUX), Some(&I386_WINDOWS)].contains(&subject.target);
    if here && (wide || narrow) {
        let path = Path::new("/proc/cpuinfo");
        let text = fs::read_to_string(path).map_err(|error| file_error(path, error))?;
        if wide {
            catalogue.processors = x86::processors(&text);
            catalogue.optimisations.extend(choices_of(x86::FORMS));
            if subject.family == Family::Gcc {
                catalogue.optimisations.extend(choices_of(x86::GCC_FORMS));
            }
        }
        catalogue.floating.extend(choices_of(floating::X86_FORMS));
        if x86::processor_flags(&text).contains(&"fma") {
            catalogue.floating.extend(choices_of(floating::FMA_FORMS));
        }
    }
    let source = scratch.path().join("flags.c");
    fs::write(&source, "int f(int a) { return a + 1; }\nint main(void) { return f(-1); }\n")
        .map_err(|error| file_error(&source, error))?;
    compiler.keep_accepted(&mut catalogue)?;
    Ok(catalogue)
}

/// Asks one compiler in one place.
struct Questioner<'a> {
    subject: &'a Subject,
    sandbox: &'a Sandbox,
    place: &'a Path,
}

impl Questioner<'_> {
    /// What it answers on standard output; nothing if it fails.
    fn ask(&self, arguments: &[&str]) -> Result<String, Error> {
        Ok(self.run(arguments)?.unwrap_or_default())
    }

    fn run(&self, arguments: &[&str]) -> Result<Option<String>, Error> {
        let words: Vec<OsString> = [&self.subject.command, &self.subject.flags]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .chain(arguments.iter().copied())
            .map(OsString::from)
            .collect();
        let finished = self.sandbox.run(Role::Tool, &words, b"", self.place, &Bounds::TOOL)?;
        Ok(match finished.ending {
            ProcessEnding::Exited(status) if status.success() => {
                Some(String::from_utf8_lossy(&finished.stdout).into_owned())
            }
            _ => None,
        })
    }

    /// Whether it compiles and links with these forms of flags, all at once.
    fn takes(&self, forms: &[&Vec<String>]) -> Result<bool, Error> {
        let mut arguments = match self.subject.family {
            // Without its runtime there is nothing to link.
            Family::Sdcc => vec!["-c", "flags.c", "-o", "flags.rel"],
            Family::Nvcc => vec!["-cubin", "-x", "cu", "flags.c", "-o", "flags.cubin"],
            _ => vec!["-O2", "flags.c", "-o", "flags"],
        };
        arguments.extend(forms.iter().copied().flatten().map(String::as_str));
        Ok(self.run(&arguments)?.is_some())
    }

    /// Removes the forms that the compiler refuses. All are tried at once, and only if that
    /// fails one half after the other.
    fn keep_accepted(&self, catalogue: &mut Catalogue) -> Result<(), Error> {
        let mut refused = Vec::new();
        for choices in [
            &mut catalogue.optimisations,
            &mut catalogue.favourites,
            &mut catalogue.parameters,
            &mut catalogue.processors,
            &mut catalogue.positions,
            &mut catalogue.linking,
            &mut catalogue.floating,
        ] {
            let most = choices.iter().map(|choice| choice.forms.len()).max().unwrap_or(0);
            for index in 0..most {
                let forms: Vec<&Vec<String>> =
                    choices.iter().filter_map(|choice| choice.forms.get(index)).collect();
                self.search(&forms, &mut refused)?;
            }
            for choice in choices.iter_mut() {
                choice.forms.retain(|form| !refused.contains(&form.join(" ")));
            }
            choices.retain(|choice| !choice.forms.is_empty());
        }
        refused.sort();
        refused.dedup();
        catalogue.refused = refused;
        Ok(())
    }

    fn search(&self, forms: &[&Vec<String>], refused: &mut Vec<String>) -> Result<(), Error> {
        if forms.is_empty() || self.takes(forms)? {
            return Ok(());
        }
        if let [form] = forms {
            refused.push(form.join(" "));
            return Ok(());
        }
        let (left, right) = forms.split_at(forms.len() / 2);
        self.search(left, refused)?;
        self.search(right, refused)
    }
}

/// The flags in the output of `gcc --help=optimizers`.
fn parse_optimisers(help: &str) -> Vec<Choice> {
    let mut choices: Vec<Choice> = Vec::new();
    for word in help.lines().filter_map(first_word) {
        let Some(flag) = word.strip_prefix("-f") else { continue };
        let (name, values) = match flag.split_once('=') {
            None => (flag, None),
            Some((name, values)) => (name, Some(values)),
        };
        if is_excluded(name) || choices.iter().any(|choice| choice.name == flag) {
            continue;
        }
        choices.push(match values {
            None => Choice::toggle(name),
            Some(values) => {
                let listed = values.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                // Without a list of values there is nothing that could be drawn.
                let Some(listed) = listed else { continue };
                let forms = listed.split('|').map(|value| vec![format!("-f{name}={value}")]);
                Choice { name: format!("{name}="), forms: forms.collect() }
            }
        });
    }
    choices
}

/// The parameters in the output of `gcc -Q --help=params`: values around the default.
/// Values far from it make compilations endless, which proves nothing.
fn parse_parameters(help: &str) -> Vec<Choice> {
    help.lines()
        .filter_map(|line| {
            let (name, range) = first_word(line)?.strip_prefix("--param=")?.split_once('=')?;
            let default: u64 = line.split_whitespace().next_back()?.parse().ok()?;
            if is_excluded(name) {
                return None;
            }
            let (least, most) = range
                .strip_prefix('<')
                .and_then(|rest| rest.strip_suffix('>'))
                .and_then(|rest| rest.split_once(','))
                .and_then(|(least, most)| Some((least.parse().ok()?, most.parse().ok()?)))
                .unwrap_or((0, u64::from(u16::MAX)));
            let mut values: Vec<u64> = [least, default / 2, default + 1, default * 2]
                .into_iter()
                .filter(|value| *value != default && (least..=most).contains(value))
                .collect();
            values.sort_unstable();
            values.dedup();
            let forms: Vec<Vec<String>> =
                values.iter().map(|value| vec![format!("--param={name}={value}")]).collect();
            (!forms.is_empty()).then(|| Choice { name: name.to_owned(), forms })
        })
        .collect()
}

fn first_word(line: &str) -> Option<&str> {
    line.split_whitespace().next()
}

/// Toggles of clang that are optimisations. It lists its flags without saying which are.
const CLANG_TOGGLES: &[&str] = &[
    "vectorize",
    "slp-vectorize",
    "unroll-loops",
    "inline-functions",
    "inline",
    "jump-tables",
    "finite-loops",
    "delete-null-pointer-checks",
    "omit-frame-pointer",
    "optimize-sibling-calls",
    "reroll-loops",
    "split-machine-functions",
    "stack-clash-protection",
    "semantic-interposition",
    "plt",
    "function-sections",
    "data-sections",
    "zero-initialized-in-bss",
];

/// Forms of other flags of clang. Passes that its developers call experimental are not
/// here: they know that those are wrong.
const CLANG_FORMS: &[(&str, &[&[&str]])] = &[
    ("stack-protector", &[&["-fstack-protector-all"], &["-fstack-protector-strong"]]),
    ("auto-init", &[&["-ftrivial-auto-var-init=pattern"]]),
    ("checks", &[&["-fsanitize=undefined", "-fsanitize-trap=undefined"]]),
    (
        "vector-width",
        &[
            &["-mllvm", "-force-vector-width=2"],
            &["-mllvm", "-force-vector-width=4"],
            &["-mllvm", "-force-vector-width=8"],
            &["-mllvm", "-force-vector-width=16"],
        ],
    ),
    (
        "interleave",
        &[&["-mllvm", "-force-vector-interleave=2"], &["-mllvm", "-force-vector-interleave=4"]],
    ),
    ("unroll-count", &[&["-mllvm", "-unroll-count=2"], &["-mllvm", "-unroll-count=5"]]),
    (
        "inline-threshold",
        &[&["-mllvm", "-inline-threshold=0"], &["-mllvm", "-inline-threshold=2000"]],
    ),
    ("loop-flatten", &[&["-mllvm", "-enable-loop-flatten"]]),
    ("unroll-and-jam", &[&["-mllvm", "-enable-unroll-and-jam"]]),
    ("partial-inlining", &[&["-mllvm", "-enable-partial-inlining"]]),
    ("jump-threading-dfa", &[&["-mllvm", "-enable-dfa-jump-thread"]]),
    ("least-trips", &[&["-mllvm", "-vectorizer-min-trip-count=2"]]),
    (
        "predication",
        &[
            &["-mllvm", "-prefer-predicate-over-epilogue=predicate-else-scalar-epilogue"],
            &["-mllvm", "-prefer-predicate-over-epilogue=predicate-dont-vectorize"],
        ],
    ),
    ("epilogue-width", &[&["-mllvm", "-epilogue-vectorization-force-VF=4"]]),
    (
        "interleaved-accesses",
        &[
            &["-mllvm", "-enable-interleaved-mem-accesses"],
            &[
                "-mllvm",
                "-enable-interleaved-mem-accesses",
                "-mllvm",
                "-enable-masked-interleaved-mem-accesses",
            ],
        ],
    ),
    ("memory-checks", &[&["-mllvm", "-runtime-memory-check-threshold=100"]]),
    ("slp-threshold", &[&["-mllvm", "-slp-threshold=-100"], &["-mllvm", "-slp-threshold=-5"]]),
    ("slp-register", &[&["-mllvm", "-slp-min-reg-size=32"]]),
    ("slp-width", &[&["-mllvm", "-slp-max-vf=4"]]),
    ("unroll-remainder", &[&["-mllvm", "-unroll-runtime"], &["-mllvm", "-unroll-allow-partial"]]),
    ("phi-folding", &[&["-mllvm", "-phi-node-folding-threshold=20"]]),
    ("merged-stores", &[&["-mllvm", "-simplifycfg-merge-cond-stores-aggressively"]]),
    ("merged-functions", &[&["-mllvm", "-enable-merge-functions"]]),
    ("register-allocator", &[&["-mllvm", "-regalloc=basic"]]),
    ("scheduler", &[&["-mllvm", "-enable-misched=false"], &["-mllvm", "-pre-RA-sched=source"]]),
    ("tail-merging", &[&["-mllvm", "-tail-merge-threshold=2"]]),
];

/// Forms of flags of GCC that it does not list as optimisations. The program has no undefined
/// behaviour, so a check that traps is wrong.
const GCC_FORMS: &[(&str, &[&[&str]])] = &[
    ("checks", &[&["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]]),
    ("zeroed-registers", &[&["-fzero-call-used-regs=all"], &["-fzero-call-used-regs=used-gpr"]]),
];

/// Forms of flags of nvcc.
const CUDA_FORMS: &[(&str, &[&[&str]])] = &[
    ("line-information", &[&["-lineinfo"]]),
    ("relocatable", &[&["-rdc=true"]]),
    ("registers", &[&["-maxrregcount=16"], &["-maxrregcount=32"], &["-maxrregcount=255"]]),
    ("device-vectorization", &[&["-extra-device-vectorization"]]),
    ("restrict", &[&["-restrict"]]),
    ("debug-optimised", &[&["-dopt=on", "-G"]]),
    ("middle-end", &[&["-Xcicc=-O0"], &["-Xcicc=-O1"], &["-Xcicc=-O2"]]),
    ("expensive", &[&["-Xptxas=--allow-expensive-optimizations=true"]]),
    ("load-cache", &[&["-Xptxas=-dlcm=cg"], &["-Xptxas=-dlcm=cv"]]),
    ("position-independent", &[&["-Xptxas=--position-independent-code"]]),
];

/// The flags of nvcc, and the devices that it lists. They are its back ends, so one set in three
/// names one.
fn cuda_catalogue(devices: &str) -> Catalogue {
    let names = devices.split_whitespace().filter(|name| name.starts_with("sm_"));
    let forms: Vec<Vec<String>> = names.map(|name| vec![format!("-arch={name}")]).collect();
    let device = Choice { name: "device".to_owned(), forms };
    Catalogue {
        optimisations: choices_of(CUDA_FORMS).collect(),
        favourites: vec![device.clone()],
        processors: vec![device],
        ..Catalogue::default()
    }
}

/// What a table of names and forms has.
fn choices_of<'a>(
    table: &'a [(&'a str, &'a [&'a [&'a str]])],
) -> impl Iterator<Item = Choice> + 'a {
    table.iter().map(|(name, forms)| Choice::new(name, forms.iter().copied()))
}

fn clang_choices() -> Vec<Choice> {
    let toggles = CLANG_TOGGLES.iter().map(|name| Choice::toggle(name));
    toggles.chain(choices_of(CLANG_FORMS)).collect()
}

/// Forms of flags of GCC with which wrong code was found again and again: single passes
/// switched off, so that the next one gets other code, and passes that are off by default.
const GCC_FAVOURITES: &[&str] = &[
    "allow-store-data-races",
    "gcse-las",
    "gcse-sm",
    "graphite-identity",
    "ipa-pta",
    "loop-nest-optimize",
    "loop-parallelize-all",
    "modulo-sched",
    "no-code-hoisting",
    "no-dce",
    "no-early-inlining",
    "no-gcse",
    "no-inline",
    "no-ipa-cp",
    "no-ipa-sra",
    "no-ivopts",
    "no-ssa-phiopt",
    "no-strict-aliasing",
    "no-tree-ccp",
    "no-tree-ch",
    "no-tree-copy-prop",
    "no-tree-dce",
    "no-tree-dominator-opts",
    "no-tree-dse",
    "no-tree-forwprop",
    "no-tree-fre",
    "no-tree-loop-im",
    "no-tree-pre",
    "no-tree-reassoc",
    "no-tree-sink",
    "no-tree-slsr",
    "no-tree-sra",
    "no-tree-ter",
    "no-tree-vrp",
    "no-vect-cost-model",
    "non-call-exceptions",
    "openmp-simd",
    "schedule-insns",
    "selective-scheduling2",
    "tracer",
    "unroll-loops",
    "wrapv",
];

/// The same for clang.
const CLANG_FAVOURITES: &[&str] =
    &["no-inline", "no-strict-aliasing", "no-unroll-loops", "no-vectorize", "openmp-simd", "wrapv"];

/// Names of `CLANG_FORMS` that are favourites: they let the vectorisers work where they find
/// that it does not pay.
const CLANG_FAVOURITE_FORMS: &[&str] =
    &["vector-width", "interleave", "least-trips", "predication", "slp-threshold"];

/// What SDCC has of passes that can be switched off, and of goals. None of them changes how
/// functions call each other.
pub(crate) const SDCC_FLAGS: &[&str] = &[
    "--nogcse",
    "--noinduction",
    "--noinvariant",
    "--nolabelopt",
    "--noloopreverse",
    "--nolospre",
    "--no-peep",
    "--no-peep-return",
    "--nostdlibcall",
    "--fomit-frame-pointer",
    "--opt-code-speed",
    "--opt-code-size",
    "--max-allocs-per-node1",
    "--max-allocs-per-node10000",
];

/// The favourites of a compiler. What gives a meaning to undefined behaviour may be here: it
/// changes nothing in a program that has none.
fn favourites(subject: &Subject) -> Vec<Choice> {
    let names = match subject.family {
        Family::Gcc => GCC_FAVOURITES,
        Family::Clang | Family::Zig => CLANG_FAVOURITES,
        Family::Tcc | Family::Pcc | Family::Nvcc | Family::Rucc | Family::Sdcc | Family::Other => {
            &[]
        }
    };
    let single = |name: &&str| {
        let flag = format!("-f{name}");
        Choice::new(name.strip_prefix("no-").unwrap_or(name), [&[flag.as_str()][..]])
    };
    let mut choices: Vec<Choice> = names.iter().map(single).collect();
    if matches!(subject.family, Family::Clang | Family::Zig) {
        let is_favourite = |choice: &Choice| CLANG_FAVOURITE_FORMS.contains(&&*choice.name);
        choices.extend(choices_of(CLANG_FORMS).filter(is_favourite));
    }
    let wide = [Some(&X86_64_LINUX), Some(&X86_64_WINDOWS)].contains(&subject.target);
    if subject.family == Family::Gcc && wide {
        let forms = x86::STRING_STRATEGIES.map(|way| vec![format!("-mstringop-strategy={way}")]);
        choices.push(Choice { name: "stringop-strategy".to_owned(), forms: forms.to_vec() });
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optimisers_are_read_and_what_changes_meaning_is_left_out() {
        let help = "The following options control optimizations:\n  -O<number>    Set.\n  \
                    -fgcse        Perform.\n  -faggressive-loop-optimizations Aggressively\n     \
                    constraints.\n  -ffast-math   Fast.\n  -fwrapv-pointer  Wrap.\n  \
                    -fira-region=[one|all|mixed] Set regions\n  -falign-jumps=  None.\n  \
                    -fpack-struct=<number> Set\n  -fsignaling-nans x\n";
        let choices = parse_optimisers(help);
        let names: Vec<&str> = choices.iter().map(|choice| choice.name.as_str()).collect();
        assert_eq!(names, ["gcse", "aggressive-loop-optimizations", "ira-region="]);
        assert_eq!(choices[0].forms, [["-fgcse"], ["-fno-gcse"]]);
        assert_eq!(
            choices[2].forms,
            [["-fira-region=one"], ["-fira-region=all"], ["-fira-region=mixed"]]
        );
    }

    #[test]
    fn parameters_stay_near_their_defaults() {
        let help = "The following options control parameters:\n  \
                    --param=align-threshold=<1,65536> \t\t100\n  --param=asan-globals=<0,1> \t\t1\n  \
                    --param=gcse-cost-distance-ratio= \t10\n  --param=inline-x=<0,1> \t\t1\n  \
                    --param=no-number=[a|b] \t\ta\n";
        let choices = parse_parameters(help);
        let forms: Vec<String> =
            choices.iter().flat_map(|choice| &choice.forms).map(|form| form.join(" ")).collect();
        let expected = [
            "--param=align-threshold=1",
            "--param=align-threshold=50",
            "--param=align-threshold=101",
            "--param=align-threshold=200",
            "--param=gcse-cost-distance-ratio=0",
            "--param=gcse-cost-distance-ratio=5",
            "--param=gcse-cost-distance-ratio=11",
            "--param=gcse-cost-distance-ratio=20",
            "--param=inline-x=0",
        ];
        assert_eq!(forms, expected);
    }

    fn catalogue() -> Catalogue {
        Catalogue {
            optimisations: ["a", "b", "c", "d"].map(Choice::toggle).to_vec(),
            parameters: vec![Choice::new("p", [&["--param=p=1"][..], &["--param=p=2"]])],
            processors: vec![Choice::new("march", [&["-march=x86-64"][..]])],
            ..Catalogue::default()
        }
    }

    /// A hunt is repeated by its seed: what a number means must not depend on anything else.
    #[test]
    fn a_number_always_means_the_same_flags() {
        let draw = |number| choose(&catalogue(), &FlagPolicy::default(), None, number).join(" ");
        let drawn: Vec<String> = (0..4).map(draw).collect();
        let expected = [
            "-fno-a -fno-b -fno-c --param=p=1",
            "-fd -fno-b -fno-c -march=x86-64",
            "-fno-c -fb -fd -fa",
            "-fc -fno-a",
        ];
        assert_eq!(drawn, expected);
    }

    #[test]
    fn every_form_is_drawn_and_no_flag_twice() {
        let catalogue = Catalogue {
            favourites: vec![Choice::new("d", [&["-fno-d"][..]]), Choice::toggle("e")],
            ..catalogue()
        };
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..500 {
            let flags = choose(&catalogue, &FlagPolicy::default(), None, number);
            let names: std::collections::BTreeSet<String> =
                flags.iter().map(|flag| flag.replace("-fno-", "-f")).collect();
            assert_eq!(names.len(), flags.len(), "{flags:?}");
            assert!(!flags.is_empty());
            seen.extend(flags);
        }
        // Five toggles, two values and a processor.
        assert_eq!(seen.len(), 10 + 2 + 1, "{seen:?}");
    }

    #[test]
    fn a_policy_can_leave_almost_everything_out() {
        let policy = FlagPolicy {
            optimisations: 1,
            few: 1,
            parameters: 0,
            processor_every: 0,
            position_every: 0,
            linking_every: 0,
            floating: 0,
            floating_most: 0,
        };
        for number in 0..50 {
            assert_eq!(choose(&catalogue(), &policy, None, number).len(), 1);
        }
    }
}
