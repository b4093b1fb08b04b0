//! Discharge: how the guards of a drafted program become plain C.
//!
//! A draft has a guard on every operation that may be undefined. One run in the
//! machine tells of each guard whether it fired and with which operands, and what is
//! then made of it is the difference between Csmith (keep the wrapper), CsmithEdge
//! (drop it where it never fired) and Orange and YARPGen (make another operation of it).
//!
//! A rewrite changes values, so other guards may fire afterwards, or code may run that
//! did not. So every guard stays until the last run; then only changes are made that
//! keep the execution as it was: a guard that never fired is dropped, one that always
//! fired becomes its fallback. What the program does afterwards is what that run did.

mod dyadic;
mod floats;
mod form;
mod rewrite;
mod rows;
#[cfg(test)]
mod tests;

use farrier_lang::wrapper::wrapper_of;
use farrier_lang::{ExprId, ExprKind, Fallback, GuardCheck, Id, Program, integer_type};
use farrier_machine::{Chosen, Options, Profile, Verdict, Watch, run};

use crate::choices::Choices;
use crate::parameters::Parameter;
use rewrite::{Guard, Rewriter, Rewritten};
use rows::Kind;

/// The most runs of a program.
const RUNS: u32 = 4;

/// The most runs where wrappers may stay.
const MIXED_RUNS: u32 = 2;

/// From this run on, rewrites are such that cannot fail again.
const CERTAIN_FROM: u32 = 3;

/// After the first rewrites it is good enough if all guards that fire fire always and
/// are at most one in this many: they become their fallbacks, which needs no other run.
const GOOD_ENOUGH: usize = 10;

/// What becomes of the guards of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Discharge {
    /// They stay, and are printed as wrappers.
    Keep,
    /// Those that never fired become the bare operation; the others stay.
    Drop,
    /// Those that never fired become the bare operation; the others become another
    /// operation, or one on changed operands, that needs no guard.
    Flip,
    /// As `Flip`, but some of them stay, whatever they do.
    Mixed,
}

impl Discharge {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Keep, Self::Drop, Self::Flip, Self::Mixed];

    /// Its name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Drop => "drop",
            Self::Flip => "flip",
            Self::Mixed => "mixed",
        }
    }

    /// The one with a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|discharge| discharge.name() == name)
    }
}

/// What was done, counted in guards.
///
/// A guard may be rewritten more than once, and a rewrite may add guards, so
/// `flipped + inserted + unsigned` counts rewrites, while each guard that was there or
/// was added is in the end one of `dropped`, `replaced` and `kept`, or was rewritten
/// into something that has no guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// The guards that the draft had.
    pub guards: u64,
    /// Guards that rewrites added, on an operand that they changed.
    pub added: u64,
    /// Guards in code that the last run did not reach.
    pub unreached: u64,
    /// Guards that became their operand, in code that was reached or not.
    pub dropped: u64,
    /// Rewrites to another operator.
    pub flipped: u64,
    /// Rewrites that changed an operand by a constant.
    pub inserted: u64,
    /// Rewrites to the same operator in the unsigned type.
    pub unsigned: u64,
    /// Guards that became their fallback.
    pub replaced: u64,
    /// Guards that are still there.
    pub kept: u64,
    /// How often the program was run.
    pub runs: u32,
    /// Whether the last rewrites were taken back, because the program was not defined
    /// with them.
    pub undone: bool,
}

impl Tally {
    fn count(&mut self, kind: Kind) {
        match kind {
            Kind::Flip => self.flipped += 1,
            Kind::Insert => self.inserted += 1,
            Kind::Unsigned => self.unsigned += 1,
        }
    }
}

/// A guard that is not discharged yet.
pub(crate) struct OpenGuard {
    guard: ExprId,
    /// It stays, whatever it does.
    stays: bool,
    /// It was rewritten before.
    rewritten: bool,
}

/// Discharges the guards of a well-formed program, which stays well formed, has the
/// same types everywhere, and makes as many volatile accesses in each operation as before.
///
/// If the program as it is has no one meaning, the verdict comes back and nothing was
/// changed. Otherwise the program is defined afterwards too, because everything that is
/// done after the last run leaves that run as it was. [`Discharge::Keep`] does not run it.
pub fn discharge(
    program: &mut Program,
    how: Discharge,
    options: &Options,
    choices: &mut Choices,
) -> Result<Tally, Box<Verdict>> {
    let mut kept = Vec::new();
    if how == Discharge::Mixed {
        let row = Parameter::KeptGuards.row();
        let share = choices.range(row.low.into(), row.high.into()) as u32;
        let guards = program.exprs.iter().filter(|(_, expr)| is_guard(&expr.kind));
        kept.extend(guards.map(|(id, _)| id).filter(|_| choices.chance(share)));
    }
    let nothing = Watch::default();
    let (tally, _) =
        discharge_from(program, how, (&kept, &nothing), Known::Nothing, options, choices)?;
    Ok(tally)
}

/// What is known of a program before its guards are discharged.
pub enum Known {
    /// Nothing.
    Nothing,
    /// The profile of a run of the program as it is, which is defined, with all that is watched.
    Now(Profile),
}

/// The same, where it is known which guards stay whatever they do, in the order of the arena, and
/// perhaps what the program does.
///
/// The last run also watches `also`; its profile comes back, if there was a run.
pub fn discharge_from(
    program: &mut Program,
    how: Discharge,
    (kept, also): (&[ExprId], &Watch),
    known: Known,
    options: &Options,
    choices: &mut Choices,
) -> Result<(Tally, Option<Profile>), Box<Verdict>> {
    let mut open = open_guards(program, kept);
    let guards = open.len() as u64;
    let mut tally = Tally { guards, ..Tally::default() };
    if how == Discharge::Keep || guards == 0 {
        tally.kept = guards;
        let profile = match known {
            Known::Now(profile) => Some(profile),
            Known::Nothing => None,
        };
        return Ok((tally, profile));
    }
    let fresh = matches!(known, Known::Now(_));
    let mut profile = match known {
        Known::Now(profile) => profile,
        Known::Nothing => profile_of(program, watch(program, &open, how, also), options)?,
    };
    tally.runs = 1;
    let mut rewriter = Rewriter::new(program);
    let most = if how == Discharge::Mixed { MIXED_RUNS } else { RUNS };
    while how != Discharge::Drop && tally.runs < most {
        let good = match tally.runs {
            1 => fresh && needs_no_run(&rewriter, &open, &profile, how),
            _ => is_good_enough(&rewriter, &open, &profile),
        };
        if good {
            break;
        }
        let before = (tally, open.len());
        let changed = rewrite_fired(&mut rewriter, &mut open, &profile, &mut tally, choices);
        if !changed {
            break;
        }
        tally.runs += 1;
        match profile_of(rewriter.program, watch(rewriter.program, &open, how, also), options) {
            Ok(next) => {
                profile = next;
                rewriter.commit();
            }
            Err(_) => {
                // The run before was good, and it is the one that counts now.
                rewriter.undo();
                open.truncate(before.1);
                tally = Tally { runs: tally.runs, undone: true, ..before.0 };
                break;
            }
        }
    }
    let mut states = vec![State::Decided; rewriter.program.exprs.len()];
    for one in &open {
        states[one.guard.index()] = if one.stays { State::Stays } else { State::Open };
    }
    rewriter.finish();
    let replaces = how != Discharge::Drop;
    let mut end = End { rewriter, profile, states, replaces, tally, compensates: fresh, choices };
    for one in &open {
        end.resolve(one.guard);
    }
    Ok((end.tally, Some(end.profile)))
}

fn is_guard(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Guard { .. })
}

/// What has to be known of guards: how often each was evaluated and how often it fired, and the
/// values of the operands that a rewrite depends on; and what else shall be watched. What is not
/// watched takes no time.
pub(crate) fn watch(program: &Program, open: &[OpenGuard], how: Discharge, also: &Watch) -> Watch {
    let mut watch = Watch { guards: Chosen::All, ..also.clone() };
    for one in open {
        // One that was rewritten may be no guard any more.
        let ExprKind::Guard { operand, check, .. } = program[one.guard].kind else { continue };
        watch.expressions.insert(one.guard);
        match check {
            // Nothing is rewritten.
            _ if one.stays || how == Discharge::Drop => {}
            GuardCheck::Pointer => {}
            GuardCheck::Index { .. } => watch.expressions.insert(operand),
            GuardCheck::Operation | GuardCheck::Exact => {
                program[operand].kind.for_each_operand(|operand| {
                    if literal(program, operand).is_none() {
                        watch.expressions.insert(operand);
                    }
                });
            }
        }
    }
    watch
}

/// The value of an integer constant, perhaps converted to another type.
fn literal(program: &Program, id: ExprId) -> Option<i128> {
    let ty = integer_type(program, program.type_of(id))?;
    match program[id].kind {
        ExprKind::Int(value) => Some(value.into()),
        ExprKind::Convert(operand) => match program[operand].kind {
            ExprKind::Int(value) => Some(ty.wrap(value.into())),
            _ => None,
        },
        _ => None,
    }
}

/// All guards of a program, in the order of the arena; those of `kept`, which is in that order too,
/// stay.
pub(crate) fn open_guards(program: &Program, kept: &[ExprId]) -> Vec<OpenGuard> {
    let mut kept = kept.iter().copied().peekable();
    let mut open = Vec::new();
    for (index, expr) in program.exprs.values().enumerate() {
        if is_guard(&expr.kind) {
            let guard = ExprId::from_index(index);
            while kept.next_if(|kept| *kept < guard).is_some() {}
            let stays = kept.next_if_eq(&guard).is_some();
            open.push(OpenGuard { guard, stays, rewritten: false });
        }
    }
    open
}

/// The profile of a run, if the program is defined.
pub(crate) fn profile_of(
    program: &Program,
    watch: Watch,
    options: &Options,
) -> Result<Profile, Box<Verdict>> {
    let run = run(program, &Options { profile: Some(watch), ..options.clone() });
    match (run.verdict, run.profile) {
        (Verdict::Defined(_), Some(profile)) => Ok(profile),
        (verdict, _) => Err(Box::new(verdict)),
    }
}

/// Whether the last changes can deal with all guards, at a small loss.
fn is_good_enough(rewriter: &Rewriter<'_>, open: &[OpenGuard], profile: &Profile) -> bool {
    let mut always = 0;
    for one in open {
        let fired = profile.fired(one.guard);
        if fired == 0 || one.stays || rewriter.guard(one.guard).is_none() {
            continue;
        }
        if fired != profile.expr(one.guard).count {
            return false;
        }
        always += 1;
    }
    always * GOOD_ENOUGH <= open.len()
}

/// Whether the last changes can deal with all guards after the first run already, because they
/// give the operations that fail another form with the value that the guard had. A guard that
/// fired only sometimes has no such form; of the other operations some wrappers may stay, if they
/// are mixed.
fn needs_no_run(
    rewriter: &Rewriter<'_>,
    open: &[OpenGuard],
    profile: &Profile,
    how: Discharge,
) -> bool {
    open.iter().all(|one| {
        let fired = profile.fired(one.guard);
        let exact = rewriter.guard(one.guard).is_some_and(|guard| guard.check == GuardCheck::Exact);
        let may_stay = one.stays || how == Discharge::Mixed && !exact;
        fired == 0 || fired == profile.expr(one.guard).count || may_stay
    })
}

/// Rewrites every guard that fired in the last run; whether there was one.
fn rewrite_fired(
    rewriter: &mut Rewriter<'_>,
    open: &mut Vec<OpenGuard>,
    profile: &Profile,
    tally: &mut Tally,
    choices: &mut Choices,
) -> bool {
    let mut changed = false;
    for one in open.iter_mut() {
        if profile.fired(one.guard) == 0 || one.stays || rewriter.guard(one.guard).is_none() {
            continue;
        }
        let certain = one.rewritten || tally.runs >= CERTAIN_FROM;
        let Some(rewritten) = rewriter.discharge(one.guard, profile, certain, choices) else {
            continue;
        };
        match rewritten {
            Rewritten::By(kind) => tally.count(kind),
            Rewritten::Replaced => tally.replaced += 1,
        }
        one.rewritten = true;
        changed = true;
    }
    tally.added += rewriter.added.len() as u64;
    let added = rewriter.added.iter();
    open.extend(added.map(|&guard| OpenGuard { guard, stays: false, rewritten: true }));
    changed
}

/// What is known about a node before the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// A guard that may go.
    Open,
    /// A guard that stays, if it can.
    Stays,
    /// No guard, or one that was looked at.
    Decided,
}

/// The last changes, which leave the execution as it was.
struct End<'a> {
    rewriter: Rewriter<'a>,
    profile: Profile,
    /// By id.
    states: Vec<State>,
    /// Whether a guard that always fired becomes its fallback.
    replaces: bool,
    tally: Tally,
    /// Whether one that always fired becomes an operation with the value of its fallback, if
    /// there is one.
    compensates: bool,
    choices: &'a mut Choices,
}

impl End<'_> {
    /// Decides about a guard. Guards that are moved with it are decided about first:
    /// what was seen of them is found by where they are.
    fn resolve(&mut self, id: ExprId) {
        let state = self.states.get(id.index()).copied().unwrap_or(State::Decided);
        let Some(guard) = self.rewriter.guard(id).filter(|_| state != State::Decided) else {
            return;
        };
        self.states[id.index()] = State::Decided;
        let stays = state == State::Stays;
        let (count, fired) = (self.profile.expr(id).count, self.profile.fired(id));
        if count == 0 && fired == 0 {
            self.tally.unreached += 1;
        }
        // Without a wrapper it would be printed bare, and read back as no guard.
        let can_stay = wrapper_of(self.rewriter.program, &self.rewriter.program[id]).is_some();
        if fired == 0 {
            if stays && can_stay {
                self.tally.kept += 1;
            } else {
                self.resolve(guard.operand);
                self.rewriter.unguard(id, guard);
                self.tally.dropped += 1;
            }
        } else if fired == count && self.replaces && !(stays && can_stay) {
            self.resolve_moved(guard);
            let kind = match self.compensates {
                true => self.rewriter.compensate(id, guard, &self.profile, self.choices),
                false => None,
            };
            match kind {
                Some(kind) => self.tally.count(kind),
                None => {
                    self.rewriter.fall_back(id, guard, &self.profile);
                    self.tally.replaced += 1;
                }
            }
        } else {
            self.tally.kept += 1;
        }
    }

    /// Decides about what may be moved when the guard becomes its fallback.
    fn resolve_moved(&mut self, guard: Guard) {
        let first = match guard.fallback {
            Fallback::Value(value) => Some(value),
            Fallback::FirstOperand => match self.rewriter.program[guard.operand].kind {
                ExprKind::Binary(_, first, _) | ExprKind::Unary(_, first) => Some(first),
                _ => None,
            },
        };
        if let Some(first) = first {
            self.resolve(first);
        }
    }
}
