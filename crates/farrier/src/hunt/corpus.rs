//! Programs from elsewhere: the C files in a directory.

mod cache;
mod census;
mod directives;
mod reading;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use farrier_harness::{Expectation, Origin, Recipe, Subject, TestCase};
use farrier_lang::{SourceText, Target};
use farrier_machine::Certified;
use farrier_synth::Choices;

use self::cache::Cache;
pub(crate) use self::cache::CauseCount;
pub use self::census::{Classified, census};
use self::reading::FileCause;
use self::reading::{Reading, bytes, certify_text, read};

/// The C files beneath a directory, in the order of their names.
#[derive(Debug)]
pub(crate) struct Corpus {
    directory: PathBuf,
    /// Names within the directory.
    files: Vec<PathBuf>,
    cache: Cache,
}

/// A defined program from elsewhere.
#[derive(Debug)]
pub(crate) struct Foreign {
    pub(crate) certified: Certified,
    /// The text that was certified, by which compilers are tested.
    pub(crate) source: SourceText,
    pub(crate) origin: Origin,
}

impl Foreign {
    /// What was found to be defined. Only the machine can give a certificate, and it does so each
    /// time.
    fn new(file: &Path, reading: Reading, origin: Origin, target: &'static Target) -> Option<Self> {
        let certified = certify_text(&reading.text, target).ok()?;
        Some(Self { certified, source: SourceText::new(file_name(file), reading.text), origin })
    }
}

impl Corpus {
    /// Looks for C files: beneath a directory, the one that is named, or those that a file lists.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let failed = || format!("cannot read the corpus `{}`", path.display());
        let mut files = Vec::new();
        let beside = || path.parent().unwrap_or(Path::new("")).to_owned();
        let directory = match path.is_file() {
            false => {
                collect(path, Path::new(""), &mut files).with_context(failed)?;
                path.to_owned()
            }
            true if path.extension().is_some_and(|end| end == "c") => {
                files.extend(path.file_name().map(PathBuf::from));
                beside()
            }
            true => {
                let list = fs::read_to_string(path).with_context(failed)?;
                let names = list.lines().map(str::trim).filter(|line| !line.is_empty());
                files.extend(names.map(PathBuf::from));
                if let Some(missing) = files.iter().find(|file| !beside().join(file).is_file()) {
                    bail!("`{}` lists `{}`, which is no file", path.display(), missing.display());
                }
                beside()
            }
        };
        files.sort();
        if files.is_empty() {
            bail!("--corpus `{}` holds no file whose name ends in .c", path.display());
        }
        Ok(Self { directory, files, cache: Cache::in_memory() })
    }

    /// Keeps what is found out about its files in the directory of a hunt.
    pub(crate) fn remember_in(&mut self, directory: &Path) {
        self.cache = Cache::open(directory);
    }

    /// How many files there are.
    pub(crate) fn count(&self) -> u64 {
        self.files.len() as u64
    }

    /// How many files were read, by cause.
    pub(crate) fn counts(&self) -> Vec<CauseCount> {
        self.cache.counts()
    }

    /// How many bytes are kept on disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.cache.bytes()
    }

    /// By which one sees that the files are still the same: a hash of names and lengths.
    pub(crate) fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for file in &self.files {
            let length = fs::metadata(self.directory.join(file)).map_or(0, |found| found.len());
            let name = file.as_os_str().as_encoded_bytes();
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name);
            hasher.update(&length.to_le_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// A defined program for a seed, preprocessed by a subject: to be mutated, or to take
    /// statements and functions from.
    ///
    /// It follows from the seed and the files alone. Files that are not defined are passed over;
    /// those that were read before cost nothing but the run of the one that is found. `None` if
    /// too many are of no use.
    pub(crate) fn certified(
        &self,
        seed: u64,
        target: &'static Target,
        subject: &Subject,
    ) -> Option<Foreign> {
        /// So many files are looked at.
        const MOST_ATTEMPTS: usize = 64;
        /// The stream of a seed from which they are drawn.
        const MATERIAL: u64 = u64::MAX - 3;
        let mut choices = Choices::new(Choices::derive_seed(seed, MATERIAL));
        let indices = (0..MOST_ATTEMPTS).map(|_| choices.index(self.files.len()));
        let mut files = indices.map(|index| &self.files[index]);
        files.find_map(|file| self.certified_file(file, target, subject))
    }

    /// The program of a file, if it is defined: what [`Origin::Corpus`] names.
    pub(crate) fn certified_file(
        &self,
        file: &Path,
        target: &'static Target,
        subject: &Subject,
    ) -> Option<Foreign> {
        let (reading, origin) = self.reading(file, target, subject);
        let is_defined = reading.cause == FileCause::Defined;
        is_defined.then(|| Foreign::new(file, reading, origin, target)).flatten()
    }

    /// The case of the file with a number; `None` if it is of no use.
    pub(super) fn case(
        &self,
        number: u64,
        target: &'static Target,
        subject: &Subject,
    ) -> Option<TestCase> {
        self.file_case(self.files.get(usize::try_from(number).ok()?)?, target, subject)
    }

    /// The case of a file.
    pub(super) fn file_case(
        &self,
        file: &Path,
        target: &'static Target,
        subject: &Subject,
    ) -> Option<TestCase> {
        let (reading, origin) = self.reading(file, target, subject);
        let (source, expectation, origin) = match reading.cause {
            _ if reading.text.is_empty() => return None,
            FileCause::Defined => {
                let foreign = Foreign::new(file, reading, origin, target)?;
                let expectation = Expectation::certified(&foreign.certified);
                (foreign.source, expectation, foreign.origin)
            }
            cause => {
                let why = || format!("{}: {}", cause.row().name, reading.why);
                let votes = reading.votes.then(|| Expectation::agreement(why()));
                let source = SourceText::new(file_name(file), reading.text);
                (source, votes.unwrap_or(Expectation::Nothing), origin)
            }
        };
        Some(TestCase { sources: vec![source], expectation, recipe: Recipe::new(origin) })
    }

    /// Finds out about a file, or remembers it.
    fn reading(
        &self,
        file: &Path,
        target: &'static Target,
        subject: &Subject,
    ) -> (Reading, Origin) {
        let path = self.directory.join(file);
        let name = file.to_string_lossy();
        let bytes = bytes(&path);
        let content = bytes.as_deref().unwrap_or_default();
        let hash = blake3::hash(content).to_hex()[..32].to_owned();
        let reading = match &bytes {
            Err(useless) => {
                self.cache.keep(&name, &name, useless);
                useless.clone()
            }
            Ok(bytes) => {
                let key = key(&name, &hash, target, subject);
                self.cache.find(&key).unwrap_or_else(|| {
                    let reading = read(&path, bytes, target, subject);
                    self.cache.keep(&key, &name, &reading);
                    reading
                })
            }
        };
        let preprocessor = [&subject.command[..], &subject.flags[..]].concat();
        (reading, Origin::Corpus { path: name.into_owned(), hash, preprocessor })
    }
}

/// All that the text of a program depends on, apart from its headers. The name is a part of it
/// because it says where they are looked for.
fn key(name: &str, hash: &str, target: &Target, subject: &Subject) -> String {
    let headers = std::env::var_os("CPATH").unwrap_or_default();
    let Subject { command, flags, banner, .. } = subject;
    let parts =
        format!("{name:?} {hash} {} {command:?} {flags:?} {banner:?} {headers:?}", target.name);
    blake3::hash(parts.as_bytes()).to_hex()[..32].to_owned()
}

/// Adds the C files beneath a directory. Links to directories are not followed: they may lead in
/// circles. A directory that cannot be listed stands for its files, and is counted as they are.
fn collect(base: &Path, within: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(base.join(within))? {
        let entry = entry?;
        let name = within.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            if collect(base, &name, files).is_err() {
                files.push(name);
            }
        } else if name.extension().is_some_and(|end| end == "c") {
            files.push(name);
        }
    }
    Ok(())
}

/// A name that every compiler takes for a file.
fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    name.chars()
        .enumerate()
        .map(|(index, c)| if plain(c) || c == '-' && index > 0 { c } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::process::id;

    use farrier_harness::parse_subjects;
    use farrier_lang::target::X86_64_LINUX;

    use super::*;

    /// A corpus for one test.
    fn corpus(name: &str, files: &[(&str, &[u8])]) -> (Corpus, Subject) {
        let directory = std::env::temp_dir().join(format!("farrier-corpus-{name}-{}", id()));
        let _ = fs::remove_dir_all(&directory);
        for (name, bytes) in files {
            let path = directory.join(name);
            fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
            fs::write(path, bytes).expect("it can be written");
        }
        let list = "[[subject]]\nname = \"gcc\"\ncommand = \"gcc\"\ntarget = \"x86_64-linux\"\n";
        let subjects = parse_subjects(Path::new("a"), list).expect("it is right");
        (Corpus::read(&directory).expect("it is there"), subjects[0].clone())
    }

    #[test]
    fn every_file_is_counted_by_its_cause() {
        let (mut corpus, subject) = corpus(
            "causes",
            &[
                ("binary.c", b"\x7fELF\0\0int"),
                ("defined.c", b"#include <limits.h>\nint main(void) { return INT_MAX > 0; }"),
                ("error.c", b"#error no\n"),
                ("header.c", b"#include \"nowhere.h\"\n"),
                ("latin.c", b"char *s = \"\xff\";"),
                ("loop.c", b"int f(void) { return f() + 1; } int main(void) { return f(); }"),
                ("old.c", b"main() { exit(0); }"),
                ("part.c", b"int f(int x) { return x + 1; }"),
                ("syntax.c", b"int f( { }"),
                ("undefined.c", b"int main(void) { int x = 1; return x << 40; }"),
                ("wrong.c", b"int x = \"\" * 3; /* { dg-error \"no\" } */"),
            ],
        );
        let directory = corpus.directory.clone();
        std::os::unix::fs::symlink("gone.c", directory.join("gone.c")).expect("it can be made");
        std::os::unix::fs::symlink(".", directory.join("circle")).expect("it can be made");
        fs::create_dir(directory.join("empty")).expect("it can be made");
        corpus = Corpus::read(&directory).expect("it is there");
        corpus.remember_in(&directory);
        let expectation = |corpus: &Corpus, name: &str| {
            let case = corpus.file_case(Path::new(name), &X86_64_LINUX, &subject)?;
            Some(match case.expectation {
                Expectation::Certified(_) => "certified",
                Expectation::Agreement { .. } => "vote",
                Expectation::Nothing => "nothing",
            })
        };
        let mut causes = Vec::new();
        // What is kept says the same as what is read.
        for _ in 0..2 {
            for (name, cause, serves) in [
                ("binary.c", "not text", None),
                ("defined.c", "defined", Some("certified")),
                ("error.c", "not preprocessed", None),
                ("gone.c", "unreadable", None),
                ("header.c", "missing header", None),
                ("latin.c", "not text", None),
                ("loop.c", "too long", Some("vote")),
                ("old.c", "defined", Some("certified")),
                ("part.c", "without main", Some("nothing")),
                ("syntax.c", "not parsed", Some("vote")),
                ("undefined.c", "undefined", Some("nothing")),
                ("wrong.c", "not parsed", None),
            ] {
                assert_eq!(expectation(&corpus, name), serves, "{name}");
                causes.push(cause);
            }
            corpus = Corpus::read(&directory).expect("it is there");
            assert_eq!(corpus.count(), 12);
            corpus.remember_in(&directory);
        }
        for CauseCount { cause, files, .. } in corpus.counts() {
            let expected = causes.iter().filter(|name| **name == cause.row().name).count() / 2;
            assert_eq!(files, expected as u64, "{cause:?}");
        }
        fs::remove_dir_all(&directory).expect("it is ours");
    }

    #[test]
    fn material_is_defined_and_follows_from_the_seed() {
        let (corpus, subject) = corpus(
            "material",
            &[
                ("a.c", b"int main(void) { return 1; }"),
                ("b.c", b"int main(void) { return 1 / 0; }"),
                ("c/d.c", b"int main(void) { return 2; }"),
                ("e.c", b"no C"),
            ],
        );
        let drawn = |seed| {
            let found = corpus.certified(seed, &X86_64_LINUX, &subject).expect("there are two");
            let Origin::Corpus { path, .. } = found.origin else { panic!("it is from a corpus") };
            path
        };
        let paths: Vec<String> = (0..20).map(drawn).collect();
        assert!(paths.iter().all(|path| path == "a.c" || path == "c/d.c"), "{paths:?}");
        assert!(paths.contains(&"a.c".to_owned()) && paths.contains(&"c/d.c".to_owned()));
        assert_eq!(paths, (0..20).map(drawn).collect::<Vec<_>>());
        fs::remove_dir_all(&corpus.directory).expect("it is ours");
    }

    #[test]
    fn a_file_is_called_so_that_no_compiler_takes_it_for_an_option() {
        assert_eq!(file_name(Path::new("sub/20001-1.c")), "20001-1.c");
        assert_eq!(file_name(Path::new("-o a.c")), "_o_a.c");
    }
}
