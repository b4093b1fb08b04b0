//! The launcher of programs for GPUs, with a driver that is a fake (`support/fake_cuda.c`).

use std::fs;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const HARNESS: &str = env!("CARGO_MANIFEST_DIR");

/// A directory with the launcher and the driver.
fn workshop(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gpu-{name}"));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).expect("it can be made");
    let flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1"];
    let build = |file: &str, rest: &[&str]| {
        let source = Path::new(HARNESS).join(file);
        let mut cc = Command::new("cc");
        cc.current_dir(&place).args(flags).arg(source).args(rest);
        assert!(cc.status().expect("install gcc").success(), "{file}");
    };
    build("src/outcome/gpu.c", &["-o", "farrier-gpu", "-ldl"]);
    build(
        "tests/support/fake_cuda.c",
        &["-shared", "-fPIC", "-o", "libcuda.so.1", "-lpthread", "-ldl"],
    );
    place
}

/// A module whose kernel does this.
fn module(place: &Path, name: &str, body: &str) -> PathBuf {
    let text = format!(
        "#include <stdio.h>\nint farrier_status, value = 40;\n\
         void _Z14farrier_kernelv(void) {{ {body} }}\n"
    );
    fs::write(place.join("module.c"), text).expect("it can be written");
    let mut cc = Command::new("cc");
    cc.current_dir(place).args(["-shared", "-fPIC", "-w", "module.c", "-o", name]);
    assert!(cc.status().expect("install gcc").success(), "{body}");
    place.join(name)
}

fn launch(place: &Path, words: &[&str], faults: &str) -> Output {
    let mut launcher = Command::new(place.join("farrier-gpu"));
    launcher.args(words).env("LD_LIBRARY_PATH", place).env("FAKE_CUDA", faults);
    launcher.output().expect("it was compiled")
}

#[test]
fn what_a_program_does_stands_between_marks() {
    let place = workshop("marks");
    let ring = "for (int i = 0; i < 300000; ++i) putchar('x');";
    for (body, faults, end) in [
        ("printf(\"%d\\n\", value++); farrier_status = value;", "", "40\nfarrier: end 41\n"),
        ("printf(\"no line break\");", "", "no line breakfarrier: end 0\n"),
        ("printf(\"lost\");", "cuStreamQuery=700", "lostfarrier: end fault\n"),
        ("", "cuCtxSynchronize=719", "farrier: end fault\n"),
        ("for (;;);", "", "farrier: end hang\n"),
        (ring, "", "farrier: end memory\n"),
        ("", "cuModuleLoadData=209", "farrier: end device\n"),
    ] {
        let path = module(&place, "module.cubin", body);
        let output = launch(&place, &[path.to_str().expect("it is UTF-8"), "300"], faults);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(text, format!("farrier: begin\n{end}"), "{body}: {output:?}");
        assert!(output.status.success(), "{body}: {output:?}");
    }
}

#[test]
fn without_a_device_that_can_be_used_nothing_is_said_of_the_program() {
    let place = workshop("none");
    let path = module(&place, "module.cubin", "printf(\"never\");");
    let path = path.to_str().expect("it is UTF-8");
    for (faults, message) in [
        ("cuInit=100", "cuInit: "),
        ("cuDeviceGet=101", "cuDeviceGet: "),
        ("cuDevicePrimaryCtxRetain=46", "cuDevicePrimaryCtxRetain: "),
        ("cuCtxSetLimit=2", "the size of the stack: "),
        ("cuModuleLoadData=200", "the driver does not load the module: "),
        ("cuLaunchKernel=701", "cuLaunchKernel: "),
        ("cuCtxSynchronize=214", "the device fails: "),
        ("cuStreamQuery=999", "the device fails: "),
        ("cuMemcpyDtoH_v2=999", "cuMemcpyDtoH: "),
    ] {
        let output = launch(&place, &[path], faults);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.starts_with(message), "{faults}: {said}");
        assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b""[..]), "{faults}");
    }
    let output = launch(&place, &["missing.cubin"], "");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("cannot read `missing.cubin`: "), "{said}");
    let mut bare = Command::new(place.join("farrier-gpu"));
    let output = bare.arg("--about").env("LD_LIBRARY_PATH", "/nowhere").output();
    let said = output.expect("it was compiled");
    // A machine that has a driver answers.
    assert!(!said.stdout.is_empty() || !said.stderr.is_empty(), "{said:?}");
}

#[test]
fn one_launcher_runs_many_programs_each_anew() {
    let place = workshop("many");
    let counts = module(&place, "counts.cubin", "printf(\"%d\\n\", value++);");
    let hangs = module(&place, "hangs.cubin", "for (;;);");
    let (mut ours, theirs) = UnixStream::pair().expect("there are sockets");
    let mut launcher = Command::new(place.join("farrier-gpu"));
    launcher.arg("--serve").env("LD_LIBRARY_PATH", &place);
    launcher.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped());
    let mut child = launcher.spawn().expect("it was compiled");
    drop(launcher);
    let mut ask = |module: &Path| {
        let words = format!("{}\0300\0", module.display());
        let length = u32::try_from(words.len()).expect("it is short");
        ours.write_all(&length.to_le_bytes()).expect("it listens");
        ours.write_all(words.as_bytes()).expect("it listens");
        let mut reply = [0; 13];
        ours.read_exact(&mut reply).expect("it answers");
        (reply[0], i32::from_le_bytes([reply[1], reply[2], reply[3], reply[4]]))
    };
    for _ in 0..3 {
        assert_eq!(ask(&counts), (0, 0));
    }
    // Only the process can stop a program that hangs, so it ends.
    assert_eq!(ask(&hangs), (1, 0));
    let mut text = String::new();
    child.stdout.take().expect("it has one").read_to_string(&mut text).expect("it is a text");
    assert!(child.wait().expect("it ends").success());
    let once = "farrier: begin\n40\nfarrier: end 0\n";
    assert_eq!(text, format!("{}farrier: begin\nfarrier: end hang\n", once.repeat(3)));
}
