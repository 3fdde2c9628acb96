//! Sessions on a store.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[path = "../common/acts.rs"]
mod acts;
mod answering;
mod asleep;
mod authorisation;
mod client;
mod cutting_proxy;
mod devices;
mod faulty;
mod following;
mod gateway;
#[path = "../common/history.rs"]
mod history;
mod holder;
#[path = "../../../claw-store/tests/common/hooked.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod hooked;
mod host;
mod hostile;
mod http;
mod killed;
mod of_server;
mod origins;
#[path = "../common/owner.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod owner;
mod owning;
#[path = "../common/place.rs"]
mod place;
mod problems;
mod routes;
mod served;
mod server;
mod sleeping;
mod store_log;
mod stores;
mod streams;
#[path = "../common/tally.rs"]
mod tally;
#[path = "../common/template.rs"]
mod template;
mod traps;
mod typescript;
mod unsteady;

// The files of the server crate name each other as in its own tests.
#[allow(unused_imports, reason = "some are named by these files only")]
use of_server::{
    batch_screen, front_end, generator, laws, peer, phone, played, random, reconnecting, recorded,
    sessions, testdata,
};

use claw_testkit::figure::quick;

/// Whether `cargo xtask prove` measures at full size.
fn is_full() -> bool {
    !quick()
}

/// A number of cases: of a proof, and of a plain test.
fn cases(full: u64, plain: u64) -> u64 {
    if is_full() { full } else { plain }
}
