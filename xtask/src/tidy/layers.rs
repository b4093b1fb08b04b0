//! Which crate may depend on which, and what all crates have in common.

use toml::Table;

use super::Problem;
use crate::repository::File;

/// What a crate of the workspace may be.
struct Layer {
    /// The directory.
    directory: &'static str,
    /// The name of the package.
    package: &'static str,
    /// The packages of the workspace that it may depend on.
    may_use: &'static [&'static str],
    /// No files, clock, processes, environment or global state.
    pure: bool,
}

const LAYERS: &[Layer] = &[
    Layer { directory: "crates/lang", package: "farrier-lang", may_use: &[], pure: true },
    Layer {
        directory: "crates/front",
        package: "farrier-front",
        may_use: &["farrier-lang"],
        pure: true,
    },
    Layer {
        directory: "crates/machine",
        package: "farrier-machine",
        may_use: &["farrier-lang"],
        pure: true,
    },
    Layer {
        directory: "crates/synth",
        package: "farrier-synth",
        may_use: &["farrier-lang", "farrier-front", "farrier-machine"],
        pure: true,
    },
    Layer {
        directory: "crates/harness",
        package: "farrier-harness",
        may_use: &["farrier-lang", "farrier-machine"],
        pure: false,
    },
    Layer {
        directory: "crates/farrier",
        package: "farrier",
        may_use: &[
            "farrier-lang",
            "farrier-front",
            "farrier-machine",
            "farrier-synth",
            "farrier-harness",
        ],
        pure: false,
    },
    Layer {
        directory: "xtask",
        package: "xtask",
        may_use: &[
            "farrier-lang",
            "farrier-front",
            "farrier-machine",
            "farrier-synth",
            "farrier-harness",
            "farrier",
        ],
        pure: false,
    },
];

/// Whether code of one directory may use what another makes public.
pub(super) fn may_use(user: &str, used: &str) -> bool {
    let layer = |directory: &str| LAYERS.iter().find(|layer| layer.directory == directory);
    layer(user).zip(layer(used)).is_some_and(|(user, used)| user.may_use.contains(&used.package))
}

/// Crates that a pure crate may not link, whatever for.
const IMPURE: &[&str] = &["rustix", "libc", "tempfile", "rand", "getrandom", "chrono", "time"];

/// The manifests of crates, with the directory; the manifest of the workspace and those
/// of fuzz targets, which are workspaces of their own, are not among them.
fn manifests(files: &[File]) -> impl Iterator<Item = (&File, &str, Table)> {
    files.iter().filter_map(|file| {
        let directory = file.path.strip_suffix("/Cargo.toml")?;
        if directory.split('/').any(|part| part == "fuzz") {
            return None;
        }
        let table = file.text.as_deref()?.parse().ok()?;
        Some((file, directory, table))
    })
}

pub(super) fn check(files: &[File], problems: &mut Vec<Problem>) {
    for (file, directory, manifest) in manifests(files) {
        let Some(layer) = LAYERS.iter().find(|layer| layer.directory == directory) else {
            problems.push(Problem::new(&file.path, 0, "this crate has no row in LAYERS"));
            continue;
        };
        if manifest.get("package").and_then(|package| package.get("name")?.as_str())
            != Some(layer.package)
        {
            problems.push(Problem::new(&file.path, 0, format!("must be called {}", layer.package)));
        }
        // Tests may look at a crate from above: the cycle exists in tests only.
        for section in ["dependencies", "build-dependencies"] {
            let used = manifest.get(section).and_then(|section| section.as_table());
            for name in used.iter().flat_map(|used| used.keys()) {
                let ours = LAYERS.iter().any(|layer| layer.package == name);
                if ours && !layer.may_use.contains(&name.as_str()) {
                    let message = format!("{} may not depend on {name}", layer.package);
                    problems.push(Problem::new(&file.path, 0, message));
                }
                if layer.pure && IMPURE.contains(&name.as_str()) {
                    let message = format!("{} is pure and may not depend on {name}", layer.package);
                    problems.push(Problem::new(&file.path, 0, message));
                }
            }
        }
    }
}

pub(super) fn check_purity(files: &[File], problems: &mut Vec<Problem>) {
    let text = |path: &str| {
        files.iter().find(|file| file.path == path).and_then(|file| file.text.as_deref())
    };
    let model = text("crates/lang/clippy.toml");
    for layer in LAYERS.iter().filter(|layer| layer.pure) {
        let exists = text(&format!("{}/Cargo.toml", layer.directory)).is_some();
        let path = format!("{}/clippy.toml", layer.directory);
        if exists && (model.is_none() || text(&path) != model) {
            problems.push(Problem::new(&path, 0, "must be a copy of crates/lang/clippy.toml"));
        }
    }
}

pub(super) fn check_lints(files: &[File], problems: &mut Vec<Problem>) {
    for (file, _, manifest) in manifests(files) {
        let inherits = manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool());
        if inherits != Some(true) {
            problems.push(Problem::new(&file.path, 0, "must say [lints] workspace = true"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LAYERS;
    use crate::tidy::tests::{complaints, complaints_in};

    #[test]
    fn an_upward_dependency_is_found() {
        let rule = "direction of dependencies";
        let lang = |dependency: &str| {
            format!("[package]\nname = \"farrier-lang\"\n[dependencies]\n{dependency}\n")
        };
        let path = "crates/lang/Cargo.toml";
        assert_eq!(complaints(rule, path, &lang("rustc-hash = \"2\"")).len(), 0);
        assert_eq!(complaints(rule, path, &lang("farrier-front.workspace = true")).len(), 1);
        assert_eq!(complaints(rule, path, &lang("tempfile = \"3\"")).len(), 1);
        assert_eq!(complaints(rule, "crates/new/Cargo.toml", &lang("")).len(), 1);
        let harness = "[package]\nname = \"farrier-harness\"\n[dependencies]\nfarrier-synth.workspace = true\n";
        assert_eq!(complaints(rule, "crates/harness/Cargo.toml", harness).len(), 1);
    }

    #[test]
    fn the_layers_have_no_cycle() {
        for (index, layer) in LAYERS.iter().enumerate() {
            for used in layer.may_use {
                let position = LAYERS.iter().position(|other| other.package == *used);
                assert!(position.is_some_and(|position| position < index), "{}", layer.package);
                let used_is_pure = LAYERS[position.unwrap()].pure;
                assert!(used_is_pure || !layer.pure, "{} is pure, {used} is not", layer.package);
            }
        }
    }

    #[test]
    fn another_clippy_table_is_found() {
        let files = [
            ("crates/lang/clippy.toml", "a"),
            ("crates/lang/Cargo.toml", ""),
            ("crates/front/clippy.toml", "b"),
            ("crates/front/Cargo.toml", ""),
        ];
        assert_eq!(complaints_in("one purity", &files).len(), 1);
    }

    #[test]
    fn missing_lints_are_found() {
        assert_eq!(complaints("lints of the workspace", "xtask/Cargo.toml", "").len(), 1);
        let good = "[lints]\nworkspace = true\n";
        assert_eq!(complaints("lints of the workspace", "xtask/Cargo.toml", good).len(), 0);
    }
}
