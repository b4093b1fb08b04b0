//! Statements and control flow.

use farrier_lang::{ExprId, ExprKind, LabelId, ObjectId, Stmt, StmtId, Storage, Type, TypeId};

use super::lvalues::Lvalue;
use super::{Block, CaseEntry, Home, LabelPlace, Lowerer, SwitchState, Target};
use crate::code::{Loop, Op, Position, Reg, Sighting, SwitchTable, Whereabouts};
use crate::kinds::UbKind;
use crate::value::Scalar;
use crate::verdict::{At, Checked};
use crate::watch::Part;

impl Lowerer<'_> {
    pub(super) fn statement(&mut self, id: StmtId) -> Checked {
        let outer = std::mem::replace(&mut self.at, At::Stmt(id));
        let mark = self.next;
        if self.watch.statements.contains(id) {
            self.emit(Op::SeeStmt { stmt: farrier_lang::Id::index(id) as u32 });
        }
        if self.points.contains(id) {
            self.see_objects(id);
        }
        self.statement_inner(id)?;
        // Registers of locals stay; they were taken before the mark or by the block.
        if !matches!(self.program[id], Stmt::Declare(_)) {
            self.next = mark;
        }
        self.at = outer;
        Ok(())
    }

    /// Keeps the values of the objects that are watched when the statement begins.
    #[cold]
    fn see_objects(&mut self, statement: StmtId) {
        let Some(point) = self.watch.points.get(&statement) else { return };
        let whole = |object: &ObjectId| self.whereabouts(*object, self.program[*object].ty, 0);
        let part = |part: &Part| self.whereabouts(part.object, part.ty, part.offset);
        let objects = point.objects.iter().map(whole);
        let objects = objects.chain(point.parts.iter().map(part)).collect();
        let (most, related) = (point.most, point.related);
        self.code.sightings.push(Sighting { statement, objects, most, related });
        let sighting = self.code.sightings.len() as u32 - 1;
        self.emit(Op::SeeObjects { sighting });
    }

    /// Where the value of an object is, or of a part of it, seen from here.
    fn whereabouts(&self, object: ObjectId, ty: TypeId, offset: u64) -> Whereabouts {
        let Some(scalar) = self.scalar(ty) else { return Whereabouts::Nowhere };
        if let Some(slot) = self.statics.get(object) {
            return Whereabouts::Static(scalar, slot, offset);
        }
        match self.homes.get(&object) {
            Some(Home::Memory(local)) => Whereabouts::Local(scalar, *local, offset),
            // Once its block is closed, the register may be that of another local.
            Some(Home::Register(reg))
                if *reg < self.code.parameters
                    || self
                        .blocks
                        .iter()
                        .any(|block| block.registers.contains(&(*reg, object))) =>
            {
                Whereabouts::Register(scalar, *reg)
            }
            _ => Whereabouts::Nowhere,
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each kind of statement")]
    fn statement_inner(&mut self, id: StmtId) -> Checked {
        match &self.program[id] {
            Stmt::Empty | Stmt::Fallthrough => {}
            Stmt::Hinted { body, .. } => {
                self.refuse_untracked(*body);
                self.statement(*body)?;
            }
            Stmt::Expr(expr) => {
                self.full_expression(|lowerer| lowerer.discard(*expr))?;
                self.assure_target(*expr);
            }
            Stmt::Block(statements) => {
                self.enter_block(statements)?;
                for statement in statements {
                    self.statement(*statement)?;
                }
                self.leave_block();
            }
            Stmt::Declare(object) => {
                self.full_expression(|lowerer| lowerer.declare(*object))?;
            }
            Stmt::DefineRecord(_) => {
                self.unsupported("records of variable size");
            }
            Stmt::DefineFunction(function) => self.define_function(*function),
            Stmt::If { .. } if self.watch.turns.contains_key(&id) => self.turnable(id)?,
            Stmt::If { condition, then, otherwise } => {
                self.open_block();
                let skip = self.skip_unless(*condition)?;
                self.branch(*then)?;
                match otherwise {
                    None => self.land(skip),
                    Some(otherwise) => {
                        let end = self.emit(Op::Jump { to: 0 });
                        self.land(skip);
                        self.branch(*otherwise)?;
                        self.land(end);
                    }
                }
                self.leave_block();
            }
            Stmt::While { condition, body } => {
                self.open_block();
                let start = self.here();
                let skip = self.skip_unless(*condition)?;
                self.loop_body(*body, |lowerer| {
                    lowerer.emit(Op::Jump { to: start });
                    Ok(())
                })?;
                self.land(skip);
                self.end_loop();
                self.note_loop(id, start, skip);
                self.leave_block();
            }
            Stmt::DoWhile { body, condition } => {
                self.open_block();
                let start = self.here();
                let condition = *condition;
                let mut decided = start;
                self.loop_body(*body, |lowerer| {
                    let skip = lowerer.skip_unless(condition)?;
                    lowerer.emit(Op::Jump { to: start });
                    lowerer.land(skip);
                    decided = skip;
                    Ok(())
                })?;
                self.end_loop();
                self.note_loop(id, start, decided);
                self.leave_block();
            }
            Stmt::For { init, condition, step, body } => {
                self.enter_block(init)?;
                for statement in init {
                    self.statement(*statement)?;
                }
                let tracked = self.begin_rounds(id);
                let start = self.here();
                tracked.iter().for_each(|tracked| self.next_round(tracked));
                let skip = match condition {
                    Some(condition) => Some(self.skip_unless(*condition)?),
                    None => None,
                };
                tracked.iter().for_each(|tracked| self.forget_private(tracked, true));
                let step = *step;
                self.loop_body(*body, |lowerer| {
                    if let Some(step) = step {
                        lowerer.full_expression(|lowerer| lowerer.discard(step))?;
                    }
                    lowerer.emit(Op::Jump { to: start });
                    Ok(())
                })?;
                if let Some(skip) = skip {
                    self.land(skip);
                    self.note_loop(id, start, skip);
                }
                self.end_loop();
                tracked.iter().for_each(|tracked| self.end_rounds(tracked));
                self.leave_block();
            }
            Stmt::Switch { value, body } => self.switch_statement(*value, *body)?,
            Stmt::Case { first, last, body } => {
                let evaluate = |lowerer: &mut Self, expr: ExprId| {
                    farrier_lang::constant::integer_constant(lowerer.program, lowerer.layouts, expr)
                };
                let low = evaluate(self, *first);
                let high = match last {
                    Some(last) => evaluate(self, *last),
                    None => low,
                };
                let entry = self.case_entry();
                if let (Ok(low), Ok(high), Some(state)) = (low, high, self.switch.last_mut()) {
                    state.cases.push((low, high, entry));
                }
                self.statement(*body)?;
            }
            Stmt::Default(body) => {
                let entry = self.case_entry();
                if let Some(state) = self.switch.last_mut() {
                    state.default = Some(entry);
                }
                self.statement(*body)?;
            }
            Stmt::Label(label, body) => {
                let position = self.here();
                let blocks = self.blocks.clone();
                self.labels.insert(*label, LabelPlace { position, blocks });
                self.statement(*body)?;
            }
            Stmt::Goto(label) => self.goto(*label),
            Stmt::GotoComputed(value) => {
                let src = self.full_expression(|lowerer| lowerer.value(*value))?;
                self.code.label_tables.push(Vec::new());
                let table = self.code.label_tables.len() as u32 - 1;
                self.emit(Op::JumpToLabel { src, table });
                self.computed.push((table as usize, self.blocks.clone()));
            }
            Stmt::Break => {
                let depth = self.targets.last().map(|target| target.depth);
                self.leave_down_to(depth.unwrap_or(0));
                let jump = self.emit(Op::Jump { to: 0 });
                if let Some(target) = self.targets.last_mut() {
                    target.breaks.push(jump);
                }
            }
            Stmt::Continue => {
                let found = self.targets.iter().rposition(|target| target.continues.is_some());
                let index = found.expect("well-formed: continue is inside a loop");
                self.leave_down_to(self.targets[index].depth);
                let jump = self.emit(Op::Jump { to: 0 });
                let continues = self.targets[index].continues.as_mut();
                continues.expect("found as a loop").push(jump);
            }
            Stmt::Return(value) => self.return_statement(*value)?,
            Stmt::Asm(asm) => self.assembly(*asm)?,
        }
        Ok(())
    }

    /// Lowers a full expression: when it is complete, its temporaries die (C11 6.2.4p8).
    /// Those of `return` die with the call.
    fn full_expression<T>(&mut self, lower: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        let outer = std::mem::take(&mut self.temporaries);
        let result = lower(self)?;
        for local in std::mem::replace(&mut self.temporaries, outer) {
            self.emit(Op::Leave { local });
        }
        Ok(result)
    }

    /// The condition of a statement; the jump, to be landed, is taken if it is false.
    fn skip_unless(&mut self, condition: ExprId) -> Checked<Position> {
        let mark = self.next;
        let outer = std::mem::replace(&mut self.at, At::Expr(condition));
        let tested = self.full_expression(|lowerer| lowerer.tested(condition))?;
        let jump = self.jump_on(tested, false);
        self.at = outer;
        self.next = mark;
        Ok(jump)
    }

    /// Opens a block: every local of it that lives in memory begins to live.
    fn enter_block(&mut self, statements: &[StmtId]) -> Checked {
        self.open_block();
        for statement in statements {
            self.prepare(*statement)?;
        }
        Ok(())
    }

    /// Gives the locals that a statement of a block declares their homes. A label
    /// may stand before a declaration.
    fn prepare(&mut self, statement: StmtId) -> Checked {
        let object = match self.program[statement] {
            Stmt::Declare(object) => object,
            Stmt::Label(_, body) | Stmt::Case { body, .. } | Stmt::Default(body) => {
                return self.prepare(body);
            }
            _ => return Ok(()),
        };
        let declared = &self.program[object];
        if matches!(declared.storage, Storage::Static | Storage::Thread) {
            return Ok(());
        }
        match self.scalar(declared.ty) {
            Some(scalar) if self.fits_register(object, scalar) => {
                let reg = self.local_register(object);
                self.emit(Op::Forget { dst: reg });
            }
            _ => {
                if self.program.is_variable_array(declared.ty) {
                    return Ok(());
                }
                let local = self.memory_local(object);
                self.emit(Op::Enter { local });
            }
        }
        Ok(())
    }

    fn leave_block(&mut self) {
        let block = self.blocks.pop().expect("entered before");
        for local in block.locals.into_iter().rev() {
            self.emit(Op::Leave { local });
        }
    }

    /// Ends the lives of locals of the blocks above a depth, without closing them.
    fn leave_down_to(&mut self, depth: usize) {
        let leaving: Vec<u32> = self.blocks[depth..]
            .iter()
            .rev()
            .flat_map(|block| block.locals.iter().rev())
            .copied()
            .collect();
        for local in leaving {
            self.emit(Op::Leave { local });
        }
    }

    fn declare(&mut self, object: ObjectId) -> Checked {
        let declared = &self.program[object];
        if matches!(declared.storage, Storage::Static | Storage::Thread) {
            return self.evaluate_lengths(declared.ty);
        }
        if self.program.is_variable_array(declared.ty) {
            return self.declare_variable(object);
        }
        self.evaluate_lengths(declared.ty)?;
        // The homes exist since the block was entered; a `for` declares in its own.
        let Some(home) = self.homes.get(&object).copied() else {
            self.prepare_late(object)?;
            return self.declare(object);
        };
        match (home, declared.init) {
            (Home::Register(reg), Some(init)) => {
                self.initialise(Lvalue::Register(reg), declared.ty, init, false)?;
                self.assured.insert(reg);
                self.begin_restricted(object, reg);
            }
            (Home::Register(reg), None) => {
                if self.jumps {
                    self.emit(Op::Forget { dst: reg });
                }
                self.begin_restricted(object, reg);
            }
            (Home::Memory(local), init) => {
                // The value becomes indeterminate each time the declaration is reached,
                // which is more than once in a life only if there are jumps.
                if self.jumps {
                    self.emit(Op::ForgetMemory { local });
                }
                if let Some(init) = init {
                    self.initialising =
                        matches!(self.program[init].kind, ExprKind::InitList(_)).then_some(object);
                    self.initialise(Lvalue::Local { local, offset: 0 }, declared.ty, init, false)?;
                }
                self.freeze(local);
            }
        }
        Ok(())
    }

    /// From here on the object keeps its value, if it is const.
    pub(super) fn freeze(&mut self, local: u32) {
        if self.code.locals[local as usize].constant {
            self.emit(Op::Freeze { local });
        }
    }

    fn prepare_late(&mut self, object: ObjectId) -> Checked {
        let declared = &self.program[object];
        match self.scalar(declared.ty) {
            Some(scalar) if self.fits_register(object, scalar) => {
                self.local_register(object);
            }
            _ => {
                let local = self.memory_local(object);
                self.emit(Op::Enter { local });
            }
        }
        Ok(())
    }

    /// An `if` that may be turned around: each way asks whether it is, and goes the other way then.
    fn turnable(&mut self, id: StmtId) -> Checked {
        let Stmt::If { condition, then, otherwise } = self.program[id] else { return Ok(()) };
        let stmt = farrier_lang::Id::index(id) as u32;
        let when = self.watch.turns.get(&id).copied().unwrap_or(false);
        self.open_block();
        let skip = self.skip_unless(condition)?;
        let away = self.emit(Op::Turn { stmt, met: true, when, to: 0 });
        let start = self.here();
        self.branch(then)?;
        let end = self.emit(Op::Jump { to: 0 });
        self.land(skip);
        self.emit(Op::Turn { stmt, met: false, when, to: start });
        self.land(away);
        if let Some(otherwise) = otherwise {
            self.branch(otherwise)?;
        }
        self.land(end);
        self.leave_block();
        Ok(())
    }

    /// A statement that may be left out, or in the middle. It is a block, even without
    /// braces (C11 6.8.4p3, 6.8.5p5).
    fn branch(&mut self, statement: StmtId) -> Checked {
        let mark = self.assured.mark();
        self.open_block();
        self.statement(statement)?;
        self.leave_block();
        self.assured.back_to(mark);
        Ok(())
    }

    /// The local that a statement assigns to has a value from here on.
    fn assure_target(&mut self, statement: ExprId) {
        if let ExprKind::Assign(target, _) = self.program[statement].kind
            && let ExprKind::Object(object) = self.program[target].kind
            && let Some(Home::Register(reg)) = self.homes.get(&object)
        {
            self.assured.insert(*reg);
        }
    }

    /// The body of a loop and what comes after each round.
    fn loop_body(&mut self, body: StmtId, after: impl FnOnce(&mut Self) -> Checked) -> Checked {
        let depth = self.blocks.len();
        self.targets.push(Target { depth, breaks: Vec::new(), continues: Some(Vec::new()) });
        self.branch(body)?;
        let target = self.targets.last_mut().expect("pushed above");
        for jump in target.continues.replace(Vec::new()).unwrap_or_default() {
            self.land(jump);
        }
        after(self)
    }

    /// A loop with a condition ends here.
    fn note_loop(&mut self, statement: StmtId, start: Position, condition: Position) {
        let end = self.here();
        self.code.loops.push(Loop { statement, start, end, condition });
    }

    fn end_loop(&mut self) {
        let target = self.targets.pop().expect("the loop pushed it");
        for jump in target.breaks {
            self.land(jump);
        }
    }

    fn switch_statement(&mut self, value: ExprId, body: StmtId) -> Checked {
        self.open_block();
        let src = self.full_expression(|lowerer| lowerer.value(value))?;
        let scalar = self.scalar(self.program.type_of(value));
        let (wide, signed) = match scalar {
            Some(Scalar::Int { signed, .. }) => (false, signed),
            Some(Scalar::Wide { signed, .. }) => (true, signed),
            _ => {
                self.unsupported("a switch on this type");
                (false, false)
            }
        };
        self.code.switches.push(SwitchTable::default());
        let table = self.code.switches.len() - 1;
        self.emit(Op::Switch { src, table: table as u32 });
        let depth = self.blocks.len();
        self.targets.push(Target { depth, breaks: Vec::new(), continues: None });
        self.switch.push(SwitchState { cases: Vec::new(), default: None, depth });
        self.branch(body)?;
        let state = self.switch.pop().expect("pushed above");
        let jump = self.emit(Op::Jump { to: 0 });
        let mut filled = SwitchTable { wide, signed, ..SwitchTable::default() };
        for (low, high, entry) in state.cases {
            let position = self.case_landing(entry);
            if low == high {
                filled.exact.insert(low, position);
            } else {
                filled.ranges.push((low, high, position));
            }
        }
        let default = state.default.map(|entry| self.case_landing(entry));
        self.land(jump);
        filled.default = default.unwrap_or_else(|| self.here());
        self.code.switches[table] = filled;
        self.end_loop();
        self.leave_block();
        Ok(())
    }

    /// A case label: where it is, and the locals that begin to live when the switch jumps there.
    fn case_entry(&self) -> CaseEntry {
        let depth = self.switch.last().map_or(0, |state| state.depth);
        let inside = self.blocks.get(depth..).unwrap_or_default();
        (self.here(), inside.to_vec())
    }

    fn case_landing(&mut self, (position, entering): CaseEntry) -> Position {
        if entering.iter().all(|block| block.locals.is_empty() && block.registers.is_empty()) {
            return position;
        }
        let here = self.here();
        self.enter_by_jump(&entering);
        self.emit(Op::Jump { to: position });
        here
    }

    /// A jump enters blocks: their locals begin to live, and have no value.
    fn enter_by_jump(&mut self, blocks: &[Block]) {
        for block in blocks {
            for &local in &block.locals {
                if self.code.locals[local as usize].variable {
                    self.jump_into_variable();
                } else {
                    self.emit(Op::Enter { local });
                }
            }
            for &(reg, _) in &block.registers {
                self.emit(Op::Forget { dst: reg });
            }
        }
    }

    fn jump_into_variable(&mut self) {
        self.undefined(
            UbKind::GotoIntoVla,
            "this jump enters the scope of a variable-length array",
        );
    }

    fn goto(&mut self, label: LabelId) {
        let blocks = self.blocks.clone();
        // Where it goes is known when the function is complete.
        let jump = self.emit(Op::Jump { to: 0 });
        self.gotos.push((jump, label, blocks));
    }

    /// Completes all jumps to labels: each goes over a landing that ends the lives
    /// of locals of the blocks it leaves and begins those of the blocks it enters.
    pub(super) fn resolve_gotos(&mut self) {
        for (jump, label, from) in std::mem::take(&mut self.gotos) {
            self.at = self.code.at[jump as usize];
            if !self.labels.contains_key(&label)
                && let Some(op) = self.jump_out(label)
            {
                self.code.ops[jump as usize] = op;
                continue;
            }
            let landing = self.landing(label, &from);
            self.code.ops[jump as usize] = Op::Jump { to: landing };
        }
        for (table, from) in std::mem::take(&mut self.computed) {
            let mut labels: Vec<LabelId> = self.labels.keys().copied().collect();
            labels.sort();
            for label in labels {
                let landing = self.landing(label, &from);
                self.code.label_tables[table]
                    .push((farrier_lang::Id::index(label) as u32, landing));
            }
        }
    }

    fn landing(&mut self, label: LabelId, from: &[Block]) -> Position {
        let Some(place) = self.labels.get(&label) else {
            let here = self.here();
            self.unsupported("a label of another function");
            return here;
        };
        let (position, to) = (place.position, place.blocks.clone());
        let common = from.iter().zip(&to).take_while(|(a, b)| a.id == b.id).count();
        let start = self.here();
        for block in from[common..].iter().rev() {
            for &local in block.locals.iter().rev() {
                self.emit(Op::Leave { local });
            }
        }
        // A variable array lives from its declaration on: a jump back ends its life,
        // and none may go over the declaration.
        let is_variable =
            |lowerer: &Self, local: &u32| lowerer.code.locals[*local as usize].variable;
        for (before, after) in from.iter().zip(&to).take(common) {
            for &local in before.locals.iter().filter(|local| !after.locals.contains(local)) {
                if is_variable(self, &local) {
                    self.emit(Op::Leave { local });
                }
            }
            if after
                .locals
                .iter()
                .any(|local| !before.locals.contains(local) && is_variable(self, local))
            {
                self.jump_into_variable();
            }
        }
        self.enter_by_jump(&to[common..]);
        if self.here() == start {
            return position;
        }
        self.emit(Op::Jump { to: position });
        start
    }

    fn return_statement(&mut self, value: Option<ExprId>) -> Checked {
        match value {
            None => {
                let void = self.result.is_none_or(|ty| *self.program.resolve(ty) == Type::Void);
                self.emit(if void { Op::ReturnNothing } else { Op::ReturnMissing });
            }
            Some(value) if *self.program.resolve(self.program.type_of(value)) == Type::Void => {
                self.discard(value)?;
                self.emit(Op::ReturnNothing);
            }
            Some(value) => {
                let src = self.value(value)?;
                self.check_byte(value, src);
                self.check_result(src);
                self.emit(Op::Return { src });
            }
        }
        Ok(())
    }

    /// `({ ... })`: the value of the last statement.
    pub(super) fn statement_expression(&mut self, block: StmtId) -> Checked<Option<Reg>> {
        let Stmt::Block(statements) = &self.program[block] else {
            unreachable!("well-formed: a statement expression holds a block")
        };
        let dst = self.temporary();
        // It may be in an operand that is not evaluated.
        let mark = self.assured.mark();
        self.enter_block(statements)?;
        let mut result = None;
        for (index, statement) in statements.iter().enumerate() {
            if index + 1 == statements.len() {
                result = self.last_value(*statement, dst)?;
            } else {
                self.statement(*statement)?;
            }
        }
        self.leave_block();
        self.assured.back_to(mark);
        Ok(result)
    }

    fn last_value(&mut self, statement: StmtId, dst: Reg) -> Checked<Option<Reg>> {
        match self.program[statement] {
            Stmt::Expr(expr) if *self.program.resolve(self.program.type_of(expr)) != Type::Void => {
                let ty = self.program.type_of(expr);
                if self.is_aggregate(ty) {
                    // The value outlives the block: it is copied out of it.
                    let from = self.value(expr)?;
                    let own = self.blocks.pop().expect("the block is open");
                    let local = self.temporary_memory(expr, ty);
                    self.blocks.push(own);
                    self.emit(Op::Enter { local });
                    self.emit(Op::LocalAddress { dst, local, offset: 0 });
                    let size = self.size_of(ty).unwrap_or(0) as u32;
                    self.emit(Op::CopyBytes { to: dst, from, size });
                } else {
                    self.value_to(expr, Some(dst))?;
                }
                Ok(Some(dst))
            }
            Stmt::Label(label, body) => {
                let position = self.here();
                let blocks = self.blocks.clone();
                self.labels.insert(label, LabelPlace { position, blocks });
                self.last_value(body, dst)
            }
            _ => {
                self.statement(statement)?;
                Ok(None)
            }
        }
    }
}
