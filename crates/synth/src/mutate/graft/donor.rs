//! What a run of another program says about its functions.

use std::rc::Rc;

use farrier_lang::{
    Entity, ExprId, ExprKind, FunctionId, Item, Linkage, ObjectId, Program, Stmt, StmtId, Type,
};
use farrier_machine::{
    Certified, Chosen, Ending, Options, Tuples, Verdict, Watch, Watchpoint, run,
};

use super::super::expose::{called, function_around, is_exit};
use super::super::stage::Stage;
use crate::Choices;
use crate::scene::Scene;

/// So many donors are run in one round at most.
const MOST_DONORS: usize = 3;

/// A donor whose run is longer gives nothing.
const MOST_STEPS: u64 = 300_000;

/// How many different tuples of arguments are kept for a function.
const MOST_TUPLES: usize = 16;

/// A program that uses one of these cannot be a part of another.
const REFUSED: &[&str] =
    &["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "longjmp", "siglongjmp", "atexit", "signal"];

/// A function that calls one of these does not come back. `abort` is none of them: a donor does
/// not end so.
const STOPS: &[&str] = &["exit", "_exit", "_Exit", "quick_exit"];

/// A program that gives functions.
#[derive(Debug)]
pub(in super::super) struct Donor<'a> {
    pub(super) program: &'a Program,
    /// How many operations its run took.
    pub(super) steps: u64,
    /// The functions that ran, without `main`.
    pub(super) functions: Vec<Candidate>,
    pub(super) main: FunctionId,
}

/// A function that ran.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) function: FunctionId,
    /// How often it was called.
    pub(super) count: u64,
    /// The values that its scalar parameters had together; those of others are nothing.
    pub(super) arguments: Tuples,
    /// The calls of it that ran.
    pub(super) calls: Vec<ExprId>,
}

/// Draws a donor. It is run when it is drawn for the first time.
pub(super) fn draw<'a>(stage: &mut Stage<'a>, choices: &mut Choices) -> Option<Rc<Donor<'a>>> {
    let known: Vec<usize> = stage.known_donors.keys().copied().collect();
    let index = match known.len() {
        MOST_DONORS => choices.pick(&known),
        _ if stage.donors.is_empty() => return None,
        _ => choices.index(stage.donors.len()),
    };
    if !known.contains(&index) {
        let donor = Donor::new(&stage.donors[index], &stage.options).map(Rc::new);
        stage.known_donors.insert(index, donor);
    }
    stage.known_donors[&index].clone()
}

impl<'a> Donor<'a> {
    /// Runs a program; `None` if it cannot be a part of another.
    fn new(certified: &'a Certified, options: &Options) -> Option<Self> {
        let program = certified.program();
        let behavior = certified.behavior();
        let ends = matches!(behavior.ending, Ending::Exit(_)) && behavior.steps <= MOST_STEPS;
        let named =
            |names: &[&str], id: FunctionId| names.contains(&program.text(program[id].name));
        // Functions inside functions are known to gcc alone.
        let refused = |id| named(REFUSED, id) || program[id].linkage == Linkage::None;
        if !ends || program.functions.ids().any(refused) {
            return None;
        }
        let main = program.main()?;
        let defined = program.items.iter().filter_map(|item| match *item {
            Item::Define(Entity::Function(id)) => Some((id, entry(program, id)?)),
            _ => None,
        });
        let entries: Vec<(FunctionId, StmtId)> = defined.collect();
        let watchpoint = |id: FunctionId| {
            let objects: Vec<ObjectId> = program[id].parameters.to_vec();
            Watchpoint { objects, most: MOST_TUPLES, ..Watchpoint::default() }
        };
        let watch = Watch {
            expressions: Chosen::All,
            statements: Chosen::All,
            guards: Chosen::None,
            points: entries.iter().map(|(id, stmt)| (*stmt, watchpoint(*id))).collect(),
            ..Watch::default()
        };
        let options = Options { profile: Some(watch), ..options.clone() };
        let seen = run(program, &options);
        let (Verdict::Defined(_), Some(profile)) = (seen.verdict, seen.profile) else {
            return None;
        };
        let scene = Scene::new(program, None);
        let mut functions: Vec<Candidate> = Vec::new();
        for (function, entry) in entries {
            if function != main
                && let Some(arguments) = profile.visits(entry).cloned()
                && is_callable(program, function)
            {
                let count = arguments.count;
                functions.push(Candidate { function, count, arguments, calls: Vec::new() });
            }
        }
        for expr in scene.exprs() {
            let ExprKind::Call(callee, _) = program[expr].kind else { continue };
            let Some(callee) = called(program, callee) else { continue };
            if profile.expr(expr).count > 0
                && let Some(candidate) = functions.iter_mut().find(|one| one.function == callee)
            {
                candidate.calls.push(expr);
            }
            // A call that never returns is not counted. That of `main` can become a return.
            if named(STOPS, callee)
                && let Some(stmt) = scene.statement_of(expr)
                && profile.stmt(stmt) > 0
                && (scene.whole_statement(expr).is_none()
                    || !is_exit(program, expr)
                    || function_around(&scene, stmt) != Some(main))
            {
                return None;
            }
        }
        Some(Self { program, steps: behavior.steps, functions, main })
    }
}

/// The first statement of a function.
fn entry(program: &Program, function: FunctionId) -> Option<StmtId> {
    match &program[program[function].body?] {
        Stmt::Block(stmts) => stmts.first().copied(),
        _ => None,
    }
}

/// Whether a function can be called with a fixed list of arguments.
fn is_callable(program: &Program, function: FunctionId) -> bool {
    match program.resolve(program[function].ty) {
        Type::Function(ty) => !ty.variadic,
        _ => false,
    }
}
