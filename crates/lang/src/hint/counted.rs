//! The loops of which a promise can be judged: those that OpenMP calls canonical, with a body
//! that control enters and leaves at its ends alone.

use crate::arena::{ExprId, ObjectId, StmtId};
use crate::expr::{BinaryOp, ExprKind, StepOp};
use crate::integer::integer_type;
use crate::program::{Program, Storage};
use crate::stmt::Stmt;
use crate::types::{Qualifiers, Type, TypeId};

/// A `for` that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedLoop {
    /// Its counter: automatic, and changed by the loop's own step alone.
    pub counter: ObjectId,
    /// Whether OpenMP counts as C does: the counter is compared in its own type, and cannot wrap.
    /// The loop declares it, because one from before has no value after a loop without rounds.
    pub exact: bool,
    /// The other objects that are assigned by name and not declared in its body, in the order
    /// of the text.
    pub assigned: Vec<ObjectId>,
}

/// The largest step.
const MOST_STEP: i128 = 1 << 15;

/// Builtins that only compute.
const PURE: &[&str] = &[
    "__builtin_bswap",
    "__builtin_clrsb",
    "__builtin_clz",
    "__builtin_ctz",
    "__builtin_expect",
    "__builtin_ffs",
    "__builtin_parity",
    "__builtin_popcount",
];

type Counts<T> = Result<T, &'static str>;

/// The counted loop at a statement, or why it is none. The caller knows the objects whose
/// address is taken.
pub fn counted(
    program: &Program,
    at: StmtId,
    is_addressed: impl Fn(ObjectId) -> bool,
) -> Counts<CountedLoop> {
    let Stmt::For { init, condition: Some(condition), step: Some(step), body } = &program[at]
    else {
        return Err("a promise about a loop that is no `for` with a condition and a step");
    };
    let counter = match &init[..] {
        [one] => first_of(program, *one),
        _ => None,
    };
    let counter = counter.ok_or("a promise about a loop that does not begin with its counter")?;
    let object = &program[counter];
    let local = matches!(object.storage, Storage::Automatic | Storage::Register);
    let integer = integer_type(program, object.ty);
    let Some(integer) = integer.filter(|_| local && !is_addressed(counter)) else {
        return Err("a promise about a loop whose counter is no local integer of its own");
    };
    let (upwards, direct, bound) = relation(program, *condition, counter)
        .ok_or("a promise about a loop whose condition does not compare its counter")?;
    let amount = amount(program, *step, counter)
        .filter(|amount| *amount != 0 && (*amount > 0) == upwards && amount.abs() <= MOST_STEP)
        .ok_or("a promise about a loop that does not step towards its end")?;
    let mut body_of = Body {
        program,
        counter,
        assigned: Vec::new(),
        declared: Vec::new(),
        breakable: 0,
        switches: 0,
    };
    body_of.expr(bound)?;
    body_of.stmt(*body)?;
    body_of.assigned.retain(|object| !body_of.declared.contains(object));
    let declares = matches!(&init[..], [one] if matches!(program[*one], Stmt::Declare(_)));
    let exact = declares && direct && (integer.signed || amount.abs() == 1);
    Ok(CountedLoop { counter, exact, assigned: body_of.assigned })
}

/// The object that a statement sets: the counter.
fn first_of(program: &Program, stmt: StmtId) -> Option<ObjectId> {
    match program[stmt] {
        Stmt::Declare(object) => program[object].init.map(|_| object),
        Stmt::Expr(expr) => match program[expr].kind {
            ExprKind::Assign(target, _) => named(program, target),
            _ => None,
        },
        _ => None,
    }
}

fn named(program: &Program, lvalue: ExprId) -> Option<ObjectId> {
    match program[lvalue].kind {
        ExprKind::Object(object) => Some(object),
        _ => None,
    }
}

/// Whether this is the value of the counter, and whether it has the counter's own type.
fn is_counter(program: &Program, mut expr: ExprId, counter: ObjectId) -> Option<bool> {
    let mut direct = true;
    loop {
        match program[expr].kind {
            ExprKind::Convert(inner) => (expr, direct) = (inner, false),
            ExprKind::Load(lvalue) if named(program, lvalue) == Some(counter) => {
                return Some(direct);
            }
            _ => return None,
        }
    }
}

/// Whether the loop counts upwards, whether the counter is compared in its own type, and with
/// what.
fn relation(
    program: &Program,
    condition: ExprId,
    counter: ObjectId,
) -> Option<(bool, bool, ExprId)> {
    let ExprKind::Binary(op, left, bound) = program[condition].kind else { return None };
    let upwards = match op {
        BinaryOp::Less | BinaryOp::LessEqual => true,
        BinaryOp::Greater | BinaryOp::GreaterEqual => false,
        _ => return None,
    };
    Some((upwards, is_counter(program, left, counter)?, bound))
}

/// By how much the step changes the counter.
fn amount(program: &Program, step: ExprId, counter: ObjectId) -> Option<i128> {
    let constant = |mut expr: ExprId| {
        while let ExprKind::Convert(inner) = program[expr].kind {
            expr = inner;
        }
        match program[expr].kind {
            ExprKind::Int(value) => Some(i128::from(value)),
            _ => None,
        }
    };
    let signed = |op, value: i128| match op {
        BinaryOp::Add => Some(value),
        BinaryOp::Sub => Some(-value),
        _ => None,
    };
    match program[step].kind {
        ExprKind::Step(op, target) if named(program, target) == Some(counter) => Some(match op {
            StepOp::PreIncrement | StepOp::PostIncrement => 1,
            StepOp::PreDecrement | StepOp::PostDecrement => -1,
        }),
        ExprKind::CompoundAssign { op, target, value, .. }
            if named(program, target) == Some(counter) =>
        {
            signed(op, constant(value)?)
        }
        ExprKind::Assign(target, mut value) if named(program, target) == Some(counter) => {
            while let ExprKind::Convert(inner) | ExprKind::Cast(inner) = program[value].kind {
                value = inner;
            }
            match program[value].kind {
                ExprKind::Binary(op, left, right) => {
                    is_counter(program, left, counter)?;
                    signed(op, constant(right)?)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The operator by which a loop reduces to an object, and the type in which it works: the only
/// thing that the body does with the object is one `object op= value;`, outside any inner loop.
pub fn reduction(program: &Program, at: StmtId, object: ObjectId) -> Option<(BinaryOp, TypeId)> {
    let Stmt::For { body, .. } = program[at] else { return None };
    let (mut count, mut found) = (0, None);
    let mut waiting = vec![(body, false)];
    while let Some((stmt, inner)) = waiting.pop() {
        program[stmt].for_each_expr(|expr| count += mentions(program, expr, object));
        if let Stmt::Declare(local) = program[stmt] {
            program[local].init.iter().for_each(|init| count += mentions(program, *init, object));
        }
        if let Stmt::Expr(expr) = program[stmt]
            && let ExprKind::CompoundAssign { op, target, computation, .. } = program[expr].kind
            && named(program, target) == Some(object)
            && !inner
        {
            found = Some((if op == BinaryOp::Sub { BinaryOp::Add } else { op }, computation));
        }
        let inner = inner || program[stmt].is_loop();
        program[stmt].for_each_child(|child| waiting.push((child, inner)));
    }
    found.filter(|_| count == 1)
}

/// By how much each round of a loop changes an object: one statement of the body, which every
/// round reaches, adds a constant, in the type of the object, and nothing else assigns to it.
pub fn linear(program: &Program, at: StmtId, object: ObjectId) -> Option<u32> {
    let Stmt::For { body, .. } = program[at] else { return None };
    let Stmt::Block(statements) = &program[body] else { return None };
    let ty = program[object].ty.unqualified();
    let by = |stmt: &StmtId| match program[*stmt] {
        Stmt::Expr(expr) => match program[expr].kind {
            ExprKind::CompoundAssign { computation, .. } if computation.unqualified() != ty => None,
            ExprKind::CompoundAssign { .. } | ExprKind::Step(..) => amount(program, expr, object),
            _ => None,
        },
        _ => None,
    };
    let step = statements.iter().find_map(by)?;
    let (mut count, mut skips) = (0, false);
    let mut waiting = vec![body];
    while let Some(stmt) = waiting.pop() {
        program[stmt].for_each_expr(|expr| count += assignments(program, expr, object));
        if let Stmt::Declare(local) = program[stmt] {
            let init = program[local].init;
            init.iter().for_each(|init| count += assignments(program, *init, object));
        }
        skips |= program[stmt] == Stmt::Continue;
        program[stmt].for_each_child(|child| waiting.push(child));
    }
    let wide = integer_type(program, ty).is_some_and(|integer| integer.bits >= 32);
    u32::try_from(step).ok().filter(|step| *step > 0 && count == 1 && !skips && wide)
}

/// How often an expression assigns to an object; more than once if that is not clear.
fn assignments(program: &Program, expr: ExprId, object: ObjectId) -> u32 {
    let mut count = 0;
    let mut waiting = vec![expr];
    while let Some(expr) = waiting.pop() {
        match program[expr].kind {
            ExprKind::Assign(target, _)
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::Step(_, target)
                if named(program, target) == Some(object) =>
            {
                count += 1;
            }
            ExprKind::StatementExpr(_) => count += 2,
            _ => {}
        }
        program[expr].kind.for_each_operand(|operand| waiting.push(operand));
    }
    count
}

/// How often an expression names an object; more than once if that is not clear.
pub fn mentions(program: &Program, expr: ExprId, object: ObjectId) -> u32 {
    let mut count = 0;
    let mut waiting = vec![expr];
    while let Some(expr) = waiting.pop() {
        match program[expr].kind {
            ExprKind::Object(named) if named == object => count += 1,
            ExprKind::StatementExpr(_) => count += 2,
            _ => program[expr].kind.for_each_operand(|operand| waiting.push(operand)),
        }
    }
    count
}

/// What is known of a body while it is read.
struct Body<'a> {
    program: &'a Program,
    counter: ObjectId,
    assigned: Vec<ObjectId>,
    /// What the body declares: each round has it for its own.
    declared: Vec<ObjectId>,
    /// How many statements inside can be broken out of, and how many are switches.
    breakable: u32,
    switches: u32,
}

impl Body<'_> {
    fn stmt(&mut self, id: StmtId) -> Counts<()> {
        let program = self.program;
        let stmt = &program[id];
        let (breakable, switch) = match stmt {
            Stmt::Break if self.breakable == 0 => (0, false),
            Stmt::Return(_) | Stmt::Goto(_) | Stmt::GotoComputed(_) | Stmt::Label(..) => (0, false),
            Stmt::Case { .. } | Stmt::Default(_) if self.switches == 0 => (0, false),
            Stmt::Asm(_) | Stmt::DefineFunction(_) | Stmt::DefineRecord(_) => (0, false),
            Stmt::Switch { .. } => (2, true),
            _ if stmt.is_loop() => (2, false),
            _ => (1, false),
        };
        if breakable == 0 {
            return Err("a promise about a loop with jumps, assembly or definitions in it");
        }
        if let Stmt::Declare(object) = stmt {
            self.object(*object)?;
        }
        self.breakable += breakable - 1;
        self.switches += u32::from(switch);
        let mut result = Ok(());
        stmt.for_each_expr(|expr| {
            if result.is_ok() {
                result = self.expr(expr);
            }
        });
        stmt.for_each_child(|child| {
            if result.is_ok() {
                result = self.stmt(child);
            }
        });
        self.breakable -= breakable - 1;
        self.switches -= u32::from(switch);
        result
    }

    fn object(&mut self, object: ObjectId) -> Counts<()> {
        let declared = &self.program[object];
        if declared.storage != Storage::Static {
            self.declared.push(object);
        }
        if matches!(self.program.resolve(declared.ty), Type::Array { .. })
            && self.program.is_variable_array(declared.ty)
        {
            return Err("a promise about a loop with arrays of variable length");
        }
        declared.init.map_or(Ok(()), |init| self.expr(init))
    }

    fn expr(&mut self, id: ExprId) -> Counts<()> {
        let program = self.program;
        let node = &program[id];
        let watched = node.ty.qualifiers();
        if watched.contains(Qualifiers::VOLATILE) || watched.contains(Qualifiers::ATOMIC) {
            return Err("a promise about a loop with volatile or atomic objects");
        }
        match &node.kind {
            ExprKind::Call(..) | ExprKind::VaArg(_) => {
                return Err("a promise about a loop with calls");
            }
            ExprKind::Builtin(builtin, _)
                if !PURE.iter().any(|pure| builtin.name().starts_with(pure)) =>
            {
                return Err("a promise about a loop with calls");
            }
            ExprKind::StatementExpr(block) => return self.stmt(*block),
            ExprKind::Assign(target, _)
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::Step(_, target) => {
                if let Some(object) = named(program, *target) {
                    if object == self.counter {
                        return Err("a promise about a loop that changes its counter");
                    }
                    if !self.assigned.contains(&object) {
                        self.assigned.push(object);
                    }
                }
            }
            _ => {}
        }
        let mut result = Ok(());
        node.kind.for_each_operand(|operand| {
            if result.is_ok() {
                result = self.expr(operand);
            }
        });
        result
    }
}
