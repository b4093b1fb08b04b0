//! Drift: changes what the program does.

use super::Row;

pub(super) const ROWS: &[Row] = &[];
