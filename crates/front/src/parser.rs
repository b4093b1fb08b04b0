//! Recursive descent over tokens, typing as it goes.
//!
//! C cannot be parsed without knowing which names are types, so names are
//! resolved and expressions typed in the same pass: the parser hands operands to
//! [`farrier_lang::build`] and gets typed nodes back.

mod assembly;
mod attributes;
mod builtins;
mod constancy;
mod declarations;
mod declarators;
mod entities;
mod expressions;
mod functions;
mod hints;
mod initialisers;
mod nested;
mod places;
mod primary;
mod records;
mod restrictions;
mod specifiers;
mod statements;
mod unused;

use std::collections::{BTreeMap, BTreeSet};

use farrier_lang::build::{Builder, Built, TypeError};
use farrier_lang::constant::Constant;
use farrier_lang::layout::Layouts;
use farrier_lang::{
    Attribute, Entity, EnumId, ExprId, ExprKind, FunctionId, Id, LabelId, MAX_DEPTH, MAX_NESTING,
    ObjectId, Program, RecordId, Span, Stmt, StmtId, Symbol, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use self::unused::Usage;
use crate::Options;
use crate::diagnostic::{Diagnostic, Note, Reason};
use crate::lexer::{Lexed, MAX_RESERVED};
use crate::scope::{Scopes, Tag};
use crate::token::{Token, TokenKind};

/// The result of parsing something. The first error ends the parse, so nothing
/// needs to be restored on the way out.
pub(crate) type Parse<T> = Result<T, Box<Diagnostic>>;

/// What is known while a function body is parsed.
#[derive(Debug)]
struct FunctionContext {
    /// What the text calls it.
    name: Symbol,
    result: TypeId,
    /// What `__func__` is, once it is used.
    name_object: Option<ObjectId>,
    /// Where `__PRETTY_FUNCTION__` is that can be seen.
    pretty: Option<Span>,
    /// Every object of the function, and of those around it, for renaming what would hide a
    /// hoisted name.
    locals: Vec<ObjectId>,
    /// The function around it.
    outside: Option<Box<FunctionContext>>,
    /// The labels by name, those of `__label__` apart.
    label_names: FxHashMap<Symbol, LabelId>,
    /// Those of `__label__`.
    local_labels: FxHashSet<LabelId>,
    /// Labels of the function: where each is first used, and whether it is defined.
    labels: FxHashMap<LabelId, LabelState>,
    /// The innermost `switch` statements: the promoted type, and the cases so far.
    switches: Vec<SwitchContext>,
    /// The declarations of variably modified type, each with the one before it that is still
    /// in scope; and the last in scope here. A jump may not enter their scope, C11 6.8.6.1p1.
    variable: Vec<Option<usize>>,
    variable_here: Option<usize>,
    gotos: Vec<(LabelId, Span, Option<usize>)>,
    /// How many loops and switches we are in, for `break`; and loops, for `continue`.
    breakable: u32,
    loops: u32,
}

#[derive(Clone, Copy, Debug)]
struct LabelState {
    first_use: Span,
    defined: Option<Span>,
    /// What is in scope of variably modified type where it is defined.
    variable: Option<usize>,
}

#[derive(Debug)]
struct SwitchContext {
    ty: TypeId,
    cases: Vec<(i128, i128, Span)>,
    default: Option<Span>,
    variable: Option<usize>,
}

/// The state of parsing one program.
pub(crate) struct Parser<'a> {
    program: Program,
    layouts: Layouts,
    options: &'a Options,
    text: &'a str,
    /// The offset of the first byte of `text`.
    start: u32,
    tokens: Vec<Token>,
    at: usize,
    packs: Vec<(u32, Option<u32>)>,
    usage: Usage,
    scopes: Scopes,
    /// How deep the text nests here, and the tree.
    nesting: u32,
    depth: u32,
    /// The height of each expression, so that long chains are noticed as deep trees.
    heights: Vec<u32>,
    /// The deepest place of the tree in the statement expression that is parsed, and below the
    /// one that was parsed last.
    deepest: u32,
    last_block_height: u32,
    /// How deep records contain records.
    record_depths: FxHashMap<RecordId, u32>,
    function: Option<FunctionContext>,
    entities: entities::Entities,
    /// Objects and functions with linkage that this unit has declared.
    unit_names: FxHashMap<Symbol, Entity>,
    /// What this unit says about `inline` for each function, and the functions it defines.
    unit_inlines: FxHashMap<FunctionId, functions::InlineState>,
    unit_bodies: BTreeSet<FunctionId>,
    /// Functions of which earlier units have only an inline definition.
    inline_definitions: FxHashSet<FunctionId>,
    /// Functions that a declaration of this unit makes `weak`, and those that have only a
    /// weak definition so far.
    unit_weak: FxHashSet<FunctionId>,
    weak_definitions: FxHashSet<FunctionId>,
    /// Functions whose definition has `gnu_inline`.
    gnu_inlines: FxHashSet<FunctionId>,
    /// The text of the definition of each function.
    definitions: FxHashMap<FunctionId, Span>,
    /// Objects with linkage that this unit defines, and those that earlier units define.
    unit_definitions: Vec<(ObjectId, Span)>,
    defined_before: FxHashSet<ObjectId>,
    /// Tags in use anywhere in the program.
    tag_names: FxHashSet<Symbol>,
    /// Tags at file scope of all units.
    file_tags: FxHashMap<Symbol, Tag>,
    /// Records and enumerations that this unit has completed.
    complete_here: FxHashSet<RecordId>,
    complete_enums: FxHashSet<EnumId>,
    /// Complete records that have no tag yet: anonymous members keep none, others get one.
    nameless: Vec<RecordId>,
    /// Records that mention a length known only at run time: they are defined in a block.
    local_records: FxHashSet<RecordId>,
    /// Those whose definition waits for its place in the block.
    pending_records: Vec<RecordId>,
    /// Records and enumerations without tag of earlier units, and of this one.
    twins: FxHashMap<records::TwinKey, Vec<RecordId>>,
    unit_twins: Vec<RecordId>,
    twin_enums: FxHashMap<Symbol, EnumId>,
    unit_twin_enums: Vec<(Symbol, EnumId)>,
    /// Where entities of all units were first declared and where they are defined, for notes.
    declared_at: FxHashMap<Entity, Span>,
    defined_at: FxHashMap<Entity, Span>,
    /// What `_Alignas` says of each object with linkage.
    alignments: FxHashMap<ObjectId, restrictions::Alignment>,
    /// The values of `constexpr` objects.
    constants: FxHashMap<ObjectId, Constant>,
    /// Expressions that must not be evaluated: sizeof, typeof and the like.
    unevaluated: u32,
    /// Expressions that were copied because a range of an initialiser was cut.
    copies: u32,
    /// Attributes of declarations after the first, to be added when all are known.
    late_attributes: BTreeMap<Entity, Vec<Attribute>>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(program: Program, options: &'a Options) -> Self {
        Self {
            program,
            layouts: Layouts::default(),
            options,
            text: "",
            start: 0,
            tokens: Vec::new(),
            at: 0,
            packs: Vec::new(),
            usage: Usage::default(),
            scopes: Scopes::default(),
            nesting: 0,
            depth: 0,
            heights: Vec::new(),
            deepest: 0,
            last_block_height: 0,
            record_depths: FxHashMap::default(),
            function: None,
            entities: entities::Entities::default(),
            unit_names: FxHashMap::default(),
            unit_inlines: FxHashMap::default(),
            unit_bodies: BTreeSet::new(),
            inline_definitions: FxHashSet::default(),
            unit_weak: FxHashSet::default(),
            weak_definitions: FxHashSet::default(),
            gnu_inlines: FxHashSet::default(),
            definitions: FxHashMap::default(),
            unit_definitions: Vec::new(),
            defined_before: FxHashSet::default(),
            tag_names: FxHashSet::default(),
            file_tags: FxHashMap::default(),
            complete_here: FxHashSet::default(),
            complete_enums: FxHashSet::default(),
            nameless: Vec::new(),
            local_records: FxHashSet::default(),
            pending_records: Vec::new(),
            twins: FxHashMap::default(),
            unit_twins: Vec::new(),
            twin_enums: FxHashMap::default(),
            unit_twin_enums: Vec::new(),
            declared_at: FxHashMap::default(),
            defined_at: FxHashMap::default(),
            alignments: FxHashMap::default(),
            constants: FxHashMap::default(),
            unevaluated: 0,
            copies: 0,
            late_attributes: BTreeMap::new(),
        }
    }

    /// Parses one translation unit and adds it to the program.
    pub(crate) fn unit(&mut self, text: &'a str, start: u32, lexed: Lexed) -> Parse<()> {
        self.text = text;
        self.start = start;
        self.tokens = lexed.tokens;
        // Where there are expressions, there are about as many as tokens.
        let expected = self.tokens.len().min(MAX_RESERVED);
        self.program.exprs.reserve(expected);
        self.program.expr_spans.reserve(expected);
        self.heights.reserve(expected);
        self.packs = lexed.packs;
        self.at = 0;
        self.count_names(lexed.turns);
        while self.peek() != TokenKind::End {
            if !self.skip_unused() {
                self.external_declaration()?;
            }
        }
        self.end_unit()
    }

    /// The program, when every unit is parsed.
    pub(crate) fn finish(mut self) -> Program {
        self.finish_attributes();
        self.program.items = self.entities.finish(&self.program);
        self.program
    }

    // Tokens.

    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn peek(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    fn peek_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    fn peek_span(&self, ahead: usize) -> Span {
        self.tokens.get(self.at + ahead).map_or(self.span(), |token| token.span)
    }

    /// The span of the token before.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn since(&self, from: Span) -> Span {
        from.to(self.last_span())
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.at];
        // The last token, the end, stays.
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Parse<Token> {
        if self.peek() == kind {
            return Ok(self.advance());
        }
        let mut error = self.unexpected(kind.text());
        if kind == TokenKind::Semicolon && self.at > 0 {
            // It is missing where the text before it ends.
            let end = self.last_span().end;
            error.span = Span { start: end, end };
        }
        Err(error)
    }

    fn expect_name(&mut self) -> Parse<(Symbol, Span)> {
        let token = self.expect(TokenKind::Identifier)?;
        Ok((token.symbol.expect("an identifier has a name"), token.span))
    }

    fn token_text(&self, span: Span) -> &'a str {
        &self.text[(span.start - self.start) as usize..(span.end - self.start) as usize]
    }

    // Errors.

    fn error(&self, span: Span, reason: Reason, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic {
            reason,
            message: message.into(),
            span,
            label: String::new(),
            notes: Vec::new(),
            help: None,
        })
    }

    fn constraint(&self, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        self.error(span, Reason::Constraint, message)
    }

    fn unsupported(&self, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        self.error(span, Reason::Unsupported, message)
    }

    fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let token = self.token();
        let found = match token.kind {
            TokenKind::End => "the file ends".to_owned(),
            _ => format!("found `{}`", self.token_text(token.span)),
        };
        let wanted = match wanted.chars().next() {
            Some(first) if first.is_ascii_alphabetic() && wanted.contains(' ') => wanted.to_owned(),
            _ => format!("`{wanted}`"),
        };
        let mut error =
            self.error(token.span, Reason::Syntax, format!("expected {wanted}, {found}"));
        error.label = format!("expected {wanted}");
        error
    }

    fn with_note(mut error: Box<Diagnostic>, span: Option<Span>, label: &str) -> Box<Diagnostic> {
        if let Some(span) = span {
            error.notes.push(Note { span, label: label.to_owned() });
        }
        error
    }

    fn with_help(mut error: Box<Diagnostic>, help: &str) -> Box<Diagnostic> {
        error.help = Some(help.to_owned());
        error
    }

    /// The error, with a note on the place where `entity` is defined or first declared.
    fn with_entity(&self, error: Box<Diagnostic>, entity: Entity) -> Box<Diagnostic> {
        match self.defined_at.get(&entity) {
            Some(place) => Self::with_note(error, Some(*place), "defined here before"),
            None => {
                let place = self.declared_at.get(&entity).copied();
                Self::with_note(error, place, "declared here before")
            }
        }
    }

    fn type_error(&self, span: Span, error: TypeError) -> Box<Diagnostic> {
        let span = error.culprit.map_or(span, |culprit| self.expr_span(culprit));
        let mut diagnostic = self.constraint(span, error.message);
        diagnostic.help = error.help.map(str::to_owned);
        diagnostic
    }

    // Depth. Every function that can call itself through others counts.

    fn nest(&mut self) -> Parse<()> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.too_deep(self.span(), MAX_NESTING));
        }
        self.deepen()
    }

    fn unnest(&mut self) {
        self.nesting -= 1;
        self.depth -= 1;
    }

    /// Another link of a chain, which deepens the tree and not the text.
    fn deepen(&mut self) -> Parse<()> {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        if self.depth > MAX_DEPTH { Err(self.too_deep(self.span(), MAX_DEPTH)) } else { Ok(()) }
    }

    fn too_deep(&self, span: Span, limit: u32) -> Box<Diagnostic> {
        Self::with_help(
            self.error(
                span,
                Reason::Limit,
                format!("the program nests more than {limit} levels deep here"),
            ),
            "split the expression, declaration or statement into several",
        )
    }

    // Nodes.

    fn builder(&mut self) -> Builder<'_> {
        Builder {
            program: &mut self.program,
            layouts: &mut self.layouts,
            permissive: self.options.permissive,
        }
    }

    /// Builds an expression from operands; everything new in it gets `span`, but
    /// conversions get the span of what they convert.
    fn build(
        &mut self,
        span: Span,
        build: impl FnOnce(&mut Builder<'_>) -> Built,
    ) -> Parse<ExprId> {
        let built = build(&mut self.builder()).map_err(|error| self.type_error(span, error))?;
        self.seal(span)?;
        Ok(built)
    }

    /// Like [`build`](Self::build), for what cannot fail.
    fn make(
        &mut self,
        span: Span,
        build: impl FnOnce(&mut Builder<'_>) -> ExprId,
    ) -> Parse<ExprId> {
        let built = build(&mut self.builder());
        self.seal(span)?;
        Ok(built)
    }

    fn node(&mut self, span: Span, kind: ExprKind, ty: TypeId) -> Parse<ExprId> {
        self.make(span, |builder| builder.node(kind, ty))
    }

    /// The value of an expression: lvalues are read.
    fn value(&mut self, expr: ExprId) -> Parse<ExprId> {
        let span = self.expr_span(expr);
        self.make(span, |builder| builder.value(expr))
    }

    fn expr_span(&self, expr: ExprId) -> Span {
        self.program.expr_spans.get(expr.index()).copied().unwrap_or_default()
    }

    /// Gives every expression that has none yet its span and its height.
    fn seal(&mut self, span: Span) -> Parse<()> {
        let count = self.program.exprs.len();
        if self.heights.len() > count {
            // Building an operator has taken back nodes that it only tried.
            self.heights.truncate(count);
            self.program.expr_spans.truncate(count);
        }
        while self.heights.len() < count {
            let kind = &self.program.exprs[ExprId::from_index(self.heights.len())].kind;
            let mut height = 0;
            kind.for_each_operand(|operand| height = height.max(self.heights[operand.index()]));
            if let ExprKind::StatementExpr(_) = kind {
                height = self.last_block_height;
            }
            if self.depth + height >= MAX_DEPTH {
                let help = "compute parts of the expression before it, in variables";
                return Err(Self::with_help(self.too_deep(span, MAX_DEPTH), help));
            }
            let span = match kind {
                ExprKind::Load(operand) | ExprKind::Decay(operand) | ExprKind::Convert(operand) => {
                    self.program.expr_spans[operand.index()]
                }
                _ => span,
            };
            self.deepest = self.deepest.max(self.depth + height + 1);
            self.heights.push(height + 1);
            self.program.expr_spans.push(span);
        }
        Ok(())
    }

    fn statement_node(&mut self, span: Span, stmt: Stmt) -> StmtId {
        let id = self.program.stmts.push(stmt);
        self.program.stmt_spans.push(span);
        id
    }

    fn type_text(&self, ty: TypeId) -> String {
        farrier_lang::print::type_text(&self.program, ty)
    }

    fn name_text(&self, symbol: Symbol) -> &str {
        self.program.text(symbol)
    }

    /// A name that occurs nowhere in the program: `base_1`, `base_2` and so on.
    fn fresh_name(&mut self, base: &str) -> Symbol {
        let base = base.trim_end_matches(|c: char| c.is_ascii_digit());
        let base = base.strip_suffix('_').unwrap_or(base);
        let mut number = *self.entities.fresh.entry(base.into()).or_insert(0);
        loop {
            number += 1;
            let candidate = format!("{base}_{number}");
            if self.program.names.find(&candidate).is_none() {
                self.entities.fresh.insert(base.into(), number);
                return self.program.names.intern(&candidate);
            }
        }
    }
}
