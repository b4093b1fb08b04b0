//! Expressions of integer type.

use farrier_lang::builtins::Builtin;
use farrier_lang::*;

use super::draft::{Context, Draft, Mode};
use super::places::Purpose;
use super::production::{Production, Rate, anywhere, choose};
use crate::features::Feature;
use crate::parameters::Parameter;

/// The operations that must be left for a call to be worth its while.
const SMALLEST_CALL: u64 = 40;

/// How many quiet expressions are kept for reuse, in percent.
const REMEMBERED: u32 = 30;

/// Where a value is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    /// What it may do.
    pub(super) mode: Mode,
    /// How deep it may nest.
    pub(super) depth: u32,
}

type Row = Production<Site, ExprId>;

const fn row(
    feature: Feature,
    gate: fn(&Draft<'_>, Site) -> bool,
    draw: fn(&mut Draft<'_>, Site) -> Option<ExprId>,
    affinity: &'static [Context],
) -> Row {
    Row { rate: Rate::Of(feature), gate, draw, affinity }
}

/// The forms of expressions.
#[rustfmt::skip]
static EXPRESSIONS: &[Row] = &[
    row(Feature::Arithmetic, anywhere, additive, &[Context::Additive]),
    row(Feature::Multiplication, anywhere, multiply, &[Context::Multiplicative]),
    row(Feature::Division, anywhere, divide, &[Context::Multiplicative]),
    row(Feature::Shift, anywhere, shift, &[Context::Shift]),
    row(Feature::Bitwise, anywhere, bitwise, &[Context::Bitwise]),
    row(Feature::Comparison, anywhere, compare, &[Context::Logical]),
    row(Feature::Logical, anywhere, logical, &[Context::Logical]),
    row(Feature::Unary, anywhere, unary, &[Context::Additive, Context::Bitwise]),
    row(Feature::Ternary, anywhere, ternary, &[]),
    row(Feature::Comma, anywhere, comma, &[]),
    row(Feature::Cast, anywhere, cast, &[]),
    row(Feature::AssignExpression, writes, assign, &[]),
    row(Feature::CompoundAssign, writes, compound_assign, &[]),
    row(Feature::Increment, writes, increment, &[]),
    row(Feature::BitBuiltin, anywhere, bit_builtin, &[Context::Bitwise]),
    row(Feature::OverflowBuiltin, writes, overflow_builtin, &[]),
    row(Feature::ByteSwap, anywhere, byte_swap, &[Context::Bitwise]),
    row(Feature::CommonSubexpression, repeats, common, &[]),
    row(Feature::Call, calls, call, &[]),
    row(Feature::Helper, anywhere, helper, &[]),
    row(Feature::StringLiteral, anywhere, string_element, &[]),
    row(Feature::CompoundLiteral, anywhere, compound_literal, &[]),
];

/// Whether an expression may write.
fn writes(_: &Draft<'_>, site: Site) -> bool {
    site.mode == Mode::Free
}

/// Whether there is an expression to repeat.
fn repeats(draft: &Draft<'_>, _: Site) -> bool {
    !draft.scope.common.is_empty()
}

/// Whether a call of a function may stand here.
fn calls(draft: &Draft<'_>, site: Site) -> bool {
    site.mode == Mode::Free && draft.spare() > SMALLEST_CALL
}

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
        let context = self.expression.context;
        if self.chance(Parameter::ContextChange) {
            self.expression.context = self.draw_context();
        }
        let expr = self.inner(Site { mode, depth: depth - 1 });
        self.expression.context = context;
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

    fn inner(&mut self, site: Site) -> ExprId {
        let row = choose(self, EXPRESSIONS, site);
        let made = row.and_then(|row| (row.draw)(self, site));
        let Some(made) = made else { return self.leaf(site.mode) };
        if site.mode == Mode::Quiet && site.depth > 0 && self.choices.chance(REMEMBERED) {
            self.remember(made);
        }
        made
    }

    /// Keeps a quiet expression for reuse.
    fn remember(&mut self, expr: ExprId) {
        if self.is_copyable(expr) {
            let copy = self.copy(expr);
            self.scope.common.push(copy);
        }
    }

    /// Whether an expression may stand twice: nothing in it acts or makes an object.
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
        if objects.iter().any(|object| self.expression.written.contains(object)) {
            return None;
        }
        self.expression.used.extend(objects);
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

    /// A private local integer that the expression does not touch yet.
    fn fresh_target(&mut self) -> Option<ObjectId> {
        let candidates: Vec<ObjectId> = self
            .scope
            .visible
            .iter()
            .filter(|variable| {
                let ty = self.program[variable.object].ty;
                variable.private
                    && variable.writable
                    && variable.depth > 0
                    && ty.qualifiers().is_empty()
                    && matches!(self.program.resolve(ty), Type::Int(_))
                    && !self.expression.used.contains(&variable.object)
                    && !self.expression.written.contains(&variable.object)
            })
            .map(|variable| variable.object)
            .collect();
        if candidates.is_empty() { None } else { Some(self.choices.pick(&candidates)) }
    }
}

fn additive(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    binary(draft, &[BinaryOp::Add, BinaryOp::Sub], site)
}

fn multiply(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    binary(draft, &[BinaryOp::Mul], site)
}

fn divide(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    binary(draft, &[BinaryOp::Div, BinaryOp::Rem], site)
}

fn bitwise(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    binary(draft, &[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor], site)
}

fn compare(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let ops = [
        BinaryOp::Less,
        BinaryOp::Greater,
        BinaryOp::LessEqual,
        BinaryOp::GreaterEqual,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
    ];
    binary(draft, &ops, site)
}

fn binary(draft: &mut Draft<'_>, ops: &[BinaryOp], site: Site) -> Option<ExprId> {
    let op = if let [op] = ops { *op } else { draft.choices.pick(ops) };
    let (left_mode, right_mode) = draft.split(site.mode);
    let left = draft.value(site.depth, left_mode);
    let right = draft.value(site.depth, right_mode);
    Some(draft.operate(op, left, right))
}

fn shift(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let op = draft.choices.pick(&[BinaryOp::Shl, BinaryOp::Shr]);
    let (left_mode, right_mode) = draft.split(site.mode);
    let left = draft.value(site.depth, left_mode);
    // Counts are small numbers more often than not.
    let right = match draft.choices.below(5) {
        0 | 1 => draft.small_constant(33),
        2 => {
            let count = draft.value(site.depth.min(1), right_mode);
            let mask = draft.small_constant(32);
            draft.operate(BinaryOp::BitAnd, count, mask)
        }
        _ => draft.value(site.depth, right_mode),
    };
    Some(draft.operate(op, left, right))
}

fn logical(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let op = draft.choices.pick(&[LogicalOp::And, LogicalOp::Or]);
    let left = draft.value(site.depth, site.mode);
    let right = draft.value(site.depth, site.mode);
    Some(draft.logical(op, left, right))
}

fn unary(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let op = match draft.choices.below(8) {
        0 => UnaryOp::Plus,
        1..=3 => UnaryOp::Minus,
        4 | 5 => UnaryOp::BitNot,
        _ => UnaryOp::Not,
    };
    let operand = draft.value(site.depth, site.mode);
    let expr = draft.unary(op, operand);
    Some(draft.guarded(expr))
}

fn ternary(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let condition = draft.value(site.depth, site.mode);
    let then = draft.value(site.depth, site.mode);
    let otherwise = draft.value(site.depth, site.mode);
    Some(draft.select(condition, then, otherwise))
}

fn comma(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let left = draft.value(site.depth, site.mode);
    let right = draft.value(site.depth, site.mode);
    Some(draft.builder().comma(left, right))
}

fn cast(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let operand = draft.value(site.depth, site.mode);
    let ty = draft.int_type();
    Some(draft.cast(operand, ty))
}

fn assign(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let object = draft.fresh_target()?;
    draft.expression.written.push(object);
    let value = draft.value(site.depth, site.mode);
    let target = draft.object_expr(object);
    Some(draft.assign(target, value))
}

fn compound_assign(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let object = draft.fresh_target()?;
    draft.expression.written.push(object);
    let value = draft.value(site.depth, site.mode);
    let target = draft.object_expr(object);
    draft.compound_assignment(target, value)
}

fn increment(draft: &mut Draft<'_>, _: Site) -> Option<ExprId> {
    let object = draft.fresh_target()?;
    if !draft.steps_safely(object) {
        return None;
    }
    draft.expression.written.push(object);
    let target = draft.object_expr(object);
    Some(draft.any_step(target))
}

fn bit_builtin(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let operation =
        draft.choices.pick(&["popcount", "parity", "clz", "ctz", "ffs", "clrsb", "popcount"]);
    let suffix = draft.choices.pick(&["", "l", "ll"]);
    let mut operand = draft.value(site.depth, site.mode);
    if matches!(operation, "clz" | "ctz") {
        // Both are undefined for zero.
        let ty = match suffix {
            "" => IntKind::UInt,
            "l" => IntKind::ULong,
            _ => IntKind::ULongLong,
        };
        let wide = draft.cast(operand, Types::int(ty));
        let bit = 1 << draft.choices.below(15);
        let bit = draft.builder().int(IntKind::Int, bit);
        operand = draft.operate(BinaryOp::BitOr, wide, bit);
    }
    Some(draft.builtin(&format!("__builtin_{operation}{suffix}"), vec![operand]))
}

fn byte_swap(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let names = ["__builtin_bswap16", "__builtin_bswap32", "__builtin_bswap64"];
    let name = draft.choices.pick(&names);
    let operand = draft.value(site.depth, site.mode);
    Some(draft.builtin(name, vec![operand]))
}

/// `__builtin_add_overflow(a, b, &x)` and its sisters.
fn overflow_builtin(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    // The result is written through a pointer, while nothing else looks at it.
    let targets: Vec<ObjectId> = draft
        .scope
        .visible
        .iter()
        .filter(|variable| {
            let ty = draft.program[variable.object].ty;
            !variable.private
                && variable.writable
                && ty.qualifiers().is_empty()
                && matches!(draft.program.resolve(ty), Type::Int(kind) if *kind != IntKind::Bool)
        })
        .map(|variable| variable.object)
        .collect();
    if targets.is_empty() {
        return None;
    }
    let object = draft.choices.pick(&targets);
    let names = ["__builtin_add_overflow", "__builtin_sub_overflow", "__builtin_mul_overflow"];
    let name = draft.choices.pick(&names);
    let left = draft.value(site.depth, Mode::Quiet);
    let right = draft.value(site.depth, Mode::Quiet);
    let target = draft.object_expr(object);
    let address = draft.address(target);
    let builtin = Builtin::by_name(name).expect("the table has it");
    let arguments = [left, right, address].into();
    Some(draft.builder().node(ExprKind::Builtin(builtin, arguments), Types::int(IntKind::Bool)))
}

fn common(draft: &mut Draft<'_>, _: Site) -> Option<ExprId> {
    let expr = draft.choices.pick(&draft.scope.common);
    draft.reuse(expr)
}

fn call(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    draft.call_value(site.mode)
}

fn helper(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    draft.helper_call(site.depth, site.mode)
}

/// A character of a string literal.
fn string_element(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let length = draft.choices.range(1, 12) as u64;
    let units = (0..length).map(|_| draft.choices.range(32, 126) as u32).collect();
    let literal = StringLiteral { encoding: Encoding::Plain, units };
    let id = draft.program.strings.push(literal);
    let ty = draft.program.types.array_of(Types::CHAR, ArrayLength::Fixed(length + 1));
    let string = draft.builder().node(ExprKind::String(id), ty);
    let index = draft.index_below(length + 1, site.mode.min(Mode::Reading));
    let element = draft.element(string, index);
    Some(draft.builder().value(element))
}

/// A part of a compound literal.
fn compound_literal(draft: &mut Draft<'_>, site: Site) -> Option<ExprId> {
    let mode = site.mode.min(Mode::Reading);
    let element = draft.int_type();
    let length = draft.choices.range(1, 5) as u64;
    let ty = draft.program.types.array_of(element, ArrayLength::Fixed(length));
    let items = (0..length)
        .map(|index| {
            let value = draft.value(1, mode);
            let value = draft.adapt(value, element);
            InitItem { place: InitPlace::Elements { first: index, last: index }, value }
        })
        .collect();
    let list = draft.builder().node(ExprKind::InitList(items), ty);
    let literal = draft.builder().node(ExprKind::CompoundLiteral(list), ty);
    let index = draft.index_below(length, mode);
    let place = draft.element(literal, index);
    Some(draft.builder().value(place))
}
