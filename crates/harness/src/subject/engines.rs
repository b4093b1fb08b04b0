//! The engines that compile WebAssembly again and run it: each makes a subject of its own of a
//! clang that has the libraries for it.

use std::path::Path;

use farrier_lang::target::WASM32_WASI;

use super::{Family, Runner, Subject, default_libraries};

/// What Node.js executes to run a program.
const SCRIPT: &str = include_str!("engine.js");

/// The libraries for WebAssembly.
const LIBRARIES: &str = "/usr/lib/wasm32-wasi";

/// A row of the table of engines.
struct Engine {
    name: &'static str,
    /// The commands that must be there.
    needs: &'static [&'static str],
    /// The compilers of V8 that are on.
    options: &'static [&'static str],
    /// What the script is told before the program.
    words: &'static [&'static str],
}

const LIFTOFF: &[&str] = &["--liftoff", "--no-wasm-tier-up"];

/// They stand in the order in which one is chosen where none is named.
const ENGINES: &[Engine] = &[
    Engine { name: "liftoff", needs: &["node"], options: LIFTOFF, words: &[] },
    Engine { name: "turbofan", needs: &["node"], options: &["--no-liftoff"], words: &[] },
    // Another compiler of modules, between the two.
    Engine { name: "binaryen", needs: &["node", "wasm-opt"], options: LIFTOFF, words: &["-O3"] },
];

impl Engine {
    fn runner(&self) -> Runner {
        let words = ["node", "--no-warnings"].iter().chain(self.options);
        let words = words.chain(&["-e", SCRIPT, "--"]).chain(self.words);
        Runner::Marked(words.map(|word| (*word).to_owned()).collect())
    }
}

/// How a program is run where no engine is named. `has` says whether a command is there.
pub(super) fn usual(has: impl Fn(&str) -> bool) -> Runner {
    let usual = &ENGINES[0];
    match usual.needs.iter().all(|command| has(command)) {
        true => usual.runner(),
        false => Runner::Missing("install nodejs to run WebAssembly".to_owned()),
    }
}

/// A clang for WebAssembly with every engine that is there.
pub(super) fn engines(subject: &Subject, has: impl Fn(&str) -> bool) -> Vec<Subject> {
    let is_clang = subject.family == Family::Clang && subject.runner == Runner::Direct;
    if !is_clang || subject.is_cplusplus() || !Path::new(LIBRARIES).is_dir() {
        return Vec::new();
    }
    let with = |engine: &Engine| {
        let mut other = subject.clone();
        other.name = format!("{}-wasm-{}-{}", subject.family.name(), subject.version, engine.name);
        other.target = Some(&WASM32_WASI);
        other.triple = WASM32_WASI.toolchain.triple.to_owned();
        other.runner = engine.runner();
        other.flags.extend(WASM32_WASI.toolchain.flags.iter().map(|flag| (*flag).to_owned()));
        other.libraries = default_libraries(WASM32_WASI.name, &other.runner);
        other.aliases.clear();
        other
    };
    let is_there = |engine: &&Engine| engine.needs.iter().all(|command| has(command));
    ENGINES.iter().filter(is_there).map(with).collect()
}
