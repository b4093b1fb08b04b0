//! The page in a browser, while the hunt goes on.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::browser::Browser;
use crate::planted::Place;
use crate::{HOSTILE, Server, hunted, multiply};

/// Puts a text that must not run wherever a compiler or a user can put one.
pub(crate) fn plant_hostile(place: &Place) {
    let hostile = format!("{HOSTILE}\u{1b}[31m\u{202e}");
    let database = place.database();
    let change = "UPDATE findings SET subject = json_set(subject, '$.name', ?1, '$.version', '1'), \
                  flags = json_array('-O2', ?1)";
    database.execute(change, [&hostile]).expect("it can be changed");
    database
        .execute("INSERT INTO troubles VALUES ('inconclusive: ' || ?1, 3)", [&hostile])
        .expect("it can be added");
    let words = serde_json::to_string(&hostile).expect("it is a text");
    let name = place.finding("compiler-crash");
    let document = format!(
        r#"{{"finding": "{name}", "made_by": "0", "case": "x", "reduced": false,
        "signature": {{"class": "crash", "text": {words}}}, "shape": null,
        "first_signature": {{"class": "crash", "text": {words}}}, "flags": ["-O2", {words}],
        "outcome": {{"outcome": "ran", "status": 0, "output": {words}}}, "versions": [],
        "culprit": {{"culprit": "flag", "flag": {words}}}, "area": "middle-end",
        "opinions": [{{"by": {words}, "flags": [], "says": {{"says": "complains", "text": {words}}}}}],
        "doubt": {words}, "crash": {{"summary": {words}, "frames": [{words}], "text": {words}}},
        "compiler": {words}, "gaps": [{words}], "seconds": 1.0}}"#
    );
    let add = "INSERT INTO analyses VALUES (?1, 'crash: ' || ?2, ?3)";
    database.execute(add, [&name, &hostile, &document]).expect("it can be added");
    let known = toml_line(&format!("crash: {hostile}"));
    fs::write(place.path.join("farrier-hunt/known.toml"), known).expect("it can be written");
}

fn toml_line(signature: &str) -> String {
    let quoted = serde_json::to_string(signature).expect("it is a text");
    format!("{quoted} = {}\n", serde_json::to_string(HOSTILE).expect("it is a text"))
}

#[test]
fn the_page_updates_itself_and_can_be_used_by_keyboard() {
    let place = hunted("live");
    let mut server = Server::of(&place);
    let mut browser = Browser::start(&place.path);
    browser.window(1280, 900, false);
    let url = format!("http://{}/", server.address);
    browser.open(&url);
    assert_eq!(browser.value("document.getElementById('live').hidden"), false, "the script runs");
    assert_eq!(
        browser.value("getComputedStyle(document.querySelector('.wrap')).maxWidth"),
        "1248px"
    );

    // The first stop of the tabulator leads past the head.
    browser.press("Tab", 9, "");
    assert_eq!(browser.value("document.activeElement.className"), "skip");
    browser.press("Enter", 13, "\r");
    assert_eq!(browser.value("document.activeElement.id"), "main");
    // The next ones are what scrolls and what leads on, in their order.
    browser.press("Tab", 9, "");
    let label = browser.value("document.activeElement.getAttribute('aria-label')");
    assert_eq!(label, "Machines");

    // What is new comes without a reload, and leaves the focus where it is.
    let before = browser.value("document.querySelectorAll('.latest li').length");
    browser.value(
        "window.same = true; \
         document.querySelector('.latest li a').focus(); \
         window.focused = document.activeElement; 0",
    );
    multiply(&place, "compiler-crash", 2);
    browser.wait_for("document.getElementById('latest-0000000002') !== null");
    assert_eq!(browser.value("window.same"), true, "it was not loaded again");
    assert_eq!(browser.value("document.activeElement === window.focused"), true);
    assert_eq!(
        browser.value("document.querySelector('.latest li').id"),
        "latest-0000000002",
        "the newest is the first"
    );
    assert_eq!(
        browser.value("document.querySelectorAll('.latest li').length").as_u64(),
        before.as_u64().map(|before| (before + 2).min(8))
    );
    assert_eq!(browser.value("document.querySelector('.latest li').className"), "fresh");
    let count = place.findings().len();
    let title = browser.value("document.title");
    assert!(title.as_str().is_some_and(|it| it.contains(&format!("{count} findings"))), "{title}");

    // It can be paused, and goes on.
    browser.value("document.getElementById('pause').focus(); 0");
    browser.press("Enter", 13, "\r");
    browser.wait_for("document.getElementById('live-words').textContent === 'paused'");
    browser.press("Enter", 13, "\r");
    browser.wait_for("document.getElementById('live-words').textContent === 'live'");

    // From the list to a finding, and to its bug, with the keyboard alone.
    browser.value("document.querySelector('.latest li a').focus(); 0");
    browser.press("Enter", 13, "\r");
    browser.wait_for(
        "location.pathname === '/finding/0000000002' && document.readyState === 'complete'",
    );
    browser.value("document.querySelector('.way a:nth-of-type(2)').focus(); 0");
    browser.press("Enter", 13, "\r");
    browser.wait_for("location.pathname.startsWith('/bug/') && document.readyState === 'complete'");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);

    // A server that is gone is said, and the page stays.
    browser.open(&url);
    assert_eq!(server.interrupt().code(), Some(0));
    browser.wait_for("document.getElementById('live').classList.contains('lost')");
    assert_eq!(browser.value("document.querySelectorAll('#bugs tbody tr').length > 0"), true);
}

#[test]
fn the_page_fits_a_phone_and_the_dark_and_nothing_in_it_runs() {
    let place = hunted("phone");
    plant_hostile(&place);
    let server = Server::of(&place);
    let mut browser = Browser::start(&place.path);
    let bugs: Value = serde_json::from_str(&server.page("/api/bugs")).expect("it is JSON");
    let bug = bugs["rows"].as_array().expect("rows").iter().find(|bug| bug["triaged"] == true);
    let bug = bug.expect("one is triaged");
    let id = bug["id"].as_str().expect("a name");
    let name = bug["example"].as_str().expect("a name");
    let mut grounds = Vec::new();
    for (width, height, dark, shape) in
        [(390, 844, false, "phone"), (1280, 1600, false, "light"), (1280, 1600, true, "dark")]
    {
        browser.window(width, height, dark);
        for (page, path) in [
            ("home", "/".to_owned()),
            ("bugs", "/bugs".to_owned()),
            ("findings", "/findings".to_owned()),
            ("bug", format!("/bug/{id}")),
            ("finding", format!("/finding/{name}")),
        ] {
            browser.open(&format!("http://{}{path}", server.address));
            let title = browser.value("document.title");
            assert!(title.as_str().is_some_and(|it| it.ends_with("Farrier")), "{title}");
            assert!(browser.picture(&format!("{page}-{shape}")) > 20_000, "{page} is blank");
            let over = browser.value(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth",
            );
            assert_eq!(over, 0, "{page} is wider than {width}");
        }
        grounds.push(browser.value("getComputedStyle(document.body).backgroundColor"));
    }
    assert_eq!(grounds[0], grounds[1]);
    assert_ne!(grounds[1], grounds[2], "the dark is another one");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn a_hunt_that_runs_is_seen() {
    let place = Place::new("serve-running");
    place.plant(&["wrong-exit"]);
    place.hunt(&["wrong-exit"], "5", "1");
    let server = Server::of(&place);
    let mut browser = Browser::start(&place.path);
    browser.open(&format!("http://{}/", server.address));
    browser.value("window.same = true; 0");
    assert_eq!(
        browser.value("document.querySelector('h1').textContent"),
        "What the hunt has found"
    );
    let before = browser.value("document.title");
    // It is stopped by the test, so it has no end of its own.
    let mut hunt = Command::new(env!("CARGO_BIN_EXE_farrier"))
        .current_dir(&place.path)
        .args(["hunt", "--no-triage", "--jobs", "2"])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("it can be started");
    browser.wait_for("document.querySelector('.machines').textContent.includes('2 workers')");
    browser.wait_for("document.querySelector('h1').textContent === 'What the hunt is finding'");
    browser.wait_for(&format!("document.title !== {before}"));
    assert_eq!(browser.value("window.same"), true, "it was not loaded again");
    let process = hunt.id().to_string();
    assert!(
        browser
            .value("document.querySelector('.machines').textContent")
            .to_string()
            .contains(&process)
    );
    let stopped = Command::new("kill").args(["-INT", &process]).status();
    assert!(stopped.expect("kill is installed").success());
    hunt.wait().expect("it ends");
    browser.wait_for("document.querySelector('.machines').textContent.includes('not hunting')");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
