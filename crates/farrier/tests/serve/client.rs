//! A client that says exactly what it is told to.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// What a server answers.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("it is a text")
    }

    /// A header, by its name in lower case; empty if it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }
}

/// Connects to a server; nothing takes longer than a minute.
pub(crate) fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("it can be set");
    stream
}

/// Sends a request and reads the answer until the server closes the connection.
pub(crate) fn ask(address: &str, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "Host") {
        request += &format!("Host: {address}\r\n");
    }
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    send(address, format!("{request}\r\n").as_bytes())
}

/// Sends bytes and reads the answer.
pub(crate) fn send(address: &str, request: &[u8]) -> Answer {
    let mut stream = connect(address);
    stream.write_all(request).expect("it can be sent");
    let mut bytes = Vec::new();
    // A server that refuses what it did not read to its end may cut the connection.
    let _ = stream.read_to_end(&mut bytes);
    read(&bytes)
}

fn read(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(bytes)));
    let head = std::str::from_utf8(&bytes[..end]).expect("the headers are text");
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status");
    let headers = lines.map(|line| {
        let (name, value) = line.split_once(':').expect("a header has a colon");
        (name.to_owned(), value.trim().to_owned())
    });
    Answer {
        status: status.parse().expect("a number"),
        headers: headers.collect(),
        body: bytes[end + 4..].to_vec(),
    }
}
