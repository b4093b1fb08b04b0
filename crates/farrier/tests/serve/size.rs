//! A hunt with very many findings.

use crate::{Server, hunted, multiply};

#[test]
fn a_hundred_thousand_findings_are_no_burden() {
    let place = hunted("size");
    multiply(&place, "wrong-exit", 100_000);
    // Many causes, too.
    let database = place.database();
    database
        .execute_batch(
            "BEGIN;
             INSERT INTO analyses SELECT name, 'wrong-code: cause ' || (rowid % 3000), '{}'
             FROM findings WHERE rowid % 2 = 0;
             COMMIT;",
        )
        .expect("they can be added");
    let server = Server::of(&place);
    for path in ["/", "/bugs", "/findings", "/findings?page=900", "/bugs?page=20"] {
        let page = server.page(path);
        assert!(page.len() < 300_000, "{path}: {} bytes", page.len());
    }
    assert!(server.page("/").contains("100\u{202f}0"));
    for path in ["/api/hunt", "/api/findings", "/api/bugs", "/metrics"] {
        assert!(server.page(path).len() < 300_000, "{path}");
    }
    assert!(server.status("VmHWM") < 100 << 10, "{} kB", server.status("VmHWM"));
    // One that is replaced is noticed, without everything being read again.
    let replace =
        "INSERT OR REPLACE INTO analyses SELECT finding, 'wrong-code: a new one', document
                   FROM analyses ORDER BY rowid DESC LIMIT 1";
    database.execute(replace, []).expect("it can be replaced");
    std::thread::sleep(std::time::Duration::from_millis(600));
    let mut pages = (1..20).map(|page| server.page(&format!("/api/bugs?page={page}")));
    assert!(pages.any(|page| page.contains("wrong-code: a new one")));
}
