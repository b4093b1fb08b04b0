//! From the store to the server: what is written here is sent until the server has it.

use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::InfoErrorKind;
use tokio::time::{sleep, timeout};

use super::connection::{patiently, pause};
use super::edge::{Notice, State};
use super::wire::{message_id, pack_case, pack_programs, pack_row};
use crate::finding::Waiting;

/// So many rows are on their way at a time.
const MOST_AT_ONCE: usize = 64;

/// A message has at most so many programs that are done.
const MOST_GATHERED: usize = 64;

/// More than the name of a message takes.
const HEADER: usize = 1024;

/// So long they wait for others.
const GATHER: Duration = Duration::from_secs(10);

impl State {
    /// Sends rows as they are written.
    pub(super) async fn send_all(&self) -> anyhow::Result<()> {
        let mut attempt = 0;
        loop {
            self.connected().await;
            match patiently("results", self.send_some()).await {
                Ok(more) => {
                    attempt = 0;
                    self.fine("results");
                    if !more {
                        let _ = timeout(Duration::from_secs(1), self.wake.notified()).await;
                    }
                }
                Err(error) => {
                    self.trouble("results", error)?;
                    sleep(pause(attempt)).await;
                    attempt += 1;
                }
            }
        }
    }

    /// Sends rows that wait, and gives back leases whose numbers are done; whether there may be
    /// more.
    pub(super) async fn send_some(&self) -> anyhow::Result<bool> {
        let more_news = self.send_news().await?;
        let more_programs = self.send_programs().await?;
        self.give_back_done().await?;
        Ok(more_news || more_programs)
    }

    /// Sends what was found; whether there may be more.
    async fn send_news(&self) -> anyhow::Result<bool> {
        let waiting = self.store.borrow().waiting(false, MOST_AT_ONCE)?;
        let mut sending = Vec::new();
        let mut sent = Vec::new();
        for Waiting { id, table, key } in &waiting {
            let Some(row) = self.store.borrow().copied(*table, key)? else {
                sent.push(*id);
                continue;
            };
            for case in row.cases() {
                self.send_case(&case).await?;
            }
            let payload = pack_row(&row)?;
            let message_id = message_id(&row, key, &payload);
            let message = PublishMessage::build().payload(payload.into()).message_id(message_id);
            match self.context.send_publish(self.names.subject(&row), message).await {
                Ok(sending_one) => sending.push((*id, sending_one)),
                Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded => {
                    self.tell(Notice::Note(format!(
                        "the row {key} of {} is too large for the server, and stays here only",
                        table.name()
                    )));
                    sent.push(*id);
                }
                Err(error) => return Err(error.into()),
            }
        }
        let mut failed = None;
        for (id, acknowledgement) in sending {
            match acknowledgement.await {
                Ok(_) => sent.push(id),
                Err(error) => failed = Some(error),
            }
        }
        self.store.borrow_mut().note_sent(&sent)?;
        match failed {
            Some(error) => bail!(error),
            None => Ok(waiting.len() == MOST_AT_ONCE),
        }
    }

    /// Sends programs that are done, many in one message; whether there may be more. A worker that
    /// has enough to do gathers them for a while.
    async fn send_programs(&self) -> anyhow::Result<bool> {
        let mut waiting = self.store.borrow().waiting(true, MOST_GATHERED)?;
        let full = waiting.len() == MOST_GATHERED;
        let recent = self.gathered.get().is_some_and(|time| time.elapsed() < GATHER);
        if waiting.is_empty() || recent && !full && !self.idle.get() {
            return Ok(false);
        }
        let mut rows = Vec::new();
        for Waiting { table, key, .. } in &waiting {
            rows.extend(self.store.borrow().copied(*table, key)?);
        }
        let mut payload = pack_programs(&rows)?;
        // Troubles can be long.
        let most = self.client.server_info().max_payload;
        while payload.len() + HEADER > most && rows.len() > 1 {
            rows.truncate(rows.len() / 2);
            waiting.truncate(rows.len());
            payload = pack_programs(&rows)?;
        }
        let id = blake3::hash(&payload).to_hex()[..32].to_owned();
        let message = PublishMessage::build().payload(payload.into()).message_id(id);
        self.context.send_publish(self.names.done_subject(), message).await?.await?;
        let sent: Vec<i64> = waiting.iter().map(|one| one.id).collect();
        self.store.borrow_mut().note_sent(&sent)?;
        self.gathered.set(Some(Instant::now()));
        let mut leases = self.leases.borrow_mut();
        waiting.iter().for_each(|one| leases.finish(number_of(&one.key)));
        Ok(full)
    }

    /// Sends a program, if the server does not have it.
    async fn send_case(&self, hash: &str) -> anyhow::Result<()> {
        if self.sent_cases.borrow().contains(hash) {
            return Ok(());
        }
        let bucket = self.context.get_object_store(self.names.cases()).await?;
        match bucket.info(hash).await {
            Ok(_) => {}
            Err(error) if error.kind() == InfoErrorKind::NotFound => {
                let sources = self.store.borrow().case(hash)?;
                let packed = pack_case(&sources)?;
                bucket.put(hash, &mut &packed[..]).await.context("a program cannot be sent")?;
            }
            Err(error) => return Err(error.into()),
        }
        self.sent_cases.borrow_mut().insert(hash.to_owned());
        Ok(())
    }
}

/// The number in the key of a program.
fn number_of(key: &str) -> u64 {
    key.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}
