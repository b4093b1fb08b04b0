//! From the store to the server: what is written here is sent until the server has it.

use std::time::Duration;

use anyhow::{Context as _, bail};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::InfoErrorKind;
use tokio::time::{sleep, timeout};

use super::connection::{patiently, pause};
use super::edge::{Notice, State};
use super::wire::{message_id, pack_case, pack_row};
use crate::finding::{Table, Waiting};

/// So many rows are on their way at a time.
const MOST_AT_ONCE: usize = 64;

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
        let waiting = self.store.borrow().waiting(MOST_AT_ONCE)?;
        let mut sending = Vec::new();
        let mut sent = Vec::new();
        for one in &waiting {
            let Some(row) = self.store.borrow().copied(one)? else {
                sent.push(one.id);
                continue;
            };
            for case in row.cases() {
                self.send_case(&case).await?;
            }
            let payload = pack_row(&row)?;
            let id = message_id(&row, &one.key, &payload);
            let message = PublishMessage::build().payload(payload.into()).message_id(id);
            match self.context.send_publish(self.names.subject(&row), message).await {
                Ok(sending_one) => sending.push((one, sending_one)),
                Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded => {
                    self.tell(Notice::Note(format!(
                        "the row {} of {} is too large for the server, and stays here only",
                        one.key,
                        one.table.name()
                    )));
                    sent.push(one.id);
                }
                Err(error) => return Err(error.into()),
            }
        }
        let mut failed = None;
        for (Waiting { id, table, key }, acknowledgement) in sending {
            match acknowledgement.await {
                Ok(_) => {
                    sent.push(*id);
                    if *table == Table::Programs {
                        self.leases.borrow_mut().finish(number_of(key));
                    }
                }
                Err(error) => failed = Some(error),
            }
        }
        let more = waiting.len() == MOST_AT_ONCE;
        if !sent.is_empty() {
            self.store.borrow_mut().note_sent(&sent)?;
        }
        match failed {
            Some(error) => bail!(error),
            None => self.give_back_done().await.map(|()| more),
        }
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
pub(super) fn number_of(key: &str) -> u64 {
    key.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}
