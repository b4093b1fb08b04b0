//! Who may look.
//!
//! On loopback everybody on the machine may. A page of another site must not be able to read it
//! through the browser by giving a name of its own the address of this machine, so only the names
//! of loopback are answered. Elsewhere, or where there is a token, only those who know it.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, bail};

use crate::terminal::Talk;

/// The variable of the environment that has the token.
pub(crate) const VARIABLE: &str = "FARRIER_TOKEN";

/// A shorter one could be guessed.
const LEAST: usize = 16;

/// A secret, of which only the hash is kept. Hashes are compared in constant time.
#[derive(Clone, Debug)]
pub(crate) struct Token(blake3::Hash);

impl Token {
    fn new(text: &str, from: &str) -> anyhow::Result<Self> {
        let text = text.trim();
        if text.len() < LEAST || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            bail!(
                "the token in {from} must have at least {LEAST} characters without spaces: \
                 `head -c 32 /dev/urandom | base64` makes one"
            );
        }
        Ok(Self(blake3::hash(text.as_bytes())))
    }

    /// The token of a file, or else of the environment.
    pub(crate) fn read(file: Option<&Path>, talk: Talk) -> anyhow::Result<Option<Self>> {
        if let Some(path) = file {
            let text = fs::read_to_string(path)
                .with_context(|| format!("cannot read the token in `{}`", path.display()))?;
            if is_open(path) {
                talk.note(&format!(
                    "others can read the token: `chmod 600 {}` keeps it from them",
                    path.display()
                ));
            }
            return Self::new(&text, &format!("`{}`", path.display())).map(Some);
        }
        match std::env::var(VARIABLE) {
            Ok(text) => Self::new(&text, &format!("the variable {VARIABLE}")).map(Some),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(error) => Err(error).context(format!("cannot read the variable {VARIABLE}")),
        }
    }

    fn is(&self, text: &[u8]) -> bool {
        self.0 == blake3::hash(text)
    }
}

/// Whether users other than the owner can read a file.
fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o044 != 0)
}

/// Who may look.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    token: Option<Token>,
}

/// Why a request is not answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Denied {
    /// It has no token, or a wrong one.
    Token,
    /// It calls this machine by a name that is not one of loopback.
    Host,
}

impl Access {
    /// Only an address that no other machine can reach needs no token.
    pub(crate) fn new(address: SocketAddr, token: Option<Token>) -> anyhow::Result<Self> {
        if token.is_none() && !address.ip().is_loopback() {
            bail!(
                "other machines can reach `{address}`, so a token is needed: write one to a file \
                 with `head -c 32 /dev/urandom | base64 > token` and add `--token-file token`, or \
                 set the variable {VARIABLE}"
            );
        }
        Ok(Self { token })
    }

    /// Looks at the headers `Host` and `Authorization`.
    pub(crate) fn check(&self, host: Option<&[u8]>, proof: Option<&[u8]>) -> Result<(), Denied> {
        match &self.token {
            Some(token) => match proof.and_then(secret) {
                Some(text) if token.is(&text) => Ok(()),
                _ => Err(Denied::Token),
            },
            None if host.is_none_or(is_loopback_name) => Ok(()),
            None => Err(Denied::Host),
        }
    }
}

/// Whether a header `Host` names this machine as it names itself.
fn is_loopback_name(host: &[u8]) -> bool {
    let Ok(host) = std::str::from_utf8(host) else { return false };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The token that a header `Authorization` has: that of a `Bearer`, or the password of `Basic`,
/// for which browsers ask.
fn secret(header: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(header).ok()?;
    let (scheme, rest) = text.split_once(' ')?;
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.as_bytes().to_vec());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = from_base64(rest)?;
    let colon = pair.iter().position(|byte| *byte == b':')?;
    Some(pair[colon + 1..].to_vec())
}

/// What a text in base 64 stands for.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text::base64;

    const SECRET: &str = "0123456789abcdef+/=";

    #[test]
    fn a_token_opens_and_nothing_else_does() {
        let open: SocketAddr = "0.0.0.0:1".parse().expect("an address");
        assert!(Access::new(open, None).is_err());
        let token = Token::new(SECRET, "a test").expect("it is long enough");
        let access = Access::new(open, Some(token)).expect("there is a token");
        let check = |proof: &str| access.check(Some(b"evil.example"), Some(proof.as_bytes()));
        let basic = |pair: &str| format!("Basic {}", base64(pair.as_bytes()));
        for right in [format!("Bearer {SECRET}"), format!("bearer  {SECRET}")] {
            assert_eq!(check(&right), Ok(()), "{right}");
        }
        for user in ["", "me", "farrier"] {
            assert_eq!(check(&basic(&format!("{user}:{SECRET}"))), Ok(()), "{user}");
        }
        let short = &SECRET[1..];
        for wrong in ["", "Bearer", "Bearer ", SECRET, "Basic !!!", "Basic", "Digest x"] {
            assert_eq!(check(wrong), Err(Denied::Token), "{wrong}");
        }
        for wrong in [format!("Bearer {short}"), basic(SECRET), basic(&format!("{SECRET}:"))] {
            assert_eq!(check(&wrong), Err(Denied::Token), "{wrong}");
        }
        assert_eq!(access.check(None, None), Err(Denied::Token));
        assert!(!format!("{access:?}").contains(SECRET));
        for bad in ["", "short", "with spaces in the middle of it"] {
            let error = Token::new(bad, "`file`").expect_err("it is no token");
            assert!(!error.to_string().contains("middle"), "{error}");
        }
    }

    #[test]
    fn only_the_names_of_loopback_are_answered() {
        let local: SocketAddr = "127.0.0.1:7171".parse().expect("an address");
        let access = Access::new(local, None).expect("loopback needs none");
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:7171", "127.9.9.9", "[::1]:7171"] {
            assert_eq!(access.check(Some(host.as_bytes()), None), Ok(()), "{host}");
        }
        for host in ["evil.example:7171", "10.0.0.1", "", "[::2]", "127.0.0.1.evil.example"] {
            assert_eq!(access.check(Some(host.as_bytes()), None), Err(Denied::Host), "{host}");
        }
    }

    #[test]
    fn base_64_is_read() {
        for text in ["", "f", "fo", "foo", "foobar", "\u{fc}:\u{0}"] {
            assert_eq!(from_base64(&base64(text.as_bytes())), Some(text.as_bytes().to_vec()));
        }
        assert_eq!(from_base64("a b"), None);
    }
}
