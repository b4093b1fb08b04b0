//! Every kind of undefined behaviour has tests on both sides of its line.

use farrier_machine::UbKind;

use super::Problem;
use crate::repository::File;

/// Where the programs are.
const CORPUS: &str = "crates/machine/tests";

/// Where the catalogue is.
const CATALOGUE: &str = "crates/machine/src/kinds.rs";

pub(super) fn check(files: &[File], problems: &mut Vec<Problem>) {
    if !files.iter().any(|file| file.path == CATALOGUE) {
        return;
    }
    for kind in UbKind::ALL {
        for (verdict, what) in
            [("undefined", "no program in which it is found"), ("defined", "no near miss")]
        {
            let directory = format!("{CORPUS}/{verdict}/{}/", kind.name());
            let is_there =
                |file: &File| file.path.starts_with(&directory) && file.path.ends_with(".c");
            if !files.iter().any(is_there) {
                let message = format!("{} has {what}: add one to {directory}", kind.name());
                problems.push(Problem::new(CATALOGUE, 0, message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use farrier_machine::UbKind;

    use super::CATALOGUE;
    use crate::tidy::tests::complaints_in;

    #[test]
    fn a_kind_without_tests_is_found() {
        let rule = "kinds are tested";
        let all = 2 * UbKind::ALL.len();
        let path = "crates/machine/tests/undefined/signed-overflow/add.c";
        assert_eq!(complaints_in(rule, &[(CATALOGUE, "")]).len(), all);
        assert_eq!(complaints_in(rule, &[(CATALOGUE, ""), (path, "")]).len(), all - 1);
        let blessed = "crates/machine/tests/undefined/signed-overflow/add.stderr";
        assert_eq!(complaints_in(rule, &[(CATALOGUE, ""), (blessed, "")]).len(), all);
    }
}
