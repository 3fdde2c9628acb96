//! Response bodies that can break off, and their connection.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use crate::plan::Payload;
use crate::turn::Then;

/// Breaks the connection that it belongs to.
#[derive(Debug, Clone, Default)]
pub(crate) struct CutSwitch(Arc<AtomicBool>);

/// A TCP stream that fails after it is cut, once all written bytes are flushed.
///
/// A body that fails would make the HTTP layer drop what it still has in its buffer, and a test
/// that asks for a cut after five events must see five events. So the cut waits for the flush.
#[derive(Debug)]
pub(crate) struct CuttableStream {
    tcp: TcpStream,
    cut: CutSwitch,
}

impl CuttableStream {
    pub(crate) fn new(tcp: TcpStream, cut: CutSwitch) -> Self {
        Self { tcp, cut }
    }
}

impl AsyncRead for CuttableStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(cx, buf)
    }
}

impl AsyncWrite for CuttableStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.tcp).poll_flush(cx))?;
        if self.cut.0.load(Ordering::Acquire) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}

/// The body of a response.
#[derive(Debug)]
pub(crate) enum ReplyBody {
    Whole(Option<Bytes>),
    Parts {
        parts: mpsc::Receiver<Part>,
        cut: CutSwitch,
    },
}

#[derive(Debug)]
pub(crate) enum Part {
    Data(Bytes),
    Cut,
}

impl ReplyBody {
    pub(crate) fn new(payload: Payload, cut: CutSwitch) -> Self {
        match payload {
            Payload::Close => Self::Whole(None),
            Payload::Whole(bytes) => Self::Whole((!bytes.is_empty()).then_some(bytes)),
            Payload::Parts {
                parts,
                between,
                then,
            } => {
                let (sender, receiver) = mpsc::channel(1);
                tokio::spawn(feed(sender, parts, between, then));
                Self::Parts {
                    parts: receiver,
                    cut,
                }
            }
        }
    }
}

/// Sends the parts with their delays; ends early if the client disconnects.
async fn feed(sender: mpsc::Sender<Part>, parts: Vec<Bytes>, between: Duration, then: Then) {
    for (position, part) in parts.into_iter().enumerate() {
        if position > 0 && !between.is_zero() {
            tokio::select! {
                () = sender.closed() => return,
                () = tokio::time::sleep(between) => {}
            }
        }
        if sender.send(Part::Data(part)).await.is_err() {
            return;
        }
    }
    match then {
        Then::End => {}
        Then::Cut => {
            // Whether the client still listens does not matter: it is about to be cut off.
            let _ = sender.send(Part::Cut).await;
            sender.closed().await;
        }
        Then::Hang => sender.closed().await,
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Parts { parts, cut } => match ready!(parts.poll_recv(cx)) {
                Some(Part::Data(bytes)) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
                // From here on the flush of the connection decides.
                Some(Part::Cut) => {
                    cut.0.store(true, Ordering::Release);
                    Poll::Pending
                }
                None => Poll::Ready(None),
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Self::Parts { .. } => SizeHint::default(),
        }
    }
}
