//! A checker in the style of Jepsen: workers record what they do and see, and the history must
//! agree with the log that is read back.
//!
//! `quick` runs in the normal suite; `cargo xtask prove store` runs the rest.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod bodies;
mod check;
#[path = "../common/disk.rs"]
mod disk;
mod erased;
mod fleet;
mod history;
mod nemesis;
mod process;
mod quick;
mod run;
#[path = "../common/slow_proxy.rs"]
mod slow_proxy;
mod sqlite;
mod takeover;
mod workload;
