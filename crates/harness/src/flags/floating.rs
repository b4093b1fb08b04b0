//! Flags that change floating arithmetic, with the programs that may meet them.
//!
//! A program is known to do one thing under the arithmetic of IEEE 754. Its tier says what else a
//! compiler may do without changing that, and so which of these flags prove anything.

use farrier_machine::Tier;

/// A row of the table.
struct FloatingFlag {
    /// The word of the command line; with `*`, what it begins with.
    flag: &'static str,
    /// The strictest tier that allows it; `None` if only a program without floating numbers may
    /// meet it.
    strictest: Option<Tier>,
    /// What it does.
    reason: &'static str,
}

const fn all(flag: &'static str, reason: &'static str) -> FloatingFlag {
    FloatingFlag { flag, strictest: Some(Tier::Rounded), reason }
}

const fn exact(flag: &'static str, reason: &'static str) -> FloatingFlag {
    FloatingFlag { flag, strictest: Some(Tier::Exact), reason }
}

const fn free(flag: &'static str, reason: &'static str) -> FloatingFlag {
    FloatingFlag { flag, strictest: Some(Tier::Free), reason }
}

const fn never(flag: &'static str, reason: &'static str) -> FloatingFlag {
    FloatingFlag { flag, strictest: None, reason }
}

const FAST: &str = "regroups, contracts, and forgets NaN, infinities and the sign of zeros";
const REGROUPS: &str = "regroups sums and products";
const FLUSH: &str = "makes zeros of subnormal numbers";
const COMPLEX: &str = "computes complex products and quotients by formulas that round on the way";
const APPROXIMATES: &str = "replaces functions and quotients by approximations";
const CONTRACTS: &str = "rounds a product and a sum once";
const DIGITS: &str = "changes with how many digits is computed";
const FINITE: &str = "assumes that there are no NaN and no infinities";
const STRICT: &str = "forbids the compiler something";
const UNSEEN: &str = "changes traps and exceptions, which no program sees";
const USUAL: &str = "is so by default";
const OTHER_TYPES: &str = "changes what constants or types are";

/// The first row that fits decides. Each form is a row of its own: `-fno-signed-zeros` allows the
/// compiler something, and `-fsigned-zeros` does not.
const FLOATING: &[FloatingFlag] = &[
    free("-Ofast", FAST),
    free("-ffast-math", FAST),
    free("-funsafe-math-optimizations", FAST),
    free("-ffp-model=fast", FAST),
    free("-ffp-model=aggressive", FAST),
    free("-fassociative-math", REGROUPS),
    // What comes after -mllvm: a loop that must be vectorised is one whose sums may be regrouped.
    free("-force-vector-width=*", REGROUPS),
    free("-freciprocal-math", "multiplies by a reciprocal, which may be rounded"),
    free("-fno-signed-zeros", "forgets the sign of zeros"),
    free("-fcx-*", COMPLEX),
    free("-fcomplex-arithmetic=*", COMPLEX),
    free("-fapprox-func", APPROXIMATES),
    free("-fveclib=*", APPROXIMATES),
    all("-fdenormal-fp-math=ieee", USUAL),
    free("-fdenormal-fp-math*", FLUSH),
    free("-mdaz-ftz", FLUSH),
    exact("-ffinite-math-only", FINITE),
    exact("-fno-honor-*", FINITE),
    exact("-mno-ieee-fp", FINITE),
    exact("-fno-math-errno", "lets functions leave errno as it is"),
    all("-ffp-contract=off", STRICT),
    exact("-ffp-contract=*", CONTRACTS),
    exact("-mfused-madd", CONTRACTS),
    exact("-ffp-model=precise", CONTRACTS),
    // In clang it leads back to -ffp-contract=on.
    exact("-fno-fast-math", CONTRACTS),
    exact("-fno-unsafe-math-optimizations", CONTRACTS),
    all("-ffp-eval-method=source", USUAL),
    exact("-ffp-eval-method=*", DIGITS),
    exact("-fexcess-precision=*", DIGITS),
    exact("-ffloat-store", DIGITS),
    all("-mfpmath=sse", USUAL),
    exact("-mfpmath=*", DIGITS),
    all("-ffp-model=strict", STRICT),
    all("-frounding-math", STRICT),
    all("-fno-rounding-math", USUAL),
    all("-ftrapping-math", UNSEEN),
    all("-fno-trapping-math", UNSEEN),
    all("-fsignaling-nans", STRICT),
    all("-fno-signaling-nans", USUAL),
    all("-ffp-int-builtin-inexact", UNSEEN),
    all("-fno-fp-int-builtin-inexact", UNSEEN),
    all("-ffp-exception-behavior=*", UNSEEN),
    all("-fmath-errno", STRICT),
    all("-fsigned-zeros", STRICT),
    all("-fno-associative-math", STRICT),
    all("-fno-reciprocal-math", STRICT),
    all("-fno-finite-math-only", STRICT),
    all("-fhonor-*", STRICT),
    all("-fno-approx-func", STRICT),
    all("-fprotect-parens", STRICT),
    all("-fno-float-store", USUAL),
    all("-fno-single-precision-constant", USUAL),
    all("-mno-fused-madd", STRICT),
    all("-mno-daz-ftz", STRICT),
    all("-mno-recip", STRICT),
    all("-mieee-fp", USUAL),
    // 1 / x is wrong in its last digits, even for a power of two.
    never("-mrecip*", APPROXIMATES),
    // Not every constant of a program of tier free fits into a float.
    never("-fsingle-precision-constant", OTHER_TYPES),
    never("-mlong-double-*", OTHER_TYPES),
    // The long double of x87 gets fewer digits than its type has.
    never("-mpc32", DIGITS),
    never("-mpc64", DIGITS),
    // What comes after -mllvm, and forms that no tier has a proof for.
    never("-fp-contract*", CONTRACTS),
    never("-enable-unsafe-fp-math*", FAST),
    never("-ffp-*", "changes floating arithmetic in a way that is not known here"),
    never("-cl-*", FAST),
];

/// Whether a word is in a row.
fn fits(row: &FloatingFlag, word: &str) -> bool {
    match row.flag.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning),
        None => word == row.flag,
    }
}

/// Why a program of a tier may not meet these words of a command line; `None` if it may.
pub fn refusal<'a>(words: impl IntoIterator<Item = &'a str>, tier: Tier) -> Option<String> {
    let row = |word| FLOATING.iter().find(|row| fits(row, word));
    let wrong = |word| row(word).filter(|row| row.strictest.is_none_or(|most| tier > most));
    let (word, row) = words.into_iter().find_map(|word| Some((word, wrong(word)?)))?;
    Some(format!("{word} {}, and the floating arithmetic is {}", row.reason, tier.name()))
}

/// Whether a flag, without what comes before and after its name, is about floating arithmetic.
pub(super) fn is_floating(name: &str) -> bool {
    FLOATING.iter().any(|row| {
        let Some(own) = row.flag.strip_prefix("-f") else { return false };
        let own = own.strip_prefix("no-").unwrap_or(own);
        match own.split_once('=') {
            Some((own, _)) => name == own,
            None => match own.strip_suffix('*') {
                Some(beginning) => name.starts_with(beginning),
                None => name == own,
            },
        }
    })
}

/// Forms that are drawn, as far as a compiler takes them and the tier of a program allows.
pub(super) const FORMS: &[(&str, &[&[&str]])] = &[
    ("fast-math", &[&["-ffast-math"], &["-Ofast"], &["-funsafe-math-optimizations"]]),
    // Without the other two it does nothing.
    ("associative-math", &[&["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]]),
    ("reciprocal-math", &[&["-freciprocal-math"]]),
    ("signed-zeros", &[&["-fno-signed-zeros"]]),
    ("complex", &[&["-fcx-limited-range"], &["-fcx-fortran-rules"]]),
    ("finite-math-only", &[&["-ffinite-math-only"]]),
    ("math-errno", &[&["-fno-math-errno"]]),
    ("fp-contract", &[&["-ffp-contract=fast"], &["-ffp-contract=on"]]),
    ("fp-model", &[&["-ffp-model=fast"], &["-ffp-model=precise"], &["-ffp-model=strict"]]),
    ("float-store", &[&["-ffloat-store"]]),
    ("excess-precision", &[&["-fexcess-precision=fast"], &["-fexcess-precision=standard"]]),
    ("rounding-math", &[&["-frounding-math"]]),
    ("trapping-math", &[&["-ftrapping-math"], &["-fno-trapping-math"]]),
    ("signaling-nans", &[&["-fsignaling-nans"]]),
    ("builtin-inexact", &[&["-fno-fp-int-builtin-inexact"]]),
];

/// The same for x86.
pub(super) const X86_FORMS: &[(&str, &[&[&str]])] =
    &[("fpmath", &[&["-mfpmath=387"], &["-mfpmath=both"]])];

/// The same for x86 where the processor can add a product at once.
pub(super) const FMA_FORMS: &[(&str, &[&[&str]])] =
    &[("fma", &[&["-mfma", "-ffp-contract=fast"], &["-mfma"]])];

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(words: &[&str]) -> Vec<Tier> {
        let fine = |tier: &Tier| refusal(words.iter().copied(), *tier).is_none();
        Tier::ALL.into_iter().filter(fine).collect()
    }

    #[test]
    fn a_tier_allows_what_changes_nothing_in_its_programs() {
        use Tier::{Exact, Free, Rounded};
        for (words, tiers) in [
            (&["-O3", "-fno-gcse", "-march=x86-64-v3", "-mfma"][..], &[Free, Exact, Rounded][..]),
            (&["-O2", "-ffp-contract=off", "-mfpmath=sse"], &[Free, Exact, Rounded]),
            (&["-frounding-math", "-fno-trapping-math"], &[Free, Exact, Rounded]),
            (&["-ffp-contract=off", "-O3", "-ffp-contract=fast"], &[Free, Exact]),
            (&["-mfpmath=387"], &[Free, Exact]),
            (&["-ffloat-store", "-fexcess-precision=standard"], &[Free, Exact]),
            (&["-ffinite-math-only"], &[Free, Exact]),
            (&["-Ofast"], &[Free]),
            (&["-ffinite-math-only", "-fno-signed-zeros"], &[Free]),
            (&["-freciprocal-math"], &[Free]),
            (&["-mllvm", "-force-vector-width=4"], &[Free]),
            (&["-mllvm", "-force-vector-interleave=4"], &[Free, Exact, Rounded]),
            (&["-ffast-math", "-mrecip=all"], &[]),
            (&["-fsingle-precision-constant"], &[]),
            (&["-mllvm", "-fp-contract=fast"], &[]),
            (&["-ffp-something-new"], &[]),
        ] {
            assert_eq!(allows(words), tiers, "{words:?}");
        }
    }

    #[test]
    fn rows_stand_once_and_no_row_hides_a_later_one() {
        for (index, row) in FLOATING.iter().enumerate() {
            assert!(row.flag.starts_with('-') && !row.reason.is_empty(), "{}", row.flag);
            let hidden = FLOATING[..index].iter().find(|earlier| fits(earlier, row.flag));
            assert!(hidden.is_none(), "{}", row.flag);
        }
    }

    /// A form of a tier is allowed for every tier that allows more.
    #[test]
    fn every_form_has_a_row_and_a_tier() {
        for (name, forms) in FORMS.iter().chain(X86_FORMS).chain(FMA_FORMS) {
            for form in *forms {
                let tiers = allows(form);
                assert!(tiers.first() == Some(&Tier::Free), "{name}: {form:?}");
                let known = form.iter().any(|word| FLOATING.iter().any(|row| fits(row, word)));
                assert!(known || *form == ["-mfma"], "{form:?}");
            }
        }
    }
}
