//! Frames: what clients of every dialect receive.

use claw_server::event::Fact;
use claw_server::{
    Delivery, Dialect, EventSink, SequencedMessage, SessionEvent, SessionId, TextDelta,
};
use rusty_claw::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::mpsc;

/// A wire format that a client chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DialectName {
    /// The facts of the log, and deltas with offsets.
    Events,
    /// The lines of the CLI, as it printed them.
    StreamJson,
    /// [`UiMessage`](claw_server::UiMessage)s.
    Ui,
    /// [`MobileMessage`](claw_server::MobileMessage)s.
    Mobile,
    /// The decisions: what was shown, what was answered, and which device or rule decided.
    Audit,
}

impl DialectName {
    /// The name in requests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::StreamJson => "stream-json",
            Self::Ui => "ui",
            Self::Mobile => "mobile",
            Self::Audit => "audit",
        }
    }
}

/// A message of a session in the dialect of the client.
///
/// A client keeps what it has when `after` increases. After a disconnect it discards what came
/// since, and resumes from the last `after` that increased.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Frame {
    /// The session.
    #[schema(value_type = String)]
    pub session: SessionId,
    /// The cursor to resume from.
    pub after: u64,
    /// The message, as the dialect writes it.
    #[schema(value_type = Object)]
    pub message: Box<RawValue>,
}

/// The dialect [`DialectName::Events`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Events {
    seen: u64,
}

/// A message of [`Events`].
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum EventsMessage<'a> {
    Event(&'a SessionEvent),
    Delta(&'a TextDelta),
    Gap { from: u64, to: u64 },
}

pub(crate) fn raw(message: &impl Serialize) -> Option<Box<RawValue>> {
    to_raw_value(message).ok()
}

impl Dialect for Events {
    type Message = Box<RawValue>;

    fn event(&mut self, event: &SessionEvent, messages: &mut Vec<Self::Message>) {
        self.seen = event.sequence;
        messages.extend(raw(&EventsMessage::Event(event)));
    }

    fn delta(&mut self, delta: &TextDelta, messages: &mut Vec<Self::Message>) {
        messages.extend(raw(&EventsMessage::Delta(delta)));
    }

    fn gap(&mut self, from: u64, to: u64, messages: &mut Vec<Self::Message>) {
        self.seen = to;
        messages.extend(raw(&EventsMessage::Gap { from, to }));
    }

    fn sequence(&self) -> u64 {
        self.seen
    }
}

/// The dialect [`DialectName::StreamJson`]. It has only what the CLI printed.
#[derive(Debug, Clone, Default)]
pub(crate) struct StreamJson {
    seen: u64,
}

impl Dialect for StreamJson {
    type Message = Box<RawValue>;

    fn event(&mut self, event: &SessionEvent, messages: &mut Vec<Self::Message>) {
        self.seen = event.sequence;
        if let Fact::Message(line) = &event.fact {
            let text = line.to_text();
            // A line that is not JSON becomes a string, which the CLI never prints.
            let message = RawValue::from_string(text.clone().into_owned());
            messages.extend(message.ok().or_else(|| raw(&text)));
        }
    }

    fn gap(&mut self, _: u64, to: u64, _: &mut Vec<Self::Message>) {
        self.seen = to;
    }

    fn sequence(&self) -> u64 {
        self.seen
    }
}

/// Writes the messages of a dialect as frames.
pub(crate) struct Encoder {
    session: SessionId,
    frames: mpsc::Sender<Frame>,
}

impl Encoder {
    pub(crate) fn new(session: SessionId, frames: mpsc::Sender<Frame>) -> Self {
        Self { session, frames }
    }
}

impl<M: Serialize + Send + 'static> EventSink<SequencedMessage<M>> for Encoder {
    fn send(&mut self, sequenced: SequencedMessage<M>) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            let Some(message) = raw(&sequenced.message) else {
                return Delivery::Taken;
            };
            let frame = Frame {
                session: self.session,
                after: sequenced.after,
                message,
            };
            match self.frames.send(frame).await {
                Ok(()) => Delivery::Taken,
                Err(_) => Delivery::Closed,
            }
        })
    }
}
