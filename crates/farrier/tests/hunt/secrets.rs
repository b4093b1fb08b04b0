//! Servers that want to know who comes in, or that encrypt.

use super::nats::Server;
use super::*;

const ACCOUNTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/nats-accounts.conf");
const CREDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/nats-worker.creds");

/// A hunt of one program, with this environment.
fn hunt(place: &Place, url: &str, more: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = place.command(&["hunt", "--join", url, "--name", "trunk"]);
    command.args(["--programs", "1", "--size", "2k", "--seed", "3", "--config", PLAIN]);
    command.args(["--subject", "segfault", "--dir", "hunt"]).args(more);
    command.envs(environment.iter().copied()).output().expect("it can be started")
}

#[track_caller]
fn assert_refused(output: &Output, why: &str) {
    assert_status(output, 2);
    assert!(stderr(output).contains(why), "{why}: {}", stderr(output));
}

/// No file of the hunt has the secret, and no message.
#[track_caller]
fn assert_secret(place: &Place, output: &Output, secret: &str) {
    assert!(!format!("{output:?}").contains(secret), "{output:?}");
    let directory = place.path.join("hunt");
    for entry in fs::read_dir(&directory).expect("it is there") {
        let path = entry.expect("it can be read").path();
        if let Ok(bytes) = fs::read(&path) {
            let there = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!there, "the secret is in {}", path.display());
        }
    }
}

#[test]
fn a_token_lets_a_worker_in() {
    let place = Place::new("join-token");
    place.plant(&[("segfault", &["-O1"])]);
    let server = Server::new(&place.path, &["--auth", "geheim-1"]);
    let url = server.url();
    assert_refused(&hunt(&place, &url, &[], &[]), "does not let a client without a name in");
    let output = hunt(&place, &url, &[], &[("NATS_TOKEN", "falsch-1")]);
    assert_refused(&output, "does not let this token in");
    assert!(!stderr(&output).contains("falsch-1"), "{output:?}");
    let output = hunt(&place, &url, &[], &[("NATS_TOKEN", "geheim-1")]);
    assert_status(&output, 1);
    assert_secret(&place, &output, "geheim-1");
}

#[test]
fn credentials_let_a_worker_in() {
    let place = Place::new("join-creds");
    place.plant(&[("segfault", &["-O1"])]);
    let server = Server::new(&place.path, &["--config", ACCOUNTS]);
    let url = server.url();
    assert_refused(&hunt(&place, &url, &[], &[]), "does not let a client without a name in");
    let output = hunt(&place, &url, &["--creds", "nowhere.creds"], &[]);
    assert_refused(&output, "cannot use the credentials in `nowhere.creds`");
    let text = fs::read_to_string(CREDS).expect("it is there");
    // A user of whom the account has not heard.
    let other = place.path.join("other.creds");
    fs::write(&other, text.replace("eyJ0eXA", "eyJ0eXB")).expect("it can be written");
    let output = hunt(&place, &url, &["--creds", "other.creds"], &[]);
    assert_refused(&output, "does not let these credentials in");
    let output = hunt(&place, &url, &["--creds", CREDS], &[]);
    assert_status(&output, 1);
    let seed = text.lines().find(|line| line.starts_with("SU")).expect("a key is there");
    assert_secret(&place, &output, seed);
    // The variable does the same.
    let output = hunt(&place, &url, &[], &[("NATS_CREDS", CREDS)]);
    assert_status(&output, 1);
}

/// Makes an authority, and a certificate of it for this machine.
fn certify(place: &Place) {
    let script = "\
        new() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \"$@\"; }
        set -e
        new -x509 -days 2 -subj /CN=authority -keyout ca.key -out ca.pem
        new -subj /CN=server -keyout server.key -out server.csr
        echo subjectAltName=IP:127.0.0.1 > names
        openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
            -extfile names -out server.pem";
    let made = Command::new("sh").args(["-c", script]).current_dir(&place.path).output();
    let made = made.expect("there is a shell");
    assert!(made.status.success(), "openssl must be installed: {made:?}");
}

#[test]
fn a_connection_can_be_encrypted() {
    let (place, other) = (Place::new("join-tls"), Place::new("join-tls-other"));
    place.plant(&[("segfault", &["-O1"])]);
    certify(&place);
    certify(&other);
    let path = |name: &str| place.path.join(name).display().to_string();
    let (certificate, key) = (path("server.pem"), path("server.key"));
    let arguments = ["--tls", "--tlscert", &certificate, "--tlskey", &key];
    let server = Server::new(&place.path, &arguments);
    let url = server.url().replace("nats:", "tls:");
    // Nobody has heard of the authority, or of another one.
    assert_refused(&hunt(&place, &url, &[], &[]), "--tls-ca names the file of the authority");
    let wrong = other.path.join("ca.pem").display().to_string();
    let output = hunt(&place, &url, &["--tls-ca", &wrong], &[]);
    assert_refused(&output, "there is no encrypted connection");
    let output = hunt(&place, &url, &["--tls-ca", "nowhere.pem"], &[]);
    assert_refused(&output, "cannot read `nowhere.pem`");
    assert_status(&hunt(&place, &url, &["--tls-ca", "ca.pem"], &[]), 1);
    assert_status(&hunt(&place, &server.url(), &["--tls-ca", "ca.pem"], &[]), 1);
    // A server that does not encrypt is refused if encryption is asked for.
    let plain = Server::start(&[], &[]);
    let output = hunt(&place, &plain.url(), &["--tls-ca", "ca.pem"], &[]);
    assert_refused(&output, "there is no encrypted connection");
}
