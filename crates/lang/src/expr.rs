//! Expressions. Every implicit conversion of the standard is a node here.

use thin_vec::ThinVec;

use crate::arena::{
    EnumConstantId, ExprId, FloatId, FunctionId, LabelId, ObjectId, StmtId, StringId,
};
use crate::builtins::Builtin;
use crate::program::Program;
use crate::types::{Type, TypeId};

/// A typed expression.
///
/// An lvalue has the type of the object it designates, qualifiers included; a
/// value has an unqualified type. An lvalue becomes a value only through
/// [`Load`](ExprKind::Load) or [`Decay`](ExprKind::Decay).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: TypeId,
}

/// The forms of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// An integer or character constant. Constants are never negative, and wider
    /// ones than 64 bits do not exist in C.
    Int(u64),
    /// A floating constant.
    Float(FloatId),
    /// A GNU imaginary constant such as `1.0i`: the operand is the constant without the `i`.
    Imaginary(ExprId),
    /// A string literal: an lvalue of array type.
    String(StringId),
    /// An lvalue: a declared object.
    Object(ObjectId),
    /// A function designator.
    Function(FunctionId),
    /// An enumeration constant.
    EnumConstant(EnumConstantId),
    /// `&&label`
    LabelAddress(LabelId),
    /// `(type){...}`: an lvalue; the operand is the initialiser.
    CompoundLiteral(ExprId),
    /// `{...}`, only as an initialiser. Braces are complete, each item names its
    /// place, places ascend, and none occurs twice.
    InitList(ThinVec<InitItem>),
    /// An operator with one operand that is a value.
    Unary(UnaryOp, ExprId),
    /// `&lvalue` or `&function`
    AddressOf(ExprId),
    /// `*pointer`: an lvalue or a function designator.
    Deref(ExprId),
    /// `++` and `--` on an lvalue.
    Step(StepOp, ExprId),
    /// An operator with two operands that are values, already converted.
    Binary(BinaryOp, ExprId, ExprId),
    /// `&&` and `||`
    Logical(LogicalOp, ExprId, ExprId),
    /// `left, right`
    Comma(ExprId, ExprId),
    /// `lvalue = value`
    Assign(ExprId, ExprId),
    /// `lvalue op= value`
    CompoundAssign {
        /// The operator.
        op: BinaryOp,
        /// The lvalue.
        target: ExprId,
        /// The right operand, converted as for the operator alone.
        value: ExprId,
        /// The type to which the value of `target` is converted, and in which the
        /// operator works; its result is then converted to the type of `target`.
        computation: TypeId,
    },
    /// `condition ? then : otherwise`; without `then`, the GNU form `condition ?: otherwise`,
    /// whose value is that of the condition converted to the type of the whole.
    Conditional {
        /// A scalar.
        condition: ExprId,
        /// The value if the condition is not zero.
        then: Option<ExprId>,
        /// The value if it is zero.
        otherwise: ExprId,
    },
    /// Lvalue conversion, C11 6.3.2.1p2: the object is read.
    Load(ExprId),
    /// An array or a function becomes a pointer, C11 6.3.2.1p3 and p4.
    Decay(ExprId),
    /// An implicit conversion of a value to the type of this node.
    Convert(ExprId),
    /// An explicit cast of a value to the type of this node.
    Cast(ExprId),
    /// `function(arguments)`; the first operand has a pointer to a function as its type.
    Call(ExprId, ThinVec<ExprId>),
    /// A call of a compiler builtin.
    Builtin(Builtin, ThinVec<ExprId>),
    /// `record.field`; an lvalue if the operand is one. Members of an anonymous
    /// member are reached in two steps.
    Member(ExprId, u32),
    /// `pointer[index]`, an lvalue; also `vector[index]` with an lvalue or value of vector type.
    Index(ExprId, ExprId),
    /// `vector.s13`: some lanes of a value whose type is an extended vector, as another vector.
    Swizzle(ExprId, Lanes),
    /// `sizeof(type)`
    SizeofType(TypeId),
    /// `sizeof expression`; the operand is an lvalue where the program has one.
    SizeofExpr(ExprId),
    /// `_Alignof(type)`
    AlignofType(AlignofForm, TypeId),
    /// `__alignof__ expression`
    AlignofExpr(AlignofForm, ExprId),
    /// `offsetof(type, path)`
    Offsetof(TypeId, ThinVec<OffsetStep>),
    /// `va_arg(list, type)`; the type is that of this node, the operand the lvalue of the list.
    VaArg(ExprId),
    /// `({ ... })`; the operand is a block.
    StatementExpr(StmtId),
    /// An operation that may be undefined, with what happens instead when it would be.
    Guard {
        /// What is checked.
        check: GuardCheck,
        /// The guarded operation or value.
        operand: ExprId,
        /// The value when the check fails.
        fallback: Fallback,
    },
}

/// Programs are mostly expressions: every byte of one is a share of all time and memory.
const _: () = assert!(size_of::<Expr>() == 24);

/// The lanes that a [`Swizzle`](ExprKind::Swizzle) takes, at most sixteen of the first sixteen:
/// four bits for each. The type of the expression says how many there are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lanes(pub u64);

impl Lanes {
    /// The most lanes, and the number of those that have names.
    pub const MOST: u32 = 16;

    /// These lanes, if so many and such can be taken.
    pub fn new(lanes: &[u32]) -> Option<Self> {
        let named = lanes.iter().all(|lane| *lane < Self::MOST);
        let few = lanes.len() <= Self::MOST as usize;
        let packed = lanes.iter().rev().fold(0, |all, lane| all << 4 | u64::from(*lane));
        (named && few).then_some(Self(packed))
    }

    /// The first so many of them.
    pub fn take(self, count: u32) -> impl Iterator<Item = u32> {
        (0..count.min(Self::MOST)).map(move |at| (self.0 >> (4 * at) & 15) as u32)
    }
}

/// One place of an initialiser list with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InitItem {
    /// The member or elements.
    pub place: InitPlace,
    /// A value, a string literal for a character array, or another list.
    pub value: ExprId,
}

/// The place that an [`InitItem`] fills, one level deep.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InitPlace {
    /// The member with this index.
    Field(u32),
    /// Elements `first ..= last`; one element unless the program has a GNU range.
    /// The value of a range is evaluated once.
    Elements {
        /// The first element.
        first: u64,
        /// The last element.
        last: u64,
    },
}

/// One step of the path in `offsetof`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OffsetStep {
    /// Into the member with this index.
    Field(u32),
    /// Into an element.
    Index(ExprId),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`; of a complex value, its conjugate.
    BitNot,
    /// `!`
    Not,
    /// `__real__`; an lvalue if the operand is one.
    Real,
    /// `__imag__`; an lvalue if the operand is one.
    Imag,
}

/// Increment and decrement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum StepOp {
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
}

/// Operators with two operands that are both always evaluated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
}

impl BinaryOp {
    /// The operators whose result is a truth value.
    pub const COMPARISONS: [Self; 6] = [
        Self::Less,
        Self::Greater,
        Self::LessEqual,
        Self::GreaterEqual,
        Self::Equal,
        Self::NotEqual,
    ];

    /// Whether the result is a truth value.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Less
                | Self::Greater
                | Self::LessEqual
                | Self::GreaterEqual
                | Self::Equal
                | Self::NotEqual
        )
    }

    /// Whether it is `<<` or `>>`.
    pub fn is_shift(self) -> bool {
        matches!(self, Self::Shl | Self::Shr)
    }

    /// The operator as C writes it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Less => "<",
            Self::Greater => ">",
            Self::LessEqual => "<=",
            Self::GreaterEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::BitAnd => "&",
            Self::BitXor => "^",
            Self::BitOr => "|",
        }
    }
}

/// Operators that evaluate their second operand only if they must.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LogicalOp {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// The two questions about alignment, which differ on i386.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AlignofForm {
    /// `_Alignof`: what a member of this type gets.
    Standard,
    /// `__alignof__`: what a variable of this type prefers.
    Preferred,
}

/// What a guard checks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GuardCheck {
    /// The operand is a `Unary(Minus)`, a `Binary`, or a `Convert` or `Cast` from a
    /// floating to an integer type; the check fails if evaluating it would be
    /// undefined: overflow, zero divisor, bad shift, value out of range.
    Operation,
    /// The operand is a floating operation; the check fails if its result is not exact.
    Exact,
    /// The operand is an integer; the check fails if it is not in `0 .. bound`.
    Index {
        /// The number of elements: generated arrays are small.
        bound: u16,
    },
    /// The operand is a pointer; the check fails if it is null.
    Pointer,
}

/// The value of a guard whose check fails.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fallback {
    /// The first operand of the guarded operation, converted to the type of the guard.
    FirstOperand,
    /// This expression, which has no side effect.
    Value(ExprId),
}

impl ExprKind {
    /// Whether the node itself, its operands apart, may do more than compute a value.
    pub fn acts(&self) -> bool {
        matches!(
            self,
            Self::Assign(..)
                | Self::CompoundAssign { .. }
                | Self::Step(..)
                | Self::Call(..)
                | Self::Builtin(..)
                | Self::VaArg(_)
                | Self::StatementExpr(_)
        )
    }

    /// Whether the node itself, its operands apart, names no object and calls nothing.
    pub fn is_fixed(&self) -> bool {
        !matches!(
            self,
            Self::Object(_)
                | Self::Call(..)
                | Self::Builtin(..)
                | Self::VaArg(_)
                | Self::StatementExpr(_)
        )
    }

    /// Calls `visit` with each operand in the order of the source text.
    /// Statements of a statement expression are not operands.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            Self::Int(_)
            | Self::Float(_)
            | Self::String(_)
            | Self::Object(_)
            | Self::Function(_)
            | Self::EnumConstant(_)
            | Self::LabelAddress(_)
            | Self::SizeofType(_)
            | Self::AlignofType(..)
            | Self::StatementExpr(_) => {}
            Self::Imaginary(operand)
            | Self::CompoundLiteral(operand)
            | Self::Unary(_, operand)
            | Self::AddressOf(operand)
            | Self::Deref(operand)
            | Self::Step(_, operand)
            | Self::Load(operand)
            | Self::Decay(operand)
            | Self::Convert(operand)
            | Self::Cast(operand)
            | Self::Member(operand, _)
            | Self::Swizzle(operand, _)
            | Self::SizeofExpr(operand)
            | Self::AlignofExpr(_, operand)
            | Self::VaArg(operand) => visit(*operand),
            Self::Binary(_, left, right)
            | Self::Logical(_, left, right)
            | Self::Comma(left, right)
            | Self::Assign(left, right)
            | Self::Index(left, right)
            | Self::CompoundAssign { target: left, value: right, .. } => {
                visit(*left);
                visit(*right);
            }
            Self::Conditional { condition, then, otherwise } => {
                visit(*condition);
                if let Some(then) = then {
                    visit(*then);
                }
                visit(*otherwise);
            }
            Self::Call(function, arguments) => {
                visit(*function);
                arguments.iter().copied().for_each(visit);
            }
            Self::Builtin(_, arguments) => arguments.iter().copied().for_each(visit),
            Self::InitList(items) => items.iter().for_each(|item| visit(item.value)),
            Self::Offsetof(_, path) => {
                for step in path {
                    if let OffsetStep::Index(index) = step {
                        visit(*index);
                    }
                }
            }
            Self::Guard { operand, fallback, .. } => {
                visit(*operand);
                if let Fallback::Value(value) = fallback {
                    visit(*value);
                }
            }
        }
    }
}

impl Program {
    /// Whether an lvalue is a bit-field.
    pub fn is_bit_field(&self, place: ExprId) -> bool {
        let ExprKind::Member(record, index) = self[place].kind else { return false };
        let Type::Record(record) = *self.resolve(self.type_of(record)) else { return false };
        let fields = self[record].fields.as_deref().unwrap_or_default();
        fields.get(index as usize).is_some_and(|field| field.bits.is_some())
    }

    /// Whether evaluating it may do more than compute a value: assign, or call something.
    pub fn has_effect(&self, expr: ExprId) -> bool {
        let kind = &self[expr].kind;
        let mut effect = kind.acts();
        kind.for_each_operand(|operand| effect = effect || self.has_effect(operand));
        effect
    }

    /// Whether it is a number that is written down, with its sign and what it is converted to.
    pub fn is_literal(&self, expr: ExprId) -> bool {
        match self[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) => true,
            ExprKind::Convert(operand) | ExprKind::Unary(UnaryOp::Minus, operand) => {
                self.is_literal(operand)
            }
            _ => false,
        }
    }

    /// Whether it names no object and calls nothing, so that compilers know its value.
    pub fn is_fixed(&self, expr: ExprId) -> bool {
        let kind = &self[expr].kind;
        let mut fixed = kind.is_fixed();
        kind.for_each_operand(|operand| fixed = fixed && self.is_fixed(operand));
        fixed
    }

    /// Whether `expr` designates an object, C11 6.3.2.1p1.
    ///
    /// A member of a value that is a record (`f().member`, or of a statement
    /// expression) is not an lvalue, even if it is an array; [`Decay`](ExprKind::Decay)
    /// accepts such an array all the same, because C11 6.2.4p8 gives it an object.
    pub fn is_lvalue(&self, expr: ExprId) -> bool {
        let node = &self.exprs[expr];
        match node.kind {
            ExprKind::Object(_) | ExprKind::String(_) | ExprKind::CompoundLiteral(_) => true,
            ExprKind::Deref(_) => !matches!(self.resolve(node.ty), Type::Function(_)),
            ExprKind::Index(base, _) => match self.resolve(self.exprs[base].ty) {
                Type::Vector { .. } => self.is_lvalue(base),
                _ => true,
            },
            ExprKind::Member(record, _) => self.is_lvalue(record),
            ExprKind::Unary(UnaryOp::Real | UnaryOp::Imag, operand) => self.is_lvalue(operand),
            _ => false,
        }
    }
}
