//! Which lines are truncated if there is a limit.
//!
//! A line that the session itself needs is never truncated: a partial request cannot be answered,
//! and a partial result ends no turn. Such lines are recognized by their type. All others begin
//! with their type, so a line that has not named its type within the limit is kept as well.

use crate::framing::LineFramer;

/// Creates the framer of a session's output.
pub(super) fn framer(limit: Option<usize>) -> LineFramer {
    match limit {
        None => LineFramer::new(),
        Some(limit) => LineFramer::with_exceptions(limit, is_needed),
    }
}

/// Whether the session needs a line that begins like this.
fn is_needed(head: &[u8]) -> bool {
    let Some(b'{') = head.trim_ascii_start().first() else {
        return false;
    };
    match member(head, b"type") {
        // Results name their type last.
        None => true,
        Some(
            b"control_request"
            | b"control_response"
            | b"control_cancel_request"
            | b"transcript_mirror"
            | b"result"
            | b"command_lifecycle",
        ) => true,
        Some(b"system") => matches!(
            member(head, b"subtype"),
            None | Some(
                b"session_state_changed" | b"background_tasks_changed" | b"session_writes_lost"
            )
        ),
        Some(_) => false,
    }
}

/// Returns a string member of the outermost object, if its value is complete in `head`.
pub(super) fn member<'a>(head: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut depth = 0_u32;
    // The key whose value comes next, in the outermost object.
    let mut key = None;
    let mut last = None;
    let mut at = 0;
    while let Some(byte) = head.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let begin = at;
                loop {
                    match head.get(at)? {
                        b'\\' => at += 2,
                        b'"' => break,
                        _ => at += 1,
                    }
                }
                let text = head.get(begin..at)?;
                at += 1;
                if depth == 1 {
                    if key == Some(name) {
                        return Some(text);
                    }
                    last = Some(text);
                }
            }
            b':' if depth == 1 => key = last.take(),
            b',' if depth == 1 => key = None,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::framing::Frame;

    /// The lines that result, for chunks of every size: `whole`, or the length of the beginning.
    fn cut(limit: usize, output: &[u8]) -> Vec<String> {
        let by = |piece: usize| {
            let mut lines = framer(Some(limit));
            let mut frames = Vec::new();
            for bytes in output.chunks(piece) {
                lines.push(bytes);
                frames.extend(std::iter::from_fn(|| lines.next_frame()));
                lines.shrink();
            }
            frames.extend(lines.finish());
            frames
        };
        let frames = by(output.len());
        for piece in 1..40 {
            assert_eq!(by(piece), frames, "in pieces of {piece}");
        }
        let shown = |frame: &Frame| match frame {
            Frame::Line(line) => format!("whole {}", line.len()),
            Frame::TooLong { head, length } => format!("{} of {length}", head.len()),
        };
        frames.iter().map(shown).collect()
    }

    fn fate(line: &str) -> String {
        let mut fates = cut(50, line.as_bytes());
        assert_eq!(fates.len(), 1, "{fates:?}");
        fates.remove(0).replace(&line.len().to_string(), "all")
    }

    #[test]
    fn what_the_session_needs_is_whole_however_long_it_is() {
        let long = "x".repeat(200);
        for line in [
            format!(r#"{{"type":"control_request","request_id":"1","request":"{long}"}}"#),
            format!(r#"{{"type":"control_response","response":{{"a":"{long}"}}}}"#),
            format!(r#"{{"type": "control_cancel_request", "x": "{long}"}}"#),
            format!(r#"{{"type":"transcript_mirror","filePath":"{long}"}}"#),
            format!(r#"{{"usage":{{"type":"user"}},"result":"{long}","type":"result"}}"#),
            format!(r#"{{"type":"system","subtype":"session_writes_lost","a":"{long}"}}"#),
            // The type is not known yet.
            format!(r#"{{"a":"type","b":"user{long}","type":"user"}}"#),
            format!(r#"{{"a":["\"type\":\"user\""],"b":"{long}"}}"#),
        ] {
            assert_eq!(fate(&line), "whole all", "{line}");
        }
    }

    #[test]
    fn what_only_the_reader_wants_is_cut() {
        let long = "x".repeat(200);
        for line in [
            format!(r#"{{"type":"assistant","message":"{long}"}}"#),
            format!(r#" {{"a":1,"type":"user","result":"{long}"}}"#),
            format!(r#"{{"type":"system","subtype":"init","tools":"{long}"}}"#),
            format!("Segmentation fault {long}"),
            // A value is not a key.
            format!(r#"{{"type":"user","x":"type","y":"result","z":"{long}"}}"#),
        ] {
            assert_eq!(fate(&line), "50 of all", "{line}");
        }
    }

    #[test]
    fn lines_around_a_long_one_are_what_they_are() {
        let long = "x".repeat(100);
        let output =
            format!("{{}}\n{long}\n\n{{\"type\":\"result\",\"a\":\"{long}\"}}\r\n{long}\nend");
        let expected = [
            "whole 2",
            "20 of 100",
            "whole 0",
            "whole 125",
            "20 of 100",
            "whole 3",
        ];
        assert_eq!(cut(20, output.as_bytes()), expected);
        assert_eq!(cut(20, long.as_bytes()), ["20 of 100"]);
    }
}
