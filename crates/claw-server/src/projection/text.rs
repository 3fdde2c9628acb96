//! How much of an answer was sent.
//!
//! Pieces of text may be lost, come twice or come late. What is sent of a block is a prefix of it:
//! a piece counts only where it goes on, and what is missing is sent when the block is stored. In
//! front of a block that is not stored nothing behind it is sent, so the chunks of a turn add up
//! to its answer.

use std::collections::VecDeque;

use rusty_claw_protocol::Str;
use serde::{Deserialize, Serialize};

use super::step::StoredBlock;
use crate::event::TextDelta;

/// Something to send.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Retracted { offset: u64, length: u64 },
}

/// The text of the turn that runs, as far as it was sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SentText {
    /// The message that is being written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<Str>,
    /// How many of its blocks are stored.
    #[serde(default)]
    stored: u32,
    /// What was sent of the block behind them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    live: Option<Prefix>,
    /// The messages before it, as hashes, the oldest first.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    past: VecDeque<u64>,
    /// How much text lies in front of the segments.
    #[serde(default, skip_serializing_if = "is_zero")]
    settled: u64,
    /// The stored text that was sent, by the line that it came in, the oldest first.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    segments: VecDeque<(u64, u64)>,
}

/// How many lines and messages of a turn are remembered. Beyond it a turn may go on for ever; a
/// line that lies so far back is not taken back, and a piece of such a message comes too late.
pub(super) const REMEMBERED: usize = 4096;

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The beginning of a text: how long it is, and a hash to know it by.
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

    /// What a text has behind this prefix, if it begins with it.
    fn rest_of(self, text: &str) -> Option<&str> {
        let (prefix, rest) = text.split_at_checked(usize::try_from(self.bytes).ok()?)?;
        (hash(HASH_OF_NOTHING, prefix) == self.hash).then_some(rest)
    }
}

impl SentText {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether all that was sent is stored.
    pub(super) fn is_settled(&self) -> bool {
        self.live.is_none()
    }

    /// Text may be missing here: the reader throws away what it has of the turn, and places in the
    /// text are counted anew.
    pub(super) fn begin_anew(&mut self) {
        self.live = None;
        self.settled = 0;
        self.segments.clear();
    }

    /// A block is stored: what was not sent of it is.
    pub(super) fn stored(&mut self, block: &StoredBlock<'_>, pieces: &mut Vec<Piece>) {
        if let Some(message) = block.message
            && self.message.as_ref() != Some(message)
        {
            // What was streamed of the message before and is not stored by now never will be.
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

    /// A piece of a block that is being written.
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

    /// These lines do not count any more.
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

    /// The turn is over: what is not stored never will be.
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

    /// How much stored text was sent, up to one of the segments.
    fn sent(&self, segment: usize) -> u64 {
        let segments = self.segments.iter().take(segment);
        segments.fold(self.settled, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }
}

const HASH_OF_NOTHING: u64 = 0xcbf2_9ce4_8422_2325;

/// By what a line is known when it is taken back.
pub(super) fn line_hash(line: &str) -> u64 {
    hash(HASH_OF_NOTHING, line)
}

/// FNV-1a, which can be gone on with.
fn hash(from: u64, text: &str) -> u64 {
    text.bytes().fold(from, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
