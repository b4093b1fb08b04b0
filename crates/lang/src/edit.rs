//! Described changes of a program.
