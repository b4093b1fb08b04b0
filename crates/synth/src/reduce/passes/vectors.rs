//! A pass on vectors.

use farrier_lang::edit::{Change, Edit, Fresh, Holder};
use farrier_lang::visit::{HasIds, MapIds};
use farrier_lang::{
    Entity, Expr, ExprId, ExprKind, InitPlace, Item, Lanes, Program, Type, TypeId, TypedefId,
};

use crate::scene::{Scene, push};

/// Halves the lanes of all vectors at once, so that those of one size stay of one size. Lanes
/// that are gone become others.
pub(super) fn narrow(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let is_vector = |id: &ExprId| lanes(program, program.type_of(*id)).is_some_and(|all| all > 1);
    if !scene.exprs().any(|id| is_vector(&id)) {
        return Vec::new();
    }
    let mut narrower = Narrower { program, draft: Fresh::new(program), failed: false };
    let mut changes = Vec::new();
    for object in program.objects.ids() {
        let from = program[object].clone();
        let ty = narrower.ty(from.ty);
        if ty != from.ty {
            let init = from.init.map(|init| narrower.expr(init));
            let to = Box::new(farrier_lang::Object { ty, init, ..from.clone() });
            changes.push(Change::Object { id: object, from: Box::new(from), to });
        }
    }
    for item in &program.items {
        let (Item::Define(entity) | Item::Declare(entity)) = *item else { continue };
        changes.extend(narrower.entity(entity));
    }
    for id in scene.exprs() {
        let root = match scene.holder_of_expr(id) {
            Some(Holder::Object(object)) => narrower.ty(program[object].ty) == program[object].ty,
            Some(Holder::Stmt(_)) => true,
            _ => false,
        };
        if root && narrower.changes(id) {
            let with = narrower.expr(id);
            changes.push(Change::ReplaceExpr { at: id, with });
        }
    }
    if narrower.failed { Vec::new() } else { vec![narrower.draft.edit(changes)] }
}

/// The lanes of a vector.
fn lanes(program: &Program, ty: TypeId) -> Option<u32> {
    match *program.resolve(ty) {
        Type::Vector { lanes, .. } => Some(lanes),
        _ => None,
    }
}

/// Where a lane of one of two vectors is when they have half of their lanes.
fn moved(lane: u64, all: u32) -> u64 {
    let (all, half) = (u64::from(all), u64::from(all / 2).max(1));
    lane % all % half + if lane < all { 0 } else { half }
}

struct Narrower<'a> {
    program: &'a Program,
    draft: Fresh,
    /// Whether there is something that cannot be narrowed.
    failed: bool,
}

impl Narrower<'_> {
    /// Whether an expression has vectors in it.
    fn changes(&mut self, id: ExprId) -> bool {
        let program = self.program;
        let ty = program.type_of(id);
        let mut found = self.ty(ty) != ty || lanes(program, ty).is_some();
        program[id].kind.for_each_operand(|operand| found = found || self.changes(operand));
        found
    }

    fn entity(&mut self, entity: Entity) -> Option<Change> {
        let program = self.program;
        Some(match entity {
            Entity::Function(id) => {
                let from = Box::new(program[id].clone());
                let mut to = from.clone();
                to.ty = self.ty(from.ty);
                (to.ty != from.ty).then_some(Change::Function { id, from, to })?
            }
            Entity::Record(id) => {
                let from = Box::new(program[id].clone());
                let mut to = from.clone();
                to.fields.iter_mut().flatten().for_each(|field| field.ty = self.ty(field.ty));
                (to != from).then_some(Change::Record { id, from, to })?
            }
            Entity::Typedef(id) => {
                let from = Box::new(program[id].clone());
                let mut to = from.clone();
                to.base = self.ty(from.base);
                (to.base != from.base).then_some(Change::Typedef { id, from, to })?
            }
            Entity::Enum(_) | Entity::Object(_) => return None,
        })
    }

    /// The expression with vectors that are half as long.
    fn expr(&mut self, id: ExprId) -> ExprId {
        let program = self.program;
        let Expr { kind, ty } = &program[id];
        let own = lanes(program, *ty);
        let half = own.map_or(1, |all| (all / 2).max(1));
        let kind = match kind {
            ExprKind::Builtin(builtin, arguments)
                if builtin.name() == "__builtin_shufflevector" && own.is_some() =>
            {
                let all = lanes(program, program.type_of(arguments[0])).unwrap_or(1);
                let mut taken = vec![self.expr(arguments[0]), self.expr(arguments[1])];
                for index in arguments[2..].iter().take(half as usize) {
                    taken.push(self.lane(*index, all));
                }
                ExprKind::Builtin(*builtin, taken.into())
            }
            ExprKind::Swizzle(vector, taken) => {
                let all = lanes(program, program.type_of(*vector)).unwrap_or(1);
                let rest: Vec<u32> =
                    taken.take(half).map(|lane| moved(lane.into(), all) as u32).collect();
                let vector = self.expr(*vector);
                self.failed |= half < 2;
                ExprKind::Swizzle(vector, Lanes::new(&rest).unwrap_or(*taken))
            }
            ExprKind::Index(base, index) => match lanes(program, program.type_of(*base)) {
                Some(all) => ExprKind::Index(self.expr(*base), self.lane(*index, all)),
                None => kind.map_ids(self),
            },
            ExprKind::InitList(items) if own.is_some() => {
                let inside =
                    |place| matches!(place, InitPlace::Elements { last, .. } if last < half.into());
                let rest = items.iter().filter(|item| inside(item.place)).cloned();
                let list: Vec<_> = rest.collect();
                ExprKind::InitList(list.into()).map_ids(self)
            }
            ExprKind::StatementExpr(_) => {
                self.failed = true;
                kind.clone()
            }
            _ => kind.map_ids(self),
        };
        let ty = self.ty(*ty);
        push(&mut self.draft, kind, ty)
    }

    /// A subscript; a constant one stays inside.
    fn lane(&mut self, index: ExprId, all: u32) -> ExprId {
        match self.program[index] {
            Expr { kind: ExprKind::Int(lane), ty } => {
                push(&mut self.draft, ExprKind::Int(moved(lane, all)), ty)
            }
            _ => self.expr(index),
        }
    }
}

impl MapIds for Narrower<'_> {
    fn expr(&mut self, id: ExprId) -> ExprId {
        Narrower::expr(self, id)
    }

    /// A typedef keeps its name.
    fn typedef(&mut self, id: TypedefId) -> TypedefId {
        id
    }

    fn ty(&mut self, id: TypeId) -> TypeId {
        let ty = match self.program.types.get(id).clone() {
            Type::Vector { element, lanes } if lanes > 1 => {
                Type::Vector { element, lanes: lanes / 2 }
            }
            ty => ty.map_ids(self),
        };
        let narrow = self.draft.program.types.intern(ty);
        self.draft.program.types.qualified(narrow, id.qualifiers())
    }
}
