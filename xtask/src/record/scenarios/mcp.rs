//! MCP servers: in the host's process, on stdio, failing; elicitation; the control verbs for them.

use serde_json::{Value, json};

use super::super::scenario::{Answer, Scenario, reply};
use super::super::script::{blocks, call, say, tool};
use super::super::sdk_mcp::calc_tools;
use super::LAB;

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut all = in_process();
    all.extend(stdio());
    all.extend(elicitation());
    all
}

fn in_process() -> Vec<Scenario> {
    let manifest = json!({"calc": {
        "initializeResult": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}}, "serverInfo": {"name": "calc", "version": "1.0"}},
        "toolsListResult": {"tools": calc_tools()},
    }});
    let notice = json!({"server_name": "calc", "message": {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}});
    let sum = || call("s1", "mcp__calc__add", json!({"a": 2, "b": 3}));
    vec![
        Scenario::new(
            "mcp_sdk_handshake",
            "an in-process server without a manifest: the whole JSON-RPC handshake",
        )
        .flags("--allowedTools mcp__calc__add,mcp__calc__boom")
        .api([
            sum(),
            call("s2", "mcp__calc__boom", json!({})),
            say("Five, and a boom."),
        ])
        .init_with(json!({"sdkMcpServers": ["calc"]}))
        .ask("go")
        .quick(),
        Scenario::new(
            "mcp_sdk_manifest",
            "an in-process server with a manifest: no handshake",
        )
        .flags("--allowedTools mcp__calc")
        .api([sum(), say("Five.")])
        .init_with(json!({"sdkMcpServers": ["calc"], "sdkMcpServerManifests": manifest}))
        .control("mcp_status", json!({}))
        .ask("go"),
        Scenario::new(
            "mcp_sdk_list_changed",
            "the host tells that the tools changed; permission asked for an MCP tool",
        )
        .asks_host()
        .api([sum(), say("Five.")])
        .init_with(json!({"sdkMcpServers": ["calc"]}))
        .control("mcp_message", notice)
        .ask("go"),
        Scenario::new(
            "mcp_sdk_failing_host",
            "the host answers mcp_message with errors",
        )
        .answers("mcp_message", vec![Answer::Fail("no such server"); 4])
        .api([say("No server.")])
        .init_with(json!({"sdkMcpServers": ["calc"]}))
        .ask("go")
        .control("mcp_status", json!({})),
        Scenario::new(
            "mcp_set_servers",
            "servers set, listed, switched off and on, reconnected and removed at run time",
        )
        .flags("--allowedTools mcp__calc")
        .api([sum(), say("Five.")])
        .init()
        .control(
            "mcp_set_servers",
            json!({"servers": {
                "calc": {"type": "sdk", "name": "calc"},
                "bad": {"command": "/bin/false", "args": []},
            }}),
        )
        .ask("go")
        .control("mcp_status", json!({}))
        .control(
            "mcp_toggle",
            json!({"serverName": "calc", "enabled": false}),
        )
        .control("mcp_toggle", json!({"serverName": "calc", "enabled": true}))
        .control("mcp_reconnect", json!({"serverName": "bad"}))
        .control("mcp_reconnect", json!({"serverName": "nobody"}))
        .control(
            "set_mcp_permission_mode_override",
            json!({"serverName": "calc", "mode": "default"}),
        )
        .control(
            "set_mcp_permission_mode_override",
            json!({"serverName": "calc", "mode": "acceptEdits"}),
        )
        .control("mcp_set_servers", json!({"servers": {}}))
        .control("mcp_status", json!({})),
    ]
}

fn lab(name: &'static str, about: &'static str) -> Scenario {
    Scenario::new(name, about)
        .flags("--allowedTools mcp__lab")
        .arg("--mcp-config")
        .arg(LAB)
}

fn stdio() -> Vec<Scenario> {
    vec![
        lab("mcp_stdio_results", "results of a stdio server: text, image, links, error, structured, progress, unknown tool")
            .api([
                blocks([
                    tool("m1", "mcp__lab__echo", json!({"text": "hi"})),
                    tool("m2", "mcp__lab__image", json!({})),
                    tool("m3", "mcp__lab__link", json!({})),
                    tool("m4", "mcp__lab__fail", json!({})),
                    tool("m5", "mcp__lab__structured", json!({})),
                    tool("m6", "mcp__lab__progress", json!({})),
                    tool("m7", "mcp__lab__nothing", json!({})),
                ]),
                say("All called."),
            ])
            .init()
            .until("system/commands_changed")
            .ask("go")
            .keep_sessions(),
        lab("mcp_stdio_control", "mcp_status, mcp_call and mcp_read_resource against a stdio server; its prompt as a command")
            .api([say("Greeted.")])
            .init()
            .until("system/commands_changed")
            .control("mcp_status", json!({}))
            .control("mcp_reconnect", json!({"serverName": "lab"}))
            .control("mcp_call", json!({"tool": "mcp__lab__echo", "arguments": {"text": "direct"}}))
            .control("mcp_call", json!({"server": "lab", "serverName": "lab", "tool": "echo", "arguments": {"text": "direct"}}))
            .control("mcp_read_resource", json!({"serverName": "lab", "uri": "lab://notes"}))
            .control("mcp_read_resource", json!({"serverName": "lab", "uri": "ui://lab/view"}))
            .ask("/mcp__lab__greet Ann"),
        lab("mcp_stdio_resources", "the tools that list and read resources")
            .api([
                call("ts", "ToolSearch", json!({"query": "select:ListMcpResourcesTool,ReadMcpResourceTool", "max_results": 3})),
                call("l", "ListMcpResourcesTool", json!({"server": "lab"})),
                call("r", "ReadMcpResourceTool", json!({"server": "lab", "uri": "lab://notes"})),
                say("A note."),
            ])
            .init()
            .until("system/commands_changed")
            .ask("go"),
        lab("mcp_stdio_list_changed", "the server changes its tools during a slow call")
            .api([call("h", "mcp__lab__hang", json!({})), say("It woke up.")])
            .init()
            .until("system/commands_changed")
            .ask("go"),
        Scenario::new("mcp_failed_servers", "servers that cannot start: a bad command and a dead HTTP address")
            .flags("--strict-mcp-config")
            .arg("--mcp-config")
            .arg(r#"{"mcpServers":{"bad":{"command":"/bin/false","args":[]},"web":{"type":"http","url":"http://127.0.0.1:9/mcp","headers":{"X-Test":"1"}}}}"#)
            .api([say("No servers.")])
            .init()
            .ask("go")
            .control("mcp_status", json!({})),
        lab("mcp_no_strict", "settings of a server in .mcp.json that nobody approved")
            .file("/home/user/project/.mcp.json", r#"{"mcpServers":{"other":{"command":"/bin/false","args":[]}}}"#)
            .api([say("Hi.")])
            .init()
            .until("system/commands_changed")
            .ask("go")
            .control("mcp_status", json!({})),
    ]
}

fn elicitation() -> Vec<Scenario> {
    let form = |id: &str| call(id, "mcp__lab__ask_form", json!({}));
    let url = |id: &str| call(id, "mcp__lab__ask_url", json!({}));
    let accept = |content: Value| reply(json!({"action": "accept", "content": content}));
    let ask = |name, about, answers: Vec<Answer>, replies: Vec<super::super::script::Reply>| {
        lab(name, about)
            .answers("elicitation", answers)
            .api(replies)
            .init()
            .until("system/commands_changed")
            .ask("go")
    };
    vec![
        ask(
            "mcp_elicitation_form",
            "a form: accepted, declined, cancelled",
            vec![
                accept(json!({"name": "Ann", "age": 7})),
                reply(json!({"action": "decline"})),
                reply(json!({"action": "cancel"})),
            ],
            vec![
                form("e1"),
                form("e2"),
                form("e3"),
                say("Asked three times."),
            ],
        )
        .quick(),
        ask(
            "mcp_elicitation_url",
            "a page to visit: accepted, then the server says it is complete; declined",
            vec![
                reply(json!({"action": "accept"})),
                reply(json!({"action": "decline"})),
            ],
            vec![url("e1"), url("e2"), say("Visited.")],
        ),
        ask(
            "mcp_elicitation_host_error",
            "the host answers with an error",
            vec![Answer::Fail("no user interface")],
            vec![form("e1"), say("Cancelled.")],
        ),
    ]
}
