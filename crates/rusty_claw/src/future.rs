//! Boxed futures, and futures whose panics are caught.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::pin::{Pin, pin};
use std::task::Poll;

/// A boxed future, as object-safe traits return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Runs a future to its end. Returns the payload if it panics; it is not polled again.
pub(crate) async fn catch_unwind<T>(
    future: impl Future<Output = T>,
) -> Result<T, Box<dyn Any + Send>> {
    let mut future = pin!(future);
    std::future::poll_fn(move |context| {
        match panic::catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(payload) => Poll::Ready(Err(payload)),
        }
    })
    .await
}
