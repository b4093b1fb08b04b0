//! `farrier gen`: files, replay, workers and refusals.
#![expect(clippy::disallowed_methods, reason = "a test of the command starts the command")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use farrier_synth::features::FEATURES;
use farrier_synth::parameters::PARAMETERS;

fn farrier(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_farrier")).args(arguments).output();
    output.expect("farrier can be started")
}

fn succeed(arguments: &[&str]) -> String {
    let output = farrier(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("programs are text")
}

/// A directory of this test alone, empty.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generate").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("it can be made");
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the target directory has a plain name")
}

/// What a line of the comment at the head says.
fn said<'a>(program: &'a str, name: &str) -> &'a str {
    let line = program.lines().find_map(|line| line.strip_prefix(&format!(" * {name}: ")));
    line.expect("the head says it")
}

/// Every field of a document is explained.
fn assert_explained(document: &serde_json::Value) {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md"));
    let page = page.expect("the page is there");
    for field in document.as_object().expect("it has fields").keys() {
        assert!(page.contains(&format!("`{field}`")), "{field}");
    }
}

#[test]
fn programs_are_data_if_that_is_wanted() {
    let options = ["gen", "--seed", "7", "--size", "2k"];
    let plain = succeed(&options);
    let read = |text: &str| -> serde_json::Value { serde_json::from_str(text).expect("JSON") };
    let document = read(&succeed(&[&options[..], &["--json"]].concat()));
    let program = &document["programs"][0];
    assert_explained(program);
    assert_eq!(program["files"][0]["text"], plain);
    assert_eq!(program["output"], format!("{}\n", said(&plain, "output")));
    assert_eq!(program["command"], said(&plain, "command"));
    let directory = directory("json");
    let more = ["-n", "3", "-o", text(&directory), "--json"];
    let document = read(&succeed(&[&options[..], &more].concat()));
    let programs = document["programs"].as_array().expect("a list");
    assert_eq!(programs.len(), 3);
    for (program, seed) in programs.iter().zip(7..) {
        assert_eq!(program["seed"], seed);
        let path = program["files"][0]["path"].as_str().expect("a path");
        let bytes = fs::metadata(path).expect("it was written").len();
        assert_eq!(program["files"][0]["bytes"], bytes);
    }
}

#[test]
fn a_program_says_how_to_make_it_again_and_what_it_does() {
    // What a macro became is other operations than the guard it stands for, and for one seed in
    // sixteen the text has a few operations less than the tree that it was printed from.
    let recipe = ["gen", "--seed", "7", "--size", "3k", "--features", "-goto,-macro-wrapper"];
    let program = succeed(&recipe);
    let words: Vec<&str> = said(&program, "command").split(' ').skip(1).collect();
    assert_eq!(succeed(&words), program, "{words:?}");
    let directory = directory("again");
    let path = directory.join("prog.c");
    fs::write(&path, &program).expect("written");
    let checked = farrier(&["check", text(&path)]);
    let output = String::from_utf8_lossy(&checked.stdout);
    assert_eq!(output.trim_end(), said(&program, "output"));
    let note = String::from_utf8_lossy(&checked.stderr);
    let status = said(&program, "exit status");
    let operations = said(&program, "operations");
    assert!(
        note.contains(&format!("defined: exit status {status}, {operations} operations")),
        "{note}"
    );
}

#[test]
fn seeds_differ_when_none_is_given() {
    let seed = |program: &str| said(program, "command").to_owned();
    let one = succeed(&["gen", "--size", "1k"]);
    let other = succeed(&["gen", "--size", "1k"]);
    assert_ne!(seed(&one), seed(&other));
}

#[test]
fn any_number_of_workers_writes_the_same() {
    let read = |jobs: &str| {
        let directory = directory(&format!("jobs-{jobs}"));
        let to = text(&directory);
        succeed(&["gen", "--seed", "5", "-n", "8", "--size", "2k", "--jobs", jobs, "-o", to]);
        let mut names: Vec<PathBuf> = fs::read_dir(&directory)
            .expect("it is a directory")
            .map(|entry| entry.expect("it can be read").path())
            .collect();
        names.sort();
        let texts = names.iter().map(|path| {
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("a program"))
        });
        texts.collect::<Vec<_>>()
    };
    let one = read("1");
    let names: Vec<&str> = one.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["10.c", "11.c", "12.c", "5.c", "6.c", "7.c", "8.c", "9.c"]);
    assert!(one == read("4"), "the number of workers matters");
    let alone = succeed(&["gen", "--seed", "9", "--size", "2k"]);
    assert!(one[7].1 == alone, "a program depends on those before it");
}

#[test]
fn nothing_is_replaced_without_force() {
    let directory = directory("force");
    let taken = directory.join("7.c");
    fs::write(&taken, "mine").expect("written");
    let many = ["gen", "--seed", "6", "-n", "3", "--size", "1k", "-o", text(&directory)];
    let one = ["gen", "--seed", "6", "--size", "1k", "-o", text(&taken)];
    for arguments in [&many[..], &one[..]] {
        let output = farrier(arguments);
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains("7.c` exists: use --force"), "{message}");
        assert_eq!(fs::read_to_string(&taken).expect("it is there"), "mine");
        assert_eq!(fs::read_dir(&directory).expect("a directory").count(), 1, "nothing is written");
    }
    succeed(&[&many[..], &["--force"]].concat());
    assert_eq!(fs::read_dir(&directory).expect("a directory").count(), 3);
    assert!(fs::read_to_string(&taken).expect("it is there").contains("--seed 7 "));
}

#[test]
fn parts_are_files() {
    let directory = directory("parts");
    let parts = directory.join("one");
    let split = ["gen", "--seed", "6", "--size", "8k", "--split", "2", "-o"];
    succeed(&[&split[..], &[text(&parts)]].concat());
    let files: Vec<PathBuf> =
        ["test1.c", "test2.c", "driver.c"].iter().map(|name| parts.join(name)).collect();
    let mut check = vec!["check"];
    check.extend(files.iter().map(|path| text(path)));
    let output = succeed(&check);
    let driver = fs::read_to_string(&files[2]).expect("it is there");
    assert_eq!(output.trim_end(), said(&driver, "output"));
    let many = directory.join("many");
    succeed(&[&split[..], &[text(&many), "-n", "2"]].concat());
    assert_eq!(fs::read_to_string(many.join("6/driver.c")).expect("it is there"), driver);
    assert!(many.join("7/test2.c").is_file());
}

#[test]
fn the_explanation_goes_to_standard_error() {
    let quiet = succeed(&["gen", "--seed", "3", "--size", "2k"]);
    let output = farrier(&["gen", "--seed", "3", "--size", "2k", "--explain"]);
    assert!(String::from_utf8_lossy(&output.stdout) == quiet);
    let said = String::from_utf8_lossy(&output.stderr);
    for name in ["bytes", "operations", "drafts", "dropped", "statements", "switch", "loop-trips"] {
        let starts = |line: &str| line.trim_start().starts_with(name);
        assert!(said.lines().any(starts), "{name} is not in:\n{said}");
    }
}

#[test]
fn a_configuration_file_counts() {
    let directory = directory("config");
    let path = directory.join("gen.toml");
    fs::write(&path, "[features]\nswitch = 77\ngoto = 0\n").expect("written");
    let weight = |listed: &str, name: &str| {
        let mut words = listed
            .lines()
            .map(str::split_whitespace)
            .find(|words| words.clone().next() == Some(name))
            .expect("every feature is listed");
        words.nth(1).expect("a weight").to_owned()
    };
    let plain = succeed(&["gen", "--list-features"]);
    for row in FEATURES {
        assert_eq!(weight(&plain, row.name), row.frequency.to_string(), "{}", row.name);
    }
    let configured =
        succeed(&["gen", "--list-features", "--config", text(&path), "--features", "-do"]);
    assert_eq!(weight(&configured, "switch"), "77");
    assert_eq!(weight(&configured, "goto"), "0");
    assert_eq!(weight(&configured, "do"), "0");
    for row in PARAMETERS {
        assert!(plain.contains(&format!("\n{} ", row.name)), "{}", row.name);
    }
    let document = succeed(&["gen", "--list-features", "--json", "--features", "-do"]);
    let document: serde_json::Value = serde_json::from_str(&document).expect("JSON");
    for (table, count) in [("features", FEATURES.len()), ("parameters", PARAMETERS.len())] {
        let rows = document[table].as_array().expect("a list");
        assert_eq!(rows.len(), count, "{table}");
        assert_explained(&rows[0]);
    }
    let features = document["features"].as_array().expect("a list");
    let row = features.iter().find(|row| row["name"] == "do").expect("every feature is there");
    assert_eq!(row["weight"], 0);
    let small = succeed(&["gen", "--list-features", "--target", "i386-linux"]);
    assert_eq!(weight(&small, "int128"), "0");
    let program = succeed(&["gen", "--seed", "1", "--size", "1k", "--config", text(&path)]);
    assert_eq!(said(&program, "config"), "features.goto = 0, features.switch = 77");
}

#[test]
fn the_options_that_stand_for_those_of_csmith_are_true() {
    let page =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/other-tools.md"));
    let page = page.expect("the page is there");
    let section = page.split("\n## ").find(|section| section.starts_with("Csmith"));
    let rows = section.expect("it has a section").lines().filter(|line| line.starts_with("| `"));
    let (mut options, mut names) = (Vec::new(), Vec::new());
    for ours in rows.filter_map(|row| row.split(" | ").nth(1)) {
        let spans = ours.split('`').skip(1).step_by(2);
        options.extend(spans.clone().filter(|span| span.starts_with("--")));
        names.extend(spans.filter(|span| span.starts_with(char::is_lowercase)));
    }
    // Words in capitals stand for what the user says.
    let is_literal = |option: &&&str| !option.contains(|c: char| c.is_ascii_uppercase());
    let literal: Vec<&&str> = options.iter().filter(is_literal).collect();
    assert!(literal.len() > 20, "{literal:?}");
    for option in literal {
        let common = ["gen", "--preset", "csmith", "--seed", "7", "--size", "2k"];
        succeed(&common.into_iter().chain(option.split(' ')).collect::<Vec<_>>());
    }
    for name in names.iter().filter(|name| !name.contains(' ')) {
        let is_known = PARAMETERS.iter().any(|row| row.name == *name)
            || FEATURES.iter().any(|row| row.name == *name);
        assert!(is_known, "{name}");
    }
}

#[test]
fn a_feature_that_stands_for_an_option_of_csmith_can_be_switched_off() {
    for (features, word) in [
        ("-array,-multi-array", "]["),
        ("-struct", "struct "),
        ("-union", "union "),
        ("-goto,-backward-goto,-graph", "goto "),
        ("-increment", "++"),
        ("-inline", "static inline "),
        ("-pointer-to-pointer", "**"),
    ] {
        let text = |features: &[&str]| -> String {
            let common = ["gen", "--preset", "csmith", "--size", "8k", "--discharge", "flip"];
            let program =
                |seed: &str| succeed(&[&common[..], &["--seed", seed], features].concat());
            ["1", "2", "3", "4", "5"].map(program).concat()
        };
        assert!(text(&[]).contains(word), "{word}");
        let without = text(&["--features", features]);
        let code: String = without.lines().filter(|line| !line.starts_with(" * ")).collect();
        assert!(!code.contains(word), "{features}");
    }
}
