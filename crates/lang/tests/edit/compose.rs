//! Edits that touch a declaration and all its uses.

use farrier_lang::edit::{
    Change, Edit, Fresh, apply, change_object_type, change_result_type, remove_field, undo,
};
use farrier_lang::shape::difference;
use farrier_lang::well_formed::check;
use farrier_lang::*;

use crate::samples::{Sample, sample};

/// Applies an edit, checks the result, and sees that undoing it leaves no trace.
fn applied(sample: &Sample, edit: Edit) -> Program {
    let mut program = sample.program.clone();
    let done = apply(&mut program, &[edit]).unwrap();
    assert!(done.absorbed.is_empty());
    let violations = check(&program);
    assert!(violations.is_empty(), "{}", violations[0]);
    let result = program.clone();
    undo(&mut program, done);
    assert_eq!(difference(&program, &sample.program), None);
    result
}

#[test]
fn a_function_whose_address_is_taken_keeps_its_result() {
    let mut sample = sample(false);
    let ty = sample.program[sample.add].ty;
    let pointer = sample.program.types.pointer_to(ty);
    let designator = sample.program.exprs.push(Expr { kind: ExprKind::Function(sample.add), ty });
    let value = sample.program.exprs.push(Expr { kind: ExprKind::Decay(designator), ty: pointer });
    let stmt = sample.program.stmts.push(Stmt::Expr(value));
    sample.program[sample.leave] = Stmt::Block([stmt].into());
    let mut fresh = Fresh::new(&sample.program);
    assert_eq!(change_result_type(&mut fresh, sample.add, Types::CHAR), None);
    assert_eq!(fresh.program.exprs.len(), sample.program.exprs.len(), "nothing new is left");
}

#[test]
fn a_member_goes_if_no_expression_names_it() {
    let sample = sample(false);
    let mut fresh = Fresh::new(&sample.program);
    assert!(remove_field(&mut fresh, sample.pair, 0).is_none(), "both.first is assigned to");
    let edit = remove_field(&mut fresh, sample.pair, 1).unwrap();
    let program = applied(&sample, edit);
    assert_eq!(program[sample.pair].fields.as_ref().unwrap().len(), 1);
}

#[test]
fn an_object_changes_its_type_and_the_program_keeps_its_own() {
    let sample = sample(false);
    let mut fresh = Fresh::new(&sample.program);
    for ty in [Types::int(IntKind::Short), Types::int(IntKind::ULongLong), Types::DOUBLE] {
        let edit = change_object_type(&mut fresh, sample.total, ty).unwrap();
        let program = applied(&sample, edit);
        assert_eq!(program[sample.total].ty, ty);
    }
    assert!(
        change_object_type(&mut fresh, sample.counter, Types::DOUBLE).is_none(),
        "it is decremented"
    );
}

#[test]
fn a_function_changes_its_result() {
    let sample = sample(false);
    let mut fresh = Fresh::new(&sample.program);
    let edit = change_result_type(&mut fresh, sample.add, Types::int(IntKind::Char)).unwrap();
    let program = applied(&sample, edit);
    let Type::Function(ty) = program.types.get(program[sample.add].ty) else { panic!() };
    assert_eq!(ty.result, Types::CHAR);
}

#[test]
fn a_type_change_and_the_removal_of_a_use_meet() {
    let sample = sample(false);
    let mut fresh = Fresh::new(&sample.program);
    let retype = change_object_type(&mut fresh, sample.total, Types::CHAR).unwrap();
    let remove = Edit::new(&sample.program, vec![Change::RemoveStmt(sample.accumulate)]);
    let mut program = sample.program.clone();
    let done = apply(&mut program, &[retype, remove]).unwrap();
    assert_eq!(done.absorbed.len(), 2, "the assignment and the argument are gone");
    assert!(check(&program).is_empty());
}
