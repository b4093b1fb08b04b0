//! Classification of characters, C11 7.4, in the "C" locale.

use super::{Arguments, Library, argument};
use crate::kinds::UbKind;
use crate::memory::{Location, Origin};
use crate::run::Machine;
use crate::underspecified::{self, Open, open};
use crate::value::Value;
use crate::verdict::{Checked, undefined};

impl Machine<'_> {
    pub(super) fn character_function(
        &self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        use Library::*;
        let value = argument(arguments, 0)?;
        if value.high != 0 {
            return underspecified::tainted(value, "a character that depends on an address");
        }
        let number = value.low as i32;
        match function {
            IsAscii if (0..128).contains(&number) => return Ok(open(Open::NotZero)),
            IsAscii => return Ok(Value::int(0)),
            ToAscii => return Ok(Value::int(i64::from(number & 0x7f))),
            _ => {}
        }
        if !(-1..=255).contains(&number) {
            return undefined(
                UbKind::CharacterRange,
                format!("{number} is neither EOF nor an unsigned char"),
            );
        }
        let Ok(byte) = u8::try_from(number) else {
            // EOF is no character, and stays what it is.
            return Ok(Value::int(if matches!(function, ToLower | ToUpper) { -1 } else { 0 }));
        };
        // Of a true answer only "not zero" is specified.
        let truth = |truth: bool| Ok(if truth { open(Open::NotZero) } else { Value::int(0) });
        match function {
            ToLower => Ok(Value::int(byte.to_ascii_lowercase().into())),
            ToUpper => Ok(Value::int(byte.to_ascii_uppercase().into())),
            _ => truth(is(function, byte)),
        }
    }

    /// The tables behind the macros of `<ctype.h>` in glibc: a pointer to a pointer to
    /// the entry of character zero.
    pub(super) fn character_table(&mut self, function: Library) -> Checked<Value> {
        let index = match function {
            Library::CtypeTable => 0,
            Library::LowerTable => 1,
            _ => 2,
        };
        if let Some(slot) = self.character_tables[index] {
            return Ok(self.memory.pointer_to(slot));
        }
        let size: u32 = if index == 0 { 2 } else { 4 };
        let table = self.memory.allocate(Origin::Library, 257 * u64::from(size), size, None)?;
        for number in -1..=255_i32 {
            let at = Location::new(table, (number + 1) as u64 * u64::from(size));
            let byte = u8::try_from(number).ok();
            let entry = match (byte, index) {
                (None, 0) => 0,
                (None, _) => u128::from(u32::MAX),
                (Some(byte), 0) => u128::from(mask(byte)),
                (Some(byte), 1) => byte.to_ascii_lowercase().into(),
                (Some(byte), _) => byte.to_ascii_uppercase().into(),
            };
            self.memory.write(at, size, entry, 0)?;
        }
        self.memory.slots[table as usize].constant = true;
        let mut zero = self.memory.pointer_to(table);
        zero.low += u64::from(size);
        let width = self.program.target.pointer.size;
        let slot = self.memory.allocate(Origin::Library, width.into(), width, None)?;
        self.memory.write(Location::new(slot, 0), width, zero.low.into(), zero.high)?;
        self.memory.slots[slot as usize].constant = true;
        self.character_tables[index] = Some(slot);
        Ok(self.memory.pointer_to(slot))
    }
}

fn is(function: Library, byte: u8) -> bool {
    use Library::*;
    match function {
        IsAlnum => byte.is_ascii_alphanumeric(),
        IsAlpha => byte.is_ascii_alphabetic(),
        IsBlank => matches!(byte, b' ' | b'\t'),
        IsCntrl => byte.is_ascii_control(),
        IsDigit => byte.is_ascii_digit(),
        IsGraph => byte.is_ascii_graphic(),
        IsLower => byte.is_ascii_lowercase(),
        IsPrint => byte == b' ' || byte.is_ascii_graphic(),
        IsPunct => byte.is_ascii_punctuation(),
        IsSpace => matches!(byte, b' ' | b'\t'..=b'\r'),
        IsUpper => byte.is_ascii_uppercase(),
        _ => byte.is_ascii_hexdigit(),
    }
}

/// The bits of glibc for a character, on a little-endian machine.
fn mask(byte: u8) -> u16 {
    use Library::*;
    let classes = [
        IsUpper, IsLower, IsAlpha, IsDigit, IsXdigit, IsSpace, IsPrint, IsGraph, IsBlank, IsCntrl,
        IsPunct, IsAlnum,
    ];
    let bits = classes.into_iter().enumerate().filter(|(_, class)| is(*class, byte));
    bits.map(|(bit, _)| (1_u16 << bit).swap_bytes()).sum()
}

#[cfg(test)]
mod tests {
    use super::mask;

    /// Values that glibc 2.36 holds.
    #[test]
    fn masks_are_those_of_glibc() {
        for (byte, expected) in [
            (b'A', 0xd508),
            (b'g', 0xc608),
            (b'5', 0xd808),
            (b' ', 0x6001),
            (b'\n', 0x2002),
            (b'!', 0xc004),
            (0, 0x0002),
        ] {
            assert_eq!(mask(byte), expected, "{byte}");
        }
    }
}
