//! Sessions of the real CLI that are damaged and repaired, or redacted, and then resumed.
//!
//! Each test is a group of figures of `cargo xtask prove transcript`, which installs the CLI.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod redact;
mod repair;
mod resume;
mod review;
mod sent;
mod sessions;
mod strict;

use anyhow::Result;
use claw_testkit::figure::record;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repair() -> Result<()> {
    record("repair", vec![repair::figure().await?]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn review() -> Result<()> {
    record("review", vec![review::figure().await?]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redact() -> Result<()> {
    record("redact", vec![redact::figure().await?]);
    Ok(())
}
