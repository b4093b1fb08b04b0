//! Several hunts side by side: what each has found, by the processor time that it took.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use super::chart::{self, x, y};
use crate::finding::{Cost, Finding, Store, groups};

/// A curve has so many points at most, beside those where something was found.
const MOST_POINTS: usize = 200;

/// Colours that people tell apart, whatever colours they see.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// A hunt over processor time.
#[derive(Serialize, Debug)]
pub(crate) struct Curve {
    /// Its directory.
    pub(crate) directory: String,
    /// The version of Farrier that began it.
    version: String,
    seed: u64,
    /// After each program, as far as they are kept; the last one is the whole hunt.
    pub(crate) points: Vec<Point>,
    /// The causes, and after how many seconds each was seen first. Before triage, what happens
    /// in which compiler counts as one.
    pub(crate) bugs: BTreeMap<String, f64>,
    /// What a command said of the coverage of a compiler, and after how many seconds.
    coverage: Vec<(f64, f64)>,
    /// How many findings are not triaged.
    pub(crate) not_triaged: usize,
}

/// A hunt after some of its programs.
#[derive(Serialize, Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Point {
    /// Processor time of compilers and compiled programs.
    pub(crate) seconds: f64,
    pub(crate) programs: u64,
    pub(crate) trials: u64,
    pub(crate) findings: u64,
    pub(crate) bugs: u64,
}

impl Curve {
    /// The curve of a hunt.
    pub(crate) fn of(directory: String, store: &Store) -> anyhow::Result<Self> {
        let (version, settings) = store.hunt()?;
        let (costs, findings, analyses) = (store.costs()?, store.findings()?, store.analyses()?);
        let times = times(&costs);
        let whole = times.last().copied().unwrap_or_default();
        // A program that is not done comes after those that are.
        let time = |finding: &Finding| {
            let place = costs.binary_search_by_key(&finding.program, |cost| cost.number);
            place.map_or(whole, |place| times[place])
        };
        let mut bugs = BTreeMap::new();
        for group in groups(&findings, &analyses) {
            let first = group.members.iter().map(|(finding, _)| time(finding)).min();
            bugs.insert(group.title, first.unwrap_or_default().as_secs_f64());
        }
        let mut found: Vec<f64> =
            findings.iter().map(|finding| time(finding).as_secs_f64()).collect();
        found.sort_by(f64::total_cmp);
        let coverage = store.coverage()?.into_iter().map(|(programs, value)| {
            let place = usize::try_from(programs).unwrap_or(usize::MAX).min(times.len());
            let time = place.checked_sub(1).map_or(Duration::ZERO, |place| times[place]);
            (time.as_secs_f64(), value)
        });
        Ok(Self {
            version,
            seed: settings.seed,
            points: points(&costs, &times, &found, &bugs),
            coverage: coverage.collect(),
            not_triaged: findings.len() - analyses.len().min(findings.len()),
            directory,
            bugs,
        })
    }

    /// The whole hunt.
    pub(crate) fn end(&self) -> Point {
        self.points.last().copied().unwrap_or_default()
    }

    /// The hunt after so many seconds; `None` if it ended before.
    pub(crate) fn at(&self, seconds: f64) -> Option<Point> {
        let after = self.points.partition_point(|point| point.seconds <= seconds);
        let reached = self.end().seconds >= seconds * (1.0 - 1e-9);
        reached.then(|| after.checked_sub(1).map_or(Point::default(), |index| self.points[index]))
    }
}

/// The time after each program.
fn times(costs: &[Cost]) -> Vec<Duration> {
    let mut sum = Duration::ZERO;
    let add = |cost: &Cost| {
        sum += cost.time;
        sum
    };
    costs.iter().map(add).collect()
}

fn points(
    costs: &[Cost],
    times: &[Duration],
    found: &[f64],
    bugs: &BTreeMap<String, f64>,
) -> Vec<Point> {
    let step = costs.len().div_ceil(MOST_POINTS).max(1);
    let mut points = vec![Point::default()];
    let mut trials = 0;
    for (index, (cost, time)) in costs.iter().zip(times).enumerate() {
        trials += cost.trials;
        let seconds = time.as_secs_f64();
        let until = |moment: &f64| *moment <= seconds;
        let point = Point {
            seconds,
            programs: index as u64 + 1,
            trials,
            findings: found.partition_point(until) as u64,
            bugs: bugs.values().filter(|moment| until(moment)).count() as u64,
        };
        let is_news = points.last().is_some_and(|last| last.bugs != point.bugs);
        if is_news || index % step == 0 || index + 1 == costs.len() {
            points.push(point);
        }
    }
    points
}

/// The line of a hunt: places from left to right.
type Line = Vec<(f64, f64)>;

/// Draws the curves: bugs, trials, and coverage if it was measured.
pub(crate) fn svg(curves: &[Curve]) -> String {
    let lines = |value: fn(&Point) -> u64| -> Vec<Line> {
        let place = |point: &Point| (point.seconds, value(point) as f64);
        curves.iter().map(|curve| curve.points.iter().map(place).collect()).collect()
    };
    let mut panels =
        vec![("bugs", lines(|point| point.bugs)), ("trials", lines(|point| point.trials))];
    if curves.iter().any(|curve| !curve.coverage.is_empty()) {
        let lines = curves.iter().map(|curve| curve.coverage.clone());
        panels.push(("coverage", lines.collect()));
    }
    let width = chart::WIDTH;
    let legend = 20.0 * curves.len() as f64 + 12.0;
    let panel = chart::HEIGHT + 30.0;
    let height = panel * panels.len() as f64 + legend;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (index, (name, lines)) in panels.iter().enumerate() {
        let _ = writeln!(text, "<g transform=\"translate(0 {:.0})\">", panel * index as f64);
        draw(&mut text, name, lines);
        text += "</g>\n";
    }
    for (index, curve) in curves.iter().enumerate() {
        let y = panel * panels.len() as f64 + 20.0 * index as f64 + 14.0;
        let colour = COLOURS[index % COLOURS.len()];
        let _ = writeln!(
            text,
            "<path d=\"M{} {:.0}h24\" stroke=\"{colour}\" stroke-width=\"2\"{}/>\
             <text x=\"{}\" y=\"{:.0}\">{}</text>",
            chart::LEFT,
            y - 4.0,
            dashes(index),
            chart::LEFT + 32.0,
            y,
            escape(&curve.directory)
        );
    }
    text + "</svg>\n"
}

/// A panel: the grid, the words and one line for each hunt.
fn draw(text: &mut String, name: &str, lines: &[Line]) {
    let places = || lines.iter().flatten();
    let right = chart::round_up(places().map(|place| place.0).fold(0.0, f64::max));
    let top = chart::round_up(places().map(|place| place.1).fold(0.0, f64::max));
    for part in [0.0, 0.5, 1.0] {
        let (across, up) = (x(part), y(part));
        let value = top * part;
        let value = if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.1}") };
        let _ = writeln!(
            text,
            "<path d=\"M{:.1} {up:.1}H{:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>\
             <text x=\"{across:.1}\" y=\"{:.1}\" text-anchor=\"{}\">{}</text>",
            x(0.0),
            x(1.0),
            x(0.0) - 4.0,
            up + 4.0,
            y(0.0) + 16.0,
            if part == 0.0 {
                "start"
            } else if part == 1.0 {
                "end"
            } else {
                "middle"
            },
            chart::duration(Duration::from_secs_f64(right * part)),
        );
    }
    let _ = writeln!(
        text,
        "<text x=\"{:.1}\" y=\"{:.1}\">{name} by processor time of compilers and programs</text>",
        x(0.0) + 6.0,
        y(1.0) + 14.0
    );
    for (index, places) in lines.iter().enumerate() {
        let Some(first) = places.first() else { continue };
        let at = |(time, value): &(f64, f64)| (x(time / right), y(value / top));
        let (across, up) = at(first);
        let mut path = format!("M{across:.1} {up:.1}");
        for place in &places[1..] {
            let (across, up) = at(place);
            let _ = write!(path, "H{across:.1}V{up:.1}");
        }
        let colour = COLOURS[index % COLOURS.len()];
        let _ = writeln!(
            text,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{}/>",
            dashes(index)
        );
    }
}

/// Where there are more hunts than colours, dashes tell them apart.
fn dashes(index: usize) -> String {
    match index / COLOURS.len() {
        0 => String::new(),
        round => format!(" stroke-dasharray=\"{0} {0}\"", 2 + 3 * round),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(directory: &str, points: &[(f64, u64)]) -> Curve {
        let point = |&(seconds, bugs): &(f64, u64)| Point { seconds, bugs, ..Point::default() };
        Curve {
            directory: directory.to_owned(),
            version: String::new(),
            seed: 0,
            points: points.iter().map(point).collect(),
            bugs: BTreeMap::new(),
            coverage: Vec::new(),
            not_triaged: 0,
        }
    }

    #[test]
    fn a_curve_is_known_until_its_end() {
        let curve = curve("a", &[(0.0, 0), (1.0, 1), (3.0, 2)]);
        let bugs = |seconds| curve.at(seconds).map(|point| point.bugs);
        assert_eq!([0.0, 0.5, 1.0, 2.9, 3.0].map(bugs), [0, 0, 1, 1, 2].map(Some));
        assert_eq!(bugs(3.1), None);
    }

    #[test]
    fn points_stay_where_something_was_found() {
        let cost = |number| Cost { number, trials: 2, time: Duration::from_secs(1) };
        let costs: Vec<Cost> = (0..1000).map(cost).collect();
        let bugs = BTreeMap::from([("a".to_owned(), 333.0)]);
        let points = points(&costs, &times(&costs), &[333.0, 700.0], &bugs);
        assert!(points.len() < 210, "{}", points.len());
        assert!(points.iter().any(|point| point.programs == 333 && point.bugs == 1));
        let last = points.last().expect("it has an end");
        assert_eq!((last.programs, last.trials, last.findings), (1000, 2000, 2));
    }

    #[test]
    fn nothing_and_odd_names_are_drawn() {
        let text = svg(&[curve("a<b>&\"c\"", &[(0.0, 0)]), curve("empty", &[])]);
        assert!(text.contains("a&lt;b&gt;&amp;&quot;c&quot;") && !text.contains("NaN"), "{text}");
    }
}
