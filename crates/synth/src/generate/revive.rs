//! Turns conditions around so that more of a draft runs.
//!
//! Most conditions that are drawn at random always go the same way, and often the way
//! that skips the most. The machine knows: a condition that always skipped code is
//! negated, and what it guarded runs. Nothing can run longer for it than drafting
//! allowed for, because that counts every branch.

use farrier_lang::{BinaryOp, Expr, ExprId, ExprKind, Program, Stmt, StmtId, Types, UnaryOp};
use farrier_machine::{Profile, Values, Watch};
use rustc_hash::FxHashSet;

use crate::Choices;

/// How many of the conditions that could be turned around are, in percent.
const TURNED: u32 = 70;

/// What has to be known of conditions: how often each was met, and the values that it had.
pub(super) fn watch(program: &Program, watch: &mut Watch) {
    for (id, stmt) in program.stmts.iter() {
        if let Stmt::If { condition, .. } = stmt {
            watch.statements.insert(id);
            watch.expressions.insert(*condition);
        }
    }
}

/// Negates conditions that kept code from running, except those of `fixed` statements,
/// on which the end of the program depends. With `!` if the program may have it.
pub(super) fn revive(
    program: &mut Program,
    profile: &Profile,
    fixed: &FxHashSet<StmtId>,
    not: bool,
    choices: &mut Choices,
) {
    let ids: Vec<StmtId> = program.stmts.ids().collect();
    for id in ids {
        let Stmt::If { condition, then, otherwise } = program[id] else { continue };
        if profile.stmt(id) == 0 || fixed.contains(&id) {
            continue;
        }
        let Some((never, always)) = profile.expr(condition).values.as_ref().map(outcome) else {
            continue;
        };
        let leaves =
            matches!(program[then], Stmt::Goto(_) | Stmt::Return(_) | Stmt::Break | Stmt::Continue);
        let turn = match (never, always, leaves) {
            // A way out that was taken each time: what follows never runs.
            (_, true, true) => otherwise.is_none(),
            (true, _, false) => {
                otherwise.is_none_or(|other| size(program, then) > size(program, other))
            }
            (_, true, false) => {
                otherwise.is_some_and(|other| size(program, other) > size(program, then))
            }
            _ => false,
        };
        if turn && choices.chance(TURNED) {
            negate(program, condition, not);
        }
    }
}

/// Whether a condition with these values was false each time, and whether it was true
/// each time.
fn outcome(values: &Values) -> (bool, bool) {
    match values {
        Values::Integers(seen) => (seen.low == 0 && seen.high == 0, seen.low > 0 || seen.high < 0),
        Values::Floats(seen) => match seen.few() {
            Some(few) => {
                let zeros = few.iter().filter(|value| value.is_zero()).count();
                (zeros == few.len(), zeros == 0)
            }
            None => (false, false),
        },
    }
}

/// The statements in a statement.
fn size(program: &Program, stmt: StmtId) -> usize {
    match &program[stmt] {
        Stmt::Block(statements) => {
            1 + statements.iter().map(|inner| size(program, *inner)).sum::<usize>()
        }
        Stmt::If { then, otherwise, .. } => {
            1 + size(program, *then) + otherwise.map_or(0, |other| size(program, other))
        }
        Stmt::While { body, .. }
        | Stmt::DoWhile { body, .. }
        | Stmt::For { body, .. }
        | Stmt::Switch { body, .. }
        | Stmt::Case { body, .. }
        | Stmt::Default(body)
        | Stmt::Label(_, body) => 1 + size(program, *body),
        _ => 1,
    }
}

/// Turns the condition around in its place, if that is possible.
fn negate(program: &mut Program, condition: ExprId, not: bool) {
    let Expr { kind, ty } = program[condition].clone();
    let opposite = match kind {
        ExprKind::Binary(op, left, right) => {
            let op = match op {
                BinaryOp::Less => Some(BinaryOp::GreaterEqual),
                BinaryOp::Greater => Some(BinaryOp::LessEqual),
                BinaryOp::LessEqual => Some(BinaryOp::Greater),
                BinaryOp::GreaterEqual => Some(BinaryOp::Less),
                BinaryOp::Equal => Some(BinaryOp::NotEqual),
                BinaryOp::NotEqual => Some(BinaryOp::Equal),
                _ => None,
            };
            op.map(|op| ExprKind::Binary(op, left, right))
        }
        // Two negations are none.
        ExprKind::Unary(UnaryOp::Not, operand) => {
            let nothing = Expr { kind: ExprKind::Int(0), ty: Types::INT };
            program[condition] = std::mem::replace(&mut program[operand], nothing);
            return;
        }
        _ => None,
    };
    match opposite {
        Some(kind) => program[condition].kind = kind,
        None if !not => {}
        None => {
            let operand = program.exprs.push(Expr { kind, ty });
            program[condition] =
                Expr { kind: ExprKind::Unary(UnaryOp::Not, operand), ty: Types::INT };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farrier_lang::{Dialect, SourceText, print, target};
    use farrier_machine::{Options, run};

    fn parse(text: &str) -> Program {
        let options = farrier_front::Options {
            target: &target::X86_64_LINUX,
            dialect: Dialect::C17,
            permissive: false,
        };
        let input = SourceText::new("test.c", text);
        farrier_front::parse(&[input], &options).expect("it parses")
    }

    /// The text after as many turns as there are.
    fn revived(text: &str) -> String {
        let mut program = parse(text);
        for seed in 0..8 {
            let watch = Some(Watch::everything());
            let ran = run(&program, &Options { profile: watch, ..Options::default() });
            let profile = ran.profile.expect("it was asked for");
            revive(&mut program, &profile, &FxHashSet::default(), true, &mut Choices::new(seed));
        }
        print::print(&program, &print::PrintOptions::default())
    }

    #[test]
    fn code_that_was_skipped_runs() {
        let rows = [
            ("if (x > 3) { x = 1; x = 2; }", "if (x <= 3)"),
            ("if (x) { x = 1; }", "if (!x)"),
            ("if (!x) return 1;", "if (x)"),
            ("if (x == 0) x = 1; else { x = 5; x = 6; }", "if (x != 0)"),
            ("if (x == 0) { x = 1; x = 2; } else x = 5;", "if (x == 0)"),
        ];
        for (statement, expected) in rows {
            let text = format!("int main(void) {{ int x = 0; {statement} return 0; }}");
            let printed = revived(&text);
            assert!(printed.contains(expected), "{statement} became {printed}");
        }
    }
}
