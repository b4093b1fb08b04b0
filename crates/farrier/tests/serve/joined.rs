//! The page of a hunt on a server, in a browser.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::Server;
use crate::browser::Browser;
use crate::nats::{self, signal};
use crate::planted::Place;

#[test]
fn the_page_of_a_hunt_of_two_machines_shows_both() {
    let place = Place::new("serve-joined");
    place.plant(&["internal-error"]);
    let nats = nats::Server::new(&place.path, &[]);
    let url = nats.url();
    let join = ["--join", &url, "--name", "trunk"];
    // They are stopped by the test, so they have no end of their own.
    let hunt = |directory: &str| -> Child {
        Command::new(env!("CARGO_BIN_EXE_farrier"))
            .current_dir(&place.path)
            .args(["hunt", "--no-triage", "--jobs", "1", "--seed", "3", "--size", "4k"])
            .args(["--subject", "internal-error", "--silence", "3s", "--server-bytes", "64M"])
            .args(join)
            .args(["--dir", directory])
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("it can be started")
    };
    let first = hunt("first");
    let mut arguments = vec!["--listen", "127.0.0.1:0"];
    arguments.extend(join);
    let server = loop {
        // There is nothing to serve until the hunt has begun.
        let known = Command::new(env!("CARGO_BIN_EXE_farrier"))
            .current_dir(&place.path)
            .args(["sync", "--once", "--dir", "copy"])
            .args(join)
            .output()
            .expect("it can be started");
        if known.status.success() {
            let cache = place.path.join("cache").display().to_string();
            break Server::start_with(&place, &arguments, &[("XDG_CACHE_HOME", &cache)]);
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    };
    let mut browser = Browser::start(&place.path);
    browser.window(1280, 1600, false);
    browser.open(&format!("http://{}/", server.address));
    browser.value("window.same = true; 0");
    let rows = "document.querySelectorAll('.machines tbody tr').length";
    browser.wait_for(&format!("{rows} === 1"));
    let second = hunt("second");
    browser.wait_for(&format!("{rows} === 2"));
    browser.wait_for("document.querySelectorAll('.latest li').length > 0");
    // Both say what they do at present.
    let speeds = "Array.from(document.querySelectorAll('.machines td[data-label=\"trials a second\"]'))\
                  .map(cell => parseFloat(cell.textContent))";
    browser.wait_for(&format!("{speeds}.length === 2 && {speeds}.every(speed => speed > 0)"));
    assert!(browser.picture("joined") > 20_000, "the page is blank");
    browser.window(390, 844, false);
    let over = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(browser.value(over), 0, "it is wider than a phone");
    assert!(browser.picture("joined-phone") > 20_000, "the page is blank");
    assert_eq!(browser.value("window.same"), true, "it was not loaded again");
    for mut child in [first, second] {
        signal(&child, "INT");
        child.wait().expect("it was started");
    }
    // Those that have left do nothing.
    browser.wait_for(
        "document.querySelector('.machines').textContent.match(/not hunting/g)?.length === 2",
    );
    browser.wait_for(&format!("{speeds}.every(speed => speed === 0)"));
    let hunt: Value = serde_json::from_str(&server.page("/api/hunt")).expect("it is JSON");
    assert_eq!(hunt["machines"].as_array().map(Vec::len), Some(2), "{hunt:#}");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
