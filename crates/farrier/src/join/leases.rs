//! Which numbers this machine tests: leases of a queue that all machines with the same compilers
//! share. A lease is given back when the server has all results; one of a dead machine goes to
//! another by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer};
use async_nats::jetstream::kv;
use async_nats::jetstream::message::PublishMessage;
use futures_util::StreamExt;
use tokio::time::sleep;

use super::connection::{live, patiently, pause};
use super::edge::{Notice, State};
use super::wire::{Lease, pack, unpack};
use super::{END, pack_number, unpack_number};
use crate::hunt::Queue;

/// A lease has at most so many numbers.
const LEASE: u64 = 4;

/// A hunt with an end has at least so many leases, if it has as many numbers.
const FEWEST_LEASES: u64 = 64;

/// So many leases are put into the queue at a time. The machine that gets the lease in the middle of
/// them adds the next, so that not all do it at once.
const AHEAD: u64 = 512;

/// While so many rows wait to be sent, no more leases are taken.
const MOST_SPOOLED: u64 = 1000;

/// The pause of a machine that has enough to do, and of one that has nothing to do.
const BUSY: Duration = Duration::from_millis(100);
const IDLE: Duration = Duration::from_millis(300);

/// The leases that this machine holds, by their place in the stream.
#[derive(Default)]
pub(super) struct Leases {
    held: BTreeMap<u64, Held>,
    /// The consumer, while it works.
    consumer: Option<PullConsumer>,
}

struct Held {
    message: Message,
    /// The numbers whose results the server does not have yet.
    open: BTreeSet<u64>,
}

impl Leases {
    /// All leases, to say that we live.
    pub(super) fn messages(&self) -> Vec<Message> {
        self.held.values().map(|held| held.message.clone()).collect()
    }

    /// The server has the results of a number.
    pub(super) fn finish(&mut self, number: u64) {
        for held in self.held.values_mut() {
            held.open.remove(&number);
        }
    }

    fn is_open(&self, number: u64) -> bool {
        self.held.values().any(|held| held.open.contains(&number))
    }
}

/// What came of an attempt.
enum Taken {
    /// There are numbers.
    Some,
    /// There is enough to do.
    Enough,
    /// Others have what is left.
    Nothing,
    /// Nothing is left.
    All,
}

impl State {
    /// Takes leases while the threads of this machine have less to do than they could.
    pub(super) async fn take_leases(&self, queue: &Queue) -> anyhow::Result<()> {
        let mut attempt = 0;
        loop {
            self.connected().await;
            match patiently("leases", self.take_some(queue)).await {
                Ok(taken) => {
                    attempt = 0;
                    self.fine("leases");
                    let idle = matches!(taken, Taken::Nothing | Taken::All);
                    if !self.idle.replace(idle) && idle {
                        self.wake.notify_one();
                    }
                    match taken {
                        Taken::Some => {}
                        Taken::Enough => sleep(BUSY).await,
                        Taken::Nothing => sleep(IDLE).await,
                        Taken::All => {
                            queue.close();
                            self.tell(Notice::Finished);
                            return std::future::pending().await;
                        }
                    }
                }
                Err(error) => {
                    self.leases.borrow_mut().consumer = None;
                    self.trouble("leases", error)?;
                    sleep(pause(attempt)).await;
                    attempt += 1;
                }
            }
        }
    }

    async fn take_some(&self, queue: &Queue) -> anyhow::Result<Taken> {
        // An outage may have come between the last results and this: nothing else would try again.
        self.give_back_done().await?;
        let jobs = self.jobs();
        let waiting = queue.waiting();
        if waiting >= jobs || self.store.borrow().waiting_count()? >= MOST_SPOOLED {
            return Ok(Taken::Enough);
        }
        let consumer = self.consumer().await?;
        let wanted = (2 * jobs - waiting).div_ceil(LEASE as usize);
        let asked = Instant::now();
        let mut messages = consumer.fetch().max_messages(wanted).messages().await?;
        let (mut some, mut is_middle) = (false, false);
        while let Some(message) = messages.next().await {
            let message = message.map_err(anyhow::Error::from_boxed)?;
            let pending = message.info().map_err(anyhow::Error::from_boxed)?.pending;
            let lease = self.take(queue, message)?;
            is_middle |= lease.first / lease.count.max(1) % (AHEAD / 2) == 0 && pending < AHEAD;
            some = true;
            self.tell(Notice::Leased(asked.elapsed()));
        }
        match some {
            true => {
                if is_middle {
                    self.top_up().await?;
                }
                Ok(Taken::Some)
            }
            false if self.top_up().await? => Ok(Taken::Some),
            false => {
                let mut consumer = consumer;
                let info = consumer.info().await?;
                let none = info.num_pending == 0 && info.num_ack_pending == 0;
                let sent = self.store.borrow().waiting_count()? == 0;
                Ok(if none && sent { Taken::All } else { Taken::Nothing })
            }
        }
    }

    fn jobs(&self) -> usize {
        self.report.lock().unwrap_or_else(std::sync::PoisonError::into_inner).jobs.max(1)
    }

    fn lineup(&self) -> String {
        let report = self.report.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        report.lineup.clone()
    }

    async fn consumer(&self) -> anyhow::Result<PullConsumer> {
        if let Some(consumer) = &self.leases.borrow().consumer {
            return Ok(consumer.clone());
        }
        let lineup = self.lineup();
        let config = PullConfig {
            durable_name: Some(lineup.clone()),
            filter_subject: self.names.work_subject(&lineup),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.record.limits.silence,
            max_ack_pending: 100_000,
            ..PullConfig::default()
        };
        let consumer: PullConsumer =
            self.context.create_consumer_on_stream(config, self.names.work()).await?;
        self.leases.borrow_mut().consumer = Some(consumer.clone());
        Ok(consumer)
    }

    /// Takes a lease: what is not done goes to the threads.
    fn take(&self, queue: &Queue, message: Message) -> anyhow::Result<Lease> {
        let lease: Lease = unpack(&message.payload)?;
        let place = message.info().map_err(anyhow::Error::from_boxed)?.stream_sequence;
        let numbers: Vec<u64> = lease.numbers().collect();
        let done = self.store.borrow().done_among(&numbers)?;
        // What is done, but not sent, is open and not to be tested.
        let unsent = self.store.borrow().unsent_among(&numbers)?;
        let mut leases = self.leases.borrow_mut();
        let new = |number: &&u64| !done.contains(number) && !leases.is_open(**number);
        queue.give(numbers.iter().filter(new).copied().collect::<Vec<_>>());
        let is_open = |number: &u64| !done.contains(number) || unsent.contains(number);
        let open = numbers.into_iter().filter(is_open).collect();
        // It may be one that we had: the server has not heard from us for long.
        leases.held.insert(place, Held { message, open });
        Ok(lease)
    }

    /// Gives leases back whose results the server has.
    pub(super) async fn give_back_done(&self) -> anyhow::Result<()> {
        let done: Vec<(u64, Message)> = {
            let leases = self.leases.borrow();
            let done = leases.held.iter().filter(|(_, held)| held.open.is_empty());
            done.map(|(place, held)| (*place, held.message.clone())).collect()
        };
        for (place, message) in done {
            message.double_ack().await.map_err(anyhow::Error::from_boxed)?;
            self.leases.borrow_mut().held.remove(&place);
        }
        Ok(())
    }

    /// Puts more leases into the queue; whether there were any. The leases come first and then
    /// the note how far they go: a machine that dies in between has lost nothing, and a lease
    /// that is there twice is the same.
    async fn top_up(&self) -> anyhow::Result<bool> {
        let lineup = self.lineup();
        let state = self.context.get_key_value(self.names.state()).await?;
        let key = format!("next.{lineup}");
        let entry = live(state.entry(&key).await?);
        let next = entry.as_ref().map_or(Ok(0), |entry| unpack_number(&entry.value))?;
        let revision = entry.map_or(0, |entry| entry.revision);
        let end = state.get(END).await?.map(|bytes| unpack_number(&bytes)).transpose()?;
        let end = end.unwrap_or(u64::MAX);
        if next >= end {
            return Ok(false);
        }
        let size = match end {
            u64::MAX => LEASE,
            end => (end / FEWEST_LEASES).clamp(1, LEASE),
        };
        let mut first = next;
        let mut sending = Vec::new();
        for _ in 0..AHEAD {
            let count = size.min(end - first);
            if count == 0 {
                break;
            }
            let message = PublishMessage::build()
                .payload(pack(&Lease { first, count })?.into())
                .message_id(format!("{lineup} {first}"));
            let subject = self.names.work_subject(&lineup);
            sending.push(self.context.send_publish(subject, message).await?);
            first += count;
        }
        for one in sending {
            one.await.context("the queue does not take more")?;
        }
        match state.update(&key, pack_number(first)?.into(), revision).await {
            Ok(_) => Ok(true),
            // Another machine was faster.
            Err(error) if error.kind() == kv::UpdateErrorKind::WrongLastRevision => Ok(true),
            Err(error) => Err(error.into()),
        }
    }
}
