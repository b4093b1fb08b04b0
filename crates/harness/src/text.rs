//! Bytes to text.

use std::path::{Path, PathBuf};

use crate::Error;

/// The text of the file `path`, without a byte order mark.
pub fn decode(path: &Path, bytes: Vec<u8>) -> Result<String, Error> {
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        not_utf8(path.to_owned(), 1, error.as_bytes(), at)
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// Like [`decode`] for the output of a preprocessor: an error names the place in
/// the user's own file, by the line markers.
pub(crate) fn decode_preprocessed(path: &Path, bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let mut line_end = bytes[..at].iter().rposition(|&byte| byte == b'\n');
        while let Some(end) = line_end {
            let start = bytes[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |n| n + 1);
            if let Some((line, file)) = line_marker(&bytes[start..end]) {
                return not_utf8(file, line, &bytes[end + 1..], at - end - 1);
            }
            line_end = start.checked_sub(1);
        }
        not_utf8(path.to_owned(), 1, bytes, at)
    })
}

/// The error for the byte at `at`, where `bytes` starts with the line `first_line` of `path`.
fn not_utf8(path: PathBuf, first_line: u32, bytes: &[u8], at: usize) -> Error {
    let before = &bytes[..at];
    let newlines = before.iter().filter(|&&byte| byte == b'\n').count();
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |n| n + 1);
    Error::NotUtf8 {
        path,
        line: first_line.saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX)),
        column: at - line_start + 1,
        byte: bytes[at],
    }
}

/// The line and the file of `# 12 "file.c" 1 3`, or of the same with `#line`.
fn line_marker(line: &[u8]) -> Option<(u32, PathBuf)> {
    let line = str::from_utf8(line).ok()?;
    let rest = line.strip_prefix("#line ").or_else(|| line.strip_prefix("# "))?;
    let (number, rest) = rest.split_once(' ')?;
    let (file, _) = rest.strip_prefix('"')?.rsplit_once('"')?;
    Some((number.parse().ok()?, PathBuf::from(file)))
}

/// What programs write, as data: a text if it is one, otherwise numbers. Nothing is lost.
pub(crate) mod bytes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Text(String),
        Numbers(Vec<u8>),
    }

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        match str::from_utf8(bytes) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => bytes.serialize(serializer),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<u8>, D::Error> {
        Ok(match Stored::deserialize(deserializer)? {
            Stored::Text(text) => text.into_bytes(),
            Stored::Numbers(bytes) => bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(result: Result<String, Error>) -> String {
        result.expect_err("it is not UTF-8").to_string()
    }

    #[test]
    fn the_place_of_a_bad_byte_is_counted_from_the_start() {
        let found = message(decode(Path::new("a.i"), b"ok\n\nab\xff\n".to_vec()));
        assert_eq!(found, "`a.i` is not UTF-8: byte 0xff at line 3, column 3");
    }

    #[test]
    fn the_place_of_a_bad_byte_follows_line_markers() {
        let text =
            b"# 1 \"a.c\"\nint x;\n# 7 \"b.h\" 1\nint y;\n\"\xe9\";\n# 2 \"a.c\" 2\n\"\xff\"";
        let found = message(decode_preprocessed(Path::new("a.c"), text.to_vec()));
        assert_eq!(found, "`b.h` is not UTF-8: byte 0xe9 at line 8, column 2");
    }

    #[test]
    fn without_line_markers_the_file_itself_is_named() {
        let found = message(decode_preprocessed(Path::new("a.c"), b"\n\xff".to_vec()));
        assert_eq!(found, "`a.c` is not UTF-8: byte 0xff at line 2, column 1");
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        let text = decode(Path::new("a.i"), b"\xef\xbb\xbfint x;".to_vec());
        assert_eq!(text.expect("it is UTF-8"), "int x;");
    }
}
