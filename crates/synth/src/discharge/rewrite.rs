//! Rewrites of the nodes of a program, which can be undone.

mod exact;

use farrier_lang::build::Builder;
use farrier_lang::layout::Layouts;
use farrier_lang::{
    BinaryOp, Expr, ExprId, ExprKind, Fallback, GuardCheck, Id, IntKind, IntegerType, Program,
    Qualifiers, Type, TypeId, Types, UnaryOp, integer_type,
};

use super::form::{Form, Operation, Operator, Seen, Step, can_fail};
use super::literal;
use super::rows::{Kind, Site, choose, draw, draw_mask, largest_constant};
use crate::choices::Choices;
use crate::discharge::dyadic::Dyadic;
use farrier_machine::{Integers, Profile, Values};

/// An operand of more nodes is kept where its guard becomes its fallback.
const LARGE: u32 = 6;

/// How many forms are tried until one is found whose value a constant brings to another.
const TRIES: u32 = 3;

/// A program that is being rewritten, and how it was before.
pub(super) struct Rewriter<'a> {
    pub(super) program: &'a mut Program,
    layouts: Layouts,
    /// The nodes that were changed, oldest first, as they were.
    changed: Vec<(ExprId, Expr)>,
    /// How many expressions there were.
    length: usize,
    /// The guards that were added.
    pub(super) added: Vec<ExprId>,
    /// Whether the last run is over. From now on no value changes at any place that it saw, and a
    /// form that had values in that run needs no guard.
    settled: bool,
}

/// The parts of a guard.
#[derive(Clone, Copy)]
pub(super) struct Guard {
    pub(super) check: GuardCheck,
    pub(super) operand: ExprId,
    pub(super) fallback: Fallback,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(program: &'a mut Program) -> Self {
        let length = program.exprs.len();
        Self {
            program,
            layouts: Layouts::default(),
            changed: Vec::new(),
            length,
            added: Vec::new(),
            settled: false,
        }
    }

    /// Accepts all changes so far.
    pub(super) fn commit(&mut self) {
        self.changed.clear();
        self.added.clear();
        self.length = self.program.exprs.len();
    }

    /// Takes all changes back since the last [`commit`](Self::commit).
    pub(super) fn undo(&mut self) {
        while let Some((id, before)) = self.changed.pop() {
            self.program[id] = before;
        }
        self.added.clear();
        self.program.exprs.truncate(self.length);
    }

    /// Accepts all changes so far and, from now on, at once.
    pub(super) fn finish(&mut self) {
        self.commit();
        self.length = 0;
        self.settled = true;
    }

    /// The guard that `id` is, if it is one.
    pub(super) fn guard(&self, id: ExprId) -> Option<Guard> {
        match self.program[id].kind {
            ExprKind::Guard { check, operand, fallback } => {
                Some(Guard { check, operand, fallback })
            }
            _ => None,
        }
    }

    fn builder(&mut self) -> Builder<'_> {
        Builder { program: self.program, layouts: &mut self.layouts, permissive: false }
    }

    /// Puts another node in place of `id`.
    fn put(&mut self, id: ExprId, expr: Expr) {
        let before = std::mem::replace(&mut self.program[id], expr);
        if id.index() < self.length {
            self.changed.push((id, before));
        }
    }

    /// Takes a node out, which nothing uses from now on.
    fn take(&mut self, id: ExprId) -> Expr {
        let nothing = Expr { kind: ExprKind::Int(0), ty: Types::INT };
        if id.index() < self.length {
            self.changed.push((id, self.program[id].clone()));
        }
        std::mem::replace(&mut self.program[id], nothing)
    }

    fn push(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.program.exprs.push(Expr { kind, ty })
    }

    /// `left op right` for operands whose types are known to fit.
    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let built = self.builder().binary(op, left, right);
        built.expect("both operands are numbers")
    }

    /// A cast of an integer. What the operand is implicitly converted to first is
    /// left out, because it cannot be written; it does not change the value.
    fn cast(&mut self, operand: ExprId, ty: TypeId) -> ExprId {
        let operand = match self.program[operand].kind {
            ExprKind::Convert(inner) if self.program.is_integer(self.program.type_of(inner)) => {
                inner
            }
            _ => operand,
        };
        self.push(ExprKind::Cast(operand), ty)
    }

    /// A constant that is an operand of an operator in this type.
    fn constant(&mut self, ty: TypeId, value: i128) -> ExprId {
        let value = u64::try_from(value).expect("constants are small and not negative");
        match *self.program.resolve(ty) {
            Type::Int(kind)
                if (IntKind::Int.rank()..IntKind::Int128.rank()).contains(&kind.rank()) =>
            {
                self.builder().int(kind, value)
            }
            // A constant of a smaller type would not make the operator one of this type.
            _ => {
                let constant = self.number(value);
                self.push(ExprKind::Cast(constant), ty)
            }
        }
    }

    /// A constant of the first type in which it fits.
    fn number(&mut self, value: u64) -> ExprId {
        let target = self.program.target;
        let fits = |kind: &IntKind| value >> (target.int_bits(*kind) - 1) == 0;
        let kind = [IntKind::Int, IntKind::Long, IntKind::LongLong].into_iter().find(fits);
        self.builder().int(kind.unwrap_or(IntKind::ULongLong), value)
    }

    fn unsigned(&mut self, ty: TypeId) -> TypeId {
        match *self.program.resolve(ty) {
            Type::Int(kind) => Types::int(kind.to_unsigned()),
            Type::BitInt { width, .. } => {
                self.program.types.intern(Type::BitInt { signed: false, width })
            }
            _ => ty,
        }
    }

    /// The unsigned type of the width that a value of type `ty` is promoted to.
    fn promoted_unsigned(&mut self, ty: TypeId) -> TypeId {
        match self.program.integer_class(ty) {
            Some(Type::Int(kind)) if kind.rank() < IntKind::Int.rank() => Types::int(IntKind::UInt),
            Some(Type::Int(kind)) => Types::int(kind.to_unsigned()),
            _ => self.unsigned(ty),
        }
    }

    /// A guard on an operation that may fail in a later run.
    fn guarded(&mut self, operand: ExprId) -> ExprId {
        if self.settled {
            return operand;
        }
        let (check, fallback) = (GuardCheck::Operation, Fallback::FirstOperand);
        let ty = self.program.type_of(operand);
        let guard = self.push(ExprKind::Guard { check, operand, fallback }, ty);
        self.added.push(guard);
        guard
    }

    fn step(&mut self, operand: ExprId, step: Option<Step>) -> ExprId {
        let Some(Step { op, constant }) = step else { return operand };
        let ty = self.program.type_of(operand);
        let constant = self.constant(ty, constant);
        let changed = self.binary(op, operand, constant);
        let ty = integer_type(self.program, ty).expect("operands are integers");
        if can_fail(op, ty) { self.guarded(changed) } else { changed }
    }

    /// Rewrites a guard that fired. `certain` asks for something that cannot fail
    /// again. `None` if nothing was changed.
    pub(super) fn discharge(
        &mut self,
        id: ExprId,
        profile: &Profile,
        certain: bool,
        choices: &mut Choices,
    ) -> Option<Rewritten> {
        let guard = self.guard(id)?;
        match guard.check {
            GuardCheck::Exact => self.discharge_exact(id, guard, profile, certain, choices),
            GuardCheck::Pointer => {
                self.fall_back(id, guard, profile);
                Some(Rewritten::Replaced)
            }
            GuardCheck::Index { bound } => self.index(id, guard, bound, profile, certain, choices),
            GuardCheck::Operation => match self.program[guard.operand].kind {
                ExprKind::Convert(_) | ExprKind::Cast(_) => {
                    self.fall_back(id, guard, profile);
                    Some(Rewritten::Replaced)
                }
                _ => {
                    let site = self.site(guard.operand, profile)?;
                    let (row, form) = choose(&site, certain, choices)?;
                    self.apply(id, guard, form, site.operation);
                    Some(Rewritten::By(row.kind))
                }
            },
        }
    }

    /// The values of an operand; `None` if it is new, or had none that are numbers.
    fn seen(&self, profile: &Profile, id: ExprId, ty: IntegerType) -> Option<Seen> {
        if let Some(value) = literal(self.program, id) {
            return Seen::new(ty, &Integers::from(value));
        }
        let known = self.settled || id.index() < self.length;
        known.then(|| Seen::new(ty, profile.expr(id).integers()?))?
    }

    /// What is known about a guarded operation on integers.
    fn site(&self, operand: ExprId, profile: &Profile) -> Option<Site> {
        let (operator, left, right) = match self.program[operand].kind {
            ExprKind::Unary(UnaryOp::Minus, value) => (Operator::Minus, value, value),
            ExprKind::Binary(op, left, right) => (Operator::Binary(op), left, right),
            _ => return None,
        };
        let ty = |id| integer_type(self.program, self.program.type_of(id));
        let operation = Operation { operator, left: ty(left)?, right: ty(right)? };
        Some(Site {
            operation,
            left: self.seen(profile, left, operation.left),
            right: self.seen(profile, right, operation.right),
            comparison: self.comparison(right).is_some(),
        })
    }

    /// The comparison that `id` is, perhaps converted.
    fn comparison(&self, id: ExprId) -> Option<ExprId> {
        match self.program[id].kind {
            ExprKind::Convert(operand) => self.comparison(operand),
            ExprKind::Binary(op, ..) if op.is_comparison() => Some(id),
            _ => None,
        }
    }

    /// Gives a guard its form.
    fn apply(&mut self, id: ExprId, guard: Guard, form: Form, operation: Operation) {
        let ty = self.program.type_of(guard.operand);
        match (form, self.program[guard.operand].kind.clone()) {
            (Form::Unary(op), ExprKind::Unary(_, value)) => {
                self.put(id, Expr { kind: ExprKind::Unary(op, value), ty });
            }
            (Form::UnsignedMinus, ExprKind::Unary(_, value)) => {
                let unsigned = self.unsigned(ty);
                let value = self.cast(value, unsigned);
                let minus = self.push(ExprKind::Unary(UnaryOp::Minus, value), unsigned);
                self.put(id, Expr { kind: ExprKind::Cast(minus), ty });
            }
            (Form::Complement, ExprKind::Binary(_, _, right)) => {
                let comparison = self.comparison(right).expect("the row asks for a comparison");
                let mut expr = self.program[comparison].clone();
                if let ExprKind::Binary(op, ..) = &mut expr.kind {
                    *op = opposite(*op);
                }
                self.put(comparison, expr);
                if self.settled {
                    self.unguard(id, guard);
                }
            }
            (
                Form::Binary { op, left: left_step, right: steps, unsigned },
                ExprKind::Binary(_, left, right),
            ) => {
                let left = self.step(left, left_step);
                let right = self.step(right, steps[0]);
                let right = self.step(right, steps[1]);
                if unsigned {
                    let unsigned = self.unsigned(ty);
                    let left = self.cast(left, unsigned);
                    let right = if op.is_shift() { right } else { self.cast(right, unsigned) };
                    let result = self.binary(op, left, right);
                    // A shift is certain or not by its amount.
                    let result =
                        if form.is_certain(operation) { result } else { self.guarded(result) };
                    self.put(id, Expr { kind: ExprKind::Cast(result), ty });
                    return;
                }
                let result = self.binary(op, left, right);
                let kind = if self.settled || form.is_certain(operation) {
                    self.take(result).kind
                } else {
                    ExprKind::Guard {
                        operand: result,
                        check: guard.check,
                        fallback: guard.fallback,
                    }
                };
                self.put(id, Expr { kind, ty });
            }
            (form, kind) => unreachable!("{form:?} is no form of {kind:?}"),
        }
    }

    /// Brings an index into its bounds.
    fn index(
        &mut self,
        id: ExprId,
        guard: Guard,
        bound: u16,
        profile: &Profile,
        certain: bool,
        choices: &mut Choices,
    ) -> Option<Rewritten> {
        let ty = self.program.type_of(guard.operand);
        let integer = integer_type(self.program, ty)?;
        let largest = i128::from(bound).min(largest_constant(integer).saturating_add(1)) - 1;
        if largest < 0 {
            return None;
        }
        let seen = self.seen(profile, guard.operand, integer).filter(|_| !certain);
        let constant = seen.as_ref().and_then(|seen| {
            let low = 0_i128.checked_sub(seen.low)?;
            draw((low, largest.checked_sub(seen.high)?), integer, choices)
        });
        // A constant index cannot keep what the operand does.
        let fixed = !self.has_effect(guard.operand);
        let weights = [3, 3, if constant.is_some() { 3 } else { 0 }, u32::from(fixed)];
        let mut guarded = false;
        let value = match choices.weighted(&weights)? {
            0 => {
                let mask = draw_mask(largest, choices);
                let mask = self.number(mask as u64);
                self.binary(BinaryOp::BitAnd, guard.operand, mask)
            }
            1 => {
                // A remainder of a signed index would have its sign.
                let never_negative = seen.is_some_and(|seen| seen.low >= 0);
                guarded = integer.signed && never_negative;
                let operand = if integer.signed && !never_negative {
                    let unsigned = self.promoted_unsigned(ty);
                    self.cast(guard.operand, unsigned)
                } else {
                    guard.operand
                };
                let divisor = self.number(largest as u64 + 1);
                self.binary(BinaryOp::Rem, operand, divisor)
            }
            2 => {
                guarded = true;
                let step = Step::add(constant.expect("it has a weight"));
                let constant = self.number(step.constant as u64);
                let sum = self.binary(step.op, guard.operand, constant);
                let sum_type = integer_type(self.program, self.program.type_of(sum))?;
                if can_fail(step.op, sum_type) { self.guarded(sum) } else { sum }
            }
            _ => self.number(choices.below(largest as u64 + 1)),
        };
        let value = if self.program.type_of(value) == ty { value } else { self.cast(value, ty) };
        if guarded {
            let kind =
                ExprKind::Guard { operand: value, check: guard.check, fallback: guard.fallback };
            self.put(id, Expr { kind, ty });
        } else {
            self.settle(id, value, &[]);
        }
        Some(Rewritten::By(Kind::Insert))
    }

    /// Gives a guard that always fired, and had one pair of operands, a form that has a value for
    /// these, and brings that to the value of the fallback: nothing else in the program changes.
    /// `None` if that is not possible, and then nothing was changed.
    pub(super) fn compensate(
        &mut self,
        id: ExprId,
        guard: Guard,
        profile: &Profile,
        choices: &mut Choices,
    ) -> Option<Kind> {
        if guard.check == GuardCheck::Exact {
            return self.compensate_exact(id, guard, profile);
        }
        let ty = self.program.type_of(guard.operand);
        let integer = integer_type(self.program, ty)?;
        let fallback = match guard.fallback {
            Fallback::Value(value) => Some(literal(self.program, value)?),
            Fallback::FirstOperand => None,
        };
        match guard.check {
            GuardCheck::Pointer | GuardCheck::Exact => None,
            GuardCheck::Index { bound } => {
                let value = self.seen(profile, guard.operand, integer)?.single()?;
                self.compensated_index(id, guard, (value, fallback?), bound, choices)
            }
            GuardCheck::Operation => {
                let site = self.site(guard.operand, profile)?;
                let left = site.left.as_ref()?.single()?;
                let right = site.right.as_ref()?.single()?;
                let wanted = fallback.unwrap_or(left);
                for _ in 0..TRIES {
                    let (row, form) = choose(&site, false, choices)?;
                    let value = form.value(site.operation, left, right).ok()?;
                    if value == wanted {
                        self.apply(id, guard, form, site.operation);
                        return Some(row.kind);
                    }
                    let Some(step) = Step::between(value, wanted, integer, choices) else {
                        continue;
                    };
                    self.apply(id, guard, form, site.operation);
                    let inner = self.take(id);
                    let inner = self.program.exprs.push(inner);
                    let changed = self.step(inner, Some(step));
                    let kind = match self.program.type_of(changed) == ty {
                        true => self.take(changed).kind,
                        false => ExprKind::Cast(changed),
                    };
                    self.put(id, Expr { kind, ty });
                    return Some(row.kind);
                }
                None
            }
        }
    }

    /// Makes an index that had one value another one inside the bounds.
    fn compensated_index(
        &mut self,
        id: ExprId,
        guard: Guard,
        (value, wanted): (i128, i128),
        bound: u16,
        choices: &mut Choices,
    ) -> Option<Kind> {
        let ty = self.program.type_of(guard.operand);
        let step = Step::add(wanted.checked_sub(value)?);
        let constant = u64::try_from(step.constant).ok();
        let weights = [3, if constant.is_some() { 3 } else { 0 }];
        let result = match choices.weighted(&weights)? {
            0 => {
                let mask = draw_mask((i128::from(bound) - 1).max(1), choices);
                let other = (value & mask) ^ wanted;
                let mask = self.number(u64::try_from(mask).ok()?);
                let masked = self.binary(BinaryOp::BitAnd, guard.operand, mask);
                match u64::try_from(other).ok()? {
                    0 => masked,
                    other => {
                        let other = self.number(other);
                        self.binary(BinaryOp::BitXor, masked, other)
                    }
                }
            }
            _ => {
                let constant = self.number(constant?);
                self.binary(step.op, guard.operand, constant)
            }
        };
        let result =
            if self.program.type_of(result) == ty { result } else { self.cast(result, ty) };
        self.settle(id, result, &[]);
        Some(Kind::Insert)
    }

    /// The guard becomes its operand.
    pub(super) fn unguard(&mut self, id: ExprId, guard: Guard) {
        self.settle(id, guard.operand, &[]);
    }

    /// The guard becomes its fallback; what its operands do is still done, and a large operand
    /// stays as a condition.
    pub(super) fn fall_back(&mut self, id: ExprId, guard: Guard, profile: &Profile) {
        let mut operands = [None; 2];
        let converted = match (guard.check, &self.program[guard.operand].kind) {
            (GuardCheck::Index { .. } | GuardCheck::Pointer, _) => {
                operands[0] = Some(guard.operand);
                false
            }
            (_, ExprKind::Binary(_, left, right)) => {
                operands = [Some(*left), Some(*right)];
                false
            }
            (_, ExprKind::Convert(value) | ExprKind::Cast(value)) => {
                operands[0] = Some(*value);
                true
            }
            (_, ExprKind::Unary(_, value)) => {
                operands[0] = Some(*value);
                false
            }
            _ => return,
        };
        let ty = self.program.type_of(guard.operand);
        let value = match (guard.fallback, operands[0]) {
            (Fallback::Value(value), _) => value,
            // The rounded value.
            _ if converted && !self.program.is_integer(ty) => return self.unguard(id, guard),
            (Fallback::FirstOperand, Some(first)) if !converted => {
                operands[0] = None;
                first
            }
            // A floating value that does not fit leaves zero.
            _ => {
                let zero = self.number(0);
                if self.program.type_of(zero) == ty { zero } else { self.cast(zero, ty) }
            }
        };
        let conditions = match guard.check {
            GuardCheck::Index { .. } | GuardCheck::Pointer => [None; 2],
            GuardCheck::Operation | GuardCheck::Exact => {
                operands.map(|operand| self.never(operand?, profile))
            }
        };
        let kept = operands.into_iter().zip(conditions);
        let kept = kept.filter_map(|(operand, condition)| operand.filter(|_| condition.is_none()));
        let kept: Vec<ExprId> = kept.filter(|operand| self.has_effect(*operand)).collect();
        self.settle(id, value, &kept);
        conditions.into_iter().flatten().for_each(|condition| self.put_under(id, condition));
    }

    /// A value gets a condition that was never true.
    fn put_under(&mut self, id: ExprId, condition: ExprId) {
        let ty = self.program.type_of(id);
        let otherwise = self.take(id);
        let otherwise = self.program.exprs.push(otherwise);
        let then = match integer_type(self.program, ty) {
            Some(_) => self.constant(ty, 1),
            None => self.floating(Dyadic::ONE, ty),
        };
        let chosen = self.builder().conditional(condition, Some(then), otherwise);
        let chosen = chosen.expect("both are numbers");
        // A type smaller than `int` is promoted.
        let kind = match self.program.type_of(chosen) == ty {
            true => self.take(chosen).kind,
            false => ExprKind::Cast(chosen),
        };
        self.put(id, Expr { kind, ty });
    }

    /// A condition made of a large operand that was false each time the operand was seen: `b > K`
    /// for integers, `b == K` for floating numbers. Without it the text of the operand would be
    /// lost, which is half of an expression sometimes.
    fn never(&mut self, operand: ExprId, profile: &Profile) -> Option<ExprId> {
        let mut nodes = LARGE;
        if !self.is_large(operand, &mut nodes) {
            return None;
        }
        let ty = self.program.type_of(operand);
        let (op, constant) = match (integer_type(self.program, ty), &profile.expr(operand).values) {
            (Some(integer), Some(Values::Integers(seen))) => {
                let Seen { low, high, .. } = Seen::new(integer, seen)?;
                let (op, constant) = match high < largest_constant(integer) {
                    true => (BinaryOp::Greater, high.max(0)),
                    false => (BinaryOp::Less, low),
                };
                let possible = (0..=largest_constant(integer)).contains(&constant);
                (op, self.constant(ty, Some(constant).filter(|_| possible)?))
            }
            (None, Some(Values::Floats(seen))) => {
                let seen: Option<Vec<Dyadic>> =
                    seen.few()?.iter().map(|value| Dyadic::of(*value)).collect();
                let seen = seen?;
                let mut numbers = (1..).map(|number| Dyadic::new(number, 0));
                let unseen = numbers.find(|number| !seen.contains(number))?;
                (BinaryOp::Equal, self.floating(unseen, ty))
            }
            _ => return None,
        };
        Some(self.binary(op, operand, constant))
    }

    /// Whether an expression has more nodes than so many.
    fn is_large(&self, id: ExprId, nodes: &mut u32) -> bool {
        let Some(rest) = nodes.checked_sub(1) else { return true };
        *nodes = rest;
        let mut large = false;
        self.program[id].kind.for_each_operand(|operand| {
            large = large || self.is_large(operand, nodes);
        });
        large
    }

    /// Moves `value` to where `id` is, after the evaluation of `before`.
    fn settle(&mut self, id: ExprId, value: ExprId, before: &[ExprId]) {
        let mut expr = self.take(value);
        // A guard has the type that it has; what is not a guard could be taken for
        // something else than a value of its type.
        if let ExprKind::Convert(operand) = expr.kind {
            expr.kind = ExprKind::Cast(operand);
        }
        if self.is_bit_field(&expr.kind) || self.is_null_constant(&expr) {
            let ty = expr.ty;
            let inner = self.program.exprs.push(expr);
            expr = Expr { kind: ExprKind::Cast(inner), ty };
        }
        for &operand in before.iter().rev() {
            let mut operand = operand;
            while let ExprKind::Convert(inner) = self.program[operand].kind {
                operand = inner;
            }
            let ty = expr.ty;
            let right = self.program.exprs.push(expr);
            expr = Expr { kind: ExprKind::Comma(operand, right), ty };
        }
        self.put(id, expr);
    }

    /// Whether the value is that of a bit-field, which is promoted in its own way.
    fn is_bit_field(&self, kind: &ExprKind) -> bool {
        match *kind {
            ExprKind::Member(base, index) => {
                let Type::Record(record) = *self.program.resolve(self.program.type_of(base)) else {
                    return false;
                };
                let fields = self.program[record].fields.as_ref();
                fields.is_some_and(|fields| fields[index as usize].bits.is_some())
            }
            ExprKind::Load(operand)
            | ExprKind::Assign(operand, _)
            | ExprKind::CompoundAssign { target: operand, .. }
            | ExprKind::Step(_, operand)
            | ExprKind::Comma(_, operand) => self.is_bit_field(&self.program[operand].kind),
            _ => false,
        }
    }

    /// Whether it could be a null pointer constant, which adapts to other pointers.
    fn is_null_constant(&self, expr: &Expr) -> bool {
        let ExprKind::Cast(operand) = expr.kind else { return false };
        self.program.pointee(expr.ty) == Some(Types::VOID)
            && self.program.is_integer(self.program.type_of(operand))
    }

    /// Whether evaluating it does anything but give a value.
    fn has_effect(&self, id: ExprId) -> bool {
        let kind = &self.program[id].kind;
        let mut effect = match kind {
            ExprKind::CompoundLiteral(_) => true,
            ExprKind::Load(place) => {
                self.program.type_of(*place).qualifiers().contains(Qualifiers::VOLATILE)
            }
            kind => kind.acts(),
        };
        kind.for_each_operand(|operand| effect = effect || self.has_effect(operand));
        effect
    }
}

/// What became of a guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rewritten {
    /// A row of the table.
    By(Kind),
    /// Its fallback.
    Replaced,
}

/// The comparison that is true where `op` is not.
fn opposite(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Equal => BinaryOp::NotEqual,
        _ => BinaryOp::Equal,
    }
}
