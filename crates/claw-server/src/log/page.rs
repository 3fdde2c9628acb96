//! How much is read from a log at once.

use std::sync::Arc;

use super::weight::weight;
use crate::event::SessionEvent;

/// How much is read from a log at once: a session may have lines of many megabytes, and a reader
/// holds a whole page in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit {
    /// Maximum number of events.
    pub events: usize,
    /// Approximate maximum of the memory they take, in bytes. One event is returned whatever its
    /// size, so that the reader makes progress.
    pub bytes: usize,
}

impl PageLimit {
    /// No limit, for a reader that keeps everything anyway.
    pub const ALL: Self = Self::events(usize::MAX);

    /// A limit on the number of events alone.
    pub const fn events(events: usize) -> Self {
        Self {
            events,
            bytes: usize::MAX,
        }
    }

    /// Adds a limit in bytes.
    #[must_use]
    pub const fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Returns the page at the start of these events. Takes at most one event too many from the
    /// iterator.
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
