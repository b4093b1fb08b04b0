//! The flags of the compilers of this machine.

#[path = "support/certify.rs"]
mod support;

use std::path::Path;

use farrier_harness::{
    Bench, Catalogue, Expectation, Family, FlagPolicy, Outcome, Sandbox, Scratch, Subject, choose,
    parse_subjects, read_catalogue, refusal,
};
use farrier_lang::SourceText;
use farrier_machine::Tier;
use support::certify;

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_farrier-test-launcher").into()).expect("the launcher works")
}

/// The compiler of a family.
fn plain(family: Family) -> Subject {
    let name = family.name();
    let text = format!(
        "[[subject]]\nname = \"{name}\"\ncommand = \"{name}\"\nfamily = \"{name}\"\n\
         target = \"x86_64-linux\"\n"
    );
    parse_subjects(Path::new("flags"), &text).expect("it is right").remove(0)
}

/// The same, and its flags.
fn compiler(family: Family, sandbox: &Sandbox, scratch: &Scratch) -> (Subject, Catalogue) {
    let (name, subject) = (family.name(), plain(family));
    let catalogue = read_catalogue(&subject, sandbox, scratch.path())
        .unwrap_or_else(|error| panic!("{error}: install {name}"));
    (subject, catalogue)
}

/// The words of a command that a program of a tier may not meet.
fn forbidden<'a>(words: impl IntoIterator<Item = &'a String>, tier: Tier) -> Option<String> {
    refusal(words.into_iter().map(String::as_str), tier)
}

/// Draws sets of flags; with each, a program must do what it does without.
fn try_sets(family: Family, least: usize) {
    let scratch = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
    let sandbox = sandbox();
    let (subject, catalogue) = compiler(family, &sandbox, &scratch);
    assert!(catalogue.optimisations.len() >= least, "{catalogue:#?}");
    assert!(!catalogue.processors.is_empty() && !catalogue.linking.is_empty(), "{catalogue:#?}");
    let text = "#include <stdio.h>\nint main(void) { int s = 0; for (int i = 0; i < 100; i++) \
                s += i * i; printf(\"%d %g\\n\", s, s / 7.0); return 0; }\n";
    for number in 0..8 {
        let flags = choose(&catalogue, &FlagPolicy::default(), Some(Tier::Rounded), number);
        scratch.clear().expect("it can be emptied");
        let source = SourceText::new("program.c", text);
        let bench = Bench::new(&sandbox, scratch.path());
        let trial = bench.try_out(&subject, &flags, &[source], &Expectation::Nothing);
        let right = Outcome::Ran { status: 0, output: b"328350 46907.1\n".to_vec() };
        assert_eq!(trial.outcome, right, "{flags:?}");
    }
}

#[test]
fn gcc_tells_its_flags() {
    try_sets(Family::Gcc, 100);
}

#[test]
fn clang_takes_what_is_known_of_it() {
    try_sets(Family::Clang, 15);
}

/// No set that is drawn has a flag that the tier does not allow, and every tier has sets that the
/// next one does not allow.
#[test]
fn no_tier_draws_what_it_does_not_allow() {
    let scratch = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
    let sandbox = sandbox();
    for family in [Family::Gcc, Family::Clang] {
        let (_, catalogue) = compiler(family, &sandbox, &scratch);
        let draw = |tier, number| choose(&catalogue, &FlagPolicy::default(), tier, number);
        let count = |tier, strict| {
            let wrong = |number: &u64| forbidden(&draw(tier, *number), strict).is_some();
            (0..2_000).filter(wrong).count()
        };
        for tier in Tier::ALL {
            assert_eq!(count(Some(tier), tier), 0, "{}", tier.name());
        }
        // Without floating numbers there is nothing to regroup in a vector.
        let is_about_floats = |flag: &String| !flag.starts_with("-force-vector-width");
        let drawn = |number| draw(None, number).into_iter().filter(is_about_floats).collect();
        let wrong = |number: &u64| -> bool {
            let flags: Vec<String> = drawn(*number);
            forbidden(&flags, Tier::Rounded).is_some()
        };
        assert_eq!((0..2_000).filter(wrong).count(), 0);
        assert!(count(Some(Tier::Free), Tier::Exact) > 200);
        assert!(count(Some(Tier::Exact), Tier::Rounded) > 200);
    }
}

/// A compiler that writes down how it is called, where it is called.
fn recorder(place: &Scratch) -> Subject {
    let script = place.path().join("gcc");
    std::fs::write(&script, "#!/bin/sh\necho \"$@\" >> log\nexec gcc \"$@\"\n").expect("it is new");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, executable).expect("it is ours");
    let text = format!(
        "[[subject]]\nname = \"gcc\"\ncommand = \"{}\"\nfamily = \"gcc\"\n\
         target = \"x86_64-linux\"\n",
        script.display()
    );
    parse_subjects(Path::new("flags"), &text).expect("it is right").remove(0)
}

/// A program is not given to a compiler with a flag that its tier does not allow, whoever asks
/// for the flag: no wish of the user, no flag of a subject and no search for a culprit.
#[test]
fn no_case_meets_a_flag_that_its_tier_does_not_allow() {
    let place = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
    let (scratch, sandbox) = (Scratch::new(&std::env::temp_dir()).expect("so is here"), sandbox());
    let plain = recorder(&place);
    let rounded = "volatile double x = 0.1; int main(void) { return x * 3 == 0.3; }\n";
    let without = "int main(void) { return 0; }\n";
    let flags = ["-Ofast", "-ffast-math", "-ffp-contract=fast", "-mfpmath=387", "-O2", "-mno-sse"];
    let always: [&[&str]; 3] = [&[], &["-fno-signed-zeros"], &["-ffloat-store", "-O1"]];
    for (text, tier) in [(rounded, Some(Tier::Rounded)), (without, None)] {
        let expectation = certify(text);
        assert_eq!(expectation.floating(), tier);
        for (own, flag) in always.iter().flat_map(|own| flags.map(|flag| (own, flag))) {
            let mut subject = plain.clone();
            subject.flags.extend(own.iter().map(|flag| (*flag).to_owned()));
            let flags = ["-O3".to_owned(), flag.to_owned()];
            scratch.clear().expect("it can be emptied");
            let source = [SourceText::new("program.c", text)];
            let bench = Bench::new(&sandbox, scratch.path());
            let trial = bench.try_out(&subject, &flags, &source, &expectation);
            let wrong = tier.and_then(|tier| forbidden(subject.flags.iter().chain(&flags), tier));
            // Without SSE it computes with more digits, as it says itself.
            let is_unfit = wrong.is_some() || tier.is_some() && flag == "-mno-sse";
            assert_eq!(matches!(trial.outcome, Outcome::Unfit { .. }), is_unfit, "{trial:?}");
            let log = std::fs::read_to_string(scratch.path().join("log")).unwrap_or_default();
            assert_eq!(log.contains("-c program.c"), !is_unfit, "{log}");
        }
    }
}

/// Clang regroups sums in a loop that it is told to vectorise, so it does not get a program in
/// which their order matters.
#[test]
fn a_loop_with_a_hint_and_floating_sums_is_not_for_clang() {
    let scratch = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
    let sandbox = sandbox();
    let compilers = [Family::Gcc, Family::Clang].map(plain);
    let program = |hint: &str, ty: &str| {
        format!(
            "double x = 0.1; {ty} a[64]; int main(void) {{ x *= 0.7; {ty} s = ({ty})x;\n\
             #pragma clang loop {hint}\n\
             for (int i = 0; i < 64; i++) s += a[i]; return s > 9; }}\n"
        )
    };
    for (hint, ty, clang) in [
        ("vectorize(enable)", "float", false),
        ("vectorize_width(4)", "double", false),
        ("vectorize_predicate(enable)", "double", false),
        ("unroll(enable)", "double", true),
        ("vectorize(enable)", "int", true),
    ] {
        let text = program(hint, ty);
        let expectation = certify(&text);
        for (subject, fits) in compilers.iter().zip([true, clang]) {
            scratch.clear().expect("it can be emptied");
            let source = [SourceText::new("program.c", &*text)];
            let bench = Bench::new(&sandbox, scratch.path());
            let trial = bench.try_out(subject, &["-O2".to_owned()], &source, &expectation);
            let is_unfit = matches!(trial.outcome, Outcome::Unfit { .. });
            assert_eq!(is_unfit, !fits, "{hint} {ty}: {trial:?}");
        }
    }
}

#[test]
fn refused_flags_are_learnt() {
    let scratch = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
    let sandbox = sandbox();
    let (mut subject, full) = compiler(Family::Gcc, &sandbox, &scratch);
    assert!(full.optimisations.iter().any(|choice| choice.name == "gcse"));
    // A compiler that has all flags of gcc but one.
    let script = scratch.path().join("picky");
    let text = "#!/bin/sh\nfor i; do [ \"$i\" = -fno-gcse ] && exit 1; done\nexec gcc \"$@\"\n";
    std::fs::write(&script, text).expect("it can be written");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, executable).expect("it is ours");
    subject.command = vec![script.to_str().expect("a path").to_owned()];
    let picky = read_catalogue(&subject, &sandbox, scratch.path()).expect("it answers");
    let new: Vec<&String> =
        picky.refused.iter().filter(|flag| !full.refused.contains(flag)).collect();
    assert_eq!(new, ["-fno-gcse"]);
    let gcse = picky.optimisations.iter().find(|choice| choice.name == "gcse").expect("half of it");
    assert_eq!(gcse.forms, [["-fgcse"]]);
}
