//! Edits that touch a declaration and all its uses.

use farrier_lang::edit::{
    Change, Edit, Fresh, add_parameter, apply, change_object_type, change_result_type,
    remove_field, remove_parameter, undo,
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

fn arguments(program: &Program) -> Vec<usize> {
    let mut lengths = Vec::new();
    for node in farrier_lang::edit::Links::new(program).nodes() {
        if let farrier_lang::edit::TreeNode::Expr(id) = node
            && let ExprKind::Call(_, arguments) = &program[id].kind
        {
            lengths.push(arguments.len());
        }
    }
    lengths
}

#[test]
fn a_parameter_goes_with_its_arguments() {
    let sample = sample(true);
    let mut fresh = Fresh::new(&sample.program);
    assert!(remove_parameter(&mut fresh, sample.add, 1).is_none(), "it is used");

    let mut unused = sample.clone();
    let ExprKind::Binary(_, left, _) = unused.program[unused.sum].kind else { panic!() };
    let lift = Edit::new(&unused.program, vec![Change::ReplaceExpr { at: unused.sum, with: left }]);
    apply(&mut unused.program, &[lift]).unwrap();
    let mut fresh = Fresh::new(&unused.program);
    let edit = remove_parameter(&mut fresh, unused.add, 1).unwrap();
    let program = applied(&unused, edit);
    assert_eq!(arguments(&program), [1]);
    assert_eq!(program[unused.add].parameters.len(), 1);
}

#[test]
fn a_parameter_comes_with_its_arguments() {
    let sample = sample(false);
    let mut fresh = Fresh::new(&sample.program);
    let long = Types::int(IntKind::Long);
    let edit = add_parameter(&mut fresh, sample.add, "extra", long, |program| {
        program.exprs.push(Expr { kind: ExprKind::Int(4), ty: long })
    });
    let program = applied(&sample, edit.unwrap());
    assert_eq!(arguments(&program), [3]);
}

#[test]
fn a_function_whose_address_is_taken_keeps_its_parameters() {
    let mut sample = sample(false);
    let ty = sample.program[sample.add].ty;
    let pointer = sample.program.types.pointer_to(ty);
    let designator = sample.program.exprs.push(Expr { kind: ExprKind::Function(sample.add), ty });
    let value = sample.program.exprs.push(Expr { kind: ExprKind::Decay(designator), ty: pointer });
    let stmt = sample.program.stmts.push(Stmt::Expr(value));
    sample.program[sample.leave] = Stmt::Block([stmt].into());
    let mut fresh = Fresh::new(&sample.program);
    let edit = add_parameter(&mut fresh, sample.add, "extra", Types::INT, |program| {
        program.exprs.push(Expr { kind: ExprKind::Int(4), ty: Types::INT })
    });
    assert_eq!(edit, None);
    assert_eq!(fresh.program.exprs.len(), sample.program.exprs.len(), "the fresh is clean");
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
