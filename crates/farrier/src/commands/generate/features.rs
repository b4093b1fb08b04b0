//! The tables of features and parameters.

use std::fmt::Write;

use farrier_synth::Config;
use farrier_synth::features::{FEATURES, FeatureRow, Frequency};
use farrier_synth::parameters::{PARAMETERS, ParameterRow};
use serde_json::{Value, json};

/// Every feature with the weight or share that `config` gives it, and every parameter.
pub(super) fn table(config: &Config) -> String {
    let width = FEATURES.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut text = format!("{:width$}  weight  place        who else  what\n", "feature");
    for row in FEATURES {
        let often = weight(row, config).map_or("0".to_owned(), |weight| weight.to_string());
        let category = category(row);
        let gnu = if row.gnu { " (GNU)" } else { "" };
        let _ = writeln!(
            text,
            "{:width$}  {often:>6}  {category:11}  {:8}  {}{gnu}",
            row.name,
            peers(row),
            row.about
        );
    }
    text.push_str("\nwho else: C Csmith, 1 YARPGen v1, 2 YARPGen v2, O Orange\n");
    let width = PARAMETERS.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let _ = write!(text, "\n{:width$}   from     to  what\n", "parameter");
    for ParameterRow { name, low, high, about, .. } in PARAMETERS {
        let _ = writeln!(text, "{name:width$}  {low:>5}  {high:>5}  {about}");
    }
    text
}

/// The same as data.
pub(super) fn document(config: &Config) -> Value {
    let feature = |row: &FeatureRow| {
        json!({
            "name": row.name,
            "weight": weight(row, config).map_or(0, Frequency::number),
            "is_share": matches!(row.frequency, Frequency::Share(_)),
            "place": category(row),
            "gnu": row.gnu,
            "about": row.about,
        })
    };
    let parameter = |row: &ParameterRow| json!({ "name": row.name, "from": row.low, "to": row.high, "about": row.about });
    json!({
        "features": FEATURES.iter().map(feature).collect::<Vec<_>>(),
        "parameters": PARAMETERS.iter().map(parameter).collect::<Vec<_>>(),
    })
}

/// The weight or share of a feature, unless the target or the dialect lacks it.
fn weight(row: &FeatureRow, config: &Config) -> Option<Frequency> {
    let missing = row.feature.missing(config.target, config.dialect);
    missing.is_none().then(|| config.weights.get(row.feature))
}

fn category(row: &FeatureRow) -> String {
    format!("{:?}", row.category).to_lowercase()
}

/// A letter for each other generator that has a feature.
fn peers(row: &FeatureRow) -> String {
    let peers = row.peers;
    let letters =
        [(peers.csmith, 'C'), (peers.yarpgen1, '1'), (peers.yarpgen2, '2'), (peers.orange, 'O')];
    letters.iter().map(|(has, letter)| if *has { *letter } else { '.' }).collect()
}
