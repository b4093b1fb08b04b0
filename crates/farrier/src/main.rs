//! The `farrier` command.
fn main() {}
