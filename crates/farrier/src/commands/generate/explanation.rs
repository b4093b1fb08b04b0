//! What `--explain` says: how a program came about, and what is in it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use farrier_machine::{Rule, Verdict};
use farrier_synth::census::Count;
use farrier_synth::features::FEATURES;
use farrier_synth::parameters::{CONTEXT_NAMES, PARAMETERS};
use farrier_synth::relax::{RELAXATIONS, repair_names};
use farrier_synth::{Config, Generated, Refusal};

/// What there is to say about a program: a name and a value in each line.
pub(super) fn text(seed: u64, config: &Config, made: &Generated, time: Duration) -> String {
    let mut text = String::new();
    section(&mut text, &format!("seed {seed}"), &making(config, made, time));
    section(&mut text, "guards", &guards(made));
    let relaxed = relaxed(made);
    if !relaxed.is_empty() {
        section(&mut text, "relaxed", &relaxed);
    }
    let census = made.census();
    let code = [
        row("functions", count(census.functions)),
        row("statements", count(census.statements)),
        row("expressions", count(census.expressions)),
        row("operators", operators(&census.operators)),
        row("constant", format!("{} expressions that run have one value only", census.constant)),
        row("header calls", format!("{} in headers of loops", count(census.header_calls))),
        row("wild", format!("{} operations that do not run could be undefined", census.wild)),
        row(
            "nests",
            format!(
                "{} operations of arithmetic run, {} of them plain and signed",
                census.nests.total, census.nests.plain
            ),
        ),
        row("jumps", format!("{} pass an initialiser", census.edges.jumps)),
        row(
            "conflicts",
            format!("{} operators would have one with other addresses", census.edges.conflicts),
        ),
        row(
            "hostile",
            format!(
                "code that would be undefined is in {} of {} blocks that run",
                census.hostile_blocks, census.blocks
            ),
        ),
    ];
    section(&mut text, "code", &code);
    let features: Vec<Row> = FEATURES
        .iter()
        .map(|feature| {
            let off = if made.weights.has(feature.feature) { "" } else { ", off" };
            row(feature.name, format!("{}{off}", count(census.feature(feature.feature))))
        })
        .collect();
    section(&mut text, "features", &features);
    let parameters: Vec<Row> = PARAMETERS
        .iter()
        .map(|parameter| row(parameter.name, made.parameters.get(parameter.parameter).to_string()))
        .collect();
    section(&mut text, "parameters", &parameters);
    section(&mut text, "policies", &policies(made));
    let shapes = shapes(made);
    if !shapes.is_empty() {
        section(&mut text, "statements of nests", &shapes);
    }
    text
}

/// How many operators expressions have.
fn operators(counts: &[u64]) -> String {
    let mut counts = counts.to_vec();
    counts.sort_unstable();
    let [median, most] = [counts.len() / 2, counts.len().saturating_sub(1)]
        .map(|index| counts.get(index).copied().unwrap_or(0));
    let full = counts.len();
    format!("median {median}, maximum {most}, in {full} assignments, initialisers and results")
}

/// Which rules the program breaks, and how its faults were repaired; nothing if it follows all.
fn relaxed(made: &Generated) -> Vec<Row> {
    let tally = &made.relaxed;
    if tally.shares.is_strict() {
        return Vec::new();
    }
    let mut rows = Vec::new();
    for (relaxation, count) in RELAXATIONS.iter().zip(tally.relaxed) {
        let text = match tally.shares.get(relaxation.relaxation) {
            0 => "off".to_owned(),
            share => format!("{count} times, in {share} % of the places"),
        };
        rows.push(row(relaxation.name, text));
    }
    rows.push(row("rounds", format!("{} of repairs", tally.rounds)));
    rows.push(row("faults", by_rule(&tally.faults)));
    rows.push(row("buried", by_rule(&tally.buried)));
    let repairs = repair_names().zip(tally.repairs).filter(|(_, count)| *count > 0);
    rows.extend(repairs.map(|(name, count)| row(name, format!("{count} repairs"))));
    rows
}

/// How often each rule was broken.
fn by_rule(counts: &BTreeMap<Rule, u64>) -> String {
    let one = |(rule, count): (&Rule, &u64)| match rule {
        Rule::Undefined(kind) => format!("{count} {}", kind.name()),
        Rule::Unspecified(cause) => format!("{count} unspecified ({})", cause.name()),
    };
    match counts.is_empty() {
        true => "none".to_owned(),
        false => counts.iter().map(one).collect::<Vec<_>>().join(", "),
    }
}

/// How often each policy was followed.
fn policies(made: &Generated) -> Vec<Row> {
    let policies = &made.policies;
    let off = if policies.off { "off in this program" } else { "on" };
    let mut rows = vec![row("policies", off.to_owned())];
    let contexts = CONTEXT_NAMES.iter().zip(&policies.contexts);
    rows.extend(contexts.map(|(name, count)| row(name, format!("{count} expressions"))));
    rows.push(row("constant leaves", format!("{} subtrees", policies.constant)));
    rows.push(row("half constant leaves", format!("{} subtrees", policies.half_constant)));
    rows
}

/// How often each form of statements was drafted in loop nests.
fn shapes(made: &Generated) -> Vec<Row> {
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    for (name, _) in &made.shapes {
        *counts.entry(name).or_default() += 1;
    }
    counts.into_iter().map(|(name, count)| row(name, count.to_string())).collect()
}

/// A name and a value.
type Row = (&'static str, String);

fn row(name: &'static str, value: String) -> Row {
    (name, value)
}

fn section(text: &mut String, title: &str, rows: &[Row]) {
    let _ = writeln!(text, "{title}");
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in rows {
        let _ = writeln!(text, "  {name:width$}  {value}");
    }
}

fn count(Count { total, executed }: Count) -> String {
    format!("{total}, of which {executed} run")
}

fn making(config: &Config, made: &Generated, time: Duration) -> Vec<Row> {
    let behavior = made.certified.behavior();
    let mut rows = vec![
        row("bytes", format!("{} of {}", made.size(), config.size)),
        row("operations", format!("{} of at most {}", behavior.steps, config.steps)),
        row("volatile", format!("{} accesses", behavior.volatile_accesses)),
        row("time", format!("{:.1} ms", time.as_secs_f64() * 1000.0)),
        row("drafts", (made.refused.len() + 1).to_string()),
    ];
    rows.extend(made.refused.iter().map(|refusal| row("refused", reason(refusal))));
    rows
}

fn guards(made: &Generated) -> Vec<Row> {
    let tally = &made.tally;
    let left = match tally.guards + tally.added {
        0 => 0.0,
        all => 100.0 * tally.kept as f64 / all as f64,
    };
    vec![
        row("drafted", tally.guards.to_string()),
        row("added", tally.added.to_string()),
        row("not reached", tally.unreached.to_string()),
        row("dropped", tally.dropped.to_string()),
        row("flipped", tally.flipped.to_string()),
        row("inserted", tally.inserted.to_string()),
        row("unsigned", tally.unsigned.to_string()),
        row("replaced", tally.replaced.to_string()),
        row("kept", format!("{}, {left:.1} %", tally.kept)),
        row(
            "runs",
            format!("{}{}", tally.runs, if tally.undone { ", the last undone" } else { "" }),
        ),
    ]
}

/// Why the last draft was refused.
pub(super) fn last_reason(refused: &[Refusal]) -> String {
    refused.last().map(reason).unwrap_or_else(|| "there was none".to_owned())
}

fn reason(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Size(bytes) => format!("it has {bytes} bytes"),
        Refusal::Verdict { verdict, .. } => match &**verdict {
            Verdict::Defined(_) => "it is defined".to_owned(),
            Verdict::Undefined(ub) => {
                format!("it is undefined ({}): {}", ub.kind.name(), ub.message)
            }
            Verdict::Unspecified(found) => {
                format!("it is unspecified ({}): {}", found.cause.name(), found.message)
            }
            Verdict::Unsupported(found) => format!("it is unsupported: {}", found.feature),
            Verdict::Exhausted(limit) => format!("it reached a limit: {limit:?}"),
        },
    }
}
