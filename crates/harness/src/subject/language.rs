//! Whether a compiler, with the flags that it gets, compiles the C of its target.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use farrier_lang::target::{BitFieldRule, I386_LINUX, ScalarLayout, X86_64_LINUX};
use farrier_lang::{SourceText, Target};

use super::discover::{narrow, try_out_with};
use super::identify::{default_runner, identify};
use super::{Family, Subject};
use crate::case::Expectation;
use crate::flags::reason_to_refuse;
use crate::outcome::{Bench, Extent, Outcome};
use crate::scratch::file_error;
use crate::{Bounds, Error, ProcessEnding, Role, Sandbox, Scratch};

/// A row of the table of facts.
struct Fact {
    /// What it says, with `{}` in the place of the value.
    says: &'static str,
    /// An integer constant expression.
    question: &'static str,
    /// The value on a target; `None` if the table of targets does not have it.
    value: fn(&Target) -> Option<u32>,
}

const fn fact(
    says: &'static str,
    question: &'static str,
    value: fn(&Target) -> Option<u32>,
) -> Fact {
    Fact { says, question, value }
}

/// What the question about `long double` needs.
const LONG_DOUBLE: &str = "struct farrier_long_double { char c; long double x; };\n";

/// What the other questions need.
const DECLARATIONS: &str = "\
enum farrier_few { farrier_one };\n\
struct farrier_short { char c; short x; };\n\
struct farrier_int { char c; int x; };\n\
struct farrier_long_long { char c; long long x; };\n\
struct farrier_double { char c; double x; };\n\
struct farrier_pointer { char c; void *x; };\n\
struct farrier_bits { int x : 1; char y : 1; };\n";

/// Whether compilers for a target promise something.
fn has(target: &Target, feature: &str) -> bool {
    target.environment.has(feature)
}

/// A structure of a `char` and a scalar.
fn pair(layout: ScalarLayout) -> Option<u32> {
    Some(layout.align + layout.size)
}

/// The bytes of a structure of two bit-fields, one of `int` and one of `char`.
fn bits(target: &Target) -> Option<u32> {
    match target.bit_fields {
        BitFieldRule::SystemV => Some(target.int.size),
        BitFieldRule::Microsoft => Some(2 * target.int.size),
        BitFieldRule::Aapcs | BitFieldRule::Dense { .. } => None,
    }
}

/// What flags can change of all that C leaves to the implementation.
#[rustfmt::skip]
const FACTS: &[Fact] = &[
    fact("`short` has {} bytes", "sizeof(short)", |target| Some(target.short.size)),
    fact("`int` has {} bytes", "sizeof(int)", |target| Some(target.int.size)),
    fact("`long` has {} bytes", "sizeof(long)", |target| Some(target.long.size)),
    fact("`long long` has {} bytes", "sizeof(long long)", |target| Some(target.long_long.size)),
    fact("a pointer has {} bytes", "sizeof(void *)", |target| Some(target.pointer.size)),
    fact("`float` has {} bytes", "sizeof(float)", |target| Some(target.float.0.size)),
    fact("`double` has {} bytes", "sizeof(double)", |target| Some(target.double.0.size)),
    fact("`long double` has {} bytes", "sizeof(long double)", |target| has(target, "long-double").then_some(target.long_double.0.size)),
    fact("`wchar_t` has {} bytes", "sizeof(L'a')", |target| target.int_scalar(target.wchar_type).map(|layout| layout.size)),
    fact("a difference of pointers has {} bytes", "sizeof((char *)0 - (char *)0)", |target| target.int_scalar(target.ptrdiff_type).map(|layout| layout.size)),
    fact("`(char)-1 < 0` is {}", "((char)-1 < 0)", |target| Some(u32::from(target.char_signed))),
    fact("an enumeration of few values has {} bytes", "sizeof(enum farrier_few)", |target| has(target, "enum").then_some(target.int.size)),
    fact("a structure of `char` and `short` has {} bytes", "sizeof(struct farrier_short)", |target| pair(target.short)),
    fact("a structure of `char` and `int` has {} bytes", "sizeof(struct farrier_int)", |target| pair(target.int)),
    fact("a structure of `char` and `long long` has {} bytes", "sizeof(struct farrier_long_long)", |target| pair(target.long_long)),
    fact("a structure of `char` and `double` has {} bytes", "sizeof(struct farrier_double)", |target| pair(target.double.0)),
    fact("a structure of `char` and `long double` has {} bytes", "sizeof(struct farrier_long_double)", |target| pair(target.long_double.0).filter(|_| has(target, "long-double"))),
    fact("a structure of `char` and a pointer has {} bytes", "sizeof(struct farrier_pointer)", |target| pair(target.pointer)),
    fact("bit-fields of `int` and `char` have {} bytes", "sizeof(struct farrier_bits)", bits),
];

/// The largest value of a fact that is looked for.
const MOST: u32 = 64;

/// The versions of C that programs of a hunt are valid in, by `__STDC_VERSION__`.
const VERSIONS: std::ops::RangeInclusive<u64> = 199_901..=201_710;

/// Words that mean something in every program. None of them may be a macro.
const WORDS: &str = "auto break case char const continue default do double else enum extern float \
                     for goto if int long register return short signed sizeof static struct \
                     switch typedef union unsigned void volatile while main printf";

/// What a preprocessor says of the language.
#[derive(PartialEq, Eq, Debug)]
struct Language {
    version: Option<u64>,
    /// Whether the extensions of GNU C are off.
    strict: bool,
    words: String,
}

/// The subject that a compiler is with flags of the user, or the reason why it cannot be judged
/// with them. It must compile and run a small program.
pub fn with_flags(
    subject: &Subject,
    flags: &[String],
    sandbox: &Sandbox,
    base: &Path,
) -> Result<Result<Subject, String>, Error> {
    let subject = match adapted(subject, flags, sandbox, base)? {
        Ok(subject) => subject,
        Err(why) => return Ok(Err(why)),
    };
    let level = subject.levels.first().filter(|_| !has_level(flags));
    let all: Vec<String> = level.into_iter().chain(flags).cloned().collect();
    Ok(match try_out_with(&subject, &all, sandbox, base)? {
        Some(why) => Err(why),
        None => Ok(subject),
    })
}

/// The same for a compiler that may be wrong about any program.
///
/// The compiler itself is asked, with the flags. Flags that make it a compiler for another known
/// target make another subject. Flags that change the language or the layout of types are refused.
pub fn adapted(
    subject: &Subject,
    flags: &[String],
    sandbox: &Sandbox,
    base: &Path,
) -> Result<Result<Subject, String>, Error> {
    if let Some((flag, reason)) = reason_to_refuse(flags) {
        return Ok(Err(format!("`{flag}` {reason}")));
    }
    let mut subject = match retarget(subject, flags, sandbox, base)? {
        Ok(subject) => subject,
        Err(why) => return Ok(Err(why)),
    };
    if let Some(why) = contradiction(&subject, flags, sandbox, base)? {
        let with = guilty(&subject, flags, sandbox, base)?;
        return Ok(Err(format!(
            "{with}{why}; leave it out, or describe such a machine by a [[target]] in a file for \
             --subjects"
        )));
    }
    match language_with(&subject, flags, sandbox, base)? {
        Ok(strict) => subject.extensions &= !strict,
        Err(why) => return Ok(Err(why)),
    }
    Ok(Ok(subject))
}

/// Whether flags have a level of optimisation among them.
pub fn has_level(flags: &[String]) -> bool {
    let is_level = |flag: &String| {
        ["-O", "-Xptxas=-O"].iter().any(|start| flag.starts_with(start)) || flag == "-G"
    };
    flags.iter().any(is_level)
}

/// The same compiler for the target that flags make it one for.
fn retarget(
    subject: &Subject,
    flags: &[String],
    sandbox: &Sandbox,
    base: &Path,
) -> Result<Result<Subject, String>, Error> {
    let speaks_of_machines = |flag: &String| {
        ["-m", "-target", "--target"].iter().any(|beginning| flag.starts_with(beginning))
    };
    if subject.family == Family::Other || !flags.iter().any(speaks_of_machines) {
        return Ok(Ok(subject.clone()));
    }
    let all: Vec<String> = subject.flags.iter().chain(flags).cloned().collect();
    // Whether the flags are accepted at all is asked elsewhere.
    let Some(identity) = identify(&subject.command, &all, sandbox, base)? else {
        return Ok(Ok(subject.clone()));
    };
    Ok(match identity.target {
        None => Err(format!(
            "with {} it is a compiler for a machine that Farrier does not know",
            flags.join(" ")
        )),
        Some(target) if Some(target) == subject.target => Ok(subject.clone()),
        Some(target) => {
            let narrow = (target == &I386_LINUX).then(|| narrow(subject)).flatten();
            Ok(narrow.unwrap_or_else(|| for_target(subject, target)))
        }
    })
}

/// A compiler whose flags make it one for another target.
fn for_target(subject: &Subject, target: &'static Target) -> Subject {
    let triple = target.toolchain.triple;
    let machine = triple.split('-').next().unwrap_or_default();
    let elsewhere = match target == &X86_64_LINUX {
        true => String::new(),
        false => format!("-{machine}"),
    };
    Subject {
        name: format!("{}{elsewhere}-{}", subject.family.name(), subject.version),
        target: Some(target),
        triple: triple.to_owned(),
        runner: default_runner(target),
        ..subject.clone()
    }
}

/// Where a compiler contradicts the table of its target; `None` if it does not.
pub fn contradiction(
    subject: &Subject,
    flags: &[String],
    sandbox: &Sandbox,
    base: &Path,
) -> Result<Option<String>, Error> {
    let Some(target) = subject.target else { return Ok(None) };
    let known: Vec<(&Fact, u32)> =
        FACTS.iter().filter_map(|fact| Some((fact, (fact.value)(target)?))).collect();
    let equals = |(fact, value): &(&Fact, u32)| format!("{} == {value}", fact.question);
    let holds = |claims: &[String]| holds(subject, flags, claims, sandbox, base);
    let claims: Vec<String> = known.iter().map(equals).collect();
    if holds(&claims)? || !holds(&[])? {
        // Whether it compiles anything is another question.
        return Ok(None);
    }
    for one in &known {
        if holds(&[equals(one)])? {
            continue;
        }
        let (fact, value) = one;
        let (mut least, mut most) = (0, MOST);
        while least < most {
            let middle = (least + most) / 2;
            match holds(&[format!("{} <= {middle}", fact.question)])? {
                true => most = middle,
                false => least = middle + 1,
            }
        }
        let says = fact.says.replace("{}", &least.to_string());
        return Ok(Some(format!("{says}, but {value} in {}", target.name)));
    }
    Ok(None)
}

/// Whether a compiler accepts all of these claims.
fn holds(
    subject: &Subject,
    flags: &[String],
    claims: &[String],
    sandbox: &Sandbox,
    base: &Path,
) -> Result<bool, Error> {
    let scratch = Scratch::new(base)?;
    let mut text = DECLARATIONS.to_owned();
    if subject.target.is_none_or(|target| has(target, "long-double")) {
        text += LONG_DOUBLE;
    }
    for (number, claim) in claims.iter().enumerate() {
        // Older versions of C have no static assertions.
        text += &format!("typedef char farrier_{number}[({claim}) ? 1 : -1];\n");
    }
    text += "int farrier_end;\n";
    let bench = Bench { extent: Extent::Compile, ..Bench::new(sandbox, scratch.path()) };
    let source = SourceText::new(format!("language.{}", subject.extension()), text);
    let outcome = bench.try_out(subject, flags, &[source], &Expectation::Nothing).outcome;
    Ok(outcome == Outcome::Compiled)
}

/// The flag that a contradiction comes from, for the beginning of a message.
fn guilty(
    subject: &Subject,
    flags: &[String],
    sandbox: &Sandbox,
    base: &Path,
) -> Result<String, Error> {
    for flag in flags {
        let alone = std::slice::from_ref(flag);
        if contradiction(subject, alone, sandbox, base)?.is_some() {
            return Ok(format!("with `{flag}` "));
        }
    }
    Ok(format!("with `{}` ", flags.join(" ")))
}

/// Whether the extensions of GNU C are off with these flags and on without them, or why the
/// language is another one.
fn language_with(
    subject: &Subject,
    flags: &[String],
    sandbox: &Sandbox,
    base: &Path,
) -> Result<Result<bool, String>, Error> {
    let asked = |flags: &[String]| language(subject, flags, sandbox, base);
    let (Some(before), Some(after)) = (asked(&[])?, asked(flags)?) else { return Ok(Ok(false)) };
    let named = flags.join(" ");
    if after.words != before.words {
        let mut words = WORDS.split_whitespace().zip(after.words.split_whitespace());
        let changed = words.find(|(word, read)| word != read).map_or("a word", |(word, _)| word);
        return Ok(Err(format!("with `{named}` `{changed}` is a macro: it is another language")));
    }
    if after.version != before.version
        && !after.version.is_some_and(|version| VERSIONS.contains(&version))
    {
        return Ok(Err(format!(
            "with `{named}` it compiles another language: the programs of a hunt are C99 to C17, \
             so use -std=gnu99, -std=gnu11 or -std=gnu17"
        )));
    }
    Ok(Ok(after.strict && !before.strict))
}

/// What the preprocessor of a compiler says; `None` if it says nothing.
fn language(
    subject: &Subject,
    flags: &[String],
    sandbox: &Sandbox,
    base: &Path,
) -> Result<Option<Language>, Error> {
    let scratch = Scratch::new(base)?;
    let path = scratch.path().join("language.c");
    let text = format!("farrier_version __STDC_VERSION__ __STRICT_ANSI__\nfarrier_words {WORDS}\n");
    fs::write(&path, text).map_err(|error| file_error(&path, error))?;
    let all = [&subject.command, &subject.flags, flags].into_iter().flatten();
    let words: Vec<OsString> =
        all.map(OsString::from).chain(["-E".into(), "language.c".into()]).collect();
    let finished = sandbox.run(Role::Tool, &words, b"", scratch.path(), &Bounds::TOOL)?;
    if !matches!(finished.ending, ProcessEnding::Exited(status) if status.success()) {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&finished.stdout).into_owned();
    let answer = |key: &str| {
        text.lines()
            .find_map(|line| line.trim().strip_prefix(key))
            .map(|rest| rest.trim().to_owned())
    };
    let (Some(version), Some(words)) = (answer("farrier_version"), answer("farrier_words")) else {
        return Ok(None);
    };
    let (version, strict) = version.split_once(' ').unwrap_or((&version, ""));
    let version = version.trim_end_matches(['L', 'l']).parse().ok();
    Ok(Some(Language { version, strict: strict.trim() != "__STRICT_ANSI__", words }))
}

#[cfg(test)]
mod tests {
    use farrier_lang::target::{AVR, TARGETS};

    use super::*;

    #[test]
    fn every_fact_has_a_value_on_a_usual_target() {
        for fact in FACTS {
            let value = (fact.value)(&X86_64_LINUX).expect("the usual target has all of them");
            assert!(value <= MOST && fact.says.contains("{}"), "{}", fact.says);
        }
        assert_eq!((FACTS[2].value)(&I386_LINUX), Some(4));
        assert_eq!(FACTS.iter().filter(|fact| (fact.value)(&AVR).is_none()).count(), 1);
        assert!(
            TARGETS.iter().all(|target| FACTS.iter().any(|fact| (fact.value)(target).is_some()))
        );
    }
}
