//! Relaxed jumps: forwards to any later place of the function, over initialisers and into blocks.
//!
//! A jump never enters what is repeated, so it saves operations and adds none.

use farrier_lang::{LabelId, Stmt, StmtId};

use super::draft::Draft;
use crate::relax::Relaxation;

/// How many statements get the label of a jump that waits, in percent.
const LANDS: u32 = 25;

/// The jumps of a function whose labels do not stand yet.
#[derive(Debug, Default)]
pub(super) struct Jumps {
    waiting: Vec<Waiting>,
    /// What is repeated around the current place, from the outside in, each with its number.
    around: Vec<u32>,
    loops: u32,
}

/// A jump whose label does not stand yet.
#[derive(Debug)]
pub(super) struct Waiting {
    label: LabelId,
    /// What is repeated around the jump.
    around: Vec<u32>,
}

impl Jumps {
    pub(super) fn enter_loop(&mut self) {
        self.loops += 1;
        self.around.push(self.loops);
    }

    pub(super) fn leave_loop(&mut self) {
        self.around.pop();
    }

    /// Keeps the jumps so far from leading to what is drafted next.
    pub(super) fn suspend(&mut self) -> Vec<Waiting> {
        std::mem::take(&mut self.waiting)
    }

    pub(super) fn resume(&mut self, suspended: Vec<Waiting>) {
        self.waiting.extend(suspended);
    }
}

impl Draft<'_> {
    /// `if (condition) goto label;`, whose label comes later.
    pub(super) fn wild_jump(&mut self, out: &mut Vec<StmtId>) {
        if !self.can_jump() || !self.relaxes(Relaxation::Jump) {
            return;
        }
        let label = self.label();
        let jump = self.conditional(Stmt::Goto(label));
        self.relaxed.jumps.push(jump);
        let around = self.scope.jumps.around.clone();
        self.scope.jumps.waiting.push(Waiting { label, around });
        out.push(jump);
    }

    /// Places the labels of some jumps that may lead here.
    pub(super) fn land(&mut self, out: &mut Vec<StmtId>) {
        if self.scope.jumps.waiting.is_empty() {
            return;
        }
        let Self { choices, scope, .. } = self;
        let here = &scope.jumps.around;
        let lands = |jump: &mut Waiting| jump.around.starts_with(here) && choices.chance(LANDS);
        let landed: Vec<Waiting> = scope.jumps.waiting.extract_if(.., lands).collect();
        self.place_labels(landed, out);
    }

    /// Places the labels of all jumps.
    pub(super) fn land_all(&mut self, out: &mut Vec<StmtId>) {
        let landed = std::mem::take(&mut self.scope.jumps.waiting);
        self.place_labels(landed, out);
    }

    fn place_labels(&mut self, landed: Vec<Waiting>, out: &mut Vec<StmtId>) {
        for Waiting { label, .. } in landed {
            // A label cannot stand before a declaration.
            let empty = self.stmt(Stmt::Empty);
            out.push(self.stmt(Stmt::Label(label, empty)));
        }
    }
}
