//! Links the binaries statically where that is known to work.
//!
//! `farrier check` runs for ten milliseconds, and the launcher of the sandbox for one:
//! loading and relocating shared libraries would be a good part of either. The target
//! feature `crt-static` would do the same, but without `--target` it is for procedural
//! macros too, and these must be shared libraries.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// The libraries that the standard library asks for, and the archives that have the same.
const LIBRARIES: [(&str, &str); 7] = [
    ("c", "libc.a"),
    ("dl", "libdl.a"),
    ("gcc_s", "libgcc_eh.a"),
    ("m", "libm.a"),
    ("pthread", "libpthread.a"),
    ("rt", "librt.a"),
    ("util", "libutil.a"),
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let target = env::var("TARGET").unwrap_or_default();
    let archives: Option<Vec<PathBuf>> =
        LIBRARIES.iter().map(|(_, archive)| find_archive(archive)).collect();
    // Some systems have the archives in a package of their own.
    let (true, Some(archives)) = (target == "x86_64-unknown-linux-gnu", archives) else {
        return Ok(());
    };
    // The linker looks here first, and finds nothing but archives.
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("static");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory)?;
    for ((library, _), archive) in LIBRARIES.iter().zip(archives) {
        symlink(archive, directory.join(format!("lib{library}.a")))?;
    }
    for argument in ["-no-pie", "-static"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    println!("cargo::rustc-link-arg-bins=-L{}", directory.display());
    Ok(())
}

/// Where the C compiler, which links, has an archive.
#[expect(clippy::disallowed_methods, reason = "the rules for processes are those of hunts")]
fn find_archive(name: &str) -> Option<PathBuf> {
    let output = Command::new("cc").arg(format!("-print-file-name={name}")).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    // It says the bare name of what it does not have.
    Some(Path::new(path.trim()).to_owned()).filter(|path| path.is_absolute())
}
