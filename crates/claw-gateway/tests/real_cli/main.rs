//! Sessions of the real CLI. `cargo xtask prove store --only killed-real` and `cargo xtask prove gateway
//! --only gateway-killed,isolation` and `cargo xtask prove survive --only restored` run them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[path = "../common/acts.rs"]
mod acts;
#[path = "../../../claw-server/tests/common/front_end.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod front_end;
mod gateway_killed;
#[path = "../common/history.rs"]
mod history;
mod holder;
mod isolation;
mod killed;
#[path = "../common/owner.rs"]
mod owner;
#[path = "../../../claw-server/tests/common/phone.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod phone;
#[path = "../common/place.rs"]
mod place;
#[path = "../../../claw-server/tests/it/random.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod random;
mod restored;
#[path = "../common/tally.rs"]
mod tally;

use claw_testkit::figure::{quick, record};

use place::Place;

/// Kills of owners on each store.
const KILLS: u64 = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_real() {
    let kills = if quick() { 1 } else { KILLS };
    let (file, _folder) = Place::sqlite();
    let (place, _servers) = Place::jetstream().await;
    let (sqlite, jetstream) =
        tokio::join!(killed::figure(&file, kills), killed::figure(&place, kills));
    record("killed-real", vec![sqlite, jetstream]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gateway_killed() {
    let (full, small) = if quick() { (3, 1) } else { (100, 20) };
    let (file, _folder) = Place::sqlite();
    let (servers, _servers) = Place::jetstream().await;
    let figures = vec![
        gateway_killed::figure(&file, full).await,
        gateway_killed::figure(&servers, small).await,
    ];
    record("gateway-killed", figures);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn isolation() {
    record("isolation", isolation::figures().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restored() {
    let sessions = if quick() { 2 } else { 20 };
    record("restored", restored::figures(sessions).await);
}
