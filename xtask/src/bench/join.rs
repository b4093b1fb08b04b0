//! Hunts of several machines: what the queue costs, and how much one server can take.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use farrier::{Moment, Rehearsal, Rehearsed, rehearse};
use wait4::Wait4;

use crate::{dist, repository};

/// What is measured, and how much of it.
#[derive(Args)]
pub(crate) struct JoinArguments {
    /// What to measure [default: all]
    #[arg(value_enum)]
    only: Vec<Part>,
    /// How long each real hunt takes
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// How often the two ways of `pair` take turns
    #[arg(long, default_value_t = 4)]
    rounds: u64,
    /// How many workers are simulated
    #[arg(long, default_value_t = 200)]
    workers: usize,
    /// How many programs are done before a newcomer comes
    #[arg(long, default_value_t = 1_000_000)]
    programs: u64,
    /// The command to measure [default: that of cargo xtask dist]
    #[arg(long, value_name = "FILE")]
    farrier: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The share of processor time in compilers, with two joined workers
    Share,
    /// Two joined workers with a job each, beside one alone with two jobs
    Pair,
    /// Many simulated workers at one server
    Swarm,
    /// Very many programs, and a newcomer
    Sync,
}

/// The least percentage of processor time that compilers and compiled programs must have.
const SHARE: f64 = 97.0;
/// The most that two workers may be slower than one with two jobs, in percent.
const SLOWER: f64 = 5.0;
/// How long a trial takes, in seconds, and how many a program has: a default hunt of gcc 12.2 and
/// clang 22 had 4,552 in 443 programs.
const TRIAL: f64 = 0.1;
const TRIALS: f64 = 10.3;
/// How long simulated workers are watched.
const WATCHED: Duration = Duration::from_secs(30);
/// How many simulated workers do the programs that a newcomer copies.
const FILLERS: usize = 64;

pub(super) fn run(arguments: &JoinArguments) -> Result<bool> {
    let wanted = |part: Part| arguments.only.is_empty() || arguments.only.contains(&part);
    let farrier = || arguments.farrier.clone().map_or_else(dist::build, Ok);
    let directory = repository::root().join("target/bench/join");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory)?;
    let mut good = true;
    if wanted(Part::Share) {
        good &= share(&farrier()?, &directory, arguments.seconds)?;
    }
    if wanted(Part::Pair) {
        good &= pair(&farrier()?, &directory, arguments.seconds, arguments.rounds)?;
    }
    if wanted(Part::Swarm) {
        swarm(&directory, arguments.workers)?;
    }
    if wanted(Part::Sync) {
        newcomer(&farrier()?, &directory, arguments.programs)?;
    }
    fs::remove_dir_all(&directory)?;
    Ok(good)
}

/// A NATS server with a store of its own, which ends with this value.
struct Server {
    child: Child,
    port: u16,
    /// Where it tells what it does.
    monitor: u16,
}

/// What a server says of itself.
#[derive(Clone, Copy, Default)]
struct Load {
    messages: f64,
    bytes: f64,
    /// Its processor time, in seconds.
    cpu: f64,
}

impl Server {
    fn start(store: &Path) -> Result<Self> {
        let (port, monitor) = (free_port()?, free_port()?);
        let child = Command::new("nats-server")
            .args(["--addr", "127.0.0.1", "--port", &port.to_string()])
            .args(["--http_port", &monitor.to_string(), "--jetstream", "--store_dir"])
            .arg(store)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("nats-server cannot be started; install the package nats-server")?;
        let server = Self { child, port, monitor };
        let end = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            ensure!(Instant::now() < end, "the server does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// A document of its monitor.
    fn ask(&self, path: &str) -> Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.monitor))?;
        write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok(text)
    }

    fn load(&self) -> Result<Load> {
        let text = self.ask("/varz")?;
        let sum = |one: &str, other: &str| {
            Ok::<_, anyhow::Error>(field(&text, one)? + field(&text, other)?)
        };
        Ok(Load {
            messages: sum("in_msgs", "out_msgs")?,
            bytes: sum("in_bytes", "out_bytes")?,
            cpu: processor_seconds(self.child.id())?,
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// The number of the first field of this name.
fn field(text: &str, name: &str) -> Result<f64> {
    let (_, rest) =
        text.split_once(&format!("\"{name}\":")).with_context(|| format!("no {name}"))?;
    let number = rest.trim_start().split([',', '\n', '}']).next().unwrap_or_default();
    number.trim().parse().with_context(|| format!("{name} is {number}"))
}

/// The processor time of a process, which counts in hundredths of a second.
fn processor_seconds(process: u32) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
    let (_, rest) = text.rsplit_once(") ").context("it has a name")?;
    let ticks: Vec<f64> =
        rest.split(' ').skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
    Ok(ticks.iter().sum::<f64>() / 100.0)
}

/// What processes of a hunt have done together.
#[derive(Clone, Copy, Default)]
struct Work {
    trials: f64,
    /// The processor time of Farrier and of all that it has started, in seconds.
    cpu: f64,
    /// The percentage of it in compilers and compiled programs.
    share: f64,
}

/// Hunts with some processes at a time, and adds up what they did.
fn hunt(farrier: &Path, directory: &Path, members: &[Vec<String>], seconds: u64) -> Result<Work> {
    let _ = fs::remove_dir_all(directory);
    fs::create_dir_all(directory)?;
    let mut children = Vec::new();
    for (number, arguments) in members.iter().enumerate() {
        let summary = directory.join(format!("summary{number}"));
        let mut command = Command::new(farrier);
        command.arg("hunt").args(arguments).args(["--for", &format!("{seconds}s")]);
        command.arg("--dir").arg(directory.join(number.to_string()));
        command.stdout(fs::File::create(&summary)?);
        command.stderr(fs::File::create(summary.with_extension("notes"))?);
        children.push((summary, command.spawn()?));
    }
    let mut work = Work::default();
    for (summary, child) in children {
        let used = child.wait4()?;
        let text = fs::read_to_string(&summary)?;
        let notes = fs::read_to_string(summary.with_extension("notes"))?;
        ensure!(matches!(used.status.code(), Some(0 | 1)), "a hunt fails: {notes}");
        let before = |marker: &str| -> Result<f64> {
            let (head, _) =
                text.split_once(marker).with_context(|| format!("no{marker} in {text}"))?;
            let word = head.split_whitespace().next_back().unwrap_or_default();
            word.parse().with_context(|| format!("`{word}` in {text}"))
        };
        let cpu = (used.rusage.utime + used.rusage.stime).as_secs_f64();
        work.trials += before(" trials in")?;
        work.share += before(" % of the processor time")? * cpu;
        work.cpu += cpu;
    }
    work.share /= work.cpu;
    Ok(work)
}

/// The arguments of two workers that share a hunt.
fn two(server: &Server, name: &str, more: &[&str]) -> Vec<Vec<String>> {
    let url = server.url();
    let mut arguments = vec!["--join", &url, "--name", name, "--jobs", "1"];
    // The server reserves it.
    arguments.extend(["--server-bytes", "256M"]);
    arguments.extend(more);
    vec![arguments.iter().map(|word| (*word).to_owned()).collect(); 2]
}

fn share(farrier: &Path, directory: &Path, seconds: u64) -> Result<bool> {
    let server = Server::start(&directory.join("server"))?;
    let place = directory.join("share");
    let work = hunt(farrier, &place, &two(&server, "share", &["--seed", "1"]), seconds)?;
    let load = server.load()?;
    let one = ["--seed", "1", "--jobs", "2"].map(str::to_owned).to_vec();
    let alone = hunt(farrier, &place, &[one], seconds)?;
    println!(
        "share: {:.1} % of the processor time of two joined workers in compilers and programs \
         (goal {SHARE}), {:.0} trials; the server had {:.2} s beside their {:.0} s; {:.1} % of \
         one process alone with two jobs",
        work.share, work.trials, load.cpu, work.cpu, alone.share
    );
    Ok(work.share >= SHARE)
}

/// The same programs for both, in turn, the one first and then the other.
fn pair(farrier: &Path, directory: &Path, seconds: u64, rounds: u64) -> Result<bool> {
    let place = directory.join("pair");
    let (mut alone, mut joined) = (Work::default(), Work::default());
    let add = |sum: &mut Work, more: Work| {
        sum.trials += more.trials;
        sum.cpu += more.cpu;
        more.trials
    };
    for round in 1..=rounds {
        let server = Server::start(&directory.join(format!("server-of-{round}")))?;
        let seed = round.to_string();
        let common = ["--seed", &seed, "--subject", "gcc", "--subject", "clang", "--no-triage"];
        let mut one: Vec<String> = common.map(str::to_owned).to_vec();
        one.extend(["--jobs".to_owned(), "2".to_owned()]);
        let two = two(&server, &format!("pair{round}"), &common);
        let mut trials = [0.0; 2];
        for turn in if round % 2 == 0 { [1, 0] } else { [0, 1] } {
            trials[turn] = match turn {
                0 => add(&mut alone, hunt(farrier, &place, &[one.clone()], seconds)?),
                _ => add(&mut joined, hunt(farrier, &place, &two, seconds)?),
            };
        }
        println!(
            "pair, round {round}: {:.0} trials of one process with two jobs, {:.0} of two joined \
             ones, ratio {:.3}",
            trials[0],
            trials[1],
            trials[1] / trials[0]
        );
    }
    let minutes = (seconds * rounds) as f64 / 60.0;
    let ratio = joined.trials / alone.trials;
    println!(
        "pair: {:.0} trials a minute of one process with two jobs, {:.0} of two joined ones with \
         a job each: ratio {ratio:.3} (goal {:.2}); by processor time {:.3}",
        alone.trials / minutes,
        joined.trials / minutes,
        1.0 - SLOWER / 100.0,
        (joined.trials / joined.cpu) / (alone.trials / alone.cpu)
    );
    Ok(ratio >= 1.0 - SLOWER / 100.0)
}

/// Where simulated workers have their stores: two hundred disks of as many machines are not here,
/// so memory stands for them.
fn stores(name: &str) -> Result<PathBuf> {
    let path = Path::new("/dev/shm").join(format!("farrier-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path)?;
    Ok(path)
}

/// A rehearsal, with what the server did from its first moment to its last.
fn watch(server: &Server, plan: &Rehearsal) -> Result<(Rehearsed, Load)> {
    let mut loads = Vec::new();
    let result = rehearse(plan, |moment| match moment {
        Moment::Begun | Moment::Stopped => loads.push(server.load()),
    });
    let _ = fs::remove_dir_all(&plan.directory);
    let result = result?;
    let loads = loads.into_iter().collect::<Result<Vec<Load>>>()?;
    let [before, after] = loads[..] else { anyhow::bail!("a moment is missing") };
    let load = Load {
        messages: after.messages - before.messages,
        bytes: after.bytes - before.bytes,
        cpu: after.cpu - before.cpu,
    };
    Ok((result, load))
}

/// How long all but so many of a hundred leases took, in milliseconds.
fn percentile(leases: &[Duration], percent: usize) -> f64 {
    let index = (leases.len() * percent / 100).min(leases.len().saturating_sub(1));
    leases.get(index).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}

fn swarm(directory: &Path, workers: usize) -> Result<()> {
    let real = TRIAL * TRIALS;
    for (name, pause) in [("no-time", 0.0), ("real", real)] {
        let server = Server::start(&directory.join(format!("server-of-{name}")))?;
        let plan = Rehearsal {
            url: server.url(),
            name: format!("swarm-{name}"),
            directory: stores(name)?,
            workers,
            programs: None,
            time: Some(WATCHED),
            pause: Duration::from_secs_f64(pause),
        };
        let (done, load) = watch(&server, &plan)?;
        let seconds = done.time.as_secs_f64();
        let programs = done.programs as f64;
        println!(
            "swarm, {workers} workers, {pause:.2} s a program: {:.0} programs a second; the \
             server has {:.0} messages and {:.0} kB a second and {:.0} % of a core",
            programs / seconds,
            load.messages / seconds,
            load.bytes / seconds / 1e3,
            100.0 * load.cpu / seconds
        );
        println!(
            "  a program: {:.1} messages, {:.0} bytes, {:.0} µs of the server; a lease comes \
             after {:.1} ms (median), {:.1} ms (99 of 100), {:.1} ms (all); workers are idle for \
             {:.1} % of their time",
            load.messages / programs,
            load.bytes / programs,
            1e6 * load.cpu / programs,
            percentile(&done.leases, 50),
            percentile(&done.leases, 99),
            percentile(&done.leases, 100),
            100.0 * done.idle.as_secs_f64() / seconds / workers as f64
        );
        println!(
            "  with {TRIALS} trials of {TRIAL} s a program, {:.0} workers would take one core of \
             the server, and {:.0} workers do as many programs as these; the streams have {:.0} \
             bytes a program",
            real * programs / load.cpu,
            real * programs / seconds,
            field(&server.ask("/jsz")?, "bytes")? / programs
        );
    }
    Ok(())
}

/// The bytes of all files in a directory.
fn size(directory: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        sum += match entry.file_type()?.is_dir() {
            true => size(&entry.path())?,
            false => entry.metadata()?.len(),
        };
    }
    Ok(sum)
}

fn newcomer(farrier: &Path, directory: &Path, programs: u64) -> Result<()> {
    let store = directory.join("server-of-sync");
    let server = Server::start(&store)?;
    let plan = Rehearsal {
        url: server.url(),
        name: "million".to_owned(),
        directory: stores("million")?,
        workers: FILLERS,
        programs: Some(programs),
        time: None,
        pause: Duration::ZERO,
    };
    let (done, load) = watch(&server, &plan)?;
    ensure!(done.programs >= programs, "only {} programs were done", done.programs);
    let bytes = field(&server.ask("/jsz")?, "bytes")?;
    println!(
        "sync: {} programs done by {FILLERS} workers in {:.0} s, {:.0} s of the server; streams \
         have {:.1} MB, files {:.1} MB, {:.0} bytes a program",
        done.programs,
        done.time.as_secs_f64(),
        load.cpu,
        bytes / 1e6,
        size(&store)? as f64 / 1e6,
        bytes / programs as f64
    );
    for name in ["first", "again"] {
        let started = Instant::now();
        let before = server.load()?;
        let ended = Command::new(farrier)
            .args(["sync", "--join", &server.url(), "--name", "million", "--once", "--dir"])
            .arg(directory.join("copy"))
            .output()?;
        ensure!(ended.status.success(), "the copy fails: {ended:?}");
        println!(
            "  a newcomer's copy, {name}: {:.1} s, {:.1} s of the server; it has {:.1} MB",
            started.elapsed().as_secs_f64(),
            server.load()?.cpu - before.cpu,
            size(&directory.join("copy"))? as f64 / 1e6
        );
    }
    Ok(())
}
