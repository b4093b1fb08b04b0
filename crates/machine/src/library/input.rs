//! Input: everything that reads from standard input, C11 7.21.

use super::output::Stream;
use super::{Arguments, Library, argument};
use crate::kinds::{Cause, UbKind};
use crate::memory::Location;
use crate::order::Area;
use crate::run::Machine;
use crate::value::Value;
use crate::verdict::{Checked, undefined, unspecified, unsupported};

/// What a function returns at the end of the input.
const EOF: i64 = -1;

/// Where the program is in its input.
#[derive(Debug, Default)]
pub(crate) struct Input {
    /// How many bytes were read.
    position: usize,
    /// What was pushed back.
    pushed: Option<u8>,
    /// The end-of-file indicator.
    ended: bool,
}

impl Machine<'_> {
    pub(super) fn input_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        use Library::*;
        let stream = match function {
            Getchar => None,
            Fgetc | Feof | Ferror | Clearerr => Some(0),
            Ungetc => Some(1),
            Fgets => Some(2),
            _ => Some(3),
        };
        if let Some(index) = stream {
            match (self.stream(argument(arguments, index)?)?, function) {
                (Stream::Input, _) => {}
                // Nothing ever goes wrong with them, and they have no end.
                (_, Feof | Ferror | Clearerr) => return Ok(Value::int(0)),
                _ => return unsupported("reading from stdout or stderr"),
            }
        }
        if self.memory.order.is_active() {
            let write = !matches!(function, Feof | Ferror);
            self.memory.order.record(Area::Input, 0, 0, 1, write);
        }
        match function {
            Getchar | Fgetc => Ok(Value::int(self.next_byte().map_or(EOF, i64::from))),
            Ungetc => self.push_back(argument(arguments, 0)?),
            Feof => Ok(Value::int(i64::from(self.input.ended))),
            Ferror => Ok(Value::int(0)),
            Clearerr => {
                self.input.ended = false;
                Ok(Value::default())
            }
            Fgets => self.read_line(argument(arguments, 0)?, argument(arguments, 1)?),
            _ => {
                let (size, count) = (argument(arguments, 1)?.low, argument(arguments, 2)?.low);
                self.read_elements(argument(arguments, 0)?, size, count)
            }
        }
    }

    fn next_byte(&mut self) -> Option<u8> {
        if let Some(byte) = self.input.pushed.take() {
            return Some(byte);
        }
        let byte = self.input_bytes().get(self.input.position).copied();
        match byte {
            Some(_) => self.input.position += 1,
            None => self.input.ended = true,
        }
        byte
    }

    /// C11 7.21.7.10: one character can be pushed back for certain.
    fn push_back(&mut self, character: Value) -> Checked<Value> {
        if character.high != 0 {
            return unspecified(Cause::Address, "a character that depends on an address");
        }
        if character.low as i64 == EOF {
            return Ok(Value::int(EOF));
        }
        if self.input.pushed.is_some() {
            return unsupported("ungetc of a second character");
        }
        let byte = character.low as u8;
        self.input.pushed = Some(byte);
        self.input.ended = false;
        Ok(Value::int(i64::from(byte)))
    }

    /// C11 7.21.7.2: at the end of the input the array stays as it is.
    fn read_line(&mut self, to: Value, room: Value) -> Checked<Value> {
        if (room.low as i64) < 2 {
            return unsupported("fgets without room for a character");
        }
        let mut line = Vec::new();
        while (line.len() as u64) < room.low - 1 && line.last() != Some(&b'\n') {
            match self.next_byte() {
                Some(byte) => line.push(byte),
                None => break,
            }
        }
        if line.is_empty() {
            return Ok(Value::default());
        }
        line.push(0);
        self.write_bytes(to, &line)?;
        Ok(to)
    }

    /// C11 7.21.8.1: an element that is not complete has no value.
    fn read_elements(&mut self, to: Value, size: u64, count: u64) -> Checked<Value> {
        let Some(wanted) = size.checked_mul(count) else {
            return undefined(UbKind::OutOfBounds, "the size of the area overflows");
        };
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < wanted {
            match self.next_byte() {
                Some(byte) => bytes.push(byte),
                None => break,
            }
        }
        if bytes.is_empty() {
            return Ok(Value::default());
        }
        let read = bytes.len() as u64;
        self.write_bytes(to, &bytes)?;
        let complete = read / size;
        if !read.is_multiple_of(size) {
            let start = self.memory.locate(to, read, 1)?;
            // The whole element, as far as the object goes.
            let end = self.memory.slots[start.slot as usize].size;
            let last = start.offset + (complete + 1) * size;
            for offset in start.offset + complete * size..last.min(end) {
                self.memory.forget_byte(Location { offset, ..start });
            }
        }
        Ok(Value { low: complete, high: 0 })
    }
}
