//! Starts that fail, and starts that only look as if they would.

use super::super::scenario::Scenario;
use super::super::script::say;

/// Ends before it reads anything.
fn refuses(name: &'static str, about: &'static str, flags: &str) -> Scenario {
    Scenario::new(name, about).flags(flags).exits(1)
}

/// Starts all the same.
fn starts(name: &'static str, about: &'static str, flags: &str) -> Scenario {
    Scenario::new(name, about)
        .flags(flags)
        .api([say("Hi.")])
        .init()
        .ask("hello")
}

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        refuses("startup_bad_flag", "an unknown flag", "--no-such-flag"),
        refuses(
            "startup_bad_mode",
            "an unknown permission mode",
            "--permission-mode zzz",
        ),
        refuses(
            "startup_bad_session_id",
            "a session id that is not a UUID",
            "--session-id abc",
        ),
        refuses(
            "startup_bad_settings",
            "settings that are not JSON",
            "--settings {bad",
        ),
        refuses(
            "startup_bad_mcp_config",
            "an MCP configuration that is not JSON",
            "--mcp-config {bad",
        ),
        Scenario::new("startup_missing_verbose", "stream-json without --verbose")
            .without_fixed_args()
            .flags("--output-format stream-json --input-format stream-json")
            .exits(1),
        Scenario::new("startup_config_invalid", "a config file that is not JSON")
            .env("CLAUDE_CODE_STARTUP_FAILURE_RESULTS", "1")
            .file("/home/user/.claude/.claude.json", "{broken")
            .exits(1),
        Scenario::new(
            "startup_failure_result",
            "a refused start that also prints a result",
        )
        .env("CLAUDE_CODE_STARTUP_FAILURE_RESULTS", "1")
        .flags("--await-initialize")
        .say("hello")
        .exits(1),
        Scenario::new(
            "startup_await_initialize_wrong",
            "--await-initialize and another first line",
        )
        .flags("--await-initialize")
        .say("hello")
        .exits(1),
        starts(
            "startup_await_initialize",
            "--await-initialize",
            "--await-initialize",
        ),
        starts(
            "startup_plugin_missing",
            "a plugin folder that is not there",
            "--plugin-dir /home/user/nowhere",
        ),
        starts(
            "startup_unknown_agent",
            "an agent that is not there",
            "--agent nobody",
        ),
        starts(
            "startup_unknown_model_alias",
            "a model alias and a fallback",
            "--model sonnet --fallback-model haiku",
        ),
        starts(
            "startup_setting_sources",
            "no setting sources, one more folder",
            "--setting-sources= --add-dir /home/user/other",
        ),
        Scenario::new(
            "startup_text_print",
            "one prompt as an argument, stream-json output",
        )
        .without_fixed_args()
        .flags("-p hello --output-format stream-json --verbose")
        .api([say("Hi.")])
        .close()
        .until("result"),
    ]
}
