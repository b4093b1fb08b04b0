//! What a collecting run continues with after a fault.

use std::ops::ControlFlow;

use farrier_lang::{BinaryOp, IntegerType, UnaryOp};

use super::Machine;
use super::collect::Continued;
use crate::arithmetic;
use crate::code::{CallResult, Op, Position, Reg};
use crate::kinds::UbKind;
use crate::memory::Location;
use crate::underspecified;
use crate::value::{Scalar, Value, wrap};
use crate::verdict::{Checked, Stop};

/// An integer without an address, or what is known of a value that is left open.
fn settled(ty: Scalar, value: Value) -> Value {
    match ty {
        Scalar::Int { .. } | Scalar::Bool if underspecified::valued_bits(value.high).is_some() => {
            Value::default()
        }
        Scalar::Int { signed, bits } => Value { low: wrap(value.low, signed, bits), high: 0 },
        Scalar::Bool | Scalar::Single | Scalar::Double => Value { high: 0, ..value },
        Scalar::Wide { .. } | Scalar::Float(_) | Scalar::Pointer => value,
    }
}

/// The result of an operator that failed: sums and products wrap, all else is the left
/// operand.
fn binary(op: BinaryOp, ty: Scalar, left: Value, right: Value) -> Value {
    let (left, right) = (settled(ty, left), settled(ty, right));
    if let Ok(result) = arithmetic::binary(op, ty, left, right) {
        return result;
    }
    let wrapped = match op {
        BinaryOp::Add => left.bits().wrapping_add(right.bits()),
        BinaryOp::Sub => left.bits().wrapping_sub(right.bits()),
        BinaryOp::Mul => left.bits().wrapping_mul(right.bits()),
        _ => return left,
    };
    match ty {
        Scalar::Int { signed, bits } => Value { low: wrap(wrapped as u64, signed, bits), high: 0 },
        Scalar::Wide { signed, bits } => {
            let class = IntegerType { signed, bits: bits.into() };
            Value::wide(class.wrap(wrapped as i128) as u128)
        }
        _ => left,
    }
}

/// The same for a shift, whose count has a type of its own.
fn shift(op: BinaryOp, ty: Scalar, left: Value, right: Value) -> Value {
    let left = settled(ty, left);
    let count = settled(Scalar::Int { signed: true, bits: 64 }, right);
    arithmetic::shift(op, ty, left, count).unwrap_or(left)
}

fn unary(op: UnaryOp, ty: Scalar, value: Value) -> Value {
    let value = settled(ty, value);
    arithmetic::unary(op, ty, value).unwrap_or(value)
}

/// A number that does not fit becomes zero, an address the number that it is here.
fn converted(from: Scalar, to: Scalar, value: Value) -> Value {
    let number = match (from, to) {
        (Scalar::Pointer, Scalar::Int { signed, bits }) => {
            return Value { low: wrap(value.low, signed, bits), high: 0 };
        }
        _ => settled(from, value),
    };
    arithmetic::convert(from, to, number).unwrap_or_default()
}

fn is_nonzero(ty: Scalar, value: Value) -> bool {
    arithmetic::is_nonzero(ty, settled(ty, value)).unwrap_or_default()
}

/// Whether a store is dropped although there is a place for it.
fn is_dropped(stop: &Stop) -> bool {
    matches!(
        stop,
        Stop::Undefined(UbKind::WriteToConst | UbKind::WriteToString | UbKind::WriteToTemporary, _)
    )
}

impl Machine<'_> {
    /// Continues after an operation that failed.
    pub(super) fn continue_after(
        &mut self,
        op: Op,
        stop: &Stop,
        bottom: usize,
    ) -> Checked<Continued> {
        match op {
            Op::Return { .. } | Op::ReturnNothing | Op::ReturnMissing => {
                return self.return_anyway(op, bottom);
            }
            Op::CallLibrary { site, .. } | Op::CallPointer { site, .. } | Op::Call { site, .. } => {
                // The library is left in the middle.
                self.memory.order.set_depth(self.frames.len());
                self.receive(self.frames.len() - 1, site, None)?;
            }
            Op::CheckInitialised { src } => {
                self.read_missing(src)?;
                return Ok(ControlFlow::Continue(()));
            }
            Op::JumpIfZero { ty, src, to } if !is_nonzero(ty, self.reg(src)) => {
                return Ok(self.jump(to));
            }
            Op::JumpIfNotZero { ty, src, to } if is_nonzero(ty, self.reg(src)) => {
                return Ok(self.jump(to));
            }
            Op::Switch { src, table } => {
                let value = settled(Scalar::Int { signed: true, bits: 64 }, self.reg(src));
                let to = self.here().switches[table as usize].position(value);
                return Ok(self.jump(to));
            }
            Op::CheckIndex { .. } => self.move_nowhere()?,
            // It is in a register of its own, or that of a local which is about to die.
            Op::CheckByte { src } => self.set(src, Value::default()),
            Op::CheckObject { pointer, size, .. } => {
                // The copy that follows fails for the same reason.
                if self.memory.locate(self.reg(pointer), size.into(), 1).is_err() {
                    let lost = self.lost()?;
                    self.set(pointer, lost);
                }
            }
            Op::StoreStatic { .. }
            | Op::StoreLocal { .. }
            | Op::Store { .. }
            | Op::StoreBits { .. }
            | Op::CopyBytes { .. } => self.store_anyway(op, stop)?,
            Op::LoadBits { dst, .. } => {
                self.record_again();
                self.set(dst, Value::default());
            }
            _ => {
                if let Some((dst, value)) = self.fixed_result(op)? {
                    self.set(dst, value);
                }
            }
        }
        *self.position() += 1;
        Ok(ControlFlow::Continue(()))
    }

    fn jump(&mut self, to: Position) -> Continued {
        *self.position() = to;
        ControlFlow::Continue(())
    }

    /// The result of an operation that failed, and where it goes.
    fn fixed_result(&mut self, op: Op) -> Checked<Option<(Reg, Value)>> {
        let right_constant = |right: u64| Value { low: right, high: 0 };
        Ok(Some(match op {
            Op::Negate { ty, dst, src } => (dst, unary(UnaryOp::Minus, ty, self.reg(src))),
            Op::Complement { ty, dst, src } => (dst, unary(UnaryOp::BitNot, ty, self.reg(src))),
            Op::Not { ty, dst, src } => {
                (dst, Value::int(i64::from(!is_nonzero(ty, self.reg(src)))))
            }
            Op::Binary { op, ty, dst, left, right } => {
                (dst, binary(op, ty, self.reg(left), self.reg(right)))
            }
            Op::BinaryConstant { op, ty, dst, left, right } => {
                (dst, binary(op, ty, self.reg(left), right_constant(right)))
            }
            Op::Shift { op, ty, dst, left, right } => {
                (dst, shift(op, ty, self.reg(left), self.reg(right)))
            }
            Op::ShiftConstant { op, ty, dst, left, right } => {
                (dst, shift(op, ty, self.reg(left), right_constant(right)))
            }
            Op::Convert { from, to, dst, src } => (dst, converted(from, to, self.reg(src))),
            Op::LoadStatic { ty, dst, slot, offset } => {
                (dst, self.read_anyway(Location::new(slot, offset.into()), ty)?)
            }
            Op::LoadLocal { ty, dst, local, offset } => {
                let at = self.local_slot(local).map(|slot| Location::new(slot, offset.into()));
                (dst, at.map_or(Ok(Value::default()), |at| self.read_anyway(at, ty))?)
            }
            Op::Load { ty, dst, pointer, .. } => {
                let size = ty.size(self.program);
                match self.memory.locate(self.reg(pointer), size.into(), 1) {
                    Ok(at) => (dst, self.read_anyway(at, ty)?),
                    // Null, also for a pointer: a list comes to its end.
                    Err(_) => (dst, Value::default()),
                }
            }
            Op::Member { dst, .. }
            | Op::Element { dst, .. }
            | Op::ElementVariable { dst, .. }
            | Op::OuterAddress { dst, .. }
            | Op::NestedAddress { dst, .. } => (dst, self.lost()?),
            Op::ComparePointers { op, dst, left, right } => {
                (dst, self.compare_anyway(op, self.reg(left), self.reg(right)))
            }
            Op::Difference { dst, .. }
            | Op::DifferenceVariable { dst, .. }
            | Op::CheckExact { dst, .. } => (dst, Value::default()),
            Op::Length { dst, .. } => (dst, Value::int(1)),
            Op::RestrictLoad { dst, src, .. } => (dst, self.reg(src)),
            Op::VaArg { dst, access, .. } => {
                let ty = self.here().accesses[access as usize].ty;
                let scalar = Scalar::of(self.program, ty);
                // An aggregate is a pointer to it.
                (dst, self.fixed(scalar.or(Some(Scalar::Pointer)))?)
            }
            _ => return Ok(None),
        }))
    }

    /// Does something that no record of accesses sees.
    fn unwatched<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let memory = &mut self.memory;
        let watchers = (
            std::mem::take(&mut memory.order),
            std::mem::take(&mut memory.restrict),
            std::mem::take(&mut memory.rounds),
        );
        let result = work(self);
        (self.memory.order, self.memory.restrict, self.memory.rounds) = watchers;
        result
    }

    /// Reads a scalar from bytes that are there, if they have a value of its type.
    fn read_anyway(&mut self, at: Location, ty: Scalar) -> Checked<Value> {
        let missing = self.memory.is_missing(at, ty.value_bytes(self.program).into());
        match self.unwatched(|machine| machine.load_scalar(at, ty)) {
            Ok(value) => Ok(value),
            Err(_) if missing => self.fixed(Some(ty)),
            Err(_) => Ok(Value::default()),
        }
    }

    /// A local in a register has no value. Lowering copies it before its use, so that the
    /// local itself stays as it is.
    fn read_missing(&mut self, missing: Reg) -> Checked {
        let at = self.at();
        loop {
            *self.position() += 1;
            let position = *self.position();
            let op = self.here().ops[position as usize];
            match op {
                Op::OrderTouch { .. } => {}
                Op::Copy { dst, src } | Op::RestrictLoad { dst, src, .. } if src == missing => {
                    let scalar = match at {
                        crate::verdict::At::Expr(expr) => {
                            Scalar::of(self.program, self.program.type_of(expr))
                        }
                        _ => None,
                    };
                    let value = self.fixed(scalar)?;
                    self.set(dst, value);
                    *self.position() += 1;
                    return Ok(());
                }
                _ => return Ok(()),
            }
        }
    }

    /// The operation after a check of an index moves the pointer, which is lost.
    fn move_nowhere(&mut self) -> Checked {
        let position = *self.position() as usize;
        let next = self.here().ops.get(position + 1).copied();
        if let Some(Op::Element { dst, .. } | Op::ElementVariable { dst, .. }) = next {
            let lost = self.lost()?;
            self.set(dst, lost);
            *self.position() += 1;
        }
        Ok(())
    }

    /// Writes what a store that failed was to write, if there is a place for it.
    fn store_anyway(&mut self, op: Op, stop: &Stop) -> Checked {
        if let Op::StoreBits { .. } = op {
            self.record_again();
        }
        if is_dropped(stop) {
            return Ok(());
        }
        let to = match op {
            Op::StoreStatic { ty, src, slot, offset } => {
                Some((ty, src, Location::new(slot, offset.into())))
            }
            Op::StoreLocal { ty, src, local, offset } => {
                let slot = self.local_slot(local);
                slot.map(|slot| (ty, src, Location::new(slot, offset.into())))
            }
            Op::Store { ty, src, pointer, .. } => {
                let size = ty.size(self.program);
                let at = self.memory.locate(self.reg(pointer), size.into(), 1);
                at.ok().map(|at| (ty, src, at))
            }
            Op::StoreBits { src, pointer, field } => {
                let (value, pointer) = (self.reg(src), self.reg(pointer));
                return self.store_bits_anyway(field, pointer, value);
            }
            Op::CopyBytes { to, from, size } => {
                return self.copy_anyway(self.reg(to), self.reg(from), size.into());
            }
            _ => None,
        };
        let Some((ty, src, at)) = to else { return Ok(()) };
        let value = self.reg(src);
        self.unwatched(|machine| machine.store_scalar(at, ty, value))
    }

    fn store_bits_anyway(&mut self, field: u32, pointer: Value, value: Value) -> Checked {
        let field = self.here().fields[field as usize];
        let bytes = (field.offset + field.width).div_ceil(8);
        let Ok(at) = self.memory.locate(pointer, bytes.into(), 1) else { return Ok(()) };
        let ty = Scalar::Int { signed: true, bits: 64 };
        let bits = if field.wide { value.bits() } else { settled(ty, value).low.into() };
        self.unwatched(|machine| {
            machine.memory.write_bits(at, bytes, field.mask(), bits << field.offset)
        })
    }

    /// Copies an aggregate; one that is not there is zero.
    fn copy_anyway(&mut self, to: Value, from: Value, size: u64) -> Checked {
        let Ok(to) = self.memory.locate(to, size, 1) else { return Ok(()) };
        let from = self.memory.locate(from, size, 1);
        self.unwatched(|machine| match from {
            Ok(from) => machine.memory.copy(to, from, size),
            Err(_) => machine.memory.fill(to, size, 0),
        })
    }

    /// An access to a bit-field that failed has left the record of accesses paused.
    fn record_again(&mut self) {
        let position = *self.position() as usize;
        let paused = self.here().ops[..position].iter().rev().find_map(|op| match op {
            Op::OrderPause => Some(true),
            Op::OrderResume => Some(false),
            _ => None,
        });
        if paused != Some(true) {
            self.memory.order.restart();
        }
    }

    /// Compares addresses; a lost pointer is like no other.
    fn compare_anyway(&self, op: BinaryOp, left: Value, right: Value) -> Value {
        let lost = self.is_lost(left) || self.is_lost(right);
        let same = left.low == right.low && left.high == right.high;
        let answer = match op {
            _ if lost => false,
            BinaryOp::Equal => same,
            BinaryOp::NotEqual => !same,
            BinaryOp::Less => left.low < right.low,
            BinaryOp::Greater => left.low > right.low,
            BinaryOp::LessEqual => left.low <= right.low,
            _ => left.low >= right.low,
        };
        Value::int(i64::from(answer))
    }

    /// Returns from the innermost call although a rule forbids it.
    fn return_anyway(&mut self, op: Op, bottom: usize) -> Checked<Continued> {
        let value = match op {
            Op::Return { src } => Some(self.reg(src)),
            _ => None,
        };
        if self.frames.len() == bottom {
            self.pop_frame();
            let int = Scalar::Int { signed: true, bits: 64 };
            return Ok(ControlFlow::Break(value.map(|value| settled(int, value))));
        }
        if self.memory.order.is_promised() {
            self.memory.order.end_promises(self.frames.len() - 1);
        }
        let caller = self.frames.len() - 2;
        let (function, position) = (self.frames[caller].function, self.frames[caller].position);
        let (Op::Call { site, .. } | Op::CallPointer { site, .. }) =
            self.code(function).ops[position as usize]
        else {
            unreachable!("the caller is at a call")
        };
        self.receive(caller, site, value)?;
        self.pop_frame();
        *self.position() += 1;
        Ok(ControlFlow::Continue(()))
    }

    /// Gives a caller the value of its call, or a fixed one.
    fn receive(&mut self, caller: usize, site: u32, value: Option<Value>) -> Checked {
        let frame = &self.frames[caller];
        let (function, base, locals) = (frame.function, frame.base, frame.locals);
        let site = &self.code(function).sites[site as usize];
        let (result, ty) = (site.result, site.result_type);
        match result {
            CallResult::Nowhere => {}
            CallResult::Register(dst) => {
                let fixed = self.fixed(Scalar::of(self.program, ty))?;
                self.registers[base + dst as usize] = value.unwrap_or(fixed);
            }
            CallResult::Memory { local, dst } => {
                self.enter(function, locals, local)?;
                let slot = self.locals[locals + local as usize];
                let size = self.memory.slots[slot as usize].size;
                let to = self.memory.pointer_to(slot);
                self.copy_anyway(to, value.unwrap_or_default(), size)?;
                self.registers[base + dst as usize] = to;
            }
        }
        Ok(())
    }
}
