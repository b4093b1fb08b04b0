//! Two outputs, line by line.

/// The longest outputs, in lines, of which a smallest difference is looked for.
const MOST_LINES: usize = 300;

/// A line of a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DifferenceLine {
    pub(crate) side: Side,
    /// The parts of the line, and whether they are what differs.
    pub(crate) parts: Vec<(bool, String)>,
}

/// On which side a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Both,
    Expected,
    Actual,
}

/// The lines of both texts, those that are only expected before those that come instead.
pub(crate) fn difference(expected: &str, actual: &str) -> Vec<DifferenceLine> {
    let left: Vec<&str> = expected.lines().collect();
    let right: Vec<&str> = actual.lines().collect();
    let common = common(&left, &right);
    let mut lines = Vec::new();
    let (mut at_left, mut at_right) = (0, 0);
    for (next_left, next_right) in common.into_iter().chain([(left.len(), right.len())]) {
        changed(&left[at_left..next_left], &right[at_right..next_right], &mut lines);
        if let Some(line) = left.get(next_left) {
            lines.push(whole(Side::Both, line));
        }
        (at_left, at_right) = (next_left + 1, next_right + 1);
    }
    lines
}

/// A longest common subsequence, as pairs of indices.
fn common(left: &[&str], right: &[&str]) -> Vec<(usize, usize)> {
    if left.len() > MOST_LINES || right.len() > MOST_LINES {
        // Long outputs are compared place by place.
        let pairs = left.iter().zip(right).enumerate();
        return pairs.filter(|(_, (a, b))| a == b).map(|(at, _)| (at, at)).collect();
    }
    let width = right.len() + 1;
    let mut lengths = vec![0_u16; (left.len() + 1) * width];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            lengths[i * width + j] = if left[i] == right[j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < left.len() && j < right.len() {
        if left[i] == right[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Lines that are instead of each other; pairs of them show what differs inside.
fn changed(left: &[&str], right: &[&str], lines: &mut Vec<DifferenceLine>) {
    let mut instead = Vec::new();
    for index in 0..left.len().max(right.len()) {
        match (left.get(index), right.get(index)) {
            (Some(left), Some(right)) => {
                let (start, end) = ends(left, right);
                lines.push(inside(Side::Expected, left, start, end));
                instead.push(inside(Side::Actual, right, start, end));
            }
            (Some(left), None) => lines.push(whole(Side::Expected, left)),
            (None, Some(right)) => instead.push(whole(Side::Actual, right)),
            (None, None) => {}
        }
    }
    lines.append(&mut instead);
}

/// How many bytes two lines have in common at the start and at the end.
fn ends(left: &str, right: &str) -> (usize, usize) {
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| {
        pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>()
    };
    let start = same(&mut left.chars().zip(right.chars()));
    let end = same(&mut left[start..].chars().rev().zip(right[start..].chars().rev()));
    (start, end)
}

fn inside(side: Side, line: &str, start: usize, end: usize) -> DifferenceLine {
    let middle = start..line.len() - end;
    let parts = [
        (false, &line[..middle.start]),
        (true, &line[middle.clone()]),
        (false, &line[middle.end..]),
    ];
    let parts = parts.into_iter().filter(|(_, text)| !text.is_empty());
    DifferenceLine {
        side,
        parts: parts.map(|(differs, text)| (differs, text.to_owned())).collect(),
    }
}

fn whole(side: Side, line: &str) -> DifferenceLine {
    DifferenceLine { side, parts: vec![(side != Side::Both, line.to_owned())] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(expected: &str, actual: &str) -> Vec<String> {
        difference(expected, actual)
            .into_iter()
            .map(|line| {
                let sign = match line.side {
                    Side::Both => ' ',
                    Side::Expected => '-',
                    Side::Actual => '+',
                };
                let parts = line.parts.into_iter().map(|(differs, text)| match differs {
                    true => format!("[{text}]"),
                    false => text,
                });
                format!("{sign}{}", parts.collect::<String>())
            })
            .collect()
    }

    #[test]
    fn what_differs_is_marked() {
        assert_eq!(
            shown("a\nx = 12;\nb\n", "a\nx = 13;\nb\n"),
            [" a", "-x = 1[2];", "+x = 1[3];", " b"]
        );
        assert_eq!(shown("a\nb\nc", "a\nc"), [" a", "-[b]", " c"]);
        assert_eq!(shown("", "a"), ["+[a]"]);
        assert_eq!(shown("a", "a"), [" a"]);
        assert_eq!(shown("ü1", "ü2"), ["-ü[1]", "+ü[2]"]);
        assert_eq!(shown("aa", "a"), ["-a[a]", "+a"]);
    }

    #[test]
    fn long_outputs_are_compared_place_by_place() {
        let left = "x\n".repeat(MOST_LINES + 1);
        let lines = difference(&left, &format!("{left}y"));
        assert_eq!(lines.len(), MOST_LINES + 2);
        assert_eq!(lines.last().map(|line| line.side), Some(Side::Actual));
    }
}
