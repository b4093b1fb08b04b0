//! What the user meant by a name that does not exist.

/// The name that is most like this one, if any is.
pub(crate) fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distances = names.map(|other| (distance(name, other), other));
    let (distance, closest) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= closest.len() / 2).then_some(closest)
}

/// How many letters must be inserted, deleted or replaced to make one of the other.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (at, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_right() {
        for (left, right, expected) in
            [("", "", 0), ("ab", "ab", 0), ("", "abc", 3), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(left, right), expected, "{left} {right}");
            assert_eq!(distance(right, left), expected, "{right} {left}");
        }
    }
}
