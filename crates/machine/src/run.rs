//! The interpreter: runs operations until the program ends or must stop.

mod access;
mod calls;
mod cold;
mod collect;
mod endless;
mod frames;
mod jumps;
mod leaks;
mod lists;
mod nested;
mod places;
mod pointers;
mod promises;
mod quick;
mod recovery;
mod trace;

use std::rc::Rc;

use farrier_lang::layout::Layouts;
use farrier_lang::{ExprId, FunctionId, Id, ObjectId, Program, Type, TypeId, UnaryOp};
use rustc_hash::FxHashMap;

use crate::Options;
use crate::aliasing::Aliasing;
use crate::arithmetic;
use crate::code::{Callee, Code, Guard, Op, Position, Reg};
use crate::collected::{Collected, Fault};
use crate::kinds::UbKind;
use crate::library::{Files, GlibcRandom, Handlers, Remembered};
use crate::linking;
use crate::lower::{self, Lowered};
use crate::memory::{Location, Memory};
use crate::order::Area;
use crate::profile::{Observed, Profile};
use crate::underspecified;
use crate::value::{Scalar, Value};
use crate::verdict::{
    At, Behavior, Call, Checked, Ending, Run, Stop, Ub, Unspecified, Unsupported, Verdict,
    undefined, unsupported,
};
use crate::watch;

pub(crate) use self::trace::Observer;
pub use self::trace::{Action, Event};

/// A local in memory that is not alive.
const DEAD: u32 = u32::MAX;

/// One active call.
#[derive(Debug)]
struct Frame {
    function: Option<FunctionId>,
    position: Position,
    /// Its first register.
    base: usize,
    /// Its first local in memory.
    locals: usize,
    /// A number of its own, by which a `va_list` knows its frame.
    serial: u64,
    /// How many recorded expressions were open when it began.
    open: usize,
    attached: Option<Box<Attached>>,
}

/// What few calls have.
#[derive(Debug, Default)]
struct Attached {
    /// The arguments that have no parameter, with their types.
    extra: Vec<(Value, TypeId)>,
    /// Memory that dies with the call: from alloca, and aggregates among `extra`.
    owned: Vec<u32>,
    /// Of a function inside another: the call of that other.
    outer: usize,
    /// The functions inside it whose address was taken, with their slots.
    nested: Vec<(FunctionId, u32)>,
    /// Whether it called `setjmp`.
    jumps: bool,
    /// The next argument of each `va_list` that was started or copied from here.
    lists: Vec<u32>,
}

impl Frame {
    fn extra(&self) -> &[(Value, TypeId)] {
        self.attached.as_ref().map_or(&[], |attached| &attached.extra)
    }

    fn lists(&self) -> &[u32] {
        self.attached.as_ref().map_or(&[], |attached| &attached.lists)
    }

    fn attached(&mut self) -> &mut Attached {
        self.attached.get_or_insert_default()
    }
}

/// A run of a program.
pub(crate) struct Machine<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layouts: Layouts,
    pub(crate) memory: Memory,
    lowered: Lowered<'a>,
    options: &'a Options,
    registers: Vec<Value>,
    frames: Vec<Frame>,
    /// The slots of locals in memory of all active calls.
    locals: Vec<u32>,
    /// Dead slots to be used again, by object; and by size for temporaries.
    pools: FxHashMap<ObjectId, Vec<u32>>,
    size_pools: FxHashMap<(u64, u32), Vec<u32>>,
    aliasing: Aliasing,
    pub(crate) output: Vec<u8>,
    /// How many bytes of the output are certainly written, and not in a buffer.
    pub(crate) flushed: usize,
    pub(crate) files: Files,
    /// Where `errno` is, once the program has asked.
    pub(crate) errno: Option<u32>,
    pub(crate) remembered: Remembered,
    pub(crate) glibc_random: GlibcRandom,
    pub(crate) heap_limit: u64,
    volatile_accesses: u64,
    volatile_hash: u64,
    serial: u64,
    /// The states of `va_list`s, on targets where a list has no room for its state.
    lists: lists::Numbered,
    /// The calls around pointers to functions inside others, by slot.
    nested_calls: FxHashMap<u32, usize>,
    /// The calls of setjmp, by number.
    jumps: FxHashMap<u64, jumps::Jump>,
    /// When there are so many, those that cannot be used any more are forgotten.
    jumps_checked_at: usize,
    pub(crate) handlers: Handlers,
    /// The tables behind `<ctype.h>`, once they are made.
    pub(crate) character_tables: [Option<u32>; 3],
    /// The frame at which the innermost `execute` ends, counted from one.
    bottom: usize,
    /// How many library functions that call back are active.
    nesting: usize,
    /// What is left of the granted steps, while a library function runs.
    budget: u64,
    /// The lengths of arrays that the last call passed: argument, level, length.
    passed_lengths: Vec<(u32, u32, u64)>,
    reserve: endless::Reserve,
    steps: u64,
    /// How many operations only watched values and whether they are exact.
    refunded: u64,
    profile: Option<Profile>,
    /// Room for the values of objects that are seen together.
    sighted: Vec<Observed>,
    observer: Option<Observer<'a>>,
    /// The faults of a collecting run.
    collector: Option<Box<collect::Collector>>,
    /// Whether all operations are for the main loop, as some tests want.
    slowly: bool,
    /// The promise about a loop that the quick loop saw broken.
    broken: Option<Box<Stop>>,
}

/// Runs a program from `main`, and stops at the first fault.
pub(crate) fn run<'a>(
    program: &'a Program,
    options: &'a Options,
    observer: Option<Observer<'a>>,
) -> Run {
    run_with(program, options, observer, None).0
}

/// Runs a program from `main`, and continues after each fault.
pub(crate) fn collect(program: &Program, options: &Options) -> Collected {
    let (run, faults) = run_with(program, options, None, Some(Box::default()));
    let stopped = match run.verdict {
        Verdict::Defined(_) => None,
        verdict => Some(verdict),
    };
    Collected { output: run.output, faults, stopped, profile: run.profile }
}

/// A function of a well-formed program, which something in it names, to be called by itself, any
/// number of times. What it writes outside its locals is there in the next call.
pub struct Callable<'a> {
    machine: Machine<'a>,
    function: FunctionId,
    /// The operations that give all that lives as long as the program its first value.
    started: u64,
}

impl<'a> Callable<'a> {
    /// Makes a program ready, without running it.
    pub fn new(
        program: &'a Program,
        function: FunctionId,
        options: &'a Options,
    ) -> Result<Self, Box<Verdict>> {
        let mut machine = begin(program, options, None, None)?;
        machine.initialise().map_err(|stop| machine.verdict(*stop))?;
        let started = machine.steps;
        Ok(Self { machine, function, started })
    }

    /// Calls the function with integers: the integer that it returns, and how many operations
    /// that takes, with those that make the program ready.
    pub fn call(&mut self, arguments: &[i128]) -> Result<(i128, u64), Box<Verdict>> {
        let machine = &mut self.machine;
        machine.steps = self.started;
        machine.frames.clear();
        machine.locals.clear();
        match machine.call_alone(self.function, arguments) {
            Ok(value) => Ok((value, machine.steps)),
            Err(stop) => Err(machine.verdict(*stop)),
        }
    }
}

fn run_with<'a>(
    program: &'a Program,
    options: &'a Options,
    observer: Option<Observer<'a>>,
    collector: Option<Box<collect::Collector>>,
) -> (Run, Vec<Fault>) {
    let mut machine = match begin(program, options, observer, collector) {
        Ok(machine) => machine,
        Err(verdict) => {
            let (output, leaks) = (Vec::new(), Vec::new());
            return (Run { output, verdict: *verdict, profile: None, leaks }, Vec::new());
        }
    };
    let result = machine.run_all();
    let stop = match machine.run_exit_handlers(result) {
        Ok(ending) => return machine.defined(ending),
        Err(stop) => stop,
    };
    if let Stop::End(ending) = *stop {
        return machine.defined(ending);
    }
    machine.note(&stop);
    let faults = machine.take_faults();
    let verdict = *machine.verdict(*stop);
    let leaks = Vec::new();
    (Run { output: machine.output, verdict, profile: machine.profile, leaks }, faults)
}

/// A machine with a program that has not begun to run.
fn begin<'a>(
    program: &'a Program,
    options: &'a Options,
    observer: Option<Observer<'a>>,
    collector: Option<Box<collect::Collector>>,
) -> Result<Machine<'a>, Box<Verdict>> {
    let mut layouts = Layouts::default();
    let mut memory = Memory::new(program.target, options.memory);
    let watch = options.profile.as_ref().unwrap_or(&watch::NOTHING);
    let collecting = collector.is_some();
    let lowered = match lower::lower(program, watch, collecting, &mut layouts, &mut memory) {
        Ok(lowered) => lowered,
        Err(stop) => {
            return Err(Box::new(verdict_of(*stop, At::Nowhere, Vec::new(), Vec::new())));
        }
    };
    let profile = options.profile.as_ref().map(|watch| Profile::new(program, watch));
    Ok(Machine {
        program,
        layouts,
        memory,
        lowered,
        options,
        registers: Vec::new(),
        frames: Vec::new(),
        locals: Vec::new(),
        pools: FxHashMap::default(),
        size_pools: FxHashMap::default(),
        aliasing: Aliasing::new(options.strict_aliasing),
        output: Vec::new(),
        flushed: 0,
        files: Files::new(options),
        errno: None,
        remembered: Remembered::default(),
        glibc_random: GlibcRandom::default(),
        heap_limit: options.memory,
        volatile_accesses: 0,
        volatile_hash: 0xcbf2_9ce4_8422_2325,
        serial: 0,
        lists: lists::Numbered::default(),
        nested_calls: FxHashMap::default(),
        jumps: FxHashMap::default(),
        jumps_checked_at: 64,
        handlers: Handlers::default(),
        character_tables: [None; 3],
        bottom: 0,
        nesting: 0,
        budget: 0,
        passed_lengths: Vec::new(),
        reserve: endless::Reserve::new(),
        steps: 0,
        refunded: 0,
        profile,
        sighted: Vec::new(),
        observer,
        collector,
        slowly: false,
        broken: None,
    })
}

fn verdict_of(stop: Stop, at: At, stack: Vec<Call>, related: Vec<(At, String)>) -> Verdict {
    match stop {
        Stop::Undefined(kind, message) => {
            Verdict::Undefined(Ub { kind, at, message, stack, related })
        }
        Stop::Unspecified(cause, message) => {
            Verdict::Unspecified(Unspecified { cause, at, message })
        }
        Stop::Unsupported(feature) => Verdict::Unsupported(Unsupported { feature, at }),
        Stop::Exhausted(limit) => Verdict::Exhausted(limit),
        Stop::End(_) => unreachable!("the end of a program is no stop"),
    }
}

impl<'a> Machine<'a> {
    /// What a stop here says of the program.
    fn verdict(&self, stop: Stop) -> Box<Verdict> {
        Box::new(verdict_of(stop, self.at(), self.stack(), self.related()))
    }

    fn defined(mut self, ending: Ending) -> (Run, Vec<Fault>) {
        let linked = linking::check(self.program, &self.lowered);
        if let Err((at, stop)) = &linked {
            self.note_at(stop, *at, None);
        }
        let faults = self.take_faults();
        let leaks = if self.options.leaks { self.leaks() } else { Vec::new() };
        if let Some(profile) = &mut self.profile {
            profile.set_rounds(self.memory.rounds.take_seen());
        }
        let watch = self.options.profile.as_ref();
        let refunded = watch.filter(|watch| watch.exactness).map_or(0, |_| self.refunded);
        if let Err((at, stop)) = linked {
            let verdict = verdict_of(*stop, at, Vec::new(), Vec::new());
            return (Run { output: self.output, verdict, profile: self.profile, leaks }, faults);
        }
        let verdict = Verdict::Defined(Behavior {
            output: self.output.clone(),
            ending,
            volatile_accesses: self.volatile_accesses,
            volatile_hash: self.volatile_hash,
            steps: self.steps - refunded,
        });
        (Run { output: self.output, verdict, profile: self.profile, leaks }, faults)
    }

    /// How many calls are active.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// How many volatile accesses there were so far.
    pub(crate) fn volatile_count(&self) -> u64 {
        self.volatile_accesses
    }

    pub(crate) fn options(&self) -> &'a Options {
        self.options
    }

    fn code(&self, function: Option<FunctionId>) -> &Rc<Code> {
        match function {
            Some(id) => &self.lowered.codes[id.index()],
            None => &self.lowered.start,
        }
    }

    /// Calls a function with integers; the integer that it returns.
    fn call_alone(&mut self, function: FunctionId, arguments: &[i128]) -> Checked<i128> {
        let Type::Function(ty) = self.program.resolve(self.program[function].ty) else {
            return unsupported("a call of something that is no function");
        };
        if !self.lowered.is_named(function) || ty.parameters.len() != arguments.len() {
            return unsupported("a call that the program does not make");
        }
        let result = Scalar::of(self.program, ty.result);
        self.make_ready(function)?;
        self.registers.clear();
        let values = arguments.iter().zip(&ty.parameters).map(|(argument, ty)| {
            match Scalar::of(self.program, *ty) {
                Some(Scalar::Wide { .. }) => Value::wide(*argument as u128),
                _ => Value { low: *argument as u64, high: 0 },
            }
        });
        self.registers.extend(values);
        self.push_frame(Some(function), 0)?;
        match (self.execute()?, result) {
            (Some(value), Some(Scalar::Wide { .. })) => Ok(value.bits() as i128),
            (Some(value), Some(Scalar::Int { signed: true, .. })) => Ok((value.low as i64).into()),
            (Some(value), Some(Scalar::Int { .. } | Scalar::Bool)) => Ok(value.low.into()),
            _ => unsupported("a call that returns no integer"),
        }
    }

    /// Gives everything that lives as long as the program its first value.
    fn initialise(&mut self) -> Checked {
        self.push_frame(None, 0)?;
        self.execute()?;
        for slot in std::mem::take(&mut self.lowered.constants) {
            self.memory.slots[slot as usize].constant = true;
        }
        // The block of a restricted pointer at file scope is that of `main`, C11 6.7.3.1p2.
        for slot in std::mem::take(&mut self.lowered.restricted) {
            self.memory.begin_restricted(slot, (0, 0))?;
        }
        Ok(())
    }

    fn run_all(&mut self) -> Checked<Ending> {
        self.initialise()?;
        let Some(main) = self.program.main() else {
            return unsupported("a program without `main`");
        };
        for destructor in self.run_by_itself("destructor")? {
            let slot = self.lowered.function_slot(destructor);
            self.handlers.exit.push(self.memory.pointer_to(slot));
        }
        for constructor in self.run_by_itself("constructor")? {
            self.make_ready(constructor)?;
            self.registers.clear();
            self.push_frame(Some(constructor), 0)?;
            self.execute()?;
        }
        self.make_ready(main)?;
        let parameters = self.lowered.codes[main.index()].parameters;
        let arguments = match parameters {
            0 => vec![],
            _ => self.main_arguments(parameters as usize)?,
        };
        self.registers.clear();
        self.registers.resize(arguments.len().max(1), Value::default());
        self.registers[..arguments.len()].copy_from_slice(&arguments);
        self.push_frame(Some(main), 0)?;
        let status = self.execute()?;
        let status = match status {
            Some(value) => value.low as i32,
            None => 0,
        };
        Ok(Ending::Exit(status))
    }

    /// Lowers a function with a body, if it was not called before.
    #[inline]
    fn make_ready(&mut self, function: FunctionId) -> Checked {
        if !self.lowered.codes[function.index()].ops.is_empty() {
            return Ok(());
        }
        let (layouts, memory) = (&mut self.layouts, &mut self.memory);
        self.lowered.lower_function(self.program, layouts, memory, function)
    }

    /// The register of the fallback, if the operation that failed has a guard which
    /// is about such failures.
    #[cold]
    fn fallback(
        &mut self,
        function: Option<FunctionId>,
        position: Position,
        stop: &Stop,
    ) -> Option<Reg> {
        let guard = *self.code(function).guarded.get(&position)?;
        let Stop::Undefined(kind, _) = stop else { return None };
        let about = matches!(
            kind,
            UbKind::SignedOverflow
                | UbKind::DivisionByZero
                | UbKind::ShiftCount
                | UbKind::ShiftOverflow
                | UbKind::FloatToInteger
        );
        if !about {
            return None;
        }
        if let Some(watched) = guard.watched {
            let op = self.code(function).ops[position as usize];
            self.note_firing(watched, op);
        }
        guard.fallback
    }

    /// Notes the operands of an operation whose guard fires.
    fn note_firing(&mut self, guard: ExprId, op: Op) {
        let base = self.frames.last().expect("a frame is active").base;
        let operand = |ty, reg: Reg| Observed::of(ty, self.registers[base + reg as usize]);
        let operands = match op {
            Op::Binary { ty, left, right, .. } => vec![operand(ty, left), operand(ty, right)],
            Op::Shift { ty, left, right, .. } => {
                // A count that is out of range has a type of its own; as in `arithmetic`.
                let count = Scalar::Int { signed: true, bits: 64 };
                vec![operand(ty, left), operand(count, right)]
            }
            Op::Negate { ty, src, .. } => vec![operand(ty, src)],
            Op::Convert { from, src, .. } => vec![operand(from, src)],
            _ => Vec::new(),
        };
        if let Some(profile) = &mut self.profile {
            profile.fire(guard, &operands);
        }
    }

    /// The value of a guard on an index or pointer.
    fn passed(&mut self, base: usize, guard: Guard, ty: Scalar, value: Value, fits: bool) -> Value {
        if fits {
            return value;
        }
        if let (Some(watched), Some(profile)) = (guard.watched, &mut self.profile) {
            profile.fire(watched, &[Observed::of(ty, value)]);
        }
        guard.fallback.map_or(value, |reg| self.registers[base + reg as usize])
    }

    /// Runs until the frame that is innermost now returns; its value, if it has one.
    fn execute(&mut self) -> Checked<Option<Value>> {
        let bottom = self.frames.len();
        self.bottom = bottom;
        let all = self.options.steps.saturating_sub(self.steps);
        self.reserve.begin(all);
        let mut budget = 0;
        let result = self.execute_on(bottom, &mut budget);
        self.steps += all - std::mem::take(&mut self.reserve.left) - budget;
        result
    }

    // Apart from the loop around it, which is for collecting runs alone. The budget is a local
    // variable here, because each operation changes it.
    #[inline(never)]
    fn execute_inner(&mut self, bottom: usize, budget: &mut u64) -> Checked<Option<Value>> {
        let mut left = *budget;
        let result = self.execute_frames(bottom, &mut left);
        *budget = left;
        result
    }

    #[inline(always)]
    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    fn execute_frames(&mut self, bottom: usize, budget: &mut u64) -> Checked<Option<Value>> {
        'frames: loop {
            let frame = self.frames.last().expect("a frame is active");
            let (function, base, locals) = (frame.function, frame.base, frame.locals);
            let open = frame.open;
            // Owned for the frame, so that the machine can change while it is read.
            let code = Rc::clone(self.code(function));
            let ops = code.ops.as_slice();
            let mut position = frame.position;
            macro_rules! reg {
                ($reg:expr) => {
                    self.registers[base + $reg as usize]
                };
            }
            // Leaves the position of the operation in the frame, for messages.
            macro_rules! check {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(stop) => {
                            self.frames.last_mut().expect("a frame is active").position = position;
                            return Err(stop);
                        }
                    }
                };
            }
            // An operation that fails may be guarded: then it has another value.
            macro_rules! guarded {
                ($dst:expr, $result:expr) => {
                    match $result {
                        Ok(value) => reg!($dst) = value,
                        Err(stop) => match self.fallback(function, position, &stop) {
                            Some(fallback) => reg!($dst) = reg!(fallback),
                            None => check!(Err(stop)),
                        },
                    }
                };
            }
            loop {
                if !self.slowly {
                    position = self.quick(&code, (base, locals), position, budget);
                    if let Some(stop) = self.broken.take() {
                        check!(Err::<(), _>(stop));
                    }
                }
                if *budget == 0 {
                    *budget = self.grant(position)?;
                }
                *budget -= 1;
                // Matched where it is: a copy of every operation takes time.
                match ops[position as usize] {
                    Op::Constant { dst, low } => reg!(dst) = Value { low, high: 0 },
                    Op::WideConstant { dst, index } => {
                        reg!(dst) = Value::wide(code.wide[index as usize]);
                    }
                    Op::Copy { dst, src } => reg!(dst) = reg!(src),
                    Op::Forget { dst } => reg!(dst) = Value::UNINITIALISED,
                    Op::CheckInitialised { src } => {
                        if reg!(src) == Value::UNINITIALISED {
                            check!(undefined::<()>(
                                UbKind::Uninitialised,
                                "this object has no value yet"
                            ));
                        }
                    }
                    Op::CheckAlive { src } => {
                        if self.memory.is_dangling(reg!(src)) {
                            check!(undefined::<()>(
                                UbKind::Dangling,
                                "the value of a pointer to an object that is gone is used"
                            ));
                        }
                    }
                    Op::Negate { ty, dst, src } => {
                        let result = arithmetic::unary(UnaryOp::Minus, ty, reg!(src));
                        guarded!(dst, result);
                    }
                    Op::Complement { ty, dst, src } => {
                        reg!(dst) = check!(arithmetic::unary(UnaryOp::BitNot, ty, reg!(src)));
                    }
                    Op::Not { ty, dst, src } => {
                        let truth = check!(arithmetic::is_nonzero(ty, reg!(src)));
                        reg!(dst) = Value { low: u64::from(!truth), high: 0 };
                    }
                    Op::Binary { op, ty, dst, left, right } => {
                        let (left, right) = (reg!(left), reg!(right));
                        match arithmetic::plain_binary(op, ty, left, right) {
                            Some(value) => reg!(dst) = value,
                            None => guarded!(dst, self.binary(op, ty, left, right)),
                        }
                    }
                    Op::Shift { op, ty, dst, left, right } => {
                        let result = arithmetic::shift(op, ty, reg!(left), reg!(right));
                        guarded!(dst, result);
                    }
                    Op::BinaryConstant { op, ty, dst, left, right } => {
                        let (left, right) = (reg!(left), Value { low: right, high: 0 });
                        reg!(dst) = match arithmetic::plain_binary(op, ty, left, right) {
                            Some(value) => value,
                            None => check!(self.binary(op, ty, left, right)),
                        };
                    }
                    Op::ShiftConstant { op, ty, dst, left, right } => {
                        let right = Value { low: right, high: 0 };
                        reg!(dst) = check!(arithmetic::shift(op, ty, reg!(left), right));
                    }
                    Op::Convert { from, to, dst, src } => {
                        let value = reg!(src);
                        match arithmetic::plain_convert(from, to, value) {
                            Some(value) => reg!(dst) = value,
                            None => guarded!(dst, arithmetic::convert(from, to, value)),
                        }
                    }
                    Op::Jump { to } => {
                        position = to;
                        continue;
                    }
                    Op::JumpIfZero { ty, src, to } => {
                        if !check!(arithmetic::is_nonzero(ty, reg!(src))) {
                            position = to;
                            continue;
                        }
                    }
                    Op::JumpIfNotZero { ty, src, to } => {
                        if check!(arithmetic::is_nonzero(ty, reg!(src))) {
                            position = to;
                            continue;
                        }
                    }
                    Op::Switch { src, table } => {
                        position = check!(self.switch(function, table, reg!(src)));
                        continue;
                    }
                    Op::JumpToLabel { src, table } => {
                        position = check!(self.jump_to_label(function, table, reg!(src)));
                        continue;
                    }
                    Op::LabelAddress { dst, label } => {
                        reg!(dst) = Value { low: u64::from(label) + 1, high: LABEL };
                    }
                    Op::StaticAddress { dst, slot, offset } => {
                        let mut pointer = self.memory.pointer_to(slot);
                        pointer.low += u64::from(offset);
                        reg!(dst) = pointer;
                    }
                    Op::LocalAddress { dst, local, offset } => {
                        let slot = self.locals[locals + local as usize];
                        let mut pointer = self.memory.pointer_to(slot);
                        pointer.low += u64::from(offset);
                        reg!(dst) = pointer;
                    }
                    Op::LoadStatic { ty, dst, slot, offset } => {
                        let at = Location::new(slot, u64::from(offset));
                        reg!(dst) = check!(self.load_scalar(at, ty));
                    }
                    Op::StoreStatic { ty, src, slot, offset } => {
                        let at = Location::new(slot, u64::from(offset));
                        check!(self.store_scalar(at, ty, reg!(src)));
                    }
                    Op::LoadLocal { ty, dst, local, offset } => {
                        let slot = self.locals[locals + local as usize];
                        let at = Location::new(slot, u64::from(offset));
                        reg!(dst) = check!(self.load_scalar(at, ty));
                    }
                    Op::StoreLocal { ty, src, local, offset } => {
                        let slot = self.locals[locals + local as usize];
                        let at = Location::new(slot, u64::from(offset));
                        check!(self.store_scalar(at, ty, reg!(src)));
                    }
                    Op::Load { ty, dst, pointer, access } => {
                        let (at, _) =
                            check!(self.locate::<false>(reg!(pointer), ty, &code, access));
                        reg!(dst) = check!(self.load_scalar(at, ty));
                    }
                    Op::Store { ty, src, pointer, access } => {
                        let located = self.locate::<true>(reg!(pointer), ty, &code, access);
                        let (at, noted) = check!(located);
                        check!(self.check_writable(at));
                        check!(self.store_scalar(at, ty, reg!(src)));
                        if noted {
                            let size = ty.size(self.program);
                            let path = code.accesses[access as usize].path;
                            self.memory.note_stored(at, size.into(), path);
                        }
                    }
                    Op::LoadBits { dst, pointer, field } => {
                        reg!(dst) = check!(self.load_bits(function, field, reg!(pointer)));
                    }
                    Op::StoreBits { src, pointer, field } => {
                        check!(self.store_bits(function, field, reg!(pointer), reg!(src)));
                    }
                    Op::CutBits { dst, src, field } => {
                        let field = code.fields[field as usize];
                        reg!(dst) = field.cut(reg!(src).bits());
                    }
                    Op::Member { dst, pointer, offset, size } => {
                        let value = reg!(pointer);
                        reg!(dst) = match self.memory.offset(value, i64::from(size)) {
                            Ok(end) => Value { low: value.low + u64::from(offset), ..end },
                            Err(_) => check!(self.no_member(value, offset, size)),
                        };
                    }
                    Op::Narrow { dst, pointer, back, size } => {
                        let pointer = reg!(pointer);
                        let narrowed = self.memory.narrow(pointer, back.into(), size.into());
                        reg!(dst) = check!(narrowed);
                    }
                    Op::Widen { dst, pointer, element } => {
                        reg!(dst) = self.memory.widen(reg!(pointer), element.into());
                    }
                    Op::Element { dst, pointer, index, element } => {
                        let element = code.elements[element as usize];
                        reg!(dst) = check!(self.element(reg!(pointer), reg!(index), element));
                    }
                    Op::Difference { dst, left, right, element } => {
                        let size = code.elements[element as usize].size;
                        reg!(dst) = check!(self.difference(reg!(left), reg!(right), size));
                    }
                    Op::ComparePointers { op, dst, left, right } => {
                        reg!(dst) = check!(self.compare_pointers(op, reg!(left), reg!(right)));
                    }
                    Op::CopyBytes { to, from, size } => {
                        check!(self.copy_bytes(reg!(to), reg!(from), u64::from(size)));
                    }
                    Op::Zero { pointer, size } => {
                        let at = check!(self.memory.locate(reg!(pointer), u64::from(size), 1));
                        check!(self.memory.fill(at, u64::from(size), 0));
                    }
                    Op::Enter { local } => check!(self.enter(function, locals, local)),
                    Op::Leave { local } => self.leave(function, locals, local),
                    Op::Freeze { local } => {
                        let slot = self.locals[locals + local as usize];
                        self.memory.slots[slot as usize].constant = true;
                    }
                    Op::ForgetMemory { local } => {
                        let slot = self.locals[locals + local as usize];
                        if slot != DEAD {
                            self.memory.forget(slot);
                        }
                    }
                    Op::Call { site, args } => {
                        let callee = match code.sites[site as usize].callee {
                            Callee::Function(id) => id,
                            _ => unreachable!("a direct call has a function"),
                        };
                        self.frames.last_mut().expect("a frame is active").position = position;
                        self.call(function, callee, None, site, base, args)?;
                        continue 'frames;
                    }
                    Op::CallPointer { site, args, pointer } => {
                        self.frames.last_mut().expect("a frame is active").position = position;
                        let callee = self.callee(reg!(pointer))?;
                        if self.program[callee].body.is_none() {
                            self.budget = *budget;
                            if self.observer.is_some() {
                                self.trace_call(function, Some(callee), site, base, args);
                            }
                            self.call_library_pointer(function, callee, site, base, args)?;
                            *budget = self.budget;
                            position += 1;
                            continue;
                        }
                        self.call(function, callee, Some(reg!(pointer)), site, base, args)?;
                        continue 'frames;
                    }
                    Op::JumpOut { label, levels } => {
                        self.frames.last_mut().expect("a frame is active").position = position;
                        self.jump_out(label, levels)?;
                        continue 'frames;
                    }
                    Op::CallLibrary { site, args } => {
                        self.frames.last_mut().expect("a frame is active").position = position;
                        self.budget = *budget;
                        let jumped = self.call_library(function, site, base, args)?;
                        *budget = self.budget;
                        if jumped {
                            continue 'frames;
                        }
                    }
                    Op::Return { src } => {
                        let value = reg!(src);
                        self.frames.last_mut().expect("a frame is active").position = position;
                        if self.frames.len() == bottom {
                            if bottom == 1 {
                                self.check_status(function)?;
                            }
                            if bottom == 1 && value.high != 0 {
                                let message = "an exit status that depends on an address";
                                return underspecified::tainted(value, message);
                            }
                            self.pop_frame();
                            return Ok(Some(value));
                        }
                        self.finish_call(value, true)?;
                        continue 'frames;
                    }
                    Op::ReturnNothing | Op::ReturnMissing => {
                        self.frames.last_mut().expect("a frame is active").position = position;
                        self.check_noreturn(function)?;
                        if self.frames.len() == bottom {
                            if bottom == 1 {
                                self.check_status(function)?;
                            }
                            self.pop_frame();
                            return Ok(None);
                        }
                        self.finish_call(Value::default(), false)?;
                        continue 'frames;
                    }
                    Op::VaStart { list } => check!(self.start_list(reg!(list))),
                    Op::VaArg { dst, list, access } => {
                        let access = code.accesses[access as usize];
                        reg!(dst) = check!(self.va_arg(reg!(list), access.ty));
                    }
                    Op::VaCopy { to, from } => check!(self.copy_list(reg!(to), reg!(from))),
                    Op::TraceVolatile { ty, pointer, value, write } => {
                        let (pointer, value) = (reg!(pointer), reg!(value));
                        self.frames.last_mut().expect("a frame is active").position = position;
                        self.memory.order.check_effect("accesses something volatile")?;
                        self.trace(pointer, ty, value, write);
                    }
                    Op::OrderBegin { level } => {
                        self.memory.order.unwind(open + level as usize);
                        let (now, depth) = (self.memory.now() + 1, self.frames.len());
                        self.memory.order.begin(now, depth);
                    }
                    Op::OrderNext { level } => {
                        self.memory.order.unwind(open + level as usize + 1);
                        self.memory.order.next();
                    }
                    Op::OrderClose { level } => {
                        self.memory.order.unwind(open + level as usize + 1);
                        self.memory.order.close();
                    }
                    Op::OrderEndOperands { level } => {
                        self.memory.order.unwind(open + level as usize + 1);
                        check!(self.memory.order.end_operands());
                    }
                    Op::OrderCheckStore { level } => {
                        self.memory.order.unwind(open + level as usize + 1);
                        check!(self.memory.order.check_store());
                    }
                    Op::OrderEnd { level } => {
                        self.memory.order.unwind(open + level as usize);
                    }
                    Op::OrderTouch { reg, write } => {
                        let area = Area::Register(base + reg as usize);
                        self.memory.order.record(area, 0, 0, 1, write);
                    }
                    Op::GuardIndex { dst, src, guard } => {
                        let guard = code.guards[guard as usize];
                        let value = reg!(src);
                        let negative = guard.signed && (value.low as i64) < 0;
                        let fits = !negative && value.low < guard.bound && value.high == 0;
                        let ty = Scalar::Int { signed: guard.signed, bits: 64 };
                        reg!(dst) = self.passed(base, guard, ty, value, fits);
                    }
                    Op::GuardPointer { dst, src, guard } => {
                        let guard = code.guards[guard as usize];
                        let value = reg!(src);
                        let fits = value.low != 0 || value.high != 0;
                        reg!(dst) = self.passed(base, guard, Scalar::Pointer, value, fits);
                    }
                    Op::SeeValue { expr, ty, src } => {
                        let value = reg!(src);
                        self.refunded += 1;
                        if let Some(profile) = &mut self.profile {
                            profile.see(expr, ty, value);
                        }
                    }
                    Op::Turn { stmt, met, when, to } => {
                        if self.profile.as_mut().is_some_and(|it| it.turn(stmt, met == when)) {
                            position = to;
                            continue;
                        }
                    }
                    Op::SeeStmt { stmt } => {
                        if let Some(profile) = &mut self.profile {
                            profile.count_stmt(stmt);
                        }
                    }
                    cold => check!(self.cold(function, base, locals, cold)),
                }
                position += 1;
            }
        }
    }

    fn switch(&self, function: Option<FunctionId>, table: u32, value: Value) -> Checked<Position> {
        let table = &self.code(function).switches[table as usize];
        if value.high != 0 && !table.wide {
            return underspecified::tainted(
                value,
                "a switch on a value that depends on an address",
            );
        }
        Ok(table.position(value))
    }

    fn jump_to_label(
        &self,
        function: Option<FunctionId>,
        table: u32,
        value: Value,
    ) -> Checked<Position> {
        let table = &self.code(function).label_tables[table as usize];
        let label = table
            .iter()
            .find(|(label, _)| value.high == LABEL && value.low == u64::from(*label) + 1);
        match label {
            Some((_, position)) => Ok(*position),
            None => undefined(UbKind::ComputedGoto, "this is not a label of the function"),
        }
    }
}

/// The provenance of the address of a label.
const LABEL: u64 = u64::MAX - 1;
