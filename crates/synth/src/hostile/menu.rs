//! The menu: what would be undefined if it ran.

use farrier_lang::builtins::Builtin;
use farrier_lang::{
    ArrayLength, BinaryOp, Encoding, ExprId, ExprKind, FunctionType, IntKind, Label, Object,
    ObjectId, Program, StepOp, Stmt, StmtId, StringLiteral, Type, TypeId, Types, copy,
    integer_type,
};

use super::near::integers_in;
use super::{Kitchen, NewLabel, UNSET};
use crate::features::Feature::{self, *};
use crate::scene::plain;

/// What a row made.
#[derive(Clone, Copy)]
pub(crate) enum Made {
    /// An integer.
    Value(ExprId),
    Stmt(StmtId),
    /// A statement after which nothing runs.
    End(StmtId),
}

/// A row of the menu.
pub(super) struct Dish {
    pub(super) weight: u32,
    pub(super) needs: &'static [Feature],
    pub(super) make: fn(&mut Kitchen<'_>) -> Option<Made>,
}

const fn dish(
    weight: u32,
    needs: &'static [Feature],
    make: fn(&mut Kitchen<'_>) -> Option<Made>,
) -> Dish {
    Dish { weight, needs, make }
}

/// Everything that can be had.
#[rustfmt::skip]
pub(super) static MENU: &[Dish] = &[
    dish(5, &[Division], divide_by_zero),
    dish(5, &[Division, Arithmetic], divide_by_difference),
    dish(6, &[Division], divide_by_cleared),
    dish(6, &[Division], live_quotient),
    dish(3, &[Division], lowest_by_minus_one),
    dish(5, &[Shift], shift_too_far),
    dish(6, &[Arithmetic], live_overflow),
    dish(6, &[Array, ArrayLoop], load_outside),
    dish(8, &[Array, ArrayLoop], store_outside),
    dish(4, &[Array, ArrayLoop, Arithmetic], load_far),
    dish(5, &[Array, ArrayLoop, Arithmetic], store_far),
    dish(3, &[Pointer, Cast, PointerCast, ByteAccess], |it| load_wild(it, false)),
    dish(5, &[Pointer, Cast, PointerCast, ByteAccess], |it| store_wild(it, false)),
    dish(3, &[Pointer, Cast, PointerCast, ByteAccess], |it| load_wild(it, true)),
    dish(5, &[Pointer, Cast, PointerCast, ByteAccess], |it| store_wild(it, true)),
    dish(4, &[Pointer], through_uninitialised),
    dish(5, &[], uninitialised),
    dish(4, &[Pointer], dangling),
    dish(6, &[Pointer, Cast, PointerCast, ByteAccess, LongLong], store_punned),
    dish(7, &[Pointer, Cast, PointerCast, ByteAccess, RecordCopy, RecordSelect, RecordLoop, RecordChain], copy_punned),
    dish(5, &[Pointer, Cast, PointerCast, ByteAccess, Const], store_constant),
    dish(3, &[StringLiteral, Array, Char], store_string),
    dish(4, &[BitBuiltin], count_nothing),
    dish(6, &[HostileBuiltin], |it| it.call("__builtin_unreachable")),
    dish(5, &[HostileBuiltin, If], assume),
    dish(2, &[HostileBuiltin], |it| it.call("__builtin_trap")),
    dish(2, &[HostileBuiltin], |it| it.call("__builtin_abort")),
    dish(6, &[HostileBuiltin, MemoryFunction, LibraryBuiltin], copy_too_much),
    dish(3, &[HostileBuiltin, MemoryFunction, LibraryBuiltin, Cast, PointerCast, ByteAccess, NullPointer], set_nothing),
    dish(4, &[For], endless),
    dish(3, &[For, Increment], endless_steps),
    dish(2, &[Cast, PointerCast, ByteAccess, NullPointer], call_nothing),
    dish(3, &[Cast, PointerCast, ByteAccess, Call], call_wrongly),
    dish(8, &[Goto, BackwardGoto], jump_into_loop),
    dish(3, &[Return], leave),
    dish(6, &[], set_anything),
];

/// By how many elements or bytes an access misses, at least and at most.
const FAR: (i64, i64) = (60, 70_000);

/// The most bytes by which it misses: linkers give up where an address is too far away.
const FARTHEST: i64 = 500_000;

/// Addresses that belong to nothing.
const WILD: [i128; 4] = [1, 8, 4660, 1_048_576];

/// Lengths of copies that are too large.
const LENGTHS: [i128; 4] = [-1, 4096, 65_536, 17];

/// What integers are set to.
const SET: [i128; 6] = [0, 1, -1, 5, 127, 255];

impl Kitchen<'_> {
    fn pick(&mut self, from: &[ExprId]) -> Option<ExprId> {
        let found = self.choices.pick_any(from)?;
        Some(copy::expr(self.program, found))
    }

    /// An integer of the code beside the spot, or of a variable that is visible there.
    pub(crate) fn operand(&mut self) -> Option<ExprId> {
        let values = std::mem::take(&mut self.near.values);
        let found = self.pick(&values);
        self.near.values = values;
        found.or_else(|| {
            let object = self.variable()?;
            Some(self.load(object))
        })
    }

    /// A variable that is visible at the spot and can be assigned.
    fn variable(&mut self) -> Option<ObjectId> {
        let program = &*self.program;
        let objects = self.objects.iter().copied().filter(|object| {
            let ty = program[*object].ty;
            integer_type(program, ty).is_some() && ty.qualifiers().is_empty()
        });
        let objects: Vec<ObjectId> = objects.collect();
        self.choices.pick_any(&objects)
    }

    /// A place of the code beside the spot, or a variable.
    fn place(&mut self) -> Option<ExprId> {
        let places = std::mem::take(&mut self.near.places);
        let found = self.pick(&places);
        self.near.places = places;
        found.or_else(|| {
            let object = self.variable()?;
            Some(self.named(object))
        })
    }

    /// A statement that does something with a value: it is assigned, or added to something.
    pub(super) fn used(&mut self, value: ExprId) -> Option<StmtId> {
        let place = self.place()?;
        let compound = self.weights.has(CompoundAssign);
        let ops = [BinaryOp::Add, BinaryOp::BitXor, BinaryOp::Sub];
        let op = self.choices.pick(&ops);
        let plain = !compound || self.choices.chance(60);
        let mut builder = self.builder();
        let expr = match plain {
            true => builder.assign(place, value).ok()?,
            false => builder.compound_assign(op, place, value).ok()?,
        };
        Some(self.statement(expr))
    }

    fn statement(&mut self, expr: ExprId) -> StmtId {
        self.program.stmts.push(Stmt::Expr(expr))
    }

    fn assign(&mut self, place: ExprId, value: ExprId) -> Option<StmtId> {
        let expr = self.builder().assign(place, value).ok()?;
        Some(self.statement(expr))
    }

    fn set(&mut self, object: ObjectId, number: i128) -> Option<StmtId> {
        let ty = self.program[object].ty.unqualified();
        let number = self.program.integer(number, ty)?;
        let place = self.named(object);
        self.assign(place, number)
    }

    /// `{ first; second; }`
    fn both(&mut self, first: StmtId, second: StmtId) -> Option<Made> {
        Some(Made::Stmt(block(self.program, &[first, second])))
    }

    fn operation(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Option<Made> {
        Some(Made::Value(self.builder().binary(op, left, right).ok()?))
    }

    fn division(&mut self) -> BinaryOp {
        self.choices.pick(&[BinaryOp::Div, BinaryOp::Rem])
    }

    /// A call of a builtin.
    fn builtin(&mut self, name: &str, arguments: Vec<ExprId>) -> Option<ExprId> {
        let builtin = Builtin::by_name(name).expect("the table has it");
        let program = &mut *self.program;
        let ty = builtin.function_type(&mut program.types, program.target)?;
        let result = ty.result.unqualified();
        let mut converted = Vec::new();
        for (argument, ty) in arguments.into_iter().zip(&ty.parameters) {
            converted.push(self.builder().convert_assigned(argument, *ty).ok()?);
        }
        let call = ExprKind::Builtin(builtin, converted.into());
        Some(self.builder().node(call, result))
    }

    /// A statement that calls a builtin without arguments.
    fn call(&mut self, name: &str) -> Option<Made> {
        let call = self.builtin(name, Vec::new())?;
        Some(Made::End(self.statement(call)))
    }

    /// A new local of the hostile code, without a value.
    fn local(&mut self, ty: TypeId) -> (ObjectId, StmtId) {
        let program = &mut *self.program;
        let name = program.names.fresh(&format!("{UNSET}1"));
        let object = program.objects.push(Object::local(name, ty));
        (object, program.stmts.push(Stmt::Declare(object)))
    }

    /// A pointer to a type, as a number.
    fn wild(&mut self, ty: TypeId, null: bool) -> Option<ExprId> {
        let pointer = self.program.types.pointer_to(ty);
        let address = match null {
            true => self.constant(0)?,
            false if self.choices.chance(40) => self.operand()?,
            false => {
                let address = self.choices.pick(&WILD);
                self.constant(address)?
            }
        };
        let mut builder = self.builder();
        let pointer = builder.cast(address, pointer).ok()?;
        builder.deref(pointer).ok()
    }

    /// The type of a variable beside the spot.
    fn some_type(&mut self) -> Option<TypeId> {
        let place = self.place()?;
        Some(self.program.type_of(place).unqualified())
    }

    /// `array[index]`, somewhere else.
    fn element(&mut self, far: bool) -> Option<ExprId> {
        let elements = &self.near.elements;
        let found = self.choices.pick_any(elements)?;
        let ExprKind::Index(base, index) = self.program[found].kind else { return None };
        let base = copy::expr(self.program, base);
        let ty = self.program.type_of(found);
        let size = self.size_of(ty)?;
        let most = (FARTHEST / size.max(1)).clamp(FAR.0, FAR.1);
        let mut distance = self.choices.range(FAR.0, most);
        if self.choices.chance(30) {
            distance = -distance;
        }
        let mut index = match far {
            true => {
                let index = plain(self.program, index);
                copy::expr(self.program, index)
            }
            false => self.constant(distance.into())?,
        };
        if far {
            let distance = self.constant(distance.into())?;
            index = self.builder().binary(BinaryOp::Add, index, distance).ok()?;
        }
        self.builder().index(base, index).ok()
    }

    /// `*(ty *)&place`
    fn punned(&mut self, place: ExprId, ty: TypeId) -> Option<ExprId> {
        let pointer = self.program.types.pointer_to(ty);
        let mut builder = self.builder();
        let address = builder.address_of(place).ok()?;
        let address = builder.cast(address, pointer).ok()?;
        builder.deref(address).ok()
    }
}

fn divide_by_zero(it: &mut Kitchen<'_>) -> Option<Made> {
    let (op, left, zero) = (it.division(), it.operand()?, it.constant(0)?);
    it.operation(op, left, zero)
}

/// `x / (y - y)`
fn divide_by_difference(it: &mut Kitchen<'_>) -> Option<Made> {
    let (op, left, right) = (it.division(), it.operand()?, it.operand()?);
    let again = copy::expr(it.program, right);
    let zero = it.builder().binary(BinaryOp::Sub, right, again).ok()?;
    it.operation(op, left, zero)
}

/// `y = 0; ... x / y`
fn divide_by_cleared(it: &mut Kitchen<'_>) -> Option<Made> {
    let (op, left, object) = (it.division(), it.operand()?, it.variable()?);
    let clear = it.set(object, 0)?;
    let divisor = it.load(object);
    let value = it.builder().binary(op, left, divisor).ok()?;
    let divide = it.used(value)?;
    it.both(clear, divide)
}

/// A quotient that runs too, here with zeros in what it divides by.
fn live_quotient(it: &mut Kitchen<'_>) -> Option<Made> {
    let quotient = it.choices.pick_any(&it.near.quotients)?;
    let ExprKind::Binary(_, _, divisor) = it.program[quotient].kind else { return None };
    let mut objects = Vec::new();
    integers_in(it.program, divisor, &mut objects);
    let object = it.choices.pick_any(&objects)?;
    let clear = it.set(object, 0)?;
    let value = copy::expr(it.program, quotient);
    let divide = it.used(value)?;
    it.both(clear, divide)
}

/// `x = INT_MIN; ... x / -1`
fn lowest_by_minus_one(it: &mut Kitchen<'_>) -> Option<Made> {
    let object = it.variable()?;
    let ty = integer_type(it.program, it.program[object].ty)?;
    let int = it.program.target.int_bits(IntKind::Int);
    if !ty.signed || ty.bits < int || ty.bits > 64 {
        return None;
    }
    let lowest = it.set(object, ty.min())?;
    let (op, left) = (it.division(), it.load(object));
    let right = it.constant(-1)?;
    let value = it.builder().binary(op, left, right).ok()?;
    let divide = it.used(value)?;
    it.both(lowest, divide)
}

fn shift_too_far(it: &mut Kitchen<'_>) -> Option<Made> {
    let left = it.operand()?;
    let left = it.builder().promote(left);
    let bits = integer_type(it.program, it.program.type_of(left))?.bits;
    let more = it.choices.pick(&[0, 0, 1, 7, 64, 1000]);
    let negative = it.choices.chance(30);
    let count = if negative { -1 - more } else { i128::from(bits) + more };
    let count = it.constant(count)?;
    let op = it.choices.pick(&[BinaryOp::Shl, BinaryOp::Shr]);
    it.operation(op, left, count)
}

/// A signed sum or product that runs too, here of numbers for which it overflows.
fn live_overflow(it: &mut Kitchen<'_>) -> Option<Made> {
    let signed = it.choices.pick_any(&it.near.signed)?;
    let mut objects = Vec::new();
    integers_in(it.program, signed, &mut objects);
    let object = it.choices.pick_any(&objects)?;
    let ty = integer_type(it.program, it.program[object].ty)?;
    let most = i64::try_from(ty.max()).unwrap_or(i64::MAX);
    let lowest = it.choices.chance(50).then(|| ty.min().max(i64::MIN.into()));
    let extreme = it.set(object, lowest.unwrap_or(most.into()))?;
    let value = copy::expr(it.program, signed);
    let overflow = it.used(value)?;
    it.both(extreme, overflow)
}

fn load_outside(it: &mut Kitchen<'_>) -> Option<Made> {
    let element = it.element(false)?;
    Some(Made::Value(it.builder().value(element)))
}

fn store_outside(it: &mut Kitchen<'_>) -> Option<Made> {
    let (element, value) = (it.element(false)?, it.operand()?);
    Some(Made::Stmt(it.assign(element, value)?))
}

fn load_far(it: &mut Kitchen<'_>) -> Option<Made> {
    let element = it.element(true)?;
    Some(Made::Value(it.builder().value(element)))
}

fn store_far(it: &mut Kitchen<'_>) -> Option<Made> {
    let (element, value) = (it.element(true)?, it.operand()?);
    Some(Made::Stmt(it.assign(element, value)?))
}

fn load_wild(it: &mut Kitchen<'_>, null: bool) -> Option<Made> {
    let ty = it.some_type()?;
    let place = it.wild(ty, null)?;
    Some(Made::Value(it.builder().value(place)))
}

fn store_wild(it: &mut Kitchen<'_>, null: bool) -> Option<Made> {
    let ty = it.some_type()?;
    let (place, value) = (it.wild(ty, null)?, it.operand()?);
    Some(Made::Stmt(it.assign(place, value)?))
}

/// `int *u; *u = x;`
fn through_uninitialised(it: &mut Kitchen<'_>) -> Option<Made> {
    let ty = it.some_type()?;
    let pointer = it.program.types.pointer_to(ty);
    let (object, declare) = it.local(pointer);
    let pointer = it.named(object);
    let place = it.builder().deref(pointer).ok()?;
    let access = if it.choices.chance(50) {
        let value = it.operand()?;
        it.assign(place, value)?
    } else {
        let value = it.builder().value(place);
        it.used(value)?
    };
    it.both(declare, access)
}

/// `int u; x = u;`
fn uninitialised(it: &mut Kitchen<'_>) -> Option<Made> {
    let ty = it.some_type()?;
    let (object, declare) = it.local(ty);
    let value = it.load(object);
    let access = it.used(value)?;
    it.both(declare, access)
}

/// `int *p; { int u; p = &u; } *p = x;`
fn dangling(it: &mut Kitchen<'_>) -> Option<Made> {
    let ty = it.some_type()?;
    let pointer = it.program.types.pointer_to(ty);
    let (pointer, declare) = it.local(pointer);
    let (target, inner) = it.local(ty);
    let target = it.named(target);
    let address = it.builder().address_of(target).ok()?;
    let place = it.named(pointer);
    let take = it.assign(place, address)?;
    let lost = block(it.program, &[inner, take]);
    let place = it.named(pointer);
    let place = it.builder().deref(place).ok()?;
    let value = it.operand()?;
    let store = it.assign(place, value)?;
    Some(Made::Stmt(block(it.program, &[declare, lost, store])))
}

/// `*(long long *)&c = x`
fn store_punned(it: &mut Kitchen<'_>) -> Option<Made> {
    let (place, value) = (it.place()?, it.operand()?);
    let wide = it.punned(place, Types::int(IntKind::LongLong))?;
    Some(Made::Stmt(it.assign(wide, value)?))
}

/// `record = *(struct R *)&x`, or the other way around.
fn copy_punned(it: &mut Kitchen<'_>) -> Option<Made> {
    let wholes = std::mem::take(&mut it.near.wholes);
    let whole = it.pick(&wholes);
    it.near.wholes = wholes;
    let (whole, place) = (whole?, it.place()?);
    let ty = it.program.type_of(whole).unqualified();
    let punned = it.punned(place, ty)?;
    let stmt = match it.choices.chance(50) {
        true => it.assign(whole, punned)?,
        false => it.assign(punned, whole)?,
    };
    Some(Made::Stmt(stmt))
}

/// `*(int *)&c = x`, where `c` is `const`.
fn store_constant(it: &mut Kitchen<'_>) -> Option<Made> {
    let constants = std::mem::take(&mut it.near.constants);
    let constant = it.pick(&constants);
    it.near.constants = constants;
    let (constant, value) = (constant?, it.operand()?);
    let ty = it.program.type_of(constant).unqualified();
    let place = it.punned(constant, ty)?;
    Some(Made::Stmt(it.assign(place, value)?))
}

/// `"abc"[1] = x`
fn store_string(it: &mut Kitchen<'_>) -> Option<Made> {
    let length = 1 + it.choices.below(5);
    let units = (0..length).map(|at| u32::from(b'a') + at as u32).collect();
    let program = &mut *it.program;
    let ty = program.types.array_of(Types::CHAR, ArrayLength::Fixed(length + 1));
    let text = program.strings.push(StringLiteral { encoding: Encoding::Plain, units });
    let text = it.builder().node(ExprKind::String(text), ty);
    let index = it.choices.below(length).into();
    let index = it.constant(index)?;
    let place = it.builder().index(text, index).ok()?;
    let value = it.operand()?;
    Some(Made::Stmt(it.assign(place, value)?))
}

/// `__builtin_clz(0)`, or with a variable that is cleared.
fn count_nothing(it: &mut Kitchen<'_>) -> Option<Made> {
    let names = ["__builtin_clz", "__builtin_ctz", "__builtin_clzll", "__builtin_ctzll"];
    let name = it.choices.pick(&names);
    if it.choices.chance(40) {
        let zero = it.constant(0)?;
        return Some(Made::Value(it.builtin(name, vec![zero])?));
    }
    let object = it.variable()?;
    let clear = it.set(object, 0)?;
    let argument = it.load(object);
    let value = it.builtin(name, vec![argument])?;
    let count = it.used(value)?;
    it.both(clear, count)
}

/// `if (x) __builtin_unreachable();`
fn assume(it: &mut Kitchen<'_>) -> Option<Made> {
    let condition = it.operand()?;
    let call = it.builtin("__builtin_unreachable", Vec::new())?;
    let then = it.statement(call);
    let stmt = Stmt::If { condition, then, otherwise: None };
    Some(Made::Stmt(it.program.stmts.push(stmt)))
}

/// `__builtin_memcpy(&x, &y, 4096)`
fn copy_too_much(it: &mut Kitchen<'_>) -> Option<Made> {
    let names = ["__builtin_memcpy", "__builtin_memmove"];
    let name = it.choices.pick(&names);
    let places: Vec<ExprId> = it.near.places.iter().chain(&it.near.wholes).copied().collect();
    let (to, from) = (it.pick(&places)?, it.pick(&places)?);
    let to = it.builder().address_of(to).ok()?;
    let from = it.builder().address_of(from).ok()?;
    let length = match it.choices.chance(30) {
        true => it.operand()?,
        false => {
            let length = it.choices.pick(&LENGTHS);
            it.constant(length)?
        }
    };
    let call = it.builtin(name, vec![to, from, length])?;
    Some(Made::Stmt(it.statement(call)))
}

/// `__builtin_memset((void *)0, x, 8)`
fn set_nothing(it: &mut Kitchen<'_>) -> Option<Made> {
    let null = it.constant(0)?;
    let pointer = it.program.types.pointer_to(Types::VOID);
    let null = it.builder().cast(null, pointer).ok()?;
    let value = it.operand()?;
    let length = it.constant(8)?;
    let call = it.builtin("__builtin_memset", vec![null, value, length])?;
    Some(Made::Stmt(it.statement(call)))
}

/// `for (;;) ;`
fn endless(it: &mut Kitchen<'_>) -> Option<Made> {
    let body = it.program.stmts.push(Stmt::Empty);
    let stmt = Stmt::For { init: [].into(), condition: None, step: None, body };
    Some(Made::End(it.program.stmts.push(stmt)))
}

/// `for (;;) x++;`
fn endless_steps(it: &mut Kitchen<'_>) -> Option<Made> {
    let place = it.place()?;
    let op = it.choices.pick(&[StepOp::PostIncrement, StepOp::PreDecrement]);
    let step = it.builder().step(op, place).ok()?;
    let (body, step) = match it.choices.chance(50) {
        true => (it.statement(step), None),
        false => (it.program.stmts.push(Stmt::Empty), Some(step)),
    };
    let stmt = Stmt::For { init: [].into(), condition: None, step, body };
    Some(Made::End(it.program.stmts.push(stmt)))
}

/// `void (*)(void)`
fn plain_function(it: &mut Kitchen<'_>) -> TypeId {
    let types = &mut it.program.types;
    let function = types.function(FunctionType {
        result: Types::VOID,
        parameters: [].into(),
        variadic: false,
        prototyped: true,
    });
    types.pointer_to(function)
}

/// `((void (*)(void))0)()`
fn call_nothing(it: &mut Kitchen<'_>) -> Option<Made> {
    let ty = plain_function(it);
    let null = it.constant(0)?;
    let mut builder = it.builder();
    let callee = builder.cast(null, ty).ok()?;
    let call = builder.call(callee, Vec::new()).ok()?;
    Some(Made::Stmt(it.statement(call)))
}

/// `((void (*)(void))f)()`, where `f` has another type.
fn call_wrongly(it: &mut Kitchen<'_>) -> Option<Made> {
    let ty = plain_function(it);
    let function = it.choices.pick_any(&it.near.functions)?;
    let of = it.program[function].ty;
    let mut builder = it.builder();
    let name = builder.node(ExprKind::Function(function), of);
    let callee = builder.cast(name, ty).ok()?;
    let call = builder.call(callee, Vec::new()).ok()?;
    Some(Made::Stmt(it.statement(call)))
}

/// `goto L;`, where `L` is in a loop beside this.
fn jump_into_loop(it: &mut Kitchen<'_>) -> Option<Made> {
    let stmt = it.choices.pick_any(&it.near.loops)?;
    let program = &mut *it.program;
    let (Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::DoWhile { body, .. }) =
        program[stmt]
    else {
        return None;
    };
    let Stmt::Block(inner) = &program[body] else { return None };
    let at = it.choices.index(inner.len() + 1);
    let name = program.names.fresh("D_1");
    let label = program.labels.push(Label { name, local: false });
    let empty = program.stmts.push(Stmt::Empty);
    let labelled = program.stmts.push(Stmt::Label(label, empty));
    it.labels.push(NewLabel { block: body, at, labelled });
    let program = &mut *it.program;
    Some(Made::End(program.stmts.push(Stmt::Goto(label))))
}

/// `return x;`
fn leave(it: &mut Kitchen<'_>) -> Option<Made> {
    let program = &*it.program;
    let Type::Function(ty) = program.resolve(program[it.function].ty) else { return None };
    let result = ty.result;
    let value = match result == Types::VOID {
        true => None,
        false => {
            let value = it.operand()?;
            Some(it.builder().convert_assigned(value, result).ok()?)
        }
    };
    Some(Made::End(it.program.stmts.push(Stmt::Return(value))))
}

/// `i = 5`, also for the counter of a loop, a parameter or an input.
fn set_anything(it: &mut Kitchen<'_>) -> Option<Made> {
    let (object, number) = (it.variable()?, it.choices.pick(&SET));
    let ty = integer_type(it.program, it.program[object].ty)?;
    let stmt = it.set(object, if ty.contains(number) { number } else { 0 })?;
    Some(Made::Stmt(stmt))
}

/// `{ ... }`
fn block(program: &mut Program, stmts: &[StmtId]) -> StmtId {
    program.stmts.push(Stmt::Block(stmts.iter().copied().collect()))
}
