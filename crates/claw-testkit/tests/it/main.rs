//! The scripted API over real sockets, and the stand-in for the CLI over real pipes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod bookkeeping;
mod client;
mod corpus;
#[cfg(unix)]
mod fake_claude;
mod faults;
mod matching;
#[cfg(unix)]
mod program;
mod script_file;
mod streaming;
