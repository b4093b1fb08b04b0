//! Programs from elsewhere: the C files in a directory, or those that a command writes.

mod cache;
mod census;
mod directives;
mod reading;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use farrier_harness::{
    Expectation, Made, Origin, Recipe, SEED, SEEDS, Subject, TestCase, make_program,
};
use farrier_lang::{SourceText, Target};
use farrier_machine::Certified;
use farrier_synth::Choices;

use self::cache::Cache;
pub(crate) use self::cache::CauseCount;
pub use self::census::{Classified, census};
use self::reading::FileCause;
use self::reading::{Files, Reading, bytes, certify_text, read};
use super::cases::preprocessor;
use crate::finding::HuntSettings;

/// So many files are tried before a hunt begins, or so many programs of a generator.
const TRIED_FILES: u64 = 64;
const TRIED_PROGRAMS: u64 = 8;

/// Programs from elsewhere.
#[derive(Debug)]
pub(crate) struct Corpus {
    source: Source,
    /// Directories of their headers.
    headers: Vec<PathBuf>,
    cache: Cache,
}

/// Where they come from. Each has a name, by which it is found again.
#[derive(Debug)]
enum Source {
    /// C files, in the order of their names within the directory.
    Files { directory: PathBuf, files: Vec<PathBuf> },
    /// A command of the shell with `{seed}` in it. The name of a program is the command that
    /// writes it.
    Generator(String),
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
        let source = Source::Files { directory, files };
        Ok(Self { source, headers: Vec::new(), cache: Cache::in_memory() })
    }

    /// The programs that a command writes.
    pub(crate) fn of_generator(command: &str) -> anyhow::Result<Self> {
        if !command.contains(SEED) {
            bail!(
                "--generator `{command}` has no place for a seed: write {SEED} where it stands, as \
                 in 'csmith --seed {SEED}'"
            );
        }
        let source = Source::Generator(command.to_owned());
        Ok(Self { source, headers: Vec::new(), cache: Cache::in_memory() })
    }

    /// What a hunt with these settings tests beside its own programs.
    pub(crate) fn of_settings(settings: &HuntSettings) -> anyhow::Result<Option<Self>> {
        let corpus = match (&settings.corpus, &settings.generator) {
            (Some((path, _)), _) => Self::read(path)?,
            (None, Some(command)) => Self::of_generator(command)?,
            (None, None) => return Ok(None),
        };
        Ok(Some(Self { headers: settings.headers.clone(), ..corpus }))
    }

    /// Keeps what is found out about its files in the directory of a hunt.
    pub(crate) fn remember_in(&mut self, directory: &Path) {
        self.cache = Cache::open(directory);
    }

    /// Whether a command makes its programs.
    pub(crate) fn is_generator(&self) -> bool {
        matches!(self.source, Source::Generator(_))
    }

    /// How many programs there are.
    pub(crate) fn count(&self) -> u64 {
        match &self.source {
            Source::Files { files, .. } => files.len() as u64,
            Source::Generator(_) => SEEDS,
        }
    }

    /// The name of a program by its place.
    fn name(&self, number: u64) -> Option<PathBuf> {
        match &self.source {
            Source::Files { files, .. } => files.get(usize::try_from(number).ok()?).cloned(),
            Source::Generator(command) => Some(command.replace(SEED, &number.to_string()).into()),
        }
    }

    /// How many files were read, by cause.
    pub(crate) fn counts(&self) -> Vec<CauseCount> {
        self.cache.counts()
    }

    /// How many bytes are kept on disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.cache.bytes()
    }

    /// What there is to say if no program can be used, with an example.
    pub(crate) fn useless(&self) -> String {
        let example = self.counts().into_iter().find(|count| !count.why.is_empty());
        let example = example.map_or(String::new(), |CauseCount { example, why, .. }| {
            format!("; {example}: {}", why.lines().next().unwrap_or_default())
        });
        format!("nothing was tested: no program could be used{example}")
    }

    /// Whether one of the first programs, or of some files of all parts, is of use to one of these
    /// compilers.
    pub(crate) fn is_of_use(&self, subjects: &[&Subject]) -> bool {
        let most = if self.is_generator() { TRIED_PROGRAMS } else { TRIED_FILES };
        let count = self.count().min(most);
        let step = if self.is_generator() { 1 } else { self.count() / count };
        let mut targets: Vec<&'static Target> =
            subjects.iter().filter_map(|one| one.target).collect();
        targets.sort_by_key(|target| target.name);
        targets.dedup_by_key(|target| target.name);
        (0..count).filter_map(|index| self.name(index * step)).any(|name| {
            targets.iter().any(|target| {
                let own = subjects.iter().filter(|one| one.target == Some(*target));
                preprocessor(&own.copied().collect::<Vec<_>>()).is_some_and(|subject| {
                    let (reading, _) = self.reading(&name, target, subject);
                    !reading.text.is_empty()
                })
            })
        })
    }

    /// By which one sees that the files are still the same: a hash of names and lengths.
    pub(crate) fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let Source::Files { directory, files } = &self.source else { return String::new() };
        for file in files {
            let length = fs::metadata(directory.join(file)).map_or(0, |found| found.len());
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
        /// So many files are looked at, and so many programs made.
        const MOST_ATTEMPTS: usize = 64;
        const MOST_MADE: usize = 2;
        /// The stream of a seed from which they are drawn.
        const MATERIAL: u64 = u64::MAX - 3;
        let mut choices = Choices::new(Choices::derive_seed(seed, MATERIAL));
        let most = if self.is_generator() { MOST_MADE } else { MOST_ATTEMPTS };
        let mut names = (0..most).filter_map(|_| self.name(choices.below(self.count())));
        names.find_map(|name| self.certified_file(&name, target, subject))
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
        self.file_case(&self.name(number)?, target, subject)
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
        let name = file.to_string_lossy();
        let content = self.content(file);
        let mut hasher = blake3::Hasher::new();
        for (_, bytes) in content.iter().flat_map(|content| &content.files) {
            hasher.update(bytes);
        }
        let hash = hasher.finalize().to_hex()[..32].to_owned();
        let reading = match content {
            Err(useless) => {
                self.cache.keep(&name, &name, &useless);
                useless
            }
            Ok(content) => {
                let key = key(&name, &hash, target, subject, &self.headers);
                // What was made is seldom wanted again, so only its cause is kept.
                let known = if self.is_generator() { None } else { self.cache.find(&key) };
                known.unwrap_or_else(|| {
                    let files = Files { files: &content.files, headers: &self.headers, subject };
                    let reading = read(&files, target);
                    let kept = match self.is_generator() {
                        true => Reading { text: String::new(), ..reading.clone() },
                        false => reading.clone(),
                    };
                    self.cache.keep(&key, &name, &kept);
                    reading
                })
            }
        };
        let preprocessor = [&subject.command[..], &subject.flags[..]].concat();
        (reading, Origin::Corpus { path: name.into_owned(), hash, preprocessor })
    }

    /// What a program holds before it is preprocessed.
    fn content(&self, name: &Path) -> Result<Content, Reading> {
        match &self.source {
            Source::Files { directory, .. } => {
                let path = directory.join(name);
                let bytes = bytes(&path)?;
                Ok(Content { files: vec![(path, bytes)], _made: None })
            }
            Source::Generator(_) => {
                let not_made = |why| Reading::useless(FileCause::NotMade, why);
                let made = make_program(&name.to_string_lossy(), &std::env::temp_dir())
                    .map_err(|error| not_made(error.to_string()))?
                    .map_err(not_made)?;
                let file = |path: &PathBuf| Ok((path.clone(), bytes(path)?));
                let files = made.files.iter().map(file).collect::<Result<_, Reading>>()?;
                Ok(Content { files, _made: Some(made) })
            }
        }
    }
}

/// The files of a program.
struct Content {
    files: Vec<(PathBuf, Vec<u8>)>,
    /// The directory that they are in, if it goes away.
    _made: Option<Made>,
}

/// All that the text of a program depends on, apart from its headers. The name is a part of it
/// because it says where they are looked for.
fn key(name: &str, hash: &str, target: &Target, subject: &Subject, headers: &[PathBuf]) -> String {
    let path = std::env::var_os("CPATH").unwrap_or_default();
    let Subject { command, flags, banner, .. } = subject;
    let parts = format!(
        "{name:?} {hash} {} {command:?} {flags:?} {banner:?} {path:?} {headers:?}",
        target.name
    );
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

/// A name that every compiler takes for a C file.
fn file_name(path: &Path) -> String {
    if path.extension().is_none_or(|end| end != "c") {
        // It is a command, or what a list names.
        return "program.c".to_owned();
    }
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

    impl Corpus {
        fn directory(&self) -> &Path {
            match &self.source {
                Source::Files { directory, .. } => directory,
                Source::Generator(_) => panic!("it has files"),
            }
        }
    }

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
                ("file.c", b"#include <stdio.h>\nint main(void) { return !fopen(\"a\", \"w\"); }"),
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
        let directory = corpus.directory().to_owned();
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
                ("file.c", "unsupported", Some("vote")),
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
            assert_eq!(corpus.count(), 13);
            corpus.remember_in(&directory);
        }
        for CauseCount { cause, files, .. } in corpus.counts() {
            let expected = causes.iter().filter(|name| **name == cause.row().name).count() / 2;
            assert_eq!(files, expected as u64, "{cause:?}");
        }
        fs::remove_dir_all(&directory).expect("it is ours");
    }

    #[test]
    fn a_generator_writes_a_program_for_each_seed() {
        assert!(Corpus::of_generator("csmith").is_err());
        let (_, subject) = corpus("generator", &[("a.c", b"")]);
        let command = "echo 'int f(void) { return {seed}; }' > b.c; \
                       echo 'int f(void); int main(void) { return f(); }' > a.c";
        let made = Corpus::of_generator(command).expect("it has a place for the seed");
        let case = made.case(7, &X86_64_LINUX, &subject).expect("it is defined");
        let certificate = case.expectation.certificate().expect("the machine knows what it does");
        assert_eq!(certificate.expected().status, Some(7));
        let Origin::Corpus { path, .. } = &case.recipe.origin else { panic!("it is foreign") };
        assert!(path.contains("return 7;"), "{path}");
        let again = made.file_case(Path::new(path), &X86_64_LINUX, &subject);
        assert_eq!(again.expect("the name makes it").sources, case.sources);
        let broken = Corpus::of_generator("false {seed}").expect("it has a place for the seed");
        assert!(broken.case(1, &X86_64_LINUX, &subject).is_none());
        assert_eq!(broken.counts()[0].why, "exit status: 1: it says nothing");
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
        fs::remove_dir_all(corpus.directory()).expect("it is ours");
    }

    #[test]
    fn a_file_is_called_so_that_no_compiler_takes_it_for_an_option() {
        assert_eq!(file_name(Path::new("sub/20001-1.c")), "20001-1.c");
        assert_eq!(file_name(Path::new("-o a.c")), "_o_a.c");
        assert_eq!(file_name(Path::new("csmith --seed 7")), "program.c");
    }
}
