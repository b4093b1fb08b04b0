//! Operations that few programs have: out of the main loop, which stays small.

use std::rc::Rc;

use farrier_lang::{FunctionId, IntegerType};

use super::{DEAD, Machine, pointers};
use crate::arithmetic;
use crate::code::{Op, Passed, Whereabouts};
use crate::kinds::UbKind;
use crate::memory::{Location, Origin};
use crate::profile::Observed;
use crate::underspecified;
use crate::value::Value;
use crate::verdict::{Checked, undefined, unspecified, unsupported};

impl Machine<'_> {
    /// Runs an operation that is not in the main loop.
    #[cold]
    #[inline(never)]
    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    pub(super) fn cold(
        &mut self,
        function: Option<FunctionId>,
        base: usize,
        locals: usize,
        op: Op,
    ) -> Checked {
        let value = |machine: &Self, reg: u32| machine.registers[base + reg as usize];
        let (dst, result): (u32, Value) = match op {
            Op::Length { dst, src, signed } => (dst, arithmetic::length(value(self, src), signed)?),
            Op::VariableSize { dst, length, element } => {
                let (length, element) = (value(self, length).low, value(self, element).low);
                (dst, self.memory.variable_size(length, element)?)
            }
            Op::ElementVariable { dst, pointer, index, element, size } => {
                let mut element = self.code(function).elements[element as usize];
                element.size = value(self, size).low;
                (dst, self.element(value(self, pointer), value(self, index), element)?)
            }
            Op::OuterAddress { dst, local, levels } => (dst, self.outer_address(local, levels)?),
            Op::NestedAddress { dst, function } => (dst, self.nested_address(function)?),
            Op::CheckIndex { index, length, element } => {
                let element = self.code(function).elements[element as usize];
                return pointers::check_index(value(self, index), value(self, length).low, element);
            }
            Op::PassLengths { table } => {
                let code = Rc::clone(self.code(function));
                self.passed_lengths.clear();
                for passed in &code.passed[table as usize] {
                    let length = value(self, passed.reg).low;
                    self.passed_lengths.push((passed.argument, passed.level, length));
                }
                return Ok(());
            }
            Op::CheckPassedLength { passed: Passed { argument, level, reg } } => {
                let mut passed = self.passed_lengths.iter();
                let passed = passed.find(|passed| (passed.0, passed.1) == (argument, level));
                return match passed {
                    Some((.., length)) => check_lengths(*length, value(self, reg).low),
                    None => Ok(()),
                };
            }
            Op::CheckAligned { src, align } => {
                return self.memory.check_aligned(value(self, src), align);
            }
            Op::CheckLengths { left, right } => {
                return check_lengths(value(self, left).low, value(self, right).low);
            }
            Op::DifferenceVariable { dst, left, right, size } => {
                let size = value(self, size).low;
                (dst, self.difference(value(self, left), value(self, right), size)?)
            }
            Op::ZeroVariable { pointer, size } => {
                let size = value(self, size).low;
                let at = self.memory.locate(value(self, pointer), size, 1)?;
                self.memory.fill(at, size, 0)?;
                return Ok(());
            }
            Op::ForgetBytes { pointer, first, end } => {
                let at = self.memory.locate(value(self, pointer), 1, 1)?;
                // A union may have less memory than its largest member needs.
                let left = self.memory.slots[at.slot as usize].size - at.offset;
                for byte in u64::from(first)..u64::from(end).min(left) {
                    self.memory.forget_byte(at.plus(byte));
                }
                return Ok(());
            }
            Op::BlurPadding { pointer, padding } => {
                let at = self.memory.locate(value(self, pointer), 1, 1)?;
                return self.memory.blur_padding(at, padding);
            }
            Op::BlurUndeclared { pointer, padding } => {
                let at = self.memory.locate(value(self, pointer), 1, 1)?;
                if self.memory.slots[at.slot as usize].declared.is_none() {
                    self.memory.blur_padding(at, padding)?;
                }
                return Ok(());
            }
            Op::CheckByte { src } => {
                if underspecified::valued_bits(value(self, src).high).is_none() {
                    return Ok(());
                }
                return undefined(
                    UbKind::Uninitialised,
                    "this byte has no value yet, and is passed to a function or returned",
                );
            }
            Op::EnterVariable { local, size } => {
                let size = value(self, size).low;
                return self.enter_variable(function, locals, local, size);
            }
            Op::EnterLiteral { local, aggregate } => {
                let slot = self.locals[locals + local as usize];
                if slot == DEAD {
                    return self.enter(function, locals, local);
                }
                self.memory.slots[slot as usize].constant = false;
                if aggregate {
                    self.memory.forget(slot);
                }
                return Ok(());
            }
            Op::CheckObject { pointer, access, size } => {
                let access = self.code(function).accesses[access as usize];
                return self.check_object(value(self, pointer), access, size);
            }
            Op::NoteObject { pointer, access } => {
                let access = self.code(function).accesses[access as usize];
                return self.note_object(value(self, pointer), access);
            }
            Op::WideCount { dst, src, signed } => {
                (dst, arithmetic::wide_count(value(self, src), signed))
            }
            Op::CheckWidth { src, signed, bits, wide } => {
                let class = IntegerType { signed, bits: u32::from(bits) };
                if arithmetic::fits(value(self, src), wide, class) {
                    return Ok(());
                }
                return unsupported(format!(
                    "arithmetic on a wide bit-field with a number that does not fit in {bits} bits: \
                     compilers disagree"
                ));
            }
            Op::CheckCount { src, bits } => {
                if value(self, src).low < u64::from(bits) {
                    return Ok(());
                }
                return unsupported(format!(
                    "a shift of a bit-field of {bits} bits by as many: compilers disagree"
                ));
            }
            Op::OrderBeginIndeterminate { level } => {
                let open = self.frames.last().expect("a frame is active").open;
                self.memory.order.unwind(open + level as usize);
                let (now, depth) = (self.memory.now() + 1, self.frames.len() - 1);
                self.memory.order.begin(now, depth);
                return Ok(());
            }
            Op::OrderPause => {
                self.memory.order.pause();
                return Ok(());
            }
            Op::OrderResume => {
                self.memory.order.restart();
                return Ok(());
            }
            Op::OrderTouchBytes { pointer, size, write } => {
                let at = self.memory.locate(value(self, pointer), size.into(), 1)?;
                return self.memory.record_order(at, size.into(), write);
            }
            Op::Now { dst } => (dst, Value { low: self.memory.now() + 1, high: 0 }),
            Op::Promise { constant, since } => {
                let since = value(self, since).low;
                self.memory.order.promise(constant, since, self.frames.len());
                return Ok(());
            }
            Op::CheckPromise { promise, src } => {
                return self.check_promise(function, base, promise, value(self, src));
            }
            Op::RestrictBegin { local, src, block } => {
                let marker = self.locals[locals + local as usize];
                let serial = self.frames.last().expect("a frame is active").serial;
                self.memory.begin_restricted(marker, (serial, block))?;
                return self.memory.assign_restricted(marker, value(self, src));
            }
            Op::RoundsBegin { row } => {
                let row = self.code(function).rounds[row as usize];
                self.memory.rounds.begin(row, self.memory.now());
                return Ok(());
            }
            Op::RoundsNext => {
                self.memory.rounds.next();
                return Ok(());
            }
            Op::RoundsSum { src, which, bits } => {
                let highest = (1_u128 << (bits - 1)) - 1;
                let value = i128::from(value(self, src).low as i64);
                return self.memory.rounds.sum(which, value, highest);
            }
            Op::RoundsEnd => {
                self.memory.rounds.end();
                return Ok(());
            }
            Op::RestrictLoad { dst, src, local } => {
                let marker = self.locals[locals + local as usize];
                (dst, self.memory.read_restricted(marker, value(self, src))?)
            }
            Op::RestrictAssign { src, local } => {
                let marker = self.locals[locals + local as usize];
                self.memory.note_assigned(marker);
                return self.memory.assign_restricted(marker, value(self, src));
            }
            Op::RestrictLoadStatic { dst, slot } => {
                (dst, self.memory.read_restricted(slot, value(self, dst))?)
            }
            Op::RestrictAssignStatic { src, slot } => {
                self.memory.note_assigned(slot);
                return self.memory.assign_restricted(slot, value(self, src));
            }
            Op::NarrowVariable { dst, pointer, back, size } => {
                let (back, size) = (value(self, back).low, value(self, size).low);
                (dst, self.memory.narrow(value(self, pointer), back, size)?)
            }
            Op::RestrictReveal { dst, src } => (dst, self.memory.revealed(value(self, src))),
            Op::CheckExact { dst, exact } => {
                let exact = self.code(function).exacts[exact as usize];
                let (left, right) = (value(self, exact.left), value(self, exact.right));
                let fits = arithmetic::is_exact(exact.op, exact.from, exact.to, left, right)?;
                let watched = exact.watched.filter(|_| !fits);
                if let (Some(watched), Some(profile)) = (watched, &mut self.profile) {
                    let operands = [left, right].map(|value| Observed::of(exact.from, value));
                    profile.fire(watched, &operands[..1 + usize::from(exact.op.is_some())]);
                }
                (dst, Value::int(i64::from(fits)))
            }
            Op::NoteExact { exact } => {
                let exact = self.code(function).exacts[exact as usize];
                let left = value(self, exact.left);
                let right = match exact.constant {
                    Some(low) => Value { low, high: 0 },
                    None => value(self, exact.right),
                };
                let keeps = arithmetic::keeps_number(exact.op, exact.from, exact.to, left, right);
                if !keeps {
                    self.note_inexact();
                }
                self.refunded += 1;
                return Ok(());
            }
            Op::NoteInexact => {
                self.note_inexact();
                self.refunded += 1;
                return Ok(());
            }
            Op::Refund { operations } => {
                self.refunded += 1 + u64::from(operations);
                return Ok(());
            }
            Op::SeeObjects { sighting } => {
                self.see_objects(function, base, locals, sighting);
                return Ok(());
            }
            Op::VaEnd { list } => return self.end_list(value(self, list)),
            Op::Undefined { kind, message } => {
                let message = self.code(function).features[message as usize].clone();
                return undefined(kind, message);
            }
            Op::Unspecified { cause, message } => {
                let message = self.code(function).features[message as usize].clone();
                return unspecified(cause, message);
            }
            Op::Unsupported { feature } => {
                return unsupported(self.code(function).features[feature as usize].clone());
            }
            other => unreachable!("{other:?} is in the main loop"),
        };
        self.registers[base + dst as usize] = result;
        Ok(())
    }

    /// A floating operation was not exact.
    pub(crate) fn note_inexact(&mut self) {
        if let Some(profile) = &mut self.profile {
            profile.note_inexact();
        }
    }

    /// Keeps the values that objects have now. To look at them is no access of the program.
    fn see_objects(
        &mut self,
        function: Option<FunctionId>,
        base: usize,
        locals: usize,
        sighting: u32,
    ) {
        let memory = &mut self.memory;
        let watchers = memory.is_watched().then(|| {
            let (order, restrict) = (&mut memory.order, &mut memory.restrict);
            (std::mem::take(order), std::mem::take(restrict), std::mem::take(&mut memory.rounds))
        });
        let mut values = std::mem::take(&mut self.sighted);
        let sighting = &self.code(function).sightings[sighting as usize];
        let value = |place: &Whereabouts| {
            let (ty, slot, offset) = match *place {
                Whereabouts::Nowhere => return Observed::Nothing,
                Whereabouts::Register(ty, reg) => {
                    return match self.registers[base + reg as usize] {
                        Value::UNINITIALISED => Observed::Nothing,
                        value => Observed::of(ty, value),
                    };
                }
                Whereabouts::Local(ty, local, offset) => {
                    (ty, self.locals[locals + local as usize], offset)
                }
                Whereabouts::Static(ty, slot, offset) => (ty, slot, offset),
            };
            let at = Location::new(slot, offset);
            if slot == DEAD || self.memory.is_missing(at, ty.value_bytes(self.program).into()) {
                return Observed::Nothing;
            }
            self.load_scalar(at, ty).map_or(Observed::Nothing, |value| Observed::of(ty, value))
        };
        values.extend(sighting.objects.iter().map(value));
        let (statement, kept) = (sighting.statement, (sighting.most, sighting.related));
        if let Some(watchers) = watchers {
            (self.memory.order, self.memory.restrict, self.memory.rounds) = watchers;
        }
        if let Some(profile) = &mut self.profile {
            profile.visit(statement, &values, kept);
        }
        values.clear();
        self.sighted = values;
    }

    /// When a variable array dies, so does memory that `alloca` gave later in the same call:
    /// the manual of GCC says so, and Clang does the same.
    #[cold]
    pub(super) fn end_alloca_after(&mut self, array: u32) {
        let frame = self.frames.last_mut().expect("a frame is active");
        let Some(attached) = &mut frame.attached else { return };
        let memory = &mut self.memory;
        let born = memory.slots[array as usize].born();
        attached.owned.retain(|slot| {
            let owned = &memory.slots[*slot as usize];
            let keeps = owned.origin != Origin::Alloca || owned.born() < born;
            if !keeps {
                memory.kill(*slot);
                memory.release(*slot);
            }
            keeps
        });
    }

    /// Begins the life of a variable array of `size` bytes.
    fn enter_variable(
        &mut self,
        function: Option<FunctionId>,
        base: usize,
        local: u32,
        size: u64,
    ) -> Checked {
        self.leave(function, base, local);
        let index = base + local as usize;
        let local = self.code(function).locals[local as usize];
        let object = local.object.expect("a variable array has a name");
        let pool = self.size_pools.get_mut(&(size, local.align));
        let slot = match pool.and_then(Vec::pop) {
            Some(slot) => {
                self.memory.revive(slot);
                slot
            }
            None => self.memory.allocate(Origin::Object(object), size, local.align, None)?,
        };
        let revived = &mut self.memory.slots[slot as usize];
        revived.origin = Origin::Object(object);
        revived.constant = false;
        self.memory.declare(slot, local.ty)?;
        self.locals[index] = slot;
        Ok(())
    }
}

/// C11 6.7.6.2p6. The declaration reports a length that is not positive.
fn check_lengths(left: u64, right: u64) -> Checked {
    if left == right || right as i64 <= 0 {
        return Ok(());
    }
    let message = format!("the lengths of these array types are {left} and {right}");
    undefined(UbKind::LengthMismatch, message)
}
