//! What code that runs beside a spot is made of: hostile code is made of copies of it.

use farrier_lang::{
    BinaryOp, ExprId, ExprKind, FunctionId, ObjectId, Program, Qualifiers, Stmt, StmtId, Type,
    integer_type,
};

use crate::features::{Feature, Weights};
use crate::generate::enrich::{Spot, beside, for_each_value};

/// Copies of expressions with fewer nodes than this do not count as common subexpressions.
const SMALL: u32 = 6;

/// How many expressions beside a spot are looked at, nested ones not counted.
const MOST_ROOTS: usize = 24;

/// Parts of the statements beside a spot that can be written before it and have no effect.
#[derive(Default)]
pub(super) struct Near {
    /// Integers that are not written down as numbers.
    pub(super) values: Vec<ExprId>,
    /// Integers that can be assigned.
    pub(super) places: Vec<ExprId>,
    /// Integers that can be read only.
    pub(super) constants: Vec<ExprId>,
    /// `array[index]`, of integers.
    pub(super) elements: Vec<ExprId>,
    /// Records, and arrays.
    pub(super) wholes: Vec<ExprId>,
    /// Signed sums and products.
    pub(super) signed: Vec<ExprId>,
    /// Quotients and remainders.
    pub(super) quotients: Vec<ExprId>,
    /// Functions that are called there.
    pub(super) functions: Vec<FunctionId>,
    /// Loops.
    pub(super) loops: Vec<StmtId>,
}

impl Near {
    pub(super) fn of(program: &Program, spot: &Spot, weights: &Weights) -> Self {
        let mut near = Self::default();
        let mut roots = Vec::new();
        let mut inside = beside(program, spot.block, spot.stmt);
        inside.reverse();
        while let Some(stmt) = inside.pop().filter(|_| roots.len() < MOST_ROOTS) {
            for_each_value(program, stmt, |expr| roots.push(expr));
            if let Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::DoWhile { body, .. } =
                program[stmt]
                && matches!(program[body], Stmt::Block(_))
            {
                near.loops.push(stmt);
            }
            program[stmt].for_each_child(|child| inside.insert(0, child));
        }
        let large = weights.has(Feature::CommonSubexpression);
        let mut scan = Scan { program, spot, near, large };
        for root in roots {
            scan.visit(root);
        }
        scan.near
    }
}

struct Scan<'a> {
    program: &'a Program,
    spot: &'a Spot,
    near: Near,
    /// Whether large expressions may occur again.
    large: bool,
}

impl Scan<'_> {
    /// Looks at an expression and its parts; whether it can be copied.
    fn visit(&mut self, id: ExprId) -> bool {
        let expr = &self.program[id];
        let mut plain = match expr.kind {
            ExprKind::Object(object) => self.is_near(object),
            ExprKind::CompoundLiteral(_) | ExprKind::InitList(_) | ExprKind::LabelAddress(_) => {
                false
            }
            ExprKind::Function(function) => {
                if !self.near.functions.contains(&function) {
                    self.near.functions.push(function);
                }
                true
            }
            ref kind => !kind.acts(),
        };
        expr.kind.for_each_operand(|operand| plain &= self.visit(operand));
        if plain {
            self.note(id);
        }
        plain
    }

    fn is_near(&self, object: ObjectId) -> bool {
        self.spot.near.contains(&object) || self.spot.objects.contains(&object)
    }

    fn note(&mut self, id: ExprId) {
        let expr = &self.program[id];
        let integer = integer_type(self.program, expr.ty);
        if self.program.is_lvalue(id) {
            let constant = expr.ty.qualifiers().contains(Qualifiers::CONST);
            match (integer, self.program.resolve(expr.ty)) {
                (Some(_), _) if constant => self.near.constants.push(id),
                (Some(_), _) => self.near.places.push(id),
                (None, Type::Record(_)) => self.near.wholes.push(id),
                _ => {}
            }
            if integer.is_some() && matches!(expr.kind, ExprKind::Index(..)) {
                self.near.elements.push(id);
            }
            return;
        }
        let Some(integer) = integer else { return };
        // A conversion that is not written belongs to the place where it stands.
        if !self.large && nodes(self.program, id) >= SMALL {
            return;
        }
        if self.program.is_fixed(id) || matches!(expr.kind, ExprKind::Convert(_)) {
            return;
        }
        self.near.values.push(id);
        match expr.kind {
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => self.near.quotients.push(id),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
                if integer.signed =>
            {
                self.near.signed.push(id);
            }
            _ => {}
        }
    }
}

/// How many nodes an expression has.
fn nodes(program: &Program, id: ExprId) -> u32 {
    let mut count = 1;
    program[id].kind.for_each_operand(|operand| count += nodes(program, operand));
    count
}

/// The objects of integer type that an expression names.
pub(super) fn integers_in(program: &Program, id: ExprId, found: &mut Vec<ObjectId>) {
    if let ExprKind::Object(object) = program[id].kind
        && integer_type(program, program[object].ty).is_some()
        && program[object].ty.qualifiers().is_empty()
    {
        found.push(object);
    }
    program[id].kind.for_each_operand(|operand| integers_in(program, operand, found));
}
