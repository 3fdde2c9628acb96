//! The messages of one turn.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use rusty_claw_protocol::{Line, Received};

use super::turn::{Turn, TurnOutcome};
use crate::query::NotAnswered;
use crate::stream::Reader;

/// The messages of one turn, in order, and then its outcome.
///
/// From [`Session::chat`](super::Session::chat) and [`Turn::messages`].
///
/// ```no_run
/// # async fn example(session: rusty_claw::Session) -> Result<(), Box<dyn std::error::Error>> {
/// let mut turn = session.chat("What is in this folder?").await?;
/// while let Some(received) = turn.next_message().await {
///     println!("{}", received.message.message_type());
/// }
/// println!("{}", turn.outcome().await);
/// # Ok(())
/// # }
/// ```
///
/// It carries what the CLI prints while the turn runs: from the receipt that the prompt was
/// started to its result, with the messages of subagents and of tasks that an earlier turn left
/// running. Receipts of other prompts, and what comes between turns, go to the session's stream.
///
/// Where the CLI answers several prompts together, the stream of the one that was started first
/// carries the messages, and the others yield only their outcome. Turns without a prompt, such as
/// those that a background task starts, go to the session's stream.
///
/// Unread messages wait in memory, then in a file, as those of a
/// [`MessageStream`](crate::MessageStream) do. Dropping the stream discards the rest of the turn's
/// messages; the turn goes on.
#[derive(Debug)]
pub struct TurnStream {
    turn: Turn,
    reader: Reader,
    /// Whether the outcome was yielded.
    is_over: bool,
}

/// What a [`TurnStream`] yields.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum TurnEvent {
    /// A message.
    Message(Box<Received>),
    /// A line that is no message, such as a text that a tool printed.
    Other(Line),
    /// What became of the prompt. The last event.
    Outcome(TurnOutcome),
}

impl TurnStream {
    pub(super) fn new(mut turn: Turn) -> Self {
        turn.slot.take();
        Self {
            reader: Reader::new(Arc::clone(&turn.slot.lane), turn.slot.number, 0),
            turn,
            is_over: false,
        }
    }

    /// The prompt's id.
    pub fn id(&self) -> &str {
        self.turn.id()
    }

    /// The next message or the outcome, or `None` after the outcome.
    ///
    /// This method is cancel safe: dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<TurnEvent> {
        std::future::poll_fn(|cx| self.poll_event(cx)).await
    }

    /// The next message, or `None` when the turn has its outcome, which [`TurnStream::outcome`]
    /// returns. Lines that are no messages are passed over.
    ///
    /// This method is cancel safe: dropping the future loses nothing.
    pub async fn next_message(&mut self) -> Option<Box<Received>> {
        loop {
            match self.next().await? {
                TurnEvent::Message(received) => return Some(received),
                TurnEvent::Other(_) => {}
                TurnEvent::Outcome(_) => return None,
            }
        }
    }

    /// Waits for the outcome. Messages that were not read are discarded.
    ///
    /// Dropping the future drops the stream.
    pub async fn outcome(self) -> TurnOutcome {
        self.turn.slot.discard();
        self.turn.await
    }

    /// Waits for the outcome and returns the final text. Messages that were not read are
    /// discarded.
    ///
    /// # Errors
    /// The prompt was not answered; the outcome says why.
    ///
    /// Dropping the future drops the stream.
    pub async fn text(self) -> Result<String, NotAnswered> {
        self.outcome().await.into_text()
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<TurnEvent>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        loop {
            match self.reader.poll_line(cx) {
                Poll::Ready(Some(Line::Message(received))) => {
                    return Poll::Ready(Some(TurnEvent::Message(received)));
                }
                Poll::Ready(Some(other)) => return Poll::Ready(Some(TurnEvent::Other(other))),
                Poll::Pending if self.reader.is_reading_back() => return Poll::Pending,
                Poll::Pending | Poll::Ready(None) => {}
            }
            if let Some(outcome) = &self.turn.resolved {
                self.is_over = true;
                return Poll::Ready(Some(TurnEvent::Outcome(outcome.clone())));
            }
            // Messages are queued before the outcome is sent. Those that came since the queue was
            // looked at above are read in the next round.
            let _ = ready!(self.turn.poll_outcome(cx));
        }
    }
}

impl Stream for TurnStream {
    type Item = TurnEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_event(cx)
    }
}
