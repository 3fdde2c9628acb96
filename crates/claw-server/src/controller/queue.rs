//! The inputs that wait for the agent. Pure: returns what to do, and does nothing itself.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::ControllerError;
use super::input::{Input, InputReceipt};
use crate::event::{AcceptedInput, Fact, InputId, InputMode};
use crate::input::{Role, TurnId};

/// Number of idempotency keys that are kept.
pub(super) const KEYS: usize = 1024;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct InputQueue {
    /// Stored but not sent, in the order of arrival.
    waiting: VecDeque<AcceptedInput>,
    /// Sent, and neither processed nor failed.
    in_flight: Vec<InputId>,
    /// The receipt of a key's input, and a hash of its content and mode.
    keys: HashMap<String, (InputReceipt, u64)>,
    /// The turn sequences of open inputs.
    sequences: HashMap<InputId, u64>,
    /// The highest sequence of an input that reached, or may have reached, the agent.
    seen_sequence: u64,
    order: VecDeque<String>,
    /// The turn that an interrupt was requested for. A new owner runs another process.
    #[serde(skip)]
    stopped: Option<u64>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Next {
    Send(AcceptedInput),
    /// Interrupt the running turn for an urgent input.
    Interrupt,
    Wait,
}

impl InputQueue {
    /// Checks whether an input is accepted. Returns the receipt of the earlier input with the same
    /// key, if there is one.
    pub(super) fn check(
        &self,
        input: &Input,
        limit: usize,
    ) -> Result<Option<InputReceipt>, ControllerError> {
        if let Some(key) = &input.key
            && let Some((receipt, before)) = self.keys.get(key)
        {
            if *before != fingerprint(input.content.text(), &input.mode) {
                return Err(ControllerError::KeyReused {
                    key: key.to_owned(),
                });
            }
            return Ok(Some(receipt.clone()));
        }
        if let Some(TurnId { role, sequence }) = &input.turn_id {
            if *role != Role::User {
                let role = role.clone();
                return Err(ControllerError::NotUserTurn { role });
            }
            let open = self.sequences.values().copied();
            let last = open.fold(self.seen_sequence, u64::max);
            if *sequence <= last {
                let sequence = *sequence;
                return Err(ControllerError::StaleTurn { sequence, last });
            }
        }
        if self.waiting.len() + self.in_flight.len() >= limit.saturating_add(1) {
            return Err(ControllerError::QueueFull { limit });
        }
        Ok(None)
    }

    pub(super) fn apply(&mut self, fact: &Fact) {
        match fact {
            Fact::InputAccepted(input) => {
                if let Some(key) = &input.key {
                    self.remember(key, input);
                }
                if let Some(turn_id) = &input.turn_id {
                    self.sequences.insert(input.id.clone(), turn_id.sequence);
                }
                self.waiting.push_back(input.clone());
            }
            Fact::InputDelivered(id) => {
                let before = self.waiting.len();
                self.waiting.retain(|waiting| waiting.id != *id);
                if self.waiting.len() < before {
                    self.in_flight.push(id.clone());
                }
            }
            Fact::InputProcessed(id) => self.over(id, true),
            Fact::InputFailed(failure) => {
                self.over(&failure.id, failure.indeterminate);
                if !failure.indeterminate {
                    // The agent has not seen it, so its key can be reused.
                    self.forget_key(&failure.id);
                }
            }
            _ => {}
        }
    }

    /// Whether no sent input is open.
    pub(super) fn rests(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Whether no input waits, and no sent one is open.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.rests()
    }

    /// Returns what to do, given the running turn.
    pub(super) fn next(&mut self, turn: Option<u64>) -> Next {
        let rests = turn.is_none() && self.in_flight.is_empty();
        let at = |mode: InputMode| self.waiting.iter().position(|input| input.mode == mode);
        let urgent = at(InputMode::InterruptThenSend);
        if urgent.is_some() && !rests {
            // Steering inputs wait too: they would be interrupted together with the turn. An input
            // that was sent is interrupted when its turn starts, as is every other turn that starts
            // first.
            if turn.is_none() || self.stopped == turn {
                return Next::Wait;
            }
            self.stopped = turn;
            return Next::Interrupt;
        }
        let chosen = match urgent {
            Some(index) => Some(index),
            None if rests => (!self.waiting.is_empty()).then_some(0),
            None => at(InputMode::Steer),
        };
        match chosen.and_then(|index| self.waiting.remove(index)) {
            Some(input) => {
                self.in_flight.push(input.id.clone());
                Next::Send(input)
            }
            None => Next::Wait,
        }
    }

    /// The interrupt failed, so it is repeated.
    pub(super) fn was_not_stopped(&mut self) {
        self.stopped = None;
    }

    /// The inputs that were sent and have no outcome, in the order of sending.
    pub(super) fn in_flight(&self) -> &[InputId] {
        &self.in_flight
    }

    pub(super) fn unsent(&self) -> impl Iterator<Item = &InputId> {
        self.waiting.iter().map(|input| &input.id)
    }

    fn over(&mut self, id: &InputId, may_be_seen: bool) {
        let sequence = self.sequences.remove(id);
        if let Some(sequence) = sequence.filter(|_| may_be_seen) {
            self.seen_sequence = self.seen_sequence.max(sequence);
        }
        self.waiting.retain(|waiting| waiting.id != *id);
        self.in_flight.retain(|sent| sent != id);
    }

    fn forget_key(&mut self, id: &InputId) {
        let key = self.keys.iter().find(|(_, (of, _))| of.id == *id);
        if let Some(key) = key.map(|(key, _)| key.clone()) {
            self.keys.remove(&key);
            self.order.retain(|one| *one != key);
        }
    }

    fn remember(&mut self, key: &str, input: &AcceptedInput) {
        let print = fingerprint(input.content.text(), &input.mode);
        let receipt = InputReceipt {
            id: input.id.clone(),
            is_repeat: true,
            turn_id: input.turn_id.clone(),
        };
        let value = (receipt, print);
        if self.keys.insert(key.to_owned(), value).is_none() {
            self.order.push_back(key.to_owned());
        }
        if self.order.len() > KEYS
            && let Some(oldest) = self.order.pop_front()
        {
            self.keys.remove(&oldest);
        }
    }
}

/// A hash (FNV-1a) that is the same in every process, because it is part of checkpoints. It
/// separates content and mode by a byte that UTF-8 does not use.
fn fingerprint(content: &str, mode: &InputMode) -> u64 {
    let bytes = content.bytes().chain([0xff]).chain(mode.as_str().bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use rusty_claw_protocol::Json;

    use super::*;
    use crate::event::InputFailure;
    use crate::session_id::SessionId;

    fn queue(inputs: &[(&str, InputMode)]) -> InputQueue {
        let mut queue = InputQueue::default();
        for (id, mode) in inputs {
            let mut input = AcceptedInput::new(InputId::new(*id), Json::from_text_value(id));
            input.mode = mode.clone();
            input.key = Some(format!("key of {id}"));
            queue.apply(&Fact::InputAccepted(input));
        }
        queue
    }

    /// What the queue does until it waits, while this turn is running.
    fn steps(queue: &mut InputQueue, turn: Option<u64>) -> Vec<String> {
        let mut steps = Vec::new();
        loop {
            match queue.next(turn) {
                Next::Send(input) => steps.push(format!("send {}", input.id.as_str())),
                Next::Interrupt => steps.push("interrupt".to_owned()),
                Next::Wait => return steps,
            }
        }
    }

    #[test]
    fn inputs_wait_steer_or_make_way() {
        use InputMode::{InterruptThenSend, Queue, Steer};
        for (second, turn, wanted) in [
            (Queue, None, "send a"),
            (Queue, Some(1), ""),
            (Steer, Some(1), "send b"),
            (Steer, None, "send a, send b"),
            (InterruptThenSend, Some(1), "interrupt"),
            (InterruptThenSend, None, "send b"),
        ] {
            let mut queue = queue(&[("a", Queue), ("b", second.clone())]);
            assert_eq!(
                steps(&mut queue, turn).join(", "),
                wanted,
                "{second} {turn:?}"
            );
        }
    }

    #[test]
    fn a_mode_of_a_newer_client_waits_for_its_turn() {
        let whisper = InputMode::Unknown("Whisper".to_owned());
        let mut queue = queue(&[("x", whisper)]);
        assert_eq!(steps(&mut queue, Some(1)), [""; 0]);
        assert_eq!(steps(&mut queue, None), ["send x"]);
    }

    #[test]
    fn the_next_is_sent_when_the_one_before_is_over() {
        let mut queue = queue(&[("a", InputMode::Queue), ("b", InputMode::Queue)]);
        assert_eq!(steps(&mut queue, None), ["send a"]);
        queue.apply(&Fact::InputDelivered(InputId::new("a")));
        assert_eq!(steps(&mut queue, None), [""; 0]);
        queue.apply(&Fact::InputProcessed(InputId::new("a")));
        assert_eq!(steps(&mut queue, None), ["send b"]);
        let lost = InputFailure::new(InputId::new("b"), "lost");
        queue.apply(&Fact::InputFailed(lost));
        assert_eq!(queue.unsent().count(), 0);
    }

    #[test]
    fn making_way_stops_the_turn_once_and_goes_first() {
        let mut queue = queue(&[("a", InputMode::Queue), ("i", InputMode::InterruptThenSend)]);
        assert_eq!(queue.next(Some(1)), Next::Interrupt);
        assert_eq!(queue.next(Some(1)), Next::Wait);
        // Another turn starts first, and is interrupted too.
        assert_eq!(queue.next(Some(2)), Next::Interrupt);
        assert!(matches!(queue.next(None), Next::Send(input) if input.id.as_str() == "i"));
        queue.apply(&Fact::InputProcessed(InputId::new("i")));
        assert!(matches!(queue.next(None), Next::Send(input) if input.id.as_str() == "a"));
    }

    #[test]
    fn what_was_sent_and_has_not_begun_is_stopped_when_it_begins() {
        let mut queue = queue(&[("a", InputMode::Queue)]);
        assert_eq!(steps(&mut queue, None), ["send a"]);
        let mut urgent = AcceptedInput::new(InputId::new("i"), Json::default());
        urgent.mode = InputMode::InterruptThenSend;
        queue.apply(&Fact::InputAccepted(urgent));
        assert_eq!(queue.next(None), Next::Wait);
        assert_eq!(queue.next(Some(1)), Next::Interrupt);
        assert_eq!(queue.next(Some(1)), Next::Wait);
        queue.was_not_stopped();
        assert_eq!(queue.next(Some(1)), Next::Interrupt);
    }

    #[test]
    fn a_key_whose_input_failed_may_come_again() {
        let mut queue = queue(&[("a", InputMode::Queue), ("b", InputMode::Queue)]);
        let failed = InputFailure::new(InputId::new("a"), "closed");
        queue.apply(&Fact::InputFailed(failed));
        let unsure = InputFailure::new(InputId::new("b"), "lost").indeterminate();
        queue.apply(&Fact::InputFailed(unsure));
        let check = |key, text| queue.check(&Input::text(SessionId::from(1), text).key(key), 9);
        assert_eq!(check("key of a", "a").unwrap(), None);
        let again = check("key of b", "b").unwrap().unwrap();
        assert_eq!(again.id, InputId::new("b"));
    }

    #[test]
    fn a_key_stores_once_and_names_one_content_and_mode() {
        let queue = queue(&[("a", InputMode::Queue)]);
        let input = |text, key| Input::text(SessionId::from(1), text).key(key);
        let again = queue.check(&input("a", "key of a"), 1).unwrap().unwrap();
        assert_eq!((again.id.as_str(), again.is_repeat), ("a", true));
        let steer = input("a", "key of a").mode(InputMode::Steer);
        for other in [input("b", "key of a"), steer] {
            let other = queue.check(&other, 1).unwrap_err();
            assert!(matches!(other, ControllerError::KeyReused { .. }));
        }
        let full = queue.check(&input("b", "another"), 0).unwrap_err();
        assert!(matches!(full, ControllerError::QueueFull { limit: 0 }));
        assert_eq!(
            queue
                .check(&Input::text(SessionId::from(1), "b"), 2)
                .unwrap(),
            None
        );
    }

    #[test]
    fn a_sequence_rises_unless_its_input_failed_unseen() {
        let mut queue = InputQueue::default();
        let user = TurnId::new_user_turn;
        let check = |queue: &InputQueue, sequence| {
            let input = Input::text(SessionId::from(1), "x").turn_id(user(sequence));
            match queue.check(&input, 99) {
                Ok(_) => None,
                Err(ControllerError::StaleTurn { last, .. }) => Some(last),
                Err(other) => panic!("{other}"),
            }
        };
        assert_eq!(check(&queue, 0), Some(0), "they count from one");
        let (sequence, last) = (0, 0);
        let first = ControllerError::StaleTurn { sequence, last }.to_string();
        assert!(!first.contains("last one"), "there is none: {first}");
        for (id, sequence) in [("a", 3), ("b", 7)] {
            let mut input = AcceptedInput::new(InputId::new(id), Json::default());
            input.turn_id = Some(user(sequence));
            queue.apply(&Fact::InputAccepted(input));
        }
        assert_eq!((check(&queue, 7), check(&queue, 8)), (Some(7), None));
        let unseen = InputFailure::new(InputId::new("b"), "closed");
        queue.apply(&Fact::InputFailed(unseen));
        assert_eq!((check(&queue, 3), check(&queue, 4)), (Some(3), None));
        let unsure = InputFailure::new(InputId::new("a"), "lost").indeterminate();
        queue.apply(&Fact::InputFailed(unsure));
        assert_eq!((check(&queue, 3), check(&queue, 4)), (Some(3), None));
        assert!(queue.sequences.is_empty());
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut queue = InputQueue::default();
        for number in 0..KEYS + 10 {
            let id = InputId::new(number.to_string());
            let mut input = AcceptedInput::new(id.clone(), Json::default());
            input.key = Some(number.to_string());
            queue.apply(&Fact::InputAccepted(input));
            queue.apply(&Fact::InputProcessed(id));
        }
        assert_eq!((queue.keys.len(), queue.order.len()), (KEYS, KEYS));
        assert!(queue.waiting.is_empty() && queue.in_flight.is_empty());
    }
}
