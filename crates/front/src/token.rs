//! Tokens.

use farrier_lang::{Dialect, Span, Symbol};

/// A token: its kind, its name if it is an identifier, and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// The name of an identifier or keyword.
    pub(crate) symbol: Option<Symbol>,
    pub(crate) span: Span,
}

/// Declares the kinds of token: punctuators with their text, and keywords with
/// every spelling and the first dialect that reserves each.
macro_rules! tokens {
    (
        punctuators { $($punctuator:ident = $text:literal;)* }
        keywords { $($keyword:ident = $($spelling:literal $since:ident)|+;)* }
    ) => {
        /// What a token is.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum TokenKind {
            End,
            Identifier,
            Number,
            Character,
            String,
            /// A line about the loop after it.
            Pragma,
            $($punctuator,)*
            $($keyword,)*
        }

        impl TokenKind {
            /// Whether a tag may follow.
            pub(crate) fn declares_tag(self) -> bool {
                matches!(self, Self::Struct | Self::Union | Self::Enum)
            }

            /// The token as one would write it in a message.
            pub(crate) fn text(self) -> &'static str {
                match self {
                    Self::End => "the end of the file",
                    Self::Identifier => "a name",
                    Self::Number => "a number",
                    Self::Character => "a character constant",
                    Self::String => "a string",
                    Self::Pragma => "a pragma",
                    $(Self::$punctuator => $text,)*
                    $(Self::$keyword => [$($spelling),+][0],)*
                }
            }
        }

        /// Every spelling of every keyword.
        pub(crate) const KEYWORDS: &[(&str, TokenKind, Dialect)] = &[
            $($(($spelling, TokenKind::$keyword, Dialect::$since),)+)*
        ];
    };
}

tokens! {
    punctuators {
        LeftParen = "(";
        RightParen = ")";
        LeftBracket = "[";
        RightBracket = "]";
        LeftBrace = "{";
        RightBrace = "}";
        Semicolon = ";";
        Comma = ",";
        Dot = ".";
        Arrow = "->";
        Ellipsis = "...";
        Colon = ":";
        ColonColon = "::";
        Question = "?";
        Equal = "=";
        PlusEqual = "+=";
        MinusEqual = "-=";
        StarEqual = "*=";
        SlashEqual = "/=";
        PercentEqual = "%=";
        AmpersandEqual = "&=";
        PipeEqual = "|=";
        CaretEqual = "^=";
        ShiftLeftEqual = "<<=";
        ShiftRightEqual = ">>=";
        PlusPlus = "++";
        MinusMinus = "--";
        Plus = "+";
        Minus = "-";
        Star = "*";
        Slash = "/";
        Percent = "%";
        Ampersand = "&";
        Pipe = "|";
        Caret = "^";
        Tilde = "~";
        Bang = "!";
        AndAnd = "&&";
        OrOr = "||";
        ShiftLeft = "<<";
        ShiftRight = ">>";
        Less = "<";
        Greater = ">";
        LessEqual = "<=";
        GreaterEqual = ">=";
        EqualEqual = "==";
        BangEqual = "!=";
    }
    keywords {
        Alignas = "_Alignas" C99 | "alignas" C23;
        Alignof = "_Alignof" C99 | "alignof" C23;
        AlignofGnu = "__alignof__" C99 | "__alignof" C99;
        Asm = "asm" C99 | "__asm__" C99 | "__asm" C99;
        Atomic = "_Atomic" C99;
        Attribute = "__attribute__" C99 | "__attribute" C99;
        Auto = "auto" C99;
        AutoType = "__auto_type" C99;
        BitInt = "_BitInt" C99;
        Bool = "_Bool" C99 | "bool" C23;
        Break = "break" C99;
        BuiltinVaList = "__builtin_va_list" C99;
        Case = "case" C99;
        Char = "char" C99;
        Complex = "_Complex" C99 | "__complex__" C99 | "__complex" C99;
        Const = "const" C99 | "__const" C99 | "__const__" C99;
        Constexpr = "constexpr" C23;
        Continue = "continue" C99;
        Decimal32 = "_Decimal32" C99;
        Decimal64 = "_Decimal64" C99;
        Decimal128 = "_Decimal128" C99;
        Default = "default" C99;
        Do = "do" C99;
        Double = "double" C99;
        Else = "else" C99;
        Enum = "enum" C99;
        Extension = "__extension__" C99;
        Extern = "extern" C99;
        False = "false" C23;
        Float = "float" C99;
        Float128 = "_Float128" C99 | "__float128" C99;
        Float16 = "_Float16" C99;
        Float32 = "_Float32" C99;
        Float32x = "_Float32x" C99;
        Float64 = "_Float64" C99;
        Float64x = "_Float64x" C99;
        For = "for" C99;
        FunctionName = "__func__" C99 | "__FUNCTION__" C99 | "__PRETTY_FUNCTION__" C99;
        Generic = "_Generic" C99;
        Goto = "goto" C99;
        If = "if" C99;
        Imag = "__imag__" C99 | "__imag" C99;
        Inline = "inline" C99 | "__inline" C99 | "__inline__" C99;
        Int = "int" C99;
        Int128 = "__int128" C99 | "__int128_t" C99;
        Label = "__label__" C99;
        Long = "long" C99;
        Noreturn = "_Noreturn" C99;
        Nullptr = "nullptr" C23;
        Offsetof = "__builtin_offsetof" C99;
        Real = "__real__" C99 | "__real" C99;
        Register = "register" C99;
        Restrict = "restrict" C99 | "__restrict" C99 | "__restrict__" C99;
        Return = "return" C99;
        Short = "short" C99;
        Signed = "signed" C99 | "__signed" C99 | "__signed__" C99;
        Sizeof = "sizeof" C99;
        Static = "static" C99;
        StaticAssert = "_Static_assert" C99 | "static_assert" C23;
        Struct = "struct" C99;
        Switch = "switch" C99;
        Thread = "_Thread_local" C99 | "__thread" C99 | "thread_local" C23;
        True = "true" C23;
        Typedef = "typedef" C99;
        Typeof = "typeof" C99 | "__typeof__" C99 | "__typeof" C99;
        TypeofUnqual = "typeof_unqual" C23;
        UInt128 = "__uint128_t" C99;
        Union = "union" C99;
        Unsigned = "unsigned" C99;
        VaArg = "__builtin_va_arg" C99;
        TypesCompatible = "__builtin_types_compatible_p" C99;
        ChooseExpr = "__builtin_choose_expr" C99;
        ConvertVector = "__builtin_convertvector" C99;
        Void = "void" C99;
        Volatile = "volatile" C99 | "__volatile" C99 | "__volatile__" C99;
        While = "while" C99;
    }
}
