//! The files of `deploy/`: what can be checked without a cluster and without systemd.

#![expect(clippy::disallowed_methods, reason = "a test starts the command that it tests")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What a field may be.
enum Field {
    Text,
    Number,
    Texts,
    /// A table from names to texts.
    Labels,
    Object(&'static [Row]),
    List(&'static [Row]),
}
use Field::{Labels, List, Number, Object, Text, Texts};

/// A field: its name, whether it must be there, and what it is.
type Row = (&'static str, bool, Field);

const METADATA: &[Row] = &[("name", false, Text), ("labels", false, Labels)];
const REFERENCE: &[Row] = &[("name", true, Text), ("key", true, Text)];
const SOURCE: &[Row] = &[("secretKeyRef", true, Object(REFERENCE))];
const VARIABLE: &[Row] =
    &[("name", true, Text), ("value", false, Text), ("valueFrom", false, Object(SOURCE))];
const CONTAINER_PORT: &[Row] = &[("name", false, Text), ("containerPort", true, Number)];
const GET: &[Row] = &[("path", true, Text), ("port", true, Number)];
const PROBE: &[Row] = &[("httpGet", true, Object(GET))];
const MOUNT: &[Row] = &[("name", true, Text), ("mountPath", true, Text)];
const RESOURCES: &[Row] = &[("requests", false, Labels), ("limits", false, Labels)];
const CONTAINER: &[Row] = &[
    ("name", true, Text),
    ("image", true, Text),
    ("command", false, Texts),
    ("args", false, Texts),
    ("env", false, List(VARIABLE)),
    ("ports", false, List(CONTAINER_PORT)),
    ("readinessProbe", false, Object(PROBE)),
    ("volumeMounts", false, List(MOUNT)),
    ("resources", false, Object(RESOURCES)),
];
const EMPTY: &[Row] = &[("sizeLimit", false, Text)];
const CONFIG: &[Row] = &[("name", true, Text)];
const VOLUME: &[Row] = &[
    ("name", true, Text),
    ("emptyDir", false, Object(EMPTY)),
    ("configMap", false, Object(CONFIG)),
];
const POD: &[Row] = &[
    ("terminationGracePeriodSeconds", false, Number),
    ("containers", true, List(CONTAINER)),
    ("volumes", false, List(VOLUME)),
];
const TEMPLATE: &[Row] = &[("metadata", true, Object(METADATA)), ("spec", true, Object(POD))];
const CLAIM_SPEC: &[Row] = &[("accessModes", true, Texts), ("resources", true, Object(RESOURCES))];
const CLAIM: &[Row] = &[("metadata", true, Object(METADATA)), ("spec", true, Object(CLAIM_SPEC))];
const SELECTOR: &[Row] = &[("matchLabels", true, Labels)];
const SET_SPEC: &[Row] = &[
    ("serviceName", true, Text),
    ("replicas", false, Number),
    ("podManagementPolicy", false, Text),
    ("selector", true, Object(SELECTOR)),
    ("template", true, Object(TEMPLATE)),
    ("volumeClaimTemplates", false, List(CLAIM)),
];
const PORT: &[Row] = &[("name", false, Text), ("port", true, Number)];
const SERVICE_SPEC: &[Row] =
    &[("clusterIP", false, Text), ("selector", true, Labels), ("ports", true, List(PORT))];

/// Kinds of things, with their versions, and their fields besides those that say what they are.
const KINDS: &[(&str, &str, &[Row])] = &[
    ("ConfigMap", "v1", &[("data", true, Labels)]),
    ("Service", "v1", &[("spec", true, Object(SERVICE_SPEC))]),
    ("StatefulSet", "apps/v1", &[("spec", true, Object(SET_SPEC))]),
];
/// The fields that say what a thing is.
const COMMON: [&str; 3] = ["apiVersion", "kind", "metadata"];

fn check(place: &str, value: &Value, field: &Field) {
    let labels = |value: &Value| {
        value.as_object().is_some_and(|map| map.values().all(|value| value.is_string()))
    };
    match field {
        Text => assert!(value.is_string(), "{place} is no text"),
        Number => assert!(value.is_u64(), "{place} is no number"),
        Labels => assert!(labels(value), "{place} is no table of texts"),
        Texts => {
            let list = value.as_array().unwrap_or_else(|| panic!("{place} is no list"));
            assert!(list.iter().all(Value::is_string), "{place} has other things than texts");
        }
        Object(rows) => check_object(place, value, rows),
        List(rows) => {
            let list = value.as_array().unwrap_or_else(|| panic!("{place} is no list"));
            assert!(!list.is_empty(), "{place} is empty");
            list.iter().for_each(|one| check_object(place, one, rows));
        }
    }
}

fn check_object(place: &str, value: &Value, rows: &[Row]) {
    let object = value.as_object().unwrap_or_else(|| panic!("{place} is no object"));
    for (name, value) in object {
        let row = rows.iter().find(|(known, ..)| known == name);
        let (_, _, field) = row.unwrap_or_else(|| panic!("{place}.{name} is unknown"));
        check(&format!("{place}.{name}"), value, field);
    }
    for (name, required, _) in rows {
        assert!(!required || object.contains_key(*name), "{place}.{name} is missing");
    }
}

fn names(value: &Value, field: &str) -> Vec<String> {
    let list = value[field].as_array().cloned().unwrap_or_default();
    let name = |one: &Value| {
        let name = one["name"].as_str().or(one["metadata"]["name"].as_str());
        name.map(str::to_owned)
    };
    list.iter().filter_map(name).collect()
}

#[test]
fn the_manifest_has_the_fields_that_kubernetes_knows() {
    let manifest: Value = serde_json::from_str(&text("kubernetes.json")).expect("it is JSON");
    assert_eq!((&manifest["apiVersion"], &manifest["kind"]), (&"v1".into(), &"List".into()));
    let items = manifest["items"].as_array().expect("a list");
    let services: Vec<&Map<String, Value>> = items
        .iter()
        .filter(|item| item["kind"] == "Service")
        .filter_map(Value::as_object)
        .collect();
    for item in items {
        let kind = item["kind"].as_str().expect("it has a kind");
        let (_, version, fields) = KINDS
            .iter()
            .find(|(known, ..)| *known == kind)
            .unwrap_or_else(|| panic!("{kind} is unknown"));
        assert_eq!(item["apiVersion"], **version, "{kind}");
        check_object(kind, &item["metadata"], METADATA);
        let mut own = item.as_object().expect("an object").clone();
        own.retain(|name, _| !COMMON.contains(&name.as_str()));
        check_object(kind, &Value::Object(own), fields);
        if kind != "StatefulSet" {
            continue;
        }
        // What refers to something refers to something that is there.
        let spec = &item["spec"];
        let labels = &spec["template"]["metadata"]["labels"];
        assert_eq!(&spec["selector"]["matchLabels"], labels);
        let service = services
            .iter()
            .find(|service| service["metadata"]["name"] == spec["serviceName"])
            .expect("its service is there");
        assert_eq!(&service["spec"]["selector"], labels);
        let pod = &spec["template"]["spec"];
        for volume in pod["volumes"].as_array().into_iter().flatten() {
            let config = &volume["configMap"]["name"];
            let is_there =
                |item: &Value| item["kind"] == "ConfigMap" && item["metadata"]["name"] == *config;
            assert!(config.is_null() || items.iter().any(is_there), "there is no {config}");
        }
        let mut volumes = names(pod, "volumes");
        volumes.extend(names(spec, "volumeClaimTemplates"));
        for container in pod["containers"].as_array().expect("a list") {
            for mount in names(container, "volumeMounts") {
                assert!(volumes.contains(&mount), "there is no volume {mount}");
            }
        }
    }
    // The command of the workers is one that Farrier takes, and names the service.
    let workers = &items.last().expect("there are items")["spec"]["template"]["spec"];
    let arguments = workers["containers"][0]["args"].as_array().expect("a list").clone();
    let arguments: Vec<&str> = arguments.iter().filter_map(Value::as_str).collect();
    assert!(arguments.contains(&"nats://farrier-nats:4222"));
    takes(&arguments);
}

#[test]
fn the_server_of_the_manifest_takes_its_configuration_and_shows_no_secret() {
    let manifest: Value = serde_json::from_str(&text("kubernetes.json")).expect("it is JSON");
    let items = manifest["items"].as_array().expect("a list");
    let of = |kind: &str| {
        let found = items.iter().find(|item| item["kind"] == kind);
        found.unwrap_or_else(|| panic!("there is no {kind}"))
    };
    let (config, set) = (of("ConfigMap"), of("StatefulSet"));
    let server = &set["spec"]["template"]["spec"]["containers"][0];
    // The list of processes shows what is on a command line.
    let arguments = server["args"].to_string();
    assert!(!arguments.contains("PASSWORD"), "{arguments}");
    let (name, conf) = config["data"].as_object().and_then(|data| data.iter().next()).expect("one");
    let mounted =
        format!("{}/{name}", server["volumeMounts"][1]["mountPath"].as_str().expect("a path"));
    assert!(arguments.contains(&mounted), "{mounted} in {arguments}");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manifest-nats.conf");
    std::fs::write(&path, conf.as_str().expect("a text")).expect("it can be written");
    let mut command = Command::new("nats-server");
    command.args(["-t", "--config"]).arg(&path);
    for variable in server["env"].as_array().expect("a list") {
        assert!(variable["valueFrom"]["secretKeyRef"].is_object(), "{variable}");
        command.env(variable["name"].as_str().expect("a name"), "secret");
    }
    let output = command.output().expect("nats-server must be installed");
    assert!(output.status.success(), "{output:?}");
}

/// Whether the command line can be read: an option that does not exist is all that is wrong.
fn takes(arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_farrier"))
        .args(arguments)
        .arg("--version-that-is-none")
        .output()
        .expect("it can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("unexpected argument '--version-that-is-none'"), "{arguments:?}: {said}");
}

#[test]
fn the_units_of_systemd_have_sections_and_a_command_that_farrier_takes() {
    for name in ["farrier-nats.service", "farrier-worker@.service"] {
        let unit = text(name);
        let mut section = "";
        for line in unit.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if line.starts_with('[') {
                section = line;
                continue;
            }
            let (key, value) = line.split_once('=').unwrap_or_else(|| panic!("{name}: {line}"));
            assert!(!section.is_empty() && !value.is_empty(), "{name}: {line}");
            let known: &[&str] = match section {
                "[Unit]" => &["Description", "After", "Wants"],
                "[Install]" => &["WantedBy"],
                "[Service]" => &[
                    "EnvironmentFile",
                    "ExecStart",
                    "DynamicUser",
                    "StateDirectory",
                    "WorkingDirectory",
                    "SuccessExitStatus",
                    "KillSignal",
                    "KillMode",
                    "TimeoutStopSec",
                    "Restart",
                    "RestartSec",
                ],
                other => panic!("{name}: {other} is no section"),
            };
            assert!(known.contains(&key), "{name}: {key} in {section}");
            if let ("ExecStart", Some((_, arguments))) = (key, value.split_once("farrier ")) {
                let words: Vec<&str> = arguments
                    .split_whitespace()
                    .filter(|word| *word != "$FARRIER_OPTIONS")
                    .map(|word| if word.contains("${") { "nats://server:4222" } else { word })
                    .collect();
                takes(&words);
            }
        }
    }
}

#[test]
fn the_server_takes_its_configuration() {
    let output = Command::new("nats-server")
        .args(["-t", "--config"])
        .arg(file("nats-server.conf"))
        .env("FARRIER_NATS_PASSWORD", "secret")
        .output()
        .expect("nats-server must be installed: apt-get install nats-server");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // The certificate is not here; all else is read before it.
    assert!(output.status.success() || said.contains("server.pem"), "{said}");
    assert!(!said.contains("unknown field"), "{said}");
}
