//! Algorithms of the library in the place of loops and assignments.

use farrier_lang::print::{Snippet, print_expr};
use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, ExprKind, IntKind, Linkage, ObjectId, Qualifiers, RecordKind,
    StepOp, Stmt, StmtId, Storage, Type, TypeId,
};

use super::expressions::captured;
use super::fitting::Fitting;
use super::flow::{has_label, is_open, leaves};

/// A loop over the first elements of an array, whose counter is only used to reach them.
struct Pass {
    /// The array, where it is named.
    array: ExprId,
    element: TypeId,
    /// How many elements it has.
    length: u64,
    /// The number of rounds.
    bound: ExprId,
    /// The elements in the body.
    elements: Vec<ExprId>,
    body: StmtId,
}

/// Whether an expression names an object, maybe converted.
fn is_object(fitting: &Fitting<'_>, expr: ExprId, object: ObjectId) -> bool {
    let found = fitting.explicit(expr);
    matches!(fitting.program[found].kind, ExprKind::Object(other) if other == object)
}

/// Whether an expression is a constant, or an object that is only ever read.
fn is_fixed(fitting: &Fitting<'_>, expr: ExprId) -> bool {
    let program = fitting.program;
    match program[fitting.explicit(expr)].kind {
        ExprKind::Int(_) => true,
        ExprKind::Object(object) => {
            let is_read = |mention: &ExprId| {
                let parent = fitting.facts.parent(*mention);
                parent.is_some_and(|parent| matches!(program[parent].kind, ExprKind::Load(_)))
            };
            let volatile = program[object].ty.qualifiers().contains(Qualifiers::VOLATILE);
            !volatile && fitting.facts.mentions_of(object).iter().all(is_read)
        }
        _ => false,
    }
}

/// The counter of a loop from zero in steps of one, and its bound.
fn counter(fitting: &Fitting<'_>, stmt: StmtId) -> Option<(ObjectId, ExprId, StmtId)> {
    let program = fitting.program;
    let Stmt::For { init, condition, step, body } = &program[stmt] else { return None };
    let &[first] = &init[..] else { return None };
    let Stmt::Declare(counter) = program[first] else { return None };
    let held = &program[counter];
    let zero = matches!(program[fitting.explicit(held.init?)].kind, ExprKind::Int(0));
    let ExprKind::Binary(BinaryOp::Less, left, bound) =
        program[fitting.explicit((*condition)?)].kind
    else {
        return None;
    };
    let step = fitting.explicit((*step)?);
    let stepped = match program[step].kind {
        ExprKind::Step(StepOp::PreIncrement | StepOp::PostIncrement, target) => target,
        ExprKind::CompoundAssign { op: BinaryOp::Add, target, value, .. }
            if matches!(program[fitting.explicit(value)].kind, ExprKind::Int(1)) =>
        {
            target
        }
        _ => return None,
    };
    let fits = zero
        && fitting.is_integer(held.ty)
        && !held.ty.qualifiers().contains(Qualifiers::VOLATILE)
        && !fitting.facts.bypassed.contains(&counter)
        && !fitting.taken_objects.contains(&counter)
        && is_object(fitting, left, counter)
        && is_object(fitting, stepped, counter)
        && is_fixed(fitting, bound);
    fits.then_some((counter, bound, *body))
}

/// Whether an expression is evaluated whenever the one around it is.
fn always_evaluates(fitting: &Fitting<'_>, around: ExprId, wanted: ExprId) -> bool {
    if around == wanted {
        return true;
    }
    match &fitting.program[around].kind {
        ExprKind::Unary(_, one)
        | ExprKind::Load(one)
        | ExprKind::Convert(one)
        | ExprKind::Cast(one) => always_evaluates(fitting, *one, wanted),
        ExprKind::Binary(_, one, two) | ExprKind::Assign(one, two) => {
            [one, two].into_iter().any(|one| always_evaluates(fitting, *one, wanted))
        }
        ExprKind::CompoundAssign { target, value, .. } => {
            [target, value].into_iter().any(|one| always_evaluates(fitting, *one, wanted))
        }
        ExprKind::Guard { operand, .. } => always_evaluates(fitting, *operand, wanted),
        ExprKind::Call(_, arguments) => {
            arguments.iter().any(|one| always_evaluates(fitting, *one, wanted))
        }
        _ => false,
    }
}

/// Whether an array is the same one in every round of a loop with this body.
fn is_steady(fitting: &Fitting<'_>, array: ExprId, body: StmtId) -> bool {
    let program = fitting.program;
    match program[array].kind {
        ExprKind::Object(object) => !fitting.heaps.contains(&object),
        ExprKind::Member(record, field) => {
            let Type::Record(id) = *program.resolve(program.type_of(record)) else { return false };
            let own = &program[id];
            let is_packed = own.packed
                || own.pack.is_some()
                || own.fields.as_ref().is_some_and(|fields| fields[field as usize].packed);
            // A reference may not lead to an object out of line, or past a union.
            own.kind == RecordKind::Struct && !is_packed && is_steady(fitting, record, body)
        }
        ExprKind::Index(base, index) => {
            let ExprKind::Decay(outer) = program[base].kind else { return false };
            let index = fitting.explicit(index);
            let is_steady_index = match program[index].kind {
                ExprKind::Int(_) => true,
                ExprKind::Object(object) => keeps(fitting, object, body),
                _ => false,
            };
            is_steady_index && is_steady(fitting, outer, body)
        }
        _ => false,
    }
}

/// Whether a statement keeps the value of an object: it only reads it, and no pointer leads there.
fn keeps(fitting: &Fitting<'_>, object: ObjectId, body: StmtId) -> bool {
    let program = fitting.program;
    let is_inside = |mention: ExprId| {
        let mut at = fitting.facts.owner(mention);
        while let Some(stmt) = at {
            if stmt == body {
                return true;
            }
            at = fitting.facts.around.get(&stmt).copied();
        }
        false
    };
    let is_local = program[object].linkage == Linkage::None;
    let volatile = program[object].ty.qualifiers().contains(Qualifiers::VOLATILE);
    let mut mentions = fitting.facts.mentions_of(object).iter();
    is_local
        && !volatile
        && mentions.all(|mention| {
            let around = fitting.facts.parent(*mention).map(|parent| &program[parent].kind);
            match around {
                Some(ExprKind::Load(_)) => true,
                None | Some(ExprKind::AddressOf(_)) => false,
                Some(_) => !is_inside(*mention),
            }
        })
}

/// The pass over an array that a loop is. Every round reaches its element, so there are no more
/// rounds than elements.
fn pass(fitting: &Fitting<'_>, stmt: StmtId) -> Option<Pass> {
    let program = fitting.program;
    let (counter, bound, body) = counter(fitting, stmt)?;
    if has_label(program, body) || leaves(program, body) || !is_open(fitting, stmt) {
        return None;
    }
    let Stmt::For { condition, step, .. } = &program[stmt] else { return None };
    let in_head = |mention: ExprId| {
        let mut outermost = mention;
        while let Some(parent) = fitting.facts.parent(outermost) {
            outermost = parent;
        }
        Some(outermost) == *condition || Some(outermost) == *step
    };
    let mut elements = Vec::new();
    let mut named: Option<(ExprId, String)> = None;
    for &mention in fitting.facts.mentions_of(counter) {
        if in_head(mention) {
            continue;
        }
        // Up through the conversions of the index.
        let mut index = mention;
        let element = loop {
            let parent = fitting.facts.parent(index)?;
            match program[parent].kind {
                ExprKind::Load(_) | ExprKind::Convert(_) => index = parent,
                ExprKind::Index(_, found) if found == index => break parent,
                _ => return None,
            }
        };
        let ExprKind::Index(base, _) = program[element].kind else { return None };
        let ExprKind::Decay(array) = program[base].kind else { return None };
        let around = fitting.facts.parent(element).map(|around| &program[around].kind);
        let text = print_expr(program, array);
        if !is_steady(fitting, array, body)
            || named.as_ref().is_some_and(|(_, other)| *other != text)
            || fitting.facts.is_frozen(element)
            || matches!(around, Some(ExprKind::AddressOf(_)))
        {
            return None;
        }
        named.get_or_insert((array, text));
        elements.push(element);
    }
    let (array, _) = named?;
    let &Type::Array { element, length: ArrayLength::Fixed(length) } =
        program.resolve(program.type_of(array))
    else {
        return None;
    };
    let plain = fitting.is_number(element) && !element.qualifiers().contains(Qualifiers::VOLATILE);
    let first = match &program[body] {
        Stmt::Block(list) => *list.first()?,
        _ => body,
    };
    let Stmt::Expr(expr) = program[first] else { return None };
    let reaches = elements.iter().any(|element| always_evaluates(fitting, expr, *element));
    (plain && reaches).then_some(Pass { array, element, length, bound, elements, body })
}

/// The first elements of a range. A container may be no larger than its compiler knows.
const PART: &str = "\
template <class I> struct farrier_range {
    I first;
    I last;
    I begin() const { return first; }
    I end() const { return last; }
};
template <class I> farrier_range<I> farrier_part(I first, long long rounds)
{
    farrier_range<I> range = {first, first + (rounds > 0 ? rounds : 0)};
    return range;
}
";

/// `std::begin(array), rounds`
fn part(pass: &Pass) -> Vec<Snippet> {
    vec![
        "farrier_part(std::begin(".into(),
        Snippet::Postfix(pass.array),
        "), static_cast<long long>(".into(),
        Snippet::Argument(pass.bound),
        "))".into(),
    ]
}

/// Loops over an array as range-based ones.
pub(super) fn element_loops(fitting: &mut Fitting<'_>) {
    for (stmt, function) in fitting.facts.stmts.clone() {
        let Some(pass) = pass(fitting, stmt) else { continue };
        if fitting.is_evaluated(function) || pass.length == 0 || !fitting.takes_in(function) {
            continue;
        }
        fitting.help(PART);
        let name = element_name(fitting, &pass);
        let mut pieces: Vec<Snippet> = vec![format!("for (auto &{name} : ").into()];
        pieces.extend(part(&pass));
        pieces.extend([")\n".into(), Snippet::Stmt(pass.body)]);
        fitting.spellings.stmt(stmt, pieces);
        fitting.took(Some(stmt));
        for element in pass.elements {
            fitting.spellings.expr(element, vec![name.clone().into()]);
            fitting.renamed.insert(element);
            fitting.mark(element);
        }
    }
}

/// A name for the element of a pass that no loop around it has.
fn element_name(fitting: &Fitting<'_>, pass: &Pass) -> String {
    let ExprKind::Index(_, index) = fitting.program[pass.elements[0]].kind else {
        unreachable!("an element is one")
    };
    let counter = match fitting.program[fitting.explicit(index)].kind {
        ExprKind::Object(object) => fitting.name(object),
        _ => None,
    };
    format!("farrier_at_{}", counter.unwrap_or_default())
}

/// The number that the body of a loop changes, with the assignment.
fn sum(fitting: &Fitting<'_>, pass: &Pass) -> Option<(ObjectId, ExprId)> {
    let program = fitting.program;
    let only = match &program[pass.body] {
        Stmt::Block(list) => match &list[..] {
            &[only] => only,
            _ => return None,
        },
        _ => pass.body,
    };
    let Stmt::Expr(assignment) = program[only] else { return None };
    let (target, value) = match program[assignment].kind {
        ExprKind::Assign(target, value) | ExprKind::CompoundAssign { target, value, .. } => {
            (target, value)
        }
        _ => return None,
    };
    let ExprKind::Object(object) = program[target].kind else { return None };
    let held = &program[object];
    let is_bool = matches!(program.resolve(held.ty), Type::Int(IntKind::Bool));
    let plain = fitting.is_integer(held.ty)
        && !is_bool
        && held.ty.qualifiers().is_empty()
        && !fitting.spellings.has_expr(assignment)
        && !fitting.boxed.contains(&object);
    let mut captures = Vec::new();
    captured(fitting, value, &mut captures)?;
    // A call may use what is visible elsewhere.
    let is_hidden = held.linkage == Linkage::None && held.storage == Storage::Automatic && {
        let mut mentions = fitting.facts.mentions_of(object).iter();
        mentions.all(|mention| {
            let around = fitting.facts.parent(*mention).map(|parent| &program[parent].kind);
            !matches!(around, None | Some(ExprKind::AddressOf(_)))
        })
    };
    (plain && (is_hidden || !program.has_effect(value))).then_some((object, assignment))
}

/// Loops that sum up as `std::accumulate`.
pub(super) fn sums(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for (stmt, function) in fitting.facts.stmts.clone() {
        let Some(pass) = pass(fitting, stmt) else { continue };
        let Some((object, assignment)) = sum(fitting, &pass) else { continue };
        // The function sees the object by another name, and nothing else may be changed.
        let mentions = fitting.facts.mentions_of(object).to_vec();
        let inside: Vec<ExprId> = mentions
            .into_iter()
            .filter(|mention| is_inside(fitting, *mention, assignment))
            .collect();
        let is_number = |mention: &ExprId| {
            let parent = fitting.facts.parent(*mention);
            let kind = parent.map(|parent| &program[parent].kind);
            matches!(kind, Some(ExprKind::Load(_))) || parent == Some(assignment)
        };
        let Some(name) = fitting.object_text(object) else { continue };
        if fitting.is_evaluated(function)
            || !inside.iter().all(is_number)
            || !fitting.takes_in(function)
        {
            continue;
        }
        fitting.help(PART);
        let element = element_name(fitting, &pass);
        let ty = program[object].ty.unqualified();
        let mut pieces: Vec<Snippet> = vec!["{ const auto farrier_all = ".into()];
        pieces.extend(part(&pass));
        pieces.extend([
            format!(
                "; {name} = std::accumulate(farrier_all.begin(), farrier_all.end(), {name}, [&]("
            )
            .into(),
            Snippet::Type(ty),
            " farrier_sum, const ".into(),
            Snippet::Type(pass.element.unqualified()),
            format!(" &{element}) -> ").into(),
            Snippet::Type(ty),
            " { return ".into(),
            Snippet::Argument(assignment),
            "; }); }\n".into(),
        ]);
        fitting.spellings.stmt(stmt, pieces);
        fitting.took(Some(stmt));
        for mention in inside {
            fitting.spellings.expr(mention, vec!["farrier_sum".into()]);
            fitting.renamed.insert(mention);
        }
        for element_of in pass.elements {
            fitting.spellings.expr(element_of, vec![element.clone().into()]);
            fitting.renamed.insert(element_of);
        }
    }
}

/// Whether an expression is a part of another.
fn is_inside(fitting: &Fitting<'_>, expr: ExprId, around: ExprId) -> bool {
    let mut at = Some(expr);
    while let Some(found) = at {
        if found == around {
            return true;
        }
        at = fitting.facts.parent(found);
    }
    false
}

/// An assignment of a number to an object or to an element of an array, as a statement.
fn plain_assignment(fitting: &Fitting<'_>, stmt: StmtId) -> Option<(ExprId, ExprId, ExprId)> {
    let program = fitting.program;
    let Stmt::Expr(assignment) = program[stmt] else { return None };
    let ExprKind::Assign(target, value) = program[assignment].kind else { return None };
    let object = match program[target].kind {
        ExprKind::Object(object) => object,
        ExprKind::Index(base, _) => match program[base].kind {
            ExprKind::Decay(array) => match program[array].kind {
                ExprKind::Object(object) => object,
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    let ty = program.type_of(target);
    let plain = fitting.is_number(ty)
        && ty.qualifiers().is_empty()
        && !fitting.boxed.contains(&object)
        && !fitting.spellings.has_expr(assignment)
        && is_open(fitting, stmt);
    plain.then_some((assignment, target, value))
}

/// Assignments as `std::exchange`.
pub(super) fn exchanges(fitting: &mut Fitting<'_>) {
    for (stmt, function) in fitting.facts.stmts.clone() {
        let Some((assignment, target, value)) = plain_assignment(fitting, stmt) else { continue };
        if fitting.is_evaluated(function)
            || fitting.facts.is_frozen(assignment)
            || !fitting.takes_in(function)
        {
            continue;
        }
        let mut pieces = vec!["std::exchange(".into(), Snippet::Argument(target), ", ".into()];
        pieces.extend(fitting.cast_to(fitting.program.type_of(target), value));
        pieces.push(")".into());
        fitting.spell(assignment, pieces);
    }
}

/// Assignments as `std::swap` with a new object.
pub(super) fn swaps(fitting: &mut Fitting<'_>) {
    for (stmt, function) in fitting.facts.stmts.clone() {
        let Some((assignment, target, value)) = plain_assignment(fitting, stmt) else { continue };
        if fitting.is_evaluated(function)
            || fitting.facts.is_frozen(assignment)
            || fitting.facts.values.contains(&fitting.facts.around[&stmt])
            || !fitting.takes_in(function)
        {
            continue;
        }
        let ty = fitting.program.type_of(target).unqualified();
        let pieces = vec![
            "{ ".into(),
            Snippet::Type(ty),
            " farrier_new = ".into(),
            Snippet::Argument(value),
            "; std::swap(".into(),
            Snippet::Argument(target),
            ", farrier_new); }\n".into(),
        ];
        fitting.spellings.stmt(stmt, pieces);
        fitting.took(Some(stmt));
    }
}
