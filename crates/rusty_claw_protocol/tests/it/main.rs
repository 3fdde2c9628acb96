//! The wire types, from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod control;
mod conversation;
mod documents;
mod exchanges;
mod hooks;
mod samples;
mod system;
mod tools;
