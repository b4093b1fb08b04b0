//! Operators on operands whose types are known to fit, and the guards of those that
//! could fail.
//!
//! Drafting chooses operands by their class, so that the builder never refuses them. That
//! is asserted here and nowhere else.

use farrier_lang::build::Built;
use farrier_lang::builtins::{Builtin, GenericRule, Prototype};
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, Fallback, GuardCheck, IntKind, LogicalOp, RecordKind, StepOp, Type,
    TypeId, Types, UnaryOp, integer_type,
};

use farrier_machine::Tier;

use super::draft::Draft;
use super::floats::Mass;
use super::values::Class;

/// The node that was built.
fn typed(built: Built) -> ExprId {
    built.expect("operands are drafted in the class that the operator takes")
}

impl Draft<'_> {
    /// `left op right`, for operands that cannot make it fail.
    pub(super) fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        typed(self.builder().binary(op, left, right))
    }

    /// `op operand`, for an operand that cannot make it fail.
    pub(super) fn unary(&mut self, op: UnaryOp, operand: ExprId) -> ExprId {
        typed(self.builder().unary(op, operand))
    }

    pub(super) fn logical(&mut self, op: LogicalOp, left: ExprId, right: ExprId) -> ExprId {
        typed(self.builder().logical(op, left, right))
    }

    /// `condition ? then : otherwise`
    pub(super) fn select(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        typed(self.builder().conditional(condition, Some(then), otherwise))
    }

    /// A cast, guarded if it could fail.
    pub(super) fn cast(&mut self, operand: ExprId, ty: TypeId) -> ExprId {
        let operand = self.convertible(operand, ty, None);
        let cast = typed(self.builder().cast(operand, ty));
        self.guarded_conversion(cast)
    }

    /// The value as an object of type `ty` would hold it, guarded if it might not fit.
    pub(super) fn adapt(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        self.adapt_within(value, ty, self.cap(ty))
    }

    /// The same for an object that keeps another cap than others of its type.
    fn adapt_within(&mut self, value: ExprId, ty: TypeId, cap: Mass) -> ExprId {
        let value = match *self.program.resolve(ty) {
            // First the integer that an enumeration is: a wrapper gives it, or the text says so.
            Type::Enum(id) if self.is_floating(value) => {
                let kind = self.narrow_kind(self.program[id].underlying);
                self.cast(value, Types::int(kind))
            }
            _ => value,
        };
        let value = self.convertible(value, ty, Some(cap));
        let converted = typed(self.builder().convert_assigned(value, ty));
        self.guarded_conversion(converted)
    }

    pub(super) fn assign(&mut self, place: ExprId, mut value: ExprId) -> ExprId {
        if self.may_overlap(place, value) {
            value = self.builder().int(IntKind::Int, 0);
        }
        let cap = self.cap_of(place);
        let value = self.adapt_within(value, self.program.type_of(place), cap);
        typed(self.builder().assign(place, value))
    }

    /// Whether a value is read from a union of the type that is assigned to: the text may tell
    /// that they are two members of one, C11 6.5.16.1p3.
    fn may_overlap(&self, place: ExprId, mut value: ExprId) -> bool {
        while let ExprKind::Convert(operand) = self.program[value].kind {
            value = operand;
        }
        let ExprKind::Load(source) = self.program[value].kind else { return false };
        let union = |expr: ExprId| {
            let ExprKind::Member(base, _) = self.program[expr].kind else { return None };
            let Type::Record(record) = *self.program.resolve(self.program.type_of(base)) else {
                return None;
            };
            (self.program[record].kind == RecordKind::Union).then_some(record)
        };
        union(place).is_some() && union(place) == union(source)
    }

    pub(super) fn compound_assign(&mut self, op: BinaryOp, place: ExprId, value: ExprId) -> ExprId {
        typed(self.builder().compound_assign(op, place, value))
    }

    /// `++` or `--`
    pub(super) fn step(&mut self, op: StepOp, place: ExprId) -> ExprId {
        typed(self.builder().step(op, place))
    }

    /// `base[index]`
    pub(super) fn element(&mut self, base: ExprId, index: ExprId) -> ExprId {
        typed(self.builder().index(base, index))
    }

    pub(super) fn dereference(&mut self, pointer: ExprId) -> ExprId {
        typed(self.builder().deref(pointer))
    }

    pub(super) fn address(&mut self, place: ExprId) -> ExprId {
        typed(self.builder().address_of(place))
    }

    pub(super) fn call_of(&mut self, designator: ExprId, arguments: Vec<ExprId>) -> ExprId {
        typed(self.builder().call(designator, arguments))
    }

    pub(super) fn is_floating(&self, expr: ExprId) -> bool {
        self.class_of(self.program.type_of(expr)) == Some(Class::Floating)
    }

    /// A guard around a conversion of a floating number, or to one.
    fn guarded_conversion(&mut self, expr: ExprId) -> ExprId {
        match self.program[expr].kind {
            ExprKind::Convert(operand) | ExprKind::Cast(operand)
                if self.is_floating(expr) || self.is_floating(operand) =>
            {
                self.converted_float(expr)
            }
            _ => expr,
        }
    }

    /// An operator on two numbers, guarded where it could fail.
    pub(super) fn operate(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        if self.is_floating(left) || self.is_floating(right) {
            return self.operate_floats(op, left, right);
        }
        let expr = self.binary(op, left, right);
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
        // Floating operations have a value for all operands.
        let Some(integer) = integer_type(&self.program, ty) else { return false };
        let outside =
            |low: Option<i128>, high: Option<i128>| match (low, high, self.type_bounds(ty)) {
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
                let (left, right) = (|| self.bounds(left), || self.bounds(right));
                match op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if !integer.signed => false,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                        let (Some(a), Some(b)) = (left(), right()) else { return true };
                        let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
                        let values = corners.map(|(a, b)| match op {
                            BinaryOp::Add => a.checked_add(b),
                            BinaryOp::Sub => a.checked_sub(b),
                            _ => a.checked_mul(b),
                        });
                        values.iter().any(|value| outside(*value, *value))
                    }
                    BinaryOp::Div | BinaryOp::Rem => {
                        right().is_none_or(|(low, high)| low <= 0 && high >= -1)
                    }
                    BinaryOp::Shl | BinaryOp::Shr => {
                        let count = right();
                        let count_fails = count
                            .is_none_or(|(low, high)| low < 0 || high >= i128::from(integer.bits));
                        if op == BinaryOp::Shr || !integer.signed {
                            return count_fails;
                        }
                        let (Some((low, high)), Some((_, count))) = (left(), count) else {
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
            // `_Bool` takes any number.
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => {
                ty != Types::int(IntKind::Bool) && self.is_floating(operand)
            }
            _ => false,
        }
    }

    /// Between which numbers an expression always lies, from its type and a look at its
    /// outermost nodes.
    pub(super) fn bounds(&self, expr: ExprId) -> Option<(i128, i128)> {
        let node = &self.program[expr];
        let ty = || self.type_bounds(node.ty);
        match node.kind {
            ExprKind::Int(value) => Some((i128::from(value), i128::from(value))),
            ExprKind::EnumConstant(id) => {
                let value = self.program[id].value;
                Some((value, value))
            }
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => {
                let (low, high) = self.bounds(operand)?;
                let (least, most) = ty()?;
                if low >= least && high <= most { Some((low, high)) } else { Some((least, most)) }
            }
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Logical(..) => Some((0, 1)),
            ExprKind::Unary(UnaryOp::Minus, operand) => match self.program[operand].kind {
                ExprKind::Int(value) if integer_type(&self.program, node.ty)?.signed => {
                    Some((-i128::from(value), -i128::from(value)))
                }
                _ => ty(),
            },
            ExprKind::Binary(op, ..) if op.is_comparison() => Some((0, 1)),
            ExprKind::Binary(BinaryOp::Rem, _, right) => match self.bounds(right) {
                Some((low, high)) if low == high && low > 0 => {
                    let least = ty().map_or(i128::MIN, |(least, _)| least);
                    Some((least.max(1 - low), low - 1))
                }
                _ => ty(),
            },
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
                    None => ty(),
                }
            }
            _ => ty(),
        }
    }

    /// `target op= value` with an operator that cannot fail; `None` if there is none for these
    /// classes.
    pub(super) fn compound_assignment(&mut self, target: ExprId, value: ExprId) -> Option<ExprId> {
        let mut ops = match self.class_of(self.program.type_of(target))? {
            Class::Floating => self.float_compound_operators().to_vec(),
            Class::Integer if self.is_floating(value) => return None,
            Class::Integer => vec![BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor],
        };
        // In an unsigned type of at least the rank of both operands nothing overflows.
        if self.computes_unsigned(target, value) {
            ops.extend([BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Add, BinaryOp::Sub]);
        }
        let op = self.choices.pick_any(&ops)?;
        Some(self.compound_assign(op, target, value))
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

    /// Whether `++` and `--` always have a result that the tier allows: the type is unsigned, or
    /// narrower than int.
    pub(super) fn steps_safely(&self, ty: TypeId) -> bool {
        let target = self.config.target;
        match *self.program.resolve(ty) {
            Type::Int(kind) => {
                !target.int_signed(kind) || target.int_bits(kind) < target.int_bits(IntKind::Int)
            }
            Type::Float(_) => self.tier == Some(Tier::Rounded),
            _ => false,
        }
    }

    pub(super) fn any_step(&mut self, target: ExprId) -> ExprId {
        let ops = [
            StepOp::PreIncrement,
            StepOp::PreDecrement,
            StepOp::PostIncrement,
            StepOp::PostDecrement,
        ];
        let op = self.choices.pick(&ops);
        self.step(op, target)
    }

    /// A call of a builtin.
    pub(super) fn builtin(&mut self, name: &str, arguments: Vec<ExprId>) -> ExprId {
        let builtin = Builtin::by_name(name).expect("the table has it");
        let target = self.program.target;
        let (arguments, result) = match builtin.function_type(&mut self.program.types, target) {
            Some(ty) => {
                let parameters = ty.parameters.iter().copied().map(Some);
                let adapted = arguments
                    .into_iter()
                    .zip(parameters.chain(std::iter::repeat(None)))
                    .map(|(value, ty)| match ty {
                        Some(ty) => self.adapt(value, ty),
                        None => {
                            let value = self.builder().value(value);
                            self.builder().promote_argument(value)
                        }
                    })
                    .collect();
                (adapted, ty.result.unqualified())
            }
            // Those that take operands of any type say whether something holds.
            None => match builtin.row().prototype {
                Prototype::Generic(GenericRule::Overflow) => {
                    (arguments.into(), Types::int(IntKind::Bool))
                }
                _ => (arguments.into(), Types::INT),
            },
        };
        self.builder().node(ExprKind::Builtin(builtin, arguments), result)
    }
}
