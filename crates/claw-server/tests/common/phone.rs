//! A front end that loses its connection and resumes.

use std::collections::BTreeMap;
use std::fmt::Debug;

use claw_server::{Controller, SequencedMessage, SessionId, UiMessage, UiProjection, Watch};
use tokio::sync::mpsc;

use crate::front_end::TIMEOUT;

/// The messages of a client. Those that arrived after the cursor last rose are provisional: a
/// client that is cut off drops them and resumes from the cursor.
#[derive(Debug)]
pub(crate) struct Client<M> {
    kept: Vec<M>,
    provisional: Vec<M>,
    pub(crate) after: u64,
}

impl<M> Client<M> {
    pub(crate) fn new() -> Self {
        Self::resumed(Vec::new(), 0)
    }

    /// A client that was cut off with these messages, and resumes from this cursor.
    pub(crate) fn resumed(kept: Vec<M>, after: u64) -> Self {
        let provisional = Vec::new();
        Self {
            kept,
            provisional,
            after,
        }
    }

    pub(crate) fn take(&mut self, received: SequencedMessage<M>) {
        self.provisional.push(received.message);
        if received.after > self.after {
            self.after = received.after;
            self.kept.append(&mut self.provisional);
        }
    }

    /// Drops provisional messages. Returns the cursor to resume from.
    pub(crate) fn cut(&mut self) -> u64 {
        self.provisional.clear();
        self.after
    }

    /// All messages that it shows.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &M> + Clone {
        self.kept.iter().chain(&self.provisional)
    }
}

/// A message that a screen is made of.
pub(crate) trait Shown: Clone + PartialEq + Debug + Send + 'static {
    /// Whether it is a piece of text, of which only the sum is compared.
    fn is_piece(&self) -> bool;

    /// The text of each turn.
    fn text(messages: &[&Self]) -> Result<BTreeMap<u64, String>, String>;
}

impl Shown for UiMessage {
    fn is_piece(&self) -> bool {
        matches!(self, Self::TextChunk { .. } | Self::TextRetracted { .. })
    }

    fn text(messages: &[&Self]) -> Result<BTreeMap<u64, String>, String> {
        shown_text(messages.iter().copied())
    }
}

/// The text on the screen of a client, by turn.
pub(crate) fn shown_text<'a>(
    messages: impl IntoIterator<Item = &'a UiMessage>,
) -> Result<BTreeMap<u64, String>, String> {
    let mut turns = BTreeMap::<u64, String>::new();
    for message in messages {
        match message {
            UiMessage::TextChunk { text, turn_id, .. } => {
                turns.entry(turn_id.sequence).or_default().push_str(text);
            }
            UiMessage::TextRetracted {
                offset,
                length,
                turn_id,
                ..
            } => {
                let text = turns.entry(turn_id.sequence).or_default();
                let range = *offset as usize..(offset + length) as usize;
                if text.get(range.clone()).is_none() {
                    return Err(format!("nothing to retract at {range:?} of {text:?}"));
                }
                text.replace_range(range, "");
            }
            _ => {}
        }
    }
    turns.retain(|_, text| !text.is_empty());
    Ok(turns)
}

/// Fails if a client does not show what these messages show: the same text in every turn, and the
/// same other messages in the same order.
pub(crate) fn same<M: Shown>(client: &Client<M>, all: &[&M]) -> Result<(), String> {
    let shown: Vec<&M> = client.messages().collect();
    let (text, wanted) = (M::text(&shown)?, M::text(all)?);
    if text != wanted {
        return Err(format!("the text is {text:?}, not {wanted:?}"));
    }
    let mut shown = shown.into_iter().filter(|message| !message.is_piece());
    let mut wanted = all.iter().filter(|message| !message.is_piece());
    loop {
        match (shown.next(), wanted.next()) {
            (None, None) => return Ok(()),
            (shown, wanted) if shown == wanted.copied() => {}
            (shown, wanted) => return Err(format!("{shown:?} in place of {wanted:?}")),
        }
    }
}

/// A client on one connection after the other.
pub(crate) struct Phone {
    session: SessionId,
    pub(crate) client: Client<UiMessage>,
    connection: mpsc::Receiver<SequencedMessage<UiMessage>>,
}

impl Phone {
    pub(crate) fn new(session: SessionId) -> Self {
        Self {
            session,
            client: Client::new(),
            connection: mpsc::channel(1).1,
        }
    }

    pub(crate) fn disconnect(&mut self) {
        self.connection.close();
    }

    /// Connects, for the first time or again.
    pub(crate) async fn connect(&mut self, controller: &Controller) -> Watch {
        self.disconnect();
        let (sink, messages) = mpsc::channel(1024);
        let dialect = UiProjection::new(1);
        let after = self.client.cut();
        let watch = controller.resume(self.session, after, dialect, sink).await;
        self.connection = messages;
        watch.expect("the session runs")
    }

    /// Takes messages up to the first that fits.
    pub(crate) async fn until(&mut self, fits: impl Fn(&UiMessage) -> bool) {
        loop {
            let next = tokio::time::timeout(TIMEOUT, self.connection.recv()).await;
            let Ok(Some(next)) = next else {
                panic!("the message never came, after {:?}", self.client);
            };
            let done = fits(&next.message);
            self.client.take(next);
            if done {
                return;
            }
        }
    }
}

pub(crate) fn is(name: &'static str) -> impl Fn(&UiMessage) -> bool {
    move |message| message.name() == name
}
