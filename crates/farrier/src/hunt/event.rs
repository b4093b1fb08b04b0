//! What happens in a hunt, and how it gets into the store.

use farrier_harness::Catalogue;
use farrier_lang::SourceText;

use crate::finding::{Finding, Numbered, Store, Tally};

/// What a worker reports. The events of a number come in their order: its findings come before
/// the one that says that it is done.
#[derive(Debug)]
pub(crate) enum HuntEvent {
    /// A compiler has told its flags.
    Catalogue { key: String, flags: Catalogue },
    /// A program is to be kept, whatever compilers do with it.
    Case(Box<Numbered>),
    /// A compiler had a program.
    Trial,
    /// A compiler was wrong, twice.
    Finding { finding: Box<Finding>, sources: Vec<SourceText> },
    /// A compiler had a program of a number with all flags that were drawn for it.
    Part(TestedPart),
    /// All compilers had all programs of a number. What the parts have counted is not counted
    /// again.
    Done { number: u64, tally: Tally, troubles: Vec<String> },
    /// A worker cannot go on, or what it reports cannot be written.
    Failed(anyhow::Error),
}

/// What a compiler did with a program, apart from findings. It is kept, so that a hunt of many
/// short starts gets on.
#[derive(Debug)]
pub(crate) struct TestedPart {
    pub(crate) number: u64,
    /// The program and the compiler: no other part of the number has the same.
    pub(crate) key: String,
    pub(crate) subject: String,
    pub(crate) tally: Tally,
    pub(crate) troubles: Vec<String>,
}

/// Writes an event to the store, and gives it back if it is news. When this returns it is on
/// disk; where that is not possible, the event is that it failed.
pub(super) fn write(store: &mut Store, event: HuntEvent) -> Option<HuntEvent> {
    let written = match &event {
        HuntEvent::Catalogue { key, flags } => store.set_catalogue(key, flags).map(|()| true),
        HuntEvent::Case(program) => store.keep(&program.name, &program.case.sources).map(|()| true),
        HuntEvent::Finding { finding, sources } => store.add(finding, sources),
        HuntEvent::Part(TestedPart { number, key, tally, troubles, .. }) => {
            store.add_part(*number, key, tally, troubles).map(|()| true)
        }
        HuntEvent::Done { number, tally, troubles } => {
            store.finish(*number, tally, troubles).map(|()| true)
        }
        HuntEvent::Trial | HuntEvent::Failed(_) => Ok(true),
    };
    match written {
        Ok(news) => news.then_some(event),
        Err(error) => Some(HuntEvent::Failed(error)),
    }
}
