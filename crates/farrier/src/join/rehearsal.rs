//! Many workers in one process whose compilers take no time: what the server can do.
//!
//! Everything between the server and a worker's store is that of a hunt.

use std::path::PathBuf;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};

use super::{
    Address, Duty, Edge, HuntRecord, Link, Notice, Secret, ServerLimits, WorkerReport, now, open,
};
use crate::finding::{HuntSettings, Tally};
use crate::hunt::Queue;

/// What all workers have instead of compilers.
const LINEUP: &str = "rehearsal";

/// A hunt that tests nothing.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// The server, which lets everybody in.
    pub url: String,
    /// The name of the hunt.
    pub name: String,
    /// Where the workers have their stores.
    pub directory: PathBuf,
    /// How many workers there are, each with one job.
    pub workers: usize,
    /// How many programs there are, if there is an end.
    pub programs: Option<u64>,
    /// How long it goes on, if there is a limit.
    pub time: Option<Duration>,
    /// How long a worker has a program.
    pub pause: Duration,
}

/// A moment of a rehearsal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// All workers are connected and begin.
    Begun,
    /// All workers have stopped, and leave next.
    Stopped,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Rehearsed {
    /// How many programs were done.
    pub programs: u64,
    /// From the first to the last moment.
    pub time: Duration,
    /// How long the workers waited for their leases, the shortest first.
    pub leases: Vec<Duration>,
    /// How long all workers together had nothing to do.
    pub idle: Duration,
}

/// What one worker has done.
#[derive(Default)]
struct Share {
    programs: u64,
    leases: Vec<Duration>,
    idle: Duration,
}

/// Rehearses a hunt, and tells the moments of it.
pub fn rehearse(plan: &Rehearsal, mut tell: impl FnMut(Moment)) -> anyhow::Result<Rehearsed> {
    let address = Address {
        url: plan.url.clone(),
        name: plan.name.clone(),
        creds: None,
        authority: None,
        user: None,
        password: Secret::default(),
        token: Secret::default(),
    };
    let limits = ServerLimits {
        replicas: 1,
        bytes: 1 << 30,
        age: Duration::from_secs(24 * 3600),
        silence: Duration::from_secs(60),
    };
    let link = Link::connect(&address)?;
    let record = link.begin(&HuntSettings::default(), &limits)?;
    link.extend(plan.programs, true)?;
    let ready = Arc::new(Barrier::new(plan.workers + 1));
    let mut workers = Vec::new();
    for number in 0..plan.workers {
        let queue = Arc::new(Queue::of_others());
        let (plan, address, record) = (plan.clone(), address.clone(), record.clone());
        let (own_queue, own_ready) = (Arc::clone(&queue), Arc::clone(&ready));
        let work = move || work(number, &plan, &address, &record, &own_queue, &own_ready);
        workers.push((queue, thread::Builder::new().stack_size(1 << 20).spawn(work)?));
    }
    ready.wait();
    tell(Moment::Begun);
    let begun = Instant::now();
    if let Some(time) = plan.time {
        thread::sleep(time);
        workers.iter().for_each(|(queue, _)| queue.stop());
    }
    ready.wait();
    let mut all = Rehearsed { time: begun.elapsed(), ..Rehearsed::default() };
    tell(Moment::Stopped);
    ready.wait();
    for (_, worker) in workers {
        let share = worker.join().map_err(|_| anyhow!("a worker has panicked"))??;
        all.programs += share.programs;
        all.leases.extend(share.leases);
        all.idle += share.idle;
    }
    all.leases.sort();
    Ok(all)
}

/// One worker, from its connection to its end.
fn work(
    number: usize,
    plan: &Rehearsal,
    address: &Address,
    record: &HuntRecord,
    queue: &Arc<Queue>,
    ready: &Barrier,
) -> anyhow::Result<Share> {
    let begun = begin(number, plan, address, record, queue);
    ready.wait();
    let result = begun.and_then(|(mut store, edge)| {
        let mut share = Share::default();
        loop {
            let asked = Instant::now();
            let Some(number) = queue.next() else { break };
            share.idle += asked.elapsed();
            thread::sleep(plan.pause);
            store.finish(number, &tally(number), &[])?;
            share.programs += 1;
            edge.report().programs += 1;
            edge.wake();
            listen(&edge, &mut share)?;
        }
        Ok((edge, share))
    });
    ready.wait();
    ready.wait();
    let (edge, mut share) = result?;
    listen(&edge, &mut share)?;
    edge.leave()?;
    Ok(share)
}

fn begin(
    number: usize,
    plan: &Rehearsal,
    address: &Address,
    record: &HuntRecord,
    queue: &Arc<Queue>,
) -> anyhow::Result<(crate::finding::Store, Edge)> {
    let directory = plan.directory.join(number.to_string());
    let store = open(&directory, record, &plan.name, Some(LINEUP))?;
    let report = WorkerReport {
        id: format!("{number:012}"),
        host: format!("worker-{number}"),
        jobs: 1,
        lineup: LINEUP.to_owned(),
        started: now(),
        ..WorkerReport::default()
    };
    let duty = Duty::Worker { queue: Arc::clone(queue), report: Box::new(report) };
    let link = Link::connect(address).with_context(|| format!("worker {number}"))?;
    Ok((store, Edge::start(link, &directory, record, duty)?))
}

fn listen(edge: &Edge, share: &mut Share) -> anyhow::Result<()> {
    for notice in edge.notices().try_iter() {
        match notice {
            Notice::Leased(time) => share.leases.push(time),
            Notice::Failed(error) => return Err(error),
            Notice::Note(_) | Notice::News | Notice::UpToDate | Notice::Finished => {}
        }
    }
    Ok(())
}

/// Counts as a program of a real hunt has them; times have as many digits as real ones.
fn tally(number: u64) -> Tally {
    let hash = blake3::hash(&number.to_le_bytes());
    let lot = |index: usize, most: u64| {
        let bytes = hash.as_bytes();
        (u64::from(bytes[2 * index]) << 8 | u64::from(bytes[2 * index + 1])) % most
    };
    Tally {
        programs: 1,
        mutants: lot(0, 3),
        trials: 6 + lot(1, 10),
        reused: lot(2, 4),
        tiers: [lot(3, 2), 0, lot(4, 2)],
        compiler_time: Duration::from_micros(400_000 + 37 * lot(5, 60_000)),
        program_time: Duration::from_micros(20_000 + lot(6, 60_000)),
        ..Tally::default()
    }
}
