//! Detects dead nodes by their renewals.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

use tokio::time::Instant;

use crate::id::NodeId;
use crate::node::{NodeRecord, NodeRef};

/// The renewals of other nodes, as seen by the monotonic clock of this one.
#[derive(Debug)]
pub(super) struct Observer {
    term: Duration,
    seen: HashMap<NodeId, Seen>,
}

#[derive(Debug)]
struct Seen {
    node: NodeRef,
    counter: u64,
    since: Instant,
}

impl Observer {
    pub(super) fn new(term: Duration) -> Self {
        let seen = HashMap::new();
        Self { term, seen }
    }

    /// Returns whether a node is dead or leaving.
    ///
    /// `read` is the time in which the record was read, and `steady` is the time since when all
    /// renewals of this node have been in time.
    pub(super) fn is_gone(
        &mut self,
        record: &NodeRecord,
        read: Range<Instant>,
        steady: Instant,
    ) -> bool {
        let seen = self.seen.entry(record.node.node.clone());
        let new = || Seen {
            node: record.node.clone(),
            counter: record.counter,
            since: read.end,
        };
        let seen = seen.or_insert_with(new);
        if (&seen.node, seen.counter) != (&record.node, record.counter) {
            *seen = new();
        }
        let counted = read.start.saturating_duration_since(seen.since.max(steady));
        record.is_leaving || counted >= self.term
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::directory::Revision;

    #[test]
    fn node_is_dead_after_a_term_without_renewal_while_the_observer_is_steady() {
        // Times are in hundredths of the term: (start and end of the read, steady since,
        // incarnation, counter, is_leaving, is dead).
        type Read = ((u64, u64), u64, u64, u64, bool, bool);
        let cases: &[&[Read]] = &[
            &[
                ((0, 5), 0, 1, 7, false, false),
                ((104, 110), 0, 1, 7, false, false),
                ((105, 106), 0, 1, 7, false, true),
            ],
            // A renewal, also by a new incarnation.
            &[
                ((0, 1), 0, 1, 7, false, false),
                ((90, 91), 0, 1, 8, false, false),
                ((190, 191), 0, 1, 8, false, false),
                ((192, 193), 0, 2, 8, false, false),
                ((292, 293), 0, 2, 8, false, false),
                ((293, 294), 0, 2, 8, false, true),
                ((294, 295), 0, 2, 9, false, false),
            ],
            // The observer's own renewals failed until 80.
            &[
                ((0, 1), 0, 1, 7, false, false),
                ((110, 111), 80, 1, 7, false, false),
                ((179, 180), 80, 1, 7, false, false),
                ((180, 181), 80, 1, 7, false, true),
            ],
            &[((0, 1), 0, 1, 7, true, true)],
        ];
        let start = Instant::now();
        let at = |time| start + Duration::from_millis(time);
        let id = NodeId::new("n").unwrap();
        for (number, reads) in cases.iter().enumerate() {
            let mut observer = Observer::new(Duration::from_millis(100));
            for ((from, to), steady, incarnation, counter, is_leaving, is_gone) in *reads {
                let record = NodeRecord {
                    node: NodeRef {
                        node: id.clone(),
                        incarnation: *incarnation,
                    },
                    counter: *counter,
                    is_leaving: *is_leaving,
                    body: Bytes::new(),
                    revision: Revision(1),
                };
                let result = observer.is_gone(&record, at(*from)..at(*to), at(*steady));
                assert_eq!(result, *is_gone, "case {number}, read at {from}");
            }
        }
    }
}
