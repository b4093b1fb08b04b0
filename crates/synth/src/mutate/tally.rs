//! The checksum that exposes values: C text that comes along, and the statements that fold the
//! numbers of an object into it.

use farrier_front::Options as Reading;
use farrier_lang::build::Builder;
use farrier_lang::copy::EntityMap;
use farrier_lang::{
    ArrayLength, BinaryOp, Entity, ExprId, ExprKind, FloatKind, Function, FunctionId, FunctionType,
    IntKind, Item, Linkage, Object, ObjectId, Program, Qualifiers, RecordKind, SourceText, StepOp,
    Stmt, StmtId, Storage, Type, TypeId, Types, UnaryOp, import,
};

use super::stage::Stage;

/// What folds values. A value of the union is the same for every number that is none: its
/// sign and its payload are open.
const TEXT: &str = "
static unsigned long long checksum;
static void mix(unsigned long long value) {
    checksum = (checksum ^ value) * 0x100000001b3;
    checksum ^= checksum >> 29;
}
static unsigned long long watch(unsigned long long value) {
    mix(value);
    return value;
}
union Bits { unsigned long long bits; double value; };
static unsigned long long bits(double value) {
    union Bits both;
    both.bits = 0;
    both.value = value;
    return value == value ? both.bits : 0;
}
int printf(const char *, ...);
";

/// What prints the checksum, for libraries that know `%llx` and for others.
const REPORT: [&str; 2] = [
    "static void report(void) { printf(\"checksum = %llx\\n\", checksum); }",
    "static void report(void) { printf(\"checksum = %08lx%08lx\\n\", \
     (unsigned long)(checksum >> 32), (unsigned long)checksum); }",
];

/// Longer arrays are exposed in part.
const MOST_ELEMENTS: u64 = 1_000;

/// So many numbers of one object are exposed at most.
const MOST_NUMBERS: u64 = 4_000;

/// A part of the text that other code calls.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// Folds a number.
    Mix,
    /// Folds a number and gives it back.
    Watch,
    /// The bits of a floating number.
    Bits,
    /// Prints the checksum.
    Report,
}

const NAMES: [&str; 4] = ["mix", "watch", "bits", "report"];

/// The parts of the text that have come along so far. Those that the program has from an
/// earlier round are used again.
pub(super) struct Tally {
    text: Program,
    map: EntityMap,
    /// Whether unions are folded, too: by their first member.
    pub(super) unions: bool,
}

impl Tally {
    /// Nothing has come along yet.
    pub(super) fn new(stage: &Stage<'_>) -> Option<Self> {
        let host = stage.scene.program;
        let options = Reading { target: host.target, dialect: host.dialect, permissive: false };
        let report = REPORT[usize::from(!host.target.environment.prints_long_long)];
        let text = SourceText::new("checksum.c", format!("{TEXT}{report}"));
        let text = farrier_front::parse(&[text], &options).ok()?;
        let mut map = EntityMap::default();
        let before_main = host.items.iter().take_while(|item| **item != main_item(host));
        for item in before_main {
            match *item {
                Item::Define(Entity::Object(id)) => {
                    let found = defined_object(&text, host, id);
                    found.map(|known| map.objects.insert(known, id));
                }
                Item::Define(Entity::Function(id)) => {
                    let found = defined_function(&text, host, id);
                    found.map(|known| map.functions.insert(known, id));
                }
                _ => {}
            }
        }
        Some(Self { text, map, unions: true })
    }

    /// The function that is a part, before `main`.
    fn part(&mut self, stage: &mut Stage<'_>, part: Part) -> Option<FunctionId> {
        let host = stage.scene.program;
        let id = function_named(&self.text, NAMES[part as usize])?;
        if let Some(known) = self.map.functions.get(&id) {
            return Some(*known);
        }
        let program = &mut stage.fresh.program;
        let at = program.items.iter().position(|item| *item == main_item(host))?;
        import::function(program, &self.text, id, at, &mut self.map).ok()
    }

    /// `part(arguments)`
    pub(super) fn call(
        &mut self,
        stage: &mut Stage<'_>,
        part: Part,
        arguments: Vec<ExprId>,
    ) -> Option<ExprId> {
        let function = self.part(stage, part)?;
        call(&mut stage.builder(), function, arguments)
    }

    /// The statements that fold all numbers of an lvalue; none if it has none.
    pub(super) fn fold(&mut self, stage: &mut Stage<'_>, place: ExprId) -> Vec<StmtId> {
        let ty = stage.fresh.program.type_of(place);
        if numbers(&stage.fresh.program, ty) > MOST_NUMBERS {
            return Vec::new();
        }
        self.fold_part(stage, place).unwrap_or_default()
    }

    fn fold_part(&mut self, stage: &mut Stage<'_>, place: ExprId) -> Option<Vec<StmtId>> {
        let program = &stage.fresh.program;
        let ty = program.type_of(place);
        if ty.qualifiers().intersects(Qualifiers::VOLATILE | Qualifiers::ATOMIC) {
            return None;
        }
        let mut folded = Vec::new();
        match *program.resolve(ty) {
            Type::Array { length: ArrayLength::Fixed(length @ 1..), .. } => {
                folded.push(self.fold_array(stage, place, length)?);
            }
            Type::Record(id) => {
                let fields = program[id].fields.as_ref()?;
                let named = |field: &usize| fields[*field].name.is_some();
                let indices: Vec<usize> = match program[id].kind {
                    RecordKind::Struct => (0..fields.len()).filter(named).collect(),
                    RecordKind::Union if self.unions => (0..fields.len().min(1)).collect(),
                    RecordKind::Union => return None,
                };
                for index in indices {
                    let base = farrier_lang::copy::expr(&mut stage.fresh.program, place);
                    let member = stage.builder().member(base, index as u32);
                    folded.extend(self.fold_part(stage, member).unwrap_or_default());
                }
            }
            Type::Complex(_) => {
                for op in [UnaryOp::Real, UnaryOp::Imag] {
                    let base = farrier_lang::copy::expr(&mut stage.fresh.program, place);
                    let part = stage.builder().unary(op, base).ok()?;
                    folded.extend(self.fold_part(stage, part)?);
                }
            }
            Type::Vector { lanes, .. } => {
                for lane in 0..lanes {
                    let base = farrier_lang::copy::expr(&mut stage.fresh.program, place);
                    let lane = stage.builder().int(IntKind::Int, lane.into());
                    let lane = stage.builder().index(base, lane).ok()?;
                    folded.extend(self.fold_part(stage, lane)?);
                }
            }
            _ => {
                let value = stage.builder().value(place);
                for word in self.words(stage, value)? {
                    let call = self.call(stage, Part::Mix, vec![word])?;
                    folded.push(stage.fresh.program.stmts.push(Stmt::Expr(call)));
                }
            }
        }
        Some(folded)
    }

    /// `for (int i = 0; i < length; i++) ...`
    fn fold_array(&mut self, stage: &mut Stage<'_>, place: ExprId, length: u64) -> Option<StmtId> {
        let zero = stage.builder().int(IntKind::Int, 0);
        let counter = object(stage, "i", Types::INT, Storage::Automatic);
        stage.fresh.program[counter].init = Some(zero);
        let mut builder = stage.builder();
        let index = load(&mut builder, counter);
        let element = builder.index(place, index).ok()?;
        let stmts = self.fold_part(stage, element).filter(|stmts| !stmts.is_empty())?;
        let mut builder = stage.builder();
        let index = load(&mut builder, counter);
        let bound = builder.int(IntKind::Int, length.min(MOST_ELEMENTS));
        let condition = builder.binary(BinaryOp::Less, index, bound).ok()?;
        let target = builder.node(ExprKind::Object(counter), Types::INT);
        let step = builder.step(StepOp::PostIncrement, target).ok()?;
        let stmts_of = &mut builder.program.stmts;
        let init = stmts_of.push(Stmt::Declare(counter));
        let body = stmts_of.push(Stmt::Block(stmts.into_iter().collect()));
        let (condition, step) = (Some(condition), Some(step));
        Some(stmts_of.push(Stmt::For { init: [init].into_iter().collect(), condition, step, body }))
    }

    /// A number as words of 64 bits; `None` if it has none.
    pub(super) fn words(&mut self, stage: &mut Stage<'_>, value: ExprId) -> Option<Vec<ExprId>> {
        let program = &stage.fresh.program;
        let ty = program.type_of(value);
        let wide = Types::int(IntKind::ULongLong);
        if let Type::Float(kind) = *program.resolve(ty) {
            if !is_exact(kind) {
                return None;
            }
            let value = stage.builder().convert(value, Types::DOUBLE);
            return Some(vec![self.call(stage, Part::Bits, vec![value])?]);
        }
        let mut builder = stage.builder();
        match builder.program.integer_class(ty)? {
            Type::Int(IntKind::Int128 | IntKind::UInt128) | Type::BitInt { width: 65.., .. } => {
                let copy = farrier_lang::copy::expr(builder.program, value);
                let half = builder.int(IntKind::Int, 64);
                let high = builder.binary(BinaryOp::Shr, copy, half).ok()?;
                let words = [high, value].map(|word| builder.convert(word, wide));
                Some(words.into())
            }
            _ => Some(vec![builder.convert(value, wide)]),
        }
    }

    /// A new function without parameters that folds and prints, before `main`.
    pub(super) fn reporter(
        &mut self,
        stage: &mut Stage<'_>,
        name: &str,
        mut stmts: Vec<StmtId>,
    ) -> Option<FunctionId> {
        let report = self.call(stage, Part::Report, Vec::new())?;
        let main = main_item(stage.scene.program);
        let program = &mut stage.fresh.program;
        stmts.push(program.stmts.push(Stmt::Expr(report)));
        let body = program.stmts.push(Stmt::Block(stmts.into_iter().collect()));
        let ty = program.types.function(FunctionType {
            result: Types::VOID,
            parameters: [].into(),
            variadic: false,
            prototyped: true,
        });
        let name = program.names.fresh(name);
        let function = program.functions.push(Function {
            linkage: Linkage::Internal,
            body: Some(body),
            ..Function::declared(name, ty)
        });
        let at = program.items.iter().position(|item| *item == main)?;
        program.items.insert(at, Item::Define(Entity::Function(function)));
        Some(function)
    }
}

/// A call of a function.
pub(super) fn call(
    builder: &mut Builder<'_>,
    function: FunctionId,
    arguments: Vec<ExprId>,
) -> Option<ExprId> {
    let ty = builder.program[function].ty;
    let designator = builder.node(ExprKind::Function(function), ty);
    builder.call(designator, arguments).ok()
}

/// The value of an object.
pub(super) fn load(builder: &mut Builder<'_>, object: ObjectId) -> ExprId {
    let place = builder.node(ExprKind::Object(object), builder.program[object].ty);
    builder.value(place)
}

/// A new object: one that lives as long as the program is at file scope, static, and yet to
/// become an item.
pub(super) fn object(stage: &mut Stage<'_>, name: &str, ty: TypeId, storage: Storage) -> ObjectId {
    let name = Some(stage.fresh.program.names.fresh(name));
    let linkage = if storage == Storage::Static { Linkage::Internal } else { Linkage::None };
    let (init, align, asm_name, attributes) = (None, None, None, [].into());
    let object = Object { name, ty, linkage, storage, init, align, asm_name, attributes };
    stage.fresh.program.objects.push(object)
}

/// The item that defines `main`.
pub(super) fn main_item(program: &Program) -> Item {
    Item::Define(Entity::Function(program.main().expect("a certified program has it")))
}

/// Whether a floating number becomes a `double` as it is.
fn is_exact(kind: FloatKind) -> bool {
    matches!(
        kind,
        FloatKind::Float16
            | FloatKind::Float
            | FloatKind::Double
            | FloatKind::Float32
            | FloatKind::Float64
    )
}

/// How many numbers are exposed of a type.
fn numbers(program: &Program, ty: TypeId) -> u64 {
    match *program.resolve(ty) {
        Type::Array { element, length: ArrayLength::Fixed(length) } => {
            length.min(MOST_ELEMENTS).saturating_mul(numbers(program, element))
        }
        Type::Record(id) => {
            let fields = program[id].fields.iter().flatten();
            fields.map(|field| numbers(program, field.ty)).fold(0, u64::saturating_add)
        }
        Type::Vector { lanes, .. } => lanes.into(),
        _ => 1,
    }
}

fn function_named(program: &Program, name: &str) -> Option<FunctionId> {
    let name = program.names.find(name)?;
    program.functions.iter().find_map(|(id, function)| (function.name == name).then_some(id))
}

/// The object of the text that stands for one of the program.
fn defined_object(text: &Program, host: &Program, id: ObjectId) -> Option<ObjectId> {
    let name = host[id].name.map(|name| host.text(name))?;
    let mut objects = text.objects.iter();
    let (known, _) = objects.find(|(_, object)| {
        object.linkage != Linkage::None
            && object.name.is_some_and(|other| text.text(other) == name)
            && object.ty == host[id].ty
    })?;
    Some(known)
}

/// The function of the text that stands for one of the program.
fn defined_function(text: &Program, host: &Program, id: FunctionId) -> Option<FunctionId> {
    let known = function_named(text, host.text(host[id].name))?;
    let (Type::Function(one), Type::Function(other)) =
        (text.types.get(text[known].ty), host.types.get(host[id].ty))
    else {
        return None;
    };
    let stmts = |program: &Program, function: FunctionId| match &program[program[function].body?] {
        Stmt::Block(stmts) => Some(stmts.len()),
        _ => None,
    };
    // Their types are arithmetic ones, which have the same ids in every program.
    let alike =
        one == other && stmts(text, known).is_some_and(|count| Some(count) == stmts(host, id));
    alike.then_some(known)
}
