//! Compilers under test.

mod cuda;
mod discover;
mod engines;
mod identify;
mod language;
mod listed;
mod model;
mod ports;

use std::path::PathBuf;

use farrier_lang::Target;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use discover::{
    Discovery, Unusable, advice, discover, fingerprint, has_usual_name, recognise, try_out,
};
pub use identify::default_runner;
pub use language::{adapted, contradiction, has_level, with_flags};
pub use listed::{load_subjects, parse_subjects, targets};
pub use model::target_by_name;
pub(crate) use ports::is_simulator;

/// A compiler, the flags that it always gets, the machine that it compiles for and the way
/// to run what it makes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Subject {
    /// By which it is called in options and reports; no two have the same.
    pub name: String,
    /// The program and the arguments that make it a compiler, such as `zig cc`.
    pub command: Vec<String>,
    /// Whose flags and messages it has.
    pub family: Family,
    /// Its version, such as `12.2.0`.
    pub version: String,
    /// The line by which it introduces itself.
    pub banner: String,
    /// The machine that it compiles for, as it says itself.
    pub triple: String,
    /// The same machine in Farrier's own tables; `None` if it is not there. Then the
    /// compiler can only be compared with others.
    #[serde(serialize_with = "target_name", deserialize_with = "read_target")]
    pub target: Option<&'static Target>,
    /// Flags that it always gets.
    pub flags: Vec<String>,
    /// What comes after the objects when it links.
    pub libraries: Vec<String>,
    /// The levels of optimisation to test it with.
    #[serde(default)]
    pub levels: Vec<String>,
    /// How to run what it makes.
    pub runner: Runner,
    /// Compiled along with every program, where the program needs it.
    #[serde(default)]
    pub runtime: Option<SourceFile>,
    /// Whether what runs its programs may use the network and devices.
    #[serde(default)]
    pub network: bool,
    /// Whether only the exit status of its programs is looked at, because they cannot print.
    #[serde(default)]
    pub silent: bool,
    /// Whether it promises the extensions of GNU C, so that it may not refuse them.
    pub extensions: bool,
    /// By what it was recognised, or the file and line where it is listed.
    #[serde(default)]
    pub recognised: String,
    /// Other names of the same compiler.
    #[serde(default)]
    pub aliases: Vec<PathBuf>,
}

/// A file of C.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its name, without a directory.
    pub name: String,
    /// What it says.
    pub text: String,
}

fn target_name<S: Serializer>(
    target: &Option<&'static Target>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let written = target.map(|target| match model::model_of(target) {
        Some(model) => WrittenTarget::Own(Box::new(model)),
        None => WrittenTarget::Known(target.name.to_owned()),
    });
    written.serialize(serializer)
}

fn read_target<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'static Target>, D::Error> {
    Ok(match Option::deserialize(deserializer)? {
        None => None,
        Some(WrittenTarget::Known(name)) => Target::by_name(&name),
        Some(WrittenTarget::Own(model)) => {
            Some(model::target_of(&model).map_err(serde::de::Error::custom)?)
        }
    })
}

/// How a target is stored: by its name, or as the user described it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenTarget {
    Known(String),
    Own(Box<model::Model>),
}

impl Subject {
    /// Whether it compiles C++, as the name of its command says, or CUDA.
    pub fn is_cplusplus(&self) -> bool {
        self.family == Family::Nvcc || names_cplusplus(&self.command)
    }

    /// What the names of the files that it gets end in.
    pub fn extension(&self) -> &'static str {
        match (self.family, self.is_cplusplus()) {
            (Family::Nvcc, _) => "cu",
            (_, true) => "cpp",
            (_, false) => "c",
        }
    }

    /// What its executables are called. A compiler for Windows gives every name an extension.
    pub(crate) fn executable(&self) -> &'static str {
        let triple = self.target.map_or(&*self.triple, |target| target.toolchain.triple);
        match self.family.row().executable {
            PROGRAM if identify::is_windows(triple) => "program.exe",
            name => name,
        }
    }

    /// The machine that it compiles for, by the best name that there is.
    pub fn machine(&self) -> &str {
        self.target.map_or(&self.triple, |target| target.name)
    }
}

/// Whether a command is one for C++ by its name.
fn names_cplusplus(command: &[String]) -> bool {
    command.iter().any(|word| is_cplusplus_name(word))
}

/// Whether a word is the name of a compiler for C++: `g++-12`, `/usr/bin/clang++`, `c++`.
fn is_cplusplus_name(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    stem.ends_with("++") && !name.starts_with('-')
}

/// Compilers that understand the same flags.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// GCC, for any machine.
    Gcc,
    /// Clang.
    Clang,
    /// Clang as a part of Zig.
    Zig,
    /// The Tiny C Compiler.
    Tcc,
    /// The Portable C Compiler.
    Pcc,
    /// The compiler of that name written in Rust.
    Rucc,
    /// The Small Device C Compiler.
    Sdcc,
    /// NVIDIA's compiler for CUDA.
    Nvcc,
    /// Any other that takes `-c` and `-o`.
    Other,
}

/// A row of the table of families.
struct FamilyRow {
    family: Family,
    name: &'static str,
    /// Flags without which it cannot be used: every program would come with pages of
    /// warnings.
    always: &'static [&'static str],
    levels: &'static [&'static str],
    /// Whether it promises the extensions of GNU C.
    extensions: bool,
    /// The runs that make an object file of a C file: a flag, and the extension of what it
    /// makes.
    stages: &'static [(&'static str, &'static str)],
    /// The name of the executable; empty where there is none.
    executable: &'static str,
}

/// The usual name of an executable.
const PROGRAM: &str = "program";

/// All in one.
const AT_ONCE: &[(&str, &str)] = &[("-c", "o")];

/// The levels of compilers that optimise.
pub const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];

/// No warnings, and no multiplication that is added without being rounded first: the
/// abstract machine rounds every result.
const EXACT: &[&str] = &["-w", "-ffp-contract=off"];

const FAMILIES: &[FamilyRow] = &[
    FamilyRow {
        family: Family::Gcc,
        name: "gcc",
        always: EXACT,
        levels: &LEVELS,
        extensions: true,
        stages: AT_ONCE,
        executable: PROGRAM,
    },
    FamilyRow {
        family: Family::Clang,
        name: "clang",
        // Since 21 `a < b < c` is an error that -w does not switch off.
        always: &["-w", "-ffp-contract=off", "-Wno-error=parentheses"],
        levels: &LEVELS,
        extensions: true,
        stages: AT_ONCE,
        executable: PROGRAM,
    },
    FamilyRow {
        family: Family::Zig,
        name: "zig",
        // By default it adds sanitizers that trap.
        always: &["-w", "-ffp-contract=off", "-Wno-error=parentheses", "-fno-sanitize=undefined"],
        levels: &LEVELS,
        extensions: true,
        stages: AT_ONCE,
        executable: PROGRAM,
    },
    // It has no levels: its -O flags define a macro and nothing else.
    FamilyRow {
        family: Family::Tcc,
        name: "tcc",
        always: &["-w"],
        levels: &["-O0"],
        extensions: false,
        stages: AT_ONCE,
        executable: PROGRAM,
    },
    FamilyRow {
        family: Family::Pcc,
        name: "pcc",
        always: &["-w"],
        levels: &["-O0", "-O1"],
        extensions: false,
        // What lies between them would be in /tmp, whatever TMPDIR says.
        stages: &[("-E", "i"), ("-S", "s"), ("-c", "o")],
        executable: PROGRAM,
    },
    FamilyRow {
        family: Family::Rucc,
        name: "rucc",
        always: &["-w"],
        levels: &LEVELS,
        extensions: false,
        stages: AT_ONCE,
        executable: PROGRAM,
    },
    // It says itself that its C is incomplete, so that it may refuse any program.
    FamilyRow {
        family: Family::Sdcc,
        name: "sdcc",
        always: &["-Dmain=farrier_main", "-Dexit=farrier_exit"],
        // What it does by default has no other name.
        levels: &["--std-c11", "--opt-code-speed", "--opt-code-size", "--max-allocs-per-node100"],
        extensions: false,
        stages: &[("-c", "rel")],
        executable: "program.ihx",
    },
    // Only code for the device is made. Its own levels are for code of the host.
    FamilyRow {
        family: Family::Nvcc,
        name: "nvcc",
        always: &["-w", "-fmad=false"],
        levels: &["-Xptxas=-O0", "-Xptxas=-O1", "-Xptxas=-O2", "-Xptxas=-O3", "-G"],
        extensions: true,
        stages: &[("-cubin", "cubin")],
        executable: "",
    },
    FamilyRow {
        family: Family::Other,
        name: "other",
        always: &[],
        levels: &LEVELS,
        extensions: false,
        stages: AT_ONCE,
        executable: PROGRAM,
    },
];

impl Family {
    /// Where its code comes from: compilers of one line have their bugs in common.
    pub fn line(self) -> Self {
        match self {
            Self::Zig => Self::Clang,
            family => family,
        }
    }

    fn row(self) -> &'static FamilyRow {
        FAMILIES.iter().find(|row| row.family == self).expect("every family has a row")
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What its compiler for a language is called by.
    fn driver(self, is_cplusplus: bool) -> String {
        match (self, is_cplusplus) {
            (_, false) => self.name().to_owned(),
            (Self::Gcc, true) => "g++".to_owned(),
            (Self::Nvcc, true) => self.name().to_owned(),
            (_, true) => format!("{}++", self.name()),
        }
    }

    fn by_name(name: &str) -> Option<Self> {
        FAMILIES.iter().find(|row| row.name == name).map(|row| row.family)
    }

    /// The flags that it always gets.
    pub fn flags(self) -> Vec<String> {
        self.row().always.iter().map(|flag| (*flag).to_owned()).collect()
    }

    /// Whether it promises the extensions of GNU C. Compilers that do not get programs without
    /// them, and may refuse the others.
    pub fn has_extensions(self) -> bool {
        self.row().extensions
    }

    /// Whether it makes programs that can be run.
    pub(crate) fn links(self) -> bool {
        !self.row().executable.is_empty()
    }

    pub(crate) fn stages(self) -> &'static [(&'static str, &'static str)] {
        self.row().stages
    }

    /// Its levels of optimisation.
    pub fn levels(self) -> Vec<String> {
        self.row().levels.iter().map(|flag| (*flag).to_owned()).collect()
    }
}

/// The flags that a compiler for a target always gets: those of its family, and those with which
/// the compilers of GNU C round every result.
fn flags_for(family: Family, target: Option<&'static Target>) -> Vec<String> {
    let rounding = target.filter(|_| family.has_extensions()).map(|one| one.toolchain.rounding);
    let rounding = rounding.unwrap_or_default().iter().map(|flag| (*flag).to_owned());
    family.flags().into_iter().chain(rounding).collect()
}

/// What comes after the objects where nothing else is asked for: the functions of `math.h`, and
/// on Windows a stack as large as that of other programs, which the executable asks for, and the
/// libraries of the compiler themselves, because wine does not find them elsewhere: flags such as
/// `-fstack-protector` need one. The stack of WebAssembly lies in the memory of the program, where
/// nothing tells that it is full, so it has room for all that the stack of Linux has.
fn default_libraries(machine: &str, runner: &Runner) -> Vec<String> {
    let words: &[&str] = match (machine, runner) {
        ("avr" | "z80" | "stm8" | "mcs51" | "nvptx64", _) => &[],
        ("wasm32" | "wasm32-wasi", _) => &["-lm", "-Wl,-z,stack-size=33554432"],
        (_, Runner::Wine(_)) => &["-lm", "-static", "-Wl,--stack,0x10000000"],
        _ => &["-lm"],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// How to run a compiled program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "by", content = "with", rename_all = "lowercase")]
pub enum Runner {
    /// As it is.
    Direct,
    /// By a command, to which the program is added.
    Emulator(Vec<String>),
    /// In a simulated AVR.
    Simavr,
    /// By wine, the command to which the program is added.
    Wine(Vec<String>),
    /// By a command to which the program is added, and which prints the output of the program
    /// between marks.
    Marked(Vec<String>),
    /// On a GPU of this machine, which runs such code: `sm_90`.
    Gpu(String),
    /// There is nothing to run it with, and why: only the compiler itself can be tested.
    #[serde(alias = "nothing")]
    Missing(String),
}

/// Gives each subject a name of its own: the first of several keeps it.
pub fn make_names_unique(subjects: &mut [Subject]) {
    for index in 1..subjects.len() {
        let (earlier, rest) = subjects.split_at_mut(index);
        let wanted = rest[0].name.clone();
        let mut number = 1;
        while earlier.iter().any(|other| other.name == rest[0].name) {
            number += 1;
            rest[0].name = format!("{wanted}-{number}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_compiler_says_its_language() {
        for name in ["g++", "g++-12", "/usr/bin/clang++-19", "x86_64-linux-gnu-g++-12", "c++"] {
            assert!(is_cplusplus_name(name), "{name}");
        }
        for name in ["gcc", "/opt/c++/bin/gcc-12", "-std=gnu++17", "clang", "cc"] {
            assert!(!is_cplusplus_name(name), "{name}");
        }
    }

    #[test]
    fn every_family_has_one_row() {
        for row in FAMILIES {
            assert_eq!(row.family.row().name, row.name);
            assert_eq!(Family::by_name(row.name), Some(row.family));
        }
    }
}
