//! A program while it is dressed.

use std::collections::BTreeSet;

use farrier_lang::print::{GuardStyle, Snippet, Spellings, declaration_text};
use farrier_lang::{ExprId, ExprKind, FunctionId, ObjectId, Program, StmtId, Symbol, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::Facts;
use super::{Cplusplus, Worn};
use crate::Choices;

/// A program, what is known of it, and the spellings so far.
pub(super) struct Fitting<'a> {
    pub(super) program: &'a Program,
    pub(super) facts: Facts,
    pub(super) standard: Cplusplus,
    /// How the guards of the program are printed.
    pub(super) guards: GuardStyle,
    /// The functions that compilers evaluate: they have only what can be evaluated.
    pub(super) constant_functions: BTreeSet<FunctionId>,
    pub(super) spellings: Spellings,
    /// The functions whose definition, name or calls a dress has changed.
    pub(super) taken_functions: FxHashSet<FunctionId>,
    /// The objects whose definition or uses a dress has changed.
    pub(super) taken_objects: FxHashSet<ObjectId>,
    /// The objects that a lambda cannot capture in every version.
    pub(super) bound: BTreeSet<ObjectId>,
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
    pub(super) fn new(program: &'a Program, standard: Cplusplus, guards: GuardStyle) -> Self {
        Self {
            program,
            guards,
            constant_functions: BTreeSet::new(),
            facts: Facts::of(program),
            standard,
            spellings: Spellings::default(),
            taken_functions: FxHashSet::default(),
            taken_objects: FxHashSet::default(),
            bound: BTreeSet::new(),
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
        self.draw(name) % 100 < u64::from(self.share)
    }

    /// A number that is drawn for a place.
    pub(super) fn draw(&mut self, name: Symbol) -> u64 {
        let key = self.program.text(name).bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let times = self.asked.entry(key).or_default();
        *times += 1;
        Choices::derive_seed(self.seed ^ key, *times)
    }

    /// Whether the dress takes a place in a function.
    pub(super) fn takes_in(&mut self, function: FunctionId) -> bool {
        self.takes(self.program[function].name)
    }

    /// Whether the dress takes an object.
    pub(super) fn takes_object(&mut self, object: ObjectId) -> bool {
        self.program[object].name.is_some_and(|name| self.takes(name))
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
    pub(super) fn spell(&mut self, expr: ExprId, pieces: Vec<Snippet>) {
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

    /// The expressions that a dress may spell, each with its function.
    pub(super) fn open_exprs(&self) -> Vec<(ExprId, FunctionId)> {
        let open = self.facts.exprs.iter().filter(|(expr, _)| !self.facts.is_frozen(*expr));
        open.filter_map(|(expr, function)| Some((*expr, (*function)?))).collect()
    }

    /// Whether compilers evaluate the function that an object or statement is in.
    pub(super) fn is_evaluated(&self, function: FunctionId) -> bool {
        self.constant_functions.contains(&function)
    }

    /// Whether vectors occur in a function: g++ does not get those of templates right.
    pub(super) fn has_vectors(&self, function: FunctionId) -> bool {
        let is_vector = |ty: TypeId| matches!(self.program.resolve(ty), Type::Vector { .. });
        let mut exprs = self.facts.exprs.iter();
        exprs.any(|(expr, home)| *home == Some(function) && is_vector(self.program[*expr].ty))
            || match self.program.types.get(self.program[function].ty) {
                Type::Function(ty) => {
                    is_vector(ty.result) || ty.parameters.iter().any(|ty| is_vector(*ty))
                }
                _ => false,
            }
    }

    /// A type as text.
    pub(super) fn type_text(&self, ty: TypeId) -> String {
        declaration_text(self.program, ty, "")
    }

    /// The name of an object as text.
    pub(super) fn name(&self, object: ObjectId) -> Option<&'a str> {
        self.program[object].name.map(|name| self.program.text(name))
    }

    /// The name of a function as text.
    pub(super) fn function_name(&self, function: FunctionId) -> &'a str {
        self.program.text(self.program[function].name)
    }

    /// Whether a type is an integer type with a keyword.
    pub(super) fn is_integer(&self, ty: TypeId) -> bool {
        matches!(self.program.resolve(ty), Type::Int(_))
    }

    /// Whether a type is a number.
    pub(super) fn is_number(&self, ty: TypeId) -> bool {
        matches!(self.program.resolve(ty), Type::Int(_) | Type::Float(_))
    }

    /// A value that is cast to a type: `static_cast<type>(value)`.
    pub(super) fn cast_to(&self, ty: TypeId, value: ExprId) -> Vec<Snippet> {
        let ty = ty.unqualified();
        vec![
            "static_cast<".into(),
            Snippet::Type(ty),
            ">(".into(),
            Snippet::Argument(value),
            ")".into(),
        ]
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
