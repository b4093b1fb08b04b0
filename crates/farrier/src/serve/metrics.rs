//! Numbers for Prometheus, in its text format 0.0.4.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::overview::Overview;
use super::pages::Machine;

/// What the format is called.
pub(crate) const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The numbers of a hunt.
pub(crate) fn metrics(overview: &Overview, machines: &[Machine]) -> String {
    let mut text = String::new();
    let tally = &overview.tally;
    let mut one = |name: &str, kind: &str, help: &str, value: f64| {
        family(&mut text, name, kind, help, &[(String::new(), value)]);
    };
    #[rustfmt::skip]
    let counters: &[(&str, &str, f64)] = &[
        ("programs", "Programs that are done", tally.programs as f64),
        ("refused_programs", "Programs that the generator gave up", tally.refused as f64),
        ("mutants", "Mutants of programs", tally.mutants as f64),
        ("trials", "Programs that a compiler was given", tally.trials as f64),
        ("reused_trials", "Trials whose object code had been run before", tally.reused as f64),
        ("inconclusive_trials", "Trials that say nothing", tally.inconclusive as f64),
        ("failed_trials", "Trials that could not take place", tally.infrastructure as f64),
        ("panics", "Bugs of Farrier itself", tally.panicked as f64),
        ("compiler_cpu_seconds", "Processor time of compilers", tally.compiler_time.as_secs_f64()),
        ("program_cpu_seconds", "Processor time of compiled programs", tally.program_time.as_secs_f64()),
    ];
    for (name, help, value) in counters {
        one(&format!("farrier_{name}_total"), "counter", help, *value);
    }
    one("farrier_bugs", "gauge", "Different causes of findings", overview.ledger.bugs.len() as f64);
    let waiting = overview.not_triaged() as f64;
    one("farrier_findings_not_triaged", "gauge", "Findings that wait for triage", waiting);
    let mut findings: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for entry in &overview.ledger.entries {
        *findings.entry((entry.kind.name(), overview.compiler(entry))).or_default() += 1;
    }
    let rows: Vec<(String, f64)> = findings
        .into_iter()
        .map(|((kind, compiler), count)| {
            (labels(&[("kind", kind), ("compiler", compiler)]), count as f64)
        })
        .collect();
    family(&mut text, "farrier_findings_total", "counter", "Compilers that were wrong", &rows);
    let of = |value: &dyn Fn(&Machine) -> Option<f64>| -> Vec<(String, f64)> {
        let row = |one: &Machine| Some((labels(&[("machine", &one.name)]), value(one)?));
        machines.iter().filter_map(row).collect()
    };
    let running = of(&|one| Some(f64::from(u8::from(one.running))));
    family(&mut text, "farrier_running", "gauge", "Whether the machine hunts", &running);
    let life = of(&|one| Some(one.last? as f64));
    let name = "farrier_last_sign_of_life_timestamp_seconds";
    family(&mut text, name, "gauge", "When the machine last wrote a result", &life);
    let version = [(labels(&[("version", env!("CARGO_PKG_VERSION"))]), 1.0)];
    family(&mut text, "farrier_build_info", "gauge", "The version of this server", &version);
    text
}

/// A name with its help, its type and its values.
fn family(text: &mut String, name: &str, kind: &str, help: &str, rows: &[(String, f64)]) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (labels, value) in rows {
        let _ = writeln!(text, "{name}{labels} {value}");
    }
}

/// Labels with their values, in which three characters are escaped.
fn labels(pairs: &[(&str, &str)]) -> String {
    let escaped = |text: &str| {
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        text.replace('\n', "\\n")
    };
    let pairs: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", pairs.join(","))
}
