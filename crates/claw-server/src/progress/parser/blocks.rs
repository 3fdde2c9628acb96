//! Lines that show something because of the lines around them: tables, changes, examples.

use std::collections::HashSet;
use std::ops::Range;

/// How many lines an example has.
const EXAMPLE: usize = 6;

/// For each line whether it is part of such a block.
pub(super) fn shown(texts: &[&str]) -> Vec<bool> {
    let mut shown = vec![false; texts.len()];
    for parts in parts_of_a_whole(texts) {
        shown[parts].fill(true);
    }
    for (at, text) in texts.iter().enumerate() {
        if is_rule(text) {
            if let Some(head) = at.checked_sub(1) {
                shown[head] = true;
            }
            let rows = texts[at..]
                .iter()
                .take_while(|row| row.contains('|') || is_rule(row));
            shown[at..at + rows.count()].fill(true);
        }
        if let Some(after) = texts.get(at + 1)
            && is_change(text, after)
        {
            shown[at..at + 2].fill(true);
        }
        if is_header(text) {
            let rows = texts[at..].iter().take_while(|row| !row.is_empty());
            shown[at..at + rows.count()].fill(true);
        }
        if is_coverage(text) {
            let rows = texts[at..].iter().take_while(|row| row.ends_with('%'));
            shown[at..at + rows.count()].fill(true);
        }
        // How a program is called is said last.
        if opens_usage(text) {
            shown[at..].fill(true);
        }
        if opens_example(text) {
            let lines = texts[at..].iter().take(EXAMPLE);
            let lines = lines.take_while(|line| !line.is_empty());
            shown[at..at + lines.count()].fill(true);
        }
    }
    shown
}

/// "open 22.5 %", "done 75.0 %", "failed 2.5 %": shares with different names that make up 100 %.
fn parts_of_a_whole(texts: &[&str]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < texts.len() {
        let parts = texts[at..].iter().map_while(|text| part(text));
        let parts: Vec<(&str, f64)> = parts.collect();
        let names: HashSet<&str> = parts.iter().map(|(name, _)| *name).collect();
        let sum: f64 = parts.iter().map(|(_, share)| share).sum();
        // How many tests passed is how a run of tests ends.
        let judged = names
            .iter()
            .any(|name| name.to_lowercase().starts_with("pass"));
        if parts.len() >= 3
            && !judged
            && names.len() == parts.len()
            && (99.0..=101.0).contains(&sum)
        {
            found.push(at..at + parts.len());
        }
        at += parts.len().max(1);
    }
    found
}

/// The name in front of the only share of a line.
fn part(text: &str) -> Option<(&str, f64)> {
    let (before, after) = text.split_once('%')?;
    let before = before.trim_end();
    let number = before.rsplit([' ', '\t', '(']).next()?;
    let name = before.split(|c: char| c.is_ascii_digit()).next()?.trim();
    let alone = !after.contains('%') && name.contains(char::is_alphabetic);
    number
        .parse()
        .ok()
        .filter(|_| alone)
        .map(|share| (name, share))
}

/// `-----+-----`: the rule of a table, as databases draw it.
fn is_rule(text: &str) -> bool {
    text.contains("--")
        && text.contains(['+', '|'])
        && text
            .chars()
            .all(|c| matches!(c, '-' | '+' | '|' | ' ' | ':'))
}

/// `NAME   READY   STATUS`: the names of columns, with what is listed under them.
fn is_header(text: &str) -> bool {
    let names = text.split("  ").map(str::trim);
    let mut names = names.filter(|name| !name.is_empty()).peekable();
    let is_name = |name: &str| {
        name.chars().any(char::is_uppercase)
            && !name.contains(|c: char| c.is_lowercase() || c.is_ascii_digit())
    };
    names.peek().is_some() && names.clone().count() >= 3 && names.all(is_name)
}

/// A line that was taken away, and the one in its place.
fn is_change(before: &str, after: &str) -> bool {
    let gone = before.strip_prefix('-').map(str::trim_start);
    let come = after.strip_prefix('+').map(str::trim_start);
    gone.zip(come).is_some_and(|(gone, come)| {
        let same = gone.chars().zip(come.chars()).take_while(|(a, b)| a == b);
        same.count() >= 4
    })
}

/// `shop Coverage: 86.11%`, and the files under it with theirs.
fn is_coverage(text: &str) -> bool {
    text.ends_with('%') && text.to_lowercase().contains("coverage")
}

/// `Example output:`, `Sample:`; what a test expected is followed by what it got.
fn opens_example(text: &str) -> bool {
    let Some(head) = text.strip_suffix(':') else {
        return false;
    };
    let head = head.to_lowercase();
    let words = head.split_whitespace();
    words.clone().count() <= 4
        && (words
            .clone()
            .any(|word| matches!(word, "example" | "examples" | "sample"))
            || head.ends_with("expected output"))
}

/// `usage: resize.py [-h] SRC DST`
fn opens_usage(text: &str) -> bool {
    let says = text
        .get(..6)
        .is_some_and(|head| head.eq_ignore_ascii_case("usage:"));
    says && (text.len() == 6 || text.contains(" [") || text.contains(" <") || text.contains(" -"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_seen_whole_and_end() {
        let cases: &[(&[&str], &[bool])] = &[
            (
                &["a | b", "--+--", "1 | 2", "(1 row)"],
                &[true, true, true, false],
            ),
            (&["--------", "1 passed | 2 failed"], &[false, false]),
            (
                &["- Copied 1", "+ Copied 2", "- done"],
                &[true, true, false],
            ),
            (&["- one", "- two", "+ three"], &[false, false, false]),
            (
                &["Example output:", "5/20", "", "6/20"],
                &[true, true, false, false],
            ),
            (&["Output:", "5/20"], &[false, false]),
            (
                &["Coverage: 86%", "a.R: 100%", "done: 5%."],
                &[true, true, false],
            ),
            (&["yes 20 %", "no 50 %", "maybe 30 %"], &[true, true, true]),
            (&["at 20%", "at 30%", "at 50%"], &[false, false, false]),
            (
                &["NAME  READY  STATUS", "api  2/2  Running", "", "5/20"],
                &[true, true, false, false],
            ),
        ];
        for (texts, want) in cases {
            assert_eq!(shown(texts), *want, "{texts:?}");
        }
    }
}
