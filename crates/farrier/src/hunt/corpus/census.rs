//! What all files of a corpus are, for developers who want to know what a hunt makes of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::Context;
use farrier_harness::parse_subjects;
use farrier_lang::STACK_BYTES;
use farrier_lang::target::X86_64_LINUX;

use super::{Corpus, Source};

/// Who preprocesses.
const PREPROCESSOR: &str = "[[subject]]\nname = \"gcc\"\ncommand = \"gcc\"\n\
                            target = \"x86_64-linux\"\n";

/// What a file is to a hunt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Classified {
    /// Its name within the directory.
    pub file: String,
    /// The name of its cause, or `panicked` if there is a bug in Farrier.
    pub cause: &'static str,
    /// The details.
    pub why: String,
}

/// Finds out what all C files beneath a directory are to a hunt for bugs on x86-64, with gcc as
/// preprocessor. What is found is kept in another directory, which must be there. `tell` hears now
/// and then how many are done and how many there are.
pub fn census(
    directory: &Path,
    remember_in: &Path,
    workers: usize,
    tell: impl Fn(usize, usize) + Sync,
) -> anyhow::Result<Vec<Classified>> {
    let mut corpus = Corpus::read(directory)?;
    corpus.remember_in(remember_in);
    let Source::Files { files, .. } = &corpus.source else { unreachable!("it was read") };
    let subjects = parse_subjects(Path::new("census"), PREPROCESSOR)?;
    let subject = subjects.first().context("the list has a subject")?;
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Vec::new());
    let classify = |file: &Path| {
        let reading = || corpus.reading(file, &X86_64_LINUX, subject).0;
        let (cause, why) = match catch_unwind(AssertUnwindSafe(reading)) {
            Ok(reading) => (reading.cause.row().name, reading.why),
            Err(_) => ("panicked", String::new()),
        };
        Classified { file: file.to_string_lossy().into_owned(), cause, why }
    };
    thread::scope(|scope| -> anyhow::Result<()> {
        for _ in 0..workers {
            thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = classify(file);
                    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                    all.push(found);
                    tell(all.len(), files.len());
                }
            })?;
        }
        Ok(())
    })?;
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(all)
}
