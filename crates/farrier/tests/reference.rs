//! The reference in the documentation says what the program says.
#![expect(clippy::disallowed_methods, reason = "a test of the command starts the command")]

use std::collections::BTreeSet;
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
        "docs/reference/cli.md is stale: run FARRIER_BLESS=1 cargo test -p farrier --test reference"
    );
}

/// The names of all fields in a document.
fn fields(value: &serde_json::Value, names: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(object) => {
            for (name, value) in object {
                names.insert(name.clone());
                fields(value, names);
            }
        }
        serde_json::Value::Array(values) => {
            values.iter().for_each(|value| fields(value, names));
        }
        _ => {}
    }
}

#[test]
fn the_reference_of_the_profile_names_its_fields() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("profile.json");
    let output = Command::new(env!("CARGO_BIN_EXE_farrier"))
        .args(["check", "--preprocessed", "--profile"])
        .arg(&path)
        .arg(root.join("tests/fixtures/guards.c"))
        .output()
        .expect("farrier can be started");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&path).expect("the profile is written");
    let mut written = BTreeSet::new();
    fields(&serde_json::from_str(&text).expect("it is JSON"), &mut written);
    let page = std::fs::read_to_string(root.join("../../docs/reference/profile.md"));
    let page = page.expect("the page is there");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" |"));
    let named: BTreeSet<String> = rows
        .flat_map(|(names, _)| names.split(", "))
        .map(|name| name.trim_matches('`').to_owned())
        .collect();
    assert_eq!(written, named);
}
