//! A program while it is dressed.

use std::collections::BTreeSet;

use farrier_lang::print::{Piece, Spellings};
use farrier_lang::{ExprId, ExprKind, FunctionId, ObjectId, Program, StmtId, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::Facts;
use super::{Cplusplus, Worn};
use crate::Choices;

/// A program, what is known of it, and the spellings so far.
pub(super) struct Fitting<'a> {
    pub(super) program: &'a Program,
    pub(super) facts: Facts,
    pub(super) standard: Cplusplus,
    pub(super) spellings: Spellings,
    /// The functions whose definition, name or calls a dress has changed.
    pub(super) taken_functions: FxHashSet<FunctionId>,
    /// The objects whose definition or uses a dress has changed.
    pub(super) taken_objects: FxHashSet<ObjectId>,
    /// The statements in which something is spelled as C cannot.
    marked: FxHashSet<StmtId>,
    headers: BTreeSet<&'static str>,
    wanted: &'static [&'static str],
    /// Text after the headers, in the order in which it was added.
    helpers: Vec<&'static str>,
    share: u32,
    seed: u64,
    /// How often the current dress was asked about each key.
    asked: FxHashMap<u64, u64>,
    places: Vec<(&'static str, usize)>,
}

impl<'a> Fitting<'a> {
    pub(super) fn new(program: &'a Program, standard: Cplusplus) -> Self {
        Self {
            program,
            facts: Facts::of(program),
            standard,
            spellings: Spellings::default(),
            taken_functions: FxHashSet::default(),
            taken_objects: FxHashSet::default(),
            marked: FxHashSet::default(),
            headers: BTreeSet::new(),
            wanted: &[],
            helpers: Vec::new(),
            share: 0,
            seed: 0,
            asked: FxHashMap::default(),
            places: Vec::new(),
        }
    }

    /// Begins with the next dress.
    pub(super) fn begin(&mut self, worn: &Worn, headers: &'static [&'static str]) {
        self.share = worn.share;
        self.seed = worn.seed;
        self.wanted = headers;
        self.asked.clear();
        self.places.push((worn.name, 0));
    }

    /// Whether the dress takes a place. Places are told apart by a name and by how many of this
    /// name there were before, so that they stay what they are when other code is removed.
    pub(super) fn takes(&mut self, name: Symbol) -> bool {
        let key = self.program.text(name).bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let times = self.asked.entry(key).or_default();
        *times += 1;
        let drawn = Choices::derive_seed(self.seed ^ key, *times);
        drawn % 100 < u64::from(self.share)
    }

    /// Whether the dress takes a place in a function, or at file scope.
    pub(super) fn takes_in(&mut self, function: Option<FunctionId>) -> bool {
        match function {
            Some(function) => self.takes(self.program[function].name),
            None => false,
        }
    }

    /// Counts a place that the dress has taken, and the statement that it is in.
    pub(super) fn took(&mut self, stmt: Option<StmtId>) {
        self.headers.extend(self.wanted);
        if let Some(place) = self.places.last_mut() {
            place.1 += 1;
        }
        self.marked.extend(stmt);
    }

    /// Spells an expression, which counts as a place.
    pub(super) fn spell(&mut self, expr: ExprId, pieces: Vec<Piece>) {
        self.took(self.facts.owner(expr));
        self.spellings.expr(expr, pieces);
    }

    /// Marks the statement of an expression without counting a place.
    pub(super) fn mark(&mut self, expr: ExprId) {
        self.marked.extend(self.facts.owner(expr));
    }

    /// Adds a declaration that the dress needs, once.
    pub(super) fn help(&mut self, text: &'static str) {
        if !self.helpers.contains(&text) {
            self.helpers.push(text);
        }
    }

    /// Whether an expression is a part of a constant: of an initialiser at file scope, a `case`
    /// or the like.
    pub(super) fn is_constant_place(&self, expr: ExprId, function: Option<FunctionId>) -> bool {
        function.is_none()
            || self
                .facts
                .owner(expr)
                .is_none_or(|owner| matches!(self.program[owner], farrier_lang::Stmt::Case { .. }))
    }

    /// The expression below all implicit conversions.
    pub(super) fn explicit(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Load(operand) | ExprKind::Decay(operand) | ExprKind::Convert(operand) =
            self.program[expr].kind
        {
            expr = operand;
        }
        expr
    }

    /// The spellings, the places of each dress, and how many statements there are and are marked.
    pub(super) fn finish(mut self) -> (Spellings, Vec<(&'static str, usize)>, (usize, usize)) {
        let mut prelude = String::new();
        for header in &self.headers {
            prelude.push_str(&format!("#include <{header}>\n"));
        }
        self.helpers.iter().for_each(|text| prelude.push_str(text));
        self.spellings.prelude = prelude;
        (self.spellings, self.places, (self.facts.stmts.len(), self.marked.len()))
    }
}
