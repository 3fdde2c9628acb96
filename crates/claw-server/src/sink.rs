//! Where an application's messages come from and go to.

use rusty_claw::BoxFuture;
use tokio::sync::mpsc;

use crate::event::{SessionEvent, TextDelta};
use crate::input::ControllerInputPayload;
use crate::projection::{MobileProjection, UiProjection};
use crate::ui_message::UiMessage;

/// Takes what a session says: a socket, a window, a test.
///
/// A sink may be as slow as it likes. The session keeps on answering prompts and taking input, and
/// reads on when the sink has caught up: nothing is dropped, and what waits is bounded (see
/// [`ControllerBuilder::unsent`](crate::ControllerBuilder::unsent)). One that takes nothing at all
/// for long is let go of (see
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
/// It takes [`UiMessage`]s unless it says otherwise; a phone's takes
/// [`MobileMessage`](crate::MobileMessage)s.
pub trait EventSink<M = UiMessage>: Send + 'static {
    /// Takes one message. The next one comes when it is done.
    ///
    /// The future is dropped when the watch is over before the message was taken: it was stopped,
    /// it was left behind, or the session or its controller is gone for good.
    fn send(&mut self, message: M) -> BoxFuture<'_, Delivery>;
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a sink that is closed gets no more messages"]
pub enum Delivery {
    /// It is taken.
    Taken,
    /// Nobody is there: the sink gets no more messages, and the session goes on without it.
    Closed,
}

/// A channel; when it is full, the session waits.
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

/// A view of a session's events, in which clients speak.
///
/// [`UiProjection`] and [`MobileProjection`] are the ones that are here, and
/// [`Sequenced`](crate::Sequenced) puts numbers to any of them; another one is a new type, and
/// changes nothing in the log.
pub trait Dialect: Send + 'static {
    /// What clients of this dialect get.
    type Message: Send + 'static;

    /// Says what an event means.
    fn event(&mut self, event: &SessionEvent, messages: &mut Vec<Self::Message>);

    /// Sends on text that is still being written, where the dialect has a way to. One that does
    /// must say when it [is settled](Dialect::is_settled).
    fn delta(&mut self, delta: &TextDelta, messages: &mut Vec<Self::Message>) {
        let _ = (delta, messages);
    }

    /// Whether all that was said follows from the events that were seen. It does not while text
    /// that was sent on is not stored: nobody can go on behind such a place, because the log knows
    /// nothing of it.
    fn is_settled(&self) -> bool {
        true
    }

    /// Says that events are missing, and takes those up to `to` as seen: the log has them no more.
    fn gap(&mut self, from: u64, to: u64, messages: &mut Vec<Self::Message>);

    /// The sequence of the last event that was seen.
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

/// Gives what users say, for [`Controller::serve`](crate::Controller::serve).
pub trait InputSource: Send + 'static {
    /// Waits for the next input; nothing when there will be no more.
    ///
    /// Dropping the future must lose no input.
    fn recv(&mut self) -> BoxFuture<'_, Option<ControllerInputPayload>>;
}

impl InputSource for mpsc::Receiver<ControllerInputPayload> {
    fn recv(&mut self) -> BoxFuture<'_, Option<ControllerInputPayload>> {
        Box::pin(mpsc::Receiver::recv(self))
    }
}
