//! Charts: numbers to coordinates. The templates draw them.

use std::time::Duration;

use crate::finding::Work;

/// The size of a chart in its own units; the page scales it.
pub(crate) const WIDTH: f64 = 720.0;
/// The height of a chart.
pub(crate) const HEIGHT: f64 = 180.0;
/// The room for numbers at the left.
pub(crate) const LEFT: f64 = 44.0;
/// The room for words below.
const BOTTOM: f64 = 24.0;
/// The room above.
const TOP: f64 = 10.0;

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
    let parts: Vec<i64> = time
        .trim_end_matches('Z')
        .split(['-', 'T', ':'])
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    let &[year, month, day, hour, minute, second] = &parts[..] else { return None };
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
    for (count, (time, _)) in times.iter().enumerate() {
        line += &format!("H{}V{}", number(place(*time)), number(y((count + 1) as f64 / top)));
    }
    line += &format!("H{}", number(x(1.0)));
    let area = format!("{line}V{}H{}Z", number(y(0.0)), number(x(0.0)));
    let firsts = firsts
        .iter()
        .filter_map(|(time, words)| {
            let time = seconds(time)?;
            let count = times.partition_point(|(other, _)| *other <= time);
            Some((number(place(time)), number(y(count as f64 / top)), words.clone()))
        })
        .collect();
    Some(Timeline {
        line,
        area,
        firsts,
        ticks: ticks(top, |value| format!("{value:.0}")),
        start: words(first.1),
        end: words(last.1),
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
    let total = |work: &Work| (work.compilers + work.compiled).as_secs_f64();
    let most = work.iter().map(total).fold(0.0, f64::max);
    let top = round_up(most);
    let slot = 1.0 / work.len() as f64;
    let bars = work
        .iter()
        .enumerate()
        .map(|(index, work)| {
            let lower = work.compilers.as_secs_f64() / top;
            let upper = work.compiled.as_secs_f64() / top;
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
                words: format!(
                    "{} programs from number {}: compilers {}, compiled programs {}",
                    work.programs,
                    work.first,
                    duration(work.compilers),
                    duration(work.compiled)
                ),
            }
        })
        .collect();
    Some(Costs {
        bars,
        ticks: ticks(top, |value| duration(Duration::from_secs_f64(value))),
        start: format!("program {}", first.first),
        end: format!("program {}", last.first + last.programs.saturating_sub(1)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds() {
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(seconds("2000-02-29T12:00:01Z"), Some(951_825_601));
        assert_eq!(seconds("2026-11-15T08:53:27Z"), Some(1_794_732_807));
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
    fn axes_end_at_round_numbers() {
        for (value, round) in [(0.0, 1.0), (1.0, 1.0), (3.0, 5.0), (11.0, 20.0), (0.03, 0.05)] {
            assert!((round_up(value) - round).abs() < 1e-9, "{value}: {}", round_up(value));
        }
    }
}
