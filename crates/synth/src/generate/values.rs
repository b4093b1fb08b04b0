//! Values: a table of the forms of expressions, and functions that draw them.

use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, ExprKind, InitItem, InitPlace, IntKind, LogicalOp, ObjectId,
    Type, TypeId, Types, UnaryOp,
};

use farrier_machine::Tier;

use super::draft::{Context, Draft, Leaves, Mode};
use super::floats;
use super::places::Purpose;
use super::production::{Production, Rate, Rates, anywhere, choose, rates};
use crate::Choices;
use crate::features::{Feature, Weights};
use crate::parameters::Parameter;
use crate::relax::Relaxation;

/// The operations that must be left for a call to be worth its while.
const SMALLEST_CALL: u64 = 40;

/// How many quiet expressions are kept for reuse, in percent.
const REMEMBERED: u32 = 30;

/// The weights of what two operands of a free expression may do.
const LEFT_FREE: u32 = 40;
const RIGHT_FREE: u32 = 40;
const BOTH_READ: u32 = 20;

/// The weights of counts of shifts: a small constant, a value that is masked, any value.
const SMALL_COUNT: u32 = 40;
const MASKED_COUNT: u32 = 20;
const ANY_COUNT: u32 = 40;

/// Among how many bits the one is that keeps an operand from being zero.
const SET_BITS: u64 = 15;

/// The most characters of a string of which one is a value.
const LONGEST_STRING: i64 = 12;

/// The most elements of a compound literal of which one is a value.
const LONGEST_LITERAL: i64 = 5;

/// How many full expressions are long, in percent, and the most operators of those outside of
/// straight code.
const LONG_EXPRESSIONS: u32 = 8;
const MOST_OPERATORS: u32 = 2_000;

/// How deep long expressions nest, at most: a random split of ten thousand operators is hardly ever
/// fifty deep, and each level adds a pair of parentheses or two. Clang takes 256.
const DEEPEST: u32 = 80;

/// The nodes of an operator of a long expression with its operand and its guard, and the operations
/// of the machine.
const OPERATOR_NODES: usize = 5;
const OPERATOR_OPERATIONS: u64 = 6;

/// The weight of integers among the numbers.
const INTEGERS: u32 = 100;

/// A class of values: those that the same operators take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Integers and enumerations.
    Integer,
    /// Real floating numbers.
    Floating,
}

impl Class {
    pub(super) const ALL: [Self; 2] = [Self::Integer, Self::Floating];
}

/// What value is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Want {
    /// One of an integer type.
    Integer,
    /// One of a floating type.
    Floating,
    /// One of any arithmetic type.
    Number,
    /// One of this type: a number, a pointer or a record.
    Exactly(TypeId),
}

impl From<Class> for Want {
    fn from(class: Class) -> Self {
        match class {
            Class::Integer => Self::Integer,
            Class::Floating => Self::Floating,
        }
    }
}

/// Where a value is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    /// What it may do.
    pub(super) mode: Mode,
    /// How deep it may nest.
    pub(super) depth: u32,
    /// How many operators it has; `None` where only the depth is a limit.
    pub(super) operators: Option<u32>,
    /// A pointer may point to what at most so many scopes surround.
    pub(super) reach: u32,
}

impl Site {
    /// The site of a number.
    pub(super) fn new(mode: Mode, depth: u32) -> Self {
        Self { mode, depth, operators: None, reach: 0 }
    }

    /// The site of a long expression of so many operators.
    pub(super) fn long(mode: Mode, operators: u32) -> Self {
        Self { operators: Some(operators), ..Self::new(mode, DEEPEST) }
    }
}

/// What a form is asked for.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    class: Class,
    mode: Mode,
    /// How deep its operands may nest.
    depth: u32,
    /// How many operators its operands have, if that is given.
    operators: Option<u32>,
}

impl Wanted {
    /// The site of the only operand, which may do what the whole may.
    fn operand(self) -> Site {
        Site { operators: self.operators, ..Site::new(self.mode, self.depth) }
    }

    /// The sites of several operands in these modes: what operators there are is split at random.
    fn operands<const N: usize>(self, choices: &mut Choices, modes: [Mode; N]) -> [Site; N] {
        let mut rest = self.operators;
        let mut index = 0;
        modes.map(|mode| {
            index += 1;
            let share = rest.map(|rest| match index {
                _ if index == N => rest,
                _ => choices.below(u64::from(rest) + 1) as u32,
            });
            rest = rest.zip(share).map(|(rest, share)| rest - share);
            Site { operators: share, ..Site::new(mode, self.depth) }
        })
    }
}

type Row = Production<Wanted, ExprId>;

const INTEGER: &[Class] = &[Class::Integer];
const FLOATING: &[Class] = &[Class::Floating];
const NUMBER: &[Class] = &[Class::Integer, Class::Floating];

const fn row(
    feature: Feature,
    makes: &'static [Class],
    gate: fn(&Draft<'_>, Wanted) -> bool,
    draw: fn(&mut Draft<'_>, Wanted) -> Option<ExprId>,
    affinity: &'static [Context],
) -> Row {
    Row { rate: Rate::Of(feature), makes, gate, draw, affinity }
}

/// The forms of expressions; first the operators, of which long expressions consist.
#[rustfmt::skip]
static EXPRESSIONS: &[Row] = &[
    row(Feature::Arithmetic, NUMBER, anywhere, additive, &[Context::Additive, Context::AdditiveMultiplicative]),
    row(Feature::Multiplication, NUMBER, anywhere, multiply, &[Context::Multiplicative, Context::AdditiveMultiplicative]),
    row(Feature::Division, NUMBER, anywhere, divide, &[Context::Multiplicative, Context::AdditiveMultiplicative]),
    row(Feature::Shift, INTEGER, anywhere, shift, &[Context::Shift, Context::BitwiseShift]),
    row(Feature::Bitwise, INTEGER, anywhere, bitwise, &[Context::Bitwise, Context::BitwiseShift]),
    row(Feature::Comparison, INTEGER, anywhere, compare, &[Context::Logical]),
    row(Feature::Logical, INTEGER, anywhere, logical, &[Context::Logical]),
    row(Feature::Unary, NUMBER, anywhere, unary, &[Context::Additive, Context::Bitwise, Context::BitwiseShift, Context::AdditiveMultiplicative]),
    row(Feature::Ternary, NUMBER, anywhere, ternary, &[]),
    row(Feature::Comma, NUMBER, anywhere, comma, &[]),
    row(Feature::Cast, NUMBER, anywhere, cast, &[]),
    row(Feature::AssignExpression, NUMBER, writes, assign, &[]),
    row(Feature::CompoundAssign, NUMBER, writes, compound_assign, &[]),
    row(Feature::Increment, NUMBER, writes, increment, &[]),
    row(Feature::BitBuiltin, INTEGER, anywhere, bit_builtin, &[Context::Bitwise]),
    row(Feature::OverflowBuiltin, INTEGER, writes, overflow_builtin, &[]),
    row(Feature::ByteSwap, INTEGER, anywhere, byte_swap, &[Context::Bitwise]),
    row(Feature::Expect, INTEGER, anywhere, expect, &[Context::Logical]),
    row(Feature::ConstantTest, INTEGER, anywhere, constant_test, &[]),
    row(Feature::CommonSubexpression, NUMBER, repeats, common, &[]),
    row(Feature::Call, NUMBER, calls, call, &[]),
    row(Feature::Helper, INTEGER, anywhere, helper, &[]),
    row(Feature::Idiom, INTEGER, anywhere, idiom, &[Context::Bitwise, Context::Logical]),
    row(Feature::MathFunction, FLOATING, mathematics, math_function, &[]),
    row(Feature::MathFunction, INTEGER, quiet_comparisons, quiet_comparison, &[Context::Logical]),
    row(Feature::StringLiteral, INTEGER, has_strings, string_element, &[]),
    row(Feature::CompoundLiteral, NUMBER, has_arrays, compound_literal, &[]),
];

/// How many of them are operators.
const OPERATORS: usize = 11;

/// How often each of them is chosen in a program, by context and class.
pub(super) type ExpressionRates = [[Rates; Class::ALL.len()]; Context::ALL.len()];

pub(super) fn expression_rates(weights: &Weights) -> Box<ExpressionRates> {
    let rates = |context, class| rates(EXPRESSIONS, weights, context, Some(class));
    Box::new(Context::ALL.map(|context| Class::ALL.map(|class| rates(context, class))))
}

/// Whether an expression may write.
fn writes(_: &Draft<'_>, wanted: Wanted) -> bool {
    wanted.mode == Mode::Free
}

/// Whether there is an expression to repeat.
fn repeats(draft: &Draft<'_>, _: Wanted) -> bool {
    !draft.scope.common.is_empty()
}

/// Whether there are arrays to choose an element from.
fn has_arrays(draft: &Draft<'_>, _: Wanted) -> bool {
    draft.has(Feature::Array)
}

/// Whether there are arrays of characters.
fn has_strings(draft: &Draft<'_>, wanted: Wanted) -> bool {
    has_arrays(draft, wanted) && draft.has(Feature::Char)
}

fn mathematics(draft: &Draft<'_>, _: Wanted) -> bool {
    floats::calls_mathematics(draft)
}

fn quiet_comparisons(draft: &Draft<'_>, _: Wanted) -> bool {
    floats::compares_quietly(draft)
}

/// Whether a call of a function may stand here.
fn calls(draft: &Draft<'_>, wanted: Wanted) -> bool {
    wanted.mode == Mode::Free && draft.spare() > SMALLEST_CALL
}

impl Draft<'_> {
    /// A full expression.
    pub(super) fn full_value(&mut self, want: Want) -> ExprId {
        self.begin_expression();
        let mode = self.draw_mode();
        let depth = self.up_to(1, Parameter::ExpressionDepth);
        if self.choices.chance(LONG_EXPRESSIONS)
            && let Some(operators) = self.operators(MOST_OPERATORS, MOST_OPERATORS)
        {
            return self.value(want, Site::long(mode, operators));
        }
        self.value(want, Site::new(mode, depth))
    }

    /// How many operators a long expression has: not more than `most`, and than there is room for;
    /// not less than a part of the most, if this is said.
    pub(super) fn operators(&mut self, most: u32, part: u32) -> Option<u32> {
        let room = self.size.limit.saturating_sub(self.grown()) / OPERATOR_NODES;
        let spare = self.spare() / OPERATOR_OPERATIONS;
        let limit = spare.min(room as u64).min(u64::from(most)) as u32;
        let most = self.parameter(Parameter::ExpressionOperators).min(limit);
        (most > 0).then(|| self.choices.magnitude((most / part).max(1), most))
    }

    /// A value.
    pub(super) fn value(&mut self, want: Want, site: Site) -> ExprId {
        let Site { mode, depth, operators, reach } = site;
        let class = match want {
            Want::Integer => Class::Integer,
            Want::Floating => Class::Floating,
            Want::Number => self.number_class(),
            Want::Exactly(ty) => match *self.program.resolve(ty) {
                Type::Pointer(_) => return self.pointer_value(ty, reach, mode),
                Type::Record(_) => return self.record_value(ty, mode),
                _ => {
                    let number = self.value(Want::Number, site);
                    return self.adapt(number, ty);
                }
            },
        };
        let is_leaf = match operators {
            Some(operators) => operators == 0,
            None => self.chance(Parameter::LeafShare),
        };
        if depth == 0 || is_leaf {
            return self.leaf(class, mode);
        }
        let (context, leaves) = (self.expression.context, self.expression.leaves);
        if self.chance(Parameter::ContextChange) {
            self.expression.context = self.draw_context();
        }
        if leaves == Leaves::Any && self.chance(Parameter::ConstantSubtrees) {
            self.expression.leaves = self.choices.pick(&[Leaves::Half, Leaves::Constant]);
            match self.expression.leaves {
                Leaves::Constant => self.stock.policies.constant += 1,
                _ => self.stock.policies.half_constant += 1,
            }
        }
        self.stock.policies.contexts[self.expression.context as usize] += 1;
        let operators = operators.map(|operators| operators - 1);
        let expr = self.inner(Wanted { class, mode, depth: depth - 1, operators });
        (self.expression.context, self.expression.leaves) = (context, leaves);
        expr
    }

    /// The class of a number.
    pub(super) fn number_class(&mut self) -> Class {
        let floating = self.parameter(Parameter::FloatingShare);
        if self.tier.is_some() && self.choices.weighted(&[INTEGERS, floating]) == Some(1) {
            Class::Floating
        } else {
            Class::Integer
        }
    }

    /// The class of the values of a type, if they are numbers.
    pub(super) fn class_of(&self, ty: TypeId) -> Option<Class> {
        match self.program.resolve(ty) {
            Type::Int(_) | Type::BitInt { .. } | Type::Enum(_) => Some(Class::Integer),
            Type::Float(_) => Some(Class::Floating),
            _ => None,
        }
    }

    pub(super) fn draw_context(&mut self) -> Context {
        const CONTEXTS: [(Parameter, Context); 8] = [
            (Parameter::MixedContext, Context::Mixed),
            (Parameter::AdditiveContext, Context::Additive),
            (Parameter::BitwiseContext, Context::Bitwise),
            (Parameter::LogicalContext, Context::Logical),
            (Parameter::MultiplicativeContext, Context::Multiplicative),
            (Parameter::ShiftContext, Context::Shift),
            (Parameter::BitwiseShiftContext, Context::BitwiseShift),
            (Parameter::AdditiveMultiplicativeContext, Context::AdditiveMultiplicative),
        ];
        let weights = CONTEXTS.map(|(parameter, _)| self.parameter(parameter));
        let index = self.choices.weighted(&weights).unwrap_or(0);
        CONTEXTS[index].1
    }

    fn leaf(&mut self, class: Class, mode: Mode) -> ExprId {
        if let Some(operand) = self.operand(class) {
            return operand;
        }
        let constant = match self.expression.leaves {
            Leaves::Any => self.chance(Parameter::ConstantShare),
            Leaves::Half => self.choices.chance(50),
            Leaves::Constant => true,
        };
        if !constant && let Some(place) = self.place(class.into(), Purpose::Read, mode) {
            return self.builder().value(place);
        }
        self.constant(class)
    }

    fn inner(&mut self, wanted: Wanted) -> ExprId {
        let rates = self.expression_rates[self.expression.context as usize][wanted.class as usize];
        let is_long = wanted.operators.is_some();
        if wanted.mode == Mode::Free
            && wanted.class == Class::Integer
            && !is_long
            && let Some(contest) = self.contest()
        {
            return contest;
        }
        let table = if is_long { &EXPRESSIONS[..OPERATORS] } else { EXPRESSIONS };
        let row = choose(self, table, rates, wanted);
        let made = row.and_then(|row| (row.draw)(self, wanted));
        let Some(made) = made else { return self.leaf(wanted.class, wanted.mode) };
        let is_repeated = wanted.mode == Mode::Quiet && wanted.depth > 0 && !is_long;
        if is_repeated && self.choices.chance(REMEMBERED) {
            self.remember(made);
        }
        made
    }

    /// Keeps a quiet expression for reuse, unless it calls something: what a call costs is
    /// counted only once.
    fn remember(&mut self, expr: ExprId) {
        if !self.calls(expr) {
            let copy = self.copy(expr);
            self.scope.common.push(copy);
        }
    }

    pub(super) fn calls(&self, expr: ExprId) -> bool {
        let kind = &self.program[expr].kind;
        let mut any = matches!(kind, ExprKind::Call(..));
        kind.for_each_operand(|operand| any = any || self.calls(operand));
        any
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
            Mode::Free if self.relaxes(Relaxation::Order) => (Mode::Free, Mode::Free),
            Mode::Free => match self.choices.weighted(&[LEFT_FREE, RIGHT_FREE, BOTH_READ]) {
                Some(0) => (Mode::Free, Mode::Quiet),
                Some(1) => (Mode::Quiet, Mode::Free),
                _ => (Mode::Reading, Mode::Reading),
            },
            other => (other, other),
        }
    }

    /// The sites of two operands that are not sequenced.
    fn sides(&mut self, wanted: Wanted) -> [Site; 2] {
        let modes = self.split(wanted.mode);
        wanted.operands(self.choices, modes.into())
    }

    /// What an expression may assign: a private local that the rest of it does not touch.
    fn target(&mut self, class: Class) -> Option<ExprId> {
        if class == Class::Integer && self.relaxes(Relaxation::Order) {
            return self.contested_place(Want::Integer);
        }
        let object = self.fresh_target(class)?;
        self.expression.written.push(object);
        Some(self.object_expr(object))
    }

    /// A private local that the expression does not touch yet.
    fn fresh_target(&mut self, class: Class) -> Option<ObjectId> {
        let target = self.variable(|draft, variable, ty| {
            variable.private
                && variable.writable
                && ty.qualifiers().is_empty()
                && draft.class_of(ty) == Some(class)
                && !draft.expression.used.contains(&variable.object)
                && !draft.expression.written.contains(&variable.object)
        });
        Some(target?.object)
    }
}

fn additive(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    Some(binary(draft, &[BinaryOp::Add, BinaryOp::Sub], wanted))
}

fn multiply(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    Some(binary(draft, &[BinaryOp::Mul], wanted))
}

fn divide(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let ops: &[BinaryOp] = match wanted.class {
        Class::Integer => &[BinaryOp::Div, BinaryOp::Rem],
        Class::Floating => &[BinaryOp::Div],
    };
    Some(binary(draft, ops, wanted))
}

fn bitwise(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    Some(binary(draft, &[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor], wanted))
}

fn compare(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let class = draft.number_class();
    Some(binary(draft, &BinaryOp::COMPARISONS, Wanted { class, ..wanted }))
}

/// An operator on two operands of a class; of floating ones, one may be an integer.
fn binary(draft: &mut Draft<'_>, ops: &[BinaryOp], wanted: Wanted) -> ExprId {
    let op = if let [op] = ops { *op } else { draft.choices.pick(ops) };
    let sides = draft.sides(wanted);
    let [left, right] = match wanted.class {
        Class::Integer => [Want::Integer, Want::Integer],
        Class::Floating => {
            draft.choices.pick(&[[Want::Floating, Want::Number], [Want::Number, Want::Floating]])
        }
    };
    let left = draft.value(left, sides[0]);
    let right = draft.value(right, sides[1]);
    draft.operate(op, left, right)
}

fn shift(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let op = draft.choices.pick(&[BinaryOp::Shl, BinaryOp::Shr]);
    let [left, right] = draft.sides(wanted);
    let value = draft.value(Want::Integer, left);
    // Counts are small numbers more often than not, but where operators are to be spent.
    let masked = if draft.has(Feature::Bitwise) { MASKED_COUNT } else { 0 };
    let weights = match right.operators {
        None => [SMALL_COUNT, masked, ANY_COUNT],
        Some(0) => [SMALL_COUNT, 0, ANY_COUNT],
        Some(_) => [0, masked, ANY_COUNT],
    };
    let count = match draft.choices.weighted(&weights) {
        Some(0) => draft.small_constant(33),
        Some(1) => {
            let operators = right.operators.map(|operators| operators - 1);
            let depth = if operators.is_some() { right.depth } else { right.depth.min(1) };
            let count = draft.value(Want::Integer, Site { depth, operators, ..right });
            let mask = draft.small_constant(32);
            draft.operate(BinaryOp::BitAnd, count, mask)
        }
        _ => draft.value(Want::Integer, right),
    };
    Some(draft.operate(op, value, count))
}

fn logical(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let op = draft.choices.pick(&[LogicalOp::And, LogicalOp::Or]);
    let [left, right] = wanted.operands(draft.choices, [wanted.mode; 2]);
    let left = draft.value(Want::Number, left);
    let right = draft.value(Want::Number, right);
    Some(draft.logical(op, left, right))
}

fn unary(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    use UnaryOp::{BitNot, Minus, Not, Plus};
    let op = match wanted.class {
        Class::Integer => {
            draft.choices.pick(&[Plus, Minus, Minus, Minus, BitNot, BitNot, Not, Not])
        }
        Class::Floating => draft.choices.pick(&[Plus, Minus, Minus, Minus]),
    };
    let want = if op == Not { Want::Number } else { wanted.class.into() };
    let operand = draft.value(want, wanted.operand());
    let expr = draft.unary(op, operand);
    Some(draft.guarded(expr))
}

fn ternary(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let sites = wanted.operands(draft.choices, [wanted.mode; 3]);
    let condition = draft.value(Want::Number, sites[0]);
    let then = draft.value(wanted.class.into(), sites[1]);
    let otherwise = draft.value(wanted.class.into(), sites[2]);
    Some(draft.select(condition, then, otherwise))
}

fn comma(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let [left, right] = wanted.operands(draft.choices, [wanted.mode; 2]);
    let left = draft.value(Want::Number, left);
    let right = draft.value(wanted.class.into(), right);
    Some(draft.builder().comma(left, right))
}

fn cast(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let operand = draft.value(Want::Number, wanted.operand());
    let ty = draft.type_of_class(wanted.class);
    Some(draft.cast(operand, ty))
}

fn assign(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let target = draft.target(wanted.class)?;
    let ty = draft.program.type_of(target);
    let value = draft.value(Want::Exactly(ty), wanted.operand());
    Some(draft.assign(target, value))
}

fn compound_assign(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let target = draft.target(wanted.class)?;
    let value = draft.value(wanted.class.into(), wanted.operand());
    draft.compound_assignment(target, value)
}

fn increment(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let target = draft.target(wanted.class)?;
    if !draft.steps_safely(draft.program.type_of(target)) {
        return None;
    }
    Some(draft.any_step(target))
}

fn bit_builtin(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let suffixes = [("", IntKind::UInt), ("l", IntKind::ULong), ("ll", IntKind::ULongLong)];
    let (suffix, ty) = draft.choices.pick(&suffixes);
    // Two are undefined for zero, so that they need a cast and a bit.
    let nonzero = draft.has(Feature::Cast) && draft.has(Feature::Bitwise) && draft.has_kind(ty);
    let names = ["clz", "ctz", "popcount", "parity", "ffs", "clrsb", "popcount"];
    let operation = draft.choices.pick(&names[if nonzero { 0 } else { 2 }..]);
    let mut operand = draft.value(Want::Integer, wanted.operand());
    if matches!(operation, "clz" | "ctz") {
        let wide = draft.cast(operand, Types::int(ty));
        let bit = 1 << draft.choices.below(SET_BITS);
        let bit = draft.builder().int(IntKind::Int, bit);
        operand = draft.operate(BinaryOp::BitOr, wide, bit);
    }
    Some(draft.builtin(&format!("__builtin_{operation}{suffix}"), vec![operand]))
}

fn byte_swap(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let names = ["__builtin_bswap16", "__builtin_bswap32", "__builtin_bswap64"];
    let name = draft.choices.pick(&names);
    let operand = draft.value(Want::Integer, wanted.operand());
    Some(draft.builtin(name, vec![operand]))
}

/// `__builtin_add_overflow(a, b, &x)` and its sisters.
fn overflow_builtin(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    // The result is written through a pointer, while nothing else looks at it.
    let target = draft.variable(|draft, variable, ty| {
        !variable.private
            && draft.may_write(variable)
            && ty.qualifiers().is_empty()
            && matches!(draft.program.resolve(ty), Type::Int(kind) if *kind != IntKind::Bool)
    });
    let object = target?.object;
    let names = ["__builtin_add_overflow", "__builtin_sub_overflow", "__builtin_mul_overflow"];
    let name = draft.choices.pick(&names);
    let left = draft.value(Want::Integer, Site::new(Mode::Quiet, wanted.depth));
    let right = draft.value(Want::Integer, Site::new(Mode::Quiet, wanted.depth));
    let target = draft.object_expr(object);
    let address = draft.address(target);
    Some(draft.builtin(name, vec![left, right, address]))
}

/// `__builtin_expect(value, constant)`: the value, whether it was expected or not.
fn expect(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let value = draft.value(Want::Integer, wanted.operand());
    let expected = draft.small_constant(2);
    Some(draft.builtin("__builtin_expect", vec![value, expected]))
}

/// `__builtin_constant_p` of a constant. Of anything else the answer depends on what the
/// compiler finds out.
fn constant_test(draft: &mut Draft<'_>, _: Wanted) -> Option<ExprId> {
    // A function that gets a floating number could look at more than its value.
    let class = match draft.tier {
        Some(Tier::Free) => Class::Integer,
        _ => draft.number_class(),
    };
    let constant = draft.constant(class);
    // Infinity may be the result of an operation, which gcc leaves to the run.
    let operation = matches!(draft.program[constant].kind, ExprKind::Binary(..));
    let constant = if operation { draft.constant(Class::Integer) } else { constant };
    Some(draft.builtin("__builtin_constant_p", vec![constant]))
}

fn common(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let expr = draft.choices.pick(&draft.scope.common);
    if draft.class_of(draft.program.type_of(expr)) != Some(wanted.class) {
        return None;
    }
    draft.reuse(expr)
}

fn call(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    draft.call_value(wanted.class, wanted.mode)
}

fn helper(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    draft.helper_call(wanted.depth, wanted.mode)
}

fn idiom(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    draft.idiom_value(wanted.mode, wanted.depth)
}

fn math_function(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    draft.math_function(wanted.mode, wanted.depth)
}

fn quiet_comparison(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    Some(draft.quiet_comparison(wanted.mode, wanted.depth))
}

/// A character of a string literal.
fn string_element(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let length = draft.choices.range(1, LONGEST_STRING) as u64;
    let string = draft.string(length);
    let index = draft.index_below(length + 1, wanted.mode.min(Mode::Reading));
    let element = draft.element(string, index);
    Some(draft.builder().value(element))
}

/// A part of a compound literal.
fn compound_literal(draft: &mut Draft<'_>, wanted: Wanted) -> Option<ExprId> {
    let mode = wanted.mode.min(Mode::Reading);
    let element = draft.type_of_class(wanted.class);
    let length = draft.choices.range(1, LONGEST_LITERAL) as u64;
    let ty = draft.program.types.array_of(element, ArrayLength::Fixed(length));
    let items = (0..length)
        .map(|index| {
            let value = draft.value(Want::Exactly(element), Site::new(mode, 1));
            InitItem { place: InitPlace::Elements { first: index, last: index }, value }
        })
        .collect();
    let list = draft.builder().node(ExprKind::InitList(items), ty);
    let literal = draft.builder().node(ExprKind::CompoundLiteral(list), ty);
    let index = draft.index_below(length, mode);
    let place = draft.element(literal, index);
    Some(draft.builder().value(place))
}
