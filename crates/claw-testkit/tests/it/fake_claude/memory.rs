//! How little it takes: load tests run hundreds of these.

use claw_testkit::{FakeScript, Flood};
use serde_json::json;

use super::{Fake, script};

/// The bar in KiB. An unoptimised program maps more code, so the bar of 3 MB is for `--release`;
/// what it allocates is the same in both.
const MOST: u64 = if cfg!(debug_assertions) { 4_500 } else { 3_000 };
const MOST_ALLOCATED: u64 = 700;

/// A figure of `/proc/<pid>/status`, in KiB.
fn status(fake: &Fake, name: &str) -> u64 {
    let path = format!("/proc/{}/status", fake.child.id());
    let text = std::fs::read_to_string(path).unwrap();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn check(fake: &Fake, when: &str) {
    let (peak, allocated) = (status(fake, "VmHWM:"), status(fake, "RssAnon:"));
    println!("{when}: {peak} KiB at most, {allocated} KiB allocated");
    assert!(peak <= MOST, "{when}: {peak} KiB, at most {MOST}");
    assert!(
        allocated <= MOST_ALLOCATED,
        "{when}: {allocated} KiB allocated"
    );
}

#[test]
fn it_stays_small_when_idle_and_at_full_rate() {
    let mut idle = Fake::start(&FakeScript::new());
    idle.control("r", &json!({"subtype": "initialize"}));
    idle.reply_to("r");
    check(&idle, "idle");

    let steps = script([
        Flood::new(30_000).bytes(200).into(),
        Flood::new(2).bytes(1_500_000).into(),
    ]);
    let mut busy = Fake::start(&steps.repeat_last());
    for _ in 0..2 {
        busy.prompt("go");
        busy.result();
    }
    check(&busy, "after two floods");
}
