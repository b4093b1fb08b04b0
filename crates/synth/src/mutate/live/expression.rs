//! Integer expressions that are defined at every visit, built from the bottom up.

use farrier_lang::constant::{NotConstant, evaluate_where};
use farrier_lang::layout::Layouts;
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, IntKind, Program, TypeId, Types, UnaryOp, integer_type,
};
use rustc_hash::FxHashMap;

use super::Draft;
use super::known::Column;

/// How many variables an expression has at most.
const MOST_VARIABLES: u64 = 4;

/// How many expressions have a constant among their operands, in percent.
const CONSTANT: u32 = 50;

/// How many steps combine two operands if there are two, in percent.
const COMBINE: u32 = 70;

/// How many expressions that are done get one more operator, in percent, again and again.
const ONE_MORE: u32 = 30;

/// How many operators of one operand stand in an expression at most.
const MOST_UNARY: u32 = 4;

/// Numbers that are special to somebody.
const NUMBERS: [i128; 14] =
    [0, 1, 2, 3, 7, 8, 31, -1, -2, 127, 255, 65_535, 0x7fff_ffff, 0x1234_5678];

const UNARY: [UnaryOp; 3] = [UnaryOp::Minus, UnaryOp::BitNot, UnaryOp::Not];

const BINARY: [BinaryOp; 16] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Less,
    BinaryOp::Greater,
    BinaryOp::LessEqual,
    BinaryOp::GreaterEqual,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
];

/// Types that values are converted to on the way.
const CASTS: [IntKind; 8] = [
    IntKind::SChar,
    IntKind::UChar,
    IntKind::Short,
    IntKind::UShort,
    IntKind::Int,
    IntKind::UInt,
    IntKind::Long,
    IntKind::ULong,
];

impl Draft<'_> {
    /// A column, by weight.
    pub(super) fn pick(&mut self) -> Option<usize> {
        let weights: Vec<u32> = self.known.columns.iter().map(|column| column.weight).collect();
        self.choices.weighted(&weights)
    }

    /// The lvalue of a column.
    pub(super) fn lvalue(&mut self, column: usize) -> Option<ExprId> {
        let place = self.known.columns[column].place.clone();
        place.lvalue(&mut self.builder())
    }

    /// The value of a column.
    pub(super) fn load(&mut self, column: usize) -> Option<ExprId> {
        let lvalue = self.lvalue(column)?;
        self.loads.insert(lvalue, column);
        Some(self.builder().value(lvalue))
    }

    /// A constant.
    pub(super) fn constant(&mut self, value: i128) -> Option<ExprId> {
        crate::hostile::constant(self.program, value)
    }

    /// The value of an expression for each row; `None` if it has none at some visit, or rows
    /// are not known.
    pub(super) fn values(&mut self, expr: ExprId) -> Option<Vec<i128>> {
        let Self { program, layouts, loads, known, .. } = self;
        let rows = known.rows.as_ref()?;
        rows.iter().map(|row| value(program, layouts, loads, expr, row).ok()).collect()
    }

    /// An integer that is defined at every visit. If it is `total`, it is defined whatever the
    /// values are.
    pub(super) fn expression(&mut self, total: bool) -> Option<ExprId> {
        let mut list = Vec::new();
        for _ in 0..1 + self.choices.below(MOST_VARIABLES) {
            let column = self.pick()?;
            list.push(self.load(column)?);
        }
        if self.choices.chance(CONSTANT) {
            let number = self.choices.pick(&NUMBERS);
            list.push(self.constant(number)?);
        }
        let mut unary = 0;
        loop {
            let at = self.choices.index(list.len());
            let one = list.swap_remove(at);
            if !list.is_empty() && (unary == MOST_UNARY || self.choices.chance(COMBINE)) {
                let at = self.choices.index(list.len());
                let other = list.swap_remove(at);
                list.push(self.combine(one, other, total)?);
            } else if unary < MOST_UNARY {
                unary += 1;
                list.push(self.change(one, total)?);
            } else {
                return Some(one);
            }
            if list.len() == 1 && !self.choices.chance(ONE_MORE) {
                return list.pop();
            }
        }
    }

    /// An operator of two operands that is defined.
    fn combine(&mut self, left: ExprId, right: ExprId, total: bool) -> Option<ExprId> {
        let mut ops = BINARY;
        self.choices.shuffle(&mut ops);
        let compared = self.is_comparison(left) || self.is_comparison(right);
        ops.into_iter().filter(|op| !compared || !op.is_comparison()).find_map(|op| {
            let built = self.builder().binary(op, left, right).ok()?;
            self.is_defined(built, total).then_some(built)
        })
    }

    /// An operator of one operand that is defined, or a cast.
    fn change(&mut self, operand: ExprId, total: bool) -> Option<ExprId> {
        let op = self.choices.pick(&UNARY);
        if self.choices.chance(50)
            && let Ok(built) = self.builder().unary(op, operand)
            && self.is_defined(built, total)
        {
            return Some(built);
        }
        let ty = Types::int(self.choices.pick(&CASTS));
        self.builder().cast(operand, ty).ok()
    }

    /// Whether a value is a comparison. New versions of clang refuse `a < b < c`.
    pub(super) fn is_comparison(&self, expr: ExprId) -> bool {
        match self.program[expr].kind {
            ExprKind::Convert(operand) => self.is_comparison(operand),
            ExprKind::Binary(op, ..) => op.is_comparison(),
            _ => false,
        }
    }

    /// Whether an operator is defined whose operands are.
    fn is_defined(&mut self, expr: ExprId, total: bool) -> bool {
        if !total && self.known.rows.is_some() {
            return self.values(expr).is_some();
        }
        let unsigned =
            integer_type(self.program, self.program.type_of(expr)).is_some_and(|ty| !ty.signed);
        match self.program[expr].kind {
            ExprKind::Unary(op, _) => op != UnaryOp::Minus || unsigned,
            ExprKind::Binary(op, ..) => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => unsigned,
                BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => false,
                _ => true,
            },
            _ => true,
        }
    }

    /// An integer that is defined at every visit, converted to a type as by assignment.
    pub(super) fn assigned(&mut self, ty: TypeId, total: bool) -> Option<ExprId> {
        let value = self.expression(total)?;
        self.builder().convert_assigned(value, ty.unqualified()).ok()
    }

    /// What is known of an expression like that of a column: its range.
    pub(super) fn range_of(&mut self, expr: ExprId) -> Option<(i128, i128)> {
        let values = self.values(expr)?;
        Some((*values.iter().min()?, *values.iter().max()?))
    }

    /// The column, which is there.
    pub(super) fn column(&self, column: usize) -> &Column {
        &self.known.columns[column]
    }
}

/// The value of an expression where the columns have these values.
pub(super) fn value(
    program: &Program,
    layouts: &mut Layouts,
    loads: &FxHashMap<ExprId, usize>,
    expr: ExprId,
    row: &[i128],
) -> Result<i128, NotConstant> {
    let known = |place| loads.get(&place).map(|column| row[*column]);
    evaluate_where(program, layouts, expr, &known)
}
