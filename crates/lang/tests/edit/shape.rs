//! Equality sees everything a program is, and nothing else.

use std::hash::{DefaultHasher, Hash, Hasher};

use farrier_lang::shape::{difference, size};
use farrier_lang::*;

use crate::samples::{Sample, sample};

fn hash(program: &Program) -> u64 {
    let mut hasher = DefaultHasher::new();
    program.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn ids_and_unreachable_nodes_do_not_matter() {
    let (plain, noisy) = (sample(false).program, sample(true).program);
    assert_eq!(difference(&plain, &noisy), None);
    assert!(plain == noisy);
    assert_eq!(hash(&plain), hash(&noisy));
    assert_eq!(plain.cmp(&noisy), std::cmp::Ordering::Equal);
    assert_eq!(size(&plain), size(&noisy));
}

type Change = (&'static str, fn(&mut Sample));

/// Each change is small, and each must be seen.
const CHANGES: &[Change] = &[
    ("dialect", |s| s.program.dialect = Dialect::C23),
    ("target", |s| s.program.target = &target::AVR),
    ("order of items", |s| s.program.items.swap(1, 2)),
    ("define or declare", |s| s.program.items[1] = Item::Declare(Entity::Object(s.counter))),
    ("name", |s| {
        let name = s.program.names.intern("tally");
        s.program[s.total].name = Some(name);
    }),
    ("type of an object", |s| s.program[s.total].ty = Types::int(IntKind::Long)),
    ("qualifier", |s| {
        s.program[s.total].ty = s.program.types.qualified(Types::INT, Qualifiers::VOLATILE);
    }),
    ("linkage", |s| s.program[s.table].linkage = Linkage::External),
    ("alignment", |s| s.program[s.table].align = Some(16)),
    ("initialiser", |s| s.program[s.counter].init = None),
    ("width of a member", |s| {
        let mut fields = s.program[s.pair].fields.take().unwrap();
        fields[0].bits = Some(3);
        s.program[s.pair].fields = Some(fields);
    }),
    ("packed", |s| s.program[s.pair].packed = true),
    ("inline", |s| s.program[s.add].specifiers.inline = true),
    ("attribute", |s| {
        let name = s.program.names.intern("noipa");
        s.program[s.main].attributes = [Attribute { name, arguments: None }].into();
    }),
    ("operator", |s| {
        let ExprKind::Binary(_, left, right) = s.program[s.sum].kind else { panic!() };
        s.program[s.sum].kind = ExprKind::Binary(BinaryOp::Sub, left, right);
    }),
    ("operands", |s| {
        let ExprKind::Binary(op, left, right) = s.program[s.sum].kind else { panic!() };
        s.program[s.sum].kind = ExprKind::Binary(op, right, left);
    }),
    ("type of an expression", |s| s.program[s.sum].ty = Types::int(IntKind::Long)),
    ("form of a statement", |s| s.program[s.leave] = Stmt::Empty),
    ("order of statements", |s| {
        s.program[s.round_body] = Stmt::Block([s.leave, s.accumulate].into());
    }),
    ("returned value", |s| s.program[s.result] = Stmt::Return(None)),
    ("branch", |s| {
        let new = s.program.stmts.push(Stmt::Empty);
        let Stmt::If { otherwise, .. } = &mut s.program[s.repeat] else { panic!() };
        *otherwise = Some(new);
    }),
    ("label", |s| {
        let name = s.program.names.intern("anew");
        s.program[s.again].name = name;
    }),
];

#[test]
fn every_change_is_seen() {
    let before = sample(false).program;
    for (what, change) in CHANGES {
        let mut changed = sample(true);
        change(&mut changed);
        assert!(before != changed.program, "{what} is not seen");
        assert_ne!(hash(&before), hash(&changed.program), "{what} does not change the hash");
        assert_ne!(before.cmp(&changed.program), std::cmp::Ordering::Equal, "{what}");
        assert!(difference(&before, &changed.program).is_some(), "{what} has no difference");
    }
}

#[test]
fn a_difference_names_the_place_and_both_sides() {
    let left = sample(false).program;
    let mut right = sample(false);
    let ExprKind::Binary(_, l, r) = right.program[right.sum].kind else { panic!() };
    right.program[right.sum].kind = ExprKind::Binary(BinaryOp::Sub, l, r);
    let words = difference(&left, &right.program).unwrap();
    assert!(words.contains("left: in function add: Binary Add of type int"), "{words}");
    assert!(words.contains("right: in function add: Binary Sub of type int"), "{words}");
}

#[test]
fn the_order_prefers_fewer_nodes_and_then_smaller_literals() {
    let whole = sample(false);
    let mut shorter = whole.clone();
    shorter.program[shorter.leave] = Stmt::Empty;
    assert!(shorter.program < whole.program);
    assert!(size(&shorter.program) < size(&whole.program));

    let mut smaller = whole.clone();
    let init = smaller.program[smaller.counter].init.unwrap();
    smaller.program[init].kind = ExprKind::Int(1);
    assert!(smaller.program < whole.program);
    assert_eq!(size(&smaller.program), size(&whole.program));
}

#[test]
fn recursive_types_end() {
    let recursive = |noise| {
        let mut sample = sample(noise);
        let own = sample.program.types.intern(Type::Record(sample.pair));
        let pointer = sample.program.types.pointer_to(own);
        let mut fields = sample.program[sample.pair].fields.take().unwrap();
        fields[0].ty = pointer;
        sample.program[sample.pair].fields = Some(fields);
        sample.program
    };
    assert!(recursive(false) == recursive(true));
    assert!(recursive(false) != sample(false).program);
}
