//! What the API can do wrong, and how the CLI reports it.

use super::super::scenario::Scenario;
use super::super::script::{Ending, Reply, error, hang_up, overloaded, rate_limited, say};

/// One prompt whose answers end in an error result.
fn failing(name: &'static str, about: &'static str, reply: Reply) -> Scenario {
    Scenario::new(name, about)
        .api([reply.forever()])
        .init()
        .ask("go")
        .exits(1)
}

/// The headers of plan limits.
fn limits(reply: Reply, status: &str, utilization: &str) -> Reply {
    reply
        .header("anthropic-ratelimit-unified-status", status)
        .header("anthropic-ratelimit-unified-reset", "1894700000")
        .header(
            "anthropic-ratelimit-unified-representative-claim",
            "five_hour",
        )
        .header("anthropic-ratelimit-unified-5h-status", status)
        .header("anthropic-ratelimit-unified-5h-utilization", utilization)
        .header("anthropic-ratelimit-unified-5h-reset", "1894700000")
        .header("anthropic-ratelimit-unified-5h-surpassed-threshold", "0.9")
        .header("anthropic-ratelimit-unified-overage-status", "rejected")
        .header(
            "anthropic-ratelimit-unified-overage-disabled-reason",
            "org_level_disabled",
        )
}

/// Signed in with a bearer token instead of a key.
pub(super) fn bearer(scenario: Scenario) -> Scenario {
    scenario
        .unset("ANTHROPIC_API_KEY")
        .env("CLAUDE_CODE_OAUTH_TOKEN", "recording-key-000000")
        .env("CLAUDE_CODE_MAX_RETRIES", "1")
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let invalid = "invalid_request_error";
    vec![
        failing(
            "err_400",
            "API 400",
            error(400, invalid, "messages: something wrong"),
        ),
        failing(
            "err_400_credit",
            "credit balance used up",
            error(
                400,
                invalid,
                "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
            ),
        ),
        failing(
            "err_prompt_too_long",
            "the prompt is too long",
            error(
                400,
                invalid,
                "prompt is too long: 250000 tokens > 200000 maximum",
            ),
        ),
        failing(
            "err_401",
            "API 401, retried like an outage",
            error(401, "authentication_error", "invalid x-api-key"),
        )
        .env("CLAUDE_CODE_MAX_RETRIES", "1"),
        failing(
            "err_403",
            "API 403",
            error(403, "permission_error", "not allowed"),
        ),
        failing(
            "err_404_model",
            "the model does not exist",
            error(404, "not_found_error", "model: claude-nope"),
        )
        .flags("--model claude-nope"),
        failing(
            "err_413",
            "API 413",
            error(413, "request_too_large", "Request exceeds the maximum size"),
        ),
        failing(
            "err_429_exhausted",
            "429 until retries are used up",
            rate_limited().header("retry-after", "0"),
        )
        .env("CLAUDE_CODE_MAX_RETRIES", "2")
        .quick(),
        failing(
            "err_500_exhausted",
            "500 until retries are used up",
            error(500, "api_error", "Internal server error"),
        )
        .env("CLAUDE_CODE_MAX_RETRIES", "1"),
        failing(
            "err_529_exhausted",
            "529 until retries are used up",
            overloaded(),
        )
        .env("CLAUDE_CODE_MAX_RETRIES", "2")
        .keep_sessions(),
        failing(
            "err_connection",
            "the connection closes without an answer",
            hang_up(),
        )
        .env("CLAUDE_CODE_MAX_RETRIES", "1"),
        Scenario::new("err_retry_ok", "429, 529 and 500, then success")
            .api([
                rate_limited().header("retry-after", "1"),
                overloaded(),
                error(500, "api_error", "Internal server error"),
                say("Finally."),
            ])
            .init()
            .ask("go"),
        Scenario::new("err_529_fallback", "529 with --fallback-model")
            .flags("--model claude-opus-5-5 --fallback-model claude-sonnet-5")
            .api([
                overloaded(),
                overloaded(),
                overloaded(),
                say("From the other model."),
            ])
            .init()
            .ask("go"),
        Scenario::new("err_midstream_drop", "the connection breaks in mid-stream")
            .partial()
            .api([
                say("This will break off")
                    .chunks(4)
                    .ending(Ending::Broken(4)),
                say("This will not.").chunks(2),
            ])
            .init()
            .ask("go"),
        Scenario::new("err_midstream_sse", "an error event in mid-stream")
            .partial()
            .api([
                say("This will break off")
                    .chunks(4)
                    .ending(Ending::ErrorEvent(4)),
                say("This will not."),
            ])
            .init()
            .ask("go"),
        Scenario::new(
            "err_then_ok",
            "an error result, then a good one: exit code 0",
        )
        .api([
            error(403, "permission_error", "not allowed"),
            say("Better."),
        ])
        .init()
        .ask("one")
        .ask("two"),
        bearer(Scenario::new(
            "rate_limit_warn",
            "plan limits nearly reached, with a bearer token",
        ))
        .api([
            limits(say("Hi."), "allowed_warning", "0.92"),
            limits(say("Hi again."), "allowed", "0.20"),
        ])
        .init()
        .ask("one")
        .ask("two"),
        bearer(Scenario::new(
            "rate_limit_reject",
            "plan limits reached, with a bearer token",
        ))
        .api([limits(rate_limited(), "rejected", "1.0").forever()])
        .init()
        .ask("one")
        .ask("two")
        .exits(1),
        Scenario::new("err_no_key", "no credentials at all")
            .unset("ANTHROPIC_API_KEY")
            .init()
            .ask("go")
            .exits(1),
    ]
}
