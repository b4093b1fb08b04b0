//! Rewrites of guards that ask for exact results.

use farrier_lang::target::FloatFormat;
use farrier_lang::{
    BinaryOp, Expr, ExprId, ExprKind, Fallback, GuardCheck, Id, Type, TypeId, integer_type,
};
use farrier_machine::Profile;

use super::{Guard, Rewriter, Rewritten};
use crate::choices::Choices;
use crate::discharge::dyadic::{Dyadic, Format};
use crate::discharge::floats::{Form, Operation, Site, Step, choose};
use crate::discharge::rows::Kind;

impl Rewriter<'_> {
    /// Rewrites a floating operation that was not exact.
    pub(super) fn discharge_exact(
        &mut self,
        id: ExprId,
        guard: Guard,
        profile: &Profile,
        certain: bool,
        choices: &mut Choices,
    ) -> Option<Rewritten> {
        let site = self.exact_site(guard.operand, profile)?;
        let (row, form) = choose(&site, certain, choices)?;
        self.apply_exact(id, guard, form);
        Some(Rewritten::By(row.kind))
    }

    /// Gives a floating operation that was not exact, and had one pair of operands, a right operand
    /// that makes its result the left one: `a + (b - B)` or `a * (b - B)`.
    pub(super) fn compensate_exact(
        &mut self,
        id: ExprId,
        guard: Guard,
        profile: &Profile,
    ) -> Option<Kind> {
        let ExprKind::Binary(op, left, right) = self.program[guard.operand].kind else {
            return None;
        };
        let site = self.exact_site(guard.operand, profile)?;
        let (Operation::Binary(_, format), Fallback::FirstOperand) =
            (site.operation, guard.fallback)
        else {
            return None;
        };
        let [first] = site.left?[..] else { return None };
        let [second] = site.right?[..] else { return None };
        site.constants?;
        let neutral = match op {
            // The sum of two zeros may have another sign.
            BinaryOp::Add if first == Dyadic::ZERO => return None,
            BinaryOp::Add | BinaryOp::Sub => Dyadic::ZERO,
            BinaryOp::Mul | BinaryOp::Div => Dyadic::ONE,
            _ => return None,
        };
        let constant = format.arithmetic(BinaryOp::Sub, neutral, second)?;
        let right = self.exact_step(right, Step::add(constant));
        let changed = self.binary(op, left, right);
        let kind = self.take(changed).kind;
        let ty = self.program.type_of(guard.operand);
        self.put(id, Expr { kind, ty });
        Some(Kind::Insert)
    }

    fn format_of(&self, ty: TypeId) -> Option<FloatFormat> {
        match *self.program.resolve(ty) {
            Type::Float(kind) => Some(self.program.target.float_scalar(kind)?.1),
            _ => None,
        }
    }

    /// The numbers of a floating operand; `None` if it is new, or they are too many.
    fn numbers(&self, profile: &Profile, id: ExprId) -> Option<Vec<Dyadic>> {
        let known = self.settled || id.index() < self.length;
        let few = known.then(|| profile.expr(id).floats()?.few())??;
        few.iter().map(|value| Dyadic::of(*value)).collect()
    }

    /// What is known about a guarded operation on floating numbers.
    fn exact_site(&self, operand: ExprId, profile: &Profile) -> Option<Site> {
        let format = |id: ExprId| Some(Format::of(self.format_of(self.program.type_of(id))?));
        let integer = |id: ExprId| integer_type(self.program, self.program.type_of(id));
        let (operation, left, right) = match self.program[operand].kind {
            ExprKind::Binary(op, left, right) => {
                (Operation::Binary(op, format(left)?), left, Some(right))
            }
            ExprKind::Convert(value) | ExprKind::Cast(value) => {
                let operation = match (format(value), format(operand)) {
                    (Some(from), Some(to)) => Operation::Narrow(from, to),
                    (Some(from), None) => Operation::ToInteger(from, integer(operand)?),
                    (None, Some(to)) => Operation::FromInteger(integer(value)?, to),
                    (None, None) => return None,
                };
                (operation, value, None)
            }
            _ => return None,
        };
        Some(Site {
            operation,
            left: self.numbers(profile, left),
            right: match right {
                Some(right) => self.numbers(profile, right),
                None => Some(vec![Dyadic::ZERO]),
            },
            acts: right.is_some_and(|right| self.has_effect(right)),
            constants: self.format_of(self.program.type_of(left)),
        })
    }

    /// A floating constant of a type that has it.
    pub(super) fn floating(&mut self, number: Dyadic, ty: TypeId) -> ExprId {
        let format = self.format_of(ty).expect("the type is floating");
        let constant = self.program.floating(number.value(format), ty);
        constant.expect("the number is finite")
    }

    /// `operand op constant`
    fn exact_step(&mut self, operand: ExprId, step: Step) -> ExprId {
        let constant = self.floating(step.constant, self.program.type_of(operand));
        self.binary(step.op, operand, constant)
    }

    /// The same with a guard, or the operand.
    fn guarded_step(&mut self, operand: ExprId, step: Option<Step>) -> ExprId {
        let Some(step) = step else { return operand };
        let operand = self.exact_step(operand, step);
        let (check, fallback) = (GuardCheck::Exact, Fallback::FirstOperand);
        let ty = self.program.type_of(operand);
        let guard = self.push(ExprKind::Guard { check, operand, fallback }, ty);
        self.added.push(guard);
        guard
    }

    /// Gives a guard its form.
    fn apply_exact(&mut self, id: ExprId, guard: Guard, form: Form) {
        let ty = self.program.type_of(guard.operand);
        let (left, right) = match self.program[guard.operand].kind {
            ExprKind::Binary(_, left, right) => (left, right),
            ExprKind::Convert(value) | ExprKind::Cast(value) => (value, value),
            _ => unreachable!("the site has an operation"),
        };
        let Guard { check, fallback, .. } = guard;
        match form {
            Form::Binary { op, left: before, right: beside } => {
                let left = self.guarded_step(left, before);
                let right = self.guarded_step(right, beside);
                let operand = self.binary(op, left, right);
                self.put(id, Expr { kind: ExprKind::Guard { check, operand, fallback }, ty });
            }
            Form::Left(Some(step)) => {
                let operand = self.exact_step(left, step);
                self.put(id, Expr { kind: ExprKind::Guard { check, operand, fallback }, ty });
            }
            Form::Left(None) => self.keep_one(id, left, right),
            Form::Right => self.keep_one(id, right, left),
            Form::Comparison(op) => self.put_cast_of(id, op, left, right, ty),
            Form::Converted(step) => {
                let value = self.guarded_step(left, Some(step));
                let operand = self.push(ExprKind::Cast(value), ty);
                self.put(id, Expr { kind: ExprKind::Guard { check, operand, fallback }, ty });
            }
            Form::Test(op, constant) => {
                let constant = self.floating(constant, self.program.type_of(left));
                self.put_cast_of(id, op, left, constant, ty);
            }
            Form::Integer(op, constant) => {
                let constant = self.number(constant as u64);
                self.put_cast_of(id, op, left, constant, ty);
            }
        }
    }

    /// One operand in place of a guard, after the evaluation of the other.
    fn keep_one(&mut self, id: ExprId, value: ExprId, other: ExprId) {
        let acts = self.has_effect(other);
        self.settle(id, value, if acts { std::slice::from_ref(&other) } else { &[] });
    }

    /// `(T)(left op right)` in place of a guard.
    fn put_cast_of(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId, ty: TypeId) {
        let inner = self.binary(op, left, right);
        self.put(id, Expr { kind: ExprKind::Cast(inner), ty });
    }
}
