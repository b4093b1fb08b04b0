//! The passes, and how one sees that they fired.

/// How often the passes with a goal fired in 100 programs of 20 KB of preset default when nests
/// were first drawn (commit f7703963).
pub(super) const BEFORE: u64 = 1_079;

/// What compilers say of a program.
#[derive(Default)]
pub(super) struct Said {
    /// The remarks of gcc.
    pub(super) gcc: String,
    /// The dump of predictive commoning, of which there are no remarks.
    pub(super) commoning: String,
    /// The program after if-conversion, of which there are none either.
    pub(super) conversion: String,
    /// The remarks of clang.
    pub(super) clang: String,
}

/// Where a compiler says it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Gcc,
    Commoning,
    Conversion,
    Clang,
}

/// A row of the table.
pub(super) struct Pass {
    pub(super) name: &'static str,
    /// In how many of 100 programs of preset `loops` it must fire; 0 without a goal.
    pub(super) goal: u64,
    place: Where,
    /// A line with one of these texts says that it fired.
    texts: &'static [&'static str],
}

const fn row(name: &'static str, goal: u64, place: Where, texts: &'static [&'static str]) -> Pass {
    Pass { name, goal, place, texts }
}

use Where::{Clang, Commoning, Conversion, Gcc};

const ALIASING: &str = "because of possible aliasing";
const STRIDES: &str = "for when certain strides are 1";

/// Every pass. gcc 12 vectorises no loop with an early exit, so that has no row.
#[rustfmt::skip]
pub(super) static PASSES: &[Pass] = &[
    row("loop vectorised", 60, Gcc, &["optimized: loop vectorized"]),
    row("basic block vectorised (SLP)", 40, Gcc, &["basic block part vectorized"]),
    row("predictive commoning", 10, Commoning, &["Executing predictive commoning", "Unrolling "]),
    row("interchange", 10, Gcc, &["loops interchanged"]),
    row("unroll and jam", 10, Gcc, &["applying unroll and jam"]),
    row("distribution", 10, Gcc, &["distributed: split"]),
    row("unswitching", 10, Gcc, &["Unswitching loop"]),
    row("splitting", 10, Gcc, &["optimized: loop split"]),
    row("versioning", 10, Gcc, &[ALIASING, STRIDES]),
    // Each converted loop is a copy, chosen by this function until the vectoriser decides.
    row("if-conversion", 10, Conversion, &[".LOOP_VECTORIZED ("]),
    row("distribution, library calls", 0, Gcc, &["transformed into a builtin", " and 1 library calls", " and 2 library calls"]),
    row("loop split into several", 0, Gcc, &["split to 2 loops", "split to 3 loops"]),
    row("versioning for aliasing", 0, Gcc, &[ALIASING]),
    row("versioning for strides", 0, Gcc, &[STRIDES]),
    row("versioning for alignment or rounds", 0, Gcc, &["to enhance alignment", "versioned for vectorization to"]),
    row("completely unrolled", 0, Gcc, &["completely unrolled"]),
    row("unrolled", 0, Gcc, &["loop unrolled"]),
    row("peeled", 0, Gcc, &["loop peeled", "peeled loop"]),
    row("turned into no loop", 0, Gcc, &["turned into non-loop"]),
    row("loop-vectorize", 0, Clang, &["[-Rpass=loop-vectorize]"]),
    row("slp-vectorizer", 0, Clang, &["[-Rpass=slp-vectorizer]"]),
    row("loop-unroll", 0, Clang, &["[-Rpass=loop-unroll]"]),
    row("loop-idiom", 0, Clang, &["[-Rpass=loop-idiom]"]),
    row("loop-interchange", 0, Clang, &["[-Rpass=loop-interchange]"]),
    row("loop-distribute", 0, Clang, &["[-Rpass=loop-distribute]"]),
    row("loop-delete", 0, Clang, &["[-Rpass=loop-delete]"]),
    row("licm", 0, Clang, &["[-Rpass=licm]"]),
    row("gvn", 0, Clang, &["[-Rpass=gvn]"]),
];

impl Pass {
    /// Whether it is one of gcc.
    pub(super) fn is_gcc(&self) -> bool {
        self.place != Where::Clang
    }

    /// How often it fired.
    pub(super) fn times(&self, said: &Said) -> u64 {
        let text = match self.place {
            Where::Gcc => &said.gcc,
            Where::Commoning => &said.commoning,
            Where::Conversion => &said.conversion,
            Where::Clang => &said.clang,
        };
        let fires = |line: &&str| self.texts.iter().any(|text| line.contains(text));
        text.lines().filter(fires).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_counts_for_its_passes_alone() {
        let gcc = "a.c:3:1: optimized: loop vectorized using 16 byte vectors\n\
                   a.c:4:1: optimized: Loop 1 distributed: split to 0 loops and 1 library calls.\n";
        let said = Said { gcc: gcc.to_owned(), ..Said::default() };
        let fired: Vec<&str> =
            PASSES.iter().filter(|pass| pass.times(&said) > 0).map(|pass| pass.name).collect();
        assert_eq!(fired, ["loop vectorised", "distribution", "distribution, library calls"]);
    }
}
