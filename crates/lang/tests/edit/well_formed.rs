//! The sample is well formed, and each rule is broken by something.

use farrier_lang::well_formed::{FormRule, check};
use farrier_lang::*;

use crate::samples::{Maker, Sample, sample};

#[test]
fn the_sample_is_well_formed() {
    for noise in [false, true] {
        let violations = check(&sample(noise).program);
        assert!(violations.is_empty(), "{}", violations[0]);
    }
}

/// Appends a statement to `main`.
fn append(sample: &mut Sample, make: impl FnOnce(&mut Maker, &Sample) -> Stmt) {
    let old = sample.clone();
    let mut maker = Maker { program: old.program.clone() };
    let stmt = make(&mut maker, &old);
    let stmt = maker.stmt(stmt);
    let body = maker.program[old.main].body.unwrap();
    let Stmt::Block(statements) = &maker.program[body] else { panic!() };
    let statements = statements.iter().copied().chain([stmt]).collect();
    maker.program[body] = Stmt::Block(statements);
    sample.program = maker.program;
}

/// What is broken, the rule that must notice, and how to break it.
type Mistake = (&'static str, FormRule, fn(&mut Sample));

const MISTAKES: &[Mistake] = &[
    ("an id beyond its arena", FormRule::Range, |s| {
        s.program[s.leave] = Stmt::Expr(ExprId::from_index(1 << 20));
    }),
    ("a statement with two parents", FormRule::Tree, |s| {
        s.program[s.round_body] = Stmt::Block([s.leave, s.leave].into());
    }),
    ("an endless expression", FormRule::Tree, |s| {
        s.program[s.sum].kind = ExprKind::Convert(s.sum);
    }),
    ("a deep expression", FormRule::Depth, |s| {
        append(s, |make, _| {
            let mut value = make.int(1);
            for _ in 0..=MAX_DEPTH {
                value = make.expr(ExprKind::Unary(UnaryOp::Minus, value), Types::INT);
            }
            Stmt::Expr(value)
        });
    }),
    ("a typedef of itself", FormRule::Depth, |s| {
        let name = s.program.names.intern("endless");
        let id = s.program.typedefs.push(Typedef {
            name,
            base: Types::INT,
            align: None,
            may_alias: false,
            extended: false,
            attributes: [].into(),
        });
        s.program[id].base = s.program.types.intern(Type::Typedef(id));
        s.program.items.insert(0, Item::Define(Entity::Typedef(id)));
    }),
    ("two definitions", FormRule::Items, |s| {
        s.program.items.push(Item::Define(Entity::Object(s.counter)));
    }),
    ("a declaration after the definition", FormRule::Items, |s| {
        s.program.items.push(Item::Declare(Entity::Object(s.counter)));
    }),
    ("a body without a definition", FormRule::Items, |s| {
        s.program.items[4] = Item::Declare(Entity::Function(s.add));
    }),
    ("a use before the declaration", FormRule::Declared, |s| {
        s.program.items.swap(4, 5);
    }),
    ("a local object that is not visible", FormRule::Declared, |s| {
        let Stmt::For { init, .. } = &mut s.program[s.round] else { panic!() };
        *init = [].into();
    }),
    ("a name that shadows", FormRule::Names, |s| {
        let name = s.program[s.counter].name;
        s.program[s.total].name = name;
    }),
    ("a goto to nowhere", FormRule::Labels, |s| {
        let label = s.program[s.again].clone();
        let other = s.program.labels.push(label);
        append(s, |_, _| Stmt::Goto(other));
    }),
    ("a break outside everything", FormRule::Jumps, |s| append(s, |_, _| Stmt::Break)),
    ("a default outside everything", FormRule::Jumps, |s| {
        append(s, |make, _| Stmt::Default(make.stmt(Stmt::Empty)));
    }),
    ("a declaration as a branch", FormRule::Statement, |s| {
        append(s, |make, _| {
            let object = make.object("fresh", Types::INT, None);
            let then = make.stmt(Stmt::Declare(object));
            Stmt::If { condition: make.int(1), then, otherwise: None }
        });
    }),
    ("an assignment to a constant", FormRule::Lvalue, |s| {
        append(s, |make, _| {
            let (target, value) = (make.int(1), make.int(2));
            Stmt::Expr(make.expr(ExprKind::Assign(target, value), Types::INT))
        });
    }),
    ("an assignment to what is const", FormRule::Lvalue, |s| {
        s.program[s.total].ty = s.program.types.qualified(Types::INT, Qualifiers::CONST);
        let target = s.program.exprs.ids().find(|&id| {
            matches!(s.program[id].kind, ExprKind::Assign(target, _)
                if s.program[target].kind == ExprKind::Object(s.total))
        });
        let ExprKind::Assign(target, _) = s.program[target.unwrap()].kind else { panic!() };
        s.program[target].ty = s.program[s.total].ty;
    }),
    ("a missing load", FormRule::Value, |s| {
        let ExprKind::Binary(_, left, _) = s.program[s.sum].kind else { panic!() };
        let ExprKind::Load(lvalue) = s.program[left].kind else { panic!() };
        let ExprKind::Binary(_, left, _) = &mut s.program[s.sum].kind else { panic!() };
        *left = lvalue;
    }),
    ("operands of two types", FormRule::Type, |s| {
        let ExprKind::Binary(_, left, _) = s.program[s.is_big].kind else { panic!() };
        s.program[left].ty = Types::int(IntKind::Long);
    }),
    ("an operator on char", FormRule::Type, |s| {
        append(s, |make, _| {
            let value = make.expr(ExprKind::Int(1), Types::CHAR);
            Stmt::Expr(make.expr(ExprKind::Unary(UnaryOp::Minus, value), Types::CHAR))
        });
    }),
    ("a missing argument", FormRule::Type, |s| {
        let ExprKind::Call(_, arguments) = &mut s.program[s.call].kind else { panic!() };
        *arguments = [arguments[0]].into();
    }),
    ("a returned value of another type", FormRule::Type, |s| {
        append(s, |make, _| {
            let bits = make.program.floats.push(0);
            Stmt::Return(Some(make.expr(ExprKind::Float(bits), Types::DOUBLE)))
        });
    }),
    ("a constant that does not fit", FormRule::Type, |s| {
        append(s, |make, _| Stmt::Expr(make.int(1 << 31)));
    }),
    ("an element beyond the array", FormRule::Initialiser, |s| {
        let init = s.program[s.table].init.unwrap();
        let ExprKind::InitList(items) = &mut s.program[init].kind else { panic!() };
        items[2].place = InitPlace::Elements { first: 2, last: 3 };
    }),
    ("elements out of order", FormRule::Initialiser, |s| {
        let init = s.program[s.table].init.unwrap();
        let ExprKind::InitList(items) = &mut s.program[init].kind else { panic!() };
        items.swap(0, 1);
    }),
    ("a bit-field that is too wide", FormRule::Member, |s| {
        s.program[s.pair].fields.as_mut().unwrap()[0].bits = Some(33);
    }),
    ("a record inside itself", FormRule::Member, |s| {
        let own = s.program.types.intern(Type::Record(s.pair));
        s.program[s.pair].fields.as_mut().unwrap()[0].ty = own;
    }),
    ("an object of type void", FormRule::Entity, |s| s.program[s.total].ty = Types::VOID),
    ("a guard of nothing", FormRule::Guard, |s| {
        append(s, |make, _| {
            let operand = make.int(1);
            let guard = ExprKind::Guard {
                check: GuardCheck::Operation,
                operand,
                fallback: Fallback::FirstOperand,
            };
            Stmt::Expr(make.expr(guard, Types::INT))
        });
    }),
    ("an index that falls back to itself", FormRule::Guard, |s| {
        append(s, |make, _| {
            let value = make.int(1);
            let operand = make.expr(ExprKind::Unary(UnaryOp::Minus, value), Types::INT);
            let check = GuardCheck::Index { bound: 3 };
            let guard = ExprKind::Guard { check, operand, fallback: Fallback::FirstOperand };
            Stmt::Expr(make.expr(guard, Types::INT))
        });
    }),
];

#[test]
fn every_mistake_is_found_by_its_rule() {
    for (what, rule, mistake) in MISTAKES {
        let mut sample = sample(false);
        mistake(&mut sample);
        let violations = check(&sample.program);
        assert!(
            violations.iter().any(|violation| violation.rule == *rule),
            "{what} is not found; found instead: {violations:?}"
        );
    }
}

#[test]
fn every_rule_has_a_mistake() {
    let covered = |rule| MISTAKES.iter().any(|(_, broken, _)| *broken == rule);
    for rule in [
        FormRule::Range,
        FormRule::Tree,
        FormRule::Depth,
        FormRule::Items,
        FormRule::Declared,
        FormRule::Names,
        FormRule::Labels,
        FormRule::Jumps,
        FormRule::Statement,
        FormRule::Lvalue,
        FormRule::Value,
        FormRule::Type,
        FormRule::Initialiser,
        FormRule::Member,
        FormRule::Entity,
        FormRule::Guard,
    ] {
        assert!(covered(rule), "nothing breaks {rule:?}");
    }
}
