//! What code that runs beside a spot is made of: hostile code is made of copies of it.

use farrier_lang::{
    BinaryOp, ExprId, ExprKind, FunctionId, ObjectId, Program, Qualifiers, Stmt, StmtId, Storage,
    Type, integer_type,
};

use crate::features::{Feature, Weights};

/// Copies of expressions with fewer nodes than this do not count as common subexpressions.
const SMALL: u32 = 6;

/// How many expressions beside a spot are looked at, nested ones not counted.
const MOST_ROOTS: usize = 24;

/// How many nodes of them are looked at, so that long expressions do not take long.
const MOST_NODES: u32 = 400;

/// Parts of the statements beside a spot that can be written before it and have no effect.
#[derive(Default)]
pub(crate) struct Near {
    /// Integers that are not written down as numbers.
    pub(crate) values: Vec<ExprId>,
    /// Integers that can be assigned.
    pub(crate) places: Vec<ExprId>,
    /// Integers that can be read only.
    pub(crate) constants: Vec<ExprId>,
    /// `array[index]`, of integers.
    pub(crate) elements: Vec<ExprId>,
    /// Records, and arrays.
    pub(crate) wholes: Vec<ExprId>,
    /// Signed sums and products.
    pub(crate) signed: Vec<ExprId>,
    /// Quotients and remainders.
    pub(crate) quotients: Vec<ExprId>,
    /// Functions that are called there.
    pub(crate) functions: Vec<FunctionId>,
    /// Loops.
    pub(crate) loops: Vec<StmtId>,
}

impl Near {
    /// Of the statements around one in a block, as far as they name these objects only.
    pub(crate) fn of(
        program: &Program,
        (block, stmt): (StmtId, StmtId),
        visible: &dyn Fn(ObjectId) -> bool,
        weights: &Weights,
    ) -> Self {
        let mut near = Self::default();
        let mut roots = Vec::with_capacity(2 * MOST_ROOTS);
        let mut inside = Vec::with_capacity(2 * MOST_ROOTS);
        inside.extend(beside(program, block, stmt));
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
        near.values.reserve(2 * MOST_ROOTS);
        near.places.reserve(MOST_ROOTS);
        let mut scan = Scan { program, visible, near, large, left: MOST_NODES };
        for root in roots {
            scan.visit(root);
        }
        scan.near
    }
}

/// The statements before and after one in its block, and itself first.
pub(crate) fn beside(
    program: &Program,
    block: StmtId,
    stmt: StmtId,
) -> impl Iterator<Item = StmtId> {
    let found = match &program[block] {
        Stmt::Block(inner) => match inner.iter().position(|it| *it == stmt) {
            Some(at) => {
                let before = at.checked_sub(1).map(|before| inner[before]);
                [Some(stmt), before, inner.get(at + 1).copied()]
            }
            None => [None; 3],
        },
        _ => [Some(stmt), None, None],
    };
    found.into_iter().flatten()
}

/// Calls `visit` with the expressions of a statement, an initialiser among them.
pub(crate) fn for_each_value(program: &Program, stmt: StmtId, mut visit: impl FnMut(ExprId)) {
    match program[stmt] {
        Stmt::Declare(object) if program[object].storage == Storage::Automatic => {
            program[object].init.into_iter().for_each(visit);
        }
        _ => program[stmt].for_each_expr(&mut visit),
    }
}

struct Scan<'a> {
    program: &'a Program,
    visible: &'a dyn Fn(ObjectId) -> bool,
    near: Near,
    /// Whether large expressions may occur again.
    large: bool,
    /// How many nodes are still looked at.
    left: u32,
}

/// What is known of an expression when its parts were looked at.
#[derive(Clone, Copy)]
struct Looked {
    /// Whether it can be copied.
    plain: bool,
    /// Whether it [is fixed](Program::is_fixed).
    fixed: bool,
    /// How many nodes it has.
    nodes: u32,
}

impl Scan<'_> {
    /// Looks at an expression and its parts.
    fn visit(&mut self, id: ExprId) -> Looked {
        if self.left == 0 {
            return Looked { plain: false, fixed: false, nodes: 1 };
        }
        self.left -= 1;
        let expr = &self.program[id];
        let plain = match expr.kind {
            ExprKind::Object(object) => (self.visible)(object),
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
        let mut looked = Looked { plain, fixed: expr.kind.is_fixed(), nodes: 1 };
        expr.kind.for_each_operand(|operand| {
            let operand = self.visit(operand);
            looked.plain &= operand.plain;
            looked.fixed &= operand.fixed;
            looked.nodes += operand.nodes;
        });
        if looked.plain {
            self.note(id, looked);
        }
        looked
    }

    fn note(&mut self, id: ExprId, looked: Looked) {
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
        if !self.large && looked.nodes >= SMALL {
            return;
        }
        if looked.fixed || matches!(expr.kind, ExprKind::Convert(_)) {
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

/// The objects of integer type that an expression names.
pub(crate) fn integers_in(program: &Program, id: ExprId, found: &mut Vec<ObjectId>) {
    if let ExprKind::Object(object) = program[id].kind
        && integer_type(program, program[object].ty).is_some()
        && program[object].ty.qualifiers().is_empty()
    {
        found.push(object);
    }
    program[id].kind.for_each_operand(|operand| integers_in(program, operand, found));
}
