//! The launcher of the sandbox. `farrier` can be its own; this program is small, and so
//! every confined process starts sooner.

fn main() {
    farrier_harness::launch_if_asked(std::env::args_os().skip(1));
    // It is not for people.
    std::process::exit(2);
}
