//! How much of a log is read at once.

use std::sync::Arc;

use super::weight::weight;
use crate::event::SessionEvent;

/// How much a log gives at once to somebody who reads it: a session may have lines of many
/// megabytes, and whoever reads behind it holds a page of them in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit {
    /// How many events at the most.
    pub events: usize,
    /// About how many bytes of memory they take at the most. One event is given whatever it takes,
    /// so that the reader gets on.
    pub bytes: usize,
}

impl PageLimit {
    /// Everything, for a reader who keeps all of it anyway.
    pub const ALL: Self = Self::events(usize::MAX);

    /// So many events, whatever they take.
    pub const fn events(events: usize) -> Self {
        Self {
            events,
            bytes: usize::MAX,
        }
    }

    /// The same, with so many bytes at the most.
    #[must_use]
    pub const fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// The page that begins with these events. A log that gets them from elsewhere one by one gets
    /// one too many at the most.
    pub fn page(
        &self,
        events: impl IntoIterator<Item = Arc<SessionEvent>>,
    ) -> Vec<Arc<SessionEvent>> {
        let mut bytes: usize = 0;
        let mut fits = |place: usize, event: &SessionEvent| {
            bytes = bytes.saturating_add(weight(event));
            place == 0 || bytes <= self.bytes
        };
        let events = events.into_iter().take(self.events).enumerate();
        let page = events.take_while(|(place, event)| fits(*place, event));
        page.map(|(_, event)| event).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Fact;

    fn event((sequence, bytes): (u64, usize)) -> Arc<SessionEvent> {
        let line = vec![b' '; bytes];
        Arc::new(SessionEvent::new(sequence, 1, 0, Fact::message(line)))
    }

    #[test]
    fn a_page_ends_with_the_first_limit_and_has_one_event_at_least() {
        let light = weight(&event((1, 0)));
        let events = [(1, 5_000), (2, 0), (3, 0), (4, 5_000), (5, 0)].map(event);
        let table = [
            (PageLimit::ALL, 0, 5),
            (PageLimit::events(2), 0, 2),
            (PageLimit::events(0), 0, 0),
            (PageLimit::ALL.bytes(0), 0, 1),
            (PageLimit::ALL.bytes(4_000), 0, 1),
            (PageLimit::ALL.bytes(5_000 + 2 * light), 0, 2),
            (PageLimit::ALL.bytes(5_000 + 3 * light), 0, 3),
            (PageLimit::ALL.bytes(4_000), 1, 2),
            (PageLimit::events(1).bytes(4_000), 1, 1),
        ];
        for (limit, from, count) in table {
            let page = limit.page(events[from..].iter().cloned());
            assert_eq!(page.len(), count, "{limit:?} from {from}");
        }
    }
}
