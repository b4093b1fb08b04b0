//! What is asked for, and what is answered.

use std::borrow::Cow;

/// A request, as far as it matters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Asked {
    /// The parts of the path; no part is empty.
    pub(crate) path: Vec<String>,
    query: String,
}

impl Asked {
    /// Splits an address. Names in addresses are letters and digits, so nothing is decoded.
    pub(crate) fn new(path: &str, query: &str) -> Self {
        let parts = path.split('/').filter(|part| !part.is_empty());
        Self { path: parts.map(str::to_owned).collect(), query: query.to_owned() }
    }

    /// A value of the query.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Which page of a list is wanted, from one.
    pub(crate) fn page(&self) -> usize {
        self.value("page").and_then(|text| text.parse().ok()).unwrap_or(1).max(1)
    }
}

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    pub(crate) body: Cow<'static, [u8]>,
    /// The name under which it is saved.
    pub(crate) file: Option<String>,
    /// Whether it never changes at its address.
    pub(crate) lasting: bool,
}

pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const JSON: &str = "application/json";
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";

impl Reply {
    /// What was asked for.
    pub(crate) fn found(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, kind, body: Cow::Owned(body.into()), file: None, lasting: false }
    }

    /// Why there is nothing, in a line.
    pub(crate) fn refused(status: u16, why: &str) -> Self {
        let body = format!("{why}\n").into_bytes();
        Self { status, kind: TEXT, body: Cow::Owned(body), file: None, lasting: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_split() {
        let asked = Asked::new("//bug/../x/", "page=3&page=4&a");
        assert_eq!(asked.path, ["bug", "..", "x"]);
        assert_eq!(asked.page(), 3);
        for query in ["", "page", "page=", "page=-1", "page=0", "page=%31"] {
            assert_eq!(Asked::new("/", query).page(), 1, "{query}");
        }
    }
}
