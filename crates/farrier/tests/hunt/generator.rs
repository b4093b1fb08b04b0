//! Hunts with programs of other generators, and with options of `farrier gen`.

use super::*;

/// Writes a program of two files and a header of its own.
const GENERATOR: &str = "#!/bin/sh
echo \"seed $1\"
echo \"#define SEED ($1 % 50)\" > seed.h
printf '#include \"seed.h\"\\n#include \"beside.h\"\\nint g1 = SEED * ONE;\\n' > data.c
printf 'extern int g1;\\nint main(void) { if (g1 > 99) return 1; return 0; }\\n' > main.c
";

#[test]
fn programs_of_another_generator_are_judged_by_the_machine() {
    let place = Place::new("generator");
    place.plant(&[("honest", &["-O1"]), ("wrong-exit", &["-O1"])]);
    let script = place.path.join("make program");
    fs::write(&script, GENERATOR).expect("it can be written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    fs::create_dir(place.path.join("headers")).expect("it can be made");
    fs::write(place.path.join("headers/beside.h"), "#define ONE 1\n").expect("it can be written");
    let subjects = ["--subject", "honest", "--subject", "wrong-exit"];
    let settings = ["--programs", "3", "--seed", "5", "--config", PLAIN];
    let generator = ["--generator", "sh ../../make\\ program {seed}"];
    let hunt = |more: &[&str]| place.run(&[&["hunt"], &subjects[..], &settings, more].concat());
    // A generator runs in a directory of its own, so a relative path leads nowhere there.
    let output = hunt(&[&generator[..], &["--dir", "nowhere"]].concat());
    assert_status(&output, 2);
    let text = stderr(&output);
    assert!(text.contains("no program could be used; sh ../../make"), "{text}");
    let command = format!("sh '{}' {{seed}}", script.display());
    let generator = ["--generator", &command, "--dir", "made"];
    let output = hunt(&generator);
    assert_status(&output, 2);
    let text = stderr(&output);
    assert!(text.contains("`beside.h` is not there: name its directory with -I"), "{text}");
    // Nothing was tested, so other settings may take its place.
    let output = hunt(&[&generator[..], &["-I", "headers"]].concat());
    assert_status(&output, 1);
    let summary = String::from_utf8_lossy(&output.stdout);
    assert!(summary.contains("the generator: 3 programs\n       3 defined"), "{summary}");
    let findings = place.json(&["findings", "--json", "--dir", "made"]);
    let findings = findings.as_array().expect("a list");
    assert_eq!(findings.len(), 3);
    for finding in findings {
        assert_eq!(finding["subject"]["name"], "wrong-exit");
        assert_eq!(finding["basis"], "machine");
    }
    let name = findings[0]["name"].as_str().expect("it has a name");
    let replayed = place.json(&["replay", "--json", "--dir", "made", name]);
    assert_eq!(replayed["reproduced"], true, "{replayed:#}");
    // The same command goes on, and another generator is refused.
    let output = place.run(&["hunt", "--dir", "made", "--programs", "4"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("\n1 programs and"), "{output:?}");
    let output = place.run(&["hunt", "--dir", "made", "--generator", "x {seed}"]);
    assert_status(&output, 2);
    assert!(stderr(&output).contains("began with --generator sh '"), "{output:?}");
}

#[test]
fn compilers_vote_about_programs_that_the_machine_does_not_know() {
    let place = Place::new("generator-vote");
    place.plant(&[("honest", &["-O1"]), ("wrong-exit", &["-O1"])]);
    // Both are the same to a vote, so that nobody is convicted by two builds of one compiler.
    let generator = "echo 'int g1; int main(void) { asm(\"nop\"); return {seed} % 2; }'";
    let subjects = ["--subject", "honest", "--subject", "wrong-exit", "--subject", "gcc -O0"];
    let settings = ["--programs", "2", "--seed", "5", "--config", PLAIN];
    let output =
        place.run(&[&["hunt", "--generator", generator], &subjects[..], &settings].concat());
    let summary = String::from_utf8_lossy(&output.stdout);
    assert!(summary.contains("2 unsupported"), "{output:?}");
    assert!(summary.contains("there is no majority"), "{summary}");
}

#[test]
fn a_generator_without_programs_is_told_and_ends_the_hunt() {
    let place = Place::new("generator-bad");
    place.plant(&[("honest", &["-O1"])]);
    let hunt = |generator: &str| {
        place.run(&["hunt", "--subject", "honest", "--dir", "a", "--generator", generator])
    };
    let output = hunt("csmith");
    assert_status(&output, 2);
    assert!(stderr(&output).contains("write {seed} where it stands"), "{output:?}");
    assert!(!place.path.join("a").exists());
    // Without a limit on programs, too.
    let output = hunt("echo no seed {seed} >&2; exit 3");
    assert_status(&output, 2);
    assert!(stderr(&output).contains("exit status: 3: no seed"), "{output:?}");
}

#[test]
fn what_gen_can_vary_a_hunt_can_vary() {
    let place = Place::new("options");
    place.plant(&[("wrong-exit", &["-O1"])]);
    let hunt = ["hunt", "--subject", "wrong-exit", "--size", "3k", "--programs", "1", "--seed"];
    let options = ["3", "--std", "c99", "--steps", "20k", "--discharge", "keep"];
    let output = place.run(&[&hunt[..], &options, &["--config", PLAIN]].concat());
    assert_status(&output, 1);
    let findings = place.json(&["findings", "--json"]);
    let flags = findings[0]["flags"].as_array().expect("a list");
    assert!(flags.iter().any(|flag| flag == "-std=gnu99"), "{findings:#}");
    let configuration = &findings[0]["recipe"]["origin"]["configuration"];
    assert_eq!(configuration["steps"], 20_000, "{findings:#}");
    assert_eq!(configuration["discharge"], "keep", "{findings:#}");
    assert!(findings[0]["expected"]["steps"].as_u64().is_some_and(|steps| steps <= 20_000));
    let shown = place.json(&["show", "--json", findings[0]["name"].as_str().expect("a name")]);
    assert_eq!(shown["finding"]["name"], findings[0]["name"]);
    for (option, value, began) in
        [("--std", "c11", "c99"), ("--steps", "1M", "20000"), ("--discharge", "flip", "keep")]
    {
        let output = place.run(&["hunt", option, value]);
        assert_status(&output, 2);
        let text = stderr(&output);
        assert!(text.contains(&format!("began with {option} {began}")), "{text}");
    }
}

#[test]
fn compilers_for_cplusplus_get_no_files_of_a_corpus() {
    let place = Place::new("corpus-cplusplus");
    // What C says of it, C++ does not.
    fs::write(place.path.join("a.c"), "int main(void) { return sizeof(1 == 1) == 4 ? 0 : 1; }\n")
        .expect("it can be written");
    let arguments = ["hunt", "--corpus", "a.c", "--subject", "g++ -O0", "--programs", "4"];
    let output = place.run(&[&arguments[..], &["--size", "2k", "--seed", "3"]].concat());
    assert_status(&output, 0);
}
