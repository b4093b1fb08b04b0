//! Programs with known tiers, in `tiers`: the first line of each says which, as `// tier: free`.
//!
//! What gcc and clang make of a program, with all flags that its tier allows, does what the
//! machine says. So a tier that promises too much fails here.

#![expect(clippy::disallowed_methods, reason = "programs are compared with what compilers make")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, thread};

use farrier_front::parse;
use farrier_lang::{Dialect, STACK_BYTES, SourceText, target};
use farrier_machine::{Certified, Ending, Options, Tier, certify, try_certify};

/// What compilers are told for programs of all tiers.
const ROUNDED: &[&[&str]] =
    &[&["gcc", "-O2", "-ffp-contract=off"], &["clang", "-O2", "-ffp-contract=off"]];

/// What they may be told where no operation rounds.
const EXACT: &[&[&str]] = &[
    &["gcc", "-O2", "-mfma", "-ffp-contract=fast"],
    &["gcc", "-O2", "-m32", "-std=c17", "-mfpmath=387"],
    &["clang", "-O2", "-mfma", "-ffp-contract=fast"],
];

/// What they may be told where every order of the operations has the same result.
const FREE: &[&[&str]] = &[
    &["gcc", "-Ofast", "-mavx2", "-mfma", "-funroll-loops"],
    &["gcc", "-O2", "-m32", "-mfpmath=387", "-ffast-math"],
    &["clang", "-O3", "-mavx2", "-mfma", "-ffast-math", "-ffp-contract=fast"],
];

fn program_files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tiers");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn certified(path: &Path) -> Result<Certified, String> {
    let output = Command::new("gcc").arg("-E").arg(path).output();
    let output = output.expect("the packages of packages.txt are installed");
    let text = String::from_utf8(output.stdout).unwrap();
    let options = farrier_front::Options {
        target: &target::X86_64_LINUX,
        dialect: Dialect::C17,
        permissive: false,
    };
    let program = parse(&[SourceText::new("program.c", text.as_str())], &options)
        .map_err(|failure| format!("refused: {}", failure.diagnostic.message))?;
    let certified = certify(program.clone(), &Options::default());
    let at_once = try_certify(program, &Options::default(), true);
    match (certified, at_once) {
        // The number of operations is a part of the behaviour.
        (Ok(one), Ok(other))
            if one.behavior() == other.behavior() && one.tier() == other.tier() =>
        {
            Ok(one)
        }
        (Err(verdict), _) => Err(format!("{verdict:?}")),
        (Ok(_), other) => Err(format!("a run that watches exactness differs: {other:?}")),
    }
}

/// What is wrong with the tier of a program.
fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).unwrap();
    let name = text.lines().next().and_then(|line| line.strip_prefix("// tier: "));
    let wanted = Tier::by_name(name.ok_or("the first line names no tier")?).ok_or("no tier")?;
    let certified = certified(path)?;
    let tier = certified.tier();
    if tier != wanted {
        return Err(format!("{}, not {}", tier.name(), wanted.name()));
    }
    let rows: &[&[&[&str]]] = match tier {
        Tier::Free => &[ROUNDED, EXACT, FREE],
        Tier::Exact => &[ROUNDED, EXACT],
        Tier::Rounded => &[ROUNDED],
    };
    rows.iter().copied().flatten().try_for_each(|row| compare(path, &certified, row))
}

/// What is wrong with what a compiler makes of the program.
fn compare(path: &Path, certified: &Certified, row: &[&str]) -> Result<(), String> {
    let stem = path.file_stem().unwrap().to_string_lossy();
    let program = env::temp_dir().join(format!("farrier-tier-{}-{stem}", std::process::id()));
    let (compiler, flags) = row.split_first().expect("a row names a compiler");
    let compiled = Command::new(compiler)
        .args(flags)
        .arg("-w")
        .arg(path)
        .args(["-lm", "-o"])
        .arg(&program)
        .output()
        .expect("the packages of packages.txt are installed");
    let line = row.join(" ");
    if !compiled.status.success() {
        return Err(format!("{line}: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
    let found = Command::new(&program).output().unwrap();
    fs::remove_file(&program).unwrap();
    let behavior = certified.behavior();
    if found.stdout != behavior.output {
        let (found, wanted) = (found.stdout, &behavior.output);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        return Err(format!("{line}: it prints {:?}, not {:?}", text(&found), text(wanted)));
    }
    match (found.status.code(), &behavior.ending) {
        (Some(code), Ending::Exit(status)) if code == status & 0xff => Ok(()),
        (code, ending) => Err(format!("{line}: it ends with {code:?}, not {ending:?}")),
    }
}

/// The programs are independent, so a few threads check them.
#[test]
fn every_program_has_the_tier_that_it_names() {
    let files = program_files();
    assert!(files.len() >= 42, "there are only {} programs", files.len());
    let workers: Vec<_> = files
        .chunks(files.len().div_ceil(4))
        .map(|chunk| {
            let chunk = chunk.to_vec();
            let work = move || -> Vec<String> {
                let failure = |path: &PathBuf| {
                    let name = path.file_name().unwrap().to_string_lossy().into_owned();
                    check(path).err().map(|why| format!("{name}: {why}"))
                };
                chunk.iter().filter_map(failure).collect()
            };
            thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap()
        })
        .collect();
    let failures: Vec<String> =
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
