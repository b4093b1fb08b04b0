//! Asking a program whether it is a compiler, and which.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use farrier_lang::Target;
use farrier_lang::target::{NVPTX64, TARGETS};

use super::{Family, Runner};
use crate::sandbox::{wine_libraries, wine_library_name};
use crate::scratch::file_error;
use crate::{Bounds, Error, ProcessEnding, Role, Sandbox, Scratch};

/// What a compiler says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Identity {
    pub(super) family: Family,
    pub(super) version: String,
    pub(super) banner: String,
    pub(super) triple: String,
    pub(super) target: Option<&'static Target>,
    /// What tells one build from another.
    pub(super) build: String,
    /// By what it was recognised.
    pub(super) recognised: String,
}

/// A text whose preprocessed form tells the compiler and its target: macros that are
/// predefined cannot lie about a name on the disk.
const QUESTION: &str = include_str!("question.c");

/// The word that begins each answer.
const ANSWER: &str = "farrier_answer";

/// What the question answers for a target: its name, as one word.
fn answer_for(target: &Target) -> String {
    format!("farrier_{}", target.name.replace('-', "_"))
}

/// Asks a command. `None` if it does not preprocess C.
pub(super) fn identify(
    command: &[String],
    flags: &[String],
    sandbox: &Sandbox,
    base: &Path,
) -> Result<Option<Identity>, Error> {
    let scratch = Scratch::new(base)?;
    let answer = |words: &[&str]| -> Result<Option<String>, Error> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        match sandbox.run(Role::Tool, &words, b"", scratch.path(), &Bounds::TOOL) {
            Ok(finished) => Ok(match finished.ending {
                ProcessEnding::Exited(status) if status.success() => {
                    let mut bytes = finished.stdout;
                    bytes.extend(finished.stderr);
                    Some(String::from_utf8_lossy(&bytes).into_owned())
                }
                _ => None,
            }),
            // It cannot be executed: it is no compiler.
            Err(Error::Sandbox { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    };
    let ask = |arguments: &[&str]| {
        let words = command.iter().chain(flags).map(String::as_str);
        answer(&words.chain(arguments.iter().copied()).collect::<Vec<_>>())
    };
    let question = scratch.path().join("question.c");
    fs::write(&question, QUESTION).map_err(|error| file_error(&question, error))?;
    let Some(text) = ask(&["-E", "question.c"])? else { return Ok(None) };
    let answers = answers(&text);
    let Some(family) = answers.get("family") else { return Ok(None) };
    let banner = ask(&["--version"])?.unwrap_or_default();
    let banner = banner.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let verbose = ask(&["-v"])?.unwrap_or_default();
    let build = verbose.lines().filter(|line| names_a_build(line)).collect::<Vec<_>>().join("\n");
    let version = answers.get("version").cloned().unwrap_or_default();
    let (family, version) = match family.as_str() {
        "tcc" => (Family::Tcc, tcc_version(&version, banner)),
        "pcc" => (Family::Pcc, version),
        "sdcc" => (Family::Sdcc, version),
        "nvcc" => (Family::Nvcc, version),
        "clang" if command.iter().skip(1).any(|word| word == "cc" || word == "c++") => {
            // What it is called by is the version of Zig, not that of the clang in it.
            let own = answer(&[command[0].as_str(), "version"])?.unwrap_or_default();
            let own = own.lines().next().unwrap_or_default().trim().to_owned();
            (Family::Zig, if own.is_empty() { version } else { own })
        }
        "clang" => (Family::Clang, version),
        // It defines the macros of a GCC and no other.
        "gcc" if banner.starts_with("rucc") => (Family::Rucc, last_word(banner)),
        "gcc" => (Family::Gcc, version),
        _ => (Family::Other, version),
    };
    let answered = answers.get("target");
    let is_answered = |target: &&Target| answered.is_some_and(|word| *word == answer_for(target));
    let target = TARGETS.into_iter().find(is_answered);
    let machine = match family {
        // It would name the host.
        Family::Nvcc => String::new(),
        _ => ask(&["-dumpmachine"])?.unwrap_or_default(),
    };
    let triple = match (machine.lines().next().unwrap_or_default().trim(), target) {
        ("", Some(target)) => target.toolchain.triple,
        (machine, _) => machine,
    };
    Ok(Some(Identity {
        family,
        recognised: format!("predefined macros of {}", family.name()),
        version,
        banner: banner.to_owned(),
        triple: triple.to_owned(),
        target,
        build,
    }))
}

/// The answers in the preprocessed question: a key and the rest of the line without spaces.
fn answers(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix(ANSWER)?.trim().split_once(' '))
        .map(|(key, value)| (key.to_owned(), value.split_whitespace().collect()))
        .collect()
}

/// Whether a line of `-v` is about how the compiler was built, not about where it lies.
fn names_a_build(line: &str) -> bool {
    line.starts_with("Configured with") || line.contains(" version ")
}

/// 0.9.27 is `927` in the macro, or `9 . 27`; the banner is clearer.
fn tcc_version(macro_value: &str, banner: &str) -> String {
    let mut words = banner.split_whitespace().skip_while(|word| *word != "version");
    words.nth(1).map_or_else(|| macro_value.to_owned(), str::to_owned)
}

fn last_word(banner: &str) -> String {
    banner.split_whitespace().next_back().unwrap_or_default().to_owned()
}

/// The emulator of user programs for each first part of a triple.
const EMULATORS: &[(&str, &str)] = &[
    ("aarch64", "qemu-aarch64"),
    ("aarch64_be", "qemu-aarch64_be"),
    ("alpha", "qemu-alpha"),
    ("arm", "qemu-arm"),
    ("hppa", "qemu-hppa"),
    ("i386", "qemu-i386"),
    ("i486", "qemu-i386"),
    ("i586", "qemu-i386"),
    ("i686", "qemu-i386"),
    ("loongarch64", "qemu-loongarch64"),
    ("m68k", "qemu-m68k"),
    ("mips", "qemu-mips"),
    ("mips64", "qemu-mips64"),
    ("mips64el", "qemu-mips64el"),
    ("mipsel", "qemu-mipsel"),
    ("powerpc", "qemu-ppc"),
    ("powerpc64", "qemu-ppc64"),
    ("powerpc64le", "qemu-ppc64le"),
    ("riscv32", "qemu-riscv32"),
    ("riscv64", "qemu-riscv64"),
    ("s390x", "qemu-s390x"),
    ("sparc64", "qemu-sparc64"),
    ("x86_64", "qemu-x86_64"),
];

/// The machines whose libraries are in a directory of their own.
pub(super) fn foreign_targets() -> impl Iterator<Item = &'static Target> {
    let is_foreign = |target: &&Target| {
        !is_bare(target.toolchain.triple)
            && matches!(default_runner(target), Runner::Emulator(_) | Runner::Wine(_))
    };
    TARGETS.into_iter().filter(is_foreign)
}

/// How programs for a target are run on this machine, whether or not what runs them is
/// installed.
pub fn default_runner(target: &Target) -> Runner {
    let toolchain = target.toolchain;
    match toolchain.triple {
        "" => Runner::Direct,
        triple if is_bare(triple) => {
            Runner::Emulator(toolchain.emulator.iter().map(|word| (*word).to_owned()).collect())
        }
        triple => runner(triple, |_| true),
    }
}

/// How programs for a machine are run on this one. `has` says whether a command is there.
pub(super) fn runner(triple: &str, has: impl Fn(&str) -> bool) -> Runner {
    let machine = triple.split('-').next().unwrap_or_default();
    if machine == "avr" {
        return if has("simavr") {
            Runner::Simavr
        } else {
            Runner::Missing("install simavr to run programs for AVR".to_owned())
        };
    }
    if is_windows(triple) {
        return windows_runner(machine, has);
    }
    if triple == NVPTX64.toolchain.triple {
        let why = "it is not asked whether there is a GPU, so programs are only compiled";
        return Runner::Missing(why.to_owned());
    }
    if machine == "wasm32" {
        return super::engines::usual(has);
    }
    if machine == "sh4" {
        let why = "qemu crashes in the C library of SuperH, so its programs are not run";
        return Runner::Missing(why.to_owned());
    }
    let host = std::env::consts::ARCH;
    let compatible = host == "x86_64" && matches!(machine, "i386" | "i486" | "i586" | "i686");
    if machine == host || compatible {
        return Runner::Direct;
    }
    // Those of user programs need an operating system.
    match EMULATORS.iter().find(|(name, _)| *name == machine && !is_bare(triple)) {
        Some((_, emulator)) if has(emulator) => {
            let root = format!("/usr/{triple}");
            let words = [*emulator, "-L", &root].map(str::to_owned);
            Runner::Emulator(words.to_vec())
        }
        Some((_, emulator)) => {
            Runner::Missing(format!("install {emulator} (qemu-user) to run programs for {triple}"))
        }
        None => Runner::Missing(format!("no way is known to run programs for `{triple}`")),
    }
}

/// Whether a machine has no operating system, by its name.
pub(super) fn is_bare(triple: &str) -> bool {
    ["-eabi", "-elf"].iter().any(|end| triple.ends_with(end))
}

/// Whether programs for a machine are programs for Windows, by its name.
pub(super) fn is_windows(triple: &str) -> bool {
    ["mingw32", "windows-gnu"].iter().any(|end| triple.ends_with(end))
}

/// Wine, if it has what programs for a machine need.
fn windows_runner(machine: &str, has: impl Fn(&str) -> bool) -> Runner {
    let Some(wine) = ["wine", "wine64"].into_iter().find(|name| has(name)) else {
        return Runner::Missing("install wine and wine64 to run programs for Windows".to_owned());
    };
    let name = wine_library_name(machine);
    match wine_libraries(name) {
        Some(_) => Runner::Wine(vec![wine.to_owned()]),
        None => Runner::Missing(format!(
            "wine has no libraries for {machine}: set WINEDLLPATH to the directory that has \
             `{name}`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_emulated_only_if_it_is_another() {
        let host = std::env::consts::ARCH;
        assert_eq!(runner(&format!("{host}-linux-gnu"), |_| true), Runner::Direct);
        assert_eq!(runner("avr", |name| name == "simavr"), Runner::Simavr);
        assert!(matches!(runner("avr", |_| false), Runner::Missing(why) if why.contains("simavr")));
        let words = ["qemu-s390x", "-L", "/usr/s390x-linux-gnu"].map(str::to_owned);
        assert_eq!(runner("s390x-linux-gnu", |_| true), Runner::Emulator(words.to_vec()));
        assert!(
            matches!(runner("s390x-linux-gnu", |_| false), Runner::Missing(why) if why.contains("qemu"))
        );
        assert!(matches!(runner("z80-unknown", |_| true), Runner::Missing(_)));
    }

    #[test]
    fn programs_for_windows_need_wine_and_its_libraries() {
        let missing = |triple| match runner(triple, |_| false) {
            Runner::Missing(why) => why,
            other => panic!("{other:?}"),
        };
        for triple in ["x86_64-w64-mingw32", "i686-w64-mingw32", "x86_64-pc-windows-gnu"] {
            assert!(missing(triple).contains("install wine"), "{triple}");
            // With wine, it is a matter of the libraries that this machine has.
            match runner(triple, |name| name == "wine") {
                Runner::Wine(words) => assert_eq!(words, ["wine"]),
                Runner::Missing(why) => assert!(why.contains("WINEDLLPATH"), "{why}"),
                other => panic!("{other:?}"),
            }
        }
        assert!(!is_windows("x86_64-linux-gnu"));
    }

    #[test]
    fn targets_are_emulated_as_their_table_says() {
        for target in TARGETS {
            if let Runner::Emulator(words) = default_runner(target) {
                assert_eq!(words, target.toolchain.emulator, "{}", target.name);
            }
            let asked =
                target.toolchain.triple.is_empty() || QUESTION.contains(&answer_for(target));
            assert!(asked, "{}", target.name);
        }
    }

    #[test]
    fn answers_are_read_whatever_the_spacing() {
        let text =
            "# 1 \"question.c\"\nfarrier_answer family gcc\n farrier_answer version 12 . 2 . 0\n";
        let found = answers(text);
        assert_eq!(found["family"], "gcc");
        assert_eq!(found["version"], "12.2.0");
    }

    #[test]
    fn builds_are_told_apart_by_more_than_their_place() {
        assert!(names_a_build("gcc version 12.2.0 (Debian 12.2.0-14)"));
        assert!(names_a_build("Configured with: ../src/configure -v"));
        assert!(!names_a_build("COLLECT_GCC=gcc-12"));
        assert!(!names_a_build("InstalledDir: /usr/bin"));
    }
}
