//! Texts from outside, made fit to be shown.

use std::fmt::Write as _;

use farrier_harness::Commands;

use crate::terminal::quote;

/// A text in which everything can be seen: no control characters but ends of lines and tabs.
/// What compilers write may hold colours, NULs and bytes that are no text.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' | '\t' => shown.push(c),
            '\r' if rest.peek() == Some(&'\n') => {}
            // The colours of a terminal say nothing here.
            '\u{1b}' if rest.peek() == Some(&'[') => {
                rest.next();
                while rest.next_if(|c| !('\u{40}'..='\u{7e}').contains(c)).is_some() {}
                rest.next();
            }
            // Characters that turn the direction of what follows, or end it.
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                let _ = write!(shown, "<U+{:04X}>", u32::from(c));
            }
            c if c.is_control() => {
                let _ = write!(shown, "<{:02X}>", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    shown
}

/// Bytes as a visible text.
pub(crate) fn visible_bytes(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(&visible(chunk.valid()));
        for byte in chunk.invalid() {
            let _ = write!(text, "<{byte:02X}>");
        }
    }
    text
}

/// The beginning of a text, and whether that is all of it.
pub(crate) fn beginning(text: &str, most: usize) -> (&str, bool) {
    let end = text.floor_char_boundary(most);
    (&text[..end], end == text.len())
}

/// A beginning that says so.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match beginning(text, most) {
        (all, true) => all.to_owned(),
        (some, false) => format!("{}\n[... {} bytes more]", some.trim_end(), text.len() - most),
    }
}

/// A block of Markdown that shows a text as it is: nothing in it can end the block.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let mut longest = 2;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

/// Words as a shell takes them.
pub(crate) fn quote_all(words: &[String]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// The lines that a person types.
pub(crate) fn command_lines(commands: &Commands) -> Vec<String> {
    let mut lines: Vec<String> =
        commands.compile.iter().map(|step| quote_all(&step.command)).collect();
    lines.extend(commands.link.iter().map(|link| quote_all(&link.command)));
    if let Some(run) = &commands.run {
        lines.push(format!("{}; echo \"exit status $?\"", quote_all(run)));
    }
    lines
}

/// Bytes in base 64, RFC 4648, with the padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            let digit = (bits >> (18 - 6 * index) & 63) as usize;
            text.push(if index <= chunk.len() { char::from(DIGITS[digit]) } else { '=' });
        }
    }
    text
}

/// A text as a part of an address.
pub(crate) fn percent(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_invisible() {
        assert_eq!(visible("a\u{1b}[01;31mred\u{1b}[m\0\r\n\tb\u{7f}"), "ared<00>\n\tb<7F>");
        assert_eq!(visible("\u{202e}abc"), "<U+202E>abc");
        assert_eq!(visible("ends in \u{1b}["), "ends in ");
        assert_eq!(visible_bytes(b"ok\xff\xfe\n"), "ok<FF><FE>\n");
        assert_eq!(visible_bytes("grün".as_bytes()), "grün");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("c", "x\n"), "```c\nx\n```");
        assert_eq!(fenced("", "a ```` b"), "`````\na ```` b\n`````");
    }

    #[test]
    fn base_64_has_padding() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("aüc", 2), "a\n[... 2 bytes more]");
        assert_eq!(percent("a b/ü"), "a%20b%2F%C3%BC");
    }
}
