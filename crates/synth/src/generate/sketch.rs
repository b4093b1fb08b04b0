//! What rows that draw several statements at once are made of.

use farrier_lang::builtins::Builtin;
use farrier_lang::{
    BinaryOp, Entity, ExprId, Function, FunctionId, IntKind, Item, Linkage, ObjectId, Stmt, StmtId,
    Storage, Symbol, TypeId, Types, UnaryOp,
};

use super::draft::{Draft, Mode, Name};
use super::places::Purpose;
use super::values::{Class, Site, Want};
use crate::features::Feature;

/// How deep values nest in such statements.
const VALUE_DEPTH: u32 = 2;

/// How many results are stored as they are; the others are mixed with what is there.
const STORED: u32 = 35;

impl Draft<'_> {
    pub(super) fn has_all(&self, features: &[Feature]) -> bool {
        features.iter().all(|feature| self.has(*feature))
    }

    /// A local that only the statements that declare it name.
    pub(super) fn own_local(&mut self, ty: TypeId) -> ObjectId {
        self.object(Name::Local, ty, Linkage::None, Storage::Automatic)
    }

    /// The same, declared with a value.
    pub(super) fn local_with(&mut self, ty: TypeId, value: ExprId) -> (ObjectId, StmtId) {
        let object = self.own_local(ty);
        let value = self.adapt(value, ty);
        self.program[object].init = Some(value);
        self.charge_expr(value);
        (object, self.stmt(Stmt::Declare(object)))
    }

    /// A value that is only read.
    pub(super) fn reading(&mut self, ty: TypeId) -> ExprId {
        self.begin_expression();
        self.value(Want::Exactly(ty), Site::new(Mode::Reading, VALUE_DEPTH))
    }

    /// `place = value;`
    pub(super) fn set(&mut self, place: ExprId, value: ExprId) -> StmtId {
        let expr = self.assign(place, value);
        self.expr_stmt(expr)
    }

    /// A statement that uses a number, so that a wrong one is seen. What makes the number
    /// has no effect.
    pub(super) fn use_number(&mut self, value: ExprId) -> StmtId {
        self.begin_expression();
        let place = self.place(Class::Integer.into(), Purpose::Write, Mode::Quiet);
        let Some(place) = place else { return self.expr_stmt(value) };
        let stored = !self.has(Feature::CompoundAssign) || self.choices.chance(STORED);
        if stored {
            return self.set(place, value);
        }
        match self.compound_assignment(place, value) {
            Some(expr) => self.expr_stmt(expr),
            None => self.expr_stmt(value),
        }
    }

    /// A constant `int`.
    pub(super) fn int(&mut self, value: u64) -> ExprId {
        self.builder().int(IntKind::Int, value)
    }

    /// `base[index]`, with a constant.
    pub(super) fn element_at(&mut self, base: ExprId, index: u64) -> ExprId {
        let index = self.int(index);
        self.element(base, index)
    }

    /// A loop whose body gets the counter, which runs from zero up to a bound that may be
    /// hidden. Nothing inside leaves it.
    pub(super) fn rounds(
        &mut self,
        trips: u64,
        body: impl FnOnce(&mut Self, ObjectId) -> Vec<StmtId>,
    ) -> Option<StmtId> {
        let kind = self.counter_kind(i128::from(trips) + 1)?;
        let mark = self.scope.enter();
        let below = self.has(Feature::ArrayLoop).then_some(trips.max(1));
        let counter = self.counter(kind, below);
        let statements = self.closed(|draft| {
            draft.charge(ROUND_COST);
            draft.repeated(trips, |draft| {
                draft.charge(ROUND_COST);
                body(draft, counter)
            })
        });
        let body = self.block_of(statements);
        self.scope.leave(mark);
        let zero = self.int(0);
        let init = self.declared(counter, zero);
        let bound = self.hidden(i128::from(trips));
        Some(self.counted(counter, init, bound, body))
    }

    /// Whether a loop can compute an index from its counter.
    pub(super) fn loops_over_bytes(&self) -> bool {
        const NEEDS: [Feature; 3] = [Feature::For, Feature::ArrayLoop, Feature::Arithmetic];
        self.has_all(&NEEDS) && self.can_count()
    }

    /// Drafts what no `break` or `continue` may leave.
    pub(super) fn closed<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::take(&mut self.scope.loops);
        let breakable = std::mem::take(&mut self.scope.breakable);
        let made = work(self);
        self.scope.loops = outside;
        self.scope.breakable = breakable;
        made
    }

    /// The address of an object as a pointer to another type.
    pub(super) fn address_as(&mut self, place: ExprId, target: TypeId) -> ExprId {
        let address = self.address(place);
        let pointer = self.program.types.pointer_to(target);
        self.cast(address, pointer)
    }

    /// A call of a function of the library, by its name or as a builtin.
    pub(super) fn library(&mut self, name: &'static str, arguments: Vec<ExprId>) -> ExprId {
        let known = self.stock.library.iter().find(|(known, _)| *known == name).copied();
        let symbol = self.program.names.intern(name);
        // A program that was there before may declare it only after the place of drafting.
        let elsewhere = known.is_none()
            && self.program.functions.iter().any(|(_, function)| function.name == symbol);
        if self.wants(Feature::LibraryBuiltin) || elsewhere {
            return self.builtin(&format!("__builtin_{name}"), arguments);
        }
        let function = match known {
            Some((_, function)) => function,
            None => self.declare_library(name, symbol),
        };
        let designator = self.function_expr(function);
        self.call_of(designator, arguments)
    }

    /// Declares a function of the library.
    fn declare_library(&mut self, name: &'static str, symbol: Symbol) -> FunctionId {
        let builtin = Builtin::by_library_name(name).expect("the table has it");
        let target = self.program.target;
        let ty = builtin.function_type(&mut self.program.types, target);
        let ty = self.program.types.function(ty.expect("every target has it"));
        let function = self.program.functions.push(Function::declared(symbol, ty));
        self.program.items.push(Item::Declare(Entity::Function(function)));
        self.stock.library.push((name, function));
        function
    }

    /// What a function that only promises a sign found: whether it is zero, or less.
    pub(super) fn sign_test(&mut self, result: ExprId) -> ExprId {
        if self.has(Feature::Unary) && (!self.has(Feature::Comparison) || self.choices.chance(30)) {
            return self.unary(UnaryOp::Not, result);
        }
        let ops = [BinaryOp::Equal, BinaryOp::NotEqual, BinaryOp::Less, BinaryOp::Greater];
        let op = self.choices.pick(&ops);
        let zero = self.int(0);
        self.binary(op, result, zero)
    }

    /// A type of integers that every pattern of bits is a value of.
    pub(super) fn whole_type(&mut self) -> TypeId {
        let kind = self.base_kind(|_, kind| kind != IntKind::Bool);
        let kind = kind.unwrap_or(IntKind::Int);
        Types::int(self.with_sign(kind))
    }
}

/// The operations of the control of a round.
const ROUND_COST: u64 = 14;
