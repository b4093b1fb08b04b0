//! Local numbers in the keeping of objects of the library, and on the heap.

use farrier_lang::print::Snippet;
use farrier_lang::{ExprId, Stmt, StmtId, TypeId};

use super::fitting::Fitting;
use super::flow::leaves;
use super::objects::{Local, define, local_numbers};

/// How an object keeps a number. `@T` stands for the type of the number, `@N` for the name of the
/// object, and `@V` for the value.
struct Holder {
    /// The definition of the object.
    object: &'static str,
    /// The number in it, as a place.
    place: &'static str,
}

/// A text with its marks replaced.
fn filled(
    fitting: &Fitting<'_>,
    text: &str,
    kept: &str,
    value: Option<(TypeId, ExprId)>,
) -> Vec<Snippet> {
    let mut pieces: Vec<Snippet> = Vec::new();
    let mut words = text.split('@');
    pieces.push(words.next().unwrap_or_default().to_owned().into());
    for word in words {
        let (mark, rest) = word.split_at(1);
        match (mark, value) {
            ("T", Some((ty, _))) => pieces.push(Snippet::Type(ty.unqualified())),
            ("V", Some((ty, value))) => pieces.extend(fitting.cast_to(ty, value)),
            _ => pieces.push(kept.to_owned().into()),
        }
        pieces.push(rest.to_owned().into());
    }
    pieces
}

/// Whether objects with destructors may stand where a local object does.
fn may_hold(fitting: &Fitting<'_>, local: &Local) -> bool {
    !local.in_head
        && !fitting.is_evaluated(local.function)
        && !fitting.facts.labelled.contains(&local.function)
}

/// Keeps local numbers in objects, to which references lead.
fn hold(fitting: &mut Fitting<'_>, holder: &Holder) {
    for local in local_numbers(fitting) {
        if !may_hold(fitting, &local) {
            continue;
        }
        let (Some(name), true) = (fitting.name(local.object), fitting.takes_object(local.object))
        else {
            continue;
        };
        let ty = fitting.program[local.object].ty;
        let kept = format!("farrier_kept_{name}");
        let value = Some((ty, local.init));
        let mut pieces = filled(fitting, holder.object, &kept, value);
        pieces.extend(["; ".into(), Snippet::Declared(ty, format!("&{name}")), " = ".into()]);
        pieces.extend(filled(fitting, holder.place, &kept, value));
        define(fitting, &local, pieces);
    }
}

/// In a `std::shared_ptr`.
pub(super) fn shared(fitting: &mut Fitting<'_>) {
    let object = "std::shared_ptr<@T> @N(std::make_shared<@T>(@V))";
    hold(fitting, &Holder { object, place: "*@N" });
}

/// In a `std::optional`.
pub(super) fn optionals(fitting: &mut Fitting<'_>) {
    hold(fitting, &Holder { object: "std::optional<@T> @N(@V)", place: "*@N" });
}

/// In a `std::variant`.
pub(super) fn variants(fitting: &mut Fitting<'_>) {
    let object = "std::variant<std::monostate, @T> @N(std::in_place_index<1>, @V)";
    hold(fitting, &Holder { object, place: "std::get<1>(@N)" });
}

/// In a `std::any`.
pub(super) fn anything(fitting: &mut Fitting<'_>) {
    let object = "std::any @N = std::any(@V)";
    hold(fitting, &Holder { object, place: "*std::any_cast<@T>(&@N)" });
}

/// In a `std::pair`.
pub(super) fn pairs(fitting: &mut Fitting<'_>) {
    let object = "std::pair<char, @T> @N = std::make_pair('a', @V)";
    hold(fitting, &Holder { object, place: "@N.second" });
}

/// In a `std::tuple`.
pub(super) fn tuples(fitting: &mut Fitting<'_>) {
    let object = "std::tuple<char, @T, long> @N('a', @V, 1)";
    hold(fitting, &Holder { object, place: "std::get<1>(@N)" });
}

/// In a `std::map`.
pub(super) fn maps(fitting: &mut Fitting<'_>) {
    let object = "std::map<int, @T> @N = {{1, @V}, {0, 0}}";
    hold(fitting, &Holder { object, place: "@N.at(1)" });
}

/// In a `std::list`.
pub(super) fn lists(fitting: &mut Fitting<'_>) {
    hold(fitting, &Holder { object: "std::list<@T> @N(2, @V)", place: "@N.back()" });
}

/// In a `std::deque`.
pub(super) fn deques(fitting: &mut Fitting<'_>) {
    hold(fitting, &Holder { object: "std::deque<@T> @N(3, @V)", place: "@N[1]" });
}

/// Where other memory was before, by a placement `new`.
pub(super) fn placed(fitting: &mut Fitting<'_>) {
    let object = "alignas(@T) unsigned char @N[sizeof(@T)]";
    hold(fitting, &Holder { object, place: "*new (@N) @T(@V)" });
}

/// `int &x = *new int(...)`, and `delete` at the end of the block.
pub(super) fn deleted(fitting: &mut Fitting<'_>) {
    let program = fitting.program;
    for local in local_numbers(fitting) {
        let Some(last) = last_of(fitting, local.stmt) else { continue };
        if !may_hold(fitting, &local) {
            continue;
        }
        let (Some(name), true) = (fitting.name(local.object), fitting.takes_object(local.object))
        else {
            continue;
        };
        let ty = program[local.object].ty;
        let mut pieces = vec![
            Snippet::Declared(ty, format!("&{name}")),
            " = *new ".into(),
            Snippet::Type(ty.unqualified()),
            "(".into(),
        ];
        pieces.extend(fitting.cast_to(ty, local.init));
        pieces.push(")".into());
        define(fitting, &local, pieces);
        let end = vec![Snippet::Plain, format!("delete &{name};\n").into()];
        fitting.spellings.stmt(last, end);
    }
}

/// The last statement of the block of a declaration, if only its end leads out of the block.
fn last_of(fitting: &Fitting<'_>, stmt: StmtId) -> Option<StmtId> {
    let program = fitting.program;
    let Stmt::Block(list) = &program[*fitting.facts.around.get(&stmt)?] else { return None };
    let at = list.iter().position(|found| *found == stmt)?;
    let (rest, last) = (&list[at + 1..], *list.last()?);
    let stays = !rest.is_empty() && rest.iter().all(|stmt| !leaves(program, *stmt));
    // What a declaration declares would not be there in time.
    let plain = matches!(program[last], Stmt::Expr(_)) && !is_value_of_block(fitting, stmt);
    (stays && plain).then_some(last)
}

/// Whether the last statement of the block around a statement is the value of an expression.
fn is_value_of_block(fitting: &Fitting<'_>, stmt: StmtId) -> bool {
    let block = fitting.facts.around.get(&stmt);
    block.is_none_or(|block| fitting.facts.values.contains(block))
}
