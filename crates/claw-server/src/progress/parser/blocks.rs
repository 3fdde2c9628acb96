//! Lines that show something because of the lines around them: tables, changes, examples.

/// How many lines an example has.
const EXAMPLE: usize = 6;

/// For each line whether it is part of such a block.
pub(super) fn shown(texts: &[&str]) -> Vec<bool> {
    let mut shown = vec![false; texts.len()];
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
        if opens_example(text) {
            let lines = texts[at..].iter().take(EXAMPLE);
            let lines = lines.take_while(|line| !line.is_empty());
            shown[at..at + lines.count()].fill(true);
        }
    }
    shown
}

/// `-----+-----`: the rule of a table, as databases draw it.
fn is_rule(text: &str) -> bool {
    text.contains("--")
        && text.contains(['+', '|'])
        && text
            .chars()
            .all(|c| matches!(c, '-' | '+' | '|' | ' ' | ':'))
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
        ];
        for (texts, want) in cases {
            assert_eq!(shown(texts), *want, "{texts:?}");
        }
    }
}
