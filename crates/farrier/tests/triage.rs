//! Findings of compilers whose faults are known, grouped by cause.

#![expect(clippy::disallowed_methods, reason = "a test starts the command that it tests")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The files of a corpus and nothing else, without random flags.
const ONLY_CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/only-corpus.toml");

/// Every level and no random flags.
const PLAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/plain.toml");

/// A compiler is honest about the program by which it is tried out.
const PLANTED: &str = r#"#!/bin/sh
script=$1
shift
for argument; do
    case $argument in
    trial.c) honest=yes ;;
    *.c) source=$argument ;;
    esac
done
if [ -z "$honest" ] && [ -n "$source" ]; then
    if [ "$script" = fakecc ]; then
        fault=$1
        shift 2
        exec SUPPORT/fakecc "$fault" "$@"
    fi
    exec SUPPORT/$script "$@"
fi
compiler=gcc
case $1 in llvm*) compiler=clang ;; esac
while [ "$1" != -- ]; do shift; done
shift
exec $compiler "$@"
"#;

struct Place {
    path: PathBuf,
}

impl Place {
    /// A directory with compilers, each a script of the tests with its arguments.
    fn new(name: &str, compilers: &[(&str, &str, &[&str])]) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("triage-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("it can be made");
        let support = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../harness/tests/support")
            .canonicalize()
            .expect("the compilers with faults are there");
        let script = path.join("planted");
        let text = PLANTED.replace("SUPPORT", &support.display().to_string());
        fs::write(&script, text).expect("it can be written");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let mut text = String::new();
        for (name, fake, arguments) in compilers {
            let script = script.display().to_string();
            let command = [&[script.as_str(), fake][..], arguments, &["--"]].concat();
            text += &format!(
                "[[subject]]\nname = \"{name}\"\ncommand = {command:?}\nfamily = \"gcc\"\n\
                 target = \"x86_64-linux\"\nlevels = [\"-O2\"]\n"
            );
        }
        fs::write(path.join("farrier.toml"), text).expect("it can be written");
        Self { path }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_farrier"));
        command.current_dir(&self.path).args(arguments).output().expect("it can be started")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    fn hunt(&self, compilers: &[(&str, &str, &[&str])], more: &[&str]) -> Output {
        let mut arguments =
            vec!["hunt", "--seed", "5", "--size", "8k", "--config", PLAIN, "--jobs", "2"];
        arguments.extend(more);
        for (name, ..) in compilers {
            arguments.extend(["--subject", name]);
        }
        let output = self.run(&arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        output
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn texts(value: &Value) -> BTreeSet<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn planted_faults_have_one_signature_each() {
    let compilers: &[(&str, &str, &[&str])] = &[
        ("internal-error", "fakecc", &["internal-error"]),
        ("assertion", "fakecc", &["assertion"]),
        ("segfault", "fakecc", &["segfault"]),
        ("nothing", "fakecc", &["nothing"]),
        ("rejects", "fakecc", &["rejects"]),
        ("wrong-exit", "fakecc", &["wrong-exit"]),
        ("traps", "fakecc", &["traps"]),
    ];
    let place = Place::new("planted", compilers);
    place.hunt(compilers, &["--programs", "3", "--no-triage"]);
    let groups = place.json(&["triage", "--no-reduce", "--each", "1", "--json"]);
    let groups = groups.as_array().expect("a list");
    let mut compilers_seen = BTreeSet::new();
    for group in groups {
        let subjects = texts(&group["subjects"]);
        assert_eq!(subjects.len(), 1, "one signature, one fault: {group:#}");
        assert!(compilers_seen.insert(subjects), "one fault, one signature: {groups:#?}");
        let count = group["findings"].as_array().map_or(0, Vec::len);
        // Not every program has a switch; a draft without a meaning is compiled, too.
        let is_rare = group["subjects"][0] == "internal-error";
        assert!(count >= 3 || (is_rare && count > 0), "{group:#}");
    }
    assert_eq!(compilers_seen.len(), compilers.len(), "{groups:#?}");
    // A second time there is nothing to do.
    let again = place.run(&["triage", "--no-reduce"]);
    assert!(again.stderr.is_empty(), "{again:?}");
    let table = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(table.contains("crash: gcc assertion `use_empty()' at Value.cpp"), "{table}");
    assert!(table.contains("rejects-valid: gcc expected '…' before '…' token"), "{table}");
}

#[test]
fn a_hunt_looks_into_what_it_finds() {
    let compilers: &[(&str, &str, &[&str])] = &[("bad", "badpass", &["flag", "tree-vrp"])];
    let place = Place::new("hunt", compilers);
    let output = place.hunt(compilers, &["--programs", "3"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("is wrong-code: gcc, works with -fno-tree-vrp"), "{said}");
    let groups = place.json(&["triage", "--json"]);
    let name = groups[0]["example"].as_str().expect("there is an example").to_owned();
    let shown = place.json(&["show", &name, "--json"]);
    let analysis = &shown["analysis"];
    assert_eq!(analysis["reduced"], true, "{analysis:#}");
    assert_eq!(analysis["flags"], serde_json::json!(["-O2"]), "{analysis:#}");
    assert_eq!(analysis["culprit"]["flag"], "-fno-tree-vrp", "{analysis:#}");
    assert_eq!(analysis["area"], "middle-end", "{analysis:#}");
    assert_eq!(analysis["doubt"], Value::Null, "{analysis:#}");
    assert_eq!(analysis["versions"][0]["answer"]["answer"], "fails", "{analysis:#}");
    let works = |tried: &Value| tried["answer"]["answer"] == "works";
    assert!(analysis["versions"].as_array().is_some_and(|all| all.iter().any(works)));
    assert!(analysis["compiler"].as_str().is_some_and(|text| text.contains("gcc version")));
    let opinions = analysis["opinions"].as_array().expect("a list");
    assert!(opinions.len() >= 3, "{analysis:#}");
}

/// A program that adds and excludes, each with a result that can be seen.
const BOTH: &str = "\
int printf(const char *, ...);
int main(void)
{
    int x = 3;
    x = x ^ 5;
    int y = 4;
    y = y + 2;
    printf(\"%d %d\\n\", x, y);
}
";

/// Two faults of one compiler in one program: the culprit that is found first adds wrongly,
/// and the other one is met on the way, because what excludes comes first.
fn two_faults(name: &str, family: &str, arguments: &[&str], held: &str) {
    let compilers: &[(&str, &str, &[&str])] = &[("bad", "badpass", arguments)];
    let place = Place::new(name, compilers);
    let subjects = place.path.join("farrier.toml");
    let text = fs::read_to_string(&subjects).expect("it was written");
    fs::write(&subjects, text.replace("\"gcc\"", &format!("{family:?}"))).expect("it is ours");
    fs::create_dir(place.path.join("corpus")).expect("it can be made");
    fs::write(place.path.join("corpus/both.c"), BOTH).expect("it can be written");
    let hunt = ["hunt", "--corpus", "corpus", "--config", ONLY_CORPUS, "--no-triage"];
    let output = place.run(&[&hunt[..], &["--subject", "bad"]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let names = || -> BTreeSet<String> {
        let found = place.json(&["findings", "--json"]);
        let found = found.as_array().into_iter().flatten();
        found.filter_map(|one| one["name"].as_str().map(str::to_owned)).collect()
    };
    let first = names().pop_first().expect("there is a finding");
    let reduced = |name: &str| {
        let output = place.run(&["reduce", name]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        fs::read_to_string(place.path.join(path)).expect("it is there")
    };
    let small = reduced(&first);
    assert!(small.contains(" + ") && !small.contains(" ^ "), "{small}");
    let shown = place.json(&["show", &first, "--json"]);
    let note = format!("the culprit was held: {held}");
    assert_eq!(shown["reduction"]["notes"][0], note, "{shown:#}");
    let other = names().into_iter().find(|name| *name != first).expect("the other is kept");
    let small = reduced(&other);
    assert!(small.contains(" ^ ") && !small.contains(" + "), "{small}");
}

#[test]
fn a_reduction_does_not_slip_to_another_fault_of_gcc() {
    two_faults("two-flags", "gcc", &["flags", "gcse", "tree-vrp"], "-fno-gcse -fno-tree-vrp");
}

#[test]
fn a_reduction_does_not_slip_to_another_fault_of_llvm() {
    two_faults("two-passes", "clang", &["llvms", "SROAPass", "GVNPass"], "SROAPass");
}

#[test]
fn what_cannot_be_done_is_said() {
    let place = Place::new("nothing", &[]);
    let output = place.run(&["triage"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("there is no hunt"), "{said}");
}

/// Two engines run what one compiler made, and one of them is wrong: it is blamed, and not the
/// compiler.
#[test]
fn an_engine_is_blamed_and_not_the_compiler() {
    let place = Place::new("engine", &[]);
    let mut list = String::new();
    for (name, script) in [
        ("right", "exec \"$@\""),
        ("wrong", "\"$@\" > out; status=$?; sed 's/checksum = /&1/' out; exit $status"),
    ] {
        let path = place.path.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("it can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        list += &format!(
            "[[subject]]\nname = \"{name}\"\ncommand = \"gcc\"\nfamily = \"gcc\"\n\
             target = \"x86_64-linux\"\nlevels = [\"-O1\"]\nrun = \"./{name}\"\n"
        );
    }
    fs::write(place.path.join("farrier.toml"), list).expect("it can be written");
    let compilers: &[(&str, &str, &[&str])] = &[("right", "", &[]), ("wrong", "", &[])];
    place.hunt(compilers, &["--programs", "2", "--no-triage", "--mode", "wrong-code"]);
    let groups = place.json(&["triage", "--each", "1", "--json"]);
    let [group] = &groups.as_array().expect("a list")[..] else { panic!("{groups:#}") };
    assert_eq!(texts(&group["subjects"]), BTreeSet::from(["wrong"]), "{group:#}");
    assert_eq!(group["signature"], "wrong-code: gcc wrong", "{group:#}");
    let name = group["findings"][0].as_str().expect("a name");
    assert_eq!(place.run(&["report", name, "-o", "bundle"]).status.code(), Some(0));
    // The tracker of GCC would be the wrong one.
    let text = fs::read_to_string(place.path.join("bundle/issue.md")).expect("it is there");
    let words = "the engine of wrong: what the compiler made is right with that of ";
    assert!(text.contains(words), "{text}");
}
