//! `farrier explain`: the catalogue of undefined behaviour.

use std::fmt::Write;

use anyhow::bail;
use farrier_machine::UbKind;

use crate::{Status, output};

/// Runs the command.
pub(crate) fn run(kind: Option<&str>) -> anyhow::Result<Status> {
    let mut text = String::new();
    match kind {
        None => {
            for kind in UbKind::ALL {
                writeln!(text, "{:24} C11 {:12} {}", kind.name(), kind.clause(), kind.rule())?;
            }
        }
        Some(name) => {
            let Some(kind) = UbKind::ALL.iter().find(|kind| kind.name() == name) else {
                bail!("`{name}` is not a kind; `farrier explain` lists them");
            };
            writeln!(text, "{}\n\n{}\n\nC11 {}", kind.name(), kind.rule(), kind.clause())?;
        }
    }
    output::write(None, text.as_bytes())?;
    Ok(Status::Fine)
}
