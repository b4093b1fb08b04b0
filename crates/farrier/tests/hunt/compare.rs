//! Hunts held against each other, and the coverage of a compiler.

use super::*;

/// A compiler that counts what it compiles, as an instrumented one does.
const COUNTING: &str = r#"#!/bin/sh
if [ -n "$GCOV_PREFIX" ]; then
    echo "$*" >> "$GCOV_PREFIX/executed"
    [ "${LLVM_PROFILE_FILE%/*}" = "$GCOV_PREFIX" ] || exit 1
fi
exec gcc "$@"
"#;

#[test]
fn hunts_are_compared_by_processor_time() {
    let place = Place::new("compare");
    place.plant(&[("honest", &["-O1"]), ("wrong-exit", &["-O1"])]);
    for (directory, subject) in [("good", "honest"), ("bad", "wrong-exit")] {
        let hunt = ["hunt", "--dir", directory, "--subject", subject, "--size", "2k"];
        place.run(&[&hunt[..], &["--programs", "3", "--seed", "3", "--config", PLAIN]].concat());
    }
    let output = place.run(&["compare", "good", "bad", "--svg", "bugs.svg"]);
    assert_status(&output, 0);
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0].join(" "), "programs trials time findings bugs not triaged hunt");
    assert_eq!((lines[1][0], lines[1].last()), ("3", Some(&"good")));
    assert_eq!((lines[2][0], lines[2].last()), ("3", Some(&"bad")));
    assert!(text.contains("when each bug was seen first\ngood"), "{text}");
    assert!(text.contains("wrong-exit of wrong-exit\n"), "{text}");
    let document = place.json(&["compare", "good", "bad", "--json"]);
    let bugs: Vec<usize> = (0..2)
        .map(|index| document["hunts"][index]["bugs"].as_object().map_or(9, |bugs| bugs.len()))
        .collect();
    assert_eq!(bugs, [0, 1], "{document:#}");
    let points = document["hunts"][1]["points"].as_array().expect("a list");
    let last = points.last().expect("it has an end");
    assert_eq!((&last["programs"], &last["bugs"]), (&3.into(), &1.into()));
    assert!(last["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    let drawing = fs::read_to_string(place.path.join("bugs.svg")).expect("it was drawn");
    assert!(drawing.starts_with("<svg") && drawing.contains(">bad</text>"), "{drawing}");
    let output = place.run(&["compare", "good", "nowhere"]);
    assert_status(&output, 2);
    assert!(stderr(&output).contains("there is no hunt in `nowhere`"), "{output:?}");
}

#[test]
fn the_coverage_of_a_compiler_is_measured() {
    let place = Place::new("coverage");
    let script = place.path.join("counting");
    fs::write(&script, COUNTING).expect("it can be written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let subject = format!("{} -O0", script.display());
    let hunt = |more: &[&str]| {
        let arguments = ["hunt", "--subject", &subject, "--size", "2k", "--seed", "3"];
        place.run(&[&arguments[..], more].concat())
    };
    let count = "wc -l < executed";
    let output = hunt(&["--programs", "5", "--coverage", count, "--coverage-every", "2"]);
    assert_status(&output, 0);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("coverage after 5 programs: "), "{text}");
    let document = place.json(&["compare", "farrier-hunt", "--json"]);
    let coverage = document["hunts"][0]["coverage"].as_array().expect("a list");
    let values: Vec<f64> = coverage.iter().filter_map(|pair| pair[1].as_f64()).collect();
    assert_eq!(values.len(), 3, "{document:#}");
    assert!(values[0] > 0.0 && values.is_sorted_by(|one, next| one < next), "{values:?}");
    let output = hunt(&["--programs", "6", "--coverage", "echo none"]);
    assert_status(&output, 2);
    assert!(stderr(&output).contains("prints `none`, which is no number"), "{output:?}");
    let output = hunt(&["--programs", "7", "--coverage", "echo no data >&2; false"]);
    assert_status(&output, 2);
    assert!(stderr(&output).contains("fails: exit status: 1: no data"), "{output:?}");
}
