//! The proof that every regrouping of the floating arithmetic of a program has the same result.
//!
//! Each floating expression has a [`Mass`]. Whatever a compiler makes of the arithmetic by the
//! laws of real numbers, all that it computes on the way is a multiple of the same small fraction
//! and not larger than the mass, so that no step rounds. `docs/design/floats.md` says why.
//!
//! What is not understood here is not free.

use std::collections::BTreeMap;

use farrier_lang::constant::integer_constant;
use farrier_lang::float::FloatValue;
use farrier_lang::layout::Layouts;
use farrier_lang::target::FloatFormat;
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, Fallback, FunctionId, GuardCheck, Id, ObjectId, Program,
    RecordKind, Stmt, StmtId, Storage, Type, TypeId, UnaryOp, integer_type,
};

use crate::profile::Profile;
use crate::watch::Chosen;

/// How often masses may grow before they are taken for unbounded.
const ROUNDS: usize = 12;

/// Masses from here on fit no format.
const LARGEST: u128 = 1 << 120;

/// A bound of the sum of the magnitudes of all terms of a number, and the binary digits after
/// the point that all of them have at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Mass {
    most: u128,
    fraction: u32,
}

impl Mass {
    const ONE: Self = Self { most: 1, fraction: 0 };

    fn integer(magnitude: u128) -> Self {
        Self { most: magnitude.clamp(1, LARGEST), fraction: 0 }
    }

    fn of(value: FloatValue) -> Option<Self> {
        let Some((odd, exponent)) = value.odd() else {
            return value.is_zero().then_some(Self::ONE);
        };
        let power = exponent.unsigned_abs();
        if power > 120 || odd >= LARGEST {
            return None;
        }
        Some(match exponent {
            0.. => Self::integer(odd.checked_mul(1 << power)?),
            _ => Self { fraction: power, ..Self::integer((odd >> power) + 1) },
        })
    }

    fn add(self, other: Self) -> Self {
        let fraction = self.fraction.max(other.fraction);
        Self { most: (self.most + other.most).min(LARGEST), fraction }
    }

    fn multiply(self, other: Self) -> Self {
        let most = self.most.saturating_mul(other.most).min(LARGEST);
        Self { most, fraction: self.fraction + other.fraction }
    }

    fn largest(self, other: Self) -> Self {
        Self { most: self.most.max(other.most), fraction: self.fraction.max(other.fraction) }
    }

    /// What `count` of them are together.
    fn times(self, count: u64) -> Self {
        Self { most: self.most.saturating_mul(count.into()).clamp(1, LARGEST), ..self }
    }

    /// Whether all that it stands for is exact in a format, with one digit to spare.
    fn fits(self, format: FloatFormat) -> bool {
        let digits = match format {
            FloatFormat::Half => 11,
            FloatFormat::Single => 24,
            FloatFormat::Double => 53,
            FloatFormat::X87 => 64,
            FloatFormat::Quad => 113,
        };
        self.fraction < digits && self.most <= 1 << (digits - 1 - self.fraction)
    }
}

/// What has a mass that stores raise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// An object and its parts, to which no pointer points.
    Object(ObjectId),
    /// All that pointers may point to.
    Memory(FloatFormat),
    /// What functions return.
    Result(FloatFormat),
}

/// The nodes that the proof needs a profile of.
pub(super) fn watched(program: &Program) -> Chosen<ExprId> {
    let floating: Vec<bool> = program.types.ids().map(|ty| format(program, ty).is_some()).collect();
    let mut chosen = Chosen::None;
    for (id, expr) in program.exprs.iter().filter(|(_, expr)| floating[expr.ty.index()]) {
        chosen.insert(id);
        expr.kind.for_each_operand(|operand| {
            if is_number(program, operand) {
                chosen.insert(operand);
            }
        });
    }
    chosen
}

/// Whether no regrouping of the floating arithmetic of a program changes what it does.
pub(super) fn is_free(program: &Program, profile: &Profile) -> bool {
    let layouts = Layouts::default();
    let mut proof = Proof {
        program,
        profile,
        layouts,
        shared: vec![false; program.objects.len()],
        initial: vec![false; program.exprs.len()],
        caps: BTreeMap::new(),
        masses: vec![None; program.exprs.len()],
    };
    proof.share();
    proof.mark_initial();
    proof.hides_bytes() && proof.settle().is_some_and(|settled| settled) && proof.check().is_some()
}

fn is_number(program: &Program, expr: ExprId) -> bool {
    integer_type(program, program.type_of(expr)).is_some()
}

/// The format of a floating type.
fn format(program: &Program, ty: TypeId) -> Option<FloatFormat> {
    match *program.resolve(ty) {
        Type::Float(kind) => Some(program.target.float_scalar(kind)?.1),
        _ => None,
    }
}

/// The function that is called, if its name says so.
fn callee(program: &Program, function: ExprId) -> Option<FunctionId> {
    let ExprKind::Decay(designator) = program[function].kind else { return None };
    match program[designator].kind {
        ExprKind::Function(id) => Some(id),
        _ => None,
    }
}

/// Whether a type has floating parts, and whether it has any that can be seen as something else.
fn floating_parts(program: &Program, ty: TypeId) -> (bool, bool) {
    match *program.resolve(ty) {
        Type::Float(_) => (true, false),
        Type::Complex(_) => (true, true),
        Type::Vector { element, .. } => {
            let (floating, _) = floating_parts(program, element);
            (floating, floating)
        }
        Type::Array { element, .. } => floating_parts(program, element),
        Type::Record(id) => {
            let record = &program[id];
            let fields = record.fields.as_deref().unwrap_or_default();
            let parts = fields.iter().map(|field| floating_parts(program, field.ty));
            let (floating, visible) =
                parts.fold((false, false), |all, part| (all.0 || part.0, all.1 || part.1));
            (floating, visible || floating && record.kind == RecordKind::Union)
        }
        _ => (false, false),
    }
}

struct Proof<'a> {
    program: &'a Program,
    profile: &'a Profile,
    layouts: Layouts,
    /// The objects to which a pointer may point.
    shared: Vec<bool>,
    /// The expressions of static initialisers, which run before a profile begins.
    initial: Vec<bool>,
    caps: BTreeMap<Place, Mass>,
    masses: Vec<Option<Mass>>,
}

impl Proof<'_> {
    fn format(&self, expr: ExprId) -> Option<FloatFormat> {
        format(self.program, self.program.type_of(expr))
    }

    /// Whether an expression was evaluated. What never runs is no part of the proof.
    fn ran(&self, expr: ExprId) -> bool {
        self.initial[expr.index()] || self.profile.expr(expr).count > 0
    }

    /// The object of which an lvalue is a part, unless a pointer leads there.
    fn root(&self, place: ExprId) -> Option<ObjectId> {
        match self.program[place].kind {
            ExprKind::Object(object) => Some(object),
            ExprKind::Member(base, _) | ExprKind::Decay(base) | ExprKind::Index(base, _) => {
                self.root(base)
            }
            _ => None,
        }
    }

    fn place(&self, lvalue: ExprId, format: FloatFormat) -> Place {
        match self.root(lvalue) {
            Some(object) => self.place_of(object, format),
            None => Place::Memory(format),
        }
    }

    fn place_of(&self, object: ObjectId, format: FloatFormat) -> Place {
        if self.shared[object.index()] { Place::Memory(format) } else { Place::Object(object) }
    }

    /// Finds the objects whose address is taken, or that are copied as a whole.
    fn share(&mut self) {
        let program = self.program;
        let mut indexed = vec![false; program.exprs.len()];
        for (_, expr) in program.exprs.iter() {
            if let ExprKind::Index(base, _) = expr.kind {
                indexed[base.index()] = true;
            }
        }
        for (id, expr) in program.exprs.iter() {
            let place = match expr.kind {
                ExprKind::AddressOf(place) => place,
                ExprKind::Decay(place) if !indexed[id.index()] => place,
                ExprKind::Load(place) | ExprKind::Assign(place, _)
                    if format(program, expr.ty).is_none() =>
                {
                    place
                }
                _ => continue,
            };
            if let Some(object) = self.root(place) {
                self.shared[object.index()] = true;
            }
        }
        for (id, object) in program.objects.iter() {
            self.shared[id.index()] |= object.init.is_some_and(|init| self.is_copied(init));
        }
        // An argument that is not a number is copied as well.
        for (_, function) in program.functions.iter() {
            for parameter in &function.parameters {
                self.shared[parameter.index()] |= self.format_of(*parameter).is_none();
            }
        }
    }

    /// Whether an initialiser copies something with floating parts from elsewhere.
    fn is_copied(&self, init: ExprId) -> bool {
        match &self.program[init].kind {
            ExprKind::InitList(items) => items.iter().any(|item| self.is_copied(item.value)),
            _ => {
                self.format(init).is_none()
                    && floating_parts(self.program, self.program.type_of(init)).0
            }
        }
    }

    fn mark_initial(&mut self) {
        for (_, object) in self.program.objects.iter() {
            if object.storage != Storage::Automatic
                && let Some(init) = object.init
            {
                self.mark(init);
            }
        }
    }

    fn mark(&mut self, expr: ExprId) {
        self.initial[expr.index()] = true;
        let program = self.program;
        program[expr].kind.for_each_operand(|operand| self.mark(operand));
    }

    /// Whether floating numbers are seen as nothing but numbers.
    fn hides_bytes(&self) -> bool {
        let program = self.program;
        let floating = |ty| floating_parts(program, ty).0;
        let pointee = |ty| program.pointee(ty).map(TypeId::unqualified);
        // What others than the program itself may look at, or change.
        let given = |operands: &[ExprId]| {
            operands.iter().any(|operand| {
                let ty = program.type_of(*operand);
                floating(ty) || pointee(ty).is_some_and(floating)
            })
        };
        let is_hidden = |id: ExprId| match &program[id].kind {
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => {
                let (from, to) = (pointee(program.type_of(*operand)), pointee(program[id].ty));
                let reached = [from, to].into_iter().flatten().any(floating);
                let same = from.map(|ty| program.resolve(ty)) == to.map(|ty| program.resolve(ty));
                !reached || same || matches!(program[*operand].kind, ExprKind::Int(0))
            }
            ExprKind::Builtin(_, operands) => !floating(program[id].ty) && !given(operands),
            ExprKind::Call(function, operands) => match callee(program, *function) {
                Some(id) if program[id].body.is_none() => !given(operands),
                _ => true,
            },
            ExprKind::VaArg(_) => !floating(program[id].ty),
            ExprKind::Imaginary(_) => false,
            _ => true,
        };
        let visible = |ty| floating_parts(program, ty).1;
        let asm = program.asms.iter().flat_map(|(_, asm)| asm.outputs.iter().chain(&asm.inputs));
        program.exprs.iter().all(|(id, expr)| is_hidden(id) && !visible(expr.ty))
            && asm.into_iter().all(|operand| !floating(program.type_of(operand.value)))
    }

    /// Raises the caps until no store raises one any more; `false` if they do not settle.
    fn settle(&mut self) -> Option<bool> {
        for _ in 0..ROUNDS {
            let before = self.caps.clone();
            self.masses.fill(None);
            let mut stores = Stores::default();
            self.collect(&mut stores)?;
            for (place, mass) in stores.accumulated {
                let cap = stores.stored.entry(place).or_insert(Mass::ONE);
                *cap = cap.add(mass);
            }
            self.caps = stores.stored;
            if self.caps == before {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The stores of the program, with the masses that follow from the caps as they are.
    fn collect(&mut self, stores: &mut Stores) -> Option<()> {
        let program = self.program;
        for (id, expr) in program.exprs.iter() {
            match &expr.kind {
                ExprKind::Assign(target, value) => {
                    if let Some(format) = self.format(*target) {
                        self.store(self.place(*target, format), *value, stores)?;
                    }
                }
                ExprKind::CompoundAssign { op, target, value, .. } => {
                    let Some(format) = self.format(*target) else { continue };
                    if !self.ran(id) {
                        continue;
                    }
                    let (place, right) = (self.place(*target, format), self.loose(*value)?);
                    let count = self.profile.expr(id).count;
                    match op {
                        BinaryOp::Add | BinaryOp::Sub => {
                            stores.accumulate(place, right.times(count));
                        }
                        _ => {
                            let product = self.operated(*op, self.cap(place), *value)?;
                            stores.store(place, product);
                        }
                    }
                }
                ExprKind::Step(_, target) => {
                    if let Some(format) = self.format(*target) {
                        let count = self.profile.expr(id).count;
                        stores.accumulate(self.place(*target, format), Mass::integer(count.into()));
                    }
                }
                ExprKind::CompoundLiteral(init) => self.initialise(None, *init, stores)?,
                ExprKind::Call(function, arguments) => self.pass(*function, arguments, stores)?,
                _ => {}
            }
        }
        for (id, object) in program.objects.iter() {
            if let Some(init) = object.init {
                self.initialise(Some(id), init, stores)?;
            }
        }
        for (_, stmt) in program.stmts.iter() {
            if let Stmt::Return(Some(value)) = stmt
                && let Some(format) = self.format(*value)
            {
                self.store(Place::Result(format), *value, stores)?;
            }
        }
        Some(())
    }

    fn initialise(
        &mut self,
        object: Option<ObjectId>,
        init: ExprId,
        stores: &mut Stores,
    ) -> Option<()> {
        let program = self.program;
        if let ExprKind::InitList(items) = &program[init].kind {
            return items.iter().try_for_each(|item| self.initialise(object, item.value, stores));
        }
        let Some(format) = self.format(init) else { return Some(()) };
        let place = object.map_or(Place::Memory(format), |object| self.place_of(object, format));
        self.store(place, init, stores)
    }

    /// The arguments of a call are stored in the parameters.
    fn pass(&mut self, function: ExprId, arguments: &[ExprId], stores: &mut Stores) -> Option<()> {
        let program = self.program;
        let parameters = callee(program, function).map_or(&[][..], |id| &program[id].parameters);
        for (index, argument) in arguments.iter().enumerate() {
            let Some(format) = self.format(*argument) else { continue };
            if !self.ran(*argument) {
                continue;
            }
            let parameter = *parameters.get(index)?;
            if self.format_of(parameter) != Some(format) {
                return None;
            }
            self.store(self.place_of(parameter, format), *argument, stores)?;
        }
        Some(())
    }

    fn format_of(&self, object: ObjectId) -> Option<FloatFormat> {
        format(self.program, self.program[object].ty)
    }

    /// A value is stored. If it is a sum of which one term is what was stored there before, the
    /// other terms are added as often as that happens.
    fn store(&mut self, place: Place, value: ExprId, stores: &mut Stores) -> Option<()> {
        if !self.ran(value) {
            return Some(());
        }
        match self.program[value].kind {
            ExprKind::Conditional { then: Some(then), otherwise, .. } => {
                self.store(place, then, stores)?;
                return self.store(place, otherwise, stores);
            }
            ExprKind::Comma(_, last) => return self.store(place, last, stores),
            _ => {}
        }
        let mut others = None;
        let same = self.terms(place, value, &mut others)?;
        if same == 1 {
            let count = self.profile.expr(value).count;
            stores.accumulate(place, others.unwrap_or(Mass::ONE).times(count));
        } else {
            stores.store(place, self.loose(value)?);
        }
        Some(())
    }

    /// How many terms of a sum are what is stored in a place; the masses of all others are added.
    fn terms(&mut self, place: Place, value: ExprId, others: &mut Option<Mass>) -> Option<u32> {
        let same = match self.program[value].kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                self.terms(place, left, others)? + self.terms(place, right, others)?
            }
            ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, operand) => {
                self.terms(place, operand, others)?
            }
            ExprKind::Convert(operand) | ExprKind::Cast(operand)
                if self.format(operand).is_some() =>
            {
                self.terms(place, operand, others)?
            }
            ExprKind::Load(lvalue)
                if self.format(value).is_some_and(|format| self.place(lvalue, format) == place) =>
            {
                1
            }
            _ => {
                let mass = self.loose(value)?;
                *others = Some(others.map_or(mass, |others| others.add(mass)));
                0
            }
        };
        Some(same)
    }

    fn cap(&self, place: Place) -> Mass {
        self.caps.get(&place).copied().unwrap_or(Mass::ONE)
    }

    /// The mass of a floating value, whether it fits its format or not.
    fn loose(&mut self, expr: ExprId) -> Option<Mass> {
        if !self.ran(expr) {
            return Some(Mass::ONE);
        }
        if let Some(mass) = self.masses[expr.index()] {
            return Some(mass);
        }
        let mass = self.mass(expr)?;
        self.masses[expr.index()] = Some(mass);
        Some(mass)
    }

    fn mass(&mut self, expr: ExprId) -> Option<Mass> {
        let program = self.program;
        let format = self.format(expr)?;
        Some(match &program[expr].kind {
            ExprKind::Float(id) => {
                let value = FloatValue { format, bits: program[*id] };
                Mass::of(value).filter(|_| value.is_exact_constant())?
            }
            ExprKind::Load(lvalue) => self.cap(self.place(*lvalue, format)),
            ExprKind::Assign(_, value) => self.loose(*value)?,
            ExprKind::CompoundAssign { target, .. } | ExprKind::Step(_, target) => {
                self.cap(self.place(*target, format))
            }
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => match self.format(*operand) {
                Some(_) => self.loose(*operand)?,
                None => self.integer(*operand)?,
            },
            ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, operand) => self.loose(*operand)?,
            ExprKind::Binary(op, left, right) => {
                let left = self.loose(*left)?;
                self.operated(*op, left, *right)?
            }
            ExprKind::Comma(_, last) => self.loose(*last)?,
            ExprKind::Conditional { condition, then, otherwise } => {
                let then = then.unwrap_or(*condition);
                self.loose(then)?.largest(self.loose(*otherwise)?)
            }
            ExprKind::Call(function, _) => {
                // The result of a function without a body, or of an unknown one, is unknown.
                program[callee(program, *function)?].body?;
                self.cap(Place::Result(format))
            }
            ExprKind::Member(..) => self.cap(Place::Memory(format)),
            ExprKind::StatementExpr(block) => self.loose(self.last(*block)?)?,
            ExprKind::Guard { check: GuardCheck::Operation, operand, fallback } => {
                let operand = self.loose(*operand)?;
                match fallback {
                    Fallback::Value(value) => operand.largest(self.loose(*value)?),
                    Fallback::FirstOperand => operand,
                }
            }
            _ => return None,
        })
    }

    /// The mass of an operation on something with a mass.
    fn operated(&mut self, op: BinaryOp, left: Mass, right: ExprId) -> Option<Mass> {
        Some(match op {
            BinaryOp::Add | BinaryOp::Sub => left.add(self.loose(right)?),
            BinaryOp::Mul => left.multiply(self.loose(right)?),
            // Only the reciprocal of a power of two is exact.
            BinaryOp::Div => match self.power(right)? {
                power @ 0..=100 => Mass { fraction: left.fraction + power.unsigned_abs(), ..left },
                power @ -100..0 => left.multiply(Mass::integer(1 << power.unsigned_abs())),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// The binary logarithm of a constant that is a power of two.
    fn power(&mut self, expr: ExprId) -> Option<i32> {
        match self.program[expr].kind {
            ExprKind::Float(id) => {
                let value = FloatValue { format: self.format(expr)?, bits: self.program[id] };
                value.odd().filter(|(odd, _)| *odd == 1).map(|(_, exponent)| exponent)
            }
            ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, operand) => self.power(operand),
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => match self.format(operand) {
                Some(_) => self.power(operand),
                None => {
                    let value = integer_constant(self.program, &mut self.layouts, operand).ok()?;
                    let magnitude = value.unsigned_abs();
                    magnitude.is_power_of_two().then(|| magnitude.trailing_zeros() as i32)
                }
            },
            _ => None,
        }
    }

    /// The bound of an integer that becomes a floating number: the run is the only one.
    fn integer(&mut self, expr: ExprId) -> Option<Mass> {
        if let Ok(value) = integer_constant(self.program, &mut self.layouts, expr) {
            return Some(Mass::integer(value.unsigned_abs()));
        }
        let ty = integer_type(self.program, self.program.type_of(expr))?;
        if self.initial[expr.index()] || ty.bits > 64 && !ty.signed {
            return None;
        }
        let seen = self.profile.expr(expr).integers()?;
        Some(Mass::integer(seen.low.unsigned_abs().max(seen.high.unsigned_abs())))
    }

    /// The value of a block in parentheses.
    fn last(&self, block: StmtId) -> Option<ExprId> {
        let Stmt::Block(statements) = &self.program[block] else { return None };
        match self.program[*statements.last()?] {
            Stmt::Expr(value) => Some(value),
            _ => None,
        }
    }

    /// Whether all masses fit where they are computed, stored and compared.
    fn check(&mut self) -> Option<()> {
        let program = self.program;
        for (id, expr) in program.exprs.iter() {
            let format = format(program, expr.ty);
            let fits = match expr.kind {
                // Lvalues are no values.
                ExprKind::Object(_)
                | ExprKind::Deref(_)
                | ExprKind::Index(..)
                | ExprKind::CompoundLiteral(_)
                | ExprKind::InitList(_) => true,
                ExprKind::Member(base, _) if self.root(base).is_some() => true,
                ExprKind::Binary(op, left, right) if op.is_comparison() => {
                    match self.format(left) {
                        Some(format) => self.loose(left)?.add(self.loose(right)?).fits(format),
                        None => true,
                    }
                }
                ExprKind::CompoundAssign { target, value, computation, .. } => {
                    self.fits_compound(id, target, value, computation)?
                }
                _ => match format {
                    Some(format) => self.loose(id)?.fits(format),
                    None => true,
                },
            };
            if !fits {
                return None;
            }
        }
        Some(())
    }

    /// Whether the operation of a compound assignment fits where it is computed.
    fn fits_compound(
        &mut self,
        id: ExprId,
        target: ExprId,
        value: ExprId,
        computation: TypeId,
    ) -> Option<bool> {
        let Some(computed) = format(self.program, computation) else { return Some(true) };
        if !self.ran(id) {
            return Some(true);
        }
        let right = self.loose(value)?;
        Some(match self.format(target) {
            Some(format) => {
                let cap = self.cap(self.place(target, format));
                cap.fits(format) && cap.fits(computed) && right.fits(computed)
            }
            // An integer may be anything that its type can hold.
            None => {
                let ty = integer_type(self.program, self.program.type_of(target))?;
                let ExprKind::CompoundAssign { op, .. } = self.program[id].kind else {
                    return None;
                };
                let left = Mass::integer(1 << ty.bits.min(120));
                self.operated(op, left, value)?.fits(computed)
            }
        })
    }
}

/// What is stored in places: the largest of all masses, and all that is added.
#[derive(Default)]
struct Stores {
    stored: BTreeMap<Place, Mass>,
    accumulated: BTreeMap<Place, Mass>,
}

impl Stores {
    fn store(&mut self, place: Place, mass: Mass) {
        let stored = self.stored.entry(place).or_insert(mass);
        *stored = stored.largest(mass);
    }

    fn accumulate(&mut self, place: Place, mass: Mass) {
        let sum = self.accumulated.get(&place).map_or(mass, |sum| sum.add(mass));
        self.accumulated.insert(place, sum);
    }
}
