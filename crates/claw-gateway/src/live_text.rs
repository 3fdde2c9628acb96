//! The text of messages that are still being written.
//!
//! Deltas are not in the log. The process that owns a session keeps the text so far. A client that
//! attaches in the middle of a message receives it first, and a slow client receives one merged
//! delta for the text that it missed.

use std::collections::VecDeque;
use std::sync::Arc;

use claw_server::event::Fact;
use claw_server::{LogUpdate, SessionEvent, TextDelta};
use rusty_claw::messages::{ContentBlock, Message};

/// The most text that is kept, in bytes. Clients receive the rest with the complete message.
const MAX_BYTES: usize = 1024 * 1024;
/// The number of recent blocks that are tracked: stored ones, and those sent to a follower.
const REMEMBERED: usize = 64;

/// The streamed text of a session, in the process that owns it.
#[derive(Debug, Default)]
pub(crate) struct LiveText {
    /// The sequence of the last event that is stored.
    pub(crate) last: u64,
    /// Each block as one delta from its beginning.
    blocks: Vec<TextDelta>,
    /// Stored blocks, whose late deltas are ignored.
    stored: VecDeque<(String, u32)>,
}

impl LiveText {
    /// Creates an empty text for a session whose last event has this sequence.
    pub(crate) fn new(last: u64) -> Self {
        Self {
            last,
            ..Self::default()
        }
    }

    /// Adds a delta before it is published.
    pub(crate) fn delta(&mut self, delta: &TextDelta) {
        let message = &delta.message_id;
        if delta.retracted {
            self.blocks
                .retain(|block| block.message_id != *message || block.block < delta.block);
            return;
        }
        let place = self.place(message, delta.block);
        let known = place.map_or(0, |place| self.blocks[place].text.len());
        let is_late = self
            .stored
            .iter()
            .any(|(of, block)| of == message && *block == delta.block);
        let new = usize::try_from(delta.offset)
            .ok()
            .and_then(|offset| known.checked_sub(offset))
            .and_then(|overlap| delta.text.get(overlap..));
        let Some(new) = new.filter(|_| !is_late) else {
            return;
        };
        match place {
            Some(place) => self.blocks[place].text.push_str(new),
            None => self.blocks.push(delta.clone()),
        }
        if self
            .blocks
            .iter()
            .map(|block| block.text.len())
            .sum::<usize>()
            > MAX_BYTES
        {
            self.blocks.remove(0);
        }
    }

    /// Drops the text that an event contains, before the event is stored.
    pub(crate) fn event(&mut self, event: &SessionEvent) {
        if self.blocks.is_empty() {
            return;
        }
        match &event.fact {
            Fact::TurnEnded(_) | Fact::Lifecycle(_) => self.blocks.clear(),
            Fact::Message(_) => {
                let line = event.line();
                let message = line.as_deref().and_then(|line| line.message());
                if let Some(Message::Assistant(assistant)) = message
                    && let Some(id) = assistant.message.id.as_deref()
                {
                    let is_text =
                        |block: &&ContentBlock| matches!(block, ContentBlock::Text { .. });
                    let texts = assistant.message.content.iter().filter(is_text).count();
                    (0..texts).for_each(|_| self.complete(id));
                }
            }
            _ => {}
        }
    }

    /// Drops the first block of a message: the CLI prints blocks in order.
    fn complete(&mut self, message: &str) {
        let blocks = self.blocks.iter().enumerate();
        let of_message = blocks.filter(|(_, block)| block.message_id == message);
        if let Some((place, _)) = of_message.min_by_key(|(_, block)| block.block) {
            let block = self.blocks.remove(place);
            remember(&mut self.stored, (block.message_id, block.block));
        }
    }

    fn place(&self, message: &str, block: u32) -> Option<usize> {
        self.blocks
            .iter()
            .position(|one| one.message_id == message && one.block == block)
    }
}

fn remember<T>(items: &mut VecDeque<T>, item: T) {
    items.push_back(item);
    if items.len() > REMEMBERED {
        items.pop_front();
    }
}

/// The text that one follower has received. Each delta is replaced by all text that the follower
/// does not have, so that its text has no gaps after lost or skipped deltas.
#[derive(Debug)]
pub(crate) struct Received {
    seen: u64,
    /// Whether text may be missing. It is sent when the follower has all stored events.
    is_behind: bool,
    /// The end of the sent text of each block.
    ends: VecDeque<(String, u32, usize)>,
}

impl Received {
    /// Creates the state of a follower that starts after an event.
    pub(crate) fn new(after: u64) -> Self {
        Self {
            seen: after,
            is_behind: false,
            ends: VecDeque::new(),
        }
    }

    /// Marks that the follower has joined the live updates, or has skipped some.
    pub(crate) fn behind(&mut self, text: Option<&LiveText>) -> Vec<LogUpdate> {
        self.is_behind = true;
        self.catch_up(text)
    }

    pub(crate) fn event(
        &mut self,
        event: Arc<SessionEvent>,
        text: Option<&LiveText>,
    ) -> Vec<LogUpdate> {
        self.seen = event.sequence;
        let mut updates = vec![LogUpdate::Event(event)];
        updates.extend(self.catch_up(text));
        updates
    }

    pub(crate) fn delta(&mut self, delta: TextDelta, text: Option<&LiveText>) -> Vec<LogUpdate> {
        // Only the process that owns the session has the whole text.
        let Some(text) = text else {
            return vec![LogUpdate::Delta(Arc::new(delta))];
        };
        if delta.retracted {
            self.ends
                .retain(|(of, block, _)| *of != delta.message_id || *block < delta.block);
            return vec![LogUpdate::Delta(Arc::new(delta))];
        }
        // A missing block is already stored: its event follows.
        let place = text.place(&delta.message_id, delta.block);
        let sent = place.and_then(|place| self.send(&text.blocks[place]));
        sent.into_iter().collect()
    }

    fn catch_up(&mut self, text: Option<&LiveText>) -> Vec<LogUpdate> {
        // Text must not be sent before the events that precede it.
        let text = text.filter(|text| self.is_behind && self.seen >= text.last);
        let Some(text) = text else { return Vec::new() };
        self.is_behind = false;
        let sent = text.blocks.iter().filter_map(|block| self.send(block));
        sent.collect()
    }

    /// Returns the text of a block that the follower does not have.
    fn send(&mut self, block: &TextDelta) -> Option<LogUpdate> {
        let is_same =
            |end: &&mut (String, u32, usize)| end.0 == block.message_id && end.1 == block.block;
        let length = block.text.len();
        let offset = match self.ends.iter_mut().find(is_same) {
            Some((_, _, end)) => std::mem::replace(end, length.max(*end)),
            None => {
                let end = (block.message_id.clone(), block.block, length);
                remember(&mut self.ends, end);
                0
            }
        };
        let rest = block.text.get(offset..).filter(|rest| !rest.is_empty())?;
        let (turn, id) = (block.turn, block.message_id.as_str());
        let piece = TextDelta::new(turn, id, block.block, offset as u64, rest);
        Some(LogUpdate::Delta(Arc::new(piece)))
    }
}

#[cfg(test)]
mod tests {
    use claw_server::event::{Lifecycle, LifecycleState};

    use super::*;

    fn piece(message: &str, offset: u64, text: &str) -> TextDelta {
        TextDelta::new(1, message, 0, offset, text)
    }

    fn texts(updates: Vec<LogUpdate>) -> Vec<(u64, String)> {
        let delta = |update| match update {
            LogUpdate::Delta(delta) => Some((delta.offset, delta.text.clone())),
            LogUpdate::Event(_) => None,
        };
        updates.into_iter().filter_map(delta).collect()
    }

    fn one(offset: u64, text: &str) -> Vec<(u64, String)> {
        vec![(offset, text.to_owned())]
    }

    fn stored(sequence: u64, message: &str, text: &str) -> Arc<SessionEvent> {
        let line = serde_json::json!({
            "type": "assistant", "session_id": "s", "uuid": "u", "parent_tool_use_id": null,
            "message": {"id": message, "type": "message", "role": "assistant",
                "content": [{"type": "text", "text": text}]},
        });
        Arc::new(SessionEvent::new(
            sequence,
            1,
            0,
            Fact::message(line.to_string()),
        ))
    }

    #[test]
    fn a_follower_that_joins_late_gets_the_text_so_far_and_then_the_rest() {
        let mut text = LiveText::new(3);
        text.delta(&piece("m", 0, "Hel"));
        text.delta(&piece("m", 3, "lo"));
        let mut late = Received::new(2);
        assert!(late.behind(Some(&text)).is_empty(), "an event comes first");
        assert_eq!(
            texts(late.event(stored(3, "other", "x"), Some(&text))),
            one(0, "Hello")
        );
        // What the ring still has is not sent again.
        assert!(late.delta(piece("m", 3, "lo"), Some(&text)).is_empty());
        text.delta(&piece("m", 5, " wör"));
        text.delta(&piece("m", 10, "ld"));
        let merged = late.delta(piece("m", 5, " wör"), Some(&text));
        assert_eq!(texts(merged), one(5, " wörld"));
        assert!(late.delta(piece("m", 10, "ld"), Some(&text)).is_empty());
    }

    #[test]
    fn text_of_a_stored_message_is_not_sent_any_more() {
        let mut text = LiveText::default();
        text.delta(&piece("m", 0, "Hello"));
        text.event(&stored(1, "other", "Hello"));
        let mut follower = Received::new(0);
        assert_eq!(texts(follower.behind(Some(&text))), one(0, "Hello"));
        text.event(&stored(1, "m", "Hello you"));
        assert!(
            follower
                .delta(piece("m", 5, " you"), Some(&text))
                .is_empty()
        );
        // A delta that was published after its message.
        text.delta(&piece("m", 0, "Hello"));
        assert!(Received::new(0).behind(Some(&text)).is_empty());
        text.delta(&piece("n", 0, "More"));
        let ready = Fact::Lifecycle(Lifecycle::new(LifecycleState::Ready));
        text.event(&SessionEvent::new(2, 1, 0, ready));
        assert!(Received::new(0).behind(Some(&text)).is_empty());
    }

    #[test]
    fn retracted_text_is_sent_again_from_its_beginning() {
        let mut text = LiveText::default();
        text.delta(&piece("m", 0, "Wrong"));
        let mut follower = Received::new(0);
        assert_eq!(texts(follower.behind(Some(&text))), one(0, "Wrong"));
        let retracted = TextDelta::retraction(1, "m", 0);
        text.delta(&retracted);
        assert_eq!(follower.delta(retracted, Some(&text)).len(), 1);
        text.delta(&piece("m", 0, "Right"));
        let again = follower.delta(piece("m", 0, "Right"), Some(&text));
        assert_eq!(texts(again), one(0, "Right"));
    }

    #[test]
    fn deltas_of_another_process_are_passed_on() {
        let mut follower = Received::new(0);
        assert!(follower.behind(None).is_empty());
        assert_eq!(
            texts(follower.delta(piece("m", 3, "lo"), None)),
            one(3, "lo")
        );
    }

    #[test]
    fn the_text_that_is_kept_is_bounded() {
        let mut text = LiveText::default();
        for offset in 0..20 {
            text.delta(&piece("m", offset * 100_000, &"x".repeat(100_000)));
        }
        let kept: usize = text.blocks.iter().map(|block| block.text.len()).sum();
        assert!(kept <= MAX_BYTES, "{kept}");
    }
}
