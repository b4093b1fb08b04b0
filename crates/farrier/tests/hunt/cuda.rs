//! Hunts in a compiler for CUDA. It is a script, so that no test needs nvcc; where programs are
//! run, the driver of the GPU is a fake, too.

use super::*;

/// A compiler that says it is nvcc, and accepts what g++ accepts where this machine is the device.
/// Its modules are libraries of this machine, which the fake of a driver runs. It breaks its module
/// for every program with an `@FAULT@`, and compiles `^` wrongly at the level `@LEVEL@`.
const NVCC: &str = r#"#!/bin/sh
source= product= preprocess= edit=
while [ $# -gt 0 ]; do
    case $1 in
    --version) echo "nvcc: NVIDIA (R) Cuda compiler driver"; exit ;;
    --list-gpu-code) printf 'sm_75\nsm_90\n'; exit ;;
    -E) preprocess=1 ;;
    @LEVEL@) edit='s/ ^ / | /g' ;;
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
sed "s/<<<1, 1>>>//; $edit" "$source" > "$source.cpp"
g++ -w -std=gnu++20 -include @HEADER@ -shared -fPIC "$source.cpp" -o "$product" || exit 1
"#;

/// A directory with that compiler.
fn plant(name: &str, fault: &str, level: &str) -> (Place, String) {
    let place = Place::new(name);
    let path = place.path.join("nvcc");
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/../synth/tests/cuda.h");
    let header = Path::new(header).canonicalize().expect("it is there");
    let script = NVCC
        .replace("@HEADER@", &header.display().to_string())
        .replace("@FAULT@", fault)
        .replace("@LEVEL@", level);
    fs::write(&path, script).expect("it can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let subject = path.display().to_string();
    (place, subject)
}

const HUNT: [&str; 9] =
    ["hunt", "--seed", "3", "--size", "4k", "--programs", "6", "--config", PLAIN];

#[test]
fn a_broken_module_is_found_reduced_and_reported() {
    let (place, nvcc) = plant("broken-module", "do {", "none");
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
    let (place, nvcc) = plant("honest-cuda", "no such text", "none");
    let output = place.run(&[&HUNT[..], &["--subject", &nvcc]].concat());
    assert_status(&output, 0);
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(summary.contains("6 programs"), "{summary}");
}

/// Puts the fake of a driver into the directory: that of this machine, or of another.
fn install_driver(place: &Place, machine: &str) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../harness/tests/support/fake_cuda.c");
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-O1", "-shared", "-fPIC", machine, source, "-o"]);
    cc.arg(place.path.join("libcuda.so.1")).args(["-lpthread", "-ldl"]);
    assert!(cc.status().expect("install gcc").success());
}

/// Runs a command where that driver is found, with these faults of it.
fn run_with_driver(place: &Place, faults: &str, arguments: &[&str]) -> Output {
    let mut command = place.command(arguments);
    command.env("LD_LIBRARY_PATH", &place.path).env("FAKE_CUDA", faults);
    command.output().expect("it can be started")
}

#[test]
fn wrong_code_for_a_gpu_is_found_and_replayed() {
    let (place, nvcc) = plant("wrong-cuda", "no such text", "-Xptxas=-O3");
    install_driver(&place, "-DHERE");
    let hunt = [&HUNT[..], &["--subject", &nvcc]].concat();
    let output = run_with_driver(&place, "", &hunt);
    assert_status(&output, 1);
    let findings = place.json(&["findings", "--json"]);
    let first = &findings[0];
    assert_eq!(first["kind"], "wrong-output", "{first}");
    let name = first["name"].as_str().expect("it has a name").to_owned();
    let flags = first["flags"].as_array().expect("they are a list");
    assert!(flags.contains(&"-Xptxas=-O3".into()), "{first}");
    // What a person types needs no launcher: the text has a host.
    let shown = place.run(&["show", &name]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("-arch=sm_90") && shown.contains("program.cu -o program\n"), "{shown}");
    assert!(shown.contains("  ./program"), "{shown}");
    let again = run_with_driver(&place, "", &["replay", &name]);
    assert_status(&again, 1);
    // A GPU that is gone says nothing of the program.
    let gone = run_with_driver(&place, "cuInit=100", &["replay", &name]);
    let said = String::from_utf8_lossy(&[gone.stdout, gone.stderr].concat()).into_owned();
    assert!(said.contains("the GPU cannot be used: cuInit"), "{said}");
}

#[test]
fn programs_that_a_gpu_runs_rightly_agree() {
    let (place, nvcc) = plant("right-cuda", "no such text", "none");
    install_driver(&place, "-DHERE");
    let hunt = [&HUNT[..], &["--subject", &nvcc]].concat();
    let output = run_with_driver(&place, "", &hunt);
    assert_status(&output, 0);
    for (faults, word) in [
        ("cuLaunchKernel=701", "cuLaunchKernel"),
        ("cuDevicePrimaryCtxRetain=2", "cuDevicePrimaryCtxRetain"),
        ("cuCtxSynchronize=214", "the device fails"),
    ] {
        // The compiler itself was asked while the device was well.
        let output = run_with_driver(&place, faults, &["hunt", "--programs", "8"]);
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(said.contains(word), "{faults}: {said}");
        assert!(place.json(&["findings", "--json"]).as_array().is_some_and(Vec::is_empty));
    }
}

/// The example of a compiler and a GPU on two machines, where the second is this one.
#[test]
fn the_compiler_and_the_gpu_may_be_on_two_machines() {
    let (place, _) = plant("two-machines", "no such text", "-Xptxas=-O3");
    install_driver(&place, "-DELSEWHERE");
    let launcher = concat!(env!("CARGO_MANIFEST_DIR"), "/../harness/src/outcome/gpu.c");
    let mut cc = Command::new("cc");
    cc.args(["-O1", launcher, "-o"]).arg(place.path.join("farrier-gpu")).arg("-ldl");
    assert!(cc.status().expect("install gcc").success());
    let ssh = place.path.join("ssh");
    let text =
        "#!/bin/sh\n[ \"$3\" = somewhere ] || exit 255\ncd \"${0%/*}\" && shift 3 && \"$@\"\n";
    fs::write(&ssh, text).expect("it can be written");
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/gpu/farrier.toml");
    let path = std::env::var("PATH").expect("there is one");
    let hunt = [&HUNT[..], &["--subjects", example, "--subject", "nvcc-gpu"]].concat();
    for (machine, status, says) in
        [("nowhere", 2, "gpu.sh` fails"), ("somewhere", 1, "wrong-output")]
    {
        let mut command = place.command(&hunt);
        command.args(["--dir", machine]).env("FARRIER_GPU", machine);
        command.env("PATH", format!("{}:{path}", place.path.display()));
        let output = command.env("LD_LIBRARY_PATH", &place.path).output().expect("it starts");
        let said = [&*output.stdout, &*output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(said.contains(says), "{machine}: {said}");
    }
}
