//! Somebody who looks at a session.

use std::time::Duration;

use claw_server::{Controller, SessionSetup, UiMessage};
use rusty_claw::Options;
use rusty_claw::permission::PermissionMode;
use tokio::sync::mpsc;

use super::peer::Peer;

const LONG: Duration = Duration::from_secs(20);

pub(crate) struct FrontEnd {
    messages: mpsc::Receiver<UiMessage>,
}

impl FrontEnd {
    pub(crate) fn new() -> (Self, mpsc::Sender<UiMessage>) {
        Self::holding(1024)
    }

    /// One that holds so many messages, and then makes the session wait.
    pub(crate) fn holding(count: usize) -> (Self, mpsc::Sender<UiMessage>) {
        let (sink, messages) = mpsc::channel(count);
        (Self { messages }, sink)
    }

    pub(crate) async fn next(&mut self) -> Option<UiMessage> {
        let next = tokio::time::timeout(LONG, self.messages.recv()).await;
        next.expect("nothing came for a long time")
    }

    /// All messages up to the first of a kind.
    pub(crate) async fn until(&mut self, is_it: impl Fn(&UiMessage) -> bool) -> Vec<UiMessage> {
        let mut seen = Vec::new();
        loop {
            let Some(message) = self.next().await else {
                panic!("the session ended: {seen:?}");
            };
            let done = is_it(&message);
            seen.push(message);
            if done {
                return seen;
            }
        }
    }

    pub(crate) async fn until_complete(&mut self) -> Vec<UiMessage> {
        self.until(|message| message.name() == "Complete").await
    }

    /// The first message of a kind.
    pub(crate) async fn first(&mut self, name: &str) -> UiMessage {
        let seen = self.until(|message| message.name() == name).await;
        seen.into_iter().next_back().expect("one at least")
    }

    /// What comes until the session is over.
    pub(crate) async fn rest(&mut self) -> Vec<UiMessage> {
        let mut seen = Vec::new();
        while let Some(message) = self.next().await {
            seen.push(message);
        }
        seen
    }
}

/// A session with one front end and a CLI played by the test.
pub(crate) async fn open(
    controller: &Controller,
    with: impl FnOnce(SessionSetup) -> SessionSetup,
) -> (i64, FrontEnd, Peer) {
    let (front, sink) = FrontEnd::new();
    let (transport, mut peer) = Peer::pair();
    let options = Options::new().permission_mode(PermissionMode::Default);
    let setup = SessionSetup::new(options).on(transport).sink(sink);
    let (opened, ()) = tokio::join!(controller.open(with(setup)), peer.initialize());
    (opened.expect("the peer answers"), front, peer)
}
