//! Messages that belong to no session.

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::sink::{Delivery, EventSink};
use crate::ui_message::UiMessage;

/// Maximum number of queued messages. If a sink falls behind, the oldest are dropped, so that no
/// sink blocks the controller.
pub(super) const MOST_NOTICES: usize = 64;

/// Sends messages that belong to no session.
#[derive(Debug, Clone)]
pub(super) struct Notices(broadcast::Sender<UiMessage>);

impl Default for Notices {
    fn default() -> Self {
        Self(broadcast::Sender::new(MOST_NOTICES))
    }
}

impl Notices {
    pub(super) fn subscribe(&self) -> broadcast::Receiver<UiMessage> {
        self.0.subscribe()
    }

    /// Reports a failure. Without a sink it is dropped; the affected caller receives its own error.
    pub(super) fn error(&self, message: String) {
        let session_id = None;
        let _ = self.0.send(UiMessage::Error {
            message,
            session_id,
        });
    }

    pub(super) fn system(&self, message: String) {
        let session_id = None;
        let _ = self.0.send(UiMessage::System {
            message,
            session_id,
        });
    }

    /// Forwards messages that are sent from now on, until the sink is closed or no more can be sent.
    pub(super) fn forward<S: EventSink>(
        &self,
        mut sink: S,
    ) -> impl Future<Output = ()> + Send + use<S> {
        let mut notices = self.subscribe();
        async move {
            loop {
                let message = match notices.recv().await {
                    Ok(message) => message,
                    Err(RecvError::Lagged(lost)) => UiMessage::System {
                        message: format!("{lost} messages were dropped: this sink is too slow"),
                        session_id: None,
                    },
                    Err(RecvError::Closed) => return,
                };
                if sink.send(message).await == Delivery::Closed {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Controller;
    use super::*;

    #[tokio::test]
    async fn slow_sink_receives_the_number_of_dropped_messages() {
        let controller = Controller::builder().build();
        let (sink, mut messages) = tokio::sync::mpsc::channel(1);
        let forwarding = controller.notices(sink);
        for number in 0..MOST_NOTICES + 3 {
            controller.shared.notices.error(number.to_string());
        }
        tokio::spawn(forwarding);
        let text = |message| match message {
            Some(UiMessage::System {
                message,
                session_id: None,
            }) => format!("system {message}"),
            Some(UiMessage::Error {
                message,
                session_id: None,
            }) => format!("error {message}"),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            text(messages.recv().await),
            "system 3 messages were dropped: this sink is too slow"
        );
        assert_eq!(text(messages.recv().await), "error 3");
        drop(controller);
        let mut count = 1;
        while let Some(message) = messages.recv().await {
            text(Some(message));
            count += 1;
        }
        assert_eq!(count, MOST_NOTICES);
    }
}
