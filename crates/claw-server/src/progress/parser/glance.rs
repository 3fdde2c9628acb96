//! A quick look that tells most texts without progress from the others.
//!
//! The reader runs on all that is said and printed. Progress needs a number, a tick, a box, or a
//! word for an agent or a test; a text that has none of them need not be cut into tokens.

use std::sync::OnceLock;

use super::numbers;

/// Longer words are no number words.
const LONGEST_NUMBER_WORD: usize = 8;

/// Whether the text can report progress at all. It may say yes too often, and never no wrongly.
pub(super) fn may_report(text: &str) -> bool {
    let bytes = text.as_bytes();
    has_sign(bytes) || has_word(bytes)
}

/// A digit, a box, the marks of Go, or anything beyond ASCII but typographic signs.
fn has_sign(bytes: &[u8]) -> bool {
    if bytes.is_ascii() {
        return bytes
            .iter()
            .any(|&b| b.is_ascii_digit() || matches!(b, b'[' | b'='));
    }
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        match (first, after) {
            // Dashes, quotation marks and the ellipsis: U+2000 to U+203F.
            (0xe2, [0x80, _, after @ ..]) => rest = after,
            // What stands for code and quotations.
            (0xef, [0xbf, 0xbc, after @ ..]) => rest = after,
            _ if first >= 0x80 || first.is_ascii_digit() || matches!(first, b'[' | b'=') => {
                return true;
            }
            _ => rest = after,
        }
    }
    false
}

/// A word for an agent, for a test or for a number.
fn has_word(bytes: &[u8]) -> bool {
    bytes
        .split(|b| !b.is_ascii_alphabetic())
        .any(|word| names_something(word) || is_number_word(word))
}

fn names_something(word: &[u8]) -> bool {
    // "tool" and "cached" are words of tools that tell an end without a number.
    let parts = |first: u8| -> &[&[u8]] {
        match first {
            b'a' => &[b"agent", b"ajan"],
            b't' => &[b"test", b"tool"],
            b's' => &[b"spec", b"suite"],
            b'p' => &[b"prueba"],
            b'c' => &[b"cached"],
            _ => &[],
        }
    };
    let shortest = 4;
    let last = (word.len() + 1).saturating_sub(shortest);
    word[..last].iter().enumerate().any(|(at, first)| {
        parts(first.to_ascii_lowercase()).iter().any(|part| {
            word.get(at..at + part.len())
                .is_some_and(|here| here.eq_ignore_ascii_case(part))
        })
    })
}

fn is_number_word(word: &[u8]) -> bool {
    if word.len() < 2 || word.len() > LONGEST_NUMBER_WORD || !may_start_number(word) {
        return false;
    }
    let mut low = [0; LONGEST_NUMBER_WORD];
    let low = &mut low[..word.len()];
    low.copy_from_slice(word);
    low.make_ascii_lowercase();
    std::str::from_utf8(low).is_ok_and(|word| numbers::word(word).is_some())
}

/// Whether some number word begins with the same two letters; a table is quicker than the words.
fn may_start_number(word: &[u8]) -> bool {
    static STARTS: OnceLock<[u32; 26]> = OnceLock::new();
    let place = |b: u8| usize::from(b.to_ascii_lowercase().wrapping_sub(b'a'));
    let starts = STARTS.get_or_init(|| {
        let mut starts = [0; 26];
        for name in numbers::words().filter(|name| name.is_ascii()) {
            let name = name.as_bytes();
            starts[place(name[0])] |= 1 << place(name[1]);
        }
        starts
    });
    starts
        .get(place(word[0]))
        .is_some_and(|seconds| seconds & (1 << place(word[1])) != 0)
}

#[cfg(test)]
mod tests {
    use super::super::ProgressParser;
    use super::*;
    use crate::progress::TextOrigin;

    #[test]
    fn what_can_be_progress_is_looked_at() {
        for text in [
            "5 of 20",
            "- [x] a",
            "All tests pass.",
            "Both are done",
            "Launching a sub-agent",
            "=== RUN   ExampleX",
            "ok  \texample.com/a\t(cached)",
            "✅ a",
            "fünf von zehn",
            "Three of five files are done.",
        ] {
            assert!(may_report(text), "{text}");
        }
        for text in [
            "",
            "Let me look at the parser first.",
            "Done — it’s fixed… “really”.",
            "   Compiling serde\n   Compiling syn",
        ] {
            assert!(!may_report(text), "{text}");
        }
    }

    #[test]
    fn every_number_word_is_seen() {
        for name in numbers::words() {
            assert!(may_report(name), "{name}");
            assert!(!name.is_ascii() || (2..=LONGEST_NUMBER_WORD).contains(&name.len()));
        }
    }

    /// Every known text, whole, without its digits, and line by line: what the glance refuses, the
    /// reader refuses.
    #[test]
    fn nothing_is_lost_by_the_glance() {
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../testdata/server/progress/"
        );
        let mut refused = 0;
        for file in [
            "texts.jsonl",
            "more_texts.jsonl",
            "fresh_texts.jsonl",
            "practice_texts.jsonl",
        ] {
            let texts = std::fs::read_to_string(format!("{folder}{file}")).unwrap();
            for line in texts.lines() {
                let labelled: serde_json::Value = serde_json::from_str(line).unwrap();
                if labelled["split"] != "dev" {
                    continue;
                }
                let text = labelled["text"].as_str().unwrap();
                let bare = text.replace(|c: char| c.is_ascii_digit(), "");
                for part in [text, &bare]
                    .into_iter()
                    .chain(text.lines())
                    .chain(bare.lines())
                {
                    if may_report(part) {
                        continue;
                    }
                    refused += 1;
                    for origin in [TextOrigin::Prose, TextOrigin::ToolOutput] {
                        let read = ProgressParser::new().read(part, origin);
                        assert_eq!(read, None, "{part:?}");
                    }
                }
            }
        }
        assert!(refused > 200, "{refused} texts are refused at a glance");
    }
}
