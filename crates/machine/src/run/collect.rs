//! The collecting run: notes a fault and continues with a fixed value.
//!
//! The main loop knows nothing of it. An operation that fails ends the loop, as in a strict
//! run; here the loop begins again after that operation. `docs/design/machine.md` has the
//! table of what is continued with.
//!
//! A pointer operation that fails gives a *lost* pointer, and so does a pointer without a
//! value. Whatever fails because of a lost pointer is no fault of its own, so that one
//! mistake is named once.

use std::ops::ControlFlow;

use farrier_lang::{ArrayLength, ExprId, ExprKind, ObjectId, Type};

use super::{DEAD, Machine};
use crate::code::{CallSite, Callee, Code, Op, Position, Reg};
use crate::collected::{Collected, Fault, Rule};
use crate::kinds::UbKind;
use crate::library::Library;
use crate::lower::order::base_object;
use crate::memory::Origin;
use crate::order::Area;
use crate::value::{Scalar, Value};
use crate::verdict::{At, Checked, Stop};

/// What a fault costs in steps, so that a run of many faults takes no longer than others.
const FAULT_STEPS: u64 = 64;

/// The faults so far.
#[derive(Debug, Default)]
pub(super) struct Collector {
    faults: Vec<Fault>,
    /// The dead slot that lost pointers point to, once there is one.
    lost: Option<u32>,
}

/// Continues, or returns from the frame at which the loop ends.
pub(super) type Continued = ControlFlow<Option<Value>>;

impl Machine<'_> {
    /// Runs until the frame at `bottom` returns. A collecting run continues after faults.
    pub(super) fn execute_on(&mut self, bottom: usize, budget: &mut u64) -> Checked<Option<Value>> {
        let nesting = self.nesting;
        loop {
            let stop = match self.execute_inner(bottom, budget) {
                // One that came out of a call by the library has left its frames behind.
                Err(stop) if self.collector.is_some() && self.nesting == nesting => stop,
                result => return result,
            };
            match self.recover(stop, bottom, budget)? {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(value) => return Ok(value),
            }
        }
    }

    /// Notes the fault of the operation that failed, and makes the machine ready to continue.
    #[cold]
    fn recover(&mut self, stop: Box<Stop>, bottom: usize, budget: &mut u64) -> Checked<Continued> {
        let Some(op) = self.current_op() else { return Err(stop) };
        if !self.can_continue(op, &stop) {
            return Err(stop);
        }
        match op {
            Op::CallLibrary { .. } => *budget = self.budget,
            Op::CallPointer { .. } => *budget = self.budget.min(*budget),
            _ => {}
        }
        *budget = budget.saturating_sub(FAULT_STEPS);
        if !self.is_excused(op, &stop) {
            self.note(&stop);
        }
        self.continue_after(op, &stop, bottom)
    }

    fn current_op(&self) -> Option<Op> {
        let frame = self.frames.last()?;
        self.code(frame.function).ops.get(frame.position as usize).copied()
    }

    /// Whether something sensible can follow.
    fn can_continue(&self, op: Op, stop: &Stop) -> bool {
        let kind = match stop {
            Stop::Undefined(kind, _) => Some(*kind),
            Stop::Unspecified(..) => None,
            Stop::Unsupported(_) | Stop::Exhausted(_) | Stop::End(_) => return false,
        };
        match op {
            Op::JumpToLabel { .. } | Op::JumpOut { .. } => false,
            Op::CallLibrary { site, .. } => match self.site(site).callee {
                Callee::Library(library) => !library.ends_program(),
                _ => true,
            },
            Op::CallPointer { pointer, .. } => match self.callee(self.reg(pointer)) {
                Ok(callee) => {
                    let name = self.program.text(self.program[callee].name);
                    !Library::by_name(name).is_some_and(Library::ends_program)
                }
                Err(_) => true,
            },
            _ => !matches!(kind, Some(UbKind::InfiniteLoop | UbKind::GotoIntoVla)),
        }
    }

    /// The faults, at the end of the run.
    pub(super) fn take_faults(&mut self) -> Vec<Fault> {
        self.collector.take().map(|collector| collector.faults).unwrap_or_default()
    }

    /// Adds the fault, unless the same is known of the same place.
    pub(super) fn note(&mut self, stop: &Stop) {
        let object = match stop {
            Stop::Undefined(kind, _) => self.object_of_fault(Rule::Undefined(*kind)),
            Stop::Unspecified(cause, _) => self.object_of_fault(Rule::Unspecified(*cause)),
            Stop::Unsupported(_) | Stop::Exhausted(_) | Stop::End(_) => return,
        };
        self.note_at(stop, self.at(), object);
    }

    /// The same of a place that is known.
    pub(super) fn note_at(&mut self, stop: &Stop, at: At, object: Option<ObjectId>) {
        let (rule, message) = match stop {
            Stop::Undefined(kind, message) => (Rule::Undefined(*kind), message),
            Stop::Unspecified(cause, message) => (Rule::Unspecified(*cause), message),
            Stop::Unsupported(_) | Stop::Exhausted(_) | Stop::End(_) => return,
        };
        let function = self.frames.last().and_then(|frame| frame.function);
        let Some(collector) = &mut self.collector else { return };
        let faults = &mut collector.faults;
        // A loop that hangs may do so because of what went wrong before.
        let hangs = rule == Rule::Undefined(UbKind::InfiniteLoop) && !faults.is_empty();
        let known = faults.iter().any(|fault| fault.at == at && fault.rule == rule);
        if known || hangs || faults.len() == Collected::MOST_FAULTS {
            return;
        }
        faults.push(Fault { rule, at, function, object, message: message.clone() });
    }

    /// Whether an operation failed because one before it did.
    fn is_excused(&self, op: Op, stop: &Stop) -> bool {
        let is_lost = |value| self.is_lost(value);
        match (op, stop) {
            // An aggregate that is passed without a parameter is copied by the call itself.
            (
                Op::Call { site, args } | Op::CallPointer { site, args, .. },
                Stop::Undefined(UbKind::Dangling, _),
            ) => self.arguments_of(site, args).any(is_lost),
            _ => self.values_of(op).into_iter().any(is_lost),
        }
    }

    fn arguments_of(&self, site: u32, args: Reg) -> impl Iterator<Item = Value> {
        (args..).take(self.site(site).arguments.len()).map(|reg| self.reg(reg))
    }

    pub(super) fn is_lost(&self, value: Value) -> bool {
        let lost = self.collector.as_ref().and_then(|collector| collector.lost);
        match (lost, self.memory.slot_of(value.high)) {
            (Some(lost), Some((slot, _))) => slot == lost,
            _ => false,
        }
    }

    /// A pointer to nothing, which is not null.
    pub(super) fn lost(&mut self) -> Checked<Value> {
        let known = self.collector.as_ref().and_then(|collector| collector.lost);
        let slot = match known {
            Some(slot) => slot,
            None => {
                let slot = self.memory.allocate(Origin::Library, 0, 16, None)?;
                self.memory.kill(slot);
                self.collector.get_or_insert_default().lost = Some(slot);
                slot
            }
        };
        Ok(self.memory.pointer_to(slot))
    }

    /// What stands for a value of this type that is missing.
    pub(super) fn fixed(&mut self, ty: Option<Scalar>) -> Checked<Value> {
        if ty == Some(Scalar::Pointer) { self.lost() } else { Ok(Value::default()) }
    }

    pub(super) fn reg(&self, reg: Reg) -> Value {
        let base = self.frames.last().expect("a frame is active").base;
        self.registers[base + reg as usize]
    }

    pub(super) fn set(&mut self, reg: Reg, value: Value) {
        let base = self.frames.last().expect("a frame is active").base;
        self.registers[base + reg as usize] = value;
    }

    pub(super) fn here(&self) -> &Code {
        self.code(self.frames.last().expect("a frame is active").function)
    }

    pub(super) fn site(&self, site: u32) -> &CallSite {
        &self.here().sites[site as usize]
    }

    pub(super) fn position(&mut self) -> &mut Position {
        &mut self.frames.last_mut().expect("a frame is active").position
    }

    /// The slot of a local of the function that runs, if it is alive.
    pub(super) fn local_slot(&self, local: u32) -> Option<u32> {
        let locals = self.frames.last().expect("a frame is active").locals;
        Some(self.locals[locals + local as usize]).filter(|slot| *slot != DEAD)
    }

    /// The values that an operation depends on.
    fn values_of(&self, op: Op) -> Vec<Value> {
        match op {
            Op::CheckAlive { src }
            | Op::Negate { src, .. }
            | Op::Complement { src, .. }
            | Op::Not { src, .. }
            | Op::BinaryConstant { left: src, .. }
            | Op::ShiftConstant { left: src, .. }
            | Op::Convert { src, .. }
            | Op::JumpIfZero { src, .. }
            | Op::JumpIfNotZero { src, .. }
            | Op::Switch { src, .. }
            | Op::Load { pointer: src, .. }
            | Op::Store { pointer: src, .. }
            | Op::LoadBits { pointer: src, .. }
            | Op::StoreBits { pointer: src, .. }
            | Op::Member { pointer: src, .. }
            | Op::BlurPadding { pointer: src, .. }
            | Op::ForgetBytes { pointer: src, .. }
            | Op::BlurUndeclared { pointer: src, .. }
            | Op::Zero { pointer: src, .. }
            | Op::ZeroVariable { pointer: src, .. }
            | Op::Length { src, .. }
            | Op::CheckIndex { index: src, .. }
            | Op::Return { src }
            | Op::VaStart { list: src }
            | Op::VaArg { list: src, .. }
            | Op::VaEnd { list: src }
            | Op::OrderTouchBytes { pointer: src, .. }
            | Op::CheckObject { pointer: src, .. }
            | Op::NoteObject { pointer: src, .. }
            | Op::RestrictBegin { src, .. }
            | Op::CheckPromise { src, .. }
            | Op::RoundsSum { src, .. }
            | Op::RestrictLoad { src, .. }
            | Op::RestrictLoadStatic { dst: src, .. }
            | Op::RestrictAssign { src, .. }
            | Op::RestrictAssignStatic { src, .. }
            | Op::CallPointer { pointer: src, .. } => vec![self.reg(src)],
            Op::Binary { left, right, .. }
            | Op::Shift { left, right, .. }
            | Op::Element { pointer: left, index: right, .. }
            | Op::ElementVariable { pointer: left, index: right, .. }
            | Op::Difference { left, right, .. }
            | Op::DifferenceVariable { left, right, .. }
            | Op::ComparePointers { left, right, .. }
            | Op::VaCopy { to: left, from: right }
            | Op::CopyBytes { to: left, from: right, .. } => {
                vec![self.reg(left), self.reg(right)]
            }
            Op::CallLibrary { site, args } => self.arguments_of(site, args).collect(),
            _ => Vec::new(),
        }
    }

    /// The declared object that the fault of the present operation is about.
    fn object_of_fault(&self, rule: Rule) -> Option<ObjectId> {
        let op = self.current_op()?;
        match op {
            Op::LoadStatic { slot, .. } | Op::StoreStatic { slot, .. } => self.object_in(slot),
            Op::LoadLocal { local, .. } | Op::StoreLocal { local, .. } => {
                self.object_in(self.local_slot(local)?)
            }
            Op::OrderEndOperands { .. } => self.object_at(self.memory.order.operands_meet()?),
            Op::OrderCheckStore { .. } => self.object_at(self.memory.order.store_meets()?),
            Op::CheckIndex { .. } => {
                let position = self.frames.last()?.position as usize;
                let moved = *self.here().ops.get(position + 1)?;
                self.values_of(moved).iter().find_map(|value| self.object_behind(*value))
            }
            Op::CheckInitialised { .. } => self.object_read(),
            _ => {
                let values = self.values_of(op);
                if rule == Rule::Undefined(UbKind::Dangling) {
                    let dead = values.iter().find(|value| self.memory.is_dangling(**value))?;
                    return self.object_behind(*dead);
                }
                let mut objects: Vec<ObjectId> =
                    values.iter().filter_map(|value| self.object_behind(*value)).collect();
                objects.dedup();
                match (op, objects.as_slice()) {
                    // Which of several arguments is wrong is not known.
                    (Op::CallLibrary { .. }, [_, _, ..]) => None,
                    (_, [object, ..]) => Some(*object),
                    (_, []) if rule == Rule::Undefined(UbKind::Uninitialised) => self.object_read(),
                    _ => None,
                }
            }
        }
    }

    fn object_in(&self, slot: u32) -> Option<ObjectId> {
        match self.memory.slots[slot as usize].origin {
            Origin::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The object that a pointer, or an integer made from one, points to or pointed to.
    fn object_behind(&self, value: Value) -> Option<ObjectId> {
        let (slot, alive) = self.memory.slot_of(value.high)?;
        // The slot of a dead variable array may be that of another one by now.
        let reused = !alive && self.memory.slots[slot as usize].is_alive();
        let variable = |object: &ObjectId| {
            let ty = self.program.resolve(self.program[*object].ty);
            matches!(ty, Type::Array { length: ArrayLength::Variable(_), .. })
        };
        self.object_in(slot).filter(|object| !(reused && variable(object)))
    }

    /// The object in which two accesses met.
    fn object_at(&self, area: Area) -> Option<ObjectId> {
        match area {
            Area::Slot(slot) => self.object_in(slot),
            Area::Register(register) => {
                let base = self.frames.last()?.base;
                let named = &self.here().named;
                let mut here = named.iter().filter(|(reg, _)| base + *reg as usize == register);
                // Locals of different blocks may share a register.
                let At::Expr(expr) = self.at() else { return None };
                here.find(|(_, object)| self.mentions(expr, *object)).map(|(_, object)| *object)
            }
            Area::Output | Area::Input | Area::Stream(_) => None,
        }
    }

    fn mentions(&self, expr: ExprId, object: ObjectId) -> bool {
        let kind = &self.program[expr].kind;
        let mut found = *kind == ExprKind::Object(object);
        kind.for_each_operand(|operand| found = found || self.mentions(operand, object));
        found
    }

    /// The object that the expression at hand reads by its name.
    fn object_read(&self) -> Option<ObjectId> {
        let At::Expr(mut expr) = self.at() else { return None };
        loop {
            expr = match self.program[expr].kind {
                ExprKind::Convert(operand)
                | ExprKind::Cast(operand)
                | ExprKind::Unary(_, operand) => operand,
                ExprKind::Load(place)
                | ExprKind::CompoundAssign { target: place, .. }
                | ExprKind::Step(_, place) => return base_object(self.program, place),
                _ => return None,
            }
        }
    }
}
