//! Output: the streams, and everything that prints.

use super::files::Stream;
use super::format::Formatted;
use super::{Arguments, Library, argument};
use crate::kinds::UbKind;
use crate::run::Machine;
use crate::underspecified::{self, Open, open};
use crate::value::Value;
use crate::verdict::{Checked, undefined};

/// Where the arguments of a function of the family of `printf` are.
struct Shape {
    /// The index of the stream, if there is one.
    stream: Option<usize>,
    /// The index of the format.
    format: usize,
    /// Whether the values are in a `va_list`.
    list: bool,
}

impl Machine<'_> {
    pub(super) fn output_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        use Library::*;
        let shape = match function {
            Printf => Shape { stream: None, format: 0, list: false },
            PrintfChecked => Shape { stream: None, format: 1, list: false },
            Vprintf => Shape { stream: None, format: 0, list: true },
            VprintfChecked => Shape { stream: None, format: 1, list: true },
            Fprintf => Shape { stream: Some(0), format: 1, list: false },
            FprintfChecked => Shape { stream: Some(0), format: 2, list: false },
            Vfprintf => Shape { stream: Some(0), format: 1, list: true },
            VfprintfChecked => Shape { stream: Some(0), format: 2, list: true },
            _ => return self.print_text(function, arguments),
        };
        let stream = match shape.stream {
            None => Stream::OUTPUT,
            Some(index) => self.stream(argument(arguments, index)?)?,
        };
        let Formatted { text, open: left_open, .. } =
            self.formatted(arguments, shape.format, shape.list)?;
        match left_open {
            // What is written to standard error is no part of the behaviour.
            Some(_) if self.is_error(stream) => Ok(open(Open::NotNegative)),
            Some(stop) => Err(stop),
            None => {
                self.write_to(stream, &text)?;
                Ok(Value::int(text.len() as i64))
            }
        }
    }

    fn print_text(&mut self, function: Library, arguments: Arguments<'_>) -> Checked<Value> {
        use Library::*;
        match function {
            Puts => {
                let mut text = self.string(argument(arguments, 0)?)?;
                text.push(b'\n');
                self.write_to(Stream::OUTPUT, &text)?;
                Ok(open(Open::NotNegative))
            }
            Putchar | Fputc => {
                let value = argument(arguments, 0)?;
                if value.high != 0 {
                    return underspecified::tainted(
                        value,
                        "a character that depends on an address",
                    );
                }
                let stream = match function {
                    Fputc => self.stream(argument(arguments, 1)?)?,
                    _ => Stream::OUTPUT,
                };
                self.write_to(stream, &[value.low as u8])?;
                Ok(Value::int(i64::from(value.low as u8)))
            }
            Fputs => {
                let text = self.string(argument(arguments, 0)?)?;
                let stream = self.stream(argument(arguments, 1)?)?;
                self.write_to(stream, &text)?;
                Ok(open(Open::NotNegative))
            }
            Fwrite => {
                let (size, count) = (argument(arguments, 1)?.low, argument(arguments, 2)?.low);
                let stream = self.stream(argument(arguments, 3)?)?;
                let Some(bytes) = size.checked_mul(count) else {
                    return undefined(UbKind::OutOfBounds, "the size of the area overflows");
                };
                let from = argument(arguments, 0)?;
                self.check_area(from)?;
                let text = self.bytes(from, bytes)?;
                self.write_to(stream, &text)?;
                Ok(Value { low: if size == 0 { 0 } else { count }, high: 0 })
            }
            other => unreachable!("{other:?} prints no text"),
        }
    }

    /// The text of a format whose values are after it or in a `va_list`.
    fn formatted(
        &mut self,
        arguments: Arguments<'_>,
        format: usize,
        list: bool,
    ) -> Checked<Formatted> {
        if !list {
            return self.format(arguments, format);
        }
        let mut values = vec![*arguments.get(format).ok_or_else(super::missing)?];
        values.extend(self.take_list(argument(arguments, format + 1)?)?);
        self.format(&values, 0)
    }

    /// C11 7.21.6.5p2: what is read must not be where the text is written.
    fn check_overlap(&self, to: Value, size: u64, read: &[(Value, u64)]) -> Checked {
        let to = self.memory.locate(to, size, 1)?;
        for (from, length) in read {
            let from = self.memory.locate(*from, *length, 1)?;
            let overlap = from.slot == to.slot
                && from.offset < to.offset + size
                && to.offset < from.offset + length;
            if overlap {
                return undefined(
                    UbKind::OverlappingCopy,
                    "the text is written over the format or a string that it is made from",
                );
            }
        }
        Ok(())
    }

    pub(super) fn print_to_memory(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        use Library::*;
        // The index of the limit and of the size of the destination, if they are there.
        let (limit, size, format) = match function {
            Sprintf | Vsprintf => (None, None, 1),
            Snprintf | Vsnprintf => (Some(1), None, 2),
            SprintfChecked | VsprintfChecked => (None, Some(2), 3),
            _ => (Some(1), Some(3), 4),
        };
        let list = matches!(function, Vsprintf | Vsnprintf | VsprintfChecked | VsnprintfChecked);
        let to = argument(arguments, 0)?;
        let limit = match limit {
            Some(index) => argument(arguments, index)?.low,
            None => u64::MAX,
        };
        let Formatted { mut text, read, open } = self.formatted(arguments, format, list)?;
        if let Some(stop) = open {
            return Err(stop);
        }
        let length = text.len();
        if limit > 0 {
            text.truncate(usize::try_from(limit - 1).unwrap_or(usize::MAX));
            text.push(0);
            if let Some(index) = size {
                let needed = if limit == u64::MAX { text.len() as u64 } else { limit };
                self.check_size(needed, argument(arguments, index)?.low)?;
            }
            self.check_overlap(to, text.len() as u64, &read)?;
            self.write_bytes(to, &text)?;
        }
        Ok(Value::int(length as i64))
    }
}
