//! Other spellings of nodes.
//!
//! A table says for some nodes of a program how they are written: a list of snippets, which are
//! text and parts of the program. The printer writes such a node snippet by snippet and all others
//! as ever. It does not know what the text means.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::Printer;
use super::expressions::{ASSIGNMENT, POSTFIX};
use crate::arena::{ExprId, FunctionId, ObjectId, RecordId, StmtId};
use crate::types::TypeId;

/// A node that can have another spelling.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Spelled {
    Expr(ExprId),
    Stmt(StmtId),
    /// The definition of an object, without the semicolon.
    Object(ObjectId),
    /// The definition of a function.
    Function(FunctionId),
    /// A declaration of a function, without the semicolon.
    Prototype(FunctionId),
}

/// A part of a spelling.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Snippet {
    /// Text as it is.
    Text(Cow<'static, str>),
    /// An expression that stands in a list.
    Argument(ExprId),
    /// An expression before a postfix operator.
    Postfix(ExprId),
    /// An initialiser, with its braces if it is a list.
    Initialiser(ExprId),
    /// A statement, from its margin to the end of its last line.
    Stmt(StmtId),
    /// A type, as a cast has it.
    Type(TypeId),
    /// A type around a text that stands in the place of a name.
    Declared(TypeId, String),
    /// The parameters of a function that is defined, with commas between them.
    Parameters(FunctionId),
    /// The body of a function, with its braces.
    Body(FunctionId),
    /// The node as it is without this spelling.
    Plain,
}

/// What stands around the parts of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionSpelling {
    /// Text before each declaration and the definition.
    pub before: String,
    /// Text after the parameter list.
    pub after: String,
    /// The name, where it is not that of the function.
    pub name: Option<String>,
    /// Parameters with a type of another spelling, by position: the type as text.
    pub parameters: Vec<(usize, String)>,
    /// The default argument of the last parameter.
    pub default: Option<String>,
}

/// What stands around the members of a record.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RecordSpelling {
    /// The keyword in the place of `struct`.
    pub keyword: Option<&'static str>,
    /// Text after the tag, such as a base.
    pub base: String,
    /// Text of whole lines before the members.
    pub first: String,
    /// Text of whole lines after the members.
    pub last: String,
    /// The members that are written elsewhere, by position.
    pub elsewhere: Vec<usize>,
    /// Text of whole lines before the definition.
    pub before: String,
}

/// The nodes of a program that are spelled in another way.
#[derive(Clone, Default, Debug)]
pub struct Spellings {
    nodes: FxHashMap<Spelled, Vec<Vec<Snippet>>>,
    /// What stands for the name of an object where it is used.
    pub objects: FxHashMap<ObjectId, String>,
    /// What stands for the name of a function where it is used.
    pub functions: FxHashMap<FunctionId, String>,
    /// What stands around functions.
    pub heads: FxHashMap<FunctionId, FunctionSpelling>,
    /// What stands around members.
    pub records: FxHashMap<RecordId, RecordSpelling>,
    /// What stands at the top of the text.
    pub prelude: String,
}

impl Spellings {
    /// Spells an expression over its earlier spelling. The text must bind as tightly as a name.
    pub fn expr(&mut self, id: ExprId, pieces: Vec<Snippet>) {
        self.nodes.entry(Spelled::Expr(id)).or_default().push(pieces);
    }

    /// Spells a statement that has no label, over its earlier spelling, to the end of a line.
    pub fn stmt(&mut self, id: StmtId, pieces: Vec<Snippet>) {
        self.nodes.entry(Spelled::Stmt(id)).or_default().push(pieces);
    }

    /// Spells the definition of an object, without the semicolon.
    pub fn object(&mut self, id: ObjectId, pieces: Vec<Snippet>) {
        self.nodes.entry(Spelled::Object(id)).or_default().push(pieces);
    }

    /// Spells the definition of a function.
    pub fn function(&mut self, id: FunctionId, pieces: Vec<Snippet>) {
        self.nodes.entry(Spelled::Function(id)).or_default().push(pieces);
    }

    /// Spells the declarations of a function, without the semicolon.
    pub fn prototype(&mut self, id: FunctionId, pieces: Vec<Snippet>) {
        self.nodes.entry(Spelled::Prototype(id)).or_default().push(pieces);
    }

    /// Whether an expression has a spelling of its own.
    pub fn has_expr(&self, id: ExprId) -> bool {
        self.nodes.contains_key(&Spelled::Expr(id))
    }

    /// Whether a statement has a spelling of its own.
    pub fn has_stmt(&self, id: StmtId) -> bool {
        self.nodes.contains_key(&Spelled::Stmt(id))
    }

    /// Whether the definition of an object has a spelling of its own.
    pub fn has_object(&self, id: ObjectId) -> bool {
        self.nodes.contains_key(&Spelled::Object(id))
    }

    /// Whether the definition of a function has a spelling of its own.
    pub fn has_function(&self, id: FunctionId) -> bool {
        self.nodes.contains_key(&Spelled::Function(id))
    }
}

/// A text as a piece.
impl From<&'static str> for Snippet {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

/// A text as a piece.
impl From<String> for Snippet {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<'a> Printer<'a> {
    /// Whether a node is about to be written in another spelling.
    pub(super) fn is_spelled(&self, key: Spelled) -> bool {
        self.spellings.is_some_and(|table| table.nodes.contains_key(&key))
            && self.plain != Some((key, 0))
    }

    /// Writes a node in its spelling; false if it has none.
    pub(super) fn spelled(&mut self, key: Spelled) -> bool {
        let Some(layers) = self.spellings.and_then(|table| table.nodes.get(&key)) else {
            return false;
        };
        let layer = match self.plain {
            Some((plain, below)) if plain == key => {
                self.plain = None;
                below
            }
            _ => layers.len(),
        };
        let Some(layer) = layer.checked_sub(1) else { return false };
        for piece in &layers[layer] {
            self.piece(key, layer, piece);
        }
        true
    }

    fn piece(&mut self, key: Spelled, layer: usize, piece: &Snippet) {
        let program = self.program;
        match piece {
            Snippet::Text(text) => self.text(text),
            Snippet::Argument(expr) => self.expr(*expr, ASSIGNMENT),
            Snippet::Postfix(expr) => self.expr(*expr, POSTFIX),
            Snippet::Initialiser(expr) => self.initialiser(*expr),
            Snippet::Stmt(stmt) => self.stmt(*stmt),
            Snippet::Type(ty) => self.declare(*ty, None),
            Snippet::Declared(ty, name) => self.declare_as_text(*ty, name),
            Snippet::Parameters(function) => self.parameters(*function),
            Snippet::Body(function) => {
                if let Some(body) = program[*function].body {
                    self.block(body);
                }
            }
            Snippet::Plain => {
                self.plain = Some((key, layer));
                match key {
                    Spelled::Expr(expr) => self.expr(expr, ASSIGNMENT),
                    Spelled::Stmt(stmt) => self.unlabelled(stmt, &program[stmt]),
                    Spelled::Object(object) => self.object_definition(object),
                    Spelled::Function(function) => self.function_definition(function),
                    Spelled::Prototype(function) => self.prototype(function),
                }
                self.plain = None;
            }
        }
    }

    /// A type around a text.
    pub(super) fn declare_as_text(&mut self, ty: TypeId, name: &str) {
        self.base(ty);
        self.before_name(ty);
        if !name.is_empty() {
            self.name_space();
            self.text(name);
        }
        self.after_name(ty);
    }

    /// The name of a function where it is used.
    pub(super) fn function_name(&mut self, function: FunctionId) {
        let program = self.program;
        match self.spellings.and_then(|table| table.functions.get(&function)) {
            Some(name) => self.text(name),
            None if self.is_cuda() && self.is_elsewhere(function) => {
                self.device_name(program.text(program[function].name));
            }
            None => self.symbol(program[function].name),
        }
    }

    /// Whether a text for a device has a function under another name, or not at all.
    pub(super) fn is_elsewhere(&self, function: FunctionId) -> bool {
        self.program[function].body.is_none() || self.program.is_main(function)
    }

    /// The name of an object where it is used.
    pub(super) fn object_name(&mut self, object: ObjectId) {
        let program = self.program;
        match self.spellings.and_then(|table| table.objects.get(&object)) {
            Some(name) => self.text(name),
            None => match program[object].name {
                Some(name) => self.symbol(name),
                None => self.text("<unnamed>"),
            },
        }
    }

    /// What stands around a function.
    pub(super) fn head_spelling(&self, function: FunctionId) -> Option<&'a FunctionSpelling> {
        self.spellings?.heads.get(&function)
    }

    /// What stands around the members of a record.
    pub(super) fn record_spelling(&self, record: RecordId) -> Option<&'a RecordSpelling> {
        self.spellings?.records.get(&record)
    }
}
