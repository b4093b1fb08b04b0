//! What is visible at the place of drafting, and how long it lives.

use super::complex::ComplexHome;
use super::graph::Graph;
use super::jumps::Jumps;
use super::nests::Nest;
use super::orange::Operands;
use super::vectors::Home;
use farrier_lang::{ExprId, FunctionId, LabelId, ObjectId, TypeId};

/// A variable as drafting sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) object: ObjectId,
    /// How many scopes surround it: 0 for what lives as long as the program, 2 for
    /// parameters. A pointer holds only addresses of objects that live at least as long.
    pub(super) depth: u32,
    /// Its address is never taken, so no pointer can change it.
    pub(super) private: bool,
    /// It may be assigned. What may not never changes once tests run.
    pub(super) writable: bool,
    /// It is an index below this number wherever it is visible.
    pub(super) below: Option<u64>,
}

impl Variable {
    /// What lives as long as the program, and anything may change.
    pub(super) fn global(object: ObjectId, writable: bool) -> Self {
        Self { object, depth: 0, private: false, writable, below: None }
    }

    /// A private local that only the statements that need it change, such as a counter.
    pub(super) fn counter(object: ObjectId, depth: u32, below: Option<u64>) -> Self {
        Self { object, depth, private: true, writable: false, below }
    }
}

/// A label at the end of a block, for jumps out of what the block holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndLabel {
    pub(super) label: LabelId,
    pub(super) used: bool,
}

/// How a function calls itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recursion {
    pub(super) function: FunctionId,
    /// The parameter that says how deep.
    pub(super) counter: ObjectId,
}

/// What a statement may name.
#[derive(Debug)]
pub struct DraftScope {
    /// What the function returns, and whether it may do so in the middle.
    pub(super) result: TypeId,
    pub(super) returns: bool,
    /// Parameters and locals.
    pub(super) visible: Vec<Variable>,
    /// Some of the globals.
    pub(super) globals: Vec<Variable>,
    /// How many scopes surround the current place.
    pub(super) depth: u32,
    /// How many loops `continue` could end a round of.
    pub(super) loops: u32,
    /// How many statements `break` could leave.
    pub(super) breakable: u32,
    pub(super) labels: Vec<EndLabel>,
    /// Expressions that may occur again: values of private variables and constants.
    pub(super) common: Vec<ExprId>,
    /// The blocks of a function that is drawn as a graph.
    pub(super) graph: Graph,
    /// The jumps that have not come to their labels yet.
    pub(super) jumps: Jumps,
    /// The operands of straight code.
    pub(super) operands: Operands,
    /// The loop nest that is being drafted.
    pub(super) nest: Nest,
    /// The locals that hold vectors, and whether nothing but locals may be written.
    pub(super) vectors: Vec<Home>,
    pub(super) pure: bool,
    /// The locals that hold complex numbers.
    pub(super) complex: Vec<ComplexHome>,
    /// Of a function that calls itself: the call that is still to be placed.
    pub(super) recursion: Option<Recursion>,
}

/// What a block has to put back when it ends.
pub(super) struct Mark {
    visible: usize,
    common: usize,
    vectors: usize,
    complex: usize,
}

impl DraftScope {
    /// The scope of a function that returns `result`, without anything yet.
    pub(super) fn new(result: TypeId) -> Self {
        Self {
            result,
            returns: true,
            visible: Vec::new(),
            globals: Vec::new(),
            depth: 2,
            loops: 0,
            breakable: 0,
            labels: Vec::new(),
            common: Vec::new(),
            graph: Graph::default(),
            jumps: Jumps::default(),
            operands: Operands::default(),
            nest: Nest::default(),
            vectors: Vec::new(),
            pure: false,
            complex: Vec::new(),
            recursion: None,
        }
    }

    /// Begins a block.
    pub(super) fn enter(&mut self) -> Mark {
        self.depth += 1;
        let Self { visible, common, vectors, complex, .. } = self;
        let (visible, common) = (visible.len(), common.len());
        Mark { visible, common, vectors: vectors.len(), complex: complex.len() }
    }

    /// Ends it.
    pub(super) fn leave(&mut self, mark: Mark) {
        self.depth -= 1;
        self.visible.truncate(mark.visible);
        self.common.truncate(mark.common);
        self.vectors.truncate(mark.vectors);
        self.complex.truncate(mark.complex);
    }

    /// Everything visible: locals, then globals.
    pub(super) fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.visible.iter().chain(&self.globals)
    }
}
