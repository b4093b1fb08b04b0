//! What others say: other versions of the compiler, other compilers, and sanitizers.

use std::collections::BTreeSet;
use std::path::Path;

use super::lab::Lab;
use super::{Answer, Class, Culprit, Opinion, Says, Tried};
use crate::outcome::Outcome;
use crate::subject::{Family, Runner, Subject};
use crate::{Error, FindingKind, ProcessEnding};
use farrier_lang::SourceText;

/// What every version of the compiler on the machine does with the same flags, the compiler
/// of the finding first.
pub fn try_versions(lab: &Lab<'_>, flags: &[String], subjects: &[Subject]) -> Vec<Tried> {
    let own = lab.evidence().subject;
    // All versions get the engine of the finding, which may be the guilty one.
    let has_rival = |subject: &Subject| {
        subject.runner != own.runner
            && subjects.iter().any(|one| is_same_output(one, subject) && one.runner == own.runner)
    };
    let others = subjects.iter().filter(|subject| {
        subject.family == own.family
            && same_machine(subject, own)
            && !is_same(subject, own)
            && !has_rival(subject)
    });
    let mut others: Vec<&Subject> = others.collect();
    others.sort_by_key(|subject| version_of(subject));
    let mut tried = Vec::new();
    for subject in [own].into_iter().chain(others) {
        let answer = if lab.is_over() {
            Answer::CannotTell { why: "there was no time left".to_owned() }
        } else {
            let same_engine = Subject { runner: own.runner.clone(), ..subject.clone() };
            lab.ask(&same_engine, flags).0
        };
        tried.push(Tried {
            subject: subject.name.clone(),
            version: subject.version.clone(),
            flags: flags.to_vec(),
            answer,
        });
    }
    tried
}

/// The numbers of a version, to be compared.
fn version_of(subject: &Subject) -> Vec<u64> {
    subject.version.split(|c: char| !c.is_ascii_digit()).flat_map(str::parse).collect()
}

pub(super) fn same_machine(left: &Subject, right: &Subject) -> bool {
    let name = |subject: &Subject| subject.target.map(|target| target.name);
    name(left) == name(right)
        && left.target.is_some()
        && left.is_cplusplus() == right.is_cplusplus()
}

/// Whether two subjects are the same compiler. Two builds of one version say the same of
/// themselves, so that only the file tells; what they say counts where the file is gone.
pub(super) fn is_same(left: &Subject, right: &Subject) -> bool {
    let file = |subject: &Subject| Path::new(subject.command.first()?).canonicalize().ok();
    let rest = |subject: &Subject| subject.command.iter().skip(1).cloned().collect::<Vec<_>>();
    match (file(left), file(right)) {
        _ if left.command == right.command => true,
        (Some(one), Some(other)) => one == other && rest(left) == rest(right),
        _ => {
            left.family == right.family
                && left.version == right.version
                && !left.banner.is_empty()
                && left.banner == right.banner
        }
    }
}

/// Whether two subjects make the same of a program, and at most run it in other ways.
fn is_same_output(left: &Subject, right: &Subject) -> bool {
    is_same(left, right)
        && same_machine(left, right)
        && (&left.flags, &left.libraries) == (&right.flags, &right.libraries)
}

/// The engine that is guilty of wrong code: what the compiler made of the program does what it
/// should with another one. So the compiler is held fixed, and the engine is exchanged.
pub fn find_engine(lab: &Lab<'_>, flags: &[String], subjects: &[Subject]) -> Option<Culprit> {
    let own = lab.evidence().subject;
    if !lab.evidence().kind.is_wrong_code() {
        return None;
    }
    let mut others = subjects
        .iter()
        .filter(|subject| is_same_output(subject, own) && subject.runner != own.runner);
    let other = others.find(|other| lab.ask(other, flags).0 == Answer::Works)?;
    let (name, works) = (own.name.clone(), other.name.clone());
    Some(Culprit::Engine { name, works, runner: other.runner.clone() })
}

/// A kind of second opinion: the sanitizers of a family.
pub(super) struct Sanitizer {
    family: Family,
    flags: &'static [&'static str],
}

impl Sanitizer {
    /// The compilers that may have these sanitizers, the best judge first: another than the accused
    /// one, and a new one.
    pub(super) fn installations<'s>(
        &self,
        own: &'s Subject,
        subjects: &'s [Subject],
    ) -> Vec<&'s Subject> {
        let able =
            |subject: &Subject| subject.family == self.family && subject.runner == Runner::Direct;
        let mut found = newest(subjects.iter(), |subject| {
            able(subject) && same_machine(subject, own) && !is_same(subject, own)
        });
        // A party is asked last.
        found.extend(able(own).then_some(own));
        found
    }

    /// Its flags, and that of the version of the language.
    pub(super) fn flags(&self, standard: &[String]) -> Vec<String> {
        self.flags.iter().map(|flag| (*flag).to_owned()).chain(standard.iter().cloned()).collect()
    }
}

/// The sanitizers that are asked. None of them may go on after a complaint.
pub(super) const SANITIZERS: &[Sanitizer] = &[
    Sanitizer {
        family: Family::Gcc,
        flags: &["-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    },
    Sanitizer {
        family: Family::Clang,
        flags: &["-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    },
    Sanitizer { family: Family::Clang, flags: &["-O0", "-g", "-fsanitize=memory"] },
];

/// Searching for leaks takes other processes, and limiting core dumps takes rights, that
/// programs do not have here; neither is any business of ours.
const SANITIZER_OPTIONS: &str = "\
const char *__asan_default_options(void)
{
    return \"detect_leaks=0:disable_coredump=0\";
}
const char *__msan_default_options(void)
{
    return \"disable_coredump=0\";
}
";

/// The file with the options.
const OPTIONS_NAME: &str = "farrier-sanitizer-options.c";

/// What sanitizers, and other compilers without optimisation, say about the program. Of the flags
/// of the finding they get the version of the language.
pub fn ask_around(lab: &Lab<'_>, flags: &[String], subjects: &[Subject]) -> Vec<Opinion> {
    let own = lab.evidence().subject;
    let standard = standard(flags);
    let mut opinions = Vec::new();
    for sanitizer in SANITIZERS {
        let mut last = None;
        for subject in sanitizer.installations(own, subjects) {
            let flags = sanitizer.flags(&standard);
            let says = match lab.is_over() {
                true => Says::CannotTell { why: "there was no time left".to_owned() },
                false => sanitize(lab, subject, &flags),
            };
            let able = !matches!(says, Says::CannotTell { .. });
            last = Some(Opinion { by: subject.name.clone(), flags, says });
            // An installation without its libraries is no judge: ask an older one.
            if able {
                break;
            }
        }
        opinions.extend(last);
    }
    excuse_false_alarms(lab, subjects, &mut opinions);
    let families = [
        Family::Gcc,
        Family::Clang,
        Family::Zig,
        Family::Rucc,
        Family::Tcc,
        Family::Pcc,
        Family::Sdcc,
    ];
    for family in families {
        let subjects = newest(subjects.iter(), |subject| {
            subject.family == family && same_machine(subject, own) && !is_same(subject, own)
        });
        let Some(subject) = subjects.first() else { continue };
        let flags = [&["-O0".to_owned()], &standard[..]].concat();
        let says = if lab.is_over() {
            Says::CannotTell { why: "there was no time left".to_owned() }
        } else {
            let (answer, outcome) = lab.ask(subject, &flags);
            says(&answer, &outcome)
        };
        opinions.push(Opinion { by: subject.name.clone(), flags, says });
    }
    opinions
}

/// The flags that say which version of the language a program is in.
pub(super) fn standard(flags: &[String]) -> Vec<String> {
    flags.iter().filter(|flag| flag.starts_with("-std=")).cloned().collect()
}

/// Subjects of a kind, the newest first.
pub(super) fn newest<'s>(
    subjects: impl Iterator<Item = &'s Subject>,
    wanted: impl Fn(&Subject) -> bool,
) -> Vec<&'s Subject> {
    let mut found: Vec<&Subject> = subjects.filter(|subject| wanted(subject)).collect();
    found.sort_by_key(|subject| std::cmp::Reverse(version_of(subject)));
    found
}

fn says(answer: &Answer, outcome: &Outcome) -> Says {
    match answer {
        Answer::Works => Says::Agrees,
        Answer::CannotTell { why } => Says::CannotTell { why: why.clone() },
        Answer::Fails { .. } => Says::Differs { actual: outcome.brief() },
    }
}

/// What sanitizers say about a program.
fn sanitize(lab: &Lab<'_>, subject: &Subject, flags: &[String]) -> Says {
    match run_sanitized(lab, subject, flags) {
        Ok(outcome) => says(&lab.answer_of(subject, &outcome), &outcome),
        Err(says) => says,
    }
}

/// Compiles the program with sanitizers and runs it: what it does if they do not say a word.
pub(super) fn run_sanitized(
    lab: &Lab<'_>,
    subject: &Subject,
    flags: &[String],
) -> Result<Outcome, Says> {
    let failed = |error: Error| Says::CannotTell { why: error.to_string() };
    try_sanitizers(lab, subject, flags).unwrap_or_else(|error| Err(failed(error)))
}

fn try_sanitizers(
    lab: &Lab<'_>,
    subject: &Subject,
    flags: &[String],
) -> Result<Result<Outcome, Says>, Error> {
    let evidence = lab.evidence();
    let options = SourceText::new(OPTIONS_NAME, SANITIZER_OPTIONS);
    let sources: Vec<SourceText> = evidence.sources.iter().cloned().chain([options]).collect();
    lab.place(&sources)?;
    let mut command: Vec<String> =
        subject.command.iter().chain(&subject.flags).chain(flags).cloned().collect();
    command.extend(sources.iter().map(|source| source.name.to_string()));
    command.extend(["-o".to_owned(), "sanitized".to_owned()]);
    command.extend(subject.libraries.iter().cloned());
    let (success, text) = lab.run_tool(&command)?;
    if !success {
        let line = text.lines().find(|line| line.contains("error") || line.contains("cannot"));
        let why = line.or(text.lines().next()).unwrap_or("it does not compile").to_owned();
        return Ok(Err(Says::CannotTell { why }));
    }
    let done = lab.run_program("./sanitized")?;
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    let complaint = text.lines().find(|line| {
        line.contains("runtime error: ")
            || line.contains("ERROR: AddressSanitizer: ")
            || line.contains("WARNING: MemorySanitizer: ")
    });
    if let Some(line) = complaint {
        return Ok(Err(Says::Complains { text: line.trim().to_owned() }));
    }
    if let Some(line) = text.lines().find(|line| line.contains("Sanitizer")) {
        // It could not do its work, for want of addresses or rights.
        return Ok(Err(Says::CannotTell { why: line.trim().to_owned() }));
    }
    Ok(match done.ending {
        ProcessEnding::Exited(status) => Ok(match status.code() {
            Some(status) => Outcome::Ran { status, output: done.stdout },
            None => {
                let signal = std::os::unix::process::ExitStatusExt::signal(&status);
                Outcome::RunCrash { signal, output: done.stdout }
            }
        }),
        _ => Err(Says::CannotTell { why: "it takes too long or too much memory".to_owned() }),
    })
}

/// The version of clang that no longer checks arms of `?:` that are not evaluated.
const CLANG_CHECKS_ONE_ARM: u64 = 19;

/// Clang before version 19 checks both arms of `?:` where they are constant, though only one
/// is evaluated. A complaint about a line with one is not believed where gcc has none.
fn excuse_false_alarms(lab: &Lab<'_>, subjects: &[Subject], opinions: &mut [Opinion]) {
    let by_family = |name: &str| {
        let known = subjects.iter().chain([lab.evidence().subject]);
        known.into_iter().find(|subject| subject.name == name)
    };
    let gcc_agrees = opinions.iter().any(|opinion| {
        opinion.says == Says::Agrees
            && by_family(&opinion.by).is_some_and(|subject| subject.family == Family::Gcc)
    });
    for opinion in opinions {
        let Says::Complains { text } = &opinion.says else { continue };
        let old = by_family(&opinion.by).is_some_and(|subject| {
            subject.family == Family::Clang
                && version_of(subject).first().is_some_and(|major| *major < CLANG_CHECKS_ONE_ARM)
        });
        if old && gcc_agrees && is_about_conditional(text, lab.evidence().sources) {
            let why = "clang before version 19 checks both arms of a constant `?:`".to_owned();
            opinion.says = Says::KnownFalseAlarm { text: text.clone(), why };
        }
    }
}

/// Whether `t.c:3:14: runtime error: ...` is about a line with `?`.
fn is_about_conditional(complaint: &str, sources: &[SourceText]) -> bool {
    let mut parts = complaint.splitn(3, ':');
    let (name, line) = (parts.next().unwrap_or(""), parts.next().and_then(|n| n.parse().ok()));
    let file = sources.iter().find(|source| name.ends_with(&*source.name));
    let (Some(file), Some(line)) = (file, line) else { return false };
    let line: usize = line;
    line > 0 && file.text.lines().nth(line - 1).is_some_and(|text| text.contains('?'))
}

/// Why the program of a finding may not mean what the machine says; `None` if there is no
/// reason to doubt it. A crash needs no second opinion.
pub fn doubt(
    kind: FindingKind,
    accused: &Subject,
    opinions: &[Opinion],
    subjects: &[Subject],
) -> Option<String> {
    if !matches!(Class::of(kind), Class::WrongCode | Class::Rejects) {
        return None;
    }
    let name = |opinion: &Opinion| format!("{} {}", opinion.by, opinion.flags.join(" "));
    if let Some((opinion, text)) = opinions.iter().find_map(|opinion| match &opinion.says {
        Says::Complains { text } => Some((opinion, text)),
        _ => None,
    }) {
        return Some(format!("{} complains: {text}", name(opinion)));
    }
    let family = |opinion: &Opinion| {
        let subject = subjects.iter().find(|subject| subject.name == opinion.by)?;
        Some(if subject.family == Family::Zig { Family::Clang } else { subject.family })
    };
    let strangers: BTreeSet<Family> = opinions
        .iter()
        .filter(|opinion| opinion.says == Says::Agrees)
        .filter_map(family)
        .filter(|family| *family != accused.family)
        .collect();
    // Small compilers have many bugs of their own, and the accused is a party. So is another
    // version of it, once two compilers that have nothing in common with it speak against them.
    let trusted = |opinion: &&Opinion| {
        let subject = subjects.iter().find(|subject| subject.name == opinion.by);
        subject.is_some_and(|subject| {
            matches!(subject.family, Family::Gcc | Family::Clang)
                && !is_same(subject, accused)
                && (subject.family != accused.family || strangers.len() < 2)
        })
    };
    if let Some((opinion, actual)) =
        opinions.iter().filter(trusted).find_map(|opinion| match &opinion.says {
            Says::Differs { actual } => Some((opinion, actual)),
            _ => None,
        })
    {
        return Some(format!("{} does not agree with the machine either: {actual}", name(opinion)));
    }
    let agreed = opinions.iter().any(|opinion| opinion.says == Says::Agrees);
    (!agreed).then(|| "no other tool could say what the program does".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::parse_subjects;

    fn subjects() -> Vec<Subject> {
        let mut text = String::new();
        for (name, family, version) in [
            ("gcc", "gcc", "12.2"),
            ("gcc-9", "gcc", "9.4"),
            ("clang", "clang", "14"),
            ("tcc", "tcc", "1"),
        ] {
            text += &format!(
                "[[subject]]\nname = \"{name}\"\ncommand = \"{name}\"\nfamily = \"{family}\"\n\
                 target = \"x86_64-linux\"\nversion = \"{version}\"\n"
            );
        }
        parse_subjects(Path::new("a.toml"), &text).expect("it is right")
    }

    fn opinion(by: &str, says: Says) -> Opinion {
        Opinion { by: by.to_owned(), flags: vec!["-O0".to_owned()], says }
    }

    #[test]
    fn two_builds_of_one_version_are_two() {
        let subjects = subjects();
        let at = |command: &str| Subject {
            command: vec![command.to_owned()],
            banner: "gcc (GCC) 12.2.0".to_owned(),
            ..subjects[0].clone()
        };
        assert!(is_same(&at("/bin/sh"), &at("/usr/bin/../bin/sh")));
        assert!(!is_same(&at("/bin/sh"), &at("/bin/ls")));
        assert!(is_same(&at("/bin/sh"), &at("/no/such/file")), "a build that is gone");
    }

    #[test]
    fn versions_are_numbers() {
        let subjects = subjects();
        let names = |found: Vec<&Subject>| {
            found.iter().map(|subject| subject.name.clone()).collect::<Vec<_>>()
        };
        let gcc = |subject: &Subject| subject.family == Family::Gcc;
        assert_eq!(names(newest(subjects.iter(), gcc)), ["gcc", "gcc-9"]);
    }

    #[test]
    fn who_disagrees_causes_doubt() {
        let subjects = subjects();
        let accused = &subjects[0];
        let agrees = || opinion("clang", Says::Agrees);
        let kind = FindingKind::WrongOutput;
        let doubt = |opinions: &[Opinion]| doubt(kind, accused, opinions, &subjects);
        assert_eq!(doubt(&[agrees()]), None);
        let complains = opinion("clang", Says::Complains { text: "runtime error".to_owned() });
        assert!(doubt(&[agrees(), complains.clone()]).is_some_and(|why| why.contains("complains")));
        let differs = || Says::Differs { actual: "3".to_owned() };
        assert!(doubt(&[agrees(), opinion("clang", differs())]).is_some());
        assert!(doubt(&[agrees(), opinion("gcc-9", differs())]).is_some());
        // An older version has the bug as well: two other compilers say so.
        let tcc = opinion("tcc", Says::Agrees);
        assert_eq!(doubt(&[opinion("gcc-9", differs()), agrees(), agrees(), tcc.clone()]), None);
        assert!(doubt(&[opinion("gcc-9", differs()), agrees(), agrees()]).is_some());
        assert!(doubt(&[opinion("clang", differs()), agrees(), tcc]).is_some());
        // The accused at another level, and a small compiler.
        assert_eq!(doubt(&[agrees(), opinion("gcc", differs()), opinion("tcc", differs())]), None);
        let why = "no library".to_owned();
        assert!(doubt(&[opinion("clang", Says::CannotTell { why })]).is_some());
        assert_eq!(
            super::doubt(FindingKind::CompilerCrash, accused, &[complains], &subjects),
            None
        );
        let known = Says::KnownFalseAlarm { text: String::new(), why: String::new() };
        assert_eq!(doubt(&[agrees(), opinion("clang", known)]), None);
    }

    #[test]
    fn an_arm_that_is_not_evaluated_is_known() {
        let text = "int g = 1;\nint main(void) { return (g ? 1 : (-265 << 15)) - 1; }\n";
        let sources = [SourceText::new("q.c", text)];
        let about = |text: &str| is_about_conditional(text, &sources);
        assert!(about("q.c:2:51: runtime error: left shift of negative value -265"));
        assert!(!about("q.c:1:51: runtime error: left shift of negative value -265"));
        assert!(!about("q.c:0:0: runtime error") && !about("nonsense") && !about("z.c:2:1: x"));
    }
}
