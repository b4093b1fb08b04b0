//! Copies of trees: inside one program, and (for [`import`](crate::import)) from one program
//! into another.
//!
//! Nothing that a tree declares can be declared twice. So the copy has objects, labels and
//! records of its own, with names that occur nowhere else; no name can be captured where
//! the copy is put. A variable array whose type is written down in the tree gets a type of
//! its own, because each has the expression for its length.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::arena::{
    AsmId, EnumConstantId, EnumId, ExprId, FloatId, FunctionId, LabelId, ObjectId, RecordId,
    StmtId, StringId, Symbol, TypedefId,
};
use crate::expr::ExprKind;
use crate::import::{Brought, ImportError};
use crate::program::{Entity, Function, Object, Program, Record};
use crate::scope::all_labels;
use crate::stmt::Stmt;
use crate::types::{ArrayLength, Type, TypeId};
use crate::visit::{HasIds, MapIds};

/// What stands for what: for the entities of the original, those of the copy.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "one map for each kind of entity")]
pub struct EntityMap {
    pub objects: FxHashMap<ObjectId, ObjectId>,
    pub functions: FxHashMap<FunctionId, FunctionId>,
    pub records: FxHashMap<RecordId, RecordId>,
    pub enums: FxHashMap<EnumId, EnumId>,
    pub enum_constants: FxHashMap<EnumConstantId, EnumConstantId>,
    pub typedefs: FxHashMap<TypedefId, TypedefId>,
    pub labels: FxHashMap<LabelId, LabelId>,
    /// Types without their qualifiers.
    pub types: FxHashMap<TypeId, TypeId>,
}

/// A copy of an expression, to stand in a second place of the program.
pub fn expr(program: &mut Program, id: ExprId) -> ExprId {
    let mut map = EntityMap::default();
    Copier::new(None, program, &mut map).expr(id)
}

/// A copy of a statement, to stand in a second place of the function that it is in.
pub fn stmt(program: &mut Program, id: StmtId) -> StmtId {
    let mut map = EntityMap::default();
    let mut copier = Copier::new(None, program, &mut map);
    copier.rename_labels(id);
    copier.stmt(id)
}

/// Makes the copies.
pub(crate) struct Copier<'a> {
    /// The program that the original is in; `None` if it is the one that grows.
    pub(crate) from: Option<&'a Program>,
    /// The program that grows.
    pub(crate) to: &'a mut Program,
    pub(crate) map: &'a mut EntityMap,
    /// What came along from the other program.
    pub(crate) brought: Brought,
    /// Why there can be no copy; what was made so far is of no use then.
    pub(crate) error: Option<ImportError>,
    /// Lengths of variable arrays in types that the tree writes down.
    lengths: FxHashSet<ExprId>,
    /// Whether the tree has declared something that types may mention.
    declares: bool,
    /// Whether the labels of the statements that are copied are known.
    pub(crate) knows_labels: bool,
}

impl<'a> Copier<'a> {
    pub(crate) fn new(
        from: Option<&'a Program>,
        to: &'a mut Program,
        map: &'a mut EntityMap,
    ) -> Self {
        let brought = Brought::default();
        Self {
            from,
            to,
            map,
            brought,
            error: None,
            lengths: FxHashSet::default(),
            declares: false,
            knows_labels: false,
        }
    }

    /// The program that the original is in.
    pub(crate) fn source(&self) -> &Program {
        self.from.unwrap_or(self.to)
    }

    /// A name that no other thing of the program has, like `name` of the original.
    pub(crate) fn fresh(&mut self, name: Symbol) -> Symbol {
        match self.from {
            Some(from) => self.to.names.fresh(from.text(name)),
            None => {
                let text = self.to.text(name).to_owned();
                self.to.names.fresh(&text)
            }
        }
    }

    /// Gives the labels that are defined below `root` other names.
    pub(crate) fn rename_labels(&mut self, root: StmtId) {
        self.knows_labels = true;
        for label in all_labels(self.source(), root) {
            let mut copy = self.source()[label].clone();
            copy.name = self.fresh(copy.name);
            let copy = self.to.labels.push(copy);
            self.map.labels.insert(label, copy);
        }
    }

    /// A new object for one that the tree declares.
    pub(crate) fn declare(&mut self, id: ObjectId) -> ObjectId {
        self.declares = true;
        let original = self.source()[id].clone();
        self.own_lengths(original.ty);
        let name = original.name.map(|name| self.fresh(name));
        // The object is visible in its own initialiser.
        let original = Object { name: None, ..original };
        let copy = self.to.objects.push(Object { init: None, ..original.clone() });
        self.map.objects.insert(id, copy);
        let content = original.map_ids(self);
        self.to[copy] = Object { name, ..content };
        copy
    }

    /// A new record for one that the tree, or an item, defines.
    pub(crate) fn define(&mut self, id: RecordId) -> RecordId {
        self.declares = true;
        let original = self.source()[id].clone();
        let tag = original.tag.map(|tag| self.fresh(tag));
        // A member may point to the record itself.
        let original = Record { tag: None, ..original };
        let copy = self.to.records.push(Record { fields: None, ..original.clone() });
        self.map.records.insert(id, copy);
        let content = original.map_ids(self);
        self.to[copy] = Record { tag, ..content };
        copy
    }

    /// A new function for one that the tree defines inside another.
    fn define_function(&mut self, id: FunctionId) {
        self.declares = true;
        let mut original = self.source()[id].clone();
        let (body, parameters) = (original.body.take(), std::mem::take(&mut original.parameters));
        let name = self.fresh(original.name);
        // The function is visible in its own body.
        let copy = self.to.functions.push(original.clone());
        self.map.functions.insert(id, copy);
        self.own_lengths(original.ty);
        // The type may mention the parameters.
        let parameters = parameters.iter().map(|parameter| self.declare(*parameter)).collect();
        let content = original.map_ids(self);
        self.to[copy] = Function { name, parameters, ..content };
        let knows_labels = self.knows_labels;
        body.iter().for_each(|body| self.rename_labels(*body));
        let body = body.map(|body| self.stmt(body));
        self.knows_labels = knows_labels;
        self.to[copy].body = body;
    }

    /// The tree writes this type down, so that it evaluates the lengths in it.
    fn own_lengths(&mut self, ty: TypeId) {
        match self.source().types.get(ty).clone() {
            Type::Pointer(inner) => self.own_lengths(inner),
            Type::Array { element, length } => {
                if let ArrayLength::Variable(length) = length {
                    self.lengths.insert(length);
                    self.declares = true;
                }
                self.own_lengths(element);
            }
            Type::Function(function) => {
                self.own_lengths(function.result);
                function.parameters.iter().for_each(|parameter| self.own_lengths(*parameter));
            }
            _ => {}
        }
    }

    fn refuse(&mut self, error: ImportError) {
        self.error.get_or_insert(error);
    }
}

/// What becomes of an entity: what is known, itself in one program, what is brought along
/// from another.
macro_rules! entities {
    ($($method:ident: $id:ty, $map:ident, $entity:ident;)*) => {$(
        fn $method(&mut self, id: $id) -> $id {
            match self.map.$map.get(&id) {
                Some(known) => *known,
                None if self.from.is_none() => id,
                None => {
                    self.bring(Entity::$entity(id));
                    self.map.$map.get(&id).copied().unwrap_or(id)
                }
            }
        }
    )*};
}

impl MapIds for Copier<'_> {
    entities! {
        object: ObjectId, objects, Object;
        function: FunctionId, functions, Function;
        record: RecordId, records, Record;
        enumeration: EnumId, enums, Enum;
        typedef: TypedefId, typedefs, Typedef;
    }

    fn expr(&mut self, id: ExprId) -> ExprId {
        let original = self.source()[id].clone();
        let knows_labels = self.knows_labels;
        match original.kind {
            ExprKind::StatementExpr(block) if !knows_labels => self.rename_labels(block),
            ExprKind::SizeofType(ty) | ExprKind::AlignofType(_, ty) => self.own_lengths(ty),
            ExprKind::Cast(_) | ExprKind::CompoundLiteral(_) | ExprKind::VaArg(_) => {
                self.own_lengths(original.ty);
            }
            _ => {}
        }
        let copy = original.map_ids(self);
        self.knows_labels = knows_labels;
        self.to.exprs.push(copy)
    }

    fn stmt(&mut self, id: StmtId) -> StmtId {
        let original = self.source()[id].clone();
        match original {
            Stmt::Declare(object) => _ = self.declare(object),
            Stmt::DefineRecord(record) => _ = self.define(record),
            Stmt::DefineFunction(function) => self.define_function(function),
            _ => {}
        }
        let copy = original.map_ids(self);
        self.to.stmts.push(copy)
    }

    fn enum_constant(&mut self, id: EnumConstantId) -> EnumConstantId {
        if self.from.is_some() {
            let parent = self.source()[id].parent;
            self.enumeration(parent);
        }
        self.map.enum_constants.get(&id).copied().unwrap_or(id)
    }

    fn label(&mut self, id: LabelId) -> LabelId {
        match self.map.labels.get(&id) {
            Some(known) => *known,
            None => {
                if self.from.is_some() {
                    self.refuse(ImportError::Label(id));
                }
                id
            }
        }
    }

    fn string(&mut self, id: StringId) -> StringId {
        match self.from {
            Some(from) => self.to.strings.push(from[id].clone()),
            None => id,
        }
    }

    fn float(&mut self, id: FloatId) -> FloatId {
        match self.from {
            Some(from) => self.to.floats.push(from[id]),
            None => id,
        }
    }

    fn asm(&mut self, id: AsmId) -> AsmId {
        let copy = self.source()[id].clone().map_ids(self);
        self.to.asms.push(copy)
    }

    fn name(&mut self, id: Symbol) -> Symbol {
        match self.from {
            Some(from) => self.to.names.intern(from.text(id)),
            None => id,
        }
    }

    fn ty(&mut self, id: TypeId) -> TypeId {
        if self.from.is_none() && !self.declares {
            return id;
        }
        let original = id.unqualified();
        let copy = match self.map.types.get(&original) {
            Some(known) => *known,
            None => {
                let ty = self.source().types.get(original).clone();
                // The length of an array that is declared outside is not evaluated again.
                let outer = matches!(ty, Type::Array { length: ArrayLength::Variable(length), .. }
                    if self.from.is_none() && !self.lengths.contains(&length));
                let copy = if outer {
                    original
                } else {
                    let ty = ty.map_ids(self);
                    self.to.types.intern(ty)
                };
                self.map.types.insert(original, copy);
                copy
            }
        };
        copy.with(id.qualifiers())
    }
}
