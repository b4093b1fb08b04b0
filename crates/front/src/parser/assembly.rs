//! Inline assembly: kept, not understood.

use farrier_lang::{Asm, AsmId, AsmOperand, ExprId, LabelId, Qualifiers};

use super::{Parse, Parser};
use crate::diagnostic::Reason;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `asm qualifiers ( template : outputs : inputs : clobbers : labels )`
    pub(super) fn assembly(&mut self) -> Parse<AsmId> {
        self.expect(TokenKind::Asm)?;
        let mut asm = Asm {
            volatile: false,
            inline: false,
            extended: false,
            template: farrier_lang::Id::from_index(0),
            outputs: Box::default(),
            inputs: Box::default(),
            clobbers: Box::default(),
            labels: Box::default(),
        };
        loop {
            match self.peek() {
                TokenKind::Volatile => asm.volatile = true,
                TokenKind::Inline => asm.inline = true,
                TokenKind::Goto => {}
                _ => break,
            }
            self.advance();
        }
        self.expect(TokenKind::LeftParen)?;
        asm.template = self.string_literal()?;
        // `::` is one token in C23 attributes and two colons here.
        let mut section = 0;
        loop {
            match self.peek() {
                TokenKind::Colon => section += 1,
                TokenKind::ColonColon => section += 2,
                _ => break,
            }
            self.advance();
            asm.extended = true;
            match section {
                1 => asm.outputs = self.assembly_operands(true)?,
                2 => asm.inputs = self.assembly_operands(false)?,
                3 => {
                    let mut clobbers = Vec::new();
                    while self.peek() == TokenKind::String {
                        clobbers.push(self.string_literal()?);
                        self.eat(TokenKind::Comma);
                    }
                    asm.clobbers = clobbers.into();
                }
                4 => {
                    let mut labels: Vec<LabelId> = Vec::new();
                    while self.peek() == TokenKind::Identifier {
                        let (name, span) = self.expect_name()?;
                        labels.push(self.use_label(name, span)?);
                        self.eat(TokenKind::Comma);
                    }
                    asm.labels = labels.into();
                }
                _ => {
                    return Err(self.error(
                        self.last_span(),
                        Reason::Syntax,
                        "an `asm` has four parts after its text: outputs, inputs, clobbers, labels",
                    ));
                }
            }
        }
        self.expect(TokenKind::RightParen)?;
        Ok(self.program.asms.push(asm))
    }

    fn check_assembly_output(&self, value: ExprId) -> Parse<()> {
        let ty = self.program.type_of(value);
        let constant = ty.qualifiers().contains(Qualifiers::CONST);
        if self.program.is_lvalue(value) && !constant {
            return Ok(());
        }
        let found = if constant { "a constant" } else { "a value" };
        Err(self.constraint(
            self.expr_span(value),
            format!(
                "an output of `asm` is an object that can change, this is {found} of type `{}`",
                self.type_text(ty)
            ),
        ))
    }

    fn assembly_operands(&mut self, outputs: bool) -> Parse<Box<[AsmOperand]>> {
        let mut operands = Vec::new();
        while matches!(self.peek(), TokenKind::String | TokenKind::LeftBracket) {
            let name = if self.eat(TokenKind::LeftBracket) {
                let token = self.advance();
                if token.symbol.is_none() {
                    return Err(self.unexpected("a name"));
                }
                self.expect(TokenKind::RightBracket)?;
                token.symbol
            } else {
                None
            };
            let constraint = self.string_literal()?;
            self.expect(TokenKind::LeftParen)?;
            let value = self.expression()?;
            self.expect(TokenKind::RightParen)?;
            // A memory operand is an object, everything else a value.
            let memory = self.program[constraint].units.iter().any(|unit| *unit == u32::from('m'));
            let value = if outputs || memory { value } else { self.value(value)? };
            if outputs {
                self.check_assembly_output(value)?;
            }
            operands.push(AsmOperand { name, constraint, value });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(operands.into())
    }
}
