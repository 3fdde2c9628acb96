//! Limits of turns, money and context; structured output; compaction.

use claw_testkit::Usage;
use serde_json::json;

use super::super::scenario::Scenario;
use super::super::script::{bash, call, say};

/// A schema that wants one string.
const SCHEMA: &str =
    r#"{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}"#;

/// What the model writes when it is asked to summarise.
const SUMMARY: &str = "<analysis>a</analysis><summary>All fine so far.</summary>";

fn structured(name: &'static str, about: &'static str) -> Scenario {
    Scenario::new(name, about).arg("--json-schema").arg(SCHEMA)
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let answer = |id: &str| call(id, "StructuredOutput", json!({"answer": "forty-two"}));
    let wrong = |id: &str| call(id, "StructuredOutput", json!({"wrong": 1}));
    vec![
        Scenario::new("res_max_turns", "--max-turns 2")
            .flags("--max-turns 2")
            .api([bash("1", "ls"), bash("2", "ls"), bash("3", "ls").forever()])
            .init()
            .ask("go")
            .exits(1)
            .keep_sessions()
            .quick(),
        Scenario::new(
            "res_budget",
            "--max-budget-usd, and a prompt after it is used up",
        )
        .flags("--max-budget-usd 0.5")
        .api([bash("1", "ls").tokens(Usage::new(1_000_000, 50_000))])
        .init()
        .ask("go")
        .ask("more")
        .exits(1),
        structured("res_structured_ok", "structured output")
            .api([answer("s1")])
            .init()
            .ask("go")
            .keep_sessions()
            .quick(),
        structured(
            "res_structured_retry",
            "structured output: invalid, then valid",
        )
        .api([wrong("s1"), answer("s2")])
        .init()
        .ask("go"),
        structured(
            "res_structured_exhausted",
            "structured output that is never valid",
        )
        .api([
            wrong("s1"),
            wrong("s2"),
            wrong("s3"),
            wrong("s4"),
            wrong("s5"),
        ])
        .init()
        .ask("go")
        .exits(1),
        structured(
            "res_structured_never_called",
            "the model never calls the tool",
        )
        .api([say("No."), say("Still no.")])
        .init()
        .ask("go"),
        Scenario::new("res_structured_bad_schema", "an invalid schema")
            .flags(r#"--json-schema {"type":"bogus"}"#)
            .exits(1),
        Scenario::new("res_task_budget", "--task-budget and --max-thinking-tokens")
            .flags("--task-budget 5000 --max-thinking-tokens 2000")
            .api([say("Within budget.")])
            .init()
            .ask("go"),
        Scenario::new(
            "compact_manual",
            "two turns, /compact with instructions, one more turn",
        )
        .partial()
        .api([say("One."), say("Two."), say(SUMMARY), say("Three.")])
        .init()
        .ask("one")
        .ask("two")
        .ask("/compact keep it short")
        .ask("three")
        .keep_sessions()
        .quick(),
        Scenario::new("compact_auto", "automatic compaction")
            .flags("--autocompact 100k")
            .api([
                say("One.").tokens(Usage::new(20_000, 50)),
                say("Two.").tokens(Usage::new(120_000, 50)),
                say(SUMMARY),
                say("Three."),
            ])
            .init()
            .ask("one")
            .ask("two")
            .ask("three")
            .keep_sessions(),
        Scenario::new("compact_nothing", "/compact with nothing to compact")
            .init()
            .ask("/compact"),
        Scenario::new("compact_failed", "the summary request fails")
            .env("CLAUDE_CODE_MAX_RETRIES", "0")
            .api([
                say("One."),
                super::super::script::error(500, "api_error", "no").forever(),
            ])
            .init()
            .ask("one")
            .ask("/compact"),
    ]
}
