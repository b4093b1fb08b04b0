//! From the server to the store: rows of others, in the order of the server.

use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer};
use async_nats::jetstream::object_store::GetErrorKind;
use futures_util::StreamExt;
use tokio::io::AsyncReadExt;
use tokio::time::sleep;

use super::connection::{patiently, pause};
use super::edge::{Notice, State};
use super::wire::{Newer, unpack_case, unpack_programs, unpack_row};
use crate::finding::{Channel, Copied, Table};

/// So many rows are applied at a time.
const MOST_AT_ONCE: usize = 500;

/// So long the server is asked to wait for a row.
const WAIT: Duration = Duration::from_secs(4);

/// The server forgets a reader that has not asked for so long.
const FORGET: Duration = Duration::from_secs(60);

/// So many lists a reader reads.
const LISTS: u8 = 3;

impl State {
    /// Applies rows of a stream as they come, from where the store has left it.
    pub(super) async fn follow(&self, channel: Channel, stream: String) -> anyhow::Result<()> {
        let task = match channel {
            Channel::News => "news",
            Channel::Done => "programs",
            Channel::Workers => "workers",
        };
        let mut attempt = 0;
        let mut caught_up = false;
        loop {
            self.connected().await;
            match self.follow_once(channel, task, &stream, &mut caught_up).await {
                Ok(()) => attempt = 0,
                Err(error) => {
                    self.trouble(task, error)?;
                    sleep(pause(attempt)).await;
                    attempt += 1;
                }
            }
        }
    }

    /// The same until something goes wrong, or a row is missing.
    async fn follow_once(
        &self,
        channel: Channel,
        task: &'static str,
        stream: &str,
        caught_up: &mut bool,
    ) -> anyhow::Result<()> {
        let last = self.store.borrow().position(channel)?;
        let config = PullConfig {
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: last + 1 },
            ack_policy: AckPolicy::None,
            inactive_threshold: FORGET,
            memory_storage: true,
            num_replicas: 1,
            ..PullConfig::default()
        };
        let consumer: PullConsumer = patiently("news", async {
            Ok(self.context.create_consumer_on_stream(config, stream.to_owned()).await?)
        })
        .await?;
        let mut expected = 1;
        loop {
            let (messages, is_whole) =
                patiently("news", self.fetch(&consumer, &mut expected, *caught_up)).await?;
            self.fine(task);
            if !messages.is_empty() {
                self.apply(channel, &messages).await?;
            }
            if !is_whole {
                // A row was lost on the way: begin again after the last that is here.
                return Ok(());
            }
            if messages.is_empty() && !*caught_up {
                *caught_up = true;
                self.caught_up.set(self.caught_up.get() + 1);
                if self.caught_up.get() == LISTS {
                    self.tell(Notice::UpToDate);
                }
            }
        }
    }

    /// The rows that are there, or the first that comes; and whether none is missing.
    async fn fetch(
        &self,
        consumer: &PullConsumer,
        expected: &mut u64,
        wait: bool,
    ) -> anyhow::Result<(Vec<Message>, bool)> {
        let mut found = Vec::new();
        let mut batch = consumer.fetch().max_messages(MOST_AT_ONCE).messages().await?;
        while let Some(message) = batch.next().await {
            found.push(message.map_err(anyhow::Error::from_boxed)?);
        }
        if found.is_empty() && wait {
            let mut batch = consumer.batch().max_messages(1).expires(WAIT).messages().await?;
            while let Some(message) = batch.next().await {
                found.push(message.map_err(anyhow::Error::from_boxed)?);
            }
        }
        for (index, message) in found.iter().enumerate() {
            let info = message.info().map_err(anyhow::Error::from_boxed)?;
            if info.consumer_sequence != *expected {
                found.truncate(index);
                return Ok((found, false));
            }
            *expected += 1;
        }
        Ok((found, true))
    }

    /// Applies rows, after the programs that they are about.
    async fn apply(&self, channel: Channel, messages: &[Message]) -> anyhow::Result<()> {
        let mut rows = Vec::new();
        let mut last = 0;
        let mut notes = Vec::new();
        for message in messages {
            let info = message.info().map_err(anyhow::Error::from_boxed)?;
            last = info.stream_sequence;
            let unpacked = match channel {
                Channel::News | Channel::Workers => {
                    unpack_row(&message.payload).map(|row| vec![row])
                }
                Channel::Done => unpack_programs(&message.payload),
            };
            let unpacked = match unpacked {
                Ok(unpacked) => unpacked,
                Err(error) if error.is::<Newer>() => return Err(error),
                Err(error) => {
                    notes.push(format!("{error:#}"));
                    continue;
                }
            };
            for mut row in unpacked {
                if row.table == Table::Workers {
                    // The clock of the server is the one that all machines share.
                    let seen = info.published.unix_timestamp();
                    row.row.insert("seen".to_owned(), seen.to_string().into());
                }
                match self.complete(&row).await? {
                    Some(why) => notes.push(format!("{}: {why}", row.table.name())),
                    None => rows.push(row),
                }
            }
        }
        notes.extend(self.store.borrow_mut().apply(channel, last, &rows)?);
        for note in notes {
            self.tell(Notice::Note(format!("a row of the hunt is left out: {note}")));
        }
        if rows.iter().any(|row| row.table != Table::Workers) {
            self.tell(Notice::News);
        }
        Ok(())
    }

    /// Brings the programs that a row is about; if one cannot be had, why.
    async fn complete(&self, row: &Copied) -> anyhow::Result<Option<String>> {
        for case in row.cases() {
            if !self.store.borrow().has_case(&case)
                && let Some(why) = patiently("program", self.fetch_case(&case)).await?
            {
                return Ok(Some(why));
            }
        }
        Ok(None)
    }

    /// Brings a program; if the server does not have it, or it is something else, why.
    async fn fetch_case(&self, hash: &str) -> anyhow::Result<Option<String>> {
        let bucket = self.context.get_object_store(self.names.cases()).await?;
        let mut object = match bucket.get(hash).await {
            Ok(object) => object,
            Err(error) if error.kind() == GetErrorKind::NotFound => {
                return Ok(Some(format!("the server does not have the program {hash}")));
            }
            Err(error) => return Err(error.into()),
        };
        let mut packed = Vec::new();
        object.read_to_end(&mut packed).await?;
        let kept = unpack_case(&packed)
            .and_then(|sources| self.store.borrow_mut().keep_copied(hash, &sources));
        self.sent_cases.borrow_mut().insert(hash.to_owned());
        Ok(kept.err().map(|error| format!("{error:#}")))
    }
}
