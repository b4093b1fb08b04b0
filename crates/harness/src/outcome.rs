//! What a compiler does with a program, and what the compiled program does.

mod emulator;
mod gpu;
mod marked;
mod messages;
mod rounding;
mod simulator;
mod wine;
mod words;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::case::Expectation;
use crate::scratch::file_error;
use crate::subject::{Family, Runner, Subject};
use crate::text::bytes;
use crate::{Bounds, Error, Finished, ProcessEnding, Role, Sandbox};
use farrier_lang::SourceText;
use messages::Class;
pub(crate) use messages::{missing_header, not_about_the_program};
pub(crate) use wine::is_wine;
pub(crate) use words::with_output;

/// What became of a test case. The last two are never a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// It was compiled, and nothing was to be run or could be.
    Compiled,
    /// It was compiled and ran to its end.
    Ran {
        /// The exit status, as the system reports it.
        status: i32,
        /// What it wrote to standard output.
        #[serde(with = "bytes")]
        output: Vec<u8>,
    },
    /// The compiler refused the program.
    CompileError {
        /// What it said.
        text: String,
    },
    /// The compiler failed: by a signal, an internal error or an assertion.
    CompilerCrash {
        /// The signal, if that is how the process that we started ended.
        signal: Option<i32>,
        /// What it said.
        text: String,
    },
    /// The compiler took too long.
    CompilerTimeout,
    /// The compiler wanted more memory than it may have.
    CompilerOutOfMemory {
        /// What it said.
        text: String,
    },
    /// The compiled program ended by a signal, or its simulator failed.
    RunCrash {
        /// The signal.
        signal: Option<i32>,
        /// What it had written by then.
        #[serde(with = "bytes")]
        output: Vec<u8>,
    },
    /// The compiled program took too long.
    RunTimeout {
        /// What it had written by then.
        #[serde(with = "bytes")]
        output: Vec<u8>,
    },
    /// The compiled program used more of something than it may.
    RunExcess {
        /// Of what.
        of: Excess,
        /// What it had written by then.
        #[serde(with = "bytes")]
        output: Vec<u8>,
    },
    /// It was not compiled: with these flags the floating arithmetic may give other results than
    /// those that are known.
    Unfit {
        /// Why.
        why: String,
    },
    /// Something around us failed; the compiler and the program have no part in it.
    Infrastructure {
        /// What it was.
        what: String,
    },
}

/// What a compiled program may use too much of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Excess {
    /// Standard output or standard error.
    Output,
    /// Memory.
    Memory,
}

/// What the compiler and the compiled program may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrialBounds {
    /// Each run of the compiler.
    pub compiler: Bounds,
    /// The compiled program.
    pub program: Bounds,
}

impl Default for TrialBounds {
    fn default() -> Self {
        Self { compiler: Bounds::TOOL, program: Bounds::PROGRAM }
    }
}

/// What came of giving a program to a subject.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trial {
    /// What happened.
    pub outcome: Outcome,
    /// Processor time of the compiler, with assembler and linker.
    pub compiler_cpu: Duration,
    /// Processor time of the compiled program.
    pub program_cpu: Duration,
    /// The hash of the object code, if there is any.
    pub object: Option<blake3::Hash>,
    /// Whether the same object code had been run before, so that it was not run again.
    pub reused: bool,
    /// What the program and its runner wrote to standard error.
    pub said: String,
}

/// The executables that one program was compiled to, with what they did when they were run:
/// identical object code is run once.
#[derive(Debug, Default)]
pub struct Executed {
    outcomes: Mutex<BTreeMap<[u8; 32], Outcome>>,
}

impl Executed {
    fn find(&self, key: &blake3::Hash) -> Option<Outcome> {
        let outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes.get(key.as_bytes()).cloned()
    }

    /// Remembers what depends on the program alone, not on how busy the machine is.
    fn remember(&self, key: &blake3::Hash, outcome: &Outcome) {
        if matches!(outcome, Outcome::Ran { .. } | Outcome::RunCrash { .. }) {
            let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
            outcomes.insert(*key.as_bytes(), outcome.clone());
        }
    }
}

/// The commands that a trial executes, with the program in the working directory: those
/// that compile, one that links, one that runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Commands {
    /// Each makes one file.
    pub compile: Vec<CompilerCommand>,
    /// The object files that come of it.
    pub objects: Vec<String>,
    /// Makes the executable; `None` where there is none. A trial on a GPU does without: it
    /// gives the object to the driver.
    pub link: Option<CompilerCommand>,
    /// Runs it; `None` where the machine cannot.
    pub run: Option<Vec<String>>,
}

/// A run of the compiler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompilerCommand {
    /// The command.
    pub command: Vec<String>,
    /// The file that it makes.
    pub product: String,
}

/// The processor that programs for AVR are compiled for.
pub(crate) const AVR_PROCESSOR: &str = simulator::PROCESSOR;

/// The runtime of programs that SDCC compiles.
pub(crate) const SDCC_RUNTIME: (&str, &str) =
    ("farrier_sdcc.c", include_str!("outcome/sdcc_support.c"));

/// What runs programs on a GPU, in C.
pub(crate) const GPU_LAUNCHER: &str = include_str!("outcome/gpu.c");

/// A file that is compiled along with every program for a subject, if it needs one.
pub fn support_file(subject: &Subject) -> Option<SourceText> {
    match &subject.runtime {
        Some(file) => Some(SourceText::new(&*file.name, &*file.text)),
        None => match subject.runner {
            Runner::Simavr => Some(SourceText::new(simulator::SUPPORT_NAME, simulator::SUPPORT)),
            Runner::Wine(_) => Some(SourceText::new(wine::SUPPORT_NAME, wine::SUPPORT)),
            _ => None,
        },
    }
}

/// Whether a file is C++ or CUDA, by its name.
pub fn is_dressed(name: &str) -> bool {
    name.ends_with(".cpp") || name.ends_with(".cu")
}

/// The names of the files of a case that compilers get: those of C++ or CUDA if there are any,
/// which stand for the others.
pub fn compiled(sources: &[SourceText]) -> Vec<&str> {
    let names = || sources.iter().map(|source| &*source.name);
    let dressed: Vec<&str> = names().filter(|name| is_dressed(name)).collect();
    if dressed.is_empty() { names().collect() } else { dressed }
}

/// The files of a case that are C: the program that its behaviour is known of.
pub fn underlying(sources: &[SourceText]) -> Vec<SourceText> {
    sources.iter().filter(|source| !is_dressed(&source.name)).cloned().collect()
}

/// The commands that compile, link and run `names` with a subject.
pub fn commands(subject: &Subject, flags: &[String], names: &[&str]) -> Commands {
    let step = |flags: &[String], rest: &[&str], product: &str| {
        let mut command: Vec<String> =
            [&subject.command, &subject.flags, flags].into_iter().flatten().cloned().collect();
        command.extend(rest.iter().chain(&["-o", product]).map(|word| (*word).to_owned()));
        CompilerCommand { command, product: product.to_owned() }
    };
    // The support file is always compiled in the same way.
    let small = ["-Os".to_owned()];
    let support_flags = match subject.runner {
        Runner::Simavr => &small[..],
        _ => &[],
    };
    let support = support_file(subject);
    let support = support.as_ref().map(|file| (&*file.name, support_flags));
    let mut compile = Vec::new();
    let mut objects = Vec::new();
    // Linkers for small machines want the file that has `main` first.
    for (name, flags) in support.into_iter().chain(names.iter().map(|name| (*name, flags))) {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let mut from = name.to_owned();
        for (stage, extension) in subject.family.stages() {
            let product = format!("{stem}.{extension}");
            compile.push(step(flags, &[*stage, &from], &product));
            from = product;
        }
        objects.push(from);
    }
    let inputs: Vec<&str> = objects.iter().map(String::as_str).collect();
    // What a family does not link is run as it is; whoever has a GPU can link it to a host.
    let on_gpu = matches!(subject.runner, Runner::Gpu(_));
    let (inputs, executable) = match subject.executable() {
        "" if on_gpu => (names.to_vec(), gpu::HOST),
        "" => (Vec::new(), inputs.first().copied().unwrap_or_default()),
        executable => (inputs, executable),
    };
    let links = subject.family.links() || on_gpu;
    let mut link = links.then(|| step(flags, &inputs, executable));
    link.iter_mut().for_each(|link| link.command.extend(subject.libraries.iter().cloned()));
    let executable = format!("./{executable}");
    let run = match &subject.runner {
        Runner::Direct | Runner::Gpu(_) => Some(vec![executable]),
        Runner::Emulator(command) | Runner::Marked(command) | Runner::Wine(command) => {
            Some(command.iter().cloned().chain([executable]).collect())
        }
        Runner::Simavr => Some(simulator::command(&executable)),
        Runner::Missing(_) => None,
    };
    Commands { compile, objects, link, run }
}

/// How far a trial goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Extent {
    /// Object code is made.
    Compile,
    /// It is linked as well, and not run.
    Link,
    /// It is run.
    #[default]
    Run,
}

/// Where trials take place, and what they may use.
#[derive(Clone, Copy, Debug)]
pub struct Bench<'a> {
    /// What confines compilers and programs.
    pub sandbox: &'a Sandbox,
    /// What they may use.
    pub bounds: TrialBounds,
    /// The directory, which should be empty and is not emptied afterwards.
    pub scratch: &'a Path,
    /// How far they go.
    pub extent: Extent,
    /// What is remembered of earlier trials with the same program, if anything is.
    pub executed: Option<&'a Executed>,
}

impl<'a> Bench<'a> {
    /// A bench with the usual bounds, which runs what is compiled and remembers nothing.
    pub fn new(sandbox: &'a Sandbox, scratch: &'a Path) -> Self {
        let bounds = TrialBounds::default();
        Self { sandbox, bounds, scratch, extent: Extent::Run, executed: None }
    }

    /// Gives a program to a subject with some more flags: compiles, links and runs it, as far
    /// as is wanted and possible. There is no other way to try a program, so none ever meets a
    /// flag that what is expected of it does not allow.
    pub fn try_out(
        &self,
        subject: &Subject,
        flags: &[String],
        sources: &[SourceText],
        expectation: &Expectation,
    ) -> Trial {
        let mut trial = Trial::failed(String::new());
        let stage = Stage { subject, bench: self };
        trial.outcome = match rounding::misfit(subject, flags, expectation, self) {
            Ok(Some(why)) => Outcome::Unfit { why },
            Ok(None) => match stage.all(flags, sources, &mut trial) {
                Ok(outcome) | Err(outcome) => outcome,
            },
            Err(error) => infrastructure(&error),
        };
        trial
    }
}

impl Trial {
    /// A trial that did not take place.
    pub fn failed(what: String) -> Self {
        Self {
            outcome: Outcome::Infrastructure { what },
            compiler_cpu: Duration::ZERO,
            program_cpu: Duration::ZERO,
            object: None,
            reused: false,
            said: String::new(),
        }
    }
}

/// A subject at a bench.
struct Stage<'a> {
    subject: &'a Subject,
    bench: &'a Bench<'a>,
}

impl Stage<'_> {
    /// Everything; an error is an outcome that came before the program could run.
    fn all(
        &self,
        flags: &[String],
        sources: &[SourceText],
        trial: &mut Trial,
    ) -> Result<Outcome, Outcome> {
        let Bench { scratch, extent, executed, .. } = *self.bench;
        let commands = self.compile(flags, sources, &mut trial.compiler_cpu)?;
        if extent == Extent::Compile {
            return Ok(Outcome::Compiled);
        }
        let mut code = blake3::Hasher::new();
        for object in &commands.objects {
            let path = scratch.join(object);
            let bytes =
                fs::read(&path).map_err(|error| infrastructure(&file_error(&path, error)))?;
            code.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
        }
        let object = code.finalize();
        trial.object = Some(object);
        let on_gpu = matches!(self.subject.runner, Runner::Gpu(_));
        let is_unfinished = self.subject.family == Family::Nvcc && gpu::is_unfinished(flags);
        let runs = extent == Extent::Run && !is_unfinished;
        let link = commands.link.as_ref().filter(|_| !on_gpu);
        let Some(run) = commands.run.as_ref().filter(|_| runs) else {
            if let Some(link) = link {
                self.tool(link, &mut trial.compiler_cpu)?;
            }
            return Ok(Outcome::Compiled);
        };
        // The same objects linked by the same command, and run in the same way.
        let command = link.map(|link| &link.command[..]).unwrap_or_default();
        let matters = what_matters_to_the_linker(command);
        let key = blake3::hash(format!("{object} {matters:?} {run:?}").as_bytes());
        if let Some(outcome) = executed.and_then(|executed| executed.find(&key)) {
            trial.reused = true;
            return Ok(outcome);
        }
        if let Some(link) = link {
            self.tool(link, &mut trial.compiler_cpu)?;
        }
        let outcome = match on_gpu {
            true => self.execute_on_gpu(&commands.objects, &mut trial.program_cpu)?,
            false => self.execute(run, trial)?,
        };
        if let Some(executed) = executed {
            executed.remember(&key, &outcome);
        }
        Ok(outcome)
    }

    /// Compiles, and says what comes next.
    fn compile(
        &self,
        flags: &[String],
        sources: &[SourceText],
        cpu: &mut Duration,
    ) -> Result<Commands, Outcome> {
        for source in sources {
            self.write(&source.name, &source.text)?;
        }
        if let Some(support) = support_file(self.subject) {
            self.write(&support.name, &support.text)?;
        }
        let names = compiled(sources);
        let commands = commands(self.subject, flags, &names);
        for step in &commands.compile {
            self.tool(step, cpu)?;
        }
        Ok(commands)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Outcome> {
        let path = self.bench.scratch.join(name);
        fs::write(&path, text).map_err(|error| infrastructure(&file_error(&path, error)))
    }

    /// Runs the compiler.
    fn tool(&self, step: &CompilerCommand, cpu: &mut Duration) -> Result<(), Outcome> {
        let words: Vec<OsString> = step.command.iter().map(OsString::from).collect();
        let finished = self
            .bench
            .sandbox
            .run(Role::Tool, &words, b"", self.bench.scratch, &self.bench.bounds.compiler)
            .map_err(|error| infrastructure(&error))?;
        *cpu += finished.cpu;
        judge_tool(&finished, &step.command, &self.bench.scratch.join(&step.product))
    }

    /// Runs the one module that was made.
    fn execute_on_gpu(&self, objects: &[String], cpu: &mut Duration) -> Result<Outcome, Outcome> {
        let Bench { sandbox, bounds, scratch, .. } = self.bench;
        let [module] = objects else { return Ok(Outcome::Compiled) };
        let finished = sandbox
            .run_on_gpu(&scratch.join(module), bounds.program.streams.time)
            .map_err(|error| infrastructure(&error))?;
        *cpu += finished.cpu;
        Ok(gpu::outcome(finished))
    }

    fn execute(&self, command: &[String], trial: &mut Trial) -> Result<Outcome, Outcome> {
        let mut bounds = self.bench.bounds.program;
        if self.subject.runner != Runner::Direct {
            // Emulators reserve what the emulated machine could have.
            bounds.address_space = None;
        }
        let words: Vec<OsString> = command.iter().map(OsString::from).collect();
        let role = match &self.subject.runner {
            // What the user runs programs by may be a script, which starts others.
            Runner::Emulator(words) | Runner::Marked(words) if !emulator::is_known(words) => {
                let Bounds { processes, file_bytes, .. } = Bounds::TOOL;
                bounds = Bounds { processes, file_bytes, ..bounds };
                if self.subject.network { Role::Runner } else { Role::Tool }
            }
            // The server, and what starts a program of 32 bits in a wine of 64.
            Runner::Wine(_) => {
                let Bounds { processes, file_bytes, .. } = Bounds::TOOL;
                bounds = Bounds { processes, file_bytes, ..bounds };
                Role::Wine
            }
            _ => Role::Program,
        };
        let finished = self
            .bench
            .sandbox
            .run(role, &words, b"", self.bench.scratch, &bounds)
            .map_err(|error| infrastructure(&error))?;
        trial.program_cpu += finished.cpu;
        trial.said = String::from_utf8_lossy(&finished.stderr).into_owned();
        Ok(match &self.subject.runner {
            Runner::Simavr => simulator::outcome(finished),
            Runner::Emulator(command) => emulator::outcome(command, finished),
            Runner::Marked(command) => marked::outcome(command, finished),
            Runner::Wine(command) => wine::outcome(command, finished),
            _ => program_outcome(finished),
        })
    }
}

/// The words of a command that links, without the level of optimisation unless it optimises:
/// objects that are the same at two levels make the same executable.
fn what_matters_to_the_linker(command: &[String]) -> Vec<&String> {
    let optimises = command.iter().any(|word| word.starts_with("-flto"));
    command.iter().filter(|word| optimises || !word.starts_with("-O")).collect()
}

fn infrastructure(error: &Error) -> Outcome {
    let mut what = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        what += &format!(": {error}");
        cause = error.source();
    }
    Outcome::Infrastructure { what }
}

/// Signals that come from outside: from a person, from the end of a session, from a system
/// that has no memory left. What was killed has not failed.
const FROM_OUTSIDE: &[i32] =
    &[libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGKILL, libc::SIGSTOP];

/// Whether a run of the compiler was a success, or else what it was.
fn judge_tool(finished: &Finished, command: &[String], product: &Path) -> Result<(), Outcome> {
    let name = command.first().map_or("", String::as_str);
    let mut bytes = finished.stderr.clone();
    bytes.extend_from_slice(&finished.stdout);
    let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
    let failed = |what: String| Err(Outcome::Infrastructure { what });
    let status = match finished.ending {
        ProcessEnding::Starved(waited) => return failed(starved(finished.time, waited)),
        ProcessEnding::TimedOut => return Err(Outcome::CompilerTimeout),
        ProcessEnding::TooMuchMemory => return Err(Outcome::CompilerOutOfMemory { text }),
        ProcessEnding::TooManyProcesses => {
            return failed(format!("`{name}` starts too many processes"));
        }
        ProcessEnding::TooMuchOutput => match messages::classify(&text) {
            Some(Class::Crash) => return Err(Outcome::CompilerCrash { signal: None, text }),
            _ => return failed(format!("`{name}` writes too many messages")),
        },
        ProcessEnding::Exited(status) => status,
    };
    if status.success() {
        return if product.exists() {
            Ok(())
        } else {
            // It claims success: there is nothing that the program could have done.
            let said = format!("`{}` succeeds without a result\n{text}", command.join(" "));
            Err(Outcome::CompilerCrash { signal: None, text: said })
        };
    }
    Err(failure(status, name, text))
}

/// What a compiler that failed has run into.
fn failure(status: ExitStatus, name: &str, text: String) -> Outcome {
    // A shell that runs a compiler reports a signal as a status; there are 64 signals.
    let reported = status.code().map(|code| code - 128).filter(|code| (1..=64).contains(code));
    let signal = status.signal().or(reported);
    let of_ours = match signal {
        Some(libc::SIGXCPU) => return Outcome::CompilerTimeout,
        Some(libc::SIGXFSZ) => Some(format!("`{name}` writes too long a file")),
        Some(number) if FROM_OUTSIDE.contains(&number) => {
            Some(format!("`{name}` was killed from outside by signal {number}"))
        }
        _ => None,
    };
    // What shells say of a command that is not there or cannot be executed.
    let of_ours = of_ours.or_else(|| {
        let shell = matches!(status.code(), Some(126 | 127));
        shell.then(|| format!("`{name}`: {}", text.lines().next().unwrap_or_default()))
    });
    if let Some(what) = of_ours {
        return Outcome::Infrastructure { what };
    }
    match messages::classify(&text) {
        Some(Class::Infrastructure(what)) => {
            Outcome::Infrastructure { what: format!("`{name}`: {what}") }
        }
        Some(Class::OutOfMemory) => Outcome::CompilerOutOfMemory { text },
        Some(Class::Timeout) => Outcome::CompilerTimeout,
        Some(Class::Crash) => Outcome::CompilerCrash { signal, text },
        None if signal.is_some() => Outcome::CompilerCrash { signal, text },
        None => Outcome::CompileError { text },
    }
}

/// What is said of a process that had too little time because others used the processors.
fn starved(time: Duration, waited: Duration) -> String {
    let (time, waited) = (time.as_secs_f64(), waited.as_secs_f64());
    format!(
        "the machine is too busy: of {time:.1} s a process waited {waited:.1} s for a processor"
    )
}

/// What a compiled program did.
fn program_outcome(finished: Finished) -> Outcome {
    let output = finished.stdout;
    match finished.ending {
        ProcessEnding::Starved(waited) => {
            Outcome::Infrastructure { what: starved(finished.time, waited) }
        }
        ProcessEnding::TimedOut => Outcome::RunTimeout { output },
        ProcessEnding::TooMuchOutput => Outcome::RunExcess { of: Excess::Output, output },
        ProcessEnding::TooMuchMemory => Outcome::RunExcess { of: Excess::Memory, output },
        ProcessEnding::TooManyProcesses => {
            Outcome::Infrastructure { what: "the program started processes".to_owned() }
        }
        ProcessEnding::Exited(status) => match (status.code(), status.signal()) {
            (Some(status), _) => Outcome::Ran { status, output },
            (None, Some(libc::SIGXCPU)) => Outcome::RunTimeout { output },
            (None, Some(signal)) if FROM_OUTSIDE.contains(&signal) => Outcome::Infrastructure {
                what: format!("the program was killed from outside by signal {signal}"),
            },
            (None, signal) => Outcome::RunCrash { signal, output },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_that_is_a_signal_is_told_from_others() {
        let failed = |code: i32| failure(ExitStatus::from_raw(code << 8), "cc", "bad".to_owned());
        let crash =
            |signal| Outcome::CompilerCrash { signal: Some(signal), text: "bad".to_owned() };
        assert_eq!(failed(128 + libc::SIGSEGV), crash(libc::SIGSEGV));
        // clang ends so when a command that it starts crashes; there is no signal 126.
        for code in [1, 128, 254] {
            assert_eq!(failed(code), Outcome::CompileError { text: "bad".to_owned() });
        }
        assert!(matches!(failed(128 + libc::SIGKILL), Outcome::Infrastructure { .. }));
    }
}
