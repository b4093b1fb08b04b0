//! What this machine gives: a sandbox, compilers, and signals.

use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, bail};
use farrier_harness::{
    Discovery, Runner, Sandbox, Scratch, Subject, contradiction, discover, fingerprint,
    load_subjects, recognise, targets, try_out,
};
use farrier_synth::features::Feature;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// The file that is read if there is one and no other is named.
pub(crate) const DEFAULT_FILE: &str = "farrier.toml";

/// The exit status after a second Ctrl-C: that of shells for a command that SIGINT ended.
const AT_ONCE: i32 = 128 + SIGINT;

/// The small program that launches others, if it stands beside this one.
const LAUNCHER: &str = "farrier-launcher";

/// A sandbox whose launcher stands beside this program, or is this program.
pub(crate) fn sandbox() -> anyhow::Result<Sandbox> {
    let itself = std::env::current_exe().context("cannot find this program itself")?;
    let beside = itself.with_file_name(LAUNCHER);
    let mut sandbox = match beside.is_file().then(|| Sandbox::new(beside)) {
        Some(Ok(sandbox)) => sandbox,
        // Without it everything works as well, only slower.
        Some(Err(_)) | None => Sandbox::new(itself)?,
    };
    // Zig cannot do without: it builds its libraries at the first use.
    if let Some(directory) = own_directory("farrier-cache") {
        sandbox.set_cache(directory);
    }
    Ok(sandbox)
}

/// A directory that only we can write to, and that outlives this process: what is in it takes
/// long to make.
fn own_directory(name: &str) -> Option<PathBuf> {
    let base = std::env::temp_dir().canonicalize().ok()?;
    let own = std::fs::metadata("/proc/self").ok()?.uid();
    let path = base.join(format!("{name}-{own}"));
    // It may be there already, and then it must be ours.
    let _ = DirBuilder::new().mode(0o700).create(&path);
    let found = std::fs::symlink_metadata(&path).ok()?;
    (found.is_dir() && found.uid() == own && found.mode() & 0o022 == 0).then_some(path)
}

/// Where programs keep what they can get again.
pub(crate) fn cache_directory() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let own = variable("XDG_CACHE_HOME").map(PathBuf::from);
    let usual = || variable("HOME").map(|home| Path::new(&home).join(".cache"));
    Some(own.or_else(usual)?.join("farrier"))
}

/// The compilers in the search path, as they were found the last time if nothing has changed.
///
/// Finding them takes many seconds, because each has to compile and run a program.
pub(crate) fn find(sandbox: &Sandbox, base: &Path) -> anyhow::Result<Discovery> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let known = found_file(&path).and_then(|file| std::fs::read(file).ok());
    match known.and_then(|text| serde_json::from_slice(&text).ok()) {
        Some(known) => Ok(known),
        None => find_again(sandbox, base),
    }
}

/// The compilers in the search path as they are now.
pub(crate) fn find_again(sandbox: &Sandbox, base: &Path) -> anyhow::Result<Discovery> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = discover(&path, sandbox, base)?;
    if let (Some(file), Ok(text)) = (found_file(&path), serde_json::to_vec(&found)) {
        // It is there complete or not at all. Without it they are looked for again.
        let new = file.with_extension(std::process::id().to_string());
        let _ = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, &file));
    }
    Ok(found)
}

/// Where the compilers of a search path are written down.
fn found_file(path: &OsStr) -> Option<PathBuf> {
    let version = env!("CARGO_PKG_VERSION");
    let own = std::env::current_exe().and_then(std::fs::metadata).ok()?;
    // Another build of Farrier may ask other questions.
    let key = format!("{version} {} {} {}", own.ino(), own.mtime(), fingerprint(path));
    let hash = blake3::hash(key.as_bytes()).to_hex();
    // Compilers can write into the cache, so this is elsewhere.
    Some(own_directory("farrier-found")?.join(format!("compilers-{}.json", &hash[..16])))
}

/// The subjects in a file, each of which must work.
pub(crate) fn listed(file: &Path, sandbox: &Sandbox, base: &Path) -> anyhow::Result<Vec<Subject>> {
    let mut subjects = load_subjects(file)?;
    for subject in &mut subjects {
        if (subject.version.is_empty() || subject.target.is_none())
            && let Some(asked) = recognise(&subject.command, sandbox, base)?
        {
            if subject.version.is_empty() {
                subject.version = asked.version;
                subject.banner = asked.banner;
            }
            if subject.target.is_none() {
                subject.target = asked.target;
                subject.triple = asked.triple;
                if subject.runner == Runner::Direct {
                    subject.runner = asked.runner;
                }
            }
        }
        if subject.target.is_none() {
            bail!(
                "{}: `{}` does not say what it compiles for: add `target`, which is one of {}; \
                 another machine is described by a table [[target]]",
                subject.recognised,
                subject.name,
                targets()
            );
        }
        let lacks = subject.target.map_or(&[][..], |target| target.environment.lacks);
        if let Some(name) = lacks.iter().find(|name| Feature::by_name(name).is_none()) {
            bail!(
                "{}: the target of `{}` lacks `{name}`, which is not a feature: `farrier gen \
                 --list-features` names them",
                subject.recognised,
                subject.name
            );
        }
        let wrong = match contradiction(subject, &[], sandbox, base)? {
            Some(why) => Some(why),
            None => try_out(subject, sandbox, base)?,
        };
        if let Some(why) = wrong {
            bail!("{}: `{}` cannot be used: {why}", subject.recognised, subject.name);
        }
    }
    Ok(subjects)
}

/// A seed that is short enough to be typed.
pub(crate) fn draw_seed() -> u64 {
    // The keys of the hash maps of the library are the randomness that is at hand.
    RandomState::new().hash_one(std::process::id()) >> 32
}

/// The first signal asks to stop, the second stops.
pub(crate) fn watch_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot watch for Ctrl-C")?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for _ in signals.forever() {
            if flag.swap(true, Ordering::Relaxed) {
                farrier_harness::end_all();
                let _ = Scratch::remove_own(&std::env::temp_dir());
                std::process::exit(AT_ONCE);
            }
        }
    })?;
    Ok(interrupted)
}
