//! Equality, well-formedness and edits, on a program made by hand.

mod apply;
mod compose;
mod samples;
mod shape;
mod well_formed;
