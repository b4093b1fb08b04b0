//! The catalogue: every undefined behaviour that the machine detects, with its rule.

/// Declares the kinds of undefined behaviour: name in messages and options, clause
/// of C11, what Annex J.2 says of it, in our words.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $clause:literal,
        [$($item:literal),*], $rule:literal;)*) => {
        /// A rule whose violation is undefined.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum UbKind {
            $(#[doc = $rule] $variant,)*
        }

        impl UbKind {
            /// Every kind, in the order of the catalogue.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name used in messages, options and test directories.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The clause of C11.
            pub fn clause(self) -> &'static str {
                match self { $(Self::$variant => $clause,)* }
            }

            /// The items of Annex J.2, as `docs/reference/ub-catalogue.md` counts them.
            pub fn annex(self) -> &'static [u16] {
                match self { $(Self::$variant => &[$($item),*],)* }
            }

            /// The rule in one sentence.
            pub fn rule(self) -> &'static str {
                match self { $(Self::$variant => $rule,)* }
            }
        }
    };
}

kinds! {
    SignedOverflow, "signed-overflow", "6.5p5", [36], "The result of arithmetic on signed integers must be representable in its type.";
    DivisionByZero, "division-by-zero", "6.5.5p5", [45], "The second operand of / and % must not be zero.";
    ShiftCount, "shift-count", "6.5.7p3", [51], "A shift count must not be negative, nor reach the width of the promoted left operand.";
    ShiftOverflow, "shift-overflow", "6.5.7p4", [52], "A signed left operand of << must not be negative, and the result must be representable.";
    FloatToInteger, "float-to-integer", "6.3.1.4p1", [17], "A floating value converted to an integer type must fit it when its fraction is dropped.";
    NullDereference, "null-dereference", "6.5.3.2p4", [19, 43, 192], "A null pointer must not be dereferenced.";
    InvalidPointer, "invalid-pointer", "6.5.3.2p4", [19, 43], "A pointer that is dereferenced must have been made from an object.";
    OutOfBounds, "out-of-bounds", "6.5.6p8", [47, 49, 62, 109], "An access must stay inside its object.";
    PointerArithmetic, "pointer-arithmetic", "6.5.6p8", [46], "Pointer arithmetic must stay inside the array or one past its end.";
    Dangling, "dangling", "6.2.4p2", [9, 10, 177], "An object must not be used after its lifetime has ended.";
    Misaligned, "misaligned", "6.3.2.3p7", [25], "A pointer must be aligned for the type it points to.";
    Uninitialised, "uninitialised", "6.3.2.1p2", [11, 21, 180, 181], "An object must have a value before it is used.";
    InvalidBool, "invalid-bool", "6.2.6.1p5", [12], "A _Bool object must hold 0 or 1 when it is read.";
    EffectiveType, "effective-type", "6.5p7", [37], "An object must be accessed through a type that fits its effective type.";
    WriteToConst, "write-to-const", "6.7.3p6", [64], "An object defined const must not be modified.";
    VolatileAccess, "volatile-access", "6.7.3p6", [65], "An object defined volatile must be accessed through volatile lvalues.";
    Restrict, "restrict", "6.7.3.1p4", [68], "An object that is accessed through a restricted pointer, and modified, must be accessed through that pointer alone while its block runs.";
    RestrictAssignment, "restrict-assignment", "6.7.3.1p4", [69], "A restricted pointer must not be assigned a value based on another one of the same or an inner block.";
    WriteToString, "write-to-string", "6.4.5p7", [33], "A string literal must not be modified.";
    WriteToTemporary, "write-to-temporary", "6.2.4p8", [], "A structure that is a value, such as the result of a call, must not be modified through its array member.";
    OverlappingAssignment, "overlapping-assignment", "6.5.16.1p3", [54], "Objects that overlap must overlap exactly when one is assigned to the other.";
    PointerComparison, "pointer-comparison", "6.5.8p5", [53], "Pointers compared with < > <= >= must point into the same object.";
    PointerSubtraction, "pointer-subtraction", "6.5.6p9", [48], "Pointers that are subtracted must point into the same array.";
    Unsequenced, "unsequenced", "6.5p2", [35], "A side effect must be sequenced before or after every other access of the same object in the expression.";
    MissingReturn, "missing-return", "6.9.1p12", [88], "The value of a call must not be used if the function ended without returning one.";
    Unreachable, "unreachable", "GNU C", [], "__builtin_unreachable must not be reached.";
    BrokenPromise, "broken-promise", "6.7.6.3p7", [77], "What an attribute of a function, static in the brackets of a parameter, or a pragma before a loop promises to the compiler must be true.";
    NoreturnReturns, "noreturn-returns", "6.7.4p8", [71], "A _Noreturn function must not return.";
    CallType, "call-type", "6.5.2.2p9", [26, 41], "A function must be called through a type compatible with its definition.";
    CallArguments, "call-arguments", "6.5.2.2p6", [38, 39, 40], "Without a prototype, the arguments must agree with the parameters in number and type.";
    NotAFunction, "not-a-function", "6.5.2.2p9", [41], "Only functions can be called.";
    VaArg, "va-arg", "7.16.1.1p2", [136, 141], "va_arg must name the type of the next argument, and there must be one.";
    VaStart, "va-start", "7.16.1.4p4", [143], "va_start must name the last parameter, which must not be register, nor have a type that promotion changes.";
    VaEnd, "va-end", "7.16.1p1", [139, 142], "Every va_start and va_copy must be matched by one va_end, before the list is started again and before the function returns.";
    OverlappingCopy, "overlapping-copy", "7.24.2.1p2", [100], "The areas of memcpy, strcpy, sprintf and the like must not overlap.";
    BadFree, "bad-free", "7.22.3.3p2", [179], "Only a pointer from malloc and its kin that was not freed yet can be freed.";
    BadFormat, "bad-format", "7.21.6.1p9", [153, 155, 156, 157, 158, 160, 161, 162], "Each conversion of printf and scanf must be valid, and have an argument of its type.";
    CharacterRange, "character-range", "7.4p1", [113], "The argument of a function of ctype.h must be EOF or an unsigned char.";
    BuiltinArgument, "builtin-argument", "GNU C", [], "The argument of __builtin_clz and __builtin_ctz must not be zero.";
    AbsOverflow, "abs-overflow", "7.22.6.1p2", [119], "The result of abs and div must be representable.";
    NumberRange, "number-range", "7.22.1p1", [119, 165], "The number that atoi, scanf and their kin read must be representable.";
    BadStream, "bad-stream", "7.21.5.3p7", [149, 150, 151], "A stream must be opened with a valid mode, flushed or positioned between output and input, and not flushed after input.";
    ExitTwice, "exit-twice", "7.22.4.4p2", [182], "exit and quick_exit must not be called while the program is ending.";
    BadSignal, "bad-signal", "7.14.1.1p4", [131], "The handler of a signal that raise or abort caused must not call raise.";
    InconsistentOrder, "inconsistent-order", "7.22.5p4", [188, 189], "A comparison function must give one order and must not change the array, and bsearch needs an array in that order.";
    SetjmpContext, "setjmp-context", "7.13.1.1p5", [125], "setjmp must be a statement, or the controlling expression of one, alone, negated or compared with a constant.";
    DeadJump, "dead-jump", "7.13.2.1p2", [126], "longjmp must go back to a call of setjmp whose function is still active.";
    InfiniteLoop, "infinite-loop", "6.8.5p6", [], "A loop whose condition is no constant must end, or do something that can be observed.";
    GotoIntoVla, "goto-into-vla", "6.8.6.1p1", [], "A jump must not enter the scope of a variable-length array.";
    VlaLength, "vla-length", "6.7.6.2p5", [75], "The length of a variable-length array must be positive.";
    LengthMismatch, "length-mismatch", "6.7.6.2p6", [16, 76], "Array types that must be compatible must have the same length.";
    AtomicMember, "atomic-member", "6.5.2.3p5", [42], "A member of an atomic structure or union must not be accessed.";
    ComputedGoto, "computed-goto", "GNU C", [], "A computed goto must go to a label of its function.";
}

impl UbKind {
    /// Where the rule is written.
    pub fn citation(self) -> String {
        let clause = match self.clause() {
            clause if clause.starts_with(|first: char| first.is_ascii_digit()) => {
                format!("C11 {clause}")
            }
            other => other.to_owned(),
        };
        let items: Vec<String> = self.annex().iter().map(u16::to_string).collect();
        match items.len() {
            0 => clause,
            1 => format!("{clause}, item {} of Annex J.2", items[0]),
            _ => format!("{clause}, items {} of Annex J.2", items.join(", ")),
        }
    }
}

/// A choice that C leaves to the implementation, or leaves open.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cause {
    /// The result depends on where objects are in memory.
    Address,
    /// The result depends on bytes that have no specified value.
    Indeterminate,
    /// The result depends on the order of evaluation.
    Order,
    /// The result depends on how much the compiler finds out.
    Compiler,
    /// The result depends on a value that the library leaves open.
    Library,
}

impl Cause {
    /// Every cause.
    pub const ALL: &[Self] =
        &[Self::Address, Self::Indeterminate, Self::Order, Self::Compiler, Self::Library];

    /// The rule in one sentence.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Address => "The result must not depend on where objects are in memory.",
            Self::Indeterminate => "The result must not depend on bytes without a value.",
            Self::Order => "The result must not depend on the order of evaluation.",
            Self::Compiler => "The result must not depend on how much the compiler finds out.",
            Self::Library => "The result must not depend on what the library leaves open.",
        }
    }

    /// The name used in messages and test directories.
    pub fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Indeterminate => "indeterminate",
            Self::Order => "order",
            Self::Compiler => "compiler",
            Self::Library => "library",
        }
    }
}
