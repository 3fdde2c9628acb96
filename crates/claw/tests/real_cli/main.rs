//! `claw serve` and its holders on the real CLI. `cargo xtask prove survive --only
//! killed-anywhere,upgraded,awake-limit` runs them.
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
#[path = "../../../claw-gateway/tests/real_cli/gateway_killed/screens.rs"]
mod screens;
mod served;
mod session;
#[path = "../../../claw-gateway/tests/real_cli/gateway_killed/stage.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod stage;
mod truth;
mod upgraded;

use claw_testkit::figure::{quick, record};
use place::Place;

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
