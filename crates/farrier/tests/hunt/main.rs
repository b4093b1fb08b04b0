//! Hunts from end to end, with compilers whose faults are known.

#![expect(clippy::disallowed_methods, reason = "a test starts the command that it tests")]

#[path = "../support/nats.rs"]
mod nats;

mod compare;
mod cplusplus;
mod cuda;
mod faults;
mod generator;
mod join;
mod mutants;
mod naming;
mod secrets;
mod sharing;
mod tiers;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::Value;

/// Every level, no random flags and no mutants.
const PLAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/plain.toml");

/// The files of a corpus and nothing else, without random flags.
const ONLY_CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/only-corpus.toml");

/// Floating arithmetic in every program that may have it, with the flags that it allows.
const FLOATS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/floats.toml");

/// Compilers with a fault that shows only in programs that Farrier makes, so that they pass
/// the trial that every subject has to.
const PLANTED: &str = r#"#!/bin/sh
for argument; do
    case $argument in
    *.c) source=$argument ;;
    esac
done
if [ -n "$source" ] && grep -q 'checksum\|g1' "$source"; then
    exec @FAKECC@ "$@"
fi
shift
exec "${FAKECC_GCC:-gcc}" "$@"
"#;

/// Columns that depend on the clock, or on what was in memory when a hunt was stopped.
const CHANCE: [&str; 6] =
    ["compiler_seconds", "program_seconds", "reused", "seen", "lineup", "troubles"];

/// A directory for one test, removed at its end.
struct Place {
    path: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hunt-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("it can be made");
        Self { path }
    }

    /// Lists a compiler for each fault, tested at these levels; what follows a slash tells
    /// two with the same fault apart.
    fn plant(&self, faults: &[(&str, &[&str])]) {
        let fakecc = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../harness/tests/support/fakecc")
            .canonicalize()
            .expect("the compiler with faults is there");
        let script = self.path.join("planted");
        fs::write(&script, PLANTED.replace("@FAKECC@", &fakecc.display().to_string()))
            .expect("it can be written");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let mut text = String::new();
        for (fault, levels) in faults {
            let name = fault.replace('/', "-");
            let fault = fault.split('/').next().unwrap_or_default();
            text += &format!(
                "[[subject]]\nname = \"{name}\"\ncommand = [\"{}\", \"{fault}\"]\n\
                 family = \"gcc\"\ntarget = \"x86_64-linux\"\nlevels = {levels:?}\n",
                script.display()
            );
        }
        fs::write(self.path.join("farrier.toml"), text).expect("it can be written");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_farrier"));
        command.current_dir(&self.path).args(arguments);
        // What becomes of findings is tested where it is done.
        if arguments.first() == Some(&"hunt") {
            command.arg("--no-triage");
            // The server reserves what a hunt may take.
            if arguments.contains(&"--join") && !arguments.contains(&"--server-bytes") {
                command.args(["--server-bytes", "64M"]);
            }
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("it can be started")
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it can be started")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    /// All that a hunt has stored that does not depend on the clock.
    fn stored(&self, directory: &str) -> Vec<String> {
        let path = self.path.join(directory).join("hunt.db");
        let database = Connection::open(path).expect("it is a database");
        let mut rows = Vec::new();
        for (table, key) in [("programs", "number"), ("findings", "name"), ("cases", "hash")] {
            let query = format!("SELECT * FROM {table} ORDER BY {key}");
            let mut query = database.prepare(&query).expect("the table is there");
            let names: Vec<String> = query.column_names().into_iter().map(str::to_owned).collect();
            let mut found = query.query([]).expect("it can be read");
            while let Some(row) = found.next().expect("it can be read") {
                let stays = |name: &&String| !CHANCE.contains(&name.as_str());
                rows.push(names.iter().filter(stays).fold(table.to_owned(), |text, name| {
                    let value: rusqlite::types::Value = row.get(&**name).expect("it is there");
                    text + &format!(" {name} {value:?}")
                }));
            }
        }
        rows
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn assert_status(output: &Output, status: i32) {
    assert_eq!(output.status.code(), Some(status), "{output:?}");
}

#[test]
fn planted_faults_are_found_and_called_by_their_names() {
    let place = Place::new("faults");
    let faults: [(&str, &[&str]); 7] = [
        ("honest", &["-O1", "-O2"]),
        ("wrong-comparison", &["-O1", "-O2"]),
        ("wrong-exit", &["-O1"]),
        ("segfault", &["-O1"]),
        ("rejects", &["-O1"]),
        ("random", &["-O1"]),
        ("killed", &["-O1"]),
    ];
    place.plant(&faults);
    let mut arguments =
        vec!["hunt", "--seed", "3", "--size", "8k", "--programs", "4", "--config", PLAIN];
    arguments.extend(faults.iter().flat_map(|(fault, _)| ["--subject", fault]));
    let output = place.run(&arguments);
    assert_status(&output, 1);
    let findings = place.json(&["findings", "--json"]);
    let findings = findings.as_array().expect("a list");
    let of = |subject: &str| {
        let of: Vec<(&str, &str)> = findings
            .iter()
            .filter(|finding| finding["subject"]["name"] == subject)
            .map(|finding| {
                let text = |value: &'static str| finding[value].as_str().unwrap_or_default();
                (text("kind"), finding["flags"][0].as_str().unwrap_or_default())
            })
            .collect();
        of
    };
    assert_eq!(of("honest"), []);
    assert_eq!(of("random"), [], "what does not happen twice is no finding");
    assert_eq!(of("killed"), [], "what is killed from outside is no finding");
    assert_eq!(of("wrong-exit"), [("wrong-exit", "-O1"); 4]);
    // One of the numbers has an edited program as well, which is only compiled.
    assert_eq!(of("segfault"), [("compiler-crash", "-O1"); 5]);
    assert_eq!(of("rejects"), [("valid-program-rejected", "-O1"); 4]);
    let comparisons = of("wrong-comparison");
    assert!(!comparisons.is_empty());
    assert!(comparisons.iter().all(|(_, level)| *level == "-O2"), "{comparisons:?}");
    let summary = String::from_utf8_lossy(&output.stdout);
    assert!(summary.contains("5 not tried"), "{summary}");
    assert!(summary.contains("killed from outside by signal 9"), "{summary}");
    assert!(summary.contains("inconclusive: random: it does not happen every time"), "{summary}");

    let finding =
        findings.iter().find(|finding| finding["kind"] == "wrong-output").expect("there is one");
    let name = finding["name"].as_str().expect("it has a name");
    let replayed = place.json(&["replay", "--json", name]);
    assert_eq!(replayed["reproduced"], true, "{replayed:#}");
    let shown = place.json(&["show", "--json", &name[..6]]);
    // What a stranger types shows the same.
    let commands: Vec<&str> =
        shown["commands"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let copy = place.path.join("copy");
    let script = format!(
        "cp -r {} {} && cd {1} && {}",
        shown["directory"],
        copy.display(),
        commands.join(" && ")
    );
    let typed = Command::new("sh").arg("-c").arg(script).output().expect("there is a shell");
    let typed = String::from_utf8_lossy(&typed.stdout).into_owned();
    let expected = finding["expected"]["output"].as_str().expect("a text");
    let line = typed.lines().next().expect("the program writes a line");
    assert!(finding["outcome"]["output"].as_str().expect("a text").contains(line), "{typed}");
    assert_ne!(line, expected.trim_end());

    // A fault that is repaired does not happen again.
    let script = place.path.join("planted");
    fs::write(&script, "#!/bin/sh\nshift\nexec gcc \"$@\"\n").expect("it can be written");
    let output = place.run(&["replay", name]);
    assert_status(&output, 0);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("does not happen"), "{text}");
}

#[test]
fn the_store_does_not_depend_on_the_number_of_workers() {
    let place = Place::new("workers");
    place.plant(&[("wrong-comparison", &["-O1", "-O2"]), ("segfault", &["-O1"])]);
    let hunt = |seed: u32, jobs: &str| {
        let (seed, directory) = (seed.to_string(), format!("{jobs}-{seed}"));
        let mut arguments = vec!["hunt", "--dir", &directory, "--jobs", jobs, "--seed", &seed];
        arguments.extend(["--subject", "wrong-comparison", "--subject", "segfault"]);
        // Levels, flags and features are drawn: by the seed, not by the clock.
        arguments.extend(["--size", "3k", "--programs", "9"]);
        assert_status(&place.run(&arguments), 1);
        place.stored(&directory)
    };
    let has = |rows: &[String], kind: &str| rows.iter().any(|row| row.contains(kind));
    // A hunt in which both faults show.
    let found = (9..20).map(|seed| (seed, hunt(seed, "1"))).find(|(_, rows)| {
        ["wrong-output", "compiler-crash"].into_iter().all(|kind| has(rows, kind))
    });
    let (seed, one) = found.expect("one of these seeds shows both faults");
    let four = hunt(seed, "4");
    assert_eq!(one, four);
}

impl Place {
    /// Turns a compiler in the list into one of another line.
    fn make_clang(&self, name: &str) {
        let list = self.path.join("farrier.toml");
        let text = fs::read_to_string(&list).expect("it is there");
        let (first, rest) = text.split_once(name).expect("it is listed");
        let rest = rest.replacen("\"gcc\"", "\"clang\"", 1);
        fs::write(&list, format!("{first}{name}{rest}")).expect("it can be written");
    }
}

/// The findings of a subject: kind, basis and the number of the program.
fn findings_of(findings: &Value, subject: &str) -> Vec<(String, String, u64)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    findings
        .as_array()
        .expect("a list")
        .iter()
        .filter(|finding| finding["subject"]["name"] == subject)
        .map(|finding| {
            let program = finding["program"].as_u64().expect("a number");
            (text(&finding["kind"]), text(&finding["basis"]), program)
        })
        .collect()
}

#[test]
fn programs_from_elsewhere_are_judged_by_the_machine_or_by_a_vote() {
    let place = Place::new("corpus");
    place.plant(&[
        ("honest/1", &["-O0", "-O1"]),
        ("honest/2", &["-O1"]),
        ("wrong-shift", &["-O1"]),
    ]);
    // Compilers of one family have no majority, however many they are.
    place.make_clang("honest-2");
    fs::create_dir_all(place.path.join("corpus/deeper")).expect("it can be made");
    let write = |name: &str, text: &str| {
        fs::write(place.path.join("corpus").join(name), text).expect("it can be written");
    };
    // The word that makes the planted compilers do what they are for.
    let shift = "int checksum = 5; int printf(const char *, ...);\n\
                 int main(void) { printf(\"%d\\n\", checksum << 2); return 0; }\n";
    write("a.c", shift);
    write(
        "b.c",
        "#include <limits.h>\nint main(void) { int checksum = INT_MAX; return checksum + 1; }\n",
    );
    // What the machine cannot know.
    write("c.c", &shift.replace("return 0;", "__asm__ volatile (\"nop\"); return 0;"));
    write("deeper/d.c", "#include \"nowhere.h\"\n");
    write("ignored.h", "no C at all");
    let arguments = [
        "hunt",
        "--corpus",
        "corpus",
        "--seed",
        "1",
        "--config",
        ONLY_CORPUS,
        "--subject",
        "honest-1",
        "--subject",
        "honest-2",
        "--subject",
        "wrong-shift",
    ];
    let output = place.run(&arguments);
    assert_status(&output, 1);
    let findings = place.json(&["findings", "--json"]);
    let expected = |basis: &str, program| ("wrong-output".to_owned(), basis.to_owned(), program);
    let found = findings_of(&findings, "wrong-shift");
    assert_eq!(found, [expected("machine", 0), expected("vote", 2)]);
    assert_eq!(findings_of(&findings, "honest-1"), []);
    assert_eq!(findings_of(&findings, "honest-2"), []);
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        summary.contains("4 programs") && summary.contains("1 programs could not be used"),
        "{summary}"
    );
    assert!(summary.contains("4 of 4 files were read"), "{summary}");
    for row in ["1 defined", "1 undefined ", "b.c: signed-overflow", "1 unsupported", "`nowhere.h`"]
    {
        assert!(summary.contains(row), "{row}: {summary}");
    }
    for finding in findings.as_array().expect("a list") {
        let name = finding["name"].as_str().expect("it has a name");
        let replayed = place.json(&["replay", "--json", name]);
        assert_eq!(replayed["reproduced"], true, "{replayed:#}");
    }
    // Where its files are lost, the recipe makes the program again.
    let first = findings[0]["name"].as_str().expect("it has a name");
    let case = findings[0]["case"].as_str().expect("it has a case");
    let cases = place.path.join("farrier-hunt/cases");
    fs::rename(cases.join(case), cases.join("elsewhere")).expect("it is there");
    let replayed = place.json(&["replay", "--json", first]);
    assert_eq!(replayed["reproduced"], true, "{replayed:#}");
    fs::rename(cases.join("elsewhere"), cases.join(case)).expect("it is there");
    let vote = findings.as_array().and_then(|list| list.iter().find(|one| one["basis"] == "vote"));
    let name = vote.and_then(|one| one["name"].as_str()).expect("there is one");
    let shown = String::from_utf8_lossy(&place.run(&["show", name]).stdout).into_owned();
    assert!(shown.contains("judged by a vote of compilers"), "{shown}");
    // Compilers vote again when it is analysed.
    place.run(&["triage", name]);
    let shown = place.json(&["show", "--json", name]);
    assert_eq!(shown["analysis"]["signature"]["class"], "wrong-code", "{shown:#}");
    // Two are too few to vote, and one against one convicts none.
    let output = place.run(&[
        "hunt",
        "--dir",
        "two",
        "--corpus",
        "corpus",
        "--config",
        ONLY_CORPUS,
        "--subject",
        "honest-1",
        "--subject",
        "wrong-shift",
    ]);
    let findings = place.json(&["findings", "--dir", "two", "--json"]);
    assert_eq!(findings_of(&findings, "wrong-shift"), [expected("machine", 0)]);
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(summary.contains(" 0 inconclusive"), "{summary}");
    // A corpus that has changed has other numbers.
    write("0.c", shift);
    let output = place.run(&arguments);
    assert_status(&output, 2);
    assert!(stderr(&output).contains("has changed since"), "{output:?}");
    let output = place.run(&["hunt", "--dir", "none", "--corpus", "corpus/ignored.h"]);
    assert_status(&output, 2);
    assert!(!place.path.join("none").exists());
}

#[test]
fn generated_programs_and_those_of_a_corpus_take_turns() {
    let place = Place::new("beside");
    place.plant(&[("segfault", &["-O1"])]);
    fs::create_dir_all(place.path.join("corpus")).expect("it can be made");
    for file in 0..3 {
        let text = format!("int main(void) {{ int checksum = {file}; return checksum; }}\n");
        fs::write(place.path.join(format!("corpus/{file}.c")), text).expect("it can be written");
    }
    let hunt = |dir: &'static str, programs: &'static str| {
        let arguments = ["hunt", "--dir", dir, "--corpus", "corpus", "--seed", "4", "--size", "2k"];
        let rest = ["--programs", programs, "--config", PLAIN, "--subject", "segfault"];
        place.run(&[&arguments[..], &rest[..]].concat())
    };
    let programs = |dir: &str| -> Vec<(u64, String)> {
        let findings = place.json(&["findings", "--dir", dir, "--json"]);
        let findings = findings.as_array().expect("a list").clone();
        let origin = |finding: &Value| {
            let origin = &finding["recipe"]["origin"];
            let file = origin["path"].as_str().unwrap_or("generated").to_owned();
            (finding["program"].as_u64().expect("a number"), file)
        };
        findings.iter().map(origin).collect()
    };
    // A hunt that continues comes to the same as one that is done at once.
    hunt("two", "5");
    hunt("two", "12");
    let summary = String::from_utf8_lossy(&hunt("one", "12").stdout).into_owned();
    assert!(summary.contains("of 3 files were read"), "{summary}");
    assert!(place.path.join("one/corpus.db").exists());
    let found = programs("one");
    assert_eq!(found, programs("two"));
    let foreign = found.iter().filter(|(_, file)| file != "generated").count();
    assert!((2..=10).contains(&foreign), "{found:?}");
}

#[test]
fn programs_without_a_certificate_are_for_crashes_only() {
    let place = Place::new("edited");
    place.plant(&[("honest", &["-O1"]), ("wrong-shift", &["-O1"]), ("segfault", &["-O1"])]);
    let arguments = [
        "hunt",
        "--mode",
        "crash",
        "--seed",
        "5",
        "--size",
        "3k",
        "--programs",
        "3",
        "--config",
        PLAIN,
        "--subject",
        "honest",
        "--subject",
        "wrong-shift",
        "--subject",
        "segfault",
    ];
    assert_status(&place.run(&arguments), 1);
    let findings = place.json(&["findings", "--json"]);
    assert_eq!(findings_of(&findings, "honest"), []);
    assert_eq!(findings_of(&findings, "wrong-shift"), []);
    let mut found = findings_of(&findings, "segfault");
    found.sort();
    // No program has a certificate: nothing was run, not even in the machine.
    let crash = |program| ("compiler-crash".to_owned(), "compiler".to_owned(), program);
    assert_eq!(found, [0, 1, 2].map(crash));
    // Drafts as they are, and edited ones.
    for finding in findings.as_array().expect("a list") {
        let name = finding["name"].as_str().expect("it has a name");
        assert_eq!(place.json(&["replay", "--json", name])["reproduced"], true);
    }
}

#[test]
fn one_hunt_at_a_time_and_it_stops_when_asked() {
    let place = Place::new("two");
    place.plant(&[("honest", &["-O1"])]);
    let arguments = ["hunt", "--subject", "honest", "--size", "2k", "--config", PLAIN];
    let first = place.start(&arguments);
    let started = Instant::now();
    while !place.path.join("farrier-hunt/hunt.db").exists() {
        assert!(started.elapsed() < Duration::from_secs(20), "the hunt does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    let second = place.run(&arguments);
    assert_status(&second, 2);
    assert!(stderr(&second).contains("another hunt is running"), "{second:?}");
    // Its results can be read meanwhile.
    assert_status(&place.run(&["findings"]), 0);
    let id = first.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().expect("it can be started");
    let output = first.wait_with_output().expect("it was started");
    assert_status(&output, 0);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("no findings"), "{text}");
}

/// The processes that have a text in their command line.
fn processes_with(text: &str) -> Vec<String> {
    let all = fs::read_dir("/proc").expect("there is /proc").flatten();
    all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(text))
        .collect()
}

#[test]
fn a_second_signal_stops_at_once_and_leaves_nothing() {
    let place = Place::new("at-once");
    // A flag by which its processes are found.
    place.plant(&[("hang", &["-O1 -DAT_ONCE"])]);
    let temporary = place.path.join("temporary");
    fs::create_dir(&temporary).expect("it can be made");
    let mut command =
        place.command(&["hunt", "--subject", "hang", "--size", "2k", "--config", PLAIN]);
    command.env("TMPDIR", &temporary).stdout(Stdio::piped()).stderr(Stdio::piped());
    let hunt = command.spawn().expect("it can be started");
    let until = |what: &str, condition: &dyn Fn() -> bool| {
        let started = Instant::now();
        while !condition() {
            assert!(started.elapsed() < Duration::from_secs(30), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    until("no compiler hangs", &|| {
        processes_with("-DAT_ONCE").iter().any(|line| line.contains("support/fakecc hang"))
    });
    let id = hunt.id().to_string();
    let signal = || Command::new("kill").args(["-INT", &id]).status().expect("it can be started");
    signal();
    std::thread::sleep(Duration::from_millis(300));
    assert!(Path::new("/proc").join(&id).exists(), "the first one waits for what is running");
    let asked = Instant::now();
    signal();
    let output = hunt.wait_with_output().expect("it was started");
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    assert_status(&output, 130);
    until("a compiler is left", &|| processes_with("-DAT_ONCE").is_empty());
    let left: Vec<_> = fs::read_dir(&temporary)
        .expect("it is there")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("farrier-scratch"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_hunt_that_is_killed_leaves_no_compiler() {
    let place = Place::new("killed-compiler");
    // The process that hangs is a child of the one that was started, as with gcc and cc1.
    place.plant(&[("hang-below", &["-O1 -DKILLED"])]);
    let mut hunt =
        place.start(&["hunt", "--subject", "hang-below", "--size", "2k", "--config", PLAIN]);
    let is_running = || processes_with("-DKILLED").iter().any(|line| line.contains("done below "));
    let until = |what: &str, condition: &dyn Fn() -> bool| {
        let started = Instant::now();
        while !condition() {
            assert!(started.elapsed() < Duration::from_secs(30), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    until("no compiler hangs", &is_running);
    hunt.kill().expect("it is ours");
    let killed = Instant::now();
    until("a compiler is left", &|| processes_with("-DKILLED").is_empty());
    // Unless it is ended, it has a minute.
    assert!(killed.elapsed() < Duration::from_secs(20), "{:?}", killed.elapsed());
    hunt.wait().expect("it was started");
}

#[test]
fn an_honest_compiler_is_not_accused() {
    let place = Place::new("honest");
    place.plant(&[("honest", &["-O0", "-O1", "-O2", "-O3", "-Os"])]);
    let output = place.run(&[
        "hunt",
        "--subject",
        "honest",
        "--seed",
        "1",
        "--size",
        "6k",
        "--programs",
        "4",
    ]);
    assert_status(&output, 0);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("4 programs") && text.contains("no findings"), "{text}");
}

#[test]
fn other_directories_are_left_alone() {
    let place = Place::new("foreign");
    place.plant(&[("honest", &["-O1"])]);
    let hunt = |directory: &str, more: &[&str]| {
        let mut arguments = vec!["hunt", "--dir", directory, "--subject", "honest", "--seed", "1"];
        arguments.extend(["--size", "2k", "--programs", "1", "--config", PLAIN]);
        arguments.extend(more);
        place.run(&arguments)
    };
    let make = |name: &str| {
        let path = place.path.join(name);
        fs::create_dir(&path).expect("it can be made");
        path
    };
    let notes = make("notes").join("notes.txt");
    fs::write(&notes, "mine").expect("it can be written");
    fs::write(make("text").join("hunt.db"), "not a database").expect("it can be written");
    let newer = make("newer").join("hunt.db");
    let database = Connection::open(&newer).expect("it can be made");
    database.pragma_update(None, "application_id", 0x4661_7272).expect("it can be set");
    database.pragma_update(None, "user_version", 99).expect("it can be set");
    drop(database);
    let other = make("other").join("hunt.db");
    let database = Connection::open(&other).expect("it can be made");
    database.execute_batch("CREATE TABLE mine (a)").expect("it can be made");
    drop(database);
    for (directory, message) in [
        ("notes", "has other contents, such as `notes.txt`"),
        ("text", "is not a database of Farrier"),
        ("newer", "was made by a newer version of Farrier"),
        ("other", "is not a database of Farrier"),
        ("notes/notes.txt", "cannot use `notes/notes.txt` as directory of a hunt"),
    ] {
        let output = hunt(directory, &[]);
        assert_status(&output, 2);
        assert!(stderr(&output).contains(message), "{directory}: {}", stderr(&output));
        if directory != "notes/notes.txt" {
            let count = fs::read_dir(place.path.join(directory)).expect("it is there").count();
            assert_eq!(count, 1, "nothing was added to {directory}");
        }
    }
    assert_eq!(fs::read_to_string(&notes).expect("it is there"), "mine");
    let output = place.run(&["findings", "--dir", "nowhere"]);
    assert_status(&output, 2);
    assert!(stderr(&output).contains("there is no hunt in `nowhere`"), "{output:?}");
    assert!(!place.path.join("nowhere").exists());

    // A hunt stays what it was.
    assert_status(&hunt("own", &[]), 0);
    let output = hunt("own", &["--mode", "crash"]);
    assert_status(&output, 2);
    assert!(stderr(&output).contains("began with --mode both"), "{output:?}");
    assert_status(&place.run(&["show", "--dir", "own", "abc"]), 2);

    // What an older version began can be looked at: the first form, with words for data.
    let database = Connection::open(place.path.join("own/hunt.db")).expect("it is there");
    let older = r#"DROP TABLE analyses; DROP TABLE reductions; DROP TABLE findings; DROP TABLE parts;
        DROP TABLE coverage; DROP TABLE joined; DROP TABLE outbox; DROP TABLE workers;
        ALTER TABLE programs DROP COLUMN skipped; ALTER TABLE programs DROP COLUMN mutants;
        ALTER TABLE programs DROP COLUMN unfit; ALTER TABLE programs DROP COLUMN free;
        ALTER TABLE programs DROP COLUMN exact; ALTER TABLE programs DROP COLUMN rounded;
        ALTER TABLE programs DROP COLUMN seen;
        CREATE TABLE findings (
            name TEXT PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL, flags TEXT NOT NULL,
            program INTEGER NOT NULL, seed TEXT NOT NULL, program_case TEXT NOT NULL,
            expected_output BLOB NOT NULL, expected_status INTEGER, steps INTEGER NOT NULL,
            actual TEXT NOT NULL, seen TEXT NOT NULL);
        INSERT INTO findings VALUES ('0123456789', 'wrong-exit',
            '{"name": "cc", "command": ["cc"], "family": "gcc", "version": "", "banner": "",
              "triple": "", "target": "x86_64-linux", "flags": [], "libraries": [],
              "runner": {"by": "nothing", "with": "it is compiled, not run"}}',
            '["-O2"]', 3, '77', 'gone', X'31320A', 3, 500, 'exit status 4, output:' || char(10) ||
            '12' || char(10), '2026-01-01T00:00:00Z');
        PRAGMA user_version = 1;"#;
    database.execute_batch(older).expect("it can be made older");
    drop(database);
    let output = place.run(&["findings", "--dir", "own", "--json"]);
    assert_status(&output, 1);
    let found: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(found[0]["expected"]["status"], 3);
    assert_eq!(found[0]["outcome"]["status"], 4);
    assert_eq!(found[0]["outcome"]["output"], "12\n");
    assert_eq!(found[0]["recipe"]["origin"]["seed"], 77);

    let output = place.run(&["hunt", "--dir", "new", "--subject", "no-such-compiler"]);
    assert_status(&output, 2);
    assert!(stderr(&output).contains("no compiler is called `no-such-compiler`"), "{output:?}");
}
