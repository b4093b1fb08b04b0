//! Dresses of arrays of arrays.

use farrier_lang::print::Snippet;
use farrier_lang::{ExprId, ExprKind, Linkage, Qualifiers, Storage};

use super::arrays::{Candidate, Container, candidates, element_of};
use super::fitting::Fitting;

/// The rows of an array of arrays as vectors.
const ROWS: &str = "\
template <class T, std::size_t M, std::size_t N>
std::vector<std::vector<T>> farrier_rows(const std::array<std::array<T, M>, N> &from)
{
    std::vector<std::vector<T>> farrier_all;
    for (const std::array<T, M> &row : from)
        farrier_all.emplace_back(row.begin(), row.end());
    return farrier_all;
}
";

/// Makes containers of containers.
fn contain(fitting: &mut Fitting<'_>, container: Container) {
    for candidate in candidates(fitting, container, true) {
        let object = candidate.object;
        let (Some(name), true) = (fitting.name(object), fitting.takes_object(object)) else {
            continue;
        };
        let pieces = definition(fitting, &candidate, container, name);
        fitting.took(None);
        fitting.taken_objects.insert(object);
        fitting.spellings.object(object, pieces);
        for (at, mention) in fitting.facts.mentions_of(object).to_vec().into_iter().enumerate() {
            spell_use(fitting, mention, &candidate, name, at);
        }
    }
}

/// The definition of a container of containers.
fn definition(
    fitting: &mut Fitting<'_>,
    candidate: &Candidate,
    container: Container,
    name: &str,
) -> Vec<Snippet> {
    let &Candidate { object, element, length, columns, init } = candidate;
    let held = &fitting.program[object];
    let is_static = held.linkage == Linkage::Internal
        || held.linkage == Linkage::None && held.storage == Storage::Static;
    let storage = if is_static { "static " } else { "" };
    let columns = columns.expect("it has rows");
    let is_vector = container == Container::Vector;
    let own = if is_vector { format!("farrier_values_{name}") } else { name.to_owned() };
    let mut pieces: Vec<Snippet> = vec![
        format!("{storage}std::array<std::array<").into(),
        Snippet::Type(element),
        format!(", {columns}>, {length}> {own}").into(),
    ];
    match init {
        Some(init) => pieces.extend([" = {".into(), Snippet::Initialiser(init), "}".into()]),
        None if is_vector || element.qualifiers().contains(Qualifiers::CONST) => {
            pieces.push(" = {{}}".into());
        }
        None => {}
    }
    if is_vector {
        fitting.help(ROWS);
        pieces.extend([
            format!("; {storage}std::vector<std::vector<").into(),
            Snippet::Type(element),
            format!(">> {name} = farrier_rows({own})").into(),
        ]);
    }
    pieces
}

/// Spells one use: each form in turn.
fn spell_use(
    fitting: &mut Fitting<'_>,
    mention: ExprId,
    candidate: &Candidate,
    name: &str,
    at: usize,
) {
    fitting.mark(mention);
    let Some((element, first, second)) = element_of(fitting, mention) else {
        let Some(parent) = fitting.facts.parent(mention) else { return };
        let is_size = matches!(fitting.program[parent].kind, ExprKind::SizeofExpr(_));
        if is_size {
            let ty = fitting.program[candidate.object].ty;
            let pieces = vec!["sizeof(".into(), Snippet::Type(ty), ")".into()];
            fitting.spellings.expr(parent, pieces);
        }
        return;
    };
    let words = match at % 4 {
        0 => [format!("{name}["), "][".to_owned(), "]".to_owned()],
        1 => [format!("{name}.at("), ").at(".to_owned(), ")".to_owned()],
        2 => [format!("{name}.begin()["), "].at(".to_owned(), ")".to_owned()],
        _ => [format!("(*({name}.begin() + ("), ")))[".to_owned(), "]".to_owned()],
    };
    let [before, between, after] = words;
    let pieces = vec![
        before.into(),
        Snippet::Argument(first),
        between.into(),
        Snippet::Argument(second),
        after.into(),
    ];
    fitting.spellings.expr(element, pieces);
}

/// Arrays of arrays as `std::array` of `std::array`.
pub(super) fn arrays(fitting: &mut Fitting<'_>) {
    contain(fitting, Container::Array);
}

/// Arrays of arrays as `std::vector` of `std::vector`.
pub(super) fn vectors(fitting: &mut Fitting<'_>) {
    contain(fitting, Container::Vector);
}
