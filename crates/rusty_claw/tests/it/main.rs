//! The façade, from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod document_examples;
mod fixtures;
mod peer;
mod session;
#[cfg(unix)]
mod transport_child;
