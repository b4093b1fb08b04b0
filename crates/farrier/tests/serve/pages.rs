//! What is at which address.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::{HOSTILE, Server, client, hunted, multiply};

/// The policy that every answer has.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Nothing in a page may be what its policy forbids.
#[track_caller]
fn assert_plain(path: &str, page: &str) {
    for part in ["<html lang=\"en\">", "name=\"viewport\"", "rel=\"stylesheet\"", "</html>"] {
        assert!(page.contains(part), "{path}: `{part}` is missing");
    }
    for part in
        ["<style", " style=\"", "<script>", " onclick", "http://", "https://", "javascript:"]
    {
        assert!(!page.contains(part), "{path} has `{part}`");
    }
}

#[test]
fn every_page_is_there_and_safe() {
    let place = hunted("pages");
    let server = Server::of(&place);
    let home = server.page("/");
    for part in [
        "id=\"summary\"",
        "id=\"findings\"",
        "id=\"bugs\"",
        "id=\"time\"",
        "id=\"compilers\"",
        "id=\"troubles\"",
        "id=\"hunt\"",
        "programs a second",
        "trials a second",
        "% in compilers",
        "last sign of life",
        "not hunting",
        "class=\"skip\"",
        "internal-error",
    ] {
        assert!(home.contains(part), "`{part}` is missing");
    }
    let name = place.finding("wrong-exit");
    let bugs: Value = serde_json::from_str(&server.page("/api/bugs")).expect("it is JSON");
    let bug = bugs["rows"][0]["id"].as_str().expect("a name").to_owned();
    for path in ["/", "/bugs", "/findings", &format!("/bug/{bug}"), &format!("/finding/{name}")] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert_plain(path, &answer.text());
        for (header, value) in [
            ("content-type", "text/html; charset=utf-8"),
            ("content-security-policy", POLICY),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-cache"),
        ] {
            assert_eq!(answer.header(header), value, "{path}: {header}");
        }
        // Who has it already is told so, and who asks for headers gets no body.
        let tag = answer.header("etag");
        let again = client::ask(&server.address, "GET", path, &[("If-None-Match", tag)]);
        // The first page has speeds, which may have changed.
        assert!(again.status == 304 && again.body.is_empty() || path == "/", "{path}: {again:?}");
        let head = client::ask(&server.address, "HEAD", path, &[]);
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
    }
    let page = server.page(&format!("/finding/{name}"));
    for part in
        ["Expected and actual", "Program", "-O2 -c test.c", "farrier replay", "bundle.tar.gz"]
    {
        assert!(page.contains(part), "`{part}` is missing");
    }
    // The files that pages load have addresses that change with their content.
    for part in ["style-", "live-", "icon-"] {
        let at = home.find(&format!("/static/{part}")).expect("the page loads it");
        let path: String = home[at..].chars().take_while(|c| *c != '"').collect();
        let answer = server.get(&path);
        assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
        assert!(answer.status == 200 && !answer.body.is_empty(), "{path}: {answer:?}");
    }
}

#[test]
fn what_is_not_there_is_refused() {
    let place = hunted("refused");
    let server = Server::of(&place);
    let long = format!("/{}", "x".repeat(4000));
    for path in [
        "/nothing",
        "/finding",
        "/finding/",
        "/finding/0000000000",
        "/finding/..%2f..%2fetc%2fpasswd",
        "/finding/../../hunt.db",
        "/static/../hunt.db",
        "/static/..%2f..%2fhunt.db",
        "/static/style.css",
        "/../../../../etc/passwd",
        "/bug/%00",
        "/api",
        "/api/nothing",
        "/api/findings/x",
        "/api/findings?bug=x",
        "/finding/0000000000/bundle.tar.gz",
        "/finding/..%2f/bundle.tar.gz",
        &long,
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
        assert_eq!(answer.header("content-security-policy"), POLICY, "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "NONSENSE"] {
        let answer = client::ask(&server.address, method, "/", &[]);
        assert_eq!((answer.status, answer.header("allow")), (405, "GET, HEAD"), "{method}");
    }
    // A page after the last is the last.
    for path in ["/bugs?page=99", "/findings?page=99", "/findings?page=x", "/?page=-1"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
}

#[test]
fn a_bundle_is_the_one_that_report_writes() {
    let place = hunted("bundle");
    let mut server = Server::of(&place);
    let name = place.finding("wrong-exit");
    let answer = server.get(&format!("/finding/{name}/bundle.tar.gz"));
    let file = format!("attachment; filename=\"farrier-report-{name}.tar.gz\"");
    assert_eq!((answer.status, answer.header("content-disposition")), (200, file.as_str()));
    fs::write(place.path.join("bundle.tar.gz"), &answer.body).expect("it can be written");
    let unpacked = Command::new("tar")
        .args(["--extract", "--file", "bundle.tar.gz"])
        .current_dir(&place.path)
        .output()
        .expect("tar is installed");
    assert!(unpacked.status.success() && unpacked.stderr.is_empty(), "{unpacked:?}");
    let written = place.run(&["report", &name, "-o", "written"]);
    assert_eq!(written.status.code(), Some(0), "{written:?}");
    let files = |directory: &str| -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(place.path.join(directory)).expect("it is there");
        let mut files: Vec<_> = entries
            .map(|entry| {
                let path = entry.expect("an entry").path();
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                (name, fs::read(&path).expect("it can be read"))
            })
            .collect();
        files.sort();
        files
    };
    let (served, written) = (files(&format!("farrier-report-{name}")), files("written"));
    assert!(served.len() >= 9, "{}", served.len());
    assert_eq!(served, written);
    assert_eq!(server.interrupt().code(), Some(0));
}

#[test]
fn programs_get_documents_with_the_fields_that_are_explained() {
    let place = hunted("data");
    multiply(&place, "wrong-exit", 300);
    let server = Server::of(&place);
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md"));
    let page = page.expect("the page is there");
    let name = place.finding("wrong-exit");
    let document = |path: &str| -> Value {
        let answer = server.get(path);
        assert_eq!(answer.header("content-type"), "application/json", "{path}");
        serde_json::from_slice(&answer.body).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let hunt = document("/api/hunt");
    let bugs = document("/api/bugs");
    let findings = document("/api/findings");
    let one = document(&format!("/api/findings/{name}"));
    for value in [
        &hunt,
        &hunt["machines"][0],
        &hunt["timeline"],
        &hunt["timeline"]["points"][0],
        &bugs,
        &bugs["rows"][0],
        &findings,
        &findings["rows"][0],
        &one,
    ] {
        for field in value.as_object().expect("it has fields").keys() {
            assert!(page.contains(&format!("`{field}`")), "{field} is not explained");
        }
    }
    let count = place.findings().len();
    assert_eq!(hunt["findings"], count);
    assert_eq!(findings["count"], count);
    assert_eq!((&findings["pages"], &findings["page"]), (&Value::from(2), &Value::from(1)));
    // Every finding is in one of the pages, once.
    let mut names: Vec<Value> = Vec::new();
    for page in 1..=2 {
        let part = document(&format!("/api/findings?page={page}"));
        names.extend(part["rows"].as_array().expect("rows").iter().map(|row| row["name"].clone()));
    }
    names.sort_by_key(ToString::to_string);
    names.dedup();
    assert_eq!(names.len(), count);
    let bug = bugs["rows"][0]["id"].as_str().expect("a name");
    let of_bug = document(&format!("/api/findings?bug={bug}"));
    assert_eq!(of_bug["count"], bugs["rows"][0]["findings"]);
    assert_eq!(one["finding"]["name"], name);
    assert!(one["sources"]["test.c"].as_str().expect("a text").contains("main"));
    assert_eq!(hunt["whole"]["programs"], 2);
}

/// The value of a metric, by its name and labels as they are written.
fn metric(text: &str, name: &str) -> f64 {
    let line = text.lines().find(|line| line.rsplit_once(' ').is_some_and(|(it, _)| it == name));
    let line = line.unwrap_or_else(|| panic!("there is no {name} in {text}"));
    line.rsplit(' ').next().and_then(|word| word.parse().ok()).expect("a number")
}

#[test]
fn metrics_can_be_read() {
    let place = hunted("metrics");
    let database = place.database();
    // A name that needs every escape.
    let change = "UPDATE findings SET subject = json_set(subject, '$.name', ?1) \
                  WHERE kind = 'wrong-exit'";
    database.execute(change, ["a\"b\\c\nd"]).expect("it can be changed");
    let server = Server::of(&place);
    let answer = server.get("/metrics");
    assert_eq!(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    let text = answer.text();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':')
    };
    let mut family = "";
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            family = rest.split(' ').next().expect("a name");
            assert!(is_name(family) && rest.len() > family.len() + 3, "{line}");
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').expect("a name and a type");
            assert_eq!(name, family, "{line}");
            assert!(["counter", "gauge"].contains(&kind), "{line}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
        } else {
            let (name, value) = line.rsplit_once(' ').expect("a name and a value");
            assert_eq!(name.split('{').next(), Some(family), "{line}");
            assert!(value.parse::<f64>().is_ok_and(f64::is_finite), "{line}");
        }
    }
    assert!(text.contains(r#"kind="wrong-exit",compiler="a\"b\\c\nd "#), "{text}");
    assert!((metric(&text, "farrier_programs_total") - 2.0).abs() < 1e-9);
    assert!(metric(&text, "farrier_compiler_cpu_seconds_total") > 0.0);
    assert!(metric(&text, "farrier_bugs") >= 2.0);
}

#[test]
fn a_hunt_without_findings_has_a_page() {
    let place = crate::Place::new("serve-empty");
    place.plant(&["wrong-exit"]);
    place.hunt(&["wrong-exit"], "3", "0");
    let server = Server::of(&place);
    let page = server.page("/");
    assert!(page.contains("No findings yet") && page.contains("No program is done yet"), "{page}");
    assert_plain("/", &page);
    for path in ["/bugs", "/findings", "/api/hunt", "/api/bugs", "/api/findings", "/metrics"] {
        server.page(path);
    }
    // A hunt that is begun anew in the same place is another one.
    fs::remove_dir_all(place.path.join("farrier-hunt")).expect("it is ours");
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert_eq!(server.get("/").status, 503, "there is no hunt");
    place.hunt(&["wrong-exit"], "3", "1");
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert!(server.page("/").contains("wrong-exit of wrong-exit"));
}

#[test]
fn hostile_texts_are_shown_as_texts() {
    let place = hunted("hostile");
    crate::live::plant_hostile(&place);
    let server = Server::of(&place);
    let shown = "&#60;script&#62;document.title=&#39;ran&#39;&#60;/script&#62;";
    let bugs: Value = serde_json::from_str(&server.page("/api/bugs")).expect("it is JSON");
    let mut paths: Vec<String> = ["/", "/bugs", "/findings"].map(str::to_owned).to_vec();
    for bug in bugs["rows"].as_array().expect("rows") {
        paths.push(format!("/bug/{}", bug["id"].as_str().expect("a name")));
        paths.push(format!("/finding/{}", bug["example"].as_str().expect("a name")));
    }
    for path in paths {
        let page = server.page(&path);
        assert!(page.contains(shown), "{path}");
        assert!(!page.contains("<script>") && !page.contains("<img"), "{path}");
        assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'), "{path}");
    }
    let hunt: Value = serde_json::from_str(&server.page("/api/hunt")).expect("it is JSON");
    assert!(hunt["troubles"].to_string().contains("<script>"), "data is as it is");
    assert!(server.page("/metrics").contains(&HOSTILE.replace('"', "\\\"")));
}
