//! Checks that no file names the machine it was written on, and that none contains a key.

use std::sync::LazyLock;

use anyhow::Result;

use super::source_files;

/// A text that no file may hold.
struct Pattern {
    text: String,
    /// The least number of word characters that must follow, so that a prefix alone is no finding.
    least: usize,
    what: &'static str,
}

/// The rows of `neutral.tsv`, in which a `|` splits each text, so that the file passes this check.
static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let rows = include_str!("neutral.tsv").lines().skip(1);
    rows.filter_map(|row| {
        let mut columns = row.split('\t');
        Some(Pattern {
            text: columns.next()?.replace('|', ""),
            least: columns.next()?.parse().ok()?,
            what: columns.next()?,
        })
    })
    .collect()
});

/// Names in the home folders of recordings and examples.
const NEUTRAL_HOMES: &[&str] = &[
    "user", "USER", "you", "me", "alice", "bob", "u", "user-1", "Shared",
];
/// The random part of temporary folders in examples.
const NEUTRAL_TEMPORARY: &[u8] = b"abc123";

pub(crate) fn run() -> Result<()> {
    source_files::check_lines(|_| true, finding, Vec::new())
}

/// What is wrong with a line; the text itself is not repeated, since it may be a secret.
fn finding(line: &[u8]) -> Option<&'static str> {
    let mut inside_a_word = false;
    for (at, &byte) in line.iter().enumerate() {
        // Recordings are megabytes: most bytes must be skipped with one comparison.
        if !inside_a_word
            && BEGINS[byte as usize]
            && let Some(what) = finding_at(&line[at..])
        {
            return Some(what);
        }
        // Only the beginning of a word counts: `/home/user/x/` holds no path `/x/`.
        inside_a_word = is_word(byte) || matches!(byte, b'.' | b'+');
    }
    None
}

/// What the text at the start of `rest` identifies.
fn finding_at(rest: &[u8]) -> Option<&'static str> {
    let is_here = |pattern: &&Pattern| {
        let after = rest.strip_prefix(pattern.text.as_bytes()).map(word);
        after.is_some_and(|word| {
            pattern.least == 0 || word.len() >= pattern.least && !is_neutral(word)
        })
    };
    PATTERNS.iter().find(is_here).map(|pattern| pattern.what)
}

/// Whether a word is a neutral name. Placeholders such as `<name>` or `$USER` are not words.
fn is_neutral(word: &[u8]) -> bool {
    let is_home = NEUTRAL_HOMES.iter().any(|name| name.as_bytes() == word);
    is_home || word.starts_with(NEUTRAL_TEMPORARY)
}

/// The bytes that a searched text can begin with.
static BEGINS: LazyLock<[bool; 256]> = LazyLock::new(|| {
    let mut begins = [false; 256];
    for first in PATTERNS.iter().filter_map(|it| it.text.bytes().next()) {
        begins[usize::from(first)] = true;
    }
    begins
});

/// The leading letters, digits, `_` and `-`.
fn word(line: &[u8]) -> &[u8] {
    let end = line
        .iter()
        .position(|&byte| !is_word(byte))
        .unwrap_or(line.len());
    &line[..end]
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_found() {
        let rows = include_str!("neutral.tsv").lines().count() - 1;
        assert_eq!(PATTERNS.len(), rows);
        for Pattern { text, least, what } in &*PATTERNS {
            let found = format!("cd '{text}{}'", "A1".repeat(least / 2 + 1));
            assert_eq!(finding(found.as_bytes()), Some(*what), "{text}");
        }
    }

    fn of(what: &str) -> Vec<&'static str> {
        let patterns = PATTERNS.iter().filter(|it| it.what.starts_with(what));
        patterns.map(|it| it.text.as_str()).collect()
    }

    #[test]
    fn a_folder_of_the_recorder_is_found_and_its_example_is_not() {
        for prefix in of("a temporary folder") {
            for line in [
                format!("\"{prefix}Xy12ab/home\""),
                format!("projects/{prefix}Xy12ab-home-user"),
            ] {
                assert!(finding(line.as_bytes()).is_some(), "{line}");
            }
            for line in [
                format!("\"{prefix}abc123/home\""),
                format!("such as {prefix}…"),
            ] {
                assert_eq!(finding(line.as_bytes()), None, "{line}");
            }
        }
    }

    #[test]
    fn neutral_text_passes() {
        let short = format!("{}dummy", of("an Anthropic key")[0]);
        let longer_path = format!("/home/user{}x", of("a path")[0]);
        for line in [
            "/home/user/project",
            "/home/<name>/x",
            "network/",
            &short,
            &longer_path,
        ] {
            assert_eq!(finding(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn a_second_home_on_the_line_is_seen_too() {
        let line = format!("/home/user/a {}somebody/b", of("the home folder")[0]);
        assert!(finding(line.as_bytes()).is_some());
    }
}
