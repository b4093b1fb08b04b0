//! Makes a program smaller while it stays interesting.
//!
//! Passes ([`PASSES`]) only describe changes; one engine tries them, many at once, and
//! halves what fails. A candidate must be well formed, smaller in the order of programs,
//! and, unless that is switched off, defined in the machine, before the judge is asked
//! about it: so a miscompilation never turns into undefined behaviour. Texts that the front
//! end refuses take the same way, with passes of their own ([`TEXT_PASSES`]). See
//! `docs/design/reduce.md`.

mod engine;
mod finish;
mod passes;
mod returns;
mod search;

#[cfg(test)]
mod tests;

use farrier_lang::print::{PrintOptions, print};
use farrier_lang::{Program, shape};
use farrier_machine::{Behavior, Certified, Options as Machine, Verdict, certify};

use engine::{Start, descend};
pub use passes::{Changes, Cut, PASSES, Pass, Sweep, TEXT_PASSES, Turn, token_count};
pub use returns::returned_by_main;
pub use search::Workers;

/// Reads the text of a program; `None` if the front end refuses it.
pub type Read<'a> = &'a (dyn Fn(&str) -> Option<Program> + Sync);

/// Who says what is interesting, to several at once. An error ends the reduction.
pub type Judge<'a, T, E> = dyn Fn(&Candidate) -> Result<Interest<T>, E> + Sync + 'a;

/// Who is told what happens, and says whether to go on. An error ends the reduction.
pub type Listener<'a, E> = dyn FnMut(Step<'_>) -> Result<bool, E> + 'a;

/// How to reduce.
#[derive(Clone)]
pub struct Options<'a> {
    /// What each run of the machine may cost.
    pub machine: Machine,
    /// Whether a candidate must be defined.
    pub check_undefined: bool,
    /// Whether what a program computes is wrong. Then the small one shall check itself.
    pub wrong_code: bool,
    /// Whether `main` must end by returning something.
    pub main_returns: bool,
    /// How much is done at once.
    pub workers: Workers,
    /// What is compared, run and judged is the program as its text reads, so that the printer
    /// need not be trusted.
    pub read: Read<'a>,
}

impl<'a> Options<'a> {
    /// The usual ones.
    pub fn new(read: Read<'a>) -> Self {
        Self {
            machine: Machine::default(),
            check_undefined: true,
            wrong_code: false,
            main_returns: false,
            workers: Workers::default(),
            read,
        }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("machine", &self.machine)
            .field("check_undefined", &self.check_undefined)
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}

/// What may take the place of what is reduced.
#[derive(Clone, Debug)]
pub struct Candidate {
    text: String,
    form: Form,
}

/// What is known of a candidate.
#[derive(Clone, Debug)]
enum Form {
    /// It is a program whose behaviour is known.
    Certified(Box<Certified>),
    /// It is a program; whether it is defined was not asked.
    Program(Box<Program>),
    /// It consists of tokens.
    Text,
}

impl Candidate {
    /// A program, as its own text says.
    fn program_of(program: Program, options: &Options<'_>) -> Result<Self, Box<Verdict>> {
        let text = text_of(&program);
        let form = match options.check_undefined {
            true => Form::Certified(Box::new(certify(program, &options.machine)?)),
            false => Form::Program(Box::new(program)),
        };
        Ok(Self { text, form })
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The program that it is, unless it is only a text.
    pub fn program(&self) -> Option<&Program> {
        match &self.form {
            Form::Certified(certified) => Some(certified.program()),
            Form::Program(program) => Some(program),
            Form::Text => None,
        }
    }

    /// The proof of what it must do, if there is one.
    pub fn certified(&self) -> Option<&Certified> {
        match &self.form {
            Form::Certified(certified) => Some(certified),
            Form::Program(_) | Form::Text => None,
        }
    }

    /// What it must do, if that is known.
    pub fn behavior(&self) -> Option<&Behavior> {
        self.certified().map(Certified::behavior)
    }

    /// Its size: the nodes of [`shape::size`], or the tokens of a text.
    fn size(&self) -> usize {
        self.program().map_or_else(|| token_count(&self.text), shape::size)
    }
}

fn text_of(program: &Program) -> String {
    print(program, &PrintOptions::default())
}

/// How far the reduction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// The pass that runs.
    pub pass: &'static str,
    /// The size at the start, in nodes of a program or tokens of a text.
    pub before: usize,
    /// The size now.
    pub size: usize,
    /// How many candidates the judge was asked about.
    pub judged: usize,
    /// How many it found interesting, and became the best so far.
    pub accepted: usize,
    /// How many candidates were ill formed, not smaller, or known.
    pub refused: usize,
    /// How many of these were ill formed: edits that exclude each other, or no C.
    pub ill_formed: usize,
    /// How many candidates the machine did not find defined.
    pub undefined: usize,
}

/// What a judge says of a candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interest<T> {
    /// It shows what is to be kept; what was seen of it.
    Interesting(T),
    /// It does not.
    Boring,
}

impl From<bool> for Interest<()> {
    fn from(interesting: bool) -> Self {
        if interesting { Self::Interesting(()) } else { Self::Boring }
    }
}

/// What happens in a reduction.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// There is a new best.
    Best {
        /// Its text.
        text: &'a str,
        /// How far the reduction is.
        progress: &'a Progress,
    },
    /// Something was tried.
    Tried(&'a Progress),
}

/// Why there is no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hopeless<E> {
    /// The front end does not read the text of the program.
    Unreadable,
    /// The machine does not find the program defined.
    Undefined(Box<Verdict>),
    /// The judge does not find it interesting.
    Boring,
    /// The judge found it interesting, and then not.
    Flaky,
    /// The judge or the listener met an error.
    Trouble(E),
}

/// What a reduction came to.
#[derive(Clone, Debug)]
pub struct Reduced<T> {
    /// The smallest interesting program or text that was found.
    pub best: Candidate,
    /// What it took.
    pub progress: Progress,
    /// What the judge saw of it.
    pub seen: T,
    /// Whether it is complete: the listener let it run to its end.
    pub complete: bool,
}

/// Reduces a program until no pass makes it smaller, and gives it its last form. The result
/// does not depend on how many candidates are tried at once.
pub fn reduce<T: Send, E: Send>(
    program: &Program,
    judge: &Judge<'_, T, E>,
    listener: &mut Listener<'_, E>,
    options: &Options<'_>,
) -> Result<Reduced<T>, Hopeless<E>> {
    let read = (options.read)(&text_of(program)).ok_or(Hopeless::Unreadable)?;
    let first = Candidate::program_of(read, options).map_err(Hopeless::Undefined)?;
    let mut reduced = descend(first, PASSES, Start::default(), judge, listener, options)?;
    for phase in [finish::spell_out_guards, finish::check_itself] {
        if reduced.complete {
            phase(&mut reduced, judge, listener, options).map_err(Hopeless::Trouble)?;
        }
    }
    Ok(reduced)
}

/// Reduces a text of which nothing is known but that it consists of tokens, until no pass makes
/// it smaller. The result does not depend on how many texts are tried at once.
pub fn reduce_text<T: Send, E: Send>(
    text: &str,
    judge: &Judge<'_, T, E>,
    listener: &mut Listener<'_, E>,
    workers: Workers,
) -> Result<Reduced<T>, Hopeless<E>> {
    let options = Options { workers, check_undefined: false, ..Options::new(&|_| None) };
    let first = Candidate { text: text.to_owned(), form: Form::Text };
    descend(first, TEXT_PASSES, Start::default(), judge, listener, &options)
}
