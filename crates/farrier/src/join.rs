//! Hunts of several machines over a NATS server with JetStream.
//!
//! The worker is the one of a hunt on one machine, and writes to a store on its own disk. This
//! module takes rows of that store to the server, brings those of others, and gets the numbers to
//! test from a queue there. All that is asynchronous happens in one thread behind this interface.
//! docs/design/join.md explains who may die when, and what is lost: nothing.

mod connection;
mod edge;
mod follow;
mod leases;
mod outbox;
mod pace;
mod rehearsal;
mod wire;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use anyhow::{Context, bail};
use async_nats::jetstream::kv;
use farrier_harness::Subject;

pub(crate) use self::edge::{Claims, Duty, Edge, Notice, now};
pub use self::rehearsal::{Moment, Rehearsal, Rehearsed, rehearse};
pub(crate) use self::wire::{HuntRecord, ServerLimits, SubjectReport, WorkerReport};
use self::wire::{Names, pack, unpack};
use crate::finding::{Claim, HuntSettings, Membership, Store};

/// The keys of the bucket that says what the hunt is.
const HUNT: &str = "hunt";
const END: &str = "end";

/// A word that is never printed.
#[derive(Clone, Default)]
pub(crate) struct Secret(pub(crate) Option<String>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "(secret)" } else { "None" })
    }
}

/// Where a hunt is, and how to get in.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// The server, without a secret.
    pub(crate) url: String,
    /// The name of the hunt.
    pub(crate) name: String,
    /// The file of credentials.
    pub(crate) creds: Option<PathBuf>,
    /// The file of the authority that the server's certificate comes from.
    pub(crate) authority: Option<PathBuf>,
    pub(crate) user: Option<String>,
    pub(crate) password: Secret,
    pub(crate) token: Secret,
}

/// A connection before the work begins. Nothing happens in it between two calls.
pub(crate) struct Link {
    address: Address,
    names: Names,
    connection: connection::Connection,
}

impl Link {
    /// Connects. A server that cannot be reached, that does not let us in or that has no
    /// JetStream is an error that says so.
    pub(crate) fn connect(address: &Address) -> anyhow::Result<Self> {
        let names = Names::new(&address.name)?;
        let connection = connection::Connection::new(address)?;
        Ok(Self { address: address.clone(), names, connection })
    }

    /// The hunt of this name, if there is one.
    pub(crate) fn record(&self) -> anyhow::Result<Option<HuntRecord>> {
        let bucket = self.names.state();
        self.connection.block_on(async |context| {
            if !connection::has_stream(context, &format!("KV_{bucket}")).await? {
                return Ok(None);
            }
            let state = context.get_key_value(&bucket).await?;
            state.get(HUNT).await?.map(|bytes| unpack(&bytes)).transpose()
        })
    }

    /// The same, which must be there.
    pub(crate) fn existing(&self) -> anyhow::Result<HuntRecord> {
        if let Some(record) = self.record()? {
            return Ok(record);
        }
        let others = self.hunts()?;
        let others = match others.as_slice() {
            [] => "there is none".to_owned(),
            list => format!("there are {}", list.join(", ")),
        };
        let Address { url, name, .. } = &self.address;
        bail!(
            "there is no hunt `{name}` on {url} ({others}): begin one with `farrier hunt --join \
             {url} --name {name}`"
        )
    }

    /// The names of all hunts of the server.
    fn hunts(&self) -> anyhow::Result<Vec<String>> {
        let streams =
            self.connection.block_on(async |context| connection::stream_names(context).await)?;
        let name = |stream: &String| {
            let name = stream.strip_prefix("KV_farrier_")?.strip_suffix("_state")?;
            Some(name.to_owned())
        };
        Ok(streams.iter().filter_map(name).collect())
    }

    /// Begins a hunt, or gives the one that another machine has begun in the meantime.
    pub(crate) fn begin(
        &self,
        settings: &HuntSettings,
        limits: &ServerLimits,
    ) -> anyhow::Result<HuntRecord> {
        let hunt = self.connection.draw_name();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let record =
            HuntRecord { hunt, version, settings: settings.clone(), limits: limits.clone() };
        let payload = pack(&record)?;
        self.connection.block_on(async |context| {
            for config in self.names.streams(limits) {
                let name = config.name.clone();
                context.get_or_create_stream(config).await.with_context(|| {
                    format!(
                        "the server does not make the stream {name}: it reserves the room that \
                             --server-bytes asks for"
                    )
                })?;
            }
            let state = context.get_key_value(self.names.state()).await?;
            match state.create(HUNT, payload.clone().into()).await {
                Ok(_) => Ok(()),
                Err(error) if error.kind() == kv::CreateErrorKind::AlreadyExists => Ok(()),
                Err(error) => Err(error.into()),
            }
        })?;
        self.existing()
    }

    /// The end of the hunt, as far as this machine has a say: it can be set later, never earlier.
    pub(crate) fn extend(&self, wanted: Option<u64>, is_new: bool) -> anyhow::Result<Option<u64>> {
        let name = &self.address.name;
        self.connection.block_on(async |context| {
            let state = context.get_key_value(self.names.state()).await?;
            loop {
                let entry = connection::live(state.entry(END).await?);
                let stored: Option<u64> =
                    entry.as_ref().map(|entry| unpack_number(&entry.value)).transpose()?;
                let revision = entry.map_or(0, |entry| entry.revision);
                let wanted = match (stored, wanted) {
                    (stored, None) => return Ok(stored),
                    (Some(stored), Some(wanted)) if wanted <= stored => return Ok(Some(stored)),
                    (None, Some(_)) if !is_new => {
                        bail!("the hunt `{name}` has no end: leave --programs out, or use --for")
                    }
                    (_, Some(wanted)) => wanted,
                };
                match state.update(END, pack_number(wanted)?.into(), revision).await {
                    Ok(_) => return Ok(Some(wanted)),
                    Err(error) if error.kind() == kv::UpdateErrorKind::WrongLastRevision => {}
                    Err(error) => return Err(error.into()),
                }
            }
        })
    }

    /// Tells compilers apart that have one name on several machines: the first machine has the
    /// name, another compiler of that name gets its version, or the hash of its file, after it.
    pub(crate) fn tell_apart(&self, subjects: &mut [&mut Subject]) -> anyhow::Result<()> {
        for subject in subjects {
            let own = SubjectReport::of(subject);
            let short = &own.binary[..own.binary.len().min(8)];
            let candidates = [
                own.name.clone(),
                format!("{}@{}", own.name, own.version),
                format!("{}@{}-{short}", own.name, own.version),
            ];
            let mut names = candidates.into_iter();
            subject.name = loop {
                let Some(name) = names.next() else {
                    bail!("another machine of the hunt has another compiler named {}", own.name);
                };
                if self.take_name(&name, &own)? {
                    break name;
                }
            };
        }
        Ok(())
    }

    /// Whether a machine has a compiler that is called so: by its name, or that of its command.
    pub(crate) fn has_name(&self, text: &str) -> anyhow::Result<bool> {
        let command = text.split_whitespace().next().unwrap_or_default();
        let (name, path) = command.split_once('=').unwrap_or((command, command));
        let name = if name == path { path.rsplit('/').next().unwrap_or(path) } else { name };
        let key = name_key(name);
        self.connection.block_on(async |context| {
            let state = context.get_key_value(self.names.state()).await?;
            Ok(state.get(&key).await?.is_some())
        })
    }

    /// Whether a compiler may have a name: it is the first, or the same as the first.
    fn take_name(&self, name: &str, own: &SubjectReport) -> anyhow::Result<bool> {
        let key = name_key(name);
        let payload = pack(own)?;
        self.connection.block_on(async |context| {
            let state = context.get_key_value(self.names.state()).await?;
            match state.create(&key, payload.clone().into()).await {
                Ok(_) => return Ok(true),
                Err(error) if error.kind() == kv::CreateErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
            let known = state.get(&key).await?.context("the server has forgotten a name")?;
            Ok(unpack::<SubjectReport>(&known)?.is_same(own))
        })
    }
}

/// Where it is written whose name this is.
fn name_key(name: &str) -> String {
    format!("subject.{}", &blake3::hash(name.as_bytes()).to_hex()[..20])
}

fn pack_number(number: u64) -> anyhow::Result<Vec<u8>> {
    pack(&Number { number })
}

fn unpack_number(bytes: &[u8]) -> anyhow::Result<u64> {
    Ok(unpack::<Number>(bytes)?.number)
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Number {
    number: u64,
}

/// Which compilers a machine tests, as a hash: machines with the same share the work.
pub(crate) fn lineup(tested: &[(SubjectReport, Vec<String>)]) -> String {
    let mut parts: Vec<String> = tested
        .iter()
        .map(|(subject, levels)| {
            let SubjectReport { name, version, target, binary } = subject;
            format!("{name}\0{version}\0{target}\0{binary}\0{}", levels.join("\0"))
        })
        .collect();
    parts.sort();
    blake3::hash(parts.join("\n").as_bytes()).to_hex()[..16].to_owned()
}

/// What the machines of a hunt have said of themselves, each with the time of its last sign of
/// life, in seconds since 1970.
pub(crate) fn workers(store: &Store) -> anyhow::Result<Vec<(WorkerReport, u64)>> {
    let rows = store.workers()?;
    // What another version has written is not shown.
    let read = |(document, seen): &(String, String)| {
        Some((serde_json::from_str(document).ok()?, seen.parse().ok()?))
    };
    Ok(rows.iter().filter_map(read).collect())
}

/// What is said where nothing copies any more, and no reason is known.
const ENDED: &str = "the thread that copies the hunt has ended";

/// A copy of a hunt in a directory, which is kept up to date until this is dropped.
pub(crate) struct Mirror {
    edge: Edge,
    /// Holds the lock of the directory.
    _store: Store,
}

impl Mirror {
    /// Copies a hunt of a server into a directory. When this returns, all that the server had is
    /// in it; `tell` hears how far it is, and says whether to go on.
    pub(crate) fn start(
        address: &Address,
        directory: &Path,
        tell: &mut dyn FnMut(&str) -> bool,
    ) -> anyhow::Result<Self> {
        let link = Link::connect(address)?;
        let record = link.existing()?;
        let store = open(directory, &record, &address.name, None)?;
        let edge = Edge::start(link, directory, &record, Duty::Reader)?;
        let mirror = Self { edge, _store: store };
        loop {
            match mirror.edge.notices().recv_timeout(Duration::from_millis(100)) {
                Ok(Notice::UpToDate) => return Ok(mirror),
                Ok(Notice::Failed(error)) => return Err(error),
                Ok(Notice::Note(text)) => drop(tell(&text)),
                Ok(Notice::News | Notice::Leased(_) | Notice::Finished) => {}
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => bail!(ENDED),
            }
            if !tell("") {
                bail!("the copy is not complete: the same command continues");
            }
        }
    }

    /// Tells what happens to the connection, until it is stopped or the copy fails.
    pub(crate) fn follow(&self, stop: &AtomicBool, tell: impl Fn(&str)) -> anyhow::Result<()> {
        while !stop.load(Ordering::Relaxed) {
            match self.edge.notices().recv_timeout(Duration::from_millis(200)) {
                Ok(Notice::Failed(error)) => return Err(error),
                Ok(Notice::Note(text)) => tell(&text),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => bail!(ENDED),
            }
        }
        Ok(())
    }

    /// The connection, for claims.
    pub(crate) fn edge(&self) -> &Edge {
        &self.edge
    }

    /// Sends what was added to the copy, and ends.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        self.edge.leave()
    }
}

/// Opens the store of a member of a hunt. A machine that tests has a lineup.
pub(crate) fn open(
    directory: &Path,
    record: &HuntRecord,
    name: &str,
    lineup: Option<&str>,
) -> anyhow::Result<Store> {
    let claim = Claim::new(directory)?;
    open_claimed(claim, record, name, lineup)
}

/// The same in a directory that is claimed already.
pub(crate) fn open_claimed(
    claim: Claim,
    record: &HuntRecord,
    name: &str,
    lineup: Option<&str>,
) -> anyhow::Result<Store> {
    let mut store = Store::open(claim, &record.settings)?;
    let earlier = store.membership()?.map(|earlier| earlier.lineup);
    let lineup = lineup.map(str::to_owned).or(earlier).unwrap_or_default();
    store.join(&Membership { hunt: record.hunt.clone(), name: name.to_owned(), lineup })?;
    Ok(store)
}
