//! Kinds of programs that have a name: what to weigh how.

use crate::discharge::Discharge;
use crate::features::{FEATURES, Feature, Weights};
use crate::generate::Config;
use crate::parameters::Parameter;

/// A kind of programs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Preset {
    /// Everything there is.
    #[default]
    Default,
    /// What Csmith makes: no `switch`, `while` or casts.
    Csmith,
    /// What YARPGen makes: functions without loops and calls, whose every value is known.
    Yarpgen,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 3] = [Self::Default, Self::Csmith, Self::Yarpgen];

    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Csmith => "csmith",
            Self::Yarpgen => "yarpgen",
        }
    }

    /// The preset with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Sets the weights, and the parameters that belong to the preset.
    pub fn apply(self, config: &mut Config) {
        let mut weights = Weights::default();
        match self {
            Self::Default => config.discharge = Discharge::Mixed,
            Self::Csmith => {
                config.discharge = Discharge::Keep;
                for row in FEATURES {
                    if !row.peers.csmith && !ALWAYS.contains(&row.feature) {
                        weights.set(row.feature, 0);
                    }
                }
                weights.set(Feature::Int128, 0);
                weights.set(Feature::Pointer, 30);
                weights.set(Feature::Goto, 8);
            }
            Self::Yarpgen => {
                config.discharge = Discharge::Flip;
                for row in FEATURES {
                    if !row.peers.yarpgen1 && !ALWAYS.contains(&row.feature) {
                        weights.set(row.feature, 0);
                    }
                }
                // Deep expressions, in straight lines.
                config.fixed.push((Parameter::ExpressionDepth, 6));
                config.fixed.push((Parameter::EffectShare, 0));
            }
        }
        config.weights = weights;
    }
}

/// What every program may have, because without it there is nothing to test.
const ALWAYS: [Feature; 2] = [Feature::If, Feature::HiddenInput];
