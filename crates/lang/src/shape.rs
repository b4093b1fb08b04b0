//! Equality and order of programs.
