//! The contract suite on JetStream: one server and three.
//!
//! These tests need real servers: see `claw_testkit::nats`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[path = "../common/disk.rs"]
mod disk;
mod faults;
mod harness;
mod lagging;
mod lost_acks;
mod outages;
mod partitions;
mod servers;
#[path = "../common/slow_proxy.rs"]
mod slow_proxy;

mod one {
    use std::sync::Arc;

    use crate::harness::JetStreamHarness;

    claw_store::contract_tests!(Arc::new(JetStreamHarness::new(1)));
}

mod three {
    use std::sync::Arc;

    use crate::harness::JetStreamHarness;

    claw_store::contract_tests!(Arc::new(JetStreamHarness::new(3)));
}
