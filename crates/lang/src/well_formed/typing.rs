//! The second phase: expressions and their types.

use super::scope::Checker;
use super::{FormRule, Node};
use crate::arena::ExprId;
use crate::build::has_const_part;
use crate::describe::{expr_in_words, type_in_words};
use crate::expr::{
    BinaryOp, ExprKind, Fallback, GuardCheck, InitItem, InitPlace, Lanes, OffsetStep, UnaryOp,
};
use crate::program::{Entity, RecordKind, Storage};
use crate::stmt::Stmt;
use crate::types::{ArrayLength, IntKind, Type, TypeId, Types};

/// What an operator needs to know of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Void,
    Integer,
    Floating,
    Complex,
    Pointer,
    Vector,
    Array,
    Function,
    Record,
    /// Each target defines it in its own way, so nothing is said about it.
    VaList,
}

impl Class {
    fn is_arithmetic(self) -> bool {
        matches!(self, Self::Integer | Self::Floating | Self::Complex)
    }

    fn is_scalar(self) -> bool {
        self.is_arithmetic() || matches!(self, Self::Pointer | Self::VaList)
    }
}

impl Checker<'_> {
    fn class(&self, ty: TypeId) -> Class {
        match self.program.resolve(ty) {
            Type::Void => Class::Void,
            Type::Int(_) | Type::BitInt { .. } | Type::Enum(_) => Class::Integer,
            Type::Float(_) => Class::Floating,
            Type::Complex(_) => Class::Complex,
            Type::Pointer(_) | Type::NullPointer => Class::Pointer,
            Type::Vector { .. } => Class::Vector,
            Type::Array { .. } => Class::Array,
            Type::Function(_) => Class::Function,
            Type::Record(_) => Class::Record,
            Type::VaList => Class::VaList,
            Type::Typedef(_) => unreachable!("resolve looks through typedefs"),
        }
    }

    fn class_of(&self, expr: ExprId) -> Class {
        self.class(self.program.type_of(expr))
    }

    pub(super) fn is_integer(&self, ty: TypeId) -> bool {
        self.class(ty) == Class::Integer
    }

    /// The width in bits of an integer type.
    pub(super) fn int_width(&self, ty: TypeId) -> Option<u32> {
        match self.program.resolve(ty) {
            Type::Int(kind) => Some(self.program.target.int_bits(*kind)),
            Type::Enum(id) => Some(self.program.target.int_bits(self.program[*id].underlying)),
            Type::BitInt { width, .. } => Some(*width),
            _ => None,
        }
    }

    /// Whether two types are the same as far as values go: qualifiers and
    /// alignment do not matter, and compatible types need no conversion.
    pub(super) fn agree(&self, left: TypeId, right: TypeId) -> bool {
        if left.unqualified() == right.unqualified() {
            return true;
        }
        let program = self.program;
        match (program.resolve(left), program.resolve(right)) {
            (Type::Enum(left), Type::Enum(right)) => {
                left == right || program[*left].underlying == program[*right].underlying
            }
            (Type::Enum(id), Type::Int(kind)) | (Type::Int(kind), Type::Enum(id)) => {
                program[*id].underlying == *kind
            }
            (Type::Pointer(left), Type::Pointer(right))
            | (Type::Complex(left), Type::Complex(right)) => self.agree(*left, *right),
            (
                Type::Array { element: left, length: left_length },
                Type::Array { element: right, length: right_length },
            ) => {
                let differ = matches!(
                    (left_length, right_length),
                    (ArrayLength::Fixed(l), ArrayLength::Fixed(r)) if l != r
                );
                !differ && self.agree(*left, *right)
            }
            (
                Type::Vector { element: left, lanes: left_lanes },
                Type::Vector { element: right, lanes: right_lanes },
            ) => left_lanes == right_lanes && self.agree(*left, *right),
            (Type::Function(left), Type::Function(right)) => {
                self.agree(left.result, right.result)
                    && (!left.prototyped
                        || !right.prototyped
                        || left.variadic == right.variadic
                            && left.parameters.len() == right.parameters.len()
                            && left
                                .parameters
                                .iter()
                                .zip(&right.parameters)
                                .all(|(&left, &right)| self.agree(left, right)))
            }
            (left, right) => left == right,
        }
    }

    /// Reports that the types of a node do not fit, with all of them.
    fn misfit(&mut self, id: ExprId, what: &str) {
        let mut text = format!("{what}: {}", expr_in_words(self.program, id));
        let mut separator = " with operands ";
        self.program[id].kind.for_each_operand(|operand| {
            text.push_str(separator);
            text.push_str(&expr_in_words(self.program, operand));
            separator = " and ";
        });
        self.violate(FormRule::Type, Node::Expr(id), text);
    }

    fn fit(&mut self, fits: bool, id: ExprId, what: &str) {
        if !fits {
            self.misfit(id, what);
        }
    }

    fn is_function_designator(&self, id: ExprId) -> bool {
        matches!(self.program[id].kind, ExprKind::Function(_) | ExprKind::Deref(_))
            && self.class_of(id) == Class::Function
    }

    /// Checks an operand that must be a value.
    pub(super) fn value(&mut self, id: ExprId) {
        self.expr(id);
        let class = self.class_of(id);
        // Nothing can be loaded from an lvalue of type void, so it stays as it is.
        let is_value = match class {
            Class::Void | Class::VaList => true,
            Class::Array | Class::Function => false,
            _ => !self.program.is_lvalue(id),
        };
        if !is_value {
            let text = format!("{} is not a value", expr_in_words(self.program, id));
            self.violate(FormRule::Value, Node::Expr(id), text);
        }
    }

    pub(super) fn condition(&mut self, id: ExprId) {
        self.value(id);
        if !self.class_of(id).is_scalar() {
            let text = format!("{} is not a condition", expr_in_words(self.program, id));
            self.violate(FormRule::Type, Node::Expr(id), text);
        }
    }

    /// Checks an operand that is assigned to, C11 6.3.2.1p1.
    fn modifiable(&mut self, id: ExprId) {
        self.expr(id);
        let ty = self.program.type_of(id);
        let fits = self.program.is_lvalue(id)
            && !matches!(self.class(ty), Class::Array | Class::Function | Class::Void)
            && !has_const_part(self.program, ty);
        if !fits {
            let text = format!("{} cannot be assigned to", expr_in_words(self.program, id));
            self.violate(FormRule::Lvalue, Node::Expr(id), text);
        }
    }

    /// Checks an expression that may be an lvalue, a value or a function.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of expression")]
    pub(super) fn expr(&mut self, id: ExprId) {
        let program = self.program;
        let node = Node::Expr(id);
        let ty = program[id].ty;
        self.use_type(node, ty);
        match &program[id].kind {
            ExprKind::Int(value) => self.int_constant(id, *value),
            ExprKind::Float(_) => {
                self.fit(self.class(ty) == Class::Floating, id, "not a floating type");
            }
            ExprKind::Imaginary(operand) => {
                self.value(*operand);
                let element = program.type_of(*operand);
                let fits = matches!(program.resolve(ty), Type::Complex(real) if self.agree(*real, element));
                self.fit(fits, id, "not the complex type of its operand");
            }
            ExprKind::String(_) => {
                let fits = matches!(program.resolve(ty), Type::Array { element, .. } if self.is_integer(*element));
                self.fit(fits, id, "a string literal is not an array of characters");
            }
            ExprKind::Object(object) => {
                self.use_object(node, *object);
                self.fit(self.agree(ty, program[*object].ty), id, "not the type of the object");
            }
            ExprKind::Function(function) => {
                self.use_entity(node, Entity::Function(*function));
                let fits = self.agree(ty, program[*function].ty);
                self.fit(fits, id, "not the type of the function");
            }
            ExprKind::EnumConstant(constant) => {
                self.use_entity(node, Entity::Enum(program[*constant].parent));
                self.fit(self.is_integer(ty), id, "an enumeration constant is not an integer");
            }
            ExprKind::LabelAddress(label) => {
                self.use_label(node, *label);
                self.fit(self.class(ty) == Class::Pointer, id, "not a pointer");
            }
            ExprKind::CompoundLiteral(init) => self.initialiser(*init, ty),
            ExprKind::InitList(_) => {
                self.violate(FormRule::Initialiser, node, "an initialiser list is no expression");
            }
            ExprKind::Unary(op, operand) => self.unary(id, *op, *operand),
            ExprKind::AddressOf(operand) => self.address_of(id, *operand),
            ExprKind::Deref(pointer) => {
                self.value(*pointer);
                let fits = self.pointee(*pointer).is_some_and(|pointee| self.agree(ty, pointee));
                self.fit(fits, id, "not what the pointer points to");
            }
            ExprKind::Step(_, operand) => {
                self.modifiable(*operand);
                let fits = self.class(ty).is_scalar() || self.class(ty) == Class::Vector;
                let fits = fits && self.agree(ty, program.type_of(*operand));
                self.fit(fits, id, "not the type of the operand");
            }
            ExprKind::Binary(op, left, right) => {
                self.value(*left);
                self.value(*right);
                let (left, right) = (program.type_of(*left), program.type_of(*right));
                self.fit(self.binary_fits(*op, ty, left, right), id, "the types do not fit");
            }
            ExprKind::Logical(_, left, right) => {
                self.condition(*left);
                self.condition(*right);
                self.fit(self.is_integer(ty), id, "a truth value is not an integer");
            }
            ExprKind::Comma(left, right) => {
                self.value(*left);
                self.value(*right);
                self.fit(
                    self.agree(ty, program.type_of(*right)),
                    id,
                    "not the right operand's type",
                );
            }
            ExprKind::Assign(target, value) => {
                self.modifiable(*target);
                self.value(*value);
                let target = program.type_of(*target);
                let fits = self.agree(ty, target) && self.agree(target, program.type_of(*value));
                self.fit(fits, id, "the types of an assignment differ");
            }
            ExprKind::CompoundAssign { op, target, value, computation } => {
                self.modifiable(*target);
                self.value(*value);
                self.use_type(node, *computation);
                let value = program.type_of(*value);
                let fits = !op.is_comparison()
                    && self.agree(ty, program.type_of(*target))
                    && self.binary_fits(*op, *computation, *computation, value);
                self.fit(fits, id, "the types of an assignment do not fit");
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.condition_or_vector(*condition);
                for &branch in then.iter().chain([otherwise]) {
                    self.value(branch);
                    // GNU C lets one branch of a void conditional have a value.
                    let fits =
                        self.class(ty) == Class::Void || self.agree(ty, program.type_of(branch));
                    self.fit(fits, id, "a branch has another type than the whole");
                }
            }
            ExprKind::Load(operand) => {
                self.expr(*operand);
                let text = "what is loaded is not an lvalue";
                self.require(program.is_lvalue(*operand), FormRule::Lvalue, node, text);
                let fits = !matches!(self.class(ty), Class::Array | Class::Function)
                    && self.agree(ty, program.type_of(*operand));
                self.fit(fits, id, "not the type of the lvalue");
            }
            ExprKind::Decay(operand) => {
                self.expr(*operand);
                let pointee = match program.resolve(program.type_of(*operand)) {
                    Type::Array { element, .. } => Some(*element),
                    Type::Function(_) => Some(program.type_of(*operand)),
                    Type::VaList => return,
                    _ => None,
                };
                let fits = matches!((program.resolve(ty), pointee),
                    (Type::Pointer(to), Some(pointee)) if self.agree(*to, pointee));
                self.fit(fits, id, "not the pointer that the operand becomes");
            }
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => {
                self.value(*operand);
                let from = program.type_of(*operand);
                self.fit(self.converts(from, ty), id, "no such conversion");
            }
            ExprKind::Call(callee, arguments) => self.call(id, *callee, arguments),
            ExprKind::Builtin(_, arguments) => {
                arguments.iter().for_each(|&argument| self.expr(argument));
            }
            ExprKind::Member(record, index) => {
                self.expr(*record);
                let fits = match program.resolve(program.type_of(*record)) {
                    Type::Record(id) => program[*id]
                        .fields
                        .as_ref()
                        .and_then(|fields| fields.get(*index as usize))
                        .is_some_and(|field| self.agree(ty, field.ty)),
                    _ => false,
                };
                self.fit(fits, id, "no such member of this type");
            }
            ExprKind::Swizzle(vector, lanes) => {
                self.value(*vector);
                let of = program.resolve(program.type_of(*vector));
                let fits = match (of, program.resolve(ty)) {
                    (
                        &Type::Vector { element, lanes: all },
                        &Type::Vector { element: own, lanes: count },
                    ) => {
                        self.agree(own, element)
                            && (2..=Lanes::MOST).contains(&count)
                            && lanes.take(count).all(|lane| lane < all)
                            && program.is_extended_value(*vector)
                    }
                    _ => false,
                };
                self.fit(fits, id, "no such lanes of this vector");
            }
            ExprKind::Index(base, index) => {
                self.value(*index);
                let element = match program.resolve(program.type_of(*base)) {
                    Type::Vector { element, .. } => {
                        self.expr(*base);
                        Some(*element)
                    }
                    _ => {
                        self.value(*base);
                        self.pointee(*base)
                    }
                };
                let fits = element.is_some_and(|element| self.agree(ty, element))
                    && self.class_of(*index) == Class::Integer;
                self.fit(fits, id, "no element of this type");
            }
            ExprKind::SizeofType(of) | ExprKind::AlignofType(_, of) => {
                self.use_type(node, *of);
                self.fit(self.is_integer(ty), id, "a size is not an integer");
            }
            ExprKind::SizeofExpr(operand) | ExprKind::AlignofExpr(_, operand) => {
                self.expr(*operand);
                self.fit(self.is_integer(ty), id, "a size is not an integer");
                let text = "a bit-field has no size or alignment";
                self.require(!self.program.is_bit_field(*operand), FormRule::Lvalue, node, text);
            }
            ExprKind::Offsetof(of, path) => {
                self.use_type(node, *of);
                self.fit(self.is_integer(ty), id, "an offset is not an integer");
                self.offset_path(id, *of, path);
            }
            ExprKind::VaArg(list) => self.expr(*list),
            ExprKind::StatementExpr(block) => {
                self.block(*block);
                self.statement_value(id);
            }
            ExprKind::Guard { check, operand, fallback } => {
                self.guard(id, *check, *operand, *fallback);
            }
        }
    }

    /// GCC also chooses between the lanes of vectors.
    fn condition_or_vector(&mut self, id: ExprId) {
        if self.class_of(id) == Class::Vector { self.value(id) } else { self.condition(id) }
    }

    fn pointee(&self, pointer: ExprId) -> Option<TypeId> {
        match self.program.resolve(self.program.type_of(pointer)) {
            Type::Pointer(pointee) => Some(*pointee),
            _ => None,
        }
    }

    fn int_constant(&mut self, id: ExprId, value: u64) {
        let ty = self.program.type_of(id);
        let fits = match self.program.resolve(ty) {
            Type::NullPointer => value == 0,
            Type::Int(kind) => {
                let signed = self.program.target.int_signed(*kind);
                fits_in(value, self.program.target.int_bits(*kind), signed)
            }
            Type::BitInt { signed, width } => fits_in(value, *width, *signed),
            _ => false,
        };
        self.fit(fits, id, "a constant does not fit its type");
    }

    fn unary(&mut self, id: ExprId, op: UnaryOp, operand: ExprId) {
        let ty = self.program.type_of(id);
        let from = self.program.type_of(operand);
        let class = self.class(from);
        match op {
            UnaryOp::Real | UnaryOp::Imag => {
                self.expr(operand);
                let fits = match self.program.resolve(from) {
                    Type::Complex(element) => self.agree(ty, *element),
                    _ => class.is_arithmetic() && self.agree(ty, from),
                };
                self.fit(fits, id, "not a part of the operand");
            }
            UnaryOp::Not => {
                self.value(operand);
                let fits = class == Class::Vector || class.is_scalar() && self.is_integer(ty);
                self.fit(fits, id, "the types do not fit");
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => {
                self.value(operand);
                let takes = match op {
                    UnaryOp::BitNot => class != Class::Floating,
                    _ => true,
                };
                let fits = takes
                    && (class.is_arithmetic() || class == Class::Vector)
                    && self.agree(ty, from)
                    && self.is_promoted(ty);
                self.fit(fits, id, "the types do not fit");
            }
        }
    }

    /// Whether a type is none of those that operators never work in, C11 6.3.1.1p2.
    fn is_promoted(&self, ty: TypeId) -> bool {
        !matches!(self.program.resolve(ty), Type::Int(kind) if kind.rank() < IntKind::Int.rank())
    }

    /// The real type of a complex type; any other type itself.
    fn real_type(&self, ty: TypeId) -> TypeId {
        match self.program.resolve(ty) {
            Type::Complex(element) => *element,
            _ => ty,
        }
    }

    fn binary_fits(&self, op: BinaryOp, ty: TypeId, left: TypeId, right: TypeId) -> bool {
        let classes = (self.class(left), self.class(right));
        if classes.0 == Class::Vector || classes.1 == Class::Vector {
            let lanes = |ty| match self.program.resolve(ty) {
                Type::Vector { lanes, .. } => Some(*lanes),
                _ => None,
            };
            return match (lanes(left), lanes(right)) {
                (Some(l), Some(r)) => l == r && lanes(ty) == Some(l),
                // A shift count need not be a vector.
                (Some(l), None) => op.is_shift() && lanes(ty) == Some(l),
                (None, Some(r)) => op.is_shift() && lanes(ty) == Some(r),
                (None, None) => unreachable!("one of them is a vector"),
            };
        }
        let both = |class: fn(Class) -> bool| class(classes.0) && class(classes.1);
        // One operand may be real and the other complex, C11 6.3.1.8p1.
        let same = both(Class::is_arithmetic)
            && self.agree(self.real_type(left), self.real_type(right))
            && self.is_promoted(left);
        if op.is_comparison() {
            let pointers = both(|class| matches!(class, Class::Pointer | Class::VaList));
            return (same || pointers) && self.is_integer(ty);
        }
        if op.is_shift() {
            return both(|class| class == Class::Integer)
                && self.agree(ty, left)
                && self.is_promoted(left)
                && self.is_promoted(right);
        }
        let result_is_same = || self.agree(self.real_type(ty), self.real_type(left));
        match (op, classes) {
            (BinaryOp::Add | BinaryOp::Sub, (Class::Pointer, Class::Integer)) => {
                self.agree(ty, left)
            }
            (BinaryOp::Add, (Class::Integer, Class::Pointer)) => self.agree(ty, right),
            (BinaryOp::Sub, (Class::Pointer, Class::Pointer)) => self.is_integer(ty),
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div, _) => {
                same && result_is_same()
            }
            (BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, classes) => {
                classes == (Class::Integer, Class::Integer) && same && result_is_same()
            }
            _ => false,
        }
    }

    fn address_of(&mut self, id: ExprId, operand: ExprId) {
        let program = self.program;
        self.expr(operand);
        let node = Node::Expr(id);
        let designates = program.is_lvalue(operand) || self.is_function_designator(operand);
        let register = matches!(program[operand].kind,
            ExprKind::Object(object) if program[object].storage == Storage::Register);
        let text = "this operand has no address";
        let fits = designates && !register && !self.program.is_bit_field(operand);
        self.require(fits, FormRule::Lvalue, node, text);
        let fits = matches!(program.resolve(program.type_of(id)),
            Type::Pointer(to) if self.agree(*to, program.type_of(operand)));
        self.fit(fits, id, "not a pointer to the operand");
    }

    /// Whether there is a conversion, implicit or explicit, with the GNU ones.
    fn converts(&self, from: TypeId, to: TypeId) -> bool {
        match (self.class(from), self.class(to)) {
            (_, Class::Void) | (Class::VaList, _) | (_, Class::VaList) => true,
            // A value becomes a union of which it is a member; also `transparent_union`.
            (_, Class::Record) => {
                self.agree(from, to)
                    || matches!(self.program.resolve(to), Type::Record(id)
                        if self.program[*id].kind == RecordKind::Union)
            }
            (Class::Void | Class::Record | Class::Array | Class::Function, _)
            | (_, Class::Array | Class::Function) => false,
            (Class::Pointer, Class::Floating | Class::Complex | Class::Vector)
            | (Class::Floating | Class::Complex | Class::Vector, Class::Pointer)
            | (Class::Complex, Class::Vector)
            | (Class::Vector, Class::Complex) => false,
            // Vectors convert to anything of their size; lanes are filled from a scalar.
            (Class::Vector, _) | (_, Class::Vector) => true,
            _ => true,
        }
    }

    fn call(&mut self, id: ExprId, callee: ExprId, arguments: &[ExprId]) {
        let program = self.program;
        self.value(callee);
        arguments.iter().for_each(|&argument| self.value(argument));
        let function = match self.pointee(callee).map(|pointee| program.resolve(pointee)) {
            Some(Type::Function(function)) => function,
            _ => return self.misfit(id, "a call of what is not a function"),
        };
        let fits = self.agree(program.type_of(id), function.result);
        self.fit(fits, id, "not the type that the function returns");
        let parameters = if function.prototyped { &*function.parameters } else { &[] };
        if function.prototyped {
            let fits = arguments.len() == parameters.len()
                || function.variadic && arguments.len() > parameters.len();
            self.fit(fits, id, "the wrong number of arguments");
        }
        for (index, &argument) in arguments.iter().enumerate() {
            let ty = program.type_of(argument);
            let (fits, wants) = match parameters.get(index) {
                Some(&parameter) => {
                    // An argument of a transparent union is one of its members.
                    let fits = self.agree(ty, parameter)
                        || matches!(program.resolve(parameter), Type::Record(record)
                            if program[*record].kind == RecordKind::Union);
                    (fits, type_in_words(program, parameter))
                }
                None => {
                    let promoted = self.is_promoted(ty)
                        && ty.unqualified() != Types::float(crate::types::FloatKind::Float);
                    (promoted, "its promoted type".into())
                }
            };
            if !fits {
                let text = format!(
                    "argument {} is {}, not {wants}",
                    index + 1,
                    expr_in_words(program, argument)
                );
                self.violate(FormRule::Type, Node::Expr(argument), text);
            }
        }
    }

    fn offset_path(&mut self, id: ExprId, mut ty: TypeId, path: &[OffsetStep]) {
        for step in path {
            let next = match (self.program.resolve(ty), step) {
                (Type::Record(record), OffsetStep::Field(index)) => self.program[*record]
                    .fields
                    .as_ref()
                    .and_then(|fields| fields.get(*index as usize))
                    .map(|field| field.ty),
                (Type::Array { element, .. }, OffsetStep::Index(index)) => {
                    self.value(*index);
                    Some(*element)
                }
                _ => None,
            };
            let Some(next) = next else { return self.misfit(id, "no such member of this type") };
            ty = next;
        }
    }

    /// The value of a statement expression is that of its last statement.
    fn statement_value(&mut self, id: ExprId) {
        let program = self.program;
        let ExprKind::StatementExpr(block) = program[id].kind else { return };
        let Stmt::Block(statements) = &program[block] else { return };
        let mut last = statements.last().copied();
        while let Some(stmt) = last
            && let Stmt::Label(_, body) = program[stmt]
        {
            last = Some(body);
        }
        let ty = program.type_of(id);
        let fits = match last.map(|last| &program[last]) {
            Some(Stmt::Expr(value)) => self.agree(ty, program.type_of(*value)),
            _ => false,
        };
        self.fit(fits || self.class(ty) == Class::Void, id, "not the type of the last statement");
    }

    fn guard(&mut self, id: ExprId, check: GuardCheck, operand: ExprId, fallback: Fallback) {
        let program = self.program;
        let node = Node::Expr(id);
        self.value(operand);
        let ty = program.type_of(id);
        let class = self.class(ty);
        let guards = match (check, &program[operand].kind) {
            (GuardCheck::Operation, ExprKind::Unary(UnaryOp::Minus, _) | ExprKind::Binary(..)) => {
                true
            }
            (GuardCheck::Operation, ExprKind::Convert(from) | ExprKind::Cast(from)) => {
                self.class_of(*from) == Class::Floating && class == Class::Integer
            }
            (GuardCheck::Operation, _) => false,
            // A conversion to an integer is exact where it drops no fraction.
            (GuardCheck::Exact, ExprKind::Convert(from) | ExprKind::Cast(from))
                if class == Class::Integer =>
            {
                self.class_of(*from) == Class::Floating
            }
            (GuardCheck::Exact, _) => matches!(class, Class::Floating | Class::Complex),
            (GuardCheck::Index { .. }, _) => class == Class::Integer,
            (GuardCheck::Pointer, _) => class == Class::Pointer,
        };
        let text = "the check does not suit the operand";
        self.require(guards, FormRule::Guard, node, text);
        self.fit(self.agree(ty, program.type_of(operand)), id, "not the type of the operand");
        match fallback {
            Fallback::FirstOperand => {
                // An index or a pointer is no operation, and to fall back to itself guards nothing.
                let text = "this guard needs a value to fall back to";
                let operation = matches!(check, GuardCheck::Operation | GuardCheck::Exact);
                self.require(operation, FormRule::Guard, node, text);
                let mut operands = 0;
                program[operand].kind.for_each_operand(|_| operands += 1);
                let text = "the guarded operation has no first operand";
                self.require(operands > 0, FormRule::Guard, node, text);
            }
            Fallback::Value(value) => {
                self.value(value);
                let fits = self.agree(ty, program.type_of(value));
                self.fit(fits, id, "not the type of the fallback");
            }
        }
    }

    /// Checks what an object of type `target` is initialised with.
    pub(super) fn initialiser(&mut self, init: ExprId, target: TypeId) {
        let program = self.program;
        let class = self.class(target);
        match &program[init].kind {
            ExprKind::InitList(items) => self.init_list(init, items, target),
            // An array is copied from a string literal or, in GNU C, a compound literal.
            ExprKind::String(_) | ExprKind::CompoundLiteral(_) if class == Class::Array => {
                self.expr(init);
                let (Type::Array { element: from, .. }, Type::Array { element: to, .. }) =
                    (program.resolve(program.type_of(init)), program.resolve(target))
                else {
                    return self.misfit(init, "an array is initialised with something else");
                };
                // `unsigned char a[] = "text"` is as good as `char`.
                let fits = self.agree(*from, *to)
                    || self.int_width(*from).is_some()
                        && self.int_width(*from) == self.int_width(*to);
                self.fit(fits, init, "not the elements of the array");
            }
            _ => {
                self.value(init);
                if !self.agree(program.type_of(init), target) {
                    let target = type_in_words(program, target);
                    self.misfit(init, &format!("an initialiser is not {target}"));
                }
            }
        }
    }

    fn init_list(&mut self, list: ExprId, items: &[InitItem], target: TypeId) {
        let program = self.program;
        let node = Node::Expr(list);
        let mut next = 0;
        for item in items {
            let (first, last) = match item.place {
                InitPlace::Field(field) => (u64::from(field), u64::from(field)),
                InitPlace::Elements { first, last } => (first, last),
            };
            let ascend = next <= first && first <= last;
            self.require(ascend, FormRule::Initialiser, node, "the places do not ascend");
            next = last.saturating_add(1);
            let part = match (program.resolve(target), item.place) {
                (Type::Record(record), InitPlace::Field(field)) => program[*record]
                    .fields
                    .as_ref()
                    .and_then(|fields| fields.get(field as usize))
                    .map(|field| field.ty),
                (Type::Array { element, length }, InitPlace::Elements { last, .. }) => match length
                {
                    ArrayLength::Fixed(length) => (last < *length).then_some(*element),
                    _ => Some(*element),
                },
                (Type::Vector { element, lanes }, InitPlace::Elements { last, .. }) => {
                    (last < u64::from(*lanes)).then_some(*element)
                }
                (Type::Record(_) | Type::Array { .. } | Type::Vector { .. }, _) => None,
                // Braces around a scalar.
                _ => (last == 0).then_some(target),
            };
            match part {
                Some(part) => self.initialiser(item.value, part),
                None => self.violate(FormRule::Initialiser, node, "there is no such place"),
            }
        }
    }
}

/// Whether a constant fits an integer type.
fn fits_in(value: u64, width: u32, signed: bool) -> bool {
    let bits = width - u32::from(signed);
    bits >= 64 || value >> bits == 0
}
