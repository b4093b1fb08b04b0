//! Complex numbers and GNU vectors: values of several parts, each a scalar.
//!
//! Such a value is in memory, as aggregates are, and its register points to it.
//! Operators read the parts into registers, work on each as on a scalar, so that
//! every rule of scalars holds for parts too, and make a temporary of the results.

use farrier_lang::{BinaryOp, ExprId, Lanes, StepOp, Type, TypeId, Types, UnaryOp};

use super::Lowerer;
use super::lvalues::Lvalue;
use crate::code::{Element, Local, Op, Reg};
use crate::value::{Scalar, Value};
use crate::verdict::{At, Checked};

/// Vectors of more lanes are not supported: their operators are unrolled.
const MOST_LANES: u32 = 256;

/// What a type of several parts is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Parts {
    pub(super) element: TypeId,
    pub(super) count: u32,
    pub(super) complex: bool,
}

impl Lowerer<'_> {
    /// The parts of a complex or vector type.
    pub(super) fn parts(&self, ty: TypeId) -> Option<Parts> {
        if self.scalar(ty).is_some() {
            return None;
        }
        match *self.program.resolve(ty) {
            Type::Complex(element) => Some(Parts { element, count: 2, complex: true }),
            Type::Vector { element, lanes } => {
                Some(Parts { element, count: lanes, complex: false })
            }
            _ => None,
        }
    }

    /// The scalar type of the parts; of a scalar type, itself.
    fn part_scalar(&mut self, ty: TypeId) -> Option<Scalar> {
        let parts = self.parts(ty);
        if parts.is_some_and(|parts| parts.count > MOST_LANES) {
            return None;
        }
        self.scalar(parts.map_or(ty, |parts| parts.element))
    }

    /// The parts of a value of type `ty` in registers of their own; of a scalar, itself.
    pub(super) fn read_parts(&mut self, ty: TypeId, value: Reg) -> Vec<Reg> {
        let Some(parts) = self.parts(ty) else { return vec![value] };
        let Some(scalar) = self.part_scalar(ty) else {
            return vec![self.unsupported("complex numbers or vectors of this type")];
        };
        let size = self.size_of(parts.element).unwrap_or(0) as u32;
        (0..parts.count).map(|index| self.read_part(scalar, value, index * size)).collect()
    }

    /// Part of a value in memory; the type of the memory does not matter.
    fn read_part(&mut self, scalar: Scalar, value: Reg, offset: u32) -> Reg {
        let dst = self.temporary();
        let pointer = if offset == 0 {
            value
        } else {
            self.emit(Op::Member { dst, pointer: value, offset, size: offset });
            dst
        };
        let access = self.unchecked_access();
        self.emit(Op::Load { ty: scalar, dst, pointer, access });
        dst
    }

    /// A value of type `ty` made of parts.
    fn build(&mut self, ty: TypeId, parts: &[Reg]) -> Reg {
        let Some(of) = self.parts(ty) else { return parts[0] };
        let (Some(scalar), At::Expr(expr)) = (self.part_scalar(ty), self.at) else {
            return self.unsupported("complex numbers or vectors of this type");
        };
        let local = self.temporary_memory(expr, ty.unqualified());
        self.emit(Op::Enter { local });
        let size = self.size_of(of.element).unwrap_or(0) as u32;
        for (index, src) in parts.iter().enumerate() {
            let offset = index as u32 * size;
            self.emit(Op::StoreLocal { ty: scalar, src: *src, local, offset });
        }
        let dst = self.temporary();
        self.emit(Op::LocalAddress { dst, local, offset: 0 });
        dst
    }

    fn zero_part(&mut self) -> Reg {
        // All bits zero is the zero of every scalar type.
        self.constant(Value::default(), None)
    }

    /// Whether a value is not zero, as a scalar to test.
    pub(super) fn truth(&mut self, ty: TypeId, value: Reg) -> Option<(Scalar, Reg)> {
        let scalar = self.part_scalar(ty)?;
        let Some(parts) = self.parts(ty) else {
            self.check_alive(scalar, value);
            return Some((scalar, value));
        };
        if !parts.complex {
            return None;
        }
        let int = self.int_scalar();
        let regs = self.read_parts(ty, value);
        let zeros: Vec<Reg> = regs
            .into_iter()
            .map(|src| {
                let dst = self.temporary();
                self.emit(Op::Not { ty: scalar, dst, src });
                dst
            })
            .collect();
        let both = self.temporary();
        let op = BinaryOp::BitAnd;
        self.emit(Op::Binary { op, ty: int, dst: both, left: zeros[0], right: zeros[1] });
        let dst = self.temporary();
        self.emit(Op::Not { ty: int, dst, src: both });
        Some((int, dst))
    }

    pub(super) fn int_scalar(&self) -> Scalar {
        let bits = self.program.target.int_bits(farrier_lang::IntKind::Int) as u8;
        Scalar::Int { signed: true, bits }
    }

    /// An operator on values of which at least one has parts.
    pub(super) fn binary_parts(
        &mut self,
        op: BinaryOp,
        (left_type, left): (TypeId, Reg),
        (right_type, right): (TypeId, Reg),
        ty: TypeId,
    ) -> Reg {
        let left_parts = self.read_parts(left_type, left);
        let right_parts = self.read_parts(right_type, right);
        let results = self.combine(op, (left_type, left_parts), (right_type, right_parts), ty);
        self.build(ty, &results)
    }

    fn scalar_binary(&mut self, op: BinaryOp, ty: Scalar, left: Reg, right: Reg) -> Reg {
        let right = if op.is_shift() { self.shift_count(right, Some(ty)) } else { right };
        let dst = self.temporary();
        if op.is_shift() {
            self.emit(Op::Shift { op, ty, dst, left, right });
        } else {
            self.emit(Op::Binary { op, ty, dst, left, right });
        }
        dst
    }

    fn scalar_negate(&mut self, ty: Scalar, src: Reg) -> Reg {
        let dst = self.temporary();
        self.emit(Op::Negate { ty, dst, src });
        dst
    }

    fn combine(
        &mut self,
        op: BinaryOp,
        (left_type, left): (TypeId, Vec<Reg>),
        (right_type, right): (TypeId, Vec<Reg>),
        ty: TypeId,
    ) -> Vec<Reg> {
        let main = if self.parts(left_type).is_some() { left_type } else { right_type };
        let (Some(parts), Some(scalar)) = (self.parts(main), self.part_scalar(main)) else {
            return vec![self.unsupported("complex numbers or vectors of this type")];
        };
        if parts.complex {
            return self.combine_complex(op, scalar, &left, &right);
        }
        (0..parts.count as usize)
            .map(|lane| {
                // A shift count may be a scalar.
                let other = right.get(lane).or(right.first()).copied().unwrap_or(0);
                let result = self.scalar_binary(op, scalar, left[lane], other);
                if !op.is_comparison() {
                    return result;
                }
                // The truth of a lane is all ones.
                match self.part_scalar(ty) {
                    Some(mask) => self.scalar_negate(mask, result),
                    None => result,
                }
            })
            .collect()
    }

    /// Operators on complex numbers, where a real operand has one part. C11 Annex G
    /// leaves how to multiply and divide open; what compilers agree on is supported.
    fn combine_complex(
        &mut self,
        op: BinaryOp,
        ty: Scalar,
        left: &[Reg],
        right: &[Reg],
    ) -> Vec<Reg> {
        match (op, left, right) {
            (BinaryOp::Equal | BinaryOp::NotEqual, _, _) => {
                let pair = |lowerer: &mut Self, parts: &[Reg]| match *parts {
                    [real] => [real, lowerer.zero_part()],
                    _ => [parts[0], parts[1]],
                };
                let (left, right) = (pair(self, left), pair(self, right));
                let real = self.scalar_binary(op, ty, left[0], right[0]);
                let imaginary = self.scalar_binary(op, ty, left[1], right[1]);
                let both = if op == BinaryOp::Equal { BinaryOp::BitAnd } else { BinaryOp::BitOr };
                let int = self.int_scalar();
                vec![self.scalar_binary(both, int, real, imaginary)]
            }
            (BinaryOp::Add | BinaryOp::Sub, [a, b], [c, d]) => {
                let real = self.scalar_binary(op, ty, *a, *c);
                vec![real, self.scalar_binary(op, ty, *b, *d)]
            }
            (BinaryOp::Add | BinaryOp::Sub, [a, b], [c]) => {
                vec![self.scalar_binary(op, ty, *a, *c), *b]
            }
            (BinaryOp::Add, [a], [c, d]) => vec![self.scalar_binary(op, ty, *a, *c), *d],
            (BinaryOp::Sub, [a], [c, d]) => {
                let real = self.scalar_binary(op, ty, *a, *c);
                vec![real, self.scalar_negate(ty, *d)]
            }
            (BinaryOp::Mul, [a], [c, d]) | (BinaryOp::Mul, [c, d], [a]) => {
                let real = self.scalar_binary(op, ty, *a, *c);
                vec![real, self.scalar_binary(op, ty, *a, *d)]
            }
            (BinaryOp::Mul, [a, b], [c, d]) => {
                let ac = self.scalar_binary(op, ty, *a, *c);
                let bd = self.scalar_binary(op, ty, *b, *d);
                let ad = self.scalar_binary(op, ty, *a, *d);
                let bc = self.scalar_binary(op, ty, *b, *c);
                let real = self.scalar_binary(BinaryOp::Sub, ty, ac, bd);
                let imaginary = self.scalar_binary(BinaryOp::Add, ty, ad, bc);
                self.refuse_recovery(ty, real, imaginary);
                vec![real, imaginary]
            }
            (BinaryOp::Div, [a, b], [c]) => {
                let real = self.scalar_binary(op, ty, *a, *c);
                vec![real, self.scalar_binary(op, ty, *b, *c)]
            }
            // Libraries and compilers round quotients in different ways.
            _ => vec![self.unsupported("division by a complex number"); 2],
        }
    }

    /// Where both parts of a product are no number, compilers try to find an infinity.
    fn refuse_recovery(&mut self, ty: Scalar, real: Reg, imaginary: Reg) {
        if !matches!(ty, Scalar::Single | Scalar::Double | Scalar::Float(_)) {
            return;
        }
        let mut skips = Vec::new();
        for part in [real, imaginary] {
            let src = self.scalar_binary(BinaryOp::NotEqual, ty, part, part);
            let int = self.int_scalar();
            skips.push(self.emit(Op::JumpIfZero { ty: int, src, to: 0 }));
        }
        self.unsupported("a product of complex numbers that are infinite or no numbers");
        for skip in skips {
            self.land(skip);
        }
    }

    /// `- ~ ! + __real__ __imag__` of a complex number or vector.
    pub(super) fn unary_parts(&mut self, op: UnaryOp, of: TypeId, value: Reg, ty: TypeId) -> Reg {
        let (Some(parts), Some(scalar)) = (self.parts(of), self.part_scalar(of)) else {
            return self.unsupported("complex numbers or vectors of this type");
        };
        if parts.complex && op == UnaryOp::Not {
            let Some((scalar, src)) = self.truth(of, value) else { unreachable!("it is complex") };
            let dst = self.temporary();
            self.emit(Op::Not { ty: scalar, dst, src });
            return dst;
        }
        let mut regs = self.read_parts(of, value);
        match op {
            UnaryOp::Plus => {}
            UnaryOp::Real => return regs[0],
            UnaryOp::Imag => return regs[1],
            // The conjugate.
            UnaryOp::BitNot if parts.complex => regs[1] = self.scalar_negate(scalar, regs[1]),
            UnaryOp::Not => {
                let zero = self.zero_part();
                let mask = self.part_scalar(ty).unwrap_or(scalar);
                for reg in &mut regs {
                    let truth = self.scalar_binary(BinaryOp::Equal, scalar, *reg, zero);
                    *reg = self.scalar_negate(mask, truth);
                }
            }
            UnaryOp::Minus | UnaryOp::BitNot => {
                for reg in &mut regs {
                    let dst = self.temporary();
                    self.emit(if op == UnaryOp::Minus {
                        Op::Negate { ty: scalar, dst, src: *reg }
                    } else {
                        Op::Complement { ty: scalar, dst, src: *reg }
                    });
                    *reg = dst;
                }
            }
        }
        self.build(ty, &regs)
    }

    /// Converts a value of which the type before or after has parts. A scalar goes to
    /// every lane of a vector; vectors, and scalars that are cast to those of GNU C, keep their
    /// bytes.
    pub(super) fn convert_parts(
        &mut self,
        value: Reg,
        from: TypeId,
        to: TypeId,
        cast: bool,
    ) -> Reg {
        match (self.parts(from), self.parts(to)) {
            (Some(a), Some(b)) if !a.complex && !b.complex && a == b => value,
            (Some(a), Some(b)) if !a.complex && !b.complex => self.same_bytes(value, to),
            (Some(parts), None) if !parts.complex => match self.scalar(to) {
                Some(scalar) => self.read_part(scalar, value, 0),
                None => self.unsupported("a conversion of vectors"),
            },
            (None, Some(parts))
                if !parts.complex
                    && cast
                    && !self.program.is_extended(to)
                    && self.size_of(from) == self.size_of(to) =>
            {
                let (Some(ty), At::Expr(expr)) = (self.scalar(from), self.at) else {
                    return self.unsupported("a conversion of vectors");
                };
                let local = self.temporary_memory(expr, to.unqualified());
                self.emit(Op::Enter { local });
                self.emit(Op::StoreLocal { ty, src: value, local, offset: 0 });
                let dst = self.temporary();
                self.emit(Op::LocalAddress { dst, local, offset: 0 });
                dst
            }
            _ => {
                let regs = self.read_parts(from, value);
                match self.converted_parts(regs, from, to) {
                    Some(regs) => self.build(to, &regs),
                    None => self.unsupported("a conversion of complex numbers or vectors"),
                }
            }
        }
    }

    /// The bytes of a vector as an object of another type, whose lanes can be accessed.
    fn same_bytes(&mut self, from: Reg, ty: TypeId) -> Reg {
        let At::Expr(expr) = self.at else { return self.unsupported("a conversion of vectors") };
        let local = self.temporary_memory(expr, ty.unqualified());
        self.emit(Op::Enter { local });
        let to = self.temporary();
        self.emit(Op::LocalAddress { dst: to, local, offset: 0 });
        let size = self.size_of(ty).unwrap_or(0) as u32;
        self.emit(Op::CopyBytes { to, from, size });
        to
    }

    /// Parts of one type as parts of another. A vector keeps its lanes.
    fn converted_parts(&mut self, parts: Vec<Reg>, from: TypeId, to: TypeId) -> Option<Vec<Reg>> {
        let (from_scalar, to_scalar) = (self.part_scalar(from)?, self.part_scalar(to)?);
        if let (Some(Parts { complex: true, .. }), Scalar::Bool, None) =
            (self.parts(from), to_scalar, self.parts(to))
        {
            let regs: Vec<Reg> =
                parts.iter().map(|part| self.converted(*part, from_scalar, Scalar::Bool)).collect();
            let int = self.int_scalar();
            return Some(vec![self.scalar_binary(BinaryOp::BitOr, int, regs[0], regs[1])]);
        }
        let wanted = self.parts(to);
        let count = wanted.map_or(1, |wanted| wanted.count as usize);
        let mut regs: Vec<Reg> = parts
            .into_iter()
            .take(count)
            .map(|part| self.converted(part, from_scalar, to_scalar))
            .collect();
        while regs.len() < count {
            let filler = match wanted {
                Some(Parts { complex: true, .. }) => self.zero_part(),
                _ => regs[0],
            };
            regs.push(filler);
        }
        Some(regs)
    }

    /// `target op= value` where one of them has parts.
    pub(super) fn compound_assign_parts(
        &mut self,
        op: BinaryOp,
        (place, ty): (Lvalue, TypeId),
        (value_type, value): (TypeId, Reg),
        computation: TypeId,
    ) -> Reg {
        let ty = ty.unqualified();
        let old = match self.parts(ty) {
            Some(_) => self.address(place),
            None => self.load(place, ty, None),
        };
        let old = self.read_parts(ty, old);
        let right = self.read_parts(value_type, value);
        let Some(left) = self.converted_parts(old, ty, computation) else {
            return self.unsupported("complex numbers or vectors of this type");
        };
        // A real operand of a complex operation stays real; its result is complex.
        let result = if self.parts(computation).is_some() { computation } else { value_type };
        let new = self.combine(op, (computation, left), (value_type, right), result);
        let Some(new) = self.converted_parts(new, result, ty) else {
            return self.unsupported("complex numbers or vectors of this type");
        };
        self.assign_parts(place, ty, &new)
    }

    /// Stores a value of parts; the value of the assignment.
    fn assign_parts(&mut self, place: Lvalue, ty: TypeId, parts: &[Reg]) -> Reg {
        if self.parts(ty).is_none() {
            self.store(place, ty, parts[0]);
            return parts[0];
        }
        let from = self.build(ty, parts);
        let to = self.address(place);
        let size = self.size_of(ty).unwrap_or(0) as u32;
        self.emit(Op::CopyBytes { to, from, size });
        from
    }

    /// `++` and `--`: of the real part of a complex number, of each lane of a vector.
    pub(super) fn step_parts(&mut self, op: StepOp, place: Lvalue, ty: TypeId) -> Reg {
        let (Some(parts), Some(scalar)) = (self.parts(ty), self.part_scalar(ty)) else {
            return self.unsupported("complex numbers or vectors of this type");
        };
        let pointer = self.address(place);
        let old = self.read_parts(ty, pointer);
        let post = matches!(op, StepOp::PostIncrement | StepOp::PostDecrement);
        let before = if post { self.build(ty, &old) } else { 0 };
        let int = self.int_scalar();
        let one = self.constant(Value::int(1), None);
        let one = self.converted(one, int, scalar);
        let negative = matches!(op, StepOp::PreDecrement | StepOp::PostDecrement);
        let op = if negative { BinaryOp::Sub } else { BinaryOp::Add };
        let stepped = if parts.complex { 1 } else { old.len() };
        let new: Vec<Reg> =
            old.iter()
                .enumerate()
                .map(|(index, part)| {
                    if index < stepped { self.scalar_binary(op, scalar, *part, one) } else { *part }
                })
                .collect();
        let after = self.assign_parts(place, ty, &new);
        if post { before } else { after }
    }

    /// Some lanes of a vector, as another one.
    pub(super) fn swizzle(&mut self, vector: ExprId, lanes: Lanes, ty: TypeId) -> Checked<Reg> {
        let value = self.value(vector)?;
        let all = self.read_parts(self.program.type_of(vector), value);
        let Some(parts) = self.parts(ty) else { return Ok(self.unsupported("such lanes")) };
        let taken: Option<Vec<Reg>> =
            lanes.take(parts.count).map(|lane| all.get(lane as usize).copied()).collect();
        Ok(match taken {
            Some(taken) => self.build(ty, &taken),
            None => self.unsupported("vectors of this type"),
        })
    }

    /// `condition ? then : otherwise` lane by lane, as clang has it: by the signs of the lanes.
    pub(super) fn select_lanes(
        &mut self,
        condition: (TypeId, Reg),
        then: (TypeId, Reg),
        otherwise: (TypeId, Reg),
        ty: TypeId,
    ) -> Reg {
        let Some(tested @ Scalar::Int { signed: true, .. }) = self.part_scalar(condition.0) else {
            return self.unsupported("a choice by lanes of this type");
        };
        let (zero, int) = (self.zero_part(), self.int_scalar());
        let conditions = self.read_parts(condition.0, condition.1);
        let then = self.read_parts(then.0, then.1);
        let otherwise = self.read_parts(otherwise.0, otherwise.1);
        let mut results = Vec::new();
        for (lane, src) in conditions.into_iter().enumerate() {
            let dst = self.temporary();
            let pick = |parts: &[Reg]| parts.get(lane).or(parts.first()).copied().unwrap_or(0);
            self.emit(Op::Copy { dst, src: pick(&otherwise) });
            let src = self.scalar_binary(BinaryOp::Less, tested, src, zero);
            let skip = self.emit(Op::JumpIfZero { ty: int, src, to: 0 });
            self.emit(Op::Copy { dst, src: pick(&then) });
            self.land(skip);
            results.push(dst);
        }
        self.build(ty, &results)
    }

    /// An imaginary constant: the operand is its imaginary part.
    pub(super) fn imaginary(&mut self, operand: ExprId, ty: TypeId) -> Checked<Reg> {
        let from = self.program.type_of(operand);
        let value = self.value(operand)?;
        let zero = self.zero_part();
        let (Some(from), Some(to)) = (self.scalar(from), self.part_scalar(ty)) else {
            return Ok(self.unsupported("complex numbers of this type"));
        };
        let value = self.converted(value, from, to);
        Ok(self.build(ty, &[zero, value]))
    }

    /// The builtins and library functions that only take such values apart or make
    /// them; `None` for everything else.
    pub(super) fn parts_call(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        ty: TypeId,
    ) -> Checked<Option<Reg>> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let types: Vec<TypeId> =
            arguments.iter().map(|argument| self.program.type_of(*argument)).collect();
        let is_complex = |lowerer: &Self, index: usize| {
            types.get(index).is_some_and(|ty| lowerer.parts(*ty).is_some_and(|p| p.complex))
        };
        let unary = match plain {
            "creal" | "crealf" | "creall" => Some(UnaryOp::Real),
            "cimag" | "cimagf" | "cimagl" => Some(UnaryOp::Imag),
            "conj" | "conjf" | "conjl" => Some(UnaryOp::BitNot),
            _ => None,
        };
        if let Some(op) = unary
            && is_complex(self, 0)
        {
            let value = self.value(arguments[0])?;
            return Ok(Some(self.unary_parts(op, types[0], value, ty)));
        }
        match name {
            "__builtin_complex" if arguments.len() == 2 => {
                let (left, right) = self.pair(arguments[0], arguments[1])?;
                Ok(Some(self.build(ty, &[left, right])))
            }
            "__builtin_convertvector" => {
                let value = self.value(arguments[0])?;
                let regs = self.read_parts(types[0], value);
                Ok(Some(match self.converted_parts(regs, types[0], ty) {
                    Some(regs) => self.build(ty, &regs),
                    None => self.unsupported("vectors of this type"),
                }))
            }
            "__builtin_shuffle" => self.shuffle(arguments, &types, ty).map(Some),
            "__builtin_shufflevector" => self.shuffle_constant(arguments, &types, ty).map(Some),
            _ => Ok(None),
        }
    }

    /// `__builtin_shuffle`: the indices count modulo the lanes of the one or two vectors.
    fn shuffle(&mut self, arguments: &[ExprId], types: &[TypeId], ty: TypeId) -> Checked<Reg> {
        let vectors = arguments.len() as u64 - 1;
        let mask_type = types[types.len() - 1];
        let (Some(of), Some(scalar), Some(index_scalar)) =
            (self.parts(types[0]), self.part_scalar(types[0]), self.part_scalar(mask_type))
        else {
            return Ok(self.unsupported("vectors of this type"));
        };
        let size = self.size_of(types[0]).unwrap_or(0);
        // The vectors one after the other, as bytes.
        let whole = Local::new(None, self.at, Types::CHAR);
        let all = self.push_local(Local { size: size * vectors, align: 16, ..whole });
        let values = self.unordered(arguments)?;
        let (&mask, values) = values.split_last().expect("it has two or three arguments");
        self.emit(Op::Enter { local: all });
        for (index, &from) in values.iter().enumerate() {
            let to = self.temporary();
            let offset = index as u32 * size as u32;
            self.emit(Op::LocalAddress { dst: to, local: all, offset });
            self.emit(Op::CopyBytes { to, from, size: size as u32 });
        }
        let pointer = self.temporary();
        self.emit(Op::LocalAddress { dst: pointer, local: all, offset: 0 });
        let limit = u64::from(of.count) * vectors - 1;
        let limit = self.constant(Value { low: limit, high: 0 }, None);
        let element = self.element(Element {
            size: size / u64::from(of.count.max(1)),
            bound: None,
            accessed: true,
            negative: false,
            signed: false,
        });
        let indices = self.read_parts(mask_type, mask);
        let mut lanes = Vec::new();
        for index in indices {
            let index = self.scalar_binary(BinaryOp::BitAnd, index_scalar, index, limit);
            let lane = self.temporary();
            self.emit(Op::Element { dst: lane, pointer, index, element });
            lanes.push(self.read_part(scalar, lane, 0));
        }
        Ok(self.build(ty, &lanes))
    }

    /// `__builtin_shufflevector`: constant indices into both vectors; -1 is anything.
    fn shuffle_constant(
        &mut self,
        arguments: &[ExprId],
        types: &[TypeId],
        ty: TypeId,
    ) -> Checked<Reg> {
        let (left, right) = self.pair(arguments[0], arguments[1])?;
        let mut lanes = self.read_parts(types[0], left);
        lanes.extend(self.read_parts(types[1], right));
        let mut results = Vec::new();
        for index in &arguments[2..] {
            let index =
                farrier_lang::constant::integer_constant(self.program, self.layouts, *index);
            let lane =
                index.ok().and_then(|index| lanes.get(usize::try_from(index).ok()?).copied());
            match lane {
                Some(lane) => results.push(lane),
                None => return Ok(self.unsupported("a lane that is not chosen")),
            }
        }
        Ok(self.build(ty, &results))
    }
}
