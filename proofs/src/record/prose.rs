//! Which strings of a recording are too long to keep whole.
//!
//! What the CLI writes for the model (instructions around a tool result, summaries, notices) is the
//! vendor's text. Its start identifies it, which is enough for a recording. What scenarios
//! make the model, the tools and the host write is ours and short, except where length is the point.

use super::json_text::{self, Edit, Visit};

/// Longer strings are cut, unless the scenario is about long text.
const LIMIT: usize = 400;
/// The number of characters that are kept of a cut string.
const KEPT: usize = 200;
/// Texts of the CLI that are cut if they are longer than what is kept. Each is a prefix, long
/// enough to recognize the text, with a `|` behind it.
const OPENINGS: &str = include_str!("openings.txt");

/// Cuts the long strings of a line, if it is JSON.
pub(super) fn cut(line: String, long_text: bool) -> String {
    let cut = json_text::edit(&line, &mut |value| {
        if is_long(value, long_text) {
            Edit::Cut(KEPT)
        } else {
            Edit::Keep
        }
    });
    cut.unwrap_or(line)
}

fn is_long(value: Visit<'_>, long_text: bool) -> bool {
    let Some(text) = value.string() else {
        return false;
    };
    // Bytes are never fewer than characters, so most strings need no counting.
    if text.len() <= KEPT {
        return false;
    }
    OPENINGS
        .split_terminator("|\n")
        .any(|opening| text.starts_with(opening))
        || (!long_text && json_text::char_count(value.text) > LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::recordings;
    use crate::record::scenario::Scenarios;
    use crate::repository::files_below;

    #[test]
    fn long_strings_keep_their_start() {
        let at_limit = format!(r#"{{"type":"user","text":"{}"}}"#, "t".repeat(LIMIT));
        assert_eq!(cut(at_limit.clone(), false), at_limit);

        let long = format!(r#"{{"type":"user","text":"{}"}}"#, "t".repeat(LIMIT + 1));
        let kept = "t".repeat(KEPT);
        assert_eq!(
            cut(long.clone(), false),
            format!(r#"{{"type":"user","text":"{kept}…[+201 chars elided]"}}"#)
        );
        assert_eq!(cut(long.clone(), true), long);
    }

    #[test]
    fn known_texts_are_cut_earlier_and_always() {
        let line = format!(r#"["Entered plan mode{}"]"#, " and more".repeat(30));
        for long_text in [false, true] {
            let out = cut(line.clone(), long_text);
            assert!(out.ends_with(r#"…[+87 chars elided]"]"#), "{out}");
        }
    }

    #[test]
    fn cutting_twice_is_cutting_once() {
        for length in [LIMIT + 1, 9_999, 123_456] {
            let line = format!(r#"["Permission {}"]"#, "x".repeat(length));
            let once = cut(line.clone(), false);
            assert_ne!(once, line);
            assert_eq!(cut(once.clone(), false), once);
        }
    }

    #[test]
    fn no_cut_falls_inside_an_escape_or_a_pair() {
        let half = format!(r#"["{}"]"#, r"\ud83d\ude00\n\ud83d".repeat(200));
        let out = cut(half, false);
        let kept = out.split('…').next().unwrap();
        // 200 characters are 66 times three and two more.
        let want = format!(
            r#"["{}{}"#,
            r"\ud83d\ude00\n\ud83d".repeat(66),
            r"\ud83d\ude00\n"
        );
        assert_eq!(kept, want);
    }

    #[test]
    fn the_recordings_hold_no_long_text_that_no_scenario_asked_for() {
        let mut found = Vec::new();
        let mut strings = 0_usize;
        for scenario in Scenarios::of_this_repository().unwrap().recorded {
            let mut files = files_below(&recordings().join(&scenario.name));
            files.retain(|path| !path.ends_with("stdin.ndjson") && !path.ends_with("meta.json"));
            assert!(!files.is_empty(), "{} is not recorded", scenario.name);
            for path in files {
                let text = std::fs::read(&path).unwrap();
                for line in String::from_utf8_lossy(&text).lines() {
                    json_text::visit(line, &mut |value| {
                        strings += 1;
                        if is_long(value, scenario.long_text)
                            && !json_text::is_cut(value.text)
                            && json_text::char_count(value.text) > KEPT + 20
                        {
                            let start: String = value.text.chars().take(60).collect();
                            found.push(format!("{}: {start}", path.display()));
                        }
                    });
                }
            }
        }
        assert!(strings > 100_000, "only {strings} values were looked at");
        assert!(found.is_empty(), "record again:\n{}", found.join("\n"));
    }
}
