//! What the program learns of the world around it: the time, the environment, random
//! numbers, the locale, the texts of errors.

use super::{Arguments, Library, argument};
use crate::memory::{Location, Origin};
use crate::run::Machine;
use crate::underspecified::{Open, open};
use crate::value::Value;
use crate::verdict::{Checked, unsupported};

/// What the library remembers between calls, in slots of memory.
#[derive(Debug, Default)]
pub(crate) struct Remembered {
    /// The place where `strtok` goes on.
    pub(super) token: Option<u32>,
    /// The seed of `rand`, and how many numbers were drawn.
    seed: Option<u32>,
    /// The strings of the environment, the locale and the errors.
    texts: Vec<(Vec<u8>, u32)>,
}

impl Machine<'_> {
    pub(super) fn environment_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        use Library::*;
        match function {
            ErrnoLocation => self.errno_location(),
            Time => self.time(argument(arguments, 0)?),
            Clock => Ok(open(Open::Nothing)),
            Rand => self.random(),
            Srand => {
                let seed = argument(arguments, 0)?;
                let slot = self.seed()?;
                self.memory.write(Location::new(slot, 0), 8, seed.low.into(), seed.high)?;
                self.memory.write(Location::new(slot, 8), 8, 0, 0)?;
                Ok(Value::default())
            }
            Getenv => {
                let name = self.string(argument(arguments, 0)?)?;
                let environment = &self.options().environment;
                match environment.iter().find(|(known, _)| *known == name) {
                    Some((_, value)) => self.library_text(&value.clone()),
                    None => Ok(Value::default()),
                }
            }
            Setlocale => {
                let name = argument(arguments, 1)?;
                let name = match name {
                    Value { low: 0, high: 0 } => b"C".to_vec(),
                    name => self.string(name)?,
                };
                match name.as_slice() {
                    b"C" | b"POSIX" => self.library_text(b"C"),
                    _ => unsupported("a locale other than \"C\""),
                }
            }
            Fegetround => Ok(Value::int(0)),
            Fesetround => match argument(arguments, 0)?.low {
                0 => Ok(Value::int(0)),
                _ => unsupported("a rounding mode other than to nearest"),
            },
            Strerror => self.error_text(),
            Perror => {
                // The text goes to stderr, which is no part of the behaviour.
                let prefix = argument(arguments, 0)?;
                if (prefix.low, prefix.high) != (0, 0) {
                    self.string(prefix)?;
                }
                Ok(Value::default())
            }
            other => unreachable!("{other:?} is no part of the environment"),
        }
    }

    fn time(&mut self, to: Value) -> Checked<Value> {
        let now = match self.options().time {
            Some(seconds) => Value::int(seconds),
            None => open(Open::Nothing),
        };
        if (to.low, to.high) != (0, 0) {
            let size = self.program.target.long.size;
            let at = self.memory.locate(to, size.into(), size)?;
            self.check_writable(at)?;
            self.memory.write(at, size, now.low.into(), now.high)?;
        }
        Ok(now)
    }

    fn seed(&mut self) -> Checked<u32> {
        if let Some(slot) = self.remembered.seed {
            return Ok(slot);
        }
        let slot = self.memory.allocate(Origin::Library, 16, 8, None)?;
        // C11 7.22.2.2p2: as if srand(1) was called.
        self.memory.write(Location::new(slot, 0), 8, 1, 0)?;
        self.memory.write(Location::new(slot, 8), 8, 0, 0)?;
        self.remembered.seed = Some(slot);
        Ok(slot)
    }

    /// C leaves the numbers open; those of glibc are known, if the options ask for them.
    fn random(&mut self) -> Checked<Value> {
        let slot = self.seed()?;
        let (seed, mark) = self.memory.read(Location::new(slot, 0), 8)?;
        let (drawn, _) = self.memory.read(Location::new(slot, 8), 8)?;
        self.memory.write(Location::new(slot, 8), 8, drawn + 1, 0)?;
        if !self.options().glibc_random || mark != 0 {
            return Ok(open(Open::NotNegative));
        }
        Ok(Value::int(self.glibc_random.number(seed as u32, drawn as usize).into()))
    }

    /// A string of the library that the program must not modify.
    pub(super) fn library_text(&mut self, text: &[u8]) -> Checked<Value> {
        if let Some((_, slot)) = self.remembered.texts.iter().find(|(known, _)| known == text) {
            return Ok(self.memory.pointer_to(*slot));
        }
        let slot = self.allocate_bytes(text)?;
        self.memory.slots[slot as usize].constant = true;
        self.remembered.texts.push((text.to_vec(), slot));
        Ok(self.memory.pointer_to(slot))
    }

    /// The text of an error: C says only that there is one. Its bytes are open, and its
    /// length, so that all that the program can do is to pass it on.
    fn error_text(&mut self) -> Checked<Value> {
        let pointer = self.library_text(b"error")?;
        let (slot, _) = self.memory.slot_of(pointer.high).expect("it is alive");
        let mark = open(Open::Nothing);
        for offset in 0..6 {
            self.memory.write(Location::new(slot, offset), 1, mark.low.into(), mark.high)?;
        }
        Ok(pointer)
    }
}

/// The numbers of `rand` in glibc: each is the sum of two earlier ones.
#[derive(Debug, Default)]
pub(crate) struct GlibcRandom {
    seed: u32,
    state: Vec<u32>,
}

impl GlibcRandom {
    /// How many numbers are made from the seed alone, and how many are thrown away.
    const FIRST: usize = 34;
    const DROPPED: usize = 344;

    /// The number with this index after `srand(seed)`.
    fn number(&mut self, seed: u32, index: usize) -> u32 {
        let seed = seed.max(1);
        if self.state.is_empty() || self.seed != seed {
            self.seed = seed;
            self.state.clear();
            let mut word = i64::from(seed as i32);
            for _ in 0..31 {
                self.state.push(word as u32);
                word = word * 16807 % 0x7fff_ffff;
                if word < 0 {
                    word += 0x7fff_ffff;
                }
            }
            for at in 31..Self::FIRST {
                self.state.push(self.state[at - 31]);
            }
        }
        while self.state.len() <= index + Self::DROPPED {
            let at = self.state.len();
            self.state.push(self.state[at - 31].wrapping_add(self.state[at - 3]));
        }
        self.state[index + Self::DROPPED] >> 1
    }
}

#[cfg(test)]
mod tests {
    use super::GlibcRandom;

    /// The first numbers of glibc 2.36.
    #[test]
    fn numbers_are_those_of_glibc() {
        let mut random = GlibcRandom::default();
        let first = [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915];
        for (index, wanted) in first.into_iter().enumerate() {
            assert_eq!(random.number(1, index), wanted);
        }
        assert_eq!(random.number(42, 0), 71_876_166);
        assert_eq!(random.number(1, 2), first[2]);
    }
}
