//! `farrier gen`: writes random programs whose behaviour is known.

mod destination;
mod explanation;
mod features;
mod header;
mod language;
mod settings;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use farrier_lang::{STACK_BYTES, SourceText};
use farrier_machine::{Ending, Tier};
use farrier_synth::Generated;
use farrier_synth::dress::{checked, dress};
use serde_json::{Value, json};

use self::destination::Destination;
use self::settings::Settings;
use crate::cli::GenArguments;
use crate::host::draw_seed;
use crate::terminal::{Line, Talk, replay};
use crate::{Status, output};

/// Runs the command.
pub(crate) fn run(arguments: &GenArguments, talk: Talk) -> anyhow::Result<Status> {
    let settings = settings::resolve(arguments)?;
    if arguments.list_features {
        let text = match arguments.json {
            true => serde_json::to_string_pretty(&features::document(&settings.config))? + "\n",
            false => features::table(&settings.config),
        };
        output::write(None, text.as_bytes())?;
        return Ok(Status::Fine);
    }
    let count = arguments.count.unwrap_or(1);
    let first = arguments.seed.unwrap_or_else(|| draw_seed().clamp(1, u64::from(u32::MAX - count)));
    let last =
        first.checked_add(u64::from(count) - 1).context("there is no seed after the last")?;
    let destination = Destination::of(arguments, settings.extension());
    // First of all, so that nothing is written if not all of it can be.
    destination.prepare(first..=last, arguments.force)?;
    let job = Job {
        arguments,
        settings: &settings,
        destination: &destination,
        talk,
        documents: Mutex::default(),
    };
    let status = match arguments.count {
        None => job.report(first, job.make(first))?,
        Some(count) => job.make_all(first, count)?,
    };
    if arguments.json {
        let programs = job.documents.into_inner().unwrap_or_else(PoisonError::into_inner);
        let document = json!({ "programs": programs });
        output::write(None, (serde_json::to_string_pretty(&document)? + "\n").as_bytes())?;
    }
    if arguments.count.is_some() && status == Status::Fine {
        let seeds = if first == last {
            format!("seed {first}")
        } else {
            format!("seeds {first} to {last}")
        };
        talk.note(&format!("wrote {count} programs: {seeds}"));
    }
    Ok(status)
}

/// What became of a seed.
enum Made {
    /// Its program was written; what there is to say about it, in words and as data.
    Written(Option<String>, Option<Value>),
    /// Every draft was refused; why the last one was.
    GaveUp(String),
    /// There is a bug in Farrier, of which the user was told already.
    Panicked,
    /// The program could not be written.
    Failed(anyhow::Error),
}

/// What all programs of one call have in common.
struct Job<'a> {
    arguments: &'a GenArguments,
    settings: &'a Settings,
    destination: &'a Destination,
    talk: Talk,
    /// The programs as data, where that is wanted, in the order of the seeds.
    documents: Mutex<Vec<Value>>,
}

impl Job<'_> {
    /// Makes the program of a seed and writes it.
    fn make(&self, seed: u64) -> Made {
        let started = Instant::now();
        let config = &self.settings.config;
        let made = catch_unwind(AssertUnwindSafe(|| farrier_synth::generate(seed, config)));
        let mut made = match made {
            Ok(Ok(made)) => made,
            Ok(Err(refused)) => return Made::GaveUp(explanation::last_reason(&refused)),
            Err(_) => return Made::Panicked,
        };
        if let Some(standard) = self.settings.cplusplus {
            let dressing =
                match language::dressing(standard, config.target, &self.arguments.dress, seed) {
                    Ok(dressing) => dressing,
                    Err(error) => return Made::Failed(error),
                };
            let dressed = dress(made.certified.program(), made.style, &dressing);
            let name = format!("test.{}", self.settings.extension());
            made.files = vec![SourceText::new(name, dressed.text)];
        } else if language::is_checked(self.arguments) {
            let text = checked(made.certified.program(), made.style);
            made.files = vec![SourceText::new("test.c", text)];
        }
        let time = started.elapsed();
        let header = header::header(&self.command(seed), &self.settings.file, &made);
        let explanation =
            self.arguments.explain.then(|| explanation::text(seed, config, &made, time));
        let document = self.arguments.json.then(|| self.document(seed, &header, &made));
        let written = match self.destination {
            // There the text is in the document.
            Destination::Stdout if document.is_some() => Ok(()),
            destination => destination.write(seed, &header, &made),
        };
        match written {
            Ok(()) => Made::Written(explanation, document),
            Err(error) => Made::Failed(error),
        }
    }

    /// A program as data.
    fn document(&self, seed: u64, header: &str, made: &Generated) -> Value {
        let behavior = made.certified.behavior();
        let paths = self.destination.paths(seed);
        let file = |(index, file): (usize, &SourceText)| match paths.get(index) {
            Some(path) => json!({ "path": path, "bytes": header.len() + file.text.len() }),
            None => json!({ "name": &*file.name, "text": format!("{header}{}", file.text) }),
        };
        json!({
            "seed": seed,
            "command": replay(self.command(seed).iter().map(Into::into)),
            "output": String::from_utf8_lossy(&behavior.output),
            "exit_status": match behavior.ending {
                Ending::Exit(status) => Some(status & 0xff),
                Ending::Abort => None,
            },
            "operations": behavior.steps,
            "tier": made.tier.map(Tier::name),
            "files": made.files.iter().enumerate().map(file).collect::<Vec<_>>(),
        })
    }

    /// Tells the user what became of a seed.
    fn report(&self, seed: u64, made: Made) -> anyhow::Result<Status> {
        match made {
            Made::Written(explanation, document) => {
                if let Some(text) = explanation {
                    self.talk.pass_on(&text);
                }
                let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
                documents.extend(document);
                Ok(Status::Fine)
            }
            Made::GaveUp(reason) => {
                self.talk.note(&format!(
                    "gave up on seed {seed}: every draft was refused, the last one because {reason}; \
                     try another seed, or more --steps"
                ));
                Ok(Status::GaveUp)
            }
            Made::Panicked => {
                self.talk.bug(self.command(seed).into_iter().map(OsString::from));
                Ok(Status::Failed)
            }
            Made::Failed(error) => Err(error),
        }
    }

    /// The command that makes the program of a seed again.
    fn command(&self, seed: u64) -> Vec<String> {
        header::command(self.arguments, seed)
    }

    /// Makes the programs of many seeds, on several threads. What is said is said in the
    /// order of the seeds.
    fn make_all(&self, first: u64, count: u32) -> anyhow::Result<Status> {
        let workers = match self.arguments.jobs {
            Some(jobs) => usize::from(jobs),
            None => thread::available_parallelism().map_or(1, usize::from),
        };
        let workers = workers.min(count as usize);
        if workers == 1 {
            // A process with one thread allocates faster.
            let mades = (0..count).map(|index| (index, self.make(first + u64::from(index))));
            return self.report_all(first, count, mades);
        }
        let next = AtomicU32::new(0);
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..workers {
                let (sender, next) = (sender.clone(), &next);
                thread::Builder::new()
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, move || {
                        loop {
                            let index = next.fetch_add(1, Ordering::Relaxed);
                            if index >= count {
                                return;
                            }
                            let made = self.make(first + u64::from(index));
                            // Who does not listen any more has given up.
                            if sender.send((index, made)).is_err() {
                                return;
                            }
                        }
                    })
                    .context("cannot start a thread")?;
            }
            drop(sender);
            let result = self.report_all(first, count, receiver.iter());
            // Nothing more is begun.
            next.store(count, Ordering::Relaxed);
            result
        })
    }

    fn report_all(
        &self,
        first: u64,
        count: u32,
        mades: impl Iterator<Item = (u32, Made)>,
    ) -> anyhow::Result<Status> {
        let mut line = Line::new(Duration::ZERO, None);
        let mut waiting: Vec<Option<Made>> = (0..count).map(|_| None).collect();
        let mut said = 0;
        let mut status = Status::Fine;
        for (done, (index, made)) in (1..).zip(mades) {
            waiting[index as usize] = Some(made);
            while let Some(made) = waiting.get_mut(said).and_then(Option::take) {
                line.clear();
                let seed = first + said as u64;
                match self.report(seed, made)? {
                    Status::Failed => status = Status::Failed,
                    Status::GaveUp if status == Status::Fine => status = Status::GaveUp,
                    _ => {}
                }
                said += 1;
            }
            line.show(|| format!("{done} of {count}"));
        }
        line.clear();
        Ok(status)
    }
}
