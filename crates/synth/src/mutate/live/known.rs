//! What is known of the values at a place.

use std::cmp::Ordering;

use farrier_lang::scope::{Lifetime, Visible};
use farrier_lang::{IntegerType, Linkage, Program, Qualifiers, integer_type};
use farrier_machine::{Observed, Tuples};

use crate::mutate::place::Place;
use crate::mutate::stage::Point;

/// An integer that has a value at every visit.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) place: Place,
    pub(super) ty: IntegerType,
    /// The lowest and the highest value.
    pub(super) range: (i128, i128),
    /// The bits that are set at every visit, and those that are set at any.
    pub(super) bits: (i128, i128),
    /// How often it is drawn: the less a compiler knows of it, the more often.
    pub(super) weight: u32,
    /// Whether new code may change it, if it changes it back.
    pub(super) writable: bool,
    /// Where the tuples have it; `None` if it is new.
    seen: Option<usize>,
}

/// What compilers cannot know is drawn more often: objects that other files can change,
/// then those that live long or come from a caller.
const OPAQUE: u32 = 6;
const LASTING: u32 = 2;
const LOCAL: u32 = 1;

/// The integers and pointers of a place.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) columns: Vec<Column>,
    /// All values that the columns had together; `None` if they were too many.
    pub(super) rows: Option<Vec<Vec<i128>>>,
    /// Pointers that are always null, or never.
    pub(super) pointers: Vec<(Place, bool)>,
    /// What is known if there were too many.
    tuples: Tuples,
}

impl Known {
    /// What a run saw at a point.
    pub(super) fn at(program: &Program, point: &Point, tuples: &Tuples) -> Self {
        let wholes = point.watched.iter().map(|object| Place::of(program, *object));
        let places: Vec<Place> = wholes.chain(point.parts.iter().cloned()).collect();
        let mut known = Self { tuples: tuples.clone(), ..Self::default() };
        for (seen, place) in places.into_iter().enumerate() {
            let visible = point.visible.iter().rev().find(|it| it.object == place.object);
            let Some(visible) = visible.filter(|_| place.ty.qualifiers().is_empty()) else {
                continue;
            };
            if let Some(ty) = integer_type(program, place.ty) {
                known.add_integer(program, place, ty, visible, seen);
            } else if !tuples.more {
                let all = |wanted| tuples.few.iter().all(|tuple| tuple[seen] == wanted);
                let (null, address) = (all(Observed::Null), all(Observed::Address));
                if null || address {
                    known.pointers.push((place, null));
                }
            }
        }
        let row = |tuple: &[Observed]| {
            let number = |column: &Column| match tuple[column.seen.expect("it was seen")] {
                Observed::Integer(number) => number,
                _ => unreachable!("it was an integer at every visit"),
            };
            known.columns.iter().map(number).collect()
        };
        known.rows = (!tuples.more).then(|| tuples.few.iter().map(|it| row(it)).collect());
        for column in 0..known.columns.len() {
            known.summarise(column);
        }
        known
    }

    fn add_integer(
        &mut self,
        program: &Program,
        place: Place,
        ty: IntegerType,
        visible: &Visible,
        seen: usize,
    ) {
        // Tuples do not have the widest in their order.
        let Some(range) = self.tuples.ranges[seen].filter(|_| ty.bits <= 64) else { return };
        let bits = match &self.tuples.relations {
            Some(relations) => relations.bits[seen],
            None => (0, -1),
        };
        let object = &program[place.object];
        let weight = match visible.lifetime {
            _ if object.linkage == Linkage::External => OPAQUE,
            Lifetime::Static | Lifetime::Thread | Lifetime::Parameter => LASTING,
            Lifetime::Automatic => LOCAL,
        };
        let writable = !object.ty.qualifiers().contains(Qualifiers::CONST);
        self.columns.push(Column { place, ty, range, bits, weight, writable, seen: Some(seen) });
    }

    /// Adds an object that new code declares, with its value for each row; `None` if only
    /// these bounds are known.
    pub(super) fn add(
        &mut self,
        program: &Program,
        place: Place,
        values: Option<Vec<i128>>,
        range: (i128, i128),
        weight: u32,
    ) -> Option<usize> {
        let ty = integer_type(program, place.ty)?;
        if let Some(rows) = &mut self.rows {
            let values = values?;
            rows.iter_mut().zip(values).for_each(|(row, value)| row.push(value));
        }
        let column =
            Column { place, ty, range, bits: (0, -1), weight, writable: false, seen: None };
        self.columns.push(column);
        self.summarise(self.columns.len() - 1);
        Some(self.columns.len() - 1)
    }

    /// Forgets the column that was added last.
    pub(super) fn pop(&mut self) {
        self.columns.pop();
        for row in self.rows.iter_mut().flatten() {
            row.pop();
        }
    }

    /// The values of a column, by rows.
    pub(super) fn values(&self, column: usize) -> Option<Vec<i128>> {
        Some(self.rows.as_ref()?.iter().map(|row| row[column]).collect())
    }

    /// A column gets new values, one for each row. If rows are not known, it may have any.
    pub(super) fn set(&mut self, column: usize, values: Option<Vec<i128>>) {
        if let (Some(rows), Some(values)) = (&mut self.rows, values) {
            rows.iter_mut().zip(values).for_each(|(row, value)| row[column] = value);
        }
        let known = &mut self.columns[column];
        known.range = (known.ty.min(), known.ty.max() as i128);
        (known.bits, known.seen) = ((0, -1), None);
        self.summarise(column);
    }

    /// Finds the range and the bits of a column from the rows.
    fn summarise(&mut self, column: usize) {
        let Some(rows) = &self.rows else { return };
        let values = || rows.iter().map(|row| row[column]);
        let (Some(low), Some(high)) = (values().min(), values().max()) else { return };
        let known = &mut self.columns[column];
        known.range = (low, high);
        known.bits = values().fold((-1, 0), |(all, any), value| (all & value, any | value));
    }

    /// Whether two columns can be in this order at a visit.
    pub(super) fn can_be(&self, left: usize, right: usize, order: Ordering) -> bool {
        if let Some(rows) = &self.rows {
            return rows.iter().any(|row| row[left].cmp(&row[right]) == order);
        }
        let (one, other) = (&self.columns[left], &self.columns[right]);
        let in_range = match order {
            Ordering::Less => one.range.0 < other.range.1,
            Ordering::Equal => one.range.0 <= other.range.1 && other.range.0 <= one.range.1,
            Ordering::Greater => one.range.1 > other.range.0,
        };
        let relations = self.tuples.relations.as_ref();
        let occurred = relations.zip(one.seen).zip(other.seen);
        let occurred = occurred.and_then(|((relations, one), other)| match one < other {
            true => relations.occurred(one, other, order),
            false => relations.occurred(other, one, order.reverse()),
        });
        in_range && occurred.unwrap_or(true)
    }
}
