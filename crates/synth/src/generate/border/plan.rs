//! Drafting of border functions with the values that their variables have.
//!
//! A place in a loop has one value of each variable for each round: its lanes. A term is
//! checked in all of them at once, and its constant is moved until the largest or the
//! smallest result lies at a border. That needs no second look at earlier rounds because of
//! one rule: what a loop reads before it assigns it, it never assigns. Only the counter and
//! sums that begin before the loop depend on the round before.

use farrier_lang::target::Target;
use farrier_lang::{BinaryOp, IntKind};

use super::code::{Block, Integers, Step, Term};
use crate::Choices;

/// How often a term is drawn before a simpler one is taken.
const TRIES: u32 = 8;

/// The most rounds at one place, and of one loop.
const MOST_LANES: usize = 60;
const ROUNDS: (i64, i64) = (2, 14);

/// The most variables: their sets are words.
const MOST_VARIABLES: usize = 48;

/// In percent: operands that are sources, and pairs of operands that occurred before.
const SOURCE_OPERANDS: u32 = 60;
const OLD_PAIRS: u32 = 55;

/// How many sources may be assigned all the same, in percent.
const ASSIGNED_SOURCES: u32 = 12;

/// How many factors that fit are moved to the border before they are multiplied, in percent.
const MOVED_FACTORS: u32 = 20;

/// How many counters are variables of the function, in percent.
const SHARED_COUNTERS: u32 = 35;

/// How many constants of control come from a variable and a difference, in percent.
const HIDDEN_CONSTANTS: u32 = 50;

/// Where the constant of an assignment moves its result, with the weights.
#[derive(Clone, Copy, Debug)]
enum Aim {
    /// The largest value of the type, or one less.
    Top,
    /// The smallest, or one more.
    Bottom,
    /// The largest magnitude that a coefficient can multiply.
    Factor,
    /// Zero, or beside it.
    Zero,
    /// A constant that occurred before, or beside it.
    Known,
    /// Wherever a coefficient as the constant leads.
    Shared,
    /// Wherever it is without a constant.
    Plain,
}

const AIMS: [(u32, Aim); 7] = [
    (22, Aim::Top),
    (14, Aim::Bottom),
    (24, Aim::Factor),
    (8, Aim::Zero),
    (10, Aim::Known),
    (8, Aim::Shared),
    (14, Aim::Plain),
];

/// What a function may contain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    pub(super) for_loops: bool,
    pub(super) switches: bool,
    pub(super) divisions: bool,
    pub(super) shifts: bool,
    pub(super) logical: bool,
    pub(super) casts: bool,
    pub(super) hidden_bounds: bool,
}

/// A loop around the place of drafting.
#[derive(Clone, Debug)]
pub(super) struct Region {
    rounds: usize,
    /// The variables that it assigns.
    assigned: u64,
    /// Those that it reads before, which it therefore never assigns.
    read: u64,
    /// Its sums, of which each round depends on the one before.
    sums: u64,
    /// The values before the loop, and what its sums begin with.
    before: Vec<Vec<i128>>,
    starts: Vec<Step>,
}

/// A loop that counts: what its counter does.
#[derive(Clone, Debug)]
pub(super) struct Count {
    pub(super) counter: usize,
    pub(super) first: Term,
    pub(super) condition: Term,
    pub(super) next: Term,
    rounds: usize,
    values: Vec<i128>,
}

/// A function that is being drafted.
pub(super) struct Plan<'a> {
    pub(super) choices: &'a mut Choices,
    pub(super) integers: Integers,
    pub(super) allowed: Allowed,
    /// The types of the variables, and the kinds of new counters.
    pub(super) kinds: Vec<IntKind>,
    pub(super) counter_kinds: Vec<IntKind>,
    pub(super) coefficients: Vec<i128>,
    /// Variables that are rarely assigned, so that terms over them recur.
    pub(super) sources: u64,
    /// The values of the variables, in each lane.
    pub(super) values: Vec<Vec<i128>>,
    /// In which lanes the place of drafting runs.
    pub(super) active: Vec<bool>,
    /// Variables that only a loop may change, or read, for now.
    pub(super) locked: u64,
    unreadable: u64,
    pub(super) regions: Vec<Region>,
    pub(super) blocks: Vec<Block>,
    /// Constants and pairs of operands that occurred.
    pub(super) constants: Vec<i128>,
    pairs: Vec<(usize, usize)>,
    /// The operations that a call executes.
    pub(super) cost: u64,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        choices: &'a mut Choices,
        target: &'static Target,
        allowed: Allowed,
        coefficients: Vec<i128>,
        counter_kinds: Vec<IntKind>,
    ) -> Self {
        Self {
            choices,
            integers: Integers(target),
            allowed,
            kinds: Vec::new(),
            counter_kinds,
            coefficients,
            sources: 0,
            values: Vec::new(),
            active: vec![true],
            locked: 0,
            unreadable: 0,
            regions: Vec::new(),
            blocks: Vec::new(),
            constants: Vec::new(),
            pairs: Vec::new(),
            cost: 0,
        }
    }

    /// A new variable with a value.
    pub(super) fn variable(&mut self, kind: IntKind, value: i128) -> usize {
        self.kinds.push(kind);
        self.values.push(vec![value; self.active.len()]);
        self.kinds.len() - 1
    }

    pub(super) fn coefficient(&mut self) -> i128 {
        self.choices.pick(&self.coefficients)
    }

    /// A constant of a kind that takes part in arithmetic of `kind`.
    pub(super) fn constant(&mut self, value: i128, kind: IntKind) -> Option<Term> {
        let own = match self.integers.constant(value) {
            Some(IntKind::Int) => IntKind::Int,
            _ if kind >= IntKind::Int && self.integers.of(kind).contains(value) => kind,
            _ => return None,
        };
        self.constants.push(value);
        Some(Term::Constant(own, value))
    }

    /// The kind of a term, and its smallest and largest value in the lanes that run; nothing
    /// if it is undefined in one.
    pub(super) fn range(&self, term: &Term) -> Option<(IntKind, i128, i128)> {
        let mut range = None;
        for lane in (0..self.active.len()).filter(|lane| self.active[*lane]) {
            let (kind, value) =
                self.integers.value(term, &self.kinds, &|number| self.values[number][lane])?;
            let (_, low, high) = range.unwrap_or((kind, value, value));
            range = Some((kind, value.min(low), value.max(high)));
        }
        range
    }

    /// Whether a variable may be assigned here.
    fn is_assignable(&self, number: usize) -> bool {
        let bit = 1 << number;
        let partial = self.active.contains(&false);
        let is_free = |region: &Region| {
            region.sums & bit == 0 && (region.assigned & bit != 0 || region.read & bit == 0)
        };
        self.locked & bit == 0
            && self.regions.iter().all(is_free)
            // In a round that skips the assignment it has the value of this round.
            && (!partial || self.regions.last().is_none_or(|region| region.assigned & bit != 0))
    }

    /// Whether a term that assigns the variable may read it.
    fn is_settled(&self, number: usize) -> bool {
        self.regions.iter().all(|region| region.assigned & 1 << number != 0)
    }

    /// Notes what a term reads.
    pub(super) fn read(&mut self, term: &Term) {
        let reads = term.reads();
        for region in &mut self.regions {
            region.read |= reads & !region.assigned;
        }
        let lanes = self.active.iter().filter(|active| **active).count() as u64;
        self.cost += (term.nodes() + 1) * lanes;
    }

    /// Notes that a variable is assigned here, and its values.
    fn set(&mut self, number: usize, term: &Term) {
        let integer = self.integers.of(self.kinds[number]);
        let mut values = std::mem::take(&mut self.values[number]);
        for lane in (0..self.active.len()).filter(|lane| self.active[*lane]) {
            let old = |other: usize| match other == number {
                true => values[lane],
                false => self.values[other][lane],
            };
            let value = self.integers.value(term, &self.kinds, &old);
            values[lane] = integer.wrap(value.expect("it was checked").1);
        }
        self.values[number] = values;
        for region in &mut self.regions {
            region.assigned |= 1 << number;
        }
    }

    pub(super) fn targets(&self) -> Vec<usize> {
        (0..self.kinds.len()).filter(|number| self.is_assignable(*number)).collect()
    }

    /// A variable to read.
    pub(super) fn operand(&mut self) -> usize {
        let readable = !self.unreadable;
        let sources = self.sources & readable;
        let wants_source = sources != 0 && self.choices.chance(SOURCE_OPERANDS);
        let set = if wants_source { sources } else { readable };
        let numbers: Vec<usize> =
            (0..self.kinds.len()).filter(|number| set & 1 << number != 0).collect();
        self.choices.pick_any(&numbers).unwrap_or(0)
    }

    /// Two variables to read, mostly a pair that occurred before.
    pub(super) fn pair(&mut self) -> (usize, usize) {
        if !self.pairs.is_empty() && self.choices.chance(OLD_PAIRS) {
            let pair = self.choices.pick(&self.pairs);
            if self.unreadable & (1 << pair.0 | 1 << pair.1) == 0 {
                return if self.choices.chance(50) { pair } else { (pair.1, pair.0) };
            }
        }
        let left = self.operand();
        let right = match self.operand() {
            // Another one, if there is luck: a variable with itself says little.
            same if same == left => self.operand(),
            other => other,
        };
        self.pairs.push((left, right));
        (left, right)
    }

    /// `coefficient * operand`; where that would overflow, `coefficient * (operand + constant)`
    /// right below the border.
    pub(super) fn product(&mut self, operand: Term, coefficient: i128) -> Option<Term> {
        let (kind, low, high) = self.range(&operand)?;
        let kind = self.integers.promoted(kind);
        let factor = self.constant(coefficient, kind)?;
        let (least, most) = self.integers.limits(kind);
        let fits = |value: i128| (least..=most).contains(&(value * coefficient));
        let operand = if fits(low) && fits(high) && !self.choices.chance(MOVED_FACTORS) {
            operand
        } else {
            let room = most / coefficient.abs();
            let moved = if self.choices.chance(60) { room - high } else { -room - low };
            self.plus(operand, moved, kind)?
        };
        let turned = self.choices.chance(50);
        let (left, right) = if turned { (operand, factor) } else { (factor, operand) };
        Some(Term::binary(BinaryOp::Mul, left, right))
    }

    /// `term + constant`
    pub(super) fn plus(&mut self, term: Term, constant: i128, kind: IntKind) -> Option<Term> {
        if constant == 0 {
            return Some(term);
        }
        let minus = constant < 0 && self.choices.chance(80);
        let magnitude = if minus { -constant } else { constant };
        let number = self.constant(magnitude, kind)?;
        Some(match (minus, self.choices.chance(20)) {
            (true, _) => Term::binary(BinaryOp::Sub, term, number),
            (false, true) => Term::binary(BinaryOp::Add, number, term),
            (false, false) => Term::binary(BinaryOp::Add, term, number),
        })
    }

    /// The term with a constant that moves it to where it is wanted in a variable.
    fn fit(&mut self, term: Term, kind_of_result: IntKind) -> Option<Term> {
        let (kind, low, high) = self.range(&term)?;
        let kind = self.integers.promoted(kind);
        let (least, most) = self.integers.limits(kind);
        let (own_least, own_most) = self.integers.limits(kind_of_result);
        let (least, most) = (least.max(own_least), most.min(own_most));
        let near = i128::from(self.choices.range(0, 1));
        let weights = AIMS.map(|(weight, _)| weight);
        let aim = AIMS[self.choices.weighted(&weights).unwrap_or(0)].1;
        let constant = match aim {
            Aim::Top => most - near - high,
            Aim::Bottom => least + near - low,
            Aim::Factor => {
                let room = most / self.coefficient().abs();
                if self.choices.chance(60) { room - near - high } else { near - room - low }
            }
            Aim::Zero => i128::from(self.choices.range(-1, 1)) - low,
            Aim::Known => {
                let known = self.choices.pick_any(&self.constants).unwrap_or(0);
                known + i128::from(self.choices.range(-1, 1)) - high
            }
            Aim::Shared => self.coefficient(),
            Aim::Plain => 0,
        };
        let fitted = self.plus(term.clone(), constant, kind);
        match fitted.filter(|fitted| self.range(fitted).is_some()) {
            Some(fitted) => Some(fitted),
            None => Some(term),
        }
    }

    /// A value for a variable or a result, over variables of which `without` is none.
    pub(super) fn assigned_value(&mut self, kind: IntKind, without: u64) -> Term {
        for _ in 0..TRIES {
            let Some(sum) = self.sum() else { continue };
            if sum.reads() & without != 0 {
                continue;
            }
            if let Some(term) = self.fit(sum, kind) {
                return term;
            }
        }
        Term::Constant(IntKind::Int, i128::from(self.choices.range(-9, 9)))
    }

    /// `variable = term`
    pub(super) fn assign(&mut self, steps: &mut Vec<Step>) {
        let targets = self.targets();
        let Some(mut target) = self.choices.pick_any(&targets) else { return };
        if self.sources & 1 << target != 0 && !self.choices.chance(ASSIGNED_SOURCES) {
            target = self.choices.pick(&targets);
            if self.sources & 1 << target != 0 && !self.choices.chance(ASSIGNED_SOURCES) {
                return;
            }
        }
        let without = if self.is_settled(target) { 0 } else { 1 << target };
        let term = self.assigned_value(self.kinds[target], without);
        self.assign_to(target, term, steps);
    }

    pub(super) fn assign_to(&mut self, target: usize, term: Term, steps: &mut Vec<Step>) {
        self.read(&term);
        self.set(target, &term);
        steps.push(Step::Assign(target, term));
    }

    /// A term that always has this value: a constant, or a variable and the difference. It is
    /// signed, if it can be.
    pub(super) fn known(&mut self, value: i128, kind: IntKind, without: u64) -> Option<Term> {
        if self.allowed.hidden_bounds && self.choices.chance(HIDDEN_CONSTANTS) {
            let operand = self.operand();
            if without & 1 << operand == 0
                && let Some((own, low, high)) = self.range(&Term::Variable(operand))
                && low == high
                && self.integers.of(self.integers.promoted(own)).signed
                && let Some(term) = self.plus(Term::Variable(operand), value - low, own)
                && self.range(&term).is_some_and(|(_, low, high)| low == value && high == value)
            {
                return Some(term);
            }
        }
        self.constant(value, self.integers.promoted(kind))
    }

    /// Begins a loop of so many rounds.
    fn enter(&mut self, rounds: usize) {
        let before = self.values.clone();
        for values in &mut self.values {
            *values = values.iter().flat_map(|value| vec![*value; rounds]).collect();
        }
        self.active = vec![true; self.active.len() * rounds];
        let starts = Vec::new();
        self.regions.push(Region { rounds, assigned: 0, read: 0, sums: 0, before, starts });
    }

    /// Ends it; what its sums begin with.
    fn leave(&mut self) -> Vec<Step> {
        let region = self.regions.pop().expect("a loop was entered");
        for values in &mut self.values {
            *values = values.chunks(region.rounds).map(|rounds| rounds[rounds.len() - 1]).collect();
        }
        self.active = vec![true; self.active.len() / region.rounds];
        region.starts
    }

    /// A counter and what it does, for a loop that begins here.
    pub(super) fn count(&mut self) -> Option<Count> {
        let room = (MOST_LANES / self.active.len()) as i64;
        if room < ROUNDS.0 || self.active.contains(&false) {
            return None;
        }
        let rounds = i128::from(self.choices.range(ROUNDS.0, ROUNDS.1.min(room)));
        let counter = self.counter()?;
        let kind = self.kinds[counter];
        let integer = self.integers.of(kind);
        let (least, most) = self.integers.limits(kind);
        let step = match self.choices.weighted(&[5, 3, 2]) {
            Some(0) => 1,
            Some(1) => i128::from(self.choices.range(2, 9)),
            _ => self.coefficient().abs(),
        };
        let way = step * rounds;
        let wraps = self.integers.promoted(kind) != kind || !integer.signed;
        if way > most {
            return None;
        }
        let up = self.choices.chance(60);
        let near = i128::from(self.choices.range(0, 1));
        let last = match self.choices.weighted(&[35, 25, 25, if wraps { 25 } else { 0 }]) {
            Some(0) => {
                if up {
                    most - near
                } else {
                    least + near
                }
            }
            Some(1) => {
                let room = most / self.coefficient().abs();
                if up || least == 0 { room.max(way) - near } else { near - room }
            }
            Some(3) => {
                if up {
                    most + way / 2
                } else {
                    least - way / 2
                }
            }
            _ => i128::from(self.choices.range(-3, 9)) + if up { way } else { 0 },
        };
        let last = if integer.contains(last) || wraps { last } else { most - near };
        let first = if up { last - way } else { last + way };
        let crosses = !integer.contains(last) || !integer.contains(first);
        if crosses && !wraps {
            return None;
        }
        let direction = if up { step } else { -step };
        let values = (0..=rounds).map(|round| integer.wrap(first + direction * round)).collect();
        let without = 1 << counter;
        let first = self.known(integer.wrap(first), kind, without)?;
        let condition = self.count_condition((counter, kind), (last, step), up, crosses)?;
        let amount = self.known(step, kind, without)?;
        let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
        let next = Term::binary(op, Term::Variable(counter), amount);
        Some(Count { counter, first, condition, next, rounds: rounds as usize, values })
    }

    /// The condition under which a counter goes on, with its last value and its step.
    fn count_condition(
        &mut self,
        (counter, kind): (usize, IntKind),
        (last, step): (i128, i128),
        up: bool,
        crosses: bool,
    ) -> Option<Term> {
        let integer = self.integers.of(kind);
        let slack = i128::from(self.choices.range(0, step.min(1000) as i64 - 1));
        let (op, bound) = match (crosses || self.choices.chance(25), self.choices.chance(50)) {
            (true, _) => (BinaryOp::NotEqual, integer.wrap(last)),
            (_, true) if up => (BinaryOp::Less, last - slack),
            (_, true) => (BinaryOp::Greater, last + slack),
            (_, false) if up => (BinaryOp::LessEqual, last - 1 - slack),
            (_, false) => (BinaryOp::GreaterEqual, last + 1 + slack),
        };
        if !integer.contains(bound) {
            return None;
        }
        let bound = self.known(bound, kind, 1 << counter)?;
        Some(Term::binary(op, Term::Variable(counter), bound))
    }

    /// A variable that counts: a new one, or one of the function.
    fn counter(&mut self) -> Option<usize> {
        let targets = self.targets();
        let shared = self.choices.chance(SHARED_COUNTERS);
        match self.choices.pick_any(&targets) {
            Some(target) if shared && self.sources & 1 << target == 0 => Some(target),
            _ if self.kinds.len() < MOST_VARIABLES => {
                let kind = self.choices.pick(&self.counter_kinds);
                let counter = self.variable(kind, 0);
                self.unreadable |= 1 << counter;
                Some(counter)
            }
            _ => None,
        }
    }

    /// Begins the loop of a counter: it is locked, and has its value of each round.
    pub(super) fn begin(&mut self, count: &Count) {
        let bit = 1 << count.counter;
        self.read(&count.first);
        for region in &mut self.regions {
            region.assigned |= bit;
        }
        let outer = self.active.len();
        self.enter(count.rounds);
        self.locked |= bit;
        self.unreadable &= !bit;
        let region = self.regions.last_mut().expect("just entered");
        region.assigned |= bit;
        // What it begins with is read after the starts of sums.
        region.read |= count.first.reads();
        self.values[count.counter] =
            (0..outer).flat_map(|_| count.values[..count.rounds].to_vec()).collect();
        self.read(&count.condition);
        self.read(&count.next);
    }

    /// Ends it; the statements that come before it.
    pub(super) fn end(&mut self, count: &Count) -> Vec<Step> {
        let starts = self.leave();
        self.locked &= !(1 << count.counter);
        let last = count.values[count.rounds];
        self.values[count.counter] = vec![last; self.active.len()];
        starts
    }

    /// `sum = sum + term` in a loop, with a start before the loop from which it reaches a
    /// border of its type and no more.
    pub(super) fn accumulate(&mut self, steps: &mut Vec<Step>) -> Option<()> {
        let region = self.regions.last()?;
        if self.active.contains(&false) {
            return None;
        }
        let (rounds, used) = (region.rounds, region.assigned | region.read);
        let mut targets = self.targets();
        targets.retain(|target| (used | self.sources) & 1 << target == 0);
        let target = self.choices.pick_any(&targets)?;
        let own = self.kinds[target];
        let term = self.sum()?;
        let (kind, ..) = self.range(&term)?;
        if term.reads() & 1 << target != 0 {
            return None;
        }
        let minus = self.choices.chance(35);
        let common = self.integers.common(own, kind);
        // How far the sum goes from its start, in all rounds.
        let (mut low, mut high) = (0, 0);
        for group in (0..self.active.len()).step_by(rounds) {
            let mut way = 0;
            for lane in group..group + rounds {
                let at = |number: usize| self.values[number][lane];
                let (_, value) = self.integers.value(&term, &self.kinds, &at)?;
                way += if minus { -value } else { value };
                (low, high) = (low.min(way), high.max(way));
            }
        }
        let (least, most) = self.integers.limits(own);
        let (all_least, all_most) = self.integers.limits(common);
        let (least, most) = (least.max(all_least), most.min(all_most));
        let near = i128::from(self.choices.range(0, 1));
        let start = if self.choices.chance(60) { most - near - high } else { least + near - low };
        if start + low < least || start + high > most || !self.integers.of(common).signed {
            return None;
        }
        let first = self.start_of(start, target)?;
        let region = self.regions.last_mut().expect("it is in a loop");
        region.starts.push(Step::Assign(target, first));
        region.sums |= 1 << target;
        self.values[target] = self.sums(&term, start, minus, rounds)?;
        self.read(&term);
        for region in &mut self.regions {
            region.assigned |= 1 << target;
        }
        let (op, own) = (if minus { BinaryOp::Sub } else { BinaryOp::Add }, Term::Variable(target));
        let turned = !minus && self.choices.chance(30);
        let next = if turned { Term::binary(op, term, own) } else { Term::binary(op, own, term) };
        steps.push(Step::Assign(target, next));
        Some(())
    }

    /// The sums of a term after each round, from a start.
    fn sums(&self, term: &Term, start: i128, minus: bool, rounds: usize) -> Option<Vec<i128>> {
        let mut sums = Vec::new();
        let mut sum = start;
        for lane in 0..self.active.len() {
            if lane % rounds == 0 {
                sum = start;
            }
            let at = |number: usize| self.values[number][lane];
            let (_, value) = self.integers.value(term, &self.kinds, &at)?;
            sum += if minus { -value } else { value };
            sums.push(sum);
        }
        Some(sums)
    }

    /// The start of a sum, as the place before the loop knows it.
    fn start_of(&mut self, start: i128, target: usize) -> Option<Term> {
        let inner = self.regions.pop()?;
        let lanes = self.active.len();
        let values = std::mem::replace(&mut self.values, inner.before.clone());
        // Counters that began since have no value there.
        let without = inner.assigned | 1 << target | u64::MAX << self.values.len();
        self.active = vec![true; lanes / inner.rounds];
        let unreadable = self.unreadable;
        self.unreadable |= without;
        let term = self.known(start, self.kinds[target], without);
        if let Some(term) = &term {
            self.read(term);
        }
        self.unreadable = unreadable;
        self.active = vec![true; lanes];
        self.values = values;
        self.regions.push(inner);
        term
    }
}
