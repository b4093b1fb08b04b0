//! The edge of the network: connections, requests, headers. All that is async is here.
//!
//! A request that is allowed goes to a desk, which is a thread that answers one after the other.
//! So a slow answer keeps others waiting at the same desk only.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use farrier_lang::STACK_BYTES;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::access::{Access, Denied};
use super::bundles::FILE;
use super::pages;
use super::reply::{Asked, Reply};

/// So many connections are held; when another comes, the oldest makes room.
const MOST_CONNECTIONS: usize = 256;
/// The first line and the headers of a request may have so many bytes.
const MOST_HEAD: usize = 16 << 10;
/// A client has so long for them, and may be silent for so long.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// A connection is closed after this time, when its request is answered.
const LIFE: Duration = Duration::from_secs(60);
/// What was begun then has so long to its end.
const GRACE: Duration = Duration::from_secs(120);
/// What was begun when the server stops has so long.
const LAST_GRACE: Duration = Duration::from_millis(500);
/// So many requests wait at a desk.
const MOST_WAITING: usize = 64;

/// What a page may load and run: its own style and script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// A question with the way back.
type Waiting = (Asked, oneshot::Sender<Reply>);

/// A thread that answers.
#[derive(Clone, Debug)]
pub(crate) struct Desk(mpsc::SyncSender<Waiting>);

impl Desk {
    /// Starts the thread. It ends with the process, or when no one can ask it any more.
    pub(crate) fn new(
        name: &str,
        mut clerk: impl FnMut(&Asked) -> anyhow::Result<Reply> + Send + 'static,
    ) -> anyhow::Result<Self> {
        let (sender, receiver) = mpsc::sync_channel::<Waiting>(MOST_WAITING);
        // A bundle works on programs, which may nest deep.
        let thread = thread::Builder::new().name(name.into()).stack_size(STACK_BYTES);
        thread.spawn(move || {
            while let Ok((asked, back)) = receiver.recv() {
                // Whoever has gone away needs no answer.
                if back.is_closed() {
                    continue;
                }
                let answer = catch_unwind(AssertUnwindSafe(|| clerk(&asked)));
                let reply = match answer {
                    Ok(Ok(reply)) => reply,
                    Ok(Err(error)) => Reply::refused(503, &format!("{error:#}")),
                    Err(_) => Reply::refused(500, "this is a bug in Farrier: see its messages"),
                };
                let _ = back.send(reply);
            }
        })?;
        Ok(Self(sender))
    }

    async fn ask(&self, asked: Asked) -> Reply {
        let (back, answer) = oneshot::channel();
        if self.0.try_send((asked, back)).is_err() {
            return Reply::refused(503, "too many requests are waiting: try again later");
        }
        answer.await.unwrap_or_else(|_| Reply::refused(503, "the server is stopping"))
    }
}

/// What answers requests.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) access: Access,
    pub(crate) pages: Desk,
    pub(crate) bundles: Desk,
}

impl Service {
    async fn answer(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let bytes = |name| request.headers().get(name).map(HeaderValue::as_bytes);
        let allowed = self.access.check(bytes(header::HOST), bytes(header::AUTHORIZATION));
        let reply = match allowed {
            Err(Denied::Token) => {
                let mut reply = respond(Reply::refused(401, "a token is needed"), None);
                let ask = HeaderValue::from_static("Basic realm=\"Farrier\", charset=\"UTF-8\"");
                reply.headers_mut().insert(header::WWW_AUTHENTICATE, ask);
                return reply;
            }
            Err(Denied::Host) => Reply::refused(
                421,
                "this server answers to the names of loopback only, such as localhost",
            ),
            Ok(()) if ![Method::GET, Method::HEAD].contains(request.method()) => {
                let refused = Reply::refused(405, "this server is only to be read from");
                let mut reply = respond(refused, None);
                let allow = HeaderValue::from_static("GET, HEAD");
                reply.headers_mut().insert(header::ALLOW, allow);
                return reply;
            }
            Ok(()) => self.reply(request).await,
        };
        respond(reply, bytes(header::IF_NONE_MATCH))
    }

    async fn reply(&self, request: &Request<Incoming>) -> Reply {
        let asked = Asked::new(request.uri().path(), request.uri().query().unwrap_or_default());
        let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
        match path[..] {
            ["static", name] => pages::asset(name),
            ["finding", _, FILE] => self.bundles.ask(asked).await,
            _ => self.pages.ask(asked).await,
        }
    }
}

/// A reply with its headers; if the client has it already, without its body.
fn respond(reply: Reply, known: Option<&[u8]>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    let headers = response.headers_mut();
    let fixed = HeaderValue::from_static;
    headers.insert(header::CONTENT_SECURITY_POLICY, fixed(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert(header::REFERRER_POLICY, fixed("no-referrer"));
    headers.insert("cross-origin-opener-policy", fixed("same-origin"));
    headers.insert("cross-origin-resource-policy", fixed("same-origin"));
    headers.insert(header::CONTENT_TYPE, fixed(reply.kind));
    let cache = match (reply.status, reply.lasting) {
        (200, true) => "public, max-age=31536000, immutable",
        (200, false) => "no-cache",
        _ => "no-store",
    };
    headers.insert(header::CACHE_CONTROL, fixed(cache));
    if let Some(file) = &reply.file {
        let text = format!("attachment; filename=\"{file}\"");
        insert(headers, header::CONTENT_DISPOSITION, &text);
    }
    if reply.status == 503 {
        headers.insert(header::RETRY_AFTER, fixed("5"));
    }
    let mut status = reply.status;
    if status == 200 {
        let tag = format!("\"{}\"", &blake3::hash(&reply.body).to_hex()[..32]);
        insert(headers, header::ETAG, &tag);
        if known.is_some_and(|known| has_tag(known, &tag)) {
            status = 304;
        }
    }
    if status != 304 {
        *response.body_mut() = Full::new(match reply.body {
            std::borrow::Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            std::borrow::Cow::Owned(bytes) => Bytes::from(bytes),
        });
    }
    *response.status_mut() =
        hyper::StatusCode::from_u16(status).expect("these are numbers of HTTP");
    response
}

fn insert(headers: &mut HeaderMap, name: header::HeaderName, text: &str) {
    // Names of findings are checked, so nothing is lost.
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}

/// Whether a list of tags has one of them: RFC 9110, 13.1.2.
fn has_tag(known: &[u8], tag: &str) -> bool {
    let known = std::str::from_utf8(known).unwrap_or_default();
    known.split(',').any(|one| {
        let one = one.trim();
        one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag
    })
}

/// Serves until it is told to stop.
pub(crate) fn run(
    listener: TcpListener,
    service: Service,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    runtime.block_on(accept(listener, Arc::new(service), stop))?;
    runtime.shutdown_background();
    Ok(())
}

async fn accept(
    listener: TcpListener,
    service: Arc<Service>,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let mut connections: VecDeque<JoinHandle<()>> = VecDeque::new();
    let (ending, end) = watch::channel(());
    let mut tick = tokio::time::interval(Duration::from_millis(100));
    while !stop.load(Ordering::Relaxed) {
        tokio::select! {
            _ = tick.tick() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.retain(|one| !one.is_finished());
                    if connections.len() >= MOST_CONNECTIONS
                        && let Some(oldest) = connections.pop_front()
                    {
                        oldest.abort();
                    }
                    let connection = converse(stream, Arc::clone(&service), end.clone());
                    connections.push_back(tokio::spawn(connection));
                }
                // The client is gone already, or there are no more files: neither is an end.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }
    drop(listener);
    drop(ending);
    let all = async {
        for one in connections {
            let _ = one.await;
        }
    };
    let _ = tokio::time::timeout(LAST_GRACE, all).await;
    Ok(())
}

/// Answers the requests of one connection.
async fn converse(stream: TcpStream, service: Arc<Service>, mut end: watch::Receiver<()>) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let service = Arc::clone(&service);
        async move { Ok::<_, Infallible>(service.answer(&request).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MOST_HEAD);
    let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(stream), answer));
    // What goes wrong with a connection is the business of its client.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = tokio::time::sleep(LIFE) => {}
        _ = end.changed() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = tokio::time::timeout(GRACE, connection).await;
}
