//! Hunts with compilers whose faults are planted, for tests of what is shown of them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Every level and no random flags.
const PLAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/plain.toml");

/// A compiler with a fault that shows only in programs that Farrier makes, so that it passes the
/// trial that every subject has to.
const PLANTED: &str = r#"#!/bin/sh
for argument; do
    case $argument in
    *.c) source=$argument ;;
    esac
done
if [ -n "$source" ] && grep -q 'checksum\|mix\|g1' "$source"; then
    # In every program, whatever is in it.
    if [ "$1" = internal-error ]; then
        echo "$source:3:1: internal compiler error: in expand_case, at stmt.cc:1" >&2
        echo "Please submit a full bug report, with preprocessed source." >&2
        exit 4
    fi
    exec FAKECC "$@"
fi
shift
exec gcc "$@"
"#;

/// A directory for one test, removed at its end.
pub(crate) struct Place {
    pub(crate) path: PathBuf,
}

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("it can be made");
        Self { path }
    }

    /// Lists a compiler for each fault, tested at one level.
    pub(crate) fn plant(&self, faults: &[&str]) {
        let fakecc = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../harness/tests/support/fakecc")
            .canonicalize()
            .expect("the compiler with faults is there");
        let script = self.path.join("planted");
        fs::write(&script, PLANTED.replace("FAKECC", &fakecc.display().to_string()))
            .expect("it can be written");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let mut text = String::new();
        for fault in faults {
            text += &format!(
                "[[subject]]\nname = \"{fault}\"\ncommand = [\"{}\", \"{fault}\"]\n\
                 family = \"gcc\"\ntarget = \"x86_64-linux\"\nlevels = [\"-O2\"]\n",
                script.display()
            );
        }
        fs::write(self.path.join("farrier.toml"), text).expect("it can be written");
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_farrier"));
        command.current_dir(&self.path).args(arguments).output().expect("it can be started")
    }

    pub(crate) fn hunt(&self, faults: &[&str], seed: &str, programs: &str) {
        let mut arguments = vec![
            "hunt",
            "--seed",
            seed,
            "--size",
            "8k",
            "--programs",
            programs,
            "--config",
            PLAIN,
            "--no-triage",
        ];
        arguments.extend(faults.iter().flat_map(|fault| ["--subject", *fault]));
        let output = self.run(&arguments);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    }

    pub(crate) fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path.join("farrier-hunt/hunt.db")).expect("it is there")
    }

    pub(crate) fn findings(&self) -> Vec<Value> {
        let output = self.run(&["findings", "--json"]);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    /// The name of the first finding of a kind.
    pub(crate) fn finding(&self, kind: &str) -> String {
        let findings = self.findings();
        let found = findings.iter().find(|finding| finding["kind"] == kind);
        let found = found.unwrap_or_else(|| panic!("there is no {kind} among {findings:#?}"));
        found["name"].as_str().expect("it has a name").to_owned()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}
