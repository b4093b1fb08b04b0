//! `farrier subjects` and `farrier doctor`, whose output depends on the machine.

#![expect(clippy::disallowed_methods, reason = "a test starts the command that it tests")]

use std::process::{Command, Output};

use serde_json::Value;

fn farrier(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_farrier"));
    command.args(arguments).output().expect("it can be started")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[test]
fn subjects_lists_gcc_with_all_that_is_known_of_it() {
    let output = farrier(&["subjects", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let subjects = json(&output)["subjects"].as_array().expect("a list").clone();
    let gcc = subjects
        .iter()
        .find(|subject| subject["family"] == "gcc" && subject["target"] == "x86_64-linux")
        .expect("gcc must be installed: apt-get install gcc");
    assert_eq!(gcc["recognised"], "predefined macros of gcc");
    assert_eq!(gcc["runner"]["by"], "direct");
    let name = format!("gcc-{}", gcc["version"].as_str().expect("a version"));
    assert_eq!(gcc["name"], Value::String(name.clone()));
    let table = String::from_utf8(farrier(&["subjects"]).stdout).expect("text");
    assert!(table.lines().any(|line| line.starts_with(&name)), "{table}");
}

#[test]
fn doctor_examines_sandbox_and_compilers() {
    let output = farrier(&["doctor", "--json"]);
    let report = json(&output);
    assert_eq!(report["isolation"]["seccomp"]["level"], "full", "{report:#}");
    let checks = report["checks"].as_array().expect("a list");
    let fine = checks.iter().all(|check| check["fine"] == true);
    assert_eq!(output.status.code(), Some(i32::from(!fine)), "{report:#}");
    for what in ["Landlock", "compilers for x86_64-linux", "compilers for avr"] {
        assert!(checks.iter().any(|check| check["what"] == what), "{report:#}");
    }
}
