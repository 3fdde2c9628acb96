//! Reading a session's messages.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use rusty_claw_protocol::{Line, Received};
use tokio::task::JoinHandle;

use crate::pump::{Front, Lane, Unread};

/// Everything a session's CLI prints, apart from control frames, in order.
///
/// There is one for each session. It may be read as slowly as you like: unread messages wait in
/// memory, then in a file, and control does not wait behind them. Only when the file is full too,
/// or the disk, does the CLI wait for the reader, and with it everything it would say: see
/// [`Options::unread_in_file`](crate::Options::unread_in_file). Dropping the stream says that
/// nobody wants the messages; the session goes on.
///
/// It ends when the session has ended and everything was read.
#[derive(Debug)]
pub struct MessageStream {
    lane: Arc<Lane>,
    offset: u64,
    /// Lines that were taken and not handed out yet.
    taken: VecDeque<Unread>,
    /// Lines on their way back from a file.
    refill: Option<JoinHandle<ReadBack>>,
}

/// Lines, and how many bytes of the file they took.
type ReadBack = std::io::Result<(Vec<Unread>, u64)>;

impl MessageStream {
    pub(crate) fn new(lane: Arc<Lane>, offset: u64) -> Self {
        Self {
            lane,
            offset,
            taken: VecDeque::new(),
            refill: None,
        }
    }

    /// The next line, or `None` at the end.
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Line> {
        std::future::poll_fn(|cx| self.poll_line(cx)).await
    }

    /// The next message, or `None` at the end. Lines that are no messages are passed over.
    ///
    /// Dropping the future loses nothing.
    pub async fn next_message(&mut self) -> Option<Box<Received>> {
        loop {
            if let Line::Message(received) = self.next().await? {
                return Some(received);
            }
        }
    }

    /// Where the last line that was read ends in the CLI's output. A session can be attached to
    /// again from here.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Option<Line>> {
        loop {
            if let Some(unread) = self.taken.pop_front() {
                self.offset = unread.offset;
                return Poll::Ready(Some(Line::decode(unread.raw)));
            }
            if let Some(refill) = &mut self.refill {
                let refilled = ready!(Pin::new(refill).poll(cx));
                self.refill = None;
                match refilled.map_err(std::io::Error::other).flatten() {
                    Ok((lines, taken)) => self.lane.refilled(lines, taken),
                    Err(error) => self.lane.unreadable(&error),
                }
            }
            match ready!(self.lane.poll_front(cx)) {
                Front::Lines(lines) => self.taken = lines,
                Front::Refill(from) => {
                    self.refill = Some(tokio::task::spawn_blocking(move || from.read()));
                }
                Front::End => return Poll::Ready(None),
            }
        }
    }
}

impl Stream for MessageStream {
    type Item = Line;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_line(cx)
    }
}

impl Drop for MessageStream {
    fn drop(&mut self) {
        self.lane.abandon();
    }
}
