//! What commands do with files, pipes and the terminal.
#![expect(clippy::disallowed_methods, reason = "a test of the command starts the command")]

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn farrier(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_farrier"));
    command.args(arguments).stdin(Stdio::null()).env_remove("NO_COLOR");
    command
}

fn run(command: &mut Command) -> Output {
    command.output().expect("farrier can be started")
}

fn run_with_input(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("farrier can be started");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    stdin.write_all(input).expect("farrier reads its input");
    drop(stdin);
    child.wait_with_output().expect("farrier ends")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are text")
}

/// An empty directory for the test called `name`.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        fs::remove_dir_all(&path).expect("the old directory can be removed");
    }
    fs::create_dir_all(&path).expect("a directory can be made");
    path
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("the directory is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn standard_input_is_preprocessed_like_a_file() {
    let output = run_with_input(&mut farrier(&["fmt", "-"]), b"#error stop\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("<stdin>:1:2: error: #error stop"), "{}", stderr(&output));
    let output = run_with_input(&mut farrier(&["fmt", "-DINT=int", "-"]), b"INT x;\n");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    let output = run(&mut farrier(&["fmt", "-"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`<stdin>` is empty"));
}

#[test]
fn the_result_replaces_a_file_and_keeps_its_mode() {
    let directory = directory("replace");
    let (input, result, link) =
        (directory.join("in.i"), directory.join("out.c"), directory.join("link.c"));
    fs::write(&input, "int x;\n").expect("written");
    fs::write(&result, "old").expect("written");
    fs::set_permissions(&result, fs::Permissions::from_mode(0o600)).expect("set");
    symlink("out.c", &link).expect("linked");
    let output = run(farrier(&["fmt", "-o"]).arg(&link).arg(&input));
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    assert!(output.stdout.is_empty());
    assert_ne!(fs::read(&result).expect("read"), b"old");
    let mode = fs::metadata(&result).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert_eq!(names_in(&directory), ["in.i", "link.c", "out.c"]);
}

#[test]
fn a_failure_leaves_the_result_alone() {
    let directory = directory("leave");
    let result = directory.join("out.c");
    fs::write(&result, "old").expect("written");
    let output = run(farrier(&["fmt", "missing.c", "-o"]).arg(&result));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(&result).expect("read"), b"old");
    assert_eq!(names_in(&directory), ["out.c"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    for arguments in [&["completions", "bash"][..], &["--help"]] {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let output = run(farrier(arguments).stdout(writer));
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    }
}

#[test]
fn a_full_disk_is_a_failure() {
    let full = File::options().write(true).open("/dev/full").expect("Linux has it");
    let output = run(farrier(&["completions", "bash"]).stdout(full));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot write to standard output"), "{}", stderr(&output));
}

#[test]
fn nobody_needs_to_listen() {
    let full = File::options().write(true).open("/dev/full").expect("Linux has it");
    assert_eq!(run(farrier(&["fmt", "missing.c"]).stderr(full)).status.code(), Some(2));
}

#[test]
fn colours_are_used_when_asked_for() {
    let colored = |command: &mut Command| stderr(&run(command)).contains('\x1b');
    assert!(!colored(&mut farrier(&["fmt", "missing.c"])));
    assert!(!colored(&mut farrier(&["fmt", "missing.c", "--color", "never"])));
    assert!(colored(&mut farrier(&["fmt", "missing.c", "--color", "always"])));
    assert!(colored(farrier(&["--color", "always", "fmt", "missing.c"]).env("NO_COLOR", "1")));
}

#[test]
fn a_file_that_is_too_big_is_not_read() {
    let path = directory("big").join("big.c");
    let file = File::create(&path).expect("created");
    file.set_len((1 << 30) + 1).expect("a sparse file takes no room");
    let output = run(farrier(&["fmt"]).arg(&path));
    fs::remove_file(&path).expect("removed");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is too big: Farrier reads at most 1073741824 bytes"));
}

#[test]
fn a_device_is_judged_by_its_first_bytes() {
    let output = run(&mut farrier(&["fmt", "/dev/zero"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`/dev/zero` is not a text"), "{}", stderr(&output));
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&mut farrier(&["completions", shell]));
        assert!(output.status.success(), "{shell}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("permissive"), "{shell}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let directory = directory("man").join("new");
    let output = run(farrier(&["man", "--dir"]).arg(&directory));
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    let pages = [
        "farrier-bisect.1",
        "farrier-bugs.1",
        "farrier-check.1",
        "farrier-compare.1",
        "farrier-completions.1",
        "farrier-doctor.1",
        "farrier-explain.1",
        "farrier-findings.1",
        "farrier-fmt.1",
        "farrier-gen.1",
        "farrier-hunt.1",
        "farrier-man.1",
        "farrier-mutate.1",
        "farrier-reduce.1",
        "farrier-replay.1",
        "farrier-report.1",
        "farrier-serve.1",
        "farrier-show.1",
        "farrier-subjects.1",
        "farrier-sync.1",
        "farrier-triage.1",
        "farrier.1",
    ];
    assert_eq!(names_in(&directory), pages);
    let main_page = run(&mut farrier(&["man"])).stdout;
    assert!(main_page == fs::read(directory.join("farrier.1")).expect("read"));
}
