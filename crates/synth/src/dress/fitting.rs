//! A program while it is dressed.

use std::collections::BTreeSet;

use farrier_lang::print::{GuardStyle, Snippet, Spellings, declaration_text};
use farrier_lang::{
    ExprId, ExprKind, FunctionId, ObjectId, Program, RecordId, Stmt, StmtId, Symbol, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::Facts;
use super::{Cplusplus, Dressed, Worn};
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
    /// The numbers that are objects of a class.
    pub(super) boxed: FxHashSet<ObjectId>,
    /// The arrays that are on the heap.
    pub(super) heaps: FxHashSet<ObjectId>,
    /// The expressions that are spelled with names of another dress, which no lambda can list.
    pub(super) renamed: FxHashSet<ExprId>,
    /// The objects that a lambda cannot capture in every version.
    pub(super) bound: BTreeSet<ObjectId>,
    /// The statements in which something is spelled as C cannot.
    marked: FxHashSet<StmtId>,
    /// For each dress the statements that what it changed is a part of, or that use it.
    reached: Vec<Vec<StmtId>>,
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
            boxed: FxHashSet::default(),
            heaps: FxHashSet::default(),
            renamed: FxHashSet::default(),
            bound: BTreeSet::new(),
            marked: FxHashSet::default(),
            reached: Vec::new(),
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
        self.reached.push(Vec::new());
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
        self.reach(stmt);
    }

    /// Notes a statement as one that the current dress has changed, or that uses what it has.
    pub(super) fn reach(&mut self, stmt: Option<StmtId>) {
        if let Some(reached) = self.reached.last_mut() {
            reached.extend(stmt);
        }
    }

    /// Notes the body of a function.
    pub(super) fn reach_body(&mut self, function: FunctionId) {
        self.reach(self.program[function].body);
    }

    /// Notes the statements that name an object, or declare it.
    pub(super) fn reach_object(&mut self, object: ObjectId) {
        for mention in self.facts.mentions_of(object).to_vec() {
            self.reach(self.facts.owner(mention));
        }
    }

    /// Notes the statements with a value of a record.
    pub(super) fn reach_record(&mut self, record: RecordId) {
        let program = self.program;
        let is_record =
            |ty: TypeId| matches!(program.resolve(ty), Type::Record(found) if *found == record);
        for (stmt, _) in self.facts.stmts.clone() {
            if let Stmt::Declare(object) = program[stmt]
                && is_record(program[object].ty)
            {
                self.reach(Some(stmt));
            }
        }
        for (expr, _) in self.facts.exprs.clone() {
            if is_record(program[expr].ty) {
                self.reach(self.facts.owner(expr));
            }
        }
    }

    /// Spells an expression, which counts as a place.
    pub(super) fn spell(&mut self, expr: ExprId, pieces: Vec<Snippet>) {
        self.took(self.facts.owner(expr));
        self.spellings.expr(expr, pieces);
    }

    /// Marks the statement of an expression without counting a place.
    pub(super) fn mark(&mut self, expr: ExprId) {
        let owner = self.facts.owner(expr);
        self.marked.extend(owner);
        self.reach(owner);
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

    /// What stands for an object where it is used, as text.
    pub(super) fn object_text(&self, object: ObjectId) -> Option<String> {
        let spelled = self.spellings.objects.get(&object).cloned();
        spelled.or_else(|| self.name(object).map(str::to_owned))
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

    /// The spellings, and the rest of what a dressed program is but its text.
    pub(super) fn finish(mut self) -> (Spellings, Dressed) {
        let mut prelude = String::new();
        for header in &self.headers {
            prelude.push_str(&format!("#include <{header}>\n"));
        }
        self.helpers.iter().for_each(|text| prelude.push_str(text));
        self.spellings.prelude = prelude;
        let dressed = Dressed {
            text: String::new(),
            places: self.places,
            reached: self.reached,
            statements: self.facts.stmts.len(),
            dressed: self.marked.len(),
        };
        (self.spellings, dressed)
    }
}
