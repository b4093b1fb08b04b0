//! `farrier serve`: a live page about a hunt.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::Ordering;

use anyhow::{Context, bail};
use farrier_harness::Scratch;

use super::join::HuntPlace;
use crate::cli::ServeArguments;
use crate::finding::Store;
use crate::host::watch_signals;
use crate::serve::{self, Access, Token};
use crate::terminal::Talk;
use crate::{Status, output};

/// Runs the command.
pub(crate) fn run(arguments: &ServeArguments, talk: Talk) -> anyhow::Result<Status> {
    let address = address(&arguments.listen)?;
    let token = Token::read(arguments.token_file.as_deref(), talk)?;
    let access = Access::new(address, token)?;
    // A directory without a hunt is said before anything is begun.
    let place = HuntPlace::find(&arguments.place)?;
    let directory = place.directory.clone();
    drop(Store::open_to_read(&directory)?);
    let listener = serve::bind(address)?;
    let stop = watch_signals()?;
    let url = format!("http://{}/\n", listener.local_addr()?);
    talk.note(&format!("serving `{}`; Ctrl-C stops", directory.display()));
    output::write(None, url.as_bytes())?;
    let stop = &*stop;
    std::thread::scope(|scope| {
        // A copy that fails stops the page, which would show an old one for ever.
        let copied = scope.spawn(move || {
            let copied = place.follow(stop, talk);
            if copied.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            copied
        });
        let served = serve::serve(&directory, listener, access, stop);
        stop.store(true, Ordering::Relaxed);
        served.and(copied.join().expect("following does not panic"))
    })?;
    // A bundle may have been in the making.
    farrier_harness::end_all();
    let _ = Scratch::remove_own(&std::env::temp_dir());
    Ok(Status::Fine)
}

/// The address that a text names.
fn address(text: &str) -> anyhow::Result<SocketAddr> {
    let wrong = || format!("`{text}` is no address with a port, such as 127.0.0.1:7171");
    match text.to_socket_addrs().with_context(wrong)?.next() {
        Some(address) => Ok(address),
        None => bail!(wrong()),
    }
}
