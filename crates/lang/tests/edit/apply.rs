//! Edits apply, meet, conflict and can be taken back.

use farrier_lang::edit::{Anchor, Change, Conflict, ConflictKind, Edit, Fresh, Site, apply, undo};
use farrier_lang::shape::{difference, size};
use farrier_lang::well_formed::check;
use farrier_lang::*;

use crate::samples::{Maker, Sample, remove_entity, rename_object, sample};

/// An edit that is described for the sample.
type Description = (&'static str, fn(&Sample) -> Edit);

/// Edits with disjoint places; each leaves a well-formed program.
const EDITS: &[Description] = &[
    ("delete a statement", |s| Edit::new(&s.program, vec![Change::RemoveStmt(s.leave)])),
    ("delete a branch", |s| {
        let Stmt::If { then, .. } = s.program[s.repeat] else { panic!() };
        Edit::new(&s.program, vec![Change::RemoveStmt(then)])
    }),
    ("replace an expression by its operand", |s| {
        let ExprKind::Binary(_, left, _) = s.program[s.sum].kind else { panic!() };
        Edit::new(&s.program, vec![Change::ReplaceExpr { at: s.sum, with: left }])
    }),
    ("replace an expression by a new one", |s| {
        let mut fresh = Fresh::new(&s.program);
        let with = int(&mut fresh, 7);
        fresh.edit(vec![Change::ReplaceExpr { at: s.call, with }])
    }),
    ("insert a statement with a new object", |s| {
        let mut make = Maker { program: s.program.clone() };
        let seven = make.int(7);
        let long = make.expr(ExprKind::Convert(seven), Types::int(IntKind::Long));
        let object = make.object("fresh", Types::int(IntKind::Long), Some(long));
        let declare = make.stmt(Stmt::Declare(object));
        let (target, value) = (make.lvalue(object), make.load(s.total));
        let value = make.expr(ExprKind::Convert(value), Types::int(IntKind::Long));
        let kind = ExprKind::Assign(target, value);
        let assign = make.expr(kind, Types::int(IntKind::Long));
        let assign = make.stmt(Stmt::Expr(assign));
        let mut fresh = Fresh::new(&s.program);
        fresh.program = make.program;
        let block = s.program[s.main].body.unwrap();
        fresh.edit(vec![Change::InsertStmts {
            block,
            anchor: Anchor::Before(s.result),
            stmts: [declare, assign].into(),
        }])
    }),
    ("rename", |s| rename_object(&mut Fresh::new(&s.program), s.total, "tally")),
    ("change a linkage", |s| {
        let from = s.program[s.table].clone();
        let to = Object { linkage: Linkage::External, ..from.clone() };
        let (from, to) = (Box::new(from), Box::new(to));
        Edit::new(&s.program, vec![Change::Object { id: s.table, from, to }])
    }),
    ("change an initialiser", |s| {
        let mut fresh = Fresh::new(&s.program);
        let from = s.program[s.counter].clone();
        let to = Object { init: Some(int(&mut fresh, 1)), ..from.clone() };
        let (from, to) = (Box::new(from), Box::new(to));
        fresh.edit(vec![Change::Object { id: s.counter, from, to }])
    }),
    ("insert an item with a new type", |s| {
        let mut fresh = Fresh::new(&s.program);
        let pointer = fresh.program.types.pointer_to(Types::CHAR);
        let pointer = fresh.program.types.pointer_to(pointer);
        let name = Some(fresh.program.names.intern("far"));
        let mut object = fresh.program[s.counter].clone();
        (object.name, object.ty, object.init) = (name, pointer, None);
        let object = fresh.program.objects.push(object);
        fresh.edit(vec![Change::InsertItem {
            item: Item::Define(Entity::Object(object)),
            before: Some(Item::Define(Entity::Object(s.counter))),
        }])
    }),
];

fn int(fresh: &mut Fresh, value: u64) -> ExprId {
    fresh.program.exprs.push(Expr { kind: ExprKind::Int(value), ty: Types::INT })
}

fn assert_well_formed(program: &Program, what: &str) {
    let violations = check(program);
    assert!(violations.is_empty(), "after {what}: {}", violations[0]);
}

fn assert_equal(left: &Program, right: &Program, what: &str) {
    assert_eq!(difference(left, right), None, "{what}");
}

#[test]
fn each_edit_changes_the_program_and_keeps_it_well_formed() {
    let sample = sample(true);
    for (what, describe) in EDITS {
        let mut program = sample.program.clone();
        let applied = apply(&mut program, &[describe(&sample)]).unwrap();
        assert!(applied.absorbed.is_empty(), "{what}");
        assert!(program != sample.program, "{what} does nothing");
        assert_well_formed(&program, what);
    }
}

#[test]
fn undo_takes_back_what_apply_did() {
    let sample = sample(false);
    for (what, describe) in EDITS {
        let mut program = sample.program.clone();
        let applied = apply(&mut program, &[describe(&sample)]).unwrap();
        undo(&mut program, applied);
        assert_equal(&program, &sample.program, what);
        assert_eq!(program.exprs.len(), sample.program.exprs.len(), "{what} leaves nodes behind");
    }
}

#[test]
fn a_history_is_undone_one_by_one() {
    let sample = sample(false);
    let mut program = sample.program.clone();
    let mut history = Vec::new();
    for (_, describe) in EDITS {
        let before = program.clone();
        let applied = apply(&mut program, &[describe(&sample)]).unwrap();
        history.push((before, applied));
    }
    assert_well_formed(&program, "all edits");
    for (before, applied) in history.into_iter().rev() {
        undo(&mut program, applied);
        assert_equal(&program, &before, "undo");
    }
    assert_equal(&program, &sample.program, "all undone");
}

#[test]
fn disjoint_edits_commute_and_may_be_applied_at_once() {
    let sample = sample(false);
    for (first_name, first) in EDITS {
        for (second_name, second) in EDITS {
            if first_name == second_name {
                continue;
            }
            let what = format!("{first_name}, {second_name}");
            let (first, second) = (first(&sample), second(&sample));
            let mut forth = sample.program.clone();
            apply(&mut forth, std::slice::from_ref(&first)).unwrap();
            apply(&mut forth, std::slice::from_ref(&second)).unwrap();
            let mut back = sample.program.clone();
            apply(&mut back, std::slice::from_ref(&second)).unwrap();
            apply(&mut back, std::slice::from_ref(&first)).unwrap();
            assert_equal(&forth, &back, &what);
            let mut at_once = sample.program.clone();
            apply(&mut at_once, &[first, second]).unwrap();
            assert_equal(&forth, &at_once, &what);
            assert_well_formed(&at_once, &what);
        }
    }
}

#[test]
fn all_edits_at_once_are_all_edits_in_turn() {
    let sample = sample(true);
    let edits: Vec<Edit> = EDITS.iter().map(|(_, describe)| describe(&sample)).collect();
    let mut at_once = sample.program.clone();
    apply(&mut at_once, &edits).unwrap();
    let mut reversed = sample.program.clone();
    apply(&mut reversed, &edits.iter().rev().cloned().collect::<Vec<_>>()).unwrap();
    assert_equal(&at_once, &reversed, "order of the list");
    let mut in_turn = sample.program.clone();
    for edit in edits {
        apply(&mut in_turn, &[edit]).unwrap();
    }
    assert_equal(&at_once, &in_turn, "one by one");
}

#[test]
fn an_edit_inside_a_removed_tree_is_absorbed() {
    let sample = sample(false);
    let inner = Edit::new(&sample.program, vec![Change::RemoveStmt(sample.leave)]);
    let outer = Edit::new(&sample.program, vec![Change::RemoveStmt(sample.round)]);
    let mut alone = sample.program.clone();
    apply(&mut alone, std::slice::from_ref(&outer)).unwrap();
    for (edits, absorbed, by) in
        [([inner.clone(), outer.clone()], 0, 1), ([outer.clone(), inner.clone()], 1, 0)]
    {
        let mut program = sample.program.clone();
        let applied = apply(&mut program, &edits).unwrap();
        assert_eq!(applied.absorbed.len(), 1);
        assert_eq!((applied.absorbed[0].edit, applied.absorbed[0].by), (absorbed, Some(by)));
        assert_equal(&program, &alone, "the inner edit has no effect");
    }
    // In turn, the place is already gone.
    let applied = apply(&mut alone, &[inner]).unwrap();
    assert_eq!(applied.absorbed[0].by, None);
}

#[test]
fn an_edit_of_what_another_keeps_is_not_absorbed() {
    let sample = sample(false);
    let ExprKind::Binary(_, left, _) = sample.program[sample.sum].kind else { panic!() };
    let lift = Edit::new(&sample.program, vec![Change::ReplaceExpr { at: sample.sum, with: left }]);
    let mut fresh = Fresh::new(&sample.program);
    let with = int(&mut fresh, 3);
    let constant = fresh.edit(vec![Change::ReplaceExpr { at: left, with }]);
    let mut expected = sample.program.clone();
    let new = expected.exprs.push(Expr { kind: ExprKind::Int(3), ty: Types::INT });
    let body = expected[sample.add].body.unwrap();
    let Stmt::Block(statements) = &expected[body] else { panic!() };
    let give = statements[0];
    expected[give] = Stmt::Return(Some(new));
    for edits in [[lift.clone(), constant.clone()], [constant.clone(), lift.clone()]] {
        let mut at_once = sample.program.clone();
        let applied = apply(&mut at_once, &edits).unwrap();
        assert!(applied.absorbed.is_empty());
        assert_equal(&at_once, &expected, "at once");
    }
    let mut outer_first = sample.program.clone();
    apply(&mut outer_first, std::slice::from_ref(&lift)).unwrap();
    apply(&mut outer_first, std::slice::from_ref(&constant)).unwrap();
    assert_equal(&outer_first, &expected, "in turn");
    // The other way round, the node that the outer edit wants to keep is gone.
    let mut inner_first = sample.program.clone();
    apply(&mut inner_first, &[constant]).unwrap();
    let conflict = apply(&mut inner_first, &[lift]).unwrap_err();
    assert_eq!((conflict.kind, conflict.first), (ConflictKind::Needed, None));
}

#[test]
fn the_same_removal_twice_is_made_once() {
    let sample = sample(false);
    let edit = Edit::new(&sample.program, vec![Change::RemoveStmt(sample.leave)]);
    let mut once = sample.program.clone();
    apply(&mut once, std::slice::from_ref(&edit)).unwrap();
    let mut twice = sample.program.clone();
    let applied = apply(&mut twice, &[edit.clone(), edit]).unwrap();
    assert_eq!(applied.absorbed.len(), 1);
    assert_equal(&once, &twice, "the second removal");
}

#[test]
fn what_takes_its_own_place_changes_nothing() {
    let sample = sample(false);
    for change in [
        Change::ReplaceExpr { at: sample.sum, with: sample.sum },
        Change::ReplaceStmt { at: sample.leave, with: sample.leave },
    ] {
        let mut program = sample.program.clone();
        apply(&mut program, &[Edit::new(&sample.program, vec![change])]).unwrap();
        assert_equal(&program, &sample.program, "nothing");
    }
}

#[test]
fn a_node_can_be_wrapped_and_its_operands_edited() {
    let sample = sample(false);
    let ExprKind::Binary(_, left, _) = sample.program[sample.sum].kind else { panic!() };
    let wrap = |value| {
        let mut fresh = Fresh::new(&sample.program);
        let kind = ExprKind::Guard {
            check: GuardCheck::Operation,
            operand: sample.sum,
            fallback: Fallback::Value(int(&mut fresh, value)),
        };
        let with = fresh.program.exprs.push(Expr { kind, ty: Types::INT });
        fresh.edit(vec![Change::ReplaceExpr { at: sample.sum, with }])
    };
    let mut fresh = Fresh::new(&sample.program);
    let with = int(&mut fresh, 3);
    let inner = fresh.edit(vec![Change::ReplaceExpr { at: left, with }]);
    let mut program = sample.program.clone();
    let applied = apply(&mut program, &[wrap(1), inner]).unwrap();
    assert!(applied.absorbed.is_empty());
    assert_well_formed(&program, "wrapping");
    assert_eq!(size(&program), size(&sample.program) + 2, "a guard and its fallback");
    let conflict = apply(&mut program.clone(), &[wrap(1), wrap(2)]).unwrap_err();
    assert_eq!(conflict.kind, ConflictKind::SameSite);
}

#[test]
fn a_statement_can_be_moved() {
    let sample = sample(false);
    let Stmt::If { then, .. } = sample.program[sample.repeat] else { panic!() };
    let body = sample.program[sample.main].body.unwrap();
    let edit = Edit::new(
        &sample.program,
        vec![
            Change::RemoveStmt(then),
            Change::InsertStmts {
                block: body,
                anchor: Anchor::After(sample.repeat),
                stmts: [then].into(),
            },
        ],
    );
    let mut program = sample.program.clone();
    let applied = apply(&mut program, &[edit]).unwrap();
    assert_well_formed(&program, "moving");
    let Stmt::Block(statements) = &program[body] else { panic!() };
    assert_eq!(statements[4], then);
    let Stmt::If { then: left, .. } = program[sample.repeat] else { panic!() };
    assert_eq!(program[left], Stmt::Empty);
    undo(&mut program, applied);
    assert_equal(&program, &sample.program, "moved back");
}

/// Two edits that cannot be applied together, and why.
fn conflicts(sample: &Sample) -> Vec<(&'static str, [Edit; 2], ConflictKind, Site)> {
    let program = &sample.program;
    let replace = |value| {
        let mut fresh = Fresh::new(program);
        let with = int(&mut fresh, value);
        fresh.edit(vec![Change::ReplaceExpr { at: sample.sum, with }])
    };
    let rename = |name| rename_object(&mut Fresh::new(program), sample.total, name);
    let use_counter = {
        let mut make = Maker { program: program.clone() };
        let load = make.load(sample.counter);
        let mut fresh = Fresh::new(program);
        fresh.program = make.program;
        fresh.edit(vec![Change::ReplaceExpr { at: sample.call, with: load }])
    };
    let retype_counter = {
        let from = program[sample.counter].clone();
        let to = Object { ty: Types::int(IntKind::Long), ..from.clone() };
        let (from, to) = (Box::new(from), Box::new(to));
        Edit::new(program, vec![Change::Object { id: sample.counter, from, to }])
    };
    let Stmt::If { then, .. } = program[sample.repeat] else { panic!() };
    let lift_branch =
        Edit::new(program, vec![Change::ReplaceStmt { at: sample.repeat, with: then }]);
    let remove_branch = Edit::new(program, vec![Change::RemoveStmt(then)]);
    let insert_before_leave = {
        let mut fresh = Fresh::new(program);
        let stmt = fresh.program.stmts.push(Stmt::Empty);
        fresh.edit(vec![Change::InsertStmts {
            block: sample.round_body,
            anchor: Anchor::Before(sample.leave),
            stmts: [stmt].into(),
        }])
    };
    let remove_leave = Edit::new(program, vec![Change::RemoveStmt(sample.leave)]);
    let counter = Entity::Object(sample.counter);
    vec![
        (
            "two replacements",
            [replace(1), replace(2)],
            ConflictKind::SameSite,
            Site::Expr(sample.sum),
        ),
        (
            "two names",
            [rename("tally"), rename("amount")],
            ConflictKind::SameSite,
            Site::Entity(Entity::Object(sample.total)),
        ),
        (
            "use of a removed object",
            [remove_entity(program, counter), use_counter.clone()],
            ConflictKind::Needed,
            Site::Entity(counter),
        ),
        (
            "use of an object with another type",
            [retype_counter, use_counter],
            ConflictKind::Needed,
            Site::Entity(counter),
        ),
        (
            "a kept node that is removed",
            [remove_branch, lift_branch],
            ConflictKind::Needed,
            Site::Stmt(then),
        ),
        (
            "an anchor that is removed",
            [remove_leave, insert_before_leave],
            ConflictKind::Needed,
            Site::Stmt(sample.leave),
        ),
    ]
}

#[test]
fn conflicts_are_reported_and_leave_the_program_unchanged() {
    let sample = sample(false);
    for (what, [first, second], kind, site) in conflicts(&sample) {
        for (edits, first, later) in
            [([first.clone(), second.clone()], 0, 1), ([second, first], 1, 0)]
        {
            let mut program = sample.program.clone();
            let conflict = apply(&mut program, &edits).unwrap_err();
            let expected = match kind {
                // Whichever comes later in the list is the one that does not fit.
                ConflictKind::SameSite => Conflict { kind, first: Some(0), second: 1, site },
                _ => Conflict { kind, first: Some(first), second: later, site },
            };
            assert_eq!(conflict, expected, "{what}");
            assert_equal(&program, &sample.program, what);
            assert_eq!(program.exprs.len(), sample.program.exprs.len(), "{what}");
        }
    }
}

#[test]
fn an_edit_that_would_share_a_node_is_refused() {
    let sample = sample(false);
    let edit = Edit::new(
        &sample.program,
        vec![Change::ReplaceExpr { at: sample.is_big, with: sample.sum }],
    );
    let mut program = sample.program.clone();
    let conflict = apply(&mut program, &[edit]).unwrap_err();
    assert_eq!(conflict.kind, ConflictKind::TwoParents);
    assert_equal(&program, &sample.program, "refused");
}

#[test]
fn one_draft_serves_many_edits() {
    let sample = sample(false);
    let mut fresh = Fresh::new(&sample.program);
    let first = rename_object(&mut fresh, sample.total, "tally");
    let with = int(&mut fresh, 7);
    let second = fresh.edit(vec![Change::ReplaceExpr { at: sample.call, with }]);
    let third = rename_object(&mut fresh, sample.counter, "rounds");
    let mut program = sample.program.clone();
    apply(&mut program, &[third, second, first]).unwrap();
    assert_well_formed(&program, "three edits");
    assert_eq!(program.text(program[sample.total].name.unwrap()), "tally");
    assert_eq!(program.text(program[sample.counter].name.unwrap()), "rounds");
}
