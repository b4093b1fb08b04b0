//! `cargo xtask tidy`: the rules of the repository that the compiler cannot enforce.
//!
//! A rule is a row of [`RULES`] with its reason. It looks at the files as values, so
//! that its tests can show files that break it.

mod kinds;
mod layers;
mod links;
mod modules;
mod names;
mod rust_code;
mod text;

use anyhow::Result;

use crate::repository::{self, File};

/// One rule.
pub(crate) struct TidyRule {
    /// A few words, as they stand before each problem.
    pub(crate) name: &'static str,
    /// Why the rule exists, as a sentence.
    pub(crate) reason: &'static str,
    check: fn(&[File], &mut Vec<Problem>),
}

/// A place that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    path: String,
    /// From one; zero for the file as a whole.
    line: usize,
    message: String,
    /// Whether it may stay for now.
    warning: bool,
}

impl Problem {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into(), warning: false }
    }
}

/// Every rule.
pub(crate) const RULES: &[TidyRule] = &[
    TidyRule {
        name: "direction of dependencies",
        reason: "The judge must not know the judged, and pure crates stay pure only if they depend on pure ones.",
        check: layers::check,
    },
    TidyRule {
        name: "direction inside the command",
        reason: "What hunts, judges and keeps must work without the command line, so nothing imports from above.",
        check: modules::check,
    },
    TidyRule {
        name: "one purity",
        reason: "All pure crates ban the same methods, so their clippy.toml files are equal.",
        check: layers::check_purity,
    },
    TidyRule {
        name: "lints of the workspace",
        reason: "One table of lints holds for every crate.",
        check: layers::check_lints,
    },
    TidyRule {
        name: "no mod.rs",
        reason: "A file is found by its name.",
        check: text::check_mod_files,
    },
    TidyRule {
        name: "length of files",
        reason: "A file that passes 800 lines wants splitting by phase or category, and 1200 is too long; tables may be longer.",
        check: text::check_length,
    },
    TidyRule {
        name: "module documentation",
        reason: "The first line of a file says what it is for, so that a newcomer can decide whether to read on.",
        check: rust_code::check_module_documentation,
    },
    TidyRule {
        name: "nothing unfinished or skipped",
        reason: "What is not finished is not merged, a test that skips itself proves nothing, and a test that expects a panic passes for the wrong panic too.",
        check: rust_code::check_banned,
    },
    TidyRule {
        name: "no unwrap",
        reason: "A panic names the invariant that was broken; only a test may unwrap.",
        check: rust_code::check_unwrap,
    },
    TidyRule {
        name: "one word per concept",
        reason: "A type name that means two things where both can be named has to be explained every time.",
        check: names::check_types,
    },
    TidyRule {
        name: "nothing that exists is to come",
        reason: "A page that announces what is already there is not read again.",
        check: names::check_announced,
    },
    TidyRule {
        name: "white space",
        reason: "Differences show what was changed, not who formatted it.",
        check: text::check_white_space,
    },
    TidyRule {
        name: "no paths of one machine",
        reason: "A path that exists on one machine only is wrong on all others.",
        check: text::check_machine_paths,
    },
    TidyRule {
        name: "one registry",
        reason: "A fresh machine builds from the public registry, whatever mirror a developer uses.",
        check: text::check_registry,
    },
    TidyRule {
        name: "no pinned toolchain",
        reason: "The installed toolchain is used; rust-version in Cargo.toml says which are new enough.",
        check: text::check_toolchain,
    },
    TidyRule {
        name: "links",
        reason: "A relative link in a Markdown file leads to a file and a heading that exist.",
        check: links::check,
    },
    TidyRule {
        name: "kinds are tested",
        reason: "A kind of undefined behaviour without a program in which it is found may never be found, and one without a near miss may be found everywhere.",
        check: kinds::check,
    },
    TidyRule {
        name: "generated pages",
        reason: "A page made from a table in the code says what the code says.",
        check: check_generated,
    },
];

/// Prints every problem; true if there is none that fails.
pub(crate) fn run() -> Result<bool> {
    let files = repository::files()?;
    let mut failures = 0;
    let mut warnings = 0;
    for rule in RULES {
        let mut problems = Vec::new();
        (rule.check)(&files, &mut problems);
        for problem in &problems {
            let Problem { path, line, message, warning } = problem;
            let level = if *warning { "warning" } else { "error" };
            println!("{level}: {path}:{line}: {message} [{}]", rule.name);
            if *warning {
                warnings += 1;
            } else {
                failures += 1;
            }
        }
        if problems.iter().any(|problem| !problem.warning) {
            println!("    why: {}", rule.reason);
        }
    }
    println!(
        "tidy: {} files, {} rules, {failures} errors, {warnings} warnings",
        files.len(),
        RULES.len()
    );
    Ok(failures == 0)
}

fn check_generated(files: &[File], problems: &mut Vec<Problem>) {
    for page in crate::generate::PAGES {
        let found = files.iter().find(|file| file.path == page.path);
        if found.and_then(|file| file.text.as_deref()) != Some(&(page.generate)()) {
            problems.push(Problem::new(page.path, 0, "is not fresh: run cargo xtask generate"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Problem, RULES, run};
    use crate::repository::File;

    /// The lines that the rule called `name` complains about in one file.
    pub(super) fn complaints(name: &str, path: &str, text: &str) -> Vec<usize> {
        complaints_in(name, &[(path, text)]).into_iter().map(|problem| problem.line).collect()
    }

    pub(super) fn complaints_in(name: &str, files: &[(&str, &str)]) -> Vec<Problem> {
        let files: Vec<File> = files
            .iter()
            .map(|(path, text)| File { path: (*path).into(), text: Some((*text).into()) })
            .collect();
        let rule = RULES.iter().find(|rule| rule.name == name).expect("a rule has this name");
        let mut problems = Vec::new();
        (rule.check)(&files, &mut problems);
        problems
    }

    #[test]
    fn the_repository_is_tidy() {
        assert!(run().unwrap(), "run cargo xtask tidy");
    }

    #[test]
    fn names_are_unique_and_reasons_are_sentences() {
        for (index, rule) in RULES.iter().enumerate() {
            assert!(RULES[..index].iter().all(|other| other.name != rule.name), "{}", rule.name);
            assert!(rule.reason.ends_with('.'), "{}", rule.name);
        }
    }

    #[test]
    fn a_stale_page_is_found() {
        let path = crate::generate::PAGES[0].path;
        assert!(complaints("generated pages", path, "old").contains(&0));
    }
}
