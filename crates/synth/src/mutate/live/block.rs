//! Blocks that never run: whatever is in them.

use farrier_lang::build::Builder;
use farrier_lang::edit::{Anchor, Change};
use farrier_lang::{
    Attribute, Entity, ExprId, ExprKind, Function, FunctionId, FunctionType, Item, ObjectId,
    Program, Stmt, StmtId, Storage, Types, copy,
};

use crate::Choices;
use crate::features::Weights;
use crate::hostile::{Kitchen, Made, Near};
use crate::mutate::stage::{Point, Stage};
use crate::scene::must_inline;

/// How many blocks get one more statement, in percent, again and again.
const MORE: u32 = 60;
const MOST: usize = 5;

/// How many statements are copies of statements of the function, in percent, and how many
/// call a function. The others are from the menu of hostile code.
const COPIES: u32 = 30;
const CALLS: u32 = 45;

/// How many blocks are loops inside, in percent.
const LOOPS: u32 = 25;

/// A statement with more nodes is not copied.
const MOST_NODES: usize = 120;

/// How often another statement or function is tried where one cannot be had.
const TRIES: usize = 6;

/// Draws a block for a point, with the changes of other places that belong to it.
pub(super) fn draw(
    stage: &mut Stage<'_>,
    point: usize,
    choices: &mut Choices,
) -> Option<(StmtId, Vec<Change>)> {
    let marker = stage.markers.then(|| marker(stage));
    let weights = Weights::default();
    let point = &stage.points[point];
    let objects: Vec<ObjectId> = point.visible.iter().map(|visible| visible.object).collect();
    let visible = |object: ObjectId| objects.contains(&object);
    let old = stage.scene.program;
    let mut near = Near::of(old, (point.block, point.stmt), &visible, &weights);
    let mut kitchen = Kitchen {
        program: &mut stage.fresh.program,
        layouts: &mut stage.layouts,
        choices,
        weights: &weights,
        objects: &objects,
        function: point.function,
        near: &mut near,
        labels: Vec::new(),
    };
    let mut stmts: Vec<StmtId> = marker.into_iter().collect();
    loop {
        let form = kitchen.choices.below(100) as u32;
        let made = match form {
            _ if form < COPIES => copied(&mut kitchen, old, point).map(Made::Stmt),
            _ if form < CALLS => called(&mut kitchen).map(Made::Stmt),
            _ => None,
        };
        let Some(made) = made.or_else(|| kitchen.draw()) else { break };
        let end = matches!(made, Made::End(_));
        stmts.extend(kitchen.statement_of(made));
        if end || stmts.len() >= MOST || !kitchen.choices.chance(MORE) {
            break;
        }
    }
    if stmts.is_empty() {
        return None;
    }
    let mut body = kitchen.program.stmts.push(Stmt::Block(stmts.into_iter().collect()));
    if kitchen.choices.chance(LOOPS)
        && let Some(condition) = kitchen.operand()
    {
        let inner = match kitchen.choices.below(3) {
            0 => Stmt::While { condition, body },
            1 => Stmt::DoWhile { body, condition },
            _ => Stmt::For { init: [].into(), condition: Some(condition), step: None, body },
        };
        let inner = kitchen.program.stmts.push(inner);
        body = kitchen.program.stmts.push(Stmt::Block([inner].into_iter().collect()));
    }
    let changes = kitchen.labels.into_iter().filter_map(|label| {
        let Stmt::Block(inner) = &old[label.block] else { return None };
        let anchor = inner.get(label.at).map_or(Anchor::End, |stmt| Anchor::Before(*stmt));
        let stmts = [label.labelled].into();
        Some(Change::InsertStmts { block: label.block, anchor, stmts })
    });
    Some((body, changes.collect()))
}

/// A call of a function that is nowhere defined, to find the block in what a compiler made. It
/// is `weak`, so that the program can be linked.
fn marker(stage: &mut Stage<'_>) -> StmtId {
    let program = &mut stage.fresh.program;
    let ty = program.types.function(FunctionType {
        result: Types::VOID,
        parameters: [].into(),
        variadic: false,
        prototyped: true,
    });
    let name = program.names.fresh(MARKER);
    let weak = Attribute { name: program.names.intern("weak"), arguments: None };
    let marker = Function { attributes: [weak].into(), ..Function::declared(name, ty) };
    let function = program.functions.push(marker);
    program.items.insert(0, Item::Declare(Entity::Function(function)));
    let mut builder = stage.builder();
    let designator = builder.node(ExprKind::Function(function), ty);
    let call = builder.call(designator, Vec::new()).expect("it takes no arguments");
    stage.fresh.program.stmts.push(Stmt::Expr(call))
}

/// What functions that mark blocks are called.
const MARKER: &str = "marker_1";

/// A copy of a statement of the same function.
fn copied(kitchen: &mut Kitchen<'_>, old: &Program, point: &Point) -> Option<StmtId> {
    let body = old[point.function].body?;
    let mut all = Vec::new();
    collect(old, body, &mut all);
    (0..TRIES).find_map(|_| {
        let stmt = kitchen.choices.pick_any(&all)?;
        let mut fit = Fit { program: old, objects: kitchen.objects.to_vec(), nodes: 0 };
        (fit.stmt(stmt, (false, false)) && fit.nodes <= MOST_NODES)
            .then(|| copy::stmt(kitchen.program, stmt))
    })
}

/// The statements below one.
fn collect(program: &Program, stmt: StmtId, found: &mut Vec<StmtId>) {
    program[stmt].for_each_child(|child| {
        found.push(child);
        collect(program, child, found);
    });
}

/// Whether a copy of a statement can stand elsewhere in its function.
struct Fit<'a> {
    program: &'a Program,
    /// The objects that are visible there.
    objects: Vec<ObjectId>,
    nodes: usize,
}

impl Fit<'_> {
    /// `breaks` and `continues` say whether there is something to leave or to go on with.
    fn stmt(&mut self, id: StmtId, (breaks, continues): (bool, bool)) -> bool {
        let program = self.program;
        let stmt = &program[id];
        let mut fits = match *stmt {
            Stmt::Declare(object) => {
                let object_fits = program[object].storage != Storage::Static
                    && program.is_scalar(program[object].ty);
                self.objects.push(object);
                object_fits && program[object].init.is_none_or(|init| self.expr(init))
            }
            Stmt::Break => breaks,
            Stmt::Continue => continues,
            Stmt::Case { .. }
            | Stmt::Default(_)
            | Stmt::Label(..)
            | Stmt::Goto(_)
            | Stmt::GotoComputed(_)
            | Stmt::DefineRecord(_)
            | Stmt::DefineFunction(_)
            | Stmt::Asm(_)
            | Stmt::Fallthrough
            | Stmt::Switch { .. }
            | Stmt::Empty => false,
            _ => true,
        };
        let inner = match stmt {
            Stmt::While { .. } | Stmt::DoWhile { .. } | Stmt::For { .. } => (true, true),
            _ => (breaks, continues),
        };
        // What a `for` declares is visible in its condition.
        if let Stmt::For { init, .. } = stmt {
            init.iter().for_each(|stmt| fits &= self.stmt(*stmt, inner));
        }
        stmt.for_each_expr(|expr| fits &= self.expr(expr));
        stmt.for_each_child(|child| {
            let is_init = matches!(stmt, Stmt::For { init, .. } if init.contains(&child));
            fits = fits && (is_init || self.stmt(child, inner));
        });
        fits
    }

    fn expr(&mut self, id: ExprId) -> bool {
        self.nodes += 1;
        let kind = &self.program[id].kind;
        let mut fits = match kind {
            ExprKind::Object(object) => self.objects.contains(object),
            ExprKind::StatementExpr(_) | ExprKind::LabelAddress(_) | ExprKind::VaArg(_) => false,
            _ => true,
        };
        kind.for_each_operand(|operand| fits = fits && self.expr(operand));
        fits
    }
}

/// A call of any function that is known, with any arguments. It makes no function recursive that
/// compilers have to inline.
fn called(kitchen: &mut Kitchen<'_>) -> Option<StmtId> {
    let program = &*kitchen.program;
    if must_inline(program, kitchen.function) {
        return None;
    }
    let here = Item::Define(Entity::Function(kitchen.function));
    let mut functions: Vec<FunctionId> = Vec::new();
    for item in &program.items {
        if let Some(Entity::Function(function)) = item.entity()
            && !must_inline(program, function)
        {
            functions.push(function);
        }
        if *item == here {
            break;
        }
    }
    (0..TRIES).find_map(|_| {
        let function = kitchen.choices.pick_any(&functions)?;
        let ty = kitchen.program[function].ty;
        let farrier_lang::Type::Function(of) = kitchen.program.resolve(ty).clone() else {
            return None;
        };
        if !of.prototyped || of.variadic {
            return None;
        }
        let mut arguments = Vec::new();
        for parameter in &of.parameters {
            if !kitchen.program.is_scalar(*parameter) {
                return None;
            }
            let value = kitchen.operand()?;
            let mut builder = builder(kitchen);
            arguments.push(builder.cast(value, parameter.unqualified()).ok()?);
        }
        let mut builder = builder(kitchen);
        let designator = builder.node(ExprKind::Function(function), ty);
        let call = builder.call(designator, arguments).ok()?;
        Some(kitchen.program.stmts.push(Stmt::Expr(call)))
    })
}

fn builder<'a>(kitchen: &'a mut Kitchen<'_>) -> Builder<'a> {
    Builder { program: kitchen.program, layouts: kitchen.layouts, permissive: false }
}
