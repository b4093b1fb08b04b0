//! How features are recognised in expressions.

use farrier_lang::wrapper::wrapper_of;
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, Field, FunctionId, IntKind, ObjectId, Qualifiers, Record,
    RecordKind, Storage, Type, TypeId, UnaryOp,
};

use super::Counter;
use crate::features::Feature;
use crate::generate::{is_idiom, is_math_function};

impl Counter<'_> {
    fn through_conversions(&self, expr: ExprId, test: impl Fn(&ExprId) -> bool) -> bool {
        match self.program[expr].kind {
            ExprKind::Convert(inner) | ExprKind::Cast(inner) => {
                self.through_conversions(inner, test)
            }
            _ => test(&expr),
        }
    }

    fn assigns(&self, id: ExprId) -> bool {
        self.through_conversions(id, |id| matches!(self.program[*id].kind, ExprKind::Assign(..)))
    }

    /// Whether an operand of something else is an assignment.
    fn has_assigned_operand(&self, id: ExprId) -> bool {
        match self.program[id].kind {
            ExprKind::Assign(_, value) => self.assigns(value),
            ExprKind::Binary(_, left, right) | ExprKind::Logical(_, left, right) => {
                self.assigns(left) || self.assigns(right)
            }
            _ => false,
        }
    }

    /// Whether a binary operator is one of these, and no part of the lowest number of a type.
    fn operates(&self, id: ExprId, ops: &[BinaryOp]) -> bool {
        match self.program[id].kind {
            ExprKind::Binary(op, left, _) => ops.contains(&op) && !self.is_negative_number(left),
            _ => false,
        }
    }

    /// A negative number is written with an operator, but drawn as a constant.
    fn is_negative_number(&self, id: ExprId) -> bool {
        self.through_conversions(id, |id| match self.program[*id].kind {
            ExprKind::Unary(UnaryOp::Minus, operand) => {
                matches!(self.program[operand].kind, ExprKind::Int(_) | ExprKind::Float(_))
            }
            _ => false,
        })
    }

    /// Whether the lvalue that an expression is has a qualifier.
    fn is_qualified(&self, id: ExprId, qualifier: Qualifiers) -> bool {
        self.program.type_of(id).qualifiers().contains(qualifier) && self.program.is_lvalue(id)
    }

    /// The record of which an expression is a member, and the member.
    fn member(&self, id: ExprId) -> Option<(&Record, &Field)> {
        let ExprKind::Member(base, index) = self.program[id].kind else { return None };
        let Type::Record(record) = *self.program.resolve(self.program.type_of(base)) else {
            return None;
        };
        let record = &self.program[record];
        Some((record, &record.fields.as_deref()?[index as usize]))
    }

    /// Whether an expression is an element whose index is computed from the counter of a loop.
    fn is_moved_element(&self, id: ExprId) -> bool {
        let place = match self.program[id].kind {
            ExprKind::Load(place) => place,
            _ => id,
        };
        let ExprKind::Index(_, index) = self.program[place].kind else { return false };
        let ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) = self.program[index].kind
        else {
            return false;
        };
        let objects = [left, right].map(|side| self.objects(side));
        objects.iter().flatten().any(|object| self.counters.contains(object))
    }

    /// Whether a union has structures as members.
    fn has_views(&self, record: &Record) -> bool {
        let mut fields = record.fields.as_deref().unwrap_or(&[]).iter();
        record.kind == RecordKind::Union
            && fields.any(|field| matches!(self.program.resolve(field.ty), Type::Record(_)))
    }

    fn is_pointer(&self, id: ExprId) -> bool {
        self.program.pointee(self.program.type_of(id)).is_some()
    }

    pub(super) fn is_record(&self, id: ExprId) -> bool {
        matches!(self.program.resolve(self.program.type_of(id)), Type::Record(_))
    }

    /// The lanes of a vector.
    fn lanes(&self, id: ExprId) -> Option<(TypeId, u32)> {
        match *self.program.resolve(self.program.type_of(id)) {
            Type::Vector { element, lanes } => Some((element, lanes)),
            _ => None,
        }
    }

    fn is_vector(&self, id: ExprId) -> bool {
        self.lanes(id).is_some()
    }

    /// Whether an expression reads or writes a lane that is a floating number.
    pub(super) fn is_floating_lane(&self, id: ExprId) -> bool {
        let (ExprKind::Load(place) | ExprKind::Assign(place, _)) = self.program[id].kind else {
            return false;
        };
        self.program.is_lane(place) && !self.program.is_integer(self.program.type_of(place))
    }

    /// The function of the program that an expression calls by its name.
    fn callee(&self, id: ExprId) -> Option<FunctionId> {
        let ExprKind::Call(callee, _) = self.program[id].kind else { return None };
        let ExprKind::Decay(name) = self.program[callee].kind else { return None };
        let ExprKind::Function(function) = self.program[name].kind else { return None };
        self.program[function].body.map(|_| function)
    }

    pub(super) fn calls_bank(&self, id: ExprId) -> bool {
        self.callee(id).is_some_and(|callee| self.bank.contains(&callee))
    }

    /// Whether an expression calls a function through a pointer, or through a table.
    fn calls_through(&self, id: ExprId, table: bool) -> bool {
        let ExprKind::Call(callee, _) = self.program[id].kind else { return false };
        let ExprKind::Load(place) = self.program[callee].kind else { return false };
        matches!(self.program[place].kind, ExprKind::Index(..)) == table
    }

    /// The function of the library that an expression calls, by its name or as a builtin.
    fn library(&self, id: ExprId) -> Option<&str> {
        match self.program[id].kind {
            ExprKind::Builtin(builtin, _) => builtin.row().library,
            ExprKind::Call(callee, _) => {
                let ExprKind::Decay(name) = self.program[callee].kind else { return None };
                let ExprKind::Function(function) = self.program[name].kind else { return None };
                let function = &self.program[function];
                function.body.is_none().then(|| self.program.text(function.name))
            }
            _ => None,
        }
    }

    /// Whether an expression calls a function of the library with such a name.
    fn calls_library(&self, id: ExprId, beginnings: &[&str]) -> bool {
        let begins = |name: &str| beginnings.iter().any(|beginning| name.starts_with(beginning));
        self.library(id).is_some_and(begins)
    }

    fn calls_mathematics(&self, id: ExprId) -> bool {
        self.library(id).or_else(|| self.builtin(id)).is_some_and(is_math_function)
    }

    /// Whether an expression casts a pointer to one to a type like that.
    fn casts_pointer(&self, id: ExprId, test: impl Fn(&Type) -> bool) -> bool {
        let ExprKind::Cast(operand) = self.program[id].kind else { return false };
        let target = self.program.pointee(self.program.type_of(id));
        self.is_pointer(operand) && target.is_some_and(|ty| test(self.program.resolve(ty)))
    }

    /// Whether some argument of a call of a function of the program is like that.
    fn passes(&self, id: ExprId, test: impl Fn(ExprId) -> bool) -> bool {
        match &self.program[id].kind {
            ExprKind::Call(..) if self.library(id).is_some() => false,
            ExprKind::Call(_, arguments) => arguments.iter().any(|argument| test(*argument)),
            _ => false,
        }
    }

    /// Whether all arguments of a call are like that, and there is one.
    fn passes_all(&self, id: ExprId, test: impl Fn(ExprId) -> bool) -> bool {
        match &self.program[id].kind {
            ExprKind::Call(_, arguments) => {
                !arguments.is_empty() && arguments.iter().all(|argument| test(*argument))
            }
            _ => false,
        }
    }

    fn builtin(&self, id: ExprId) -> Option<&'static str> {
        match self.program[id].kind {
            ExprKind::Builtin(builtin, _) => Some(builtin.name()),
            _ => None,
        }
    }

    /// Whether an expression is an element whose index is the counter of a loop around it.
    fn reads_element(&self, id: ExprId) -> bool {
        self.through_conversions(id, |id| match self.program[*id].kind {
            ExprKind::Load(place) => self.counters.iter().any(|it| self.is_element(place, *it)),
            _ => false,
        })
    }

    /// `array[counter]`
    pub(super) fn is_element(&self, id: ExprId, counter: ObjectId) -> bool {
        let ExprKind::Index(_, index) = self.program[id].kind else { return false };
        self.through_conversions(index, |index| match self.program[*index].kind {
            ExprKind::Load(place) => {
                matches!(self.program[place].kind, ExprKind::Object(object) if object == counter)
            }
            _ => false,
        })
    }

    /// Whether `main` gives a global a value here that is not a constant.
    pub(super) fn sets_input(&self, id: ExprId) -> bool {
        match self.program[id].kind {
            ExprKind::Assign(place, value) => {
                let is_global =
                    |object: ObjectId| self.program[object].storage != Storage::Automatic;
                matches!(self.program[place].kind, ExprKind::Object(object) if is_global(object))
                    && (self.callee(value).is_some() || !self.objects(value).is_empty())
            }
            _ => false,
        }
    }
}

/// How a feature is recognised in an expression.
type Test = fn(&Counter<'_>, ExprId) -> bool;

/// The features of expressions, and of types and objects as expressions use them.
#[rustfmt::skip]
pub(super) static EXPRESSIONS: &[(Feature, Test)] = &[
    (Feature::Volatile, |counter, id| counter.is_qualified(id, Qualifiers::VOLATILE)),
    (Feature::Const, |counter, id| counter.is_qualified(id, Qualifiers::CONST)),
    (Feature::Enum, |counter, id| matches!(counter.program[id].kind, ExprKind::EnumConstant(_))),
    (Feature::Struct, |counter, id| counter.member(id).is_some_and(|(record, _)| record.kind == RecordKind::Struct)),
    (Feature::Union, |counter, id| counter.member(id).is_some_and(|(record, _)| record.kind == RecordKind::Union)),
    (Feature::Packed, |counter, id| counter.member(id).is_some_and(|(record, _)| record.packed)),
    (Feature::BitField, |counter, id| counter.member(id).is_some_and(|(_, field)| field.bits.is_some())),
    (Feature::NestedRecord, |counter, id| match counter.program[id].kind {
        ExprKind::Member(base, _) => counter.member(base).is_some(),
        _ => false,
    }),
    (Feature::Array, |counter, id| matches!(counter.program[id].kind, ExprKind::Index(..)) && !counter.program.is_lane(id)),
    (Feature::MultiArray, |counter, id| match counter.program[id].kind {
        ExprKind::Index(base, _) => match counter.program[base].kind {
            ExprKind::Decay(inner) => matches!(counter.program[inner].kind, ExprKind::Index(..)),
            _ => false,
        },
        _ => false,
    }),
    (Feature::Pointer, |counter, id| matches!(counter.program[id].kind, ExprKind::Deref(_))),
    (Feature::PointerToPointer, |counter, id| {
        matches!(counter.program[id].kind, ExprKind::Deref(_)) && counter.is_pointer(id)
    }),
    (Feature::NullPointer, |counter, id| match counter.program[id].kind {
        ExprKind::Convert(operand) => {
            counter.is_pointer(id) && matches!(counter.program[operand].kind, ExprKind::Int(0))
        }
        _ => false,
    }),
    (Feature::CompoundLiteral, |counter, id| matches!(counter.program[id].kind, ExprKind::CompoundLiteral(_))),
    (Feature::StringLiteral, |counter, id| matches!(counter.program[id].kind, ExprKind::String(_))),
    (Feature::Arithmetic, |counter, id| counter.operates(id, &[BinaryOp::Add, BinaryOp::Sub])),
    (Feature::Multiplication, |counter, id| counter.operates(id, &[BinaryOp::Mul])),
    (Feature::Division, |counter, id| counter.operates(id, &[BinaryOp::Div, BinaryOp::Rem])),
    (Feature::Shift, |counter, id| counter.operates(id, &[BinaryOp::Shl, BinaryOp::Shr])),
    (Feature::Bitwise, |counter, id| {
        counter.operates(id, &[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor])
    }),
    (Feature::Comparison, |counter, id| {
        matches!(counter.program[id].kind, ExprKind::Binary(op, ..) if op.is_comparison())
    }),
    (Feature::Logical, |counter, id| matches!(counter.program[id].kind, ExprKind::Logical(..))),
    (Feature::Unary, |counter, id| {
        matches!(counter.program[id].kind, ExprKind::Unary(..)) && !counter.is_negative_number(id)
    }),
    (Feature::Ternary, |counter, id| {
        matches!(counter.program[id].kind, ExprKind::Conditional { .. }) && !counter.is_pointer(id)
    }),
    (Feature::PointerSelect, |counter, id| {
        matches!(counter.program[id].kind, ExprKind::Conditional { .. }) && counter.is_pointer(id)
    }),
    (Feature::Comma, |counter, id| matches!(counter.program[id].kind, ExprKind::Comma(..))),
    (Feature::Cast, |counter, id| matches!(counter.program[id].kind, ExprKind::Cast(_))),
    (Feature::AssignExpression, |counter, id| counter.has_assigned_operand(id)),
    (Feature::RecordCopy, |counter, id| {
        matches!(counter.program[id].kind, ExprKind::Assign(..)) && counter.is_record(id)
    }),
    (Feature::RecordSelect, |counter, id| {
        matches!(counter.program[id].kind, ExprKind::Conditional { .. }) && counter.is_record(id)
    }),
    (Feature::RecordLoop, |counter, id| match counter.program[id].kind {
        ExprKind::Assign(place, value) if counter.is_record(id) => {
            counter.is_moved_element(place) || counter.is_moved_element(value)
        }
        _ => false,
    }),
    (Feature::UnionView, |counter, id| counter.member(id).is_some_and(|(record, _)| counter.has_views(record))),
    (Feature::MemoryFunction, |counter, id| counter.calls_library(id, &["mem"])),
    (Feature::StringFunction, |counter, id| counter.calls_library(id, &["str", "snprintf"])),
    (Feature::Heap, |counter, id| counter.calls_library(id, &["malloc"])),
    (Feature::Alloca, |counter, id| counter.calls_library(id, &["alloca"])),
    (Feature::LibraryBuiltin, |counter, id| {
        let drawn = counter.calls_library(id, LIBRARY) || counter.calls_mathematics(id);
        counter.builtin(id).is_some() && drawn
    }),
    (Feature::MathFunction, |counter, id| counter.calls_mathematics(id)),
    (Feature::ByteAccess, |counter, id| counter.casts_pointer(id, is_character)),
    (Feature::PointerCast, |counter, id| counter.casts_pointer(id, |ty| !is_character(ty))),
    (Feature::RecordChain, |counter, id| {
        let call = |argument: ExprId| matches!(counter.program[argument].kind, ExprKind::Call(..));
        counter.passes(id, |argument| counter.is_record(argument) && call(argument))
    }),
    (Feature::CompoundAssign, |counter, id| matches!(counter.program[id].kind, ExprKind::CompoundAssign { .. })),
    (Feature::Reduction, |counter, id| match counter.program[id].kind {
        ExprKind::CompoundAssign { value, .. } => counter.reads_element(value),
        _ => false,
    }),
    (Feature::Increment, |counter, id| matches!(counter.program[id].kind, ExprKind::Step(..))),
    (Feature::OverflowBuiltin, |counter, id| counter.builtin(id).is_some_and(|name| name.contains("overflow"))),
    (Feature::ByteSwap, |counter, id| counter.builtin(id).is_some_and(|name| name.contains("bswap"))),
    (Feature::Expect, |counter, id| counter.builtin(id) == Some("__builtin_expect")),
    (Feature::ConstantTest, |counter, id| counter.builtin(id) == Some("__builtin_constant_p")),
    (Feature::BitBuiltin, |counter, id| counter.builtin(id).is_some_and(|name| {
        ["popcount", "parity", "clz", "ctz", "ffs", "clrsb"].iter().any(|part| name.contains(part))
    })),
    (Feature::Call, |counter, id| counter.callee(id).is_some_and(|callee| {
        !counter.is_helper(callee) && !counter.bank.contains(&callee) && !counter.is_vector(id)
    })),
    (Feature::KnownCall, |counter, id| counter.calls_bank(id)),
    (Feature::Recursion, |counter, id| counter.callee(id).is_some_and(|callee| Some(callee) == counter.function)),
    (Feature::FunctionPointer, |counter, id| counter.calls_through(id, false)),
    (Feature::FunctionTable, |counter, id| counter.calls_through(id, true)),
    (Feature::Idiom, |counter, id| is_idiom(counter.program, id)),
    (Feature::IdiomFunction, |counter, id| {
        counter.callee(id).is_some() && !counter.is_vector(id)
            && counter.passes_all(id, |argument| counter.reads_element(argument))
    }),
    (Feature::RecordResult, |counter, id| {
        matches!(counter.program[id].kind, ExprKind::Call(..)) && counter.is_record(id)
    }),
    (Feature::RecordParameter, |counter, id| counter.passes(id, |argument| counter.is_record(argument))),
    (Feature::PointerParameter, |counter, id| counter.passes(id, |argument| counter.is_pointer(argument))),
    (Feature::Nest, |counter, id| match counter.program[id].kind {
        ExprKind::Index(base, index) => counter.is_long_array(base) && counter.names_counter(index),
        _ => false,
    }),
    (Feature::Vector, |counter, id| counter.is_vector(id)),
    (Feature::VectorFloat, |counter, id| {
        counter.lanes(id).is_some_and(|(element, _)| !counter.program.is_integer(element))
    }),
    (Feature::VectorCompare, |counter, id| match counter.program[id].kind {
        ExprKind::Binary(op, left, _) => op.is_comparison() && counter.is_vector(left),
        _ => false,
    }),
    (Feature::VectorShuffle, |counter, id| counter.builtin(id) == Some("__builtin_shufflevector")),
    (Feature::Complex, |counter, id| {
        matches!(counter.program.resolve(counter.program.type_of(id)), Type::Complex(_))
    }),
    (Feature::ExtVector, |counter, id| counter.program.is_extended_value(id)),
    (Feature::VectorConvert, |counter, id| counter.builtin(id) == Some("__builtin_convertvector")),
    (Feature::VectorCast, |counter, id| match counter.program[id].kind {
        ExprKind::Cast(operand) => match (counter.lanes(id), counter.lanes(operand)) {
            (Some((_, to)), Some((_, from))) => to != from,
            _ => false,
        },
        _ => false,
    }),
    (Feature::VectorElement, |counter, id| counter.program.is_lane(id)),
    (Feature::VectorArray, |counter, id| {
        matches!(counter.program[id].kind, ExprKind::Index(..)) && counter.is_vector(id)
    }),
    (Feature::VectorRecord, |counter, id| {
        matches!(counter.program[id].kind, ExprKind::Member(..)) && counter.is_vector(id)
    }),
    (Feature::VectorParameter, |counter, id| {
        matches!(counter.program[id].kind, ExprKind::Call(..)) && counter.is_vector(id)
    }),
    (Feature::MacroWrapper, |counter, id| {
        wrapper_of(counter.program, &counter.program[id])
            .is_some_and(|wrapper| wrapper.is_macro(counter.style))
    }),
];

/// What the names of functions of the library begin with that are drawn.
const LIBRARY: &[&str] = &["mem", "str", "snprintf", "malloc", "calloc", "free"];

fn is_character(ty: &Type) -> bool {
    matches!(ty, Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar))
}
