//! What the generator calls things: a prefix and a number.

/// What kinds of names there are; each counts on its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Name {
    Global,
    Local,
    Parameter,
    Function,
    Record,
    Field,
    Label,
    Enum,
    Constant,
    /// What straight code assigns once.
    Result,
    /// What decides how often a wrapped statement runs.
    Wrap,
    /// The counter of a loop around it.
    Round,
    Typedef,
}

/// What names of a kind begin with, and whether they stand for values.
pub(super) struct NameRow {
    kind: Name,
    prefix: &'static str,
    value: bool,
}

const fn row(kind: Name, prefix: &'static str, value: bool) -> NameRow {
    NameRow { kind, prefix, value }
}

/// Every kind of name, in the order of the enum.
pub(super) const NAMES: [NameRow; 13] = [
    row(Name::Global, "g", true),
    row(Name::Local, "l", true),
    row(Name::Parameter, "p", true),
    row(Name::Function, "f", true),
    row(Name::Record, "R", false),
    row(Name::Field, "m", true),
    row(Name::Label, "L", false),
    row(Name::Enum, "E", false),
    row(Name::Constant, "C", true),
    row(Name::Result, "t", true),
    row(Name::Wrap, "w", true),
    row(Name::Round, "q", true),
    row(Name::Typedef, "T", false),
];

impl Name {
    /// What names of this kind begin with.
    pub(super) fn prefix(self) -> &'static str {
        let row = &NAMES[self as usize];
        debug_assert_eq!(row.kind, self);
        row.prefix
    }
}

/// The variable that says which probe failed.
pub(crate) const PROBE: &str = "probe";

/// Whether a name is one that wraps have.
pub(crate) fn names_a_wrap(word: &str) -> bool {
    is_numbered(word, Name::Wrap.prefix())
}

/// Whether a name is one of what straight code assigns.
pub(crate) fn names_a_result(word: &str) -> bool {
    is_numbered(word, Name::Result.prefix())
}

fn is_numbered(word: &str, prefix: &str) -> bool {
    let number = word.strip_prefix(prefix).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the generator calls an object, a function, a member or a constant like this.
pub(crate) fn names_a_value(word: &str) -> bool {
    NAMES.iter().filter(|row| row.value).any(|row| is_numbered(word, row.prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_and_names_are_recognised() {
        for (index, row) in NAMES.iter().enumerate() {
            assert_eq!(row.kind as usize, index, "{:?}", row.kind);
            assert_eq!(names_a_value(&format!("{}12", row.prefix)), row.value, "{:?}", row.kind);
            assert!(!names_a_value(row.prefix), "{:?}", row.kind);
        }
        assert!(!names_a_value("for") && !names_a_value("g1x"));
    }
}
