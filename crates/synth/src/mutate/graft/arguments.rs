//! Arguments for functions of other programs.

use farrier_lang::{
    BinaryOp, ExprId, ExprKind, IntKind, Linkage, ObjectId, Program, Storage, Type, TypeId, Types,
    import,
};
use farrier_machine::Observed;

use super::super::stage::Stage;
use super::super::tally::load;
use super::{Candidate, Graft, Site};
use crate::Choices;

/// How arguments are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// A tuple that the function had in its program, written down.
    Written,
    /// One of two such tuples, by a condition on a value of this program; or a value of this
    /// program that is always the same, and the difference.
    Hidden,
    /// Any number between those that a parameter had.
    Between,
}

/// The ways with their weights.
const WAYS: [(Way, u32); 3] = [(Way::Written, 15), (Way::Hidden, 50), (Way::Between, 35)];

/// A wider range of numbers has holes that a function may not bear.
const MOST_BETWEEN: u64 = 4_096;

/// An integer variable of this program at a place.
#[derive(Clone, Copy)]
struct Source {
    object: ObjectId,
    /// One of its values there.
    value: i128,
    /// Whether it has no other.
    single: bool,
}

impl Graft<'_> {
    /// The arguments of one call; `special` ones are constants.
    pub(super) fn arguments(
        &mut self,
        stage: &mut Stage<'_>,
        choices: &mut Choices,
        candidate: &Candidate,
        site: &Site,
        special: bool,
    ) -> Option<Vec<ExprId>> {
        let way = match special {
            true => Way::Written,
            false => WAYS[choices.weighted(&WAYS.map(|(_, weight)| weight))?].0,
        };
        // One condition decides about all of them, so that they come together.
        let decides = source(stage, choices, site);
        let few = &candidate.arguments.few;
        let tuples = [(); 2].map(|()| &few[choices.index(few.len())]);
        let written = choices.pick_any(&candidate.calls).map(|call| match &self.from[call].kind {
            ExprKind::Call(_, arguments) => arguments.to_vec(),
            _ => unreachable!("a donor knows calls"),
        });
        let parameters = &self.from[candidate.function].parameters;
        let mut arguments = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let ty = stage.fresh.program[self.map.objects[parameter]].ty.unqualified();
            let both = tuples.map(|tuple| tuple.get(index).copied().unwrap_or(Observed::Nothing));
            let range = candidate.arguments.ranges.get(index).copied().flatten();
            let made = match (way, decides, range) {
                (Way::Hidden, Some(decides), _) => hidden(stage, decides, both, ty),
                (Way::Between, Some(_), Some(range)) => source(stage, choices, site)
                    .and_then(|source| between(stage, source, range, ty)),
                _ => None,
            };
            let made = match made.or_else(|| constant(stage, both[0], ty)) {
                Some(made) => made,
                None => self.brought(stage, *written.as_ref()?.get(index)?)?,
            };
            arguments.push(made);
        }
        Some(arguments)
    }

    /// An argument as the other program writes it. Its local variables become static ones.
    fn brought(&mut self, stage: &mut Stage<'_>, argument: ExprId) -> Option<ExprId> {
        let mut waiting = vec![argument];
        while let Some(expr) = waiting.pop() {
            let kind = &self.from[expr].kind;
            kind.for_each_operand(|operand| waiting.push(operand));
            if let ExprKind::Object(id) = *kind
                && self.from[id].linkage == Linkage::None
                && !self.map.objects.contains_key(&id)
            {
                self.bring_local(stage, id)?;
            }
        }
        let at = self.position(stage)?;
        import::expr(&mut stage.fresh.program, self.from, argument, at, &mut self.map).ok()
    }

    fn bring_local(&mut self, stage: &mut Stage<'_>, id: ObjectId) -> Option<()> {
        let local = &self.from[id];
        let fixed =
            local.init.filter(|init| local.storage == Storage::Static || self.from.is_fixed(*init));
        // A pointer without the value that it had would lead nowhere.
        if fixed.is_none() && has_pointer(self.from, local.ty) {
            return None;
        }
        let at = self.position(stage)?;
        let program = &mut stage.fresh.program;
        let ty = import::ty(program, self.from, local.ty, at, &mut self.map).ok()?;
        let at = self.position(stage)?;
        let program = &mut stage.fresh.program;
        let init = match fixed {
            Some(init) => Some(import::expr(program, self.from, init, at, &mut self.map).ok()?),
            None => None,
        };
        let name = local.name.map_or("local", |name| self.from.text(name));
        let object = self.global(stage, name, ty)?;
        stage.fresh.program[object].init = init;
        self.map.objects.insert(id, object);
        Some(())
    }
}

/// Whether a type is, or contains, a pointer, or is one whose size is not fixed.
fn has_pointer(program: &Program, ty: TypeId) -> bool {
    match *program.resolve(ty) {
        Type::Array { element, length } => {
            !matches!(length, farrier_lang::ArrayLength::Fixed(_)) || has_pointer(program, element)
        }
        Type::Record(id) => {
            let fields = program[id].fields.as_ref();
            fields.is_none_or(|fields| fields.iter().any(|field| has_pointer(program, field.ty)))
        }
        _ => !program.is_arithmetic(ty) && !matches!(program.resolve(ty), Type::Vector { .. }),
    }
}

/// A variable of this program whose integers are known at a place.
fn source(stage: &Stage<'_>, choices: &mut Choices, site: &Site) -> Option<Source> {
    let program = stage.scene.program;
    let point = &stage.points[site.point];
    let visits = stage.visits(point)?;
    let known: Vec<usize> = (0..point.watched.len())
        .filter(|index| visits.ranges.get(*index).is_some_and(Option::is_some))
        .filter(|index| is_narrow(program, program[point.watched[*index]].ty))
        .collect();
    let index = choices.pick_any(&known)?;
    let (low, high) = visits.ranges[index]?;
    let value = match visits.few[choices.index(visits.few.len())][index] {
        Observed::Integer(value) => value,
        _ => low,
    };
    Some(Source { object: point.watched[index], value, single: low == high })
}

/// Whether a type is one of integers of at most 64 bits.
fn is_narrow(program: &Program, ty: TypeId) -> bool {
    match program.integer_class(ty) {
        Some(Type::Int(kind)) => program.target.int_bits(kind) <= 64,
        _ => false,
    }
}

/// A value as a constant.
fn constant(stage: &mut Stage<'_>, value: Observed, ty: TypeId) -> Option<ExprId> {
    let program = &mut stage.fresh.program;
    match value {
        Observed::Integer(value) => program.integer(value, ty),
        Observed::Float(value) => program.floating(value, ty),
        Observed::Null => {
            let zero = stage.builder().int(IntKind::Int, 0);
            stage.builder().cast(zero, ty).ok()
        }
        Observed::Address | Observed::Nothing => None,
    }
}

/// One of two values, or a value that is always the same, so that a compiler sees neither.
fn hidden(
    stage: &mut Stage<'_>,
    source: Source,
    values: [Observed; 2],
    ty: TypeId,
) -> Option<ExprId> {
    let narrow = is_narrow(&stage.fresh.program, ty);
    let [first, second] = values;
    if first == second {
        return match first {
            Observed::Integer(value) if narrow && source.single => {
                shifted(stage, source, value, ty)
            }
            _ => None,
        };
    }
    let then = constant(stage, first, ty)?;
    let otherwise = constant(stage, second, ty)?;
    let bound = stage.scene.program[source.object].ty;
    let bound = stage.fresh.program.integer(source.value, bound.unqualified())?;
    let mut builder = stage.builder();
    let value = load(&mut builder, source.object);
    let condition = builder.binary(BinaryOp::LessEqual, value, bound).ok()?;
    builder.conditional(condition, Some(then), otherwise).ok()
}

/// `(type)((unsigned long long)variable - its value + value)`
fn shifted(stage: &mut Stage<'_>, source: Source, value: i128, ty: TypeId) -> Option<ExprId> {
    let wide = Types::int(IntKind::ULongLong);
    let difference = value.wrapping_sub(source.value) as u64;
    let mut builder = stage.builder();
    let known = load(&mut builder, source.object);
    let known = builder.cast(known, wide).ok()?;
    let difference = builder.int(IntKind::ULongLong, difference);
    let sum = builder.binary(BinaryOp::Add, known, difference).ok()?;
    builder.cast(sum, ty).ok()
}

/// `(type)((long long)((unsigned long long)variable % count) + low)`
fn between(
    stage: &mut Stage<'_>,
    source: Source,
    (low, high): (i128, i128),
    ty: TypeId,
) -> Option<ExprId> {
    if !is_narrow(&stage.fresh.program, ty) || low == high {
        return None;
    }
    let count = u64::try_from(high - low + 1).ok().filter(|count| *count <= MOST_BETWEEN)?;
    i64::try_from(low).ok()?;
    i64::try_from(high).ok()?;
    let (wide, signed) = (Types::int(IntKind::ULongLong), Types::int(IntKind::LongLong));
    let low = stage.fresh.program.integer(low, signed)?;
    let mut builder = stage.builder();
    let value = load(&mut builder, source.object);
    let value = builder.cast(value, wide).ok()?;
    let count = builder.int(IntKind::ULongLong, count);
    let rest = builder.binary(BinaryOp::Rem, value, count).ok()?;
    let rest = builder.cast(rest, signed).ok()?;
    let sum = builder.binary(BinaryOp::Add, rest, low).ok()?;
    builder.cast(sum, ty).ok()
}
