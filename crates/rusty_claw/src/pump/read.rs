//! Reads the CLI's output.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use crate::framing::LineFramer;

thread_local! {
    /// One per thread, not per session: it holds bytes only while a read is polled.
    static READ_BUFFER: RefCell<Box<[u8]>> = RefCell::new(vec![0; 64 << 10].into());
}

/// Reads available bytes into the lines. Cancel safe: dropping the future loses nothing.
pub(super) async fn read_some(
    reader: &mut (dyn AsyncRead + Send + Unpin),
    lines: &mut LineFramer,
) -> std::io::Result<usize> {
    poll_fn(|cx| {
        READ_BUFFER.with(|buffer| {
            let mut borrowed;
            let mut own;
            // A reader that polls another session inside its own poll finds the buffer in use.
            let bytes = match buffer.try_borrow_mut() {
                Ok(free) => {
                    borrowed = free;
                    &mut borrowed[..]
                }
                Err(_) => {
                    own = [0; 2048];
                    &mut own[..]
                }
            };
            let mut filled = ReadBuf::new(bytes);
            ready!(Pin::new(&mut *reader).poll_read(cx, &mut filled))?;
            lines.push(filled.filled());
            Poll::Ready(Ok(filled.filled().len()))
        })
    })
    .await
}
