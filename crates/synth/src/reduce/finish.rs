//! The last phases of a reduction, when no pass makes the program smaller.

use farrier_lang::edit::{Anchor, Change, Fresh, apply};
use farrier_lang::wrapper::WRAPPER_PREFIX;
use farrier_lang::{BinaryOp, ExprKind, IntKind, Program, Stmt, Types};
use farrier_machine::Ending;

use super::engine::{Start, descend};
use super::returns::goes_on;
use super::{
    Candidate, Hopeless, Interest, Judge, Listener, Options, PASSES, Reduced, Step,
    returned_by_main, text_of, token_count,
};
use crate::scene::push;

/// A guard is a call of a function that the text brings along, and the fault may be inside
/// it. If guards are left, their functions become a part of the program and are reduced with
/// it; whichever result has fewer tokens stays.
pub(super) fn spell_out_guards<T: Send, E: Send>(
    reduced: &mut Reduced<T>,
    judge: &Judge<'_, T, E>,
    listener: &mut Listener<'_, E>,
    options: &Options<'_>,
) -> Result<(), E> {
    let text = reduced.best.text();
    if !text.contains(WRAPPER_PREFIX) {
        return Ok(());
    }
    let Some(program) = (options.read)(&text.replace(WRAPPER_PREFIX, "guard_")) else {
        return Ok(());
    };
    let Ok(first) = Candidate::program_of(program, options) else { return Ok(()) };
    let tokens = token_count(text);
    let start = Start { progress: reduced.progress, most_tokens: Some(tokens) };
    match descend(first, PASSES, start, judge, listener, options) {
        Ok(other) if token_count(other.best.text()) < tokens => *reduced = other,
        Err(Hopeless::Trouble(trouble)) => return Err(trouble),
        // Its tests were made all the same.
        Ok(other) => reduced.progress.judged = other.progress.judged,
        Err(_) => {}
    }
    Ok(())
}

/// Where the small program computes its exit status, lets it exit with 0 if that is right: so
/// the suites of compilers want it, and a person sees at once what is wrong. A `main` that comes
/// to its end without a result gets one, because old compilers return what happens to be there.
/// This makes the program a bit larger, so it is done at the end, if the compiler is still wrong
/// then.
pub(super) fn check_itself<T: Send, E: Send>(
    reduced: &mut Reduced<T>,
    judge: &Judge<'_, T, E>,
    listener: &mut Listener<'_, E>,
    options: &Options<'_>,
) -> Result<(), E> {
    let status = match reduced.best.behavior().map(|behavior| behavior.ending) {
        Some(Ending::Exit(status)) if options.wrong_code => status,
        _ => return Ok(()),
    };
    let clearer = |program: &Program| match status {
        0 => returning(program),
        _ => self_checking(program, status),
    };
    let clearer = reduced.best.program().and_then(clearer);
    let Some(program) = clearer.and_then(|program| (options.read)(&text_of(&program))) else {
        return Ok(());
    };
    let Ok(candidate) = Candidate::program_of(program, options) else { return Ok(()) };
    if candidate.behavior().map(|behavior| behavior.ending) != Some(Ending::Exit(0)) {
        return Ok(());
    }
    reduced.progress.judged += 1;
    if let Interest::Interesting(seen) = judge(&candidate)? {
        reduced.best = candidate;
        reduced.seen = seen;
        let (text, progress) = (reduced.best.text(), &reduced.progress);
        listener(Step::Best { text, progress })?;
    }
    Ok(())
}

/// A program whose `main` may come to its end without a result, with one.
pub(super) fn returning(program: &Program) -> Option<Program> {
    let body = program[program.main()?].body.filter(|body| goes_on(program, *body))?;
    let mut draft = Fresh::new(program);
    let zero = draft.program.literal(0, IntKind::Int)?;
    let stmt = draft.program.stmts.push(Stmt::Return(Some(zero)));
    let insert = Change::InsertStmts { block: body, anchor: Anchor::End, stmts: [stmt].into() };
    let edit = draft.edit(vec![insert]);
    let mut changed = program.clone();
    apply(&mut changed, &[edit]).ok()?;
    Some(changed)
}

/// A program that exits with `status` and computes that at the end of `main`, as one that
/// compares what it computes, and exits with 0 if that is right.
pub(super) fn self_checking(program: &Program, status: i32) -> Option<Program> {
    let (at, value) = returned_by_main(program)?;
    if matches!(program[value].kind, ExprKind::Int(_)) {
        return None;
    }
    let mut draft = Fresh::new(program);
    let differs = match program[value].kind {
        ExprKind::Binary(BinaryOp::Equal, left, right) if status == 1 => {
            ExprKind::Binary(BinaryOp::NotEqual, left, right)
        }
        ExprKind::Binary(BinaryOp::NotEqual, left, right) if status == 1 => {
            ExprKind::Binary(BinaryOp::Equal, left, right)
        }
        _ => {
            let right = draft.program.literal(status.into(), IntKind::Int)?;
            ExprKind::Binary(BinaryOp::NotEqual, value, right)
        }
    };
    let differs = push(&mut draft, differs, Types::INT);
    let with = draft.program.stmts.push(Stmt::Return(Some(differs)));
    let edit = draft.edit(vec![Change::ReplaceStmt { at, with }]);
    let mut changed = program.clone();
    apply(&mut changed, &[edit]).ok()?;
    Some(changed)
}
