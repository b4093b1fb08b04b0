//! Drafting inside a program that exists: statements for one point of it.
//!
//! What is drafted reads what the program has and writes only automatic objects that it
//! declares itself, so the program does what it did before, however often the statements
//! run. New statics are never written: a function that is called twice in one expression,
//! unsequenced, would write them in both calls.

use farrier_lang::edit::{Change, Fresh};
use farrier_lang::scope::{self, Lifetime, ScopePoint, Visible};
use farrier_lang::{
    ArrayLength, Entity, FloatKind, FunctionId, Item, Linkage, Program, Qualifiers, RecordKind,
    StmtId, Storage, Type, TypeId, Types,
};

use super::budget::Budget;
use super::draft::Draft;
use super::scope::{DraftScope, Variable};
use super::{Config, swarm};
use crate::Choices;
use crate::parameters::{Parameter, Parameters};

impl DraftScope {
    /// What drafted statements may name at a point of a function; `None` if there is no
    /// such point.
    pub fn at(
        program: &Program,
        function: FunctionId,
        stmt: StmtId,
        point: ScopePoint,
    ) -> Option<Self> {
        let found = scope::at(program, function, stmt, point)?;
        let mut scope = Self::new(Types::VOID);
        scope.returns = false;
        for visible in found.objects.iter().filter(|visible| has_value(program, visible)) {
            // Parameters are in one block here, and in a second one while drafting.
            let depth = if visible.lifetime == Lifetime::Static { 0 } else { visible.depth + 1 };
            let object = visible.object;
            let variable = Variable { object, depth, private: false, writable: false, below: None };
            scope.depth = scope.depth.max(depth);
            if depth == 0 { &mut scope.globals } else { &mut scope.visible }.push(variable);
        }
        Some(scope)
    }
}

/// Whether all of an object has a value that can be read without effects.
fn has_value(program: &Program, visible: &Visible) -> bool {
    let object = &program[visible.object];
    let defined = Item::Define(Entity::Object(visible.object));
    let set = match visible.lifetime {
        Lifetime::Static => object.linkage == Linkage::None || program.items.contains(&defined),
        Lifetime::Parameter => true,
        Lifetime::Automatic => visible.certain && object.init.is_some(),
        Lifetime::Thread => false,
    };
    set && object.storage != Storage::Register && is_plain(program, object.ty)
}

/// Whether a type is made of numbers alone: a pointer may dangle, and of a union only one
/// member has a value.
fn is_plain(program: &Program, ty: TypeId) -> bool {
    Qualifiers::CONST.contains(ty.qualifiers())
        && match *program.resolve(ty) {
            Type::Int(_) | Type::Enum(_) | Type::Float(FloatKind::Double) => true,
            Type::Array { element, length: ArrayLength::Fixed(length) } => {
                length > 0 && is_plain(program, element)
            }
            Type::Record(id) => {
                let record = &program[id];
                let fields = record.fields.as_deref().unwrap_or(&[]);
                record.kind == RecordKind::Struct
                    && fields.iter().any(|field| field.name.is_some())
                    && fields.iter().all(|field| is_plain(program, field.ty))
            }
            _ => false,
        }
}

/// Drafts a block for a point of `function` where `scope` is what can be named: the block,
/// and the changes that define before the function what the block uses.
pub fn draft_at(
    fresh: &mut Fresh,
    function: FunctionId,
    scope: DraftScope,
    budget: Budget,
    config: &Config,
    choices: &mut Choices,
) -> (StmtId, Vec<Change>) {
    let Program { target, dialect, .. } = fresh.program;
    let config = Config { target, dialect, ..config.clone() };
    let weights = swarm(&config, true, choices);
    let parameters = Parameters::draw(choices, &config.fixed, true);
    let mut draft = Draft::new(&config, weights, parameters, choices);
    draft.writes_statics = false;
    draft.program = std::mem::replace(&mut fresh.program, Program::new(target, dialect));
    let old = draft.program.items.len();
    let budget = Budget { size_limit: draft.grown() + budget.size_limit, ..budget };
    let (block, _) = draft.within(scope, budget, |draft| {
        let mark = draft.scope.enter();
        draft.expression.context = draft.draw_context();
        let nesting = draft.up_to(1, Parameter::BlockDepth);
        let statements = draft.fill(nesting);
        draft.scope.leave(mark);
        draft.block_of(statements)
    });
    fresh.program = draft.program;
    let before = Some(Item::Define(Entity::Function(function)));
    let items = fresh.program.items.split_off(old);
    (block, items.into_iter().map(|item| Change::InsertItem { item, before }).collect())
}
