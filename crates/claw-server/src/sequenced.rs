//! Messages that say where to go on behind them.

use serde::{Deserialize, Serialize};

use crate::event::{SessionEvent, TextDelta};
use crate::sink::Dialect;

/// A message, and where its reader goes on when the connection breaks behind it.
///
/// A client has one rule. What has come counts when `after` rises, and is provisional until then;
/// when the connection breaks, throw away what is provisional and
/// [resume](crate::Controller::resume) from the number that rose last (from 0 when none did).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequencedMessage<M> {
    /// What is said.
    pub message: M,
    /// The sequence of the last event that is said whole.
    pub after: u64,
}

/// A dialect whose messages say where to go on behind them; and one that goes on there.
///
/// The number rises with the last message of an event, and only where nothing hangs in the air:
/// text that was sent while it was being written is in no log, so what comes between its first
/// piece and the event that has it whole is provisional, whatever it is. For one who goes on, the
/// dialect is given all events from the beginning and what it says up to the number is thrown
/// away; so it knows which tools run and which text is out.
///
/// Pure, like the dialect in it: without a controller, for example when the session has ended,
/// read the log through it yourself.
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
    /// What the reader has: said by somebody else before, or the last number that was said.
    after: u64,
    /// What is missing of that: the reader is told where it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forgotten: Option<(u64, u64)>,
}

impl<D: Dialect> Sequenced<D> {
    /// For a reader who has all that is said up to `after`; 0 is one who has seen nothing.
    ///
    /// The dialect is a new one, or one that was put away at or before that place: what it has seen
    /// it does not say again.
    pub fn new(dialect: D, after: u64) -> Self {
        Self {
            dialect,
            after,
            forgotten: None,
        }
    }

    /// Hands on what the dialect said when it had taken all events up to `reached`.
    fn say(
        &mut self,
        reached: u64,
        said: Vec<D::Message>,
        messages: &mut Vec<SequencedMessage<D::Message>>,
    ) {
        let last = said.len().saturating_sub(1);
        for (place, message) in said.into_iter().enumerate() {
            // Before the last one an event is not said whole, and from before it is gone on.
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
            // Of what the reader has seen nothing is missing.
            let from = from.max(self.after.saturating_add(1));
            self.forgotten = None;
            self.dialect.gap(from, to, &mut said);
            self.say(to, said, messages);
        } else {
            // The dialect does not know what began in there, and the reader is told; but where it
            // goes on, because behind a gap places in a text are counted anew.
            let (first, _) = self.forgotten.unwrap_or((from, to));
            self.forgotten = Some((first, to));
            self.dialect.gap(from, to, &mut said);
            self.go_on(to, messages);
        }
    }

    /// Here the reader goes on, if it has all that is said up to this.
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
