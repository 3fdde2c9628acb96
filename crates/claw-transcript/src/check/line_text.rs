//! Rules for the text of readable lines.

use std::borrow::Cow;

use super::report::Sink;
use super::reporter::SourceLine;
use super::rule::{Rule, Severity};
use crate::entry::{Dialect, KindGroup};
use crate::facts::Facts;
use crate::lines::has_more_than_space_around;

/// Reports bytes that are not UTF-8, and NUL bytes and byte order marks around the JSON.
pub(super) fn bytes(shown: &SourceLine<'_>, facts: &Facts<'_>, sink: &mut Sink) {
    if let Cow::Owned(_) = shown.text {
        let how = (Rule::LineText, Severity::Warning);
        sink.add(how, || {
            let bad = shown.raw.utf8_chunks().next();
            let start = bad.as_ref().map_or(0, |chunk| chunk.valid().len());
            let length = bad.map_or(0, |chunk| chunk.invalid().len());
            let message = "the line has bytes that are not UTF-8: every reader shows something \
                           else in their place";
            let mut finding = shown.finding(how, Some(facts), None, message);
            finding.offset += start as u64;
            finding.length = length as u64;
            finding
        });
    }
    if has_more_than_space_around(shown.raw) {
        let how = (Rule::LineText, Severity::Note);
        sink.add(how, || {
            let message = "NUL bytes or a byte order mark surround the line: remove them";
            shown.finding(how, Some(facts), None, message)
        });
    }
}

/// Reports lone surrogates, which the CLI sends as they are.
pub(super) fn lone_surrogates(shown: &SourceLine<'_>, facts: &Facts<'_>, sink: &mut Sink) {
    let is_sent = facts.kind.group() == KindGroup::Chain && facts.dialect != Dialect::Stream;
    let (half, severity, why) = match (facts.lone_sent, facts.lone_kept) {
        (Some(half), _) if is_sent => {
            let why = "the API refuses a request that has it";
            (half, Severity::Error, why)
        }
        (Some(half), _) | (None, Some(half)) => {
            (half, Severity::Warning, "strict readers refuse the line")
        }
        (None, None) => return,
    };
    let how = (Rule::CharacterWhole, severity);
    sink.add(how, || {
        let message = format!("{half} is half of a character: {why}; write \\ufffd in its place");
        shown.finding(how, Some(facts), Some(half), message)
    });
}
