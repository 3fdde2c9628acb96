//! `claw serve` with the real CLI. `cargo xtask prove survive --only
//! parked,unknown,siblings,week,sleep-wake` runs them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod parked;
mod siblings;
mod sleep_wake;
mod stage;
#[path = "../../../claw-gateway/tests/common/template.rs"]
mod template;
mod unknown;
mod week;

use std::time::Duration;

use claw_testkit::figure::{quick, record};

/// The timeout of one case.
const LIMIT: Duration = Duration::from_secs(180);

/// A duration that differs with `number`, below a number of milliseconds.
fn pause_of(number: usize, below: u64) -> Duration {
    let scattered = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    Duration::from_millis(scattered % below)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parked() {
    let per_kind = if quick() { 3 } else { 30 };
    record("parked", vec![parked::figure(per_kind).await]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown() {
    let count = if quick() { 2 } else { 30 };
    record("unknown", vec![unknown::figure(count).await]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn siblings() {
    let count = if quick() { 2 } else { 12 };
    record("siblings", vec![siblings::figure(count).await]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn week() {
    let rounds = if quick() { 1 } else { 5 };
    record("week", vec![week::figure(rounds).await]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sleep_wake() {
    let size = match quick() {
        true => sleep_wake::Size {
            pairs: 3,
            large_wakes: 1,
            sleeping: 4_000,
        },
        false => sleep_wake::Size {
            pairs: 20,
            large_wakes: 5,
            sleeping: 20_000,
        },
    };
    record("sleep-wake", sleep_wake::figures(size).await.unwrap());
}
