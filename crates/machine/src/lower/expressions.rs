//! Values.

use farrier_lang::builtins::Builtin;
use farrier_lang::constant::has_floating_operation;
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, LogicalOp, OffsetStep, Qualifiers, RecordKind, Type, TypeId, Types,
    UnaryOp,
};

use super::Lowerer;
use super::assignments::Use;
use super::lvalues::Rules;
use super::variable::Size;
use crate::arithmetic;
use crate::code::{Op, Position, Reg};
use crate::value::{Scalar, Value};
use crate::verdict::{At, Checked};

impl Lowerer<'_> {
    /// The value of an expression in some register. An aggregate is a pointer to it.
    pub(super) fn value(&mut self, expr: ExprId) -> Checked<Reg> {
        self.value_to(expr, None)
    }

    /// The value of an expression, in register `want` if one is given.
    pub(super) fn value_to(&mut self, expr: ExprId, want: Option<Reg>) -> Checked<Reg> {
        let outer = std::mem::replace(&mut self.at, At::Expr(expr));
        let start = self.here();
        let value = self.value_inner(expr, want);
        if self.exactness && self.is_folded(expr) {
            self.refund(start, 1);
        }
        if let Ok(src) = value {
            self.see(expr, src);
        }
        self.at = outer;
        value
    }

    /// Notes the value of an expression that is watched.
    fn see(&mut self, expr: ExprId, src: Reg) {
        if self.watch.expressions.contains(expr) {
            let ty = self.scalar(self.program.type_of(expr));
            self.emit(Op::SeeValue { expr: farrier_lang::Id::index(expr) as u32, ty, src });
        }
    }

    /// A compound assignment, `++` or `--` whose value nothing but a profile may want.
    fn change(&mut self, expr: ExprId) -> Checked {
        let watched = self.watch.expressions.contains(expr);
        let purpose = if watched { Use::Seen } else { Use::Nothing };
        let src = match self.program[expr].kind {
            ExprKind::CompoundAssign { op, target, value, computation } => self
                .storing(target, |lowerer| {
                    lowerer.compound_assign(op, (target, value), computation, purpose)
                })?,
            ExprKind::Step(op, target) => {
                self.storing(target, |lowerer| lowerer.step(op, target, purpose))?
            }
            _ => return Ok(()),
        };
        self.see(expr, src);
        Ok(())
    }

    /// Counts an expression whose value is not needed.
    pub(super) fn count(&mut self, expr: ExprId) {
        if self.watch.expressions.contains(expr) {
            let (expr, src) = (farrier_lang::Id::index(expr) as u32, self.temporary());
            self.emit(Op::SeeValue { expr, ty: None, src });
        }
    }

    pub(super) fn target(&mut self, want: Option<Reg>) -> Reg {
        want.unwrap_or_else(|| self.temporary())
    }

    /// Puts a value where it is wanted.
    fn moved_to(&mut self, src: Reg, want: Option<Reg>) -> Reg {
        match want {
            Some(dst) if dst != src => {
                self.emit(Op::Copy { dst, src });
                dst
            }
            _ => src,
        }
    }

    pub(super) fn constant(&mut self, value: Value, want: Option<Reg>) -> Reg {
        let dst = self.target(want);
        if value.high == 0 {
            self.emit(Op::Constant { dst, low: value.low });
        } else {
            self.code.wide.push(value.bits());
            let index = self.code.wide.len() as u32 - 1;
            self.emit(Op::WideConstant { dst, index });
        }
        dst
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each kind of expression")]
    fn value_inner(&mut self, expr: ExprId, want: Option<Reg>) -> Checked<Reg> {
        let node = &self.program[expr];
        let ty = node.ty;
        Ok(match &node.kind {
            ExprKind::Int(value) => self.constant(Value { low: *value, high: 0 }, want),
            ExprKind::Float(id) => {
                self.watch_constant(*id, self.scalar(ty));
                self.constant(Value::wide(self.program[*id]), want)
            }
            ExprKind::EnumConstant(id) => {
                let value = self.program[*id].value;
                let wide = matches!(self.scalar(ty), Some(Scalar::Wide { .. }));
                let value =
                    if wide { Value::wide(value as u128) } else { Value::int(value as i64) };
                self.constant(value, want)
            }
            ExprKind::Load(operand) => {
                let place = self.place(*operand, true)?;
                if self.is_aggregate(ty) {
                    self.check_object(place, self.program.type_of(*operand));
                    let reg = self.address(place);
                    self.touch_bytes(reg, ty, false);
                    if self.parts(ty).is_some_and(|parts| parts.complex) {
                        // A complex number is a value like others: both parts are read.
                        let mark = self.next;
                        self.unrecorded(|lowerer| drop(lowerer.read_parts(ty, reg)));
                        self.next = mark;
                    }
                    return Ok(self.moved_to(reg, want));
                }
                let access = self.program.type_of(*operand);
                self.load(place, access, want)
            }
            ExprKind::Decay(operand) | ExprKind::AddressOf(operand) => {
                if let ExprKind::Function(id) = self.program[*operand].kind {
                    return Ok(self.function_address(id, want));
                }
                if self.program.type_of(*operand).qualifiers().contains(Qualifiers::RESTRICT) {
                    return Ok(self.unsupported("the address of a restricted pointer"));
                }
                let indexed = self.indexed.take() == Some(expr);
                // `&*p` is p, even if p is null (C11 6.5.3.2p3).
                let decays = matches!(node.kind, ExprKind::Decay(_));
                let place = self.place(*operand, decays && self.is_row(*operand))?;
                let mut reg = self.address(place);
                if !indexed {
                    reg = self.narrowed(reg, *operand, decays)?;
                }
                self.moved_to(reg, want)
            }
            ExprKind::Convert(operand) => self.conversion(*operand, ty, false, want)?,
            ExprKind::Cast(operand) => {
                // The lengths in the type and the operand have no order.
                let lengths = self.new_lengths(&[ty]);
                let recording = !lengths.is_empty() && self.begin_order(&[&lengths, &[*operand]]);
                self.evaluate_lengths(ty)?;
                self.next_operand(recording);
                let reg = self.conversion(*operand, ty, true, want)?;
                self.end_order(recording);
                reg
            }
            ExprKind::Unary(op, operand) => self.unary(*op, *operand, ty, want)?,
            ExprKind::Binary(op, left, right) => self.binary(*op, *left, *right, ty, want)?,
            ExprKind::Logical(op, left, right) => {
                let reg = self.logical(*op, *left, *right)?;
                self.moved_to(reg, want)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let before = self.variable_lengths.then(|| self.evaluated.clone());
                let reg = self.conditional(*condition, *then, *otherwise, ty)?;
                if let Some(before) = before {
                    self.check_composite(ty, &before);
                }
                if let Some(class) = self.narrow_value(expr) {
                    self.check_width(reg, self.scalar(ty), class);
                }
                self.moved_to(reg, want)
            }
            ExprKind::Comma(left, right) => {
                self.discard(*left)?;
                self.sequence_point();
                self.value_to(*right, want)?
            }
            ExprKind::Assign(target, value) => {
                let reg = self.storing(*target, |lowerer| lowerer.assign(*target, *value))?;
                self.moved_to(reg, want)
            }
            ExprKind::CompoundAssign { op, target, value, computation } => {
                let reg = self.storing(*target, |lowerer| {
                    lowerer.compound_assign(*op, (*target, *value), *computation, Use::Value)
                })?;
                self.moved_to(reg, want)
            }
            ExprKind::Step(op, target) => {
                let reg =
                    self.storing(*target, |lowerer| lowerer.step(*op, *target, Use::Value))?;
                self.moved_to(reg, want)
            }
            ExprKind::Call(function, arguments) => {
                let reg = self.call(expr, *function, arguments, ty, want, true)?;
                self.moved_to(reg, want)
            }
            ExprKind::Builtin(builtin, arguments) => {
                let reg = self.builtin(expr, *builtin, arguments, ty, want)?;
                self.moved_to(reg, want)
            }
            ExprKind::SizeofType(of) => {
                self.refuse_idle_lengths(*of);
                self.sizeof(*of, want)?
            }
            ExprKind::SizeofExpr(operand) => {
                let of = self.program.type_of(*operand);
                // C11 6.5.3.4p2: only then the operand is evaluated.
                if self.program.is_variable_array(of) && !self.is_named_target(*operand) {
                    self.place(*operand, false)?;
                }
                self.sizeof(of, want)?
            }
            ExprKind::AlignofType(..) | ExprKind::AlignofExpr(..) | ExprKind::Offsetof(..) => {
                self.layout_constant(expr, want)?
            }
            ExprKind::VaArg(list) => {
                let list = self.argument_list(*list)?;
                let dst = self.target(want);
                let access = self.access(ty, Rules::aligned(1));
                self.emit(Op::VaArg { dst, list, access });
                dst
            }
            ExprKind::StatementExpr(block) => {
                let reg = self.statement_expression(*block)?;
                match reg {
                    Some(reg) => self.moved_to(reg, want),
                    None => self.target(want),
                }
            }
            ExprKind::LabelAddress(label) => {
                let dst = self.target(want);
                self.emit(Op::LabelAddress { dst, label: farrier_lang::Id::index(*label) as u32 });
                dst
            }
            ExprKind::Guard { check, operand, fallback } => {
                let reg = self.guard(expr, *check, *operand, *fallback, want)?;
                self.moved_to(reg, want)
            }
            ExprKind::Imaginary(operand) => {
                let reg = self.imaginary(*operand, ty)?;
                self.moved_to(reg, want)
            }
            ExprKind::Swizzle(vector, lanes) => {
                let reg = self.swizzle(*vector, *lanes, ty)?;
                self.moved_to(reg, want)
            }
            // A member, element or compound literal that is a value: of a call's result.
            ExprKind::Member(..) | ExprKind::Index(..) | ExprKind::CompoundLiteral(_) => {
                let place = self.place(expr, true)?;
                if self.is_aggregate(ty) || self.scalar(ty).is_none() {
                    let reg = self.address(place);
                    return Ok(self.moved_to(reg, want));
                }
                self.load(place, ty, want)
            }
            ExprKind::String(_)
            | ExprKind::Object(_)
            | ExprKind::Function(_)
            | ExprKind::InitList(_)
            | ExprKind::Deref(_) => {
                if self.program.resolve(ty) == &Type::Void {
                    // `*p` of a `void *` designates nothing.
                    if let ExprKind::Deref(pointer) = &node.kind {
                        return self.value_to(*pointer, want);
                    }
                }
                unreachable!("well-formed: lvalues are read by Load or Decay, {:?}", node.kind)
            }
        })
    }

    /// Evaluates an expression for its side effects alone.
    pub(super) fn discard(&mut self, expr: ExprId) -> Checked {
        let mark = self.next;
        match &self.program[expr].kind {
            ExprKind::Call(function, arguments) => {
                let outer = std::mem::replace(&mut self.at, At::Expr(expr));
                let ty = self.program.type_of(expr);
                self.call(expr, *function, arguments, ty, None, false)?;
                self.at = outer;
            }
            ExprKind::CompoundAssign { .. } | ExprKind::Step(..) => {
                let outer = std::mem::replace(&mut self.at, At::Expr(expr));
                self.change(expr)?;
                self.at = outer;
                self.next = mark;
                return Ok(());
            }
            ExprKind::Cast(operand) if self.program.type_of(expr) == Types::VOID => {
                self.discard(*operand)?;
            }
            ExprKind::Comma(left, right) => {
                self.discard(*left)?;
                self.discard(*right)?;
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                let skip = self.jump_unless(*condition)?;
                self.discard(*then)?;
                let end = self.emit(Op::Jump { to: 0 });
                self.land(skip);
                self.discard(*otherwise)?;
                self.land(end);
            }
            _ => {
                self.value(expr)?;
                self.next = mark;
                return Ok(());
            }
        }
        self.count(expr);
        self.next = mark;
        Ok(())
    }

    pub(super) fn is_aggregate(&self, ty: TypeId) -> bool {
        self.scalar(ty).is_none()
            && matches!(
                self.program.resolve(ty),
                Type::Record(_)
                    | Type::Array { .. }
                    | Type::VaList
                    | Type::Complex(_)
                    | Type::Vector { .. }
            )
    }

    /// The jump at `position` goes to the next operation.
    pub(super) fn land(&mut self, position: Position) {
        let here = self.here();
        match &mut self.code.ops[position as usize] {
            Op::Jump { to }
            | Op::JumpIfZero { to, .. }
            | Op::JumpIfNotZero { to, .. }
            | Op::Turn { to, .. } => *to = here,
            other => unreachable!("{other:?} is no jump"),
        }
    }

    /// Evaluates a condition; the jump, to be landed, is taken if it is false.
    pub(super) fn jump_unless(&mut self, condition: ExprId) -> Checked<Position> {
        self.conditional_jump(condition, false)
    }

    fn conditional_jump(&mut self, condition: ExprId, when: bool) -> Checked<Position> {
        let outer = std::mem::replace(&mut self.at, At::Expr(condition));
        let mark = self.next;
        let tested = self.tested(condition)?;
        let position = self.jump_on(tested, when);
        self.next = mark;
        self.at = outer;
        Ok(position)
    }

    /// What says whether a condition is true: a scalar that is not zero.
    pub(super) fn tested(&mut self, condition: ExprId) -> Checked<Option<(Scalar, Reg)>> {
        let src = self.value(condition)?;
        Ok(self.truth(self.program.type_of(condition), src))
    }

    /// A jump that is taken if what is tested is as wanted.
    pub(super) fn jump_on(&mut self, tested: Option<(Scalar, Reg)>, when: bool) -> Position {
        match tested {
            Some((ty, src)) if when => self.emit(Op::JumpIfNotZero { ty, src, to: 0 }),
            Some((ty, src)) => self.emit(Op::JumpIfZero { ty, src, to: 0 }),
            None => {
                self.unsupported("a condition of this type");
                self.emit(Op::Jump { to: 0 })
            }
        }
    }

    /// A value is about to be used as something other than a pointer.
    pub(super) fn check_alive(&mut self, ty: Scalar, src: Reg) {
        if ty == Scalar::Pointer {
            self.emit(Op::CheckAlive { src });
        }
    }

    /// The value of an integer constant, or of one that is negated or converted once. One
    /// that is watched is computed when the program runs.
    fn literal(&self, expr: ExprId) -> Option<Value> {
        let floating = |ty: Scalar| arithmetic::float_format(ty).is_some();
        let watched = |expr: ExprId| self.watch.expressions.contains(expr);
        if self.exactness && self.scalar(self.program.type_of(expr)).is_some_and(floating)
            || watched(expr)
        {
            return None;
        }
        let operand = match self.program[expr].kind {
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) | ExprKind::Cast(operand) => {
                operand
            }
            _ => expr,
        };
        self.constant_value(expr).filter(|_| !watched(operand))
    }

    /// The same, whatever is watched.
    pub(super) fn constant_value(&self, expr: ExprId) -> Option<Value> {
        let number = |expr: ExprId| match self.program[expr].kind {
            ExprKind::Int(value) => Some(Value { low: value, high: 0 }),
            _ => None,
        };
        match self.program[expr].kind {
            ExprKind::Unary(op @ (UnaryOp::Minus | UnaryOp::BitNot), operand) => {
                let ty = self.scalar(self.program.type_of(operand))?;
                plain(arithmetic::unary(op, ty, number(operand)?))
            }
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => {
                let value = number(operand)?;
                let from = self.scalar(self.program.type_of(operand))?;
                plain(arithmetic::convert(from, self.scalar(self.program.type_of(expr))?, value))
            }
            _ => number(expr),
        }
    }

    fn conversion(
        &mut self,
        operand: ExprId,
        ty: TypeId,
        cast: bool,
        want: Option<Reg>,
    ) -> Checked<Reg> {
        let of = self.program.type_of(operand);
        let from = of;
        let (Some(from), Some(to)) = (self.scalar(from), self.scalar(ty)) else {
            if *self.program.resolve(ty) == Type::Void {
                self.discard(operand)?;
                return Ok(self.target(want));
            }
            if self.parts(from).is_some() || self.parts(ty).is_some() {
                let value = self.value(operand)?;
                let reg = self.convert_parts(value, from, ty, cast);
                return Ok(self.moved_to(reg, want));
            }
            if self.is_aggregate(ty) {
                return self.value_to(operand, want);
            }
            self.discard(operand)?;
            return Ok(self.unsupported("a conversion of this type"));
        };
        if from == to {
            let value = self.value_to(operand, want)?;
            if self.variable_lengths && !cast {
                self.check_lengths(self.program.type_of(operand), ty)?;
            }
            if from == Scalar::Pointer {
                self.check_aligned(operand, value, ty);
                let value = self.reshaped(value, of, ty, cast);
                return Ok(self.moved_to(value, want));
            }
            return Ok(value);
        }
        let rounds = self.exactness && arithmetic::float_format(to).is_some();
        if !rounds
            && let Some(value) = self.literal(operand)
            && let Some(value) = plain(arithmetic::convert(from, to, value))
        {
            return Ok(self.constant(value, want));
        }
        if keeps_every_value(from, to) {
            return self.value_to(operand, want);
        }
        let src = self.value(operand)?;
        self.check_alive(from, src);
        let src = match (from, to) {
            (Scalar::Pointer, Scalar::Bool) => src,
            (Scalar::Pointer, _) => self.reshaped(src, of, ty, cast),
            _ => src,
        };
        // An integer that cannot hold a pointer gets a part of an address.
        let pointer_bits = 8 * self.program.target.pointer.size as u8;
        if from == Scalar::Pointer && matches!(to, Scalar::Int { bits, .. } if bits < pointer_bits)
        {
            let address = Scalar::Int { signed: false, bits: pointer_bits };
            let src = self.converted(src, from, address);
            return Ok(self.converted(src, address, to));
        }
        let dst = self.target(want);
        if from == Scalar::Pointer && to != Scalar::Bool && self.restricts {
            self.emit(Op::RestrictReveal { dst, src });
            self.emit(Op::Convert { from, to, dst, src: dst });
            return Ok(dst);
        }
        self.emit(Op::Convert { from, to, dst, src });
        Ok(dst)
    }

    fn unary(
        &mut self,
        op: UnaryOp,
        operand: ExprId,
        ty: TypeId,
        want: Option<Reg>,
    ) -> Checked<Reg> {
        let of = self.program.type_of(operand);
        if self.parts(of).is_some() {
            let value = self.value(operand)?;
            let reg = self.unary_parts(op, of, value, ty);
            return Ok(self.moved_to(reg, want));
        }
        let Some(scalar) = self.scalar(of) else {
            return Ok(self.unsupported("arithmetic on this type"));
        };
        if matches!(op, UnaryOp::Minus | UnaryOp::BitNot)
            && let Some(value) = self.literal(operand)
            && let Some(value) = plain(arithmetic::unary(op, scalar, value))
        {
            return Ok(self.constant(value, want));
        }
        let src = self.value(operand)?;
        let dst = self.target(want);
        match op {
            UnaryOp::Plus => return Ok(self.moved_to(src, Some(dst))),
            UnaryOp::Minus | UnaryOp::BitNot => {
                self.emit(if op == UnaryOp::Minus {
                    Op::Negate { ty: scalar, dst, src }
                } else {
                    Op::Complement { ty: scalar, dst, src }
                });
                if let Some(class) = self.narrow_value(operand) {
                    self.check_width(dst, Some(scalar), class);
                }
                return Ok(dst);
            }
            UnaryOp::Not => {
                self.check_alive(scalar, src);
                self.emit(Op::Not { ty: scalar, dst, src })
            }
            UnaryOp::Real => return Ok(self.moved_to(src, Some(dst))),
            UnaryOp::Imag => {
                return Ok(self.constant(Value::default(), Some(dst)));
            }
        };
        Ok(dst)
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        ty: TypeId,
        want: Option<Reg>,
    ) -> Checked<Reg> {
        let (left_type, right_type) = (self.program.type_of(left), self.program.type_of(right));
        if self.parts(left_type).is_some() || self.parts(right_type).is_some() {
            let (left, right) = self.pair(left, right)?;
            let reg = self.binary_parts(op, (left_type, left), (right_type, right), ty);
            return Ok(self.moved_to(reg, want));
        }
        let (Some(left_scalar), Some(right_scalar)) =
            (self.scalar(left_type), self.scalar(right_type))
        else {
            return Ok(self.unsupported("arithmetic on this type"));
        };
        match (left_scalar, right_scalar) {
            (Scalar::Pointer, Scalar::Pointer) => {
                let (left_reg, right_reg) = self.pair(left, right)?;
                let dst = self.target(want);
                if op == BinaryOp::Sub {
                    let pointee = self.program.pointee(left_type);
                    let pointee = pointee.expect("well-formed: these are pointers to objects");
                    let size = self.size(pointee)?;
                    self.difference(dst, left_reg, right_reg, size);
                } else {
                    self.emit(Op::ComparePointers { op, dst, left: left_reg, right: right_reg });
                }
                return Ok(dst);
            }
            (Scalar::Pointer, _) => {
                let reg = self.moved(left, right, op == BinaryOp::Sub, false)?;
                return Ok(self.moved_to(reg, want));
            }
            (_, Scalar::Pointer) => {
                let reg = self.moved(right, left, false, false)?;
                return Ok(self.moved_to(reg, want));
            }
            _ => {}
        }
        let narrow = self.narrow_operation(op, left, right);
        if narrow.is_none()
            && let Some(right) = self.right_literal(op, right)
        {
            let left = self.value(left)?;
            let dst = self.target(want);
            self.operate_on_constant(op, left_scalar, dst, left, right);
            return Ok(dst);
        }
        let (left, right) = match narrow.is_none() && self.is_watched_literal(op, right) {
            true => (self.value(left)?, self.value_for_nothing(right)?),
            false => self.pair(left, right)?,
        };
        let right = if op.is_shift() { self.shift_count(right, Some(right_scalar)) } else { right };
        let dst = self.target(want);
        if let Some(class) = narrow {
            self.check_width(left, Some(left_scalar), class);
            if op.is_shift() {
                self.check_count(right, class);
            } else {
                self.check_width(right, Some(left_scalar), class);
            }
        }
        if op.is_shift() {
            self.emit(Op::Shift { op, ty: left_scalar, dst, left, right });
        } else {
            self.emit(Op::Binary { op, ty: left_scalar, dst, left, right });
        }
        if let Some(class) = narrow.filter(|_| !op.is_comparison()) {
            self.check_width(dst, Some(left_scalar), class);
        }
        Ok(dst)
    }

    /// The value of the right operand of an operation, if it is a constant.
    pub(super) fn right_literal(&self, op: BinaryOp, right: ExprId) -> Option<u64> {
        let value = self.literal(right)?;
        (!self.is_wide_count(op, right)).then_some(value.low)
    }

    /// Whether an operand is a count of so many bits that it is made smaller first.
    pub(super) fn is_wide_count(&self, op: BinaryOp, right: ExprId) -> bool {
        op.is_shift()
            && matches!(self.scalar(self.program.type_of(right)), Some(Scalar::Wide { .. }))
    }

    pub(super) fn operate_on_constant(
        &mut self,
        op: BinaryOp,
        ty: Scalar,
        dst: Reg,
        left: Reg,
        right: u64,
    ) {
        self.emit(if op.is_shift() {
            Op::ShiftConstant { op, ty, dst, left, right }
        } else {
            Op::BinaryConstant { op, ty, dst, left, right }
        });
    }

    fn logical(&mut self, op: LogicalOp, left: ExprId, right: ExprId) -> Checked<Reg> {
        let dst = self.temporary();
        let when = op == LogicalOp::Or;
        let skip_left = self.conditional_jump(left, when)?;
        self.sequence_point();
        let skip_right = self.conditional_jump(right, when)?;
        self.emit(Op::Constant { dst, low: u64::from(!when) });
        let end = self.emit(Op::Jump { to: 0 });
        self.land(skip_left);
        self.land(skip_right);
        self.emit(Op::Constant { dst, low: u64::from(when) });
        self.land(end);
        Ok(dst)
    }

    fn conditional(
        &mut self,
        condition: ExprId,
        then: Option<ExprId>,
        otherwise: ExprId,
        ty: TypeId,
    ) -> Checked<Reg> {
        let dst = self.temporary();
        let Some(then) = then else {
            // `a ?: b`: the condition is evaluated once, and converted if it is the value.
            let from = self.program.type_of(condition);
            let src = self.value(condition)?;
            let Some((tested, truth)) = self.truth(from, src) else {
                return Ok(self.unsupported("a condition of this type"));
            };
            let skip = self.emit(Op::JumpIfZero { ty: tested, src: truth, to: 0 });
            match (self.scalar(from), self.scalar(ty)) {
                (Some(from), Some(to)) if from == to => {
                    self.emit(Op::Copy { dst, src });
                }
                (Some(from), Some(to)) => {
                    self.emit(Op::Convert { from, to, dst, src });
                }
                _ if *self.program.resolve(ty) == Type::Void => {}
                _ => {
                    let converted = self.convert_parts(src, from, ty, false);
                    self.emit(Op::Copy { dst, src: converted });
                }
            }
            let end = self.emit(Op::Jump { to: 0 });
            self.land(skip);
            if *self.program.resolve(ty) == Type::Void {
                self.discard(otherwise)?;
            } else {
                self.value_to(otherwise, Some(dst))?;
            }
            self.land(end);
            return Ok(dst);
        };
        let tested = self.program.type_of(condition);
        if self.parts(tested).is_some_and(|parts| !parts.complex) {
            let operands = [condition, then, otherwise];
            let values = self.unordered(&operands)?;
            let value = |index: usize| (self.program.type_of(operands[index]), values[index]);
            return Ok(self.select_lanes(value(0), value(1), value(2), ty));
        }
        let void = *self.program.resolve(ty) == Type::Void;
        let skip = self.jump_unless(condition)?;
        self.sequence_point();
        if void {
            self.discard(then)?
        } else {
            self.value_to(then, Some(dst)).map(drop)?
        }
        let end = self.emit(Op::Jump { to: 0 });
        self.land(skip);
        if void {
            self.discard(otherwise)?
        } else {
            self.value_to(otherwise, Some(dst)).map(drop)?
        }
        self.land(end);
        Ok(dst)
    }

    pub(super) fn converted(&mut self, src: Reg, from: Scalar, to: Scalar) -> Reg {
        if from == to || keeps_every_value(from, to) {
            return src;
        }
        let dst = self.temporary();
        self.emit(Op::Convert { from, to, dst, src });
        dst
    }

    pub(super) fn promoted(&self, scalar: Scalar) -> Scalar {
        let int_bits = self.program.target.int_bits(farrier_lang::IntKind::Int) as u8;
        match scalar {
            Scalar::Bool => Scalar::Int { signed: true, bits: int_bits },
            Scalar::Int { signed, bits } if bits < int_bits => {
                let _ = signed;
                Scalar::Int { signed: true, bits: int_bits }
            }
            other => other,
        }
    }

    fn sizeof(&mut self, ty: TypeId, want: Option<Reg>) -> Checked<Reg> {
        Ok(match self.size(ty)? {
            Size::Fixed(size) => self.constant(Value { low: size, high: 0 }, want),
            Size::Variable(size) => self.moved_to(size, want),
        })
    }

    /// Alignments and offsets, which do not depend on the run.
    fn layout_constant(&mut self, expr: ExprId, want: Option<Reg>) -> Checked<Reg> {
        if let ExprKind::Offsetof(_, path) = &self.program[expr].kind
            && path.iter().any(|step| matches!(step, OffsetStep::Index(_)))
            && farrier_lang::constant::integer_constant(self.program, self.layouts, expr).is_err()
        {
            return Ok(self.unsupported("offsetof with a variable index"));
        }
        match farrier_lang::constant::integer_constant(self.program, self.layouts, expr) {
            Ok(value) => Ok(self.constant(Value::int(value as i64), want)),
            Err(reason) => Ok(self.unsupported(format!("a constant: {reason}"))),
        }
    }

    fn builtin(
        &mut self,
        expr: ExprId,
        builtin: Builtin,
        arguments: &[ExprId],
        ty: TypeId,
        want: Option<Reg>,
    ) -> Checked<Reg> {
        match builtin.name() {
            "__builtin_va_start" => {
                self.start_list(arguments)?;
                Ok(self.target(want))
            }
            "__builtin_va_end" => {
                let place = self.place(arguments[0], false)?;
                let list = self.address(place);
                self.emit(Op::VaEnd { list });
                Ok(self.target(want))
            }
            "__builtin_va_copy" => {
                let to = self.argument_list(arguments[0])?;
                let from = self.argument_list(arguments[1])?;
                self.emit(Op::VaCopy { to, from });
                Ok(self.target(want))
            }
            "__builtin_constant_p" => match self.is_known_constant(arguments[0]) {
                Some(known) => Ok(self.constant(Value::int(i64::from(known)), want)),
                // The argument is not evaluated.
                None => self.library_call(expr, builtin.name(), &[], ty, want, None),
            },
            // Only the type of the argument matters.
            "__builtin_classify_type" => match self.class_of(arguments[0]) {
                Some(class) => Ok(self.constant(Value::int(class), want)),
                None => Ok(self.unsupported("__builtin_classify_type of this type")),
            },
            "__builtin_expect" | "__builtin_expect_with_probability" => {
                let values = self.unordered(arguments)?;
                Ok(self.moved_to(values[0], want))
            }
            name => match self.parts_call(name, arguments, ty)? {
                Some(reg) => Ok(reg),
                None => self.library_call(expr, name, arguments, ty, want, None),
            },
        }
    }

    /// The number that GCC gives to a kind of types.
    fn class_of(&self, expr: ExprId) -> Option<i64> {
        Some(match self.program.resolve(self.program.type_of(expr)) {
            Type::Void => 0,
            Type::Int(_) | Type::Enum(_) | Type::BitInt { .. } => 1,
            Type::Pointer(_) | Type::NullPointer | Type::Array { .. } | Type::Function(_) => 5,
            Type::Float(_) => 8,
            Type::Complex(_) => 9,
            Type::Record(record) => match self.program[*record].kind {
                RecordKind::Struct => 12,
                RecordKind::Union => 13,
            },
            _ => return None,
        })
    }

    /// What every compiler says about `__builtin_constant_p`: a constant expression or
    /// a string is constant, the address of an object is not; `None` if it depends on
    /// what the compiler finds out.
    fn is_known_constant(&mut self, expr: ExprId) -> Option<bool> {
        if has_floating_operation(self.program, expr) {
            return None;
        }
        if farrier_lang::constant::evaluate(self.program, self.layouts, expr).is_ok() {
            return Some(true);
        }
        match self.program[expr].kind {
            ExprKind::Decay(operand) => {
                Some(matches!(self.program[operand].kind, ExprKind::String(_)))
            }
            ExprKind::AddressOf(_)
            | ExprKind::Assign(..)
            | ExprKind::CompoundAssign { .. }
            | ExprKind::Step(..) => Some(false),
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => self.is_known_constant(operand),
            _ => None,
        }
    }
}

/// A value that is known for good: no address, and nothing that is undefined.
pub(super) fn plain(result: Checked<Value>) -> Option<Value> {
    result.ok().filter(|value| value.high == 0)
}

/// Whether a conversion leaves every value of the machine as it is: integers are extended by
/// their sign already. A single byte may lack a value, so it is looked at.
fn keeps_every_value(from: Scalar, to: Scalar) -> bool {
    match (from, to) {
        (Scalar::Int { signed, bits: narrow @ 9.. }, Scalar::Int { signed: to, bits: wide }) => {
            narrow < wide && (signed == to || !signed)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_that_are_left_out_change_nothing() {
        let widths = [8, 16, 32, 64];
        let types = widths.map(|bits| [true, false].map(|signed| Scalar::Int { signed, bits }));
        let types = types.concat();
        let mut left_out = 0;
        for (from, to) in types.iter().flat_map(|from| types.iter().map(move |to| (*from, *to))) {
            let Scalar::Int { signed, bits } = from else { continue };
            for number in [0, 1, 0x7f, 0x80, 0x7fff, 0x8000, 0x7fff_ffff, 0x8000_0000, u64::MAX] {
                let low = crate::value::wrap(number, signed, bits);
                // Once plain, and once made from a pointer.
                for value in [Value { low, high: 0 }, Value { low, high: 1 << 32 | 1 }] {
                    if keeps_every_value(from, to) {
                        let converted = arithmetic::convert(from, to, value);
                        assert_eq!(converted.ok(), Some(value), "{from:?} to {to:?}");
                        left_out += 1;
                    }
                }
            }
        }
        assert!(left_out > 50, "{left_out} are left out");
    }
}
