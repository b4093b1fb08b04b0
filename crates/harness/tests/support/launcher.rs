//! The launcher of the sandbox, for tests of this crate.

fn main() {
    farrier_harness::launch_if_asked(std::env::args_os().skip(1));
    panic!("this program only launches others");
}
