//! The messages of one turn.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use rusty_claw_protocol::{Line, Received};

use super::turn::{Turn, TurnOutcome};
use crate::query::NotAnswered;
use crate::stream::Reader;

/// The messages of one turn, in order, followed by its outcome.
///
/// Created by [`Session::chat`](super::Session::chat) and [`Turn::messages`].
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
/// It yields the output of the CLI during the turn: from the receipt that the prompt was started to
/// its result, including the messages of subagents and of background tasks of earlier turns.
/// Receipts of other prompts, and messages between turns, go to the session's stream.
///
/// If the CLI answers several prompts together, the stream of the first one yields the messages,
/// and the others yield only their outcome. Turns without a prompt, such as those that a background
/// task starts, go to the session's stream.
///
/// Unread messages are kept in memory, then in a file, as for a
/// [`MessageStream`](crate::MessageStream). Dropping the stream discards the rest of the turn's
/// messages; the turn continues.
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
    /// A line that is not a message, such as text that a tool printed.
    Other(Line),
    /// The outcome of the prompt. Always the last event.
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

    /// Returns the next message or the outcome, or `None` after the outcome.
    ///
    /// This method is cancel safe: dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<TurnEvent> {
        std::future::poll_fn(|cx| self.poll_event(cx)).await
    }

    /// Returns the next message, or `None` at the end of the turn; [`TurnStream::outcome`] then
    /// returns the outcome. Lines that are not messages are skipped.
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

    /// The offset of the end of the last line that this stream delivered, in the CLI's output; 0 if
    /// it has delivered none.
    ///
    /// After the outcome, a program that reads one turn after the other and ignores the session's
    /// stream can attach to the session again from here, with
    /// [`Detached::at`](crate::Detached::at). Earlier lines that were not read are then lost.
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// Waits for the outcome. Unread messages are discarded.
    ///
    /// Dropping the future drops the stream.
    pub async fn outcome(self) -> TurnOutcome {
        self.turn.slot.discard();
        self.turn.await
    }

    /// Waits for the outcome and returns the final text. Unread messages are discarded.
    ///
    /// # Errors
    /// The prompt was not answered; the error contains the outcome.
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
            // Messages are queued before the outcome is sent. Those that arrived since the queue
            // was read above are read in the next iteration.
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
