//! Where the compiler of CUDA is, and what runs its programs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Family, Runner, Subject};
use crate::Sandbox;

/// The variables that name a directory with `bin/nvcc`.
const HOMES: [&str; 2] = ["CUDA_HOME", "CUDA_PATH"];

/// The variable that names nvcc itself.
const COMPILER: &str = "NVCC";

/// The variables that name an environment of Python.
const ENVIRONMENTS: [&str; 2] = ["VIRTUAL_ENV", "CONDA_PREFIX"];

/// How to get the compiler.
pub(super) const ADVICE: &str = "pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt \
                                 nvidia-cuda-runtime in a virtual environment, and activate it; \
                                 or set CUDA_HOME or NVCC";

/// A program for the device, which is started as all are.
pub(super) const TRIAL: &str = "\
#include <stdio.h>
__device__ int farrier_status;
__device__ int sum(int n) { return n ? n + sum(n - 1) : 0; }
__global__ void farrier_kernel()
{
    unsigned one = 1;
    printf(\"%d %d %d\\n\", sum(10), (int)sizeof(long), *(unsigned char *)&one);
    farrier_status = sum(2);
}
";

/// Gives the programs of a compiler to the GPU of this machine, and has them compiled for it; if
/// there is none, they are only compiled.
pub(super) fn on_gpu(subject: &mut Subject, sandbox: &Sandbox) {
    if subject.family != Family::Nvcc || !matches!(subject.runner, Runner::Missing(_)) {
        return;
    }
    match sandbox.gpu() {
        Ok(gpu) => {
            subject.flags.push(format!("-arch={}", gpu.code));
            subject.runner = Runner::Gpu(gpu.code);
        }
        Err(why) => {
            subject.runner = Runner::Missing(format!("there is no GPU to run programs on: {why}"));
        }
    }
}

/// Compilers of CUDA outside the search path: those that variables name, and those of the
/// packages of an environment of Python.
pub(super) fn compilers() -> Vec<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let homes = HOMES.into_iter().filter_map(named).map(|home| home.join("bin/nvcc"));
    let packages = ENVIRONMENTS.into_iter().filter_map(named).flat_map(|place| packages(&place));
    let mut found: Vec<PathBuf> = homes.chain(named(COMPILER)).chain(packages).collect();
    found.retain(|file| file.is_absolute() && file.is_file());
    found.sort();
    found.dedup();
    found
}

/// The files `lib/python*/site-packages/nvidia/*/bin/nvcc` of an environment.
fn packages(environment: &Path) -> Vec<PathBuf> {
    let list = |place: PathBuf| -> Vec<PathBuf> {
        let entries = fs::read_dir(place).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let versions = list(environment.join("lib")).into_iter();
    let packages = versions.flat_map(|version| list(version.join("site-packages/nvidia")));
    let files = packages.map(|package| package.join("bin/nvcc"));
    files.filter(|file| file.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packages_of_python_have_it() {
        let root = env::temp_dir().join(format!("farrier-cuda-{}", std::process::id()));
        let place = root.join("lib/python3.11/site-packages/nvidia/cu13/bin");
        fs::create_dir_all(&place).expect("it can be made");
        assert_eq!(packages(&root), Vec::<PathBuf>::new());
        fs::write(place.join("nvcc"), "").expect("it can be written");
        let found = packages(&root);
        fs::remove_dir_all(&root).expect("it is ours");
        assert_eq!(found, [place.join("nvcc")]);
    }
}
