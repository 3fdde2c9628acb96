//! Open tool calls.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Maximum number of open calls. An agent has a handful open at once, and each of a thousand
/// subagents has its own; but the end of a background subagent's call may not be reported while its
/// process lives.
pub(super) const KEPT: usize = 1024;

/// Open tool calls, at most [`KEPT`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Calls(BTreeMap<String, OpenCall>);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct OpenCall {
    /// The call that started the subagent which made this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    /// The sequence number of the event that opened it.
    #[serde(default)]
    since: u64,
    /// The number of open child calls.
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    below: u32,
}

impl Calls {
    /// Opens a call. Returns false if it is already open.
    pub(super) fn begin(&mut self, id: &str, parent: Option<&str>, since: u64) -> bool {
        if self.0.contains_key(id) {
            return false;
        }
        if let Some(above) = parent.and_then(|parent| self.0.get_mut(parent)) {
            above.below += 1;
        }
        let open = OpenCall {
            parent: parent.map(str::to_owned),
            since,
            below: 0,
        };
        self.0.insert(id.to_owned(), open);
        true
    }

    /// If more than [`KEPT`] calls are open, removes the oldest one without open child calls. The
    /// call of a subagent thus outlives the calls of the subagent, and the end of a turn still ends
    /// everything it waits for.
    pub(super) fn crowded_out(&mut self) -> Option<String> {
        if self.0.len() <= KEPT {
            return None;
        }
        let oldest = self.0.iter();
        let oldest = oldest.min_by_key(|(_, open)| (open.below > 0, open.since));
        let id = oldest.map(|(id, _)| id.clone())?;
        self.end(&id);
        Some(id)
    }

    /// Ends a call. Returns whether it was open.
    pub(super) fn end(&mut self, id: &str) -> bool {
        let Some(open) = self.0.remove(id) else {
            return false;
        };
        if let Some(above) = open.parent.and_then(|parent| self.0.get_mut(&parent)) {
            // A call that began before its parent was not counted.
            above.below = above.below.saturating_sub(1);
        }
        true
    }

    /// Removes the calls of the subagent that a call started, and of its subagents.
    pub(super) fn end_below(&mut self, id: &str) -> Vec<String> {
        self.take(|calls, open| calls.is_below(open, id))
    }

    /// Removes the calls that end with a turn: its own, and those of subagents it waits for. The
    /// calls of background subagents have no open parent.
    pub(super) fn end_of_turn(&mut self) -> Vec<String> {
        self.take(|calls, open| calls.is_waited_for(open))
    }

    pub(super) fn end_all(&mut self) -> Vec<String> {
        self.take(|_, _| true)
    }

    fn take(&mut self, which: impl Fn(&Self, &OpenCall) -> bool) -> Vec<String> {
        let ids: Vec<String> = self
            .0
            .iter()
            .filter(|(_, open)| which(self, open))
            .map(|(id, _)| id.clone())
            .collect();
        for id in &ids {
            self.end(id);
        }
        ids
    }

    fn is_below(&self, open: &OpenCall, id: &str) -> bool {
        self.ancestors(open).any(|above| above == id)
    }

    fn is_waited_for(&self, open: &OpenCall) -> bool {
        self.ancestors(open).all(|above| self.0.contains_key(above))
    }

    /// The ancestors of a call, nearest first. Bounded, because the input may contain a cycle.
    fn ancestors<'a>(&'a self, open: &'a OpenCall) -> impl Iterator<Item = &'a str> {
        let parent_of = |id: &&'a str| self.0.get(*id).and_then(|open| open.parent.as_deref());
        std::iter::successors(open.parent.as_deref(), parent_of).take(self.0.len() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_ends_what_it_waits_for_and_leaves_the_background_alone() {
        let mut calls = Calls::default();
        assert!(calls.begin("bash", None, 1));
        assert!(!calls.begin("bash", None, 1));
        assert!(calls.begin("agent", None, 2));
        assert!(calls.begin("read", Some("agent"), 3));
        // Its agent's call has ended: it runs in the background.
        assert!(calls.begin("grep", Some("gone"), 4));
        assert!(calls.begin("deep", Some("grep"), 5));
        assert_eq!(calls.end_of_turn(), ["agent", "bash", "read"]);
        assert!(!calls.end("bash"));
        assert_eq!(calls.end_below("gone"), ["deep", "grep"]);
        assert!(calls.0.is_empty());
    }

    #[test]
    fn calls_in_a_circle_end() {
        let mut calls = Calls::default();
        calls.begin("a", Some("b"), 1);
        calls.begin("b", Some("a"), 2);
        assert_eq!(calls.end_of_turn().len(), 2);
    }

    #[test]
    fn the_oldest_call_that_waits_for_no_other_makes_room() {
        let mut calls = Calls::default();
        assert!(calls.begin("agent", None, 1));
        for number in 0..KEPT - 1 {
            // Ids do not reflect the age of a call.
            let id = format!("read {}", KEPT - number);
            assert!(calls.begin(&id, Some("agent"), 2 + number as u64));
            assert_eq!(calls.crowded_out(), None);
        }
        assert!(calls.begin("one more", Some("agent"), 5000));
        let oldest = format!("read {KEPT}");
        assert_eq!(calls.crowded_out(), Some(oldest.clone()));
        assert_eq!(calls.crowded_out(), None);
        assert!(!calls.end(&oldest), "it ended as far as the stream shows");
        assert_eq!(calls.end_of_turn().len(), KEPT);
    }

    #[test]
    fn calls_that_wait_for_each_other_make_room_all_the_same() {
        let mut chain = Calls::default();
        let mut circle = Calls::default();
        for number in 0..=KEPT {
            let before = number.checked_sub(1).map(|number| number.to_string());
            chain.begin(&number.to_string(), before.as_deref(), number as u64);
            let next = (number + 1) % (KEPT + 1);
            circle.begin(&number.to_string(), Some(&next.to_string()), number as u64);
        }
        assert_eq!(chain.crowded_out(), Some(KEPT.to_string()));
        assert!(circle.crowded_out().is_some());
    }
}
