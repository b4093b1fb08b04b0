//! Machines that share the analysis of findings.

use super::join::finish;
use super::nats::{self, Server};
use super::*;

/// Tables of a copy of the hunt `trunk`.
fn copy(place: &Place, url: &str, query: &str) -> Vec<String> {
    let sync = ["sync", "--join", url, "--name", "trunk", "--dir", "copy", "--once"];
    assert_status(&place.run(&sync), 0);
    let database = Connection::open(place.path.join("copy/hunt.db")).expect("it is there");
    let mut query = database.prepare(query).expect("the table is there");
    let rows = query.query_map([], |row| row.get(0)).expect("it can be read");
    rows.collect::<Result<_, _>>().expect("it can be read")
}

/// A command on the hunt `trunk` of another machine, which has a directory of its own.
fn command(place: &Place, url: &str, machine: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_farrier"));
    command.current_dir(&place.path).args(arguments).args(["--join", url, "--name", "trunk"]);
    command.env("XDG_CACHE_HOME", place.path.join(machine));
    command
}

/// A hunt with a finding in each program, which nobody has analysed.
fn hunted(place: &Place, url: &str, silence: &str) {
    place.plant(&[("segfault", &["-O1"])]);
    let mut arguments = vec!["hunt", "--join", url, "--name", "trunk", "--dir", "first", "--jobs"];
    arguments.extend(["1", "--programs", "3", "--silence", silence, "--seed", "9", "--size", "4k"]);
    arguments.extend(["--config", PLAIN, "--subject", "segfault"]);
    assert_status(&place.run(&arguments), 1);
}

#[test]
fn a_claim_of_a_dead_machine_is_taken_over() {
    let place = Place::new("join-claim");
    let server = Server::new(&place.path, &[]);
    let url = server.url();
    hunted(&place, &url, "8s");
    let mut dying = command(&place, &url, "dying", &["triage", "--no-reduce", "--each", "1"]);
    let mut dying = dying.stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts");
    let end = Instant::now() + Duration::from_secs(60);
    while nats::claims(&url) == 0 {
        assert!(Instant::now() < end, "it claims nothing");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(dying.try_wait().expect("it was started").is_none(), "it has ended");
    dying.kill().and_then(|()| dying.wait()).expect("it was started");
    let killed = Instant::now();
    // Others leave the cause alone while the server believes that it is at work.
    let output = command(&place, &url, "other", &["triage", "--no-reduce", "--each", "1"])
        .output()
        .expect("it can be started");
    if killed.elapsed() < Duration::from_secs(5) {
        assert!(
            stderr(&output).contains("another machine analyses findings like it"),
            "{output:?}"
        );
    }
    std::thread::sleep(Duration::from_secs(9).saturating_sub(killed.elapsed()));
    assert_eq!(nats::claims(&url), 0, "the claim is still there");
    let output = command(&place, &url, "other", &["triage", "--no-reduce", "--each", "1"])
        .output()
        .expect("it can be started");
    assert_status(&output, 1);
    let analysed = copy(&place, &url, "SELECT finding FROM analyses");
    assert!(!analysed.is_empty(), "{output:?}");
    assert_eq!(nats::claims(&url), 0, "the claim is given back");
}

#[test]
fn a_finding_is_reduced_for_all_machines() {
    let place = Place::new("join-reduce");
    let server = Server::new(&place.path, &[]);
    let url = server.url();
    hunted(&place, &url, "60s");
    let names = copy(&place, &url, "SELECT name FROM findings ORDER BY name");
    let name = &names[0];
    let output = command(&place, &url, "other", &["reduce", name]).output().expect("it starts");
    assert_status(&output, 0);
    assert_eq!(nats::claims(&url), 0, "the claim is given back");
    let reduced = copy(&place, &url, "SELECT program_case FROM reductions");
    assert_eq!(reduced.len(), 1, "{output:?}");
    // A third machine has the program itself.
    let source = place.path.join("copy/cases").join(&reduced[0]).join("program.c");
    let text = fs::read_to_string(&source).expect("the program came along");
    assert!(text.len() < 500, "{text}");
    let output = command(&place, &url, "third", &["show", name]).output().expect("it starts");
    assert_status(&output, 1);
    assert!(String::from_utf8_lossy(&output.stdout).contains("Reduced from"), "{output:?}");
}

#[test]
fn machines_analyse_findings_while_they_hunt() {
    let place = Place::new("join-triage");
    place.plant(&[("segfault/other", &["-O1"]), ("segfault", &["-O1"])]);
    let server = Server::new(&place.path, &[]);
    let url = server.url();
    finish(["first", "second"].map(|name| {
        let mut hunt = command(&place, &url, name, &["hunt", "--dir", name]);
        hunt.args(["--jobs", "1", "--programs", "6", "--silence", "5s", "--seed", "9"]);
        hunt.args(["--size", "2k", "--config", PLAIN, "--server-bytes", "64M"]);
        hunt.args(["--subject", "segfault-other", "--subject", "segfault"]);
        hunt.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be started")
    }));
    let query = "SELECT DISTINCT json_extract(subject, '$.name') FROM findings, analyses \
                 WHERE findings.name = analyses.finding ORDER BY 1";
    assert_eq!(copy(&place, &url, query), ["segfault", "segfault-other"]);
    assert!(!copy(&place, &url, "SELECT finding FROM reductions").is_empty());
    assert_eq!(nats::claims(&url), 0, "a claim is left");
    // Everything that they know is in the hunt.
    let here = |directory: &str| {
        let database = Connection::open(place.path.join(directory).join("hunt.db"));
        let query = "SELECT count(*) FROM outbox";
        database
            .and_then(|it| it.query_row(query, [], |row| row.get::<_, u64>(0)))
            .expect("a count")
    };
    assert_eq!((here("first"), here("second")), (0, 0));
}
