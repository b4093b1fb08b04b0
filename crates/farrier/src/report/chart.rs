//! Charts: numbers to coordinates. The templates draw them.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::finding::Work;

/// The size of a chart in its own units; the page scales it.
pub(crate) const WIDTH: f64 = 720.0;
/// The height of a chart.
pub(crate) const HEIGHT: f64 = 180.0;
/// The room for numbers at the left.
pub(crate) const LEFT: f64 = 64.0;
/// The room for words below.
const BOTTOM: f64 = 28.0;
/// The room above.
const TOP: f64 = 10.0;
/// How far dots are from each other at least.
const DOT: f64 = 3.0;

/// A line of the grid.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tick {
    pub(crate) y: String,
    pub(crate) label: String,
}

/// How findings came in time.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Timeline {
    /// The outline of all findings so far.
    pub(crate) line: String,
    /// The same, closed.
    pub(crate) area: String,
    /// Where something new was found first: place and words.
    pub(crate) firsts: Vec<(String, String, String)>,
    pub(crate) ticks: Vec<Tick>,
    pub(crate) start: String,
    pub(crate) end: String,
}

/// A bar of two parts.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Bar {
    pub(crate) x: String,
    pub(crate) width: String,
    pub(crate) lower_y: String,
    pub(crate) lower_height: String,
    pub(crate) upper_y: String,
    pub(crate) upper_height: String,
    /// In words.
    pub(crate) words: String,
}

/// What programs cost.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Costs {
    pub(crate) bars: Vec<Bar>,
    pub(crate) ticks: Vec<Tick>,
    pub(crate) start: String,
    pub(crate) end: String,
}

fn number(value: f64) -> String {
    format!("{value:.1}")
}

/// From a part of the height to a coordinate.
pub(crate) fn y(part: f64) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - part)
}

/// From a part of the width to a coordinate.
pub(crate) fn x(part: f64) -> f64 {
    LEFT + (WIDTH - LEFT - 8.0) * part
}

/// The least of 1, 2 and 5 times a power of ten that is not below `value`.
pub(crate) fn round_up(value: f64) -> f64 {
    if value.is_nan() || value <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|round| *round >= value * 0.999_999)
        .unwrap_or(value)
}

fn ticks(top: f64, words: impl Fn(f64) -> String) -> Vec<Tick> {
    [0.0, 0.5, 1.0]
        .into_iter()
        .map(|part| Tick { y: number(y(part)), label: words(top * part) })
        .collect()
}

/// A time such as `2026-11-15T08:53:27Z` in seconds since 1970.
pub(crate) fn seconds(time: &str) -> Option<i64> {
    let mut parts = time.trim_end_matches('Z').split(['-', 'T', ':']).map(|part| part.parse().ok());
    let mut next = || -> Option<i64> { parts.next()? };
    let (year, month, day) = (next()?, next()?, next()?);
    let (hour, minute, second) = (next()?, next()?, next()?);
    if parts.next().is_some() {
        return None;
    }
    if !(1..=12).contains(&month) || !(1970..=9999).contains(&year) {
        return None;
    }
    // Years begin in March, so that the day that some have comes last.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day - 1;
    Some((days - 719_468) * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Draws when findings were seen: `seen` has all of them, `firsts` the first of each
/// signature, with words.
pub(crate) fn timeline(seen: &[&str], firsts: &[(&str, String)]) -> Option<Timeline> {
    let mut times: Vec<(i64, &str)> =
        seen.iter().filter_map(|time| Some((seconds(time)?, *time))).collect();
    times.sort_unstable();
    let (first, last) = (*times.first()?, *times.last()?);
    let span = (last.0 - first.0).max(1) as f64;
    let top = round_up(times.len() as f64).max(2.0);
    let place = |time: i64| x((time - first.0) as f64 / span);
    let mut line = format!("M{} {}", number(x(0.0)), number(y(0.0)));
    for (index, (time, _)) in times.iter().enumerate() {
        // Of those that cannot be told apart, the last is enough.
        let next = times.get(index + 1);
        if next.is_none_or(|(next, _)| place(*next).floor() > place(*time).floor()) {
            line += &format!("H{}V{}", number(place(*time)), number(y((index + 1) as f64 / top)));
        }
    }
    line += &format!("H{}", number(x(1.0)));
    let area = format!("{line}V{}H{}Z", number(y(0.0)), number(x(0.0)));
    let mut dots: BTreeMap<i64, (f64, f64, String, usize)> = BTreeMap::new();
    for (time, words) in firsts {
        let Some(time) = seconds(time) else { continue };
        let count = times.partition_point(|(other, _)| *other <= time);
        let dot = (place(time), y(count as f64 / top), words.clone(), 0);
        // Of those at one place the first is named.
        dots.entry((place(time) / DOT) as i64).and_modify(|dot| dot.3 += 1).or_insert(dot);
    }
    let words = |words: String, more: usize| match more {
        0 => words,
        more => format!("{words} and {more} more"),
    };
    let firsts = dots
        .into_values()
        .map(|(x, y, first, more)| (number(x), number(y), words(first, more)))
        .collect();
    Some(Timeline {
        line,
        area,
        firsts,
        ticks: ticks(top, |value| format!("{value:.0}")),
        start: self::words(first.1),
        end: self::words(last.1),
    })
}

/// A time as people read it.
pub(crate) fn words(time: &str) -> String {
    time.trim_end_matches('Z').replace('T', " ")
}

/// A duration as people read it.
pub(crate) fn duration(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 10.0 => format!("{seconds:.1} s"),
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}

/// Draws what programs cost.
pub(crate) fn costs(work: &[Work]) -> Option<Costs> {
    let (first, last) = (work.first()?, work.last()?);
    let columns: Vec<Column> = work
        .iter()
        .map(|work| Column {
            lower: work.compilers.as_secs_f64(),
            upper: work.compiled.as_secs_f64(),
            words: format!(
                "{} programs from number {}: compilers {}, compiled programs {}",
                work.programs,
                work.first,
                duration(work.compilers),
                duration(work.compiled)
            ),
        })
        .collect();
    let end = last.first + last.programs.saturating_sub(1);
    let labels = (format!("program {}", first.first), format!("program {end}"));
    Some(bars(&columns, labels, |value| duration(Duration::from_secs_f64(value))))
}

/// A column of a chart with two parts.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Column {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    /// What it says, in words.
    pub(crate) words: String,
}

/// Draws columns, of which there is at least one.
pub(crate) fn bars(
    columns: &[Column],
    (start, end): (String, String),
    label: impl Fn(f64) -> String,
) -> Costs {
    let top = round_up(columns.iter().map(|one| one.lower + one.upper).fold(0.0, f64::max));
    let slot = 1.0 / columns.len() as f64;
    let bars = columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let (lower, upper) = (column.lower / top, column.upper / top);
            let height = |part: f64| number(y(0.0) - y(part));
            let left = x(index as f64 * slot);
            let width = x(slot) - x(0.0);
            Bar {
                x: number(left + width * 0.1),
                width: number((width * 0.8).max(0.5)),
                lower_y: number(y(lower)),
                lower_height: height(lower),
                upper_y: number(y(lower + upper)),
                upper_height: height(upper),
                words: column.words.clone(),
            }
        })
        .collect();
    Costs { bars, ticks: ticks(top, label), start, end }
}

/// Seconds since 1970 as a time in UTC, such as `2026-11-15T08:53:27Z`.
pub(crate) fn time(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years begin in March, so that the day that some have comes last.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (era * 400 + year, month + 3);
    let (year, month) = if month > 12 { (year + 1, month - 12) } else { (year, month) };
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds() {
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(seconds("2000-02-29T12:00:01Z"), Some(951_825_601));
        assert_eq!(seconds("2026-11-15T08:53:27Z"), Some(1_794_732_807));
        for day in (-3000..40_000).step_by(7) {
            let second = day * 86_400 + 4567;
            let text = time(second);
            assert!(second < 0 || seconds(&text) == Some(second), "{text}");
        }
        for wrong in ["", "<script>", "2026-13-01T00:00:00Z", "2026-11-15"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn charts_of_nothing_and_of_one_are_drawn() {
        assert_eq!(timeline(&[], &[]), None);
        let one = "2026-11-15T08:53:27Z";
        let drawn = timeline(&[one], &[(one, "first".to_owned())]).expect("there is one");
        assert_eq!(drawn.firsts.len(), 1);
        assert!(!drawn.line.contains("NaN"), "{drawn:?}");
        assert_eq!(costs(&[]), None);
        let drawn = costs(&[Work::default()]).expect("there is one");
        assert_eq!(drawn.bars.len(), 1);
        assert!(!format!("{drawn:?}").contains("NaN"), "{drawn:?}");
    }

    #[test]
    fn a_chart_of_many_is_not_long() {
        let times: Vec<String> = (0..100_000).map(|index| time(index * 3)).collect();
        let times: Vec<&str> = times.iter().map(String::as_str).collect();
        let firsts: Vec<(&str, String)> =
            times.iter().step_by(10).map(|time| (*time, "x".to_owned())).collect();
        let drawn = timeline(&times, &firsts).expect("there are many");
        assert!(drawn.line.len() < 20_000, "{}", drawn.line.len());
        assert!(drawn.firsts.len() < 300, "{}", drawn.firsts.len());
        assert_eq!(drawn.firsts[0].2, "x and 30 more");
    }

    #[test]
    fn axes_end_at_round_numbers() {
        for (value, round) in [(0.0, 1.0), (1.0, 1.0), (3.0, 5.0), (11.0, 20.0), (0.03, 0.05)] {
            assert!((round_up(value) - round).abs() < 1e-9, "{value}: {}", round_up(value));
        }
    }
}
