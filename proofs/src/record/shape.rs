//! What must be equal between two recordings of a scenario: the kinds of frames and their fields.

use std::collections::{BTreeMap, BTreeSet};

use super::{frame, json_text};

/// The JSON paths seen under each kind of frame.
pub(super) type Shape = BTreeMap<String, BTreeSet<String>>;

/// Frames that come or stay away by timing alone; their fields are compared when both have them.
const BY_TIMING: [&str; 3] = ["system/thinking_tokens", "stream_event", "tool_progress"];
/// Fields that come or stay away by timing alone.
const FIELDS_BY_TIMING: [&str; 3] = ["ttft_ms", "ttft_stream_ms", "time_to_request_ms"];

/// The shape of a recorded stdout.
pub(super) fn of<'a>(lines: impl IntoIterator<Item = &'a str>) -> Shape {
    let mut shape = Shape::new();
    for line in lines {
        let paths = shape.entry(frame::kind(line)).or_default();
        json_text::visit(line, &mut |v| {
            if !FIELDS_BY_TIMING.contains(&v.key()) {
                paths.insert(general(v.path));
            }
        });
    }
    shape
}

/// Replaces keys that are ids by `*`.
fn general(path: &str) -> String {
    path.split('.')
        .map(|key| if is_id(key) { "*" } else { key })
        .collect::<Vec<_>>()
        .join(".")
}

fn is_id(key: &str) -> bool {
    let is_hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let lengths = key.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && key.split('-').all(is_hex)
}

/// What one recording has and the other has not, a line each; empty when they agree.
///
/// Frames of the kinds in `races` may be missing on either side.
pub(super) fn differences(old: &Shape, new: &Shape, races: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let kinds: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for kind in kinds {
        let timing = BY_TIMING.iter().any(|t| kind.starts_with(t))
            || races.iter().any(|t| kind.starts_with(t.as_str()));
        match (old.get(kind), new.get(kind)) {
            (Some(old), Some(new)) => {
                found.extend(old.difference(new).map(|path| format!("- {kind} {path}")));
                found.extend(new.difference(old).map(|path| format!("+ {kind} {path}")));
            }
            (Some(_), None) if !timing => found.push(format!("- {kind}")),
            (None, Some(_)) if !timing => found.push(format!("+ {kind}")),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_name_the_kind_and_the_path() {
        let old = of([r#"{"type":"a","x":1,"m":{"11111111-2222-4333-8444-555555555555":1}}"#]);
        let same =
            of([r#"{"m":{"99999999-2222-4333-8444-555555555555":2},"type":"a","x":"other"}"#]);
        assert_eq!(differences(&old, &same, &[]), Vec::<String>::new());
        let new = of([r#"{"type":"a","m":{},"y":[]}"#, r#"{"type":"b"}"#]);
        assert_eq!(
            differences(&old, &new, &["b".to_owned()]),
            ["- a m.*", "- a x", "+ a y"]
        );
        assert_eq!(
            differences(&old, &new, &[]),
            ["- a m.*", "- a x", "+ a y", "+ b"]
        );
    }
}
