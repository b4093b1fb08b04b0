//! Turns conditions around so that more of a draft runs.
//!
//! Most conditions that are drawn at random always go the same way, and often the way
//! that skips the most. So the run of the draft itself turns such a condition around where it
//! first meets it, and says so: what was skipped runs, and one run tells all of the program with
//! these conditions negated. Nothing can run longer for it than drafting allowed for, because
//! that counts every branch.

use farrier_lang::{BinaryOp, Expr, ExprId, ExprKind, Program, Stmt, StmtId, Types, UnaryOp};
use farrier_machine::{Profile, Watch};
use rustc_hash::FxHashSet;

use crate::Choices;

/// How many of the conditions that could be turned around are, in percent.
const TURNED: u32 = 70;

/// Asks for conditions to be turned around that keep code from running, except those of `fixed`
/// statements, on which the end of the program depends. With `!` if the program may have it.
pub(super) fn watch(
    program: &Program,
    watch: &mut Watch,
    fixed: &FxHashSet<StmtId>,
    not: bool,
    choices: &mut Choices,
) {
    for (id, stmt) in program.stmts.iter() {
        let Stmt::If { condition, then, otherwise } = *stmt else { continue };
        let leaves =
            matches!(program[then], Stmt::Goto(_) | Stmt::Return(_) | Stmt::Break | Stmt::Continue);
        let when = match otherwise {
            // A way out that is taken: what follows would not run.
            None => leaves,
            Some(_) if leaves => continue,
            Some(otherwise) => match size(program, then).cmp(&size(program, otherwise)) {
                std::cmp::Ordering::Greater => false,
                std::cmp::Ordering::Less => true,
                std::cmp::Ordering::Equal => continue,
            },
        };
        if !fixed.contains(&id) && can_be_negated(program, condition, not) && choices.chance(TURNED)
        {
            watch.turns.insert(id, when);
        }
    }
}

/// Negates the conditions that a run turned around. Their expressions keep their places, so that
/// what the run saw of them stays true.
pub(super) fn revive(program: &mut Program, profile: &Profile) {
    let ids: Vec<StmtId> = program.stmts.ids().filter(|id| profile.turned(*id)).collect();
    for id in ids {
        let Stmt::If { condition, .. } = program[id] else { continue };
        let negated = negate(program, condition);
        if let Stmt::If { condition, .. } = &mut program[id] {
            *condition = negated;
        }
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

/// The comparison that is true where another is not, if there is one: with a NaN, most
/// comparisons are false, and so are their opposites.
fn opposite(program: &Program, condition: ExprId) -> Option<BinaryOp> {
    let ExprKind::Binary(op, left, _) = program[condition].kind else { return None };
    let floating = || program.is_float_like(program.type_of(left));
    match op {
        BinaryOp::Equal => Some(BinaryOp::NotEqual),
        BinaryOp::NotEqual => Some(BinaryOp::Equal),
        _ if floating() => None,
        BinaryOp::Less => Some(BinaryOp::GreaterEqual),
        BinaryOp::Greater => Some(BinaryOp::LessEqual),
        BinaryOp::LessEqual => Some(BinaryOp::Greater),
        BinaryOp::GreaterEqual => Some(BinaryOp::Less),
        _ => None,
    }
}

/// Whether a condition can be turned around, with `!` only if the program may have it.
fn can_be_negated(program: &Program, condition: ExprId, not: bool) -> bool {
    let negation = matches!(program[condition].kind, ExprKind::Unary(UnaryOp::Not, _));
    not || negation || opposite(program, condition).is_some()
}

/// The opposite of a condition.
fn negate(program: &mut Program, condition: ExprId) -> ExprId {
    let opposite = opposite(program, condition);
    match (&mut program[condition].kind, opposite) {
        (ExprKind::Binary(op, ..), Some(opposite)) => {
            *op = opposite;
            condition
        }
        // Two negations are none.
        (ExprKind::Unary(UnaryOp::Not, operand), _) => *operand,
        _ => {
            let kind = ExprKind::Unary(UnaryOp::Not, condition);
            program.exprs.push(Expr { kind, ty: Types::INT })
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
            let mut turns = Watch::default();
            let fixed = FxHashSet::default();
            watch(&program, &mut turns, &fixed, true, &mut Choices::new(seed));
            let ran = run(&program, &Options { profile: Some(turns), ..Options::default() });
            revive(&mut program, &ran.profile.expect("it was asked for"));
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
