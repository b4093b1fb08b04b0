//! The language that is asked for, and what its programs wear.

use anyhow::bail;
use farrier_lang::target::{NVPTX64, X86_64_LINUX};
use farrier_lang::{Dialect, Target};
use farrier_synth::dress::{Cplusplus, DRESSES, Dressing, Worn};

use crate::cli::{GenArguments, LanguageName, Version};
use crate::commands::configuration::unknown;

/// What there is to wear besides the names of dresses.
const NONE: &str = "none";

/// The version of C++ that is asked for; `None` for C.
pub(super) fn cplusplus(arguments: &GenArguments) -> anyhow::Result<Option<Cplusplus>> {
    let version = match (arguments.language, arguments.standard) {
        (Some(LanguageName::C), Some(Version::Cplusplus(version))) => {
            bail!("{} is no version of C: leave out --language c", version.name())
        }
        (Some(LanguageName::Cplusplus | LanguageName::Cuda), Some(Version::C(dialect))) => {
            bail!("{} is no version of C++: say --std c++17", dialect.name())
        }
        (_, Some(Version::Cplusplus(version))) => Some(version),
        (Some(LanguageName::Cplusplus | LanguageName::Cuda), None) => Some(Cplusplus::default()),
        _ => None,
    };
    if version.is_none() && !arguments.dress.is_empty() && !is_checked(arguments) {
        bail!("only C++ has dresses, and C23 the one `{CHECKED}`: add --language c++");
    }
    if is_checked(arguments) && arguments.split.is_some() {
        bail!("a program with --dress has one file: leave out --split");
    }
    if version.is_some() && arguments.split.is_some() {
        bail!("a program of C++ has one file: leave out --split");
    }
    Ok(version)
}

/// The dress that C23 has, too.
const CHECKED: &str = "constexpr";

/// Whether a program of C23 is to say what its functions return.
pub(super) fn is_checked(arguments: &GenArguments) -> bool {
    matches!(arguments.standard, Some(Version::C(Dialect::C23)))
        && !arguments.dress.is_empty()
        && arguments.dress.iter().all(|name| name == CHECKED)
}

/// The machine that programs are for: CUDA has one of its own.
pub(super) fn target(arguments: &GenArguments) -> anyhow::Result<&'static Target> {
    let is_free = [&X86_64_LINUX, &NVPTX64].contains(&arguments.target);
    match arguments.language {
        Some(LanguageName::Cuda) if is_free => Ok(&NVPTX64),
        Some(LanguageName::Cuda) => {
            bail!("CUDA is for the target {}: leave out --target", NVPTX64.name)
        }
        _ => Ok(arguments.target),
    }
}

/// What the program of a seed wears: the dresses that are asked for wherever they can stand, or
/// those that are drawn.
pub(super) fn dressing(
    standard: Cplusplus,
    target: &Target,
    names: &[String],
    seed: u64,
) -> anyhow::Result<Dressing> {
    if names.is_empty() {
        return Ok(Dressing::draw(standard, target, seed));
    }
    let mut worn = Vec::new();
    for name in names.iter().filter(|name| *name != NONE) {
        let Some(row) = DRESSES.iter().find(|row| row.name == name) else {
            let known = DRESSES.iter().map(|row| row.name).chain([NONE]);
            bail!("{}", unknown("dress", name, known, "docs/reference/dresses.md lists them"));
        };
        if !row.fits(target) {
            bail!("code for a device cannot wear `{name}`");
        }
        worn.push(Worn { name: row.name, share: 100, seed });
    }
    worn.sort_by_key(|worn| DRESSES.iter().position(|row| row.name == worn.name));
    Ok(Dressing { standard, worn })
}
