//! Tokens that are written in parts: over several lines, or in groups of equal length.

use std::ops::Range;

use super::checks::{changes, digits};
use super::rules::boundary;

/// The maximum number of parts of a token.
const PARTS: usize = 40;

/// The maximum length of a token with its gaps. A text may contain very many keywords.
const LONGEST: usize = 4096;

/// The characters between parts: line ends, and what precedes the text of the next line in
/// listings and quotes.
const GAPS: [char; 8] = [' ', '\t', '\r', '\n', '\\', '|', '│', '>'];

pub(super) fn joined(text: &str) -> String {
    text.replace(GAPS, "")
}

/// The end of a token in several parts. `first` is the first part, which starts with a keyword that
/// ends at `keyword`. `matches` returns the end of the token that a text starts with.
pub(super) fn end(
    text: &str,
    first: Range<usize>,
    keyword: usize,
    matches: impl Fn(&str) -> Option<usize>,
) -> Option<usize> {
    let inside = text[..first.start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    if inside || first.len() > LONGEST {
        return None;
    }
    let lines = (first.end >= keyword + 4).then(|| end_of_lines(text, &first, &matches));
    let end = lines.flatten();
    end.or_else(|| (first.len() >= 4).then(|| end_of_groups(text, &first, &matches))?)
}

fn end_of_lines(
    text: &str,
    first: &Range<usize>,
    matches: impl Fn(&str) -> Option<usize>,
) -> Option<usize> {
    let mut parts = parts(text, first, line_gap).peekable();
    parts.peek()?;
    let mut joined = text[first.clone()].to_owned();
    let mut complete = matches(&joined).is_some();
    let mut end = None;
    for part in parts {
        // A complete token continues only with a part that cannot be a word, an id or a digest.
        if complete && !is_random(&text[part.clone()]) {
            break;
        }
        let before = joined.len();
        joined.push_str(&text[part.clone()]);
        match matches(&joined).filter(|end| *end > before) {
            Some(last) => (complete, end) = (true, Some(part.start + last - before)),
            None if complete => break,
            None => {}
        }
    }
    end
}

fn end_of_groups(
    text: &str,
    first: &Range<usize>,
    matches: impl Fn(&str) -> Option<usize>,
) -> Option<usize> {
    let mut parts = parts(text, first, |rest| usize::from(rest.starts_with(' '))).peekable();
    parts.peek()?;
    let mut joined = text[first.clone()].to_owned();
    if matches(&joined).is_some() {
        return None;
    }
    let mut end = None;
    for part in parts {
        let group = &text[part.clone()];
        if group.len() > first.len() || (end.is_some() && digits(group) == 0) {
            break;
        }
        joined.push_str(group);
        if matches(&joined) == Some(joined.len()) {
            end = Some(part.end);
        }
        if group.len() < first.len() {
            break;
        }
    }
    end
}

/// The parts after the first one. `gap` returns the length of the gap that a text starts with.
fn parts(
    text: &str,
    first: &Range<usize>,
    gap: impl Fn(&str) -> usize,
) -> impl Iterator<Item = Range<usize>> {
    let following = move |part: &Range<usize>| {
        let rest = &text[part.end..boundary(text, (part.end + LONGEST).min(text.len()))];
        let gap = gap(rest);
        let start = part.end + gap;
        let length = token_length(&rest[gap..]);
        (gap > 0 && length > 0).then(|| start..start + length)
    };
    let limit = first.start + LONGEST;
    let parts = std::iter::successors(following(first), following).take(PARTS);
    parts.take_while(move |part| part.end <= limit)
}

/// The length of the token that a text starts with, without a full stop at its end.
pub(super) fn token_length(text: &str) -> usize {
    let token = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.+/=".contains(byte);
    let length = text.bytes().take_while(token).count();
    text[..length].trim_end_matches('.').len()
}

/// The length of the line end that a text starts with, and of the prefix of the next line.
fn line_gap(text: &str) -> usize {
    let gap = text.len() - text.trim_start_matches(GAPS).len();
    if text[..gap]
        .trim_start_matches(['\\', '\r'])
        .starts_with('\n')
    {
        gap
    } else {
        0
    }
}

/// Returns whether a line is the rest of a token rather than a word, an id or a digest.
fn is_random(part: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| part.bytes().any(|byte| kind(&byte));
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    part.len() >= 8 && mixed && digits(part) > 0 && changes(part) * 3 >= part.len()
}
