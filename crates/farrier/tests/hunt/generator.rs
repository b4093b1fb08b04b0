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

/// A program that the machine does not know, with much that no fault needs.
const UNKNOWN: &str = "\
#include <stdio.h>
int g1[4] = {1, 2, 3, 4};
static int sum(const int *from, int count)
{
    int all = 0;
    for (int i = 0; i < count; i++)
        all += from[i];
    return all;
}
int main(void)
{
    int five;
    __asm__ volatile (\"movl $5, %0\" : \"=r\" (five));
    g1[1] = sum(g1, 3) << 3;
    if (g1[1] == 9)
        puts(\"nine\");
    printf(\"checksum = %d\\n\", sum(g1, 4) + five);
    return 0;
}
";

/// A program that Farrier cannot even read.
const UNREADABLE: &str = "\
int printf(const char *, ...);
int g1 = 5;
extern int g2 __attribute__((alias(\"g1\")));
int main(void)
{
    if (g2 == 9)
        return 1;
    printf(\"checksum = %d\\n\", g2 << 2);
    return 0;
}
";

/// What a finding by vote of a hunt with a program is reduced to, and what `show` tells.
fn reduced_by_vote(place: &Place, program: &str, subject: &str) -> (String, Value) {
    fs::write(place.path.join("unknown.c"), program).expect("it can be written");
    let generator = format!("cat '{}'; : {{seed}}", place.path.join("unknown.c").display());
    let subjects = ["--subject", subject, "--subject", "gcc -O0", "--subject", "clang -O0"];
    let settings = ["--programs", "1", "--config", PLAIN, "--generator", &generator];
    let output = place.run(&[&["hunt"], &subjects[..], &settings].concat());
    assert_status(&output, 1);
    let findings = place.json(&["findings", "--json"]);
    assert_eq!(findings.as_array().map(Vec::len), Some(1), "{findings:#}");
    assert_eq!(findings[0]["basis"], "vote");
    let name = findings[0]["name"].as_str().expect("it has a name");
    // `show` recommends what follows.
    let shown = place.run(&["show", name]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains(&format!("farrier reduce --dir farrier-hunt {name}")), "{shown}");
    let output = place.run(&["reduce", name]);
    assert_status(&output, 0);
    let path = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    let text = fs::read_to_string(place.path.join(path)).expect("it is there");
    assert!(text.len() < 200, "{text}");
    assert!(stderr(&output).contains("judged by a vote of clang-"), "{output:?}");
    (text, place.json(&["show", "--json", name]))
}

#[test]
fn a_finding_by_vote_is_reduced_until_the_machine_can_judge_it() {
    let place = Place::new("vote-proved");
    place.plant(&[("wrong-shift", &["-O1"])]);
    let (text, shown) = reduced_by_vote(&place, UNKNOWN, "wrong-shift");
    assert!(text.contains("<<") && !text.contains("asm"), "{text}");
    let name = shown["finding"]["name"].as_str().expect("it has a name");
    assert_ne!(shown["reduction"]["expected"]["steps"], 0, "{shown:#}");
    // Then nothing is doubtful.
    assert_status(&place.run(&["triage", name]), 1);
    let shown = place.json(&["show", "--json", name]);
    assert_eq!(shown["analysis"]["doubt"], Value::Null, "{shown:#}");
    let output = place.run(&["report", name, "-o", "proved"]);
    assert_status(&output, 0);
    let issue = fs::read_to_string(place.path.join("proved/issue-gcc.txt")).expect("it is there");
    assert!(issue.contains("abstract machine executes the program to its end"), "{issue}");
    assert!(!issue.to_lowercase().contains("doubtful"), "{issue}");
}

#[test]
fn a_finding_by_vote_is_reduced_where_only_compilers_can_judge_it() {
    let place = Place::new("vote-alone");
    place.plant(&[("wrong-instruction", &["-O1"])]);
    let (text, shown) = reduced_by_vote(&place, UNKNOWN, "wrong-instruction");
    assert!(text.contains("movl $5") && !text.contains("sum("), "{text}");
    let name = shown["finding"]["name"].as_str().expect("it has a name");
    assert_eq!(shown["reduction"]["expected"]["steps"], 0, "{shown:#}");
    assert_status(&place.run(&["triage", name]), 1);
    let shown = place.json(&["show", "--json", name]);
    let doubt = shown["analysis"]["doubt"].as_str().expect("there is one");
    assert!(doubt.contains("judged by a vote"), "{doubt}");
    assert_eq!(shown["analysis"]["reduced"], true, "{shown:#}");
    let output = place.run(&["report", name, "-o", "voted"]);
    assert_status(&output, 0);
    let issue = fs::read_to_string(place.path.join("voted/issue-gcc.txt")).expect("it is there");
    assert!(issue.starts_with("DOUBTFUL") && issue.contains("movl $5"), "{issue}");
}

#[test]
fn a_finding_by_vote_is_reduced_as_a_text_where_it_cannot_be_read() {
    let place = Place::new("vote-text");
    place.plant(&[("wrong-shift", &["-O1"])]);
    let (text, shown) = reduced_by_vote(&place, UNREADABLE, "wrong-shift");
    assert!(text.contains("alias") && text.contains("<<") && !text.contains("9"), "{text}");
    let notes = shown["reduction"]["notes"].to_string();
    assert!(notes.contains("reduced as a text: Farrier cannot read it"), "{notes}");
}
