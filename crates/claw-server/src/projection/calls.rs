//! Which tools run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The calls of tools that have begun and not ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Calls(BTreeMap<String, OpenCall>);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct OpenCall {
    /// The call that started the subagent whose call this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A call began; whether that is news.
    pub(super) fn begin(&mut self, id: &str, parent: Option<&str>) -> bool {
        if self.0.contains_key(id) {
            return false;
        }
        let parent = parent.map(str::to_owned);
        self.0.insert(id.to_owned(), OpenCall { parent });
        true
    }

    /// A call ended; whether it was open.
    pub(super) fn end(&mut self, id: &str) -> bool {
        self.0.remove(id).is_some()
    }

    /// Takes out the calls of the subagent that a call started, and of its subagents.
    pub(super) fn end_below(&mut self, id: &str) -> Vec<String> {
        self.take(|calls, open| calls.is_below(open, id))
    }

    /// Takes out the calls that end with a turn: its own, and those of subagents that it waits
    /// for. What runs in the background has no open call above it.
    pub(super) fn end_of_turn(&mut self) -> Vec<String> {
        self.take(|calls, open| calls.is_waited_for(open))
    }

    /// Takes out all of them.
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
            self.0.remove(id);
        }
        ids
    }

    fn is_below(&self, open: &OpenCall, id: &str) -> bool {
        self.ancestors(open).any(|above| above == id)
    }

    fn is_waited_for(&self, open: &OpenCall) -> bool {
        self.ancestors(open).all(|above| self.0.contains_key(above))
    }

    /// The calls above one, nearest first. A call that is above itself is a lie, and ends it.
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
        assert!(calls.begin("bash", None));
        assert!(!calls.begin("bash", None));
        assert!(calls.begin("agent", None));
        assert!(calls.begin("read", Some("agent")));
        // Its agent's call has ended: it runs in the background.
        assert!(calls.begin("grep", Some("gone")));
        assert!(calls.begin("deep", Some("grep")));
        assert_eq!(calls.end_of_turn(), ["agent", "bash", "read"]);
        assert!(!calls.end("bash"));
        assert_eq!(calls.end_below("gone"), ["deep", "grep"]);
        assert!(calls.is_empty());
    }

    #[test]
    fn calls_in_a_circle_end() {
        let mut calls = Calls::default();
        calls.begin("a", Some("b"));
        calls.begin("b", Some("a"));
        assert_eq!(calls.end_of_turn().len(), 2);
    }
}
