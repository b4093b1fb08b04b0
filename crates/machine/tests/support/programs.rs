//! The programs of the corpora: files whose first lines say how to read and to run them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, thread};

use farrier_front::parse;
use farrier_lang::{Dialect, Program, STACK_BYTES, SourceText, Target, target};
use farrier_machine::Options;

/// What the first lines of a file ask for.
pub(crate) struct Case {
    pub(crate) front: farrier_front::Options,
    pub(crate) machine: Options,
    pub(crate) compiled: bool,
    /// The family of compilers that alone knows what the program uses.
    pub(crate) only: Option<&'static str>,
    /// Whether it is for the target that it names, and no other.
    pub(crate) local: bool,
    /// Why the machine is known to be wrong.
    pub(crate) not_yet: Option<String>,
}

pub(crate) fn case(path: &Path) -> (String, Case) {
    let text = fs::read_to_string(path).unwrap();
    let mut case = header(&text);
    case.machine.input = fs::read(path.with_extension("stdin")).unwrap_or_default();
    (text, case)
}

pub(crate) fn header(text: &str) -> Case {
    let mut front = farrier_front::Options {
        target: &target::X86_64_LINUX,
        dialect: Dialect::C17,
        permissive: false,
    };
    let files = Some(Vec::new());
    let mut machine = Options { steps: 10_000_000, memory: 64 << 20, files, ..Options::default() };
    let mut compiled = true;
    let mut local = false;
    let mut only = None;
    let mut not_yet = None;
    for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
        let value = |key: &str| line.strip_prefix(key).map(str::trim);
        if let Some(name) = value("std:") {
            let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.name() == name);
            front.dialect = dialect.expect("a dialect");
        } else if let Some(name) = value("target:") {
            front.target = Target::by_name(name).expect("a target");
            compiled = front.target == &target::X86_64_LINUX;
            local = true;
        } else if let Some(number) = value("steps:") {
            machine.steps = number.parse().expect("a number");
        } else if let Some(words) = value("args:") {
            machine.arguments.extend(words.split(' ').map(|word| word.as_bytes().to_vec()));
        } else if let Some(pair) = value("env:") {
            let (name, value) = pair.split_once('=').expect("NAME=VALUE");
            machine.environment.push((name.into(), value.into()));
        } else if let Some(seconds) = value("time:") {
            machine.time = Some(seconds.parse().expect("a number"));
        } else if line == "glibc-rand" {
            machine.glibc_random = true;
        } else if line == "permissive" {
            front.permissive = true;
        } else if line == "no-strict-aliasing" {
            machine.strict_aliasing = false;
        } else if let Some(reason) = value("not yet:") {
            not_yet = Some(reason.to_owned());
        } else if line == "compiler: none" {
            compiled = false;
        } else if let Some(family) = value("compiler:") {
            only = ["gcc", "clang"].into_iter().find(|known| *known == family);
        }
    }
    Case { front, machine, compiled, only, local, not_yet }
}

pub(crate) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

pub(crate) fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

/// The C files below one of the four directories.
pub(crate) fn files(verdict: &str) -> Vec<PathBuf> {
    let is_c = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "c");
    entries(&corpus().join(verdict)).iter().flat_map(|d| entries(d)).filter(is_c).collect()
}

/// What the preprocessor makes of a file; most do without.
pub(crate) fn expand(path: &Path, case: &Case) -> String {
    let toolchain = case.front.target.toolchain;
    let output =
        Command::new(toolchain.compiler).args(toolchain.flags).arg("-E").arg(path).output();
    let output = output.expect("the packages of packages.txt are installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn read(path: &Path, text: &str, case: &Case) -> Result<Program, String> {
    let name = path.file_name().unwrap().to_string_lossy();
    let preprocessed = text.lines().any(|line| line.starts_with('#')).then(|| expand(path, case));
    let text = preprocessed.as_deref().unwrap_or(text);
    let input = SourceText::new(name, text);
    parse(&[input], &case.front).map_err(|failure| {
        let line = failure.sources.place(failure.diagnostic.span).map(|place| place.line);
        format!("refused: {} in line {line:?}", failure.diagnostic.message)
    })
}

/// The machines that are emulated: the one that `FARRIER_TARGET` names, or those that are always
/// tested.
pub(crate) fn foreign() -> Vec<&'static Target> {
    let name = std::env::var("FARRIER_TARGET").ok();
    let mut targets = Target::to_test(name.as_deref());
    targets.retain(|target| !target.toolchain.emulator.is_empty());
    targets
}

/// Runs `check` on all files, with a stack that programs may need, and reports in the
/// order of the files.
pub(crate) fn check_all(files: &[PathBuf], check: impl Fn(&Path) -> Result<(), String> + Sync) {
    let half = files.len().div_ceil(2).max(1);
    let report: String = thread::scope(|scope| {
        let check = &check;
        let workers: Vec<_> = files
            .chunks(half)
            .map(|files| {
                let work = move || {
                    let mut report = String::new();
                    for path in files {
                        if let Err(trouble) = check(path) {
                            let name = path.strip_prefix(corpus()).unwrap().display();
                            write!(report, "\n{name}: {trouble}").unwrap();
                        }
                    }
                    report
                };
                thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).unwrap()
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert!(!files.is_empty(), "there are no files");
    assert!(report.is_empty(), "{report}");
}
