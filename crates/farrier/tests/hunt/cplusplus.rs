//! Hunts in compilers for C++.

use super::*;

/// A compiler for C++ in which the result of a virtual function has another lowest bit.
const WRONG_VIRTUAL: &str = r#"#!/bin/sh
source=
for argument; do
    case $argument in
    *.cpp) source=$argument ;;
    esac
done
if [ -n "$source" ]; then
    sed -i -E 's/-> ((unsigned |signed )?(char|short|int|long|long long)) override \{ return (.*); \}/-> \1 override { return (\4) ^ 1; }/' "$source"
fi
exec g++ "$@"
"#;

/// The same without a fault.
const HONEST: &str = "#!/bin/sh\nexec g++ \"$@\"\n";

/// Lists a compiler for C++ that a script stands for.
fn plant(place: &Place, name: &str, script: &str) {
    let directory = place.path.join(name);
    fs::create_dir_all(&directory).expect("it can be made");
    let path = directory.join("c++");
    fs::write(&path, script).expect("it can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let text = format!(
        "[[subject]]\nname = \"{name}\"\ncommand = \"{}\"\nfamily = \"gcc\"\n\
         target = \"x86_64-linux\"\nlevels = [\"-O1\"]\n",
        path.display()
    );
    fs::write(place.path.join("farrier.toml"), text).expect("it can be written");
}

/// How many tokens a C++ text has: names, numbers, and other signs one by one.
fn tokens(text: &str) -> usize {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut count = 0;
    let mut before = ' ';
    for c in text.chars() {
        let continues = is_word(c) && is_word(before) || matches!((before, c), ('-', '>'));
        count += usize::from(!c.is_whitespace() && !continues);
        before = c;
    }
    count
}

#[test]
fn a_compiler_that_gets_virtual_calls_wrong_is_found_and_reduced() {
    let place = Place::new("virtual");
    plant(&place, "wrong-virtual", WRONG_VIRTUAL);
    let hunt = ["hunt", "--seed", "3", "--size", "6k", "--programs", "40", "--config", PLAIN];
    let output = place.run(&[&hunt[..], &["--subject", "wrong-virtual"]].concat());
    assert_status(&output, 1);
    let findings = place.json(&["findings", "--json"]);
    let first = &findings[0];
    assert!(first["kind"] == "wrong-output" || first["kind"] == "wrong-exit", "{first}");
    let name = first["name"].as_str().expect("it has a name");
    assert_status(&place.run(&["replay", name]), 1);
    let reduced = place.run(&["reduce", name]);
    let said = String::from_utf8_lossy(&reduced.stderr).into_owned();
    assert!(said.contains("dresses matter: virtual"), "{said}");
    let path = String::from_utf8_lossy(&reduced.stdout).trim().to_owned();
    let text = fs::read_to_string(place.path.join(path)).expect("the program is there");
    assert!(text.contains("->call("), "{text}");
    assert!(tokens(&text) < 80, "{} tokens: {text}", tokens(&text));
}

#[test]
fn an_honest_compiler_for_cplusplus_is_not_accused() {
    let place = Place::new("honest-cplusplus");
    plant(&place, "honest", HONEST);
    let hunt = ["hunt", "--seed", "5", "--size", "4k", "--programs", "10", "--config", PLAIN];
    let output = place.run(&[&hunt[..], &["--subject", "honest"]].concat());
    assert_status(&output, 0);
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(summary.contains("10 programs"), "{summary}");
}
