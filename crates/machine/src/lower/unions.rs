//! Stores into members of unions. The other bytes of the union have no value afterwards
//! (C11 6.2.6.1p7), and neither has the padding of the member.
//!
//! That is so where the lvalue names the union. A store through a pointer to the member does
//! not know of the union, and leaves its other bytes alone.
//!
//! Memory from malloc does not know its padding, as declared objects do. A store into a member
//! of a structure tells it (6.2.6.1p6).

use farrier_lang::{ExprId, ExprKind, RecordId, RecordKind, Type};

use super::Lowerer;
use super::lvalues::Lvalue;
use crate::code::{Op, Reg};
use crate::verdict::{At, Checked};

/// The records that the target of an assignment is in.
#[derive(Debug, Default)]
pub(super) struct Stores {
    /// The lvalues that choose a member, in the target that is lowered.
    members: Vec<ExprId>,
    /// Where their records are.
    found: Vec<Store>,
}

#[derive(Debug)]
struct Store {
    record: Lvalue,
    /// The bytes of a union that are not of the member.
    rest: std::ops::Range<u32>,
    padding: u32,
    /// Whether only memory without a declared type has to be told.
    undeclared: bool,
}

impl Lowerer<'_> {
    /// Lowers an assignment to `target`, and lets the rest of each union around it go.
    pub(super) fn storing(
        &mut self,
        target: ExprId,
        assign: impl FnOnce(&mut Self) -> Checked<Reg>,
    ) -> Checked<Reg> {
        let members = self.members_to_note(target);
        if members.is_empty() {
            return assign(self);
        }
        let outer = std::mem::replace(&mut self.stores, Stores { members, found: Vec::new() });
        let result = assign(self);
        let stores = std::mem::replace(&mut self.stores, outer);
        for Store { record, rest, padding, undeclared } in stores.found {
            let pointer = self.address(record);
            if !rest.is_empty() {
                self.emit(Op::ForgetBytes { pointer, first: rest.start, end: rest.end });
            }
            if padding != 0 {
                self.emit(match undeclared {
                    true => Op::BlurUndeclared { pointer, padding },
                    false => Op::BlurPadding { pointer, padding },
                });
            }
        }
        result
    }

    /// The places in an lvalue where a member of a union is chosen, or that of the outermost
    /// structure of what a pointer points to.
    fn members_to_note(&self, target: ExprId) -> Vec<ExprId> {
        let mut members = Vec::new();
        let mut outermost = None;
        let mut place = target;
        loop {
            place = match self.program[place].kind {
                ExprKind::Member(base, _) => {
                    match self.union_of(base) {
                        Some(_) => members.push(place),
                        None => outermost = Some(place),
                    }
                    base
                }
                ExprKind::Index(base, _) => match self.program[base].kind {
                    ExprKind::Decay(array) => array,
                    _ => base,
                },
                ExprKind::Unary(_, operand) => operand,
                ExprKind::Object(_) => return members,
                _ => {
                    members.extend(outermost.filter(|_| self.analysis.allocates));
                    return members;
                }
            }
        }
    }

    fn union_of(&self, base: ExprId) -> Option<RecordId> {
        match *self.program.resolve(self.program.type_of(base)) {
            Type::Record(record) if self.program[record].kind == RecordKind::Union => Some(record),
            _ => None,
        }
    }

    /// Notes where a record is of which a member is stored.
    pub(super) fn note_record(&mut self, base: ExprId, index: u32, record: Lvalue) {
        let At::Expr(member) = self.at else { return };
        if !self.stores.members.contains(&member) {
            return;
        }
        let of = self.program.type_of(base);
        let Some(union) = self.union_of(base) else {
            let padding = self.memory.learn_padding(self.program, self.layouts, of);
            self.stores.found.push(Store { record, rest: 0..0, padding, undeclared: true });
            return;
        };
        let fields = self.program[union].fields.as_deref().unwrap_or_default();
        let field = &fields[index as usize];
        let size = match field.bits {
            Some(bits) => Some(u64::from(bits).div_ceil(8)),
            None => self.size_of(field.ty),
        };
        let (Some(size), Some(whole)) = (size, self.size_of(of)) else { return };
        let (Ok(size), Ok(whole)) = (u32::try_from(size), u32::try_from(whole)) else { return };
        let padding = match self.program.resolve(field.ty) {
            Type::Record(_) => self.memory.learn_padding(self.program, self.layouts, field.ty),
            _ => 0,
        };
        self.stores.found.push(Store { record, rest: size..whole, padding, undeclared: false });
    }
}
