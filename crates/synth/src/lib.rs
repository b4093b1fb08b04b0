//! Makes programs, changes them, makes them smaller, and finds where a compiled one departs
//! from what it should do.
//!
//! Everything random comes from [`Choices`], so a seed and a configuration always
//! give the same program. This crate is pure: it knows `farrier-lang`, `farrier-machine`
//! and, to read the functions of its bank, `farrier-front`.

mod bank;
pub mod census;
mod choices;
pub mod discharge;
pub mod dress;
pub mod features;
pub mod generate;
pub mod grammar;
mod hostile;
pub mod locate;
pub mod mutate;
pub mod parameters;
mod preset;
pub mod reduce;
pub mod relax;
pub mod scene;

pub use choices::Choices;
pub use generate::{Check, Config, Generated, Refusal, generate, wild};
pub use preset::Preset;
