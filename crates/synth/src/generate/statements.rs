//! Statements, blocks in blocks.

use farrier_lang::{
    BinaryOp, ExprId, IntKind, Label, LabelId, Linkage, Qualifiers, Stmt, StmtId, Storage, Type,
    TypeId, Types, integer_type,
};

use super::aggregates::has_views;
use super::border;
use super::casts::{accesses_bytes, casts_pointers};
use super::complex::has_complex;
use super::draft::{Context, Draft, Mode, Name};
use super::places::Purpose;
use super::production::{Production, Rate, anywhere, draw, form};
use super::records::moves_records;
use super::scope::{EndLabel, Variable};
use super::strings::has_strings;
use super::values::{Site, Want};
use super::vectors::has_vectors;
use crate::features::Feature;
use crate::parameters::Parameter;
use crate::relax::Relaxation;

/// The operations that must be left for a loop, for a call, and for any statement.
const LOOP_OPERATIONS: u64 = 200;
const CALL_OPERATIONS: u64 = 40;
const STATEMENT_OPERATIONS: u64 = 20;

/// How many statements draw a context of their own, in percent.
const CONTEXT_CHANGES: u32 = 20;

/// How many conditions are drawn as truth values, in percent.
const LOGICAL_CONDITIONS: u32 = 50;

/// How many values of a `switch` have a mask, and the masks.
const MASKED_SWITCHES: u32 = 70;
const SWITCH_MASKS: [u64; 6] = [1, 3, 3, 7, 7, 15];

/// Of a `switch`: how many have their cases side by side, how many a `default`, how many
/// cases are empty, all in percent, and how many cases there are.
const DENSE_SWITCHES: u32 = 50;
const DEFAULTS: u32 = 75;
const EMPTY_CASES: u32 = 15;
const CASES: (i64, i64) = (2, 7);

/// A form of statements: how deep blocks in it may nest, and the statement with what it
/// needs before it.
type Row = Production<u32, Vec<StmtId>>;

/// The forms of statements; assignments and declarations are always there.
#[rustfmt::skip]
static STATEMENTS: &[Row] = &[
    form(Rate::Always(60), anywhere, |draft, _| one(draft.assignment_statement())),
    form(Rate::Always(24), anywhere, |draft, _| one(Some(draft.declaration()))),
    form(Rate::Of(Feature::CompoundAssign), anywhere, |draft, _| one(draft.compound_statement())),
    form(Rate::Of(Feature::Increment), anywhere, |draft, _| one(draft.step_statement())),
    form(Rate::Of(Feature::Pointer), anywhere, |draft, _| one(draft.pointer_assignment())),
    form(Rate::Of(Feature::RecordCopy), anywhere, |draft, _| one(draft.record_copy())),
    form(Rate::Of(Feature::RecordSelect), anywhere, |draft, _| one(draft.record_select())),
    form(Rate::Of(Feature::RecordLoop), moves_records, |draft, nesting| draft.record_loop(nesting - 1)),
    form(Rate::Of(Feature::Neighbours), groups, |draft, _| draft.group_statement()),
    form(Rate::Of(Feature::UnionView), has_views, |draft, nesting| one(draft.view_block(nesting))),
    form(Rate::Of(Feature::StringFunction), has_strings, |draft, nesting| one(Some(draft.string_block(nesting)))),
    form(Rate::Of(Feature::ByteAccess), accesses_bytes, |draft, _| draft.byte_statement()),
    form(Rate::Of(Feature::PointerCast), casts_pointers, |draft, _| draft.cast_statement()),
    form(Rate::Of(Feature::Call), calls, |draft, _| one(draft.call_statement())),
    form(Rate::Of(Feature::If), nests, |draft, nesting| one(Some(draft.if_statement(nesting - 1)))),
    form(Rate::Of(Feature::Switch), nests, |draft, nesting| one(Some(draft.switch(nesting - 1)))),
    form(Rate::Of(Feature::For), counts, |draft, nesting| draft.for_loop(nesting - 1)),
    form(Rate::Of(Feature::ArrayLoop), counts_with_for, |draft, nesting| one(draft.array_loop(nesting - 1))),
    form(Rate::Of(Feature::IdiomFunction), tabulates, |draft, _| draft.idiom_loop()),
    form(Rate::Of(Feature::While), burns, |draft, nesting| draft.fuel_loop(nesting - 1, false)),
    form(Rate::Of(Feature::Do), burns, |draft, nesting| draft.fuel_loop(nesting - 1, true)),
    form(Rate::Of(Feature::BackwardGoto), burns_with_if, |draft, nesting| draft.backward_goto(nesting - 1)),
    form(Rate::Of(Feature::Goto), jumps, |draft, _| one(Some(draft.forward_goto()))),
    form(Rate::Of(Feature::Break), breaks, |draft, _| one(Some(draft.conditional(Stmt::Break)))),
    form(Rate::Of(Feature::Continue), continues, |draft, _| one(Some(draft.conditional(Stmt::Continue)))),
    form(Rate::Of(Feature::Return), returns, |draft, _| one(Some(draft.early_return()))),
    form(Rate::Of(Feature::Vector), has_vectors, |draft, nesting| draft.vector_statements(nesting)),
    form(Rate::Of(Feature::Complex), has_complex, |draft, _| draft.complex_statements()),
    form(Rate::Of(Feature::Border), border::can_call, |draft, _| one(draft.border_call())),
];

/// A statement that needs nothing before it.
fn one(statement: Option<StmtId>) -> Option<Vec<StmtId>> {
    statement.map(|statement| vec![statement])
}

fn groups(draft: &Draft<'_>, _: u32) -> bool {
    draft.can_group()
}

fn calls(draft: &Draft<'_>, _: u32) -> bool {
    draft.spare() > CALL_OPERATIONS
}

fn nests(draft: &Draft<'_>, nesting: u32) -> bool {
    nesting > 0 && draft.has_room()
}

fn loops(draft: &Draft<'_>, nesting: u32) -> bool {
    nests(draft, nesting) && draft.spare() > LOOP_OPERATIONS
}

fn counts(draft: &Draft<'_>, nesting: u32) -> bool {
    loops(draft, nesting) && draft.can_count()
}

fn counts_with_for(draft: &Draft<'_>, nesting: u32) -> bool {
    counts(draft, nesting) && draft.has(Feature::For)
}

fn tabulates(draft: &Draft<'_>, _: u32) -> bool {
    draft.can_tabulate()
}

fn burns(draft: &Draft<'_>, nesting: u32) -> bool {
    loops(draft, nesting) && draft.has(Feature::Increment)
}

fn burns_with_if(draft: &Draft<'_>, nesting: u32) -> bool {
    burns(draft, nesting) && draft.has(Feature::If)
}

fn jumps(draft: &Draft<'_>, _: u32) -> bool {
    !draft.scope.labels.is_empty()
}

fn breaks(draft: &Draft<'_>, _: u32) -> bool {
    draft.scope.breakable > 0 && draft.has(Feature::If)
}

fn continues(draft: &Draft<'_>, _: u32) -> bool {
    draft.scope.loops > 0 && draft.has(Feature::If)
}

fn returns(draft: &Draft<'_>, _: u32) -> bool {
    draft.has(Feature::If) && draft.scope.returns
}

impl Draft<'_> {
    /// A block with a scope of its own.
    pub(super) fn block(&mut self, nesting: u32) -> StmtId {
        let mark = self.scope.enter();
        // A jump to the end of a block stands in an `if`.
        let label = (self.has(Feature::Goto) && self.has(Feature::If)).then(|| self.label());
        self.scope.labels.extend(label.map(|label| EndLabel { label, used: false }));
        let mut statements = self.few_statements(nesting);
        self.scope.leave(mark);
        if label.is_some() && self.scope.labels.pop().is_some_and(|end| end.used) {
            // After the label only what was visible before the block.
            let last = self.simple_statement();
            statements.extend(label.map(|label| self.stmt(Stmt::Label(label, last))));
        }
        self.block_of(statements)
    }

    /// A few statements, in the scope where they stand.
    pub(super) fn few_statements(&mut self, nesting: u32) -> Vec<StmtId> {
        let mut statements = Vec::new();
        for _ in 0..self.up_to(1, Parameter::BlockLength) {
            self.land(&mut statements);
            self.statement(nesting, &mut statements);
            self.wild_jump(&mut statements);
            self.contest_statement(&mut statements);
            if !self.has_room() || self.spare() < STATEMENT_OPERATIONS {
                break;
            }
        }
        statements
    }

    /// A new label.
    pub(super) fn label(&mut self) -> LabelId {
        let name = self.name(Name::Label);
        self.program.labels.push(Label { name, local: false })
    }

    /// An assignment, for places that need a statement.
    pub(super) fn simple_statement(&mut self) -> StmtId {
        self.assignment_statement().unwrap_or_else(|| self.stmt(Stmt::Empty))
    }

    /// Adds a statement, with what it needs before it.
    pub(super) fn statement(&mut self, nesting: u32, out: &mut Vec<StmtId>) {
        if self.choices.chance(CONTEXT_CHANGES) {
            self.expression.context = self.draw_context();
        }
        self.begin_expression();
        match draw(self, STATEMENTS, nesting) {
            Some(statements) => out.extend(statements),
            None => out.push(self.simple_statement()),
        }
    }

    /// A condition: a full expression, charged.
    pub(super) fn condition(&mut self) -> ExprId {
        let context = self.expression.context;
        if self.choices.chance(LOGICAL_CONDITIONS) {
            self.expression.context = Context::Logical;
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

    /// `if (condition) jump;`
    pub(super) fn conditional(&mut self, jump: Stmt) -> StmtId {
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

    /// `if (condition) return value;`
    pub(super) fn early_return(&mut self) -> StmtId {
        let result = self.return_statement();
        let condition = self.condition();
        self.if_of(condition, result)
    }

    /// `lvalue = value;`
    fn assignment_statement(&mut self) -> Option<StmtId> {
        self.begin_expression();
        let mode = self.draw_mode();
        // What is evaluated beside a free value is quiet.
        let quiet = mode == Mode::Free && !self.relaxes(Relaxation::Order);
        let place_mode = if quiet { Mode::Quiet } else { Mode::Reading };
        let place = self.place(Want::Number, Purpose::Write, place_mode)?;
        let depth = self.up_to(1, Parameter::ExpressionDepth);
        let ty = self.program.type_of(place);
        let value = self.value(Want::Exactly(ty), Site::new(mode, depth));
        let assign = self.assign(place, value);
        Some(self.expr_stmt(assign))
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
        let variable = self.variable(|draft, variable, ty| {
            draft.may_write(variable)
                && !ty.qualifiers().contains(Qualifiers::CONST)
                && draft.program.pointee(ty).is_some_and(|target| {
                    !matches!(draft.program.resolve(target), Type::Function(_))
                })
        })?;
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
        if !keep && self.may_lack_value(ty) && self.relaxes(Relaxation::Initialiser) {
            self.relaxed.dropped.push((object, init));
        } else {
            self.program[object].init = Some(init);
        }
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

    /// Whether the machine can tell of every part of an object whether it has a value: a character
    /// without one may be copied, and bit-fields share their bytes.
    fn may_lack_value(&self, ty: TypeId) -> bool {
        !self.is_const(ty)
            && match *self.program.resolve(ty) {
                Type::Int(kind) => self.config.target.int_bits(kind) > 8,
                Type::Array { element, .. } => self.may_lack_value(element),
                Type::Record(id) => {
                    let fields = self.program[id].fields.as_deref().unwrap_or(&[]);
                    fields.iter().all(|field| field.bits.is_none() && self.may_lack_value(field.ty))
                }
                Type::Enum(_) | Type::Float(_) | Type::Pointer(_) => true,
                // A `_BitInt` has padding, which never has a value.
                _ => false,
            }
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
        let dense = self.choices.chance(DENSE_SWITCHES);
        let count = self.choices.range(CASES.0, CASES.1) as usize;
        let value = self.full_value(Want::Integer);
        let mask = self.choices.chance(MASKED_SWITCHES).then(|| self.choices.pick(&SWITCH_MASKS));
        let value = self.switch_value(value, mask);
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
        let default = self.choices.chance(DEFAULTS).then(|| self.choices.index(labels.len() + 1));
        self.scope.breakable += 1;
        let mut body = Vec::new();
        for position in 0..=labels.len() {
            if default == Some(position) {
                let block = self.block(nesting);
                body.push(self.stmt(Stmt::Default(block)));
                self.end_case(&mut body);
            }
            let Some(label) = labels.get(position) else { break };
            let block = if self.choices.chance(EMPTY_CASES) {
                self.stmt(Stmt::Empty)
            } else {
                self.block(nesting)
            };
            body.push(self.case(*label, ty, block));
            self.end_case(&mut body);
        }
        self.scope.breakable -= 1;
        let body = self.block_of(body);
        self.stmt(Stmt::Switch { value, body })
    }

    /// The value of a `switch`, with a mask if it may have one.
    pub(super) fn switch_value(&mut self, value: ExprId, mask: Option<u64>) -> ExprId {
        let value = match mask.filter(|_| self.has(Feature::Bitwise)) {
            Some(mask) => {
                let mask = self.builder().int(IntKind::Int, mask);
                self.binary(BinaryOp::BitAnd, value, mask)
            }
            None => value,
        };
        let value = self.builder().promote(value);
        self.charge_expr(value);
        value
    }

    /// `case label: body`
    pub(super) fn case(&mut self, label: i128, ty: TypeId, body: StmtId) -> StmtId {
        let first = self.literal(label);
        let first = self.builder().convert(first, ty);
        self.stmt(Stmt::Case { first, last: None, body })
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
            Some(self.value(Want::Exactly(ty), Site::new(mode, depth)))
        };
        if let Some(value) = value {
            self.charge_expr(value);
        }
        self.stmt(Stmt::Return(value))
    }
}
