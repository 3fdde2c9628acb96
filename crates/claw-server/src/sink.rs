//! Destinations of messages, and sources of input.

use rusty_claw::BoxFuture;
use tokio::sync::mpsc;

use crate::event::{SessionEvent, TextDelta};
use crate::input::ControllerInputPayload;
use crate::projection::{MobileProjection, UiProjection};
use crate::ui_message::UiMessage;

/// Receives the messages of a session: a socket, a window, a test.
///
/// A sink may be slow. The session still handles answers and input, and continues to read when the
/// sink has caught up: no event is dropped, and the queue is bounded (see
/// [`ControllerBuilder::unsent`](crate::ControllerBuilder::unsent)). A sink that accepts nothing
/// for too long is dropped (see
/// [`ControllerBuilder::sink_timeout`](crate::ControllerBuilder::sink_timeout)).
///
/// ```
/// use claw_server::{Delivery, EventSink, UiMessage};
/// use rusty_claw::BoxFuture;
///
/// struct Printed;
///
/// impl EventSink for Printed {
///     fn send(&mut self, message: UiMessage) -> BoxFuture<'_, Delivery> {
///         Box::pin(async move {
///             println!("{}", message.name());
///             Delivery::Taken
///         })
///     }
/// }
/// ```
///
/// By default it receives [`UiMessage`]s; a sink for phones receives
/// [`MobileMessage`](crate::MobileMessage)s.
pub trait EventSink<M = UiMessage>: Send + 'static {
    /// Sends one message. The next one is sent when the future completes.
    ///
    /// The future is dropped if the watch ends first: it was stopped or left behind, or the session
    /// or its controller is gone.
    fn send(&mut self, message: M) -> BoxFuture<'_, Delivery>;
}

/// The result of sending a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a sink that is closed gets no more messages"]
pub enum Delivery {
    /// The message was accepted.
    Taken,
    /// The receiver is gone: the sink gets no more messages, and the session continues without it.
    Closed,
}

/// A channel. While it is full, the session waits.
impl<M: Send + 'static> EventSink<M> for mpsc::Sender<M> {
    fn send(&mut self, message: M) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            match mpsc::Sender::send(self, message).await {
                Ok(()) => Delivery::Taken,
                Err(_) => Delivery::Closed,
            }
        })
    }
}

/// A projection of the events of a session to the messages of a kind of client.
///
/// [`UiProjection`] and [`MobileProjection`] are provided, and [`Sequenced`](crate::Sequenced) adds
/// a cursor to any of them. Another dialect is a new type and does not affect the log.
pub trait Dialect: Send + 'static {
    /// The messages of this dialect.
    type Message: Send + 'static;

    /// Adds the messages for an event.
    fn event(&mut self, event: &SessionEvent, messages: &mut Vec<Self::Message>);

    /// Adds the messages for text that is still being written, if the dialect supports it. Then it
    /// must also implement [`is_settled`](Dialect::is_settled).
    fn delta(&mut self, delta: &TextDelta, messages: &mut Vec<Self::Message>) {
        let _ = (delta, messages);
    }

    /// Returns whether all messages so far follow from the events that were seen. They do not while
    /// text was sent that is not stored yet: no client can resume there, because the log does not
    /// have it.
    fn is_settled(&self) -> bool {
        true
    }

    /// Reports missing events and marks those up to `to` as seen: the log no longer has them.
    fn gap(&mut self, from: u64, to: u64, messages: &mut Vec<Self::Message>);

    /// Returns the sequence of the last event that was seen.
    fn sequence(&self) -> u64;
}

impl Dialect for UiProjection {
    type Message = UiMessage;

    fn event(&mut self, event: &SessionEvent, messages: &mut Vec<UiMessage>) {
        Self::event(self, event, messages);
    }

    fn delta(&mut self, delta: &TextDelta, messages: &mut Vec<UiMessage>) {
        Self::delta(self, delta, messages);
    }

    fn is_settled(&self) -> bool {
        Self::is_settled(self)
    }

    fn gap(&mut self, from: u64, to: u64, messages: &mut Vec<UiMessage>) {
        Self::gap(self, from, to, messages);
    }

    fn sequence(&self) -> u64 {
        Self::sequence(self)
    }
}

impl Dialect for MobileProjection {
    type Message = crate::MobileMessage;

    fn event(&mut self, event: &SessionEvent, messages: &mut Vec<crate::MobileMessage>) {
        Self::event(self, event, messages);
    }

    fn gap(&mut self, from: u64, to: u64, messages: &mut Vec<crate::MobileMessage>) {
        Self::gap(self, from, to, messages);
    }

    fn sequence(&self) -> u64 {
        Self::sequence(self)
    }
}

/// A source of user input, for [`Controller::serve`](crate::Controller::serve).
pub trait InputSource: Send + 'static {
    /// Waits for the next input. Returns `None` when there are no more.
    ///
    /// The future must be cancel safe: dropping it must not lose input.
    fn recv(&mut self) -> BoxFuture<'_, Option<ControllerInputPayload>>;
}

impl InputSource for mpsc::Receiver<ControllerInputPayload> {
    fn recv(&mut self) -> BoxFuture<'_, Option<ControllerInputPayload>> {
        Box::pin(mpsc::Receiver::recv(self))
    }
}
