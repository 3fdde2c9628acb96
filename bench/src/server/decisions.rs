//! The time that rules take to decide on expensive command lines.

// The test that counts steps uses the same lines.
#[path = "../../../crates/rusty_claw/src/permission/shell/hostile_lines.rs"]
mod hostile_lines;

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Result, ensure};
use claw_server::rules::AllowRules;
use claw_testkit::figure::{Figure, quick};
use claw_testkit::processes::cpu_time;
use rusty_claw::permission::{PermissionAsk, Policy, Rule, Verdict};
use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::CanUseTool;
use serde_json::json;

use hostile_lines::{HostileLines, LONGEST};

/// The maximum time of a decision, in milliseconds.
const BAR: f64 = 50.0;

/// A decision that takes longer is measured again, and the shortest time counts, so that other load
/// on the machine does not affect the result.
const NOTABLE: Duration = Duration::from_millis(10);
const TRIES: usize = 5;

#[rustfmt::skip] // A table.
const DENIED: &[&str] = &["rm", "git push", "sudo", "npm publish", "curl", "docker run"];
const ASKED: &[&str] = &["kubectl delete", "shutdown"];
#[rustfmt::skip] // A table.
const ALLOWED: &[&str] = &[
    "awk", "cargo test", "cat", "command ls", "echo", "env ls", "find", "git", "git log", "grep", "ls", "make test",
    "nice ls", "python3 -m pytest", "sed", "sh", "sudo ls", "timeout 60 cargo test", "x", "xargs grep",
];

/// The slowest decisions of allow rules and of a policy on the same lines.
pub(super) fn measure() -> Result<Vec<Figure>> {
    let commands = if quick() { 1_000 } else { 10_000 };
    let rules = AllowRules::read(ALLOWED.iter().map(|words| format!("Bash({words}:*)")));
    let add = |policy, all: &[&str], rule: fn(Policy, Rule) -> Policy| {
        all.iter()
            .fold(policy, |policy, words| rule(policy, Rule::command(words)))
    };
    let denying = add(Policy::new(), DENIED, Policy::deny);
    let policy = add(add(denying, ASKED, Policy::ask), ALLOWED, Policy::allow);
    let mut lines = HostileLines::new(7);
    let (mut by_rules, mut by_policy) = (0.0_f64, 0.0_f64);
    let (mut longest, mut denied) = (0, 0_usize);
    for _ in 0..commands {
        let line = lines.line();
        longest = longest.max(line.len());
        by_rules = by_rules.max(millis(|| drop(black_box(rules.command(&line)))));
        let input = Json::from_value(&json!({ "command": line }));
        let ask = PermissionAsk::new(CanUseTool::new("Bash", input, ""));
        by_policy = by_policy.max(millis(|| drop(black_box(policy.verdict(&ask)))));
        denied += usize::from(matches!(policy.verdict(&ask), Verdict::Deny(_)));
    }
    ensure!(longest == LONGEST, "the longest line has {longest} bytes");
    let slowest = by_rules.max(by_policy);
    let shown = format!("{slowest:.1} ms (allow rules {by_rules:.1} ms, policy {by_policy:.1} ms)");
    let figure = Figure::new(
        "policy decision, slowest of 10,000 hostile commands up to 64 KiB, release",
        "≤ 50 ms",
    );
    Ok(vec![figure.measured(shown, slowest <= BAR).timed().note(format!(
        "time on the processor; the policy denied {denied} of {commands}; the steps are counted by the test `work_on_hostile_lines_is_limited`"
    ))])
}

fn millis(decide: impl Fn()) -> f64 {
    let mut shortest = Duration::MAX;
    for _ in 0..TRIES {
        let began = cpu_time();
        decide();
        shortest = shortest.min(cpu_time() - began);
        if shortest < NOTABLE {
            break;
        }
    }
    shortest.as_secs_f64() * 1e3
}
