//! The reference in the documentation says what the program says.
#![expect(clippy::disallowed_methods, reason = "a test of the command starts the command")]

use std::path::Path;
use std::process::Command;

#[test]
fn the_reference_of_the_command_line_is_fresh() {
    let output = Command::new(env!("CARGO_BIN_EXE_farrier"))
        .arg("markdown-help")
        .output()
        .expect("farrier can be started");
    assert!(output.status.success());
    let generated = String::from_utf8(output.stdout).expect("help is text");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/cli.md");
    if std::env::var_os("FARRIER_BLESS").is_some() {
        std::fs::write(&path, &generated).expect("the reference can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == generated,
        "docs/reference/cli.md is stale: run FARRIER_BLESS=1 cargo test -p farrier"
    );
}
