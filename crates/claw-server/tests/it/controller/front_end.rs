//! The front end of a test, and a session that it watches.

use claw_server::{Controller, EventSink, Input, SessionId, SessionSetup, UiMessage};
use rusty_claw::Options;
use rusty_claw::permission::PermissionMode;
use serde_json::Value;
use tokio::sync::mpsc;

use super::peer::Peer;
pub(crate) use crate::front_end::FrontEnd;

impl FrontEnd {
    pub(crate) fn new() -> (Self, mpsc::Sender<UiMessage>) {
        Self::holding(1024)
    }

    /// Reads messages up to the first that fits, and returns all of them.
    pub(crate) async fn until(&mut self, fits: impl Fn(&UiMessage) -> bool) -> Vec<UiMessage> {
        let start = self.received.len();
        loop {
            let Some(message) = self.next().await else {
                panic!("the session ended: {:?}", self.received);
            };
            if fits(&message) {
                return self.received[start..].to_vec();
            }
        }
    }

    pub(crate) async fn until_complete(&mut self) -> Vec<UiMessage> {
        self.until(|message| message.name() == "Complete").await
    }

    /// Reads messages up to the first with this name, and returns it.
    pub(crate) async fn first(&mut self, name: &str) -> UiMessage {
        let messages = self.until(|message| message.name() == name).await;
        messages.into_iter().next_back().expect("at least one")
    }
}

/// The setup of a session whose CLI the test plays.
pub(crate) fn setup() -> (SessionSetup, Peer) {
    let (transport, peer) = Peer::pair();
    let options = Options::new().permission_mode(PermissionMode::Default);
    (SessionSetup::new(options).on(transport), peer)
}

/// Opens a session with one front end and a CLI that the test plays.
pub(crate) async fn open(
    controller: &Controller,
    with: impl FnOnce(SessionSetup) -> SessionSetup,
) -> (SessionId, FrontEnd, Peer) {
    let (front, sink) = FrontEnd::new();
    let (setup, mut peer) = setup();
    let setup = with(setup.sink(sink));
    let (opened, ()) = tokio::join!(controller.open(setup), peer.initialize());
    (opened.expect("the peer answers"), front, peer)
}

/// Opens a session with this as its only sink.
pub(crate) async fn open_with_sink(
    controller: &Controller,
    sink: impl EventSink,
) -> (SessionId, Peer) {
    let (setup, mut peer) = setup();
    let (opened, ()) = tokio::join!(controller.open(setup.sink(sink)), peer.initialize());
    (opened.expect("the peer answers"), peer)
}

/// Sends a prompt and begins its turn. Returns the prompt as the CLI received it.
pub(crate) async fn go(controller: &Controller, session: SessionId, peer: &mut Peer) -> Value {
    controller.input(Input::text(session, "Go")).await.unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    prompt
}

/// Sends a prompt and plays a whole turn.
pub(crate) async fn turn(controller: &Controller, session: SessionId, peer: &mut Peer) {
    controller.input(Input::text(session, "Hi")).await.unwrap();
    let prompt = peer.prompt().await;
    peer.answer(&prompt, "Hello!").await;
}
