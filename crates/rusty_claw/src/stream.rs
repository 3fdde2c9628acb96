//! Reading a session's messages.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use rusty_claw_protocol::{Line, Received};
use tokio::task::JoinHandle;

use crate::pump::message_queues::MessageQueues;
use crate::pump::queue::Front;
use crate::pump::spill::ReadAt;
use crate::pump::unread::{SESSION, TurnNumber, Unread};

/// The output of a session's CLI, in order, except for control frames and the messages of taken
/// turn streams.
///
/// Each session has one. [`Session::chat`](crate::Session::chat) and
/// [`Turn::messages`](crate::Turn::messages) return a stream for one turn, whose messages do not
/// arrive here. A program that only reads turns can drop this stream.
///
/// It can be read as slowly as you like: unread messages are kept in memory, then in a file, and
/// control requests do not wait behind them. Only if the file or the disk is full is the CLI
/// blocked until messages are read: see
/// [`Options::unread_in_file`](crate::Options::unread_in_file). Dropping the stream discards its
/// messages; the session continues.
///
/// It ends when the session has ended and everything was read.
#[derive(Debug)]
pub struct MessageStream {
    reader: Reader,
}

impl MessageStream {
    pub(crate) fn new(queues: Arc<MessageQueues>, offset: u64) -> Self {
        Self {
            reader: Reader::new(queues, SESSION, offset),
        }
    }

    /// Returns the next line, or `None` at the end.
    ///
    /// This method is cancel safe: dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Line> {
        std::future::poll_fn(|cx| self.reader.poll_line(cx)).await
    }

    /// Returns the next message, or `None` at the end. Lines that are not messages are skipped.
    ///
    /// This method is cancel safe: dropping the future loses nothing.
    pub async fn next_message(&mut self) -> Option<Box<Received>> {
        loop {
            if let Line::Message(received) = self.next().await? {
                return Some(received);
            }
        }
    }

    /// The offset of the end of the last line that this stream delivered, in the CLI's output.
    ///
    /// A session can be attached to again from here, with [`Detached::at`](crate::Detached::at), if
    /// all turns are read from this stream. Lines of turn streams do not change it, and unread ones
    /// can be before it. See [`TurnStream::offset`](crate::TurnStream::offset).
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// Whether messages are being read back from a file, so that an empty queue is not the end.
    pub(crate) fn is_reading_back(&self) -> bool {
        self.reader.is_reading_back()
    }
}

impl Stream for MessageStream {
    type Item = Line;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.reader.poll_line(cx)
    }
}

impl Drop for MessageStream {
    fn drop(&mut self) {
        self.reader.queues.abandon();
    }
}

/// Reads one queue.
#[derive(Debug)]
pub(crate) struct Reader {
    queues: Arc<MessageQueues>,
    queue: TurnNumber,
    offset: u64,
    /// Lines that are being read back from a file.
    refill: Option<(ReadAt, JoinHandle<ReadBack>)>,
}

/// Lines, and the number of bytes that they took in the file.
type ReadBack = std::io::Result<(Vec<Unread>, u64)>;

impl Reader {
    pub(crate) fn new(queues: Arc<MessageQueues>, queue: TurnNumber, offset: u64) -> Self {
        Self {
            queues,
            queue,
            offset,
            refill: None,
        }
    }

    /// The offset of the end of the last line.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether lines are being read back from a file.
    pub(crate) fn is_reading_back(&self) -> bool {
        self.refill.is_some()
    }

    pub(crate) fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Option<Line>> {
        loop {
            if let Some((from, refill)) = &mut self.refill {
                let refilled = ready!(Pin::new(refill).poll(cx));
                match refilled.map_err(std::io::Error::other).flatten() {
                    Ok((lines, taken)) => self.queues.refilled(self.queue, from, lines, taken),
                    Err(error) => self.queues.unreadable(self.queue, from, &error),
                }
                self.refill = None;
            }
            match ready!(self.queues.poll_front(self.queue, cx)) {
                Front::Line(unread) => {
                    self.offset = unread.offset;
                    return Poll::Ready(Some(Line::decode(unread.raw)));
                }
                Front::Refill(from) => {
                    let reading = from.clone();
                    let reading = tokio::task::spawn_blocking(move || reading.read());
                    self.refill = Some((from, reading));
                }
                Front::End => return Poll::Ready(None),
            }
        }
    }
}
