//! Hunts in a compiler for CUDA. It is a script, so that no test needs nvcc.

use super::*;

/// A compiler that says it is nvcc, and accepts what g++ accepts where this machine is the device.
/// It breaks its module for every program with an `@FAULT@`.
const NVCC: &str = r#"#!/bin/sh
source= product= preprocess=
while [ $# -gt 0 ]; do
    case $1 in
    --version) echo "nvcc: NVIDIA (R) Cuda compiler driver"; exit ;;
    --list-gpu-code) printf 'sm_75\nsm_90\n'; exit ;;
    -E) preprocess=1 ;;
    -o) product=$2; shift ;;
    *.c | *.cu) source=$1 ;;
    esac
    shift
done
if [ -n "$preprocess" ]; then
    exec gcc -E -D__NVCC__ -D__CUDACC_VER_MAJOR__=13 -D__CUDACC_VER_MINOR__=4 \
        -D__CUDACC_VER_BUILD__=92 "$source"
fi
if grep -q '@FAULT@' "$source"; then
    echo 'Global variable initializer type does not match global variable type!' >&2
    echo 'ptr @g7' >&2
    echo '<unnamed>: parse Broken module found, compilation aborted!' >&2
    echo "nvcc error   : 'cicc' died due to signal 6 " >&2
    exit 6
fi
sed 's/<<<1, 1>>>//' "$source" > "$source.cpp"
g++ -w -std=gnu++20 -include @HEADER@ -c "$source.cpp" -o "$product" || exit 1
"#;

/// A directory with that compiler.
fn plant(name: &str, fault: &str) -> (Place, String) {
    let place = Place::new(name);
    let path = place.path.join("nvcc");
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/../synth/tests/cuda.h");
    let header = Path::new(header).canonicalize().expect("it is there");
    let script = NVCC.replace("@HEADER@", &header.display().to_string()).replace("@FAULT@", fault);
    fs::write(&path, script).expect("it can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let subject = path.display().to_string();
    (place, subject)
}

const HUNT: [&str; 9] =
    ["hunt", "--seed", "3", "--size", "4k", "--programs", "6", "--config", PLAIN];

#[test]
fn a_broken_module_is_found_reduced_and_reported() {
    let (place, nvcc) = plant("broken-module", "do {");
    let output = place.run(&[&HUNT[..], &["--subject", &nvcc]].concat());
    assert_status(&output, 1);
    let findings = place.json(&["findings", "--json"]);
    let first = &findings[0];
    assert_eq!(first["kind"], "compiler-crash", "{first}");
    let name = first["name"].as_str().expect("it has a name");
    let shown = place.run(&["show", name]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("nvptx64") && shown.contains("-cubin program.cu"), "{shown}");
    let reduced = place.run(&["reduce", name]);
    let path = String::from_utf8_lossy(&reduced.stdout).trim().to_owned();
    let text = fs::read_to_string(place.path.join(&path)).expect("the program is there");
    assert!(path.ends_with(".cu") && text.contains("do {"), "{path}: {text}");
    assert!(text.len() < 1_200, "{} bytes: {text}", text.len());
    let triage = place.run(&["triage", name]);
    let said = [triage.stdout, triage.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains("broken module: Global variable initializer"), "{said}");
    assert_status(&place.run(&["report", name]), 0);
}

#[test]
fn an_honest_compiler_for_cuda_is_not_accused() {
    let (place, nvcc) = plant("honest-cuda", "no such text");
    let output = place.run(&[&HUNT[..], &["--subject", &nvcc]].concat());
    assert_status(&output, 0);
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(summary.contains("6 programs"), "{summary}");
}
