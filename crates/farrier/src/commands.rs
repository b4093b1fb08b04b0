//! The commands, one module each.

pub(crate) mod bisect;
pub(crate) mod bugs;
pub(crate) mod check;
pub(crate) mod compare;
mod configuration;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod findings;
pub(crate) mod fmt;
pub(crate) mod generate;
mod heading;
pub(crate) mod hunt;
pub(crate) mod join;
pub(crate) mod load;
pub(crate) mod mutate;
pub(crate) mod reduce;
pub(crate) mod reference;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod serve;
pub(crate) mod subjects;
pub(crate) mod triage;
