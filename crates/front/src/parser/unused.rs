//! Declarations of system headers that nothing uses: most of what they declare. They are
//! stepped over, so that they cost no more than their tokens.

use farrier_lang::Id;

use super::Parser;
use crate::token::TokenKind;

/// How often each name occurs in a unit, and which of its tokens are of system headers.
#[derive(Debug, Default)]
pub(super) struct Usage {
    /// By symbol.
    counts: Vec<u32>,
    /// The first tokens of system headers and of other texts in turns, beginning with others.
    turns: Vec<usize>,
    /// How many of the turns are behind us.
    turn: usize,
}

impl Parser<'_> {
    /// Counts the names of the unit, if it has text of system headers.
    pub(super) fn count_names(&mut self, turns: Vec<usize>) {
        let mut counts = Vec::new();
        if !turns.is_empty() {
            counts.resize(self.program.names.len(), 0);
            for symbol in self.tokens.iter().filter_map(|token| token.symbol) {
                counts[symbol.index()] += 1;
            }
        }
        self.usage = Usage { counts, turns, turn: 0 };
    }

    /// Steps over a declaration of a system header whose name occurs nowhere else. Only plain
    /// ones: a tag that is mentioned, a definition or a list may matter to what follows.
    pub(super) fn skip_unused(&mut self) -> bool {
        let usage = &mut self.usage;
        while usage.turns.get(usage.turn).is_some_and(|first| *first <= self.at) {
            usage.turn += 1;
        }
        let outside = usage.turn.is_multiple_of(2);
        if outside || !matches!(self.peek(), TokenKind::Extern | TokenKind::Typedef) {
            return false;
        }
        match self.end_of_unused() {
            Some(end) => {
                self.at = end;
                true
            }
            None => false,
        }
    }

    /// Where the declaration ends that begins here, if it is one that can be stepped over.
    fn end_of_unused(&self) -> Option<usize> {
        use TokenKind::{
            Alignas, Asm, Atomic, Attribute, Comma, Const, End, Equal, Identifier, LeftBrace,
            LeftBracket, LeftParen, Pragma, RightParen, Semicolon, Star, StaticAssert, Typeof,
            TypeofUnqual,
        };
        let mut tokens = self.tokens.iter().enumerate().skip(self.at + 1).peekable();
        let mut name = None;
        loop {
            let (_, token) = tokens.peek()?;
            match token.kind {
                Identifier => name = token.symbol,
                LeftParen | Semicolon | LeftBracket | Attribute | Asm => break,
                // The name comes last.
                Const | Star => name = None,
                Alignas | Atomic | Comma | End | Equal | LeftBrace | Pragma | StaticAssert
                | Typeof | TypeofUnqual => return None,
                _ if token.symbol.is_none() || token.kind.declares_tag() => return None,
                _ => name = None,
            }
            tokens.next();
        }
        if self.usage.counts[name?.index()] != 1 {
            return None;
        }
        let mut depth = 0_u32;
        for (index, token) in tokens {
            match token.kind {
                LeftParen => depth += 1,
                RightParen => depth = depth.checked_sub(1)?,
                Semicolon if depth == 0 => return Some(index + 1),
                Comma | Equal if depth == 0 => return None,
                LeftBrace | Pragma | End => return None,
                _ => {}
            }
        }
        None
    }
}
