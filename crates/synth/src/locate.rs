//! Where a compiled program first departs from the truth.
//!
//! The machine knows which values come by at every point of a program, and in which order.
//! So the program is printed again with checks in it that know them, too: the compiled
//! program itself says where it first has another value. Checks get in the way of
//! optimisations; where the bug vanishes with all of them, they are added a few at a time,
//! between the last value that is right and the first that is wrong. See
//! `docs/design/report.md`.
//!
//! Every program that is compiled on the way is certified by the machine, and does the same
//! as the original.

mod watchpoints;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use farrier_lang::Program;
use farrier_lang::float::FloatValue;
use farrier_machine::{Action, Behavior, Certified, Options as Machine, Verdict, certify, observe};

use watchpoints::{MARK, Watchpoint, permissive_check, strict_check, watchpoints, with_calls};

/// A program with more values than this gets checks at those points that come by least.
const MOST_EVENTS: usize = 20_000;

/// How many points are added at once when all are too many.
const WIDTH: usize = 8;

/// How to look.
pub struct Options<'a> {
    /// What each run of the machine may cost.
    pub machine: Machine,
    /// Reads the text of a program; `None` if the front end refuses it.
    pub read: &'a dyn Fn(&str) -> Option<Program>,
    /// How many programs are compiled at most.
    pub tries: usize,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("machine", &self.machine)
            .field("tries", &self.tries)
            .finish_non_exhaustive()
    }
}

/// A program with checks, certified, that is to be compiled and run.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// The whole program.
    pub text: &'a str,
    /// The same, with what it does if it is compiled rightly.
    pub certified: &'a Certified,
}

/// What a compiled program did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// What it should.
    Right,
    /// Something else, with this on standard output.
    Wrong(Vec<u8>),
    /// It cannot be said.
    Unclear,
}

/// A point of a program, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// The function.
    pub function: String,
    /// The first line of the statement; empty where the function begins.
    pub statement: String,
    /// The line of the statement in the text of the program.
    pub line: Option<u32>,
    /// What kind of value it is, such as `the variable`.
    pub what: String,
    /// The expression that has it.
    pub variable: String,
}

/// A value that came by at a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// Where.
    pub point: Point,
    /// Which of the values at this point it is, from one.
    pub time: u64,
    /// The value that is right.
    pub value: Number,
}

/// A number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// An integer.
    Integer(i128),
    /// A floating value; all that are not numbers are one. A `long double` as a `double`.
    Floating(FloatValue),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Floating(value) => value.fmt(f),
        }
    }
}

/// How the compiled program departs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Departure {
    /// A value is another one.
    Value {
        /// The value that it should be.
        right: Value,
        /// The one that it is.
        actual: Number,
    },
    /// The program is somewhere else.
    Path {
        /// The value that should have come by next; `None` if none should.
        right: Option<Value>,
        /// The point that it is at.
        actual: Point,
    },
    /// No check sees anything wrong: the program goes wrong after the last one.
    Unseen {
        /// The value that should have come by next and did not; `None` if all came.
        next: Option<Value>,
    },
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    /// How it departs.
    pub departure: Departure,
    /// The last value before that is right.
    pub before: Option<Value>,
    /// Points in between that cannot be checked: the bug vanishes when they are.
    pub vanishing: Vec<Point>,
    /// At how many points there were checks in the end, of how many.
    pub checked: (usize, usize),
    /// How many programs were compiled.
    pub tries: usize,
}

/// Why nothing was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lost {
    /// The program has no values that can be checked.
    NoPoints,
    /// Without any check, printed anew, the program is compiled rightly.
    NotWrong,
    /// The bug vanishes with whatever check.
    Vanishes,
}

/// Finds the first departure of a program that is compiled wrongly. `compile` compiles and
/// runs a program with checks.
pub fn locate(
    certified: &Certified,
    compile: &mut dyn FnMut(&Checked<'_>) -> Seen,
    options: &Options<'_>,
) -> Result<Located, Lost> {
    let program = certified.program();
    let mut machine = options.machine.clone();
    let steps = certified.behavior().steps.saturating_mul(8).saturating_add(1_000_000);
    machine.steps = machine.steps.min(steps);
    let points = watchpoints(program, certified.tier());
    let mut search = Search {
        program,
        behavior: certified.behavior(),
        machine,
        options,
        points,
        usable: BTreeSet::new(),
        trace: Vec::new(),
        compile,
        tries: 0,
    };
    search.record();
    if search.usable.is_empty() {
        return Err(Lost::NoPoints);
    }
    search.run()
}

/// What came of a set of checks.
enum Attempted {
    /// The bug is gone, or it cannot be said.
    Gone { vanished: bool },
    /// The first departure is at this place of the trace; `actual` is what a check saw.
    At { position: usize, actual: Option<(usize, i64)> },
}

struct Search<'a> {
    program: &'a Program,
    behavior: &'a Behavior,
    machine: Machine,
    options: &'a Options<'a>,
    points: Vec<Watchpoint>,
    /// The points that can be checked, by number.
    usable: BTreeSet<usize>,
    /// The values in the order in which they come by, with their points.
    trace: Vec<(usize, i64)>,
    compile: &'a mut dyn FnMut(&Checked<'_>) -> Seen,
    tries: usize,
}

impl Search<'_> {
    fn text(&self, chosen: &BTreeSet<usize>) -> (String, String) {
        with_calls(self.program, chosen.iter().map(|number| (*number, self.points[*number])))
    }

    /// The values that come by at some points, if all of them can be checked.
    fn values(&self, chosen: &BTreeSet<usize>) -> Option<Vec<(usize, i64)>> {
        let (text, name) = self.text(chosen);
        let program =
            (self.options.read)(&format!("{text}{}", permissive_check(self.program, &name)))?;
        let mut values = Vec::new();
        let run = observe(&program, &self.machine, &mut |event| {
            if let Action::Call { function, arguments } = &event.action
                && *function == name
                && let [point, value] = &arguments[..]
                && let (Ok(point), Ok(value)) = (point.parse(), value.parse())
            {
                values.push((point, value));
            }
        });
        match run.verdict {
            Verdict::Defined(behavior) if self.same(&behavior) => Some(values),
            _ => None,
        }
    }

    fn same(&self, behavior: &Behavior) -> bool {
        behavior.output == self.behavior.output && behavior.ending == self.behavior.ending
    }

    /// Finds out which points can be checked, and their values in time.
    fn record(&mut self) {
        let all: Vec<usize> = (0..self.points.len()).collect();
        let mut parts = vec![all];
        // Few are ever refused: an lvalue that means something else after its assignment.
        while let Some(part) = parts.pop() {
            let mut more = self.usable.clone();
            more.extend(&part);
            match self.values(&more) {
                Some(trace) => {
                    self.trace = trace;
                    self.usable = more;
                }
                None if part.len() > 1 => {
                    let (left, right) = part.split_at(part.len() / 2);
                    parts.extend([right.to_vec(), left.to_vec()]);
                }
                None => {}
            }
        }
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for (point, _) in &self.trace {
            *counts.entry(*point).or_default() += 1;
        }
        // Points that are never reached have nothing to check.
        self.usable.retain(|point| counts.contains_key(point));
        let mut by_count: Vec<(usize, usize)> =
            counts.iter().map(|(point, count)| (*count, *point)).collect();
        by_count.sort_unstable();
        let mut left = self.trace.len();
        while left > MOST_EVENTS
            && let Some((count, point)) = by_count.pop()
        {
            left -= count;
            self.usable.remove(&point);
        }
        let usable = &self.usable;
        self.trace.retain(|(point, _)| usable.contains(point));
    }

    fn exhausted(&self) -> bool {
        self.tries >= self.options.tries
    }

    fn compile(&mut self, text: &str, name: &str, events: &[(usize, i64)], stop: bool) -> Seen {
        let check = strict_check(self.program, name, events, stop);
        let text = format!("{text}{check}");
        let Some(program) = (self.options.read)(&text) else { return Seen::Unclear };
        let Ok(certified) = certify(program, &self.machine) else { return Seen::Unclear };
        if !stop && !self.same(certified.behavior()) {
            return Seen::Unclear;
        }
        self.tries += 1;
        (self.compile)(&Checked { text: &text, certified: &certified })
    }

    /// Compiles the program with some checks.
    fn attempt(&mut self, chosen: &BTreeSet<usize>) -> Attempted {
        let (text, name) = self.text(chosen);
        let (positions, events): (Vec<usize>, Vec<(usize, i64)>) = self
            .trace
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, (point, _))| chosen.contains(point))
            .unzip();
        let output = match self.compile(&text, &name, &events, false) {
            Seen::Right => return Attempted::Gone { vanished: true },
            Seen::Unclear => return Attempted::Gone { vanished: false },
            Seen::Wrong(output) => output,
        };
        let place = |event: usize| positions.get(event).copied().unwrap_or(self.trace.len());
        if let Some((event, point, value)) = failed_check(&output) {
            return Attempted::At { position: place(event), actual: Some((point, value)) };
        }
        // No check failed, but it may not have come to the last of them. The first that
        // it does not come to is found by halving.
        let (mut passed, mut missed) = (0, events.len() + 1);
        while missed - passed > 1 && !self.exhausted() {
            let middle = passed + (missed - passed) / 2;
            match self.compile(&text, &name, &events[..middle - 1], true) {
                Seen::Right => passed = middle,
                _ => missed = middle,
            }
        }
        let position = if missed > events.len() { self.trace.len() } else { positions[missed - 1] };
        Attempted::At { position, actual: None }
    }

    fn run(&mut self) -> Result<Located, Lost> {
        let all = self.usable.clone();
        let mut chosen = BTreeSet::new();
        let mut refused: BTreeMap<usize, bool> = BTreeMap::new();
        let (mut position, mut actual) = match self.attempt(&all) {
            Attempted::At { position, actual } => {
                chosen = all;
                (position, actual)
            }
            Attempted::Gone { .. } => match self.attempt(&chosen) {
                Attempted::Gone { .. } => return Err(Lost::NotWrong),
                Attempted::At { position, actual } => (position, actual),
            },
        };
        let mut width = WIDTH;
        while !self.exhausted() {
            let more = self.between(&chosen, &refused, position, width);
            if more.is_empty() {
                break;
            }
            let mut larger = chosen.clone();
            larger.extend(&more);
            match self.attempt(&larger) {
                Attempted::At { position: found, actual: seen } => {
                    (position, actual, chosen) = (found, seen, larger);
                    width = WIDTH;
                }
                Attempted::Gone { vanished } => match more[..] {
                    [point] => _ = refused.insert(point, vanished),
                    _ => width = (width / 2).max(1),
                },
            }
        }
        if chosen.is_empty() {
            return Err(Lost::Vanishes);
        }
        Ok(self.located(&chosen, &refused, position, actual))
    }

    /// The last place before `position` where a check passed.
    fn last_right(&self, chosen: &BTreeSet<usize>, position: usize) -> Option<usize> {
        (0..position).rev().find(|at| chosen.contains(&self.trace[*at].0))
    }

    /// A few points between the last value that is right and the first that is wrong, evenly
    /// spread over the time.
    fn between(
        &self,
        chosen: &BTreeSet<usize>,
        refused: &BTreeMap<usize, bool>,
        position: usize,
        width: usize,
    ) -> Vec<usize> {
        let start = self.last_right(chosen, position).map_or(0, |at| at + 1);
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for (point, _) in &self.trace[start..position] {
            if !chosen.contains(point) && !refused.contains_key(point) && seen.insert(*point) {
                found.push(*point);
            }
        }
        if found.len() <= width {
            return found;
        }
        (0..width).map(|index| found[(2 * index + 1) * found.len() / (2 * width)]).collect()
    }

    fn located(
        &self,
        chosen: &BTreeSet<usize>,
        refused: &BTreeMap<usize, bool>,
        position: usize,
        actual: Option<(usize, i64)>,
    ) -> Located {
        let before = self.last_right(chosen, position);
        let start = before.map_or(0, |at| at + 1);
        let between: BTreeSet<usize> =
            self.trace[start..position].iter().map(|(point, _)| *point).collect();
        let right = (position < self.trace.len()).then(|| self.value(position));
        let departure = match (actual, right) {
            (None, next) => Departure::Unseen { next },
            (Some((point, value)), Some(right)) if point == self.trace[position].0 => {
                Departure::Value { right, actual: self.points[point].value(value) }
            }
            (Some((point, _)), right) => {
                Departure::Path { right, actual: self.points[point].point(self.program) }
            }
        };
        Located {
            departure,
            before: before.map(|at| self.value(at)),
            vanishing: refused
                .iter()
                .filter(|(point, vanished)| **vanished && between.contains(point))
                .map(|(point, _)| self.points[*point].point(self.program))
                .collect(),
            checked: (chosen.len(), self.points.len()),
            tries: self.tries,
        }
    }

    fn value(&self, position: usize) -> Value {
        let (point, value) = self.trace[position];
        let time = self.trace[..=position].iter().filter(|(other, _)| *other == point).count();
        Value {
            point: self.points[point].point(self.program),
            time: time as u64,
            value: self.points[point].value(value),
        }
    }
}

/// What a check that failed wrote: the number of the value, its point and what it is.
fn failed_check(output: &[u8]) -> Option<(usize, usize, i64)> {
    let text = String::from_utf8_lossy(output);
    let line = text.lines().rev().find_map(|line| line.strip_prefix(MARK))?;
    let mut words = line.split_whitespace();
    let event = words.next()?.parse().ok()?;
    let point = words.next()?.parse().ok()?;
    let mut half = || u64::from_str_radix(words.next()?, 16).ok();
    let (high, low) = (half()?, half()?);
    Some((event, point, (high << 32 | low) as i64))
}
