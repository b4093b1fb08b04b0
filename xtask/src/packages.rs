//! The Debian packages that the checks need; the list is `packages.txt`.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::repository::root;

/// The names in a list: one per line, `#` begins a comment.
fn names(list: &str) -> Vec<&str> {
    list.lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Installs what is missing when run as root; otherwise says how to install it.
/// Returns what to report.
pub(crate) fn install_missing() -> Result<String> {
    let path = root().join("packages.txt");
    let list = std::fs::read_to_string(&path).context("packages.txt cannot be read")?;
    let wanted = names(&list);
    ensure!(
        Path::new("/usr/bin/dpkg-query").exists(),
        "this is not a Debian system: install what packages.txt lists in your own way"
    );
    let missing: Vec<&str> = wanted.iter().copied().filter(|name| !is_installed(name)).collect();
    if missing.is_empty() {
        return Ok(format!("all {} packages are installed", wanted.len()));
    }
    let install = format!("apt-get install --yes --no-install-recommends {}", missing.join(" "));
    if !is_root()? {
        bail!("packages are missing; run\n\n    sudo {install}\n\nand try again");
    }
    // The lists of a fresh image may be missing or too old to find anything.
    apt_get(&["update"])?;
    let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
    arguments.extend(&missing);
    apt_get(&arguments).with_context(|| format!("the command was: {install}"))?;
    Ok(format!("installed {}", missing.join(" ")))
}

fn is_installed(name: &str) -> bool {
    Command::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Status}", name])
        .stderr(Stdio::null())
        .output()
        .is_ok_and(|output| output.stdout.starts_with(b"installed"))
}

fn is_root() -> Result<bool> {
    let output = Command::new("id").arg("-u").output().context("id cannot be started")?;
    Ok(output.stdout.trim_ascii() == b"0")
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let status = Command::new("apt-get")
        .args(["-q", "-o", "Dpkg::Use-Pty=0"])
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdout(Stdio::null())
        .status()
        .context("apt-get cannot be started")?;
    ensure!(status.success(), "apt-get {} failed with {status}", arguments[0]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn comments_and_blank_lines_are_not_names() {
        assert_eq!(names("# all\n\ngcc  # compiles\n  csmith\n"), ["gcc", "csmith"]);
    }
}
