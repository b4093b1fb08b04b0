//! Outcomes in words: the one place where they are put.

use super::{Excess, Outcome};

/// What is said of an output that does not end.
const MOST_OF_AN_EXCESS: usize = 1000;

impl Outcome {
    /// How it ended.
    pub fn ending(&self) -> String {
        match self {
            Self::Compiled => "compiled, not run".to_owned(),
            Self::Ran { status, .. } => format!("exit status {status}"),
            Self::CompileError { .. } => "the compiler refuses it".to_owned(),
            Self::CompilerCrash { signal: Some(signal), .. } => {
                format!("the compiler crashes by {}", signal_name(*signal))
            }
            Self::CompilerCrash { signal: None, .. } => "the compiler crashes".to_owned(),
            Self::CompilerTimeout => "the compiler hangs".to_owned(),
            Self::CompilerOutOfMemory { .. } => {
                "the compiler needs more memory than it may have".to_owned()
            }
            Self::RunCrash { signal: Some(signal), .. } => {
                format!("ended by {}", signal_name(*signal))
            }
            Self::RunCrash { signal: None, .. } => "what ran it stopped it".to_owned(),
            Self::RunTimeout { .. } => "it hangs".to_owned(),
            Self::RunExcess { of: Excess::Output, .. } => "it writes too much".to_owned(),
            Self::RunExcess { of: Excess::Memory, .. } => "it needs too much memory".to_owned(),
            Self::Unfit { why } => format!("it was not compiled: {why}"),
            Self::Infrastructure { what } => format!("it was not tried: {what}"),
        }
    }

    /// What the compiled program wrote; nothing if it did not run.
    pub fn output(&self) -> &[u8] {
        match self {
            Self::Ran { output, .. }
            | Self::RunCrash { output, .. }
            | Self::RunTimeout { output }
            | Self::RunExcess { output, .. } => output,
            _ => &[],
        }
    }

    /// What the compiler said, if that is why there is no compiled program.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::CompileError { text }
            | Self::CompilerCrash { text, .. }
            | Self::CompilerOutOfMemory { text } => Some(text),
            _ => None,
        }
    }

    /// Everything.
    pub fn describe(&self) -> String {
        match self.message() {
            Some(text) => format!("{}:\n{text}", self.ending()),
            None => with_output(&self.ending(), self.output()),
        }
    }

    /// One line: the first error of the compiler, or how the program ended and what it wrote.
    pub fn brief(&self) -> String {
        let text = self.message().unwrap_or_default();
        let find = |word: &str| text.lines().find(|line| line.contains(word));
        // The last line of a linker says only that something was wrong.
        let line =
            ["undefined reference", "error", "sorry, unimplemented"].into_iter().find_map(find);
        let line = line.or(text.lines().next());
        match (line, self.output()) {
            (Some(line), _) => line.trim().to_owned(),
            (None, []) => self.ending(),
            (None, output) => {
                format!("{}, output {:?}", self.ending(), String::from_utf8_lossy(output))
            }
        }
    }

    /// The same to be stored: an endless output has a beginning that says enough.
    pub fn shortened(mut self) -> Self {
        if let Self::RunExcess { output, .. } = &mut self {
            output.truncate(MOST_OF_AN_EXCESS);
        }
        self
    }

    /// Whether two trials came to the same. What compilers write when they crash has
    /// addresses in it; where a program that hangs was stopped is chance.
    pub fn is_same(&self, other: &Self) -> bool {
        match self {
            Self::Ran { .. } | Self::RunCrash { .. } => self == other,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

/// The signals by which programs end.
const SIGNALS: &[(i32, &str)] = &[
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGKILL, "SIGKILL"),
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGTERM, "SIGTERM"),
    (libc::SIGTRAP, "SIGTRAP"),
];

/// A signal by its name and its number.
fn signal_name(signal: i32) -> String {
    match SIGNALS.iter().find(|(number, _)| *number == signal) {
        Some((_, name)) => format!("{name} (signal {signal})"),
        None => format!("signal {signal}"),
    }
}

/// How a program ends, and what it writes, if anything.
pub(crate) fn with_output(ending: &str, output: &[u8]) -> String {
    match output {
        [] => ending.to_owned(),
        output => format!("{ending}, output:\n{}", String::from_utf8_lossy(output)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_has_one_wording() {
        let ran = Outcome::Ran { status: 3, output: b"12\n".to_vec() };
        assert_eq!(ran.describe(), "exit status 3, output:\n12\n");
        assert_eq!(ran.brief(), "exit status 3, output \"12\\n\"");
        let crash = Outcome::CompilerCrash { signal: Some(11), text: "a\nx.c: error: b\n".into() };
        assert_eq!(
            crash.describe(),
            "the compiler crashes by SIGSEGV (signal 11):\na\nx.c: error: b\n"
        );
        assert_eq!(crash.brief(), "x.c: error: b");
        let text = "ld: a.o: undefined reference to `printf'\ncollect2: error: ld returned 1\n";
        let error = Outcome::CompileError { text: text.into() };
        assert_eq!(error.brief(), "ld: a.o: undefined reference to `printf'");
        assert_eq!(Outcome::CompilerTimeout.describe(), "the compiler hangs");
    }
}
