//! Atomic operations, on the one thread there is.

use farrier_lang::{BinaryOp, TypeId, UnaryOp};

use super::{Arguments, Library, argument, missing};
use crate::arithmetic;
use crate::memory::Location;
use crate::run::Machine;
use crate::value::{Scalar, Value};
use crate::verdict::{Checked, unsupported};

/// An object that is operated on.
#[derive(Clone, Copy)]
struct Operand {
    at: Location,
    scalar: Scalar,
}

impl Machine<'_> {
    pub(super) fn atomic_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        use Library::*;
        match function {
            TestAndSet | AtomicClear => return self.atomic_flag(function, arguments),
            AtomicLoad | AtomicStore | AtomicExchange => {
                let object = self.operand(arguments, 0)?;
                let other = self.operand(arguments, 1)?;
                let (from, to) = match function {
                    AtomicLoad => (object, other),
                    _ => (other, object),
                };
                if function == AtomicExchange {
                    let result = self.operand(arguments, 2)?;
                    let old = self.load_scalar(object.at, object.scalar)?;
                    let new = self.load_scalar(from.at, from.scalar)?;
                    self.store_operand(object, new)?;
                    self.store_operand(result, old)?;
                    return Ok(Value::default());
                }
                let value = self.load_scalar(from.at, from.scalar)?;
                self.store_operand(to, value)?;
                return Ok(Value::default());
            }
            CompareExchange | CompareExchangeValue => {
                let object = self.operand(arguments, 0)?;
                let expected = self.operand(arguments, 1)?;
                let desired = match function {
                    CompareExchange => {
                        let desired = self.operand(arguments, 2)?;
                        self.load_scalar(desired.at, desired.scalar)?
                    }
                    _ => argument(arguments, 2)?,
                };
                let old = self.load_scalar(object.at, object.scalar)?;
                let other = self.load_scalar(expected.at, expected.scalar)?;
                let (left, right) = self.memory.compared(old, other);
                let equal = left == right;
                if equal {
                    self.store_operand(object, desired)?;
                } else {
                    self.store_operand(expected, old)?;
                }
                return Ok(Value::int(i64::from(equal)));
            }
            _ => {}
        }
        let object = self.operand(arguments, 0)?;
        match function {
            LockRelease => {
                self.store_operand(object, Value::default())?;
                return Ok(Value::default());
            }
            AtomicStoreValue => {
                self.store_operand(object, argument(arguments, 1)?)?;
                return Ok(Value::default());
            }
            _ => {}
        }
        let old = self.load_scalar(object.at, object.scalar)?;
        if function == AtomicLoadValue {
            return Ok(old);
        }
        let value = argument(arguments, 1)?;
        match function {
            SwapValue => {
                self.store_operand(object, value)?;
                return Ok(old);
            }
            CompareSwapValue | CompareSwapTest => {
                let (left, right) = self.memory.compared(old, value);
                let equal = left == right;
                if equal {
                    self.store_operand(object, argument(arguments, 2)?)?;
                }
                let tested = Value::int(i64::from(equal));
                return Ok(if function == CompareSwapTest { tested } else { old });
            }
            _ => {}
        }
        let new = combine(function, object.scalar, old, value)?;
        self.store_operand(object, new)?;
        let before =
            matches!(function, FetchAdd | FetchSub | FetchOr | FetchAnd | FetchXor | FetchNand);
        Ok(if before { old } else { new })
    }

    /// The object that a pointer argument points to.
    fn operand(&mut self, arguments: Arguments<'_>, index: usize) -> Checked<Operand> {
        let (pointer, ty) = *arguments.get(index).ok_or_else(missing)?;
        let pointee: Option<TypeId> = self.program.pointee(ty);
        let Some(scalar) = pointee.and_then(|to| Scalar::of(self.program, to)) else {
            return unsupported("an atomic operation on this type");
        };
        let size = scalar.size(self.program);
        let at = self.memory.locate(pointer, u64::from(size), size)?;
        Ok(Operand { at, scalar })
    }

    fn store_operand(&mut self, operand: Operand, value: Value) -> Checked {
        self.check_writable(operand.at)?;
        self.store_scalar(operand.at, operand.scalar, value)?;
        Ok(())
    }

    /// A flag is a byte of any type; what it holds when it is set is left to the compiler.
    fn atomic_flag(&mut self, function: Library, arguments: Arguments<'_>) -> Checked<Value> {
        let at = self.memory.locate(argument(arguments, 0)?, 1, 1)?;
        self.check_writable(at)?;
        let old = match function {
            Library::TestAndSet => self.memory.read(at, 1)?.0,
            _ => 0,
        };
        self.memory.write(at, 1, u128::from(function == Library::TestAndSet), 0)?;
        Ok(Value::int(i64::from(old != 0)))
    }
}

/// The arithmetic wraps around, for signed types too.
fn combine(function: Library, scalar: Scalar, old: Value, value: Value) -> Checked<Value> {
    use Library::*;
    let unsigned = match scalar {
        Scalar::Int { bits, .. } => Scalar::Int { signed: false, bits },
        Scalar::Wide { bits, .. } => Scalar::Wide { signed: false, bits },
        Scalar::Pointer => return unsupported("atomic arithmetic on pointers"),
        _ => return unsupported("an atomic operation on this type"),
    };
    let op = match function {
        FetchAdd | AddFetch => BinaryOp::Add,
        FetchSub | SubFetch => BinaryOp::Sub,
        FetchOr | OrFetch => BinaryOp::BitOr,
        FetchXor | XorFetch => BinaryOp::BitXor,
        _ => BinaryOp::BitAnd,
    };
    let old = arithmetic::convert(scalar, unsigned, old)?;
    let value = arithmetic::convert(scalar, unsigned, value)?;
    let mut new = arithmetic::binary(op, unsigned, old, value)?;
    if matches!(function, FetchNand | NandFetch) {
        new = arithmetic::unary(UnaryOp::BitNot, unsigned, new)?;
    }
    arithmetic::convert(unsigned, scalar, new)
}
