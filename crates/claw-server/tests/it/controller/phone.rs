//! A front end that is cut off and comes again.

use std::time::Duration;

use claw_server::{Controller, SequencedMessage, UiMessage, UiProjection, Watch};
use tokio::sync::mpsc;

use crate::laws::shown_text;
use crate::reconnecting::Client;

const LONG: Duration = Duration::from_secs(20);

/// A front end that follows the rule, on one connection after the other.
pub(crate) struct Phone {
    session: i64,
    pub(crate) client: Client<UiMessage>,
    connection: Option<mpsc::Receiver<SequencedMessage<UiMessage>>>,
}

impl Phone {
    pub(crate) fn new(session: i64) -> Self {
        Self {
            session,
            client: Client::new(),
            connection: None,
        }
    }

    /// Connects, for the first time or again.
    pub(crate) async fn connect(&mut self, controller: &Controller) -> Watch {
        self.connection = None;
        let (sink, messages) = mpsc::channel(1024);
        let dialect = UiProjection::new(self.session);
        let after = self.client.cut();
        let watch = controller
            .resume(self.session, after, dialect, sink)
            .await
            .unwrap();
        self.connection = Some(messages);
        watch
    }

    /// Takes messages up to one of a kind, and is cut off there.
    pub(crate) async fn until(&mut self, is_it: impl Fn(&UiMessage) -> bool) {
        let connection = self.connection.as_mut().unwrap();
        loop {
            let next = tokio::time::timeout(LONG, connection.recv()).await;
            let said = next.expect("nothing came for a long time").unwrap();
            let done = is_it(&said.message);
            self.client.take(said);
            if done {
                return;
            }
        }
    }

    /// The text of the first turn, and the names of all else, in order.
    pub(crate) fn screen(&self) -> (String, Vec<&str>) {
        screen(self.client.messages())
    }
}

pub(crate) fn screen<'a>(
    messages: impl Iterator<Item = &'a UiMessage> + Clone,
) -> (String, Vec<&'a str>) {
    let text = shown_text(messages.clone()).unwrap().remove(&1);
    let is_piece = |name: &&str| matches!(*name, "TextChunk" | "TextRetracted");
    let names = messages.map(UiMessage::name);
    let others = names.filter(|name| !is_piece(name)).collect();
    (text.unwrap_or_default(), others)
}

pub(crate) fn is(name: &'static str) -> impl Fn(&UiMessage) -> bool {
    move |message| message.name() == name
}
