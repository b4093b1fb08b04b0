//! `cargo xtask dist`: the fastest `farrier`, optimised by a profile of its own work.
//!
//! Profile `dist` is built twice: the first build counts what runs while it generates and checks
//! programs, and the second is optimised by these counts.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use farrier_synth::Preset;

use crate::repository;

/// The first seed of the programs that train: no benchmark comes near it.
const SEED: &str = "70001";
/// How many programs of each preset train, and their size.
const PROGRAMS: &str = "6";
const SIZE: &str = "40k";
/// A setting that gives all programs floating numbers, which trains as well.
const FLOATS: &str = "[features]\nfloating = 100\n";

pub(crate) fn run() -> Result<bool> {
    println!("{}", build()?.display());
    Ok(true)
}

/// Builds it, and tells where it is. Nothing is done twice for the same sources.
pub(crate) fn build() -> Result<PathBuf> {
    let rustc = Rustc::ask()?;
    let profdata = rustc.find_profdata()?;
    let directory = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| repository::root().join("target"), PathBuf::from)
        .join("dist-by-profile");
    let (counts, profile) = (directory.join("counts"), directory.join("farrier.profdata"));
    let counting = build_with(&rustc, &directory.join("counting"), "generate", &counts)?;
    if !is_newer(&profile, &counting) {
        println!("programs are generated and checked, and what runs is counted");
        // Counts of other sources, and those of build scripts, do not belong there.
        let _ = std::fs::remove_dir_all(&counts);
        train(&counting, &directory.join("training"))?;
        let mut merge = Command::new(&profdata);
        succeed(merge.arg("merge").arg("-o").arg(&profile).arg(&counts))?;
    }
    build_with(&rustc, &directory.join("optimised"), "use", &profile)
}

/// Profile `dist` with one more option of rustc, in a target directory of its own.
fn build_with(rustc: &Rustc, directory: &Path, purpose: &str, path: &Path) -> Result<PathBuf> {
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--profile", "dist", "--package", "farrier", "--target", &rustc.host]);
    cargo.arg("--target-dir").arg(directory).current_dir(repository::root());
    succeed(cargo.env("RUSTFLAGS", format!("-Cprofile-{purpose}={}", path.display())))?;
    Ok(directory.join(&rustc.host).join("dist/farrier"))
}

/// The work that is counted: programs of every preset are generated and checked.
fn train(farrier: &Path, directory: &Path) -> Result<()> {
    let _ = std::fs::remove_dir_all(directory);
    std::fs::create_dir_all(directory)?;
    std::fs::write(directory.join("floats.toml"), FLOATS)?;
    let presets = Preset::ALL.map(|preset| ["--preset", preset.name()]);
    for (number, options) in presets.iter().chain(&[["--config", "floats.toml"]]).enumerate() {
        let out = directory.join(number.to_string());
        let mut generate = Command::new(farrier);
        generate.args(["gen", "--seed", SEED, "--jobs", "1", "-n", PROGRAMS, "--size", SIZE]);
        succeed(generate.args(options).arg("-o").arg(&out).current_dir(directory))?;
        for entry in std::fs::read_dir(&out)? {
            let file = entry?.path();
            if file.extension().is_some_and(|extension| extension == "c") {
                succeed(Command::new(farrier).arg("check").arg(&file))?;
            }
        }
    }
    Ok(())
}

/// The compiler that builds Farrier.
struct Rustc {
    host: String,
    /// The major version of its LLVM: only the same can read its counts.
    llvm: String,
    sysroot: PathBuf,
}

impl Rustc {
    fn ask() -> Result<Self> {
        let version = answer(&["-vV"])?;
        let row = |name: &str| {
            let found = version.lines().find_map(|line| line.strip_prefix(name));
            found.with_context(|| format!("rustc -vV has no line {name:?}"))
        };
        let llvm = row("LLVM version: ")?.split('.').next().unwrap_or_default().to_owned();
        let host = row("host: ")?.to_owned();
        Ok(Self { host, llvm, sysroot: answer(&["--print", "sysroot"])?.trim().into() })
    }

    /// The program that merges counts: of the toolchain, or of the same LLVM in Debian.
    fn find_profdata(&self) -> Result<PathBuf> {
        let own = self.sysroot.join("lib/rustlib").join(&self.host).join("bin/llvm-profdata");
        let debian = PathBuf::from(format!("llvm-profdata-{}", self.llvm));
        for path in [own, debian] {
            let probe = Command::new(&path).arg("--version").stdout(Stdio::null()).status();
            if probe.is_ok_and(|status| status.success()) {
                return Ok(path);
            }
        }
        bail!(
            "llvm-profdata is missing: rustup component add llvm-tools, or apt-get install llvm-{}",
            self.llvm
        )
    }
}

fn answer(arguments: &[&str]) -> Result<String> {
    let output = Command::new("rustc").args(arguments).output().context("rustc is missing")?;
    ensure!(output.status.success(), "rustc {arguments:?} fails");
    Ok(String::from_utf8(output.stdout)?)
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command
        .stdout(Stdio::null())
        .status()
        .with_context(|| format!("{command:?} cannot be started"))?;
    ensure!(status.success(), "{command:?} fails with {status}");
    Ok(())
}

/// Whether a file is there and newer than another.
fn is_newer(file: &Path, other: &Path) -> bool {
    let time = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    time(file).is_some_and(|newer| time(other).is_some_and(|older| newer > older))
}
