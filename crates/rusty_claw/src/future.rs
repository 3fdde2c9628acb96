//! Futures behind a trait object.

use std::pin::Pin;

/// A future that can be named, sent and kept: what object-safe traits return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
