//! Which hunt a command is about, and `farrier sync`.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};

use crate::cli::{DIRECTORY, PlaceArguments, SyncArguments};
use crate::finding::Store;
use crate::host::{cache_directory, watch_signals};
use crate::join::{Address, Claims, Mirror, WorkerReport, now, workers};
use crate::terminal::{Line, Talk};
use crate::{Status, output};

/// A hunt that a command is about.
pub(crate) struct HuntPlace {
    /// Its directory: the one that the user has named, or a copy of what is on a server.
    pub(crate) directory: PathBuf,
    mirror: Option<Mirror>,
    /// Held while a copy in the cache is used.
    _lock: Option<File>,
}

impl HuntPlace {
    /// Finds the hunt. One of several machines is copied first.
    pub(crate) fn find(arguments: &PlaceArguments) -> anyhow::Result<Self> {
        let Some(address) = arguments.join.address()? else {
            let directory = arguments.dir.clone().unwrap_or_else(|| PathBuf::from(DIRECTORY));
            return Ok(Self { directory, mirror: None, _lock: None });
        };
        let (directory, lock) = match &arguments.dir {
            Some(directory) => (directory.clone(), None),
            None => {
                let (directory, lock) = cached(&address)?;
                (directory, Some(lock))
            }
        };
        let mut line = Line::new(Duration::ZERO, None);
        let mirror = Mirror::start(&address, &directory, &mut |note| {
            line.show(|| format!("copying the hunt {} {note}", address.name));
            true
        })?;
        line.clear();
        Ok(Self { directory, mirror: Some(mirror), _lock: lock })
    }

    /// For claims of causes, in a hunt of several machines.
    pub(crate) fn claims(&self) -> Option<Claims> {
        self.mirror.as_ref().map(|mirror| mirror.edge().claims())
    }

    /// Tells what happens to the copy of a hunt on a server, until it is stopped.
    pub(crate) fn follow(&self, stop: &AtomicBool, talk: Talk) -> anyhow::Result<()> {
        match &self.mirror {
            Some(mirror) => mirror.follow(stop, |note| talk.note(note)),
            None => Ok(()),
        }
    }

    /// Sends what was added.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        self.mirror.map_or(Ok(()), Mirror::finish)
    }
}

/// The directory for a copy that the user has not named, locked.
fn cached(address: &Address) -> anyhow::Result<(PathBuf, File)> {
    let base = cache_directory().context(
        "there is no directory for a copy of the hunt: set HOME or XDG_CACHE_HOME, or give --dir",
    )?;
    let hash = blake3::hash(address.url.as_bytes()).to_hex();
    let directory = base.join(format!("{}-{}", address.name, &hash[..8]));
    let path = directory.with_extension("lock");
    let failed = || format!("cannot write `{}`", path.display());
    std::fs::create_dir_all(&base).with_context(failed)?;
    let lock = File::create(&path).with_context(failed)?;
    lock.lock().with_context(failed)?;
    Ok((directory, lock))
}

/// Runs `farrier sync`.
pub(crate) fn sync(arguments: &SyncArguments, talk: Talk) -> anyhow::Result<Status> {
    let Some(address) = arguments.join.address()? else {
        bail!("name a hunt on a server with --join and --name");
    };
    let interrupted = watch_signals()?;
    let is_stopped = || interrupted.load(Ordering::Relaxed);
    let mirror = Mirror::start(&address, &arguments.dir, &mut |note| {
        if !note.is_empty() {
            talk.note(note);
        }
        !is_stopped()
    })?;
    let store = Store::open_to_read(&arguments.dir)?;
    let mut text = format!(
        "{} programs and {} findings are in `{}`\n",
        store.tally()?.programs,
        store.findings()?.len(),
        arguments.dir.display()
    );
    for (worker, seen) in workers(&store)? {
        let life = match worker.left {
            true => "has left".to_owned(),
            false => format!("last sign of life {} s ago", now().saturating_sub(seen)),
        };
        let WorkerReport { host, id, jobs, programs, trials, .. } = worker;
        text +=
            &format!("{host} {id}: {programs} programs, {trials} trials, {jobs} jobs, {life}\n");
    }
    output::write(None, text.as_bytes())?;
    if !arguments.once {
        talk.note("the copy is kept up to date; Ctrl-C stops");
        mirror.follow(&interrupted, |note| talk.note(note))?;
    }
    mirror.finish()?;
    Ok(Status::Fine)
}
