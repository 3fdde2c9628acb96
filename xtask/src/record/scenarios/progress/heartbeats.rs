//! What says that something still runs: the CLI's `tool_progress`.
//!
//! A tool's first heartbeat comes after 30 seconds, whatever the tool is; that of a hook comes as
//! often as the environment says; a subagent's request that failed is told at once.

use serde_json::{Value, json};

use super::super::super::scenario::{Answer, Scenario, reply};
use super::super::super::script::{
    Reply, bash, blocks, error, overloaded, rate_limited, say, tool,
};
use super::super::super::sdk_mcp::calc_tools;
use super::{agent, shell};

/// Longer than it takes until the first heartbeat, and known to change nothing, so that several
/// may run at once. A `sleep` alone is refused.
const READS: &str = "timeout 33 tail -f a.txt";

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut all = tools();
    all.extend(hooks());
    all.extend(retries());
    all
}

fn tools() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "progress_beat_two",
            "two long commands at once, and a short one behind them",
        )
        .file("/home/user/project/a.txt", "a\n")
        .flags("--allowedTools Bash")
        .api([
            blocks([shell("a", READS), shell("b", READS)]),
            bash("c", "true"),
            say("Both are through."),
        ])
        .init()
        .ask("go")
        .within(90),
        Scenario::new(
            "progress_beat_agents",
            "two subagents at once that wait for the API, one of them after a command",
        )
        .flags("--allowedTools Bash")
        .api([
            blocks([
                agent("g1", "SUBLONG look", "general-purpose"),
                agent("g2", "SUBSLOW think", "general-purpose"),
            ]),
            blocks([shell("s1", "true")]).when("SUBLONG"),
            say("Looked.").when("SUBLONG").after(34_000),
            say("Thought.").when("SUBSLOW").after(32_000),
            say("Both are back."),
        ])
        .init()
        .ask("go")
        .within(90),
        Scenario::new(
            "progress_beat_stopped",
            "a long command that is interrupted after its heartbeat, then another turn",
        )
        .flags("--allowedTools Bash")
        .api([
            bash("l", "for i in $(seq 300); do sleep 1; done"),
            say("Never mind."),
        ])
        .init()
        .say("go")
        .until("tool_progress")
        .control("interrupt", json!({}))
        .until("result")
        .ask("and now?")
        .within(90),
        Scenario::new(
            "progress_beat_host",
            "three calls of a server in the host at once, which answers late: well, not well, well",
        )
        .flags("--allowedTools mcp__calc")
        .answers("mcp_message", [Answer::Hold, Answer::Hold, Answer::Hold])
        .api([blocks([sum("m1", 1), sum("m2", 2), sum("m3", 3)]), say("Late.")])
        .init_with(json!({"sdkMcpServers": ["calc"], "sdkMcpServerManifests": {"calc": {
            "initializeResult": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "calc", "version": "1.0"}},
            "toolsListResult": {"tools": calc_tools()},
        }}}))
        .say("go")
        .until("tool_progress")
        .until("tool_progress")
        .until("tool_progress")
        .release(0, summed(2, "4", false))
        .until("user")
        .release(1, summed(3, "no", true))
        .until("user")
        .release(2, summed(4, "6", false))
        .until("result")
        .within(90),
    ]
}

/// A call of the server in the host.
fn sum(id: &str, number: u32) -> Value {
    tool(id, "mcp__calc__add", json!({"a": 3, "b": number}))
}

/// The server's answer; the CLI counts its requests to a server with a manifest from 2 on.
fn summed(request: u32, text: &str, is_error: bool) -> Answer {
    reply(
        json!({"mcp_response": {"jsonrpc": "2.0", "id": request, "result": {
            "content": [{"type": "text", "text": text}], "isError": is_error,
        }}}),
    )
}

/// A scenario whose hooks send a heartbeat each second.
fn with_hooks(name: &'static str, about: &'static str, hooks: &Value) -> Scenario {
    Scenario::new(name, about)
        .env("CLAUDE_CODE_HOOK_HEARTBEAT_INTERVAL_MS", "1000")
        .file(
            "/home/user/project/.claude/settings.json",
            json!({ "hooks": hooks }).to_string(),
        )
}

fn hook(matcher: &str, command: &str) -> Value {
    json!([{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}])
}

fn hooks() -> Vec<Scenario> {
    vec![
        with_hooks(
            "progress_beat_hooks",
            "slow hooks before and after a command, whose events are not asked for",
            &json!({
                "PreToolUse": hook("Bash", "sleep 2.5"),
                "PostToolUse": hook("Bash", "sleep 1.5"),
            }),
        )
        .flags("--allowedTools Bash")
        .api([bash("h1", "true"), say("Done.")])
        .init()
        .ask("go"),
        with_hooks(
            "progress_beat_hook_events",
            "a slow hook before a command, whose events are asked for",
            &json!({"PreToolUse": hook("Bash", "sleep 1.5")}),
        )
        .flags("--allowedTools Bash --include-hook-events")
        .api([bash("h1", "true"), say("Done.")])
        .init()
        .ask("go"),
    ]
}

fn retries() -> Vec<Scenario> {
    let soon = |reply: Reply| reply.header("retry-after", "1").when("SUBRETRY");
    vec![
        Scenario::new(
            "progress_agent_retry",
            "a subagent whose requests fail twice, then once more after a tool",
        )
        .flags("--allowedTools Bash")
        .api([
            blocks([agent("g1", "SUBRETRY look", "general-purpose")]),
            soon(overloaded()),
            soon(rate_limited()),
            blocks([shell("s1", "true")]).when("SUBRETRY"),
            soon(error(500, "api_error", "Internal server error")),
            say("Looked.").when("SUBRETRY"),
            say("It has looked."),
        ])
        .init()
        .ask("go"),
        Scenario::new(
            "progress_agent_retry_failed",
            "a subagent whose requests fail until nobody tries any more",
        )
        .env("CLAUDE_CODE_MAX_RETRIES", "2")
        .api([
            blocks([agent("g1", "SUBRETRY look", "general-purpose")]),
            soon(overloaded()),
            soon(overloaded()),
            soon(overloaded()),
            say("It did not look."),
        ])
        .init()
        .ask("go"),
    ]
}
