//! What wine needs around it: a directory that takes the place of a disk, and the libraries of
//! Windows.
//!
//! A usual prefix takes seconds to make and has half a gigabyte. Of all that a program without
//! windows needs the four libraries that it calls, and none of the services that wine starts with
//! the first program. So every run gets a prefix of its own, of a few links, and the server that
//! wine starts ends with the run.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::scratch::file_error;

/// The prefix, in the directory of a program.
const PREFIX: &str = "wine-prefix";

/// Where distributions put the libraries: directories of one for each machine.
const PLACES: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/wine",
    "/usr/lib/i386-linux-gnu/wine",
    "/usr/lib64/wine",
    "/usr/lib/wine",
    "/usr/local/lib64/wine",
    "/usr/local/lib/wine",
    "/opt/wine-stable/lib64/wine",
    "/opt/wine-stable/lib/wine",
    "/opt/wine-devel/lib64/wine",
    "/opt/wine-devel/lib/wine",
    "/opt/wine-staging/lib64/wine",
    "/opt/wine-staging/lib/wine",
];

/// The libraries for 64 bits and those for 32, as wine calls their directories.
const WIDE: &str = "x86_64-windows";
const NARROW: &str = "i386-windows";

/// Where the libraries of Windows for a machine are, such as `i386-windows`: in a directory that
/// `WINEDLLPATH` names, or in one of those that distributions use.
pub(crate) fn libraries(machine: &str) -> Option<PathBuf> {
    let own = std::env::var_os("WINEDLLPATH").unwrap_or_default();
    let own: Vec<PathBuf> = std::env::split_paths(&own).collect();
    let places = own.into_iter().chain(PLACES.iter().map(PathBuf::from));
    places.map(|place| place.join(machine)).find(|place| place.join("ntdll.dll").is_file())
}

/// The name of the libraries that programs for a machine need, by the first part of its triple.
pub(crate) fn library_name(machine: &str) -> &'static str {
    if machine == "x86_64" { WIDE } else { NARROW }
}

/// What wine needs in its environment to use a new prefix beneath a directory: for a command that
/// is to be run without a sandbox.
pub fn wine_environment(directory: &Path) -> Result<Vec<(&'static str, OsString)>, Error> {
    Ok(environment(&prepare(directory)?))
}

/// Makes a new prefix beneath a directory, and says where it is.
pub(super) fn prepare(directory: &Path) -> Result<PathBuf, Error> {
    let prefix = directory.join(PREFIX);
    let make = || -> io::Result<()> {
        match fs::remove_dir_all(&prefix) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let windows = prefix.join("drive_c/windows");
        fs::create_dir_all(&windows)?;
        fs::create_dir(prefix.join("dosdevices"))?;
        symlink("../drive_c", prefix.join("dosdevices/c:"))?;
        symlink("/", prefix.join("dosdevices/z:"))?;
        // Otherwise the registry is brought up to date.
        fs::write(prefix.join(".update-timestamp"), "disable\n")?;
        for (machine, name) in [(WIDE, "system32"), (NARROW, "syswow64")] {
            if let Some(libraries) = libraries(machine) {
                symlink(libraries, windows.join(name))?;
            }
        }
        Ok(())
    };
    make().map_err(|error| file_error(&prefix, error))?;
    Ok(prefix)
}

/// The environment of wine. It says little of its own, and starts no services and no desktop.
pub(super) fn environment(prefix: &Path) -> Vec<(&'static str, OsString)> {
    let parent = |machine| libraries(machine).and_then(|place| Some(place.parent()?.to_owned()));
    let places = [WIDE, NARROW].into_iter().filter_map(parent);
    let path = std::env::var_os("PATH").unwrap_or_default();
    vec![
        ("PATH", path),
        ("WINEPREFIX", prefix.into()),
        // Where Debian's wine puts the socket of its server.
        ("TMPDIR", prefix.into()),
        ("WINEDEBUG", "-all".into()),
        ("WINEDLLOVERRIDES", "wineboot.exe,services.exe,explorer.exe=d".into()),
        ("WINEDLLPATH", std::env::join_paths(places).unwrap_or_default()),
    ]
}
