//! What talks to the compiler itself: hints, the stack, argument lists, vectors.

use super::table::rows;
use super::{BuiltinRow, GenericRule, Prototype};

/// Questions and hints to the optimiser.
pub(super) static HINTS: &[BuiltinRow] = rows! {
    compiler "constant_p" AnyToInt
    compiler "classify_type" AnyToInt
    compiler "expect" "lll"
    compiler "expect_with_probability" "llld"
    compiler "assume_aligned" "pPz."
    compiler "unreachable" "v"
    compiler "trap" "v"
    compiler "object_size" "zPi"
    compiler "dynamic_object_size" "zPi"
    compiler "prefetch" "vP."
    compiler "speculation_safe_value" SpeculationSafe
    compiler "clear_padding" AnyToVoid
    compiler "FILE" "S"
    compiler "FUNCTION" "S"
    compiler "LINE" "i"
    library "__clear_cache" "vpp"
    // Of clang alone.
    compiler "assume" "vb"
    compiler "debugtrap" "v"
    compiler "unpredictable" "lll"
};

/// Frames, calls and jumps.
pub(super) static STACK: &[BuiltinRow] = rows! {
    compiler "return_address" "pI"
    compiler "frame_address" "pI"
    compiler "extract_return_addr" "pp"
    compiler "frob_return_addr" "pp"
    compiler "alloca_with_align" "pzz"
    compiler "alloca_with_align_and_max" "pzzz"
    compiler "stack_save" "p"
    compiler "stack_restore" "vp"
    compiler "dwarf_cfa" "p"
    compiler "unwind_init" "v"
    compiler "thread_pointer" "p"
    compiler "set_thread_pointer" "vp"
    compiler "setjmp" "ip"
    compiler "longjmp" "vpi"
    compiler "apply_args" "p."
    compiler "apply" "pypz"
    compiler "return" "vp"
    compiler "saveregs" "p."
    compiler "next_arg" "p."
    compiler "aggregate_incoming_address" "p."
    compiler "va_start" VaStart
    compiler "c23_va_start" VaStart
    compiler "va_end" VaEnd
    compiler "va_copy" VaCopy
    compiler "va_arg_pack" "i"
    compiler "va_arg_pack_len" "i"
};

/// GNU vectors.
pub(super) static VECTOR: &[BuiltinRow] = rows! {
    compiler "shuffle" Shuffle
    compiler "shufflevector" ShuffleVector
    compiler "convertvector" ConvertVector
};

/// Questions about the processor, on x86.
pub(super) static PROCESSOR: &[BuiltinRow] = rows! {
    compiler "cpu_init" "i"
    compiler "cpu_is" "iS"
    compiler "cpu_supports" "iS"
};
