//! A front end that keeps the messages it receives.

use std::time::Duration;

use claw_server::UiMessage;
use tokio::sync::mpsc;

/// The longest wait for a message.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(25);

pub(crate) struct FrontEnd {
    messages: mpsc::Receiver<UiMessage>,
    /// The messages read so far.
    pub(crate) received: Vec<UiMessage>,
}

impl FrontEnd {
    /// Creates a front end and its sink. The sink blocks while `count` messages are unread.
    pub(crate) fn holding(count: usize) -> (Self, mpsc::Sender<UiMessage>) {
        let (sink, messages) = mpsc::channel(count);
        let received = Vec::new();
        (Self { messages, received }, sink)
    }

    /// Reads the next message; `None` after the session ended.
    pub(crate) async fn next(&mut self) -> Option<UiMessage> {
        let Ok(next) = tokio::time::timeout(TIMEOUT, self.messages.recv()).await else {
            panic!("no message within {TIMEOUT:?}, after {:?}", self.received);
        };
        self.received.extend(next.clone());
        next
    }

    /// Reads all messages until the session ends.
    pub(crate) async fn rest(&mut self) -> Vec<UiMessage> {
        let start = self.received.len();
        while self.next().await.is_some() {}
        self.received[start..].to_vec()
    }
}
