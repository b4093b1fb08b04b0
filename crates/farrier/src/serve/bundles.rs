//! Bundles to be downloaded: the same that `farrier report FINDING` writes.
//!
//! A bundle tries its finding again, which starts compilers in the sandbox. So one is made at a
//! time, and the last few are kept.

use std::path::{Path, PathBuf};

use farrier_harness::Scratch;

use super::archive::archive;
use super::reply::{Asked, Reply};
use crate::finding::Store;
use crate::host::sandbox;
use crate::report::{bundle, evidence};

/// So many are kept.
const MOST_KEPT: usize = 8;

/// The file that is downloaded.
pub(crate) const FILE: &str = "bundle.tar.gz";

/// Makes bundles.
pub(crate) struct Bundles {
    directory: PathBuf,
    /// With the state of the finding that they were made from.
    kept: Vec<(String, Reply)>,
}

impl Bundles {
    pub(crate) fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), kept: Vec::new() }
    }

    /// The path is `finding`, the name, and the name of the file.
    pub(crate) fn answer(&mut self, asked: &Asked) -> anyhow::Result<Reply> {
        match asked.path.get(1) {
            Some(name) => self.make(name),
            None => Ok(Reply::refused(404, "there is no such finding")),
        }
    }

    fn make(&mut self, name: &str) -> anyhow::Result<Reply> {
        let store = Store::open_to_read(&self.directory)?;
        let finding = match store.finding(name) {
            Ok(finding) if finding.name == name => finding,
            _ => return Ok(Reply::refused(404, "there is no such finding")),
        };
        let (analysis, reduction) = (store.analysis(name)?, store.reduction(name)?);
        let state = serde_json::to_string(&(name, &analysis, &reduction))?;
        if let Some((_, reply)) = self.kept.iter().find(|(known, _)| *known == state) {
            return Ok(reply.clone());
        }
        let scratch = Scratch::new(&std::env::temp_dir())?;
        let evidence = evidence::gather(&store, finding, analysis, &sandbox()?, &scratch)?;
        let directory = format!("farrier-report-{name}");
        let body = archive(&directory, &bundle::files(&evidence)?)?;
        let mut reply = Reply::found("application/gzip", body);
        reply.file = Some(format!("{directory}.tar.gz"));
        if self.kept.len() == MOST_KEPT {
            self.kept.remove(0);
        }
        self.kept.push((state, reply.clone()));
        Ok(reply)
    }
}
