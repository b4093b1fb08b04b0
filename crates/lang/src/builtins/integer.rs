//! Bits, byte order and overflow.

use super::table::rows;
use super::{BuiltinRow, GenericRule, Prototype};

/// Counting bits and swapping bytes.
pub(super) static BITS: &[BuiltinRow] = rows! {
    compiler "clz" "iI"
    compiler "clzl" "iL"
    compiler "clzll" "iQ"
    compiler "clzimax" "iJ"
    compiler "ctz" "iI"
    compiler "ctzl" "iL"
    compiler "ctzll" "iQ"
    compiler "ctzimax" "iJ"
    compiler "clrsb" "ii"
    compiler "clrsbl" "il"
    compiler "clrsbll" "iq"
    compiler "clrsbimax" "ij"
    compiler "parity" "iI"
    compiler "parityl" "iL"
    compiler "parityll" "iQ"
    compiler "parityimax" "iJ"
    compiler "popcount" "iI"
    compiler "popcountl" "iL"
    compiler "popcountll" "iQ"
    compiler "popcountimax" "iJ"
    library "ffs" "ii"
    library "ffsl" "il"
    library "ffsll" "iq"
    library "ffsimax" "ij"
    compiler "bswap16" "22"
    compiler "bswap32" "44"
    compiler "bswap64" "88"
    compiler "bswap128" "XX"
    // Newer than gcc 12: an argument of any unsigned type, and for some a result for zero.
    compiler "clzg" AnyToInt
    compiler "ctzg" AnyToInt
    compiler "clrsbg" AnyToInt
    compiler "ffsg" AnyToInt
    compiler "parityg" AnyToInt
    compiler "popcountg" AnyToInt
};

/// Arithmetic that tells whether it overflowed.
pub(super) static OVERFLOW: &[BuiltinRow] = rows! {
    compiler "add_overflow" Overflow
    compiler "add_overflow_p" OverflowTest
    compiler "sub_overflow" Overflow
    compiler "sub_overflow_p" OverflowTest
    compiler "mul_overflow" Overflow
    compiler "mul_overflow_p" OverflowTest
    compiler "sadd_overflow" "bii*i"
    compiler "saddl_overflow" "bll*l"
    compiler "saddll_overflow" "bqq*q"
    compiler "ssub_overflow" "bii*i"
    compiler "ssubl_overflow" "bll*l"
    compiler "ssubll_overflow" "bqq*q"
    compiler "smul_overflow" "bii*i"
    compiler "smull_overflow" "bll*l"
    compiler "smulll_overflow" "bqq*q"
    compiler "uadd_overflow" "bII*I"
    compiler "uaddl_overflow" "bLL*L"
    compiler "uaddll_overflow" "bQQ*Q"
    compiler "usub_overflow" "bII*I"
    compiler "usubl_overflow" "bLL*L"
    compiler "usubll_overflow" "bQQ*Q"
    compiler "umul_overflow" "bII*I"
    compiler "umull_overflow" "bLL*L"
    compiler "umulll_overflow" "bQQ*Q"
};

/// What only clang has.
pub(super) static CLANG: &[BuiltinRow] = rows! {
    compiler "bitreverse8" "11"
    compiler "rotateleft8" "111"
    compiler "rotateright8" "111"
    compiler "bitreverse16" "22"
    compiler "rotateleft16" "222"
    compiler "rotateright16" "222"
    compiler "bitreverse32" "44"
    compiler "rotateleft32" "444"
    compiler "rotateright32" "444"
    compiler "bitreverse64" "88"
    compiler "rotateleft64" "888"
    compiler "rotateright64" "888"
    compiler "addcb" "1111*1"
    compiler "addcs" "HHHH*H"
    compiler "addc" "IIII*I"
    compiler "addcl" "LLLL*L"
    compiler "addcll" "QQQQ*Q"
    compiler "subcb" "1111*1"
    compiler "subcs" "HHHH*H"
    compiler "subc" "IIII*I"
    compiler "subcl" "LLLL*L"
    compiler "subcll" "QQQQ*Q"
};
