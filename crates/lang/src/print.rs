//! Programs as C text.
