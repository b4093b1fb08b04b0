//! Statements, C11 6.8.

use farrier_lang::attributes::Bearer;
use farrier_lang::{
    ExprId, ExprKind, Label, LabelId, Span, Stmt, StmtId, Storage, Symbol, Type, TypeId, Types,
};

use super::{LabelState, Parse, Parser, SwitchContext};
use crate::token::TokenKind;

/// What stands before a statement.
enum LabelForm {
    Case(ExprId, Option<ExprId>),
    Default,
    Name(LabelId),
}

impl Parser<'_> {
    /// The body of a function, after the statements of `entry`. Its scope is that of
    /// the parameters.
    pub(super) fn function_body(&mut self, entry: Vec<StmtId>) -> Parse<StmtId> {
        let from = self.span();
        self.block_items(from, entry)
    }

    /// `{ ... }` in a scope of its own.
    fn block(&mut self) -> Parse<StmtId> {
        let from = self.span();
        let variable = self.context().variable_here;
        self.scopes.enter();
        let block = self.block_items(from, Vec::new())?;
        self.scopes.leave();
        self.context().variable_here = variable;
        Ok(block)
    }

    fn block_items(&mut self, from: Span, mut statements: Vec<StmtId>) -> Parse<StmtId> {
        self.nest()?;
        self.expect(TokenKind::LeftBrace)?;
        while self.eat(TokenKind::Label) {
            loop {
                let (name, span) = self.expect_name()?;
                let label = self.program.labels.push(Label { name, local: true });
                self.scopes.declare_label(name, label, span);
                self.context().local_labels.insert(label);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::Semicolon)?;
        }
        while self.peek() != TokenKind::RightBrace {
            if self.peek() == TokenKind::End {
                let error = self.unexpected("}");
                return Err(Self::with_note(error, Some(from), "the block begins here"));
            }
            self.block_item(&mut statements)?;
        }
        self.advance();
        self.unnest();
        Ok(self.statement_node(self.since(from), Stmt::Block(statements.into())))
    }

    fn block_item(&mut self, statements: &mut Vec<StmtId>) -> Parse<()> {
        if self.at_block_declaration() {
            return self.declaration(Some(statements));
        }
        let statement = self.statement()?;
        self.no_pending_records(self.last_span())?;
        statements.push(statement);
        Ok(())
    }

    /// Whether a declaration begins here, not a statement with an attribute.
    fn at_block_declaration(&self) -> bool {
        if self.at_attribute() {
            return !self.is_attributed_statement();
        }
        self.at_declaration()
    }

    /// Whether the attributes that follow belong to a statement: no declaration comes next.
    fn is_attributed_statement(&self) -> bool {
        let mut ahead = 1;
        let mut level = 0_u32;
        loop {
            match self.peek_at(ahead) {
                TokenKind::LeftParen | TokenKind::LeftBracket => level += 1,
                TokenKind::RightParen | TokenKind::RightBracket => {
                    level = level.saturating_sub(1);
                }
                TokenKind::End => return true,
                _ => {}
            }
            ahead += 1;
            let bracket = self.peek() == TokenKind::LeftBracket
                && self.peek_at(ahead) == TokenKind::RightBracket;
            if level == 0 && !bracket {
                break;
            }
        }
        let label = self.peek_at(ahead + 1) == TokenKind::Colon;
        label && self.peek_at(ahead) == TokenKind::Identifier || !self.declares(ahead)
    }

    /// Any statement.
    pub(super) fn statement(&mut self) -> Parse<StmtId> {
        self.nest()?;
        let from = self.span();
        let statement = match self.peek() {
            TokenKind::LeftBrace => self.block()?,
            TokenKind::Semicolon => {
                self.advance();
                self.statement_node(from, Stmt::Empty)
            }
            TokenKind::If => self.if_statement()?,
            TokenKind::While => self.while_statement()?,
            TokenKind::Do => self.do_statement()?,
            TokenKind::For => self.for_statement()?,
            TokenKind::Switch => self.switch_statement()?,
            TokenKind::Pragma => self.hinted_statement()?,
            TokenKind::Case | TokenKind::Default => self.labelled_statement()?,
            TokenKind::Goto => self.goto_statement()?,
            TokenKind::Break => {
                self.advance();
                self.expect(TokenKind::Semicolon)?;
                if self.context().breakable == 0 {
                    return Err(self.constraint(from, "there is nothing to break out of here"));
                }
                self.statement_node(self.since(from), Stmt::Break)
            }
            TokenKind::Continue => {
                self.advance();
                self.expect(TokenKind::Semicolon)?;
                if self.context().loops == 0 {
                    return Err(self.constraint(from, "there is no loop to continue here"));
                }
                self.statement_node(self.since(from), Stmt::Continue)
            }
            TokenKind::Return => self.return_statement()?,
            TokenKind::Asm => {
                let asm = self.assembly()?;
                self.seal_operands(from)?;
                self.expect(TokenKind::Semicolon)?;
                self.statement_node(self.since(from), Stmt::Asm(asm))
            }
            TokenKind::Identifier if self.peek_at(1) == TokenKind::Colon => {
                self.labelled_statement()?
            }
            _ if self.at_unknown_type() => return Err(self.unknown_type()),
            _ if self.at_attribute() => {
                let gnu = self.peek() == TokenKind::Attribute;
                let mut attributes = self.attributes()?;
                if attributes.fallthrough && self.eat(TokenKind::Semicolon) {
                    self.statement_node(self.since(from), Stmt::Fallthrough)
                } else if !attributes.assumptions.is_empty() && self.eat(TokenKind::Semicolon) {
                    self.assumptions(attributes.assumptions, from)?
                } else {
                    self.keep_attributes(&mut attributes, Bearer::Statement, from)?;
                    if gnu && self.peek() != TokenKind::Semicolon {
                        let message = "only `[[...]]` may stand before a statement";
                        return Err(self.unsupported(from, message));
                    }
                    self.statement()?
                }
            }
            _ if self.at_declaration() => {
                return Err(Self::with_help(
                    self.constraint(from, "a declaration cannot stand here alone"),
                    "put it into a block: { ... }",
                ));
            }
            _ => {
                let expr = self.expression()?;
                let value = self.value(expr)?;
                self.expect(TokenKind::Semicolon)?;
                self.statement_node(self.since(from), Stmt::Expr(value))
            }
        };
        self.unnest();
        Ok(statement)
    }

    fn seal_operands(&mut self, from: Span) -> Parse<()> {
        self.seal(self.since(from))
    }

    /// Notes a declaration of variably modified type, into whose scope no jump may lead.
    pub(super) fn note_variable(&mut self, ty: TypeId) {
        if self.is_local_type(ty) {
            let context = self.context();
            context.variable.push(context.variable_here);
            context.variable_here = Some(context.variable.len() - 1);
        }
    }

    fn context(&mut self) -> &mut super::FunctionContext {
        self.function.as_mut().expect("statements are in functions")
    }

    /// `(condition)`
    fn parenthesised_condition(&mut self) -> Parse<ExprId> {
        self.expect(TokenKind::LeftParen)?;
        let condition = self.condition_expression()?;
        self.expect(TokenKind::RightParen)?;
        Ok(condition)
    }

    fn condition_expression(&mut self) -> Parse<ExprId> {
        let expr = self.expression()?;
        let span = self.expr_span(expr);
        self.build(span, |builder| builder.condition(expr))
    }

    /// C11 6.8.4.1. A chain of `else if` is read link by link: it may be long.
    fn if_statement(&mut self) -> Parse<StmtId> {
        let mut links = Vec::new();
        let mut scopes = 0;
        let mut otherwise = loop {
            let from = self.advance().span;
            self.scopes.enter();
            scopes += 1;
            let condition = self.parenthesised_condition()?;
            let then = self.scoped_statement()?;
            links.push((from, condition, then));
            if !self.eat(TokenKind::Else) {
                break None;
            }
            if self.peek() != TokenKind::If {
                break Some(self.scoped_statement()?);
            }
            self.scopes.enter();
            scopes += 1;
            self.deepen()?;
        };
        self.depth -= links.len() as u32 - 1;
        for _ in 0..scopes {
            self.scopes.leave();
        }
        for (from, condition, then) in links.into_iter().rev() {
            let statement = Stmt::If { condition, then, otherwise };
            otherwise = Some(self.statement_node(self.since(from), statement));
        }
        Ok(otherwise.expect("there is one link at least"))
    }

    /// A statement that is a scope even without braces, C11 6.8.4p3.
    fn scoped_statement(&mut self) -> Parse<StmtId> {
        self.scopes.enter();
        let statement = self.statement()?;
        self.scopes.leave();
        Ok(statement)
    }

    fn loop_body(&mut self) -> Parse<StmtId> {
        self.context().breakable += 1;
        self.context().loops += 1;
        let body = self.scoped_statement()?;
        self.context().breakable -= 1;
        self.context().loops -= 1;
        Ok(body)
    }

    fn while_statement(&mut self) -> Parse<StmtId> {
        let from = self.advance().span;
        let condition = self.parenthesised_condition()?;
        let body = self.loop_body()?;
        Ok(self.statement_node(self.since(from), Stmt::While { condition, body }))
    }

    fn do_statement(&mut self) -> Parse<StmtId> {
        let from = self.advance().span;
        let body = self.loop_body()?;
        self.expect(TokenKind::While)?;
        let condition = self.parenthesised_condition()?;
        self.expect(TokenKind::Semicolon)?;
        Ok(self.statement_node(self.since(from), Stmt::DoWhile { body, condition }))
    }

    fn for_statement(&mut self) -> Parse<StmtId> {
        let from = self.advance().span;
        self.expect(TokenKind::LeftParen)?;
        let variable = self.context().variable_here;
        self.scopes.enter();
        let mut init = Vec::new();
        if self.at_block_declaration() {
            let start = self.span();
            self.declaration(Some(&mut init))?;
            self.check_for_objects(&init, start)?;
            let record = |stmt: &StmtId| matches!(self.program[*stmt], Stmt::DefineRecord(_));
            if init.iter().any(record) {
                return Err(self.unsupported(
                    self.since(start),
                    "a type of variable length defined in a `for` is not supported",
                ));
            }
        } else if self.at_unknown_type() {
            return Err(self.unknown_type());
        } else if !self.eat(TokenKind::Semicolon) {
            let start = self.span();
            let expr = self.expression()?;
            let value = self.value(expr)?;
            let span = self.since(start);
            self.expect(TokenKind::Semicolon)?;
            init.push(self.statement_node(span, Stmt::Expr(value)));
        }
        let condition = if self.peek() == TokenKind::Semicolon {
            None
        } else {
            Some(self.condition_expression()?)
        };
        self.expect(TokenKind::Semicolon)?;
        let step = if self.peek() == TokenKind::RightParen {
            None
        } else {
            let expr = self.expression()?;
            Some(self.value(expr)?)
        };
        self.expect(TokenKind::RightParen)?;
        let body = self.loop_body()?;
        self.scopes.leave();
        self.context().variable_here = variable;
        let statement = Stmt::For { init: init.into(), condition, step, body };
        Ok(self.statement_node(self.since(from), statement))
    }

    /// The declaration of a `for` has automatic objects only, C11 6.8.5p3.
    fn check_for_objects(&self, init: &[StmtId], start: Span) -> Parse<()> {
        let lasting = |stmt: &StmtId| match self.program[*stmt] {
            Stmt::Declare(id) => {
                !matches!(self.program[id].storage, Storage::Automatic | Storage::Register)
            }
            Stmt::DefineFunction(_) => true,
            _ => false,
        };
        if init.is_empty() || init.iter().any(lasting) {
            let message = "the declaration of a `for` is for objects that live in it";
            return Err(self.constraint(self.since(start), message));
        }
        Ok(())
    }

    fn switch_statement(&mut self) -> Parse<StmtId> {
        let from = self.advance().span;
        self.expect(TokenKind::LeftParen)?;
        let expr = self.expression()?;
        let span = self.expr_span(expr);
        let value = self.make(span, |builder| {
            let value = builder.value(expr);
            builder.promote(value)
        })?;
        self.expect(TokenKind::RightParen)?;
        let ty = self.program.type_of(value);
        if !self.program.is_integer(ty) {
            return Err(self.constraint(
                span,
                format!("`switch` needs an integer, this has type `{}`", self.type_text(ty)),
            ));
        }
        let variable = self.context().variable_here;
        let context = SwitchContext { ty, cases: Vec::new(), default: None, variable };
        self.context().switches.push(context);
        self.context().breakable += 1;
        let body = self.scoped_statement()?;
        self.context().breakable -= 1;
        let context = self.context().switches.pop().expect("pushed above");
        self.check_cases(context.cases)?;
        Ok(self.statement_node(self.since(from), Stmt::Switch { value, body }))
    }

    /// No two cases may have the same value, C11 6.8.4.2p3.
    fn check_cases(&self, mut cases: Vec<(i128, i128, Span)>) -> Parse<()> {
        cases.sort_by_key(|(first, _, _)| *first);
        for pair in cases.windows(2) {
            let [(_, last, before), (first, _, span)] = pair else { continue };
            if first <= last {
                let error = self.constraint(*span, format!("the value {first} has a case already"));
                return Err(Self::with_note(error, Some(*before), "it is here"));
            }
        }
        Ok(())
    }

    /// Labels in a row and the statement after them, C11 6.8.1. They are read one by one:
    /// there may be many.
    fn labelled_statement(&mut self) -> Parse<StmtId> {
        let mut labels = Vec::new();
        loop {
            let from = self.span();
            let label = match self.peek() {
                TokenKind::Case => self.case_label()?,
                TokenKind::Default => self.default_label()?,
                _ => self.name_label()?,
            };
            labels.push((from, label));
            self.attributes_of_label()?;
            if !self.at_label() {
                break;
            }
            self.deepen()?;
        }
        // At the end of a block, and before a declaration as C23 allows, that is an empty
        // statement.
        let mut body = if self.peek() == TokenKind::RightBrace || self.at_block_declaration() {
            self.statement_node(self.last_span(), Stmt::Empty)
        } else {
            self.statement()?
        };
        self.depth -= labels.len() as u32 - 1;
        for (from, label) in labels.into_iter().rev() {
            let statement = match label {
                LabelForm::Case(first, last) => Stmt::Case { first, last, body },
                LabelForm::Default => Stmt::Default(body),
                LabelForm::Name(label) => Stmt::Label(label, body),
            };
            body = self.statement_node(self.since(from), statement);
        }
        Ok(body)
    }

    fn at_label(&self) -> bool {
        match self.peek() {
            TokenKind::Case | TokenKind::Default => true,
            TokenKind::Identifier => self.peek_at(1) == TokenKind::Colon,
            _ => false,
        }
    }

    fn case_label(&mut self) -> Parse<LabelForm> {
        let from = self.advance().span;
        let Some(ty) = self.context().switches.last().map(|context| context.ty) else {
            return Err(self.constraint(from, "`case` is not inside a `switch`"));
        };
        self.check_case_scope(from)?;
        let (first_value, first) = self.case_value(ty)?;
        let (last_value, last) = if self.eat(TokenKind::Ellipsis) {
            let (value, expr) = self.case_value(ty)?;
            (value, Some(expr))
        } else {
            (first_value, None)
        };
        let span = self.since(from);
        self.expect(TokenKind::Colon)?;
        // An empty range matches nothing, and compilers only warn.
        if first_value <= last_value {
            let switch = self.context().switches.last_mut().expect("checked above");
            switch.cases.push((first_value, last_value, span));
        }
        Ok(LabelForm::Case(first, last))
    }

    /// No case is in the scope of something of variable length that the `switch` is not in.
    fn check_case_scope(&mut self, span: Span) -> Parse<()> {
        let context = self.context();
        let outside = context.switches.last().and_then(|switch| switch.variable);
        if outside == context.variable_here {
            return Ok(());
        }
        Err(self.constraint(span, "this jumps into the scope of an array of variable length"))
    }

    /// A case constant, converted to the type of the switch.
    fn case_value(&mut self, ty: TypeId) -> Parse<(i128, ExprId)> {
        let (value, expr) = self.constant_value()?;
        let span = self.expr_span(expr);
        let expr = self.make(span, |builder| builder.convert(expr, ty))?;
        let value =
            farrier_lang::integer_type(&self.program, ty).map_or(value, |class| class.wrap(value));
        Ok((value, expr))
    }

    fn default_label(&mut self) -> Parse<LabelForm> {
        let from = self.advance().span;
        let Some(switch) = self.context().switches.last_mut() else {
            return Err(self.constraint(from, "`default` is not inside a `switch`"));
        };
        if let Some(before) = switch.default.replace(from) {
            let error = self.constraint(from, "this `switch` has a default already");
            return Err(Self::with_note(error, Some(before), "it is here"));
        }
        self.check_case_scope(from)?;
        self.expect(TokenKind::Colon)?;
        Ok(LabelForm::Default)
    }

    /// `label: __attribute__((unused));` and the like say nothing.
    fn attributes_of_label(&mut self) -> Parse<()> {
        while self.peek() == TokenKind::Attribute && !self.is_fallthrough() {
            let attributes = self.attributes()?;
            self.no_meaning(&attributes, self.last_span())?;
        }
        Ok(())
    }

    fn is_fallthrough(&self) -> bool {
        (1..6).any(|ahead| {
            let token = self.tokens.get(self.at + ahead);
            token.is_some_and(|token| {
                matches!(self.token_text(token.span), "fallthrough" | "__fallthrough__")
            })
        })
    }

    fn name_label(&mut self) -> Parse<LabelForm> {
        let (name, from) = self.expect_name()?;
        self.expect(TokenKind::Colon)?;
        let label = self.use_label(name, from)?;
        let variable = self.context().variable_here;
        let Some(state) = self.context().labels.get_mut(&label) else {
            let message = "a label with the name of one of the function around this one";
            return Err(self.unsupported(from, message));
        };
        state.variable = variable;
        if let Some(before) = state.defined.replace(from) {
            let error = self
                .constraint(from, format!("the label `{}` is defined twice", self.name_text(name)));
            return Err(Self::with_note(error, Some(before), "the first is here"));
        }
        Ok(LabelForm::Name(label))
    }

    /// The label with this name; a new one of the function if it is new.
    pub(super) fn use_label(&mut self, name: Symbol, span: Span) -> Parse<LabelId> {
        if self.function.is_none() {
            return Err(self.constraint(span, "a label has no place outside a function"));
        }
        let local = self.scopes.label(name);
        let label = match local.or_else(|| self.context().label_names.get(&name).copied()) {
            Some(label) => label,
            None => {
                let label = self.program.labels.push(Label { name, local: false });
                self.context().label_names.insert(name, label);
                label
            }
        };
        let unknown = LabelState { first_use: span, defined: None, variable: None };
        let mut context = self.context();
        // It may be one of a function around this one.
        while local.is_some() && !context.local_labels.contains(&label) {
            context = context.outside.as_mut().expect("some function declares it");
        }
        context.labels.entry(label).or_insert(unknown);
        Ok(label)
    }

    /// Every label that is used must be defined.
    pub(super) fn finish_labels(&mut self) -> Parse<()> {
        let labels = &self.function.as_ref().expect("labels are in functions").labels;
        let missing = labels.iter().filter(|(_, state)| state.defined.is_none());
        let Some((label, state)) = missing.min_by_key(|(_, state)| state.first_use) else {
            return self.check_gotos();
        };
        let name = self.program[*label].name;
        let span = state.first_use;
        Err(self.constraint(span, format!("the label `{}` is not defined", self.name_text(name))))
    }

    /// A `goto` leads into no scope of something of variable length, C11 6.8.6.1p1.
    fn check_gotos(&self) -> Parse<()> {
        let context = self.function.as_ref().expect("labels are in functions");
        for (label, span, from) in &context.gotos {
            let inside = context.labels[label].variable;
            let mut from = *from;
            while from != inside {
                let Some(here) = from else {
                    let message = "this jumps into the scope of an array of variable length";
                    return Err(self.constraint(*span, message));
                };
                from = context.variable[here];
            }
        }
        Ok(())
    }

    fn goto_statement(&mut self) -> Parse<StmtId> {
        let from = self.advance().span;
        let statement = if self.eat(TokenKind::Star) {
            let expr = self.expression()?;
            let value = self.value(expr)?;
            let ty = self.program.type_of(value);
            if self.program.pointee(ty).is_none() {
                return Err(self.constraint(self.since(from), "a computed `goto` needs a pointer"));
            }
            Stmt::GotoComputed(value)
        } else {
            let (name, span) = self.expect_name()?;
            let label = self.use_label(name, span)?;
            let context = self.context();
            if context.labels.contains_key(&label) {
                context.gotos.push((label, span, context.variable_here));
            }
            Stmt::Goto(label)
        };
        self.expect(TokenKind::Semicolon)?;
        Ok(self.statement_node(self.since(from), statement))
    }

    fn return_statement(&mut self) -> Parse<StmtId> {
        let from = self.advance().span;
        let result = self.context().result;
        if self.eat(TokenKind::Semicolon) {
            // Allowed in C89 even where a value is expected; using it is undefined.
            if result != Types::VOID && !self.options.permissive {
                return Err(Self::with_help(
                    self.constraint(from, "this function returns a value"),
                    "return one, or allow it with --permissive",
                ));
            }
            return Ok(self.statement_node(from, Stmt::Return(None)));
        }
        let expr = self.expression()?;
        let span = self.since(from);
        self.expect(TokenKind::Semicolon)?;
        let value = if self.program.resolve(result) == &Type::Void {
            let value = self.value(expr)?;
            if self.program.type_of(value) != Types::VOID {
                if !self.options.permissive {
                    return Err(self.constraint(span, "this function returns no value"));
                }
                // The value is computed and thrown away.
                self.node(span, ExprKind::Cast(value), Types::VOID)?
            } else {
                value
            }
        } else {
            self.build(span, |builder| builder.convert_assigned(expr, result))?
        };
        Ok(self.statement_node(self.since(from), Stmt::Return(Some(value))))
    }

    /// `({ ... })`, after the parenthesis; its value is that of its last statement.
    pub(super) fn statement_expression(&mut self, from: Span) -> Parse<ExprId> {
        if self.function.is_none() {
            return Err(
                self.constraint(from, "a statement expression has no place outside a function")
            );
        }
        let outside = std::mem::replace(&mut self.deepest, self.depth);
        let block = self.block()?;
        self.last_block_height = self.deepest - self.depth;
        self.deepest = self.deepest.max(outside);
        let last = match &self.program[block] {
            Stmt::Block(statements) => statements.last().copied(),
            _ => None,
        };
        let ty = match last.map(|last| self.last_value(last)) {
            Some(Some(value)) => self.program.type_of(value),
            _ => Types::VOID,
        };
        self.node(self.since(from), ExprKind::StatementExpr(block), ty)
    }

    /// The value of the last statement of a statement expression, labels apart.
    fn last_value(&self, statement: StmtId) -> Option<ExprId> {
        match self.program[statement] {
            Stmt::Expr(value) => Some(value),
            Stmt::Label(_, body) => self.last_value(body),
            _ => None,
        }
    }
}
