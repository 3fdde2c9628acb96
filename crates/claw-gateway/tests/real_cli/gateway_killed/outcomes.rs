//! What the log says in the end, compared with what was acknowledged and what the model received.

use std::collections::BTreeMap;
use std::sync::Arc;

use claw_server::SessionEvent;
use claw_server::event::{Fact, TurnEnding};
use claw_testkit::real_cli::World;
use serde_json::Value;

use crate::acts::text;
use crate::history::History;

#[derive(Debug, Default)]
pub(super) struct Outcomes {
    pub(super) events: usize,
    pub(super) turns: usize,
    /// When turns that ended with the process began and ended, in milliseconds.
    pub(super) lost: Vec<(i64, i64)>,
    pub(super) processed: usize,
    /// Inputs that failed, and that the agent may have seen.
    pub(super) indeterminate: usize,
    pub(super) answered: usize,
    pub(super) withdrawn: usize,
}

impl Outcomes {
    /// Fails if the log does not have every accepted input once with one outcome, or if an outcome
    /// of an input or a turn is not what happened.
    pub(super) fn check(events: &[Arc<SessionEvent>], keys: &[String], world: &World) -> Self {
        // Numbers are dense, and no turn and no input ends twice.
        let history = History::read(events);
        let mut stored: Vec<&str> = history.inputs.iter().map(key).collect();
        let mut sent: Vec<&str> = keys.iter().map(String::as_str).collect();
        stored.sort_unstable();
        sent.sort_unstable();
        assert_eq!(stored, sent, "every accepted input is in the log once");
        assert!(history.open.is_empty(), "{:?} are open", history.open);

        let mut outcomes = Self {
            events: events.len(),
            answered: history.answered.len(),
            ..Self::default()
        };
        let requests = world.message_requests();
        let longest = requests.iter().max_by_key(|one| one.messages().len());
        let conversation = Value::from(longest.expect("a request").messages()).to_string();
        let keys: BTreeMap<_, _> = history
            .inputs
            .iter()
            .map(|one| (&one.id, key(one)))
            .collect();
        let received = |id| conversation.matches(&text(keys[id])).count();
        let mut over = 0;
        let mut result: Option<bool> = None;
        let mut started = 0;
        for event in events {
            match &event.fact {
                Fact::InputProcessed(id) => {
                    assert_eq!(received(id), 1, "{} was processed once", keys[id]);
                    outcomes.processed += 1;
                    over += 1;
                }
                Fact::InputFailed(failure) => {
                    let most = usize::from(failure.indeterminate);
                    let count = received(&failure.id);
                    assert!(
                        count <= most,
                        "{count} times in the conversation: {failure:?}"
                    );
                    outcomes.indeterminate += most;
                    over += 1;
                }
                Fact::InteractionWithdrawn(_) => outcomes.withdrawn += 1,
                Fact::TurnStarted(_) => {
                    outcomes.turns += 1;
                    started = event.at_ms;
                    result = None;
                }
                Fact::Message(line) => {
                    let line = serde_json::from_str::<Value>(&line.to_text());
                    let line = line.unwrap_or_default();
                    if line["type"] == "result" {
                        result = Some(line["is_error"] == false);
                    }
                }
                Fact::TurnEnded(ended) => {
                    let is_true = match result {
                        Some(true) => ended.ending == TurnEnding::Succeeded,
                        Some(false) => ended.ending == TurnEnding::Failed,
                        None => ended.ending == TurnEnding::ProcessLost,
                    };
                    assert!(is_true, "{event:?}, but the CLI's result is {result:?}");
                    if result.is_none() {
                        outcomes.lost.push((started, event.at_ms));
                    }
                }
                _ => {}
            }
        }
        assert_eq!(over, sent.len(), "every accepted input has an outcome");
        outcomes
    }
}

fn key(input: &claw_server::event::AcceptedInput) -> &str {
    input.key.as_deref().expect("inputs have keys")
}
