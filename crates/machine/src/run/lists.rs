//! Variable arguments, C11 7.16.
//!
//! A `va_list` is bytes that name a list: the frame whose arguments it walks, which of
//! the lists of that frame it is, and the next argument. The frame knows the next
//! argument of each of its lists too: where the two disagree, another copy of the list
//! was used meanwhile, and this one has no value any more (7.16p3).

use farrier_lang::{Type, TypeId};
use rustc_hash::FxHashMap;

use super::Machine;
use crate::arithmetic;
use crate::kinds::UbKind;
use crate::memory::Location;
use crate::value::{Scalar, Value};
use crate::verdict::{Checked, undefined, unsupported};

/// What a `va_list` says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct State {
    /// The serial number of the frame.
    frame: u64,
    /// Which list of the frame.
    list: u32,
    /// The next argument.
    next: u32,
}

/// Numbers for states, where a `va_list` has no room for one.
#[derive(Debug, Default)]
pub(super) struct Numbered {
    states: Vec<State>,
    numbers: FxHashMap<State, u32>,
}

/// The next argument of a list that a library function has used up.
const USED_UP: u32 = u32::MAX;

/// The next argument of a list after `va_end`.
const ENDED: u32 = u32::MAX - 1;

/// The bytes that a state needs.
const STATE_BYTES: u32 = 16;

impl Machine<'_> {
    fn list_place(&self, list: Value) -> Checked<(Location, u32)> {
        let size = self.program.target.va_list.size;
        Ok((self.memory.locate(list, u64::from(size), 1)?, size))
    }

    fn store_state(&mut self, list: Value, state: State) -> Checked {
        let (at, size) = self.list_place(list)?;
        self.memory.fill(at, u64::from(size), 0)?;
        let packed =
            u128::from(state.frame) << 64 | u128::from(state.list) << 32 | u128::from(state.next);
        if size >= STATE_BYTES {
            self.memory.write(at, STATE_BYTES, packed, 0)?;
            return Ok(());
        }
        let next = self.lists.states.len() as u32 + 1;
        let number = *self.lists.numbers.entry(state).or_insert(next);
        if number == next {
            self.lists.states.push(state);
        }
        if u64::from(number) >> (8 * size).min(32) != 0 {
            return unsupported("so many variable arguments");
        }
        self.memory.write(at, size, number.into(), 0)?;
        Ok(())
    }

    /// What a list says, and the index of its frame.
    fn read_state(&self, list: Value) -> Checked<(State, usize)> {
        let (at, size) = self.list_place(list)?;
        if self.memory.is_missing(at, u64::from(size)) {
            return undefined(UbKind::VaArg, "this va_list was not started");
        }
        let state = if size >= STATE_BYTES {
            let (bits, _) = self.memory.read(at, STATE_BYTES)?;
            Some(State { frame: (bits >> 64) as u64, list: (bits >> 32) as u32, next: bits as u32 })
        } else {
            let (number, _) = self.memory.read(at, size)?;
            let index = (number as usize).wrapping_sub(1);
            self.lists.states.get(index).copied()
        };
        let Some(state) = state.filter(|state| state.frame != 0) else {
            return undefined(UbKind::VaArg, "this va_list was not started");
        };
        match self.frames.iter().rposition(|frame| frame.serial == state.frame) {
            Some(index) => Ok((state, index)),
            None => undefined(UbKind::VaArg, "the function of this va_list has returned"),
        }
    }

    /// The same, of a list that can be used.
    fn load_state(&self, list: Value) -> Checked<(State, usize)> {
        let (state, index) = self.read_state(list)?;
        match self.frames[index].lists().get(state.list as usize) {
            Some(next) if *next == state.next => Ok((state, index)),
            Some(&ENDED) => undefined(UbKind::VaArg, "this va_list was ended"),
            _ => undefined(
                UbKind::VaArg,
                "this va_list was passed to a function that used it, and has no value any more",
            ),
        }
    }

    /// `va_start`
    pub(super) fn start_list(&mut self, list: Value) -> Checked {
        self.check_ended(list)?;
        let frame = self.frames.last_mut().expect("a frame is active");
        frame.attached().lists.push(0);
        let state = State { frame: frame.serial, list: frame.lists().len() as u32 - 1, next: 0 };
        self.store_state(list, state)
    }

    /// A list that is started or copied to must not be one that is in use.
    fn check_ended(&self, list: Value) -> Checked {
        match self.read_state(list) {
            Ok((state, index)) => match self.frames[index].lists().get(state.list as usize) {
                Some(next) if *next != ENDED => undefined(
                    UbKind::VaEnd,
                    "this va_list was started already, and not ended since",
                ),
                _ => Ok(()),
            },
            Err(_) => Ok(()),
        }
    }

    /// All lists of a function must be ended when it returns.
    #[cold]
    pub(super) fn check_lists_ended(&self) -> Checked {
        let frame = self.frames.last().expect("a frame is active");
        match frame.lists().iter().filter(|next| **next != ENDED).count() {
            0 => Ok(()),
            open => undefined(
                UbKind::VaEnd,
                format!("the function returns, and {open} va_list was not ended"),
            ),
        }
    }

    /// `va_copy`
    pub(super) fn copy_list(&mut self, to: Value, from: Value) -> Checked {
        let (state, index) = self.load_state(from)?;
        self.check_ended(to)?;
        let lists = &mut self.frames[index].attached().lists;
        lists.push(state.next);
        let list = lists.len() as u32 - 1;
        self.store_state(to, State { list, ..state })
    }

    /// `va_end`
    pub(super) fn end_list(&mut self, list: Value) -> Checked {
        let (state, index) = self.read_state(list)?;
        let (at, size) = self.list_place(list)?;
        self.memory.record_order(at, size.into(), true)?;
        match self.frames[index].attached().lists.get_mut(state.list as usize) {
            Some(next) if *next != ENDED => {
                *next = ENDED;
                Ok(())
            }
            _ => undefined(UbKind::VaEnd, "this va_list was ended already"),
        }
    }

    /// All arguments that a list still has, for a library function: the list has no
    /// value afterwards.
    pub(crate) fn take_list(&mut self, list: Value) -> Checked<Vec<(Value, TypeId)>> {
        let (state, index) = self.load_state(list)?;
        let attached = self.frames[index].attached();
        attached.lists[state.list as usize] = USED_UP;
        Ok(attached.extra[state.next as usize..].to_vec())
    }

    /// `va_arg`
    pub(super) fn va_arg(&mut self, list: Value, wanted: TypeId) -> Checked<Value> {
        let (state, index) = self.load_state(list)?;
        let Some((value, ty)) = self.frames[index].extra().get(state.next as usize).copied() else {
            return undefined(UbKind::VaArg, "there is no further argument");
        };
        if !self.va_compatible(value, ty, wanted) {
            return undefined(
                UbKind::VaArg,
                format!(
                    "the argument has type `{}`, not `{}`",
                    farrier_lang::print::type_text(self.program, ty),
                    farrier_lang::print::type_text(self.program, wanted)
                ),
            );
        }
        let next = state.next + 1;
        self.frames[index].attached().lists[state.list as usize] = next;
        self.store_state(list, State { next, ..state })?;
        // A signed argument read as unsigned, or the other way round, keeps its bits.
        match (Scalar::of(self.program, wanted), Scalar::of(self.program, ty)) {
            (Some(to), Some(from)) if from != to => arithmetic::convert(from, to, value),
            _ => Ok(value),
        }
    }

    /// C11 7.16.1.1p2: compatible types, a signed and an unsigned type if the value is in
    /// both, `void *` and a pointer to characters. Other objects may also be passed as
    /// `void *`, and the types that pointers point to may have different qualifiers.
    fn va_compatible(&self, value: Value, given: TypeId, wanted: TypeId) -> bool {
        let compatible = |given: TypeId, wanted: TypeId| {
            farrier_lang::build::compatible(self.program, given.unqualified(), wanted.unqualified())
        };
        if compatible(given, wanted) {
            return true;
        }
        if let (Some(Type::Int(a)), Some(Type::Int(b))) =
            (self.program.integer_class(given), self.program.integer_class(wanted))
        {
            let bits = self.program.target.int_bits(a);
            let number = if bits > 64 { value.bits() } else { value.low.into() };
            return a.to_unsigned() == b.to_unsigned() && number >> (bits - 1) == 0;
        }
        let Some(wanted) = self.program.pointee(wanted) else { return false };
        let Some(given) = self.program.pointee(given) else {
            return self.program.resolve(given) == &Type::NullPointer;
        };
        let is = |ty: TypeId, wanted: Type| *self.program.resolve(ty) == wanted;
        let object = |ty: TypeId| !matches!(self.program.resolve(ty), Type::Function(_));
        let void = is(given, Type::Void) || is(wanted, Type::Void);
        compatible(given, wanted) || void && object(given) && object(wanted)
    }
}
