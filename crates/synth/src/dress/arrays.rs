//! Dresses of arrays: the containers of the library.

use farrier_lang::print::Snippet;
use farrier_lang::{
    ArrayLength, Entity, ExprId, ExprKind, IntKind, Item, Linkage, ObjectId, Qualifiers, Stmt,
    Storage, Type, TypeId,
};

use super::fitting::Fitting;

/// An array that may become a container.
struct Candidate {
    object: ObjectId,
    element: TypeId,
    length: u64,
    init: Option<ExprId>,
}

/// What an array becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Array,
    Vector,
    Valarray,
}

/// The arrays of numbers of which only elements, pointers and the size are used.
fn candidates(fitting: &Fitting<'_>, container: Container) -> Vec<Candidate> {
    let program = fitting.program;
    let mut found = Vec::new();
    let locals = fitting.facts.stmts.iter().filter_map(|(stmt, function)| match program[*stmt] {
        Stmt::Declare(object) => Some((object, Some(*function))),
        _ => None,
    });
    let globals = fitting.facts.globals.iter().map(|(object, _)| (*object, None));
    for (object, function) in globals.chain(locals) {
        let held = &program[object];
        let &Type::Array { element, length: ArrayLength::Fixed(length) } = program.resolve(held.ty)
        else {
            continue;
        };
        let is_forward = program.items.contains(&Item::Declare(Entity::Object(object)));
        let is_string =
            held.init.is_some_and(|init| matches!(program[init].kind, ExprKind::String(_)));
        let is_bool = matches!(program.resolve(element), Type::Int(IntKind::Bool));
        let is_static = matches!(held.storage, Storage::Static);
        let jumps = function.is_some_and(|function| fitting.facts.labelled.contains(&function))
            && !is_static;
        let simple = container == Container::Array;
        let is_evaluated = function.is_some_and(|function| fitting.is_evaluated(function));
        if length == 0
            || is_evaluated
            || !fitting.is_number(element)
            || element.qualifiers().contains(Qualifiers::VOLATILE)
            || !simple && (element.qualifiers().contains(Qualifiers::CONST) || is_bool || jumps)
            || is_forward
            || is_string
            || !matches!(held.storage, Storage::Static | Storage::Automatic)
            || held.align.is_some()
            || !held.attributes.is_empty()
            || held.asm_name.is_some()
            || fitting.facts.bypassed.contains(&object)
            || fitting.taken_objects.contains(&object)
            || !fitting.facts.mentions_of(object).iter().all(|use_| is_simple(fitting, *use_))
        {
            continue;
        }
        found.push(Candidate { object, element, length, init: held.init });
    }
    found
}

/// Whether an array is used as a pointer or for its size, and not in assembly.
fn is_simple(fitting: &Fitting<'_>, mention: ExprId) -> bool {
    let in_assembly = fitting
        .facts
        .owner(mention)
        .is_some_and(|owner| matches!(fitting.program[owner], Stmt::Asm(_) | Stmt::Hinted { .. }));
    let around = fitting.facts.parent(mention).map(|parent| &fitting.program[parent].kind);
    !in_assembly && matches!(around, Some(ExprKind::Decay(_) | ExprKind::SizeofExpr(_)))
}

/// Makes containers of arrays.
fn contain(fitting: &mut Fitting<'_>, container: Container) {
    for candidate in candidates(fitting, container) {
        let Candidate { object, element, length, init } = candidate;
        let (Some(name), true) = (fitting.name(object), fitting.takes_object(object)) else {
            continue;
        };
        let held = &fitting.program[object];
        let is_static = held.linkage == Linkage::Internal
            || held.linkage == Linkage::None && held.storage == Storage::Static;
        let storage = if is_static { "static " } else { "" };
        let array = |pieces: &mut Vec<Snippet>, name: &str| {
            pieces.extend([
                "std::array<".into(),
                Snippet::Type(element),
                format!(", {length}> {name}").into(),
            ]);
            match init {
                Some(init) => {
                    pieces.extend([" = {".into(), Snippet::Initialiser(init), "}".into()]);
                }
                None if element.qualifiers().contains(Qualifiers::CONST)
                    || container != Container::Array =>
                {
                    pieces.push(" = {{}}".into());
                }
                None => {}
            }
        };
        let mut pieces: Vec<Snippet> = vec![storage.into()];
        let from = format!("farrier_values_{name}");
        match container {
            Container::Array => array(&mut pieces, name),
            Container::Vector | Container::Valarray => {
                array(&mut pieces, &from);
                let (kind, arguments) = match container {
                    Container::Vector => ("std::vector<", format!("{from}.begin(), {from}.end()")),
                    _ => ("std::valarray<", format!("{from}.data(), {length}")),
                };
                pieces.extend([
                    format!("; {storage}{kind}").into(),
                    Snippet::Type(element),
                    format!("> {name}({arguments})").into(),
                ]);
            }
        }
        fitting.took(None);
        fitting.taken_objects.insert(object);
        fitting.spellings.object(object, pieces);
        for (at, mention) in fitting.facts.mentions_of(object).to_vec().into_iter().enumerate() {
            spell_use(fitting, mention, object, container, at);
        }
    }
}

/// Spells one use of a container.
fn spell_use(
    fitting: &mut Fitting<'_>,
    mention: ExprId,
    object: ObjectId,
    container: Container,
    at: usize,
) {
    let program = fitting.program;
    let Some(name) = fitting.name(object) else { return };
    let Some(parent) = fitting.facts.parent(mention) else { return };
    fitting.mark(mention);
    if let ExprKind::SizeofExpr(_) = program[parent].kind {
        let pieces = vec!["sizeof(".into(), Snippet::Type(program[object].ty), ")".into()];
        return fitting.spellings.expr(parent, pieces);
    }
    let data = match container {
        Container::Array | Container::Vector => format!("{name}.data()"),
        Container::Valarray => format!("(&{name}[0])"),
    };
    let around = fitting.facts.parent(parent);
    let element = around.filter(|around| {
        let is_base = matches!(program[*around].kind, ExprKind::Index(base, _) if base == parent);
        // The address of the element after the last one is no element.
        let outer = fitting.facts.parent(*around).map(|outer| &program[outer].kind);
        is_base && !matches!(outer, Some(ExprKind::AddressOf(_)))
    });
    let Some(element) = element else {
        return fitting.spellings.expr(parent, vec![data.into()]);
    };
    let ExprKind::Index(_, index) = program[element].kind else { return };
    // Each in turn, so that every form occurs.
    let (before, after): (String, &str) = match (container, at % 4) {
        (Container::Valarray, _) | (_, 0) => (format!("{name}["), "]"),
        (_, 1) => (format!("{name}.at("), ")"),
        (_, 2) => (format!("{name}.begin()["), "]"),
        _ => (format!("(*({name}.begin() + "), "))"),
    };
    let operand = if at % 4 == 3 { Snippet::Postfix(index) } else { Snippet::Argument(index) };
    fitting.spellings.expr(element, vec![before.into(), operand, after.into()]);
}

/// Arrays as `std::array`.
pub(super) fn arrays(fitting: &mut Fitting<'_>) {
    contain(fitting, Container::Array);
}

/// Arrays as `std::vector`.
pub(super) fn vectors(fitting: &mut Fitting<'_>) {
    contain(fitting, Container::Vector);
}

/// Arrays as `std::valarray`.
pub(super) fn valarrays(fitting: &mut Fitting<'_>) {
    contain(fitting, Container::Valarray);
}
