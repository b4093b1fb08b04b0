//! Every id that a node holds, in one place.
//!
//! Moving nodes between programs and checking that ids are in range both need to
//! see every id of a node and must not forget one; both are a [`MapIds`].

use thin_vec::ThinVec;

use crate::arena::{
    AsmId, EnumConstantId, EnumId, ExprId, FloatId, FunctionId, LabelId, ObjectId, RecordId,
    StmtId, StringId, Symbol, TypedefId,
};
use crate::expr::{Expr, ExprKind, Fallback, InitItem, OffsetStep};
use crate::hint::Hint;
use crate::program::{
    Asm, AsmOperand, Attribute, Entity, Enum, EnumConstant, Field, Function, Item, Label, Object,
    Record, Typedef,
};
use crate::stmt::Stmt;
use crate::types::{ArrayLength, FunctionType, Type, TypeId};

/// What becomes of the ids of a node. A type id stands for its qualifiers too.
#[expect(missing_docs, reason = "one method for each kind of id")]
pub trait MapIds {
    fn expr(&mut self, id: ExprId) -> ExprId {
        id
    }
    fn stmt(&mut self, id: StmtId) -> StmtId {
        id
    }
    fn object(&mut self, id: ObjectId) -> ObjectId {
        id
    }
    fn function(&mut self, id: FunctionId) -> FunctionId {
        id
    }
    fn record(&mut self, id: RecordId) -> RecordId {
        id
    }
    fn enumeration(&mut self, id: EnumId) -> EnumId {
        id
    }
    fn enum_constant(&mut self, id: EnumConstantId) -> EnumConstantId {
        id
    }
    fn typedef(&mut self, id: TypedefId) -> TypedefId {
        id
    }
    fn label(&mut self, id: LabelId) -> LabelId {
        id
    }
    fn string(&mut self, id: StringId) -> StringId {
        id
    }
    fn float(&mut self, id: FloatId) -> FloatId {
        id
    }
    fn asm(&mut self, id: AsmId) -> AsmId {
        id
    }
    fn name(&mut self, id: Symbol) -> Symbol {
        id
    }
    fn ty(&mut self, id: TypeId) -> TypeId {
        id
    }
}

/// A node that holds ids.
pub trait HasIds: Sized {
    /// The same node with each id replaced by what `map` makes of it.
    fn map_ids(&self, map: &mut impl MapIds) -> Self;
}

impl<T: HasIds> HasIds for Box<T> {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self::new(T::map_ids(self, map))
    }
}

/// Replaces the ids in a list.
fn list<T: HasIds>(nodes: &[T], map: &mut impl MapIds) -> Box<[T]> {
    nodes.iter().map(|node| node.map_ids(map)).collect()
}

impl HasIds for Expr {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self { kind: self.kind.map_ids(map), ty: map.ty(self.ty) }
    }
}

impl HasIds for ExprKind {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        match self {
            Self::Int(value) => Self::Int(*value),
            Self::Float(id) => Self::Float(map.float(*id)),
            Self::Imaginary(operand) => Self::Imaginary(map.expr(*operand)),
            Self::String(id) => Self::String(map.string(*id)),
            Self::Object(id) => Self::Object(map.object(*id)),
            Self::Function(id) => Self::Function(map.function(*id)),
            Self::EnumConstant(id) => Self::EnumConstant(map.enum_constant(*id)),
            Self::LabelAddress(id) => Self::LabelAddress(map.label(*id)),
            Self::CompoundLiteral(init) => Self::CompoundLiteral(map.expr(*init)),
            Self::InitList(items) => Self::InitList(
                items
                    .iter()
                    .map(|item| InitItem { place: item.place, value: map.expr(item.value) })
                    .collect(),
            ),
            Self::Unary(op, operand) => Self::Unary(*op, map.expr(*operand)),
            Self::AddressOf(operand) => Self::AddressOf(map.expr(*operand)),
            Self::Deref(operand) => Self::Deref(map.expr(*operand)),
            Self::Step(op, operand) => Self::Step(*op, map.expr(*operand)),
            Self::Binary(op, left, right) => Self::Binary(*op, map.expr(*left), map.expr(*right)),
            Self::Logical(op, left, right) => Self::Logical(*op, map.expr(*left), map.expr(*right)),
            Self::Comma(left, right) => Self::Comma(map.expr(*left), map.expr(*right)),
            Self::Assign(target, value) => Self::Assign(map.expr(*target), map.expr(*value)),
            Self::CompoundAssign { op, target, value, computation } => Self::CompoundAssign {
                op: *op,
                target: map.expr(*target),
                value: map.expr(*value),
                computation: map.ty(*computation),
            },
            Self::Conditional { condition, then, otherwise } => Self::Conditional {
                condition: map.expr(*condition),
                then: then.map(|then| map.expr(then)),
                otherwise: map.expr(*otherwise),
            },
            Self::Load(operand) => Self::Load(map.expr(*operand)),
            Self::Decay(operand) => Self::Decay(map.expr(*operand)),
            Self::Convert(operand) => Self::Convert(map.expr(*operand)),
            Self::Cast(operand) => Self::Cast(map.expr(*operand)),
            Self::Call(callee, arguments) => Self::Call(map.expr(*callee), exprs(arguments, map)),
            Self::Builtin(builtin, arguments) => Self::Builtin(*builtin, exprs(arguments, map)),
            Self::Member(record, field) => Self::Member(map.expr(*record), *field),
            Self::Swizzle(vector, lanes) => Self::Swizzle(map.expr(*vector), *lanes),
            Self::Index(base, index) => Self::Index(map.expr(*base), map.expr(*index)),
            Self::SizeofType(ty) => Self::SizeofType(map.ty(*ty)),
            Self::SizeofExpr(operand) => Self::SizeofExpr(map.expr(*operand)),
            Self::AlignofType(form, ty) => Self::AlignofType(*form, map.ty(*ty)),
            Self::AlignofExpr(form, operand) => Self::AlignofExpr(*form, map.expr(*operand)),
            Self::Offsetof(ty, path) => Self::Offsetof(
                map.ty(*ty),
                path.iter()
                    .map(|step| match step {
                        OffsetStep::Field(field) => OffsetStep::Field(*field),
                        OffsetStep::Index(index) => OffsetStep::Index(map.expr(*index)),
                    })
                    .collect(),
            ),
            Self::VaArg(list) => Self::VaArg(map.expr(*list)),
            Self::StatementExpr(block) => Self::StatementExpr(map.stmt(*block)),
            Self::Guard { check, operand, fallback } => Self::Guard {
                check: *check,
                operand: map.expr(*operand),
                fallback: match fallback {
                    Fallback::FirstOperand => Fallback::FirstOperand,
                    Fallback::Value(value) => Fallback::Value(map.expr(*value)),
                },
            },
        }
    }
}

fn exprs(exprs: &[ExprId], map: &mut impl MapIds) -> ThinVec<ExprId> {
    exprs.iter().map(|&expr| map.expr(expr)).collect()
}

impl HasIds for Stmt {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        match self {
            Self::Empty => Self::Empty,
            Self::Expr(expr) => Self::Expr(map.expr(*expr)),
            Self::Block(statements) => {
                Self::Block(statements.iter().map(|&stmt| map.stmt(stmt)).collect())
            }
            Self::Declare(object) => Self::Declare(map.object(*object)),
            Self::DefineRecord(record) => Self::DefineRecord(map.record(*record)),
            Self::DefineFunction(function) => Self::DefineFunction(map.function(*function)),
            Self::If { condition, then, otherwise } => Self::If {
                condition: map.expr(*condition),
                then: map.stmt(*then),
                otherwise: otherwise.map(|otherwise| map.stmt(otherwise)),
            },
            Self::While { condition, body } => {
                Self::While { condition: map.expr(*condition), body: map.stmt(*body) }
            }
            Self::DoWhile { body, condition } => {
                Self::DoWhile { body: map.stmt(*body), condition: map.expr(*condition) }
            }
            Self::For { init, condition, step, body } => Self::For {
                init: init.iter().map(|&stmt| map.stmt(stmt)).collect(),
                condition: condition.map(|condition| map.expr(condition)),
                step: step.map(|step| map.expr(step)),
                body: map.stmt(*body),
            },
            Self::Switch { value, body } => {
                Self::Switch { value: map.expr(*value), body: map.stmt(*body) }
            }
            Self::Case { first, last, body } => Self::Case {
                first: map.expr(*first),
                last: last.map(|last| map.expr(last)),
                body: map.stmt(*body),
            },
            Self::Default(body) => Self::Default(map.stmt(*body)),
            Self::Label(label, body) => Self::Label(map.label(*label), map.stmt(*body)),
            Self::Goto(label) => Self::Goto(map.label(*label)),
            Self::GotoComputed(target) => Self::GotoComputed(map.expr(*target)),
            Self::Break => Self::Break,
            Self::Continue => Self::Continue,
            Self::Return(value) => Self::Return(value.map(|value| map.expr(value))),
            Self::Asm(asm) => Self::Asm(map.asm(*asm)),
            Self::Fallthrough => Self::Fallthrough,
            Self::Hinted { hints, body } => Self::Hinted {
                hints: hints
                    .iter()
                    .map(|hint| Hint {
                        object: hint.object.map(|object| map.expr(object)),
                        ..*hint
                    })
                    .collect(),
                body: map.stmt(*body),
            },
        }
    }
}

impl HasIds for Type {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        match self {
            Self::Void
            | Self::Int(_)
            | Self::BitInt { .. }
            | Self::Float(_)
            | Self::VaList
            | Self::NullPointer => self.clone(),
            Self::Complex(element) => Self::Complex(map.ty(*element)),
            Self::Enum(id) => Self::Enum(map.enumeration(*id)),
            Self::Pointer(pointee) => Self::Pointer(map.ty(*pointee)),
            Self::Array { element, length } => Self::Array {
                element: map.ty(*element),
                length: match length {
                    ArrayLength::Variable(length) => ArrayLength::Variable(map.expr(*length)),
                    ArrayLength::Fixed(_) | ArrayLength::Unknown | ArrayLength::Star => *length,
                },
            },
            Self::Vector { element, lanes } => {
                Self::Vector { element: map.ty(*element), lanes: *lanes }
            }
            Self::Function(function) => Self::Function(Box::new(FunctionType {
                result: map.ty(function.result),
                parameters: function.parameters.iter().map(|&ty| map.ty(ty)).collect(),
                variadic: function.variadic,
                prototyped: function.prototyped,
            })),
            Self::Record(id) => Self::Record(map.record(*id)),
            Self::Typedef(id) => Self::Typedef(map.typedef(*id)),
        }
    }
}

impl HasIds for Entity {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        match *self {
            Self::Record(id) => Self::Record(map.record(id)),
            Self::Enum(id) => Self::Enum(map.enumeration(id)),
            Self::Typedef(id) => Self::Typedef(map.typedef(id)),
            Self::Object(id) => Self::Object(map.object(id)),
            Self::Function(id) => Self::Function(map.function(id)),
        }
    }
}

impl HasIds for Item {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        match self {
            Self::Declare(entity) => Self::Declare(entity.map_ids(map)),
            Self::Define(entity) => Self::Define(entity.map_ids(map)),
            Self::DeclareAs(entity, ty) => Self::DeclareAs(entity.map_ids(map), map.ty(*ty)),
            Self::Asm(asm) => Self::Asm(map.asm(*asm)),
        }
    }
}

impl HasIds for Attribute {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self { name: map.name(self.name), arguments: self.arguments.clone() }
    }
}

impl HasIds for Object {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self {
            name: self.name.map(|name| map.name(name)),
            ty: map.ty(self.ty),
            linkage: self.linkage,
            storage: self.storage,
            init: self.init.map(|init| map.expr(init)),
            align: self.align,
            asm_name: self.asm_name.map(|name| map.string(name)),
            attributes: list(&self.attributes, map),
        }
    }
}

impl HasIds for Function {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self {
            name: map.name(self.name),
            ty: map.ty(self.ty),
            linkage: self.linkage,
            specifiers: self.specifiers,
            parameters: self.parameters.iter().map(|&object| map.object(object)).collect(),
            body: self.body.map(|body| map.stmt(body)),
            old_style: self.old_style,
            asm_name: self.asm_name.map(|name| map.string(name)),
            attributes: list(&self.attributes, map),
        }
    }
}

impl HasIds for Field {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self {
            name: self.name.map(|name| map.name(name)),
            ty: map.ty(self.ty),
            bits: self.bits,
            packed: self.packed,
            align: self.align,
            attributes: list(&self.attributes, map),
        }
    }
}

impl HasIds for Record {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self {
            kind: self.kind,
            tag: self.tag.map(|tag| map.name(tag)),
            fields: self.fields.as_ref().map(|fields| list(fields, map)),
            packed: self.packed,
            pack: self.pack,
            align: self.align,
            may_alias: self.may_alias,
            attributes: list(&self.attributes, map),
        }
    }
}

impl HasIds for Enum {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self {
            tag: map.name(self.tag),
            constants: self
                .constants
                .as_ref()
                .map(|constants| constants.iter().map(|&id| map.enum_constant(id)).collect()),
            underlying: self.underlying,
            fixed: self.fixed,
            packed: self.packed,
        }
    }
}

impl HasIds for EnumConstant {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self {
            name: map.name(self.name),
            parent: map.enumeration(self.parent),
            value: self.value,
            ty: map.ty(self.ty),
        }
    }
}

impl HasIds for Typedef {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self {
            name: map.name(self.name),
            base: map.ty(self.base),
            align: self.align,
            may_alias: self.may_alias,
            extended: self.extended,
            attributes: list(&self.attributes, map),
        }
    }
}

impl HasIds for Label {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self { name: map.name(self.name), local: self.local }
    }
}

impl HasIds for AsmOperand {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self {
            name: self.name.map(|name| map.name(name)),
            constraint: map.string(self.constraint),
            value: map.expr(self.value),
        }
    }
}

impl HasIds for Asm {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        Self {
            volatile: self.volatile,
            inline: self.inline,
            extended: self.extended,
            template: map.string(self.template),
            outputs: list(&self.outputs, map),
            inputs: list(&self.inputs, map),
            clobbers: self.clobbers.iter().map(|&clobber| map.string(clobber)).collect(),
            labels: self.labels.iter().map(|&label| map.label(label)).collect(),
        }
    }
}
