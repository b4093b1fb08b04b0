//! What compilers write when they crash, read for what is the same whenever they crash
//! in the same way.
//!
//! This and `outcome/messages.rs`, which only tells a crash from a rejection, are the two
//! places that find meaning in text.

use cpp_demangle::{DemangleOptions, Symbol};

use super::{Area, Crash};

/// How many functions of a stack tell one crash from another.
const FRAMES_THAT_COUNT: usize = 3;

/// What a text about a crash says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// For people.
    pub crash: Crash,
    /// The same for the same bug: without places in the program, numbers and addresses.
    pub signature: String,
    /// The pass in which GCC says it was, such as `tree-vrp1` or `rtl-combine`.
    pub pass: Option<String>,
    /// In which part of the compiler it probably is.
    pub area: Area,
}

/// Reads what a compiler wrote when it crashed. The signal is that of the process that we
/// started, if that is how it ended.
pub fn read_crash(text: &str, signal: Option<i32>) -> Reading {
    let plain = without_colours(text);
    let lines: Vec<&str> = plain.lines().filter(|line| !line.starts_with("BISECT:")).collect();
    let frames = frames(&lines);
    let pass = lines.iter().find_map(|line| gcc_pass(line));
    let found = MESSAGES.iter().find_map(|row| {
        lines.iter().enumerate().find_map(|(index, line)| (row.read)(&lines, index, line))
    });
    let (summary, mut signature) = match found {
        Some(Said { summary, essence }) => (summary, normalise(&essence)),
        None => {
            let how = signal.map_or_else(|| "no message".to_owned(), |n| format!("signal {n}"));
            (lines.first().map_or_else(|| how.clone(), |line| (*line).to_owned()), how)
        }
    };
    if let Some(pass) = &pass {
        signature += &format!(" during {}", without_number(pass));
    }
    if let Some(running) = lines.iter().find_map(|line| llvm_pass(line)) {
        signature += &format!(" in {running}");
    }
    // A message that names the place of a check in the compiler says enough.
    if !signature.contains(" at ") && !frames.is_empty() {
        let top: Vec<&str> =
            frames.iter().take(FRAMES_THAT_COUNT).map(|frame| function_name(frame)).collect();
        signature += &format!(" [{}]", top.join(" < "));
    }
    let area = area(&lines, pass.as_deref(), &frames);
    let crash = Crash { summary, frames, text: text.to_owned() };
    Reading { crash, signature, pass, area }
}

/// What one message says: a line for people, and what of it is the same for the same bug.
struct Said {
    summary: String,
    essence: String,
}

/// A form of message. All lines are given, with the one to look at.
struct Message {
    read: fn(&[&str], usize, &str) -> Option<Said>,
}

/// The forms of messages: what says most comes first.
const MESSAGES: &[Message] = &[
    Message { read: assertion },
    Message { read: unreachable },
    Message { read: backend },
    Message { read: gcc },
    Message { read: panic_of_rust },
    Message { read: panic_of_zig },
    Message { read: small_compilers },
    Message { read: sdcc },
    Message { read: broken_module },
    Message { read: signal_of_driver },
    Message { read: without_result },
    Message { read: stack_dump },
];

fn said(line: &str, essence: impl Into<String>) -> Option<Said> {
    Some(Said { summary: line.trim().to_owned(), essence: essence.into() })
}

/// `clang: ../lib/IR/Value.cpp:503: void llvm::Value::f(): Assertion `x' failed.`
fn assertion(_: &[&str], _: usize, line: &str) -> Option<Said> {
    let (before, rest) = line.split_once("Assertion `")?;
    let (condition, _) = rest.split_once("' failed")?;
    let place = before.split_whitespace().find_map(source_file).unwrap_or("somewhere");
    said(line, format!("assertion `{condition}' at {place}"))
}

/// The message, followed by `UNREACHABLE executed at ../lib/X.cpp:12!`.
fn unreachable(lines: &[&str], index: usize, line: &str) -> Option<Said> {
    let place = line.strip_prefix("UNREACHABLE executed at ")?;
    let message = index.checked_sub(1).map_or("", |before| lines[before]);
    let place = source_file(place).unwrap_or("somewhere");
    said(&format!("{message} {line}"), format!("unreachable: {message} at {place}"))
}

/// `fatal error: error in backend: Cannot select: t5: i64 = X86ISD::X t1`
fn backend(_: &[&str], _: usize, line: &str) -> Option<Said> {
    let (_, message) =
        line.split_once("error in backend: ").or_else(|| line.split_once("LLVM ERROR: "))?;
    said(line, format!("backend: {message}"))
}

/// `t.c:3:1: internal compiler error: in expand_case, at stmt.cc:1`, and other reasons such
/// as `verify_gimple failed`, where the errors above it say more.
fn gcc(lines: &[&str], index: usize, line: &str) -> Option<Said> {
    let (_, reason) = line.split_once("internal compiler error: ")?;
    if let Some((function, place)) =
        reason.strip_prefix("in ").and_then(|rest| rest.split_once(", at "))
    {
        let function = function_name(function);
        let place = source_file(place).unwrap_or("somewhere");
        return said(line, format!("in {function} at {place}"));
    }
    let errors = lines[..index].iter().rev().find_map(|line| {
        let (_, message) = line.split_once("error: ")?;
        Some(format!(": {message}"))
    });
    // The signal of the compiler proper, as its driver sees it.
    let reason = reason.split(" signal terminated program").next().unwrap_or(reason);
    said(line, format!("{reason}{}", errors.unwrap_or_default()))
}

/// `thread 'main' panicked at src/lib.rs:3:5:` and the message after it, or the older
/// `thread 'main' panicked at 'message', src/lib.rs:3:5`.
fn panic_of_rust(lines: &[&str], index: usize, line: &str) -> Option<Said> {
    let (_, rest) = line.split_once(" panicked at ")?;
    let (message, place) = match rest.strip_prefix('\'').and_then(|old| old.rsplit_once("', ")) {
        Some(old) => old,
        None => (lines.get(index + 1).copied().unwrap_or_default(), rest),
    };
    let place = source_file(place).unwrap_or("somewhere");
    said(&format!("{line} {message}"), format!("panic: {message} at {place}"))
}

/// `thread 123 panic: reached unreachable code`
fn panic_of_zig(_: &[&str], _: usize, line: &str) -> Option<Said> {
    let (_, message) = line.split_once(" panic: ")?;
    said(line, format!("panic: {message}"))
}

/// tcc and pcc: `t.c:3: error: internal compiler error`, `t.c, line 3: compiler error: x`.
fn small_compilers(_: &[&str], _: usize, line: &str) -> Option<Said> {
    const WORDS: [&str; 4] = [
        "internal compiler error",
        "Internal compiler error",
        "compiler error: ",
        "internal error",
    ];
    let at = WORDS.iter().find_map(|words| line.find(words))?;
    said(line, &line[at..])
}

/// `t.c:3: error 9: FATAL Compiler Internal Error in file 'gen.c' line number '6374' : message`
fn sdcc(_: &[&str], _: usize, line: &str) -> Option<Said> {
    let (_, rest) = line.split_once("Compiler Internal Error in file '")?;
    let (file, rest) = rest.split_once('\'')?;
    let (_, message) = rest.split_once(" : ")?;
    said(line, format!("{} at {file}", message.trim()))
}

/// What LLVM finds wrong in its own code, and after it `Broken module found, compilation aborted!`
fn broken_module(lines: &[&str], index: usize, line: &str) -> Option<Said> {
    line.contains("Broken module found").then_some(())?;
    let what = lines[..index].iter().rev().find(|line| line.trim_end().ends_with('!'))?;
    said(what, format!("broken module: {}", what.trim()))
}

/// `gcc: fatal error: Segmentation fault signal terminated program cc1`, `clang: error:
/// unable to execute command: Segmentation fault`.
fn signal_of_driver(_: &[&str], _: usize, line: &str) -> Option<Said> {
    if let Some((before, program)) = line.split_once(" signal terminated program ") {
        let name = before.rsplit(": ").next().unwrap_or(before);
        return said(line, format!("{name} of {program}"));
    }
    // `nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)`
    if let Some((before, rest)) = line.split_once("' died due to signal ") {
        let program = before.rsplit('\'').next().unwrap_or(before);
        let signal = rest.split_whitespace().next().unwrap_or_default();
        return said(line, format!("signal-{signal} of {program}"));
    }
    let (_, what) = line.split_once("unable to execute command: ")?;
    said(line, what)
}

/// What Farrier says of a compiler that claims success and has made nothing.
fn without_result(_: &[&str], _: usize, line: &str) -> Option<Said> {
    let says = "succeeds without a result";
    line.ends_with(says).then(|| said(line, says))?
}

/// A stack of clang without a message: it was a signal.
fn stack_dump(_: &[&str], _: usize, line: &str) -> Option<Said> {
    (line == "Stack dump:").then_some(())?;
    said("the compiler crashes", "signal")
}

/// The pass in `during GIMPLE pass: vrp1`, as `-fdisable-` has it.
fn gcc_pass(line: &str) -> Option<String> {
    let (kind, name) = line.strip_prefix("during ")?.split_once(" pass: ")?;
    let kind = match kind {
        "GIMPLE" => "tree",
        "RTL" => "rtl",
        "IPA" => "ipa",
        _ => return None,
    };
    Some(format!("{kind}-{}", name.trim()))
}

/// The pass in `4. Running pass 'X86 DAG->DAG Instruction Selection' on function '@f'`, or
/// `3. Running pass "function(instcombine)" on module "t.c"`.
fn llvm_pass(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("Running pass ")?;
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (name, _) = rest[1..].split_once(quote)?;
    // What runs all passes of a file says nothing.
    (!name.ends_with("Pass Manager")).then_some(name)
}

/// The name of a source file of a compiler, without directories and line.
fn source_file(text: &str) -> Option<&str> {
    let name = text.rsplit('/').next()?;
    let end = name.find(':').unwrap_or(name.len());
    let name = &name[..end];
    let known = ["cc", "c", "cpp", "h", "hpp", "rs", "def", "md", "inc", "zig"];
    name.rsplit_once('.').filter(|(_, extension)| known.contains(extension)).map(|_| name)
}

/// Functions at the end of a stack that are there after any crash.
const NOT_GUILTY: &[&str] = &[
    "llvm::sys::",
    "llvm::report_fatal_error",
    "llvm::report_bad_alloc",
    "llvm::llvm_unreachable_internal",
    "llvm::CrashRecoveryContext",
    "CrashRecoverySignalHandler",
    "SignalHandler",
    "PrintStackTraceSignalHandler",
    "crash_signal",
    "fancy_abort",
    "internal_error",
    "diagnostic_",
    "__restore_rt",
    "__libc_",
    "__GI_",
    "__pthread_kill",
    "pthread_kill",
    "__assert",
    "abort",
    "raise",
    "gsignal",
    "kill",
    "rust_begin_unwind",
    "core::panicking::",
    "std::",
    "call_init",
    "_start",
    "main",
];

/// The functions of a stack that are the compiler's own, innermost first.
fn frames(lines: &[&str]) -> Vec<String> {
    lines
        .iter()
        .filter_map(|line| frame(line))
        .filter(|name| !NOT_GUILTY.iter().any(|prefix| name.starts_with(prefix)))
        .collect()
}

/// The function of ` #6 0x00007f5b0701971f clang::f(int) (/lib/libclang.so+0xa1)`, or of GCC's
/// `0x7f85ff3d0249 process_bb`.
fn frame(line: &str) -> Option<String> {
    let line = line.trim();
    let rest = match line.strip_prefix('#') {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start(),
        None => line,
    };
    let rest = rest.strip_prefix("0x")?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    let rest = rest.strip_prefix(' ')?.trim();
    // The library after it, or the file and line.
    let end = rest.find(" (/").or_else(|| rest.find(" /")).or_else(|| rest.find(" ./"));
    let name = rest[..end.unwrap_or(rest.len())].trim();
    let unknown = name.is_empty() || name.starts_with("(/") || name.starts_with("???");
    (!unknown).then(|| demangle(name))
}

/// A name as it was written.
fn demangle(name: &str) -> String {
    let mangled = name.split('+').next().unwrap_or(name);
    if !mangled.starts_with("_Z") {
        return name.to_owned();
    }
    let options = DemangleOptions::new();
    Symbol::new(mangled)
        .ok()
        .and_then(|symbol| symbol.demangle_with_options(&options).ok())
        .unwrap_or_else(|| name.to_owned())
}

/// A function without its parameters, which differ from version to version.
fn function_name(frame: &str) -> &str {
    // `operator()` and `(anonymous namespace)` are no parameters.
    let mut from = 0;
    while let Some(at) = frame[from..].find('(').map(|at| from + at) {
        if frame[at..].starts_with("(anonymous namespace)") || frame[..at].ends_with("operator") {
            from = at + 1;
        } else {
            return frame[..at].trim_end();
        }
    }
    frame
}

/// The name of a pass without the number that says which of its executions it is.
pub(super) fn without_number(pass: &str) -> &str {
    pass.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// A message without what differs from program to program: numbers, the names between
/// quotation marks, and spaces.
pub(super) fn normalise(message: &str) -> String {
    let mut text = String::new();
    let mut characters = message.trim().chars().peekable();
    let mut before = ' ';
    while let Some(c) = characters.next() {
        match c {
            '0'..='9' if !before.is_ascii_alphanumeric() && before != '_' => {
                // Hexadecimal digits and suffixes belong to it.
                while characters.next_if(char::is_ascii_alphanumeric).is_some() {}
                text.push('N');
                before = 'N';
                continue;
            }
            '‘' => {
                while characters.next_if(|c| *c != '’').is_some() {}
                let _ = characters.next();
                text.push_str("'…'");
            }
            ' ' | '\t' if before == ' ' => continue,
            '\t' => text.push(' '),
            // `t12: i64` of a selection graph.
            't' if !before.is_ascii_alphanumeric()
                && characters.peek().is_some_and(char::is_ascii_digit) =>
            {
                while characters.next_if(char::is_ascii_alphanumeric).is_some() {}
                text.push_str("tN");
            }
            _ => text.push(c),
        }
        before = if c == '\t' { ' ' } else { c };
    }
    let text = text.trim_end();
    let end = text.floor_char_boundary(200);
    text[..end].to_owned()
}

fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        let sequence = &rest[at..];
        let end =
            sequence.find(|c: char| c.is_ascii_alphabetic()).map_or(sequence.len(), |n| n + 1);
        rest = &sequence[end..];
    }
    plain + rest
}

/// Where a crash is, by what is said of the pass and by the functions on the stack.
fn area(lines: &[&str], pass: Option<&str>, frames: &[String]) -> Area {
    if let Some(pass) = pass {
        return if pass.starts_with("rtl-") { Area::BackEnd } else { Area::MiddleEnd };
    }
    let says = |words: &str| lines.iter().any(|line| line.contains(words));
    if says("Running pass") || says("Optimizer") || says("Code generation") {
        let machine = says("Code generation") || says("on function '@");
        return if machine { Area::BackEnd } else { Area::MiddleEnd };
    }
    if says("'cicc' died") || says("ptxas fatal") || says("'ptxas' died") {
        return if says("'cicc' died") { Area::MiddleEnd } else { Area::BackEnd };
    }
    if says("error in backend") && !says("current parser token") {
        return Area::BackEnd;
    }
    if says("current parser token")
        || frames.first().is_some_and(|frame| frame.starts_with("clang::"))
    {
        return Area::FrontEnd;
    }
    Area::Unknown
}

/// The essence of a message by which a valid program is refused: the first error.
pub(super) fn rejection(text: &str) -> String {
    let plain = without_colours(text);
    let message = plain.lines().find_map(|line| {
        let (_, message) = line.split_once("error: ")?;
        Some(message.to_owned())
    });
    let message =
        message.unwrap_or_else(|| plain.lines().next().unwrap_or("no message").to_owned());
    // Names of the program stand between quotation marks.
    let mut words = String::new();
    for (index, part) in message.split('\'').enumerate() {
        words.push_str(if index % 2 == 0 { part } else { "'…'" });
    }
    normalise(&words)
}

#[cfg(test)]
mod tests;
