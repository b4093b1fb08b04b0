//! Compilers under test: the only crate that starts processes.
//!
//! [`run`] starts one and holds it to its limits; everything else is built on it.

mod error;
mod preprocess;
mod process;
mod text;

pub use error::Error;
pub use preprocess::{PreprocessOptions, Preprocessed, Unit, default_compiler, preprocess};
pub use process::{Ending, Finished, Limits, run};
pub use text::decode;
