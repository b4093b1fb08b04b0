//! The table of features.

use std::fmt::Write;

use farrier_synth::Config;
use farrier_synth::features::{FEATURES, FeatureRow};

/// Every feature with the weight or share that `config` gives it.
pub(super) fn table(config: &Config) -> String {
    let width = FEATURES.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut text = format!("{:width$}  weight  place        who else  what\n", "feature");
    for row in FEATURES {
        let often = match row.feature.missing(config.target, config.dialect) {
            Some(_) => "0".to_owned(),
            None => config.weights.get(row.feature).to_string(),
        };
        let category = format!("{:?}", row.category).to_lowercase();
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
    text
}

/// A letter for each other generator that has a feature.
fn peers(row: &FeatureRow) -> String {
    let peers = row.peers;
    let letters =
        [(peers.csmith, 'C'), (peers.yarpgen1, '1'), (peers.yarpgen2, '2'), (peers.orange, 'O')];
    letters.iter().map(|(has, letter)| if *has { *letter } else { '.' }).collect()
}
