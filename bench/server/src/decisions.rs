//! Measures the time that rules take to decide on expensive command lines.

#[path = "../../../crates/rusty_claw/src/permission/shell/hostile_lines.rs"]
mod hostile_lines;

use std::hint::black_box;
use std::time::Duration;

use claw_server::rules::AllowRules;
use claw_testkit::figure::Figure;
use cpu_time::ThreadTime;
use rusty_claw::permission::{PermissionAsk, Policy, Rule, Verdict};
use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::CanUseTool;
use serde_json::json;

use hostile_lines::HostileLines;

const COMMANDS: usize = 10_000;
const LONGEST: usize = 64 * 1024;
/// The maximum time of a decision.
const BAR: Duration = Duration::from_millis(50);

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

/// The slowest decisions of allow rules and of a policy on the same lines.
pub(crate) fn figure() -> Figure {
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
    let slowest = by_rules.max(by_policy);
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    Figure::new(
        "policy decision, slowest of 10,000 hostile commands up to 64 KiB, release",
        "≤ 50 ms",
    )
    .measured(
        format!(
            "{:.1} ms (allow rules {:.1} ms, policy {:.1} ms)",
            millis(slowest),
            millis(by_rules),
            millis(by_policy)
        ),
        longest == LONGEST && slowest <= BAR,
    )
    .note(format!(
        "time on the processor; a policy of {} rules that deny, {} that ask and {} that allow, which denied {denied} of {COMMANDS}; the steps are counted by the test `work_on_hostile_lines_is_limited`",
        DENIED.len(),
        ASKED.len(),
        ALLOWED.len()
    ))
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
