//! Measures the time that rules take to decide on expensive command lines.

#[path = "../../../crates/rusty_claw/src/permission/shell/hostile_lines.rs"]
mod hostile_lines;

use std::hint::black_box;
use std::time::Duration;

use claw_server::rules::AllowRules;
use cpu_time::ThreadTime;
use rusty_claw::permission::{PermissionAsk, Policy, Rule, Verdict};
use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::CanUseTool;
use serde_json::{Value, json};

use hostile_lines::HostileLines;

const COMMANDS: usize = 10_000;

/// A decision that takes longer is measured again, and the shortest time counts, so that other load
/// on the machine does not affect the result.
const NOTABLE: Duration = Duration::from_millis(10);
const TRIES: usize = 5;

const DENIED: &[&str] = &[
    "rm",
    "git push",
    "sudo",
    "npm publish",
    "curl",
    "docker run",
];
const ASKED: &[&str] = &["kubectl delete", "shutdown"];
#[rustfmt::skip] // A table.
const ALLOWED: &[&str] = &[
    "awk", "cargo test", "cat", "command ls", "echo", "env ls", "find", "git", "git log", "grep", "ls", "make test",
    "nice ls", "python3 -m pytest", "sed", "sh", "sudo ls", "timeout 60 cargo test", "x", "xargs grep",
];

/// The slowest decisions on the same lines, and the number of lines that the policy did not allow.
pub(crate) fn report() -> Value {
    let rules = AllowRules::read(ALLOWED.iter().map(|words| format!("Bash({words}:*)")));
    let policy = DENIED.iter().fold(Policy::new(), |policy, words| {
        policy.deny(Rule::command(words))
    });
    let policy = ASKED
        .iter()
        .fold(policy, |policy, words| policy.ask(Rule::command(words)));
    let policy = ALLOWED
        .iter()
        .fold(policy, |policy, words| policy.allow(Rule::command(words)));
    let mut lines = HostileLines::new(7);
    let (mut by_rules, mut by_policy) = (Duration::ZERO, Duration::ZERO);
    let (mut longest, mut denied) = (0, 0_usize);
    for _ in 0..COMMANDS {
        let line = lines.line();
        longest = longest.max(line.len());
        by_rules = by_rules.max(time(|| drop(black_box(rules.command(&line)))));
        let input = Json::from_value(&json!({ "command": line }));
        let ask = PermissionAsk::new(CanUseTool::new("Bash", input, ""));
        by_policy = by_policy.max(time(|| drop(black_box(policy.verdict(&ask)))));
        denied += usize::from(matches!(policy.verdict(&ask), Verdict::Deny(_)));
    }
    json!({
        "commands": COMMANDS,
        "longest": longest,
        "denied": denied,
        "rules_ms": by_rules.as_secs_f64() * 1e3,
        "policy_ms": by_policy.as_secs_f64() * 1e3,
    })
}

fn time(decide: impl Fn()) -> Duration {
    let mut shortest = Duration::MAX;
    for _ in 0..TRIES {
        let began = ThreadTime::now();
        decide();
        shortest = shortest.min(began.elapsed());
        if shortest < NOTABLE {
            break;
        }
    }
    shortest
}
