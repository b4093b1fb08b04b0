//! Equality, well-formedness and edits, on a program made by hand.

mod samples;
mod shape;
mod well_formed;
