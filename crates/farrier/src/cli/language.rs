//! The language of generated programs.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use farrier_lang::Dialect;
use farrier_synth::dress::Cplusplus;

use super::Standard;

/// A language to write programs in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum LanguageName {
    /// C
    #[value(name = "c")]
    C,
    /// C++: the same programs in other spellings
    #[value(name = "c++", alias = "cpp")]
    Cplusplus,
    /// CUDA: the same programs as code for a device, for the target nvptx64
    #[value(name = "cuda")]
    Cuda,
}

/// A version of either language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Version {
    C(Dialect),
    Cplusplus(Cplusplus),
}

impl Version {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::C(dialect) => dialect.name(),
            Self::Cplusplus(version) => version.name(),
        }
    }
}

/// Reads a version of either language.
pub(crate) fn version_parser() -> impl TypedValueParser<Value = Version> {
    let c = Standard::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let cplusplus = Cplusplus::ALL.map(|version| PossibleValue::new(version.name()));
    PossibleValuesParser::new(c.chain(cplusplus)).map(|name| match Cplusplus::by_name(&name) {
        Some(version) => Version::Cplusplus(version),
        None => {
            let standard = Standard::from_str(&name, false);
            Version::C(standard.expect("only names of versions are accepted").dialect())
        }
    })
}
