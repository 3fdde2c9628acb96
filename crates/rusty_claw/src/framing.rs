//! Splits bytes into lines.
//!
//! Lines are split at newlines only, however the bytes arrive. Nothing in this module can fail: it
//! parses neither JSON nor text, and does no I/O.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use memchr::memchr;

/// One line, without its newline.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frame {
    /// The bytes of the line, unchanged; a carriage return before the newline is included.
    Line(Bytes),
    /// A line longer than the limit. The rest of it was skipped, so the next line is complete.
    TooLong {
        /// The first bytes, up to the limit.
        head: Bytes,
        /// The length of the whole line.
        length: u64,
    },
}

/// Splits a stream of bytes into lines.
///
/// Add bytes with [`LineFramer::push`] in chunks of any size, and take lines with
/// [`LineFramer::next_frame`]. Bytes are kept until they are taken, so a reader that is cancelled
/// in between loses nothing.
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
    /// The incomplete last line.
    open: BytesMut,
    /// The number of dropped bytes of an overlong incomplete line.
    dropped: u64,
    limit: Option<usize>,
    /// Whether a line that exceeds the limit is kept, given its beginning.
    is_kept: Option<fn(&[u8]) -> bool>,
    /// Whether the incomplete line exceeds the limit and is kept.
    is_whole: bool,
    ready: VecDeque<Frame>,
}

impl LineFramer {
    /// Creates a framer without a limit: the CLI can print lines of 50 MB.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a framer that keeps at most `limit` bytes of a line, to bound memory.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit: Some(limit),
            ..Self::default()
        }
    }

    /// Creates a framer with a limit that does not apply to lines with certain beginnings.
    pub(crate) fn with_exceptions(limit: usize, is_kept: fn(&[u8]) -> bool) -> Self {
        Self {
            is_kept: Some(is_kept),
            ..Self::with_limit(limit)
        }
    }

    /// Adds bytes, in chunks of any size.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while let Some(newline) = memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(newline);
            self.extend(line);
            self.close();
            bytes = rest.get(1..).unwrap_or_default();
        }
        self.extend(bytes);
    }

    /// Returns the next complete line, if there is one.
    pub fn next_frame(&mut self) -> Option<Frame> {
        self.ready.pop_front()
    }

    /// The number of bytes after the last newline.
    pub fn pending(&self) -> usize {
        self.open.len()
    }

    /// Frees the memory of long lines if no line is incomplete: a buffer keeps capacity for lines
    /// as long as the last, and an idle session should keep none.
    pub(crate) fn shrink(&mut self) {
        if self.open.is_empty() {
            self.open = BytesMut::new();
        }
        if self.ready.is_empty() {
            self.ready = VecDeque::new();
        }
    }

    /// Ends the stream. Returns all lines that were not taken yet, and the bytes after the last
    /// newline as a line, if there are any.
    pub fn finish(mut self) -> impl Iterator<Item = Frame> {
        if !self.open.is_empty() || self.dropped > 0 {
            self.close();
        }
        self.ready.into_iter()
    }

    fn extend(&mut self, bytes: &[u8]) {
        let room = match self.limit {
            Some(limit) if !self.is_whole => limit.saturating_sub(self.open.len()),
            _ => usize::MAX,
        };
        let (kept, beyond) = bytes.split_at(room.min(bytes.len()));
        self.open.extend_from_slice(kept);
        if beyond.is_empty() {
            return;
        }
        // Decided once for each line, when it exceeds the limit.
        self.is_whole =
            self.dropped == 0 && self.is_kept.is_some_and(|is_kept| is_kept(&self.open));
        if self.is_whole {
            self.open.extend_from_slice(beyond);
        } else {
            self.dropped += beyond.len() as u64;
        }
    }

    fn close(&mut self) {
        let bytes = self.open.split().freeze();
        let dropped = std::mem::take(&mut self.dropped);
        self.is_whole = false;
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
