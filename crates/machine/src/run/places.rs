//! Where the machine is, and what explains why it stops there.

use farrier_lang::{ObjectId, Program, Stmt, StmtId};

use super::Machine;
use crate::code::Op;
use crate::lower::object_name;
use crate::memory::Origin;
use crate::verdict::{At, Call};

impl Machine<'_> {
    /// The place of the operation that is executed.
    pub(crate) fn at(&self) -> At {
        let Some(frame) = self.frames.last() else { return At::Nowhere };
        let code = self.code(frame.function);
        code.at.get(frame.position as usize).copied().unwrap_or(At::Nowhere)
    }

    pub(super) fn stack(&self) -> Vec<Call> {
        let mut calls = Vec::new();
        for index in (0..self.frames.len()).rev() {
            let Some(function) = self.frames[index].function else { continue };
            let from = match index.checked_sub(1).map(|caller| &self.frames[caller]) {
                Some(caller) if caller.function.is_some() => {
                    self.code(caller.function).at[caller.position as usize]
                }
                _ => At::Nowhere,
            };
            calls.push(Call { function, from });
            if calls.len() == 50 {
                break;
            }
        }
        calls
    }

    /// Other places that explain a stop: the object that the operation was about.
    pub(super) fn related(&self) -> Vec<(At, String)> {
        let mut related = self.related_object();
        if let Some(object) = self.memory.violated() {
            let name = object_name(self.program, object);
            let at = declaration(self.program, object).map_or(At::Nowhere, At::Stmt);
            related.push((at, format!("the restricted pointer is `{name}`")));
        }
        related
    }

    fn related_object(&self) -> Vec<(At, String)> {
        let Some(frame) = self.frames.last() else { return Vec::new() };
        let code = self.code(frame.function);
        let pointer = match code.ops.get(frame.position as usize) {
            Some(
                Op::Load { pointer, .. }
                | Op::Store { pointer, .. }
                | Op::LoadBits { pointer, .. }
                | Op::StoreBits { pointer, .. }
                | Op::Element { pointer, .. }
                | Op::Member { pointer, .. }
                | Op::CheckAlive { src: pointer },
            ) => self.registers[frame.base + *pointer as usize],
            Some(Op::CallLibrary { site, args }) => {
                let first = frame.base + *args as usize;
                let count = self.site(*site).arguments.len();
                let arguments = &self.registers[first..first + count];
                // What is wrong with a call is mostly that something is gone.
                match arguments.iter().find(|argument| self.memory.is_dangling(**argument)) {
                    Some(gone) => *gone,
                    None => return Vec::new(),
                }
            }
            _ => return Vec::new(),
        };
        let Some((slot, alive)) = self.memory.slot_of(pointer.high) else { return Vec::new() };
        let slot = &self.memory.slots[slot as usize];
        let verb = if alive { "is" } else { "was" };
        match slot.origin {
            Origin::Object(object) => {
                let name = object_name(self.program, object);
                let ty = farrier_lang::print::type_text(self.program, self.program[object].ty);
                let at = declaration(self.program, object).map_or(At::Nowhere, At::Stmt);
                vec![(at, format!("the object {verb} `{name}` of type `{ty}`"))]
            }
            Origin::String(expr) => {
                vec![(At::Expr(expr), format!("the object {verb} this string"))]
            }
            Origin::Temporary(expr) => {
                vec![(At::Expr(expr), format!("the object {verb} this temporary"))]
            }
            Origin::Heap if !alive && !self.memory.is_last_life(pointer.high) => {
                vec![(At::Nowhere, "the object was memory from malloc".to_owned())]
            }
            Origin::Heap => {
                let from = format!("the object {verb} {} bytes from malloc", slot.size);
                let mut places = vec![(slot.allocated_at, from)];
                if !alive {
                    places.push((slot.freed_at, "it was freed here".to_owned()));
                }
                places
            }
            Origin::Alloca => {
                vec![(At::Nowhere, format!("the object {verb} {} bytes from alloca", slot.size))]
            }
            Origin::Function(_) | Origin::Library | Origin::Stream(_) => Vec::new(),
        }
    }
}

/// The statement that declares a local object; parameters and globals have none.
fn declaration(program: &Program, object: ObjectId) -> Option<StmtId> {
    let declares = |stmt: &Stmt| matches!(stmt, Stmt::Declare(id) if *id == object);
    program.stmts.iter().find(|(_, stmt)| declares(stmt)).map(|(id, _)| id)
}
