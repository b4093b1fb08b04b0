//! Faults that only mutants show.

use super::*;

/// A program without the fault: code that never runs has to go before it shows.
const PROGRAM: &str = "int checksum = 3, other = 4;
int printf(const char *, ...);
int twice(int x) { if (x < 0) { x = -x; } return 2 * x; }
int main(void) {
    if (checksum > 5) { checksum = 7; }
    for (int i = 0; i < 3; i++) { if (other > 9) { other -= i; } checksum += twice(i); }
    printf(\"%d %d\\n\", checksum, other);
    return 0;
}
";

#[test]
fn a_fault_that_only_a_mutant_shows_is_reduced_to_the_mutation_that_matters() {
    let place = Place::new("mutants");
    place.plant(&[("empty-branch", &["-O1"])]);
    fs::create_dir(place.path.join("corpus")).expect("it can be made");
    fs::write(place.path.join("corpus/a.c"), PROGRAM).expect("it can be written");
    let config = "[spending]\ncorpus = 90\nmutate = 100\nflags = 0\n";
    fs::write(place.path.join("config.toml"), config).expect("it can be written");
    let arguments = ["hunt", "--corpus", "corpus", "--config", "config.toml", "--seed", "5"];
    let more = ["--subject", "empty-branch", "--programs", "6", "--size", "1k"];
    let output = place.run(&[&arguments[..], &more].concat());
    assert_status(&output, 1);
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(summary.contains(" mutants, "), "{summary}");
    let findings = place.json(&["findings", "--json"]);
    let is_foreign = |one: &&Value| one["recipe"]["origin"]["origin"] == "corpus";
    let findings = findings.as_array().expect("a list").iter().filter(is_foreign);
    let findings: Vec<&Value> = findings.collect();
    let mutations =
        |one: &Value| one["recipe"]["mutations"].as_array().map_or(0, |mutations| mutations.len());
    assert!(findings.iter().all(|one| mutations(one) > 0), "the file itself shows nothing");
    // In the first round no mutation can need another one.
    let several = findings.into_iter().filter(|one| mutations(one) > 1);
    let many = several.min_by_key(|one| mutations(one)).expect("one has several mutations");
    let name = many["name"].as_str().expect("it has a name");
    let shown = String::from_utf8_lossy(&place.run(&["show", name]).stdout).into_owned();
    assert!(shown.contains("a mutant, with these mutations"), "{shown}");
    let reduced = place.run(&["reduce", name]);
    assert_status(&reduced, 0);
    let matters = format!("1 of {} mutations matter: ", mutations(many));
    let said = stderr(&reduced).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(&matters), "{said}");
    let shown = String::from_utf8_lossy(&place.run(&["show", name]).stdout).into_owned();
    assert!(shown.contains(&matters), "{shown}");
    assert_eq!(place.json(&["replay", "--json", name])["reproduced"], true);
}
