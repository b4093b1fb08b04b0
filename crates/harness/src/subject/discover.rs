//! The compilers of this machine.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use farrier_lang::target::{I386_LINUX, X86_64_LINUX};
use farrier_lang::{SourceText, Target};
use serde::{Deserialize, Serialize};

use super::engines::engines;
use super::identify::{Identity, foreign_targets, identify, is_bare, is_windows, runner};
use super::ports::ports;
use super::{Family, Runner, Subject, default_libraries, make_names_unique};
use crate::case::Expectation;
use crate::outcome::{Bench, Outcome};
use crate::sandbox::{wine_libraries, wine_library_name};
use crate::{Error, Sandbox, Scratch};

/// What there is on this machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Discovery {
    /// Compilers that work, in the order of their names.
    pub subjects: Vec<Subject>,
    /// Programs that look like compilers and cannot be used.
    pub unusable: Vec<Unusable>,
}

/// A compiler that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unusable {
    /// The command.
    pub command: String,
    /// What is wrong with it.
    pub why: String,
}

/// Names that compilers have, alone or after a triple, with or without a version. The name
/// only says whom to ask.
const NAMES: &[&str] =
    &["gcc", "clang", "tcc", "pcc", "rucc", "sdcc", "nvcc", "cc", "g++", "clang++", "c++"];

/// Whether a file could be a compiler by its name.
pub fn has_usual_name(name: &str) -> bool {
    let stem = match name.rsplit_once('-') {
        Some((stem, version))
            if !version.is_empty()
                && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') =>
        {
            stem
        }
        _ => name,
    };
    let last = stem.rsplit('-').next().unwrap_or_default();
    NAMES.contains(&last) || stem == "zig"
}

/// The executable files of a search path that could be compilers, the first of each name, and
/// those that have places of their own.
fn candidates(path: &OsStr) -> Vec<PathBuf> {
    let mut names = BTreeSet::new();
    let mut found = Vec::new();
    for directory in std::env::split_paths(path) {
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let executable = fs::metadata(entry.path()).is_ok_and(|metadata| {
                metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
            });
            if executable && has_usual_name(&name) && names.insert(name) {
                found.push(entry.path());
            }
        }
    }
    let elsewhere = super::cuda::compilers().into_iter().filter(|path| !found.contains(path));
    found.extend(elsewhere.collect::<Vec<_>>());
    // A compiler is called by its shortest name, but not by one that may mean any.
    found.sort_by_key(|path| {
        let name = path.file_name().unwrap_or_default().to_owned();
        (name == "cc" || name == "c++", name.len(), name)
    });
    found
}

/// The commands that could be compilers, each with its file: Zig is one for C and one for C++.
fn commands(path: &OsStr) -> Vec<(PathBuf, Vec<String>)> {
    let mut commands = Vec::new();
    for candidate in candidates(path) {
        let Some(text) = candidate.to_str() else { continue };
        let zig =
            candidate.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"zig"));
        let words: &[&[&str]] = if zig { &[&["cc"], &["c++"]] } else { &[&[]] };
        for words in words {
            let command = [&[text], *words].concat().into_iter().map(str::to_owned).collect();
            commands.push((candidate.clone(), command));
        }
    }
    commands
}

/// Directories whose changes may make a compiler work, or stop it from working.
const PLACES: &[&str] = &[
    "/usr/include",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib/gcc",
    "/usr/lib/gcc-cross",
    "/usr/bin",
    "/dev/nvidiactl",
];

/// A text that changes when the compilers of a search path may have changed: the places, sizes and
/// times of their files and of what they need.
pub fn fingerprint(path: &OsStr) -> String {
    let mut hasher = blake3::Hasher::new();
    let foreign = foreign_targets().map(libraries);
    let wine = ["x86_64", "i686"]
        .into_iter()
        .filter_map(|machine| wine_libraries(wine_library_name(machine)));
    let directories = std::env::split_paths(path).chain(foreign).chain(wine);
    let places = directories.chain(PLACES.iter().map(PathBuf::from)).chain(candidates(path));
    for place in places {
        let known = fs::metadata(&place);
        let state = known.map(|file| (file.ino(), file.len(), file.mtime(), file.mtime_nsec()));
        hasher.update(format!("{place:?} {:?}\n", state.ok()).as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// Finds the compilers of a search path such as `$PATH`. Directories for their answers are
/// made in `base`.
///
/// Every compiler must compile, link and run a small program before it counts. Where it
/// does so with `-m32` as well, that is a subject of its own; so is a clang with `--target`
/// for every other machine whose libraries are installed.
pub fn discover(path: &OsStr, sandbox: &Sandbox, base: &Path) -> Result<Discovery, Error> {
    // What runs programs may be elsewhere than a compiler that is looked for in one directory.
    let own_path = std::env::var_os("PATH").unwrap_or_default();
    let has = |name: &str| {
        let mut all = std::env::split_paths(path).chain(std::env::split_paths(&own_path));
        all.any(|directory| directory.join(name).is_file())
    };
    let mut known: Vec<(Identity, (u64, u64), Subject)> = Vec::new();
    let mut unusable = Vec::new();
    for (candidate, command) in commands(path) {
        // Links lead to the same file; so do hard links.
        let Ok(file) = fs::metadata(&candidate).map(|metadata| (metadata.dev(), metadata.ino()))
        else {
            continue;
        };
        let cplusplus = super::names_cplusplus(&command);
        let linked = known.iter_mut().find(|(_, other, subject)| {
            *other == file
                && super::names_cplusplus(&subject.command) == cplusplus
                && !is_wrapper(&candidate)
        });
        if let Some((_, _, subject)) = linked {
            subject.aliases.push(candidate);
            continue;
        }
        let Some(identity) = identify(&command, &[], sandbox, base)? else {
            let why = "it does not preprocess a C file".to_owned();
            unusable.push(Unusable { command: command.join(" "), why });
            continue;
        };
        let same = known.iter_mut().find(|(other, _, subject)| {
            *other == identity && super::names_cplusplus(&subject.command) == cplusplus
        });
        if let Some((_, _, subject)) = same {
            subject.aliases.push(candidate);
            continue;
        }
        let mut subject = subject(command, &identity, runner(&identity.triple, has));
        super::cuda::on_gpu(&mut subject, sandbox);
        known.push((identity, file, subject));
    }
    let mut subjects = Vec::new();
    for (_, _, subject) in known {
        let mut others: Vec<Subject> = narrow(&subject).into_iter().collect();
        others.extend(other_library(&subject));
        others.extend(foreign(&subject, has));
        others.extend(ports(&subject, has));
        others.extend(engines(&subject, has));
        // A compiler for a machine that a flag names, and for none without.
        let alone = match subject.family == Family::Sdcc || is_bare(&subject.triple) {
            true => others.pop().unwrap_or(subject),
            false => subject,
        };
        match try_out(&alone, sandbox, base)? {
            None => subjects.push(alone),
            Some(why) => {
                unusable.push(Unusable { command: alone.command.join(" "), why });
                continue;
            }
        }
        for other in others {
            if try_out(&other, sandbox, base)?.is_none() {
                subjects.push(other);
            }
        }
    }
    subjects.sort_by(|left, right| left.name.cmp(&right.name));
    make_names_unique(&mut subjects);
    Ok(Discovery { subjects, unusable })
}

/// The subject that a command is, whatever its name; `None` if it does not preprocess C. Whether
/// its programs run is not asked.
pub fn recognise(
    command: &[String],
    sandbox: &Sandbox,
    base: &Path,
) -> Result<Option<Subject>, Error> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has =
        |name: &str| std::env::split_paths(&path).any(|directory| directory.join(name).is_file());
    let Some(identity) = identify(command, &[], sandbox, base)? else { return Ok(None) };
    let mut subject = subject(command.to_vec(), &identity, runner(&identity.triple, has));
    super::cuda::on_gpu(&mut subject, sandbox);
    Ok(Some(subject))
}

/// Whether a file may be many compilers: which one depends on the name it is called by.
fn is_wrapper(candidate: &Path) -> bool {
    let real = candidate.canonicalize().unwrap_or_default();
    let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    ["ccache", "distcc", "icecc", "sccache"].iter().any(|wrapper| name.contains(wrapper))
}

pub(super) fn subject(command: Vec<String>, identity: &Identity, runner: Runner) -> Subject {
    let family = identity.family;
    let machine = identity.triple.split('-').next().unwrap_or_default();
    let elsewhere = match machine {
        _ if is_windows(&identity.triple) => format!("-{machine}-windows"),
        "" | std::env::consts::ARCH => String::new(),
        _ => format!("-{machine}"),
    };
    let mut flags = super::flags_for(family, identity.target);
    if runner == Runner::Simavr {
        flags.push(format!("-mmcu={}", crate::outcome::AVR_PROCESSOR));
    }
    let driver = family.driver(super::names_cplusplus(&command));
    Subject {
        name: format!("{driver}{elsewhere}-{}", identity.version),
        command,
        family,
        version: identity.version.clone(),
        banner: identity.banner.clone(),
        triple: identity.triple.clone(),
        target: identity.target,
        flags,
        libraries: default_libraries(machine, &runner),
        levels: family.levels(),
        runner,
        runtime: None,
        network: false,
        silent: false,
        extensions: family.has_extensions(),
        recognised: identity.recognised.clone(),
        aliases: Vec::new(),
    }
}

/// The same compiler for 32-bit programs, if it may have them.
pub(super) fn narrow(subject: &Subject) -> Option<Subject> {
    let has_flag = matches!(subject.family, Family::Gcc | Family::Clang | Family::Rucc);
    if subject.target != Some(&X86_64_LINUX) || !has_flag {
        return None;
    }
    let mut narrow = subject.clone();
    let driver = subject.family.driver(subject.is_cplusplus());
    narrow.name = format!("{driver}-i386-{}", subject.version);
    narrow.target = Some(&I386_LINUX);
    narrow.triple = subject.triple.replacen("x86_64", "i386", 1);
    // The arithmetic of the x87 would not round every result.
    narrow.flags.extend(I386_LINUX.toolchain.all_flags().map(str::to_owned));
    narrow.aliases.clear();
    Some(narrow)
}

/// The same clang with the other library of C++, where it is installed.
fn other_library(subject: &Subject) -> Option<Subject> {
    let is_clang = subject.family == Family::Clang && subject.runner == Runner::Direct;
    if !is_clang || !subject.is_cplusplus() || subject.target != Some(&X86_64_LINUX) {
        return None;
    }
    let mut other = subject.clone();
    let driver = subject.family.driver(true);
    other.name = format!("{driver}-libc++-{}", subject.version);
    other.flags.push("-stdlib=libc++".to_owned());
    other.aliases.clear();
    Some(other)
}

/// Where the libraries of another machine are.
fn libraries(target: &Target) -> PathBuf {
    Path::new("/usr").join(target.toolchain.triple).join("lib")
}

/// A clang for other machines, those whose programs it could link and this one could run.
fn foreign(subject: &Subject, has: impl Fn(&str) -> bool) -> Vec<Subject> {
    if subject.family != Family::Clang || subject.runner != Runner::Direct {
        return Vec::new();
    }
    let for_target = |target: &'static Target| {
        let triple = target.toolchain.triple;
        let mut other = subject.clone();
        let machine = triple.split('-').next().unwrap_or_default();
        let driver = subject.family.driver(subject.is_cplusplus());
        let system = if is_windows(triple) { "-windows" } else { "" };
        other.name = format!("{driver}-{machine}{system}-{}", subject.version);
        other.target = Some(target);
        other.triple = triple.to_owned();
        other.runner = runner(triple, &has);
        other.libraries = default_libraries(machine, &other.runner);
        other.flags.push(format!("--target={triple}"));
        other.flags.extend(target.toolchain.rounding.iter().map(|flag| (*flag).to_owned()));
        other.aliases.clear();
        other
    };
    let runs = |other: &Subject| matches!(other.runner, Runner::Emulator(_) | Runner::Wine(_));
    foreign_targets()
        .filter(|target| libraries(target).is_dir())
        .map(for_target)
        .filter(runs)
        .collect()
}

/// A program whose output is known on every machine: a sum, the size of `long`, and whether the
/// first byte of an integer is its lowest.
const TRIAL: &str = "\
int printf(const char *, ...);\n\
static int sum(int n) { int s = 0; while (n) s += n--; return s; }\n\
int main(void) { unsigned one = 1; printf(\"%d %d %d\\n\", sum(10), (int)sizeof(long), \
*(unsigned char *)&one); return sum(2); }\n";

/// The same as C++, with a header that is not there without the library.
const CPLUSPLUS_TRIAL: &str = "\
#include <cstdio>\n\
#include <vector>\n\
static int sum(int n) { return n ? n + sum(n - 1) : 0; }\n\
int main() { std::vector<int> v(1, 10); unsigned one = 1; std::printf(\"%d %d %d\\n\", sum(v[0]), \
(int)sizeof(long), *(unsigned char *)&one); return 3; }\n";

/// Compiles and runs a small program; says what is wrong if that does not work.
pub fn try_out(subject: &Subject, sandbox: &Sandbox, base: &Path) -> Result<Option<String>, Error> {
    try_out_with(subject, &[], sandbox, base)
}

/// The same with more flags.
pub(super) fn try_out_with(
    subject: &Subject,
    flags: &[String],
    sandbox: &Sandbox,
    base: &Path,
) -> Result<Option<String>, Error> {
    let scratch = Scratch::new(base)?;
    let text = match subject.extension() {
        "cu" => super::cuda::TRIAL,
        "cpp" => CPLUSPLUS_TRIAL,
        _ => TRIAL,
    };
    let source = SourceText::new(format!("trial.{}", subject.extension()), text);
    let bench = Bench::new(sandbox, scratch.path());
    let trial = bench.try_out(subject, flags, &[source], &Expectation::Nothing);
    let wrong = match trial.outcome {
        Outcome::Ran { status: 3, output } => {
            difference(subject, &String::from_utf8_lossy(&output))
        }
        // It can still be tested for crashes.
        Outcome::Compiled => None,
        other => Some(format!("it does not compile and run a small program: {}", other.brief())),
    };
    // What a runner says of itself: that there is no board, or what it does not understand.
    let said = trial.said.trim_end();
    Ok(wrong.map(|wrong| if said.is_empty() { wrong } else { format!("{wrong}; it says: {said}") }))
}

/// What is wrong with the output of the small program.
fn difference(subject: &Subject, output: &str) -> Option<String> {
    let numbers: Vec<u32> = output.split_whitespace().flat_map(str::parse).collect();
    let ([55, long, first], Some(target)) = (&numbers[..], subject.target) else {
        let right = numbers.first() == Some(&55) || subject.silent;
        let expected = "begins with `55`, the sum of the numbers to ten";
        let printed = output.trim_end();
        return (!right)
            .then(|| format!("a small program prints `{printed}`, not what {expected}"));
    };
    let first = *first == 1;
    if *long != target.long.size {
        let right = target.long.size;
        return Some(format!("`long` has {long} bytes, but {right} in {}", target.name));
    }
    let end = |low: bool| if low { "lowest" } else { "highest" };
    (first == target.big_endian).then(|| {
        let (is, right) = (end(first), end(!target.big_endian));
        format!("the first byte of an integer is its {is}, but its {right} in {}", target.name)
    })
}

/// The command that installs what a target needs here, for advice.
pub fn advice(target: &Target) -> Option<String> {
    if target.environment.is_device {
        return Some(super::cuda::ADVICE.to_owned());
    }
    let packages = target.toolchain.packages;
    (!packages.is_empty()).then(|| format!("apt-get install {packages}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_whom_to_ask() {
        for name in ["gcc", "gcc-12", "x86_64-linux-gnu-gcc-12", "avr-gcc-5.4.0", "clang-14", "cc"]
        {
            assert!(has_usual_name(name), "{name}");
        }
        for name in ["g++", "g++-12", "clang++-19", "x86_64-linux-gnu-g++", "c++"] {
            assert!(has_usual_name(name), "{name}");
        }
        for name in ["gcc-ar", "gcc-ar-12", "clang-cpp-14", "zigzag", "ccache"] {
            assert!(!has_usual_name(name), "{name}");
        }
        assert!(has_usual_name("zig") && has_usual_name("tcc") && has_usual_name("musl-gcc"));
    }
}
