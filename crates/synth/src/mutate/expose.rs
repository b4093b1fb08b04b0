//! Exposing: a program that prints nothing gets a checksum at its end.
//!
//! The checksum is of all globals, of the result of `main`, and of the results of calls in
//! `main`. Nothing else of what the program does changes.

use farrier_lang::edit::{Change, Holder};
use farrier_lang::{
    Entity, ExprId, ExprKind, FunctionId, Item, Linkage, ObjectId, Program, Qualifiers, Stmt,
    StmtId, Storage, Type, Types,
};
use farrier_machine::Behavior;

use super::stage::Stage;
use super::tally::{Part, Tally, call, load, main_item, object};
use super::{Row, Strategy};
use crate::Choices;
use crate::scene::Scene;

/// The ways to expose a program, the one that shows most first. If a program has no proof with
/// one of them, the next is tried.
pub(super) static LEVELS: [Row; 3] = [
    Row { strategy: Strategy::Graft, name: "expose", weight: 1, draw: everything },
    Row { strategy: Strategy::Graft, name: "expose-globals", weight: 1, draw: globals },
    Row { strategy: Strategy::Graft, name: "expose-numbers", weight: 1, draw: numbers },
];

/// The seed of the first level. Those of the others follow; no drawn round has them.
pub(super) const SEED: u64 = u64::MAX - LEVELS.len() as u64;

/// A call that is evaluated more often is not watched.
const MOST_RESULTS: u64 = 1_000;

/// The row of the round that has this seed, if it is one that exposes.
pub(super) fn level(seed: u64) -> Option<&'static Row> {
    LEVELS.get(usize::try_from(seed.checked_sub(SEED)?).ok()?)
}

/// Whether a program does what it did before, and prints something at its end.
pub(super) fn only_shows(before: &Behavior, after: &Behavior) -> bool {
    let (output, steps) = (before.output.clone(), before.steps);
    after.output.len() > output.len()
        && after.output.starts_with(&output)
        && Behavior { output, steps, ..after.clone() } == *before
}

fn everything(stage: &mut Stage<'_>, _: &mut Choices) {
    expose(stage, true, &|_, _| true);
}

fn globals(stage: &mut Stage<'_>, _: &mut Choices) {
    expose(stage, false, &|_, _| true);
}

/// Scalars alone, and arrays of them: they cannot have parts without a value.
fn numbers(stage: &mut Stage<'_>, _: &mut Choices) {
    expose(stage, false, &|program, object| {
        let mut ty = program[object].ty;
        while let Type::Array { element, .. } = *program.resolve(ty) {
            ty = element;
        }
        program.is_arithmetic(ty)
    });
}

fn expose(stage: &mut Stage<'_>, results: bool, shown: &dyn Fn(&Program, ObjectId) -> bool) {
    let Some(changes) = exposing(stage, results, shown) else { return };
    stage.push(changes);
}

fn exposing(
    stage: &mut Stage<'_>,
    results: bool,
    shown: &dyn Fn(&Program, ObjectId) -> bool,
) -> Option<Vec<Change>> {
    let program = stage.scene.program;
    let mut tally = Tally::new(stage)?;
    tally.unions = results;
    let mut stmts = Vec::new();
    for object in exposed_globals(program) {
        if shown(program, object) {
            let place = stage.builder().node(ExprKind::Object(object), program[object].ty);
            stmts.extend(tally.fold(stage, place));
        }
    }
    let expose = tally.reporter(stage, "expose", stmts)?;
    let mut changes = Vec::new();
    if results {
        for result in results_of_calls(&stage.scene) {
            let watched = watched(stage, &mut tally, result)?;
            changes.push(Change::ReplaceExpr { at: result, with: watched });
        }
    }
    let main = stage.scene.main()?;
    let mut first = program.items.iter().position(|item| *item == main_item(program))?;
    let all: Vec<StmtId> = stage.scene.stmts().collect();
    for stmt in all {
        let Some(function) = function_around(&stage.scene, stmt) else { continue };
        let with = match program[stmt] {
            Stmt::Return(value) if function == main => {
                Some(showing_return(stage, &mut tally, expose, value)?)
            }
            Stmt::Expr(value) if is_exit(program, value) => {
                let defined = Item::Define(Entity::Function(function));
                let position = program.items.iter().position(|item| *item == defined)?;
                first = first.min(position);
                let show = shows(stage, expose)?;
                let exit = stage.fresh.program.stmts.push(Stmt::Expr(value));
                Some(vec![show, exit])
            }
            _ => None,
        };
        if let Some(with) = with {
            let block = Stmt::Block(with.into_iter().collect());
            let with = stage.fresh.program.stmts.push(block);
            changes.push(Change::ReplaceStmt { at: stmt, with });
        }
    }
    let body = program[main].body?;
    if let Stmt::Block(stmts) = &program[body]
        && !stmts.last().is_some_and(|last| matches!(program[*last], Stmt::Return(_)))
    {
        let stmts = [shows(stage, expose)?].into();
        let anchor = farrier_lang::edit::Anchor::End;
        changes.push(Change::InsertStmts { block: body, anchor, stmts });
    }
    if program.items[first] != main_item(program) {
        let items = &mut stage.fresh.program.items;
        let at = items.iter().position(|item| *item == program.items[first])?;
        items.insert(at, Item::Declare(Entity::Function(expose)));
    }
    Some(changes)
}

/// The objects at file scope before `main` that the program can change.
fn exposed_globals(program: &Program) -> Vec<ObjectId> {
    let main = main_item(program);
    let before = program.items.iter().take_while(|item| **item != main);
    let objects = before.filter_map(|item| match *item {
        Item::Define(Entity::Object(id)) => Some(id),
        _ => None,
    });
    objects.filter(|id| can_change(program, *id)).collect()
}

/// Whether an object that lives as long as the program can be changed, and read in silence.
pub(super) fn can_change(program: &Program, id: ObjectId) -> bool {
    let mut ty = program[id].ty;
    while let Type::Array { element, .. } = *program.resolve(ty) {
        ty = element;
    }
    program[id].storage == Storage::Static
        && program[id].linkage != Linkage::None
        && !ty.qualifiers().intersects(Qualifiers::CONST | Qualifiers::VOLATILE)
}

/// `{ int result = value; mix(result); expose(); return result; }`, without the braces.
fn showing_return(
    stage: &mut Stage<'_>,
    tally: &mut Tally,
    expose: FunctionId,
    value: Option<ExprId>,
) -> Option<Vec<StmtId>> {
    let show = shows(stage, expose)?;
    let Some(value) = value else {
        let end = stage.fresh.program.stmts.push(Stmt::Return(None));
        return Some(vec![show, end]);
    };
    let result = object(stage, "result", Types::INT, Storage::Automatic);
    stage.fresh.program[result].init = Some(value);
    let declare = stage.fresh.program.stmts.push(Stmt::Declare(result));
    let word = load(&mut stage.builder(), result);
    let words = tally.words(stage, word)?;
    let mix = tally.call(stage, Part::Mix, words)?;
    let mix = stage.fresh.program.stmts.push(Stmt::Expr(mix));
    let value = load(&mut stage.builder(), result);
    let end = stage.fresh.program.stmts.push(Stmt::Return(Some(value)));
    Some(vec![declare, mix, show, end])
}

/// `expose();`
fn shows(stage: &mut Stage<'_>, expose: FunctionId) -> Option<StmtId> {
    let call = call(&mut stage.builder(), expose, Vec::new())?;
    Some(stage.fresh.program.stmts.push(Stmt::Expr(call)))
}

/// `(type)watch(call)`
fn watched(stage: &mut Stage<'_>, tally: &mut Tally, result: ExprId) -> Option<ExprId> {
    let ty = stage.fresh.program.type_of(result);
    let words = tally.words(stage, result)?;
    let watched = tally.call(stage, Part::Watch, words)?;
    stage.builder().cast(watched, ty).ok()
}

/// The calls of the program's own functions in `main` whose integers can be watched: those
/// that are the only call of a statement, so that the order of two is never open.
fn results_of_calls(scene: &Scene<'_>) -> Vec<ExprId> {
    let program = scene.program;
    let (Some(profile), Some(main)) = (&scene.profile, scene.main()) else { return Vec::new() };
    let calls: Vec<(ExprId, StmtId)> = scene
        .exprs()
        .filter(|expr| program[*expr].kind.acts() && !is_assignment(&program[*expr].kind))
        .filter_map(|expr| Some((expr, scene.statement_of(expr)?)))
        .collect();
    let fits = |(call, stmt): &&(ExprId, StmtId)| {
        let ExprKind::Call(callee, _) = program[*call].kind else { return false };
        let own = called(program, callee).is_some_and(|callee| program[callee].body.is_some());
        let narrow = match program.integer_class(program.type_of(*call)) {
            Some(Type::Int(kind)) => program.target.int_bits(kind) <= 64,
            _ => false,
        };
        // A function may end without a value.
        let seen = profile.expr(*call);
        own && narrow
            && seen.integers().is_some()
            && seen.count <= MOST_RESULTS
            && calls.iter().filter(|(_, other)| other == stmt).count() == 1
            && function_around(scene, *stmt) == Some(main)
    };
    calls.iter().filter(fits).map(|(call, _)| *call).collect()
}

fn is_assignment(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Assign(..) | ExprKind::CompoundAssign { .. } | ExprKind::Step(..))
}

/// The function that a call names.
pub(super) fn called(program: &Program, callee: ExprId) -> Option<FunctionId> {
    match program[callee].kind {
        ExprKind::Decay(inner) => called(program, inner),
        ExprKind::Function(function) => Some(function),
        _ => None,
    }
}

/// Whether an expression is a call of `exit` whose argument does nothing.
pub(super) fn is_exit(program: &Program, value: ExprId) -> bool {
    let ExprKind::Call(callee, arguments) = &program[value].kind else { return false };
    let exits = called(program, *callee).is_some_and(|function| {
        program[function].body.is_none() && program.text(program[function].name) == "exit"
    });
    exits && arguments.iter().all(|argument| program.is_fixed(*argument))
}

/// The function at file scope that a statement is in.
pub(super) fn function_around(scene: &Scene<'_>, stmt: StmtId) -> Option<FunctionId> {
    let outermost = scene.around(stmt).last()?;
    match scene.holder_of_stmt(outermost)? {
        Holder::Function(function) => Some(function),
        // The statement is a part of a statement expression.
        Holder::Expr(expr) => function_around(scene, scene.statement_of(expr)?),
        _ => None,
    }
}

/// Where `main` ends: places in blocks before which, or at which, code can stand.
pub(super) fn endings(stage: &Stage<'_>) -> Vec<(StmtId, farrier_lang::edit::Anchor)> {
    use farrier_lang::edit::Anchor;
    let (scene, program) = (&stage.scene, stage.scene.program);
    let Some(main) = scene.main() else { return Vec::new() };
    let mut found = Vec::new();
    for stmt in scene.stmts() {
        let ends = match program[stmt] {
            Stmt::Return(_) => true,
            Stmt::Expr(value) => is_exit(program, value),
            _ => false,
        };
        if ends
            && stage.count(stmt) > 0
            && function_around(scene, stmt) == Some(main)
            && let Some(Holder::Stmt(block)) = scene.holder_of_stmt(stmt)
            && matches!(program[block], Stmt::Block(_))
        {
            found.push((block, Anchor::Before(stmt)));
        }
    }
    if let Some(body) = program[main].body
        && let Stmt::Block(stmts) = &program[body]
        && !stmts.last().is_some_and(|last| matches!(program[*last], Stmt::Return(_)))
    {
        found.push((body, Anchor::End));
    }
    found
}

#[cfg(test)]
mod tests {
    use farrier_machine::Options;

    use super::super::tests::{certified, recipe};
    use super::super::{Lineage, Settings};

    /// The text of a program that shows its values, and the name of the level.
    fn exposed(text: &str) -> (String, &'static str) {
        let original = certified(text);
        let mut lineage = Lineage::new(&original, &Options::default());
        let mutant = lineage.expose().expect("it has values");
        let (before, after) = (original.behavior(), mutant.certified.behavior());
        assert_eq!(before.ending, after.ending);
        assert_eq!(before.volatile_hash, after.volatile_hash);
        assert!(after.output.starts_with(b"checksum = "), "{}", mutant.text);
        let again = Lineage::replay(
            &original,
            &recipe(&lineage),
            &[],
            &Settings::default(),
            &Options::default(),
        );
        let again = again.expect("the same is drawn").keeping(&|_, _| true);
        assert_eq!(again.expect("it was proved").text, mutant.text);
        (mutant.text, lineage.rounds()[0].mutations[0].name())
    }

    #[test]
    fn every_number_of_a_global_is_shown() {
        let (text, level) = exposed(
            "struct s { char c; int x : 3; double d; float f[2]; int *p; } s = {1, 2, 0.5};
             unsigned a[3][2]; _Complex float z; const int c = 1; volatile int v;
             int v4 __attribute__((vector_size(16))); __int128 wide; enum e { one } e;
             int main(void) { a[2][1] = 7; s.f[1] = v; s.p = 0; return c; }",
        );
        assert_eq!(level, "expose");
        for shown in ["mix(s.c)", "mix(s.x)", "bits(s.d)", "bits(s.f[i])", "mix(a[i_1][i_2])"] {
            assert!(text.contains(shown), "{shown}: {text}");
        }
        assert!(text.contains("bits(__real__ z)") && text.contains("mix(v4[3])"), "{text}");
        assert!(text.contains("mix(wide >> 64)") && text.contains("mix(e)"), "{text}");
        for silent in ["s.p)", "mix(c)", "mix(v)"] {
            assert!(!text.contains(silent), "{silent}: {text}");
        }
    }

    #[test]
    fn every_end_of_the_program_shows_it() {
        let (text, _) = exposed(
            "void exit(int); void abort(void); int x;
             void stop(void) { x++; exit(0); }
             int f(int y) { if (y > 3) abort(); return x += y; }
             int main(void) { if (f(2) == 1) return f(1); x = 5; stop(); }",
        );
        assert_eq!(text.matches("expose();").count(), 3, "{text}");
        assert!(text.contains("int result = f(1);"), "{text}");
        assert!(text.contains("if ((int)watch(f(2)) == 1)"), "{text}");
    }

    #[test]
    fn a_value_that_cannot_be_read_is_left_out() {
        let (text, level) = exposed(
            "struct s { int x, y; } s; union u { int *p; long n; } u; int n;
             int main(void) { struct s t; t.x = 1; s = t; u.p = &n; n = 3; return 0; }",
        );
        assert_eq!(level, "expose-numbers");
        assert!(text.contains("mix(n)") && !text.contains("mix(s.x)"), "{text}");
    }

    #[test]
    fn names_of_the_program_do_not_matter() {
        let (text, _) = exposed(
            "int mix, checksum = 3; void expose(void) { checksum++; }
             int main(void) { int printed = 0; expose(); return printed; }",
        );
        assert!(text.contains("mix_1(checksum)"), "{text}");
    }

    #[test]
    fn a_program_that_prints_is_left_alone() {
        let original =
            certified("int puts(const char *); int main(void) { puts(\"a\"); return 0; }");
        assert!(Lineage::new(&original, &Options::default()).expose().is_none());
    }
}
