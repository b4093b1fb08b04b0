//! What ends the program, C11 7.22.4, and signals, C11 7.14.

use super::errno::EINVAL;
use super::{Arguments, Library, argument};
use crate::kinds::{Cause, UbKind};
use crate::run::Machine;
use crate::underspecified;
use crate::value::{Scalar, Value};
use crate::verdict::{Checked, Ending, Stop, undefined, unspecified, unsupported};

/// The functions to call when the program ends, and when signals arrive.
#[derive(Debug, Default)]
pub(crate) struct Handlers {
    /// For `exit`, the last first.
    pub(crate) exit: Vec<Value>,
    /// For `quick_exit`.
    pub(crate) quick_exit: Vec<Value>,
    /// Whether the program is ending.
    pub(crate) ending: bool,
    /// By signal; those that are not here are handled in the default way.
    signals: Vec<(u64, Handler)>,
    /// Whether the handler of a signal runs.
    raised: bool,
}

/// What happens when a signal arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Handler {
    Function(Value),
    Ignore,
    /// It was a function, which was called: whether it is still there is left open.
    Called,
}

/// The numbers of Linux.
const SIGABRT: u64 = 6;
const LAST_SIGNAL: u64 = 64;
const SIG_IGN: u64 = 1;
const UNCAUGHT: [u64; 2] = [9, 19];

impl Machine<'_> {
    /// Ends the program without a clean-up: whether output that is still in a buffer is
    /// written is a choice of the library, C11 7.22.4.1p2 and 7.22.4.5p2.
    pub(super) fn end_at_once(&mut self) -> Checked {
        self.handlers.exit.clear();
        if self.flushed < self.output.len() {
            return unspecified(
                Cause::Library,
                "whether output in a buffer is written at this end",
            );
        }
        Ok(())
    }

    pub(super) fn ending_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        use Library::*;
        match function {
            Exit | ExitAtOnce | QuickExit => {
                let status = argument(arguments, 0)?;
                if status.high != 0 {
                    return underspecified::tainted(
                        status,
                        "an exit status that depends on an address",
                    );
                }
                if function != ExitAtOnce && self.handlers.ending {
                    return undefined(UbKind::ExitTwice, "the program is ending already");
                }
                match function {
                    Exit => {}
                    QuickExit => {
                        self.end_at_once()?;
                        self.handlers.exit = std::mem::take(&mut self.handlers.quick_exit);
                    }
                    _ => self.end_at_once()?,
                }
                Err(Box::new(Stop::End(Ending::Exit(status.low as i32))))
            }
            Atexit | AtQuickExit => {
                let handler = argument(arguments, 0)?;
                self.callee(handler)?;
                if self.handlers.ending {
                    return unspecified(
                        Cause::Library,
                        "whether a function can be registered while the program ends",
                    );
                }
                match function {
                    Atexit => self.handlers.exit.push(handler),
                    _ => self.handlers.quick_exit.push(handler),
                }
                Ok(Value::int(0))
            }
            Signal => self.set_handler(argument(arguments, 0)?.low, argument(arguments, 1)?),
            Raise => self.raise(argument(arguments, 0)?.low),
            _ => {
                if matches!(function, Abort | AssertFail)
                    && let Some(Handler::Function(handler)) = self.handler(SIGABRT)
                {
                    self.call_handler(SIGABRT, handler)?;
                }
                self.end_at_once()?;
                Err(Box::new(Stop::End(Ending::Abort)))
            }
        }
    }

    fn handler(&self, signal: u64) -> Option<Handler> {
        let found = self.handlers.signals.iter().find(|(number, _)| *number == signal);
        found.map(|(_, handler)| *handler)
    }

    fn replace_handler(&mut self, signal: u64, handler: Option<Handler>) -> Option<Handler> {
        let old = self.handler(signal);
        self.handlers.signals.retain(|(number, _)| *number != signal);
        self.handlers.signals.extend(handler.map(|handler| (signal, handler)));
        old
    }

    /// C11 7.14.1.1: the result is what handled the signal before.
    fn set_handler(&mut self, signal: u64, pointer: Value) -> Checked<Value> {
        if signal == 0 || signal > LAST_SIGNAL || UNCAUGHT.contains(&signal) {
            self.fail(EINVAL)?;
            return Ok(Value {
                low: u64::MAX >> (64 - 8 * self.program.target.pointer.size),
                high: 0,
            });
        }
        let handler = match pointer {
            Value { low: 0, high: 0 } => None,
            Value { low: SIG_IGN, high: 0 } => Some(Handler::Ignore),
            _ => {
                self.callee(pointer)?;
                Some(Handler::Function(pointer))
            }
        };
        match self.replace_handler(signal, handler) {
            None => Ok(Value::default()),
            Some(Handler::Ignore) => Ok(Value { low: SIG_IGN, high: 0 }),
            Some(Handler::Function(old)) => Ok(old),
            // The handler itself or the default: a pointer of which nothing is known.
            Some(Handler::Called) => Ok(underspecified::open(underspecified::Open::Nothing)),
        }
    }

    /// C11 7.14.2.1
    fn raise(&mut self, signal: u64) -> Checked<Value> {
        if self.handlers.raised {
            return undefined(UbKind::BadSignal, "the handler of a signal calls raise");
        }
        match self.handler(signal) {
            Some(Handler::Ignore) => Ok(Value::int(0)),
            Some(Handler::Function(handler)) => {
                self.call_handler(signal, handler)?;
                Ok(Value::int(0))
            }
            Some(Handler::Called) => unspecified(
                Cause::Library,
                "whether a handler is still there after it was called once",
            ),
            None if signal == SIGABRT => {
                self.end_at_once()?;
                Err(Box::new(Stop::End(Ending::Abort)))
            }
            None => unsupported(format!("the default action of signal {signal}")),
        }
    }

    fn call_handler(&mut self, signal: u64, handler: Value) -> Checked {
        self.replace_handler(signal, Some(Handler::Called));
        self.handlers.raised = true;
        let bits = self.program.target.int_bits(farrier_lang::IntKind::Int) as u8;
        let int = Scalar::Int { signed: true, bits };
        self.call_back_with(handler, &[Value::int(signal as i64)], int)?;
        self.handlers.raised = false;
        Ok(())
    }
}
