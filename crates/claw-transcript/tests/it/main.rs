//! Session files, from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod bytes;
mod check;
mod edits;
#[cfg(feature = "export")]
mod export;
mod files;
mod following;
mod keys;
mod kinds;
mod laws;
mod line;
mod mending;
mod mutations;
mod official;
mod parking;
#[cfg(feature = "usage")]
mod readers;
mod reading;
#[cfg(feature = "redact")]
mod redact;
mod repair;
mod review;
mod scratch;
#[cfg(feature = "search")]
mod search;
mod summary;
mod tree;
#[cfg(feature = "usage")]
mod usage;

use claw_testkit::figure::quick;

/// Whether `cargo xtask prove transcript` measures at full size. A plain test has a time limit.
fn is_full() -> bool {
    !quick()
}
