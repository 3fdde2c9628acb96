//! The text of an answer that was sent.
//!
//! Deltas may be lost, duplicated or late. What is sent of a block is always a prefix of it: a
//! delta is sent only where it continues the prefix, and missing text is sent when the block is
//! stored. Text after a block is not sent before that block is stored, so the chunks of a turn add
//! up to its answer.

use std::collections::VecDeque;

use rusty_claw_protocol::Str;
use serde::{Deserialize, Serialize};

use super::step::StoredBlock;
use crate::event::TextDelta;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Retracted { offset: u64, length: u64 },
}

/// The text of the running turn that was sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SentText {
    /// The message that is being streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<Str>,
    /// The number of its stored blocks.
    #[serde(default)]
    stored: u32,
    /// What was sent of the next block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    live: Option<Prefix>,
    /// Earlier messages, as hashes, oldest first.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    past: VecDeque<u64>,
    /// The length of the sent text before the segments.
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    settled: u64,
    /// Stored text that was sent: a hash of its line and its length, oldest first.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    segments: VecDeque<(u64, u64)>,
}

/// Maximum number of lines and messages remembered per turn, because a turn may never end. Older
/// lines cannot be retracted, and late deltas of older messages are not recognized.
pub(super) const REMEMBERED: usize = 4096;

/// A prefix of a text: its length and hash.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Prefix {
    bytes: u64,
    hash: u64,
}

impl Prefix {
    const EMPTY: Self = Self {
        bytes: 0,
        hash: HASH_OF_NOTHING,
    };

    fn and(self, text: &str) -> Self {
        Self {
            bytes: self.bytes + text.len() as u64,
            hash: hash(self.hash, text),
        }
    }

    /// The rest of a text that begins with this prefix.
    fn rest_of(self, text: &str) -> Option<&str> {
        let (prefix, rest) = text.split_at_checked(usize::try_from(self.bytes).ok()?)?;
        (hash(HASH_OF_NOTHING, prefix) == self.hash).then_some(rest)
    }
}

impl SentText {
    /// Whether all sent text is stored.
    pub(super) fn is_settled(&self) -> bool {
        self.live.is_none()
    }

    /// Restarts after a gap: the client discards the text of the turn, and offsets restart at 0.
    pub(super) fn begin_anew(&mut self) {
        self.live = None;
        self.settled = 0;
        self.segments.clear();
    }

    /// Records a stored block and sends the text that was not sent yet.
    pub(super) fn stored(&mut self, block: &StoredBlock<'_>, pieces: &mut Vec<Piece>) {
        if let Some(message) = block.message
            && self.message.as_ref() != Some(message)
        {
            // Streamed text of the previous message that is not stored by now never will be.
            self.retract_live(pieces);
            self.turn_to(message);
        }
        let live = self.live.take();
        let missing = match (block.text, live) {
            (Some(text), Some(live)) => live.rest_of(text),
            (text, None) => Some(text.unwrap_or_default()),
            (None, Some(_)) => None,
        };
        let text = block.text.unwrap_or_default();
        let missing = missing.unwrap_or_else(|| {
            self.live = live;
            self.retract_live(pieces);
            text
        });
        if !missing.is_empty() {
            pieces.push(Piece::Text(missing.to_owned()));
        }
        if !text.is_empty() {
            let line = block.line.unwrap_or_default();
            let segment = (line_hash(line), text.len() as u64);
            self.segments.push_back(segment);
            if self.segments.len() > REMEMBERED
                && let Some((_, bytes)) = self.segments.pop_front()
            {
                self.settled = self.settled.saturating_add(bytes);
            }
        }
        self.stored = block.block + 1;
    }

    pub(super) fn delta(&mut self, delta: &TextDelta, pieces: &mut Vec<Piece>) {
        let id = delta.message_id.as_str();
        if self.message.as_deref() != Some(id) {
            let is_new = self.live.is_none() && !self.past.contains(&hash(HASH_OF_NOTHING, id));
            if delta.retracted || delta.block != 0 || delta.offset != 0 || !is_new {
                return;
            }
            self.turn_to(&Str::from(id));
        }
        if delta.retracted {
            if delta.block <= self.stored {
                self.retract_live(pieces);
            }
            return;
        }
        let live = self.live.unwrap_or(Prefix::EMPTY);
        let is_next = delta.block == self.stored && delta.offset <= live.bytes;
        let known = live.bytes.saturating_sub(delta.offset);
        let new = usize::try_from(known)
            .ok()
            .and_then(|known| delta.text.get(known..))
            .filter(|new| is_next && !new.is_empty());
        if let Some(new) = new {
            pieces.push(Piece::Text(new.to_owned()));
            self.live = Some(live.and(new));
        }
    }

    pub(super) fn retract_lines(&mut self, lines: &[Str], pieces: &mut Vec<Piece>) {
        for line in lines {
            let line = line_hash(line);
            while let Some(at) = self.segments.iter().position(|(of, _)| *of == line) {
                let offset = self.sent(at);
                if let Some((_, length)) = self.segments.remove(at) {
                    pieces.push(Piece::Retracted { offset, length });
                }
            }
        }
    }

    /// Ends the turn: text that is not stored never will be.
    pub(super) fn over(&mut self, pieces: &mut Vec<Piece>) {
        self.retract_live(pieces);
        *self = Self::default();
    }

    fn turn_to(&mut self, message: &Str) {
        if let Some(before) = self.message.replace(message.clone()) {
            self.past.push_back(hash(HASH_OF_NOTHING, &before));
            if self.past.len() > REMEMBERED {
                self.past.pop_front();
            }
        }
        self.stored = 0;
        self.live = None;
    }

    fn retract_live(&mut self, pieces: &mut Vec<Piece>) {
        if let Some(live) = self.live.take() {
            pieces.push(Piece::Retracted {
                offset: self.sent(self.segments.len()),
                length: live.bytes,
            });
        }
    }

    /// The length of the stored text that was sent before a segment.
    fn sent(&self, segment: usize) -> u64 {
        let segments = self.segments.iter().take(segment);
        segments.fold(self.settled, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }
}

const HASH_OF_NOTHING: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash that identifies a line when it is retracted.
pub(super) fn line_hash(line: &str) -> u64 {
    hash(HASH_OF_NOTHING, line)
}

/// FNV-1a, starting from an earlier hash.
fn hash(from: u64, text: &str) -> u64 {
    text.bytes().fold(from, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
