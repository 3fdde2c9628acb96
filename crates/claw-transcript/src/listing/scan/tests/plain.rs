//! Reference implementations of the same functions, to compare the fast ones with.

use super::super::{has_type, typed_string, value_at};
use crate::members::Members;

/// The last line of a type that has a string member. Also finds a title after a torn line.
pub(super) fn last_named(text: &str, kind: &str, member: &str) -> Option<String> {
    let compact = format!("\"type\":\"{kind}\"");
    let spaced = format!("\"type\": \"{kind}\"");
    let start = format!("{{{compact}");
    last_line(text, member, |line| {
        if !line.contains(&compact) && !line.contains(&spaced) {
            return None;
        }
        if Members::read(line).is_some() {
            return typed_string(line, Some(kind), member);
        }
        let at = line.rfind(&start).filter(|at| *at > 0)?;
        let glued = !matches!(line.as_bytes()[at - 1], b':' | b',' | b'[');
        glued.then(|| typed_string(&line[at..], Some(kind), member))?
    })
}

/// The last line of a type, in compact form, that has a string member.
pub(super) fn last_of_type(text: &str, kind: &str, member: &str) -> Option<String> {
    let compact = format!("\"type\":\"{kind}\"");
    last_line(text, member, |line| {
        let typed = line.contains(&compact);
        typed.then(|| typed_string(line, Some(kind), member))?
    })
}

/// The last line of any type that has a string member.
pub(super) fn last_string(text: &str, member: &str) -> Option<String> {
    last_line(text, member, |line| typed_string(line, None, member))
}

fn last_line(text: &str, member: &str, value: impl Fn(&str) -> Option<String>) -> Option<String> {
    let key = format!("\"{member}\":");
    let mut lines = text.rsplit('\n').filter(|line| line.contains(&key));
    lines.find_map(value)
}

/// The value after the first `"key":"`, anywhere in the text.
pub(super) fn first_raw(text: &str, key: &str) -> Option<String> {
    [format!("\"{key}\":\""), format!("\"{key}\": \"")]
        .iter()
        .find_map(|pattern| value_at(text, text.find(pattern)? + pattern.len()))
}

/// The value after the last `"key":"`, anywhere in the text.
pub(super) fn last_raw(text: &str, key: &str) -> Option<String> {
    let found = [format!("\"{key}\":\""), format!("\"{key}\": \"")];
    let found = found.iter().filter_map(|pattern| {
        let mut at = text.rfind(pattern);
        // The end of the piece may truncate the very last value.
        while let Some(start) = at {
            if let Some(value) = value_at(text, start + pattern.len()) {
                return Some((start, value));
            }
            at = text[..start].rfind(pattern);
        }
        None
    });
    found.max_by_key(|(at, _)| *at).map(|(_, value)| value)
}

/// Returns whether a line contains `"key":true`.
pub(super) fn has_true(line: &str, key: &str) -> bool {
    line.contains(&format!("\"{key}\":true")) || line.contains(&format!("\"{key}\": true"))
}

/// The lines that contain a type.
pub(super) fn lines_with<'t>(text: &'t str, kind: &str) -> impl Iterator<Item = &'t str> {
    text.split('\n').filter(move |line| has_type(line, kind))
}
