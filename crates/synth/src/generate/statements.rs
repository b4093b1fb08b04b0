//! Statements, blocks in blocks.

use farrier_lang::*;

use super::draft::{Draft, Mode, Name};
use super::places::Purpose;
use super::scope::{EndLabel, Variable};
use super::values::{Site, Want};
use crate::features::Feature;
use crate::parameters::Parameter;

/// What a statement can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Assign,
    CompoundAssign,
    Increment,
    PointerAssign,
    RecordCopy,
    Call,
    Declare,
    If,
    For,
    ArrayLoop,
    While,
    Do,
    Switch,
    Goto,
    BackwardGoto,
    Break,
    Continue,
    Return,
}

/// The forms and their features; assignments and declarations are always there.
const FORMS: [(Form, Option<Feature>, u32); 18] = [
    (Form::Assign, None, 60),
    (Form::CompoundAssign, Some(Feature::CompoundAssign), 0),
    (Form::Increment, Some(Feature::Increment), 0),
    (Form::PointerAssign, Some(Feature::Pointer), 0),
    (Form::RecordCopy, Some(Feature::RecordCopy), 0),
    (Form::Call, Some(Feature::Call), 0),
    (Form::Declare, None, 24),
    (Form::If, Some(Feature::If), 0),
    (Form::For, Some(Feature::For), 0),
    (Form::ArrayLoop, Some(Feature::ArrayLoop), 0),
    (Form::While, Some(Feature::While), 0),
    (Form::Do, Some(Feature::Do), 0),
    (Form::Switch, Some(Feature::Switch), 0),
    (Form::Goto, Some(Feature::Goto), 0),
    (Form::BackwardGoto, Some(Feature::BackwardGoto), 0),
    (Form::Break, Some(Feature::Break), 0),
    (Form::Continue, Some(Feature::Continue), 0),
    (Form::Return, Some(Feature::Return), 0),
];

impl Draft<'_> {
    /// A block with a scope of its own.
    pub(super) fn block(&mut self, nesting: u32) -> StmtId {
        let statements = self.scope(nesting);
        self.block_of(statements)
    }

    /// The statements of a block.
    pub(super) fn scope(&mut self, nesting: u32) -> Vec<StmtId> {
        let mark = self.scope.enter();
        let label = if self.has(Feature::Goto) {
            let name = self.name(Name::Label);
            let label = self.program.labels.push(Label { name, local: false });
            self.scope.labels.push(EndLabel { label, used: false });
            true
        } else {
            false
        };
        let count = self.up_to(1, Parameter::BlockLength);
        let mut statements = Vec::new();
        for _ in 0..count {
            self.statement(nesting, &mut statements);
            if !self.has_room() || self.spare() < 20 {
                break;
            }
        }
        self.scope.leave(mark);
        if label {
            let end = self.scope.labels.pop().expect("pushed above");
            if end.used {
                // Behind the label only what was visible before the block.
                let last = self.simple_statement();
                statements.push(self.program.stmts.push(Stmt::Label(end.label, last)));
            }
        }
        statements
    }

    /// An assignment, for places that need a statement.
    pub(super) fn simple_statement(&mut self) -> StmtId {
        match self.assignment() {
            Some(expr) => self.expr_stmt(expr),
            None => self.stmt(Stmt::Empty),
        }
    }

    /// Adds a statement, with what it needs before it.
    pub(super) fn statement(&mut self, nesting: u32, out: &mut Vec<StmtId>) {
        let deep = nesting == 0 || !self.has_room();
        let weights = FORMS.map(|(form, feature, weight)| {
            let weight = feature.map_or(weight, |feature| self.weight(feature));
            let possible = match form {
                Form::If | Form::Switch => !deep,
                Form::For | Form::ArrayLoop | Form::While | Form::Do | Form::BackwardGoto => {
                    !deep && self.spare() > 200
                }
                Form::Goto => !self.scope.labels.is_empty(),
                Form::Break => self.scope.breakable > 0,
                Form::Continue => self.scope.loops > 0,
                Form::Call => self.spare() > 40,
                _ => true,
            };
            if possible { weight } else { 0 }
        });
        let form = FORMS[self.choices.weighted(&weights).unwrap_or(0)].0;
        if self.choices.chance(20) {
            self.expression.context = self.draw_context();
        }
        self.begin_expression();
        let made = match form {
            Form::Assign => self.assignment().map(|expr| self.expr_stmt(expr)),
            Form::CompoundAssign => self.compound_statement(),
            Form::Increment => self.step_statement(),
            Form::PointerAssign => self.pointer_assignment(),
            Form::RecordCopy => self.record_copy(),
            Form::Call => self.call_statement(),
            Form::Declare => Some(self.declaration()),
            Form::If => Some(self.if_statement(nesting - 1)),
            Form::For => Some(self.for_loop(nesting - 1, out)),
            Form::ArrayLoop => self.array_loop(nesting - 1),
            Form::While => Some(self.while_loop(nesting - 1, out)),
            Form::Do => Some(self.do_loop(nesting - 1, out)),
            Form::Switch => Some(self.switch(nesting - 1)),
            Form::Goto => Some(self.forward_goto()),
            Form::BackwardGoto => Some(self.backward_goto(nesting - 1, out)),
            Form::Break => Some(self.conditional(Stmt::Break)),
            Form::Continue => Some(self.conditional(Stmt::Continue)),
            Form::Return => {
                let result = self.return_statement();
                let condition = self.condition();
                Some(self.if_of(condition, result))
            }
        };
        match made {
            Some(statement) => out.push(statement),
            None => out.push(self.simple_statement()),
        }
    }

    /// A condition: a full expression, charged.
    pub(super) fn condition(&mut self) -> ExprId {
        let context = self.expression.context;
        if self.choices.chance(50) {
            self.expression.context = super::draft::Context::Logical;
        }
        let value = self.full_value(Want::Number);
        self.expression.context = context;
        self.charge_expr(value);
        value
    }

    /// An `if` whose condition stays as it is.
    pub(super) fn fixed_if(&mut self, condition: ExprId, then: StmtId) -> StmtId {
        let statement = self.if_of(condition, then);
        self.fixed.insert(statement);
        statement
    }

    pub(super) fn if_of(&mut self, condition: ExprId, then: StmtId) -> StmtId {
        self.stmt(Stmt::If { condition, then, otherwise: None })
    }

    fn conditional(&mut self, jump: Stmt) -> StmtId {
        let condition = self.condition();
        let jump = self.stmt(jump);
        self.if_of(condition, jump)
    }

    fn forward_goto(&mut self) -> StmtId {
        let index = self.choices.index(self.scope.labels.len());
        self.scope.labels[index].used = true;
        let label = self.scope.labels[index].label;
        self.conditional(Stmt::Goto(label))
    }

    /// `lvalue = value`
    pub(super) fn assignment(&mut self) -> Option<ExprId> {
        self.begin_expression();
        let mode = self.draw_mode();
        // What is evaluated beside a free value is quiet.
        let place_mode = if mode == Mode::Free { Mode::Quiet } else { Mode::Reading };
        let place = self.place(Want::Number, Purpose::Write, place_mode)?;
        let depth = self.up_to(1, Parameter::ExpressionDepth);
        let ty = self.program.type_of(place);
        let value = self.value(Want::Exactly(ty), Site::new(mode, depth));
        Some(self.assign(place, value))
    }

    fn compound_statement(&mut self) -> Option<StmtId> {
        let place = self.place(Want::Number, Purpose::Write, Mode::Reading)?;
        // The place is read as well, so nothing beside it may change it.
        let ty = self.program.type_of(place);
        let class = self.class_of(ty)?;
        let volatile = ty.qualifiers().contains(Qualifiers::VOLATILE);
        let depth = self.up_to(1, Parameter::ExpressionDepth);
        let mode = if volatile { Mode::Quiet } else { Mode::Reading };
        let value = self.value(class.into(), Site::new(mode, depth));
        let expr = self.compound_assignment(place, value)?;
        Some(self.expr_stmt(expr))
    }

    fn step_statement(&mut self) -> Option<StmtId> {
        let place = self.place(Want::Number, Purpose::Write, Mode::Reading)?;
        if !self.steps_safely(self.program.type_of(place)) {
            return None;
        }
        let expr = self.any_step(place);
        Some(self.expr_stmt(expr))
    }

    /// A pointer variable gets another target.
    fn pointer_assignment(&mut self) -> Option<StmtId> {
        let pointers: Vec<Variable> = self
            .scope
            .variables()
            .filter(|variable| {
                let ty = self.program[variable.object].ty;
                variable.writable
                    && !ty.qualifiers().contains(Qualifiers::CONST)
                    && self.program.pointee(ty).is_some_and(|target| {
                        !matches!(self.program.resolve(target), Type::Function(_))
                    })
            })
            .copied()
            .collect();
        if pointers.is_empty() {
            return None;
        }
        let variable = self.choices.pick(&pointers);
        let ty = self.program[variable.object].ty;
        let value = self.pointer_value(ty, variable.depth, Mode::Reading);
        let place = self.object_expr(variable.object);
        let expr = self.assign(place, value);
        Some(self.expr_stmt(expr))
    }

    fn record_copy(&mut self) -> Option<StmtId> {
        let info = self.assignable_record()?;
        let target = self.record_place(info.ty, Purpose::Write)?;
        let source = self.record_value(info.ty, Mode::Reading);
        let expr = self.builder().assign(target, source).ok()?;
        self.charge(info.bytes);
        Some(self.expr_stmt(expr))
    }

    /// A local variable with its initialiser.
    pub(super) fn declaration(&mut self) -> StmtId {
        let ty = self.variable_type(true);
        let keep = self.wants(Feature::StaticLocal);
        let constant = !keep && self.wants(Feature::Const);
        let ty = if constant { self.program.types.qualified(ty, Qualifiers::CONST) } else { ty };
        self.declare(ty, keep)
    }

    /// Declares a local variable of this type.
    pub(super) fn declare(&mut self, ty: TypeId, keep: bool) -> StmtId {
        let storage = if keep { Storage::Static } else { Storage::Automatic };
        let object = self.object(Name::Local, ty, Linkage::None, storage);
        if self.wants(Feature::Aligned) {
            self.program[object].align = Some(self.choices.pick(&[16, 32]));
        }
        self.begin_expression();
        let reach = self.scope.depth;
        let init = self.initialiser(ty, keep, reach);
        self.program[object].init = Some(init);
        self.charge_expr(init);
        let simple = self.program.is_scalar(ty);
        let private = simple && self.chance(Parameter::PrivateShare);
        let constant = self.is_const(ty);
        self.scope.visible.push(Variable {
            object,
            depth: if keep { 0 } else { self.scope.depth },
            // A static local keeps its value between calls, and other calls may change it.
            private: private && !keep,
            writable: !constant,
            below: None,
        });
        self.stmt(Stmt::Declare(object))
    }

    pub(super) fn is_const(&self, ty: TypeId) -> bool {
        match *self.program.resolve(ty) {
            Type::Array { element, .. } => self.is_const(element),
            _ => ty.qualifiers().contains(Qualifiers::CONST),
        }
    }

    fn if_statement(&mut self, nesting: u32) -> StmtId {
        let condition = self.condition();
        let then = self.block(nesting);
        let otherwise = if self.chance(Parameter::ElseShare) && self.has_room() {
            Some(self.block(nesting))
        } else {
            None
        };
        self.stmt(Stmt::If { condition, then, otherwise })
    }

    /// A `switch`, its cases dense or sparse, in any order.
    fn switch(&mut self, nesting: u32) -> StmtId {
        let dense = self.choices.chance(50);
        let count = self.choices.range(2, 7) as usize;
        let value = self.full_value(Want::Integer);
        let value = if self.choices.chance(70) {
            let mask = self.choices.pick(&[1, 3, 3, 7, 7, 15]);
            let mask = self.builder().int(IntKind::Int, mask);
            self.binary(BinaryOp::BitAnd, value, mask)
        } else {
            value
        };
        let value = self.builder().promote(value);
        self.charge_expr(value);
        let ty = self.program.type_of(value);
        let mut labels: Vec<i128> = if dense {
            let first = i128::from(self.choices.range(0, 2));
            (first..).take(count).collect()
        } else {
            let mut values: Vec<i128> = (0..count).map(|_| self.number()).collect();
            values.extend([0, 1]);
            let integer = integer_type(&self.program, ty).expect("promoted");
            values.retain(|value| integer.contains(*value));
            values.sort_unstable();
            values.dedup();
            values
        };
        self.choices.shuffle(&mut labels);
        let default = self.choices.chance(75).then(|| self.choices.index(labels.len() + 1));
        self.scope.breakable += 1;
        let mut body = Vec::new();
        for position in 0..=labels.len() {
            if default == Some(position) {
                let block = self.block(nesting);
                body.push(self.stmt(Stmt::Default(block)));
                self.end_case(&mut body);
            }
            let Some(label) = labels.get(position) else { break };
            let first = self.literal(*label);
            let first = self.builder().convert(first, ty);
            let block =
                if self.choices.chance(15) { self.stmt(Stmt::Empty) } else { self.block(nesting) };
            body.push(self.stmt(Stmt::Case { first, last: None, body: block }));
            self.end_case(&mut body);
        }
        self.scope.breakable -= 1;
        let body = self.block_of(body);
        self.stmt(Stmt::Switch { value, body })
    }

    fn end_case(&mut self, body: &mut Vec<StmtId>) {
        if !self.wants(Feature::SwitchFallthrough) {
            body.push(self.stmt(Stmt::Break));
        }
    }

    /// `return`, with a value if the function has one.
    pub(super) fn return_statement(&mut self) -> StmtId {
        let ty = self.scope.result;
        self.begin_expression();
        let value = if ty == Types::VOID {
            None
        } else {
            let depth = self.up_to(1, Parameter::ExpressionDepth);
            let mode = self.draw_mode();
            Some(self.value(Want::Exactly(ty), Site { mode, depth, reach: 0 }))
        };
        if let Some(value) = value {
            self.charge_expr(value);
        }
        self.stmt(Stmt::Return(value))
    }
}
