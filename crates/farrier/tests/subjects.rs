//! `farrier subjects` and `farrier doctor`, whose output depends on the machine.

#![expect(clippy::disallowed_methods, reason = "a test starts the command that it tests")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
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
        .find(|subject| {
            let is_c = subject["name"].as_str().is_some_and(|name| name.starts_with("gcc"));
            is_c && subject["target"] == "x86_64-linux"
        })
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

/// A compiler of a vendor, with its runner, beside the file that lists it.
#[test]
fn a_listed_compiler_is_asked_for_what_the_file_does_not_say() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("listed");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("it can be made");
    // A runner that starts the program as a child, and a compiler that passes everything on.
    for (name, text) in [
        ("mycc", "exec gcc \"$@\""),
        ("board.sh", "\"$@\"\nexit $?"),
        ("no-board.sh", "echo 'no board' >&2\nexit 5"),
    ] {
        let path = directory.join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("it can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    let file = directory.join("acme.toml");
    let list = |more: &str| {
        let text = "[[subject]]\nname = \"acme\"\ncommand = \"./mycc\"\nfamily = \"gcc\"\n";
        fs::write(&file, format!("{text}{more}")).expect("it can be written");
        let file = file.to_str().expect("it is text");
        farrier(&["subjects", "--only-listed", "--json", "--subjects", file])
    };
    let output = list("flags = \"-pipe\"\nrun = \"./board.sh\"\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let subject = &json(&output)["subjects"][0];
    assert_eq!(subject["target"], "x86_64-linux");
    assert!(subject["version"].as_str().is_some_and(|version| !version.is_empty()), "{subject}");
    for (more, message) in [
        ("target = \"i386-linux\"\n", "`long` has 8 bytes, but 4 in i386-linux"),
        ("flags = [\"-nostdlib\"]\n", "undefined reference to `printf'"),
        ("run = \"./no-board.sh\"\n", "a small program: exit status 5; it says: no board"),
    ] {
        let output = list(more);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(message), "{text}");
    }
}

#[test]
fn compilers_are_looked_for_once_until_something_changes() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("found");
    let _ = fs::remove_dir_all(&directory);
    let (path, temporary) = (directory.join("bin"), directory.join("tmp"));
    fs::create_dir_all(&path).expect("it can be made");
    fs::create_dir_all(&temporary).expect("it can be made");
    let compiler = |name: &str| {
        let script = path.join(name);
        fs::write(&script, "#!/bin/sh\nexec /usr/bin/gcc \"$@\"\n").expect("it can be written");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    };
    compiler("gcc");
    for tool in ["as", "ld"] {
        let real = Path::new("/usr/bin").join(tool);
        std::os::unix::fs::symlink(real, path.join(tool)).expect("it can be made");
    }
    // Nothing is tested, but the compilers are found and named.
    let opening = |hunt: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_farrier"));
        command.args(["hunt", "--no-triage", "--programs", "0", "--dir", hunt]);
        command.current_dir(&directory).env("PATH", &path).env("TMPDIR", &temporary);
        let output = command.output().expect("it can be started");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(opening("a").contains("bugs in gcc-"));
    let places = fs::read_dir(&temporary).expect("it is there").flatten();
    let mut found = places.filter(|entry| entry.file_name().to_string_lossy().contains("found"));
    let found = found.next().expect("they are written down").path();
    let file = fs::read_dir(found).expect("it is there").flatten().next().expect("one").path();
    let text = fs::read_to_string(&file).expect("it is text");
    fs::write(&file, text.replace("\"name\":\"gcc-", "\"name\":\"old-")).expect("it is ours");
    assert!(opening("b").contains("bugs in old-"));
    compiler("gcc-99");
    assert!(opening("c").contains("bugs in gcc-"), "the directory has changed");
}

/// A board with a data model, a runtime and a runner of its own, as the example describes it.
#[test]
fn a_board_with_its_own_data_model_is_hunted_and_its_compiler_asked() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/board");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("board");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("it can be made");
    for name in ["farrier.toml", "runtime.c", "board.sh"] {
        fs::copy(example.join(name), directory.join(name)).expect("it can be copied");
    }
    let list = directory.join("farrier.toml");
    let hunt = |name: &str| {
        let (list, place) = (list.to_str().expect("text"), directory.join(name));
        let place = place.to_str().expect("text");
        farrier(&[
            "hunt",
            "--dir",
            place,
            "--subjects",
            list,
            "--subject",
            "board-gcc",
            "--programs",
            "2",
            "--size",
            "2k",
            "--seed",
            "3",
        ])
    };
    // The model is stored with the hunt, which is continued by it.
    for _ in 0..2 {
        let output = hunt("right");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "install gcc-12-multilib: {text}");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("0 inconclusive, 0 not tried"), "{said}");
    }
    let good = fs::read_to_string(&list).expect("it is there");
    for (from, to, says) in [
        ("\"unsigned\"", "\"signed\"", "`(char)-1 < 0` is 0, but 1 in board"),
        ("long-long = 8", "long-long = [8, 4]", "`long long` has 16 bytes, but 12 in board"),
        ("char =", "byte-order = \"big\"\nchar =", "is its lowest, but its highest in board"),
        ("\"floating\"", "\"floatin\"", "lacks `floatin`, which is not a feature"),
        ("\"runtime.c\"", "\"no.c\"", "cannot read the runtime"),
        ("target = \"board\"", "target = \"bord\"", "or a `[[target]]` of this file"),
    ] {
        fs::write(&list, good.replacen(from, to, 1)).expect("it can be written");
        let output = hunt("wrong");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(says), "{text}");
    }
    // A board that prints something else is found out.
    fs::write(&list, good).expect("it can be written");
    let board = directory.join("board.sh");
    fs::write(&board, "#!/bin/sh\n\"$1\" | sed s/OK/KO/\n").expect("it can be written");
    let output = hunt("planted");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}
