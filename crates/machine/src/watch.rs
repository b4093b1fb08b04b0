//! What a run is asked to watch.

use std::collections::BTreeMap;

use farrier_lang::{Arena, ExprId, Id, ObjectId, StmtId, TypeId};

/// What a profile is of. Whether something is watched is decided when its function is
/// lowered, so that everything else costs nothing.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// The expressions that are counted, with their values.
    pub expressions: Chosen<ExprId>,
    /// The statements that are counted.
    pub statements: Chosen<StmtId>,
    /// The guards whose firings are counted, with their operands.
    pub guards: Chosen<ExprId>,
    /// The loops whose rounds are watched for what they carry from one to another, each with
    /// the locals that do not count.
    pub loops: BTreeMap<StmtId, Vec<ObjectId>>,
    /// The objects whose values are kept whenever a statement begins.
    pub points: BTreeMap<StmtId, Watchpoint>,
    /// Whether floating operations are watched for results that are not exact. Then the
    /// operations that a run counts are those of the program, without those that watch.
    pub exactness: bool,
    /// The `if` statements that the run may turn around, each with the truth of its condition for
    /// which it does. When such a statement is first met and its condition is so, the condition
    /// counts as negated, then and from then on. [`Profile::turned`](crate::Profile::turned)
    /// tells; all else in the profile is of the program with these conditions negated.
    pub turns: BTreeMap<StmtId, bool>,
}

/// Nothing at all.
pub(crate) static NOTHING: Watch = Watch {
    expressions: Chosen::None,
    statements: Chosen::None,
    guards: Chosen::None,
    loops: BTreeMap::new(),
    points: BTreeMap::new(),
    exactness: false,
    turns: BTreeMap::new(),
};

impl Watch {
    /// All expressions, statements and guards.
    pub fn everything() -> Self {
        Self {
            expressions: Chosen::All,
            statements: Chosen::All,
            guards: Chosen::All,
            loops: BTreeMap::new(),
            points: BTreeMap::new(),
            exactness: false,
            turns: BTreeMap::new(),
        }
    }
}

/// Some nodes of a program.
#[derive(Clone, Debug, Default)]
pub enum Chosen<I: Id> {
    /// None of them.
    #[default]
    None,
    /// All of them.
    All,
    /// Those that are marked; what lies after the end is not.
    These(Arena<I, bool>),
}

impl<I: Id> Chosen<I> {
    /// Whether a node is among them.
    #[inline]
    pub fn contains(&self, id: I) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::These(marked) => id.index() < marked.len() && marked[id],
        }
    }

    /// Chooses one more.
    pub fn insert(&mut self, id: I) {
        if matches!(self, Self::None) {
            *self = Self::These(Arena::default());
        }
        if let Self::These(marked) = self {
            marked.fill(id.index() + 1, false);
            marked[id] = true;
        }
    }
}

impl<I: Id> FromIterator<I> for Chosen<I> {
    fn from_iter<T: IntoIterator<Item = I>>(ids: T) -> Self {
        let mut chosen = Self::None;
        ids.into_iter().for_each(|id| chosen.insert(id));
        chosen
    }
}

/// What is watched whenever a statement begins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Watchpoint {
    /// The objects. Those that are no scalars, or do not exist there, have no value.
    pub objects: Vec<ObjectId>,
    /// Parts of other objects, whose values come after those of the objects.
    pub parts: Vec<Part>,
    /// How many different tuples of their values are kept at most.
    pub most: usize,
    /// For how many visits [`Relations`](crate::Relations) are kept if the tuples are more than
    /// that; none if there are more visits.
    pub related: u64,
}

/// A scalar inside an object: a member or an element, and no bit-field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The object.
    pub object: ObjectId,
    /// How many bytes of the object are before it.
    pub offset: u64,
    /// Its type.
    pub ty: TypeId,
}
