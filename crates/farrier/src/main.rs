//! The `farrier` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    farrier::main()
}
