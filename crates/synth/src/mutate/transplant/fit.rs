//! Fits a statement into a place: what it names becomes something that is there.

use farrier_lang::copy::EntityMap;
use farrier_lang::scope::{Lifetime, Scope, Visible};
use farrier_lang::{
    ArrayLength, Entity, ExprId, ExprKind, FunctionId, Id, Item, Linkage, Object, ObjectId,
    Program, Qualifiers, Stmt, StmtId, Storage, Type, TypeId, import,
};

use super::part::{Part, Uses, size};
use super::place::Place;
use crate::Choices;
use crate::mutate::stage::Stage;
use crate::scene::{adapted, must_inline, push, zero};

/// What the program itself names stays where it is visible, in percent.
const KEEP: u32 = 60;

/// An object of the same type is not taken although there is one.
const OTHER: u32 = 10;

/// An object at file scope comes along.
const BRING: u32 = 30;

/// A function of a donor becomes one of the program, and does not come along.
const RENAME: u32 = 25;

/// A new local begins with a value that is there, and not with a constant.
const VALUE: u32 = 70;

/// The most nodes that a function of a donor may have, with all that it calls.
const MOST_CALLED: usize = 600;

/// The most expressions that one insertion may bring.
const MOST_EXPRS: usize = 1_500;

/// A statement on its way to a place.
struct Fit<'a, 's> {
    stage: &'s mut Stage<'a>,
    /// The program that the statement is cut from.
    from: &'a Program,
    /// It is the program itself.
    own: bool,
    function: FunctionId,
    scope: Scope,
    map: EntityMap,
    /// Objects of another arithmetic type: what stands for them until they are cast.
    casts: Vec<(ObjectId, ObjectId)>,
    /// The declarations of new locals.
    locals: Vec<StmtId>,
}

/// A copy of a part that can stand at a place; `None` if it cannot.
pub(super) fn fitted<'a>(
    stage: &mut Stage<'a>,
    place: Place,
    from: &'a Program,
    part: &Part,
    own: bool,
    choices: &mut Choices,
) -> Option<StmtId> {
    let (function, scope) = place.scope(&stage.scene)?;
    let jumps = place.jumps(&stage.scene);
    let map = EntityMap::default();
    let (casts, locals) = (Vec::new(), Vec::new());
    let mut fit = Fit { stage, from, own, function, scope, map, casts, locals };
    fit.keep_types();
    for label in &part.labels {
        let there = fit.own && fit.scope.labels.contains(label) && choices.chance(KEEP);
        let to = if there { *label } else { choices.pick_any(&fit.scope.labels)? };
        fit.map.labels.insert(*label, to);
    }
    for function in &part.functions {
        fit.function(*function, choices)?;
    }
    for (object, uses) in &part.objects {
        fit.object(*object, *uses, choices)?;
    }
    let copy = fit.copy(part.root?)?;
    fit.fix_jumps(copy, jumps)?;
    let mut stmts = fit.locals;
    if stmts.is_empty() {
        return Some(copy);
    }
    stmts.push(copy);
    Some(fit.stage.fresh.program.stmts.push(Stmt::Block(stmts.into_iter().collect())))
}

impl Fit<'_, '_> {
    /// The types of the program itself that are visible stay as they are.
    fn keep_types(&mut self) {
        if !self.own {
            return;
        }
        for visible in &self.scope.types {
            match visible.entity {
                Entity::Record(id) => _ = self.map.records.insert(id, id),
                Entity::Enum(id) => _ = self.map.enums.insert(id, id),
                Entity::Typedef(id) => _ = self.map.typedefs.insert(id, id),
                Entity::Object(_) | Entity::Function(_) => {}
            }
        }
        // The type of an anonymous member belongs to the record around it.
        for (id, record) in self.from.records.iter() {
            if record.tag.is_none() {
                self.map.records.insert(id, id);
            }
        }
    }

    /// Where the function of the place is among the items.
    fn at(&self) -> Option<usize> {
        let define = Item::Define(Entity::Function(self.function));
        self.stage.fresh.program.items.iter().position(|item| *item == define)
    }

    /// A type of the other program, in this one.
    fn ty(&mut self, ty: TypeId) -> Option<TypeId> {
        let at = self.at()?;
        let ty = import::ty(&mut self.stage.fresh.program, self.from, ty, at, &mut self.map);
        ty.ok()
    }

    /// Finds out what becomes of a function.
    fn function(&mut self, function: FunctionId, choices: &mut Choices) -> Option<()> {
        let named = &self.from[function];
        let visible = self.own && self.scope.functions.contains(&function);
        if visible && self.may_call(function) && (named.body.is_none() || choices.chance(KEEP)) {
            self.map.functions.insert(function, function);
            return Some(());
        }
        if named.linkage == Linkage::None {
            return None;
        }
        if !self.own && (named.body.is_none() || !choices.chance(RENAME)) {
            // It comes along.
            if size(self.from, function, MOST_CALLED).is_some() {
                return Some(());
            }
        }
        let ty = self.ty(named.ty)?;
        let program = self.stage.scene.program;
        let mut others = self.scope.functions.clone();
        others.retain(|other| program[*other].ty == ty && self.may_call(*other));
        self.map.functions.insert(function, choices.pick_any(&others)?);
        Some(())
    }

    /// Whether a function of the program may be called from the place. A call must not make a
    /// function recursive that compilers have to inline.
    fn may_call(&self, function: FunctionId) -> bool {
        let program = self.stage.scene.program;
        program[function].body.is_none()
            || !program.is_main(function)
                && !must_inline(program, function)
                && !must_inline(program, self.function)
    }

    /// Finds out what becomes of an object: something visible of its type, of another
    /// arithmetic type, or a new local.
    fn object(&mut self, object: ObjectId, uses: Uses, choices: &mut Choices) -> Option<()> {
        let content = &self.from[object];
        if is_variable(self.from, content.ty) || content.asm_name.is_some() {
            return None;
        }
        if self.own && self.scope.object(object).is_some() && choices.chance(KEEP) {
            self.map.objects.insert(object, object);
            return Some(());
        }
        let at_file_scope = content.linkage != Linkage::None;
        if at_file_scope && choices.chance(BRING) {
            return Some(());
        }
        let ty = self.ty(content.ty)?;
        let same = self.visible(|program, visible| {
            let candidate = &program[visible.object];
            candidate.ty == ty
                && (!uses.other || candidate.storage != Storage::Register)
                && (!uses.constant || visible.lifetime == Lifetime::Static)
        });
        if !same.is_empty() && !choices.chance(OTHER) {
            self.map.objects.insert(object, choices.pick(&same));
            return Some(());
        }
        if uses.constant {
            return at_file_scope.then_some(());
        }
        if !uses.other && is_real(&self.stage.fresh.program, ty) {
            let others = self.visible(|program, visible| {
                let candidate = program[visible.object].ty;
                is_real(program, candidate)
                    && (!uses.integral || program.is_integer(candidate))
                    && !(uses.written && candidate.qualifiers().contains(Qualifiers::CONST))
            });
            if let Some(other) = choices.pick_any(&others) {
                let stand_in = self.local(ty.unqualified(), None);
                self.map.objects.insert(object, stand_in);
                self.casts.push((stand_in, other));
                return Some(());
            }
        }
        self.new_local(object, ty, choices)
    }

    /// The visible objects that fit.
    fn visible(&self, fits: impl Fn(&Program, &Visible) -> bool) -> Vec<ObjectId> {
        let program = self.stage.scene.program;
        let fits = |visible: &&Visible| {
            let object = &program[visible.object];
            object.name.is_some() && object.asm_name.is_none() && fits(program, visible)
        };
        self.scope.objects.iter().filter(fits).map(|visible| visible.object).collect()
    }

    /// A new object; it is declared nowhere yet.
    fn local(&mut self, ty: TypeId, init: Option<ExprId>) -> ObjectId {
        let program = &mut self.stage.fresh.program;
        let name = Some(program.names.fresh("local"));
        let (linkage, storage) = (Linkage::None, Storage::Automatic);
        let (align, asm_name, attributes) = (None, None, [].into());
        let object = Object { name, ty, linkage, storage, init, align, asm_name, attributes };
        program.objects.push(object)
    }

    /// A new local stands for an object.
    fn new_local(&mut self, object: ObjectId, ty: TypeId, choices: &mut Choices) -> Option<()> {
        let program = &self.stage.fresh.program;
        let init = match program.resolve(ty) {
            Type::Pointer(pointee) => {
                let pointee = *pointee;
                self.address(pointee, choices)
            }
            Type::Record(record) if program[*record].fields.is_some() => self.empty(ty),
            Type::Array { element, length: ArrayLength::Fixed(1..) }
                if !is_incomplete(program, *element) =>
            {
                self.empty(ty)
            }
            Type::Vector { .. } => self.empty(ty),
            _ if is_real(program, ty) => self.number(ty, choices),
            _ if program.is_arithmetic(ty) => zero(&mut self.stage.fresh, ty),
            _ => return None,
        };
        let local = self.local(ty, init);
        self.map.objects.insert(object, local);
        self.locals.push(self.stage.fresh.program.stmts.push(Stmt::Declare(local)));
        Some(())
    }

    fn empty(&mut self, ty: TypeId) -> Option<ExprId> {
        Some(push(&mut self.stage.fresh, ExprKind::InitList([].into()), ty.unqualified()))
    }

    /// A number for a new local.
    fn number(&mut self, ty: TypeId, choices: &mut Choices) -> Option<ExprId> {
        let numbers = self.visible(|program, visible| is_real(program, program[visible.object].ty));
        let there = choices.pick_any(&numbers).filter(|_| choices.chance(VALUE));
        let fresh = &mut self.stage.fresh;
        let Some(there) = there else { return zero(fresh, ty) };
        let place = push(fresh, ExprKind::Object(there), self.stage.scene.program[there].ty);
        adapted(fresh, place, ty.unqualified())
    }

    /// An address for a new local.
    fn address(&mut self, pointee: TypeId, choices: &mut Choices) -> Option<ExprId> {
        let targets = self.visible(|program, visible| {
            let object = &program[visible.object];
            object.ty == pointee && object.storage != Storage::Register
        });
        let fresh = &mut self.stage.fresh;
        let pointer = fresh.program.types.pointer_to(pointee);
        let Some(target) = choices.pick_any(&targets).filter(|_| choices.chance(VALUE)) else {
            return zero(fresh, pointer);
        };
        let place = push(fresh, ExprKind::Object(target), pointee);
        Some(push(fresh, ExprKind::AddressOf(place), pointer))
    }

    /// Copies the statement, with casts where objects have another type.
    fn copy(&mut self, root: StmtId) -> Option<StmtId> {
        let (at, from) = (self.at()?, self.from);
        let program = &mut self.stage.fresh.program;
        let (before, stmts) = (program.exprs.len(), program.stmts.len());
        let copy = import::stmt(program, from, root, at, &mut self.map).ok()?;
        let after = program.exprs.len();
        if after - before > MOST_EXPRS {
            return None;
        }
        for index in before..after {
            let id = ExprId::from_index(index);
            let program = &mut self.stage.fresh.program;
            let place = match program[id].kind {
                ExprKind::Load(place) | ExprKind::Assign(place, _) | ExprKind::Step(_, place) => {
                    place
                }
                ExprKind::CompoundAssign { target, .. } => target,
                _ => continue,
            };
            let ExprKind::Object(stand_in) = program[place].kind else { continue };
            let mut casts = self.casts.iter();
            let Some((_, other)) = casts.find(|(object, _)| *object == stand_in) else { continue };
            program[place].kind = ExprKind::Object(*other);
            program[place].ty = program[*other].ty;
            self.cast(id, place)?;
        }
        let program = &mut self.stage.fresh.program;
        for index in stmts..program.stmts.len() {
            // A whole statement needs no type.
            if let Stmt::Expr(expr) = program.stmts[StmtId::from_index(index)]
                && let ExprKind::Cast(value) = program[expr].kind
                && value.index() >= after
            {
                program.stmts[StmtId::from_index(index)] = Stmt::Expr(value);
            }
        }
        Some(copy)
    }

    /// Makes an expression anew, whose place has another type now, and casts it to its old type.
    fn cast(&mut self, id: ExprId, place: ExprId) -> Option<()> {
        let kind = self.stage.fresh.program[id].kind.clone();
        let mut builder = self.stage.builder();
        let value = match kind {
            ExprKind::Load(_) => builder.value(place),
            ExprKind::Assign(_, value) => builder.assign(place, value).ok()?,
            ExprKind::CompoundAssign { op, value, .. } => {
                builder.compound_assign(op, place, value).ok()?
            }
            ExprKind::Step(op, _) => builder.step(op, place).ok()?,
            _ => return None,
        };
        self.stage.fresh.program[id].kind = ExprKind::Cast(value);
        Some(())
    }

    /// Jumps that would be wrong at the place become others, or nothing.
    fn fix_jumps(&mut self, copy: StmtId, (breaks, continues): (bool, bool)) -> Option<()> {
        let fresh = &mut self.stage.fresh;
        let part = Part::of(&fresh.program, copy)?;
        for (jumps, legal) in [(&part.breaks, breaks), (&part.continues, continues)] {
            for jump in jumps.iter().filter(|_| !legal) {
                fresh.program[*jump] = Stmt::Empty;
            }
        }
        let Type::Function(ty) = fresh.program.resolve(fresh.program[self.function].ty) else {
            return None;
        };
        let result = ty.result.unqualified();
        let void = matches!(fresh.program.resolve(result), Type::Void);
        for stmt in part.returns {
            let Stmt::Return(value) = fresh.program[stmt] else { continue };
            let value = match value {
                _ if void => None,
                Some(value) => adapted(fresh, value, result).or_else(|| zero(fresh, result)),
                None => zero(fresh, result),
            };
            let is_fine = void || value.is_some();
            fresh.program[stmt] = if is_fine { Stmt::Return(value) } else { Stmt::Empty };
        }
        Some(())
    }
}

/// Whether a type is arithmetic and real, and neither atomic nor volatile.
fn is_real(program: &Program, ty: TypeId) -> bool {
    let special = Qualifiers::ATOMIC | Qualifiers::VOLATILE;
    program.is_arithmetic(ty)
        && !matches!(program.resolve(ty), Type::Complex(_))
        && !ty.qualifiers().intersects(special)
}

/// Whether a type has a length in it that is not a constant.
fn is_variable(program: &Program, ty: TypeId) -> bool {
    match *program.resolve(ty) {
        Type::Pointer(inner) => is_variable(program, inner),
        Type::Array { element, length } => {
            matches!(length, ArrayLength::Variable(_)) || is_variable(program, element)
        }
        _ => false,
    }
}

/// Whether an object of a type cannot be declared.
fn is_incomplete(program: &Program, ty: TypeId) -> bool {
    match program.resolve(ty) {
        Type::Void | Type::Function(_) | Type::VaList => true,
        Type::Record(record) => program[*record].fields.is_none(),
        Type::Array { element, length } => {
            !matches!(length, ArrayLength::Fixed(1..)) || is_incomplete(program, *element)
        }
        _ => false,
    }
}
