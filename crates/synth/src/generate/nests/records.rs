//! Arrays of records whose members are alike, for loops and for groups.

use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, Field, IntKind, ObjectId, RecordKind, StmtId, TypeId, Types,
};

use crate::features::Feature;
use crate::generate::draft::{Draft, Name};

/// How many of these arrays a program has, how long they are, and how many members a record has.
const MOST: usize = 2;
const LENGTHS: (i64, i64) = (34, 52);
const MEMBERS: [u32; 5] = [2, 3, 4, 4, 8];

/// In percent: members of the neighbour, and sources that are elements of an ordinary array.
const NEXT: u32 = 25;
const MIXED: u32 = 35;

/// An array of records with like members.
#[derive(Clone, Copy, Debug)]
pub(in crate::generate) struct NestRecords {
    pub(super) object: ObjectId,
    pub(super) length: u64,
    pub(super) members: u32,
}

impl Draft<'_> {
    pub(super) fn has_records(&self) -> bool {
        self.has(Feature::Struct)
    }

    /// An array of records. A new one needs statements that give it values.
    pub(super) fn nest_records(&mut self) -> NestRecords {
        let old = self.stock.nest_records.len();
        if old == 0 || old < MOST && self.choices.chance(NEXT) {
            let kinds = [IntKind::Int, IntKind::Int, IntKind::Short, IntKind::SChar, IntKind::Long];
            let kind = self.choices.pick(&kinds);
            let kind = self.narrow_kind(kind);
            let members = self.choices.pick(&MEMBERS);
            let ty = self.like_members(Types::int(kind), members);
            let length = self.choices.range(LENGTHS.0, LENGTHS.1) as u64;
            let array = self.program.types.array_of(ty, ArrayLength::Fixed(length));
            let object = self.bare_global(array);
            self.stock.nest_records.push(NestRecords { object, length, members });
        }
        let index = self.choices.index(self.stock.nest_records.len());
        self.stock.nest_records[index]
    }

    fn like_members(&mut self, ty: TypeId, members: u32) -> TypeId {
        let fields: Vec<Field> = (0..members).map(|_| self.field(ty, None, true)).collect();
        let tag = self.name(Name::Record);
        self.define_record(RecordKind::Struct, tag, fields, false)
    }

    /// `r[index].m`
    pub(super) fn record_member(
        &mut self,
        records: NestRecords,
        index: ExprId,
        member: u32,
    ) -> ExprId {
        let base = self.object_expr(records.object);
        let place = self.element(base, index);
        self.builder().member(place, member)
    }

    /// `r[i].a = r[i].b + r[i + 1].c;`, or to and from an ordinary array.
    pub(super) fn nest_record_statement(&mut self) -> Option<Vec<StmtId>> {
        let records = self.nest_records();
        let head = *self.scope.nest.heads.last()?;
        let last = i128::from(records.length) - 1;
        if head.low < 0 || head.high + 1 > last {
            return None;
        }
        let member = |draft: &mut Self| {
            let offset = i128::from(draft.choices.chance(NEXT));
            let counter = draft.load(head.counter);
            let index = draft.plus(counter, offset);
            let member = draft.choices.below(records.members.into()) as u32;
            draft.record_member(records, index, member)
        };
        let place = match self.choices.chance(MIXED) {
            true => self.nest_place()?,
            false => member(self),
        };
        let left = member(self);
        let left = self.builder().value(left);
        let right = match self.choices.chance(MIXED) {
            true => self.nest_value(1)?,
            false => {
                let right = member(self);
                self.builder().value(right)
            }
        };
        let mut ops = vec![BinaryOp::Add, BinaryOp::Sub];
        if self.has(Feature::Multiplication) {
            ops.push(BinaryOp::Mul);
        }
        let op = self.choices.pick(&ops);
        let value = self.nest_operate(op, left, right);
        let assign = self.nest_store(place, value);
        Some(vec![self.expr_stmt(assign)])
    }
}
