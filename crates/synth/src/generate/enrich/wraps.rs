//! Statements in a loop, a branch or a switch that runs them once, as a hidden value says.
//! Compilers have to find that out, or to do right without.

use farrier_lang::{
    BinaryOp, Expr, ExprId, ExprKind, IntKind, ObjectId, Program, StepOp, Stmt, StmtId, Storage,
    Types, copy, integer_type,
};

use super::{Enricher, MARGIN, Spot, hostile};
use crate::features::Feature;
use crate::generate::names::Name;
use crate::parameters::Parameter;

/// How many nodes a statement has that is wrapped, and one that is copied, at most.
const MOST_NODES: usize = 400;
const MOST_COPIED: usize = 80;

/// About how many bytes a wrap has.
const WRAP_BYTES: usize = 90;

/// The most rounds of a loop that runs a statement in one of them.
const MOST_ROUNDS: i64 = 5;

/// How many of the binary operators of a copy that does not run are others, in percent.
const ALTERED: u32 = 40;

/// The operations of a wrap, and of a round of its loop.
const WRAP_OPERATIONS: u64 = 16;
const ROUND_OPERATIONS: u64 = 12;

/// A way to wrap a statement.
struct Wrap {
    weight: u32,
    /// What it is made of.
    needs: &'static [Feature],
    /// Whether it has the statement twice.
    copies: bool,
    /// The statements that take the place of a block with the statement.
    make: fn(&mut Enricher<'_>, &Spot, StmtId) -> Option<Vec<StmtId>>,
}

/// Every way.
#[rustfmt::skip]
static WRAPS: &[Wrap] = &[
    Wrap { weight: 20, needs: &[Feature::For, Feature::VariableBound, Feature::Comparison, Feature::Increment], copies: false, make: once },
    Wrap { weight: 14, needs: &[Feature::For, Feature::VariableBound, Feature::Comparison, Feature::Increment, Feature::If], copies: false, make: in_one_round },
    Wrap { weight: 10, needs: &[Feature::Do], copies: false, make: do_once },
    Wrap { weight: 10, needs: &[Feature::While, Feature::Increment], copies: false, make: while_once },
    Wrap { weight: 12, needs: &[Feature::For, Feature::Comparison, Feature::Increment, Feature::CompoundAssign, Feature::Bitwise], copies: false, make: after_work },
    Wrap { weight: 8, needs: &[Feature::For, Feature::VariableBound, Feature::Comparison, Feature::Increment, Feature::CommonSubexpression], copies: true, make: in_twin_loops },
    Wrap { weight: 12, needs: &[Feature::Switch, Feature::CommonSubexpression], copies: true, make: in_switch },
    Wrap { weight: 8, needs: &[Feature::If, Feature::CommonSubexpression], copies: true, make: in_branch },
    Wrap { weight: 8, needs: &[Feature::If, Feature::CommonSubexpression], copies: true, make: in_both_branches },
];

/// What the variables of wraps may be.
const KINDS: &[(Feature, IntKind)] = &[
    (Feature::Int, IntKind::Int),
    (Feature::Int, IntKind::UInt),
    (Feature::Char, IntKind::SChar),
    (Feature::Char, IntKind::UChar),
    (Feature::Short, IntKind::Short),
    (Feature::Short, IntKind::UShort),
    (Feature::Long, IntKind::Long),
    (Feature::LongLong, IntKind::ULongLong),
];

/// What a statement contains.
#[derive(Default)]
struct Contents {
    nodes: usize,
    /// Objects that exist once.
    statics: bool,
}

pub(super) fn can_stand(program: &Program, spot: &Spot) -> bool {
    contents(program, spot.stmt).is_some()
}

/// What a statement contains; `None` if it cannot be wrapped: it is or has a label, declares
/// something for others, breaks something around it, or is too large.
fn contents(program: &Program, stmt: StmtId) -> Option<Contents> {
    let mut contents = Contents::default();
    if matches!(program[stmt], Stmt::Declare(_) | Stmt::Empty) {
        return None;
    }
    look(program, stmt, Around { breaks: false, continues: false }, &mut contents)?;
    Some(contents)
}

/// What is around a statement inside the one that is wrapped.
#[derive(Clone, Copy)]
struct Around {
    breaks: bool,
    continues: bool,
}

fn look(program: &Program, id: StmtId, around: Around, contents: &mut Contents) -> Option<()> {
    contents.nodes += 1;
    let mut inside = around;
    match program[id] {
        Stmt::Label(..) | Stmt::GotoComputed(_) | Stmt::DefineRecord(_) | Stmt::Asm(_) => {
            return None;
        }
        Stmt::Case { .. } | Stmt::Default(_) if !around.breaks => return None,
        Stmt::Break if !around.breaks => return None,
        Stmt::Continue if !around.continues => return None,
        Stmt::Switch { .. } => inside.breaks = true,
        Stmt::While { .. } | Stmt::DoWhile { .. } | Stmt::For { .. } => {
            inside = Around { breaks: true, continues: true };
        }
        Stmt::Declare(object) => {
            contents.statics |= program[object].storage != Storage::Automatic;
            if let Some(init) = program[object].init {
                look_at_value(program, init, contents)?;
            }
        }
        _ => {}
    }
    let mut fine = Some(());
    program[id].for_each_expr(|expr| {
        fine = fine.and_then(|()| look_at_value(program, expr, contents));
    });
    program[id].for_each_child(|child| {
        fine = fine.and_then(|()| look(program, child, inside, contents));
    });
    fine.filter(|()| contents.nodes <= MOST_NODES)
}

fn look_at_value(program: &Program, id: ExprId, contents: &mut Contents) -> Option<()> {
    contents.nodes += 1;
    match program[id].kind {
        // A compound literal lives as long as the block that it is in.
        ExprKind::CompoundLiteral(_) | ExprKind::LabelAddress(_) | ExprKind::StatementExpr(_) => {
            return None;
        }
        _ if contents.nodes > MOST_NODES => return None,
        _ => {}
    }
    let mut fine = Some(());
    program[id].kind.for_each_operand(|operand| {
        fine = fine.and_then(|()| look_at_value(program, operand, contents));
    });
    fine
}

/// Wraps the statement of a spot, several times.
pub(super) fn add(enricher: &mut Enricher<'_>, spot: &Spot) -> Option<()> {
    // Other rows may have changed it since it was looked at.
    contents(enricher.program, spot.stmt)?;
    let most = u64::from(enricher.parameters.get(Parameter::WrapDepth));
    let old = enricher.length_at(spot, spot.stmt);
    let mut inner = enricher.block(&[spot.stmt]);
    add_hostile(enricher, spot, inner);
    let Some(mut contents) = contents(enricher.program, inner) else {
        // Hostile code jumps to it.
        return enricher.replace(spot, inner);
    };
    let mut bytes = enricher.length_at(spot, inner);
    let mut wraps = 0;
    for _ in 0..=enricher.choices.below(most) {
        let may_copy = contents.nodes <= MOST_COPIED && !contents.statics;
        let weight = |wrap: &Wrap| match enricher.has(wrap.needs) && (may_copy || !wrap.copies) {
            true => wrap.weight,
            false => 0,
        };
        let weights: Vec<u32> = WRAPS.iter().map(weight).collect();
        let wrap = &WRAPS[enricher.choices.weighted(&weights)?];
        // About how long it will be: every line moves to the right.
        let next = bytes * (5 + 4 * usize::from(wrap.copies)) / 4 + WRAP_BYTES;
        if next - old > enricher.bytes {
            break;
        }
        enricher.charge(spot, WRAP_OPERATIONS)?;
        if let Some(wrapped) = (wrap.make)(enricher, spot, inner) {
            inner = enricher.block(&wrapped);
            contents.nodes += contents.nodes * usize::from(wrap.copies) + 10;
            bytes = next;
            wraps += 1;
        }
    }
    if wraps == 0 {
        return None;
    }
    enricher.replace(spot, inner)
}

/// Adds hostile code beside the statement inside its wraps, by lot.
fn add_hostile(enricher: &mut Enricher<'_>, spot: &Spot, block: StmtId) {
    let share = enricher.parameters.get(Parameter::HostileBlocks);
    if !enricher.weights.has(Feature::Hostile) || !enricher.choices.chance(share) {
        return;
    }
    let (objects, near) = (spot.objects.clone(), spot.near.clone());
    let inside = Spot { block, margin: spot.margin + MARGIN, objects, near, ..*spot };
    // What it takes is counted when the block replaces the statement.
    let bytes = enricher.bytes;
    let _ = hostile::add(enricher, &inside);
    enricher.bytes = bytes;
}

/// `T w = 1; for (T q = 0; q < w; q++) S`
fn once(enricher: &mut Enricher<'_>, spot: &Spot, body: StmtId) -> Option<Vec<StmtId>> {
    let (control, declare) = enricher.control(spot, 1)?;
    let bound = enricher.load(control);
    Some(vec![declare, enricher.counted(|_, _| Some(body), bound)?])
}

/// `T w = 4; for (T q = 0; q < w; q++) if (q == 2) S`
fn in_one_round(enricher: &mut Enricher<'_>, spot: &Spot, body: StmtId) -> Option<Vec<StmtId>> {
    let rounds = enricher.choices.range(2, MOST_ROUNDS);
    enricher.charge(spot, ROUND_OPERATIONS * rounds as u64)?;
    let (control, declare) = enricher.control(spot, rounds.into())?;
    let bound = enricher.load(control);
    let round = enricher.choices.range(0, rounds - 1);
    let only_then = |enricher: &mut Enricher<'_>, counter| {
        let (value, round) = (enricher.load(counter), enricher.constant(round.into())?);
        let condition = enricher.builder().binary(BinaryOp::Equal, value, round).ok()?;
        Some(enricher.program.stmts.push(Stmt::If { condition, then: body, otherwise: None }))
    };
    Some(vec![declare, enricher.counted(only_then, bound)?])
}

/// `T w = 0; do S while (w);`
fn do_once(enricher: &mut Enricher<'_>, spot: &Spot, body: StmtId) -> Option<Vec<StmtId>> {
    let (control, declare) = enricher.control(spot, 0)?;
    let condition = enricher.load(control);
    Some(vec![declare, enricher.program.stmts.push(Stmt::DoWhile { body, condition })])
}

/// `T w = 1; while (w) { w--; S }` or `{ S w--; }`
fn while_once(enricher: &mut Enricher<'_>, spot: &Spot, body: StmtId) -> Option<Vec<StmtId>> {
    let (control, declare) = enricher.control(spot, 1)?;
    let (condition, place) = (enricher.load(control), enricher.place(control));
    let step = enricher.builder().step(StepOp::PostDecrement, place).ok()?;
    let step = enricher.program.stmts.push(Stmt::Expr(step));
    let body = match enricher.choices.chance(50) {
        true => enricher.block(&[step, body]),
        false => enricher.block(&[body, step]),
    };
    Some(vec![declare, enricher.program.stmts.push(Stmt::While { condition, body })])
}

/// `T w = x; for (T q = 0; q < 3; q++) x ^= q; x = w; S`
fn after_work(enricher: &mut Enricher<'_>, spot: &Spot, body: StmtId) -> Option<Vec<StmtId>> {
    let known = enricher.known(spot);
    let mut targets = known.iter().map(|(object, _)| *object).collect::<Vec<_>>();
    targets.retain(|object| enricher.program[*object].ty.qualifiers().is_empty());
    let target = enricher.choices.pick_any(&targets)?;
    let rounds = enricher.choices.range(1, MOST_ROUNDS);
    enricher.charge(spot, ROUND_OPERATIONS * rounds as u64)?;
    let value = enricher.load(target);
    let ty = enricher.program[target].ty;
    let (saved, declare) = enricher.variable(Name::Wrap, ty, value)?;
    let op = enricher.choices.pick(&[BinaryOp::BitXor, BinaryOp::BitOr, BinaryOp::BitAnd]);
    let change = |enricher: &mut Enricher<'_>, counter| {
        let (place, value) = (enricher.place(target), enricher.load(counter));
        let change = enricher.builder().compound_assign(op, place, value).ok()?;
        Some(enricher.program.stmts.push(Stmt::Expr(change)))
    };
    let bound = enricher.constant(rounds.into())?;
    let work = enricher.counted(change, bound)?;
    let (place, value) = (enricher.place(target), enricher.load(saved));
    let restore = enricher.builder().assign(place, value).ok()?;
    Some(vec![declare, work, enricher.program.stmts.push(Stmt::Expr(restore)), body])
}

/// `T w = 1; for (T q = 0; q < w; q++) S for (T q = 0; q < w - 1; q++) S`
fn in_twin_loops(enricher: &mut Enricher<'_>, spot: &Spot, body: StmtId) -> Option<Vec<StmtId>> {
    let runs = i128::from(enricher.choices.below(2));
    let twin = copy::stmt(enricher.program, body);
    let mut loops = Vec::new();
    for (rounds, body) in [(runs, body), (1 - runs, twin)] {
        let (control, declare) = enricher.control(spot, rounds)?;
        let bound = enricher.load(control);
        loops.extend([declare, enricher.counted(|_, _| Some(body), bound)?]);
    }
    // The second bound is computed before the first loop changes what it is made of.
    loops.swap(1, 2);
    Some(loops)
}

/// `T w = 3; switch (w) { case 3: S break; case 5: other code }`
fn in_switch(enricher: &mut Enricher<'_>, spot: &Spot, body: StmtId) -> Option<Vec<StmtId>> {
    let right = i128::from(enricher.choices.below(100));
    let (control, declare) = enricher.control(spot, right)?;
    let value = enricher.load(control);
    let value = enricher.builder().promote(value);
    let ty = enricher.program.type_of(value);
    let other = enricher.altered(body);
    let mut cases =
        [(Some(right), body), (Some(right + 1 + i128::from(enricher.choices.below(9))), other)];
    if enricher.choices.chance(30) {
        cases[enricher.choices.index(2)].0 = None;
    }
    if enricher.choices.chance(50) {
        cases.reverse();
    }
    let mut inner = Vec::new();
    for (label, body) in cases {
        let case = match label {
            Some(label) => {
                let first = enricher.constant(label)?;
                let first = enricher.builder().convert(first, ty);
                Stmt::Case { first, last: None, body }
            }
            None => Stmt::Default(body),
        };
        inner.extend([case, Stmt::Break].map(|stmt| enricher.program.stmts.push(stmt)));
    }
    let body = enricher.block(&inner);
    Some(vec![declare, enricher.program.stmts.push(Stmt::Switch { value, body })])
}

/// `T w = 1; if (w) S else other code`, or the other way round.
fn in_branch(enricher: &mut Enricher<'_>, spot: &Spot, body: StmtId) -> Option<Vec<StmtId>> {
    let truth = enricher.choices.chance(50);
    let (control, declare) = enricher.control(spot, i128::from(truth))?;
    let condition = enricher.load(control);
    let other = enricher.altered(body);
    let (then, otherwise) = if truth { (body, other) } else { (other, body) };
    let branch = Stmt::If { condition, then, otherwise: Some(otherwise) };
    Some(vec![declare, enricher.program.stmts.push(branch)])
}

/// `T w = x; if (w) S else S`
fn in_both_branches(enricher: &mut Enricher<'_>, spot: &Spot, body: StmtId) -> Option<Vec<StmtId>> {
    let mut sources: Vec<ObjectId> = enricher.inputs.iter().map(|(input, _)| *input).collect();
    for object in &spot.objects {
        let ty = enricher.program[*object].ty;
        let has_value = enricher.program[*object].storage == Storage::Static
            || enricher.values(spot, *object).is_some();
        if integer_type(enricher.program, ty).is_some() && has_value {
            sources.push(*object);
        }
    }
    let source = enricher.choices.pick_any(&sources)?;
    let value = enricher.load(source);
    let ty = enricher.program[source].ty.unqualified();
    let (control, declare) = enricher.variable(Name::Wrap, ty, value)?;
    let condition = enricher.load(control);
    let otherwise = Some(copy::stmt(enricher.program, body));
    let branch = Stmt::If { condition, then: body, otherwise };
    Some(vec![declare, enricher.program.stmts.push(branch)])
}

impl Enricher<'_> {
    fn block(&mut self, stmts: &[StmtId]) -> StmtId {
        self.program.stmts.push(Stmt::Block(stmts.into()))
    }

    /// A type for a variable of a wrap.
    fn wrap_kind(&mut self) -> Option<IntKind> {
        let kinds = KINDS.iter().filter(|(feature, _)| self.weights.has(*feature));
        let kinds: Vec<IntKind> = kinds.map(|(_, kind)| *kind).collect();
        self.choices.pick_any(&kinds)
    }

    /// A variable that has a small value at every visit of a spot.
    fn control(&mut self, spot: &Spot, wanted: i128) -> Option<(ObjectId, StmtId)> {
        let value = self.hidden(spot, wanted)?;
        let kind = self.wrap_kind()?;
        self.variable(Name::Wrap, Types::int(kind), value)
    }

    /// `for (T q = 0; q < bound; q++) body`
    fn counted(
        &mut self,
        body: impl FnOnce(&mut Self, ObjectId) -> Option<StmtId>,
        bound: ExprId,
    ) -> Option<StmtId> {
        let kind = self.wrap_kind()?;
        let zero = self.constant(0)?;
        let (counter, declare) = self.variable(Name::Round, Types::int(kind), zero)?;
        let (value, place) = (self.load(counter), self.place(counter));
        let condition = self.builder().binary(BinaryOp::Less, value, bound).ok()?;
        let step = self.builder().step(StepOp::PostIncrement, place).ok()?;
        let body = body(self, counter)?;
        let init = [declare].into_iter().collect();
        let (condition, step) = (Some(condition), Some(step));
        Some(self.program.stmts.push(Stmt::For { init, condition, step, body }))
    }

    /// A copy of a statement that never runs, with other operators here and there.
    fn altered(&mut self, stmt: StmtId) -> StmtId {
        let copy = copy::stmt(self.program, stmt);
        let mut waiting = vec![copy];
        let mut values = Vec::new();
        while let Some(id) = waiting.pop() {
            // What is between the labels of a switch stays constant.
            if !matches!(self.program[id], Stmt::Case { .. }) {
                self.program[id].for_each_expr(|expr| values.push(expr));
            }
            self.program[id].for_each_child(|child| waiting.push(child));
        }
        while let Some(id) = values.pop() {
            let Expr { kind, ty } = &self.program[id];
            let is_integer = integer_type(self.program, *ty).is_some();
            // A wrapper is one of a few operations.
            if matches!(kind, ExprKind::Guard { .. }) {
                continue;
            }
            kind.for_each_operand(|operand| values.push(operand));
            if let ExprKind::Binary(op, left, right) = *kind
                && is_integer
                && self.program.is_integer(self.program.type_of(left))
                && self.program.is_integer(self.program.type_of(right))
                && self.choices.chance(ALTERED)
            {
                let op = self.other_operator(op);
                self.program[id].kind = ExprKind::Binary(op, left, right);
            }
        }
        copy
    }

    /// An operator of the same feature on the same types.
    fn other_operator(&mut self, op: BinaryOp) -> BinaryOp {
        use BinaryOp::*;
        let alike: &[BinaryOp] = match op {
            Add | Sub => &[Add, Sub],
            Div | Rem => &[Div, Rem],
            Shl | Shr => &[Shl, Shr],
            BitAnd | BitOr | BitXor => &[BitAnd, BitOr, BitXor],
            Less | Greater | LessEqual | GreaterEqual | Equal | NotEqual => {
                &[Less, Greater, LessEqual, GreaterEqual, Equal, NotEqual]
            }
            Mul => &[Mul],
        };
        self.choices.pick(alike)
    }
}
