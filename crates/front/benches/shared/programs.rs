//! The programs that are measured: preprocessed output of Csmith with fixed seeds.
//!
//! They are written to the target directory at the first run and kept there. Needs
//! `csmith` and `gcc`. Not every benchmark uses every function.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use farrier_front::Options;
use farrier_lang::print::PrintOptions;
use farrier_lang::{Dialect, Program, STACK_BYTES, SourceText, target};

/// Together about two megabytes.
pub(crate) const SEEDS: std::ops::RangeInclusive<u32> = 1..=10;

/// The seed of the program that is repeated to see how the costs grow with the size.
const REPEATED_SEED: u32 = 4;

/// All programs, in the order of their seeds.
pub(crate) fn programs() -> Vec<SourceText> {
    SEEDS.map(|seed| input(&format!("csmith-{seed}.c"), preprocessed(seed))).collect()
}

/// One translation unit whose program text occurs `copies` times, each time with names
/// of its own, behind one copy of the headers.
pub(crate) fn repeated(copies: usize) -> SourceText {
    let text = preprocessed(REPEATED_SEED);
    // The program begins where the preprocessor comes back from the last header.
    let marker = text.rfind("\" 2\n").expect("there are headers");
    let start = marker + text[marker..].find('\n').expect("a marker is a line") + 1;
    let (headers, body) = text.split_at(start);
    let mut whole = headers.to_owned();
    for copy in 0..copies {
        whole.push_str(&renamed(body, copy));
    }
    input(&format!("csmith-{REPEATED_SEED}-times-{copies}.c"), whole)
}

/// `body` with the copy's number behind the names that Csmith gives at file scope.
fn renamed(body: &str, copy: usize) -> String {
    if copy == 0 {
        return body.to_owned();
    }
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut result = String::with_capacity(body.len() + body.len() / 8);
    let mut rest = body;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
        result.push_str(word);
        let numbered = |prefix: &str| {
            word.strip_prefix(prefix)
                .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        };
        if word == "main" || ["g_", "func_", "S", "U"].into_iter().any(numbered) {
            result.push_str(&format!("_{copy}"));
        }
        let (between, after) = after.split_at(after.find(is_word).unwrap_or(after.len()));
        result.push_str(between);
        rest = after;
    }
    result
}

fn input(name: &str, text: String) -> SourceText {
    SourceText::new(name, text)
}

fn preprocessed(seed: u32) -> String {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("csmith");
    let path = directory.join(format!("{seed}.i"));
    if let Ok(text) = fs::read_to_string(&path) {
        return text;
    }
    fs::create_dir_all(&directory).expect("the target directory can be written");
    let needs = "the benchmarks need csmith with its headers and gcc";
    let mut csmith = Command::new("csmith")
        .args(["--seed", &seed.to_string()])
        // Csmith leaves a file called platform.info where it runs.
        .current_dir(&directory)
        .stdout(Stdio::piped())
        .spawn()
        .expect(needs);
    let gcc = Command::new("gcc")
        .args(["-E", "-I/usr/include/csmith", "-x", "c", "-"])
        .stdin(csmith.stdout.take().expect("is piped"))
        .output()
        .expect(needs);
    assert!(csmith.wait().expect(needs).success() && gcc.status.success(), "{needs}");
    let text = String::from_utf8(gcc.stdout).expect("Csmith writes ASCII");
    fs::write(&path, &text).expect("the target directory can be written");
    text
}

/// What Csmith writes for.
pub(crate) fn options() -> Options {
    Options { target: &target::X86_64_LINUX, dialect: Dialect::C17, permissive: false }
}

/// Parses one program of the set, which must succeed.
pub(crate) fn parse(input: &SourceText) -> Program {
    farrier_front::parse(std::slice::from_ref(input), &options())
        .unwrap_or_else(|failure| panic!("{}: {}", input.name, failure.diagnostic.message))
}

/// Prints a program.
pub(crate) fn print(program: &Program) -> String {
    farrier_lang::print::print(program, &PrintOptions::default())
}

/// The size of all texts together.
pub(crate) fn total_bytes(inputs: &[SourceText]) -> usize {
    inputs.iter().map(|input| input.text.len()).sum()
}

/// Runs `work` with the stack that programs may need.
pub(crate) fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .expect("there is room for one thread")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
