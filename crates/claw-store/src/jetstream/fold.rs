//! The rule that decides which frames count. Every reader applies it, in the order of the stream.
//!
//! A fence counts if its epoch is higher than all before and it follows the last event. An erasure
//! always counts, and nothing after it. Another frame counts if it has the epoch of the last fence,
//! follows the last event, and the owner has not released the session. All other frames are void:
//! logged and never returned. The server's compare-and-set prevents void frames; if it fails, all
//! readers still agree by this rule.

use serde::{Deserialize, Serialize};

use super::frame::{Frame, FrameError, Kind};
use crate::directory::SessionState;
use crate::id::NodeId;
use crate::owner::{NodeRef, Owner};

/// The body of a fence.
#[derive(Serialize, Deserialize)]
pub(super) struct Fence {
    pub(super) node: String,
    pub(super) incarnation: u64,
    pub(super) reason: String,
    /// Distinguishes two claims of one node.
    pub(super) nonce: u64,
}

/// Returns the owner that a fence names.
pub(super) fn owner_of(frame: &Frame) -> Option<Owner> {
    let fence: Fence = serde_json::from_slice(&frame.body).ok()?;
    Some(Owner {
        node: NodeRef {
            node: NodeId::new(&fence.node).ok()?,
            incarnation: fence.incarnation,
        },
        epoch: frame.epoch,
    })
}

/// The state of a session after a message of its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Fold {
    /// The sequence of the message in its stream.
    pub(super) at: u64,
    /// The epoch of the last fence.
    pub(super) epoch: u64,
    /// The last event.
    pub(super) last: u64,
    /// The last applied command.
    pub(super) applied: u64,
    pub(super) phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Phase {
    /// No message was read, or those before were deleted with the start of the stream.
    #[default]
    Start,
    /// The session has an owner.
    Owned,
    /// It has no owner.
    Released(SessionState),
    /// It was erased.
    Deleted,
}

/// Why the log of a session cannot be read further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Damage {
    Frame(FrameError),
    /// A frame was lost: the next one was written after a message that is not stored.
    Lost,
}

impl Fold {
    /// Applies a message. Returns its frame if it counts.
    ///
    /// `expected` is the sequence that its writer named as the last one of the subject.
    pub(super) fn apply(
        &mut self,
        at: u64,
        expected: Option<u64>,
        frame: Result<Frame, FrameError>,
    ) -> Result<Option<Frame>, Damage> {
        let before = *self;
        self.at = at;
        let frame = match frame {
            Ok(frame) => frame,
            Err(FrameError::Foreign) => return Ok(None),
            Err(error) => return Err(Damage::Frame(error)),
        };
        let follows = frame.first == before.last + 1;
        let counts = match (before.phase, frame.kind) {
            (Phase::Deleted, _) => false,
            (_, Kind::DELETED) => true,
            (Phase::Start, Kind::FENCE) => true,
            // The start of the stream was deleted: there was a message before.
            (Phase::Start, _) => expected.is_some_and(|expected| expected > 0),
            (_, Kind::FENCE) => frame.epoch > before.epoch && follows,
            (Phase::Owned, _) => frame.epoch == before.epoch && follows,
            (Phase::Released(_), _) => false,
        };
        if counts {
            *self = Self::after(at, &frame);
            return Ok(Some(frame));
        }
        let is_ahead = frame.epoch >= before.epoch && frame.first > before.last + 1;
        match expected {
            Some(expected) if is_ahead && expected >= before.at => Err(Damage::Lost),
            _ => Ok(None),
        }
    }

    /// Returns the state after a frame that counts.
    pub(super) fn after(at: u64, frame: &Frame) -> Self {
        let phase = match frame.kind {
            Kind::DELETED => Phase::Deleted,
            Kind::RELEASED => {
                let name = std::str::from_utf8(&frame.body).ok();
                let state = name.and_then(SessionState::from_name);
                Phase::Released(state.unwrap_or(SessionState::Asleep))
            }
            _ => Phase::Owned,
        };
        Self {
            at,
            epoch: frame.epoch,
            last: frame.last(),
            applied: frame.applied,
            phase,
        }
    }

    /// Returns whether an owner with this epoch may append.
    pub(super) fn is_owned_by(&self, epoch: u64) -> bool {
        self.phase == Phase::Owned && self.epoch == epoch
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn frame(kind: Kind, epoch: u64, first: u64, count: u32) -> Frame {
        Frame {
            kind,
            epoch,
            first,
            count,
            applied: 0,
            body: Bytes::new(),
        }
    }

    /// Applies frames, each after the one before, and returns which ones count.
    fn run(frames: &[(Kind, u64, u64, u32)]) -> Vec<bool> {
        let mut fold = Fold::default();
        let frames = frames.iter().zip(1u64..);
        frames
            .map(|((kind, epoch, first, count), at)| {
                let frame = frame(*kind, *epoch, *first, *count);
                fold.apply(at, None, Ok(frame)).unwrap().is_some()
            })
            .collect()
    }

    #[test]
    fn only_frames_of_the_owner_in_order_count() {
        use Kind as K;
        type Case = (Kind, u64, u64, u32, bool);
        let cases: &[(&str, &[Case])] = &[
            ("a log starts with a fence", &[(K::EVENTS, 0, 1, 1, false)]),
            (
                "frames follow each other",
                &[
                    (K::FENCE, 1, 1, 0, true),
                    (K::EVENTS, 1, 1, 2, true),
                    (K::EVENTS, 1, 3, 1, true),
                ],
            ),
            (
                "a stale writer is void",
                &[
                    (K::FENCE, 1, 1, 0, true),
                    (K::FENCE, 2, 1, 0, true),
                    (K::EVENTS, 1, 1, 1, false),
                    (K::EVENTS, 2, 1, 1, true),
                    (K::FENCE, 2, 2, 0, false),
                ],
            ),
            (
                "a number is used once",
                &[
                    (K::FENCE, 1, 1, 0, true),
                    (K::EVENTS, 1, 1, 2, true),
                    (K::EVENTS, 1, 2, 1, false),
                    (K::EVENTS, 1, 4, 1, false),
                    (K::EVENTS, 1, 3, 1, true),
                ],
            ),
            (
                "a release ends an ownership",
                &[
                    (K::FENCE, 1, 1, 0, true),
                    (K::RELEASED, 1, 1, 0, true),
                    (K::EVENTS, 1, 1, 1, false),
                    (K::FENCE, 2, 1, 0, true),
                ],
            ),
            (
                "nothing follows an erasure",
                &[
                    (K::FENCE, 1, 1, 0, true),
                    (K::DELETED, u64::MAX, 1, 0, true),
                    (K::FENCE, 2, 1, 0, false),
                ],
            ),
        ];
        for (name, frames) in cases {
            let input: Vec<_> = frames
                .iter()
                .map(|(k, e, f, n, _)| (*k, *e, *f, *n))
                .collect();
            let expected: Vec<_> = frames.iter().map(|frame| frame.4).collect();
            assert_eq!(run(&input), expected, "{name}");
        }
    }

    #[test]
    fn log_may_start_with_any_frame_if_those_before_are_deleted() {
        for (expected, counts) in [(None, false), (Some(4), true)] {
            let mut fold = Fold::default();
            let frame = fold.apply(5, expected, Ok(frame(Kind::EVENTS, 4, 9, 2)));
            assert_eq!(frame.unwrap().is_some(), counts, "{expected:?}");
            assert_eq!(fold.last, if counts { 10 } else { 0 });
        }
    }

    #[test]
    fn lost_frame_is_reported_and_foreign_bytes_are_void() {
        let mut fold = Fold::default();
        fold.apply(5, Some(0), Ok(frame(Kind::FENCE, 1, 1, 0)))
            .unwrap();
        assert_eq!(fold.apply(6, None, Err(FrameError::Foreign)), Ok(None));
        assert_eq!(fold.at, 6);
        let late = frame(Kind::EVENTS, 1, 3, 1);
        assert_eq!(fold.apply(9, Some(8), Ok(late.clone())), Err(Damage::Lost));
        assert_eq!(fold.apply(9, None, Ok(late)), Ok(None));
        let damaged = fold.apply(9, None, Err(FrameError::Checksum));
        assert_eq!(damaged, Err(Damage::Frame(FrameError::Checksum)));
    }
}
