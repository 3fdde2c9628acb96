//! The scripted API over real sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod bookkeeping;
mod client;
mod faults;
mod matching;
#[cfg(unix)]
mod program;
mod script_file;
mod streaming;
