//! Programs as CUDA: nvcc and clang must accept them, and must do what the machine says where this
//! machine is the device.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use farrier_lang::Dialect;
use farrier_lang::target::NVPTX64;
use farrier_synth::dress::{Cplusplus, Dressing, dress, restrict};
use farrier_synth::{Config, Preset, generate};

use super::difference;
use super::generated::{COMPILE_LIMIT, RUN_LIMIT};
use crate::corpus::process::{complaint, run as run_process, succeeded};
use crate::corpus::{Case, case_directory, check_all, write};
use crate::repository::root;

/// Which programs, and by what.
#[derive(clap::Args)]
pub(crate) struct CudaArguments {
    /// How many programs
    #[arg(long, default_value_t = 300)]
    count: u64,
    /// The seed of the first program
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// How long they are, in bytes
    #[arg(long, default_value_t = 8000)]
    size: usize,
    /// The compiler of CUDA
    #[arg(long, default_value = "nvcc")]
    nvcc: String,
    /// A clang that knows CUDA
    #[arg(long, default_value = "clang")]
    clang: String,
}

/// What stands for CUDA where there is none.
const HEADER: &str = "crates/synth/tests/cuda.h";

/// The version of C++ of all programs.
const STANDARD: Cplusplus = Cplusplus::Cpp17;

/// Runs the command; true if nothing is wrong.
pub(super) fn run(arguments: &CudaArguments) -> Result<bool> {
    let seeds: Vec<u64> = (arguments.first..arguments.first + arguments.count).collect();
    let case = |seed: &u64| Case {
        name: format!("seed {seed}"),
        sources: Vec::new(),
        flags: Vec::new(),
        dialect: Dialect::default(),
        permissive: false,
        directory: case_directory("cuda", &seed.to_string()),
    };
    let cases: Vec<Case> = seeds.iter().map(case).collect();
    let outcomes = check_all(&cases, |case| {
        let seed = case.name.trim_start_matches("seed ").parse()?;
        check(case, seed, arguments)
    })?;
    let mut wrong = 0;
    for (case, troubles) in cases.iter().zip(&outcomes) {
        for trouble in troubles {
            println!("{}: {trouble}", case.name);
        }
        if !troubles.is_empty() {
            wrong += 1;
            println!("    files: {}", case.directory.display());
        }
    }
    println!("{} programs: {} without trouble", cases.len(), cases.len() - wrong);
    Ok(wrong == 0)
}

/// The preset of a seed.
fn preset(seed: u64) -> Preset {
    Preset::ALL[seed as usize % Preset::ALL.len()]
}

/// Checks one program, whose files go away if nothing is wrong with it.
fn check(case: &Case, seed: u64, arguments: &CudaArguments) -> Result<Vec<String>> {
    let directory = &case.directory;
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let mut config = Config { size: arguments.size, target: &NVPTX64, ..Config::default() };
    preset(seed).apply(&mut config);
    restrict(&mut config);
    let Ok(made) = generate(seed, &config) else { return Ok(Vec::new()) };
    let dressing = Dressing::draw(STANDARD, &NVPTX64, seed);
    let text = dress(made.certified.program(), made.style, &dressing).text;
    // The header of this repository stands for those of the system.
    let plain = text.lines().filter(|line| !line.starts_with("#include <std"));
    let plain: String = plain.flat_map(|line| [line, "\n"]).collect();
    write(&directory.join("test.cu"), text.as_bytes())?;
    write(&directory.join("plain.cu"), plain.as_bytes())?;
    write(&directory.join("test.cpp"), text.replace("<<<1, 1>>>", "").as_bytes())?;
    let header = root().join(HEADER);
    let mut troubles = Vec::new();
    let mut compile = |compiler: &str, words: &[&str]| -> Result<bool> {
        let mut command = Command::new(compiler);
        command.arg("-w").args(words);
        let finished = run_process(&mut command, directory, COMPILE_LIMIT)?;
        if !succeeded(&finished) {
            troubles.push(format!("{compiler}: {}", complaint(&finished)));
        }
        Ok(succeeded(&finished))
    };
    let header = header.to_string_lossy();
    compile(&arguments.nvcc, &["-std=c++17", "-cubin", "test.cu", "-o", "test.cubin"])?;
    compile(&arguments.clang, &clang(&header))?;
    let own = ["-ffp-contract=off", STANDARD.flag(), "-include", &header, "-O1", "test.cpp"];
    if compile("g++", &[&own[..], &["-o", "test", "-lm"]].concat())? {
        troubles.extend(compare(directory, made.certified.behavior())?);
    }
    if troubles.is_empty() {
        std::fs::remove_dir_all(directory)?;
    }
    Ok(troubles)
}

/// The words by which clang checks a program for CUDA without its headers and libraries.
fn clang(header: &str) -> [&str; 12] {
    [
        "-x",
        "cuda",
        "--cuda-device-only",
        "--cuda-gpu-arch=sm_75",
        "-nocudainc",
        "-nocudalib",
        "-Wno-error=parentheses",
        STANDARD.flag(),
        "-include",
        header,
        "-fsyntax-only",
        "plain.cu",
    ]
}

/// Whether a program does something else than the machine says.
fn compare(directory: &Path, behavior: &farrier_machine::Behavior) -> Result<Option<String>> {
    let mut program = Command::new(directory.join("test"));
    let finished = run_process(&mut program, directory, RUN_LIMIT)?;
    Ok(difference(behavior, finished.ending, &finished.stdout, "this machine as device"))
}
