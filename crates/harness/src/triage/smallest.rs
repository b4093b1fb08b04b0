//! The fewest flags with which a finding is still there.

use super::lab::Lab;

/// The levels of optimisation, from the one that does least.
const LEVELS: [&str; 6] = ["-O0", "-O1", "-Og", "-Os", "-O2", "-O3"];

/// The lowest level and the fewest other flags with which the finding is still there. The
/// flags that are given must show it.
pub fn smallest_flags(lab: &Lab<'_>, flags: &[String]) -> Vec<String> {
    let (mut level, mut rest) = split(flags);
    let all = |level: &Option<String>, rest: &[Vec<String>]| -> Vec<String> {
        level.iter().cloned().chain(rest.iter().flatten().cloned()).collect()
    };
    rest = minimise(rest, |fewer| lab.fails(&all(&level, fewer)) == Some(true));
    let before = level.clone();
    let height = |level: &str| LEVELS.iter().position(|known| *known == level);
    let own = level.as_deref().and_then(height).unwrap_or(0);
    for lower in &LEVELS[..own] {
        let lower = Some((*lower).to_owned());
        if lab.fails(&all(&lower, &rest)) == Some(true) {
            level = lower;
            break;
        }
    }
    if level != before {
        rest = minimise(rest, |fewer| lab.fails(&all(&level, fewer)) == Some(true));
    }
    all(&level, &rest)
}

/// The level among flags, the last of several, and the others; words that belong together
/// stay together.
pub(super) fn split(flags: &[String]) -> (Option<String>, Vec<Vec<String>>) {
    let mut level = None;
    let mut rest = Vec::new();
    let mut words = flags.iter();
    while let Some(word) = words.next() {
        if word.starts_with("-O") {
            level = Some(word.clone());
        } else if ["-mllvm", "-Xclang", "--param", "-include"].contains(&word.as_str()) {
            rest.push([word.clone()].into_iter().chain(words.next().cloned()).collect());
        } else {
            rest.push(vec![word.clone()]);
        }
    }
    (level, rest)
}

/// A part of a list that still passes the test and of which no single element can be left
/// out: delta debugging. The whole list is taken to pass.
pub fn minimise<T: Clone>(mut items: Vec<T>, mut passes: impl FnMut(&[T]) -> bool) -> Vec<T> {
    if items.is_empty() || passes(&[]) {
        return Vec::new();
    }
    let mut pieces = 2;
    while items.len() > 1 {
        let length = items.len().div_ceil(pieces);
        let one = items.chunks(length).find(|piece| passes(piece)).map(<[T]>::to_vec);
        if let Some(piece) = one {
            items = piece;
            pieces = 2;
            continue;
        }
        let without = |index: usize| -> Vec<T> {
            let pieces = items.chunks(length).enumerate();
            pieces.filter(|(at, _)| *at != index).flat_map(|(_, piece)| piece.to_vec()).collect()
        };
        // With two pieces the rest of one is the other, which was tried.
        let count = items.len().div_ceil(length);
        let found = (count > 2).then(|| (0..count).map(without).find(|rest| passes(rest)));
        if let Some(rest) = found.flatten() {
            items = rest;
            pieces = (pieces - 1).max(2);
        } else if length == 1 {
            break;
        } else {
            pieces = (pieces * 2).min(items.len());
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_stays() {
        for needed in [&[3][..], &[0, 19], &[4, 5, 11], &[]] {
            let passes = |items: &[u32]| needed.iter().all(|one| items.contains(one));
            assert_eq!(minimise((0..20).collect(), passes), needed);
        }
    }

    #[test]
    fn the_first_of_several_reasons_is_found() {
        let passes = |items: &[u32]| items.contains(&7) || items.contains(&12);
        assert_eq!(minimise((0..20).collect(), passes), [7]);
    }

    #[test]
    fn words_that_belong_together_stay_together() {
        let flags = "-O1 -fa --param x=1 -O2 -mllvm -y".split(' ').map(str::to_owned);
        let (level, rest) = split(&flags.collect::<Vec<_>>());
        assert_eq!(level.as_deref(), Some("-O2"));
        let rest: Vec<String> = rest.iter().map(|words| words.join(" ")).collect();
        assert_eq!(rest, ["-fa", "--param x=1", "-mllvm -y"]);
    }
}
