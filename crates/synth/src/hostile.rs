//! Code that would be undefined if it ran, made of copies of the code that runs beside it.
//!
//! A row of [`MENU`] makes one statement or one value. The generator and the mutators
//! put them where they never run; the compiler must not believe them.

mod menu;
mod near;

use farrier_lang::build::Builder;
use farrier_lang::layout::Layouts;
use farrier_lang::{ExprId, ExprKind, FunctionId, IntKind, ObjectId, Program, StmtId, TypeId};

use crate::Choices;
use crate::features::Weights;
pub(crate) use menu::Made;
use menu::{Dish, MENU};
pub(crate) use near::{Near, beside, for_each_value};

/// What the names of locals begin with that hostile code leaves without a value.
pub(crate) const UNSET: &str = "u_";

/// How often another row is tried where one cannot be had.
const TRIES: u32 = 6;

/// Where hostile code is made: for a place before a statement.
pub(crate) struct Kitchen<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) layouts: &'a mut Layouts,
    pub(crate) choices: &'a mut Choices,
    /// What may occur.
    pub(crate) weights: &'a Weights,
    /// Objects that are visible at the place.
    pub(crate) objects: &'a [ObjectId],
    pub(crate) function: FunctionId,
    /// What the code beside the place is made of.
    pub(crate) near: &'a mut Near,
    /// Labels that what was made jumps to. The caller puts them there.
    pub(crate) labels: Vec<NewLabel>,
}

/// A labelled statement that belongs into a block of the program.
pub(crate) struct NewLabel {
    pub(crate) block: StmtId,
    /// Before which of its statements; after the last if there are as many.
    pub(crate) at: usize,
    pub(crate) labelled: StmtId,
}

impl Kitchen<'_> {
    /// One row of the menu that can be had here.
    pub(crate) fn draw(&mut self) -> Option<Made> {
        let rate = |dish: &Dish| match dish.needs.iter().all(|need| self.weights.has(*need)) {
            true => dish.weight,
            false => 0,
        };
        let rates: Vec<u32> = MENU.iter().map(rate).collect();
        (0..TRIES).find_map(|_| {
            let index = self.choices.weighted(&rates)?;
            (MENU[index].make)(self)
        })
    }

    /// The statement that something is.
    pub(crate) fn statement_of(&mut self, made: Made) -> Option<StmtId> {
        match made {
            Made::Stmt(stmt) | Made::End(stmt) => Some(stmt),
            Made::Value(value) => self.used(value),
        }
    }

    fn builder(&mut self) -> Builder<'_> {
        Builder { program: self.program, layouts: self.layouts, permissive: false }
    }

    /// The lvalue of an object.
    fn named(&mut self, object: ObjectId) -> ExprId {
        let ty = self.program[object].ty;
        self.builder().node(ExprKind::Object(object), ty)
    }

    /// The value of an object.
    fn load(&mut self, object: ObjectId) -> ExprId {
        let place = self.named(object);
        self.builder().value(place)
    }

    /// The size of a type in bytes.
    fn size_of(&mut self, ty: TypeId) -> Option<i64> {
        let size = self.layouts.size_of(self.program, ty).ok()?;
        i64::try_from(size).ok()
    }

    /// A constant of the first type that holds it; `None` if it needs more than 64 bits.
    fn constant(&mut self, value: i128) -> Option<ExprId> {
        constant(self.program, value)
    }
}

/// A constant of the first type that holds it; `None` if it needs more than 64 bits.
pub(crate) fn constant(program: &mut Program, value: i128) -> Option<ExprId> {
    let kinds = [IntKind::Int, IntKind::Long, IntKind::LongLong, IntKind::ULongLong];
    kinds.into_iter().find_map(|kind| program.literal(value, kind))
}
