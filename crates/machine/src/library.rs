//! The functions that the machine itself provides: a part of the C library, and builtins.

mod bits;
mod format;
mod strings;

use farrier_lang::{IntegerType, Type, TypeId, integer_type};

use crate::kinds::{Cause, UbKind};
use crate::memory::{Location, Origin};
use crate::order::Area;
use crate::run::Machine;
use crate::value::{Scalar, Value};
use crate::verdict::{Ending, Limit, Step, Stop, undefined, unspecified, unsupported};

/// Declares the functions: the variant and every name it is known by.
macro_rules! library {
    ($($variant:ident = $($name:literal)|+;)*) => {
        /// A function that the machine provides.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Library {
            $($variant,)*
        }

        impl Library {
            /// The function with this name, which has no `__builtin_` in front.
            pub(crate) fn by_name(name: &str) -> Option<Self> {
                Some(match name {
                    $($($name)|+ => Self::$variant,)*
                    _ => return None,
                })
            }
        }
    };
}

library! {
    Abort = "abort";
    Trap = "trap";
    Unreachable = "unreachable";
    Exit = "exit" | "_exit" | "_Exit";
    AssertFail = "__assert_fail";
    Printf = "printf" | "printf_unlocked";
    Puts = "puts";
    Putchar = "putchar";
    Sprintf = "sprintf";
    Snprintf = "snprintf";
    Malloc = "malloc";
    Calloc = "calloc";
    Realloc = "realloc";
    Free = "free";
    Alloca = "alloca";
    Memcpy = "memcpy";
    Memmove = "memmove";
    Memset = "memset";
    Memcmp = "memcmp";
    Strlen = "strlen";
    Strcpy = "strcpy";
    Strncpy = "strncpy";
    Strcat = "strcat";
    Strcmp = "strcmp";
    Strncmp = "strncmp";
    Strchr = "strchr" | "index";
    Strrchr = "strrchr" | "rindex";
    Memchr = "memchr";
    Abs = "abs" | "labs" | "llabs" | "imaxabs";
    CountLeadingZeros = "clz" | "clzl" | "clzll";
    CountTrailingZeros = "ctz" | "ctzl" | "ctzll";
    CountLeadingSigns = "clrsb" | "clrsbl" | "clrsbll";
    PopulationCount = "popcount" | "popcountl" | "popcountll";
    Parity = "parity" | "parityl" | "parityll";
    FindFirstSet = "ffs" | "ffsl" | "ffsll";
    ByteSwap = "bswap16" | "bswap32" | "bswap64" | "bswap128";
    AddOverflow = "add_overflow" | "sadd_overflow" | "saddl_overflow" | "saddll_overflow"
        | "uadd_overflow" | "uaddl_overflow" | "uaddll_overflow";
    SubOverflow = "sub_overflow" | "ssub_overflow" | "ssubl_overflow" | "ssubll_overflow"
        | "usub_overflow" | "usubl_overflow" | "usubll_overflow";
    MulOverflow = "mul_overflow" | "smul_overflow" | "smull_overflow" | "smulll_overflow"
        | "umul_overflow" | "umull_overflow" | "umulll_overflow";
    AddOverflowTest = "add_overflow_p";
    SubOverflowTest = "sub_overflow_p";
    MulOverflowTest = "mul_overflow_p";
    Prefetch = "prefetch";
    AssumeAligned = "assume_aligned";
    IsNan = "isnan" | "isnanf" | "isnanl";
    IsInf = "isinf" | "isinff" | "isinfl";
    IsFinite = "isfinite" | "finite";
    FloatAbs = "fabs" | "fabsf" | "fabsl";
    Sqrt = "sqrt" | "sqrtf";
    CopySign = "copysign" | "copysignf";
    Inf = "inf" | "inff" | "infl" | "huge_val" | "huge_valf" | "huge_vall";
    SignBit = "signbit" | "signbitf" | "signbitl";
}

impl Library {
    /// Whether it touches no memory of the program and no output.
    pub(crate) fn is_pure(self) -> bool {
        use Library::*;
        matches!(
            self,
            Abs | CountLeadingZeros
                | CountTrailingZeros
                | CountLeadingSigns
                | PopulationCount
                | Parity
                | FindFirstSet
                | ByteSwap
                | AddOverflowTest
                | SubOverflowTest
                | MulOverflowTest
                | Prefetch
                | AssumeAligned
                | IsNan
                | IsInf
                | IsFinite
                | FloatAbs
                | Sqrt
                | CopySign
                | Inf
                | SignBit
                | Malloc
                | Calloc
                | Alloca
        )
    }

    /// Whether it may write to memory that the program can see.
    pub(crate) fn writes_memory(self) -> bool {
        use Library::*;
        !matches!(
            self,
            Printf
                | Puts
                | Putchar
                | Memcmp
                | Strlen
                | Strcmp
                | Strncmp
                | Strchr
                | Strrchr
                | Memchr
        )
    }

    /// Whether it writes output, or ends the program.
    pub(crate) fn prints(self) -> bool {
        use Library::*;
        matches!(self, Printf | Puts | Putchar | Abort | Trap | Exit | AssertFail)
    }
}

/// Arguments with their types.
pub(crate) type Arguments<'a> = &'a [(Value, TypeId)];

impl Machine<'_> {
    /// Calls a library function.
    pub(crate) fn library(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
        result: TypeId,
    ) -> Step<Value> {
        use Library::*;
        match function {
            Abort | Trap | AssertFail => Err(Box::new(Stop::End(Ending::Abort))),
            Unreachable => undefined(UbKind::Unreachable, "__builtin_unreachable is reached"),
            Exit => {
                let status = argument(arguments, 0)?.low as i32;
                Err(Box::new(Stop::End(Ending::Exit(status))))
            }
            Printf => {
                let text = self.format(arguments, 0)?;
                self.print(&text)?;
                Ok(Value::int(text.len() as i64))
            }
            Puts => {
                let mut text = self.string(argument(arguments, 0)?)?;
                text.push(b'\n');
                self.print(&text)?;
                Ok(Value::int(text.len() as i64))
            }
            Putchar => {
                let byte = argument(arguments, 0)?.low as u8;
                self.print(&[byte])?;
                Ok(Value::int(i64::from(byte)))
            }
            Sprintf | Snprintf => self.print_to_memory(function == Snprintf, arguments),
            Malloc | Alloca => self.allocate_heap(argument(arguments, 0)?.low, false),
            Calloc => {
                let (count, size) = (argument(arguments, 0)?.low, argument(arguments, 1)?.low);
                match count.checked_mul(size) {
                    Some(bytes) => self.allocate_heap(bytes, true),
                    None => Ok(Value::default()),
                }
            }
            Realloc => self.reallocate(argument(arguments, 0)?, argument(arguments, 1)?.low),
            Free => self.free(argument(arguments, 0)?),
            Memcpy | Memmove | Memset | Memcmp | Memchr | Strlen | Strcpy | Strncpy | Strcat
            | Strcmp | Strncmp | Strchr | Strrchr => self.string_function(function, arguments),
            CountLeadingZeros | CountTrailingZeros | CountLeadingSigns | PopulationCount
            | Parity | FindFirstSet | ByteSwap | AddOverflow | SubOverflow | MulOverflow
            | AddOverflowTest | SubOverflowTest | MulOverflowTest | Abs => {
                self.bit_function(function, arguments, result)
            }
            Prefetch => Ok(Value::default()),
            AssumeAligned => argument(arguments, 0),
            IsNan | IsInf | IsFinite | FloatAbs | Sqrt | CopySign | Inf | SignBit => {
                self.math_function(function, arguments, result)
            }
        }
    }

    pub(crate) fn print(&mut self, text: &[u8]) -> Step {
        const LIMIT: usize = 64 << 20;
        if self.output.len() + text.len() > LIMIT {
            return Err(Box::new(Stop::Exhausted(Limit::Output(LIMIT))));
        }
        if self.memory.order.is_active() {
            self.memory.order.record(Area::Output, 0, 0, 1, true);
        }
        self.output.extend_from_slice(text);
        Ok(())
    }

    fn print_to_memory(&mut self, bounded: bool, arguments: Arguments<'_>) -> Step<Value> {
        let to = argument(arguments, 0)?;
        let limit = if bounded { argument(arguments, 1)?.low } else { u64::MAX };
        let mut text = self.format(arguments, 1 + usize::from(bounded))?;
        let length = text.len();
        if limit == 0 {
            return Ok(Value::int(length as i64));
        }
        text.truncate((limit - 1).min(usize::MAX as u64) as usize);
        text.push(0);
        self.write_bytes(to, &text)?;
        Ok(Value::int(length as i64))
    }

    fn write_bytes(&mut self, to: Value, bytes: &[u8]) -> Step {
        let at = self.memory.locate(to, bytes.len() as u64, 1)?;
        self.check_writable(at)?;
        for (index, byte) in bytes.iter().enumerate() {
            let at = Location { slot: at.slot, offset: at.offset + index as u64 };
            self.memory.write(at, 1, u128::from(*byte), 0);
        }
        Ok(())
    }

    fn allocate_heap(&mut self, size: u64, zeroed: bool) -> Step<Value> {
        if size > self.heap_limit {
            // A request that no machine grants.
            return Err(Box::new(Stop::Exhausted(Limit::Memory(self.heap_limit))));
        }
        let slot = self.memory.allocate(Origin::Heap, size, 16, None)?;
        if zeroed {
            self.memory.fill(Location { slot, offset: 0 }, size, 0);
        }
        Ok(self.memory.pointer_to(slot))
    }

    /// The slot of a pointer that can be freed.
    fn heap_slot(&self, pointer: Value) -> Step<u32> {
        match self.memory.slot_of(pointer.high) {
            Some((slot, alive)) => {
                let data = &self.memory.slots[slot as usize];
                if data.origin != Origin::Heap {
                    return undefined(UbKind::BadFree, "this memory is not from malloc");
                }
                if !alive {
                    return undefined(UbKind::BadFree, "this memory is freed already");
                }
                if data.address != pointer.low {
                    return undefined(UbKind::BadFree, "this is not the start of the memory");
                }
                Ok(slot)
            }
            None => undefined(UbKind::BadFree, "this pointer is not from malloc"),
        }
    }

    fn free(&mut self, pointer: Value) -> Step<Value> {
        if pointer.low == 0 && pointer.high == 0 {
            return Ok(Value::default());
        }
        let slot = self.heap_slot(pointer)?;
        self.memory.kill(slot);
        self.memory.release(slot);
        Ok(Value::default())
    }

    fn reallocate(&mut self, pointer: Value, size: u64) -> Step<Value> {
        let new = self.allocate_heap(size, false)?;
        if pointer.low == 0 && pointer.high == 0 {
            return Ok(new);
        }
        let slot = self.heap_slot(pointer)?;
        let keep = self.memory.slots[slot as usize].size.min(size);
        if keep > 0 {
            let from = self.memory.locate(pointer, keep, 1)?;
            let to = self.memory.locate(new, keep, 1)?;
            self.memory.copy(to, from, keep);
        }
        self.memory.kill(slot);
        self.memory.release(slot);
        Ok(new)
    }

    /// The bytes of a string, without the terminating zero.
    pub(crate) fn string(&self, pointer: Value) -> Step<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut at = pointer;
        loop {
            let location = self.memory.locate(at, 1, 1)?;
            let (byte, provenance) = self.memory.read(location, 1)?;
            if provenance != 0 {
                return unspecified(Cause::Address, "the bytes of a pointer are used as text");
            }
            if byte == 0 {
                return Ok(bytes);
            }
            bytes.push(byte as u8);
            at.low += 1;
        }
    }

    fn integer_class(&self, ty: TypeId) -> IntegerType {
        integer_type(self.program, ty).unwrap_or(IntegerType { signed: true, bits: 32 })
    }

    fn math_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
        result: TypeId,
    ) -> Step<Value> {
        if function == Library::Inf {
            return match Scalar::of(self.program, result) {
                Some(Scalar::Single) => {
                    Ok(Value { low: u64::from(f32::INFINITY.to_bits()), high: 0 })
                }
                Some(Scalar::Double) => Ok(Value { low: f64::INFINITY.to_bits(), high: 0 }),
                _ => unsupported("this floating type"),
            };
        }
        let (value, ty) = *arguments.first().ok_or_else(missing)?;
        let second = arguments.get(1).map(|(value, _)| *value).unwrap_or_default();
        let (number, other, single) = match Scalar::of(self.program, ty) {
            Some(Scalar::Double) => (f64::from_bits(value.low), f64::from_bits(second.low), false),
            Some(Scalar::Single) => (
                f64::from(f32::from_bits(value.low as u32)),
                f64::from(f32::from_bits(second.low as u32)),
                true,
            ),
            _ => return unsupported("mathematics on this floating type"),
        };
        let float = |number: f64| {
            Ok(Value {
                low: if single { u64::from((number as f32).to_bits()) } else { number.to_bits() },
                high: 0,
            })
        };
        let truth = |truth: bool| Ok(Value::int(i64::from(truth)));
        match function {
            Library::IsNan => truth(number.is_nan()),
            Library::IsInf => Ok(Value::int(if number.is_infinite() {
                if number > 0.0 { 1 } else { -1 }
            } else {
                0
            })),
            Library::IsFinite => truth(number.is_finite()),
            Library::SignBit => truth(number.is_sign_negative()),
            Library::FloatAbs => float(number.abs()),
            // The square root of a float, rounded twice, is rounded right.
            Library::Sqrt => float(number.sqrt()),
            _ => float(number.copysign(other)),
        }
    }

    /// Whether a type is a pointer, for `%p` and `%s`.
    pub(crate) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.program.resolve(ty), Type::Pointer(_))
    }
}

fn missing() -> Box<Stop> {
    Box::new(Stop::Undefined(UbKind::CallArguments, "an argument is missing".to_owned()))
}

/// An argument, which the program may have left out.
pub(crate) fn argument(arguments: Arguments<'_>, index: usize) -> Step<Value> {
    arguments.get(index).map(|(value, _)| *value).ok_or_else(missing)
}
