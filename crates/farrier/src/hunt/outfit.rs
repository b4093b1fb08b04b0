//! What programs wear: from a recipe to the dressing of a program, and back.

use farrier_harness::{Family, Mutation, Outfit, Recipe, Subject};
use farrier_lang::print::GuardStyle;
use farrier_lang::{Dialect, SourceText, Target};
use farrier_synth::Choices;
use farrier_synth::dress::{Cplusplus, DRESSES, Dressing, Worn, dress};

/// The stream of a program that decides what it wears.
const STREAM: u64 = u64::MAX - 6;

/// What the program of a seed wears, in a version up to this one.
pub(super) fn draw(seed: u64, latest: Cplusplus, target: &Target) -> Outfit {
    let seed = Choices::derive_seed(seed, STREAM);
    let known: Vec<Cplusplus> =
        Cplusplus::ALL.into_iter().filter(|version| *version <= latest).collect();
    let standard = Choices::new(seed).pick(&known);
    of(&Dressing::draw(standard, target, seed))
}

/// A dressing as a part of a recipe.
fn of(dressing: &Dressing) -> Outfit {
    let dresses = dressing.worn.iter().map(|worn| Mutation {
        name: worn.name.to_owned(),
        choices: vec![u64::from(worn.share), worn.seed],
        kept: true,
    });
    Outfit { standard: dressing.standard.name().to_owned(), dresses: dresses.collect() }
}

/// The dressing of a part of a recipe, with the dresses that are kept; `None` if one is not known
/// here.
fn dressing(outfit: &Outfit) -> Option<Dressing> {
    let standard = Cplusplus::by_name(&outfit.standard)?;
    let worn = |dress: &Mutation| {
        let row = DRESSES.iter().find(|row| row.name == dress.name)?;
        let &[share, seed] = &dress.choices[..] else { return None };
        Some(Worn { name: row.name, share: u32::try_from(share).ok()?, seed })
    };
    let kept = outfit.dresses.iter().filter(|dress| dress.kept);
    Some(Dressing { standard, worn: kept.map(worn).collect::<Option<_>>()? })
}

/// The flag by which a compiler knows the version of the language: that of C++, or the version of
/// C that the user asks for. Our programs mean the same in all of them; one from elsewhere may not.
pub(super) fn flag(recipe: &Recipe, subject: &Subject, asked: Option<&str>) -> Option<String> {
    if let Some(outfit) = &recipe.outfit {
        let version = Cplusplus::by_name(&outfit.standard)?;
        return Some(match subject.family {
            // It has no other name for them.
            Family::Nvcc => format!("-std={}", version.name()),
            _ => version.flag().to_owned(),
        });
    }
    let takes_it = matches!(subject.family, Family::Gcc | Family::Clang | Family::Zig);
    let asked = asked.filter(|_| takes_it && !recipe.is_foreign())?;
    // Old compilers know the newest version by its first name, and new ones still do.
    let year = if asked == Dialect::C23.name() { "2x" } else { asked.trim_start_matches('c') };
    Some(format!("-std=gnu{year}"))
}

/// The files of a C++ case: the text that compilers get, and the C program underneath.
pub(crate) fn dressed(
    sources: &[SourceText],
    reading: &farrier_front::Options,
    outfit: &Outfit,
) -> Option<Vec<SourceText>> {
    let program = farrier_front::parse(sources, reading).ok()?;
    let text = dress(&program, GuardStyle::Wrappers, &dressing(outfit)?).text;
    let name = if program.target.environment.is_device { "program.cu" } else { "program.cpp" };
    let files = [SourceText::new(name, text)];
    Some(files.into_iter().chain(sources.iter().cloned()).collect())
}
