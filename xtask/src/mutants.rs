//! `cargo xtask mutants`: whether the unit tests notice changes of the arithmetic.
//!
//! What survives is explained in `docs/design/machine.md`, or gets a test.

use std::process::Command;

use anyhow::{Context, Result};

use crate::repository::root;

/// The packages, and the files whose rules every verdict stands on.
const FILES: &[(&str, &[&str])] = &[
    ("farrier-lang", &["crates/lang/src/integer.rs", "crates/lang/src/constant.rs"]),
    ("farrier-machine", &["crates/machine/src/arithmetic.rs", "crates/machine/src/value.rs"]),
];

/// Runs the command: true if every mutant is found out.
pub(crate) fn run() -> Result<bool> {
    let mut all = true;
    for (package, files) in FILES {
        let mut command = Command::new("cargo");
        command.args(["mutants", "--package", package, "--jobs", "1", "--cap-lints", "true"]);
        command.arg("--output").arg(root().join("target/mutants").join(package));
        for file in *files {
            command.args(["--file", file]);
        }
        let status = command.args(["--", "--lib"]).current_dir(root()).status();
        let status = status.context("cargo cannot be started")?;
        // 101 is cargo itself: there is no such command.
        anyhow::ensure!(
            status.code() != Some(101),
            "install cargo-mutants: cargo install cargo-mutants --locked"
        );
        all &= status.success();
    }
    Ok(all)
}
