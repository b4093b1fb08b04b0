//! Places: objects, their members and their elements.

use farrier_lang::build::Builder;
use farrier_lang::layout::Layouts;
use farrier_lang::{
    ArrayLength, ExprId, ExprKind, IntKind, ObjectId, Program, RecordKind, Type, TypeId,
};

use crate::Choices;

/// How deep a member or an element may be in its object.
const MOST_STEPS: usize = 6;

/// Elements from this one on are not named.
const MOST_ELEMENTS: u64 = 1 << 20;

/// An object or a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) object: ObjectId,
    path: Vec<Step>,
    /// How many bytes of the object are before it.
    pub(super) offset: u64,
    pub(super) ty: TypeId,
}

/// A step into a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Member(u32),
    Element(u64),
}

impl Place {
    /// The whole of an object.
    pub(super) fn of(program: &Program, object: ObjectId) -> Self {
        Self { object, path: Vec::new(), offset: 0, ty: program[object].ty }
    }

    /// The lvalue.
    pub(super) fn lvalue(&self, builder: &mut Builder<'_>) -> Option<ExprId> {
        let ty = builder.program[self.object].ty;
        let mut lvalue = builder.node(ExprKind::Object(self.object), ty);
        for step in &self.path {
            lvalue = match *step {
                Step::Member(index) => builder.member(lvalue, index),
                Step::Element(index) => {
                    let index = builder.int(IntKind::Int, index);
                    builder.index(lvalue, index).ok()?
                }
            };
        }
        Some(lvalue)
    }
}

/// Draws a scalar inside an object of another type. Those that have qualifiers, bit-fields
/// and members of unions are none.
pub(super) fn draw(
    program: &Program,
    layouts: &mut Layouts,
    object: ObjectId,
    choices: &mut Choices,
) -> Option<Place> {
    let mut place = Place::of(program, object);
    program[object].name?;
    for _ in 0..MOST_STEPS {
        if !place.ty.qualifiers().is_empty() {
            return None;
        }
        let step = match *program.resolve(place.ty) {
            Type::Array { element, length: ArrayLength::Fixed(length) } if length > 0 => {
                let index = choices.below(length.min(MOST_ELEMENTS));
                place.offset += index * layouts.size_of(program, element).ok()?;
                place.ty = element;
                Step::Element(index)
            }
            Type::Record(record) if program[record].kind == RecordKind::Struct => {
                let fields = program[record].fields.as_ref()?;
                let index = choices.index(fields.len().max(1));
                let field = fields.get(index).filter(|field| field.name.is_some())?;
                let layout = layouts.record(program, record).ok()?.fields[index];
                if layout.bits.is_some() {
                    return None;
                }
                place.offset += layout.offset;
                place.ty = field.ty;
                Step::Member(index as u32)
            }
            _ => return None,
        };
        place.path.push(step);
        if program.is_scalar(place.ty) {
            return place.ty.qualifiers().is_empty().then_some(place);
        }
    }
    None
}
