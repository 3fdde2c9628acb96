//! The state of a session, computed from its events.

use std::sync::Arc;

use rusty_claw::Detached;
use rusty_claw_protocol::{Line, Str};
use serde::{Deserialize, Serialize};

use super::call_ledger::CallLedger;
use super::queue::InputQueue;
use crate::event::{Fact, LifecycleState, Opened, SessionEvent};
use crate::event_builder::{EventBuilder, SavedBuilder};
use crate::grants::{Grant, GrantScope};
use crate::interactions::InteractionRegistry;
use crate::log::Checkpoint;
use crate::state_version::StateVersion;

/// The state of a session, computed from its events. A new owner rebuilds it from all events, or
/// from a checkpoint and the events after it.
#[derive(Debug)]
pub(super) struct SessionState {
    pub(super) builder: EventBuilder,
    pub(super) interactions: InteractionRegistry,
    pub(super) queue: InputQueue,
    pub(super) record: SessionRecord,
    pub(super) calls: CallLedger,
}

/// The settings and the grants of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SessionRecord {
    pub(super) opened: Option<Opened>,
    pub(super) cli_session_id: Option<String>,
    pub(super) lifecycle: Option<LifecycleState>,
    /// How much of the running CLI's output the events include. `None` if the CLI ends with its
    /// owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) offset: Option<u64>,
    /// The grants for this session. Those for a tenant are not restored from the log of one
    /// session: they may have been revoked elsewhere.
    pub(super) grants: Vec<Grant>,
}

/// Increase the version if an older checkpoint would be misread.
#[derive(Serialize, Deserialize)]
struct Saved {
    version: StateVersion<1>,
    builder: SavedBuilder,
    interactions: InteractionRegistry,
    queue: InputQueue,
    record: SessionRecord,
    #[serde(default)]
    calls: CallLedger,
}

impl SessionState {
    pub(super) fn new(epoch: u64) -> Self {
        Self {
            builder: EventBuilder::new(epoch),
            interactions: InteractionRegistry::new(),
            queue: InputQueue::default(),
            record: SessionRecord::default(),
            calls: CallLedger::default(),
        }
    }

    /// Restores the state for a new owner. `None` if the checkpoint has another version.
    pub(super) fn restore(epoch: u64, checkpoint: &Checkpoint) -> Option<Self> {
        let saved: Saved = match serde_json::from_str(&checkpoint.state) {
            Ok(saved) => saved,
            Err(error) => {
                tracing::info!(%error, "a checkpoint is ignored, and all events are read");
                return None;
            }
        };
        let state = Self {
            builder: EventBuilder::restore(epoch, saved.builder),
            interactions: saved.interactions,
            queue: saved.queue,
            record: saved.record,
            calls: saved.calls,
        };
        (state.builder.sequence() == checkpoint.sequence).then_some(state)
    }

    /// Returns a checkpoint; `None` if the state cannot be saved now.
    pub(super) fn save(&self) -> Option<Checkpoint> {
        let builder = self.builder.save()?;
        let saved = Saved {
            version: StateVersion,
            builder,
            interactions: self.interactions.clone(),
            queue: self.queue.clone(),
            record: self.record.clone(),
            calls: self.calls.clone(),
        };
        Some(Checkpoint {
            sequence: self.builder.sequence(),
            state: serde_json::to_string(&saved).ok()?,
        })
    }

    /// Applies consecutive events of earlier owners.
    pub(super) fn replay(&mut self, events: &[Arc<SessionEvent>]) {
        self.builder.replay_all(events);
        events.iter().for_each(|event| self.apply(event));
    }

    /// Applies an event that the builder has processed.
    pub(super) fn apply(&mut self, event: &SessionEvent) {
        self.calls.apply(&event.fact, &self.interactions);
        self.interactions.apply(&event.fact);
        self.queue.apply(&event.fact);
        self.record.apply(event);
    }

    /// Returns the state of the running CLI, to attach to it.
    pub(super) fn detached(&self) -> Detached {
        let mut detached = Detached::at(self.record.offset.unwrap_or(0));
        let open = self.queue.in_flight().iter();
        detached.open_turns = open.map(|id| Str::from(id.as_str())).collect();
        detached
    }

    /// Returns the id of the conversation, if this line reports another one than before.
    pub(super) fn new_cli_session(&self, line: &Line) -> Option<String> {
        use rusty_claw_protocol::messages::{Message, SystemMessage};
        let message = line.message()?;
        let Message::System(SystemMessage::Init { .. }) = message else {
            return None;
        };
        let id = message.session_id()?;
        (self.record.cli_session_id.as_deref() != Some(id)).then(|| id.to_owned())
    }
}

impl SessionRecord {
    fn apply(&mut self, event: &SessionEvent) {
        let fact = &event.fact;
        let starts = matches!(fact, Fact::Lifecycle(it) if it.state == LifecycleState::Starting);
        if starts || event.offset.is_some() {
            self.offset = event.offset;
        }
        match fact {
            Fact::Opened(opened) => self.opened = Some(opened.clone()),
            Fact::CliSession(id) => self.cli_session_id = Some(id.clone()),
            Fact::Lifecycle(lifecycle) => self.lifecycle = Some(lifecycle.state.clone()),
            Fact::Granted(grant) if !self.grants.contains(grant) => {
                if matches!(grant.scope, GrantScope::Session(_)) {
                    self.grants.push(grant.clone());
                }
            }
            Fact::Revoked(grant) => self.grants.retain(|one| one != grant),
            _ => {}
        }
    }

    /// Whether the last owner has not recorded its end.
    pub(super) fn was_abandoned(&self) -> bool {
        let over = [
            LifecycleState::Lost,
            LifecycleState::Closed,
            LifecycleState::Asleep,
            LifecycleState::Parked,
        ];
        self.lifecycle
            .as_ref()
            .is_some_and(|state| !over.contains(state))
    }
}

#[cfg(test)]
mod tests {
    use rusty_claw_protocol::Json;

    use super::*;
    use crate::event::{
        AcceptedInput, EndedTurn, InputId, Interaction, InteractionAnswer, InteractionId,
        InteractionKind, Lifecycle, TurnEnding,
    };
    use crate::permission::{PermissionLevel, PermissionRequest, TargetType};
    use crate::session_id::SessionId;

    fn grant(target: &str) -> Grant {
        let request = PermissionRequest {
            target_type: TargetType::Command,
            target: target.to_owned(),
            level: PermissionLevel::Execute,
            description: String::new(),
            reason: None,
            recursive: false,
        };
        Grant::for_session(&request, SessionId::from(1))
    }

    fn interaction(id: &str) -> Fact {
        let kind = InteractionKind::Permission;
        let id = InteractionId::new(id);
        Fact::InteractionOpened(Interaction::new(id, kind, Json::default()))
    }

    fn answered(id: &str, key: &str) -> Fact {
        let mut answer = InteractionAnswer::new(InteractionId::new(id), Json::default());
        answer.key = Some(key.to_owned());
        Fact::InteractionAnswered(answer)
    }

    fn input(id: &str) -> Fact {
        let mut input = AcceptedInput::new(InputId::new(id), Json::from_text_value(id));
        input.key = Some(format!("key of {id}"));
        Fact::InputAccepted(input)
    }

    fn events() -> Vec<Arc<SessionEvent>> {
        let task = r#"{"type":"system","subtype":"task_started","task_id":"t","description":"d"}"#;
        let opened = Opened {
            tenant: "ada".to_owned(),
            folder: "/srv".to_owned(),
            number: 3,
            options: Some(Json::from_text_value("opus")),
        };
        let facts = vec![
            Fact::Opened(opened),
            Fact::Lifecycle(Lifecycle::new(LifecycleState::Ready)),
            input("a"),
            input("b"),
            Fact::InputDelivered(InputId::new("a")),
            Fact::TurnStarted(vec![InputId::new("a")]),
            Fact::CliSession("5e5e".to_owned()),
            Fact::message(task),
            interaction("p1"),
            interaction("p2"),
            answered("p1", "k"),
            Fact::Granted(grant("make")),
            Fact::Granted(grant("ls")),
            Fact::Revoked(grant("ls")),
            Fact::InputProcessed(InputId::new("a")),
            Fact::TurnEnded(EndedTurn::new(TurnEnding::Succeeded)),
            Fact::InputDelivered(InputId::new("b")),
            Fact::TurnStarted(vec![InputId::new("b")]),
            Fact::InteractionWithdrawn(InteractionId::new("p2")),
        ];
        let stamp = |(fact, sequence)| Arc::new(SessionEvent::new(sequence, 1, 0, fact));
        facts.into_iter().zip(1..).map(stamp).collect()
    }

    #[test]
    fn a_checkpoint_and_the_events_after_it_give_the_same_state_as_all_events() {
        let events = events();
        let mut whole = SessionState::new(2);
        whole.replay(&events);
        let value = |state: &SessionState| -> serde_json::Value {
            serde_json::from_str(&state.save().unwrap().state).unwrap()
        };
        let whole = value(&whole);
        for split in 0..=events.len() {
            let (before, after) = events.split_at(split);
            let mut state = SessionState::new(1);
            state.replay(before);
            let saved = state.save().unwrap();
            let mut state = SessionState::restore(2, &saved).unwrap();
            state.replay(after);
            assert_eq!(value(&state), whole, "at {split}");
            assert_eq!(state.builder.epoch(), 2);
        }
    }

    #[test]
    fn a_checkpoint_of_another_version_is_ignored() {
        let saved = SessionState::new(1).save().unwrap();
        assert!(SessionState::restore(2, &saved).is_some());
        for state in [
            saved.state.replace("\"version\":1", "\"version\":2"),
            saved.state.replace("\"version\":1,", ""),
            String::new(),
        ] {
            let other = Checkpoint {
                state,
                ..saved.clone()
            };
            assert!(SessionState::restore(2, &other).is_none());
        }
    }
}
