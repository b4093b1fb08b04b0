//! Programs with floating arithmetic, and the flags that they meet.

use super::*;

/// A compiler that crashes where floating numbers meet a flag that changes what they are, and
/// where integers meet one. It answers all questions as gcc does.
const WATCHING: &str = r#"#!/bin/sh
for argument; do
    case $argument in
    *.c) source=$argument ;;
    -Ofast|-ffast-math|-ffp-contract=fast|-ffp-contract=on|-mfpmath=387|-mfpmath=both) fast=1 ;;
    -funsafe-math-optimizations|-fassociative-math|-freciprocal-math|-fno-signed-zeros) fast=1 ;;
    -ffloat-store|-fexcess-precision=*|-ffinite-math-only|-fcx-*|-fno-math-errno) fast=1 ;;
    esac
done
if [ -n "$fast" ] && [ -n "$source" ] && grep -q 'tenth\|whole' "$source"; then
    echo "$source:1:1: internal compiler error: a flag was met" >&2
    exit 1
fi
exec gcc "$@"
"#;

/// What the user asks for, what a listed compiler always gets and what is drawn: a program of
/// tier rounded is left out wherever its tier does not allow it, and others are not.
#[test]
fn no_program_meets_a_flag_that_its_tier_does_not_allow() {
    let place = Place::new("tiers");
    let script = place.path.join("watching");
    fs::write(&script, WATCHING).expect("it can be written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut text = String::new();
    for (name, flags, levels) in [
        ("drawn", "[]", "[\"-O1\", \"-O3\"]"),
        ("asked", "[]", "[\"-O2 -ffast-math\", \"-Ofast\"]"),
        ("always", "[\"-ffp-contract=fast\"]", "[\"-O2\"]"),
    ] {
        text += &format!(
            "[[subject]]\nname = \"{name}\"\ncommand = \"{}\"\nfamily = \"gcc\"\n\
             target = \"x86_64-linux\"\nflags = {flags}\nlevels = {levels}\n",
            script.display()
        );
    }
    fs::write(place.path.join("farrier.toml"), text).expect("it can be written");
    fs::create_dir_all(place.path.join("corpus")).expect("it can be made");
    for number in 0..4 {
        let text = format!(
            "volatile double tenth = 0.{number}1;\nint main(void) {{ return tenth * 3 == 0.3; }}\n"
        );
        fs::write(place.path.join(format!("corpus/{number}.c")), text).expect("it is new");
    }
    let hunt = |dir: &str, flags: u32, subjects: &[&str]| {
        let spending = format!(
            "[spending]\ncorpus = 100\nmutate = 0\nflags = {flags}\nfloating-flags = 100\n"
        );
        fs::write(place.path.join("spending.toml"), spending).expect("it can be written");
        let mut arguments = vec!["hunt", "--dir", dir, "--corpus", "corpus", "--seed", "1"];
        arguments.extend(["--config", "spending.toml"]);
        arguments.extend(subjects.iter().flat_map(|subject| ["--subject", subject]));
        let output = place.run(&arguments);
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (is_fine, summary) = hunt("drawn", 90, &["drawn"]);
    assert!(is_fine && !summary.contains("left out"), "{summary}");
    assert!(summary.contains("floating arithmetic: 0 free, 0 exact, 4 rounded"), "{summary}");
    let (is_fine, summary) = hunt("asked", 0, &["asked", "always"]);
    // Of each program two levels, and the one of the compiler with a flag of its own.
    assert!(!is_fine && summary.contains("12 trials were left out"), "{summary}");
    for number in 0..4 {
        let text = format!("int whole = {number};\nint main(void) {{ return whole * 3; }}\n");
        fs::write(place.path.join(format!("corpus/{number}.c")), text).expect("it is there");
    }
    let (_, summary) = hunt("without", 0, &["asked", "always"]);
    assert!(!summary.contains("left out"), "{summary}");
    let findings = place.json(&["findings", "--dir", "without", "--json"]);
    assert!(!findings_of(&findings, "asked").is_empty(), "{findings:#}");
    assert!(!findings_of(&findings, "always").is_empty(), "{findings:#}");
}
