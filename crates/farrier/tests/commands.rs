//! Snapshots of what commands print and of their exit status. Each is a file in
//! `commands`, run in `fixtures`; `TRYCMD=overwrite` accepts what is printed now.

#[test]
fn commands_say_what_they_should() {
    trycmd::TestCases::new().case("tests/commands/*.toml");
}
