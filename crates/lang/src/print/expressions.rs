//! Expressions and initialisers.

use super::spellings::Spelled;
use super::{GuardStyle, Printer};
use crate::arena::ExprId;
use crate::builtins::{GenericRule, Prototype};
use crate::expr::{
    BinaryOp, Expr, ExprKind, InitItem, InitPlace, Lanes, LogicalOp, OffsetStep, StepOp, UnaryOp,
};
use crate::program::{Field, RecordKind};
use crate::types::{Type, TypeId};
use crate::wrapper::{Wrapper, wrapper_of};

/// How tightly an expression binds, C11 6.5: the production that it is.
pub(super) type Precedence = u8;

const COMMA: Precedence = 1;
pub(super) const ASSIGNMENT: Precedence = 2;
const CONDITIONAL: Precedence = 3;
const LOGICAL_OR: Precedence = 4;
const LOGICAL_AND: Precedence = 5;
pub(super) const CAST: Precedence = 14;
const UNARY: Precedence = 15;
pub(super) const POSTFIX: Precedence = 16;
pub(super) const PRIMARY: Precedence = 17;

fn binary_precedence(op: BinaryOp) -> Precedence {
    match op {
        BinaryOp::BitOr => 6,
        BinaryOp::BitXor => 7,
        BinaryOp::BitAnd => 8,
        BinaryOp::Equal | BinaryOp::NotEqual => 9,
        BinaryOp::Less | BinaryOp::Greater | BinaryOp::LessEqual | BinaryOp::GreaterEqual => 10,
        BinaryOp::Shl | BinaryOp::Shr => 11,
        BinaryOp::Add | BinaryOp::Sub => 12,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 13,
    }
}

/// An operator with a space on either side; one table entry writes faster than three pieces.
fn spaced(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => " * ",
        BinaryOp::Div => " / ",
        BinaryOp::Rem => " % ",
        BinaryOp::Add => " + ",
        BinaryOp::Sub => " - ",
        BinaryOp::Shl => " << ",
        BinaryOp::Shr => " >> ",
        BinaryOp::Less => " < ",
        BinaryOp::Greater => " > ",
        BinaryOp::LessEqual => " <= ",
        BinaryOp::GreaterEqual => " >= ",
        BinaryOp::Equal => " == ",
        BinaryOp::NotEqual => " != ",
        BinaryOp::BitAnd => " & ",
        BinaryOp::BitXor => " ^ ",
        BinaryOp::BitOr => " | ",
    }
}

impl<'a> Printer<'a> {
    /// The expression below all implicit conversions that are not printed.
    pub(super) fn explicit(&self, mut id: ExprId) -> (ExprId, &'a Expr) {
        let program = self.program;
        loop {
            let expr = &program.exprs[id];
            match expr.kind {
                ExprKind::Load(operand) | ExprKind::Decay(operand) | ExprKind::Convert(operand)
                    if !self.is_spelled(Spelled::Expr(id)) && !self.is_written_cast(expr) =>
                {
                    id = operand;
                }
                _ => return (id, expr),
            }
        }
    }

    /// An expression where an assignment may stand but no comma: an argument, an initialiser.
    pub(super) fn assignment_expr(&mut self, id: ExprId) {
        self.expr(id, ASSIGNMENT);
    }

    /// A constant expression, C11 6.6.
    pub(super) fn constant_expr(&mut self, id: ExprId) {
        self.expr(id, CONDITIONAL);
    }

    fn precedence(&self, id: ExprId) -> Precedence {
        if self.is_spelled(Spelled::Expr(id)) {
            return PRIMARY;
        }
        let expr = &self.program.exprs[id];
        match &expr.kind {
            _ if self.is_changed(expr) => PRIMARY,
            ExprKind::Object(_)
            | ExprKind::String(_)
            | ExprKind::Function(_)
            | ExprKind::EnumConstant(_)
            | ExprKind::Float(_)
            | ExprKind::Imaginary(_)
            | ExprKind::InitList(_)
            | ExprKind::StatementExpr(_)
            | ExprKind::Builtin(..)
            | ExprKind::Offsetof(..)
            | ExprKind::VaArg(_) => PRIMARY,
            ExprKind::Int(value) => {
                if self.int_literal_is_cast(*value, expr.ty) {
                    CAST
                } else {
                    PRIMARY
                }
            }
            ExprKind::CompoundLiteral(_)
            | ExprKind::Call(..)
            | ExprKind::Member(..)
            | ExprKind::Swizzle(..)
            | ExprKind::Index(..)
            | ExprKind::Step(StepOp::PostIncrement | StepOp::PostDecrement, _) => POSTFIX,
            ExprKind::Unary(..)
            | ExprKind::AddressOf(_)
            | ExprKind::Deref(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::Step(..)
            | ExprKind::SizeofType(_)
            | ExprKind::SizeofExpr(_)
            | ExprKind::AlignofType(..)
            | ExprKind::AlignofExpr(..) => UNARY,
            ExprKind::Cast(_) => CAST,
            ExprKind::Binary(op, ..) => binary_precedence(*op),
            ExprKind::Logical(LogicalOp::And, ..) => LOGICAL_AND,
            ExprKind::Logical(LogicalOp::Or, ..) => LOGICAL_OR,
            ExprKind::Conditional { .. } => CONDITIONAL,
            ExprKind::Assign(..) | ExprKind::CompoundAssign { .. } => ASSIGNMENT,
            ExprKind::Comma(..) => COMMA,
            ExprKind::Guard { operand, .. } => match self.wrapper_of(expr) {
                Some(wrapper) if wrapper.is_cast_at_call() => CAST,
                Some(_) => PRIMARY,
                None => self.precedence(self.explicit(*operand).0),
            },
            // Only those are left that are written as casts.
            ExprKind::Load(_) | ExprKind::Decay(_) | ExprKind::Convert(_) => CAST,
        }
    }

    /// An expression, in parentheses if it binds less tightly than `least`.
    pub(super) fn expr(&mut self, id: ExprId, least: Precedence) {
        let (id, expr) = self.explicit(id);
        // Names and small constants are most of a program and never need parentheses.
        match expr.kind {
            _ if self.spellings.is_some() => {}
            ExprKind::Object(object) => return self.object_name(object),
            ExprKind::Function(function) => return self.function_name(function),
            _ => {}
        }
        if self.precedence(id) < least {
            self.byte(b'(');
            self.kind(id);
            self.byte(b')');
        } else {
            self.kind(id);
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each kind of expression")]
    fn kind(&mut self, id: ExprId) {
        let program = self.program;
        let expr = &program.exprs[id];
        if self.spelled(Spelled::Expr(id)) || self.changed(expr) {
            return;
        }
        match &expr.kind {
            ExprKind::Int(value) => self.int_literal(*value, expr.ty),
            ExprKind::Float(id) => self.float_literal(*id, expr.ty),
            ExprKind::Imaginary(operand) => {
                self.expr(*operand, PRIMARY);
                self.byte(b'i');
            }
            ExprKind::String(id) => self.string_literal(*id),
            ExprKind::Object(id) => self.object_name(*id),
            ExprKind::Function(id) => self.function_name(*id),
            ExprKind::EnumConstant(id) => self.symbol(program[*id].name),
            ExprKind::LabelAddress(id) => {
                self.text("&&");
                self.symbol(program[*id].name);
            }
            ExprKind::CompoundLiteral(operand) => {
                self.type_in_parentheses(expr.ty);
                self.braced_initialiser(*operand, expr.ty);
            }
            ExprKind::InitList(items) => self.init_list(items, expr.ty),
            ExprKind::Unary(op, operand) => match op {
                UnaryOp::Plus => self.sign(b'+', *operand),
                UnaryOp::Minus => self.sign(b'-', *operand),
                UnaryOp::BitNot => self.prefix("~", *operand, CAST),
                UnaryOp::Not => self.prefix("!", *operand, CAST),
                UnaryOp::Real => self.prefix("__real__ ", *operand, CAST),
                UnaryOp::Imag => self.prefix("__imag__ ", *operand, CAST),
            },
            ExprKind::AddressOf(operand) => self.sign(b'&', *operand),
            ExprKind::Deref(operand) => self.prefix("*", *operand, CAST),
            ExprKind::Step(op, operand) => match op {
                StepOp::PreIncrement => self.prefix("++", *operand, UNARY),
                StepOp::PreDecrement => self.prefix("--", *operand, UNARY),
                StepOp::PostIncrement => self.postfix(*operand, "++"),
                StepOp::PostDecrement => self.postfix(*operand, "--"),
            },
            ExprKind::Binary(op, left, right) => {
                let precedence = binary_precedence(*op);
                self.operand(*left, *right, precedence);
                self.text(spaced(*op));
                self.operand(*right, *left, precedence + 1);
            }
            ExprKind::Logical(op, left, right) => {
                let (text, precedence) = match op {
                    LogicalOp::And => (" && ", LOGICAL_AND),
                    LogicalOp::Or => (" || ", LOGICAL_OR),
                };
                self.expr(*left, precedence);
                self.text(text);
                self.expr(*right, precedence + 1);
            }
            ExprKind::Comma(left, right) => {
                self.expr(*left, COMMA);
                self.text(", ");
                self.expr(*right, ASSIGNMENT);
            }
            ExprKind::Assign(target, value) => {
                self.expr(*target, UNARY);
                self.text(" = ");
                self.expr(*value, ASSIGNMENT);
            }
            ExprKind::CompoundAssign { op, target, value, .. } => {
                self.expr(*target, UNARY);
                self.byte(b' ');
                self.text(op.text());
                self.text("= ");
                self.expr(*value, ASSIGNMENT);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.expr(*condition, LOGICAL_OR);
                match then {
                    Some(then) => {
                        self.text(" ? ");
                        self.expr(*then, ASSIGNMENT);
                        self.text(" : ");
                    }
                    None => self.text(" ?: "),
                }
                self.expr(*otherwise, CONDITIONAL);
            }
            ExprKind::Cast(operand) => {
                self.type_in_parentheses(expr.ty);
                self.expr(*operand, CAST);
            }
            ExprKind::Call(function, arguments) => {
                self.expr(*function, POSTFIX);
                self.byte(b'(');
                self.separated(arguments, |printer, &argument| printer.assignment_expr(argument));
                self.byte(b')');
            }
            ExprKind::Builtin(builtin, arguments) => {
                let row = builtin.row();
                match self.is_cuda() && row.library.is_some() || self.is_own(row.name) {
                    true => self.device_name(row.name),
                    false => self.text(row.name),
                }
                self.byte(b'(');
                self.separated(arguments, |printer, &argument| printer.assignment_expr(argument));
                if row.prototype == Prototype::Generic(GenericRule::ConvertVector) {
                    self.text(", ");
                    self.declare(expr.ty, None);
                }
                self.byte(b')');
            }
            ExprKind::Member(base, field) => self.member(*base, *field),
            ExprKind::Swizzle(base, lanes) => {
                self.expr(*base, POSTFIX);
                self.lanes(*lanes, expr.ty);
            }
            ExprKind::Index(base, index) if self.program.is_named_lane(*base, *index) => {
                self.expr(*base, POSTFIX);
                if let ExprKind::Int(lane) = self.program[*index].kind {
                    self.lanes(Lanes(lane), expr.ty);
                }
            }
            ExprKind::Index(base, index) => {
                self.expr(*base, POSTFIX);
                self.byte(b'[');
                // Since C++23 a comma there separates subscripts.
                self.expr(*index, if self.is_cplusplus() { ASSIGNMENT } else { COMMA });
                self.byte(b']');
            }
            ExprKind::SizeofType(ty) => {
                self.text("sizeof");
                self.type_in_parentheses(*ty);
            }
            ExprKind::SizeofExpr(operand) => match self.is_truth_value(*operand) {
                true => self.text("sizeof(int)"),
                false => self.prefix_in_parentheses("sizeof", *operand),
            },
            ExprKind::AlignofType(form, ty) => {
                self.text(self.alignof(*form));
                self.type_in_parentheses(*ty);
            }
            ExprKind::AlignofExpr(form, operand) => {
                self.prefix_in_parentheses(self.alignof(*form), *operand);
            }
            ExprKind::Offsetof(ty, path) => {
                self.text("__builtin_offsetof(");
                self.declare(*ty, None);
                self.text(", ");
                self.offset_path(*ty, path);
                self.byte(b')');
            }
            ExprKind::VaArg(list) => {
                self.text("__builtin_va_arg(");
                self.assignment_expr(*list);
                self.text(", ");
                self.declare(expr.ty, None);
                self.byte(b')');
            }
            ExprKind::StatementExpr(block) => {
                self.byte(b'(');
                self.block(*block);
                self.byte(b')');
            }
            ExprKind::Guard { operand, .. } => match self.wrapper_of(expr) {
                Some(wrapper) => self.guard_call(wrapper, expr),
                None => {
                    let (operand, _) = self.explicit(*operand);
                    self.kind(operand);
                }
            },
            ExprKind::Load(operand) | ExprKind::Decay(operand) | ExprKind::Convert(operand) => {
                self.written_cast(*operand, expr.ty);
            }
        }
    }

    /// The wrapper that a guard calls; `None` if the guard is printed bare.
    fn wrapper_of(&self, guard: &Expr) -> Option<Wrapper> {
        match self.options.guards {
            GuardStyle::Wrappers | GuardStyle::Macros { .. } => wrapper_of(self.program, guard),
            GuardStyle::Bare => None,
        }
    }

    pub(super) fn type_in_parentheses(&mut self, ty: TypeId) {
        self.byte(b'(');
        self.declare(ty, None);
        self.byte(b')');
    }

    fn prefix(&mut self, op: &str, operand: ExprId, least: Precedence) {
        self.text(op);
        self.expr(operand, least);
    }

    fn postfix(&mut self, operand: ExprId, op: &str) {
        self.expr(operand, POSTFIX);
        self.text(op);
    }

    /// The parentheses keep a compound literal or a cast after `sizeof` apart from a type.
    fn prefix_in_parentheses(&mut self, op: &str, operand: ExprId) {
        self.text(op);
        self.byte(b'(');
        self.expr(operand, COMMA);
        self.byte(b')');
    }

    /// An operator that would melt together with the same one after it, as in `- -x`.
    fn sign(&mut self, op: u8, operand: ExprId) {
        self.byte(op);
        let start = self.out.len();
        self.expr(operand, CAST);
        if self.out[start] == op {
            self.out.insert(start, b' ');
        }
    }

    /// The members of the record that `ty` is.
    pub(super) fn fields(&self, ty: TypeId) -> Option<(RecordKind, &'a [Field])> {
        match self.program.resolve(ty) {
            Type::Record(id) => {
                let record = &self.program[*id];
                Some((record.kind, record.fields.as_deref()?))
            }
            _ => None,
        }
    }

    /// `.s` and the numbers of lanes.
    fn lanes(&mut self, lanes: Lanes, ty: TypeId) {
        let count = match self.program.resolve(ty) {
            Type::Vector { lanes, .. } => *lanes,
            _ => 1,
        };
        self.text(".s");
        for lane in lanes.take(count) {
            self.byte(b"0123456789abcdef"[lane as usize]);
        }
    }

    fn member(&mut self, base: ExprId, field: u32) {
        let (mut base_id, mut base) = self.explicit(base);
        let name = self.member_name(base.ty, field);
        // Anonymous members on the way have no name to print.
        while let ExprKind::Member(outer, outer_field) = base.kind {
            let (outer_id, outer) = self.explicit(outer);
            if self.member_name(outer.ty, outer_field).is_some() {
                break;
            }
            (base_id, base) = (outer_id, outer);
        }
        match base.kind {
            ExprKind::Deref(pointer) if !self.is_spelled(Spelled::Expr(base_id)) => {
                self.expr(pointer, POSTFIX);
                self.text("->");
            }
            _ => {
                self.expr(base_id, POSTFIX);
                self.byte(b'.');
            }
        }
        match name {
            Some(name) => self.symbol(name),
            None => self.text("<anonymous>"),
        }
    }

    fn member_name(&self, record: TypeId, field: u32) -> Option<crate::arena::Symbol> {
        let (_, fields) = self.fields(record)?;
        fields[field as usize].name
    }

    fn offset_path(&mut self, record: TypeId, path: &[OffsetStep]) {
        let mut ty = record;
        let mut first = true;
        for step in path {
            match *step {
                OffsetStep::Field(index) => {
                    let (_, fields) =
                        self.fields(ty).expect("a path goes through complete records");
                    let field = &fields[index as usize];
                    if let Some(name) = field.name {
                        if !first {
                            self.byte(b'.');
                        }
                        self.symbol(name);
                        first = false;
                    }
                    ty = field.ty;
                }
                OffsetStep::Index(index) => {
                    self.byte(b'[');
                    self.expr(index, COMMA);
                    self.byte(b']');
                    if let Type::Array { element, .. } = self.program.resolve(ty) {
                        ty = *element;
                    }
                }
            }
        }
    }

    /// The initialiser of an object.
    pub(super) fn initialiser(&mut self, value: ExprId) {
        let expr = &self.program.exprs[value];
        match &expr.kind {
            ExprKind::InitList(items) if !self.is_spelled(Spelled::Expr(value)) => {
                self.init_list(items, expr.ty);
            }
            _ => self.assignment_expr(value),
        }
    }

    /// The initialiser of a compound literal, which has braces around a scalar too.
    fn braced_initialiser(&mut self, value: ExprId, ty: TypeId) {
        match &self.program.exprs[value].kind {
            ExprKind::InitList(items) => self.init_list(items, ty),
            _ => {
                self.byte(b'{');
                self.assignment_expr(value);
                self.byte(b'}');
            }
        }
    }

    fn init_list(&mut self, items: &[InitItem], ty: TypeId) {
        if self.is_cplusplus() {
            return self.complete_list(items, ty);
        }
        self.byte(b'{');
        let record = self.fields(ty);
        let mut first = true;
        // The place that an item without a designator would fill.
        let mut next = match record {
            Some((_, fields)) => next_field(fields, 0),
            None => Some(0),
        };
        for item in items {
            if !first {
                self.text(", ");
            }
            first = false;
            match item.place {
                InitPlace::Elements { first, last } => {
                    if first != last {
                        self.byte(b'[');
                        self.number(first);
                        self.text(" ... ");
                        self.number(last);
                        self.text("] = ");
                    } else if next != Some(first) {
                        self.byte(b'[');
                        self.number(first);
                        self.text("] = ");
                    }
                    next = last.checked_add(1);
                    self.initialiser(item.value);
                }
                InitPlace::Field(index) => {
                    let (kind, fields) = record.expect("only a record has members to initialise");
                    let field = &fields[index as usize];
                    if next == Some(u64::from(index)) {
                        self.initialiser(item.value);
                    } else if let Some(name) = field.name {
                        self.byte(b'.');
                        self.symbol(name);
                        self.text(" = ");
                        self.initialiser(item.value);
                    } else {
                        self.anonymous_member(field.ty, item.value);
                        next = None;
                        continue;
                    }
                    next = match kind {
                        RecordKind::Struct => next_field(fields, index as usize + 1),
                        RecordKind::Union => None,
                    };
                }
            }
        }
        self.byte(b'}');
    }

    /// The value of an anonymous member that is not the next one: it has no
    /// designator, but its own members have.
    fn anonymous_member(&mut self, ty: TypeId, value: ExprId) {
        let program = self.program;
        let (Some((_, fields)), ExprKind::InitList(items)) =
            (self.fields(ty), &program.exprs[value].kind)
        else {
            return self.initialiser(value);
        };
        self.separated(items, |printer, item| {
            let InitPlace::Field(index) = item.place else {
                unreachable!("an anonymous member is a record")
            };
            let field = &fields[index as usize];
            match field.name {
                Some(name) => {
                    printer.byte(b'.');
                    printer.symbol(name);
                    printer.text(" = ");
                    printer.initialiser(item.value);
                }
                None => printer.anonymous_member(field.ty, item.value),
            }
        });
    }
}

/// The first member from `start` on that takes a value: unnamed bit-fields do not.
pub(super) fn next_field(fields: &[Field], start: usize) -> Option<u64> {
    let skipped = fields.get(start..)?.iter().position(|f| f.name.is_some() || f.bits.is_none())?;
    Some((start + skipped) as u64)
}
