//! Straight code (Orange): many single assignments of long expressions, whose operands are inputs,
//! variables with every qualifier, and earlier results.
//!
//! Nothing is assigned twice and nothing jumps, so the first result that is wrong is where a
//! compiler went wrong.

use farrier_lang::{
    Entity, ExprId, Item, Linkage, ObjectId, Qualifiers, Stmt, StmtId, Storage, TypeId,
};

use super::draft::{Draft, Mode, Name};
use super::scope::Variable;
use super::values::{Class, Site, Want};
use crate::features::Feature;

/// The most assignments of a function.
const MOST_ASSIGNMENTS: usize = 10_000;

/// The most operators of one.
const MOST_OPERATORS: u32 = 10_000;

/// How much shorter than the longest expression of a program others are.
const SHORTER: u32 = 32;

/// The operations that must be left for another.
const ASSIGNMENT_OPERATIONS: u64 = 30;

/// How many variables a function declares that have a value from the beginning.
const VARIABLES: (i64, i64) = (2, 8);

/// How many operands of a class there are to choose from: a new one takes the place of another
/// then, so that choosing one takes the same time in large programs.
const MOST_OPERANDS: usize = 96;

/// How often an operand is looked for that may be read.
const TRIES: u32 = 4;

/// In percent: how many objects are `const`, `volatile` and `static`, each for itself; how many
/// results are local; how many of these are initialised and not assigned.
const QUALIFIED: u32 = 30;
const STATIC_LOCALS: u32 = 30;
const LOCAL_RESULTS: u32 = 40;
const INITIALISED: u32 = 50;

/// What the expressions of straight code may read.
#[derive(Debug, Default)]
pub(super) struct Operands {
    /// The objects of each class.
    objects: [Vec<ObjectId>; Class::ALL.len()],
    /// The volatile ones that the expression reads already: reading is a side effect, and two on
    /// one object must not be unsequenced, C11 6.5p2.
    read: Vec<ObjectId>,
}

impl Draft<'_> {
    /// The body of a function of single assignments.
    pub(super) fn straight_body(&mut self) -> StmtId {
        let visible: Vec<ObjectId> = self.scope.variables().map(|known| known.object).collect();
        visible.into_iter().for_each(|object| self.add_operand(object));
        let mut statements = Vec::new();
        for _ in 0..self.choices.range(VARIABLES.0, VARIABLES.1) {
            let class = self.number_class();
            let ty = self.type_of_class(class);
            let storage = self.local_storage();
            let ty = self.qualified(ty, true);
            let object = self.object(Name::Local, ty, Linkage::None, storage);
            let value = self.constant_initialiser(ty);
            statements.push(self.declared(object, value));
            self.add_operand(object);
        }
        let mut results = 0;
        let mut copies = Vec::new();
        while results == 0
            || self.has_room() && self.spare() > ASSIGNMENT_OPERATIONS && results < MOST_ASSIGNMENTS
        {
            self.single_assignment(&mut statements, &mut copies);
            results += 1;
        }
        statements.extend(copies);
        self.scope.operands.read.clear();
        statements.push(self.return_statement());
        self.block_of(statements)
    }

    /// The value of an operand; `None` if there is none, or this is no straight code.
    pub(super) fn operand(&mut self, class: Class) -> Option<ExprId> {
        for _ in 0..TRIES {
            let Operands { objects, read } = &mut self.scope.operands;
            let object = self.choices.pick_any(&objects[class as usize])?;
            let qualifiers = self.program[object].ty.qualifiers();
            if qualifiers.contains(Qualifiers::VOLATILE) {
                if read.contains(&object) {
                    continue;
                }
                read.push(object);
            }
            return Some(self.load(object));
        }
        None
    }

    fn add_operand(&mut self, object: ObjectId) {
        let Some(class) = self.class_of(self.program[object].ty) else { return };
        let objects = &mut self.scope.operands.objects[class as usize];
        if objects.len() < MOST_OPERANDS {
            objects.push(object);
        } else {
            let index = self.choices.index(MOST_OPERANDS);
            self.scope.operands.objects[class as usize][index] = object;
        }
    }

    /// A type with qualifiers, of which `const` only suits what has a value at once.
    fn qualified(&mut self, ty: TypeId, initialised: bool) -> TypeId {
        let mut qualifiers = Qualifiers::NONE;
        if initialised && self.has(Feature::Const) && self.choices.chance(QUALIFIED) {
            qualifiers |= Qualifiers::CONST;
        }
        if self.has(Feature::Volatile) && self.choices.chance(QUALIFIED) {
            qualifiers |= Qualifiers::VOLATILE;
        }
        self.program.types.qualified(ty, qualifiers)
    }

    fn local_storage(&mut self) -> Storage {
        match self.has(Feature::StaticLocal) && self.choices.chance(STATIC_LOCALS) {
            true => Storage::Static,
            false => Storage::Automatic,
        }
    }

    /// `t = expression;` A local result is copied to a global in the end, which is checked.
    fn single_assignment(&mut self, statements: &mut Vec<StmtId>, copies: &mut Vec<StmtId>) {
        let operators = self.operators(MOST_OPERATORS, SHORTER).unwrap_or(1);
        self.begin_expression();
        self.scope.operands.read.clear();
        self.expression.context = self.draw_context();
        let class = self.number_class();
        let ty = self.type_of_class(class);
        let value = self.value(Want::Exactly(ty), Site::long(Mode::Reading, operators));
        if !self.choices.chance(LOCAL_RESULTS) {
            let ty = self.qualified(ty, false);
            let result = self.result(ty);
            statements.push(self.assignment(result, value));
            self.add_operand(result);
            return;
        }
        let storage = self.local_storage();
        let initialised = storage == Storage::Automatic && self.choices.chance(INITIALISED);
        let qualified = self.qualified(ty, initialised);
        let local = self.object(Name::Local, qualified, Linkage::None, storage);
        if initialised {
            self.charge_expr(value);
            statements.push(self.declared(local, value));
        } else {
            statements.push(self.stmt(Stmt::Declare(local)));
            statements.push(self.assignment(local, value));
        }
        self.add_operand(local);
        let result = self.result(ty);
        let value = self.load(local);
        copies.push(self.assignment(result, value));
    }

    fn assignment(&mut self, object: ObjectId, value: ExprId) -> StmtId {
        let place = self.object_expr(object);
        let assign = self.assign(place, value);
        self.expr_stmt(assign)
    }

    /// A new global for a result. Its check takes a part of the text.
    fn result(&mut self, ty: TypeId) -> ObjectId {
        let linkage = self.linkage();
        let object = self.object(Name::Result, ty, linkage, Storage::Static);
        self.program.items.push(Item::Define(Entity::Object(object)));
        let before = self.checks().bytes;
        self.stock.own.push(Variable::global(object, true));
        let more = self.checks().bytes - before;
        let nodes = self.nodes_in(more);
        self.budget.size_limit = self.budget.size_limit.saturating_sub(nodes);
        self.size.limit = self.size.limit.saturating_sub(nodes);
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::{Parameter, Parameters};
    use crate::{Choices, Config};
    use farrier_lang::Types;

    /// The operators of an expression, and how deep they nest.
    fn extent(draft: &Draft<'_>, expr: ExprId) -> (u32, u32) {
        use farrier_lang::ExprKind::{Binary, Cast, Comma, Conditional, Logical, Unary};
        let kind = &draft.program[expr].kind;
        let mut operators = 0;
        let mut depth = 0;
        kind.for_each_operand(|operand| {
            let inner = extent(draft, operand);
            operators += inner.0;
            depth = depth.max(inner.1);
        });
        let counts = matches!(
            kind,
            Unary(..) | Binary(..) | Logical(..) | Conditional { .. } | Comma(..) | Cast(_)
        );
        (operators + u32::from(counts), depth + u32::from(counts))
    }

    #[test]
    fn a_long_expression_has_the_operators_that_were_asked_for_and_is_not_deep() {
        for (seed, operators) in [(1, 1), (2, 2), (3, 17), (4, 300), (5, 2_000), (6, 10_000)] {
            let config = Config::default();
            let mut choices = Choices::new(seed);
            // A negative constant has an operator of its own.
            let fixed = [(Parameter::ConstantShare, 0), (Parameter::ConstantSubtrees, 0)];
            let parameters = Parameters::draw(&mut choices, &fixed, true);
            let weights = config.weights.clone();
            let mut draft = Draft::new(&config, weights, parameters, &mut choices);
            let none = Linkage::None;
            let variable = draft.object(Name::Local, Types::INT, none, Storage::Automatic);
            draft.add_operand(variable);
            let expr = draft.value(Want::Integer, Site::long(Mode::Reading, operators));
            let (found, depth) = extent(&draft, expr);
            assert_eq!(found, operators, "seed {seed}");
            // A random split nests 4.3 ln n deep, and operators of one operand do not split.
            let usual = 4.3 * f64::from(operators).ln();
            assert!(f64::from(depth) <= 1.5 * usual + 8.0, "seed {seed}: {depth}");
        }
    }
}
