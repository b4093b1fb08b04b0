//! Typed expressions from their operands: the typing rules of C.
