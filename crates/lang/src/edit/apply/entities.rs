//! Changes of entities: only the parts that an edit changes are written.

use rustc_hash::FxHashMap;

use super::super::{Change, Site};
use super::execute::Saved;
use super::{Conflict, ConflictKind};
use crate::program::{Enum, EnumConstant, Function, Label, Object, Program, Record, Typedef};

/// Which edit has written which part of an entity.
pub(super) type Writers = FxHashMap<(Site, &'static str), usize>;

/// For each kind of entity, a function that carries a change from one content to
/// another over to the present content. It calls `wrote` with each part it writes,
/// and gives the name of a part that is neither as it was nor as it shall be.
macro_rules! merge {
    ($($function:ident: $entity:ty { $($part:ident)* })*) => {$(
        fn $function(
            now: &mut $entity,
            from: &$entity,
            to: &$entity,
            mut wrote: impl FnMut(&'static str),
        ) -> Result<(), &'static str> {
            $(
                if from.$part != to.$part {
                    if now.$part == from.$part {
                        now.$part.clone_from(&to.$part);
                        wrote(stringify!($part));
                    } else if now.$part != to.$part {
                        return Err(stringify!($part));
                    }
                }
            )*
            Ok(())
        }
    )*};
}

merge! {
    merge_object: Object { name ty linkage storage init align asm_name attributes }
    merge_function: Function {
        name ty linkage specifiers parameters body old_style asm_name attributes
    }
    merge_record: Record { kind tag fields packed pack align may_alias attributes }
    merge_enum: Enum { tag constants underlying fixed packed }
    merge_enum_constant: EnumConstant { name parent value ty }
    merge_typedef: Typedef { name base align may_alias extended attributes }
    merge_label: Label { name local }
}

/// Carries out a change of an entity; other changes are left alone.
pub(super) fn change_entity(
    program: &mut Program,
    edit: usize,
    change: &Change,
    writers: &mut Writers,
    saved: &mut Vec<Saved>,
) -> Result<(), Conflict> {
    let site = change.site();
    let mut written = Vec::new();
    let wrote = |part| written.push(part);
    let result = match change {
        Change::Object { id, from, to } => {
            saved.push(Saved::Object(*id, program[*id].clone()));
            merge_object(&mut program[*id], from, to, wrote)
        }
        Change::Function { id, from, to } => {
            saved.push(Saved::Function(*id, program[*id].clone()));
            merge_function(&mut program[*id], from, to, wrote)
        }
        Change::Record { id, from, to } => {
            saved.push(Saved::Record(*id, program[*id].clone()));
            merge_record(&mut program[*id], from, to, wrote)
        }
        Change::Enum { id, from, to } => {
            saved.push(Saved::Enum(*id, program[*id].clone()));
            merge_enum(&mut program[*id], from, to, wrote)
        }
        Change::EnumConstant { id, from, to } => {
            saved.push(Saved::EnumConstant(*id, program[*id].clone()));
            merge_enum_constant(&mut program[*id], from, to, wrote)
        }
        Change::Typedef { id, from, to } => {
            saved.push(Saved::Typedef(*id, program[*id].clone()));
            merge_typedef(&mut program[*id], from, to, wrote)
        }
        Change::Label { id, from, to } => {
            saved.push(Saved::Label(*id, program[*id].clone()));
            merge_label(&mut program[*id], from, to, wrote)
        }
        Change::ReplaceExpr { .. }
        | Change::ReplaceStmt { .. }
        | Change::RemoveStmt(_)
        | Change::InsertStmts { .. }
        | Change::RemoveItem(_)
        | Change::InsertItem { .. } => return Ok(()),
    };
    for part in written {
        writers.insert((site, part), edit);
    }
    result.map_err(|part| Conflict {
        kind: ConflictKind::SameSite,
        first: writers.get(&(site, part)).copied(),
        second: edit,
        site,
    })
}
