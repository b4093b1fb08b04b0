//! Expressions of integer type.

use farrier_lang::builtins::Builtin;
use farrier_lang::*;

use super::draft::{Context, Draft, Mode};
use super::places::Purpose;
use crate::features::Feature;
use crate::parameters::Parameter;

/// What an inner node can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Additive,
    Multiply,
    Divide,
    Shift,
    Bitwise,
    Compare,
    Logical,
    Unary,
    Ternary,
    Comma,
    Cast,
    Assign,
    CompoundAssign,
    Increment,
    BitBuiltin,
    Overflow,
    ByteSwap,
    Common,
    Call,
    Helper,
    String,
    CompoundLiteral,
}

/// The forms, their features, and the contexts that prefer them.
const FORMS: [(Form, Feature, &[Context]); 22] = [
    (Form::Additive, Feature::Arithmetic, &[Context::Additive]),
    (Form::Multiply, Feature::Multiplication, &[Context::Multiplicative]),
    (Form::Divide, Feature::Division, &[Context::Multiplicative]),
    (Form::Shift, Feature::Shift, &[Context::Shift]),
    (Form::Bitwise, Feature::Bitwise, &[Context::Bitwise]),
    (Form::Compare, Feature::Comparison, &[Context::Logical]),
    (Form::Logical, Feature::Logical, &[Context::Logical]),
    (Form::Unary, Feature::Unary, &[Context::Additive, Context::Bitwise]),
    (Form::Ternary, Feature::Ternary, &[]),
    (Form::Comma, Feature::Comma, &[]),
    (Form::Cast, Feature::Cast, &[]),
    (Form::Assign, Feature::AssignExpression, &[]),
    (Form::CompoundAssign, Feature::CompoundAssign, &[]),
    (Form::Increment, Feature::Increment, &[]),
    (Form::BitBuiltin, Feature::BitBuiltin, &[Context::Bitwise]),
    (Form::Overflow, Feature::OverflowBuiltin, &[]),
    (Form::ByteSwap, Feature::ByteSwap, &[Context::Bitwise]),
    (Form::Common, Feature::CommonSubexpression, &[]),
    (Form::Call, Feature::Call, &[]),
    (Form::Helper, Feature::Helper, &[]),
    (Form::String, Feature::StringLiteral, &[]),
    (Form::CompoundLiteral, Feature::CompoundLiteral, &[]),
];

impl Draft<'_> {
    /// A full expression of integer type.
    pub(super) fn full_value(&mut self) -> ExprId {
        self.begin_expression();
        let mode = self.draw_mode();
        let depth = self.up_to(1, Parameter::ExpressionDepth);
        self.value(depth, mode)
    }

    /// A value of integer type.
    pub(super) fn value(&mut self, depth: u32, mode: Mode) -> ExprId {
        if depth == 0 || self.chance(Parameter::LeafShare) {
            return self.leaf(mode);
        }
        let context = self.frame.context;
        if self.chance(Parameter::ContextChange) {
            self.frame.context = self.draw_context();
        }
        let expr = self.inner(depth - 1, mode);
        self.frame.context = context;
        expr
    }

    pub(super) fn draw_context(&mut self) -> Context {
        const CONTEXTS: [(Parameter, Context); 6] = [
            (Parameter::MixedContext, Context::Mixed),
            (Parameter::AdditiveContext, Context::Additive),
            (Parameter::BitwiseContext, Context::Bitwise),
            (Parameter::LogicalContext, Context::Logical),
            (Parameter::MultiplicativeContext, Context::Multiplicative),
            (Parameter::ShiftContext, Context::Shift),
        ];
        let weights = CONTEXTS.map(|(parameter, _)| self.parameter(parameter));
        let index = self.choices.weighted(&weights).unwrap_or(0);
        CONTEXTS[index].1
    }

    fn leaf(&mut self, mode: Mode) -> ExprId {
        if !self.chance(Parameter::ConstantShare)
            && let Some(place) = self.integer_place(Purpose::Read, mode)
        {
            return self.builder().value(place);
        }
        self.constant()
    }

    fn inner(&mut self, depth: u32, mode: Mode) -> ExprId {
        let context = self.frame.context;
        let weights = FORMS.map(|(form, feature, contexts)| {
            let weight = self.weight(feature);
            let possible = match form {
                Form::Assign | Form::CompoundAssign | Form::Increment | Form::Overflow => {
                    mode == Mode::Free
                }
                Form::Call => mode == Mode::Free && self.spare() > 40,
                Form::Common => !self.frame.common.is_empty(),
                _ => true,
            };
            match (possible, context) {
                (false, _) => 0,
                (true, Context::Mixed) => weight,
                (true, _) if contexts.contains(&context) => weight,
                // Others stay possible, but rare.
                _ => weight.div_ceil(24),
            }
        });
        let Some(index) = self.choices.weighted(&weights) else { return self.leaf(mode) };
        let form = FORMS[index].0;
        let made = match form {
            Form::Additive => {
                let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Sub]);
                Some(self.binary(op, depth, mode))
            }
            Form::Multiply => Some(self.binary(BinaryOp::Mul, depth, mode)),
            Form::Divide => {
                let op = self.choices.pick(&[BinaryOp::Div, BinaryOp::Rem]);
                Some(self.binary(op, depth, mode))
            }
            Form::Shift => {
                let op = self.choices.pick(&[BinaryOp::Shl, BinaryOp::Shr]);
                Some(self.shift(op, depth, mode))
            }
            Form::Bitwise => {
                let ops = [BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor];
                let op = self.choices.pick(&ops);
                Some(self.binary(op, depth, mode))
            }
            Form::Compare => {
                let ops = [
                    BinaryOp::Less,
                    BinaryOp::Greater,
                    BinaryOp::LessEqual,
                    BinaryOp::GreaterEqual,
                    BinaryOp::Equal,
                    BinaryOp::NotEqual,
                ];
                let op = self.choices.pick(&ops);
                Some(self.binary(op, depth, mode))
            }
            Form::Logical => {
                let op = self.choices.pick(&[LogicalOp::And, LogicalOp::Or]);
                let (left, right) = (self.value(depth, mode), self.value(depth, mode));
                Some(self.builder().logical(op, left, right).expect("both are integers"))
            }
            Form::Unary => Some(self.unary(depth, mode)),
            Form::Ternary => {
                let condition = self.value(depth, mode);
                let then = self.value(depth, mode);
                let otherwise = self.value(depth, mode);
                let made = self.builder().conditional(condition, Some(then), otherwise);
                Some(made.expect("both are integers"))
            }
            Form::Comma => {
                let (left, right) = (self.value(depth, mode), self.value(depth, mode));
                Some(self.builder().comma(left, right))
            }
            Form::Cast => {
                let operand = self.value(depth, mode);
                let ty = self.int_type();
                Some(self.builder().cast(operand, ty).expect("both are integers"))
            }
            Form::Assign => self.embedded_assignment(depth),
            Form::CompoundAssign => self.embedded_compound(depth),
            Form::Increment => self.embedded_step(),
            Form::BitBuiltin => Some(self.bit_builtin(depth, mode)),
            Form::Overflow => self.overflow_builtin(depth),
            Form::ByteSwap => Some(self.byte_swap(depth, mode)),
            Form::Common => {
                let expr = self.choices.pick(&self.frame.common);
                self.reuse(expr)
            }
            Form::Call => self.call_value(mode),
            Form::Helper => self.helper_call(depth, mode),
            Form::String => Some(self.string_element(mode)),
            Form::CompoundLiteral => Some(self.compound_literal(mode)),
        };
        let Some(made) = made else { return self.leaf(mode) };
        if mode == Mode::Quiet && depth > 0 && self.choices.chance(30) {
            self.remember(made);
        }
        made
    }

    /// Keeps a quiet expression for reuse.
    fn remember(&mut self, expr: ExprId) {
        if self.is_copyable(expr) {
            let copy = self.copy(expr);
            self.frame.common.push(copy);
        }
    }

    /// Whether [`copy`](Self::copy) knows all of an expression.
    fn is_copyable(&self, expr: ExprId) -> bool {
        let kind = &self.program[expr].kind;
        let here = !matches!(
            kind,
            ExprKind::Call(..)
                | ExprKind::String(_)
                | ExprKind::CompoundLiteral(_)
                | ExprKind::InitList(_)
                | ExprKind::Assign(..)
                | ExprKind::CompoundAssign { .. }
                | ExprKind::Step(..)
        );
        let mut all = here;
        kind.for_each_operand(|operand| all = all && self.is_copyable(operand));
        all
    }

    /// An expression once more, unless what it reads is written beside it.
    fn reuse(&mut self, expr: ExprId) -> Option<ExprId> {
        let mut objects = Vec::new();
        self.objects_in(expr, &mut objects);
        if objects.iter().any(|object| self.frame.written.contains(object)) {
            return None;
        }
        self.frame.used.extend(objects);
        Some(self.copy(expr))
    }

    fn objects_in(&self, expr: ExprId, out: &mut Vec<ObjectId>) {
        let kind = &self.program[expr].kind;
        if let ExprKind::Object(object) = kind {
            out.push(*object);
        }
        kind.for_each_operand(|operand| self.objects_in(operand, out));
    }

    /// The modes of two operands that are not sequenced.
    pub(super) fn split(&mut self, mode: Mode) -> (Mode, Mode) {
        match mode {
            Mode::Free => match self.choices.below(5) {
                0 | 1 => (Mode::Free, Mode::Quiet),
                2 | 3 => (Mode::Quiet, Mode::Free),
                _ => (Mode::Reading, Mode::Reading),
            },
            other => (other, other),
        }
    }

    fn binary(&mut self, op: BinaryOp, depth: u32, mode: Mode) -> ExprId {
        let (left_mode, right_mode) = self.split(mode);
        let left = self.value(depth, left_mode);
        let right = self.value(depth, right_mode);
        self.operate(op, left, right)
    }

    /// An operator on two integers, guarded where it could fail.
    pub(super) fn operate(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let expr = self.builder().binary(op, left, right).expect("both are integers");
        self.guarded(expr)
    }

    fn shift(&mut self, op: BinaryOp, depth: u32, mode: Mode) -> ExprId {
        let (left_mode, right_mode) = self.split(mode);
        let left = self.value(depth, left_mode);
        // Counts are small numbers more often than not.
        let right = match self.choices.below(5) {
            0 | 1 => self.small_constant(33),
            2 => {
                let count = self.value(depth.min(1), right_mode);
                let mask = self.small_constant(32);
                self.builder().binary(BinaryOp::BitAnd, count, mask).expect("both are integers")
            }
            _ => self.value(depth, right_mode),
        };
        self.operate(op, left, right)
    }

    fn unary(&mut self, depth: u32, mode: Mode) -> ExprId {
        let op = match self.choices.below(8) {
            0 => UnaryOp::Plus,
            1..=3 => UnaryOp::Minus,
            4 | 5 => UnaryOp::BitNot,
            _ => UnaryOp::Not,
        };
        let operand = self.value(depth, mode);
        let expr = self.builder().unary(op, operand).expect("an integer");
        self.guarded(expr)
    }

    /// The expression with a guard around it, if it could be undefined.
    pub(super) fn guarded(&mut self, expr: ExprId) -> ExprId {
        if !self.can_fail(expr) {
            return expr;
        }
        let ty = self.program.type_of(expr);
        let check = GuardCheck::Operation;
        let kind = ExprKind::Guard { check, operand: expr, fallback: Fallback::FirstOperand };
        self.builder().node(kind, ty)
    }

    /// Whether an operator could be undefined for some values of its operands.
    fn can_fail(&self, expr: ExprId) -> bool {
        let ty = self.program.type_of(expr);
        let Some(integer) = integer_type(&self.program, ty) else { return true };
        let range = self.type_bounds(ty);
        let outside = |low: Option<i128>, high: Option<i128>| match (low, high, range) {
            (Some(low), Some(high), Some((least, most))) => low < least || high > most,
            _ => true,
        };
        match self.program[expr].kind {
            ExprKind::Unary(UnaryOp::Minus, operand) => {
                integer.signed
                    && self
                        .bounds(operand)
                        .is_none_or(|(low, high)| outside(high.checked_neg(), low.checked_neg()))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.bounds(left), self.bounds(right));
                match op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if !integer.signed => false,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                        let (Some(a), Some(b)) = (left, right) else { return true };
                        let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
                        let values = corners.map(|(a, b)| match op {
                            BinaryOp::Add => a.checked_add(b),
                            BinaryOp::Sub => a.checked_sub(b),
                            _ => a.checked_mul(b),
                        });
                        values.iter().any(|value| outside(*value, *value))
                    }
                    BinaryOp::Div | BinaryOp::Rem => {
                        right.is_none_or(|(low, high)| low <= 0 && high >= -1)
                    }
                    BinaryOp::Shl | BinaryOp::Shr => {
                        let count_fails = right
                            .is_none_or(|(low, high)| low < 0 || high >= i128::from(integer.bits));
                        if op == BinaryOp::Shr || !integer.signed {
                            return count_fails;
                        }
                        let (Some((low, high)), Some((_, count))) = (left, right) else {
                            return true;
                        };
                        count_fails || low < 0 || {
                            let shifted = high.checked_shl(count as u32);
                            let lossless = shifted.filter(|value| value >> count == high);
                            outside(lossless, lossless)
                        }
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Between which numbers an expression always lies, from its type and a look at its
    /// outermost nodes.
    pub(super) fn bounds(&self, expr: ExprId) -> Option<(i128, i128)> {
        let node = &self.program[expr];
        let ty = self.type_bounds(node.ty);
        match node.kind {
            ExprKind::Int(value) => Some((i128::from(value), i128::from(value))),
            ExprKind::EnumConstant(id) => {
                let value = self.program[id].value;
                Some((value, value))
            }
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => {
                let (low, high) = self.bounds(operand)?;
                let (least, most) = ty?;
                if low >= least && high <= most { Some((low, high)) } else { Some((least, most)) }
            }
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Logical(..) => Some((0, 1)),
            ExprKind::Unary(UnaryOp::Minus, operand) => match self.program[operand].kind {
                ExprKind::Int(value) if integer_type(&self.program, node.ty)?.signed => {
                    Some((-i128::from(value), -i128::from(value)))
                }
                _ => ty,
            },
            ExprKind::Binary(op, ..) if op.is_comparison() => Some((0, 1)),
            ExprKind::Binary(BinaryOp::BitAnd, left, right) => {
                let bound = [left, right]
                    .into_iter()
                    .filter_map(|side| match self.program[side].kind {
                        ExprKind::Int(value) => Some(i128::from(value)),
                        ExprKind::Convert(inner) => match self.program[inner].kind {
                            ExprKind::Int(value) => Some(i128::from(value)),
                            _ => None,
                        },
                        _ => None,
                    })
                    .min();
                match bound {
                    Some(bound) => Some((0, bound)),
                    None => ty,
                }
            }
            _ => ty,
        }
    }

    /// A private local integer that the expression does not touch yet.
    fn fresh_target(&mut self) -> Option<ObjectId> {
        let candidates: Vec<ObjectId> = self
            .frame
            .visible
            .iter()
            .filter(|variable| {
                let ty = self.program[variable.object].ty;
                variable.private
                    && variable.writable
                    && variable.depth > 0
                    && ty.qualifiers().is_empty()
                    && matches!(self.program.resolve(ty), Type::Int(_))
                    && !self.frame.used.contains(&variable.object)
                    && !self.frame.written.contains(&variable.object)
            })
            .map(|variable| variable.object)
            .collect();
        if candidates.is_empty() { None } else { Some(self.choices.pick(&candidates)) }
    }

    fn embedded_assignment(&mut self, depth: u32) -> Option<ExprId> {
        let object = self.fresh_target()?;
        self.frame.written.push(object);
        let value = self.value(depth, Mode::Free);
        let target = self.object_expr(object);
        Some(self.builder().assign(target, value).expect("both are integers"))
    }

    fn embedded_compound(&mut self, depth: u32) -> Option<ExprId> {
        let object = self.fresh_target()?;
        self.frame.written.push(object);
        let value = self.value(depth, Mode::Free);
        let target = self.object_expr(object);
        self.compound_assignment(target, value)
    }

    /// `target op= value` with an operator that cannot fail.
    pub(super) fn compound_assignment(&mut self, target: ExprId, value: ExprId) -> Option<ExprId> {
        let unsigned_or_narrow = {
            let ty = self.program.type_of(target);
            let class = self.program.integer_class(ty)?;
            match class {
                Type::Int(kind) => !self.config.target.int_signed(kind),
                _ => false,
            }
        };
        let mut ops = vec![BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor];
        // In an unsigned type of at least the rank of both operands nothing overflows.
        if unsigned_or_narrow && self.computes_unsigned(target, value) {
            ops.extend([BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Add, BinaryOp::Sub]);
        }
        let op = self.choices.pick(&ops);
        Some(self.builder().compound_assign(op, target, value).expect("both are integers"))
    }

    /// Whether the usual conversions of the operands end in an unsigned type.
    fn computes_unsigned(&self, left: ExprId, right: ExprId) -> bool {
        let target = self.config.target;
        let rank = |expr: ExprId| match self.program.integer_class(self.program.type_of(expr)) {
            Some(Type::Int(kind)) => Some((target.int_bits(kind), target.int_signed(kind))),
            _ => None,
        };
        let int = target.int_bits(IntKind::Int);
        match (rank(left), rank(right)) {
            (Some((bits, false)), Some((other, signed))) => {
                bits >= int && (bits >= other || !signed)
            }
            _ => false,
        }
    }

    fn embedded_step(&mut self) -> Option<ExprId> {
        let object = self.fresh_target()?;
        if !self.steps_safely(object) {
            return None;
        }
        self.frame.written.push(object);
        let target = self.object_expr(object);
        Some(self.step(target))
    }

    /// Whether `++` and `--` can never overflow: the type is unsigned, or narrower than int.
    pub(super) fn steps_safely(&self, object: ObjectId) -> bool {
        self.type_steps_safely(self.program[object].ty)
    }

    pub(super) fn type_steps_safely(&self, ty: TypeId) -> bool {
        let target = self.config.target;
        match *self.program.resolve(ty) {
            Type::Int(kind) => {
                !target.int_signed(kind) || target.int_bits(kind) < target.int_bits(IntKind::Int)
            }
            _ => false,
        }
    }

    pub(super) fn step(&mut self, target: ExprId) -> ExprId {
        let ops = [
            StepOp::PreIncrement,
            StepOp::PreDecrement,
            StepOp::PostIncrement,
            StepOp::PostDecrement,
        ];
        let op = self.choices.pick(&ops);
        self.builder().step(op, target).expect("an integer lvalue")
    }

    /// A call of a builtin with a fixed signature.
    fn builtin(&mut self, name: &str, arguments: Vec<ExprId>) -> ExprId {
        let builtin = Builtin::by_name(name).expect("the table has it");
        let target = self.program.target;
        let ty = builtin.function_type(&mut self.program.types, target).expect("a fixed signature");
        let arguments = arguments
            .into_iter()
            .zip(&ty.parameters)
            .map(|(argument, parameter)| {
                self.builder().convert_assigned(argument, *parameter).expect("integers")
            })
            .collect();
        self.builder().node(ExprKind::Builtin(builtin, arguments), ty.result.unqualified())
    }

    fn bit_builtin(&mut self, depth: u32, mode: Mode) -> ExprId {
        let operation =
            self.choices.pick(&["popcount", "parity", "clz", "ctz", "ffs", "clrsb", "popcount"]);
        let suffix = self.choices.pick(&["", "l", "ll"]);
        let operand = self.value(depth, mode);
        let operand = if matches!(operation, "clz" | "ctz") {
            // Both are undefined for zero.
            let ty = match suffix {
                "" => IntKind::UInt,
                "l" => IntKind::ULong,
                _ => IntKind::ULongLong,
            };
            let wide = self.builder().cast(operand, Types::int(ty)).expect("integers");
            let bit = 1 << self.choices.below(15);
            let bit = self.builder().int(IntKind::Int, bit);
            self.builder().binary(BinaryOp::BitOr, wide, bit).expect("both are integers")
        } else {
            operand
        };
        self.builtin(&format!("__builtin_{operation}{suffix}"), vec![operand])
    }

    fn byte_swap(&mut self, depth: u32, mode: Mode) -> ExprId {
        let name =
            self.choices.pick(&["__builtin_bswap16", "__builtin_bswap32", "__builtin_bswap64"]);
        let operand = self.value(depth, mode);
        self.builtin(name, vec![operand])
    }

    /// `__builtin_add_overflow(a, b, &x)` and its sisters.
    fn overflow_builtin(&mut self, depth: u32) -> Option<ExprId> {
        // The result is written through a pointer, while nothing else looks at it.
        let targets: Vec<ObjectId> = self
            .frame
            .visible
            .iter()
            .filter(|variable| {
                let ty = self.program[variable.object].ty;
                !variable.private
                    && variable.writable
                    && ty.qualifiers().is_empty()
                    && matches!(self.program.resolve(ty), Type::Int(kind) if *kind != IntKind::Bool)
            })
            .map(|variable| variable.object)
            .collect();
        if targets.is_empty() {
            return None;
        }
        let object = self.choices.pick(&targets);
        let name = self.choices.pick(&[
            "__builtin_add_overflow",
            "__builtin_sub_overflow",
            "__builtin_mul_overflow",
        ]);
        let left = self.value(depth, Mode::Quiet);
        let right = self.value(depth, Mode::Quiet);
        let target = self.object_expr(object);
        let address = self.builder().address_of(target).expect("an object has an address");
        let builtin = Builtin::by_name(name).expect("the table has it");
        let arguments = [left, right, address].into();
        Some(self.builder().node(ExprKind::Builtin(builtin, arguments), Types::int(IntKind::Bool)))
    }

    /// A character of a string literal.
    fn string_element(&mut self, mode: Mode) -> ExprId {
        let length = self.choices.range(1, 12) as u64;
        let units = (0..length).map(|_| self.choices.range(32, 126) as u32).collect();
        let literal = StringLiteral { encoding: Encoding::Plain, units };
        let id = self.program.strings.push(literal);
        let ty = self.program.types.array_of(Types::CHAR, ArrayLength::Fixed(length + 1));
        let string = self.builder().node(ExprKind::String(id), ty);
        let index = self.index_below(length + 1, mode.min(Mode::Reading));
        let element = self.builder().index(string, index).expect("an array has elements");
        self.builder().value(element)
    }

    /// A part of a compound literal.
    fn compound_literal(&mut self, mode: Mode) -> ExprId {
        let mode = mode.min(Mode::Reading);
        let element = self.int_type();
        let length = self.choices.range(1, 5) as u64;
        let ty = self.program.types.array_of(element, ArrayLength::Fixed(length));
        let items = (0..length)
            .map(|index| {
                let value = self.value(1, mode);
                let value = self.builder().convert_assigned(value, element).expect("integers");
                InitItem { place: InitPlace::Elements { first: index, last: index }, value }
            })
            .collect();
        let list = self.builder().node(ExprKind::InitList(items), ty);
        let literal = self.builder().node(ExprKind::CompoundLiteral(list), ty);
        let index = self.index_below(length, mode);
        let place = self.builder().index(literal, index).expect("an array has elements");
        self.builder().value(place)
    }
}
