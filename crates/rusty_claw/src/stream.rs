//! Reading a session's messages.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use rusty_claw_protocol::{Line, Received};
use tokio::task::JoinHandle;

use crate::pump::{Front, Lane, ReadAt, SESSION, TurnNumber, Unread};

/// Everything a session's CLI prints, apart from control frames and the messages that the streams
/// of turns carry, in order.
///
/// There is one for each session. [`Session::chat`](crate::Session::chat) and
/// [`Turn::messages`](crate::Turn::messages) give each turn a stream of its own; what they carry
/// does not come here, so a program that only reads turns may drop this stream.
///
/// It may be read as slowly as you like: unread messages wait in memory, then in a file, and
/// control does not wait behind them. Only when the file is full too, or the disk, does the CLI
/// wait for the reader, and with it everything it would print: see
/// [`Options::unread_in_file`](crate::Options::unread_in_file). Dropping the stream discards its
/// messages; the session goes on.
///
/// It ends when the session has ended and everything was read.
#[derive(Debug)]
pub struct MessageStream {
    reader: Reader,
}

impl MessageStream {
    pub(crate) fn new(lane: Arc<Lane>, offset: u64) -> Self {
        Self {
            reader: Reader::new(lane, SESSION, offset),
        }
    }

    /// The next line, or `None` at the end.
    ///
    /// This method is cancel safe: dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Line> {
        std::future::poll_fn(|cx| self.reader.poll_line(cx)).await
    }

    /// The next message, or `None` at the end. Lines that are no messages are passed over.
    ///
    /// This method is cancel safe: dropping the future loses nothing.
    pub async fn next_message(&mut self) -> Option<Box<Received>> {
        loop {
            if let Line::Message(received) = self.next().await? {
                return Some(received);
            }
        }
    }

    /// Where the last line that was read ends in the CLI's output. A session can be attached to
    /// again from here. Lines that the streams of turns carry do not change it.
    pub fn offset(&self) -> u64 {
        self.reader.offset
    }

    /// Whether messages are on their way back from a file, so that none being ready does not mean
    /// that there is none.
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
        self.reader.lane.abandon();
    }
}

/// Reads one queue of a lane.
#[derive(Debug)]
pub(crate) struct Reader {
    lane: Arc<Lane>,
    queue: TurnNumber,
    offset: u64,
    /// Lines on their way back from a file.
    refill: Option<(ReadAt, JoinHandle<ReadBack>)>,
}

/// Lines, and how many bytes of the file they took.
type ReadBack = std::io::Result<(Vec<Unread>, u64)>;

impl Reader {
    pub(crate) fn new(lane: Arc<Lane>, queue: TurnNumber, offset: u64) -> Self {
        Self {
            lane,
            queue,
            offset,
            refill: None,
        }
    }

    /// Whether lines are on their way back from a file.
    pub(crate) fn is_reading_back(&self) -> bool {
        self.refill.is_some()
    }

    pub(crate) fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Option<Line>> {
        loop {
            if let Some((from, refill)) = &mut self.refill {
                let refilled = ready!(Pin::new(refill).poll(cx));
                match refilled.map_err(std::io::Error::other).flatten() {
                    Ok((lines, taken)) => self.lane.refilled(self.queue, from, lines, taken),
                    Err(error) => self.lane.unreadable(self.queue, from, &error),
                }
                self.refill = None;
            }
            match ready!(self.lane.poll_front(self.queue, cx)) {
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
