//! Applying edits, all or nothing, and taking them back.

mod entities;
mod execute;
mod plan;

use std::fmt;

use super::fresh::Lengths;
use super::{Edit, Links, Site};
use crate::program::{Item, Program};
use execute::{Saved, restore};

/// Why edits cannot be applied together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConflictKind {
    /// Both change this place, differently.
    SameSite,
    /// The second keeps this node, is anchored at it or names it in new code; the
    /// first removes it, or gives it another type.
    Needed,
    /// The second puts in a node that stays where it is as well.
    TwoParents,
}

/// Two edits that cannot both be applied, or one that the program does not allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// What is wrong.
    pub kind: ConflictKind,
    /// The index of the edit that is in the way; `None` if the program already is.
    pub first: Option<usize>,
    /// The index of the edit that cannot be applied.
    pub second: usize,
    /// The node that they disagree on.
    pub site: Site,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, second, site, .. } = self;
        match self.first {
            Some(first) => write!(f, "edits {first} and {second} conflict ({kind:?}) at {site:?}"),
            None => write!(f, "edit {second} does not fit the program ({kind:?}) at {site:?}"),
        }
    }
}

impl std::error::Error for Conflict {}

/// A change that had nothing left to do, because its place is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Absorbed {
    /// The index of the edit.
    pub edit: usize,
    /// The index of the change in the edit.
    pub change: usize,
    /// The index of the edit that removes the place, or makes the same change;
    /// `None` if it was gone before.
    pub by: Option<usize>,
}

/// What [`apply`] did, so that [`undo`] can take it back.
#[derive(Debug)]
pub struct Applied {
    /// The changes that had nothing left to do.
    pub absorbed: Vec<Absorbed>,
    saved: Vec<Saved>,
    items: Vec<Item>,
    before: Lengths,
    after: Lengths,
}

/// Applies edits at once. If there is a conflict, the program is left as it was.
///
/// The result is well formed if each edit alone would make it so, save for what
/// edits cannot see of each other, such as two inserted objects with one name:
/// `well_formed::check` sees that.
pub fn apply(program: &mut Program, edits: &[Edit]) -> Result<Applied, Conflict> {
    let links = Links::new(program);
    apply_linked(program, &links, edits)
}

/// The same where the links of the program are known.
pub fn apply_linked(
    program: &mut Program,
    links: &Links,
    edits: &[Edit],
) -> Result<Applied, Conflict> {
    let edits: Vec<&Edit> = edits.iter().collect();
    apply_kept(program, links, &edits, &|_| true)
}

/// The same for some edits of a list, by their positions. Of the others only the new nodes
/// are added, where nothing reaches them: so the nodes of all programs that are made from one
/// list have the same ids, and edits that were made for one of them fit the others.
pub fn apply_some(
    program: &mut Program,
    edits: &[&Edit],
    kept: &dyn Fn(usize) -> bool,
) -> Result<Applied, Conflict> {
    let links = Links::new(program);
    apply_kept(program, &links, edits, kept)
}

fn apply_kept(
    program: &mut Program,
    links: &Links,
    edits: &[&Edit],
    kept: &dyn Fn(usize) -> bool,
) -> Result<Applied, Conflict> {
    let before = Lengths::of(program);
    let pasted = |(at, edit): (usize, &&Edit)| {
        let changes = edit.paste(program);
        if kept(at) { changes } else { Vec::new() }
    };
    let changes: Vec<_> = edits.iter().enumerate().map(pasted).collect();
    let items = program.items.clone();
    let mut saved = Vec::new();
    let result = plan::plan(program, links, &before, &changes).and_then(|plan| {
        execute::execute(program, links, &before, &plan, &mut saved)?;
        Ok(plan.absorbed)
    });
    let after = Lengths::of(program);
    match result {
        Ok(absorbed) => Ok(Applied { absorbed, saved, items, before, after }),
        Err(conflict) => {
            undo(program, Applied { absorbed: Vec::new(), saved, items, before, after });
            Err(conflict)
        }
    }
}

/// Takes back what [`apply`] did. Of several, the last must be taken back first.
pub fn undo(program: &mut Program, applied: Applied) {
    program.items = applied.items;
    for saved in applied.saved.into_iter().rev() {
        restore(program, saved);
    }
    // The program may have grown since; then the nodes stay, unreachable.
    if applied.after.nodes_match(program) {
        applied.before.truncate(program);
    }
}
