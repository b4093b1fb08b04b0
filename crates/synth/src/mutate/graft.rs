//! Graft: calls functions of other programs.

use super::Row;

pub(super) const ROWS: &[Row] = &[];
