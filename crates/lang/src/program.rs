//! Whole programs: declarations, definitions and the arenas that hold every node.

use std::ops::{Index, IndexMut};

use crate::arena::{
    Arena, AsmId, EnumConstantId, EnumId, ExprId, FloatId, FunctionId, Id, LabelId, ObjectId,
    RecordId, StmtId, StringId, Symbol, TypedefId,
};
use crate::expr::Expr;
use crate::names::Names;
use crate::source::{Sources, Span};
use crate::stmt::Stmt;
use crate::target::Target;
use crate::types::{IntKind, Type, TypeId, Types};

/// The deepest that text and types may nest: parentheses, blocks, declarators, initialisers.
pub const MAX_NESTING: u32 = 1000;

/// The deepest that the tree of a function may be. Chains such as `a + b + c`, `else if` and
/// labels in a row nest no deeper as text, but each link is a level of the tree. The front end
/// refuses deeper programs, so that all later code may recurse over a program.
/// [`STACK_BYTES`] is enough stack for that.
pub const MAX_DEPTH: u32 = 120_000;

/// The stack that a thread needs to work on any program, in any build.
pub const STACK_BYTES: usize = 1 << 30;

/// The version of the language, always with the GNU extensions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Dialect {
    C99,
    C11,
    #[default]
    C17,
    C23,
}

impl Dialect {
    /// Every dialect, oldest first.
    pub const ALL: [Self; 4] = [Self::C99, Self::C11, Self::C17, Self::C23];

    /// The name used in options: `c17`.
    pub fn name(self) -> &'static str {
        match self {
            Self::C99 => "c99",
            Self::C11 => "c11",
            Self::C17 => "c17",
            Self::C23 => "c23",
        }
    }
}

/// A whole program, possibly made of several translation units.
///
/// A program is a value: it can be cloned, compared and changed by edits, and
/// printing it is a pure function. Equality and order look at what the program
/// is, never at ids, spans or unreachable nodes (see `shape`).
#[derive(Clone, Debug)]
pub struct Program {
    /// The machine it is for.
    pub target: &'static Target,
    /// The language it is written in.
    pub dialect: Dialect,
    /// The declarations and definitions at file scope, in the order in which they are printed.
    pub items: Vec<Item>,
    /// All names.
    pub names: Names,
    /// All types.
    pub types: Types,
    /// All expressions.
    pub exprs: Arena<ExprId, Expr>,
    /// All statements.
    pub stmts: Arena<StmtId, Stmt>,
    /// All objects, of file and of block scope.
    pub objects: Arena<ObjectId, Object>,
    /// All functions.
    pub functions: Arena<FunctionId, Function>,
    /// All structs and unions.
    pub records: Arena<RecordId, Record>,
    /// All enumerations.
    pub enums: Arena<EnumId, Enum>,
    /// All enumeration constants.
    pub enum_constants: Arena<EnumConstantId, EnumConstant>,
    /// The typedefs that carry attributes.
    pub typedefs: Arena<TypedefId, Typedef>,
    /// All labels.
    pub labels: Arena<LabelId, Label>,
    /// All string literals.
    pub strings: Arena<StringId, StringLiteral>,
    /// The bits of all floating constants, in the format of their type.
    pub floats: Arena<FloatId, u128>,
    /// All inline assembly.
    pub asms: Arena<AsmId, Asm>,
    /// Where the nodes came from; empty for programs that were never text.
    pub sources: Sources,
    /// The source text of each expression, by id; ids beyond the end have none.
    pub expr_spans: Vec<Span>,
    /// The source text of each statement, by id; ids beyond the end have none.
    pub stmt_spans: Vec<Span>,
}

/// One declaration or definition at file scope.
///
/// Everything is declared or defined before it is used. An entity has at most one
/// `Define`; a `Declare` comes before it, or after it if it completes the type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Item {
    /// `struct s;`, `extern int x;`, `int f(void);`
    Declare(Entity),
    /// `struct s { ... };`, `int x = 1;`, `int f(void) { ... }`
    Define(Entity),
    /// Declares an object or a function with a type that is not yet its final one:
    /// `int f();` before `int f(int x)`. Expressions up to the next declaration have
    /// this type.
    DeclareAs(Entity, TypeId),
    /// `asm ("...");`
    Asm(AsmId),
}

impl Item {
    /// What it declares or defines.
    pub fn entity(self) -> Option<Entity> {
        match self {
            Self::Declare(entity) | Self::Define(entity) | Self::DeclareAs(entity, _) => {
                Some(entity)
            }
            Self::Asm(_) => None,
        }
    }
}

/// What can be declared at file scope.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Entity {
    Record(RecordId),
    Enum(EnumId),
    Typedef(TypedefId),
    Object(ObjectId),
    Function(FunctionId),
}

/// Whether a name means the same thing elsewhere, C11 6.2.2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Linkage {
    /// The name is known to the whole program.
    External,
    /// The name is known to one translation unit.
    Internal,
    /// The name is known to its scope only.
    None,
}

/// How long an object lives, C11 6.2.4.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Storage {
    /// As long as the program runs.
    Static,
    /// As long as its thread runs.
    Thread,
    /// As long as its block runs.
    Automatic,
    /// Automatic, and declared `register`.
    Register,
}

/// A GNU attribute that is kept and printed, but not understood.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Attribute {
    /// The name without underscores around it.
    pub name: Symbol,
    /// The text between its parentheses, tokens separated by single spaces.
    pub arguments: Option<Box<str>>,
}

/// A variable, a parameter, or any other named object.
///
/// No object has the name of another thing that is visible where it is declared:
/// the front end renames what would shadow, so moving code never captures a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// The name; `None` only for a parameter that has none.
    pub name: Option<Symbol>,
    /// The type, qualifiers included.
    pub ty: TypeId,
    /// External and internal objects are at file scope.
    pub linkage: Linkage,
    /// How long it lives.
    pub storage: Storage,
    /// The initialiser: a value, a string literal or an initialiser list.
    pub init: Option<ExprId>,
    /// Alignment in bytes asked for by `_Alignas` or an attribute.
    pub align: Option<u32>,
    /// The assembler name, from `asm("name")`.
    pub asm_name: Option<StringId>,
    /// Other attributes.
    pub attributes: Box<[Attribute]>,
}

impl Object {
    /// An automatic object without an initialiser.
    pub fn local(name: Symbol, ty: TypeId) -> Self {
        Self {
            name: Some(name),
            ty,
            linkage: Linkage::None,
            storage: Storage::Automatic,
            init: None,
            align: None,
            asm_name: None,
            attributes: [].into(),
        }
    }
}

/// How a function is marked `inline`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FunctionSpecifiers {
    /// `inline`
    pub inline: bool,
    /// `_Noreturn`, or the attribute.
    pub noreturn: bool,
    /// Whether a file-scope declaration says `extern`, which gives an inline
    /// definition external linkage (C11 6.7.4p7).
    pub extern_inline: bool,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// The name.
    pub name: Symbol,
    /// The type, always a [`Type::Function`].
    pub ty: TypeId,
    /// External or internal; none for a function inside another, which a statement defines.
    pub linkage: Linkage,
    /// `inline` and the like.
    pub specifiers: FunctionSpecifiers,
    /// The parameters of a definition, or the named ones of a declaration.
    pub parameters: Box<[ObjectId]>,
    /// The body, a block; `None` if it is only declared.
    pub body: Option<StmtId>,
    /// Defined in the old style: arguments are not converted to the parameter types.
    pub old_style: bool,
    /// The assembler name, from `asm("name")`.
    pub asm_name: Option<StringId>,
    /// Other attributes.
    pub attributes: Box<[Attribute]>,
}

impl Function {
    /// A function with external linkage that is only declared.
    pub fn declared(name: Symbol, ty: TypeId) -> Self {
        Self {
            name,
            ty,
            linkage: Linkage::External,
            specifiers: FunctionSpecifiers::default(),
            parameters: [].into(),
            body: None,
            old_style: false,
            asm_name: None,
            attributes: [].into(),
        }
    }
}

/// Struct or union.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum RecordKind {
    Struct,
    Union,
}

/// A struct or union type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Struct or union.
    pub kind: RecordKind,
    /// The tag, unique in the program; `None` exactly for the type of an anonymous member.
    pub tag: Option<Symbol>,
    /// The members; `None` while the type is incomplete.
    pub fields: Option<Box<[Field]>>,
    /// `packed`: members have no alignment of their own.
    pub packed: bool,
    /// The largest alignment a member may have, from `#pragma pack`.
    pub pack: Option<u32>,
    /// Alignment in bytes asked for by an attribute.
    pub align: Option<u32>,
    /// `may_alias`: accesses through it are exempt from the rules on effective types.
    pub may_alias: bool,
    /// Other attributes.
    pub attributes: Box<[Attribute]>,
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name; `None` for an anonymous struct or union and for an unnamed bit-field.
    pub name: Option<Symbol>,
    /// The declared type.
    pub ty: TypeId,
    /// The width of a bit-field; zero closes its unit.
    pub bits: Option<u32>,
    /// Whether this member alone is packed.
    pub packed: bool,
    /// Alignment in bytes asked for by `_Alignas` or an attribute.
    pub align: Option<u32>,
    /// Other attributes.
    pub attributes: Box<[Attribute]>,
}

/// An enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    /// The tag, unique in the program.
    pub tag: Symbol,
    /// The constants; `None` while the type is incomplete.
    pub constants: Option<Box<[EnumConstantId]>>,
    /// The integer type it is compatible with.
    pub underlying: IntKind,
    /// Whether the program names the underlying type, as C23 allows.
    pub fixed: bool,
    /// `packed`: as small as its values allow.
    pub packed: bool,
}

/// One constant of an enumeration. Its value is known, however it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnumConstant {
    /// The name, unique in the program.
    pub name: Symbol,
    /// The enumeration it belongs to.
    pub parent: EnumId,
    /// Its value.
    pub value: i128,
    /// The type of the constant in expressions.
    pub ty: TypeId,
}

/// A typedef with attributes that a type cannot have without a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Typedef {
    /// The name, unique in the program.
    pub name: Symbol,
    /// What it stands for.
    pub base: TypeId,
    /// Its alignment in bytes, which may be smaller than that of `base`.
    pub align: Option<u32>,
    /// `may_alias`: accesses through it are exempt from the rules on effective types.
    pub may_alias: bool,
    /// `ext_vector_type`: `base` is a vector, and clang's rules hold for it.
    pub extended: bool,
    /// Other attributes.
    pub attributes: Box<[Attribute]>,
}

/// A label; unique by name within its function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The name.
    pub name: Symbol,
    /// Declared by `__label__` in a block, so that other functions or expansions may have the same.
    pub local: bool,
}

/// The encoding of a string or character constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Encoding {
    /// No prefix.
    Plain,
    /// `u8`
    Utf8,
    /// `u`
    Utf16,
    /// `U`
    Utf32,
    /// `L`
    Wide,
}

/// A string literal: the code units without the terminating zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StringLiteral {
    /// Its prefix.
    pub encoding: Encoding,
    /// The code units; of a plain string, bytes.
    pub units: Box<[u32]>,
}

/// Inline assembly, kept but not understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asm {
    /// `volatile`
    pub volatile: bool,
    /// `inline`
    pub inline: bool,
    /// Whether it has operands, even empty ones: `asm("" : )` is not `asm("")`.
    pub extended: bool,
    /// The template.
    pub template: StringId,
    /// The outputs; values are lvalues.
    pub outputs: Box<[AsmOperand]>,
    /// The inputs.
    pub inputs: Box<[AsmOperand]>,
    /// The clobbered registers.
    pub clobbers: Box<[StringId]>,
    /// The labels of an `asm goto`.
    pub labels: Box<[LabelId]>,
}

/// One operand of inline assembly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AsmOperand {
    /// `[name]`
    pub name: Option<Symbol>,
    /// The constraint.
    pub constraint: StringId,
    /// The expression.
    pub value: ExprId,
}

impl Program {
    /// An empty program.
    pub fn new(target: &'static Target, dialect: Dialect) -> Self {
        Self {
            target,
            dialect,
            items: Vec::new(),
            names: Names::default(),
            types: Types::default(),
            exprs: Arena::default(),
            stmts: Arena::default(),
            objects: Arena::default(),
            functions: Arena::default(),
            records: Arena::default(),
            enums: Arena::default(),
            enum_constants: Arena::default(),
            typedefs: Arena::default(),
            labels: Arena::default(),
            strings: Arena::default(),
            floats: Arena::default(),
            asms: Arena::default(),
            sources: Sources::default(),
            expr_spans: Vec::new(),
            stmt_spans: Vec::new(),
        }
    }

    /// What `ty` is, looking through typedefs.
    #[inline]
    pub fn resolve(&self, ty: TypeId) -> &Type {
        let mut found = self.types.get(ty);
        while let Type::Typedef(id) = found {
            found = self.types.get(self.typedefs[*id].base);
        }
        found
    }

    /// The function that a program starts with, if it is defined.
    pub fn main(&self) -> Option<FunctionId> {
        let name = self.names.find("main")?;
        self.items.iter().find_map(|item| match *item {
            Item::Define(Entity::Function(id)) if self[id].name == name => Some(id),
            _ => None,
        })
    }

    /// Whether a program starts with this function.
    pub fn is_main(&self, function: FunctionId) -> bool {
        self.text(self[function].name) == "main"
    }

    /// The text of a name.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }

    /// The type of an expression.
    #[inline]
    pub fn type_of(&self, expr: ExprId) -> TypeId {
        self.exprs[expr].ty
    }

    /// The source text of an expression, if it came from text.
    pub fn expr_span(&self, expr: ExprId) -> Option<Span> {
        self.expr_spans.get(expr.index()).copied().filter(|span| !span.is_empty())
    }

    /// The source text of a statement, if it came from text.
    pub fn stmt_span(&self, stmt: StmtId) -> Option<Span> {
        self.stmt_spans.get(stmt.index()).copied().filter(|span| !span.is_empty())
    }
}

/// `program[id]` for every kind of node.
macro_rules! index {
    ($($id:ty => $arena:ident: $value:ty;)*) => {$(
        impl Index<$id> for Program {
            type Output = $value;
            #[inline]
            fn index(&self, id: $id) -> &$value {
                &self.$arena[id]
            }
        }
        impl IndexMut<$id> for Program {
            #[inline]
            fn index_mut(&mut self, id: $id) -> &mut $value {
                &mut self.$arena[id]
            }
        }
    )*};
}

index! {
    ExprId => exprs: Expr;
    StmtId => stmts: Stmt;
    ObjectId => objects: Object;
    FunctionId => functions: Function;
    RecordId => records: Record;
    EnumId => enums: Enum;
    EnumConstantId => enum_constants: EnumConstant;
    TypedefId => typedefs: Typedef;
    LabelId => labels: Label;
    StringId => strings: StringLiteral;
    FloatId => floats: u128;
    AsmId => asms: Asm;
}
