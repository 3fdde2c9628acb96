//! What a line calls itself: a warning, an error, the title of what failed.

use super::signs::{without_program, without_stamp};
use crate::progress::parser::vocabulary::is_failure;
use crate::progress::parser::words::listed;

/// "warn: cannot read x: Permission denied", "12:00:01 WARN io: …", "npm warn …", "tar: warning: …".
/// One tool calls its errors so: "Warning: An error occurred while preparing".
pub(super) fn is_warning(text: &str) -> bool {
    let text = without_stamp(text);
    let called = |word: &str| {
        let word = word
            .trim_matches(|c: char| !c.is_alphabetic())
            .to_lowercase();
        listed!(
            &word,
            "warn warning warnung avertissement advertencia avviso aviso waarschuwing предупреждение"
        )
    };
    let is_name = |word: &str| {
        let bare = word
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase();
        let marked = word.ends_with([':', ']']) || listed!(&bare, "npm pnpm yarn");
        marked && !is_failure(&bare) && !listed!(&bare, "error fatal")
    };
    let mut words = text.split_whitespace().take(3);
    let lead = words.find(|word| called(word) || !is_name(word));
    lead.is_some_and(called) && !text.contains("rror occurred")
}

/// "error: upload failed at 63 % (timeout)", and not "2 failed at 63 %", which goes on.
pub(super) fn stops_at(text: &str) -> bool {
    let low = text.to_lowercase();
    let words: Vec<&str> = low
        .split([' ', '(', ')', ',', ';'])
        .filter(|word| !word.is_empty())
        .collect();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let stops = words.windows(3).enumerate().any(|(at, three)| {
        let counted = at > 0 && is_number(words[at - 1]);
        let at_place = listed!(three[1], "at after bei à en") && is_number(three[2]);
        !counted && is_failure(three[0]) && at_place
    });
    let blamed = without_stamp(&low);
    let blames = |text: &str| {
        [
            "error: ",
            "fatal: ",
            "fehler: ",
            "erreur: ",
            "erreur : ",
            "[error] ",
            "[fatal] ",
        ]
        .iter()
        .any(|mark| text.starts_with(mark))
    };
    stops || blames(blamed) || without_program(blamed).is_some_and(blames)
}

/// `==== FAILURES ====`, `failures:`, `There was 1 failure:`: behind its tests a runner shows those
/// that failed. Only pytest does so when it stopped early.
pub(super) fn heads_failures(text: &str, all_ran: bool) -> bool {
    let ruled = text.starts_with("===") && text.ends_with("===");
    let title = text.trim_matches('=').trim();
    let counted = ["There was ", "There were "].iter().any(|open| {
        let rest = text.strip_prefix(open).unwrap_or("");
        rest.starts_with(|c: char| c.is_ascii_digit())
            && [" failure:", " failures:", " error:", " errors:"]
                .iter()
                .any(|end| rest.ends_with(end))
    });
    let titled = listed!(text, "failures: Failures:") || text == "The following tests FAILED:";
    (ruled && listed!(title, "FAILURES ERRORS")) || (all_ran && (titled || counted))
}
