//! `claw serve` with programs of others: a NATS server, Chromium, schemathesis.
//! `cargo xtask prove gateway --only jetstream,browser,schemathesis` runs them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod browser;
#[path = "../it/gateway.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod gateway;
mod jetstream;
mod schemathesis;

use claw_testkit::FakeScript;
use claw_testkit::figure::record;

use gateway::Home;

#[test]
fn browser() {
    record("browser", vec![browser::figure()]);
}

#[test]
fn schemathesis() {
    record("schemathesis", vec![schemathesis::figure()]);
}

/// A home whose CLI answers at once.
fn home() -> Home {
    Home::new(FakeScript::new())
}

/// Adds a device, and returns its token.
fn token(home: &Home, scope: &str) -> String {
    let added = home.claw(&["devices", "add", scope, "--scope", scope, "--json"]);
    let added: serde_json::Value = serde_json::from_slice(&added.stdout).unwrap();
    added["token"].as_str().unwrap().to_owned()
}
