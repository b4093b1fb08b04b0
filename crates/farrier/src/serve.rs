//! The live page: a hunt that is looked at while it runs.
//!
//! docs/design/serve.md says what is served, to whom, and what it may cost.

mod access;
mod api;
mod archive;
mod bundles;
mod listing;
mod metrics;
mod overview;
mod pages;
mod reply;
mod server;
mod site;

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::Context;

pub(crate) use self::access::{Access, Token};
use self::bundles::Bundles;
use self::server::{Desk, Service};
use self::site::LivePage;

/// Takes an address. One that is in use is an error that says what to do.
pub(crate) fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).with_context(|| {
        format!(
            "cannot listen on `{address}`: name another address with --listen; with port 0 the \
             system chooses a free one"
        )
    })
}

/// Serves a hunt until it is told to stop.
pub(crate) fn serve(
    directory: &Path,
    listener: TcpListener,
    access: Access,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let mut site = LivePage::open(directory)?;
    let mut bundles = Bundles::new(directory);
    let service = Service {
        access,
        pages: Desk::new("pages", move |asked| site.answer(asked))?,
        bundles: Desk::new("bundles", move |asked| bundles.answer(asked))?,
    };
    server::run(listener, service, stop)
}
