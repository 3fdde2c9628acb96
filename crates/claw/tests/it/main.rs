//! The program, from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod devices;
mod export;
mod follow;
mod gateway;
mod guide;
mod hardship;
mod hide;
mod json_shapes;
mod program;
mod refusals;
mod remote;
mod repair;
mod search;
mod serve;
mod sessions;
mod usage;
