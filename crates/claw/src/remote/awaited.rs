//! The outcome of an input.

use claw_gateway::client::EventsMessage;
use claw_server::Fact;
use claw_server::event::{InputId, LifecycleState, TurnEnding};

/// Tracks an input from its acceptance to the end of its turn.
#[derive(Debug)]
pub(super) struct Awaited {
    key: String,
    id: Option<InputId>,
    turn: Option<u64>,
}

/// How an input ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Its turn completed.
    Completed,
    /// Its turn failed, or it was not processed.
    Failed,
}

impl Awaited {
    pub(super) fn new(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            id: None,
            turn: None,
        }
    }

    /// Returns the outcome, if a message reports it.
    pub(super) fn message(&mut self, message: &EventsMessage) -> Option<Outcome> {
        let EventsMessage::Event(event) = message else {
            return None;
        };
        match &event.fact {
            Fact::InputAccepted(input) => {
                if input.key.as_ref() == Some(&self.key) {
                    self.id = Some(input.id.clone());
                }
                None
            }
            Fact::TurnStarted(inputs) => {
                if self.id.as_ref().is_some_and(|id| inputs.contains(id)) {
                    self.turn = event.turn;
                }
                None
            }
            Fact::TurnEnded(ended) if self.turn.is_some() && event.turn == self.turn => {
                match ended.ending {
                    TurnEnding::Succeeded | TurnEnding::ContinuedInBackground => {
                        Some(Outcome::Completed)
                    }
                    // The next owner of the session reports how it continues.
                    TurnEnding::Detached => None,
                    _ => Some(Outcome::Failed),
                }
            }
            // This precedes the end of the turn, which has the outcome.
            Fact::InputProcessed(id) if self.id.as_ref() == Some(id) => {
                self.turn = self.turn.or(event.turn);
                self.turn.is_none().then_some(Outcome::Completed)
            }
            Fact::InputFailed(failure) if self.id.as_ref() == Some(&failure.id) => {
                Some(Outcome::Failed)
            }
            Fact::Lifecycle(lifecycle) if lifecycle.state == LifecycleState::Closed => {
                Some(Outcome::Failed)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use claw_server::event::{AcceptedInput, EndedTurn, InputFailure};
    use claw_server::{Json, SessionEvent};

    use super::*;

    fn played(facts: Vec<(Option<u64>, Fact)>) -> Option<Outcome> {
        let mut awaited = Awaited::new("k1");
        let mut events = facts.into_iter().zip(1..).map(|((turn, fact), sequence)| {
            let event = SessionEvent::new(sequence, 1, 0, fact).turn(turn);
            EventsMessage::Event(Box::new(event))
        });
        events.find_map(|message| awaited.message(&message))
    }

    fn accepted(id: &str, key: &str) -> (Option<u64>, Fact) {
        let mut input = AcceptedInput::new(InputId::new(id), Json::default());
        input.key = Some(key.to_owned());
        (None, Fact::InputAccepted(input))
    }

    fn started(turn: u64, id: &str) -> (Option<u64>, Fact) {
        (Some(turn), Fact::TurnStarted(vec![InputId::new(id)]))
    }

    fn ended(turn: u64, ending: TurnEnding) -> (Option<u64>, Fact) {
        (Some(turn), Fact::TurnEnded(EndedTurn::new(ending)))
    }

    #[test]
    fn the_turn_of_the_input_decides() {
        let (mine, other) = (accepted("1", "k1"), accepted("2", "k2"));
        let before = || vec![other.clone(), mine.clone(), started(1, "2")];
        let first = ended(1, TurnEnding::Failed);
        assert_eq!(played([before(), vec![first.clone()]].concat()), None);
        let processed = (Some(2), Fact::InputProcessed(InputId::new("1")));
        let second = |ending| {
            let end = ended(2, ending);
            vec![first.clone(), started(2, "1"), processed.clone(), end]
        };
        for (ending, outcome) in [
            (TurnEnding::Succeeded, Some(Outcome::Completed)),
            (TurnEnding::ContinuedInBackground, Some(Outcome::Completed)),
            (TurnEnding::Detached, None),
            (TurnEnding::Interrupted, Some(Outcome::Failed)),
            (TurnEnding::ProcessLost, Some(Outcome::Failed)),
            (TurnEnding::from("new"), Some(Outcome::Failed)),
        ] {
            let all = [before(), second(ending.clone())].concat();
            assert_eq!(played(all), outcome, "{ending:?}");
        }
        let failed = |id| {
            (
                None,
                Fact::InputFailed(InputFailure::new(InputId::new(id), "")),
            )
        };
        assert_eq!(played([before(), vec![failed("2")]].concat()), None);
        let mine = played([before(), vec![failed("1")]].concat());
        assert_eq!(mine, Some(Outcome::Failed));
    }
}
