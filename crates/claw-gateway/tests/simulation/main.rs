//! A simulation: gateways, holders, a store and scripted CLIs on one thread with a paused clock, and
//! a fault at any await point. Each run is a seed.
//!
//! To run one seed and print its history:
//! `SEED=1 cargo nextest run -p claw-gateway --all-features --test simulation one_seed --no-capture`.
//! With `RUSTFLAGS="--cfg tokio_unstable"`, a seed has the same history in every run. Without it,
//! the order in which ready branches of `select!` are polled differs.
//! `cargo xtask prove survive --only simulation` runs all seeds.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]
#![allow(unexpected_cfgs, reason = "RUSTFLAGS sets `tokio_unstable`")]

mod check;
mod cli;
mod clients;
mod dice;
mod file;
#[path = "../../../claw-store/tests/common/hooked.rs"]
mod hooked;
mod machine;
mod plan;
mod power;
mod quick;
mod record;
mod seeds;
mod store;
mod world;

use std::time::Instant;

use claw_testkit::figure::{Figure, quick, record};

use seeds::run_many;

/// A number in the environment.
fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs the seed in the variable `SEED`.
#[test]
fn one_seed() {
    let Some(seed) = variable("SEED") else { return };
    let shown = seeds::run(seed);
    println!("{}", shown.history);
    assert!(shown.wrong.is_empty(), "{:#?}", shown.wrong);
}

/// Runs the seeds of a proof, or as many as the variable `SEEDS` has, without those in `SKIP`.
#[test]
fn simulation() {
    let seeds = variable("SEEDS").unwrap_or(if quick() { 500 } else { 200_000 });
    let begin = Instant::now();
    let most_failed = variable("MOST_FAILED").unwrap_or(20) as usize;
    let skip = std::env::var("SKIP").unwrap_or_default();
    let skipped = skip.split(',').filter_map(|seed| seed.parse().ok());
    let first = variable("FIRST").unwrap_or(0);
    let total = run_many(first..first + seeds, &skipped.collect(), most_failed);
    let seconds = begin.elapsed().as_secs_f64();
    let faults: u64 = total.faults.values().sum();
    let failed = total
        .failed
        .iter()
        .map(|(seed, wrong)| format!("SEED={seed}: {wrong}"));
    let figure = Figure::new(
        "simulated runs of gateways, holders, CLIs and clients with faults at await points",
        "0 violations",
    )
    .measured(
        format!("{} seeds, {} violations", total.seeds, total.failed.len()),
        total.failed.is_empty(),
    )
    .note(format!(
        "{} events, {faults} faults, {:.0} seeds/s",
        total.events,
        total.seeds as f64 / seconds
    ))
    .list(
        "faults",
        total
            .faults
            .iter()
            .map(|(name, times)| format!("{name}: {times}")),
    )
    .list("violations", failed);
    println!("{figure:#?}");
    record("simulation", vec![figure]);
}
