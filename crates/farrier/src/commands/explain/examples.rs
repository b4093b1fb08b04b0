//! A program with the fault and a near miss for every kind: files of the tests.

use farrier_machine::UbKind;

/// Declares which files explain which kind.
macro_rules! examples {
    ($($variant:ident, $kind:literal, $fires:literal, $near_miss:literal;)*) => {
        /// The program with the fault, and the near miss.
        pub(super) fn of(kind: UbKind) -> (&'static str, &'static str) {
            match kind {
                $(UbKind::$variant => (
                    include_str!(concat!(
                        "../../../../machine/tests/undefined/", $kind, "/", $fires, ".c"
                    )),
                    include_str!(concat!(
                        "../../../../machine/tests/defined/", $kind, "/", $near_miss, ".c"
                    )),
                ),)*
            }
        }
    };
}

examples! {
    SignedOverflow, "signed-overflow", "multiply-promoted-shorts", "narrow-types-are-promoted";
    DivisionByZero, "division-by-zero", "divide", "guarded";
    ShiftCount, "shift-count", "promoted-char", "width-minus-one";
    ShiftOverflow, "shift-overflow", "promoted-char", "below-sign";
    FloatToInteger, "float-to-integer", "negative-to-unsigned", "fraction-dropped";
    NullDereference, "null-dereference", "list-end", "compared-and-passed";
    InvalidPointer, "invalid-pointer", "from-integer", "round-trip";
    OutOfBounds, "out-of-bounds", "inner-array", "last-elements";
    PointerArithmetic, "pointer-arithmetic", "before-start", "inside";
    Dangling, "dangling", "freed-list", "lifetimes";
    Misaligned, "misaligned", "read", "packed";
    Uninitialised, "uninitialised", "one-branch", "copies-carry-padding";
    InvalidBool, "invalid-bool", "union", "any-value-is-converted";
    EffectiveType, "effective-type", "float-as-int", "memcpy";
    WriteToConst, "write-to-const", "global", "const-pointers";
    VolatileAccess, "volatile-access", "plain-pointer", "volatile-pointer";
    Restrict, "restrict", "two-parameters", "disjoint-halves";
    RestrictAssignment, "restrict-assignment", "same-block", "outer-to-inner";
    WriteToString, "write-to-string", "index", "arrays";
    WriteToTemporary, "write-to-temporary", "result-of-a-call", "read-in-the-expression";
    OverlappingAssignment, "overlapping-assignment", "union", "exact";
    PointerComparison, "pointer-comparison", "loop-to-other", "same-object";
    PointerSubtraction, "pointer-subtraction", "locals", "same-array";
    Unsequenced, "unsequenced", "index", "sequenced";
    MissingReturn, "missing-return", "after-loop", "not-used";
    Unreachable, "unreachable", "switch", "not-reached";
    BrokenPromise, "broken-promise", "nonnull", "kept";
    NoreturnReturns, "noreturn-returns", "end", "exits";
    CallType, "call-type", "pointer-parameter", "compatible";
    CallArguments, "call-arguments", "old-style", "without-prototype";
    NotAFunction, "not-a-function", "object", "through-integer";
    VaArg, "va-arg", "promoted", "taken-as-given";
    VaStart, "va-start", "not-last", "last-parameters";
    VaEnd, "va-end", "missing", "matched";
    OverlappingCopy, "overlapping-copy", "memcpy", "memmove";
    BadFree, "bad-free", "middle", "good";
    BadFormat, "bad-format", "int-for-long", "printf";
    CharacterRange, "character-range", "negative", "in-range";
    BuiltinArgument, "builtin-argument", "clz", "bits";
    AbsOverflow, "abs-overflow", "abs", "edges";
    NumberRange, "number-range", "atoi", "limits";
    BadStream, "bad-stream", "input-after-output", "update";
    ExitTwice, "exit-twice", "from-a-handler", "one-after-another";
    BadSignal, "bad-signal", "raise-in-handler", "handlers";
    InconsistentOrder, "inconsistent-order", "not-transitive", "consistent";
    SetjmpContext, "setjmp-context", "assigned", "allowed";
    DeadJump, "dead-jump", "returned", "active";
    InfiniteLoop, "infinite-loop", "empty-body", "constant-condition";
    GotoIntoVla, "goto-into-vla", "goto", "out-of-scope";
    VlaLength, "vla-length", "negative", "positive";
    LengthMismatch, "length-mismatch", "argument", "same-lengths";
    AtomicMember, "atomic-member", "written", "copied";
    ComputedGoto, "computed-goto", "other-function", "threaded";
}
