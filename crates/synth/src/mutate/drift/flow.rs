//! Where a new value would go, and whether something there would become undefined.
//!
//! The answer is a guess from the values that the run saw: it follows a value through
//! operators, assignments, arguments and results, once through each object. It errs on the
//! side of refusing where the value picks an element, a divisor or a way that never ran.

use farrier_lang::edit::Holder;
use farrier_lang::{
    BinaryOp, Entity, ExprId, ExprKind, FunctionId, IntegerType, LogicalOp, ObjectId, Program,
    Stmt, StmtId, Type, TypeId, UnaryOp, integer_type,
};
use rustc_hash::FxHashSet;

use super::super::stage::Stage;
use crate::scene::{is_library, root};

/// How many expressions are followed before the proof has to decide.
const BUDGET: u32 = 300;

/// The integers from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) low: i128,
    pub(super) high: i128,
}

impl Range {
    pub(super) const TRUTH: Self = Self { low: 0, high: 1 };

    pub(super) fn only(value: i128) -> Self {
        Self { low: value, high: value }
    }

    fn all(ty: IntegerType) -> Option<Self> {
        Some(Self { low: ty.min(), high: i128::try_from(ty.max()).ok()? })
    }

    pub(super) fn contains(self, value: i128) -> bool {
        (self.low..=self.high).contains(&value)
    }

    fn is_within(self, other: Self) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// With so many more at both ends.
    pub(super) fn widened(self, by: i128) -> Self {
        Self { low: self.low.saturating_sub(by), high: self.high.saturating_add(by) }
    }

    /// Whether all are values of a type.
    pub(super) fn is_in(self, ty: IntegerType) -> bool {
        ty.contains(self.low) && ty.contains(self.high)
    }

    pub(super) fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The values after a conversion to an integer type; `None` if they are not known.
    fn converted(self, ty: IntegerType) -> Option<Self> {
        if self.is_in(ty) { Some(self) } else { Self::all(ty) }
    }
}

/// The integers that an expression was seen to have.
pub(super) fn seen(stage: &Stage<'_>, expr: ExprId) -> Option<Range> {
    if let ExprKind::Int(value) = stage.scene.program[expr].kind {
        return Some(Range::only(value.into()));
    }
    let integers = stage.scene.profile.as_ref()?.expr(expr).integers()?;
    Some(Range { low: integers.low, high: integers.high })
}

/// The values of an operation in type `ty`; `None` if it might have none.
pub(super) fn binary(ty: IntegerType, op: BinaryOp, left: Range, right: Range) -> Option<Range> {
    use BinaryOp::{BitAnd, BitOr, BitXor, Div, Rem, Shl, Shr};
    if op.is_comparison() {
        return Some(compared(op, left, right));
    }
    match op {
        Div | Rem if right.contains(0) => return None,
        Div | Rem if ty.signed && right.contains(-1) && left.contains(ty.min()) => return None,
        Shl | Shr if !right.is_within(Range { low: 0, high: i128::from(ty.bits) - 1 }) => {
            return None;
        }
        Div | Rem if left.low < 0 || right.low < 0 => {
            let most = left.low.unsigned_abs().max(left.high.unsigned_abs());
            let most = i128::try_from(most).ok()?;
            return Range { low: -most, high: most }.converted(ty);
        }
        Rem => return Some(Range { low: 0, high: left.high.min(right.high - 1) }),
        BitAnd | BitOr | BitXor if left.low < 0 || right.low < 0 => return Range::all(ty),
        BitAnd => return Some(Range { low: 0, high: left.high.min(right.high) }),
        BitOr | BitXor => {
            let bits = 128 - left.high.max(right.high).leading_zeros();
            return Some(Range { low: 0, high: 1_i128.checked_shl(bits)?.checked_sub(1)? });
        }
        _ => {}
    }
    let corners = [(left.low, right.low), (left.low, right.high)]
        .into_iter()
        .chain([(left.high, right.low), (left.high, right.high)]);
    let mut hull: Option<Range> = None;
    for (left, right) in corners {
        let value = Range::only(ty.binary(op, left, right).ok()?);
        hull = Some(hull.map_or(value, |hull| hull.hull(value)));
    }
    // What wraps at one corner may be anything between.
    let wraps = !ty.signed && matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | Shl);
    if wraps { Range::all(ty) } else { hull }
}

/// What a comparison gives: one truth value if the ranges decide it.
fn compared(op: BinaryOp, left: Range, right: Range) -> Range {
    let (always, never) = match op {
        BinaryOp::Less => (left.high < right.low, left.low >= right.high),
        BinaryOp::LessEqual => (left.high <= right.low, left.low > right.high),
        BinaryOp::Greater => (left.low > right.high, left.high <= right.low),
        BinaryOp::GreaterEqual => (left.low >= right.high, left.high < right.low),
        _ => {
            let apart = left.high < right.low || right.high < left.low;
            let same = left == right && left.low == left.high;
            if op == BinaryOp::Equal { (same, apart) } else { (apart, same) }
        }
    };
    if always {
        Range::only(1)
    } else if never {
        Range::only(0)
    } else {
        Range::TRUTH
    }
}

/// Whether the program probably stays defined if an expression also has these values.
pub(super) fn survives(stage: &Stage<'_>, expr: ExprId, values: Range) -> bool {
    Flow::new(stage).value(expr, values)
}

/// Whether the program probably stays defined if an object also has these values.
pub(super) fn object_survives(stage: &Stage<'_>, object: ObjectId, values: Range) -> bool {
    Flow::new(stage).object(object, values)
}

/// All values that were read from an object or its parts.
pub(super) fn values_of(stage: &Stage<'_>, object: ObjectId) -> Option<Range> {
    let reads = stage.uses(Entity::Object(object)).iter();
    reads.filter_map(|lvalue| seen(stage, read_of(stage, *lvalue)?)).reduce(Range::hull)
}

/// The expression that reads a place, or a part of it.
fn read_of(stage: &Stage<'_>, place: ExprId) -> Option<ExprId> {
    let parent = stage.scene.parent(place)?;
    match stage.scene.program[parent].kind {
        ExprKind::Index(base, _) if base != place => None,
        ExprKind::Index(..) | ExprKind::Member(..) | ExprKind::Decay(_) => read_of(stage, parent),
        _ => Some(parent),
    }
}

struct Flow<'a, 'b> {
    stage: &'a Stage<'b>,
    program: &'a Program,
    left: u32,
    objects: FxHashSet<ObjectId>,
    functions: FxHashSet<FunctionId>,
}

impl<'a, 'b> Flow<'a, 'b> {
    fn new(stage: &'a Stage<'b>) -> Self {
        Self {
            stage,
            program: stage.scene.program,
            left: BUDGET,
            objects: FxHashSet::default(),
            functions: FxHashSet::default(),
        }
    }

    fn value(&mut self, expr: ExprId, values: Range) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return true };
        self.left = left;
        if seen(self.stage, expr).is_some_and(|old| values.is_within(old)) {
            return true;
        }
        match self.stage.scene.holder_of_expr(expr) {
            Some(Holder::Expr(parent)) => self.operand(parent, expr, values).unwrap_or(false),
            Some(Holder::Stmt(stmt)) => self.statement(stmt, values),
            Some(Holder::Object(object)) => self.object(object, values),
            _ => false,
        }
    }

    fn operand(&mut self, parent: ExprId, expr: ExprId, values: Range) -> Option<bool> {
        let ty = self.program.type_of(parent);
        let result = match self.program[parent].kind.clone() {
            ExprKind::Convert(_) | ExprKind::Cast(_) => match self.kind(ty) {
                Some(ty) => values.converted(ty)?,
                // Of a floating value nothing is undefined, and an address is none of a number.
                None => return Some(!self.is_pointer(ty)),
            },
            ExprKind::Unary(UnaryOp::Plus, _) => values,
            ExprKind::Unary(UnaryOp::Not, _) => Range::TRUTH,
            ExprKind::Unary(UnaryOp::Minus, _) => {
                binary(self.kind(ty)?, BinaryOp::Sub, Range::only(0), values)?
            }
            ExprKind::Unary(UnaryOp::BitNot, _) => Range::all(self.kind(ty)?)?,
            ExprKind::Binary(op, left, right) => {
                let of = self.kind(self.program.type_of(left))?;
                let other = if left == expr { right } else { left };
                let other = seen(self.stage, other)?;
                let (left, right) = if left == expr { (values, other) } else { (other, values) };
                if op.is_comparison() && self.is_loop_condition(parent) {
                    return Some(false);
                }
                binary(of, op, left, right)?
            }
            ExprKind::Logical(op, left, right) => {
                let reaches = match op {
                    LogicalOp::And => values != Range::only(0),
                    LogicalOp::Or => values.contains(0),
                };
                if left == expr && reaches && !self.ran(right) || self.is_loop_condition(parent) {
                    return Some(false);
                }
                Range::TRUTH
            }
            ExprKind::Conditional { condition, then, otherwise } if condition == expr => {
                let newly = values.contains(0) && !self.ran(otherwise)
                    || values != Range::only(0) && then.is_some_and(|then| !self.ran(then));
                if newly {
                    return Some(false);
                }
                let then = seen(self.stage, then?)?;
                then.hull(seen(self.stage, otherwise)?)
            }
            ExprKind::Conditional { .. } => values,
            ExprKind::Comma(left, _) if left == expr => return Some(true),
            ExprKind::Comma(..) => values,
            ExprKind::Assign(target, value) if value == expr => {
                return Some(self.place(target, values) && self.value(parent, values));
            }
            ExprKind::CompoundAssign { op, target, value, computation } if value == expr => {
                let current = self.read_from(target)?;
                let result = binary(self.kind(computation)?, op, current, values)?;
                let result = result.converted(self.kind(ty)?)?;
                return Some(self.place(target, result) && self.value(parent, result));
            }
            ExprKind::Call(callee, arguments) => {
                let at = arguments.iter().position(|argument| *argument == expr)?;
                return Some(self.argument(callee, at, values));
            }
            _ => return None,
        };
        Some(self.value(parent, result))
    }

    fn argument(&mut self, callee: ExprId, at: usize, values: Range) -> bool {
        let ExprKind::Decay(designator) = self.program[callee].kind else { return false };
        let ExprKind::Function(function) = self.program[designator].kind else { return false };
        let callee = &self.program[function];
        if is_library(self.program, designator) {
            return matches!(self.program.text(callee.name), "printf" | "putchar");
        }
        callee.parameters.get(at).is_none_or(|parameter| self.object(*parameter, values))
    }

    fn statement(&mut self, stmt: StmtId, values: Range) -> bool {
        let profile = self.stage.scene.profile.as_ref();
        let ran = |stmt| profile.is_some_and(|profile| profile.ran(self.program, stmt));
        match self.program[stmt] {
            Stmt::Expr(_) => true,
            Stmt::If { then, otherwise, .. } => {
                (values == Range::only(0) || ran(then))
                    && (!values.contains(0) || otherwise.is_none_or(ran))
            }
            Stmt::Return(_) => self.result(stmt, values),
            _ => false,
        }
    }

    /// A value that a function returns goes to its calls.
    fn result(&mut self, stmt: StmtId, values: Range) -> bool {
        let outermost = self.stage.scene.around(stmt).last();
        let holder = outermost.and_then(|body| self.stage.scene.holder_of_stmt(body));
        let Some(Holder::Function(function)) = holder else { return false };
        if self.stage.scene.is_main(function) || !self.functions.insert(function) {
            return true;
        }
        let stage = self.stage;
        stage.uses(Entity::Function(function)).iter().all(|designator| {
            let call = stage.scene.parent(*designator).and_then(|it| stage.scene.parent(it));
            call.is_none_or(|call| !self.ran(call) || self.value(call, values))
        })
    }

    fn place(&mut self, target: ExprId, values: Range) -> bool {
        root(self.program, target).is_none_or(|object| self.object(object, values))
    }

    /// An object, or a part of it, gets another value.
    fn object(&mut self, object: ObjectId, values: Range) -> bool {
        if !self.objects.insert(object) {
            return true;
        }
        let stage = self.stage;
        stage.uses(Entity::Object(object)).iter().all(|lvalue| self.read(*lvalue, values))
    }

    /// A place has another value: what is done with it?
    fn read(&mut self, lvalue: ExprId, values: Range) -> bool {
        let Some(parent) = self.stage.scene.parent(lvalue) else { return true };
        if !self.is_lvalue_part(parent) && !self.ran(parent) {
            return true;
        }
        match self.program[parent].kind {
            ExprKind::Load(_) if self.is_pointer(self.program.type_of(parent)) => true,
            ExprKind::Load(_) => self.value(parent, values),
            ExprKind::Step(..) => {
                let ty = self.kind(self.program.type_of(parent));
                ty.is_none_or(|ty| values.widened(1).is_in(ty))
            }
            ExprKind::CompoundAssign { op, target, value, computation } if target == lvalue => {
                let right = seen(self.stage, value);
                let result = self.kind(computation).zip(right);
                let result = result.and_then(|(ty, right)| binary(ty, op, values, right));
                result.is_some_and(|result| self.value(parent, result))
            }
            ExprKind::Index(base, _) if base != lvalue => true,
            ExprKind::Index(..) | ExprKind::Member(..) | ExprKind::Decay(_) => {
                self.read(parent, values)
            }
            _ => true,
        }
    }

    /// What was read from a place.
    fn read_from(&self, target: ExprId) -> Option<Range> {
        values_of(self.stage, root(self.program, target)?)
    }

    fn kind(&self, ty: TypeId) -> Option<IntegerType> {
        integer_type(self.program, ty)
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.program.resolve(ty), Type::Pointer(_))
    }

    fn is_lvalue_part(&self, expr: ExprId) -> bool {
        let kind = &self.program[expr].kind;
        matches!(kind, ExprKind::Index(..) | ExprKind::Member(..) | ExprKind::Decay(_))
    }

    fn ran(&self, expr: ExprId) -> bool {
        let profile = self.stage.scene.profile.as_ref();
        profile.is_some_and(|profile| profile.expr(expr).count > 0)
    }

    fn is_loop_condition(&self, expr: ExprId) -> bool {
        match self.stage.scene.holder_of_expr(expr) {
            Some(Holder::Stmt(stmt)) => matches!(
                self.program[stmt],
                Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. }
            ),
            Some(Holder::Expr(parent)) => {
                matches!(self.program[parent].kind, ExprKind::Logical(..))
                    && self.is_loop_condition(parent)
            }
            _ => false,
        }
    }
}
