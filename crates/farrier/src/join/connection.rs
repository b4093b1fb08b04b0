//! The connection to the server: who we are, and what is wrong if it does not work.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use async_nats::jetstream::context::{
    GetStreamErrorKind, PublishError, PublishErrorKind, RequestError, RequestErrorKind,
};
use async_nats::jetstream::{self, Context, ErrorCode, kv};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use futures_util::TryStreamExt;
use tokio::runtime::{Builder, Runtime};

use super::Address;

/// So long an answer of the server is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// So often the same is asked before the work begins, and so long an answer may take.
const ATTEMPTS: u32 = 10;
const ANSWER: Duration = Duration::from_millis(4_500);

/// A server that says nothing for about twice this time is gone.
const PING: Duration = Duration::from_secs(5);

/// The longest time between two attempts to connect again.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// What an address is like.
const EXAMPLE: &str = "it is like nats://host:4222";

/// The connection with the thread's worth of runtime that it needs.
pub(super) struct Connection {
    pub(super) runtime: Runtime,
    pub(super) client: Client,
    pub(super) context: Context,
    /// What happens to the connection.
    pub(super) events: mpsc::Receiver<Event>,
}

impl Connection {
    /// Connects, or says what is wrong.
    pub(super) fn new(address: &Address) -> anyhow::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        if address.url.parse::<ServerAddr>().is_ok_and(|server| server.host().is_empty()) {
            bail!("`{}` is no address of a NATS server: {EXAMPLE}", address.url);
        }
        let (sender, events) = mpsc::channel();
        let options = options(address, sender)?;
        let url = &address.url;
        let connect = async {
            let client = options.connect(url.as_str()).await?;
            let mut context = jetstream::new(client.clone());
            context.set_timeout(PATIENCE);
            Ok((client, context))
        };
        let (client, context) =
            runtime.block_on(connect).map_err(|error| explain(&error, address))?;
        let connection = Self { runtime, client, context, events };
        // Any question will do: a server without JetStream has nobody to answer.
        match connection.block_on(async |context| has_stream(context, "farrier").await) {
            Ok(_) => Ok(connection),
            Err(error) if is_timeout(&error) => Err(error.context(format!(
                "the storage of the server {url} does not answer: it hangs, or its disk is full"
            ))),
            Err(error) => Err(error.context(format!(
                "the server {url} has no JetStream: start it with `nats-server --jetstream`"
            ))),
        }
    }

    /// Asks the server something, and waits. It is asked again if it does not answer: the servers
    /// of a cluster may be choosing who answers. So it must do no harm to ask twice.
    pub(super) fn block_on<T>(
        &self,
        question: impl AsyncFn(&Context) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        // Shorter than the patience of the client, whose errors are of many types.
        let once = async || match tokio::time::timeout(ANSWER, question(&self.context)).await {
            Ok(result) => result,
            Err(_) => bail!(Silent { what: "answer".to_owned() }),
        };
        for _ in 1..ATTEMPTS {
            match self.runtime.block_on(once()) {
                Err(error) if is_timeout(&error) => {}
                result => return result,
            }
        }
        self.runtime.block_on(once()).map_err(|error| match is_timeout(&error) {
            true => error.context("the NATS server was asked several times"),
            false => error,
        })
    }

    /// A name that nothing else has.
    pub(super) fn draw_name(&self) -> String {
        blake3::hash(self.client.new_inbox().as_bytes()).to_hex()[..16].to_owned()
    }
}

fn options(address: &Address, events: mpsc::Sender<Event>) -> anyhow::Result<ConnectOptions> {
    let Address { creds, authority, user, password, token, .. } = address;
    let mut options = ConnectOptions::new();
    if let Some(file) = creds {
        let failed = || format!("cannot use the credentials in `{}`", file.display());
        let text = std::fs::read_to_string(file).with_context(failed)?;
        options = options.credentials(&text).with_context(failed)?;
    }
    if let Some(token) = &token.0 {
        options = options.token(token.clone());
    }
    if let Some(user) = user {
        options = options.user_and_password(user.clone(), password.0.clone().unwrap_or_default());
    }
    if let Some(file) = authority {
        std::fs::metadata(file).with_context(|| format!("cannot read `{}`", file.display()))?;
        options = options.add_root_certificates(file.clone()).require_tls(true);
    }
    // The thread that listens may be gone.
    let events = Mutex::new(events);
    let listen = move |event| {
        let _ = events.lock().unwrap_or_else(PoisonError::into_inner).send(event);
        async {}
    };
    Ok(options
        .name("farrier")
        .connection_timeout(PATIENCE)
        .request_timeout(Some(PATIENCE))
        .ping_interval(PING)
        .max_reconnects(None)
        .reconnect_delay_callback(|attempt| pause(u32::try_from(attempt).unwrap_or(u32::MAX)))
        .event_callback(listen))
}

/// How long to wait before an attempt: longer each time, and not the same for all machines.
pub(super) fn pause(attempt: u32) -> Duration {
    let longest = Duration::from_millis(100).saturating_mul(1 << attempt.min(10));
    let longest = longest.min(LONGEST_PAUSE);
    // The keys of the hash maps of the library are the randomness that is at hand.
    let lot = RandomState::new().hash_one(attempt) % 1000;
    longest / 2 + longest.mul_f64(lot as f64 / 2000.0)
}

/// Why there is no connection, and what to do.
fn explain(error: &async_nats::ConnectError, address: &Address) -> anyhow::Error {
    let Address { url, creds, user, token, .. } = address;
    match error.kind() {
        ConnectErrorKind::ServerParse => {
            anyhow!("`{url}` is no address of a NATS server: {EXAMPLE}")
        }
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            let given = match (creds, user, &token.0) {
                (Some(_), ..) => "these credentials",
                (None, Some(_), _) => "this user with this password",
                (None, None, Some(_)) => "this token",
                (None, None, None) => "a client without a name",
            };
            anyhow!(
                "the server {url} does not let {given} in: set NATS_USER and NATS_PASSWORD, or \
                 NATS_TOKEN, or use --creds"
            )
        }
        _ if is_about_encryption(error) => {
            anyhow!(
                "there is no encrypted connection to {url}: {error}; --tls-ca names the file of the authority"
            )
        }
        _ => anyhow!("cannot connect to {url}: {error}; is the server running?"),
    }
}

/// Whether the other side does not encrypt, or is not trusted; the library calls most of this a
/// failure to read.
fn is_about_encryption(error: &async_nats::ConnectError) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let kind = inner.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        if kind == Some(std::io::ErrorKind::InvalidData) {
            return true;
        }
        cause = inner.source();
    }
    error.kind() == ConnectErrorKind::Tls
}

/// Whether the server has a stream.
pub(super) async fn has_stream(context: &Context, name: &str) -> anyhow::Result<bool> {
    match context.get_stream(name).await {
        Ok(_) => Ok(true),
        Err(error) => match error.kind() {
            GetStreamErrorKind::JetStream(error)
                if error.error_code() == ErrorCode::STREAM_NOT_FOUND =>
            {
                Ok(false)
            }
            _ => Err(error.into()),
        },
    }
}

/// No answer came in time.
#[derive(Debug, thiserror::Error)]
#[error("the server does not answer ({what})")]
struct Silent {
    what: String,
}

/// Whether an error is that no answer came in time.
pub(super) fn is_timeout(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let asked = cause.downcast_ref::<RequestError>().map(|error| error.kind());
        let sent = cause.downcast_ref::<PublishError>().map(|error| error.kind());
        cause.is::<Silent>()
            || asked == Some(RequestErrorKind::TimedOut)
            || sent == Some(PublishErrorKind::TimedOut)
    })
}

/// The names of all streams.
pub(super) async fn stream_names(context: &Context) -> anyhow::Result<Vec<String>> {
    Ok(context.stream_names().try_collect().await?)
}

/// An entry that was not deleted.
pub(super) fn live(entry: Option<kv::Entry>) -> Option<kv::Entry> {
    entry.filter(|entry| entry.operation == kv::Operation::Put)
}

/// The result, or an error if it takes too long.
pub(super) async fn patiently<T>(
    what: &str,
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    match tokio::time::timeout(2 * PATIENCE, work).await {
        Ok(result) => result,
        Err(_) => bail!(Silent { what: what.to_owned() }),
    }
}
