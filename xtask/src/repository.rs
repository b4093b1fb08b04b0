//! The files of the repository, read once.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The top directory of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a directory of the workspace")
        .to_path_buf()
}

/// A file that git tracks, or would track.
#[derive(Debug)]
pub(crate) struct File {
    /// Its path from the top directory, with `/`.
    pub(crate) path: String,
    /// Its text; `None` if it is not UTF-8.
    pub(crate) text: Option<String>,
}

impl File {
    /// The lines with their numbers from one; none for a file that is not text.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        // Unlike `lines`, this keeps a carriage return, which is white space at the end.
        self.text.iter().flat_map(|text| (1..).zip(text.split('\n')))
    }

    /// The part of the path after the last `/`.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether the path ends in one of `extensions`.
    pub(crate) fn has_extension(&self, extensions: &[&str]) -> bool {
        self.name().rsplit_once('.').is_some_and(|(_, found)| extensions.contains(&found))
    }
}

/// All files that git tracks or would track, sorted by path.
pub(crate) fn files() -> Result<Vec<File>> {
    let root = root();
    let output = Command::new("git")
        // Continuous integration may run as another user than the one who cloned.
        .args([
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(&root)
        .output()
        .context("git cannot be started; install the package git")?;
    ensure!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout).context("a path is not UTF-8")?;
    let mut paths: Vec<&str> = listed.split('\0').filter(|path| !path.is_empty()).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        // A file that was deleted but not yet committed is still listed.
        if let Ok(bytes) = std::fs::read(root.join(path)) {
            files.push(File { path: path.to_owned(), text: String::from_utf8(bytes).ok() });
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    #[test]
    fn test_threads_have_stack_for_any_program() {
        // Set in .cargo/config.toml, which cannot name the constant.
        let stack = std::env::var("RUST_MIN_STACK").unwrap();
        assert_eq!(stack, farrier_lang::STACK_BYTES.to_string());
    }
}
