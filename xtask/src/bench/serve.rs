//! `farrier serve` with very many findings: its memory, and the time until a page is there.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rusqlite::Connection;

use crate::{dist, repository};

/// The most memory, in kilobytes as the kernel counts them.
const MEMORY: u64 = 100_000_000 / 1024;
/// The longest time of a page.
const TIME: Duration = Duration::from_secs(1);
/// So many causes.
const CAUSES: u64 = 5_000;

/// A compiler that crashes on every program of Farrier.
const CRASHES: &str = "#!/bin/sh
for argument; do
    case $argument in *.c) source=$argument ;; esac
done
if [ -n \"$source\" ] && grep -q checksum \"$source\"; then
    echo \"$source:1:1: internal compiler error: in expand, at expr.cc:1\" >&2
    exit 4
fi
exec gcc \"$@\"
";

pub(super) fn run(findings: u64, programs: u64, farrier: Option<PathBuf>) -> Result<bool> {
    let farrier = farrier.map_or_else(dist::build, Ok)?;
    let directory = repository::root().join("target/bench/serve");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory)?;
    let hunt = fill(&farrier, &directory, findings, programs)?;
    let started = Instant::now();
    let mut server = Server::start(&farrier, &hunt)?;
    let (_, _, whole) = server.get("/")?;
    println!(
        "{findings} findings, {CAUSES} causes, {programs} programs: first page {:.0} ms after the \
         start",
        milliseconds(started.elapsed())
    );
    println!("  of these, {:.0} ms for the page", milliseconds(whole));
    let mut slowest = Duration::ZERO;
    for path in ["/", "/bugs", "/findings", "/findings?page=500", "/api/hunt", "/metrics"] {
        let (bytes, first, whole) = server.get(path)?;
        slowest = slowest.max(whole);
        println!(
            "  {path}: {bytes} bytes, first byte after {:.1} ms, all after {:.1} ms",
            milliseconds(first),
            milliseconds(whole)
        );
    }
    // What a page takes when something is new, which is the case in most seconds of a hunt.
    let connection = Connection::open(hunt.join("hunt.db"))?;
    for number in 0..10 {
        connection.execute(&copies("?1", "1"), [format!("new {number}")])?;
        std::thread::sleep(Duration::from_millis(600));
        let (_, _, whole) = server.get("/")?;
        slowest = slowest.max(whole);
        if number == 9 {
            println!("  / with one new finding: {:.1} ms", milliseconds(whole));
        }
    }
    let memory = server.peak()?;
    println!(
        "peak of memory {:.0} MB (goal {:.0}), slowest page {:.0} ms (goal {:.0})",
        memory as f64 * 1024.0 / 1e6,
        MEMORY as f64 * 1024.0 / 1e6,
        milliseconds(slowest),
        milliseconds(TIME)
    );
    drop(server);
    fs::remove_dir_all(&directory)?;
    Ok(memory <= MEMORY && slowest <= TIME)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A statement that copies the first finding under names that an expression gives.
fn copies(name: &str, count: &str) -> String {
    let columns = "kind, subject, flags, program, seed, program_case, recipe, expected, outcome, \
                   seen, basis";
    format!(
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers \
         WHERE n < {count})
         INSERT INTO findings (name, {columns}) SELECT {name}, {columns} FROM numbers, \
         (SELECT * FROM findings ORDER BY rowid LIMIT 1)"
    )
}

/// Makes a hunt with a few findings, and many of them.
fn fill(farrier: &Path, directory: &Path, findings: u64, programs: u64) -> Result<PathBuf> {
    let script = directory.join("crashes");
    fs::write(&script, CRASHES)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let hunt = directory.join("hunt");
    let ended = Command::new(farrier)
        .args(["hunt", "--seed", "1", "--size", "4k", "--programs", "1", "--no-triage"])
        .args(["--subject", &format!("crashes={}", script.display()), "--dir"])
        .arg(&hunt)
        .output()?;
    ensure!(ended.status.code() == Some(1), "the hunt found nothing: {ended:?}");
    let connection = Connection::open(hunt.join("hunt.db"))?;
    connection.execute_batch(&format!(
        "BEGIN;
         {};
         UPDATE findings SET seen = strftime('%Y-%m-%dT%H:%M:%SZ', 1790000000 + rowid * 7, \
         'unixepoch');
         INSERT OR IGNORE INTO analyses
         SELECT name, 'crash: cause ' || (rowid % {CAUSES}), \
         json_object('doubt', NULL, 'versions', json_array()) FROM findings;
         WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers \
         WHERE n < {programs})
         INSERT OR IGNORE INTO programs (number, refused, panicked, trials, reused, inconclusive, \
         infrastructure, compiler_seconds, program_seconds, seen)
         SELECT n, 0, 0, 9, 1, 0, 0, 1.5, 0.25, \
         strftime('%Y-%m-%dT%H:%M:%SZ', 1790000000 + n, 'unixepoch') FROM numbers;
         COMMIT;",
        copies("printf('%010x', n)", &findings.to_string())
    ))?;
    Ok(hunt)
}

/// A server that ends with this value.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(farrier: &Path, hunt: &Path) -> Result<Self> {
        let mut child = Command::new(farrier)
            .args(["serve", "--listen", "127.0.0.1:0", "--dir"])
            .arg(hunt)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("it is piped")?).read_line(&mut line)?;
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        Ok(Self { child, address })
    }

    /// How many bytes an answer has, and the time to the first and to the last of them.
    fn get(&mut self, path: &str) -> Result<(usize, Duration, Duration)> {
        let started = Instant::now();
        let mut stream = TcpStream::connect(&self.address)?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut bytes = vec![0];
        stream.read_exact(&mut bytes)?;
        let first = started.elapsed();
        stream.read_to_end(&mut bytes)?;
        ensure!(bytes.starts_with(b"HTTP/1.1 200"), "{path} is not answered");
        Ok((bytes.len(), first, started.elapsed()))
    }

    /// The most memory that it has had, in kilobytes.
    fn peak(&self) -> Result<u64> {
        let text = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = text.lines().find(|line| line.starts_with("VmHWM")).context("it runs")?;
        Ok(line.split_whitespace().nth(1).context("a number")?.parse()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
