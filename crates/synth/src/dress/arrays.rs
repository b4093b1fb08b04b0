//! Dresses of arrays: the containers of the library.

use farrier_lang::print::Snippet;
use farrier_lang::{
    ArrayLength, Entity, ExprId, ExprKind, InitPlace, IntKind, Item, Linkage, ObjectId, Qualifiers,
    Stmt, Storage, Symbol, Type, TypeId,
};

use super::fitting::Fitting;

/// An array that may become a container.
pub(super) struct Candidate {
    pub(super) object: ObjectId,
    pub(super) element: TypeId,
    pub(super) length: u64,
    /// The length of the arrays that are its elements.
    pub(super) columns: Option<u64>,
    pub(super) init: Option<ExprId>,
}

/// What an array becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Array,
    /// A `std::array` whose values are sorted into their places.
    Sorted,
    Vector,
    Valarray,
    /// What `new` makes of an array.
    Heap,
}

/// The values of an array in another order, each with its place, and a function that sorts them.
const SORTED: &str = "\
template <class T, std::size_t N>
std::array<T, N> farrier_sorted(std::array<std::pair<int, T>, N> farrier_pairs)
{
    typedef std::pair<int, T> farrier_pair;
    std::sort(farrier_pairs.begin(), farrier_pairs.end(),
              [](const farrier_pair &a, const farrier_pair &b) { return a.first < b.first; });
    std::array<T, N> farrier_values{};
    for (const farrier_pair &one : farrier_pairs)
        farrier_values[one.first] = one.second;
    return farrier_values;
}
";

/// How many values are sorted at most.
const MOST_SORTED: u64 = 64;

/// The values of an initialiser by place; `None` if one is for several places.
fn values(fitting: &Fitting<'_>, candidate: &Candidate) -> Option<Vec<Option<ExprId>>> {
    let ExprKind::InitList(items) = &fitting.program[candidate.init?].kind else { return None };
    let mut found = vec![None; candidate.length as usize];
    for item in items {
        match item.place {
            InitPlace::Elements { first, last } if first == last => {
                *found.get_mut(first as usize)? = Some(item.value);
            }
            _ => return None,
        }
    }
    Some(found)
}

/// The definition of an array whose values are sorted into their places, without its name.
fn sorted(fitting: &mut Fitting<'_>, candidate: &Candidate, name: Symbol) -> Option<Vec<Snippet>> {
    let &Candidate { element, length, .. } = candidate;
    let values = values(fitting, candidate)?;
    let mut order: Vec<usize> = (0..values.len()).collect();
    for at in 1..order.len() {
        let other = fitting.draw(name) as usize % (at + 1);
        order.swap(at, other);
    }
    fitting.help(SORTED);
    let mut pieces = vec!["farrier_sorted<".into(), Snippet::Type(element)];
    pieces.push(format!(", {length}>({{{{").into());
    for (at, place) in order.into_iter().enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        pieces.extend([format!("{comma}std::pair<int, ").into(), Snippet::Type(element)]);
        pieces.push(format!(">({place}, ").into());
        match values[place] {
            Some(value) => pieces.extend(fitting.cast_to(element, value)),
            None => pieces.push("0".into()),
        }
        pieces.push(")".into());
    }
    pieces.push("}})".into());
    Some(pieces)
}

/// The arrays of numbers, or of arrays of numbers, of which only elements, pointers and the size
/// are used.
pub(super) fn candidates(
    fitting: &Fitting<'_>,
    container: Container,
    is_grid: bool,
) -> Vec<Candidate> {
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
        let (element, columns) = match *program.resolve(element) {
            Type::Array { element, length: ArrayLength::Fixed(columns) } => {
                (element, Some(columns))
            }
            _ => (element, None),
        };
        let is_forward = program.items.contains(&Item::Declare(Entity::Object(object)));
        let is_string =
            held.init.is_some_and(|init| matches!(program[init].kind, ExprKind::String(_)));
        let is_bool = matches!(program.resolve(element), Type::Int(IntKind::Bool));
        let is_static = matches!(held.storage, Storage::Static);
        let jumps = function.is_some_and(|function| fitting.facts.labelled.contains(&function))
            && !is_static;
        let simple = container == Container::Array;
        let jumps = jumps && container != Container::Sorted;
        let is_evaluated = function.is_some_and(|function| fitting.is_evaluated(function));
        if length == 0
            || columns.is_some() != is_grid
            || columns == Some(0)
            || container == Container::Sorted && length > MOST_SORTED
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
            || !fitting.facts.mentions_of(object).iter().all(|mention| {
                is_simple(fitting, *mention) && (!is_grid || is_element(fitting, *mention))
            })
        {
            continue;
        }
        found.push(Candidate { object, element, length, columns, init: held.init });
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

/// The element of an array of arrays that is reached from where it is named, with its subscripts.
pub(super) fn element_of(
    fitting: &Fitting<'_>,
    mention: ExprId,
) -> Option<(ExprId, ExprId, ExprId)> {
    let program = fitting.program;
    let subscripted = |place: ExprId| {
        let decay = fitting.facts.parent(place)?;
        let index = fitting.facts.parent(decay)?;
        match program[index].kind {
            ExprKind::Index(base, subscript) if base == decay => Some((index, subscript)),
            _ => None,
        }
    };
    let (row, first) = subscripted(mention)?;
    let (element, second) = subscripted(row)?;
    let outer = fitting.facts.parent(element).map(|outer| &program[outer].kind);
    let is_address = matches!(outer, Some(ExprKind::AddressOf(_)));
    (!is_address).then_some((element, first, second))
}

/// Whether a mention of an array of arrays reaches an element, or asks for its size.
fn is_element(fitting: &Fitting<'_>, mention: ExprId) -> bool {
    let around = fitting.facts.parent(mention).map(|parent| &fitting.program[parent].kind);
    matches!(around, Some(ExprKind::SizeofExpr(_))) || element_of(fitting, mention).is_some()
}

/// Makes containers of arrays.
fn contain(fitting: &mut Fitting<'_>, container: Container) {
    for candidate in candidates(fitting, container, false) {
        let object = candidate.object;
        let Some(symbol) = fitting.program[object].name else { continue };
        if container == Container::Sorted && values(fitting, &candidate).is_none()
            || !fitting.takes_object(object)
        {
            continue;
        }
        let Some(pieces) = definition(fitting, &candidate, container, symbol) else { continue };
        fitting.took(None);
        fitting.taken_objects.insert(object);
        if container == Container::Heap {
            fitting.heaps.insert(object);
        }
        fitting.spellings.object(object, pieces);
        for (at, mention) in fitting.facts.mentions_of(object).to_vec().into_iter().enumerate() {
            spell_use(fitting, mention, object, container, at);
        }
    }
}

/// The definition of a container.
fn definition(
    fitting: &mut Fitting<'_>,
    candidate: &Candidate,
    container: Container,
    symbol: Symbol,
) -> Option<Vec<Snippet>> {
    let &Candidate { object, element, length, init, .. } = candidate;
    let name = fitting.program.text(symbol);
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
        Container::Sorted => {
            pieces.extend([
                "std::array<".into(),
                Snippet::Type(element),
                format!(", {length}> {name} = ").into(),
            ]);
            pieces.extend(sorted(fitting, candidate, symbol)?);
        }
        Container::Heap => {
            // A reference keeps what `new` has made, so that nothing is destroyed before `main`
            // has returned.
            let is_kept = is_static || held.linkage != Linkage::None;
            pieces.extend(["std::unique_ptr<".into(), Snippet::Type(element)]);
            pieces.push(format!("[]> {}{name}", if is_kept { "&" } else { "" }).into());
            if is_kept {
                pieces.extend([
                    " = *new std::unique_ptr<".into(),
                    Snippet::Type(element),
                    "[]>".into(),
                ]);
            }
            pieces.extend(["(new ".into(), Snippet::Type(element), format!("[{length}]").into()]);
            pieces.push(init.map_or("{}".into(), Snippet::Initialiser));
            pieces.push(")".into());
        }
        Container::Vector
            if is_listed(fitting, candidate) && fitting.draw(symbol).is_multiple_of(2) =>
        {
            let init = init.expect("it is a list");
            pieces.extend([
                "std::vector<".into(),
                Snippet::Type(element),
                format!("> {name} = ").into(),
                Snippet::Initialiser(init),
            ]);
        }
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
    Some(pieces)
}

/// Whether an initialiser has a value for each place.
fn is_listed(fitting: &Fitting<'_>, candidate: &Candidate) -> bool {
    values(fitting, candidate).is_some_and(|values| values.iter().all(Option::is_some))
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
        Container::Array | Container::Sorted | Container::Vector => format!("{name}.data()"),
        Container::Heap => format!("{name}.get()"),
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
        (Container::Valarray | Container::Heap, _) | (_, 0) => (format!("{name}["), "]"),
        (_, 1) => (format!("{name}.at("), ")"),
        (_, 2) => (format!("{name}.begin()["), "]"),
        _ => (format!("(*({name}.begin() + "), "))"),
    };
    let operand = if after == "))" { Snippet::Postfix(index) } else { Snippet::Argument(index) };
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

/// Arrays as `std::array` whose values `std::sort` puts into their places.
pub(super) fn sorted_arrays(fitting: &mut Fitting<'_>) {
    contain(fitting, Container::Sorted);
}

/// Arrays that `new` makes, with an owner.
pub(super) fn heap_arrays(fitting: &mut Fitting<'_>) {
    contain(fitting, Container::Heap);
}
