//! Places that are never reached.

use farrier_lang::edit::{Anchor, Change, Holder};
use farrier_lang::scope::{self, Scope, ScopePoint};
use farrier_lang::{ExprId, ExprKind, FunctionId, Program, Stmt, StmtId};

use crate::mutate::stage::Stage;
use crate::scene::Scene;

/// A place where a statement can stand that will never run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// Before a statement of a block.
    Before { block: StmtId, stmt: StmtId },
    /// After a statement of a block.
    After { block: StmtId, stmt: StmtId },
    /// At the end of a block.
    End(StmtId),
    /// Where a single statement stands that is no part of a block.
    Around(StmtId),
    /// The other branch of an `if` that has none.
    Otherwise(StmtId),
}

/// Functions of the library that do not return.
const NORETURN: &[&str] = &["abort", "exit", "_Exit", "_exit", "quick_exit"];

/// Builtins that do not return.
const NORETURN_BUILTINS: &[&str] =
    &["__builtin_abort", "__builtin_exit", "__builtin_trap", "__builtin_unreachable"];

/// All places, in the order of the tree.
pub(super) fn dead_places(stage: &Stage<'_>) -> Vec<Place> {
    let (scene, program) = (&stage.scene, stage.scene.program);
    let Some(profile) = &scene.profile else { return Vec::new() };
    let mut places = Vec::new();
    for id in scene.stmts() {
        let is_value = matches!(scene.holder_of_stmt(id), Some(Holder::Expr(_)));
        let ran = stage.count(id) > 0 || profile.ran(program, id);
        match &program[id] {
            Stmt::Block(stmts) => {
                for (index, &stmt) in stmts.iter().enumerate() {
                    let gives_value = is_value && index + 1 == stmts.len();
                    if stage.count(stmt) == 0 {
                        places.push(Place::Before { block: id, stmt });
                    }
                    if ends(program, stmt) && !gives_value {
                        places.push(Place::After { block: id, stmt });
                    }
                }
                if !ran && !is_value {
                    places.push(Place::End(id));
                }
            }
            // Nothing leads to the statements before the first label.
            Stmt::Switch { body, .. } => {
                if let Stmt::Block(stmts) = &program[*body]
                    && let Some(first) = stmts.first()
                    && matches!(program[*first], Stmt::Case { .. } | Stmt::Default(_))
                {
                    places.push(Place::Before { block: *body, stmt: *first });
                }
            }
            Stmt::If { then, otherwise: None, .. }
                if stage.count(id) > 0 && stage.count(id) == stage.count(*then) =>
            {
                places.push(Place::Otherwise(id));
            }
            _ => {}
        }
        if !ran && stands_alone(scene, id) {
            places.push(Place::Around(id));
        }
    }
    places
}

/// Whether a statement is the branch or the body of another, and no block.
fn stands_alone(scene: &Scene<'_>, stmt: StmtId) -> bool {
    let Some(Holder::Stmt(holder)) = scene.holder_of_stmt(stmt) else { return false };
    match &scene.program[holder] {
        Stmt::For { init, .. } if init.contains(&stmt) => false,
        Stmt::Block(_) => false,
        _ => !matches!(scene.program[stmt], Stmt::Block(_)),
    }
}

/// Whether control certainly does not come to the end of a statement.
fn ends(program: &Program, stmt: StmtId) -> bool {
    match program[stmt] {
        Stmt::Return(_) | Stmt::Goto(_) | Stmt::GotoComputed(_) | Stmt::Break | Stmt::Continue => {
            true
        }
        Stmt::Expr(expr) => never_returns(program, expr),
        _ => false,
    }
}

/// Whether an expression is a call that does not return.
fn never_returns(program: &Program, expr: ExprId) -> bool {
    match &program[expr].kind {
        ExprKind::Builtin(builtin, _) => NORETURN_BUILTINS.contains(&builtin.name()),
        ExprKind::Call(callee, _) => {
            let ExprKind::Decay(inner) = program[*callee].kind else { return false };
            let ExprKind::Function(function) = program[inner].kind else { return false };
            let function = &program[function];
            function.specifiers.noreturn
                || function.body.is_none() && NORETURN.contains(&program.text(function.name))
        }
        _ => false,
    }
}

impl Place {
    /// The statement that the place is at, and where it is.
    fn at(self) -> (StmtId, ScopePoint) {
        match self {
            Self::Before { stmt, .. } | Self::Around(stmt) | Self::Otherwise(stmt) => {
                (stmt, ScopePoint::Before)
            }
            Self::After { stmt, .. } => (stmt, ScopePoint::After),
            Self::End(block) => (block, ScopePoint::End),
        }
    }

    /// The function that the place is in, and what is visible there.
    pub(super) fn scope(self, scene: &Scene<'_>) -> Option<(FunctionId, Scope)> {
        let (stmt, point) = self.at();
        let function = function_of(scene, stmt)?;
        Some((function, scope::at(scene.program, function, stmt, point)?))
    }

    /// Whether a `break` and a `continue` may stand there.
    pub(super) fn jumps(self, scene: &Scene<'_>) -> (bool, bool) {
        let (stmt, point) = self.at();
        let around = scene.around(stmt).skip(usize::from(point != ScopePoint::End));
        let (mut breaks, mut continues) = (false, false);
        for outer in around {
            match scene.program[outer] {
                Stmt::Switch { .. } => breaks = true,
                Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. } => {
                    (breaks, continues) = (true, true);
                }
                _ => {}
            }
        }
        (breaks, continues)
    }

    /// The changes that put a new statement there.
    pub(super) fn changes(self, stage: &mut Stage<'_>, new: StmtId) -> Vec<Change> {
        let insert = |block, anchor| Change::InsertStmts { block, anchor, stmts: [new].into() };
        let program = stage.scene.program;
        let stmts = &mut stage.fresh.program.stmts;
        vec![match self {
            Self::Before { block, stmt } => insert(block, Anchor::Before(stmt)),
            Self::After { block, stmt } => insert(block, Anchor::After(stmt)),
            Self::End(block) => insert(block, Anchor::End),
            Self::Around(at) => {
                let both = match program[at] {
                    Stmt::Empty => [new].into_iter().collect(),
                    _ => [new, at].into_iter().collect(),
                };
                Change::ReplaceStmt { at, with: stmts.push(Stmt::Block(both)) }
            }
            Self::Otherwise(at) => {
                let Stmt::If { condition, then, .. } = program[at] else {
                    unreachable!("the place is at an if")
                };
                let otherwise = Some(stmts.push(Stmt::Block([new].into_iter().collect())));
                let with = stmts.push(Stmt::If { condition, then, otherwise });
                Change::ReplaceStmt { at, with }
            }
        }]
    }
}

/// The function at file scope that a statement is in.
fn function_of(scene: &Scene<'_>, mut stmt: StmtId) -> Option<FunctionId> {
    loop {
        stmt = match scene.holder_of_stmt(scene.around(stmt).last()?)? {
            Holder::Function(function) => return Some(function),
            Holder::Expr(expr) => scene.statement_of(expr)?,
            _ => return None,
        };
    }
}
