//! Functions on bytes and strings, C11 7.24.

use super::{Arguments, Library, argument};
use crate::kinds::{Cause, UbKind};
use crate::run::Machine;
use crate::value::Value;
use crate::verdict::{Step, undefined, unspecified};

impl Machine<'_> {
    pub(super) fn string_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Step<Value> {
        use Library::*;
        let first = argument(arguments, 0)?;
        let second = arguments.get(1).map(|(value, _)| *value).unwrap_or_default();
        let count = arguments.get(2).map_or(0, |(value, _)| value.low);
        match function {
            Memcpy | Memmove => {
                self.check_area(first)?;
                self.check_area(second)?;
                if count == 0 {
                    return Ok(first);
                }
                let from = self.memory.locate(second, count, 1)?;
                let to = self.memory.locate(first, count, 1)?;
                self.check_writable(to)?;
                let overlaps = from.slot == to.slot && from.offset.abs_diff(to.offset) < count;
                if function == Memcpy && overlaps {
                    return undefined(
                        UbKind::OverlappingCopy,
                        format!("{count} bytes are copied over themselves"),
                    );
                }
                self.memory.copy(to, from, count);
                Ok(first)
            }
            Memset => {
                self.check_area(first)?;
                if count > 0 {
                    let to = self.memory.locate(first, count, 1)?;
                    self.check_writable(to)?;
                    self.memory.fill(to, count, second.low as u8);
                }
                Ok(first)
            }
            Memcmp => self.compare_bytes(first, second, count, false),
            Memchr => {
                for index in 0..count {
                    let at = moved(first, index);
                    if self.byte(at)? == second.low as u8 {
                        return Ok(at);
                    }
                }
                Ok(Value::default())
            }
            Strlen => Ok(Value::int(self.string(first)?.len() as i64)),
            Strcpy | Strcat => {
                let mut text = self.string(second)?;
                text.push(0);
                let start = if function == Strcat { self.string(first)?.len() as u64 } else { 0 };
                let to = self.memory.locate(moved(first, start), text.len() as u64, 1)?;
                let from = self.memory.locate(second, text.len() as u64, 1)?;
                if from.slot == to.slot && from.offset.abs_diff(to.offset) < text.len() as u64 {
                    return undefined(UbKind::OverlappingCopy, "a string is copied over itself");
                }
                self.write_bytes(moved(first, start), &text)?;
                Ok(first)
            }
            Strncpy => {
                let mut text = Vec::new();
                while (text.len() as u64) < count {
                    let byte = self.byte(moved(second, text.len() as u64))?;
                    if byte == 0 {
                        break;
                    }
                    text.push(byte);
                }
                text.resize(count as usize, 0);
                if !text.is_empty() {
                    self.write_bytes(first, &text)?;
                }
                Ok(first)
            }
            Strcmp => self.compare_bytes(first, second, u64::MAX, true),
            Strncmp => self.compare_bytes(first, second, count, true),
            _ => {
                let wanted = second.low as u8;
                let mut found = Value::default();
                let mut index = 0;
                loop {
                    let at = moved(first, index);
                    let byte = self.byte(at)?;
                    if byte == wanted {
                        found = at;
                        if function == Strchr {
                            return Ok(found);
                        }
                    }
                    if byte == 0 {
                        return Ok(found);
                    }
                    index += 1;
                }
            }
        }
    }

    /// A pointer to an area must be valid even if nothing is accessed, C11 7.24.1p2.
    fn check_area(&self, pointer: Value) -> Step {
        if pointer.low == 0 && pointer.high == 0 {
            return undefined(UbKind::NullDereference, "this pointer is null");
        }
        self.memory.locate(pointer, 0, 1).map(drop)
    }

    fn byte(&self, pointer: Value) -> Step<u8> {
        let at = self.memory.locate(pointer, 1, 1)?;
        let (byte, provenance) = self.memory.read(at, 1)?;
        if provenance != 0 {
            return unspecified(Cause::Address, "the bytes of a pointer are compared");
        }
        Ok(byte as u8)
    }

    /// Only the sign of the result is specified, so it is always -1, 0 or 1.
    fn compare_bytes(&self, left: Value, right: Value, count: u64, strings: bool) -> Step<Value> {
        if !strings && count > 0 {
            self.memory.locate(left, count, 1)?;
            self.memory.locate(right, count, 1)?;
        }
        for index in 0..count {
            let a = self.byte(moved(left, index))?;
            let b = self.byte(moved(right, index))?;
            if a != b {
                return Ok(Value::int(if a < b { -1 } else { 1 }));
            }
            if strings && a == 0 {
                break;
            }
        }
        Ok(Value::int(0))
    }
}

fn moved(pointer: Value, by: u64) -> Value {
    Value { low: pointer.low.wrapping_add(by), high: pointer.high }
}
