//! What `farrier check --format sarif` prints: a log in SARIF 2.1.0.

use farrier_machine::{Cause, UbKind};
use serde_json::{Value, json};

use super::document::{Document, Report};
use crate::terminal::Location;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The rule that `--leaks` checks.
const LEAK: &str = "leak";

/// The log of one run.
pub(super) fn log(document: &Document, exit_code: u8) -> Value {
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    match &document.verdict {
        Report::Defined { .. } => {}
        Report::Undefined { kind, message, location, related, stack, .. } => {
            let mut result = result(kind, message, location.as_ref());
            let related: Vec<Value> = related
                .iter()
                .map(|related| with_message(place(related.location.as_ref()), &related.message))
                .collect();
            let frames: Vec<Value> = stack
                .iter()
                .map(|call| {
                    let mut frame = place(call.called_from.as_ref());
                    frame["logicalLocations"] =
                        json!([{ "name": call.function, "kind": "function" }]);
                    json!({ "location": frame })
                })
                .collect();
            result["relatedLocations"] = related.into();
            result["stacks"] = json!([{ "frames": frames }]);
            results.push(result);
        }
        Report::Unspecified { cause, message, location } => {
            results.push(result(&unspecified_id(cause), message, location.as_ref()));
        }
        Report::Unsupported { feature, location } => notifications.push(json!({
            "level": "error",
            "message": { "text": format!("unsupported: {feature}") },
            "locations": locations(location.as_ref()),
        })),
        Report::Exhausted { message, .. } => {
            notifications.push(json!({ "level": "warning", "message": { "text": message } }));
        }
    }
    for later in &document.later {
        results.push(result(&later.rule, &later.message, later.location.as_ref()));
    }
    for lost in &document.leaks {
        results.push(result(LEAK, &lost.message, lost.location.as_ref()));
    }
    let mut properties = json!({ "output": document.output });
    if let Some(bytes) = &document.output_bytes {
        properties["outputBytes"] = json!(bytes);
    }
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "farrier",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules(),
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": notifications.is_empty(),
                "exitCode": exit_code,
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
            "properties": properties,
        }],
    })
}

/// The rule of a choice that C leaves open.
pub(super) fn unspecified_id(cause: &str) -> String {
    format!("unspecified-{cause}")
}

/// Every rule that a result can name, in the order of the catalogue.
fn rules() -> Vec<Value> {
    let kinds = UbKind::ALL.iter().map(|kind| {
        json!({
            "id": kind.name(),
            "shortDescription": { "text": kind.rule() },
            "help": { "text": format!("{}; see farrier explain {}", kind.citation(), kind.name()) },
            "defaultConfiguration": { "level": "error" },
        })
    });
    let causes = Cause::ALL.iter().map(|cause| {
        json!({
            "id": unspecified_id(cause.name()),
            "shortDescription": { "text": cause.rule() },
            "defaultConfiguration": { "level": "error" },
        })
    });
    let leak = json!({
        "id": LEAK,
        "shortDescription": { "text": "Memory is freed before the last pointer to it is gone." },
        "defaultConfiguration": { "level": "error" },
    });
    kinds.chain(causes).chain([leak]).collect()
}

fn result(rule: &str, message: &str, location: Option<&Location>) -> Value {
    json!({
        "ruleId": rule,
        "level": "error",
        "message": { "text": message },
        "locations": locations(location),
    })
}

fn locations(location: Option<&Location>) -> Vec<Value> {
    location.iter().map(|location| place(Some(location))).collect()
}

fn with_message(mut location: Value, message: &str) -> Value {
    location["message"] = json!({ "text": message });
    location
}

/// A SARIF location; without a place it is an empty object, which may have a message.
fn place(location: Option<&Location>) -> Value {
    let Some(location) = location else { return json!({}) };
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&location.file) },
        "region": {
            "startLine": location.line,
            "startColumn": location.column,
            "endColumn": location.end_column,
            "snippet": { "text": location.text },
        },
    } })
}

/// A path as a reference of RFC 3986.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let encode = |byte: u8| match byte {
        _ if plain(byte) => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    let encoded: String = path.bytes().map(encode).collect();
    if path.starts_with('/') { format!("file://{encoded}") } else { encoded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("a/b-1.c"), "a/b-1.c");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
        assert_eq!(uri("/tmp/ä b.c"), "file:///tmp/%C3%A4%20b.c");
    }

    #[test]
    fn rules_have_different_names() {
        let rules = rules();
        for (index, rule) in rules.iter().enumerate() {
            assert!(rules[..index].iter().all(|other| other["id"] != rule["id"]), "{rule}");
        }
    }
}
