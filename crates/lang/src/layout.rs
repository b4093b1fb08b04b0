//! Sizes, alignments and member offsets.
