//! Functions of nests that get their arrays, bounds and numbers as parameters. They are called
//! with parts of arrays: disjoint ones, and overlapping ones where no parameter is `restrict`.

use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, IntKind, Qualifiers, Stmt, StmtId, TypeId, Types,
};

use super::skeleton::Outline;
use super::{NEST_OPERATIONS, Nest, NestArray, ROUND_OPERATIONS};
use crate::features::Feature;
use crate::generate::draft::{Draft, Mode, Role};
use crate::generate::places::Purpose;
use crate::generate::values::Want;

/// How many pointers such a function gets, how often it is called, and how many numbers that
/// do not change it gets.
const POINTERS: (i64, i64) = (2, 3);
const CALLS: (i64, i64) = (2, 3);
const NUMBERS: (i64, i64) = (1, 2);

/// In percent: functions whose pointers are all `restrict`; pointers to lines of two
/// dimensions; functions that name another array as well; calls after the first with
/// overlapping parts, and those with other bounds.
const RESTRICTED: u32 = 45;
const LINES: u32 = 35;
const OTHERS: u32 = 40;
const OVERLAPPING: u32 = 60;
const OTHER_BOUNDS: u32 = 50;

/// How much shorter than an array a part of it is, at most.
const SLACK: u64 = 6;

/// The least rounds of the loops that a parameter bounds: innermost ones, and those around.
const INNER: u64 = 18;
const OUTER: u64 = 2;

/// The loops around the innermost have at most so many rounds where no array says more.
const MOST_OUTER: u64 = 8;

/// A pointer that is a parameter: the arrays of which it can get a part, and how long that is.
struct Pointer {
    sources: Vec<NestArray>,
    lengths: Vec<u64>,
}

impl Draft<'_> {
    /// A function with the nests of an outline, and calls of it.
    pub(super) fn kernels(&mut self, outline: &Outline, out: &mut Vec<StmtId>) -> Option<()> {
        let features =
            [Feature::Call, Feature::Pointer, Feature::PointerParameter, Feature::VariableBound];
        if !features.into_iter().all(|feature| self.has(feature)) {
            return None;
        }
        let pointers = self.kernel_pointers()?;
        let element = pointers[0].sources[0].element;
        let calls = self.choices.range(CALLS.0, CALLS.1) as u64;
        let allowance = self.spare() / (calls + 1);
        let limits = self.kernel_limits(&pointers, outline, allowance)?;
        let used: Vec<_> = pointers.iter().flat_map(|pointer| &pointer.sources).collect();
        let used: Vec<_> = used.iter().map(|array| array.object).collect();
        let objects = {
            let mut objects = used.clone();
            objects.sort_unstable();
            objects.dedup();
            objects.len()
        };
        let restricted = objects >= pointers.len() && self.choices.chance(RESTRICTED);
        let mut types: Vec<TypeId> = Vec::new();
        for pointer in &pointers {
            let mut ty = element;
            if let [_, length] = pointer.lengths[..] {
                ty = self.program.types.array_of(ty, ArrayLength::Fixed(length));
            }
            ty = self.program.types.pointer_to(ty);
            let qualifiers = if restricted { Qualifiers::RESTRICT } else { Qualifiers::NONE };
            types.push(self.program.types.qualified(ty, qualifiers));
        }
        let numbers = self.choices.range(NUMBERS.0, NUMBERS.1) as usize;
        for _ in 0..limits.len() + 1 + numbers {
            let kind = self.choices.pick(&[IntKind::Int, IntKind::Int, IntKind::Long]);
            types.push(Types::int(self.narrow_kind(kind)));
        }
        let result = Types::int(self.narrow_kind(IntKind::ULong).to_unsigned());
        let linkage = self.linkage();
        let function = self.new_function(result, types, linkage);
        if self.has(Feature::Attribute) {
            let attribute = self.attribute("noinline");
            self.program[function].attributes = [attribute].into();
        }
        let mut scope = self.scope_of(function, |_, _, _| (true, false));
        let mut parameters = self.program[function].parameters.clone().into_iter();
        let mut nest = Nest::default();
        for (pointer, object) in pointers.iter().zip(parameters.by_ref()) {
            let lengths = pointer.lengths.clone();
            nest.arrays.push(NestArray { object, element, lengths });
        }
        let other = self.nest_array();
        if (!restricted || !used.contains(&other.object)) && self.choices.chance(OTHERS) {
            nest.arrays.push(other);
        }
        nest.bounds = parameters.by_ref().zip(limits.iter().map(|limit| (*limit).into())).collect();
        nest.stride = parameters.next();
        nest.invariants = parameters.collect();
        scope.nest = nest;
        let nodes = self.budget.size_limit.saturating_sub(self.grown()) / 2;
        let index =
            self.define_function(function, Role::Kernel, scope, (allowance, nodes), |draft| {
                draft.kernel_body(outline, result)
            });
        for call in 0..calls {
            let first = call == 0;
            out.extend(self.kernel_call(index, &pointers, (restricted, first), &limits, numbers));
        }
        Some(())
    }

    /// What pointers a function gets: all to elements of one type.
    fn kernel_pointers(&mut self) -> Option<Vec<Pointer>> {
        let arrays = self.stock.nest_arrays.clone();
        let element = arrays[self.choices.index(arrays.len())].element;
        let length = self.nest_length(0) - self.choices.below(SLACK);
        let lines: Vec<NestArray> = arrays
            .iter()
            .filter(|array| {
                array.element == element && *array.lengths.last().expect("one") >= length
            })
            .cloned()
            .collect();
        if lines.is_empty() {
            return None;
        }
        let mut pointers = Vec::new();
        for _ in 0..self.choices.range(POINTERS.0, POINTERS.1) {
            let planes: Vec<&NestArray> =
                lines.iter().filter(|array| array.lengths.len() == 2).collect();
            if !planes.is_empty() && self.choices.chance(LINES) {
                let plane = planes[self.choices.index(planes.len())];
                let row = plane.lengths[1];
                let like = |array: &&&NestArray| array.lengths[1] == row;
                let sources: Vec<NestArray> =
                    planes.iter().filter(like).map(|array| (*array).clone()).collect();
                let rows = sources.iter().map(|array| array.lengths[0]).min()?;
                let rows = rows - self.choices.below(3).min(rows - 2);
                pointers.push(Pointer { sources, lengths: vec![rows, row] });
            } else {
                pointers.push(Pointer { sources: lines.clone(), lengths: vec![length] });
            }
        }
        Some(pointers)
    }

    /// What the parameters that bound loops are at most, for the innermost first.
    fn kernel_limits(
        &mut self,
        pointers: &[Pointer],
        outline: &Outline,
        allowance: u64,
    ) -> Option<Vec<u64>> {
        let lengths = |at: usize| {
            let of = move |pointer: &Pointer| pointer.lengths.iter().rev().nth(at).copied();
            pointers.iter().filter_map(of).min()
        };
        let inner = lengths(0)? - self.choices.below(SLACK);
        let outer = lengths(1).unwrap_or(MOST_OUTER);
        let leaves: u64 = outline.nests.iter().map(|nest| nest.level.leaves()).sum();
        let rounds = allowance.saturating_sub(NEST_OPERATIONS) / ROUND_OPERATIONS / leaves.max(1);
        let outer = outer.min(rounds / inner.max(1));
        (inner >= INNER && outer >= OUTER).then(|| vec![inner, outer])
    }

    fn kernel_body(&mut self, outline: &Outline, result: TypeId) -> StmtId {
        let kind = self.narrow_kind(IntKind::ULong).to_unsigned();
        let local = self.counter(kind, None);
        let zero = self.builder().int(IntKind::Int, 0);
        let mut statements = vec![self.declared(local, zero)];
        self.scope.nest.result = Some(local);
        self.nests(&outline.nests, outline.nests.len(), &mut statements);
        let value = self.load(local);
        let value = self.adapt(value, result);
        statements.push(self.stmt(Stmt::Return(Some(value))));
        self.block_of(statements)
    }

    /// A call of such a function; the first one gets disjoint parts, as all do if its pointers
    /// are `restrict`.
    fn kernel_call(
        &mut self,
        callee: usize,
        pointers: &[Pointer],
        (restricted, first): (bool, bool),
        limits: &[u64],
        numbers: usize,
    ) -> Option<StmtId> {
        let callee = self.stock.callees[callee].clone();
        if callee.cost > self.spare() {
            return None;
        }
        self.begin_expression();
        let overlaps = !restricted && !first && self.choices.chance(OVERLAPPING);
        let mut taken: Vec<NestArray> = Vec::new();
        let mut arguments = Vec::new();
        for pointer in pointers {
            let is_taken = |array: &&NestArray| taken.iter().any(|one| one.object == array.object);
            let wanted: Vec<&NestArray> =
                pointer.sources.iter().filter(|array| is_taken(array) == overlaps).collect();
            let source = match wanted.is_empty() {
                true if restricted => return None,
                true => pointer.sources[self.choices.index(pointer.sources.len())].clone(),
                false => wanted[self.choices.index(wanted.len())].clone(),
            };
            arguments.push(self.part(&source, &pointer.lengths));
            taken.push(source);
        }
        for limit in limits {
            let other = !first && self.choices.chance(OTHER_BOUNDS);
            let bound = if other { self.choices.below(*limit + 1) } else { *limit };
            arguments.push(self.hidden(bound.into()));
        }
        arguments.push(self.hidden(1));
        for _ in 0..numbers {
            let number = self.choices.range(-3, 12);
            arguments.push(self.hidden(number.into()));
        }
        self.charge(callee.cost);
        let designator = self.function_expr(callee.function);
        let call = self.call_of(designator, arguments);
        let place = self.place(Want::Integer, Purpose::Write, Mode::Quiet);
        let expr = match place {
            Some(place) => self.assign(place, call),
            None => call,
        };
        Some(self.expr_stmt(expr))
    }

    /// A pointer to a part of an array that has such lengths.
    fn part(&mut self, array: &NestArray, lengths: &[u64]) -> ExprId {
        let mut place = self.object_expr(array.object);
        let outer = array.lengths.len() - lengths.len();
        for length in &array.lengths[..outer] {
            let row = self.small_constant(*length);
            place = self.element(place, row);
        }
        let rest = array.lengths[outer] - lengths[0];
        let offset = self.choices.below(rest.min(SLACK) + 1);
        if offset == 0 {
            return self.builder().value(place);
        }
        let offset = self.builder().int(IntKind::Int, offset);
        if self.choices.chance(50) {
            let pointer = self.builder().value(place);
            return self.binary(BinaryOp::Add, pointer, offset);
        }
        let element = self.element(place, offset);
        self.address(element)
    }
}
