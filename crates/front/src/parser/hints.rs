//! Hints: the pragmas before a loop.

use farrier_lang::hint::{HINTS, Hint, HintArgument, HintForm, HintKind, HintRow};
use farrier_lang::{ExprKind, Span, Stmt, StmtId};

use super::{Parse, Parser};
use crate::scope::Meaning;
use crate::token::TokenKind;

impl Parser<'_> {
    /// A loop with the pragmas before it.
    pub(super) fn hinted_statement(&mut self) -> Parse<StmtId> {
        let from = self.span();
        let mut hints = Vec::new();
        while self.peek() == TokenKind::Pragma {
            let span = self.advance().span;
            match self.hints_of(span)? {
                Some(more) => hints.extend(more),
                None => return Err(self.unsupported(span, "this pragma is not supported")),
            }
        }
        let body = self.statement()?;
        if let Some(fault) = self.program.hint_fault(&hints, body) {
            return Err(self.unsupported(from, format!("this pragma is not supported: {fault}")));
        }
        Ok(self.statement_node(self.since(from), Stmt::Hinted { hints: hints.into(), body }))
    }

    /// The hints of one line; nothing if it is not understood.
    fn hints_of(&mut self, span: Span) -> Parse<Option<Vec<Hint>>> {
        let line = self.token_text(span).trim_start_matches('#').trim();
        let line = line.strip_prefix("pragma").unwrap_or(line).trim();
        let (family, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let (form, mut rest, mut hints) = match family {
            "GCC" => {
                let (word, number) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let hint = match (word, number.trim().parse()) {
                    ("ivdep", _) if number.is_empty() => Hint::bare(HintKind::Ivdep),
                    ("unroll", Ok(number)) => Hint::counted(HintKind::Unroll, number),
                    _ => return Ok(None),
                };
                return Ok(Some(vec![hint]));
            }
            "clang" => (HintForm::Clang, rest.strip_prefix("loop").unwrap_or(rest), Vec::new()),
            _ => {
                let rest = rest.strip_prefix("simd").unwrap_or(rest);
                (HintForm::Clause, rest, vec![Hint::bare(HintKind::Simd)])
            }
        };
        while let Some((name, after)) = rest.split_once('(') {
            let Some((inside, after)) = after.split_once(')') else { return Ok(None) };
            rest = after.trim_start().trim_start_matches(',');
            // What stands before the colon belongs to the words of the hint.
            let (before, arguments) = match inside.split_once(':') {
                Some((before, arguments)) => (format!("{}:", before.trim()), arguments),
                None => (String::new(), inside),
            };
            let bare = format!("{}(", name.trim());
            let numbered = |row: &HintRow| {
                row.form == form
                    && row.argument == HintArgument::ObjectAndNumber
                    && row.words.0 == bare
            };
            if HINTS.iter().any(numbered) {
                match self.hint(form, &bare, inside.trim(), span)? {
                    Some(hint) => hints.push(hint),
                    None => return Ok(None),
                }
                continue;
            }
            let words = format!("{bare}{before}");
            for argument in arguments.split(',') {
                match self.hint(form, &words, argument.trim(), span)? {
                    Some(hint) => hints.push(hint),
                    None => return Ok(None),
                }
            }
        }
        Ok((rest.trim().is_empty() && !hints.is_empty()).then_some(hints))
    }

    /// One hint, from its words up to the argument.
    fn hint(
        &mut self,
        form: HintForm,
        words: &str,
        argument: &str,
        span: Span,
    ) -> Parse<Option<Hint>> {
        let whole = format!("{words}{argument})");
        let fits = |row: &&HintRow| row.form == form && [words, &whole].contains(&row.words.0);
        let Some(row) = HINTS.iter().find(fits) else { return Ok(None) };
        let mut hint = Hint::bare(row.kind);
        match row.argument {
            HintArgument::None => {}
            HintArgument::Number => match argument.parse() {
                Ok(number) => hint.number = number,
                Err(_) => return Ok(None),
            },
            HintArgument::Object | HintArgument::ObjectAndNumber => {
                let mut argument = argument;
                if row.argument == HintArgument::ObjectAndNumber {
                    // Without a number, a step is one.
                    let (object, number) = argument.split_once(':').unwrap_or((argument, "1"));
                    let Ok(number) = number.trim().parse() else { return Ok(None) };
                    (argument, hint.number) = (object.trim(), number);
                }
                let symbol = self.program.names.find(argument);
                let Some(Meaning::Object(object)) =
                    symbol.and_then(|symbol| self.scopes.lookup(symbol))
                else {
                    return Ok(None);
                };
                let ty = self.program[object].ty;
                hint.object = Some(self.node(span, ExprKind::Object(object), ty)?);
            }
        }
        Ok(Some(hint))
    }
}
