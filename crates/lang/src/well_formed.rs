//! What every program must satisfy.
