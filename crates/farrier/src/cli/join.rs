//! The arguments that say which hunt is meant: a directory, or a name on a server.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::{Args, ValueHint};

use super::exit_status;
use super::hunt::{parse_bytes, parse_time};
use crate::join::{Address, Secret, ServerLimits};

/// The directory of a hunt if no other is named.
pub(crate) const DIRECTORY: &str = "farrier-hunt";

const SYNC_EXAMPLES: &str = "\
Examples:
  farrier sync --join nats://server:4222 --name trunk --dir trunk
      Keep a copy of the hunt in the directory trunk until Ctrl-C
  farrier sync --join nats://server:4222 --name trunk --dir trunk --once && farrier bugs --dir trunk
      Copy what there is, and look at it";

/// Which hunt is meant.
#[derive(Debug, Args)]
pub(crate) struct PlaceArguments {
    /// The directory of the hunt [default: farrier-hunt; with --join, one of its own]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) join: JoinArguments,
}

/// A hunt on a server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Hunts of several machines")]
pub(crate) struct JoinArguments {
    /// The NATS server of a hunt of several machines, such as nats://host:4222
    ///
    /// The environment variables NATS_USER and NATS_PASSWORD, or NATS_TOKEN, say who we are; a
    /// secret in the address would be visible to all users of the machine and is refused.
    #[arg(long, value_name = "URL", requires = "hunt_name", value_hint = ValueHint::Url)]
    pub(crate) join: Option<String>,
    /// The name of the hunt on the server
    #[arg(long = "name", value_name = "NAME", requires = "join")]
    pub(crate) hunt_name: Option<String>,
    /// A file of credentials for the server [default: that of NATS_CREDS]
    #[arg(long, value_name = "FILE", requires = "join", value_hint = ValueHint::FilePath)]
    pub(crate) creds: Option<PathBuf>,
    /// The certificates of the authority that the server is to be trusted by [default: that of
    /// NATS_CA]
    #[arg(long, value_name = "FILE", requires = "join", value_hint = ValueHint::FilePath)]
    pub(crate) tls_ca: Option<PathBuf>,
}

impl JoinArguments {
    /// Where the hunt is, if it is on a server.
    pub(crate) fn address(&self) -> anyhow::Result<Option<Address>> {
        let (Some(url), Some(name)) = (&self.join, &self.hunt_name) else { return Ok(None) };
        if url.contains('@') {
            bail!(
                "--join has a password or a token in it, which all users of this machine can \
                 see: set NATS_USER and NATS_PASSWORD, or NATS_TOKEN, or use --creds"
            );
        }
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let file = |given: &Option<PathBuf>, name: &str| {
            given.clone().or_else(|| variable(name).map(PathBuf::from))
        };
        Ok(Some(Address {
            url: url.clone(),
            name: name.clone(),
            creds: file(&self.creds, "NATS_CREDS"),
            authority: file(&self.tls_ca, "NATS_CA"),
            user: variable("NATS_USER"),
            password: Secret(variable("NATS_PASSWORD")),
            token: Secret(variable("NATS_TOKEN")),
        }))
    }
}

/// What a new hunt may take on the server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Hunts of several machines")]
pub(crate) struct ServerArguments {
    /// * On how many servers of a cluster everything is kept: 1 to 5
    #[arg(long, value_name = "N", default_value_t = 1, requires = "join",
        value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) replicas: u8,
    /// * What the hunt may take on the server
    #[arg(long, value_name = "BYTES", default_value = "4G", requires = "join",
        value_parser = parse_bytes)]
    pub(crate) server_bytes: u64,
    /// * How long the server keeps results
    #[arg(long, value_name = "TIME", default_value = "90d", requires = "join",
        value_parser = parse_time)]
    pub(crate) server_age: Duration,
    /// * After so long without a sign of life the programs of a machine go to others
    #[arg(long, value_name = "TIME", default_value = "60s", requires = "join",
        value_parser = parse_silence)]
    pub(crate) silence: Duration,
}

impl ServerArguments {
    /// The limits of a new hunt.
    pub(crate) fn limits(&self) -> ServerLimits {
        ServerLimits {
            replicas: usize::from(self.replicas),
            bytes: self.server_bytes,
            age: self.server_age,
            silence: self.silence,
        }
    }
}

fn parse_silence(text: &str) -> Result<Duration, String> {
    match parse_time(text)? {
        time if time < Duration::from_secs(1) => Err("the minimum is 1s".to_owned()),
        time if time > Duration::from_secs(3600) => Err("the maximum is 1h".to_owned()),
        time => Ok(time),
    }
}

/// Keep a copy of a hunt of several machines
///
/// The copy is a directory like that of any hunt: all commands that take --dir work with it. What
/// `farrier triage` and `farrier reduce` add to it goes to the server.
#[derive(Debug, Args)]
#[command(after_help = format!("{SYNC_EXAMPLES}\n\n{}", exit_status("sync")))]
pub(crate) struct SyncArguments {
    /// The directory of the copy
    #[arg(long, value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) join: JoinArguments,
    /// End when the copy is complete
    #[arg(long)]
    pub(crate) once: bool,
}
