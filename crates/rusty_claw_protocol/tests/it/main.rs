//! The wire types, from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod conversation;
mod documents;
mod hooks;
mod samples;
mod system;
mod tools;
