//! What compilers say when they fail: the one place that finds meaning in text.

/// What a message tells about a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// It is about the machine; with the line that says so.
    Infrastructure(String),
    OutOfMemory,
    Timeout,
    Crash,
}

/// A row of the table of messages.
struct Row {
    says: &'static str,
    means: Meaning,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Meaning {
    Infrastructure,
    OutOfMemory,
    Timeout,
    Crash,
}

const fn row(means: Meaning, says: &'static str) -> Row {
    Row { says, means }
}

/// What compilers write. A message that says several of these means the first meaning in
/// the order of [`Meaning`]: a compiler that found no memory may well call that an
/// internal error.
const MESSAGES: &[Row] = &[
    row(Meaning::Infrastructure, "No space left on device"),
    row(Meaning::Infrastructure, "Disk quota exceeded"),
    row(Meaning::Infrastructure, "Read-only file system"),
    row(Meaning::Infrastructure, "Input/output error"),
    row(Meaning::Infrastructure, "Too many open files"),
    row(Meaning::Infrastructure, "Resource temporarily unavailable"),
    row(Meaning::Infrastructure, "Text file busy"),
    row(Meaning::Infrastructure, "Permission denied"),
    row(Meaning::Infrastructure, "File too large"),
    // gcc, when the kernel or a person kills the compiler proper.
    row(Meaning::Infrastructure, "Killed signal terminated program"),
    row(Meaning::Infrastructure, "Terminated signal terminated program"),
    row(Meaning::Infrastructure, "Interrupt signal terminated program"),
    row(Meaning::Infrastructure, "Hangup signal terminated program"),
    row(Meaning::Infrastructure, "File size limit exceeded signal terminated program"),
    // clang.
    row(Meaning::Infrastructure, "unable to execute command: Killed"),
    row(Meaning::Infrastructure, "unable to execute command: Terminated"),
    // The linker crashes, which is another program than the compiler. With `-flto` a
    // part of the compiler runs inside it, and it cannot be told which of the two it was.
    row(Meaning::Infrastructure, "ld terminated with signal"),
    row(Meaning::Infrastructure, "linker command failed due to signal"),
    row(Meaning::Infrastructure, "BFD (GNU Binutils"),
    // Flags that clang knows, but not together.
    row(Meaning::Infrastructure, "Must use fast (default) register allocator"),
    // nvcc, when a part of it is killed.
    row(Meaning::Infrastructure, "died due to signal 2 "),
    row(Meaning::Infrastructure, "died due to signal 9 "),
    row(Meaning::Infrastructure, "died due to signal 15 "),
    row(Meaning::Infrastructure, "died due to signal 25 "),
    // Its host compiler is another program.
    row(Meaning::Infrastructure, "'cpp' died due to signal"),
    row(Meaning::Infrastructure, "'gcc' died due to signal"),
    // A compiler that is only half installed.
    row(Meaning::Infrastructure, "fatal error: cannot execute"),
    row(Meaning::Infrastructure, "error trying to exec"),
    row(Meaning::Infrastructure, "unable to execute command: Executable"),
    row(Meaning::Infrastructure, "fatal error: no input files"),
    row(Meaning::Infrastructure, "No such file or directory"),
    row(Meaning::Infrastructure, "cannot find crt1.o"),
    row(Meaning::Infrastructure, "cannot find -lgcc"),
    row(Meaning::Infrastructure, "error while loading shared libraries"),
    row(Meaning::OutOfMemory, "virtual memory exhausted"),
    row(Meaning::OutOfMemory, "out of memory"),
    row(Meaning::OutOfMemory, "Out of memory"),
    row(Meaning::OutOfMemory, "annot allocate memory"),
    row(Meaning::OutOfMemory, "memory exhausted"),
    row(Meaning::OutOfMemory, "memory full"),
    row(Meaning::OutOfMemory, "std::bad_alloc"),
    row(Meaning::OutOfMemory, "memory allocation of"),
    row(Meaning::Timeout, "CPU time limit exceeded"),
    row(Meaning::Timeout, "died due to signal 24 "),
    row(Meaning::Crash, "internal compiler error"),
    row(Meaning::Crash, "Internal compiler error"),
    // The parts of nvcc.
    row(Meaning::Crash, "Internal Compiler Error"),
    row(Meaning::Crash, "Broken module found"),
    row(Meaning::Crash, "died due to signal"),
    // SDCC.
    row(Meaning::Crash, "Compiler Internal Error"),
    row(Meaning::Crash, "internal error"),
    row(Meaning::Crash, "lease submit a full bug report"),
    row(Meaning::Crash, "PLEASE submit a bug report"),
    row(Meaning::Crash, "Stack dump:"),
    row(Meaning::Crash, "LLVM ERROR:"),
    row(Meaning::Crash, "error in backend"),
    row(Meaning::Crash, "frontend command failed"),
    row(Meaning::Crash, "UNREACHABLE executed"),
    row(Meaning::Crash, "Assertion `"),
    row(Meaning::Crash, "Assertion failed"),
    row(Meaning::Crash, "assertion failed"),
    row(Meaning::Crash, "signal terminated program"),
    row(Meaning::Crash, "terminated with signal"),
    row(Meaning::Crash, "unable to execute command: Segmentation fault"),
    row(Meaning::Crash, "unable to execute command: Aborted"),
    row(Meaning::Crash, "Segmentation fault"),
    row(Meaning::Crash, "ERROR: AddressSanitizer"),
    // Compilers in Rust and Zig.
    row(Meaning::Crash, "' panicked at "),
    row(Meaning::Crash, " panic: "),
];

/// What the messages of a compiler that failed mean; `None` if they are about the program.
/// Lines that quote the program, as compilers do with a bar in the margin, do not count.
pub(super) fn classify(text: &str) -> Option<Class> {
    let lines = text.lines().filter(|line| !is_quotation(line));
    let (meaning, line) = lines
        .filter_map(|line| {
            let rows = MESSAGES.iter().filter(|row| line.contains(row.says));
            rows.map(|row| row.means).min().map(|meaning| (meaning, line))
        })
        .min_by_key(|(meaning, _)| *meaning)?;
    Some(match meaning {
        Meaning::Infrastructure => Class::Infrastructure(line.trim().to_owned()),
        Meaning::OutOfMemory => Class::OutOfMemory,
        Meaning::Timeout => Class::Timeout,
        Meaning::Crash => Class::Crash,
    })
}

/// What compilers and linkers say where the flags or the size of the machine are to blame.
const NOT_ABOUT_THE_PROGRAM: &[&str] = &[
    "unrecognized command-line option",
    "unrecognized command line option",
    "unrecognized argument",
    "unknown argument",
    "unknown option",
    "unsupported option",
    "unknown target CPU",
    "bad value",
    "invalid value",
    "invalid --param",
    "invalid argument",
    "invalid option",
    "not supported in this configuration",
    "not supported for this target",
    "is not supported",
    "sorry, unimplemented",
    // Linkers, when the memory of a small machine is full.
    "will not fit in region",
    "overflowed by",
    "relocation truncated to fit",
    "file not found",
    // nvcc, when a value is newer than it is.
    "is not defined for option",
    // nvcc, where two flags mean the same option of its middle end.
    "libnvvm : error: -",
    // nvcc takes what it cannot evaluate itself for code that runs before `main`.
    "dynamic initialization is not supported",
    // clang for i386 calls functions of its own library, such as `__mulodi4`, which the
    // library of gcc does not have: a matter of what is installed.
    "undefined reference to `__",
];

/// The line of an error message that has nothing to do with whether the program is valid.
pub(crate) fn not_about_the_program(text: &str) -> Option<&str> {
    let mut lines = text.lines().filter(|line| !is_quotation(line));
    lines.find(|line| {
        NOT_ABOUT_THE_PROGRAM.iter().any(|says| line.contains(says)) || is_warning(line)
    })
}

/// The header that a preprocessor does not find, if that is what it says: gcc, clang, tcc.
///
/// `t.c:1:10: fatal error: a.h: No such file or directory`
pub(crate) fn missing_header(text: &str) -> Option<&str> {
    const ENDS: [&str; 3] = [": No such file or directory", " file not found", " not found"];
    let mut lines = text.lines().filter(|line| !is_quotation(line));
    lines.find_map(|line| {
        let (_, error) = line.split_once("error: ")?;
        let header = ENDS.iter().find_map(|end| error.trim().strip_suffix(end))?;
        Some(header.trim_start_matches("include file ").trim_matches('\''))
    })
}

/// `t.c:1:5: error: chained comparison ... [-Wparentheses]`: a warning that is an error by
/// default is advice, and the program is valid.
fn is_warning(line: &str) -> bool {
    line.contains("error: ") && line.ends_with(']') && line.contains(" [-W")
}

/// `   12 |   puts("out of memory");`
fn is_quotation(line: &str) -> bool {
    let (margin, _) = line.split_once('|').unwrap_or(("x", ""));
    margin.chars().all(|c| c == ' ' || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_no_rejection() {
        // gcc 12, clang 14, pcc, and a compiler in Rust.
        for text in [
            "during GIMPLE pass: ch\nt.c: In function 'main':\nt.c:3:1: internal compiler error: \
             in gimple_can_duplicate_bb_p, at tree-cfg.cc:6260\nPlease submit a full bug report",
            "cc1: internal compiler error: Segmentation fault signal terminated program cc1",
            "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/ and \
             include the crash backtrace\nStack dump:\n0.\tProgram arguments: clang",
            "fatal error: error in backend: Cannot select: t5: i64",
            "t.c, line 3: compiler error: major internal error",
            "clang-14: ../lib/IR/Value.cpp:503: Assertion `!New->uses()' failed.",
            "thread 'main' panicked at src/lib.rs:3:5:",
            "<unnamed>: parse Broken module found, compilation aborted!\n\
             nvcc error   : 'cicc' died due to signal 6 ",
        ] {
            assert_eq!(classify(text), Some(Class::Crash), "{text}");
        }
    }

    #[test]
    fn a_header_that_is_missing_is_named() {
        for text in [
            "t.c:1:10: fatal error: a/b.h: No such file or directory\n    1 | #include <a/b.h>",
            "In file included from t.c:1:\nu.h:1:10: fatal error: 'a/b.h' file not found",
            "t.c:1: error: include file 'a/b.h' not found",
        ] {
            assert_eq!(missing_header(text), Some("a/b.h"), "{text}");
        }
        assert_eq!(missing_header("t.c:1:2: error: #error \"no\""), None);
    }

    #[test]
    fn a_rejection_is_no_crash() {
        for text in [
            "t.c:3:5: error: 'x' undeclared (first use in this function)",
            "t.c:1:2: error: #error \"no\"",
            "/usr/bin/ld: t.o: undefined reference to `f'\ncollect2: error: ld returned 1 exit status",
            "t.c:3: error: bad\n    3 | puts(\"internal compiler error: out of memory\");\n      | ^~~",
            "",
        ] {
            assert_eq!(classify(text), None, "{text}");
        }
    }

    #[test]
    fn advice_is_no_rejection() {
        // clang 22.
        let advice = "t.c:1:36: error: chained comparison 'X < Y < Z' does not behave the same as \
                      a mathematical expression [-Wparentheses]\n    1 | int f;\n";
        assert!(not_about_the_program(advice).is_some());
        let library = "test.c:(.text+0x1107): undefined reference to `__mulodi4'\nclang: error";
        assert!(not_about_the_program(library).is_some());
        let wrong = "t.c:1:36: error: use of undeclared identifier 'x'\n    1 | x[-Wa];\n";
        assert_eq!(not_about_the_program(wrong), None);
    }

    #[test]
    fn the_machine_comes_before_the_compiler() {
        let full = "/tmp/cc.s: Assembler messages:\n/tmp/cc.s: Fatal error: can't write 7 bytes to \
                    section .text of t.o: 'No space left on device'\nas: BFD internal error";
        assert!(
            matches!(classify(full), Some(Class::Infrastructure(line)) if line.contains("space"))
        );
        for linker in [
            "clang: error: unable to execute command: Segmentation fault\n\
             clang: error: linker command failed due to signal (use -v to see invocation)",
            "collect2: fatal error: ld terminated with signal 11 [Segmentation fault]",
            "/usr/bin/arm-linux-gnueabihf-ld: BFD (GNU Binutils for Debian) 2.40 internal error, \
             aborting at ../../bfd/elfcode.h:224 in bfd_elf32_swap_symbol_out",
        ] {
            assert!(matches!(classify(linker), Some(Class::Infrastructure(_))), "{linker}");
        }
        let killed =
            "gcc: fatal error: Killed signal terminated program cc1\ncompilation terminated.";
        assert!(matches!(classify(killed), Some(Class::Infrastructure(_))));
        let memory = "LLVM ERROR: out of memory\nAllocation failed\nPLEASE submit a bug report";
        assert_eq!(classify(memory), Some(Class::OutOfMemory));
        let time = "gcc: fatal error: CPU time limit exceeded signal terminated program cc1";
        assert_eq!(classify(time), Some(Class::Timeout));
    }
}
