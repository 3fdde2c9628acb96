//! The contract suite on the stores of this crate.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;
