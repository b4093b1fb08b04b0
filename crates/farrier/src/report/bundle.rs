//! The bundle: a directory that a maintainer of a compiler can work with.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use askama::Template;
use farrier_harness::triage::{Answer, Area, Class, Culprit, Opinion, Says, Tried};
use farrier_harness::{
    Commands, CompilerCommand, Family, FindingKind, Origin, commands, support_file,
};
use serde_json::json;

use super::evidence::{Evidence, culprit_in_words, opinions_in_words, reproducer_name};
use super::regression::{dejagnu, lit};
use super::text::{base64, cut, fenced, percent, quote_all, visible, visible_bytes};
use crate::finding::Divergence;

/// The file by which a directory is recognised as a bundle.
const DATA: &str = "finding.json";

/// What is shown of a program in an issue; trackers take no more.
const MOST_SOURCE: usize = 60_000;

/// What is shown of an output.
const MOST_OUTPUT: usize = 4_000;

/// Addresses that are longer do not work everywhere.
const MOST_ADDRESS: usize = 8_000;

#[derive(Template)]
#[template(path = "bundle/readme.txt")]
struct Readme<'a> {
    view: &'a View,
}

#[derive(Template)]
#[template(path = "bundle/issue_gcc.txt")]
struct IssueGcc<'a> {
    view: &'a View,
}

/// For the tracker of LLVM, or any other that takes Markdown.
#[derive(Template)]
#[template(path = "bundle/issue_markdown.txt")]
struct IssueMarkdown<'a> {
    view: &'a View,
}

#[derive(Template)]
#[template(path = "bundle/makefile.txt")]
struct Makefile<'a> {
    view: &'a View,
}

/// The name of a regression test: that of C, or that of C++.
fn test_name(evidence: &Evidence, c: &'static str, cplusplus: &'static str) -> &'static str {
    if evidence.subject.is_cplusplus() { cplusplus } else { c }
}

/// The files of a bundle. The last has the data, so that a bundle that has it is complete.
pub(crate) fn files(evidence: &Evidence) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let view = View::new(evidence);
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut add = |name: &str, bytes: Vec<u8>| files.push((name.to_owned(), bytes));
    add(reproducer_name(&evidence.subject), evidence.source.clone().into_bytes());
    add("README.md", (Readme { view: &view }).render()?.into_bytes());
    add(view.issue, issue(&view)?.into_bytes());
    add("Makefile", (Makefile { view: &view }).render()?.into_bytes());
    add(view.gcc_test, dejagnu(evidence).into_bytes());
    add(view.llvm_test, lit(evidence).into_bytes());
    add("compiler.txt", format!("{}\n", evidence.compiler).into_bytes());
    add("actual.txt", actual(evidence));
    add(
        "expected.txt",
        match evidence.kind.is_wrong_code() {
            true => evidence.expected_output().to_vec(),
            false => b"the compiler accepts the program\n".to_vec(),
        },
    );
    if let Some(support) = support_file(&evidence.subject) {
        add(&support.name, support.text.as_bytes().to_vec());
    }
    let mut data = data(evidence);
    let hash = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
    data["files"] = files.iter().map(|(name, bytes)| (name.clone(), json!(hash(bytes)))).collect();
    let mut data = serde_json::to_string_pretty(&data)?;
    data.push('\n');
    files.push((DATA.to_owned(), data.into_bytes()));
    Ok(files)
}

/// Writes a bundle into a directory, which is new, empty or a bundle already. Files of it that were
/// changed since are overwritten only if that is wanted. Gives the names of the files.
pub(crate) fn write(
    evidence: &Evidence,
    directory: &Path,
    force: bool,
) -> anyhow::Result<Vec<String>> {
    let files = files(evidence)?;
    claim(directory)?;
    if !force && let Some(changed) = changed_file(directory) {
        bail!(
            "`{}` was changed since Farrier wrote it: --force overwrites it, -o chooses another \
             directory",
            directory.join(changed).display()
        );
    }
    for (name, bytes) in &files {
        let path = directory.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

/// Makes the directory, unless it holds something else.
fn claim(directory: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory `{}`", directory.display()))?;
    let mut entries = fs::read_dir(directory)
        .with_context(|| format!("cannot read `{}`", directory.display()))?;
    if entries.next().is_some() && !directory.join(DATA).exists() {
        bail!("`{}` has other contents: choose another -o", directory.display());
    }
    Ok(())
}

/// A file of a bundle that is not what was written there, if there is one.
fn changed_file(directory: &Path) -> Option<String> {
    let data = fs::read(directory.join(DATA)).ok()?;
    let data: serde_json::Value = serde_json::from_slice(&data).ok()?;
    let written = data["files"].as_object()?;
    let is_changed = |(name, hash): &(&String, &serde_json::Value)| {
        let bytes = fs::read(directory.join(name));
        bytes.is_ok_and(|bytes| hash.as_str() != Some(&blake3::hash(&bytes).to_hex()))
    };
    written.iter().find(is_changed).map(|(name, _)| name.clone())
}

/// The file of the text for the tracker of what is guilty: the compiler, by its family, or an
/// engine, whose tracker is not known.
fn issue_name(evidence: &Evidence) -> &'static str {
    match evidence.subject.family {
        _ if matches!(evidence.culprit(), Some(Culprit::Engine { .. })) => "issue.md",
        Family::Gcc => "issue-gcc.txt",
        Family::Clang | Family::Zig => "issue-llvm.md",
        _ => "issue.md",
    }
}

/// The text for the tracker.
fn issue(view: &View) -> anyhow::Result<String> {
    Ok(match view.issue {
        "issue-gcc.txt" => (IssueGcc { view }).render()?,
        _ => (IssueMarkdown { view }).render()?,
    })
}

fn actual(evidence: &Evidence) -> Vec<u8> {
    if evidence.kind.is_wrong_code() {
        evidence.actual.output.clone()
    } else {
        format!("{}\n", evidence.actual.text).into_bytes()
    }
}

fn data(evidence: &Evidence) -> serde_json::Value {
    json!({
        "made_by": format!("Farrier {}", env!("CARGO_PKG_VERSION")),
        "finding": evidence.finding,
        "kind": evidence.kind.name(),
        "doubts": evidence.doubts,
        "reduced": evidence.reduced,
        "notes": evidence.notes,
        "flags": evidence.flags,
        "commands": command_lines(evidence),
        "expected": {
            "ending": evidence.expected_ending(),
            "output": String::from_utf8_lossy(evidence.expected_output()),
        },
        "actual": {
            "ending": evidence.actual.ending,
            "output": String::from_utf8_lossy(&evidence.actual.output),
        },
        "proof": {
            "defined": evidence.defined,
            "verdict": evidence.verdict,
            "operations": evidence.operations,
        },
        "divergence": evidence.divergence,
        "crash": evidence.crash,
        "compiler": evidence.compiler,
        "analysis": evidence.analysis,
        "gaps": evidence.gaps,
    })
}

/// Everything that the templates show, in words.
struct View {
    /// The name of the file with the program.
    reproducer: &'static str,
    /// The names of the regression tests.
    gcc_test: &'static str,
    llvm_test: &'static str,
    name: String,
    kind: &'static str,
    seen: String,
    title: String,
    /// The name of the file with the text for the tracker.
    issue: &'static str,
    what: String,
    doubts: Vec<String>,
    compiler_name: String,
    version: String,
    target: String,
    triple: String,
    flags: String,
    signature: String,
    culprit: String,
    area: &'static str,
    origin: String,
    finder: String,
    is_clang: bool,
    wrong_code: bool,
    /// Whether anything is written, or should be.
    has_output: bool,
    commands: Vec<String>,
    commands_block: String,
    source: String,
    source_block: String,
    expected_ending: String,
    expected_output: String,
    expected_block: String,
    actual_ending: String,
    actual_output: String,
    actual_block: String,
    crash_text: Option<String>,
    crash_block: Option<String>,
    frames: Option<String>,
    frames_block: Option<String>,
    reasons: Vec<String>,
    operations: Vec<String>,
    divergence: Vec<String>,
    versions: Vec<String>,
    known_to_fail: String,
    known_to_work: String,
    compiler: String,
    compiler_block: String,
    explorer: String,
    search: String,
    gaps: Vec<String>,
    gcc_component: &'static str,
    gcc_keywords: String,
    llvm_labels: String,
    make: Make,
}

impl View {
    fn new(evidence: &Evidence) -> Self {
        let finding = &evidence.finding;
        let analysis = evidence.analysis.as_ref();
        let commands = command_lines(evidence);
        let source = cut(&visible(&evidence.source), MOST_SOURCE);
        let output = |bytes: &[u8]| cut(visible_bytes(bytes).trim_end_matches('\n'), MOST_OUTPUT);
        let expected_output = output(evidence.expected_output());
        let actual_output = output(&evidence.actual.output);
        let crash_text = crash_text(evidence);
        let frames = frames(evidence);
        let signature = match analysis {
            Some(analysis) => visible(&analysis.signature.line()),
            None => "not triaged yet".to_owned(),
        };
        let version = match visible(&finding.subject.version) {
            version if version.is_empty() => "unknown".to_owned(),
            version => version,
        };
        let title = if evidence.is_clang() { llvm_title(evidence) } else { gcc_title(evidence) };
        let known = |fails: bool| known_versions(evidence, fails);
        Self {
            reproducer: reproducer_name(&evidence.subject),
            gcc_test: test_name(evidence, "test-gcc.c", "test-gcc.C"),
            llvm_test: test_name(evidence, "test-llvm.c", "test-llvm.cpp"),
            name: finding.name.clone(),
            kind: evidence.kind.name(),
            seen: finding.seen.clone(),
            title: title.clone(),
            issue: issue_name(evidence),
            what: what(evidence),
            doubts: evidence.doubts.clone(),
            compiler_name: visible(&quote_all(&evidence.subject.command)),
            version,
            target: visible(finding.subject.machine()),
            triple: visible(&evidence.subject.triple),
            flags: visible(&quote_all(&evidence.flags)),
            signature,
            culprit: analysis
                .map_or_else(|| "not looked for".to_owned(), |it| culprit_in_words(&it.culprit)),
            area: evidence.area().name(),
            origin: origin(evidence),
            finder: finder(evidence),
            is_clang: issue_name(evidence) == "issue-llvm.md",
            wrong_code: evidence.kind.is_wrong_code(),
            has_output: evidence.kind.is_wrong_code()
                && !(evidence.expected_output().is_empty() && evidence.actual.output.is_empty()),
            commands_block: fenced("console", &prompted(&commands)),
            commands,
            source_block: fenced("c", &source),
            source,
            expected_ending: evidence.expected_ending_of_kind(),
            expected_block: fenced("", &expected_output),
            expected_output,
            actual_ending: evidence.actual.ending.clone(),
            actual_block: fenced("", &actual_output),
            actual_output,
            crash_block: crash_text.as_ref().map(|text| fenced("", text)),
            crash_text,
            frames_block: frames.as_ref().map(|text| fenced("", text)),
            frames,
            reasons: reasons(evidence),
            operations: operations(evidence),
            divergence: evidence.divergence.as_ref().map_or_else(Vec::new, Divergence::sentences),
            versions: versions(evidence),
            known_to_fail: known(true),
            known_to_work: known(false),
            compiler_block: fenced("", &evidence.compiler),
            compiler: evidence.compiler.clone(),
            explorer: explorer(evidence),
            search: search(evidence),
            gaps: evidence.gaps.clone(),
            gcc_component: gcc_component(evidence),
            gcc_keywords: gcc_keywords(evidence),
            make: Make::new(evidence, &title),
            llvm_labels: llvm_labels(evidence),
        }
    }
}

impl Evidence {
    /// What should happen, in words.
    fn expected_ending_of_kind(&self) -> String {
        if self.kind.is_wrong_code() {
            self.expected_ending()
        } else {
            "the compiler accepts the program".to_owned()
        }
    }
}

/// The lines that a person types.
fn command_lines(evidence: &Evidence) -> Vec<String> {
    let mut lines: Vec<String> =
        build(evidence).iter().map(|step| quote_all(&step.command)).collect();
    if evidence.kind.is_wrong_code()
        && let Some(run) =
            commands(&evidence.subject, &evidence.flags, &[reproducer_name(&evidence.subject)]).run
    {
        lines.push(format!("{}; echo \"exit status $?\"", quote_all(&run)));
    }
    lines
}

/// The steps from the reproducer to where the failure is seen. Compilers that make a program in
/// one step do so.
fn build(evidence: &Evidence) -> Vec<CompilerCommand> {
    let Commands { mut compile, objects, mut link, .. } =
        commands(&evidence.subject, &evidence.flags, &[reproducer_name(&evidence.subject)]);
    if !evidence.kind.is_wrong_code() {
        return compile;
    }
    let drives = matches!(evidence.subject.family, Family::Gcc | Family::Clang);
    if let ([_], [object], true) = (&compile[..], &objects[..], drives) {
        let words = link.iter_mut().flat_map(|link| &mut link.command);
        for word in words.filter(|word| *word == object) {
            *word = reproducer_name(&evidence.subject).to_owned();
        }
        compile.clear();
    }
    compile.extend(link);
    compile
}

fn prompted(lines: &[String]) -> String {
    lines.iter().map(|line| format!("$ {line}\n")).collect()
}

/// The finding in a sentence.
fn what(evidence: &Evidence) -> String {
    let compiler = format!(
        "{} {}",
        evidence.subject.family.name(),
        visible(&evidence.finding.subject.version)
    );
    let compiler = compiler.trim_end();
    let level = evidence.level();
    let valid = if evidence.defined { "valid program" } else { "program" };
    let at = if level.is_empty() { String::new() } else { format!(" at {level}") };
    match evidence.kind {
        FindingKind::WrongOutput => {
            format!("{compiler} compiles this program to one that writes the wrong output{at}.")
        }
        FindingKind::WrongExit => {
            format!("{compiler} compiles this program to one with the wrong exit status{at}.")
        }
        FindingKind::RunCrash => {
            format!("{compiler} compiles this program to one that crashes{at}.")
        }
        FindingKind::RunHang => {
            format!("{compiler} compiles this program to one that hangs{at}.")
        }
        FindingKind::CompilerCrash => format!("{compiler} crashes on this {valid}{at}."),
        FindingKind::CompilerHang => {
            format!("{compiler} hangs on this {valid}{at}.")
        }
        FindingKind::CompilerOutOfMemory => {
            format!("{compiler} needs too much memory for this {valid}{at}.")
        }
        FindingKind::ValidProgramRejected => {
            format!("{compiler} refuses this valid program{at}.")
        }
    }
}

fn origin(evidence: &Evidence) -> String {
    let finding = &evidence.finding;
    let state = if evidence.reduced { "reduced from" } else { "not reduced yet:" };
    let from = match &finding.recipe.origin {
        Origin::Corpus { path, .. } => format!("{state} `{path}`, which is not Farrier's own"),
        _ => format!("{state} program number {} (seed {})", finding.program, finding.seed),
    };
    let mutated = match (&finding.recipe.drawing, evidence.notes.is_empty()) {
        (Some(_), true) => vec![format!("mutated by {}", finding.recipe.kinds())],
        _ => evidence.notes.iter().map(|note| visible(note)).collect(),
    };
    [vec![from], mutated].concat().join("; ")
}

/// Who made the program.
fn finder(evidence: &Evidence) -> String {
    let by = if evidence.generated { "by a fuzzer (" } else { "with a corpus of programs (" };
    format!("{by}Farrier {})", env!("CARGO_PKG_VERSION"))
}

/// Where it happens, for a title.
fn circumstances(evidence: &Evidence) -> String {
    let level = evidence.level();
    let others = evidence.flags.iter().filter(|flag| !flag.starts_with("-O")).count();
    let flags = match (level, others) {
        ("", 0) => String::new(),
        ("", _) => format!(" with {}", quote_all(&evidence.flags)),
        (level, 0) => format!(" at {level}"),
        (_, 1..=3) => format!(" with {}", quote_all(&evidence.flags)),
        (level, _) => format!(" at {level} and other flags"),
    };
    let triple = &evidence.subject.triple;
    visible(&format!("{flags}{}{triple}", if triple.is_empty() { "" } else { " on " }))
}

fn gcc_title(evidence: &Evidence) -> String {
    let what = match Class::of(evidence.kind) {
        Class::WrongCode => "wrong code".to_owned(),
        Class::Crash => match crash_summary(evidence) {
            Some(summary) if summary.starts_with("in ") => format!("ICE {summary}"),
            Some(summary) => format!("ICE: {summary}"),
            None => "ICE".to_owned(),
        },
        Class::Hang => "compile-time hog: hangs".to_owned(),
        Class::OutOfMemory => "memory hog".to_owned(),
        Class::Rejects => "valid code rejected".to_owned(),
    };
    let regression = match evidence.regression() {
        Some((_, bad)) => {
            let major = bad.version.split('.').next().unwrap_or_default();
            format!("[{} Regression] ", visible(major))
        }
        None => String::new(),
    };
    let pass = match evidence.culprit().and_then(Culprit::name) {
        // A flag that switches a pass off is not what makes it wrong.
        Some(flag) if flag.starts_with('-') => format!(" (works with {})", visible(flag)),
        Some(name) => format!(" ({})", visible(name)),
        None => String::new(),
    };
    format!("{regression}{what}{}{pass}", circumstances(evidence))
}

fn llvm_title(evidence: &Evidence) -> String {
    let component = match (evidence.culprit(), evidence.area()) {
        (Some(Culprit::LlvmPass { name, .. }), _) => visible(name),
        (_, Area::FrontEnd) => "clang".to_owned(),
        (_, Area::BackEnd) => "CodeGen".to_owned(),
        (_, Area::MiddleEnd | Area::Unknown) => String::new(),
    };
    let component = if component.is_empty() { component } else { format!("[{component}] ") };
    let what = match Class::of(evidence.kind) {
        Class::WrongCode => "Miscompilation".to_owned(),
        Class::Crash => match crash_summary(evidence) {
            Some(summary) => format!("Crash: {summary}"),
            None => "Crash".to_owned(),
        },
        Class::Hang => "Compiler hangs".to_owned(),
        Class::OutOfMemory => "Compiler needs too much memory".to_owned(),
        Class::Rejects => "Valid code rejected".to_owned(),
    };
    format!("{component}{what}{}", circumstances(evidence))
}

fn crash_summary(evidence: &Evidence) -> Option<String> {
    let summary = &evidence.crash.as_ref()?.summary;
    let summary = summary.rsplit("internal compiler error: ").next().unwrap_or(summary);
    let line = summary.lines().next().unwrap_or_default().trim();
    (!line.is_empty()).then(|| cut(line, 120).replace('\n', " "))
}

fn gcc_component(evidence: &Evidence) -> &'static str {
    let name = evidence.culprit().and_then(Culprit::name).unwrap_or_default();
    match evidence.area() {
        Area::FrontEnd => "c",
        Area::BackEnd => "target",
        _ if name.starts_with("rtl-") => "rtl-optimization",
        _ if name.contains("tree-") || name.starts_with("-fno-tree") => "tree-optimization",
        _ if name.contains("ipa-") => "ipa",
        Area::MiddleEnd => "tree-optimization",
        Area::Unknown => "middle-end",
    }
}

fn gcc_keywords(evidence: &Evidence) -> String {
    match Class::of(evidence.kind) {
        Class::WrongCode => "wrong-code",
        Class::Crash => "ice-on-valid-code",
        Class::Hang => "compile-time-hog",
        Class::OutOfMemory => "memory-hog",
        Class::Rejects => "rejects-valid",
    }
    .to_owned()
}

fn llvm_labels(evidence: &Evidence) -> String {
    let kind = match Class::of(evidence.kind) {
        Class::WrongCode => "miscompilation",
        Class::Crash => "crash-on-valid",
        Class::Hang => "hang",
        Class::OutOfMemory => "slow-compile",
        Class::Rejects => "rejects-valid",
    };
    let area = match evidence.area() {
        Area::FrontEnd => ", clang:frontend",
        Area::MiddleEnd => ", llvm:optimizations",
        Area::BackEnd => ", llvm:codegen",
        Area::Unknown => "",
    };
    let regression = if evidence.regression().is_some() { ", regression" } else { "" };
    let fuzzer = if evidence.generated { ", generated by fuzzer" } else { "" };
    format!("{kind}{area}{regression}{fuzzer}")
}

/// Why the program is well defined.
fn reasons(evidence: &Evidence) -> Vec<String> {
    let mut reasons = vec![if evidence.defined {
        format!("{}.", evidence.verdict)
    } else if evidence.kind.is_wrong_code() {
        format!("NOT PROVED: {}.", evidence.verdict)
    } else {
        format!(
            "It is not known to be defined when it runs ({}), but a compiler must not crash \
             on it.",
            evidence.verdict
        )
    }];
    let opinions = evidence.opinions().iter().filter(|opinion| !fails_too(evidence, opinion));
    reasons.extend(opinions_in_words(&opinions.cloned().collect::<Vec<_>>()));
    if evidence.opinions().is_empty() {
        reasons.push("No sanitizer and no other compiler was asked yet.".to_owned());
    }
    reasons
}

/// Whether another compiler fails as the accused does: it says nothing of the program, and the
/// versions that fail are listed elsewhere. Where the program is doubted it does say something.
fn fails_too(evidence: &Evidence, opinion: &Opinion) -> bool {
    let version = evidence.versions().iter().find(|tried| tried.subject == opinion.by);
    let is_crash = !evidence.kind.is_wrong_code();
    match opinion.says {
        Says::Differs { .. } => is_crash || (evidence.doubts.is_empty() && version.is_some()),
        // With a sanitizer, too.
        Says::CannotTell { .. } => {
            is_crash && version.is_some_and(|tried| matches!(tried.answer, Answer::Fails { .. }))
        }
        _ => false,
    }
}

fn operations(evidence: &Evidence) -> Vec<String> {
    let cell = |text: &str| visible(text).replace('\n', " ").replace('|', "\\|");
    let mut rows: Vec<String> = evidence
        .operations
        .iter()
        .map(|operation| {
            format!(
                "| {} | `{}` | {} | {} |",
                operation.line,
                cell(&operation.text).replace('`', "'"),
                cell(&operation.why),
                operation.count
            )
        })
        .collect();
    if evidence.more_operations > 0 {
        rows.push(format!("| | and {} more | | |", evidence.more_operations));
    }
    rows
}

fn versions(evidence: &Evidence) -> Vec<String> {
    let mut lines: Vec<String> = evidence
        .versions()
        .iter()
        .map(|tried| {
            let answer = match &tried.answer {
                Answer::Fails { kind } => format!("fails ({kind})"),
                Answer::Works => "works".to_owned(),
                Answer::CannotTell { why } => format!("cannot tell: {}", visible(why)),
            };
            format!("{} {}: {answer}", version_of(&tried.subject, &tried.version), flags_of(tried))
        })
        .collect();
    if let Some((good, bad)) = evidence.regression() {
        lines.push(format!(
            "regression: {} works and {} fails",
            visible(&good.version),
            visible(&bad.version)
        ));
    }
    if lines.is_empty() {
        lines.push(format!(
            "{}: fails; no other version was tried",
            version_of(&evidence.finding.subject.name, &evidence.finding.subject.version)
        ));
    }
    lines
}

fn version_of(subject: &str, version: &str) -> String {
    match (visible(subject), visible(version)) {
        (subject, version) if subject.contains(&version) => subject,
        (subject, version) => format!("{subject} ({version})"),
    }
}

/// The version, or who it is if it has none.
fn named_version(subject: &str, version: &str) -> String {
    visible(if version.is_empty() { subject } else { version })
}

fn flags_of(tried: &Tried) -> String {
    visible(&quote_all(&tried.flags))
}

/// The versions that fail, or those that work. A version of which one build fails and another
/// works is told by the names of the builds.
fn known_versions(evidence: &Evidence, fails: bool) -> String {
    let verdict = |tried: &Tried| match tried.answer {
        Answer::Fails { .. } => Some(true),
        Answer::Works => Some(false),
        Answer::CannotTell { .. } => None,
    };
    let all = evidence.versions();
    let is_disputed = |version: &str| {
        let of = |wanted: bool| {
            all.iter().any(|tried| tried.version == version && verdict(tried) == Some(wanted))
        };
        of(true) && of(false)
    };
    let mut names: Vec<String> = all
        .iter()
        .filter(|tried| verdict(tried) == Some(fails))
        .map(|tried| match is_disputed(&tried.version) {
            true => format!("{} ({})", visible(&tried.version), visible(&tried.subject)),
            false => named_version(&tried.subject, &tried.version),
        })
        .collect();
    if names.is_empty() && fails {
        let subject = &evidence.finding.subject;
        names.push(named_version(&subject.name, &subject.version));
    }
    names.dedup();
    if names.is_empty() { "none on this machine".to_owned() } else { names.join(", ") }
}

/// The address of Compiler Explorer with the program and the flags in it.
fn explorer(evidence: &Evidence) -> String {
    let compiler = if evidence.is_clang() { "cclang_trunk" } else { "cgsnapshot" };
    let options = quote_all(&evidence.flags);
    let state = json!({
        "sessions": [{
            "id": 1,
            "language": "___c",
            "source": evidence.source,
            "compilers": [{ "id": compiler, "options": options }],
            "executors": [{ "compiler": { "id": compiler, "options": options } }],
        }],
    });
    let address = format!(
        "https://godbolt.org/clientstate/{}",
        percent(&base64(state.to_string().as_bytes()))
    );
    if address.len() > MOST_ADDRESS {
        "https://godbolt.org/ (the program is too long for an address)".to_owned()
    } else {
        address
    }
}

/// Where to look for the same bug; nothing where no tracker is known.
fn search(evidence: &Evidence) -> String {
    let words = match (crash_summary(evidence), evidence.culprit().and_then(Culprit::name)) {
        (Some(summary), _) => summary,
        (None, Some(name)) => format!("wrong code {name}"),
        (None, None) => format!("wrong code {}", evidence.level()),
    };
    // A word that begins with a minus is one that must not occur.
    let words: Vec<&str> =
        words.split_whitespace().map(|word| word.trim_start_matches('-')).collect();
    let words = percent(&words.join(" "));
    match evidence.subject.family {
        Family::Clang | Family::Zig => {
            format!("https://github.com/llvm/llvm-project/issues?q={words}")
        }
        Family::Gcc => format!("https://gcc.gnu.org/bugzilla/buglist.cgi?quicksearch={words}"),
        _ => String::new(),
    }
}

/// What the compiler said when it crashed, or why it did not compile.
fn crash_text(evidence: &Evidence) -> Option<String> {
    (!evidence.kind.is_wrong_code()).then(|| match &evidence.crash {
        // Triage has tried it under another name.
        Some(crash) if !crash.text.trim().is_empty() => {
            let tried = format!("program.{}", evidence.subject.extension());
            crash.text.replace(&tried, reproducer_name(&evidence.subject))
        }
        _ => evidence.actual.text.clone(),
    })
}

/// The calls that led to a crash.
fn frames(evidence: &Evidence) -> Option<String> {
    let crash = evidence.crash.as_ref().filter(|crash| !crash.frames.is_empty())?;
    Some(crash.frames.join("\n"))
}

/// The parts of the Makefile.
struct Make {
    title: String,
    expected_ending: String,
    cc: String,
    flags: String,
    sources: String,
    compile: Vec<String>,
    run: String,
    only: String,
    limit: &'static str,
    condition: String,
}

impl Make {
    fn new(evidence: &Evidence, title: &str) -> Self {
        let subject = &evidence.subject;
        let flags: Vec<String> = subject.flags.iter().chain(&evidence.flags).cloned().collect();
        let prefix: Vec<String> = subject.command.iter().chain(&flags).cloned().collect();
        let line = |step: &CompilerCommand| match step.command.strip_prefix(&prefix[..]) {
            Some(rest) => format!("$(CC) $(FLAGS) {}", escaped(&quote_all(rest))),
            None => escaped(&quote_all(&step.command)),
        };
        let compile: Vec<String> = build(evidence).iter().map(line).collect();
        // What crashes may well be the second of several steps.
        let only = compile.join(" && ");
        let mut sources = reproducer_name(&evidence.subject).to_owned();
        if let Some(support) = support_file(subject) {
            sources.push(' ');
            sources.push_str(&support.name);
        }
        let condition = match evidence.expected_status() {
            Some(status) => {
                format!("cmp -s expected.txt actual.out && test $$status -eq {status}")
            }
            // By SIGABRT, SIGILL or SIGTRAP; what was not yet written out is lost.
            None => "test $$status -ge 132 && test $$status -le 134".to_owned(),
        };
        let run = match (
            &commands(subject, &evidence.flags, &[reproducer_name(&evidence.subject)]).run,
            &subject.runner,
        ) {
            (Some(run), _) => escaped(&quote_all(run)),
            (None, _) => "./program".to_owned(),
        };
        Self {
            title: visible(title).replace('\n', " "),
            expected_ending: evidence.expected_ending(),
            cc: escaped(&quote_all(&subject.command)),
            flags: escaped(&quote_all(&flags)),
            sources,
            compile,
            run,
            only,
            limit: match evidence.kind {
                FindingKind::CompilerOutOfMemory => "ulimit -v 2000000; ",
                FindingKind::CompilerHang => "timeout 60 ",
                _ => "",
            },
            condition,
        }
    }
}

/// A text as make takes it.
fn escaped(text: &str) -> String {
    text.replace('$', "$$").replace('#', "\\#")
}
