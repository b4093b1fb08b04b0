//! Experiments with the program of one finding.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use farrier_lang::SourceText;

use super::crash::read_crash;
use super::{Answer, Class};
use crate::case::Expectation;
use crate::outcome::{Bench, Executed, Outcome, TrialBounds, commands, compiled};
use crate::scratch::file_error;
use crate::subject::Subject;
use crate::{Error, FindingKind, Judgement, ProcessEnding, Role, Sandbox, Scratch, judge};

/// How long a compiler may take where the finding is that it takes too long.
const HANGING_COMPILER: Duration = Duration::from_secs(20);

/// The same for a compiled program.
const HANGING_PROGRAM: Duration = Duration::from_secs(3);

/// What a compiler may say when it lists its passes.
const LONG_MESSAGES: usize = 64 << 20;

/// A finding, and all that it takes to make experiments with it.
#[derive(Clone, Copy, Debug)]
pub struct Accusation<'a> {
    /// The compiler.
    pub subject: &'a Subject,
    /// The program.
    pub sources: &'a [SourceText],
    /// By what compilers are judged.
    pub expectation: &'a Expectation,
    /// What is wrong.
    pub kind: FindingKind,
}

/// Where experiments are made.
#[derive(Debug)]
pub struct Lab<'a> {
    evidence: Accusation<'a>,
    sandbox: &'a Sandbox,
    scratch: Scratch,
    bounds: TrialBounds,
    executed: Executed,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    /// The signature of the crash that is looked for.
    crash: Option<String>,
    attempts: std::cell::Cell<u32>,
}

impl<'a> Lab<'a> {
    /// A lab that works until `deadline`, or until it is asked to stop.
    pub fn new(
        evidence: Accusation<'a>,
        sandbox: &'a Sandbox,
        base: &Path,
        deadline: Option<Instant>,
        stop: &'a AtomicBool,
    ) -> Result<Self, Error> {
        Ok(Self::within(evidence, sandbox, Scratch::new(base)?, deadline, stop))
    }

    /// The same in a directory that is there.
    pub fn within(
        evidence: Accusation<'a>,
        sandbox: &'a Sandbox,
        scratch: Scratch,
        deadline: Option<Instant>,
        stop: &'a AtomicBool,
    ) -> Self {
        let mut bounds = TrialBounds::default();
        bounds.compiler.streams.stderr_bytes = LONG_MESSAGES;
        if evidence.kind == FindingKind::CompilerHang {
            bounds.compiler.streams.time = HANGING_COMPILER;
            bounds.compiler.cpu = HANGING_COMPILER;
        }
        if evidence.kind == FindingKind::RunHang {
            bounds.program.streams.time = HANGING_PROGRAM;
        }
        Self {
            evidence,
            sandbox,
            scratch,
            bounds,
            executed: Executed::default(),
            deadline,
            stop,
            crash: None,
            attempts: std::cell::Cell::new(0),
        }
    }

    /// The same, with less time for each compilation and each run.
    pub fn in_haste(mut self, compiler: Duration, program: Duration) -> Self {
        for (bounds, time) in
            [(&mut self.bounds.compiler, compiler), (&mut self.bounds.program, program)]
        {
            bounds.streams.time = bounds.streams.time.min(time);
        }
        self
    }

    /// The directory, for the next that needs one.
    pub fn into_scratch(self) -> Scratch {
        self.scratch
    }

    /// The finding.
    pub fn evidence(&self) -> Accusation<'a> {
        self.evidence
    }

    /// How often a compiler was tried.
    pub fn attempts(&self) -> u32 {
        self.attempts.get()
    }

    /// Whether there is no time left.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Makes sure that the finding is there with these flags, and remembers how: from now on
    /// a crash must be the same to count. Returns what happened; an error is what happened
    /// instead.
    pub fn observe(&mut self, flags: &[String]) -> Result<Outcome, String> {
        let outcome = self.attempt(self.evidence.subject, flags, None);
        match self.answer_of(self.evidence.subject, &outcome) {
            Answer::Fails { kind } if Class::of(kind) == Class::of(self.evidence.kind) => {}
            Answer::Fails { kind } => return Err(format!("{kind} happens instead")),
            Answer::Works => return Err("it does not happen".to_owned()),
            Answer::CannotTell { why } => return Err(why),
        }
        if let Outcome::CompilerCrash { signal, text } = &outcome {
            self.crash = Some(read_crash(text, *signal).signature);
        }
        Ok(outcome)
    }

    /// In which way an outcome that was observed is wrong: with fewer flags or in a smaller
    /// program, a crash of the compiled program may have become a wrong number.
    pub fn kind_of(&self, outcome: &Outcome) -> FindingKind {
        match self.answer_of(self.evidence.subject, outcome) {
            Answer::Fails { kind } => kind,
            Answer::Works | Answer::CannotTell { .. } => self.evidence.kind,
        }
    }

    /// Whether the very same finding is there with these flags; `None` if that cannot be
    /// said, or something else is wrong.
    pub fn fails(&self, flags: &[String]) -> Option<bool> {
        self.fails_with(flags, Some(&self.executed))
    }

    /// Like [`Lab::fails`], without using what is remembered.
    pub fn fails_again(&self, flags: &[String]) -> Option<bool> {
        self.fails_with(flags, None)
    }

    fn fails_with(&self, flags: &[String], executed: Option<&Executed>) -> Option<bool> {
        if self.is_over() {
            return None;
        }
        let subject = self.evidence.subject;
        let outcome = self.attempt(subject, flags, executed);
        match self.answer_of(subject, &outcome) {
            Answer::Works => Some(false),
            Answer::Fails { kind } if Class::of(kind) == Class::of(self.evidence.kind) => {
                match (&outcome, &self.crash) {
                    (Outcome::CompilerCrash { signal, text }, Some(wanted)) => {
                        (read_crash(text, *signal).signature == *wanted).then_some(true)
                    }
                    _ => Some(true),
                }
            }
            Answer::Fails { .. } | Answer::CannotTell { .. } => None,
        }
    }

    /// Whether a text says that the compiler crashed in the way that was observed.
    pub(super) fn is_the_crash(&self, text: &str) -> bool {
        self.crash.as_ref().is_some_and(|crash| read_crash(text, None).signature == *crash)
    }

    /// What another compiler does with the program.
    pub fn ask(&self, subject: &Subject, flags: &[String]) -> (Answer, Outcome) {
        let outcome = self.attempt(subject, flags, Some(&self.executed));
        (self.answer_of(subject, &outcome), outcome)
    }

    fn attempt(&self, subject: &Subject, flags: &[String], executed: Option<&Executed>) -> Outcome {
        self.attempts.set(self.attempts.get() + 1);
        if let Err(error) = self.scratch.clear() {
            return Outcome::Infrastructure { what: error.to_string() };
        }
        let Accusation { sources, .. } = self.evidence;
        let expectation = self.expectation();
        let extent = expectation.extent();
        let (sandbox, bounds, scratch) = (self.sandbox, self.bounds, self.scratch.path());
        let bench = Bench { sandbox, bounds, scratch, extent, executed };
        bench.try_out(subject, flags, sources, expectation).outcome
    }

    /// By what compilers are judged.
    fn expectation(&self) -> &'a Expectation {
        self.evidence.expectation.for_kind(self.evidence.kind)
    }

    /// What an outcome means for the finding.
    pub(super) fn answer_of(&self, subject: &Subject, outcome: &Outcome) -> Answer {
        match judge(subject, self.expectation(), outcome) {
            Judgement::Agrees => Answer::Works,
            Judgement::Finding(conviction) => Answer::Fails { kind: conviction.kind() },
            Judgement::Inconclusive(why) | Judgement::Infrastructure(why) => {
                Answer::CannotTell { why }
            }
        }
    }

    /// What the compiler of the finding writes while it compiles the program with these
    /// flags, whether it succeeds or not.
    pub fn messages(&self, flags: &[String]) -> Result<String, Error> {
        let Accusation { subject, sources, .. } = self.evidence;
        let names = compiled(sources);
        self.place(sources)?;
        let mut text = String::new();
        for step in commands(subject, flags, &names).compile {
            text += &self.run_tool(&step.command)?.1;
        }
        Ok(text)
    }

    /// What the compiler of the finding answers to a question that needs no program.
    pub fn question(&self, arguments: &[&str]) -> Result<String, Error> {
        let Accusation { subject, .. } = self.evidence;
        self.scratch.clear()?;
        let arguments = arguments.iter().map(|word| (*word).to_owned());
        let command: Vec<String> =
            subject.command.iter().chain(&subject.flags).cloned().chain(arguments).collect();
        Ok(self.run_tool(&command)?.1)
    }

    /// Writes files into the empty directory.
    pub(super) fn place(&self, sources: &[SourceText]) -> Result<(), Error> {
        self.scratch.clear()?;
        for source in sources {
            let path = self.scratch.path().join(&*source.name);
            fs::write(&path, &*source.text).map_err(|error| file_error(&path, error))?;
        }
        Ok(())
    }

    /// Runs a compiler: whether it succeeds, and what it writes.
    pub(super) fn run_tool(&self, command: &[String]) -> Result<(bool, String), Error> {
        let words: Vec<OsString> = command.iter().map(OsString::from).collect();
        let place = self.scratch.path();
        let done = self.sandbox.run(Role::Tool, &words, b"", place, &self.bounds.compiler)?;
        let success = matches!(done.ending, ProcessEnding::Exited(status) if status.success());
        let bytes = [done.stdout, done.stderr].concat();
        Ok((success, String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Runs a compiled program without a limit on addresses, which sanitizers need.
    pub(super) fn run_program(&self, program: &str) -> Result<crate::Finished, Error> {
        let mut bounds = self.bounds.program;
        bounds.address_space = None;
        let place = self.scratch.path();
        self.sandbox.run(Role::Program, &[program.into()], b"", place, &bounds)
    }
}
