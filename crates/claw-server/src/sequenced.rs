//! Messages with a cursor to resume from.

use serde::{Deserialize, Serialize};

use crate::event::{SessionEvent, TextDelta};
use crate::sink::Dialect;

/// A message, and the cursor from which its client can resume.
///
/// A client follows one rule. Messages are provisional until `after` increases; when the connection
/// breaks, discard the provisional ones and [resume](crate::Controller::resume) from the last
/// cursor that increased (from 0 if none did).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequencedMessage<M> {
    /// The message.
    pub message: M,
    /// The sequence of the last event that was sent completely.
    pub after: u64,
}

/// Adds a cursor to the messages of a dialect, and resumes from one.
///
/// The cursor increases with the last message of an event, and only while [`Dialect::is_settled`]
/// holds: text that was sent while it was being written is in no log, so all messages between its
/// first delta and the event that completes it are provisional. To resume, the dialect processes
/// all events from the beginning, so that it has the open tools and texts, and its messages up to
/// the cursor are discarded.
///
/// Pure, like its dialect: without a controller, for example when the session has ended, read the
/// log through it yourself.
///
/// ```
/// use claw_server::event::{Fact, Lifecycle, LifecycleState};
/// use claw_server::{Dialect as _, Sequenced, SessionEvent, UiProjection};
///
/// let log: Vec<SessionEvent> = [LifecycleState::Starting, LifecycleState::Ready]
///     .into_iter()
///     .zip(1..)
///     .map(|(state, sequence)| SessionEvent::new(sequence, 1, 0, Fact::Lifecycle(Lifecycle::new(state))))
///     .collect();
///
/// let mut messages = Vec::new();
/// Sequenced::new(UiProjection::new(7), 0).event(&log[0], &mut messages);
/// let after = messages[0].after;
/// assert_eq!(after, 1);
/// // The connection breaks. Somebody else goes on, from the log.
/// messages.clear();
/// let mut resumed = Sequenced::new(UiProjection::new(7), after);
/// for event in &log {
///     resumed.event(event, &mut messages);
/// }
/// assert_eq!(messages.len(), 1, "what was seen is not said again");
/// assert_eq!(messages[0].after, 2);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sequenced<D> {
    dialect: D,
    /// The client's cursor: the one it resumed from, or the last one sent.
    after: u64,
    /// Missing events up to the cursor, which are reported where the client resumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forgotten: Option<(u64, u64)>,
}

impl<D: Dialect> Sequenced<D> {
    /// For a client that has received everything up to `after`; 0 if it has seen nothing.
    ///
    /// The dialect is new, or was saved at or before that cursor: it does not repeat what it has
    /// seen.
    pub fn new(dialect: D, after: u64) -> Self {
        Self {
            dialect,
            after,
            forgotten: None,
        }
    }

    /// Returns the dialect in its current state.
    pub(crate) fn dialect(&self) -> &D {
        &self.dialect
    }

    /// Adds cursors to the messages for the events up to `reached`.
    fn say(
        &mut self,
        reached: u64,
        said: Vec<D::Message>,
        messages: &mut Vec<SequencedMessage<D::Message>>,
    ) {
        let last = said.len().saturating_sub(1);
        for (place, message) in said.into_iter().enumerate() {
            // Only the last message completes the event, so only there the cursor increases.
            if place == last && self.dialect.is_settled() {
                self.after = self.after.max(reached);
            }
            let after = self.after;
            messages.push(SequencedMessage { message, after });
        }
    }

    fn missing(&mut self, from: u64, to: u64, messages: &mut Vec<SequencedMessage<D::Message>>) {
        let mut said = Vec::new();
        if to > self.after {
            // Events that the client has seen are not missing.
            let from = from.max(self.after.saturating_add(1));
            self.forgotten = None;
            self.dialect.gap(from, to, &mut said);
            self.say(to, said, messages);
        } else {
            // Work that started in the gap is unknown, so the client is notified, but only where it
            // resumes: positions in a text restart after a gap.
            let (first, _) = self.forgotten.unwrap_or((from, to));
            self.forgotten = Some((first, to));
            self.dialect.gap(from, to, &mut said);
            self.go_on(to, messages);
        }
    }

    /// Reports the gap once the events up to the client's cursor are processed.
    fn go_on(&mut self, reached: u64, messages: &mut Vec<SequencedMessage<D::Message>>) {
        if reached >= self.after
            && let Some((from, to)) = self.forgotten.take()
        {
            let mut said = Vec::new();
            self.dialect.gap(from, to, &mut said);
            self.say(to, said, messages);
        }
    }
}

impl<D: Dialect> Dialect for Sequenced<D> {
    type Message = SequencedMessage<D::Message>;

    fn event(&mut self, event: &SessionEvent, messages: &mut Vec<Self::Message>) {
        let seen = self.dialect.sequence();
        if event.sequence > seen.saturating_add(1) {
            self.missing(seen + 1, event.sequence - 1, messages);
        }
        let mut said = Vec::new();
        self.dialect.event(event, &mut said);
        if event.sequence > self.after {
            self.say(event.sequence, said, messages);
        } else {
            self.go_on(event.sequence, messages);
        }
    }

    fn delta(&mut self, delta: &TextDelta, messages: &mut Vec<Self::Message>) {
        if self.dialect.sequence() < self.after {
            // A log may deliver recent deltas again, before events that the client has seen. Those
            // events have the text.
            return;
        }
        let mut said = Vec::new();
        self.dialect.delta(delta, &mut said);
        let after = self.after;
        messages.extend(
            said.into_iter()
                .map(|message| SequencedMessage { message, after }),
        );
    }

    fn is_settled(&self) -> bool {
        self.dialect.is_settled()
    }

    fn gap(&mut self, from: u64, to: u64, messages: &mut Vec<Self::Message>) {
        self.missing(from, to, messages);
    }

    fn sequence(&self) -> u64 {
        self.dialect.sequence()
    }
}
