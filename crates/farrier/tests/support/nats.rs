//! A NATS server for tests of hunts of several machines.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, Context};
use futures_util::StreamExt;

/// A NATS server with a store of its own, which ends with the test.
pub(crate) struct Server {
    pub(crate) child: Child,
    port: u16,
    /// What is before its name on the command line.
    within: Vec<String>,
    arguments: Vec<String>,
}

impl Server {
    /// Starts a server on a free port, with its store in `server` in a directory.
    pub(crate) fn new(directory: &Path, more: &[&str]) -> Self {
        let store = directory.join("server").display().to_string();
        let mut arguments = vec!["--jetstream", "--store_dir", &store];
        arguments.extend(more);
        Self::start(&[], &arguments)
    }

    /// Starts a server by another command, with these arguments.
    pub(crate) fn start(within: &[&str], arguments: &[&str]) -> Self {
        let port = free_port();
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let (within, arguments): (Vec<String>, Vec<String>) = (own(within), own(arguments));
        Self { child: start(&within, port, &arguments), port, within, arguments }
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Kills it, as a machine that loses its power.
    pub(crate) fn kill(&mut self) {
        self.child.kill().and_then(|()| self.child.wait()).expect("it was started");
    }

    /// Starts it again with what it had.
    pub(crate) fn restart(&mut self) {
        self.child = start(&self.within, self.port, &self.arguments);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there are free ports");
    listener.local_addr().expect("it has one").port()
}

/// Three servers that keep the same, each with a store of its own in a directory.
pub(crate) fn cluster(directory: &Path) -> [Server; 3] {
    let routes = [(); 3].map(|()| format!("nats://127.0.0.1:{}", free_port()));
    let all = routes.join(",");
    [0, 1, 2].map(|number| {
        let name = format!("server{number}");
        let store = directory.join(&name).display().to_string();
        let mut arguments = vec!["--jetstream", "--store_dir", &store, "--name", &name];
        arguments.extend(["--cluster_name", "farrier", "--cluster", &routes[number]]);
        arguments.extend(["--routes", &all]);
        Server::start(&[], &arguments)
    })
}

fn start(within: &[String], port: u16, arguments: &[String]) -> Child {
    let mut words = within.iter().map(String::as_str).chain(["nats-server"]);
    let mut command = Command::new(words.next().expect("one is there"));
    command.args(words).args(["--addr", "127.0.0.1", "--port", &port.to_string()]);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let child =
        command.spawn().expect("nats-server must be installed: apt-get install nats-server");
    let end = Instant::now() + Duration::from_secs(20);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < end, "the server does not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

/// Sends a signal.
pub(crate) fn signal(child: &Child, signal: &str) {
    let kill = format!("kill -{signal} {}", child.id());
    let status = Command::new("sh").args(["-c", &kill]).status().expect("there is a shell");
    assert!(status.success(), "{kill}");
}

/// Asks the server something by the library.
fn ask<T>(url: &str, question: impl AsyncFnOnce(Context) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("there is a runtime").block_on(async {
        let client = async_nats::connect(url).await.expect("the server is there");
        question(jetstream::new(client)).await
    })
}

/// Stores a message.
pub(crate) fn publish(url: &str, subject: &str, text: &str) {
    let (subject, text) = (subject.to_owned(), text.to_owned());
    ask(url, async |context| {
        let sent = context.publish(subject, text.into()).await.expect("it can be sent");
        sent.await.expect("it is stored");
    });
}

/// Gives all streams so many bytes.
pub(crate) fn give_room(url: &str, bytes: i64) {
    ask(url, async |context| {
        let mut streams = context.streams();
        while let Some(stream) = streams.next().await {
            let mut config = stream.expect("the server tells").config;
            config.max_bytes = bytes.max(config.max_bytes);
            context.update_stream(config).await.expect("it can be changed");
        }
    });
}

/// Who analyses causes of the hunt `trunk` at this moment.
pub(crate) fn claims(url: &str) -> usize {
    ask(url, async |context| {
        let bucket = context.get_key_value("farrier_trunk_claims").await.expect("it is there");
        bucket.keys().await.expect("it can be read").count().await
    })
}

/// A directory with a disk of its own, which can be full. It is seen by those only that enter its
/// namespaces, and by its keeper's root.
pub(crate) struct SmallDisk {
    keeper: Child,
    directory: PathBuf,
}

impl SmallDisk {
    /// Mounts a disk of so many kilobytes over a directory.
    pub(crate) fn new(directory: &Path, kilobytes: usize) -> Self {
        std::fs::create_dir_all(directory).expect("it can be made");
        let mount = format!(
            "mount -t tmpfs -o size={kilobytes}k tmpfs \"$0\" && touch \"$0/here\" && exec sleep 600"
        );
        let keeper = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", &mount])
            .arg(directory)
            .spawn()
            .expect("unshare must be installed: apt-get install util-linux");
        let disk = Self { keeper, directory: directory.to_owned() };
        let end = Instant::now() + Duration::from_secs(20);
        while !disk.path("here").exists() {
            assert!(Instant::now() < end, "there is no disk: user namespaces are needed");
            std::thread::sleep(Duration::from_millis(20));
        }
        disk
    }

    /// What starts a command that sees the disk.
    pub(crate) fn within(&self) -> Vec<String> {
        let process = self.keeper.id().to_string();
        let words = ["nsenter", "--user", "--mount", "--preserve-credentials", "--target"];
        words.iter().map(|word| (*word).to_owned()).chain([process]).collect()
    }

    /// A file of the disk, seen from outside.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let root = format!("/proc/{}/root", self.keeper.id());
        let inside = self.directory.strip_prefix("/").expect("it is absolute");
        Path::new(&root).join(inside).join(name)
    }

    /// Takes all room.
    pub(crate) fn fill(&self) {
        let mut file = std::fs::File::create(self.path("filler")).expect("there is some room");
        let block = [0; 512];
        while std::io::Write::write_all(&mut file, &block).is_ok() {}
    }

    /// Gives it back.
    pub(crate) fn clear(&self) {
        std::fs::remove_file(self.path("filler")).expect("it is there");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}
