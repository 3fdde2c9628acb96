//! The queues of a session and its turns, and which lines go where.

use std::collections::BTreeMap;

use super::queue::Queue;
use super::unread::{SESSION, TurnNumber};

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) session: Queue,
    /// Turns that have a handle, and turns whose messages are discarded until they end.
    pub(super) turns: BTreeMap<TurnNumber, TurnEntry>,
    /// Whether the session's stream was dropped.
    pub(super) reader_gone: bool,
    pub(super) closed: bool,
    pub(super) counts: LaneCounts,
}

#[derive(Debug)]
pub(super) struct TurnEntry {
    pub(super) destination: Destination,
    /// Whether this turn gets no more lines.
    pub(super) ended: bool,
}

/// The destination of a turn's messages.
#[derive(Debug)]
pub(super) enum Destination {
    /// The session's queue. The messages are kept even if the session's stream was dropped, because
    /// the turn's stream may still be taken.
    Undecided,
    /// The session's queue, and the session's stream stops before these messages: the turn's stream
    /// is about to be taken.
    Held,
    /// The session's queue.
    Session,
    /// The turn's own stream.
    Stream(Queue),
    /// None: the turn's stream was dropped.
    Discarded,
}

/// Number of delivered, spilled and dropped messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaneCounts {
    /// Messages that were handed over to be read.
    pub delivered: u64,
    /// Messages that were written to a file on the way.
    pub spilled: u64,
    /// How often the CLI's output was not read because too much was unread.
    pub stalls: u64,
    /// Messages that were dropped because their stream was dropped.
    pub unwanted: u64,
    /// Bytes that were written to a file and could not be read back. Anything but 0 means a
    /// broken disk.
    pub lost_bytes: u64,
}

impl State {
    /// The queue for the lines of a turn, with its number; `None` if they are discarded.
    pub(super) fn destination(&mut self, turn: TurnNumber) -> Option<(TurnNumber, &mut Queue)> {
        let entry = self.turns.get_mut(&turn);
        let is_kept = match entry.map(|turn| &mut turn.destination) {
            Some(Destination::Stream(queue)) => return Some((turn, queue)),
            Some(Destination::Undecided | Destination::Held) => true,
            Some(Destination::Discarded) => false,
            Some(Destination::Session) | None => !self.reader_gone,
        };
        is_kept.then_some((SESSION, &mut self.session))
    }

    /// Whether the session's next line belongs to a turn whose stream is about to be taken.
    pub(super) fn is_held(&self) -> bool {
        let turn = self.session.front().and_then(|turn| self.turns.get(&turn));
        turn.is_some_and(|turn| matches!(turn.destination, Destination::Held))
    }

    /// The queue of the session, or of a turn whose stream was taken.
    pub(super) fn queue(&mut self, number: TurnNumber) -> Option<&mut Queue> {
        if number == SESSION {
            return Some(&mut self.session);
        }
        self.turns.get_mut(&number)?.queue_mut()
    }

    /// Wakes the readers of queues with lines, and all readers at the end.
    pub(super) fn wake_readers(&mut self) {
        let streams = self.turns.values_mut().filter_map(TurnEntry::queue_mut);
        for queue in streams.chain([&mut self.session]) {
            if self.closed || !queue.is_empty() {
                queue.wake();
            }
        }
    }

    /// Drops the lines of a turn if the session's stream was dropped.
    pub(super) fn drop_unwanted(&mut self, number: TurnNumber) {
        if self.reader_gone {
            let dropped = self.session.split(|turn| turn == number);
            self.counts.unwanted += dropped.in_memory();
        }
    }
}

impl TurnEntry {
    /// Whether the turn's stream may still be taken.
    pub(super) fn may_be_taken(&self) -> bool {
        matches!(self.destination, Destination::Undecided | Destination::Held)
    }

    pub(super) fn queue(&self) -> Option<&Queue> {
        match &self.destination {
            Destination::Stream(queue) => Some(queue),
            _ => None,
        }
    }

    pub(super) fn queue_mut(&mut self) -> Option<&mut Queue> {
        match &mut self.destination {
            Destination::Stream(queue) => Some(queue),
            _ => None,
        }
    }
}
