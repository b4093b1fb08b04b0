//! What an observer is told while a program runs: volatile accesses and calls.

use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{ExprKind, FunctionId, RecordKind, Type, TypeId};

use super::Machine;
use crate::code::{Callee, Reg};
use crate::lower::object_name;
use crate::memory::Origin;
use crate::underspecified;
use crate::value::{Scalar, Value};
use crate::verdict::At;

/// Something that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Where.
    pub at: At,
    /// What.
    pub action: Action,
}

/// What can happen; objects, functions and values in the words of C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// A volatile object was read.
    Read {
        /// The object, or the part of it.
        object: String,
        /// What it held.
        value: String,
    },
    /// A volatile object was written.
    Write {
        /// The object, or the part of it.
        object: String,
        /// What it holds now.
        value: String,
    },
    /// A function was called, of the program or of the library.
    Call {
        /// Its name.
        function: String,
        /// Its arguments.
        arguments: Vec<String>,
    },
}

impl Machine<'_> {
    /// Notes a volatile access, which is a part of the behaviour.
    pub(super) fn trace(&mut self, pointer: Value, ty: Scalar, value: Value, write: bool) {
        self.volatile_accesses += 1;
        let offset = match self.memory.slot_of(pointer.high) {
            Some((slot, _)) => pointer.low.wrapping_sub(self.memory.slots[slot as usize].address),
            None => 0,
        };
        // The value of a pointer is an address, which is no behaviour.
        let shown = if value.high == 0 { value.low } else { 0 };
        for word in [offset, shown, u64::from(write)] {
            self.volatile_hash ^= word;
            self.volatile_hash = self.volatile_hash.wrapping_mul(0x100_0000_01b3);
        }
        if self.observer.is_some() {
            let (object, value) = (self.place_in_words(pointer), self.in_words(ty, value));
            self.tell(match write {
                true => Action::Write { object, value },
                false => Action::Read { object, value },
            });
        }
    }

    /// Tells of a call; the arguments are in registers from `args` on.
    #[cold]
    pub(super) fn trace_call(
        &mut self,
        caller: Option<FunctionId>,
        callee: Option<FunctionId>,
        site: u32,
        base: usize,
        args: Reg,
    ) {
        let site = self.code(caller).sites[site as usize].clone();
        let function = match (callee, site.callee) {
            (Some(id), _) | (None, Callee::Function(id)) => {
                self.program.text(self.program[id].name).to_owned()
            }
            (None, _) => self.called_name().to_owned(),
        };
        let first = base + args as usize;
        let arguments = (first..).zip(&site.arguments).map(|(register, ty)| {
            let value = self.registers[register];
            match Scalar::of(self.program, *ty) {
                Some(scalar) => self.in_words(scalar, value),
                None => "{...}".to_owned(),
            }
        });
        let arguments = arguments.collect();
        self.tell(Action::Call { function, arguments });
    }

    /// Tells of a call from the library, whose arguments are pointers.
    #[cold]
    pub(super) fn trace_call_back(&mut self, callee: FunctionId, arguments: &[Value]) {
        let function = self.program.text(self.program[callee].name).to_owned();
        let arguments = arguments.iter().map(|value| self.in_words(Scalar::Pointer, *value));
        let arguments = arguments.collect();
        self.tell(Action::Call { function, arguments });
    }

    /// The name of the library function or builtin that is called here.
    fn called_name(&self) -> &str {
        let At::Expr(call) = self.at() else { return "a builtin" };
        match &self.program[call].kind {
            ExprKind::Call(pointer, _) => match self.program[*pointer].kind {
                ExprKind::Decay(function) => match self.program[function].kind {
                    ExprKind::Function(id) => self.program.text(self.program[id].name),
                    _ => "a function",
                },
                _ => "a function",
            },
            ExprKind::Builtin(builtin, _) => builtin.name(),
            _ => "a builtin",
        }
    }

    fn tell(&mut self, action: Action) {
        let at = self.at();
        if let Some(observer) = &mut self.observer {
            observer(&Event { at, action });
        }
    }

    fn in_words(&mut self, ty: Scalar, value: Value) -> String {
        if matches!(ty, Scalar::Int { .. }) && underspecified::valued_bits(value.high).is_some() {
            return "no value".to_owned();
        }
        match ty {
            Scalar::Pointer if (value.low, value.high) == (0, 0) => "null".to_owned(),
            Scalar::Pointer => match self.memory.slot_of(value.high) {
                Some((slot, _)) => match self.memory.slots[slot as usize].origin {
                    Origin::Function(id) => self.program.text(self.program[id].name).to_owned(),
                    Origin::Stream(stream) => stream.name().to_owned(),
                    Origin::String(_) => self.string_in_words(slot, value),
                    // A pointer to the start of an object may be meant for the whole.
                    Origin::Object(id) if value.low == self.memory.slots[slot as usize].address => {
                        format!("&{}", object_name(self.program, id))
                    }
                    _ => format!("&{}", self.place_in_words(value)),
                },
                None => format!("{:#x}", value.low),
            },
            Scalar::Int { .. } if value.high != 0 => "an address".to_owned(),
            Scalar::Int { signed: true, .. } => (value.low as i64).to_string(),
            Scalar::Int { .. } | Scalar::Bool => value.low.to_string(),
            Scalar::Wide { signed: true, .. } => (value.bits() as i128).to_string(),
            Scalar::Wide { .. } => value.bits().to_string(),
            Scalar::Single => f32::from_bits(value.low as u32).to_string(),
            Scalar::Double => f64::from_bits(value.low).to_string(),
            Scalar::Float(format) => {
                let double = FloatValue { format, bits: value.bits() }.convert(FloatFormat::Double);
                f64::from_bits(double.0.bits as u64).to_string()
            }
        }
    }

    /// The rest of a string literal from where a pointer points, if it is not long.
    fn string_in_words(&self, slot: u32, pointer: Value) -> String {
        const LONGEST: usize = 40;
        let start = pointer.low.wrapping_sub(self.memory.slots[slot as usize].address) as usize;
        let bytes = self.memory.raw_bytes(slot).get(start..).unwrap_or_default();
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        match text.len() {
            ..=LONGEST => format!("\"{}\"", text.escape_ascii()),
            _ => format!("\"{}\"...", text[..LONGEST].escape_ascii()),
        }
    }

    /// What a pointer points to, such as `s.b[2]`.
    fn place_in_words(&mut self, pointer: Value) -> String {
        let Some((slot, alive)) = self.memory.slot_of(pointer.high) else {
            return "nothing".to_owned();
        };
        let slot = &self.memory.slots[slot as usize];
        let offset = pointer.low.wrapping_sub(slot.address);
        let (mut words, ty) = match slot.origin {
            Origin::Object(object) => {
                (object_name(self.program, object), Some(self.program[object].ty))
            }
            Origin::String(_) => ("a string".to_owned(), None),
            Origin::Temporary(_) => ("a temporary".to_owned(), slot.declared),
            Origin::Heap => ("memory from malloc".to_owned(), None),
            Origin::Alloca => ("memory from alloca".to_owned(), None),
            Origin::Library | Origin::Stream(_) => ("an object of the library".to_owned(), None),
            Origin::Function(id) => (self.program.text(self.program[id].name).to_owned(), None),
        };
        if !alive {
            words.insert_str(0, "dead ");
        }
        let rest = match ty {
            Some(ty) => self.descend(&mut words, ty, offset),
            None => offset,
        };
        if rest != 0 {
            words.push_str(&format!(" + {rest}"));
        }
        words
    }

    /// Adds the path to the scalar at `offset`, and returns what is left of the offset.
    fn descend(&mut self, words: &mut String, ty: TypeId, offset: u64) -> u64 {
        let (mut ty, mut offset) = (ty, offset);
        loop {
            match *self.program.resolve(ty) {
                Type::Array { element, .. } | Type::Vector { element, .. } => {
                    let Ok(size @ 1..) = self.layouts.size_of(self.program, element) else {
                        return offset;
                    };
                    words.push_str(&format!("[{}]", offset / size));
                    (ty, offset) = (element, offset % size);
                }
                Type::Record(record) if self.program[record].kind == RecordKind::Struct => {
                    let Ok(layout) = self.layouts.record(self.program, record) else {
                        return offset;
                    };
                    let fields = self.program[record].fields.as_deref().unwrap_or_default();
                    // The last that begins no later. Bit-fields share their bytes, so
                    // that no name would be certain.
                    let mut members = fields.iter().zip(&layout.fields);
                    let found = members.rfind(|(_, place)| place.offset <= offset);
                    let Some((field, place)) = found.filter(|(_, place)| place.bits.is_none())
                    else {
                        return offset;
                    };
                    let (inner, start) = (field.ty, place.offset);
                    if let Some(name) = field.name {
                        words.push_str(&format!(".{}", self.program.text(name)));
                    }
                    (ty, offset) = (inner, offset - start);
                }
                _ => return offset,
            }
        }
    }
}

/// The listener that is told what happens.
pub(crate) type Observer<'a> = &'a mut dyn FnMut(&Event);
