//! Who may look, and what those can do who must not.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use crate::client::{ask, connect, send};
use crate::planted::Place;
use crate::{Server, hunted, refused};

const TOKEN: &str = "a-token-of-a-test-0123456789";

#[test]
fn a_server_that_cannot_begin_says_why() {
    let place = Place::new("serve-begin");
    let text = refused(&place, &[], &[]);
    assert!(text.contains("there is no hunt in `farrier-hunt`"), "{text}");
    place.plant(&["wrong-exit"]);
    place.hunt(&["wrong-exit"], "3", "0");
    let other = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let taken = other.local_addr().expect("it has one").to_string();
    let text = refused(&place, &["--listen", &taken], &[]);
    assert!(text.contains(&format!("cannot listen on `{taken}`")), "{text}");
    assert!(text.contains("in use") && text.contains("--listen"), "{text}");
    for address in ["nonsense", "127.0.0.1", "127.0.0.1:99999", ":7171x"] {
        let text = refused(&place, &["--listen", address], &[]);
        assert!(text.contains("no address with a port"), "{text}");
    }
    let text = refused(&place, &["--listen", "0.0.0.0:0"], &[]);
    assert!(text.contains("a token is needed") && text.contains("--token-file"), "{text}");
    let text = refused(&place, &["--listen", "0.0.0.0:0"], &[("FARRIER_TOKEN", "short")]);
    assert!(text.contains("at least 16 characters") && !text.contains("short"), "{text}");
    let text = refused(&place, &["--token-file", "missing"], &[]);
    assert!(text.contains("cannot read the token in `missing`"), "{text}");
    let text = refused(&place, &["--dir", "."], &[]);
    assert!(text.contains("has other contents"), "{text}");
}

#[test]
fn a_token_is_asked_for() {
    let place = hunted("token");
    let path = place.path.join("token");
    fs::write(&path, format!("{TOKEN}\n")).expect("it can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("it is ours");
    let by_file = Server::start(&place, &["--listen", "0.0.0.0:0", "--token-file", "token"]);
    let environment = [("FARRIER_TOKEN", TOKEN)];
    let by_variable = Server::start_with(&place, &["--listen", "127.0.0.1:0"], &environment);
    let name = place.finding("wrong-exit");
    for server in [&by_file, &by_variable] {
        let address = server.address.replace("0.0.0.0", "127.0.0.1");
        let bundle = format!("/finding/{name}/bundle.tar.gz");
        for path in ["/", "/metrics", "/api/hunt", "/static/style.css", "/nothing", &bundle] {
            for proof in ["", "Bearer", "Bearer wrong-wrong-wrong-wrong", "Basic d3Jvbmc6d3Jvbmc="]
            {
                let headers = [("Authorization", proof), ("Host", "build7:7171")];
                let headers = if proof.is_empty() { &headers[1..] } else { &headers[..] };
                let answer = ask(&address, "GET", path, headers);
                assert_eq!(answer.status, 401, "{path} {proof}");
                assert!(answer.header("www-authenticate").starts_with("Basic realm="));
                assert!(!answer.text().contains("wrong-exit"));
            }
        }
        // Not even what is only said, and refused, is done without one.
        assert_eq!(ask(&address, "POST", "/", &[]).status, 401);
        let bearer = format!("Bearer {TOKEN}");
        for host in ["build7:7171", "127.0.0.1"] {
            let headers = [("Authorization", bearer.as_str()), ("Host", host)];
            assert_eq!(ask(&address, "GET", "/", &headers).status, 200);
        }
        // What a browser sends after it has asked for name and password: `me:TOKEN`.
        let basic = "Basic bWU6YS10b2tlbi1vZi1hLXRlc3QtMDEyMzQ1Njc4OQ==";
        assert_eq!(ask(&address, "GET", "/", &[("Authorization", basic)]).status, 200);
    }
}

#[test]
fn other_names_of_this_machine_are_refused() {
    let place = hunted("names");
    let server = Server::of(&place);
    for host in ["evil.example", "evil.example:7171", "192.0.2.1", "localhost.evil.example"] {
        let answer = ask(&server.address, "GET", "/", &[("Host", host)]);
        assert_eq!(answer.status, 421, "{host}");
        assert!(!answer.text().contains("wrong-exit"), "{host}");
    }
    for host in ["localhost:1234", "127.0.0.1", "[::1]:80"] {
        assert_eq!(ask(&server.address, "GET", "/", &[("Host", host)]).status, 200, "{host}");
    }
}

#[test]
fn slow_and_hostile_clients_do_not_keep_others_away() {
    let place = hunted("clients");
    let mut server = Server::of(&place);
    let address = server.address.clone();
    // One that never gets to the end of its headers.
    let mut slow = connect(&address);
    slow.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-").expect("it can be sent");
    let begun = Instant::now();
    // One that asks and never reads, and many that say nothing: more than the server holds.
    let mut deaf = connect(&address);
    deaf.write_all(&b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(50)).expect("sent");
    let mut silent: Vec<_> = (0..200).map(|_| connect(&address)).collect();
    assert_eq!(server.get("/").status, 200);

    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(1 << 20));
    let many = format!(
        "GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n",
        "X-Header: value\r\n".repeat(20_000)
    );
    let large =
        format!("GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: {}\r\n\r\n", "y".repeat(1 << 20));
    for (request, statuses) in [
        (long.as_bytes(), &[414, 431][..]),
        (many.as_bytes(), &[431]),
        (large.as_bytes(), &[431]),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", &[400]),
        (b"GET\r\n\r\n", &[400]),
        (b"GET / HTTP/9.9\r\n\r\n", &[400, 505]),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", &[400, 421]),
    ] {
        let begin = String::from_utf8_lossy(&request[..request.len().min(40)]).into_owned();
        let status = std::panic::catch_unwind(|| send(&address, request).status);
        // Where bytes are left that were not read, the answer may be lost with the connection.
        assert!(status.is_err() || status.is_ok_and(|it| statuses.contains(&it)), "{begin}");
        assert_eq!(server.get("/").status, 200, "after {begin}");
    }
    // A body is not read.
    let body = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                 Content-Length: 1000000\r\n\r\nx";
    assert_eq!(send(&address, body).status, 200);

    // A flood of others: the oldest make room.
    silent.extend((0..300).map(|_| connect(&address)));
    assert_eq!(server.get("/").status, 200);
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest);
    assert!(begun.elapsed() < Duration::from_secs(30), "it is not cut off");
    assert!(!String::from_utf8_lossy(&rest).contains("200 OK"), "{rest:?}");
    assert!(server.status("VmHWM") < 100 << 10, "{} kB", server.status("VmHWM"));
    // Those who are still there do not keep it from its end.
    let started = Instant::now();
    assert_eq!(server.interrupt().code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}
