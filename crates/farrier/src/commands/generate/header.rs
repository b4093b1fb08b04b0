//! The comment at the head of a program: how to make it again, and what it does.

use farrier_lang::Dialect;
use farrier_synth::{Config, Generated, Preset};

use crate::cli::{GenArguments, LanguageName, Version, number_text, value_name};
use crate::commands::configuration::FileSettings;
use crate::commands::heading;

/// The comment.
pub(super) fn header(command: &[String], file: &Option<FileSettings>, made: &Generated) -> String {
    let mut rows = heading::origin(command);
    if made.files.len() > 1 {
        let names: Vec<&str> = made.files.iter().map(|file| &*file.name).collect();
        rows.push(("files", names.join(" ")));
    }
    if let Some(file) = file {
        rows.push(("config", file.to_string()));
    }
    if let Some(tier) = made.tier {
        rows.push(("floating point", format!("{}: {}", tier.name(), tier.about())));
    }
    rows.extend(heading::behavior(&made.certified));
    heading::comment(&rows)
}

/// The command that makes the program of a seed again: the options that matter for it
/// and are not what they are by default.
pub(super) fn command(arguments: &GenArguments, seed: u64) -> Vec<String> {
    let mut words = vec!["farrier".to_owned(), "gen".to_owned()];
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    option("seed", seed.to_string());
    if arguments.preset != Preset::default() {
        option("preset", arguments.preset.name().to_owned());
    }
    let defaults = Config::default();
    if arguments.size != defaults.size as u64 {
        option("size", number_text(arguments.size));
    }
    if let Some(steps) = arguments.steps {
        option("steps", number_text(steps));
    }
    if arguments.variation != 0 {
        option("variation", arguments.variation.to_string());
    }
    if let Some(discharge) = arguments.discharge {
        option("discharge", value_name(&discharge));
    }
    if let Some(check) = arguments.check {
        option("check", value_name(&check));
    }
    if let Some(tier) = arguments.tier {
        option("tier", tier.name().to_owned());
    }
    match (arguments.language, arguments.standard) {
        (language, Some(standard)) if standard != Version::C(Dialect::default()) => {
            if language == Some(LanguageName::Cuda) {
                option("language", "cuda".to_owned());
            }
            option("std", standard.name().to_owned());
        }
        (Some(LanguageName::Cuda), None) => option("language", "cuda".to_owned()),
        (Some(LanguageName::Cplusplus), None) => option("language", "c++".to_owned()),
        _ => {}
    }
    if !arguments.dress.is_empty() {
        option("dress", arguments.dress.join(","));
    }
    if arguments.target.name != farrier_lang::target::X86_64_LINUX.name {
        option("target", arguments.target.name.to_owned());
    }
    if !arguments.made_of.features.is_empty() {
        option("features", arguments.made_of.features.join(","));
    }
    if !arguments.relax.is_empty() {
        option("relax", arguments.relax.join(","));
    }
    if let Some(path) = &arguments.config {
        option("config", path.to_string_lossy().into_owned());
    }
    if let Some(parts) = arguments.split {
        option("split", parts.to_string());
        words.extend(["-o".to_owned(), "DIR".to_owned()]);
    }
    words
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn arguments(words: &[String]) -> GenArguments {
        match Cli::try_parse_from(words).expect("valid").command {
            Command::Gen(arguments) => arguments,
            _ => panic!("another command"),
        }
    }

    #[test]
    fn the_command_is_its_own_replay() {
        for line in [
            "farrier gen --seed 7",
            "farrier gen --seed 18446744073709551615 --size 20k --steps 1234 --variation 3",
            "farrier gen --seed 7 --tier exact --features +floating",
            "farrier gen --seed 7 --preset yarpgen --check none --std c99 --target avr",
            "farrier gen --seed 7 --preset csmith --check asserts --features -goto,+switch,-if",
            "farrier gen --seed 7 --features +int128 --config a/b.toml",
            "farrier gen --seed 7 --language c++",
            "farrier gen --seed 7 --std c++20 --dress virtual,lambda",
            "farrier gen --seed 7 --preset edge --relax order=30,jump=0",
            "farrier gen --seed 7 --discharge flip --split 3 -o DIR",
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let given = arguments(&words);
            let seed = given.seed.expect("it is given");
            assert_eq!(command(&given, seed), words);
        }
    }
}
