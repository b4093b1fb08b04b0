//! Directories that are gone when we are done.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Error;

/// What the names of all scratch directories begin with; the id of the process and a
/// number follow.
const PREFIX: &str = "farrier-scratch-";

/// A directory that nothing else uses, removed with all that is in it when this value is
/// dropped, also by a panic.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes a directory in `base`.
    pub fn new(base: &Path) -> Result<Self, Error> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Links are resolved because rules of the sandbox are about real directories.
        let base = base.canonicalize().map_err(|source| file_error(base, source))?;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = base.join(format!("{PREFIX}{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self { path }),
                // Left over from a process that had our id and was killed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(Error::File { path, source }),
            }
        }
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Empties the directory, to be used again.
    pub fn clear(&self) -> Result<(), Error> {
        let entries = fs::read_dir(&self.path).map_err(|source| file_error(&self.path, source))?;
        for entry in entries {
            let path = entry.map_err(|source| file_error(&self.path, source))?.path();
            remove(&path).map_err(|source| Error::File { path, source })?;
        }
        Ok(())
    }

    /// Removes what processes that are no more have left in `base`: they were killed
    /// before they could do it themselves. Returns how many directories there were.
    pub fn sweep(base: &Path) -> Result<usize, Error> {
        Self::remove_those(base, |process| !Path::new("/proc").join(process).exists())
    }

    /// Removes what this process has in `base`, before it exits at once.
    pub fn remove_own(base: &Path) -> Result<usize, Error> {
        let own = std::process::id().to_string();
        Self::remove_those(base, |process| process == own)
    }

    fn remove_those(base: &Path, of: impl Fn(&str) -> bool) -> Result<usize, Error> {
        let mut removed = 0;
        for entry in fs::read_dir(base).map_err(|source| file_error(base, source))?.flatten() {
            let name = entry.file_name();
            let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
            let Some((process, _)) = owner.and_then(|rest| rest.split_once('-')) else { continue };
            if process.parse::<u32>().is_ok() && of(process) {
                // One that belongs to another user stays.
                removed += usize::from(remove(&entry.path()).is_ok());
            }
        }
        Ok(removed)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing can be reported here; the next `sweep` tries again.
        let _ = remove(&self.path);
    }
}

/// How many bytes can still be written to the file system of a directory.
pub fn free_space(directory: &Path) -> Result<u64, Error> {
    let status =
        rustix::fs::statvfs(directory).map_err(|error| file_error(directory, error.into()))?;
    Ok(status.f_bavail.saturating_mul(status.f_frsize))
}

pub(crate) fn file_error(path: &Path, source: io::Error) -> Error {
    Error::File { path: path.to_owned(), source }
}

/// Removes a file, or a directory with all that is in it, whatever its permissions.
fn remove(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path);
    }
    fs::remove_dir_all(path).or_else(|_| {
        open_up(path)?;
        fs::remove_dir_all(path)
    })
}

/// Makes a directory and those in it writable to us.
fn open_up(directory: &Path) -> io::Result<()> {
    fs::set_permissions(directory, Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_up(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_directory_is_gone_after_a_panic() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let panicked = std::thread::spawn(move || {
            let scratch = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
            fs::write(scratch.path().join("file"), "text").expect("it can be written");
            sender.send(scratch.path().to_owned()).expect("the receiver listens");
            panic!("meant to be seen");
        })
        .join();
        assert!(panicked.is_err());
        let path = receiver.recv().expect("the path was sent");
        assert!(!path.exists(), "{}", path.display());
    }

    #[test]
    fn a_directory_without_permissions_is_removed() {
        let scratch = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
        let inner = scratch.path().join("a/b");
        fs::create_dir_all(&inner).expect("it can be made");
        fs::write(inner.join("file"), "text").expect("it can be written");
        for path in [inner.as_path(), &scratch.path().join("a")] {
            fs::set_permissions(path, Permissions::from_mode(0o000)).expect("it is ours");
        }
        scratch.clear().expect("it can be emptied");
        assert_eq!(fs::read_dir(scratch.path()).expect("it is there").count(), 0);
    }

    #[test]
    fn only_directories_of_dead_processes_are_swept() {
        let base = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
        // Ids of processes are smaller than this on every Linux.
        let dead = base.path().join(format!("{PREFIX}999999999-0"));
        let foreign = base.path().join("other-999999999-0");
        let own = Scratch::new(base.path()).expect("there is a place for it");
        for path in [&dead, &foreign] {
            fs::create_dir(path).expect("it can be made");
        }
        assert_eq!(Scratch::sweep(base.path()).expect("it can be read"), 1);
        assert!(!dead.exists() && foreign.exists() && own.path().exists());
    }
}
