//! C++: certified C programs in another spelling.
//!
//! A dress is a row of a table. It finds places of a program where C++ can say the same in
//! another way, and a [`Dressing`] says which rows apply, how often, and from which seed. The
//! C program underneath does not change, so its behaviour stays known; a row can be left out at
//! any time. See `docs/design/dress.md`.

mod arrays;
mod calls;
mod classes;
mod constants;
mod expressions;
mod facts;
mod fitting;
mod flow;
mod functions;
mod grids;
mod holders;
mod library;
mod objects;
mod records;
mod virtuals;

use farrier_lang::print::{GuardStyle, Language, PrintOptions, print_spelled};
use farrier_lang::{Program, StmtId, Target};
use farrier_machine::Profile;

use Cplusplus::*;

use crate::Choices;
use crate::features::Feature;
use crate::generate::Config;
use crate::relax::Relaxation;
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
    (Feature::Complex, "C++ has complex numbers of another kind"),
    (Feature::ExtVector, "g++ has no `ext_vector_type`"),
    (Feature::BitInt, "C++ has no `_BitInt`"),
];

/// Leaves out of programs what C++ cannot say.
pub fn restrict(config: &mut Config) {
    for (feature, _) in C_ONLY {
        config.weights.set(*feature, 0);
    }
    config.split = 0;
    // No jump may pass an initialiser.
    config.relax.fixed.push((Relaxation::Jump, 0));
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
    /// Whether it can be worn by code for a device, which has no library of C++.
    pub on_device: bool,
    /// What it is.
    pub about: &'static str,
}

const fn row(
    name: &'static str,
    since: Cplusplus,
    share: u32,
    headers: &'static [&'static str],
    apply: fn(&mut Fitting<'_>),
    about: &'static str,
) -> DressRow {
    DressRow { name, since, share, headers, apply, on_device: false, about }
}

/// A row whose spellings device code can have, too.
const fn device(row: DressRow) -> DressRow {
    DressRow { on_device: true, ..row }
}

/// Every dress. One that changes a declaration comes before those that change uses.
#[rustfmt::skip]
pub static DRESSES: &[DressRow] = &[
    row("private-members", Cpp11, 40, &[], records::private_members, "structures with private members, a constructor and functions that give access"),
    row("base-class", Cpp11, 50, &[], records::bases, "structures whose first member comes from a base"),
    row("constructor", Cpp11, 60, &[], records::constructed, "structures with a constructor"),
    row("own-operator", Cpp11, 40, &[], records::own_operators, "assignments of records by an operator of their own"),
    row("method", Cpp11, 60, &[], classes::methods, "functions as members of the record that is their first argument"),
    device(row("operator-call", Cpp11, 40, &[], expressions::operator_calls, "assignments of records as calls of `operator=`")),
    device(row("constexpr", Cpp14, 70, &[], constants::constant_functions, "functions that the compiler evaluates, with results that the machine knows")),
    row("consteval", Cpp20, 70, &[], constants::immediate_functions, "the same for copies of functions that only the compiler evaluates"),
    row("virtual-table", Cpp11, 80, &[], virtuals::virtual_tables, "tables of functions as tables of objects with a virtual function"),
    row("virtual-call", Cpp11, 25, &[], virtuals::virtual_calls, "calls of a virtual function through a pointer to the base"),
    row("thrown-result", Cpp11, 15, &[], calls::thrown_results, "functions that throw their result over a frame, in the place of `longjmp`"),
    row("forwarding", Cpp11, 20, &["utility"], calls::forwarding, "calls through a variadic template that forwards its arguments"),
    device(row("type-template", Cpp11, 20, &[], functions::type_templates, "functions as templates over the type of a parameter")),
    row("constrained-template", Cpp20, 25, &["concepts"], functions::constrained_templates, "functions as templates over a type that fulfils a concept"),
    device(row("constant-template", Cpp11, 20, &[], functions::constant_templates, "functions as templates over a constant")),
    device(row("overload", Cpp11, 30, &[], functions::overloads, "functions of one name with different parameters")),
    row("lambda-function", Cpp11, 30, &[], functions::lambda_functions, "functions as lambdas"),
    row("wrapped-function", Cpp11, 20, &["functional"], functions::wrapped_functions, "functions as objects of `std::function`"),
    row("functor", Cpp11, 30, &[], functions::functors, "functions as objects with an `operator()`"),
    row("capturing-this", Cpp11, 20, &[], calls::capturing_this, "functions as objects whose operator captures `this`"),
    row("member-function", Cpp11, 30, &[], functions::member_functions, "functions as static members of a class"),
    row("namespace-function", Cpp11, 30, &[], functions::namespace_functions, "functions in a namespace"),
    row("friend", Cpp11, 30, &[], functions::friends, "functions as friends that calls find by an argument"),
    device(row("default-argument", Cpp11, 50, &[], functions::default_arguments, "arguments that calls leave out")),
    device(row("reference-parameter", Cpp11, 60, &[], functions::reference_parameters, "parameters that are references")),
    device(row("noexcept", Cpp11, 30, &[], functions::no_exceptions, "functions that throw nothing")),
    row("array", Cpp11, 40, &["array"], arrays::arrays, "arrays as `std::array`, with `[]`, `at` and iterators"),
    row("sorted-array", Cpp11, 20, &["algorithm", "array", "utility"], arrays::sorted_arrays, "arrays whose values `std::sort` puts into their places"),
    row("vector", Cpp11, 40, &["array", "vector"], arrays::vectors, "arrays as `std::vector`, with `[]`, `at` and iterators"),
    row("valarray", Cpp11, 40, &["array", "valarray"], arrays::valarrays, "arrays as `std::valarray`"),
    row("heap-array", Cpp11, 30, &["memory"], arrays::heap_arrays, "arrays that `new` makes and a `std::unique_ptr` owns"),
    row("array-grid", Cpp11, 60, &["array"], grids::arrays, "arrays of arrays as `std::array` of `std::array`"),
    row("vector-grid", Cpp11, 60, &["array", "vector"], grids::vectors, "arrays of arrays as `std::vector` of `std::vector`"),
    row("inline-variable", Cpp17, 30, &[], objects::inline_variables, "inline variables"),
    row("namespace-variable", Cpp11, 30, &[], objects::namespace_variables, "objects in a namespace"),
    row("static-member", Cpp11, 50, &[], objects::static_members, "objects as static members of a class"),
    device(row("range-loop", Cpp11, 70, &["initializer_list"], flow::range_loops, "loops over a list of values")),
    row("accumulate", Cpp11, 80, &["iterator", "numeric"], library::sums, "loops that sum an array up as `std::accumulate`"),
    row("element-loop", Cpp11, 80, &["iterator"], library::element_loops, "loops over the elements of an array or a container"),
    row("structured-binding", Cpp17, 60, &["tuple"], objects::bindings, "two objects that are bound to the parts of a tuple"),
    row("unique-pointer", Cpp11, 15, &["memory"], objects::owned, "local objects on the heap that a `std::unique_ptr` owns"),
    row("shared-pointer", Cpp11, 5, &["memory"], holders::shared, "local objects in a `std::shared_ptr`"),
    row("pair", Cpp11, 5, &["utility"], holders::pairs, "local objects in a `std::pair`"),
    row("tuple", Cpp11, 5, &["tuple"], holders::tuples, "local objects in a `std::tuple`"),
    row("map", Cpp11, 3, &["map"], holders::maps, "local objects in a `std::map`"),
    row("list", Cpp11, 3, &["list"], holders::lists, "local objects in a `std::list`"),
    row("deque", Cpp11, 3, &["deque"], holders::deques, "local objects in a `std::deque`"),
    row("optional", Cpp17, 5, &["optional"], holders::optionals, "local objects in a `std::optional`"),
    row("variant", Cpp17, 5, &["variant"], holders::variants, "local objects in a `std::variant`"),
    row("any", Cpp17, 3, &["any"], holders::anything, "local objects in a `std::any`"),
    row("placement-new", Cpp11, 5, &["new"], holders::placed, "local objects in an array of bytes, by a placement `new`"),
    row("delete", Cpp11, 15, &[], holders::deleted, "local objects by `new`, with a `delete` at the end of the block"),
    row("number-class", Cpp11, 20, &[], classes::numbers, "local numbers as objects of a class template with operators"),
    device(row("reference", Cpp11, 20, &[], objects::references, "references to objects without a name")),
    device(row("auto", Cpp11, 50, &[], objects::deduced, "`auto` in the place of a type")),
    device(row("braces", Cpp11, 50, &[], objects::braced, "initialisers in braces")),
    row("exception", Cpp11, 60, &[], flow::exceptions, "`throw` and `catch` in the place of `goto`"),
    row("swap", Cpp11, 10, &["utility"], library::swaps, "assignments as `std::swap`"),
    row("exchange", Cpp14, 10, &["utility"], library::exchanges, "assignments as `std::exchange`"),
    row("cleanup", Cpp11, 20, &[], flow::cleanups, "the last statement of a block in a destructor"),
    device(row("constexpr-if", Cpp17, 10, &[], flow::constant_branches, "statements under `if constexpr`")),
    device(row("nullptr", Cpp11, 80, &[], expressions::null_pointers, "`nullptr`")),
    device(row("named-cast", Cpp11, 60, &[], expressions::named_casts, "`static_cast` and `reinterpret_cast`")),
    row("bit-function", Cpp20, 70, &["bit"], expressions::bit_functions, "`std::popcount`, `std::countl_zero` and `std::countr_zero`"),
    row("bit-cast", Cpp20, 30, &["bit"], expressions::bit_casts, "`std::bit_cast` between integers of one size"),
    device(row("functional-cast", Cpp11, 40, &[], expressions::functional_casts, "casts in the form of a call")),
    device(row("said-conversion", Cpp11, 15, &[], expressions::said_conversions, "conversions that C leaves unsaid as `static_cast`")),
    row("extreme", Cpp11, 80, &["algorithm"], expressions::extremes, "`std::min` and `std::max`"),
    row("three-way", Cpp20, 25, &["compare"], expressions::three_ways, "comparisons by `<=>`"),
    device(row("operator-word", Cpp11, 20, &[], expressions::operator_words, "operators as words: `bitand`, `not`, `xor`")),
    row("move", Cpp11, 12, &["utility"], expressions::moves, "objects that are read through `std::move`"),
    device(row("lambda", Cpp11, 5, &[], expressions::lambdas, "operations in lambdas that capture references")),
    device(row("copying-lambda", Cpp11, 5, &[], expressions::copying_lambdas, "operations in lambdas that capture copies")),
    device(row("naming-lambda", Cpp11, 5, &[], expressions::naming_lambdas, "operations in lambdas that name what they capture")),
    device(row("copy-naming-lambda", Cpp11, 5, &[], expressions::copy_naming_lambdas, "operations in lambdas that name what they copy")),
    device(row("initialising-lambda", Cpp14, 5, &[], expressions::initialising_lambdas, "operations in lambdas whose captures have initialisers")),
    device(row("generic-lambda", Cpp14, 5, &[], expressions::generic_lambdas, "operations in lambdas with parameters of type `auto`")),
    row("function-object", Cpp11, 2, &["functional"], expressions::function_objects, "operations in a `std::function`"),
];

impl DressRow {
    /// Whether programs for a target can wear it.
    pub fn fits(&self, target: &Target) -> bool {
        self.on_device || !target.environment.is_device
    }
}

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

/// A program as C23 in which functions are computed by the compiler, too: their parameters are
/// `constexpr`, and `_Static_assert` says what the machine knows.
pub fn checked(program: &Program, guards: GuardStyle) -> String {
    let mut fitting = Fitting::new(program, Cplusplus::default(), guards);
    fitting.begin(&Worn { name: "constexpr", share: 100, seed: 0 }, &[]);
    constants::checked_functions(&mut fitting);
    let (spellings, _) = fitting.finish();
    print_spelled(program, &PrintOptions { guards, language: Language::C }, &spellings)
}

/// How many dresses of a hundred a program does without.
const LEFT_OUT: u32 = 30;

impl Dressing {
    /// Draws dresses for programs of a target: of those that it and the version have, most.
    pub fn draw(standard: Cplusplus, target: &Target, seed: u64) -> Self {
        let mut choices = Choices::new(seed);
        let mut worn = Vec::new();
        for row in DRESSES {
            let (left_out, seed) = (choices.chance(LEFT_OUT), choices.bits());
            if row.since <= standard && row.fits(target) && !left_out {
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
    /// For each dress the statements that what it changed is a part of, or that use it.
    pub reached: Vec<Vec<StmtId>>,
    /// How many statements the program has.
    pub statements: usize,
    /// How many of them are spelled as C cannot.
    pub dressed: usize,
}

/// What a census counts of one dress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DressCount {
    /// Its name.
    pub name: &'static str,
    /// How many places it took.
    pub places: usize,
    /// How many of the statements that it changed, or that use what it changed, were run.
    pub executed: usize,
}

impl Dressed {
    /// Counts the dresses of a program that ran with this profile, in the order of the dressing.
    pub fn census(&self, profile: &Profile) -> Vec<DressCount> {
        let count = |(&(name, places), reached): (&(&'static str, usize), &Vec<StmtId>)| {
            let mut run: Vec<StmtId> =
                reached.iter().copied().filter(|stmt| profile.stmt(*stmt) > 0).collect();
            run.sort_unstable();
            run.dedup();
            DressCount { name, places, executed: run.len() }
        };
        self.places.iter().zip(&self.reached).map(count).collect()
    }
}

/// The text of a program in a dressing: C++, or CUDA where its target is a device.
pub fn dress(program: &Program, guards: GuardStyle, dressing: &Dressing) -> Dressed {
    let mut fitting = Fitting::new(program, dressing.standard, guards);
    for worn in &dressing.worn {
        let row = DRESSES.iter().find(|row| row.name == worn.name);
        let fits = |row: &&DressRow| row.since <= dressing.standard && row.fits(program.target);
        if let Some(row) = row.filter(fits) {
            fitting.begin(worn, row.headers);
            (row.apply)(&mut fitting);
        }
    }
    let (spellings, mut dressed) = fitting.finish();
    let language = match program.target.environment.is_device {
        true => Language::Cuda,
        false => Language::Cplusplus,
    };
    let options = PrintOptions { guards, language };
    dressed.text = print_spelled(program, &options, &spellings);
    dressed
}

#[cfg(test)]
mod tests {
    use farrier_lang::target::X86_64_LINUX;

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
        let drawn = || Dressing::draw(Cplusplus::Cpp20, &X86_64_LINUX, 5);
        assert_eq!(drawn(), drawn());
    }
}
