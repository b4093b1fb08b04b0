//! Bytes of views: copied, set, compared and accessed one by one.

use farrier_lang::{
    BinaryOp, Entity, ExprId, ExprKind, FunctionId, InitPlace, IntKind, Item, Qualifiers, Stmt,
    StmtId, Type, TypeId, Types, UnaryOp,
};

use super::draft::{Draft, Mode};
use super::values::{Site, Want};
use crate::features::Feature;

/// How many copies of bytes are by `memmove`, in percent.
const BY_MEMMOVE: u32 = 40;

/// How many copies and comparisons are of all bytes, in percent; the others are of the first
/// ones.
const WHOLE: u32 = 50;

/// How many reads of bytes are loops, in percent.
const BYTE_LOOPS: u32 = 40;

/// How many functions that get a record and return it write a member of it, in percent.
const WRITTEN: u32 = 70;

/// The operations of a function that gets a record and returns it.
const PASSING_COST: u64 = 120;

/// A function that gets a record and returns it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passer {
    ty: TypeId,
    /// The member of a union that it writes to.
    member: Option<u32>,
    function: FunctionId,
    /// The bits of the number that it writes.
    written: Option<(usize, usize)>,
}

impl Draft<'_> {
    fn view_bytes(&self, view: usize) -> usize {
        self.views[view].known.len() / 8
    }

    fn knows_byte(&self, view: usize, byte: usize) -> bool {
        self.views[view].known[8 * byte..8 * byte + 8].iter().all(|known| *known)
    }

    /// The address of a view.
    fn view_address(&mut self, view: usize) -> ExprId {
        let place = self.view_place(view);
        self.address(place)
    }

    /// The number of bytes that a function works on: `sizeof`, a constant, or hidden.
    fn length(&mut self, bytes: usize, of: Option<usize>) -> ExprId {
        match of {
            Some(view) if self.view_bytes(view) == bytes && self.choices.chance(WHOLE) => {
                let place = self.view_place(view);
                let size = Types::int(self.program.target.size_type);
                self.builder().node(ExprKind::SizeofExpr(place), size)
            }
            _ => self.hidden(bytes as i128),
        }
    }

    /// `memcpy(&view, &other, length);`
    pub(super) fn copy_bytes(&mut self, view: usize) -> Option<Vec<StmtId>> {
        let other = self.other_view(view)?;
        let all = self.view_bytes(view);
        let bytes = match self.choices.chance(WHOLE) {
            true => all,
            false => self.choices.index(all + 1),
        };
        let name = if self.choices.chance(BY_MEMMOVE) { "memmove" } else { "memcpy" };
        let (to, from) = (self.view_address(view), self.view_address(other));
        let length = self.length(bytes, Some(view));
        let call = self.library(name, vec![to, from, length]);
        let (known, active) = (self.views[other].known.clone(), self.views[other].active);
        let target = &mut self.views[view];
        target.known[..8 * bytes].copy_from_slice(&known[..8 * bytes]);
        target.active = if bytes == all { active } else { None };
        self.charge(bytes as u64);
        Some(vec![self.expr_stmt(call)])
    }

    /// `memset(&view, value, length);`
    pub(super) fn set_bytes(&mut self, view: usize) -> Option<Vec<StmtId>> {
        let all = self.view_bytes(view);
        let bytes = match self.choices.chance(WHOLE) {
            true => all,
            false => self.choices.index(all + 1),
        };
        let to = self.view_address(view);
        let value = match self.choices.chance(50) {
            true => self.int(0),
            false => self.reading(Types::INT),
        };
        let length = self.length(bytes, Some(view));
        let call = self.library("memset", vec![to, value, length]);
        let target = &mut self.views[view];
        target.known[..8 * bytes].fill(true);
        target.active = target.active.filter(|_| bytes == 0);
        self.charge(bytes as u64);
        Some(vec![self.expr_stmt(call)])
    }

    /// What `memcmp` says of the bytes that have a value in two views, or `memchr` in one.
    pub(super) fn compare_bytes(&mut self, view: usize) -> Option<Vec<StmtId>> {
        if !self.has(Feature::Unary) && !self.has(Feature::Comparison) {
            return None;
        }
        let other = self.other_view(view);
        let all = 0..self.view_bytes(view);
        let known = |byte: &usize| {
            self.knows_byte(view, *byte) && other.is_none_or(|other| self.knows_byte(other, *byte))
        };
        let most = all.take_while(known).count();
        let bytes = if self.choices.chance(WHOLE) { most } else { self.choices.index(most + 1) };
        let left = self.view_address(view);
        self.charge(bytes as u64);
        let result = match other {
            Some(other) => {
                let right = self.view_address(other);
                let length = self.length(bytes, Some(view));
                self.library("memcmp", vec![left, right, length])
            }
            None => {
                let value = self.reading(Types::INT);
                let length = self.length(bytes, None);
                let found = self.library("memchr", vec![left, value, length]);
                return self.has(Feature::Unary).then(|| {
                    let test = self.unary(UnaryOp::Not, found);
                    vec![self.use_number(test)]
                });
            }
        };
        let test = self.sign_test(result);
        Some(vec![self.use_number(test)])
    }

    /// `((unsigned char *)&view)[index]`
    fn byte_of_view(&mut self, view: usize, index: ExprId) -> ExprId {
        let place = self.view_place(view);
        let byte = Types::int(IntKind::UChar);
        let byte = match self.views[view].constant {
            true => self.program.types.qualified(byte, Qualifiers::CONST),
            false => byte,
        };
        let pointer = self.address_as(place, byte);
        self.element(pointer, index)
    }

    /// Reads a byte that has a value, or several in a loop.
    pub(super) fn read_byte(&mut self, view: usize) -> Option<Vec<StmtId>> {
        let known: Vec<usize> =
            (0..self.view_bytes(view)).filter(|byte| self.knows_byte(view, *byte)).collect();
        let first = self.choices.pick_any(&known)?;
        let length = (first..).zip(known.iter().skip_while(|byte| **byte < first));
        let length = length.take_while(|(index, byte)| index == *byte).count() as u64;
        let loops = self.loops_over_bytes();
        if loops && length > 1 && self.choices.chance(BYTE_LOOPS) {
            let body = self.rounds(length, |draft, counter| {
                let counter = draft.load(counter);
                let start = draft.int(first as u64);
                let index = match first {
                    0 => counter,
                    _ => draft.binary(BinaryOp::Add, counter, start),
                };
                let place = draft.byte_of_view(view, index);
                let value = draft.builder().value(place);
                vec![draft.use_number(value)]
            });
            return Some(vec![body?]);
        }
        let index = self.hidden(first as i128);
        let place = self.byte_of_view(view, index);
        let value = self.builder().value(place);
        Some(vec![self.use_number(value)])
    }

    /// Writes one byte. The others stay as they are.
    pub(super) fn write_byte(&mut self, view: usize) -> Option<Vec<StmtId>> {
        if self.views[view].constant {
            return None;
        }
        let byte = self.choices.index(self.view_bytes(view));
        let index = self.hidden(byte as i128);
        let place = self.byte_of_view(view, index);
        let value = self.reading(Types::int(IntKind::UChar));
        self.views[view].known[8 * byte..8 * byte + 8].fill(true);
        Some(vec![self.set(place, value)])
    }

    /// `T *pointer = &view.member; pointer->number = value;`
    pub(super) fn point_to_member(&mut self, view: usize) -> Option<Vec<StmtId>> {
        let ty = self.views[view].ty;
        let active = self.views[view].active;
        let place = self.view_place(view);
        let (place, part) = match (self.is_union(ty), active) {
            (true, None) => return None,
            (true, Some(member)) => {
                let place = self.builder().member(place, member);
                (place, self.program.type_of(place))
            }
            (false, _) => (place, ty),
        };
        if !matches!(self.program.resolve(part), Type::Record(_)) || self.is_packed(part) {
            return None;
        }
        let address = self.address(place);
        let pointer = self.program.types.pointer_to(part);
        let (object, declaration) = self.local_with(pointer, address);
        let mut statements = vec![declaration];
        let leaves = self.leaves_of(ty);
        for _ in 0..self.choices.range(1, 3) {
            let leaf = leaves[self.choices.index(leaves.len())].clone();
            let steps = match active {
                Some(member) if leaf.steps[0] == InitPlace::Field(member) => &leaf.steps[1..],
                Some(_) => continue,
                None => &leaf.steps[..],
            };
            let base = self.load(object);
            let base = self.dereference(base);
            let target = self.follow(base, steps);
            if self.knows(view, &leaf) && self.choices.chance(50) {
                let value = self.builder().value(target);
                statements.push(self.use_number(value));
            } else {
                let value = self.reading(leaf.ty);
                self.views[view].known[leaf.first..leaf.first + leaf.bits].fill(true);
                statements.push(self.set(target, value));
            }
        }
        Some(statements)
    }

    fn is_packed(&self, ty: TypeId) -> bool {
        match *self.program.resolve(ty) {
            Type::Record(id) => self.program[id].packed,
            _ => false,
        }
    }

    /// `view = f(other, value);`, where the function writes a member and returns the record.
    pub(super) fn pass_view(&mut self, view: usize) -> Option<Vec<StmtId>> {
        let other = self.other_view(view)?;
        let ty = self.views[view].ty;
        let Passer { function, written, .. } = self.passer(ty, self.views[other].active);
        let number = |draft: &mut Self, function: FunctionId| {
            let parameters = &draft.program[function].parameters;
            let ty = draft.program[parameters[1]].ty;
            draft.value(Want::Exactly(ty), Site::new(Mode::Reading, 1))
        };
        self.begin_expression();
        let record = self.view_value(other);
        let value = number(self, function);
        let designator = self.function_expr(function);
        let mut call = self.call_of(designator, vec![record, value]);
        if self.wants(Feature::RecordChain) {
            let value = number(self, function);
            let designator = self.function_expr(function);
            call = self.call_of(designator, vec![call, value]);
        }
        self.charge(PASSING_COST);
        let place = self.view_place(view);
        let statement = self.set(place, call);
        self.take_over(view, other);
        if let Some((first, bits)) = written {
            self.views[view].known[first..first + bits].fill(true);
        }
        Some(vec![statement])
    }

    /// A function that gets a record of a type and returns it, after it wrote a number of the
    /// member that was written last.
    fn passer(&mut self, ty: TypeId, member: Option<u32>) -> Passer {
        let known = |passer: &&Passer| (passer.ty, passer.member) == (ty, member);
        if let Some(passer) = self.stock.passers.iter().find(known) {
            return *passer;
        }
        let number = self.whole_type();
        let linkage = self.linkage();
        let function = self.new_function(ty, vec![ty, number], linkage);
        self.decorate(function, true);
        let parameters = self.program[function].parameters.clone();
        let mut leaves = self.leaves_of(ty);
        let union = self.is_union(ty);
        leaves.retain(|leaf| !union || member.map(InitPlace::Field) == Some(leaf.steps[0]));
        let mut statements = Vec::new();
        let mut written = None;
        if !leaves.is_empty() && self.choices.chance(WRITTEN) {
            let leaf = leaves.swap_remove(self.choices.index(leaves.len()));
            let record = self.object_expr(parameters[0]);
            let place = self.follow(record, &leaf.steps);
            let value = self.load(parameters[1]);
            let assign = self.assign(place, value);
            statements.push(self.stmt(Stmt::Expr(assign)));
            written = Some((leaf.first, leaf.bits));
        }
        let record = self.load(parameters[0]);
        statements.push(self.stmt(Stmt::Return(Some(record))));
        let body = self.block_of(statements);
        self.program[function].body = Some(body);
        self.program.items.push(Item::Define(Entity::Function(function)));
        let passer = Passer { ty, member, function, written };
        self.stock.passers.push(passer);
        passer
    }
}
