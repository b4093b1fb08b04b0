//! Chromium, driven by its own protocol over two pipes.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: u64,
    session: Option<String>,
    /// What the page complained about: errors, exceptions, what its policy forbids.
    pub(crate) complaints: Vec<String>,
}

impl Browser {
    pub(crate) fn start(directory: &Path) -> Self {
        let profile = directory.join("profile");
        // The protocol uses the descriptors 3 and 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec chromium \"$@\" 3<&0 4>&1 >/dev/null 2>&1 </dev/null", "sh"])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell is there");
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut browser =
            Self { child, input, output, number: 0, session: None, complaints: Vec::new() };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = target["targetId"].clone();
        let attached =
            browser.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = Some(attached["sessionId"].as_str().expect("a session").to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Asks for something, and waits for the answer.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.input.write_all(&bytes).expect("chromium is installed and runs");
        loop {
            let mut bytes = Vec::new();
            self.output.read_until(0, &mut bytes).expect("chromium runs");
            bytes.pop().expect("chromium is installed and runs");
            let message: Value = serde_json::from_slice(&bytes).expect("it is JSON");
            if message["id"] == self.number {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            self.note(&message);
        }
    }

    fn note(&mut self, message: &Value) {
        let what = &message["params"];
        let is_complaint = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => {
                what["type"] == "error" || what["type"] == "warning"
            }
            Some("Log.entryAdded") => what["entry"]["level"] != "verbose",
            _ => false,
        };
        if is_complaint {
            self.complaints.push(message.to_string());
        }
    }

    pub(crate) fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({"url": url}));
        self.wait_for("document.readyState === 'complete'");
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    #[track_caller]
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let started = Instant::now();
        while self.value(expression) != true {
            assert!(started.elapsed() < Duration::from_secs(60), "never: {expression}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str, code: u32, text: &str) {
        let common = json!({"key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
        for kind in ["keyDown", "keyUp"] {
            let mut event = common.clone();
            event["type"] = json!(kind);
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// What the window is like.
    pub(crate) fn window(&mut self, width: u32, height: u32, dark: bool) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1,
                             "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": scheme},
                              {"name": "prefers-reduced-motion", "value": "reduce"}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Takes a picture of the window. With `FARRIER_PICTURES` it is kept there, to be looked at.
    pub(crate) fn picture(&mut self, name: &str) -> usize {
        let answer = self.call("Page.captureScreenshot", json!({"format": "png"}));
        let text = answer["data"].as_str().expect("a picture");
        if let Some(directory) = std::env::var_os("FARRIER_PICTURES") {
            let path = Path::new(&directory).join(format!("{name}.base64"));
            fs::write(path, text).expect("it can be written");
        }
        text.len()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
