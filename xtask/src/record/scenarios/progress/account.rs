//! How much of the account's limits is used, by the headers of the API.

use super::super::super::scenario::Scenario;
use super::super::super::script::{Reply, rate_limited, say};
use super::super::errors::bearer;

/// The time when the window of five hours ends, and that of the window after it.
const ENDS: [&str; 2] = ["1894700000", "1894718000"];

/// What the API says about one window.
struct Window<'a> {
    used: &'a str,
    ends: &'a str,
}

/// The headers of both windows, of which one is named.
fn both(reply: Reply, claim: &str, status: &str, five: &Window<'_>, seven: &str) -> Reply {
    let ends = if claim == "five_hour" {
        five.ends
    } else {
        "1895000000"
    };
    let (of_five, of_seven) = if claim == "five_hour" {
        (status, "allowed")
    } else {
        ("allowed", status)
    };
    let reply = reply
        .header("anthropic-ratelimit-unified-status", status)
        .header("anthropic-ratelimit-unified-reset", ends)
        .header("anthropic-ratelimit-unified-representative-claim", claim)
        .header("anthropic-ratelimit-unified-5h-status", of_five)
        .header("anthropic-ratelimit-unified-5h-utilization", five.used)
        .header("anthropic-ratelimit-unified-5h-reset", five.ends)
        .header("anthropic-ratelimit-unified-7d-status", of_seven)
        .header("anthropic-ratelimit-unified-7d-utilization", seven)
        .header("anthropic-ratelimit-unified-7d-reset", "1895000000");
    match (status, claim) {
        ("allowed_warning", "five_hour") => {
            reply.header("anthropic-ratelimit-unified-5h-surpassed-threshold", "0.75")
        }
        ("allowed_warning", _) => {
            reply.header("anthropic-ratelimit-unified-7d-surpassed-threshold", "0.75")
        }
        _ => reply,
    }
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let now = |used| Window {
        used,
        ends: ENDS[0],
    };
    let next = |used| Window {
        used,
        ends: ENDS[1],
    };
    let warned = "allowed_warning";
    vec![
        bearer(Scenario::new(
            "progress_limit_windows",
            "two windows of the account that fill up in turn",
        ))
        .api([
            both(say("One."), "five_hour", warned, &now("0.80"), "0.40"),
            both(say("Two."), "five_hour", warned, &now("0.91"), "0.44"),
            both(say("Three."), "seven_day", warned, &now("0.50"), "0.81"),
            both(say("Four."), "seven_day", warned, &now("0.55"), "0.81"),
            both(say("Five."), "five_hour", warned, &now("0.97"), "0.82"),
        ])
        .init()
        .ask("one")
        .ask("two")
        .ask("three")
        .ask("four")
        .ask("five"),
        bearer(Scenario::new(
            "progress_limit_renewed",
            "a window that is used up, and the one after it",
        ))
        .api([
            both(say("One."), "five_hour", warned, &now("0.96"), "0.30"),
            both(rate_limited(), "five_hour", "rejected", &now("1.0"), "0.31"),
            both(say("Three."), "five_hour", "allowed", &next("0.03"), "0.31"),
            both(say("Four."), "five_hour", warned, &next("0.78"), "0.40"),
        ])
        .init()
        .ask("one")
        .ask("two")
        .ask("three")
        .ask("four"),
        bearer(Scenario::new(
            "progress_limit_overage",
            "a window that is used up while the account pays for more",
        ))
        .api([
            both(say("One."), "five_hour", warned, &now("0.99"), "0.50")
                .header("anthropic-ratelimit-unified-overage-status", "allowed"),
            both(say("Two."), "five_hour", "rejected", &now("1.0"), "0.51")
                .header("anthropic-ratelimit-unified-overage-status", "allowed")
                .header("anthropic-ratelimit-unified-overage-reset", ENDS[1]),
            both(say("Three."), "five_hour", "allowed", &next("0.01"), "0.51")
                .header("anthropic-ratelimit-unified-overage-status", "allowed"),
        ])
        .init()
        .ask("one")
        .ask("two")
        .ask("three"),
        bearer(Scenario::new(
            "progress_limit_calm",
            "windows with much room, which change little",
        ))
        .api([
            both(say("One."), "five_hour", "allowed", &now("0.10"), "0.20"),
            both(say("Two."), "five_hour", "allowed", &now("0.10"), "0.20"),
            both(say("Three."), "five_hour", "allowed", &now("0.12"), "0.21"),
        ])
        .init()
        .ask("one")
        .ask("two")
        .ask("three"),
    ]
}
