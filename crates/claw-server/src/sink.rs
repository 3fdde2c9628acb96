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
/// [`ControllerBuilder::unsent`](crate::ControllerBuilder::unsent)).
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
    /// Dropping the future means that the session, or its controller, is gone for good.
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
/// [`UiProjection`] and [`MobileProjection`] are the ones that are here; another one is a new type,
/// and changes nothing in the log.
pub trait Dialect: Send + 'static {
    /// What clients of this dialect get.
    type Message: Send + 'static;

    /// Says what an event means.
    fn event(&mut self, event: &SessionEvent, messages: &mut Vec<Self::Message>);

    /// Sends on text that is still being written, where the dialect has a way to.
    fn delta(&mut self, delta: &TextDelta, messages: &mut Vec<Self::Message>) {
        let _ = (delta, messages);
    }

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

    fn sequence(&self) -> u64 {
        Self::sequence(self)
    }
}

impl Dialect for MobileProjection {
    type Message = crate::MobileMessage;

    fn event(&mut self, event: &SessionEvent, messages: &mut Vec<crate::MobileMessage>) {
        Self::event(self, event, messages);
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
