//! Complex numbers: the objects that hold them, and statements and functions on them.
//!
//! Their parts are integers of a floating type, and every object and value has a bound that they
//! keep. So every sum and product is exact, nothing needs a guard, and no infinity occurs, for
//! which compilers multiply in another way. Only what is here names such objects.

use farrier_lang::builtins::Builtin;
use farrier_lang::{
    ArrayLength, BinaryOp, Entity, ExprId, ExprKind, FloatKind, FunctionId, IntKind, Item, Linkage,
    ObjectId, Stmt, StmtId, Storage, TypeId, Types, UnaryOp,
};
use farrier_machine::Tier;

use super::budget::Budget;
use super::draft::{Draft, Mode, Name};
use super::floats::keeps_tier;
use super::places::Purpose;
use super::production::{Production, Rate, anywhere, draw, form};
use super::scope::DraftScope;
use super::values::{Site, Want};
use crate::features::Feature;

/// The types of the parts.
const PARTS: [(Feature, FloatKind); 3] = [
    (Feature::Float, FloatKind::Float),
    (Feature::Double, FloatKind::Double),
    (Feature::LongDouble, FloatKind::LongDouble),
];

/// The bounds of the parts of objects, and of those of any value: a `float` has 24 digits.
const BOUNDS: [i64; 3] = [7, 15, 63];
const MOST: i64 = 1 << 20;

/// The least operations that must be left for statements, and for a call.
const OPERATIONS: u64 = 300;
const CALL_OPERATIONS: u64 = 600;

/// How many statements are drawn at once, and how deep values nest.
const TOGETHER: (i64, i64) = (2, 5);
const DEPTHS: (i64, i64) = (1, 3);

/// How many globals there are before the first statement, at most, and in percent the statements
/// that add one and those that are arrays.
const FEWEST_GLOBALS: usize = 2;
const MOST_GLOBALS: usize = 8;
const MORE_GLOBALS: u32 = 20;
const ARRAYS: u32 = 30;

/// How many functions there are, in percent the calls of a new one, their parameters, and the
/// operations and nodes that one may have.
const MOST_FUNCTIONS: usize = 6;
const NEW_FUNCTIONS: u32 = 40;
const MOST_NESTING: u32 = 3;
const PARAMETERS: (i64, i64) = (1, 3);
const FUNCTION_BUDGET: (u64, usize) = (1_000, 60);
const CALL_COST: u64 = 20;

/// In percent: operands that are real, and leaves that are made of numbers.
const REAL_OPERANDS: u32 = 25;
const MADE_LEAVES: u32 = 30;

/// An object that holds complex numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComplexHome {
    object: ObjectId,
    /// The type of its parts.
    part: TypeId,
    /// How many elements an array has.
    length: Option<u64>,
    /// The parts are between this and minus this.
    bound: i64,
    global: bool,
}

/// A function of complex numbers, which writes nothing but its own locals.
#[derive(Clone, Debug)]
pub(super) struct ComplexFunction {
    function: FunctionId,
    parameters: Vec<(TypeId, i64)>,
    part: TypeId,
    bound: i64,
    cost: u64,
}

/// A value: a complex number, or a real operand.
#[derive(Clone, Copy, Debug)]
struct Number {
    expr: ExprId,
    bound: i64,
}

/// What a form is asked for: the type of the parts, and how deep operands may nest.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    part: TypeId,
    depth: u32,
}

/// The forms of values.
#[rustfmt::skip]
static VALUES: &[Production<Wanted, Number>] = &[
    form(Rate::Of(Feature::Arithmetic), anywhere, |draft, wanted| Some(draft.complex_sum(wanted))),
    form(Rate::Part(Feature::Multiplication, 200), anywhere, |draft, wanted| Some(draft.complex_product(wanted))),
    form(Rate::Of(Feature::Unary), anywhere, |draft, wanted| Some(draft.complex_unary(wanted))),
    form(Rate::Of(Feature::Cast), anywhere, |draft, wanted| draft.complex_cast(wanted)),
    form(Rate::Of(Feature::Call), calls, |draft, wanted| draft.complex_call(wanted.part)),
];

/// The statements.
#[rustfmt::skip]
static STATEMENTS: &[Production<(), Vec<StmtId>>] = &[
    form(Rate::Always(25), anywhere, |draft, ()| Some(draft.complex_declaration())),
    form(Rate::Always(35), anywhere, |draft, ()| draft.complex_assignment()),
    form(Rate::Of(Feature::CompoundAssign), anywhere, |draft, ()| draft.complex_turn()),
    form(Rate::Always(15), anywhere, |draft, ()| draft.complex_part_write()),
    form(Rate::Always(20), writes, |draft, ()| draft.complex_part_read()),
    form(Rate::Of(Feature::Comparison), writes, |draft, ()| draft.complex_comparison()),
];

/// Whether statements on complex numbers can stand here. Tier *free* has none: its proof does
/// not know them.
pub(super) fn has_complex(draft: &Draft<'_>, _: u32) -> bool {
    let features = [Feature::Arithmetic, Feature::Bitwise, Feature::Cast];
    features.into_iter().all(|feature| draft.has(feature))
        && matches!(draft.tier, Some(Tier::Exact | Tier::Rounded))
        && draft.writes_statics
        && draft.spare() > OPERATIONS
        && draft.has_room()
        && !draft.complex_parts().is_empty()
}

fn calls(draft: &Draft<'_>, _: Wanted) -> bool {
    draft.spare() > CALL_OPERATIONS
}

/// Whether numbers outside of the function may be written.
fn writes(draft: &Draft<'_>, (): ()) -> bool {
    !draft.scope.pure
}

impl Draft<'_> {
    /// A few statements on complex numbers.
    pub(super) fn complex_statements(&mut self) -> Option<Vec<StmtId>> {
        let count = self.stock.complex.len();
        let more = count < MOST_GLOBALS && self.choices.chance(MORE_GLOBALS);
        for _ in count..FEWEST_GLOBALS.max(count + usize::from(more)) {
            self.complex_global();
        }
        let mut statements = Vec::new();
        for _ in 0..self.choices.range(TOGETHER.0, TOGETHER.1) {
            self.begin_expression();
            statements.extend(draw(self, STATEMENTS, ()).unwrap_or_default());
            if !has_complex(self, 0) {
                break;
            }
        }
        Some(statements)
    }

    /// The types that parts may have.
    fn complex_parts(&self) -> Vec<TypeId> {
        let can = |(feature, kind): &(Feature, FloatKind)| {
            self.has(*feature) && keeps_tier(self.tier, *kind, self.config.target)
        };
        PARTS.iter().filter(|row| can(row)).map(|row| Types::float(row.1)).collect()
    }

    fn complex_part_type(&mut self) -> TypeId {
        let types = self.complex_parts();
        self.choices.pick_any(&types).unwrap_or(Types::DOUBLE)
    }

    fn complex_global(&mut self) {
        let part = self.complex_part_type();
        let mut ty = self.program.types.complex_of(part);
        let array = self.has(Feature::Array) && self.choices.chance(ARRAYS);
        let length = array.then(|| self.choices.range(2, 5) as u64);
        if let Some(length) = length {
            ty = self.program.types.array_of(ty, ArrayLength::Fixed(length));
        }
        let object = self.bare_global(ty);
        let bound = self.choices.pick(&BOUNDS);
        self.stock.complex.push(ComplexHome { object, part, length, bound, global: true });
    }

    /// An object like that.
    fn complex_home(&mut self, like: impl Fn(&ComplexHome) -> bool) -> Option<ComplexHome> {
        let all = self.scope.complex.iter().chain(&self.stock.complex);
        let found: Vec<ComplexHome> = all.filter(|home| like(home)).copied().collect();
        self.choices.pick_any(&found)
    }

    /// An object that may be written here.
    fn complex_target(&mut self) -> Option<ComplexHome> {
        let pure = self.scope.pure;
        self.complex_home(|home| !(pure && home.global))
    }

    fn complex_place(&mut self, home: ComplexHome) -> ExprId {
        let base = self.object_expr(home.object);
        match home.length {
            None => base,
            Some(length) => {
                let index = self.index_below(length, Mode::Reading);
                self.element(base, index)
            }
        }
    }

    fn complex_read(&mut self, home: ComplexHome) -> Number {
        let place = self.complex_place(home);
        Number { expr: self.builder().value(place), bound: home.bound }
    }

    /// `__real__` or `__imag__` of a place or a value.
    fn complex_part(&mut self, of: ExprId) -> ExprId {
        let op = self.choices.pick(&[UnaryOp::Real, UnaryOp::Imag]);
        self.unary(op, of)
    }

    /// A cast that needs no guard, because the bound says that the number fits.
    fn plain_cast(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        self.builder().cast(value, ty).expect("both are numbers")
    }

    /// A real number of a type, within a bound: a constant, or an integer under a mask.
    fn complex_real(&mut self, part: TypeId, bound: i64) -> Number {
        if self.choices.chance(50) {
            let number = self.choices.range(-bound, bound);
            let literal = self.literal(number.into());
            return Number { expr: self.plain_cast(literal, part), bound };
        }
        let value = self.value(Want::Integer, Site::new(Mode::Reading, 1));
        let mask = self.literal(bound.into());
        let masked = self.binary(BinaryOp::BitAnd, value, mask);
        Number { expr: self.plain_cast(masked, part), bound }
    }

    /// `__builtin_complex(real, imaginary)`
    fn complex_made(&mut self, real: ExprId, imaginary: ExprId) -> ExprId {
        let part = self.program.type_of(real);
        let ty = self.program.types.complex_of(part);
        let builtin = Builtin::by_name("__builtin_complex").expect("the table has it");
        self.builder().node(ExprKind::Builtin(builtin, [real, imaginary].into()), ty)
    }

    fn complex_leaf(&mut self, part: TypeId) -> Number {
        let made = self.choices.chance(MADE_LEAVES);
        match self.complex_home(|home| home.part == part).filter(|_| !made) {
            Some(home) => self.complex_read(home),
            None => {
                let bound = BOUNDS[0];
                let [real, imaginary] = [(); 2].map(|()| self.complex_real(part, bound).expr);
                Number { expr: self.complex_made(real, imaginary), bound }
            }
        }
    }

    /// A complex number with parts of a type.
    fn complex_value(&mut self, part: TypeId, depth: u32) -> Number {
        if depth == 0 {
            return self.complex_leaf(part);
        }
        let made = draw(self, VALUES, Wanted { part, depth: depth - 1 });
        made.unwrap_or_else(|| self.complex_leaf(part))
    }

    fn complex_drawn(&mut self, part: TypeId) -> Number {
        let depth = self.choices.range(DEPTHS.0, DEPTHS.1) as u32;
        self.complex_value(part, depth)
    }

    /// Two operands, of which one may be real.
    fn complex_operands(&mut self, wanted: Wanted) -> [Number; 2] {
        let first = self.complex_value(wanted.part, wanted.depth);
        let second = match self.choices.chance(REAL_OPERANDS) {
            true => self.complex_real(wanted.part, BOUNDS[0]),
            false => self.complex_value(wanted.part, wanted.depth),
        };
        if self.choices.chance(50) { [first, second] } else { [second, first] }
    }

    fn complex_sum(&mut self, wanted: Wanted) -> Number {
        let [a, b] = self.complex_operands(wanted);
        let bound = a.bound + b.bound;
        if bound > MOST {
            return self.complex_leaf(wanted.part);
        }
        let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Sub]);
        Number { expr: self.binary(op, a.expr, b.expr), bound }
    }

    fn complex_product(&mut self, wanted: Wanted) -> Number {
        let [a, b] = self.complex_operands(wanted);
        let bound = 2 * a.bound * b.bound;
        if bound > MOST {
            return self.complex_leaf(wanted.part);
        }
        Number { expr: self.binary(BinaryOp::Mul, a.expr, b.expr), bound }
    }

    /// `-z`, or the conjugate `~z`.
    fn complex_unary(&mut self, wanted: Wanted) -> Number {
        let value = self.complex_value(wanted.part, wanted.depth);
        let op = self.choices.pick(&[UnaryOp::Minus, UnaryOp::BitNot]);
        Number { expr: self.unary(op, value.expr), ..value }
    }

    /// A number with other parts, or a real one, as one of these.
    fn complex_cast(&mut self, wanted: Wanted) -> Option<Number> {
        let ty = self.program.types.complex_of(wanted.part);
        let from = self.complex_part_type();
        let value = match from == wanted.part {
            true => self.complex_real(from, BOUNDS[1]),
            false => self.complex_value(from, wanted.depth),
        };
        Some(Number { expr: self.plain_cast(value.expr, ty), ..value })
    }

    /// A local that holds a value.
    fn complex_local(&mut self, part: TypeId, value: Number) -> (ComplexHome, StmtId) {
        self.charge_expr(value.expr);
        let ty = self.program.types.complex_of(part);
        let object = self.object(Name::Local, ty, Linkage::None, Storage::Automatic);
        self.program[object].init = Some(value.expr);
        let declared = self.stmt(Stmt::Declare(object));
        let bound = value.bound.max(1);
        (ComplexHome { object, part, length: None, bound, global: false }, declared)
    }

    fn complex_declaration(&mut self) -> Vec<StmtId> {
        let part = self.complex_part_type();
        let mut value = self.complex_drawn(part);
        if value.bound > MOST / 256 {
            value = self.complex_leaf(part);
        }
        let (home, declared) = self.complex_local(part, value);
        self.scope.complex.push(home);
        vec![declared]
    }

    /// `z = ...`; parts that are too large are made smaller.
    fn complex_assignment(&mut self) -> Option<Vec<StmtId>> {
        let home = self.complex_target()?;
        let value = self.complex_drawn(home.part);
        let mut statements = Vec::new();
        let mut stored = value.expr;
        if value.bound > home.bound {
            let (whole, declared) = self.complex_local(home.part, value);
            statements.push(declared);
            let kind = self.narrow_kind(IntKind::Int);
            let [real, imaginary] = [UnaryOp::Real, UnaryOp::Imag].map(|op| {
                let whole = self.object_expr(whole.object);
                let part = self.unary(op, whole);
                let part = self.builder().value(part);
                let integer = self.plain_cast(part, Types::int(kind));
                let mask = self.literal(home.bound.into());
                let masked = self.binary(BinaryOp::BitAnd, integer, mask);
                self.plain_cast(masked, home.part)
            });
            stored = self.complex_made(real, imaginary);
        }
        let place = self.complex_place(home);
        let assign = self.builder().assign(place, stored).expect("both are of one type");
        statements.push(self.expr_stmt(assign));
        Some(statements)
    }

    /// `z *= i`: a turn, which keeps the bound.
    fn complex_turn(&mut self) -> Option<Vec<StmtId>> {
        let home = self.complex_target()?;
        let parts = self.choices.pick(&[(0, 1), (0, -1), (-1, 0), (1, 0)]);
        let [real, imaginary] = [parts.0, parts.1].map(|number| {
            let literal = self.literal(number);
            self.plain_cast(literal, home.part)
        });
        let unit = self.complex_made(real, imaginary);
        let place = self.complex_place(home);
        let turned = self.builder().compound_assign(BinaryOp::Mul, place, unit);
        Some(vec![self.expr_stmt(turned.expect("both are of one type"))])
    }

    /// `__imag__ z = ...`
    fn complex_part_write(&mut self) -> Option<Vec<StmtId>> {
        let home = self.complex_target()?;
        let value = self.complex_real(home.part, home.bound);
        let place = self.complex_place(home);
        let part = self.complex_part(place);
        let assign = self.builder().assign(part, value.expr).expect("both are of one type");
        Some(vec![self.expr_stmt(assign)])
    }

    /// An integer gets a part.
    fn complex_part_read(&mut self) -> Option<Vec<StmtId>> {
        let part = self.complex_part_type();
        let value = self.complex_drawn(part);
        let place = self.place(Want::Integer, Purpose::Write, Mode::Reading)?;
        let part = self.complex_part(value.expr);
        let integer = self.plain_cast(part, Types::int(IntKind::LongLong));
        let assign = self.assign(place, integer);
        Some(vec![self.expr_stmt(assign)])
    }

    /// An integer says whether two numbers are equal.
    fn complex_comparison(&mut self) -> Option<Vec<StmtId>> {
        let part = self.complex_part_type();
        let [a, b] = self.complex_operands(Wanted { part, depth: 1 });
        let place = self.place(Want::Integer, Purpose::Write, Mode::Reading)?;
        let op = self.choices.pick(&[BinaryOp::Equal, BinaryOp::NotEqual]);
        let answer = self.binary(op, a.expr, b.expr);
        let assign = self.assign(place, answer);
        Some(vec![self.expr_stmt(assign)])
    }

    /// A call of a function whose result has such parts.
    fn complex_call(&mut self, part: TypeId) -> Option<Number> {
        let spare = self.spare();
        let functions = &self.stock.complex_functions;
        let known: Vec<usize> = (0..functions.len())
            .filter(|index| functions[*index].part == part && functions[*index].cost < spare / 2)
            .collect();
        let more = functions.len() < MOST_FUNCTIONS && self.nesting < MOST_NESTING;
        let index = match self.choices.pick_any(&known) {
            Some(index) if !more || !self.choices.chance(NEW_FUNCTIONS) => index,
            _ if more && self.has_room() => self.complex_function(part, spare / 2),
            other => other?,
        };
        let callee = self.stock.complex_functions[index].clone();
        if callee.cost > spare {
            return None;
        }
        let mut arguments = Vec::new();
        for (part, bound) in callee.parameters {
            let mut value = self.complex_value(part, 1);
            if value.bound > bound {
                let [real, imaginary] = [(); 2].map(|()| self.complex_real(part, bound).expr);
                value = Number { expr: self.complex_made(real, imaginary), bound };
            }
            arguments.push(value.expr);
        }
        self.charge(callee.cost);
        let designator = self.function_expr(callee.function);
        Some(Number { expr: self.call_of(designator, arguments), bound: callee.bound })
    }

    /// Drafts a function; where it stands among those of the stock.
    fn complex_function(&mut self, part: TypeId, allowance: u64) -> usize {
        let parameters: Vec<(TypeId, i64)> = (0..self.choices.range(PARAMETERS.0, PARAMETERS.1))
            .map(|_| (self.complex_part_type(), self.choices.pick(&BOUNDS)))
            .collect();
        let complex = |draft: &mut Self, part| draft.program.types.complex_of(part);
        let types: Vec<TypeId> = parameters.iter().map(|(part, _)| complex(self, *part)).collect();
        let result = complex(self, part);
        let linkage = self.linkage();
        let function = self.new_function(result, types, linkage);
        self.decorate(function, true);
        let objects = self.program[function].parameters.clone();
        let mut scope = DraftScope::new(result);
        scope.pure = true;
        scope.globals = self.window();
        for (object, &(part, bound)) in objects.into_iter().zip(&parameters) {
            let (length, global) = (None, false);
            scope.complex.push(ComplexHome { object, part, length, bound, global });
        }
        let nodes = self.grown() + FUNCTION_BUDGET.1;
        let budget = Budget::new(FUNCTION_BUDGET.0.min(allowance), nodes);
        let mut bound = 0;
        let (body, spent) = self.within(scope, budget, |draft| {
            let mut statements = Vec::new();
            if draft.choices.chance(50) {
                statements.extend(draft.complex_declaration());
            }
            draft.begin_expression();
            let value = draft.complex_value(part, 2);
            bound = value.bound;
            draft.charge_expr(value.expr);
            statements.push(draft.stmt(Stmt::Return(Some(value.expr))));
            draft.block_of(statements)
        });
        self.program[function].body = Some(body);
        self.program.items.push(Item::Define(Entity::Function(function)));
        let cost = spent.cost + CALL_COST;
        self.stock.complex_functions.push(ComplexFunction {
            function,
            parameters,
            part,
            bound,
            cost,
        });
        self.stock.complex_functions.len() - 1
    }
}
