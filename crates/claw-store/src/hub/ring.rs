//! The latest events and deltas of a session.

use std::collections::VecDeque;

use crate::error::StoreError;
use crate::event::{Delta, Event, ReadLimit};
use crate::owner::Owner;

/// How far a follower may be behind before it has to read the log.
const LIMIT: ReadLimit = ReadLimit {
    events: 256,
    bytes: 1024 * 1024,
};
/// How many events are added at once, so that a follower that keeps up finds them in the ring.
pub(super) const PART: ReadLimit = ReadLimit {
    events: 128,
    bytes: 512 * 1024,
};
/// How many items an idle ring keeps space for.
const IDLE: usize = 8;

pub(super) enum Item {
    Event(Event),
    Delta(Delta),
}

impl Item {
    fn size(&self) -> usize {
        match self {
            Self::Event(event) => event.body.len(),
            Self::Delta(delta) => delta.body.len(),
        }
    }
}

/// Items stay until all followers have passed them, within the limit.
#[derive(Default)]
pub(super) struct Ring {
    /// Each with the number of followers that have not passed it.
    items: VecDeque<(Item, usize)>,
    /// The position of the first item.
    pub(super) first: u64,
    bytes: usize,
    followers: usize,
    /// Whether `last` is set.
    pub(super) is_attached: bool,
    /// The last event that was added, or the last one that was stored when the engine was attached.
    /// The events of the ring are those up to this one, without a gap.
    pub(super) last: u64,
    /// The last event that may be stored.
    pub(super) head: u64,
    pub(super) owner: Option<Owner>,
    /// Why the streams end.
    pub(super) end: Option<StoreError>,
    pub(super) is_filling: bool,
}

impl Ring {
    /// Adds a follower. Returns its position, which is the end.
    pub(super) fn enter(&mut self) -> u64 {
        self.followers += 1;
        self.end_position()
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.bytes == 0
    }

    pub(super) fn end_position(&self) -> u64 {
        self.first + self.items.len() as u64
    }

    /// Removes a follower.
    pub(super) fn leave(&mut self, position: u64) {
        self.pass(position, u64::MAX);
        self.followers -= 1;
    }

    /// Moves a follower from one position to another one, also back.
    pub(super) fn pass(&mut self, from: u64, to: u64) {
        let index = |position: u64| {
            let index = usize::try_from(position.saturating_sub(self.first));
            index.map_or(self.items.len(), |index| index.min(self.items.len()))
        };
        let (from, to) = (index(from), index(to));
        for (_, waiting) in self.items.range_mut(from..to.max(from)) {
            *waiting -= 1;
        }
        for (_, waiting) in self.items.range_mut(to..from.max(to)) {
            *waiting += 1;
        }
        while self.items.front().is_some_and(|(_, waiting)| *waiting == 0) {
            self.pop();
        }
        if self.items.is_empty() && self.items.capacity() > 4 * IDLE {
            self.items.shrink_to(IDLE);
        }
    }

    fn pop(&mut self) {
        if let Some((item, _)) = self.items.pop_front() {
            self.bytes -= item.size();
            self.first += 1;
        }
    }

    pub(super) fn push(&mut self, item: Item) {
        self.bytes += item.size();
        self.items.push_back((item, self.followers));
        // The latest item stays, even if it is too large.
        while self.items.len() > 1 && (self.items.len() > LIMIT.events || self.bytes > LIMIT.bytes)
        {
            self.pop();
        }
    }

    /// Adds the events that follow the last one. Of others, only the highest sequence is noted.
    pub(super) fn push_events(&mut self, events: &[Event]) {
        for event in events {
            self.head = self.head.max(event.sequence);
            if self.is_attached && event.sequence == self.last + 1 {
                self.last = event.sequence;
                self.push(Item::Event(event.clone()));
            }
        }
    }

    /// Adds events that the engine has just stored. A large batch would push out itself, and all
    /// followers would be behind: it is read from the log in parts.
    pub(super) fn push_batch(&mut self, events: &[Event]) {
        let size = || events.iter().map(|event| event.body.len()).sum::<usize>();
        if events.len() <= 1 || events.len() <= PART.events && size() <= PART.bytes {
            self.push_events(events);
        } else if let Some(event) = events.last() {
            self.head = self.head.max(event.sequence);
        }
    }

    pub(super) fn get(&self, position: u64) -> Option<&Item> {
        let index = usize::try_from(position.checked_sub(self.first)?).ok()?;
        self.items.get(index).map(|(item, _)| item)
    }

    pub(super) fn has_hole(&self) -> bool {
        self.head > self.last
    }

    /// Returns the highest epoch that was announced.
    pub(super) fn epoch(&self) -> u64 {
        self.owner.as_ref().map_or(0, |owner| owner.epoch)
    }

    /// Returns the position from which a follower that has the events up to `last` can go on, if
    /// the ring has all the others. Deltas that are older than the event are skipped.
    pub(super) fn join(&self, last: u64) -> Option<u64> {
        let mut position = self.first;
        let mut lowest = self.last + 1;
        for ((item, _), next) in self.items.iter().zip(self.first + 1..) {
            if let Item::Event(event) = item {
                lowest = lowest.min(event.sequence);
                if event.sequence <= last {
                    position = next;
                }
            }
        }
        (lowest <= last.saturating_add(1)).then_some(position)
    }
}
