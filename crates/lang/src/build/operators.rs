//! Operators, calls, members and casts.

use super::compatible::{alike, compatible_unqualified, composite};
use super::{Builder, Built, TypeError};
use crate::arena::{ExprId, RecordId};
use crate::expr::{BinaryOp, ExprKind, InitItem, InitPlace, Lanes, LogicalOp, UnaryOp};
use crate::layout::NoLayout;
use crate::print::type_text;
use crate::program::{Field, RecordKind};
use crate::types::{FunctionType, IntKind, Type, TypeId, Types};

impl Builder<'_> {
    /// `*pointer`, C11 6.5.3.2.
    pub fn deref(&mut self, pointer: ExprId) -> Built {
        let pointer = self.value(pointer);
        match self.program.pointee(self.program.type_of(pointer)) {
            Some(target) => Ok(self.node(ExprKind::Deref(pointer), target)),
            None => Err(TypeError::new(format!(
                "`*` needs a pointer, this has type `{}`",
                self.words(pointer)
            ))),
        }
    }

    /// `&operand` that every compiler takes: clang gives no address of a lane of a vector.
    pub fn address_of(&mut self, operand: ExprId) -> Built {
        if self.program.is_lane(operand) {
            return Err(TypeError::new("a lane of a vector has no address"));
        }
        self.any_address_of(operand)
    }

    /// `&operand`, C11 6.5.3.2.
    pub fn any_address_of(&mut self, operand: ExprId) -> Built {
        let ty = self.program.type_of(operand);
        if let ExprKind::Member(base, index) = self.program[operand].kind
            && let Type::Record(record) = *self.resolved(base)
            && let Some(fields) = &self.program[record].fields
            && fields[index as usize].bits.is_some()
        {
            return Err(TypeError::new("a bit-field has no address"));
        }
        let function = matches!(self.program.resolve(ty), Type::Function(_));
        if !function && !self.program.is_lvalue(operand) {
            return Err(TypeError::new(format!(
                "`&` needs an object or a function, this is a value of type `{}`",
                self.words(operand)
            )));
        }
        let pointer = self.program.types.pointer_to(ty);
        Ok(self.node(ExprKind::AddressOf(operand), pointer))
    }

    /// `+ - ~ ! __real__ __imag__`, C11 6.5.3.3.
    pub fn unary(&mut self, op: UnaryOp, operand: ExprId) -> Built {
        if matches!(op, UnaryOp::Real | UnaryOp::Imag) {
            return self.complex_part(op, operand);
        }
        let value = self.value(operand);
        let again = if op == UnaryOp::Not { None } else { self.promoted_type(self.bare(value)) };
        let value = self.shown(value, again);
        let ty = self.program.type_of(value);
        let vector = matches!(self.program.resolve(ty), Type::Vector { .. });
        let fits = match op {
            UnaryOp::Not => self.program.is_scalar(ty) || vector,
            UnaryOp::BitNot => {
                self.program.is_integer(ty)
                    || matches!(self.program.resolve(ty), Type::Complex(_))
                    || self.program.is_integer_vector(ty)
            }
            _ => self.program.is_arithmetic(ty) || vector,
        };
        if !fits {
            return Err(TypeError::new(format!(
                "`{}` cannot be applied to a value of type `{}`",
                match op {
                    UnaryOp::Plus => "+",
                    UnaryOp::Minus => "-",
                    UnaryOp::BitNot => "~",
                    _ => "!",
                },
                self.words(value)
            )));
        }
        if op == UnaryOp::Not {
            let result = if vector { self.truth_vector(ty) } else { Types::INT };
            return Ok(self.node(ExprKind::Unary(op, value), result));
        }
        let value = self.promote(value);
        let ty = self.program.type_of(value);
        Ok(self.node(ExprKind::Unary(op, value), ty))
    }

    fn complex_part(&mut self, op: UnaryOp, operand: ExprId) -> Built {
        let ty = self.program.type_of(operand);
        let element = match self.program.resolve(ty) {
            Type::Complex(element) => *element,
            // GNU C: a real number is its own real part.
            _ if self.program.is_arithmetic(ty) => ty.unqualified(),
            _ => {
                return Err(TypeError::new(format!(
                    "`__real__` and `__imag__` need a number, this has type `{}`",
                    self.words(operand)
                )));
            }
        };
        if self.program.is_lvalue(operand) && matches!(self.program.resolve(ty), Type::Complex(_)) {
            let element = self.program.types.qualified(element, ty.qualifiers());
            return Ok(self.node(ExprKind::Unary(op, operand), element));
        }
        let value = self.value(operand);
        Ok(self.node(ExprKind::Unary(op, value), element))
    }

    /// The type of a comparison of two vectors: signed integers of the same width.
    fn truth_vector(&mut self, ty: TypeId) -> TypeId {
        let Type::Vector { element, lanes } = *self.program.resolve(ty) else {
            unreachable!("called for vectors only")
        };
        let size = self.layouts.size_of(self.program, element).unwrap_or(4);
        let kinds =
            [IntKind::SChar, IntKind::Short, IntKind::Int, IntKind::Long, IntKind::LongLong];
        let target = self.program.target;
        let kind = kinds
            .into_iter()
            .find(|kind| u64::from(target.int_bits(*kind)) == size * 8)
            .unwrap_or(IntKind::Int128);
        self.program.types.vector_of(Types::int(kind), lanes)
    }

    /// Whether pointers to `pointee` can be moved by elements.
    pub(super) fn check_steps_over(&mut self, pointee: TypeId) -> Result<(), TypeError> {
        match self.layouts.size_of(self.program, pointee) {
            // GNU C gives void and functions a size of one.
            Ok(_) | Err(NoLayout::Void | NoLayout::Function | NoLayout::Variable) => Ok(()),
            Err(_) => Err(TypeError::new(format!(
                "arithmetic needs the size of `{}`, which is not known here",
                type_text(self.program, pointee)
            ))),
        }
    }

    /// Any operator with two operands that are both evaluated, C11 6.5.5 to 6.5.12.
    pub fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Built {
        let left = self.value(left);
        let right = self.value(right);
        let (left_type, right_type) = (self.program.type_of(left), self.program.type_of(right));
        let vectors = matches!(self.program.resolve(left_type), Type::Vector { .. })
            || matches!(self.program.resolve(right_type), Type::Vector { .. });
        if vectors {
            return self.vector_binary(op, left, right);
        }
        match (self.program.pointee(left_type), self.program.pointee(right_type)) {
            (None, None) => {}
            (left_pointee, right_pointee) => {
                if let Some(result) =
                    self.pointer_binary(op, (left, left_pointee), (right, right_pointee))
                {
                    return result;
                }
                return Err(self.no_operator(op, left, right));
            }
        }
        let (left, right) = self.shown_operands(op, left, right);
        let (left_type, right_type) = (self.program.type_of(left), self.program.type_of(right));
        let nulls = |ty| matches!(self.program.resolve(ty), Type::NullPointer);
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
            && nulls(left_type)
            && nulls(right_type)
        {
            return Ok(self.node(ExprKind::Binary(op, left, right), Types::INT));
        }
        let integers_only = matches!(
            op,
            BinaryOp::Rem
                | BinaryOp::Shl
                | BinaryOp::Shr
                | BinaryOp::BitAnd
                | BinaryOp::BitXor
                | BinaryOp::BitOr
        );
        let complex = [left, right].iter().any(|e| matches!(self.resolved(*e), Type::Complex(_)));
        let ordering = matches!(
            op,
            BinaryOp::Less | BinaryOp::Greater | BinaryOp::LessEqual | BinaryOp::GreaterEqual
        );
        if integers_only
            && !(self.program.is_integer(left_type) && self.program.is_integer(right_type))
            || ordering && complex
        {
            return Err(self.no_operator(op, left, right));
        }
        if op.is_shift() {
            // Each operand is promoted on its own, C11 6.5.7p3.
            let left = self.promote(left);
            let right = self.promote(right);
            let ty = self.program.type_of(left);
            return Ok(self.node(ExprKind::Binary(op, left, right), ty));
        }
        let Some((left, right, common)) = self.usual_conversions(left, right) else {
            return Err(self.no_operator(op, left, right));
        };
        let ty = if op.is_comparison() { Types::INT } else { common };
        Ok(self.node(ExprKind::Binary(op, left, right), ty))
    }

    /// A number without its implicit conversions.
    fn bare(&self, mut value: ExprId) -> ExprId {
        while let ExprKind::Convert(inner) = self.program[value].kind {
            value = inner;
        }
        value
    }

    /// A number as an operand: a conversion that was implicit somewhere else becomes a cast, unless
    /// its type is that to which this place converts by itself. It would not show in the text.
    pub(super) fn shown(&mut self, value: ExprId, again: Option<TypeId>) -> ExprId {
        let ty = self.program.type_of(value);
        match self.program[value].kind {
            ExprKind::Convert(inner) if self.program.is_arithmetic(ty) && again != Some(ty) => {
                self.node(ExprKind::Cast(inner), ty)
            }
            _ => value,
        }
    }

    /// The same for two operands, which are converted together.
    pub(super) fn shown_operands(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> (ExprId, ExprId) {
        let (plain_left, plain_right) = (self.bare(left), self.bare(right));
        if (plain_left, plain_right) == (left, right) {
            return (left, right);
        }
        if op.is_shift() {
            let again = [plain_left, plain_right].map(|operand| self.promoted_type(operand));
            return (self.shown(left, again[0]), self.shown(right, again[1]));
        }
        let again = self.common_type(plain_left, plain_right);
        let is_again = |value, plain| value == plain || Some(self.program.type_of(value)) == again;
        if is_again(left, plain_left) && is_again(right, plain_right) {
            return (left, right);
        }
        (self.shown(left, None), self.shown(right, None))
    }

    fn no_operator(&self, op: BinaryOp, left: ExprId, right: ExprId) -> TypeError {
        TypeError::new(format!(
            "`{}` cannot be applied to `{}` and `{}`",
            op.text(),
            self.words(left),
            self.words(right)
        ))
    }

    /// Operators with at least one pointer, C11 6.5.6, 6.5.8, 6.5.9.
    fn pointer_binary(
        &mut self,
        op: BinaryOp,
        (left, left_pointee): (ExprId, Option<TypeId>),
        (right, right_pointee): (ExprId, Option<TypeId>),
    ) -> Option<Built> {
        let (left_type, right_type) = (self.program.type_of(left), self.program.type_of(right));
        match (op, left_pointee, right_pointee) {
            (BinaryOp::Add | BinaryOp::Sub, Some(pointee), None)
                if self.program.is_integer(right_type) =>
            {
                Some(self.check_steps_over(pointee).map(|()| {
                    let right = self.promote(right);
                    self.node(ExprKind::Binary(op, left, right), left_type)
                }))
            }
            (BinaryOp::Add, None, Some(pointee)) if self.program.is_integer(left_type) => {
                Some(self.check_steps_over(pointee).map(|()| {
                    let left = self.promote(left);
                    self.node(ExprKind::Binary(op, left, right), right_type)
                }))
            }
            (BinaryOp::Sub, Some(a), Some(b)) => {
                if !compatible_unqualified(self.program, a, b) {
                    return None;
                }
                Some(self.check_steps_over(a).map(|()| {
                    let ty = Types::int(self.program.target.ptrdiff_type);
                    self.node(ExprKind::Binary(op, left, right), ty)
                }))
            }
            _ if !op.is_comparison() => None,
            (_, Some(a), Some(b)) => {
                // Pointers to unrelated types are compared as addresses; compilers warn.
                let common = self.common_pointee(a, b, left, right).unwrap_or(Types::VOID);
                let pointer = self.program.types.pointer_to(common);
                let left = self.convert(left, pointer);
                let right = self.convert(right, pointer);
                Some(Ok(self.node(ExprKind::Binary(op, left, right), Types::INT)))
            }
            (_, Some(_), None) => {
                let right = self.comparand(right, left_type)?;
                Some(Ok(self.node(ExprKind::Binary(op, left, right), Types::INT)))
            }
            (_, None, Some(_)) => {
                let left = self.comparand(left, right_type)?;
                Some(Ok(self.node(ExprKind::Binary(op, left, right), Types::INT)))
            }
            (_, None, None) => None,
        }
    }

    /// A null pointer constant or, permissively, an integer, compared with a pointer.
    fn comparand(&mut self, expr: ExprId, pointer: TypeId) -> Option<ExprId> {
        let ty = self.program.type_of(expr);
        let null = matches!(self.program.resolve(ty), Type::NullPointer)
            || self.program.is_integer(ty) && (self.permissive || self.is_null_constant(expr));
        null.then(|| self.convert(expr, pointer))
    }

    /// What two pointers that are compared or chosen between both point to:
    /// the composite of compatible types, `void` if one is `void`; with the
    /// qualifiers of both (C11 6.5.15p6).
    fn common_pointee(
        &mut self,
        left: TypeId,
        right: TypeId,
        left_value: ExprId,
        right_value: ExprId,
    ) -> Option<TypeId> {
        let qualifiers = left.qualifiers() | right.qualifiers();
        let target = if self.is_null_constant(left_value) && left == Types::VOID {
            return Some(right);
        } else if self.is_null_constant(right_value) && right == Types::VOID {
            return Some(left);
        } else if compatible_unqualified(self.program, left, right) {
            composite(self.program, left.unqualified(), right.unqualified())
        } else if alike(self.program, left, right) {
            left.unqualified()
        } else if left.unqualified() == Types::VOID
            || right.unqualified() == Types::VOID
            || self.permissive
        {
            Types::VOID
        } else {
            return None;
        };
        Some(self.program.types.qualified(target, qualifiers))
    }

    /// Operators on GNU vectors: lane by lane; a scalar goes to every lane.
    fn vector_binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Built {
        let (left_type, right_type) = (self.program.type_of(left), self.program.type_of(right));
        let vector = match (self.program.resolve(left_type), self.program.resolve(right_type)) {
            (Type::Vector { .. }, Type::Vector { .. }) => {
                let same = compatible_unqualified(self.program, left_type, right_type)
                    || self.same_lanes(left_type, right_type)
                        && (op.is_shift() || op.is_comparison() || self.permissive);
                if !same {
                    return Err(self.no_operator(op, left, right));
                }
                left_type
            }
            (Type::Vector { .. }, _) => left_type,
            _ => right_type,
        };
        let vector = vector.unqualified();
        let mut side = |expr: ExprId| {
            let ty = self.program.type_of(expr);
            match self.program.resolve(ty) {
                Type::Vector { .. } => Some(expr),
                _ if self.program.is_arithmetic(ty) => Some(self.convert(expr, vector)),
                _ => None,
            }
        };
        let (Some(left), Some(right)) = (side(left), side(right)) else {
            return Err(self.no_operator(op, left, right));
        };
        let integers_only =
            matches!(op, BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr)
                || op.is_shift();
        if integers_only && !self.program.is_integer_vector(vector) {
            return Err(self.no_operator(op, left, right));
        }
        let ty = if op.is_comparison() { self.truth_vector(vector) } else { vector };
        Ok(self.node(ExprKind::Binary(op, left, right), ty))
    }

    fn same_lanes(&self, left: TypeId, right: TypeId) -> bool {
        match (self.program.resolve(left), self.program.resolve(right)) {
            (Type::Vector { lanes: a, .. }, Type::Vector { lanes: b, .. }) => a == b,
            _ => false,
        }
    }

    /// `&&` and `||`, C11 6.5.13 and 6.5.14.
    pub fn logical(&mut self, op: LogicalOp, left: ExprId, right: ExprId) -> Built {
        let left = self.condition(left)?;
        let right = self.condition(right)?;
        let (left, right) = (self.shown(left, None), self.shown(right, None));
        Ok(self.node(ExprKind::Logical(op, left, right), Types::INT))
    }

    /// `left, right`, C11 6.5.17.
    pub fn comma(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let left = self.value(left);
        let right = self.value(right);
        let ty = self.program.type_of(right);
        self.node(ExprKind::Comma(left, right), ty)
    }

    /// `condition ? then : otherwise`, C11 6.5.15; without `then`, the GNU form.
    pub fn conditional(
        &mut self,
        condition: ExprId,
        then: Option<ExprId>,
        otherwise: ExprId,
    ) -> Built {
        let lanes = self.value(condition);
        if self.program.is_extended_value(lanes)
            && let Some(then) = then
        {
            return self.select_lanes(lanes, then, otherwise);
        }
        let condition = self.condition(condition)?;
        let then_value = match then {
            Some(then) => self.value(then),
            None => condition,
        };
        let otherwise = self.value(otherwise);
        let (a, b) = (self.program.type_of(then_value), self.program.type_of(otherwise));
        let ty = if self.program.is_arithmetic(a) && self.program.is_arithmetic(b) {
            self.common_type(then_value, otherwise)
        } else if a == Types::VOID || b == Types::VOID {
            Some(Types::VOID)
        } else {
            self.common_operand(then_value, otherwise)
        };
        let Some(ty) = ty else {
            return Err(TypeError::new(format!(
                "the two results of `?:` have types `{}` and `{}`, which do not go together",
                self.words(then_value),
                self.words(otherwise)
            )));
        };
        let (then, otherwise) = if ty == Types::VOID {
            (then.map(|_| then_value), otherwise)
        } else {
            let then = then.map(|_| self.convert(then_value, ty));
            (then, self.convert(otherwise, ty))
        };
        Ok(self.node(ExprKind::Conditional { condition, then, otherwise }, ty))
    }

    /// `?:` of clang's vectors: the signs of the lanes of the condition choose.
    fn select_lanes(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> Built {
        let (then, otherwise) = (self.value(then), self.value(otherwise));
        let (a, b) = (self.program.type_of(then), self.program.type_of(otherwise));
        let tested = self.program.type_of(condition);
        let fits = self.program.is_integer_vector(tested)
            && self.same_lanes(tested, a)
            && self.same_size(tested, a)
            && compatible_unqualified(self.program, a, b);
        if !fits {
            return Err(TypeError::new("a choice between lanes of such types is not supported"));
        }
        let otherwise = self.convert(otherwise, a);
        let then = Some(then);
        Ok(self.node(ExprKind::Conditional { condition, then, otherwise }, a))
    }

    fn common_operand(&mut self, left: ExprId, right: ExprId) -> Option<TypeId> {
        let (a, b) = (self.program.type_of(left), self.program.type_of(right));
        match (self.program.pointee(a), self.program.pointee(b)) {
            (Some(left_target), Some(right_target)) => {
                let target = self.common_pointee(left_target, right_target, left, right)?;
                Some(self.program.types.pointer_to(target))
            }
            (Some(_), None) => self.is_pointer_operand(right, b).then_some(a),
            (None, Some(_)) => self.is_pointer_operand(left, a).then_some(b),
            (None, None) => compatible_unqualified(self.program, a, b).then_some(a),
        }
    }

    fn is_pointer_operand(&mut self, expr: ExprId, ty: TypeId) -> bool {
        matches!(self.program.resolve(ty), Type::NullPointer)
            || self.program.is_integer(ty) && (self.permissive || self.is_null_constant(expr))
    }

    /// `vector.xyzw` and the like: one lane is an lvalue if the vector is one, several are a value.
    pub fn swizzle(&mut self, base: ExprId, lanes: &[u32]) -> Built {
        if let [lane] = lanes {
            let index = self.int(IntKind::Int, u64::from(*lane));
            return self.index(base, index);
        }
        let vector = self.value(base);
        let Type::Vector { element, .. } = *self.resolved(vector) else {
            return Err(TypeError::new(format!("`{}` has no lanes", self.words(base))));
        };
        let Some(packed) = Lanes::new(lanes).filter(|_| lanes.len().is_power_of_two()) else {
            return Err(TypeError::new("a vector of such lanes is not supported"));
        };
        let ty = self.program.types.vector_of(element, lanes.len() as u32);
        Ok(self.node(ExprKind::Swizzle(vector, packed), ty))
    }

    /// `pointer[index]` in either order, and lanes of vectors, C11 6.5.2.1.
    pub fn index(&mut self, base: ExprId, index: ExprId) -> Built {
        if let Type::Vector { element, .. } = *self.resolved(base) {
            let qualifiers = self.program.type_of(base).qualifiers();
            let index = self.value(index);
            let index = self.promote(index);
            let element = self.program.types.qualified(element, qualifiers);
            return Ok(self.node(ExprKind::Index(base, index), element));
        }
        let base = self.value(base);
        let index = self.value(index);
        let (pointer, index) = match self.program.pointee(self.program.type_of(base)) {
            Some(_) => (base, index),
            None => (index, base),
        };
        let Some(pointee) = self.program.pointee(self.program.type_of(pointer)) else {
            return Err(TypeError::new(format!(
                "`[]` needs an array or a pointer, this has type `{}`",
                self.words(base)
            )));
        };
        if !self.program.is_integer(self.program.type_of(index)) {
            return Err(TypeError::new(format!(
                "an index must be an integer, this has type `{}`",
                self.words(index)
            )));
        }
        self.check_steps_over(pointee)?;
        let index = self.promote(index);
        Ok(self.node(ExprKind::Index(pointer, index), pointee))
    }

    /// The member `index` of a record, C11 6.5.2.3.
    pub fn member(&mut self, base: ExprId, index: u32) -> ExprId {
        let ty = self.program.type_of(base);
        let Type::Record(record) = *self.program.resolve(ty) else {
            unreachable!("the caller looked the member up in a record")
        };
        let fields = self.program[record].fields.as_ref().expect("the record is complete");
        let field = fields[index as usize].ty;
        let field = if self.program.is_lvalue(base) {
            self.program.types.qualified(field, ty.qualifiers())
        } else if matches!(self.program.resolve(field), Type::Array { .. }) {
            // An array in a temporary is still designated, so that it can decay.
            field
        } else {
            field.unqualified()
        };
        self.node(ExprKind::Member(base, index), field)
    }

    /// `function(arguments)`, C11 6.5.2.2.
    pub fn call(&mut self, function: ExprId, mut arguments: Vec<ExprId>) -> Built {
        let function = self.value(function);
        let pointee = self.program.pointee(self.program.type_of(function));
        let Some(Type::Function(ty)) = pointee.map(|target| self.program.resolve(target)) else {
            return Err(TypeError::new(format!(
                "only a function can be called, this has type `{}`",
                self.words(function)
            )));
        };
        let FunctionType { result, parameters, variadic, prototyped } = (**ty).clone();
        let count = parameters.len();
        if prototyped && (arguments.len() < count || arguments.len() > count && !variadic) {
            return Err(TypeError::new(format!(
                "this function takes {}{count} argument{}, but {} {} given",
                if variadic { "at least " } else { "" },
                if count == 1 { "" } else { "s" },
                arguments.len(),
                if arguments.len() == 1 { "is" } else { "are" },
            )));
        }
        for (position, argument) in arguments.iter_mut().enumerate() {
            let culprit = Some(*argument);
            *argument = match parameters.get(position) {
                Some(parameter) if prototyped => {
                    self.convert_argument(*argument, *parameter).map_err(|error| TypeError {
                        message: format!("argument {}: {}", position + 1, error.message),
                        help: error.help,
                        culprit,
                    })?
                }
                _ => {
                    let value = self.value(*argument);
                    if self.program.type_of(value) == Types::VOID {
                        let message = format!("argument {} has no value", position + 1);
                        return Err(TypeError { culprit, ..TypeError::new(message) });
                    }
                    self.promote_argument(value)
                }
            };
        }
        if let Type::Record(record) = self.program.resolve(result)
            && self.program[*record].fields.is_none()
        {
            let words = type_text(self.program, result);
            return Err(TypeError::new(format!("this returns `{words}`, which is incomplete")));
        }
        Ok(self.node(ExprKind::Call(function, arguments.into()), result.unqualified()))
    }

    /// An argument for a parameter. One whose type is a `transparent_union` takes a value
    /// for any of its members: the first that fits.
    fn convert_argument(&mut self, argument: ExprId, ty: TypeId) -> Built {
        let argument = self.value(argument);
        let whole = self.convert_assigned(argument, ty);
        let Type::Record(record) = *self.program.resolve(ty) else { return whole };
        if whole.is_ok() || !self.is_transparent(record) {
            return whole;
        }
        let fields = self.program[record].fields.clone().unwrap_or_default();
        for (index, field) in fields.iter().enumerate() {
            if let Ok(value) = self.convert_assigned(argument, field.ty) {
                let item = InitItem { place: InitPlace::Field(index as u32), value };
                let list = self.node(ExprKind::InitList([item].into()), ty.unqualified());
                let literal = self.node(ExprKind::CompoundLiteral(list), ty.unqualified());
                return Ok(self.value(literal));
            }
        }
        whole
    }

    fn is_transparent(&self, record: RecordId) -> bool {
        let name = self.program.names.find("transparent_union");
        let record = &self.program[record];
        record.kind == RecordKind::Union
            && record.attributes.iter().any(|attribute| Some(attribute.name) == name)
    }

    /// `(ty)operand`, C11 6.5.4.
    pub fn cast(&mut self, operand: ExprId, ty: TypeId) -> Built {
        let to = ty.unqualified();
        let value = self.value(operand);
        let value = self.shown(value, None);
        let from = self.program.type_of(value);
        if to == Types::VOID {
            return Ok(self.node(ExprKind::Cast(value), to));
        }
        let allowed = match (self.program.resolve(from), self.program.resolve(to)) {
            // Clang's vectors get the number in every lane.
            (_, Type::Vector { .. })
                if self.program.is_extended(to) && self.program.is_arithmetic(from) =>
            {
                true
            }
            (Type::Vector { .. }, _) | (_, Type::Vector { .. }) => {
                let integers = self.program.is_integer(from)
                    || self.program.is_integer(to)
                    || matches!(self.program.resolve(from), Type::Vector { .. })
                        && matches!(self.program.resolve(to), Type::Vector { .. });
                integers && self.same_size(from, to)
            }
            (Type::Pointer(_), Type::Float(_)) | (Type::Float(_), Type::Pointer(_)) => false,
            (Type::Pointer(_), Type::Complex(_)) | (Type::Complex(_), Type::Pointer(_)) => false,
            // GNU C: a union can be made from one of its members.
            (_, Type::Record(record)) => {
                let record = *record;
                return self.cast_to_union(value, record, to);
            }
            _ => self.program.is_scalar(from) && self.program.is_scalar(to),
        };
        if allowed {
            Ok(self.node(ExprKind::Cast(value), to))
        } else {
            Err(TypeError::new(format!(
                "a value of type `{}` cannot be cast to `{}`",
                type_text(self.program, from),
                type_text(self.program, to)
            )))
        }
    }

    fn cast_to_union(
        &mut self,
        value: ExprId,
        record: crate::arena::RecordId,
        to: TypeId,
    ) -> Built {
        let from = self.program.type_of(value);
        if from == to {
            return Ok(self.node(ExprKind::Cast(value), to));
        }
        let union = self.program[record].kind == crate::program::RecordKind::Union;
        let member = self.program[record].fields.as_ref().filter(|_| union).and_then(|fields| {
            let fits = |field: &Field| {
                field.bits.is_none() && compatible_unqualified(self.program, field.ty, from)
            };
            fields.iter().position(fits).map(|member| (member, fields[member].ty))
        });
        let Some((member, ty)) = member else {
            return Err(TypeError::new(format!(
                "a value of type `{}` cannot be cast to `{}`",
                type_text(self.program, from),
                type_text(self.program, to)
            )));
        };
        // The types may differ all the same: an enumeration and its underlying type.
        let value = self.convert(value, ty);
        let item =
            crate::expr::InitItem { place: crate::expr::InitPlace::Field(member as u32), value };
        let list = self.node(ExprKind::InitList([item].into()), to);
        let literal = self.node(ExprKind::CompoundLiteral(list), to);
        Ok(self.value(literal))
    }

    /// Whether `sizeof` can be applied to a type.
    pub fn check_sizeof(&mut self, ty: TypeId) -> Result<(), TypeError> {
        match self.layouts.size_of(self.program, ty) {
            Ok(_) | Err(NoLayout::Void | NoLayout::Function | NoLayout::Variable) => Ok(()),
            Err(NoLayout::TooLarge) => {
                Err(TypeError::new(format!("`{}` is too large", type_text(self.program, ty))))
            }
            Err(_) => Err(TypeError::new(format!(
                "the size of `{}` is not known here",
                type_text(self.program, ty)
            ))),
        }
    }
}
