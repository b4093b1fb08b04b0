//! Where results go.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// Writes a result to a file, or to standard output if there is none or it is `-`.
///
/// A file is replaced in one step, so that it holds either what it held before or
/// all of the new text, whatever happens on the way.
pub(crate) fn write(path: Option<&Path>, bytes: &[u8]) -> anyhow::Result<()> {
    match path {
        Some(path) if path != Path::new("-") => {
            replace(path, bytes).with_context(|| format!("cannot write `{}`", path.display()))
        }
        _ => print(bytes).context("cannot write to standard output"),
    }
}

/// A reader that has seen enough and closes the pipe is no failure of ours.
fn print(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let previous = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        // A device or a pipe cannot be replaced, and holds nothing that could be lost.
        Ok(metadata) if !metadata.is_file() => return fs::write(path, bytes),
        Ok(metadata) => Some(metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // The file behind a symbolic link is replaced, not the link.
    let path = if previous.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut temporary_name = OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary_name);
    let written = (|| {
        let mut file = File::create_new(&temporary)?;
        file.write_all(bytes)?;
        if let Some(permissions) = previous {
            file.set_permissions(permissions)?;
        }
        file.sync_all()?;
        fs::rename(&temporary, &path)
    })();
    if written.is_err() {
        // The error that matters is the one we already have.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Makes a directory, with those above it.
pub(crate) fn make_directory(path: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(path)
        .with_context(|| format!("cannot make the directory `{}`", path.display()))
}

/// Refuses to replace files; a device or a pipe holds nothing that could be lost.
pub(crate) fn refuse_existing(paths: &[PathBuf]) -> anyhow::Result<()> {
    let exists = |path: &&PathBuf| match fs::symlink_metadata(path) {
        Ok(_) => {
            fs::metadata(path).map_or(true, |metadata| metadata.is_file() || metadata.is_dir())
        }
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    };
    let mut existing = paths.iter().filter(exists);
    match (existing.next(), existing.count()) {
        (None, _) => Ok(()),
        (Some(path), 0) => bail!("`{}` exists: use --force to replace it", path.display()),
        (Some(path), more) => {
            bail!("`{}` and {more} more exist: use --force to replace them", path.display())
        }
    }
}
