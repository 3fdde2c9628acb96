//! Bytes become lines, and long ones are cut where a program asks for that.
//!
//! A line that the session itself needs is never cut: half a question cannot be answered, and half
//! a result ends no turn. Such lines are known by their type. All others begin with theirs, so a
//! line that has not named its type within the limit is kept as well.

use std::collections::VecDeque;

use bytes::BytesMut;
use memchr::memchr;

use crate::framing::{Frame, LineFramer};

/// The lines of the CLI's output.
#[derive(Debug)]
pub(super) enum Lines {
    /// Of any length.
    Whole(LineFramer),
    /// Cut, where nobody here needs the rest.
    Limited(Box<LimitedLines>),
}

impl Lines {
    pub(super) fn new(limit: Option<usize>) -> Self {
        match limit {
            None => Self::Whole(LineFramer::new()),
            Some(limit) => Self::Limited(Box::new(LimitedLines {
                limit,
                ..LimitedLines::default()
            })),
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Whole(framer) => framer.push(bytes),
            Self::Limited(lines) => lines.push(bytes),
        }
    }

    /// The next whole line, if there is one.
    pub(super) fn next_frame(&mut self) -> Option<Frame> {
        match self {
            Self::Whole(framer) => framer.next_frame(),
            Self::Limited(lines) => lines.ready.pop_front(),
        }
    }

    /// Lets go of room that long lines took, when no line is under way: a framer keeps room for
    /// lines as long as the last, and a session that rests is to keep none.
    pub(super) fn shrink(&mut self) {
        match self {
            Self::Whole(framer) if framer.pending() == 0 => *framer = LineFramer::new(),
            Self::Limited(lines) if lines.open.is_empty() => lines.open = BytesMut::new(),
            _ => {}
        }
    }

    /// Ends the output: the bytes behind the last newline are a line too.
    pub(super) fn finish(&mut self) -> Vec<Frame> {
        match self {
            Self::Whole(framer) => std::mem::take(framer).finish().collect(),
            Self::Limited(lines) => {
                if !lines.open.is_empty() {
                    lines.close();
                }
                std::mem::take(&mut lines.ready).into()
            }
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct LimitedLines {
    limit: usize,
    /// The line that has no newline yet, as far as it is kept.
    open: BytesMut,
    fate: Fate,
    ready: VecDeque<Frame>,
}

/// What becomes of the line that is under way.
#[derive(Debug, Clone, Copy, Default)]
enum Fate {
    /// It is not longer than the limit so far.
    #[default]
    Short,
    /// It is longer, and needed.
    Needed,
    /// It is longer, and so many bytes of it were dropped.
    Cut(u64),
}

impl LimitedLines {
    fn push(&mut self, mut bytes: &[u8]) {
        while let Some(newline) = memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(newline);
            self.extend(line);
            self.close();
            bytes = rest.get(1..).unwrap_or_default();
        }
        self.extend(bytes);
    }

    fn extend(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        if let Fate::Short = self.fate {
            let room = self.limit.saturating_sub(self.open.len());
            let (kept, beyond) = bytes.split_at(room.min(bytes.len()));
            self.open.extend_from_slice(kept);
            if beyond.is_empty() {
                return;
            }
            rest = beyond;
            self.fate = if is_needed(&self.open) {
                Fate::Needed
            } else {
                Fate::Cut(0)
            };
        }
        match &mut self.fate {
            Fate::Cut(dropped) => *dropped += rest.len() as u64,
            Fate::Short | Fate::Needed => self.open.extend_from_slice(rest),
        }
    }

    fn close(&mut self) {
        let line = self.open.split().freeze();
        self.ready.push_back(match std::mem::take(&mut self.fate) {
            Fate::Short | Fate::Needed => Frame::Line(line),
            Fate::Cut(dropped) => Frame::TooLong {
                length: line.len() as u64 + dropped,
                head: line,
            },
        });
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

/// A text member of the object that begins here, if it is among the members whose ends are here
/// too.
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

    /// What comes out, in pieces of every size: `whole`, or the length of the beginning.
    fn cut(limit: usize, output: &[u8]) -> Vec<String> {
        let by = |piece: usize| {
            let mut lines = Lines::new(Some(limit));
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
            // It may be anything yet.
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
            // A value is no key.
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
