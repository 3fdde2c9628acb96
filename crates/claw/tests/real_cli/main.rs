//! `claw serve` and its holders on the real CLI. `cargo xtask prove survive` runs them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[path = "../../../claw-gateway/tests/common/acts.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod acts;
mod awake_limit;
#[path = "../../../claw-gateway/tests/real_cli/gateway_killed/driving.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod driving;
#[path = "../../../claw-server/tests/common/front_end.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod front_end;
#[path = "../../../claw-gateway/tests/common/history.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod history;
mod killed_anywhere;
#[path = "../../../claw-gateway/tests/real_cli/gateway_killed/outcomes.rs"]
mod outcomes;
#[path = "../../../claw-gateway/tests/common/owner.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod owner;
mod parked;
#[path = "../../../claw-server/tests/common/phone.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod phone;
#[path = "../../../claw-gateway/tests/common/place.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod place;
mod processes;
#[path = "../../../claw-gateway/tests/real_cli/gateway_killed/proxy.rs"]
mod proxy;
#[path = "../../../claw-server/tests/it/random.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod random;
mod readme;
#[path = "../../../claw-gateway/tests/real_cli/gateway_killed/screens.rs"]
mod screens;
mod served;
mod serving;
mod session;
mod siblings;
mod sleep_wake;
#[path = "../../../claw-gateway/tests/real_cli/gateway_killed/stage.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod stage;
#[path = "../../../claw-gateway/tests/common/template.rs"]
mod template;
mod truth;
mod unknown;
mod upgraded;
mod week;

use std::time::Duration;

use claw_testkit::figure::{quick, record};
use place::Place;

/// The timeout of one case.
const LIMIT: Duration = Duration::from_secs(180);

/// A duration that differs with `number`, below a number of milliseconds.
fn pause_of(number: usize, below: u64) -> Duration {
    let scattered = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    Duration::from_millis(scattered % below)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_anywhere() {
    let (full, small) = if quick() { (10, 2) } else { (210, 50) };
    let (servers, _servers) = Place::jetstream().await;
    let figures = vec![
        killed_anywhere::figure(None, full).await,
        killed_anywhere::figure(Some(&servers), small).await,
    ];
    record("killed-anywhere", figures);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn upgraded() {
    record("upgraded", vec![upgraded::figure(quick()).await]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn awake_limit() {
    let (sessions, limit) = if quick() { (12, 3) } else { (200, 20) };
    record("awake-limit", awake_limit::figures(sessions, limit).await);
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readme() {
    record("readme", vec![readme::figure().await.unwrap()]);
}
