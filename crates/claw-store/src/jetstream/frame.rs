//! Frames: the messages of a session's log.
//!
//! | bytes | content |
//! |---|---|
//! | 2 | `CF` |
//! | 1 | version |
//! | 1 | kind |
//! | 8 | epoch |
//! | 8 | sequence of the first event, or of the next one if the frame has none |
//! | 4 | number of events |
//! | 8 | position of the last applied command |
//! | n | body |
//! | 4 | CRC-32C of all bytes before it |
//!
//! Numbers are little-endian. Each frame repeats the state of the session after it, so that the
//! last one is enough to continue.

use bytes::{Buf, BufMut, Bytes, BytesMut};

const MAGIC: &[u8; 2] = b"CF";
const VERSION: u8 = 1;
const HEADER: usize = 32;
const CHECKSUM: usize = 4;

/// What a frame is for. Kinds that are not named here change nothing but the applied position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind(u8);

impl Kind {
    /// A new owner.
    pub(super) const FENCE: Self = Self(1);
    /// Events.
    pub(super) const EVENTS: Self = Self(2);
    /// Only a new applied position.
    pub(super) const APPLIED: Self = Self(3);
    /// The session was erased. Nothing after it counts.
    pub(super) const DELETED: Self = Self(4);
    /// The owner has released the session.
    pub(super) const RELEASED: Self = Self(5);
    // 6 checkpoint, 7 moved and 8 segment are reserved.
    /// Lines of a file, in the stream of transcripts.
    pub(super) const LINES: Self = Self(9);
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) epoch: u64,
    pub(super) first: u64,
    pub(super) count: u32,
    pub(super) applied: u64,
    pub(super) body: Bytes,
}

/// Why bytes are not a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FrameError {
    /// They were not written as a frame.
    Foreign,
    /// A newer version wrote them.
    Version(u8),
    /// They have changed since they were written.
    Checksum,
}

impl Frame {
    /// Returns the sequence of the last event of the session after this frame.
    pub(super) fn last(&self) -> u64 {
        (self.first + u64::from(self.count)).saturating_sub(1)
    }

    pub(super) fn encode(&self) -> Bytes {
        let mut out = BytesMut::with_capacity(HEADER + self.body.len() + CHECKSUM);
        out.put_slice(MAGIC);
        out.put_u8(VERSION);
        out.put_u8(self.kind.0);
        out.put_u64_le(self.epoch);
        out.put_u64_le(self.first);
        out.put_u32_le(self.count);
        out.put_u64_le(self.applied);
        out.put_slice(&self.body);
        out.put_u32_le(crc32c::crc32c(&out));
        out.freeze()
    }

    pub(super) fn decode(bytes: &Bytes) -> Result<Self, FrameError> {
        if bytes.len() < HEADER + CHECKSUM || !bytes.starts_with(MAGIC) {
            return Err(FrameError::Foreign);
        }
        let end = bytes.len() - CHECKSUM;
        if crc32c::crc32c(&bytes[..end]) != bytes.slice(end..).get_u32_le() {
            return Err(FrameError::Checksum);
        }
        if bytes[2] != VERSION {
            return Err(FrameError::Version(bytes[2]));
        }
        let mut header = bytes.slice(3..HEADER);
        Ok(Self {
            kind: Kind(header.get_u8()),
            epoch: header.get_u64_le(),
            first: header.get_u64_le(),
            count: header.get_u32_le(),
            applied: header.get_u64_le(),
            body: bytes.slice(HEADER..end),
        })
    }
}

/// Marks [`encode_parts`], as opposed to a reference to chunks.
pub(super) const PARTS: u8 = 0;

/// Encodes byte strings one after the other, each with its length.
pub(super) fn encode_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Bytes {
    let mut out = BytesMut::new();
    out.put_u8(PARTS);
    for part in parts {
        // A part is an event or smaller, and far below 4 GiB.
        out.put_u32_le(u32::try_from(part.len()).unwrap_or(u32::MAX));
        out.put_slice(part);
    }
    out.freeze()
}

/// Decodes what [`encode_parts`] returned, without copies. Returns `None` if it is damaged.
pub(super) fn decode_parts(mut bytes: Bytes) -> Option<Vec<Bytes>> {
    let mut parts = Vec::new();
    if bytes.try_get_u8() != Ok(PARTS) {
        return None;
    }
    while bytes.has_remaining() {
        let len = bytes.try_get_u32_le().ok()? as usize;
        if len > bytes.len() {
            return None;
        }
        parts.push(bytes.split_to(len));
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame(kind: Kind, body: &'static [u8]) -> Frame {
        Frame {
            kind,
            epoch: 3,
            first: 7,
            count: 2,
            applied: 40,
            body: Bytes::from_static(body),
        }
    }

    #[test]
    fn bytes_of_a_frame_do_not_change() {
        let body = encode_parts([b"a".as_slice(), b"".as_slice()]);
        let frame = Frame {
            body,
            ..frame(Kind::EVENTS, b"")
        };
        let hex: String = frame
            .encode()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(
            hex,
            "43460102030000000000000007000000000000000200000028000000000000000001000000610000000074\
             0635c6"
        );
        assert_eq!(frame.last(), 8);
    }

    #[test]
    fn foreign_and_damaged_bytes_are_distinguished() {
        let good = frame(Kind::EVENTS, b"body").encode();
        let mut damaged = good.to_vec();
        damaged[20] ^= 1;
        let mut newer = good.to_vec();
        newer[2] = 9;
        let end = newer.len() - CHECKSUM;
        let sum = crc32c::crc32c(&newer[..end]).to_le_bytes();
        newer[end..].copy_from_slice(&sum);
        for (bytes, error) in [
            (Vec::new(), FrameError::Foreign),
            (vec![b'x'; 100], FrameError::Foreign),
            (good[..20].to_vec(), FrameError::Foreign),
            (damaged, FrameError::Checksum),
            (newer, FrameError::Version(9)),
        ] {
            assert_eq!(Frame::decode(&Bytes::from(bytes)), Err(error));
        }
    }

    proptest! {
        #[test]
        fn frames_round_trip(
            kind: u8,
            epoch: u64,
            first in 0..u64::MAX / 2,
            count: u32,
            applied: u64,
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..9),
        ) {
            let body = encode_parts(parts.iter().map(Vec::as_slice));
            let frame = Frame { kind: Kind(kind), epoch, first, count, applied, body };
            let decoded = Frame::decode(&frame.encode()).unwrap();
            prop_assert_eq!(&decoded, &frame);
            let decoded: Vec<Vec<u8>> =
                decode_parts(decoded.body).unwrap().iter().map(|part| part.to_vec()).collect();
            prop_assert_eq!(decoded, parts);
        }

        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let bytes = Bytes::from(bytes);
            let _ = Frame::decode(&bytes);
            let _ = decode_parts(bytes);
        }
    }
}
