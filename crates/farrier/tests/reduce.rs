//! `farrier reduce` with scripts and with compilers.

#![expect(clippy::disallowed_methods, reason = "a test starts the command that it tests")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use farrier_lang::SourceText;
use farrier_lang::target::X86_64_LINUX;
use farrier_machine::{Options as Machine, Tier, certify};

/// Every level and no random flags.
const PLAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/plain.toml");

/// A directory of its own for each test, removed when it passes.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reduce-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("it can be made");
        Self(path)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("it can be written");
    }

    fn script(&self, name: &str, text: &str) {
        self.write(name, &format!("#!/bin/sh\n{text}\n"));
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.0.join(name), mode).expect("it is ours");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("it is there")
    }

    /// Runs a command line.
    fn farrier(&self, words: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_farrier"))
            .args(words.split_whitespace())
            .current_dir(&self.0)
            .output()
            .expect("it can be started")
    }

    fn reduce(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_farrier"))
            .arg("reduce")
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .expect("it can be started")
    }

    fn refuses(&self, arguments: &[&str], why: &str) {
        let output = self.reduce(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        // Lines are folded.
        let said: Vec<&str> = said.split_whitespace().collect();
        assert!(said.join(" ").contains(why), "{said:?}");
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// A compiler whose programs divide by zero if they have a `long`, and otherwise only exit wrongly.
const DIVIDES: &str = r#"
for argument; do
    case $argument in
    *.c) source=$argument ;;
    esac
done
if [ -n "$source" ] && grep -q g1 "$source"; then
    if grep -q long "$source"; then
        sed -i 's/return 0;/{ volatile int z = 0; return 100 \/ z; }/' "$source"
    else
        sed -i 's/return 0;/return 1;/' "$source"
    fi
fi
exec gcc "$@"
"#;

#[test]
fn a_crash_by_a_signal_stays_one_by_that_signal() {
    let directory = Directory::new("signal");
    directory.script("faulty", DIVIDES);
    directory.write(
        "a.c",
        "int g1 = 1, g2 = 2;\nlong g3 = 3;\nstatic int f(int a) { return a + g2; }\n\
         int main(void)\n{\n    g1 = f(g1) + (int)g3;\n    return 0;\n}\n",
    );
    let subject = format!("{} -O1", directory.0.join("faulty").display());
    let output = directory.reduce(&["--subject", &subject, "a.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let small = directory.read("a.c");
    assert!(small.contains("long") && small.contains("g1") && small.len() < 80, "{small}");
}

#[test]
fn a_reduction_is_data_if_that_is_wanted() {
    let directory = Directory::new("json");
    directory.write("a.c", PROGRAM);
    directory.script("test.sh", "grep -q printf a.c");
    let output = directory.reduce(&["--json", "./test.sh", "a.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&document["file"], &document["complete"]), (&"a.c".into(), &true.into()));
    assert_eq!(document["bytes_before"], PROGRAM.len());
    assert_eq!(document["bytes_after"], directory.read("a.c").len());
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md"));
    let page = page.expect("the page is there");
    for field in document.as_object().expect("it has fields").keys() {
        assert!(page.contains(&format!("`{field}`")), "{field}");
    }
}

#[test]
fn a_compiler_that_is_right_is_told_so_and_a_flag_of_another_tier_is_named() {
    let directory = Directory::new("right");
    directory.write(
        "a.c",
        "int printf(const char *, ...);\nvolatile double x = 0.1;\n\
         int main(void) { printf(\"%a\\n\", x * 3 + x); return 0; }\n",
    );
    directory
        .refuses(&["--subject", "gcc -O2", "a.c"], "`gcc -O2` is right about it: exit status 0");
    let flag = "cannot be judged: -ffast-math regroups, contracts,";
    directory.refuses(&["--subject", "gcc -O2 -ffast-math", "a.c"], flag);
}

const PROGRAM: &str = "\
int printf(const char *, ...);
struct s { int a; long b; } g = { 1, 2 };
static unsigned shift(unsigned x)
{
    if (x > 100) { x = x >> 3; } else { x *= 2; }
    return x;
}
int main(void)
{
    unsigned z = shift(1000u + g.a);
    for (int i = 0; i < 4; i++) g.b += i;
    printf(\"%u %ld\\n\", z, g.b);
    return 0;
}
";

/// A compiler that takes `>> 3` for `>> 2`.
const WRONG: &str = "\
for word in \"$@\"; do case \"$word\" in *.c) sed -i 's/>> 3/>> 2/g' \"$word\";; esac; done
exec gcc \"$@\"";

#[test]
fn a_miscompiled_program_becomes_small_and_stays_defined() {
    let directory = Directory::new("subject");
    directory.write("prog.c", PROGRAM);
    directory.script("wrong", WRONG);
    let output = directory.reduce(&["--subject", "./wrong -O1", "prog.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let small = directory.read("prog.c");
    assert!(small.contains(">> 3") && small.len() < 110, "{small}");
    assert_eq!(directory.read("prog.c.orig"), PROGRAM);
    let check = Command::new(env!("CARGO_BIN_EXE_farrier"))
        .args(["check", "prog.c"])
        .current_dir(&directory.0)
        .output()
        .expect("it can be started");
    assert!(!String::from_utf8_lossy(&check.stderr).contains("undefined"), "{check:?}");
}

#[test]
fn a_script_decides() {
    let directory = Directory::new("script");
    directory.write("prog.c", PROGRAM);
    directory.script("test.sh", "test $(ls | wc -l) = 1 && grep -q '>>' prog.c");
    let output = directory.reduce(&["--jobs", "1", "test.sh", "prog.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(directory.read("prog.c"), "int main(void)\n{\n    0 >> 0;\n}\n");
}

#[test]
fn bad_tests_are_refused() {
    let directory = Directory::new("bad");
    directory.write("prog.c", PROGRAM);
    directory.write("plain.sh", "true");
    directory.refuses(&["plain.sh", "prog.c"], "cannot be executed");
    directory.refuses(&["missing.sh", "prog.c"], "cannot read the test");
    directory.refuses(&["--timeout", "0", "missing.sh", "prog.c"], "0 is not in 1..=86400");
    directory.refuses(&["prog.c"], "name a test before the C file");
    directory.script("no.sh", "exit 1");
    directory.refuses(&["no.sh", "prog.c"], "does not accept `prog.c` as it is");
    directory.refuses(&["prog.c", "no.sh"], "did you mean `farrier reduce no.sh prog.c`?");
    directory.script("words.sh", "echo inc.h is missing >&2; exit 3");
    directory.refuses(&["words.sh", "prog.c"], "exit status: 3, with inc.h is missing");
    directory.script("slow.sh", "sleep 5");
    directory.refuses(
        &["--timeout", "1", "slow.sh", "prog.c"],
        "it does not end within 1 s: --timeout allows more",
    );
    directory.script("yes.sh", "exit 0");
    directory.refuses(&["yes.sh", "prog.c"], "accepts an empty file");
    directory.refuses(&["--subject", "gcc -O1", "prog.c"], "there is nothing to keep");
    // Of three runs on a program, the last fails.
    let counter = directory.0.join("counter");
    let flaky =
        format!("test -s prog.c && echo >> {0} && test $(wc -l < {0}) -le 2", counter.display());
    directory.script("flaky.sh", &flaky);
    directory.refuses(&["flaky.sh", "prog.c"], "not reliable");
    directory.script("text.sh", "test -s bad.c");
    directory.write("bad.c", "int main(void) { int x; return x; }");
    directory.refuses(&["text.sh", "bad.c"], "is undefined (uninit");
    assert_eq!(directory.read("prog.c"), PROGRAM, "nothing was changed");
    assert!(!directory.0.join("prog.c.orig").exists());
}

#[test]
fn what_is_not_c_is_reduced_as_a_text() {
    let directory = Directory::new("text");
    directory.write(
        "prog.cc",
        "#ifndef __cplusplus\n#error not for C\n#endif\nclass c {\npublic:\n  int value() const { return number << 2; }\n  int number = 3;\n};\n\
         int other() { return 3; }\nint main() { c x; return x.value() ? other() : 1; }\n",
    );
    let test = "grep -q 'class c' prog.cc && clang -x c++ -fsyntax-only prog.cc 2> /dev/null";
    directory.script("test.sh", test);
    let output = directory.reduce(&["test.sh", "prog.cc"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("by the test alone"), "{said}");
    assert_eq!(directory.read("prog.cc").trim(), "class c ;");
}

/// Farrier's own print has no directives and no comments, so a test may not find there what it
/// looks for. The machine judges every candidate all the same.
#[test]
fn what_is_lost_in_print_is_reduced_as_a_text() {
    let directory = Directory::new("print");
    let text = "#include <stdio.h>\nint f(int x) { return x / (x - 3); }\n/* keep this */\n\
                int main(void)\n{\n    int y = 4;\n    printf(\"%d\\n\", f(y));\n    return 0;\n}\n";
    directory.write("hello.c", text);
    let test = "grep -q 'include <stdio.h>' hello.c && grep -q '/' hello.c && gcc -w -c hello.c";
    directory.script("test.sh", test);
    let output = directory.reduce(&["--n", "2", "--tidy", "test.sh", "hello.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("it is reduced as a text"), "{said}");
    let small = directory.read("hello.c");
    assert!(small.contains("#include <stdio.h>") && small.len() < 60, "{small}");
    assert!(small.contains("main"), "a text without it is not defined: {small}");
    assert!(!directory.0.join("hello.c.orig").exists(), "--tidy keeps nothing");
}

#[test]
fn several_files_and_tests_with_arguments() {
    let directory = Directory::new("several");
    directory.write("a.c", "int f(void);\nint unused;\nint main(void) { return f() - 42; }\n");
    directory.write("b.c", "int other(void) { return 1; }\nint f(void) { return 42; }\n");
    // The file of another language that no preprocessor here takes.
    directory.write("k.cu", "__global__ void f() {}\nkernel<<<1, 2>>>();\n");
    directory.write(
        "check.sh",
        "gcc -c -Werror=implicit a.c b.c && grep -q 'f()' a.c && grep -q 42 $1\n",
    );
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(directory.0.join("check.sh"), mode).expect("it is ours");
    let output = directory.reduce(&["sh check.sh b.c", "a.c", "b.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let (a, b) = (directory.read("a.c"), directory.read("b.c"));
    assert!(!a.contains("unused") && !b.contains("other") && b.contains("42"), "{a}{b}");
    directory.script("kernel.sh", "grep -q '<<<' k.cu");
    let output = directory.reduce(&["kernel.sh", "k.cu"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(directory.read("k.cu").len() < 8, "{}", directory.read("k.cu"));
}

#[test]
fn an_interrupt_keeps_the_best_so_far() {
    let directory = Directory::new("interrupt");
    directory.write("prog.c", PROGRAM);
    directory.script("test.sh", "sleep 0.1; grep -q '>>' prog.c");
    let mut running = Command::new(env!("CARGO_BIN_EXE_farrier"))
        .args(["reduce", "--jobs", "1", "test.sh", "prog.c"])
        .current_dir(&directory.0)
        .spawn()
        .expect("it can be started");
    // The original is kept when there is something better.
    while !directory.0.join("prog.c.orig").exists() {
        assert_eq!(running.try_wait().expect("it is ours"), None, "it found nothing");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let id = running.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().expect("there is kill");
    assert!(sent.success());
    let status = running.wait().expect("it is ours");
    assert_eq!(status.code(), Some(3));
    assert_eq!(directory.read("prog.c.orig"), PROGRAM);
    assert!(directory.read("prog.c").contains(">>"));
}

#[test]
fn a_generated_program_becomes_what_the_compiler_gets_wrong() {
    let directory = Directory::new("generated");
    directory.script("wrong", &WRONG.replace("s/>> 3/>> 2/g", "s, ^ , | ,g"));
    let made = Command::new(env!("CARGO_BIN_EXE_farrier"))
        .args(["gen", "--seed", "5", "--size", "20k", "-o", "prog.c"])
        .current_dir(&directory.0)
        .status()
        .expect("it can be started");
    assert!(made.success());
    let output = directory.reduce(&["--subject", "./wrong -O0", "prog.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let small = directory.read("prog.c");
    let code: Vec<&str> = small.lines().filter(|line| !line.starts_with("int printf(")).collect();
    assert!(tokens(&code.join("\n")) < 30, "{small}");
}

#[test]
fn a_finding_of_a_hunt_becomes_small_and_is_stored() {
    let directory = Directory::new("finding");
    directory.script("wrong", &WRONG.replace("s/>> 3/>> 2/g", "s, ^ , | ,g"));
    let subject = format!(
        "[[subject]]\nname = \"wrong\"\ncommand = \"{}\"\nfamily = \"gcc\"\n\
         target = \"x86_64-linux\"\nlevels = [\"-O1\"]\n",
        directory.0.join("wrong").display()
    );
    directory.write("farrier.toml", &subject);
    let farrier = |words: &str| directory.farrier(words);
    // The hunt continues until a program shows the fault.
    let found = (1..20).any(|programs| {
        let hunt = format!(
            "hunt --no-triage --seed 3 --size 6k --programs {programs} --config {PLAIN} --subject wrong"
        );
        farrier(&hunt).status.code() == Some(1)
    });
    assert!(found, "no program shows the fault");
    let listed = farrier("findings --json");
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).expect("it is JSON");
    let name = listed[0]["name"].as_str().expect("there is a finding");
    // The hunt may have reduced it already.
    let output = farrier(&format!("reduce --again {name}"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let small = directory.read(&path);
    assert!(small.contains(" ^ ") && tokens(&small) < 50, "{small}");
    let shown = String::from_utf8_lossy(&farrier(&format!("show {name}")).stdout).into_owned();
    assert!(shown.contains(small.trim_end()) && shown.contains("Reduced from"), "{shown}");
    assert_eq!(fs::read_dir(directory.0.join("farrier-hunt/reducing")).expect("it is").count(), 0);
    // Reduced again, it stays as it is.
    let output = farrier(&format!("reduce {name}"));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), path);
    let output = farrier("reduce 0123456789abcdef");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no finding"), "{output:?}");
}

/// The fault needs a loop that is all of another loop, and that no constant ends.
#[test]
fn a_fault_of_a_nest_with_an_unknown_count_is_found_and_becomes_small() {
    let directory = Directory::new("nest");
    let fakecc = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/tests/support/fakecc");
    let subject = format!(
        "[[subject]]\nname = \"wrong\"\ncommand = [\"{}\", \"lost-round\"]\nfamily = \"gcc\"\n\
         target = \"x86_64-linux\"\nlevels = [\"-O1\"]\n",
        fakecc.canonicalize().expect("it is there").display()
    );
    directory.write("farrier.toml", &subject);
    let farrier = |words: &str| directory.farrier(words);
    let hunt = |programs: u32| {
        farrier(&format!(
            "hunt --no-triage --seed 18 --preset loops --size 3k --programs {programs} \
             --config {PLAIN} --subject wrong"
        ))
    };
    let mut seen = Vec::new();
    let mut new_finding = || {
        let listed = farrier("findings --json");
        let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).expect("it is JSON");
        let names = listed.as_array().into_iter().flatten().filter_map(|one| one["name"].as_str());
        let name = names.map(str::to_owned).find(|name| !seen.contains(name))?;
        seen.push(name.clone());
        Some(name)
    };
    // The hunt continues until a program shows the fault and becomes small; how small depends
    // on whether the loops write an array.
    let small = (1..30).find_map(|programs| {
        hunt(programs);
        let output = farrier(&format!("reduce --again {}", new_finding()?));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let small = directory.read(String::from_utf8_lossy(&output.stdout).trim());
        assert!(small.matches("for (").count() >= 2 && tokens(&small) < 120, "{small}");
        (tokens(&small) < 60).then_some(small)
    });
    assert!(small.is_some(), "no program shows the fault in fewer than 60 tokens");
}

/// Faults of `fakecc` that every program shows sooner or later, with the level that shows
/// them. `loops` and `hang` have a test of their own.
const FAULTS: &[(&str, &str)] = &[
    ("wrong-shift", "-O1"),
    ("wrong-comparison", "-O2"),
    ("wrong-exit", "-O1"),
    ("internal-error", "-O1"),
    ("segfault", "-O1"),
    ("rejects", "-O1"),
];

#[test]
fn planted_faults_become_fewer_than_thirty_tokens() {
    let directory = Directory::new("planted");
    let fakecc = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/tests/support/fakecc");
    for (fault, level) in FAULTS {
        let subject = format!("{} {fault} {level}", fakecc.display());
        let output = (8..30)
            .map(|seed: u32| {
                let made = Command::new(env!("CARGO_BIN_EXE_farrier"))
                    .args(["gen", "--size", "3k", "--force", "-o", "prog.c"])
                    .args(["--seed", &seed.to_string()])
                    .current_dir(&directory.0)
                    .status()
                    .expect("it can be started");
                assert!(made.success());
                directory.reduce(&["--subject", &subject, "prog.c"])
            })
            .find(|output| output.status.code() != Some(2))
            .expect("it shows in one of them");
        assert_eq!(output.status.code(), Some(0), "{fault}: {output:?}");
        let small = directory.read("prog.c");
        let code: Vec<&str> =
            small.lines().filter(|line| !line.starts_with("int printf(")).collect();
        // The frame is `int main(void) { }`.
        assert!(tokens(&code.join("\n")) < 30 + 7, "{fault}: {small}");
        // It is reduced already.
        let again = directory.reduce(&["--subject", &subject, "prog.c"]);
        assert_eq!(again.status.code(), Some(0), "{fault}: {again:?}");
        assert_eq!(directory.read("prog.c"), small, "{fault}");
    }
}

/// Writes an expression of three operands, given their names and values, with its value.
type Write<'a> = &'a dyn Fn([&str; 3], [f64; 3]) -> (String, f64);

/// Straight code of so many statements with hidden inputs, of which each result is compared with the right one and
/// named if it differs: small integers or numbers that round, in an expression with three
/// operands or two.
fn straight(seed: u64, count: usize, rounds: bool, write: Write<'_>) -> String {
    let mut state = seed;
    let mut draw = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let inputs: Vec<f64> = (0..20)
        .map(|_| if rounds { (draw(1 << 30) as f64).sqrt() / 7.0 } else { draw(100) as f64 })
        .collect();
    let listed: Vec<String> = inputs.iter().map(|value| format!("{value:?}")).collect();
    let mut text = format!(
        "int printf(const char *, ...);\nvolatile double hidden[] = {{{}}};\nint main(void)\n{{\n",
        listed.join(", ")
    );
    for number in 0..inputs.len() {
        text += &format!("    double v{number} = hidden[{number}];\n");
    }
    for number in 0..count {
        let chosen = [0; 3].map(|_| draw(inputs.len() as u64) as usize);
        let names = chosen.map(|index| format!("v{index}"));
        let names = [&names[0][..], &names[1], &names[2]];
        let (expression, value) = write(names, chosen.map(|index| inputs[index]));
        let read = if rounds { "" } else { "(long long)" };
        let right = if rounds { format!("{value:?}") } else { format!("{value:.0}") };
        text += &format!(
            "    double t{number} = {expression};\n    if ({read}t{number} != {right}) {{\n        \
             printf(\"NG t{number}\\n\");\n        return 1;\n    }}\n"
        );
    }
    text + "    printf(\"OK\\n\");\n    return 0;\n}\n"
}

/// What a program does that a compiler made.
fn output_of(directory: &Directory, compiler: &str) -> String {
    let mut words = compiler.split_whitespace();
    let compiled = Command::new(words.next().expect("it has a name"))
        .args(words)
        .args(["-w", "prog.c", "-o", "prog"])
        .current_dir(&directory.0)
        .status()
        .expect("it can be started");
    assert!(compiled.success(), "{compiler}");
    let output = Command::new(directory.0.join("prog")).output().expect("it can be started");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A fault of floating operations is named by the variable that it makes wrong, and becomes
/// small. Without the fault, or the flags that bring it, the program is compiled rightly.
#[track_caller]
fn is_named_and_reduced(
    fault: &str,
    [without, with]: [&str; 2],
    (tier, count): (Tier, usize),
    write: Write<'_>,
) -> String {
    let directory = Directory::new(fault);
    let fakecc = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/tests/support/fakecc");
    let compiler = |fault: &str, flags: &str| format!("{} {fault} {flags}", fakecc.display());
    let wrong = compiler(fault, with);
    let said = (1..40).find_map(|seed| {
        directory.write("prog.c", &straight(seed, count, tier == Tier::Rounded, write));
        for honest in [compiler("honest", with), compiler("honest", without)] {
            assert_eq!(output_of(&directory, &honest), "OK\n", "{honest}, seed {seed}");
        }
        Some(output_of(&directory, &wrong)).filter(|said| said != "OK\n")
    });
    let said = said.expect("it shows in one of them");
    let text = directory.read("prog.c");
    let variable = said.trim().strip_prefix("NG ").expect("it is named");
    let line = text.lines().find(|line| line.contains(&format!("double {variable} = ")));
    assert!(line.is_some(), "{said}");
    assert!(proved_tier(&text) <= tier);
    let output = directory.reduce(&["--subject", &wrong, "prog.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let small = directory.read("prog.c");
    assert!(tokens(&small) < 30 + 7, "{small}");
    assert!(proved_tier(&small) <= tier, "{small}");
    small
}

/// The tier that the machine proves for a program.
fn proved_tier(text: &str) -> Tier {
    let input = SourceText::new("prog.c", text);
    let options = farrier_front::Options::new(&X86_64_LINUX);
    let program = farrier_front::parse(&[input], &options).expect("it is C");
    certify(program, &Machine::default()).expect("it is defined").tier()
}

#[test]
fn a_wrong_difference_among_a_thousand_is_named_and_reduced() {
    let small = is_named_and_reduced(
        "wrong-difference",
        ["-O0", "-O1"],
        (Tier::Rounded, 1_000),
        &|[a, b, _], [x, y, _]| (format!("{a} - {b}"), x - y),
    );
    assert!(small.contains(" - "), "{small}");
}

#[test]
fn a_double_rounding_is_named_and_reduced() {
    is_named_and_reduced(
        "double-rounding",
        ["-O0", "-O1"],
        (Tier::Rounded, 50),
        &|[a, b, c], [x, y, z]| (format!("{a} * {b} - {c}"), x * y - z),
    );
}

#[test]
fn a_wrong_regrouping_is_named_and_reduced() {
    let small = is_named_and_reduced(
        "wrong-regrouping",
        ["-O1", "-O1 -ffast-math"],
        (Tier::Free, 50),
        &|[a, b, c], [x, y, z]| (format!("{a} - ({b} - {c})"), x - (y - z)),
    );
    assert!(small.contains(" - ("), "{small}");
}

/// Faults of vector operations: how the subject is called, what must be left, and how many tokens:
/// the mask of a shuffle of 32 lanes has 64.
const LANES: [(&str, &str, usize); 2] =
    [("wrong-lane", "__builtin_shufflevector(", 150), ("wrong-lanes", "vector_size(", 110)];

#[test]
fn wrong_lanes_are_found_and_reduced() {
    let directory = Directory::new("lanes");
    let fakecc = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/tests/support/fakecc");
    directory.write("lanes.toml", "[features]\nvector-shuffle = 200\nvector-compare = 90\n");
    for (fault, left, most) in LANES {
        let subject = format!("{} {fault} -O1", fakecc.display());
        // The first program in which the fault is seen.
        let found = (1..40).find(|seed| {
            let words =
                format!("gen --preset vectors --config lanes.toml --seed {seed} --size 3000");
            let made = directory.farrier(&words);
            directory.write("prog.c", &String::from_utf8_lossy(&made.stdout));
            directory.reduce(&["--subject", &subject, "prog.c"]).status.code() == Some(0)
        });
        assert!(found.is_some(), "{fault}");
        let small = directory.read("prog.c");
        assert!(small.contains(left) && tokens(&small) <= most, "{fault}, {found:?}: {small}");
    }
}

#[test]
fn what_does_not_end_becomes_small() {
    let directory = Directory::new("hang");
    let fakecc = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/tests/support/fakecc");
    for (fault, small) in
        [("hang", "int main(void)\n{}\n"), ("loops", "int main(void)\n{\n    return 0;\n}\n")]
    {
        directory.write("prog.c", PROGRAM);
        let subject = format!("{} {fault} -O1", fakecc.display());
        let output = directory.reduce(&["--timeout", "3", "--subject", &subject, "prog.c"]);
        assert_eq!(output.status.code(), Some(0), "{fault}: {output:?}");
        assert_eq!(directory.read("prog.c"), small, "{fault}");
    }
}

#[test]
fn slow_is_not_endless() {
    let directory = Directory::new("slow");
    // It does not end with a shift, and takes a while with anything else.
    directory.script(
        "slow",
        "case \"$*\" in *-c*) ;; *) exec gcc \"$@\" ;; esac\n\
         while grep -q ' >> ' program.c; do sleep 0.1; done; sleep 1.5; exec gcc \"$@\"",
    );
    directory.write("prog.c", "int main(void) { 1 >> 0; }");
    let output = directory.reduce(&["--timeout", "3", "--subject", "./slow -O1", "prog.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(directory.read("prog.c"), "int main(void)\n{\n    0 >> 0;\n}\n");
}

#[test]
fn another_crash_is_another_bug() {
    let directory = Directory::new("slip");
    // With a division it crashes in one place, with a shift in another.
    directory.script(
        "breaks",
        "case \"$*\" in *-c*) ;; *) exec gcc \"$@\" ;; esac\n\
         grep -q ' / ' program.c && echo 'internal compiler error: in fold, at a.cc:1' >&2 && exit 4\n\
         grep -q ' >> ' program.c && echo 'internal compiler error: in emit, at b.cc:2' >&2 && exit 4\n\
         exec gcc \"$@\"",
    );
    let program = "int a = 9; int main(void) { a = a / 2; return a >> 1; }";
    directory.write("prog.c", program);
    let output = directory.reduce(&["--jobs", "1", "--subject", "./breaks -O1", "prog.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let small = directory.read("prog.c");
    assert!(small.contains(" / ") && !small.contains(" >> "), "{small}");
    directory.write("prog.c", program);
    let any = ["--jobs", "1", "--any-failure", "--subject", "./breaks -O1", "prog.c"];
    assert_eq!(directory.reduce(&any).status.code(), Some(0));
    let other = directory.read("prog.c");
    assert!(other.contains(" / ") || other.contains(" >> "), "{other}");
    // It is not checked for undefined behaviour.
    directory.write("prog.c", "int main(void) { int x; return x / 0; }");
    directory.refuses(&["--subject", "./breaks -O1", "prog.c"], "is undefined");
    let output = directory.reduce(&["--no-ub-check", "--subject", "./breaks -O1", "prog.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(directory.read("prog.c"), "int main(void)\n{\n    return 0 / 0;\n}\n");
}

#[test]
fn a_compiler_that_forgets_the_result_of_main_is_not_accused_of_that() {
    let directory = Directory::new("forgets");
    directory.write("prog.c", PROGRAM);
    // It also shifts by less than it should.
    directory.script(
        "forgets",
        "for word in \"$@\"; do case \"$word\" in *.c)\n\
         grep -q return \"$word\" || echo 'int main(void) { return 7; }' > \"$word\"\n\
         sed -i 's/>> 3/>> 2/g' \"$word\";; esac; done\n\
         exec gcc \"$@\"",
    );
    let output = directory.reduce(&["--subject", "./forgets -O1", "prog.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let small = directory.read("prog.c");
    assert!(small.contains(">> 3") && small.contains("return"), "{small}");
}

#[test]
fn refusals_and_hangs_are_other_bugs() {
    let directory = Directory::new("other-kinds");
    directory.script(
        "breaks",
        "case \"$*\" in *-c*) ;; *) exec gcc \"$@\" ;; esac\n\
         grep -q ' / ' program.c && echo 'internal compiler error: in fold, at a.cc:1' >&2 && exit 4\n\
         grep -q ' >> ' program.c && echo 'program.c:1:1: error: no shifts today' >&2 && exit 1\n\
         while grep -q ' ^ ' program.c; do sleep 0.1; done\n\
         exec gcc \"$@\"",
    );
    for (operator, other) in
        [(">>", "valid-program-rejected, no shifts today"), ("^", "compiler-hang")]
    {
        // The left operand alone is tried before the right one, and shows the other bug.
        let program = "int a = 9; int main(void) { return (a OPERATOR 1) - a / 2; }";
        directory.write("prog.c", &program.replace("OPERATOR", operator));
        let output = directory.reduce(&[
            "--jobs",
            "1",
            "--timeout",
            "1",
            "--subject",
            "./breaks -O1",
            "prog.c",
        ]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let small = directory.read("prog.c");
        assert_eq!(small, "int main(void)\n{\n    return 0 / 1;\n}\n");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let note = format!("another bug was found on the way and not followed: {other}");
        assert!(said.contains(&note), "{said}");
    }
}

#[test]
fn changes_are_undone_first_and_other_crashes_are_kept() {
    let directory = Directory::new("changes");
    // A number that only changes bring in, and names as the generator makes them.
    directory.script(
        "breaks",
        "case \"$*\" in *-c*) ;; *) exec gcc \"$@\" ;; esac\n\
         for word; do case $word in *.c) source=$word ;; esac; done\n\
         grep -qE '[^a-z0-9.](1e308|0x1p-1074|1\\.5)[^0-9]' \"$source\" && \
         echo 'internal compiler error: in fold, at a.cc:1' >&2 && exit 4\n\
         grep -qE '[^a-z0-9][gflp][0-9]' \"$source\" && \
         echo 'internal compiler error: in emit, at b.cc:2' >&2 && exit 4\n\
         exec gcc \"$@\"",
    );
    let subject = format!(
        "[[subject]]\nname = \"breaks\"\ncommand = \"{}\"\nfamily = \"gcc\"\n\
         target = \"x86_64-linux\"\nlevels = [\"-O1\"]\n",
        directory.0.join("breaks").display()
    );
    directory.write("farrier.toml", &subject);
    let farrier = |words: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_farrier"));
        let command = command.args(words.split_whitespace()).current_dir(&directory.0);
        let output = command.output().expect("it can be started");
        let [out, error] = [&output.stdout, &output.stderr].map(|text| {
            let text = String::from_utf8_lossy(text);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        });
        (out, error)
    };
    let findings = || -> Vec<serde_json::Value> {
        let (text, _) = farrier("findings --json");
        serde_json::from_str(&text).expect("it is JSON")
    };
    let folds = |one: &&serde_json::Value| {
        one["outcome"]["text"].as_str().is_some_and(|text| text.contains("in fold"))
    };
    let changes =
        |one: &serde_json::Value| one["recipe"]["mutations"].as_array().map_or(0, Vec::len);
    // The hunt continues until a program is changed in several places, and only changes
    // bring in the number.
    let found = (1..20).find_map(|round| {
        let programs = round * 10;
        farrier(&format!(
            "hunt --no-triage --mode crash --seed 4 --size 1k --programs {programs} \
             --config {PLAIN} --subject breaks"
        ));
        let before = findings();
        let original = |one: &serde_json::Value| {
            let same = |it: &&serde_json::Value| it["program"] == one["program"];
            before.iter().filter(same).any(|it| folds(&it) && changes(it) == 0)
        };
        let reduced = before.iter().filter(|one| folds(one) && changes(one) > 1 && !original(one));
        let mut reduced = reduced.map(|one| {
            let name = one["name"].as_str().expect("it has a name");
            (name.to_owned(), changes(one), farrier(&format!("reduce {name}")).1)
        });
        // Printed, a program may have another number.
        let found = reduced.find(|(.., said)| said.contains("mutations matter"))?;
        Some((found, before.clone()))
    });
    let ((name, count, said), before) = found.expect("there is one");
    let undone = format!(" of {count} mutations matter: text");
    assert!(said.contains(&undone), "{said}");
    assert!(said.contains("another bug was found on the way"), "{said}");
    let (shown, _) = farrier(&format!("show {name}"));
    assert!(shown.contains(&undone), "{shown}");
    let after = findings();
    let new = after.iter().filter(|one| !folds(one) && !before.contains(one));
    let bases: Vec<_> = new.map(|one| one["basis"].clone()).collect();
    assert_eq!(bases, ["compiler"], "{after:#?}");
}

/// How many tokens a text has; an operator of two characters counts as two.
fn tokens(text: &str) -> usize {
    let mut count = 0;
    let mut word = false;
    for letter in text.chars() {
        let part = letter.is_alphanumeric() || letter == '_';
        count += usize::from(!(letter.is_whitespace() || part && word));
        word = part;
    }
    count
}

/// With such flags a compiler may be right to do something else, so that it is not accused.
#[test]
fn a_program_is_not_tried_with_flags_that_its_tier_does_not_allow() {
    let directory = Directory::new("unfit");
    directory.script(
        "gcc",
        "for word; do case $word in *.c) sed -i 's/return /return 7 + /' \"$word\" ;; esac; done\n\
         exec gcc \"$@\"",
    );
    let wrong = |name: &str, text: &str, flags: &str| {
        directory.write(name, text);
        directory.reduce(&["--subject", &format!("./gcc {flags}"), name]).status.code()
    };
    let rounded = "volatile double t = 0.1;\nint main(void) { int r = t * 3 == 0.3; return r; }\n";
    assert_eq!(wrong("rounded.c", rounded, "-O1"), Some(0));
    for flags in ["-O1 -ffast-math", "-Ofast", "-O2 -ffp-contract=fast", "-O0 -mfpmath=387"] {
        assert_eq!(wrong("rounded.c", rounded, flags), Some(2), "{flags}");
    }
    let free = "volatile int t = 3;\nint main(void) { double d = t; d = d + 2; return (int)d; }\n";
    assert_eq!(wrong("free.c", free, "-O1 -ffast-math"), Some(0));
}
