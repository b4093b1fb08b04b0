//! What is on the server: names, limits and messages.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use farrier_harness::Subject;
use farrier_lang::SourceText;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::finding::{Copied, FORM, HuntSettings, Table};

/// Nothing is larger than this when it is unpacked.
const MOST_UNPACKED: u64 = 64 << 20;

/// How long the server remembers messages, so that a second one is not stored.
const DUPLICATES: Duration = Duration::from_secs(120);

/// What is small may take so much: the list of leases, for example, has a line for each.
const SMALL_BYTES: i64 = 64 << 20;

/// The names of a hunt on the server. Names of hunts have no underscore, so that no two meet.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) hunt: String,
}

impl Names {
    /// The names of the hunt of this name, if it can be one.
    pub(super) fn new(hunt: &str) -> anyhow::Result<Self> {
        let plain = hunt.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-');
        ensure!(
            plain && (1..=64).contains(&hunt.len()),
            "`{hunt}` cannot be the --name of a hunt: it has 1 to 64 letters, digits and `-`"
        );
        Ok(Self { hunt: hunt.to_owned() })
    }

    fn of(&self, what: &str) -> String {
        format!("farrier_{}_{what}", self.hunt)
    }

    /// The stream of leases.
    pub(super) fn work(&self) -> String {
        self.of("work")
    }

    /// The stream of programs that are done.
    pub(super) fn done(&self) -> String {
        self.of("done")
    }

    /// The stream of findings and of what is known about them.
    pub(super) fn news(&self) -> String {
        self.of("news")
    }

    /// The stream of what workers say of themselves.
    pub(super) fn workers(&self) -> String {
        self.of("workers")
    }

    /// The bucket of what the hunt is.
    pub(super) fn state(&self) -> String {
        self.of("state")
    }

    /// The bucket of claims.
    pub(super) fn claims(&self) -> String {
        self.of("claims")
    }

    /// The bucket of programs.
    pub(super) fn cases(&self) -> String {
        self.of("cases")
    }

    /// The subject of the leases for machines with these compilers.
    pub(super) fn work_subject(&self, lineup: &str) -> String {
        format!("farrier.{}.work.{lineup}", self.hunt)
    }

    /// The subject of a row.
    pub(super) fn subject(&self, row: &Copied) -> String {
        let hunt = &self.hunt;
        let token = |column: &str| {
            let value = row.row.get(column).and_then(Value::as_str).unwrap_or_default();
            blake3::hash(value.as_bytes()).to_hex()[..20].to_owned()
        };
        match row.table {
            Table::Findings => format!("farrier.{hunt}.news.findings.{}", token("name")),
            Table::Analyses => format!("farrier.{hunt}.news.analyses.{}", token("finding")),
            Table::Reductions => format!("farrier.{hunt}.news.reductions.{}", token("finding")),
            Table::Catalogues => format!("farrier.{hunt}.news.catalogues.{}", token("subject")),
            Table::Workers => format!("farrier.{hunt}.worker.{}", token("id")),
            Table::Programs => self.done_subject(),
        }
    }

    /// The subject of programs that are done.
    pub(super) fn done_subject(&self) -> String {
        format!("farrier.{}.done", self.hunt)
    }

    /// All streams of a hunt, with their limits.
    pub(super) fn streams(&self, limits: &ServerLimits) -> Vec<Config> {
        let hunt = &self.hunt;
        let bytes = i64::try_from(limits.bytes).unwrap_or(i64::MAX);
        let usual = Config {
            storage: StorageType::File,
            num_replicas: limits.replicas,
            duplicate_window: DUPLICATES,
            // What does not fit is refused, so that workers keep it and say so.
            discard: DiscardPolicy::New,
            ..Config::default()
        };
        let bucket = |bucket: String, max_age, history, max_bytes| Config {
            name: format!("KV_{bucket}"),
            subjects: vec![format!("$KV.{bucket}.>")],
            max_messages_per_subject: history,
            max_age,
            max_bytes,
            allow_rollup: true,
            deny_delete: true,
            allow_direct: true,
            duplicate_window: max_age.min(DUPLICATES),
            ..usual.clone()
        };
        vec![
            Config {
                name: self.work(),
                subjects: vec![format!("farrier.{hunt}.work.*")],
                retention: RetentionPolicy::WorkQueue,
                max_bytes: SMALL_BYTES,
                ..usual.clone()
            },
            Config {
                name: self.done(),
                subjects: vec![self.done_subject()],
                max_bytes: bytes / 2,
                max_age: limits.age,
                ..usual.clone()
            },
            Config {
                name: self.news(),
                // No row stands in the place of another here: the server makes room for one that is
                // longer by removing the oldest of all, however full it is.
                subjects: vec![format!("farrier.{hunt}.news.>")],
                max_bytes: bytes / 4,
                max_age: limits.age,
                ..usual.clone()
            },
            Config {
                name: self.workers(),
                subjects: vec![format!("farrier.{hunt}.worker.*")],
                max_messages_per_subject: 1,
                max_bytes: SMALL_BYTES,
                max_age: limits.age,
                discard: DiscardPolicy::Old,
                ..usual.clone()
            },
            Config {
                name: format!("OBJ_{}", self.cases()),
                subjects: vec![
                    format!("$O.{}.C.>", self.cases()),
                    format!("$O.{}.M.>", self.cases()),
                ],
                max_bytes: bytes / 4,
                max_age: limits.age,
                allow_rollup: true,
                allow_direct: true,
                ..usual.clone()
            },
            bucket(self.claims(), limits.silence, 1, SMALL_BYTES),
            bucket(self.state(), Duration::ZERO, 1, SMALL_BYTES),
        ]
    }
}

/// What a hunt may take on the server, and how long its machines may be silent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ServerLimits {
    /// On how many servers everything is kept.
    pub(crate) replicas: usize,
    /// All that the hunt may take.
    pub(crate) bytes: u64,
    /// How long results stay.
    pub(crate) age: Duration,
    /// After so long without a sign of life the work of a machine goes to others.
    pub(crate) silence: Duration,
}

/// What makes a hunt on the server what it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct HuntRecord {
    /// By what it is told from another one of the same name.
    pub(crate) hunt: String,
    /// The version of Farrier that began it; another one makes other programs.
    pub(crate) version: String,
    pub(crate) settings: HuntSettings,
    pub(crate) limits: ServerLimits,
}

/// A row of the queue: numbers that one machine has to test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Lease {
    pub(super) first: u64,
    pub(super) count: u64,
}

impl Lease {
    /// The numbers.
    pub(super) fn numbers(self) -> impl Iterator<Item = u64> {
        self.first..self.first.saturating_add(self.count.min(1024))
    }
}

/// What a machine says of itself. It is sent again and again, as a sign of life.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WorkerReport {
    /// By what it is told from all others; it stays when the same directory is used again.
    pub(crate) id: String,
    /// The name of the machine.
    pub(crate) host: String,
    /// How many programs it tests at a time.
    pub(crate) jobs: usize,
    /// Which compilers it has, as a hash: machines with the same share the work.
    pub(crate) lineup: String,
    /// When it came, in seconds since 1970.
    pub(crate) started: u64,
    /// Programs that it has done since then.
    pub(crate) programs: u64,
    /// Trials in them.
    pub(crate) trials: u64,
    /// Processor time of compilers and of compiled programs in them.
    pub(crate) seconds: f64,
    /// Findings of its own.
    pub(crate) findings: u64,
    /// What it does in a second at present: programs, trials, and processor seconds in them.
    pub(crate) programs_per_second: f64,
    pub(crate) trials_per_second: f64,
    pub(crate) processors: f64,
    /// Whether it has left.
    pub(crate) left: bool,
    pub(crate) subjects: Vec<SubjectReport>,
}

/// A compiler of a machine.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SubjectReport {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) target: String,
    /// The hash of the compiler's file.
    pub(crate) binary: String,
}

impl SubjectReport {
    /// What there is to say of a compiler.
    pub(crate) fn of(subject: &Subject) -> Self {
        let file = subject.command.first().map(std::path::PathBuf::from).unwrap_or_default();
        let hash = std::fs::read(file).map(|bytes| blake3::hash(&bytes).to_hex()[..16].to_owned());
        Self {
            name: subject.name.clone(),
            version: subject.version.clone(),
            target: subject.target.map_or(subject.triple.as_str(), |target| target.name).to_owned(),
            binary: hash.unwrap_or_default(),
        }
    }

    /// Whether two machines mean the same compiler by one name.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (&self.version, &self.target, &self.binary)
            == (&other.version, &other.target, &other.binary)
    }
}

/// Every message says in which form it is.
#[derive(Serialize, Deserialize)]
struct Envelope<T> {
    form: usize,
    #[serde(flatten)]
    content: T,
}

/// A message of a newer version of Farrier.
#[derive(Debug, thiserror::Error)]
#[error(
    "the hunt has messages of a newer version of Farrier (form {form}, this one knows {FORM}): \
     use that version"
)]
pub(super) struct Newer {
    form: usize,
}

/// A message.
pub(super) fn pack<T: Serialize>(content: &T) -> anyhow::Result<Vec<u8>> {
    Ok(serde_json::to_vec(&Envelope { form: FORM, content })?)
}

/// What a message says. One of a newer version is an error of the kind `Newer`.
pub(super) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> anyhow::Result<T> {
    let Envelope::<Map<String, Value>> { form, content } =
        serde_json::from_slice(bytes).context("a message of the hunt is not one of Farrier's")?;
    if form > FORM {
        bail!(Newer { form });
    }
    serde_json::from_value(Value::Object(content)).context("a message of the hunt makes no sense")
}

/// A row in a message.
#[derive(Serialize, Deserialize)]
struct RowMessage {
    table: String,
    row: Map<String, Value>,
}

/// A row as a message.
pub(super) fn pack_row(row: &Copied) -> anyhow::Result<Vec<u8>> {
    pack(&RowMessage { table: row.table.name().to_owned(), row: row.row.clone() })
}

/// The row of a message.
pub(super) fn unpack_row(bytes: &[u8]) -> anyhow::Result<Copied> {
    let RowMessage { table, row } = unpack(bytes)?;
    let table = Table::by_name(&table).with_context(|| format!("the table {table} is unknown"))?;
    Ok(Copied { table, row })
}

/// Programs that are done, in a message: the names of the columns, and a list for each program.
#[derive(Serialize, Deserialize)]
struct ProgramsMessage {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

/// Programs that are done as a compressed message. Columns that no program has are left out.
pub(super) fn pack_programs(programs: &[Copied]) -> anyhow::Result<Vec<u8>> {
    let columns: BTreeSet<&String> = programs.iter().flat_map(|one| one.row.keys()).collect();
    let cells = |one: &Copied| {
        columns.iter().map(|name| one.row.get(*name).cloned().unwrap_or_default()).collect()
    };
    let rows = programs.iter().map(cells).collect();
    let columns = columns.iter().map(|name| (*name).clone()).collect();
    compress(&pack(&ProgramsMessage { columns, rows })?)
}

/// The programs of a message.
pub(super) fn unpack_programs(bytes: &[u8]) -> anyhow::Result<Vec<Copied>> {
    let ProgramsMessage { columns, rows } = unpack(&decompress(bytes)?)?;
    let program = |cells: Vec<Value>| {
        let row = columns.iter().cloned().zip(cells).filter(|(_, cell)| !cell.is_null()).collect();
        Copied { table: Table::Programs, row }
    };
    Ok(rows.into_iter().map(program).collect())
}

fn compress(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes)?;
    Ok(packed.finish()?)
}

fn decompress(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    ZlibDecoder::new(bytes)
        .take(MOST_UNPACKED)
        .read_to_end(&mut unpacked)
        .context("a message of the hunt cannot be unpacked")?;
    Ok(unpacked)
}

/// By what the server knows that it has a row already: what is written once by its key, and what
/// can be replaced by its content.
pub(super) fn message_id(row: &Copied, key: &str, payload: &[u8]) -> String {
    match row.table.replaces() {
        true => blake3::hash(payload).to_hex()[..32].to_owned(),
        false => {
            let identity = format!("{} {key}", row.table.name());
            blake3::hash(identity.as_bytes()).to_hex()[..32].to_owned()
        }
    }
}

/// The files of a program as an object.
pub(super) fn pack_case(sources: &[SourceText]) -> anyhow::Result<Vec<u8>> {
    let files: Vec<(&str, &str)> =
        sources.iter().map(|source| (&*source.name, &*source.text)).collect();
    compress(&serde_json::to_vec(&files)?)
}

/// The files of an object.
pub(super) fn unpack_case(bytes: &[u8]) -> anyhow::Result<Vec<SourceText>> {
    let files: Vec<(String, String)> = serde_json::from_slice(&decompress(bytes)?)?;
    Ok(files.into_iter().map(|(name, text)| SourceText::new(name, text)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hunts_do_not_meet() {
        for wrong in ["", "a b", "a.b", "a_b", "a>", "*", "ä", &"a".repeat(65)] {
            assert!(Names::new(wrong).is_err(), "{wrong}");
        }
        let limits = ServerLimits {
            replicas: 1,
            bytes: 1 << 30,
            age: Duration::from_secs(1),
            silence: Duration::from_secs(1),
        };
        let streams = |hunt: &str| Names::new(hunt).expect("it is right").streams(&limits);
        let mut all: Vec<String> =
            ["a", "a-work", "work"].iter().flat_map(|hunt| streams(hunt)).map(|c| c.name).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn a_newer_message_is_refused() {
        let text = pack(&Lease { first: 3, count: 2 }).expect("it can be written");
        assert_eq!(unpack::<Lease>(&text).expect("it is ours"), Lease { first: 3, count: 2 });
        let newer = format!("{{\"form\": {}, \"table\": \"findings\"}}", FORM + 1);
        let error = unpack_row(newer.as_bytes()).expect_err("it is newer");
        assert!(error.is::<Newer>() && error.to_string().contains("newer version"), "{error}");
        assert!(unpack::<Lease>(b"{}").is_err() && unpack::<Lease>(b"\xff").is_err());
    }

    #[test]
    fn programs_that_are_done_are_the_same_after_their_way() {
        let program = |text: &str| {
            let row = serde_json::from_str(text).expect("it is an object");
            Copied { table: Table::Programs, row }
        };
        let programs = [
            program(r#"{"number": 7, "lineup": "a", "trials": 12, "compiler_seconds": 1.25}"#),
            program(r#"{"number": 8, "lineup": "a", "troubles": "[\"x\"]"}"#),
        ];
        let packed = pack_programs(&programs).expect("it can be packed");
        assert_eq!(unpack_programs(&packed).expect("it can be unpacked"), programs);
        let newer = format!("{{\"form\": {}}}", FORM + 1);
        let newer = compress(newer.as_bytes()).expect("it can be packed");
        assert!(unpack_programs(&newer).expect_err("it is newer").is::<Newer>());
        assert!(unpack_programs(b"{}").is_err());
    }

    #[test]
    fn a_program_is_the_same_after_its_way() {
        let sources = [SourceText::new("a.c", "int x;\n"), SourceText::new("b.c", "\u{fc}")];
        let packed = pack_case(&sources).expect("it can be packed");
        let unpacked = unpack_case(&packed).expect("it can be unpacked");
        let text = |one: &SourceText| (one.name.to_string(), one.text.to_string());
        assert!(unpacked.iter().map(text).eq(sources.iter().map(text)));
        assert!(unpack_case(&packed[1..]).is_err());
    }
}
