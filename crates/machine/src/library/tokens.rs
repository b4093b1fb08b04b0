//! Strings that are taken apart or transformed, C11 7.24.4.5 and 7.24.5.8.

use super::strings::moved;
use super::{Arguments, Library, argument};
use crate::kinds::UbKind;
use crate::memory::{Location, Origin};
use crate::run::Machine;
use crate::value::Value;
use crate::verdict::{Checked, undefined};

impl Machine<'_> {
    pub(super) fn token_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        let (first, second) = (argument(arguments, 0)?, argument(arguments, 1)?);
        match function {
            Library::Strtok => {
                let slot = self.token_slot()?;
                self.next_token(first, second, Location::new(slot, 0))
            }
            Library::StrtokReentrant => {
                let size = self.program.target.pointer.size;
                let at = self.memory.locate(argument(arguments, 2)?, size.into(), size)?;
                self.check_writable(at)?;
                self.next_token(first, second, at)
            }
            Library::Strsep => self.separate(first, second),
            _ => self.transform(first, second, argument(arguments, 2)?.low),
        }
    }

    /// Where `strtok` remembers the place.
    fn token_slot(&mut self) -> Checked<u32> {
        if let Some(slot) = self.remembered.token {
            return Ok(slot);
        }
        let size = self.program.target.pointer.size;
        let slot = self.memory.allocate(Origin::Library, size.into(), size, None)?;
        self.memory.fill(Location::new(slot, 0), size.into(), 0)?;
        self.remembered.token = Some(slot);
        Ok(slot)
    }

    fn load_pointer(&self, at: Location) -> Checked<Value> {
        let (low, high) = self.memory.read(at, self.program.target.pointer.size)?;
        Ok(Value { low: low as u64, high })
    }

    fn store_pointer(&mut self, at: Location, pointer: Value) -> Checked {
        let size = self.program.target.pointer.size;
        self.memory.write(at, size, pointer.low.into(), pointer.high)
    }

    fn next_token(&mut self, text: Value, separators: Value, place: Location) -> Checked<Value> {
        let separators = self.string(separators)?;
        let start = match text {
            Value { low: 0, high: 0 } => self.load_pointer(place)?,
            text => text,
        };
        if (start.low, start.high) == (0, 0) {
            return undefined(UbKind::NullDereference, "there is no string to go on with");
        }
        let text = self.string(start)?;
        let before = text.iter().take_while(|byte| separators.contains(byte)).count();
        let rest = &text[before..];
        if rest.is_empty() {
            self.store_pointer(place, moved(start, text.len() as u64))?;
            return Ok(Value::default());
        }
        let token = moved(start, before as u64);
        let length = rest.iter().take_while(|byte| !separators.contains(byte)).count();
        let mut next = moved(token, length as u64);
        if length < rest.len() {
            self.write_bytes(next, &[0])?;
            next = moved(next, 1);
        }
        self.store_pointer(place, next)?;
        Ok(token)
    }

    /// `strsep`: empty fields count, and the pointer is null after the last.
    fn separate(&mut self, place: Value, separators: Value) -> Checked<Value> {
        let size = self.program.target.pointer.size;
        let at = self.memory.locate(place, size.into(), size)?;
        let start = self.load_pointer(at)?;
        if (start.low, start.high) == (0, 0) {
            return Ok(start);
        }
        let (text, separators) = (self.string(start)?, self.string(separators)?);
        self.check_writable(at)?;
        match text.iter().position(|byte| separators.contains(byte)) {
            Some(length) => {
                let end = moved(start, length as u64);
                self.write_bytes(end, &[0])?;
                self.store_pointer(at, moved(end, 1))?;
            }
            None => self.store_pointer(at, Value::default())?,
        }
        Ok(start)
    }

    /// `strxfrm` in the "C" locale: the text itself. What does not fit leaves the array
    /// without a value.
    fn transform(&mut self, to: Value, from: Value, room: u64) -> Checked<Value> {
        let mut text = self.string(from)?;
        let length = text.len() as u64;
        if length < room {
            text.push(0);
            let (source, size) = (self.memory.locate(from, length + 1, 1)?, length + 1);
            let at = self.memory.locate(to, size, 1)?;
            if source.slot == at.slot && source.offset.abs_diff(at.offset) < size {
                return undefined(UbKind::OverlappingCopy, "a string is transformed over itself");
            }
            self.write_bytes(to, &text)?;
        } else if room > 0 {
            let at = self.memory.locate(to, room, 1)?;
            self.check_writable(at)?;
            for offset in 0..room {
                self.memory.forget_byte(at.plus(offset));
            }
        }
        Ok(Value { low: length, high: 0 })
    }
}
