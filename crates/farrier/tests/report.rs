//! Reports from end to end: hunts with planted faults, and what is written about them.

#![expect(clippy::disallowed_methods, reason = "a test starts the command that it tests")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

#[path = "support/planted.rs"]
mod planted;

use planted::Place;

/// The fields of all documents.
const SCHEMAS: &str = include_str!("../../../docs/json.md");

impl Place {
    /// Lets all findings be about a compiler of another family.
    fn accuse(&self, family: &str) {
        let change = "UPDATE findings SET subject = json_set(subject, '$.family', ?1)";
        self.database().execute(change, [family]).expect("the table is there");
    }

    /// Writes the bundle of a finding: all of its files, by name.
    /// What `farrier report --json` says, each field of which is explained.
    fn document(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[&["report", "--json"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let document: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        for field in document.as_object().expect("it has fields").keys() {
            assert!(SCHEMAS.contains(&format!("`{field}`")), "{field}");
        }
        document
    }

    fn bundle(&self, finding: &str) -> Bundle {
        let output = self.run(&["report", finding, "-o", "bundle"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "bundle/README.md\n");
        Bundle { path: self.path.join("bundle") }
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
#[expect(clippy::too_many_lines, reason = "one bundle, looked at from all sides")]
fn the_bundle_of_wrong_code_is_complete() {
    let place = Place::new("report-wrong-code");
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
    assert!(reproducer.contains("int main("));
    let script = place.path.join("planted").display().to_string();
    let command = format!("{script} wrong-comparison -O2 reproducer.c -o program\n");
    let why = "none of them undefined or unspecified";
    for (name, title) in [
        ("README.md", "# wrong code at -O2 on x86_64-linux"),
        ("issue-gcc.txt", "Summary: wrong code at -O2 on x86_64-linux"),
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
    assert!(!bundle.path.join("issue-llvm.md").exists(), "one tracker is enough");
    for part in ["gcc.gnu.org/bugzilla", "`Makefile`", "`issue-gcc.txt`"] {
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
    bundle.has("compiler.txt", &["gcc version", "Target: "]);
    bundle.has(
        "test-gcc.c",
        &[
            "/* { dg-do run { target { { i?86-*-* x86_64-*-* } && lp64 } } } */\n\
             /* { dg-options \"-w -O2\" } */\n",
            &format!("/* {{ dg-output \"^{expected}(\\n|\\r\\n|\\r)$\" }} */"),
            &reproducer,
        ],
    );
    bundle.has(
        "test-llvm.c",
        &[
            "// RUN: %clang --target=x86_64-linux -O2 %s -o %t",
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

    // Again into the same place, but never into another, and notes of the user stay.
    let name = data["finding"]["name"].as_str().expect("a name");
    place.bundle(name);
    fs::write(bundle.path.join("issue-gcc.txt"), "my notes").expect("it can be written");
    let output = place.run(&["report", name, "-o", "bundle"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("issue-gcc.txt` was changed"));
    assert_eq!(bundle.text("issue-gcc.txt"), "my notes");
    let output = place.run(&["report", name, "-o", "bundle", "--force"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    bundle.has("issue-gcc.txt", &["Product: gcc\n"]);
    fs::create_dir(place.path.join("mine")).expect("it can be made");
    fs::write(place.path.join("mine/thesis.txt"), "").expect("it can be written");
    let name = place.finding("wrong-output");
    let output = place.run(&["report", &name, "-o", "mine"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("has other contents"));
    assert_eq!(fs::read_dir(place.path.join("mine")).expect("it is there").count(), 1);

    // Other compilers have other trackers.
    fs::remove_dir_all(&bundle.path).expect("it is ours");
    place.accuse("clang");
    let bundle = place.bundle(&name);
    bundle.has("issue-llvm.md", &["# Miscompilation at -O2 on x86_64-linux", &expected, &actual]);
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
    fs::remove_dir_all(&bundle.path).expect("it is ours");
    place.accuse("tcc");
    let bundle = place.bundle(&name);
    bundle.has("issue.md", &["# wrong code at -O2 on x86_64-linux", "```c\n"]);
    assert!(!bundle.text("issue.md").contains("Labels: "));
    assert!(!bundle.text("README.md").contains("bugzilla"));
}

#[test]
fn the_bundle_of_a_crash_is_complete() {
    let place = Place::new("report-crash");
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
    ] {
        let command = "internal-error -O2 -c reproducer.c -o reproducer.o";
        bundle.has(name, &[title, text, command, "the compiler crashes"]);
        bundle.has(name, &["the compiler accepts the program", "none of them undefined"]);
        assert!(!bundle.text(name).contains("DOUBTFUL"), "a crash needs no second opinion");
    }
    bundle.has("issue-gcc.txt", &["Keywords: ice-on-valid-code\n", "gcc version", "Version: "]);
    bundle.has("actual.txt", &[text]);
    bundle.has("test-gcc.c", &["/* { dg-do compile { target "]);
    bundle.has("test-llvm.c", &["// RUN: %clang --target=x86_64-linux -O2", " -c %s -o %t.o\n"]);
    let (status, shown) = bundle.make(&[]);
    assert_eq!(status, 2, "{shown}");
    assert!(shown.contains("internal compiler error") && shown.contains("the bug is there"));
    let (status, shown) = bundle.make(&["CC=gcc"]);
    assert_eq!(status, 0, "{shown}");

    place.accuse("clang");
    let bundle = place.bundle(&of("assertion"));
    bundle.has("issue-llvm.md", &["# Crash: ", "Assertion `use_empty()' failed."]);
    bundle.has("issue-llvm.md", &["Labels: crash-on-valid, generated by fuzzer"]);
    // A text with backticks cannot end the block that it stands in.
    let crash = "```\nfakecc: Value.cpp:503: Assertion `use_empty()' failed.";
    bundle.has("README.md", &[crash]);
}

#[test]
fn what_triage_knows_is_in_the_bundle() {
    let place = Place::new("report-triaged");
    place.plant(&["wrong-comparison", "internal-error"]);
    place.hunt(&["wrong-comparison", "internal-error"], "3", "3");
    let findings = place.findings();
    for (kind, class, culprit, crash) in [
        (
            "wrong-output",
            "wrong-code",
            r#"{"culprit": "gcc-pass", "flag": "-fdisable-tree-vrp1", "name": "tree-vrp1"}"#,
            "null",
        ),
        (
            "compiler-crash",
            "crash",
            r#"{"culprit": "unknown", "why": "it was not looked for"}"#,
            r#"{"summary": "internal compiler error: in expand_case, at stmt.cc:1",
                "frames": ["expand_case(gswitch*)", "execute"],
                "text": "internal compiler error: in expand_case\n0x1234 expand_case"}"#,
        ),
    ] {
        let found = findings.iter().find(|it| it["kind"] == kind).expect("there is one");
        let (name, case) = (&found["name"], &found["case"]);
        let document = format!(
            r#"{{"finding": {name}, "made_by": "0.1.0", "case": {case}, "reduced": true,
            "signature": {{"class": "{class}", "text": "gcc tree-vrp1"}},
            "first_signature": {{"class": "{class}", "text": "gcc"}},
            "shape": "77", "flags": ["-O2"], "outcome": {{"outcome": "compiler-timeout"}},
            "versions": [
                {{"subject": "gcc-13", "version": "13.1.0", "flags": ["-O2"],
                  "answer": {{"answer": "fails", "kind": "{kind}"}}}},
                {{"subject": "gcc-9", "version": "9.3.0", "flags": ["-O2"],
                  "answer": {{"answer": "works"}}}},
                {{"subject": "gcc-12", "version": "12.2.0", "flags": ["-O2"],
                  "answer": {{"answer": "works"}}}}],
            "culprit": {culprit}, "area": "middle-end",
            "opinions": [
                {{"by": "gcc-13", "flags": ["-fsanitize=undefined"],
                  "says": {{"says": "cannot-tell", "why": "program.c:1:1: internal error"}}}},
                {{"by": "clang", "flags": ["-fsanitize=undefined"], "says": {{"says": "agrees"}}}}],
            "doubt": null, "crash": {crash}, "compiler": "gcc version 13.1.0 (configured)",
            "gaps": ["no memory sanitizer"], "seconds": 1.0}}"#
        );
        let name = name.as_str().expect("a name");
        place
            .database()
            .execute("INSERT INTO analyses VALUES (?1, 'x', ?2)", [name, &document])
            .expect("the table is there");
        let bundle = place.bundle(name);
        assert_eq!(bundle.data()["doubts"], serde_json::json!([]), "{:#}", bundle.data());
        for file in ["README.md", "issue-gcc.txt"] {
            assert!(!bundle.text(file).contains("DOUBTFUL"), "{}", bundle.text(file));
            bundle.has(
                file,
                &[
                    "reduced from program number ",
                    "The same output and exit status, and no complaint: clang -fsanitize=undefined.",
                    "gcc-9 (9.3.0) -O2: works",
                    "gcc-13 (13.1.0) -O2: fails (",
                    "regression: 12.2.0 works and 13.1.0 fails",
                    "middle end",
                ],
            );
        }
        bundle.has(
            "issue-gcc.txt",
            &[
                "Component: tree-optimization\n",
                "Known to fail: 13.1.0\nKnown to work: 9.3.0, 12.2.0\nSummary: [13 Regression] ",
                "gcc version 13.1.0 (configured)",
            ],
        );
        bundle.has("README.md", &["no memory sanitizer", &format!("| {class}: gcc tree-vrp1 |")]);
        if kind == "wrong-output" {
            let culprit = "the pass tree-vrp1: it does not happen with -fdisable-tree-vrp1";
            bundle.has("issue-gcc.txt", &["on x86_64-linux (tree-vrp1)\n", culprit]);
            assert_eq!(bundle.data()["divergence"]["divergence"], "at");
        } else {
            // A compiler that crashes with sanitizers, too, says nothing against the program.
            assert!(!bundle.text("issue-gcc.txt").contains("program.c"));
            let frames = "expand_case(gswitch*)\nexecute\n";
            bundle.has("issue-gcc.txt", &["Backtrace, innermost first:", frames, "0x1234"]);
        }
        assert_eq!(bundle.make(&[]).0, 2);
        assert_eq!(bundle.make(&["CC=gcc"]).0, 0);
    }
    place.accuse("clang");
    let bundle = place.bundle(&place.finding("compiler-crash"));
    bundle.has("issue-llvm.md", &["llvm:optimizations, regression, generated by fuzzer"]);
    bundle.has("issue-llvm.md", &["Backtrace, innermost first:", "0x1234"]);
    place.accuse("gcc");
    let page = place.page();
    assert_complete(&page);
    for part in ["Second opinions", "Backtrace", "Which bug is in which version", "gcc-9 9.3.0"] {
        assert!(page.contains(part), "`{part}` is missing");
    }
}

#[test]
fn bugs_are_listed_filtered_and_tried_again() {
    let place = Place::new("report-bugs");
    place.plant(&["wrong-exit", "segfault"]);
    place.hunt(&["wrong-exit", "segfault"], "5", "1");
    let text = |arguments: &[&str], status: i32| {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let heading = "count  example  bytes  kinds  compilers  seen  cause";
    let count = place.findings().len();
    assert_eq!(text(&["bugs"], 1), format!("{heading}\n{count} not analysed\n"));
    let name = place.finding("wrong-exit");
    let case = place.findings().into_iter().find(|it| it["name"] == *name).expect("it is one");
    let case = &case["case"];
    let document = format!(
        r#"{{"finding": "{name}", "made_by": "0.1.0", "case": {case}, "reduced": false,
        "signature": {{"class": "wrong-code", "text": "gcc tree-vrp1"}},
        "first_signature": {{"class": "wrong-code", "text": "gcc"}}, "shape": null,
        "flags": ["-O2"], "outcome": {{"outcome": "compiler-timeout"}},
        "versions": [
            {{"subject": "gcc-12", "version": "12.2.0", "flags": [],
              "answer": {{"answer": "fails", "kind": "wrong-exit"}}}},
            {{"subject": "gcc-9", "version": "9.3.0", "flags": [],
              "answer": {{"answer": "works"}}}}],
        "culprit": {{"culprit": "flag", "flag": "-fno-tree-vrp"}}, "area": "middle-end",
        "opinions": [], "doubt": null, "crash": null, "compiler": "", "gaps": [], "seconds": 1.0}}"#
    );
    let add = "INSERT INTO analyses VALUES (?1, 'x', ?2)";
    place.database().execute(add, [&name, &document]).expect("the table is there");
    let left = format!("wrong-code: gcc tree-vrp1\n{} not analysed\n", count - 1);
    assert!(text(&["bugs"], 1).contains(&left));
    for filter in [
        &["--kind", "wrong-exit"][..],
        &["--subject", "wrong"],
        &["--cause", "vrp"],
        &["--regressions"],
    ] {
        let listed = text(&[&["findings"], filter].concat(), 1);
        assert!(listed.contains("wrong-exit") && !listed.contains("segfault"), "{listed}");
    }
    // A flag that switches a pass off is not what makes it wrong.
    let bundle = place.bundle(&name);
    let title = "[12 Regression] wrong code at -O2 on x86_64-linux (works with -fno-tree-vrp)";
    bundle.has("issue-gcc.txt", &[title]);
    bundle.has("README.md", &["quicksearch=wrong%20code%20fno-tree-vrp"]);
    let document = place.document(&[&name, "-o", "bundle", "--force"]);
    assert_eq!(
        (&document["finding"], &document["directory"]),
        (&name.as_str().into(), &"bundle".into())
    );
    let files = document["files"].as_array().expect("a list");
    assert!(files.iter().all(|file| bundle.path.join(file.as_str().expect("a name")).exists()));
    assert!(files.len() > 5 && document["doubts"].is_array());
    let document = place.document(&["-o", "page.html"]);
    assert_eq!((&document["path"], &document["findings"]), (&"page.html".into(), &count.into()));
    // A cause that is known is called so everywhere.
    let known = place.path.join("farrier-hunt/known.toml");
    fs::write(known, "\"wrong-code: gcc tree-vrp1\" = \"PR 1\"\n").expect("it can be written");
    assert!(text(&["bugs"], 1).contains("(known: PR 1)"));
    assert!(!text(&["bugs", "--new"], 1).contains("vrp1"));
    place.bundle(&name).has("README.md", &["DOUBTFUL", "it is known as PR 1"]);
    let page = place.page();
    assert!(page.contains("gcc tree-vrp1 (known: PR 1)"));
    assert!(page.contains(&format!("farrier report --dir farrier-hunt {name}")));

    let again = format!("{count} of {count} findings happen again\n");
    assert!(text(&["replay", "--all"], 1).ends_with(&again));
    for arguments in [&["findings"][..], &["bugs"], &["show", &name], &["replay", &name]] {
        let document = text(&[arguments, &["--json"]].concat(), 1);
        let document: Value = serde_json::from_str(&document).expect("it is JSON");
        let first = document.get(0).unwrap_or(&document);
        for field in first.as_object().expect("it has fields").keys() {
            assert!(SCHEMAS.contains(&format!("`{field}`")), "{arguments:?}: {field}");
        }
    }
    let gone = text(&["replay", "--all", "--subject", "gcc"], 0);
    assert!(gone.ends_with(&format!("0 of {count} findings happen again\n")), "{gone}");
    for (build, command) in [("r9", "gcc"), ("r10", "gcc"), ("r11", "./planted wrong-exit")] {
        let command = command.replace("./", &format!("{}/", place.path.display()));
        let path = place.path.join(build);
        fs::write(&path, format!("#!/bin/sh\nexec {command} \"$@\"\n")).expect("it is new");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    let bisected = text(&["bisect", &name, "--compilers", "r*"], 1);
    assert_eq!(bisected, "first bad build: r11\nlast good build: r10\n");
}

#[test]
fn a_finding_that_is_gone_is_doubtful() {
    let place = Place::new("report-gone");
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

/// What Chromium does with a page, with nothing of an earlier run.
struct Browser<'a> {
    place: &'a Place,
}

impl Browser<'_> {
    fn run(&self, page: &str, arguments: &[&str]) -> Vec<u8> {
        let profile = self.place.path.join("profile");
        let _ = fs::remove_dir_all(&profile);
        let output = Command::new("chromium")
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
            ])
            .arg(format!("--user-data-dir={}", profile.display()))
            .args(arguments)
            .arg(format!("file://{}", self.place.path.join(page).display()))
            .output()
            .expect("chromium is installed");
        let _ = fs::remove_dir_all(&profile);
        assert!(output.status.success(), "{output:?}");
        output.stdout
    }

    /// What is left of the page when everything that can run has run.
    fn dom(&self, page: &str) -> String {
        String::from_utf8(self.run(page, &["--dump-dom"])).expect("a page is text")
    }

    /// The size of a picture of the page: its dimensions, and its bytes.
    fn picture(&self, page: &str, width: u32, height: u32, more: &[&str]) -> (u32, u32, usize) {
        let path = self.place.path.join("picture.png");
        let _ = fs::remove_file(&path);
        let picture = format!("--screenshot={}", path.display());
        let size = format!("--window-size={width},{height}");
        let mut arguments = vec![picture.as_str(), size.as_str()];
        arguments.extend(more);
        self.run(page, &arguments);
        let bytes = fs::read(&path).expect("there is a picture");
        assert!(bytes.starts_with(b"\x89PNG"));
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four"));
        (number(16), number(20), bytes.len())
    }
}

/// The parts that every page has.
#[track_caller]
fn assert_complete(page: &str) {
    for part in [
        "<html lang=\"en\">",
        "name=\"viewport\"",
        "default-src 'none'",
        "prefers-color-scheme: dark",
        "@media print",
        ":focus-visible",
        "class=\"skip\" href=\"#main\"",
        "<main id=\"main\"",
        "<nav aria-label=",
        "<section id=\"summary\"",
        "<section id=\"bugs\"",
        "<section id=\"time\"",
        "<section id=\"versions\"",
        "<section id=\"hunt\"",
        "<footer",
    ] {
        assert!(page.contains(part), "`{part}` is missing");
    }
    for loaded in ["<script", "<link", "<img", " src=\"", "http://", "https://", "@import", "url("]
    {
        assert!(!page.contains(loaded), "the page has `{loaded}`");
    }
}

const HOSTILE: &str = "<script>document.title='ran'</script>\"'><img src=x onerror=\
                       \"document.title='ran'\">&amp;</pre></code>";

impl Place {
    fn page(&self) -> String {
        let output = self.run(&["report", "-o", "page.html"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "page.html\n");
        fs::read_to_string(self.path.join("page.html")).expect("it is a text")
    }
}

#[test]
fn the_page_of_a_hunt_is_complete_and_safe() {
    let place = Place::new("report-page");
    // A compiler that writes what no text should hold.
    place.plant(&["wrong-comparison", "internal-error"]);
    let script = place.path.join("planted");
    let text = fs::read_to_string(&script).expect("it is there");
    fs::write(place.path.join("said"), [HOSTILE.as_bytes(), b" \0 \xff\xfe \x1b[31m\n"].concat())
        .expect("it can be written");
    let crash = format!(
        "if [ \"$1\" = hostile ] && [ -n \"$source\" ] && grep -q checksum \"$source\"; then\n    \
         cat {}/said >&2; kill -ABRT $$\nfi\n[ \"$1\" = hostile ] && {{ shift; exec gcc \"$@\"; }}\n\
         if [ -n",
        place.path.display()
    );
    fs::write(&script, text.replacen("if [ -n", &crash, 1)).expect("it can be written");
    let mut list = fs::read_to_string(place.path.join("farrier.toml")).expect("it is there");
    list += &format!(
        "[[subject]]\nname = \"hostile\"\ncommand = [\"{}\", \"hostile\"]\nfamily = \"gcc\"\n\
         target = \"x86_64-linux\"\nlevels = [\"-O1\"]\n",
        script.display()
    );
    fs::write(place.path.join("farrier.toml"), list).expect("it can be written");
    place.hunt(&["wrong-comparison", "internal-error", "hostile"], "3", "3");
    let findings = place.findings();
    let of = |kind: &str, value: &str| {
        let found = findings.iter().find(|finding| finding["kind"] == kind);
        found.expect("there is one")[value].as_str().expect("a text").to_owned()
    };
    let (name, case) = (of("wrong-output", "name"), of("wrong-output", "case"));

    // What triage would store, with the same in every text.
    let database = place.database();
    let words = serde_json::to_string(HOSTILE).expect("it is a text");
    let document = format!(
        r#"{{"finding": "{name}", "made_by": "0", "case": "{case}", "reduced": false,
        "signature": {{"class": "wrong-code", "text": {words}}}, "shape": null,
        "first_signature": {{"class": "wrong-code", "text": {words}}},
        "flags": ["-O2", {words}],
        "outcome": {{"outcome": "ran", "status": 0, "output": {words}}},
        "versions": [
            {{"subject": {words}, "version": "12", "flags": [], "answer": {{"answer": "works"}}}},
            {{"subject": "gcc", "version": "13", "flags": [],
              "answer": {{"answer": "fails", "kind": "wrong-output"}}}}],
        "culprit": {{"culprit": "flag", "flag": {words}}}, "area": "middle-end",
        "opinions": [{{"by": {words}, "flags": [], "says": {{"says": "complains", "text": {words}}}}}],
        "doubt": {words}, "crash": null, "compiler": {words},
        "divergence": {{"divergence": "at", "function": {words}, "line": 2, "statement": {words},
            "variable": {words}, "expected": "1", "actual": "2"}},
        "gaps": [{words}], "seconds": 1.0}}"#
    );
    let stored = database
        .execute("INSERT INTO analyses VALUES (?1, 'x', ?2)", [&name, &document])
        .expect("the table is there");
    assert_eq!(stored, 1);
    database
        .execute("UPDATE findings SET seen = ?1 WHERE kind = 'compiler-crash'", [HOSTILE])
        .expect("it can be changed");
    drop(database);

    let page = place.page();
    assert_complete(&page);
    let shown = "&#60;script&#62;document.title=&#39;ran&#39;&#60;/script&#62;";
    assert!(page.matches(shown).count() > 10, "{}", page.matches(shown).count());
    for part in ["&#60;00&#62;", "doubtful", "Where it goes wrong", "class=\"fails\"", "✗", "✓"]
    {
        assert!(page.contains(part), "`{part}` is missing");
    }
    assert!(!page.contains('\0') && !page.contains('\u{1b}'));
    assert!(page.contains("checksum = <mark>"), "what differs is marked");
    assert!(page.contains("<span class=\"line wrong\">"), "the wrong line is marked");

    let browser = Browser { place: &place };
    let dom = browser.dom("page.html");
    assert!(dom.contains("<title>Farrier: "), "a script ran: {}", &dom[..dom.len().min(2000)]);
    assert_complete(&dom);
    fs::write(place.path.join("blank.html"), "<!DOCTYPE html><title>blank</title>")
        .expect("it can be written");
    for (width, height, more) in [
        (1280, 1600, &[][..]),
        (390, 1600, &[]),
        (1280, 1600, &["--blink-settings=preferredColorScheme=0"]),
    ] {
        let blank = browser.picture("blank.html", width, height, more);
        let full = browser.picture("page.html", width, height, more);
        assert_eq!((full.0, full.1), (width, height));
        assert!(full.2 > blank.2 * 4, "the page is blank: {} and {} bytes", full.2, blank.2);
    }

    // The same in a bundle.
    let bundle = place.bundle(&name);
    let text = bundle.text("issue-gcc.txt");
    assert!(text.starts_with("DOUBTFUL") && !text.contains('\u{1b}'), "{text}");
    let hostile = place.findings();
    let hostile = hostile.iter().find(|it| it["subject"]["name"] == "hostile").expect("it crashes");
    let bundle = place.bundle(hostile["name"].as_str().expect("a name"));
    let text = bundle.text("README.md");
    assert!(text.contains(" <00> ") && !text.contains('\0') && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn a_page_can_be_empty_or_long() {
    let place = Place::new("report-sizes");
    place.plant(&["honest", "wrong-exit"]);
    place.hunt(&["honest", "wrong-exit"], "4", "0");
    let page = place.page();
    assert_complete(&page);
    assert!(page.contains("No findings yet"));
    assert!(page.contains("No program is done yet"));

    fs::remove_dir_all(place.path.join("farrier-hunt")).expect("it is ours");
    place.hunt(&["honest", "wrong-exit"], "4", "1");
    let columns = "kind, subject, flags, program, seed, program_case, recipe, expected, \
                   outcome, seen, basis";
    let many = format!(
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 499)
         INSERT INTO findings (name, {columns})
         SELECT printf('copy%06d', n), {columns} FROM findings, numbers WHERE kind = 'wrong-exit'"
    );
    place.database().execute(&many, []).expect("they can be copied");
    // One whose program is gone does not spoil the page.
    place
        .database()
        .execute(
            "UPDATE findings SET kind = 'run-hang', program_case = 'gone' WHERE name = 'copy000007'",
            [],
        )
        .expect("it can be changed");
    let page = place.page();
    assert_complete(&page);
    assert!(page.contains("499 findings"), "all are counted");
    assert!(page.contains("299 more are not listed"), "not all are listed");
    assert!(page.len() < 400_000, "{} bytes", page.len());
    assert!(page.contains("cannot read"), "{page}");
    let standard = place.run(&["report", "-o", "-"]);
    assert_eq!(String::from_utf8_lossy(&standard.stdout), page);
}
