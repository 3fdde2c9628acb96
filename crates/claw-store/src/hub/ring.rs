//! The latest events and deltas of a session.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use crate::{Event, Live, Owner, ReadLimit, StoreError};

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

fn size(item: &Live) -> usize {
    match item {
        Live::Event(event) => event.body.len(),
        Live::Delta(delta) => delta.body.len(),
        _ => 0,
    }
}

/// Items stay until all followers have passed them, within the limit.
#[derive(Default)]
pub(super) struct Ring {
    /// Events and deltas.
    items: VecDeque<Live>,
    /// The position of the first item.
    pub(super) first: u64,
    bytes: usize,
    /// How many followers are at each position.
    followers: BTreeMap<u64, usize>,
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
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.bytes == 0
    }

    /// Adds a follower. Returns its position, which is the end.
    pub(super) fn enter(&mut self) -> u64 {
        let end = self.end_position();
        *self.followers.entry(end).or_default() += 1;
        end
    }

    pub(super) fn end_position(&self) -> u64 {
        self.first + self.items.len() as u64
    }

    /// Removes a follower.
    pub(super) fn leave(&mut self, position: u64) {
        if let Entry::Occupied(mut count) = self.followers.entry(position) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
        let passed = self.followers.keys().next().copied();
        while !self.items.is_empty() && passed.is_none_or(|position| position > self.first) {
            self.pop();
        }
        if self.items.is_empty() && self.items.capacity() > 4 * IDLE {
            self.items.shrink_to(IDLE);
        }
    }

    /// Moves a follower from one position to another one, also back.
    pub(super) fn pass(&mut self, from: u64, to: u64) {
        *self.followers.entry(to).or_default() += 1;
        self.leave(from);
    }

    fn pop(&mut self) {
        if let Some(item) = self.items.pop_front() {
            self.bytes -= size(&item);
            self.first += 1;
        }
    }

    pub(super) fn push(&mut self, item: Live) {
        self.bytes += size(&item);
        self.items.push_back(item);
        // The latest item stays, even if it is too large.
        while self.items.len() > 1 && (self.items.len() > LIMIT.events || self.bytes > LIMIT.bytes)
        {
            self.pop();
        }
    }

    /// Adds the events that follow the last one. Of other events, only `head` is updated.
    pub(super) fn push_events(&mut self, events: &[Event]) {
        for event in events {
            self.head = self.head.max(event.sequence);
            if self.is_attached && event.sequence == self.last + 1 {
                self.last = event.sequence;
                self.push(Live::Event(event.clone()));
            }
        }
    }

    /// Adds events that the engine has just stored. A large batch would evict its own first events
    /// before followers receive them, so it is read from the log in parts.
    pub(super) fn push_batch(&mut self, events: &[Event]) {
        let size = || events.iter().map(|event| event.body.len()).sum::<usize>();
        if events.len() <= 1 || events.len() <= PART.events && size() <= PART.bytes {
            self.push_events(events);
        } else if let Some(event) = events.last() {
            self.head = self.head.max(event.sequence);
        }
    }

    pub(super) fn get(&self, position: u64) -> Option<&Live> {
        let index = usize::try_from(position.checked_sub(self.first)?).ok()?;
        self.items.get(index)
    }

    pub(super) fn has_hole(&self) -> bool {
        self.head > self.last
    }

    /// Returns the highest epoch that was announced.
    pub(super) fn epoch(&self) -> u64 {
        self.owner.as_ref().map_or(0, |owner| owner.epoch)
    }

    /// Returns the position at which a follower that has the events up to `last` can continue, if
    /// the ring has all later ones. Deltas that are older than the event are skipped.
    pub(super) fn join(&self, last: u64) -> Option<u64> {
        let mut position = self.first;
        let mut lowest = self.last + 1;
        for (item, next) in self.items.iter().zip(self.first + 1..) {
            if let Live::Event(event) = item {
                lowest = lowest.min(event.sequence);
                if event.sequence <= last {
                    position = next;
                }
            }
        }
        (lowest <= last.saturating_add(1)).then_some(position)
    }
}
