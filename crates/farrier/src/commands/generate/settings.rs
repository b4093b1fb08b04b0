//! From the arguments and the configuration file to what the generator is asked for.

use anyhow::bail;
use farrier_lang::Dialect;
use farrier_machine::Tier;
use farrier_synth::Config;
use farrier_synth::discharge::Discharge;
use farrier_synth::dress::{C_ONLY, Cplusplus, restrict};
use farrier_synth::features::Feature;
use farrier_synth::generate::HEAD_BYTES;
use farrier_synth::relax::{RELAXATIONS, Relaxation};

use super::language::{cplusplus, dressing, target};
use crate::cli::{GenArguments, Version};
use crate::commands::configuration::{self, FileSettings, unknown};

/// The share of floating programs where a tier is asked for, in percent.
const ALL_PROGRAMS: u32 = 100;

/// What is asked for.
pub(super) struct Settings {
    pub(super) config: Config,
    /// What a file said, if there was one.
    pub(super) file: Option<FileSettings>,
    /// The version of C++ to write; `None` for C.
    pub(super) cplusplus: Option<Cplusplus>,
}

impl Settings {
    /// What the names of files end in.
    pub(super) fn extension(&self) -> &'static str {
        match (self.cplusplus, self.config.target.environment.is_device) {
            (None, _) => "c",
            (Some(_), false) => "cpp",
            (Some(_), true) => "cu",
        }
    }
}

/// The configuration that the user asks for: first the preset, then the file, then what
/// the options say.
pub(super) fn resolve(arguments: &GenArguments) -> anyhow::Result<Settings> {
    let cplusplus = cplusplus(arguments)?;
    let mut config = Config {
        target: target(arguments)?,
        dialect: match arguments.standard {
            Some(Version::C(dialect)) => dialect,
            _ => Dialect::default(),
        },
        size: arguments.size as usize,
        tier: arguments.tier,
        split: arguments.split.unwrap_or(0),
        variation: arguments.variation,
        ..Config::default()
    };
    arguments.preset.apply(&mut config);
    config.steps = arguments.steps.unwrap_or(config.steps);
    if arguments.tier.is_some() {
        config.weights.set(Feature::Floating, ALL_PROGRAMS);
    }
    if let Some(discharge) = arguments.discharge {
        config.discharge = discharge.discharge();
    }
    if let Some(check) = arguments.check {
        config.check = check.check();
    }
    if config.tier == Some(Tier::Exact)
        && matches!(config.discharge, Discharge::Keep | Discharge::Drop)
    {
        bail!("the guards of tier exact cannot stay: use --discharge flip or mixed");
    }
    let mut file = None;
    if let Some(path) = &arguments.config {
        let settings = configuration::load(path, &config)?;
        for (feature, weight) in &settings.features {
            config.weights.set(*feature, *weight);
        }
        config.fixed.extend(&settings.parameters);
        file = Some(settings);
    }
    for word in &arguments.made_of.features {
        switch(word, &mut config)?;
    }
    for word in &arguments.relax {
        config.relax.fixed.push(relaxation(word)?);
    }
    if let Some(standard) = cplusplus {
        if let Some((_, why)) = C_ONLY.iter().find(|(feature, _)| config.asked.contains(feature)) {
            bail!("this feature is not available in C++: {why}");
        }
        restrict(&mut config);
        // What is asked for must be known before a program is made.
        dressing(standard, config.target, &arguments.dress, 0)?;
    }
    // The comment at the head of each file is a part of the size.
    let heads = HEAD_BYTES * (config.split as usize + usize::from(config.split > 0)).max(1);
    config.size = config.size.saturating_sub(heads).max(config.size / 2);
    Ok(Settings { config, file, cplusplus })
}

/// Switches a feature on or off.
fn switch(word: &str, config: &mut Config) -> anyhow::Result<()> {
    let (feature, on) = configuration::switched(word)?;
    if !on {
        config.weights.set(feature, 0);
        return Ok(());
    }
    if let Some(reason) = feature.missing(config.target, config.dialect) {
        bail!("`{word}` is not available: {reason}");
    }
    config.asked.push(feature);
    if !config.weights.has(feature) {
        config.weights.set(feature, feature.when_asked_for());
    }
    Ok(())
}

/// A relaxation and its share, from `NAME=SHARE`.
fn relaxation(word: &str) -> anyhow::Result<(Relaxation, u32)> {
    let (name, share) = word.split_once('=').unwrap_or((word, "100"));
    let Some(relaxation) = Relaxation::by_name(name) else {
        let names = RELAXATIONS.iter().map(|row| row.name);
        let all: Vec<&str> = names.clone().collect();
        let otherwise = format!("there are {}", all.join(", "));
        bail!("{}", unknown("relaxation", name, names, &otherwise));
    };
    match share.parse() {
        Ok(share @ 0..=100) => Ok((relaxation, share)),
        _ => bail!("`{share}` is not a share: write --relax {name}=30 for 30 percent"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_switched() {
        let mut config = Config::default();
        switch("-switch", &mut config).expect("it is a feature");
        assert!(!config.weights.has(Feature::Switch));
        switch("+switch", &mut config).expect("it is a feature");
        assert_eq!(config.weights, Config::default().weights);
        for word in ["switch", "", "+", "-swich", "+no such"] {
            assert!(switch(word, &mut config).is_err(), "{word}");
        }
    }

    #[test]
    fn relaxations_have_a_name_and_a_share() {
        assert_eq!(relaxation("order=30").expect("valid"), (Relaxation::Order, 30));
        assert_eq!(relaxation("jump").expect("valid"), (Relaxation::Jump, 100));
        for word in ["", "oder=3", "order=", "order=101", "order=-1", "=5"] {
            assert!(relaxation(word).is_err(), "{word}");
        }
    }
}
