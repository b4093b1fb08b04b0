//! The flags of the compilers of this machine.

use std::path::Path;

use farrier_harness::{
    Bench, Catalogue, Family, FlagPolicy, Outcome, Sandbox, Scratch, Subject, choose,
    parse_subjects, read_catalogue,
};
use farrier_lang::SourceText;

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_farrier-test-launcher").into()).expect("the launcher works")
}

/// The compiler of a family, and its flags.
fn compiler(family: Family, sandbox: &Sandbox, scratch: &Scratch) -> (Subject, Catalogue) {
    let name = family.name();
    let text = format!(
        "[[subject]]\nname = \"{name}\"\ncommand = \"{name}\"\nfamily = \"{name}\"\n\
         target = \"x86_64-linux\"\n"
    );
    let subject = parse_subjects(Path::new("flags"), &text).expect("it is right").remove(0);
    let catalogue = read_catalogue(&subject, sandbox, scratch.path())
        .unwrap_or_else(|error| panic!("{error}: install {name}"));
    (subject, catalogue)
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
        let flags = choose(&catalogue, &FlagPolicy::default(), number);
        scratch.clear().expect("it can be emptied");
        let source = SourceText::new("program.c", text);
        let trial = Bench::new(&sandbox, scratch.path()).try_out(&subject, &flags, &[source]);
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
