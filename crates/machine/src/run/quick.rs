//! The quick loop: operations on registers and plain memory, as long as each is of the usual
//! kind.
//!
//! It does what the main loop does, but only where nothing is special about an operation: it
//! fails no rule, needs no message and is not recorded, but for the rounds of loops. Everything else is left to the main loop, as if the quick loop had not been there. It
//! is small, so that what it needs stays in the registers of the host.

use farrier_lang::UnaryOp;

use super::Machine;
use crate::arithmetic::{
    other_binary, other_convert, plain_conversion, plain_number, plain_shift, usual_unary,
};
use crate::code::{Code, Op, Position, Reg};
use crate::memory::{Slot, alive};
use crate::value::{Scalar, Value};

/// Whether a value is not zero, if it is an integer or a pointer without anything special.
#[inline(always)]
fn truth(ty: Scalar, value: Value) -> Option<bool> {
    match ty {
        Scalar::Int { .. } | Scalar::Bool if value.high == 0 => Some(value.low != 0),
        Scalar::Pointer => Some(value.low != 0 || value.high != 0),
        _ => None,
    }
}

impl Machine<'_> {
    /// Runs operations from a position on, as many as the budget allows at most; where the main
    /// loop goes on.
    #[inline(never)]
    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    pub(super) fn quick(
        &mut self,
        code: &Code,
        (base, locals): (usize, usize),
        from: Position,
        budget: &mut u64,
    ) -> Position {
        let plain = self.memory.is_plain();
        let watched = !plain && self.memory.is_plain_but_for_rounds();
        let rounds = watched.then_some(&self.memory.rounds);
        let program = self.program;
        let registers = &mut self.registers[base..];
        let locals = &self.locals[locals..];
        let slots = self.memory.slots.as_mut_slice();
        let ops = code.ops.as_slice();
        let mut position = from as usize;
        let mut rest = *budget;
        macro_rules! reg {
            ($reg:expr) => {
                registers[$reg as usize]
            };
        }
        // A number is written in two halves: one move of both would wait for the first two.
        macro_rules! set {
            ($dst:expr, $low:expr) => {
                reg!($dst) = Value { low: $low, high: 0 }
            };
        }
        // What is not usual is for the main loop.
        macro_rules! usual {
            ($option:expr) => {
                match $option {
                    Some(value) => value,
                    None => break,
                }
            };
        }
        // What an access that is recorded breaks is for the main loop, too.
        macro_rules! note {
            ($number:expr, $offset:expr, $ty:expr, $write:expr) => {
                if let Some(rounds) = rounds {
                    let (number, size) = ($number, u64::from($ty.size(program)));
                    let object = (number as u32, &slots[number]);
                    if let Err(stop) = rounds.record(object, $offset, size, $write) {
                        self.broken = Some(stop);
                        break;
                    }
                }
            };
        }
        // A comparison mostly decides a jump: that is done at once.
        macro_rules! decide {
            ($op:expr, $dst:expr, $low:expr) => {
                if $op.is_comparison() && rest > 1 {
                    let (wanted, src, to) = match ops[position + 1] {
                        Op::JumpIfZero { ty: Scalar::Int { .. }, src, to } => (false, src, to),
                        Op::JumpIfNotZero { ty: Scalar::Int { .. }, src, to } => (true, src, to),
                        _ => (false, Reg::MAX, 0),
                    };
                    if src == $dst {
                        position = if ($low != 0) == wanted { to as usize } else { position + 2 };
                        rest -= 2;
                        continue;
                    }
                }
            };
        }
        while rest > 0 {
            match ops[position] {
                Op::Constant { dst, low } => set!(dst, low),
                Op::Copy { dst, src } => reg!(dst) = reg!(src),
                Op::Forget { dst } => reg!(dst) = Value::UNINITIALISED,
                Op::CheckInitialised { src } => {
                    if reg!(src) == Value::UNINITIALISED {
                        break;
                    }
                }
                Op::CheckAlive { src } => _ = usual!(alive(slots, reg!(src).high)),
                Op::Negate { ty, dst, src } => {
                    reg!(dst) = usual!(usual_unary(UnaryOp::Minus, ty, reg!(src)))
                }
                Op::Complement { ty, dst, src } => {
                    reg!(dst) = usual!(usual_unary(UnaryOp::BitNot, ty, reg!(src)));
                }
                Op::Not { ty, dst, src } => {
                    let truth = usual!(truth(ty, reg!(src)));
                    set!(dst, u64::from(!truth));
                }
                Op::Binary { op, ty, dst, left, right } => {
                    let (left, right) = (reg!(left), reg!(right));
                    match plain_number(op, ty, left, right) {
                        Some(low) => {
                            set!(dst, low);
                            decide!(op, dst, low);
                        }
                        None => reg!(dst) = usual!(other_binary(op, ty, left, right)),
                    }
                }
                Op::BinaryConstant { op, ty, dst, left, right } => {
                    let (left, right) = (reg!(left), Value { low: right, high: 0 });
                    match plain_number(op, ty, left, right) {
                        Some(low) => {
                            set!(dst, low);
                            decide!(op, dst, low);
                        }
                        None => reg!(dst) = usual!(other_binary(op, ty, left, right)),
                    }
                }
                Op::Shift { op, ty, dst, left, right } => {
                    set!(dst, usual!(plain_shift(op, ty, reg!(left), reg!(right))));
                }
                Op::ShiftConstant { op, ty, dst, left, right } => {
                    let right = Value { low: right, high: 0 };
                    set!(dst, usual!(plain_shift(op, ty, reg!(left), right)));
                }
                Op::Convert { from, to, dst, src } => {
                    let value = reg!(src);
                    match plain_conversion(from, to, value) {
                        Some(low) => set!(dst, low),
                        None => reg!(dst) = usual!(other_convert(from, to, value)),
                    }
                }
                Op::Jump { to } => {
                    (position, rest) = (to as usize, rest - 1);
                    continue;
                }
                Op::JumpIfZero { ty, src, to } => {
                    if !usual!(truth(ty, reg!(src))) {
                        (position, rest) = (to as usize, rest - 1);
                        continue;
                    }
                }
                Op::JumpIfNotZero { ty, src, to } => {
                    if usual!(truth(ty, reg!(src))) {
                        (position, rest) = (to as usize, rest - 1);
                        continue;
                    }
                }
                Op::StaticAddress { dst, slot, offset } => {
                    reg!(dst) = slots[slot as usize].pointer(slot, offset);
                }
                Op::LocalAddress { dst, local, offset } => {
                    let slot = locals[local as usize];
                    reg!(dst) = slots[slot as usize].pointer(slot, offset);
                }
                Op::LoadStatic { .. }
                | Op::StoreStatic { .. }
                | Op::LoadLocal { .. }
                | Op::StoreLocal { .. }
                | Op::Load { .. }
                | Op::Store { .. }
                    if !plain && !watched =>
                {
                    break;
                }
                Op::LoadStatic { ty, dst, slot, offset } => {
                    let low = usual!(slots[slot as usize].load(ty, offset.into()));
                    note!(slot as usize, offset.into(), ty, false);
                    set!(dst, low);
                }
                Op::StoreStatic { ty, src, slot, offset } => {
                    usual!(slots[slot as usize].store(ty, offset.into(), reg!(src)));
                    note!(slot as usize, offset.into(), ty, true);
                }
                Op::LoadLocal { ty, dst, local, offset } => {
                    let slot = locals[local as usize];
                    let low = usual!(slots[slot as usize].load(ty, offset.into()));
                    note!(slot as usize, offset.into(), ty, false);
                    set!(dst, low);
                }
                Op::StoreLocal { ty, src, local, offset } => {
                    let slot = locals[local as usize];
                    usual!(slots[slot as usize].store(ty, offset.into(), reg!(src)));
                    note!(slot as usize, offset.into(), ty, true);
                }
                Op::Load { ty, dst, pointer, access } => {
                    let index = usual!(alive(slots, reg!(pointer).high));
                    let slot = &slots[index];
                    let offset = usual!(accessed(slot, reg!(pointer), code, access));
                    let low = usual!(slot.load(ty, offset));
                    note!(index, offset, ty, false);
                    set!(dst, low);
                }
                Op::Store { ty, src, pointer, access } => {
                    let index = usual!(alive(slots, reg!(pointer).high));
                    let slot = &mut slots[index];
                    let offset = usual!(accessed(slot, reg!(pointer), code, access));
                    if !slot.is_writable() {
                        break;
                    }
                    usual!(slot.store(ty, offset, reg!(src)));
                    note!(index, offset, ty, true);
                }
                Op::Member { dst, pointer, offset, size } => {
                    let pointer = reg!(pointer);
                    let slot = &slots[usual!(alive(slots, pointer.high))];
                    usual!(slot.reaches(pointer.low.wrapping_add(size.into())));
                    reg!(dst) = Value { low: pointer.low + u64::from(offset), ..pointer };
                }
                Op::Element { dst, pointer, index, element } => {
                    let (pointer, index) = (reg!(pointer), reg!(index));
                    let element = &code.elements[element as usize];
                    let number = usual!(alive(slots, pointer.high));
                    let slot = &slots[number];
                    let delta = usual!(element.usual_distance(index));
                    let low = usual!(slot.reaches(pointer.low.wrapping_add(delta as u64)));
                    let found = Value { low, ..pointer };
                    reg!(dst) = found;
                    // Most elements are read at once: then the object need not be looked for again.
                    if let Op::Load { ty, dst: to, pointer, access } = ops[position + 1]
                        && pointer == dst
                        && rest > 1
                        && (plain || watched)
                    {
                        (position, rest) = (position + 1, rest - 1);
                        let offset = usual!(accessed(slot, found, code, access));
                        let low = usual!(slot.load(ty, offset));
                        note!(number, offset, ty, false);
                        set!(to, low);
                    }
                }
                Op::GuardIndex { dst, src, guard } => {
                    let guard = &code.guards[guard as usize];
                    let value = reg!(src);
                    let negative = guard.signed && (value.low as i64) < 0;
                    if negative || value.low >= guard.bound || value.high != 0 {
                        break;
                    }
                    reg!(dst) = value;
                }
                Op::GuardPointer { dst, src, .. } => {
                    let value = reg!(src);
                    if value == Value::default() {
                        break;
                    }
                    reg!(dst) = value;
                }
                Op::RoundsNext => usual!(rounds).next(),
                Op::SeeValue { expr, ty, src } => {
                    self.refunded += 1;
                    if let Some(profile) = &mut self.profile {
                        profile.see(expr, ty, reg!(src));
                    }
                }
                Op::Turn { stmt, met, when, to } => {
                    if self.profile.as_mut().is_some_and(|it| it.turn(stmt, met == when)) {
                        (position, rest) = (to as usize, rest - 1);
                        continue;
                    }
                }
                Op::SeeStmt { stmt } => {
                    if let Some(profile) = &mut self.profile {
                        profile.count_stmt(stmt);
                    }
                }
                _ => break,
            }
            position += 1;
            rest -= 1;
        }
        *budget = rest;
        position as Position
    }
}

/// Where in an object a pointer to it points, if the operation may access that because of what
/// it was allowed before.
#[inline(always)]
fn accessed(slot: &Slot, pointer: Value, code: &Code, access: u32) -> Option<u64> {
    let offset = slot.offset_of(pointer.low);
    let allowed = code.allowed[access as usize].get();
    let align = code.accesses[access as usize].align;
    let usual = slot.declared.is_some_and(|declared| allowed.includes(declared, offset))
        && slot.is_aligned(pointer.low, align);
    usual.then_some(offset)
}

#[cfg(test)]
mod tests {
    use farrier_lang::target::X86_64_LINUX;
    use farrier_lang::{Program, SourceText, Stmt};

    use crate::run::{Run, begin};
    use crate::verdict::Verdict;
    use crate::{Options, Watch};

    /// Programs whose operations are usual, and become unusual now and then.
    const PROGRAMS: [&str; 13] = [
        "int a[9]; int main(void) { int n = 0; for (int i = 0; i < 9; i++) { if (i < 5) n += a[i]; \
         else a[i] = n + i; if (i == 20) n = 1; } return n; }",
        "int a[40]; int main(void) { for (int i = 0; i < 40; i++) a[i] = i * i - 7; unsigned s = 0; \
         for (int i = 39; i >= 0; --i) s = s * 31u + a[i]; return s % 100; }",
        "struct s { char c; long l; short h[3]; } t[5]; int main(void) { struct s *p = t; for (int i \
         = 0; i < 5; i++, p++) { p->c = -i; p->l = (p->c * 6 >> 1) / 3; p->h[i % 3] = ~p->l; } return \
         t[4].h[1] == 3 && !t[0].c; }",
        "double d[9]; float f; int main(void) { int n = 0; for (int i = 0; i < 9; i++) { d[i] = i / \
         3.0; f += d[i] * 2; n += d[i] > 1.0 && f != 0; } return n + (int)f; }",
        "int main(void) { int x, *p = &x; char c[8]; for (int i = 0; i < 8; i++) { *p = i; c[i] = *p; \
         } return c[7] * 1000 % 77; }",
        "int main(void) { int i = 2147483600; while (i > 0) i += 9; return i; }",
        "int a[4]; int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += a[i]; return s; }",
        "int main(void) { int n = 0; for (int i = 9; i > -2; i--) n += 100 / i; return n; }",
        "_Bool b[8]; int main(void) { int n = 0; for (int i = 0; i < 8; i++) { b[i] = i % 3; n += \
         b[i]; } *(unsigned char *)&b[n - 2] = 2; for (int i = 0; i < 8; i++) n += b[i]; return n; }",
        "int f(int *p) { return *p; } int main(void) { int *q; { int x = 3; q = &x; f(q); } return \
         f(q); }",
        "int a[9], b[9]; int main(void) {\n#pragma GCC ivdep\nfor (int i = 0; i < 9; i++) a[i] = \
         b[i] * 3 + a[i];\nreturn a[8]; }",
        "int a[9]; int main(void) {\n#pragma GCC ivdep\nfor (int i = 1; i < 9; i++) a[i] = \
         a[i - 1] + 1;\nreturn a[8]; }",
        "int a[9]; int main(void) {\n#pragma GCC ivdep\nfor (int i = 0; i < 9; i++) a[i / 5] = \
         i;\nreturn a[1]; }",
    ];

    fn program(text: &str) -> Program {
        let options = farrier_front::Options::new(&X86_64_LINUX);
        let input = SourceText::new("test.c", text);
        farrier_front::parse(&[input], &options).expect("the text is C")
    }

    /// Runs a program with or without the quick loop.
    fn ran(program: &Program, options: &Options, quickly: bool) -> Run {
        let mut machine = begin(program, options, None, None).expect("there is memory");
        machine.slowly = !quickly;
        let result = machine.run_all();
        match machine.run_exit_handlers(result) {
            Ok(ending) => machine.defined(ending).0,
            Err(stop) => {
                let (verdict, leaks) = (*machine.verdict(*stop), Vec::new());
                Run { output: machine.output, verdict, profile: machine.profile, leaks }
            }
        }
    }

    #[test]
    fn the_quick_loop_does_what_the_main_loop_does() {
        for text in PROGRAMS {
            let program = program(text);
            let loops = program.stmts.iter().filter(|(_, stmt)| matches!(stmt, Stmt::For { .. }));
            let loops = loops.map(|(id, _)| (id, Vec::new())).collect();
            let ifs = program.stmts.iter().filter(|(_, stmt)| matches!(stmt, Stmt::If { .. }));
            let turns = ifs.map(|(id, _)| (id, true)).collect();
            let watches = [
                Watch::everything(),
                Watch { loops, ..Watch::everything() },
                Watch { turns, ..Watch::everything() },
            ];
            for steps in [10, 100, 123, 1 << 20] {
                for profile in [None].into_iter().chain(watches.clone().map(Some)) {
                    let options = Options { steps, profile, ..Options::default() };
                    let (quick, slow) =
                        (ran(&program, &options, true), ran(&program, &options, false));
                    assert_eq!(quick.verdict, slow.verdict, "{text}");
                    assert_eq!(quick.profile, slow.profile, "{text}");
                }
            }
        }
    }

    #[test]
    fn both_verdicts_occur() {
        let verdicts = PROGRAMS.map(|text| ran(&program(text), &Options::default(), true).verdict);
        let defined = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Defined(_)));
        let undefined = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Undefined(_)));
        assert_eq!((defined.count(), undefined.count()), (6, 7), "{verdicts:?}");
    }
}
