//! Aggregates whose bytes are known one by one: unions of records with holes, copied whole,
//! under conditions and in loops, and read through every member that has a value.
//!
//! A *view* is an object that only its block names. Drafting knows of each of its bits whether
//! it surely has a value, so a member is read only where all of its bits have one. Branches
//! leave what both know, and a loop begins with what its end gives back.

use farrier_lang::{
    ArrayLength, Entity, ExprId, ExprKind, InitPlace, Item, Linkage, ObjectId, Qualifiers,
    RecordKind, Stmt, StmtId, Storage, Type, TypeId,
};

use super::draft::{Draft, Mode, Name};
use super::production::{Production, Rate, anywhere, draw, form};
use super::values::{Site, Want};
use crate::features::Feature;

/// The views of a block, its steps and those of a block in it.
const VIEWS: (i64, i64) = (2, 3);
const STEPS: (i64, i64) = (3, 8);
const INNER_STEPS: (i64, i64) = (1, 3);

/// In percent: views that are constants, that are elements of an array, that are static.
const CONSTANTS: u32 = 25;
const IN_ARRAYS: u32 = 20;
const STATICS: u32 = 15;

/// How many members are written one by one, in percent.
const ONE_BY_ONE: u32 = 40;

/// The most rounds of a loop of steps, and the operations that must be left for a block.
const MOST_ROUNDS: u64 = 5;
const VIEW_OPERATIONS: u64 = 300;
const LOOP_OPERATIONS: u64 = 400;

/// An object whose bits are known one by one.
#[derive(Clone, Debug)]
pub(super) struct View {
    object: ObjectId,
    /// Which element of the object it is, if that is an array.
    element: Option<u64>,
    pub(super) ty: TypeId,
    pub(super) constant: bool,
    /// The member of a union that was written last.
    pub(super) active: Option<u32>,
    /// Which bits surely have a value, as layouts number them.
    pub(super) known: Vec<bool>,
}

/// Where a step of a block of views stands: which view it is about, and how deep blocks in
/// it may nest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) view: usize,
    pub(super) nesting: u32,
}

/// What is done with a view.
#[rustfmt::skip]
static STEPS_OF_VIEWS: &[Production<Step, Vec<StmtId>>] = &[
    form(Rate::Always(24), writable, |draft, step| draft.write_member(step.view, None)),
    form(Rate::Always(12), writable, |draft, step| draft.write_leaf(step.view)),
    form(Rate::Always(24), anywhere, |draft, step| draft.read_leaf(step.view)),
    form(Rate::Part(Feature::RecordCopy, 200), copies, |draft, step| draft.copy_view(step.view)),
    form(Rate::Part(Feature::RecordSelect, 200), selects, |draft, step| draft.select_view(step.view)),
    form(Rate::Of(Feature::MemoryFunction), writable, |draft, step| draft.copy_bytes(step.view)),
    form(Rate::Part(Feature::MemoryFunction, 50), writable, |draft, step| draft.set_bytes(step.view)),
    form(Rate::Part(Feature::MemoryFunction, 50), anywhere, |draft, step| draft.compare_bytes(step.view)),
    form(Rate::Part(Feature::ByteAccess, 200), accesses_bytes, |draft, step| draft.read_byte(step.view)),
    form(Rate::Part(Feature::ByteAccess, 70), accesses_bytes, |draft, step| draft.write_byte(step.view)),
    form(Rate::Part(Feature::Pointer, 50), writable, |draft, step| draft.point_to_member(step.view)),
    form(Rate::Part(Feature::Call, 150), passes, |draft, step| draft.pass_view(step.view)),
    form(Rate::Part(Feature::If, 40), branches, |draft, step| draft.branch_of_steps(step.nesting)),
    form(Rate::Of(Feature::For), repeats, |draft, step| draft.loop_of_steps(step.nesting)),
    form(Rate::Always(4), nests, |draft, step| Some(draft.other_statement(step.nesting))),
];

fn writable(draft: &Draft<'_>, step: Step) -> bool {
    !draft.views[step.view].constant
}

fn accesses_bytes(draft: &Draft<'_>, _: Step) -> bool {
    draft.has_all(&[Feature::Char, Feature::Cast, Feature::Array])
}

fn passes(draft: &Draft<'_>, step: Step) -> bool {
    const NEEDS: [Feature; 3] =
        [Feature::RecordParameter, Feature::RecordResult, Feature::RecordCopy];
    writable(draft, step) && draft.has_all(&NEEDS) && draft.writes_statics
}

fn copies(draft: &Draft<'_>, step: Step) -> bool {
    writable(draft, step) && draft.views.len() > 1
}

fn selects(draft: &Draft<'_>, step: Step) -> bool {
    copies(draft, step)
        && draft.has(Feature::RecordCopy)
        && (draft.has(Feature::If) || draft.has(Feature::Ternary))
}

fn nests(draft: &Draft<'_>, step: Step) -> bool {
    step.nesting > 0 && draft.has_room()
}

fn branches(draft: &Draft<'_>, step: Step) -> bool {
    nests(draft, step)
}

fn repeats(draft: &Draft<'_>, step: Step) -> bool {
    nests(draft, step) && draft.can_count() && draft.spare() > LOOP_OPERATIONS
}

/// Whether a block of views can be written at all.
pub(super) fn has_views(draft: &Draft<'_>, nesting: u32) -> bool {
    const NEEDS: [Feature; 4] =
        [Feature::Union, Feature::Struct, Feature::NestedRecord, Feature::LocalRecord];
    nesting > 0 && draft.has_all(&NEEDS) && draft.has_room() && draft.spare() > VIEW_OPERATIONS
}

impl Draft<'_> {
    /// A block with views of one type and what is done with them.
    pub(super) fn view_block(&mut self, nesting: u32) -> Option<StmtId> {
        let ty = self.view_type()?;
        let outside = std::mem::take(&mut self.views);
        let mark = self.scope.enter();
        let mut statements = Vec::new();
        for _ in 0..self.choices.range(VIEWS.0, VIEWS.1) {
            statements.extend(self.declare_views(ty));
        }
        if self.views.iter().all(|view| view.constant) && self.has(Feature::RecordCopy) {
            let (object, declaration) = self.view_object(ty, false);
            statements.extend(declaration);
            self.add_view(object, None, ty);
        }
        let steps = self.choices.range(STEPS.0, STEPS.1);
        let body = self.closed(|draft| draft.steps(steps, nesting - 1));
        statements.extend(body);
        for view in 0..self.views.len() {
            statements.extend(self.read_leaf(view).unwrap_or_default());
        }
        self.scope.leave(mark);
        self.views = outside;
        Some(self.block_of(statements))
    }

    fn steps(&mut self, count: i64, nesting: u32) -> Vec<StmtId> {
        let mut statements = Vec::new();
        for _ in 0..count {
            let view = self.choices.index(self.views.len());
            statements
                .extend(draw(self, STEPS_OF_VIEWS, Step { view, nesting }).unwrap_or_default());
        }
        statements
    }

    fn block_of_steps(&mut self, count: i64, nesting: u32) -> StmtId {
        let mark = self.scope.enter();
        let statements = self.steps(count, nesting);
        self.scope.leave(mark);
        self.block_of(statements)
    }

    pub(super) fn other_statement(&mut self, nesting: u32) -> Vec<StmtId> {
        let mut statements = Vec::new();
        self.statement(nesting - 1, &mut statements);
        statements
    }

    /// Declares a view, or the elements of an array.
    fn declare_views(&mut self, ty: TypeId) -> Vec<StmtId> {
        if self.has(Feature::Const) && self.choices.chance(CONSTANTS) {
            let (object, declaration) = self.view_object(ty, true);
            self.add_view(object, None, ty);
            return declaration.into_iter().collect();
        }
        if self.has(Feature::Array) && self.choices.chance(IN_ARRAYS) {
            let array = self.short_array(ty);
            let (object, declaration) = self.view_object(array, false);
            let Type::Array { length: ArrayLength::Fixed(length), .. } =
                *self.program.resolve(array)
            else {
                unreachable!("it was made as an array")
            };
            let other = self.choices.below(length);
            self.add_view(object, Some(other), ty);
            if length - 1 != other {
                self.add_view(object, Some(length - 1), ty);
            }
            return declaration.into_iter().collect();
        }
        let (object, declaration) = self.view_object(ty, false);
        self.add_view(object, None, ty);
        declaration.into_iter().collect()
    }

    /// An object for views, and its declaration if it is a local. A constant is static and
    /// has an initialiser.
    fn view_object(&mut self, ty: TypeId, constant: bool) -> (ObjectId, Option<StmtId>) {
        if constant {
            let ty = self.program.types.qualified(ty, Qualifiers::CONST);
            let linkage = self.linkage();
            let object = self.object(Name::Global, ty, linkage, Storage::Static);
            self.program[object].init = Some(self.constant_initialiser(ty));
            self.program.items.push(Item::Define(Entity::Object(object)));
            return (object, None);
        }
        let keep =
            self.writes_statics && self.has(Feature::StaticLocal) && self.choices.chance(STATICS);
        let storage = if keep { Storage::Static } else { Storage::Automatic };
        let object = self.object(Name::Local, ty, Linkage::None, storage);
        (object, Some(self.stmt(Stmt::Declare(object))))
    }

    /// Adds what is known of a new object.
    fn add_view(&mut self, object: ObjectId, element: Option<u64>, ty: TypeId) {
        let bytes = self.layouts.size_of(&self.program, ty).expect("it is complete");
        let mut known = vec![false; bytes as usize * 8];
        let mut active = None;
        let constant = self.is_const(self.program[object].ty);
        if let Some(ExprKind::InitList(items)) =
            self.program[object].init.map(|init| self.program[init].kind.clone())
        {
            // Of a union only one member has an initialiser; a structure has all its members.
            match (self.is_union(ty), items.first().map(|item| item.place)) {
                (true, Some(InitPlace::Field(field))) => {
                    active = Some(field);
                    known = self.cover(ty, Some(field));
                }
                (true, _) => {}
                (false, _) => known = self.cover(ty, None),
            }
        }
        self.views.push(View { object, element, ty, constant, active, known });
    }

    pub(super) fn is_union(&self, ty: TypeId) -> bool {
        match *self.program.resolve(ty) {
            Type::Record(id) => self.program[id].kind == RecordKind::Union,
            _ => false,
        }
    }

    pub(super) fn view_place(&mut self, view: usize) -> ExprId {
        let View { object, element, .. } = self.views[view];
        let place = self.object_expr(object);
        match element {
            Some(index) => self.element_at(place, index),
            None => place,
        }
    }

    /// Writes a member of a union, or all of a structure: whole, or number by number.
    fn write_member(&mut self, view: usize, member: Option<u32>) -> Option<Vec<StmtId>> {
        let ty = self.views[view].ty;
        let member = match (self.is_union(ty), member) {
            (true, None) => {
                let Type::Record(id) = *self.program.resolve(ty) else { return None };
                let members: Vec<u32> = self.members(id).map(|(index, _)| index).collect();
                Some(self.choices.pick(&members))
            }
            (true, some) => some,
            (false, _) => None,
        };
        let place = self.view_place(view);
        let (place, part) = match member {
            Some(field) => {
                let place = self.builder().member(place, field);
                (place, self.program.type_of(place))
            }
            None => (place, ty),
        };
        let statements = self.write_part(place, part);
        let covered = self.cover(ty, member);
        let view = &mut self.views[view];
        view.known = covered;
        view.active = member;
        Some(statements)
    }

    fn write_part(&mut self, place: ExprId, part: TypeId) -> Vec<StmtId> {
        if self.class_of(part).is_some() {
            let value = self.reading(part);
            return vec![self.set(place, value)];
        }
        let record = matches!(self.program.resolve(part), Type::Record(_));
        if record && self.has(Feature::RecordCopy) && !self.choices.chance(ONE_BY_ONE) {
            self.begin_expression();
            let list = self.initialiser(part, false, 0);
            if self.has(Feature::CompoundLiteral) && self.choices.chance(50) {
                let literal = self.builder().node(ExprKind::CompoundLiteral(list), part);
                let value = self.builder().value(literal);
                return vec![self.set(place, value)];
            }
            let local = self.own_local(part);
            self.program[local].init = Some(list);
            self.charge_expr(list);
            let declaration = self.stmt(Stmt::Declare(local));
            let value = self.load(local);
            return vec![declaration, self.set(place, value)];
        }
        let mut statements = Vec::new();
        for leaf in self.leaves_of(part) {
            let base = self.copy(place);
            let target = self.follow(base, &leaf.steps);
            let value = self.reading(leaf.ty);
            statements.push(self.set(target, value));
        }
        statements
    }

    /// Writes one number of the member that was written last.
    fn write_leaf(&mut self, view: usize) -> Option<Vec<StmtId>> {
        let ty = self.views[view].ty;
        let active = self.views[view].active;
        let union = self.is_union(ty);
        let mut leaves = self.leaves_of(ty);
        leaves.retain(|leaf| !union || active.map(InitPlace::Field) == Some(leaf.steps[0]));
        let leaf = &leaves[self.choices.pick_any(&(0..leaves.len()).collect::<Vec<_>>())?];
        let place = self.view_place(view);
        let target = self.follow(place, &leaf.steps);
        let value = self.reading(leaf.ty);
        self.views[view].known[leaf.first..leaf.first + leaf.bits].fill(true);
        Some(vec![self.set(target, value)])
    }

    /// Reads some numbers that have a value, through any member.
    fn read_leaf(&mut self, view: usize) -> Option<Vec<StmtId>> {
        let mut leaves = self.leaves_of(self.views[view].ty);
        leaves.retain(|leaf| self.knows(view, leaf));
        let mut statements = Vec::new();
        for _ in 0..self.choices.range(1, 3) {
            let index = self.choices.pick_any(&(0..leaves.len()).collect::<Vec<_>>())?;
            let place = self.view_place(view);
            let place = self.follow(place, &leaves[index].steps);
            let value = self.builder().value(place);
            statements.push(self.use_number(value));
        }
        Some(statements)
    }

    /// Another view of which something is known.
    pub(super) fn other_view(&mut self, view: usize) -> Option<usize> {
        let known = |other: &usize| *other != view && self.views[*other].known.contains(&true);
        let others: Vec<usize> = (0..self.views.len()).filter(known).collect();
        self.choices.pick_any(&others)
    }

    pub(super) fn view_value(&mut self, view: usize) -> ExprId {
        let place = self.view_place(view);
        self.builder().value(place)
    }

    /// `view = other;`
    fn copy_view(&mut self, view: usize) -> Option<Vec<StmtId>> {
        let other = self.other_view(view)?;
        let (place, value) = (self.view_place(view), self.view_value(other));
        self.take_over(view, other);
        Some(vec![self.set(place, value)])
    }

    /// What is known of a copy.
    pub(super) fn take_over(&mut self, view: usize, other: usize) {
        let View { active, known, .. } = self.views[other].clone();
        let view = &mut self.views[view];
        view.active = active;
        view.known = known;
    }

    /// `if (condition) view = one; else view = other;`, or with `?:`.
    fn select_view(&mut self, view: usize) -> Option<Vec<StmtId>> {
        let one = self.other_view(view)?;
        // One of the two may be the view itself.
        let other = self.other_view(one)?;
        let branches =
            self.has(Feature::If) && (!self.has(Feature::Ternary) || self.choices.chance(50));
        let statement = if branches {
            let condition = self.condition();
            let [then, otherwise] = [one, other].map(|from| {
                let (place, value) = (self.view_place(view), self.view_value(from));
                self.set(place, value)
            });
            let otherwise = Some(otherwise).filter(|_| other != view);
            self.stmt(Stmt::If { condition, then, otherwise })
        } else {
            self.begin_expression();
            let condition = self.value(Want::Number, Site::new(Mode::Reading, 2));
            let (then, otherwise) = (self.view_value(one), self.view_value(other));
            let value = self.select(condition, then, otherwise);
            let place = self.view_place(view);
            self.set(place, value)
        };
        let before = self.views[view].clone();
        self.take_over(view, one);
        let second = if other == view { before } else { self.views[other].clone() };
        self.meet(view, &second);
        Some(vec![statement])
    }

    /// Keeps of a view what another knows too.
    fn meet(&mut self, view: usize, other: &View) {
        let view = &mut self.views[view];
        view.active = view.active.filter(|active| other.active == Some(*active));
        for (known, also) in view.known.iter_mut().zip(&other.known) {
            *known &= *also;
        }
    }

    /// Steps under a condition.
    fn branch_of_steps(&mut self, nesting: u32) -> Option<Vec<StmtId>> {
        let condition = self.condition();
        let before = self.views.clone();
        let count = self.choices.range(INNER_STEPS.0, INNER_STEPS.1);
        let then = self.block_of_steps(count, nesting - 1);
        let mut after = before;
        let mut otherwise = None;
        if self.choices.chance(50) {
            std::mem::swap(&mut self.views, &mut after);
            otherwise = Some(self.block_of_steps(count, nesting - 1));
        }
        for (view, other) in after.iter().enumerate() {
            self.meet(view, other);
        }
        Some(vec![self.stmt(Stmt::If { condition, then, otherwise })])
    }

    /// Steps in a loop. Its end gives back what its beginning knows.
    fn loop_of_steps(&mut self, nesting: u32) -> Option<Vec<StmtId>> {
        for view in 0..self.views.len() {
            let View { ty, active, constant, .. } = self.views[view];
            if constant {
                continue;
            }
            let covered = match (self.is_union(ty), active) {
                (true, None) => vec![false; self.views[view].known.len()],
                (_, member) => self.cover(ty, member),
            };
            let known = &mut self.views[view].known;
            for (known, covered) in known.iter_mut().zip(covered) {
                *known &= covered;
            }
        }
        let before = self.views.clone();
        let trips = 1 + self.choices.below(MOST_ROUNDS);
        let count = self.choices.range(INNER_STEPS.0, INNER_STEPS.1);
        let body = self.rounds(trips, |draft, _| {
            let mut statements = draft.steps(count, nesting - 1);
            for (view, old) in before.iter().enumerate() {
                let now = &draft.views[view];
                let lost = old.known.iter().zip(&now.known).any(|(old, now)| *old && !*now);
                if !old.constant && (lost || old.active != now.active) {
                    let again = if old.active.is_some() || !draft.is_union(old.ty) {
                        draft.write_member(view, old.active)
                    } else {
                        None
                    };
                    statements.extend(again.unwrap_or_default());
                }
            }
            statements
        });
        self.views = before;
        Some(vec![body?])
    }
}
