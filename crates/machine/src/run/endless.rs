//! Loops that never end, C11 6.8.5p6.
//!
//! A compiler may assume that a loop ends if its condition is no constant and it does
//! no input or output and no volatile or atomic access. Whether a loop ends cannot be
//! known in general, but a machine that comes back to a state in which it was before
//! goes round forever. Now and then, and before the steps run out, the machine goes on
//! one operation at a time and looks for that: the main loop does not pay for it.

use farrier_lang::{
    Expr, ExprId, ExprKind, FunctionId, Program, Qualifiers, Stmt, StmtId, Type, TypeId,
};
use rustc_hash::FxHashSet;

use super::Machine;
use crate::code::{Loop, Position};
use crate::kinds::UbKind;
use crate::library::Library;
use crate::lower::nested::is_nested;
use crate::memory::MemoryImage;
use crate::value::Value;
use crate::verdict::{Checked, Limit, Stop, undefined};

/// How many operations are watched, at most, in each of the phases of a search.
const WATCHED: u64 = 1 << 16;

/// When to search first; then after four times as many operations, and so on.
const FIRST: u64 = 1 << 22;

/// A search costs a copy of memory: programs with more are not searched.
const MOST_MEMORY: u64 = 16 << 20;

/// What is left of the steps, and the search for a loop that never ends.
#[derive(Debug)]
pub(super) struct Reserve {
    /// Steps that are not granted yet.
    pub(super) left: u64,
    /// How many are granted at once.
    chunk: u64,
    /// Whether the last grant was a chunk, so that a search is due.
    due: bool,
    search: Option<Search>,
}

/// A search, one operation at a time.
#[derive(Debug)]
struct Search {
    /// What is left of the present phase.
    left: u64,
    /// The fewest frames that were active in the first phase. A loop that never ends
    /// is in the innermost of these.
    depth: usize,
    /// Whether the first phase is over.
    settled: bool,
    /// The conditions of loops that end, or may go on forever.
    excluded: Vec<Position>,
    suspect: Option<Box<State>>,
}

/// The state of the machine at the condition of a loop.
#[derive(Debug)]
struct State {
    within: Loop,
    /// How often the condition was reached since, and when to take a new state: the
    /// loop may come to its circle later.
    rounds: u64,
    renewed_at: u64,
    calls: Vec<Call>,
    registers: Vec<Value>,
    locals: Vec<u32>,
    memory: MemoryImage,
}

/// What identifies an active call and what it is about to do.
type Call = (u64, Position, Vec<u32>);

impl Reserve {
    pub(super) fn new() -> Self {
        Self { left: 0, chunk: FIRST, due: false, search: None }
    }

    /// Begins a run with these steps. No search is due: what was granted before was
    /// not used up.
    pub(super) fn begin(&mut self, steps: u64) {
        self.left = steps;
        self.due = false;
    }
}

impl Machine<'_> {
    /// Grants the steps until something has to be looked at.
    #[cold]
    #[inline(never)]
    pub(super) fn grant(&mut self, position: Position) -> Checked<u64> {
        self.frames.last_mut().expect("a frame is active").position = position;
        let watched = WATCHED.min(self.options.steps / 8);
        // The last search has to fit in.
        let last = 3 * watched;
        if let Some(search) = self.reserve.search.take() {
            self.reserve.search = self.watch(search, watched)?;
        } else if std::mem::take(&mut self.reserve.due) {
            self.reserve.chunk = self.reserve.chunk.saturating_mul(4);
            if self.memory.in_use() <= MOST_MEMORY {
                self.reserve.search = Some(Search {
                    left: watched,
                    depth: self.frames.len(),
                    settled: false,
                    excluded: Vec::new(),
                    suspect: None,
                });
            }
        }
        let left = self.reserve.left;
        let granted = match self.reserve.search {
            Some(_) => left.min(1),
            None => {
                let chunk = self.reserve.chunk;
                self.reserve.due = true;
                if left > last { chunk.min(left - last) } else { left }
            }
        };
        if granted == 0 {
            return Err(Box::new(Stop::Exhausted(Limit::Steps(self.options.steps))));
        }
        self.reserve.left -= granted;
        Ok(granted)
    }

    /// Looks at the machine before its next operation; what remains to be searched.
    fn watch(&mut self, mut search: Search, watched: u64) -> Checked<Option<Search>> {
        let depth = self.frames.len();
        if search.left == 0 {
            if search.settled {
                return Ok(None);
            }
            search.settled = true;
            search.left = 2 * watched;
        }
        search.left -= 1;
        if !search.settled {
            search.depth = search.depth.min(depth);
            return Ok(Some(search));
        }
        if depth < search.depth {
            return Ok(None);
        }
        if depth > search.depth || self.memory.order.is_active() {
            return Ok(Some(search));
        }
        let frame = self.frames.last().expect("a frame is active");
        let position = frame.position;
        match &mut search.suspect {
            Some(state) if !(state.within.start..state.within.end).contains(&position) => {
                search.excluded.push(state.within.condition);
                search.suspect = None;
            }
            Some(state) if state.within.condition == position => {
                if self.is_in(state) {
                    if !self.must_end(state.within.statement) {
                        search.excluded.push(state.within.condition);
                        search.suspect = None;
                        return Ok(Some(search));
                    }
                    return undefined(
                        UbKind::InfiniteLoop,
                        "this loop never ends: the program is in the same state as before, and \
                         the loop has no effect that could be observed",
                    );
                }
                state.rounds += 1;
                if state.rounds == state.renewed_at {
                    let renewed_at = 2 * state.renewed_at;
                    let within = state.within;
                    search.suspect = Some(Box::new(self.state(within, renewed_at)));
                }
            }
            Some(_) => {}
            None => {
                let mut loops = self.code(frame.function).loops.iter();
                let within = loops.find(|within| {
                    within.condition == position && !search.excluded.contains(&within.condition)
                });
                if let Some(within) = within {
                    search.suspect = Some(Box::new(self.state(*within, 1)));
                }
            }
        }
        Ok(Some(search))
    }

    fn calls(&self) -> impl Iterator<Item = Call> {
        self.frames.iter().map(|frame| (frame.serial, frame.position, frame.lists().to_vec()))
    }

    /// The registers of all active calls, with pointers that do not say how often their
    /// slot was used.
    fn live_registers(&self) -> impl Iterator<Item = Value> {
        let frame = self.frames.last().expect("a frame is active");
        let end = frame.base + self.code(frame.function).registers as usize;
        self.registers[..end]
            .iter()
            .map(|value| Value { low: value.low, high: self.memory.timeless(value.high) })
    }

    fn state(&self, within: Loop, renewed_at: u64) -> State {
        State {
            within,
            rounds: 0,
            renewed_at,
            calls: self.calls().collect(),
            registers: self.live_registers().collect(),
            locals: self.locals.clone(),
            memory: self.memory.image(),
        }
    }

    fn is_in(&self, state: &State) -> bool {
        self.live_registers().eq(state.registers.iter().copied())
            && self.locals == state.locals
            && self.calls().eq(state.calls.iter().cloned())
            && self.memory.is(&state.memory)
    }

    /// Whether a compiler may assume that this loop ends.
    fn must_end(&mut self, statement: StmtId) -> bool {
        let (Stmt::While { condition, .. }
        | Stmt::DoWhile { condition, .. }
        | Stmt::For { condition: Some(condition), .. }) = self.program[statement]
        else {
            return false;
        };
        if self.may_be_constant(condition) {
            return false;
        }
        let mut silence = Silence { program: self.program, seen: FxHashSet::default() };
        silence.statement(statement)
    }

    /// Whether a compiler could take a condition for a constant expression. Compilers
    /// differ in what they fold, so that this is more than C11 6.6.
    fn may_be_constant(&mut self, expr: ExprId) -> bool {
        if farrier_lang::constant::evaluate(self.program, &mut self.layouts, expr).is_ok() {
            return true;
        }
        let program = self.program;
        let mut reads = false;
        let mut folds = false;
        let mut work = vec![expr];
        while let Some(expr) = work.pop() {
            let kind = &program[expr].kind;
            match kind {
                ExprKind::Load(place) => {
                    let qualifiers = program.type_of(*place).qualifiers();
                    reads |= !qualifiers.contains(Qualifiers::CONST);
                }
                ExprKind::Call(..)
                | ExprKind::Assign(..)
                | ExprKind::CompoundAssign { .. }
                | ExprKind::Step(..)
                | ExprKind::StatementExpr(_) => reads = true,
                ExprKind::Logical(..) | ExprKind::Conditional { .. } | ExprKind::Comma(..) => {
                    kind.for_each_operand(|operand| {
                        let layouts = &mut self.layouts;
                        folds |=
                            farrier_lang::constant::evaluate(program, layouts, operand).is_ok();
                    });
                }
                _ => {}
            }
            kind.for_each_operand(|operand| work.push(operand));
        }
        folds || !reads
    }
}

/// Whether code can be seen from outside: input, output, volatile and atomic accesses.
/// What could be seen counts, even if it is never reached.
struct Silence<'a> {
    program: &'a Program,
    /// The functions that were looked into.
    seen: FxHashSet<FunctionId>,
}

impl Silence<'_> {
    fn statement(&mut self, statement: StmtId) -> bool {
        let program = self.program;
        let mut stmts = vec![statement];
        let mut exprs = Vec::new();
        while let Some(stmt) = stmts.pop() {
            let node = &program[stmt];
            node.for_each_child(|child| stmts.push(child));
            node.for_each_expr(|expr| exprs.push(expr));
            match node {
                Stmt::Declare(object) => exprs.extend(program[*object].init),
                Stmt::Asm(_) => return false,
                _ => {}
            }
            while let Some(expr) = exprs.pop() {
                if !self.expression(&program[expr]) {
                    return false;
                }
                let kind = &program[expr].kind;
                kind.for_each_operand(|operand| exprs.push(operand));
                if let ExprKind::StatementExpr(block) = kind {
                    stmts.push(*block);
                }
            }
        }
        true
    }

    /// Looks at one expression, without its operands.
    fn expression(&mut self, expr: &Expr) -> bool {
        match expr.kind {
            ExprKind::Call(function, _) => match self.program[function].kind {
                ExprKind::Decay(designator) => match self.program[designator].kind {
                    ExprKind::Function(id) => self.function(id),
                    _ => false,
                },
                _ => false,
            },
            ExprKind::Builtin(builtin, _) => is_silent(builtin.name()),
            _ => !is_observed(self.program, expr.ty),
        }
    }

    fn function(&mut self, id: FunctionId) -> bool {
        match self.program[id].body {
            // It may jump out.
            Some(_) if is_nested(self.program, id) => false,
            Some(body) => !self.seen.insert(id) || self.statement(body),
            None => is_silent(self.program.text(self.program[id].name)),
        }
    }
}

/// Whether a function of the library does nothing that can be seen, and returns.
fn is_silent(name: &str) -> bool {
    use Library::{Abort, AssertFail, Exit, ExitAtOnce, Setjmp, SetjmpFunction, Trap};
    match Library::by_name(name) {
        // These end the program: a loop that goes on has not called them.
        Some(Abort | AssertFail | Exit | ExitAtOnce | Trap) => true,
        Some(Setjmp | SetjmpFunction) | None => {
            matches!(name, "__builtin_expect" | "__builtin_constant_p" | "__builtin_unreachable")
        }
        Some(Library::Fflush) => false,
        Some(library) => !library.prints() && !library.is_atomic(),
    }
}

/// Whether an access to an object of this type can be seen.
fn is_observed(program: &Program, ty: TypeId) -> bool {
    let qualifiers = ty.qualifiers();
    if qualifiers.contains(Qualifiers::VOLATILE) || qualifiers.contains(Qualifiers::ATOMIC) {
        return true;
    }
    match *program.resolve(ty) {
        Type::Array { element, .. } => is_observed(program, element),
        Type::Record(record) => {
            let fields = program[record].fields.as_deref().unwrap_or_default();
            fields.iter().any(|field| is_observed(program, field.ty))
        }
        _ => false,
    }
}
