//! C++: certified C programs in another spelling.
//!
//! A dress is a row of a table. It finds places of a program where C++ can say the same in
//! another way, and a [`Dressing`] says which rows apply, how often, and from which seed. The
//! C program underneath does not change, so its behaviour stays known; a row can be left out at
//! any time. See `docs/design/dress.md`.

mod facts;
mod fitting;

use farrier_lang::Program;
use farrier_lang::print::{GuardStyle, Language, PrintOptions, print_spelled};

use crate::Choices;
use crate::features::Feature;
use crate::generate::Config;
use fitting::Fitting;

/// A version of C++.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Cplusplus {
    Cpp11,
    Cpp14,
    #[default]
    Cpp17,
    Cpp20,
    Cpp23,
}

impl Cplusplus {
    /// Every version, oldest first.
    pub const ALL: [Self; 5] = [Self::Cpp11, Self::Cpp14, Self::Cpp17, Self::Cpp20, Self::Cpp23];

    /// Its name in options: `c++17`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpp11 => "c++11",
            Self::Cpp14 => "c++14",
            Self::Cpp17 => "c++17",
            Self::Cpp20 => "c++20",
            Self::Cpp23 => "c++23",
        }
    }

    /// The version with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == name)
    }

    /// The flag of gcc and clang, with the extensions of GNU. The names before the final ones
    /// are known to older compilers too.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Cpp11 => "-std=gnu++11",
            Self::Cpp14 => "-std=gnu++14",
            Self::Cpp17 => "-std=gnu++17",
            Self::Cpp20 => "-std=gnu++20",
            Self::Cpp23 => "-std=gnu++2b",
        }
    }
}

/// The features that a program for C++ cannot have, and why.
pub const C_ONLY: &[(Feature, &str)] = &[
    (Feature::CompoundLiteral, "in C++ a compound literal lives no longer than its expression"),
    (Feature::Float16, "g++ has `_Float16` since version 13 only"),
    (Feature::Float128, "clang++ has no `_Float128`"),
];

/// Leaves out of programs what C++ cannot say.
pub fn restrict(config: &mut Config) {
    for (feature, _) in C_ONLY {
        config.weights.set(*feature, 0);
    }
    config.split = 0;
}

/// A row of the table of dresses.
#[derive(Debug)]
pub struct DressRow {
    /// Its name in options and recipes.
    pub name: &'static str,
    /// The version of C++ that has it first.
    pub since: Cplusplus,
    /// How many of the places where it could stand it takes, in percent.
    pub share: u32,
    /// The headers that it needs.
    headers: &'static [&'static str],
    /// Finds the places and spells them.
    apply: fn(&mut Fitting<'_>),
    /// What it is.
    pub about: &'static str,
}

/// Every dress. One that changes a declaration comes before those that change uses.
pub static DRESSES: &[DressRow] = &[];

/// A dress that a program wears.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Worn {
    /// Its name in [`DRESSES`].
    pub name: &'static str,
    /// How many of its places it takes, in percent.
    pub share: u32,
    /// From what the places are drawn.
    pub seed: u64,
}

/// How a program is dressed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dressing {
    /// The version of C++.
    pub standard: Cplusplus,
    /// The dresses, in the order of the table.
    pub worn: Vec<Worn>,
}

/// How many dresses of a hundred a program does without.
const LEFT_OUT: u32 = 30;

impl Dressing {
    /// Draws dresses: of those that the version has, most.
    pub fn draw(standard: Cplusplus, seed: u64) -> Self {
        let mut choices = Choices::new(seed);
        let mut worn = Vec::new();
        for row in DRESSES {
            let (left_out, seed) = (choices.chance(LEFT_OUT), choices.bits());
            if row.since <= standard && !left_out {
                worn.push(Worn { name: row.name, share: row.share, seed });
            }
        }
        Self { standard, worn }
    }

    /// One dress alone, wherever it can stand.
    pub fn only(standard: Cplusplus, name: &str) -> Option<Self> {
        let row = DRESSES.iter().find(|row| row.name == name)?;
        let worn = vec![Worn { name: row.name, share: 100, seed: 0 }];
        Some(Self { standard, worn })
    }
}

/// A program as C++ text.
#[derive(Clone, Debug)]
pub struct Dressed {
    /// The text.
    pub text: String,
    /// How many places each dress took, in the order of the dressing.
    pub places: Vec<(&'static str, usize)>,
    /// How many statements the program has.
    pub statements: usize,
    /// How many of them are spelled as C cannot.
    pub dressed: usize,
}

/// The text of a program in a dressing.
pub fn dress(program: &Program, guards: GuardStyle, dressing: &Dressing) -> Dressed {
    let mut fitting = Fitting::new(program, dressing.standard);
    for worn in &dressing.worn {
        let row = DRESSES.iter().find(|row| row.name == worn.name);
        if let Some(row) = row.filter(|row| row.since <= dressing.standard) {
            fitting.begin(worn, row.headers);
            (row.apply)(&mut fitting);
        }
    }
    let (spellings, places, dressed) = fitting.finish();
    let options = PrintOptions { guards, language: Language::Cplusplus };
    let text = print_spelled(program, &options, &spellings);
    Dressed { text, places, statements: dressed.0, dressed: dressed.1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_known() {
        for (index, row) in DRESSES.iter().enumerate() {
            assert!(DRESSES[..index].iter().all(|other| other.name != row.name), "{}", row.name);
            assert!(row.share <= 100, "{}", row.name);
        }
        for version in Cplusplus::ALL {
            assert_eq!(Cplusplus::by_name(version.name()), Some(version));
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_dresses() {
        assert_eq!(Dressing::draw(Cplusplus::Cpp20, 5), Dressing::draw(Cplusplus::Cpp20, 5));
    }
}
