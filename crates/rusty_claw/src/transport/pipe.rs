//! An in-memory pipe that uses little memory while it is empty.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The capacity, as of a pipe on Linux.
const CAPACITY: usize = 64 << 10;
/// An empty buffer larger than this is freed.
const KEPT: usize = 2 << 10;

pub(super) fn pipe() -> (PipeReader, PipeWriter) {
    let shared = Arc::new(Shared::default());
    (PipeReader(Arc::clone(&shared)), PipeWriter(shared))
}

#[derive(Debug, Default)]
pub(super) struct Shared(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    bytes: VecDeque<u8>,
    /// Whether the write end is closed.
    ended: bool,
    /// Whether the read end is closed.
    unread: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes both ends of the pipe. Buffered bytes can still be read.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.ended = true;
        state.unread = true;
        let wakers = [state.reader.take(), state.writer.take()];
        drop(state);
        wakers.into_iter().flatten().for_each(Waker::wake);
    }
}

/// The read end.
#[derive(Debug)]
pub(super) struct PipeReader(Arc<Shared>);

/// The write end. Dropping it ends the stream for the reader.
#[derive(Debug)]
pub(super) struct PipeWriter(Arc<Shared>);

impl PipeReader {
    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.0)
    }
}

impl PipeWriter {
    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.0)
    }
}

impl AsyncRead for PipeReader {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut state = self.0.lock();
        if state.bytes.is_empty() {
            if state.ended || buffer.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            state.reader = Some(context.waker().clone());
            return Poll::Pending;
        }
        let (front, back) = state.bytes.as_slices();
        let first = front.len().min(buffer.remaining());
        buffer.put_slice(&front[..first]);
        let second = back.len().min(buffer.remaining());
        buffer.put_slice(&back[..second]);
        state.bytes.drain(..first + second);
        if state.bytes.is_empty() && state.bytes.capacity() > KEPT {
            state.bytes = VecDeque::new();
        }
        let writer = state.writer.take();
        drop(state);
        writer.into_iter().for_each(Waker::wake);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for PipeWriter {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut state = self.0.lock();
        if state.unread || state.ended {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let room = CAPACITY.saturating_sub(state.bytes.len());
        if room == 0 {
            state.writer = Some(context.waker().clone());
            return Poll::Pending;
        }
        let count = room.min(bytes.len());
        state.bytes.extend(&bytes[..count]);
        let reader = state.reader.take();
        drop(state);
        reader.into_iter().for_each(Waker::wake);
        Poll::Ready(Ok(count))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.end();
        Poll::Ready(Ok(()))
    }
}

impl PipeWriter {
    fn end(&self) {
        let mut state = self.0.lock();
        state.ended = true;
        let reader = state.reader.take();
        drop(state);
        reader.into_iter().for_each(Waker::wake);
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        self.end();
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.unread = true;
        state.bytes = VecDeque::new();
        let writer = state.writer.take();
        drop(state);
        writer.into_iter().for_each(Waker::wake);
    }
}
