//! Variable-length arrays, C11 6.7.6.2: sizes that are known when the program runs.
//!
//! Each length has a register of its own, reserved for the whole function. It is
//! computed where the type is met first in the text: at its declaration, or in the
//! cast, `sizeof` or compound literal that contains it.

use farrier_lang::{
    ArrayLength, ExprId, ExprKind, FunctionId, ObjectId, Program, Stmt, StmtId, Type, TypeId,
};
use rustc_hash::FxHashSet;

use super::{Home, Lowerer};
use crate::code::{Element, Local, Op, Passed, Reg};
use crate::kinds::Cause;
use crate::value::{Scalar, Value};
use crate::verdict::{At, Checked};

/// The size of a type in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Size {
    Fixed(u64),
    Variable(Reg),
}

/// The lengths that a type mentions, outermost first.
pub(super) fn lengths_of(program: &Program, ty: TypeId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut inner = Some(ty);
    while let Some(ty) = inner {
        inner = match *program.resolve(ty) {
            Type::Array { element, length } => {
                if let ArrayLength::Variable(length) = length {
                    found.push(length);
                }
                Some(element)
            }
            Type::Pointer(target) => Some(target),
            _ => None,
        }
    }
    found
}

impl Lowerer<'_> {
    /// Reserves registers for the lengths of the variable arrays of a function.
    pub(super) fn find_all_lengths(&mut self, function: FunctionId, body: StmtId) {
        let mut stmts = vec![body];
        let mut exprs = Vec::new();
        let mut types = FxHashSet::default();
        for &parameter in &self.program[function].parameters {
            self.find_lengths(self.program[parameter].ty, &mut types, &mut exprs);
        }
        while let Some(stmt) = stmts.pop() {
            let node = &self.program[stmt];
            node.for_each_child(|child| stmts.push(child));
            node.for_each_expr(|expr| exprs.push(expr));
            match node {
                Stmt::Declare(object) => {
                    self.find_lengths(self.program[*object].ty, &mut types, &mut exprs);
                    exprs.extend(self.program[*object].init);
                }
                // Also where a size is that is only known then.
                Stmt::Label(..) => self.jumps = true,
                Stmt::Asm(asm) => {
                    let asm = &self.program[*asm];
                    let operands = asm.outputs.iter().chain(&asm.inputs);
                    exprs.extend(operands.map(|operand| operand.value));
                }
                _ => {}
            }
            while let Some(expr) = exprs.pop() {
                self.find_lengths(self.program.type_of(expr), &mut types, &mut exprs);
                let kind = &self.program[expr].kind;
                if let ExprKind::SizeofType(ty) | ExprKind::AlignofType(_, ty) = kind {
                    self.find_lengths(*ty, &mut types, &mut exprs);
                }
                kind.for_each_operand(|operand| exprs.push(operand));
                if let ExprKind::StatementExpr(block) = kind {
                    stmts.push(*block);
                }
            }
        }
    }

    /// Reserves registers for the lengths in a type, which are expressions of the function.
    fn find_lengths(&mut self, ty: TypeId, types: &mut FxHashSet<TypeId>, exprs: &mut Vec<ExprId>) {
        if !types.insert(ty) {
            return;
        }
        for length in lengths_of(self.program, ty) {
            if !self.lengths.contains_key(&length) && !self.functions.surroundings.computes(length)
            {
                let reg = self.temporary();
                self.lengths.insert(length, reg);
                exprs.push(length);
            }
        }
    }

    /// Computes the lengths in a type that were not met before.
    pub(super) fn evaluate_lengths(&mut self, ty: TypeId) -> Checked {
        self.evaluate_all_lengths(&[ty])
    }

    /// Computes the lengths in the types of one declarator, which have no order.
    pub(super) fn evaluate_all_lengths(&mut self, types: &[TypeId]) -> Checked {
        let lengths = self.new_lengths(types);
        if lengths.is_empty() {
            return Ok(());
        }
        let operands: Vec<&[ExprId]> = lengths.chunks(1).collect();
        let recording = self.begin_order(&operands);
        for (index, length) in lengths.iter().enumerate() {
            if index > 0 {
                self.next_operand(recording);
            }
            self.length(*length)?;
        }
        self.end_order(recording);
        Ok(())
    }

    /// The lengths in types that were not met before.
    pub(super) fn new_lengths(&self, types: &[TypeId]) -> Vec<ExprId> {
        if !self.variable_lengths {
            return Vec::new();
        }
        let mut lengths: Vec<ExprId> =
            types.iter().flat_map(|ty| lengths_of(self.program, *ty)).collect();
        lengths.retain(|length| !self.evaluated.contains(length));
        lengths
    }

    /// C11 6.7.6.2p5: whether a length is evaluated on which a size does not depend, as in
    /// `sizeof(int (*)[n++])`, is open.
    pub(super) fn refuse_idle_lengths(&mut self, ty: TypeId) {
        let lengths = self.new_lengths(&[ty]);
        if !lengths.is_empty() && self.size_of(ty).is_some() && self.have_effects(&lengths) {
            let message = "the size does not depend on this length, which need not be evaluated";
            self.unspecified(Cause::Compiler, message);
        }
    }

    /// The register that holds a length.
    fn length(&mut self, expr: ExprId) -> Checked<Reg> {
        let Some(&reg) = self.lengths.get(&expr) else {
            return Ok(self.unsupported("a variable-length array here"));
        };
        if !self.evaluated.insert(expr) {
            return Ok(reg);
        }
        let mark = self.next;
        let outer = std::mem::replace(&mut self.at, At::Expr(expr));
        let ty = self.program.type_of(expr);
        let src = match self.program[expr].kind {
            // A typedef keeps its length in an object.
            ExprKind::Object(_) => {
                let place = self.place(expr, true)?;
                self.load(place, ty, None)
            }
            _ => self.value(expr)?,
        };
        match self.scalar(ty) {
            Some(Scalar::Int { signed, .. }) => {
                self.emit(Op::Length { dst: reg, src, signed });
            }
            Some(Scalar::Bool) => {
                self.emit(Op::Length { dst: reg, src, signed: false });
            }
            _ => {
                self.unsupported("an array length of this type");
            }
        }
        self.next = mark;
        self.at = outer;
        Ok(reg)
    }

    /// The size of a type, computed if it must be.
    pub(super) fn size(&mut self, ty: TypeId) -> Checked<Size> {
        if let Some(size) = self.size_of(ty) {
            return Ok(Size::Fixed(size));
        }
        self.evaluate_lengths(ty)?;
        let Type::Array { element, length } = *self.program.resolve(ty) else {
            return Ok(Size::Variable(self.unsupported("a record of variable size")));
        };
        let length = match length {
            ArrayLength::Variable(length) => self.length(length)?,
            ArrayLength::Fixed(length) => self.constant(Value { low: length, high: 0 }, None),
            ArrayLength::Unknown | ArrayLength::Star => {
                self.unsupported("the size of an array of unknown length")
            }
        };
        let element = match self.size(element)? {
            Size::Fixed(size) => self.constant(Value { low: size, high: 0 }, None),
            Size::Variable(size) => size,
        };
        let dst = self.temporary();
        self.emit(Op::VariableSize { dst, length, element });
        Ok(Size::Variable(dst))
    }

    /// The length of the variable array that decays to this pointer. A declared one is an
    /// object, whose bounds are checked anyway.
    pub(super) fn variable_bound(&mut self, base: ExprId) -> Checked<Option<Reg>> {
        if self.variable_lengths
            && let ExprKind::Decay(array) = self.program[base].kind
            && let Type::Array { length: ArrayLength::Variable(length), .. } =
                *self.program.resolve(self.program.type_of(array))
            && !matches!(self.program[array].kind, ExprKind::Object(_))
        {
            return self.length(length).map(Some);
        }
        Ok(None)
    }

    /// A value of one type must be compatible with another: arrays that they point to
    /// must have the same lengths, C11 6.7.6.2p6.
    pub(super) fn check_lengths(&mut self, from: TypeId, to: TypeId) -> Checked {
        match (self.program.resolve(from), self.program.resolve(to)) {
            (&Type::Pointer(from), &Type::Pointer(to)) => self.check_lengths(from, to),
            (
                &Type::Array { element: from, length: left },
                &Type::Array { element: to, length: right },
            ) => {
                let fixed = matches!((left, right), (ArrayLength::Fixed(_), ArrayLength::Fixed(_)));
                if left != right
                    && !fixed
                    && let Some(left) = self.known_length(left)
                    && let Some(right) = self.known_length(right)
                {
                    self.emit(Op::CheckLengths { left, right });
                }
                self.check_lengths(from, to)
            }
            _ => Ok(()),
        }
    }

    /// The register of a length that has its value.
    fn known_length(&mut self, length: ArrayLength) -> Option<Reg> {
        match length {
            ArrayLength::Fixed(length) => Some(self.constant(Value { low: length, high: 0 }, None)),
            ArrayLength::Variable(length) => {
                self.lengths.get(&length).copied().filter(|_| self.evaluated.contains(&length))
            }
            ArrayLength::Unknown | ArrayLength::Star => None,
        }
    }

    /// The type of a conditional operator, when the operands are done: a length in it that
    /// only one of them evaluates may have no value, C11 6.2.7p3.
    pub(super) fn check_composite(&mut self, ty: TypeId, before: &FxHashSet<ExprId>) {
        if lengths_of(self.program, ty).iter().any(|length| !before.contains(length)) {
            self.unsupported("a length that one branch of a conditional operator evaluates");
        }
    }

    /// Tells the function that is called the lengths of the arrays that arguments point to.
    /// Where a parameter has no such array, neither has an argument that is compatible.
    pub(super) fn pass_lengths(&mut self, arguments: &[ExprId]) {
        if !self.variable_lengths {
            return;
        }
        let mut passed = Vec::new();
        let mut any = false;
        for (index, argument) in arguments.iter().enumerate() {
            any |= self.pointed_lengths(self.program.type_of(*argument)).next().is_some();
            let mut argument = *argument;
            while let ExprKind::Convert(operand) = self.program[argument].kind {
                argument = operand;
            }
            let lengths: Vec<_> = self.pointed_lengths(self.program.type_of(argument)).collect();
            for (level, length) in lengths.into_iter().enumerate() {
                if let Some(reg) = self.known_length(length) {
                    passed.push(Passed { argument: index as u32, level: level as u32, reg });
                }
            }
        }
        if any || !passed.is_empty() {
            self.code.passed.push(passed);
            self.emit(Op::PassLengths { table: self.code.passed.len() as u32 - 1 });
        }
    }

    /// The lengths of arrays in the types of parameters must be those of the arguments, C11
    /// 6.7.6.2p6.
    pub(super) fn check_passed_lengths(&mut self, parameters: &[ObjectId], body: StmtId) {
        if !self.variable_lengths {
            return;
        }
        for (index, parameter) in parameters.iter().enumerate() {
            let lengths: Vec<_> = self.pointed_lengths(self.program[*parameter].ty).collect();
            for (level, length) in lengths.into_iter().enumerate() {
                if let Some(reg) = self.known_length(length) {
                    self.at = match length {
                        ArrayLength::Variable(length) => At::Expr(length),
                        _ => At::Stmt(body),
                    };
                    let passed = Passed { argument: index as u32, level: level as u32, reg };
                    self.emit(Op::CheckPassedLength { passed });
                }
            }
        }
    }

    /// The lengths of the arrays that pointers of a type lead to, outermost first.
    fn pointed_lengths(&self, ty: TypeId) -> impl Iterator<Item = ArrayLength> {
        let program = self.program;
        let mut inner = match *program.resolve(ty) {
            Type::Pointer(target) => Some(target),
            _ => None,
        };
        std::iter::from_fn(move || {
            loop {
                match *program.resolve(inner?) {
                    Type::Pointer(target) => inner = Some(target),
                    Type::Array { element, length } => {
                        inner = Some(element);
                        return Some(length);
                    }
                    _ => return None,
                }
            }
        })
    }

    /// A pointer moved by elements of this size; that in `element` is not known yet.
    pub(super) fn move_pointer(
        &mut self,
        pointer: Reg,
        index: Reg,
        size: Size,
        element: Element,
    ) -> Reg {
        let dst;
        match size {
            Size::Fixed(size) => {
                let element = self.element(Element { size, ..element });
                dst = self.temporary();
                self.emit(Op::Element { dst, pointer, index, element });
            }
            Size::Variable(size) => {
                let element = self.element(element);
                dst = self.temporary();
                self.emit(Op::ElementVariable { dst, pointer, index, element, size });
            }
        }
        dst
    }

    /// `left - right` of two pointers.
    pub(super) fn difference(&mut self, dst: Reg, left: Reg, right: Reg, size: Size) {
        match size {
            Size::Fixed(size) => {
                let element = self.element(Element {
                    size,
                    bound: None,
                    accessed: false,
                    negative: false,
                    signed: true,
                });
                self.emit(Op::Difference { dst, left, right, element });
            }
            Size::Variable(size) => {
                self.emit(Op::DifferenceVariable { dst, left, right, size });
            }
        }
    }

    /// The declaration of a variable array is reached: its life begins.
    pub(super) fn declare_variable(&mut self, object: ObjectId) -> Checked {
        let ty = self.program[object].ty;
        let size = match self.size(ty)? {
            Size::Variable(size) => size,
            Size::Fixed(size) => self.constant(Value { low: size, high: 0 }, None),
        };
        let local = match self.homes.get(&object) {
            Some(Home::Memory(local)) => *local,
            _ => {
                let align = self.layouts.object_align(self.program, object).unwrap_or(1);
                let constant = super::is_constant(self.program, ty);
                let (object, at) = (Some(object), self.at);
                let local = Local { align, constant, variable: true, ..Local::new(object, at, ty) };
                self.push_local(local)
            }
        };
        self.homes.insert(object, Home::Memory(local));
        self.emit(Op::EnterVariable { local, size });
        if self.program[object].init.is_some() {
            // C23 allows `= {}` and nothing else.
            let pointer = self.temporary();
            self.emit(Op::LocalAddress { dst: pointer, local, offset: 0 });
            self.emit(Op::ZeroVariable { pointer, size });
        }
        self.freeze(local);
        Ok(())
    }
}
