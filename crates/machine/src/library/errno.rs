//! `errno`, C11 7.5: an object of the library, made when the program first asks for it.

use crate::memory::{Location, Origin};
use crate::run::Machine;
use crate::underspecified::{Open, open};
use crate::value::Value;
use crate::verdict::Checked;

/// The numbers of Linux.
pub(super) const ENOENT: i64 = 2;
pub(super) const EEXIST: i64 = 17;
pub(super) const EINVAL: i64 = 22;
pub(super) const EDOM: i64 = 33;
pub(super) const ERANGE: i64 = 34;

impl Machine<'_> {
    /// `__errno_location`: where `errno` is.
    pub(super) fn errno_location(&mut self) -> Checked<Value> {
        let slot = match self.errno {
            Some(slot) => slot,
            None => {
                let size = self.int_bytes();
                let slot = self.memory.allocate(Origin::Library, size.into(), size, None)?;
                self.memory.fill(Location::new(slot, 0), size.into(), 0)?;
                self.errno = Some(slot);
                slot
            }
        };
        Ok(self.memory.pointer_to(slot))
    }

    pub(super) fn int_bytes(&self) -> u32 {
        self.program.target.int_bits(farrier_lang::IntKind::Int) / 8
    }

    /// Sets `errno`. Without a location it has never been looked at, but it may be later.
    pub(super) fn set_errno(&mut self, value: Value) -> Checked {
        self.errno_location()?;
        let slot = self.errno.expect("made above");
        let size = self.int_bytes();
        self.memory.write(Location::new(slot, 0), size, value.low.into(), value.high)
    }

    pub(super) fn fail(&mut self, number: i64) -> Checked {
        self.set_errno(Value::int(number))
    }

    /// C11 7.5p3: a function may change `errno` even if it succeeds, but not to zero,
    /// unless the standard says what it does with it.
    pub(super) fn disturb_errno(&mut self) -> Checked {
        let Some(slot) = self.errno else { return Ok(()) };
        let at = Location::new(slot, 0);
        let size = self.int_bytes();
        if self.memory.is_missing(at, size.into()) {
            return Ok(());
        }
        let (value, mark) = self.memory.read(at.unrecorded(), size)?;
        let known = if value == 0 && mark == 0 { Open::NotNegative } else { Open::Positive };
        if mark == 0 {
            let open = open(known);
            self.memory.write(at.unrecorded(), size, open.low.into(), open.high)?;
        }
        Ok(())
    }
}
