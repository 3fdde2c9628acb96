//! The wire types, from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod accessors;
mod constructors;
mod control;
mod conversation;
mod conversions;
mod documents;
mod hooks;
mod hostile;
mod kept;
mod leniencies;
mod recordings;
mod samples;
mod system;
mod tools;
mod types;
