//! The arguments of `farrier serve`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::exit_status;
use super::join::PlaceArguments;

const SERVE_EXAMPLES: &str = "\
Examples:
  farrier serve
      Serve the hunt in this directory at http://127.0.0.1:7171/, until Ctrl-C
  farrier serve --dir trunk --listen 127.0.0.1:0
      Serve another one; the system chooses the port, and standard output has the address
  farrier serve --listen 0.0.0.0:7171 --token-file token
      Serve to other machines: browsers ask for the token as password, with any name
  farrier serve --join nats://server:4222 --name trunk
      Serve a hunt of several machines
  curl -H \"Authorization: Bearer $(cat token)\" http://build7:7171/api/hunt
      The same as data
  ssh -L 7171:localhost:7171 build7
      Look at a hunt on another machine without opening it to the network";

/// Serve a live page about a hunt
///
/// The page shows a hunt while it runs and updates itself: findings by signature as they come,
/// speed, processor time, compilers, trials without a result and workers. Each finding has a page
/// with its program, the expected and the actual result, commands, and its bundle to be
/// downloaded. The same is there as JSON under /api and for Prometheus under /metrics.
///
/// Everything is only to be read. By default only this machine can reach it; on another address a
/// token is required, of at least 16 characters, in a file or in the variable FARRIER_TOKEN. It is
/// sent with every request: use an encrypted tunnel or a proxy with TLS.
#[derive(Debug, Args)]
#[command(after_help = format!("{SERVE_EXAMPLES}\n\n{}", exit_status("serve")))]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7171")]
    pub(crate) listen: String,
    /// The file with the token that every request must have
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
}
