//! Compilers under test: the only crate that starts processes.
//!
//! [`run`] starts one and holds it to its limits; [`Sandbox::run`] also keeps it from
//! doing harm.

mod error;
mod group;
mod preprocess;
mod process;
mod sandbox;
mod scratch;
mod text;

pub use error::Error;
pub use preprocess::{PreprocessOptions, Preprocessed, Unit, default_compiler, preprocess};
pub use process::{Ending, Finished, Limits, run};
pub use sandbox::{Bounds, Isolation, Protection, Role, Sandbox, launch_if_asked};
pub use scratch::Scratch;
pub use text::decode;
