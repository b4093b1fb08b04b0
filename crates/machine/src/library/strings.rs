//! Functions on bytes and strings, C11 7.24, and their relatives in POSIX and glibc.

use std::cmp::Ordering;

use super::{Arguments, Library, argument};
use crate::kinds::UbKind;
use crate::memory::Location;
use crate::run::Machine;
use crate::underspecified::{self, Open, open};
use crate::value::Value;
use crate::verdict::{Checked, undefined};

impl Machine<'_> {
    pub(super) fn string_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        use Library::*;
        self.check_areas(arguments)?;
        let first = argument(arguments, 0)?;
        let second = || argument(arguments, 1);
        let count = || argument(arguments, 2).map(|value| value.low);
        match function {
            Memcpy | Memmove | Mempcpy => self.copy_area(function, first, second()?, count()?),
            Bcopy => self.copy_area(Memmove, second()?, first, count()?),
            MemcpyChecked | MemmoveChecked | MempcpyChecked => {
                self.check_size(count()?, argument(arguments, 3)?.low)?;
                self.copy_area(function, first, second()?, count()?)
            }
            Memset | MemsetChecked => {
                if function == MemsetChecked {
                    self.check_size(count()?, argument(arguments, 3)?.low)?;
                }
                let byte = second()?;
                if byte.high != 0 {
                    return underspecified::tainted(byte, "a byte that depends on an address");
                }
                self.fill_area(first, byte.low as u8, count()?)
            }
            Bzero => self.fill_area(first, 0, second()?.low),
            Memccpy => {
                let (from, limit) = (second()?, argument(arguments, 3)?.low);
                let found = self.find_byte(Memchr, from, count()? as u8, limit)?;
                let copied = match found {
                    Value { low: 0, high: 0 } => limit,
                    at => at.low - from.low + 1,
                };
                self.copy_area(Memcpy, first, from, copied)?;
                Ok(if found == Value::default() { found } else { moved(first, copied) })
            }
            Memcmp => self.compare_bytes(first, second()?, count()?),
            Strcmp => self.compare_strings(first, second()?, u64::MAX, false),
            Strncmp => self.compare_strings(first, second()?, count()?, false),
            Strcasecmp => self.compare_strings(first, second()?, u64::MAX, true),
            Strncasecmp => self.compare_strings(first, second()?, count()?, true),
            Memchr | Memrchr => self.find_byte(function, first, second()?.low as u8, count()?),
            Strchr | Strrchr => {
                let text = self.string(first)?;
                let wanted = second()?.low as u8;
                let with_zero = || text.iter().copied().chain([0]);
                let at = match function {
                    Strchr => with_zero().position(|byte| byte == wanted),
                    _ => (0..=text.len())
                        .rev()
                        .find(|at| text.get(*at).copied().unwrap_or(0) == wanted),
                };
                Ok(at.map_or(Value::default(), |at| moved(first, at as u64)))
            }
            Strlen => Ok(Value::int(self.string(first)?.len() as i64)),
            Strnlen => Ok(Value::int(self.string_up_to(first, second()?.low)?.len() as i64)),
            Strspn | Strcspn | Strpbrk => {
                let (text, set) = (self.string(first)?, self.string(second()?)?);
                let inside = function == Strspn;
                let length = text.iter().take_while(|byte| set.contains(byte) == inside).count();
                Ok(match function {
                    Strpbrk if length == text.len() => Value::default(),
                    Strpbrk => moved(first, length as u64),
                    _ => Value::int(length as i64),
                })
            }
            Strstr => {
                let (text, wanted) = (self.string(first)?, self.string(second()?)?);
                let found = (0..=text.len()).find(|at| text[*at..].starts_with(&wanted));
                Ok(found.map_or(Value::default(), |at| moved(first, at as u64)))
            }
            Strdup | Strndup => {
                let mut text = match function {
                    Strdup => self.string(first)?,
                    _ => self.string_up_to(first, second()?.low)?,
                };
                text.push(0);
                let new = self.allocate_heap(text.len() as u64, 16, false)?;
                self.write_bytes(new, &text)?;
                Ok(new)
            }
            _ => self.copy_string(function, arguments),
        }
    }

    /// `strcpy` and its many forms.
    fn copy_string(&mut self, function: Library, arguments: Arguments<'_>) -> Checked<Value> {
        use Library::*;
        let (to, from) = (argument(arguments, 0)?, argument(arguments, 1)?);
        let counted = matches!(
            function,
            Strncpy | StrncpyChecked | Stpncpy | StpncpyChecked | Strncat | StrncatChecked
        );
        let checked = matches!(
            function,
            StrcpyChecked
                | StpcpyChecked
                | StrncpyChecked
                | StpncpyChecked
                | StrcatChecked
                | StrncatChecked
        );
        let appends = matches!(function, Strcat | StrcatChecked | Strncat | StrncatChecked);
        let limit = if counted { argument(arguments, 2)?.low } else { u64::MAX };
        let mut text = self.string_up_to(from, limit)?;
        let length = text.len() as u64;
        // What is read of the source: its end too, where the limit did not come first.
        let read = length + u64::from(length < limit);
        let start = if appends { self.string(to)?.len() as u64 } else { 0 };
        if counted && !appends {
            if limit > self.heap_limit {
                return undefined(UbKind::OutOfBounds, format!("{limit} bytes are written"));
            }
            text.resize(limit as usize, 0);
        } else {
            text.push(0);
        }
        if checked {
            let size = argument(arguments, 2 + usize::from(counted))?.low;
            self.check_size(start + text.len() as u64, size)?;
        }
        let destination = moved(to, start);
        if !text.is_empty() {
            let to = self.memory.locate(destination, text.len() as u64, 1)?;
            if read > 0 {
                let from = self.memory.locate(from, read, 1)?;
                let overlap = from.slot == to.slot
                    && from.offset < to.offset + text.len() as u64
                    && to.offset < from.offset + read;
                if overlap {
                    return undefined(UbKind::OverlappingCopy, "a string is copied over itself");
                }
            }
            self.write_bytes(destination, &text)?;
        }
        Ok(match function {
            Stpcpy | StpcpyChecked | Stpncpy | StpncpyChecked => moved(to, length),
            _ => to,
        })
    }

    fn copy_area(
        &mut self,
        function: Library,
        to: Value,
        from: Value,
        count: u64,
    ) -> Checked<Value> {
        use Library::*;
        let result = match function {
            Mempcpy | MempcpyChecked => moved(to, count),
            _ => to,
        };
        if count == 0 {
            return Ok(result);
        }
        let source = self.memory.locate_area(from, count)?;
        let destination = self.memory.locate_area(to, count)?;
        self.check_writable_area(destination, count)?;
        let overlaps =
            source.slot == destination.slot && source.offset.abs_diff(destination.offset) < count;
        if overlaps && !matches!(function, Memmove | MemmoveChecked) {
            return undefined(
                UbKind::OverlappingCopy,
                format!("{count} bytes are copied over themselves"),
            );
        }
        self.memory.copy(destination, source, count)?;
        Ok(result)
    }

    fn fill_area(&mut self, to: Value, byte: u8, count: u64) -> Checked<Value> {
        if count > 0 {
            let at = self.memory.locate_area(to, count)?;
            self.check_writable_area(at, count)?;
            self.memory.fill(at, count, byte)?;
        }
        Ok(to)
    }

    fn find_byte(
        &self,
        function: Library,
        pointer: Value,
        wanted: u8,
        count: u64,
    ) -> Checked<Value> {
        if function == Library::Memrchr {
            let bytes = self.bytes(pointer, count)?;
            let found = bytes.iter().rposition(|byte| *byte == wanted);
            return Ok(found.map_or(Value::default(), |at| moved(pointer, at as u64)));
        }
        // C11 7.24.5.1p2: memchr reads in order and stops at the byte.
        for index in 0..count {
            let at = moved(pointer, index);
            if self.byte_at(self.memory.locate_area(at, 1)?)? == wanted {
                return Ok(at);
            }
        }
        Ok(Value::default())
    }

    /// Pointers must be valid even if nothing is accessed, C11 7.1.4p1 and 7.24.1p2.
    fn check_areas(&self, arguments: Arguments<'_>) -> Checked {
        let mut pointers = arguments.iter().filter(|(_, ty)| self.is_pointer(*ty));
        pointers.try_for_each(|(pointer, _)| self.check_area(*pointer))
    }

    /// The same of one.
    pub(super) fn check_area(&self, pointer: Value) -> Checked {
        if pointer.low == 0 && pointer.high == 0 {
            return undefined(UbKind::NullDereference, "this pointer is null");
        }
        self.memory.locate(pointer, 0, 1).map(drop)
    }

    fn byte(&self, pointer: Value) -> Checked<u8> {
        let at = self.memory.locate(pointer, 1, 1)?;
        self.byte_at(at)
    }

    fn byte_at(&self, at: Location) -> Checked<u8> {
        let (byte, provenance) = self.memory.read(at, 1)?;
        if provenance != 0 {
            let value = Value { low: 0, high: provenance };
            return underspecified::tainted(value, "the bytes of a pointer are used as text");
        }
        Ok(byte as u8)
    }

    /// The bytes of an area.
    pub(super) fn bytes(&self, pointer: Value, count: u64) -> Checked<Vec<u8>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let at = self.memory.locate_area(pointer, count)?;
        let byte = |index| self.byte_at(at.plus(index));
        (0..count).map(byte).collect()
    }

    /// The bytes of a string, without the terminating zero.
    pub(crate) fn string(&self, pointer: Value) -> Checked<Vec<u8>> {
        self.string_up_to(pointer, u64::MAX)
    }

    /// At most `limit` bytes of a string that need not end then.
    pub(super) fn string_up_to(&self, pointer: Value, limit: u64) -> Checked<Vec<u8>> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < limit {
            match self.byte(moved(pointer, bytes.len() as u64))? {
                0 => break,
                byte => bytes.push(byte),
            }
        }
        Ok(bytes)
    }

    fn compare_bytes(&self, left: Value, right: Value, count: u64) -> Checked<Value> {
        let (left, right) = (self.bytes(left, count)?, self.bytes(right, count)?);
        Ok(sign(left.cmp(&right)))
    }

    fn compare_strings(&self, left: Value, right: Value, count: u64, fold: bool) -> Checked<Value> {
        for index in 0..count {
            let mut a = self.byte(moved(left, index))?;
            let mut b = self.byte(moved(right, index))?;
            if fold {
                (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
            }
            if a != b || a == 0 {
                return Ok(sign(a.cmp(&b)));
            }
        }
        Ok(Value::int(0))
    }
}

/// Only the sign of the result is specified.
fn sign(order: Ordering) -> Value {
    match order {
        Ordering::Less => open(Open::Negative),
        Ordering::Equal => Value::int(0),
        Ordering::Greater => open(Open::Positive),
    }
}

pub(super) fn moved(pointer: Value, by: u64) -> Value {
    Value { low: pointer.low.wrapping_add(by), high: pointer.high }
}
