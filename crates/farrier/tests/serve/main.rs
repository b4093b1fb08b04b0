//! The live page from end to end: a server, its clients, and a browser.

#![expect(clippy::disallowed_methods, reason = "a test starts the command that it tests")]

#[expect(dead_code, reason = "tests of the hunt use the rest")]
#[path = "../support/nats.rs"]
mod nats;
#[path = "../support/planted.rs"]
mod planted;

mod access;
mod browser;
mod client;
mod joined;
mod live;
mod pages;
mod size;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use client::Answer;
use planted::Place;

/// A text that would run if it were taken for more than a text.
const HOSTILE: &str = "<script>document.title='ran'</script>\"'><img src=x onerror=\
                       \"document.title='ran'\">&amp;</pre></code>";

/// A server, ended with the test.
struct Server {
    child: Child,
    /// Such as `127.0.0.1:40001`.
    address: String,
}

impl Server {
    fn start(place: &Place, arguments: &[&str]) -> Self {
        Self::start_with(place, arguments, &[])
    }

    fn start_with(place: &Place, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_farrier"))
            .current_dir(&place.path)
            .arg("serve")
            .args(arguments)
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it can be started");
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        output.read_line(&mut line).expect("it says where it listens");
        let address = line.trim().strip_prefix("http://").and_then(|it| it.strip_suffix('/'));
        let address = address.unwrap_or_else(|| panic!("`{line}` is no address")).to_owned();
        Self { child, address }
    }

    /// A server for a hunt, on a port that is free.
    fn of(place: &Place) -> Self {
        Self::start(place, &["--listen", "127.0.0.1:0"])
    }

    fn get(&self, path: &str) -> Answer {
        client::ask(&self.address, "GET", path, &[])
    }

    /// Asks for a page that must be there.
    #[track_caller]
    fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.text()
    }

    /// A number that the kernel knows of the process, such as `VmHWM`.
    fn status(&self, name: &str) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(path).expect("the process runs");
        let line = text.lines().find(|line| line.starts_with(name)).expect("it is there");
        line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a number")
    }

    /// Presses Ctrl-C, and waits for the end.
    fn interrupt(&mut self) -> ExitStatus {
        let process = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &process]).status();
        assert!(sent.expect("kill is installed").success());
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it is ours") {
                return status;
            }
            assert!(started.elapsed() < Duration::from_secs(20), "it does not stop");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a server says that does not get as far as listening.
fn refused(place: &Place, arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_farrier"))
        .current_dir(&place.path)
        .arg("serve")
        .args(arguments)
        .envs(environment.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it can be started");
    let mut text = String::new();
    let mut stderr = child.stderr.take().expect("it is piped");
    stderr.read_to_string(&mut text).expect("it is a text");
    assert_eq!(child.wait().expect("it ends").code(), Some(2), "{text}");
    text
}

/// A hunt with findings in two compilers.
fn hunted(name: &str) -> Place {
    let place = Place::new(&format!("serve-{name}"));
    place.plant(&["wrong-exit", "internal-error"]);
    place.hunt(&["wrong-exit", "internal-error"], "3", "2");
    place
}

/// Copies a finding of a kind so many times, under other names.
fn multiply(place: &Place, kind: &str, count: u64) {
    let columns = "kind, subject, flags, program, seed, program_case, recipe, expected, outcome, \
                   seen, basis";
    let many = format!(
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
         INSERT INTO findings (name, {columns})
         SELECT printf('%010x', n), {columns} FROM numbers, \
         (SELECT * FROM findings WHERE kind = ?2 ORDER BY rowid LIMIT 1)"
    );
    let added = place.database().execute(&many, rusqlite::params![count as i64, kind]);
    assert_eq!(added.expect("they can be copied") as u64, count);
}
