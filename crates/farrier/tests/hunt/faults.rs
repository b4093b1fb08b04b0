//! Compilers, programs and machines that do harm to a hunt.

use super::*;

/// The kinds of what was found in a subject.
fn kinds(findings: &Value, subject: &str) -> Vec<String> {
    findings_of(findings, subject).into_iter().map(|(kind, ..)| kind).collect()
}

/// Hunts with small programs.
fn hunt_once(place: &Place, faults: &[&str], more: &[&str]) -> (Output, Value) {
    let levels: &[&str] = &["-O1"];
    let planted: Vec<(&str, &[&str])> = faults.iter().map(|fault| (*fault, levels)).collect();
    place.plant(&planted);
    let mut arguments = vec!["hunt", "--seed", "3", "--config", PLAIN];
    arguments.extend(faults.iter().flat_map(|fault| ["--subject", fault]));
    arguments.extend(more);
    let output = place.run(&arguments);
    let findings = place.json(&["findings", "--json"]);
    (output, findings)
}

#[test]
fn every_planted_fault_is_called_by_its_name() {
    let place = Place::new("every-fault");
    // The fault, and what it is; nothing for those that are no fault of the compiler.
    let faults = [
        ("wrong-exit", "wrong-exit"),
        ("traps", "run-crash"),
        ("loops", "run-hang"),
        ("floods", "wrong-output"),
        ("assertion", "compiler-crash"),
        ("segfault", "compiler-crash"),
        ("nothing", "compiler-crash"),
        ("memory", "compiler-out-of-memory"),
        ("rejects", "valid-program-rejected"),
        ("honest", ""),
        ("random", ""),
        ("refuses-flag", ""),
        ("disk-full", ""),
        ("killed", ""),
        ("missing-tool", ""),
    ];
    let names: Vec<&str> = faults.iter().map(|(fault, _)| *fault).collect();
    let (output, findings) = hunt_once(&place, &names, &["--programs", "1", "--size", "3k"]);
    assert_status(&output, 1);
    for (fault, kind) in faults {
        let expected = if kind.is_empty() { vec![] } else { vec![kind.to_owned()] };
        assert_eq!(kinds(&findings, fault), expected, "{fault}: {output:?}");
    }
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(summary.contains("2 inconclusive, 3 not tried"), "{summary}");
}

#[test]
fn a_compiler_that_hangs_is_found() {
    let place = Place::new("hangs");
    let (output, findings) =
        hunt_once(&place, &["hang"], &["--programs", "1", "--size", "3k", "--compiler-time", "2s"]);
    assert_status(&output, 1);
    assert_eq!(kinds(&findings, "hang"), ["compiler-hang"]);
}

#[test]
fn an_honest_compiler_is_not_accused_of_its_floating_arithmetic() {
    let place = Place::new("honest-floats");
    place.plant(&[("honest", &["-O1", "-O2"])]);
    let hunt = ["hunt", "--seed", "5", "--size", "3k", "--programs", "24", "--config", FLOATS];
    let output = place.run(&[&hunt[..], &["--subject", "honest"]].concat());
    assert_status(&output, 0);
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    let tiers = summary.split_once("floating arithmetic: ").map(|(_, tiers)| tiers);
    for tier in [" free", " exact", " rounded"] {
        assert!(tiers.is_some_and(|tiers| tiers.contains(tier)), "{tier}: {summary}");
    }
}

#[test]
fn a_compiler_that_shifts_wrongly_is_found() {
    let place = Place::new("shifts");
    let (output, findings) =
        hunt_once(&place, &["wrong-shift"], &["--programs", "12", "--size", "20k"]);
    assert_status(&output, 1);
    // A program may also end or hang in another way when its shifts are wrong.
    let found = kinds(&findings, "wrong-shift");
    assert!(found.contains(&"wrong-output".to_owned()), "{found:?}");
}

#[test]
fn hostile_programs_do_no_harm_to_a_hunt() {
    let place = Place::new("hostile");
    let temporary = place.path.join("temporary");
    fs::create_dir(&temporary).expect("it can be made");
    let names = ["fork_bomb", "fill_disk", "gigabytes", "stubborn", "killer", "memory", "daemon"];
    let faults = names.map(|name| format!("hostile-{name}"));
    let levels: &[&str] = &["-O1"];
    let planted: Vec<(&str, &[&str])> =
        faults.iter().map(|fault| (fault.as_str(), levels)).collect();
    place.plant(&planted);
    let mut command = place.command(&["hunt", "--seed", "3", "--size", "2k", "--programs", "1"]);
    command.args(["--config", PLAIN, "--jobs", "1"]).env("TMPDIR", &temporary);
    command.args(faults.iter().flat_map(|fault| ["--subject", fault]));
    let mut bystander =
        Command::new("sleep").arg("600").spawn().expect("sleep belongs to every system");
    let output = command.output().expect("it can be started");
    let alive = bystander.try_wait().expect("it is ours").is_none();
    bystander.kill().and_then(|()| bystander.wait()).expect("it is ours");
    assert!(alive, "the bystander was killed");
    assert_status(&output, 1);
    let findings = place.json(&["findings", "--json"]);
    // Not one does what the program in whose place it stands would have done.
    for (fault, kind) in faults.iter().zip([
        "wrong-output",
        "wrong-output",
        "wrong-output",
        "run-hang",
        "wrong-output",
        "",
        "wrong-output",
    ]) {
        let found = kinds(&findings, fault);
        // How a program fails that has no memory left depends on how much it got.
        if !kind.is_empty() && kind != "wrong-output" {
            assert_eq!(found, [kind], "{fault}");
        }
        assert!(found.len() <= 1, "{fault}: {found:?}");
    }
    assert!(!findings.as_array().expect("a list").is_empty());
    // Nothing is left: no process, no file.
    let programs = temporary.display().to_string();
    let running: Vec<_> = fs::read_dir("/proc")
        .expect("there is /proc")
        .flatten()
        .filter_map(|entry| fs::read_link(entry.path().join("exe")).ok())
        .filter(|exe| exe.starts_with(&programs))
        .collect();
    assert!(running.is_empty(), "{running:?}");
    let left: Vec<_> = fs::read_dir(&temporary)
        .expect("it is there")
        .flatten()
        .map(|entry| entry.file_name())
        .filter(|name| !name.to_string_lossy().starts_with("farrier-cache-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Runs a script in a name space of its own, where it may mount.
fn with_mounts(place: &Place, script: &str) -> Output {
    let root = fs::metadata("/proc/self").map(|own| std::os::unix::fs::MetadataExt::uid(&own));
    let mut command = Command::new("unshare");
    command.arg("--mount");
    if root.expect("there is /proc") != 0 {
        command.args(["--user", "--map-root-user"]);
    }
    command.current_dir(&place.path).args(["sh", "-euc", script]);
    command.env("FARRIER", env!("CARGO_BIN_EXE_farrier"));
    command.output().expect("unshare must be installed: apt-get install util-linux")
}

#[test]
fn a_full_disk_loses_nothing_and_accuses_nobody() {
    let place = Place::new("full");
    place.plant(&[("honest", &["-O1"]), ("segfault", &["-O1"])]);
    let hunt = format!(
        "\"$FARRIER\" hunt --no-triage --keep all --seed 4 --size 20k --config {PLAIN} \
         --subject honest --subject segfault --jobs 2"
    );
    let script = format!(
        "mkdir small; mount -t tmpfs -o size=300k none small
         {hunt} --programs 12 --dir undisturbed >/dev/null 2>&1 || test $? = 1
         status=0; {hunt} --programs 12 --dir small/hunt >first 2>&1 || status=$?
         cat first; echo \"full: $status\"
         mount -o remount,size=64m small
         status=0; {hunt} --programs 12 --dir small/hunt >second 2>&1 || status=$?
         cat second; echo \"again: $status\"
         cp -r small/hunt disturbed
         mkdir tight; mount -t tmpfs -o size=24k none tight
         status=0; TMPDIR=$PWD/tight {hunt} --dir scratch --programs 1 >third 2>&1 || status=$?
         cat third; echo \"scratch: $status\""
    );
    let output = with_mounts(&place, &script);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text} {}", stderr(&output));
    // The hunt says what is wrong and stops; with room again it continues to the same end.
    assert!(text.contains("full: 2"), "{text}");
    assert!(text.contains("No space left") || text.contains("is full"), "{text}");
    assert!(text.contains("again: 1"), "{text}");
    assert_eq!(place.stored("disturbed"), place.stored("undisturbed"), "{text}");
    // Where compilers have no room none is accused.
    let (_, scratch) = text.split_once("again: 1").expect("it was asserted");
    assert!(scratch.contains("not tried: honest"), "{text}");
    assert!(!scratch.contains("honest -O1 (program"), "{text}");
}

/// How often the hunt below is killed: `FARRIER_KILLS=100` for a long test.
const KILLS: u64 = 5;

#[test]
fn a_hunt_that_is_killed_goes_on_where_it_was() {
    let place = Place::new("killed");
    place.plant(&[("wrong-comparison", &["-O1", "-O2"]), ("segfault", &["-O1"])]);
    let asked = std::env::var("FARRIER_KILLS").ok();
    let kills = asked.map_or(KILLS, |kills| kills.parse().expect("a number"));
    let programs = (8 + kills / 2).to_string();
    let hunt = |directory: &'static str| {
        let mut arguments = vec!["hunt", "--dir", directory, "--jobs", "2", "--seed", "9"];
        arguments.extend(["--subject", "wrong-comparison", "--subject", "segfault"]);
        arguments.extend(["--size", "2k", "--programs", &programs, "--config", PLAIN]);
        arguments.extend(["--mutate", "40"]);
        arguments
    };
    assert_status(&place.run(&hunt("undisturbed")), 1);
    let mut number: u64 = 1;
    for _ in 0..kills {
        // A generator that is good enough for moments.
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        let mut child = place.start(&hunt("disturbed"));
        std::thread::sleep(Duration::from_millis((number >> 33) % 2500));
        child.kill().expect("it can be killed");
        child.wait().expect("it was started");
    }
    assert_status(&place.run(&hunt("disturbed")), 1);
    let undisturbed = place.stored("undisturbed");
    assert!(undisturbed.len() >= 8 + 8, "{}", undisturbed.len());
    assert_eq!(place.stored("disturbed"), undisturbed);
}

#[test]
fn a_finding_for_avr_can_be_shown_by_a_stranger() {
    let place = Place::new("avr");
    place.plant(&[("wrong-exit", &["-O1"])]);
    let file = place.path.join("farrier.toml");
    let text = fs::read_to_string(&file).expect("it is there");
    let text =
        text.replace("x86_64-linux", "avr") + "run = \"simavr\"\nflags = [\"-mmcu=atmega1284p\"]\n";
    fs::write(&file, text).expect("it can be written");
    let run = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.env("FAKECC_GCC", "avr-gcc").output().expect("it can be started")
    };
    let output = run(&[
        "hunt",
        "--subject",
        "wrong-exit",
        "--seed",
        "3",
        "--size",
        "2k",
        "--programs",
        "1",
        "--config",
        PLAIN,
    ]);
    assert_status(&output, 1);
    let findings = place.json(&["findings", "--json"]);
    assert_eq!(kinds(&findings, "wrong-exit"), ["wrong-exit"]);
    let name = findings[0]["name"].as_str().expect("it has a name");
    let shown = place.json(&["show", "--json", name]);
    let commands: Vec<&str> =
        shown["commands"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let script = format!("cp -r {} copy; cd copy\n{}", shown["directory"], commands.join("\n"));
    let mut shell = Command::new("sh");
    shell.current_dir(&place.path).env("FAKECC_GCC", "avr-gcc").args(["-ec", &script]);
    let typed = shell.output().expect("there is a shell");
    let typed = String::from_utf8_lossy(&typed.stderr).into_owned();
    // The digits of `=01`: the exit status.
    assert!(typed.contains("=01"), "{typed}");
}

/// An honest compiler that takes two seconds for a program that Farrier makes.
const SLOW: &str = "#!/bin/sh\n\
    for argument; do case $argument in *.c) grep -q checksum \"$argument\" && sleep 2 ;; esac; done\n\
    exec gcc \"$@\"\n";

#[test]
fn short_starts_add_up() {
    let place = Place::new("short-starts");
    let mut arguments =
        vec!["hunt", "--programs", "1", "--for", "1s", "--size", "2k", "--jobs", "1"];
    arguments.extend(["--seed", "3", "--mutate", "0", "--preset", "default"]);
    for name in ["a", "b", "c"] {
        let path = place.path.join(name);
        fs::write(&path, SLOW).expect("it can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    arguments.extend(["--subject", "./a -O1", "--subject", "./b -O1", "--subject", "./c -O1"]);
    let summary = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let first = place.run(&arguments);
    assert_status(&first, 0);
    let text = summary(&first);
    assert!(text.contains("the whole hunt: 0 programs, 0 mutants, 1 trials"), "{text}");
    assert!(text.contains("1 programs are begun and not done"), "{text}");
    place.run(&arguments);
    let last = summary(&place.run(&arguments));
    assert!(last.contains("the whole hunt: 1 programs, 0 mutants, 3 trials"), "{last}");
    assert!(last.starts_with("1 programs and 1 trials"), "{last}");
}

#[test]
fn a_hunt_in_which_nothing_is_tested_fails() {
    let place = Place::new("nothing-tested");
    let (output, _) =
        hunt_once(&place, &["refuses-flag"], &["--programs", "100", "--size", "2k", "--jobs", "1"]);
    assert_status(&output, 2);
    let text = stderr(&output);
    assert!(text.contains("nothing was tested: none of 2") && text.contains("-fmagic"), "{text}");
    assert!(text.contains("nothing is learned from refuses-flag"), "{text}");
    // A corpus whose headers are missing.
    fs::create_dir(place.path.join("corpus")).expect("it can be made");
    let program = "#include \"csmith.h\"\nint main(void) { return 0; }\n";
    fs::write(place.path.join("corpus/a.c"), program).expect("it can be written");
    let hunt = ["hunt", "--dir", "other", "--corpus", "corpus", "--subject", "gcc -O1"];
    // Generated programs beside it do not hide that, and nothing is left behind.
    for config in [ONLY_CORPUS, PLAIN] {
        let output = place.run(&[&hunt[..], &["--config", config, "--programs", "6"]].concat());
        assert_status(&output, 2);
        let text = stderr(&output);
        let why =
            "no program could be used; a.c: `csmith.h` is not there: name its directory with -I";
        assert!(text.contains(why), "{text}");
        assert!(!place.path.join("other").exists());
    }
    fs::create_dir(place.path.join("include")).expect("it can be made");
    fs::write(place.path.join("include/csmith.h"), "").expect("it can be written");
    let output = place.run(&[&hunt[..], &["--config", ONLY_CORPUS, "-I", "include"]].concat());
    assert_status(&output, 0);
}
