//! Bytes become lines.
//!
//! A line is what lies between two newlines, however the bytes were cut on their way here.
//! Nothing in this module can fail: it knows neither JSON nor text, and it does no I/O.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use memchr::memchr;

/// One line, without its newline.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frame {
    /// The bytes of the line, exactly as they came; a carriage return before the newline is part
    /// of them.
    Line(Bytes),
    /// A line longer than the limit. Its end was passed over, so the next line is whole again.
    TooLong {
        /// The first bytes, up to the limit.
        head: Bytes,
        /// How long the line was.
        length: u64,
    },
}

/// Cuts a stream of bytes into lines.
///
/// Bytes go in with [`LineFramer::push`] in whatever pieces they arrive; lines come out of
/// [`LineFramer::next_frame`]. What has been pushed is kept until it is taken, so a reader that is
/// cancelled between the two loses nothing.
///
/// ```
/// use rusty_claw::framing::{Frame, LineFramer};
///
/// let mut framer = LineFramer::new();
/// framer.push(b"{\"type\":\"keep_al");
/// assert_eq!(framer.next_frame(), None);
/// framer.push(b"ive\"}\n{\"ty");
/// assert_eq!(framer.next_frame(), Some(Frame::Line("{\"type\":\"keep_alive\"}".into())));
/// assert_eq!(framer.finish().collect::<Vec<_>>(), [Frame::Line("{\"ty".into())]);
/// ```
#[derive(Debug, Default)]
pub struct LineFramer {
    /// The line that has no newline yet.
    open: BytesMut,
    /// How much of an overlong open line was dropped.
    dropped: u64,
    limit: Option<usize>,
    ready: VecDeque<Frame>,
}

impl LineFramer {
    /// A framer that takes lines of any length: the CLI prints lines of 50 MB when it must.
    pub fn new() -> Self {
        Self::default()
    }

    /// A framer that keeps at most `limit` bytes of a line, for hosts that must bound memory.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit: Some(limit),
            ..Self::default()
        }
    }

    /// Takes bytes, in whatever pieces they arrive.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while let Some(newline) = memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(newline);
            self.extend(line);
            self.close();
            bytes = rest.get(1..).unwrap_or_default();
        }
        self.extend(bytes);
    }

    /// The next whole line, if there is one.
    pub fn next_frame(&mut self) -> Option<Frame> {
        self.ready.pop_front()
    }

    /// Bytes of the line that has no newline yet.
    pub fn pending(&self) -> usize {
        self.open.len()
    }

    /// Ends the stream: all lines that were not taken yet, and the bytes behind the last newline,
    /// if there are any, as a line too.
    pub fn finish(mut self) -> impl Iterator<Item = Frame> {
        if !self.open.is_empty() || self.dropped > 0 {
            self.close();
        }
        self.ready.into_iter()
    }

    fn extend(&mut self, bytes: &[u8]) {
        let room = self
            .limit
            .map_or(usize::MAX, |limit| limit.saturating_sub(self.open.len()));
        let (kept, dropped) = bytes.split_at(room.min(bytes.len()));
        self.open.extend_from_slice(kept);
        self.dropped += dropped.len() as u64;
    }

    fn close(&mut self) {
        let bytes = self.open.split().freeze();
        let dropped = std::mem::take(&mut self.dropped);
        self.ready.push_back(if dropped == 0 {
            Frame::Line(bytes)
        } else {
            Frame::TooLong {
                length: bytes.len() as u64 + dropped,
                head: bytes,
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(mut framer: LineFramer, pieces: &[&[u8]]) -> Vec<Frame> {
        let mut frames = Vec::new();
        for piece in pieces {
            framer.push(piece);
            while let Some(frame) = framer.next_frame() {
                frames.push(frame);
            }
        }
        frames.extend(framer.finish());
        frames
    }

    fn lines(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
        frames(LineFramer::new(), pieces)
            .into_iter()
            .map(|frame| match frame {
                Frame::Line(bytes) => bytes.to_vec(),
                Frame::TooLong { .. } => panic!("there is no limit"),
            })
            .collect()
    }

    #[test]
    fn lines_are_cut_at_newlines_only() {
        assert_eq!(
            lines(&[b"a\r\n\xE2\x80\xA8b\n\nc"]),
            [&b"a\r"[..], b"\xE2\x80\xA8b", b"", b"c"]
        );
        assert_eq!(lines(&[b"a\n"]), [b"a"]);
        assert!(lines(&[b""]).is_empty());
    }

    #[test]
    fn an_overlong_line_does_not_harm_its_neighbours() {
        let frames = frames(
            LineFramer::with_limit(4),
            &[b"ab\n12345", b"6789\ncd\nxyzxyz"],
        );
        assert_eq!(
            frames,
            [
                Frame::Line("ab".into()),
                Frame::TooLong {
                    head: "1234".into(),
                    length: 9
                },
                Frame::Line("cd".into()),
                Frame::TooLong {
                    head: "xyzx".into(),
                    length: 6
                },
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_cutting_gives_the_same_lines(
            bytes in proptest::collection::vec(proptest::sample::select(b"a{\n\r\x00\xff".to_vec()), 0..200),
            cuts in proptest::collection::vec(0_usize..200, 0..12),
        ) {
            let whole = lines(&[&bytes]);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            proptest::prop_assert_eq!(lines(&pieces), whole);
        }
    }
}
