//! Relative links in Markdown files.

use super::Problem;
use crate::repository::File;

pub(super) fn check(files: &[File], problems: &mut Vec<Problem>) {
    for file in files.iter().filter(|file| file.has_extension(&["md"])) {
        let mut in_code = false;
        for (line, text) in file.lines() {
            in_code ^= text.trim_start().starts_with("```");
            if in_code {
                continue;
            }
            for target in targets(text) {
                if let Some(message) = broken(file, target, files) {
                    problems.push(Problem::new(&file.path, line, message));
                }
            }
        }
    }
}

/// The targets of the inline links of a line, without those in code.
fn targets(line: &str) -> Vec<&str> {
    let prose = line.split('`').step_by(2);
    prose
        .flat_map(|part| part.split("](").skip(1))
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
        .collect()
}

/// What is wrong with a link from `file` to `target`.
fn broken(file: &File, target: &str, files: &[File]) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let mut parts: Vec<&str> = file.path.split('/').collect();
    if !path.is_empty() {
        parts.pop();
        for part in path.split('/') {
            match part {
                "." | "" => {}
                ".." => {
                    parts.pop();
                }
                _ => parts.push(part),
            }
        }
    }
    let full = parts.join("/");
    let inside = format!("{full}/");
    let Some(found) = files.iter().find(|file| file.path == full || file.path.starts_with(&inside))
    else {
        return Some(format!("`{target}` leads nowhere: no {full}"));
    };
    let has_anchor = found.lines().any(|(_, line)| heading_anchor(line).as_deref() == Some(anchor));
    (!anchor.is_empty() && found.has_extension(&["md"]) && !has_anchor)
        .then(|| format!("`{target}`: {full} has no such heading"))
}

/// The anchor that readers give to a heading.
fn heading_anchor(line: &str) -> Option<String> {
    let heading = line.trim_start_matches('#');
    if heading.len() == line.len() || !heading.starts_with(' ') {
        return None;
    }
    let kept = heading.trim().chars().filter_map(|character| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        _ if character.is_alphanumeric() => Some(character.to_ascii_lowercase()),
        _ => None,
    });
    Some(kept.collect())
}

#[cfg(test)]
mod tests {
    use crate::tidy::tests::complaints_in;

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let broken = |text: &str| {
            let files =
                [("docs/a.md", text), ("docs/b.md", "# One `two`: three\n"), ("README.md", "")];
            complaints_in("links", &files).len()
        };
        assert_eq!(broken("[b](b.md) [r](../README.md) [d](../docs)"), 0);
        assert_eq!(broken("[b](b.md#one-two-three) [w](https://example.org/x)"), 0);
        assert_eq!(broken("[b](c.md)"), 1);
        assert_eq!(broken("[b](b.md#four)"), 1);
        assert_eq!(broken("[b](README.md)"), 1);
        assert_eq!(broken("`[b](c.md)`\n```\n[b](c.md)\n```\n"), 0);
    }
}
