//! Groups of interactions that arrive together.

use crate::event::{Interaction, InteractionId, InteractionKind};

/// How long an interaction is held back at most, so that the next one can be asked with it. Too
/// short for a person to notice.
pub const GROUP_WINDOW_MS: i64 = 50;

/// How long others can join a group after its first interaction, while more are expected. The CLI
/// asks for each call of a reply when it has read it, 10 to 100 ms apart, and more on a busy
/// machine.
pub(crate) const GROWS_MS: i64 = 20 * GROUP_WINDOW_MS;

/// Groups interactions that the CLI asks one by one.
///
/// No interaction waits for a complete group: what arrives within the window is asked, and what
/// arrives later joins it. So the first may have been asked alone, without a group; the group has
/// its name, and it has index 0. Before each [`take`](Self::take), the owner passes which are still
/// pending ([`grow_while`](Self::grow_while)): nothing joins an answered one.
///
/// Times are milliseconds of the owner's clock, which should be monotonic: when a wall clock is set
/// back, interactions would be held back for as long.
///
/// ```
/// use claw_server::event::{Interaction, InteractionId, InteractionKind};
/// use claw_server::interactions::InteractionGroups;
/// use claw_server::Json;
///
/// let interaction = |id: &str| Interaction::new(InteractionId::new(id), InteractionKind::Permission, Json::default());
/// let mut groups = InteractionGroups::default();
/// groups.hold(interaction("a"), 1_000);
/// groups.hold(interaction("b"), 1_020);
/// assert_eq!(groups.due_ms(), Some(1_050));
/// assert!(groups.take(1_049).is_empty());
/// let asked = groups.take(1_050);
/// assert_eq!(asked.len(), 2);
/// assert_eq!(asked[0].group, asked[1].group);
/// // This one comes a moment later, and is the third of them.
/// groups.hold(interaction("c"), 1_060);
/// let joined = groups.take(1_110);
/// assert_eq!(joined[0].group, asked[0].group);
/// assert_eq!(joined[0].group_index, Some(2));
/// ```
#[derive(Debug, Clone, Default)]
pub struct InteractionGroups {
    /// Each with its position in the order of the requests.
    held: Vec<(u64, Interaction)>,
    /// When the first and the last of them arrived.
    since_ms: i64,
    latest_ms: i64,
    expects_more: bool,
    /// The permissions that were asked last, while others may join them.
    growing: Option<Growing>,
}

#[derive(Debug, Clone, Default)]
struct Growing {
    members: Vec<InteractionId>,
    /// When the first and the last of them arrived.
    since_ms: i64,
    latest_ms: i64,
}

impl InteractionGroups {
    /// Holds an interaction back, so that others can be asked with it.
    pub fn hold(&mut self, interaction: Interaction, now_ms: i64) {
        let last = self.held.iter().map(|(order, _)| *order).max();
        self.hold_as(last.map_or(0, |last| last + 1), interaction, now_ms);
    }

    /// Like [`hold`](Self::hold), for interactions that may arrive out of order: those with a lower
    /// number were asked before.
    pub fn hold_as(&mut self, order: u64, interaction: Interaction, now_ms: i64) {
        if self.held.is_empty() {
            self.since_ms = now_ms;
            let expects_more = self.expects_more;
            self.growing.take_if(|group| {
                let is_next = now_ms <= group.latest_ms.saturating_add(GROUP_WINDOW_MS);
                let is_late = now_ms > group.since_ms.saturating_add(GROWS_MS);
                is_late || !(is_next || expects_more)
            });
        }
        self.latest_ms = now_ms;
        self.held.push((order, interaction));
    }

    /// Sets whether more are expected because the agent still writes the message with the calls.
    /// Then later ones join those that were asked.
    pub fn expect_more(&mut self, expects_more: bool) {
        self.expects_more = expects_more;
    }

    /// Closes the group that others could join unless all of it is pending: an answered interaction
    /// is not shown again with a new one.
    pub fn grow_while(&mut self, waits: impl Fn(&InteractionId) -> bool) {
        self.growing
            .take_if(|group| !group.members.iter().all(waits));
    }

    /// Returns when to ask the held interactions, for a timer.
    #[must_use]
    pub fn due_ms(&self) -> Option<i64> {
        let due = self.since_ms.saturating_add(GROUP_WINDOW_MS);
        (!self.held.is_empty()).then_some(due)
    }

    /// Removes a held interaction that the CLI has cancelled. Returns whether it was held.
    pub fn withdraw(&mut self, id: &InteractionId) -> bool {
        let before = self.held.len();
        self.held.retain(|(_, interaction)| interaction.id != *id);
        self.held.len() < before
    }

    /// Returns the interactions to ask now, or none before the end of the window. Two or more
    /// permissions have a group, named after the first. Permissions come first, then other kinds.
    pub fn take(&mut self, now_ms: i64) -> Vec<Interaction> {
        if self.due_ms().is_none_or(|due| now_ms < due) {
            return Vec::new();
        }
        let mut held = std::mem::take(&mut self.held);
        held.sort_by_key(|(order, _)| *order);
        let held = held.into_iter().map(|(_, interaction)| interaction);
        let is_permission =
            |interaction: &Interaction| interaction.kind == InteractionKind::Permission;
        let (mut asked, others): (Vec<_>, Vec<_>) = held.partition(is_permission);
        if !asked.is_empty() {
            let since_ms = self.since_ms;
            let group = self.growing.get_or_insert_with(|| Growing {
                since_ms,
                ..Growing::default()
            });
            group.latest_ms = self.latest_ms;
            asked = group.join(asked);
        }
        asked.extend(others);
        asked
    }
}

impl Growing {
    /// Assigns interactions their places in the group, if it has more than one.
    fn join(&mut self, asked: Vec<Interaction>) -> Vec<Interaction> {
        let place = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let next = place(self.members.len());
        self.members
            .extend(asked.iter().map(|interaction| interaction.id.clone()));
        let size = place(self.members.len());
        match self.members.first() {
            Some(first) if size > 1 => (next..)
                .zip(asked)
                .map(|(index, interaction)| interaction.in_group(first.as_str(), index, size))
                .collect(),
            _ => asked,
        }
    }
}

#[cfg(test)]
mod tests {
    use rusty_claw_protocol::Json;

    use super::*;

    fn interaction(id: &str) -> Interaction {
        let (id, kind) = (InteractionId::new(id), InteractionKind::Permission);
        Interaction::new(id, kind, Json::default())
    }

    /// Each interaction, with its index, the size and the name of its group.
    fn places(asked: &[Interaction]) -> Vec<String> {
        let place = |one: &Interaction| {
            let (id, group) = (one.id.as_str(), one.group.as_deref());
            match (group, one.group_index, one.group_size) {
                (Some(group), Some(index), Some(size)) => {
                    format!("{id}: {index} of {size} in {group}")
                }
                (None, None, None) => id.to_owned(),
                other => panic!("{other:?}"),
            }
        };
        asked.iter().map(place).collect()
    }

    #[test]
    fn a_group_is_of_permissions_and_has_a_size() {
        let mut groups = InteractionGroups::default();
        groups.hold(interaction("a"), 0);
        let mut question = interaction("q");
        question.kind = InteractionKind::Question;
        groups.hold(question, 1);
        groups.hold(interaction("b"), 2);
        assert_eq!(
            places(&groups.take(52)),
            ["a: 0 of 2 in a", "b: 1 of 2 in a", "q"]
        );
    }

    #[test]
    fn a_group_is_in_the_order_of_the_requests() {
        let mut groups = InteractionGroups::default();
        for (order, id) in [(3, "c"), (1, "a"), (2, "b")] {
            groups.hold_as(order, interaction(id), 0);
        }
        let expected = ["a: 0 of 3 in a", "b: 1 of 3 in a", "c: 2 of 3 in a"];
        assert_eq!(places(&groups.take(50)), expected);
    }

    #[test]
    fn one_alone_has_no_group_and_one_taken_back_is_not_asked() {
        let mut groups = InteractionGroups::default();
        assert_eq!(groups.due_ms(), None);
        groups.hold(interaction("a"), 10);
        groups.hold(interaction("b"), 59);
        assert!(groups.withdraw(&InteractionId::new("a")));
        assert!(!groups.withdraw(&InteractionId::new("a")));
        assert_eq!(places(&groups.take(109)), ["b"]);
        assert_eq!(groups.due_ms(), None);
        // The next one starts a new window.
        groups.hold(interaction("c"), 200);
        assert_eq!(groups.due_ms(), Some(250));
    }

    #[test]
    fn nobody_waits_longer_than_the_window_and_what_comes_later_joins() {
        let mut groups = InteractionGroups::default();
        groups.expect_more(true);
        groups.hold(interaction("a"), 0);
        assert_eq!(groups.due_ms(), Some(50));
        assert_eq!(places(&groups.take(50)), ["a"]);
        groups.grow_while(|_| true);
        groups.hold(interaction("b"), 130);
        groups.expect_more(false);
        groups.hold(interaction("c"), 170);
        assert_eq!(groups.due_ms(), Some(180));
        let joined = ["b: 1 of 3 in a", "c: 2 of 3 in a"];
        assert_eq!(places(&groups.take(180)), joined);
        // The next one was not expected, but arrives within the window.
        groups.hold(interaction("d"), 220);
        assert_eq!(places(&groups.take(270)), ["d: 3 of 4 in a"]);
        groups.hold(interaction("e"), 271);
        assert_eq!(places(&groups.take(321)), ["e"]);
    }

    #[test]
    fn a_group_grows_neither_for_ever_nor_when_one_was_answered() {
        let mut groups = InteractionGroups::default();
        groups.expect_more(true);
        groups.hold(interaction("a"), 0);
        groups.take(50);
        groups.hold(interaction("b"), 1_000);
        assert_eq!(places(&groups.take(1_050)), ["b: 1 of 2 in a"]);
        groups.hold(interaction("c"), 1_001);
        assert_eq!(places(&groups.take(1_051)), ["c"]);
        groups.hold(interaction("d"), 1_100);
        groups.grow_while(|id| id.as_str() != "c");
        assert_eq!(places(&groups.take(1_150)), ["d"]);
    }
}
