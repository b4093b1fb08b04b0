//! Discharged programs, compiled: they do what the machine says, and the sanitizer
//! finds nothing in them. The machine is not the only witness.

#![expect(clippy::disallowed_methods, reason = "programs are given to a real compiler and run")]

#[path = "discharge_support/draft.rs"]
mod draft;

use std::path::Path;
use std::process::Command;

use draft::{Draft, Shape};
use farrier_front::Options as FrontOptions;
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, SourceText};
use farrier_machine::{Options, certify};
use farrier_synth::Choices;
use farrier_synth::discharge::{Discharge, discharge};

#[test]
fn compilers_agree() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("discharge");
    std::fs::create_dir_all(&directory).expect("the target directory is ours");
    let ways = [Discharge::Flip, Discharge::Mixed, Discharge::Drop, Discharge::Keep];
    for seed in 0..12 {
        let shape = Shape { loops: seed % 3 != 0, wide: true };
        let text = Draft::new(500 + seed, shape, 40).text();
        let options =
            FrontOptions { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
        let input = SourceText::new("draft.c", text);
        let mut program = farrier_front::parse(&[input], &options)
            .unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message));
        let how = ways[seed as usize % 4];
        discharge(&mut program, how, &Options::default(), &mut Choices::new(seed))
            .expect("drafts are defined");
        let certified = certify(program, &Options::default()).expect("it is defined");
        let source = directory.join(format!("{seed}.c"));
        std::fs::write(&source, print(certified.program(), &PrintOptions::default()))
            .expect("the target directory is ours");
        for flags in [&["-O2"][..], &["-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all"]] {
            let binary = directory.join(format!("{seed}-{}", flags.len()));
            let output = Command::new("gcc")
                .args(["-w", "-std=gnu17", "-o"])
                .arg(&binary)
                .args(flags)
                .arg(&source)
                .output()
                .expect("gcc is installed");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let output = Command::new(&binary).output().expect("the program starts");
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&certified.behavior().output),
                "{how:?}, {flags:?}, {}: {}",
                source.display(),
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}
