//! Data models of users: targets that a file describes by how they differ from a known one.

use std::sync::{Mutex, PoisonError};

use farrier_lang::target::{BitFieldRule, FloatFormat, ScalarLayout, Small, Toolchain};
use farrier_lang::{IntKind, Target};
use serde::{Deserialize, Serialize};

/// A table `[[target]]`. What it does not say is as in `base`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Model {
    pub(super) name: String,
    base: String,
    char: Option<Sign>,
    byte_order: Option<ByteOrder>,
    short: Option<Scalar>,
    int: Option<Scalar>,
    long: Option<Scalar>,
    long_long: Option<Scalar>,
    pointer: Option<Scalar>,
    double: Option<Format>,
    long_double: Option<Format>,
    wchar: Option<Kind>,
    bit_fields: Option<BitFields>,
    /// Features of generated programs that it does not have.
    #[serde(default)]
    lacks: Vec<String>,
    arguments_to_main: Option<bool>,
    prints_long_long: Option<bool>,
    /// The most bytes and operations of a program.
    size: Option<usize>,
    steps: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Sign {
    Signed,
    Unsigned,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ByteOrder {
    Little,
    Big,
}

/// A size, by which the type is aligned, or a size and an alignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Scalar {
    Size(u32),
    Both([u32; 2]),
}

impl Scalar {
    fn layout(self, most: u32) -> ScalarLayout {
        match self {
            Self::Size(size) => ScalarLayout::new(size, size.min(most).max(1)),
            Self::Both([size, align]) => ScalarLayout::new(size, align),
        }
    }
}

/// The format of a floating type, by the type that has it too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[serde(rename = "float")]
    Single,
    Double,
    Quad,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Kind {
    #[serde(rename = "short")]
    Short,
    #[serde(rename = "unsigned short")]
    UShort,
    #[serde(rename = "int")]
    Int,
    #[serde(rename = "unsigned int")]
    UInt,
    #[serde(rename = "long")]
    Long,
    #[serde(rename = "unsigned long")]
    ULong,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum BitFields {
    SystemV,
    Aapcs,
    Dense,
    Microsoft,
}

/// What programs for such a target never have: functions that are read for Farrier's own targets,
/// and types that the table does not describe.
const NEVER: &[&str] = &["known-call", "vector", "int128", "float16", "float128"];

/// The models that are known, with the targets that they make. A target lives as long as the
/// process, like those of the tables.
static KNOWN: Mutex<Vec<(Model, &'static Target)>> = Mutex::new(Vec::new());

/// The target of this name, from the tables or of a user whose file was read.
pub fn target_by_name(name: &str) -> Option<&'static Target> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let own = known.iter().find(|(model, _)| model.name == name);
    Target::by_name(name).or_else(|| own.map(|(_, target)| *target))
}

/// The model that a target was made of; `None` for those of the tables.
pub(super) fn model_of(target: &Target) -> Option<Model> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.iter().find(|(model, _)| model.name == target.name).map(|(model, _)| model.clone())
}

/// The target that a model makes, or what is wrong with it.
pub(super) fn target_of(model: &Model) -> Result<&'static Target, String> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    match known.iter().find(|(other, _)| other.name == model.name) {
        Some((other, target)) if other == model => return Ok(target),
        Some(_) => return Err(format!("there are two targets called `{}`", model.name)),
        None => {}
    }
    let target: &'static Target = Box::leak(Box::new(model.target()?));
    known.push((model.clone(), target));
    Ok(target)
}

impl Model {
    fn target(&self) -> Result<Target, String> {
        let name = &self.name;
        if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c == '/') {
            return Err("a name has no spaces and no slashes".to_owned());
        }
        if Target::by_name(name).is_some() {
            return Err(format!("`{name}` is one of Farrier's own targets: choose another name"));
        }
        let base = Target::by_name(&self.base).ok_or_else(|| {
            format!("there is no target `{}`; `base` is one of {}", self.base, super::targets())
        })?;
        let most = base.biggest_align;
        let layout = |own: Option<Scalar>, base| own.map_or(base, |own| own.layout(most));
        let pointer = layout(self.pointer, base.pointer);
        let double = match self.double {
            None => base.double,
            Some(Format::Single) => base.float,
            Some(Format::Double) => (ScalarLayout::new(8, 8.min(most)), FloatFormat::Double),
            Some(Format::Quad) => return Err("`double` is not that long".to_owned()),
        };
        let long_double = match self.long_double {
            None if self.double.is_some() => (double.0, Some(double.1)),
            None => base.long_double,
            Some(Format::Single) => (base.float.0, Some(base.float.1)),
            Some(Format::Double) => (ScalarLayout::new(8, 8.min(most)), Some(FloatFormat::Double)),
            Some(Format::Quad) => (ScalarLayout::new(16, 16.min(most)), Some(FloatFormat::Quad)),
        };
        let mut environment = base.environment;
        let lacks = base.environment.lacks.iter().chain(NEVER).copied();
        let own = self.lacks.iter().map(|name| &*name.clone().leak());
        environment.lacks = lacks.chain(own).collect::<Vec<&'static str>>().leak();
        environment.arguments_to_main = self.arguments_to_main.unwrap_or(false);
        environment.prints_long_long = self.prints_long_long.unwrap_or(false);
        environment.whole_library = false;
        environment.small = match (environment.small, self.size, self.steps) {
            (None, None, None) => None,
            (small, size, steps) => {
                let usual = small.unwrap_or(Small { size: 80_000, steps: 1_000_000 });
                let (size, steps) = (size.unwrap_or(usual.size), steps.unwrap_or(usual.steps));
                Some(Small { size, steps })
            }
        };
        let mut target = Target {
            name: name.clone().leak(),
            char_signed: self.char.map_or(base.char_signed, |sign| sign == Sign::Signed),
            big_endian: self.byte_order.map_or(base.big_endian, |order| order == ByteOrder::Big),
            bool_: base.bool_,
            short: layout(self.short, base.short),
            int: layout(self.int, base.int),
            long: layout(self.long, base.long),
            long_long: layout(self.long_long, base.long_long),
            int128: None,
            bit_int_unit: None,
            pointer,
            float: base.float,
            double,
            long_double,
            excess_precision: base.excess_precision,
            float16: None,
            float128: None,
            va_list: if self.pointer.is_some() { pointer } else { base.va_list },
            size_type: base.size_type,
            ptrdiff_type: base.ptrdiff_type,
            wchar_type: self.wchar.map_or(base.wchar_type, Kind::int_kind),
            char16_type: base.char16_type,
            char32_type: base.char32_type,
            biggest_align: base.biggest_align,
            vector_align: base.vector_align,
            strict_alignment: base.strict_alignment,
            bit_fields: match self.bit_fields {
                None => base.bit_fields,
                Some(BitFields::SystemV) => BitFieldRule::SystemV,
                Some(BitFields::Aapcs) => BitFieldRule::Aapcs,
                Some(BitFields::Microsoft) => BitFieldRule::Microsoft,
                Some(BitFields::Dense) => BitFieldRule::Dense { empty: 1 },
            },
            environment,
            toolchain: Toolchain::UNKNOWN,
        };
        check_sizes(&target)?;
        choose_sizes(&mut target, base)?;
        Ok(target)
    }
}

/// The types of sizes and differences are as wide as pointers.
fn choose_sizes(target: &mut Target, base: &Target) -> Result<(), String> {
    let fits =
        |kind: IntKind| target.int_scalar(kind).is_some_and(|l| l.size == target.pointer.size);
    let choose = |usual: IntKind, others: [IntKind; 3]| {
        let all = [usual].into_iter().chain(others);
        all.into_iter().find(|kind| fits(*kind)).ok_or_else(|| {
            let bytes = target.pointer.size;
            format!("a pointer has {bytes} bytes, and no integer type has as many")
        })
    };
    let size = choose(base.size_type, [IntKind::UInt, IntKind::ULong, IntKind::ULongLong])?;
    let difference = choose(base.ptrdiff_type, [IntKind::Int, IntKind::Long, IntKind::LongLong])?;
    (target.size_type, target.ptrdiff_type) = (size, difference);
    Ok(())
}

/// C11 5.2.4.2.1: how small an integer type may be; and what an alignment can be.
fn check_sizes(target: &Target) -> Result<(), String> {
    let types = [
        ("short", target.short, 2),
        ("int", target.int, 2),
        ("long", target.long, 4),
        ("long-long", target.long_long, 8),
        ("pointer", target.pointer, 2),
    ];
    for (name, ScalarLayout { size, align, .. }, least) in types {
        if !size.is_power_of_two() || !(least..=8).contains(&size) {
            return Err(format!("`{name}` has {size} bytes: it has {least} to 8, a power of two"));
        }
        if !align.is_power_of_two() || align > 16 {
            return Err(format!(
                "`{name}` is aligned to {align}: it is a power of two, at most 16"
            ));
        }
    }
    let sizes = [target.short.size, target.int.size, target.long.size, target.long_long.size];
    match sizes.is_sorted() {
        true => Ok(()),
        false => Err("`short`, `int`, `long` and `long-long` are not in the order of sizes".into()),
    }
}

impl Kind {
    fn int_kind(self) -> IntKind {
        match self {
            Self::Short => IntKind::Short,
            Self::UShort => IntKind::UShort,
            Self::Int => IntKind::Int,
            Self::UInt => IntKind::UInt,
            Self::Long => IntKind::Long,
            Self::ULong => IntKind::ULong,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(text: &str) -> Result<Target, String> {
        let model: Model = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        model.target()
    }

    #[test]
    fn what_a_model_does_not_say_is_as_in_its_base() {
        let text = "name = \"m68k\"\nbase = \"i386-linux\"\nbyte-order = \"big\"\n\
                    int = [4, 2]\nlong = [4, 2]\npointer = [4, 2]\nlong-double = \"double\"\n\
                    lacks = [\"goto\"]\nsize = 5000\n";
        let target = model(text).expect("it is right");
        assert!(target.big_endian && target.char_signed);
        assert_eq!(target.int, ScalarLayout::new(4, 2));
        assert_eq!(target.short, ScalarLayout::new(2, 2));
        assert_eq!((target.size_type, target.ptrdiff_type), (IntKind::UInt, IntKind::Int));
        assert!(!target.environment.has("goto") && !target.environment.has("known-call"));
        assert_eq!(target.environment.small, Some(Small { size: 5000, steps: 1_000_000 }));
    }

    #[test]
    fn a_model_that_cannot_be_is_refused() {
        let good = "name = \"acme\"\nbase = \"avr\"\n";
        assert!(model(good).is_ok());
        for (more, message) in [
            ("int = 3\n", "`int` has 3 bytes: it has 2 to 8"),
            ("int = 8\n", "`short`, `int`, `long` and `long-long` are not in the order"),
            ("int = [2, 3]\n", "`int` is aligned to 3"),
            ("char = \"maybe\"\n", "unknown variant `maybe`"),
            ("colour = 1\n", "unknown field `colour`"),
            ("double = \"quad\"\n", "`double` is not that long"),
            ("pointer = 64\n", "`pointer` has 64 bytes"),
        ] {
            let error = model(&format!("{good}{more}")).expect_err("it is wrong");
            assert!(error.starts_with(message), "{error}");
        }
        let own = model("name = \"avr\"\nbase = \"avr\"\n").expect_err("it is taken");
        assert!(own.contains("one of Farrier's own"), "{own}");
        let none = model("name = \"a\"\nbase = \"pdp11\"\n").expect_err("there is no base");
        assert!(none.contains("there is no target `pdp11`; `base` is one of x86"), "{none}");
    }

    #[test]
    fn a_model_is_known_by_its_name_and_is_one() {
        let text = "name = \"model-test\"\nbase = \"avr\"\n";
        let first: Model = toml::from_str(text).expect("it is right");
        let target = target_of(&first).expect("it is right");
        assert_eq!(target_by_name("model-test"), Some(target));
        assert_eq!(model_of(target).as_ref(), Some(&first));
        assert!(std::ptr::eq(target_of(&first).expect("it is known"), target));
        let other: Model = toml::from_str(&format!("{text}size = 2000\n")).expect("it is right");
        let error = target_of(&other).expect_err("another has the name");
        assert_eq!(error, "there are two targets called `model-test`");
    }
}
