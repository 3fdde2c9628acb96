//! What the log of a session must hold, given the operations that were acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use claw_server::SessionEvent;
use claw_server::event::{AcceptedInput, Fact, InputId, InteractionId, LifecycleState};
use claw_server::grants::Grant;

use crate::owner::Done;

/// What a log says.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The accepted inputs.
    pub(crate) inputs: Vec<AcceptedInput>,
    /// The inputs that the next owner must deliver, in order.
    pub(crate) waiting: Vec<InputId>,
    /// The interactions that are open.
    pub(crate) open: BTreeSet<InteractionId>,
    /// The answered interactions, with the keys of their answers.
    pub(crate) answered: BTreeMap<InteractionId, String>,
    /// The grants of the session.
    pub(crate) grants: Vec<Grant>,
    /// The id of the conversation.
    pub(crate) conversation: Option<String>,
    /// The number of turns that have begun.
    pub(crate) turns: usize,
    epoch: u64,
    /// Whether a call waits for an answer without a process.
    is_parked: bool,
}

impl History {
    /// Reads a log. Fails if it has a hole, or anything twice.
    pub(crate) fn read(events: &[Arc<SessionEvent>]) -> Self {
        let mut history = Self::default();
        let mut opened = 0;
        let (mut over, mut in_turn) = (BTreeSet::new(), false);
        for (event, sequence) in events.iter().zip(1..) {
            assert_eq!(event.sequence, sequence, "numbers are dense");
            assert!(
                event.epoch >= history.epoch,
                "{event:?} is of a stale owner"
            );
            history.epoch = event.epoch;
            match &event.fact {
                Fact::Opened(_) => opened += 1,
                Fact::CliSession(id) => {
                    assert_eq!(
                        history.conversation, None,
                        "the CLI resumes its conversation"
                    );
                    history.conversation = Some(id.clone());
                }
                Fact::Message(line) if line.to_text().contains(r#""subtype":"init""#) => {
                    assert!(history.conversation.is_some(), "before the first message");
                }
                Fact::TurnStarted(_) => {
                    assert!(!in_turn, "{event:?} begins in another turn");
                    in_turn = true;
                    history.turns += 1;
                }
                Fact::TurnEnded(_) => {
                    assert!(in_turn, "{event:?} ends twice");
                    in_turn = false;
                }
                Fact::Lifecycle(now) => {
                    let is_over = !in_turn && history.open.is_empty();
                    let is_start = now.state == LifecycleState::Starting;
                    assert!(
                        !is_start || is_over || history.is_parked,
                        "{event:?}: left open"
                    );
                    history.is_parked = now.state == LifecycleState::Parked;
                }
                Fact::InputAccepted(input) => {
                    let is_same = |one: &AcceptedInput| one.id == input.id || one.key == input.key;
                    assert!(!history.inputs.iter().any(is_same), "{event:?} is doubled");
                    history.waiting.push(input.id.clone());
                    history.inputs.push(input.clone());
                }
                Fact::InputDelivered(id) => {
                    let before = history.waiting.len();
                    history.waiting.retain(|one| one != id);
                    assert!(history.waiting.len() < before, "{event:?} is doubled");
                }
                Fact::InputProcessed(id) => assert!(over.insert(id.clone()), "{event:?}"),
                Fact::InputFailed(failure) => {
                    assert!(over.insert(failure.id.clone()), "{event:?} is over twice");
                    history.waiting.retain(|one| *one != failure.id);
                }
                Fact::InteractionOpened(asked) => {
                    let is_new = history.open.insert(asked.id.clone());
                    let is_new = is_new && !history.answered.contains_key(&asked.id);
                    assert!(is_new, "{event:?} is doubled");
                    let command = asked.request.get("input").and_then(|it| it.get("command"));
                    let command = command.and_then(|it| it.parse::<String>().ok());
                    let is_granted = |grant: &Grant| Some(&grant.target) == command.as_ref();
                    let is_granted = history.grants.iter().any(is_granted);
                    assert!(!is_granted, "{event:?} is asked for in spite of a grant");
                }
                Fact::InteractionAnswered(answer)
                    if !answer
                        .by
                        .as_deref()
                        .unwrap_or_default()
                        .starts_with("policy") =>
                {
                    assert!(history.open.remove(&answer.id), "{event:?}: not open");
                    let key = answer.key.clone().expect("answers have keys");
                    history.answered.insert(answer.id.clone(), key);
                }
                Fact::InteractionExpired(id) | Fact::InteractionWithdrawn(id) => {
                    assert!(history.open.remove(id), "{event:?}: not open");
                }
                Fact::Granted(grant) => {
                    assert!(!history.grants.contains(grant), "{event:?} is doubled");
                    history.grants.push(grant.clone());
                }
                Fact::Revoked(grant) => history.grants.retain(|one| one != grant),
                _ => {}
            }
        }
        assert!(opened <= 1, "opened {opened} times");
        history
    }

    /// Checks that all acknowledged operations are in the log.
    pub(crate) fn has(&self, done: &[Done]) {
        let mut granted: Vec<&Grant> = Vec::new();
        let mut epoch = 0;
        for done in done {
            match done {
                Done::Opened { epoch: next } => {
                    assert!(
                        *next > epoch && *next <= self.epoch,
                        "{done:?} after {epoch}"
                    );
                    epoch = *next;
                }
                Done::Input { key, id } => {
                    let stored = self.inputs.iter().find(|one| one.id.as_str() == id);
                    let stored = stored.and_then(|one| one.key.as_ref());
                    assert_eq!(stored, Some(key), "{done:?} is lost");
                }
                Done::Answer { call, key } => {
                    let stored = self.answered.get(&InteractionId::new(call.as_str()));
                    assert_eq!(stored, Some(key), "{done:?} is lost");
                }
                Done::Granted(grant) => granted.push(grant),
                // It may be there or not, until that is acknowledged.
                Done::Revoking(grant) => granted.retain(|one| *one != grant),
                Done::Revoked(grant) => {
                    assert!(!self.grants.contains(grant), "{done:?} is lost");
                }
                Done::Listening { .. } | Done::Prompted { .. } => {}
            }
        }
        for grant in granted {
            assert!(self.grants.contains(grant), "{grant:?} is lost");
        }
    }
}
