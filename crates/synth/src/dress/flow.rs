//! Dresses of statements: jumps, loops, and what happens at the end of a block.

use farrier_lang::print::Snippet;
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, LabelId, ObjectId, Program, Qualifiers, StepOp, Stmt, StmtId,
};

use super::fitting::Fitting;
use super::objects::mentions;

/// Calls `visit` with a statement and all inside it.
fn each(program: &Program, stmt: StmtId, visit: &mut dyn FnMut(StmtId)) {
    visit(stmt);
    program[stmt].for_each_child(|child| each(program, child, visit));
}

/// Whether a statement has a label, or a case of a `switch` around it.
pub(super) fn has_label(program: &Program, stmt: StmtId) -> bool {
    match &program[stmt] {
        Stmt::Label(..) | Stmt::Case { .. } | Stmt::Default(_) => true,
        Stmt::Switch { body, .. } => has_goto_label(program, *body),
        other => {
            let mut found = false;
            other.for_each_child(|child| found = found || has_label(program, child));
            found
        }
    }
}

/// Whether a statement has a label for `goto`.
fn has_goto_label(program: &Program, stmt: StmtId) -> bool {
    let mut found = false;
    each(program, stmt, &mut |stmt| found |= matches!(program[stmt], Stmt::Label(..)));
    found
}

/// Whether a statement can have another spelling.
pub(super) fn is_open(fitting: &Fitting<'_>, stmt: StmtId) -> bool {
    let around = fitting.facts.around.get(&stmt).map(|around| &fitting.program[*around]);
    !fitting.spellings.has_stmt(stmt)
        && !matches!(around, None | Some(Stmt::Hinted { .. } | Stmt::For { .. }))
}

/// `goto` out of a statement as an exception that is caught around it.
pub(super) fn exceptions(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    let mut number = 0;
    for (stmt, function) in fitting.facts.stmts.clone() {
        let is_compound = matches!(
            program[stmt],
            Stmt::If { .. } | Stmt::While { .. } | Stmt::DoWhile { .. } | Stmt::For { .. }
        );
        let in_block = fitting
            .facts
            .around
            .get(&stmt)
            .is_some_and(|around| matches!(program[*around], Stmt::Block(_)));
        if !is_compound || !in_block || !is_open(fitting, stmt) || has_label(program, stmt) {
            continue;
        }
        let mut jumps: Vec<(StmtId, LabelId)> = Vec::new();
        each(program, stmt, &mut |inner| {
            if let Stmt::Goto(label) = program[inner]
                && !fitting.spellings.has_stmt(inner)
            {
                jumps.push((inner, label));
            }
        });
        let Some(&(_, label)) = jumps.first() else { continue };
        if !fitting.takes_in(function) {
            continue;
        }
        let name = program.text(program[label].name);
        fitting.help("template <int N> struct farrier_jump {};\n");
        fitting.spellings.stmt(
            stmt,
            vec![
                "try {\n".into(),
                Snippet::Plain,
                format!("}} catch (const farrier_jump<{number}> &) {{\n    goto {name};\n}}\n")
                    .into(),
            ],
        );
        fitting.took(Some(stmt));
        for (jump, other) in jumps {
            if other == label {
                let text = format!("throw farrier_jump<{number}>();\n");
                fitting.spellings.stmt(jump, vec![text.into()]);
                fitting.took(Some(jump));
            }
        }
        number += 1;
    }
}

/// A helper that runs something when its block ends.
const CLEANUP: &str = "template <class F> struct farrier_cleanup {\n    F action;\n    \
                       ~farrier_cleanup() { action(); }\n};\n";

/// Whether a statement can leave its block in another way than by its end.
pub(super) fn leaves(program: &Program, stmt: StmtId) -> bool {
    let mut found = false;
    each(program, stmt, &mut |inner| {
        found |= matches!(
            program[inner],
            Stmt::Goto(_)
                | Stmt::GotoComputed(_)
                | Stmt::Break
                | Stmt::Continue
                | Stmt::Return(_)
                | Stmt::Label(..)
                | Stmt::Case { .. }
                | Stmt::Default(_)
                | Stmt::Asm(_)
        );
    });
    found
}

/// The last statement of a block as the action of a destructor.
pub(super) fn cleanups(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (block, function) in fitting.facts.stmts.clone() {
        let Stmt::Block(list) = &program[block] else { continue };
        let Some((&last, rest)) = list.split_last() else { continue };
        let Stmt::Expr(action) = program[last] else { continue };
        let first = list.iter().rposition(|stmt| matches!(program[*stmt], Stmt::Declare(_)));
        let first = first.map_or(0, |at| at + 1);
        let Some(&start) = rest.get(first) else { continue };
        let bound = fitting.bound.iter().any(|object| mentions(fitting, action, *object));
        if !fitting.facts.around.contains_key(&block)
            || rest.iter().any(|stmt| leaves(program, *stmt))
            || bound
            || fitting.is_evaluated(function)
            || fitting.spellings.has_stmt(start)
            || fitting.spellings.has_stmt(last)
            || !fitting.takes_in(function)
        {
            continue;
        }
        fitting.help(CLEANUP);
        let pieces = vec![
            "auto farrier_action = [&]() { ".into(),
            Snippet::Argument(action),
            "; };\nfarrier_cleanup<decltype(farrier_action)> farrier_guard = {farrier_action};\n"
                .into(),
            Snippet::Plain,
        ];
        fitting.spellings.stmt(start, pieces);
        fitting.spellings.stmt(last, vec![";\n".into()]);
        fitting.took(Some(last));
    }
}

/// How many rounds a loop over a list may have.
const MOST_ROUNDS: u64 = 16;

/// The object, and the first, last and step of a loop that counts up by constants.
fn counted(fitting: &Fitting<'_>, stmt: StmtId) -> Option<(ObjectId, Vec<u64>, StmtId)> {
    let program = fitting.program;
    let Stmt::For { init, condition, step, body } = &program[stmt] else { return None };
    let &[first] = &init[..] else { return None };
    let Stmt::Declare(object) = program[first] else { return None };
    let constant = |expr: ExprId| match program[fitting.explicit(expr)].kind {
        ExprKind::Int(value) if value < 100 => Some(value),
        _ => None,
    };
    let is_object = |expr: ExprId| matches!(program[fitting.explicit(expr)].kind, ExprKind::Object(found) if found == object);
    let held = &program[object];
    if !fitting.is_integer(held.ty)
        || held.ty.qualifiers().contains(Qualifiers::VOLATILE)
        || fitting.facts.bypassed.contains(&object)
        || fitting.taken_objects.contains(&object)
        || fitting.spellings.has_object(object)
    {
        return None;
    }
    let start = constant(held.init?)?;
    let ExprKind::Binary(op, left, right) = program[fitting.explicit((*condition)?)].kind else {
        return None;
    };
    let end = match op {
        BinaryOp::Less => constant(right)?,
        BinaryOp::LessEqual => constant(right)? + 1,
        _ => return None,
    };
    let step = fitting.explicit((*step)?);
    let (by, changed) = match program[step].kind {
        ExprKind::Step(StepOp::PreIncrement | StepOp::PostIncrement, target) => (1, target),
        ExprKind::CompoundAssign { op: BinaryOp::Add, target, value, .. } => {
            (constant(value)?, target)
        }
        _ => return None,
    };
    if !is_object(left) || !is_object(changed) || by == 0 {
        return None;
    }
    // In the body the object is only read.
    let is_read = |mention: &ExprId| {
        let parent = fitting.facts.parent(*mention);
        *mention == fitting.explicit(changed)
            || parent.is_some_and(|parent| matches!(program[parent].kind, ExprKind::Load(_)))
    };
    if !fitting.facts.mentions_of(object).iter().all(is_read) {
        return None;
    }
    let values: Vec<u64> = (start..end).step_by(by as usize).collect();
    let fits = !values.is_empty() && values.len() as u64 <= MOST_ROUNDS;
    fits.then_some((object, values, *body))
}

/// Loops that count as loops over a list.
pub(super) fn range_loops(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (stmt, function) in fitting.facts.stmts.clone() {
        let Some((object, values, body)) = counted(fitting, stmt) else { continue };
        let (Some(name), true) = (fitting.name(object), is_open(fitting, stmt)) else { continue };
        if has_label(program, body) || !fitting.takes_in(function) {
            continue;
        }
        let ty = program[object].ty.unqualified();
        let mut pieces: Vec<Snippet> =
            vec!["for (".into(), Snippet::Declared(ty, name.to_owned()), " : {".into()];
        for (at, value) in values.iter().enumerate() {
            pieces.push(if at > 0 { ", static_cast<".into() } else { "static_cast<".into() });
            pieces.extend([Snippet::Type(ty), format!(">({value})").into()]);
        }
        pieces.extend(["})\n".into(), Snippet::Stmt(body)]);
        fitting.spellings.stmt(stmt, pieces);
        fitting.taken_objects.insert(object);
        fitting.took(Some(stmt));
    }
}

/// Statements under `if constexpr`.
pub(super) fn constant_branches(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (stmt, function) in fitting.facts.stmts.clone() {
        if !matches!(program[stmt], Stmt::Expr(_))
            || !is_open(fitting, stmt)
            || !fitting.takes_in(function)
        {
            continue;
        }
        let pieces = vec![
            format!("{{ if constexpr (sizeof(int) == {}) ", program.target.int.size).into(),
            Snippet::Plain,
            "else __builtin_trap(); }\n".into(),
        ];
        fitting.spellings.stmt(stmt, pieces);
        fitting.took(Some(stmt));
    }
}
