//! The process of a gateway, which can crash at any point.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::sync::Notify;

type Shared = Mutex<Option<DuplexStream>>;

/// Whether the process of a gateway runs. After a crash, none of its calls returns, and its
/// connections are closed.
#[derive(Debug, Default)]
pub(crate) struct Power {
    is_off: AtomicBool,
    went_off: Notify,
    wires: Mutex<Vec<Weak<Shared>>>,
}

impl Power {
    pub(crate) fn is_on(&self) -> bool {
        !self.is_off.load(Ordering::SeqCst)
    }

    /// Crashes the process.
    pub(crate) fn cut(&self) {
        if self.is_off.swap(true, Ordering::SeqCst) {
            return;
        }
        for wire in self.wires.lock().unwrap().drain(..) {
            let stream = wire.upgrade().and_then(|wire| wire.lock().unwrap().take());
            drop(stream);
        }
        self.went_off.notify_waiters();
    }

    /// Waits for the crash.
    pub(crate) async fn down(&self) {
        let notified = self.went_off.notified();
        if self.is_on() {
            notified.await;
        }
    }

    /// Returns while the process runs, and never after a crash.
    pub(crate) async fn check(&self) {
        if !self.is_on() {
            std::future::pending::<()>().await;
        }
    }

    /// Returns a connection of this process, and its other end.
    pub(crate) fn wire(&self) -> (Wire, DuplexStream) {
        let (ours, theirs) = tokio::io::duplex(16 << 10);
        let shared = Arc::new(Mutex::new(Some(ours).filter(|_| self.is_on())));
        let mut wires = self.wires.lock().unwrap();
        wires.retain(|wire| wire.strong_count() > 0);
        wires.push(Arc::downgrade(&shared));
        (Wire(shared), theirs)
    }
}

/// A connection that is closed when its process crashes. In the process itself, reads and writes
/// then stay pending.
#[derive(Debug)]
pub(crate) struct Wire(Arc<Shared>);

impl Wire {
    fn poll<T>(
        &self,
        poll: impl FnOnce(Pin<&mut DuplexStream>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        match &mut *self.0.lock().unwrap() {
            Some(stream) => poll(Pin::new(stream)),
            None => Poll::Pending,
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.poll(|stream| stream.poll_read(context, buffer))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll(|stream| stream.poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll(|stream| stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll(|stream| stream.poll_shutdown(context))
    }
}
