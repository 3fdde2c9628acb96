//! The same functions as plainly as they can be written, to hold the fast ones to.

use super::{typed_string, value_at};
use crate::members::Members;

/// The last line of a type that has a string member. A title glued to the end of a torn line
/// counts too.
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

/// The last line of a type, written compactly, that has a string member.
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

/// The value behind the first `"key":"`, wherever it stands.
pub(super) fn first_raw(text: &str, key: &str) -> Option<String> {
    [format!("\"{key}\":\""), format!("\"{key}\": \"")]
        .iter()
        .find_map(|pattern| value_at(text, text.find(pattern)? + pattern.len()))
}

/// The value behind the last `"key":"`, wherever it stands.
pub(super) fn last_raw(text: &str, key: &str) -> Option<String> {
    let found = [format!("\"{key}\":\""), format!("\"{key}\": \"")];
    let found = found.iter().filter_map(|pattern| {
        let mut at = text.rfind(pattern);
        // The very last can be cut off by the end of the piece.
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

/// Whether a line has `"key":true`, by its text.
pub(super) fn has_true(line: &str, key: &str) -> bool {
    line.contains(&format!("\"{key}\":true")) || line.contains(&format!("\"{key}\": true"))
}

/// The lines that have a type anywhere.
pub(super) fn lines_with<'t>(text: &'t str, kind: &str) -> impl Iterator<Item = &'t str> {
    text.split('\n')
        .filter(move |line| super::has_type(line, kind))
}
