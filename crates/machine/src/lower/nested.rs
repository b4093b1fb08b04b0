//! Functions inside functions, an extension of GNU C: how they reach what is around them.
//!
//! In a program that has one, all locals are in memory. A function inside another runs while
//! a call of that other is active, so the other was lowered before, and where its locals and
//! labels are is known.

use farrier_lang::{ExprId, FunctionId, Id, LabelId, Linkage, ObjectId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Lowerer;
use super::lvalues::Lvalue;
use crate::code::{Landing, Op};

/// What is known of the functions that were lowered, for those inside them.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    /// The function around each.
    parents: FxHashMap<FunctionId, FunctionId>,
    /// The function and the number of each local.
    locals: FxHashMap<ObjectId, (FunctionId, u32)>,
    labels: FxHashMap<LabelId, FunctionId>,
    /// The lengths of variable arrays, which only their own function knows.
    lengths: FxHashSet<ExprId>,
}

/// Whether a function is inside another.
pub(crate) fn is_nested(program: &Program, function: FunctionId) -> bool {
    program[function].linkage == Linkage::None
}

impl Surroundings {
    /// The function around this one.
    pub(super) fn parent(&self, function: FunctionId) -> Option<FunctionId> {
        self.parents.get(&function).copied()
    }

    /// Whether a function around the one that is lowered computes this length.
    pub(super) fn computes(&self, length: ExprId) -> bool {
        self.lengths.contains(&length)
    }

    /// How many functions `outer` is outside of `inner`.
    fn distance(&self, inner: FunctionId, outer: FunctionId) -> Option<u32> {
        let mut distance = 0;
        let mut here = inner;
        while here != outer {
            here = self.parent(here)?;
            distance += 1;
        }
        Some(distance)
    }
}

impl Lowerer<'_> {
    /// A function inside the one that is lowered is met.
    pub(super) fn define_function(&mut self, inner: FunctionId) {
        self.functions.surroundings.parents.extend(self.function.map(|outer| (inner, outer)));
    }

    /// Notes where everything is, for the functions inside this one.
    pub(super) fn note_surroundings(&mut self, function: FunctionId) {
        let surroundings = &mut self.functions.surroundings;
        for (index, local) in self.code.locals.iter().enumerate() {
            surroundings
                .locals
                .extend(local.object.map(|object| (object, (function, index as u32))));
        }
        let mut labels: Vec<LabelId> = self.labels.keys().copied().collect();
        labels.sort();
        for label in labels {
            surroundings.labels.insert(label, function);
            let place = &self.labels[&label];
            let blocks = place.blocks.iter().map(|block| block.id).collect();
            let locals = place.blocks.iter().flat_map(|block| block.locals.iter().copied());
            let landing = Landing { position: place.position, blocks, locals: locals.collect() };
            self.code.landings.insert(label.index() as u32, landing);
        }
        surroundings.lengths.extend(self.lengths.keys());
    }

    /// The place of a local of a function around this one.
    pub(super) fn outer_place(&mut self, object: ObjectId) -> Option<Lvalue> {
        let (owner, local) = *self.functions.surroundings.locals.get(&object)?;
        let levels = self.functions.surroundings.distance(self.function?, owner)?;
        let dst = self.temporary();
        self.emit(Op::OuterAddress { dst, local, levels });
        Some(Lvalue::pointer(dst, 1))
    }

    /// The operation that jumps to a label of a function around this one.
    pub(super) fn jump_out(&self, label: LabelId) -> Option<Op> {
        let owner = *self.functions.surroundings.labels.get(&label)?;
        let levels = self.functions.surroundings.distance(self.function?, owner)?;
        Some(Op::JumpOut { label: label.index() as u32, levels })
    }
}
