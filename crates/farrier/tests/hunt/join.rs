//! Hunts of several machines, with a server that the test starts.

use rusqlite::OpenFlags;

use super::nats::{self, Server, SmallDisk, signal};
use super::*;

/// What a hunt is about, whoever hunts.
const HUNT: [&str; 10] = [
    "--seed",
    "9",
    "--size",
    "2k",
    "--config",
    PLAIN,
    "--subject",
    "wrong-comparison",
    "--subject",
    "segfault",
];

impl Place {
    /// The arguments of a member of the hunt `trunk`.
    fn member<'a>(&self, url: &'a str, directory: &'a str, programs: &'a str) -> Vec<&'a str> {
        let mut arguments = vec!["hunt", "--join", url, "--name", "trunk", "--dir", directory];
        arguments.extend(["--jobs", "1", "--programs", programs, "--silence", "2s"]);
        arguments.extend(HUNT);
        arguments
    }

    /// What one machine alone stores.
    fn alone(&self, programs: &str) -> Vec<String> {
        let mut arguments = vec!["hunt", "--dir", "alone", "--jobs", "2", "--programs", programs];
        arguments.extend(HUNT);
        assert_status(&self.run(&arguments), 1);
        self.stored("alone")
    }

    /// What the server has.
    fn synced(&self, url: &str, directory: &str) -> Vec<String> {
        let sync = ["sync", "--join", url, "--name", "trunk", "--dir", directory, "--once"];
        let output = self.run(&sync);
        assert_status(&output, 0);
        assert!(!stderr(&output).contains("is left out"), "{output:?}");
        self.stored(directory)
    }

    fn plant_two(&self) {
        self.plant(&[("wrong-comparison", &["-O1", "-O2"]), ("segfault", &["-O1"])]);
    }
}

/// Two stores are the same; if not, what is in one of them only.
#[track_caller]
fn assert_same(found: &[String], expected: &[String]) {
    let without = |these: &[String], others: &[String]| -> Vec<String> {
        these.iter().filter(|row| !others.contains(row)).cloned().collect()
    };
    let (more, less) = (without(found, expected), without(expected, found));
    assert!(more.is_empty() && less.is_empty(), "too much: {more:#?}\ntoo little: {less:#?}");
    assert_eq!(found.len(), expected.len(), "something is there twice");
}

impl Place {
    /// A command that keeps its copies in the place.
    fn reading(&self, arguments: &[&str], url: &str) -> Output {
        let mut command = self.command(arguments);
        command.args(["--join", url, "--name", "trunk"]);
        command.env("XDG_CACHE_HOME", self.path.join("cache")).output().expect("it can be started")
    }
}

pub(super) fn finish(members: impl IntoIterator<Item = Child>) {
    for member in members {
        let output = member.wait_with_output().expect("it was started");
        assert_status(&output, 1);
    }
}

/// A generator that is good enough for moments.
fn moments() -> impl Iterator<Item = u64> {
    let next = |number: &u64| {
        Some(number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963))
    };
    std::iter::successors(Some(1), next).map(|number| number >> 33).skip(1)
}

#[test]
fn two_machines_find_what_one_finds() {
    let place = Place::new("join");
    place.plant_two();
    let server = Server::new(&place.path, &[]);
    let url = server.url();
    let alone = place.alone("12");
    finish(["first", "second"].map(|name| place.start(&place.member(&url, name, "12"))));
    assert_same(&place.synced(&url, "copy"), &alone);
    let shares = ["first", "second"]
        .map(|name| place.stored(name).iter().filter(|row| row.starts_with("programs")).count());
    assert_eq!(shares.iter().sum::<usize>(), 12, "{shares:?}");

    // Everything that reads a hunt reads this one.
    let local = place.json(&["findings", "--json", "--dir", "alone"]);
    let names = |findings: &Value| -> Vec<String> {
        let list = findings.as_array().expect("a list").iter();
        list.map(|finding| finding["name"].as_str().expect("a name").to_owned()).collect()
    };
    let output = place.reading(&["findings", "--json"], &url);
    let findings: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!(names(&findings), names(&local));
    let name = &names(&findings)[0];
    assert_status(&place.reading(&["show", name], &url), 1);
    assert_status(&place.reading(&["replay", name], &url), 1);
    assert_status(&place.reading(&["report", "-o", "page.html"], &url), 0);
    let output = place.reading(&["triage", "--no-reduce", "--each", "1", name], &url);
    assert_status(&output, 1);
    // What it found out is on the server.
    place.synced(&url, "copy");
    let bugs = place.json(&["bugs", "--json", "--dir", "copy"]);
    assert!(bugs.to_string().contains(name.as_str()), "{bugs:#}");

    // A directory belongs to one hunt, and a hunt has one seed.
    let output = place.run(&["hunt", "--dir", "first"]);
    assert_status(&output, 2);
    assert!(stderr(&output).contains("belongs to the hunt `trunk`"), "{output:?}");
    let other = ["hunt", "--join", &url, "--name", "trunk", "--dir", "third", "--seed", "1"];
    let output = place.run(&other);
    assert_status(&output, 2);
    assert!(stderr(&output).contains("`trunk` began with --seed 9"), "{output:?}");
    let output = place.run(&["sync", "--join", &url, "--name", "truck", "--dir", "x", "--once"]);
    assert_status(&output, 2);
    assert!(stderr(&output).contains("no hunt `truck`"), "{output:?}");
    assert!(stderr(&output).contains("there are trunk"), "{output:?}");
}

/// How often the workers below are killed: `FARRIER_KILLS=50` for a long test.
const WORKER_KILLS: usize = 4;

#[test]
fn workers_that_are_killed_lose_nothing() {
    let place = Place::new("join-killed");
    place.plant_two();
    let server = Server::new(&place.path, &[]);
    let url = server.url();
    let asked = std::env::var("FARRIER_KILLS").ok();
    let kills = asked.map_or(WORKER_KILLS, |kills| kills.parse().expect("a number"));
    let programs = (12 + 2 * kills).to_string();
    let alone = place.alone(&programs);
    let member = |name: &'static str| place.start(&place.member(&url, name, &programs));
    let mut members = ["first", "second"].map(|name| (name, member(name)));
    let mut met = 0;
    for (moment, turn) in moments().take(kills).zip(0..) {
        let (name, child) = &mut members[turn % 2];
        std::thread::sleep(Duration::from_millis(moment % 1500));
        // After the end of the hunt there is nothing to kill.
        met += usize::from(child.try_wait().expect("it was started").is_none());
        child.kill().and_then(|()| child.wait()).expect("it was started");
        *child = member(name);
    }
    finish(members.map(|(_, child)| child));
    println!("{met} of {kills} kills met a worker");
    assert!(2 * met > kills, "{met} of {kills} kills met a worker: the hunt is too short");
    assert_same(&place.synced(&url, "copy"), &alone);
}

#[test]
fn a_server_that_is_gone_for_a_while_loses_nothing() {
    let place = Place::new("join-outage");
    place.plant_two();
    let mut server = Server::new(&place.path, &[]);
    let url = server.url();
    // `FARRIER_OUTAGES=10` and `FARRIER_OUTAGE_SECONDS=30` for a long test.
    let asked = |name: &str, usual: u64| {
        std::env::var(name).map_or(usual, |number| number.parse().expect("a number"))
    };
    let (outages, seconds) = (asked("FARRIER_OUTAGES", 2), asked("FARRIER_OUTAGE_SECONDS", 4));
    let programs = (20 + 4 * outages).to_string();
    let alone = place.alone(&programs);
    let members = ["first", "second"].map(|name| place.start(&place.member(&url, name, &programs)));
    std::thread::sleep(Duration::from_millis(1500));
    for moment in moments().take(usize::try_from(outages).expect("a small number")) {
        std::thread::sleep(Duration::from_millis(moment % 1500));
        server.kill();
        std::thread::sleep(Duration::from_millis(moment % 2000));
        server.restart();
    }
    std::thread::sleep(Duration::from_millis(500));
    signal(&server.child, "STOP");
    std::thread::sleep(Duration::from_secs(seconds));
    signal(&server.child, "CONT");
    finish(members);
    assert_same(&place.synced(&url, "copy"), &alone);
}

#[test]
fn a_cluster_that_loses_servers_loses_nothing() {
    let place = Place::new("join-cluster");
    place.plant_two();
    let alone = place.alone("30");
    let mut servers = nats::cluster(&place.path);
    let urls = servers.each_ref().map(Server::url);
    let mut members = [("first", 0), ("second", 1)].map(|(name, at)| {
        let mut arguments = place.member(&urls[at], name, "30");
        arguments.extend(["--replicas", "3"]);
        place.start(&arguments)
    });
    let said = members.each_mut().map(|member| heard(member, "hunting for bugs"));
    servers[1].kill();
    std::thread::sleep(Duration::from_secs(2));
    servers[1].restart();
    std::thread::sleep(Duration::from_secs(5));
    servers[0].kill();
    for (mut member, said) in members.into_iter().zip(said) {
        let status = member.wait().expect("it was started");
        let said = said.join().expect("it does not panic");
        assert_eq!(status.code(), Some(1), "{said}");
    }
    // A newcomer may wait for minutes while one of three is gone, and what a server has missed
    // comes to it little by little.
    servers[0].restart();
    let mut copies = (0..8).map(|_| {
        std::thread::sleep(Duration::from_secs(5));
        place.synced(&urls[2], "copy")
    });
    let copy = copies.find(|copy| copy.len() >= alone.len());
    assert_same(&copy.expect("all comes to the server in the end"), &alone);
}

/// Waits until a worker has said something; what it says later is read as well.
fn heard(child: &mut Child, text: &'static str) -> std::thread::JoinHandle<String> {
    let (teller, told) = std::sync::mpsc::channel();
    let mut stderr = child.stderr.take().expect("it is piped");
    let reader = std::thread::spawn(move || {
        let (mut all, mut some) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = std::io::Read::read(&mut stderr, &mut some) {
            all.extend(&some[..count]);
            if String::from_utf8_lossy(&all).contains(text) {
                let _ = teller.send(());
            }
        }
        String::from_utf8_lossy(&all).into_owned()
    });
    let said = told.recv_timeout(Duration::from_secs(120));
    if said.is_err() {
        let _ = child.kill();
        let all = reader.join().expect("it does not panic");
        panic!("`{text}` was never said: {all}");
    }
    reader
}

#[test]
fn a_server_whose_disk_is_full_loses_nothing() {
    let place = Place::new("join-full");
    place.plant_two();
    let alone = place.alone("24");
    let store = place.path.join("server");
    let disk = SmallDisk::new(&store, 4096);
    // The server would take a part of the disk that is free now as its limit.
    let config = place.path.join("server.conf");
    let text = format!("jetstream {{ store_dir: {:?}, max_file_store: 1GB }}\n", store);
    fs::write(&config, text).expect("it can be written");
    let within = disk.within();
    let within: Vec<&str> = within.iter().map(String::as_str).collect();
    let config = config.display().to_string();
    let mut server = Server::start(&within, &["--config", &config]);
    let url = server.url();
    let mut worker = place.start(&place.member(&url, "first", "24"));
    let begun = heard_of(&place, "first");
    disk.fill();
    let said = heard(&mut worker, "does not answer as it should");
    assert!(begun < 24, "the hunt was done before the disk was full");
    // The user makes room. A server that could not write has to be started again.
    disk.clear();
    server.kill();
    server.restart();
    assert!(matches!(worker.wait().expect("it was started").code(), Some(1)));
    let said = said.join().expect("it does not panic");
    assert!(said.contains("answers again"), "{said}");
    assert_same(&place.synced(&url, "copy"), &alone);
}

/// Waits until a machine has done a program; how many it has done.
fn heard_of(place: &Place, directory: &str) -> usize {
    let path = place.path.join(directory).join("hunt.db");
    let end = Instant::now() + Duration::from_secs(120);
    loop {
        let count = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .and_then(|it| it.query_row("SELECT count(*) FROM programs", [], |row| row.get(0)));
        match count {
            Ok(count @ 1..) => return count,
            _ => assert!(Instant::now() < end, "it does nothing"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_hunt_that_has_used_up_its_room_keeps_its_results() {
    let place = Place::new("join-room");
    place.plant_two();
    let alone = place.alone("12");
    let server = Server::new(&place.path, &[]);
    let url = server.url();
    let mut arguments = place.member(&url, "first", "12");
    arguments.extend(["--server-bytes", "12k"]);
    let mut worker = place.start(&arguments);
    let said = heard(&mut worker, "maximum bytes exceeded");
    signal(&worker, "INT");
    assert_eq!(worker.wait().expect("it was started").code(), Some(2));
    let said = said.join().expect("it does not panic");
    assert!(said.contains("results could not be sent and wait in `first`"), "{said}");
    // With more room, the same command sends what waits, and goes on.
    nats::give_room(&url, 1 << 20);
    finish([place.start(&place.member(&url, "first", "12"))]);
    assert_same(&place.synced(&url, "copy"), &alone);
}

#[test]
fn what_a_newer_version_has_written_is_refused() {
    let place = Place::new("join-newer");
    place.plant(&[("segfault", &["-O1"])]);
    let server = Server::new(&place.path, &[]);
    let url = server.url();
    let mut hunt = vec!["hunt", "--join", &url, "--name", "trunk", "--programs", "1", "--seed"];
    hunt.extend(["3", "--size", "2k", "--config", PLAIN, "--subject", "segfault"]);
    assert_status(&place.run(&hunt), 1);
    let sync = ["sync", "--join", &url, "--name", "trunk", "--dir", "copy", "--once"];
    let refused = |arguments: &[&str]| {
        let output = place.run(arguments);
        assert_status(&output, 2);
        let said = stderr(&output);
        assert!(said.contains("messages of a newer version of Farrier (form 9999,"), "{said}");
        assert!(said.contains("use that version"), "{said}");
    };
    assert_status(&place.run(&sync), 0);
    // A row among others, and what the hunt is.
    nats::publish(&url, "farrier.trunk.news.findings.x", r#"{"form": 9999, "table": "findings"}"#);
    refused(&sync);
    nats::publish(&url, "$KV.farrier_trunk_state.hunt", r#"{"form": 9999}"#);
    refused(&sync);
    refused(&hunt);
    refused(&["findings", "--join", &url, "--name", "trunk"]);
}

#[test]
fn a_worker_that_leaves_gives_its_programs_back() {
    let place = Place::new("join-leave");
    place.plant_two();
    let server = Server::new(&place.path, &[]);
    let url = server.url();
    let alone = place.alone("16");
    let leaving = place.start(&place.member(&url, "first", "16"));
    // It leaves in the middle: all programs take several times as long.
    std::thread::sleep(Duration::from_millis(1500));
    signal(&leaving, "INT");
    let output = leaving.wait_with_output().expect("it was started");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    finish([place.start(&place.member(&url, "second", "16"))]);
    assert_same(&place.synced(&url, "copy"), &alone);
}

#[test]
fn those_that_begin_at_once_have_one_seed() {
    let place = Place::new("join-begin");
    place.plant(&[("segfault", &["-O1"])]);
    let server = Server::new(&place.path, &[]);
    let url = server.url();
    let members = ["first", "second"].map(|directory| {
        let mut arguments = vec!["hunt", "--join", &url, "--name", "trunk", "--dir", directory];
        arguments.extend(["--jobs", "1", "--programs", "2", "--size", "2k", "--config", PLAIN]);
        arguments.extend(["--subject", "segfault"]);
        place.start(&arguments)
    });
    let seeds = members.map(|member| {
        let output = member.wait_with_output().expect("it was started");
        let text = stderr(&output);
        let (_, rest) = text.split_once("with seed ").expect("it says the seed");
        rest.split(',').next().expect("a number").to_owned()
    });
    assert_eq!(seeds[0], seeds[1]);
}

#[test]
fn two_hunts_on_one_server_do_not_meet() {
    let place = Place::new("join-two");
    place.plant_two();
    let server = Server::new(&place.path, &[]);
    let url = server.url();
    let hunt = |name: &'static str, seed: &'static str| {
        let mut arguments = vec!["hunt", "--join", &url, "--name", name, "--dir", name, "--seed"];
        arguments.extend([seed, "--jobs", "1", "--programs", "4", "--size", "2k", "--config"]);
        arguments.extend([PLAIN, "--subject", "segfault"]);
        place.start(&arguments)
    };
    let hunts = [("a", "1"), ("a-work", "2")].map(|(name, seed)| (name, seed, hunt(name, seed)));
    for (name, seed, child) in hunts {
        finish([child]);
        let copy = format!("copy-{name}");
        let sync = ["sync", "--join", &url, "--name", name, "--dir", &copy, "--once"];
        assert_status(&place.run(&sync), 0);
        let local = format!("local-{name}");
        let mut arguments = vec!["hunt", "--dir", &local, "--seed", seed, "--jobs", "1"];
        arguments.extend(["--programs", "4", "--size", "2k", "--config", PLAIN]);
        arguments.extend(["--subject", "segfault"]);
        assert_status(&place.run(&arguments), 1);
        assert_same(&place.stored(&copy), &place.stored(&local));
    }
}

#[test]
fn what_is_wrong_with_a_server_is_said() {
    let place = Place::new("join-wrong");
    place.plant(&[("segfault", &["-O1"])]);
    let hunt = |url: &str, secrets: &[(&str, &str)]| {
        let arguments = ["hunt", "--join", url, "--name", "trunk", "--subject", "segfault"];
        let mut command = place.command(&arguments);
        command.args(["--programs", "1", "--size", "2k", "--seed", "3", "--config", PLAIN]);
        command.envs(secrets.iter().copied()).output().expect("it can be started")
    };
    let refused = |output: &Output, why: &str| {
        assert_status(output, 2);
        assert!(stderr(output).contains(why), "{why}: {}", stderr(output));
        assert!(!place.path.join("farrier-trunk").exists(), "something is left behind");
    };
    refused(&hunt("nats://127.0.0.1:1", &[]), "cannot connect to nats://127.0.0.1:1");
    refused(&hunt("nats://", &[]), "is no address of a NATS server");
    let output = hunt("nats://me:geheim@127.0.0.1:1", &[]);
    refused(&output, "set NATS_USER and NATS_PASSWORD");
    assert!(!stderr(&output).contains("geheim"), "{output:?}");

    let server = Server::start(&[], &[]);
    refused(&hunt(&server.url(), &[]), "has no JetStream");
    drop(server);

    let server = Server::new(&place.path, &["--user", "me", "--pass", "geheim"]);
    let url = server.url();
    refused(&hunt(&url, &[]), "does not let a client without a name in");
    let output = hunt(&url, &[("NATS_USER", "me"), ("NATS_PASSWORD", "falsch")]);
    refused(&output, "does not let this user with this password in");
    assert!(!stderr(&output).contains("falsch"), "{output:?}");
    let output = hunt(&url, &[("NATS_USER", "me"), ("NATS_PASSWORD", "geheim")]);
    assert_status(&output, 1);
    // The secret is nowhere.
    let said = format!("{output:?}");
    assert!(!said.contains("geheim"), "{said}");
    let database = fs::read(place.path.join("farrier-trunk/hunt.db")).expect("it is there");
    assert!(!database.windows(6).any(|part| part == b"geheim"));
}

#[test]
fn compilers_that_differ_under_one_name_are_told_apart() {
    let (place, other) = (Place::new("join-apart"), Place::new("join-other"));
    place.plant(&[("segfault", &["-O1"])]);
    other.plant(&[("segfault", &["-O1"])]);
    let list = other.path.join("farrier.toml");
    let text = fs::read_to_string(&list).expect("it is there");
    fs::write(&list, text + "version = \"99.0\"\n").expect("it can be written");
    let server = Server::new(&place.path, &[]);
    let url = server.url();
    let hunt = |place: &Place| {
        let mut arguments = vec!["hunt", "--join", &url, "--name", "trunk", "--programs", "2"];
        arguments.extend(["--jobs", "1", "--seed", "3", "--size", "2k", "--config", PLAIN]);
        arguments.extend(["--subject", "segfault", "--subject", "nowhere-cc"]);
        let output = place.run(&arguments);
        assert_status(&output, 1);
        // A compiler that no machine has is said at once.
        assert!(stderr(&output).contains("`nowhere-cc` is not on this machine; no machine of"));
    };
    hunt(&place);
    hunt(&other);
    place.synced(&url, "copy");
    let findings = place.json(&["findings", "--json", "--dir", "copy"]);
    let numbers = |subject: &str| -> Vec<u64> {
        findings_of(&findings, subject).into_iter().map(|(_, _, number)| number).collect()
    };
    assert!(!numbers("segfault").is_empty(), "{findings:#}");
    assert_eq!(numbers("segfault"), numbers("segfault@99.0"));
}
