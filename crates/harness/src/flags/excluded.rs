//! Flags that are never tried, with the reason. Those of floating arithmetic have a table of
//! their own, by tier.

use super::floating::is_floating;

/// A row of the table: a name without `-f`, `-fno-` or `--param=`, or with `*` what it
/// begins with.
pub(super) struct Excluded {
    pub(super) name: &'static str,
    pub(super) reason: &'static str,
}

const fn row(name: &'static str, reason: &'static str) -> Excluded {
    Excluded { name, reason }
}

const OVERFLOW: &str = "gives a meaning to what is undefined, so that less can be optimised";
const LAYOUT: &str = "changes the layout of types or the way of calls, which libraries share";
const CHARACTERS: &str = "changes what characters are";
const INSTRUMENTS: &str = "adds checks or counters to the program";
const FILES: &str = "reads or writes other files";
const NOT_C: &str = "is for other languages";
const DEBUGGING: &str = "only changes information for debuggers";
const ANALYSIS: &str = "is for the analyser or a sanitizer, not for the optimiser";

/// The flags that change what a program means, or that are no optimisations.
pub(super) const EXCLUDED: &[Excluded] = &[
    row("wrapv*", OVERFLOW),
    row("trapv*", OVERFLOW),
    row("strict-*", OVERFLOW),
    row("merge-all-constants", "lets different constants have one address"),
    row("pack-struct*", LAYOUT),
    row("short-*", LAYOUT),
    row("reg-struct-return", LAYOUT),
    row("pcc-struct-return", LAYOUT),
    row("common", "changes which programs can be linked"),
    row("unsigned-*", CHARACTERS),
    row("signed-char", CHARACTERS),
    row("signed-bitfields", LAYOUT),
    row("exec-charset*", CHARACTERS),
    row("sanitize*", INSTRUMENTS),
    row("profile*", INSTRUMENTS),
    row("instrument*", INSTRUMENTS),
    row("branch-probabilities", FILES),
    row("auto-profile*", FILES),
    row("vpt", FILES),
    row("opt-info*", FILES),
    row("save-optimization-record*", FILES),
    row("patchable-function-entry*", "asks for a number of instructions"),
    row("tree-parallelize-loops*", "needs threads and a library for them"),
    row("live-patching*", "cannot be combined with most others"),
    row("section-anchors", "cannot be combined with -fno-toplevel-reorder"),
    row("whole-program", "is wrong where a program has several files"),
    row("sched-spec-load-dangerous", "moves loads that may trap"),
    row("rtti", NOT_C),
    row("threadsafe-statics", NOT_C),
    row("no-threadsafe-statics", NOT_C),
    row("handle-exceptions", NOT_C),
    row("lifetime-dse*", NOT_C),
    row("unconstrained-commons", NOT_C),
    row("devirtualize*", NOT_C),
    row("nothrow-opt", NOT_C),
    row("var-tracking*", DEBUGGING),
    row("keep-gc-roots-live", NOT_C),
    // Parameters.
    row("analyzer-*", ANALYSIS),
    row("asan-*", ANALYSIS),
    row("hwasan-*", ANALYSIS),
    row("tsan-*", ANALYSIS),
    row("ggc-*", "is about the memory of the compiler itself"),
    row("lto-*", "is about how linking is divided"),
    row("parloops-*", "needs threads and a library for them"),
    row("logical-op-non-short-circuit", "is for the tests of the compiler"),
    row("min-pagesize", "is about warnings"),
    row("destructive-interference-size", NOT_C),
    row("constructive-interference-size", NOT_C),
    row("hash-table-verification-limit", "is for the tests of the compiler"),
    row("dse-max-alias-queries-per-store", "makes compilations endless"),
    row("file-cache-*", "is about messages"),
    row("indir-call-topn-profile", FILES),
    row("profile-*", FILES),
];

/// Words with which no program can be judged, though the sizes of types stay as they are; with `*`,
/// what they begin with. The compiler itself tells of the others.
const REFUSED: &[Excluded] = &[
    row("-funsigned-bitfields", LAYOUT),
    row("-fno-signed-bitfields", LAYOUT),
    row("-freg-struct-return", LAYOUT),
    row("-fpcc-struct-return", LAYOUT),
    row("-mregparm*", LAYOUT),
    row("-msseregparm", LAYOUT),
    row("-mrtd", LAYOUT),
    row("-mno-sse", LAYOUT),
    row("-mno-sse2", LAYOUT),
    row("-mgeneral-regs-only", LAYOUT),
    row("-msoft-float", LAYOUT),
    row("-fexec-charset*", CHARACTERS),
    row("-fwide-exec-charset*", CHARACTERS),
    row("-finput-charset*", CHARACTERS),
    row("-fmerge-all-constants", "lets different constants have one address"),
    row("-fsched-spec-load-dangerous", "moves loads that may trap"),
    row("-ftree-parallelize-loops*", "needs threads and a library for them"),
    row("-fopenmp*", "needs threads and a library for them"),
    row("-funconstrained-commons", "is wrong for arrays of C"),
    row("-pedantic-errors", "refuses programs that are valid GNU C"),
    row("-fsyntax-only", "compiles nothing"),
];

/// The first flag with which no program can be judged, and the reason.
pub(crate) fn reason_to_refuse(flags: &[String]) -> Option<(&str, &'static str)> {
    flags.iter().find_map(|flag| {
        let row = REFUSED.iter().find(|row| fits(row, flag))?;
        Some((flag.as_str(), row.reason))
    })
}

/// Whether a row is about a name.
fn fits(row: &Excluded, name: &str) -> bool {
    match row.name.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == row.name,
    }
}

/// Whether a name, without what comes before and after it, is in the table, or is about floating
/// arithmetic.
pub(crate) fn is_excluded(name: &str) -> bool {
    is_floating(name) || EXCLUDED.iter().any(|row| fits(row, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_refused_with_its_reason() {
        let refused = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            reason_to_refuse(&words).map(|(flag, _)| flag.to_owned())
        };
        assert_eq!(refused("-O2 -mregparm=3"), Some("-mregparm=3".to_owned()));
        assert_eq!(refused("-O2 -fwrapv -fno-common -ffast-math"), None);
        for row in REFUSED {
            assert!(row.name.starts_with('-') && !row.reason.is_empty(), "{}", row.name);
        }
    }

    #[test]
    fn every_row_has_a_reason_and_stands_once() {
        for (index, row) in EXCLUDED.iter().enumerate() {
            assert!(!row.reason.is_empty() && !row.name.starts_with('-'), "{}", row.name);
            assert!(!EXCLUDED[..index].iter().any(|other| other.name == row.name), "{}", row.name);
        }
    }
}
