//! `main`: sets the inputs, calls the tests and checks the globals.

use farrier_lang::build::Builder;
use farrier_lang::layout::Layouts;
use farrier_lang::{
    ArrayLength, BinaryOp, Entity, ExprId, ExprKind, Function, FunctionId, FunctionType, IntKind,
    Item, Linkage, ObjectId, Program, Qualifiers, RecordKind, Stmt, StmtId, Storage, Symbol, Type,
    TypeId, Types, UnaryOp, print,
};
use farrier_machine::{Profile, Tier};

use super::Check;
use super::budget::Budget;
use super::draft::{Draft, Mode, Name, Role};
use super::floats::{self, BITS};
use super::production::{Production, Rate, anywhere, draw, form};
use super::scope::DraftScope;
use super::values::Class;
use crate::features::Feature;

/// The function beside `main` that folds a value into the checksum.
const MIX: &str = "mix";

/// Whether a function has this name because it belongs to the checks: it is not drawn.
pub(crate) fn is_driver(name: &str) -> bool {
    name == MIX || name.strip_prefix(BITS).is_some_and(floats::is_suffix)
}

/// The multiplier of the checksum: the prime of FNV-1a for 64 bits.
pub(super) const PRIME: u64 = 0x100_0000_01b3;

/// A place for a comparison of a number with what it must be, once that is known.
#[derive(Clone, Debug)]
pub(super) struct Assertion {
    /// The statement, which only evaluates the value so far.
    statement: StmtId,
    /// The value, of a floating type or converted to `long long`.
    pub(super) actual: ExprId,
    /// The number as the program writes it.
    name: String,
    printf: FunctionId,
    /// Whether there is a builtin for signs.
    signs: bool,
}

/// An input that gets its value.
#[derive(Clone, Copy)]
struct Input {
    ty: TypeId,
    value: i128,
    /// The parameters of `main`, if they may be used.
    arguments: Option<[ObjectId; 2]>,
}

/// Where inputs get their values from.
static INPUTS: &[Production<Input, ExprId>] = &[
    form(Rate::Always(2), has_arguments, |draft, input| draft.by_arguments(input)),
    form(Rate::Always(1), has_volatile, |draft, input| Some(draft.by_volatile(input))),
    form(Rate::Always(1), anywhere, |draft, input| Some(draft.by_function(input))),
];

/// How many inputs made from arguments are sums, in percent; the others are products.
const SUMS: u32 = 50;

/// How many are made from the number of arguments; the others from the null after the last.
const COUNTED_ARGUMENTS: u32 = 60;

fn has_arguments(_: &Draft<'_>, input: Input) -> bool {
    input.arguments.is_some()
}

fn has_volatile(draft: &Draft<'_>, _: Input) -> bool {
    draft.has(Feature::Volatile)
}

/// From how many numbers on those of an array are folded without a call for each.
pub(super) const MANY: u64 = 16;

/// How the numbers in an object are checked.
#[derive(Clone, Copy)]
enum Walk {
    /// One by one.
    Each,
    /// Elements of arrays in loops, of which so many rounds are made already.
    Loops(u64),
}

/// Makes the statements that check one number.
type Checker<'a> = &'a mut dyn FnMut(&mut Draft<'_>, ExprId, Walk) -> Vec<StmtId>;

impl Draft<'_> {
    fn printf(&mut self) -> FunctionId {
        let constant_char = self.program.types.qualified(Types::CHAR, Qualifiers::CONST);
        let format = self.program.types.pointer_to(constant_char);
        let ty = self.program.types.function(FunctionType {
            result: Types::INT,
            parameters: [format].into(),
            variadic: true,
            prototyped: true,
        });
        let name = self.program.names.intern("printf");
        let function = self.program.functions.push(Function::declared(name, ty));
        self.program.items.push(Item::Declare(Entity::Function(function)));
        function
    }

    pub(super) fn named(
        &mut self,
        name: &str,
        ty: TypeId,
        linkage: Linkage,
        storage: Storage,
    ) -> ObjectId {
        let object = self.object(Name::Local, ty, linkage, storage);
        self.program[object].name = Some(self.program.names.intern(name));
        object
    }

    /// Defines a function that drafting has no part in.
    pub(super) fn define(
        &mut self,
        name: Symbol,
        result: TypeId,
        parameters: &[ObjectId],
        linkage: Linkage,
        body: StmtId,
    ) -> FunctionId {
        let types = parameters.iter().map(|object| self.program[*object].ty).collect();
        let ty = self.program.types.function(FunctionType {
            result,
            parameters: types,
            variadic: false,
            prototyped: true,
        });
        let function = self.program.functions.push(Function {
            linkage,
            parameters: parameters.into(),
            body: Some(body),
            ..Function::declared(name, ty)
        });
        self.program.items.push(Item::Define(Entity::Function(function)));
        function
    }

    /// The parameters of `main`, if some input is made from them.
    fn main_parameters(&mut self) -> Option<[ObjectId; 2]> {
        if self.stock.inputs.is_empty() || !self.wants(Feature::HiddenArgument) {
            return None;
        }
        let string = self.program.types.pointer_to(Types::CHAR);
        let strings = self.program.types.pointer_to(string);
        let mut parameter = |name, ty| self.named(name, ty, Linkage::None, Storage::Automatic);
        Some([parameter("argc", Types::INT), parameter("argv", strings)])
    }

    /// The number one, made from the arguments of `main`: of a program that is run
    /// without any, `argc` is one and `argv[argc]` is null, C11 5.1.2.2.1p2.
    fn hidden_one(&mut self, [argc, argv]: [ObjectId; 2]) -> ExprId {
        if self.choices.chance(COUNTED_ARGUMENTS) {
            return self.load(argc);
        }
        let (strings, index) = (self.load(argv), self.load(argc));
        let element = self.element(strings, index);
        let element = self.builder().value(element);
        self.unary(UnaryOp::Not, element)
    }

    /// The value of an input, from the arguments of `main`.
    fn by_arguments(&mut self, Input { value, arguments, .. }: Input) -> Option<ExprId> {
        let one = self.hidden_one(arguments?);
        let (op, constant) = match self.choices.chance(SUMS) {
            true => (BinaryOp::Add, value - 1),
            false => (BinaryOp::Mul, value),
        };
        let constant = self.literal(constant);
        Some(self.binary(op, constant, one))
    }

    /// The same through a volatile object.
    fn by_volatile(&mut self, Input { ty, value, .. }: Input) -> ExprId {
        let volatile = self.program.types.qualified(ty, Qualifiers::VOLATILE);
        let linkage = self.linkage();
        let object = self.object(Name::Global, volatile, linkage, Storage::Static);
        let constant = self.literal(value);
        self.program[object].init = Some(self.builder().convert(constant, ty));
        self.program.items.push(Item::Define(Entity::Object(object)));
        self.load(object)
    }

    /// The same through a function, which is not inlined if that can be said.
    fn by_function(&mut self, Input { ty, value, .. }: Input) -> ExprId {
        let name = self.name(Name::Function);
        let parameter = self.object(Name::Parameter, ty, Linkage::None, Storage::Automatic);
        let load = self.load(parameter);
        let result = self.stmt(Stmt::Return(Some(load)));
        let body = self.block_of(vec![result]);
        let linkage = self.linkage();
        let function = self.define(name, ty, &[parameter], linkage, body);
        if self.has(Feature::Attribute) {
            let attribute = self.attribute("noinline");
            self.program[function].attributes = [attribute].into();
        }
        let designator = self.function_expr(function);
        let argument = self.literal(value);
        self.call_of(designator, vec![argument])
    }

    /// `main`, which calls `tests`; those that must not run, under a condition that is
    /// never true.
    pub(super) fn finish(&mut self, tests: &[(usize, bool)]) -> Vec<Assertion> {
        let mut body = Vec::new();
        let inputs = self.stock.inputs.clone();
        let arguments = self.main_parameters();
        for (input, value) in inputs {
            let place = self.object_expr(input.object);
            let ty = self.program[input.object].ty;
            let source = draw(self, INPUTS, Input { ty, value, arguments });
            let assign = self.assign(place, source.expect("a function can always be called"));
            body.push(self.stmt(Stmt::Expr(assign)));
        }
        self.scope = DraftScope::new(Types::INT);
        self.budget = Budget::new(u64::MAX, usize::MAX);
        self.scope.globals = self.window();
        for (test, runs) in tests {
            let callee = self.stock.callees[*test].clone();
            let mut arguments = Vec::new();
            for parameter in &callee.ty.parameters {
                self.begin_expression();
                let argument = match self.class_of(*parameter) {
                    Some(_) if callee.role == Role::Knot => {
                        self.input_as(1).unwrap_or_else(|| self.literal(1))
                    }
                    Some(class) => self.constant(class),
                    None => self.argument(*parameter, Mode::Quiet),
                };
                arguments.push(argument);
            }
            let call = call_statement(&mut self.builder(), callee.function, arguments);
            if *runs {
                body.push(call);
            } else {
                let condition = self.never();
                body.push(self.fixed_if(condition, call));
            }
        }
        let mut assertions = Vec::new();
        match self.config.check {
            Check::Checksum => self.checksum(&mut body),
            Check::Asserts => self.asserts(&mut body, &mut assertions),
            Check::None => {}
        }
        let zero = self.builder().int(IntKind::Int, 0);
        body.push(self.stmt(Stmt::Return(Some(zero))));
        let body = self.block_of(body);
        let name = self.program.names.intern("main");
        let parameters = arguments.as_ref().map_or(&[][..], |both| both);
        self.define(name, Types::INT, parameters, Linkage::External, body);
        assertions
    }

    /// A condition that is not true, and looks as if it could be.
    fn never(&mut self) -> ExprId {
        if self.stock.inputs.is_empty() {
            return self.builder().int(IntKind::Int, 0);
        }
        let (input, value) = self.choices.pick(&self.stock.inputs);
        let load = self.load(input.object);
        let other = self.literal(value + 1);
        self.binary(BinaryOp::Equal, load, other)
    }

    /// Every global into one number, which is printed.
    fn checksum(&mut self, body: &mut Vec<StmtId>) {
        let wide = Types::int(IntKind::ULongLong);
        let sum = self.named("checksum", wide, Linkage::Internal, Storage::Static);
        self.program.items.push(Item::Define(Entity::Object(sum)));
        let mix = self.mix_function(sum);
        let printf = self.printf();
        let globals = self.stock.checked();
        let total = self.named("total", wide, Linkage::None, Storage::Automatic);
        let before = body.len();
        let mut folded = false;
        for global in globals {
            let place = self.object_expr(global.object);
            body.extend(self.check(place, Walk::Loops(1), &mut |draft, place, walk| {
                let many = matches!(walk, Walk::Loops(MANY..));
                folded = folded || many;
                let words = draft.words(place).into_iter();
                words
                    .map(|word| match many {
                        true => draft.fold(total, word),
                        false => call_statement(&mut draft.builder(), mix, vec![word]),
                    })
                    .collect()
            }));
        }
        if folded {
            let zero = self.builder().int(IntKind::Int, 0);
            let declared = self.declared(total, zero);
            body.insert(before, declared);
            let load = self.load(total);
            body.push(call_statement(&mut self.builder(), mix, vec![load]));
        }
        let arguments = if !self.config.target.environment.prints_long_long {
            let text = self.program.string("checksum = %08lx%08lx\n");
            let [high, low] = [32, 0].map(|count| {
                let value = self.load(sum);
                let count = self.builder().int(IntKind::Int, count);
                let half = self.binary(BinaryOp::Shr, value, count);
                self.cast(half, Types::int(IntKind::ULong))
            });
            vec![text, high, low]
        } else {
            let text = self.program.string("checksum = %llx\n");
            vec![text, self.load(sum)]
        };
        body.push(call_statement(&mut self.builder(), printf, arguments));
    }

    /// `static void mix(unsigned long long value) { checksum = (checksum ^ value) * PRIME; }`
    fn mix_function(&mut self, sum: ObjectId) -> FunctionId {
        let wide = Types::int(IntKind::ULongLong);
        let value = self.named("value", wide, Linkage::None, Storage::Automatic);
        let old = self.load(sum);
        let other = self.load(value);
        let mixed = self.binary(BinaryOp::BitXor, old, other);
        let prime = self.builder().int(IntKind::ULongLong, PRIME);
        let mixed = self.binary(BinaryOp::Mul, mixed, prime);
        let place = self.object_expr(sum);
        let assign = self.assign(place, mixed);
        let assign = self.stmt(Stmt::Expr(assign));
        // The high bits, which a product only moves upwards, come down again.
        let place = self.object_expr(sum);
        let old = self.load(sum);
        let count = self.builder().int(IntKind::Int, 29);
        let high = self.binary(BinaryOp::Shr, old, count);
        let fold = self.compound_assign(BinaryOp::BitXor, place, high);
        let fold = self.stmt(Stmt::Expr(fold));
        let body = self.block_of(vec![assign, fold]);
        let name = self.program.names.intern(MIX);
        self.define(name, Types::VOID, &[value], Linkage::Internal, body)
    }

    /// `total = (total ^ word) * PRIME + (total >> 29);`, what `mix` does but for the order of its
    /// parts: the high bits come down with the next word.
    fn fold(&mut self, total: ObjectId, word: ExprId) -> StmtId {
        let wide = Types::int(IntKind::ULongLong);
        let word = match self.program.integer_class(self.program.type_of(word)) {
            Some(
                Type::Int(IntKind::Int128 | IntKind::UInt128) | Type::BitInt { width: 65.., .. },
            ) => self.cast(word, wide),
            _ => word,
        };
        let old = self.load(total);
        let mixed = self.binary(BinaryOp::BitXor, old, word);
        let prime = self.builder().int(IntKind::ULongLong, PRIME);
        let mixed = self.binary(BinaryOp::Mul, mixed, prime);
        let old = self.load(total);
        let count = self.builder().int(IntKind::Int, 29);
        let high = self.binary(BinaryOp::Shr, old, count);
        let sum = self.binary(BinaryOp::Add, mixed, high);
        let place = self.object_expr(total);
        let assign = self.assign(place, sum);
        self.stmt(Stmt::Expr(assign))
    }

    /// What is checked of a number: itself, the halves of one of 128 bits, the bits of a
    /// floating one. In tier free their bits are open, and an integer says the same.
    fn words(&mut self, place: ExprId) -> Vec<ExprId> {
        let ty = self.program.type_of(place);
        let value = self.builder().value(place);
        if self.class_of(ty) == Some(Class::Floating) {
            return vec![match self.tier {
                Some(Tier::Free) => self.free_word(value),
                _ => self.float_bits(value),
            }];
        }
        match self.program.integer_class(ty) {
            Some(
                Type::Int(IntKind::Int128 | IntKind::UInt128) | Type::BitInt { width: 65.., .. },
            ) => {
                let copy = self.copy(value);
                let half = self.builder().int(IntKind::Int, 64);
                vec![self.binary(BinaryOp::Shr, copy, half), value]
            }
            _ => vec![value],
        }
    }

    /// The statements that check the numbers in an object: elements of arrays in loops, or
    /// one by one.
    fn check(&mut self, place: ExprId, walk: Walk, checker: Checker<'_>) -> Vec<StmtId> {
        let ty = self.program.type_of(place);
        let mut statements = Vec::new();
        let resolved = self.program.resolve(ty);
        let length = match *resolved {
            Type::Array { length: ArrayLength::Fixed(length), .. } => Some(length),
            Type::Vector { lanes, .. } => Some(u64::from(lanes)),
            _ => None,
        };
        match (resolved, length, walk) {
            _ if self.class_of(ty).is_some() => statements = checker(self, place, walk),
            (_, Some(length), Walk::Loops(rounds)) => {
                let counter =
                    self.object(Name::Local, Types::INT, Linkage::None, Storage::Automatic);
                let index = self.load(counter);
                let element = self.element(place, index);
                let inside = Walk::Loops(rounds.saturating_mul(length));
                statements = self.check(element, inside, checker);
                let body = match statements[..] {
                    [] => return statements,
                    [only] => only,
                    _ => self.block_of(statements),
                };
                let zero = self.builder().int(IntKind::Int, 0);
                let init = self.declared(counter, zero);
                let bound = self.builder().int(IntKind::Int, length);
                return vec![self.counted(counter, init, bound, body)];
            }
            (_, Some(length), Walk::Each) => {
                for index in 0..length {
                    let base = self.copy(place);
                    let index = self.builder().int(IntKind::Int, index);
                    let element = self.element(base, index);
                    statements.extend(self.check(element, walk, checker));
                }
            }
            (Type::Complex(_), ..) => {
                for op in [UnaryOp::Real, UnaryOp::Imag] {
                    let whole = self.copy(place);
                    let part = self.unary(op, whole);
                    statements.extend(self.check(part, walk, checker));
                }
            }
            (&Type::Record(id), ..) => {
                let union = self.program[id].kind == RecordKind::Union;
                let count = if union { 1 } else { usize::MAX };
                let fields: Vec<u32> =
                    self.members(id).map(|(index, _)| index).take(count).collect();
                for field in fields {
                    let base = self.copy(place);
                    let member = self.builder().member(base, field);
                    statements.extend(self.check(member, walk, checker));
                }
            }
            _ => {}
        }
        statements
    }

    /// Every number of every global is compared with what it must be.
    fn asserts(&mut self, body: &mut Vec<StmtId>, assertions: &mut Vec<Assertion>) {
        let wide = Types::int(IntKind::LongLong);
        let printf = self.printf();
        let signs = self.weights.has_extensions();
        let globals = self.stock.checked();
        for global in globals {
            let place = self.object_expr(global.object);
            body.extend(self.check(place, Walk::Each, &mut |draft, place, _| {
                let name = print::print_expr(&draft.program, place);
                let mut statements = Vec::new();
                let free = draft.tier == Some(Tier::Free);
                let actual = match draft.is_floating(place) && !free {
                    true => vec![draft.builder().value(place)],
                    false => {
                        let words = draft.words(place).into_iter();
                        words.map(|word| draft.cast(word, wide)).collect()
                    }
                };
                for actual in actual {
                    let statement = draft.stmt(Stmt::Expr(actual));
                    statements.push(statement);
                    let name = name.clone();
                    assertions.push(Assertion { statement, actual, name, printf, signs });
                }
                statements
            }));
        }
        let text = self.program.string("OK\n");
        body.push(call_statement(&mut self.builder(), printf, vec![text]));
    }
}

/// Turns the assertions into comparisons with the values that `profile` saw.
pub(super) fn fill_in(program: &mut Program, assertions: &[Assertion], profile: &Profile) {
    let mut layouts = Layouts::default();
    let mut builder = Builder { program, layouts: &mut layouts, permissive: false };
    for Assertion { statement, actual, name, printf, signs } in assertions {
        let seen = profile.expr(*actual);
        let floats = seen.floats().and_then(|floats| floats.few()?.first());
        let condition = match floats {
            Some(value) => floats::differs(&mut builder, *actual, *value, *signs),
            None => {
                let value = seen.integers().map(|values| values.low);
                let value = value.expect("main evaluates every assertion");
                let expected = builder.program.literal(value, IntKind::LongLong);
                let expected = expected.expect("an assertion is about 64 bits");
                builder.binary(BinaryOp::NotEqual, *actual, expected).expect("both are integers")
            }
        };
        let text = builder.program.string("NG %s\n");
        let name = builder.program.string(name);
        let say = call_statement(&mut builder, *printf, vec![text, name]);
        let one = builder.int(IntKind::Int, 1);
        let stop = builder.program.stmts.push(Stmt::Return(Some(one)));
        let then = builder.program.stmts.push(Stmt::Block([say, stop].into()));
        builder.program[*statement] = Stmt::If { condition, then, otherwise: None };
    }
}

/// The call of a function as a statement.
fn call_statement(
    builder: &mut Builder<'_>,
    function: FunctionId,
    arguments: Vec<ExprId>,
) -> StmtId {
    let ty = builder.program[function].ty;
    let designator = builder.node(ExprKind::Function(function), ty);
    let call = builder.call(designator, arguments).expect("arguments fit");
    builder.program.stmts.push(Stmt::Expr(call))
}
