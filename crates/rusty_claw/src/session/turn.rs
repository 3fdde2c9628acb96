//! One prompt: its handle and its messages.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use rusty_claw_protocol::{Line, Received, Str};
use tokio::sync::oneshot;

use super::end::SessionEnd;
use super::outcome::{NotAnswered, TurnOutcome};
use crate::pump::message_queues::MessageQueues;
use crate::pump::unread::TurnNumber;
use crate::stream::Reader;

/// A prompt that was sent. It has exactly one outcome.
///
/// A `Turn` is a future of its outcome, so `&mut turn` works in `select!`. For its messages, call
/// [`Turn::messages`]. Dropping it does not stop the turn; its messages go to the session's stream.
///
/// Until it is awaited or dropped, its messages are kept for [`Turn::messages`], even if the
/// session's stream was dropped. They count as unread: beyond
/// [`Options::unread_in_file`](crate::Options::unread_in_file) the CLI's output waits. If only the
/// prompt matters, drop the turn.
///
/// ```no_run
/// # async fn example(session: rusty_claw::Session) -> Result<(), Box<dyn std::error::Error>> {
/// let mut turn = session.send("Run the tests").await?;
/// tokio::select! {
///     outcome = &mut turn => println!("{outcome}"),
///     _ = tokio::signal::ctrl_c() => {
///         session.interrupt().await?;
///         println!("{}", turn.await);
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Turn {
    pub(super) id: Str,
    pub(super) outcome: oneshot::Receiver<TurnOutcome>,
    /// The outcome, once received.
    pub(super) resolved: Option<TurnOutcome>,
    pub(super) slot: TurnSlot,
}

impl Turn {
    /// The prompt's id. It identifies the prompt in messages of the CLI and in the session file,
    /// and when files are rewound.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the turn's messages as a stream that ends with the outcome.
    ///
    /// Unread messages of the turn move here from the session's stream, and later ones arrive here.
    /// Messages that the session's stream has already yielded are not repeated. If that stream is
    /// read in another task, use [`Session::chat`](super::Session::chat) instead, which takes the
    /// turn's stream before the prompt is sent. If the session's stream was dropped, call this
    /// before the turn is first polled: after that its messages are not kept.
    pub fn messages(self) -> TurnStream {
        TurnStream::new(self)
    }

    /// Waits for the outcome.
    ///
    /// Never fails: a lost process is an outcome too. Waits as long as the CLI works or waits for
    /// one of the program's callbacks; limits are set with
    /// [`Options::turn_timeout`](crate::Options::turn_timeout) and related options.
    ///
    /// [`Turn::text`] returns only the answer.
    ///
    /// Dropping the future drops the turn; await `&mut turn` to keep it.
    pub async fn outcome(self) -> TurnOutcome {
        self.await
    }

    /// Waits for the outcome and returns the final text.
    ///
    /// ```no_run
    /// # async fn example(session: rusty_claw::Session) -> Result<(), Box<dyn std::error::Error>> {
    /// println!("{}", session.send("What is in this folder?").await?.text().await?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The prompt was not answered; the error contains the outcome.
    ///
    /// Dropping the future drops the turn.
    pub async fn text(self) -> Result<String, NotAnswered> {
        self.await.into_text()
    }

    pub(super) fn poll_outcome(&mut self, cx: &mut Context<'_>) -> Poll<TurnOutcome> {
        if let Some(outcome) = &self.resolved {
            return Poll::Ready(outcome.clone());
        }
        let outcome = ready!(Pin::new(&mut self.outcome).poll(cx));
        // The pump resolves every open turn before it ends. If it is dropped with its runtime, the
        // channel closes.
        let outcome = outcome.unwrap_or_else(|_| {
            TurnOutcome::ProcessLost(Arc::new(SessionEnd::unknown(
                "the task that runs the session was dropped",
            )))
        });
        self.resolved = Some(outcome.clone());
        Poll::Ready(outcome)
    }
}

/// Resolves to the outcome. Cancel safe: polling `&mut turn` and stopping loses nothing, and
/// polling again after completion returns the outcome again.
impl Future for Turn {
    type Output = TurnOutcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.slot.leave();
        self.poll_outcome(cx)
    }
}

/// A turn's registration in the session's queues.
#[derive(Debug)]
pub(super) struct TurnSlot {
    pub(super) queues: Arc<MessageQueues>,
    pub(super) number: TurnNumber,
    /// Whether the destination of the messages is decided.
    decided: bool,
}

impl TurnSlot {
    pub(super) fn new(queues: &Arc<MessageQueues>) -> Self {
        Self {
            number: queues.add_turn(),
            queues: Arc::clone(queues),
            decided: false,
        }
    }

    /// Keeps the messages unread until [`TurnSlot::take`] or a drop.
    pub(super) fn hold(&self) {
        self.queues.hold_turn(self.number);
    }

    /// Sends the messages to the turn's own stream.
    pub(super) fn take(&mut self) {
        self.decided = true;
        self.queues.take_turn(self.number);
    }

    pub(super) fn discard(&self) {
        self.queues.forget_turn(self.number);
    }

    /// Sends the messages to the session's stream, unless the turn's stream is taken.
    fn leave(&mut self) {
        if !self.decided {
            self.decided = true;
            self.queues.leave_turn(self.number);
        }
    }
}

impl Drop for TurnSlot {
    fn drop(&mut self) {
        self.queues.forget_turn(self.number);
    }
}

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
    fn new(mut turn: Turn) -> Self {
        turn.slot.take();
        Self {
            reader: Reader::new(Arc::clone(&turn.slot.queues), turn.slot.number, 0),
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
