//! Preprocessed text to tokens. Comments, line markers and pragmas are handled here.

use std::borrow::Cow;
use std::sync::Arc;

use farrier_lang::attributes::{self, Treatment};
use farrier_lang::source::LineMarker;
use farrier_lang::wrapper::WRAPPER_PREFIX;
use farrier_lang::{Id, Names, Span, Symbol};

use crate::diagnostic::{Diagnostic, Reason};
use crate::token::{KEYWORDS, Token, TokenKind};
use farrier_lang::Dialect;

/// For how many tokens and expressions there is room before the first: after that, room
/// is made as usual, so that a huge text cannot ask for more memory than there is.
pub(crate) const MAX_RESERVED: usize = 1 << 20;

/// What a text consists of.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// The tokens; the last is [`TokenKind::End`].
    pub(crate) tokens: Vec<Token>,
    /// Where lines came from.
    pub(crate) markers: Vec<LineMarker>,
    /// The limit on member alignment that `#pragma pack` sets, from each offset on.
    pub(crate) packs: Vec<(u32, Option<u32>)>,
    /// The first tokens of system headers and of other texts in turns, beginning with others.
    pub(crate) turns: Vec<usize>,
}

/// The keywords, which are the first symbols of every table of names.
#[derive(Debug)]
pub(crate) struct Keywords {
    kinds: Vec<TokenKind>,
}

impl Keywords {
    /// Interns the keywords; `names` must be empty.
    pub(crate) fn new(names: &mut Names, dialect: Dialect) -> Self {
        assert!(names.is_empty(), "keywords are the first names");
        let mut kinds = Vec::with_capacity(KEYWORDS.len());
        for (spelling, kind, since) in KEYWORDS {
            names.intern(spelling);
            kinds.push(if *since <= dialect { *kind } else { TokenKind::Identifier });
        }
        Self { kinds }
    }

    fn kind(&self, symbol: Symbol) -> TokenKind {
        self.kinds.get(symbol.index()).copied().unwrap_or(TokenKind::Identifier)
    }
}

/// Why a text has no tokens, with the line markers up to there.
pub(crate) struct LexFailure {
    pub(crate) diagnostic: Diagnostic,
    pub(crate) markers: Vec<LineMarker>,
}

/// Splits a text into tokens; `start` is the offset of its first byte in all spans.
pub(crate) fn lex(
    text: &str,
    start: u32,
    keywords: &Keywords,
    names: &mut Names,
) -> Result<Lexed, Box<LexFailure>> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        start,
        lexed: Lexed::default(),
        pack: None,
        pack_stack: Vec::new(),
        file: None,
    };
    // A token and the space after it take two bytes or more, three or four as a rule.
    // What is reserved but not used is never touched.
    lexer.lexed.tokens.reserve((text.len() / 2).min(MAX_RESERVED));
    match lexer.run(keywords, names) {
        Ok(()) => Ok(lexer.lexed),
        Err(diagnostic) => Err(Box::new(LexFailure { diagnostic, markers: lexer.lexed.markers })),
    }
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    start: u32,
    lexed: Lexed,
    pack: Option<u32>,
    pack_stack: Vec<(Option<String>, Option<u32>)>,
    /// The file of the last line marker; consecutive markers share its name.
    file: Option<Arc<str>>,
}

const fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The characters beyond ASCII that a name may have, C11 Annex D.1.
const FOREIGN: &[(u32, u32)] = &[
    (0xa8, 0xa8),
    (0xaa, 0xaa),
    (0xad, 0xad),
    (0xaf, 0xaf),
    (0xb2, 0xb5),
    (0xb7, 0xba),
    (0xbc, 0xbe),
    (0xc0, 0xd6),
    (0xd8, 0xf6),
    (0xf8, 0x167f),
    (0x1681, 0x180d),
    (0x180f, 0x1fff),
    (0x200b, 0x200d),
    (0x202a, 0x202e),
    (0x203f, 0x2040),
    (0x2054, 0x2054),
    (0x2060, 0x218f),
    (0x2460, 0x24ff),
    (0x2776, 0x2793),
    (0x2c00, 0x2dff),
    (0x2e80, 0x2fff),
    (0x3004, 0x3007),
    (0x3021, 0x302f),
    (0x3031, 0xd7ff),
    (0xf900, 0xfd3d),
    (0xfd40, 0xfdcf),
    (0xfdf0, 0xfe44),
    (0xfe47, 0xfffd),
    (0x1_0000, 0xe_fffd),
];

/// Those of them that do not begin a name, C11 Annex D.2.
const NOT_FIRST: &[(u32, u32)] =
    &[(0x300, 0x36f), (0x1dc0, 0x1dff), (0x20d0, 0x20ff), (0xfe20, 0xfe2f)];

/// The punctuators of one byte with which no other begins, by that byte.
static SINGLES: [Option<TokenKind>; 256] = {
    let mut kinds = [None; 256];
    kinds[b'(' as usize] = Some(TokenKind::LeftParen);
    kinds[b')' as usize] = Some(TokenKind::RightParen);
    kinds[b'[' as usize] = Some(TokenKind::LeftBracket);
    kinds[b']' as usize] = Some(TokenKind::RightBracket);
    kinds[b'{' as usize] = Some(TokenKind::LeftBrace);
    kinds[b'}' as usize] = Some(TokenKind::RightBrace);
    kinds[b';' as usize] = Some(TokenKind::Semicolon);
    kinds[b',' as usize] = Some(TokenKind::Comma);
    kinds[b'~' as usize] = Some(TokenKind::Tilde);
    kinds[b'?' as usize] = Some(TokenKind::Question);
    kinds
};

/// The bytes that names and numbers consist of, by value.
static NAME_BYTES: [bool; 256] = {
    let mut bytes = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        bytes[byte] = is_name_start(byte as u8) || (byte as u8).is_ascii_digit();
        byte += 1;
    }
    bytes
};

fn is_name(byte: u8) -> bool {
    NAME_BYTES[usize::from(byte)]
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn span(&self, from: usize) -> Span {
        Span { start: self.start + from as u32, end: self.start + self.at as u32 }
    }

    fn error(&self, from: usize, message: impl Into<String>, help: &str) -> Diagnostic {
        Diagnostic {
            reason: Reason::Syntax,
            message: message.into(),
            span: self.span(from),
            label: String::new(),
            notes: Vec::new(),
            help: (!help.is_empty()).then(|| help.to_owned()),
        }
    }

    fn run(&mut self, keywords: &Keywords, names: &mut Names) -> Result<(), Diagnostic> {
        loop {
            let line_start = self.skip_space()?;
            let from = self.at;
            if from >= self.bytes.len() {
                self.push(TokenKind::End, None, from);
                return Ok(());
            }
            let byte = self.bytes[from];
            // Half of all tokens are such.
            if let Some(kind) = SINGLES[usize::from(byte)] {
                self.at += 1;
                self.push(kind, None, from);
                continue;
            }
            match byte {
                b'#' if line_start => self.directive()?,
                b'"' => self.quoted(from, b'"', TokenKind::String)?,
                b'\'' => self.quoted(from, b'\'', TokenKind::Character)?,
                b'L' | b'u' | b'U' if self.is_prefixed_literal() => {
                    while !matches!(self.bytes[self.at], b'"' | b'\'') {
                        self.at += 1;
                    }
                    let quote = self.bytes[self.at];
                    let kind = if quote == b'"' { TokenKind::String } else { TokenKind::Character };
                    self.quoted(from, quote, kind)?;
                }
                _ if is_name_start(byte) || byte == b'\\' && self.at_universal() => {
                    self.skip_name();
                    let name = &self.text[from..self.at];
                    let symbol = if name.is_ascii() && self.peek(0) != b'\\' {
                        names.intern(name)
                    } else {
                        names.intern(&self.foreign_name(from)?)
                    };
                    self.push(keywords.kind(symbol), Some(symbol), from);
                }
                b'0'..=b'9' => self.number(from),
                b'.' if self.peek(1).is_ascii_digit() => self.number(from),
                _ => self.punctuator(from)?,
            }
        }
    }

    fn push(&mut self, kind: TokenKind, symbol: Option<Symbol>, from: usize) {
        let span = self.span(from);
        self.lexed.tokens.push(Token { kind, symbol, span });
    }

    /// Skips the bytes that names and numbers consist of.
    fn skip_name(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|byte| !is_name(*byte)).unwrap_or(rest.len());
    }

    fn at_universal(&self) -> bool {
        self.peek(0) == b'\\' && matches!(self.peek(1), b'u' | b'U')
    }

    /// A name with characters beyond ASCII, as they are or as universal character names,
    /// C11 6.4.2.1; it ends where no such character and no other of a name follows.
    #[cold]
    fn foreign_name(&mut self, from: usize) -> Result<String, Diagnostic> {
        let mut name = self.text[from..self.at].to_owned();
        while self.at_universal() {
            let length = if self.peek(1) == b'u' { 4 } else { 8 };
            let digits = self.text.get(self.at + 2..self.at + 2 + length);
            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let Some(character) = code.and_then(char::from_u32) else {
                return Err(self.error(from, "this is not a universal character name", ""));
            };
            name.push(character);
            self.at += 2 + length;
            let start = self.at;
            self.skip_name();
            name.push_str(&self.text[start..self.at]);
        }
        let within = |ranges: &[(u32, u32)], character: char| {
            ranges.iter().any(|(first, last)| (*first..=*last).contains(&(character as u32)))
        };
        let begins = |character: char| !within(NOT_FIRST, character);
        let wrong = name.chars().find(|c| !c.is_ascii() && !within(FOREIGN, *c));
        match wrong.or(name.chars().next().filter(|first| !begins(*first))) {
            None => Ok(name),
            Some(wrong) => Err(self.error(from, format!("`{wrong}` cannot be in this name"), "")),
        }
    }

    /// Skips white space and comments; says whether a line has just begun.
    fn skip_space(&mut self) -> Result<bool, Diagnostic> {
        let mut line_start = self.at == 0;
        loop {
            let byte = self.peek(0);
            // Nearly always: no space and no comment begins like this.
            if byte > b' ' && byte != b'/' && byte != b'\\' {
                return Ok(line_start);
            }
            match byte {
                b'\n' => line_start = true,
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {}
                b'\\' if self.peek(1) == b'\n' => self.at += 1,
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => self.at += 2,
                b'/' if self.peek(1) == b'/' => {
                    while self.at < self.bytes.len() && self.peek(0) != b'\n' {
                        self.at += 1;
                    }
                    continue;
                }
                b'/' if self.peek(1) == b'*' => {
                    let from = self.at;
                    let Some(length) = self.text[from + 2..].find("*/") else {
                        self.at = from + 2;
                        return Err(self.error(from, "this comment has no end", "add `*/`"));
                    };
                    self.at = from + 2 + length + 1;
                }
                _ => return Ok(line_start),
            }
            self.at += 1;
        }
    }

    fn is_prefixed_literal(&self) -> bool {
        let after = if self.peek(0) == b'u' && self.peek(1) == b'8' { 2 } else { 1 };
        matches!(self.peek(after), b'"' | b'\'')
    }

    /// A string or character constant from `from`, at whose opening quote we are.
    fn quoted(&mut self, from: usize, quote: u8, kind: TokenKind) -> Result<(), Diagnostic> {
        self.at += 1;
        loop {
            match self.peek(0) {
                byte if byte == quote && self.at < self.bytes.len() => {
                    self.at += 1;
                    self.push(kind, None, from);
                    return Ok(());
                }
                b'\n' | 0 if self.peek(0) == b'\n' || self.at >= self.bytes.len() => {
                    return Err(self.error(
                        from,
                        format!("this {} has no end on its line", &kind.text()[2..]),
                        "add the closing quote",
                    ));
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
            self.at = self.at.min(self.bytes.len());
        }
    }

    /// A preprocessing number, C11 6.4.8.
    fn number(&mut self, from: usize) {
        self.at += 1;
        loop {
            self.skip_name();
            let byte = self.peek(0);
            let exponent = matches!(self.bytes[self.at - 1], b'e' | b'E' | b'p' | b'P');
            let separator = byte == b'\'' && is_name(self.peek(1)) && self.peek(1) < 0x80;
            if !(byte == b'.' || separator || exponent && matches!(byte, b'+' | b'-')) {
                break;
            }
            self.at += 1;
        }
        self.push(TokenKind::Number, None, from);
    }

    fn punctuator(&mut self, from: usize) -> Result<(), Diagnostic> {
        use TokenKind::*;
        let (kind, length) = match (self.bytes[from], self.peek(1), self.peek(2)) {
            (b'.', b'.', b'.') => (Ellipsis, 3),
            (b'.', ..) => (Dot, 1),
            (b'-', b'>', _) => (Arrow, 2),
            (b'-', b'-', _) => (MinusMinus, 2),
            (b'-', b'=', _) => (MinusEqual, 2),
            (b'-', ..) => (Minus, 1),
            (b'+', b'+', _) => (PlusPlus, 2),
            (b'+', b'=', _) => (PlusEqual, 2),
            (b'+', ..) => (Plus, 1),
            (b'*', b'=', _) => (StarEqual, 2),
            (b'*', ..) => (Star, 1),
            (b'/', b'=', _) => (SlashEqual, 2),
            (b'/', ..) => (Slash, 1),
            (b'%', b'=', _) => (PercentEqual, 2),
            (b'%', b'>', _) => (RightBrace, 2),
            (b'%', ..) => (Percent, 1),
            (b'<', b'<', b'=') => (ShiftLeftEqual, 3),
            (b'<', b'<', _) => (ShiftLeft, 2),
            (b'<', b'=', _) => (LessEqual, 2),
            (b'<', b':', _) => (LeftBracket, 2),
            (b'<', b'%', _) => (LeftBrace, 2),
            (b'<', ..) => (Less, 1),
            (b'>', b'>', b'=') => (ShiftRightEqual, 3),
            (b'>', b'>', _) => (ShiftRight, 2),
            (b'>', b'=', _) => (GreaterEqual, 2),
            (b'>', ..) => (Greater, 1),
            (b'=', b'=', _) => (EqualEqual, 2),
            (b'=', ..) => (Equal, 1),
            (b'!', b'=', _) => (BangEqual, 2),
            (b'!', ..) => (Bang, 1),
            (b'&', b'&', _) => (AndAnd, 2),
            (b'&', b'=', _) => (AmpersandEqual, 2),
            (b'&', ..) => (Ampersand, 1),
            (b'|', b'|', _) => (OrOr, 2),
            (b'|', b'=', _) => (PipeEqual, 2),
            (b'|', ..) => (Pipe, 1),
            (b'^', b'=', _) => (CaretEqual, 2),
            (b'^', ..) => (Caret, 1),
            (b':', b'>', _) => (RightBracket, 2),
            (b':', b':', _) => (ColonColon, 2),
            (b':', ..) => (Colon, 1),
            _ => return Err(self.stray(from)),
        };
        self.at += length;
        self.push(kind, None, from);
        Ok(())
    }

    fn stray(&mut self, from: usize) -> Diagnostic {
        let character = self.text[from..].chars().next().unwrap_or(' ');
        self.at += character.len_utf8();
        let help = if character == '#' {
            "this looks like unpreprocessed C: leave out --preprocessed"
        } else {
            ""
        };
        self.error(from, format!("{character:?} is not part of C"), help)
    }

    /// A line that begins with `#`: a line marker or a pragma.
    fn directive(&mut self) -> Result<(), Diagnostic> {
        let from = self.at;
        let length = self.text[from..].find('\n').unwrap_or(self.text.len() - from);
        let line = &self.text[from + 1..from + length];
        self.at = from + length;
        let words = line.trim_start();
        let words = words.strip_prefix("line").map_or(words, str::trim_start);
        if words.starts_with(|c: char| c.is_ascii_digit()) {
            return self.line_marker(from, words);
        }
        if let Some(pragma) = words.strip_prefix("pragma") {
            return self.pragma(from, pragma.trim());
        }
        // A wrapper that is a macro is known by its name, as one that is a function.
        let defined = words.strip_prefix("define").map_or("", str::trim_start);
        if defined.starts_with(WRAPPER_PREFIX) {
            return Ok(());
        }
        // `#ident` and an empty directive mean nothing.
        if words.trim().is_empty() || words.starts_with("ident") {
            return Ok(());
        }
        Err(self.error(
            from,
            "this directive is for the preprocessor",
            "leave out --preprocessed, or preprocess the file first with `cc -E`",
        ))
    }

    fn line_marker(&mut self, from: usize, words: &str) -> Result<(), Diagnostic> {
        let digits = words.find(|c: char| !c.is_ascii_digit()).unwrap_or(words.len());
        let Ok(line) = words[..digits].parse::<u32>() else {
            return Err(self.error(from, "this line number is too large", ""));
        };
        let rest = words[digits..].trim_start();
        if let Some(name) =
            rest.strip_prefix('"').and_then(|rest| rest.rfind('"').map(|end| &rest[..end]))
        {
            let name: Cow<'_, str> = if name.contains('\\') {
                name.replace("\\\\", "\\").replace("\\\"", "\"").into()
            } else {
                name.into()
            };
            if self.file.as_deref() != Some(&*name) {
                self.file = Some(name.into());
            }
        }
        // GCC and Clang mark the text of system headers by the number 3 after the name.
        let flags = rest.rsplit('"').next().unwrap_or("");
        let system = flags.split_ascii_whitespace().any(|flag| flag == "3");
        if system != (self.lexed.turns.len() % 2 == 1) {
            self.lexed.turns.push(self.lexed.tokens.len());
        }
        if let Some(file) = &self.file {
            let offset = self.start + self.at as u32 + 1;
            self.lexed.markers.push(LineMarker { offset, file: Arc::clone(file), line });
        }
        Ok(())
    }

    fn pragma(&mut self, from: usize, words: &str) -> Result<(), Diagnostic> {
        let unsupported = |lexer: &Self, message: String| {
            let error = lexer.error(from, message, "");
            Err(Diagnostic { reason: Reason::Unsupported, ..error })
        };
        let Some(row) = attributes::pragma(words) else {
            let name = words.split_whitespace().next().unwrap_or("");
            return unsupported(self, format!("`#pragma {name}` is not known"));
        };
        let arguments = words.strip_prefix("GCC ").unwrap_or(words).trim_start();
        let harmless = match row.words {
            "GCC optimize" => {
                attributes::options_are_harmless("optimize", &arguments["optimize".len()..])
            }
            "GCC target" => {
                attributes::options_are_harmless("target", &arguments["target".len()..])
            }
            // Options that hunts draw make compilers read those about vectors.
            "omp" => !["simd", "loop"].iter().any(|word| words.contains(word)),
            _ => row.treatment != Treatment::Refused,
        };
        match row.words {
            "pack" => self.pragma_pack(from, words["pack".len()..].trim()),
            "GCC ivdep" | "GCC unroll" | "clang loop" | "omp simd" => {
                self.push(TokenKind::Pragma, None, from);
                Ok(())
            }
            _ if harmless => Ok(()),
            _ => unsupported(self, format!("`#pragma {}` is not supported", row.words)),
        }
    }

    /// `#pragma pack(N)`, `pack()`, `pack(push)`, `pack(push, N)`, `pack(push, name, N)`, `pack(pop)`.
    fn pragma_pack(&mut self, from: usize, words: &str) -> Result<(), Diagnostic> {
        let bad = |lexer: &Self| {
            Err(lexer.error(
                from,
                "this `#pragma pack` is malformed",
                "write pack(push, N), pack(pop), pack(N) or pack()",
            ))
        };
        let Some(inside) = words.strip_prefix('(').and_then(|words| words.split(')').next()) else {
            return bad(self);
        };
        let mut arguments = inside.split(',').map(str::trim).peekable();
        let mut push = false;
        match *arguments.peek().unwrap_or(&"") {
            "push" => {
                push = true;
                arguments.next();
            }
            "pop" => {
                arguments.next();
                let name = arguments.next().map(str::to_owned);
                while let Some((saved, pack)) = self.pack_stack.pop() {
                    self.pack = pack;
                    if name.is_none() || saved == name {
                        break;
                    }
                }
                self.lexed.packs.push((self.start + self.at as u32, self.pack));
                return Ok(());
            }
            _ => {}
        }
        let (mut name, mut limit) = (None, None);
        for argument in arguments.filter(|argument| !argument.is_empty()) {
            if argument.starts_with(|c: char| c.is_ascii_digit()) {
                match argument.parse::<u32>() {
                    Ok(0) => limit = Some(None),
                    Ok(number) if number.is_power_of_two() && number <= 16 => {
                        limit = Some(Some(number));
                    }
                    _ => return bad(self),
                }
            } else {
                name = Some(argument.to_owned());
            }
        }
        if push {
            self.pack_stack.push((name, self.pack));
        }
        match limit {
            Some(limit) => self.pack = limit,
            None if !push => self.pack = None,
            None => {}
        }
        self.lexed.packs.push((self.start + self.at as u32, self.pack));
        Ok(())
    }
}
