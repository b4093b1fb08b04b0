//! Changes programs that are there.
//!
//! A mutator draws changes from a seed and describes them. Making a program from those that
//! are kept is another step, so that a recipe can leave out any of them: to replay a program,
//! to undo a change and to find the one that matters are the same operation.
//!
//! [`text`] changes texts, and nothing is known of the result. A mutator of trees is a
//! `fn(&Scene, &mut Choices) -> Vec<Edit>`: a [scene](crate::scene) has what a run saw, edits
//! mean the same in every descendant of a program, and the result is certified again.

pub mod text;
