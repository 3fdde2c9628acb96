//! Where an application's messages come from and go to.

use rusty_claw::BoxFuture;
use tokio::sync::mpsc;

use crate::input::ControllerInputPayload;
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
pub trait EventSink: Send + 'static {
    /// Takes one message. The next one comes when it is done.
    ///
    /// Dropping the future means that the session, or its controller, is gone for good.
    fn send(&mut self, message: UiMessage) -> BoxFuture<'_, Delivery>;
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
impl EventSink for mpsc::Sender<UiMessage> {
    fn send(&mut self, message: UiMessage) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            match mpsc::Sender::send(self, message).await {
                Ok(()) => Delivery::Taken,
                Err(_) => Delivery::Closed,
            }
        })
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
