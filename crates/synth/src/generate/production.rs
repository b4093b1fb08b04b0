//! Tables of productions: one row for each form that drafting can choose.

use super::draft::{Context, Draft};
use super::values::Class;
use crate::features::{Feature, Weights};

/// The most rows of one table.
const MOST_ROWS: usize = 64;

/// How much rarer a row is in a context that prefers others.
const RARE: u32 = 24;

/// One form that drafting can choose, at a site `S`, to make a `T`.
pub(super) struct Production<S, T> {
    pub(super) rate: Rate,
    /// The classes of values that it can have; empty for what has no value.
    pub(super) makes: &'static [Class],
    /// Whether it can stand here at all.
    pub(super) gate: fn(&Draft<'_>, S) -> bool,
    /// Draws it; `None` if what it needs was not found.
    pub(super) draw: fn(&mut Draft<'_>, S) -> Option<T>,
    /// The contexts that prefer it. In others it is rare.
    pub(super) affinity: &'static [Context],
}

/// How often a row is chosen, in relation to the others of its table.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rate {
    /// As often as the weight of its feature says; never if the feature is off.
    Of(Feature),
    /// So many percent of that, where a feature has several rows.
    Part(Feature, u32),
    /// The same in every program.
    Always(u32),
}

impl Rate {
    fn weight(self, weights: &Weights) -> u32 {
        match self {
            Self::Of(feature) => weights.weight(feature).0,
            Self::Part(feature, percent) => (weights.weight(feature).0 * percent).div_ceil(100),
            Self::Always(weight) => weight,
        }
    }
}

/// A row of what is no expression.
pub(super) const fn form<S, T>(
    rate: Rate,
    gate: fn(&Draft<'_>, S) -> bool,
    draw: fn(&mut Draft<'_>, S) -> Option<T>,
) -> Production<S, T> {
    Production { rate, makes: &[], gate, draw, affinity: &Context::ALL }
}

/// The gate of what can stand everywhere.
pub(super) fn anywhere<S>(_: &Draft<'_>, _: S) -> bool {
    true
}

/// The rates of the rows of a table in one context. Zero for what does not occur in a
/// program, or makes no value of the class that is wanted.
pub(super) type Rates = [u32; MOST_ROWS];

/// The rates of a table in a program. They stay the same, so a table that is asked for every
/// expression has them ready.
pub(super) fn rates<S, T>(
    table: &[Production<S, T>],
    weights: &Weights,
    context: Context,
    wanted: Option<Class>,
) -> Rates {
    let mut rates = [0; MOST_ROWS];
    for (rate, row) in rates.iter_mut().zip(table) {
        if wanted.is_some_and(|class| !row.makes.contains(&class)) {
            continue;
        }
        let whole = row.rate.weight(weights);
        let prefers = context == Context::Mixed || row.affinity.contains(&context);
        *rate = if prefers { whole } else { whole.div_ceil(RARE) };
    }
    rates
}

/// Chooses among the rows that are possible here; `None` if there is none.
pub(super) fn choose<S: Copy, T>(
    draft: &mut Draft<'_>,
    table: &'static [Production<S, T>],
    mut rates: Rates,
    site: S,
) -> Option<&'static Production<S, T>> {
    for (rate, row) in rates.iter_mut().zip(table) {
        if *rate > 0 && !(row.gate)(draft, site) {
            *rate = 0;
        }
    }
    let index = draft.choices.weighted(&rates[..table.len()])?;
    Some(&table[index])
}

/// Draws one of the rows that are possible here; `None` if there is none, or the one that
/// was chosen lacks something.
pub(super) fn draw<S: Copy, T>(
    draft: &mut Draft<'_>,
    table: &'static [Production<S, T>],
    site: S,
) -> Option<T> {
    let rates = rates(table, &draft.weights, draft.expression.context, None);
    let row = choose(draft, table, rates, site)?;
    (row.draw)(draft, site)
}
