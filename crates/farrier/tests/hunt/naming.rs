//! Compilers that the user names, with flags of the user.

use super::*;

/// One small program, with nothing by lot but the program itself.
const SMALL: [&str; 8] = ["--programs", "1", "--size", "2k", "--seed", "3", "--mutate", "0"];

impl Place {
    /// Hunts with these subjects in the directory `hunt`.
    fn hunt(&self, subjects: &[&str]) -> Output {
        let mut arguments = vec!["hunt", "--dir", "hunt"];
        arguments.extend(SMALL);
        arguments.extend(subjects.iter().flat_map(|subject| ["--subject", subject]));
        self.run(&arguments)
    }

    /// A build of its own: a script around the usual gcc.
    fn build(&self, name: &str) {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().expect("it is in the place")).expect("it can be made");
        fs::write(&path, "#!/bin/sh\nexec gcc \"$@\"\n").expect("it can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
}

#[test]
fn flags_that_change_the_language_are_refused() {
    let place = Place::new("language");
    for (flags, message) in [
        ("-fshort-enums", "`-fshort-enums` an enumeration of few values has 1 bytes, but 4"),
        ("-funsigned-char", "`-funsigned-char` `(char)-1 < 0` is 0, but 1 in x86_64-linux"),
        ("-fpack-struct", "a structure of `char` and `short` has 3 bytes, but 4"),
        (
            "-fshort-enums",
            "in x86_64-linux; leave it out, or describe such a machine by a [[target]]",
        ),
        ("-Dint=long", "`-Dint=long` `int` has 8 bytes, but 4 in x86_64-linux"),
        ("-Dwhile=if", "`while` is a macro"),
        ("-std=c89", "the programs of a hunt are C99 to C17"),
        ("-funsigned-bitfields", "changes the layout of types"),
        ("-fnonsense", "unrecognized command-line option"),
    ] {
        let output = place.hunt(&[&format!("gcc -O2 {flags}")]);
        assert_status(&output, 2);
        let text = stderr(&output);
        assert!(text.contains("cannot be tested") && text.contains(message), "{flags}: {text}");
        assert!(!place.path.join("hunt").exists(), "{flags}");
    }
    // The same where a compiler judges a reduction.
    fs::write(place.path.join("a.c"), "int main(void) { return 0; }\n").expect("it can be written");
    let reduced = place.run(&["reduce", "--subject", "gcc -O2 -fshort-enums", "a.c"]);
    assert_status(&reduced, 2);
    assert!(stderr(&reduced).contains("an enumeration of few values"), "{reduced:?}");
    let reduced = place.run(&["reduce", "--subject", "gcc -O2 -m32", "a.c"]);
    assert!(stderr(&reduced).contains("add --target i386-linux"), "{reduced:?}");
}

#[test]
fn flags_for_another_machine_make_another_subject() {
    let place = Place::new("machine");
    let output = place.hunt(&["gcc -O2 -m32", "gcc -O1 -std=c99"]);
    assert_status(&output, 0);
    let text = stderr(&output);
    assert!(text.contains("gcc-i386-") && text.contains("-O1 -std=c99"), "{text}");
}

#[test]
fn every_compiler_that_is_named_is_tested() {
    let place = Place::new("builds");
    place.build("opt/gcc-trunk/bin/gcc");
    place.build("mine");
    let output =
        place.hunt(&["gcc -O2", "opt/gcc-trunk/bin/gcc -O3", "./mine", "trunk=./mine -O1"]);
    assert_status(&output, 0);
    let text = stderr(&output);
    for name in ["@gcc-trunk -O3,", "@mine,", ", trunk -O1 with seed"] {
        assert!(text.contains(name), "{name}: {text}");
    }
}

#[test]
fn a_level_of_the_user_means_exactly_this_one() {
    let place = Place::new("exactly");
    let config = place.path.join("flags.toml");
    fs::write(&config, "[spending]\nflags = 90\n").expect("it can be written");
    let mut arguments = vec!["hunt", "--config", "flags.toml", "--subject", "gcc -O2"];
    arguments.extend(SMALL);
    let output = place.run(&arguments);
    assert_status(&output, 0);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("1 programs and 1 trials"), "{text}");
}

#[test]
fn a_name_that_is_wrong_says_what_is_wrong() {
    let place = Place::new("names");
    fs::write(place.path.join("text"), "x").expect("it can be written");
    for (subject, message) in [
        ("/no/such/gcc", "there is no compiler `/no/such/gcc`"),
        ("./text", "cannot be executed: chmod +x"),
        ("./", "is a directory"),
        ("/bin/true", "it does not preprocess a C file"),
        ("gc", "did you mean `gcc`"),
        ("trunk= -O2", "names no compiler"),
    ] {
        let output = place.hunt(&[subject]);
        assert_status(&output, 2);
        assert!(stderr(&output).contains(message), "{subject}: {output:?}");
        assert!(!place.path.join("hunt").exists(), "{subject}");
    }
}

#[test]
fn a_hunt_that_tested_nothing_begins_again() {
    let place = Place::new("again");
    let hunt = |subject: &str, programs: &str| {
        place.run(&["hunt", "--subject", subject, "--size", "2k", "--programs", programs])
    };
    assert_status(&hunt("gcc -O1", "0"), 0);
    let output = hunt("gcc -O2", "1");
    assert_status(&output, 0);
    assert!(stderr(&output).contains("-O2 with seed"), "{output:?}");
    // Now there is something to keep.
    let output = hunt("gcc -O3", "1");
    assert_status(&output, 2);
    assert!(stderr(&output).contains("began with --subject"), "{output:?}");
}

#[test]
fn a_hunt_answers_in_data_and_takes_features_and_single_files() {
    let place = Place::new("data");
    let mut arguments = vec!["hunt", "--json", "--subject", "gcc -O1"];
    arguments.extend(SMALL);
    arguments.extend(["--features", "-goto,-switch"]);
    let numbers = place.json(&arguments);
    assert_eq!((&numbers["whole"]["programs"], &numbers["trials"]), (&1.into(), &1.into()));
    assert_eq!(numbers["kinds"], serde_json::json!({}));
    // The features belong to the hunt.
    let other = place.run(&["hunt", "--features", "-goto"]);
    assert_status(&other, 2);
    assert!(stderr(&other).contains("began with --features or --config"), "{other:?}");
    assert_status(&place.run(&["hunt", "--features", "-gotoo", "--dir", "b"]), 2);
    // One file, and a list of one.
    let program = "int main(void) { return 3; }\n";
    fs::write(place.path.join("a.c"), program).expect("it can be written");
    fs::write(place.path.join("list"), "a.c\n").expect("it can be written");
    for (corpus, dir) in [("a.c", "file"), ("list", "listed")] {
        let hunt = ["hunt", "--json", "--dir", dir, "--corpus", corpus, "--config", ONLY_CORPUS];
        let numbers = place.json(&[&hunt[..], &["--subject", "gcc -O1"]].concat());
        assert_eq!(numbers["whole"]["trials"], 1, "{numbers:#}");
    }
}
