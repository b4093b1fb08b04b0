//! The thread at the edge of the network.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context as _;
use async_nats::connection::State as ConnectionState;
use async_nats::jetstream::{AckKind, Context, kv};
use async_nats::{Client, Event};
use serde_json::{Map, Value};
use tokio::sync::{Notify, mpsc as requests};
use tokio::time::{sleep, timeout};

use super::connection::{PATIENCE, is_timeout, patiently};
use super::leases::Leases;
use super::pace::Pace;
use super::wire::{HuntRecord, Names, Newer, WorkerReport, pack_row};
use super::{Address, Link};
use crate::finding::{Channel, Copied, Store, Table};
use crate::hunt::Queue;

/// What one does in a hunt.
pub(crate) enum Duty {
    /// Tests programs.
    Worker {
        /// Where its threads get their numbers.
        queue: Arc<Queue>,
        /// What it says of itself.
        report: Box<WorkerReport>,
    },
    /// Has a copy of everything, and adds analyses at most.
    Reader,
}

/// What there is to tell.
#[derive(Debug)]
pub(crate) enum Notice {
    /// For the user.
    Note(String),
    /// Rows of others have come.
    News,
    /// A reader has everything that the server had.
    UpToDate,
    /// A lease has come, so long after it was asked for.
    Leased(Duration),
    /// All programs are done.
    Finished,
    /// It cannot go on.
    Failed(anyhow::Error),
}

/// A question of another thread.
enum Request {
    Claim { key: String, answer: mpsc::Sender<bool> },
    Release { key: String },
}

/// The thread, seen from outside.
pub(crate) struct Edge {
    thread: Option<JoinHandle<()>>,
    wake: Arc<Notify>,
    leave: Arc<Notify>,
    notices: mpsc::Receiver<Notice>,
    requests: requests::UnboundedSender<Request>,
    report: Arc<Mutex<WorkerReport>>,
}

/// Claims causes, so that no two machines analyse the same.
#[derive(Clone)]
pub(crate) struct Claims {
    requests: requests::UnboundedSender<Request>,
}

impl Claims {
    /// Whether the cause is ours from now on. If the server does not say so, it is not.
    pub(crate) fn claim(&self, key: &str) -> bool {
        let (answer, answered) = mpsc::channel();
        let request = Request::Claim { key: key.to_owned(), answer };
        self.requests.send(request).is_ok() && answered.recv_timeout(3 * PATIENCE).unwrap_or(false)
    }

    /// The cause is free again.
    pub(crate) fn release(&self, key: &str) {
        // Without a listener it is free soon anyway.
        let _ = self.requests.send(Request::Release { key: key.to_owned() });
    }
}

impl Edge {
    /// Starts the thread. The store of the directory is a member of the hunt.
    pub(crate) fn start(
        link: Link,
        directory: &Path,
        record: &HuntRecord,
        role: Duty,
    ) -> anyhow::Result<Self> {
        let store = Store::open_to_add(directory)?;
        let (wake, leave) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (notice, notices) = mpsc::channel();
        let (sender, receiver) = requests::unbounded_channel();
        let (queue, report) = match role {
            Duty::Worker { queue, report } => (Some(queue), *report),
            Duty::Reader => (None, WorkerReport::default()),
        };
        let report = Arc::new(Mutex::new(report));
        let (own_wake, own_leave, own_report) =
            (Arc::clone(&wake), Arc::clone(&leave), Arc::clone(&report));
        let (directory, record) = (directory.to_owned(), record.clone());
        let thread = thread::Builder::new().name("network".into()).spawn(move || {
            let Link { address, names, connection } = link;
            let state = State {
                client: connection.client,
                context: connection.context,
                address,
                names,
                record,
                directory,
                store: RefCell::new(store),
                queue,
                report: own_report,
                notice,
                wake: own_wake,
                leases: RefCell::new(Leases::default()),
                claims: RefCell::new(BTreeMap::new()),
                sent_cases: RefCell::new(BTreeSet::new()),
                troubles: RefCell::new(BTreeMap::new()),
                caught_up: Cell::new(0),
                idle: Cell::new(false),
                pace: RefCell::new(Pace::default()),
                gathered: Cell::new(None),
            };
            connection.runtime.block_on(state.run(&own_leave, receiver, &connection.events));
        })?;
        Ok(Self { thread: Some(thread), wake, leave, notices, requests: sender, report })
    }

    /// Something was written to the store.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// What there is to tell.
    pub(crate) fn notices(&self) -> &mpsc::Receiver<Notice> {
        &self.notices
    }

    /// What this machine says of itself.
    pub(crate) fn report(&self) -> MutexGuard<'_, WorkerReport> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For claims, from any thread.
    pub(crate) fn claims(&self) -> Claims {
        Claims { requests: self.requests.clone() }
    }

    /// Gives back what is not done, sends what there is, and ends. An error says what could not be
    /// sent, and where it is.
    pub(crate) fn leave(mut self) -> anyhow::Result<()> {
        self.end();
        for notice in self.notices.try_iter() {
            if let Notice::Failed(error) = notice {
                return Err(error);
            }
        }
        Ok(())
    }

    fn end(&mut self) {
        self.leave.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic in it was told already.
            let _ = thread.join();
        }
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        self.end();
    }
}

/// What the thread works with. Its tasks take turns in one thread, so that cells are enough.
pub(super) struct State {
    pub(super) client: Client,
    pub(super) context: Context,
    pub(super) address: Address,
    pub(super) names: Names,
    pub(super) record: HuntRecord,
    pub(super) directory: PathBuf,
    pub(super) store: RefCell<Store>,
    /// Where the numbers go; `None` for a reader.
    pub(super) queue: Option<Arc<Queue>>,
    pub(super) report: Arc<Mutex<WorkerReport>>,
    pub(super) notice: mpsc::Sender<Notice>,
    pub(super) wake: Arc<Notify>,
    pub(super) leases: RefCell<Leases>,
    /// The claims that we hold, with their revisions.
    claims: RefCell<BTreeMap<String, u64>>,
    /// Programs that the server has.
    pub(super) sent_cases: RefCell<BTreeSet<String>>,
    /// What does not work at this moment, by task.
    troubles: RefCell<BTreeMap<&'static str, String>>,
    /// How many lists a reader has read to the end.
    pub(super) caught_up: Cell<u8>,
    /// Whether there is nothing to test at this moment.
    pub(super) idle: Cell<bool>,
    pace: RefCell<Pace>,
    /// When programs were last sent.
    pub(super) gathered: Cell<Option<Instant>>,
}

impl State {
    async fn run(
        &self,
        leave: &Notify,
        mut receiver: requests::UnboundedReceiver<Request>,
        events: &mpsc::Receiver<Event>,
    ) {
        let work = async {
            let common = async {
                tokio::try_join!(
                    self.send_all(),
                    self.stay_alive(),
                    self.answer(&mut receiver),
                    self.listen(events),
                )
            };
            let news = self.follow(Channel::News, self.names.news());
            match &self.queue {
                Some(queue) => tokio::try_join!(common, self.take_leases(queue), news).map(|_| ()),
                None => {
                    let done = self.follow(Channel::Done, self.names.done());
                    let workers = self.follow(Channel::Workers, self.names.workers());
                    tokio::try_join!(common, news, done, workers).map(|_| ())
                }
            }
        };
        tokio::select! {
            result = work => {
                if let Err(error) = result {
                    if let Some(queue) = &self.queue {
                        queue.stop();
                    }
                    self.tell(Notice::Failed(error));
                    leave.notified().await;
                }
            }
            () = leave.notified() => {}
        }
        // Nothing is lost if this fails: the results wait on disk, leases and claims expire.
        let _ = timeout(3 * PATIENCE, self.say_goodbye()).await;
        if let Ok(count @ 1..) = self.store.borrow().waiting_count() {
            let place = self.directory.display();
            self.tell(Notice::Failed(anyhow::anyhow!(
                "{count} results could not be sent and wait in `{place}`: the same command sends \
                 them later"
            )));
        }
    }

    pub(super) fn tell(&self, notice: Notice) {
        // Without a listener there is nobody to tell.
        let _ = self.notice.send(notice);
    }

    /// Something does not work, and is tried again. A newer version is an error.
    pub(super) fn trouble(&self, task: &'static str, error: anyhow::Error) -> anyhow::Result<()> {
        if error.is::<Newer>() {
            return Err(error);
        }
        let mut troubles = self.troubles.borrow_mut();
        if troubles.is_empty() {
            let waiting = self.store.borrow().waiting_count().unwrap_or_default();
            let connected = self.client.connection_state() == ConnectionState::Connected;
            let hint = match connected && is_timeout(&error) {
                true => "; if its disk was full, it has to be started again",
                false => "",
            };
            self.tell(Notice::Note(format!(
                "{} does not answer as it should ({error:#}{hint}); {waiting} results wait in \
                 `{}`, and it is tried again",
                self.address.url,
                self.directory.display()
            )));
        }
        troubles.insert(task, format!("{error:#}"));
        Ok(())
    }

    /// A task works.
    pub(super) fn fine(&self, task: &'static str) {
        let mut troubles = self.troubles.borrow_mut();
        if troubles.remove(task).is_some() && troubles.is_empty() {
            self.tell(Notice::Note(format!("{} answers again", self.address.url)));
        }
    }

    /// Waits until there is a connection.
    pub(super) async fn connected(&self) {
        while self.client.connection_state() != ConnectionState::Connected {
            sleep(Duration::from_millis(100)).await;
        }
    }

    async fn listen(&self, events: &mpsc::Receiver<Event>) -> anyhow::Result<()> {
        loop {
            for event in events.try_iter() {
                match event {
                    Event::Disconnected => {
                        self.trouble("connection", anyhow::anyhow!("the connection is lost"))?;
                    }
                    Event::Connected => self.fine("connection"),
                    _ => {}
                }
            }
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Says again and again that we live: for the leases, for the claims, and for those who look.
    async fn stay_alive(&self) -> anyhow::Result<()> {
        let pause = (self.record.limits.silence / 3).max(Duration::from_millis(100));
        loop {
            self.connected().await;
            match patiently("sign of life", self.show_life()).await {
                Ok(()) => self.fine("life"),
                Err(error) => self.trouble("life", error)?,
            }
            sleep(pause).await;
        }
    }

    async fn show_life(&self) -> anyhow::Result<()> {
        let messages = self.leases.borrow().messages();
        for message in messages {
            message.ack_with(AckKind::Progress).await.map_err(anyhow::Error::from_boxed)?;
        }
        let held: Vec<(String, u64)> =
            self.claims.borrow().iter().map(|(key, revision)| (key.clone(), *revision)).collect();
        if !held.is_empty() {
            let bucket = self.claims_bucket().await?;
            for (key, revision) in held {
                match bucket.update(&key, self.own_id().into(), revision).await {
                    Ok(revision) => drop(self.claims.borrow_mut().insert(key, revision)),
                    // Another machine has it: we were silent for too long.
                    Err(error) if error.kind() == kv::UpdateErrorKind::WrongLastRevision => {
                        self.claims.borrow_mut().remove(&key);
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        if self.queue.is_some() {
            self.send_report().await?;
        }
        Ok(())
    }

    fn own_id(&self) -> String {
        let id = self.report.lock().unwrap_or_else(PoisonError::into_inner).id.clone();
        if id.is_empty() { "reader".to_owned() } else { id }
    }

    async fn send_report(&self) -> anyhow::Result<()> {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.pace.borrow_mut().note(&mut report, Instant::now());
        let row = Map::from_iter([
            ("id".to_owned(), Value::from(report.id.clone())),
            ("document".to_owned(), Value::from(serde_json::to_string(&report)?)),
        ]);
        let row = Copied { table: Table::Workers, row };
        let payload = pack_row(&row)?;
        self.context.publish(self.names.subject(&row), payload.into()).await?.await?;
        Ok(())
    }

    async fn claims_bucket(&self) -> anyhow::Result<kv::Store> {
        Ok(self.context.get_key_value(self.names.claims()).await?)
    }

    async fn answer(
        &self,
        receiver: &mut requests::UnboundedReceiver<Request>,
    ) -> anyhow::Result<()> {
        while let Some(request) = receiver.recv().await {
            match request {
                Request::Claim { key, answer } => {
                    let claimed = patiently("claim", self.claim(&key)).await.unwrap_or(false);
                    let _ = answer.send(claimed);
                }
                Request::Release { key } => {
                    // If it cannot be said now, it is free by itself soon.
                    let _ = patiently("claim", self.release(&key)).await;
                }
            }
        }
        std::future::pending().await
    }

    async fn claim(&self, key: &str) -> anyhow::Result<bool> {
        if self.claims.borrow().contains_key(key) {
            return Ok(true);
        }
        match self.claims_bucket().await?.create(key, self.own_id().into()).await {
            Ok(revision) => {
                self.claims.borrow_mut().insert(key.to_owned(), revision);
                Ok(true)
            }
            Err(error) if error.kind() == kv::CreateErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    async fn release(&self, key: &str) -> anyhow::Result<()> {
        if self.claims.borrow().contains_key(key) {
            self.claims_bucket().await?.purge(key).await?;
            // Not earlier: if this is given up in between, the farewell does it.
            self.claims.borrow_mut().remove(key);
        }
        Ok(())
    }

    /// Gives back what is not done, and sends what there is.
    async fn say_goodbye(&self) -> anyhow::Result<()> {
        if self.client.connection_state() != ConnectionState::Connected {
            return Ok(());
        }
        self.gathered.set(None);
        while self.send_some().await? {
            self.gathered.set(None);
        }
        let messages = self.leases.borrow().messages();
        for message in messages {
            message.ack_with(AckKind::Nak(None)).await.map_err(anyhow::Error::from_boxed)?;
        }
        let claims: Vec<String> = self.claims.borrow().keys().cloned().collect();
        for key in claims {
            self.release(&key).await?;
        }
        if self.queue.is_some() {
            self.report.lock().unwrap_or_else(PoisonError::into_inner).left = true;
            self.send_report().await?;
        }
        self.client.flush().await.context("the connection cannot be closed")
    }
}

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "a sign of life has a time; no program does")]
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
