//! Reports: a bundle for the maintainers of a compiler, and a page about a whole hunt.
//!
//! docs/design/report.md says what is in them and why.

pub(crate) mod account;
pub(crate) mod bundle;
pub(crate) mod chart;
mod code;
pub(crate) mod comparison;
mod difference;
pub(crate) mod evidence;
pub(crate) mod page;
mod proof;
mod regression;
pub(crate) mod text;
