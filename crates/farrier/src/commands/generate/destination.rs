//! Where generated programs go.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::bail;
use farrier_synth::Generated;

use crate::cli::GenArguments;
use crate::output;

/// Where generated programs go.
pub(super) enum Destination {
    /// The one program to standard output.
    Stdout,
    /// The one program to this file.
    File(PathBuf),
    /// The files of the one program to this directory.
    Parts(PathBuf, u32),
    /// Every program to a file in this directory, named by its seed; or if there are parts,
    /// its files to a directory there.
    Directory(PathBuf, u32, &'static str),
}

impl Destination {
    /// What the user asks for.
    pub(super) fn of(arguments: &GenArguments, extension: &'static str) -> Self {
        let parts = arguments.split.unwrap_or(0);
        match &arguments.output {
            Some(path) if arguments.count.is_some() => {
                Self::Directory(path.clone(), parts, extension)
            }
            Some(path) if parts > 0 => Self::Parts(path.clone(), parts),
            Some(path) if path != Path::new("-") => Self::File(path.clone()),
            _ => Self::Stdout,
        }
    }

    /// Sees that nothing is in the way, and makes the directory.
    pub(super) fn prepare(&self, seeds: RangeInclusive<u64>, force: bool) -> anyhow::Result<()> {
        if let Self::File(path) = self {
            refuse_directory(path)?;
        }
        if !force {
            let files: Vec<PathBuf> = seeds.flat_map(|seed| self.paths(seed)).collect();
            output::refuse_existing(&files)?;
        }
        match self {
            Self::Stdout | Self::File(_) => Ok(()),
            Self::Parts(path, _) | Self::Directory(path, ..) => output::make_directory(path),
        }
    }

    /// The files of a seed, in the order in which the generator gives them.
    pub(super) fn paths(&self, seed: u64) -> Vec<PathBuf> {
        match self {
            Self::Stdout => Vec::new(),
            Self::File(path) => vec![path.clone()],
            Self::Parts(path, parts) => part_names(*parts).map(|name| path.join(name)).collect(),
            Self::Directory(path, 0, extension) => {
                vec![path.join(format!("{seed}.{extension}"))]
            }
            Self::Directory(path, parts, _) => {
                let path = path.join(seed.to_string());
                part_names(*parts).map(|name| path.join(name)).collect()
            }
        }
    }

    /// Writes the program of a seed.
    pub(super) fn write(&self, seed: u64, header: &str, made: &Generated) -> anyhow::Result<()> {
        if let Self::Directory(path, 1.., _) = self {
            output::make_directory(&path.join(seed.to_string()))?;
        }
        let paths = self.paths(seed);
        for (index, file) in made.files.iter().enumerate() {
            let text = format!("{header}{}", file.text);
            output::write(paths.get(index).map(PathBuf::as_path), text.as_bytes())?;
        }
        Ok(())
    }
}

/// The names of the files of a program in parts.
fn part_names(parts: u32) -> impl Iterator<Item = String> {
    (1..=parts).map(|part| format!("test{part}.c")).chain(["driver.c".to_owned()])
}

fn refuse_directory(path: &Path) -> anyhow::Result<()> {
    if path.is_dir() {
        bail!(
            "`{0}` is a directory: name a file, such as `{1}`, or how many programs with -n",
            path.display(),
            path.join("prog.c").display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use farrier_synth::Config;

    use super::*;

    #[test]
    fn parts_have_the_names_that_the_generator_gives_them() {
        for parts in [1, 3] {
            let config = Config { size: 3000, split: parts, ..Config::default() };
            let made = farrier_synth::generate(1, &config).expect("there is a program");
            let names: Vec<String> =
                made.files.into_iter().map(|file| file.name.to_string()).collect();
            assert_eq!(names, part_names(parts).collect::<Vec<_>>());
        }
    }
}
