//! Reports from end to end: hunts with planted faults, and what is written about them.

#![expect(clippy::disallowed_methods, reason = "a test starts the command that it tests")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A compiler with a fault that shows only in programs that Farrier makes, so that it passes the
/// trial that every subject has to.
const PLANTED: &str = r#"#!/bin/sh
for argument; do
    case $argument in
    *.c) source=$argument ;;
    esac
done
if [ -n "$source" ] && grep -q 'checksum\|mix\|g1' "$source"; then
    exec FAKECC "$@"
fi
shift
exec gcc "$@"
"#;

/// A directory for one test, removed at its end.
struct Place {
    path: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("it can be made");
        Self { path }
    }

    /// Lists a compiler for each fault, tested at one level.
    fn plant(&self, faults: &[&str]) {
        let fakecc = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../harness/tests/support/fakecc")
            .canonicalize()
            .expect("the compiler with faults is there");
        let script = self.path.join("planted");
        fs::write(&script, PLANTED.replace("FAKECC", &fakecc.display().to_string()))
            .expect("it can be written");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let mut text = String::new();
        for fault in faults {
            text += &format!(
                "[[subject]]\nname = \"{fault}\"\ncommand = [\"{}\", \"{fault}\"]\n\
                 family = \"gcc\"\ntarget = \"x86_64-linux\"\nlevels = [\"-O2\"]\n",
                script.display()
            );
        }
        fs::write(self.path.join("farrier.toml"), text).expect("it can be written");
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_farrier"));
        command.current_dir(&self.path).args(arguments).output().expect("it can be started")
    }

    fn hunt(&self, faults: &[&str], seed: &str, programs: &str) {
        let mut arguments = vec![
            "hunt",
            "--seed",
            seed,
            "--size",
            "3k",
            "--programs",
            programs,
            "--flag-sets",
            "0",
        ];
        arguments.extend(faults.iter().flat_map(|fault| ["--subject", *fault]));
        let output = self.run(&arguments);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    }

    fn findings(&self) -> Vec<Value> {
        let output = self.run(&["findings", "--json"]);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    /// The name of the first finding of a kind.
    fn finding(&self, kind: &str) -> String {
        let findings = self.findings();
        let found = findings.iter().find(|finding| finding["kind"] == kind);
        let found = found.unwrap_or_else(|| panic!("there is no {kind} among {findings:#?}"));
        found["name"].as_str().expect("it has a name").to_owned()
    }

    /// Writes the bundle of a finding: all of its files, by name.
    fn bundle(&self, finding: &str) -> Bundle {
        let output = self.run(&["report", finding, "-o", "bundle"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "bundle/README.md\n");
        Bundle { path: self.path.join("bundle") }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A directory that `farrier report` wrote.
struct Bundle {
    path: PathBuf,
}

impl Bundle {
    fn text(&self, name: &str) -> String {
        let path = self.path.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    #[track_caller]
    fn has(&self, name: &str, texts: &[&str]) {
        let found = self.text(name);
        for text in texts {
            assert!(found.contains(text), "`{text}` is missing in {name}:\n{found}");
        }
    }

    fn make(&self, arguments: &[&str]) -> (i32, String) {
        let output = Command::new("make")
            .args(arguments)
            .current_dir(&self.path)
            .output()
            .expect("make is installed");
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().expect("it ends"), String::from_utf8_lossy(&text).into_owned())
    }

    fn data(&self) -> Value {
        serde_json::from_str(&self.text("finding.json")).expect("it is JSON")
    }
}

#[test]
fn the_bundle_of_wrong_code_is_complete() {
    let place = Place::new("wrong-code");
    place.plant(&["wrong-comparison"]);
    place.hunt(&["wrong-comparison"], "3", "3");
    let bundle = place.bundle(&place.finding("wrong-output"));
    let data = bundle.data();
    let expected = data["expected"]["output"].as_str().expect("a text").trim_end().to_owned();
    let actual = data["actual"]["output"].as_str().expect("a text").trim_end().to_owned();
    assert_ne!(expected, actual);
    assert!(expected.starts_with("checksum = "), "{expected}");
    assert_eq!(bundle.text("expected.txt").trim_end(), expected);
    assert_eq!(bundle.text("actual.txt").trim_end(), actual);

    let reproducer = bundle.text("reproducer.c");
    assert!(!reproducer.contains("#include"), "a reproducer has no headers");
    assert!(reproducer.contains("int main(void)"));
    let script = place.path.join("planted").display().to_string();
    let command = format!("{script} wrong-comparison -w -ffp-contract=off -O2 -c reproducer.c");
    let why = "none of them undefined or unspecified";
    for (name, title) in [
        ("README.md", "# wrong code at -O2 on x86_64-linux"),
        ("issue-gcc.txt", "Summary: wrong code at -O2 on x86_64-linux"),
        ("issue-llvm.md", "# Miscompilation at -O2 on x86_64-linux"),
    ] {
        bundle.has(name, &[title, &command, &expected, &actual, why, "exit status 0"]);
        // Where it goes wrong: the fault is in `<`.
        bundle.has(name, &["In function `", "` is 1", "but must be 0", " < "]);
        // What is missing is said, and at the top.
        bundle.has(name, &["No sanitizer and no other compiler was asked yet"]);
        let text = bundle.text(name);
        let head: String = text.lines().take(2).collect();
        assert!(head.contains("DOUBTFUL: do not"), "{name}: {head}");
        assert!(head.contains("no sanitizer and no other compiler was asked"), "{name}: {head}");
    }
    bundle.has("README.md", &["| 1 |", "why it is defined", "farrier triage", "godbolt.org"]);
    for part in ["gcc.gnu.org/bugzilla", "`Makefile`", "(this is the one to file)"] {
        bundle.has("README.md", &[part]);
    }
    bundle.has(
        "issue-gcc.txt",
        &[
            "Product: gcc\n",
            "Component: middle-end\n",
            "Version: ",
            "Keywords: wrong-code\n",
            "Target: x86_64-linux",
            "Known to fail: ",
            "Known to work: none on this machine\n",
            "Found by a fuzzer (Farrier ",
            "gcc version",
            "Smallest flags: -O2",
            "Guilty: ",
            "Part of the compiler (a guess): ",
            "https://godbolt.org/",
            &reproducer,
        ],
    );
    bundle.has(
        "issue-llvm.md",
        &[
            "Labels: miscompilation, generated by fuzzer",
            "found by a fuzzer (Farrier ",
            "```c\n",
            "```console\n$ ",
            "gcc version",
            "front, middle or back end (a guess): ",
            &reproducer,
        ],
    );
    bundle.has("compiler.txt", &["gcc version", "Target: "]);
    bundle.has(
        "test-gcc.c",
        &[
            "/* { dg-do run } */\n/* { dg-options \"-w -ffp-contract=off -O2\" } */\n",
            &format!("/* {{ dg-output \"^{expected}(\\n|\\r\\n|\\r)$\" }} */"),
            &reproducer,
        ],
    );
    bundle.has(
        "test-llvm.c",
        &[
            "// RUN: %clang --target=x86_64-linux -w -ffp-contract=off -O2 %s -o %t",
            "// RUN: %t > %t.out\n// RUN: cat %t.out | FileCheck ",
            &format!("//CHECK:{expected}\n"),
            reproducer.trim_end(),
        ],
    );
    assert_eq!(data["kind"], "wrong-output");
    assert_eq!(data["proof"]["defined"], true);
    assert_eq!(data["divergence"]["divergence"], "at");
    assert!(!data["proof"]["operations"].as_array().expect("a list").is_empty());
    assert!(data["finding"]["seed"].is_number());

    // The Makefile shows it, fails, and does not with a compiler that is right.
    let (status, text) = bundle.make(&[]);
    assert_eq!(status, 2, "{text}");
    for line in [format!("-{expected}"), format!("+{actual}"), "the bug is there".to_owned()] {
        assert!(text.contains(&line), "{text}");
    }
    let (status, text) = bundle.make(&["CC=gcc"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("the bug is gone"), "{text}");
    // The reproducer alone, as gcc takes it.
    let strict = ["-Werror=implicit", "-std=gnu17", "-fsyntax-only", "reproducer.c"];
    let output = Command::new("gcc").args(strict).current_dir(&bundle.path).output();
    assert!(output.expect("gcc is installed").status.success());

    // Again into the same place, but never into another.
    place.bundle(data["finding"]["name"].as_str().expect("a name"));
    fs::create_dir(place.path.join("mine")).expect("it can be made");
    fs::write(place.path.join("mine/thesis.txt"), "").expect("it can be written");
    let name = place.finding("wrong-output");
    let output = place.run(&["report", &name, "-o", "mine"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("holds other things"));
    assert_eq!(fs::read_dir(place.path.join("mine")).expect("it is there").count(), 1);
}

#[test]
fn the_bundle_of_a_crash_is_complete() {
    let place = Place::new("crash");
    place.plant(&["internal-error", "assertion"]);
    place.hunt(&["internal-error", "assertion"], "3", "3");
    let findings = place.findings();
    let of = |subject: &str| {
        let found = findings.iter().find(|it| it["subject"]["name"] == subject);
        found.expect("it crashes")["name"].as_str().expect("it has a name").to_owned()
    };
    let bundle = place.bundle(&of("internal-error"));
    let text = "reproducer.c:3:1: internal compiler error: in expand_case, at stmt.cc:1\n\
                Please submit a full bug report";
    for (name, title) in [
        ("README.md", "# ICE in expand_case, at stmt.cc:1 at -O2 on x86_64-linux"),
        ("issue-gcc.txt", "Summary: ICE in expand_case, at stmt.cc:1 at -O2 on x86_64-linux"),
        ("issue-llvm.md", "# Crash: in expand_case, at stmt.cc:1 at -O2 on x86_64-linux"),
    ] {
        let command = "internal-error -w -ffp-contract=off -O2 -c reproducer.c -o reproducer.o";
        bundle.has(name, &[title, text, command, "the compiler crashes"]);
        bundle.has(name, &["the compiler takes the program", "none of them undefined"]);
        assert!(!bundle.text(name).contains("DOUBTFUL"), "a crash needs no second opinion");
    }
    bundle.has("issue-gcc.txt", &["Keywords: ice-on-valid-code\n", "gcc version", "Version: "]);
    bundle.has("issue-llvm.md", &["Labels: crash-on-valid, generated by fuzzer"]);
    bundle.has("actual.txt", &[text]);
    bundle.has("test-gcc.c", &["/* { dg-do compile } */\n/* { dg-options \""]);
    bundle.has("test-llvm.c", &["// RUN: %clang --target=x86_64-linux -w ", " -c %s -o %t.o\n"]);
    let (status, shown) = bundle.make(&[]);
    assert_eq!(status, 2, "{shown}");
    assert!(shown.contains("internal compiler error") && shown.contains("the bug is there"));
    let (status, shown) = bundle.make(&["CC=gcc"]);
    assert_eq!(status, 0, "{shown}");

    let bundle = place.bundle(&of("assertion"));
    bundle.has("issue-llvm.md", &["# Crash: ", "Assertion `use_empty()' failed."]);
    // A text with backticks cannot end the block that it stands in.
    let crash = "```\nfakecc: Value.cpp:503: Assertion `use_empty()' failed.";
    bundle.has("README.md", &[crash]);
}

#[test]
fn a_finding_that_is_gone_is_doubtful() {
    let place = Place::new("gone");
    place.plant(&["wrong-exit"]);
    place.hunt(&["wrong-exit"], "5", "1");
    let name = place.finding("wrong-exit");
    let bundle = place.bundle(&name);
    bundle.has("README.md", &["**Expected:** exit status 0", "**Actual:** exit status 1"]);
    assert_eq!(bundle.data()["divergence"]["divergence"], "unseen", "{:#}", bundle.data());
    fs::write(place.path.join("planted"), "#!/bin/sh\nshift\nexec gcc \"$@\"\n").expect("written");
    let bundle = place.bundle(&name);
    let text = bundle.text("README.md");
    let head: String = text.lines().take(3).collect();
    assert!(head.contains("does not happen on this machine any more"), "{head}");
    assert_eq!(bundle.make(&[]).0, 0);
    let output = place.run(&["report", "no-such"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
